//! Tuning of penetration correction, and why a setting is refused.

use drystone_math::Real;

/// Tuning of penetration correction.
///
/// ```
/// use drystone_correction::CorrectionConfig;
/// let bad = CorrectionConfig { remaining_fraction: 1.0, ..Default::default() };
/// assert_eq!(
///     bad.validate().unwrap_err().to_string(),
///     "remaining_fraction must be above 0 and below 1, got 1"
/// );
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct CorrectionConfig {
    /// Overlap above which a contact is corrected, as a multiple of `g dt²` (S1-05, S1-94), no unit.
    /// Default 10; finite, at least 0. Larger is calmer and cheaper, smaller sinks less.
    pub penetration_threshold: Real,
    /// Share of the threshold left standing by a correction, so that resting contacts persist, no unit
    /// (S1-24, S1-25; S1-95 leaves it open). Default 0.5; above 0 and below 1. Larger moves bodies less
    /// far per correction and fewer with it, but contacts are back at the threshold sooner. Measured on a
    /// sinking heap of 2816 balls (`crates/correction/examples/measure_heap.rs`), bodies displaced per step: 162, 208, 321, 638
    /// and 1258 for 0.1, 0.25, 0.5, 0.75 and 0.9; a correction at 0.5 is still a jump of only 5 `g dt²`.
    pub remaining_fraction: Real,
    /// Bodies that one correction may displace before the approach is given up. Default 1024; at least 1.
    /// Larger resolves deeper piles; the cost of a search is linear in it. In heaps of 2816 balls, 256 was
    /// never hit, 64 left 3 of 2902 crowded contacts to the next step, and 16 left some for good. The middle box of the lowest of 100 rows of a wall carries
    /// 2500 boxes: see [`CorrectionConfig::accurate`].
    pub max_displaced: u32,
    /// Corrections per batch and step; what is left over waits for the next step and is reported. Default
    /// 16 384; 1 to 1 000 000 000. Larger spreads a badly overlapping start in fewer steps.
    pub max_corrections: u32,
    /// Contacts that the searches of a batch may look at in a step, as a multiple of its bodies; contacts whose
    /// turn comes later are loosened only, and reported; loosening ([`CorrectionConfig::relax_rounds`]) goes on with what is left of them. Default 256; 1 to 1 000 000. It bounds the price of bodies
    /// that were all put at one place, where each has a contact with each. Measured over the run, at most: 24 in
    /// `cage2816` by S1's method, 22 in falling and collapsing heaps by sub-steps; walls need more ([`CorrectionConfig::accurate`]).
    pub max_looks: u32,
    /// Whether a body may be moved back along the way it came (S1-08, S1-09) as well as along the contact
    /// normal. Default true. With it, what flew in goes back to where it was free; without it, there are
    /// half as many searches and every correction is as short as it can be.
    pub use_backward: bool,
    /// Whether a body that is moved alone may turn as well (S1-97, see [`crate::rotate`]). Default false:
    /// the paper translates only (S1-06). With it, a tilted body is lifted less, but a corner that has no
    /// contact point in this step may sink.
    pub rotate: bool,
    /// Share of its overlap by which a contact that no approach can solve is pulled apart, no unit. Default
    /// 0.5; 0 to 1. 0 leaves it as it is (S1-18). Larger loosens jammed heaps in fewer steps, and stirs them
    /// more.
    pub relax_share: Real,
    /// Rounds in which loosening goes on in the same step, from what was pulled apart to what that pressed together. Default 64; 0 to 1000. 0
    /// leaves that to the next step, which does not keep up where a jam is pressed all the time. Rounds end once nothing that was
    /// pulled is deeper than the threshold. Measured on 1080 bodies of 1 m in a pit (`heap_stream`, threshold 1.74 mm), deepest in the run and
    /// at its end, mm: 14.8 and 2.29 with 0, 9.8 and 1.98 with 4, 2.1 and 1.83 with 16, 1.74 and 1.74 with 64; the correction
    /// takes 1.09, 0.93, 0.90 and 0.82 ms per step.
    pub relax_rounds: u32,
}

