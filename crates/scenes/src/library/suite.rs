//! The scenes of S2 (section 6 and its figures 4 and 5) beside `cradle` (its office toy) and `cubeglass`.
//!
//! S2 gives counts and shapes alone; sizes, materials and heights are ours: oak cubes of 10 cm, iron balls of 10 cm.

use super::above_ground;
use super::cages::{any_rotation, inside, walls};
use crate::model::{Body, PairValues, Scene, ShapeSpec};
use crate::random::Random;

/// Edge of a cube and diameter of a ball, m.
const SIZE: f64 = 0.1;

/// S2's "stack": cubes fall onto each other and stay.
pub(super) fn falling_stack(count: u32) -> Scene {
    let mut scene = falling("falling_stack");
    scene.description =
        format!("{count} oak cubes (10 cm), 2 cm apart, fall onto each other and stack. S2, section 6.");
    for i in 0..count {
        scene.bodies.push(cube(format!("cube {i}"), level(i)));
    }
    scene
}

/// S2's "c-s stack": cubes and balls in turn, a ball between two cubes.
pub(super) fn cs_stack(count: u32) -> Scene {
    let mut scene = falling("cs_stack");
    scene.description = format!(
        "{count} oak cubes and iron balls (10 cm) in turn, 2 cm apart, fall onto each other. S2, section 6."
    );
    for i in 0..count {
        scene.bodies.push(if i % 2 == 0 {
            cube(format!("cube {i}"), level(i))
        } else {
            ball(format!("ball {i}"), 0.0, level(i))
        });
    }
    scene
}

/// S2's "cubejam": cubes fall through bars into a container.
pub(super) fn cubejam(count: u32) -> Scene {
    const WIDTH: f64 = 0.8;
    const SPACING: f64 = 1.6;
    const SIDE: u32 = 4;
    let mut scene = Scene::new("cubejam");
    scene.description = format!(
        "{count} oak cubes (10 cm) fall between the bars of a container and come to rest. S2, section 6."
    );
    scene.seconds = 10.0;
    let layers = count.div_ceil(SIDE * SIDE);
    let begin = 1.2;
    let top = begin + f64::from(layers + 1) * SPACING * SIZE;
    scene.bounds = Some(inside([WIDTH, top, WIDTH]));
    scene.bodies.extend(walls([WIDTH, top, WIDTH], false));
    // Two rows of square bars on edge, across each other.
    for (row, [x, z]) in [[1.0, 0.0], [0.0, 1.0]].into_iter().enumerate() {
        for place in [-1.0, 0.0, 1.0] {
            let along = place * 0.27;
            let half = |across: f64| if across > 0.0 { 0.03 } else { 0.5 * WIDTH };
            let shape = ShapeSpec::cuboid(half(x) as f32, 0.03, half(z) as f32);
            let up = 0.95 - 0.3 * row as f64;
            let bar = Body::new(format!("bar {row}.{place}"), shape, "granite").fixed().at(
                x * along,
                up,
                z * along,
            );
            scene.bodies.push(bar.turned(45.0 * z as f32, 0.0, 45.0 * x as f32));
        }
    }
    let mut random = Random::new(u64::from(count));
    for i in 0..count {
        let (column, row, layer) = (i % SIDE, i / SIDE % SIDE, i / (SIDE * SIDE));
        let place = |i: u32| (f64::from(i) - 0.5 * f64::from(SIDE - 1)) * SPACING * SIZE;
        let body = Body::new(format!("cube {i}"), ShapeSpec::cube(SIZE as f32), "oak").at(
            place(column),
            begin + f64::from(layer) * SPACING * SIZE,
            place(row),
        );
        scene.bodies.push(Body { rotation: any_rotation(&mut random), ..body });
    }
    scene
}

/// S2's figure 4: a ball on a fixed ball, a little beside its top, must roll off.
pub(super) fn ball_on_ball() -> Scene {
    let mut scene = falling("ball_on_ball");
    scene.description =
        "An iron ball (10 cm) lies on a fixed one, 2 mm beside its top, and rolls off; it must not freeze there. S2, figure 4.".into();
    scene.seconds = 3.0;
    scene.bodies.push(ball("lower ball".into(), 0.0, 0.5 * SIZE).fixed());
    let beside = 0.002_f64;
    scene.bodies.push(ball("upper ball".into(), beside, 0.5 * SIZE + (SIZE * SIZE - beside * beside).sqrt()));
    scene
}

/// S2's figure 5: two cubes that touch have come to rest when a third slides into them.
pub(super) fn frozen_pair() -> Scene {
    let mut scene = falling("frozen_pair");
    scene.description =
        "Two oak cubes (10 cm) side by side are at rest when a third comes sliding and pushes both. S2, figure 5.".into();
    scene.seconds = 2.0;
    scene.contact = Some(PairValues {
        restitution: 0.25,
        static_friction: 0.1,
        kinetic_friction: 0.1,
        rolling_friction: 0.0,
    });
    for (name, x, speed) in [("cube A", 0.0, 0.0), ("cube B", SIZE, 0.0), ("cube C", SIZE + 1.0, -2.5)] {
        let mut cube = cube(name.into(), 0.5 * SIZE);
        cube.position[0] = x;
        scene.bodies.push(cube.moving([speed, 0.0, 0.0], [0.0; 3]));
    }
    scene
}

fn falling(name: &str) -> Scene {
    let mut scene = Scene::new(name);
    scene.seconds = 10.0;
    scene.bounds = Some(above_ground(2000.0));
    scene.bodies.push(Body::ground("granite"));
    scene
}

fn level(i: u32) -> f64 {
    0.5 * SIZE + 0.02 + f64::from(i) * (SIZE + 0.02)
}

fn cube(name: String, y: f64) -> Body {
    Body::new(name, ShapeSpec::cube(SIZE as f32), "oak").at(0.0, y, 0.0)
}

fn ball(name: String, x: f64, y: f64) -> Body {
    Body::new(name, ShapeSpec::ball(SIZE as f32), "iron").at(x, y, 0.0)
}
