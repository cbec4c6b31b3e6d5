//! The step: a list of stages. [`World::step`] calls them in this order.
//!
//! | stage | with the default settings | where |
//! |---|---|---|
//! | begin | kinematic bodies get the velocities of their motions; no body moves | `crates/drystone/src/world/motions.rs` |
//! | bounds | boxes follow the bodies, drawn ahead along the velocities | `crates/drystone/src/world/colliders/follow.rs` |
//! | pairs | broad phase: boxes that begin and end to overlap | `crates/collision/src/broad/tree/mod.rs` |
//! | contacts | edges of the contact graph follow the pairs; narrow phase: contact points of edges with an awake body | `edges.rs`, `contacts.rs`, and what that one calls |
//! | graph | triggers, links, islands, batches | `coherence.rs`, `triggers.rs`, `seams.rs`; `crates/contact/src/graph/mod.rs`, `crates/contact/src/batches.rs` |
//! | correct | deep overlap is corrected by displacing bodies | `crates/correction/src/corrector.rs` |
//! | wake | sleepers that lost their support wake | `crates/sleeping/src/support.rs` |
//! | solve | solver: sub-steps that solve contacts and joints and move the bodies | `crates/resolution/src/sub_step/mod.rs` |
//! | finalize | bodies whose state is not finite are taken out; fast bodies stop where they would pass through something | `quarantine.rs`, `continuous/mod.rs` |
//! | sleep | bodies at rest fall asleep | `crates/sleeping/src/motion.rs` |
//! | report | touches that began, events, figures, joints that broke | `touches.rs`, `deliver.rs` |
//!
//! The paper's method moves the bodies in `begin` and none in `solve`: `docs/paper-pipeline.md`.
//!
//! Narrow phase, from the list of edges to the manifold of a pair: `contacts.rs` lists parts of 64 edges; `screen.rs` asks in lanes which pairs need a query (`gate.rs` holds what is known of each,
//! `approach.rs` how far a pair can come together in the step); `looks.rs` sorts the pairs of a part by kind; `rounds.rs` finds contacts of round shapes eight at a time, `pair.rs` those of all other pairs with what
//! `memory.rs` keeps between steps, `surfaces.rs` those with meshes and height fields.

mod approach;
mod coherence;
mod contacts;
mod continuous;
mod deliver;
mod edges;
mod energy;
mod gate;
mod looks;
mod memory;
mod pair;
mod quarantine;
mod query;
mod rounds;
mod screen;
mod seams;
mod surfaces;
mod switches;
mod touches;
mod triggers;

pub(crate) use contacts::ContactStage;
pub(crate) use continuous::Continuous;
pub(crate) use energy::EnergyNotes;
pub(crate) use quarantine::Quarantine;
pub use query::{DetectMode, Penetration};
pub(crate) use seams::Seams;
pub(crate) use switches::Zeroed;
pub(crate) use touches::Look;

use crate::WorldError;
use crate::report::{Stage, StepReport, WorstContact};
use crate::world::{Colliders, World};
use drystone_contact::{BodyIndex, StepParams, WakeCause};
use drystone_exec::{Exec, Span};
use drystone_math::Real;
use std::time::Instant;
use touches::Left;

/// Longest step that is accepted, s: beyond it thresholds in `g dt²` lose their meaning.
const MAX_STEP: Real = 1.0;

/// Words of the set of who is awake, of so many, that one part of a look at all bodies takes: below some thousand bodies asking threads
/// costs more than it gives.
fn words_per_part(words: usize) -> usize {
    if words <= 32 { words.max(1) } else { 8 }
}

/// Measures the stages of one step, for its report and, where there is one, for the recording.
///
/// A stage that has nothing to do is not measured, unless a recording names it: a reading of the clock takes longer (25 to 60 ns), and there
/// are twelve. What it takes counts to the stage before.
struct Clock<'a> {
    is_recording: bool,
    stage: Stage,
    since: Instant,
    stage_span: Span<'a>,
    step_span: Span<'a>,
}

impl<'a> Clock<'a> {
    /// Begins a step with its first stage.
    fn start(exec: &'a Exec, step: u64) -> Self {
        let (stage, since) = (Stage::Begin, Instant::now());
        let step_span = exec.span_at("step", since).numbered(step);
        let stage_span = exec.span_at(stage.name(), since);
        Self { is_recording: exec.is_recording(), stage, since, stage_span, step_span }
    }

