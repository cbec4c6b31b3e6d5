//! The world: bodies, colliders, contact graph and the stages that advance them.

mod access;
mod activity;
mod articulations;
mod colliders;
mod composites;
mod couplings;
mod disturbed;
mod edit;
mod events;
mod filter;
mod graph;
mod joints;
mod lint;
mod logic;
mod motions;
mod multibodies;
mod query;
mod rules;
mod settings;
mod solved;
mod timers;

pub use access::{BodyRef, ContactRef};
pub use articulations::ArticulationRef;
pub(crate) use colliders::{Collider, ColliderMotion, Colliders};
pub use couplings::CouplingRef;
pub(crate) use disturbed::Disturbed;
pub use joints::JointRef;
pub use lint::{LintFinding, LintKind};
pub(crate) use logic::Logic;
pub use query::{QueryFilter, QueryHit, Triggers};
pub(crate) use rules::Screen;
pub(crate) use solved::Solved;

use crate::stage::{ContactStage, Continuous, EnergyNotes, Look, Quarantine, Seams, Zeroed};
use crate::{BroadPhaseChoice, StepReport, WorldConfig, WorldError};
use drystone_collision::broad::{
    BroadPhase, BruteForce, DynamicTree, HierarchicalHashGrid, PairChanges, UniformHashGrid,
};
use drystone_contact::{
    Batches, Bodies, BodyIndex, ContactGraph, Containers, JointHandle, MaterialTable, StepParams,
};
use drystone_correction::Corrector;
use drystone_exec::{Exec, Recording};
use drystone_joint::Joints;
use drystone_math::Real;
use drystone_resolution::{Articulations, Solver};
use drystone_sleeping::{EnergySleep, SleepMemory};

/// Length of a step before the first one, s.
const FIRST_DT: Real = 1.0 / 60.0;

/// Bodies in contact, and what advances them. It is `Send` and `Sync`: one thread steps, and between steps any number of them
/// read and query.
///
/// ```
/// use drystone::{World, WorldConfig};
/// let world = World::new(WorldConfig::default())?;
/// let counts = std::thread::scope(|scope| {
///     let readers: Vec<_> = (0..2).map(|_| scope.spawn(|| world.bodies().count())).collect();
///     readers.into_iter().map(|reader| reader.join().expect("no panic")).collect::<Vec<_>>()
/// });
/// assert_eq!(counts, [0, 0]);
/// # Ok::<(), drystone::WorldError>(())
/// ```
pub struct World {
    pub(crate) config: WorldConfig,
    pub(crate) exec: Exec,
    pub(crate) bodies: Bodies,
    pub(crate) materials: MaterialTable,
    pub(crate) colliders: Colliders,
    pub(crate) graph: ContactGraph,
    pub(crate) containers: Containers,
    pub(crate) joints: Joints,
    pub(crate) articulations: Articulations,
    /// Those that broke in the last step.
    pub(crate) broken: Vec<JointHandle>,
    pub(crate) batches: Batches,
    pub(crate) broad: Box<dyn BroadPhase>,
    pub(crate) changes: PairChanges,
    pub(crate) contacts: ContactStage,
    pub(crate) seams: Seams,
    pub(crate) continuous: Continuous,
    pub(crate) corrector: Corrector,
    pub(crate) solver: Box<dyn Solver>,
    /// Bodies that were moved from outside: their boxes and contacts must be looked at, asleep or not.
    pub(crate) disturbed: Disturbed,
    pub(crate) logic: Logic,
    pub(crate) scratch: Vec<BodyIndex>,
    pub(crate) sleep_memory: SleepMemory,
    pub(crate) sleepy: EnergySleep,
    pub(crate) zeroed: Vec<Zeroed>,
    /// Length of the last step, s: what queries look ahead.
    pub(crate) last_dt: Real,
    pub(crate) solved: Solved,
    /// Memory of the look at energies before and after a step.
    pub(crate) energy_notes: EnergyNotes,
    /// Memory of the look at contacts after a step.
    pub(crate) looks: Vec<Look>,
    /// Whether [`World::detect`] has looked since the last step.
    pub(crate) has_queried: bool,
    pub(crate) quarantine: Quarantine,
    pub(crate) report: StepReport,
    pub(crate) step_index: u64,
    pub(crate) time: f64,
}

impl std::fmt::Debug for World {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("World")
            .field("bodies", &self.bodies.count())
            .field("edges", &self.graph.edge_count())
            .field("time", &self.time)
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}

