//! Sub-stepped rigid contacts: piles that neither sag nor creep, eight contacts at a time.
//!
//! A step is cut into sub-steps ("small steps", Macklin et al. 2019). Each applies forces, repeats the contact
//! impulses of the sub-step before, solves all contacts once there and once back, moves the bodies, and takes
//! overlap back by displacing them. Contacts are rigid: nothing yields in proportion to a load, so nothing
//! sags. What keeps that stable, where soft contacts are used elsewhere:
//!
//! - **Manifolds are solved jointly** (`kernel`): normal impulses by the pseudo-inverse of the manifold's own
//!   matrix, friction as one force and one torque. The order of points has no influence, so stacks do not lean.
//! - **Sweeps are symmetric**: contact by contact there, and back in exact reverse order. Remembered impulses
//!   make slow modes of a pile swing like springs; an asymmetric sweep turns their rates complex and pumps
//!   them, a symmetric one damps them. A pyramid of 30 rows set up with 5 mm of jitter drifts 84 mm in 20 s with
//!   four sweeps one way, and 0.007 mm in 60 s with two there and two back.
//! - **Overlap is taken back without velocity**, and only beyond a band in which contacts stay closed
//!   ([`SubStepConfig::contact_slop`]): otherwise rounding opens and closes them for ever.
//! - **Columns are solved directly** (`chain`), because sweeps do not reach the bending of tall ones.
//! - **Blows come first** (`blow`): what bounces in a sub-step does so before the other contacts are solved, and runs on.
//! - **New contacts start with the load above them** (`load`), so a tower set down in one piece holds.
//!
//! What makes it fast: only the first sub-step applies the warm start contact by contact, later ones repeat
//! what the contacts gave each body (the same, because arms and inertias are frozen for the step); manifolds of
//! a colour lie eight side by side (`layout`); small islands are solved from start to end by one thread, large
//! ones in domains by all (`domains`). Bits do not depend on the number of threads nor on the instruction set.
//!
//! Gaps are followed linearly in the bodies' displacement within a step. What sleeps is treated as what cannot
//! move; a sleeper that is struck wakes before the step is solved (S1-39).
//!
//! Tried and left out: leaking a share of the impulses (sags, and wakes the sway of piles); remembering only a
//! share of what changed (falls); nonsmooth conjugate gradients between sweeps (four accelerated sweeps in four
//! sub-steps hold what two sweeps in eight sub-steps hold, at the same cost and with more memory); ending sweeps
//! early when little changes (the slow modes that fell a pile change little per sweep); fewer and longer
//! sub-steps for all (the stiffness of a pile grows with the square of their number). What is taken instead: islands
//! in which nothing moves need one sub-step only (`rest`), low ones half of them (`pace`).

mod articulated;
mod block;
mod blow;
mod chain;
mod config;
mod contacts;
mod crew;
mod domains;
mod ends;
mod energy;
mod kernel;
mod layout;
mod load;
mod motion;
mod pace;
mod passes;
mod prepare;
mod push;
mod rest;
mod rolling;
mod spin;
mod units;
mod write_back;

pub use config::SubStepConfig;

use crate::articulated::Articulations;
use crate::integrate::for_parts;
use crate::strike::{StrikeRule, Strikes};
use crate::ties::{self, Cut, RHYTHMS, TieBlock, TieRhythm, TieSets};
use crate::{Solver, SolverReport};
use articulated::{Lent, Rates};
use block::Block;
use chain::ChainSolver;
use crew::MEMBERS_PER_PART;
use drystone_contact::{Batches, Bodies, BodyIndex, ContactGraph, StepParams};
use drystone_exec::{Exec, PerWorker, chunks, chunks_mut};
use drystone_math::Real;
use drystone_math::wide::Isa;
use layout::Layout;
use load::LoadEstimate;
use motion::Turn;
use pace::{Pace, PaceRule};
use prepare::Input;
use push::Push;
use rest::RestRule;
use rolling::Rolling;
use spin::Spins;
use units::{Done, Memory, SubSteps};
use write_back::Written;

/// Bodies per part of a stage.
const BODIES_PER_PART: usize = 64;
/// Blocks per part of the preparation.
const BLOCKS_PER_PART: usize = 4;

