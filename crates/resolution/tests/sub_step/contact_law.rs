//! One manifold: what sticks, what slides, what bounces. Trusted: Coulomb's and Newton's laws.

use crate::common::{G, Random, Rig, surface};
use crate::scene::*;
use drystone_contact::{BodyDesc, BodyIndex, EdgeIndex, PairMaterial};
use drystone_math::{ContactBasis, Real, Rotation, Vector3};
use drystone_resolution::SubStepConfig;

/// A cube that touches a fixed plane with this normal; gravity points into the plane.
fn on_plane(
    normal: Vector3,
    material: PairMaterial,
    linear: Vector3,
    angular: Vector3,
) -> (Rig, BodyIndex, EdgeIndex) {
    let mut rig = rig();
    rig.step.acceleration = normal * -G;
    let floor = rig.fixed();
    let turn = Rotation::rotation_between(&Vector3::y(), &normal).expect("not opposite");
    let at = crate::common::pose(normal * 0.5, turn);
    let body = rig.add(&BodyDesc { linear, angular, ..cube(Vector3::zeros()).at(at) });
    let edge = rig.touch(floor, body, normal, &square(Vector3::zeros(), &normal, 0.5), 0.0, material);
    (rig, body, edge)
}

/// Sliding loses `mu g` per second in whatever direction, on whatever plane, and without turning aside.
#[test]
fn friction_has_no_preferred_direction() {
    let mut random = Random::new(1);
    let material = surface(0.0, 0.5);
    for k in 0..60 {
        let normal = if k < 20 { Vector3::y() } else { random.direction() };
        let basis = ContactBasis::new(&normal);
        let angle = (17 * k) as Real * std::f32::consts::PI / 180.0;
        let along = basis.tangent_1 * angle.cos() + basis.tangent_2 * angle.sin();
        // At the height of the plane, so that friction does not tip the cube.
        let (mut rig, body, _) = on_plane(normal, material, along * 3.0, Vector3::zeros());
        step(&mut rig, &mut method());
        let lost = 3.0 - rig.linear(body).dot(&along);
        let expected = 0.5 * G * rig.step.dt;
        assert!((lost / expected - 1.0).abs() < 0.02, "direction {k}: lost {lost}, not {expected}");
        let aside = rig.linear(body).dot(&normal.cross(&along));
        assert!(aside.abs() < 1e-3 * expected, "direction {k}: aside at {aside} m/s");
    }
}

/// A push below the static cone moves nothing, one above it slides under the kinetic coefficient.
#[test]
fn both_coefficients_act() {
    let material =
        PairMaterial { restitution: 0.0, static_friction: 0.6, kinetic_friction: 0.4, rolling_friction: 0.0 };
    for (share, sticks) in [(0.3, true), (0.45, true), (0.65, false)] {
        let (mut rig, body, _) = on_plane(Vector3::y(), material, Vector3::zeros(), Vector3::zeros());
        let handle = rig.bodies.handle(body).expect("alive");
        let mut method = method();
        for _ in 0..30 {
            rig.bodies.clear_forces();
            rig.bodies
                .add_force(handle, Vector3::new(share * G, 0.0, 0.0), Vector3::zeros())
                .expect("finite");
            step(&mut rig, &mut method);
        }
        let speed = rig.linear(body).x;
        if sticks {
            assert!(speed.abs() < 1e-6, "creeps at {speed} m/s");
        } else {
            let expected = (share - 0.4) * G * 30.0 * rig.step.dt;
            assert!((speed / expected - 1.0).abs() < 0.01, "slides at {speed} m/s, not {expected}");
        }
    }
}

/// A patch of points at the distance `r` from their middle stops a spin by the torque `mu m g r`, and turns
/// nothing that stands.
/// Where a slip is so slow that its square is no number, and whoever shares its block.
#[test]
fn friction_does_nothing_without_a_load() {
    for has_neighbour in [false, true] {
        let mut rig = floating();
        let floor = rig.fixed();
        let mut add = |x: Real, velocity: Vector3| {
            let body = rig.add(&BodyDesc { linear: velocity, ..cube(Vector3::new(x, 0.5, 0.0)) });
            rig.touch(floor, body, Vector3::y(), &[Vector3::new(x, 0.0, 0.0)], 0.0, surface(0.0, 0.5));
            body
        };
        let slips = add(0.0, Vector3::new(1.0e-25, 1.0, 0.0));
        let pressed = has_neighbour.then(|| add(10.0, Vector3::new(1.0, -1.0, 0.0)));
        step(&mut rig, &mut method());
        assert_eq!(rig.linear(slips), Vector3::new(1.0e-25, 1.0, 0.0), "a neighbour: {has_neighbour}");
        if let Some(pressed) = pressed {
            assert!(rig.linear(pressed).x < 0.9, "its neighbour is rubbed");
        }
    }
}

