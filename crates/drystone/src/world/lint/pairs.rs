//! What pairs of bodies are likely to do badly.

use super::{LintFinding, LintKind};
use crate::{QueryFilter, SolverChoice, World};
use drystone_collision::broad::Pair;
use drystone_collision::query::closest_points;
use drystone_contact::BodyIndex;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// Share of the thinner part's thickness that an overlap may be.
const SHALLOW: f64 = 0.02;
/// Ratios of masses up to which a body stands on others. `sub_step` begins from joint solutions: a tower of ten stands with 1e5 times the mass on
/// top (scene `mass_ratio`). One by one from what the last step left, it drifts by 2 mm at 10 and falls at 20 (`thesis_fast`).
const SUB_STEP_RATIO: f64 = 1e5;
const IMPULSE_RATIO: f64 = 10.0;

impl World {
    pub(super) fn lint_pairs(&self, dt: f64, findings: &mut Vec<LintFinding>) {
        let margin = self.margin_of(dt);
        let mut deepest: BTreeMap<[u32; 2], (f64, f64)> = BTreeMap::new();
        let mut loads: BTreeMap<[u32; 2], f64> = BTreeMap::new();
        for body in self.bodies.indices().filter(|&body| self.is_linted(body)) {
            for slot in self.colliders.solid(body) {
                let (shape, pose) = (&self.colliders.get(slot).shape, self.collider_pose(slot));
                let around = shape.aabb(&pose).grown(margin);
                self.visit_near(&around, &QueryFilter::default(), &mut |other| {
                    self.lint_colliders([slot, other], margin, &mut deepest, &mut loads);
                    ControlFlow::Continue(())
                });
            }
        }
        let handle = |index: u32| self.bodies.handle(BodyIndex(index));
        let found =
            |concern, pair: [u32; 2], value, bound| LintFinding::new(concern, pair.map(handle), value, bound);
        findings.extend(
            deepest.iter().map(|(&pair, &(depth, bound))| found(LintKind::Overlap, pair, depth, bound)),
        );
        if let Some(most) = self.most_mass_ratio() {
            let heavy = loads.iter().filter(|(_, ratio)| **ratio > most);
            findings.extend(heavy.map(|(&pair, &ratio)| found(LintKind::MassRatio, pair, ratio, most)));
        }
    }

    /// Notes the deepest overlap of two bodies, and how heavy one is on the other. Pairs of bodies that move are seen from both: the smaller slot counts.
    fn lint_colliders(
        &self,
        slots: [u32; 2],
        margin: f64,
        deepest: &mut BTreeMap<[u32; 2], (f64, f64)>,
        loads: &mut BTreeMap<[u32; 2], f64>,
    ) {
        let bodies = slots.map(|slot| self.colliders.get(slot).body);
        let is_second = slots[1] < slots[0] && self.is_linted(bodies[1]);
        if is_second || !self.colliders.may_meet(slots) || !self.is_allowed(Pair::new(slots[0], slots[1])) {
            return;
        }
        let [a, b] = slots.map(|slot| (&self.colliders.get(slot).shape, self.collider_pose(slot)));
        let Some(closest) = closest_points(a.0, &a.1, b.0, &b.1, margin) else { return };
        let thickness = slots.map(|slot| 2.0 * f64::from(self.colliders.inner(slot)));
        let thinner = thickness.into_iter().filter(|&t| t > 0.0).fold(f64::INFINITY, f64::min);
        let (depth, bound) = (-closest.distance, SHALLOW * thinner);
        if depth > bound {
            let mut pair = bodies.map(|body| body.0);
            pair.sort_unstable();
            let deepest = deepest.entry(pair).or_insert((depth, bound));
            deepest.0 = deepest.0.max(depth);
        }
        let up = -self.config.gravity;
        let masses = bodies.map(|body| f64::from(self.bodies.hot(body).inverse_mass));
        if !bodies.iter().all(|&body| self.is_linted(body)) || masses.contains(&0.0) {
            return;
        }
        let [(upper, above), (lower, below)] = if closest.normal.dot(&up) < 0.0 {
            [(0, masses[0]), (1, masses[1])]
        } else {
            [(1, masses[1]), (0, masses[0])]
        };
        // Rather above than beside.
        if closest.normal.dot(&up).abs() > 0.5 * up.norm() && up.norm() > 0.0 {
            let load = loads.entry([bodies[upper].0, bodies[lower].0]).or_insert(0.0);
            *load = load.max(below / above);
        }
    }

    /// How many times as heavy as what is below a body may be; none for methods that solve what hangs together as one.
    fn most_mass_ratio(&self) -> Option<f64> {
        match self.config.solver {
            SolverChoice::SubStep { .. } => Some(SUB_STEP_RATIO),
            SolverChoice::Impulse { .. } if self.config.escalation.enabled => None,
            SolverChoice::Impulse { .. } => Some(IMPULSE_RATIO),
            _ => None,
        }
    }
}
