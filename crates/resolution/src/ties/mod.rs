//! Joints in sub-steps, eight at a time. (A step of the impulse method is one sub-step.)
//!
//! In: the ties of the graph ([`drystone_contact::JointConstraint`]). Out: velocities, displacements, and what the ties gave. Ties are coloured and
//! laid into lanes as contacts are (`layout`); in a sweep they come before the contacts on the way there and after them on the way back.
//!
//! - **What is locked** holds at the end of a sub-step, with the second order of the turning (`kernel`): that is the method SHAKE (Ryckaert,
//!   Ciccotti, Berendsen 1977), whose pendulums neither gain nor lose. Three places and three turns are solved jointly, each by the inverse of
//!   its own matrix.
//! - **Rows** are what else acts along a coordinate: a spring with its damper, or a motor, taken implicitly, so that no stiffness is too
//!   much; dry friction; limits, which act where a sub-step would pass them, so that nothing bounces off before it is there.
//! - **Errors are taken back by displacement**, without velocity, as overlap is (`place`): what was pulled apart does not fly.
//! - **Couplings** tie two coordinates to each other, of one tie or of two (`coupling`): gears, racks, screws, pulleys.
//! - **Locked axes of bodies** count in all of this: inverse masses are those along the world axes, and what gives way in no direction (`null_space`) is pushed in none.
//! - **What hangs together** in numbers, with unlike masses, with thin bodies or in loops is solved as one system (`sets`, `direct`) before the sweeps, and where nothing touches after them too: sweeps leave its locks alone there.
//! - **Nothing is gained** from step to step (`energy_limit`).
//!
//! Frames, arms, inertias and inverse matrices follow the bodies from sub-step to sub-step (`place` in lanes; `single` is the reference, and what is left to it). A
//! sub-step begins with what the ties gave each body in the one before, as for contacts, but for what is locked in a set: that is found anew.
#![expect(
    unsafe_code,
    reason = "calls passes that change disjoint bodies of one array, and writes disjoint ties"
)]

mod algebra;
mod block;
mod coupling;
mod direct;
mod energy_limit;
mod frames;
mod held;
mod kernel;
mod layout;
mod loops;
mod member;
mod null_space;
mod place;
mod sets;
mod single;
mod spring;
mod stiff;
mod system;
#[cfg(test)]
mod trial;
mod turns;
mod work;

pub(crate) use block::TieBlock;
pub(crate) use coupling::{over as over_couplings, scale_by as scale_couplings};
pub(crate) use direct::{MODEST, MOST as MOST_DIRECT, THIN};
pub(crate) use energy_limit::{Damped, RIPPLE, StartEnergies, has_foreign_energy};
pub(crate) use layout::TieLayout;
pub(crate) use sets::{TieSet, TieSets, Which};
pub use spring::spring_loss;
pub(crate) use stiff::{CALM, most_stiffness};
pub(crate) use work::Velocity;

use crate::sweep::Way;
use drystone_contact::{Bodies, BodyIndex, ContactGraph, SharedBodyStates};
use drystone_exec::{Exec, Shared, chunks, chunks_mut, items_mut};
use drystone_math::wide::{Isa, Kernel, Lanes};
use drystone_math::{Real, prefetch};
use layout::EMPTY;

/// Blocks per part of the preparation, and of what is written back.
const PART: usize = 8;

/// Sub-steps of a step, and the length of one, s.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cut {
    pub(crate) sub_steps: u32,
    pub(crate) h: Real,
}

/// Numbers of sub-steps that islands take in one step.
pub(crate) const RHYTHMS: usize = 3;

/// The rhythm of an item of a list in which those of each rhythm come after those of the one before, and all but the last one end there.
pub(crate) fn rhythm_at(ends: &[u32; RHYTHMS - 1], place: usize) -> usize {
    ends.iter().filter(|&&end| place >= end as usize).count()
}

/// Into what a step is cut.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TieRhythm {
    /// One for each rhythm: the ties of each come after those of the one before.
    pub(crate) cuts: [Cut; RHYTHMS],
    /// Whether bodies with one tie are not stiffened ([`stiff`]): the force turns such a body together with its place, as a pendulum, which no step is too long for. Sub-steps are
    /// short enough to do without the difference.
    pub(crate) spares_ends: bool,
    /// Whether the blocks of this step were made before and bodies moved a little since: factors of sets stay.
    pub(crate) goes_on: bool,
    /// Whether what hangs together is solved as one system.
    pub(crate) is_direct: bool,
    pub(crate) isa: Isa,
}

