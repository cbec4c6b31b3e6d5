//! Bodies between the passes: velocities, positions, and the pose at the end.

use super::rest::squared_radius;
use crate::free::Turning;
use drystone_contact::{Bodies, BodyHot, BodyIndex, LocalInertia, StepParams, TurnRemainder};
use drystone_math::{Pose, Real, Symmetric3, Vector3, integrate_rotation, is_finite, widen};

/// Speed, m/s or rad/s, that counts as none: smaller numbers only slow the processor down.
const STILL: Real = 1e-12;

/// What a sub-step does to a body without contacts, and its velocity before the contacts of the sub-step.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(16))]
pub(super) struct Push {
    /// Change of the velocity by forces, m/s.
    linear: Vector3,
    /// What damping leaves.
    linear_keep: Real,
    angular: Vector3,
    angular_keep: Real,
    before_linear: Vector3,
    before_angular: Vector3,
    /// Square of the mean radius of gyration, m².
    squared_radius: Real,
    /// Velocities before the blows of a sub-step, and what they gave.
    unblown: [Vector3; 2],
    blown: [Vector3; 2],
    /// What is left of the impulses of the contacts after a look at the energy.
    scale: Real,
    mass: Real,
    /// In the world frame; 0 where it cannot turn.
    inertia: Symmetric3,
}

impl Push {
    pub(super) const NONE: Self = Self {
        linear: Vector3::new(0.0, 0.0, 0.0),
        linear_keep: 1.0,
        angular: Vector3::new(0.0, 0.0, 0.0),
        angular_keep: 1.0,
        before_linear: Vector3::new(0.0, 0.0, 0.0),
        before_angular: Vector3::new(0.0, 0.0, 0.0),
        squared_radius: 0.0,
        unblown: [Vector3::new(0.0, 0.0, 0.0); 2],
        blown: [Vector3::new(0.0, 0.0, 0.0); 2],
        scale: 1.0,
        mass: 0.0,
        inertia: Symmetric3::ZERO,
    };

    /// Of a body in sub-steps of `h` seconds.
    pub(super) fn new(bodies: &Bodies, body: BodyIndex, step: &StepParams, h: Real) -> Self {
        let hot = bodies.hot(body);
        let (force, torque) = bodies.force(body);
        let (linear_damping, angular_damping) = bodies.damping(body);
        let pull = step.global_acceleration(hot.inverse_mass, bodies.gravity_scale(body));
        let inverse_inertia = bodies.inverse_inertia(body);
        let view = bodies.view();
        Self {
            linear: (pull + force * hot.inverse_mass) * h,
            linear_keep: 1.0 / (1.0 + linear_damping * h),
            angular: (*inverse_inertia * torque) * h,
            angular_keep: 1.0 / (1.0 + angular_damping * h),
            squared_radius: squared_radius(hot.inverse_mass, inverse_inertia),
            mass: bodies.mass(body),
            inertia: view.local_inertia[body.get()].world(&view.pose[body.get()].rotation),
            ..Self::NONE
        }
    }

    /// Starts a sub-step: forces and damping, then what the contacts gave in the last sub-step once more
    /// (arms, normals and inertias are frozen, so that is exactly their warm start).
    #[inline]
    pub(super) fn begin_sub_step(&mut self, hot: &mut BodyHot, is_first: bool) {
        let (linear, angular) =
            ((hot.linear + self.linear) * self.linear_keep, (hot.angular + self.angular) * self.angular_keep);
        if is_first {
            (hot.linear, hot.angular) = (linear, angular);
        } else {
            // The velocity before the contacts is what is kept of; the rest came from the contacts.
            let given = (hot.linear - self.before_linear, hot.angular - self.before_angular);
            (hot.linear, hot.angular) = (linear + given.0, angular + given.1);
        }
        hot.apply_locks();
        (self.before_linear, self.before_angular) = (linear, angular);
        self.blown = [Vector3::zeros(); 2];
    }

    /// Ends a sub-step: the body moves, and unless it was the last one the next begins (the position pass between
    /// them reads no velocities, and one visit costs less than two).
    #[inline]
    pub(super) fn end_sub_step(&mut self, hot: &mut BodyHot, h: Real, is_last: bool) {
        move_by(hot, h);
        if !is_last {
            self.begin_sub_step(hot, false);
        }
    }

    /// Before blows.
    #[inline]
    pub(super) fn begin_blows(&mut self, hot: &BodyHot) {
        self.unblown = [hot.linear, hot.angular];
    }

    /// After them: what they gave is not to be given again. Exactly nothing changes for who had no part in them.
    #[inline]
    pub(super) fn end_blows(&mut self, hot: &mut BodyHot) {
        hot.apply_locks();
        self.blown = [hot.linear - self.unblown[0], hot.angular - self.unblown[1]];
        self.before_linear += self.blown[0];
        self.before_angular += self.blown[1];
    }

    /// Kinetic energy of the body, J.
    #[inline]
    pub(super) fn kinetic_energy(&self, hot: &BodyHot) -> f64 {
        let (v, w) = (&hot.linear, &hot.angular);
        0.5 * f64::from(self.mass * v.norm_squared() + (self.inertia * *w).dot(w))
    }

    /// Velocities before the blows and the contacts of a sub-step.
    #[inline]
    fn untouched(&self) -> [Vector3; 2] {
        [self.before_linear - self.blown[0], self.before_angular - self.blown[1]]
    }

