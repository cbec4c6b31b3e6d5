//! The passes of a step over units of work.
#![expect(
    unsafe_code,
    reason = "calls kernels that change disjoint bodies of one array; colours keep them apart"
)]

use super::Blocks;
use super::block::Block;
use super::config::SubStepConfig;
use super::kernel::{self, PassParams};
use super::layout::{Layout, Span, Unit};
use super::motion::{Push, move_by};
use drystone_contact::{Bodies, HotLanes, StepParams};
use drystone_exec::{Exec, chunks, chunks_mut, items, segments, segments_mut};
use drystone_math::Real;
use drystone_math::wide::{Isa, Kernel, Lanes};
use std::ops::Range;

/// Members per part when a unit is shared by all threads.
const MEMBERS_PER_PART: usize = 256;
/// Blocks per part when a unit is shared by all threads.
const BLOCKS_PER_PART: usize = 16;
/// Largest share of an overlap that one sub-step takes back.
const MAX_RECOVERY: Real = 0.5;
/// Gap up to which a point counts as touching, in units of `g dt²`.
const TOUCH_GAP: Real = 0.01;

/// What a pass over the contacts does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pass {
    WarmStart,
    Forward,
    Backward,
    Place,
    Bounce,
}

/// Constants of a step's passes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Passes {
    isa: Isa,
    sub_steps: u32,
    h: Real,
    params: PassParams,
}

/// A unit with its share of the data.
struct Work<'a> {
    spans: &'a [Span],
    four: &'a mut [Block<4, 10>],
    two: &'a mut [Block<2, 3>],
    one: &'a mut [Block<1, 1>],
    /// First block of the unit in each class.
    first: [u32; 3],
    members: &'a [u32],
    pushes: &'a mut [Push],
}

/// Sub-steps of a unit on one thread.
struct SubSteps<'a, 'b, 'c> {
    passes: &'a Passes,
    sub_steps: Range<u32>,
    work: &'a mut Work<'b>,
    hot: &'a HotLanes<'c>,
}

impl Kernel for SubSteps<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        for k in self.sub_steps {
            // SAFETY: units share no body that moves, and this one is ours alone.
            unsafe { self.passes.sub_step(lanes, k, self.work, self.hot) };
        }
    }
}

/// A part of a pass that all threads share.
struct SharedPass<'a, 'c, const P: usize, const Q: usize> {
    passes: &'a Passes,
    pass: Pass,
    is_ground: bool,
    blocks: &'a mut [Block<P, Q>],
    hot: &'a HotLanes<'c>,
}

impl<const P: usize, const Q: usize> Kernel for SharedPass<'_, '_, P, Q> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        // SAFETY: the blocks of a span share no body that moves, and no other stage runs.
        unsafe { self.passes.pass_over(lanes, self.pass, self.is_ground, self.blocks, self.hot) };
    }
}

impl Passes {
    pub(super) fn new(config: &SubStepConfig, step: &StepParams, isa: Isa) -> Self {
        let h = step.dt / config.sub_steps as Real;
        let params = PassParams {
            inverse_h: 1.0 / h,
            recovery: (config.recovery_rate * h).min(MAX_RECOVERY),
            recovery_limit: config.recovery_speed * h,
            band: 2.0 * config.half_band(step.length_unit()),
            touch_gap: TOUCH_GAP * step.length_unit(),
        };
        Self { isa, sub_steps: config.sub_steps, h, params }
    }

    /// Runs all sub-steps.
    pub(super) fn run(
        &self,
        layout: &Layout,
        blocks: &mut Blocks,
        pushes: &mut [Push],
        bodies: &mut Bodies,
        exec: &Exec,
    ) {
        let hot = HotLanes::new(bodies.view_mut().hot);
        let (in_units, free) = pushes.split_at_mut(layout.first_free as usize);
        let free_members = &layout.members[layout.first_free as usize..];
        let parts = (chunks(free_members, MEMBERS_PER_PART), chunks_mut(free, MEMBERS_PER_PART));
        exec.fixed(parts, |_, (members, pushes)| self.fly(members, pushes, &hot));

        if layout.scripted.is_empty() {
            self.run_units(0..self.sub_steps, layout, blocks, in_units, &hot, exec);
            return;
        }
        // Scripted bodies move for all units at once, before them: gaps are taken where both ends are.
        for k in 0..self.sub_steps {
            for &body in &layout.scripted {
                // SAFETY: no stage runs here.
                move_by(unsafe { hot.record(body) }, self.h);
            }
            self.run_units(k..k + 1, layout, blocks, in_units, &hot, exec);
        }
    }