/// Makes the blocks of a layout.
pub(crate) fn prepare(
    blocks: &mut Vec<TieBlock>,
    sets: &mut TieSets,
    layout: &TieLayout,
    (bodies, graph): (&Bodies, &ContactGraph),
    TieRhythm { cuts, spares_ends, goes_on, is_direct, isa }: TieRhythm,
    exec: &Exec,
) {
    if layout.slots.is_empty() {
        blocks.clear();
        sets.clear(layout.offsets.len());
        return;
    }
    blocks.resize_with(layout.slots.len(), || TieBlock::NONE);
    let parts = (chunks(&layout.slots, PART), chunks(&layout.places, PART), chunks_mut(blocks, PART));
    exec.for_each_static(parts, |part, (slots, places, blocks)| {
        for (k, ((slots, own), block)) in slots.iter().zip(places).zip(blocks).enumerate() {
            lanes_of(places, k + 1).for_each(|(_, place)| prefetch(&graph.ties()[place as usize]));
            let cut = layout.cut_of(part * PART + k, &cuts);
            block.fill(bodies, graph, [slots, own], (cut, spares_ends), isa);
        }
    });
    coupling::prepare(blocks, &mut sets.places, layout, graph, &cuts);
    if is_direct {
        sets.update(blocks, layout, graph, goes_on, exec);
    } else {
        sets.clear(layout.offsets.len());
    }
}

/// A body that takes its first sub-step otherwise.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Recut {
    pub(crate) body: BodyIndex,
    /// Share of the forces of a sub-step.
    pub(crate) first: Real,
}

/// Bodies on ties whose sub-steps are not as long as in the last step, and that nothing touches: what touches them has taken the speed of half a sub-step from them by now.
pub(crate) fn recut<'a>(
    blocks: &'a [TieBlock],
    layout: &'a TieLayout,
    graph: &'a ContactGraph,
    cuts: &'a [Cut; RHYTHMS],
) -> impl Iterator<Item = Recut> + 'a {
    let changed = blocks.iter().enumerate().filter(|(_, block)| block.recut != 0);
    let lanes = changed.flat_map(|(k, block)| {
        lanes_of(&layout.places, k)
            .filter(|(lane, _)| block.recut >> lane & 1 == 1)
            .map(move |lane| (k, lane.1))
    });
    lanes.flat_map(move |(k, place)| {
        let tie = &graph.ties()[place as usize];
        let h = layout.cut_of(k, cuts).h;
        let first = 0.5 * (1.0 + tie.memory.sub_step / h);
        tie.bodies
            .into_iter()
            .filter(|&body| !energy_limit::has_points(graph, body))
            .map(move |body| Recut { body, first })
    })
}

/// Lanes of a block that have ties, and their places; none past the last block.
fn lanes_of(places: &[[u32; 8]], block: usize) -> impl Iterator<Item = (usize, u32)> + '_ {
    let lanes = places.get(block).into_iter().flatten().copied().enumerate();
    lanes.filter(|&(_, place)| place != EMPTY)
}

/// What the ties of a step are left with.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Left {
    pub(crate) ties: u32,
    /// Largest error, m.
    pub(crate) worst: Real,
    /// Ties whose error is more than [`UNSOLVED`] of their arms, and those that are turned by more than that, rad.
    pub(crate) unsolved: u32,
    pub(crate) turned: u32,
}

/// Share of the lengths of both arms, and angle, rad, up to which the error of a tie counts as none.
const UNSOLVED: Real = 0.01;

/// Writes what ties gave; returns what they are left with. `errors` is memory.
pub(crate) fn write_back(
    blocks: &[TieBlock],
    layout: &TieLayout,
    cuts: &[Cut; RHYTHMS],
    graph: &mut ContactGraph,
    errors: &mut Vec<Left>,
    exec: &Exec,
) -> Left {
    errors.clear();
    errors.resize(blocks.len().div_ceil(PART), Left::default());
    let ties = Shared::new(graph.ties_mut());
    let parts = (chunks(blocks, PART), chunks(&layout.places, PART), items_mut(&mut *errors));
    exec.for_each_static(parts, |part, (blocks, places, left)| {
        for (k, block) in blocks.iter().enumerate() {
            let cut = layout.cut_of(part * PART + k, cuts);
            for (_, place) in lanes_of(places, k + 1) {
                // SAFETY: it is in the graph, and in this part, which is ours alone.
                prefetch(unsafe { ties.get(place) });
            }
            for (lane, place) in lanes_of(places, k) {
                // SAFETY: as above: a tie is in one lane of one block.
                block.write(lane, cut, unsafe { ties.get_mut(place) });
                let stretch = block.stretch(lane);
                left.worst = left.worst.max(stretch);
                left.unsolved += u32::from(stretch > block.reach(lane) * UNSOLVED);
                left.turned += u32::from(block.turned(lane) > UNSOLVED);
            }
        }
    });
    coupling::write_back(blocks, layout, cuts, graph);
    errors.iter().fold(Left { ties: layout.count(), ..Left::default() }, |sum, own| Left {
        ties: sum.ties,
        worst: sum.worst.max(own.worst),
        unsolved: sum.unsolved + own.unsolved,
        turned: sum.turned + own.turned,
    })
}