impl World {
    /// An empty world that steps on the calling thread.
    ///
    /// # Errors
    /// The first setting out of range.
    pub fn new(config: WorldConfig) -> Result<Self, WorldError> {
        Self::with_exec(config, Exec::serial())
    }

    /// An empty world that steps on the threads of `exec`. Results do not depend on their number.
    ///
    /// # Errors
    /// The first setting out of range.
    pub fn with_exec(config: WorldConfig, exec: Exec) -> Result<Self, WorldError> {
        config.validate()?;
        let broad: Box<dyn BroadPhase> = match &config.detection.broad_phase {
            BroadPhaseChoice::HashGrid(grid) => Box::new(HierarchicalHashGrid::new(grid.clone())?),
            BroadPhaseChoice::UniformGrid(grid) => Box::new(UniformHashGrid::new(grid.clone())?),
            BroadPhaseChoice::Tree => Box::new(DynamicTree::new()),
            BroadPhaseChoice::BruteForce => Box::new(BruteForce::default()),
        };
        let solver = settings::method(&config);
        let mut graph = ContactGraph::default();
        graph.tell_proximity(config.events.tells_proximity());
        let mut batches = Batches::default();
        batches.set_joined(!config.coherence.grouping);
        Ok(Self {
            config,
            exec,
            bodies: Bodies::default(),
            materials: MaterialTable::default(),
            colliders: Colliders::default(),
            graph,
            containers: Containers::default(),
            joints: Joints::default(),
            articulations: Articulations::default(),
            broken: Vec::new(),
            batches,
            broad,
            changes: PairChanges::default(),
            contacts: ContactStage::default(),
            seams: Seams::default(),
            continuous: Continuous::default(),
            corrector: Corrector::new(),
            solver,
            disturbed: Disturbed::default(),
            logic: Logic::default(),
            scratch: Vec::new(),
            sleep_memory: SleepMemory::default(),
            sleepy: EnergySleep::default(),
            zeroed: Vec::new(),
            last_dt: FIRST_DT,
            solved: Solved::default(),
            energy_notes: EnergyNotes::default(),
            looks: Vec::new(),
            has_queried: false,
            quarantine: Quarantine::default(),
            report: StepReport::default(),
            step_index: 0,
            time: 0.0,
        })
    }

    /// Starts a recording of what steps do on which thread, with room for so many spans on each (72 bytes a span,
    /// allocated here). A span is a step, a stage of it, a part of the solver, or the parts of a stage
    /// that a thread took in one claim: some 20 and more per step. The motion does not depend on it, and steps
    /// allocate nothing for it; what finds no room, or room for which there is no memory, is counted and left out.
    /// [`Recording::write_chrome_trace`] makes a file for trace viewers of it.
    pub fn start_recording(&mut self, spans_per_thread: usize) {
        self.exec.start_recording(spans_per_thread);
    }

    /// Ends the recording and returns it; `None` when there was none.
    pub fn stop_recording(&mut self) -> Option<Recording> {
        self.exec.stop_recording()
    }

    /// The settings.
    pub fn config(&self) -> &WorldConfig {
        &self.config
    }

    /// Materials and what their pairs do.
    pub fn materials(&self) -> &MaterialTable {
        &self.materials
    }

    /// Materials, to register new ones or to override pairs. Contacts that exist keep their values.
    pub fn materials_mut(&mut self) -> &mut MaterialTable {
        &mut self.materials
    }

    /// Report of the last step.
    pub fn report(&self) -> &StepReport {
        &self.report
    }

    /// Simulated time, s.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Number of bodies of any kind.
    pub fn body_count(&self) -> usize {
        self.bodies.count()
    }

    /// The contact graph, to read.
    pub fn graph(&self) -> &ContactGraph {
        &self.graph
    }

    /// The bodies, to read by index.
    pub fn body_store(&self) -> &Bodies {
        &self.bodies
    }

    /// A body was added or moved from outside.
    pub(crate) fn disturb(&mut self, body: BodyIndex) {
        self.disturbed.insert(body);
        self.colliders.forget_strays();
    }

    /// What the stages of a step are given.
    pub(crate) fn params(&self, dt: Real) -> StepParams {
        StepParams {
            dt,
            acceleration: self.config.gravity,
            force: self.config.global_force,
            reference_acceleration: self.config.reference_acceleration,
            index: self.step_index,
            may_sleep: self.config.sleeping.enabled,
        }
    }
}
