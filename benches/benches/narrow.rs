//! Narrow phase: time of one contact by kind of pair.
//!
//! The item counter counts *pairs*, so that 5 Mitem/s means 200 ns per pair. Every case runs over 256 poses
//! that differ a little, so that branches and caches see a pile rather than one pair. Caches are kept
//! between runs, as in a simulation, except in the cases called fresh.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use drystone_collision::Shape;
use drystone_collision::narrow::{LocalManifold, PairCache, contact};
use drystone_math::{Real, RelativePose, Rotation, Vector3};

fn main() {
    divan::main();
}

/// Poses of a case.
const POSES: usize = 256;
/// Contact margin, m.
const MARGIN: Real = 0.01;

/// SplitMix64, numbers in [-1, 1).
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> Real {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 40) as Real / (1 << 23) as Real - 1.0
    }

    fn vector(&mut self) -> Vector3 {
        Vector3::new(self.next(), self.next(), self.next())
    }
}

fn sphere(radius: Real) -> Shape {
    Shape::sphere(radius).expect("a valid radius")
}

fn cuboid(half: Real) -> Shape {
    Shape::cuboid(Vector3::repeat(half)).expect("valid half extents")
}

fn capsule(half_length: Real, radius: Real) -> Shape {
    Shape::capsule(half_length, radius).expect("valid sizes")
}

/// A hull of `count` random points on the unit sphere: all become corners.
fn hull(count: usize) -> Shape {
    let mut noise = Noise(count as u64);
    let points: Vec<_> = (0..count).map(|_| noise.vector().normalize()).collect();
    Shape::hull(&points).expect("random points span a volume")
}

/// A regular prism of `sides` sides with half height 0.5 m.
fn prism(sides: usize) -> Shape {
    let corner = |i: usize| {
        let angle = (i / 2) as Real * std::f32::consts::TAU / sides as Real;
        Vector3::new(angle.cos(), if i.is_multiple_of(2) { 0.5 } else { -0.5 }, angle.sin())
    };
    Shape::hull(&(0..2 * sides).map(corner).collect::<Vec<_>>()).expect("a prism has volume")
}

/// Times `a` against `b` around the pose given by a position (m) and a rotation vector (rad). `count` is
/// the least and largest number of points that the poses give, checked, so that each case is what it says.
fn run(
    bencher: Bencher,
    (a, b): (Shape, Shape),
    (position, turn): ([Real; 3], [Real; 3]),
    jitter: Real,
    keeps_cache: bool,
    count: (u32, u32),
) {
    let mut noise = Noise(7);
    let poses: Vec<_> = (0..POSES)
        .map(|_| {
            let rotation = Rotation::from_scaled_axis(Vector3::from(turn) + noise.vector() * jitter);
            RelativePose::new(Vector3::from(position) + noise.vector() * jitter, rotation)
        })
        .collect();
    let mut caches = vec![PairCache::default(); POSES];
    let mut manifold = LocalManifold::default();
    for (pose, cache) in poses.iter().zip(&mut caches) {
        let _ = contact(&a, &b, pose, MARGIN, cache, &mut manifold);
        assert!((count.0..=count.1).contains(&manifold.count), "{} points", manifold.count);
    }
    bencher.counter(ItemsCount::new(POSES)).bench_local(move || {
        for (pose, cache) in poses.iter().zip(&mut caches) {
            if !keeps_cache {
                *cache = PairCache::default();
            }
            let _ = contact(black_box(&a), black_box(&b), pose, MARGIN, cache, &mut manifold);
            black_box(&manifold);
        }
    });
}

const FLAT: [Real; 3] = [0.0; 3];
const TREMBLE: Real = 1.0e-3;

#[divan::bench]
fn box_box_stacked(bencher: Bencher) {
    run(bencher, (cuboid(0.5), cuboid(0.5)), ([0.0, 1.0, 0.0], FLAT), TREMBLE, true, (4, 4));
}

#[divan::bench]
fn box_box_face_inside(bencher: Bencher) {
    run(bencher, (cuboid(2.0), cuboid(0.5)), ([0.2, 2.5, 0.3], FLAT), TREMBLE, true, (4, 4));
}

#[divan::bench]
fn box_box_face_shifted(bencher: Bencher) {
    run(bencher, (cuboid(0.5), cuboid(0.5)), ([0.3, 1.0, 0.4], FLAT), TREMBLE, true, (4, 4));
}

