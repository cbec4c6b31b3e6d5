//! Settings by name, for command lines and files: `resolution.global_limit=2`.

use crate::{BroadPhaseChoice, EnergyCheck, OrderChoice, SolverChoice, WorldConfig, WorldError};
use drystone_collision::broad::{HashGridConfig, UniformGridConfig};
#[cfg(feature = "convex")]
use drystone_convex::SuiteConfig;
use drystone_math::Real;
use drystone_resolution::lcp::FrictionLaw;
use drystone_resolution::nsgs::SweepOrder;
use drystone_resolution::{ImpulseConfig, IslandSolverConfig, LcpConfig, NsgsConfig, SubStepConfig};

/// Settings that had another name in the version before, and their names now.
const RENAMED: [(&str, &str); 21] = [
    ("small_batch_cut", "small_batch_size"),
    ("threads_from", "parallel_threshold"),
    ("detection.late_overlap", "detection.unseen_overlap_fraction"),
    ("correction.loosen_share", "correction.relax_share"),
    ("correction.loosen_rounds", "correction.relax_rounds"),
    ("sleeping.side_gap", "sleeping.side_support_gap"),
    ("sleeping.most_imbalance", "sleeping.max_imbalance"),
    ("sleeping.most_overlap", "sleeping.max_overlap"),
    ("coherence.zeroing", "coherence.zero_restitution"),
    ("coherence.fixation", "coherence.freeze_sleepy"),
    ("resolution.blow_limit", "resolution.impact_limit"),
    ("resolution.hold_sweeps", "resolution.stick_sweeps"),
    ("resolution.tie_rounds", "resolution.joint_rounds"),
    ("resolution.tie_sweeps", "resolution.joint_sweeps"),
    ("sub_step.coarse_sub_steps", "sub_step.low_pile_sub_steps"),
    ("sub_step.blow_sweeps", "sub_step.impact_sweeps"),
    ("sub_step.coarse_height", "sub_step.low_pile_height"),
    ("sub_step.calm_speed", "sub_step.settling_speed"),
    ("sub_step.rest_band", "sub_step.contact_slop"),
    ("sub_step.quiet_speed", "sub_step.resting_speed"),
    ("qp_suite.blow_rounds", "qp_suite.impact_rounds"),
];

