//! The collision response of S1: highest-closing-speed impulses with friction, then shock propagation.
//!
//! A step in the order of S1 (Algorithms 4 and 6, rows S1-28, S1-45): [`Solver::begin`] moves the awake
//! bodies with the velocities of the last step; after detection, correction and waking,
//! [`Solver::solve`] updates velocities with gravity damping (Algorithm 12, S1-66) and resolves each
//! batch: the global phase picks one closing contact after the other (Algorithm 9, S1-57), and when it
//! does not converge within its limit, shock propagation works upwards level by level (Algorithm 10,
//! S1-61, S1-62).
//!
//! Departures from S1, each for a reason:
//! - Contacts are reported before touch. A contact with a gap may approach as fast as closes the gap within
//!   the step; only what exceeds that counts as closing. Otherwise bodies would stop in mid-air.
//! - A contact that overlaps and is resolved separates afterwards, at most at
//!   [`ImpulseConfig::recovery_speed`]; a deep overlap is resolved for that reason alone. S1 leaves
//!   residual closing speeds below its threshold standing, and a tower then sinks by that speed until
//!   correction lifts it; in a jam between walls, which correction cannot loosen, overlap grows for ever.
//! - A contact that closes again after it was resolved gets a little more than it is asked for
//!   ([`ImpulseConfig::overshoot`]): neighbours otherwise close each other again by ever less.
//! - Sticking contacts are held and brought back (see `hold`): S1's friction acts only while a contact
//!   closes, and piles creep.
//! - A bounce has the height that the speed at the place of the impact gives it, not the speed at the end of
//!   the step (see `crate::bounce`).
//! - Gravity damping is for bodies in contact: S1's rule looks at the motion alone, and acts at the top of a
//!   flight too.
//! - Joints, which S1 does not have, are solved in turns with the contacts of their batch (see `rounds`).
//! - As an option no impulse adds energy: what would is scaled back, or resolved jointly with what closes beside it (see `joint`).
//! - As an option a step begins with last step's impulses and may lower them (see `accumulate`).
//! - A sliding contact's friction acts against its slip, not along the tangential part of the static trial
//!   (S1-56): where the collision matrix couples both (box corners) blocks slide with 92 % of their friction.
//! - Levels for shock propagation count contacts that carry (see `levels`); in S1 walls carry too.
//! - The impulse is found in world axes instead of contact coordinates (the same equations, S1-52..56,
//!   without changing the basis).
//! - "Affected contacts" (S1-64) are kept per body, not per contact: the union of two bodies' lists is the
//!   contact's list, at a fraction of the memory.
//! - Collision matrices are computed when a contact is first resolved, still at most once per contact and
//!   set of masses: most contacts of a resting pile never are.

#![expect(unsafe_code, reason = "hands every batch the records of its joints' bodies")]

mod accumulate;
mod batch;
mod config;
mod hold;
mod integrate;
mod joint;
mod levels;
pub mod order;
mod patch;
mod resolve;
mod rounds;
mod row;
mod shock;
mod speeds;

pub use config::ImpulseConfig;
pub use order::{
    ColourSweep, ContactOrder, Direction, FallingBar, FirstFound, HighestClosingSpeed, HighestImpulse,
    LevelSweep, OrderedContact,
};

use crate::integrate::move_bodies;
use crate::step_ties::{StepTies, TieParts};
use crate::strike::{StrikeRule, Strikes};
use crate::ties::{TieBlock, TieSet};
use crate::{Solver, SolverReport};
use batch::{BatchSolver, BodyResult, PointResult};
use drystone_contact::{Batches, Bodies, ContactGraph, StepParams};
use drystone_exec::{Exec, PerWorker, segments_mut};
use speeds::StepSpeeds;
use std::ops::Range;

/// S1's pipeline as an [`Solver`], with a contact order of choice.
#[derive(Debug)]
pub struct ImpulseSolver<O: ContactOrder = HighestClosingSpeed> {
    /// Settings; checked by [`ImpulseConfig::validate`] where they enter.
    pub config: ImpulseConfig,
    order: O,
    solvers: PerWorker<BatchSolver<O>>,
    bodies: Vec<BodyResult>,
    points: Vec<PointResult>,
    reports: Vec<SolverReport>,
    body_offsets: Vec<u32>,
    point_offsets: Vec<u32>,
    ties: StepTies,
    /// First block and first set of joints of each of the small batches, and the ends.
    tie_offsets: [Vec<u32>; 2],
    strikes: Strikes,
}

impl ImpulseSolver<HighestClosingSpeed> {
    /// The method with S1's order.
    pub fn new(config: ImpulseConfig) -> Self {
        Self::with_order(config, HighestClosingSpeed::default())
    }
}

