//! Bodies at the end of a step: displacements become poses.

use super::push::stop;
use crate::free::Turning;
use drystone_contact::{BodyHot, LocalInertia, TurnRemainder};
use drystone_math::{Pose, Real, Symmetric3, Vector3, integrate_rotation, is_finite, widen};

/// Speed, m/s or rad/s, that counts as none: smaller numbers only slow the processor down.
const STILL: Real = 1e-12;

/// Angle, rad, beyond which a turn within a step is not small.
const WIDE: Real = 0.25;

/// Where a body is, and what goes with its orientation.
#[derive(Debug)]
pub(super) struct Place<'a> {
    pub(super) pose: &'a mut Pose,
    pub(super) inverse_inertia: &'a mut Symmetric3,
    pub(super) remainder: &'a mut TurnRemainder,
}

/// How a body turns in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// As a free body does.
    Free,
    /// By the sum of its angular velocities.
    Sum,
    /// By what its displacement says, and its velocity is what it comes out with ([`super::spin`]).
    Done,
}

/// Carries the displacement of a step of `dt` seconds into the pose; returns the displacement. A displacement
/// that is not finite is dropped: the body stays where it last was, and its velocity tells what happened.
///
/// Bodies of unequal moments keep their angular momentum through the turn, unless that gave them energy (see [`turned_velocity`]). Those without
/// contacts ([`Turn::Free`]) turn as [`crate::free`] does it, with the velocity after the forces of the step.
pub(super) fn finish(
    hot: &mut BodyHot,
    place: Place<'_>,
    inertia: &LocalInertia,
    turn: Turn,
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
    if turn == Turn::Free && !inertia.is_isotropic && inertia.turns_freely() {
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
            if turn == Turn::Done {
                return moved;
            }
            hot.angular = turned_velocity(&hot.angular, &momentum, inverse_inertia, &turned);
        }
    }
    moved
}

/// The angular velocity (rad/s) with which a body comes out of a turn, from the one before, its angular momentum and its inverse inertia
/// after the turn.
///
/// A turn gives no energy. Of a small one, errors are of second order; a splinter that spins by radians in a step turns about an axis that is not that of its
/// momentum, and comes out with what was tumbling as spin about its length, a hundred times faster. So after a turn of more than
/// [`WIDE`] it has no more energy than before, and what is left of its momentum then.
fn turned_velocity(
    before: &Vector3,
    momentum: &Vector3,
    inverse_inertia: &Symmetric3,
    turned: &Vector3,
) -> Vector3 {
    let after = *inverse_inertia * *momentum;
    let (energy, limit) = (momentum.dot(&after), momentum.dot(before));
    if turned.norm_squared() <= WIDE * WIDE || energy <= limit {
        return after;
    }
    // Both are twice the kinetic energy; it grows with the square of the velocity.
    after * (limit.max(0.0) / energy).sqrt()
}
