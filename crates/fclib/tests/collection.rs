//! The collection's own figures: what came with the problems must come out of [`Measure`].
//!
//! The data is not part of the repository. `DRYSTONE_DATA` names the folder that holds it in `fclib`; without it the tests say
//! that they were skipped.

use drystone_fclib::{Record, collection_folder, files_in, read};
use drystone_resolution::problem::{Measure, Problem};

fn records() -> Vec<Record> {
    let Some(folder) = collection_folder() else {
        eprintln!("skipped: DRYSTONE_DATA does not name a folder that holds the collection in `fclib`");
        return Vec::new();
    };
    let files = files_in(&folder).expect("a folder that can be read");
    assert!(!files.is_empty(), "no problem in {}", folder.display());
    files.iter().map(|file| read(file).unwrap_or_else(|error| panic!("{error}"))).collect()
}

/// A problem with both forms and an answer, whose figures are known by hand: a body of 2 kg that comes down at 2 m/s and slides at
/// 3 m/s, and is stopped with 10 % too little.
const BY_HAND: &str = r#"{"name": "by hand", "dim": 3, "contacts": 1, "mu": [0.5], "q": [-2, 3, 0],
    "W": {"rows": 3, "cols": 3, "i": [0, 1, 2], "j": [0, 1, 2], "x": [0.5, 0.5, 0.5]},
    "M": {"rows": 3, "cols": 3, "i": [0, 1, 2], "j": [0, 1, 2], "x": [2, 2, 2]},
    "H": {"rows": 3, "cols": 3, "i": [0, 1, 2], "j": [0, 1, 2], "x": [1, 1, 1]},
    "f": [-4, 6, 0], "w": [0, 0, 0], "ref_r": [3.6, -1.8, 0], "ref_error": 0.0496}"#;

/// `u = (−0.2, 2.1, 0)`, raised by `mu |u_T|` to `(0.85, 2.1, 0)`; `r` less that is `(2.75, −3.9, 0)`, and the point of the cone next to it
/// `(3.76, −1.88, 0)`: `sqrt(0.16² + 0.08²)` away from `r`, of `|q| = sqrt(13)`.
#[test]
fn a_problem_by_hand_measures_what_it_came_with() {
    let record = drystone_fclib::parse(BY_HAND, "by hand").expect("fits");
    let reference = record.reference.as_ref().expect("it has one");
    let measured = Measure::of(&record.problem, &reference.impulses).natural_map;
    let by_hand = 0.16_f64.hypot(0.08) / 13.0_f64.sqrt();
    assert!((measured - by_hand).abs() < 1e-12, "{measured}, by hand {by_hand}");
    check_reference(&record);
    check_forms(&record);
}

/// Values below this are rounding: they agree in their order of magnitude only.
const ROUNDING: f64 = 1e-10;

#[test]
fn references_measure_what_they_came_with() {
    records().iter().for_each(check_reference);
}

fn check_reference(record: &Record) {
    let Some(reference) = &record.reference else { return };
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

/// The local and the global form of a problem that has both are the same problem.
#[test]
fn both_forms_agree() {
    records().iter().for_each(check_forms);
}

fn check_forms(record: &Record) {
    let Some(global) = record.problem.global() else { return };
    let formed = Problem::from_global(global.clone(), record.problem.friction().to_vec())
        .unwrap_or_else(|error| panic!("{}: {error}", record.name));
    let Some(reference) = &record.reference else { return };
    let [given, formed] = [&record.problem, &formed].map(|problem| {
        (0..problem.contact_count())
            .flat_map(|k| problem.velocity(k, &reference.impulses).iter().copied().collect::<Vec<_>>())
            .collect::<Vec<f64>>()
    });
    let scale = record.problem.free_velocities().iter().fold(0.0_f64, |m, q| m.max(q.abs()));
    let apart = given.iter().zip(&formed).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
    assert!(apart < 1e-6 * scale, "{}: {apart:e} m/s apart of {scale:e}", record.name);
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