impl<O: ContactOrder> ImpulseSolver<O> {
    /// The method with an order of one's own.
    pub fn with_order(config: ImpulseConfig, order: O) -> Self {
        let solvers = PerWorker::new(&Exec::serial(), || BatchSolver::new(order.clone()));
        Self {
            config,
            order,
            solvers,
            bodies: Vec::new(),
            points: Vec::new(),
            reports: Vec::new(),
            body_offsets: Vec::new(),
            point_offsets: Vec::new(),
            ties: StepTies::default(),
            tie_offsets: [Vec::new(), Vec::new()],
            strikes: Strikes::default(),
        }
    }

    /// In worlds with joints sleepers that are struck wake before the step is solved, with all that joints hold to them: a tie takes what sleeps for
    /// immovable. What a weaker push wakes in the middle of a step is held by its joints from the next step on.
    fn wake_struck(
        &mut self,
        bodies: &mut Bodies,
        graph: &ContactGraph,
        batches: &Batches,
        step: &StepParams,
    ) -> u32 {
        let speed = self.config.restitution_threshold * step.speed_unit();
        let rule = StrikeRule { wake: speed, bounce: speed, open: 0.0 };
        self.strikes.wake(rule, bodies, graph, batches, step)
    }

    /// Room for the results of all batches, and where each batch writes them.
    fn lay_out(&mut self, bodies: &Bodies, batches: &Batches, exec: &Exec) {
        let order = &self.order;
        self.solvers.resize(exec, || BatchSolver::new(order.clone()));
        self.body_offsets.clear();
        self.point_offsets.clear();
        self.reports.clear();
        // There may be as many batches as bodies, later than any warm-up.
        let most = bodies.capacity() + 1;
        self.body_offsets.reserve(most);
        self.point_offsets.reserve(most);
        self.reports.reserve(most);
        for offsets in &mut self.tie_offsets {
            offsets.clear();
            offsets.reserve(most);
        }
        let (mut body, mut point, mut largest) = (0u32, 0u32, (0u32, 0u32, 0u32));
        for batch in batches.list() {
            self.body_offsets.push(body);
            self.point_offsets.push(point);
            let body_count = batches.bodies(batch).len() as u32;
            body += body_count;
            point += batch.point_count;
            let edge_count = batches.edges(batch).len() as u32;
            largest =
                (largest.0.max(body_count), largest.1.max(edge_count), largest.2.max(batch.point_count));
        }
        self.body_offsets.push(body);
        self.point_offsets.push(point);
        self.bodies.clear();
        self.bodies.resize(body as usize, BodyResult::default());
        self.points.clear();
        self.points.resize(point as usize, PointResult::default());
        self.reports.resize(batches.list().len(), SolverReport::default());
        for solver in self.solvers.iter_mut() {
            solver.reserve(bodies.capacity(), largest.0 as usize, largest.1 as usize, largest.2 as usize);
        }
    }

