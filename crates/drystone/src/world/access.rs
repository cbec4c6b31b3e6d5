//! Reading a world: bodies, contacts, events, state hash.

use super::World;
use crate::WorldError;
use drystone_contact::{BodyHandle, BodyIndex, BodyKind, ColliderHandle, Composite, NO_ISLAND, NO_LEVEL};
use drystone_math::{Pose, Position, Real, StateHasher, Vector3, widen};

/// A body, to read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyRef {
    /// Its handle.
    pub handle: BodyHandle,
    /// How it moves.
    pub kind: BodyKind,
    /// Pose of its own origin.
    pub pose: Pose,
    /// Centre of mass, m, world.
    pub center: Position,
    /// Velocity of the centre of mass, m/s.
    pub linear_velocity: Vector3,
    /// Angular velocity, rad/s, world.
    pub angular_velocity: Vector3,
    /// True for a dynamic body that is asleep.
    pub is_asleep: bool,
    /// False when it was taken out of the simulation by [`World::set_active`].
    pub is_active: bool,
    /// True when its state turned non-finite and it was taken out.
    pub is_quarantined: bool,
    /// Mass, kg; 0 when not dynamic.
    pub mass: Real,
    /// Largest distance of its surface from the centre of mass, m.
    pub radius: Real,
    /// Island it belongs to; `None` when it cannot move.
    pub island: Option<u32>,
    /// What the user attached.
    pub user_data: u64,
}

/// A contact point, to read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactRef {
    /// Bodies A and B.
    pub bodies: [BodyHandle; 2],
    /// Colliders of A and B.
    pub colliders: [ColliderHandle; 2],
    /// Where, m, world: the middle between both surfaces, where they are now; where contacts can move one of the bodies alone, on the surface of that one.
    pub point: Position,
    /// Unit normal from A to B.
    pub normal: Vector3,
    /// Signed gap along the normal, m; negative when overlapping.
    pub distance: Real,
    /// Impulse on B, N·s, of the last step in which one of the bodies was awake.
    pub impulse: Vector3,
    /// Mean force on B in that step, N.
    pub force: Vector3,
}

impl World {
    /// Pose of a body's own origin.
    ///
    /// # Errors
    /// An unknown body.
    pub fn pose(&self, handle: BodyHandle) -> Result<Pose, WorldError> {
        Ok(self.bodies.origin_pose(self.bodies.index(handle)?))
    }

    /// Velocity of a body's centre of mass (m/s) and angular velocity (rad/s).
    ///
    /// # Errors
    /// An unknown body.
    pub fn velocity(&self, handle: BodyHandle) -> Result<(Vector3, Vector3), WorldError> {
        let hot = self.bodies.hot(self.bodies.index(handle)?);
        Ok((hot.linear, hot.angular))
    }

    /// All facts of a body.
    ///
    /// # Errors
    /// An unknown body.
    pub fn body(&self, handle: BodyHandle) -> Result<BodyRef, WorldError> {
        Ok(self.body_at(handle, self.bodies.index(handle)?))
    }

    /// Steps of a body from what cannot move, 1 for what rests on that; `None` when nothing fixed carries it. The first question after contacts began
    /// or ended finds the levels of all bodies: O(contacts), with memory of its own.
    ///
    /// # Errors
    /// An unknown body.
    pub fn level(&self, handle: BodyHandle) -> Result<Option<u32>, WorldError> {
        let level = self.graph.level(self.carrier(self.bodies.index(handle)?));
        Ok((level != NO_LEVEL).then_some(level))
    }

