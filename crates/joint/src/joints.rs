//! Joints by handle.

use crate::{JointAxis, JointError, JointKind, JointSpec, Motor};
use drystone_contact::{
    Bodies, BodyHandle, ContactError, ContactGraph, EdgeIndex, JointHandle, Slots, TieDrive,
};
use drystone_math::Real;
use std::collections::BTreeMap;

/// A joint of [`Joints`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Joint {
    kind: JointKind,
    bodies: [BodyHandle; 2],
    edge: EdgeIndex,
    breaking: [Real; 2],
    collides: bool,
}

impl Joint {
    const NONE: Self = Self {
        kind: JointKind::Fixed,
        bodies: [BodyHandle { index: 0, generation: 0 }; 2],
        edge: EdgeIndex(u32::MAX),
        breaking: [Real::INFINITY; 2],
        collides: false,
    };

    /// What it is.
    pub fn kind(&self) -> JointKind {
        self.kind
    }

    /// Bodies A and B.
    pub fn bodies(&self) -> [BodyHandle; 2] {
        self.bodies
    }

    /// Its edge in the contact graph, where its tie is ([`ContactGraph::tie`]).
    pub fn edge(&self) -> EdgeIndex {
        self.edge
    }

    /// Whether its bodies meet each other.
    pub fn collides(&self) -> bool {
        self.collides
    }

    /// Force (N) and torque (N·m) above which it breaks.
    pub fn breaking(&self) -> [Real; 2] {
        self.breaking
    }
}

/// All joints of a world.
#[derive(Clone, Debug, Default)]
pub struct Joints {
    slots: Slots,
    list: Vec<Joint>,
    /// Joints that may break, by edge.
    brittle: Vec<JointHandle>,
    by_edge: BTreeMap<EdgeIndex, JointHandle>,
}

impl drystone_math::Carried for Joints {
    fn copy_from(&mut self, source: &Self) {
        let Self { slots, list, brittle, by_edge } = source;
        self.slots.copy_from(slots);
        self.list.copy_from(list);
        self.brittle.copy_from(brittle);
        if self.by_edge != *by_edge {
            self.by_edge.clone_from(by_edge);
        }
    }

    fn heap_bytes(&self) -> usize {
        self.slots.heap_bytes()
            + self.list.heap_bytes()
            + self.brittle.heap_bytes()
            + self.by_edge.len() * size_of::<(EdgeIndex, JointHandle)>()
    }
}

impl Joints {
    /// Adds a joint between bodies of the graph. Groups follow with [`ContactGraph::update_groups`].
    ///
    /// # Errors
    /// What is wrong with the joint; an unknown body; two bodies that cannot move, or one with itself.
    pub fn add(
        &mut self,
        spec: &JointSpec,
        bodies: &Bodies,
        graph: &mut ContactGraph,
    ) -> Result<JointHandle, JointError> {
        let tie = spec.tie(bodies)?;
        let edge = graph.add_tie(bodies, tie)?;
        let Some((index, generation)) = self.slots.take() else {
            graph.remove_edge(bodies, edge);
            return Err(ContactError::Full("joints").into());
        };
        let handle = JointHandle { index, generation };
        let joint = Joint {
            kind: spec.kind(),
            bodies: spec.bodies(),
            edge,
            breaking: spec.breaking,
            collides: spec.collides,
        };
        if self.list.len() <= index as usize {
            self.list.resize(index as usize + 1, Joint::NONE);
        }
        self.list[index as usize] = joint;
        self.by_edge.insert(edge, handle);
        if joint.breaking != [Real::INFINITY; 2] {
            self.brittle.push(handle);
        }
        Ok(handle)
    }

    /// Removes a joint with its edge; returns what it was.
    ///
    /// # Errors
    /// An unknown joint.
    pub fn remove(
        &mut self,
        handle: JointHandle,
        bodies: &Bodies,
        graph: &mut ContactGraph,
    ) -> Result<Joint, JointError> {
        let joint = *self.get(handle)?;
        self.slots.release(handle.index, handle.generation);
        self.by_edge.remove(&joint.edge);
        self.brittle.retain(|&own| own != handle);
        graph.remove_edge(bodies, joint.edge);
        Ok(joint)
    }

