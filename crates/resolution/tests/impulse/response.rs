//! Bodies: moving first (S1-28), gravity damping (S1-66), waking what is struck (S1-39), what cannot be
//! pushed, locked axes, extreme masses, and impulses that are what the bodies felt (promise 6).

use crate::common::{Cluster, DT, EPS, G, G_DT, RADIUS, Random, Rig, ball_desc, column, strict, surface};
use drystone_contact::{AxisLocks, BodyDesc, BodyIndex, BodyKind, WakeCause};
use drystone_exec::Exec;
use drystone_math::inertia::MassProperties;
use drystone_math::{Displacement, Real, Vector3, widen};
use drystone_resolution::{ImpulseConfig, ImpulseSolver, Solver};
use proptest::prelude::*;

/// S1-28: positions move at the start of the step with the velocities of the last one, and only there.
#[test]
fn bodies_move_first_and_by_the_last_velocity() {
    let mut rig = Rig::with_gravity();
    let ball = rig.ball(1.0, Vector3::zeros(), Vector3::new(3.0, 0.0, 0.0));
    let mut method = ImpulseSolver::new(strict());
    method.begin(&mut rig.bodies, &rig.graph, &rig.step, &Exec::serial());
    let moved = rig.bodies.center_pose(ball).translation;
    assert!((moved.x - f64::from(3.0 * DT)).abs() < 1e-9 && moved.y == 0.0);
    rig.advance_with(&mut method, &Exec::serial());
    assert_eq!(rig.bodies.center_pose(ball).translation, moved, "the velocity update moves nothing");
    assert!((rig.linear(ball).y + G_DT).abs() <= EPS);
}

/// A free box that spins about no principal axis keeps its angular momentum while its velocity changes.
#[test]
fn a_tumbling_box_keeps_its_angular_momentum() {
    let mut rig = Rig::new();
    let mass = MassProperties::cuboid(&Vector3::new(0.5, 0.2, 0.1), 100.0);
    let angular = Vector3::new(0.1, 5.0, 0.1);
    rig.add(&BodyDesc { angular, ..BodyDesc::dynamic(mass, 0.6) });
    let mut method = ImpulseSolver::new(strict());
    let before = rig.angular_momentum();
    let steps = 1000;
    for _ in 0..steps {
        method.begin(&mut rig.bodies, &rig.graph, &rig.step, &Exec::serial());
    }
    // Orientation and angular velocity are rounded once, not in every step; so is what the momentum is taken
    // from here.
    let drift = (rig.angular_momentum() - before).norm() / before.norm();
    assert!(drift <= f64::from(EPS) * 8.0, "{drift}");
}

/// A contact with so wide a gap that nothing comes of it.
fn near_miss(rig: &mut Rig, floor: BodyIndex, ball: BodyIndex) {
    rig.touch(floor, ball, Vector3::y(), &[Vector3::new(0.0, -RADIUS, 0.0)], 1.0, surface(0.0, 0.5));
}

/// S1-66 is for what rests. At the top of its flight a body is slow too, and falls all the same.
#[test]
fn a_slow_body_without_a_contact_feels_all_of_gravity() {
    let mut rig = Rig::with_gravity();
    let ball = rig.ball(1.0, Vector3::zeros(), Vector3::zeros());
    rig.advance(&ImpulseConfig::fast());
    assert!((rig.linear(ball).y + G_DT).abs() <= EPS * G_DT);
}

