//! Things that stand: a tower, a flat pyramid, a heavy box on light ones. They begin exactly touching and at
//! rest, so whatever moves is the engine's doing; the drift of the run says how much.

use super::above_ground;
use crate::model::{Body, MaterialSpec, Scene, ShapeSpec, Standing};

/// Edge of a box, m.
const EDGE: f64 = 0.1;

/// A column of oak boxes of 10 cm.
pub(super) fn tower(count: u32) -> Scene {
    let mut scene = standing("tower");
    scene.description = format!(
        "A tower of {count} oak boxes (10 cm) stands; it begins exactly touching, and should not move."
    );
    for i in 0..count {
        scene.bodies.push(block(format!("box {i}"), 0.0, f64::from(i)));
    }
    scene
}

/// Rows of `rows`, ..., 1 oak boxes of 10 cm, 5 mm apart.
pub(super) fn pyramid(rows: u32) -> Scene {
    let mut scene = standing("pyramid");
    let total = rows * (rows + 1) / 2;
    scene.description =
        format!("A flat pyramid of {rows} rows, {total} oak boxes (10 cm), stands; it should not move.");
    for row in 0..rows {
        for column in 0..rows - row {
            let x = (f64::from(column) - 0.5 * f64::from(rows - row - 1)) * (EDGE + 0.005);
            scene.bodies.push(block(format!("box {row}.{column}"), x, f64::from(row)));
        }
    }
    scene
}

/// A box of 50 cm on a column of ten boxes of 10 cm and 1 kg; it weighs `ratio` kg.
pub(super) fn mass_ratio(ratio: u32) -> Scene {
    let mut scene = standing("mass_ratio");
    scene.description =
        format!("A box of {ratio} kg (50 cm) stands on a tower of ten boxes of 1 kg (10 cm).");
    scene.materials = vec![
        MaterialSpec::new("light", 1.0 / (EDGE * EDGE * EDGE) as f32),
        MaterialSpec::new("heavy", ratio as f32 / 0.125),
    ];
    // Own materials mix to 0.5 by their rules; this scene is to compare with the others.
    scene.contact = Some(crate::model::PairValues {
        restitution: 0.25,
        static_friction: 0.2,
        kinetic_friction: 0.2,
        rolling_friction: 0.0,
    });
    for i in 0..10 {
        let mut light = block(format!("box {i}"), 0.0, f64::from(i));
        light.material = "light".into();
        scene.bodies.push(light);
    }
    scene.bodies.push(Body::new("heavy box", ShapeSpec::cube(0.5), "heavy").at(0.0, 10.0 * EDGE + 0.25, 0.0));
    scene
}

fn standing(name: &str) -> Scene {
    let mut scene = Scene::new(name);
    scene.seconds = 10.0;
    scene.standing = Standing::All;
    scene.bounds = Some(above_ground(2000.0));
    scene.bodies.push(Body::ground("granite"));
    scene
}

fn block(name: String, x: f64, layer: f64) -> Body {
    Body::new(name, ShapeSpec::cube(EDGE as f32), "oak").at(x, (layer + 0.5) * EDGE, 0.0)
}
