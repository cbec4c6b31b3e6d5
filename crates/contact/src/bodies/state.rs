//! Changing bodies from outside, sleeping and waking as data.

use super::desc::{check_pose, unit_pose};
use super::record::{Cold, flag};
use super::{Bodies, BodyDesc, BodyHandle, BodyHot, BodyIndex, BodyKind, LocalInertia};
use crate::error::{ContactError, check, check_finite};
use drystone_math::inertia::MassProperties;
use drystone_math::{Pose, Real, Vector3, widen};

/// Why a body woke (S1-37..42).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum WakeCause {
    /// Its state or a force on it was changed from outside (S1-37), or the global forces were.
    User,
    /// Penetration correction displaced it (S1-38).
    Corrected,
    /// The resolver processed a closing contact with a moving body (S1-39).
    Impact,
    /// A body that touched it was removed (S1-40).
    NeighbourRemoved,
    /// It has fewer contacts in the direction of the global forces than before (S1-41).
    SupportLost,
    /// It has no contact in the direction of the global forces (S1-42).
    Floating,
    /// A body at rest near it overlaps too much to sleep, and needs room.
    Jammed,
    /// A body of its island is awake, and the island sleeps as a whole or not at all (S3-21, S3-25).
    IslandAwake,
    /// A body at rest beside it is about to sleep, and its own contacts do not carry it any more.
    Unbalanced,
    /// It hangs together with what a kinematic body that moves, a belt that runs or a motor drives.
    Driven,
}

/// Wakes per cause since the counts were last taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct WakeCounts {
    counts: [u32; 10],
}

/// A body that woke, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Wake {
    /// The body.
    pub body: BodyHandle,
    /// Why it woke; why it did so last, when it fell asleep again in between.
    pub cause: WakeCause,
}

impl WakeCounts {
    /// Wakes for one cause.
    pub fn get(&self, cause: WakeCause) -> u32 {
        self.counts[cause as usize]
    }

    /// All wakes.
    pub fn total(&self) -> u32 {
        self.counts.iter().sum()
    }
}

impl Bodies {
    /// True for a dynamic body that is asleep.
    #[inline]
    pub fn is_asleep(&self, index: BodyIndex) -> bool {
        let flags = self.hot[index.get()].flags & (flag::DYNAMIC | flag::PASSIVE);
        flags == flag::DYNAMIC && !self.awake.contains(index.0)
    }

    /// True for a body that moves or may begin to: an awake dynamic one, or a kinematic one with a velocity.
    #[inline]
    pub fn is_awake(&self, index: BodyIndex) -> bool {
        self.awake.contains(index.0)
    }

    /// Wakes a dynamic body; nothing happens when it is awake, fixed, passive or in quarantine.
    #[inline]
    pub fn wake(&mut self, index: BodyIndex, cause: WakeCause) {
        const CAN_WAKE: u32 = flag::DYNAMIC | flag::QUARANTINED | flag::PASSIVE;
        if self.hot[index.get()].flags & CAN_WAKE == flag::DYNAMIC && !self.awake.contains(index.0) {
            self.awake.insert(index.0);
            self.wakes.counts[cause as usize] += 1;
            self.woken.insert(index.0);
            self.wake_cause[index.get()] = cause;
        }
    }

    /// Puts a dynamic body to sleep: no velocity (S1-34), and no force that was to act in the next step. Its motion average is the caller's to set.
    #[inline]
    pub fn put_to_sleep(&mut self, index: BodyIndex) {
        let hot = &mut self.hot[index.get()];
        if hot.is_dynamic() {
            (hot.linear, hot.angular) = (Vector3::zeros(), Vector3::zeros());
            let cold = &mut self.cold[index.get()];
            (cold.force, cold.torque) = (Vector3::zeros(), Vector3::zeros());
            self.last_move[index.get()] = Vector3::zeros();
            self.turn_remainder[index.get()] = super::TurnRemainder::default();
            self.awake.remove(index.0);
        }
    }

    /// Wakes all dynamic bodies.
    pub fn wake_all(&mut self, cause: WakeCause) {
        for i in 1..self.hot.len() as u32 {
            self.wake(BodyIndex(i), cause);
        }
    }

    /// Wakes since the last call.
    pub fn take_wakes(&mut self) -> WakeCounts {
        std::mem::take(&mut self.wakes)
    }