    /// Bodies without contacts.
    fn fly(&self, members: &[u32], pushes: &mut [Push], hot: &HotLanes<'_>) {
        for (push, &body) in pushes.iter_mut().zip(members) {
            // SAFETY: each member is listed once, and this part is ours alone.
            let record = unsafe { hot.record(body) };
            if !push.is_damped() {
                push.fly(record, self.sub_steps, self.h);
                continue;
            }
            for k in 0..self.sub_steps {
                push.begin_sub_step(record, k == 0);
                move_by(record, self.h);
            }
        }
    }

    /// Some sub-steps of all units: large ones by all threads together, the others by one thread each.
    fn run_units(
        &self,
        sub_steps: Range<u32>,
        layout: &Layout,
        blocks: &mut Blocks,
        pushes: &mut [Push],
        hot: &HotLanes<'_>,
        exec: &Exec,
    ) {
        let share = exec.thread_count() > 1;
        if share {
            for unit in layout.units.iter().filter(|u| u.is_large) {
                for k in sub_steps.clone() {
                    self.shared_sub_step(k, layout, unit, blocks, pushes, hot, exec);
                }
            }
        }
        let offsets = &layout.offsets;
        let parts = (
            segments_mut(&mut blocks.four, &offsets.blocks[0]),
            segments_mut(&mut blocks.two, &offsets.blocks[1]),
            segments_mut(&mut blocks.one, &offsets.blocks[2]),
            segments_mut(pushes, &offsets.members),
            segments(&layout.members, &offsets.members),
        );
        let (Ok(four), Ok(two), Ok(one), Ok(pushes), Ok(members)) = parts else {
            debug_assert!(false, "offsets of units ascend");
            return;
        };
        exec.dynamic((items(&layout.units), four, two, one, pushes, members), |_, part| {
            let (unit, four, two, one, pushes, members) = part;
            if share && unit.is_large {
                return;
            }
            let spans = &layout.spans[unit.spans.start as usize..unit.spans.end as usize];
            let first = [0, 1, 2].map(|c: usize| unit.blocks[c].start);
            let mut work = Work { spans, four, two, one, first, members, pushes };
            self.isa.run(SubSteps { passes: self, sub_steps: sub_steps.clone(), work: &mut work, hot });
        });
    }

    /// One sub-step of a unit on one thread.
    ///
    /// # Safety
    /// The members of the unit belong to this call alone.
    #[inline(always)]
    unsafe fn sub_step<L: Lanes>(&self, lanes: L, k: u32, work: &mut Work<'_>, hot: &HotLanes<'_>) {
        for (push, &body) in work.pushes.iter_mut().zip(work.members) {
            // SAFETY: a member of the unit.
            push.begin_sub_step(unsafe { hot.record(body) }, k == 0);
        }
        // SAFETY: one thread, one pass at a time.
        unsafe {
            if k == 0 {
                self.pass(lanes, Pass::WarmStart, work, hot);
            }
            self.pass(lanes, Pass::Forward, work, hot);
            self.pass(lanes, Pass::Backward, work, hot);
        }
        for &body in work.members {
            // SAFETY: a member of the unit.
            move_by(unsafe { hot.record(body) }, self.h);
        }
        // SAFETY: as above.
        unsafe {
            self.pass(lanes, Pass::Place, work, hot);
            if k + 1 == self.sub_steps {
                self.pass(lanes, Pass::Bounce, work, hot);
            }
        }
    }

    /// One pass over all contacts of a unit.
    #[inline(always)]
    unsafe fn pass<L: Lanes>(&self, lanes: L, pass: Pass, work: &mut Work<'_>, hot: &HotLanes<'_>) {
        let count = work.spans.len();
        for k in 0..count {
            let span = &work.spans[if pass == Pass::Backward { count - 1 - k } else { k }];
            let first = work.first[span.class];
            let range = (span.blocks.start - first) as usize..(span.blocks.end - first) as usize;
            // SAFETY: passed on.
            unsafe {
                match span.class {
                    0 => self.pass_over(lanes, pass, span.is_ground, &mut work.four[range], hot),
                    1 => self.pass_over(lanes, pass, span.is_ground, &mut work.two[range], hot),
                    _ => self.pass_over(lanes, pass, span.is_ground, &mut work.one[range], hot),
                }
            }
        }
    }

