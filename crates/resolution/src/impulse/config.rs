//! Tuning of S1's response. Thresholds are multiples of `g dt` (S1-94), so one set serves any step size.

use super::row::EnergyRule;
use crate::ResolutionError;
use drystone_math::Real;

/// Tuning of S1's response.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct ImpulseConfig {
    /// Closing speed below which a contact counts as solved, in units of `g dt`. Default 0.0020 (83 µm/s at
    /// 240 Hz, S1-78); positive. Smaller is more accurate and costs iterations (S1-49).
    pub resolution_threshold: Real,
    /// Closing speed below which a contact does not bounce, in units of `g dt`. Default 1.10 (S1-65,
    /// S1-94); at least 1, or resting bodies bounce.
    pub restitution_threshold: Real,
    /// Most resolutions of the global phase, as a multiple of the batch's contact points; none means no
    /// limit but [`ImpulseConfig::safety_limit`]. Default 2 (S1-59, S1-78); at least 0.
    pub global_limit: Option<Real>,
    /// Most resolutions of a stage of shock propagation, as a multiple of the stage's contact points; none
    /// switches shock propagation off. Default 6 (S1-63, S1-78); at least 0.
    pub shock_limit: Option<Real>,
    /// Most further resolutions of contacts that close faster than the restitution threshold, as a multiple of
    /// the batch's contact points, before shock propagation begins. Default 20; at least 0. 0 is S1's method to
    /// the letter: shock propagation then also works on blows, and adds energy to them.
    pub impact_limit: Real,
    /// Bound on any phase, as a multiple of its contact points, so that no step can hang. Default 10 000;
    /// at least 1. Reaching it is said in the report.
    pub safety_limit: Real,
    /// Resolutions after which a phase ends although contacts still close, whatever the limits above allow; none means no such bound. Default
    /// none, 500 000 in the accurate settings; at least 1. Phases get [`ImpulseConfig::LEAST_PER_POINT`] per contact point in any case.
    /// Reaching it is said in the report. Jams of a thousand bodies overlap as little with a tenth of it (`docs/measurements/accurate.md`).
    pub phase_limit: Option<Real>,
    /// Motion bound below which a body in contact feels only a part of the global acceleration, in units of `g dt`.
    /// Default 2.0 (S1-66, S1-86); 0 switches gravity damping off.
    pub gravity_damping_threshold: Real,
    /// The part that is left of the global acceleration, in [0, 1]. Default 0.3: S1's damping of 70 %.
    pub gravity_damping_fraction: Real,
    /// Speed at which a resting contact that overlaps may separate, in units of `g dt`. Default 0.02, 0.005 in the accurate settings;
    /// at least 0. Cancels the creep that the resolution threshold leaves; 0 is S1's method to the letter.
    pub recovery_speed: Real,
    /// Overlap that is left alone by the recovery, in units of `g dt²`. Default 0.05 (9 µm at 240 Hz), 0.5 in the
    /// accurate settings (5 µm at 960 Hz); at least 0. Keeps resting contacts from flickering.
    pub recovery_slop: Real,
    /// Overlap beyond which a contact is resolved only to take it back, in units of `g dt²`. Default 5, half
    /// the threshold of the correction; at least 0. Smaller keeps jammed heaps (which correction cannot
    /// loosen) from sinking into each other, and keeps them busy.
    pub recovery_demand: Real,
    /// Separating speed that a contact which closes again after it was resolved is given, in multiples of the
    /// resolution threshold; three times as much for contacts of a single point, which tips nothing. Default 4, 0
    /// in the accurate settings; at least 0. Neighbours close each other again and again, by ever less; with this,
    /// only when they have used it up. Larger takes fewer iterations; resting contacts then settle at a gap of up
    /// to this speed times `dt` (1.4 µm at 240 Hz, 4 µm for balls), and towers drift. 0 is S1's method to the
    /// letter. Contacts without such neighbours and totals know nothing of it.
    pub overshoot: Real,
    /// Sweeps that stop the slip of sticking contacts after a phase. Default 2; 0 is S1's method to the
    /// letter, which lets piles creep (see the module `hold`).
    pub stick_sweeps: u32,
    /// Begins a step with the impulses of the last one and lets later resolutions lower them, friction judged
    /// on the total (see the module `accumulate`). Default false, which is S1's
    /// method to the letter. Without effect when [`ImpulseConfig::energy_safe`] is on. Needs phases that
    /// converge: with iteration limits piles creep and fall.
    pub accumulate: bool,
    /// Most rounds of contacts and joints in a batch with joints. Default 16; at least 1. In a round contacts are resolved and then joints, until no contact
    /// closes; each leaves the other a share that grows with the masses that hang on a joint. Larger lets what lies on jointed bodies sink in less
    /// under load, and costs time where it is needed. Batches without joints know nothing of it.
    pub joint_rounds: u32,
    /// Most sweeps there and back over the joints of a batch in a round. Default 4; at least 1. They end when they change less than the
    /// resolution threshold. What hangs together in numbers is solved directly before them.
    pub joint_sweeps: u32,
    /// Lets no impulse add kinetic energy (S2-31, S2-32). Default false. Costs a little per resolution.
    pub energy_safe: bool,
    /// With [`ImpulseConfig::energy_safe`], what would add energy is resolved jointly with the contacts of both bodies that close
    /// (see the module `joint`); otherwise its impulse is scaled back, and what is left of its closing speed waits for its next turn.
    /// Default true.
    pub energy_joint: bool,
}

