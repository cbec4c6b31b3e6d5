//! Settings of a planar world.

use crate::error::check;
use crate::{PlanarError, Vector2};
use drystone_math::Real;

/// Settings of a [`crate::PlanarWorld`].
#[derive(Clone, Debug, PartialEq)]
pub struct PlanarConfig {
    /// Acceleration of all bodies, m/s². Default (0, −9.81).
    pub gravity: Vector2,
    /// Acceleration that the scale-free thresholds refer to, m/s²; positive. Default 9.81.
    pub reference_acceleration: Real,
    /// Sub-steps of bodies in contact. Default 4; 1 to 64. Larger is stiffer and dearer: the stiffness of tall piles grows
    /// with its square.
    pub sub_steps: u32,
    /// Share of an overlap that is taken back per second, 1/s; more than half of it per sub-step is cut. Default 240; at
    /// least 0.
    pub recovery_rate: Real,
    /// Largest speed at which overlap is taken back, m/s. Default 3; at least 0.
    pub recovery_speed: Real,
    /// Contacts rest anywhere between a gap and an overlap of half of this, in units of `g dt²`. Default 0.01; at least 0.
    /// Larger calms what rests, and lets a pile sink by half of it per level.
    pub contact_slop: Real,
    /// Closing speed from which a contact bounces, in units of `g dt`. Default 2; at least 0.
    pub restitution_threshold: Real,
    /// Gap at which contacts are made before the motion of a step is added, in units of `g dt²`. Default 4; at least 0. Gravity and
    /// forces that move bodies farther in a step widen it to that.
    pub contact_margin: Real,
    /// By how much boxes are larger than needed, as a share of the shape's smallest extent. Default 0.05; at least 0. Larger moves boxes
    /// less often and finds more pairs.
    pub box_margin: Real,
    /// Workers among which the quad-tree is cut (S4-19). Default 0: not cut. At most 64. The motion does not depend on it.
    pub partitions: u32,
    /// Whether touches that go on are told in each step. Default false.
    pub tell_persisting: bool,
    /// When bodies sleep.
    pub sleeping: PlanarSleep,
}

/// When bodies of a planar world sleep: islands do, as a whole, and none with a body that gravity pulls and nothing carries.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanarSleep {
    /// Whether bodies are put to sleep. Default true.
    pub enabled: bool,
    /// Speed of the fastest surface point below which a body is at rest, in units of `g dt`. Default 0.2; in (0, 1).
    pub threshold: Real,
    /// How long all bodies of an island must be at rest before it sleeps, s. Default 0.5; at least 0.
    pub time: Real,
}

impl Default for PlanarConfig {
    fn default() -> Self {
        Self {
            gravity: Vector2::new(0.0, -9.81),
            reference_acceleration: 9.81,
            sub_steps: 4,
            recovery_rate: 240.0,
            recovery_speed: 3.0,
            contact_slop: 0.01,
            restitution_threshold: 2.0,
            contact_margin: 4.0,
            box_margin: 0.05,
            partitions: 0,
            tell_persisting: false,
            sleeping: PlanarSleep { enabled: true, threshold: 0.2, time: 0.5 },
        }
    }
}

impl PlanarConfig {
    /// `Ok` when every value is in range.
    ///
    /// # Errors
    /// The first value out of range, with its name.
    pub fn validate(&self) -> Result<(), PlanarError> {
        crate::error::check_vector("gravity", &self.gravity)?;
        let positive = |field, value: Real| check(field, "positive", value.into(), value > 0.0);
        let not_negative = |field, value: Real| check(field, "at least 0", value.into(), value >= 0.0);
        positive("reference_acceleration", self.reference_acceleration)?;
        check("sub_steps", "in 1 to 64", self.sub_steps.into(), (1..=64).contains(&self.sub_steps))?;
        not_negative("recovery_rate", self.recovery_rate)?;
        not_negative("recovery_speed", self.recovery_speed)?;
        not_negative("contact_slop", self.contact_slop)?;
        not_negative("restitution_threshold", self.restitution_threshold)?;
        not_negative("contact_margin", self.contact_margin)?;
        not_negative("box_margin", self.box_margin)?;
        check("partitions", "at most 64", self.partitions.into(), self.partitions <= 64)?;
        let threshold = self.sleeping.threshold;
        check("sleeping.threshold", "in (0, 1)", threshold.into(), threshold > 0.0 && threshold < 1.0)?;
        not_negative("sleeping.time", self.sleeping.time)
    }
}
