//! What every solver of discrete problems is asked, and what it answers.

use super::{Measure, Problem};
use drystone_exec::Exec;
use std::borrow::Cow;
use std::time::{Duration, Instant};

/// When a solver may stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolveOptions {
    /// [`Measure::natural_map`] that counts as solved, no unit; finite, positive. Default 1e-8.
    pub tolerance: f64,
    /// Iterations, as the solver counts them, after which it gives up. Default 1000.
    pub max_iterations: u64,
    /// Time after which it gives up. Default none. What a step solves has none: results would depend on the machine.
    pub time_limit: Option<Duration>,
}

impl Default for SolveOptions {
    fn default() -> Self {
        Self { tolerance: 1e-8, max_iterations: 1000, time_limit: None }
    }
}

/// How a solve ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// [`Measure`] says that the answer is within the tolerance.
    Solved,
    /// The limit of iterations came first.
    IterationLimit,
    /// The limit of time came first.
    TimeLimit,
    /// The method broke down, or its own criterion holds and the measure does not.
    Failed {
        /// In words; fixed ones do not allocate.
        why: Cow<'static, str>,
    },
    /// The method is not made for this problem; impulses are those it began with.
    Unsupported {
        /// What it cannot do.
        why: Cow<'static, str>,
    },
}

/// How a solve ended, in figures.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// How it ended.
    pub status: Status,
    /// [`Measure::natural_map`] of the impulses.
    pub residual: f64,
    /// Iterations, as the solver counts them.
    pub iterations: u64,
    /// Wall time, s.
    pub seconds: f64,
}

impl Outcome {
    /// Judges impulses by their measure: solved when that is within the tolerance, `otherwise` when not. Every solver ends here.
    pub fn judge(
        problem: &Problem,
        options: &SolveOptions,
        impulses: &[f64],
        iterations: u64,
        since: Instant,
        otherwise: Status,
    ) -> Self {
        let measure = Measure::of(problem, impulses);
        let status = if measure.is_within(options.tolerance) { Status::Solved } else { otherwise };
        Self { status, residual: measure.natural_map, iterations, seconds: since.elapsed().as_secs_f64() }
    }

    /// True when the answer is within the tolerance.
    pub fn is_solved(&self) -> bool {
        self.status == Status::Solved
    }
}

/// Impulses, and how a solve ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// Three per contact, N·s, in the contacts' frames.
    pub impulses: Vec<f64>,
    /// How it ended.
    pub status: Status,
    /// [`Measure::natural_map`] of the impulses.
    pub residual: f64,
    /// Iterations, as the solver counts them.
    pub iterations: u64,
    /// Wall time, s.
    pub seconds: f64,
}

/// A solver of discrete problems. Equal input gives equal bits, whatever was solved before and however many threads
/// there are, as long as no time limit ends it.
pub trait ProblemSolver: Send + Sync {
    /// A short name for tables, in lower case.
    fn name(&self) -> &'static str;

    /// Solves in place: `impulses` (three per contact, N·s) holds where to begin, and then the answer. The best answer
    /// that was found is left there also when it is not within the tolerance. `exec` lends threads; what a solver cannot split it
    /// does alone.
    fn solve_on(
        &mut self,
        problem: &Problem,
        options: &SolveOptions,
        impulses: &mut [f64],
        exec: Option<&Exec>,
    ) -> Outcome;

    /// The same without other threads.
    fn solve_in_place(&mut self, problem: &Problem, options: &SolveOptions, impulses: &mut [f64]) -> Outcome {
        self.solve_on(problem, options, impulses, None)
    }

    /// True when the solver reads [`Problem::global`]: it is made then, where problems come from a step.
    fn reads_global(&self) -> bool {
        false
    }

    /// True when the solver has no answer without [`Problem::global`]: problems in which joints are eliminated have none.
    fn needs_global(&self) -> bool {
        false
    }

    /// Solves from `start`, or from zero.
    ///
    /// # Panics
    /// When `start` does not have three numbers per contact.
    fn solve_problem(
        &mut self,
        problem: &Problem,
        options: &SolveOptions,
        start: Option<&[f64]>,
    ) -> Solution {
        let mut impulses = vec![0.0; 3 * problem.contact_count()];
        if let Some(start) = start {
            impulses.copy_from_slice(start);
        }
        let Outcome { status, residual, iterations, seconds } =
            self.solve_in_place(problem, options, &mut impulses);
        Solution { impulses, status, residual, iterations, seconds }
    }
}
