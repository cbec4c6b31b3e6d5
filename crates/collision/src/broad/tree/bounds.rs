//! Boxes in single precision, never smaller than what they stand for.

use drystone_math::{Aabb, Position};

/// A box relative to the origin of the tree, m; closed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bounds {
    pub(crate) min: [f32; 3],
    pub(crate) max: [f32; 3],
}

impl Bounds {
    pub(crate) const EMPTY: Self = Self { min: [f32::INFINITY; 3], max: [f32::NEG_INFINITY; 3] };

    /// The box around `aabb`, rounded outwards.
    #[inline]
    pub(super) fn around(aabb: &Aabb, origin: &Position) -> Self {
        let (low, high) = (aabb.min - origin, aabb.max - origin);
        Self {
            min: [-outwards(-low.x), -outwards(-low.y), -outwards(-low.z)],
            max: [outwards(high.x), outwards(high.y), outwards(high.z)],
        }
    }

    pub(crate) fn merged(&self, other: &Self) -> Self {
        Self {
            min: [0, 1, 2].map(|i| lesser(self.min[i], other.min[i])),
            max: [0, 1, 2].map(|i| greater(self.max[i], other.max[i])),
        }
    }

    #[cfg(test)]
    pub(super) fn contains(&self, other: &Self) -> bool {
        (0..3).all(|i| self.min[i] <= other.min[i] && other.max[i] <= self.max[i])
    }

    /// Half of the surface, m².
    pub(super) fn half_surface(&self) -> f32 {
        let [x, y, z] = [0, 1, 2].map(|i| self.max[i] - self.min[i]);
        x * y + y * z + z * x
    }

    /// The middle.
    pub(super) fn center(&self) -> [f32; 3] {
        [0, 1, 2].map(|i| 0.5 * self.min[i] + 0.5 * self.max[i])
    }
}

/// A finite `f32` that is greater than or equal to `x`, or the largest one. (`next_up` asks for infinities and signs first.)
#[inline]
pub(super) fn outwards(x: f64) -> f32 {
    let near = (x as f32).clamp(-f32::MAX, f32::MAX);
    // Half a unit in the last place is at most this share of a normal number, and rounding the sum another.
    (near + near.abs() * (2.0 * f32::EPSILON) + f32::MIN_POSITIVE).min(f32::MAX)
}

/// Without the care for NaN that `f32::min` takes: one instruction.
#[inline]
pub(super) fn lesser(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// As [`lesser`].
#[inline]
pub(super) fn greater(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_goes_outwards_everywhere() {
        let near = [0.0, 1e-300, 1e-40, 1e-38, 0.1, 1.0, 16_777_217.0, 1e7 + 0.3, 3e38, 3.5e38, 1e300];
        for x in near.into_iter().flat_map(|x| [x, -x]) {
            let high = outwards(x);
            assert!(high.is_finite());
            assert!(f64::from(high) >= x || high == f32::MAX, "{x}: {high}");
            assert!(f64::from(high) <= x + 1e-6 * x.abs() + 1e-37 || x.abs() > 3e38, "{x}: {high}");
        }
    }
}
