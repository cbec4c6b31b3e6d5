//! Tuning of sleeping.

use drystone_contact::SUPPORT_COSINE;
use drystone_math::Real;

/// Why a configuration was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SleepError {
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

/// Tuning of sleeping.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct SleepConfig {
    /// Whether bodies are put to sleep. Default true. The wake rules work either way.
    pub enabled: bool,
    /// Speed of the fastest surface point below which a body may sleep, in units of `g dt`. Default 0.20
    /// (8.33 mm/s at 240 Hz, S1-78, S1-94); in (0, 1), so that one step of free fall is above it (S1-33).
    pub threshold: Real,
    /// Time over which the motion is averaged, s; S1's `bias` is `τ / (τ + dt)`. Default 0.1; at least 0.
    /// S1 leaves its value open (S1-95): 0.1 s keeps a body awake through a bounce at the top of its path.
    pub averaging_time: Real,
    /// Cap of the averaged squared motion, in units of the squared threshold. Default 8; at least 1. Open
    /// in S1 (S1-95): a body that stops dead sleeps after `averaging_time * ln 8`, a fifth of a second.
    pub motion_cap: Real,
    /// How far a contact normal must lean towards the global forces for the contact to carry, as a cosine.
    /// Default 0.01; in [0, 1). Walls that a body merely touches do not carry it (S1-41, S1-43).
    pub support_cosine: Real,
    /// Largest gap of a contact that still counts as carrying, in units of `g dt²`. Default 2; at least 0.
    /// Contacts are reported before touch, and one that is merely near carries nothing.
    pub support_gap: Real,
    /// Gap beyond which a contact that does not carry is lost, in units of `g dt²`, when losing one wakes too; at least 0.
    /// Default `None`: it wakes nobody (S1-43), and what leans on something at its side stays as it is when that leaves.
    /// Larger wakes less where sleepers are brushed.
    pub side_support_gap: Option<Real>,
    /// Whether a body whose support may be gone (rules 1 and 4 to 6) must be at rest for some [`SleepConfig::averaging_time`] before it
    /// sleeps again. Default false, which is S1 (S1-36): it sleeps again at once when one step does not bring it above the
    /// threshold, and what begins to tip slowly never does.
    pub must_settle: bool,
    /// Overlap, in units of `g dt²`, beyond which a body does not fall asleep: it is still being taken back, and sleep would
    /// keep it. At least 0. Default `None`, which is S1: sleep looks at motion only. Right for methods that take back
    /// overlap of any depth; with a threshold, what stays below it would never sleep. Within three contacts of a body at rest that
    /// overlaps by more nobody falls asleep, and sleepers wake after a moment: held between them it would never get room. What stays so gets more: within 6 contacts
    /// after some half a second, then within 12, and within 24.
    pub max_overlap: Option<Real>,
    /// How far the impulses of a sleeper's contacts may be from carrying it, as a part of all of them and its weight together, before a neighbour that
    /// comes to rest wakes it and sleeps only together with it. In (0, 1]; 0.3 lets it be lifted with 1.9 times its weight. Default `None`, which is S1:
    /// what is not struck sleeps on, and carries or holds down what it could not awake. For methods whose impulses are loads.
    pub max_imbalance: Option<Real>,
    /// How far the bodies of an island with joints may be going to move within a second and fall asleep, as a part of the way that the speed `threshold` makes in it
    /// (33 mm at 60 Hz). In (0, 1]. Default 0.2 (6.5 mm at 60 Hz, 1.6 mm at 240 Hz), so that swings with periods up to 10 s are awake while their amplitude is
    /// above the whole way. Larger sleeps sooner, and stops slow and small swings aslant; `None` looks at speeds only, as S1, which knows no joints.
    pub swing_limit: Option<Real>,
}

impl Default for SleepConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            threshold: 0.20,
            averaging_time: 0.1,
            motion_cap: 8.0,
            support_cosine: SUPPORT_COSINE,
            support_gap: 2.0,
            side_support_gap: None,
            must_settle: false,
            max_overlap: None,
            max_imbalance: None,
            swing_limit: Some(0.2),
        }
    }
}

impl SleepConfig {
    /// S1's setting for high accuracy: threshold 0.050 g dt (S1-88, S1-94).
    pub fn accurate() -> Self {
        Self { threshold: 0.050, ..Self::default() }
    }

    /// `Ok` when every value is in range.
    ///
    /// # Errors
    /// The first value out of range, with its name.
    pub fn validate(&self) -> Result<(), SleepError> {
        let check = |field, expected, value: Real, valid: bool| {
            if value.is_finite() && valid {
                Ok(())
            } else {
                Err(SleepError::OutOfRange { field, expected, value })
            }
        };
        check("threshold", "in (0, 1)", self.threshold, self.threshold > 0.0 && self.threshold < 1.0)?;
        check("averaging_time", "at least 0", self.averaging_time, self.averaging_time >= 0.0)?;
        check("motion_cap", "at least 1", self.motion_cap, self.motion_cap >= 1.0)?;
        check("support_cosine", "in [0, 1)", self.support_cosine, (0.0..1.0).contains(&self.support_cosine))?;
        let side_support_gap = self.side_support_gap.unwrap_or(0.0);
        check("side_support_gap", "at least 0", side_support_gap, side_support_gap >= 0.0)?;
        let overlap = self.max_overlap.unwrap_or(0.0);
        check("max_overlap", "at least 0", overlap, overlap >= 0.0)?;
        let imbalance = self.max_imbalance.unwrap_or(1.0);
        check("max_imbalance", "in (0, 1]", imbalance, imbalance > 0.0 && imbalance <= 1.0)?;
        let swing = self.swing_limit.unwrap_or(1.0);
        check("swing_limit", "in (0, 1]", swing, swing > 0.0 && swing <= 1.0)?;
        check("support_gap", "at least 0", self.support_gap, self.support_gap >= 0.0)
    }
}
