//! The passes of a step over units of work.
#![expect(
    unsafe_code,
    reason = "calls kernels that change disjoint bodies of one array; colours keep them apart"
)]

use super::Blocks;
use super::block::Block;
use super::chain::ChainSolver;
use super::config::SubStepConfig;
use super::kernel::{self, PassParams};
use super::layout::{Chains, Layout, Span, Unit};
use super::motion::{Push, move_by};
use drystone_contact::{Bodies, HotLanes, StepParams};
use drystone_exec::{Exec, PerWorker, chunks, chunks_mut, items, segments, segments_mut};
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
    /// Speed that the reference acceleration gives in a sub-step, m/s.
    speed_unit: Real,
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
    chains: Columns<'a>,
}

/// Chains of a unit, and who solves them.
struct Columns<'a> {
    chains: &'a Chains,
    own: Range<u32>,
    solver: &'a mut ChainSolver,
}

impl Columns<'_> {
    /// Solves them.
    ///
    /// # Safety
    /// The bodies of the chains belong to this call alone.
    unsafe fn solve(
        &mut self,
        blocks: &mut [Block<4, 10>],
        first: u32,
        speed_unit: Real,
        hot: &HotLanes<'_>,
    ) {
        for chain in self.own.clone() {
            // SAFETY: passed on.
            unsafe { self.solver.solve(self.chains.links(chain), blocks, first, speed_unit, hot) };
        }
    }
}

/// Defines a pass over blocks as a kernel: one function for each instruction set and kind of block. (One kernel
/// for a whole sub-step would be faster by nothing and take minutes to compile.)
macro_rules! pass_kernel {
    ($name:ident, $visit:path $(, $field:ident: $type:ty)*) => {
        struct $name<'a, 'c, const P: usize, const Q: usize, const GROUND: bool> {
            blocks: &'a mut [Block<P, Q>],
            hot: &'a HotLanes<'c>,
            $($field: $type,)*
        }

        impl<const P: usize, const Q: usize, const GROUND: bool> Kernel for $name<'_, '_, P, Q, GROUND> {
            type Output = ();

            #[inline(always)]
            fn run<L: Lanes>(self, lanes: L) {
                for block in self.blocks {
                    // SAFETY: who makes this value promises that the bodies are this pass's alone, and no two
                    // blocks of a colour share one.
                    unsafe { $visit(lanes, block, self.hot $(, self.$field)*) };
                }
            }
        }
    };
}

