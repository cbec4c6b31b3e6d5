//! Pairs with a circle: against another one (S4-11), against a polygon, capsule or segment by its closest edge (S4-12).

use super::{Manifold, Placement, feature};
use crate::frame::Vector2;
use crate::shape::Core;
use drystone_math::Real;

/// Two circles; squared distances tell most pairs apart (S4-11). Concentric ones are pushed apart along y.
#[inline]
pub(super) fn circles(a: &Core, b: &Core, place: &Placement, margin: Real) -> Manifold {
    let (from, to) = (a.corners[0].point, b.corners[0].point);
    // Circles around their centre of mass need no turning.
    let start = if from == Vector2::zeros() { from } else { place.turn_a.apply(&from) };
    let end = if to == Vector2::zeros() { to } else { place.turn_b.apply(&to) } + place.offset;
    let way = end - start;
    let (radii, squared) = (a.radius + b.radius, way.norm_squared());
    let reach = radii + margin;
    if squared > reach * reach {
        return Manifold::default();
    }
    let length = squared.sqrt();
    let normal = if length > Real::MIN_POSITIVE { way / length } else { Vector2::y() };
    let distance = length - radii;
    let arm_a = start + normal * (a.radius + 0.5 * distance);
    let mut manifold = Manifold { normal, count: 1, ..Manifold::default() };
    manifold.points[0].arm_a = arm_a;
    manifold.points[0].arm_b = arm_a - place.offset;
    manifold.points[0].distance = distance;
    manifold
}

/// A polygon, capsule or segment against a circle, by the edge from which the centre is farthest (S4-12): beyond one of
/// its ends the corner is closest, else the edge.
pub(super) fn polygon_circle(a: &Core, b: &Core, place: &Placement, margin: Real) -> Manifold {
    let center = place.turn_a.undo(&(place.turn_b.apply(&b.corners[0].point) + place.offset));
    let radii = a.radius + b.radius;
    let (mut edge, mut separation) = (0, Real::NEG_INFINITY);
    for (i, corner) in a.corners.iter().enumerate() {
        let s = corner.normal.dot(&(center - corner.point));
        if s > separation {
            (edge, separation) = (i, s);
        }
    }
    if separation > radii + margin {
        return Manifold::default();
    }
    let next = if edge + 1 == a.corners.len() { 0 } else { edge + 1 };
    let (start, end) = (a.corners[edge].point, a.corners[next].point);
    let along = end - start;
    let before = (center - start).dot(&along) < 0.0;
    let beyond = (center - end).dot(&along) > 0.0;
    // Inside of a polygon no corner is closest; a capsule's core has no inside.
    if (before || beyond) && (separation > 0.0 || a.corners.len() == 2) {
        let corner = if before { start } else { end };
        let way = center - corner;
        let length = way.norm();
        if length > radii + margin {
            return Manifold::default();
        }
        let normal = if length > Real::MIN_POSITIVE { way / length } else { a.corners[edge].normal };
        let distance = length - radii;
        let middle = corner + normal * (a.radius + 0.5 * distance);
        return Manifold::single(place, normal, middle, distance, feature(edge, 0));
    }
    let normal = a.corners[edge].normal;
    let distance = separation - radii;
    let middle = center - normal * (b.radius + 0.5 * distance);
    Manifold::single(place, normal, middle, distance, feature(edge, 0))
}
