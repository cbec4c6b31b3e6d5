//! Motors with all settings at once, hinges that count their turns, and how fast coordinates change. Closed forms.

use super::*;
use drystone::math::Position;
use drystone::{JointAxis, JointHandle, JointSpec, Motor};

with_every_method! {
    a_servo_answers_a_step_as_a_damped_spring,
    a_servo_gives_no_more_than_its_greatest_force,
    feed_forward_holds_a_link_against_gravity,
    a_servo_follows_a_target_that_moves,
    velocities_are_how_fast_values_change,
    a_hinge_stops_at_a_limit_turns_away,
    a_motor_reaches_a_target_turns_away,
    a_hinge_comes_back_to_limits_that_are_set_turns_away,
    turns_are_kept_by_snapshots,
    turns_are_counted_without_limits_and_motors,
}

/// Moment of a cube of 0.2 m of a kilogram about any axis, kg m².
const MOMENT: Real = 0.04 / 6.0;

/// Target and its speed, stiffness and damping, feed-forward, and the greatest force.
fn servo([target, speed]: [Real; 2], [stiffness, damping]: [Real; 2], force: Real, max_force: Real) -> Motor {
    Motor::Servo { target, speed, stiffness, damping, force, max_force }
}

/// A cube that turns about an axle through its middle.
fn wheel(world: &mut Sim, dress: impl Fn(JointSpec) -> JointSpec) -> (BodyHandle, JointHandle) {
    let post = world.add_body(BodySpec::fixed()).expect("room");
    let body = cube(world, Pose::at(0.0, 0.0, 0.0));
    let hinge = JointSpec::hinge(post, body).at(Position::origin()).along(Vector3::z());
    (body, world.add_joint(&dress(hinge)).expect("a joint"))
}

fn twist(world: &Sim, joint: JointHandle) -> Real {
    world.joint(joint).expect("it is there").value(JointAxis::Twist)
}

/// `θ = target (1 − e^(−ζωt) (cos ω't + ζω/ω' sin ω't))`, and its rate.
fn a_servo_answers_a_step_as_a_damped_spring(method: &Method) {
    let (rate, ratio, target) = (2.0 * std::f32::consts::PI, 0.3, 1.0);
    let mut world = weightless(method);
    let motor =
        servo([target, 0.0], [MOMENT * rate * rate, 2.0 * ratio * MOMENT * rate], 0.0, Real::INFINITY);
    let (_, joint) = wheel(&mut world, |hinge| hinge.motor(motor));
    let damped = rate * (1.0_f32 - ratio * ratio).sqrt();
    for step in 1..=world.steps(120) {
        world.tick();
        let time = step as Real * world.dt;
        let fade = (-ratio * rate * time).exp();
        let wave = (damped * time).cos() + ratio * rate / damped * (damped * time).sin();
        let wanted = target * (1.0 - fade * wave);
        let found = twist(&world, joint);
        assert!((found - wanted).abs() < method.pick(0.01, 0.04), "{time} s: {found} rad, {wanted}");
    }
}

/// Far from its target it turns the wheel with all it has, and reports no more; with feed-forward as well.
fn a_servo_gives_no_more_than_its_greatest_force(method: &Method) {
    for force in [0.0, 3.0] {
        let mut world = weightless(method);
        let motor = servo([1000.0, 0.0], [5.0, 0.1], force, 0.02);
        let (body, joint) = wheel(&mut world, |hinge| hinge.motor(motor));
        for _ in 0..world.steps(30) {
            world.tick();
            let torque = world.joint(joint).expect("it is there").torque.z;
            assert!((torque - 0.02).abs() < 2e-5, "{torque} N·m");
        }
        let spin = world.velocity(body).expect("it is there").1.z;
        let wanted = 0.02 / MOMENT * 0.5;
        assert!((spin / wanted - 1.0).abs() < 1e-3, "{spin} rad/s, {wanted}");
    }
}

/// The torque of the weight, and nothing else or little damping: it stays level.
fn feed_forward_holds_a_link_against_gravity(method: &Method) {
    let weight = method.world().config().gravity.norm();
    for damping in [0.0, 0.05] {
        let mut world = sleepless(method);
        let post = world.add_body(BodySpec::fixed()).expect("room");
        let body = cube(&mut world, Pose::at(0.5, 0.0, 0.0));
        let hinge = JointSpec::hinge(post, body).at(Position::origin()).along(Vector3::z());
        let motor = servo([0.0, 0.0], [0.0, damping], 0.5 * weight, Real::INFINITY);
        let joint = world.add_joint(&hinge.motor(motor)).expect("a joint");
        run(&mut world, 60);
        assert!(twist(&world, joint).abs() < 2e-3, "{damping}: {}", twist(&world, joint));
        // Half of it lets it fall at half the rate: m g r / 2 / (m r² + I).
        let half = servo([0.0, 0.0], [0.0, 0.0], 0.25 * weight, Real::INFINITY);
        world.set_motor(joint, JointAxis::Twist, Some(half)).expect("it takes one");
        run(&mut world, 6);
        let wanted = -0.25 * weight / (0.25 + MOMENT) * 0.1;
        let found = world.joint(joint).expect("it is there").velocity(JointAxis::Twist);
        assert!((found / wanted - 1.0).abs() < 0.05, "{damping}: {found} rad/s, {wanted}");
    }
}

