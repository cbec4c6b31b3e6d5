//! Joints whose bodies take few sub-steps while they turn slowly and all while they turn fast. Trusted: the height from which a swing was let go.

use super::*;
use drystone::JointSpec;
use drystone::math::{Position, rotation_from_vector};

/// Angular velocity up to which a body on a joint takes few sub-steps at 60 steps per second, rad/s: 0.04 rad in a 240th of a second.
const SLOW: Real = 9.6;

/// A rod of 0.3 m on its end, let go 0.15 rad from upright, so that it passes the lowest point at 14 rad/s. Returns its height at the begin, the largest of the last ten of `seconds`, m, and the
/// steps that it was slow and fast in.
fn swing(joint: fn(BodyHandle, BodyHandle) -> JointSpec, seconds: f64) -> (f64, f64, [u32; 2]) {
    let config = WorldConfig {
        sleeping: SleepConfig { enabled: false, ..SleepConfig::default() },
        ..WorldConfig::default()
    };
    let mut world = World::new(config).expect("valid");
    let post = world.add_body(BodySpec::fixed()).expect("room");
    let angle = 0.15;
    let mut pose = Pose::at(-0.15 * f64::sin(angle), 0.15 * f64::cos(angle), 0.0);
    pose.rotation = rotation_from_vector(&(Vector3::z() * angle as Real));
    let shape = ColliderSpec::new(Shape::cuboid(Vector3::new(0.03, 0.15, 0.03)).expect("positive"));
    let rod = world.add_body(BodySpec::dynamic().pose(pose).collider(shape)).expect("room");
    world.add_joint(&joint(post, rod)).expect("a joint");
    let (mut highest, mut steps) = (f64::NEG_INFINITY, [0, 0]);
    while world.time() < seconds {
        let spin = world.velocity(rod).expect("it is there").1.norm();
        let report = world.step(1.0 / 60.0).expect("a step");
        assert_eq!(report.solver.coarse_ties, u32::from(spin <= SLOW), "at {spin} rad/s");
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
    for joint in [hinge, ball] {
        let (begin, end, [slow, fast]) = swing(joint, 30.0);
        assert!(slow > 200 && fast > 200, "{slow} steps at one pace, {fast} at the other one");
        // Of a drop of 0.3 m.
        assert!((end - begin).abs() < 0.001, "let go at {begin} m, comes back to {end} m");
    }
}

/// A trunk with four limbs that falls: solved as one system in the air, by sweeps alone while it moves over the ground in numbers, and as one system again once most of it is calm.
#[test]
fn figures_are_swept_while_they_move_in_contact() {
    let mut world = World::new(WorldConfig::default()).expect("valid");
    let ground = ColliderSpec::new(Shape::half_space(Vector3::y()).expect("a unit vector"));
    world.add_body(BodySpec::fixed().collider(ground)).expect("room");
    let mut block = |at: [f64; 3], half: [Real; 3]| {
        let shape = Shape::cuboid(Vector3::from(half)).expect("positive");
        let spec = BodySpec::dynamic().pose(Pose::at(at[0], at[1], at[2])).collider(ColliderSpec::new(shape));
        world.add_body(spec).expect("room")
    };
    let mut joints = Vec::new();
    for figure in 0..4 {
        let height = 1.0 + 0.5 * f64::from(figure);
        let trunk = block([0.0, height, 0.0], [0.3, 0.1, 0.15]);
        for [x, z] in [[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]] {
            let limb = block([0.52 * x, height, 0.1 * z], [0.2, 0.05, 0.05]);
            joints.push(JointSpec::ball(trunk, limb).at(Position::new(0.31 * x, height, 0.1 * z)));
        }
    }
    for joint in &joints {
        world.add_joint(joint).expect("a joint");
    }
    let (mut fall, mut swept, mut settled) = (0, 0, None);
    for _ in 0..1200 {
        let report = world.step(1.0 / 60.0).expect("a step").solver;
        fall += u32::from(report.points == 0 && report.ties == 16 && report.direct_ties == 16);
        swept += u32::from(report.points > 0 && report.coarse_ties > report.direct_ties);
        if report.ties > 0 && report.coarse_ties == 0 {
            settled = Some(report.direct_ties == report.ties);
        }
    }
    assert!(fall > 5, "{fall} steps in the air");
    assert!(swept > 5, "{swept} steps by sweeps");
    assert_eq!(settled, Some(true), "as one system before they sleep");
    assert_eq!(world.awake_bodies().count(), 0, "all sleep");
}

/// Sub-steps that each joint took in the last step, of a 60th of a second.
fn sub_steps_of_joints(world: &World) -> Vec<u32> {
    let ties = world.graph().ties().iter();
    ties.map(|tie| (1.0 / 60.0 / tie.memory.sub_step).round() as u32).collect()
}

/// A chain of 24 cubes of 18 cm on balls that swings on the Moon by 0.5 rad from the vertical (links that are thinner, or pulled harder, take more sub-steps): where its links are on the mean after two seconds, m, the farthest that joints were apart, m, and the steps in which all of them took two sub-steps.
fn chain_swings(sub_steps: Option<u32>) -> (Position, Real, u32) {
    let mut config = WorldConfig {
        sleeping: SleepConfig { enabled: false, ..SleepConfig::default() },
        gravity: Vector3::y() * -1.62,
        ..WorldConfig::default()
    };
    if let (Some(count), drystone::SolverChoice::SubStep { config }) = (sub_steps, &mut config.solver) {
        (config.sub_steps, config.low_pile_sub_steps) = (count, count);
    }
    let mut world = World::new(config).expect("valid");
    let mut before = world.add_body(BodySpec::fixed()).expect("room");
    let (sin, cos) = 0.5_f64.sin_cos();
    let at = |k: f64| Position::new(0.2 * k * sin, -0.2 * k * cos, 0.0);
    let mut links = Vec::new();
    for k in 0..24 {
        let shape = ColliderSpec::new(Shape::cuboid(Vector3::repeat(0.09)).expect("positive"));
        let middle = at(f64::from(k) + 0.5);
        let mut pose = Pose::at(middle.x, middle.y, middle.z);
        pose.rotation = rotation_from_vector(&(Vector3::z() * 0.5));
        let link = world.add_body(BodySpec::dynamic().pose(pose).collider(shape)).expect("room");
        world.add_joint(&JointSpec::ball(before, link).at(at(f64::from(k)))).expect("a joint");
        links.push(link);
        before = link;
    }
    let (mut apart, mut few): (Real, u32) = (0.0, 0);
    for _ in 0..120 {
        let report = world.step(1.0 / 60.0).expect("a step").solver;
        apart = apart.max(report.worst_stretch);
        few += u32::from(sub_steps_of_joints(&world) == [2; 24]);
    }
    let sum = links.iter().map(|&link| world.pose(link).expect("it is there").translation.coords);
    (Position::from(sum.sum::<drystone::math::Displacement>() / 24.0), apart, few)
}

/// Large trees take two sub-steps while they turn slowly: they go where sixteen times as many take them.
#[test]
fn a_long_chain_swings_with_few_sub_steps_as_with_many() {
    let (place, apart, few) = chain_swings(None);
    let (wanted, _, none) = chain_swings(Some(32));
    assert!(few > 60 && none == 0, "{few} steps with two sub-steps, {none} where there are 32");
    // Of a chain of 4.8 m whose middle swings by more than a metre.
    assert!((place - wanted).norm() < 0.02, "{place} after two seconds, {wanted} with 32 sub-steps");
    assert!(apart < 1e-4, "{apart} m apart");
}

/// Twenty-four balls that hang side by side on a bar: a tree of as many joints, and of more on one body than are solved as one system.
#[test]
fn what_sweeps_hold_takes_no_two_sub_steps() {
    let config = WorldConfig { gravity: Vector3::y() * -1.62, ..WorldConfig::default() };
    let mut world = World::new(config).expect("valid");
    let post = world.add_body(BodySpec::fixed()).expect("room");
    let bar = ColliderSpec::new(Shape::cuboid(Vector3::new(2.5, 0.1, 0.1)).expect("positive"));
    let bar = world.add_body(BodySpec::dynamic().collider(bar)).expect("room");
    world.add_joint(&JointSpec::ball(post, bar).at(Position::origin())).expect("a joint");
    for k in 0..24 {
        let x = 0.2 * f64::from(k) - 2.3;
        let ball = ColliderSpec::new(Shape::sphere(0.04).expect("positive"));
        let spec = BodySpec::dynamic()
            .pose(Pose::at(x, -0.2, 0.0))
            .linear_velocity(Vector3::x() * 0.1)
            .collider(ball);
        let ball = world.add_body(spec).expect("room");
        world.add_joint(&JointSpec::ball(bar, ball).at(Position::new(x, -0.15, 0.0))).expect("a joint");
    }
    for _ in 0..60 {
        let report = world.step(1.0 / 60.0).expect("a step").solver;
        assert_eq!([report.direct_ties, report.ties, report.points], [0, 25, 0]);
        let sub_steps = sub_steps_of_joints(&world);
        assert!(sub_steps.iter().all(|&count| count >= 4), "{sub_steps:?}");
    }
}
