//! Axis-aligned boxes in the world, in double precision.

use crate::{Displacement, Position};

/// An axis-aligned box, m, world. Half-spaces reach to `f64::MIN` or `f64::MAX`
/// on the axes they do not bound; [`Aabb::EMPTY`] overlaps nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Aabb {
    /// Lower corner, m.
    pub min: Position,
    /// Upper corner, m.
    pub max: Position,
}

impl Default for Aabb {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl Aabb {
    /// The box that contains nothing and overlaps nothing.
    pub const EMPTY: Self = Self {
        min: Position::new(f64::INFINITY, f64::INFINITY, f64::INFINITY),
        max: Position::new(f64::NEG_INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY),
    };
    /// The box that contains every finite point. Its corners are the largest finite numbers rather than
    /// infinities, so that even [`Aabb::EMPTY`] does not overlap it.
    pub const EVERYTHING: Self = Self {
        min: Position::new(f64::MIN, f64::MIN, f64::MIN),
        max: Position::new(f64::MAX, f64::MAX, f64::MAX),
    };

    /// The box between two corners; `min <= max` on every axis, or the box counts as empty.
    #[inline]
    pub fn new(min: Position, max: Position) -> Self {
        Self { min, max }
    }

    /// The box around `center` with the given half extents, m.
    #[inline]
    pub fn from_center(center: Position, half_extents: Displacement) -> Self {
        Self { min: center - half_extents, max: center + half_extents }
    }

    /// The smallest box around some points; [`Aabb::EMPTY`] for none.
    pub fn from_points(points: impl IntoIterator<Item = Position>) -> Self {
        points.into_iter().fold(Self::EMPTY, |aabb, p| aabb.merged(&Self { min: p, max: p }))
    }

    /// True when the two closed boxes share a point.
    #[inline]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.min.x <= other.max.x
            && other.min.x <= self.max.x
            && self.min.y <= other.max.y
            && other.min.y <= self.max.y
            && self.min.z <= other.max.z
            && other.min.z <= self.max.z
    }

    /// True when `other` lies wholly inside (borders included).
    #[inline]
    pub fn contains(&self, other: &Self) -> bool {
        self.min.x <= other.min.x
            && self.min.y <= other.min.y
            && self.min.z <= other.min.z
            && other.max.x <= self.max.x
            && other.max.y <= self.max.y
            && other.max.z <= self.max.z
    }

    /// The smallest box around both.
    #[inline]
    pub fn merged(&self, other: &Self) -> Self {
        Self { min: self.min.inf(&other.min), max: self.max.sup(&other.max) }
    }

    /// The box grown by `margin` (m) on every side.
    #[inline]
    pub fn grown(&self, margin: f64) -> Self {
        let m = Displacement::repeat(margin);
        Self { min: self.min - m, max: self.max + m }
    }

    /// The box stretched so that it also contains itself moved by `displacement` (m).
    #[inline]
    pub fn swept(&self, displacement: &Displacement) -> Self {
        let zero = Displacement::zeros();
        Self { min: self.min + displacement.inf(&zero), max: self.max + displacement.sup(&zero) }
    }

    /// Edge lengths, m; infinite for unbounded axes, negative infinity when empty.
    #[inline]
    pub fn extents(&self) -> Displacement {
        self.max - self.min
    }

    /// The longest edge, m.
    #[inline]
    pub fn longest_edge(&self) -> f64 {
        self.extents().max()
    }

    /// The middle of the box; not a number for unbounded boxes.
    #[inline]
    pub fn center(&self) -> Position {
        nalgebra::center(&self.min, &self.max)
    }

    /// True when the box contains no point.
    #[inline]
    pub fn is_empty(&self) -> bool {
        // Negated so that a NaN corner counts as empty.
        !(self.min.x <= self.max.x && self.min.y <= self.max.y && self.min.z <= self.max.z)
    }

    /// True when no axis is unbounded (nor the box empty or not a number).
    #[inline]
    pub fn is_bounded(&self) -> bool {
        self.min.iter().chain(self.max.iter()).all(|c| c.abs() < f64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_overlaps_nothing_and_everything_overlaps_all() {
        let unit = Aabb::from_center(Position::origin(), Displacement::repeat(1.0));
        assert!(!Aabb::EMPTY.overlaps(&unit) && Aabb::EMPTY.is_empty());
        assert!(!Aabb::EMPTY.overlaps(&Aabb::EVERYTHING));
        assert!(Aabb::EVERYTHING.overlaps(&unit) && Aabb::EVERYTHING.contains(&unit));
    }

    #[test]
    fn touching_boxes_overlap_and_separated_ones_do_not() {
        let a = Aabb::new(Position::origin(), Position::new(1.0, 1.0, 1.0));
        let touching = a.swept(&Displacement::zeros());
        assert!(a.overlaps(&Aabb::new(Position::new(1.0, 0.0, 0.0), Position::new(2.0, 1.0, 1.0))));
        assert!(!a.overlaps(&Aabb::new(Position::new(1.001, 0.0, 0.0), Position::new(2.0, 1.0, 1.0))));
        assert_eq!(touching, a);
        assert_eq!(a.swept(&Displacement::new(2.0, -1.0, 0.0)).extents(), Displacement::new(3.0, 2.0, 1.0));
    }
}
