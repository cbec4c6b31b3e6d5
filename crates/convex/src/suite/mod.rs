//! The suite of Schmidl and Milenkovic (S2) as a method of the engine.
//!
//! A step, after detection:
//! 1. partial sequential collisions (`bounce`): the fastest collisions one by one, within a budget; what is hit unfreezes;
//! 2. one program (`programs`) for the collisions that are left and bounce (S2-10), where there are any (S2-16);
//! 3. forces act, then one program for all contacts without bounces (S2-13);
//! 4. freezing (`freeze`): what has been still for long enough takes no part in the next step; then bodies move.
//!
//! Programs minimise the kinetic energy over impulses in the friction cone (S2-11), exactly or with the pyramid of S2-08. Each
//! connected part is a program of its own, and parts are solved side by side.
//!
//! Departures from S2, each for a reason:
//! - Contacts have gaps: one that does not close within the step counts with the speed that would close it. S2 finds contacts at touch.
//! - Collisions that neither bounce nor hit what is frozen are left to step 3, whose program does the same to them.
//! - Step 3 takes frozen bodies as fixed. In S2 they have their mass and their supports are ignored, so what rests on
//!   them sinks in. Steps 1 and 2 take them with their mass, as S2 does, so a collision can free them.
//! - Points that are far from closing are left out of a program (`SuiteConfig::slack`); what closes after it is in another one.
//!   Sums of impulses stay in the cone, and no round adds energy.
//! - What loses its support unfreezes; what nothing carries, and what the user pushes, does not freeze (`freeze`).
//! - S2 knows no kinematic bodies: what they touch or reach while they move is awake, with all that hangs together with it (`state`).
//! - Step 2 is repeated while it frees something (`SuiteConfig::impact_rounds`): contacts between frozen bodies are not in its program, so a
//!   blow frees one layer at a time, and the next one would be a wall for step 3. A plank with a frozen load then did not turn at all.
//! - Energy is looked after in every part: bounces that would add some are scaled back, single ones (S2-32) and those of a
//!   program; S2 says that its programs cannot, which holds without bounces.
//! - Variables are velocities of bodies alone for step 3 (`crate::interior`): 6 per body in place of S2's 6 per body
//!   and 4 per contact (S2-11, S2-12).
//!
//! Limits, which S2 states too (S2-30): least energy is not the law of most dissipation, and contacts that slide separate with
//! `mu` times their slip; simultaneous bounces are wrong for a row of balls beyond the budget. Surface velocities and rolling
//! friction are left out, and `SolverReport::surfaces_left_out` says of how many manifolds.
//!
//! Guarantees: impulses inside the cone; no step adds kinetic energy by impulses, to the tolerance, with `energy_safe`; equal bits at
//! any thread count. Overlap is not taken back: that is the correction's. Allocates where the general solver runs: bounces of
//! programs, pyramids, jams. Cost: 5 to 20 µs per contact and program. Choose it to have S2, or for piles that come to rest: frozen bodies cost
//! nothing.

mod bounce;
mod config;
mod freeze;
mod general;
mod programs;
mod state;

pub use config::SuiteConfig;

use bounce::Bouncer;
use drystone_contact::{Batches, Bodies, BodyIndex, ContactGraph, StepParams, WakeCause};
use drystone_exec::Exec;
use drystone_math::{AnyCarried, Carried, Real, Vector3, narrow};
use drystone_resolution::{Solver, SolverReport, apply_forces, move_bodies};
use freeze::{Freezer, StillEnergy};
use programs::{Kind, ProgramReport, Programs};
use state::{State, SuitePoint};
use std::time::{Duration, Instant};

/// Bodies from which the budget of step 1 is a share of the contacts (S2-15).
const MANY_BODIES: u32 = 50;

/// What the suite did since it was made (S2-27, S2-28).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SuiteTotals {
    /// Steps.
    pub steps: u64,
    /// Active contacts, summed over the steps.
    pub contacts: u64,
    /// Single bounces of step 1.
    pub bounces: u64,
    /// Programs of step 2, and contacts in them.
    pub collision_programs: u64,
    /// See `collision_programs`.
    pub collision_contacts: u64,
    /// Programs of step 3, and contacts in them.
    pub static_programs: u64,
    /// See `static_programs`.
    pub static_contacts: u64,
    /// Wall time of the programs of step 2, and of step 3.
    pub collision_time: Duration,
    /// See `collision_time`.
    pub static_time: Duration,
    /// Bodies frozen and unfrozen.
    pub frozen: u64,
    /// See `frozen`.
    pub unfrozen: u64,
}

