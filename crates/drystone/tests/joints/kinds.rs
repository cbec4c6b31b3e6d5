//! What each kind of joint lets go and holds, its limits, motors and friction.

use super::*;
use drystone::math::{Position, rotation_from_vector};
use drystone::{JointAxis, JointHandle, JointKind, JointSpec, Motor};

with_every_method! {
    what_two_bodies_exchange_changes_no_sum,
    a_hinge_turns_about_its_axis_alone,
    a_slider_slides_between_its_limits,
    a_fixed_joint_carries_weight_and_moment,
    a_rope_lets_come_closer,
    a_spring_swings_at_its_frequency_and_damps,
    a_very_stiff_spring_is_stable,
    a_motor_gives_no_more_than_it_has,
    the_cone_and_the_twist_have_limits,
    a_generic_joint_is_what_its_coordinates_say,
}

/// Two free cubes, the second 0.5 m along x from the first, and a joint in the middle.
fn pair(
    world: &mut World,
    make: impl Fn(BodyHandle, BodyHandle) -> JointSpec,
) -> ([BodyHandle; 2], JointHandle) {
    let bodies = [cube(world, Pose::at(0.0, 0.0, 0.0)), cube(world, Pose::at(0.5, 0.0, 0.0))];
    let joint = world.add_joint(&make(bodies[0], bodies[1])).expect("a joint");
    (bodies, joint)
}

/// A fixed body and a cube at 0.5 m along x of it.
fn held(world: &mut World, make: impl Fn(BodyHandle, BodyHandle) -> JointSpec) -> (BodyHandle, JointHandle) {
    let post = world.add_body(BodySpec::fixed()).expect("room");
    let body = cube(world, Pose::at(0.5, 0.0, 0.0));
    let joint = world.add_joint(&make(post, body)).expect("a joint");
    (body, joint)
}

fn middle() -> Position {
    Position::new(0.25, 0.0, 0.0)
}

/// Momentum and angular momentum about the origin.
fn momenta(world: &World) -> [Vector3; 2] {
    let mut sums = [Vector3::zeros(); 2];
    for body in world.bodies() {
        let p = body.linear_velocity * body.mass;
        sums[0] += p;
        // A cube turns alike about all axes.
        sums[1] +=
            body.center.coords.cast::<Real>().cross(&p) + body.angular_velocity * (body.mass * 0.04 / 6.0);
    }
    sums
}

fn what_two_bodies_exchange_changes_no_sum(method: &Method) {
    let all: [&dyn Fn(BodyHandle, BodyHandle) -> JointSpec; 7] = [
        &|a, b| JointSpec::distance(a, b).between(Position::new(0.1, 0.1, 0.0), Position::new(0.4, 0.0, 0.1)),
        &|a, b| JointSpec::ball(a, b).at(middle()),
        &|a, b| JointSpec::hinge(a, b).at(middle()).along(Vector3::new(1.0, 2.0, 3.0)),
        &|a, b| JointSpec::slider(a, b).at(middle()).along(Vector3::new(1.0, 2.0, 3.0)),
        &|a, b| JointSpec::fixed(a, b).at(middle()),
        &|a, b| JointSpec::cone_twist(a, b).at(middle()).cone(0.3).limits(-0.2, 0.4),
        &|a, b| JointSpec::generic(a, b).at(middle()).axis_limits(JointAxis::X, -0.1, 0.1),
    ];
    for make in all {
        let mut world = weightless(method);
        let (bodies, joint) = pair(&mut world, make);
        world
            .set_velocity(bodies[0], Vector3::new(0.3, -0.2, 0.1), Vector3::new(1.0, 2.0, -1.0))
            .expect("finite");
        world
            .set_velocity(bodies[1], Vector3::new(-0.4, 0.5, 0.3), Vector3::new(-2.0, 0.5, 1.0))
            .expect("finite");
        let begin = momenta(&world);
        let kind = world.joint(joint).expect("it is there").kind;
        for step in 0..world.steps(120) {
            let before = world.velocity(bodies[1]).expect("it is there").0;
            world.tick();
            let after = world.velocity(bodies[1]).expect("it is there").0;
            // What is reported is what was given.
            let given = world.joint(joint).expect("it is there").force * world.dt;
            assert!(
                ((after - before) - given).norm() < 2e-3,
                "{kind:?}, step {step}: {:?}, {given:?}",
                after - before
            );
        }
        let end = momenta(&world);
        assert!((end[0] - begin[0]).norm() < 1e-4, "{kind:?}: {begin:?}, {end:?}");
        assert!((end[1] - begin[1]).norm() < 0.02 * begin[1].norm(), "{kind:?}: {begin:?}, {end:?}");
        let error = world.joint(joint).expect("it is there").error;
        assert!(error[0] < 1e-3 && error[1] < 5e-3, "{kind:?}: {error:?}");
    }
}

