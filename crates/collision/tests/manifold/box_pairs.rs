//! Boxes against a brute-force separating axis test in `f64`.

use crate::support::*;
use drystone_collision::Shape;
use drystone_math::{Displacement, Real, RelativePose, Rotation, Vector3, widen};

/// Largest signed gap over the 15 axes, m.
fn separation(ha: &Vector3, hb: &Vector3, pose: &RelativePose) -> f64 {
    let pose = WidePose::new(pose);
    let (ha, hb) = (widen(ha), widen(hb));
    let axes_a = [Displacement::x(), Displacement::y(), Displacement::z()];
    let axes_b = axes_a.map(|e| pose.turn(&e));
    let mut axes = [axes_a, axes_b].concat();
    for a in &axes_a {
        for b in &axes_b {
            let cross = a.cross(b);
            if cross.norm() > 1e-9 {
                axes.push(cross.normalize());
            }
        }
    }
    let gap = |axis: &Displacement| {
        let reach = |axes: &[Displacement; 3], h: &Displacement| {
            (0..3).map(|i| axis.dot(&axes[i]).abs() * h[i]).sum::<f64>()
        };
        axis.dot(&pose.translation).abs() - reach(&axes_a, &ha) - reach(&axes_b, &hb)
    };
    axes.iter().map(gap).fold(f64::NEG_INFINITY, f64::max)
}

/// What the preference for faces may cost, m: the tolerances of `box_box` (edge against face, face
/// against face, skipped axes of nearly parallel edges) and of the reduction.
fn preference(ha: &Vector3, hb: &Vector3, depth: f64) -> f64 {
    let smallest = f64::from(ha.min().min(hb.min()));
    let largest = f64::from(ha.max().max(hb.max()));
    0.08 * depth.abs() + 8.0e-3 * smallest + 6.0e-4 * largest
}

fn random_pair(rng: &mut Rng) -> (Vector3, Vector3, RelativePose) {
    let mut half = || {
        let size = [0.05, 1.0, 1.0, 20.0][rng.below(4)];
        Vector3::from_fn(|_, _| size * rng.within(0.2, 1.0))
    };
    let (ha, hb) = (half(), half());
    let rotation = rng.rotation();
    let direction = rng.direction();
    let reach = rng.within(0.0, 1.1) * (ha.norm() + hb.norm());
    (ha, hb, RelativePose::new(direction * reach, rotation))
}

#[test]
fn depth_of_overlapping_boxes_matches_brute_force() {
    let mut rng = Rng(1);
    let (mut overlapping, mut apart) = (0, 0);
    for _ in 0..100_000 {
        let (ha, hb, pose) = random_pair(&mut rng);
        let (a, b) = (cuboid(ha.x, ha.y, ha.z), cuboid(hb.x, hb.y, hb.z));
        let expected = separation(&ha, &hb, &pose);
        let margin = 0.02 * ha.min().min(hb.min());
        let manifold = run(&a, &b, &pose, margin);
        let tolerance = f64::from(rounding(&a, &b, &pose));
        if expected < -tolerance {
            overlapping += 1;
            assert!(manifold.count > 0, "no point at separation {expected}\n{ha} {hb} {pose:?}");
            let found = f64::from(deepest(&manifold));
            let low = expected - preference(&ha, &hb, expected) - tolerance;
            // JointConstraint-breaking in the reduction may pass over a point deeper by 5e-4 of the face.
            let high = expected + 6.0e-4 * f64::from(ha.max() + hb.max()) + tolerance;
            assert!(
                low <= found && found <= high,
                "{found} m, expected {expected}\n{ha} {hb} {pose:?} {manifold:?}"
            );
        } else if expected > f64::from(margin) + tolerance {
            apart += 1;
            assert_eq!(manifold.count, 0, "separation {expected} beyond {margin}");
        }
    }
    assert!(overlapping > 20_000 && apart > 20_000, "{overlapping} overlapping, {apart} apart");
}

#[test]
fn boxes_within_the_margin_are_reported() {
    let a = cuboid(0.5, 0.5, 0.5);
    let manifold = run(&a, &a, &at(0.1, 1.004, 0.0), 0.01);
    assert_eq!(manifold.count, 4);
    assert!(manifold.points().iter().all(|p| (p.distance - 0.004).abs() < 1e-6));
    assert_eq!(manifold.normal, Vector3::y());
    assert_eq!(run(&a, &a, &at(0.1, 1.004, 0.0), 0.003).count, 0);
    // Tilted boxes keep only the points within the margin.
    let tilted = turned(0.0, 1.004, 0.0, Vector3::z(), 0.05);
    assert_eq!(run(&a, &a, &tilted, 0.01).count, 2);
}

#[test]
fn aligned_stack_touches_at_its_corners_exactly() {
    for (h, y) in [(0.5, 1.0), (0.25, 0.5), (0.3, 0.6), (3.0, 6.0)] {
        let a = cuboid(h, h, h);
        let manifold = run(&a, &a, &at(0.0, y, 0.0), 0.01);
        assert_eq!((manifold.count, manifold.normal), (4, Vector3::y()));
        for p in manifold.points() {
            assert_eq!((p.point.x.abs(), p.point.z.abs()), (h, h));
            assert!(p.distance.abs() <= h * 1e-6 && (p.point.y - h).abs() <= h * 1e-6, "{p:?}");
            assert_eq!(p.distance, manifold.points[0].distance, "no spurious tilt");
        }
        let sum: Vector3 = manifold.points().iter().map(|p| p.point).sum();
        assert_eq!((sum.x, sum.z), (0.0, 0.0), "symmetric");
    }
}

