//! Contacts give no energy (S2-31).
//!
//! Impulses of contacts that neither pull nor leave their cones, found exactly, leave an island with no more kinetic energy
//! than its bodies have without them: standing still is always allowed. Two sweeps from remembered impulses are not
//! exact, and where an impact changes everything at once (a lever that is hit, something jammed), what is
//! remembered can be so wrong that energy grows from sub-step to sub-step. Bounces that happen together may give
//! energy too, though each obeys Newton's law. So each island is looked at after its sweeps, and where blows and
//! contacts together gave energy, all their impulses are scaled back to where energy is least.

use super::block::Block;
use super::layout::{EnergyLimit, Island};
use super::push::{Energies, Push};
use crate::energy::EnergyWay;
use drystone_contact::SharedBodyStates;
use drystone_math::Real;

/// Share of its energy that an island may gain by rounding and by what the sweeps left.
const TOLERANCE: f64 = 1e-3;
/// Share up to which a gain is surely no more than that, whatever rounding made of it on the quick way.
pub(super) const SURE: Real = 0.5 * TOLERANCE as Real;

/// Scales back the impulses of the islands that gave energy; true when some did. The pushes of their members are told.
/// Members count from `first_member` on; `look` tells the energies of eight of them, those from eight times its argument on. Driven islands
/// are left alone: what kinematic bodies and belts give is theirs to give.
///
/// # Safety
/// The members belong to this call alone.
#[expect(unsafe_code, reason = "changes disjoint bodies of one array")]
pub(super) unsafe fn limit(
    (islands, first_member): (&[Island], u32),
    members: &[u32],
    pushes: &mut [Push],
    hot: &SharedBodyStates<'_>,
    has_blows: bool,
    speed_unit: Real,
    mut look: impl FnMut(usize, &[Push]) -> Energies,
) -> bool {
    let mut is_any = false;
    // Eight are looked at together, whatever islands they are of.
    let (mut known, mut eight) = (usize::MAX, [[0.0; 8]; 3]);
    for island in islands.iter().filter(|island| island.limit != EnergyLimit::None) {
        let mut way = EnergyWay::default();
        let own =
            (island.members.start - first_member) as usize..(island.members.end - first_member) as usize;
        let mut next = own.start;
        while next < own.end {
            if next / 8 != known {
                known = next / 8;
                eight = look(known, pushes);
            }
            let end = own.end.min(8 * known + 8);
            let [free, linear, square] = &eight;
            if end - next == 8 {
                way.free += sum(free);
                way.linear += sum(linear);
                way.square += sum(square);
            } else {
                for k in next % 8..end - next / 8 * 8 {
                    way.free += f64::from(free[k]);
                    way.linear += f64::from(linear[k]);
                    way.square += f64::from(square[k]);
                }
            }
            next = end;
        }
        let scale = if island.limit == EnergyLimit::Joints {
            let mass: f64 = pushes[own.clone()].iter().map(|push| f64::from(push.mass())).sum();
            let worked: f64 = pushes[own.clone()].iter().map(Push::worked).sum();
            way.least_with_joints(mass, speed_unit, worked)
        } else {
            way.least(TOLERANCE)
        };
        if let Some(scale) = scale {
            is_any = true;
            for i in own {
                // SAFETY: passed on.
                pushes[i].scale_given(has_blows, unsafe { hot.record(members[i]) }, scale);
            }
        }
    }
    is_any
}

/// Sum of eight energies, whose rounding is far below [`TOLERANCE`].
#[inline]
fn sum(e: &[Real; 8]) -> f64 {
    f64::from(((e[0] + e[4]) + (e[2] + e[6])) + ((e[1] + e[5]) + (e[3] + e[7])))
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
            let scale = scale_of(block.ends[1][lane].index());
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
