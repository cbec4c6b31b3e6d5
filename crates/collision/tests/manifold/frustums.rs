//! Cylinders and cones.
//!
//! References, in order of trust: formulas in `f64` (balls, half-spaces, and the bounds that any direction and any
//! pair of points give), the signed distance of the cores by GJK and EPA (`tests/gjk.rs` tests those), prisms and pyramids
//! of 64 sides within what their facets explain, and the same pair seen differently.

use crate::support::*;
use drystone_collision::Shape;
use drystone_collision::narrow::epa::{EpaScratch, penetration};
use drystone_collision::narrow::gjk::GjkSeed;
use drystone_collision::narrow::{LocalManifold, LocalPoint, NarrowStatus, PairCache, add_facing_points};
use drystone_math::{Displacement, Pose, Position, Real, RelativePose, Rotation, Vector3, widen};

const TURN: Real = std::f32::consts::FRAC_PI_2;

fn round(rng: &mut Rng) -> Shape {
    let (h, r) = (rng.within(0.1, 1.0), rng.within(0.1, 1.0));
    if rng.below(2) == 0 { cylinder(h, r) } else { cone(h, r) }
}

/// Any bounded shape but a ball.
fn other(rng: &mut Rng) -> Shape {
    let mut length = || rng.within(0.2, 1.0);
    let (x, y, z) = (length(), length(), length());
    match rng.below(7) {
        0 => capsule(x, y),
        1 => cuboid(x, y, z),
        2 => box_hull(x, y, z),
        3 => round_hull(14, x, rng),
        // More faces than separating axes are taken of.
        4 => round_hull(60, x, rng),
        _ => round(rng),
    }
}

/// A cylinder or cone and another shape in either order, near each other.
fn pair(rng: &mut Rng) -> (Shape, Shape, RelativePose) {
    let (mut a, mut b) = (round(rng), other(rng));
    if rng.below(2) == 0 {
        std::mem::swap(&mut a, &mut b);
    }
    let reach = a.bounding_radius() + b.bounding_radius();
    let pose = RelativePose::new(rng.direction() * (rng.within(0.3, 1.0) * reach), rng.rotation());
    (a, b, pose)
}

/// The corners of a regular prism or pyramid of `sides` sides within a cylinder or cone.
fn faceted(shape: &Shape, sides: usize) -> Shape {
    let corner = |i: usize, y: Real, radius: Real| {
        let angle = i as Real * std::f32::consts::TAU / sides as Real;
        Vector3::new(radius * angle.cos(), y, radius * angle.sin())
    };
    let points: Vec<_> = match shape {
        Shape::Cylinder { half_height: h, radius } => {
            (0..2 * sides).map(|i| corner(i / 2, if i % 2 == 0 { *h } else { -h }, *radius)).collect()
        }
        Shape::Cone { half_height: h, radius } => {
            (0..sides).map(|i| corner(i, -h, *radius)).chain([Vector3::new(0.0, *h, 0.0)]).collect()
        }
        _ => return shape.clone(),
    };
    Shape::hull(&points).expect("a volume")
}

fn radius_of(shape: &Shape) -> Real {
    match shape {
        Shape::Cylinder { radius, .. } | Shape::Cone { radius, .. } => *radius,
        _ => 0.0,
    }
}

/// What preferences may cost: those of boxes and hulls.
fn preference(distance: f64, a: &Shape, b: &Shape) -> f64 {
    0.05 * distance.abs() + 5.0e-3 * f64::from(a.inner_radius().min(b.inner_radius()))
}

