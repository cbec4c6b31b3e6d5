//! Limits where what turns about them is thin, and much hangs on it.

use super::*;
use drystone::math::{Position, Rotation, rotation_from_vector};
use drystone::{JointAxis, JointHandle, JointSpec};
use std::f32::consts::FRAC_PI_2;

with_every_method! {
    a_thin_arm_rests_at_the_limit_that_holds_what_it_carries,
    a_limit_lets_go_what_leaves_it,
}

/// Fishing rods: links of 0.2 m stick out level from a post, with limits at each joint and a heavy last one, and fall onto these limits.
///
/// The torques that limits hold then are a hundred times what turns a link, and with half of them let go in the middle of a solve, or with inertias that are right
/// for the forces alone, links were flung away within a step.
#[test]
fn links_fall_onto_their_limits_and_hold() {
    for links in [3, 4, 8] {
        for (times, limit) in [(1.0, 0.05), (1.0, 0.3), (10.0, 0.05)] {
            if times > 1.0 && links > 4 {
                continue;
            }
            for has_cone in [false, true] {
                let mut world = sleepless(&crate::SUB_STEP);
                let mut last = world.add_body(BodySpec::fixed()).expect("room");
                let (mut bodies, mut joints) = (Vec::new(), Vec::new());
                for k in 0..=links {
                    let end = Position::new(0.2 * f64::from(k), 0.0, 0.0);
                    let rod = ColliderSpec::new(Shape::capsule(0.06, 0.03).expect("positive")).filter(0, 0);
                    let density = if k == links { 500.0 * times } else { 500.0 };
                    let pose = Pose::new(
                        Position::new(end.x + 0.1, 0.0, 0.0),
                        rotation_from_vector(&Vector3::new(0.0, 0.0, FRAC_PI_2)),
                    );
                    let mass = MassProperties::capsule(0.06, 0.03, density);
                    let spec = BodySpec::dynamic().pose(pose).collider(rod).mass(mass);
                    let body = world.add_body(spec).expect("room");
                    let spec = match has_cone {
                        true => JointSpec::cone_twist(last, body)
                            .at(end)
                            .along(Vector3::x())
                            .cone(limit)
                            .limits(-0.2, 0.2),
                        false => {
                            JointSpec::hinge(last, body).at(end).along(Vector3::z()).limits(-limit, limit)
                        }
                    };
                    joints.push(world.add_joint(&spec).expect("a joint"));
                    bodies.push(body);
                    last = body;
                }
                let case = format!(
                    "{links} links, {times} times the mass at the end, {limit} rad, cone: {has_cone}"
                );
                let mut apart: Real = 0.0;
                for _ in 0..world.steps(300) {
                    let report = world.step(1.0 / 60.0).expect("a step");
                    assert!(report.quarantined.is_empty(), "{case}");
                    let error = |&joint: &JointHandle| world.joint(joint).expect("it is there").error[0];
                    apart = joints.iter().map(error).fold(apart, Real::max);
                }
                assert!(apart < 0.03, "{case}: {apart} m apart");
                // Little is left to swing; with wide limits there is.
                let fastest = bodies.iter().map(|&b| world.velocity(b).expect("it is there").0.norm());
                let fastest = fastest.fold(0.0, Real::max);
                assert!(limit > 0.1 || fastest < 0.1, "{case}: {fastest} m/s after five seconds");
            }
        }
    }
}

/// Where the shoulder is.
fn shoulder() -> Position {
    Position::new(0.1, 0.0, 0.0)
}

/// A thin arm along x, held at its begin, and a forearm that sticks out at its end along z, so that its weight twists the arm.
fn arm(
    world: &mut World,
    held: impl Fn(BodyHandle, BodyHandle) -> JointSpec,
) -> ([BodyHandle; 2], JointHandle) {
    let post = world.add_body(BodySpec::fixed()).expect("room");
    let mut rod = |x: f64, z: f64, along: Rotation| {
        let rod = ColliderSpec::new(Shape::capsule(0.1, 0.04).expect("positive"));
        let pose = Pose::new(Position::new(x, 0.0, z), along);
        world.add_body(BodySpec::dynamic().pose(pose).collider(rod)).expect("room")
    };
    let upper = rod(0.25, 0.0, rotation_from_vector(&Vector3::new(0.0, 0.0, -FRAC_PI_2)));
    let fore = rod(0.4, 0.15, rotation_from_vector(&Vector3::new(FRAC_PI_2, 0.0, 0.0)));
    let shoulder = held(post, upper).at(shoulder()).along(Vector3::x()).limits(-0.4, 0.4);
    let joint = world.add_joint(&shoulder).expect("a joint");
    world.add_joint(&JointSpec::fixed(upper, fore).at(Position::new(0.4, 0.0, 0.0))).expect("a joint");
    ([upper, fore], joint)
}

/// A limit that knows the inertia of the arm alone gives way like a spring, and what hangs on the arm swings about it.
fn a_thin_arm_rests_at_the_limit_that_holds_what_it_carries(method: &Method) {
    let mut world = sleepless(method);
    let ([upper, fore], joint) = arm(&mut world, JointSpec::hinge);
    run(&mut world, 60);
    for _ in 0..world.steps(60) {
        world.tick();
        let now = world.joint(joint).expect("it is there");
        let twist = now.value(JointAxis::Twist);
        assert!((twist.abs() - 0.4).abs() < 1e-3, "twist {twist}");
        for body in [upper, fore] {
            let (v, w) = world.velocity(body).expect("it is there");
            assert!(v.norm() < 2e-3 && w.norm() < 2e-2, "it moves: {} m/s, {} rad/s", v.norm(), w.norm());
        }
        // Both weights on the shoulder.
        let mass: Real = [upper, fore].map(|body| world.body(body).expect("it is there").mass).iter().sum();
        assert!(
            (now.force.y - mass * 9.81).abs() < 0.02 * mass * 9.81,
            "{} N of {}",
            now.force.y,
            mass * 9.81
        );
    }
}

/// A limit pushes and never pulls: what hung at it leaves at once when it is thrown back.
fn a_limit_lets_go_what_leaves_it(method: &Method) {
    let mut world = sleepless(method);
    let ([upper, fore], joint) = arm(&mut world, |a, b| JointSpec::cone_twist(a, b).cone(0.2));
    run(&mut world, 60);
    let twist = world.joint(joint).expect("it is there").value(JointAxis::Twist);
    // About the axis of the arm through the shoulder, against the weight.
    let spin = Vector3::x() * (-4.0 * twist.signum());
    for body in [upper, fore] {
        let arm = world.pose(body).expect("it is there").translation - shoulder();
        world.set_velocity(body, spin.cross(&arm.cast()), spin).expect("finite");
    }
    run(&mut world, 3);
    let now = world.joint(joint).expect("it is there").value(JointAxis::Twist);
    // 0.2 rad less what its weight takes in a twentieth of a second: at most half of that.
    assert!(now.abs() < twist.abs() - 0.1, "from {twist} to {now}");
}
