//! Bodies that never come to rest: everything meets everything in the course of time.

use super::{any_rotation, inside};
use crate::model::{Body, Kind, PartSpec, Scene, ShapeSpec};
use crate::random::Random;

/// Size of a body, m: diameter of a ball, edge of a cube.
const SIZE: f64 = 0.1;
/// Share of the drum that bodies fill.
const FILLED: f64 = 0.3;
/// Thickness of its walls, m.
const WALL: f64 = 0.2;
/// How fast it turns, rad/s.
const TURN: f64 = 1.0;
/// Distance of starting places, m: cubes may be turned any way.
const PITCH: f64 = 0.174;

/// A closed cubic drum turns about a level axis and stirs balls and cubes (S3-06: edges between all that ever met
/// would be of the order of their square).
pub(super) fn drum(count: u32) -> Scene {
    let mut scene = Scene::new("drum");
    scene.description = format!(
        "A closed drum turns about a level axis ({TURN} rad/s) and stirs {count} oak balls and cubes (10 cm)."
    );
    scene.seconds = 60.0;
    // Starting places on a lattice; the drum is larger where they need it.
    let side = f64::from(count).cbrt().ceil();
    let edge = (f64::from(count) * SIZE.powi(3) / FILLED).cbrt().max(side * PITCH + SIZE);
    let reach = 0.5 * edge + WALL;
    scene.bodies.push(Body {
        kind: Kind::Kinematic,
        angular: [0.0, 0.0, TURN as f32],
        // An outline, or nobody would see what is in it.
        hidden: true,
        ..Body::new("drum", hollow_cube(edge), "granite")
    });
    let mut random = Random::new(u64::from(count));
    for i in 0..count {
        let side = side as u32;
        let place = |i: u32| (f64::from(i) - 0.5 * f64::from(side - 1)) * PITCH;
        let (name, shape) = if i % 2 == 0 {
            ("ball", ShapeSpec::ball(SIZE as f32))
        } else {
            ("cube", ShapeSpec::cube(SIZE as f32))
        };
        let body = Body::new(format!("{name} {i}"), shape, "oak");
        let body = body.at(place(i % side), place(i / side / side), place(i / side % side));
        scene.bodies.push(Body { rotation: any_rotation(&mut random), ..body });
    }
    // The corners of the drum go round.
    let mut bounds = inside([3.0 * reach; 3]);
    bounds.min[1] = -1.5 * reach;
    bounds.max[1] = 1.5 * reach;
    scene.bounds = Some(bounds);
    scene
}

/// Six walls around a cube, outside of it.
fn hollow_cube(edge: f64) -> ShapeSpec {
    let (half, thick) = (0.5 * edge, 0.5 * WALL);
    let wall = |axis: usize, sign: f64| {
        let (mut half_extents, mut position) = ([(half + WALL) as f32; 3], [0.0; 3]);
        half_extents[axis] = thick as f32;
        position[axis] = (sign * (half + thick)) as f32;
        let [x, y, z] = half_extents;
        PartSpec { shape: ShapeSpec::cuboid(x, y, z), position, rotation: Default::default() }
    };
    ShapeSpec::Compound { parts: (0..3).flat_map(|axis| [wall(axis, -1.0), wall(axis, 1.0)]).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{RunOptions, Runner};

    #[test]
    fn all_begin_inside_and_stay_there_while_the_drum_turns() {
        let scene = drum(64);
        let options = RunOptions { seconds: Some(4.0), ..RunOptions::default() };
        let mut runner = Runner::new(&scene, &options).expect("valid");
        while runner.step().expect("it runs") {}
        let world = runner.world();
        let drum = world.bodies().next().expect("the drum").pose;
        let edge = 64_f64.cbrt() * PITCH + SIZE;
        for body in world.bodies().skip(1) {
            let from_middle = body.center - drum.translation;
            // In the frame of the drum: turned back by what it has turned.
            let (sin, cos) = (4.0_f64).sin_cos();
            let place = [
                cos * from_middle.x + sin * from_middle.y,
                cos * from_middle.y - sin * from_middle.x,
                from_middle.z,
            ];
            assert!(place.iter().all(|c| c.abs() < 0.5 * edge), "{place:?}");
        }
        assert_eq!(runner.finish().quality.lost, 0);
    }
}
