//! The sub-steps of a step, unit by unit.
#![expect(
    unsafe_code,
    reason = "calls passes that change disjoint bodies of one array; units and colours keep them apart"
)]

mod limit;

use super::Blocks;
use super::articulated::ArticulatedUnit;
use super::block::Block;
use super::blow::{self, Found};
use super::chain::ChainSolver;
use super::config::SubStepConfig;
use super::contacts::Contacts;
use super::crew::{Crew, MEMBERS_PER_PART};
use super::domains::Cuts;
use super::kernel::PassParams;
use super::layout::{Chains, Island, Layout, Unit};
use super::pace::Pace;
use super::passes::{Pass, Passes};
use super::push::{self, Push, move_by, stop};
use super::rest::{RestRule, are_slower, multiply};
use super::rolling::Rolling;
use super::spin::{self, Spin, Spins};
use crate::sweep::Way;
use crate::ties::{self, RHYTHMS, TieBlock, TiePass, TieSet, TieSets, Which};
use drystone_contact::{Bodies, SharedBodyStates, StepParams};
use drystone_exec::{Exec, PerWorker, chunks, chunks_mut, items, items_mut, segments, segments_mut};
use drystone_math::Real;
use drystone_math::wide::Isa;
use std::ops::Range;

/// Largest share of an overlap that one sub-step takes back.
pub(super) const MAX_RECOVERY: Real = 0.5;
/// Further solves of joints that hang together, where two did not suffice, and what is wrong by then, in units of `g h`.
const MORE_SOLVES: usize = 4;
const WRONG: f64 = 0.5;
/// Gap up to which a point counts as touching, in units of `g dt²`.
const TOUCH_GAP: Real = 0.01;

/// What a step works on.
pub(super) struct Memory<'a> {
    pub(super) blocks: &'a mut Blocks,
    pub(super) ties: &'a mut [TieBlock],
    pub(super) sets: &'a mut TieSets,
    pub(super) spins: &'a mut Spins,
    pub(super) rolling: &'a mut [Rolling],
    pub(super) pushes: &'a mut [Push],
    /// Room for what parts of the members gained in energy.
    pub(super) gains: &'a mut [f64],
    /// What was done in each unit: counted here.
    pub(super) done: &'a mut [Done],
    pub(super) chains: &'a mut PerWorker<ChainSolver>,
    /// Articulations of the units that have some.
    pub(super) articulated_units: &'a mut [Option<Box<ArticulatedUnit>>],
}

/// What was done in a unit.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Done {
    /// Sub-steps in which its contacts were solved.
    pub(super) solved: u32,
    /// Manifolds whose impulses were scaled back because the island gained energy, over all sub-steps.
    pub(super) scaled: u32,
}

/// Bounces of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Blows {
    /// All bodies are too slow for any in this step, or nothing has restitution.
    Never,
    /// None in this sub-step.
    None,
    Some,
}

/// What holds the bodies of a unit together, and those of them that spin fast.
type Tied<'w> = (&'w mut [TieBlock], &'w mut [TieSet], &'w mut [Spin]);

/// A unit with its share of the data.
struct Work<'a> {
    contacts: Contacts<'a>,
    /// Where its domains begin, of a large one.
    cuts: Cuts<'a>,
    /// Its joints, with their colours, and the first block of them.
    ties: &'a mut [TieBlock],
    tie_spans: &'a [Range<u32>],
    /// Those that are solved together.
    sets: &'a mut [TieSet],
    /// Its bodies that spin fast.
    spins: &'a mut [Spin],
    first_tie: u32,
    members: &'a [u32],
    pushes: &'a mut [Push],
    /// Room for what parts of the members of a unit that all threads share gained in energy.
    gains: &'a mut [f64],
    columns: Range<u32>,
    /// Its islands, and its first member.
    islands: &'a [Island],
    first_member: u32,
    pace: Pace,
    slack: Real,
    /// Some of its contacts have restitution.
    bounces: bool,
    rhythm: &'a Rhythm,
    /// Its articulations.
    articulated_unit: Option<&'a mut ArticulatedUnit>,
}

