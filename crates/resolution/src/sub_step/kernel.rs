//! What a pass does to one block: warm start, solve, place. Generic over the instruction set.
//!
//! `solve` and `place` are visits of a sweep through all contacts. The solve is made once forwards and once
//! backwards, contact by contact in exact reverse order: normals, twist, slide; slide, twist, normals. Such a
//! symmetric pair of sweeps corrects velocities by a symmetric operator, whose slow modes die out; those
//! of one-way sweeps turn, and with impulses that are remembered they grow (see the module's documentation).

#![expect(unsafe_code, reason = "changes disjoint bodies of one array; colours keep them apart")]
#![expect(clippy::needless_range_loop, reason = "iterators over lane values may stay calls")]

use super::block::{Block, triangle};
use super::ends::{Ends, Frame};
use crate::sweep::Way;
use crate::vector::{F8, load_all};
use drystone_contact::SharedBodyStates;
use drystone_math::wide::{Lanes, Mask, Wide};

/// Numbers that are the same for all blocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct PassParams {
    /// 1/sub-step, 1/s.
    pub(super) inverse_h: f32,
    /// Share of an overlap beyond the rest band that a sub-step takes back.
    pub(super) recovery: f32,
    /// Most that a sub-step takes back, m.
    pub(super) recovery_limit: f32,
    /// Width of the rest band, m.
    pub(super) band: f32,
    /// Gap up to which a point counts as touching, m.
    pub(super) touch_gap: f32,
    /// Blows are solved: gaps are speeds of separation, below 0 too.
    pub(super) is_blow: bool,
    /// Closing speed from which a contact bounces, m/s.
    pub(super) bounce_speed: f32,
    /// Sub-step, s.
    pub(super) h: f32,
    /// Some surface runs over its body.
    pub(super) has_belts: bool,
}

/// Applies the impulses of the last sub-step of the last step.
///
/// # Safety
/// The bodies of the block belong to this call alone, but for those of inverse mass 0, which nobody writes.
#[inline(always)]
pub(super) unsafe fn warm_start<L: Lanes, const P: usize, const Q: usize, const GROUND: bool>(
    lanes: L,
    block: &Block<P, Q>,
    hot: &SharedBodyStates<'_>,
) {
    let frame = Frame::load(lanes, block);
    let zero = lanes.splat(0.0);
    let (mut f, mut about_1, mut about_2) = (zero, zero, zero);
    for i in 0..P {
        let lambda = lanes.load(&block.lambda[i]);
        f = f + lambda;
        about_1 = about_1 + lanes.load(&block.offsets[1][i]) * lambda;
        about_2 = about_2 - lanes.load(&block.offsets[0][i]) * lambda;
    }
    let [r1, r2, rn] = load_all(lanes, &block.rub);
    let force = frame.n.times(f).plus_times(frame.t1, r1).plus_times(frame.t2, r2);
    let torque = frame.torque::<P>([about_1, about_2, rn]);
    // SAFETY: passed on.
    unsafe {
        let ends = Ends::gather::<L, P, Q, GROUND>(lanes, block, hot);
        ends.push::<0, L, P, Q, GROUND>(lanes, block, hot, &frame.arms, force, torque);
    }
}

/// The points of a manifold, to be visited one after the other.
struct Sweep<W, const P: usize> {
    response: [W; 6],
    mass: [W; P],
    x: [W; P],
    y: [W; P],
    /// What is wrong at each point before any impulse.
    error: [W; P],
}

impl<W: Wide, const P: usize> Sweep<W, P> {
    /// Adds to the motion `m` what the impulse `d` at a point does.
    #[inline(always)]
    fn add(&self, i: usize, d: W, m: &mut [W; 3]) {
        let (g, x, y) = (&self.response, self.x[i], self.y[i]);
        m[0] = m[0] + (g[0] + g[3] * y - g[4] * x) * d;
        m[1] = m[1] + (g[3] + g[1] * y - g[5] * x) * d;
        m[2] = m[2] + (g[4] + g[5] * y - g[2] * x) * d;
    }

    /// How far impulses are from an answer, given the motion `m` that they made, if any: the most that a visit to one of them alone would change.
    #[inline(always)]
    fn fault(&self, zero: W, lambda: &[W; P], m: Option<&[W; 3]>) -> W {
        let mut most = zero;
        for i in 0..P {
            let made = m.map(|m| m[0] + self.y[i] * m[1] - self.x[i] * m[2]);
            let change = self.mass[i] * made.map_or(self.error[i], |made| self.error[i] + made);
            // What is pushed apart gives up its impulse at most.
            let change = change.min(lambda[i]);
            most = most.max(change.max(zero - change));
        }
        most
    }

