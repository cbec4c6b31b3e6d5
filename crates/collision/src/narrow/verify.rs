//! The promise of a manifold, checked in debug builds: its points lie on both surfaces.

use super::LocalManifold;
use crate::Shape;
use drystone_math::{Real, RelativePose, Vector3, is_finite};

/// Rounding of a contact point, as a part of the lengths involved: some twenty roundings of `f32`.
const ROUNDING: Real = 4.0e-6;
/// Share of radius and distance by which the common perpendicular of nearly parallel capsules may miss.
const PARALLEL: Real = 1.0e-3;

/// True when every point, moved by half its distance against and along the normal, lies on the surface of
/// A and of B, and the normal is a unit vector. Of the two points of a tilted capsule one lies on the ball
/// around an end of its segment, which is inside the capsule. Linear in the faces of hulls.
pub(super) fn lies_on_both(a: &Shape, b: &Shape, b_in_a: &RelativePose, manifold: &LocalManifold) -> bool {
    if a.surface().is_some() || b.surface().is_some() {
        // A surface has no height; its tests look at its triangles.
        return true;
    }
    let normal = &manifold.normal;
    let length = size(a) + size(b) + b_in_a.translation.norm();
    manifold.points().iter().all(|p| {
        let half = normal * (0.5 * p.distance);
        let tolerance = ROUNDING * length + PARALLEL * (p.distance.abs() + radius(a) + radius(b));
        is_finite(&p.point)
            && (normal.norm() - 1.0).abs() < 1.0e-5
            && is_near(a, &(p.point - half), tolerance)
            && is_near(b, &b_in_a.inverse_transform_point(&(p.point + half)), tolerance)
    })
}

/// True when `p` lies on the surface, or, for a capsule, within its radius below.
fn is_near(shape: &Shape, p: &Vector3, tolerance: Real) -> bool {
    let below = if let Shape::Capsule { radius, .. } = shape { *radius } else { 0.0 };
    (-below - tolerance..=tolerance).contains(&height(shape, p))
}

/// Size that takes part in rounding, m.
fn size(shape: &Shape) -> Real {
    if shape.is_half_space() { 0.0 } else { shape.bounding_radius() }
}

/// Radius around the core or the axis, m.
fn radius(shape: &Shape) -> Real {
    match shape.frustum() {
        // Nearly parallel cylinders are taken as parallel, like capsules.
        Some(solid) => solid.top.max(solid.base),
        None => shape.core().map_or(0.0, |(_, radius)| radius),
    }
}

/// Above 0 outside, below 0 inside, 0 on the surface; its size is at most the distance from the surface, m.
fn height(shape: &Shape, p: &Vector3) -> Real {
    match shape {
        Shape::Sphere { radius } => p.norm() - radius,
        Shape::Capsule { half_length, radius } => {
            let along = p.y.max(-half_length).min(*half_length);
            (p - Vector3::new(0.0, along, 0.0)).norm() - radius
        }
        Shape::Box { half_extents } => (p.abs() - half_extents).max(),
        Shape::Hull(hull) => {
            hull.faces.iter().fold(Real::NEG_INFINITY, |h, f| h.max(f.normal.dot(p) - f.offset))
        }
        Shape::Cylinder { .. } | Shape::Cone { .. } => shape.frustum().map_or(0.0, |solid| solid.height(p)),
        Shape::HalfSpace { normal } => normal.dot(p),
        Shape::Mesh(_) | Shape::HeightField(_) => 0.0,
    }
}
