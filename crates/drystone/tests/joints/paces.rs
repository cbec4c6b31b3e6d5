//! Joints whose bodies take few sub-steps while they turn slowly and all while they turn fast. Trusted: the height from which a swing was let go.

use super::*;
use drystone::math::{Position, rotation_from_vector};
use drystone::{AdvanceChoice, JointSpec};

/// Angular velocity up to which a body on a joint takes few sub-steps at 60 steps per second, rad/s: 0.04 rad in a 240th of a second.
const SLOW: Real = 9.6;

/// A rod of 0.3 m on its end, let go 0.15 rad from upright, so that it passes the lowest point at 14 rad/s. Returns its height at the begin, the largest of the last ten of `seconds`, m, and the
/// steps that it was slow and fast in.
fn swing(
    coarse_sub_steps: u32,
    joint: fn(BodyHandle, BodyHandle) -> JointSpec,
    seconds: f64,
) -> (f64, f64, [u32; 2]) {
    let mut config = WorldConfig {
        sleeping: SleepConfig { enabled: false, ..SleepConfig::default() },
        ..WorldConfig::default()
    };
    let AdvanceChoice::SubStep { config: sub_step } = &mut config.advance else {
        panic!("sub-steps by default")
    };
    sub_step.coarse_sub_steps = coarse_sub_steps;
    let mut world = World::new(config).expect("valid");
    let post = world.add_body(BodySpec::fixed()).expect("room");
    let angle = 0.15;
    let mut pose = Pose::at(-0.15 * f64::sin(angle), 0.15 * f64::cos(angle), 0.0);
    pose.rotation = rotation_from_vector(&(Vector3::z() * angle as Real));
    let shape = ColliderSpec::new(Shape::cuboid(Vector3::new(0.02, 0.15, 0.02)).expect("positive"));
    let rod = world.add_body(BodySpec::dynamic().pose(pose).collider(shape)).expect("room");
    world.add_joint(&joint(post, rod)).expect("a joint");
    let (mut highest, mut steps) = (f64::NEG_INFINITY, [0, 0]);
    while world.time() < seconds {
        world.step(1.0 / 60.0).expect("a step");
        let spin = world.velocity(rod).expect("it is there").1.norm();
        steps[usize::from(spin > SLOW)] += 1;
        if world.time() > seconds - 10.0 {
            highest = highest.max(world.pose(rod).expect("it is there").translation.y);
        }
    }
    (pose.translation.y, highest, steps)
}

/// Where the number of sub-steps changes between two steps the velocity is one of the middle of a sub-step of another length: taken for that of the new one a swing would gain or lose each time.
#[test]
fn a_swing_comes_back_as_high_however_often_its_pace_changes() {
    let hinge: fn(BodyHandle, BodyHandle) -> JointSpec =
        |a, b| JointSpec::hinge(a, b).at(Position::origin()).along(Vector3::z());
    let ball: fn(BodyHandle, BodyHandle) -> JointSpec = |a, b| JointSpec::ball(a, b).at(Position::origin());
    for (joint, coarse) in [(hinge, 4), (hinge, 1), (hinge, 2), (ball, 4)] {
        let (begin, end, [slow, fast]) = swing(coarse, joint, 30.0);
        assert!(slow > 200 && fast > 200, "{slow} steps at one pace, {fast} at the other one");
        // Of a drop of 0.3 m; with one sub-step at the slow pace steps are four times as long as by default.
        let most = if coarse == 4 { 0.001 } else { 0.004 };
        assert!(
            (end - begin).abs() < most,
            "let go at {begin} m, comes back to {end} m with {coarse} sub-steps"
        );
    }
}
