//! Defects that fuzzing found and that are mended; each test names what went wrong. Trusted: the promises of `docs/architecture.md`: bad input changes nothing,
//! all numbers are numbers, what is put back goes on with the same bits.
mod common;
use common::*;
use drystone::math::inertia::MassProperties;
use drystone::math::{Pose, Position, Quaternion, Real, Rotation, Vector3};
use drystone::{BodyHandle, BodySpec, ColliderSpec, JointSpec, Shape, World, WorldConfig, WorldError};

/// A ball of so much mass, kg.
fn heavy(mass: Real, x: f64) -> BodySpec {
    let inertia = MassProperties::aligned(mass, Vector3::repeat(0.004 * mass));
    BodySpec::dynamic().pose(Pose::at(x, 0.0, 0.0)).mass(inertia).collider(ball_shape())
}

fn ball_shape() -> ColliderSpec {
    ColliderSpec::new(Shape::sphere(0.1).expect("positive"))
}

fn weightless() -> World {
    World::new(WorldConfig { gravity: Vector3::zeros(), ..WorldConfig::fast() }).expect("valid")
}

fn add(world: &mut World, spec: BodySpec) -> BodyHandle {
    world.add_body(spec).expect("valid")
}

/// Contacts of a belt learn its speed, and its joints were taken for contacts: a panic.
#[test]
fn a_belt_may_have_joints() {
    let mut run = Scene::on_ground().start(&WorldConfig::fast(), 1);
    let belt = block(0.5, 0.1, 0.5).surface_velocity(Vector3::new(1.0, 0.0, 0.0));
    let belt = add(&mut run.world, BodySpec::dynamic().pose(Pose::at(0.0, 0.1, 0.0)).collider(belt));
    let load = add(&mut run.world, cube(0.2, 0.0, 0.3, 0.0));
    // More joints than there are colliders.
    for k in 0..8 {
        let post = add(&mut run.world, BodySpec::fixed().pose(Pose::at(f64::from(k), 0.0, 3.0)));
        let hold = JointSpec::fixed(post, belt).at(Position::new(0.0, 0.1, 0.0));
        run.world.add_joint(&hold).expect("two bodies");
    }
    run.steps(60.0, 0.5, |_| ());
    let way = run.world.pose(load).expect("it is there").translation.x;
    assert!(way > 0.05, "carried by {way} m");
}

/// A joint that slept was judged by the impulse of a long step over the length of a short one, and broke; and the report was written before that woke anybody.
#[test]
fn joints_that_sleep_do_not_break_and_the_report_counts_who_is_awake() {
    let mut world = World::new(WorldConfig::fast()).expect("valid");
    let post = add(&mut world, BodySpec::fixed());
    let weight = add(&mut world, heavy(10.0, 0.0));
    let joint = JointSpec::fixed(post, weight).breaks_above(200.0, Real::INFINITY);
    world.add_joint(&joint).expect("two bodies");
    let mut slept = 0;
    for step in 0..400 {
        world.step(if step < 200 { 1.0 / 60.0 } else { 1e-3 }).expect("it steps");
        let report = world.report();
        let awake = world.bodies().filter(|b| b.mass > 0.0 && !b.is_asleep).count();
        assert_eq!((report.awake as usize, report.asleep as usize), (awake, 1 - awake), "step {step}");
        assert_eq!((report.broken_joints, report.joints), (0, 1), "step {step}");
        slept += report.asleep;
    }
    assert!(slept > 200, "{slept} steps");
    world.add_force(weight, Vector3::new(0.0, -500.0, 0.0), Vector3::zeros()).expect("finite");
    world.step(1.0 / 60.0).expect("it steps");
    assert_eq!((world.report().broken_joints, world.joint_count()), (1, 0));
}

fn refused<T: std::fmt::Debug>(world: &mut World, change: impl FnOnce(&mut World) -> Result<T, WorldError>) {
    let before = (world.state_hash(), world.body_count(), world.composites().count());
    change(world).expect_err("too much");
    assert_eq!((world.state_hash(), world.body_count(), world.composites().count()), before);
}

