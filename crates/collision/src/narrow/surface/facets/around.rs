//! What the triangles around a point tell of a contact there.

use super::Solid;
use crate::Shape;
use crate::narrow::LocalPoint;
use crate::narrow::gjk::{GjkSeed, Proximity, distance};
use crate::narrow::polytope::Polytope;
use crate::narrow::prism::Facet;
use crate::shape::Core;
use drystone_math::{Real, RelativePose, Rotation, Vector3};

/// Sine of the angle by which a surface may rise above the plane of a rim contact: 0.6 degrees, what a resting body tilts.
pub(super) const RISE: Real = 0.01;
/// The same at once, as a part of the distance within which triangles are looked at: so small that what rises by more than 6
/// degrees does so within that distance, or meets a triangle there that does.
const RISE_NEAR: Real = 0.1;
/// A point that has sunk in leaves by another triangle if that is nearer by this factor.
const NEARER: Real = 0.75;
/// How far along an edge its neighbour is looked for, in distances within which a triangle holds a point: a triangle that meets
/// the edge in a corner alone does not hold that point unless it lies within 6 degrees of the edge.
const ALONG: Real = 10.0;

/// Cosine of the angle, 60 degrees, up to which two triangles look about the same way.
const LIKE: Real = 0.5;

impl Solid<'_> {
    /// True when the surface around a point of it (m) lies below the plane through it square to `m`: so that `m` is a direction
    /// in which an edge or a corner there can be touched.
    pub(super) fn is_rim(&self, point: &Vector3, m: &Vector3) -> bool {
        // What rises at all rises towards the point nearest to one above. (The corners do not tell: those of a sliver lie along its
        // edges, not across.)
        let above = point + m * self.size;
        let mut is_top = true;
        self.search(point, &Vector3::repeat(self.near), |facet| {
            if is_top && self.is_on(facet, point) {
                let way = facet.closest(&above).0 - point;
                is_top = m.dot(&way) <= RISE * way.norm() + RISE_NEAR * self.near;
            }
        });
        is_top
    }

    /// True when a point of the solid that is below `facet` is much nearer to another triangle that falls off from it: it has come
    /// in there.
    pub(super) fn leaves_elsewhere(&self, facet: &Facet, point: &LocalPoint) -> bool {
        let depth = -point.distance;
        if depth <= self.near {
            return false;
        }
        let on_solid = point.point - facet.normal * (0.5 * depth);
        let limit = NEARER * depth;
        let mut is_nearer = false;
        self.search(&on_solid, &Vector3::repeat(limit), |other| {
            let [a, b, c] = &other.corners;
            is_nearer |= other.height(&on_solid) <= 0.0
                && facet.height(&((a + b + c) / 3.0)) < -self.near
                && (other.closest(&on_solid).0 - on_solid).norm_squared() < limit * limit;
        });
        is_nearer
    }

    /// True when a point of the solid that is below `facet` against `m` is out in the open, past what is behind the triangle, or past its
    /// rim if the centre is below its plane: the solid is there without having come in through the triangle.
    pub(super) fn is_beyond(&self, facet: &Facet, m: &Vector3, point: &LocalPoint) -> bool {
        let half = m * (0.5 * point.distance);
        let (on_solid, on_surface) = (point.point + half, point.point - half);
        // A solid is convex: where it holds both, or the centre in front and the point, it holds the way between them. So it has come
        // in there, however thin the wall is.
        if point.distance >= -self.near || self.holds(&on_surface) {
            return false;
        }
        facet.height(&self.center) < 0.0
            || self.comes_in(&on_solid, &on_surface, None)
                && !self.comes_in(&self.center, &on_solid, Some(&facet.normal))
    }

    /// True when the straight way between two points (m) meets the front of a triangle, were it at its end; with `like`, of one that
    /// looks about there.
    pub(super) fn comes_in(&self, from: &Vector3, to: &Vector3, like: Option<&Vector3>) -> bool {
        let (middle, half) = ((from + to) * 0.5, (to - from).abs() * 0.5);
        let mut is_met = false;
        self.search(&middle, &half.add_scalar(self.near), |facet| {
            let (first, last) = (facet.height(from), facet.height(to));
            let is_like = like.is_none_or(|normal| normal.dot(&facet.normal) >= LIKE);
            if is_like && first > 0.0 && last < first && last <= self.near {
                let at = from + (to - from) * (first / (first - last)).min(1.0);
                is_met |= self.is_on(facet, &at);
            }
        });
        is_met
    }

    /// True when the surface ends at an edge of `facet` that holds `point` (m): no other triangle holds what of the edge is near it.
    pub(super) fn ends_at(&self, facet: &Facet, point: &Vector3) -> bool {
        (0..3).any(|k| {
            let (from, to) = (facet.corners[k], facet.corners[(k + 1) % 3]);
            let edge = to - from;
            // An edge has a length, as the triangle has an area.
            let share = (edge.dot(&(point - from)) / edge.norm_squared()).clamp(0.0, 1.0);
            let foot = from + edge * share;
            let holds = (foot - point).norm_squared() <= self.near * self.near;
            holds
                && [from, to].iter().any(|end| {
                    let rest = end - foot;
                    let length = rest.norm();
                    let beside = foot + rest * (ALONG * self.near / length).min(0.5);
                    length > self.near && !self.is_shared(facet, &beside)
                })
        })
    }

    /// True when another triangle than `facet` holds a point (m).
    fn is_shared(&self, facet: &Facet, point: &Vector3) -> bool {
        let mut is_shared = false;
        self.search(point, &Vector3::repeat(self.near), |other| {
            is_shared |= other.corners != facet.corners && self.is_on(other, point);
        });
        is_shared
    }

    /// True when a triangle holds a point (m).
    pub(super) fn is_on(&self, facet: &Facet, point: &Vector3) -> bool {
        (facet.closest(point).0 - point).norm_squared() <= self.near * self.near
    }

    /// True when the solid holds a point (m).
    pub(super) fn holds(&self, point: &Vector3) -> bool {
        let local = self.rotation.inverse_transform_vector(point);
        match self.shape {
            Shape::Box { half_extents } => (0..3).all(|k| local[k].abs() <= half_extents[k] + self.near),
            Shape::Hull(hull) => (0..hull.face_count()).all(|face| {
                let (normal, offset) = hull.plane(face);
                normal.dot(&local) <= offset + self.near
            }),
            _ => {
                let at = RelativePose::new(local, Rotation::identity());
                let (limit, mut seed) = (self.radius + self.near, GjkSeed::default());
                let found = distance(&self.core, &Core::Point, &at, limit, &mut seed);
                !matches!(found, Proximity::Beyond { .. })
            }
        }
    }
}