fn a_hinge_turns_about_its_axis_alone(method: &Method) {
    let mut world = weightless(method);
    let (body, joint) = held(&mut world, |a, b| JointSpec::hinge(a, b).at(middle()).along(Vector3::z()));
    // It would fly off in a straight line, tumbling.
    world.set_velocity(body, Vector3::new(0.0, 0.5, 0.2), Vector3::new(3.0, 1.0, 2.0)).expect("finite");
    // Impulses move bodies first: the velocity that was set acts for a step before the joint does, and half of what came of it goes per step.
    run(&mut world, method.pick(0, 4));
    for _ in 0..world.steps(300) {
        world.tick();
        let now = world.joint(joint).expect("it is there");
        assert!(now.error[0] < 1e-4 && now.error[1] < 1e-3, "{:?}", now.error);
    }
    let (v, w) = world.velocity(body).expect("it is there");
    assert!(w.x.abs() < 1e-3 && w.y.abs() < 1e-3, "{w:?}");
    assert!((v.norm() - 0.25 * w.z).abs() < 1e-3, "a circle of 0.25 m: {v:?}, {w:?}");
    // The same turning about the hinge as at the begin: m (r v + r² / 6 of the cube w).
    let begin = 0.25 * 0.5 + 0.04 / 6.0 * 2.0;
    assert!((w.z * (0.25 * 0.25 + 0.04 / 6.0) / begin - 1.0).abs() < 0.01, "{w:?}");
}

fn a_slider_slides_between_its_limits(method: &Method) {
    let mut world = weightless(method);
    let (body, joint) =
        held(&mut world, |a, b| JointSpec::slider(a, b).at(middle()).along(Vector3::x()).limits(-0.1, 0.4));
    world.set_velocity(body, Vector3::new(1.0, 0.4, 0.0), Vector3::new(0.0, 0.0, 1.0)).expect("finite");
    run(&mut world, 12);
    let (v, w) = world.velocity(body).expect("it is there");
    assert!((v - Vector3::x()).norm() < 1e-3 && w.norm() < 1e-3, "only along: {v:?}, {w:?}");
    run(&mut world, 60);
    let now = world.joint(joint).expect("it is there");
    assert!((now.value(JointAxis::X) - 0.4).abs() < 1e-3, "{:?}", now.value(JointAxis::X));
    assert!(world.velocity(body).expect("it is there").0.norm() < 1e-3);
    assert!(now.error[0] < 1e-4 && now.error[1] < 1e-4, "{:?}", now.error);
}

fn a_fixed_joint_carries_weight_and_moment(method: &Method) {
    let mut world = sleepless(method);
    let (_, joint) = held(&mut world, |a, b| JointSpec::fixed(a, b).at(Position::origin()));
    run(&mut world, 120);
    let now = world.joint(joint).expect("it is there");
    assert!((now.force - Vector3::y() * 9.81).norm() < 0.01, "{:?}", now.force);
    assert!((now.torque - Vector3::z() * (0.5 * 9.81)).norm() < 0.01, "{:?}", now.torque);
    assert!(now.error[0] < 1e-4 && now.error[1] < 1e-4, "{:?}", now.error);
}

