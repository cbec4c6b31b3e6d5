//! Many contacts: the iteration of Algorithm 9 against a slow reference (S1-57), its limits (S1-59), elastic
//! chains with closed forms (S1-60, cradle), shock propagation (S1-61..63).

use crate::common::reference::algorithm_9;
use crate::common::{Cluster, EPS, G, G_DT, RADIUS, Random, Rig, center, column, strict, surface};
use drystone_contact::{BodyIndex, EdgeIndex};
use drystone_exec::Exec;
use drystone_math::{Real, Vector3, widen};
use drystone_resolution::{ImpulseConfig, ImpulseSolver, Solver};

/// Balls that touch in a line along x from the origin, with these masses and velocities; no gravity.
fn line(rig: &mut Rig, balls: &[(Real, Real)], restitution: Real) -> (Vec<BodyIndex>, Vec<EdgeIndex>) {
    let mut members: Vec<BodyIndex> = Vec::new();
    let mut edges = Vec::new();
    for (i, &(mass, speed)) in balls.iter().enumerate() {
        let at = Vector3::new(2.0 * RADIUS * i as Real, 0.0, 0.0);
        let ball = rig.ball(mass, at, Vector3::new(speed, 0.0, 0.0));
        if let Some(&last) = members.last() {
            edges.push(rig.touch_balls(last, ball, surface(restitution, 0.0)));
        }
        members.push(ball);
    }
    (members, edges)
}

/// A wall at the left end of such a line; added first, since pairs are ordered.
fn wall_and_line(balls: &[(Real, Real)]) -> (Rig, Vec<BodyIndex>, Vec<EdgeIndex>) {
    let mut rig = Rig::new();
    let wall = rig.fixed();
    let (members, mut edges) = line(&mut rig, balls, 1.0);
    let at = Vector3::new(-RADIUS, 0.0, 0.0);
    edges.insert(0, rig.touch(wall, members[0], Vector3::x(), &[at], 0.0, surface(1.0, 0.0)));
    (rig, members, edges)
}

fn speeds(rig: &Rig, members: &[BodyIndex]) -> Vec<Real> {
    members.iter().map(|&m| rig.linear(m).x).collect()
}

/// S1-60: two balls and a wall, elastic. The wall's contact is resolved before and after that of the balls, and
/// in the end all separate with the energy they had.
#[test]
fn two_balls_and_a_wall_resolve_a_contact_twice() {
    let (mut rig, members, edges) = wall_and_line(&[(1.0, -1.0), (1.0, -1.0)]);
    let report = rig.advance(&strict());
    assert_eq!((report.iterations, report.is_solved(), report.limit_hits), (3, true, 0));
    // Each of the three turns a closing speed by 2 m/s or 1 m/s: 2 + 2 kg m/s at the wall.
    let tolerance = 16.0 * EPS;
    assert!((rig.impulse(edges[0]).x - 4.0).abs() <= 4.0 * tolerance, "the wall pushed twice");
    for speed in speeds(&rig, &members) {
        assert!((speed - 1.0).abs() <= tolerance, "{speed}");
    }
    assert!((report.energy_after - report.energy_before).abs() <= f64::from(tolerance));
}

/// Galperin's billiard: a heavy ball drives a light one against a wall. The number of collisions is
/// `⌈π / atan √(m/M)⌉ - 1`; for mass ratios of 100ⁿ the digits of π.
#[test]
fn heavy_and_light_ball_at_a_wall_collide_as_often_as_pi_says() {
    for (ratio, expected) in [(1.0, 3), (100.0, 31), (10_000.0, 314)] {
        let (mut rig, members, _) = wall_and_line(&[(1.0, 0.0), (ratio, -1.0)]);
        // Thresholds far below every speed that occurs.
        rig.step.dt = 1e-6;
        let report = rig.advance(&strict());
        assert_eq!((report.iterations, report.is_solved()), (expected, true), "ratio {ratio}");
        let kinetic = 0.5 * f64::from(ratio);
        // Each collision rounds both velocities once or twice.
        let tolerance = kinetic * f64::from(EPS) * 4.0 * expected as f64;
        assert!((rig.energy() - kinetic).abs() <= tolerance, "{} of {kinetic}", rig.energy());
        let [light, heavy] = [0, 1].map(|i| rig.linear(members[i]).x);
        assert!(light >= 0.0 && heavy >= light, "all separate: {light}, {heavy}");
    }
}