    /// Kinetic energy before blows and contacts, and what all of their impulses change: the part that is linear in them,
    /// and the square, J.
    #[inline]
    pub(super) fn energies(&self, hot: &BodyHot) -> [Real; 3] {
        let [v, w] = self.untouched();
        let (dv, dw) = (hot.linear - v, hot.angular - w);
        let (spin, change) = (self.inertia * w, self.inertia * dw);
        [
            0.5 * (self.mass * v.norm_squared() + spin.dot(&w)),
            self.mass * v.dot(&dv) + spin.dot(&dw),
            0.5 * (self.mass * dv.norm_squared() + change.dot(&dw)),
        ]
    }

    /// Scales what blows and contacts gave; [`Push::scale`] tells.
    pub(super) fn scale_given(&mut self, hot: &mut BodyHot, scale: Real) {
        let [v, w] = self.untouched();
        (hot.linear, hot.angular) = (v + (hot.linear - v) * scale, w + (hot.angular - w) * scale);
        self.blown = self.blown.map(|given| given * scale);
        (self.before_linear, self.before_angular) = (v + self.blown[0], w + self.blown[1]);
        self.scale = scale;
    }

    /// Forgets the scale: impulses follow it by now.
    pub(super) fn forget_scale(&mut self) {
        self.scale = 1.0;
    }

    /// What the last [`Push::scale_given`] left.
    pub(super) fn scale(&self) -> Real {
        self.scale
    }

    /// Square of the speed of the body and of its turning at its radius of gyration, m²/s².
    #[inline]
    pub(super) fn squared_speed(&self, hot: &BodyHot) -> Real {
        hot.linear.norm_squared() + hot.angular.norm_squared() * self.squared_radius
    }

    /// True when the velocity is not all kept.
    pub(super) fn is_damped(&self) -> bool {
        self.linear_keep != 1.0 || self.angular_keep != 1.0
    }

    /// All sub-steps at once of a body without contacts and without damping: the sum of an arithmetic series,
    /// which is rounded once.
    pub(super) fn fly(&self, hot: &mut BodyHot, sub_steps: u32, h: Real) {
        let n = sub_steps as Real;
        let begin = (hot.linear, hot.angular);
        let mean = 0.5 * (n + 1.0);
        (hot.linear, hot.angular) = (begin.0 + self.linear * mean, begin.1 + self.angular * mean);
        move_by(hot, n * h);
        (hot.linear, hot.angular) = (begin.0 + self.linear * n, begin.1 + self.angular * n);
    }
}

/// Moves a body by its velocity for a sub-step.
#[inline]
pub(super) fn move_by(hot: &mut BodyHot, h: Real) {
    hot.apply_locks();
    hot.delta_translation += hot.linear * h;
    hot.delta_rotation += hot.angular * h;
}

/// Takes all speed from a body.
#[inline]
pub(super) fn stop(hot: &mut BodyHot) {
    (hot.linear, hot.angular) = (Vector3::zeros(), Vector3::zeros());
}

/// Where a body is, and what goes with its orientation.
#[derive(Debug)]
pub(super) struct Place<'a> {
    pub(super) pose: &'a mut Pose,
    pub(super) inverse_inertia: &'a mut Symmetric3,
    pub(super) remainder: &'a mut TurnRemainder,
}

/// Carries the displacement of a step of `dt` seconds into the pose; returns the displacement. A displacement
/// that is not finite is dropped: the body stays where it last was, and its velocity tells what happened.
///
/// Bodies of unequal moments keep their angular momentum through the turn. Those without contacts
/// (`is_free`) turn as [`crate::free`] does it, with the velocity after the forces of the step.
pub(super) fn finish(
    hot: &mut BodyHot,
    place: Place<'_>,
    inertia: &LocalInertia,
    is_free: bool,
    dt: Real,
) -> Vector3 {
    if hot.linear.norm_squared() + hot.angular.norm_squared() < STILL * STILL {
        stop(hot);
    }
    let Place { pose, inverse_inertia, remainder } = place;
    let moved = std::mem::replace(&mut hot.delta_translation, Vector3::zeros());
    let turned = std::mem::replace(&mut hot.delta_rotation, Vector3::zeros());
    // The passes over positions do not know of locks.
    let velocity = (hot.linear, hot.angular);
    (hot.linear, hot.angular) = (moved, turned);
    hot.apply_locks();
    let (moved, turned) = (hot.linear, hot.angular);
    (hot.linear, hot.angular) = velocity;
    hot.apply_locks();
    if !(is_finite(&moved) && is_finite(&turned)) {
        return Vector3::zeros();
    }
    pose.translation += widen(&moved);
    if is_free && !inertia.is_isotropic && inertia.turns_freely() {
        let mut turning = Turning { rotation: pose.rotation, angular: hot.angular, remainder: *remainder };
        if let Some(inverse) = turning.step(inertia, dt) {
            *inverse_inertia = inverse;
        }
        (pose.rotation, hot.angular, *remainder) = (turning.rotation, turning.angular, turning.remainder);
        return moved;
    }
    if turned != Vector3::zeros() {
        let momentum = (!inertia.is_isotropic).then(|| inertia.world(&pose.rotation) * hot.angular);
        pose.rotation = integrate_rotation(&pose.rotation, &turned, 1.0);
        if let Some(momentum) = momentum {
            *inverse_inertia = inertia.inverse_world(&pose.rotation);
            hot.angular = *inverse_inertia * momentum;
        }
    }
    moved
}
