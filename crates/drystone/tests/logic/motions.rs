//! Kinematic bodies that follow a motion (S3-01 S): what they carry goes with them. Trusted reference: the motion itself.

use crate::common::*;
use drystone::math::{Pose, Position, Real, Rotation, Vector3};
use drystone::{BodySpec, Key, Keyframes, Motion, WorldConfig, WorldError};

const HZ: Real = 60.0;

/// The default settings with sleeping off.
fn fast_awake() -> WorldConfig {
    let mut config = WorldConfig::fast();
    config.sleeping.enabled = false;
    config
}

/// A thin slab under y = 0 as a kinematic body.
fn slab(half: Real) -> BodySpec {
    BodySpec::kinematic().collider(
        block(half, 0.05, half)
            .local(drystone::math::RelativePose::new(Vector3::new(0.0, -0.05, 0.0), Rotation::identity())),
    )
}

/// Keys at these times (s) and heights (m).
fn heights(keys: &[(f64, f64)]) -> Vec<Key> {
    keys.iter().map(|&(time, y)| Key::new(time, Pose::at(0.0, y, 0.0))).collect()
}

/// Turns about y, speeding up evenly to 1 rad/s within 2 s.
fn turntable(time: f64) -> Pose {
    let angle = if time < 2.0 { 0.25 * time * time } else { time - 1.0 };
    Pose::new(Position::origin(), Rotation::from_axis_angle(&Vector3::y_axis(), angle as Real))
}

#[test]
fn a_body_is_where_its_motion_says_after_every_step() {
    let up = Keyframes::smooth(heights(&[(0.0, 0.0), (1.0, 2.0), (2.5, -1.0), (4.0, 0.0)]));
    let up = up.and_then(Keyframes::repeating).expect("closed");
    let presets =
        [(WorldConfig::fast(), HZ), (WorldConfig::thesis_fast(), FAST), (WorldConfig::nsgs(), FAST)];
    for (config, hz) in presets {
        let scene = Scene::default().with(slab(0.5)).with(slab(0.5).pose(Pose::at(5.0, 0.0, 0.0)));
        let mut run = scene.start(&config, 1);
        run.world.follow_motion(run.bodies[0], up.clone()).expect("kinematic");
        run.world.follow_motion(run.bodies[1], turntable).expect("kinematic");
        let bodies = run.bodies.clone();
        run.steps(hz, 20.0, |world| {
            let [lift, table] = [0, 1].map(|k| world.pose(bodies[k]).expect("it exists"));
            let way = (lift.translation - up.pose(world.time()).translation).norm();
            // Rounding of a velocity of some m/s in f32, over one step.
            assert!(way < 1e-7, "{way} m off at {} s", world.time());
            // Rounding of a rotation in f32, of the angle in the motion itself too.
            let turn = table.rotation.angle_to(&turntable(world.time()).rotation);
            assert!(turn < 2e-3, "{turn} rad off at {} s", world.time());
        });
    }
}

#[test]
fn a_lift_carries_a_box_without_lag() {
    // Up by 3 m and down again; at most 4.5 m/s², so that the box never lifts off.
    let keys = heights(&[(0.0, 0.0), (2.0, 3.0), (4.0, 0.0)]);
    for (config, hz, slack) in [(fast_awake(), HZ, 1e-3), (awake(), FAST, 2e-3)] {
        let scene = Scene::default().with(slab(0.5)).with(cube(0.1, 0.1, 0.05, 0.2));
        let mut run = scene.start(&config, 1);
        run.world
            .follow_motion(run.bodies[0], Keyframes::smooth(keys.clone()).expect("ascending"))
            .expect("kinematic");
        let bodies = run.bodies.clone();
        let mut highest: f64 = 0.0;
        run.steps(hz, 4.5, |world| {
            let [lift, cube] = [0, 1].map(|k| world.pose(bodies[k]).expect("it exists").translation);
            let seen = cube - lift;
            let off = (seen - drystone::math::Displacement::new(0.1, 0.05, 0.2)).norm();
            assert!(off < slack, "{off} m from its place on the lift at {} s", world.time());
            highest = highest.max(cube.y);
        });
        assert!(highest > 3.0);
    }
}