/// A rope is slack until it is not; a rod holds both ways.
fn a_rope_lets_come_closer(method: &Method) {
    let mut world = weightless(method);
    let rope = |a, b| {
        JointSpec::distance(a, b).between(Position::origin(), Position::new(0.5, 0.0, 0.0)).limits(0.0, 0.6)
    };
    let (body, joint) = held(&mut world, rope);
    world.set_velocity(body, Vector3::new(-0.5, 0.0, 0.0), Vector3::zeros()).expect("finite");
    run(&mut world, 30);
    assert!((world.velocity(body).expect("it is there").0.x + 0.5).abs() < 1e-5, "slack");
    world.set_velocity(body, Vector3::new(2.0, 0.0, 0.0), Vector3::zeros()).expect("finite");
    run(&mut world, 60);
    let now = world.joint(joint).expect("it is there");
    assert!((now.value(JointAxis::Distance) - 0.6).abs() < 1e-4, "{}", now.value(JointAxis::Distance));
}

/// `x(t) = x0 exp(-ζωt) (cos ωd t + ...)`: the time of 5 swings, and what is left of them.
fn a_spring_swings_at_its_frequency_and_damps(method: &Method) {
    for (frequency, ratio) in [(1.0, 0.0), (1.0, 0.05), (3.0, 0.02)] {
        let mut world = weightless(method);
        let spring = Motor::spring(0.5, 1.0, frequency, ratio);
        let make = |a, b| {
            JointSpec::distance(a, b).between(Position::origin(), Position::new(0.5, 0.0, 0.0)).motor(spring)
        };
        let (body, _) = held(&mut world, make);
        world.set_velocity(body, Vector3::x() * 0.3, Vector3::zeros()).expect("finite");
        let mut crossings = Vec::new();
        let mut before = 0.0;
        let dt = 1.0 / 240.0;
        while crossings.len() < 6 {
            world.step(dt).expect("a step");
            let now = world.pose(body).expect("it is there").translation.x - 0.5;
            if before < 0.0 && now >= 0.0 {
                crossings.push(world.time() - f64::from(dt) * now / (now - before));
            }
            before = now;
        }
        let period = (crossings[5] - crossings[0]) / 5.0;
        let wanted = 1.0 / (f64::from(frequency) * f64::from(1.0 - ratio * ratio).sqrt());
        assert!((period / wanted - 1.0).abs() < 0.01, "{frequency} Hz, {ratio}: {period} s, wanted {wanted}");
        // Speed at a crossing, against that at the begin.
        let left = f64::from(world.velocity(body).expect("it is there").0.x / 0.3);
        let rate = 2.0 * std::f64::consts::PI * f64::from(frequency);
        let decay = (-f64::from(ratio) * rate * crossings[5]).exp();
        // An implicit step damps by half of its length over the time of a radian: an eighth of it in sub-steps.
        let cut = if method.is_impulse() { 1.0 } else { 0.125 };
        let least = 0.9 * decay * (-0.5 * cut * f64::from(dt) * rate * rate * crossings[5]).exp();
        assert!(left < 1.02 * decay && left > least, "{frequency} Hz, {ratio}: {left} of {decay}");
    }
}

/// A stiffness far beyond what steps resolve pulls to its place and stays there.
fn a_very_stiff_spring_is_stable(method: &Method) {
    let mut world = sleepless(method);
    let spring = Motor::Spring { target: 0.3, stiffness: 1e9, damping: 1e5, most: Real::INFINITY };
    let (_, joint) =
        held(&mut world, |a, b| JointSpec::slider(a, b).at(middle()).along(Vector3::x()).motor(spring));
    run(&mut world, 120);
    let now = world.joint(joint).expect("it is there").value(JointAxis::X);
    assert!((now - 0.3).abs() < 1e-3, "{now}");
}

