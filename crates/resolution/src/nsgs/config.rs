//! Tuning of non-smooth Gauss-Seidel.

use super::SweepOrder;
use crate::ResolutionError;
use drystone_math::Real;

/// Tuning of [`super::Nsgs`].
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct NsgsConfig {
    /// Share of each contact's step that is taken, no unit. Default 1; in (0, 2). Above 1 mostly saves sweeps where contacts are
    /// independent and diverges where they are not.
    pub relaxation: Real,
    /// In which order contacts are swept.
    pub order: SweepOrder,
    /// Whether every sweep is followed by one in reverse order. Default true.
    pub symmetric: bool,
    /// Sweeps that the acceleration by differences looks back to; 0 for plain sweeps, without any acceleration. Default 8; at most 64.
    /// Memory and time per sweep grow with it, by two vectors each.
    pub memory: u32,
}

impl Default for NsgsConfig {
    fn default() -> Self {
        Self { relaxation: 1.0, order: SweepOrder::Given, symmetric: true, memory: 8 }
    }
}

impl NsgsConfig {
    /// Most sweeps that the acceleration looks back to.
    pub const MAX_MEMORY: u32 = 64;

    /// `Ok` when every value is in range.
    ///
    /// # Errors
    /// The first value out of range, with its name.
    pub fn validate(&self) -> Result<(), ResolutionError> {
        let relaxation = self.relaxation;
        ResolutionError::check("relaxation", "in (0, 2)", relaxation, relaxation > 0.0 && relaxation < 2.0)?;
        let memory = self.memory;
        ResolutionError::check("memory", "at most 64", memory as Real, memory <= Self::MAX_MEMORY)
    }
}
