//! Settings of the suite.

use drystone_math::{Aabb, Real};
use drystone_resolution::ResolutionError;

/// Tuning of [`super::QpSuite`]. Thresholds are multiples of `g dt`.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct SuiteConfig {
    /// Single bounces of step 1 (S2-14), `c_b` of S2. Default `None`: the number of moving bodies where these are fewer than 50,
    /// else a tenth of the contacts (S2-15). At least 0. A row of `s` balls wants `s − 1`.
    pub bounce_budget: Option<Real>,
    /// Friction within a single bounce as one impulse along `n − mu v_t/|v_t|` (S2-07), instead of a normal impulse with
    /// friction added (S2-06). Default false.
    pub joint_friction: bool,
    /// Whether a single bounce that would add energy is scaled back (S2-32). Default true.
    pub energy_safe: bool,
    /// Exact friction cone in the programs; the pyramid of S2-08 otherwise, which the general solver takes alone and which is
    /// several times slower. Default true.
    pub exact_cone: bool,
    /// Closing speed from which a contact is a collision, in units of `g dt`; slower ones are left to step 3. Default 0.1; at least 0.
    pub collision_threshold: Real,
    /// How much faster a point would have to close before it matters, in units of `g dt`, to be left out of a program. Default 10;
    /// positive. What closes after all is in the next round. Smaller makes programs smaller and rounds more.
    pub slack: Real,
    /// Rounds of step 2 while it frees frozen bodies, each of which a blow may run on from. Default 64; at least 1. 1 is S2 to the
    /// letter: a blow by program frees what it hits, and is stopped by what is frozen behind it.
    pub impact_rounds: u32,
    /// Rounds of step 3: programs for what closes after the last round. Default 4; at least 1.
    pub max_rounds: u32,
    /// Slip from which friction is kinetic, in units of `g dt`. Default 0.1; at least 0.
    pub slip_threshold: Real,
    /// Error of velocities that programs may leave, as a share of the fastest approach in the island. Default 1e-4; in (0, 1).
    pub tolerance: Real,
    /// Iterations of a program. Default 60; at least 1.
    pub max_iterations: u32,
    /// Closing speed above which a contact counts as unsolved, in units of `g dt`. Default 0.01; positive.
    pub residual_threshold: Real,
    /// Whether bodies freeze (S2-18). Default true.
    pub freeze: bool,
    /// Energy below which a body counts as still: that of this speed, in units of `g dt` (S2-17, eq. 15). Default 1; at
    /// least 0. `g` is the acceleration that all global forces give the body (S2-34).
    pub freeze_threshold: Real,
    /// Steps in a row, `c_f`, after which a still body that a fixed or frozen one carries freezes. Default 3 (S2-25).
    pub freeze_count: u32,
    /// Height against the global acceleration, m from the origin, above which nothing freezes: a cold volume below it
    /// (S2-22). Default `None`.
    pub freeze_below: Option<Real>,
    /// Volumes in which bodies may freeze (S2-22), by their centres of mass. Default none: everywhere.
    pub cold_volumes: Vec<Aabb>,
}

impl Default for SuiteConfig {
    fn default() -> Self {
        Self {
            bounce_budget: None,
            joint_friction: false,
            energy_safe: true,
            exact_cone: true,
            collision_threshold: 0.1,
            slack: 10.0,
            impact_rounds: 64,
            max_rounds: 4,
            slip_threshold: 0.1,
            tolerance: 1e-4,
            max_iterations: 60,
            residual_threshold: 0.01,
            freeze: true,
            freeze_threshold: 1.0,
            freeze_count: 3,
            freeze_below: None,
            cold_volumes: Vec::new(),
        }
    }
}

impl SuiteConfig {
    /// `Ok` when every value is in range.
    ///
    /// # Errors
    /// The first value out of range, with its name.
    pub fn validate(&self) -> Result<(), ResolutionError> {
        let check = ResolutionError::check;
        if let Some(budget) = self.bounce_budget {
            check("bounce_budget", "at least 0", budget, budget >= 0.0)?;
        }
        for (field, value) in [
            ("collision_threshold", self.collision_threshold),
            ("slip_threshold", self.slip_threshold),
            ("freeze_threshold", self.freeze_threshold),
        ] {
            check(field, "at least 0", value, value >= 0.0)?;
        }
        if let Some(height) = self.freeze_below {
            check("freeze_below", "finite", height, true)?;
        }
        check("tolerance", "in (0, 1)", self.tolerance, self.tolerance > 0.0 && self.tolerance < 1.0)?;
        check("slack", "positive", self.slack, self.slack > 0.0)?;
        check("impact_rounds", "at least 1", self.impact_rounds as Real, self.impact_rounds >= 1)?;
        check("max_rounds", "at least 1", self.max_rounds as Real, self.max_rounds >= 1)?;
        let most = self.max_iterations;
        check("max_iterations", "at least 1", most as Real, most >= 1)?;
        check("residual_threshold", "positive", self.residual_threshold, self.residual_threshold > 0.0)
    }
}
