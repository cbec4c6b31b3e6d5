//! Scenes that other engines are measured with, or kinds of work that they are made for: `cargo xtask peers`.
//!
//! The numbers are ours, after the benchmarks that engines publish of themselves: boxes of one metre, restitution 0
//! and friction 0.6, which are their defaults. The flowing scenes (rain, hulls, heaps) fall into pits of
//! half-spaces; bodies start apart, turned and shifted at random. `cubeglass` is that of S2 (section 6:
//! 1000 frictional cubes through an hourglass) with sizes of our own, `hourglass` the same with a narrower throat.

use super::{Jitter, above_ground, any_rotation, inside, walls};
use crate::model::{Body, Kind, Orientation, PairValues, Scene, ShapeSpec, Standing};
use crate::random::Random;

/// Edge of a box, m.
const EDGE: f64 = 1.0;
/// Distance of the middles of neighbours in a row, m.
const PITCH: f64 = 1.005;
/// The same where boxes are set beside their places, m: they must not meet.
const JITTERED_PITCH: f64 = 1.05;
/// Distance of starting places over the size of what starts there.
const SPACING: f64 = 1.8;

/// What the engines' own benchmarks mostly have.
const CONTACT: PairValues =
    PairValues { restitution: 0.0, static_friction: 0.6, kinetic_friction: 0.6, rolling_friction: 0.0 };

/// A column of oak boxes of one metre.
pub(super) fn metre_tower(count: u32, jitter: Jitter) -> Scene {
    let mut scene = standing("metre_tower");
    scene.description = format!("A tower of {count} oak boxes (1 m) stands; it begins exactly touching.");
    for i in 0..count {
        scene.bodies.push(block(format!("box {i}"), [0.0, f64::from(i), 0.0]));
    }
    shift(&mut scene, jitter);
    scene
}

/// A flat pyramid of oak boxes of one metre.
pub(super) fn metre_pyramid(rows: u32, jitter: Jitter) -> Scene {
    let mut scene = standing("metre_pyramid");
    let total = rows * (rows + 1) / 2;
    scene.description = format!("A flat pyramid of {rows} rows, {total} oak boxes (1 m), stands.");
    let pitch = if jitter.reach > 0.0 { JITTERED_PITCH } else { PITCH };
    add_pyramid(&mut scene, rows, pitch, "", [0.0, 0.0]);
    shift(&mut scene, jitter);
    scene
}

/// Sets every body that moves beside its place.
fn shift(scene: &mut Scene, jitter: Jitter) {
    if jitter.reach == 0.0 {
        return;
    }
    let Jitter { reach, seed } = jitter;
    scene.description +=
        &format!(" Boxes are set up to {} mm beside their places (draw {seed}).", 1e3 * reach);
    let mut random = Random::new(seed);
    for body in scene.bodies.iter_mut().filter(|body| body.kind == Kind::Dynamic) {
        body.position[0] += random.between(-reach, reach);
        body.position[2] += random.between(-reach, reach);
    }
}

/// A square of flat pyramids, each of ten rows.
pub(super) fn many_pyramids(side: u32) -> Scene {
    const ROWS: u32 = 10;
    let mut scene = standing("many_pyramids");
    scene.description =
        format!("{side} x {side} flat pyramids of {ROWS} rows, 55 oak boxes (1 m) each, stand apart.");
    let place = |i: u32, pitch: f64| (f64::from(i) - 0.5 * f64::from(side - 1)) * pitch;
    for i in 0..side * side {
        let (x, z) = (place(i % side, 12.0), place(i / side, 4.0));
        add_pyramid(&mut scene, ROWS, PITCH, &format!("{i}."), [x, z]);
    }
    scene
}

/// Balls as cannonballs are piled: squares of balls that touch, each layer in the hollows of the one below.
pub(super) fn ball_pyramid(layers: u32) -> Scene {
    let mut scene = standing("ball_pyramid");
    // The outer balls of the lowest layer roll away: nothing but friction holds them.
    scene.standing = Standing::None;
    let total = layers * (layers + 1) * (2 * layers + 1) / 6;
    scene.description =
        format!("A square pyramid of {layers} layers, {total} oak balls (1 m); it begins exactly touching.");
    let rise = 0.5_f64.sqrt();
    for layer in 0..layers {
        let side = layers - layer;
        let place = |i: u32| f64::from(i) - 0.5 * f64::from(side - 1);
        for i in 0..side * side {
            let body = Body::new(format!("ball {layer}.{i}"), ShapeSpec::ball(1.0), "oak");
            scene.bodies.push(body.at(place(i % side), 0.5 + rise * f64::from(layer), place(i / side)));
        }
    }
    scene
}