#[test]
fn a_turntable_carries_a_box_round() {
    // At 0.5 m from the middle friction of 0.2 holds what needs 0.05 of gravity.
    for (config, hz) in [(fast_awake(), HZ), (fast_awake(), FAST), (awake(), FAST)] {
        let mut run = Scene::default().with(slab(1.0)).with(cube(0.1, 0.5, 0.05, 0.0)).start(&config, 1);
        run.world.follow_motion(run.bodies[0], turntable).expect("kinematic");
        run.steps(hz, 10.0, |_| {});
        let [table, cube] = [0, 1].map(|k| run.world.pose(run.bodies[k]).expect("it exists"));
        let seen = table.relative(&cube);
        let place = seen.translation;
        // First order: a step goes along the tangent, by which the radius grows by the factor 1 + (ω dt)² / 2. The integral of ω² is
        // 2/3 rad²/s while the table speeds up and 8 rad²/s after.
        let drift = 0.5 * ((8.0 + 2.0 / 3.0) / (2.0 * hz)).exp_m1();
        let radius = place.x.hypot(place.z);
        assert!((0.499..0.5 + 1.2 * drift).contains(&radius), "{radius} m from the middle at {hz} Hz");
        // What lags, lags by no more than the same.
        let lag = place.z.atan2(place.x).abs();
        assert!(
            lag < 2.0 * drift && seen.rotation.angle() < 2.0 * drift,
            "{lag} rad, {} rad",
            seen.rotation.angle()
        );
        assert!((place.y - 0.05).abs() < 1e-3);
    }
}

#[test]
fn what_sleeps_on_a_lift_that_waits_wakes_when_it_starts() {
    let keys = heights(&[(0.0, 0.0), (3.0, 0.0), (4.0, 1.0)]);
    let mut run =
        Scene::default().with(slab(0.5)).with(cube(0.1, 0.0, 0.05, 0.0)).start(&WorldConfig::fast(), 1);
    run.world.follow_motion(run.bodies[0], Keyframes::linear(keys).expect("ascending")).expect("kinematic");
    run.until_asleep(HZ, &[1]);
    assert!(run.world.time() < 3.0);
    while run.world.time() < 6.0 {
        run.step(HZ);
    }
    assert!((run.place(1).y - 1.05).abs() < 1e-3, "{} m", run.place(1).y);
    run.until_asleep(HZ, &[1]);
}

#[test]
fn motions_end_by_hand_and_wait_while_their_body_is_passive() {
    let drive = |time: f64| Pose::at(time, 0.0, 0.0);
    let mut run = Scene::default()
        .with_all([slab(0.1), slab(0.1), slab(0.1), slab(0.1)])
        .start(&WorldConfig::fast(), 1);
    for &body in &run.bodies {
        run.world.follow_motion(body, drive).expect("kinematic");
    }
    run.steps(HZ, 1.0, |_| {});
    let [by_pose, by_velocity, by_end, passive] = run.bodies[..] else { panic!("four bodies") };
    run.world.set_pose(by_pose, Pose::at(9.0, 0.0, 0.0)).expect("finite");
    run.world.set_velocity(by_velocity, Vector3::y(), Vector3::zeros()).expect("finite");
    run.world.end_motion(by_end).expect("it exists");
    run.world.set_active(passive, false).expect("it exists");
    run.steps(HZ, 1.0, |_| {});
    for (k, x, y) in [(1, 1.0, 1.0), (2, 1.0, 0.0), (3, 1.0, 0.0)] {
        assert!((run.place(k) - Position::new(x, y, 0.0)).norm() < 1e-5, "body {k} at {}", run.place(k));
    }
    run.world.set_active(passive, true).expect("it exists");
    assert!((run.place(3).x - 2.0).abs() < 1e-5, "where the motion is by now");
    let fixed = run.world.add_body(ground()).expect("valid");
    assert_eq!(run.world.follow_motion(fixed, drive), Err(WorldError::NotKinematic(fixed)));
    let nowhere = |_: f64| Pose::at(f64::NAN, 0.0, 0.0);
    assert!(run.world.follow_motion(passive, nowhere).is_err());
}