    /// Solves one point, given the motion `m` that the impulses so far made.
    #[inline(always)]
    fn visit(&self, i: usize, zero: W, lambda: &mut [W; P], m: &mut [W; 3]) {
        if P == 1 {
            lambda[i] = (zero - self.mass[i] * self.error[i]).max(zero);
            return;
        }
        let error = self.error[i] + m[0] + self.y[i] * m[1] - self.x[i] * m[2];
        let next = (lambda[i] - self.mass[i] * error).max(zero);
        self.add(i, next - lambda[i], m);
        lambda[i] = next;
    }
}

/// Velocity along the normal at a point `x`, `y` from the middle by the motion there. A single point is the middle.
#[inline(always)]
pub(super) fn at_point<W: Wide, const P: usize>(motion: &[W; 3], x: W, y: W) -> W {
    if P == 1 { motion[0] } else { motion[0] + y * motion[1] - x * motion[2] }
}

/// What is wrong at each point by the motion at the middle: wanted is `v_i + gap / h = 0` or more.
#[inline(always)]
fn errors<L: Lanes, const P: usize, const Q: usize>(
    lanes: L,
    block: &Block<P, Q>,
    params: &PassParams,
    motion: &[L::F32; 3],
) -> [L::F32; P] {
    let (zero, inverse_h) = (lanes.splat(0.0), lanes.splat(params.inverse_h));
    let mut error = [zero; P];
    for i in 0..P {
        let (x, y) = (lanes.load(&block.offsets[0][i]), lanes.load(&block.offsets[1][i]));
        let gap = lanes.load(&block.gap[i]);
        let v = at_point::<_, P>(motion, x, y);
        let wanted = if params.is_blow { gap } else { gap.max(zero) };
        error[i] = v + wanted * inverse_h;
    }
    error
}

/// The normal impulses of a manifold, solved jointly; returns the wrench that they add,
/// `(f·n, τ·t1, τ·t2)`.
///
/// First all points at once by the pseudo-inverse. Where that would pull at one of several points, the clamped impulses
/// are mended by two sweeps over the points, there and back.
#[inline(always)]
fn solve_normals<L: Lanes, const P: usize, const Q: usize>(
    lanes: L,
    block: &mut Block<P, Q>,
    params: &PassParams,
    motion: [L::F32; 3],
) -> ([L::F32; 3], L::F32) {
    let zero = lanes.splat(0.0);
    let x: [L::F32; P] = load_all(lanes, &block.offsets[0]);
    let y: [L::F32; P] = load_all(lanes, &block.offsets[1]);
    let old: [L::F32; P] = load_all(lanes, &block.lambda);
    let error = errors(lanes, block, params, &motion);
    let (mut pressed, mut closing) = (zero, zero);
    for i in 0..P {
        pressed = pressed.max(old[i]);
        closing = closing.min(error[i]);
    }
    // Without this what is idle would get what rounding leaves, and none where its neighbours are idle too.
    let acts = pressed.greater(zero) | closing.less(zero);
    let mut lambda = old;
    let mut least = zero;
    for i in 0..P {
        let mut wanted = zero;
        for j in 0..P {
            let place = if i <= j { triangle(P, i, j) } else { triangle(P, j, i) };
            wanted = wanted + lanes.load(&block.joint_mass[place]) * error[j];
        }
        lambda[i] = old[i] - wanted;
        least = least.min(lambda[i]);
    }
    // Lanes are manifolds of their own: what one of them needs must not touch its neighbours.
    let pulls = least.less(zero) & acts;
    if P == 1 {
        // What would pull at its only point is let go of.
        lambda[0] = lambda[0].max(zero);
    } else if pulls.any() {
        let joint = lambda;
        let sweep = Sweep {
            response: load_all(lanes, &block.response),
            mass: load_all(lanes, &block.point_mass),
            x,
            y,
            error,
        };
        let mut m = [zero; 3];
        for i in 0..P {
            // Points that take no part in a blow spoil the joint solution for the others.
            lambda[i] = if params.is_blow { old[i] } else { lambda[i].max(zero) };
            sweep.add(i, lambda[i] - old[i], &mut m);
        }
        if !params.is_blow {
            // What was remembered may be nearer: a body that rests on some of its points has its answer there, which sweeps from elsewhere miss.
            let is_nearer = sweep.fault(zero, &old, None).less(sweep.fault(zero, &lambda, Some(&m)));
            for i in 0..P {
                lambda[i] = L::F32::select(is_nearer, old[i], lambda[i]);
            }
            m = m.map(|m| L::F32::select(is_nearer, zero, m));
        }
        for i in 0..P {
            sweep.visit(i, zero, &mut lambda, &mut m);
        }
        for i in (0..P).rev() {
            sweep.visit(i, zero, &mut lambda, &mut m);
        }
        for i in 0..P {
            lambda[i] = L::F32::select(pulls, lambda[i], joint[i]);
        }
    }
    let (mut wrench, mut sum) = ([zero; 3], zero);
    for i in 0..P {
        lambda[i] = L::F32::select(acts, lambda[i], zero);
        let d = lambda[i] - old[i];
        wrench[0] = wrench[0] + d;
        wrench[1] = wrench[1] + y[i] * d;
        wrench[2] = wrench[2] - x[i] * d;
        sum = sum + lambda[i];
        lambda[i].store(&mut block.lambda[i]);
    }
    (wrench, sum)
}

