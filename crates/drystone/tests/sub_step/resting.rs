//! What rests: weights, towers, nothing creeps. Trusted: statics.

use crate::common::*;
use crate::{HZ, fast_awake};
use drystone::math::{Pose, Rotation, Vector3};
use drystone::{BodySpec, ColliderSpec, Shape};
use std::f64::consts::PI;

/// Sum of the upward impulses on the upper bodies of the contacts of body `i`'s lower face, N·s.
fn carried(run: &Run, body: usize) -> f64 {
    let me = run.bodies[body];
    let below = |h| run.bodies[..body].contains(&h);
    let mut sum = 0.0;
    for contact in run.world.contacts() {
        let up = f64::from(contact.impulse.y);
        match contact.bodies {
            [a, b] if b == me && below(a) => sum += up,
            [a, b] if a == me && below(b) => sum -= up,
            _ => {}
        }
    }
    sum
}

fn mass(run: &Run, body: usize) -> f64 {
    f64::from(run.world.body(run.bodies[body]).expect("it exists").mass)
}

#[test]
fn a_box_carries_its_weight_exactly() {
    let mut run = Scene::on_ground().with(cube(0.5, 0.0, 0.25, 0.0)).start(&fast_awake(), 1);
    run.steps(HZ, 1.0, |_| ());
    let weight = mass(&run, 1) * G / f64::from(HZ);
    let found = carried(&run, 1);
    assert!((found / weight - 1.0).abs() < 1e-3, "{found} of {weight} N s");
    assert!(run.way(1).norm() < 1e-5, "moved by {}", run.way(1));
}

/// `(n - i) m g dt` at every interface, and no sinking: each cube stays where it was put.
#[test]
fn a_tower_of_ten_weighs_what_its_cubes_weigh() {
    let cubes = (0..10).map(|i| cube(0.5, 0.0, 0.25 + 0.5 * f64::from(i), 0.0));
    let mut run = Scene::on_ground().with_all(cubes).start(&fast_awake(), 1);
    run.step(HZ);
    let sunk = (1..=10).map(|i| run.way(i).norm()).fold(0.0, f64::max);
    assert!(sunk < 1e-6, "sank by {sunk} m in the first step");
    run.steps(HZ, 2.0, |_| ());
    for i in 1..=10 {
        let weight = (11 - i) as f64 * mass(&run, i) * G / f64::from(HZ);
        let found = carried(&run, i);
        assert!((found / weight - 1.0).abs() < 1e-3, "below cube {i}: {found} of {weight} N s");
    }
    run.steps(HZ, 10.0, |_| ());
    let drift = (1..=10).map(|i| run.way(i).norm()).fold(0.0, f64::max);
    assert!(drift < 1e-4, "drifted by {drift} m in 12 s");
}

#[test]
fn a_pyramid_stands() {
    let scene = Scene::on_ground().with_all(pyramid(10));
    let outcome = settle(&scene, &fast_awake(), HZ, 10.0);
    assert!(outcome.drift < 1e-4, "drifted by {} m", outcome.drift);
    assert!(outcome.fastest < 1e-3, "moves at {} m/s", outcome.fastest);
}

/// Loads that stood straight up in its joints left an arch without thrust: the crown sank by 5 mm, and the thinner one fell.
#[test]
fn an_arch_of_loose_stones_stands() {
    const STONES: u32 = 15;
    for thickness in [0.2, 0.3] {
        let half = 0.5 * PI / f64::from(STONES);
        let (sin, cos) = half.sin_cos();
        let corner = |radius: f64, side: f64, z: f64| {
            Vector3::new((radius * cos - 1.0) as f32, (side * radius * sin) as f32, z as f32)
        };
        let radii = [1.0 - 0.5 * thickness, 1.0 + 0.5 * thickness];
        let corners: Vec<_> = (0..8_usize)
            .map(|k| corner(radii[k & 1], [-1.0, 1.0][k >> 1 & 1], [-0.1, 0.1][k >> 2 & 1]))
            .collect();
        let stone = ColliderSpec::new(Shape::hull(&corners).expect("eight corners"));
        let stones = (0..STONES).map(|k| {
            let angle = half * f64::from(2 * k + 1);
            let turn = Rotation::from_euler_angles(0.0, 0.0, angle as f32);
            let pose = Pose::new([angle.cos(), angle.sin(), 0.0].into(), turn);
            BodySpec::dynamic().collider(stone.clone()).pose(pose)
        });
        let mut run = Scene::on_ground().with_all(stones).surface(0.0, 0.7, 0.7).start(&fast_awake(), 1);
        run.steps(HZ, 6.0, |_| ());
        let fall = -run.way(1 + STONES as usize / 2).y;
        assert!(fall.abs() < 2e-3, "the crown of {thickness} m came down by {fall} m");
    }
}

/// A plate on a hundred boxes' worth of contacts: more than there are colours.
#[test]
fn a_plate_under_a_hundred_boxes_rests() {
    let boxes =
        (0..100).map(|i| cube(0.1, 0.2 * f64::from(i % 10) - 0.9, 0.15, 0.2 * f64::from(i / 10) - 0.9));
    let plate = drystone::BodySpec::dynamic()
        .pose(drystone::math::Pose::at(0.0, 0.05, 0.0))
        .collider(block(1.0, 0.05, 1.0));
    let scene = Scene::on_ground().with(plate).with_all(boxes);
    let outcome = settle(&scene, &fast_awake(), HZ, 3.0);
    assert!(outcome.drift < 1e-4, "drifted by {} m", outcome.drift);
    assert_eq!(settle_on(&scene, &fast_awake(), HZ, 0.5, 4).hashes, outcome.hashes[..30]);
}
