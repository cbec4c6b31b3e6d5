//! Sweeps first, and the interior-point method where they do not arrive.
//!
//! Warm started problems of a step at rest take a few sweeps; a pile set down in one piece, or heavy on light, takes thousands,
//! or one solve by [`InteriorPoint`]. Which of both a problem is shows after some sweeps (S3-33: the hybrid
//! of cheap and strong solvers, driven by what the cheap one leaves).

use crate::problem::{Outcome, Problem, ProblemSolver, SolveOptions};
use crate::{InteriorPoint, Nsgs, NsgsConfig};
use drystone_exec::Exec;
use std::time::Instant;

/// Non-smooth Gauss-Seidel that hands on what it does not solve. The answer is the better one of both.
///
/// Handing on allocates: factors are made for the pattern of the problem.
#[derive(Clone, Debug)]
pub struct NsgsThenInterior {
    /// Sweeps after which a problem is handed on; 0 for never.
    pub escalate_after: u32,
    sweeps: Nsgs,
    interior: InteriorPoint,
}

impl NsgsThenInterior {
    /// Sweeps from which a problem is handed on by default.
    pub const ESCALATE_AFTER: u32 = 200;

    /// The solver, with these settings of the sweeps.
    pub fn new(config: NsgsConfig, escalate_after: u32) -> Self {
        Self { escalate_after, sweeps: Nsgs::new(config), interior: InteriorPoint::new() }
    }
}

impl ProblemSolver for NsgsThenInterior {
    fn name(&self) -> &'static str {
        "hybrid"
    }

    fn reads_global(&self) -> bool {
        true
    }

    fn solve_on(
        &mut self,
        problem: &Problem,
        options: &SolveOptions,
        impulses: &mut [f64],
        exec: Option<&Exec>,
    ) -> Outcome {
        let since = Instant::now();
        let mut first = *options;
        if self.escalate_after > 0 {
            first.max_iterations = first.max_iterations.min(u64::from(self.escalate_after));
        }
        let swept = self.sweeps.solve_on(problem, &first, impulses, exec);
        let left = options.max_iterations.saturating_sub(swept.iterations);
        if swept.is_solved() || left == 0 {
            return swept;
        }
        let time_limit = options.time_limit.map(|limit| limit.saturating_sub(since.elapsed()));
        let second = SolveOptions { max_iterations: left, time_limit, ..*options };
        let ended = self.interior.solve_on(problem, &second, impulses, exec);
        let iterations = swept.iterations + ended.iterations;
        Outcome { iterations, seconds: since.elapsed().as_secs_f64(), ..ended }
    }
}
