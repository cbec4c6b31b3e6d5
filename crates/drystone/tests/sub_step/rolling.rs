//! Cylinders and cones that roll, stand and lie. Trusted: mechanics of rigid solids without rolling friction, where
//! pure rolling loses nothing.

use crate::common::*;
use crate::{HZ, fast_awake};
use drystone::math::inertia::MassProperties;
use drystone::math::{Pose, Position, Real, Rotation, Vector3};
use drystone::{BodySpec, ColliderSpec, PairMaterial, Shape};

/// A cylinder of granite; half height and radius, m.
fn cylinder(half_height: Real, radius: Real) -> ColliderSpec {
    ColliderSpec::new(Shape::cylinder(half_height, radius).expect("a size in range"))
}

/// The turn that lays the y axis along the level direction at `heading` (rad) from x.
fn lying(heading: Real) -> Rotation {
    Rotation::from_euler_angles(0.0, heading, 0.0)
        * Rotation::from_euler_angles(0.0, 0.0, -std::f32::consts::FRAC_PI_2)
}

/// A wide table whose top is y = 0.
fn table() -> BodySpec {
    BodySpec::fixed().pose(Pose::at(0.0, -0.5, 0.0)).collider(block(40.0, 0.5, 40.0))
}

/// A cylinder that rolls for 10 s keeps its speed and its heading, over a half-space and a box, whichever way.
#[test]
fn a_cylinder_rolls_for_ten_seconds_without_loss() {
    const SPEED: Real = 2.0;
    const RADIUS: Real = 0.3;
    for below in [ground(), table()] {
        for heading in [0.0, 17.0_f32.to_radians(), 1.0, 2.5] {
            let turn = lying(heading);
            let axis = turn * Vector3::y();
            let ahead = Vector3::y().cross(&axis);
            let start = -ahead * 10.0;
            let pose = Pose::new(Position::new(start.x.into(), RADIUS.into(), start.z.into()), turn);
            let body = BodySpec::dynamic()
                .pose(pose)
                .collider(cylinder(0.4, RADIUS))
                .linear_velocity(ahead * SPEED)
                // Turning about the axis so that the lowest point stands still.
                .angular_velocity(Vector3::y().cross(&ahead) * (SPEED / RADIUS));
            let mut run = Scene::default()
                .with(below.clone())
                .with(body)
                .surface(0.0, 0.5, 0.5)
                .start(&fast_awake(), 1);
            run.steps(HZ, 10.0, |_| ());
            let lost = 1.0 - run.linear(1).norm() / SPEED;
            let aside = run.linear(1).normalize().cross(&ahead).norm();
            let way = run.way(1).dot(&drystone::math::widen(&ahead));
            assert!(lost.abs() < 1e-4, "lost {lost} of its speed, heading {heading}");
            assert!(aside < 1e-4, "turned aside by {aside} rad, heading {heading}");
            assert!((way - 20.0).abs() < 0.01, "went {way} m, heading {heading}");
        }
    }
}

/// B3 of the validation cases: `a = g sin α / (1 + 1/2)` for a solid cylinder.
#[test]
fn a_cylinder_rolls_down_a_slope_with_two_thirds_of_the_pull() {
    let angle = 30.0_f32.to_radians();
    for heading in [0.0, 1.0] {
        let tilt =
            Rotation::from_euler_angles(0.0, heading, 0.0) * Rotation::from_euler_angles(0.0, 0.0, -angle);
        let (up, down) = (tilt * Vector3::y(), tilt * Vector3::x());
        let slope = BodySpec::fixed().collider(ColliderSpec::new(Shape::half_space(up).expect("unit")));
        let at = up * 0.2;
        let turn = tilt * lying(std::f32::consts::FRAC_PI_2);
        let pose = Pose::new(Position::new(at.x.into(), at.y.into(), at.z.into()), turn);
        let body = BodySpec::dynamic().pose(pose).collider(cylinder(0.3, 0.2));
        let mut run = Scene::default().with(slope).with(body).surface(0.0, 0.5, 0.5).start(&fast_awake(), 1);
        run.steps(HZ, 1.0, |_| ());
        let before = run.linear(1).dot(&down);
        run.steps(HZ, 1.0, |_| ());
        let found = f64::from(run.linear(1).dot(&down) - before);
        let expected = G * f64::from(angle.sin()) / 1.5;
        assert!((found / expected - 1.0).abs() < 2e-3, "{found} m/s², not {expected}");
    }
}

