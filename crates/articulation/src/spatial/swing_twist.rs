//! Coordinates of a turn with three degrees of freedom: by its twist about x and its swing, the turn of the x axis.
//!
//! ```text
//! q = swing · twist        swing: vector b = (0, b_y, b_z) of length θ, the opening       twist: angle about x, in -π ..= π
//! n = R x = (cos θ, b_z sin θ / θ, -b_y sin θ / θ)      so      b_y = -f n_z,   b_z = f n_y,   f = θ / sin θ
//! ```
//! and with `ṅ = ω × n` the rates of the coordinates are products of the angular velocity with vectors. The same coordinates as those of joint constraints
//! in a world, in `f64` and with the exact rates.

use super::trigonometry::angle_of;
use nalgebra::{UnitQuaternion, Vector3};

/// Sine of half the opening below which the swing has no direction.
const SMALL: f64 = 1e-9;
/// Sine of the opening below which `f` is a series, and, beyond a right angle, below which its slope is that of this sine: at half a turn it grows without end.
const SMALL_SINE: f64 = 1e-2;
const LEAST_SINE: f64 = 0.1;
/// One and the cosine of an opening of 120 degrees, beyond which the rate of the twist is bounded.
const LEAST_OPENING: f64 = 0.5;

/// A turn by its coordinates, and their rates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SwingTwist {
    /// Twist, and swing about y and z, rad.
    pub values: [f64; 3],
    /// Angle of the swing, rad, in 0 to π.
    pub opening: f64,
    /// What the angular velocity of the turned axes (rad/s, in the axes that they are turned against) is multiplied with to give the rate of each coordinate.
    pub rates: [Vector3<f64>; 3],
    /// The same for the opening; none where nothing is swung.
    pub opening_rate: Option<Vector3<f64>>,
}

impl SwingTwist {
    /// Of a rotation. At an opening of π any twist will do, and 0 is told.
    pub fn new(rotation: &UnitQuaternion<f64>) -> Self {
        let sign = if rotation.w < 0.0 { -1.0 } else { 1.0 };
        let [w, x, y, z] = [rotation.w, rotation.i, rotation.j, rotation.k].map(|part| part * sign);
        let norm = (w * w + x * x).sqrt();
        let (cos, sin) = if norm > SMALL { (w / norm, x / norm) } else { (1.0, 0.0) };
        let twist = 2.0 * angle_of(sin.abs(), cos).copysign(sin);
        let bend = Vector3::new(0.0, y * cos - z * sin, z * cos + y * sin);
        let sine = bend.norm();
        let opening = 2.0 * angle_of(sine, norm);
        let per_sine = if sine > SMALL { opening / sine } else { 2.0 };
        let n = rotation * Vector3::x();
        let (f, slope) = swing_factor(opening, (n.y * n.y + n.z * n.z).sqrt(), n.x);
        let of_x = Vector3::new(0.0, n.z, -n.y) * slope;
        let of_y = Vector3::new(-n.z, 0.0, n.x);
        let of_z = Vector3::new(n.y, -n.x, 0.0);
        Self {
            values: [twist, bend.y * per_sine, bend.z * per_sine],
            opening,
            rates: [
                (Vector3::x() + n) / (1.0 + n.x).max(LEAST_OPENING),
                -(of_z * f + of_x * n.z),
                of_y * f + of_x * n.y,
            ],
            opening_rate: (sine > SMALL).then(|| bend / sine),
        }
    }
}

/// `f = θ / sin θ`, and its slope by `cos θ`.
fn swing_factor(opening: f64, sine: f64, cosine: f64) -> (f64, f64) {
    if sine < SMALL_SINE && cosine > 0.0 {
        let square = opening * opening;
        return (1.0 + square / 6.0, -(1.0 / 3.0 + square * (2.0 / 15.0)));
    }
    let sine = if cosine < 0.0 { sine.max(LEAST_SINE) } else { sine };
    (opening / sine, -(sine - opening * cosine) / (sine * sine * sine))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turned(twist: f64, swing: [f64; 2]) -> UnitQuaternion<f64> {
        UnitQuaternion::from_scaled_axis(Vector3::new(0.0, swing[0], swing[1]))
            * UnitQuaternion::from_scaled_axis(Vector3::x() * twist)
    }

    #[test]
    fn a_swing_after_a_twist_is_found_again() {
        for twist in [-3.0, -1.2, 0.0, 0.4, 2.9] {
            for swing in [[0.0, 0.0], [0.9, -0.3], [-1.8, 1.0], [0.0, 1e-3], [2.0, 2.2]] {
                let found = SwingTwist::new(&turned(twist, swing));
                for (value, wanted) in found.values.iter().zip([twist, swing[0], swing[1]]) {
                    assert!((value - wanted).abs() < 1e-12, "{found:?}, {wanted}");
                }
                assert!((found.opening - swing[0].hypot(swing[1])).abs() < 1e-12);
            }
        }
    }

    /// Central differences are the reference.
    #[test]
    fn rates_are_those_of_the_coordinates() {
        for swing in [[0.5, -0.4], [0.0, 0.0], [1e-3, 2e-3], [1.2, 1.0], [0.004, -0.005]] {
            let (here, step) = (turned(0.8, swing), 1e-5);
            let found = SwingTwist::new(&here);
            for axis in [Vector3::x(), Vector3::y(), Vector3::z(), Vector3::new(0.5, -0.5, 0.7)] {
                let at = |sign: f64| {
                    SwingTwist::new(&(UnitQuaternion::from_scaled_axis(axis * sign * step) * here))
                };
                let (before, after) = (at(-1.0), at(1.0));
                for k in 0..3 {
                    let rate = (after.values[k] - before.values[k]) / (2.0 * step);
                    let told = found.rates[k].dot(&axis);
                    assert!((rate - told).abs() < 1e-8, "{swing:?} {k}: {rate} and {told}");
                }
                if let Some(direction) = found.opening_rate {
                    let rate = (after.opening - before.opening) / (2.0 * step);
                    assert!((rate - direction.dot(&axis)).abs() < 1e-5, "{swing:?}: {rate}");
                }
            }
        }
    }
}