/// What a pass over ties does.
#[derive(Clone, Copy, Debug)]
pub(crate) enum TiePass {
    WarmStart,
    Sweep(Way),
    /// Forgets what inertia ties add to their bodies; after that, in a pass of its own, [`TiePass::Stiffen`] finds it anew.
    Slacken,
    /// Finds what inertia ties add to their bodies ([`stiff`]) with the impulses of the sub-step, for [`TiePass::Place`]. A body has the same for all of its ties: they would spin up what they hold alike.
    Stiffen,
    /// Takes what strong ties leave of the turning of light bodies, where no [`TiePass::Place`] does before a solve.
    Calm,
    /// Impulses are final: they are added to those of the step. [`TiePass::Place`] does that as well.
    Note,
    /// Impulses are final; takes errors back by displacement, and makes everything ready for what follows.
    Place {
        /// Nothing comes after it.
        is_last: bool,
    },
}

impl TiePass {
    /// Ties are visited in reverse order.
    pub(crate) fn is_backward(self) -> bool {
        matches!(self, Self::Sweep(way) if way != Way::There)
    }
}

struct WarmStart<'a, 'c> {
    blocks: &'a [TieBlock],
    hot: &'a SharedBodyStates<'c>,
}

impl Kernel for WarmStart<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        for block in self.blocks {
            // SAFETY: who makes this value promises that the bodies are this pass's alone.
            unsafe { kernel::warm_start(lanes, block, self.hot) };
        }
    }
}

struct Solve<'a, 'c> {
    blocks: &'a mut [TieBlock],
    hot: &'a SharedBodyStates<'c>,
    h: Real,
    way: Way,
}

impl Kernel for Solve<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        for block in self.blocks {
            // SAFETY: as above.
            unsafe { kernel::solve(lanes, block, self.hot, self.h, self.way) };
        }
    }
}

struct Note<'a> {
    blocks: &'a mut [TieBlock],
}

impl Kernel for Note<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        for block in self.blocks {
            kernel::note(lanes, block);
        }
    }
}

struct Stiffen<'a, 'c> {
    blocks: &'a [TieBlock],
    hot: &'a SharedBodyStates<'c>,
    h: Real,
}

impl Kernel for Stiffen<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        for block in self.blocks {
            let (strongest, beyond) = place::pulled(lanes, block, self.h);
            for lane in (0..8).filter(|lane| (beyond & block.there) >> lane & 1 == 1) {
                // SAFETY: as above.
                unsafe { block.stiffen(lane, self.hot, strongest[lane], self.h) };
            }
        }
    }
}

struct Place<'a, 'c> {
    blocks: &'a mut [TieBlock],
    hot: &'a SharedBodyStates<'c>,
    h: Real,
    is_last: bool,
}

impl Kernel for Place<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        for block in self.blocks {
            // SAFETY: as above.
            unsafe {
                kernel::note(lanes, block);
                let left = place::place(lanes, block, self.hot, self.h, self.is_last);
                block.place(left, self.hot, self.h, self.is_last);
            }
        }
    }
}

/// One pass over blocks of one colour.
///
/// # Safety
/// The bodies of the blocks belong to this call alone.
pub(crate) unsafe fn over(
    pass: TiePass,
    isa: Isa,
    h: Real,
    blocks: &mut [TieBlock],
    hot: &SharedBodyStates<'_>,
) {
    match pass {
        TiePass::WarmStart => isa.run(WarmStart { blocks, hot }),
        TiePass::Sweep(way) => isa.run(Solve { blocks, hot, h, way }),
        TiePass::Note => isa.run(Note { blocks }),
        TiePass::Slacken => {
            for block in blocks.iter().filter(|block| block.has_extra != 0) {
                for lane in (0..8).filter(|lane| block.has_extra >> lane & 1 == 1) {
                    // SAFETY: passed on.
                    unsafe { block.slacken(lane, hot) };
                }
            }
        }
        TiePass::Stiffen => isa.run(Stiffen { blocks, hot, h }),
        TiePass::Calm => {
            for (block, lane) in blocks.iter().flat_map(|block| (0..8).map(move |lane| (block, lane))) {
                // SAFETY: passed on.
                unsafe { block.calm(lane, hot) };
            }
        }
        TiePass::Place { is_last } => isa.run(Place { blocks, hot, h, is_last }),
    }
}