    /// Ends the stage before and begins the next, where that one has something to do.
    fn enter(&mut self, report: &mut StepReport, stage: Stage, is_busy: bool) {
        if !is_busy && !self.is_recording {
            return;
        }
        let now = self.note(report);
        (self.stage, self.since) = (stage, now);
        self.stage_span.next_at(stage.name(), now);
    }

    /// Ends the last stage and the step.
    fn finish(self, report: &mut StepReport) {
        let now = self.note(report);
        self.stage_span.end_at(now);
        self.step_span.end_at(now);
    }

    fn note(&self, report: &mut StepReport) -> Instant {
        let now = Instant::now();
        report.stage_times[self.stage as usize] = now - self.since;
        now
    }
}

impl World {
    /// Advances the world by `dt` seconds and returns what happened.
    ///
    /// With the default settings ([`WorldConfig::fast`](crate::WorldConfig::fast)) detection comes first, and the solver moves the bodies:
    ///
    /// 1. Detection finds contact points where the bodies are, and looks ahead along their velocities.
    /// 2. Islands follow the contacts. Deep overlap is corrected by displacing bodies. Sleepers that lost their support wake.
    /// 3. The solver runs sub-steps. Each applies forces, solves contacts and joints, moves the bodies, and takes back a share of the overlap that is left.
    /// 4. Bodies whose state is not finite are taken out. Fast bodies stop where they would pass through something. Bodies at rest fall asleep.
    /// 5. Events and the report tell what happened.
    ///
    /// After a step poses and velocities are those with which the solver, or a stop on the way, left the bodies. Contacts are those that detection found at its
    /// start, with their impulses, and their gaps followed to its end.
    ///
    /// The stages with their files are listed in `docs/architecture.md`, section "The step"; the sub-steps in `docs/sub-step.md`. Of the presets only the paper's
    /// ([`WorldConfig::thesis_fast`](crate::WorldConfig::thesis_fast), [`WorldConfig::thesis_accurate`](crate::WorldConfig::thesis_accurate)) move the bodies at the start, with the
    /// velocities of the last step (S1-28), so that what is seen after a step are the poses at which contacts were found (S1-29): `docs/paper-pipeline.md`.
    ///
    /// # Errors
    /// A step that is not in (0, 1] seconds; nothing changes.
    pub fn step(&mut self, dt: Real) -> Result<&StepReport, WorldError> {
        if !(dt > 0.0 && dt <= MAX_STEP) {
            return Err(WorldError::OutOfRange {
                field: "dt",
                expected: "in (0, 1] s",
                value: f64::from(dt),
            });
        }
        let step = self.params(dt);
        self.last_dt = dt;
        // The guard borrows the workers, not the world: stages below take `&mut self`.
        let mut exec = std::mem::take(&mut self.exec);
        let load = self.bodies.view().awake.count().saturating_add(self.report.contacts);
        exec.force_serial(load < self.config.parallel_threshold);
        let mut clock = Clock::start(&exec, self.step_index);
        self.begin_report();
        self.colliders.forget_strays();
        let awake = exec.wake();

        self.take_out_broken(&exec);
        drystone_sleeping::settle_changed(&self.config.sleeping, &mut self.bodies);
        self.follow_motions(dt);
        let integrates_before_detection = self.solver.integrates_before_detection();
        if integrates_before_detection {
            self.note_starts();
            self.note_energies(&step);
        }
        self.solver.begin(&mut self.bodies, &self.graph, &step, &exec);
        if integrates_before_detection {
            self.take_out_broken(&exec);
            self.stop_at_impacts(&exec);
        }

        let moves = self.bodies.view().awake.has_any() || !self.disturbed.list().is_empty();
        clock.enter(&mut self.report, Stage::Bounds, moves);
        self.update_bounds(&step, &exec);

        clock.enter(&mut self.report, Stage::Pairs, self.colliders.has_changes());
        self.find_pairs(&exec);

        let has_pairs = self.has_pairs();
        clock.enter(&mut self.report, Stage::Contacts, has_pairs);
        let outcome = self.after_broad_phase();
        self.find_contacts(&step, &exec);

        clock.enter(&mut self.report, Stage::Graph, has_pairs || !self.disturbed.list().is_empty());
        self.after_narrow_phase(&step);
        self.after_contact_determination(&exec);

        clock.enter(&mut self.report, Stage::Correct, has_pairs || integrates_before_detection);
        self.solver.correct_joints(&mut self.bodies, &mut self.graph, &self.batches, &step, &exec);
        if self.config.correction.enabled && !self.batches.list().is_empty() {
            let config = &self.config.correction.config;
            // Links are where their joints have them: what overlaps them is displaced alone.
            self.articulations.lend_masses(&mut self.bodies);
            self.report.correction = self.corrector.correct(
                config,
                &mut self.bodies,
                &mut self.graph,
                &self.batches,
                &step,
                &exec,
            );
            self.articulations.give_back_masses(&mut self.bodies);
        }

        clock.enter(&mut self.report, Stage::Wake, self.config.sleeping.enabled);
        self.wake_unsupported(&step, &exec);
        self.wake_sleepy_groups(&exec);

        let is_awake = self.bodies.view().awake.has_any();
        clock.enter(&mut self.report, Stage::Solve, is_awake);
        self.begin_switches(&step);
        self.foresee_hits();
        let decides_sleep = self.solver.decides_sleep();
        if decides_sleep {
            self.note_awake();
        }
        if !integrates_before_detection {
            self.note_energies(&step);
        }
        let articulations = &mut self.articulations;
        let (bodies, graph) = (&mut self.bodies, &mut self.graph);
        self.report.solver = if articulations.count() == 0 {
            self.solver.solve(bodies, graph, &self.batches, &step, &exec)
        } else {
            self.solver.solve_articulated(articulations, bodies, graph, &self.batches, &step, &exec)
        };
        self.solved.note(self.bodies.view().awake, &step);
        let frozen = if decides_sleep { self.follow_frozen(&step) } else { 0 };
        self.end_switches();

        clock.enter(&mut self.report, Stage::Finalize, is_awake);
        self.take_out_broken(&exec);
        self.forget_broken_contacts();
        self.judge_energies(&step);
        self.stop_at_impacts(&exec);

        clock.enter(&mut self.report, Stage::Sleep, self.config.sleeping.enabled);
        self.report.fell_asleep = frozen + self.let_sleep(&step).fell_asleep;
        if self.articulations.count() > 0 {
            self.articulations.follow_sleep(&self.bodies);
        }
        // Correction may have moved what now sleeps: its boxes and contacts follow once more.
        for &body in &self.scratch {
            if self.bodies.is_asleep(body) {
                self.disturbed.insert(body);
            }
        }
        self.bodies.clear_forces();
        self.follow_composites();

        clock.enter(&mut self.report, Stage::Report, true);
        let left = self.look_at_contacts(&exec);
        drop(awake);
        self.time = self.logic.timers.advance(dt);
        self.finish_report(&left);
        let broke = self.break_joints(dt);
        self.step_index += 1;
        clock.finish(&mut self.report);
        self.exec = exec;
        outcome.and(broke).map(|()| &self.report)
    }

