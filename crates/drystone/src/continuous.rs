//! Settings of continuous detection.

use crate::WorldError;
use drystone_math::Real;

/// What bodies that move far in one step are swept against, so that they do not pass through it (S4-29, S5-18).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct ContinuousConfig {
    /// Against fixed bodies. Default true.
    pub fixed: bool,
    /// Against other dynamic bodies, and kinematic ones. Default false: where many are fast at once it costs more than what it finds.
    pub moving: bool,
    /// Way of a body in a step from which on it is swept, as a share of the least distance of its surface from the centre of a collider,
    /// no unit. Default 0.5; above 0, at most 0.5. Smaller sweeps more bodies and lets less overlap; larger could let a centre pass.
    pub threshold: Real,
}

impl Default for ContinuousConfig {
    fn default() -> Self {
        Self { fixed: true, moving: false, threshold: 0.5 }
    }
}

impl ContinuousConfig {
    /// Against everything: no centre passes a surface, of whatever body.
    pub const ALL: Self = Self { fixed: true, moving: true, threshold: 0.5 };

    /// Nothing is swept.
    pub const OFF: Self = Self { fixed: false, moving: false, threshold: 0.5 };

    /// True when anything is swept.
    pub fn is_on(&self) -> bool {
        self.fixed || self.moving
    }

    /// `Ok` when every value is in range.
    ///
    /// # Errors
    /// A threshold out of range.
    pub fn validate(&self) -> Result<(), WorldError> {
        if self.threshold > 0.0 && self.threshold <= 0.5 {
            return Ok(());
        }
        let (field, expected) = ("continuous.threshold", "above 0, at most 0.5");
        Err(WorldError::OutOfRange { field, expected, value: f64::from(self.threshold) })
    }
}

/// What continuous detection did in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ContinuousReport {
    /// Bodies that moved so far that they were swept.
    pub swept: u32,
    /// Pairs of colliders whose time of impact was asked for.
    pub pairs: u32,
    /// Bodies stopped on their way. They keep their velocity, and meet what stopped them in the next detection.
    pub stopped: u32,
    /// Bodies that were put back to where they began, because those stopped stood in each other's way for too many rounds.
    pub put_back: u32,
}
