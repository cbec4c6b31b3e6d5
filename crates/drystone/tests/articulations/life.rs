//! What is refused, what dissolves, sleep, snapshots, threads, and numbers that are none.

use crate::{Sim, hold};
use drystone::math::{Pose, Position, Real, Vector3};
use drystone::{
    BodyHandle, BodySpec, CouplingSpec, Exec, JointAxis, JointHandle, JointSpec, Motor, World, WorldConfig,
    WorldError,
};

const DT: Real = 1.0 / 60.0;

/// A post with a chain of `count` rods of 0.5 m that hang from it.
fn chain(sim: &mut Sim, count: u32, at: [f64; 3]) -> (Vec<BodyHandle>, Vec<JointHandle>) {
    let post = sim.world.add_body(BodySpec::fixed().pose(Pose::at(at[0], at[1], at[2]))).expect("valid");
    let (mut below, mut rods, mut joints) = (post, Vec::new(), Vec::new());
    for k in 0..count {
        let top = at[1] - 0.5 * f64::from(k);
        let rod = sim.add_box(1.0, Vector3::new(0.03, 0.2, 0.03), [at[0], top - 0.25, at[2]]);
        joints.push(sim.hinge([below, rod], [at[0], top, at[2]], Vector3::z(), None));
        rods.push(rod);
        below = rod;
    }
    (rods, joints)
}

#[test]
fn joints_tell_the_forces_that_they_give() {
    let mut sim = Sim::awake(DT);
    let (_, joints) = chain(&mut sim, 3, [0.0, 3.0, 0.0]);
    sim.articulate(&joints);
    sim.run(0.1);
    let weight = sim.world.config().gravity.norm();
    for (k, &joint) in joints.iter().enumerate() {
        let found = sim.world.joint(joint).expect("there");
        let expected = Vector3::new(0.0, weight * (3 - k) as Real, 0.0);
        assert!((found.force - expected).norm() < 1e-3 * weight, "{:?}", found.force);
        assert!(found.torque.norm() < 1e-4 && found.error[0] < 1e-6);
    }
}

#[test]
fn a_motor_holds_a_weight_with_its_torque() {
    let mut sim = Sim::awake(DT);
    let post = sim.world.add_body(BodySpec::fixed()).expect("valid");
    let rod = sim.add_bone(2.0, Vector3::new(0.5, 0.03, 0.03), [0.5, 0.0, 0.0]);
    // The other way round: body B is the post.
    let joint = sim.hinge([rod, post], [0.0; 3], Vector3::z(), Some(hold(0.0, 1e5, 1e3, 1e4)));
    sim.articulate(&[joint]);
    sim.run(2.0);
    let found = sim.world.joint(joint).expect("there");
    let weight = 2.0 * sim.world.config().gravity.norm();
    // What the rod gives the post.
    assert!((found.force - Vector3::new(0.0, -weight, 0.0)).norm() < 1e-3 * weight, "{:?}", found.force);
    assert!(
        (found.torque - Vector3::new(0.0, 0.0, -0.5 * weight)).norm() < 1e-3 * weight,
        "{:?}",
        found.torque
    );
}

