//! Why a configuration was refused.

use drystone_math::Real;

/// Why a configuration was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ResolutionError {
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

impl ResolutionError {
    /// `Ok` when a setting is finite and `is_valid`; `expected` is its valid range, in words.
    ///
    /// # Errors
    /// [`ResolutionError::OutOfRange`] otherwise.
    pub fn check(
        field: &'static str,
        expected: &'static str,
        value: Real,
        is_valid: bool,
    ) -> Result<(), Self> {
        if value.is_finite() && is_valid { Ok(()) } else { Err(Self::OutOfRange { field, expected, value }) }
    }
}