    /// A joint.
    ///
    /// # Errors
    /// An unknown joint.
    pub fn get(&self, handle: JointHandle) -> Result<&Joint, JointError> {
        let is_alive = self.slots.is_alive(handle.index, handle.generation);
        let joint = self.list.get(handle.index as usize).filter(|_| is_alive);
        joint.ok_or(JointError::UnknownJoint(handle))
    }

    /// The joint that an edge of the graph is.
    pub fn of_edge(&self, edge: EdgeIndex) -> Option<JointHandle> {
        self.by_edge.get(&edge).copied()
    }

    /// All joints, by slot.
    pub fn iter(&self) -> impl Iterator<Item = (JointHandle, &Joint)> + '_ {
        self.slots
            .iter()
            .map(|(index, generation)| (JointHandle { index, generation }, &self.list[index as usize]))
    }

    /// Number of joints.
    pub fn count(&self) -> usize {
        self.slots.count()
    }

    /// The first joint that gave more in the last step, of `dt` seconds, than it holds.
    pub fn first_broken(&self, bodies: &Bodies, graph: &ContactGraph, dt: Real) -> Option<JointHandle> {
        self.brittle.iter().copied().find(|&handle| {
            let Ok(joint) = self.get(handle) else { return false };
            let Some(tie) = graph.tie(joint.edge) else { return false };
            // What sleeps or is passive was not solved: it has the impulse of an earlier step, which may have been longer.
            let is_solved =
                tie.bodies.iter().any(|&body| bodies.hot(body).is_dynamic() && bodies.is_awake(body))
                    && tie.is_active(bodies);
            if !is_solved {
                return false;
            }
            let [force, torque] = joint.breaking;
            tie.impulse.norm() > force * dt || tie.torque.norm() > torque * dt
        })
    }

    /// Sets what drives a coordinate: `None` for nothing. Friction stays.
    ///
    /// # Errors
    /// An unknown joint, a coordinate that its kind holds or has not, a motor that is refused.
    pub fn set_motor(
        &mut self,
        handle: JointHandle,
        axis: JointAxis,
        motor: Option<Motor>,
        graph: &mut ContactGraph,
    ) -> Result<(), JointError> {
        self.change(handle, axis, "motor there", graph, |drive, _| {
            *drive = Motor::drive(motor, drive.friction);
        })
    }

    /// Sets the dry friction of a coordinate, N or N·m.
    ///
    /// # Errors
    /// As [`Joints::set_motor`].
    pub fn set_friction(
        &mut self,
        handle: JointHandle,
        axis: JointAxis,
        friction: Real,
        graph: &mut ContactGraph,
    ) -> Result<(), JointError> {
        self.change(handle, axis, "friction there", graph, |drive, _| drive.friction = friction)
    }

    /// Sets the limits of a coordinate, m or rad.
    ///
    /// # Errors
    /// As [`Joints::set_motor`].
    pub fn set_limits(
        &mut self,
        handle: JointHandle,
        axis: JointAxis,
        [lower, upper]: [Real; 2],
        graph: &mut ContactGraph,
    ) -> Result<(), JointError> {
        self.change(handle, axis, "limits there", graph, |_, limits| *limits = [lower, upper])
    }

    fn change(
        &mut self,
        handle: JointHandle,
        axis: JointAxis,
        what: &'static str,
        graph: &mut ContactGraph,
        change: impl FnOnce(&mut TieDrive, &mut [Real; 2]),
    ) -> Result<(), JointError> {
        let joint = self.get(handle)?;
        if !joint.kind.has(axis) {
            return Err(JointError::HasNo { kind: joint.kind, what });
        }
        let changed = graph.change_tie(joint.edge, |tie| {
            let before = *tie;
            let own = &mut tie.axes[axis as usize];
            let mut limits = [own.lower, own.upper];
            change(&mut own.drive, &mut limits);
            [own.lower, own.upper] = limits;
            tie.memory.release(axis as usize);
            tie.validate().inspect_err(|_| *tie = before)
        });
        Ok(changed.ok_or(JointError::UnknownJoint(handle))??)
    }
}
