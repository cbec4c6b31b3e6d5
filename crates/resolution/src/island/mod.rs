//! Any solver of discrete problems as a method of the engine: each island's contacts are solved jointly.
//!
//! In: bodies, contact graph and batches, as for every [`Solver`], and a [`ProblemSolver`]. Out: velocities, positions,
//! impulses. A step: forces act on all awake bodies; each island becomes a problem (`assembly`), which the
//! solver solves from the impulses of the last step; bodies move with the velocities that gives. Knows no shape and
//! no solver. Start reading at [`IslandSolver`].
//!
//! Positions follow from velocities alone (Moreau's and Stewart and Trinkle's time stepping): a contact may close its gap
//! within the step, so bodies arrive without overlap, and nothing pushes apart what overlaps. What linearisation
//! leaves is the correction's to take back (`docs/architecture.md`, stage 6).
//!
//! Joints are bilateral rows of the problem, eliminated, and are solved in turns with the contacts (`tied`). From step to step bodies that hang together gain no energy, as with sub-steps
//! (`crate::ties`); within a step contacts and joints together give none (`tied`).
//!
//! Limits, which are those of a joint solve: all bounces of a step happen at once (Newton's law at each contact), so a blow
//! does not run through a row of balls as it does in a cradle. What sleeps is treated as what cannot move; a sleeper that
//! is struck wakes before the step is solved (S1-39). Each worker has memory of its own, which grows when it first meets a
//! island larger than any before: with several threads a step may allocate long after the first.
//!
//! Invariants: what cannot move is never written; the impulses reported for a body add up to the change of its momentum;
//! equal input gives equal bits at any thread count, as long as the solver keeps its promise; an island that is not
//! solved within its iterations is counted in the report.
//!
//! [`Escalation`] puts a joint solve behind a faster method, for the islands that this leaves unsolved.

#![expect(unsafe_code, reason = "hands every island the records of its joints' bodies")]

mod assembly;
mod bilateral;
mod config;
mod escalate;
mod rows;
mod tied;

pub use config::IslandSolverConfig;
pub use escalate::{Escalation, EscalationConfig, Moves};

use crate::integrate::{apply_forces, move_bodies};
use crate::problem::{Local, ProblemSolver, SolveOptions};
use crate::step_ties::{Common, StepTies, TieParts};
use crate::strike::{StrikeRule, Strikes};
use crate::ties::{TieBlock, TieSet, has_foreign_energy};
use crate::{Solver, SolverReport};
use assembly::{Assembly, BodyResult, PointResult};
use drystone_contact::{Batch, Batches, Bodies, ContactGraph, StepParams};
use drystone_exec::{Exec, PerWorker, items, items_mut, segments_mut};
use std::ops::Range;

/// A solver of discrete problems as an [`Solver`].
#[derive(Debug)]
pub struct IslandSolver<S> {
    /// Settings; checked by [`IslandSolverConfig::validate`] where they enter.
    pub config: IslandSolverConfig,
    solver: S,
    workers: PerWorker<Worker<S>>,
    strikes: Strikes,
    ties: StepTies,
    bodies: Vec<BodyResult>,
    points: Vec<PointResult>,
    reports: Vec<SolverReport>,
    body_offsets: Vec<u32>,
    point_offsets: Vec<u32>,
    /// The parts that islands with sleepers fall into.
    parts: Batches,
}

/// What solving an island takes.
#[derive(Debug)]
struct Worker<S> {
    solver: S,
    assembly: Assembly,
    /// Impulses that movers have, while joints are solved in turns with contacts.
    applied: Vec<f64>,
    /// Velocities of movers, m/s and rad/s, before these.
    begun: Vec<[Local; 2]>,
}

/// What one island is given: itself, room for its bodies and points, its report, its joints.
type Work<'a> = (&'a Batch, &'a mut [BodyResult], &'a mut [PointResult], &'a mut SolverReport, Joints<'a>);

/// Joints of an island: their colours, blocks and sets.
type Joints<'a> = (&'a Range<u32>, &'a mut [TieBlock], &'a mut [TieSet]);

/// Contact points from which an island is solved by all threads together, not by one.
const SHARED_POINTS: u32 = 512;

/// What all islands of a step are solved with.
struct Stage<'a> {
    config: &'a IslandSolverConfig,
    options: SolveOptions,
    bodies: &'a Bodies,
    graph: &'a ContactGraph,
    batches: &'a Batches,
    step: &'a StepParams,
}