/// The position pass: gaps anew, then overlaps are taken back by moving the bodies, without any velocity.
///
/// # Safety
/// As [`warm_start`].
#[inline(always)]
pub(super) unsafe fn place<L: Lanes, const P: usize, const Q: usize, const GROUND: bool>(
    lanes: L,
    block: &mut Block<P, Q>,
    hot: &SharedBodyStates<'_>,
    params: &PassParams,
) {
    let zero = lanes.splat(0.0);
    let frame = Frame::load(lanes, block);
    // SAFETY: passed on.
    let moved = unsafe {
        let b = lanes.gather(hot.deltas(&block.ends[1]));
        let a = if GROUND { [zero; 8] } else { lanes.gather(hot.deltas(&block.ends[0])) };
        Ends { a, b }
    };
    let [shift, turn] = moved.relative::<GROUND>(&frame.arms);
    let way = [frame.n.dot(shift), frame.t1.dot(turn), frame.t2.dot(turn)];
    let x: [L::F32; P] = load_all(lanes, &block.offsets[0]);
    let y: [L::F32; P] = load_all(lanes, &block.offsets[1]);
    let mut error = [zero; P];
    let mut least = zero;
    for i in 0..P {
        let gap = lanes.load(&block.gap_0[i]);
        let gap = if P == 1 { gap + way[0] } else { gap + way[0] + y[i] * way[1] - x[i] * way[2] };
        gap.store(&mut block.gap[i]);
        let gap = gap + lanes.splat(params.band);
        least = least.min(gap);
        let back = (gap * lanes.splat(params.recovery)).max(lanes.splat(-params.recovery_limit));
        error[i] = L::F32::select(gap.less(zero), back, gap);
    }
    if !least.less(zero).any() {
        return;
    }
    let sweep = Sweep {
        response: load_all(lanes, &block.response),
        mass: load_all(lanes, &block.point_mass),
        x,
        y,
        error,
    };
    let (mut lambda, mut m) = ([zero; P], [zero; 3]);
    for i in 0..P {
        sweep.visit(i, zero, &mut lambda, &mut m);
    }
    if P > 1 {
        for i in (0..P).rev() {
            sweep.visit(i, zero, &mut lambda, &mut m);
        }
    }
    let mut wrench = [zero; 3];
    for i in 0..P {
        wrench[0] = wrench[0] + lambda[i];
        wrench[1] = wrench[1] + y[i] * lambda[i];
        wrench[2] = wrench[2] - x[i] * lambda[i];
    }
    let force = frame.n.times(wrench[0]);
    let torque = if P > 1 { Some(frame.t1.times(wrench[1]).plus_times(frame.t2, wrench[2])) } else { None };
    // SAFETY: passed on.
    unsafe { moved.push::<1, L, P, Q, GROUND>(lanes, block, hot, &frame.arms, force, torque) };
}

/// How many ways of slipping there are: along two tangents, and about the normal where several points resist that.
const fn slips<const P: usize>() -> usize {
    if P == 1 { 2 } else { 3 }
}

