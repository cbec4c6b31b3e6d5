//! Weights of towers. Trusted: statics.

use crate::common::{G, Rig, surface};
use crate::scene::*;
use drystone_contact::BodyIndex;
use drystone_math::{Real, Vector3};

fn height(rig: &Rig, body: BodyIndex) -> f64 {
    rig.bodies.center_pose(body).translation.y
}

/// Set down in one piece, without impulses to start from, a tower neither sinks nor rises in its first step,
/// and each interface carries what stands on it.
#[test]
fn a_tower_set_down_does_not_sink() {
    for count in [1, 2, 10, 40] {
        let mut rig = rig();
        let (cubes, edges) = tower(&mut rig, count, surface(0.0, 0.6));
        step(&mut rig, &mut method());
        for (i, (&cube, &edge)) in cubes.iter().zip(&edges).enumerate() {
            let sunk = i as f64 + 0.5 - height(&rig, cube);
            assert!(sunk.abs() < 1e-6, "cube {i} of {count} sank by {sunk} m");
            let weight = (count - i) as Real * G * rig.step.dt;
            let carried = rig.impulse(edge).y;
            assert!(
                (carried / weight - 1.0).abs() < 1e-3,
                "below cube {i} of {count}: {carried}, not {weight}"
            );
        }
    }
}

/// Loads that stand off the middle, on two columns: shares by the lever.
#[test]
fn a_beam_loads_its_columns_by_the_lever() {
    let mut rig = rig();
    let material = surface(0.0, 0.6);
    let floor = rig.fixed();
    let columns = [-1.0, 1.0].map(|x: Real| {
        let column = rig.add(&cube(Vector3::new(x, 0.5, 0.0)));
        rig.touch(
            floor,
            column,
            Vector3::y(),
            &square(Vector3::new(x, 0.0, 0.0), &Vector3::y(), 0.5),
            0.0,
            material,
        );
        column
    });
    let beam = rig.add(&cuboid(2.0, Vector3::new(3.0, 0.2, 1.0), Vector3::new(0.0, 1.1, 0.0)));
    let under = [0, 1].map(|k: usize| {
        let place = Vector3::new([-1.0, 1.0][k], 1.0, 0.0);
        rig.touch(columns[k], beam, Vector3::y(), &square(place, &Vector3::y(), 0.2), 0.0, material)
    });
    let weight = rig.add(&cuboid(4.0, Vector3::repeat(0.5), Vector3::new(0.5, 1.45, 0.0)));
    let face = square(Vector3::new(0.5, 1.2, 0.0), &Vector3::y(), 0.25);
    rig.touch(beam, weight, Vector3::y(), &face, 0.0, material);
    let mut method = method();
    step(&mut rig, &mut method);
    let sunk = (height(&rig, weight) - 1.45).abs();
    assert!(sunk < 1e-5, "the weight moved by {sunk} m in the first step");
    for _ in 0..30 {
        step(&mut rig, &mut method);
    }
    // Patches also carry moments, so the lever is not all: 5 %.
    // Moments about the left column: 2 kg at 1 m and 4 kg at 1.5 m, carried at 2 m.
    let right = (2.0 * 1.0 + 4.0 * 1.5) / 2.0 * G * rig.step.dt;
    let left = 6.0 * G * rig.step.dt - right;
    let found = under.map(|edge| rig.impulse(edge).y);
    assert!((found[0] / left - 1.0).abs() < 0.05, "left {} of {left}", found[0]);
    assert!((found[1] / right - 1.0).abs() < 0.05, "right {} of {right}", found[1]);
}

/// Contacts that go on keep what they carried: nothing is seeded over it.
#[test]
fn loads_stay_from_step_to_step() {
    let mut rig = rig();
    let (cubes, edges) = tower(&mut rig, 10, surface(0.0, 0.6));
    let mut method = method();
    for _ in 0..60 {
        step(&mut rig, &mut method);
    }
    for (i, &edge) in edges.iter().enumerate() {
        let weight = (10 - i) as Real * G * rig.step.dt;
        assert!((rig.impulse(edge).y / weight - 1.0).abs() < 1e-3, "below cube {i}: {}", rig.impulse(edge));
    }
    let sunk = 9.5 - height(&rig, cubes[9]);
    assert!(sunk.abs() < 1e-5, "the top sank by {sunk} m");
}

/// Without gravity there is nothing to carry, and nothing is seeded.
#[test]
fn nothing_is_carried_where_nothing_weighs() {
    let mut rig = floating();
    let (cubes, edges) = tower(&mut rig, 5, surface(0.0, 0.6));
    step(&mut rig, &mut method());
    assert!(edges.iter().all(|&edge| rig.impulse(edge) == Vector3::zeros()));
    assert!(cubes.iter().all(|&cube| rig.linear(cube) == Vector3::zeros()));
}

/// A body of gravity scale 0 weighs nothing.
#[test]
fn what_is_weightless_loads_nothing() {
    let mut rig = rig();
    let (cubes, edges) = tower(&mut rig, 2, surface(0.0, 0.6));
    let handle = rig.bodies.handle(cubes[1]).expect("alive");
    rig.bodies.set_gravity_scale(handle, 0.0).expect("finite");
    step(&mut rig, &mut method());
    let weight = G * rig.step.dt;
    assert!((rig.impulse(edges[0]).y / weight - 1.0).abs() < 1e-3, "{}", rig.impulse(edges[0]));
    assert!(rig.impulse(edges[1]).norm() < 1e-3 * weight, "{}", rig.impulse(edges[1]));
}
