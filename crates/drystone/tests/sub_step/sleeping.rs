//! Sleep and waking with the fast preset (S1-33..44). Trusted: the rules' text.

use crate::HZ;
use crate::common::*;
use drystone::math::{Pose, Position, Rotation, Vector3};
use drystone::{BodySpec, WakeCause, WorldConfig};

fn asleep(scene: &Scene, bodies: &[usize]) -> Run {
    let mut run = scene.start(&WorldConfig::fast(), 1);
    run.until_asleep(HZ, bodies);
    run
}

#[test]
fn towers_and_pyramids_fall_asleep() {
    asleep(&Scene::on_ground().with_all(tower(5, 0.0, 0.0)), &[1, 2, 3, 4, 5]);
    let all: Vec<usize> = (1..=15).collect();
    asleep(&Scene::on_ground().with_all(pyramid(5)), &all);
}

#[test]
fn a_struck_sleeper_wakes() {
    let scene = Scene::on_ground().with_all(tower(2, 0.0, 0.0)).with(ball(0.1, 0.0, 4.5, 0.0));
    let mut run = scene.start(&WorldConfig::fast(), 1);
    let mut slept = false;
    for _ in 0..90 {
        // What has come to rest by the end of the step may sleep again.
        let woken = run.step(HZ).wakes.get(WakeCause::Impact);
        if slept && woken > 0 {
            return;
        }
        slept |= run.is_asleep(1) && run.is_asleep(2);
    }
    panic!("slept: {slept}, and the ball at {} woke nothing", run.place(3));
}

#[test]
fn a_sleeping_pile_carries_what_is_awake() {
    let scene =
        Scene::on_ground().with_all(tower(3, 0.0, 0.0)).with(cube(0.1, 0.0, 0.351, 0.0).can_sleep(false));
    let mut run = asleep(&scene, &[1, 2, 3]);
    let homes = [1, 2, 3, 4].map(|i| run.place(i));
    run.steps(HZ, 5.0, |_| ());
    for (i, home) in (1..).zip(homes) {
        assert!((run.place(i) - home).norm() < 1e-4, "body {i} moved from {home} to {}", run.place(i));
    }
    assert!(run.is_asleep(1) && !run.is_asleep(4));
}

#[test]
fn nothing_hangs_after_its_support_is_gone() {
    let scene = Scene::on_ground().with_all(tower(5, 0.0, 0.0));
    let mut run = asleep(&scene, &[1, 2, 3, 4, 5]);
    run.world.remove_body(run.bodies[1]).expect("it exists");
    run.steps(HZ, 3.0, |_| ());
    for i in 2..=5 {
        let expected = 0.05 + 0.1 * (i - 2) as f64;
        assert!((run.place(i).y - expected).abs() < 5e-3, "body {i} is at {}", run.place(i));
    }
}

/// A plank of 1 m that sleeps on two blocks of which one goes: its middle is 1 cm beyond the other, and it begins to tip with
/// less than the threshold of sleep per step.
#[test]
fn what_begins_to_tip_slowly_does_not_sleep_on() {
    let prop = |x: f64| BodySpec::fixed().pose(Pose::at(x, 0.05, 0.0)).collider(block(0.05, 0.05, 0.2));
    let plank = BodySpec::dynamic().pose(Pose::at(0.0, 0.11, 0.0)).collider(block(0.5, 0.01, 0.1));
    let scene = Scene::on_ground().with(prop(-0.06)).with(prop(0.3)).with(plank);
    let mut run = asleep(&scene, &[3]);
    run.world.remove_body(run.bodies[2]).expect("it exists");
    run.steps(HZ, 2.0, |_| ());
    let along = run.world.pose(run.bodies[3]).expect("it exists").rotation * Vector3::x();
    assert!(along.y < -0.15, "its end hangs at {} m", run.place(3).y + 0.5 * f64::from(along.y));
}

/// A plank that leans on a block sleeps; the block is pulled away, and its contact was at the side (S1-43).
#[test]
fn what_leans_on_something_falls_when_that_is_pulled_away() {
    let (half, angle) = (0.5_f64, 0.2_f64);
    let turn = Rotation::from_euler_angles(0.0, 0.0, -angle as f32);
    // Its lower edge on the ground, its upper one at the face of the block at x = 0.
    let (x, y) = (-half * angle.sin() - 0.02 * angle.cos(), half * angle.cos() + 0.02 * angle.sin());
    let pose = Pose::new(Position::new(x, y, 0.0), turn);
    let plank = BodySpec::dynamic().pose(pose).collider(block(0.02, 0.5, 0.1));
    let column = BodySpec::dynamic().pose(Pose::at(0.5, 0.75, 0.0)).collider(block(0.5, 0.75, 0.5));
    let scene = Scene::on_ground().with(plank).with(column).surface(0.0, 0.6, 0.6);
    let mut run = asleep(&scene, &[1, 2]);
    let home = run.place(1);
    run.world.set_velocity(run.bodies[2], Vector3::x() * 6.0, Vector3::zeros()).expect("finite");
    run.steps(HZ, 2.0, |_| ());
    let way = home.y - run.place(1).y;
    assert!(way > 0.2, "the plank hangs at {}, {way} m below where it leant", run.place(1));
}

/// What is added asleep and lies well sleeps on, though what it lies on was added with it and woke it for a step.
#[test]
fn what_is_added_asleep_sleeps_on() {
    let scene = Scene::on_ground().with_all(tower(3, 0.0, 0.0).map(|body| body.asleep(true)));
    let mut run = scene.start(&WorldConfig::fast(), 1);
    run.step(HZ);
    assert!([1, 2, 3].iter().all(|&i| run.is_asleep(i)));
}
