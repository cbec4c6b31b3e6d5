//! Sleep and waking with the fast preset (S1-33..44). Trusted: the rules' text.

use crate::HZ;
use crate::common::*;
use drystone::{WakeCause, WorldConfig};

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
        let woken = run.step(HZ).wakes.get(WakeCause::Struck);
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