/// A row of a response times a wrench.
#[inline(always)]
fn respond<L: Lanes, const P: usize>(lanes: L, wrench: &[L::F32; 3], row: &[F8; 3]) -> L::F32 {
    if P == 1 {
        return lanes.load(&row[0]) * wrench[0];
    }
    let c = load_all(lanes, row);
    c[0] * wrench[0] + c[1] * wrench[1] + c[2] * wrench[2]
}

/// Friction of a manifold under a normal load: a torque about the normal and a force along it, in this order,
/// or in the other one. Returns what it adds along `t1`, `t2` and about `n`.
#[inline(always)]
fn solve_friction<L: Lanes, const P: usize, const Q: usize>(
    lanes: L,
    block: &mut Block<P, Q>,
    backward: bool,
    load: L::F32,
    mut slip: [L::F32; 3],
) -> [L::F32; 3] {
    let mu = load_all(lanes, &block.friction);
    let cones = [mu[0] * load, mu[1] * load];
    let mut about_n = lanes.splat(0.0);
    if P > 1 && !backward {
        let cross = load_all(lanes, &block.twist_cross);
        about_n = solve_twist(lanes, block, &cones, slip[2]);
        slip[0] = slip[0] + cross[0] * about_n;
        slip[1] = slip[1] + cross[1] * about_n;
    }
    let rub = load_all(lanes, &block.rub);
    let m = load_all(lanes, &block.slide_mass);
    let trial = [rub[0] - m[0] * slip[0] - m[2] * slip[1], rub[1] - m[2] * slip[0] - m[1] * slip[1]];
    // Without a load nothing sticks, also where the square of a slip is too small for a number.
    let is_loaded = cones[0].greater(lanes.splat(0.0));
    let trial = trial.map(|trial| L::F32::select(is_loaded, trial, lanes.splat(0.0)));
    let square = trial[0] * trial[0] + trial[1] * trial[1];
    let sticks = square.less_or_equal(cones[0] * cones[0]);
    let mut next = trial;
    if !sticks.all() {
        // What slides is rubbed against its slip; with the masses of `trial`, which differ by direction, it would be against them times it.
        let even = lanes.load(&block.least_slide_mass);
        let against = [rub[0] - even * slip[0], rub[1] - even * slip[1]];
        let square = against[0] * against[0] + against[1] * against[1];
        let share = cones[1] / square.max(lanes.splat(f32::MIN_POSITIVE)).sqrt();
        next = [0, 1].map(|k| L::F32::select(sticks, trial[k], against[k] * share));
    }
    let (f1, f2) = (next[0] - rub[0], next[1] - rub[1]);
    next[0].store(&mut block.rub[0]);
    next[1].store(&mut block.rub[1]);
    if P > 1 && backward {
        let cross = load_all(lanes, &block.twist_cross);
        about_n = solve_twist(lanes, block, &cones, slip[2] + cross[0] * f1 + cross[1] * f2);
    }
    [f1, f2, about_n]
}

/// The torque about the normal against the spin there; returns what it adds.
#[inline(always)]
fn solve_twist<L: Lanes, const P: usize, const Q: usize>(
    lanes: L,
    block: &mut Block<P, Q>,
    cones: &[L::F32; 2],
    spin: L::F32,
) -> L::F32 {
    let (zero, radius, old) = (lanes.splat(0.0), lanes.load(&block.radius), lanes.load(&block.rub[2]));
    let trial = old - lanes.load(&block.twist_mass) * spin;
    let sticks = trial.abs().less_or_equal(cones[0] * radius);
    let limit = cones[1] * radius;
    let next = L::F32::select(sticks, trial, trial.min(limit).max(zero - limit));
    next.store(&mut block.rub[2]);
    next - old
}

/// True when no contact of a block has an impulse and none closes faster than its gap is wide: a visit changes nothing then.
#[inline(always)]
fn are_idle<L: Lanes, const P: usize, const Q: usize>(
    lanes: L,
    block: &Block<P, Q>,
    params: &PassParams,
    motion: &[L::F32; 3],
) -> bool {
    let zero = lanes.splat(0.0);
    let mut most = zero;
    for i in 0..P {
        most = most.max(lanes.load(&block.lambda[i]));
    }
    if most.greater(zero).any() {
        return false;
    }
    let [r1, r2, rn] = load_all(lanes, &block.rub);
    let rubs = r1.abs().max(r2.abs());
    let mut closing = zero - if P == 1 { rubs } else { rubs.max(rn.abs()) };
    for error in errors(lanes, block, params, motion) {
        closing = closing.min(error);
    }
    !closing.less(zero).any()
}