/// Validation case D1: of five equal elastic balls that touch, as many leave as come, at their speed.
#[test]
fn as_many_cradle_balls_leave_as_come() {
    for n in 1..=4 {
        let mut rig = Rig::new();
        let balls: Vec<(Real, Real)> = (0..5).map(|i| (1.0, if i < n { 1.0 } else { 0.0 })).collect();
        let (members, _) = line(&mut rig, &balls, 1.0);
        let report = rig.advance(&strict());
        assert_eq!(report.iterations, (n * (5 - n)) as u64, "each of the {n} passes each of the others");
        for (i, speed) in speeds(&rig, &members).into_iter().enumerate() {
            let expected = if i >= 5 - n { 1.0 } else { 0.0 };
            assert!((speed - expected).abs() <= 32.0 * EPS, "ball {i} of {n}: {speed}");
        }
    }
}

/// D1 with three balls: not the simultaneous answer (-1/3, 2/3, 2/3); and from both ends at once they swap.
#[test]
fn cradle_balls_from_both_ends_swap_their_speeds() {
    for (before, after) in [([1.0, 0.0, 0.0], [0.0, 0.0, 1.0]), ([2.0, 0.0, -1.0], [-1.0, 0.0, 2.0])] {
        let mut rig = Rig::new();
        let (members, _) = line(&mut rig, &before.map(|speed| (1.0, speed)), 1.0);
        rig.advance(&strict());
        for (found, expected) in speeds(&rig, &members).into_iter().zip(after) {
            assert!((found - expected).abs() <= 32.0 * EPS, "{found} for {expected}");
        }
    }
}

/// D1, unequal masses 1:2:1: the pair impacts by hand, one after the other.
#[test]
fn unequal_masses_follow_the_pair_impacts_by_hand() {
    let mut rig = Rig::new();
    let (members, _) = line(&mut rig, &[(1.0, 1.0), (2.0, 0.0), (1.0, 0.0)], 1.0);
    rig.advance(&strict());
    // (1, 0) -> (-1/3, 2/3); then (2/3, 0) of 2:1 -> (2/9, 8/9).
    for (found, expected) in speeds(&rig, &members).into_iter().zip([-1.0 / 3.0, 2.0 / 9.0, 8.0 / 9.0]) {
        assert!((found - expected).abs() <= 32.0 * EPS, "{found} for {expected}");
    }
}

/// Validation case B17: the small ball on a superball leaves at `(3 m₁ - m₂) / (m₁ + m₂)` times the speed.
#[test]
fn a_small_ball_on_a_superball_leaves_fast() {
    let (mut rig, members, _) = wall_and_line(&[(1.0, -1.0), (0.1, -1.0)]);
    rig.advance(&strict());
    assert!((rig.linear(members[1]).x - 2.9 / 1.1).abs() <= 64.0 * EPS);
}

/// S1-57: the iterations are those of Algorithm 9 computed anew in each iteration, in double precision, in S1's
/// contact coordinates.
#[test]
fn iterations_follow_algorithm_9() {
    let config = ImpulseConfig { global_limit: Some(1.0), ..strict() };
    let mut compared = 0;
    for seed in 0..1500 {
        let mut random = Random::new(seed);
        let mut rig = Rig::new();
        let members = Cluster::SMALL.build(&mut rig, &mut random);
        let points: usize = rig.graph.edge_indices().map(|e| rig.graph.edge(e).manifold.points().len()).sum();
        let (threshold, restitution) =
            (config.resolution_threshold * G_DT, config.restitution_threshold * G_DT);
        let reference = algorithm_9(&rig, points as u64, threshold, restitution);
        if reference.margin < 1e-3 || reference.condition > 30.0 || !reference.is_ordinary {
            continue;
        }
        compared += 1;
        let report = rig.advance(&config);
        assert_eq!(report.iterations, reference.iterations, "seed {seed}");
        // As for one contact (16 EPS times the squared condition number), for each iteration on the way.
        let tolerance =
            16.0 * f64::from(EPS) * reference.condition.powi(2) * (1 + reference.iterations) as f64;
        for &member in &members {
            let expected = &reference.bodies[member.get()];
            let size = 1.0 + expected.linear.norm() + expected.angular.norm();
            let off = (widen(&rig.linear(member)) - expected.linear).norm()
                + (widen(&rig.angular(member)) - expected.angular).norm();
            assert!(off <= tolerance * size, "seed {seed}: {off}, {} allowed", tolerance * size);
        }
    }
    assert!(compared >= 200, "only {compared} clusters were clear enough to compare");
}