#[test]
fn twist_friction_stops_a_spin() {
    let (mut rig, body, _) = on_plane(Vector3::y(), surface(0.0, 0.5), Vector3::zeros(), Vector3::y() * 3.0);
    let mut method = method();
    let (mut time, mut before) = (0.0, 3.0);
    while rig.angular(body).y > 1e-5 && time < 2.0 {
        step(&mut rig, &mut method);
        time += rig.step.dt;
        assert!(rig.angular(body).y <= before, "friction drives it");
        before = rig.angular(body).y;
    }
    // I = m / 6 and r = 0.5 sqrt 2.
    let expected = 3.0 / 6.0 / (0.5 * G * 0.5 * 2.0_f32.sqrt());
    assert!((time - expected).abs() < 1.5 * rig.step.dt, "stopped after {time} s, not {expected} s");
    assert!(rig.linear(body).norm() < 1e-5, "and stays where it is: {}", rig.linear(body));
}

/// A single point has no patch, and does not stop a spin about its normal.
#[test]
fn a_point_does_not_stop_a_spin_about_its_normal() {
    let mut rig = rig();
    let floor = rig.fixed();
    let ball = rig.ball(1.0, Vector3::new(0.0, 0.1, 0.0), Vector3::zeros());
    rig.touch(floor, ball, Vector3::y(), &[Vector3::zeros()], 0.0, surface(0.0, 0.9));
    let handle = rig.bodies.handle(ball).expect("alive");
    rig.bodies.set_velocity(handle, Vector3::zeros(), Vector3::y() * 5.0).expect("finite");
    step(&mut rig, &mut method());
    assert!((rig.angular(ball).y - 5.0).abs() < 1e-5, "{}", rig.angular(ball));
}

/// A ball that rolls keeps rolling.
#[test]
fn rolling_loses_nothing() {
    let mut rig = rig();
    let floor = rig.fixed();
    let ball = rig.ball(1.0, Vector3::new(0.0, 0.1, 0.0), Vector3::x());
    rig.touch(floor, ball, Vector3::y(), &[Vector3::zeros()], 0.0, surface(0.0, 0.5));
    let handle = rig.bodies.handle(ball).expect("alive");
    rig.bodies.set_velocity(handle, Vector3::x(), Vector3::z() * -10.0).expect("finite");
    let mut method = method();
    for _ in 0..60 {
        step(&mut rig, &mut method);
    }
    assert!((rig.linear(ball).x - 1.0).abs() < 1e-5, "{}", rig.linear(ball));
}

/// Below the threshold nothing bounces, above it `e` times the speed of the impact at the surface.
#[test]
fn slow_impacts_do_not_bounce() {
    let threshold = SubStepConfig::default().restitution_threshold * G / HZ;
    for (share, bounces) in [(0.8, false), (1.2, true), (10.0, true)] {
        let mut rig = floating();
        let floor = rig.fixed();
        let ball = rig.ball(1.0, Vector3::new(0.0, 0.1, 0.0), Vector3::y() * -(share * threshold));
        rig.touch(floor, ball, Vector3::y(), &[Vector3::zeros()], 0.0, surface(0.5, 0.3));
        step(&mut rig, &mut method());
        let expected = if bounces { 0.5 * share * threshold } else { 0.0 };
        let speed = rig.linear(ball).y;
        assert!((speed - expected).abs() < 1e-5, "at {share} of the threshold: {speed}, not {expected}");
    }
}

/// With gravity the speed of the impact is the one at the surface: the rebound has `e²` of the energy, whatever
/// the gap that the step began with.
#[test]
fn a_bounce_has_the_energy_of_its_impact() {
    for gap in [0.0, 0.005, 0.02, 0.04] {
        let mut rig = rig();
        let floor = rig.fixed();
        let ball = rig.ball(1.0, Vector3::new(0.0, 0.1 + gap, 0.0), Vector3::y() * -3.0);
        rig.touch(floor, ball, Vector3::y(), &[Vector3::zeros()], gap, surface(0.5, 0.3));
        step(&mut rig, &mut method());
        let height = crate::common::center(&rig.bodies, ball).y - 0.1;
        let found = 0.5 * rig.linear(ball).y.powi(2) + G * height;
        let expected = 0.25 * (0.5 * 9.0 + G * gap);
        assert!((found / expected - 1.0).abs() < 0.03, "gap {gap}: {found} J, not {expected} J");
    }
}

