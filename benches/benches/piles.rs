//! Separate piles: the cost of a step per pile must not depend on how many there are (design section 6, promise
//! 7). Stacks of five boxes, awake (sleeping off) and asleep.

use divan::Bencher;
use drystone::math::{Pose, Vector3};
use drystone::{BodySpec, ColliderSpec, Shape, World, WorldConfig};

fn main() {
    divan::main();
}

/// Numbers of piles; the large ones only where the checks of a test build do not slow them down.
const PILES: &[usize] = if cfg!(debug_assertions) { &[10, 100] } else { &[10, 100, 1000, 10_000] };
const DT: f32 = 1.0 / 240.0;

/// Stacks of five cubes of 0.1 m on one plane, 0.5 m apart, after `warm_up` steps.
fn piles(count: usize, sleeping: bool, warm_up: u32) -> World {
    let mut config = WorldConfig::thesis_fast();
    config.sleeping.enabled = sleeping;
    let mut world = World::new(config).expect("the preset is valid");
    let ground = ColliderSpec::new(Shape::half_space(Vector3::y()).expect("a unit normal"));
    world.add_body(BodySpec::fixed().collider(ground)).expect("valid");
    let cube = ColliderSpec::new(Shape::cuboid(Vector3::repeat(0.05)).expect("a positive size"));
    let side = (count as f64).sqrt().ceil() as usize;
    for pile in 0..count {
        for level in 0..5 {
            let (x, z) = (0.5 * (pile % side) as f64, 0.5 * (pile / side) as f64);
            let pose = Pose::at(x, 0.05 + 0.1 * f64::from(level), z);
            world.add_body(BodySpec::dynamic().pose(pose).collider(cube.clone())).expect("valid");
        }
    }
    for _ in 0..warm_up {
        world.step(DT).expect("a valid step");
    }
    world
}

#[divan::bench(args = PILES, sample_count = 10, sample_size = 1)]
fn step_awake(bencher: Bencher<'_, '_>, count: usize) {
    let mut world = piles(count, false, 5);
    bencher
        .counter(divan::counter::ItemsCount::new(count))
        .bench_local(|| world.step(DT).expect("a valid step").contacts);
}

#[divan::bench(args = PILES, sample_count = 10, sample_size = 1)]
fn step_asleep(bencher: Bencher<'_, '_>, count: usize) {
    let mut world = piles(count, true, 120);
    assert_eq!(world.report().awake, 0, "stacks at rest sleep within half a second");
    bencher
        .counter(divan::counter::ItemsCount::new(count))
        .bench_local(|| world.step(DT).expect("a valid step").asleep);
}