/// Distance of the deepest point against that of the cores, and the normal against theirs.
#[test]
fn distance_is_that_of_the_cores_up_to_preferences() {
    let mut rng = Rng(11);
    let (mut apart, mut deep, mut limited) = (0, 0, 0);
    let margin = 0.1;
    for _ in 0..30_000 {
        let (a, b, pose) = pair(&mut rng);
        let found = run(&a, &b, &pose, margin);
        let (Some((core_a, ra)), Some((core_b, rb))) = (a.core(), b.core()) else { panic!("bounded") };
        let exact = penetration(&core_a, &core_b, &pose, &mut GjkSeed::default(), &mut EpaScratch::default());
        limited += u32::from(exact.status == NarrowStatus::RoundLimit);
        let truth = f64::from(exact.distance) - f64::from(ra + rb);
        let rounding = f64::from(4.0 * rounding(&a, &b, &pose)) + f64::from(exact.error_bound);
        if truth > f64::from(margin) + rounding {
            assert_eq!(found.count, 0, "{truth} m apart: {a:?} {b:?} {pose:?} {found:?}");
        } else if truth < f64::from(margin) - 0.01 {
            assert!(found.count > 0, "{truth} m apart: {a:?} {b:?} {pose:?}");
            if truth > 0.0 {
                apart += 1
            } else {
                deep += 1
            }
            let d = f64::from(deepest(&found));
            // Nearly parallel lines are taken as parallel: by 5e-4 of the radii nearer than they are.
            let parallel = 5.0e-4 * f64::from(radius_of(&a) + radius_of(&b) + ra + rb);
            // Above: no answer is farther apart or less deep than there is; below: preferences only deepen.
            let (low, high) = if truth > 0.0 {
                (truth - rounding - parallel, truth + preference(truth, &a, &b) + rounding)
            } else {
                (
                    truth - 2.0 * preference(truth, &a, &b) - rounding - parallel,
                    truth + preference(truth, &a, &b) + rounding,
                )
            };
            assert!(
                low <= d && d <= high,
                "{d} m, expected {truth}: {a:?} {b:?} {pose:?} {found:?} {exact:?}"
            );
        }
    }
    assert!(apart > 1_500 && deep > 8_000, "{apart} {deep}");
    assert!(limited == 0, "{limited} of {deep} out of rounds");
}

/// Against prisms of 64 sides: the rim of those is inside the circle by `1 − cos(π / 64)` of the radius.
#[test]
fn faceted_pairs_are_as_far_apart() {
    let mut rng = Rng(12);
    let mut touching = 0;
    for _ in 0..3_000 {
        let (a, b, pose) = pair(&mut rng);
        let margin = 0.1;
        let (d, e) = (
            f64::from(deepest(&run(&a, &b, &pose, margin)).min(margin)),
            f64::from(deepest(&run(&faceted(&a, 64), &faceted(&b, 64), &pose, margin)).min(margin)),
        );
        touching += u32::from(d < 0.09);
        let facets = 1.21e-3 * f64::from(radius_of(&a) + radius_of(&b));
        let allowed =
            facets + 2.0 * preference(d, &a, &b) + preference(e, &faceted(&a, 64), &faceted(&b, 64)) + 1e-5;
        assert!((d - e).abs() <= allowed, "{d} m and {e} m: {a:?} {b:?} {pose:?}");
    }
    assert!(touching > 1_000, "{touching}");
}

/// Signed distance of a point from a cylinder or cone by its profile in the half-plane through the axis: the sides of
/// a trapezoid, in `f64`.
fn distance_from(shape: &Shape, p: &Displacement) -> f64 {
    let inside = outside(shape, p);
    if inside <= 0.0 {
        return inside;
    }
    let (top, base, h) = match shape {
        Shape::Cylinder { half_height, radius } => (*radius, *radius, *half_height),
        Shape::Cone { half_height, radius } => (0.0, *radius, *half_height),
        _ => panic!("a cylinder or cone"),
    };
    let (top, base, h) = (f64::from(top), f64::from(base), f64::from(h));
    let from = (p.xz().norm(), p.y);
    let corners = [(0.0, h), (top, h), (base, -h), (0.0, -h)];
    let to_segment = |p: (f64, f64), q: (f64, f64)| {
        let (dx, dy) = (q.0 - p.0, q.1 - p.1);
        let square = dx * dx + dy * dy;
        let s = if square > 0.0 { ((from.0 - p.0) * dx + (from.1 - p.1) * dy) / square } else { 0.0 };
        let s = s.clamp(0.0, 1.0);
        ((p.0 + s * dx - from.0).powi(2) + (p.1 + s * dy - from.1).powi(2)).sqrt()
    };
    corners.windows(2).map(|c| to_segment(c[0], c[1])).fold(f64::INFINITY, f64::min)
}