/// S1-66: below the threshold of motion exactly the fraction of gravity acts, above it all of it.
#[test]
fn slow_bodies_feel_exactly_the_fraction_of_gravity() {
    let config = ImpulseConfig::fast();
    // The bound is √2 |v|; the threshold is 2 g dt.
    let border = config.gravity_damping_threshold * G_DT / (2.0 as Real).sqrt();
    for (speed, share) in [(0.0, 0.3), (0.999 * border, 0.3), (1.001 * border, 1.0), (5.0, 1.0)] {
        let mut rig = Rig::with_gravity();
        let floor = rig.fixed();
        let ball = rig.ball(1.0, Vector3::zeros(), Vector3::new(0.0, -speed, 0.0));
        near_miss(&mut rig, floor, ball);
        rig.advance(&config);
        let gained = -rig.linear(ball).y - speed;
        assert!((gained - share * G_DT).abs() <= EPS * (speed + G_DT) * 2.0, "at {speed}: {gained}");
    }
    // Spin counts with the radius.
    for (factor, share) in [(0.999, 0.3), (1.001, 1.0)] {
        let mut rig = Rig::with_gravity();
        let angular = Vector3::new(0.0, 0.0, border / RADIUS * factor);
        let floor = rig.fixed();
        let ball = rig.add(&BodyDesc { angular, ..ball_desc(1.0, Vector3::zeros()) });
        near_miss(&mut rig, floor, ball);
        rig.advance(&config);
        assert!((rig.linear(ball).y + share * G_DT).abs() <= EPS * G_DT * 2.0);
    }
}

/// S1-66 is about the global acceleration: forces on one body act in full.
#[test]
fn gravity_damping_leaves_user_forces_alone() {
    let mut rig = Rig::with_gravity();
    let floor = rig.fixed();
    let ball = rig.ball(2.0, Vector3::zeros(), Vector3::zeros());
    near_miss(&mut rig, floor, ball);
    let handle = rig.bodies.handle(ball).expect("alive");
    rig.bodies.add_force(handle, Vector3::new(6.0, 0.0, 0.0), Vector3::zeros()).expect("finite");
    rig.advance(&ImpulseConfig::fast());
    assert!((rig.linear(ball).x - 3.0 * DT).abs() <= EPS * 3.0 * DT);
    assert!((rig.linear(ball).y + 0.3 * G_DT).abs() <= EPS * G_DT);
}

/// A threshold of 0 switches gravity damping off (S1-88).
#[test]
fn without_a_threshold_gravity_acts_in_full() {
    let mut rig = Rig::with_gravity();
    let ball = rig.ball(1.0, Vector3::zeros(), Vector3::zeros());
    rig.advance(&ImpulseConfig::accurate());
    assert!((rig.linear(ball).y + G * DT).abs() <= EPS * G_DT);
}

/// An awake ball of 1 kg at -x, moving along x with this speed, touches a sleeping one at the origin, which
/// touches a second sleeper at +x.
fn striker_and_sleepers(speed: Real, second_gap: Real) -> (Rig, [BodyIndex; 3]) {
    let mut rig = Rig::new();
    let balls =
        [-1.0, 0.0, 1.0].map(|x| rig.ball(1.0, Vector3::new(2.0 * RADIUS * x, 0.0, 0.0), Vector3::zeros()));
    rig.set_linear(balls[0], Vector3::new(speed, 0.0, 0.0));
    rig.touch_balls(balls[0], balls[1], surface(0.0, 0.0));
    let edge = rig.touch_balls(balls[1], balls[2], surface(0.0, 0.0));
    rig.graph.edges_mut()[edge.get()].manifold.points_mut()[0].distance = second_gap;
    rig.bodies.put_to_sleep(balls[1]);
    rig.bodies.put_to_sleep(balls[2]);
    rig.bodies.take_wakes();
    (rig, balls)
}

/// S1-39: the sleeper wakes when its closing contact is resolved, and takes part from then on.
#[test]
fn a_closing_contact_wakes_the_sleeper_it_strikes() {
    let (mut rig, [_, struck, far]) = striker_and_sleepers(1.0, 1.0);
    let report = rig.advance(&strict());
    assert_eq!((rig.bodies.is_asleep(struck), rig.bodies.is_asleep(far), report.woken), (false, true, 1));
    assert_eq!(rig.bodies.take_wakes().get(WakeCause::Impact), 1);
    assert!((rig.linear(struck).x - 0.5).abs() <= 4.0 * EPS);
    assert_eq!(rig.linear(far), Vector3::zeros());
}

/// S1-39: a push that goes on wakes the next one in the same step.
#[test]
fn a_chain_of_closing_contacts_wakes_the_chain() {
    let (mut rig, balls) = striker_and_sleepers(1.0, 0.0);
    let report = rig.advance(&strict());
    assert_eq!(report.woken, 2);
    assert!(balls.iter().all(|&b| rig.bodies.is_awake(b)));
    assert!((rig.momentum().x - 1.0).abs() <= 8.0 * f64::from(EPS));
}

