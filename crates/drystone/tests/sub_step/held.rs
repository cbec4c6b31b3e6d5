//! Islands at rest that are held where they are (`sub_step.resting_speed`): they cost one sub-step, and anything that
//! happens to them is met at once. Trusted: the same scene with all sub-steps, statics.

use crate::common::*;
use crate::{HZ, fast_awake};
use drystone::SolverChoice;
use drystone::math::{Real, Vector3};
use std::collections::BTreeSet;

/// Ten cubes on each other, at rest for two seconds.
fn tower(resting_speed: Real) -> Run {
    let mut config = fast_awake();
    let SolverChoice::SubStep { config: sub_step } = &mut config.solver else {
        panic!("the preset is made of sub-steps")
    };
    sub_step.resting_speed = resting_speed;
    let cubes = (0..10).map(|i| cube(0.5, 0.0, 0.25 + 0.5 * f64::from(i), 0.0));
    let mut run = Scene::on_ground().with_all(cubes).start(&config, 1);
    run.steps(HZ, 2.0, |_| ());
    run
}

#[test]
fn what_rests_stays_to_the_bit_and_is_solved_once() {
    let mut run = tower(1e-5);
    let solves = run.world.report().iterations;
    assert_eq!(solves, 2 * 10, "ten contacts, there and back");
    let places: Vec<_> = (1..=10).map(|i| run.place(i)).collect();
    run.steps(HZ, 5.0, |_| ());
    assert!((1..=10).all(|i| run.place(i) == places[i - 1] && run.linear(i) == Vector3::zeros()));

    let mut all = tower(0.0);
    assert_eq!(all.step(HZ).iterations, 8 * 2 * 10);
    let apart = (1..=10).map(|i| (run.place(i) - all.place(i)).norm()).fold(0.0, f64::max);
    assert!(apart < 1e-6, "{apart} m from where all sub-steps leave them");
    let load = |run: &Run| run.world.contacts().map(|c| f64::from(c.impulse.y.abs())).sum::<f64>();
    let (held, solved) = (load(&run), load(&all));
    assert!((held / solved - 1.0).abs() < 1e-5, "impulses {held} and {solved} N s");
}

/// The loads that new contacts begin with balance every body: nothing is left to be found. With moments balanced to a thousandth a pyramid of 30
/// rows took a second to come to rest.
#[test]
fn a_pyramid_that_is_set_down_is_held_from_its_first_step() {
    let mut run = Scene::on_ground().with_all(pyramid(15)).start(&fast_awake(), 1);
    let solves = run.step(HZ).iterations;
    let pairs: BTreeSet<_> = run.world.contacts().map(|c| c.bodies).collect();
    assert!(pairs.len() > 200, "only {} contacts", pairs.len());
    assert_eq!(solves, 2 * pairs.len() as u64, "there and back once");
    run.steps(HZ, 1.0, |_| ());
    let drift = (1..run.bodies.len()).map(|i| run.way(i).norm()).fold(0.0, f64::max);
    assert_eq!(drift, 0.0, "m from where it was set down");
}

/// Boxes in a row, each a millimetre into the next: they push each other apart, and come to the rest band in the limit only.
#[test]
fn what_was_jammed_is_held() {
    let row = (0..20).map(|i| cube(0.1, 0.099 * f64::from(i), 0.05, 0.0));
    let mut run = Scene::on_ground().with_all(row).start(&fast_awake(), 1);
    run.steps(HZ, 3.0, |_| ());
    let places: Vec<_> = (1..=20).map(|i| run.place(i)).collect();
    let solves = run.step(HZ).iterations;
    let pairs: BTreeSet<_> = run.world.contacts().map(|c| c.bodies).collect();
    assert_eq!(solves, 2 * pairs.len() as u64, "there and back once");
    assert!((1..=20).all(|i| run.place(i) == places[i - 1]));
    // Half the rest band, 0.05 g dt², and a tenth of that.
    let band = 0.05 * G / f64::from(HZ * HZ);
    let deepest = run.world.contacts().map(|c| -f64::from(c.distance)).fold(0.0, f64::max);
    assert!(deepest > band && deepest < 1.1 * band, "{deepest} m");
}

