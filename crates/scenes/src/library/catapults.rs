//! A box falls on a plank and tosses what lies on its other end (S1 Fig 37, S1-91).
//!
//! The paper: 7 oak boxes of 10 cm, slightly twisted, at rest on a wooden plank, or 15 of 6.4 cm being
//! dropped onto it; a box of 20 cm hits the other end. The 15 boxes weigh less (3.15 kg against 5.60 kg) and
//! fly higher and farther. Nothing else is given.
//!
//! Ours: the plank is oak, 2.0 x 0.03 x 0.24 m, and lies level: on a granite bar in its middle and on a
//! granite block under the loaded end (tilted down to the ground its slope would come close to the friction
//! angle). The 7 boxes are a column, turned by ±4 degrees in turn. The 15 boxes are a column
//! as well, with gaps of 1 cm, that starts 5 cm above the plank. The large box starts at rest 4 m above
//! the plank and arrives after 0.9 s, when the dropped boxes have come to rest.

use super::above_ground;
use crate::model::{Body, Scene, ShapeSpec};

/// Height of the supports, m.
const SUPPORT: f64 = 0.25;
/// Half of the plank along x, y and z, m.
const PLANK: [f64; 3] = [1.0, 0.015, 0.12];
/// Upper face of the plank, m.
const TOP: f64 = SUPPORT + 2.0 * PLANK[1];
/// Where the load stands: distance from the middle, m.
const LOAD: f64 = 0.85;

pub(super) fn catapult7() -> Scene {
    let load = (0..7_u32).map(|i| {
        let twist = if i % 2 == 0 { 4.0 } else { -4.0 };
        Body::new(format!("box {i}"), ShapeSpec::cube(0.1), "oak")
            .at(LOAD, TOP + (f64::from(i) + 0.5) * 0.1, 0.0)
            .turned(0.0, twist, 0.0)
    });
    catapult("7 oak boxes (10 cm) at rest", load.collect())
}

pub(super) fn catapult15() -> Scene {
    let (edge, gap) = (0.064, 0.01);
    let load = (0..15_u32).map(|i| {
        let y = TOP + 0.05 + 0.5 * edge + f64::from(i) * (edge + gap);
        Body::new(format!("box {i}"), ShapeSpec::cube(edge as f32), "oak").at(LOAD, y, 0.0)
    });
    catapult("15 oak boxes (6.4 cm) dropped onto it", load.collect())
}

fn catapult(load: &str, boxes: Vec<Body>) -> Scene {
    let mut scene = Scene::new("catapult");
    scene.description = format!(
        "An oak plank on a bar, with {load}; a 20 cm oak box hits the other end after 0.9 s. S1 Fig 37."
    );
    scene.seconds = 4.0;
    scene.bounds = Some(above_ground(100.0));
    let [long, thick, wide] = PLANK;
    let half_support = 0.5 * SUPPORT;
    let support = |name: &str, half_x: f64, x: f64| {
        let shape = ShapeSpec::cuboid(half_x as f32, half_support as f32, wide as f32);
        Body::new(name, shape, "granite").at(x, half_support, 0.0).fixed()
    };
    scene.bodies = vec![
        Body::ground("granite"),
        support("bar", 0.03, 0.0),
        support("block", 0.05, LOAD),
        Body::new("plank", ShapeSpec::cuboid(long as f32, thick as f32, wide as f32), "oak").at(
            0.0,
            SUPPORT + thick,
            0.0,
        ),
    ];
    scene.bodies.extend(boxes);
    scene.bodies.push(Body::new("large box", ShapeSpec::cube(0.2), "oak").at(-LOAD, TOP + 4.0 + 0.1, 0.0));
    scene
}
