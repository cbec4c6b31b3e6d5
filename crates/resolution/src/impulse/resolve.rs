//! Phases of a batch: one contact after the other until none closes or the limit is reached (Algorithm 9).

use super::batch::BatchSolver;
use super::row::{Masses, Resolved};
use super::speeds::StepSpeeds;
use super::{ContactOrder, ImpulseConfig};
use crate::SolverReport;
use drystone_math::Real;
use std::ops::Range;

/// How a phase ended.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PhaseEnd {
    pub(super) iterations: u64,
    /// Nothing closes any more.
    pub(super) is_solved: bool,
}

/// Why a row was not resolved.
#[derive(Clone, Copy, Debug)]
enum Skipped {
    /// This is what its closing speed is to be taken for: it does not close after all, or (negative infinity)
    /// nothing can be done about it in this phase.
    Closes(Real),
    /// It would add energy, and is to be resolved jointly.
    Gains,
}

impl<O: ContactOrder> BatchSolver<O> {
    /// The global phase, then shock propagation when that did not converge (S1-62).
    pub(super) fn resolve_all(
        &mut self,
        config: &ImpulseConfig,
        speeds: &StepSpeeds,
        report: &mut SolverReport,
    ) {
        let all = 0..self.rows.len();
        let limit = config.most_resolutions(config.global_limit, all.len());
        let end = self.run_held(all.clone(), limit, 0, speeds, report);
        report.iterations += end.iterations;
        if end.is_solved {
            return;
        }
        self.finish_blows(all, config, speeds, report);
        if !self.excess.iter().any(|&e| e > speeds.threshold) {
            return;
        }
        let shock = config.shock_limit.filter(|_| self.bodies.iter().skip(1).any(|b| b.level == 1));
        if shock.is_some() {
            self.propagate_shock(config, speeds, report);
        } else {
            report.limit_hits += 1;
        }
    }

    /// Goes on with the contacts that close faster than gravity alone makes them. Shock propagation lets what
    /// is done count as infinitely heavy, which is right for weight and wrong for blows: a catapult hit in
    /// that state gains half its energy from nothing. Beyond S1.
    pub(super) fn finish_blows(
        &mut self,
        members: Range<usize>,
        config: &ImpulseConfig,
        speeds: &StepSpeeds,
        report: &mut SolverReport,
    ) {
        let mut blows = *speeds;
        blows.threshold = speeds.resolve.restitution_speed;
        if config.impact_limit > 0.0 && self.excess.iter().any(|&e| e > blows.threshold) {
            let limit = config.most_resolutions(Some(config.impact_limit), members.len());
            report.iterations += self.run_phase(members, limit, 0, &blows, report).iterations;
        }
    }

    /// A phase, its sticking contacts held, and a second phase for what that set in motion, all within one
    /// limit.
    pub(super) fn run_held(
        &mut self,
        members: Range<usize>,
        limit: u64,
        frozen_below: u32,
        speeds: &StepSpeeds,
        report: &mut SolverReport,
    ) -> PhaseEnd {
        let mut end = self.run_phase(members.clone(), limit, frozen_below, speeds, report);
        if speeds.stick_sweeps > 0 && self.hold(members.clone(), frozen_below, speeds) && end.is_solved {
            let again = self.run_phase(members, limit - end.iterations, frozen_below, speeds, report);
            end = PhaseEnd { iterations: end.iterations + again.iterations, is_solved: again.is_solved };
        }
        end
    }

