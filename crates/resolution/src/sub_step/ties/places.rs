//! Ball joints without anything else, eight at a time: what of them changes from sub-step to sub-step.
//!
//! What [`TieBlock::place`] does to one tie in world axes, for ties that hold a point and leave all turns: no frame is needed for them. Lanes
//! for which this is not all (a body that is turned too far by a strong tie, a turn of more than half a revolution, a matrix without an inverse)
//! are left to that, whatever their neighbours are.
#![expect(unsafe_code, reason = "changes disjoint bodies of one array; colours keep them apart")]

use super::super::vector::{Sym3, Vec3, load_all};
use super::algebra::SINGULAR;
use super::block::{LEAST_RECOVERY, RECOVERY, TieBlock};
use super::stiff::CALM;
use drystone_contact::HotLanes;
use drystone_math::wide::{Lanes, Mask, Wide};

/// Square of half the turn of a step, rad², up to which the series below hold to rounding: 3.2 rad.
const LARGEST_HALF_TURN: f32 = 2.56;

/// An arm turned by the rotation vector `v` (rad), and whether the series reach so far.
#[inline(always)]
fn turned<L: Lanes>(lanes: L, v: Vec3<L::F32>, arm: Vec3<L::F32>) -> (Vec3<L::F32>, L::Mask) {
    let one = lanes.splat(1.0);
    let half = v.times(lanes.splat(0.5));
    let s = half.dot(half);
    // 1 - s / (k (k + 1)) (1 - ...), from the last term backwards.
    let (mut sinc, mut cos) = (one, one);
    let mut k = 15;
    while k > 1 {
        sinc = one - s * lanes.splat(1.0 / (k * (k - 1)) as f32) * sinc;
        cos = one - s * lanes.splat(1.0 / ((k - 1) * (k - 2)) as f32) * cos;
        k -= 2;
    }
    let axis = half.times(sinc);
    let twice = axis.cross(arm).times(lanes.splat(2.0));
    (arm.plus_times(twice, cos).plus(axis.cross(twice)), s.less_or_equal(lanes.splat(LARGEST_HALF_TURN)))
}

/// The share of a vector of this length that is within another; all of it where that is 0.
#[inline(always)]
fn within<L: Lanes>(lanes: L, length: L::F32, most: L::F32) -> L::F32 {
    let is_over = length.greater(most) & most.greater(lanes.splat(0.0));
    L::F32::select(is_over, most / length, lanes.splat(1.0))
}

/// Response of the velocity of a point at the arm `r` to forces on it, by turning: `[r]ₓ I [r]ₓᵀ`, as xx, yy, zz, xy, xz, yz.
#[inline(always)]
fn by_turning<W: Wide>(zero: W, inertia: &Sym3<W>, r: Vec3<W>) -> [W; 6] {
    let about = [
        Vec3 { x: zero, y: r.z, z: zero - r.y },
        Vec3 { x: zero - r.z, y: zero, z: r.x },
        Vec3 { x: r.y, y: zero - r.x, z: zero },
    ];
    let turned = [inertia.times(about[0]), inertia.times(about[1]), inertia.times(about[2])];
    [
        about[0].dot(turned[0]),
        about[1].dot(turned[1]),
        about[2].dot(turned[2]),
        about[0].dot(turned[1]),
        about[0].dot(turned[2]),
        about[1].dot(turned[2]),
    ]
}