    /// One pass over blocks of one span.
    #[inline(always)]
    unsafe fn pass_over<L: Lanes, const P: usize, const Q: usize>(
        &self,
        lanes: L,
        pass: Pass,
        is_ground: bool,
        blocks: &mut [Block<P, Q>],
        hot: &HotLanes<'_>,
    ) {
        // SAFETY: passed on.
        unsafe {
            if is_ground {
                self.pass_with::<L, P, Q, true>(lanes, pass, blocks, hot);
            } else {
                self.pass_with::<L, P, Q, false>(lanes, pass, blocks, hot);
            }
        }
    }

    #[inline(always)]
    unsafe fn pass_with<L: Lanes, const P: usize, const Q: usize, const GROUND: bool>(
        &self,
        lanes: L,
        pass: Pass,
        blocks: &mut [Block<P, Q>],
        hot: &HotLanes<'_>,
    ) {
        let params = &self.params;
        for block in blocks {
            // SAFETY: the bodies of a block are members of the unit, and no two blocks of a colour share one.
            unsafe {
                match pass {
                    Pass::WarmStart => kernel::warm_start::<L, P, Q, GROUND>(lanes, block, hot),
                    Pass::Place => kernel::place::<L, P, Q, GROUND>(lanes, block, hot, params),
                    Pass::Forward => kernel::solve::<L, P, Q, GROUND>(lanes, block, hot, params, false),
                    Pass::Backward => kernel::solve::<L, P, Q, GROUND>(lanes, block, hot, params, true),
                    Pass::Bounce => kernel::bounce::<L, P, Q, GROUND>(lanes, block, hot, params),
                }
            }
        }
    }

    /// One sub-step of a large unit by all threads: bodies in parts, then colour after colour.
    #[allow(clippy::too_many_arguments, reason = "the data of one unit, called from one place")]
    fn shared_sub_step(
        &self,
        k: u32,
        layout: &Layout,
        unit: &Unit,
        blocks: &mut Blocks,
        pushes: &mut [Push],
        hot: &HotLanes<'_>,
        exec: &Exec,
    ) {
        let range = unit.members.start as usize..unit.members.end as usize;
        let members = &layout.members[range.clone()];
        let parts = (chunks(members, MEMBERS_PER_PART), chunks_mut(&mut pushes[range], MEMBERS_PER_PART));
        exec.fixed(parts, |_, (members, pushes)| {
            for (push, &body) in pushes.iter_mut().zip(members) {
                // SAFETY: members are listed once.
                push.begin_sub_step(unsafe { hot.record(body) }, k == 0);
            }
        });
        let spans = &layout.spans[unit.spans.start as usize..unit.spans.end as usize];
        if k == 0 {
            self.shared_pass(Pass::WarmStart, spans, blocks, hot, exec);
        }
        self.shared_pass(Pass::Forward, spans, blocks, hot, exec);
        self.shared_pass(Pass::Backward, spans, blocks, hot, exec);
        exec.fixed(chunks(members, MEMBERS_PER_PART), |_, members| {
            for &body in members {
                // SAFETY: members are listed once.
                move_by(unsafe { hot.record(body) }, self.h);
            }
        });
        self.shared_pass(Pass::Place, spans, blocks, hot, exec);
        if k + 1 == self.sub_steps {
            self.shared_pass(Pass::Bounce, spans, blocks, hot, exec);
        }
    }

    fn shared_pass(&self, pass: Pass, spans: &[Span], blocks: &mut Blocks, hot: &HotLanes<'_>, exec: &Exec) {
        for k in 0..spans.len() {
            let span = &spans[if pass == Pass::Backward { spans.len() - 1 - k } else { k }];
            let range = span.blocks.start as usize..span.blocks.end as usize;
            match span.class {
                0 => self.shared_span(pass, span.is_ground, &mut blocks.four[range], hot, exec),
                1 => self.shared_span(pass, span.is_ground, &mut blocks.two[range], hot, exec),
                _ => self.shared_span(pass, span.is_ground, &mut blocks.one[range], hot, exec),
            }
        }
    }

    fn shared_span<const P: usize, const Q: usize>(
        &self,
        pass: Pass,
        is_ground: bool,
        blocks: &mut [Block<P, Q>],
        hot: &HotLanes<'_>,
        exec: &Exec,
    ) {
        exec.fixed(chunks_mut(blocks, BLOCKS_PER_PART), |_, blocks| {
            self.isa.run(SharedPass { passes: self, pass, is_ground, blocks, hot });
        });
    }
}
