//! Settings of a step, and what a step tells.

use crate::error::{ArticulationError, in_range};

/// How smooth motion is integrated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Integrator {
    /// One acceleration per step, then `v += h a`, `q += h v`, with kinetic energy and momentum put back in balance. First order in the path:
    /// the energy of a pendulum sways by percents at 60 Hz. For crowds, and where a solver of one's own acts between the two halves
    /// ([`crate::Articulation::predict`]).
    SemiImplicit,
    /// Fifth order with an error estimate (Dormand and Prince 1980), cut into as many parts as the tolerance needs. The default.
    RungeKutta,
}

/// Settings of [`crate::Articulation::step`].
#[derive(Clone, Debug, PartialEq)]
pub struct StepConfig {
    /// How smooth motion is integrated. Default [`Integrator::RungeKutta`].
    pub integrator: Integrator,
    /// Error of a part of a Runge-Kutta step: of positions in rad or m, of velocities as a share of one more than the largest. Default
    /// 1e-8; in 1e-13 to 1e-2. Ten times larger saves a third of the parts where motion is fast.
    pub tolerance: f64,
    /// Parts of a Runge-Kutta step that may be tried before joints drift on for the rest of it (and that is told). Default 2000; at
    /// least 1.
    pub max_flow_steps: u32,
    /// Turn of a joint (rad) above which a step with motors, damping, friction, limits or loop closures is split. Default 0.25; in 0.01
    /// to 10. Their forces are held within a split. Less follows fast motion better and costs as many solves more.
    pub max_turn: f64,
    /// Splits that a step may have. Default 64; at least 1. Reaching it is told.
    pub max_splits: u32,
    /// Changes of the set of active limits, frictions and motors before a solve is given up (and told). Default 200; at least 1.
    pub max_iterations: u32,
    /// Error of loop closures (m, rad) that is left standing. Default 1e-10; in 1e-14 to 1e-2.
    pub loop_tolerance: f64,
    /// Error of loop closures (m, rad) that one step takes back at most. Default 0.02; above 0. Larger assembles sooner what was put
    /// together wrongly.
    pub max_correction: f64,
}

impl Default for StepConfig {
    fn default() -> Self {
        Self {
            integrator: Integrator::RungeKutta,
            tolerance: 1e-8,
            max_flow_steps: 2000,
            max_turn: 0.25,
            max_splits: 64,
            max_iterations: 200,
            loop_tolerance: 1e-10,
            max_correction: 0.02,
        }
    }
}

impl StepConfig {
    /// Checks all ranges.
    ///
    /// # Errors
    /// The first setting that is out of range.
    pub fn validate(&self) -> Result<(), ArticulationError> {
        in_range("tolerance", "in 1e-13 to 1e-2", self.tolerance, |x| (1e-13..=1e-2).contains(&x))?;
        in_range("max_flow_steps", "at least 1", f64::from(self.max_flow_steps), |x| x >= 1.0)?;
        in_range("max_turn", "in 0.01 to 10 rad", self.max_turn, |x| (0.01..=10.0).contains(&x))?;
        in_range("max_splits", "at least 1", f64::from(self.max_splits), |x| x >= 1.0)?;
        in_range("max_iterations", "at least 1", f64::from(self.max_iterations), |x| x >= 1.0)?;
        in_range("loop_tolerance", "in 1e-14 to 1e-2", self.loop_tolerance, |x| (1e-14..=1e-2).contains(&x))?;
        in_range("max_correction", "finite and above 0", self.max_correction, |x| x > 0.0)?;
        Ok(())
    }
}

/// What a step did, and which limits it hit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Splits of the step.
    pub splits: u32,
    /// True when the motion asked for more than `max_splits`.
    pub split_limit_hit: bool,
    /// Parts of Runge-Kutta steps, those given up included; 0 with [`Integrator::SemiImplicit`].
    pub flow_steps: u32,
    /// True when a Runge-Kutta step ran out of parts: joints drifted on for its rest, and energy that appeared was taken
    /// out.
    pub flow_limit_hit: bool,
    /// Most changes of the active set that a solve took.
    pub iterations: u32,
    /// True when a solve of limits, friction and motors ran out of iterations: its answer is not exact.
    pub iteration_limit_hit: bool,
    /// Limits that pushed in the last split.
    pub active_limits: u32,
    /// Motors that gave their largest force in the last split.
    pub saturated_motors: u32,
    /// Rows of loop closures that follow from others (and get no force of their own).
    pub redundant_rows: u32,
    /// Largest error of a loop closure's point after the step, m.
    pub loop_distance: f64,
    /// Largest error of a loop closure's turn after the step, rad.
    pub loop_angle: f64,
}
