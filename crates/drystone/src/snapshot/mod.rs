//! Snapshots: all that a world carries from step to step, to go back to.
//!
//! In: a world. Out: a [`Snapshot`], from which that world, or another one with the same settings, goes on bit by bit as if it had
//! never been interrupted. Contains no algorithm: every stage lists what it carries where its memory is declared
//! ([`drystone_math::carried!`]), and methods say so by [`Solver::save_state`](crate::Solver::save_state). Start reading at [`World::snapshot_into`].
//!
//! What is in it: bodies, their colliders and where these were last looked at, contacts with their remembered impulses and features,
//! edges, joints and which of them broke last, articulations with their states, when bodies were solved last, islands and batches in their order, the broad phase, counters of sleeping, containers, rules,
//! motions, timers, triggers and events, the report, gravity and the global force, time and number of the step, and what the method carries. All of this and not poses
//! and velocities alone, since each of it changes later bits. What is not: shapes, rules' conditions and motions are shared with the
//! world; settings and materials are compared, not put back; threads and a recording are the world's own.
//!
//! Invariants: equal bits from there on, at any number of threads; a restore that is refused changes nothing; neither direction asks for
//! memory once a snapshot has the room that its world has.

mod error;

pub use error::SnapshotError;

use crate::stage::{ContactStage, Continuous};
use crate::world::{Colliders, Disturbed, Logic, Solved};
use crate::{StepReport, World, WorldConfig};
use drystone_contact::{Batches, Bodies, ContactGraph, Containers, JointHandle, MaterialTable};
use drystone_joint::Joints;
use drystone_math::{AnyCarried, Carried, Real};
use drystone_resolution::Articulations;
use drystone_sleeping::{EnergySleep, SleepMemory};

/// The state of a world between two steps ([`World::snapshot`]).
///
/// Its size follows bodies and contacts: 1.5 kB for each body and 1 kB for each pair of bodies near each other, with the room that lists
/// keep for more (`cargo test -p drystone --test snapshot the_size -- --nocapture` prints both).
#[derive(Debug, Default)]
pub struct Snapshot {
    /// Settings it was taken under; `None` while nothing was taken.
    config: Option<WorldConfig>,
    materials: MaterialTable,
    method: &'static str,
    solver: AnyCarried,
    broad: AnyCarried,
    bodies: Bodies,
    colliders: Colliders,
    graph: ContactGraph,
    containers: Containers,
    joints: Joints,
    articulations: Articulations,
    broken: Vec<JointHandle>,
    batches: Batches,
    contacts: ContactStage,
    continuous: Continuous,
    disturbed: Disturbed,
    logic: Logic,
    sleepy: EnergySleep,
    sleep_memory: SleepMemory,
    report: StepReport,
    solved: Solved,
    last_dt: Real,
    has_queried: bool,
    step_index: u64,
    time: f64,
}

drystone_math::carried!(Snapshot {
    part: [
        solver,
        broad,
        bodies,
        colliders,
        graph,
        containers,
        joints,
        articulations,
        broken,
        batches,
        contacts,
        continuous,
        disturbed,
        logic,
        sleepy,
        sleep_memory,
        report,
        solved
    ],
    value: [config, materials, method, last_dt, has_queried, step_index, time],
});

impl Clone for Snapshot {
    fn clone(&self) -> Self {
        let mut copy = Self::default();
        copy.copy_from(self);
        copy
    }

    fn clone_from(&mut self, source: &Self) {
        self.copy_from(source);
    }
}

impl Snapshot {
    /// Number of the step that a world restored from it takes next.
    pub fn step_index(&self) -> u64 {
        self.step_index
    }

    /// Simulated time when it was taken, s.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Bodies of any kind.
    pub fn body_count(&self) -> usize {
        self.bodies.count()
    }

    /// True for one that nothing was taken into.
    pub fn is_empty(&self) -> bool {
        self.config.is_none()
    }

    /// Memory that it holds, bytes: with room for what its world had room for, without shapes, which it shares.
    pub fn bytes(&self) -> usize {
        size_of::<Self>() + self.heap_bytes()
    }
}

