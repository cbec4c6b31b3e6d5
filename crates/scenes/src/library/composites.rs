//! Composites made of boxes fall into a pit (S3-01 C), and some of them break.

use super::cages::{any_rotation, inside, walls};
use crate::model::{Action, Body, CompositeSpec, Orientation, Scene, ShapeSpec, TimedAction};
use crate::random::Random;
use crate::run::rotation;
use drystone::math::Vector3;

/// Edge of a box, m.
const EDGE: f64 = 0.1;
/// Distance of starting places, m: a piece may be turned any way.
const PITCH: f64 = 0.45;
/// When the first piece breaks, s, and the time from one to the next.
const FIRST_BREAK: f64 = 0.3;
const NEXT_BREAK: f64 = 0.02;
/// Every so many pieces one breaks.
const BREAKING: u32 = 3;
/// Places of the boxes of a piece in edges: an L, then a T.
const PIECES: [&[[i8; 2]]; 2] = [&[[0, 0], [1, 0], [2, 0], [0, 1]], &[[0, 0], [1, 0], [2, 0], [1, 1]]];

/// `count` pieces, L and T in turn, each of four boxes fastened to each other, fall into a pit; every third breaks.
pub(super) fn composites(count: u32) -> Scene {
    let side = (f64::from(count) / 4.0).sqrt().ceil().max(2.0) as u32;
    let width = f64::from(side) * PITCH;
    let layers = count.div_ceil(side * side);
    let mut scene = Scene::new("composites");
    scene.description = format!(
        "{count} pieces of four boxes each (oak, 10 cm), shaped as L and T, fall into a pit {width:.2} m wide; from {FIRST_BREAK} s on \
         every third one breaks into its boxes."
    );
    scene.seconds = 6.0;
    let extent = [width, f64::from(layers + 2) * PITCH, width];
    scene.bounds = Some(inside(extent));
    scene.bodies.extend(walls(extent, false));
    let mut random = Random::new(u64::from(count));
    for i in 0..count {
        let (x, z, y) = (i % side, i / side % side, i / (side * side));
        let place = |i: u32| (f64::from(i) + 0.5) * PITCH - 0.5 * width;
        let middle = [place(x), (f64::from(y) + 1.0) * PITCH, place(z)];
        let turn = any_rotation(&mut random);
        let name = if i % 2 == 0 { "L" } else { "T" };
        add_piece(&mut scene, &format!("{name} {i}"), PIECES[i as usize % 2], middle, turn);
        if i % BREAKING == 0 {
            let at = FIRST_BREAK + NEXT_BREAK * f64::from(i / BREAKING);
            let action = Action::Unfasten { composite: format!("{name} {i}") };
            scene.actions.push(TimedAction { at, action });
        }
    }
    scene
}

fn add_piece(scene: &mut Scene, name: &str, cells: &[[i8; 2]], middle: [f64; 3], turn: Orientation) {
    let mean = |axis: usize| cells.iter().map(|cell| f64::from(cell[axis])).sum::<f64>() / cells.len() as f64;
    let mut members = Vec::new();
    for (k, cell) in cells.iter().enumerate() {
        let [x, y] = [0, 1].map(|axis| (EDGE * (f64::from(cell[axis]) - mean(axis))) as f32);
        let offset = rotation(&turn) * Vector3::new(x, y, 0.0);
        let at = [0, 1, 2].map(|axis| middle[axis] + f64::from(offset[axis]));
        let body = Body::new(format!("{name} box {k}"), ShapeSpec::cube(EDGE as f32), "oak");
        members.push(body.name.clone());
        scene.bodies.push(Body { rotation: turn, ..body.at(at[0], at[1], at[2]) });
    }
    scene.composites.push(CompositeSpec { name: name.to_owned(), bodies: members });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{RunOptions, Runner};

    #[test]
    fn pieces_stay_whole_until_they_break_and_all_comes_to_rest_in_the_pit() {
        let scene = composites(12);
        let mut runner = Runner::new(&scene, &RunOptions::default()).expect("valid");
        let ways = |runner: &Runner| -> Vec<f64> {
            let place = |name: &str| {
                let index = scene.bodies.iter().position(|b| b.name == name).expect("in the scene");
                let handle = runner.body(index).expect("in the world");
                runner.world().pose(handle).expect("in the world").translation
            };
            let pairs = scene.composites.iter().map(|c| [place(&c.bodies[0]), place(&c.bodies[3])]);
            pairs.map(|[a, b]| (a - b).norm()).collect()
        };
        let before = ways(&runner);
        while runner.step().expect("it runs") {}
        let (after, left) = (ways(&runner), runner.world().composites().count());
        assert_eq!(left, 8, "every third broke");
        let held = (0..12).filter(|i| i % 3 != 0);
        assert!(held.into_iter().all(|i| (after[i] - before[i]).abs() < 1e-5), "{before:?} {after:?}");
        assert!((0..12).step_by(3).any(|i| (after[i] - before[i]).abs() > 0.01), "{before:?} {after:?}");
        let outcome = runner.finish();
        assert_eq!((outcome.quality.lost, outcome.bodies), (0, 48));
        assert!(outcome.quality.pen_end_max_m < 2e-3, "{} m", outcome.quality.pen_end_max_m);
    }
}
