//! The same pair seen differently gives the same manifold: roles exchanged, moved, scaled.
//!
//! Where two features are equally good up to the documented preferences, either may be taken; so the depth
//! must agree always, and whole manifolds in nearly all pairs.

use crate::support::*;
use drystone_collision::Shape;
use drystone_collision::narrow::LocalManifold;
use drystone_math::{Pose, Position, Real, RelativePose, Vector3};

fn random_shape(rng: &mut Rng) -> Shape {
    let mut length = || rng.within(0.2, 1.0);
    let (x, y, z) = (length(), length(), length());
    match rng.below(6) {
        0 => sphere(x),
        1 => capsule(x, y),
        2 | 3 => cuboid(x, y, z),
        4 => box_hull(x, y, z),
        _ => round_hull(14, x, rng),
    }
}

fn random_pair(rng: &mut Rng) -> (Shape, Shape, RelativePose) {
    let (a, b) = (random_shape(rng), random_shape(rng));
    let reach = a.bounding_radius() + b.bounding_radius();
    let pose = RelativePose::new(rng.direction() * (rng.within(0.4, 1.0) * reach), rng.rotation());
    (a, b, pose)
}

/// True when the manifolds agree as sets: normals within 1e-3, points and distances within `tolerance` m.
fn agree(m: &LocalManifold, n: &LocalManifold, tolerance: Real) -> bool {
    let matches = |p: &drystone_collision::narrow::LocalPoint| {
        n.points()
            .iter()
            .any(|q| (p.point - q.point).norm() < tolerance && (p.distance - q.distance).abs() < tolerance)
    };
    m.count == n.count
        && (m.count == 0 || (m.normal - n.normal).norm() < 1e-3)
        && m.points().iter().all(matches)
}

/// Compares `other` of random pairs with the plain answer. `limit` is the share of whole manifolds that
/// may differ.
fn compare(
    seed: u64,
    limit: f64,
    other: impl Fn(&Shape, &Shape, &RelativePose, Real, &mut Rng) -> LocalManifold,
) {
    let mut rng = Rng(seed);
    let (mut touching, mut differing) = (0, 0);
    for _ in 0..30_000 {
        let (a, b, pose) = random_pair(&mut rng);
        let margin = 0.01;
        let plain = run(&a, &b, &pose, margin);
        let seen = other(&a, &b, &pose, margin, &mut rng);
        // A point at the very margin may fall to either side.
        let (d, e) = (deepest(&plain).min(margin), deepest(&seen).min(margin));
        let allowed = 0.08 * d.abs() + 1.0e-2 * a.bounding_radius().min(b.bounding_radius());
        assert!((d - e).abs() <= allowed, "{d} m and {e} m: {a:?} {b:?} {pose:?} {plain:?} {seen:?}");
        if plain.count > 0 {
            touching += 1;
            differing += u32::from(!agree(&plain, &seen, 2e-4));
        }
    }
    let share = f64::from(differing) / f64::from(touching);
    assert!(touching > 5_000 && share < limit, "{share} of {touching} differ");
}

#[test]
fn exchanged_roles_mirror_the_manifold() {
    compare(1, 0.02, |a, b, pose, margin, _| {
        let mut mirrored = run(b, a, &pose.inverse(), margin);
        mirrored.normal = -(pose.rotation * mirrored.normal);
        for p in &mut mirrored.points {
            p.point = pose.transform_point(&p.point);
        }
        mirrored
    });
}

#[test]
fn moving_both_shapes_changes_nothing() {
    compare(2, 0.01, |a, b, pose, margin, rng| {
        let translation = Position::new(1.0e6, -2.0e6, 3.0e5);
        let pose_a = Pose::new(translation, rng.rotation());
        run(a, b, &pose_a.relative(&pose_a.compose(pose)), margin)
    });
}

fn scaled(shape: &Shape, factor: Real) -> Shape {
    match shape {
        Shape::Sphere { radius } => sphere(radius * factor),
        Shape::Capsule { half_length, radius } => capsule(half_length * factor, radius * factor),
        Shape::Box { half_extents: h } => cuboid(h.x * factor, h.y * factor, h.z * factor),
        Shape::Hull(hull) => {
            let points: Vec<Vector3> = hull.vertices.iter().map(|v| v * factor).collect();
            Shape::hull(&points).expect("a scaled hull is a hull")
        }
        _ => shape.clone(),
    }
}

#[test]
fn scaling_scales_the_manifold() {
    for factor in [1.0e-3, 1.0e3] {
        compare(3, 0.01, |a, b, pose, margin, _| {
            let pose = RelativePose::new(pose.translation * factor, pose.rotation);
            let mut manifold = run(&scaled(a, factor), &scaled(b, factor), &pose, margin * factor);
            for p in &mut manifold.points {
                p.point /= factor;
                p.distance /= factor;
            }
            manifold
        });
    }
}