/// Constants of the sub-steps of islands at one pace.
#[derive(Clone, Copy)]
struct Rhythm {
    passes: Passes,
    sub_steps: u32,
    h: Real,
    /// Speed that the reference acceleration gives in a sub-step, m/s.
    speed_unit: Real,
}

impl Rhythm {
    fn new(config: &SubStepConfig, step: &StepParams, isa: Isa, pace: Pace, has_belts: bool) -> Self {
        let sub_steps = config.sub_steps_at(pace);
        let h = step.dt / sub_steps as Real;
        let params = PassParams {
            inverse_h: 1.0 / h,
            recovery: (config.recovery_rate * h).min(MAX_RECOVERY),
            recovery_limit: config.recovery_speed * h,
            band: 2.0 * config.half_band(step.length_unit()),
            touch_gap: TOUCH_GAP * step.length_unit(),
            is_blow: false,
            bounce_speed: config.restitution_threshold * step.speed_unit(),
            h,
            has_belts,
        };
        Self { passes: Passes { isa, params }, sub_steps, h, speed_unit: step.reference_acceleration * h }
    }
}

/// Constants of a step's sub-steps, and the bodies.
pub(super) struct SubSteps<'a> {
    /// Of each pace ([`Pace::rhythm`]).
    rhythms: [Rhythm; RHYTHMS],
    /// Sweeps of a sub-step, and of a round of blows.
    sweeps: u32,
    impact_sweeps: u32,
    rest: RestRule,
    layout: &'a Layout,
    hot: SharedBodyStates<'a>,
}

impl<'a> SubSteps<'a> {
    pub(super) fn new(
        config: &SubStepConfig,
        step: &StepParams,
        rest: RestRule,
        isa: Isa,
        layout: &'a Layout,
        bodies: &'a mut Bodies,
    ) -> Self {
        Self {
            rhythms: Pace::RHYTHMS.map(|pace| Rhythm::new(config, step, isa, pace, layout.has_belts)),
            sweeps: config.sweeps,
            impact_sweeps: config.impact_sweeps,
            rest,
            layout,
            hot: SharedBodyStates::new(bodies.view_mut().hot),
        }
    }

    /// The rhythm of what takes all sub-steps.
    fn fine(&self) -> &Rhythm {
        &self.rhythms[Pace::Fine.rhythm()]
    }

    /// Runs them all.
    pub(super) fn run(&self, mut memory: Memory<'_>, exec: &Exec) {
        let layout = self.layout;
        let (_, free) = memory.pushes.split_at_mut(layout.first_free as usize);
        let free_members = &layout.members[layout.first_free as usize..];
        let parts = (chunks(free_members, MEMBERS_PER_PART), chunks_mut(free, MEMBERS_PER_PART));
        exec.for_each_static(parts, |_, (members, pushes)| self.fly(members, pushes));

        if layout.kinematic.is_empty() {
            self.run_units(None, &mut memory, exec);
            return;
        }
        // Kinematic bodies move for all units at once, before them: gaps are taken where both ends are. All have one
        // rhythm then.
        for k in 0..self.fine().sub_steps {
            for &body in &layout.kinematic {
                // SAFETY: no stage runs here.
                move_by(unsafe { self.hot.record(body) }, self.fine().h);
            }
            self.run_units(Some(k), &mut memory, exec);
        }
    }

    /// Bodies without contacts.
    fn fly(&self, members: &[u32], pushes: &mut [Push]) {
        for (push, &body) in pushes.iter_mut().zip(members) {
            // SAFETY: each member is listed once, and this part is ours alone.
            let record = unsafe { self.hot.record(body) };
            push.fly(record, self.fine().sub_steps, self.fine().h);
        }
    }