#[test]
fn balls_are_as_far_as_the_profile_says() {
    let mut rng = Rng(13);
    let (mut near, mut inside) = (0, 0);
    for _ in 0..20_000 {
        let (shape, ball) = (round(&mut rng), rng.within(0.05, 0.5));
        let pose = RelativePose::new(rng.direction() * rng.within(0.0, 1.6), rng.rotation());
        let center = WidePose::new(&pose).inverse_point(&Displacement::zeros());
        let truth = distance_from(&shape, &center) - f64::from(ball);
        let found = run(&sphere(ball), &shape, &pose, 0.1);
        let tolerance = f64::from(2.0 * rounding(&sphere(ball), &shape, &pose));
        if truth < 0.1 - tolerance {
            near += 1;
            inside += u32::from(truth < -f64::from(ball));
            let d = f64::from(found.points[0].distance);
            assert!(found.count == 1 && (d - truth).abs() < tolerance, "{d} {truth} {shape:?} {pose:?}");
        } else if truth > 0.1 + tolerance {
            assert_eq!(found.count, 0);
        }
    }
    assert!(near > 5_000 && inside > 500, "{near} {inside}");
}

/// A ball over a cap, beside the side, at the rim, over the apex: distance and normal by hand.
#[test]
fn balls_meet_cap_side_rim_and_apex() {
    let (can, hat) = (cylinder(0.5, 0.4), cone(0.5, 0.4));
    let diagonal = std::f32::consts::FRAC_1_SQRT_2;
    let cases = [
        (&can, Vector3::new(0.1, 0.8, 0.2), Vector3::y(), 0.1),
        (&can, Vector3::new(0.0, -0.75, 0.0), -Vector3::y(), 0.05),
        (&can, Vector3::new(-0.65, 0.3, 0.0), -Vector3::x(), 0.05),
        (
            &can,
            Vector3::new(0.4 + 0.2, 0.5 + 0.2, 0.0),
            Vector3::new(diagonal, diagonal, 0.0),
            0.2 / diagonal - 0.2,
        ),
        (&can, Vector3::new(0.0, 0.1, 0.38), Vector3::z(), -0.22),
        (&hat, Vector3::new(0.0, 0.75, 0.0), Vector3::y(), 0.05),
        (&hat, Vector3::new(0.1, -0.72, 0.1), -Vector3::y(), 0.02),
        (&hat, Vector3::new(0.65, -0.5, 0.0), Vector3::x(), 0.05),
    ];
    for (shape, center, outward, distance) in cases {
        let found = run(&sphere(0.2), shape, &at(-center.x, -center.y, -center.z), 0.15);
        assert!(found.count == 1 && (found.normal + outward).norm() < 1e-6, "{found:?} {shape:?} {center:?}");
        assert!((found.points[0].distance - distance).abs() < 1e-6, "{found:?} {shape:?} {center:?}");
    }
}

/// Over a half-space the lowest point is known: the deepest point is it, wherever the solid is tilted.
#[test]
fn over_a_half_space_the_lowest_point_decides() {
    let mut rng = Rng(14);
    for _ in 0..20_000 {
        let shape = round(&mut rng);
        let tilt = if rng.below(3) == 0 { rng.within(-3.0e-3, 3.0e-3) } else { rng.within(-3.2, 3.2) };
        let level = Vector3::new(rng.within(-1.0, 1.0), 0.0, rng.within(-1.0, 1.0)).normalize();
        let rotation = Rotation::from_scaled_axis(level * tilt);
        let pose = RelativePose::new(Vector3::new(0.0, rng.within(0.0, 1.2), 0.0), rotation);
        let wide = WidePose::new(&pose);
        let n = wide.inverse_point(&(wide.translation + Displacement::y()));
        let (Shape::Cylinder { half_height, radius } | Shape::Cone { half_height, radius }) = &shape else {
            panic!("round")
        };
        let (h, r) = (f64::from(*half_height), f64::from(*radius));
        let top = if matches!(shape, Shape::Cone { .. }) { 0.0 } else { r };
        let lowest = wide.translation.y + (h * n.y - top * n.xz().norm()).min(-h * n.y - r * n.xz().norm());
        let found = run(&half_space(Vector3::y()), &shape, &pose, 0.1);
        // A disc that lies flat keeps its corners: the lowest is missed by at most its slope times 1 - cos 45°.
        let flat = if n.xz().norm() < 2.1e-3 { 0.3 * n.xz().norm() * r } else { 0.0 };
        let rounding = f64::from(rounding(&half_space(Vector3::y()), &shape, &pose));
        if lowest < 0.1 - rounding - flat {
            let d = f64::from(deepest(&found));
            assert!(
                (lowest - rounding..=lowest + flat + rounding).contains(&d),
                "{d} {lowest} {shape:?} {pose:?}"
            );
            assert!((f64::from(found.gap) - lowest).abs() < 2.0 * rounding);
        }
    }
}

