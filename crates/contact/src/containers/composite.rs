//! A composite: bodies fastened to each other, carried by one that moves for all.

use super::joined::{joined, means};
use crate::error::ContactError;
use crate::{Bodies, BodyHandle, BodyIndex};
use drystone_math::{Pose, RelativePose, Vector3, narrow, widen};

/// Bodies that are fastened to each other (S3-01 C). A body of its own, the carrier, moves for them; members are passive, and follow it.
#[derive(Clone, Debug, PartialEq)]
pub struct Composite {
    body: BodyHandle,
    members: Vec<BodyHandle>,
    /// Frames of the members' centres of mass seen from the carrier's.
    locals: Vec<RelativePose>,
    /// Where the carrier was when members followed it last, and whether it was awake.
    followed: Pose,
    was_awake: bool,
}

drystone_math::carried!(Composite { part: [members, locals], value: [body, followed, was_awake] });

impl Composite {
    pub(super) fn new(bodies: &Bodies, body: BodyHandle, members: &[BodyHandle]) -> Self {
        let mut composite = Self {
            body,
            members: members.to_vec(),
            locals: Vec::new(),
            followed: Pose::IDENTITY,
            was_awake: true,
        };
        composite.find_locals(bodies);
        composite
    }

    /// The body that moves.
    pub fn body(&self) -> BodyHandle {
        self.body
    }

    /// Index of the body that moves.
    pub fn index(&self) -> BodyIndex {
        BodyIndex(self.body.index)
    }

    /// The members, in the order in which they were given.
    pub fn members(&self) -> &[BodyHandle] {
        &self.members
    }

    /// Indices of the members.
    pub fn member_indices(&self) -> impl Iterator<Item = BodyIndex> + '_ {
        self.members.iter().map(|member| BodyIndex(member.index))
    }

    /// Members with the frames of their centres of mass seen from the carrier's.
    pub fn fastened(&self) -> impl Iterator<Item = (BodyIndex, RelativePose)> + '_ {
        self.member_indices().zip(self.locals.iter().copied())
    }

    /// Frame of a member's centre of mass seen from the carrier's; its own one for who is no member.
    pub fn local(&self, member: BodyIndex) -> RelativePose {
        let found = self.fastened().find(|(own, _)| *own == member);
        found.map_or(RelativePose::IDENTITY, |(_, local)| local)
    }

    /// Velocities of a member, m/s and rad/s: `v + ω × r` and `ω`.
    pub fn velocities(&self, bodies: &Bodies, member: BodyIndex) -> [Vector3; 2] {
        let hot = bodies.hot(self.index());
        [hot.velocity_at(&self.arm(bodies, member)), hot.angular]
    }

    /// From the carrier's centre of mass to a member's, m, world axes.
    pub fn arm(&self, bodies: &Bodies, member: BodyIndex) -> Vector3 {
        bodies.center_pose(self.index()).rotation * self.local(member).translation
    }

    /// Where the carrier's centre of mass is when a member's is at `center`.
    pub fn carrier_pose(&self, member: BodyIndex, center: &Pose) -> Pose {
        let local = self.local(member);
        let rotation = center.rotation * local.rotation.inverse();
        Pose::new(center.translation - widen(&(rotation * local.translation)), rotation)
    }

    /// Members are where the carrier is, and move as it does. O(members).
    pub fn follow(&mut self, bodies: &mut Bodies) {
        let carrier = *bodies.center_pose(self.index());
        let hot = *bodies.hot(self.index());
        for (member, local) in self.members.iter().zip(&self.locals) {
            let arm = carrier.rotation * local.translation;
            bodies.place(
                BodyIndex(member.index),
                carrier.compose(local),
                [hot.velocity_at(&arm), hot.angular],
            );
        }
        (self.followed, self.was_awake) = (carrier, bodies.is_awake(self.index()));
    }

    /// The same after a step, where the carrier may have moved since the last time; true when it did anything.
    pub fn follow_step(&mut self, bodies: &mut Bodies) -> bool {
        // Correction may have displaced what slept before and sleeps again.
        let may_have_moved = self.was_awake
            || bodies.is_awake(self.index())
            || self.followed != *bodies.center_pose(self.index());
        if may_have_moved {
            self.follow(bodies);
        }
        may_have_moved
    }

    /// After members left: the carrier is what the others make together. Returns the way of its centre of mass, m, world.
    ///
    /// # Errors
    /// As [`joined`]; nothing changes.
    pub fn refit(&mut self, bodies: &mut Bodies) -> Result<Vector3, ContactError> {
        let members: Vec<BodyIndex> = self.member_indices().collect();
        let desc = joined(bodies, &members)?;
        let before = bodies.center_pose(self.index()).translation;
        bodies.redefine(self.body, &desc)?;
        self.find_locals(bodies);
        Ok(narrow(&(desc.pose.translation - before)))
    }

    /// Damping and factor on gravity of the carrier are the means by mass of the members'; it wakes.
    ///
    /// # Errors
    /// None while the carrier exists.
    pub fn refresh_means(&self, bodies: &mut Bodies) -> Result<(), ContactError> {
        let members: Vec<BodyIndex> = self.member_indices().collect();
        let [linear, angular, scale] = means(bodies, &members);
        bodies.set_damping(self.body, linear, angular)?;
        bodies.set_gravity_scale(self.body, scale)
    }

    /// Force (N) and torque about its centre of mass (N·m) on each member that together do what those on the carrier do:
    /// `mᵢ (a + α × rᵢ)` and `Iᵢ α` with the accelerations of the carrier.
    pub fn shares<'a>(&'a self, bodies: &'a Bodies) -> impl Iterator<Item = (BodyHandle, [Vector3; 2])> + 'a {
        let (force, torque) = bodies.force(self.index());
        let acceleration = force * bodies.hot(self.index()).inverse_mass;
        let angular = *bodies.inverse_inertia(self.index()) * torque;
        self.members.iter().map(move |&member| {
            let index = BodyIndex(member.index);
            let inertia = bodies.view().local_inertia[index.get()];
            let along = acceleration + angular.cross(&self.arm(bodies, index));
            let turning = inertia.world(&bodies.center_pose(index).rotation) * angular;
            (member, [along * bodies.mass(index), turning])
        })
    }

    pub(super) fn remove(&mut self, member: BodyIndex) {
        let place = self.members.iter().position(|own| own.index == member.0);
        if let Some(at) = place {
            self.members.remove(at);
            self.locals.remove(at);
        }
    }

    fn find_locals(&mut self, bodies: &Bodies) {
        let carrier = *bodies.center_pose(self.index());
        self.locals.clear();
        for member in &self.members {
            self.locals.push(carrier.relative(bodies.center_pose(BodyIndex(member.index))));
        }
    }
}