#[divan::bench]
fn box_box_face_octagon(bencher: Bencher) {
    run(bencher, (cuboid(0.5), cuboid(0.5)), ([0.0, 1.0, 0.0], [0.0, 0.8, 0.0]), TREMBLE, true, (4, 4));
}

#[divan::bench]
fn box_box_edge(bencher: Bencher) {
    // An upper edge along x, turned by a quarter right angle about y, on a lower edge along z.
    let quarter = Rotation::from_scaled_axis(Vector3::new(0.0, 0.0, std::f32::consts::FRAC_PI_4));
    let across = Rotation::from_scaled_axis(Vector3::new(0.0, 1.2, 0.0));
    let relative = quarter.inverse() * across * quarter;
    let position = quarter.inverse() * Vector3::new(0.0, 1.41, 0.0);
    let turn = relative.scaled_axis();
    run(bencher, (cuboid(0.5), cuboid(0.5)), (position.into(), turn.into()), TREMBLE, true, (1, 1));
}

#[divan::bench]
fn box_box_separated_fresh(bencher: Bencher) {
    run(bencher, (cuboid(0.5), cuboid(0.5)), ([1.2, 0.9, 0.3], [0.7, 0.8, 0.9]), TREMBLE, false, (0, 0));
}

#[divan::bench]
fn box_box_separated_cached(bencher: Bencher) {
    run(bencher, (cuboid(0.5), cuboid(0.5)), ([1.2, 0.9, 0.3], [0.7, 0.8, 0.9]), TREMBLE, true, (0, 0));
}

#[divan::bench]
fn box_box_corner_to_corner(bencher: Bencher) {
    run(bencher, (cuboid(0.5), cuboid(0.5)), ([1.003, 1.003, 1.003], FLAT), 1.0e-4, true, (1, 1));
}

fn cylinder(half_height: Real, radius: Real) -> Shape {
    Shape::cylinder(half_height, radius).expect("valid sizes")
}

/// Turned onto its side, along x.
const LYING: [Real; 3] = [0.0, 0.0, std::f32::consts::FRAC_PI_2];

#[divan::bench]
fn cylinder_half_space_standing(bencher: Bencher) {
    let ground = Shape::half_space(Vector3::y()).expect("a valid normal");
    run(bencher, (ground, cylinder(0.5, 0.3)), ([0.0, 0.5, 0.0], FLAT), TREMBLE, true, (4, 4));
}

#[divan::bench]
fn cylinder_box_standing(bencher: Bencher) {
    run(bencher, (cuboid(1.0), cylinder(0.5, 0.3)), ([0.2, 1.5, 0.1], FLAT), TREMBLE, true, (4, 4));
}

#[divan::bench]
fn cylinder_box_half_over_an_edge(bencher: Bencher) {
    run(bencher, (cuboid(1.0), cylinder(0.5, 0.3)), ([0.9, 1.5, 0.1], FLAT), TREMBLE, true, (4, 4));
}

#[divan::bench]
fn cylinder_box_lying(bencher: Bencher) {
    run(bencher, (cuboid(1.0), cylinder(0.5, 0.3)), ([0.2, 1.3, 0.1], LYING), TREMBLE, true, (2, 2));
}

#[divan::bench]
fn cylinder_box_corner(bencher: Bencher) {
    // The corner of the box in the side of the cylinder: GJK and EPA.
    run(
        bencher,
        (cuboid(0.5), cylinder(0.8, 0.3)),
        ([0.7, 0.7, 0.5], [0.5, 0.0, 0.5]),
        TREMBLE,
        true,
        (1, 1),
    );
}

#[divan::bench]
fn cylinder_cylinder_stacked(bencher: Bencher) {
    run(bencher, (cylinder(0.5, 0.3), cylinder(0.5, 0.3)), ([0.02, 1.0, 0.01], FLAT), TREMBLE, true, (4, 4));
}

#[divan::bench]
fn cylinder_cylinder_side_by_side(bencher: Bencher) {
    run(bencher, (cylinder(0.5, 0.3), cylinder(0.5, 0.3)), ([0.6, 0.2, 0.0], FLAT), TREMBLE, true, (2, 2));
}

#[divan::bench]
fn cylinder_cylinder_crossed(bencher: Bencher) {
    run(bencher, (cylinder(0.5, 0.3), cylinder(0.5, 0.3)), ([0.1, 0.2, 0.6], LYING), TREMBLE, true, (1, 1));
}