impl Default for CorrectionConfig {
    /// The fast set of S1-94.
    fn default() -> Self {
        Self {
            penetration_threshold: 10.0,
            remaining_fraction: 0.5,
            max_displaced: 1024,
            max_corrections: 16_384,
            max_looks: 256,
            use_backward: true,
            rotate: false,
            relax_share: 0.5,
            relax_rounds: 64,
        }
    }
}

/// Most corrections per batch: four searches each must stay countable in 32 bits.
const MOST_CORRECTIONS: u32 = 1_000_000_000;

/// Most rounds of loosening in a step.
const MOST_ROUNDS: u32 = 1000;

/// Most looks per body.
const MOST_LOOKS: u32 = 1_000_000;

impl CorrectionConfig {
    /// The fast set of S1-94: a threshold of 10 `g dt²`. Equals the default.
    pub fn fast() -> Self {
        Self::default()
    }

    /// The accurate set of S1-94: a threshold of 9.2 `g dt²`. With room for what high walls need, 16 384 displaced bodies and 2048 looks per body: a pyramid of
    /// 100 rows, whose contacts the bounded phases of impulses leave closing, was 1.0 mm deep after 0.1 s with the limits of the fast set, and is 0.1 mm with
    /// these; correction takes 108 ms of its steps of half a second, where it took 18.
    pub fn accurate() -> Self {
        Self { penetration_threshold: 9.2, max_displaced: 16_384, max_looks: 2048, ..Self::default() }
    }

    /// `Ok` when every value is in range.
    ///
    /// # Errors
    /// The first value out of range, with its name and range.
    pub fn validate(&self) -> Result<(), CorrectionError> {
        let threshold = self.penetration_threshold;
        check("penetration_threshold", "finite and at least 0", threshold, threshold >= 0.0)?;
        let fraction = self.remaining_fraction;
        check("remaining_fraction", "above 0 and below 1", fraction, fraction > 0.0 && fraction < 1.0)?;
        check("max_displaced", "at least 1", self.max_displaced as Real, self.max_displaced >= 1)?;
        let bound = self.max_corrections;
        check("max_corrections", "1 to 1e9", bound as Real, (1..=MOST_CORRECTIONS).contains(&bound))?;
        check("max_looks", "1 to 1e6", self.max_looks as Real, (1..=MOST_LOOKS).contains(&self.max_looks))?;
        let loosen = self.relax_share;
        check("relax_share", "in [0, 1]", loosen, (0.0..=1.0).contains(&loosen))?;
        let rounds = self.relax_rounds;
        check("relax_rounds", "0 to 1000", rounds as Real, rounds <= MOST_ROUNDS)
    }
}

/// Why a configuration was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CorrectionError {
    /// A setting is out of range.
    #[error("{field} must be {expected}, got {value}")]
    OutOfRange {
        /// The setting, as spelled in its struct.
        field: &'static str,
        /// Its valid range, in words.
        expected: &'static str,
        /// The value refused.
        value: Real,
    },
}

/// `Ok` when the value is finite and in range.
fn check(
    field: &'static str,
    expected: &'static str,
    value: Real,
    is_in_range: bool,
) -> Result<(), CorrectionError> {
    if value.is_finite() && is_in_range {
        Ok(())
    } else {
        Err(CorrectionError::OutOfRange { field, expected, value })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_are_valid_and_bad_values_are_named() {
        assert_eq!(CorrectionConfig::fast().validate(), Ok(()));
        assert_eq!(CorrectionConfig::accurate().validate(), Ok(()));
        let d = CorrectionConfig::default;
        let refused = |c: CorrectionConfig| c.validate().map_err(|e| e.to_string()).unwrap_err();
        let nan = CorrectionConfig { penetration_threshold: Real::NAN, ..d() };
        assert!(refused(nan).starts_with("penetration_threshold must be finite"));
        assert!(
            refused(CorrectionConfig { remaining_fraction: 0.0, ..d() }).starts_with("remaining_fraction")
        );
        assert!(refused(CorrectionConfig { max_displaced: 0, ..d() }).ends_with("got 0"));
        assert!(refused(CorrectionConfig { max_corrections: 0, ..d() }).starts_with("max_corrections"));
        assert!(refused(CorrectionConfig { relax_rounds: 1001, ..d() }).ends_with("got 1001"));
        assert!(refused(CorrectionConfig { max_looks: 0, ..d() }).starts_with("max_looks must be 1 to 1e6"));
    }
}
