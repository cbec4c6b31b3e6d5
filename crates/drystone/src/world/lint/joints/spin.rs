//! Slender bodies that turn far in a step.

use super::LintedJoint;
use super::forest::Forest;
use crate::World;
use crate::world::lint::{LintFinding, LintKind};
use drystone_contact::{BodyIndex, TWIST};
use drystone_math::{Displacement, Vector3, widen};
use std::collections::BTreeMap;

/// Ratio of the largest moment of inertia to the smallest one from which a body is slender: that from which joints of its own are solved as a system
/// (`docs/joints.md`). A rod three times as long as thick has five.
const SLENDER: f64 = 4.0;
/// Angle across a slender body in a step, rad, up to which it keeps its energy by itself: rods on one joint keep 0.98 at 40 rad/s and 60 steps per
/// second, and nothing at 200 rad/s (`docs/measurements/joints-energy.md`, family `rod`).
const ALONE: f64 = 0.7;
/// The same among others on joints, for the thinnest: of chains and flights of 1:50 and 1:200 2 of 88 miss something at 0.1 rad/s,
/// and 11 of 88 at 12 rad/s, 0.2 rad per step (the same, families `chain` and `flight`).
const TOGETHER: f64 = 0.2;
/// The same, times the root of the ratio of the moments, for what is less thin, rad: of those of 1:10 2 of 88 miss
/// something at 12 (1.4) and 40 rad/s (4.7).
const TOGETHER_ROOT: f64 = 4.0;

impl World {
    pub(super) fn lint_spins(
        &self,
        dt: f64,
        joints: &[LintedJoint<'_>],
        forest: &Forest,
        findings: &mut Vec<LintFinding>,
    ) {
        let mut of_body: BTreeMap<BodyIndex, Vec<&LintedJoint<'_>>> = BTreeMap::new();
        for joint in joints {
            joint.ends.into_iter().flatten().for_each(|body| of_body.entry(body).or_default().push(joint));
        }
        for (body, node) in forest.bodies() {
            let Some((axis, ratio)) = self.slender_axis(body) else { continue };
            let bound = if forest.set_sizes()[node.set] > 1 {
                (TOGETHER_ROOT / ratio.sqrt()).clamp(TOGETHER, ALONE)
            } else {
                ALONE
            };
            let across = |velocity: &Displacement| (velocity - axis * axis.dot(velocity)).norm();
            let now = across(&widen(&self.bodies.hot(body).angular));
            let mut fastest = (now, of_body[&body][0].handle);
            for joint in &of_body[&body] {
                let driven = across(&self.motor_velocity(joint, body));
                if driven > fastest.0 {
                    fastest = (driven, joint.handle);
                }
            }
            let angle = fastest.0 * dt;
            if angle >= bound {
                let bodies = [self.bodies.handle(body), None];
                findings
                    .push(LintFinding::new(LintKind::JointSpin, bodies, angle, bound).on(vec![fastest.1]));
            }
        }
    }

    /// The long axis of a slender body, world, and the ratio of its largest to its smallest moment; none for others, nor where turns are locked.
    fn slender_axis(&self, body: BodyIndex) -> Option<(Displacement, f64)> {
        let inverse = self.bodies.inverse_inertia(body).to_matrix().cast::<f64>().symmetric_eigen();
        let (least, most) = (inverse.eigenvalues.min(), inverse.eigenvalues.imax());
        let ratio = inverse.eigenvalues[most] / least;
        (least > 0.0 && ratio > SLENDER).then(|| (inverse.eigenvectors.column(most).into_owned(), ratio))
    }

    /// Angular velocity that the motors of a joint are to give a body, rad/s, world: its share of what they turn both bodies by, by the moments about the axis.
    fn motor_velocity(&self, joint: &LintedJoint<'_>, body: BodyIndex) -> Displacement {
        let tie = joint.tie;
        let (frames, ..) = tie.place(&self.bodies);
        let mut sum = Displacement::zeros();
        for (k, unit) in [Vector3::x(), Vector3::y(), Vector3::z()].iter().enumerate() {
            let drive = &tie.axes[TWIST + k].drive;
            if !drive.runs() || tie.axes[TWIST + k].is_locked() {
                continue;
            }
            let axis = frames[usize::from(k == 0)] * unit;
            let ease = joint.ends.map(|end| {
                end.map_or(0.0, |end| f64::from(self.bodies.inverse_inertia(end).quadratic(&axis)))
            });
            let own = usize::from(joint.ends[1] == Some(body));
            let share = ease[own] / (ease[0] + ease[1]);
            if share > 0.0 {
                sum += widen(&axis) * (f64::from(drive.speed) * share);
            }
        }
        sum
    }
}
