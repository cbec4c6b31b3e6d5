//! Five blocks on slopes below and above the friction angle, which is atan(0.20) = 11.31 degrees.
//!
//! Blocks at 5, 10 and 11 degrees should stay (that is the run's drift); those at 12 and 15 degrees slide
//! by g (sin θ - μ cos θ) t² / 2: in 2 s 0.25 m and 1.31 m.

use super::above_ground;
use crate::model::{Body, Scene, ShapeSpec, Standing};

/// Slopes in degrees.
const ANGLES: [f64; 5] = [5.0, 10.0, 11.0, 12.0, 15.0];
/// Friction angle of 0.20, degrees.
const FRICTION_ANGLE: f64 = 11.31;
/// Half of a ramp along the slope, across its thickness, and across, m.
const RAMP: [f64; 3] = [2.0, 0.1, 0.2];
/// Half of a block, m.
const BLOCK: [f64; 3] = [0.1, 0.05, 0.1];
/// How high the middle of each ramp's upper face is, m.
const HEIGHT: f64 = 0.8;

pub(super) fn incline() -> Scene {
    let mut scene = Scene::new("incline");
    scene.description =
        "Five oak blocks on granite ramps of 5, 10, 11, 12 and 15 degrees; friction 0.20 holds below \
                         11.31 degrees, so the first three stay and the others slide."
            .into();
    scene.seconds = 2.0;
    scene.bounds = Some(above_ground(100.0));
    scene.bodies.push(Body::ground("granite"));
    let mut staying = Vec::new();
    for (index, degrees) in ANGLES.into_iter().enumerate() {
        let z = (index as f64 - 2.0) * 0.5;
        let (sin, cos) = degrees.to_radians().sin_cos();
        // Down the slope is +x, so the ramp is turned by -degrees about z.
        let on_ramp =
            |along: f64, above: f64| [along * cos + above * sin, HEIGHT - along * sin + above * cos, z];
        let place = |body: Body, at: [f64; 3]| body.at(at[0], at[1], at[2]).turned(0.0, 0.0, -degrees as f32);
        let cuboid = |half: [f64; 3]| ShapeSpec::cuboid(half[0] as f32, half[1] as f32, half[2] as f32);
        let ramp = Body::new(format!("ramp {degrees}"), cuboid(RAMP), "granite").fixed();
        scene.bodies.push(place(ramp, on_ramp(0.0, -RAMP[1])));
        let block = Body::new(format!("block {degrees}"), cuboid(BLOCK), "oak");
        if degrees < FRICTION_ANGLE {
            staying.push(block.name.clone());
        }
        scene.bodies.push(place(block, on_ramp(-1.6, BLOCK[1])));
    }
    scene.standing = Standing::Bodies(staying);
    scene
}
