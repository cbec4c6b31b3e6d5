//! Composites: bodies fastened to each other, made and broken while the world runs (S3-01 C).
//!
//! A composite moves as one body, its carrier: a body of its own with the members' mass, that moves their colliders. Members keep
//! their handles and follow it; colliders keep theirs, and events, contacts and rules go on naming members and their colliders.
//! Edges of the contact graph are handed over with their touches and impulses, so that what a member touches outside neither ends nor begins.

use super::World;
use crate::WorldError;
use drystone_contact::{
    BodyHandle, BodyIndex, Composite, CompositeHandle, ContactError, ContainerRole, joined,
};
use drystone_math::{Position, RelativePose, Vector3, is_finite, narrow};

/// Bodies that a composite has at least.
const LEAST_MEMBERS: usize = 2;

impl World {
    /// Fastens bodies to each other where they are: from now on they move as one, and do not meet each other. Linear and angular
    /// momentum stay what they were, energy is lost where they moved differently. Touches between members end with the next
    /// step, those with others go on.
    ///
    /// The composite has a body of its own ([`Composite::body`]), which has pose, velocity, forces and sleep of the whole and counts in
    /// reports; its damping and factor on gravity are the means by mass of the members', and it is locked where a member is.
    /// What is done to a member is done to the whole: [`World::set_pose`] takes all to where this one is to be, [`World::set_velocity`]
    /// gives all the motion in which this one has that velocity, forces and impulses act at its centre of mass.
    /// [`World::remove_body`] takes a member away and leaves the others their motion; when one is left, that is free.
    ///
    /// ```
    /// use drystone::math::{Pose, Vector3};
    /// use drystone::{BodySpec, ColliderSpec, Shape, World, WorldConfig};
    /// let mut world = World::new(WorldConfig { gravity: Vector3::zeros(), ..WorldConfig::default() })?;
    /// let ball = || ColliderSpec::new(Shape::sphere(0.1).expect("positive"));
    /// let at = |x: f64| BodySpec::dynamic().pose(Pose::at(x, 0.0, 0.0)).collider(ball());
    /// let [left, right] = [world.add_body(at(-0.2).linear_velocity(Vector3::y()))?, world.add_body(at(0.2))?];
    /// let dumbbell = world.fasten(&[left, right])?;
    /// let (linear, angular) = world.velocity(world.composite(dumbbell)?.body())?;
    /// assert!((linear.y - 0.5).abs() < 1e-6 && angular.z < -1.0, "it flies on and turns");
    /// world.step(1.0 / 60.0)?;
    /// assert!(((world.pose(right)?.translation - world.pose(left)?.translation).norm() - 0.4).abs() < 1e-6);
    /// world.unfasten(dumbbell)?;
    /// assert!((world.velocity(left)?.0 + world.velocity(right)?.0 - Vector3::y()).norm() < 1e-5);
    /// # Ok::<(), drystone::WorldError>(())
    /// ```
    ///
    /// # Errors
    /// Fewer than two bodies, or one that is unknown, in quarantine, fixed or kinematic, passive, named twice, or in a composite or
    /// multibody already; masses, distances, or forces for the next step whose sums are not finite.
    pub fn fasten(&mut self, members: &[BodyHandle]) -> Result<CompositeHandle, WorldError> {
        members.iter().try_for_each(|&member| self.free_index(member).map(drop))?;
        let indices = self.containers.check(&self.bodies, members, "composite", LEAST_MEMBERS)?;
        self.refuse_joined(members)?;
        let whole = joined(&self.bodies, &indices)?;
        let [force, torque] = self.forces_of(&indices, &whole.pose.translation)?;
        let body = self.bodies.add(&whole)?;
        let index = self.bodies.index(body)?;
        let handle = match self.containers.add_composite(&self.bodies, body, members) {
            Ok(handle) => handle,
            Err(error) => {
                self.bodies.remove(body)?;
                return Err(error.into());
            }
        };
        self.graph.add_body(&self.bodies, index);
        self.sleepy.forget(index);
        for &member in &indices {
            let local = self.containers.composite(handle)?.local(member);
            self.carry(member, [member, index], &indices, &local);
            self.bodies.set_passive(member, true);
        }
        if (force, torque) != (Vector3::zeros(), Vector3::zeros()) {
            self.bodies.add_force(body, force, torque)?;
        }
        self.follow_composite(handle)?;
        self.disturb(index);
        self.wake_neighbours(index);
        Ok(handle)
    }

