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