/// The sub-stepping method as an [`Solver`].
#[derive(Debug)]
pub struct SubStepSolver {
    /// Settings; checked by [`SubStepConfig::validate`] where they enter.
    pub config: SubStepConfig,
    layout: Layout,
    blocks: Blocks,
    rolling: Vec<Rolling>,
    ties: Vec<TieBlock>,
    sets: TieSets,
    spins: Spins,
    pushes: Vec<Push>,
    /// Room for what parts of the members gained in energy.
    gains: Vec<f64>,
    /// What was done in each unit.
    done: Vec<Done>,
    /// Sums over parts of the members.
    sums: Vec<f64>,
    /// What parts of the blocks tell the report.
    written: Vec<Written>,
    /// Errors that parts of the joints are left with.
    tie_errors: Vec<ties::Left>,
    loads: LoadEstimate,
    strikes: Strikes,
    chains: PerWorker<ChainSolver>,
    lent: Lent,
    isa: Isa,
}

/// Blocks of all classes.
#[derive(Debug, Default)]
struct Blocks {
    four: Vec<Block<4, 10>>,
    two: Vec<Block<2, 3>>,
    one: Vec<Block<1, 1>>,
}

impl SubStepSolver {
    /// The method with these settings.
    pub fn new(config: SubStepConfig) -> Self {
        Self::with_isa(config, Isa::best())
    }

    /// The same, with an instruction set other than the best one: for tests and measurements. All give the same
    /// bits.
    pub fn with_isa(config: SubStepConfig, isa: Isa) -> Self {
        Self {
            config,
            isa,
            layout: Layout::default(),
            blocks: Blocks::default(),
            rolling: Vec::new(),
            ties: Vec::new(),
            sets: TieSets::default(),
            spins: Spins::default(),
            pushes: Vec::new(),
            gains: Vec::new(),
            done: Vec::new(),
            sums: Vec::new(),
            written: Vec::new(),
            tie_errors: Vec::new(),
            loads: LoadEstimate::default(),
            strikes: Strikes::default(),
            chains: PerWorker::new(&Exec::serial(), ChainSolver::default),
            lent: Lent::default(),
        }
    }

    /// Makes the blocks of the layout from the manifolds.
    fn prepare(&mut self, bodies: &Bodies, graph: &ContactGraph, step: &StepParams, exec: &Exec) {
        let open = self.config.half_band(step.length_unit());
        let sub_steps = [Pace::Coarse, Pace::Fine].map(|pace| self.config.sub_steps_at(pace));
        let has_belts = self.layout.has_belts;
        let input = Input { bodies, graph, step, open, sub_steps, has_belts, isa: self.isa };
        let Blocks { four, two, one } = &mut self.blocks;
        let Layout { slots, coarse_blocks: coarse, .. } = &self.layout;
        fill_class(four, &slots[0], coarse[0], &input, exec);
        fill_class(two, &slots[1], coarse[1], &input, exec);
        fill_class(one, &slots[2], coarse[2], &input, exec);
        rolling::prepare(&mut self.rolling, &self.layout, &self.blocks, &input, exec);
        let rhythm = TieRhythm {
            cuts: self.cuts(step),
            spares_ends: false,
            goes_on: false,
            is_direct: self.config.direct_joints,
            isa: self.isa,
        };
        ties::prepare(&mut self.ties, &mut self.sets, &self.layout.ties, (bodies, graph), rhythm, exec);
    }

    /// Into what a step is cut at each rhythm.
    fn cuts(&self, step: &StepParams) -> [Cut; RHYTHMS] {
        Pace::RHYTHMS.map(|pace| {
            let sub_steps = self.config.sub_steps_at(pace);
            Cut { sub_steps, h: step.dt / sub_steps as Real }
        })
    }

    /// Carries displacements into poses.
    fn finish(&mut self, bodies: &mut Bodies, dt: Real, exec: &Exec) {
        let (layout, spins, isa) = (&self.layout, &self.spins, self.isa);
        let turn_of = |i: usize| match (layout.is_member(BodyIndex(i as u32)), spins.contains(i as u32)) {
            (false, _) => Turn::Free,
            (true, false) => Turn::Sum,
            (true, true) => Turn::Done,
        };
        for_parts(bodies, exec, |part| motion::finish(part, turn_of, dt, isa));
        let remainders = bodies.view_mut().turn_remainder;
        for spin in &self.spins.list {
            remainders[spin.body() as usize].held = spin.held();
        }
    }
}