fn lying() -> Rotation {
    Rotation::from_scaled_axis(Vector3::z() * TURN)
}

/// Area of the quadrilateral or triangle of the points, seen along the normal.
fn area(found: &LocalManifold) -> Real {
    let p: Vec<Vector3> = found.points().iter().map(|p| p.point).collect();
    let mut widest: Real = 0.0;
    for i in 0..p.len() {
        for j in 0..p.len() {
            for k in 0..p.len() {
                widest = widest.max((p[j] - p[i]).cross(&(p[k] - p[i])).dot(&found.normal).abs() * 0.5);
            }
        }
    }
    widest
}

/// The points as distances are all `gap` and the manifold has `count` of them.
fn expect_level(found: &LocalManifold, count: u32, gap: Real, normal: Vector3) {
    assert_eq!(found.count, count, "{found:?}");
    assert!((found.normal - normal).norm() < 1e-5, "{found:?}");
    assert!(found.points().iter().all(|p| (p.distance - gap).abs() < 1e-5), "{gap}: {found:?}");
}

#[test]
fn standing_on_a_cap_gives_four_spread_points() {
    let supports = [
        (half_space(Vector3::y()), 0.0),
        (cuboid(2.0, 0.5, 2.0), 0.5),
        (box_hull(2.0, 0.5, 2.0), 0.5),
        (cylinder(0.5, 1.5), 0.5),
        (prism(80, 1.5, 0.5), 0.5),
    ];
    for gap in [-1.0e-3, 0.0, 1.0e-3] {
        for (support, top) in &supports {
            for shape in [cylinder(0.4, 0.3), cone(0.4, 0.3)] {
                let found = run(support, &shape, &at(0.2, top + 0.4 + gap, 0.1), 5.0e-3);
                expect_level(&found, 4, gap, Vector3::y());
                // The largest triangle in the circle of a square is half the square: r².
                assert!(area(&found) > 0.99 * 0.09, "{found:?}");
            }
        }
        // The wider one above the narrower.
        let found = run(&cylinder(0.5, 0.2), &cylinder(0.5, 0.6), &at(0.1, 1.0 + gap, 0.0), 5.0e-3);
        expect_level(&found, 4, gap, Vector3::y());
        assert!(area(&found) > 0.99 * 0.04, "{found:?}");
        let found = run(&cuboid(0.1, 0.5, 0.1), &cylinder(0.5, 0.6), &at(0.2, 1.0 + gap, 0.3), 5.0e-3);
        expect_level(&found, 4, gap, Vector3::y());
        assert!(area(&found) > 0.99 * 0.02, "{found:?}");
    }
}

/// Half over the edge of a table: the points span the half disc that is supported, up to the edge.
#[test]
fn half_over_an_edge_the_points_reach_the_edge() {
    for shape in [cylinder(0.4, 0.3), cone(0.4, 0.3)] {
        let found = run(&cuboid(1.0, 0.5, 1.0), &shape, &at(0.9, 0.9, 0.2), 5.0e-3);
        expect_level(&found, 4, 0.0, Vector3::y());
        let at_edge = found.points().iter().filter(|p| (p.point.x - 1.0).abs() < 1e-5).count();
        assert!(at_edge == 2 && area(&found) > 0.09, "{found:?}");
    }
}

