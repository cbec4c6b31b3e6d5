//! Reading a world: bodies, contacts, events, state hash.

use super::PlanarWorld;
use crate::frame::widen;
use crate::{PlanarError, PlanarPose, Position2, Vector2};
use drystone_contact::{BodyHandle, BodyKind, ColliderHandle, TouchEvent};
use drystone_math::{Real, StateHasher};

/// A body of the plane, to read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanarBodyRef {
    /// Its handle.
    pub handle: BodyHandle,
    /// How it moves.
    pub kind: BodyKind,
    /// Pose of its own origin.
    pub pose: PlanarPose,
    /// Centre of mass, m, world.
    pub center: Position2,
    /// Velocity of the centre of mass, m/s.
    pub linear: Vector2,
    /// Angular velocity, rad/s.
    pub angular: Real,
    /// True for a dynamic body that is asleep.
    pub is_asleep: bool,
    /// True when its state turned non-finite and it was taken out.
    pub is_quarantined: bool,
    /// Mass, kg; 0 when not dynamic.
    pub mass: Real,
    /// Moment of inertia about the centre of mass, kg·m²; 0 when not dynamic.
    pub inertia: Real,
    /// Largest distance of its surface from the centre of mass, m.
    pub radius: Real,
    /// What the user attached.
    pub user_data: u64,
}

/// A contact point of the plane, to read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanarContactRef {
    /// Bodies A and B.
    pub bodies: [BodyHandle; 2],
    /// Colliders of A and B.
    pub colliders: [ColliderHandle; 2],
    /// Where, m, world: the middle between both surfaces at the start of the step.
    pub point: Position2,
    /// Unit normal from A to B.
    pub normal: Vector2,
    /// Signed gap along the normal at the start of the step, m; negative when overlapping.
    pub distance: Real,
    /// Impulse of the last step on B, N·s, as this point's share of what the contact gave.
    pub impulse: Vector2,
}

/// A square of the partition.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PartitionCell {
    /// Its centre, m, world.
    pub center: Position2,
    /// Half of its edge, m.
    pub half: f64,
    /// Whose it is, from 0 on.
    pub worker: u16,
}

impl PlanarWorld {
    /// Pose of a body's own origin.
    ///
    /// # Errors
    /// An unknown body.
    pub fn pose(&self, handle: BodyHandle) -> Result<PlanarPose, PlanarError> {
        Ok(self.bodies.origin(self.index(handle)?))
    }

    /// Velocity of a body's centre of mass (m/s) and angular velocity (rad/s).
    ///
    /// # Errors
    /// An unknown body.
    pub fn velocity(&self, handle: BodyHandle) -> Result<(Vector2, Real), PlanarError> {
        let row = &self.bodies.rows[self.index(handle)? as usize];
        Ok((Vector2::new(row[0], row[1]), row[2]))
    }

    /// All facts of a body.
    ///
    /// # Errors
    /// An unknown body.
    pub fn body(&self, handle: BodyHandle) -> Result<PlanarBodyRef, PlanarError> {
        self.index(handle)?;
        Ok(self.body_at(handle))
    }

    /// All bodies, in the order of their slots.
    pub fn bodies(&self) -> impl Iterator<Item = PlanarBodyRef> + '_ {
        let own = self.bodies.slots.iter().filter(|&(index, _)| index != 0);
        own.map(|(index, generation)| self.body_at(BodyHandle { index, generation }))
    }

    /// All contact points, sleepers' included, in the order of their contacts.
    pub fn contacts(&self) -> impl Iterator<Item = PlanarContactRef> + '_ {
        let linked = self.contacts.list.iter().zip(&self.contacts.state);
        let linked = linked.filter(|(c, state)| c.is_linked && **state != crate::contacts::State::Free);
        linked.flat_map(move |(contact, _)| {
            let bodies = contact.bodies.map(|b| self.bodies.handle(b));
            let colliders = contact.colliders.map(|c| self.colliders.handle(c));
            let manifold = &contact.manifold;
            let pressed: Real = contact.normal_impulse.iter().sum();
            let count = manifold.points().len();
            manifold.points().iter().enumerate().filter_map(move |(i, point)| {
                let ([Some(a), Some(b)], [Some(c), Some(d)]) = (bodies, colliders) else { return None };
                let even = 1.0 / count as Real;
                let share = if pressed > 0.0 { contact.normal_impulse[i] / pressed } else { even };
                Some(PlanarContactRef {
                    bodies: [a, b],
                    colliders: [c, d],
                    point: self.bodies.start[contact.bodies[0] as usize] + widen(&point.arm_a),
                    normal: manifold.normal,
                    distance: point.distance,
                    impulse: contact.impulse() * share,
                })
            })
        })
    }

    /// The squares among which the tree is cut, each one worker's; none when it is not cut. They are those of loose cells: what
    /// belongs to one may stick out by half of its edge.
    pub fn partition_cells(&self) -> impl Iterator<Item = PartitionCell> + '_ {
        let cells = self.partition.is_cut().then(|| self.partition.cells(&self.tree));
        cells.into_iter().flatten().map(|(center, half, worker)| PartitionCell { center, half, worker })
    }

    /// Who works on a body's first collider: workers from 0 on; `None` for the master, and where the tree is not cut.
    ///
    /// # Errors
    /// An unknown body.
    pub fn worker_of(&self, handle: BodyHandle) -> Result<Option<u16>, PlanarError> {
        let first = self.bodies.facts[self.index(handle)? as usize].first_collider;
        let is_placed = self.partition.is_cut()
            && first != crate::bodies::NONE
            && self.boxes[first as usize] != crate::Box2::EMPTY;
        let worker = is_placed.then(|| self.tree.owner(first));
        Ok(worker.filter(|&worker| worker != self.partition.master()))
    }

    /// Touch events of the last step, sorted by colliders.
    pub fn events(&self) -> &[TouchEvent] {
        &self.events
    }

    /// Kinetic energy of all bodies, J.
    pub fn kinetic_energy(&self) -> f64 {
        (1..self.bodies.rows.len() as u32).map(|body| self.bodies.kinetic_energy(body)).sum()
    }

    /// A hash of the state of all bodies: equal worlds hash equal on every machine, at any number of threads and
    /// partitions.
    pub fn state_hash(&self) -> u64 {
        let mut hasher = StateHasher::new();
        hasher.write_u64(self.step_index);
        for (index, _) in self.bodies.slots.iter() {
            let (pose, row) = (&self.bodies.pose[index as usize], &self.bodies.rows[index as usize]);
            hasher.write_u64(u64::from(index) << 1 | u64::from(self.bodies.is_awake(index)));
            hasher.write_f64(pose.translation.x);
            hasher.write_f64(pose.translation.y);
            [pose.turn.cos, pose.turn.sin, row[0], row[1], row[2]]
                .into_iter()
                .for_each(|c| hasher.write_f32(c));
        }
        hasher.finish()
    }

    fn body_at(&self, handle: BodyHandle) -> PlanarBodyRef {
        let body = handle.index as usize;
        let (facts, row) = (&self.bodies.facts[body], &self.bodies.rows[body]);
        PlanarBodyRef {
            handle,
            kind: facts.kind,
            pose: self.bodies.origin(handle.index),
            center: self.bodies.pose[body].translation,
            linear: Vector2::new(row[0], row[1]),
            angular: row[2],
            is_asleep: self.bodies.is_asleep(handle.index),
            is_quarantined: facts.is_quarantined,
            mass: facts.mass.mass,
            inertia: facts.mass.inertia,
            radius: facts.reach,
            user_data: facts.user_data,
        }
    }
}
