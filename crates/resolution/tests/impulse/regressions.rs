//! Defects that were found and mended; each test names what went wrong.
use crate::common::*;
use drystone_contact::*;
use drystone_exec::Exec;
use drystone_math::{Real, Vector3};
use drystone_resolution::{ImpulseConfig, ImpulseSolver, Solver};

/// S1-39: overlap among sleepers is no closing contact with a moving body.
#[test]
fn overlapping_sleepers_of_a_island_with_an_awake_body_sleep_on() {
    let mut rig = Rig::with_gravity();
    let balls = column(&mut rig, 3, surface(0.25, 0.3));
    for edge in rig.graph.edges_mut() {
        edge.manifold.points_mut()[0].distance = -2.0 * G_DT * DT;
    }
    // Touches the top ball from the side and moves away.
    let at = Vector3::new(2.0 * RADIUS, 5.0 * RADIUS, 0.0);
    let visitor = rig.ball(1.0, at, Vector3::new(1.0, 0.0, 0.0));
    rig.touch_balls(balls[2], visitor, surface(0.0, 0.0));
    balls.iter().for_each(|&b| rig.bodies.put_to_sleep(b));
    let report = rig.advance(&ImpulseConfig::fast());
    assert_eq!((report.woken, report.iterations), (0, 0));
}

/// Impulse and slip that a resting contact of two sleepers had stay while a visitor is in the island.
#[test]
fn contacts_among_sleepers_keep_their_impulse_and_slip() {
    let mut rig = Rig::with_gravity();
    let balls = column(&mut rig, 2, surface(0.25, 0.3));
    let at = Vector3::new(2.0 * RADIUS, 3.0 * RADIUS, 0.0);
    let visitor = rig.ball(1.0, at, Vector3::new(1.0, 0.0, 0.0));
    rig.touch_balls(balls[1], visitor, surface(0.0, 0.0));
    let edge = rig.graph.edge_indices().next().unwrap();
    let (impulse, slip) = (Vector3::y() * 0.08, Vector3::x() * 1e-6);
    let point = &mut rig.graph.edges_mut()[edge.get()].manifold.points_mut()[0];
    (point.impulse, point.accumulated_slip) = (impulse, slip);
    balls.iter().for_each(|&b| rig.bodies.put_to_sleep(b));
    rig.advance(&ImpulseConfig::fast());
    let point = rig.graph.edge(edge).manifold.points()[0];
    assert_eq!((point.impulse, point.accumulated_slip), (impulse, slip));
}

/// A body whose translation is locked is a wall.
#[test]
fn a_body_that_cannot_move_is_hit_as_a_wall() {
    for restitution in [0.0, 0.5, 1.0] {
        let mut rig = Rig::new();
        let locks = AxisLocks { translation: [true; 3], rotation: [true; 3] };
        let post = rig.add(&BodyDesc { locks, ..ball_desc(1.0, Vector3::zeros()) });
        let ball = rig.ball(1.0, Vector3::new(2.0 * RADIUS, 0.0, 0.0), -Vector3::x());
        rig.touch_balls(post, ball, surface(restitution, 0.3));
        let report = rig.advance(&strict());
        assert!(
            (rig.linear(ball).x - restitution).abs() <= 16.0 * EPS,
            "{} at e {restitution}",
            rig.linear(ball).x
        );
        assert_eq!(rig.linear(post), Vector3::zeros());
        assert!((report.worst_residual - rig.residual()).abs() <= 16.0 * EPS, "{report:?}");
    }
}

/// Locked in one axis: only the free ones take part.
#[test]
fn a_locked_axis_of_translation_takes_no_part() {
    let mut rig = Rig::new();
    let locks = AxisLocks { translation: [false, true, false], rotation: [true; 3] };
    let slider = rig.add(&BodyDesc { locks, ..ball_desc(1.0, Vector3::zeros()) });
    let n = Vector3::new(1.0, 1.0, 0.0).normalize();
    let ball = rig.ball(1.0, n * 2.0 * RADIUS, -n);
    let edge = rig.touch_balls(slider, ball, surface(0.5, 0.0));
    rig.advance(&strict());
    let after = rig.relative_velocity(edge, 0).dot(&n);
    assert!((after - 0.5).abs() <= 16.0 * EPS, "{after}");
}

fn bounce(restitution: Real, seconds: u32) -> (Vec<Real>, Real, Real) {
    let mut rig = Rig::with_gravity();
    let floor = rig.fixed();
    let ball = rig.ball(1.0, Vector3::new(0.0, 1.0 + RADIUS, 0.0), Vector3::zeros());
    let mut method =
        ImpulseSolver::new(ImpulseConfig { gravity_damping_threshold: 0.0, ..ImpulseConfig::fast() });
    let (mut apexes, mut last, mut fastest): (Vec<Real>, Real, Real) = (Vec::new(), 0.0, 0.0);
    for step in 0..240 * seconds {
        method.begin(&mut rig.bodies, &rig.graph, &rig.step, &Exec::serial());
        let gap = center(&rig.bodies, ball).y - RADIUS;
        rig.touch(floor, ball, Vector3::y(), &[Vector3::zeros()], gap, surface(restitution, 0.0));
        rig.advance_with(&mut method, &Exec::serial());
        let speed = rig.linear(ball).y;
        if last > 0.0 && speed <= 0.0 {
            apexes.push(gap);
        }
        last = speed;
        if step > 240 * (seconds - 1) {
            fastest = fastest.max(speed.abs());
        }
    }
    (apexes, fastest, 0.0)
}

