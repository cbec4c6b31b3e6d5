//! Friction pyramids and the cone, on random problems of bodies with more contacts than they need.

use drystone_resolution::lcp::{FrictionLaw, LcpConfig, LcpSolver};
use drystone_resolution::problem::{
    BlockRows, GlobalForm, Local, Measure, Problem, ProblemSolver, SolveOptions, Status, Triplets,
};
use proptest::prelude::*;

/// Bodies of six degrees of freedom with random masses, contacts with random arms between neighbours or with what is fixed, and random momentum. Rest is
/// possible, so there is an answer.
fn problem() -> impl Strategy<Value = Problem> {
    (1usize..4, 1usize..9).prop_flat_map(|(bodies, contacts)| {
        let number = || -1.0f64..1.0;
        (
            prop::collection::vec(0.1f64..10.0, 6 * bodies),
            prop::collection::vec((0..bodies, prop::collection::vec(number(), 36)), contacts),
            prop::collection::vec(number(), 6 * bodies),
            prop::collection::vec(prop_oneof![Just(0.0), 0.05f64..1.2], contacts),
        )
            .prop_map(move |(masses, contacts, f, mu)| {
                let mut mass = Triplets::new(6 * bodies, 6 * bodies);
                masses.iter().enumerate().for_each(|(i, &m)| mass.push(i as u32, i as u32, m));
                let mut directions = Triplets::new(6 * bodies, 3 * contacts.len());
                for (k, (body, entries)) in contacts.iter().enumerate() {
                    for dof in 0..6 {
                        for axis in 0..3 {
                            let column = (3 * k + axis) as u32;
                            directions.push((6 * body + dof) as u32, column, entries[3 * dof + axis]);
                            if body + 1 < bodies {
                                let row = (6 * (body + 1) + dof) as u32;
                                directions.push(row, column, -entries[18 + 3 * dof + axis]);
                            }
                        }
                    }
                }
                let w = vec![0.0; 3 * contacts.len()];
                Problem::from_global(GlobalForm { mass, directions, f, w }, mu).expect("fits")
            })
    })
}

fn options(tolerance: f64) -> SolveOptions {
    SolveOptions { tolerance, max_iterations: 20_000, time_limit: None }
}

fn config(law: FrictionLaw, lemke_limit: u32) -> LcpConfig {
    let config = LcpConfig { law, lemke_limit, max_turns: 40, ..LcpConfig::default() };
    config.validate().expect("valid");
    config
}

/// By how much impulses break the law of the even pyramid with eight corners, written out from its definition.
fn pyramid_violation(problem: &Problem, impulses: &[f64]) -> f64 {
    let corners: Vec<[f64; 2]> = (0..8)
        .map(|i| (f64::from(i) * std::f64::consts::FRAC_PI_4).sin_cos())
        .map(|(sine, cosine)| [cosine, sine])
        .collect();
    let mut worst = 0.0_f64;
    for (k, &mu) in problem.friction().iter().enumerate() {
        let r = Local::from_column_slice(&impulses[3 * k..][..3]);
        let u = problem.velocity(k, impulses);
        let most_power = corners.iter().map(|d| -(d[0] * u.y + d[1] * u.z)).fold(0.0_f64, f64::max);
        let power = -(r.y * u.y + r.z * u.z);
        // The faces lie between the corners, at cos(pi/8).
        let reach = (0..8).map(|i| {
            let (sine, cosine) = ((f64::from(i) + 0.5) * std::f64::consts::FRAC_PI_4).sin_cos();
            r.y * cosine + r.z * sine
        });
        let outside = reach.fold(0.0_f64, f64::max) - (std::f64::consts::PI / 8.0).cos() * mu * r.x;
        for broken in [-r.x, -u.x, (r.x * u.x).abs(), (power - mu * r.x * most_power).abs(), outside] {
            worst = worst.max(broken);
        }
    }
    worst
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// The pyramid's law holds, by pivoting and by sweeps; the status is what `Measure` says of the cone.
    #[test]
    fn the_pyramids_law_holds(problem in problem(), is_swept in any::<bool>()) {
        let mut solver = LcpSolver::new(config(FrictionLaw::Pyramid, if is_swept { 0 } else { 400 }));
        let solution = solver.solve_problem(&problem, &options(1e-9), None);
        let report = solver.report();
        // Sweeps may take long, and then they say so.
        if report.fell_back && solution.status == Status::IterationLimit {
            prop_assert!(is_swept && report.law_residual > 1e-9);
            return Ok(());
        }
        prop_assert!(report.law_residual <= 1e-9, "{report:?}");
        let scale = 1.0 + solution.impulses.iter().fold(0.0_f64, |m, r| m.max(r.abs()));
        let violation = pyramid_violation(&problem, &solution.impulses);
        prop_assert!(violation < 1e-7 * scale * scale, "{violation} {report:?}");
        let is_exact = Measure::of(&problem, &solution.impulses).is_within(1e-9);
        prop_assert_eq!(solution.status == Status::Solved, is_exact);
        let is_said = matches!(solution.status, Status::Failed { .. });
        prop_assert!(is_exact || is_said);
    }

    /// Turned to the slip, pivoted pyramids meet the cone: nearly always, and what is not met is said.
    #[test]
    fn the_cones_law_holds_or_is_said_not_to(problem in problem(), limit in prop_oneof![Just(0u32), Just(400)]) {
        let mut solver = LcpSolver::new(config(FrictionLaw::Cone, limit));
        let solution = solver.solve_problem(&problem, &options(1e-8), None);
        let measured = Measure::of(&problem, &solution.impulses).natural_map;
        prop_assert_eq!(solution.residual, measured);
        prop_assert_eq!(solution.status == Status::Solved, measured <= 1e-8);
        prop_assert!(solution.impulses.iter().all(|r| r.is_finite()));
    }

    /// S3-22: from its own answer a solve takes no iterations and stays where it is.
    #[test]
    fn a_seed_that_fits_takes_no_iterations(problem in problem()) {
        let mut solver = LcpSolver::new(config(FrictionLaw::Cone, 400));
        let first = solver.solve_problem(&problem, &options(1e-8), None);
        prop_assume!(first.status == Status::Solved);
        let again = solver.solve_problem(&problem, &options(1e-8), Some(&first.impulses));
        prop_assert_eq!(&again.status, &Status::Solved);
        prop_assert_eq!(again.iterations, 0);
        prop_assert_eq!(again.impulses, first.impulses);
    }

    /// What was solved before does not show.
    #[test]
    fn equal_problems_give_equal_bits(first in problem(), second in problem(), limit in prop_oneof![Just(0u32), Just(400)]) {
        let config = config(FrictionLaw::Cone, limit);
        let options = SolveOptions { max_iterations: 50, ..options(1e-8) };
        let mut reused = LcpSolver::new(config.clone());
        reused.solve_problem(&first, &options, None);
        let [a, b] = [&mut reused, &mut LcpSolver::new(config)].map(|s| s.solve_problem(&second, &options, None));
        let bits = |list: &[f64]| list.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        prop_assert_eq!(bits(&a.impulses), bits(&b.impulses));
        prop_assert_eq!((a.status, a.iterations), (b.status, b.iterations));
    }
}