    /// Whether there are pairs of colliders to look at, triggers included, or such begin, end, or are screened anew in this step.
    fn has_pairs(&self) -> bool {
        let has_edges = self.graph.edge_count() > self.graph.tie_count();
        let is_new = !self.changes.begun.is_empty() || !self.changes.ended.is_empty();
        has_edges || is_new || self.logic.screen.is_stale() || !self.logic.triggers.is_empty()
    }

    /// Keeps the report's memory and forgets its content.
    fn begin_report(&mut self) {
        let mut quarantined = std::mem::take(&mut self.report.quarantined);
        quarantined.clear();
        let woken = std::mem::take(&mut self.report.woken);
        self.report = StepReport { step: self.step_index, quarantined, woken, ..StepReport::default() };
        // What a query found since the last step has not met the wake rules yet.
        if !std::mem::take(&mut self.has_queried) {
            self.graph.begin_step();
        }
    }

    /// Boxes of what moved, and of what was changed from outside.
    fn update_bounds(&mut self, step: &StepParams, exec: &Exec) {
        self.note_disturbed();
        let rule = Colliders::box_rule(&self.config.detection, step);
        let view = self.bodies.view();
        // A passive body has no boxes, whatever is done to it.
        let disturbed = self.disturbed.list().iter().copied().filter(|b| !view.hot[b.get()].is_passive());
        self.colliders.follow_awake(&view, &rule, exec);
        let continuous = &mut self.continuous;
        view.awake.iter().map(BodyIndex).for_each(|body| continuous.note(body, &view.pose[body.get()]));
        for body in disturbed {
            let hot = &view.hot[body.get()];
            self.colliders.follow(body, &view.pose[body.get()], [&hot.linear, &hot.angular], &rule);
            self.continuous.note(body, &view.pose[body.get()]);
        }
    }

