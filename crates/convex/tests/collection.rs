//! The convex programs of the FCLib collection: their minima are known.
//!
//! The data is not part of the repository. `DRYSTONE_FCLIB` names the folder of its JSON files; without it the tests say
//! that they were skipped. What is trusted: `convex_f` of the collection, found by its makers with another method, for
//! problems whose `W` is symmetric.

use drystone_convex::{ConvexSolver, objective};
use drystone_fclib::{Record, files_in, read};
use drystone_resolution::problem::{Measure, SolveOptions, SolveProblem};
use std::path::Path;
use std::time::Duration;

/// Entries of `W` (as a share of the largest) by which it may differ from its transpose: the real files were printed with
/// seven digits.
const SYMMETRIC: f64 = 1e-6;

fn records() -> Vec<Record> {
    let Some(folder) = std::env::var_os("DRYSTONE_FCLIB") else {
        eprintln!("skipped: DRYSTONE_FCLIB does not name the folder of the collection's JSON files");
        return Vec::new();
    };
    let files = files_in(Path::new(&folder)).expect("a folder that can be read");
    files.iter().map(|file| read(file).unwrap_or_else(|error| panic!("{error}"))).collect()
}

/// The exact-cone program is nowhere above `convex_f` by more than 1e-6, with impulses inside the cone, and reproduces it to
/// 1e-6 where that is known so well. The files of four problems state an error of 4e-6 to 2e-4 for it; there a
/// lower value is a better one.
#[test]
fn exact_cone_reproduces_known_minima() {
    let (mut tried, mut reproduced) = (0, 0);
    for record in records() {
        let Some(minimum) = record.convex_minimum else { continue };
        if record.problem.coupling().asymmetry() > SYMMETRIC {
            continue;
        }
        let solution =
            ConvexSolver::associated().solve_problem(&record.problem, &SolveOptions::default(), None);
        let found = objective(&record.problem, &solution.impulses);
        let error = (found - minimum) / minimum.abs();
        let outside = Measure::of(&record.problem, &solution.impulses).cone_violation;
        let largest = solution.impulses.iter().fold(0.0_f64, |m, r| m.max(r.abs()));
        eprintln!(
            "{:45} {:5} contacts  off by {error:8.1e}  cone {:8.1e}  {:4} iterations  {:7.3} s",
            record.name,
            record.problem.contact_count(),
            outside / largest,
            solution.iterations,
            solution.seconds
        );
        tried += 1;
        reproduced += u32::from(error.abs() <= 1e-6);
        assert!(error <= 1e-6 && error > -1e-4, "{}: off by {error:e}", record.name);
        assert!(outside <= 1e-9 * largest, "{}: outside of the cone by {outside:e} N·s", record.name);
    }
    assert!(20 * reproduced >= 17 * tried, "{reproduced} of {tried} symmetric problems");
}

/// Rounds with De Saxcé's correction: what is said to be solved is, and most are.
#[test]
fn rounds_solve_coulombs_law() {
    let (mut tried, mut solved) = (0, 0);
    for record in records().into_iter().filter(|record| record.problem.contact_count() <= 100) {
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
    assert!(2 * solved >= tried, "{solved} of {tried} problems");
}