    /// Changes the averaged motion of those that woke since they were last listed ([`Bodies::take_woken`]), for this cause.
    /// O(number of bodies / 64 + woken bodies) where there are such, else O(1).
    pub fn for_woken(&mut self, cause: WakeCause, mut change: impl FnMut(&mut Real)) {
        if self.wakes.get(cause) == 0 {
            return;
        }
        let Self { woken, wake_cause, motion, .. } = self;
        for index in woken.iter().map(|index| index as usize).filter(|&index| wake_cause[index] == cause) {
            change(&mut motion[index]);
        }
    }

    /// Lists who woke since the last call, in the order of their indices: each body once, and none that is gone.
    /// O(number of bodies / 64 + woken bodies).
    pub fn take_woken(&mut self, woken: &mut Vec<Wake>) {
        woken.clear();
        // Room for all at once: the list never grows because more than before wake in a step.
        woken.reserve(self.hot.len());
        let wake = |i| {
            let body = self.handle(BodyIndex(i))?;
            Some(Wake { body, cause: self.wake_cause[i as usize] })
        };
        woken.extend(self.woken.iter().filter_map(wake));
        self.woken.clear();
    }

    /// Takes a body with a non-finite state out of the motion: no velocity, no mass, asleep. Its pose goes
    /// back to the last finite one the caller knows.
    pub fn quarantine(&mut self, index: BodyIndex, last_pose: Pose) {
        let i = index.get();
        let hot = &mut self.hot[i];
        hot.flags |= flag::QUARANTINED;
        (hot.linear, hot.angular, hot.inverse_mass) = (Vector3::zeros(), Vector3::zeros(), 0.0);
        self.inverse_inertia[i] = drystone_math::Symmetric3::ZERO;
        self.local_inertia[i] = super::LocalInertia::IMMOVABLE;
        self.last_move[i] = Vector3::zeros();
        self.turn_remainder[i] = super::TurnRemainder::default();
        self.pose[i] = last_pose;
        self.awake.remove(index.0);
    }

    /// Sets the velocity of a body and wakes it (S1-37). For a kinematic body this is how it moves.
    ///
    /// # Errors
    /// Unknown handle, fixed body, or a value that is not finite; nothing changes.
    pub fn set_velocity(
        &mut self,
        handle: BodyHandle,
        linear: Vector3,
        angular: Vector3,
    ) -> Result<(), ContactError> {
        let index = self.index(handle)?;
        check_finite("linear", &linear)?;
        check_finite("angular", &angular)?;
        let hot = &mut self.hot[index.get()];
        if !hot.is_dynamic() && !hot.is_kinematic() {
            return Err(ContactError::NotDynamic(handle));
        }
        (hot.linear, hot.angular) = (linear, angular);
        hot.apply_locks();
        self.turn_remainder[index.get()] = super::TurnRemainder::default();
        self.refresh_awake(index, false);
        Ok(())
    }

    /// Sets the pose of a body's own origin and wakes it (S1-37).
    ///
    /// # Errors
    /// Unknown handle or a pose that is not finite or not of unit rotation; nothing changes.
    pub fn set_pose(&mut self, handle: BodyHandle, pose: Pose) -> Result<(), ContactError> {
        let index = self.index(handle)?;
        check_pose(&pose)?;
        let pose = unit_pose(&pose);
        let i = index.get();
        self.pose[i] = pose.translated(&widen(&(pose.rotation * self.cold[i].center_local)));
        self.last_move[i] = Vector3::zeros();
        self.turn_remainder[i] = super::TurnRemainder::default();
        self.refresh_inertia(index);
        self.refresh_awake(index, false);
        Ok(())
    }

    /// Adds a force (N) and a torque about the centre of mass (N·m) for the next step, and wakes the body.
    ///
    /// # Errors
    /// Unknown handle, a body that is not dynamic, or a value that is not finite; nothing changes.
    pub fn add_force(
        &mut self,
        handle: BodyHandle,
        force: Vector3,
        torque: Vector3,
    ) -> Result<(), ContactError> {
        let index = self.dynamic_index(handle)?;
        check_finite("force", &force)?;
        check_finite("torque", &torque)?;
        let cold = &mut self.cold[index.get()];
        cold.force += force;
        cold.torque += torque;
        self.has_forces = true;
        self.wake(index, WakeCause::User);
        Ok(())
    }

