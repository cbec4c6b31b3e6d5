//! Switches of spatial-temporal coherence and contact islands: what S3 calls its speed-ups (section 7, rows S3-21 to S3-28).
//!
//! | S3 | here | what it costs in motion |
//! |---|---|---|
//! | contact islands (S3-14, S3-30) | [`CoherenceConfig::grouping`], on | nothing but the order of sums |
//! | caching of contact points (S3-22) | [`CoherenceConfig::cache_points`], on | nothing with `detection.coherence_tolerance` 0; else that tolerance |
//! | caching of forces (S3-22) | [`CoherenceConfig::cache_forces`], on | what the solver's tolerance leaves; with methods of few sweeps (`fast`) piles need it to stand |
//! | tweaking (S3-23) | `lcp.max_iterations`, `nsgs.max_iterations`, `sub_step.sub_steps`, `resolution.global_limit` | islands are left unsolved: the report says how far |
//! | reduction (S3-24) | [`CoherenceConfig::reduction`] | what overlaps deeply turns about one point |
//! | zeroing (S3-26) | [`CoherenceConfig::zero_restitution`] | nothing bounces off what is at rest |
//! | damping (S3-27) | [`CoherenceConfig::damping`] | all motion dies away |
//! | sleepy islands (S3-21) | [`CoherenceConfig::sleepy_groups`] | velocities below the threshold are lost |
//! | subgrouping (S3-25) | [`CoherenceConfig::subgrouping`] | what sleeps beside sleepy bodies takes their slow motion as none |
//! | fixation (S3-28) | [`CoherenceConfig::freeze_sleepy`] | what sleeps does not give way to slow motion |
//!
//! The sleeping of `WorldConfig::sleeping` (S1) is fixation and subgrouping by another measure of motion, and on by default: the switches of S3
//! take its place. Both leave the wake rules on, so that nothing hangs (S3-32).

use crate::WorldError;
use drystone_math::Real;
use drystone_sleeping::{EnergySleepConfig, EnergySleepRule};

/// Which parts of coherence and grouping are used, and which of S3's speed-ups that change the motion. See `docs/contact-graph.md`.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct CoherenceConfig {
    /// Whether contact islands are solved one by one (S3-14). Default true. Without, all contacts are one problem: for comparisons; cost
    /// grows with the cube of all contacts where the solver's does.
    pub grouping: bool,
    /// Whether pairs that did not move, or stay apart, skip the narrow phase (S3-08, S3-22). Default true. Without, every pair whose boxes are near is
    /// looked at anew in every step, from the axis that it had: for comparisons.
    pub cache_points: bool,
    /// Whether solvers begin with the impulses of the last step (S3-22). Default true. Without, they begin with nothing: for comparisons.
    pub cache_forces: bool,
    /// Overlap in units of `g dt²` from which only the deepest point of a pair counts (S3-24). Default `None`: all count. At least 0. Fewer
    /// contacts, but what stands on a face that overlaps so much tips about a point.
    pub reduction: Option<Real>,
    /// Whether nothing bounces off what is asleep or sleepy (S3-26). Default false. Piles settle sooner, and dead.
    pub zero_restitution: bool,
    /// Viscous damping of all bodies, 1/s: velocities and angular velocities fall by `1 / (1 + damping dt)` in a step (S3-27), beside the damping
    /// of each body. Default 0; at least 0. Piles settle sooner; what flies is slowed too.
    pub damping: Real,
    /// Whether bodies fall asleep by S3's rule, an island at a time, in place of S1's (S3-21): a body is sleepy when its kinetic energy has been zero
    /// for some steps, and an island of only sleepy bodies is skipped. Default false. Needs grouping; [`crate::SleepConfig::enabled`] still
    /// switches all sleep off. Sleeps later than S1's rule, and takes next to no motion away.
    pub sleepy_groups: bool,
    /// Whether edges between sleepy bodies do not join islands (S3-25). Default false; needs `sleepy_groups`. Bodies sleep where all beside them
    /// are sleepy, and islands that sleepers hold together are solved in parts.
    pub subgrouping: bool,
    /// Whether every sleepy body is fixed: no inverse mass, no inverse inertia (S3-28). Default false; needs `subgrouping`, or there would be contacts
    /// between fixed bodies to solve. The wake rules hold, so that fixed bodies do not hang.
    pub freeze_sleepy: bool,
    /// When a body is sleepy.
    pub sleepy: EnergySleepConfig,
}

