//! Resolving with totals: last step's impulses first, then one manifold after the other. Beyond S1.
//!
//! S1 resolves a contact only while it closes, and never takes an impulse back; every step begins from nothing
//! (its bodies at rest fall by `g dt` and are stopped again), and what a contact was given too much stays.
//! Here a point's impulse is a total that begins with last step's, later resolutions may lower it, and
//! friction is judged on the total. A pile at rest is then nearly solved before the first iteration.
//!
//! Last step's totals come first, then blows, which bounce, in S1's form: whatever still closes faster than
//! the restitution threshold. (Blows before totals stop what falls by `g dt` a second time, and the weight is lost.) What is
//! left is the law in `patch`, solved by S1's choice (the contact farthest from its law next, S1-57) with all
//! points of a manifold at once, in a few sweeps over them. A manifold is left well below the threshold: what
//! is left over turns its bodies the same way in every step.
//!
//! The impulse that stopped a motion in the last step is given again in this one. So whatever asks for a motion
//! (recovery of overlap, return of slip) asks for it gradually, and phases must converge: under iteration limits
//! what is left over is repeated, and towers sway and fall (`docs/decisions/0025-resolving-with-totals.md` has the figures).

use super::batch::BatchSolver;
use super::patch::{self, Patch, PatchMatrix, PatchPoint};
use super::resolve::PhaseEnd;
use super::row::{Masses, Resolved};
use super::speeds::StepSpeeds;
use super::{ContactOrder, ImpulseConfig};
use crate::SolverReport;
use drystone_contact::ContactGraph;
use drystone_math::{Real, Vector3};
use std::ops::Range;

/// Most sweeps over the points of a manifold in one resolution.
const SWEEPS: usize = 12;

/// Part of the threshold to which a manifold is solved when it is its turn.
const INNER: Real = 0.1;

/// A patch of a body: its index, and on which side the body is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Side {
    patch: u32,
    is_b: bool,
}

impl<O: ContactOrder> BatchSolver<O> {
    /// Last step's impulses, blows, the global phase, and shock propagation when that did not converge.
    pub(super) fn resolve_totals(
        &mut self,
        config: &ImpulseConfig,
        speeds: &StepSpeeds,
        graph: &ContactGraph,
        report: &mut SolverReport,
    ) {
        let mut blows = *speeds;
        blows.threshold = speeds.resolve.restitution_speed;
        let all = 0..self.rows.len();
        self.gather_patches(graph);
        if self.refresh(all.clone(), blows.threshold) {
            self.link_touches();
            let limit = config.most_resolutions(None, all.len());
            report.iterations += self.run_phase(all, limit, 0, &blows, report).iterations;
        }
        self.link_patches();
        let all = 0..self.patches.len();
        let points = self.rows.len();
        let end = self.run_totals(all, config.most_resolutions(config.global_limit, points), 0, speeds);
        report.iterations += end.iterations;
        if !end.is_solved {
            let shock = config.shock_limit.filter(|_| self.bodies.iter().skip(1).any(|b| b.level == 1));
            if shock.is_some() {
                self.propagate_totals(config, speeds, report);
            } else {
                report.limit_hits += 1;
            }
        }
        for (row, point) in self.rows.iter_mut().zip(&self.points) {
            row.total = point.j;
            row.impulse += point.j;
        }
    }

    /// Shock propagation (Algorithm 10, S1-61..63) in the same form.
    fn propagate_totals(&mut self, config: &ImpulseConfig, speeds: &StepSpeeds, report: &mut SolverReport) {
        for level in 1..=self.level_count + 1 {
            let starts = &self.level_edges;
            let end = starts[(2 * level as usize + 3).min(starts.len() - 1)];
            let members = starts[2 * level as usize] as usize..end as usize;
            let points: u32 = self.patches[members.clone()].iter().map(|p| p.count).sum();
            let limit = config.most_resolutions(config.shock_limit, points as usize);
            let phase = self.run_totals(members, limit, level, speeds);
            report.shock_stages += u32::from(phase.iterations > 0);
            report.iterations += phase.iterations;
            report.shock_iterations += phase.iterations;
            report.limit_hits += u32::from(!phase.is_solved);
        }
    }

