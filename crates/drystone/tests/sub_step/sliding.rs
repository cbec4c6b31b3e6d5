//! Blocks on slopes. Trusted: Coulomb's law.

use crate::common::*;
use crate::{HZ, fast_awake};
use drystone::math::inertia::MassProperties;
use drystone::math::{Pose, Position, RelativePose, Rotation, Vector3};
use drystone::{BodySpec, ColliderSpec, Shape};

/// A flat block at rest on a slope that falls by `angle` towards the direction `heading`, both in rad.
fn on_slope(angle: f32, heading: f32, statics: f32, kinetic: f32) -> Run {
    let turn = Rotation::from_euler_angles(0.0, heading, 0.0) * Rotation::from_euler_angles(0.0, 0.0, -angle);
    let up = turn * Vector3::y();
    let slope = BodySpec::fixed().collider(ColliderSpec::new(Shape::half_space(up).expect("unit")));
    let at = up * 0.1;
    let pose = Pose::new(Position::new(f64::from(at.x), f64::from(at.y), f64::from(at.z)), turn);
    let body = BodySpec::dynamic().pose(pose).collider(block(0.2, 0.1, 0.2));
    Scene::default().with(slope).with(body).surface(0.0, statics, kinetic).start(&fast_awake(), 1)
}

#[test]
fn a_block_sticks_below_the_static_angle() {
    for heading in [0.0, 17.0_f32.to_radians(), 1.0] {
        let mut run = on_slope(0.45_f32.atan(), heading, 0.5, 0.5);
        // The first friction has no impulse to begin with: 14 µm until it is there.
        run.steps(HZ, 1.0, |_| ());
        let home = run.place(1);
        run.steps(HZ, 10.0, |_| ());
        let creep = (run.place(1) - home).norm();
        assert!(creep < 1e-5, "crept {creep} m in 10 s");
    }
}

#[test]
fn a_block_slides_above_it_by_the_kinetic_coefficient() {
    for (statics, kinetic) in [(0.5, 0.5), (0.5, 0.3)] {
        for heading in [0.0, 17.0_f32.to_radians()] {
            let angle = 0.55_f32.atan();
            let mut run = on_slope(angle, heading, statics, kinetic);
            run.steps(HZ, 1.0, |_| ());
            let before = run.linear(1).norm();
            run.steps(HZ, 1.0, |_| ());
            let found = f64::from(run.linear(1).norm() - before);
            let expected = G * f64::from(angle.sin() - kinetic * angle.cos());
            assert!((found / expected - 1.0).abs() < 0.01, "{found} m/s², not {expected}");
        }
    }
}

/// Between both coefficients what lies still stays, and what moves goes on.
#[test]
fn both_coefficients_act() {
    let angle = 0.4_f32.atan();
    let mut still = on_slope(angle, 0.0, 0.5, 0.3);
    still.steps(HZ, 5.0, |_| ());
    assert!(still.way(1).norm() < 1e-5, "{}", still.way(1));
    let mut moving = on_slope(angle, 0.0, 0.5, 0.3);
    let down = Vector3::new(angle.cos(), -angle.sin(), 0.0);
    moving.world.set_velocity(moving.bodies[1], down * 0.5, Vector3::zeros()).expect("finite");
    moving.steps(HZ, 1.0, |_| ());
    let expected = 0.5 + G * f64::from(angle.sin() - 0.3 * angle.cos());
    let found = f64::from(moving.linear(1).norm());
    assert!((found / expected - 1.0).abs() < 0.01, "{found} m/s, not {expected}");
}

/// A body on three ball feet that slides while it spins: each foot is rubbed against its own slip, though through the lever it is lighter across
/// the line to the centre than along it.
#[test]
fn each_foot_is_rubbed_against_its_slip() {
    let foot = || ColliderSpec::new(Shape::sphere(0.1).expect("positive"));
    let feet = [0.0_f32, 2.1, 4.2].map(|angle| Vector3::new(angle.cos(), 0.0, angle.sin()));
    let mut body = BodySpec::dynamic().pose(Pose::at(0.0, 0.1, 0.0));
    for at in feet {
        body = body.collider(foot().local(RelativePose { translation: at, rotation: Rotation::identity() }));
    }
    // A wheel without much between its feet, so that levers count.
    body = body.mass(MassProperties::aligned(1.0, Vector3::new(0.5, 1.0, 0.5)));
    let body =
        body.linear_velocity(Vector3::new(1.0, 0.0, 0.3)).angular_velocity(Vector3::new(0.0, 1.5, 0.0));
    let mut run = Scene::on_ground().with(body).surface(0.0, 0.3, 0.3).start(&fast_awake(), 1);
    run.steps(HZ, 0.1, |_| ());
    let center = run.place(1);
    let [linear, angular] = [run.linear(1), run.angular(1)];
    let mut seen = 0;
    for contact in run.world.contacts() {
        let arm = contact.point - center;
        let slip = linear + angular.cross(&Vector3::new(arm.x as f32, arm.y as f32, arm.z as f32));
        let of_body = if contact.bodies[1] == run.bodies[1] { contact.impulse } else { -contact.impulse };
        let rubs = Vector3::new(of_body.x, 0.0, of_body.z);
        let bend = rubs.cross(&slip).norm() / (rubs.norm() * slip.norm());
        assert!(rubs.dot(&slip) < 0.0 && bend < 0.03, "{rubs:?} N s against {slip:?} m/s: {bend}");
        let share = rubs.norm() / (0.3 * of_body.y);
        assert!((share - 1.0).abs() < 0.01, "{share} of the friction there is");
        seen += 1;
    }
    assert_eq!(seen, 3);
}