impl Default for CoherenceConfig {
    fn default() -> Self {
        Self {
            grouping: true,
            cache_points: true,
            cache_forces: true,
            reduction: None,
            zero_restitution: false,
            damping: 0.0,
            sleepy_groups: false,
            subgrouping: false,
            freeze_sleepy: false,
            sleepy: EnergySleepConfig::default(),
        }
    }
}

impl CoherenceConfig {
    /// Neither islands nor caches: what S3 calls brute force (S3-30).
    pub fn brute_force() -> Self {
        Self { grouping: false, cache_points: false, cache_forces: false, ..Self::default() }
    }

    /// The rule by which sleepy bodies sleep; `None` for S1's.
    pub(crate) fn sleepy_rule(&self) -> Option<EnergySleepRule> {
        let rule = match (self.subgrouping, self.freeze_sleepy) {
            (_, true) => EnergySleepRule::Fixed,
            (true, false) => EnergySleepRule::Subgroups,
            (false, false) => EnergySleepRule::Islands,
        };
        self.sleepy_groups.then_some(rule)
    }

    /// `Ok` when every value is in range and no switch lacks the one it needs.
    ///
    /// # Errors
    /// The first that is not, with its name.
    pub fn validate(&self) -> Result<(), WorldError> {
        let check = |field, expected, value: Real, is_valid: bool| {
            let value = f64::from(value);
            if is_valid { Ok(()) } else { Err(WorldError::OutOfRange { field, expected, value }) }
        };
        let at_least_0 = |value: Real| value.is_finite() && value >= 0.0;
        let reduction = self.reduction.unwrap_or(0.0);
        check("coherence.reduction", "at least 0", reduction, at_least_0(reduction))?;
        check("coherence.damping", "at least 0", self.damping, at_least_0(self.damping))?;
        let needs = |field, expected, is_on: bool, has: bool| check(field, expected, 1.0, !is_on || has);
        let groups = "off without coherence.grouping: there are no groups to be sleepy";
        needs("coherence.sleepy_groups", groups, self.sleepy_groups, self.grouping)?;
        let sleepy = "off without coherence.sleepy_groups: nothing is sleepy";
        needs("coherence.subgrouping", sleepy, self.subgrouping, self.sleepy_groups)?;
        let subgroups =
            "off without coherence.subgrouping: contacts between two fixed bodies would have to be solved";
        needs("coherence.freeze_sleepy", subgroups, self.freeze_sleepy, self.subgrouping)?;
        Ok(self.sleepy.validate()?)
    }
}

#[cfg(test)]
mod tests {
    use crate::WorldConfig;

    #[test]
    fn a_switch_that_lacks_another_one_is_refused_and_says_which() {
        let mut config = WorldConfig::lcp();
        for (field, needs) in [("freeze_sleepy", "subgrouping"), ("subgrouping", "sleepy_groups")] {
            let refused = config.set_field(&format!("coherence.{field}"), "true").expect_err("too early");
            assert!(refused.to_string().contains(&format!("coherence.{needs}")), "{refused}");
        }
        for field in ["sleepy_groups", "subgrouping", "freeze_sleepy"] {
            config.set_field(&format!("coherence.{field}"), "true").expect("in this order");
        }
        assert!(config.set_field("coherence.grouping", "false").is_err(), "sleepy groups need groups");
        assert!(config.set_field("coherence.subgrouping", "false").is_err(), "freeze_sleepy needs it");
    }
}