/// Notes the largest closing speed of a touching point.
#[inline(always)]
fn note_residual<L: Lanes, const P: usize, const Q: usize>(
    lanes: L,
    block: &mut Block<P, Q>,
    params: &PassParams,
    motion: &[L::F32; 3],
) {
    let zero = lanes.splat(0.0);
    let mut worst = zero;
    for i in 0..P {
        let (x, y) = (lanes.load(&block.offsets[0][i]), lanes.load(&block.offsets[1][i]));
        let closing = zero - at_point::<_, P>(motion, x, y);
        let touches = lanes.load(&block.gap[i]).less(lanes.splat(params.touch_gap));
        let is_there = lanes.load(&block.point_mass[i]).greater(zero);
        worst = worst.max(L::F32::select(touches & is_there, closing, zero));
    }
    worst.store(&mut block.residual);
}

/// Normal impulses, so that no gap closes faster than it is wide, and friction under their load. The totals are
/// taken on the way back; the last way back notes the largest closing speed of a touching point that it found.
///
/// # Safety
/// As [`warm_start`].
#[inline(always)]
pub(super) unsafe fn solve<L: Lanes, const P: usize, const Q: usize, const GROUND: bool>(
    lanes: L,
    block: &mut Block<P, Q>,
    hot: &SharedBodyStates<'_>,
    params: &PassParams,
    way: Way,
) {
    // What has no part in a round of blows has no impulses in it, and gets none.
    if params.is_blow && !block.is_struck {
        return;
    }
    let frame = Frame::load(lanes, block);
    // SAFETY: passed on.
    let ends = unsafe { Ends::gather::<L, P, Q, GROUND>(lanes, block, hot) };
    let [u, w] = ends.relative::<GROUND>(&frame.arms);
    let motion = [frame.n.dot(u), frame.t1.dot(w), frame.t2.dot(w)];
    if way == Way::LastBack {
        note_residual(lanes, block, params, &motion);
    }
    if !params.is_blow && are_idle(lanes, block, params, &motion) {
        return;
    }
    let mut slip = [frame.t1.dot(u), frame.t2.dot(u), frame.n.dot(w)];
    if params.has_belts {
        slip[0] = slip[0] + lanes.load(&block.surface_velocity[0]);
        slip[1] = slip[1] + lanes.load(&block.surface_velocity[1]);
    }
    let (wrench, rub);
    if way != Way::There {
        let mut load = lanes.splat(0.0);
        for i in 0..P {
            load = load + lanes.load(&block.lambda[i]);
        }
        rub = solve_friction::<L, P, Q>(lanes, block, true, load, slip);
        let mut after = motion;
        for row in 0..slips::<P>() {
            let c = load_all(lanes, &block.cross[row]);
            for k in 0..3 {
                after[k] = after[k] + c[k] * rub[row];
            }
        }
        (wrench, _) = solve_normals::<L, P, Q>(lanes, block, params, after);
    } else {
        let load;
        (wrench, load) = solve_normals::<L, P, Q>(lanes, block, params, motion);
        let mut after = slip;
        for row in 0..slips::<P>() {
            after[row] = after[row] + respond::<L, P>(lanes, &wrench, &block.cross[row]);
        }
        rub = solve_friction::<L, P, Q>(lanes, block, false, load, after);
    }
    let [f1, f2, about_n] = rub;
    let force = frame.n.times(wrench[0]).plus_times(frame.t1, f1).plus_times(frame.t2, f2);
    let torque = frame.torque::<P>([wrench[1], wrench[2], about_n]);
    // SAFETY: passed on.
    unsafe { ends.push::<0, L, P, Q, GROUND>(lanes, block, hot, &frame.arms, force, torque) };
    if !way.ends() {
        return;
    }
    for i in 0..P {
        let sum = lanes.load(&block.total[i]) + lanes.load(&block.lambda[i]);
        sum.store(&mut block.total[i]);
    }
    for k in 0..slips::<P>() {
        let sum = lanes.load(&block.total_rub[k]) + lanes.load(&block.rub[k]);
        sum.store(&mut block.total_rub[k]);
    }
}