/// Most random problems of this size are solved to the cone by turning pyramids alone.
#[test]
fn turning_solves_nearly_all() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut solved = 0;
    for _ in 0..400 {
        let problem = problem().new_tree(&mut runner).expect("a problem").current();
        let config = LcpConfig { falls_back: false, ..config(FrictionLaw::Cone, 400) };
        solved += u32::from(
            LcpSolver::new(config).solve_problem(&problem, &options(1e-8), None).status == Status::Solved,
        );
    }
    println!("{solved} of 400");
    assert!(solved >= 380, "{solved} of 400");
}

/// A body of 1 kg that slides and is pressed down, at every angle to the pyramid.
fn sliding(angle: f64) -> Problem {
    let mut w = Triplets::new(3, 3);
    (0..3).for_each(|i| w.push(i, i, 1.0));
    let q = vec![-1.0, 3.0 * angle.cos(), 3.0 * angle.sin()];
    Problem::new(BlockRows::from_triplets("W", &w).expect("fits"), q, vec![0.5]).expect("fits")
}

/// S2-08: friction never exceeds Coulomb's, and takes at least cos(pi/8) of it against the slip; the turned pyramid takes all
/// of it and does not push across.
#[test]
fn a_pyramid_loses_what_it_may_and_a_turned_one_nothing() {
    let mut least = f64::INFINITY;
    for degree in 0..90 {
        let problem = sliding(f64::from(degree).to_radians());
        let along = |law: FrictionLaw| {
            let r = LcpSolver::new(config(law, 200)).solve_problem(&problem, &options(1e-10), None).impulses;
            let slip = problem.velocity(0, &r);
            assert!((r[0] - 1.0).abs() < 1e-12);
            [-(r[1] * slip.y + r[2] * slip.z), r[1] * slip.z - r[2] * slip.y]
                .map(|x| x / (0.5 * slip.y.hypot(slip.z)))
        };
        let [share, _] = along(FrictionLaw::Pyramid);
        assert!(share <= 1.0 + 1e-12);
        least = least.min(share);
        let [share, across] = along(FrictionLaw::Cone);
        assert!((share - 1.0).abs() < 1e-9 && across.abs() < 1e-9, "{degree}: {share} {across}");
    }
    // The slip itself is turned by the friction, so a little less than the worst is met.
    let worst = (std::f64::consts::PI / 8.0).cos();
    assert!(least >= worst - 1e-12 && least < worst + 0.01, "{least}");
}

/// S3-23: a limit is kept and said, and the best answer so far is handed out.
#[test]
fn limits_are_kept_and_said() {
    let problem = sliding(0.3);
    let limited = SolveOptions { tolerance: 1e-15, max_iterations: 3, time_limit: None };
    for limit in [0, 200] {
        let mut solver = LcpSolver::new(config(FrictionLaw::Cone, limit));
        let solution = solver.solve_problem(&problem, &limited, None);
        assert!(solution.iterations <= 3, "{solution:?}");
        assert!(solution.residual < Measure::of(&problem, &[0.0; 3]).natural_map);
    }
}
