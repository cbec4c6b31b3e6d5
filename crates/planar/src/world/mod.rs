//! The world of the plane: the verbs of `drystone::World`, on planar bodies.

mod access;
mod detect;
mod edit;
mod energy;
mod sleep;
mod step;

pub use access::{PartitionCell, PlanarBodyRef, PlanarContactRef};

use crate::bodies::{Bodies, Colliders};
use crate::contacts::Contacts;
use crate::solver::Solver;
use crate::tree::{Partition, QuadTree};
use crate::{Box2, PlanarConfig, PlanarError, PlanarReport};
use detect::Detection;
use drystone_contact::{MaterialTable, TouchEvent};
use drystone_exec::Exec;
use energy::Energies;
use sleep::Islands;

/// Planar bodies in contact, and what advances them.
pub struct PlanarWorld {
    config: PlanarConfig,
    exec: Exec,
    bodies: Bodies,
    colliders: Colliders,
    materials: MaterialTable,
    tree: QuadTree,
    partition: Partition,
    /// Boxes of the colliders in the tree.
    boxes: Vec<Box2>,
    contacts: Contacts,
    detection: Detection,
    solver: Solver,
    islands: Islands,
    energies: Energies,
    /// Bodies that were moved from outside: their boxes must be looked at, awake or not.
    disturbed: Vec<u32>,
    /// Bodies still to be woken.
    stack: Vec<u32>,
    events: Vec<TouchEvent>,
    pending: Vec<TouchEvent>,
    report: PlanarReport,
    step_index: u64,
    time: f64,
    woken: u32,
}

impl std::fmt::Debug for PlanarWorld {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PlanarWorld")
            .field("bodies", &self.body_count())
            .field("edges", &self.contacts.count)
            .field("time", &self.time)
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}

impl PlanarWorld {
    /// An empty world that steps on the calling thread.
    ///
    /// # Errors
    /// The first setting out of range.
    pub fn new(config: PlanarConfig) -> Result<Self, PlanarError> {
        Self::with_exec(config, Exec::serial())
    }

    /// An empty world that steps on the threads of `exec`. Results do not depend on their number.
    ///
    /// # Errors
    /// The first setting out of range.
    pub fn with_exec(config: PlanarConfig, exec: Exec) -> Result<Self, PlanarError> {
        config.validate()?;
        let partition = Partition::new(config.partitions as u16);
        Ok(Self {
            tree: QuadTree::new(partition.master()),
            partition,
            solver: Solver::new(&exec),
            config,
            exec,
            bodies: Bodies::default(),
            colliders: Colliders::default(),
            materials: MaterialTable::default(),
            boxes: Vec::new(),
            contacts: Contacts::default(),
            detection: Detection::default(),
            islands: Islands::default(),
            energies: Energies::default(),
            disturbed: Vec::new(),
            stack: Vec::new(),
            events: Vec::new(),
            pending: Vec::new(),
            report: PlanarReport::default(),
            step_index: 0,
            time: 0.0,
            woken: 0,
        })
    }

    /// The settings.
    pub fn config(&self) -> &PlanarConfig {
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
    pub fn report(&self) -> &PlanarReport {
        &self.report
    }

    /// Simulated time, s.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Number of bodies of any kind.
    pub fn body_count(&self) -> usize {
        // One of them is the body that stands for what cannot move.
        self.bodies.slots.count() - 1
    }

    /// Uses another instruction set than the best one of this machine: for tests and measurements. All give the same bits.
    pub fn set_isa(&mut self, isa: drystone_math::wide::Isa) {
        self.solver.set_isa(isa);
    }
}