impl Stage<'_> {
    /// Solves one island; with `exec` the solver may use its threads.
    fn solve<S: ProblemSolver>(
        &self,
        worker: &mut Worker<S>,
        common: &Common<'_>,
        work: Work<'_>,
        exec: Option<&Exec>,
    ) {
        let (batch, bodies, points, report, (spans, blocks, sets)) = work;
        // SAFETY: islands share no body that moves, and each is one part.
        let tied = &mut unsafe { common.tied(spans, blocks, sets) };
        let island = (self.batches.bodies(batch), self.batches.edges(batch));
        let has_joints = !tied.is_empty();
        let Worker { solver, assembly, .. } = worker;
        assembly.find_movers(self.bodies, island.0, self.step);
        tied.stiffen(assembly);
        assembly.build(self.config, self.bodies, self.graph, island.1, self.step, has_joints);
        report.energy_before = assembly.kinetic_energy();
        let threshold = f64::from(self.config.residual_threshold * self.step.speed_unit());
        if has_joints {
            let mut ties = island.1.iter().filter_map(|&edge| self.graph.tie(edge));
            let has_foreign_energy = ties.any(|tie| has_foreign_energy(tie, self.bodies));
            self.solve_tied(worker, (tied, has_foreign_energy), report, exec);
            worker.assembly.judge(threshold, report);
        } else {
            if solver.reads_global() {
                assembly.add_global();
            }
            let mut impulses = std::mem::take(&mut assembly.impulses);
            let outcome = solver.solve_on(&assembly.problem, &self.options, &mut impulses, exec);
            assembly.impulses = impulses;
            report.iterations = outcome.iterations * assembly.problem.contact_count() as u64;
            report.limit_hits = u32::from(!outcome.is_solved());
            assembly.judge(threshold, report);
            assembly.apply();
        }
        let assembly = &mut worker.assembly;
        report.energy_after = assembly.kinetic_energy();
        assembly.hand_back(self.graph, island, bodies, points);
        assembly.take_global();
    }
}

impl<S: ProblemSolver + Clone> IslandSolver<S> {
    /// The method with this solver.
    pub fn new(config: IslandSolverConfig, solver: S) -> Self {
        let workers = PerWorker::new(&Exec::serial(), || Worker::new(&solver));
        Self {
            config,
            solver,
            workers,
            strikes: Strikes::default(),
            ties: StepTies::default(),
            bodies: Vec::new(),
            points: Vec::new(),
            reports: Vec::new(),
            body_offsets: Vec::new(),
            point_offsets: Vec::new(),
            parts: Batches::default(),
        }
    }

    /// Solves these islands, on whose bodies forces have acted and whose joints were begun, and writes velocities and impulses. An island comes once, large ones first.
    fn solve_islands(
        &mut self,
        list: &[Batch],
        bodies: &mut Bodies,
        graph: &mut ContactGraph,
        batches: &Batches,
        step: &StepParams,
        exec: &Exec,
    ) -> SolverReport
    where
        S: Sync,
    {
        exec.part("solve islands");
        self.lay_out(list, batches, exec);
        let config = self.config.clone();
        let options = config.options();
        let stage = Stage { config: &config, options, bodies, graph, batches, step };
        self.solve(list, &stage, exec);
        exec.part("write back");
        self.write_back(list, bodies, graph, batches);
        let mut total = SolverReport::default();
        self.reports.iter().for_each(|report| total.merge(report));
        total
    }

    /// Room for the results of all islands, and where each writes them.
    fn lay_out(&mut self, list: &[Batch], batches: &Batches, exec: &Exec) {
        self.workers.resize(exec, || Worker::new(&self.solver));
        self.body_offsets.clear();
        self.point_offsets.clear();
        let (mut body, mut point) = (0, 0);
        for batch in list {
            self.body_offsets.push(body);
            self.point_offsets.push(point);
            body += batches.bodies(batch).len() as u32;
            point += batch.point_count;
        }
        self.body_offsets.push(body);
        self.point_offsets.push(point);
        self.bodies.clear();
        self.bodies.resize(body as usize, None);
        self.points.clear();
        self.points.resize(point as usize, PointResult::default());
        self.reports.clear();
        self.reports.resize(list.len(), SolverReport::default());
    }

    /// Solves all islands: those of many points one after the other with all threads, the others side by side.
    fn solve(&mut self, list: &[Batch], stage: &Stage<'_>, exec: &Exec) {
        let TieParts { blocks, sets, offsets, ranges, common } = self.ties.parts(stage.step.dt);
        let shared = list.iter().take_while(|batch| batch.point_count >= SHARED_POINTS).count();
        let (shared_reports, reports) = self.reports.split_at_mut(shared);
        if let Some(worker) = self.workers.iter_mut().next() {
            for (i, (batch, report)) in list.iter().zip(shared_reports).enumerate() {
                let bodies = &mut self.bodies[range(&self.body_offsets, i)];
                let points = &mut self.points[range(&self.point_offsets, i)];
                let joints = (&ranges[i], &mut blocks[range(offsets[0], i)], &mut sets[range(offsets[1], i)]);
                stage.solve(worker, &common, (batch, bodies, points, report, joints), Some(exec));
            }
        }
        let (Ok(bodies), Ok(points), Ok(blocks), Ok(sets)) = (
            segments_mut(&mut self.bodies, &self.body_offsets[shared..]),
            segments_mut(&mut self.points, &self.point_offsets[shared..]),
            segments_mut(blocks, &offsets[0][shared..]),
            segments_mut(sets, &offsets[1][shared..]),
        ) else {
            debug_assert!(false, "offsets ascend and end at the length of their lists");
            return;
        };
        let joints = (items(&ranges[shared..]), blocks, sets);
        let parts = (items(&list[shared..]), bodies, points, items_mut(reports), joints);
        exec.for_each_dynamic_with(&mut self.workers, parts, |worker, _, work| {
            stage.solve(worker, &common, work, None);
        });
    }