fn add_pyramid(scene: &mut Scene, rows: u32, pitch: f64, prefix: &str, [x, z]: [f64; 2]) {
    for row in 0..rows {
        for column in 0..rows - row {
            let along = (f64::from(column) - 0.5 * f64::from(rows - row - 1)) * pitch;
            scene.bodies.push(block(format!("box {prefix}{row}.{column}"), [x + along, f64::from(row), z]));
        }
    }
}

fn standing(name: &str) -> Scene {
    let mut scene = Scene::new(name);
    scene.seconds = 10.0;
    scene.contact = Some(CONTACT);
    scene.standing = Standing::All;
    scene.bounds = Some(above_ground(2000.0));
    scene.bodies.push(Body::ground("granite"));
    scene
}

/// `layer` boxes above the ground.
fn block(name: String, [x, layer, z]: [f64; 3]) -> Body {
    Body::new(name, ShapeSpec::cube(EDGE as f32), "oak").at(x, (layer + 0.5) * EDGE, z)
}

/// Boxes, balls and capsules rain into a pit and pile up.
pub(super) fn rain(count: u32) -> Scene {
    let mut scene = pit("rain", count, 1.0, 6);
    scene.description =
        format!("{count} oak boxes, balls and capsules (about 1 m) rain into a pit and pile up there.");
    let mut random = Random::new(u64::from(count));
    let extent = pit_extent(count, 1.0, 6);
    for i in 0..count {
        let (name, shape) = match i % 3 {
            0 => ("box", any_box(&mut random, 0.3, 0.5)),
            1 => ("ball", ShapeSpec::Sphere { radius: random.between(0.3, 0.5) as f32 }),
            _ => (
                "capsule",
                ShapeSpec::Capsule { half_length: 0.25, radius: random.between(0.2, 0.25) as f32 },
            ),
        };
        scene.bodies.push(start(i, name, shape, extent, 1.0, &mut random));
    }
    scene
}

/// Cylinders, cones and balls fall into a pit.
pub(super) fn barrels(count: u32) -> Scene {
    /// Room for one at the start, m: none is longer than 1 m from corner to corner.
    const BARREL_ROOM: f64 = 0.75;
    let mut scene = pit("barrels", count, BARREL_ROOM, 12);
    scene.description =
        format!("{count} oak cylinders, cones and balls (0.4 to 0.8 m) fall into a pit and pile up there.");
    let mut random = Random::new(u64::from(count));
    let extent = pit_extent(count, BARREL_ROOM, 12);
    for i in 0..count {
        let mut size = |low, high| random.between(low, high) as f32;
        let (name, shape) = match i % 3 {
            0 => ("cylinder", ShapeSpec::Cylinder { half_height: size(0.2, 0.4), radius: size(0.2, 0.3) }),
            1 => ("cone", ShapeSpec::Cone { half_height: size(0.25, 0.35), radius: size(0.25, 0.35) }),
            _ => ("ball", ShapeSpec::Sphere { radius: size(0.25, 0.35) }),
        };
        scene.bodies.push(start(i, name, shape, extent, BARREL_ROOM, &mut random));
    }
    scene
}

/// Convex hulls of random points fall into a pit.
pub(super) fn hull_pile(count: u32) -> Scene {
    let mut scene = pit("hull_pile", count, 1.0, 6);
    scene.description = format!("{count} oak hulls of 8 to 32 vertices (about 1 m) fall into a pit.");
    let mut random = Random::new(u64::from(count));
    let extent = pit_extent(count, 1.0, 6);
    for i in 0..count {
        let shape = any_hull(&mut random, 8 + i % 25);
        scene.bodies.push(start(i, "hull", shape, extent, 1.0, &mut random));
    }
    scene
}