    /// Adds an impulse (N·s) at the centre of mass and an angular impulse (N·m·s), and wakes the body.
    ///
    /// # Errors
    /// Unknown handle, a body that is not dynamic, or a value that is not finite; nothing changes.
    pub fn add_impulse(
        &mut self,
        handle: BodyHandle,
        impulse: Vector3,
        angular: Vector3,
    ) -> Result<(), ContactError> {
        let index = self.dynamic_index(handle)?;
        check_finite("impulse", &impulse)?;
        check_finite("angular impulse", &angular)?;
        let i = index.get();
        let spin = self.inverse_inertia[i] * angular;
        let hot = &mut self.hot[i];
        hot.linear += impulse * hot.inverse_mass;
        hot.angular += spin;
        hot.apply_locks();
        self.wake(index, WakeCause::User);
        Ok(())
    }

    /// Sets both dampings (1/s) and wakes the body.
    ///
    /// # Errors
    /// Unknown handle or a value out of range; nothing changes.
    pub fn set_damping(
        &mut self,
        handle: BodyHandle,
        linear: Real,
        angular: Real,
    ) -> Result<(), ContactError> {
        let index = self.index(handle)?;
        check("linear_damping", "at least 0", linear, |v| v >= 0.0)?;
        check("angular_damping", "at least 0", angular, |v| v >= 0.0)?;
        let cold = &mut self.cold[index.get()];
        (cold.linear_damping, cold.angular_damping) = (linear, angular);
        self.wake(index, WakeCause::User);
        Ok(())
    }

    /// Sets the factor on the global accelerations and wakes the body.
    ///
    /// # Errors
    /// Unknown handle or a value that is not finite; nothing changes.
    pub fn set_gravity_scale(&mut self, handle: BodyHandle, scale: Real) -> Result<(), ContactError> {
        let index = self.index(handle)?;
        check("gravity_scale", "finite", scale, |_| true)?;
        self.cold[index.get()].gravity_scale = scale;
        self.wake(index, WakeCause::User);
        Ok(())
    }

    /// Forgets the forces of all awake bodies; they acted for one step. (Adding a force wakes its body, and what is put to sleep loses
    /// its own, so no sleeper holds one.)
    pub fn clear_forces(&mut self) {
        if !std::mem::take(&mut self.has_forces) {
            return;
        }
        for i in self.awake.iter() {
            let cold = &mut self.cold[i as usize];
            (cold.force, cold.torque) = (Vector3::zeros(), Vector3::zeros());
        }
    }

    /// Mass, kg; 0 for bodies that are not dynamic.
    #[inline]
    pub fn mass(&self, index: BodyIndex) -> Real {
        self.cold[index.get()].mass
    }

    /// Kinetic energy, J.
    pub fn kinetic_energy(&self, index: BodyIndex) -> f64 {
        let hot = &self.hot[index.get()];
        if !hot.is_dynamic() {
            return 0.0;
        }
        let spin =
            self.local_inertia[index.get()].world(&self.pose[index.get()].rotation).quadratic(&hot.angular);
        0.5 * (f64::from(self.mass(index)) * f64::from(hot.linear.norm_squared()) + f64::from(spin))
    }

    /// Takes a body out of the simulation or puts it back (S3-09): a passive body keeps pose and velocity, is neither awake nor
    /// asleep, and nothing wakes it; forces on it are forgotten. Its contacts are the caller's to end. Put back, it is awake.
    pub fn set_passive(&mut self, index: BodyIndex, is_passive: bool) {
        let hot = &mut self.hot[index.get()];
        if hot.is_passive() == is_passive {
            return;
        }
        hot.flags ^= flag::PASSIVE;
        let is_dynamic = u32::from(hot.is_dynamic());
        if is_passive {
            self.dynamic_count -= is_dynamic;
            let cold = &mut self.cold[index.get()];
            (cold.force, cold.torque) = (Vector3::zeros(), Vector3::zeros());
            self.awake.remove(index.0);
        } else {
            self.dynamic_count += is_dynamic;
            self.refresh_awake(index, false);
        }
    }

    /// Marks a body as a link of a multibody (S3-01 L), or as none.
    pub fn set_link(&mut self, index: BodyIndex, is_link: bool) {
        let hot = &mut self.hot[index.get()];
        hot.flags = if is_link { hot.flags | flag::LINK } else { hot.flags & !flag::LINK };
    }

    /// Places a body that another one carries: pose of its centre of mass, velocities (m/s, rad/s). Wakes nothing.
    pub fn place(&mut self, index: BodyIndex, center: Pose, [linear, angular]: [Vector3; 2]) {
        let i = index.get();
        self.pose[i] = center;
        (self.hot[i].linear, self.hot[i].angular) = (linear, angular);
        self.last_move[i] = Vector3::zeros();
        self.turn_remainder[i] = super::TurnRemainder::default();
        self.refresh_inertia(index);
    }

