//! Settings of a world that runs: what can change between steps, and what is chosen once.

use super::World;
use crate::{AdvanceChoice, CoherenceConfig, OrderChoice, WorldConfig, WorldError};
use drystone_contact::WakeCause;
use drystone_resolution::group::Moves;
use drystone_resolution::impulse::{
    ColourSweep, Direction, FallingBar, FirstFound, HighestImpulse, LevelSweep,
};
use drystone_resolution::{
    Advance, Escalation, GroupAdvance, GroupConfig, Hybrid, ImpulseAdvance, ImpulseConfig, LcpSolver,
    SubStepAdvance,
};

impl World {
    /// Puts other settings in place of the present ones, another solver among them. The next step goes on from where bodies are, with
    /// what contacts remember; where something differs, all wake and all contacts are looked at anew.
    ///
    /// Where [`WorldConfig::advance`], [`WorldConfig::escalation`] or [`CoherenceConfig::subgrouping`] differ, the configured method
    /// takes the place of the present one, that of [`World::set_advance`] too. A [`crate::Snapshot`] of before has other settings and
    /// is refused from now on.
    ///
    /// ```
    /// use drystone::{World, WorldConfig};
    /// let mut world = World::new(WorldConfig::fast())?;
    /// world.step(1.0 / 60.0)?;
    /// world.set_config(WorldConfig::nsgs())?;
    /// world.step(1.0 / 240.0)?;
    /// assert_eq!(world.config(), &WorldConfig::nsgs());
    /// # Ok::<(), drystone::WorldError>(())
    /// ```
    ///
    /// # Errors
    /// The first setting out of range; [`WorldError::Fixed`] for what is chosen when a world is made: the broad phase, locked axes of all
    /// bodies, and whether proximity is told; [`WorldError::NoJoints`] where there are joints that the other method would not solve.
    /// Nothing changes then.
    pub fn set_config(&mut self, config: WorldConfig) -> Result<(), WorldError> {
        config.validate()?;
        let old = &self.config;
        let once = [
            ("detection.broad_phase", config.detection.broad_phase == old.detection.broad_phase),
            ("locks", config.locks == old.locks),
            ("events.proximity", config.events.tells_proximity() == old.events.tells_proximity()),
        ];
        if let Some((field, _)) = once.into_iter().find(|(_, is_same)| !is_same) {
            return Err(WorldError::Fixed(field));
        }
        if config == *old {
            return Ok(());
        }
        let is_split = |c: &WorldConfig| c.coherence.subgrouping;
        let has_same_method = config.advance == old.advance
            && config.escalation == old.escalation
            && is_split(&config) == is_split(old);
        if !has_same_method {
            self.set_advance(method(&config))?;
        }
        self.take_config(config);
        self.contacts.forget_all();
        self.bodies.wake_all(WakeCause::User);
        self.scratch.clear();
        self.scratch.extend(self.bodies.indices());
        let bodies = std::mem::take(&mut self.scratch);
        bodies.iter().for_each(|&body| self.disturb(body));
        self.scratch = bodies;
        Ok(())
    }

    /// Throws switches of coherence between steps. The next step goes on from where bodies are, with what contacts remember. Where
    /// [`CoherenceConfig::subgrouping`] changes, the configured method takes the place of one that [`World::set_advance`] put there.
    ///
    /// # Errors
    /// A value out of range, or a switch that lacks the one it needs; nothing changes.
    pub fn set_coherence(&mut self, coherence: CoherenceConfig) -> Result<(), WorldError> {
        coherence.validate()?;
        let config = WorldConfig { coherence, ..self.config.clone() };
        if config.coherence.subgrouping != self.config.coherence.subgrouping {
            self.set_advance(method(&config))?;
        }
        self.take_config(config);
        Ok(())
    }

