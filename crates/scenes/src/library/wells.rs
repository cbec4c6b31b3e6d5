//! Balls fall into a small well (S1 Figs 27b and 29b, S1-80 and S1-83).
//!
//! The paper: 324 oak balls of 13.3 cm and a granite well of 1.0 x 1.0 x 0.11 m, 392 of 11.4 cm and
//! 1.0 x 1.0 x 0.095 m; the first balls reach the ground after about 0.3 s, some pile up within the well,
//! after about 4.4 s the pile has come to rest. 6 s in all.
//!
//! Ours: the well is open, 1 m square inside and as *high* as the small number says. In both scenes that is
//! 0.83 of a diameter, just enough to hold the lowest layer ("the walls prevent the balls on the ground from
//! moving away"), while the balls that do not fit roll over it and away on the ground. Walls are 5 cm thick.
//! The balls start as 6 x 6 x 9 and 7 x 7 x 8, the ways of writing 324 and 392 that have the same width
//! (0.80 m) side by side, 1.15 diameters apart and shifted by up to 3 % of a diameter (so that they do not
//! balance in columns), the lowest ones 0.45 m above the ground, which is 0.3 s of falling.

use super::above_ground;
use crate::model::{Body, Scene, ShapeSpec};
use crate::random::Random;

/// Inner width of the well, m.
const WIDTH: f64 = 1.0;
/// Thickness of its walls, m.
const WALL: f64 = 0.05;
/// Height of the lowest points above the ground, m: 0.3 s of falling at 10 m/s².
const DROP: f64 = 0.45;
/// Distance of neighbours over their diameter.
const PITCH: f64 = 1.15;
/// Largest sideways shift over the diameter.
const JITTER: f64 = 0.03;

pub(super) fn well324() -> Scene {
    well("well324", 0.133, 0.11, [6, 9, 6])
}

pub(super) fn well392() -> Scene {
    well("well392", 0.114, 0.095, [7, 8, 7])
}

fn well(name: &str, diameter: f64, height: f64, count: [u32; 3]) -> Scene {
    let mut scene = Scene::new(name);
    let total = count.iter().product::<u32>();
    scene.description = format!(
        "{total} oak balls ({:.1} cm) fall into an open granite well, 1 m square and {:.1} cm high; some pile up in it, \
         the others roll away. S1 Figs 27b, 29b.",
        100.0 * diameter,
        100.0 * height
    );
    scene.seconds = 6.0;
    scene.bounds = Some(above_ground(200.0));
    scene.bodies.push(Body::ground("granite"));
    scene.bodies.extend(walls(height));
    let mut random = Random::new(u64::from(total));
    let [nx, ny, nz] = count;
    for i in 0..total {
        let (x, z, y) = (i % nx, i / nx % nz, i / (nx * nz));
        let place = |i: u32, n: u32| (f64::from(i) - 0.5 * f64::from(n - 1)) * PITCH * diameter;
        let shift = random.vector(JITTER * diameter);
        let up = DROP + 0.5 * diameter + f64::from(y) * PITCH * diameter;
        debug_assert!(y < ny, "the layers hold all balls");
        scene.bodies.push(Body::new(format!("ball {i}"), ShapeSpec::ball(diameter as f32), "oak").at(
            place(x, nx) + shift[0],
            up,
            place(z, nz) + shift[2],
        ));
    }
    scene
}

/// Four walls that stand on the ground around a square of `WIDTH`.
fn walls(height: f64) -> [Body; 4] {
    let (far, up) = (0.5 * (WIDTH + WALL), 0.5 * height);
    let (long, thin, high) = ((0.5 * WIDTH + WALL) as f32, (0.5 * WALL) as f32, up as f32);
    let wall = |name: &str, half: [f32; 3]| {
        Body::new(name, ShapeSpec::cuboid(half[0], half[1], half[2]), "granite").fixed()
    };
    let short = (0.5 * WIDTH) as f32;
    [
        wall("wall -x", [thin, high, long]).at(-far, up, 0.0),
        wall("wall +x", [thin, high, long]).at(far, up, 0.0),
        wall("wall -z", [short, high, thin]).at(0.0, up, -far),
        wall("wall +z", [short, high, thin]).at(0.0, up, far),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn balls_start_apart_and_above_the_well() {
        for (scene, count, diameter) in [(well324(), 324, 0.133), (well392(), 392, 0.114)] {
            let balls = &scene.bodies[5..];
            assert_eq!(balls.len(), count);
            for (i, a) in balls.iter().enumerate() {
                assert!(a.position[0].abs() + 0.5 * diameter < 0.5 * WIDTH);
                assert!(a.position[2].abs() + 0.5 * diameter < 0.5 * WIDTH);
                for b in &balls[i + 1..] {
                    let squared: f64 = (0..3).map(|k| (a.position[k] - b.position[k]).powi(2)).sum();
                    assert!(squared.sqrt() > diameter, "{} and {}", a.name, b.name);
                }
            }
        }
    }
}
