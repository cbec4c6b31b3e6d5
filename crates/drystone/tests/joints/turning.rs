//! Joints on what turns, and joints whose limits and motors change: what they gave before must not push on. Closed forms.

use super::*;
use drystone::math::Position;
use drystone::{JointAxis, JointSpec, Motor};

with_every_method! {
    a_bead_slides_out_along_an_arm_that_turns,
    a_wheel_keeps_its_spin_on_a_base_that_turns,
    what_is_locked_no_more_is_let_go,
    a_strong_motor_turns_round_at_its_limit,
    limits_that_are_set_later_are_as_those_from_the_start,
}

/// A body at the origin that turns about y by a radian per second.
fn turntable(world: &mut World) -> BodyHandle {
    world.add_body(BodySpec::kinematic().angular_velocity(Vector3::y())).expect("room")
}

/// What pushes the bead aside, as it slides, must not push it along: r'' = ω² r.
fn a_bead_slides_out_along_an_arm_that_turns(method: &Method) {
    let mut world = weightless(method);
    let arm = turntable(&mut world);
    let bead = cube(&mut world, Pose::at(1.0, 0.0, 0.0));
    world.set_velocity(bead, -Vector3::z(), Vector3::y()).expect("finite");
    let slider = JointSpec::slider(arm, bead).at(Position::origin()).along(Vector3::x());
    world.add_joint(&slider).expect("a joint");
    run(&mut world, 120);
    let out = world.pose(bead).expect("it is there").translation.coords.norm();
    let exact = 2.0_f64.cosh();
    assert!((out / exact - 1.0).abs() < method.pick(0.005, 0.02), "{out} m, exact {exact}");
}

/// What turns the axle along with the base has no moment about it.
fn a_wheel_keeps_its_spin_on_a_base_that_turns(method: &Method) {
    let mut world = weightless(method);
    let base = turntable(&mut world);
    let wheel = cube(&mut world, Pose::at(0.0, 0.0, 0.0));
    world.set_velocity(wheel, Vector3::zeros(), Vector3::new(20.0, 1.0, 0.0)).expect("finite");
    let axle = JointSpec::hinge(base, wheel).at(Position::origin()).along(Vector3::x());
    world.add_joint(&axle).expect("a joint");
    run(&mut world, 180);
    let axle = world.pose(base).expect("it is there").rotation * Vector3::x();
    let spin = world.velocity(wheel).expect("it is there").1.dot(&axle);
    assert!((spin - 20.0).abs() < 0.5, "{spin} rad/s");
}

/// A lock that held a weight gives nothing from the step on in which it ends.
fn what_is_locked_no_more_is_let_go(method: &Method) {
    let mut world = sleepless(method);
    let post = world.add_body(BodySpec::fixed()).expect("room");
    let body = cube(&mut world, Pose::at(0.5, 0.0, 0.0));
    let hinge = JointSpec::hinge(post, body).at(Position::origin()).along(Vector3::z()).limits(0.0, 0.0);
    let joint = world.add_joint(&hinge).expect("a joint");
    run(&mut world, 60);
    let twist = |world: &World| world.joint(joint).expect("it is there").value(JointAxis::Twist);
    assert!(twist(&world).abs() < 1e-3, "it is held: {}", twist(&world));
    world.set_joint_limits(joint, JointAxis::Twist, [-3.0, 3.0]).expect("it takes them");
    run(&mut world, 18);
    // m g r / (m r² + I) = 19 rad/s²: 0.85 rad in 0.3 s, less as it sinks.
    assert!(twist(&world) < -0.7, "it falls: {}", twist(&world));
}

/// However long it pushed, it leaves when it is reversed.
fn a_strong_motor_turns_round_at_its_limit(method: &Method) {
    for most in [1000.0, Real::INFINITY] {
        let mut world = weightless(method);
        let post = world.add_body(BodySpec::fixed()).expect("room");
        let body = cube(&mut world, Pose::at(0.5, 0.0, 0.0));
        let there = Motor::Speed { speed: 1.0, most };
        let slider = JointSpec::slider(post, body).at(Position::origin()).along(Vector3::x());
        let joint = world.add_joint(&slider.limits(-0.1, 0.4).motor(there)).expect("a joint");
        run(&mut world, 180);
        let place = |world: &World| world.joint(joint).expect("it is there").value(JointAxis::X);
        assert!((place(&world) - 0.4).abs() < 2e-3, "at its limit: {}", place(&world));
        let back = Motor::Speed { speed: -1.0, most };
        world.set_motor(joint, JointAxis::X, Some(back)).expect("it takes one");
        run(&mut world, 12);
        assert!((place(&world) - 0.2).abs() < 0.02, "{most} N: on its way back: {}", place(&world));
    }
}

/// What is remembered of a chain of joints from step to step follows their limits: a copy that starts anew goes on to the bit.
fn limits_that_are_set_later_are_as_those_from_the_start(method: &Method) {
    let mut world = sleepless(method);
    let mut before = world.add_body(BodySpec::fixed()).expect("room");
    let mut joints = Vec::new();
    for k in 1..=3 {
        let next = cube(&mut world, Pose::at(0.3 * f64::from(k), 0.0, 0.0));
        let at = Position::new(0.3 * f64::from(k) - 0.15, 0.0, 0.0);
        let hinge = JointSpec::hinge(before, next).at(at).along(Vector3::z());
        joints.push(world.add_joint(&hinge).expect("a joint"));
        before = next;
    }
    run(&mut world, 6);
    for joint in joints {
        world.set_joint_limits(joint, JointAxis::Twist, [-0.2, 0.2]).expect("it takes them");
    }
    run(&mut world, 30);
    let snapshot = world.snapshot();
    let mut copy = sleepless(method);
    copy.restore(&snapshot).expect("the same settings");
    for _ in 0..2 {
        run(&mut world, 30);
        run(&mut copy, 30);
        assert_eq!(world.state_hash(), copy.state_hash());
    }
}