    /// Makes a patch of every edge and applies last step's impulses, between bodies that are awake.
    fn gather_patches(&mut self, graph: &ContactGraph) {
        self.patches.clear();
        self.points.clear();
        self.matrices.clear();
        self.matrices.resize(self.rows.len(), PatchMatrix::NONE);
        self.keys.clear();
        self.keys.resize(self.sorted.len(), Real::NEG_INFINITY);
        for sorted in &self.sorted {
            let manifold = &graph.edge(sorted.edge).manifold;
            let (first, count) = (self.points.len(), manifold.points().len());
            let ends = sorted.ends.map(|k| k as usize);
            let n = manifold.normal;
            let [a, b] = ends.map(|k| &self.bodies[k]);
            let is_live = |k: usize| self.bodies[k].is_awake || self.bodies[k].inverse_mass == 0.0;
            let is_warm = ends.iter().all(|&k| is_live(k)) && a.inverse_mass + b.inverse_mass > 0.0;
            let friction = manifold.material.static_friction;
            self.patches.push(Patch {
                normal: n,
                bodies: sorted.ends,
                first: first as u32,
                count: count as u32,
                friction,
                material: manifold.material,
                masses: Masses::NONE,
                mobility: (2.0 * (a.inverse_mass + b.inverse_mass)).max(Real::MIN_POSITIVE),
            });
            let masses = Masses::new(a.inverse_mass > 0.0, b.inverse_mass > 0.0);
            let at_rest = !a.is_awake && !b.is_awake;
            for (point, row) in manifold.points().iter().zip(&self.rows[first..]) {
                self.points.push(PatchPoint {
                    w: Vector3::zeros(),
                    j: if is_warm { point.warm_start_impulse } else { Vector3::zeros() },
                    arm_a: row.arm_a,
                    arm_b: row.arm_b,
                    idle: if at_rest { row.allowed_approach + row.resting_velocity } else { 0.0 },
                });
            }
            if !is_warm {
                continue;
            }
            if let (Ok([a, b]), Some(patch)) = (self.bodies.get_disjoint_mut(ends), self.patches.last()) {
                let points = &mut self.points[first..];
                patch.relieve(points);
                for point in &*points {
                    patch::push(a, b, point, &point.j, masses, &mut Resolved::default());
                }
            }
        }
    }

    /// Lists the patches of every movable body (S1-64).
    fn link_patches(&mut self) {
        let offsets = &mut self.side_offsets;
        offsets.clear();
        offsets.resize(self.bodies.len() + 1, 0);
        for body in self.patches.iter().flat_map(|p| p.bodies) {
            offsets[body as usize + 1] += u32::from(body != 0);
        }
        for i in 1..offsets.len() {
            offsets[i] += offsets[i - 1];
        }
        self.sides.clear();
        self.sides.resize(offsets[offsets.len() - 1] as usize, Side::default());
        for (i, patch) in self.patches.iter().enumerate() {
            for (body, is_b) in [(patch.bodies[0], false), (patch.bodies[1], true)] {
                if body != 0 {
                    self.sides[offsets[body as usize] as usize] = Side { patch: i as u32, is_b };
                    offsets[body as usize] += 1;
                }
            }
        }
        // Each offset moved to the start of the next body: shift them back.
        for i in (1..offsets.len()).rev() {
            offsets[i] = offsets[i - 1];
        }
        offsets[0] = 0;
    }

    /// Takes velocities and violations of a patch anew.
    fn look_at(&mut self, index: usize, threshold: Real) -> Real {
        let patch = &self.patches[index];
        let [a, b] = patch.bodies.map(|k| &self.bodies[k as usize]);
        let range = patch.first as usize..(patch.first + patch.count) as usize;
        let mut worst = Real::NEG_INFINITY;
        for (point, row) in self.points[range.clone()].iter_mut().zip(&self.rows[range]) {
            point.w = row.velocity_beyond_rest(a, b);
            worst = worst.max(point.violation(patch, threshold));
        }
        worst
    }

    /// Takes all of `members` anew; true when one is not solved.
    fn look_at_all(&mut self, members: Range<usize>, is_first: bool, speeds: &StepSpeeds) -> bool {
        let (threshold, slipping) = (speeds.threshold, speeds.sticking_limit());
        let mut any = false;
        for i in members {
            if is_first || self.keys[i] != Real::NEG_INFINITY {
                let kinetic = self.patches[i].material.kinetic_friction;
                if is_first && self.patches[i].friction > kinetic {
                    self.look_at(i, threshold);
                    let patch = &mut self.patches[i];
                    let range = patch.first as usize..(patch.first + patch.count) as usize;
                    if patch.slides(&self.points[range], slipping) {
                        patch.friction = kinetic;
                    }
                }
                self.keys[i] = self.look_at(i, threshold);
                any |= self.keys[i] > threshold;
            }
        }
        any
    }

