//! What moves without being pushed, and what is woken. Trusted: closed forms.

use crate::common::{G, surface};
use crate::scene::*;
use drystone_contact::{AxisLocks, BodyDesc, BodyKind};
use drystone_math::Vector3;

/// A free body falls by the sub-steps' own parabola, and keeps its angular momentum.
#[test]
fn a_free_body_falls_and_keeps_its_angular_momentum() {
    let mut rig = rig();
    let desc = cuboid(2.0, Vector3::new(0.3, 0.7, 1.1), Vector3::zeros());
    let body = rig.add(&BodyDesc { angular: Vector3::new(1.0, 4.0, 2.0), ..desc });
    let before = momenta(&rig, body)[1];
    let mut method = method();
    for _ in 0..120 {
        step(&mut rig, &mut method);
    }
    let change = (momenta(&rig, body)[1] - before).norm() / before.norm();
    assert!(change < 1e-6, "angular momentum changed by {change}");
    // Semi-implicit sub-steps: h/2 ahead of the parabola.
    let (t, h) = (2.0, f64::from(rig.step.dt) / 8.0);
    let expected = -0.5 * f64::from(G) * t * (t + h);
    let fell = rig.bodies.center_pose(body).translation.y;
    assert!((fell / expected - 1.0).abs() < 1e-5, "fell {fell} m, not {expected}");
}

#[test]
fn damping_is_that_of_its_rate() {
    let mut rig = floating();
    let body = rig.add(&BodyDesc {
        linear: Vector3::x(),
        angular: Vector3::y(),
        linear_damping: 0.5,
        angular_damping: 2.0,
        ..cube(Vector3::zeros())
    });
    let mut method = method();
    for _ in 0..60 {
        step(&mut rig, &mut method);
    }
    assert!((rig.linear(body).x - (-0.5_f32).exp()).abs() < 1e-3, "{}", rig.linear(body));
    assert!((rig.angular(body).y - (-2.0_f32).exp()).abs() < 1e-3, "{}", rig.angular(body));
}

/// What a kinematic body touches goes with it: no gap opens and no overlap is left while a lift goes up and down.
#[test]
fn a_lift_carries_a_box_without_overlap() {
    for speed in [1.0, -1.0] {
        let mut rig = rig();
        let desc = BodyDesc { kind: BodyKind::Kinematic, linear: Vector3::y() * speed, ..BodyDesc::fixed() };
        let lift = rig.add(&desc);
        let body = rig.add(&BodyDesc { linear: Vector3::y() * speed, ..cube(Vector3::new(0.0, 0.5, 0.0)) });
        let face = square(Vector3::zeros(), &Vector3::y(), 0.5);
        let edge = rig.touch(lift, body, Vector3::y(), &face, 0.0, surface(0.0, 0.5));
        step(&mut rig, &mut method());
        let y = |b| rig.bodies.center_pose(b).translation.y;
        let moved = y(lift);
        assert!((moved - f64::from(speed / HZ)).abs() < 1e-6, "the lift moved by {moved} m");
        let gap = y(body) - y(lift) - 0.5;
        let band = f64::from(0.1 * G / (HZ * HZ));
        assert!(gap.abs() < band, "at {speed} m/s: a gap of {gap} m, the rest band is {band} m");
        let told = f64::from(rig.graph.edge(edge).manifold.points()[0].distance);
        assert!((told - gap).abs() < 1e-6, "told a gap of {told} m, it is {gap} m");
    }
}

/// A conveyor takes a box along by friction.
#[test]
fn a_conveyor_takes_a_box_along() {
    let mut rig = rig();
    let desc = BodyDesc { kind: BodyKind::Kinematic, linear: Vector3::x() * 0.5, ..BodyDesc::fixed() };
    let belt = rig.add(&desc);
    let body = rig.add(&cube(Vector3::new(0.0, 0.5, 0.0)));
    rig.touch(
        belt,
        body,
        Vector3::y(),
        &square(Vector3::zeros(), &Vector3::y(), 0.5),
        0.0,
        surface(0.0, 0.5),
    );
    let mut method = method();
    for _ in 0..30 {
        step(&mut rig, &mut method);
    }
    assert!((rig.linear(body).x - 0.5).abs() < 1e-4, "{}", rig.linear(body));
    assert_eq!(rig.linear(belt), Vector3::x() * 0.5, "nothing pushes what is kinematic");
}

/// Torques act about free axes only.
#[test]
fn torques_turn_about_free_axes() {
    let mut rig = floating();
    let locks = AxisLocks { rotation: [true, false, true], ..AxisLocks::default() };
    let body = rig.add(&BodyDesc { locks, ..cuboid(1.0, Vector3::new(0.3, 0.7, 1.1), Vector3::zeros()) });
    let handle = rig.bodies.handle(body).expect("alive");
    rig.bodies.add_force(handle, Vector3::zeros(), Vector3::repeat(0.2)).expect("finite");
    step(&mut rig, &mut method());
    let w = rig.angular(body);
    assert!(w.x == 0.0 && w.z == 0.0 && w.y > 0.0, "{w}");
}

/// S1-39: a sleeper that is struck wakes, and so does what the blow goes on to; one that is touched does not, and carries
/// what lies on it.
#[test]
fn struck_sleepers_wake_and_others_carry() {
    for (speed, wakes) in [(0.0, false), (0.01, false), (1.0, true)] {
        let mut rig = rig();
        let (cubes, edges) = tower(&mut rig, 3, surface(0.0, 0.5));
        rig.bodies.put_to_sleep(cubes[0]);
        rig.bodies.put_to_sleep(cubes[1]);
        rig.set_linear(cubes[2], Vector3::y() * -speed);
        let report = step(&mut rig, &mut method());
        assert_eq!(report.woken, 2 * u32::from(wakes), "at {speed} m/s");
        assert!(cubes[..2].iter().all(|&cube| rig.bodies.is_awake(cube) == wakes), "at {speed} m/s");
        let weight = G * rig.step.dt;
        assert!(rig.impulse(edges[2]).y > 0.99 * weight, "{}", rig.impulse(edges[2]));
        // A blow through two contacts is spread over the sub-steps that follow.
        let left = rig.linear(cubes[2]).norm();
        assert!(left < 1e-4 + 0.05 * speed, "{left} m/s are left of {speed} m/s");
    }
}