/// Also with a margin that reaches the flanks: what rolls fast is looked at from far, and its rims come down beside the line, never to it.
#[test]
fn lying_on_the_side_gives_a_line_of_two_points() {
    let slant = (1.0_f32 * 1.0 + 0.3 * 0.3).sqrt();
    for (gap, margin) in [(-1.0e-3, 5.0e-3), (0.0, 5.0e-3), (1.0e-3, 5.0e-3), (0.0, 1.0)] {
        for (support, top) in
            [(half_space(Vector3::y()), 0.0), (cuboid(2.0, 0.5, 2.0), 0.5), (box_hull(2.0, 0.5, 2.0), 0.5)]
        {
            let pose = RelativePose::new(Vector3::new(0.1, top + 0.3 + gap, 0.2), lying());
            let found = run(&support, &cylinder(0.5, 0.3), &pose, margin);
            expect_level(&found, 2, gap, Vector3::y());
            assert!((found.points[0].point - found.points[1].point).norm() > 0.999, "{found:?}");
            // A cone tipped until its side is level: the apex and a point of the rim.
            let half_angle = (0.3_f32 / 1.0).atan();
            let tipped = Rotation::from_scaled_axis(Vector3::z() * (TURN + half_angle));
            let height = 0.5 * 0.3 / slant;
            let pose = RelativePose::new(Vector3::new(0.1, top + height + gap, 0.2), tipped);
            let found = run(&support, &cone(0.5, 0.3), &pose, margin);
            expect_level(&found, 2, gap, Vector3::y());
            assert!((found.points[0].point - found.points[1].point).norm() > 0.999 * slant, "{found:?}");
        }
    }
}

#[test]
fn cylinders_side_by_side_share_a_line_and_crossed_a_point() {
    for gap in [-1.0e-3, 0.0, 1.0e-3] {
        let beside = run(&cylinder(0.5, 0.3), &cylinder(0.4, 0.2), &at(0.5 + gap, 0.2, 0.0), 5.0e-3);
        expect_level(&beside, 2, gap, Vector3::x());
        let mut heights = [beside.points[0].point.y, beside.points[1].point.y];
        heights.sort_by(Real::total_cmp);
        assert!((heights[0] + 0.2).abs() < 1e-5 && (heights[1] - 0.5).abs() < 1e-5, "{beside:?}");
        let crossed = RelativePose::new(Vector3::new(0.1, 0.2, 0.5 + gap), lying());
        expect_level(&run(&cylinder(0.5, 0.3), &cylinder(0.4, 0.2), &crossed, 5.0e-3), 1, gap, Vector3::z());
        let pill = run(&capsule(0.4, 0.2), &cylinder(0.5, 0.3), &at(0.5 + gap, 0.2, 0.0), 5.0e-3);
        expect_level(&pill, 2, gap, Vector3::x());
        // A capsule on a cap.
        let pose = RelativePose::new(Vector3::new(0.1, 0.7 + gap, 0.0), lying());
        expect_level(&run(&cylinder(0.5, 0.6), &capsule(0.3, 0.2), &pose, 5.0e-3), 2, gap, Vector3::y());
        // Along an edge of a box, seen at 45 degrees.
        let reach = (0.5 + (0.3 + gap) * std::f32::consts::FRAC_1_SQRT_2) as Real;
        let along = RelativePose::new(
            Vector3::new(reach, reach, 0.0),
            Rotation::from_scaled_axis(Vector3::x() * TURN),
        );
        let on_edge = run(&cuboid(0.5, 0.5, 1.0), &cylinder(0.6, 0.3), &along, 5.0e-3);
        assert_eq!(on_edge.count, 2, "{on_edge:?}");
        assert!(on_edge.points().iter().all(|p| (p.distance - gap).abs() < 1e-4), "{on_edge:?}");
    }
}

fn features(manifold: &LocalManifold) -> Vec<u32> {
    let mut features: Vec<_> = manifold.points().iter().map(|p| p.feature).collect();
    features.sort_unstable();
    features
}

