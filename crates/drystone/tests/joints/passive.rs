//! Joints of bodies that are taken out of the simulation and put back (S3-09).

use super::*;
use drystone::JointSpec;
use drystone::math::Position;

with_every_method! {
    what_hangs_on_a_passive_body_falls_and_is_held_when_that_is_back,
}

/// A hook at the origin, and cubes 0.5 m and 1 m below it.
fn chain(world: &mut World) -> [BodyHandle; 2] {
    let hook = world.add_body(BodySpec::fixed()).expect("room");
    let bodies = [0.5, 1.0].map(|y| cube(world, Pose::at(0.0, -y, 0.0)));
    for (above, body, y) in [(hook, bodies[0], 0.25), (bodies[0], bodies[1], 0.75)] {
        world.add_joint(&JointSpec::ball(above, body).at(Position::new(0.0, -y, 0.0))).expect("a joint");
    }
    bodies
}

fn what_hangs_on_a_passive_body_falls_and_is_held_when_that_is_back(method: &Method) {
    let mut world = method.world();
    let [upper, lower] = chain(&mut world);
    let height = |world: &World, body| world.pose(body).expect("it is there").translation.y;
    run(&mut world, 120);
    world.set_active(upper, false).expect("it is there");
    run(&mut world, 30);
    // Half of g t²; a method of first order falls by a step more.
    let (fallen, slack) = (0.5 * 9.81 * 0.25, 9.81 * 0.5 * f64::from(world.dt));
    let way = -1.0 - height(&world, lower);
    assert!((way - fallen).abs() < slack, "it fell by {way} m, not {fallen} m");
    assert!((height(&world, upper) + 0.5).abs() < 1e-3, "what is passive stays");
    world.set_pose(lower, Pose::at(0.0, -1.0, 0.0)).expect("finite");
    world.set_velocity(lower, Vector3::zeros(), Vector3::zeros()).expect("finite");
    world.set_active(upper, true).expect("it is there");
    run(&mut world, 60);
    assert!((height(&world, lower) + 1.0).abs() < 5e-3, "at {} m", height(&world, lower));
}

#[test]
fn a_passive_body_takes_no_joint() {
    let mut world = sleepless(&SUB_STEP);
    let [upper, lower] = chain(&mut world);
    let post = world.add_body(BodySpec::fixed()).expect("room");
    for body in [lower, post] {
        world.set_active(body, false).expect("it is there");
        let error = world.add_joint(&JointSpec::ball(upper, body)).expect_err("it is out").to_string();
        assert!(error.contains("cannot have a joint: it is passive"), "{error}");
        world.set_active(body, true).expect("it is there");
        world.add_joint(&JointSpec::ball(upper, body)).expect("it is back");
    }
}