/// The suite as an [`Solver`].
#[derive(Debug, Default)]
pub struct QpSuite {
    /// Settings; checked by [`SuiteConfig::validate`] where they enter.
    pub config: SuiteConfig,
    state: State,
    bouncer: Bouncer,
    programs: Programs,
    freezer: Freezer,
    totals: SuiteTotals,
}

impl QpSuite {
    /// The suite with these settings.
    pub fn new(config: SuiteConfig) -> Self {
        Self { config, ..Self::default() }
    }

    /// What it did so far.
    pub fn totals(&self) -> &SuiteTotals {
        &self.totals
    }

    /// The budget of step 1 (S2-15).
    fn budget(&self) -> u32 {
        if let Some(budget) = self.config.bounce_budget {
            return budget as u32;
        }
        let moving = self.state.bodies.iter().filter(|body| body.is_dynamic).count() as u32;
        if moving < MANY_BODIES { moving } else { self.state.points.len() as u32 / 10 }
    }

    /// Velocities of what moves, rounded, into the bodies; what was freed wakes, what stays frozen stands still.
    fn write_velocities(&mut self, bodies: &mut Bodies) -> u32 {
        let mut woken = 0;
        for body in self.state.bodies.iter().filter(|body| body.is_dynamic && !body.is_frozen) {
            if !bodies.is_awake(body.index) {
                let cause = if body.is_driven { WakeCause::Driven } else { WakeCause::Impact };
                bodies.wake(body.index, cause);
                woken += 1;
            }
            let hot = &mut bodies.view_mut().hot[body.index.get()];
            (hot.linear, hot.angular) = (narrow(&body.linear), narrow(&body.angular));
            hot.apply_locks();
        }
        woken
    }

    /// Impulses of this step into the manifolds; contacts of what is frozen have none.
    fn write_impulses(&self, graph: &mut ContactGraph) {
        for point in &self.state.points {
            let manifold = &mut graph.edges_mut()[point.edge.get()].manifold;
            let target = &mut manifold.points_mut()[point.place as usize];
            let is_active = self.state.is_active(point);
            target.impulse =
                if is_active { narrow(&point.frame.tr_mul(&point.impulse)) } else { Vector3::zeros() };
            target.warm_start_impulse = target.impulse;
        }
    }

    /// Steps 1 and 2.
    fn collide(&mut self, step: &StepParams, exec: &Exec, report: &mut SolverReport) -> ProgramReport {
        let threshold = f64::from(self.config.collision_threshold * step.speed_unit());
        let still = StillEnergy::new(&self.config);
        let budget = self.budget();
        exec.part("bounces");
        let bounced = self.bouncer.run(&self.config, &mut self.state, &still, budget, threshold);
        report.iterations += u64::from(bounced.bounces);
        report.energy_scaled += bounced.scaled;
        self.totals.bounces += u64::from(bounced.bounces);
        exec.part("collision programs");
        let slack = f64::from(self.config.slack * step.speed_unit());
        let speeds = [threshold, slack];
        let mut total = ProgramReport::default();
        let start = Instant::now();
        self.free(&still);
        for _ in 0..self.config.impact_rounds {
            let solved = self.programs.run(&self.config, &mut self.state, Kind::Collision, speeds, exec);
            total.merge(&solved);
            if !self.free(&still) {
                break;
            }
        }
        self.totals.collision_time += start.elapsed();
        self.totals.collision_programs += u64::from(total.programs);
        self.totals.collision_contacts += total.contacts;
        total
    }

    /// Frees what is frozen and was struck; true when something was.
    fn free(&mut self, still: &StillEnergy) -> bool {
        let mut any = false;
        for body in self.state.bodies.iter_mut().filter(|body| body.is_frozen) {
            body.is_frozen = !still.is_struck(body);
            any |= !body.is_frozen;
        }
        any
    }

