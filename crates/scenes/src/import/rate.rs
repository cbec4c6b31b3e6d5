//! How many steps per second a model needs.
//!
//! `fast` takes 60. What falls by a good part of its own size in one of these is not resolved: an animal of millimetres, or lengths in centimetres with the gravity of them. Such
//! a model gets the steps that its file asks for.

use super::Imported;
use crate::model::{Scene, ShapeSpec};
use crate::run::Preset;
use crate::validate::{MAX_HZ, MIN_HZ};
use drystone::math::{Pose, Position, Real, Vector3, narrow};

/// Share of a model's size by which gravity may move it more in a step than in the one before (`g dt²`). Robots of a metre have 0.003, of 10 cm 0.03.
const RESOLVED: f64 = 0.1;

/// Gives a scene the steps of its file, of `step` seconds (which it says, or are usual), where those of `fast` do not resolve it; a note says what is asked for.
pub(super) fn resolve(imported: &mut Imported, step: f64, is_said: bool) {
    let scene = &mut imported.scene;
    let (hz, own) = ((1.0 / step).round(), Preset::Fast.hz(scene));
    let moving: Vec<usize> = (0..scene.bodies.len()).filter(|&k| is_moving(scene, k)).collect();
    let (size, fall) =
        (size_of(scene, &moving), f64::from(Vector3::from(scene.gravity).norm()) / (own * own));
    let is_coarse = size > 0.0 && fall > RESOLVED * size && hz > own;
    let note = if !(MIN_HZ..=MAX_HZ).contains(&hz) {
        format!("left out: steps of {step} s, since runs have {MIN_HZ} to {MAX_HZ} of them per second")
    } else if is_coarse {
        scene.hz.least = hz;
        let why = if is_said { "are asked for" } else { "are usual for MJCF" };
        format!(
            "steps of {step} s {why} and taken, {hz} per second: with {own} of them gravity would move the model, of size {size:.3}, by {fall:.3} more in each than in the one before"
        )
    } else {
        format!("steps of {step} s are asked for: say --hz {hz}")
    };
    if is_said || is_coarse {
        imported.notes.insert(0, note);
    }
}

/// Whether a body moves by forces.
pub(super) fn is_moving(scene: &Scene, body: usize) -> bool {
    scene.bodies[body].kind == crate::Kind::Dynamic
}

/// Diagonal of the box around bodies where they start, m.
pub(super) fn size_of(scene: &Scene, bodies: &[usize]) -> f64 {
    let (mut low, mut high) = (Vector3::repeat(Real::MAX), Vector3::repeat(Real::MIN));
    for body in bodies
        .iter()
        .map(|&body| &scene.bodies[body])
        .filter(|body| !matches!(body.shape, ShapeSpec::HalfSpace { .. }))
    {
        let pose = Pose::new(Position::from(body.position), crate::run::rotation(&body.rotation));
        let Ok(shape) = crate::run::build_shape(&body.shape) else { continue };
        for part in shape.parts {
            let placed = pose.compose(&part.local);
            let at = narrow(&placed.translation.coords);
            for k in 0..3 {
                let mut way = Vector3::zeros();
                way[k] = 1.0;
                let reach = |way: Vector3| part.shape.reach(&(placed.rotation.inverse() * way)) as Real;
                low[k] = low[k].min(at[k] - reach(-way));
                high[k] = high[k].max(at[k] + reach(way));
            }
        }
    }
    if low.x > high.x { 0.0 } else { f64::from((high - low).norm()) }
}