/// With the speed of its target in its damper a servo follows a ramp without lag; without it, by `c v / k` behind.
fn a_servo_follows_a_target_that_moves(method: &Method) {
    for (speed, lag) in [(2.0, 0.0), (0.0, 2.0 * 0.2 / 4.0)] {
        let mut world = weightless(method);
        let (_, joint) = wheel(&mut world, |hinge| hinge);
        for step in 0..world.steps(120) {
            let target = 2.0 * step as Real * world.dt;
            let motor = servo([target, speed], [4.0, 0.2], 0.0, Real::INFINITY);
            world.set_motor(joint, JointAxis::Twist, Some(motor)).expect("it takes one");
            world.tick();
        }
        // The target is that of the begin of the step.
        let wanted = 4.0 - lag;
        let found = twist(&world, joint);
        assert!((found - wanted).abs() < method.pick(0.04, 0.02), "{speed}: {found} rad, {wanted}");
    }
}

/// Of all coordinates, of two bodies that move and turn freely on a joint that holds nothing.
fn velocities_are_how_fast_values_change(method: &Method) {
    let mut world = weightless(method);
    let bodies = [cube(&mut world, Pose::at(0.0, 0.0, 0.0)), cube(&mut world, Pose::at(0.9, 0.2, -0.3))];
    let all = JointAxis::ALL;
    let (at, on) = (Position::new(0.2, 0.1, 0.0), Position::new(0.8, 0.3, 0.1));
    let free =
        |spec, axis: &JointAxis| JointSpec::axis_limits(spec, *axis, Real::NEG_INFINITY, Real::INFINITY);
    let spec = all[..6].iter().fold(JointSpec::generic(bodies[0], bodies[1]).between(at, on), free);
    let joint = world.add_joint(&spec).expect("a joint");
    world
        .set_velocity(bodies[0], Vector3::new(0.3, -0.1, 0.2), Vector3::new(0.5, 1.0, -0.4))
        .expect("finite");
    world
        .set_velocity(bodies[1], Vector3::new(-0.2, 0.4, 0.1), Vector3::new(1.2, -0.6, 0.8))
        .expect("finite");
    run(&mut world, 10);
    for _ in 0..world.steps(30) {
        let before = world.joint(joint).expect("it is there");
        world.tick();
        let middle = world.joint(joint).expect("it is there");
        world.tick();
        let after = world.joint(joint).expect("it is there");
        // A swing of half a revolution has no direction.
        let swing = middle.value(JointAxis::SwingY).hypot(middle.value(JointAxis::SwingZ));
        assert!(swing < 2.5, "{swing} rad");
        for axis in all {
            let wanted = (after.value(axis) - before.value(axis)) / (2.0 * world.dt);
            let found = middle.velocity(axis);
            assert!(
                (found - wanted).abs() < 5e-3 * (1.0 + wanted.abs()),
                "{axis:?}: {found}, by differences {wanted}"
            );
        }
    }
}

/// Between -10 and 10 rad, both ways around.
fn a_hinge_stops_at_a_limit_turns_away(method: &Method) {
    let mut world = weightless(method);
    let there = Motor::Speed { speed: 8.0, most: 0.5 };
    let (_, joint) = wheel(&mut world, |hinge| hinge.limits(-10.0, 10.0).motor(there));
    run(&mut world, 60);
    let here = twist(&world, joint);
    assert!(here > 7.0 && here < 8.0, "on its way, a turn and more from where it began: {here}");
    run(&mut world, 120);
    assert!((twist(&world, joint) - 10.0).abs() < 2e-3, "at its limit: {}", twist(&world, joint));
    let back = Motor::Speed { speed: -8.0, most: 0.5 };
    world.set_motor(joint, JointAxis::Twist, Some(back)).expect("it takes one");
    run(&mut world, 300);
    assert!((twist(&world, joint) + 10.0).abs() < 2e-3, "at the other: {}", twist(&world, joint));
    let velocity = world.joint(joint).expect("it is there").velocity(JointAxis::Twist);
    assert!(velocity.abs() < 1e-2, "{velocity} rad/s");
}