impl Default for ImpulseConfig {
    fn default() -> Self {
        Self::fast()
    }
}

impl ImpulseConfig {
    /// S1's high-performance settings (S1-78).
    pub fn fast() -> Self {
        Self {
            resolution_threshold: 0.0020,
            restitution_threshold: 1.10,
            global_limit: Some(2.0),
            shock_limit: Some(6.0),
            impact_limit: 20.0,
            safety_limit: 10_000.0,
            phase_limit: None,
            gravity_damping_threshold: 2.0,
            gravity_damping_fraction: 0.3,
            recovery_speed: 0.02,
            recovery_slop: 0.05,
            recovery_demand: 5.0,
            overshoot: 4.0,
            stick_sweeps: 2,
            joint_rounds: 16,
            joint_sweeps: 4,
            accumulate: false,
            energy_safe: false,
            energy_joint: true,
        }
    }

    /// S1's high-accuracy settings (S1-88): no iteration limit but the two that keep a step from hanging, no shock propagation, no gravity
    /// damping.
    pub fn accurate() -> Self {
        Self {
            resolution_threshold: 0.00050,
            global_limit: None,
            shock_limit: None,
            phase_limit: Some(500_000.0),
            gravity_damping_threshold: 0.0,
            recovery_speed: 0.005,
            recovery_slop: 0.5,
            overshoot: 0.0,
            ..Self::fast()
        }
    }

    /// Resolutions per contact point that every phase gets whatever [`ImpulseConfig::phase_limit`] says.
    pub const LEAST_PER_POINT: Real = 5.0;

    /// Resolutions that a phase over so many contact points may take, when it is given a multiple of their number (none: what is safe).
    pub(super) fn most_resolutions(&self, multiple: Option<Real>, points: usize) -> u64 {
        let points = points as f64;
        let multiple = f64::from(multiple.unwrap_or(self.safety_limit).min(self.safety_limit));
        let bound = self
            .phase_limit
            .map_or(f64::INFINITY, |most| f64::from(most).max(f64::from(Self::LEAST_PER_POINT) * points));
        (multiple * points).min(bound).ceil() as u64
    }

    /// True when impulses are totals (see [`ImpulseConfig::accumulate`]).
    pub(super) fn accumulates(&self) -> bool {
        self.accumulate && !self.energy_safe
    }

    /// What is done with impulses that would add energy.
    pub(super) fn energy_rule(&self) -> EnergyRule {
        match (self.energy_safe, self.energy_joint) {
            (false, _) => EnergyRule::Free,
            (true, false) => EnergyRule::Scale,
            (true, true) => EnergyRule::Joint,
        }
    }

    /// `Ok` when every value is in range.
    ///
    /// # Errors
    /// The first value out of range, with its name.
    pub fn validate(&self) -> Result<(), ResolutionError> {
        let check = ResolutionError::check;
        let c = self;
        check("resolution_threshold", "positive", c.resolution_threshold, c.resolution_threshold > 0.0)?;
        check(
            "restitution_threshold",
            "at least 1",
            c.restitution_threshold,
            c.restitution_threshold >= 1.0,
        )?;
        for (field, limit) in [("global_limit", c.global_limit), ("shock_limit", c.shock_limit)] {
            if let Some(limit) = limit {
                check(field, "at least 0", limit, limit >= 0.0)?;
            }
        }
        if let Some(most) = c.phase_limit {
            check("phase_limit", "at least 1", most, most >= 1.0)?;
        }
        check("impact_limit", "at least 0", c.impact_limit, c.impact_limit >= 0.0)?;
        check("safety_limit", "at least 1", c.safety_limit, c.safety_limit >= 1.0)?;
        let damping = c.gravity_damping_threshold;
        check("gravity_damping_threshold", "at least 0", damping, damping >= 0.0)?;
        let part = c.gravity_damping_fraction;
        check("gravity_damping_fraction", "in [0, 1]", part, (0.0..=1.0).contains(&part))?;
        check("recovery_speed", "at least 0", c.recovery_speed, c.recovery_speed >= 0.0)?;
        check("recovery_slop", "at least 0", c.recovery_slop, c.recovery_slop >= 0.0)?;
        check("recovery_demand", "at least 0", c.recovery_demand, c.recovery_demand >= 0.0)?;
        check("overshoot", "at least 0", c.overshoot, c.overshoot >= 0.0)?;
        check("joint_rounds", "at least 1", c.joint_rounds as Real, c.joint_rounds >= 1)?;
        check("joint_sweeps", "at least 1", c.joint_sweeps as Real, c.joint_sweeps >= 1)
    }
}