impl World {
    /// The state of the world, to go back to with [`World::restore`]; between steps only, as a step borrows the world.
    ///
    /// ```
    /// use drystone::math::{Pose, Vector3};
    /// use drystone::{BodySpec, ColliderSpec, Shape, World, WorldConfig};
    /// let mut world = World::new(WorldConfig::default())?;
    /// let cube = || ColliderSpec::new(Shape::cuboid(Vector3::repeat(0.5)).expect("positive"));
    /// world.add_body(BodySpec::fixed().collider(cube()))?;
    /// let box_ = world.add_body(BodySpec::dynamic().pose(Pose::at(0.2, 2.0, 0.0)).collider(cube()))?;
    /// for _ in 0..30 {
    ///     world.step(1.0 / 60.0)?;
    /// }
    /// let snapshot = world.snapshot();
    /// let run = |world: &mut World| {
    ///     let steps = (0..60).map(|_| world.step(1.0 / 60.0).map(drop).map(|()| world.state_hash()));
    ///     steps.collect::<Result<Vec<u64>, _>>()
    /// };
    /// let first = run(&mut world)?;
    /// world.remove_body(box_)?;
    /// world.restore(&snapshot)?;
    /// assert_eq!(run(&mut world)?, first, "as if nothing had happened");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn snapshot(&self) -> Snapshot {
        let mut snapshot = Snapshot::default();
        self.snapshot_into(&mut snapshot);
        snapshot
    }

    /// The same into a snapshot that is there, in its memory. Asks for memory only where the world has more room than the snapshot ever had:
    /// not at all where it was taken of the same world before, and no step has asked for memory since. O(bodies + pairs near each other).
    pub fn snapshot_into(&self, snapshot: &mut Snapshot) {
        // All fields are named, so that a new one must be thought of here.
        let World {
            config,
            exec: _,
            bodies,
            materials,
            colliders,
            graph,
            containers,
            joints,
            articulations,
            broken,
            batches,
            broad,
            changes: _,
            contacts,
            seams: _,
            continuous,
            corrector: _,
            solver,
            disturbed,
            logic,
            scratch: _,
            sleep_memory,
            sleepy,
            zeroed: _,
            last_dt,
            solved,
            energy_notes: _,
            looks: _,
            has_queried,
            quarantine: _,
            report,
            step_index,
            time,
        } = self;
        if snapshot.config.as_ref() != Some(config) {
            snapshot.config = Some(config.clone());
        }
        if snapshot.materials != *materials {
            snapshot.materials.clone_from(materials);
        }
        snapshot.method = solver.method();
        solver.save_state(&mut snapshot.solver);
        broad.save_state(&mut snapshot.broad);
        snapshot.bodies.copy_from(bodies);
        snapshot.colliders.copy_from(colliders);
        snapshot.graph.copy_from(graph);
        snapshot.containers.copy_from(containers);
        snapshot.joints.copy_from(joints);
        snapshot.articulations.copy_from(articulations);
        snapshot.broken.copy_from(broken);
        snapshot.batches.copy_from(batches);
        snapshot.contacts.copy_from(contacts);
        snapshot.continuous.copy_from(continuous);
        snapshot.disturbed.copy_from(disturbed);
        snapshot.logic.copy_from(logic);
        snapshot.sleepy.copy_from(sleepy);
        snapshot.sleep_memory.copy_from(sleep_memory);
        snapshot.report.copy_from(report);
        snapshot.solved.copy_from(solved);
        (snapshot.last_dt, snapshot.has_queried) = (*last_dt, *has_queried);
        (snapshot.step_index, snapshot.time) = (*step_index, *time);
    }

    /// Puts the world back to where it was when the snapshot was taken: of this world, or of another one with the same settings, materials
    /// and method, whatever bodies either of them has. From there on it goes on with the same bits, at any number of threads.
    ///
    /// What was added since is gone, what was removed is there again, with the handle that it had. Handles issued since are void: the next
    /// additions get the same ones again, for other things. Gravity and the global force are those of then. A method of one's own
    /// ([`World::set_solver`]) must have the settings that it had, and keep what it carries ([`crate::Solver::save_state`]). Conditions of rules and
    /// motions are shared: one that changes in itself is not put back.
    ///
    /// # Errors
    /// What differs: a setting, a material, the method; or an empty snapshot. The world is as it was.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), SnapshotError> {
        let config = snapshot.config.as_ref().ok_or(SnapshotError::Empty)?;
        error::compare_settings(&self.config, config)?;
        error::compare_materials(&self.materials, &snapshot.materials)?;
        let is_same = self.solver.method() == snapshot.method;
        if !is_same || !self.solver.restore_state(&snapshot.solver) {
            return Err(SnapshotError::Method { world: self.solver.method(), snapshot: snapshot.method });
        }
        let is_known = self.broad.restore_state(&snapshot.broad);
        debug_assert!(is_known, "equal settings mean equal broad phases");
        (self.config.gravity, self.config.global_force) = (config.gravity, config.global_force);
        self.bodies.copy_from(&snapshot.bodies);
        self.colliders.copy_from(&snapshot.colliders);
        self.graph.copy_from(&snapshot.graph);
        self.containers.copy_from(&snapshot.containers);
        self.joints.copy_from(&snapshot.joints);
        self.articulations.copy_from(&snapshot.articulations);
        self.broken.copy_from(&snapshot.broken);
        self.batches.copy_from(&snapshot.batches);
        self.contacts.copy_from(&snapshot.contacts);
        self.continuous.copy_from(&snapshot.continuous);
        self.disturbed.copy_from(&snapshot.disturbed);
        self.logic.copy_from(&snapshot.logic);
        self.sleepy.copy_from(&snapshot.sleepy);
        self.sleep_memory.copy_from(&snapshot.sleep_memory);
        self.report.copy_from(&snapshot.report);
        self.solved.copy_from(&snapshot.solved);
        (self.last_dt, self.has_queried) = (snapshot.last_dt, snapshot.has_queried);
        (self.step_index, self.time) = (snapshot.step_index, snapshot.time);
        Ok(())
    }
}