/// Fills and prepares the blocks of one class.
fn fill_class<const P: usize, const Q: usize>(
    blocks: &mut Vec<Block<P, Q>>,
    slots: &[[layout::Slot; 8]],
    coarse: u32,
    input: &Input<'_>,
    exec: &Exec,
) {
    if blocks.capacity() < slots.len() {
        blocks.reserve(layout::usual_blocks(input.graph).max(slots.len()) - blocks.len());
    }
    blocks.resize(slots.len(), Block::EMPTY);
    // Runs of blocks, as in the sub-steps: a domain stays in the cache of the thread that fills its blocks.
    exec.for_each_static(chunks_mut(blocks, BLOCKS_PER_PART), |part, blocks| {
        let first = part * BLOCKS_PER_PART;
        // With the slots of what follows, which is fetched ahead.
        prepare::prepare_blocks(&slots[first..], blocks, (coarse as usize).saturating_sub(first), input);
    });
}

impl Solver for SubStepSolver {
    fn decides_sleep(&self) -> bool {
        false
    }

    fn integrates_before_detection(&self) -> bool {
        false
    }

    fn supports_joints(&self) -> bool {
        true
    }

    fn supports_articulations(&self) -> bool {
        true
    }

    fn solve(
        &mut self,
        bodies: &mut Bodies,
        graph: &mut ContactGraph,
        batches: &Batches,
        step: &StepParams,
        exec: &Exec,
    ) -> SolverReport {
        self.solve_articulated(&mut Articulations::default(), bodies, graph, batches, step, exec)
    }

    fn solve_articulated(
        &mut self,
        articulations: &mut Articulations,
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
            open: self.config.half_band(step.length_unit()),
        };
        let woken = self.strikes.wake(rule, bodies, graph, batches, step);
        let mut report = SolverReport { woken, ..SolverReport::default() };
        // A recording has every part of every step.
        if !exec.is_recording() && self.is_idle(articulations, bodies, batches) {
            return report;
        }
        self.lent.take_out(articulations, bodies, graph, step);
        exec.part("seed loads");
        self.loads.seed(bodies, graph, batches, step, exec);
        exec.part("lay out");
        let rest = RestRule::new(&self.config, step);
        self.layout.collect_kinematic(bodies);
        let rule = PaceRule::new(&self.config, rest, step, !self.layout.kinematic.is_empty());
        self.layout.build(bodies, graph, batches, &rule, exec);
        let rates = self.rates(step);
        self.lent.make_islands(articulations, &mut self.layout, (bodies, graph, batches), rates);
        exec.part("prepare");
        self.prepare(bodies, graph, step, exec);
        self.prepare_pushes(bodies, graph, step, exec);
        let cuts = self.cuts(step);
        self.sets.begin_step(bodies, graph, step, (&self.layout.ties, &cuts), None, exec);
        self.spins.find(&self.layout, bodies, graph, step.dt);
        report.energy_before = self.kinetic_energy(bodies, exec);
        self.chains.resize(exec, ChainSolver::default);
        let longest = self.layout.chains.longest();
        self.chains.iter_mut().for_each(|solver| solver.reserve(longest));
        self.done.clear();
        self.done.resize(self.layout.units.len(), Done::default());
        let memory = Memory {
            blocks: &mut self.blocks,
            ties: &mut self.ties,
            sets: &mut self.sets,
            spins: &mut self.spins,
            rolling: &mut self.rolling,
            pushes: &mut self.pushes,
            gains: &mut self.gains,
            done: &mut self.done,
            chains: &mut self.chains,
            articulated_units: &mut self.lent.articulated_units,
        };
        exec.part("sub-steps");
        SubSteps::new(&self.config, step, rest, self.isa, &self.layout, bodies).run(memory, exec);

