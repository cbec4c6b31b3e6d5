//! Hulls against boxes, against GJK and EPA, and hulls with many faces.

use crate::support::*;
use drystone_collision::Shape;
use drystone_collision::narrow::epa::{EpaScratch, penetration};
use drystone_collision::narrow::gjk::GjkSeed;
use drystone_collision::narrow::{LocalManifold, NarrowStatus, PairCache, contact};
use drystone_math::{Real, RelativePose, Vector3};

#[test]
fn hulls_that_are_boxes_touch_like_boxes() {
    let mut rng = Rng(1);
    let (mut touching, mut equal) = (0, 0);
    for _ in 0..20_000 {
        let h: [Real; 6] = std::array::from_fn(|_| rng.within(0.2, 1.0));
        let (a, b) = (cuboid(h[0], h[1], h[2]), cuboid(h[3], h[4], h[5]));
        let (hull_a, hull_b) = (box_hull(h[0], h[1], h[2]), box_hull(h[3], h[4], h[5]));
        let pose = RelativePose::new(rng.direction() * rng.within(0.4, 2.0), rng.rotation());
        let boxes = run(&a, &b, &pose, 0.01);
        for (x, y) in [(&hull_a, &hull_b), (&a, &hull_b), (&hull_a, &b)] {
            let hulls = run(x, y, &pose, 0.01);
            let (d, e) = (deepest(&boxes).min(0.01), deepest(&hulls).min(0.01));
            assert!((d - e).abs() < 0.07 * d.abs() + 8e-3, "{d} m and {e} m: {boxes:?} {hulls:?}");
            if boxes.count > 0 {
                touching += 1;
                let near = |p: Vector3| hulls.points().iter().any(|q| (q.point - p).norm() < 1e-4);
                let is_equal = boxes.count == hulls.count && boxes.points().iter().all(|p| near(p.point));
                equal += u32::from(is_equal);
            }
        }
    }
    // The rest are reductions and preferences that tell equally good points apart by other names.
    assert!(touching > 10_000 && f64::from(equal) > 0.95 * f64::from(touching), "{equal} of {touching}");
}

/// The signed distance by GJK and EPA, m.
fn reference(a: &Shape, b: &Shape, pose: &RelativePose) -> Real {
    let (Some((core_a, _)), Some((core_b, _))) = (a.core(), b.core()) else { panic!("both have cores") };
    penetration(&core_a, &core_b, pose, &mut GjkSeed::default(), &mut EpaScratch::default()).distance
}

/// Random overlapping pairs: the depth is EPA's up to the preference for faces.
fn compare(seed: u64, count: usize, corners: (usize, usize)) {
    let mut rng = Rng(seed);
    let mut touching = 0;
    for _ in 0..count {
        let (a, b) = (round_hull(corners.0, 1.0, &mut rng), round_hull(corners.1, 0.7, &mut rng));
        let pose = RelativePose::new(rng.direction() * rng.within(0.8, 1.8), rng.rotation());
        let (truth, manifold) = (reference(&a, &b, &pose), run(&a, &b, &pose, 0.01));
        if truth > 0.011 {
            // Features that face each other are measured along a face, which is nearer than the corners.
            assert!(manifold.count == 0 || deepest(&manifold) > 0.0, "{truth} m: {manifold:?}");
        } else if truth < 0.0 {
            touching += 1;
            let found = deepest(&manifold);
            let allowed = 0.05 * truth.abs() + 5e-3;
            assert!(
                truth - allowed < found && found < truth + allowed,
                "{found} m, {truth}: {pose:?} {manifold:?}"
            );
        }
    }
    assert!(touching > count / 5, "{touching}");
}

#[test]
fn depth_of_overlapping_hulls_matches_epa() {
    compare(2, 2_000, (12, 8));
    compare(3, 1_000, (30, 30));
}

#[test]
fn hulls_with_many_faces_match_epa() {
    compare(4, 300, (200, 20));
    compare(5, 200, (150, 150));
}

#[test]
fn a_many_sided_cylinder_stands_on_four_far_points() {
    let (ground, cylinder) = (cuboid(3.0, 0.5, 3.0), prism(120, 1.0, 0.5));
    for (a, b, pose) in [
        (&ground, &cylinder, at(0.0, 0.999, 0.0)),
        (&cylinder, &ground, at(0.0, 0.999, 0.0)),
        (&cylinder, &cylinder, at(0.2, 0.999, 0.1)),
    ] {
        let manifold = run(a, b, &pose, 0.01);
        assert_eq!((manifold.count, manifold.normal), (4, Vector3::y()));
        let p: Vec<Vector3> = manifold.points().iter().map(|p| p.point).collect();
        let diagonals = (p[0] - p[1]).norm().max((p[0] - p[2]).norm()).max((p[0] - p[3]).norm());
        assert!(diagonals > 1.6, "{manifold:?}");
        assert!(manifold.points().iter().all(|p| (p.distance + 1e-3).abs() < 1e-5), "{manifold:?}");
    }
}

#[test]
fn status_tells_how_an_answer_was_found() {
    let status = |a: &Shape, b: &Shape, pose: &RelativePose| {
        contact(a, b, pose, 0.01, &mut PairCache::default(), &mut LocalManifold::default())
    };
    let (unit, many) = (cuboid(0.5, 0.5, 0.5), prism(100, 0.5, 0.5));
    assert_eq!(status(&unit, &unit, &at(0.0, 1.0, 0.0)), NarrowStatus::Exact);
    assert_eq!(status(&unit, &many, &at(0.0, 1.0, 0.0)), NarrowStatus::Converged);
}
