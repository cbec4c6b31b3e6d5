//! What is remembered from step to step: feature ids and the pair cache.

use crate::support::*;
use drystone_collision::Shape;
use drystone_collision::narrow::{LocalManifold, PairCache};
use drystone_math::{Real, RelativePose, Rotation, Vector3};

fn features(manifold: &LocalManifold) -> Vec<u32> {
    let mut features: Vec<_> = manifold.points().iter().map(|p| p.feature).collect();
    features.sort_unstable();
    features
}

/// A pose near `pose`: moved by up to `size` m, turned by up to `size` rad.
fn near(pose: &RelativePose, size: Real, rng: &mut Rng) -> RelativePose {
    let turn = Rotation::from_scaled_axis(rng.vector(size));
    RelativePose::new(pose.translation + rng.vector(size), turn * pose.rotation)
}

/// Runs a resting pair 500 times with poses that differ by 1e-4; every run must touch with the same four
/// features.
fn stays(a: &Shape, b: &Shape, pose: &RelativePose) {
    let mut rng = Rng(5);
    let mut cache = PairCache::default();
    let first = features(&run_with(a, b, pose, 5.0e-3, &mut cache));
    assert_eq!(first.len(), 4, "{a:?} {b:?}");
    for _ in 0..500 {
        let manifold = run_with(a, b, &near(pose, 1.0e-4, &mut rng), 5.0e-3, &mut cache);
        assert_eq!(features(&manifold), first, "{manifold:?} {a:?} {b:?}");
    }
}

#[test]
fn a_resting_box_keeps_its_features_when_it_trembles() {
    let (small, big) = (cuboid(0.25, 0.25, 0.25), cuboid(2.0, 0.5, 2.0));
    let unit = cuboid(0.5, 0.5, 0.5);
    stays(&big, &small, &at(0.3, 0.75, 0.2));
    stays(&small, &big, &at(0.3, 0.75, 0.2));
    stays(&unit, &unit, &at(0.2, 1.0, 0.3));
    stays(&unit, &unit, &turned(0.1, 1.0, 0.0, Vector3::y(), 0.4));
    // Exactly one above the other: every corner may be inside or outside by the tremble.
    stays(&unit, &unit, &at(0.0, 1.0, 0.0));
    // Sharing one side only.
    stays(&unit, &unit, &at(0.0, 1.0, 0.3));
    stays(&half_space(Vector3::y()), &unit, &at(0.0, 0.5, 0.0));
}

#[test]
fn resting_hulls_keep_their_features_when_they_tremble() {
    let (small, big) = (box_hull(0.25, 0.25, 0.25), box_hull(2.0, 0.5, 2.0));
    stays(&big, &small, &at(0.3, 0.75, 0.2));
    stays(&small, &big, &at(0.3, 0.75, 0.2));
    stays(&small, &small, &at(0.1, 0.5, 0.05));
    stays(&cuboid(2.0, 0.5, 2.0), &prism(6, 0.5, 0.5), &at(0.3, 1.0, 0.2));
}

#[test]
fn corners_keep_their_names_while_a_box_slides_over_the_rim() {
    // From inside the other face to beyond it: the cut corner stands for the one that left.
    let (a, b) = (cuboid(1.0, 0.5, 1.0), cuboid(0.5, 0.5, 0.5));
    let inside = features(&run(&a, &b, &at(0.3, 1.0, 0.0), 1e-3));
    let outside = features(&run(&a, &b, &at(0.7, 1.0, 0.0), 1e-3));
    assert_eq!(inside, outside);
}

#[test]
fn corners_of_aligned_boxes_keep_their_names_when_the_other_face_becomes_the_reference() {
    let b = cuboid(0.5, 0.5, 0.5);
    for quarters in 0..4 {
        let angle = 0.01 + quarters as Real * std::f32::consts::FRAC_PI_2;
        let pose = turned(0.05, 1.0, 0.02, Vector3::y(), angle);
        // The larger face is the reference.
        let by_a = features(&run(&cuboid(0.501, 0.5, 0.501), &b, &pose, 1e-3));
        let by_b = features(&run(&cuboid(0.499, 0.5, 0.499), &b, &pose, 1e-3));
        let common = by_a.iter().filter(|f| by_b.contains(f)).count();
        assert!(common >= 3, "{by_a:x?} {by_b:x?} at {angle}");
    }
}

#[test]
fn a_remembered_pair_gives_the_depth_of_a_fresh_one() {
    let mut rng = Rng(6);
    let shapes = [
        cuboid(0.5, 0.4, 0.6),
        cuboid(0.3, 0.8, 0.2),
        box_hull(0.4, 0.5, 0.6),
        round_hull(20, 0.6, &mut rng),
    ];
    let (mut touching, mut same_features) = (0, 0);
    for a in &shapes {
        for b in &shapes {
            let mut cache = PairCache::default();
            let mut pose = at(0.0, 1.2, 0.0);
            for k in 0..3_000 {
                // A walk about the place where they just touch, with a jump now and then.
                pose = near(&pose, 0.01, &mut rng);
                if k % 100 == 0 {
                    pose = RelativePose::new(rng.direction() * rng.within(0.5, 1.2), rng.rotation());
                }
                let fresh = run(a, b, &pose, 0.01);
                let kept = run_with(a, b, &pose, 0.01, &mut cache);
                assert_eq!(fresh.count > 0, kept.count > 0, "{fresh:?} {kept:?}");
                if fresh.count > 0 {
                    touching += 1;
                    // The preferences: 5 % of the depth and 6e-3 of the thickness (at most 0.6 m).
                    let allowed = 0.08 * deepest(&fresh).abs() + 5.0e-3;
                    let difference = deepest(&fresh) - deepest(&kept);
                    assert!(difference.abs() < allowed, "{difference} m: {fresh:?} {kept:?} {pose:?}");
                    same_features += u32::from(features(&fresh) == features(&kept));
                }
            }
        }
    }
    let share = f64::from(same_features) / f64::from(touching);
    assert!(touching > 10_000 && share > 0.95, "{touching} touching, {share} with equal features");
}
