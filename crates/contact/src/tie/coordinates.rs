//! Where the frames of a tie are, and its coordinates.

use super::{SPAN, TIE_AXES, TWIST};
use drystone_math::{Real, Rotation, Vector3, atan2, larger};
use std::f32::consts::{PI, TAU};

/// Sine of half an angle below which it is as good as its arc.
const SMALL: Real = 1e-4;
/// One and the cosine of the largest swing, 120 degrees, up to which [`JointCoordinates::twist`] is the rate of the twist.
pub const LEAST_OPENING: Real = 0.5;
/// Distance of the origins, m, below which it has no direction.
const NO_LENGTH: Real = 1e-9;

/// Both frames of a tie at some instant.
#[derive(Clone, Copy, Debug)]
pub struct JointFrames {
    /// Axes, world.
    pub rotations: [Rotation; 2],
    /// From the origin of A's frame to that of B's, m, world.
    pub gap: Vector3,
}

/// What there is to know of the frames.
#[derive(Clone, Copy, Debug)]
pub struct JointCoordinates {
    /// By place, m and rad.
    pub values: [Real; TIE_AXES],
    /// Axes of A's frame, world.
    pub axes: [Vector3; 3],
    /// What the relative angular velocity is multiplied with to give the rate of the twist, and the torque of a unit impulse along it. Beyond a swing of 120 degrees, where that grows without end (at half a
    /// revolution any twist will do), less: a motor of the twist turns bodies with twice its torque at most.
    pub twist: Vector3,
    /// The axis about which the x axis is turned, unit, world, and the angle, rad; zero where it is not turned.
    pub swing: (Vector3, Real),
    /// Direction of the gap, unit, world; zero without any.
    pub span: Vector3,
}

impl JointFrames {
    /// Where the frames are, from their axes and arms when a step began (world, m from the centres), the turns of their bodies since, and the
    /// way from the centre of A to that of B now (m, world); with the arms now.
    pub fn turned(
        axes: &[Rotation; 2],
        arms: &[Vector3; 2],
        turns: &[Rotation; 2],
        centers: &Vector3,
    ) -> (Self, [Vector3; 2]) {
        let arms = [turns[0] * arms[0], turns[1] * arms[1]];
        let rotations = [turns[0] * axes[0], turns[1] * axes[1]];
        (Self { rotations, gap: centers + arms[1] - arms[0] }, arms)
    }

    /// Places and axes alone; the turns, and the distance, are zero.
    pub fn places(&self) -> JointCoordinates {
        let a = &self.rotations[0];
        let axes = [a * Vector3::x(), a * Vector3::y(), a * Vector3::z()];
        let along = a.inverse_transform_vector(&self.gap);
        JointCoordinates {
            values: [along.x, along.y, along.z, 0.0, 0.0, 0.0, 0.0],
            axes,
            twist: Vector3::zeros(),
            swing: (Vector3::zeros(), 0.0),
            span: Vector3::zeros(),
        }
    }

    /// Coordinates of these frames.
    pub fn coordinates(&self) -> JointCoordinates {
        let [a, b] = &self.rotations;
        let axes = [a * Vector3::x(), a * Vector3::y(), a * Vector3::z()];
        let along = a.inverse_transform_vector(&self.gap);
        let relative = a.inverse() * b;
        let sign = if relative.w < 0.0 { -1.0 } else { 1.0 };
        let (swing, twist) =
            swing_and_twist([relative.w, relative.i, relative.j, relative.k].map(|c| c * sign));
        let bend = Vector3::new(0.0, swing[1], swing[2]);
        let sine = bend.norm();
        let angle = 2.0 * atan2(sine, swing[0]);
        let per_sine = if sine > SMALL { angle / sine } else { 2.0 };
        let length = self.gap.norm();
        let x_of_b = b * Vector3::x();
        let cosine = axes[0].dot(&x_of_b);
        let opening = 1.0 + cosine;
        JointCoordinates {
            values: [along.x, along.y, along.z, twist, swing[1] * per_sine, swing[2] * per_sine, length],
            axes,
            twist: (axes[0] + x_of_b) / larger(opening, LEAST_OPENING),
            swing: (a * bend.try_normalize(SMALL * SMALL).unwrap_or_default(), angle),
            span: if length > NO_LENGTH { self.gap / length } else { Vector3::zeros() },
        }
    }
}

impl JointCoordinates {
    /// The difference of two twists, rad, the shorter way around: in (-π, π].
    #[inline]
    pub fn shorter(turn: Real) -> Real {
        if turn > PI {
            turn - TAU
        } else if turn <= -PI {
            turn + TAU
        } else {
            turn
        }
    }

    /// Whole revolutions that a twist went through from `last` to `now`, both in -π ..= π, when it took the shorter way: -1, 0 or 1.
    #[inline]
    pub fn turned(last: Real, now: Real) -> i32 {
        let way = now - last;
        i32::from(way < -PI) - i32::from(way > PI)
    }