#[test]
fn what_makes_no_tree_is_refused_and_nothing_changes() {
    let mut sim = Sim::new(DT);
    let (rods, joints) = chain(&mut sim, 3, [0.0, 3.0, 0.0]);
    let message = |error: WorldError| error.to_string();
    let refused = |sim: &mut Sim, joints: &[JointHandle]| {
        message(sim.world.add_articulation(joints).expect_err("refused"))
    };
    assert!(refused(&mut sim, &[]).contains("at least one joint"));
    assert!(refused(&mut sim, &[joints[0], joints[0]]).contains("number 1 twice"));
    assert!(refused(&mut sim, &joints[..2]).contains("not among those given"));
    let rope = JointSpec::distance(rods[0], rods[2]).between(sim.place(rods[0]), sim.place(rods[2]));
    let rope = sim.world.add_joint(&rope).expect("valid");
    let all = [joints[0], joints[1], joints[2], rope];
    assert!(
        refused(&mut sim, &all).contains("joint number 3 cannot be in an articulation: it keeps a distance")
    );
    sim.world.remove_joint(rope).expect("there");
    let (_, others) = chain(&mut sim, 1, [5.0, 3.0, 0.0]);
    // Two trees on the ground are one articulation; what hangs together with nothing is none.
    let a = sim.add_box(1.0, Vector3::repeat(0.1), [8.0, 1.0, 0.0]);
    let b = sim.add_box(1.0, Vector3::repeat(0.1), [8.5, 1.0, 0.0]);
    let loose = sim.hinge([a, b], [8.25, 1.0, 0.0], Vector3::z(), None);
    assert!(refused(&mut sim, &[others[0], loose]).contains("must hang together"));
    let stale = rope;
    assert!(refused(&mut sim, &[stale]).contains("does not exist"));
    for body in [a, b] {
        sim.world.remove_body(body).expect("there");
    }
    sim.world.remove_joint(others[0]).expect("there");
    let rod = sim.world.bodies().find(|body| body.pose.translation.x > 4.0 && body.pose.translation.y < 2.9);
    sim.world.remove_body(rod.expect("the other rod").handle).expect("there");
    let arm = sim.articulate(&joints);
    assert!(refused(&mut sim, &joints).contains("already"));
    // Links are where joints have them.
    let error = message(sim.world.set_pose(rods[1], Pose::IDENTITY).expect_err("a link"));
    assert!(error.contains("World::set_articulation_state"), "{error}");
    assert!(sim.world.set_active(rods[1], false).is_err());
    let other = sim.add_box(1.0, Vector3::repeat(0.1), [1.0, 1.0, 0.0]);
    assert!(sim.world.add_joint(&JointSpec::ball(rods[1], other)).is_err());
    assert!(sim.world.set_config(WorldConfig::thesis_fast()).is_err(), "it knows no articulations");
    assert_eq!(sim.world.articulation(arm).expect("there").joints().count(), 3);
    let mut thesis = World::new(WorldConfig::thesis_fast()).expect("valid");
    let error = message(thesis.add_articulation(&[]).expect_err("refused"));
    assert!(error.contains("solves no articulations"), "{error}");
}

#[test]
fn frames_that_are_apart_are_refused() {
    let mut sim = Sim::new(DT);
    let post = sim.world.add_body(BodySpec::fixed()).expect("valid");
    let rod = sim.add_bone(1.0, Vector3::repeat(0.1), [0.5, 0.0, 0.0]);
    let apart = JointSpec::hinge(post, rod)
        .between(Position::origin(), Position::new(0.1, 0.0, 0.0))
        .along(Vector3::z());
    let joint = sim.world.add_joint(&apart).expect("valid");
    let error = sim.world.add_articulation(&[joint]).expect_err("apart").to_string();
    assert!(error.contains("bring them together first") && error.contains("got 0.0999"), "{error}");
}

#[test]
fn what_loses_a_joint_or_a_link_is_constraints_again() {
    for remove_body in [false, true] {
        let mut sim = Sim::awake(DT);
        let (rods, joints) = chain(&mut sim, 4, [0.0, 3.0, 0.0]);
        let arm = sim.articulate(&joints);
        assert_eq!(sim.world.articulation_of(rods[2]).expect("there"), Some(arm));
        sim.run(0.2);
        if remove_body {
            sim.world.remove_body(rods[2]).expect("there");
        } else {
            sim.world.remove_joint(joints[2]).expect("there");
        }
        assert!(matches!(sim.world.articulation(arm), Err(WorldError::UnknownArticulation(_))));
        assert_eq!(sim.world.articulation_of(rods[0]).expect("there"), None);
        sim.run(0.5);
        let upper = sim.world.joint(joints[1]).expect("a constraint now");
        assert!(upper.error[0] < 1e-3 && sim.place(rods[1]).y > 2.2);
        assert!(sim.place(rods[3]).y < 1.0, "it fell: {}", sim.place(rods[3]).y);
        assert!(sim.world.add_articulation(&joints[..2]).is_ok(), "what is left makes another");
    }
}

