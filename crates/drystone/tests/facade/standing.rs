//! Stacks stand with sleeping off, in the settings made for speed (promise 5; S1-61, S1-62, S1-78). Trusted
//! reference: statics. A stack that stands does not move.

use crate::common::*;
use drystone::BodySpec;
use drystone::math::inertia::MassProperties;
use drystone::math::{Pose, Vector3};

/// What a stack at rest may drift, m.
const DRIFT: f64 = 1e-3;
/// How deep its contacts may overlap, m.
const OVERLAP: f32 = 2e-3;

fn stands(name: &str, scene: &Scene, seconds: f64) {
    let outcome = settle(scene, &awake(), FAST, seconds);
    assert!(outcome.drift < DRIFT, "{name} drifts by {} m", outcome.drift);
    assert!(outcome.worst_overlap < OVERLAP, "{name} overlaps by {} m", outcome.worst_overlap);
    // The motion that is left is below the speed of sleep, 0.2 g dt.
    assert!(outcome.fastest < 0.2 * 9.81 / FAST, "{name} moves at {} m/s", outcome.fastest);
}

/// The bodies of a stack, each shifted by up to 1 mm in x and z.
fn jittered(bodies: impl Iterator<Item = BodySpec>, places: &[[f64; 2]], seed: u64) -> Scene {
    let mut random = Random::new(seed);
    let mut shift = || random.between(-1e-3, 1e-3);
    let bodies = bodies.zip(places).map(|(body, [x, y])| body.pose(Pose::at(x + shift(), *y, shift())));
    Scene::on_ground().with_all(bodies.collect::<Vec<_>>())
}

fn tower_places(count: u32) -> Vec<[f64; 2]> {
    (0..count).map(|i| [0.0, 0.05 + 0.1 * f64::from(i)]).collect()
}

fn pyramid_places(rows: u32) -> Vec<[f64; 2]> {
    let row = |r: u32| (0..rows - r).map(move |i| [pyramid_x(rows, r, i), 0.05 + 0.1 * f64::from(r)]);
    (0..rows).flat_map(row).collect()
}

#[test]
fn a_tower_of_ten_stands_for_ten_seconds() {
    stands("tower", &Scene::on_ground().with_all(tower(10, 0.0, 0.0)), 10.0);
}

#[test]
fn a_pyramid_of_ten_rows_stands_for_five_seconds() {
    stands("pyramid", &Scene::on_ground().with_all(pyramid(10)), 5.0);
}

#[test]
fn stacks_that_were_put_down_a_millimetre_off_stand() {
    for seed in 0..3 {
        stands("crooked tower", &jittered(tower(10, 0.0, 0.0), &tower_places(10), seed), 5.0);
    }
    stands("crooked pyramid", &jittered(pyramid(10), &pyramid_places(10), 7), 3.0);
}

#[test]
fn a_heavy_body_stands_on_a_light_one() {
    // With the accurate settings, which resolve until nothing closes.
    for ratio in [10.0, 100.0, 1000.0] {
        let heavy = MassProperties::cuboid(&Vector3::repeat(0.05), 2800.0 * ratio);
        let scene =
            Scene::on_ground().with(cube(0.1, 0.0, 0.05, 0.0)).with(cube(0.1, 0.0, 0.15, 0.0).mass(heavy));
        let outcome = settle(&scene, &accurate(), ACCURATE, 1.0);
        assert!(
            outcome.drift < DRIFT && outcome.worst_overlap < OVERLAP,
            "ratio {ratio}: {} m",
            outcome.drift
        );
    }
}
