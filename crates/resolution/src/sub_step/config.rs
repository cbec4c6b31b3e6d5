//! Tuning of the sub-stepping method.

use super::pace::Pace;
use crate::ResolutionError;
use drystone_math::Real;

/// Tuning of [`super::SubStepSolver`].
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct SubStepConfig {
    /// Sub-steps per step. Default 8; 1 to 64. The stiffness of tall piles grows with its square.
    pub sub_steps: u32,
    /// Sub-steps of islands that need not be stiff. Default 4; 1 to 64; more than `sub_steps` count as those. Where it is less, large trees of joints that nothing drives or touches
    /// take two at most.
    pub low_pile_sub_steps: u32,
    /// Bodies on top of one another below which an island need not be stiff. Default 12; at least 0. Larger is faster
    /// in heaps; a higher pile needs more sub-steps.
    pub low_pile_height: Real,
    /// Speed, in units of `g dt`, below which half of the bodies of an island count as calm: such an island takes all sub-steps where bodies
    /// may fall asleep. Default 0.2; at least 0, which has none. Larger is stiffer, and brings what moves to rest sooner.
    pub settling_speed: Real,
    /// Sweeps there and back over the contacts of a sub-step. Default 1; 1 to 64. More carry a load farther within a sub-step, where more
    /// sub-steps do so at less cost; for what the sweeps have to find at once, as levers in a collision without restitution.
    pub sweeps: u32,
    /// Sweeps of a round of blows, bounces that happen at once. Default 1; 1 to 64. One is right for blows through centres; what strikes
    /// through a lever, or is rubbed while it bounces, needs more.
    pub impact_sweeps: u32,
    /// Whether joints that hang together in numbers, with unlike masses or with limits are solved as one system before the sweeps. Default true. By
    /// sweeps alone figures cost half as much and their joints come farther apart; a chain with a heavy end is torn out. Measurements:
    /// `docs/measurements/joints.md`.
    pub direct_joints: bool,
    /// Share of an overlap that is taken back per second, 1/s. Default 240; at least 0. Larger than half of it per
    /// sub-step is cut.
    pub recovery_rate: Real,
    /// Largest speed at which overlap is taken back, m/s. Default 3; at least 0.
    pub recovery_speed: Real,
    /// Contacts rest anywhere between a gap and an overlap of half of this, in units of `g dt²`. Default 0.1;
    /// at least 0. Without it contacts at rest would open and close by rounding.
    pub contact_slop: Real,
    /// Speed, in units of `g dt`, below which all bodies of an island must stay, before and after the first sub-step,
    /// for the island to be held where it is without solving the others. Default 1e-5; at least 0, which
    /// solves all always.
    pub resting_speed: Real,
    /// Closing speed from which a contact bounces, in units of `g dt`. Default 2.
    pub restitution_threshold: Real,
    /// Closing speed above which a sleeper that is struck wakes, in units of `g dt`. Default 0.5.
    pub wake_threshold: Real,
    /// Closing speed above which a touching contact counts as unsolved, in units of `g dt`. Default 0.5.
    pub residual_threshold: Real,
}

impl Default for SubStepConfig {
    fn default() -> Self {
        Self {
            sub_steps: 8,
            low_pile_sub_steps: 4,
            low_pile_height: 12.0,
            settling_speed: 0.2,
            sweeps: 1,
            impact_sweeps: 1,
            direct_joints: true,
            recovery_rate: 240.0,
            recovery_speed: 3.0,
            contact_slop: 0.1,
            resting_speed: 1e-5,
            restitution_threshold: 2.0,
            wake_threshold: 0.5,
            residual_threshold: 0.5,
        }
    }
}

impl SubStepConfig {
    /// Half of the rest band, m: gaps count from there.
    pub(super) fn half_band(&self, length_unit: Real) -> Real {
        0.5 * self.contact_slop * length_unit
    }

    /// Sub-steps of an island at this pace.
    pub(super) fn sub_steps_at(&self, pace: Pace) -> u32 {
        match pace {
            Pace::Two => self.sub_steps_at(Pace::Coarse).min(2),
            Pace::Coarse => self.low_pile_sub_steps.min(self.sub_steps),
            Pace::Fine | Pace::Still => self.sub_steps,
        }
    }

    /// Sub-steps of the islands that take fewest: those of all islands where `low_pile_sub_steps` are no fewer than `sub_steps`.
    ///
    /// ```
    /// use drystone_resolution::sub_step::SubStepConfig;
    /// let config = SubStepConfig::default();
    /// assert_eq!((config.sub_steps, config.low_pile_sub_steps, config.fewest_sub_steps()), (8, 4, 2));
    /// assert_eq!(SubStepConfig { low_pile_sub_steps: 8, ..config }.fewest_sub_steps(), 8);
    /// ```
    pub fn fewest_sub_steps(&self) -> u32 {
        if self.low_pile_sub_steps < self.sub_steps { self.sub_steps_at(Pace::Two) } else { self.sub_steps }
    }

    /// Most sub-steps that are accepted.
    pub const MAX_SUB_STEPS: u32 = 64;

    /// Most sweeps that are accepted.
    pub const MAX_SWEEPS: u32 = 64;

    /// `Ok` when every value is in range.
    ///
    /// # Errors
    /// The first value out of range, with its name.
    pub fn validate(&self) -> Result<(), ResolutionError> {
        let check = ResolutionError::check;
        let n = self.sub_steps;
        check("sub_steps", "in 1 to 64", n as Real, (1..=Self::MAX_SUB_STEPS).contains(&n))?;
        let m = self.low_pile_sub_steps;
        check("low_pile_sub_steps", "in 1 to 64", m as Real, (1..=Self::MAX_SUB_STEPS).contains(&m))?;
        check("low_pile_height", "at least 0", self.low_pile_height, self.low_pile_height >= 0.0)?;
        check("settling_speed", "at least 0", self.settling_speed, self.settling_speed >= 0.0)?;
        for (field, sweeps) in [("sweeps", self.sweeps), ("impact_sweeps", self.impact_sweeps)] {
            check(field, "in 1 to 64", sweeps as Real, (1..=Self::MAX_SWEEPS).contains(&sweeps))?;
        }
        check("recovery_rate", "at least 0", self.recovery_rate, self.recovery_rate >= 0.0)?;
        check("recovery_speed", "at least 0", self.recovery_speed, self.recovery_speed >= 0.0)?;
        check("contact_slop", "at least 0", self.contact_slop, self.contact_slop >= 0.0)?;
        check("resting_speed", "at least 0", self.resting_speed, self.resting_speed >= 0.0)?;
        let bounce = self.restitution_threshold;
        check("restitution_threshold", "at least 0", bounce, bounce >= 0.0)?;
        check("wake_threshold", "at least 0", self.wake_threshold, self.wake_threshold >= 0.0)?;
        check("residual_threshold", "positive", self.residual_threshold, self.residual_threshold > 0.0)
    }
}
