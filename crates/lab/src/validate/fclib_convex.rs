//! The convex programs of the collection: our minima beside those that it states.
//!
//! The program is `min r·W r/2 + q·r` over the cones. Impulses inside their cones bound its minimum from above; velocities `y = W r + q` inside the
//! dual cones bound it from below, because the dual's value is then `r·y` lower (weak duality). So `|r·y|` says how far a
//! value is from the minimum, whoever else has looked for it.

use super::fclib::Named;
use drystone_convex::{ConvexSolver, objective};
use drystone_resolution::problem::{Local, Measure, Problem, ProblemSolver, SolveOptions};
use std::fmt::Write as _;

/// Difference between `W` and its transpose up to which a problem is a program: the real files have seven digits.
const SYMMETRIC: f64 = 1e-6;
/// Relative agreement that is asked for.
const AGREEMENT: f64 = 1e-6;

/// The table, and what it says; empty without a stated minimum.
pub(super) fn section(problems: &[Named]) -> String {
    let mut rows = String::new();
    let (mut tried, mut agreed, mut lower, mut bounded) = (0, 0, 0, 0);
    for Named { name, problem, convex } in problems {
        let Some((stated, error)) = *convex else { continue };
        if problem.coupling().asymmetry() > SYMMETRIC {
            continue;
        }
        let solution = ConvexSolver::associated().solve_problem(problem, &SolveOptions::default(), None);
        let off = (objective(problem, &solution.impulses) - stated) / stated.abs();
        let (gap, outside) = certificate(problem, &solution.impulses);
        tried += 1;
        agreed += u32::from(off.abs() <= AGREEMENT);
        lower += u32::from(off < -AGREEMENT);
        bounded += u32::from(off <= AGREEMENT && gap / stated.abs() <= AGREEMENT);
        let error = error.map_or_else(|| "not stated".to_owned(), |error| format!("{error:.0e}"));
        // Writing to a string cannot fail.
        let _ = writeln!(
            rows,
            "| {name} | {stated:.9e} | {error} | {off:+.0e} | {:.0e} | {outside:.0e} |",
            gap / stated.abs()
        );
    }
    if tried == 0 {
        return String::new();
    }
    format!(
        "\n## Minima of the convex programs\n\n\
         The exact-cone program of the problems whose `W` is symmetric, by `ConvexSolver::associated()`. Of {tried}, {agreed} agree with the stated minimum \
         within {AGREEMENT:.0e}, relative; {lower} are lower by more than that; {} higher. The rule is one-sided for that reason: impulses inside their cones whose \
         value is lower refute a stated minimum. In place of the other side stands a bound that needs no reference: the gap `|r·y|` to the dual \
         program, with `y = W r + q` outside of the dual cone by no more than the last column says. {bounded} of {tried} are within \
         {AGREEMENT:.0e} of their minimum by it and not above the stated one.\n\n\
         | problem | stated minimum, J | its stated error | ours, relative | gap to the dual | y outside of K*, over the largest q |\n\
         | --- | ---: | ---: | ---: | ---: | ---: |\n{rows}",
        tried - agreed - lower
    )
}

/// `|r·y|` in J, and how far `y` is outside of the dual cones at most, over the largest entry of `q`.
fn certificate(problem: &Problem, impulses: &[f64]) -> (f64, f64) {
    let gap = Measure::of(problem, impulses).work.abs();
    let outside = (0..problem.contact_count()).fold(0.0_f64, |most, k| {
        let y: Local = problem.velocity(k, impulses);
        most.max(problem.friction()[k] * (y.y * y.y + y.z * y.z).sqrt() - y.x)
    });
    let largest = problem.free_velocities().iter().fold(0.0_f64, |most, q| most.max(q.abs()));
    (gap, if largest > 0.0 { outside / largest } else { outside })
}
