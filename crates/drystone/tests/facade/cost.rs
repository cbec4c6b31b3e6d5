//! Cost follows what moves, and grows in proportion to it (promise 7; S3-06, S1-44), by counters instead of
//! clocks. Trusted reference: the counts of one pile.

use crate::common::*;
use drystone::{StepReport, WorldConfig};

/// Separate piles of a tower of three and a ball beside it, 1 m apart.
fn piles(count: u32) -> Scene {
    let side = f64::from(count).sqrt().ceil() as u32;
    let mut scene = Scene::on_ground();
    for i in 0..count {
        let (x, z) = (f64::from(i % side), f64::from(i / side));
        scene = scene.with_all(tower(3, x, z)).with(ball(0.05, x + 0.3, 0.05, z));
    }
    scene
}

/// Reports of the first step, which sees everything anew, and of the 30th.
fn reports(count: u32, config: &WorldConfig) -> [StepReport; 2] {
    let mut run = piles(count).start(config, 1);
    let first = run.step(FAST).clone();
    run.steps(FAST, 28.0 / f64::from(FAST), |_| {});
    [first, run.step(FAST).clone()]
}

#[test]
fn the_work_per_pile_does_not_depend_on_the_number_of_piles() {
    let one = reports(10, &awake());
    for count in [100, 1000] {
        for (few, many) in one.iter().zip(reports(count, &awake())) {
            let factor = count / 10;
            assert_eq!(many.edges, few.edges * factor, "pairs near each other");
            assert_eq!(many.examined_pairs, few.examined_pairs * factor, "pairs examined");
            assert_eq!(many.contacts, few.contacts * factor, "contact points");
            assert_eq!(many.groups, few.groups * factor, "groups");
            assert_eq!(many.batches, few.batches * factor, "batches");
            // How piles lie in the cells of the grid varies, so its tests are equal only on average.
            let (tests, share) = (many.broad.box_tests, f64::from(few.broad.box_tests as u32) * f64::from(factor));
            assert!(tests as f64 <= 2.0 * share + 100.0, "{count} piles: {tests} box tests, {share} expected");
            // Equal piles take equal work up to the rounding of their places.
            let iterations = few.iterations as f64 * f64::from(factor);
            assert!(many.iterations as f64 <= 1.5 * iterations + 100.0, "{} {iterations}", many.iterations);
        }
    }
}

#[test]
fn what_sleeps_costs_nothing_but_its_memory() {
    let mut run = piles(50).start(&WorldConfig::thesis_fast(), 1);
    let all: Vec<usize> = (1..run.bodies.len()).collect();
    run.until_asleep(FAST, &all);
    run.step(FAST);
    let report = run.step(FAST);
    assert_eq!((report.awake, report.asleep, report.examined_pairs, report.batches), (0, 200, 0, 0));
    assert_eq!((report.broad.changed, report.broad.box_tests, report.iterations), (0, 0, 0));
    assert_eq!((report.edges, report.contacts), (200, 0), "edges are kept, nothing is resolved");
    // One pile wakes: the others still cost nothing.
    run.world.wake(run.bodies[1]).expect("it exists");
    let report = run.step(FAST);
    assert!(report.batches == 1 && report.examined_pairs <= 2, "{report:?}");
}

#[test]
fn nothing_grows_while_bodies_come_and_go() {
    let mut run = Scene::on_ground().with_all(pen(0.4)).start(&WorldConfig::thesis_fast(), 1);
    let mut alive = std::collections::VecDeque::new();
    let mut random = Random::new(3);
    let mut most = [0, 0];
    for step in 0..1600 {
        if step % 10 == 0 {
            let (x, z) = (random.between(-0.2, 0.2), random.between(-0.2, 0.2));
            alive.push_back(run.world.add_body(cube(0.1, x, 0.6, z)).expect("it is valid"));
        }
        if step % 10 == 5 && alive.len() > 12 {
            run.world.remove_body(alive.pop_front().expect("some are alive")).expect("it exists");
        }
        run.step(FAST);
        let slots = run.world.graph().edges().len().max(run.world.body_store().capacity());
        most[usize::from(step >= 800)] = slots.max(most[usize::from(step >= 800)]);
    }
    assert!(most[1] <= most[0] + most[0] / 4, "slots in use in the first half and ever: {most:?}");
    assert_eq!(run.world.body_count(), 5 + alive.len());
}
