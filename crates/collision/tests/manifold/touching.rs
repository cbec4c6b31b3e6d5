//! Shapes that touch exactly, feature by feature (S5-07, S5-16), and a little to either side.

use crate::support::*;
use drystone_collision::Shape;
use drystone_math::{Real, RelativePose, Rotation, Vector3};

const GAPS: [Real; 5] = [-2.0e-4, -1.0e-6, 0.0, 1.0e-6, 2.0e-4];

/// A unit box, as a box and as a hull, in all pairings.
fn blocks() -> Vec<(Shape, Shape)> {
    let (b, h) = (cuboid(0.5, 0.5, 0.5), box_hull(0.5, 0.5, 0.5));
    vec![(b.clone(), b.clone()), (b.clone(), h.clone()), (h.clone(), b), (h.clone(), h)]
}

/// Runs each pairing at each gap above `direction * touch`; `check` gets the gap and the manifold.
fn touch(rotation: Rotation, position: Vector3, direction: Vector3, count: u32) {
    for (a, b) in blocks() {
        for gap in GAPS {
            let pose = RelativePose::new(position + direction * gap, rotation);
            let manifold = run(&a, &b, &pose, 1.0e-3);
            assert_eq!(manifold.count, count, "gap {gap}: {manifold:?} {pose:?} {a:?} {b:?}");
            assert!((deepest(&manifold) - gap).abs() < 2e-6, "gap {gap}: {manifold:?}");
            assert!((manifold.normal - direction).norm() < 1e-3, "gap {gap}: {manifold:?}");
        }
    }
}

fn about(axis: Vector3, angle: Real) -> Rotation {
    Rotation::from_scaled_axis(axis.normalize() * angle)
}

/// A turn that puts the space diagonal of a box upright.
fn on_a_corner() -> Rotation {
    let diagonal = Vector3::repeat(1.0).normalize();
    let axis = diagonal.cross(&Vector3::y()).normalize();
    Rotation::from_scaled_axis(axis * diagonal.dot(&Vector3::y()).acos())
}

const QUARTER: Real = std::f32::consts::FRAC_PI_4;
const HALF_DIAGONAL: Real = 0.866_025_4;

#[test]
fn faces() {
    touch(Rotation::identity(), Vector3::new(0.2, 1.0, -0.3), Vector3::y(), 4);
    touch(about(Vector3::y(), 0.3), Vector3::new(0.2, 1.0, 0.0), Vector3::y(), 4);
}

#[test]
fn edge_on_face() {
    let y = 0.5 + 0.5 * std::f32::consts::SQRT_2;
    touch(about(Vector3::z(), QUARTER), Vector3::new(0.1, y, 0.0), Vector3::y(), 2);
}

#[test]
fn vertex_on_face() {
    touch(on_a_corner(), Vector3::new(0.1, 0.5 + HALF_DIAGONAL, 0.05), Vector3::y(), 1);
}

#[test]
fn edge_across_edge() {
    // B lies along z, turned by 45 degrees, across the edge of A that runs along x at (y, z) = (0.5, 0.5).
    let upward = Vector3::new(0.0, 1.0, 1.0).normalize();
    let reach = 0.5 * std::f32::consts::SQRT_2;
    // An edge of B, square to x and to the direction, faces A: turn B's x axis onto (0, 1, -1).
    let first = about(Vector3::z(), QUARTER);
    let tilt = about(Vector3::x(), QUARTER);
    touch(tilt * first, upward * (2.0 * reach), upward, 1);
}

#[test]
fn vertex_on_edge() {
    // A corner of B over the middle of A's edge along x: the normal is not a face normal of either.
    let upward = Vector3::new(0.0, 1.0, 1.0).normalize();
    let tilt = about(Vector3::x(), QUARTER);
    let rotation = tilt * on_a_corner();
    let position = upward * (0.5 * std::f32::consts::SQRT_2 + HALF_DIAGONAL);
    any_normal(rotation, position + Vector3::x() * 0.07, upward);
}

#[test]
fn vertex_on_vertex() {
    let diagonal = Vector3::repeat(1.0).normalize();
    any_normal(Rotation::identity(), Vector3::repeat(1.0), diagonal);
    any_normal(about(diagonal, 0.4), diagonal * (2.0 * HALF_DIAGONAL), diagonal);
}

#[test]
fn parallel_edges() {
    let upward = Vector3::new(0.0, 1.0, 1.0).normalize();
    any_normal(Rotation::identity(), Vector3::new(0.0, 1.0, 1.0), upward);
}

/// Features whose normals span a cone: which normal is taken is open, but there is a contact, within the
/// margin, as far as the gap (apart: exactly; overlapping: at most as deep as that direction says).
fn any_normal(rotation: Rotation, position: Vector3, direction: Vector3) {
    for (a, b) in blocks() {
        for gap in GAPS {
            let pose = RelativePose::new(position + direction * gap, rotation);
            let manifold = run(&a, &b, &pose, 1.0e-3);
            assert!(manifold.count > 0, "gap {gap}: {pose:?} {a:?} {b:?}");
            let found = deepest(&manifold);
            let (low, high) = if gap > 0.0 { (0.5 * gap, gap) } else { (gap, 0.0) };
            assert!(low - 2e-6 <= found && found <= high + 2e-6, "gap {gap}: {manifold:?} {pose:?}");
        }
    }
}

#[test]
fn corners_apart_by_more_than_the_margin_do_not_touch() {
    let diagonal = Vector3::repeat(1.0).normalize();
    for (a, b) in blocks() {
        let pose = RelativePose::new(Vector3::repeat(1.0) + diagonal * 1.2e-3, Rotation::identity());
        assert_eq!(run(&a, &b, &pose, 1.0e-3).count, 0);
    }
}