/// S1-39, the other half: separating, merely touching and hardly closing neighbours let it sleep.
#[test]
fn contacts_that_do_not_close_wake_nobody() {
    for speed in [-1.0, 0.0, 0.9 * strict().resolution_threshold * G_DT] {
        for config in [strict(), ImpulseConfig::fast()] {
            let (mut rig, balls) = striker_and_sleepers(speed, 0.0);
            let config = ImpulseConfig { resolution_threshold: strict().resolution_threshold, ..config };
            let report = rig.advance(&config);
            assert!(rig.bodies.is_asleep(balls[1]) && rig.bodies.is_asleep(balls[2]), "at {speed}");
            assert_eq!((report.woken, report.iterations, rig.bodies.take_wakes().total()), (0, 0, 0));
        }
    }
}

/// Nothing acts on a sleeper: gravity does not, and its velocity stays 0.
#[test]
fn sleepers_feel_no_gravity() {
    let mut rig = Rig::with_gravity();
    let ball = rig.ball(1.0, Vector3::zeros(), Vector3::zeros());
    rig.bodies.put_to_sleep(ball);
    rig.advance(&ImpulseConfig::fast());
    assert!(rig.bodies.is_asleep(ball) && rig.linear(ball) == Vector3::zeros());
}

/// A body that moves as its user says pushes as something infinitely heavy, and nothing pushes it.
#[test]
fn kinematic_bodies_push_and_are_not_pushed() {
    let mut rig = Rig::new();
    let desc = BodyDesc {
        kind: BodyKind::Kinematic,
        linear: Vector3::new(2.0, 0.0, 0.0),
        angular: Vector3::new(0.0, 0.0, 3.0),
        ..ball_desc(1.0, Vector3::new(-2.0 * RADIUS, 0.0, 0.0))
    };
    let pusher = rig.add(&desc);
    let ball = rig.ball(1.0, Vector3::zeros(), Vector3::new(-1.0, 0.0, 0.0));
    rig.touch_balls(pusher, ball, surface(1.0, 0.0));
    let report = rig.advance(&strict());
    assert_eq!((rig.linear(pusher), rig.angular(pusher)), (desc.linear, desc.angular));
    // Closing at 3 m/s, so leaving at 3 m/s relative to the pusher.
    assert!((rig.linear(ball).x - 5.0).abs() <= 16.0 * EPS * 5.0);
    assert!(report.is_solved());
}

/// S1-39 with a kinematic striker: it alone may be moving, and still wakes what it pushes.
#[test]
fn a_kinematic_body_wakes_the_sleeper_it_pushes() {
    let mut rig = Rig::new();
    let at = Vector3::new(-2.0 * RADIUS, 0.0, 0.0);
    let desc = BodyDesc { kind: BodyKind::Kinematic, linear: Vector3::x(), ..ball_desc(1.0, at) };
    let pusher = rig.add(&desc);
    let ball = rig.ball(1.0, Vector3::zeros(), Vector3::zeros());
    rig.touch_balls(pusher, ball, surface(0.0, 0.0));
    rig.bodies.put_to_sleep(ball);
    let report = rig.advance(&strict());
    assert!(rig.bodies.is_awake(ball) && report.woken == 1);
    assert!((rig.linear(ball).x - 1.0).abs() <= 8.0 * EPS);
    // Moving away, it wakes nobody.
    rig.bodies.put_to_sleep(ball);
    let handle = rig.bodies.handle(pusher).expect("alive");
    rig.bodies.set_velocity(handle, -Vector3::x(), Vector3::zeros()).expect("kinematic");
    rig.advance(&strict());
    assert!(rig.bodies.is_asleep(ball));
}

