//! More contacts on one body than there are colours (64): the rest is visited one by one. Trusted: statics.

use crate::common::{G, Rig, surface};
use crate::scene::*;
use drystone_contact::{BodyIndex, EdgeIndex};
use drystone_exec::Exec;
use drystone_math::{Real, Vector3};

/// A plate on a floor with small boxes on it, `side` times `side`.
fn plate(side: usize) -> (Rig, BodyIndex, EdgeIndex, Vec<(BodyIndex, EdgeIndex)>) {
    let mut rig = rig();
    let material = surface(0.2, 0.5);
    let floor = rig.fixed();
    let width = side as Real;
    let plate = rig.add(&cuboid(10.0, Vector3::new(width, 0.2, width), Vector3::new(0.0, 0.1, 0.0)));
    let face = square(Vector3::zeros(), &Vector3::y(), 0.5 * width);
    let below = rig.touch(floor, plate, Vector3::y(), &face, 0.0, material);
    let mut boxes = Vec::new();
    for i in 0..side * side {
        let place = |k: usize| k as Real - 0.5 * (width - 1.0);
        let at = Vector3::new(place(i % side), 0.2, place(i / side));
        let body = rig.add(&cuboid(0.5, Vector3::repeat(0.4), at + Vector3::y() * 0.2));
        boxes.push((
            body,
            rig.touch(plate, body, Vector3::y(), &square(at, &Vector3::y(), 0.2), 0.0, material),
        ));
    }
    (rig, plate, below, boxes)
}

#[test]
fn a_plate_carries_a_hundred_boxes() {
    let (mut rig, plate, below, boxes) = plate(10);
    let mut method = method();
    for _ in 0..30 {
        step(&mut rig, &mut method);
    }
    let unit = G * rig.step.dt;
    for &(body, edge) in &boxes {
        assert!((rig.impulse(edge).y / (0.5 * unit) - 1.0).abs() < 1e-3, "{}", rig.impulse(edge));
        assert!(rig.linear(body).norm() < 1e-4, "{}", rig.linear(body));
    }
    assert!((rig.impulse(below).y / (60.0 * unit) - 1.0).abs() < 1e-3, "{}", rig.impulse(below));
    assert!(rig.linear(plate).norm() < 1e-4, "{}", rig.linear(plate));
}

/// Boxes that fall onto the plate all at once: impulses stay real, and bits equal, beyond the last colour.
#[test]
fn contacts_beyond_the_last_colour_are_contacts() {
    let drop = |exec: &Exec| {
        let (mut rig, plate, below, boxes) = plate(12);
        for &(body, _) in &boxes {
            rig.set_linear(body, Vector3::new(0.3, -2.0, 0.1));
        }
        let before = momenta(&rig, plate)[0];
        let _awake = exec.wake();
        rig.advance_with(&mut method(), exec);
        let (given, size) = given(&rig, plate);
        let weight = f64::from(10.0 * G * rig.step.dt);
        let off = (momenta(&rig, plate)[0] - before - given[0]).y + weight;
        assert!(off.abs() < 4e-6 * size, "momentum of the plate off by {off} of {size}");
        assert!(boxes.iter().all(|&(_, edge)| rig.impulse(edge).y > 0.0) && rig.impulse(below).y > 0.0);
        rig.hash()
    };
    let expected = drop(&Exec::serial());
    for threads in [2, 4] {
        assert_eq!(drop(&Exec::with_threads(threads).expect("threads")), expected, "{threads} threads");
    }
}
