//! Islands at rest: what the first sub-step leaves as it was, the others would leave as well.
//!
//! When all bodies of a unit are as good as still before and after the first sub-step, nobody pushes them, and no
//! contact closes or overlaps beyond the rest band (and a little more), then the impulses found there are those that hold the
//! unit, and repeating them changes nothing. The step ends there: impulses count as often as there are
//! sub-steps, and the unit stays exactly where it is, so that detection finds nothing to do either. Nothing is remembered
//! from step to step: a push, a new contact or a lost one is met with all sub-steps at once.
//!
//! What that costs in motion: a unit whose bodies would gather less than the threshold in a sub-step does not begin to
//! move; 1e-5 `g dt` is an acceleration of 8e-5 `g` with 8 sub-steps, as if coefficients of friction were larger by that.
//!
//! What sweeps leave unsolved in a pile grows with the square of its height, so above [`SETTLING_HEIGHT`] bodies on top of one another the
//! threshold does as well ([`RestRule::slack`]): a flat pyramid of 100 rows never came below it, and what the sweeps left grew until it fell.

use super::block::Block;
use super::config::SubStepConfig;
use super::push::Push;
use crate::sweep::is_pushed;
use drystone_contact::{Bodies, BodyHot, BodyIndex, SharedBodyStates, StepParams};
use drystone_math::{Real, Symmetric3, Vector3};

/// Bodies on top of one another up to which sweeps bring a pile below the threshold by themselves: pyramids of 30 rows set up with 5 mm of
/// jitter get there within a second.
const SETTLING_HEIGHT: Real = 30.0;
/// Most that the threshold grows with the height: at 170 bodies on top of one another, and an acceleration of 2.6e-3 `g`.
const MOST_SLACK: Real = 32.0;

/// Share of half the rest band by which contacts at rest may overlap more. What is pushed apart by many neighbours comes to the band in the limit only.
const REST_SHARE: Real = 0.1;

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
            speed: config.resting_speed * step.acceleration.norm() * step.dt,
            deepest: -(2.0 + REST_SHARE) * config.half_band(step.length_unit()),
        }
    }

    /// How much faster than the rule says bodies may be and count as still, when these are and nobody pushes them; `height`: of the
    /// island, bodies on top of one another.
    pub(super) fn slack(
        &self,
        bodies: &Bodies,
        members: &[BodyIndex],
        height: impl FnOnce() -> Real,
    ) -> Option<Real> {
        let limit = (self.speed * MOST_SLACK) * (self.speed * MOST_SLACK);
        let mut fastest: Real = 0.0;
        for &body in members.iter().filter(|&&body| is_pushed(bodies, body)) {
            let hot = bodies.hot(body);
            let squared = squared_speed(hot, squared_radius(hot.inverse_mass, bodies.inverse_inertia(body)));
            let is_pushed = bodies.force(body) != (Vector3::zeros(), Vector3::zeros());
            if is_pushed || squared.is_nan() || squared >= limit {
                return None;
            }
            fastest = fastest.max(squared);
        }
        if fastest < self.speed * self.speed {
            return Some(1.0);
        }
        let slack = (height() / SETTLING_HEIGHT).powi(2).clamp(1.0, MOST_SLACK);
        (fastest < (slack * self.speed).powi(2)).then_some(slack)
    }

    /// True when all bodies are still after a sub-step.
    ///
    /// # Safety
    /// Nobody writes the members meanwhile.
    #[expect(unsafe_code, reason = "reads bodies of an array that threads share")]
    pub(super) unsafe fn are_still(
        &self,
        slack: Real,
        members: &[u32],
        pushes: &[Push],
        hot: &SharedBodyStates<'_>,
    ) -> bool {
        // SAFETY: passed on.
        unsafe { are_slower(slack * self.speed, members, pushes, hot) }
    }

    /// True when no contact of the blocks closes or overlaps.
    pub(super) fn are_calm<const P: usize, const Q: usize>(
        &self,
        slack: Real,
        blocks: &[Block<P, Q>],
    ) -> bool {
        // Lanes side by side: mostly all are calm, and nobody can foresee the one that is not.
        blocks.iter().all(|block| {
            let mut is_calm = true;
            for closing in block.residual {
                is_calm &= closing < slack * self.speed;
            }
            for gaps in &block.gap {
                for &gap in gaps {
                    is_calm &= gap >= self.deepest;
                }
            }
            is_calm
        })
    }
}

/// True when all bodies are slower than this, m/s, and their turning at the radius of gyration too.
///
/// # Safety
/// Nobody writes the members meanwhile.
#[expect(unsafe_code, reason = "reads bodies of an array that threads share")]
pub(super) unsafe fn are_slower(
    speed: Real,
    members: &[u32],
    pushes: &[Push],
    hot: &SharedBodyStates<'_>,
) -> bool {
    let limit = speed * speed;
    members.iter().zip(pushes).all(|(&body, push)| {
        // SAFETY: passed on.
        push.squared_speed(unsafe { hot.record(body) }) < limit
    })
}

/// Square of the speed of a body and of its turning at its radius of gyration, m²/s²; `squared_radius`: the square of that, m².
#[inline]
pub(super) fn squared_speed(hot: &BodyHot, squared_radius: Real) -> Real {
    hot.linear.norm_squared() + hot.angular.norm_squared() * squared_radius
}

/// Square of the mean radius of gyration, m².
pub(super) fn squared_radius(inverse_mass: Real, inverse_inertia: &Symmetric3) -> Real {
    let trace = inverse_inertia.xx + inverse_inertia.yy + inverse_inertia.zz;
    if trace > 0.0 { 3.0 * inverse_mass / trace } else { 0.0 }
}

/// Counts the impulses of the one sub-step so far for `sub_steps`.
pub(super) fn multiply<const P: usize, const Q: usize>(blocks: &mut [Block<P, Q>], sub_steps: Real) {
    for block in blocks {
        for row in &mut block.total {
            row.iter_mut().for_each(|v| *v *= sub_steps);
        }
        for row in &mut block.total_rub {
            row.iter_mut().for_each(|v| *v *= sub_steps);
        }
    }
}
