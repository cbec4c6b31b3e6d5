//! What has sunk in with its centre, and comes out in front again.

use super::super::patches::Patches;
use super::Solid;
use crate::narrow::prism::Facet;
use drystone_math::{Real, Vector3};

/// Cosine of the line from a triangle to what is behind it, from which on that is under it and not beside it.
const UNDER: Real = -0.5;
/// Difference that counts as none: of distances as a part of them, and of cosines.
const EQUAL: Real = 1.0e-5;

/// A triangle seen from the centre of the solid.
struct Seen {
    facet: Facet,
    /// Its point nearest to the centre, m, and whether that lies inside of all edges.
    nearest: Vector3,
    is_inside: bool,
    /// How far that is, m.
    distance: Real,
    /// Cosine between its normal and the way from there to the centre: negative where the centre is behind.
    cosine: Real,
}

impl Seen {
    fn new(facet: &Facet, center: &Vector3) -> Self {
        let (nearest, is_inside) = facet.closest(center);
        let offset = center - nearest;
        let distance = offset.norm();
        let cosine = if distance > 0.0 { facet.normal.dot(&offset) / distance } else { -1.0 };
        Self { facet: *facet, nearest, is_inside, distance, cosine }
    }

    /// True when this triangle tells better than `other` on which side of the surface the centre is.
    fn is_nearer(&self, other: &Self) -> bool {
        if self.distance < other.distance * (1.0 - EQUAL) {
            return true;
        }
        // At an edge the triangle that looks at the centre most tells the side. Where two look as much, front and back of a sheet,
        // the centre is in front.
        let looks_more = self.cosine.abs() - other.cosine.abs();
        self.distance <= other.distance * (1.0 + EQUAL)
            && (looks_more > EQUAL || looks_more >= -EQUAL && self.cosine > other.cosine)
    }
}

impl Solid<'_> {
    /// Where the centre is behind the triangle nearest to it, and the surface inside of the solid: one contact that brings the centre out
    /// in front, by the inner radius.
    ///
    /// Not where the nearest point is on an open rim: the centre is then beside the surface, not under it.
    pub(super) fn lift(&self, patches: &mut Patches<'_>) {
        let mut nearest: Option<Seen> = None;
        self.search(&self.middle, &self.half, |facet| {
            let seen = Seen::new(facet, &self.center);
            if nearest.as_ref().is_none_or(|best| seen.is_nearer(best)) {
                nearest = Some(seen);
            }
        });
        let is_under = |seen: &Seen| {
            seen.cosine < UNDER && self.reaches(seen) && (seen.is_inside || !self.is_open(&seen.nearest))
        };
        if let Some(seen) = nearest.filter(is_under) {
            let normal = seen.facet.normal;
            let height = seen.facet.height(&self.center);
            let distance = height - self.shape.inner_radius();
            let point = self.center - normal * (height - 0.5 * distance);
            patches.add(&point, distance, &normal);
        }
    }

    /// True when the solid holds the point nearest to its centre, or passes the surface on the way from there to its point farthest
    /// out: so a plate that has sunk in aslant.
    fn reaches(&self, seen: &Seen) -> bool {
        let own = self.rotation.inverse_transform_vector(&seen.facet.normal);
        let highest = self.pose.transform_point(&self.shape.support(&own));
        self.holds(&seen.nearest) || self.comes_in(&highest, &self.center, None)
    }

    /// True when the surface ends at a point of it (m): any triangle there has an edge there without a neighbour.
    fn is_open(&self, point: &Vector3) -> bool {
        let mut is_open = false;
        self.search(point, &Vector3::repeat(self.near), |facet| {
            is_open = is_open || self.is_on(facet, point) && self.ends_at(facet, point);
        });
        is_open
    }
}
