//! Joints by handle.

use crate::presets::steered;
use crate::{CouplingSpec, JointAxis, JointError, JointKind, JointSpec, Motor};
use drystone_contact::{
    AxisDrive, Bodies, BodyHandle, ContactError, ContactGraph, EdgeIndex, JointConstraint, JointHandle, Slots,
};
use drystone_math::{Real, Rotation};
use std::collections::BTreeMap;

/// What a joint couples ([`CouplingSpec`]).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coupled {
    /// The two joints.
    pub joints: [JointHandle; 2],
    /// Their coordinates.
    pub axes: [JointAxis; 2],
    /// What they are multiplied with.
    pub factors: [Real; 2],
}

/// A joint of [`Joints`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Joint {
    kind: JointKind,
    bodies: [BodyHandle; 2],
    edge: EdgeIndex,
    breaking: [Real; 2],
    collides: bool,
    coupled: Option<Coupled>,
    /// Of a wheel: its frame on A when it goes straight on, and the angle that it is steered by, rad.
    steering: Option<(Rotation, Real)>,
}

impl Joint {
    const NONE: Self = Self {
        kind: JointKind::Fixed,
        bodies: [BodyHandle { index: 0, generation: 0 }; 2],
        edge: EdgeIndex(u32::MAX),
        breaking: [Real::INFINITY; 2],
        collides: false,
        coupled: None,
        steering: None,
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

    /// What it couples, of a kind that does.
    pub fn coupled(&self) -> Option<&Coupled> {
        self.coupled.as_ref()
    }

    /// Angle by which a wheel is steered, rad; 0 for other kinds.
    pub fn steering(&self) -> Real {
        self.steering.map_or(0.0, |(_, angle)| angle)
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
    /// Joints that couple others.
    couplings: Vec<JointHandle>,
}

impl drystone_math::Carried for Joints {
    fn copy_from(&mut self, source: &Self) {
        let Self { slots, list, brittle, by_edge, couplings } = source;
        self.slots.copy_from(slots);
        self.list.copy_from(list);
        self.brittle.copy_from(brittle);
        self.couplings.copy_from(couplings);
        if self.by_edge != *by_edge {
            self.by_edge.clone_from(by_edge);
        }
    }

    fn heap_bytes(&self) -> usize {
        self.slots.heap_bytes()
            + self.list.heap_bytes()
            + self.brittle.heap_bytes()
            + self.couplings.heap_bytes()
            + self.by_edge.len() * size_of::<(EdgeIndex, JointHandle)>()
    }
}

impl Joints {
    /// Adds a joint between bodies of the graph. Islands follow with [`ContactGraph::update_islands`].
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
        let is_wheel = spec.kind() == JointKind::Wheel;
        let joint = Joint {
            kind: spec.kind(),
            bodies: spec.bodies(),
            breaking: spec.breaking,
            collides: spec.collides,
            steering: is_wheel.then_some((tie.frames[0], spec.steering)),
            ..Joint::NONE
        };
        let handle = self.put(joint, tie, bodies, graph)?;
        if is_wheel {
            self.set_steering(handle, spec.steering, graph)?;
        }
        Ok(handle)
    }

    /// Adds a joint that couples coordinates of two others, which have a row of their own for it from now on.
    ///
    /// # Errors
    /// An unknown joint, a coordinate that cannot be coupled ([`JointError::CannotCouple`]), a factor that is no number or not 1e-9 to 1e9 in size.
    pub fn add_coupling(
        &mut self,
        spec: &CouplingSpec,
        bodies: &Bodies,
        graph: &mut ContactGraph,
    ) -> Result<JointHandle, JointError> {
        let joints = spec.joints();
        let [first, second] = [*self.get(joints[0])?, *self.get(joints[1])?];
        let tie = spec.tie([&first, &second], bodies, graph)?;
        let coupled = Coupled { joints, axes: spec.axes(), factors: spec.factors() };
        let [Some(a), Some(b)] = tie.bodies.map(|body| bodies.handle(body)) else {
            return Err(JointError::UnknownJoint(joints[0]));
        };
        let joint = Joint {
            kind: spec.kind(),
            bodies: [a, b],
            breaking: spec.breaking,
            collides: spec.collides,
            coupled: Some(coupled),
            ..Joint::NONE
        };
        let handle = self.put(joint, tie, bodies, graph)?;
        self.couplings.push(handle);
        joints.into_iter().for_each(|joint| self.mark_coupled(joint, graph));
        Ok(handle)
    }

    fn put(
        &mut self,
        joint: Joint,
        tie: JointConstraint,
        bodies: &Bodies,
        graph: &mut ContactGraph,
    ) -> Result<JointHandle, JointError> {
        let edge = graph.add_tie(bodies, tie)?;
        let Some((index, generation)) = self.slots.take() else {
            graph.remove_edge(bodies, edge);
            return Err(ContactError::Full("joints").into());
        };
        let handle = JointHandle { index, generation };
        let joint = Joint { edge, ..joint };
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

    /// Tells the tie of a joint which of its coordinates couplings are about.
    fn mark_coupled(&self, handle: JointHandle, graph: &mut ContactGraph) {
        let Ok(joint) = self.get(handle) else { return };
        let own = graph.tie(joint.edge).and_then(|tie| tie.coupling).filter(|own| own.edges.is_none());
        let own = own.map_or(0, |own| own.axes.iter().fold(0, |bits, axis| bits | 1 << axis));
        let others = self.couplings.iter().filter_map(|&coupling| self.get(coupling).ok()?.coupled);
        let bits = others
            .flat_map(|coupled| [0, 1].map(|k: usize| (coupled.joints[k], coupled.axes[k])))
            .filter(|(joint, _)| *joint == handle)
            .fold(own, |bits, (_, axis)| bits | 1 << axis as usize);
        // It has an edge as long as it is there.
        let _ = graph.change_tie(joint.edge, |tie| tie.coupled = bits);
    }

    /// The first joint that couples this one: it goes before it does.
    pub fn coupling_of(&self, handle: JointHandle) -> Option<JointHandle> {
        self.couplings.iter().copied().find(|&coupling| {
            let coupled = self.get(coupling).ok().and_then(Joint::coupled);
            coupled.is_some_and(|coupled| coupled.joints.contains(&handle))
        })
    }

    /// Steers a wheel: turns its axle about the y axis of its frame on A by an angle from straight on, rad.
    ///
    /// # Errors
    /// An unknown joint, one that is no wheel, an angle beyond half a revolution.
    pub fn set_steering(
        &mut self,
        handle: JointHandle,
        angle: Real,
        graph: &mut ContactGraph,
    ) -> Result<(), JointError> {
        let joint = self.get(handle)?;
        let Some((straight, _)) = joint.steering else {
            return Err(JointError::HasNo { kind: joint.kind, what: "steering" });
        };
        let frame = steered(straight, angle)?;
        graph.change_tie(joint.edge, |tie| tie.frames[0] = frame).ok_or(JointError::UnknownJoint(handle))?;
        self.list[handle.index as usize].steering = Some((straight, angle));
        Ok(())
    }

    /// Removes a joint with its edge; returns what it was. What couples it must go first ([`Joints::coupling_of`]).
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
        if let Some(coupled) = joint.coupled {
            self.couplings.retain(|&own| own != handle);
            coupled.joints.into_iter().for_each(|other| self.mark_coupled(other, graph));
        }
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
        change: impl FnOnce(&mut AxisDrive, &mut [Real; 2]),
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