    /// Resolves the manifolds of `members` one after the other, the one farthest from its law first, until all
    /// obey it within the threshold or `limit` points were resolved (the sweeps under way are finished).
    fn run_totals(
        &mut self,
        members: Range<usize>,
        limit: u64,
        frozen_below: u32,
        speeds: &StepSpeeds,
    ) -> PhaseEnd {
        let mut end = PhaseEnd::default();
        let threshold = speeds.threshold;
        self.look_at_all(members.clone(), true, speeds);
        self.order.begin(&self.keys, members.clone(), threshold);
        let mut is_fresh = true;
        loop {
            let Some(i) = self.order.next(&self.keys) else {
                if is_fresh || !self.look_at_all(members.clone(), false, speeds) {
                    end.is_solved = true;
                    return end;
                }
                self.order.begin(&self.keys, members.clone(), threshold);
                is_fresh = true;
                continue;
            };
            if end.iterations >= limit {
                return end;
            }
            is_fresh = false;
            let (resolved, count) = self.resolve_patch(i, frozen_below, speeds);
            end.iterations += count.max(1);
            self.order.changed(i, &self.keys);
            if count == 0 {
                continue;
            }
            let [a, b] = self.patches[i].bodies;
            self.tell(a, i, &resolved.linear_a, &resolved.angular_a, threshold, &members);
            self.tell(b, i, &resolved.linear_b, &resolved.angular_b, threshold, &members);
        }
    }

    /// Solves one manifold, by sweeps over its points; returns what its bodies' velocities changed, and how many
    /// points were resolved.
    fn resolve_patch(&mut self, index: usize, frozen_below: u32, speeds: &StepSpeeds) -> (Resolved, u64) {
        let mut sum = Resolved::default();
        let inner = speeds.threshold * INNER;
        let patch = &mut self.patches[index];
        let range = patch.first as usize..(patch.first + patch.count) as usize;
        let Ok([a, b]) = self.bodies.get_disjoint_mut(patch.bodies.map(|k| k as usize)) else {
            self.keys[index] = Real::NEG_INFINITY;
            return (sum, 0);
        };
        let masses = Masses::new(a.moves(frozen_below), b.moves(frozen_below));
        if masses == Masses::new(false, false) {
            self.keys[index] = Real::NEG_INFINITY;
            return (sum, 0);
        }
        let rows = &mut self.rows[range.clone()];
        let points = &mut self.points[range.clone()];
        let matrices = &mut self.matrices[range];
        if patch.masses != masses {
            for (row, matrix) in rows.iter_mut().zip(matrices.iter_mut()) {
                let k = row.prepare(a, b, masses);
                *matrix = PatchMatrix::new(&k, row.inverse_k, &patch.normal);
            }
            patch.masses = masses;
        }
        let mut count = 0;
        let mut worst = Real::NEG_INFINITY;
        for sweep in 0..2 * SWEEPS {
            worst = Real::NEG_INFINITY;
            for ((point, row), matrix) in points.iter_mut().zip(rows.iter()).zip(matrices.iter()) {
                point.w = row.velocity_beyond_rest(a, b);
                let violation = point.violation(patch, inner);
                worst = worst.max(violation);
                if violation > inner {
                    let j = point.solution(patch, matrix);
                    let change = j - point.j;
                    if change != Vector3::zeros() {
                        point.j = j;
                        patch::push(a, b, point, &change, masses, &mut sum);
                        count += 1;
                    }
                }
            }
            if worst <= inner || sweep + 1 == SWEEPS {
                // Where all of it slips in spite of static friction, the kinetic one acts.
                let kinetic = patch.material.kinetic_friction;
                if patch.friction <= kinetic || !patch.slides(points, speeds.threshold) {
                    break;
                }
                patch.friction = kinetic;
            }
        }
        if count == 0 && worst > speeds.threshold {
            worst = Real::NEG_INFINITY;
        } else if worst > inner {
            worst = points.iter_mut().zip(rows.iter()).fold(Real::NEG_INFINITY, |worst, (point, row)| {
                point.w = row.velocity_beyond_rest(a, b);
                worst.max(point.violation(patch, speeds.threshold))
            });
        }
        self.keys[index] = worst;
        a.is_awake |= a.inverse_mass > 0.0;
        b.is_awake |= b.inverse_mass > 0.0;
        (sum, count)
    }

    /// Follows a velocity change of one body through its other patches.
    #[inline]
    fn tell(
        &mut self,
        body: u32,
        from: usize,
        linear: &Vector3,
        angular: &Vector3,
        threshold: Real,
        members: &Range<usize>,
    ) {
        if body == 0 {
            return;
        }
        let range = self.side_offsets[body as usize] as usize..self.side_offsets[body as usize + 1] as usize;
        for side in &self.sides[range] {
            let i = side.patch as usize;
            if i == from {
                continue;
            }
            if !members.contains(&i) || self.keys[i] == Real::NEG_INFINITY {
                continue;
            }
            let patch = &self.patches[i];
            let points = &mut self.points[patch.first as usize..(patch.first + patch.count) as usize];
            let mut worst = Real::NEG_INFINITY;
            for point in points {
                if side.is_b {
                    point.w += linear + angular.cross(&point.arm_b);
                } else {
                    point.w -= linear + angular.cross(&point.arm_a);
                }
                let violation = point.violation(patch, threshold);
                worst = if violation > worst { violation } else { worst };
            }
            self.keys[i] = worst;
            self.order.changed(i, &self.keys);
        }
    }
}