/// A body whose rotation is locked takes a push beside its centre as one through it.
#[test]
fn a_body_that_cannot_turn_takes_an_off_centre_push_as_a_central_one() {
    let mut rig = Rig::new();
    let floor = rig.fixed();
    let locks = AxisLocks { rotation: [true; 3], ..AxisLocks::default() };
    let body = rig.add(&BodyDesc {
        locks,
        linear: Vector3::new(0.0, -2.0, 0.0),
        ..ball_desc(3.0, Vector3::new(0.3, RADIUS, 0.0))
    });
    let edge = rig.touch(floor, body, Vector3::y(), &[Vector3::zeros()], 0.0, surface(0.5, 0.0));
    rig.advance(&strict());
    assert!((rig.linear(body).y - 1.0).abs() <= 16.0 * EPS && rig.angular(body) == Vector3::zeros());
    assert!((rig.impulse(edge).y - 9.0).abs() <= 9.0 * 16.0 * EPS);
}

/// One locked axis of rotation: it stays still, and Newton's law holds with the two that are left.
#[test]
fn a_locked_axis_of_rotation_stays_still() {
    let mut random = Random::new(7);
    for _ in 0..50 {
        let mut rig = Rig::new();
        let floor = rig.fixed();
        let locks = AxisLocks { rotation: [false, true, true], ..AxisLocks::default() };
        let desc = crate::common::box_desc(2.0, &mut random);
        let linear = Vector3::new(0.5, -3.0, 0.2);
        let body = rig.add(&BodyDesc { locks, linear, angular: Vector3::zeros(), ..desc });
        let point = crate::common::center(&rig.bodies, body) + random.vector(0.3);
        let edge = rig.touch(floor, body, Vector3::y(), &[point], 0.0, surface(0.5, 0.0));
        rig.advance(&strict());
        assert_eq!((rig.angular(body).y, rig.angular(body).z), (0.0, 0.0));
        let rebound = rig.relative_velocity(edge, 0).y;
        assert!((rebound - 1.5).abs() <= 64.0 * EPS, "{rebound}");
    }
}

/// A mass beyond what the inverse of a collision matrix can hold in single precision: the push goes along the
/// normal, and everything stays finite.
#[test]
fn a_matrix_too_small_to_invert_is_no_obstacle() {
    for mass in [1e13, 1e16, 1e20] {
        let mut rig = Rig::new();
        let floor = rig.fixed();
        let ball = rig.ball(mass, Vector3::new(0.0, RADIUS, 0.0), Vector3::new(0.0, -2.0, 0.0));
        rig.touch(floor, ball, Vector3::y(), &[Vector3::zeros()], 0.0, surface(0.5, 0.3));
        rig.advance(&ImpulseConfig::fast());
        assert!(rig.is_finite());
        assert!((rig.linear(ball).y - 1.0).abs() <= 32.0 * EPS, "{mass} kg: {}", rig.linear(ball));
    }
}

/// What a body that cannot move at all does to others is what something fixed does.
#[test]
fn quarantined_bodies_are_as_fixed() {
    let mut rig = Rig::new();
    let sick = rig.ball(1.0, Vector3::zeros(), Vector3::zeros());
    let ball = rig.ball(1.0, Vector3::new(2.0 * RADIUS, 0.0, 0.0), -Vector3::x());
    rig.touch_balls(sick, ball, surface(1.0, 0.5));
    let pose = *rig.bodies.center_pose(sick);
    rig.bodies.quarantine(sick, pose);
    rig.advance(&ImpulseConfig::fast());
    assert!((rig.linear(ball).x - 1.0).abs() <= 16.0 * EPS);
    assert_eq!((rig.linear(sick), rig.bodies.is_awake(sick)), (Vector3::zeros(), false));
}

/// Two steps of a random cluster of extreme masses, as it is and held to its energy.
fn stays_finite(seed: u64, is_grounded: bool) {
    let mut random = Random::new(seed);
    let mut rig = Rig::with_gravity();
    let cluster = Cluster { body_count: 8, extra_contacts: 6, is_grounded, mass_exponent: 6.0 };
    cluster.build(&mut rig, &mut random);
    for config in [ImpulseConfig::fast(), ImpulseConfig { energy_safe: true, ..ImpulseConfig::fast() }] {
        let report = rig.advance(&config);
        assert!(rig.is_finite() && report.worst_residual.is_finite(), "{report:?}");
        assert!(report.energy_before.is_finite() && report.energy_after.is_finite(), "{report:?}");
    }
}

