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
    let counts = [10, 100, 1000];
    let all = counts.map(|count| reports(count, &awake()));
    for (count, (few, many)) in counts.into_iter().zip(all.iter().zip(&all[1..])) {
        for (few, many) in few.iter().zip(many) {
            assert_eq!(many.edges, 10 * few.edges, "pairs near each other");
            assert_eq!(many.examined_pairs, 10 * few.examined_pairs, "pairs examined");
            assert_eq!(many.contacts, 10 * few.contacts, "contact points");
            assert_eq!(many.islands, 10 * few.islands, "islands");
            assert_eq!(many.batches, 10 * few.batches, "batches");
            // Equal piles take equal work up to the rounding of their places.
            let ratio = many.iterations as f64 / few.iterations as f64;
            assert!((ratio - 10.0).abs() < 1.0, "{ratio} times the iterations of {count} piles");
        }
    }
    // Few piles lie at the rim of the grid's cells, many all over them: from 100 on the share of neighbours that a
    // box is tested against in vain stays.
    let tests = all.map(|[first, _]| first.broad.box_tests as f64);
    assert!(tests[2] <= 12.0 * tests[1], "{tests:?} box tests for {counts:?} piles");
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
