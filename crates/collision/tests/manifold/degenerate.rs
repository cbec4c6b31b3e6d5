//! Input that no formula likes: every pair stays finite, bounded and quiet.

use crate::support::*;
use drystone_collision::Shape;
use drystone_collision::narrow::{LocalManifold, PairCache, contact};
use drystone_math::{Real, RelativePose, Rotation, Vector3, is_finite};

fn shapes() -> Vec<Shape> {
    let mut rng = Rng(1);
    vec![
        sphere(0.5),
        sphere(1e-5),
        cuboid(0.5, 0.5, 0.5),
        cuboid(1e-5, 1e5, 1.0),
        capsule(0.5, 0.25),
        capsule(0.0, 0.5),
        capsule(1e5, 1e-5),
        box_hull(0.5, 0.5, 0.5),
        round_hull(12, 1.0, &mut rng),
        prism(100, 1.0, 0.01),
        half_space(Vector3::y()),
        half_space(Vector3::new(-1.0, 0.5, 0.25)),
    ]
}

/// Whatever comes out is finite, with a unit normal.
fn survives(a: &Shape, b: &Shape, pose: &RelativePose, margin: Real) -> LocalManifold {
    let mut manifold = LocalManifold::default();
    let mut cache = PairCache::default();
    for _ in 0..2 {
        let _ = contact(a, b, pose, margin, &mut cache, &mut manifold);
        for p in manifold.points() {
            assert!(is_finite(&p.point) && p.distance.is_finite() && p.distance <= margin);
            assert!((manifold.normal.norm() - 1.0).abs() < 1e-4, "{a:?} {b:?} {pose:?} {manifold:?}");
        }
    }
    manifold
}

#[test]
fn poses_that_are_not_numbers_give_no_points() {
    let bad = [Real::NAN, Real::INFINITY, Real::NEG_INFINITY];
    for a in &shapes() {
        for b in &shapes() {
            for x in bad {
                assert_eq!(survives(a, b, &at(x, 0.0, 0.0), 0.1).count, 0);
                let mut pose = RelativePose::IDENTITY;
                pose.rotation.as_mut_unchecked().coords.y = x;
                assert_eq!(survives(a, b, &pose, 0.1).count, 0);
            }
            assert_eq!(survives(a, b, &RelativePose::IDENTITY, Real::NAN).count, 0);
        }
    }
}

#[test]
fn huge_tiny_and_coinciding_poses_stay_finite() {
    let mut rng = Rng(2);
    let translations = [0.0, 1e-45, 1e-38, 1e-20, 1e-6, 1.0, 1e5, 1e12, 1e19, 1e25, 3e38];
    for a in &shapes() {
        for b in &shapes() {
            for size in translations {
                for rotation in [Rotation::identity(), rng.rotation()] {
                    for direction in
                        [Vector3::x(), Vector3::y(), Vector3::new(-1.0, 0.5, 1.0), rng.direction()]
                    {
                        let pose = RelativePose::new(direction * size, rotation);
                        if is_finite(&pose.translation) {
                            survives(a, b, &pose, 0.0);
                            survives(a, b, &pose, 0.05);
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn concentric_shapes_are_pushed_apart_along_a_fixed_direction() {
    let same = RelativePose::IDENTITY;
    let manifold = run(&sphere(0.5), &sphere(0.25), &same, 0.0);
    assert_eq!((manifold.count, manifold.normal), (1, Vector3::y()));
    assert_eq!(manifold.points[0].distance, -0.75);
    let manifold = run(&sphere(0.5), &cuboid(1.0, 0.75, 2.0), &same, 0.0);
    assert_eq!(manifold.normal.y.abs(), 1.0, "through the nearest face");
    assert_eq!(manifold.points[0].distance, -1.25);
    let manifold = run(&capsule(1.0, 0.25), &capsule(1.0, 0.5), &same, 0.0);
    assert_eq!(manifold.normal.y, 0.0, "sideways");
    assert!((manifold.points[0].distance + 0.75).abs() < 1e-6);
    let manifold = run(&sphere(0.25), &capsule(1.0, 0.5), &at(0.0, 0.5, 0.0), 0.0);
    assert_eq!(manifold.normal.y, 0.0, "sideways");
    let manifold = run(&cuboid(1.0, 1.0, 1.0), &cuboid(1.0, 0.5, 1.0), &same, 0.0);
    assert!((deepest(&manifold) + 1.5).abs() < 1e-6, "{manifold:?}");
}

#[test]
fn a_capsule_of_no_length_is_a_sphere() {
    let mut rng = Rng(3);
    for other in shapes().iter().filter(|s| size(s) < 10.0) {
        for _ in 0..200 {
            let pose = RelativePose::new(rng.direction() * rng.within(0.0, 2.0), rng.rotation());
            let (ball, short) =
                (run(&sphere(0.5), other, &pose, 0.1), run(&capsule(0.0, 0.5), other, &pose, 0.1));
            assert_eq!(ball.count, short.count, "{other:?} {pose:?}");
            if ball.count > 0 && pose.translation.norm() > 1e-3 {
                assert!((ball.points[0].distance - short.points[0].distance).abs() < 1e-5);
            }
        }
    }
}

#[test]
fn half_spaces_ignore_each_other() {
    let (a, b) = (half_space(Vector3::y()), half_space(Vector3::x()));
    assert_eq!(run(&a, &b, &RelativePose::IDENTITY, 1.0).count, 0);
}
