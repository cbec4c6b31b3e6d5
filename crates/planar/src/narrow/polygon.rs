//! Two shapes with edges: polygons, capsules, segments (S4-13).
//!
//! Separating axes: the least distance of B beyond each edge of A and the other way round, with an early exit when an edge
//! of A separates by more than is asked for. The edge that separates most is the reference; the edge of the other
//! shape that faces it most is clipped to its sides and gives up to two points. Where the closest features are two
//! corners, the point lies between them.

use super::{Axis, Manifold, Placement, feature};
use crate::frame::{Turn, Vector2, perpendicular};
use crate::shape::{Core, Corner, Edges, MAX_CORNERS};
use drystone_math::Real;

/// By how much, as a share of the smaller core's width, the edges of B must separate more than those of A to be the reference:
/// otherwise rounding would choose another one in each step.
const PREFERENCE: Real = 1e-3;
/// Gap of two cores, as a share of their width, from which on corners are looked at.
const APART: Real = 1e-4;

/// Corners in A's axes, from A's centre of mass.
struct Local {
    corners: [Corner; MAX_CORNERS],
    count: usize,
}

/// The edge from which all of the other shape is farthest, and how far.
#[derive(Clone, Copy)]
struct Farthest {
    edge: usize,
    separation: Real,
}

pub(super) fn polygons(a: &Core, b: &Core, place: &Placement, margin: Real) -> Manifold {
    let radii = a.radius + b.radius;
    let limit = radii + margin;
    // Each shape's corners in the other one's axes, against that one's edges.
    let to_a = (place.turn_a.relative(&place.turn_b), place.turn_a.undo(&place.offset));
    let on_a = farthest(&a.edges, &b.corners, &to_a);
    if on_a.separation > limit {
        return Manifold::apart(on_a.separation - radii, Axis { is_of_b: false, edge: on_a.edge as u8 });
    }
    let to_b = (place.turn_b.relative(&place.turn_a), -place.turn_b.undo(&place.offset));
    let on_b = farthest(&b.edges, &a.corners, &to_b);
    if on_b.separation > limit {
        return Manifold::apart(on_b.separation - radii, Axis { is_of_b: true, edge: on_b.edge as u8 });
    }
    let local = Local::new(b, &to_a);
    let (ca, cb) = (&*a.corners, &local.corners[..local.count]);
    let width = a.extent.max(a.radius).min(b.extent.max(b.radius)).max(Real::MIN_POSITIVE);
    let is_flipped = on_b.separation > on_a.separation + PREFERENCE * width;
    let (reference, other, axis) = if is_flipped { (cb, ca, on_b) } else { (ca, cb, on_a) };
    let incident = facing(other, &reference[axis.edge].normal);
    // Two segments in line have no edge between them.
    let is_apart = axis.separation > APART * width || (ca.len() == 2 && cb.len() == 2);
    if is_apart && is_between_corners(reference, axis.edge, other, incident) {
        return between_nearest(a, b, place, limit, ca, cb);
    }
    clip(a, b, place, limit, is_flipped, (reference, axis.edge), (other, incident))
}

impl Local {
    fn new(b: &Core, (turn, offset): &(Turn, Vector2)) -> Self {
        let mut corners = [Corner::default(); MAX_CORNERS];
        for (out, corner) in corners.iter_mut().zip(&b.corners) {
            *out = Corner { point: turn.apply(&corner.point) + offset, normal: turn.apply(&corner.normal) };
        }
        Self { corners, count: b.corners.len() }
    }
}

/// The edge from which all points are farthest; these are turned and moved into the edges' axes first. O(n m), four edges at
/// a time.
#[inline]
fn farthest(edges: &[Edges], points: &[Corner], (turn, offset): &(Turn, Vector2)) -> Farthest {
    let mut best = Farthest { edge: 0, separation: Real::NEG_INFINITY };
    for (group, four) in edges.iter().enumerate() {
        let mut least = [Real::INFINITY; 4];
        for corner in points {
            let p = turn.apply(&corner.point) + offset;
            for (lane, least) in least.iter_mut().enumerate() {
                let along = four.normal[0][lane] * p.x + four.normal[1][lane] * p.y;
                // Not `min`: that would also have to do for what is not a number.
                *least = if along < *least { along } else { *least };
            }
        }
        for (lane, least) in least.iter().enumerate() {
            let separation = least - four.offset[lane];
            if separation > best.separation {
                best = Farthest { edge: 4 * group + lane, separation };
            }
        }
    }
    best
}

/// The edge whose normal points most against `normal`.
#[inline]
fn facing(edges: &[Corner], normal: &Vector2) -> usize {
    let (mut best, mut least) = (0, Real::INFINITY);
    for (i, corner) in edges.iter().enumerate() {
        let d = corner.normal.dot(normal);
        if d < least {
            (best, least) = (i, d);
        }
    }
    best
}

#[inline]
fn next(corners: &[Corner], i: usize) -> usize {
    if i + 1 == corners.len() { 0 } else { i + 1 }
}