pass_kernel!(WarmStart, kernel::warm_start::<L, P, Q, GROUND>);
pass_kernel!(Solve, kernel::solve::<L, P, Q, GROUND>, params: &'a PassParams, backward: bool);
pass_kernel!(Place, kernel::place::<L, P, Q, GROUND>, params: &'a PassParams);
pass_kernel!(Bounce, kernel::bounce::<L, P, Q, GROUND>, params: &'a PassParams);

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
        Self { isa, sub_steps: config.sub_steps, h, speed_unit: step.reference_acceleration * h, params }
    }

    /// Runs all sub-steps.
    pub(super) fn run(
        &self,
        layout: &Layout,
        blocks: &mut Blocks,
        pushes: &mut [Push],
        solvers: &mut PerWorker<ChainSolver>,
        bodies: &mut Bodies,
        exec: &Exec,
    ) {
        let hot = HotLanes::new(bodies.view_mut().hot);
        let (in_units, free) = pushes.split_at_mut(layout.first_free as usize);
        let free_members = &layout.members[layout.first_free as usize..];
        let parts = (chunks(free_members, MEMBERS_PER_PART), chunks_mut(free, MEMBERS_PER_PART));
        exec.fixed(parts, |_, (members, pushes)| self.fly(members, pushes, &hot));

        if layout.scripted.is_empty() {
            self.run_units(0..self.sub_steps, layout, blocks, in_units, solvers, &hot, exec);
            return;
        }
        // Scripted bodies move for all units at once, before them: gaps are taken where both ends are.
        for k in 0..self.sub_steps {
            for &body in &layout.scripted {
                // SAFETY: no stage runs here.
                move_by(unsafe { hot.record(body) }, self.h);
            }
            self.run_units(k..k + 1, layout, blocks, in_units, solvers, &hot, exec);
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
    #[expect(clippy::too_many_arguments, reason = "the data of all units, called from one place")]
    fn run_units(
        &self,
        sub_steps: Range<u32>,
        layout: &Layout,
        blocks: &mut Blocks,
        pushes: &mut [Push],
        solvers: &mut PerWorker<ChainSolver>,
        hot: &HotLanes<'_>,
        exec: &Exec,
    ) {
        let share = exec.thread_count() > 1;
        if share {
            for unit in layout.units.iter().filter(|u| u.is_large) {
                for k in sub_steps.clone() {
                    let Some(solver) = solvers.iter_mut().next() else { return };
                    self.shared_sub_step(k, layout, unit, blocks, pushes, solver, hot, exec);
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
        exec.dynamic_with(
            solvers,
            (items(&layout.units), four, two, one, pushes, members),
            |solver, _, part| {
                let (unit, four, two, one, pushes, members) = part;
                if share && unit.is_large {
                    return;
                }
                let spans = &layout.spans[unit.spans.start as usize..unit.spans.end as usize];
                let first = [0, 1, 2].map(|c: usize| unit.blocks[c].start);
                let chains = Columns { chains: &layout.chains, own: unit.chains.clone(), solver };
                let mut work = Work { spans, four, two, one, first, members, pushes, chains };
                for k in sub_steps.clone() {
                    // SAFETY: units share no body that moves, and this one is ours alone.
                    unsafe { self.sub_step(k, &mut work, hot) };
                }
            },
        );
    }

    /// One sub-step of a unit on one thread.
    ///
    /// # Safety
    /// The members of the unit belong to this call alone.
    unsafe fn sub_step(&self, k: u32, work: &mut Work<'_>, hot: &HotLanes<'_>) {
        for (push, &body) in work.pushes.iter_mut().zip(work.members) {
            // SAFETY: a member of the unit.
            push.begin_sub_step(unsafe { hot.record(body) }, k == 0);
        }
        // SAFETY: one thread, one pass at a time.
        unsafe {
            if k == 0 {
                self.pass(Pass::WarmStart, work, hot);
            }
            work.chains.solve(work.four, work.first[0], self.speed_unit, hot);
            self.pass(Pass::Forward, work, hot);
            self.pass(Pass::Backward, work, hot);
        }
        for &body in work.members {
            // SAFETY: a member of the unit.
            move_by(unsafe { hot.record(body) }, self.h);
        }
        // SAFETY: as above.
        unsafe {
            self.pass(Pass::Place, work, hot);
            if k + 1 == self.sub_steps {
                self.pass(Pass::Bounce, work, hot);
            }
        }
    }

    /// One pass over all contacts of a unit.
    unsafe fn pass(&self, pass: Pass, work: &mut Work<'_>, hot: &HotLanes<'_>) {
        let count = work.spans.len();
        for k in 0..count {
            let span = &work.spans[if pass == Pass::Backward { count - 1 - k } else { k }];
            let first = work.first[span.class];
            let range = (span.blocks.start - first) as usize..(span.blocks.end - first) as usize;
            // SAFETY: passed on.
            unsafe {
                match span.class {
                    0 => self.pass_over(pass, span.is_ground, &mut work.four[range], hot),
                    1 => self.pass_over(pass, span.is_ground, &mut work.two[range], hot),
                    _ => self.pass_over(pass, span.is_ground, &mut work.one[range], hot),
                }
            }
        }
    }

    /// One pass over blocks of one span.
    ///
    /// # Safety
    /// The bodies of the blocks belong to this call alone.
    unsafe fn pass_over<const P: usize, const Q: usize>(
        &self,
        pass: Pass,
        is_ground: bool,
        blocks: &mut [Block<P, Q>],
        hot: &HotLanes<'_>,
    ) {
        if is_ground {
            self.pass_with::<P, Q, true>(pass, blocks, hot);
        } else {
            self.pass_with::<P, Q, false>(pass, blocks, hot);
        }
    }

    fn pass_with<const P: usize, const Q: usize, const GROUND: bool>(
        &self,
        pass: Pass,
        blocks: &mut [Block<P, Q>],
        hot: &HotLanes<'_>,
    ) {
        let params = &self.params;
        match pass {
            Pass::WarmStart => self.isa.run(WarmStart::<P, Q, GROUND> { blocks, hot }),
            Pass::Forward | Pass::Backward => {
                let backward = pass == Pass::Backward;
                self.isa.run(Solve::<P, Q, GROUND> { blocks, hot, params, backward });
            }
            Pass::Place => self.isa.run(Place::<P, Q, GROUND> { blocks, hot, params }),
            Pass::Bounce => self.isa.run(Bounce::<P, Q, GROUND> { blocks, hot, params }),
        }
    }

    /// One sub-step of a large unit by all threads: bodies in parts, then colour after colour.
    #[expect(clippy::too_many_arguments, reason = "the data of one unit, called from one place")]
    fn shared_sub_step(
        &self,
        k: u32,
        layout: &Layout,
        unit: &Unit,
        blocks: &mut Blocks,
        pushes: &mut [Push],
        solver: &mut ChainSolver,
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
        let mut columns = Columns { chains: &layout.chains, own: unit.chains.clone(), solver };
        // SAFETY: no stage runs here.
        unsafe { columns.solve(&mut blocks.four, 0, self.speed_unit, hot) };
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
            // SAFETY: the blocks of a span share no body that moves, and no other stage runs.
            unsafe { self.pass_over(pass, is_ground, blocks, hot) };
        });
    }
}
