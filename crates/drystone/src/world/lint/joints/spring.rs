//! Undamped springs whose period is short for the step.

use super::LintedJoint;
use super::symmetric6::{Symmetric6, Vector6};
use crate::world::lint::{LintFinding, LintKind};
use crate::{SolverChoice, World};
use drystone_contact::{BodyIndex, JointCoordinates, SPAN, TIE_AXES, TWIST};
use drystone_math::{Displacement, Vector3, widen};
use drystone_resolution::spring_loss;
use std::f64::consts::TAU;

/// Damping ratio below which a spring is meant to swing: half of its amplitude is left after a period.
const UNDAMPED: f64 = 0.1;
/// Share of the amplitude that steps may take in a period: that of a period of 20 steps without sub-steps or 2.5 steps with eight of them. One of 2 s at 60 steps per second
/// loses nothing with either (`docs/measurements/joints-energy.md`, family `spring`).
const LOSS: f64 = 0.1;
/// Of a response that is zero but for rounding: a share of what it was.
const ROUNDING: f64 = 1e-9;

impl World {
    /// The loss is [`spring_loss`] of the angle `ω h` of a sub-step.
    pub(super) fn lint_springs(&self, dt: f64, joints: &[LintedJoint<'_>], findings: &mut Vec<LintFinding>) {
        let sub_steps = match &self.config.solver {
            SolverChoice::SubStep { config } => config.sub_steps,
            _ => 1,
        };
        let h = dt / f64::from(sub_steps);
        for joint in joints {
            let driven = (0..TIE_AXES).filter(|&k| {
                let axis = &joint.tie.axes[k];
                !axis.is_locked() && axis.drive.most > 0.0 && axis.drive.stiffness > 0.0
            });
            for k in driven {
                let drive = &joint.tie.axes[k].drive;
                let ease = self.ease_of(joint, k);
                let rate = (f64::from(drive.stiffness) * ease).sqrt();
                let ratio = 0.5 * f64::from(drive.damping) * ease / rate;
                if ratio.is_nan() || ratio >= UNDAMPED {
                    continue;
                }
                let taken = spring_loss(rate * h);
                let damped = 1.0 - (-TAU * ratio / (1.0 - ratio * ratio).sqrt()).exp();
                let bound = damped.max(LOSS);
                if taken > bound {
                    let bodies = joint.tie.bodies.map(|body| self.bodies.handle(body));
                    findings.push(
                        LintFinding::new(LintKind::UndampedSpring, bodies, taken, bound)
                            .on(vec![joint.handle]),
                    );
                }
            }
        }
    }

    /// How easily the bodies of a joint move along one of its coordinates while it holds what it locks: 1/kg or 1/(kg m²). What else hangs on them is left out:
    /// it makes the spring slower, so that a step takes less.
    fn ease_of(&self, joint: &LintedJoint<'_>, axis: usize) -> f64 {
        let (tie, found) = (joint.tie, joint.tie.coordinates(&self.bodies));
        let (frames, arms, centers) = tie.place(&self.bodies);
        let mut response = Symmetric6::ZERO;
        for (end, arm) in joint.ends.into_iter().zip([centers + arms[1], arms[1]]) {
            if let Some(body) = end {
                self.add_response(body, &widen(&arm), &mut response);
            }
        }
        let direction = |axis: usize| direction(axis, &found, &widen(&(frames[1] * Vector3::x())));
        for locked in (0..TIE_AXES).filter(|&k| tie.axes[k].is_locked()) {
            let along = direction(locked);
            let least = ROUNDING * response.along(&along);
            response.eliminate(&along, least);
        }
        response.along(&direction(axis))
    }

    /// What a wrench at a point gives there to a body, turns first; `arm` leads from its centre of mass to the point, m: `Σ m⁻¹ e eᵀ` over the ways, and
    /// the same of the turns about the axes of inertia, which move the point along an arc.
    fn add_response(&self, body: BodyIndex, arm: &Displacement, response: &mut Symmetric6) {
        let inverse_mass = f64::from(self.bodies.hot(body).inverse_mass);
        for way in 3..6 {
            response.add(&std::array::from_fn(|k| f64::from(u8::from(k == way))), inverse_mass);
        }
        let inertia = self.bodies.inverse_inertia(body).to_matrix().cast::<f64>().symmetric_eigen();
        for (k, inverse) in inertia.eigenvalues.iter().enumerate() {
            let axis: Displacement = inertia.eigenvectors.column(k).into_owned();
            response.add(&joined(&axis, &axis.cross(arm)), *inverse);
        }
    }
}

/// A wrench of unit size that moves along a coordinate; the swings as they are at 0.
fn direction(axis: usize, found: &JointCoordinates, twist: &Displacement) -> Vector6 {
    let zero = Displacement::zeros();
    match axis {
        0..3 => joined(&zero, &widen(&found.axes[axis])),
        TWIST => joined(twist, &zero),
        SPAN => joined(&zero, &widen(&found.span)),
        _ => joined(&widen(&found.axes[axis - TWIST]), &zero),
    }
}

fn joined(turn: &Displacement, way: &Displacement) -> Vector6 {
    [turn.x, turn.y, turn.z, way.x, way.y, way.z]
}
