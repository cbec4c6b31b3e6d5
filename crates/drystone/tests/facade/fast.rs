//! Detection of the preset for 60 steps per second: what moves far in a step is found before it passes, and points
//! that are carried along are where a full look finds them.

use crate::common::*;
use drystone::math::{Pose, Real, Vector3};
use drystone::{BodySpec, WorldConfig};

/// Steps per second that the preset is made for.
const RATE: Real = 60.0;

/// A body with a velocity, m/s and rad/s.
fn moving(body: BodySpec, linear: [Real; 3], angular: [Real; 3]) -> BodySpec {
    body.linear_velocity(linear.into()).angular_velocity(angular.into())
}

#[test]
fn a_fast_box_stops_on_a_plate() {
    let plate = BodySpec::fixed().pose(Pose::at(0.0, -0.01, 0.0)).collider(block(1.0, 0.01, 1.0));
    for (speed, height) in [(5.0, 0.3), (10.0, 0.52), (20.0, 0.61)] {
        for spin in [0.0, 3.0] {
            let cube = moving(cube(0.1, 0.0, height, 0.0), [0.0, -speed, 0.0], [spin, 0.0, 0.0]);
            let mut run = Scene::default().with(plate.clone()).with(cube).start(&WorldConfig::fast(), 1);
            let mut worst: Real = 0.0;
            run.steps(RATE, 0.5, |world| worst = worst.max(world.report().worst_overlap));
            assert!(worst < 2e-3, "{speed} m/s, {spin} rad/s: {worst} m of overlap");
            assert!(run.place(1).y > 0.04, "{speed} m/s, {spin} rad/s: the box ends at {}", run.place(1));
        }
    }
}

#[test]
fn a_bullet_does_not_pass_a_thin_wall() {
    // A step is 0.83 m, forty times as much as the wall is thick.
    let wall = BodySpec::fixed().pose(Pose::at(0.0, 1.0, 0.0)).collider(block(0.01, 1.0, 1.0));
    for from in 0..20 {
        let x = -2.0 - 0.0417 * f64::from(from);
        for spin in [0.0, 20.0] {
            let bullet = moving(cube(0.05, x, 1.0, 0.1), [50.0, 0.0, 0.0], [0.0, spin, 0.5 * spin]);
            let mut run = Scene::default().with(wall.clone()).with(bullet).start(&WorldConfig::fast(), 1);
            run.steps(RATE, 0.3, |_| {});
            let place = run.place(1);
            assert!(place.x < -0.03, "from {x} m, {spin} rad/s: the bullet is at {place}");
        }
    }
}

#[test]
fn without_looking_ahead_the_bullet_passes() {
    let wall = BodySpec::fixed().pose(Pose::at(0.0, 1.0, 0.0)).collider(block(0.01, 1.0, 1.0));
    let bullet = moving(cube(0.05, -2.3, 1.0, 0.0), [50.0, 0.0, 0.0], [0.0; 3]);
    let mut config = WorldConfig::fast();
    config.detection.look_ahead = 0.0;
    config.continuous = drystone::ContinuousConfig::OFF;
    let mut run = Scene::default().with(wall).with(bullet).start(&config, 1);
    run.steps(RATE, 0.3, |_| {});
    assert!(run.place(1).x > 0.0, "the test above shows nothing: {}", run.place(1));
}

#[test]
fn plates_that_fall_together_stay_in_order() {
    // Nothing closes between them until the ground stops the lowest; a step is eight times as much as they are thick.
    let plates = (0..4).map(|i| {
        let plate = BodySpec::dynamic()
            .pose(Pose::at(0.0, 0.1 + 0.07 * f64::from(i), 0.0))
            .collider(block(0.5, 0.01, 0.5));
        moving(plate, [0.0, -10.0, 0.0], [0.0; 3])
    });
    let mut run = Scene::on_ground().with_all(plates).start(&WorldConfig::fast(), 1);
    run.steps(RATE, 1.0, |_| {});
    let heights: Vec<f64> = (1..5).map(|body| run.place(body).y).collect();
    assert!((heights[0] - 0.01).abs() < 1e-3, "{heights:?}");
    assert!(heights.windows(2).all(|pair| (pair[1] - pair[0] - 0.02).abs() < 1e-3), "{heights:?}");
}

#[test]
fn a_box_that_flies_past_touches_nothing() {
    // 20 mm beside a wall, along it.
    let wall = BodySpec::fixed().pose(Pose::at(0.0, 1.0, 0.0)).collider(block(5.0, 1.0, 0.1));
    let flyer = moving(cube(0.1, -3.0, 1.0, 0.17), [20.0, 0.0, 0.0], [0.0; 3]);
    let mut config = WorldConfig::fast();
    config.gravity = Vector3::zeros();
    let mut run = Scene::default().with(wall).with(flyer).start(&config, 1);
    run.steps(RATE, 0.2, |_| {});
    assert!((run.linear(1) - Vector3::new(20.0, 0.0, 0.0)).norm() < 1e-5, "{}", run.linear(1));
}

#[test]
fn carried_points_are_where_a_full_look_finds_them() {
    let mut config = WorldConfig::fast();
    config.sleeping.enabled = false;
    let carried = Scene::on_ground().with_all(pyramid(8));
    let mut run = carried.start(&config, 1);
    run.steps(RATE, 1.0, |_| {});
    let mut carried_count = 0;
    run.steps(RATE, 1.0, |world| carried_count += world.report().skipped_pairs);
    assert!(carried_count > 0, "nothing is carried along");
    // A world with the same bodies that looks in full at everything.
    config.detection.coherence_tolerance = 0.0;
    let mut fresh = carried.start(&config, 1);
    for (&to, &from) in fresh.bodies.iter().zip(&run.bodies).skip(1) {
        fresh.world.set_pose(to, run.world.pose(from).expect("it exists")).expect("finite");
    }
    run.step(RATE);
    fresh.step(RATE);
    for (carried, full) in run.world.contacts().zip(fresh.world.contacts()) {
        assert!((carried.point - full.point).norm() < 1e-3 && (carried.normal - full.normal).norm() < 1e-3);
        assert!((carried.distance - full.distance).abs() < 3e-5, "{carried:?}, not {full:?}");
    }
}

#[test]
fn carried_contacts_are_the_same_at_any_thread_count() {
    let mut config = WorldConfig::fast();
    config.sleeping.enabled = false;
    let scene = Scene::on_ground().with_all(pen(0.45)).with_all(pyramid(6));
    let one = settle_on(&scene, &config, RATE, 1.0, 1);
    let two = settle_on(&scene, &config, RATE, 1.0, 2);
    assert_eq!(one.hashes, two.hashes);
}