/// True when of two edges two corners are closest to each other.
fn is_between_corners(first: &[Corner], i: usize, second: &[Corner], j: usize) -> bool {
    let (i2, j2) = (next(first, i), next(second, j));
    let (p, q) = (first[i].point, second[j].point);
    let (d1, d2) = (first[i2].point - p, second[j2].point - q);
    let r = p - q;
    let (rd1, rd2) = (r.dot(&d1), r.dot(&d2));
    let (dd1, dd2, d12) = (d1.dot(&d1), d2.dot(&d2), d1.dot(&d2));
    let denominator = dd1 * dd2 - d12 * d12;
    // Fractions along both segments (Ericson 2005, section 5.1.9).
    let mut s = 0.0;
    if denominator > 1e-6 * dd1 * dd2 {
        s = ((d12 * rd2 - rd1 * dd2) / denominator).clamp(0.0, 1.0);
    }
    let mut t = (d12 * s + rd2) / dd2;
    if t < 0.0 {
        t = 0.0;
        s = (-rd1 / dd1).clamp(0.0, 1.0);
    } else if t > 1.0 {
        t = 1.0;
        s = ((d12 - rd1) / dd1).clamp(0.0, 1.0);
    }
    let at_end = |x: Real| x == 0.0 || x == 1.0;
    if !(at_end(s) && at_end(t)) {
        return false;
    }
    // Side by side, parallel edges are closest everywhere.
    let (a, b) = (if s == 0.0 { i } else { i2 }, if t == 0.0 { j } else { j2 });
    let way = second[b].point - first[a].point;
    let beside = |d: &Vector2, dd: Real| (way.dot(d) * way.dot(d)) <= 1e-6 * dd * way.norm_squared();
    !(beside(&d1, dd1) || beside(&d2, dd2))
}

/// The closest corner of `corners` to an edge of `edges`: the way there from the corner, both indices, and whether the edge is
/// closest at its first corner or between its ends.
fn nearest(corners: &[Corner], edges: &[Corner]) -> (Vector2, usize, usize) {
    let mut best = (Vector2::zeros(), 0, 0, Real::INFINITY);
    for (i, corner) in corners.iter().enumerate() {
        for (j, edge) in edges.iter().enumerate() {
            let along = edges[next(edges, j)].point - edge.point;
            let from = corner.point - edge.point;
            let fraction = (from.dot(&along) / along.norm_squared()).clamp(0.0, 1.0);
            let way = along * fraction - from;
            let squared = way.norm_squared();
            if squared < best.3 {
                best = (way, i, j, squared);
            }
        }
    }
    (best.0, best.1, best.2)
}

/// The point between two cores that are apart, where a corner is closest to a corner or an edge. O(n m).
fn between_nearest(
    a: &Core,
    b: &Core,
    place: &Placement,
    limit: Real,
    ca: &[Corner],
    cb: &[Corner],
) -> Manifold {
    let (way_a, i, edge_b) = nearest(ca, cb);
    let (way_b, j, edge_a) = nearest(cb, ca);
    let is_corner_of_a = way_a.norm_squared() <= way_b.norm_squared();
    let way = if is_corner_of_a { way_a } else { -way_b };
    let length = way.norm();
    if length > limit || length <= Real::MIN_POSITIVE {
        return Manifold::default();
    }
    let normal = way / length;
    let distance = length - a.radius - b.radius;
    let on_a = if is_corner_of_a { ca[i].point } else { cb[j].point - way };
    let middle = on_a + normal * (a.radius + 0.5 * distance);
    let named = if is_corner_of_a { feature(i, edge_b) } else { feature(edge_a, j) };
    Manifold::single(place, normal, middle, distance, named)
}

/// Clips the incident edge to the sides of the reference edge and keeps what is near.
fn clip(
    a: &Core,
    b: &Core,
    place: &Placement,
    limit: Real,
    is_flipped: bool,
    (reference, i): (&[Corner], usize),
    (other, j): (&[Corner], usize),
) -> Manifold {
    let (i2, j2) = (next(reference, i), next(other, j));
    let (start, end, normal) = (reference[i].point, reference[i2].point, reference[i].normal);
    let tangent = perpendicular(&normal);
    let length = tangent.dot(&(end - start));
    // The incident edge runs the other way round: its end lies near the start.
    let (mut low, mut high) = (other[j2].point, other[j].point);
    let (from, to) = (tangent.dot(&(low - start)), tangent.dot(&(high - start)));
    let (low_0, high_0) = (low, high);
    if from < 0.0 && to - from > Real::MIN_POSITIVE {
        low = low_0 + (high_0 - low_0) * (-from / (to - from)).min(1.0);
    }
    if to > length && to - from > Real::MIN_POSITIVE {
        high = high_0 + (low_0 - high_0) * ((to - length) / (to - from)).min(1.0);
    }
    let radii = a.radius + b.radius;
    let own_radius = if is_flipped { b.radius } else { a.radius };
    let toward_b = if is_flipped { -normal } else { normal };
    let mut manifold = Manifold { normal: place.turn_a.apply(&toward_b), ..Manifold::default() };
    for (point, corners) in [(low, (i, j2)), (high, (i2, j))] {
        let separation = normal.dot(&(point - start));
        if separation > limit {
            continue;
        }
        let distance = separation - radii;
        // Between the surface of the reference, at the own radius, and that of the other.
        let middle = point + normal * (own_radius + 0.5 * distance - separation);
        let named = if is_flipped { feature(corners.1, corners.0) } else { feature(corners.0, corners.1) };
        manifold.push(place, middle, distance, named);
    }
    // Points in one place would make the pair of them singular.
    if manifold.count == 2 {
        let apart = manifold.points[1].arm_a - manifold.points[0].arm_a;
        if apart.norm_squared() <= 1e-8 * length * length {
            let deeper = usize::from(manifold.points[1].distance < manifold.points[0].distance);
            manifold.points[0] = manifold.points[deeper];
            manifold.count = 1;
        }
    }
    manifold
}
