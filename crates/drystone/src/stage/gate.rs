//! The cheap look at a pair that is apart or at rest: one record per collider tells that nothing changed.
//!
//! A full look that finds a pair apart tells an axis along which it is, and how far. From then on the gap along
//! that axis changes by the way that the shapes' origins take along it, exactly, and by no more than turning has
//! carried the two surfaces. While that bound stays beyond what a full look would report, there is nothing to find.
//! A pair whose colliders have moved by less than a hundredth of the coherence tolerance since its points were renewed has the points
//! it had. Neither shapes nor manifold are read.

use super::approach::Approach;
use crate::world::ColliderMotion;
use drystone_math::{Real, Vector3, larger, widen};

/// What is remembered of a pair, so that it needs no look. Half a cache line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gate {
    /// Unit axis from A to B along which the pair was apart, world; last what is known, beside it so that lanes get both at once:
    /// [`Gate::APART`], [`Gate::AT_REST`] or nothing.
    axis_and_known: [Real; 4],
    /// Slots of the two colliders.
    colliders: [u32; 2],
    /// Apart: what the bound of the gap adds to the way between the origins along the axis, m. At rest: the sum of the
    /// ways travelled up to which it is, m.
    value: f64,
}

const _: () = assert!(size_of::<Gate>() == 32);

impl Gate {
    const NOTHING: Real = 0.0;
    /// The pair was apart along the axis.
    pub(super) const APART: Real = 1.0;
    /// The pair was at rest.
    pub(super) const AT_REST: Real = 2.0;

    /// A pair nothing is known of.
    pub(super) fn open(colliders: [u32; 2]) -> Self {
        Self { axis_and_known: [0.0, 0.0, 0.0, Self::NOTHING], colliders, value: 0.0 }
    }

    /// Slots of the two colliders.
    #[inline]
    pub(super) fn colliders(&self) -> [u32; 2] {
        self.colliders
    }

    /// Nothing is known any more.
    #[inline]
    pub(super) fn forget(&mut self) {
        self.axis_and_known[3] = Self::NOTHING;
    }