fn a_motor_gives_no_more_than_it_has(method: &Method) {
    let mut world = weightless(method);
    let motor = Motor::Speed { speed: 100.0, most: 2.0 };
    let (body, joint) =
        held(&mut world, |a, b| JointSpec::slider(a, b).at(middle()).along(Vector3::x()).motor(motor));
    run(&mut world, 60);
    // F = m a: 2 N on a kilogram for a second.
    assert!((world.velocity(body).expect("it is there").0.x - 2.0).abs() < 0.01);
    assert!((world.joint(joint).expect("it is there").force.x - 2.0).abs() < 0.01);
    world.set_motor(joint, JointAxis::X, Some(Motor::Speed { speed: 0.5, most: 1e3 })).expect("it has one");
    run(&mut world, 10);
    assert!((world.velocity(body).expect("it is there").0.x - 0.5).abs() < 1e-3);
    world.set_motor(joint, JointAxis::X, None).expect("it has one");
    world.set_joint_limits(joint, JointAxis::X, [-1.0, 10.0]).expect("ascending");
    world.set_joint_friction(joint, JointAxis::X, 0.25).expect("positive");
    run(&mut world, 60);
    // Dry friction: -0.25 m/s in a second.
    assert!((world.velocity(body).expect("it is there").0.x - 0.25).abs() < 5e-3);
    run(&mut world, 90);
    assert!(world.velocity(body).expect("it is there").0.x.abs() < 1e-4, "and then it stands");
}

fn the_cone_and_the_twist_have_limits(method: &Method) {
    let mut world = weightless(method);
    let (body, joint) = held(&mut world, |a, b| {
        JointSpec::cone_twist(a, b).at(middle()).along(Vector3::x()).cone(0.5).limits(-0.3, 0.6)
    });
    let mut most: [Real; 2] = [0.0; 2];
    let second = world.steps(60);
    for k in 0..world.steps(600) {
        if k % second == 0 {
            let angle = (60 * k / second) as Real * 0.37;
            let push = Vector3::new(0.5 - angle.sin().abs(), angle.sin(), angle.cos());
            let arm = world.pose(body).expect("it is there").translation - middle();
            let spin = push * 3.0;
            world.set_velocity(body, spin.cross(&arm.cast()), spin).expect("finite");
        }
        world.tick();
        let now = world.joint(joint).expect("it is there");
        most = [most[0].max(now.coordinates.swing.1), most[1].max(now.value(JointAxis::Twist))];
        assert!(now.coordinates.swing.1 < 0.52, "{:?}", now.coordinates.swing);
        let twist = now.value(JointAxis::Twist);
        assert!((-0.32..0.62).contains(&twist), "{twist}");
        assert!(now.error[0] < 1e-3, "{:?}", now.error);
    }
    assert!(most[0] > 0.45, "it came to the cone: {most:?}");
}

fn a_generic_joint_is_what_its_coordinates_say(method: &Method) {
    // Free along y and about z, the rest held: a part that moves in a plane of its own.
    let mut world = weightless(method);
    let (body, joint) = held(&mut world, |a, b| {
        let free = [Real::NEG_INFINITY, Real::INFINITY];
        JointSpec::generic(a, b).at(middle()).axis_limits(JointAxis::Y, free[0], free[1]).axis_limits(
            JointAxis::SwingZ,
            free[0],
            free[1],
        )
    });
    world.set_velocity(body, Vector3::new(1.0, 0.4, 1.0), Vector3::new(1.0, 1.0, 0.0)).expect("finite");
    run(&mut world, 60);
    let now = world.joint(joint).expect("it is there");
    assert!(now.error[0] < 1e-4 && now.error[1] < 1e-3, "{:?}", now.error);
    assert!(now.value(JointAxis::Y) > 0.2, "{:?}", now.coordinates.values);
    assert_eq!(now.kind, JointKind::Generic);
}

