//! Narrow phase of the plane: closed forms for every pair of shapes.
//!
//! In: two cores (convex corners and a radius), where B is seen from A. Out: at most two contact points with one
//! normal. Knows no bodies. Start reading at [`collide`]; pairs with a circle are in `round.rs`, all others in
//! `polygon.rs`.
//!
//! Conventions: world axes; normal from A to B; distances negative when overlapping; arms from the centres of mass.

mod polygon;
mod round;

use crate::frame::{Turn, Vector2};
use crate::shape::Core;
use drystone_math::Real;

/// A contact point.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Point {
    /// From A's centre of mass to the middle between both surfaces, m, world axes.
    pub(crate) arm_a: Vector2,
    /// From B's centre of mass, likewise.
    pub(crate) arm_b: Vector2,
    /// Signed gap along the normal, m.
    pub(crate) distance: Real,
    /// Corner of A and corner of B that make it; the same from step to step while they do.
    pub(crate) feature: u16,
}

/// What two shapes have in common.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Manifold {
    /// Unit, from A to B, world axes.
    pub(crate) normal: Vector2,
    /// The first `count` count.
    pub(crate) points: [Point; 2],
    pub(crate) count: u8,
    /// Without points: at least how far apart the shapes are, m, where that is known; else 0.
    pub(crate) clearance: Real,
    /// Without points: the edge that tells the shapes apart, where that is known.
    pub(crate) axis: Option<Axis>,
}

/// An edge of one of two shapes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Axis {
    is_of_b: bool,
    edge: u8,
}

/// Where B is seen from A.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placement {
    /// From A's centre of mass to B's, m, world axes.
    pub(crate) offset: Vector2,
    pub(crate) turn_a: Turn,
    pub(crate) turn_b: Turn,
}

impl Manifold {
    /// No points; the shapes are at least this far apart, m, along the normal of that edge.
    fn apart(clearance: Real, axis: Axis) -> Self {
        Self { clearance, axis: Some(axis), ..Self::default() }
    }

    pub(crate) fn points(&self) -> &[Point] {
        &self.points[..usize::from(self.count)]
    }

    /// One point at `middle`, given from A's centre of mass in A's axes, as is the normal.
    #[inline]
    fn single(place: &Placement, normal: Vector2, middle: Vector2, distance: Real, feature: u16) -> Self {
        let mut manifold = Self { normal: place.turn_a.apply(&normal), ..Self::default() };
        manifold.push(place, middle, distance, feature);
        manifold
    }

    #[inline]
    fn push(&mut self, place: &Placement, middle: Vector2, distance: Real, feature: u16) {
        let arm_a = place.turn_a.apply(&middle);
        self.points[usize::from(self.count)] =
            Point { arm_a, arm_b: arm_a - place.offset, distance, feature };
        self.count += 1;
    }
}

/// Names the pair of corners that makes a point.
#[inline]
fn feature(corner_a: usize, corner_b: usize) -> u16 {
    (corner_a as u16) << 8 | corner_b as u16
}

/// Contact points of two shapes whose gap is at most `margin` (m); none when they are farther apart.
#[inline]
pub(crate) fn collide(a: &Core, b: &Core, place: &Placement, margin: Real) -> Manifold {
    match (a.corners.len(), b.corners.len()) {
        (1, 1) => round::circles(a, b, place, margin),
        (_, 1) => round::polygon_circle(a, b, place, margin),
        (1, _) => {
            let seen_from_b = Placement { offset: -place.offset, turn_a: place.turn_b, turn_b: place.turn_a };
            flipped(round::polygon_circle(b, a, &seen_from_b, margin))
        }
        _ => polygon::polygons(a, b, place, margin),
    }
}

/// How far apart two shapes are along the normal of an edge, m: a lower bound of their gap. O(corners of the other shape).
#[inline]
pub(crate) fn gap_along(axis: Axis, a: &Core, b: &Core, place: &Placement) -> Real {
    let (own, other, turn) = if axis.is_of_b {
        (b, a, place.turn_a.relative(&place.turn_b))
    } else {
        (a, b, place.turn_b.relative(&place.turn_a))
    };
    let Some(corner) = own.corners.get(usize::from(axis.edge)) else { return Real::NEG_INFINITY };
    // The edge's normal in the other one's axes, and the way between both centres along it.
    let normal = turn.apply(&corner.normal);
    let offset =
        if axis.is_of_b { -place.turn_b.undo(&place.offset) } else { place.turn_a.undo(&place.offset) };
    let mut least = Real::INFINITY;
    for far in &other.corners {
        least = least.min(normal.dot(&far.point));
    }
    least + corner.normal.dot(&(offset - corner.point)) - a.radius - b.radius
}

/// The manifold of (B, A) as that of (A, B).
fn flipped(mut manifold: Manifold) -> Manifold {
    manifold.normal = -manifold.normal;
    for point in &mut manifold.points {
        std::mem::swap(&mut point.arm_a, &mut point.arm_b);
        point.feature = point.feature.rotate_left(8);
    }
    manifold
}

#[cfg(test)]
mod tests;