/// A ball that hits while slipping: friction takes its share of the whole blow, rebound included.
#[test]
fn the_blow_of_a_bounce_rubs_too() {
    for (friction, along) in [(0.1, 4.46), (0.5, 25.0 / 7.0)] {
        let mut rig = floating();
        let floor = rig.fixed();
        let ball = rig.ball(1.0, Vector3::new(0.0, 0.1, 0.0), Vector3::new(5.0, -3.0, 0.0));
        rig.touch(floor, ball, Vector3::y(), &[Vector3::zeros()], 0.0, surface(0.8, friction));
        step(&mut rig, &mut method());
        let found = rig.linear(ball);
        assert!((found.x - along).abs() < 1e-5 && (found.y - 2.4).abs() < 1e-5, "mu {friction}: {found}");
    }
}

/// No contact pulls, and none pushes what leaves.
#[test]
fn contacts_do_not_pull() {
    let mut random = Random::new(3);
    for _ in 0..50 {
        let normal = random.direction();
        let leaving = normal * random.between(0.5, 3.0);
        let (mut rig, body, edge) = on_plane(normal, random.material(), leaving, Vector3::zeros());
        rig.step.acceleration = Vector3::zeros();
        step(&mut rig, &mut method());
        assert_eq!(rig.impulse(edge), Vector3::zeros());
        assert!((rig.linear(body) - leaving).norm() < 1e-6);
    }
}

/// Overlap is taken back without any velocity, no faster than the settings say.
#[test]
fn overlap_is_taken_back_without_velocity() {
    // Rates per second in sub-steps of 1/480 s: shares of what is beyond the rest band. Half is the most.
    for (rate, share) in [(48.0, 0.1), (240.0, 0.5), (10_000.0, 0.5)] {
        let mut rig = floating();
        let floor = rig.fixed();
        let body = rig.add(&cube(Vector3::new(0.0, 0.49, 0.0)));
        let face = square(Vector3::zeros(), &Vector3::y(), 0.5);
        rig.touch(floor, body, Vector3::y(), &face, -0.01, surface(0.5, 0.5));
        let mut method = method();
        method.config.recovery_rate = rate;
        step(&mut rig, &mut method);
        let lifted = rig.bodies.center_pose(body).translation.y - 0.49;
        let expected = 0.01 * (1.0 - (1.0_f64 - share).powi(8));
        assert!((lifted / expected - 1.0).abs() < 0.05, "{rate}/s: lifted by {lifted} m, not {expected}");
        assert!(rig.linear(body).norm() < 1e-6, "{}", rig.linear(body));
    }
}

/// The same scene turned about the normal gives the same motion, turned.
#[test]
fn a_turn_of_the_scene_turns_the_motion() {
    let turn = Rotation::from_euler_angles(0.0, 17.0_f32.to_radians(), 0.0);
    let run = |turn: Rotation| {
        let mut rig = rig();
        let floor = rig.fixed();
        let body = rig.add(&BodyDesc {
            linear: turn * Vector3::new(2.0, -0.5, 0.7),
            angular: Vector3::y() * 2.0,
            ..cube(Vector3::zeros()).at(crate::common::pose(Vector3::y() * 0.5, turn))
        });
        let corners = [[0.5, 0.5], [-0.5, 0.5], [-0.5, -0.5], [0.5, -0.5]];
        let points = corners.map(|[x, z]: [Real; 2]| turn * Vector3::new(x, 0.0, z));
        rig.touch(floor, body, Vector3::y(), &points, 0.0, surface(0.3, 0.4));
        let mut method = method();
        for _ in 0..3 {
            step(&mut rig, &mut method);
        }
        (turn.inverse() * rig.linear(body), turn.inverse() * rig.angular(body))
    };
    let (straight, turned) = (run(Rotation::identity()), run(turn));
    assert!((straight.0 - turned.0).norm() < 1e-4, "{} and {}", straight.0, turned.0);
    assert!((straight.1 - turned.1).norm() < 1e-4, "{} and {}", straight.1, turned.1);
}