/// The heavy top with its point held by a joint: it goes round at `Ω = m g l / (I3 ω3)` (fast top).
#[test]
fn a_heavy_top_goes_round() {
    let mut world = sleepless(&SUB_STEP);
    let post = world.add_body(BodySpec::fixed()).expect("room");
    let mass = MassProperties::cylinder(0.02, 0.1, 1000.0);
    let disc = ColliderSpec::new(Shape::sphere(0.02).expect("positive"));
    // The axis of the disc is y in its own frame: lay it along x.
    let lie = rotation_from_vector(&(Vector3::z() * -std::f32::consts::FRAC_PI_2));
    let spin = 50.0;
    let spec = BodySpec::dynamic()
        .pose(Pose::new(Position::new(0.1, 0.0, 0.0), lie))
        .collider(disc)
        .mass(mass)
        .angular_velocity(Vector3::x() * spin);
    let body = world.add_body(spec).expect("room");
    let joint = world.add_joint(&JointSpec::ball(post, body).at(Position::origin())).expect("a joint");
    let axial = 0.5 * mass.mass * 0.1 * 0.1;
    let rate = mass.mass * 9.81 * 0.1 / (axial * spin);
    // Started with the turn that it keeps, so that it does not nod.
    world
        .set_velocity(body, Vector3::new(0.0, 0.0, -0.1 * rate), Vector3::new(spin, rate, 0.0))
        .expect("finite");
    let dt = 1.0 / 240.0;
    let (mut angle, mut before) = (0.0, 0.0);
    for _ in 0..480 {
        world.step(dt).expect("a step");
        let at = world.pose(body).expect("it is there").translation;
        let now = (-at.z).atan2(at.x);
        let mut change = now - before;
        if change < -std::f64::consts::PI {
            change += 2.0 * std::f64::consts::PI;
        }
        angle += change;
        before = now;
        assert!(at.y.abs() < 0.02, "it does not fall: {at:?}");
        assert!(world.joint(joint).expect("it is there").error[0] < 1e-4);
    }
    let wanted = f64::from(rate) * 2.0;
    assert!((angle / wanted - 1.0).abs() < 0.02, "{angle} rad, wanted {wanted}");
}

/// What spins by a tenth of a radian and more in a step stays up on its joint at any rate, and does not nod (case A4 of the reference cases, 60 degrees).
#[test]
fn a_fast_top_on_its_tip_does_not_fall_over() {
    let (along, across, arm, spin) = (0.005_f64, 0.0125_f64, 0.1_f64, 200.0_f64);
    let tilt = 60.0_f64.to_radians();
    let weight = 9.81 * arm;
    let root = ((along * spin).powi(2) - 4.0 * across * weight * tilt.cos()).sqrt();
    let rate = (along * spin - root) / (2.0 * across * tilt.cos());
    for hz in [120.0, 240.0, 480.0, 960.0] {
        let mut world = sleepless(&SUB_STEP);
        let post = world.add_body(BodySpec::fixed()).expect("room");
        let axis = Vector3::new(tilt.sin() as Real, tilt.cos() as Real, 0.0);
        let angular = axis * spin as Real + (Vector3::y() - axis * tilt.cos() as Real) * rate as Real;
        let at = axis * arm as Real;
        // Moments about the centre: across that is the one about the tip without m l².
        let moments = Vector3::new(0.0025, along as Real, 0.0025);
        let body = BodySpec::dynamic()
            .pose(Pose::new(
                Position::from(drystone::math::widen(&at)),
                rotation_from_vector(&(Vector3::z() * -tilt as Real)),
            ))
            .mass(MassProperties::aligned(1.0, moments))
            .linear_velocity(angular.cross(&at))
            .angular_velocity(angular);
        let top = world.add_body(body).expect("room");
        let joint = world.add_joint(&JointSpec::ball(post, top).at(Position::origin())).expect("a joint");
        for _ in 0..(2.0 * hz) as u32 {
            world.step(1.0 / hz as Real).expect("a step");
            let axis = world.pose(top).expect("it is there").rotation * Vector3::y();
            let nod = f64::from(axis.y).acos() - tilt;
            assert!(nod.abs() < 0.025, "{hz}: {nod} rad");
            let apart = world.joint(joint).expect("it is there").error[0];
            assert!(apart < 1e-4, "{hz}: {apart} m");
        }
        let spin_now = (world.pose(top).expect("it is there").rotation * Vector3::y())
            .dot(&world.velocity(top).expect("it is there").1);
        assert!((f64::from(spin_now) / spin - 1.0).abs() < 0.01, "{hz}: {spin_now} rad/s");
    }
}
