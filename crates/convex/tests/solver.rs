//! How the general solver ends, and what it hands over then. Trusted: the cone as Coulomb's law has it.

use drystone_convex::{ConeChoice, ConvexSolver, Law};
use drystone_resolution::problem::{
    BlockRows, GlobalForm, Measure, Problem, ProblemSolver, SolveOptions, Status, Triplets,
};
use std::time::Duration;

const COUNT: u32 = 12;

/// A row of contacts that close and slide, each coupled with the next one. Its associated minimum does not follow Coulomb's law.
fn row() -> Problem {
    let size = 3 * COUNT as usize;
    let mut w = Triplets::new(size, size);
    for k in 0..3 * COUNT {
        w.push(k, k, 2.0);
        if k >= 3 {
            w.push(k, k - 3, -0.7);
            w.push(k - 3, k, -0.7);
        }
    }
    let q = (0..COUNT).flat_map(|k| [-1.0, 0.3 + 0.2 * f64::from(k), -0.4]).collect();
    let coupling = BlockRows::from_triplets("W", &w).expect("square");
    Problem::new(coupling, q, vec![0.5; COUNT as usize]).expect("valid")
}

fn solvers() -> impl Iterator<Item = ConvexSolver> {
    let laws = [Law::Associated, Law::Coulomb].into_iter();
    laws.flat_map(|law| {
        [ConeChoice::Circular, ConeChoice::Pyramid].map(|cone| ConvexSolver { cone, law, use_bodies: None })
    })
}

/// Without time nothing is solved, and that is what is said, whatever the law; the impulses are inside the cone all the same.
#[test]
fn without_time_it_ends_for_time_and_inside_the_cone() {
    let problem = row();
    let options = SolveOptions { time_limit: Some(Duration::ZERO), ..SolveOptions::default() };
    for mut solver in solvers() {
        let solution = solver.solve_problem(&problem, &options, None);
        assert_eq!(solution.status, Status::TimeLimit, "{solver:?}");
        let largest = solution.impulses.iter().fold(0.0_f64, |m, r| m.max(r.abs()));
        let outside = Measure::of(&problem, &solution.impulses).cone_violation;
        assert!(outside <= 1e-15 * largest, "{solver:?}: {outside} N·s outside, of {largest}");
    }
}

/// A minimum that was found is said to be one, which does not follow Coulomb's law.
#[test]
fn the_associated_minimum_is_said_to_be_one() {
    let solution = ConvexSolver::associated().solve_problem(&row(), &SolveOptions::default(), None);
    let Status::Failed { why } = &solution.status else { panic!("{:?}", solution.status) };
    assert!(why.contains("not within the tolerance of Coulomb's law"), "{why}");
}

/// A contact between two bodies that cannot open it: no motion keeps the conditions, and nothing is said to have converged.
#[test]
fn what_has_no_answer_is_not_said_to_have_one() {
    let mut mass = Triplets::new(6, 6);
    (0..6).for_each(|k| mass.push(k, k, 1.0));
    let form = GlobalForm { mass, directions: Triplets::new(6, 3), f: vec![0.0; 6], w: vec![-1.0, 0.0, 0.0] };
    let problem = Problem::from_global(form, vec![0.5]).expect("valid");
    let solver = ConvexSolver { use_bodies: Some(true), ..ConvexSolver::associated() };
    let solution = { solver }.solve_problem(&problem, &SolveOptions::default(), None);
    let Status::Failed { why } = &solution.status else { panic!("{:?}", solution.status) };
    assert!(!why.contains("minimum"), "{why}");
}
