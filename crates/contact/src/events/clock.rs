//! Simulated time without rounding.

use drystone_math::Real;

/// An instant or a span of simulated time, in units of 2⁻⁹⁰ s: sums and differences are exact, and so are all step sizes of at least
/// 2⁻⁶⁶ s (smaller ones lose their last bits). Good for 8000 years.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Ticks(u128);

/// Binary digits after the point.
const FRACTION_BITS: i32 = 90;

impl Ticks {
    /// A span of `seconds`: finite, at least 0 and below 2³⁷. Exact for numbers of 2⁻³⁷ and more.
    pub(super) fn from_seconds(seconds: f64) -> Self {
        debug_assert!((0.0..2.0_f64.powi(37)).contains(&seconds), "a span of time, got {seconds} s");
        let bits = seconds.to_bits();
        let (exponent, fraction) = ((bits >> 52) as i32 & 0x7FF, bits & ((1 << 52) - 1));
        // Below the smallest normal number nothing is left at this resolution.
        let mantissa = if exponent == 0 { 0 } else { u128::from(fraction | 1 << 52) };
        let shift = exponent - 1023 - 52 + FRACTION_BITS;
        Self(if shift >= 0 {
            mantissa << shift
        } else {
            mantissa.checked_shr(shift.unsigned_abs()).unwrap_or(0)
        })
    }

    /// The nearest number of seconds.
    pub(super) fn seconds(self) -> f64 {
        self.0 as f64 * 2.0_f64.powi(-FRACTION_BITS)
    }

    /// The sum; time stands still at its end.
    pub(super) fn plus(self, span: Self) -> Self {
        Self(self.0.saturating_add(span.0))
    }
}

impl From<Real> for Ticks {
    fn from(dt: Real) -> Self {
        Self::from_seconds(f64::from(dt))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_steps_are_exact() {
        for dt in [1.0 / 60.0, 1e-7, 1.0, 2.0_f32.powi(-66), Real::MIN_POSITIVE] {
            let mut sum = Ticks::default();
            (0..1 << 10).for_each(|_| sum = sum.plus(Ticks::from(dt)));
            let expected = if dt < 2.0_f32.powi(-66) { 0.0 } else { f64::from(dt) * 1024.0 };
            assert_eq!(sum.seconds(), expected, "{dt} s");
        }
        assert_eq!(Ticks::from_seconds(0.1).seconds(), 0.1);
        assert_eq!(Ticks(u128::MAX).plus(Ticks(1)), Ticks(u128::MAX));
    }
}
