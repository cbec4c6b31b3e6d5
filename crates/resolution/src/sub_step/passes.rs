//! Passes over blocks: one kernel for each pass, kind of block and instruction set.
#![expect(
    unsafe_code,
    reason = "calls kernels that change disjoint bodies of one array; colours keep them apart"
)]

use super::block::Block;
use super::blow::{self, Found};
use super::kernel::{self, PassParams};
use crate::sweep::Way;
use crate::ties::TiePass;
use drystone_contact::SharedBodyStates;
use drystone_math::wide::{Isa, Kernel, Lanes};

/// What a pass over the contacts does.
#[derive(Clone, Copy, Debug)]
pub(super) enum Pass<'a> {
    WarmStart,
    Sweep(Way),
    /// The last one of a step: nothing comes after it.
    Place {
        is_last: bool,
    },
    /// Marks what bounces.
    Mark(&'a Found),
    /// A sweep through blows that were exchanged with the impulses.
    Blow(Way),
}

impl Pass<'_> {
    /// Rolling friction takes part. Blows last too short to roll.
    pub(super) fn has_rolling(self) -> bool {
        matches!(self, Self::WarmStart | Self::Sweep(_))
    }

    /// What it does to joints: nothing where it is about blows.
    pub(super) fn of_ties(self) -> Option<TiePass> {
        match self {
            Self::WarmStart => Some(TiePass::WarmStart),
            Self::Sweep(way) => Some(TiePass::Sweep(way)),
            Self::Place { is_last } => Some(TiePass::Place { is_last }),
            Self::Mark(_) | Self::Blow(_) => None,
        }
    }

    /// Contacts are visited in reverse order.
    pub(super) fn is_backward(self) -> bool {
        matches!(self, Self::Sweep(way) | Self::Blow(way) if way != Way::There)
    }
}

/// Defines a pass over blocks as a kernel: one function for each instruction set and kind of block. (One kernel
/// for a whole sub-step would be faster by nothing and take minutes to compile.)
macro_rules! pass_kernel {
    ($name:ident, $visit:path $(, $field:ident: $type:ty)*) => {
        struct $name<'a, 'c, const P: usize, const Q: usize, const GROUND: bool> {
            blocks: &'a mut [Block<P, Q>],
            hot: &'a SharedBodyStates<'c>,
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
pass_kernel!(Solve, kernel::solve::<L, P, Q, GROUND>, params: &'a PassParams, way: Way);
pass_kernel!(Place, kernel::place::<L, P, Q, GROUND>, params: &'a PassParams);
pass_kernel!(Mark, blow::mark::<L, P, Q, GROUND>, params: &'a PassParams, found: &'a Found);

/// Runs passes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Passes {
    pub(super) isa: Isa,
    pub(super) params: PassParams,
}

impl Passes {
    /// One pass over blocks of one span.
    ///
    /// # Safety
    /// The bodies of the blocks belong to this call alone.
    pub(super) unsafe fn over<const P: usize, const Q: usize>(
        &self,
        pass: Pass<'_>,
        is_ground: bool,
        blocks: &mut [Block<P, Q>],
        hot: &SharedBodyStates<'_>,
    ) {
        if is_ground {
            self.with::<P, Q, true>(pass, blocks, hot);
        } else {
            self.with::<P, Q, false>(pass, blocks, hot);
        }
    }

    fn with<const P: usize, const Q: usize, const GROUND: bool>(
        &self,
        pass: Pass<'_>,
        blocks: &mut [Block<P, Q>],
        hot: &SharedBodyStates<'_>,
    ) {
        let params = &self.params;
        match pass {
            Pass::WarmStart => self.isa.run(WarmStart::<P, Q, GROUND> { blocks, hot }),
            Pass::Sweep(way) => self.isa.run(Solve::<P, Q, GROUND> { blocks, hot, params, way }),
            Pass::Place { .. } => self.isa.run(Place::<P, Q, GROUND> { blocks, hot, params }),
            Pass::Mark(found) => self.isa.run(Mark::<P, Q, GROUND> { blocks, hot, params, found }),
            Pass::Blow(way) => {
                let params = &PassParams { is_blow: true, ..*params };
                self.isa.run(Solve::<P, Q, GROUND> { blocks, hot, params, way });
            }
        }
    }
}
