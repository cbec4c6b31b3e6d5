//! An iron bullet smashes through stacks of boxes (S1 Figs 27a and 29a, S1-79 and S1-82).
//!
//! The paper: 5 (8) separate stacks of 55 oak boxes, 10 cm each; an iron bullet, diameter 26.4 cm; all is at
//! rest, the boxes asleep, until the bullet hits the first stack at about 0.7 s, it smashes through one after another, and
//! before 2 s it is through. 6 s in all. With the densities used here the bullet weighs 75.9 kg against
//! 0.80 kg of a box, a mass ratio of 95.
//!
//! Ours: "55" is ten rows of 10, 9, ... 1 boxes (`bullet5`), or five square layers of 25, 16, ... 1 boxes
//! (`bullet5_square`); the text does not say which. Stacks stand one behind the other along z, 1.5 m apart.
//! Boxes of a row are 5 mm apart, so that a row is not one rigid beam. The bullet rolls in along +z,
//! without slipping, and starts where it reaches the first stack after 0.7 s; at 10 m/s, or at 12 m/s where
//! stacks are square, which otherwise throw it off its way before the last ones.

use super::above_ground;
use crate::model::{Body, Scene, ShapeSpec};

/// Edge of a box, m.
const EDGE: f64 = 0.1;
/// Distance of the middles of two boxes in a row, m.
const PITCH: f64 = 0.105;
/// Distance of two stacks, m.
const SPACING: f64 = 1.5;
/// Diameter of the bullet, m.
const BULLET: f64 = 0.264;
/// Speed of the bullet with flat stacks, m/s.
const FLAT_SPEED: f64 = 10.0;
/// Speed of the bullet with square stacks, m/s.
const SQUARE_SPEED: f64 = 12.0;
/// When the bullet hits the first stack, s.
const HIT_TIME: f64 = 0.7;

/// Stacks of ten rows, one box thick.
pub(super) fn bullet_flat(stack_count: u32) -> Scene {
    bullet(stack_count, FLAT_SPEED, 0.5 * EDGE, |stack, z| {
        let mut boxes = Vec::new();
        for row in 0..10_u32 {
            for column in 0..10 - row {
                let x = (f64::from(column) - f64::from(9 - row) * 0.5) * PITCH;
                boxes.push(box_at(format!("box {stack}.{row}.{column}"), x, row, z));
            }
        }
        boxes
    })
}

/// Stacks of five square layers.
pub(super) fn bullet_square(stack_count: u32) -> Scene {
    bullet(stack_count, SQUARE_SPEED, 2.0 * PITCH + 0.5 * EDGE, |stack, z| {
        let mut boxes = Vec::new();
        for layer in 0..5_u32 {
            let side = 5 - layer;
            let place = |i: u32| (f64::from(i) - f64::from(side - 1) * 0.5) * PITCH;
            for i in 0..side * side {
                let (a, b) = (i % side, i / side);
                boxes.push(box_at(format!("box {stack}.{layer}.{a}.{b}"), place(a), layer, z + place(b)));
            }
        }
        boxes
    })
}

fn box_at(name: String, x: f64, layer: u32, z: f64) -> Body {
    Body::new(name, ShapeSpec::cube(EDGE as f32), "oak").at(x, (f64::from(layer) + 0.5) * EDGE, z).sleeping()
}

/// `speed`: of the bullet, m/s. `half_depth`: from the middle of a stack to its front, m.
fn bullet(stack_count: u32, speed: f64, half_depth: f64, stack: impl Fn(u32, f64) -> Vec<Body>) -> Scene {
    let mut scene = Scene::new(format!("bullet{stack_count}"));
    scene.description = format!(
        "{stack_count} stacks of 55 oak boxes (10 cm), and an iron bullet (26.4 cm, 95 times the mass of a box) that \
         reaches the first one after 0.7 s at {speed} m/s and smashes through all of them. S1 Figs 27a, 29a."
    );
    scene.seconds = 6.0;
    scene.bounds = Some(above_ground(200.0));
    scene.bodies.push(Body::ground("granite"));
    for index in 0..stack_count {
        scene.bodies.extend(stack(index, f64::from(index) * SPACING));
    }
    let radius = 0.5 * BULLET;
    let start = -half_depth - radius - speed * HIT_TIME;
    let spin = (speed / radius) as f32;
    scene.bodies.push(
        Body::new("bullet", ShapeSpec::ball(BULLET as f32), "iron")
            .at(0.0, radius, start)
            .moving([0.0, 0.0, speed as f32], [spin, 0.0, 0.0]),
    );
    scene
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stacks_have_55_boxes_that_rest_on_each_other() {
        for scene in [bullet_flat(5), bullet_square(5)] {
            assert_eq!(scene.bodies.len(), 1 + 275 + 1);
            let boxes = &scene.bodies[1..276];
            for (i, a) in boxes.iter().enumerate() {
                let overlaps = |b: &Body| (0..3).all(|k| (a.position[k] - b.position[k]).abs() < EDGE - 1e-9);
                assert!(!boxes[i + 1..].iter().any(overlaps), "{}", a.name);
                let carries = |b: &&Body| {
                    let near = |k: usize| (a.position[k] - b.position[k]).abs() < EDGE;
                    (a.position[1] - b.position[1] - EDGE).abs() < 1e-9 && near(0) && near(2)
                };
                let is_on_ground = a.position[1] == 0.5 * EDGE;
                assert!(is_on_ground || boxes.iter().filter(carries).count() >= 2, "{}", a.name);
            }
        }
    }

    #[test]
    fn the_bullet_rolls_forward_without_slipping() {
        let scene = bullet_flat(5);
        let bullet = scene.bodies.last().expect("it is the last body");
        // Velocity of the lowest point: v + w x (0, -r, 0) = v_z - w_x r.
        let slip = bullet.linear[2] - bullet.angular[0] * bullet.position[1] as f32;
        assert!(slip.abs() < 1e-5, "{slip} m/s");
    }
}