#[divan::bench]
fn cylinder_cylinder_rims(bencher: Bencher) {
    // Rim against side, overlapping: GJK and EPA.
    run(
        bencher,
        (cylinder(0.5, 0.3), cylinder(0.5, 0.3)),
        ([0.48, 0.7, 0.1], [0.0, 0.0, 0.8]),
        TREMBLE,
        true,
        (1, 1),
    );
}

#[divan::bench]
fn sphere_cylinder(bencher: Bencher) {
    run(bencher, (cylinder(0.5, 0.3), sphere(0.2)), ([0.35, 0.65, 0.2], FLAT), TREMBLE, true, (1, 1));
}

#[divan::bench]
fn box_half_space(bencher: Bencher) {
    let ground = Shape::half_space(Vector3::y()).expect("a valid normal");
    run(bencher, (ground, cuboid(0.5)), ([0.0, 0.5, 0.0], FLAT), TREMBLE, true, (4, 4));
}

#[divan::bench]
fn sphere_sphere(bencher: Bencher) {
    run(bencher, (sphere(0.5), sphere(0.5)), ([0.6, 0.7, 0.3], FLAT), TREMBLE, true, (1, 1));
}

#[divan::bench]
fn sphere_box(bencher: Bencher) {
    run(bencher, (sphere(0.5), cuboid(0.5)), ([0.2, 1.0, 0.3], [0.1, 0.2, 0.3]), TREMBLE, true, (1, 1));
}

#[divan::bench]
fn sphere_capsule(bencher: Bencher) {
    run(bencher, (sphere(0.5), capsule(0.5, 0.25)), ([0.7, 0.2, 0.1], FLAT), TREMBLE, true, (1, 1));
}

#[divan::bench]
fn capsule_capsule_crossed(bencher: Bencher) {
    let capsules = (capsule(0.5, 0.25), capsule(0.5, 0.25));
    run(bencher, capsules, ([0.49, 0.1, 0.1], [1.2, 0.0, 0.0]), TREMBLE, true, (1, 1));
}

#[divan::bench]
fn capsule_capsule_parallel(bencher: Bencher) {
    let capsules = (capsule(0.5, 0.25), capsule(0.5, 0.25));
    run(bencher, capsules, ([0.5, 0.1, 0.0], FLAT), TREMBLE, true, (2, 2));
}

#[divan::bench]
fn capsule_box_lying(bencher: Bencher) {
    let lying = [0.0, 0.0, std::f32::consts::FRAC_PI_2];
    run(bencher, (cuboid(0.5), capsule(0.4, 0.25)), ([0.0, 0.75, 0.0], lying), TREMBLE, true, (2, 2));
}

#[divan::bench]
fn capsule_box_edge(bencher: Bencher) {
    let across = [0.0, 0.0, -0.8];
    run(bencher, (cuboid(0.5), capsule(0.4, 0.25)), ([0.6, 0.73, 0.0], across), TREMBLE, true, (1, 2));
}

#[divan::bench(args = [8, 32])]
fn sphere_hull(bencher: Bencher, corners: usize) {
    run(bencher, (sphere(0.5), hull(corners)), ([0.7, 0.9, 0.2], FLAT), TREMBLE, true, (0, 1));
}

#[divan::bench(args = [8, 32])]
fn capsule_hull(bencher: Bencher, corners: usize) {
    run(bencher, (capsule(0.5, 0.4), hull(corners)), ([0.7, 0.9, 0.2], FLAT), TREMBLE, true, (0, 2));
}

#[divan::bench(args = [8, 32])]
fn hull_hull_overlapping(bencher: Bencher, corners: usize) {
    run(bencher, (hull(corners), hull(corners)), ([1.3, 0.5, 0.3], [0.3, 0.4, 0.5]), TREMBLE, true, (0, 4));
}

#[divan::bench(args = [8, 32])]
fn hull_hull_separated_cached(bencher: Bencher, corners: usize) {
    run(bencher, (hull(corners), hull(corners)), ([1.7, 1.0, 0.9], [0.3, 0.4, 0.5]), TREMBLE, true, (0, 0));
}

/// Prisms standing on each other: 6 and 30 sides by separating axes, 120 sides by GJK and EPA.
#[divan::bench(args = [6, 30, 120])]
fn prism_stacked(bencher: Bencher, sides: usize) {
    run(bencher, (prism(sides), prism(sides)), ([0.1, 0.999, 0.2], FLAT), 1.0e-4, true, (4, 4));
}

#[divan::bench]
fn box_prism_6_stacked(bencher: Bencher) {
    run(bencher, (cuboid(2.0), prism(6)), ([0.1, 2.499, 0.2], FLAT), 1.0e-4, true, (4, 4));
}