    /// One sub-step of all units, or all of them: large units by all threads together, the others by one thread each.
    fn run_units(&self, only: Option<u32>, memory: &mut Memory<'_>, exec: &Exec) {
        let layout = self.layout;
        let Memory { blocks, ties, sets, spins, rolling, pushes, done, chains, articulated_units, .. } =
            memory;
        let offsets = &layout.offsets;
        let parts = (
            segments_mut(&mut blocks.four, &offsets.blocks[0]),
            segments_mut(&mut blocks.two, &offsets.blocks[1]),
            segments_mut(&mut blocks.one, &offsets.blocks[2]),
            segments_mut(&mut pushes[..layout.first_free as usize], &offsets.members),
            segments(&layout.members[..layout.first_free as usize], &offsets.members),
            segments_mut(rolling, &offsets.rolling),
            segments_mut(ties, &layout.ties.offsets),
            (segments_mut(&mut sets.list, &sets.offsets), segments_mut(&mut spins.list, &spins.offsets)),
        );
        let (
            Ok(four),
            Ok(two),
            Ok(one),
            Ok(pushes),
            Ok(members),
            Ok(rolling),
            Ok(ties),
            (Ok(sets), Ok(spins)),
        ) = parts
        else {
            debug_assert!(false, "offsets of units ascend");
            return;
        };
        let share = exec.thread_count() > 1;
        exec.for_each_dynamic_with(
            chains,
            (
                items(&layout.units),
                (items_mut(done), items_mut(articulated_units)),
                (four, two, one),
                (rolling, (ties, sets, spins)),
                pushes,
                members,
            ),
            |solver, _, (unit, (done, articulated_unit), blocks, (rolling, ties), pushes, members)| {
                if !(share && unit.is_large) {
                    let work = &mut self.work(unit, blocks, (rolling, ties), pushes, members);
                    work.articulated_unit = articulated_unit.as_deref_mut();
                    // SAFETY: units share no body that moves, and this one is ours alone.
                    unsafe { self.solve(only, work, done, solver, Crew::Alone) };
                }
            },
        );
        if !share {
            return;
        }
        let Some(solver) = chains.iter_mut().next() else { return };
        let large =
            layout.units.iter().zip(done.iter_mut()).enumerate().filter(|(_, (unit, _))| unit.is_large);
        for (k, (unit, done)) in large {
            let part = |c: usize| unit.blocks[c].start as usize..unit.blocks[c].end as usize;
            let own = unit.members.start as usize..unit.members.end as usize;
            let Blocks { four, two, one } = &mut **blocks;
            let blocks = (&mut four[part(0)], &mut two[part(1)], &mut one[part(2)]);
            let (first, last) = (offsets.rolling[k] as usize, offsets.rolling[k + 1] as usize);
            let rolling = &mut memory.rolling[first..last];
            let of_ties = &layout.ties.offsets[k..k + 2];
            let ties = &mut memory.ties[of_ties[0] as usize..of_ties[1] as usize];
            let TieSets { list, offsets: of_sets, .. } = &mut *memory.sets;
            let Spins { list: spins, offsets: of_spins, .. } = &mut *memory.spins;
            let spins = &mut spins[of_spins[k] as usize..of_spins[k + 1] as usize];
            let ties = (ties, &mut list[of_sets[k] as usize..of_sets[k + 1] as usize], spins);
            let pushes = &mut memory.pushes[own.clone()];
            let gains = &mut memory.gains[..own.len().div_ceil(MEMBERS_PER_PART)];
            let members = &layout.members[own];
            let work = &mut Work { gains, ..self.work(unit, blocks, (rolling, ties), pushes, members) };
            work.articulated_unit = memory.articulated_units[k].as_deref_mut();
            // SAFETY: units share no body that moves, and no other stage runs.
            unsafe { self.solve(only, work, done, solver, Crew::All(exec)) };
        }
    }

