//! Islands that a fast method leaves unsolved are solved again by a stronger one (S3-33).
//!
//! In: any [`Solver`] and a bound. Out: its step, but for the islands in which a contact closes faster than the bound at the end: these
//! are put back to where the step began, and solved jointly by sweeps and, where those do not arrive, by the interior-point method
//! ([`NsgsThenInterior`]). The report says how many islands, and how fast contacts closed before and after. Start reading at [`Escalation`].
//!
//! The work on an island is limited by iterations, not by time: what a step does must not depend on the machine. Residuals are closing
//! speeds; slip that should stick is not looked for. Islands with joints are left to the fast method. Overlap is not pushed out by the joint solve: that stays with correction.
//!
//! Cost: copies of all velocities and poses per step, a look at every contact, and the islands that are solved again. Bodies that the fast
//! method woke stay awake.

use super::rows::Mover;
use super::{IslandSolver, IslandSolverConfig};
use crate::integrate::{apply_forces_to, move_body};
use crate::{NsgsConfig, NsgsThenInterior, ResolutionError, Solver, SolverReport};
use drystone_contact::{Batch, Batches, Bodies, BodyHot, BodyIndex, ContactGraph, StepParams, TurnRemainder};
use drystone_exec::Exec;
use drystone_math::{AnyCarried, Pose, Real, Symmetric3, Vector3};

/// Tuning of [`Escalation`].
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct EscalationConfig {
    /// Whether islands are solved again. Default false.
    pub enabled: bool,
    /// Closing speed at the end of the step above which an island is solved again, in units of `g dt`. Default 0.1; positive. Smaller stands
    /// better and costs more.
    pub residual_bound: Real,
    /// Natural-map error, relative to the free velocities, to which it is solved. Default 1e-6; positive.
    pub tolerance: Real,
    /// Work budget of an island: sweeps and steps of the interior-point method. Default 1000; at least 1.
    pub max_iterations: u32,
}

impl Default for EscalationConfig {
    fn default() -> Self {
        let IslandSolverConfig { tolerance, max_iterations, .. } = IslandSolverConfig::default();
        Self { enabled: false, residual_bound: 0.1, tolerance, max_iterations }
    }
}

impl EscalationConfig {
    /// `Ok` when every value is in range.
    ///
    /// # Errors
    /// The first value out of range, with its name.
    pub fn validate(&self) -> Result<(), ResolutionError> {
        let check = ResolutionError::check;
        check("residual_bound", "positive", self.residual_bound, self.residual_bound > 0.0)?;
        check("tolerance", "positive", self.tolerance, self.tolerance > 0.0)?;
        check("max_iterations", "at least 1", self.max_iterations as Real, self.max_iterations >= 1)
    }

    fn island(&self) -> IslandSolverConfig {
        IslandSolverConfig {
            tolerance: self.tolerance,
            max_iterations: self.max_iterations,
            residual_threshold: self.residual_bound,
            ..IslandSolverConfig::default()
        }
    }
}

/// When a method moves bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moves {
    /// In [`Solver::begin`]: impulses.
    AtBegin,
    /// In [`Solver::solve`]: sub-steps.
    InSolver,
}

/// A method with a stronger one behind it (see the module).
///
/// With it on, [`SolverReport::unsolved_points`] and [`SolverReport::worst_residual`] are counted anew after the last solve, for all islands alike,
/// with the bound as the threshold.
pub struct Escalation {
    config: EscalationConfig,
    fast: Box<dyn Solver>,
    moves: Moves,
    strong: IslandSolver<NsgsThenInterior>,
    chosen: Vec<Batch>,
    begun: Begun,
}

/// Bodies as they were before the fast method.
#[derive(Default)]
struct Begun {
    hot: Vec<BodyHot>,
    pose: Vec<Pose>,
    inverse_inertia: Vec<Symmetric3>,
    last_move: Vec<Vector3>,
    turn_remainder: Vec<TurnRemainder>,
}

impl Begun {
    fn note(&mut self, bodies: &mut Bodies) {
        fn copy<T: Clone>(to: &mut Vec<T>, from: &[T]) {
            to.clear();
            to.extend_from_slice(from);
        }
        let view = bodies.view_mut();
        copy(&mut self.hot, view.hot);
        copy(&mut self.pose, view.pose);
        copy(&mut self.inverse_inertia, view.inverse_inertia);
        copy(&mut self.last_move, view.last_move);
        copy(&mut self.turn_remainder, view.turn_remainder);
    }

    /// Puts a body back.
    fn restore(&self, bodies: &mut Bodies, body: BodyIndex) {
        let (view, i) = (bodies.view_mut(), body.get());
        view.hot[i] = self.hot[i];
        view.pose[i] = self.pose[i];
        view.inverse_inertia[i] = self.inverse_inertia[i];
        view.last_move[i] = self.last_move[i];
        view.turn_remainder[i] = self.turn_remainder[i];
    }
}

impl Escalation {
    /// `fast` with the sweeps and the interior-point method behind it.
    pub fn new(config: EscalationConfig, fast: Box<dyn Solver>, moves: Moves) -> Self {
        let solver = NsgsThenInterior::new(NsgsConfig::default(), NsgsThenInterior::ESCALATE_AFTER);
        let strong = IslandSolver::new(config.island(), solver);
        Self { config, fast, moves, strong, chosen: Vec::new(), begun: Begun::default() }
    }