/// A resting pair keeps its points' names and places when it trembles by 1e-4.
#[test]
fn resting_solids_keep_their_features_when_they_tremble() {
    let table = cuboid(2.0, 0.5, 2.0);
    let lying_pose = |y: Real| RelativePose::new(Vector3::new(0.1, y, 0.2), lying());
    let cases = [
        (half_space(Vector3::y()), cylinder(0.4, 0.3), at(0.0, 0.4, 0.0)),
        (table.clone(), cylinder(0.4, 0.3), at(0.2, 0.9, 0.1)),
        (table.clone(), cone(0.4, 0.3), at(0.2, 0.9, 0.1)),
        (cylinder(0.5, 0.5), cylinder(0.4, 0.3), at(0.1, 0.9, 0.05)),
        (cylinder(0.5, 0.3), cylinder(0.5, 0.3), at(0.05, 1.0, 0.02)),
        (table.clone(), cylinder(0.4, 0.3), lying_pose(0.8)),
        (half_space(Vector3::y()), cylinder(0.4, 0.3), lying_pose(0.3)),
        (cylinder(0.5, 0.3), cylinder(0.5, 0.2), at(0.5, 0.2, 0.0)),
    ];
    for (a, b, pose) in cases {
        let mut rng = Rng(5);
        let mut cache = PairCache::default();
        let first = run_with(&a, &b, &pose, 5.0e-3, &mut cache);
        let mut renamed = 0;
        for _ in 0..500 {
            let turn = Rotation::from_scaled_axis(rng.vector(1.0e-4));
            let near = RelativePose::new(pose.translation + rng.vector(1.0e-4), turn * pose.rotation);
            let found = run_with(&a, &b, &near, 5.0e-3, &mut cache);
            renamed += u32::from(features(&found) != features(&first));
        }
        assert_eq!(renamed, 0, "{a:?} {b:?}");
    }
}

/// A cylinder that rolls over a box, by hand: the gap is exact in every orientation, the normal never leaves the face,
/// and the two names stay.
#[test]
fn rolling_over_a_face_is_smooth() {
    let (table, wheel) = (cuboid(5.0, 0.5, 5.0), cylinder(0.4, 0.3));
    let mut cache = PairCache::default();
    let mut names = None;
    for i in 0..3_000 {
        let angle = i as Real * 0.005;
        let spin = Rotation::from_scaled_axis(Vector3::y() * angle);
        let pose = RelativePose::new(Vector3::new(0.1, 0.8, -2.0 + 0.3 * angle), lying() * spin);
        let found = run_with(&table, &wheel, &pose, 5.0e-3, &mut cache);
        expect_level(&found, 2, 0.0, Vector3::y());
        assert!(found.points().iter().all(|p| (p.point.z - pose.translation.z).abs() < 1e-5), "{found:?}");
        assert_eq!(*names.get_or_insert(features(&found)), features(&found));
    }
}

/// Points match as sets: places and distances within `tolerance` m.
fn agree(m: &LocalManifold, n: &LocalManifold, tolerance: Real) -> bool {
    let is_near = |p: &LocalPoint, q: &LocalPoint| {
        (p.point - q.point).norm() < tolerance && (p.distance - q.distance).abs() < tolerance
    };
    m.count == n.count
        && (m.count == 0 || (m.normal - n.normal).norm() < 2e-3)
        && m.points().iter().all(|p| n.points().iter().any(|q| is_near(p, q)))
}

/// Compares the plain answer of random pairs with `other`; `limit` is the share of whole manifolds that may differ.
fn compare(
    seed: u64,
    limit: f64,
    other: impl Fn(&Shape, &Shape, &RelativePose, Real, &mut Rng) -> LocalManifold,
) {
    let mut rng = Rng(seed);
    let (mut touching, mut differing) = (0, 0);
    for _ in 0..10_000 {
        let (a, b, pose) = pair(&mut rng);
        let margin = 0.01;
        let plain = run(&a, &b, &pose, margin);
        let seen = other(&a, &b, &pose, margin, &mut rng);
        let (d, e) = (deepest(&plain).min(margin), deepest(&seen).min(margin));
        let allowed = 0.08 * d.abs() + 1.0e-2 * a.bounding_radius().min(b.bounding_radius());
        assert!((d - e).abs() <= allowed, "{d} m and {e} m: {a:?} {b:?} {pose:?} {plain:?} {seen:?}");
        if plain.count > 0 {
            touching += 1;
            differing += u32::from(!agree(&plain, &seen, 1e-3));
        }
    }
    let share = f64::from(differing) / f64::from(touching);
    assert!(touching > 2_000 && share < limit, "{share} of {touching} differ");
}

