//! The collection's own figures: what came with the problems must come out of [`Measure`].
//!
//! The data is not part of the repository. `DRYSTONE_DATA` names the folder that holds it in `fclib`; without it the tests say
//! that they were skipped.

use drystone_fclib::{Record, collection_folder, files_in, read};
use drystone_resolution::problem::Measure;

fn records() -> Vec<Record> {
    let Some(folder) = collection_folder() else {
        eprintln!("skipped: DRYSTONE_DATA does not name a folder that holds the collection in `fclib`");
        return Vec::new();
    };
    let files = files_in(&folder).expect("a folder that can be read");
    assert!(!files.is_empty(), "no problem in {}", folder.display());
    files.iter().map(|file| read(file).unwrap_or_else(|error| panic!("{error}"))).collect()
}

/// Values below this are rounding: they agree in their order of magnitude only.
const ROUNDING: f64 = 1e-10;

#[test]
fn references_measure_what_they_came_with() {
    for record in records() {
        let Some(reference) = record.reference else { continue };
        let measured = Measure::of(&record.problem, &reference.impulses).natural_map;
        // The collection prints two or three digits.
        let is_same = (measured - reference.error).abs() <= 0.06 * reference.error;
        let is_rounding = measured < ROUNDING && reference.error < ROUNDING;
        assert!(
            is_same || is_rounding,
            "{}: measured {measured:e}, came with {:e}",
            record.name,
            reference.error
        );
    }
}

/// The local and the global form of a problem that has both are the same problem.
#[test]
fn both_forms_agree() {
    use drystone_resolution::problem::Problem;
    for record in records() {
        let Some(global) = record.problem.global() else { continue };
        let formed = Problem::from_global(global.clone(), record.problem.friction().to_vec())
            .unwrap_or_else(|error| panic!("{}: {error}", record.name));
        let Some(reference) = &record.reference else { continue };
        let [given, formed] = [&record.problem, &formed].map(|problem| {
            (0..problem.contact_count())
                .flat_map(|k| problem.velocity(k, &reference.impulses).iter().copied().collect::<Vec<_>>())
                .collect::<Vec<f64>>()
        });
        let scale = record.problem.free_velocities().iter().fold(0.0_f64, |m, q| m.max(q.abs()));
        let apart = given.iter().zip(&formed).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
        assert!(apart < 1e-6 * scale, "{}: {apart:e} m/s apart of {scale:e}", record.name);
    }
}

/// Problems of up to a hundred contacts that sweeps solve within a second or so: solved, and honestly so.
#[test]
fn every_solver_is_honest_and_one_solves() {
    use drystone_resolution::problem::{SolveOptions, Status, all_solvers};
    for record in records().iter().filter(|record| record.problem.contact_count() < 100) {
        let options = SolveOptions { tolerance: 1e-6, max_iterations: 20_000, time_limit: None };
        let mut is_solved = false;
        for mut solver in all_solvers() {
            let solution = solver.solve_problem(&record.problem, &options, None);
            let measured = Measure::of(&record.problem, &solution.impulses).natural_map;
            assert_eq!(measured, solution.residual, "{} of {}", solver.name(), record.name);
            assert_eq!(
                solution.status == Status::Solved,
                measured <= 1e-6,
                "{} of {}",
                solver.name(),
                record.name
            );
            is_solved |= solution.status == Status::Solved;
        }
        assert!(is_solved, "nothing solves {}", record.name);
    }
}