    /// Force and torque for the next step of bodies together, about a common centre.
    fn forces_of(&self, members: &[BodyIndex], center: &Position) -> Result<[Vector3; 2], WorldError> {
        let (mut force, mut torque) = (Vector3::zeros(), Vector3::zeros());
        for &member in members {
            let (own_force, own_torque) = self.bodies.force(member);
            let arm = narrow(&(self.bodies.center_pose(member).translation - center));
            force += own_force;
            torque += own_torque + arm.cross(&own_force);
        }
        for (field, value) in [("force", force), ("torque", torque)] {
            if !is_finite(&value) {
                let value = [value.x, value.y, value.z].map(f64::from);
                return Err(ContactError::NotFinite { field, value }.into());
            }
        }
        Ok([force, torque])
    }

    /// Breaks a composite: its members go on with the velocity that they have in it, `v + ω × r` and `ω`, which keeps linear and angular
    /// momentum and energy. They may meet each other again from the next step on. Broken while passive, they are passive each; in
    /// quarantine, they stay there.
    ///
    /// # Errors
    /// An unknown composite.
    pub fn unfasten(&mut self, handle: CompositeHandle) -> Result<(), WorldError> {
        let composite = self.containers.composite(handle)?.clone();
        let shares: Vec<_> = composite.shares(&self.bodies).collect();
        for (member, _) in composite.fastened() {
            self.release(&composite, member)?;
        }
        let is_acting = !self.bodies.hot(composite.index()).is_passive();
        self.containers.remove_composite(handle)?;
        self.graph.remove_body(&self.bodies, composite.index(), |_| ());
        self.bodies.remove(composite.body())?;
        for (member, [force, torque]) in shares {
            // A share beyond what a number holds is none.
            let is_force = is_finite(&force) && is_finite(&torque);
            if is_acting && is_force && (force, torque) != (Vector3::zeros(), Vector3::zeros()) {
                self.bodies.add_force(member, force, torque)?;
            }
        }
        Ok(())
    }

    /// A composite: its body and its members.
    ///
    /// # Errors
    /// An unknown composite.
    pub fn composite(&self, handle: CompositeHandle) -> Result<&Composite, WorldError> {
        Ok(self.containers.composite(handle)?)
    }

