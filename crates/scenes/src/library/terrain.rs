//! Bodies on surfaces of triangles: a rolling height field. The numbers are ours.

use super::any_rotation;
use super::engines::{any_box, any_hull};
use crate::model::{Body, Bounds, PairValues, Scene, ShapeSpec};
use crate::random::Random;

/// Edge of a cell of the ground, m: about as large as the bodies, so that most lie over several triangles.
const CELL: f64 = 0.8;
/// Distance of starting places, m.
const SPACING: f64 = 1.7;
/// Layers of starting places.
const LAYERS: u32 = 4;
/// How far the ground reaches beyond the starting places, m.
const BEYOND: f64 = 12.0;
/// How fast the ground rises towards its rim, 1/m (height over distance squared, at the extent that 1000 bodies have).
const RISE: f64 = 6.0;

/// Boxes, balls, capsules and hulls fall on hills in a shallow bowl.
pub(super) fn terrain(count: u32) -> Scene {
    let mut scene = Scene::new("terrain");
    scene.description = format!(
        "{count} oak boxes, balls, capsules and hulls (about 1 m) fall on hills, a height field of {CELL} m cells, and come to rest."
    );
    scene.seconds = 15.0;
    // What lies on a slope in one point would roll for long.
    scene.contact = Some(PairValues {
        restitution: 0.0,
        static_friction: 0.6,
        kinetic_friction: 0.6,
        rolling_friction: 0.03,
    });
    let side = (f64::from(count) / f64::from(LAYERS)).sqrt().ceil() as u32;
    let half = 0.5 * f64::from(side) * SPACING;
    let mut random = Random::new(u64::from(count));
    let reach = half + BEYOND;
    scene.bodies.push(ground(reach, &mut random));
    scene.bounds = Some(Bounds { min: [-reach, -0.5, -reach], max: [reach, reach + 100.0, reach] });
    for i in 0..count {
        let (name, shape) = match i % 4 {
            0 => ("box", any_box(&mut random, 0.3, 0.5)),
            1 => ("ball", ShapeSpec::Sphere { radius: random.between(0.3, 0.5) as f32 }),
            2 => (
                "capsule",
                ShapeSpec::Capsule { half_length: 0.25, radius: random.between(0.2, 0.25) as f32 },
            ),
            _ => ("hull", any_hull(&mut random, 8 + i % 25)),
        };
        let (layer, place) = (i / (side * side), i % (side * side));
        let along = |k: u32| (f64::from(k) + 0.5) * SPACING - half;
        let mut shift = || random.between(-0.2, 0.2);
        let (x, z) = (along(place % side) + shift(), along(place / side) + shift());
        let body = Body::new(format!("{name} {i}"), shape, "oak").at(
            x,
            HIGHEST_HILL + 3.0 + f64::from(layer) * SPACING,
            z,
        );
        scene.bodies.push(Body { rotation: any_rotation(&mut random), ..body });
    }
    scene
}

/// Height of a hill over the bowl at most, m, where several overlap.
const HIGHEST_HILL: f64 = 4.0;

/// Hills in a bowl that reaches `reach` m to all sides.
fn ground(reach: f64, random: &mut Random) -> Body {
    let side = (2.0 * reach / CELL).ceil() as u32 + 1;
    let hill_count = (reach * reach / 12.0) as u32;
    // Place, radius and height.
    let hills: Vec<[f64; 4]> = (0..hill_count)
        .map(|_| {
            let [x, _, z] = random.vector(reach);
            [x, z, random.between(2.0, 6.0), random.between(0.3, 1.2)]
        })
        .collect();
    let place = |k: u32| (f64::from(k) - 0.5 * f64::from(side - 1)) * CELL;
    let height = |x: f64, z: f64| {
        // Level in the middle, steep at the rim.
        let bowl = RISE * ((x * x + z * z) / (reach * reach)).powi(2);
        let over: f64 = hills
            .iter()
            .map(|[hx, hz, radius, height]| {
                let share = ((x - hx).powi(2) + (z - hz).powi(2)) / (radius * radius);
                if share < 1.0 { height * (1.0 - share).powi(2) } else { 0.0 }
            })
            .sum();
        (bowl + over.min(HIGHEST_HILL)) as f32
    };
    let heights = (0..side * side).map(|k| height(place(k % side), place(k / side))).collect();
    let shape = ShapeSpec::HeightField { rows: side, columns: side, cell: [CELL as f32; 2], heights };
    Body::new("ground", shape, "granite").fixed()
}