#[test]
fn a_joint_that_is_too_weak_breaks() {
    let mut sim = Sim::awake(DT);
    let post = sim.world.add_body(BodySpec::fixed().pose(Pose::at(0.0, 3.0, 0.0))).expect("valid");
    let rod = sim.add_box(2.0, Vector3::repeat(0.1), [0.0, 2.5, 0.0]);
    let spec = JointSpec::hinge(post, rod).at(Position::new(0.0, 3.0, 0.0)).along(Vector3::z());
    let joint = sim.world.add_joint(&spec.breaks_above(30.0, 1e3)).expect("valid");
    let arm = sim.articulate(&[joint]);
    sim.run(1.0);
    assert!(sim.world.articulation(arm).is_ok(), "20 N hold");
    sim.world.add_force(rod, Vector3::new(0.0, -20.0, 0.0), Vector3::zeros()).expect("dynamic");
    sim.step();
    assert_eq!(sim.world.broken_joints(), [joint]);
    assert!(sim.world.articulation(arm).is_err());
}

#[test]
fn an_articulation_sleeps_as_a_whole_and_wakes_when_struck() {
    let mut sim = Sim::new(DT);
    sim.ground();
    let a = sim.add_box(2.0, Vector3::new(0.2, 0.1, 0.2), [0.0, 0.1, 0.0]);
    let b = sim.add_box(2.0, Vector3::new(0.2, 0.1, 0.2), [0.5, 0.1, 0.0]);
    let joint = sim.hinge([a, b], [0.25, 0.1, 0.0], Vector3::z(), None);
    let pair = sim.articulate(&[joint]);
    sim.run(4.0);
    let sleeps = |sim: &Sim, body| sim.world.body(body).expect("there").is_asleep;
    assert!(sleeps(&sim, a) && sleeps(&sim, b));
    assert_eq!(sim.world.articulation(pair).expect("there").articulation().energy(), {
        let mut still = sim.world.articulation(pair).expect("there").articulation().clone();
        still.stop_moving();
        still.energy()
    });
    let before = sim.place(b);
    sim.run(1.0);
    assert_eq!(sim.place(b), before);
    let ball = sim.add_box(1.0, Vector3::repeat(0.1), [0.0, 0.4, 0.0]);
    sim.run(0.5);
    assert!(sim.place(ball).y > 0.25 && !(sleeps(&sim, a) ^ sleeps(&sim, b)), "both woke, or neither");
    sim.world.set_motor(joint, JointAxis::Twist, Some(hold(0.3, 200.0, 10.0, 1e3))).expect("a hinge");
    assert!(!sleeps(&sim, a) && !sleeps(&sim, b));
    sim.run(1.0);
    assert!(sim.world.joint(joint).expect("there").value(JointAxis::Twist) > 0.05);
}

/// A chain that falls onto boxes, a second one that swings, and a heap.
fn busy(exec: Exec) -> (World, Vec<BodyHandle>) {
    let mut sim = Sim { world: World::with_exec(WorldConfig::default(), exec).expect("valid"), dt: DT };
    sim.ground();
    let mut bodies = Vec::new();
    for k in 0..6 {
        let at = [0.3 * f64::from(k), 2.5 + 0.1 * f64::from(k), f64::from(k)];
        let (rods, joints) = chain(&mut sim, 5, at);
        sim.articulate(&joints);
        sim.world.add_impulse(rods[4], Vector3::new(2.0, 0.0, 0.5), Vector3::zeros()).expect("dynamic");
        bodies.extend(rods);
    }
    for k in 0..30 {
        let at = [0.3 * f64::from(k % 5), 0.2 + 0.25 * f64::from(k / 5), 0.4 * f64::from(k % 3)];
        bodies.push(sim.add_box(1.0, Vector3::repeat(0.1), at));
    }
    // One that floats, and lands.
    let a = sim.add_box(1.0, Vector3::repeat(0.1), [0.2, 4.0, 0.1]);
    let b = sim.add_box(1.0, Vector3::repeat(0.1), [0.5, 4.0, 0.1]);
    let spec = JointSpec::ball(a, b).at(Position::new(0.35, 4.0, 0.1)).friction(0.1);
    let joint = sim.world.add_joint(&spec).expect("valid");
    sim.articulate(&[joint]);
    bodies.extend([a, b]);
    (sim.world, bodies)
}

