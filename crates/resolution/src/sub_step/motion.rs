//! Bodies at the end of a step: displacements become poses.

use super::push::stop;
use crate::free::Turning;
use crate::integrate::{BODIES_PER_PART, Moved, Part};
use drystone_math::wide::Isa;
use drystone_math::{Quaternion, Real, Rotation, Symmetric3, TurnRow, Vector3, is_finite, turn_rows, widen};

/// Speed, m/s or rad/s, that counts as none: smaller numbers only slow the processor down.
const STILL: Real = 1e-12;

/// Angle, rad, beyond which a turn within a step is not small.
const WIDE: Real = 0.25;

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

/// Carries the displacements of a step of `dt` seconds into the poses of bodies in a row. A displacement
/// that is not finite is dropped: the body stays where it last was, and its velocity tells what happened.
///
/// Bodies of unequal moments keep their angular momentum through the turn, unless that gave them energy (see [`turned_velocity`]). Those without
/// contacts ([`Turn::Free`]) turn as [`crate::free`] does it, with the velocity after the forces of the step.
///
/// All are looked at first, then those that turn are turned side by side.
pub(super) fn finish(mut part: Part<'_>, turn_of: impl Fn(usize) -> Turn, dt: Real, isa: Isa) {
    let mut rows: [TurnRow; BODIES_PER_PART] = [[0.0; 8]; BODIES_PER_PART];
    let mut turning = [(0, Turn::Sum); BODIES_PER_PART];
    let mut count = 0;
    part.for_awake(|k, i, mut body| {
        let turn = turn_of(i);
        if let Some(turned) = carry(&mut body, turn, dt) {
            let q = &body.pose.rotation.coords;
            rows[count] = [q.x, q.y, q.z, q.w, turned.x, turned.y, turned.z, 0.0];
            turning[count] = (k, turn);
            count += 1;
        }
    });
    turn_rows(isa, &mut rows[..count]);
    for (row, &(k, turn)) in rows[..count].iter().zip(&turning) {
        end_turn(part.body(k), turn, row);
    }
}

/// Moves a body, and turns it where it is free; returns what is left to turn it by, rad.
#[inline]
fn carry(body: &mut Moved<'_>, turn: Turn, dt: Real) -> Option<Vector3> {
    let Moved { hot, pose, inverse_inertia, last_move, remainder, inertia } = body;
    if hot.linear.norm_squared() + hot.angular.norm_squared() < STILL * STILL {
        stop(hot);
    }
    let (mut moved, mut turned) = (hot.delta_translation, hot.delta_rotation);
    (hot.delta_translation, hot.delta_rotation) = (Vector3::zeros(), Vector3::zeros());
    hot.extra_inertia = 0.0;
    if hot.has_locks() {
        // The passes over positions do not know of locks.
        let velocity = (hot.linear, hot.angular);
        (hot.linear, hot.angular) = (moved, turned);
        hot.apply_locks();
        (moved, turned) = (hot.linear, hot.angular);
        (hot.linear, hot.angular) = velocity;
        hot.apply_locks();
    }
    if !(is_finite(&moved) && is_finite(&turned)) {
        **last_move = Vector3::zeros();
        return None;
    }
    **last_move = moved;
    pose.translation += widen(&moved);
    if turn == Turn::Free && !inertia.is_isotropic && inertia.turns_freely() {
        let mut turning = Turning { rotation: pose.rotation, angular: hot.angular, remainder: **remainder };
        if let Some(inverse) = turning.step(inertia, dt) {
            **inverse_inertia = inverse;
        }
        (pose.rotation, hot.angular, **remainder) = (turning.rotation, turning.angular, turning.remainder);
        return None;
    }
    (turned != Vector3::zeros()).then_some(turned)
}

/// Gives a body that was not free the rotation that its row came to, and what goes with it.
#[inline]
fn end_turn(body: Moved<'_>, turn: Turn, row: &TurnRow) {
    let Moved { hot, pose, inverse_inertia, inertia, .. } = body;
    let &[x, y, z, w, turned_x, turned_y, turned_z, _] = row;
    let before = std::mem::replace(&mut pose.rotation, Rotation::new_unchecked(Quaternion::new(w, x, y, z)));
    if inertia.is_isotropic {
        return;
    }
    let momentum = inertia.world(&before) * hot.angular;
    *inverse_inertia = inertia.inverse_world(&pose.rotation);
    if turn != Turn::Done {
        let turned = Vector3::new(turned_x, turned_y, turned_z);
        hot.angular = turned_velocity(&hot.angular, &momentum, inverse_inertia, &turned);
    }
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
