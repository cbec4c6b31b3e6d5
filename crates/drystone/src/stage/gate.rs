//! The cheap look at a pair that is apart: a lower bound of its gap, from one record per collider.
//!
//! A full look that finds a pair apart tells an axis along which it is, and how far. From then on the gap along
//! that axis changes by the way that the shapes' origins take along it, exactly, and by no more than turning has
//! carried the two surfaces. While that bound stays beyond what a full look would report, there is nothing to find,
//! and neither shapes nor manifold are read.

use crate::world::ColliderMotion;
use drystone_math::{Real, Vector3, widen};

/// What is remembered of a pair that was found apart.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gate {
    /// Slots of the two colliders.
    colliders: [u32; 2],
    /// Unit axis from A to B along which the pair was apart, world.
    axis: Vector3,
    /// What the bound of the gap adds to the way between the origins along the axis, m; minus infinity while nothing
    /// is known.
    offset: f64,
}

impl Gate {
    /// A pair nothing is known of.
    pub(super) fn open(colliders: [u32; 2]) -> Self {
        Self { colliders, axis: Vector3::zeros(), offset: f64::NEG_INFINITY }
    }

    /// Nothing is known any more.
    #[inline]
    pub(super) fn forget(&mut self) {
        self.offset = f64::NEG_INFINITY;
    }

    /// Slots of the two colliders.
    #[cfg(debug_assertions)]
    pub(super) fn colliders(&self) -> [u32; 2] {
        self.colliders
    }

    /// The two records of `motions`.
    #[inline]
    pub(super) fn motions<'a>(&self, motions: &'a [ColliderMotion]) -> [&'a ColliderMotion; 2] {
        self.colliders.map(|c| &motions[c as usize])
    }

    /// The axis along which the pair was apart.
    #[inline]
    pub(super) fn axis(&self) -> &Vector3 {
        &self.axis
    }

    /// True when something is known.
    #[inline]
    pub(super) fn is_known(&self) -> bool {
        self.offset > f64::NEG_INFINITY
    }

    /// Takes note that the pair is apart by at least `gap` (m) along the unit vector `axis` (world, from A to B).
    pub(super) fn learn(&mut self, axis: &Vector3, gap: Real, motions: &[ColliderMotion]) {
        (self.axis, self.offset) = (*axis, 0.0);
        // What comes out as no number is never beyond anything.
        self.offset = f64::from(gap) - self.gap(self.motions(motions));
    }

    /// Lower bound of the pair's gap, m.
    #[inline]
    pub(super) fn gap(&self, [a, b]: [&ColliderMotion; 2]) -> f64 {
        widen(&self.axis).dot(&(b.origin - a.origin)) - (a.turned + b.turned) + self.offset
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_math::Position;

    fn at(x: f64, y: f64, turned: f64) -> ColliderMotion {
        ColliderMotion { origin: Position::new(x, y, 0.0), turned, ..ColliderMotion::default() }
    }

    #[test]
    fn the_bound_follows_the_way_along_the_axis_and_loses_what_turned() {
        let mut gate = Gate::open([0, 1]);
        let now = |motions: &[ColliderMotion], gate: &Gate| gate.gap(gate.motions(motions));
        let motions = [at(1.0, 0.0, 5.0), at(3.0, 0.0, 7.0)];
        assert!(!gate.is_known() && now(&motions, &gate) == f64::NEG_INFINITY);
        gate.learn(&Vector3::x(), 0.5, &motions);
        assert_eq!(now(&motions, &gate), 0.5);
        assert_eq!(now(&[at(0.75, 4.0, 5.0), motions[1]], &gate), 0.75, "farther along, and aside");
        assert_eq!(now(&[motions[0], at(3.0, 0.0, 7.125)], &gate), 0.375, "turned by 0.125 m at the rim");
        gate.forget();
        assert!(!gate.is_known());
    }

    #[test]
    fn an_unbounded_shape_that_turns_is_never_apart() {
        let mut gate = Gate::open([0, 1]);
        let mut motions = [at(0.0, 0.0, 0.0), at(9.0, 0.0, 0.0)];
        gate.learn(&Vector3::x(), 1.0, &motions);
        motions[1].turned = f64::INFINITY;
        assert_eq!(gate.gap(gate.motions(&motions)), f64::NEG_INFINITY);
        gate.learn(&Vector3::x(), 1.0, &motions);
        assert!(gate.gap(gate.motions(&motions)).is_nan(), "infinity minus infinity is beyond nothing");
    }
}