#[test]
fn bits_do_not_depend_on_threads() {
    let run = |threads: usize| {
        let exec = if threads == 1 { Exec::serial() } else { Exec::with_threads(threads).expect("threads") };
        let (mut world, _) = busy(exec);
        let mut config = world.config().clone();
        config.parallel_threshold = 0;
        world.set_config(config).expect("valid");
        (0..120)
            .map(|_| {
                world.step(DT).expect("a step");
                world.state_hash()
            })
            .collect::<Vec<_>>()
    };
    let one = run(1);
    assert!(one.windows(2).all(|pair| pair[0] != pair[1]), "it moves all the time");
    assert_eq!(run(2), one);
    assert_eq!(run(4), one);
}

#[test]
fn a_snapshot_goes_on_to_the_bit() {
    let (mut world, bodies) = busy(Exec::serial());
    let run = |world: &mut World, steps: u32| {
        (0..steps)
            .map(|_| {
                world.step(DT).expect("a step");
                world.state_hash()
            })
            .collect::<Vec<_>>()
    };
    run(&mut world, 40);
    let snapshot = world.snapshot();
    let first = run(&mut world, 60);
    // In the world that went on, after changes, and in another world.
    world.remove_body(bodies[2]).expect("there");
    world.step(DT).expect("a step");
    world.restore(&snapshot).expect("of this world");
    assert_eq!(run(&mut world, 60), first);
    let (mut other, _) = busy(Exec::serial());
    other.restore(&snapshot).expect("equal settings");
    assert_eq!(run(&mut other, 60), first);
    world.restore(&snapshot).expect("of this world");
    assert_eq!(run(&mut world, 60), first, "in the memory that was there");
}

#[test]
fn numbers_that_are_none_take_the_whole_articulation_out() {
    let mut sim = Sim::new(DT);
    let (rods, joints) = chain(&mut sim, 3, [0.0, 3.0, 0.0]);
    let (others, other_joints) = chain(&mut sim, 2, [2.0, 3.0, 0.0]);
    let arm = sim.articulate(&joints);
    let other = sim.articulate(&other_joints);
    sim.run(0.1);
    for _ in 0..2 {
        sim.world.add_impulse(rods[1], Vector3::new(3e38, 0.0, 0.0), Vector3::zeros()).expect("finite");
    }
    sim.step();
    assert!(rods.iter().all(|&rod| sim.world.body(rod).expect("there").is_quarantined), "all of its links");
    assert!(rods.iter().all(|rod| sim.world.report().quarantined.contains(rod)), "and all are named");
    assert!(matches!(sim.world.articulation(arm), Err(WorldError::UnknownArticulation(_))));
    assert!(sim.world.articulation(other).is_ok());
    sim.run(1.0);
    for &body in others.iter().chain(&rods) {
        assert!(sim.place(body).coords.iter().all(|x| x.is_finite()));
    }
}

#[test]
fn an_armature_slows_a_joint_and_its_damping_stops_it() {
    let mut sim = Sim::awake(DT);
    sim.world.set_gravity(Vector3::zeros()).expect("finite");
    let post = sim.world.add_body(BodySpec::fixed()).expect("valid");
    let rod = sim.add_bone(1.0, Vector3::new(0.5, 0.01, 0.01), [0.5, 0.0, 0.0]);
    let joint = sim.hinge(
        [post, rod],
        [0.0; 3],
        Vector3::z(),
        Some(Motor::Spring { target: 0.0, stiffness: 0.0, damping: 0.0, most: 1.0 }),
    );
    assert!(matches!(sim.world.set_rotor(joint, 1.0, 0.0), Err(WorldError::NotArticulated(_))));
    let arm = sim.articulate(&[joint]);
    let moment = 1.0 / 3.0 * (1.0 + 0.01 * 0.01 / 4.0);
    sim.world.set_rotor(joint, moment, 0.2).expect("in a tree");
    assert!(sim.world.set_rotor(joint, -1.0, 0.0).is_err());
    let mut state = sim.world.articulation(arm).expect("there").state().clone();
    let model = sim.world.articulation(arm).expect("there").articulation().model().clone();
    state.set_velocities(&model, &[1.0]).expect("one");
    sim.world.set_articulation_state(arm, &state).expect("fits");
    sim.run(2.0);
    let speed = sim.world.articulation(arm).expect("there").state().velocities()[0];
    let expected = (-2.0 * 0.2 / (2.0 * f64::from(moment as Real))).exp();
    assert!((speed - expected).abs() < 0.02 * expected, "{speed} rad/s, expected {expected}");
}

