//! Springs of joints: how much of one is implicit.
//!
//! A spring that acts where a sub-step begins (symplectic Euler) keeps its energy as long as the sub-step resolves it, and gains without end beyond; one that acts where the sub-step ends (implicit Euler) never gains,
//! and loses whatever its period is. So a share `θ` of the way of the sub-step counts, by the square of the angle that the spring swings by in it:
//!
//! ```text
//! λ = h (k (target − x − θ h v') + c (speed − v'))        r = h² k / m        θ = min(1, r / 4 + 8 r²)
//! ```
//! with the impulse `λ`, the velocity `v'` after it, the stiffness `k`, the damping `c`, which is implicit always, and the inertia `m` that the bodies of the joint have along it. Many weak springs side by side may be stiff
//! together, so the share grows long before one alone needs it.

use drystone_math::{Real, smaller};
use std::f64::consts::TAU;

/// Of the share, by `r` and its square, and what is always implicit, so that strengths are never 0.
pub(super) const OF_ANGLE: Real = 0.25;
pub(super) const OF_SQUARE: Real = 8.0;
pub(super) const LEAST: Real = 1e-6;

/// The share of a spring that is implicit, by `r`.
pub(super) fn implicit(r: Real) -> Real {
    smaller(1.0, r * (OF_ANGLE + OF_SQUARE * r) + LEAST)
}

/// Share of the amplitude of an undamped spring that sub-steps take in a period, by the angle `ω h` that it swings by in one, rad; 1 where it does not swing.
///
/// With `r` the square of the angle and `θ = min(1, r / 4 + 8 r²)`, the share of the spring that acts at the end of a sub-step, that multiplies place and speed by a matrix with the determinant `1 / (1 + θ r)` and the trace `1 + (1 − r) / (1 + θ r)`.
///
/// ```
/// // A period of 2 s in eighths of steps of 1/60 s: nothing. One of 12 such eighths: a third.
/// assert!(drystone_resolution::spring_loss(std::f64::consts::PI / 480.0) < 1e-6);
/// assert!((0.2..0.9).contains(&drystone_resolution::spring_loss(std::f64::consts::TAU / 12.0)));
/// ```
pub fn spring_loss(angle: f64) -> f64 {
    let r = angle * angle;
    let share = f64::from(implicit(r as Real));
    let determinant = 1.0 / (1.0 + share * r);
    let cosine = (1.0 + (1.0 - r) * determinant) / (2.0 * determinant.sqrt());
    if cosine.abs() < 1.0 { 1.0 - determinant.powf(0.5 * TAU / cosine.acos()) } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loss_is_that_of_the_steps() {
        for angle in [0.02, 0.1, 0.2, 0.3, 0.4] {
            let (r, periods) = (angle * angle, 20.0);
            let share = f64::from(implicit(r as Real));
            let (mut x, mut v, mut most) = (1.0, 0.0, 0.0_f64);
            let steps = (periods * TAU / angle) as usize;
            for step in 0..steps {
                v = (v - r * x) / (1.0 + share * r);
                x += v;
                if step as f64 > (periods - 1.0) * TAU / angle {
                    most = most.max(x);
                }
            }
            let expected = (1.0 - spring_loss(angle)).powf(periods);
            assert!((most - expected).abs() < 0.05, "{angle}: {most}, expected {expected}");
        }
    }

    #[test]
    fn no_stiffness_gains() {
        for k in 0..200 {
            let r = 1e-4 * 1.1_f64.powi(k);
            let share = f64::from(implicit(r as Real));
            let determinant = 1.0 / (1.0 + share * r);
            let trace = 1.0 + (1.0 - r) * determinant;
            assert!(determinant <= 1.0 && trace.abs() <= 1.0 + determinant, "{r}");
        }
    }
}