#[test]
fn exchanged_roles_mirror_the_manifold() {
    compare(1, 0.01, |a, b, pose, margin, _| {
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
    compare(2, 0.003, |a, b, pose, margin, rng| {
        let pose_a = Pose::new(Position::new(1.0e6, -2.0e6, 3.0e5), rng.rotation());
        run(a, b, &pose_a.relative(&pose_a.compose(pose)), margin)
    });
}

/// A solid of revolution turned about its axis is the same solid: distance and normal stay.
#[test]
fn turning_about_the_axis_changes_neither_distance_nor_normal() {
    let mut rng = Rng(3);
    let mut touching = 0;
    for _ in 0..10_000 {
        let (b, a, pose) = (round(&mut rng), other(&mut rng), RelativePose::IDENTITY);
        let reach = a.bounding_radius() + b.bounding_radius();
        let pose = RelativePose::new(
            rng.direction() * (rng.within(0.3, 1.0) * reach),
            rng.rotation() * pose.rotation,
        );
        let spin = Rotation::from_scaled_axis(Vector3::y() * rng.within(-3.0, 3.0));
        let turned = RelativePose::new(pose.translation, pose.rotation * spin);
        let (m, n) = (run(&a, &b, &pose, 0.01), run(&a, &b, &turned, 0.01));
        let (d, e) = (deepest(&m).min(0.01), deepest(&n).min(0.01));
        let allowed = 0.08 * d.abs() + 1.0e-2 * a.bounding_radius().min(b.bounding_radius());
        assert!((d - e).abs() <= allowed, "{d} {e} {a:?} {b:?} {pose:?}");
        touching += u32::from(m.count > 0);
    }
    assert!(touching > 2_000, "{touching}");
}

/// Company for a single point lies on both surfaces and is no deeper than the first.
#[test]
fn added_points_lie_on_both_surfaces_and_no_deeper_than_the_first() {
    let mut rng = Rng(90);
    let (mut single, mut more) = (0, 0);
    for _ in 0..10_000 {
        let (a, b, pose) = pair(&mut rng);
        let mut found = run(&a, &b, &pose, 0.4);
        let before = found;
        add_facing_points(&a, &b, &pose, 0.4, &mut found);
        check(&a, &b, &pose, 0.4, &found);
        if before.count != 1 {
            assert_eq!(before, found, "only single points get company");
            continue;
        }
        single += 1;
        more += u32::from(found.count > 1);
        let first = before.points[0].distance;
        let slack = 4.0 * rounding(&a, &b, &pose) + 2.0e-3 * first.abs();
        assert!(found.points().iter().all(|p| p.distance >= first - slack), "{found:?} {a:?} {b:?} {pose:?}");
    }
    assert!(single > 2_000 && 3 * more > single, "{more} of {single}");
}

/// Plates, needles, the largest and the smallest sizes, at, through and beside each other: an answer, made of numbers
/// (`run` checks it).
#[test]
fn extreme_sizes_and_places_give_an_answer() {
    let mut rng = Rng(15);
    let sizes = [1.0e-5, 1.0e-3, 1.0, 1.0e3];
    for _ in 0..20_000 {
        let mut size = || sizes[rng.below(sizes.len())];
        let (h, r, x, y) = (size(), size(), size(), size());
        let round = if rng.below(2) == 0 { cylinder(h, r) } else { cone(h, r) };
        let other = match rng.below(5) {
            0 => sphere(x),
            1 => cuboid(x, y, x),
            2 => capsule(x, y),
            3 => cone(x, y),
            _ => cylinder(x, y),
        };
        let reach = round.bounding_radius() + other.bounding_radius();
        let pose = match rng.below(4) {
            0 => RelativePose::IDENTITY,
            1 => RelativePose::new(Vector3::zeros(), rng.rotation()),
            2 => at(0.0, h + y, 0.0),
            _ => RelativePose::new(rng.direction() * rng.within(0.0, reach), rng.rotation()),
        };
        let mut manifold = LocalManifold::default();
        let _ = drystone_collision::narrow::contact(
            &round,
            &other,
            &pose,
            0.01 * reach,
            &mut PairCache::default(),
            &mut manifold,
        );
        for p in manifold.points() {
            assert!(p.distance.is_finite() && widen(&p.point).iter().all(|c| c.is_finite()), "{manifold:?}");
            assert!((manifold.normal.norm() - 1.0).abs() < 1e-5);
        }
    }
}