/// Hinges count revolutions as constraints do: a servo gets to a target four turns away, and its force holds a weight that a soft spring would not.
#[test]
fn a_hinge_counts_turns_and_a_servo_feeds_its_force() {
    let mut sim = Sim::new(1.0 / 60.0);
    sim.world.set_gravity(Vector3::zeros()).expect("finite");
    let post = sim.world.add_body(BodySpec::fixed()).expect("valid");
    let rod = sim.add_bone(1.0, Vector3::new(0.5, 0.02, 0.02), [0.5, 0.0, 0.0]);
    let servo = Motor::Servo {
        target: 25.0,
        speed: 0.0,
        stiffness: 200.0,
        damping: 40.0,
        force: 0.0,
        max_force: 50.0,
    };
    let hinge = sim.hinge([post, rod], [0.0; 3], Vector3::z(), Some(servo));
    let arm = sim.articulate(&[hinge]);
    sim.run(8.0);
    let angle = |sim: &Sim| f64::from(sim.world.joint(hinge).expect("there").value(JointAxis::Twist));
    assert!((angle(&sim) - 25.0).abs() < 1e-3, "{}", angle(&sim));
    // As a constraint it goes on from there.
    sim.world.remove_articulation(arm).expect("there");
    sim.run(1.0);
    assert!((angle(&sim) - 25.0).abs() < 1e-2, "{}", angle(&sim));
    // And as an articulation again.
    let arm = sim.articulate(&[hinge]);
    assert!((sim.world.articulation(arm).expect("there").state().positions()[0] - 25.0).abs() < 1e-2);
    // A force against the weight needs hardly any spring.
    sim.world.set_gravity(Vector3::new(0.0, -9.81, 0.0)).expect("finite");
    let cosine = 0.991_203; // of 25 rad
    let weight = 9.81 * 0.5 * cosine;
    let servo = Motor::Servo {
        target: 25.0,
        speed: 0.0,
        stiffness: 1.0,
        damping: 1.0,
        force: weight,
        max_force: 50.0,
    };
    sim.world.set_motor(hinge, JointAxis::Twist, Some(servo)).expect("valid");
    sim.run(1.0);
    assert!((angle(&sim) - 25.0).abs() < 0.01, "{}: the spring alone would yield by radians", angle(&sim));
}

/// What couples joints is the constraints' alone, in either order, and nothing changes.
#[test]
fn couplings_and_articulations_refuse_each_other() {
    let mut sim = Sim::new(1.0 / 60.0);
    let post = sim.world.add_body(BodySpec::fixed()).expect("valid");
    let half = Vector3::repeat(0.1);
    let wheels = [0.0, 1.0].map(|x| sim.add_bone(1.0, half, [x, 0.0, 0.0]));
    let [a, b] =
        [0, 1].map(|k: usize| sim.hinge([post, wheels[k]], [k as f64, 0.0, 0.0], Vector3::z(), None));
    let gear = sim.world.add_coupling(&CouplingSpec::gear(a, b, -1.0)).expect("valid");
    let refused = sim.world.add_articulation(&[a]).expect_err("it is coupled").to_string();
    assert!(refused.contains("coupled to another joint"), "{refused}");
    assert_eq!(sim.world.articulations().count(), 0);
    sim.world.remove_joint(gear).expect("there");
    let arm = sim.articulate(&[a]);
    let refused = sim.world.add_coupling(&CouplingSpec::gear(a, b, -1.0)).expect_err("it is articulated");
    assert_eq!(refused, WorldError::Coupled { joint: a, articulation: arm });
    assert_eq!(sim.world.joint_count(), 2);
}