/// A cone that rolls on its side goes round its apex, which stays where it is. The line of contact turns within a step and
/// is held where it was found, which costs 1 % of the speed per second at 60 Hz, and less with smaller steps.
#[test]
fn a_cone_rolls_round_its_apex() {
    let (half_height, radius): (Real, Real) = (0.4, 0.3);
    let half_angle = (radius / (2.0 * half_height)).atan();
    // Apex towards -x and its side level: the axis rises by the half angle from the apex on.
    let turn = Rotation::from_euler_angles(0.0, 0.0, std::f32::consts::FRAC_PI_2 + half_angle);
    let apex_local = Vector3::new(0.0, half_height, 0.0);
    let shape = Shape::cone(half_height, radius).expect("a size in range");
    let center_local = shape.mass_properties(1.0).expect("a density").center;
    let place = |p: &Vector3| turn * (p - apex_local);
    let origin = place(&Vector3::zeros());
    // Precession about the vertical through the apex without slip: the angular velocity lies along the line of contact.
    let precession: Real = 1.0;
    let along = Vector3::x();
    let angular = along * (-precession / half_angle.tan());
    let linear = angular.cross(&place(&center_local));
    let pose = Pose::new(Position::new(origin.x.into(), origin.y.into(), origin.z.into()), turn);
    let body = BodySpec::dynamic()
        .pose(pose)
        .collider(ColliderSpec::new(shape))
        .linear_velocity(linear)
        .angular_velocity(angular);
    let scene = Scene::default().with(ground()).with(body).surface(0.0, 0.8, 0.8);
    for (hz, limit) in [(HZ, 0.07), (8.0 * HZ, 0.01)] {
        let mut run = scene.start(&fast_awake(), 1);
        let speed = run.linear(1).norm();
        run.steps(hz, 6.0, |_| ());
        let pose = run.world.pose(run.bodies[1]).expect("it exists");
        let apex = pose.translation.coords + drystone::math::widen(&(pose.rotation * apex_local));
        let lost = 1.0 - run.linear(1).norm() / speed;
        println!("{hz} Hz: lost {lost}, apex {apex:?}");
        assert!(apex.norm() < 0.02, "{hz} Hz: the apex went to {apex:?}");
        assert!(lost.abs() < limit, "{hz} Hz: lost {lost} of its speed");
    }
}

/// Ten cans on top of each other, a cone on its base and a can on its side do not move when nothing sleeps.
#[test]
fn cans_stand_on_each_other() {
    let mut scene = Scene::default().with(table());
    for i in 0..10 {
        let pose = Pose::at(0.0, 0.1 + 0.2 * f64::from(i), 0.0);
        scene = scene.with(BodySpec::dynamic().pose(pose).collider(cylinder(0.1, 0.08)));
    }
    let cone = ColliderSpec::new(Shape::cone(0.1, 0.08).expect("a size in range"));
    scene = scene.with(BodySpec::dynamic().pose(Pose::at(1.0, 0.1, 0.0)).collider(cone));
    let laid = Pose::new(Position::new(2.0, 0.08, 0.0), lying(0.0));
    scene = scene.with(BodySpec::dynamic().pose(laid).collider(cylinder(0.1, 0.08)));
    let mut run = scene.surface(0.0, 0.5, 0.5).start(&fast_awake(), 1);
    run.steps(HZ, 10.0, |_| ());
    for i in 1..=12 {
        assert!(run.way(i).norm() < 1e-3, "body {i} went {:?}", run.way(i));
    }
}

