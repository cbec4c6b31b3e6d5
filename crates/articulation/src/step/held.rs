//! What acts at the start of a split (what stops, impacts on limits), and the forces that are held over a split: stiff motors, damping, dry friction and limits.
//!
//! ```text
//! (H + h D + h² K) q̈ = τ + s - k e₀ - (d + h k) v₀ - bias,   v = v₀ + h q̈,   then the rows of `rows` and the loop closures
//! ```
//! A motor that would give more than its largest force becomes a row, and the system is solved again without it on the diagonal; as motors
//! only join the rows, this ends after as many rounds as there are motors.

use super::Articulation;
use super::config::StepReport;
use super::rows::{Place, Row, RowKind};
use crate::dynamics::Loads;
use crate::error::ArticulationError;
use crate::model::{Ball, JointDirection};
use crate::state::State;

/// Share of its largest force by which a motor may exceed it, from rounding.
const ROUNDING: f64 = 1e-9;

impl Articulation {
    /// What acts at the start of a split: stiff motors and damping stop what moves, and limits what would pass them, together.
    pub(super) fn stop(&mut self, h: f64, report: &mut StepReport) -> Result<(), ArticulationError> {
        let brakes = self.drives.any_brake();
        if brakes {
            self.brake(h)?;
        }
        self.stop_at_limits(h, brakes, report)?;
        for (drive, velocity) in self.drives.each.iter_mut().zip(&self.state.velocities) {
            if brakes && !drive.is_soft {
                drive.given = [-drive.damping * velocity, drive.kick - drive.brake * velocity];
            }
        }
        self.kinematics.update_velocities(&self.model, &self.state.velocities);
        Ok(())
    }

    /// Takes out of the velocities what would pass limits within `h`.
    fn stop_at_limits(
        &mut self,
        h: f64,
        is_factored: bool,
        report: &mut StepReport,
    ) -> Result<(), ArticulationError> {
        self.rows.clear();
        let (model, State { positions, velocities }) = (&self.model, &self.state);
        let room = |gap: f64| gap.max(0.0) / h;
        if !self.rows.add_passed_limits(model, positions, velocities, room) {
            return Ok(());
        }
        if !is_factored {
            self.factor.factorize(model, &self.kinematics)?;
            if !self.loops.is_empty() {
                self.loops.prepare(model, &self.kinematics, &self.factor, &mut self.response);
            }
        }
        self.predicted.copy_from_slice(&self.state.velocities);
        self.solve_rows(h, report);
        self.state.velocities.copy_from_slice(&self.predicted);
        Ok(())
    }

    /// Tells soft drives from stiff ones.
    pub(super) fn choose_treatment(&mut self, h: f64) -> Result<(), ArticulationError> {
        if self.drives.any {
            self.factor.factorize(&self.model, &self.kinematics)?;
            self.drives.linearize(&self.model, &self.state.positions, h, Some(&self.factor));
        }
        Ok(())
    }

    /// Stiff motors and damping stop what moves, at once: `(H + h D + h² K) v = H v₀ + h D v_target`.
    fn brake(&mut self, h: f64) -> Result<(), ArticulationError> {
        for (dof, drive) in self.drives.each.iter().enumerate() {
            let velocity = self.state.velocities[dof];
            let (damping, brake, kick) =
                if drive.is_soft { (0.0, 0.0, 0.0) } else { (drive.damping, drive.brake, drive.kick) };
            self.diagonal[dof] = h * (damping + brake);
            self.forces[dof] = h * (kick - (damping + brake) * velocity);
        }
        let (model, kinematics) = (&self.model, &self.kinematics);
        self.factor.factorize_with(model, kinematics, &self.diagonal)?;
        let Self { factor, response, forces, predicted, .. } = self;
        response.to_joint_impulses(model, kinematics, factor, forces, predicted);
        self.state.velocities.iter_mut().zip(predicted.iter()).for_each(|(v, change)| *v += change);
        if !self.loops.is_empty() {
            self.loops.prepare(model, kinematics, factor, response);
            self.loops.measure_velocity(&self.state.velocities);
            self.loops.cancel(&mut self.state.velocities);
        }
        Ok(())
    }