#[test]
fn octagonal_overlap_keeps_most_of_its_area() {
    let a = cuboid(1.0, 1.0, 1.0);
    for degrees in [30.0_f32, 45.0, 60.0] {
        let pose = turned(0.0, 1.999, 0.0, Vector3::y(), degrees.to_radians());
        let manifold = run(&a, &a, &pose, 0.01);
        assert_eq!(manifold.count, 4);
        let area = hull_area(manifold.points().iter().map(|p| (p.point.x, p.point.z)).collect());
        // The regular octagon around the unit circle has 8 tan(22.5 deg) m², its best square 1/sqrt(2) of it.
        assert!(area > 0.65 * 3.3137, "{area} m² at {degrees} degrees");
    }
}

/// Area of the convex polygon around some points, m².
fn hull_area(mut points: Vec<(Real, Real)>) -> Real {
    let n = points.len() as Real;
    let (cx, cz) = points.iter().fold((0.0, 0.0), |s, p| (s.0 + p.0 / n, s.1 + p.1 / n));
    points.sort_by(|p, q| (p.1 - cz).atan2(p.0 - cx).total_cmp(&(q.1 - cz).atan2(q.0 - cx)));
    let next = points.iter().cycle().skip(1);
    (0.5 * points.iter().zip(next).map(|(p, q)| p.0 * q.1 - q.0 * p.1).sum::<Real>()).abs()
}

#[test]
fn needles_plates_and_tiny_boxes_on_huge_ones_are_exact() {
    let ground = cuboid(1000.0, 1.0, 1000.0);
    for shape in [cuboid(1e-3, 1e-3, 1e-3), cuboid(0.005, 2.0, 0.005), cuboid(2.0, 0.002, 2.0)] {
        let Shape::Box { half_extents } = &shape else { unreachable!() };
        let depth = 1e-4;
        let manifold = run(&ground, &shape, &at(0.5, 1.0 + half_extents.y - depth, 0.25), 0.0);
        assert_eq!((manifold.count, manifold.normal), (4, Vector3::y()), "{shape:?}");
        for p in manifold.points() {
            assert!((p.distance + depth).abs() < 1e-6, "{p:?}");
            assert!((p.point.x - 0.5).abs() - half_extents.x < 1e-6);
        }
    }
}

#[test]
fn crossed_edges_touch_in_one_point() {
    // Two unit bars crossed edge over edge: each turned by 45 degrees about its own length.
    let a = cuboid(1.0, 0.1, 0.1);
    let quarter = std::f32::consts::FRAC_PI_4;
    let about_x = turned(0.0, 0.0, 0.0, Vector3::x(), quarter);
    let upper = turned(0.0, 0.2 * std::f32::consts::SQRT_2 - 0.001, 0.0, Vector3::y(), 2.0 * quarter);
    let pose = about_x.inverse().compose(&upper).compose(&about_x);
    let manifold = run(&a, &a, &pose, 0.0);
    assert_eq!(manifold.count, 1);
    assert!((manifold.points[0].distance + 0.001).abs() < 1e-6);
    let up = about_x.rotation.inverse() * Vector3::y();
    assert!((manifold.normal - up).norm() < 1e-5);
}

/// Two boxes whose edges cross at `angle` (rad) where B's edge ends: A is `length` long along y, B of about 1 m. The edges are `gap` (m) apart, and cross
/// by `beyond` of B's half length beyond its end.
fn crossing_at_an_end(
    length: Real,
    angle: Real,
    gap: Real,
    beyond: Real,
    rng: &mut Rng,
) -> (Shape, Shape, RelativePose) {
    let mut sizes = || Vector3::new(rng.within(0.2, 1.0), rng.within(0.2, 1.0), rng.within(0.2, 1.0));
    let (mut ha, hb) = (sizes(), sizes());
    ha.y = length;
    // From each edge outward, between the faces beside it: angles in the x-z plane.
    let (outward_a, outward_b) = (rng.within(0.1, 1.47), rng.within(0.1, 1.47));
    let normal = Vector3::new(outward_a.cos(), 0.0, outward_a.sin());
    let facing = Rotation::from_scaled_axis(Vector3::y() * (outward_b - outward_a - std::f32::consts::PI));
    let rotation = Rotation::from_scaled_axis(normal * angle) * facing;
    let on_a = Vector3::new(ha.x, rng.within(-0.9, 0.9) * length, ha.z);
    let on_b = Vector3::new(hb.x, hb.y * (1.0 + beyond), hb.z);
    let pose = RelativePose::new(on_a + normal * gap - rotation * on_b, rotation);
    (cuboid(ha.x, ha.y, ha.z), cuboid(hb.x, hb.y, hb.z), pose)
}

#[test]
fn points_where_edges_cross_at_their_ends_are_on_both_boxes() {
    let mut rng = Rng(0xed6e);
    for length in [1.0, 10.0, 100.0, 1000.0] {
        for _ in 0..20_000 {
            let angle = Real::powf(10.0, rng.within(-2.3, 0.15));
            let beyond =
                Real::powf(10.0, rng.within(-6.5, -2.0)) * if rng.below(2) == 0 { -1.0 } else { 1.0 };
            let gap = rng.within(-0.01, 0.01);
            let (a, b, pose) = crossing_at_an_end(length, angle, gap, beyond, &mut rng);
            let manifold = run(&a, &b, &pose, 0.02);
            assert!(manifold.count > 0, "they are within the margin: {a:?} {b:?} {pose:?}");
        }
    }
}