/// Ends a sub-step of `h` seconds for the lanes that are plain ([`TieBlock::plain`]): errors are taken back by displacement, and everything is
/// made ready for the next one. Returns the lanes that are left to do.
///
/// # Safety
/// The bodies of the block belong to this call alone.
#[inline(always)]
pub(super) unsafe fn place<L: Lanes>(
    lanes: L,
    block: &mut TieBlock,
    hot: &HotLanes<'_>,
    h: f32,
    is_last: bool,
) -> u8 {
    if block.plain & !block.stiff == 0 {
        return u8::MAX;
    }
    let zero = lanes.splat(0.0);
    let none = Vec3 { x: zero, y: zero, z: zero };
    // SAFETY: passed on.
    let mut deltas =
        unsafe { [lanes.gather(hot.deltas(&block.ends[0])), lanes.gather(hot.deltas(&block.ends[1]))] };
    let linear = |c: &[L::F32; 8]| Vec3 { x: c[0], y: c[1], z: c[2] };
    let angular = |c: &[L::F32; 8]| Vec3 { x: c[4], y: c[5], z: c[6] };
    let start = [Vec3::load(lanes, &block.start_arms[0]), Vec3::load(lanes, &block.start_arms[1])];
    let (arm_a, is_near_a) = turned(lanes, angular(&deltas[0]), start[0]);
    let (arm_b, is_near_b) = turned(lanes, angular(&deltas[1]), start[1]);
    let centers = Vec3::load(lanes, &block.start_centers).plus(linear(&deltas[1])).minus(linear(&deltas[0]));
    let error = centers.plus(arm_b).minus(arm_a);
    let (length, slack) = (error.dot(error).sqrt(), lanes.load(&block.slack));
    // It acts where B is held; a large error is no lever.
    let arms = [arm_a.plus_times(error, within(lanes, length, slack)), arm_b];
    let before = [Vec3::load(lanes, &block.arms[0]), Vec3::load(lanes, &block.arms[1])];
    let lock = Vec3::load(lanes, &block.lock);
    let pull = lock.times(lanes.splat(h));
    let pulled = pull.dot(pull);
    let masses = [lanes.load(&block.inverse_mass[0]), lanes.load(&block.inverse_mass[1])];
    let inertias =
        [Sym3::load(lanes, &block.inverse_inertia[0]), Sym3::load(lanes, &block.inverse_inertia[1])];
    let mut is_done = lanes.mask(block.plain & !block.stiff) & is_near_a & is_near_b;
    let mut side = 0;
    while side < 2 {
        let [xx, yy, zz] = {
            let rows = &block.inverse_inertia[side];
            [lanes.load(&rows[0]), lanes.load(&rows[1]), lanes.load(&rows[2])]
        };
        let trace = xx + yy + zz;
        let most = pulled * arms[side].dot(arms[side]) * trace * trace;
        is_done = is_done & most.less_or_equal(lanes.splat(CALM * CALM));
        side += 1;
    }
    let (a, b) = (by_turning(zero, &inertias[0], arms[0]), by_turning(zero, &inertias[1], arms[1]));
    let mass = masses[0] + masses[1];
    let (xx, yy, zz) = (mass + a[0] + b[0], mass + a[1] + b[1], mass + a[2] + b[2]);
    let (xy, xz, yz) = (a[3] + b[3], a[4] + b[4], a[5] + b[5]);
    let least = (xx + yy + zz) * lanes.splat(SINGULAR);
    let (of_xx, of_xy, of_xz) = (yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy);
    let determinant = xx * of_xx + xy * of_xy + xz * of_xz;
    is_done = is_done & xx.greater(least) & yy.greater(least) & zz.greater(least) & determinant.greater(zero);
    let done = is_done.bits();
    if done == 0 {
        return u8::MAX;
    }
    let d = lanes.splat(1.0) / determinant;
    let lock_mass = [
        of_xx * d,
        (xx * zz - xz * xz) * d,
        (xx * yy - xy * xy) * d,
        of_xy * d,
        of_xz * d,
        (xy * xz - xx * yz) * d,
    ];
    let old = load_all(lanes, &block.lock_mass);
    let mut k = 0;
    while k < 6 {
        L::F32::select(is_done, lock_mass[k], old[k]).store(&mut block.lock_mass[k]);
        k += 1;
    }
    let pick = |new: Vec3<L::F32>, old: Vec3<L::F32>| Vec3 {
        x: L::F32::select(is_done, new.x, old.x),
        y: L::F32::select(is_done, new.y, old.y),
        z: L::F32::select(is_done, new.z, old.z),
    };
    pick(arms[0], before[0]).store(&mut block.arms[0]);
    pick(arms[1], before[1]).store(&mut block.arms[1]);
    let old_error = Vec3::load(lanes, &block.error);
    pick(error, old_error).store(&mut block.error);

    // Who is written: what can move, of the lanes that are done; sets take their errors back by themselves.
    let is_alone = is_done & lanes.mask(!block.in_set);
    let (mut written, mut displaced) = ([[0.0; 8]; 2], [[0.0; 8]; 2]);
    let mut side = 0;
    while side < 2 {
        L::F32::select(is_done, masses[side], zero).store(&mut written[side]);
        L::F32::select(is_alone, masses[side], zero).store(&mut displaced[side]);
        side += 1;
    }
    if !is_last {
        // The next sub-step begins with the same impulses, where they act by then: repeated as they were, they would turn what swings.
        let mut side = 0;
        while side < 2 {
            let change = inertias[side].times(arms[side].minus(before[side]).cross(lock));
            let change = if side == 0 { none.minus(change) } else { change };
            // SAFETY: passed on.
            unsafe {
                let mut c = lanes.gather(hot.velocities(&block.ends[side]));
                (c[4], c[5], c[6]) = (c[4] + change.x, c[5] + change.y, c[6] + change.z);
                hot.set_half::<0, L>(lanes, &block.ends[side], c, &written[side]);
            }
            side += 1;
        }
    }
    if !is_alone.any() {
        return !done;
    }
    let recovery = lanes.splat(RECOVERY);
    let share = (recovery * within(lanes, length, slack / recovery)).max(lanes.splat(LEAST_RECOVERY));
    let force = none.minus(Sym3::of(lock_mass).times(error.times(share)));
    let mut side = 0;
    while side < 2 {
        let sign = lanes.splat(if side == 0 { -1.0 } else { 1.0 });
        let (way, turn) =
            (force.times(masses[side] * sign), inertias[side].times(arms[side].cross(force)).times(sign));
        let c = &mut deltas[side];
        (c[0], c[1], c[2]) = (c[0] + way.x, c[1] + way.y, c[2] + way.z);
        (c[4], c[5], c[6]) = (c[4] + turn.x, c[5] + turn.y, c[6] + turn.z);
        // SAFETY: passed on.
        unsafe { hot.set_half::<1, L>(lanes, &block.ends[side], *c, &displaced[side]) };
        side += 1;
    }
    !done
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sub_step::ties::layout::EMPTY;
    use drystone_contact::{Bodies, BodyDesc, BodyIndex, ContactGraph, Tie, TieAxis};
    use drystone_math::inertia::MassProperties;
    use drystone_math::wide::{Isa, Kernel};
    use drystone_math::{Pose, Real, Rotation, Vector3};

    struct Place<'a, 'c>(&'a mut TieBlock, &'a HotLanes<'c>, Real);

    impl Kernel for Place<'_, '_> {
        type Output = u8;

        fn run<L: Lanes>(self, lanes: L) -> u8 {
            // SAFETY: nobody else is at work.
            unsafe { place(lanes, self.0, self.1, self.2, false) }
        }
    }

    /// A number from -1 to 1.
    fn noise(k: u32) -> Real {
        (k.wrapping_mul(0x9E37_79B9) >> 8) as Real / 8_388_608.0 - 1.0
    }

    fn vector(k: u32) -> Vector3 {
        Vector3::new(noise(3 * k), noise(3 * k + 1), noise(3 * k + 2))
    }

    /// Eight ball joints between sixteen bodies, the last of them to what is fixed; in the middle of a step.
    fn pile() -> (Bodies, ContactGraph, [u32; 8]) {
        let (mut bodies, mut graph, mut slots) = (Bodies::default(), ContactGraph::default(), [EMPTY; 8]);
        let add = |bodies: &mut Bodies, graph: &mut ContactGraph, k: u32| {
            let mass = MassProperties::aligned(1.0 + 0.5 * noise(k), Vector3::new(0.02, 0.05, 0.03));
            let desc = if k == 15 { BodyDesc::fixed() } else { BodyDesc::dynamic(mass, 1.0) };
            let pose = Pose::at(f64::from(k), f64::from(noise(k + 40)), 0.0);
            let handle = bodies.add(&desc.at(pose)).expect("room");
            let index = bodies.index(handle).expect("just added");
            graph.add_body(bodies, index);
            index
        };
        let ends: Vec<BodyIndex> = (0..16).map(|k| add(&mut bodies, &mut graph, k)).collect();
        for (lane, pair) in ends.chunks(2).enumerate() {
            let k = lane as u32;
            let way = Vector3::new(1.0, noise(2 * k + 41) - noise(2 * k + 40), 0.0);
            let arm = way * 0.5 + vector(k + 70) * 0.3;
            let mut tie = Tie::new([pair[0], pair[1]], [arm, arm - way], [Rotation::identity(); 2]);
            (0..3).for_each(|axis| tie.axes[axis] = TieAxis::LOCKED);
            tie.memory.lock = vector(k + 100);
            slots[lane] = graph.add_tie(&bodies, tie).expect("a tie").0;
        }
        for (k, &body) in ends.iter().take(15).enumerate() {
            let hot = &mut bodies.view_mut().hot[body.get()];
            hot.delta_translation = vector(k as u32 + 200) * 0.02;
            // One turns by more than the series bear.
            hot.delta_rotation = vector(k as u32 + 300) * if k == 6 { 9.0 } else { 0.7 };
            (hot.linear, hot.angular) = (vector(k as u32 + 400), vector(k as u32 + 500));
        }
        (bodies, graph, slots)
    }

    /// The plain way through one tie after the other is the reference, to rounding; what is left is left alone.
    #[test]
    fn eight_at_a_time_do_what_one_does() {
        let (mut bodies, graph, slots) = pile();
        let h = 1.0 / 480.0;
        let mut start = TieBlock::NONE;
        start.fill(&bodies, &graph, &slots, 0.125, h);
        assert_eq!(start.plain, u8::MAX);
        // Beyond what it bears: a strong pull, and one of a set.
        start.lock[0][5] = 1e9;
        start.in_set = 1 << 2;
        start.lanes[2].is_in_set = true;
        let before = bodies.view().hot.to_vec();
        let mut one_by_one = start.clone();
        // SAFETY: nobody else is at work.
        unsafe { one_by_one.place(u8::MAX, &HotLanes::new(bodies.view_mut().hot), h, false) };
        let wanted = bodies.view().hot.to_vec();
        for isa in Isa::all() {
            bodies.view_mut().hot.copy_from_slice(&before);
            let mut together = start.clone();
            let left = isa.run(Place(&mut together, &HotLanes::new(bodies.view_mut().hot), h));
            assert_eq!(left, 1 << 3 | 1 << 5, "the turn and the pull");
            for lane in 0..8 {
                let is_left = left >> lane & 1 == 1;
                for side in 0..2 {
                    let body = start.ends[side][lane] as usize;
                    let (found, reference) =
                        (&bodies.view().hot[body], if is_left { &before[body] } else { &wanted[body] });
                    let off = [
                        (found.linear - reference.linear).norm(),
                        (found.angular - reference.angular).norm(),
                        (found.delta_translation - reference.delta_translation).norm(),
                        (found.delta_rotation - reference.delta_rotation).norm(),
                    ];
                    assert!(off.iter().all(|&off| off < 2e-5), "lane {lane}, side {side}: {off:?}");
                }
                if !is_left {
                    let off = |a: &[[f32; 8]], b: &[[f32; 8]]| {
                        a.iter().zip(b).map(|(a, b)| (a[lane] - b[lane]).abs()).fold(0.0, Real::max)
                    };
                    assert!(off(&together.lock_mass, &one_by_one.lock_mass) < 1e-5);
                    assert!(off(&together.error, &one_by_one.error) < 1e-5);
                    assert!(off(&together.arms[0], &one_by_one.arms[0]) < 1e-5);
                    assert!(off(&together.arms[1], &one_by_one.arms[1]) < 1e-5);
                }
            }
        }
    }
}