    /// True when something acts that is held over a split.
    pub(super) fn needs_held_forces(&self) -> bool {
        let acts = |dof: &crate::model::DofSpec| dof.friction > 0.0 || dof.limits.is_some();
        let ball_acts = |ball: &Ball| ball.spec.is_limited() || ball.spec.is_driven();
        self.drives.any_stiff() || self.model.dofs.iter().any(acts) || self.model.balls.iter().any(ball_acts)
    }

    /// Finds the velocities at the end of a split (`predicted`) and the forces along joints that are held over it (`held`, with those of
    /// the user).
    pub(super) fn find_held_forces(
        &mut self,
        h: f64,
        report: &mut StepReport,
    ) -> Result<(), ArticulationError> {
        self.drives.find_ball_drives(&self.model, &self.state, h);
        // One round more than motors that can join the rows.
        for _ in 0..=self.model.dof_count() {
            self.solve_without_rows(h)?;
            self.rows.clear();
            self.add_friction_and_motors(h);
            self.solve_rows(h, report);
            if !self.saturate() {
                break;
            }
        }
        report.active_limits = 0;
        report.saturated_motors = 0;
        self.collect(h, report);
        Ok(())
    }

    /// Velocities at the end with implicit motors and loop closures, without rows.
    fn solve_without_rows(&mut self, h: f64) -> Result<(), ArticulationError> {
        let velocities = &self.state.velocities;
        for (dof, drive) in self.drives.each.iter().enumerate() {
            let slope = drive.damping + if drive.is_row { 0.0 } else { drive.slope };
            let pull = if drive.is_row { 0.0 } else { drive.pull };
            self.diagonal[dof] = h * slope;
            let given = drive.given[0] + drive.given[1];
            self.forces[dof] = self.joint_forces[dof] + pull - slope * velocities[dof] - given;
        }
        self.drives.balls.iter().for_each(|drive| drive.at.add_to(drive.force(), &mut self.forces));
        self.factor.factorize_with(&self.model, &self.kinematics, &self.diagonal)?;
        let loads = Loads { joint_forces: &self.forces, wrenches: &self.wrenches };
        self.forward.accelerate(&self.model, &self.kinematics, &self.factor, &loads, &mut self.predicted);
        if !self.loops.is_empty() {
            self.loops.prepare(&self.model, &self.kinematics, &self.factor, &mut self.response);
            let accelerations = self.forward.link_accelerations();
            self.loops.measure_acceleration(&self.model, &self.kinematics, accelerations);
            self.loops.cancel(&mut self.predicted);
            self.loops.forces.copy_from_slice(&self.loops.rows);
        }
        for (predicted, velocity) in self.predicted.iter_mut().zip(velocities) {
            *predicted = velocity + h * *predicted;
        }
        Ok(())
    }

    fn add_friction_and_motors(&mut self, h: f64) {
        for (dof, spec) in self.model.dofs.iter().enumerate() {
            let (drive, at) = (&self.drives.each[dof], JointDirection::Dof(dof));
            if spec.friction > 0.0 {
                let (bounds, kind) = ((-h * spec.friction, h * spec.friction), RowKind::Friction);
                self.rows.rows.push(Row { dof, at, kind, bounds, offset: 0.0, compliance: 0.0 });
            }
            if drive.is_row {
                let (most, kind, compliance) = (h * drive.max_force, RowKind::Motor, 1.0 / (h * drive.slope));
                let offset = -h * drive.pull * compliance;
                self.rows.rows.push(Row { dof, at, kind, bounds: (-most, most), offset, compliance });
            }
        }
        for drive in self.drives.balls.iter().filter(|drive| drive.slope > 0.0) {
            let (most, compliance) = (h * drive.max_force, 1.0 / (h * drive.slope));
            let (bounds, offset) = ((-most, most), -drive.pull / drive.slope);
            let (dof, at, kind) = (drive.dof, drive.at, RowKind::BallMotor);
            self.rows.rows.push(Row { dof, at, kind, bounds, offset, compliance });
        }
    }