/// S1-57, S1-64: whatever remains is what the report says, looked at afresh.
#[test]
fn the_reported_residual_is_what_remains() {
    for seed in 0..200 {
        let mut random = Random::new(seed);
        let mut rig = Rig::new();
        Cluster { body_count: 12, extra_contacts: 12, ..Cluster::SMALL }.build(&mut rig, &mut random);
        let config = ImpulseConfig { global_limit: Some(random.between(0.0, 8.0)), ..strict() };
        let report = rig.advance(&config);
        let residual = rig.residual();
        let tolerance = 32.0 * EPS * (1.0 + residual);
        assert!((report.worst_residual - residual).abs() <= tolerance, "{report:?} against {residual}");
        assert_eq!(report.is_solved(), residual <= config.resolution_threshold * G_DT, "seed {seed}");
        if report.is_solved() {
            assert_eq!(report.limit_hits, 0);
        }
    }
}

/// S1-59: a limit is a multiple of the contacts; the phase ends exactly there, and the report says so.
#[test]
fn the_iteration_limit_is_exact_and_reported() {
    for (multiple, expected) in [(0.0, 0), (0.05, 2), (1.0, 30), (2.0, 60), (2.05, 62)] {
        let mut rig = Rig::with_gravity();
        column(&mut rig, 30, surface(0.0, 0.3));
        let config = ImpulseConfig { global_limit: Some(multiple), ..strict() };
        let report = rig.advance(&config);
        assert_eq!((report.points, report.iterations, report.limit_hits), (30, expected, 1));
        assert!(!report.is_solved());
    }
    let mut rig = Rig::with_gravity();
    column(&mut rig, 30, surface(0.0, 0.3));
    let report = rig.advance(&ImpulseConfig { safety_limit: 1.0, ..strict() });
    assert_eq!((report.iterations, report.limit_hits), (30, 1), "the safety limit bounds what has no other");
    let mut rig = Rig::with_gravity();
    column(&mut rig, 30, surface(0.0, 0.3));
    let report = rig.advance(&strict());
    assert_eq!((report.is_solved(), report.limit_hits), (true, 0), "without a limit it converges");
    assert!(rig.residual() <= strict().resolution_threshold * G_DT * 1.001);
}

/// A phase of many contacts ends at its limit, but not before it had what every contact gets.
#[test]
fn the_limit_of_a_phase_leaves_each_contact_its_share() {
    let least = (ImpulseConfig::LEAST_PER_POINT * 30.0) as u64;
    for (most, multiple, expected) in
        [(1.0, None, least), (700.0, None, 700), (700.0, Some(2.0), 60), (1.0, Some(1000.0), least)]
    {
        let mut rig = Rig::with_gravity();
        column(&mut rig, 30, surface(0.0, 0.3));
        let config = ImpulseConfig { phase_limit: Some(most), global_limit: multiple, ..strict() };
        let report = rig.advance(&config);
        assert_eq!((report.iterations, report.limit_hits), (expected, 1), "{most} {multiple:?}");
    }
    assert!(ImpulseConfig { phase_limit: Some(0.5), ..strict() }.validate().is_err());
}

/// Impulses of a resting column carry what lies above them (C1): solved to the end in one step from rest.
#[test]
fn a_solved_column_carries_its_weight() {
    let count = 10;
    let mut rig = Rig::with_gravity();
    column(&mut rig, count, surface(0.0, 0.3));
    rig.advance(&strict());
    let threshold = strict().resolution_threshold * G_DT;
    for (below, edge) in rig.graph.edge_indices().enumerate() {
        let load = (count - below) as Real * G_DT;
        // Each ball above may still fall at the sum of the residuals below it.
        let tolerance = threshold * (count * count) as Real;
        assert!((rig.impulse(edge).y - load).abs() <= tolerance, "under {} balls", count - below);
    }
}

