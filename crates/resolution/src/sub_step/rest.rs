//! Groups at rest: what the first sub-step leaves as it was, the others would leave as well.
//!
//! When all bodies of a unit are as good as still before and after the first sub-step, nobody pushes them, and no
//! contact closes or overlaps beyond the rest band, then the impulses found there are those that hold the
//! unit, and repeating them changes nothing. The step ends there: impulses count as often as there are
//! sub-steps, and the unit stays exactly where it is, so that detection finds nothing to do either. Nothing is remembered
//! from step to step: a push, a new contact or a lost one is met with all sub-steps at once.
//!
//! What that costs in motion: a unit whose bodies would gather less than the threshold in a sub-step does not begin to
//! move; 1e-5 `g dt` is an acceleration of 8e-5 `g` with 8 sub-steps, as if coefficients of friction were larger by that.

use super::block::Block;
use super::config::SubStepConfig;
use super::motion::Push;
use drystone_contact::{HotLanes, StepParams};
use drystone_math::Real;

/// When a unit counts as at rest.
#[derive(Clone, Copy, Debug)]
pub(super) struct RestRule {
    /// Speed below which bodies and contacts count as still, m/s.
    speed: Real,
    /// Deepest gap of a unit at rest, m.
    deepest: Real,
}

impl RestRule {
    pub(super) fn new(config: &SubStepConfig, step: &StepParams) -> Self {
        Self {
            // Without gravity nothing rests.
            speed: config.quiet_speed * step.acceleration.norm() * step.dt,
            deepest: -2.0 * config.half_band(step.length_unit()),
        }
    }

    /// True when all bodies are still.
    ///
    /// # Safety
    /// Nobody writes the members meanwhile.
    #[expect(unsafe_code, reason = "reads bodies of an array that threads share")]
    pub(super) unsafe fn are_still(&self, members: &[u32], pushes: &[Push], hot: &HotLanes<'_>) -> bool {
        let limit = self.speed * self.speed;
        members.iter().zip(pushes).all(|(&body, push)| {
            // SAFETY: passed on.
            push.is_left_alone() && push.squared_speed(unsafe { hot.record(body) }) < limit
        })
    }

    /// True when no contact of the blocks closes or overlaps.
    pub(super) fn are_calm<const P: usize, const Q: usize>(&self, blocks: &[Block<P, Q>]) -> bool {
        blocks.iter().all(|block| {
            block.residual.iter().all(|&closing| closing < self.speed)
                && block.gap.iter().flatten().all(|&gap| gap >= self.deepest)
        })
    }
}

/// Counts the impulses of the one sub-step so far for `sub_steps`.
pub(super) fn multiply<const P: usize, const Q: usize>(blocks: &mut [Block<P, Q>], sub_steps: Real) {
    for block in blocks {
        block.total.iter_mut().chain(&mut block.total_rub).flatten().for_each(|v| *v *= sub_steps);
    }
}