    /// All composites, by number.
    pub fn composites(&self) -> impl Iterator<Item = (CompositeHandle, &Composite)> + '_ {
        self.containers.composites()
    }

    /// The composite that a body is a member of, or the body of; `None` for one by itself.
    ///
    /// # Errors
    /// An unknown body.
    pub fn composite_of(&self, handle: BodyHandle) -> Result<Option<CompositeHandle>, WorldError> {
        Ok(match self.containers.role(self.bodies.index(handle)?) {
            Some(ContainerRole::Carrier(composite) | ContainerRole::Member(composite)) => Some(composite),
            Some(ContainerRole::Link(_)) | None => None,
        })
    }

    /// After a step: members are where their composites are. Costs the members of those that are awake.
    pub(crate) fn follow_composites(&mut self) {
        for composite in self.containers.composites_mut() {
            let has_moved = composite.follow_step(&mut self.bodies);
            if has_moved && self.bodies.hot(composite.index()).is_quarantined() {
                self.report.quarantined.extend(composite.members());
            }
        }
    }

    /// The body that moves a body: itself, or that of its composite.
    pub(crate) fn carrier(&self, body: BodyIndex) -> BodyIndex {
        match self.containers.role(body) {
            Some(ContainerRole::Member(handle)) => {
                self.containers.composite(handle).map_or(body, Composite::index)
            }
            _ => body,
        }
    }

    /// The composite that a body is the body of; `None` for members and others.
    pub(super) fn carried_by(&self, body: BodyIndex) -> Option<&Composite> {
        match self.containers.role(body) {
            Some(ContainerRole::Carrier(handle)) => self.containers.composite(handle).ok(),
            _ => None,
        }
    }

    /// The composite of a member; `None` for others, the bodies of composites included.
    pub(super) fn fastened_to(&self, body: BodyIndex) -> Option<(CompositeHandle, &Composite)> {
        match self.containers.role(body) {
            Some(ContainerRole::Member(handle)) => {
                self.containers.composite(handle).ok().map(|composite| (handle, composite))
            }
            _ => None,
        }
    }

    /// A body was changed from outside: where it is that of a composite, or a member, the members follow.
    pub(super) fn follow_change(&mut self, body: BodyIndex) -> Result<(), WorldError> {
        match self.containers.role(body) {
            Some(ContainerRole::Carrier(handle) | ContainerRole::Member(handle)) => {
                self.follow_composite(handle)
            }
            Some(ContainerRole::Link(_)) | None => Ok(()),
        }
    }

    /// `Ok` for a body that exists and is not that of a composite.
    pub(super) fn refuse_carrier(&self, handle: BodyHandle) -> Result<(), WorldError> {
        match self.containers.role(self.bodies.index(handle)?) {
            Some(role @ ContainerRole::Carrier(_)) => {
                Err(ContactError::InContainer { body: handle, role: role.name() }.into())
            }
            _ => Ok(()),
        }
    }

    /// Before a member is removed: it leaves its composite, of which it takes its share of mass and momentum; what is left moves on as it did.
    pub(super) fn loosen(&mut self, member: BodyIndex) -> Result<(), WorldError> {
        let Some((handle, composite)) = self.fastened_to(member) else { return Ok(()) };
        let left: Vec<BodyIndex> =
            composite.fastened().map(|(other, _)| other).filter(|&other| other != member).collect();
        // What is left may be too light, too far apart or too fast to be a body.
        let is_body = joined(&self.bodies, &left).is_ok_and(|desc| desc.validate().is_ok());
        if left.len() < LEAST_MEMBERS || !is_body {
            return self.unfasten(handle);
        }
        let composite = composite.clone();
        self.release(&composite, member)?;
        let carrier = composite.index();
        let composite = self.containers.remove_member(handle, member)?;
        if self.bodies.hot(carrier).is_quarantined() {
            return Ok(());
        }
        let way = composite.refit(&mut self.bodies)?;
        self.graph.shift_center(carrier, &way);
        for (other, local) in composite.fastened() {
            self.colliders.set_local(other, carrier, &local);
        }
        // The torque of a force that waits for the next step is about the new centre.
        let (force, body) = (self.bodies.force(carrier).0, composite.body());
        let torque = -way.cross(&force);
        if torque != Vector3::zeros() && is_finite(&torque) {
            self.bodies.add_force(body, Vector3::zeros(), torque)?;
        }
        self.disturb(carrier);
        self.wake_neighbours(carrier);
        self.follow_composite(handle)
    }

    fn follow_composite(&mut self, handle: CompositeHandle) -> Result<(), WorldError> {
        self.containers.composite_mut(handle)?.follow(&mut self.bodies);
        Ok(())
    }

    /// A member moves by itself again.
    fn release(&mut self, composite: &Composite, member: BodyIndex) -> Result<(), WorldError> {
        let carrier = composite.index();
        let hot = *self.bodies.hot(carrier);
        self.bodies.forget_motion(member);
        // Before edges are handed over, which are those of an awake body then.
        if hot.is_quarantined() {
            let pose = *self.bodies.center_pose(member);
            self.bodies.set_passive(member, false);
            self.bodies.quarantine(member, pose);
        } else if !hot.is_passive() {
            self.bodies.set_passive(member, false);
        }
        self.carry(member, [carrier, member], &[], &RelativePose::IDENTITY);
        self.disturb(member);
        self.wake_neighbours(member);
        Ok(())
    }

    /// Hands colliders of `member` and their edges over from one body to another; edges between `fellows` are left to the broad phase,
    /// which ends them.
    fn carry(
        &mut self,
        member: BodyIndex,
        [from, to]: [BodyIndex; 2],
        fellows: &[BodyIndex],
        local: &RelativePose,
    ) {
        let (bodies, contacts) = (&self.bodies, &mut self.contacts);
        self.colliders.carry(member, [from, to], local);
        let mut carried = Vec::new();
        let is_carried = |edge: &drystone_contact::Edge| {
            let side = usize::from(edge.manifold.body_a != from);
            edge.owners()[side] == member && !fellows.contains(&edge.other(from))
        };
        self.graph.carry_edges(bodies, [from, to], is_carried, |edge| carried.push(edge));
        for edge in carried {
            let is_awake = bodies.is_awake(to) || bodies.is_awake(self.graph.edge(edge).other(to));
            contacts.reopen(edge, is_awake);
        }
    }
}