/// Cans laid side by side between blocks, and a second layer in their hollows: lines of contact, slanted.
#[test]
fn a_pyramid_of_laid_cans_stands() {
    let (radius, half_height) = (0.1, 0.2);
    let mut scene = Scene::default().with(ground());
    for side in [-1.0, 1.0] {
        let post = BodySpec::fixed().pose(Pose::at(side * 0.45, 0.1, 0.0)).collider(block(0.05, 0.1, 0.3));
        scene = scene.with(post);
    }
    let rise = 0.1 * 3.0_f64.sqrt();
    for row in 0..4_u32 {
        for i in 0..4 - row {
            let x = 0.2 * (f64::from(i) - 0.5 * f64::from(3 - row));
            let pose = Pose::new(
                Position::new(x, 0.1 + rise * f64::from(row), 0.0),
                lying(std::f32::consts::FRAC_PI_2),
            );
            scene = scene.with(BodySpec::dynamic().pose(pose).collider(cylinder(half_height, radius)));
        }
    }
    let mut run = scene.surface(0.0, 0.5, 0.5).start(&fast_awake(), 1);
    run.steps(HZ, 10.0, |_| ());
    for i in 3..13 {
        assert!(run.way(i).norm() < 2e-3, "can {i} went {:?}", run.way(i));
    }
}

/// A ball that rolls by less per step than what is remembered of pairs may be old is not driven: at 1 cm/s it rolls 0.1 m in 10 s. A capsule and a
/// cylinder on their sides do the same.
#[test]
fn what_rolls_slowly_keeps_its_speed() {
    let of = |shape: Result<Shape, _>| ColliderSpec::new(shape.expect("a size in range"));
    let colliders = [
        ("ball", of(Shape::sphere(0.1))),
        ("capsule", of(Shape::capsule(0.2, 0.1))),
        ("cylinder", cylinder(0.2, 0.1)),
    ];
    for (name, collider) in colliders {
        let pose = Pose::new(Position::new(0.0, 0.1, 0.0), lying(std::f32::consts::FRAC_PI_2));
        let body = BodySpec::dynamic().pose(pose).collider(collider);
        let body =
            body.linear_velocity(Vector3::new(0.01, 0.0, 0.0)).angular_velocity(Vector3::new(0.0, 0.0, -0.1));
        let mut run = Scene::on_ground().with(body).start(&fast_awake(), 1);
        run.steps(HZ, 10.0, |_| ());
        let way = run.place(1).x;
        assert!((way - 0.1).abs() < 1e-3, "the {name} rolled by {way} m");
    }
}

/// Rolling friction is against the turning, not against it times the moments of inertia: a ball that is three times heavier to turn about one axis than about
/// another one, spinning about both alike without sliding friction, loses a third of the speed there.
#[test]
fn rolling_friction_is_against_the_turning() {
    const RADIUS: Real = 0.1;
    let pair = PairMaterial {
        restitution: 0.0,
        static_friction: 0.0,
        kinetic_friction: 0.0,
        rolling_friction: 1e-3,
    };
    let mass = MassProperties {
        mass: 1.0,
        center: Vector3::zeros(),
        principal: Vector3::new(2e-3, 7e-3, 6e-3),
        frame: Rotation::identity(),
    };
    let body =
        ball(RADIUS, 0.0, f64::from(RADIUS), 0.0).mass(mass).angular_velocity(Vector3::new(1.0, 0.0, 1.0));
    let scene = Scene { pair: Some(pair), ..Scene::on_ground().with(body) };
    let mut run = scene.start(&fast_awake(), 1);
    // The first step has no load yet in its first sub-step.
    run.step(HZ);
    let before = run.angular(1);
    run.step(HZ);
    let lost = before - run.angular(1);
    let torque = 1e-3 * 9.81 / HZ * std::f32::consts::FRAC_1_SQRT_2;
    for (axis, moment) in [(0, 2e-3), (2, 6e-3)] {
        let expected = torque / moment;
        assert!((lost[axis] / expected - 1.0).abs() < 0.08, "axis {axis}: {} of {expected}", lost[axis]);
    }
}