    /// Forgets how a body moved: it sleeps no sooner than a new one.
    pub fn forget_motion(&mut self, index: BodyIndex) {
        self.motion[index.get()] = Real::MAX;
        self.supports[index.get()] = 0;
    }

    /// Gives a dynamic body another shape of motion: mass, centre, inertia, pose and velocities are those of the description from
    /// now on. It stays passive or active, keeps its forces and user data, and sleeps no sooner than a new one.
    ///
    /// # Errors
    /// Unknown handle, a body or description that is not dynamic, or a value out of range; nothing changes.
    pub fn redefine(&mut self, handle: BodyHandle, desc: &BodyDesc) -> Result<(), ContactError> {
        let index = self.index(handle)?;
        let i = index.get();
        if !self.hot[i].is_dynamic() || desc.kind != BodyKind::Dynamic {
            return Err(ContactError::NotDynamic(handle));
        }
        desc.validate()?;
        let kept = self.hot[i].flags & (flag::PASSIVE | flag::LINK);
        self.hot[i] = BodyHot::new(desc);
        self.hot[i].flags |= kept;
        let Cold { force, torque, user_data, .. } = self.cold[i];
        self.cold[i] = Cold { force, torque, user_data, ..Cold::new(desc) };
        self.local_inertia[i] = LocalInertia::new(desc);
        self.place(index, desc.center_pose(), [self.hot[i].linear, self.hot[i].angular]);
        self.forget_motion(index);
        self.refresh_awake(index, false);
        Ok(())
    }

    /// Mass, centre and inertia of a body in its own frame; without mass unless dynamic.
    pub fn mass_properties(&self, index: BodyIndex) -> MassProperties {
        let (cold, inertia) = (&self.cold[index.get()], &self.local_inertia[index.get()]);
        MassProperties {
            mass: cold.mass,
            center: cold.center_local,
            principal: inertia.principal,
            frame: inertia.frame,
        }
    }

    /// Puts the awake bit in line with the body: dynamic ones wake, kinematic ones follow their velocity.
    pub(super) fn refresh_awake(&mut self, index: BodyIndex, is_new: bool) {
        let hot = &self.hot[index.get()];
        if hot.is_passive() {
            return;
        }
        if hot.is_kinematic() {
            if hot.linear == Vector3::zeros() && hot.angular == Vector3::zeros() {
                self.awake.remove(index.0);
            } else {
                self.awake.insert(index.0);
            }
        } else if is_new && hot.is_dynamic() {
            self.awake.insert(index.0);
        } else {
            self.wake(index, WakeCause::User);
        }
    }

