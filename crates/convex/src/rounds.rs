//! Rounds with De Saxcé's correction: what is the same whoever solves their programs.

use crate::solver::Law;
use drystone_resolution::problem::{Measure, Outcome, Problem, SolveOptions, Status};
use std::time::Instant;

/// Rounds without a better answer after which it is given up.
const STALLED: u32 = 12;
/// Share of the least error that counts as better.
const BETTER: f64 = 0.9;

/// What a solve is asked, and how its rounds went.
pub(crate) struct Rounds<'a> {
    problem: &'a Problem,
    options: &'a SolveOptions,
    law: Law,
    since: Instant,
    best: f64,
    stalled: u32,
}

impl<'a> Rounds<'a> {
    /// Before the first round.
    pub(crate) fn new(problem: &'a Problem, options: &'a SolveOptions, law: Law) -> Self {
        Self { problem, options, law, since: Instant::now(), best: f64::INFINITY, stalled: 0 }
    }

    /// Takes in the answer of a round, after so many iterations in all, and keeps the best one in `impulses`. Gives how the solve ends
    /// if this was the last round; `is_converged` says whether its program was solved, `is_late` that its time is up.
    pub(crate) fn take(
        &mut self,
        round: &[f64],
        impulses: &mut [f64],
        iterations: u64,
        is_converged: bool,
        is_late: bool,
    ) -> Option<Status> {
        let error = Measure::of(self.problem, round).natural_map;
        self.stalled = if error < BETTER * self.best { 0 } else { self.stalled + 1 };
        if error < self.best {
            self.best = error;
            impulses.copy_from_slice(round);
        }
        let failed = |why: &'static str| Some(Status::Failed { why: why.into() });
        if self.best <= self.options.tolerance || (self.law == Law::Associated && is_converged) {
            return failed("the minimum of the convex program is not within the tolerance of Coulomb's law");
        }
        if self.stalled > STALLED {
            return failed("rounds with De Saxcé's correction do not get better");
        }
        if is_late || self.options.time_limit.is_some_and(|limit| self.since.elapsed() > limit) {
            return Some(Status::TimeLimit);
        }
        if self.law == Law::Associated {
            return failed("the interior-point method does not converge");
        }
        (iterations >= self.options.max_iterations).then_some(Status::IterationLimit)
    }

    /// The end, by the measure.
    pub(crate) fn judge(&self, impulses: &[f64], iterations: u64, otherwise: Status) -> Outcome {
        Outcome::judge(self.problem, self.options, impulses, iterations, self.since, otherwise)
    }
}