/// A light ball on the floor under a heavy one that falls at 1 m/s; nothing bounces.
fn heavy_on_light() -> (Rig, [BodyIndex; 2]) {
    let mut rig = Rig::new();
    let floor = rig.fixed();
    let light = rig.ball(1.0, Vector3::new(0.0, RADIUS, 0.0), Vector3::zeros());
    let heavy = rig.ball(1000.0, Vector3::new(0.0, 3.0 * RADIUS, 0.0), Vector3::new(0.0, -1.0, 0.0));
    rig.touch(floor, light, Vector3::y(), &[Vector3::zeros()], 0.0, surface(0.0, 0.0));
    rig.touch_balls(light, heavy, surface(0.0, 0.0));
    (rig, [light, heavy])
}

/// S1-61, S1-63: stage 1 has two contacts and a limit of two: heavy against light, light against floor. Then
/// the light ball counts as infinitely heavy, so stage 2 stops the heavy one in a single resolution, without
/// moving the light one. Masses are afterwards what they were.
#[test]
fn what_is_done_counts_as_infinitely_heavy() {
    let (mut rig, [light, heavy]) = heavy_on_light();
    let masses = [light, heavy].map(|b| (rig.bodies.hot(b).inverse_mass, *rig.bodies.inverse_inertia(b)));
    let config = ImpulseConfig { global_limit: Some(0.0), shock_limit: Some(1.0), ..strict() };
    let report = rig.advance(&config);
    assert_eq!((report.iterations, report.shock_iterations, report.shock_stages), (3, 3, 2));
    assert_eq!((report.limit_hits, report.unsolved_points), (1, 0), "stage 1 ran into its limit");
    assert!(rig.linear(light).norm() <= 4.0 * EPS && rig.linear(heavy).norm() <= 4.0 * EPS);
    let after = [light, heavy].map(|b| (rig.bodies.hot(b).inverse_mass, *rig.bodies.inverse_inertia(b)));
    assert_eq!(masses, after);
    // Without it, three resolutions take a thousandth of the closing speed each time round.
    let (mut rig, _) = heavy_on_light();
    let plain = rig.advance(&ImpulseConfig { global_limit: Some(1.5), shock_limit: None, ..strict() });
    assert_eq!(plain.iterations, 3);
    assert!(plain.worst_residual > 0.99, "{}", plain.worst_residual);
}

/// S1-62: no stage runs when the global phase converged.
#[test]
fn shock_propagation_is_skipped_when_the_global_phase_converged() {
    let mut rig = Rig::with_gravity();
    column(&mut rig, 3, surface(0.0, 0.3));
    let mut other = rig.clone();
    let with = rig.advance(&ImpulseConfig { global_limit: Some(1000.0), shock_limit: Some(6.0), ..strict() });
    let without = other.advance(&ImpulseConfig { global_limit: Some(1000.0), ..strict() });
    assert!(with.is_solved() && with.shock_stages == 0 && with.shock_iterations == 0);
    assert_eq!((with, rig.hash()), (without, other.hash()));
}

/// S1-62, S1-63: first the global phase up to its limit, then every stage up to its own.
#[test]
fn shock_propagation_follows_a_full_global_phase() {
    let mut rig = Rig::with_gravity();
    column(&mut rig, 30, surface(0.0, 0.3));
    let config = ImpulseConfig { global_limit: Some(2.0), shock_limit: Some(6.0), ..strict() };
    let report = rig.advance(&config);
    assert_eq!(report.iterations - report.shock_iterations, 60);
    assert!((1..=30).contains(&report.shock_stages), "{report:?}");
    // Two contacts in every stage but the last.
    assert!(report.shock_iterations <= 6 * (2 * 29 + 1), "{report:?}");
}

/// S1-61: at the same limits a column is left with less than a tenth of the closing speed, mostly none.
#[test]
fn shock_propagation_leaves_a_column_with_less_residual() {
    let run = |shock_limit| {
        let mut rig = Rig::with_gravity();
        column(&mut rig, 30, surface(0.25, 0.3));
        let report = rig.advance(&ImpulseConfig { shock_limit, ..ImpulseConfig::fast() });
        (report.worst_residual, rig.residual())
    };
    let (with, without) = (run(Some(6.0)), run(None));
    assert!(with.0 < 0.1 * without.0, "{} against {}", with.0, without.0);
    assert!((with.1 - with.0).abs() <= 1e-6 && (without.1 - without.0).abs() <= 1e-6);
}

