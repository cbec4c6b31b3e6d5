//! Turns past half a revolution: a hinge counts on, the twist of other joints begins anew on the other side.

use super::*;
use drystone::math::Position;
use drystone::{JointAxis, JointHandle, JointSpec, Motor};
use std::f32::consts::PI;

with_every_method! {
    a_spring_that_swings_past_half_a_turn_comes_to_rest,
    a_spring_between_limits_pulls_the_way_that_is_left,
    a_lock_at_half_a_turn_holds_on_both_sides,
}

/// A cube (m, at 0.5 m along x of a post) that turns about z, with what drives it: angle 0, 0.26 kg m².
fn arm(world: &mut World, make: impl Fn(JointSpec) -> JointSpec) -> (BodyHandle, JointHandle) {
    let post = world.add_body(BodySpec::fixed()).expect("room");
    let body = cube(world, Pose::at(0.5, 0.0, 0.0));
    let hinge = JointSpec::hinge(post, body).at(Position::origin()).along(Vector3::z());
    (body, world.add_joint(&make(hinge)).expect("a joint"))
}

fn spring(target: Real, stiffness: Real, damping: Real) -> Motor {
    Motor::Spring { target, stiffness, damping, most: Real::INFINITY }
}

/// Angle, and how fast it grows.
fn turn(world: &World, (body, joint): (BodyHandle, JointHandle)) -> [Real; 2] {
    let angle = world.joint(joint).expect("it is there").value(JointAxis::Twist);
    [angle, world.velocity(body).expect("it is there").1.z]
}

/// A tenth of critical damping: it swings from 0 to 4.1 rad first, and back; the angle counts on.
fn a_spring_that_swings_past_half_a_turn_comes_to_rest(method: &Method) {
    let mut world = weightless(method);
    let arm = arm(&mut world, |hinge| hinge.motor(spring(2.5, 5.0, 0.3)));
    let mut was_past = false;
    for _ in 0..world.steps(900) {
        world.tick();
        was_past |= turn(&world, arm)[0] > 3.8;
    }
    let [angle, speed] = turn(&world, arm);
    assert!(was_past, "it swings past half a turn");
    assert!((angle - 2.5).abs() < 0.01 && speed.abs() < 0.05, "{angle} rad, {speed} rad/s");
}

/// From -2.6 to 2.6 rad there is a shorter way, which a hinge does not take, nor may.
fn a_spring_between_limits_pulls_the_way_that_is_left(method: &Method) {
    let mut world = weightless(method);
    let arm = arm(&mut world, |hinge| hinge.limits(-2.8, 2.8).motor(spring(-2.6, 20.0, 4.5)));
    for target in [-2.6, 2.6] {
        world.set_motor(arm.1, JointAxis::Twist, Some(spring(target, 20.0, 4.5))).expect("it takes one");
        run(&mut world, 240);
        let [angle, speed] = turn(&world, arm);
        assert!((angle - target).abs() < 0.01 && speed.abs() < 0.05, "{angle} rad, {speed} rad/s");
    }
}

/// Its weight pulls it past half a turn.
fn a_lock_at_half_a_turn_holds_on_both_sides(method: &Method) {
    let mut world = sleepless(method);
    let arm = arm(&mut world, |hinge| hinge.motor(spring(3.1, 400.0, 20.0)));
    run(&mut world, 240);
    world.set_motor(arm.1, JointAxis::Twist, None).expect("it takes none");
    world.set_joint_limits(arm.1, JointAxis::Twist, [PI, PI]).expect("half a turn");
    let mut worst: [Real; 2] = [0.0; 2];
    for step in 0..world.steps(300) {
        world.tick();
        if step >= world.steps(60) {
            let error = world.joint(arm.1).expect("it is there").error[1];
            worst = [worst[0].max(error), worst[1].max(turn(&world, arm)[1].abs())];
        }
    }
    assert!(worst[0] < 0.01 && worst[1] < 0.1, "{worst:?}");
}

#[test]
fn twists_beyond_half_a_turn_are_refused_by_value() {
    let mut world = weightless(&SUB_STEP);
    let arm = arm(&mut world, |hinge| hinge.limits(-PI, PI).motor(spring(PI, 1.0, 1.0)));
    let before = world.state_hash();
    let limits = |world: &mut Sim, limits| {
        world.set_joint_limits(arm.1, JointAxis::Twist, limits).expect_err("refused").to_string()
    };
    let expected = "limit of the twist must be in -pi ..= pi, on both sides, got 4";
    assert_eq!(limits(&mut world, [4.0, 4.0]), expected);
    let expected = "upper limit must be a number not below the lower one, or inf without, got -inf";
    assert_eq!(limits(&mut world, [Real::NEG_INFINITY; 2]), expected);
    assert_eq!(world.state_hash(), before);
    // Where swings are free, nothing tells how often it went around.
    let ball =
        JointSpec::ball(world.joint(arm.1).expect("it is there").bodies[0], arm.0).at(Position::origin());
    let ball = world.add_joint(&ball).expect("a joint");
    let motor = world.set_motor(ball, JointAxis::Twist, Some(spring(3.5, 1.0, 1.0))).expect_err("refused");
    assert_eq!(motor.to_string(), "target of the twist must be in -pi ..= pi, got 3.5");
    let limits = world.set_joint_limits(ball, JointAxis::Twist, [-4.0, 1.0]).expect_err("refused");
    assert_eq!(limits.to_string(), "limit of the twist must be in -pi ..= pi, on both sides, got -4");
}