/// Sharp hulls fall into a pit: splinters and blades with few corners, down to an eighth as wide as long, and thinner where few corners leave little.
pub(super) fn shards(count: u32) -> Scene {
    let mut scene = pit("shards", count, 1.0, 6);
    scene.seconds = 12.0;
    scene.description = format!(
        "{count} sharp oak hulls of 4 to 9 vertices (splinters and blades, up to 1 m long) fall into a pit."
    );
    let mut random = Random::new(u64::from(count));
    let extent = pit_extent(count, 1.0, 6);
    for i in 0..count {
        let mut shape = any_hull(&mut random, 4 + i % 6);
        // Splinters are thin in two directions, blades in one.
        let thin = random.between(0.12, 0.35) as f32;
        let scale = if i % 2 == 0 { [1.0, thin, thin] } else { [1.0, thin, 0.7] };
        if let ShapeSpec::Hull { points } = &mut shape {
            points.iter_mut().for_each(|point| (0..3).for_each(|k| point[k] *= scale[k]));
        }
        scene.bodies.push(start(i, "shard", shape, extent, 1.0, &mut random));
    }
    scene
}

/// A heap of balls and boxes, the largest scene.
pub(super) fn big_heap(count: u32) -> Scene {
    let mut scene = pit("big_heap", count, 1.0, 10);
    scene.description = format!("{count} oak balls and boxes (1 m) fall into a pit and come to rest there.");
    let mut random = Random::new(u64::from(count));
    let extent = pit_extent(count, 1.0, 10);
    for i in 0..count {
        let (name, shape) =
            if i % 2 == 0 { ("ball", ShapeSpec::ball(1.0)) } else { ("box", ShapeSpec::cube(0.8)) };
        scene.bodies.push(start(i, name, shape, extent, 1.0, &mut random));
    }
    scene
}

/// A heap that has come to rest, onto which bodies keep falling: `count` at the start, and ten per second from
/// 4 s to the end at 12 s.
pub(super) fn heap_stream(count: u32) -> Scene {
    const FIRST: f64 = 4.0;
    const PER_SECOND: f64 = 10.0;
    let mut scene = big_heap(count);
    scene.name = "heap_stream".into();
    scene.seconds = 12.0;
    scene.description = format!(
        "{count} oak balls and boxes (1 m) come to rest in a pit; from {FIRST} s on {PER_SECOND} more per second fall onto them."
    );
    let extent = pit_extent(count, 1.0, 10);
    let mut random = Random::new(u64::from(count) + 1);
    for i in 0..((scene.seconds - FIRST) * PER_SECOND) as u32 {
        let (name, shape) =
            if i % 2 == 0 { ("late ball", ShapeSpec::ball(1.0)) } else { ("late box", ShapeSpec::cube(0.8)) };
        let reach = 0.5 * extent[0] - 1.0;
        // Alternating heights, so that two that come one after the other cannot meet at their start.
        let up = extent[1] - 1.0 - 2.0 * f64::from(i % 4);
        let body = Body::new(format!("{name} {i}"), shape, "oak")
            .at(random.between(-reach, reach), up, random.between(-reach, reach))
            .moving([0.0, -5.0, 0.0], [0.0; 3]);
        let rotation = any_rotation(&mut random);
        scene.bodies.push(Body { rotation, appears: FIRST + f64::from(i) / PER_SECOND, ..body });
    }
    scene
}

/// Cubes fall through a funnel with a square throat. With a throat of 0.8 m, or of 0.45 m at 45 degrees and a friction of 0.3,
/// cubes jam above it in every engine; with one metre all are through within 10 s in sub-steps, and jam at chance in whole
/// steps of 1/30 s.
pub(super) fn hourglass(count: u32) -> Scene {
    glass("hourglass", count, 1.0)
}

/// The hourglass with a throat twelve cubes wide, in which cubes wedge for a while at most: the scene of S2.
pub(super) fn cubeglass(count: u32) -> Scene {
    glass("cubeglass", count, 1.2)
}