/// S1-61 needs something fixed to start from: a floating cluster runs into its limit and says so.
#[test]
fn a_floating_cluster_has_no_stages() {
    let mut rig = Rig::new();
    let balls: Vec<(Real, Real)> = (0..20).map(|i| (1.0, -(i as Real))).collect();
    line(&mut rig, &balls, 0.0);
    let report = rig.advance(&ImpulseConfig { global_limit: Some(1.0), shock_limit: Some(6.0), ..strict() });
    assert_eq!((report.iterations, report.shock_stages, report.limit_hits), (19, 0, 1));
}

/// Validation case B8: a ball dropped from 1 m rises to `e²` of that again and again.
///
/// The step sees the floor up to `v dt` early, and the velocity it turns round has a step's gravity too much or
/// too little: each bounce so far may put the height off by `3 g dt / v` of itself.
#[test]
fn a_bouncing_ball_rises_to_the_squared_restitution() {
    let restitution: Real = 0.8;
    let mut rig = Rig::with_gravity();
    let floor = rig.fixed();
    let ball = rig.ball(1.0, Vector3::new(0.0, 1.0 + RADIUS, 0.0), Vector3::zeros());
    let mut method = ImpulseSolver::new(strict());
    let (mut apexes, mut last): (Vec<Real>, Real) = (Vec::new(), 0.0);
    while apexes.len() < 3 {
        method.begin(&mut rig.bodies, &rig.graph, &rig.step, &Exec::serial());
        let gap = center(&rig.bodies, ball).y - RADIUS;
        rig.touch(floor, ball, Vector3::y(), &[Vector3::zeros()], gap, surface(restitution, 0.0));
        rig.advance_with(&mut method, &Exec::serial());
        let speed = rig.linear(ball).y;
        if last > 0.0 && speed <= 0.0 {
            apexes.push(gap);
        }
        last = speed;
    }
    let mut slack = 0.0;
    for (n, apex) in apexes.into_iter().enumerate() {
        let expected = restitution.powi(2 * (n as i32 + 1));
        slack += 3.0 * G_DT / (2.0 * G * expected).sqrt();
        assert!((apex - expected).abs() <= slack * expected, "apex {n}: {apex} for {expected}");
    }
}

/// Neighbours that close each other again by ever less: with the overshoot they are resolved less often, what is left
/// is within the threshold all the same, and no contact of the column separates faster than the overshoot.
#[test]
fn the_overshoot_saves_resolutions() {
    let overshoot = 4.0;
    let solve = |overshoot| {
        let mut rig = Rig::with_gravity();
        let balls = column(&mut rig, 12, surface(0.0, 0.3));
        let report = rig.advance(&ImpulseConfig { overshoot, ..strict() });
        assert!(report.is_solved());
        (report.iterations, balls.iter().map(|&ball| rig.linear(ball).y).collect::<Vec<_>>())
    };
    let (plain, _) = solve(0.0);
    let (fewer, speeds) = solve(overshoot);
    assert!(4 * fewer < 3 * plain, "{fewer} against {plain}");
    // Contacts of a single point get three times as much.
    let limit = 3.0 * overshoot * strict().resolution_threshold * G_DT * (1.0 + 100.0 * EPS);
    let below = std::iter::once(&0.0).chain(&speeds);
    for (below, above) in below.zip(&speeds) {
        assert!(above - below <= limit, "{} m/s, at most {limit}", above - below);
    }
}

/// A contact that is resolved once goes where S1 says, whatever the overshoot.
#[test]
fn a_contact_without_neighbours_knows_nothing_of_the_overshoot() {
    let solve = |overshoot| {
        let mut single = Rig::with_gravity();
        column(&mut single, 1, surface(0.0, 0.3));
        single.advance(&ImpulseConfig { overshoot, ..strict() });
        single.bodies.view().hot.iter().map(|hot| (hot.linear, hot.angular)).collect::<Vec<_>>()
    };
    assert_eq!(solve(0.0), solve(100.0));
}