    /// Resolves the contacts of `members` one after the other, in the order's order, until none closes
    /// faster than the threshold or `limit` is reached. Bodies of a level in `1..frozen_below` count as
    /// infinitely heavy.
    ///
    /// Closing speeds of neighbours are updated by what their bodies' velocities changed, which adds
    /// rounding; so a contact is looked at afresh before it is resolved, and all of them when the order
    /// finds none left. Costs O(contacts of both bodies) per iteration plus the order's search.
    pub(super) fn run_phase(
        &mut self,
        members: Range<usize>,
        limit: u64,
        frozen_below: u32,
        speeds: &StepSpeeds,
        report: &mut SolverReport,
    ) -> PhaseEnd {
        let mut end = PhaseEnd::default();
        self.order.begin(&self.excess, members.clone(), speeds.threshold);
        let mut is_fresh = true;
        loop {
            let Some(i) = self.order.next(&self.excess) else {
                if is_fresh || !self.refresh(members.clone(), speeds.threshold) {
                    end.is_solved = true;
                    return end;
                }
                self.order.begin(&self.excess, members.clone(), speeds.threshold);
                is_fresh = true;
                continue;
            };
            if end.iterations >= limit {
                return end;
            }
            end.iterations += 1;
            is_fresh = false;
            let [a, b] = self.rows[i].bodies.map(|k| k as usize);
            let resolved = match self.resolve_row(i, frozen_below, speeds) {
                Ok(resolved) => resolved,
                Err(Skipped::Closes(excess)) => {
                    self.excess[i] = excess;
                    self.order.changed(i, &self.excess);
                    continue;
                }
                Err(Skipped::Gains) => {
                    report.energy_joint += self.resolve_jointly(i, frozen_below, speeds, &members);
                    continue;
                }
            };
            report.energy_scaled += u32::from(resolved.is_scaled);
            self.update_excess(a, &resolved.linear_a, &resolved.angular_a, &members);
            self.update_excess(b, &resolved.linear_b, &resolved.angular_b, &members);
        }
    }

    /// Resolves one row; bodies that take part are awake from then on (S1-39). An `Err` tells why it did not.
    fn resolve_row(&mut self, i: usize, frozen_below: u32, speeds: &StepSpeeds) -> Result<Resolved, Skipped> {
        let row = &mut self.rows[i];
        let Ok([a, b]) = self.bodies.get_disjoint_mut(row.bodies.map(|k| k as usize)) else {
            return Err(Skipped::Closes(Real::NEG_INFINITY));
        };
        let u = row.relative_velocity(a, b);
        let excess = row.excess_of(&u);
        if excess <= speeds.threshold {
            return Err(Skipped::Closes(excess));
        }
        let masses = Masses::new(a.moves(frozen_below), b.moves(frozen_below));
        if masses == Masses::new(false, false) {
            return Err(Skipped::Closes(Real::NEG_INFINITY));
        }
        if row.masses != masses {
            row.prepare(a, b, masses);
        }
        if row.k_nn <= 0.0 {
            // Locked along the normal on both sides.
            return Err(Skipped::Closes(Real::NEG_INFINITY));
        }
        let resolved = row.resolve(a, b, &u, &speeds.resolve).ok_or(Skipped::Gains)?;
        a.is_awake |= a.inverse_mass > 0.0;
        b.is_awake |= b.inverse_mass > 0.0;
        Ok(resolved)
    }

    /// Follows a velocity change of one body through its contacts.
    #[inline]
    pub(super) fn update_excess(
        &mut self,
        body: usize,
        linear: &drystone_math::Vector3,
        angular: &drystone_math::Vector3,
        members: &Range<usize>,
    ) {
        if body == 0 {
            return;
        }
        let range = self.touch_offsets[body] as usize..self.touch_offsets[body + 1] as usize;
        for touches in &self.touches[range] {
            let changes = touches.changes(linear, angular);
            for (&row, change) in touches.rows().iter().zip(changes) {
                let row = row as usize;
                self.excess[row] += change;
                if members.contains(&row) {
                    self.order.changed(row, &self.excess);
                }
            }
        }
    }

    /// Takes the closing speeds of `members` anew from the velocities; true when one exceeds the threshold.
    pub(super) fn refresh(&mut self, members: Range<usize>, threshold: Real) -> bool {
        let mut any = false;
        for i in members {
            if self.excess[i] != Real::NEG_INFINITY && !self.are_at_rest(&self.rows[i]) {
                let [a, b] = self.rows[i].bodies.map(|k| k as usize);
                self.excess[i] = self.rows[i].excess(&self.bodies[a], &self.bodies[b]);
                any |= self.excess[i] > threshold;
            }
        }
        any
    }
}
