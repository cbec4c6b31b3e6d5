//! Bodies at the end of a step: displacements become poses.

use super::push::stop;
use crate::free::Turning;
use drystone_contact::{BodyHot, LocalInertia, TurnRemainder};
use drystone_math::{Pose, Real, Symmetric3, Vector3, integrate_rotation, is_finite, widen};

/// Speed, m/s or rad/s, that counts as none: smaller numbers only slow the processor down.
const STILL: Real = 1e-12;

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