    /// Solves all batches: large ones handed out one at a time, largest first, small ones split evenly
    /// (S1-72, code snippet 3).
    fn solve(
        &mut self,
        bodies: &Bodies,
        graph: &ContactGraph,
        batches: &Batches,
        step: &StepParams,
        exec: &Exec,
    ) {
        let speeds = StepSpeeds::new(&self.config, step);
        let config = &self.config;
        let large = batches.large_count();
        let (large_list, small_list) = batches.list().split_at(large);
        let (large_reports, small_reports) = self.reports.split_at_mut(large);
        let body_split = self.body_offsets[large];
        let point_split = self.point_offsets[large];
        let (large_bodies, small_bodies) = self.bodies.split_at_mut(body_split as usize);
        let (large_points, small_points) = self.points.split_at_mut(point_split as usize);
        // The offsets of the small half count from its own start.
        let (large_body_offsets, large_point_offsets) =
            (&self.body_offsets[..=large], &self.point_offsets[..=large]);
        let TieParts { blocks, sets, offsets: tie_offsets, ranges, common } = self.ties.parts(step.dt);
        let work = |solver: &mut BatchSolver<O>, (batch, bodies_out, points_out, report, ties): Work<'_>| {
            let (range, blocks, sets) = ties;
            // SAFETY: batches share no body that moves, and each is one part.
            let tied = &mut unsafe { common.tied(range, blocks, sets) };
            *report =
                solver.solve(config, &speeds, bodies, graph, batches, batch, tied, bodies_out, points_out);
        };
        let (large_ranges, small_ranges) = ranges.split_at(large);
        let [block_split, set_split] = tie_offsets.map(|offsets| offsets[large]);
        let (large_blocks, small_blocks) = blocks.split_at_mut(block_split as usize);
        let (large_sets, small_sets) = sets.split_at_mut(set_split as usize);
        if let (Ok(body_parts), Ok(point_parts), Ok(block_parts), Ok(set_parts)) = (
            segments_mut(large_bodies, large_body_offsets),
            segments_mut(large_points, large_point_offsets),
            segments_mut(large_blocks, &tie_offsets[0][..=large]),
            segments_mut(large_sets, &tie_offsets[1][..=large]),
        ) {
            let parts = (
                drystone_exec::items(large_list),
                body_parts,
                point_parts,
                drystone_exec::items_mut(large_reports),
                (drystone_exec::items(large_ranges), block_parts, set_parts),
            );
            exec.for_each_dynamic_with(&mut self.solvers, parts, |solver, _, part| work(solver, part));
        }
        let shifted = |offsets: &mut Vec<u32>, start: u32| {
            offsets.drain(..large);
            offsets.iter_mut().for_each(|o| *o -= start);
        };
        shifted(&mut self.body_offsets, body_split);
        shifted(&mut self.point_offsets, point_split);
        for (own, all) in self.tie_offsets.iter_mut().zip(tie_offsets) {
            own.clear();
            own.extend(all[large..].iter().map(|offset| offset - all[large]));
        }
        if let (Ok(body_parts), Ok(point_parts), Ok(block_parts), Ok(set_parts)) = (
            segments_mut(small_bodies, &self.body_offsets),
            segments_mut(small_points, &self.point_offsets),
            segments_mut(small_blocks, &self.tie_offsets[0]),
            segments_mut(small_sets, &self.tie_offsets[1]),
        ) {
            let parts = (
                drystone_exec::items(small_list),
                body_parts,
                point_parts,
                drystone_exec::items_mut(small_reports),
                (drystone_exec::items(small_ranges), block_parts, set_parts),
            );
            exec.for_each_static_with(&mut self.solvers, parts, |solver, _, part| work(solver, part));
        }
    }

    /// Writes velocities and impulses back and wakes what was struck (S1-39), in batch order.
    fn write_back(&self, bodies: &mut Bodies, graph: &mut ContactGraph, batches: &Batches) {
        let (mut results, mut found) = (self.bodies.iter(), self.points.iter());
        for batch in batches.list() {
            for (&body, result) in batches.bodies(batch).iter().zip(&mut results) {
                if result.is_woken {
                    bodies.wake(body, drystone_contact::WakeCause::Impact);
                }
                if result.is_awake {
                    let hot = &mut bodies.view_mut().hot[body.get()];
                    (hot.linear, hot.angular) = (result.linear, result.angular);
                    hot.apply_locks();
                }
            }
            for &edge in batches.edges(batch) {
                let points = graph.edges_mut()[edge.get()].manifold.points_mut();
                for (point, result) in points.iter_mut().zip(&mut found) {
                    (point.impulse, point.accumulated_slip) = (result.impulse, result.slip);
                    point.warm_start_impulse = result.resting;
                }
            }
        }
    }
}

/// What one batch is given: itself, room for its bodies and points, its report, its joints.
type Work<'a> = (
    &'a drystone_contact::Batch,
    &'a mut [BodyResult],
    &'a mut [PointResult],
    &'a mut SolverReport,
    (&'a Range<u32>, &'a mut [TieBlock], &'a mut [TieSet]),
);

impl<O: ContactOrder> Solver for ImpulseSolver<O> {
    fn decides_sleep(&self) -> bool {
        false
    }

    fn supports_joints(&self) -> bool {
        !self.config.accumulates()
    }

    fn begin(&mut self, bodies: &mut Bodies, graph: &ContactGraph, step: &StepParams, exec: &Exec) {
        self.ties.note_start(bodies, graph, (step, true));
        move_bodies(bodies, step, exec);
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
        let mut total = SolverReport::default();
        if graph.tie_count() > 0 {
            total.woken = self.wake_struck(bodies, graph, batches, step);
        }
        integrate::update_velocities(&self.config, bodies, graph, step);
        self.ties.begin(bodies, graph, batches, step, exec);
        self.ties.note_energy(bodies, graph, (step, true), exec);
        self.lay_out(bodies, batches, exec);
        self.solve(bodies, graph, batches, step, exec);
        self.write_back(bodies, graph, batches);
        let left = self.ties.write_back(graph, exec);
        total.take_ties(&left);
        total.take_damped(&self.ties.limit_energy(bodies, graph, step));
        self.reports.iter().for_each(|r| total.merge(r));
        total
    }
}
