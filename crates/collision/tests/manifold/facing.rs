//! Points added to a contact of one point, for what turns about it.

use crate::support::*;
use drystone_collision::Shape;
use drystone_collision::narrow::{LocalManifold, PairCache, add_facing_points, contact};
use drystone_math::{Real, RelativePose, Vector3};

const MARGIN: Real = 0.4;

/// The contact and how it looks with more points, checked.
fn widened(a: &Shape, b: &Shape, pose: &RelativePose) -> (LocalManifold, LocalManifold) {
    let mut manifold = LocalManifold::default();
    let _ = contact(a, b, pose, MARGIN, &mut PairCache::default(), &mut manifold);
    let before = manifold;
    add_facing_points(a, b, pose, MARGIN, &mut manifold);
    check(a, b, pose, MARGIN, &manifold);
    (before, manifold)
}

#[test]
fn added_points_lie_on_both_surfaces_and_no_deeper_than_the_first() {
    let mut rng = Rng(90);
    let (mut single, mut more) = (0, 0);
    for _ in 0..20_000 {
        let mut shape = || match rng.below(4) {
            0 => cuboid(rng.within(0.2, 1.0), rng.within(0.2, 1.0), rng.within(0.2, 1.0)),
            1 => capsule(rng.within(0.2, 0.6), rng.within(0.1, 0.3)),
            2 => box_hull(rng.within(0.2, 1.0), rng.within(0.2, 1.0), rng.within(0.2, 1.0)),
            _ => round_hull(16, 0.7, &mut rng),
        };
        let (a, b) = (shape(), shape());
        let reach = size(&a) + size(&b);
        let pose = RelativePose::new(rng.direction() * (rng.within(0.5, 1.0) * reach), rng.rotation());
        let (before, after) = widened(&a, &b, &pose);
        if before.count != 1 {
            assert_eq!(before, after, "only single points get company");
            continue;
        }
        single += 1;
        more += u32::from(after.count > 1);
        assert_eq!((after.points[0], after.normal), (before.points[0], before.normal));
        let first = before.points[0].distance;
        let slack = 4.0 * rounding(&a, &b, &pose) + 2.0e-3 * first.abs();
        let is_far = |p: &&drystone_collision::narrow::LocalPoint| p.distance >= first - slack;
        assert!(after.points().iter().filter(is_far).count() == after.count as usize, "{after:?}");
    }
    assert!(single > 5_000 && 2 * more > single, "{more} of {single}");
}

/// A capsule that leans on the edge of a box by 20 degrees, its end half a metre away above the box: it turns onto that.
#[test]
fn a_capsule_that_leans_on_an_edge_meets_the_face_with_its_end() {
    let angle = Real::to_radians(20.0);
    let normal = Vector3::new(angle.sin(), angle.cos(), 0.0);
    let edge = Vector3::new(0.5, 0.5, 0.0);
    let center = edge + normal * 0.11;
    let pose = turned(center.x, center.y, center.z, Vector3::z(), Real::to_radians(-110.0));
    for a in [cuboid(0.5, 0.5, 0.5), box_hull(0.5, 0.5, 0.5)] {
        let (before, after) = widened(&a, &capsule(0.5, 0.1), &pose);
        assert_eq!((before.count, after.count), (1, 2), "{after:?}");
        let end = &after.points[1];
        // Along the normal, from the face up to the lower side of the segment's end.
        let height = center.y + 0.5 * angle.sin() - 0.1 * angle.cos() - 0.5;
        assert!((end.distance - height / angle.cos()).abs() < 1e-5, "{after:?}");
        assert!(end.point.x < 0.1, "{after:?}");
    }
}

/// Boxes and the hulls of the same boxes have the same points to add.
#[test]
fn boxes_find_what_hulls_find() {
    let mut rng = Rng(91);
    let (mut compared, mut equal) = (0, 0);
    for _ in 0..5_000 {
        let h: [Real; 6] = std::array::from_fn(|_| rng.within(0.3, 1.0));
        let (a, b) = (cuboid(h[0], h[1], h[2]), cuboid(h[3], h[4], h[5]));
        let (hull_a, hull_b) = (box_hull(h[0], h[1], h[2]), box_hull(h[3], h[4], h[5]));
        let pose = RelativePose::new(rng.direction() * rng.within(0.8, 1.8), rng.rotation());
        let ((one, boxes), (_, _)) = (widened(&a, &b, &pose), widened(&hull_a, &hull_b, &pose));
        if one.count != 1 {
            continue;
        }
        // The same point and normal, so that only the search for more is compared.
        let mut hulls = one;
        add_facing_points(&hull_a, &hull_b, &pose, MARGIN, &mut hulls);
        compared += 1;
        let is_there = |p: &Vector3| hulls.points().iter().any(|q| (q.point - p).norm() < 1e-3);
        equal += u32::from(boxes.count == hulls.count && boxes.points().iter().all(|p| is_there(&p.point)));
    }
    // The rest are points that differ in which of several equally near ones was left out.
    assert!(compared > 500 && f64::from(equal) > 0.9 * f64::from(compared), "{equal} of {compared}");
}