    /// How far a coordinate is from `at`, m or rad; the twist, the shorter way around.
    #[inline]
    pub fn off(&self, axis: usize, at: Real) -> Real {
        let off = self.values[axis] - at;
        if axis == TWIST { Self::shorter(off) } else { off }
    }

    /// The direction of a coordinate: force and torque of a unit impulse along it.
    pub fn direction(&self, axis: usize) -> [Vector3; 2] {
        match axis {
            0..3 => [self.axes[axis], Vector3::zeros()],
            3 => [Vector3::zeros(), self.twist],
            4 | 5 => [Vector3::zeros(), self.axes[axis - 3]],
            SPAN => [self.span, Vector3::zeros()],
            _ => [Vector3::zeros(), self.swing.0],
        }
    }
}

/// `q = swing · twist` with a twist about x (its angle, rad) and a swing about an axis across: its parts w, y, z. Of unit quaternions
/// `w, x, y, z` with `w` not negative.
fn swing_and_twist([w, x, y, z]: [Real; 4]) -> ([Real; 3], Real) {
    let norm = (w * w + x * x).sqrt();
    // Turned by half a revolution: any twist will do.
    if norm <= SMALL * SMALL {
        return ([w, y, z], 0.0);
    }
    let (cos, sin) = (w / norm, x / norm);
    ([norm, y * cos - z * sin, z * cos + y * sin], 2.0 * atan2(sin, cos))
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_math::rotation_from_vector;

    /// Twist and swing are told apart, whatever frame they are seen from.
    #[test]
    fn a_swing_after_a_twist_is_found_again() {
        let base = rotation_from_vector(&Vector3::new(0.3, -1.1, 0.7));
        for twist in [-3.0, -1.2, 0.0, 0.4, 2.9] {
            for swing in [[0.0, 0.0], [0.9, -0.3], [-1.8, 1.0], [0.0, 1e-3]] {
                let relative = rotation_from_vector(&Vector3::new(0.0, swing[0], swing[1]))
                    * rotation_from_vector(&Vector3::new(twist, 0.0, 0.0));
                let frames = JointFrames {
                    rotations: [base, base * relative],
                    gap: base * Vector3::new(3.0, -4.0, 12.0),
                };
                let found = frames.coordinates();
                let wanted = [3.0, -4.0, 12.0, twist, swing[0], swing[1], 13.0];
                for (value, wanted) in found.values.iter().zip(wanted) {
                    assert!((value - wanted).abs() < 1e-5 * (1.0 + wanted.abs()), "{found:?}, {wanted}");
                }
            }
        }
    }

    /// Half a revolution from either side is the same place, and bits stay where nothing is shortened.
    #[test]
    fn a_twist_is_off_by_the_shorter_way_around() {
        for (turn, wanted) in [(PI, PI), (-PI, PI), (3.5, 3.5 - TAU), (-6.0, TAU - 6.0), (TAU, 0.0)] {
            assert_eq!(JointCoordinates::shorter(turn), wanted, "{turn}");
        }
        for turn in [0.0, -0.0, 3.13, -3.13] {
            assert_eq!(JointCoordinates::shorter(turn).to_bits(), turn.to_bits());
        }
        let turned = rotation_from_vector(&Vector3::new(-3.1, 0.0, 0.0));
        let frames = JointFrames { rotations: [Rotation::identity(), turned], gap: Vector3::x() * 4.0 };
        let found = frames.coordinates();
        assert!((found.off(TWIST, 3.1) - (TAU - 6.2)).abs() < 1e-5, "{found:?}");
        assert!((found.off(0, -1.0) - 5.0).abs() < 1e-6, "ways are as long as they are");
    }

    /// The rate of the twist is the product of the angular velocity with [`JointCoordinates::twist`], by differences.
    #[test]
    fn rates_are_those_of_the_coordinates() {
        let frames = |more: &Vector3| {
            let relative = rotation_from_vector(&Vector3::new(0.0, 0.5, -0.4))
                * rotation_from_vector(&Vector3::new(0.8, 0.0, 0.0));
            let base = rotation_from_vector(&Vector3::new(-0.2, 0.4, 1.0));
            JointFrames {
                rotations: [base, rotation_from_vector(more) * base * relative],
                gap: Vector3::zeros(),
            }
        };
        let here = frames(&Vector3::zeros()).coordinates();
        for turn in [Vector3::x(), Vector3::y(), Vector3::z(), Vector3::new(0.5, -0.5, 0.7)] {
            let small = 5e-3;
            let twist = |sign: Real| frames(&(turn * (sign * small))).coordinates().values[3];
            let rate = (twist(1.0) - twist(-1.0)) / (2.0 * small);
            assert!(
                (rate - here.twist.dot(&turn)).abs() < 1e-3,
                "{turn:?}: {rate} and {}",
                here.twist.dot(&turn)
            );
        }
    }
}
