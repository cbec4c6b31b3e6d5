//! How far ahead a pair is looked at: what can come together in a step, and the margin that covers it.
//!
//! Margins are the least one times a power of two, so that a pair keeps its margin, and what was found with it,
//! while its speed changes a little.

use crate::DetectionConfig;
use crate::world::ColliderMotion;
use drystone_collision::narrow::Margin;
use drystone_contact::StepParams;
use drystone_math::{Real, Vector3, larger};

/// Share of the approach that a point may be farther than its own closing speed says: other contacts of the step
/// change velocities.
pub(super) const UNFORESEEN: Real = 0.125;
/// Share of the coherence tolerance up to which motion is not looked at: 2 µm of `WorldConfig::fast` at 60 steps per
/// second. What a stack at rest still trembles (0.1 µm per step in `metre_pyramid`) takes ten steps to add up to it.
/// Methods that advance gaps write them back, so that distances do not wait for it, only arms and normals.
const UNSEEN: Real = 1.0 / 128.0;
/// Margin, in units of the one that is needed, above which a pair gets a smaller one.
const TOO_LARGE: Real = 4.0;

/// The lengths of detection in a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Approach {
    /// Margin of pairs that do not approach, m.
    pub(super) base: Real,
    /// Motion of a pair up to which points are carried along, m.
    pub(super) tolerance: Real,
    /// `g dt²`, m: approach that gravity adds in a step.
    pub(super) unit: Real,
    /// Time that margins cover ahead, s.
    pub(super) ahead: Real,
    /// Motion of a pair at rest that is not looked at, and up to which points of what rolls are carried along, m.
    pub(super) slack: Real,
}

impl Approach {
    pub(super) fn new(config: &DetectionConfig, step: &StepParams) -> Self {
        let unit = step.length_unit();
        Self {
            base: config.contact_margin * unit,
            tolerance: config.coherence_tolerance * unit,
            unit,
            ahead: config.look_ahead * step.dt,
            slack: UNSEEN * config.coherence_tolerance * unit,
        }
    }

    /// How far the surfaces of a pair can approach each other in the time looked ahead, m, gravity aside. Either
    /// body may be stopped on the way by a third one, so that its own velocity does not count.
    #[inline]
    pub(super) fn reach(&self, [a, b]: [&ColliderMotion; 2]) -> Real {
        let between = (b.way - a.way).norm_squared();
        let alone = |motion: &ColliderMotion| motion.way.norm_squared() * (motion.alone * motion.alone);
        larger(larger(between, alone(a)), alone(b)).sqrt() + a.turn + b.turn
    }

    /// Gap up to which two points may come together whose ways along the normal are `along` (m, A and B), of a pair with
    /// `reach`, m; `alone`: the shares of them that count alone.
    #[inline]
    pub(super) fn farthest(&self, along: [Real; 2], alone: [Real; 2], reach: Real) -> Real {
        // Of both, and of either one while the other is stopped by a third.
        let apart = larger(-along[1] * alone[1], larger(along[0] * alone[0], 0.0));
        self.unit + larger(along[0] - along[1], apart) + UNFORESEEN * reach
    }

    /// The margin of a look at a pair with `reach` (m) whose largest margin is `all`, m; `turn` (from world to frame of A)
    /// turns ways.
    pub(super) fn within(
        &self,
        all: Real,
        reach: Real,
        motions: [&ColliderMotion; 2],
        turn: impl Fn(&Vector3) -> Vector3,
    ) -> Margin {
        let [a, b] = motions;
        Margin {
            all: all + self.tolerance,
            least: self.base + self.tolerance,
            beside: self.unit + UNFORESEEN * reach + a.turn + b.turn,
            ways: [a, b].map(|motion| turn(&motion.way)),
            alone: [a.alone, b.alone],
        }
    }

    /// Margin that a pair with `reach` (m) needs, m.
    #[inline]
    pub(super) fn needed(&self, reach: Real) -> Real {
        if self.ahead == 0.0 { self.base } else { larger(reach + self.unit, self.base) }
    }

    /// True when a pair with `reach` (m) needs no more than the least margin.
    #[inline]
    pub(super) fn is_slow(&self, reach: Real) -> bool {
        self.needed(reach) <= self.base
    }

    /// Margin of a pair that had the margin `before`, m.
    #[inline]
    pub(super) fn margin(&self, reach: Real, before: Real) -> Real {
        let needed = self.needed(reach);
        if needed <= before && before <= TOO_LARGE * needed {
            return before;
        }
        if needed <= self.base {
            return self.base;
        }
        let least = larger(self.base, self.unit);
        least * next_power_of_two(needed / least)
    }
}

/// The smallest power of two that is not below `x`, for `x` of at least 1.
#[inline]
fn next_power_of_two(x: Real) -> Real {
    // Adding all bits of the fraction carries into the exponent unless they are all zero.
    Real::from_bits((x.min(1.0e30).to_bits() + 0x007F_FFFF) & 0xFF80_0000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_two_are_rounded_up() {
        for (x, power) in [(1.0, 1.0), (1.5, 2.0), (2.0, 2.0), (2.000_001, 4.0), (1000.0, 1024.0)] {
            assert_eq!(next_power_of_two(x), power);
        }
        assert!(next_power_of_two(Real::INFINITY).is_finite());
    }
}