/// An hourglass with a throat of this width, m.
fn glass(name: &str, count: u32, throat: f64) -> Scene {
    /// Edge of a cube, m.
    const SIZE: f64 = 0.1;
    /// How wide the glass is, m.
    const WIDTH: f64 = 2.0;
    /// Height of the throat above the ground, m, and the slope of the funnel in degrees.
    const HEIGHT: f64 = 1.2;
    const SLOPE: f64 = 60.0;
    let mut scene = Scene::new(name);
    scene.description = format!(
        "{count} oak cubes (10 cm) run through the square throat of an hourglass ({throat} m). After S2, section 6."
    );
    scene.seconds = 10.0;
    scene.contact = Some(PairValues {
        restitution: 0.0,
        static_friction: 0.1,
        kinetic_friction: 0.1,
        rolling_friction: 0.0,
    });
    let side = 10;
    let layers = count.div_ceil(side * side);
    // Four plates: their upper faces go down from the walls to the edges of the throat.
    let (sin, cos) = f64::to_radians(SLOPE).sin_cos();
    let reach = 0.5 * (WIDTH - throat) / cos;
    let rim = HEIGHT + reach * sin;
    let top = rim + f64::from(layers + 2) * SPACING * SIZE;
    scene.bounds = Some(inside([WIDTH, top, WIDTH]));
    scene.bodies.extend(walls([WIDTH, top, WIDTH], false));
    let thickness = 0.1;
    for (name, turn, [x, z]) in [
        ("plate +x", [0.0, 0.0, SLOPE as f32], [1.0, 0.0]),
        ("plate -x", [0.0, 0.0, -SLOPE as f32], [-1.0, 0.0]),
        ("plate +z", [-SLOPE as f32, 0.0, 0.0], [0.0, 1.0]),
        ("plate -z", [SLOPE as f32, 0.0, 0.0], [0.0, -1.0]),
    ] {
        // The middle of the upper face, and from there half of the thickness into the plate.
        let out = 0.5 * throat + 0.5 * reach * cos + 0.5 * thickness * sin;
        let up = HEIGHT + 0.5 * reach * sin - 0.5 * thickness * cos;
        let half = |along: f64| if along != 0.0 { 0.5 * reach } else { 0.5 * WIDTH };
        let shape = ShapeSpec::cuboid(half(x) as f32, (0.5 * thickness) as f32, half(z) as f32);
        let [rx, ry, rz] = turn;
        scene
            .bodies
            .push(Body::new(name, shape, "granite").fixed().at(x * out, up, z * out).turned(rx, ry, rz));
    }
    let mut random = Random::new(u64::from(count));
    for i in 0..count {
        let (column, row, layer) = (i % side, i / side % side, i / (side * side));
        let place = |i: u32| (f64::from(i) - 0.5 * f64::from(side - 1)) * SPACING * SIZE;
        let up = rim + f64::from(layer + 1) * SPACING * SIZE;
        let cube = Body::new(format!("cube {i}"), ShapeSpec::cube(SIZE as f32), "oak").at(
            place(column),
            up,
            place(row),
        );
        scene.bodies.push(Body { rotation: any_rotation(&mut random), ..cube });
    }
    scene
}

/// A pit about `depth` bodies of `size` m deep when all rest in it.
fn pit(name: &str, count: u32, size: f64, depth: u32) -> Scene {
    let mut scene = Scene::new(name);
    scene.seconds = 6.0;
    scene.contact = Some(CONTACT);
    let extent = pit_extent(count, size, depth);
    scene.bounds = Some(inside(extent));
    scene.bodies.extend(walls(extent, false));
    scene
}

/// Width, height and width of a pit, m.
fn pit_extent(count: u32, size: f64, depth: u32) -> [f64; 3] {
    let side = pit_side(count, depth);
    let width = f64::from(side) * SPACING * size;
    [width, f64::from(count.div_ceil(side * side) + 4) * SPACING * size, width]
}

/// Bodies side by side along an edge of a pit.
fn pit_side(count: u32, depth: u32) -> u32 {
    (f64::from(count) / f64::from(depth)).sqrt().ceil().max(3.0) as u32
}