/// Bodies were fastened in part before the sum of their forces was found to be no number.
#[test]
fn bodies_whose_forces_have_no_sum_are_not_fastened() {
    let mut world = weightless();
    let [a, b] = [add(&mut world, heavy(1e-3, 0.0)), add(&mut world, heavy(1.0, 5.0))];
    let most = Vector3::new(3e38, 0.0, 0.0);
    world.add_force(a, most, Vector3::zeros()).expect("a number");
    // Of both together the force is none.
    world.add_force(b, Vector3::new(2e38, 0.0, 0.0), Vector3::zeros()).expect("a number");
    refused(&mut world, |world| world.fasten(&[a, b]));
}

/// The rest of a composite was too far apart to be a body: its member could not be removed, and was half gone.
#[test]
fn what_cannot_be_a_body_comes_apart() {
    let mut world = weightless();
    let light = |x: f64| heavy(1e-30, x);
    let members =
        [add(&mut world, light(0.0)), add(&mut world, light(1e5)), add(&mut world, heavy(1e3, 3.0))];
    let Ok(composite) = world.fasten(&members) else { panic!("with a heavy one they are a body") };
    world.remove_body(members[2]).expect("a member");
    assert!(world.body(members[2]).is_err() && world.body(members[0]).is_ok());
    // Whether the two that are left are one body or two: all is as it says.
    let is_whole = world.composite(composite).is_ok();
    assert_eq!(world.composites().count(), usize::from(is_whole));
    world.step(1.0 / 60.0).expect("it steps");
}

/// Rotations within a thousandth of unit length were taken as they are, and shapes grew by that.
#[test]
fn rotations_are_of_unit_length_inside() {
    let mut world = weightless();
    let long = Rotation::new_unchecked(Quaternion::new(1.0005, 1e-4, 0.0, 0.0));
    let pose = Pose::new(Position::origin(), long);
    let body = add(&mut world, BodySpec::dynamic().pose(pose).collider(ball_shape()));
    let norm = |world: &World| world.pose(body).expect("it is there").rotation.norm();
    assert!((norm(&world) - 1.0).abs() < 1e-6, "{}", norm(&world));
    world.set_pose(body, pose).expect("nearly a unit");
    assert!((norm(&world) - 1.0).abs() < 1e-6, "{}", norm(&world));
}

/// Of 1e20 m/s the square is no number, and no gap was either.
#[test]
fn contacts_of_what_is_too_fast_to_be_computed_are_numbers() {
    let mut run = Scene::on_ground()
        .with_all([0.1, 0.3].map(|y| ball(0.1, 0.0, y, 0.0)))
        .start(&WorldConfig::fast(), 1);
    run.steps(60.0, 0.5, |_| ());
    run.world.set_velocity(run.bodies[2], Vector3::new(0.0, -1e20, 0.0), Vector3::zeros()).expect("a number");
    // A step may be as long as a second.
    for hz in [60.0, 60.0, 1.0, 1.0] {
        run.step(hz);
        assert!(run.world.contacts().all(|contact| contact.distance.is_finite()));
    }
}

/// Factors of joints that are far apart were of the step before, or not: it depended on what had been before.
#[test]
fn joints_far_apart_go_on_with_the_same_bits_when_they_are_put_back() {
    let mut world = weightless();
    let post = add(&mut world, BodySpec::fixed());
    let chain: Vec<BodyHandle> = [7e4, 3e6, 1e3, 2.0]
        .iter()
        .enumerate()
        .map(|(k, &m)| add(&mut world, heavy(m, 1.0 + k as f64)))
        .collect();
    let mut above = post;
    for (k, &body) in chain.iter().enumerate() {
        let at = Position::new(0.5 + k as f64, 0.0, 0.0);
        let joint = if k % 2 == 0 { JointSpec::fixed(above, body) } else { JointSpec::hinge(above, body) };
        world.add_joint(&joint.at(at)).expect("two bodies");
        above = body;
    }
    for &body in &chain {
        world.set_velocity(body, Vector3::new(1e5, -3e5, 2e4), Vector3::new(40.0, 0.0, 9.0)).expect("finite");
    }
    for step in 0..20 {
        let before = world.snapshot();
        world.step(1.0 / 60.0).expect("it steps");
        let first = world.state_hash();
        world.restore(&before).expect("its own");
        world.step(1.0 / 60.0).expect("it steps");
        assert_eq!(world.state_hash(), first, "step {step}");
    }
}