/// Five grams between six tonnes and three hundred kilograms, with friction and restitutions of 0.9 and 0.5: by Newton's law alone it
/// is struck to and fro, a third faster each time, to 1e21 m/s within a step.
#[test]
fn a_light_body_between_heavy_ones_is_not_struck_ever_faster() {
    stays_finite(14_185_016_650_715_660_606, false);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Masses of a millionth of a kilogram against a thousand tonnes: everything stays finite.
    #[test]
    fn extreme_mass_ratios_stay_finite(seed in any::<u64>(), is_grounded in any::<bool>()) {
        stays_finite(seed, is_grounded);
    }

    /// Promise 6: without shock propagation the reported impulses on a body sum to its momentum change, with
    /// everything beyond S1 (recovery, holding) switched on.
    #[test]
    fn reported_impulses_are_the_momentum_changes(seed in any::<u64>()) {
        let mut random = Random::new(seed);
        let mut rig = Rig::new();
        let members = Cluster { body_count: 6, extra_contacts: 6, ..Cluster::SMALL }.build(&mut rig, &mut random);
        let overlap = -2.0 * G_DT * DT;
        for edge in rig.graph.edges_mut() {
            for point in edge.manifold.points_mut() {
                (point.distance, point.accumulated_slip) = (overlap, edge_slip(&mut random));
            }
        }
        let momenta = |rig: &Rig| -> Vec<Displacement> {
            members.iter().map(|&m| widen(&rig.linear(m)) * f64::from(rig.bodies.mass(m))).collect()
        };
        let before = momenta(&rig);
        let largest = before.iter().map(|p| p.norm()).fold(0.0, f64::max);
        let config = ImpulseConfig { global_limit: Some(4.0), shock_limit: None, ..ImpulseConfig::fast() };
        let report = rig.advance(&config);
        let mut felt = vec![Displacement::zeros(); rig.bodies.capacity()];
        let mut pushed = 0.0;
        for edge in rig.graph.edge_indices() {
            let impulse = widen(&rig.impulse(edge));
            let manifold = &rig.graph.edge(edge).manifold;
            felt[manifold.body_b.get()] += impulse;
            felt[manifold.body_a.get()] -= impulse;
            pushed += manifold.points().iter().map(|p| f64::from(p.impulse.norm())).sum::<f64>();
        }
        // Every resolution rounds the impulse's sum and the velocity once; holding sweeps twice over the points.
        let roundings = (report.iterations + 4 * u64::from(report.points) + 1) as f64;
        let tolerance = 2.0 * f64::from(EPS) * roundings * (largest + pushed);
        for ((&member, before), after) in members.iter().zip(before).zip(momenta(&rig)) {
            let off = (after - before - felt[member.get()]).norm();
            prop_assert!(off <= tolerance, "{member:?}: off by {off}, {tolerance} allowed");
        }
    }
}

/// A slip as resting contacts have it.
fn edge_slip(random: &mut Random) -> Vector3 {
    random.vector(1e-5)
}

/// Energies of the report are those of the bodies.
#[test]
fn reported_energies_are_those_of_the_bodies() {
    let mut rig = Rig::new();
    Cluster::SMALL.build(&mut rig, &mut Random::new(3));
    let before = rig.energy();
    let report = rig.advance(&strict());
    assert!(report.iterations > 0);
    assert!((report.energy_before - before).abs() <= before * f64::from(EPS) * 32.0);
    assert!((report.energy_after - rig.energy()).abs() <= before * f64::from(EPS) * 32.0);
}

/// Reports of a settled column name its bodies and count its points.
#[test]
fn the_report_names_the_worst_contact() {
    let mut rig = Rig::with_gravity();
    let balls = column(&mut rig, 2, surface(0.0, 0.0));
    rig.set_linear(balls[1], Vector3::new(0.0, -1.0, 0.0));
    let report = rig.advance(&ImpulseConfig { global_limit: Some(0.0), ..strict() });
    assert_eq!((report.points, report.closing_points, report.unsolved_points), (2, 2, 2));
    assert_eq!(report.worst_bodies, Some([balls[0], balls[1]]));
    assert!((report.worst_residual - 1.0).abs() <= 2.0 * EPS);
}