    /// Solves the rows, and again while limits are left that would be passed; `predicted` are the velocities.
    fn solve_rows(&mut self, h: f64, report: &mut StepReport) {
        self.base.copy_from_slice(&self.predicted);
        // Limits only join, so this ends: both of each degree of freedom, and each cone, at most.
        for _ in 0..=2 * self.model.dof_count() + self.model.balls.len() {
            let room = |gap: f64| gap.max(0.0) / h;
            let added =
                self.rows.add_passed_limits(&self.model, &self.state.positions, &self.predicted, room);
            if self.rows.rows.is_empty() || !added && !self.rows.impulses.is_empty() {
                return;
            }
            self.predicted.copy_from_slice(&self.base);
            let place = Place { model: &self.model, kinematics: &self.kinematics, factor: &self.factor };
            let most = self.config.max_iterations;
            let ended =
                self.rows.solve(&place, &mut self.loops, &mut self.response, &mut self.predicted, most);
            report.iterations = report.iterations.max(ended.iterations);
            report.iteration_limit_hit |= !ended.converged;
        }
    }

    /// Makes rows of motors that would give more than their largest force; true when there were any.
    fn saturate(&mut self) -> bool {
        let mut any = false;
        for (drive, &velocity) in self.drives.each.iter_mut().zip(&self.predicted) {
            let exceeds = drive.motor_force(velocity).abs() > drive.max_force * (1.0 + ROUNDING);
            if exceeds && !drive.is_row {
                drive.is_row = true;
                any = true;
            }
        }
        any
    }

    /// Forces that are held over the split, from the velocities at its end.
    fn collect(&mut self, h: f64, report: &mut StepReport) {
        let Self { held, passive, joint_forces, drives, predicted, rows, loops, .. } = self;
        for (dof, drive) in drives.each.iter().enumerate() {
            held[dof] = joint_forces[dof];
            passive[dof] = 0.0;
            if drive.is_soft {
                continue;
            }
            passive[dof] = -drive.damping * predicted[dof] - drive.given[0];
            if !drive.is_row {
                drives.motor_forces[dof] = drive.motor_force(predicted[dof]);
                held[dof] += drives.motor_forces[dof] - drive.given[1];
            }
        }
        // Motors of balls are those of the last split.
        for drive in &drives.balls {
            let first = drive.first_dof();
            drives.motor_forces[first..first + 3].fill(0.0);
        }
        for drive in &drives.balls {
            drive.at.add_to(drive.force(), &mut drives.motor_forces);
            drive.at.add_to(drive.force(), held);
        }
        for (row, &impulse) in rows.rows.iter().zip(&rows.impulses) {
            let force = impulse / h;
            if row.kind.is_limit() || row.kind == RowKind::Friction {
                report.active_limits += u32::from(row.kind.is_limit() && impulse != 0.0);
                row.at.add_to(force, passive);
                continue;
            }
            report.saturated_motors += u32::from(impulse.abs() >= row.bounds.1 * (1.0 - ROUNDING));
            if row.kind == RowKind::BallMotor {
                row.at.add_to(force, &mut drives.motor_forces);
                row.at.add_to(force, held);
            } else if !drives.each[row.dof].is_soft {
                drives.motor_forces[row.dof] = force;
                held[row.dof] += force;
            }
        }
        held.iter_mut().zip(passive.iter()).for_each(|(held, force)| *held += force);
        rows.add_loop_forces(loops, h);
    }
}