/// B8: all bouncing ends at 4.06 s.
#[test]
fn a_bouncing_ball_comes_to_rest() {
    for e in [0.3, 0.5, 0.8] {
        let (_, fastest, _) = bounce(e, 8);
        assert!(fastest <= 0.02 * G_DT, "e {e}: still {fastest} m/s, {} g dt", fastest / G_DT);
    }
}

/// B8: e = 1 keeps its height.
#[test]
fn an_elastic_ball_keeps_its_height() {
    let (apexes, ..) = bounce(1.0, 60);
    let (first, last) = (apexes[0], apexes[apexes.len() - 1]);
    assert!((last - 1.0).abs() < 0.02, "after {} bounces {last} m, first {first} m", apexes.len());
}

/// energy_safe with holding on.
#[test]
fn holding_adds_no_energy_when_asked_to_be_safe() {
    let mut worst: f64 = 0.0;
    let mut bad = 0;
    for seed in 0..3000 {
        let mut rig = Rig::new();
        Cluster::SMALL.build(&mut rig, &mut Random::new(seed));
        let before = rig.energy();
        let config =
            ImpulseConfig { energy_safe: true, global_limit: Some(20.0), stick_sweeps: 2, ..strict() };
        rig.advance(&config);
        let gained = (rig.energy() - before) / before;
        worst = worst.max(gained);
        bad += u32::from(gained > 1e-4);
    }
    assert!(bad == 0, "{bad} of 3000 clusters gained, the worst {worst}");
}

/// Sliding friction without a trial must not reverse the slip.
#[test]
fn friction_of_a_singular_contact_does_not_reverse_the_slip() {
    let mut rig = Rig::new();
    let floor = rig.fixed();
    let ball = rig.ball(1e14, Vector3::new(0.0, RADIUS, 0.0), Vector3::new(0.1, -2.0, 0.0));
    let edge = rig.touch(floor, ball, Vector3::y(), &[Vector3::zeros()], 0.0, surface(0.0, 1.0));
    let before = rig.energy();
    rig.advance(&strict());
    assert!(rig.relative_velocity(edge, 0).x >= -1e-6, "{}", rig.relative_velocity(edge, 0));
    assert!(rig.energy() <= before);
}

/// Nothing can be done about a contact that is locked on both sides: no iteration is spent on it twice.
#[test]
fn a_contact_locked_on_both_sides_costs_one_look() {
    let mut rig = Rig::new();
    let locks = AxisLocks { translation: [true; 3], rotation: [true; 3] };
    let post = rig.add(&BodyDesc { locks, ..ball_desc(1.0, Vector3::zeros()) });
    let at = Vector3::new(2.0 * RADIUS, 0.0, 0.0);
    let pusher =
        rig.add(&BodyDesc { kind: BodyKind::Kinematic, linear: -Vector3::x(), ..ball_desc(1.0, at) });
    rig.touch_balls(post, pusher, surface(0.0, 0.0));
    let report = rig.advance(&strict());
    assert!(report.iterations <= 1 && report.unsolved_points == 1 && rig.is_finite(), "{report:?}");
}

/// B10 below the sticking friction: the edge comes down without slip, and the friction of the slip that the
/// blow itself makes is mobilised in full, whichever way a millionth of a metre per second points before.
#[test]
fn friction_of_an_impact_without_slip_is_mobilised() {
    let (rx, rz, friction): (Real, Real, Real) =
        (0.1 * (0.75f32.sqrt() - 0.5), -0.1 * (0.75f32.sqrt() + 0.5), 0.1);
    for along in [0.0, 1e-6, -1e-6] {
        let mut rig = Rig::new();
        let floor = rig.fixed();
        let mass = drystone_math::inertia::MassProperties::aligned(1.0, Vector3::repeat(1.0 / 150.0));
        let at = pose(Vector3::new(-rx, 0.0, -rz), drystone_math::Rotation::identity());
        let linear = Vector3::new(along, 0.0, -2.0);
        let cube = rig.add(&BodyDesc { linear, ..BodyDesc::dynamic(mass, 0.2).at(at) });
        let edge = rig.touch(floor, cube, Vector3::z(), &[Vector3::zeros()], 0.0, surface(0.5, friction));
        rig.advance(&strict());
        // K_zz = 1/m + rx²/I, K_xz = -rx rz / I, and friction against the slip K_xz J.
        let (k_zz, k_xz) = (1.0 + rx * rx * 150.0, -rx * rz * 150.0);
        let normal = 3.0 / (k_zz - friction * k_xz.abs());
        let found = rig.impulse(edge);
        assert!((found.z - normal).abs() < 1e-4, "{found} for {normal} at {along}");
        assert!((found.x + friction * normal * k_xz.signum()).abs() < 1e-4, "{found} at {along}");
    }
}
