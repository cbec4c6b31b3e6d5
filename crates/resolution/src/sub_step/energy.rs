//! Contacts give no energy (S2-31).
//!
//! Impulses of contacts that neither pull nor leave their cones, found exactly, leave a group with no more kinetic energy
//! than its bodies have without them: standing still is always allowed. Two sweeps from remembered impulses are not
//! exact, and where an impact changes everything at once (a lever that is hit, something jammed), what is
//! remembered can be so wrong that energy grows from sub-step to sub-step. Bounces that happen together may give
//! energy too, though each obeys Newton's law. So each group is looked at after its sweeps, and where blows and
//! contacts together gave energy, all their impulses are scaled back to where energy is least.

use super::block::Block;
use super::motion::Push;
use drystone_contact::HotLanes;
use drystone_math::Real;

/// Share of its energy that a group may gain by rounding and by what the sweeps left.
const TOLERANCE: f64 = 1e-3;

/// Scales back the impulses of a group that gave energy; true when they did. The pushes of its members are told.
///
/// # Safety
/// The members belong to this call alone.
#[expect(unsafe_code, reason = "changes disjoint bodies of one array")]
pub(super) unsafe fn limit(members: &[u32], pushes: &mut [Push], hot: &HotLanes<'_>) -> bool {
    // Energy along the way from no impulses to all of them: `free + linear s + square s²`.
    let (mut free, mut linear, mut square) = (0.0, 0.0, 0.0);
    for (&body, push) in members.iter().zip(pushes.iter()) {
        // SAFETY: passed on, here and below.
        let [e, l, s] = push.energies(unsafe { hot.record(body) });
        (free, linear, square) = (free + f64::from(e), linear + f64::from(l), square + f64::from(s));
    }
    let given = linear + square;
    if given.is_nan() || given <= TOLERANCE * free || square <= 0.0 {
        return false;
    }
    let scale = (-0.5 * linear / square).clamp(0.0, 1.0) as Real;
    for (&body, push) in members.iter().zip(pushes) {
        // SAFETY: as above.
        push.scale_given(unsafe { hot.record(body) }, scale);
    }
    true
}

/// Scales the impulses of the sub-step in all lanes by the scale of their bodies; returns in how many.
pub(super) fn scale<const P: usize, const Q: usize>(
    blocks: &mut [Block<P, Q>],
    scale_of: impl Fn(u32) -> Real,
) -> u32 {
    let mut scaled = 0;
    for block in blocks {
        for lane in 0..8 {
            if block.inverse_mass[1][lane] == 0.0 {
                continue;
            }
            let scale = scale_of(block.ends[1][lane]);
            if scale == 1.0 {
                continue;
            }
            scaled += 1;
            let impulses = block.lambda.iter_mut().chain(&mut block.rub);
            let totals = block.total.iter_mut().chain(&mut block.total_rub);
            let blows = block.blow_total.iter_mut().chain(&mut block.blow_total_rub);
            for ((impulse, blow), total) in impulses.zip(blows).zip(totals) {
                total[lane] -= (impulse[lane] + blow[lane]) * (1.0 - scale);
                impulse[lane] *= scale;
                blow[lane] *= scale;
            }
        }
    }
    scaled
}
