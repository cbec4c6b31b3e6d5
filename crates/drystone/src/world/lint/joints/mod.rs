//! What joints are likely to do badly: slender bodies that spin on them, mass ratios along them, loops that hold more than they have, springs that a
//! step damps.
//!
//! | file | finds | figure |
//! |---|---|---|
//! | `spin` | slender bodies that turn far in a step | angle of a step, rad |
//! | `mass_ratio` | light bodies that carry heavy ones | ratio of masses |
//! | `overconstraint` | loops with more constraints than coordinates | redundant constraints |
//! | `spring` | undamped springs whose period is short for the step | share of the amplitude that a period costs |
//!
//! `forest` finds what joints hold together and the loops of it, `symmetric6` is the algebra of the last two.

mod forest;
mod mass_ratio;
mod overconstraint;
mod spin;
mod spring;
mod symmetric6;

use super::LintFinding;
use crate::World;
use drystone_contact::{BodyIndex, JointConstraint, JointHandle, SPAN, TIE_AXES};
use forest::Forest;

/// A joint with its constraints.
struct LintedJoint<'a> {
    handle: JointHandle,
    tie: &'a JointConstraint,
    /// Bodies A and B; `None` for what joints cannot move.
    ends: [Option<BodyIndex>; 2],
}

impl LintedJoint<'_> {
    /// True where it locks a coordinate.
    fn locks(&self) -> bool {
        self.tie.axes.iter().any(|axis| axis.is_locked())
    }

    /// True where a body can hang on it: by a lock, or by a limit of a way or of the distance, as on a rope.
    fn carries(&self) -> bool {
        let is_way = |axis: usize| axis < 3 || axis == SPAN;
        self.locks() || (0..TIE_AXES).any(|axis| is_way(axis) && self.tie.axes[axis].is_limited())
    }
}

impl World {
    pub(super) fn lint_joints(&self, dt: f64, findings: &mut Vec<LintFinding>) {
        let joints = self.linted_joints();
        if joints.is_empty() {
            return;
        }
        let mass = |body: BodyIndex| f64::from(self.bodies.mass(body));
        let forest = Forest::new(&joints, |joint| joint.carries(), mass);
        self.lint_spins(dt, &joints, &forest, findings);
        self.lint_joint_masses(&joints, &forest, findings);
        // Ropes and springs close no loop, nor may the way around one lead along them.
        self.lint_loops(&joints, &Forest::new(&joints, |joint| joint.locks(), mass), findings);
        self.lint_springs(dt, &joints, findings);
    }

    /// The joints that hold, in the order of their slots.
    fn linted_joints(&self) -> Vec<LintedJoint<'_>> {
        let linted = |(handle, joint): (JointHandle, &drystone_joint::Joint)| {
            let tie = self.graph.tie(joint.edge())?;
            let ends = tie.bodies.map(|body| self.is_linted(body).then_some(body));
            // What is solved by its coordinates has none of these troubles.
            let is_constraint = self.articulations.of_edge(joint.edge()).is_none();
            let holds = is_constraint && tie.is_active(&self.bodies) && ends != [None; 2];
            holds.then_some(LintedJoint { handle, tie, ends })
        };
        self.joints.iter().filter_map(linted).collect()
    }
}
