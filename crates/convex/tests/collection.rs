//! The convex programs of the FCLib collection: their minima are known.
//!
//! The data is not part of the repository. `DRYSTONE_DATA` names the folder that holds it in `fclib`; without it the tests say
//! that they were skipped. What is trusted: `convex_f` of the collection, found by its makers with another method, for
//! problems whose `W` is symmetric.

mod common;

use drystone_convex::{ConvexSolver, objective};
use drystone_fclib::{Record, files_in, read};
use drystone_resolution::problem::{Measure, Problem, ProblemSolver, SolveOptions};
use std::time::Duration;

/// Entries of `W` (as a share of the largest) by which it may differ from its transpose: the real files were printed with
/// seven digits.
const SYMMETRIC: f64 = 1e-6;

/// All problems.
fn records() -> Option<Vec<Record>> {
    let folder = common::collection()?;
    let files = files_in(&folder).expect("a folder that can be read");
    Some(files.iter().map(|file| read(file).unwrap_or_else(|error| panic!("{error}"))).collect())
}

/// The exact-cone program is nowhere above `convex_f` by more than 1e-6, with impulses inside the cone, and within 1e-6 of its minimum for nine in
/// ten, by the gap to the dual program: `f(r') >= f(r) - r·y` for all `r'` in the cone where `y = W r + q` is in the dual one. One-sided,
/// because a lower value with impulses inside the cone refutes the stated one; the files of the four problems that this
/// concerns state an error of 4e-6 to 2e-4 for it.
#[test]
fn exact_cone_reproduces_known_minima() {
    let Some(records) = records() else { return };
    let (mut tried, mut bounded) = (0, 0);
    for record in records {
        let Some(minimum) = record.convex_minimum else { continue };
        if record.problem.coupling().asymmetry() > SYMMETRIC {
            continue;
        }
        let solution =
            ConvexSolver::associated().solve_problem(&record.problem, &SolveOptions::default(), None);
        let found = objective(&record.problem, &solution.impulses);
        let error = (found - minimum) / minimum.abs();
        let Measure { cone_violation: outside, work, .. } = Measure::of(&record.problem, &solution.impulses);
        let gap = work.abs() / minimum.abs();
        let lift = outside_of_the_dual(&record.problem, &solution.impulses);
        let largest = solution.impulses.iter().fold(0.0_f64, |m, r| m.max(r.abs()));
        eprintln!(
            "{:45} {:5} contacts  off by {error:8.1e}  gap {gap:8.1e}  dual cone {lift:8.1e}  cone {:8.1e}  {:4} iterations  {:7.3} s",
            record.name,
            record.problem.contact_count(),
            outside / largest,
            solution.iterations,
            solution.seconds
        );
        tried += 1;
        bounded += u32::from(gap <= 1e-6 && lift <= 1e-9);
        assert!(error <= 1e-6 && error > -1e-4, "{}: off by {error:e}", record.name);
        assert!(outside <= 1e-9 * largest, "{}: outside of the cone by {outside:e} N·s", record.name);
    }
    assert!(tried > 0, "no symmetric problem with a known minimum in the collection");
    assert!(10 * bounded >= 9 * tried, "{bounded} of {tried} symmetric problems");
}

/// How far velocities are outside of the dual cones at most, over the largest entry of `q`.
fn outside_of_the_dual(problem: &Problem, impulses: &[f64]) -> f64 {
    let outside = |k: usize| {
        let u = problem.velocity(k, impulses);
        problem.friction()[k] * u.y.hypot(u.z) - u.x
    };
    let most = (0..problem.contact_count()).map(outside).fold(0.0_f64, f64::max);
    most / problem.free_velocities().iter().fold(f64::MIN_POSITIVE, |largest, q| largest.max(q.abs()))
}

/// Rounds with De Saxcé's correction: what is said to be solved is, and most are.
#[test]
fn rounds_solve_coulombs_law() {
    let Some(records) = records() else { return };
    let (mut tried, mut solved) = (0, 0);
    for record in records.into_iter().filter(|record| record.problem.contact_count() <= 100) {
        let options = SolveOptions {
            max_iterations: 20_000,
            time_limit: Some(Duration::from_secs(10)),
            ..Default::default()
        };
        let solution = ConvexSolver::coulomb().solve_problem(&record.problem, &options, None);
        eprintln!("{:45} {:8.1e}  {:?}", record.name, solution.residual, solution.status);
        tried += 1;
        solved += u32::from(solution.residual <= options.tolerance);
    }
    assert!(tried > 0, "no problem of so few contacts in the collection");
    assert!(2 * solved >= tried, "{solved} of {tried} problems");
}