        exec.part("write back");
        self.write_back(graph, step, &mut report, exec);
        let (ties, layout, errors) = (&self.ties, &self.layout.ties, &mut self.tie_errors);
        let left = ties::write_back(ties, layout, &cuts, graph, errors, exec);
        report.take_ties(&left);
        (report.direct_ties, report.coarse_ties) = (self.sets.direct_ties(), self.layout.ties.coarse_count());
        report.energy_after = self.kinetic_energy(bodies, exec);
        exec.part("finish");
        self.finish(bodies, step.dt, exec);
        let (count, mut damped) = self.lent.give_back(articulations, bodies, graph, &mut report);
        report.articulations = count;
        damped.merge(&self.sets.limit_energy(bodies, graph, step));
        report.take_damped(&damped);
        report
    }
}

impl SubStepSolver {
    /// Whether nothing is awake, nor was in the last step: nothing that is kept from step to step would change.
    fn is_idle(&self, articulations: &Articulations, bodies: &Bodies, batches: &Batches) -> bool {
        let is_asleep = batches.list().is_empty() && !bodies.view().awake.has_any();
        is_asleep && articulations.count() == 0 && self.layout.is_empty()
    }

    /// What articulations have to know of the sub-steps: islands with joints take all of them.
    fn rates(&self, step: &StepParams) -> Rates {
        let config = &self.config;
        let sub_steps = config.sub_steps_at(Pace::Fine);
        let h = step.dt / sub_steps as Real;
        Rates {
            h: f64::from(h),
            sub_steps: f64::from(sub_steps),
            open: f64::from(config.half_band(step.length_unit())),
            bounce_speed: f64::from(config.restitution_threshold * step.speed_unit()),
            recovery: f64::from((config.recovery_rate * h).min(units::MAX_RECOVERY)),
            recovery_limit: f64::from(config.recovery_speed * h),
            threshold: f64::from(config.residual_threshold * step.speed_unit()),
        }
    }

    /// What pushes the members in this step.
    fn prepare_pushes(&mut self, bodies: &Bodies, graph: &ContactGraph, step: &StepParams, exec: &Exec) {
        let members = &self.layout.members;
        self.pushes.resize(members.len(), Push::NONE);
        self.gains.resize(members.len().div_ceil(MEMBERS_PER_PART), 0.0);
        let (ends, cuts) = (&self.layout.rhythm_members, self.cuts(step));
        let parts = (chunks(members, BODIES_PER_PART), chunks_mut(&mut self.pushes, BODIES_PER_PART));
        exec.for_each_static(parts, |part, (members, pushes)| {
            let first = part * BODIES_PER_PART;
            for (k, (push, &body)) in pushes.iter_mut().zip(members).enumerate() {
                let h = cuts[ties::rhythm_at(ends, first + k)].h;
                *push = Push::new(bodies, BodyIndex(body), step, h);
            }
        });
        // Velocities are those in the middle of the last sub-step: from there to the middle of the first one is half of either.
        for change in ties::recut(&self.ties, &self.layout.ties, graph, &cuts) {
            if self.layout.is_member(change.body) {
                let member = self.layout.member_of(change.body) as usize;
                self.pushes[member].set_first(change.first);
            }
        }
        for body in self.sets.afresh().filter(|&body| self.layout.is_member(body)) {
            self.pushes[self.layout.member_of(body) as usize].begin_afresh();
        }
    }

    /// Kinetic energy of the bodies in contact, J, turned as they were when the step began.
    fn kinetic_energy(&mut self, bodies: &Bodies, exec: &Exec) -> f64 {
        let count = self.layout.first_free as usize;
        let (members, pushes) = (&self.layout.members[..count], &self.pushes[..count]);
        self.sums.clear();
        self.sums.reserve(bodies.capacity().div_ceil(BODIES_PER_PART));
        self.sums.resize(count.div_ceil(BODIES_PER_PART), 0.0);
        let parts = (
            chunks(members, BODIES_PER_PART),
            chunks(pushes, BODIES_PER_PART),
            chunks_mut(&mut self.sums, 1),
        );
        exec.for_each_static(parts, |_, (members, pushes, sum)| {
            let energy = |(&body, push): (&u32, &Push)| push.kinetic_energy(bodies.hot(BodyIndex(body)));
            sum[0] = members.iter().zip(pushes).map(energy).sum();
        });
        // The sum of nothing is -0, and that of a step without a method 0.
        self.sums.iter().sum::<f64>() + 0.0
    }
}
