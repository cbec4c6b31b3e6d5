//! Takes back by displacement what loop closures and limits are off, and what loop closures still move.
//!
//! ```text
//! q ← q ⊕ Δ,   Δ = -H⁻¹ Jᵀ A⁺ C,   with limits as rows (gap + Δ ≥ 0)         Newton's method, up to ROUNDS times
//! v ← v - H⁻¹ Jᵀ A⁺ J v
//! ```
//! The second is a projection in the norm of kinetic energy, so it only takes. The first may lift a weight: what energy there is more than
//! before is taken out of the velocities, as far as they have it.

use super::Articulation;
use super::config::StepReport;
use super::rows::{Place, ball_limits};
use crate::error::ArticulationError;
use crate::model::{Ball, DofSpec};
use crate::state::{State, advance};

/// Rounds of Newton's method: its error is squared in each.
const ROUNDS: u32 = 3;
/// Most that one round displaces a joint, rad or m: near poses in which closures and limits cannot both hold, a small error asks for a large
/// turn, which the linear equations know nothing of.
const MOST_DISPLACEMENT: f64 = 0.1;
/// How far beyond a limit (rad or m) is left as it is: rounding of positions up to thousands.
const LIMIT_SLACK: f64 = 1e-12;

impl Articulation {
    /// Loop closures and limits, after a split.
    pub(super) fn correct(&mut self, report: &mut StepReport) -> Result<(), ArticulationError> {
        let has_loops = !self.loops.is_empty();
        if !has_loops && !self.is_beyond_a_limit() {
            return Ok(());
        }
        let budget = self.energy();
        for _ in 0..ROUNDS {
            if !self.displace_errors(report)? {
                break;
            }
        }
        if has_loops {
            self.factor.factorize(&self.model, &self.kinematics)?;
            self.loops.prepare(&self.model, &self.kinematics, &self.factor, &mut self.response);
            self.loops.measure_velocity(&self.state.velocities);
            self.loops.cancel(&mut self.state.velocities);
            self.kinematics.update_velocities(&self.model, &self.state.velocities);
            [report.loop_distance, report.loop_angle] = self.loops.measure(&self.kinematics);
            report.redundant_rows = self.loops.redundant();
        }
        self.take_out_energy(budget);
        Ok(())
    }

    /// One round of displacement; true when another may help.
    fn displace_errors(&mut self, report: &mut StepReport) -> Result<bool, ArticulationError> {
        let [distance, angle] = self.loops.measure(&self.kinematics);
        let error = distance.max(angle);
        let is_closed = error <= self.config.loop_tolerance;
        if is_closed && !self.is_beyond_a_limit() {
            return Ok(false);
        }
        self.factor.factorize(&self.model, &self.kinematics)?;
        self.predicted.fill(0.0);
        let most = self.config.max_correction;
        let share = if error > most { most / error } else { 1.0 };
        if !self.loops.is_empty() {
            self.loops.prepare(&self.model, &self.kinematics, &self.factor, &mut self.response);
            self.loops.measure(&self.kinematics);
            self.loops.cancel(&mut self.predicted);
            self.predicted.iter_mut().for_each(|step| *step *= share);
        }
        self.rows.clear();
        let room = |gap: f64| gap.max(-most);
        let (model, positions) = (&self.model, &self.state.positions);
        self.base.copy_from_slice(&self.predicted);
        // What takes one limit back may pass another: such limits join, so this ends.
        while self.rows.add_passed_limits(model, positions, &self.predicted, room) {
            self.predicted.copy_from_slice(&self.base);
            let place = Place { model, kinematics: &self.kinematics, factor: &self.factor };
            let most = self.config.max_iterations;
            let ended =
                self.rows.solve(&place, &mut self.loops, &mut self.response, &mut self.predicted, most);
            report.iteration_limit_hit |= !ended.converged;
        }
        let largest = self.predicted.iter().fold(0.0, |most: f64, step| most.max(step.abs()));
        let factor = if largest > MOST_DISPLACEMENT { MOST_DISPLACEMENT / largest } else { 1.0 };
        advance(&self.model, &mut self.state.positions, &self.predicted, factor);
        self.kinematics.update(&self.model, &self.state);
        Ok(share == 1.0 && factor == 1.0)
    }

    /// True when a joint is beyond a limit.
    fn is_beyond_a_limit(&self) -> bool {
        let beyond = |spec: &DofSpec, position: f64| {
            spec.limits.is_some_and(|[lower, upper]| {
                position < lower - LIMIT_SLACK || position > upper + LIMIT_SLACK
            })
        };
        let ball_is_beyond = |ball: &Ball| {
            let mut is_beyond = false;
            let State { positions, velocities } = &self.state;
            ball_limits(ball, &self.model, positions, velocities, |limit| {
                is_beyond |= limit.gap < -LIMIT_SLACK
            });
            is_beyond
        };
        let mut balls = self.model.balls.iter().filter(|ball| ball.spec.is_limited());
        balls.any(ball_is_beyond)
            || self.model.links().iter().any(|link| {
                let first = link.first_position as usize;
                link.dofs()
                    .enumerate()
                    .any(|(k, dof)| beyond(&self.model.dofs[dof], self.state.positions[first + k]))
            })
    }
}
