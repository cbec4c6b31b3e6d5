//! Anything against a half-space: closed forms. B is the half-space throughout.

use super::box_box::negated_if;
use super::reduce::{Candidates, reduce};
use super::{LocalManifold, LocalPoint};
use crate::shape::ConvexHull;
use drystone_math::{Real, RelativePose, Vector3};

/// Vertices near a half-space that are listed; where more are near, all are looked at.
const MAX_NEAR: usize = 32;

/// The plane of a half-space in the frame of A: unit outward normal, offset (m) along it.
pub(super) struct Plane {
    pub(super) normal: Vector3,
    pub(super) offset: Real,
}

impl Plane {
    /// The plane through the origin of B's frame with `normal`, seen from A.
    pub(super) fn new(normal: &Vector3, b_in_a: &RelativePose) -> Self {
        let normal = b_in_a.rotation * normal;
        Self { normal, offset: normal.dot(&b_in_a.translation) }
    }

    /// The contact of a ball of `radius` (m; 0 for a corner) around `center` with the half-space.
    #[inline]
    pub(super) fn contact(&self, center: &Vector3, radius: Real, feature: u32) -> LocalPoint {
        let distance = self.normal.dot(center) - self.offset - radius;
        LocalPoint { point: center - self.normal * (radius + 0.5 * distance), distance, feature }
    }
}

/// A sphere over a half-space.
pub(super) fn sphere(radius: Real, plane: &Plane, margin: Real, manifold: &mut LocalManifold) {
    manifold.normal = -plane.normal;
    let point = plane.contact(&Vector3::zeros(), radius, 0);
    manifold.gap = point.distance;
    manifold.push_within(margin, point);
}

/// A capsule over a half-space: a point below each end of its segment (one for a ball).
pub(super) fn capsule(
    half_length: Real,
    radius: Real,
    plane: &Plane,
    margin: Real,
    manifold: &mut LocalManifold,
) {
    manifold.normal = -plane.normal;
    let end = Vector3::new(0.0, half_length, 0.0);
    let ends = [plane.contact(&end, radius, 0), plane.contact(&-end, radius, 1)];
    manifold.gap = ends[0].distance.min(ends[1].distance);
    manifold.push_within(margin, ends[0]);
    if half_length > 0.0 {
        manifold.push_within(margin, ends[1]);
    }
}

/// A box over a half-space: the corners of the face that looks at the plane most.
///
/// Bits 0, 1 and 2 of a feature are set where the corner's x, y and z are negative.
pub(super) fn cuboid(half_extents: &Vector3, plane: &Plane, margin: Real, manifold: &mut LocalManifold) {
    (manifold.normal, manifold.gap) = (-plane.normal, Real::INFINITY);
    let n = &plane.normal;
    // The deepest corner belongs to this face whichever axis wins, so a tie costs only the two corners
    // that are far from the plane.
    let size = n.abs();
    let axis = if size.y >= size.x && size.y >= size.z {
        1
    } else if size.x >= size.z {
        0
    } else {
        2
    };
    let (below, is_negative) = ((1 << axis) - 1, u32::from(n[axis] > 0.0));
    debug_assert_eq!(manifold.count, 0, "a manifold to fill");
    for k in 0..4u32 {
        let corner = (k & !below) << 1 | is_negative << axis | k & below;
        let signed = |bit: usize| negated_if(corner >> bit & 1 == 1, half_extents[bit]);
        let vertex = Vector3::new(signed(0), signed(1), signed(2));
        let point = plane.contact(&vertex, 0.0, corner);
        manifold.gap = manifold.gap.min(point.distance);
        // Written in any case: whether a corner is near cannot be foreseen.
        manifold.points[manifold.count as usize] = point;
        manifold.count += u32::from(point.distance <= margin);
    }
}

/// A hull over a half-space: its vertices within the margin, reduced to four. A feature is the vertex.
pub(super) fn hull(hull: &ConvexHull, plane: &Plane, margin: Real, manifold: &mut LocalManifold) {
    manifold.normal = -plane.normal;
    let contact = |i: usize| plane.contact(&hull.vertices[i], 0.0, i as u32);
    // Mostly few vertices are near, which are then looked at several times.
    let (mut near, mut count) = ([0; MAX_NEAR], 0);
    manifold.gap = Real::INFINITY;
    for (i, vertex) in hull.vertices.iter().enumerate() {
        let distance = plane.normal.dot(vertex) - plane.offset;
        manifold.gap = manifold.gap.min(distance);
        if distance <= margin {
            if let Some(slot) = near.get_mut(count) {
                *slot = i;
            }
            count += 1;
        }
    }
    let is_listed = count <= MAX_NEAR;
    let vertex = |k: usize| if is_listed { near[k] } else { k };
    let count = if is_listed { count } else { hull.vertices.len() };
    let candidates = Candidates { count, normal: plane.normal, margin, size: hull.radius };
    let (chosen, count) = reduce(&candidates, |k| {
        let i = vertex(k);
        (hull.vertices[i], contact(i).distance)
    });
    for &k in &chosen[..count] {
        manifold.push(contact(vertex(k)));
    }
}