    fn dynamic_index(&self, handle: BodyHandle) -> Result<BodyIndex, ContactError> {
        let index = self.index(handle)?;
        match &self.hot[index.get()] {
            hot if !hot.is_dynamic() => Err(ContactError::NotDynamic(handle)),
            hot if hot.is_passive() => Err(ContactError::Passive(handle)),
            _ => Ok(index),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ball() -> BodyDesc {
        BodyDesc::dynamic(MassProperties::sphere(0.1, 800.0), 0.1)
    }

    #[test]
    fn removed_bodies_are_refused_and_slots_reused() {
        let mut bodies = Bodies::default();
        let a = bodies.add(&ball()).expect("valid");
        bodies.remove(a).expect("alive");
        assert_eq!(bodies.remove(a), Err(ContactError::UnknownBody(a)));
        let b = bodies.add(&ball()).expect("valid");
        assert_eq!((a.index, bodies.count()), (b.index, 1));
        assert!(bodies.index(a).is_err() && bodies.index(b).is_ok());
        let dummy = BodyHandle { index: 0, generation: 1 };
        assert!(bodies.index(dummy).is_err(), "no handle reaches the dummy");
    }

    #[test]
    fn setters_wake_and_refuse_what_is_not_finite() {
        let mut bodies = Bodies::default();
        let h = bodies.add(&ball()).expect("valid");
        let i = bodies.index(h).expect("alive");
        bodies.put_to_sleep(i);
        assert!(bodies.is_asleep(i));
        assert!(bodies.add_force(h, Vector3::new(Real::NAN, 0.0, 0.0), Vector3::zeros()).is_err());
        assert!(bodies.is_asleep(i), "a refused change wakes nobody");
        bodies.add_force(h, Vector3::x(), Vector3::zeros()).expect("finite");
        assert!(!bodies.is_asleep(i));
        assert_eq!(bodies.take_wakes().get(WakeCause::User), 1);
    }

    /// A force acts in one step: a sleeper that kept one would have it act when it wakes, whenever that is, and twice where it is pushed again.
    #[test]
    fn what_is_put_to_sleep_keeps_no_force() {
        let mut bodies = Bodies::default();
        let h = bodies.add(&ball()).expect("valid");
        let i = bodies.index(h).expect("alive");
        bodies.add_force(h, Vector3::x(), Vector3::y()).expect("finite");
        bodies.put_to_sleep(i);
        bodies.wake(i, WakeCause::Impact);
        assert_eq!(bodies.force(i), (Vector3::zeros(), Vector3::zeros()));
    }

    #[test]
    fn who_woke_is_told_once_with_the_last_cause_and_without_those_that_are_gone() {
        let mut bodies = Bodies::default();
        let [a, b] = [0, 1].map(|_| bodies.add(&ball()).expect("valid"));
        let [i, j] = [a, b].map(|h| bodies.index(h).expect("alive"));
        for (index, cause) in [(j, WakeCause::Floating), (i, WakeCause::Impact), (i, WakeCause::User)] {
            bodies.put_to_sleep(index);
            bodies.wake(index, cause);
            bodies.wake(index, WakeCause::Jammed);
        }
        bodies.remove(b).expect("alive");
        let c = bodies.add(&ball()).expect("valid");
        assert_eq!(bodies.index(c).expect("alive"), j, "the slot is used again");
        let mut woken = Vec::new();
        bodies.take_woken(&mut woken);
        assert_eq!(woken, [Wake { body: a, cause: WakeCause::User }]);
        bodies.take_woken(&mut woken);
        assert!(woken.is_empty());
    }

    #[test]
    fn a_body_may_start_asleep_when_it_is_at_rest_and_may_sleep() {
        let mut bodies = Bodies::default();
        let sleeper = BodyDesc { is_asleep: true, ..ball() };
        let h = bodies.add(&sleeper).expect("valid");
        let i = bodies.index(h).expect("alive");
        assert!(bodies.is_asleep(i) && bodies.awake_dynamic_count() == 0);
        bodies.wake(i, WakeCause::Impact);
        assert!(bodies.is_awake(i));
        let refused = [
            BodyDesc { linear: Vector3::x(), ..sleeper.clone() },
            BodyDesc { angular: Vector3::x() * -1e-6, ..sleeper.clone() },
            BodyDesc { can_sleep: false, ..sleeper.clone() },
            BodyDesc { kind: BodyKind::Kinematic, ..sleeper },
            BodyDesc { is_asleep: true, ..BodyDesc::fixed() },
        ];
        for desc in refused {
            assert!(bodies.add(&desc).is_err(), "{desc:?}");
        }
        assert_eq!(bodies.count(), 1);
    }

    #[test]
    fn kinematic_bodies_are_awake_while_they_move() {
        let mut bodies = Bodies::default();
        let h = bodies.add(&BodyDesc { kind: BodyKind::Kinematic, ..ball() }).expect("valid");
        let i = bodies.index(h).expect("alive");
        assert!(!bodies.is_awake(i) && !bodies.is_asleep(i));
        bodies.set_velocity(h, Vector3::x(), Vector3::zeros()).expect("finite");
        assert!(bodies.is_awake(i));
        assert!(bodies.add_impulse(h, Vector3::x(), Vector3::zeros()).is_err(), "nothing pushes it");
    }

    #[test]
    fn origin_and_centre_differ_by_the_turned_offset() {
        let mut bodies = Bodies::default();
        let mut desc = ball();
        desc.mass.center = Vector3::new(0.0, 0.25, 0.0);
        let pose = Pose::new(
            drystone_math::Position::new(1.0, 2.0, 3.0),
            drystone_math::Rotation::from_euler_angles(0.0, 0.0, 1.0),
        );
        let h = bodies.add(&desc.at(pose)).expect("valid");
        let i = bodies.index(h).expect("alive");
        assert!((bodies.origin_pose(i).translation - pose.translation).norm() < 1e-6);
        assert!(((bodies.center_pose(i).translation - pose.translation).norm() - 0.25).abs() < 1e-6);
    }
}