    /// Solves the chosen islands from the begin of the step.
    fn solve_again(
        &mut self,
        bodies: &mut Bodies,
        graph: &mut ContactGraph,
        batches: &Batches,
        step: &StepParams,
        exec: &Exec,
    ) -> SolverReport {
        for batch in &self.chosen {
            for &body in batches.bodies(batch) {
                self.begun.restore(bodies, body);
                apply_forces_to(bodies, body, step, |_, _| 1.0);
            }
        }
        self.strong.ties.begin_without(self.chosen.len());
        let report = self.strong.solve_islands(&self.chosen, bodies, graph, batches, step, exec);
        if self.moves == Moves::InSolver {
            for &body in self.chosen.iter().flat_map(|batch| batches.bodies(batch)) {
                move_body(bodies, body, step);
            }
        }
        report
    }
}

impl Solver for Escalation {
    fn integrates_before_detection(&self) -> bool {
        self.fast.integrates_before_detection()
    }

    fn decides_sleep(&self) -> bool {
        self.fast.decides_sleep()
    }

    fn begin(&mut self, bodies: &mut Bodies, graph: &ContactGraph, step: &StepParams, exec: &Exec) {
        self.fast.begin(bodies, graph, step, exec);
    }

    fn correct_joints(
        &mut self,
        bodies: &mut Bodies,
        graph: &mut ContactGraph,
        batches: &Batches,
        step: &StepParams,
        exec: &Exec,
    ) {
        self.fast.correct_joints(bodies, graph, batches, step, exec);
    }

    fn method(&self) -> &'static str {
        self.fast.method()
    }

    fn supports_joints(&self) -> bool {
        self.fast.supports_joints()
    }

    fn save_state(&self, state: &mut AnyCarried) {
        self.fast.save_state(state);
    }

    fn restore_state(&mut self, state: &AnyCarried) -> bool {
        self.fast.restore_state(state)
    }

    fn solve(
        &mut self,
        bodies: &mut Bodies,
        graph: &mut ContactGraph,
        batches: &Batches,
        step: &StepParams,
        exec: &Exec,
    ) -> SolverReport {
        self.begun.note(bodies);
        let mut report = self.fast.solve(bodies, graph, batches, step, exec);
        exec.part("escalate");
        let bound = self.config.residual_bound * step.speed_unit();
        self.chosen.clear();
        (report.unsolved_points, report.worst_residual, report.worst_bodies) = (0, 0.0, None);
        for batch in batches.list() {
            let left = Residual::of(bodies, graph, batches, batch, step, bound);
            // The joints of the step are solved by then, and not begun for the stronger method.
            let has_ties =
                graph.tie_count() > 0 && batches.edges(batch).iter().any(|&edge| graph.edge(edge).is_tie());
            if left.unsolved == 0 || has_ties {
                left.tell(&mut report);
                continue;
            }
            self.chosen.push(*batch);
            report.escalated_before = report.escalated_before.max(left.worst);
            report.energy_after -= kinetic_energy(bodies, batches.bodies(batch), step);
        }
        if self.chosen.is_empty() {
            return report;
        }
        let again = self.solve_again(bodies, graph, batches, step, exec);
        report.escalated_islands = self.chosen.len() as u32;
        report.iterations += again.iterations;
        report.limit_hits += again.limit_hits;
        report.surfaces_left_out += again.surfaces_left_out;
        report.energy_after += again.energy_after;
        for batch in &self.chosen {
            let left = Residual::of(bodies, graph, batches, batch, step, bound);
            report.escalated_after = report.escalated_after.max(left.worst);
            left.tell(&mut report);
        }
        report
    }
}

/// What contacts of an island still close.
#[derive(Default)]
struct Residual {
    unsolved: u32,
    worst: Real,
    bodies: Option<[BodyIndex; 2]>,
}

impl Residual {
    /// Closing speeds beyond what gaps allow within a step; unsolved are those above `bound` (m/s).
    fn of(
        bodies: &Bodies,
        graph: &ContactGraph,
        batches: &Batches,
        batch: &Batch,
        step: &StepParams,
        bound: Real,
    ) -> Self {
        let mut left = Self::default();
        for &edge in batches.edges(batch) {
            let manifold = &graph.edge(edge).manifold;
            let ends = [manifold.body_a, manifold.body_b];
            let [a, b] = ends.map(|body| bodies.hot(body));
            for point in manifold.points() {
                let u = b.velocity_at(&point.arm_b) - a.velocity_at(&point.arm_a);
                let closing = -manifold.normal.dot(&u) - point.distance.max(0.0) / step.dt;
                left.unsolved += u32::from(closing > bound);
                if closing > left.worst {
                    (left.worst, left.bodies) = (closing, Some(ends));
                }
            }
        }
        left
    }

    fn tell(&self, report: &mut SolverReport) {
        report.unsolved_points += self.unsolved;
        if self.worst > report.worst_residual {
            (report.worst_residual, report.worst_bodies) = (self.worst, self.bodies);
        }
    }
}

/// Of the bodies that impulses move, J.
fn kinetic_energy(bodies: &Bodies, members: &[BodyIndex], step: &StepParams) -> f64 {
    members.iter().filter_map(|&body| Mover::of(bodies, body, step)).map(|mover| mover.energy()).sum()
}
