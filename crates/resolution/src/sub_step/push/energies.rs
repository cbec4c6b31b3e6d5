//! What contacts and blows changed of the kinetic energy of bodies in a sub-step.
//!
//! Hardly ever do they give any, so [`may_give`] and [`gain`] look at rows as they lie, and leave no more open than a sum; [`energies`]
//! tells the rest, of eight bodies side by side.

use super::{NOTHING, Push, VELOCITIES};
use crate::sub_step::crew::MEMBERS_PER_PART;
use crate::sub_step::energy::SURE;
use crate::sub_step::layout::{EnergyLimit, Island};
use crate::vector::{Sym3, Vec3};
use drystone_contact::{Row, SharedBodyStates};
use drystone_math::wide::{Isa, Kernel, Lanes, Wide};

/// Bodies of a sub-step, and whether it has blows.
#[derive(Clone, Copy)]
pub(in super::super) struct Looked<'a, 'c> {
    pub(in super::super) members: &'a [u32],
    pub(in super::super) pushes: &'a [Push],
    pub(in super::super) hot: &'a SharedBodyStates<'c>,
    pub(in super::super) has_blows: bool,
}

/// Twice the kinetic energy that blows and contacts gave these bodies beyond the share [`SURE`] of what they had, J; negative
/// where they took some.
///
/// # Safety
/// Nobody writes the members meanwhile.
pub(in super::super) unsafe fn gain(isa: Isa, bodies: Looked<'_, '_>) -> f64 {
    isa.run(Gain(bodies))
}

/// True where [`gain`] is not surely below zero for one of the islands that are not driven; members count from `first_member` on.
///
/// # Safety
/// Nobody writes the members meanwhile.
pub(in super::super) unsafe fn may_give(
    isa: Isa,
    (islands, first_member): (&[Island], u32),
    bodies: Looked<'_, '_>,
) -> bool {
    isa.run(MayGive { islands, first_member, bodies })
}

/// True of a sum of [`gain`] that leaves it open whether energy was given.
#[inline(always)]
pub(in super::super) fn is_open(gain: f64) -> bool {
    gain > 0.0 || gain.is_nan()
}

struct Gain<'a, 'c>(Looked<'a, 'c>);

impl Kernel for Gain<'_, '_> {
    type Output = f64;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> f64 {
        let Looked { members, pushes, hot, has_blows } = self.0;
        let (meant, zero) = (lanes.mask(VELOCITIES), lanes.splat(0.0));
        let more = lanes.splat(1.0 + SURE);
        let mut sum = 0.0;
        for (members, pushes) in members.chunks(MEMBERS_PER_PART).zip(pushes.chunks(MEMBERS_PER_PART)) {
            let mut gain = zero;
            for (&member, push) in members.iter().zip(pushes) {
                // SAFETY: who makes this value promises that nobody writes the members.
                let [velocity, _] = unsafe { hot.halves(member) };
                // Flags in the guise of a float are no number to reckon with.
                let now = L::F32::select(meant, lanes.load(velocity), zero);
                let mut then = lanes.load(&push.before);
                if has_blows {
                    then = then - lanes.load(&push.blown);
                }
                let (weights, products) = (lanes.load(&push.weights), lanes.load(&push.products));
                gain = gain + (twice(now, weights, products) - more * twice(then, weights, products));
            }
            sum += f64::from(gain.sum());
        }
        sum
    }
}

/// Twice the kinetic energy at a velocity, spread over the lanes.
#[inline(always)]
fn twice<W: Wide>(velocity: W, weights: W, products: W) -> W {
    velocity * (weights * velocity + products * velocity.next_axes())
}

struct MayGive<'a, 'c> {
    islands: &'a [Island],
    first_member: u32,
    bodies: Looked<'a, 'c>,
}

impl Kernel for MayGive<'_, '_> {
    type Output = bool;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> bool {
        let Looked { members, pushes, .. } = self.bodies;
        for island in self.islands {
            if island.limit == EnergyLimit::None {
                continue;
            }
            let (start, end) =
                (island.members.start - self.first_member, island.members.end - self.first_member);
            let own = start as usize..end as usize;
            let bodies = Looked { members: &members[own.clone()], pushes: &pushes[own], ..self.bodies };
            if is_open(Gain(bodies).run(lanes)) {
                return true;
            }
        }
        false
    }
}

/// Kinetic energy of a body before the blows and contacts of a sub-step, and what all of their impulses change: the part that is
/// linear in them, and the square, J. Of eight bodies.
pub(in super::super) type Energies = [Row; 3];

/// Energies of up to eight bodies.
///
/// # Safety
/// Nobody writes the members meanwhile.
pub(in super::super) unsafe fn energies(isa: Isa, bodies: Looked<'_, '_>) -> Energies {
    isa.run(Look(bodies))
}

struct Look<'a, 'c>(Looked<'a, 'c>);

impl Kernel for Look<'_, '_> {
    type Output = Energies;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> Energies {
        let Looked { members, pushes, hot, has_blows } = self.0;
        let half = lanes.splat(0.5);
        let (mut index, mut before, mut blown, mut weights, mut products) =
            ([0; 8], [&NOTHING; 8], [&NOTHING; 8], [&NOTHING; 8], [&NOTHING; 8]);
        for (k, (&member, push)) in members.iter().zip(pushes).take(8).enumerate() {
            index[k] = member;
            before[k] = &push.before;
            blown[k] = &push.blown;
            weights[k] = &push.weights;
            products[k] = &push.products;
        }
        // SAFETY: who makes this value promises that nobody writes the members; nobody ever writes body 0.
        let now = lanes.gather(unsafe { hot.velocities(&index) });
        let mut then = lanes.gather(before);
        if has_blows {
            let blown = lanes.gather(blown);
            for k in [0, 1, 2, 4, 5, 6] {
                then[k] = then[k] - blown[k];
            }
        }
        let (weights, products) = (lanes.gather(weights), lanes.gather(products));
        let (v, w) =
            (Vec3 { x: then[0], y: then[1], z: then[2] }, Vec3 { x: then[4], y: then[5], z: then[6] });
        let dv = Vec3 { x: now[0], y: now[1], z: now[2] }.minus(v);
        let dw = Vec3 { x: now[4], y: now[5], z: now[6] }.minus(w);
        let [xy, yz, xz] = [half * products[4], half * products[5], half * products[6]];
        let inertia = Sym3::of([weights[4], weights[5], weights[6], xy, xz, yz]);
        let (spin, change, mass) = (inertia.times(w), inertia.times(dw), weights[0]);
        let mut out = [NOTHING; 3];
        (half * (mass * v.dot(v) + spin.dot(w))).store(&mut out[0]);
        (mass * v.dot(dv) + spin.dot(dw)).store(&mut out[1]);
        (half * (mass * dv.dot(dv) + change.dot(dw))).store(&mut out[2]);
        out
    }
}
