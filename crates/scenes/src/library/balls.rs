//! An iron bullet is smashed into a pile of balls (S1 5.6, S1-93).
//!
//! The paper: each ball that is hit at the right angle and cannot move because of its neighbours starts to
//! spin about its own axis, and friction stops the spin. No sizes are given.
//!
//! Ours: oak balls of 10 cm in a square pyramid of 7 x 7 to 1 balls (140), each in the hollow of four below,
//! held by a granite frame 8 cm high that touches the lowest layer; the bullet of Fig 27, in flight, which
//! meets the middle of the pile after 0.5 s at 8 m/s.

use super::above_ground;
use crate::model::{Body, Scene, ShapeSpec};

const DIAMETER: f64 = 0.1;
const BULLET: f64 = 0.264;
/// Half the height of the frame, m.
const FRAME: f64 = 0.04;

pub(super) fn bullet_into_balls() -> Scene {
    let mut scene = Scene::new("bullet_into_balls");
    scene.description = "140 oak balls (10 cm) piled up as a square pyramid in a low frame, hit by an iron bullet \
                         (26.4 cm) at 8 m/s after 0.5 s; jammed balls spin in place until friction stops them. S1 5.6."
        .into();
    scene.seconds = 6.0;
    scene.bounds = Some(above_ground(200.0));
    scene.bodies.push(Body::ground("granite"));
    let inner = 3.5 * DIAMETER;
    for (name, x, z) in
        [("frame -x", -1.0, 0.0), ("frame +x", 1.0, 0.0), ("frame -z", 0.0, -1.0), ("frame +z", 0.0, 1.0)]
    {
        let half = |along: f64| if along == 0.0 { inner as f32 } else { FRAME as f32 };
        let shape = ShapeSpec::cuboid(half(x), FRAME as f32, half(z));
        let far = inner + FRAME;
        scene.bodies.push(Body::new(name, shape, "granite").at(x * far, FRAME, z * far).fixed());
    }
    // A ball in the hollow of four that touch is higher by d / sqrt(2).
    let rise = DIAMETER * std::f64::consts::FRAC_1_SQRT_2;
    for layer in 0..7_u32 {
        let side = 7 - layer;
        let place = |i: u32| (f64::from(i) - 0.5 * f64::from(side - 1)) * DIAMETER;
        for i in 0..side * side {
            let (a, b) = (i % side, i / side);
            scene.bodies.push(
                Body::new(format!("ball {layer}.{a}.{b}"), ShapeSpec::ball(DIAMETER as f32), "oak").at(
                    place(a),
                    0.5 * DIAMETER + f64::from(layer) * rise,
                    place(b),
                ),
            );
        }
    }
    // A throw that returns to its height after 0.5 s begins at 2.5 m/s upwards.
    scene.bodies.push(
        Body::new("bullet", ShapeSpec::ball(BULLET as f32), "iron")
            .at(0.0, 0.32, -4.45)
            .moving([0.0, 2.5, 8.0], [0.0; 3]),
    );
    scene
}