    /// These settings hold from now on, and what is kept by them follows. Who was sleepy by a rule that is off now, or at another speed, is so no more: what
    /// counts are steps in a row.
    fn take_config(&mut self, config: WorldConfig) {
        let counted = |c: &WorldConfig| {
            let is_counted = c.sleeping.enabled && c.coherence.sleepy_rule().is_some();
            (is_counted, c.coherence.sleepy.threshold)
        };
        if counted(&config) != counted(&self.config) {
            self.sleepy.forget_all();
        }
        self.batches.set_joined(!config.coherence.grouping);
        self.config = config;
    }

    /// Puts another method in place of the configured one.
    ///
    /// # Errors
    /// [`WorldError::NoJoints`] where there are joints that it would not solve ([`Advance::takes_ties`]), [`WorldError::NoArticulations`] likewise;
    /// nothing changes.
    pub fn set_advance(&mut self, advance: Box<dyn Advance>) -> Result<(), WorldError> {
        if self.articulations.count() > 0 && !advance.takes_articulations() {
            return Err(WorldError::NoArticulations(advance.method()));
        }
        if self.joints.count() > 0 && !advance.takes_ties() {
            return Err(WorldError::NoJoints(advance.method()));
        }
        self.advance = advance;
        Ok(())
    }
}

/// The method that the settings ask for.
pub(super) fn method(config: &WorldConfig) -> Box<dyn Advance> {
    // Where sleepers do not join groups, groups are solved in parts.
    let splits = config.coherence.subgrouping;
    let with_parts = |group: &GroupConfig| GroupConfig {
        splits_at_sleepers: splits || group.splits_at_sleepers,
        ..group.clone()
    };
    let advance: Box<dyn Advance> = match &config.advance {
        AdvanceChoice::Impulse { config, order } => impulse(config, *order),
        AdvanceChoice::SubStep { config } => Box::new(SubStepAdvance::new(config.clone())),
        AdvanceChoice::Nsgs { group, config, escalate_after } => {
            let solver = Hybrid::new(config.clone(), *escalate_after);
            Box::new(GroupAdvance::new(with_parts(group), solver))
        }
        AdvanceChoice::Lcp { group, config } => {
            Box::new(GroupAdvance::new(with_parts(group), LcpSolver::new(config.clone())))
        }
        #[cfg(feature = "convex")]
        AdvanceChoice::QpSuite { config } => Box::new(drystone_convex::QpSuite::new(config.clone())),
    };
    let moves = match &config.advance {
        AdvanceChoice::Impulse { .. } => Some(Moves::AtBegin),
        AdvanceChoice::SubStep { .. } => Some(Moves::InAdvance),
        _ => None,
    };
    match moves.filter(|_| config.escalation.enabled) {
        Some(moves) => Box::new(Escalation::new(config.escalation.clone(), advance, moves)),
        None => advance,
    }
}

/// The impulse pipeline with this order.
fn impulse(config: &ImpulseConfig, order: OrderChoice) -> Box<dyn Advance> {
    let config = config.clone();
    match order {
        OrderChoice::HighestClosingSpeed => Box::new(ImpulseAdvance::new(config)),
        OrderChoice::FirstFound => Box::new(ImpulseAdvance::with_order(config, FirstFound::default())),
        OrderChoice::HighestImpulse => {
            Box::new(ImpulseAdvance::with_order(config, HighestImpulse::default()))
        }
        OrderChoice::LevelsUp => sweep(config, Direction::Up),
        OrderChoice::LevelsDown => sweep(config, Direction::Down),
        OrderChoice::LevelsBoth => sweep(config, Direction::Both),
        OrderChoice::FallingBar => Box::new(ImpulseAdvance::with_order(config, FallingBar::default())),
        OrderChoice::Colours => Box::new(ImpulseAdvance::with_order(config, ColourSweep::default())),
    }
}

fn sweep(config: ImpulseConfig, direction: Direction) -> Box<dyn Advance> {
    Box::new(ImpulseAdvance::with_order(config, LevelSweep::new(direction)))
}