/// Limits that are set turns away from where a hinge is bring it back all the way, without losing count.
fn a_hinge_comes_back_to_limits_that_are_set_turns_away(method: &Method) {
    let mut world = weightless(method);
    let (_, joint) = wheel(&mut world, |hinge| hinge.motor(Motor::spring(25.0, MOMENT, 1.0, 1.0)));
    run(&mut world, 240);
    for limits in [[-10.0, 10.0], [30.0, 40.0]] {
        world.set_joint_limits(joint, JointAxis::Twist, limits).expect("it takes them");
        run(&mut world, 120);
        let (found, wanted) = (twist(&world, joint), 25.0_f32.clamp(limits[0], limits[1]));
        assert!((found - wanted).abs() < 2e-3, "{limits:?}: {found}");
    }
}

/// 25 rad are four turns less 0.13 rad, by springs and by servos; then back the whole way.
fn a_motor_reaches_a_target_turns_away(method: &Method) {
    let mut world = weightless(method);
    let motor = |target| Motor::spring(target, MOMENT, 1.0, 1.0);
    let (body, joint) = wheel(&mut world, |hinge| hinge.motor(motor(25.0)));
    run(&mut world, 240);
    assert!((twist(&world, joint) - 25.0).abs() < 1e-3, "{}", twist(&world, joint));
    let turn = world.pose(body).expect("it is there").rotation.angle();
    assert!((turn - (8.0 * std::f32::consts::PI - 25.0)).abs() < 2e-3, "four turns less {turn} rad");
    world.set_motor(joint, JointAxis::Twist, Some(motor(-1.0))).expect("it takes one");
    run(&mut world, 240);
    assert!((twist(&world, joint) + 1.0).abs() < 1e-3, "{}", twist(&world, joint));
}

/// In the middle of the way, with turns on the counter: the copy goes on to the bit, and knows where it is.
fn turns_are_kept_by_snapshots(method: &Method) {
    let motor = Motor::spring(40.0, MOMENT, 0.5, 1.0);
    let mut world = weightless(method);
    let (_, joint) = wheel(&mut world, |hinge| hinge.limits(-60.0, 60.0).motor(motor));
    run(&mut world, 60);
    let here = twist(&world, joint);
    assert!(here > 8.0 && here < 39.0, "in the middle: {here}");
    let snapshot = world.snapshot();
    let mut copy = weightless(method);
    copy.restore(&snapshot).expect("the same settings");
    assert_eq!(twist(&copy, joint).to_bits(), here.to_bits());
    for _ in 0..world.steps(120) {
        world.tick();
        copy.tick();
        assert_eq!(world.state_hash(), copy.state_hash());
        assert_eq!(twist(&world, joint).to_bits(), twist(&copy, joint).to_bits());
    }
    world.restore(&snapshot).expect("its own");
    assert_eq!(twist(&world, joint).to_bits(), here.to_bits(), "rolled back");
}

/// A free axle, both ways; a body that is put somewhere else keeps what was counted.
fn turns_are_counted_without_limits_and_motors(method: &Method) {
    // Sub-steps of an eighth of a step know half a revolution up to 1500 rad/s.
    for spin in [30.0, -30.0, method.pick(1000.0, 300.0)] {
        let mut world = weightless(method);
        let (body, joint) = wheel(&mut world, |hinge| hinge);
        world.set_velocity(body, Vector3::zeros(), Vector3::z() * spin).expect("finite");
        run(&mut world, 60);
        let (found, velocity) =
            (twist(&world, joint), world.joint(joint).expect("it is there").velocity(JointAxis::Twist));
        assert!((found / spin - 1.0).abs() < 1e-3, "{found} rad in a second at {spin} rad/s");
        assert!((velocity / spin - 1.0).abs() < 1e-3, "{velocity} rad/s");
        let pose = world.pose(body).expect("it is there");
        world.set_pose(body, pose).expect("it may be there");
        assert!((twist(&world, joint) - found).abs() < 1e-4, "{}", twist(&world, joint));
    }
}

/// Nonsense is refused by name.
#[test]
fn nonsense_is_refused_by_name() {
    let mut world = weightless(&SUB_STEP);
    let (_, joint) = wheel(&mut world, |hinge| hinge);
    let mut text = |motor: Motor| {
        world.set_motor(joint, JointAxis::Twist, Some(motor)).expect_err("nonsense").to_string()
    };
    let endless = Real::INFINITY;
    let cases = [
        (servo([0.0; 2], [0.0; 2], Real::NAN, endless), "force of the drive must be finite, got NaN"),
        (servo([Real::NAN, 0.0], [1.0; 2], 0.0, endless), "target of the drive must be finite, got NaN"),
        (
            servo([0.0; 2], [-1.0, 0.0], 0.0, endless),
            "stiffness of the drive must be zero or positive, got -1",
        ),
        (servo([0.0; 2], [1.0; 2], 0.0, -2.0), "largest force of the drive must be zero or positive, got -2"),
    ];
    for (motor, wanted) in cases {
        assert_eq!(text(motor), wanted);
    }
}
