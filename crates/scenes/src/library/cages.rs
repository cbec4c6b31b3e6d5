//! Bodies float in a cage and fall when gravity begins (S1 Figs 27c and 29c, S1-81 and S1-84); a heap.
//!
//! The paper: 192 oak balls and 192 oak boxes of 16 cm, evenly distributed in an invisible cage of
//! 3.45 x 3.45 x 2.65 m, move at random without gravity, which begins after 1 s; 8 s in all. The larger one:
//! 1536 balls and 1280 boxes of 10 cm, 3.31 x 3.31 x 2.31 m.
//!
//! Ours: evenly distributed means one body in the middle of each of 8 x 6 x 8 cells, which are the numbers
//! that make 384 in a cage of this shape, and 16 x 11 x 16 for 2816. Layers of balls and of boxes take turns,
//! which gives exactly 192 + 192 and 1536 + 1280. The short side of the cage is upright. Velocities are
//! random and even within ±0.5 m/s per axis, angular ones within ±2 rad/s; boxes are turned at random.
//! The cage is six half-spaces; the lowest one, of granite, is drawn. Thresholds refer to 10 m/s² all along.

use crate::model::{Action, Body, Bounds, Orientation, Scene, ShapeSpec, TimedAction};
use crate::random::Random;

/// Largest component of a starting velocity, m/s.
const SPEED: f64 = 0.5;
/// Largest component of a starting angular velocity, rad/s.
const SPIN: f64 = 2.0;

pub(super) fn cage384() -> Scene {
    cage("cage384", 0.16, [3.45, 2.65, 3.45], [8, 6, 8])
}

pub(super) fn cage2816() -> Scene {
    cage("cage2816", 0.10, [3.31, 2.31, 3.31], [16, 11, 16])
}

fn cage(name: &str, size: f32, extent: [f64; 3], count: [u32; 3]) -> Scene {
    let mut scene = Scene::new(name);
    let total = count.iter().product::<u32>();
    scene.description = format!(
        "{total} oak balls and boxes ({:.0} cm) float at random in an invisible cage; gravity begins after 1 s. \
         S1 Figs 27c, 29c.",
        100.0 * size
    );
    scene.seconds = 8.0;
    scene.gravity = [0.0; 3];
    scene.reference_acceleration = Some(10.0);
    scene.actions.push(TimedAction { at: 1.0, action: Action::SetGravity { gravity: [0.0, -10.0, 0.0] } });
    scene.bounds = Some(inside(extent));
    scene.bodies.extend(walls(extent, true));
    let mut random = Random::new(u64::from(total));
    for i in 0..total {
        let (x, z, y) = (i % count[0], i / count[0] % count[2], i / (count[0] * count[2]));
        let cell = |i: u32, k: usize| (f64::from(i) + 0.5) * extent[k] / f64::from(count[k]);
        let is_ball = y % 2 == 0;
        let linear = random.vector(SPEED).map(|c| c as f32);
        let angular = random.vector(SPIN).map(|c| c as f32);
        scene.bodies.push(Body {
            rotation: if is_ball { Orientation::default() } else { any_rotation(&mut random) },
            ..body(i, is_ball, size)
                .at(cell(x, 0) - 0.5 * extent[0], cell(y, 1), cell(z, 2) - 0.5 * extent[2])
                .moving(linear, angular)
        });
    }
    scene
}

/// Balls and boxes of 10 cm fall into a pit and come to rest: a scene of any size, for measurements.
///
/// The pit is as wide as a heap about ten layers deep needs; bodies start in layers of alternating kind,
/// 1.8 sizes apart, turned and shifted at random.
pub(super) fn heap(count: u32) -> Scene {
    let size = 0.1;
    let side = (f64::from(count) / 10.0).sqrt().ceil().max(3.0) as u32;
    let pitch = 1.8 * size;
    let width = f64::from(side) * pitch;
    let layers = count.div_ceil(side * side);
    let mut scene = Scene::new("heap");
    scene.description = format!(
        "{count} oak balls and boxes (10 cm) fall into a pit {width:.2} m wide and come to rest there."
    );
    scene.seconds = 6.0;
    let extent = [width, f64::from(layers + 2) * pitch, width];
    scene.bounds = Some(inside(extent));
    // No lid: what bounces up falls back.
    scene.bodies.extend(walls(extent, false));
    let mut random = Random::new(u64::from(count));
    for i in 0..count {
        let (x, z, y) = (i % side, i / side % side, i / (side * side));
        let is_ball = y % 2 == 0;
        let place = |i: u32| (f64::from(i) + 0.5) * pitch - 0.5 * width;
        let shift = random.vector(0.1 * size);
        scene.bodies.push(Body {
            rotation: if is_ball { Orientation::default() } else { any_rotation(&mut random) },
            ..body(i, is_ball, size as f32).at(
                place(x) + shift[0],
                (f64::from(y) + 1.0) * pitch,
                place(z) + shift[2],
            )
        });
    }
    scene
}

fn body(index: u32, is_ball: bool, size: f32) -> Body {
    if is_ball {
        Body::new(format!("ball {index}"), ShapeSpec::ball(size), "oak")
    } else {
        Body::new(format!("box {index}"), ShapeSpec::cube(size), "oak")
    }
}

/// The inside of a cage that stands on the ground around the y axis.
pub(super) fn inside(extent: [f64; 3]) -> Bounds {
    let (x, z) = (0.5 * extent[0], 0.5 * extent[2]);
    Bounds { min: [-x, 0.0, -z], max: [x, extent[1], z] }
}

pub(super) fn walls(extent: [f64; 3], with_lid: bool) -> Vec<Body> {
    let (x, y, z) = (0.5 * extent[0], extent[1], 0.5 * extent[2]);
    let wall = |name: &str, normal: [f32; 3]| {
        let mut body = Body::new(name, ShapeSpec::HalfSpace { normal }, "granite").fixed();
        body.hidden = true;
        body
    };
    let mut walls = vec![
        Body::ground("granite"),
        wall("wall -x", [1.0, 0.0, 0.0]).at(-x, 0.0, 0.0),
        wall("wall +x", [-1.0, 0.0, 0.0]).at(x, 0.0, 0.0),
        wall("wall -z", [0.0, 0.0, 1.0]).at(0.0, 0.0, -z),
        wall("wall +z", [0.0, 0.0, -1.0]).at(0.0, 0.0, z),
    ];
    if with_lid {
        walls.push(wall("lid", [0.0, -1.0, 0.0]).at(0.0, y, 0.0));
    }
    walls
}

/// An orientation, all equally likely: a direction in four dimensions drawn from a ball.
pub(super) fn any_rotation(random: &mut Random) -> Orientation {
    loop {
        let q: [f64; 4] = std::array::from_fn(|_| random.between(-1.0, 1.0));
        let squared: f64 = q.iter().map(|c| c * c).sum();
        if (0.01..=1.0).contains(&squared) {
            return Orientation::Quaternion(q.map(|c| (c / squared.sqrt()) as f32));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cages_hold_as_many_balls_and_boxes_as_the_paper_says() {
        for (scene, balls, boxes) in [(cage384(), 192, 192), (cage2816(), 1536, 1280)] {
            let count = |prefix: &str| scene.bodies.iter().filter(|b| b.name.starts_with(prefix)).count();
            assert_eq!((count("ball"), count("box")), (balls, boxes));
            let bounds = scene.bounds.expect("cages have bounds");
            assert!(scene.bodies[6..].iter().all(|b| bounds.contains(&b.position)));
        }
    }
}
