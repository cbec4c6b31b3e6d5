//! Settings of a world that runs: what can change between steps, and what is chosen once.

use super::World;
use crate::{CoherenceConfig, OrderChoice, SolverChoice, WorldConfig, WorldError};
use drystone_contact::WakeCause;
use drystone_resolution::impulse::{
    ColourSweep, Direction, FallingBar, FirstFound, HighestImpulse, LevelSweep,
};
use drystone_resolution::island::Moves;
use drystone_resolution::{
    Escalation, ImpulseConfig, ImpulseSolver, IslandSolver, IslandSolverConfig, LcpSolver, NsgsThenInterior,
    Solver, SubStepSolver,
};

impl World {
    /// Puts other settings in place of the present ones, another solver among them. The next step goes on from where bodies are, with
    /// what contacts remember; where something differs, all wake and all contacts are looked at anew.
    ///
    /// Where [`WorldConfig::solver`], [`WorldConfig::escalation`] or [`CoherenceConfig::subgrouping`] differ, the configured method
    /// takes the place of the present one, that of [`World::set_solver`] too. A [`crate::Snapshot`] of before has other settings and
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
        let has_same_method = config.solver == old.solver
            && config.escalation == old.escalation
            && is_split(&config) == is_split(old);
        if !has_same_method {
            self.set_solver(method(&config))?;
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
    /// [`CoherenceConfig::subgrouping`] changes, the configured method takes the place of one that [`World::set_solver`] put there.
    ///
    /// # Errors
    /// A value out of range, or a switch that lacks the one it needs; nothing changes.
    pub fn set_coherence(&mut self, coherence: CoherenceConfig) -> Result<(), WorldError> {
        coherence.validate()?;
        let config = WorldConfig { coherence, ..self.config.clone() };
        if config.coherence.subgrouping != self.config.coherence.subgrouping {
            self.set_solver(method(&config))?;
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
    /// [`WorldError::NoJoints`] where there are joints that it would not solve ([`Solver::supports_joints`]), [`WorldError::NoArticulations`] likewise;
    /// nothing changes.
    pub fn set_solver(&mut self, solver: Box<dyn Solver>) -> Result<(), WorldError> {
        if self.articulations.count() > 0 && !solver.supports_articulations() {
            return Err(WorldError::NoArticulations(solver.method()));
        }
        if self.joints.count() > 0 && !solver.supports_joints() {
            return Err(WorldError::NoJoints(solver.method()));
        }
        self.solver = solver;
        Ok(())
    }
}

/// The method that the settings ask for.
pub(super) fn method(config: &WorldConfig) -> Box<dyn Solver> {
    // Where sleepers do not join islands, islands are solved in parts.
    let splits = config.coherence.subgrouping;
    let with_parts = |group: &IslandSolverConfig| IslandSolverConfig {
        splits_at_sleepers: splits || group.splits_at_sleepers,
        ..group.clone()
    };
    let solver: Box<dyn Solver> = match &config.solver {
        SolverChoice::Impulse { config, order } => impulse(config, *order),
        SolverChoice::SubStep { config } => Box::new(SubStepSolver::new(config.clone())),
        SolverChoice::Nsgs { group, config, escalate_after } => {
            let solver = NsgsThenInterior::new(config.clone(), *escalate_after);
            Box::new(IslandSolver::new(with_parts(group), solver))
        }
        SolverChoice::Lcp { group, config } => {
            Box::new(IslandSolver::new(with_parts(group), LcpSolver::new(config.clone())))
        }
        #[cfg(feature = "convex")]
        SolverChoice::QpSuite { config } => Box::new(drystone_convex::QpSuite::new(config.clone())),
    };
    let moves = match &config.solver {
        SolverChoice::Impulse { .. } => Some(Moves::AtBegin),
        SolverChoice::SubStep { .. } => Some(Moves::InSolver),
        _ => None,
    };
    match moves.filter(|_| config.escalation.enabled) {
        Some(moves) => Box::new(Escalation::new(config.escalation.clone(), solver, moves)),
        None => solver,
    }
}

/// The impulse pipeline with this order.
fn impulse(config: &ImpulseConfig, order: OrderChoice) -> Box<dyn Solver> {
    let config = config.clone();
    match order {
        OrderChoice::HighestClosingSpeed => Box::new(ImpulseSolver::new(config)),
        OrderChoice::FirstFound => Box::new(ImpulseSolver::with_order(config, FirstFound::default())),
        OrderChoice::HighestImpulse => Box::new(ImpulseSolver::with_order(config, HighestImpulse::default())),
        OrderChoice::LevelsUp => sweep(config, Direction::Up),
        OrderChoice::LevelsDown => sweep(config, Direction::Down),
        OrderChoice::LevelsBoth => sweep(config, Direction::Both),
        OrderChoice::FallingBar => Box::new(ImpulseSolver::with_order(config, FallingBar::default())),
        OrderChoice::Colours => Box::new(ImpulseSolver::with_order(config, ColourSweep::default())),
    }
}

fn sweep(config: ImpulseConfig, direction: Direction) -> Box<dyn Solver> {
    Box::new(ImpulseSolver::with_order(config, LevelSweep::new(direction)))
}