    /// Step 3: programs until nothing closes that was left out of them.
    fn hold(&mut self, step: &StepParams, exec: &Exec) -> ProgramReport {
        let unit = step.speed_unit();
        let speeds = [self.config.residual_threshold, self.config.slack].map(|share| f64::from(share * unit));
        let mut total = ProgramReport::default();
        for _ in 0..self.config.max_rounds {
            let round = self.programs.run(&self.config, &mut self.state, Kind::Static, speeds, exec);
            if round.programs == 0 {
                break;
            }
            total.merge(&round);
        }
        total
    }

    /// Active points that close faster than the threshold of the report.
    fn closing_count(&self, step: &StepParams) -> u32 {
        let threshold = f64::from(self.config.residual_threshold * step.speed_unit());
        let closes =
            |point: &&SuitePoint| self.state.is_active(point) && self.state.excess(point) > threshold;
        self.state.points.iter().filter(closes).count() as u32
    }

    /// Closing speeds at the end.
    fn judge(&self, step: &StepParams, report: &mut SolverReport) {
        let threshold = f64::from(self.config.residual_threshold * step.speed_unit());
        for point in self.state.points.iter().filter(|point| self.state.is_active(point)) {
            let left = self.state.excess(point);
            report.unsolved_points += u32::from(left > threshold);
            if left as Real > report.worst_residual {
                report.worst_residual = left as Real;
                let name = |body: u32| {
                    let body = &self.state.bodies[body as usize];
                    if body.is_dynamic { body.index } else { BodyIndex::IMMOVABLE }
                };
                report.worst_bodies = Some(point.bodies.map(name));
            }
        }
    }
}

impl Solver for QpSuite {
    fn decides_sleep(&self) -> bool {
        self.config.freeze
    }

    /// The counters of freezing; [`QpSuite::totals`] go on counting what was done.
    fn save_state(&self, state: &mut AnyCarried) {
        state.keep(&self.freezer);
    }

    fn restore_state(&mut self, state: &AnyCarried) -> bool {
        state.get::<Freezer>().map(|kept| self.freezer.copy_from(kept)).is_some()
    }

    fn solve(
        &mut self,
        bodies: &mut Bodies,
        graph: &mut ContactGraph,
        batches: &Batches,
        step: &StepParams,
        exec: &Exec,
    ) -> SolverReport {
        let mut report = SolverReport::default();
        exec.part("gather");
        self.state.gather(&self.config, bodies, graph, batches, step);
        report.surfaces_left_out = self.state.surfaces_left_out;
        report.energy_before = self.state.kinetic_energy();
        let collisions = self.closing_count(step);
        let mut solved = self.collide(step, exec, &mut report);
        report.woken = self.write_velocities(bodies);
        self.state.reload(bodies);
        report.energy_before -= self.state.kinetic_energy();
        apply_forces(bodies, step, |_, _| 1.0);
        self.state.reload(bodies);
        report.energy_before += self.state.kinetic_energy();
        report.closing_points = collisions.max(self.closing_count(step));
        exec.part("static programs");
        let start = Instant::now();
        let rested = self.hold(step, exec);
        self.totals.static_time += start.elapsed();
        solved.merge(&rested);
        report.energy_after = self.state.kinetic_energy();
        report.points = self.state.points.iter().filter(|point| self.state.is_active(point)).count() as u32;
        report.iterations += solved.iterations;
        report.limit_hits = solved.unsolved;
        report.energy_scaled += solved.scaled;
        self.judge(step, &mut report);
        exec.part("write back");
        self.write_velocities(bodies);
        self.write_impulses(graph);
        exec.part("freeze");
        let still = StillEnergy::new(&self.config);
        let frozen = if self.config.freeze {
            self.freezer.run(&self.config, &self.state, bodies, &still, step)
        } else {
            0
        };
        exec.part("move");
        move_bodies(bodies, step, exec);
        let totals = &mut self.totals;
        totals.steps += 1;
        totals.contacts += u64::from(report.points);
        totals.static_programs += u64::from(rested.programs);
        totals.static_contacts += rested.contacts;
        totals.frozen += u64::from(frozen);
        totals.unfrozen += u64::from(report.woken);
        report
    }
}