    /// A unit with its data.
    fn work<'w>(
        &'w self,
        unit: &Unit,
        (four, two, one): (&'w mut [Block<4, 10>], &'w mut [Block<2, 3>], &'w mut [Block<1, 1>]),
        (rolling, (ties, sets, spins)): (&'w mut [Rolling], Tied<'w>),
        pushes: &'w mut [Push],
        members: &'w [u32],
    ) -> Work<'w> {
        let spans = &self.layout.spans[unit.spans.start as usize..unit.spans.end as usize];
        let tie_spans = &self.layout.ties.spans[unit.ties.start as usize..unit.ties.end as usize];
        let first = [0, 1, 2].map(|c: usize| unit.blocks[c].start);
        let first_rolling = spans.first().map_or(0, |span| span.rolling.start);
        Work {
            contacts: Contacts { spans, four, two, one, first, rolling, first_rolling },
            cuts: self.layout.cuts.of(&unit.cuts),
            ties,
            tie_spans,
            sets,
            spins,
            first_tie: tie_spans.first().map_or(0, |span| span.start),
            members,
            pushes,
            gains: &mut [],
            columns: unit.chains.clone(),
            islands: &self.layout.islands[unit.islands.start as usize..unit.islands.end as usize],
            first_member: unit.members.start,
            pace: unit.pace,
            slack: unit.slack,
            bounces: unit.bounces,
            rhythm: &self.rhythms[unit.pace.rhythm()],
            articulated_unit: None,
        }
    }

    /// One sub-step of a unit, or all of them.
    ///
    /// # Safety
    /// The members of the unit belong to this call alone.
    unsafe fn solve(
        &self,
        only: Option<u32>,
        work: &mut Work<'_>,
        done: &mut Done,
        solver: &mut ChainSolver,
        crew: Crew<'_>,
    ) {
        let count = work.rhythm.sub_steps;
        let range = only.map_or(0..count, |k| k..k + 1);
        let was_still = work.pace == Pace::Still && range.len() > 1;
        work.sets.iter().for_each(|set| set.share(work.ties, work.first_tie));
        let mut blows = if was_still || !work.bounces { Blows::Never } else { Blows::None };
        for k in range {
            let (is_first, is_last) = (k == 0, k + 1 == count);
            // SAFETY: passed on, one after the other.
            unsafe {
                if is_first {
                    self.begin(work, crew);
                }
                if let Some(articulated_unit) = &mut work.articulated_unit {
                    articulated_unit.begin_sub_step(is_first, &self.hot);
                }
                if blows != Blows::Never {
                    blows = self.blows(is_first, work, crew);
                }
                self.solve_contacts(is_first, is_last || (is_first && was_still), work, solver, crew);
                done.scaled += self.limit_energy(is_first, blows == Blows::Some, work, crew);
                done.solved += 1;
                if is_first && was_still && self.is_at_rest(work) {
                    self.hold(work, crew);
                    return;
                }
                self.move_bodies(is_last, work, crew);
            }
        }
    }

    /// Forces of the first sub-step.
    unsafe fn begin(&self, work: &mut Work<'_>, crew: Crew<'_>) {
        let (h, isa) = (work.rhythm.h, work.rhythm.passes.isa);
        crew.visit_spins(work.spins, work.pushes, |spins, _| {
            // SAFETY: a member of the unit, listed once.
            spin::begin(spins, |spin| unsafe { self.hot.record(spin.body()) }, h, isa);
        });
        crew.visit_members(work.members, work.pushes, |push, body| {
            // SAFETY: a member of the unit, listed once.
            push.begin_step(unsafe { self.hot.record(body) });
        });
    }

    /// Bounces of a sub-step.
    unsafe fn blows(&self, is_first: bool, work: &mut Work<'_>, crew: Crew<'_>) -> Blows {
        let slow = work.rhythm.passes.params.bounce_speed * blow::SLOW_SHARE;
        // SAFETY: passed on.
        if is_first && unsafe { are_slower(slow, work.members, work.pushes, &self.hot) } {
            return Blows::Never;
        }
        for round in 0..blow::ROUNDS {
            let found = Found::nothing_yet(round);
            // SAFETY: passed on.
            unsafe { self.pass(Pass::Mark(&found), work, crew) };
            if !found.any() {
                if round == 0 {
                    return Blows::None;
                }
                break;
            }
            if round == 0 {
                crew.visit_members(work.members, work.pushes, |push, body| {
                    // SAFETY: a member of the unit, listed once.
                    push.begin_blows(unsafe { self.hot.record(body) });
                });
            }
            work.contacts.exchange();
            for (there, back) in ways(self.impact_sweeps, Way::Back) {
                // SAFETY: passed on.
                unsafe {
                    self.pass(Pass::Blow(there), work, crew);
                    self.pass(Pass::Blow(back), work, crew);
                }
            }
            work.contacts.exchange_back();
        }
        crew.visit_members(work.members, work.pushes, |push, body| {
            // SAFETY: a member of the unit, listed once.
            push.end_blows(unsafe { self.hot.record(body) });
        });
        Blows::Some
    }

    /// Velocities of a sub-step; `note`: how well contacts are solved is noted.
    unsafe fn solve_contacts(
        &self,
        is_first: bool,
        note: bool,
        work: &mut Work<'_>,
        solver: &mut ChainSolver,
        crew: Crew<'_>,
    ) {
        let back = if note { Way::LastBack } else { Way::Back };
        // SAFETY: one pass at a time.
        unsafe {
            if is_first {
                let (ties, first) = (&*work.ties, work.first_tie);
                crew.visit_sets(work.sets, |set| set.settle(ties, first, &self.hot));
                self.pass(Pass::WarmStart, work, crew);
            }
            let chains: &Chains = &self.layout.chains;
            for chain in work.columns.clone() {
                solver.solve(
                    chains.links(chain),
                    work.contacts.four,
                    work.contacts.first[0],
                    work.rhythm.speed_unit,
                    &self.hot,
                );
            }
            self.solve_sets(Which::All, work, crew);
            for (there, back) in ways(self.sweeps, back) {
                self.pass(Pass::Sweep(there), work, crew);
                if let Some(articulated_unit) = &mut work.articulated_unit {
                    articulated_unit.sweep(false, &self.hot);
                    articulated_unit.sweep(true, &self.hot);
                }
                self.pass(Pass::Sweep(back), work, crew);
            }
            self.solve_sets(Which::Untouched, work, crew);
            // Turning makes what is asked for no linear matter: where much was wrong, what is left of it is as well.
            let most = WRONG * f64::from(work.rhythm.speed_unit);
            for round in 1..=MORE_SOLVES {
                if !work.sets.iter().any(|set| set.was_wrong_by(most)) {
                    break;
                }
                self.solve_sets(Which::WrongBy(most, round == MORE_SOLVES), work, crew);
            }
        }
    }

    /// Joints that hang together, all at once.
    unsafe fn solve_sets(&self, which: Which, work: &mut Work<'_>, crew: Crew<'_>) {
        let (ties, first) = (&*work.ties, work.first_tie);
        let rhythm = (work.rhythm.h, work.rhythm.passes.isa);
        // SAFETY: sets share no body, and those of the unit belong to this call alone.
        crew.visit_sets(work.sets, |set| unsafe { set.solve(which, (ties, first), &self.hot, rhythm) });
        work.sets.iter().for_each(|set| set.write(work.ties, first));
    }

    /// Moves the bodies and takes overlap back; begins the next sub-step unless this one is the last.
    unsafe fn move_bodies(&self, is_last: bool, work: &mut Work<'_>, crew: Crew<'_>) {
        let (h, isa) = (work.rhythm.h, work.rhythm.passes.isa);
        if let Some(articulated_unit) = &mut work.articulated_unit {
            // SAFETY: passed on.
            unsafe { articulated_unit.end_sub_step(&self.hot, is_last) };
        }
        crew.visit_spins(work.spins, work.pushes, |spins, pushes| {
            // SAFETY: members of the unit, each listed once, and its push.
            let of = |spin: &Spin| unsafe { (pushes.get_mut(spin.member()), self.hot.record(spin.body())) };
            spin::turn(spins, of, (h, is_last), isa);
        });
        crew.visit_parts(work.members, work.pushes, |members, pushes| {
            // SAFETY: members of the unit, each listed once.
            unsafe { push::end_sub_step(isa, members, pushes, &self.hot, h, is_last) };
        });
        // SAFETY: passed on.
        unsafe {
            self.pass_ties(Some(TiePass::Slacken), work, crew);
            self.pass_ties(Some(TiePass::Stiffen), work, crew);
            self.pass(Pass::Place { is_last }, work, crew);
            let (ties, first) = (&*work.ties, work.first_tie);
            crew.visit_sets(work.sets, |set| set.place(ties, first, &self.hot, (h, isa)));
        }
        crew.visit_spins(work.spins, work.pushes, |spins, pushes| {
            for spin in spins {
                // SAFETY: as above.
                unsafe { spin.follow(pushes.get_mut(spin.member()), self.hot.record(spin.body())) };
            }
        });
    }

    /// True when the first sub-step left the unit as it was.
    unsafe fn is_at_rest(&self, work: &Work<'_>) -> bool {
        let (rest, slack) = (&self.rest, work.slack);
        // SAFETY: passed on.
        let are_still = unsafe { rest.are_still(slack, work.members, work.pushes, &self.hot) };
        are_still
            && rest.are_calm(slack, work.contacts.four)
            && rest.are_calm(slack, work.contacts.two)
            && rest.are_calm(slack, work.contacts.one)
    }

    /// The step of a unit at rest: it stays where it is.
    unsafe fn hold(&self, work: &mut Work<'_>, crew: Crew<'_>) {
        let count = work.rhythm.sub_steps as Real;
        multiply(work.contacts.four, count);
        multiply(work.contacts.two, count);
        multiply(work.contacts.one, count);
        work.contacts.rolling.iter_mut().for_each(|rolling| rolling.multiply(count));
        crew.visit_members(work.members, work.pushes, |_, body| {
            // SAFETY: a member of the unit, listed once.
            stop(unsafe { self.hot.record(body) });
        });
    }

    /// One pass over all joints and contacts of a unit.
    ///
    /// # Safety
    /// The bodies of the unit belong to this call alone.
    unsafe fn pass(&self, pass: Pass<'_>, work: &mut Work<'_>, crew: Crew<'_>) {
        // SAFETY: passed on, one after the other.
        unsafe {
            if pass.is_backward() {
                self.pass_contacts(pass, work, crew);
                self.pass_ties(pass.of_ties(), work, crew);
            } else {
                self.pass_ties(pass.of_ties(), work, crew);
                self.pass_contacts(pass, work, crew);
            }
        }
    }

    /// One pass over the joints of a unit.
    ///
    /// # Safety
    /// The bodies of the unit belong to this call alone.
    #[inline]
    unsafe fn pass_ties(&self, pass: Option<TiePass>, work: &mut Work<'_>, crew: Crew<'_>) {
        let Some(pass) = pass.filter(|_| !work.tie_spans.is_empty()) else { return };
        let (count, spans) = (work.tie_spans.len(), work.tie_spans);
        let (isa, h, hot) = (work.rhythm.passes.isa, work.rhythm.h, &self.hot);
        for k in 0..count {
            let span = &spans[if pass.is_backward() { count - 1 - k } else { k }];
            let range = (span.start - work.first_tie) as usize..(span.end - work.first_tie) as usize;
            // SAFETY: passed on; the ties of a span share no body that moves.
            crew.visit_ties(&mut work.ties[range], |blocks| unsafe {
                ties::over(pass, isa, h, blocks, hot);
            });
        }
        // SAFETY: passed on.
        unsafe { ties::over_couplings(pass, h, work.ties, work.first_tie, hot) };
    }

    /// One pass over all contacts of a unit.
    ///
    /// # Safety
    /// The bodies of the unit belong to this call alone.
    unsafe fn pass_contacts(&self, pass: Pass<'_>, work: &mut Work<'_>, crew: Crew<'_>) {
        let (passes, hot) = (&work.rhythm.passes, &self.hot);
        // SAFETY: passed on.
        unsafe {
            match crew {
                Crew::Alone => work.contacts.pass(pass, passes, hot),
                Crew::All(exec) => work.contacts.pass_shared(&work.cuts, pass, passes, hot, exec),
            }
        }
    }
}

/// The ways of some sweeps there and back, of which the last one ends with `last`.
fn ways(sweeps: u32, last: Way) -> impl Iterator<Item = (Way, Way)> {
    (1..=sweeps).map(move |k| (Way::There, if k == sweeps { last } else { Way::Between }))
}