#[test]
fn what_is_pushed_moves_in_the_same_step() {
    // An impulse that friction does not hold.
    let mut run = tower(1e-5);
    run.world.add_impulse(run.bodies[10], Vector3::new(40.0, 0.0, 0.0), Vector3::zeros()).expect("finite");
    run.step(HZ);
    assert!(run.linear(10).x > 0.05, "{}", run.linear(10));
    assert!(run.world.report().iterations > 2 * 10);

    // A force below what friction holds: nothing moves, but all sub-steps see it.
    let mut run = tower(1e-5);
    let weight = G as Real * run.world.body(run.bodies[10]).expect("it exists").mass;
    run.world
        .add_force(run.bodies[10], Vector3::new(0.1 * weight, 0.0, 0.0), Vector3::zeros())
        .expect("finite");
    assert_eq!(run.step(HZ).iterations, 8 * 2 * 10);

    // Gravity that friction does not hold.
    let mut run = tower(1e-5);
    run.world.set_gravity(Vector3::new(0.5 * G as Real, -(G as Real), 0.0)).expect("finite");
    run.step(HZ);
    let mean = (1..=10).map(|i| run.linear(i).x).sum::<Real>() / 10.0;
    let least = (0.5 - 0.2) * G as Real / HZ;
    assert!(mean > 0.99 * least, "{mean} m/s, and friction can keep no more than leaves {least} m/s");

    // Nothing below any more.
    let mut run = tower(1e-5);
    run.world.remove_body(run.bodies[1]).expect("it exists");
    run.step(HZ);
    // They part, because remembered impulses fade over some sub-steps, but together they fall freely.
    let mean = (2..=10).map(|i| run.linear(i).y).sum::<Real>() / 9.0;
    assert!((mean / (-G as Real / HZ) - 1.0).abs() < 1e-3, "{mean} m/s");
}

/// A slope without friction, twelve times steeper than what holding withstands.
#[test]
fn what_slides_slowly_is_not_held() {
    let tilt = 1e-3;
    let mut config = fast_awake();
    config.gravity = Vector3::new(tilt * G as Real, -(G as Real), 0.0);
    let scene = Scene::on_ground().with(cube(0.5, 0.0, 0.25, 0.0)).surface(0.0, 0.0, 0.0);
    let mut run = scene.start(&config, 1);
    run.steps(HZ, 2.0, |_| ());
    let expected = 0.5 * f64::from(tilt) * G * 4.0;
    assert!((run.way(1).x / expected - 1.0).abs() < 0.01, "{} m, not {expected} m", run.way(1).x);
}

/// High piles are held at higher speeds. A column of sixty tips all the same where statics says that it does: when gravity leans by more than
/// one in sixty.
#[test]
fn a_high_column_stands_and_tips_by_statics() {
    let top = |lean: f64| {
        let cubes = (0..60).map(|i| cube(0.5, 0.0, 0.25 + 0.5 * f64::from(i), 0.0));
        let mut run = Scene::on_ground().with_all(cubes).start(&fast_awake(), 1);
        run.steps(HZ, 1.0, |_| ());
        assert!((1..=60).all(|k| run.linear(k) == Vector3::zeros()), "it rests");
        run.world.set_gravity(Vector3::new((lean * G / 60.0) as Real, -(G as Real), 0.0)).expect("finite");
        run.steps(HZ, 3.0, |_| ());
        run.way(60).x
    };
    assert!(top(0.9) < 0.01, "{} m", top(0.9));
    // At the top, beyond the balance, three halves of what gravity has too much: 0.11 m in 3 s, and more as it leans.
    assert!(top(1.1) > 0.1, "{} m", top(1.1));
}

/// Without gravity nothing rests: two cubes that touch drift on together.
#[test]
fn nothing_is_held_without_gravity() {
    let mut config = fast_awake();
    config.gravity = Vector3::zeros();
    let scene =
        Scene::default().with(cube(0.5, 0.0, 0.0, 0.0)).with(cube(0.5, 0.5, 0.0, 0.0)).surface(0.0, 0.5, 0.5);
    let mut run = scene.start(&config, 1);
    for body in run.bodies.clone() {
        run.world.set_velocity(body, Vector3::new(0.0, 1e-6, 0.0), Vector3::zeros()).expect("finite");
    }
    run.steps(HZ, 10.0, |_| ());
    assert!((0..2).all(|i| (run.way(i).y / 1e-5 - 1.0).abs() < 0.01), "{}", run.way(0));
}