    /// All bodies, in the order of their slots; those of composites beside their members.
    pub fn bodies(&self) -> impl Iterator<Item = BodyRef> + '_ {
        self.bodies.indices().filter_map(|i| self.bodies.handle(i).map(|h| self.body_at(h, i)))
    }

    /// Bodies that move or may begin to: awake ones and kinematic ones with a velocity, in the order of their slots; each composite is
    /// followed by its members. Costs what is awake. What moved in the last step is more than that: see [`World::moved_bodies`].
    ///
    /// ```
    /// use drystone::math::Vector3;
    /// use drystone::{BodySpec, ColliderSpec, Shape, World, WorldConfig};
    /// let mut world = World::new(WorldConfig::default())?;
    /// let ball = || ColliderSpec::new(Shape::sphere(0.1).expect("positive"));
    /// world.add_body(BodySpec::fixed().collider(ball()))?;
    /// let mover = world.add_body(BodySpec::kinematic().linear_velocity(Vector3::x()).collider(ball()))?;
    /// let faller = world.add_body(BodySpec::dynamic().collider(ball()))?;
    /// assert_eq!(world.awake_bodies().collect::<Vec<_>>(), [mover, faller]);
    /// # Ok::<(), drystone::WorldError>(())
    /// ```
    pub fn awake_bodies(&self) -> impl Iterator<Item = BodyHandle> + '_ {
        self.bodies.view().awake.iter().flat_map(move |index| self.with_members(BodyIndex(index)))
    }

    /// Bodies that may be elsewhere, or sleep otherwise, than before the last step: those of [`World::awake_bodies`]; those that fell asleep in it, among them
    /// what woke, was displaced and fell asleep again within the step; and what was added or changed from outside since. Each once, a composite followed by its
    /// members. For what copies poses out after every step: all others are where they were. Costs as many.
    ///
    /// ```
    /// use drystone::math::Pose;
    /// use drystone::{BodySpec, ColliderSpec, Shape, World, WorldConfig};
    /// let mut world = World::new(WorldConfig::default())?;
    /// let ground = ColliderSpec::new(Shape::half_space([0.0, 1.0, 0.0].into())?);
    /// let ball = ColliderSpec::new(Shape::sphere(0.1)?);
    /// world.add_body(BodySpec::fixed().collider(ground))?;
    /// let body = world.add_body(BodySpec::dynamic().pose(Pose::at(0.0, 0.2, 0.0)).collider(ball))?;
    /// let mut shown = world.pose(body)?;
    /// for _ in 0..300 {
    ///     world.step(1.0 / 60.0)?;
    ///     for moved in world.moved_bodies().filter(|&moved| moved == body) {
    ///         shown = world.pose(moved)?;
    ///     }
    /// }
    /// assert!(world.body(body)?.is_asleep && shown == world.pose(body)?, "the last way to rest is not left out");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn moved_bodies(&self) -> impl Iterator<Item = BodyHandle> + '_ {
        // What falls asleep is disturbed, so that its boxes and contacts follow once more. Members of composites come with what carries them.
        let is_left = move |&index: &BodyIndex| !self.bodies.is_awake(index) && self.carrier(index) == index;
        let others = self.disturbed.list().iter().copied().filter(is_left);
        self.awake_bodies().chain(others.flat_map(move |index| self.with_members(index)))
    }

    /// A body, and its members where it is that of a composite.
    fn with_members(&self, index: BodyIndex) -> impl Iterator<Item = BodyHandle> + '_ {
        let members = self.carried_by(index).map_or(&[][..], Composite::members);
        self.bodies.handle(index).into_iter().chain(members.iter().copied())
    }

    /// All contact points, sleepers' included, in the order of their edges.
    pub fn contacts(&self) -> impl Iterator<Item = ContactRef> + '_ {
        self.graph.edge_indices().flat_map(move |index| {
            let edge = self.graph.edge(index);
            let manifold = &edge.manifold;
            let handles = edge.owners().map(|b| self.bodies.handle(b));
            let ends = [manifold.body_a, manifold.body_b];
            let is_dynamic = ends.map(|body| self.bodies.hot(body).is_dynamic());
            let centers = ends.map(|body| self.bodies.center_pose(body).translation);
            let dt = self.solved.length(ends, self.last_dt);
            manifold.points().iter().filter_map(move |point| {
                let [Some(a), Some(b)] = handles else { return None };
                let seen = [centers[0] + widen(&point.arm_a), centers[1] + widen(&point.arm_b)];
                let at = match is_dynamic {
                    // Both may have gone on since the point was found, each with its own surface.
                    [true, true] => seen[0] + (seen[1] - seen[0]) * 0.5,
                    // From the side whose arm is short: half-spaces have their origin anywhere.
                    [true, false] => seen[0],
                    _ => seen[1],
                };
                Some(ContactRef {
                    bodies: [a, b],
                    colliders: edge.colliders(),
                    point: at,
                    normal: manifold.normal,
                    distance: point.distance,
                    impulse: point.impulse,
                    force: point.impulse / dt,
                })
            })
        })
    }

    /// Kinetic energy of all active bodies, J.
    pub fn kinetic_energy(&self) -> f64 {
        let active = self.bodies.indices().filter(|&i| !self.bodies.hot(i).is_passive());
        active.map(|i| self.bodies.kinetic_energy(i)).sum()
    }

    /// A hash of the state of all bodies: equal worlds hash equal on every machine and at any number of
    /// threads.
    pub fn state_hash(&self) -> u64 {
        let mut hasher = StateHasher::new();
        hasher.write_u64(self.step_index);
        for index in self.bodies.indices() {
            let (pose, hot) = (self.bodies.center_pose(index), self.bodies.hot(index));
            hasher.write_u64(u64::from(index.0) << 1 | u64::from(self.bodies.is_awake(index)));
            pose.translation.iter().for_each(|&c| hasher.write_f64(c));
            pose.rotation.coords.iter().for_each(|&c| hasher.write_f32(c));
            let remainder = self.bodies.turn_remainder(index);
            if hot.is_passive() {
                hasher.write_u64(u64::MAX);
            }
            let vectors = [&hot.linear, &hot.angular, &remainder.rotation, &remainder.angular];
            vectors.into_iter().flat_map(|v| v.iter()).for_each(|&c| hasher.write_f32(c));
            if remainder.held != Vector3::zeros() {
                remainder.held.iter().for_each(|&c| hasher.write_f32(c));
            }
        }
        hasher.finish()
    }

    fn body_at(&self, handle: BodyHandle, index: BodyIndex) -> BodyRef {
        // A member of a composite is what that is.
        let carrier = self.carrier(index);
        let hot = self.bodies.hot(carrier);
        let island = self.graph.island_of(carrier);
        BodyRef {
            handle,
            kind: hot.kind(),
            pose: self.bodies.origin_pose(index),
            center: self.bodies.center_pose(index).translation,
            linear_velocity: self.bodies.hot(index).linear,
            angular_velocity: self.bodies.hot(index).angular,
            is_asleep: self.bodies.is_asleep(carrier),
            is_active: !hot.is_passive(),
            is_quarantined: hot.is_quarantined(),
            mass: self.bodies.mass(index),
            radius: self.bodies.radius(index),
            island: (island != NO_ISLAND).then_some(island.0),
            user_data: self.bodies.user_data(index),
        }
    }
}
