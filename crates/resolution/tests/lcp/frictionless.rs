//! Normals alone: balls in a row, by hand and by what collisions conserve.

use drystone_resolution::lcp::{FrictionLaw, LcpConfig, LcpSolver};
use drystone_resolution::problem::{BlockRows, Problem, ProblemSolver, SolveOptions, Status, Triplets};
use proptest::prelude::*;

/// Balls in a row that touch: contact `i` between balls `i` and `i + 1`. Where they approach they bounce with this restitution.
fn row(masses: &[f64], speeds: &[f64], restitution: f64, mu: f64) -> Problem {
    let contacts = masses.len() - 1;
    let mut w = Triplets::new(3 * contacts, 3 * contacts);
    let mut q = vec![0.0; 3 * contacts];
    for i in 0..contacts {
        let at = 3 * i as u32;
        (0..3).for_each(|axis| w.push(at + axis, at + axis, 1.0 / masses[i] + 1.0 / masses[i + 1]));
        if i > 0 {
            w.push(at, at - 3, -1.0 / masses[i]);
            w.push(at - 3, at, -1.0 / masses[i]);
        }
        let closing = speeds[i] - speeds[i + 1];
        q[3 * i] = if closing > 0.0 { -(1.0 + restitution) * closing } else { -closing };
    }
    Problem::new(BlockRows::from_triplets("W", &w).expect("fits"), q, vec![mu; contacts]).expect("fits")
}

/// Speeds after the impulses of the contacts.
fn after(masses: &[f64], speeds: &[f64], impulses: &[f64]) -> Vec<f64> {
    let mut speeds = speeds.to_vec();
    for (i, r) in impulses.chunks_exact(3).enumerate() {
        speeds[i] -= r[0] / masses[i];
        speeds[i + 1] += r[0] / masses[i + 1];
    }
    speeds
}

fn solver(config: LcpConfig) -> LcpSolver {
    config.validate().expect("valid");
    LcpSolver::new(config)
}

fn normals() -> LcpConfig {
    LcpConfig { law: FrictionLaw::Frictionless, ..LcpConfig::default() }
}

/// One ball against two that rest: all at once, as a joint solve has it (not as a cradle does).
#[test]
fn three_balls_part_as_newtons_law_has_it_for_all_at_once() {
    let (masses, speeds) = ([1.0; 3], [1.0, 0.0, 0.0]);
    let solution =
        solver(normals()).solve_problem(&row(&masses, &speeds, 1.0, 0.0), &SolveOptions::default(), None);
    assert_eq!(solution.status, Status::Solved);
    let after = after(&masses, &speeds, &solution.impulses);
    for (v, expected) in after.iter().zip([-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0]) {
        assert!((v - expected).abs() < 1e-14, "{after:?}");
    }
}

proptest! {
    /// S5-11: with the doubled closing speed on the right-hand side, nothing is lost where all contacts approach, and momentum never.
    #[test]
    fn a_reflection_keeps_energy_and_momentum(
        masses in prop::collection::vec(0.01f64..100.0, 2..12),
        gaps in prop::collection::vec(0.01f64..3.0, 12),
        sweeps in any::<bool>(),
    ) {
        let mut speeds = vec![2.0];
        (1..masses.len()).for_each(|i| speeds.push(speeds[i - 1] - gaps[i]));
        let config = LcpConfig { lemke_limit: if sweeps { 0 } else { 200 }, ..normals() };
        let options = SolveOptions { tolerance: 1e-12, max_iterations: 200_000, time_limit: None };
        let solution = solver(config).solve_problem(&row(&masses, &speeds, 1.0, 0.0), &options, None);
        prop_assert_eq!(&solution.status, &Status::Solved);
        let after = after(&masses, &speeds, &solution.impulses);
        let sum = |speeds: &[f64], of: fn(f64) -> f64| masses.iter().zip(speeds).map(|(m, &v)| m * of(v)).sum::<f64>();
        let energy = [sum(&speeds, |v| v * v), sum(&after, |v| v * v)];
        prop_assert!((energy[1] - energy[0]).abs() < 1e-8 * energy[0], "{energy:?}");
        let size = sum(&speeds, f64::abs) + sum(&after, f64::abs);
        prop_assert!((sum(&after, |v| v) - sum(&speeds, |v| v)).abs() < 1e-12 * size);
        // With a reflection every contact parts at least as fast as it closed.
        for i in 0..masses.len() - 1 {
            prop_assert!(after[i + 1] - after[i] >= speeds[i] - speeds[i + 1] - 1e-9 * size);
        }
    }
}

#[test]
fn friction_is_not_left_out_unasked() {
    let problem = row(&[1.0, 2.0], &[1.0, 0.0], 0.0, 0.5);
    let options = SolveOptions::default();
    let refused = solver(normals()).solve_problem(&problem, &options, None);
    assert!(matches!(refused.status, Status::Unsupported { .. }), "{:?}", refused.status);
    assert_eq!(refused.impulses, [0.0; 3]);
    let mut asked = solver(LcpConfig { ignores_friction: true, ..normals() });
    let solved = asked.solve_problem(&problem, &options, None);
    // Nothing slips here, so Coulomb's law holds as well.
    assert_eq!(solved.status, Status::Solved);
    assert!(asked.report().law_residual < 1e-12 && (solved.impulses[0] - 2.0 / 3.0).abs() < 1e-12);
}

#[test]
fn what_is_too_large_is_refused_or_swept_and_said() {
    let masses = [1.0, 5.0, 2.0, 1.0, 3.0];
    let problem = row(&masses, &[2.0, 1.0, 0.5, -1.0, -2.0], 0.0, 0.0);
    let options = SolveOptions { tolerance: 1e-10, ..SolveOptions::default() };
    let small = LcpConfig { lemke_limit: 3, ..normals() };
    let refused =
        solver(LcpConfig { falls_back: false, ..small.clone() }).solve_problem(&problem, &options, None);
    assert_eq!(refused.status, Status::Unsupported { why: "4 unknowns, at most 3 are pivoted".into() });
    let mut swept = solver(small);
    let [pivoted, swept_answer] =
        [&mut solver(normals()), &mut swept].map(|solver| solver.solve_problem(&problem, &options, None));
    assert!(swept.report().fell_back && swept.report().sweeps > 0 && swept.report().pivots == 0);
    assert_eq!([&pivoted.status, &swept_answer.status], [&Status::Solved; 2]);
    for (a, b) in pivoted.impulses.iter().zip(&swept_answer.impulses) {
        assert!((a - b).abs() < 1e-8);
    }
}