/// Where a named setting lives.
enum Field<'a> {
    Real(&'a mut Real),
    /// A limit that `none` switches off.
    Limit(&'a mut Option<Real>),
    /// A length, m, that `none` leaves to the engine.
    Length(&'a mut Option<f64>),
    Count(&'a mut u32),
    Switch(&'a mut bool),
    Order(&'a mut OrderChoice),
    Broad(&'a mut BroadPhaseChoice),
    Energy(&'a mut EnergyCheck),
    Sweep(&'a mut SweepOrder),
    Law(&'a mut FrictionLaw),
}

impl Field<'_> {
    /// The value, as [`WorldConfig::set_field`] takes it.
    fn text(&self) -> String {
        match self {
            Field::Real(v) => v.to_string(),
            Field::Limit(v) => v.map_or("none".into(), |l| l.to_string()),
            Field::Length(v) => v.map_or("none".into(), |l| l.to_string()),
            Field::Count(v) => v.to_string(),
            Field::Switch(v) => v.to_string(),
            Field::Order(v) => match v {
                OrderChoice::HighestClosingSpeed => "highest_closing_speed",
                OrderChoice::FirstFound => "first_found",
                OrderChoice::HighestImpulse => "highest_impulse",
                OrderChoice::LevelsUp => "levels_up",
                OrderChoice::LevelsDown => "levels_down",
                OrderChoice::LevelsBoth => "levels_both",
                OrderChoice::FallingBar => "falling_bar",
                OrderChoice::Colours => "colours",
            }
            .into(),
            Field::Broad(v) => match v {
                BroadPhaseChoice::HashGrid(_) => "hash_grid",
                BroadPhaseChoice::UniformGrid(_) => "uniform_grid",
                BroadPhaseChoice::Tree => "tree",
                BroadPhaseChoice::BruteForce => "brute_force",
            }
            .into(),
            Field::Energy(v) => match v {
                EnergyCheck::Off => "off",
                EnergyCheck::Joints => "joints",
                EnergyCheck::All => "all",
            }
            .into(),
            Field::Sweep(v) => match v {
                SweepOrder::Given => "given",
                SweepOrder::Bandwidth => "bandwidth",
                SweepOrder::Colours => "colours",
                // Of a later version of the crate below.
                _ => "another order",
            }
            .into(),
            Field::Law(v) => match v {
                FrictionLaw::Frictionless => "frictionless",
                FrictionLaw::Pyramid => "pyramid",
                FrictionLaw::Cone => "cone",
            }
            .into(),
        }
    }
}

impl WorldConfig {
    /// Names of all settings that [`WorldConfig::set_field`] takes: those of all methods, and those of the
    /// method and the broad phase that are chosen.
    pub fn field_names(&self) -> Vec<&'static str> {
        let own = match &self.solver {
            SolverChoice::Impulse { .. } => IMPULSE,
            SolverChoice::SubStep { .. } => SUB_STEP,
            SolverChoice::Nsgs { .. } => NSGS,
            SolverChoice::Lcp { .. } => LCP,
            #[cfg(feature = "convex")]
            SolverChoice::QpSuite { .. } => QP_SUITE,
        };
        let broad = match &self.detection.broad_phase {
            BroadPhaseChoice::UniformGrid(_) => UNIFORM_GRID,
            _ => &[],
        };
        [COMMON, broad, own].concat()
    }

    /// Names of all settings with their values, as [`WorldConfig::set_field`] reads them.
    ///
    /// ```
    /// use drystone::WorldConfig;
    /// let config = WorldConfig::fast();
    /// let mut copy = WorldConfig::fast();
    /// for (name, value) in config.fields() {
    ///     copy.set_field(name, &value)?;
    /// }
    /// assert_eq!(copy, config);
    /// # Ok::<(), drystone::WorldError>(())
    /// ```
    pub fn fields(&self) -> Vec<(&'static str, String)> {
        let mut copy = self.clone();
        let names = self.field_names().into_iter();
        names.filter_map(|name| Some((name, copy.field(name)?.text()))).collect()
    }

    /// What a setting of this name is called now, where it has another name than in the version before; [`WorldConfig::set_field`] takes both for one
    /// version. Programs that read settings from users tell them.
    ///
    /// ```
    /// use drystone::WorldConfig;
    /// assert_eq!(WorldConfig::renamed_field("sub_step.rest_band"), Some("sub_step.contact_slop"));
    /// assert_eq!(WorldConfig::renamed_field("sub_step.contact_slop"), None);
    /// ```
    pub fn renamed_field(name: &str) -> Option<&'static str> {
        RENAMED.iter().find(|(old, _)| *old == name).map(|(_, new)| *new)
    }

    /// Sets one setting from text: a number, `true`/`false`, `none` for a limit, or the name of an order.
    ///
    /// ```
    /// use drystone::WorldConfig;
    /// let mut config = WorldConfig::thesis_fast();
    /// config.set_field("resolution.global_limit", "4")?;
    /// assert!(config.set_field("resolution.global_limit", "four").is_err());
    /// assert!(config.set_field("resolution.globl_limit", "4").is_err());
    /// # Ok::<(), drystone::WorldError>(())
    /// ```
    ///
    /// # Errors
    /// An unknown name (the error lists the known ones), or a value that does not read or is out of range;
    /// nothing changes.
    pub fn set_field(&mut self, name: &str, value: &str) -> Result<(), WorldError> {
        let mut changed = self.clone();
        let field = changed
            .field(Self::renamed_field(name).unwrap_or(name))
            .ok_or_else(|| WorldError::UnknownField { name: name.to_owned(), known: self.field_names() })?;
        let bad =
            |expected| WorldError::BadValue { field: name.to_owned(), expected, value: value.to_owned() };
        match field {
            Field::Real(target) => *target = value.parse().map_err(|_| bad("a number"))?,
            Field::Limit(target) if value == "none" => *target = None,
            Field::Limit(target) => *target = Some(value.parse().map_err(|_| bad("a number or none"))?),
            Field::Length(target) if value == "none" => *target = None,
            Field::Length(target) => *target = Some(value.parse().map_err(|_| bad("a number or none"))?),
            Field::Count(target) => *target = value.parse().map_err(|_| bad("a whole number"))?,
            Field::Switch(target) => *target = value.parse().map_err(|_| bad("true or false"))?,
            Field::Order(target) => {
                *target = match value {
                    "highest_closing_speed" => OrderChoice::HighestClosingSpeed,
                    "first_found" => OrderChoice::FirstFound,
                    "highest_impulse" => OrderChoice::HighestImpulse,
                    "levels_up" => OrderChoice::LevelsUp,
                    "levels_down" => OrderChoice::LevelsDown,
                    "levels_both" => OrderChoice::LevelsBoth,
                    "falling_bar" => OrderChoice::FallingBar,
                    "colours" => OrderChoice::Colours,
                    _ => return Err(bad(ORDERS)),
                }
            }
            Field::Broad(target) => {
                *target = match value {
                    "hash_grid" => BroadPhaseChoice::HashGrid(HashGridConfig::default()),
                    "uniform_grid" => BroadPhaseChoice::UniformGrid(UniformGridConfig::default()),
                    "tree" => BroadPhaseChoice::Tree,
                    "brute_force" => BroadPhaseChoice::BruteForce,
                    _ => return Err(bad("hash_grid, uniform_grid, tree or brute_force")),
                }
            }
            Field::Energy(target) => {
                *target = match value {
                    "off" => EnergyCheck::Off,
                    "joints" => EnergyCheck::Joints,
                    "all" => EnergyCheck::All,
                    _ => return Err(bad("off, joints or all")),
                }
            }
            Field::Sweep(target) => {
                *target = match value {
                    "given" => SweepOrder::Given,
                    "bandwidth" => SweepOrder::Bandwidth,
                    "colours" => SweepOrder::Colours,
                    _ => return Err(bad("given, bandwidth or colours")),
                }
            }
            Field::Law(target) => {
                *target = match value {
                    "frictionless" => FrictionLaw::Frictionless,
                    "pyramid" => FrictionLaw::Pyramid,
                    "cone" => FrictionLaw::Cone,
                    _ => return Err(bad("frictionless, pyramid or cone")),
                }
            }
        }
        changed.validate()?;
        *self = changed;
        Ok(())
    }
}

/// Lists the settings of one struct once: their names, and where each one lives.
macro_rules! fields {
    ($names:ident, $find:ident($($arg:ident: $type:ty),*); $($name:literal => $field:expr,)*) => {
        const $names: &[&str] = &[$($name),*];

        fn $find<'a>(name: &str, $($arg: &'a mut $type),*) -> Option<Field<'a>> {
            Some(match name {
                $($name => $field,)*
                _ => return None,
            })
        }
    };
}

fields! { COMMON, common_field(c: WorldConfig);
    "gravity.x" => Field::Real(&mut c.gravity.x),
    "gravity.y" => Field::Real(&mut c.gravity.y),
    "gravity.z" => Field::Real(&mut c.gravity.z),
    "reference_acceleration" => Field::Real(&mut c.reference_acceleration),
    "detection.contact_margin" => Field::Real(&mut c.detection.contact_margin),
    "detection.look_ahead" => Field::Real(&mut c.detection.look_ahead),
    "detection.unseen_overlap_fraction" => Field::Real(&mut c.detection.unseen_overlap_fraction),
    "detection.box_growth" => Field::Real(&mut c.detection.box_growth),
    "detection.coherence_tolerance" => Field::Real(&mut c.detection.coherence_tolerance),
    "detection.seam_height" => Field::Real(&mut c.detection.seam_height),
    "detection.broad_phase" => Field::Broad(&mut c.detection.broad_phase),
    "continuous.fixed" => Field::Switch(&mut c.continuous.fixed),
    "continuous.moving" => Field::Switch(&mut c.continuous.moving),
    "continuous.threshold" => Field::Real(&mut c.continuous.threshold),
    "correction.enabled" => Field::Switch(&mut c.correction.enabled),
    "correction.penetration_threshold" => Field::Real(&mut c.correction.config.penetration_threshold),
    "correction.remaining_fraction" => Field::Real(&mut c.correction.config.remaining_fraction),
    "correction.max_displaced" => Field::Count(&mut c.correction.config.max_displaced),
    "correction.max_corrections" => Field::Count(&mut c.correction.config.max_corrections),
    "correction.max_looks" => Field::Count(&mut c.correction.config.max_looks),
    "correction.use_backward" => Field::Switch(&mut c.correction.config.use_backward),
    "correction.relax_share" => Field::Real(&mut c.correction.config.relax_share),
    "correction.relax_rounds" => Field::Count(&mut c.correction.config.relax_rounds),
    "correction.rotate" => Field::Switch(&mut c.correction.config.rotate),
    "sleeping.enabled" => Field::Switch(&mut c.sleeping.enabled),
    "sleeping.threshold" => Field::Real(&mut c.sleeping.threshold),
    "sleeping.averaging_time" => Field::Real(&mut c.sleeping.averaging_time),
    "sleeping.motion_cap" => Field::Real(&mut c.sleeping.motion_cap),
    "sleeping.support_cosine" => Field::Real(&mut c.sleeping.support_cosine),
    "sleeping.support_gap" => Field::Real(&mut c.sleeping.support_gap),
    "sleeping.side_support_gap" => Field::Limit(&mut c.sleeping.side_support_gap),
    "sleeping.max_imbalance" => Field::Limit(&mut c.sleeping.max_imbalance),
    "sleeping.max_overlap" => Field::Limit(&mut c.sleeping.max_overlap),
    "sleeping.swing_limit" => Field::Limit(&mut c.sleeping.swing_limit),
    "sleeping.must_settle" => Field::Switch(&mut c.sleeping.must_settle),
    "coherence.grouping" => Field::Switch(&mut c.coherence.grouping),
    "coherence.cache_points" => Field::Switch(&mut c.coherence.cache_points),
    "coherence.cache_forces" => Field::Switch(&mut c.coherence.cache_forces),
    "coherence.reduction" => Field::Limit(&mut c.coherence.reduction),
    "coherence.zero_restitution" => Field::Switch(&mut c.coherence.zero_restitution),
    "coherence.damping" => Field::Real(&mut c.coherence.damping),
    "coherence.sleepy_groups" => Field::Switch(&mut c.coherence.sleepy_groups),
    "coherence.subgrouping" => Field::Switch(&mut c.coherence.subgrouping),
    "coherence.freeze_sleepy" => Field::Switch(&mut c.coherence.freeze_sleepy),
    "coherence.sleepy_threshold" => Field::Real(&mut c.coherence.sleepy.threshold),
    "coherence.sleepy_steps" => Field::Count(&mut c.coherence.sleepy.steps),
    "escalation.enabled" => Field::Switch(&mut c.escalation.enabled),
    "escalation.residual_bound" => Field::Real(&mut c.escalation.residual_bound),
    "escalation.tolerance" => Field::Real(&mut c.escalation.tolerance),
    "escalation.max_iterations" => Field::Count(&mut c.escalation.max_iterations),
    "events.trigger_in" => Field::Switch(&mut c.events.trigger_in),
    "events.trigger_out" => Field::Switch(&mut c.events.trigger_out),
    "events.touch_begin" => Field::Switch(&mut c.events.touch_begin),
    "events.touch_persist" => Field::Switch(&mut c.events.touch_persist),
    "events.touch_end" => Field::Switch(&mut c.events.touch_end),
    "events.proximity_begin" => Field::Switch(&mut c.events.proximity_begin),
    "events.proximity_persist" => Field::Switch(&mut c.events.proximity_persist),
    "events.proximity_end" => Field::Switch(&mut c.events.proximity_end),
    "events.timer_tick" => Field::Switch(&mut c.events.timer_tick),
    "events.hit" => Field::Switch(&mut c.events.hit),
    "events.hit_speed" => Field::Real(&mut c.events.hit_speed),
    "events.queue" => Field::Switch(&mut c.events.queue),
    "small_batch_size" => Field::Count(&mut c.small_batch_size),
    "parallel_threshold" => Field::Count(&mut c.parallel_threshold),
    "energy_check" => Field::Energy(&mut c.energy_check),
}

fields! { UNIFORM_GRID, uniform_grid_field(grid: UniformGridConfig);
    "detection.uniform_grid.cell_size" => Field::Length(&mut grid.cell_size),
    "detection.uniform_grid.most_cells" => Field::Count(&mut grid.most_cells),
}

/// Names of the orders, for the error.
const ORDERS: &str = "highest_closing_speed, first_found, highest_impulse, levels_up, levels_down, levels_both, falling_bar or colours";

fields! { IMPULSE, impulse_field(impulse: ImpulseConfig, order: OrderChoice);
    "resolution.order" => Field::Order(order),
    "resolution.resolution_threshold" => Field::Real(&mut impulse.resolution_threshold),
    "resolution.restitution_threshold" => Field::Real(&mut impulse.restitution_threshold),
    "resolution.global_limit" => Field::Limit(&mut impulse.global_limit),
    "resolution.shock_limit" => Field::Limit(&mut impulse.shock_limit),
    "resolution.impact_limit" => Field::Real(&mut impulse.impact_limit),
    "resolution.safety_limit" => Field::Real(&mut impulse.safety_limit),
    "resolution.phase_limit" => Field::Limit(&mut impulse.phase_limit),
    "resolution.gravity_damping_threshold" => Field::Real(&mut impulse.gravity_damping_threshold),
    "resolution.gravity_damping_fraction" => Field::Real(&mut impulse.gravity_damping_fraction),
    "resolution.recovery_speed" => Field::Real(&mut impulse.recovery_speed),
    "resolution.overshoot" => Field::Real(&mut impulse.overshoot),
    "resolution.recovery_slop" => Field::Real(&mut impulse.recovery_slop),
    "resolution.recovery_demand" => Field::Real(&mut impulse.recovery_demand),
    "resolution.stick_sweeps" => Field::Count(&mut impulse.stick_sweeps),
    "resolution.joint_rounds" => Field::Count(&mut impulse.joint_rounds),
    "resolution.joint_sweeps" => Field::Count(&mut impulse.joint_sweeps),
    "resolution.accumulate" => Field::Switch(&mut impulse.accumulate),
    "resolution.energy_safe" => Field::Switch(&mut impulse.energy_safe),
    "resolution.energy_joint" => Field::Switch(&mut impulse.energy_joint),
}

fields! { SUB_STEP, sub_step_field(sub_step: SubStepConfig);
    "sub_step.sub_steps" => Field::Count(&mut sub_step.sub_steps),
    "sub_step.low_pile_sub_steps" => Field::Count(&mut sub_step.low_pile_sub_steps),
    "sub_step.sweeps" => Field::Count(&mut sub_step.sweeps),
    "sub_step.impact_sweeps" => Field::Count(&mut sub_step.impact_sweeps),
    "sub_step.direct_joints" => Field::Switch(&mut sub_step.direct_joints),
    "sub_step.low_pile_height" => Field::Real(&mut sub_step.low_pile_height),
    "sub_step.settling_speed" => Field::Real(&mut sub_step.settling_speed),
    "sub_step.recovery_rate" => Field::Real(&mut sub_step.recovery_rate),
    "sub_step.recovery_speed" => Field::Real(&mut sub_step.recovery_speed),
    "sub_step.contact_slop" => Field::Real(&mut sub_step.contact_slop),
    "sub_step.resting_speed" => Field::Real(&mut sub_step.resting_speed),
    "sub_step.restitution_threshold" => Field::Real(&mut sub_step.restitution_threshold),
    "sub_step.wake_threshold" => Field::Real(&mut sub_step.wake_threshold),
    "sub_step.residual_threshold" => Field::Real(&mut sub_step.residual_threshold),
}

fields! { NSGS, nsgs_field(group: IslandSolverConfig, nsgs: NsgsConfig, escalate_after: u32);
    "nsgs.tolerance" => Field::Real(&mut group.tolerance),
    "nsgs.max_iterations" => Field::Count(&mut group.max_iterations),
    "nsgs.restitution_threshold" => Field::Real(&mut group.restitution_threshold),
    "nsgs.slip_threshold" => Field::Real(&mut group.slip_threshold),
    "nsgs.wake_threshold" => Field::Real(&mut group.wake_threshold),
    "nsgs.residual_threshold" => Field::Real(&mut group.residual_threshold),
    "nsgs.joint_rounds" => Field::Count(&mut group.joint_rounds),
    "nsgs.joint_sweeps" => Field::Count(&mut group.joint_sweeps),
    "nsgs.joint_tolerance" => Field::Real(&mut group.joint_tolerance),
    "nsgs.relaxation" => Field::Real(&mut nsgs.relaxation),
    "nsgs.order" => Field::Sweep(&mut nsgs.order),
    "nsgs.symmetric" => Field::Switch(&mut nsgs.symmetric),
    "nsgs.escalate_after" => Field::Count(escalate_after),
    "nsgs.memory" => Field::Count(&mut nsgs.memory),
}

fields! { LCP, lcp_field(group: IslandSolverConfig, lcp: LcpConfig);
    "lcp.tolerance" => Field::Real(&mut group.tolerance),
    "lcp.max_iterations" => Field::Count(&mut group.max_iterations),
    "lcp.restitution_threshold" => Field::Real(&mut group.restitution_threshold),
    "lcp.slip_threshold" => Field::Real(&mut group.slip_threshold),
    "lcp.wake_threshold" => Field::Real(&mut group.wake_threshold),
    "lcp.residual_threshold" => Field::Real(&mut group.residual_threshold),
    "lcp.joint_rounds" => Field::Count(&mut group.joint_rounds),
    "lcp.joint_sweeps" => Field::Count(&mut group.joint_sweeps),
    "lcp.joint_tolerance" => Field::Real(&mut group.joint_tolerance),
    "lcp.law" => Field::Law(&mut lcp.law),
    "lcp.ignores_friction" => Field::Switch(&mut lcp.ignores_friction),
    "lcp.facets" => Field::Count(&mut lcp.facets),
    "lcp.lemke_limit" => Field::Count(&mut lcp.lemke_limit),
    "lcp.falls_back" => Field::Switch(&mut lcp.falls_back),
    "lcp.max_turns" => Field::Count(&mut lcp.max_turns),
    "lcp.accelerates" => Field::Switch(&mut lcp.accelerates),
}

#[cfg(feature = "convex")]
fields! { QP_SUITE, qp_suite_field(suite: SuiteConfig);
    "qp_suite.bounce_budget" => Field::Limit(&mut suite.bounce_budget),
    "qp_suite.joint_friction" => Field::Switch(&mut suite.joint_friction),
    "qp_suite.energy_safe" => Field::Switch(&mut suite.energy_safe),
    "qp_suite.exact_cone" => Field::Switch(&mut suite.exact_cone),
    "qp_suite.collision_threshold" => Field::Real(&mut suite.collision_threshold),
    "qp_suite.slack" => Field::Real(&mut suite.slack),
    "qp_suite.impact_rounds" => Field::Count(&mut suite.impact_rounds),
    "qp_suite.max_rounds" => Field::Count(&mut suite.max_rounds),
    "qp_suite.slip_threshold" => Field::Real(&mut suite.slip_threshold),
    "qp_suite.tolerance" => Field::Real(&mut suite.tolerance),
    "qp_suite.max_iterations" => Field::Count(&mut suite.max_iterations),
    "qp_suite.residual_threshold" => Field::Real(&mut suite.residual_threshold),
    "qp_suite.freeze" => Field::Switch(&mut suite.freeze),
    "qp_suite.freeze_threshold" => Field::Real(&mut suite.freeze_threshold),
    "qp_suite.freeze_count" => Field::Count(&mut suite.freeze_count),
    "qp_suite.freeze_below" => Field::Limit(&mut suite.freeze_below),
}

impl WorldConfig {
    /// The first named setting that differs, with its value here and there; `None` when all are equal. Other methods differ as a whole.
    pub(crate) fn first_difference(&mut self, other: &mut Self) -> Option<(&'static str, [String; 2])> {
        let methods = [self.solver.name(), other.solver.name()];
        if methods[0] != methods[1] {
            return Some(("solver", methods.map(String::from)));
        }
        // With one method all names are shared, but for those of a broad phase that the other one does not have; its own name, which comes first, differs then.
        self.field_names().into_iter().find_map(|name| {
            let texts = [self.field(name)?.text(), other.field(name)?.text()];
            (texts[0] != texts[1]).then_some((name, texts))
        })
    }

    fn field(&mut self, name: &str) -> Option<Field<'_>> {
        if COMMON.contains(&name) {
            return common_field(name, self);
        }
        if UNIFORM_GRID.contains(&name) {
            return match &mut self.detection.broad_phase {
                BroadPhaseChoice::UniformGrid(grid) => uniform_grid_field(name, grid),
                _ => None,
            };
        }
        match &mut self.solver {
            SolverChoice::Impulse { config, order } => impulse_field(name, config, order),
            SolverChoice::SubStep { config } => sub_step_field(name, config),
            SolverChoice::Nsgs { group, config, escalate_after } => {
                nsgs_field(name, group, config, escalate_after)
            }
            SolverChoice::Lcp { group, config } => lcp_field(name, group, config),
            #[cfg(feature = "convex")]
            SolverChoice::QpSuite { config } => qp_suite_field(name, config),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_named_setting_is_found_and_takes_its_own_text() {
        let starts = [
            WorldConfig::thesis_fast(),
            WorldConfig::fast(),
            WorldConfig::nsgs(),
            WorldConfig::lcp(),
            with_uniform_grid(),
            #[cfg(feature = "convex")]
            WorldConfig::qp_suite(),
        ];
        for (start, name) in
            starts.iter().flat_map(|start| start.field_names().into_iter().map(move |name| (start, name)))
        {
            let mut config = start.clone();
            let text = config.field(name).expect("a listed name has a field").text();
            config.set_field(name, &text).expect("the value it has is valid");
            assert_eq!(&config, start, "{name}");
        }
    }

    #[test]
    fn every_old_name_sets_what_its_new_one_does() {
        // Sleepy bodies are frozen only where these two are on.
        let mut coherent = WorldConfig::thesis_fast();
        for switch in ["coherence.sleepy_groups", "coherence.subgrouping"] {
            coherent.set_field(switch, "true").expect("it is in range");
        }
        let starts = [
            coherent,
            WorldConfig::fast(),
            #[cfg(feature = "convex")]
            WorldConfig::qp_suite(),
        ];
        for (old, new) in RENAMED {
            let known = |config: &&WorldConfig| config.field_names().contains(&new);
            let Some(start) = starts.iter().find(known) else {
                assert!(new.starts_with("qp_suite.") && cfg!(not(feature = "convex")), "{new} is no setting");
                continue;
            };
            assert!(!start.field_names().contains(&old), "{old} is listed");
            let value = match start.clone().field(new).expect("it is listed") {
                Field::Switch(value) => (!*value).to_string(),
                Field::Count(value) => (*value + 1).to_string(),
                Field::Real(value) => (*value * 0.5 + 0.125).to_string(),
                Field::Limit(_) | Field::Length(_) => "0.125".to_owned(),
                _ => panic!("{new}: a kind of setting that had no other name"),
            };
            let [mut by_old, mut by_new] = [start.clone(), start.clone()];
            by_old.set_field(old, &value).expect("old names are taken");
            by_new.set_field(new, &value).expect("it is in range");
            assert_eq!(by_old, by_new, "{old}");
            assert_ne!(&by_new, start, "{new}");
        }
    }

    fn with_uniform_grid() -> WorldConfig {
        let mut config = WorldConfig::fast();
        config.set_field("detection.broad_phase", "uniform_grid").expect("it exists");
        config
    }

    #[test]
    fn settings_of_the_uniform_grid_are_there_with_it_and_have_ranges() {
        assert!(WorldConfig::fast().set_field("detection.uniform_grid.cell_size", "1").is_err());
        let mut config = with_uniform_grid();
        for (name, value) in [("cell_size", "0.25"), ("most_cells", "64")] {
            config.set_field(&format!("detection.uniform_grid.{name}"), value).expect("in range");
        }
        let expected = UniformGridConfig { cell_size: Some(0.25), most_cells: 64 };
        assert_eq!(config.detection.broad_phase, BroadPhaseChoice::UniformGrid(expected));
        for (name, value) in
            [("cell_size", "0"), ("cell_size", "inf"), ("cell_size", "small"), ("most_cells", "0")]
        {
            let refused = config.clone().set_field(&format!("detection.uniform_grid.{name}"), value);
            assert!(refused.is_err(), "{name}={value}");
        }
        assert!(crate::World::new(config).is_ok());
    }

    #[test]
    fn refused_values_change_nothing() {
        let mut config = WorldConfig::thesis_fast();
        for (name, value) in [
            ("sleeping.threshold", "2"),
            ("gravity.y", "NaN"),
            ("nothing", "1"),
            ("sleeping.enabled", "1"),
            ("detection.broad_phase", "grid"),
        ] {
            assert!(config.set_field(name, value).is_err(), "{name}={value}");
        }
        assert_eq!(config, WorldConfig::thesis_fast());
    }
}
