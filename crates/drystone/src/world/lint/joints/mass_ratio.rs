//! Light bodies between heavy ones and what these hang on.

use super::LintedJoint;
use super::forest::{Forest, Node};
use crate::world::lint::{LintFinding, LintKind};
use crate::{SolverChoice, World};
use drystone_contact::BodyIndex;
use std::collections::BTreeMap;

/// Up to which a body carries others over a joint: the first link of the longest chain that is measured, 100 links with 1000 times the mass of one at its
/// end (`docs/joints.md`, apart by less than 0.2 mm).
const DIRECT_RATIO: f64 = 1100.0;
/// The same by sweeps alone: rods of 1 m with 100 times the mass of one at their end are apart by 1 to 3 % of a link, with 1000 times by 16 %
/// (`docs/measurements/joints.md`, by sweeps alone).
const SWEPT_RATIO: f64 = 100.0;

impl World {
    /// The worst joint of each set that joints hold together. What hangs on a body is told from where the set hangs on what cannot move, or else from its
    /// heaviest body: a light body at the end of a heavy one costs nothing, one between it and what holds it does.
    pub(super) fn lint_joint_masses(
        &self,
        joints: &[LintedJoint<'_>],
        forest: &Forest,
        findings: &mut Vec<LintFinding>,
    ) {
        let bound = match &self.config.solver {
            SolverChoice::SubStep { config } if !config.direct_joints => SWEPT_RATIO,
            _ => DIRECT_RATIO,
        };
        let mass = |body: BodyIndex| f64::from(self.bodies.mass(body));
        let mut loads: BTreeMap<BodyIndex, f64> = BTreeMap::new();
        let mut worst: BTreeMap<usize, (f64, usize, [BodyIndex; 2])> = BTreeMap::new();
        for (body, Node { set, parent, .. }) in forest.bodies().rev() {
            let load = loads.get(&body).copied().unwrap_or(0.0) + mass(body);
            let Some((joint, Some(carrier))) = parent else { continue };
            *loads.entry(carrier).or_insert(0.0) += load;
            let ratio = load / mass(carrier);
            if ratio > bound && worst.get(&set).is_none_or(|found| ratio > found.0) {
                worst.insert(set, (ratio, joint, [body, carrier]));
            }
        }
        findings.extend(worst.into_values().map(|(ratio, joint, bodies)| {
            let bodies = bodies.map(|body| self.bodies.handle(body));
            LintFinding::new(LintKind::JointMassRatio, bodies, ratio, bound).on(vec![joints[joint].handle])
        }));
    }
}
