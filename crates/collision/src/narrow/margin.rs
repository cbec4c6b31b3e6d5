//! How far apart two shapes may be and still get contact points.

use drystone_math::{Real, RelativePose, Vector3, larger, smaller};

/// The margin of a contact: one length, or one for every direction where the shapes are about to move.
///
/// Two shapes that pass each other need no points although they move far: along a normal only what closes counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Margin {
    /// Points farther apart than this, m, are left out in any case; at least 0.
    pub all: Real,
    /// The margin along any normal is at least this, m.
    pub least: Real,
    /// What is added to the approach along a normal, m: turning, and what is not foreseen.
    pub beside: Real,
    /// The ways that A and B are about to go, m, frame of A. Either may be stopped by a third body.
    pub ways: [Vector3; 2],
    /// Share of its way that counts where the other one is stopped.
    pub alone: [Real; 2],
}

impl Margin {
    /// The same in all directions, m.
    pub fn uniform(all: Real) -> Self {
        Self { all, least: all, beside: 0.0, ways: [Vector3::zeros(); 2], alone: [1.0; 2] }
    }

    /// Shapes that are apart by more than this along the unit vector `normal` (frame of A, from A to B) need no points, m.
    #[inline]
    pub fn along(&self, normal: &Vector3) -> Real {
        let [a, b] = self.ways.map(|way| normal.dot(&way));
        let apart = larger(-b * self.alone[1], larger(a * self.alone[0], 0.0));
        smaller(larger(self.beside + larger(a - b, apart), self.least), self.all)
    }

    /// True when shapes `gap` (m) apart along `normal` need no points.
    #[inline]
    pub(super) fn is_exceeded(&self, gap: Real, normal: impl FnOnce() -> Vector3) -> bool {
        gap > self.least && (gap > self.all || gap > self.along(&normal()))
    }

    /// The margin with the roles exchanged.
    pub(super) fn flipped(&self, b_in_a: &RelativePose) -> Self {
        let [a, b] = self.ways.map(|way| b_in_a.rotation.inverse_transform_vector(&way));
        Self { ways: [b, a], alone: [self.alone[1], self.alone[0]], ..*self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_passes_needs_less_than_what_meets() {
        let margin = Margin {
            all: 1.0,
            least: 0.03125,
            beside: 0.0625,
            ways: [Vector3::new(0.25, 0.0, 0.0), Vector3::new(-0.125, 0.0, 0.0)],
            alone: [1.0; 2],
        };
        assert_eq!(margin.along(&Vector3::x()), 0.4375);
        assert_eq!(margin.along(&Vector3::y()), 0.0625);
        assert_eq!(margin.along(&-Vector3::x()), 0.0625, "they part");
        // Together they do not close, but either may be stopped.
        let falling = Margin { ways: [Vector3::new(0.0, -0.25, 0.0); 2], ..margin };
        assert_eq!(falling.along(&Vector3::y()), 0.3125);
        assert_eq!(falling.along(&-Vector3::y()), 0.3125);
        let calm = Margin { alone: [0.5, 0.75], ..falling };
        assert_eq!((calm.along(&-Vector3::y()), calm.along(&Vector3::y())), (0.1875, 0.25));
        assert_eq!(Margin::uniform(0.5).along(&Vector3::z()), 0.5);
    }
}