/// Body `index` of a pit at its starting place, turned and shifted at random.
fn start(index: u32, name: &str, shape: ShapeSpec, extent: [f64; 3], size: f64, random: &mut Random) -> Body {
    let pitch = SPACING * size;
    let side = (extent[0] / pitch).round() as u32;
    let (x, z, y) = (index % side, index / side % side, index / (side * side));
    let place = |i: u32| (f64::from(i) + 0.5) * pitch - 0.5 * extent[0];
    let shift = random.vector(0.1 * size);
    let rotation =
        if matches!(shape, ShapeSpec::Sphere { .. }) { Orientation::default() } else { any_rotation(random) };
    let body = Body::new(format!("{name} {index}"), shape, "oak");
    Body { rotation, ..body.at(place(x) + shift[0], (f64::from(y) + 0.75) * pitch, place(z) + shift[2]) }
}

/// A box whose half edges are in a range, m.
pub(super) fn any_box(random: &mut Random, low: f64, high: f64) -> ShapeSpec {
    ShapeSpec::Cuboid { half_extents: std::array::from_fn(|_| random.between(low, high) as f32) }
}

/// The hull of points on a ball of half a metre, no two nearer than a tenth of a radius: every one is a vertex.
pub(super) fn any_hull(random: &mut Random, vertices: u32) -> ShapeSpec {
    const RADIUS: f64 = 0.5;
    let mut points: Vec<[f32; 3]> = Vec::new();
    while points.len() < vertices as usize {
        let v = random.vector(1.0);
        let length = v.iter().map(|c| c * c).sum::<f64>().sqrt();
        if !(0.1..=1.0).contains(&length) {
            continue;
        }
        let point = v.map(|c| (RADIUS * c / length) as f32);
        let near = |p: &[f32; 3]| (0..3).map(|k| (p[k] - point[k]).powi(2)).sum::<f32>() < 0.01 * 0.25;
        if !points.iter().any(near) {
            points.push(point);
        }
    }
    ShapeSpec::Hull { points }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::build_shape;
    use drystone::Shape;
    use drystone::math::{Pose, Position};

    #[test]
    fn counts_are_those_asked_for() {
        let dynamic = |scene: &Scene| {
            let moves = |b: &&Body| b.kind == Kind::Dynamic;
            scene.bodies.iter().filter(moves).count()
        };
        for (scene, count) in [
            (metre_tower(50, Jitter::NONE), 50),
            (metre_pyramid(100, Jitter::NONE), 5050),
            (many_pyramids(14), 14 * 14 * 55),
            (ball_pyramid(84), 201_110),
            (rain(5000), 5000),
            (barrels(500), 500),
            (hull_pile(200), 200),
            (shards(500), 500),
            (big_heap(20_000), 20_000),
            (heap_stream(1000), 1080),
            (hourglass(1000), 1000),
        ] {
            assert_eq!(dynamic(&scene), count, "{}", scene.name);
        }
    }

    #[test]
    fn hulls_have_the_vertices_asked_for() {
        let mut random = Random::new(3);
        for vertices in [8, 20, 32] {
            let built = build_shape(&any_hull(&mut random, vertices)).expect("it has a volume");
            let Shape::Hull(hull) = &built.parts[0].shape else { panic!("a hull was asked for") };
            assert_eq!(hull.vertices.len(), vertices as usize);
        }
    }

    /// Boxes around the bodies at their starts do not overlap, and lie within the bounds.
    #[test]
    fn bodies_of_pits_start_apart() {
        for scene in [rain(300), barrels(300), hull_pile(100), shards(100), big_heap(300), hourglass(300)] {
            let bounds = scene.bounds.expect("pits have bounds");
            let boxed = |body: &Body| {
                let shape = build_shape(&body.shape).expect("valid").parts[0].shape.clone();
                let pose = Pose::new(Position::from(body.position), crate::run::rotation(&body.rotation));
                shape.aabb(&pose)
            };
            let moving = scene.bodies.iter().filter(|b| b.kind == Kind::Dynamic);
            let boxes: Vec<_> = moving.map(boxed).collect();
            for (i, a) in boxes.iter().enumerate() {
                assert!(
                    (0..3).all(|k| a.min[k] >= bounds.min[k] && a.max[k] <= bounds.max[k]),
                    "{}",
                    scene.name
                );
                let meets =
                    |b: &drystone::math::Aabb| (0..3).all(|k| a.min[k] < b.max[k] && b.min[k] < a.max[k]);
                assert!(!boxes[i + 1..].iter().any(meets), "{}: body {i}", scene.name);
            }
        }
    }
}