    /// Contacts of belts learn how fast they run where they are now; costs the contacts of belts.
    fn follow_belts(&mut self) {
        let colliders = &self.colliders;
        for &belt in colliders.belts() {
            self.graph.update_linked(colliders.get(belt).body, |pair, manifold| {
                manifold.surface_velocity = colliders.surface_velocity(pair);
            });
        }
    }

    /// What was added or moved from outside wakes what it touches (S1-37): it cannot do so by a collision
    /// when it does not move. What was added asleep is looked at by the wake rules.
    fn wake_disturbed(&mut self) {
        for &body in self.disturbed.list() {
            if self.bodies.hot(body).is_dynamic() {
                // Nothing carries it as far as anyone has looked.
                if self.bodies.is_asleep(body) && self.bodies.view_mut().supports[body.get()] == 0 {
                    self.graph.mark_changed(body);
                }
                continue;
            }
            for index in self.graph.edges_of(body) {
                let edge = self.graph.edge(index);
                if edge.is_linked() {
                    self.bodies.wake(edge.other(body), WakeCause::User);
                }
            }
        }
        self.disturbed.clear();
    }

    /// Rules 5 and 6; what wakes in an island that slept as a whole gets a batch.
    fn wake_unsupported(&mut self, step: &StepParams, exec: &Exec) {
        let (config, memory) = (&self.config.sleeping, &mut self.sleep_memory);
        let woken = drystone_sleeping::wake_unsupported(config, &mut self.bodies, &self.graph, step, memory);
        if woken.support_lost + woken.floating > 0 {
            self.batches.update(&self.bodies, &self.graph, self.config.small_batch_size, exec);
        }
    }

    /// Who is awake now, for the report.
    pub(crate) fn count_awake(&mut self) {
        self.report.awake = self.bodies.view().awake.count();
        self.report.asleep = self.bodies.dynamic_count() - self.bodies.awake_dynamic_count();
    }

    /// Events, and the figures of the report.
    fn finish_report(&mut self, left: &Left) {
        self.deliver_events();
        self.count_awake();
        let name = |bodies: [BodyIndex; 2]| {
            bodies.map(|b| self.bodies.handle(b).filter(|_| self.bodies.hot(b).is_dynamic()))
        };
        let report = &mut self.report;
        report.time = self.time;
        report.bodies = self.bodies.count() as u32;
        report.edges = (self.graph.edge_count() - self.graph.tie_count()) as u32;
        // A joint counts as a point of its island.
        report.contacts = self.batches.list().iter().map(|b| b.point_count).sum::<u32>() - left.tie_count;
        report.islands = self.graph.island_count() as u32;
        report.batches = self.batches.list().len() as u32;
        report.iterations = report.solver.iterations;
        report.limit_hits = report.solver.limit_hits + u32::from(report.correction.hit_a_limit());
        report.is_solved = report.solver.is_solved() && report.energy_growth.is_none();
        report.worst_residual = report.solver.worst_residual;
        report.worst_residual_contact = report
            .solver
            .worst_bodies
            .map(|b| WorstContact { value: report.solver.worst_residual, bodies: name(b) });
        if let Some((distance, bodies)) = left.nearest
            && distance < 0.0
        {
            report.worst_overlap = -distance;
            report.worst_overlap_contact = Some(WorstContact { value: -distance, bodies: name(bodies) });
        }
        report.energy_before = report.solver.energy_before;
        report.energy_after = report.solver.energy_after;
        report.wakes = self.bodies.take_wakes();
        self.bodies.take_woken(&mut report.woken);
    }
}
