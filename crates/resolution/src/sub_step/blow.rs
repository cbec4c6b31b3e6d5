//! Blows: bounces that run on from contact to contact.
//!
//! A contact that closes fast and arrives within a sub-step bounces before the other contacts of that sub-step are
//! solved: its points get the speed at which they are to part, all points of a round at once, friction under
//! the blow with it. Whatever closes fast because of that bounces in the next round, and so a blow runs
//! through a row of balls as it does in a cradle (S1-60). What closes slowly, or without restitution, is left to the sweeps.
//!
//! A round is solved by the sweeps themselves, with the speeds in the place of the gaps ([`exchange`]).

use super::block::{Block, INACTIVE};
use super::ends::{Ends, Frame};
use super::kernel::{PassParams, at_point};
use crate::vector::{F8, load_all};
use drystone_contact::SharedBodyStates;
use drystone_math::wide::{Lanes, Mask, Wide};
use std::sync::atomic::{AtomicBool, Ordering};

/// Most rounds in a sub-step: a blow runs through as many contacts. What is left of it then is stopped like what does
/// not bounce.
pub(super) const ROUNDS: usize = 64;

/// Share of the speed from which contacts bounce below which all bodies of a unit must be for a step without any look
/// at the contacts: two of them close with twice their speed, and gravity adds to it.
pub(super) const SLOW_SHARE: f32 = 0.25;

/// What a look at the contacts found.
#[derive(Debug)]
pub(super) struct Found {
    /// What runs on must be fast enough to leave faster than the threshold: where little comes back, the sweeps
    /// do as well.
    runs_on: bool,
    any: AtomicBool,
}

impl Found {
    /// Before a round.
    pub(super) fn nothing_yet(round: usize) -> Self {
        Self { runs_on: round > 0, any: AtomicBool::new(false) }
    }

    /// Notes a bounce. It is only ever set, so order does not matter.
    #[inline(always)]
    fn note(&self) {
        self.any.store(true, Ordering::Relaxed);
    }

    /// Whether something bounces.
    pub(super) fn any(&self) -> bool {
        self.any.load(Ordering::Relaxed)
    }
}

/// Marks the points that bounce now with the speed at which they part.
///
/// A contact bounces up to a sub-step early, a gap `d` away from the surface. With the acceleration `a` towards each
/// other, `(c - a h/2)² + 2 a d` stays the same from sub-step to sub-step (closing speed `c` after the forces of the
/// sub-step), so the speed of the impact at the surface is known, and so is the speed here of what
/// leaves the surface with its share of it: heights of bounces are right.
///
/// # Safety
/// As [`super::kernel::warm_start`].
#[expect(unsafe_code, reason = "reads bodies of an array that threads share")]
#[inline(always)]
pub(super) unsafe fn mark<L: Lanes, const P: usize, const Q: usize, const GROUND: bool>(
    lanes: L,
    block: &mut Block<P, Q>,
    hot: &SharedBodyStates<'_>,
    params: &PassParams,
    found: &Found,
) {
    let zero = lanes.splat(0.0);
    let restitution = lanes.load(&block.restitution);
    if !restitution.greater(zero).any() {
        return;
    }
    let frame = Frame::load(lanes, block);
    // SAFETY: passed on.
    let ends = unsafe { Ends::gather::<L, P, Q, GROUND>(lanes, block, hot) };
    let [u, w] = ends.relative::<GROUND>(&frame.arms);
    let motion = [frame.n.dot(u), frame.t1.dot(w), frame.t2.dot(w)];
    let pull = lanes.load(&block.pull);
    let half = pull * lanes.splat(0.5 * params.h);
    let share = restitution * restitution;
    let bounce_speed = lanes.splat(params.bounce_speed);
    let x: [L::F32; P] = load_all(lanes, &block.offsets[0]);
    let y: [L::F32; P] = load_all(lanes, &block.offsets[1]);
    let (mut hit, mut bounce) = (lanes.mask(0), [zero; P]);
    for i in 0..P {
        let closing = zero - at_point::<_, P>(&motion, x[i], y[i]);
        let gap = lanes.load(&block.gap[i]).max(zero);
        let fall = (pull + pull) * gap;
        let begin = closing - half;
        let leaving = (share * (begin * begin + fall) - fall).max(zero).sqrt() - half;
        let is_there = lanes.load(&block.point_mass[i]).greater(zero);
        let counted = if found.runs_on { closing * restitution } else { closing };
        let comes_back = restitution.greater(zero) & is_there;
        let way = closing * lanes.splat(params.h);
        let hits = counted.greater(bounce_speed) & comes_back & gap.less(way) & leaving.greater(zero);
        let wanted = zero - leaving * lanes.splat(params.h);
        bounce[i] = L::F32::select(hits, wanted, lanes.splat(INACTIVE));
        hit = hit | hits;
    }
    if !found.runs_on {
        block.blow_total = [[0.0; 8]; P];
        block.blow_total_rub = [[0.0; 8]; 3];
    }
    block.is_struck = hit.any();
    if block.is_struck {
        for (value, place) in bounce.into_iter().zip(&mut block.bounce) {
            value.store(place);
        }
        (block.blow, block.blow_rub) = ([[0.0; 8]; P], [[0.0; 8]; 3]);
        found.note();
    }
}

/// Exchanges impulses and gaps with those of the blows, where something bounces: elsewhere no sweep of the round comes by.
pub(super) fn exchange<const P: usize, const Q: usize>(blocks: &mut [Block<P, Q>]) {
    for block in blocks.iter_mut().filter(|block| block.is_struck) {
        std::mem::swap(&mut block.gap, &mut block.bounce);
        std::mem::swap(&mut block.lambda, &mut block.blow);
        std::mem::swap(&mut block.rub, &mut block.blow_rub);
    }
}

/// Exchanges them back after a round, and adds up what it gave.
pub(super) fn exchange_back<const P: usize, const Q: usize>(blocks: &mut [Block<P, Q>]) {
    exchange(blocks);
    for block in blocks.iter_mut().filter(|block| block.is_struck) {
        for i in 0..P {
            add(&mut block.blow_total[i], &block.blow[i]);
        }
        for k in 0..3 {
            add(&mut block.blow_total_rub[k], &block.blow_rub[k]);
        }
    }
}

#[inline(always)]
fn add(total: &mut F8, given: &F8) {
    for lane in 0..8 {
        total[lane] += given[lane];
    }
}
