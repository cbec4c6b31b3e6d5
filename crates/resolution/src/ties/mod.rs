//! Joints in sub-steps, eight at a time. (A step of the impulse method is one sub-step.)
//!
//! In: the ties of the graph ([`drystone_contact::Tie`]). Out: velocities, displacements, and what the ties gave. Ties are coloured and
//! laid into lanes as contacts are (`layout`); in a sweep they come before the contacts on the way there and after them on the way back.
//!
//! - **What is locked** holds at the end of a sub-step, with the second order of the turning (`kernel`): that is the method SHAKE (Ryckaert,
//!   Ciccotti, Berendsen 1977), whose pendulums neither gain nor lose. Three places and three turns are solved jointly, each by the inverse of
//!   its own matrix.
//! - **Rows** are what else acts along a coordinate: a spring with its damper, or a motor, taken implicitly, so that no stiffness is too
//!   much; dry friction; limits, which act where a sub-step would pass them, so that nothing bounces off before it is there.
//! - **Errors are taken back by displacement**, without velocity, as overlap is (`place`): what was pulled apart does not fly.
//! - **What hangs together** in numbers, or with unlike masses, is solved as one system (`sets`, `direct`) before the sweeps, which have little left to do then.
//!
//! Frames, arms and inverse matrices follow the bodies from sub-step to sub-step (`place` in lanes; `single` is the reference, and what is left to it); inverse inertias are those of the begin of the step, as for contacts. A
//! sub-step begins with what the ties gave each body in the one before, as for contacts.
#![expect(unsafe_code, reason = "calls passes that change disjoint bodies of one array")]

mod algebra;
mod block;
mod direct;
mod frames;
mod kernel;
mod layout;
mod member;
mod place;
mod sets;
mod single;
mod stiff;
mod system;
#[cfg(test)]
mod trial;
mod turns;

pub(crate) use block::TieBlock;
pub(crate) use layout::TieLayout;
pub(crate) use sets::{TieSet, TieSets};

use crate::sweep::Way;
use drystone_contact::{Bodies, ContactGraph, EdgeIndex, HotLanes};
use drystone_exec::{Exec, chunks, chunks_mut};
use drystone_math::Real;
use drystone_math::wide::{Isa, Kernel, Lanes};
use layout::EMPTY;

/// Blocks per part of the preparation.
const PART: usize = 8;

/// Into what a step is cut.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TieRhythm {
    pub(crate) sub_steps: u32,
    /// Length of a sub-step, s.
    pub(crate) h: Real,
    /// Whether bodies with one tie are not stiffened ([`stiff`]): the force turns such a body together with its place, as a pendulum, which no step is too long for. Sub-steps are
    /// short enough to do without the difference.
    pub(crate) spares_ends: bool,
    pub(crate) isa: Isa,
}

/// Makes the blocks of a layout.
pub(crate) fn prepare(
    blocks: &mut Vec<TieBlock>,
    sets: &mut TieSets,
    layout: &TieLayout,
    (bodies, graph): (&Bodies, &ContactGraph),
    TieRhythm { sub_steps, h, spares_ends, isa }: TieRhythm,
    exec: &Exec,
) {
    if layout.slots.is_empty() {
        blocks.clear();
        sets.clear(layout.offsets.len());
        return;
    }
    let share = 1.0 / sub_steps as Real;
    blocks.resize_with(layout.slots.len(), || TieBlock::NONE);
    let parts = (chunks(&layout.slots, PART), chunks_mut(blocks, PART));
    exec.fixed(parts, |_, (slots, blocks)| {
        for (slots, block) in slots.iter().zip(blocks) {
            block.fill(bodies, graph, slots, (share, h, spares_ends), isa);
        }
    });
    sets.update(blocks, layout, graph);
}

/// Writes what ties gave; returns how many there are, and the largest error that is left, m.
pub(crate) fn write_back(
    blocks: &[TieBlock],
    layout: &TieLayout,
    sub_steps: u32,
    graph: &mut ContactGraph,
) -> (u32, Real) {
    let (mut count, mut worst): (u32, Real) = (0, 0.0);
    for (block, slots) in blocks.iter().zip(&layout.slots) {
        for (lane, &edge) in slots.iter().enumerate().filter(|(_, edge)| **edge != EMPTY) {
            if let Some(tie) = graph.tie_mut(EdgeIndex(edge)) {
                block.write(lane, sub_steps as Real, tie);
                worst = worst.max(block.stretch(lane));
                count += 1;
            }
        }
    }
    (count, worst)
}

/// What a pass over ties does.
#[derive(Clone, Copy, Debug)]
pub(crate) enum TiePass {
    WarmStart,
    Sweep(Way),
    /// Impulses are final: they are added to those of the step. Sweeps that end do that by themselves.
    Note,
    /// Takes errors back by displacement, and makes everything ready for what follows.
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
    hot: &'a HotLanes<'c>,
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
    hot: &'a HotLanes<'c>,
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

struct Place<'a, 'c> {
    blocks: &'a mut [TieBlock],
    hot: &'a HotLanes<'c>,
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
pub(crate) unsafe fn over(pass: TiePass, isa: Isa, h: Real, blocks: &mut [TieBlock], hot: &HotLanes<'_>) {
    match pass {
        TiePass::WarmStart => isa.run(WarmStart { blocks, hot }),
        TiePass::Sweep(way) => isa.run(Solve { blocks, hot, h, way }),
        TiePass::Note => isa.run(Note { blocks }),
        TiePass::Place { is_last } => isa.run(Place { blocks, hot, h, is_last }),
    }
}