    /// Writes velocities and impulses back, in batch order.
    fn write_back(&self, list: &[Batch], bodies: &mut Bodies, graph: &mut ContactGraph, batches: &Batches) {
        let (mut results, mut found) = (self.bodies.iter(), self.points.iter());
        for batch in list {
            for (&body, result) in batches.bodies(batch).iter().zip(&mut results) {
                if let &Some([linear, angular]) = result {
                    let hot = &mut bodies.view_mut().hot[body.get()];
                    (hot.linear, hot.angular) = (linear, angular);
                    hot.apply_locks();
                }
            }
            for &edge in batches.edges(batch) {
                let points = graph.edges_mut()[edge.get()].manifold.points_mut();
                for (point, result) in points.iter_mut().zip(&mut found) {
                    if let Some(impulse) = result.impulse {
                        (point.impulse, point.warm_start_impulse) = (impulse, result.resting);
                    }
                }
            }
        }
    }
}

/// Entries of a list that belong to the `i`-th island.
fn range(offsets: &[u32], i: usize) -> Range<usize> {
    offsets[i] as usize..offsets[i + 1] as usize
}

impl<S: Clone> Worker<S> {
    fn new(solver: &S) -> Self {
        Self { solver: solver.clone(), assembly: Assembly::default(), applied: Vec::new(), begun: Vec::new() }
    }
}

impl<S: ProblemSolver + Clone + Sync> Solver for IslandSolver<S> {
    fn decides_sleep(&self) -> bool {
        false
    }

    fn integrates_before_detection(&self) -> bool {
        false
    }

    /// Not with a solver that needs the bodies of a problem, from which joints are eliminated.
    fn supports_joints(&self) -> bool {
        !self.solver.needs_global()
    }

    fn begin(&mut self, bodies: &mut Bodies, graph: &ContactGraph, step: &StepParams, _exec: &Exec) {
        self.ties.note_start(bodies, graph, (step, false));
    }

    fn correct_joints(
        &mut self,
        bodies: &mut Bodies,
        graph: &mut ContactGraph,
        batches: &Batches,
        step: &StepParams,
        exec: &Exec,
    ) {
        self.ties.place(bodies, graph, batches, step, exec);
    }

    fn solve(
        &mut self,
        bodies: &mut Bodies,
        graph: &mut ContactGraph,
        batches: &Batches,
        step: &StepParams,
        exec: &Exec,
    ) -> SolverReport {
        exec.part("wake struck");
        let rule = StrikeRule {
            wake: self.config.wake_threshold * step.speed_unit(),
            bounce: self.config.restitution_threshold * step.speed_unit(),
            open: 0.0,
        };
        let woken = self.strikes.wake(rule, bodies, graph, batches, step);
        let mut parts = std::mem::take(&mut self.parts);
        let has_sleepers = bodies.awake_dynamic_count() < bodies.dynamic_count();
        // Joints are those of whole islands.
        let splits = self.config.splits_at_sleepers && graph.tie_count() == 0;
        let batches = if splits && has_sleepers {
            // After the last body that wakes in this step: what still sleeps is immovable.
            parts.split_at_sleepers(batches, bodies, graph);
            &parts
        } else {
            batches
        };
        if graph.tie_count() > 0 {
            exec.part("joints");
            self.ties.begin(bodies, graph, batches, step, exec);
            self.ties.note_energy(bodies, graph, (step, false), exec);
        } else {
            self.ties.begin_without(batches.list().len());
        }
        exec.part("forces");
        apply_forces(bodies, step, |_, _| 1.0);
        let mut report = self.solve_islands(batches.list(), bodies, graph, batches, step, exec);
        report.take_ties(&self.ties.write_back(graph, exec));
        self.parts = parts;
        exec.part("move");
        move_bodies(bodies, step, exec);
        if graph.tie_count() > 0 {
            report.take_damped(&self.ties.limit_energy(bodies, graph, step));
        }
        report.woken = woken;
        report
    }
}