    /// The two records of `motions`.
    #[inline]
    pub(super) fn motions<'a>(&self, motions: &'a [ColliderMotion]) -> [&'a ColliderMotion; 2] {
        self.colliders.map(|c| &motions[c as usize])
    }

    /// Takes note that the pair is apart by at least `gap` (m) along the unit vector `axis` (world, from A to B).
    #[inline]
    pub(super) fn learn(&mut self, axis: &Vector3, gap: Real, motions: [&ColliderMotion; 2]) {
        (self.axis_and_known, self.value) = ([axis.x, axis.y, axis.z, Self::APART], 0.0);
        // What comes out as no number is never beyond anything.
        self.value = f64::from(gap) - self.gap(motions);
    }

    /// Takes note that the pair stays as it is until its colliders have moved by `slack`, m.
    #[inline]
    pub(super) fn rest(&mut self, slack: Real, [a, b]: [&ColliderMotion; 2]) {
        (self.axis_and_known[3], self.value) = (Self::AT_REST, a.travelled + b.travelled + f64::from(slack));
    }

    /// True when a look at the pair would find what the last one found, or nothing where that found nothing. [`Context::screen`] asks
    /// eight at a time.
    ///
    /// [`Context::screen`]: super::pair::Context::screen
    #[inline]
    pub(super) fn is_shut(&self, approach: &Approach, motions: [&ColliderMotion; 2]) -> bool {
        let reach = approach.reach(motions);
        if self.is_known_apart() {
            return self.is_beyond(self.limit(approach, reach, motions), motions);
        }
        self.axis_and_known[3] == Self::AT_REST && self.is_unmoved(motions) && approach.is_slow(reach)
    }

    /// True when a pair that was apart is farther apart than `limit`, m.
    #[inline(always)]
    pub(super) fn is_beyond(&self, limit: Real, motions: [&ColliderMotion; 2]) -> bool {
        self.gap(motions) > f64::from(limit)
    }

    /// True when the colliders of a pair that was at rest have not moved by more than was let pass.
    #[inline(always)]
    pub(super) fn is_unmoved(&self, [a, b]: [&ColliderMotion; 2]) -> bool {
        a.travelled + b.travelled <= self.value
    }

    /// True when the pair is known to be apart.
    pub(super) fn is_apart(&self, motions: &[ColliderMotion]) -> bool {
        self.is_known_apart() && self.gap(self.motions(motions)) > 0.0
    }

    /// The axis along which the pair was apart last, zero where it never was, and what is known.
    #[inline(always)]
    pub(super) fn row(&self) -> &[Real; 4] {
        &self.axis_and_known
    }

    #[inline(always)]
    fn any_axis(&self) -> Vector3 {
        let [x, y, z, _] = self.axis_and_known;
        Vector3::new(x, y, z)
    }

    #[inline(always)]
    fn is_known_apart(&self) -> bool {
        self.axis_and_known[3] == Self::APART
    }

    /// The axis along which the pair was apart when it was looked at last, where it was.
    #[inline]
    pub(super) fn axis(&self) -> Option<Vector3> {
        self.is_known_apart().then_some(self.any_axis())
    }

    /// Takes note of a gap (m) measured anew along the axis of the pair, whose surfaces can approach by `reach` (m); true when a
    /// look would find nothing.
    pub(super) fn measure(
        &mut self,
        gap: Real,
        approach: &Approach,
        reach: Real,
        motions: [&ColliderMotion; 2],
    ) -> bool {
        let axis = self.any_axis();
        self.learn(&axis, gap, motions);
        gap > self.limit(approach, reach, motions)
    }

    /// The gap (m) along the axis beyond which nothing of two surfaces that can approach by `reach` (m) would be reported; no number
    /// where none is enough.
    #[inline]
    fn limit(&self, approach: &Approach, reach: Real, [a, b]: [&ColliderMotion; 2]) -> Real {
        let least = approach.base + approach.tolerance;
        if approach.ahead == 0.0 {
            return least;
        }
        // As for points, but all of the two surfaces must not come near.
        let along = [a, b].map(|motion| self.any_axis().dot(&motion.way));
        larger(least, approach.farthest(along, [a.alone, b.alone], reach) + a.turn + b.turn)
    }

    /// Slots of the colliders and the bound of the gap (m), for a pair known to be apart.
    #[cfg(debug_assertions)]
    pub(super) fn promise(&self, motions: &[ColliderMotion]) -> Option<([u32; 2], f64)> {
        self.is_known_apart().then(|| (self.colliders, self.gap(self.motions(motions))))
    }

    /// Lower bound of the pair's gap, m.
    #[inline]
    fn gap(&self, [a, b]: [&ColliderMotion; 2]) -> f64 {
        widen(&self.any_axis()).dot(&(b.origin - a.origin)) - (a.turned + b.turned) + self.value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_math::Position;

    const APPROACH: Approach = Approach { base: 0.02, tolerance: 0.001, unit: 0.01, ahead: 0.1, slack: 0.0 };

    fn at(x: f64, y: f64, turned: f64) -> ColliderMotion {
        ColliderMotion { origin: Position::new(x, y, 0.0), turned, ..ColliderMotion::default() }
    }

    #[test]
    fn the_bound_follows_the_way_along_the_axis_and_loses_what_turned() {
        let mut gate = Gate::open([0, 1]);
        let now = |motions: &[ColliderMotion], gate: &Gate| gate.gap(gate.motions(motions));
        let motions = [at(1.0, 0.0, 5.0), at(3.0, 0.0, 7.0)];
        assert!(!gate.is_shut(&APPROACH, gate.motions(&motions)));
        gate.learn(&Vector3::x(), 0.5, gate.motions(&motions));
        assert_eq!(now(&motions, &gate), 0.5);
        assert_eq!(now(&[at(0.75, 4.0, 5.0), motions[1]], &gate), 0.75, "farther along, and aside");
        assert_eq!(now(&[motions[0], at(3.0, 0.0, 7.125)], &gate), 0.375, "turned by 0.125 m at the rim");
        assert!(gate.is_shut(&APPROACH, gate.motions(&motions)));
        gate.forget();
        assert!(!gate.is_shut(&APPROACH, gate.motions(&motions)));
    }

    #[test]
    fn a_pair_that_approaches_is_let_through_before_it_arrives() {
        let mut gate = Gate::open([0, 1]);
        let mut motions = [at(1.0, 0.0, 0.0), at(3.0, 0.0, 0.0)];
        gate.learn(&Vector3::x(), 0.5, gate.motions(&motions));
        for (way, is_shut) in [(0.4, true), (0.51, false), (-0.51, true)] {
            motions[0].way.x = way;
            assert_eq!(gate.is_shut(&APPROACH, gate.motions(&motions)), is_shut, "{way} m in the step");
        }
    }

    #[test]
    fn a_pair_at_rest_is_let_through_when_it_moved_or_is_about_to() {
        let mut gate = Gate::open([0, 1]);
        let mut motions = [at(1.0, 0.0, 0.0), at(3.0, 0.0, 0.0)];
        motions[0].travelled = 7.0;
        gate.rest(0.25, gate.motions(&motions));
        assert!(gate.is_shut(&APPROACH, gate.motions(&motions)));
        motions[0].way.y = 0.1;
        assert!(!gate.is_shut(&APPROACH, gate.motions(&motions)), "0.1 m in the step");
        motions[0].way.y = 0.0;
        motions[1].travelled = 0.25;
        assert!(gate.is_shut(&APPROACH, gate.motions(&motions)));
        motions[0].travelled = 7.125;
        assert!(!gate.is_shut(&APPROACH, gate.motions(&motions)));
    }

    #[test]
    fn an_unbounded_shape_that_turns_is_never_apart() {
        let mut gate = Gate::open([0, 1]);
        let mut motions = [at(0.0, 0.0, 0.0), at(9.0, 0.0, 0.0)];
        gate.learn(&Vector3::x(), 1.0, gate.motions(&motions));
        motions[1].turned = f64::INFINITY;
        assert!(!gate.is_shut(&APPROACH, gate.motions(&motions)));
        gate.learn(&Vector3::x(), 1.0, gate.motions(&motions));
        assert!(
            !gate.is_shut(&APPROACH, gate.motions(&motions)),
            "infinity minus infinity is beyond nothing"
        );
    }
}
