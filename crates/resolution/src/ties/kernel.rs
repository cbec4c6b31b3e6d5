//! What a pass does to eight ties: warm start and solve. Generic over the instruction set.
#![expect(unsafe_code, reason = "changes disjoint bodies of one array; colours keep them apart")]

use super::block::{ROWS, Row, TieBlock};
use super::frames::pick;
use crate::sweep::Way;
use crate::vector::{Sym3, Vec3, load_all};
use drystone_contact::{SPAN, SharedBodyStates};
use drystone_math::wide::{Lanes, Wide};

/// Share of an impulse that a sweep lets go: impulses of ties that hold the same twice could grow against each other for ever.
const LET_GO: f32 = 1e-6;

/// Both bodies of eight ties.
struct Ends<W> {
    v: [Vec3<W>; 2],
    w: [Vec3<W>; 2],
    /// Inverse mass and flags, as they were.
    rest: [[W; 2]; 2],
    /// Inverse masses along the world axes.
    mass: [Vec3<W>; 2],
    inertia: [Sym3<W>; 2],
    arms: [Vec3<W>; 2],
}

impl<W: Wide> Ends<W> {
    /// # Safety
    /// As [`SharedBodyStates::velocities`].
    #[inline(always)]
    unsafe fn gather<L: Lanes<F32 = W>>(lanes: L, block: &TieBlock, hot: &SharedBodyStates<'_>) -> Self {
        // SAFETY: passed on.
        let (a, b) = unsafe {
            (lanes.gather(hot.velocities(&block.ends[0])), lanes.gather(hot.velocities(&block.ends[1])))
        };
        let linear = |c: &[W; 8]| Vec3 { x: c[0], y: c[1], z: c[2] };
        let angular = |c: &[W; 8]| Vec3 { x: c[4], y: c[5], z: c[6] };
        Self {
            v: [linear(&a), linear(&b)],
            w: [angular(&a), angular(&b)],
            rest: [[a[3], a[7]], [b[3], b[7]]],
            mass: [Vec3::load(lanes, &block.axis_mass[0]), Vec3::load(lanes, &block.axis_mass[1])],
            inertia: [
                Sym3::load(lanes, &block.inverse_inertia[0]),
                Sym3::load(lanes, &block.inverse_inertia[1]),
            ],
            arms: [Vec3::load(lanes, &block.arms[0]), Vec3::load(lanes, &block.arms[1])],
        }
    }

    /// Applies a force and a torque to B and their opposites to A.
    #[inline(always)]
    fn push(&mut self, force: Vec3<W>, torque: Vec3<W>) {
        self.v[1] = self.v[1].plus(force.scaled(self.mass[1]));
        self.w[1] = self.w[1].plus(self.inertia[1].times(self.arms[1].cross(force).plus(torque)));
        self.v[0] = self.v[0].minus(force.scaled(self.mass[0]));
        self.w[0] = self.w[0].minus(self.inertia[0].times(self.arms[0].cross(force).plus(torque)));
    }

    /// Velocity of B against A where the tie acts.
    #[inline(always)]
    fn relative(&self) -> Vec3<W> {
        let at = |side: usize| self.v[side].plus(self.w[side].cross(self.arms[side]));
        at(1).minus(at(0))
    }

    /// Way of B against A in a sub-step of `h` seconds where the tie acts, over its length: both points go in circles about their centres ([`arc`]).
    #[inline(always)]
    fn way<L: Lanes<F32 = W>>(&self, lanes: L, h: W) -> Vec3<W> {
        let a = arc(lanes, self.v[0], self.w[0], self.arms[0], h);
        arc(lanes, self.v[1], self.w[1], self.arms[1], h).minus(a)
    }

    /// Turning of B against A in a sub-step, seen from the middle of A's: an axis that both have in common turns with A by then.
    #[inline(always)]
    fn turning(&self, half_h: W) -> Vec3<W> {
        self.w[1].minus(self.w[0]).plus_times(self.w[1].cross(self.w[0]), half_h)
    }

    /// # Safety
    /// As [`SharedBodyStates::set_half`].
    #[inline(always)]
    unsafe fn write<L: Lanes<F32 = W>>(&self, lanes: L, block: &TieBlock, hot: &SharedBodyStates<'_>) {
        for side in 0..2 {
            let (v, w, rest) = (&self.v[side], &self.w[side], &self.rest[side]);
            let columns = [v.x, v.y, v.z, rest[0], w.x, w.y, w.z, rest[1]];
            // SAFETY: passed on.
            unsafe { hot.set_half::<0, L>(lanes, &block.ends[side], columns, &block.inverse_mass[side]) };
        }
    }
}

/// Largest square of the angle of a sub-step, rad², that [`arc`] follows.
pub(super) const WIDEST: f32 = 2.0;

/// The way of a point in `h` seconds over their length, m/s: it moves with `v` and goes in a circle about the centre, `((exp(h [w]ₓ) − 1) r) / h`, whose series holds to rounding up
/// to [`WIDEST`]; what turns faster bends its way no more than that.
#[inline(always)]
fn arc<L: Lanes>(lanes: L, v: Vec3<L::F32>, w: Vec3<L::F32>, r: Vec3<L::F32>, h: L::F32) -> Vec3<L::F32> {
    let one = lanes.splat(1.0);
    let (angle, widest) = (w.dot(w) * (h * h), lanes.splat(WIDEST));
    let s = angle.min(widest);
    let over = |k: f32| s * lanes.splat(1.0 / k);
    let sine = one - over(6.0) * (one - over(20.0) * (one - over(42.0) * (one - over(72.0))));
    let cosine = one - over(12.0) * (one - over(30.0) * (one - over(56.0) * (one - over(90.0))));
    let along = w.cross(r);
    let is_wide = angle.greater(widest);
    let square = widest / angle.max(widest);
    let share = square.sqrt();
    let sine = L::F32::select(is_wide, one - share * (one - sine), sine);
    let cosine = L::F32::select(is_wide, cosine * square, cosine);
    v.plus_times(along, sine).plus_times(w.cross(along), lanes.splat(0.5) * h * cosine)
}

/// Force on B of the impulses of the sub-step, and the torque beside it.
#[inline(always)]
pub(super) fn wrench<L: Lanes>(lanes: L, block: &TieBlock) -> [Vec3<L::F32>; 2] {
    let mut force = Vec3::load(lanes, &block.lock);
    let mut torque = Vec3::load(lanes, &block.turn_lock);
    let mut k = 0;
    while k < ROWS {
        if block.rows >> k & 1 == 1 {
            let row = &block.row[k];
            let [drive, rub, limit, coupled] = load_all(lanes, &row.given);
            let sum = drive + rub + limit + coupled;
            force = force.plus_times(Vec3::load(lanes, &row.force), sum);
            torque = torque.plus_times(Vec3::load(lanes, &row.torque), sum);
        }
        k += 1;
    }
    [force, torque]
}

/// Applies what the last step gave, in the share of a sub-step.
///
/// # Safety
/// The bodies of the block belong to this call alone, but for those of inverse mass 0, which nobody writes.
#[inline(always)]
pub(super) unsafe fn warm_start<L: Lanes>(lanes: L, block: &TieBlock, hot: &SharedBodyStates<'_>) {
    // SAFETY: passed on.
    let mut ends = unsafe { Ends::gather(lanes, block, hot) };
    let [force, torque] = wrench(lanes, block);
    ends.push(force, torque);
    // SAFETY: passed on.
    unsafe { ends.write(lanes, block, hot) };
}

/// Solves the ties of a block: what is locked, unless that is left to whoever solves it with others ([`super::direct`]), and then rows, which leave that as it is; backward in reverse order.
///
/// # Safety
/// As [`warm_start`].
#[inline(always)]
pub(super) unsafe fn solve<L: Lanes>(
    lanes: L,
    block: &mut TieBlock,
    hot: &SharedBodyStates<'_>,
    h: f32,
    way: Way,
) {
    let is_all_in_sets = block.unswept == block.there;
    if is_all_in_sets && block.rows == 0 {
        return;
    }
    // SAFETY: passed on.
    let mut ends = unsafe { Ends::gather(lanes, block, hot) };
    if !is_all_in_sets {
        solve_place(lanes, block, &mut ends, h);
        if block.turns {
            solve_turn(lanes, block, &mut ends, h);
        }
    }
    for k in 0..ROWS {
        let k = if way == Way::There { k } else { ROWS - 1 - k };
        if block.rows >> k & 1 == 1 {
            let bend = if k == SPAN { bend(lanes, block, &ends, h) } else { lanes.splat(0.0) };
            solve_row(lanes, &mut block.row[k], &mut ends, bend);
        }
    }
    // SAFETY: passed on.
    unsafe { ends.write(lanes, block, hot) };
}

/// Adds the impulses of the sub-step to those of the step.
#[inline(always)]
pub(super) fn note<L: Lanes>(lanes: L, block: &mut TieBlock) {
    let [force, torque] = wrench(lanes, block);
    Vec3::load(lanes, &block.total).plus(force).store(&mut block.total);
    Vec3::load(lanes, &block.total_turn).plus(torque).store(&mut block.total_turn);
}

/// What is locked about axes, with the force that keeps the place meanwhile, so that place and turns of a tie are solved jointly: a long arm would
/// need a hundred sweeps from one to the other.
#[inline(always)]
fn solve_turn<L: Lanes>(lanes: L, block: &mut TieBlock, ends: &mut Ends<L::F32>, h: f32) {
    let zero = lanes.splat(0.0);
    let turn_mass = Sym3::load(lanes, &block.turn_mass);
    let given = Vec3::load(lanes, &block.turn_lock);
    let let_go = lanes.splat(LET_GO);
    let wrong = ends.turning(lanes.splat(0.5 * h));
    let torque = Vec3 { x: zero, y: zero, z: zero }.minus(turn_mass.times(wrong)).minus(given.times(let_go));
    // Written out: a closure is not always inlined into the kernel, and is compiled without its instructions then.
    let moved_a = ends.inertia[0].times(torque).cross(ends.arms[0]);
    let moved_b = ends.inertia[1].times(torque).cross(ends.arms[1]);
    let lock_mass = Sym3::load(lanes, &block.lock_mass);
    let none = Vec3 { x: zero, y: zero, z: zero };
    let alone = lanes.mask(!block.unswept);
    let torque = pick(alone, torque, none);
    let force = pick(alone, none.minus(lock_mass.times(moved_a.plus(moved_b))), none);
    ends.push(force, torque);
    Vec3::load(lanes, &block.lock).plus(force).store(&mut block.lock);
    given.plus(torque).store(&mut block.turn_lock);
}

/// What is locked along axes: the place at the end of the sub-step, with the turning that it takes (the method SHAKE, to second
/// order): velocities that keep a place at their instant alone would lose speed by every turn.
#[inline(always)]
fn solve_place<L: Lanes>(lanes: L, block: &mut TieBlock, ends: &mut Ends<L::F32>, h: f32) {
    let zero = lanes.splat(0.0);
    let mass = Sym3::load(lanes, &block.lock_mass);
    let mut wrong = ends.way(lanes, lanes.splat(h));
    if block.parts[0] {
        // What goes along A's axes goes with them.
        let [x, y, z, ..] = block.locked;
        let along = wrong.plus_times(wrong.cross(ends.w[0]), lanes.splat(h));
        wrong = pick(lanes.mask(!(x & y & z)), along, wrong);
    }
    let none = Vec3 { x: zero, y: zero, z: zero };
    let given = Vec3::load(lanes, &block.lock);
    let force = none.minus(mass.times(wrong)).minus(given.times(lanes.splat(LET_GO)));
    let force = pick(lanes.mask(!block.unswept), force, none);
    ends.push(force, none);
    given.plus(force).store(&mut block.lock);
}

/// Speed by which the distance of both anchors grows over a sub-step of `h` seconds beside that along their direction now, m/s: with the way `w` of B's against A's over `h`, and `d` between them before it,
/// ```text
/// (|d + h w| − |d|) / h = (2 d·w + h w·w) / (|d + h w| + |d|)
/// ```
#[inline(always)]
fn bend<L: Lanes>(lanes: L, block: &TieBlock, ends: &Ends<L::F32>, h: f32) -> L::F32 {
    let (zero, h) = (lanes.splat(0.0), lanes.splat(h));
    let d = Vec3::load(lanes, &block.span);
    let a = arc(lanes, ends.v[0], ends.w[0], ends.arms[0].minus(d), h);
    let way = arc(lanes, ends.v[1], ends.w[1], ends.arms[1], h).minus(a);
    let (square, along) = (d.dot(d), d.dot(way));
    let grown = along + along + h * way.dot(way);
    let length = square.sqrt();
    let speed = grown / ((square + h * grown).max(zero).sqrt() + length);
    let bend = speed - d.dot(ends.relative()) / length;
    L::F32::select(length.greater(zero), bend, zero)
}

/// One coordinate: what drives it, what rubs, and its limits, the strongest last. At its limits it grows by the `bend` as well, m/s.
#[inline(always)]
fn solve_row<L: Lanes>(lanes: L, row: &mut Row, ends: &mut Ends<L::F32>, bend: L::F32) {
    let zero = lanes.splat(0.0);
    let along = Vec3::load(lanes, &row.force);
    let about = Vec3::load(lanes, &row.torque);
    let (mass, response) = (lanes.load(&row.mass), lanes.load(&row.response));
    let [drive, rub, limit, _] = load_all(lanes, &row.given);
    let spin = ends.w[1].minus(ends.w[0]);
    let mut v = along.dot(ends.relative()) + about.dot(spin);
    let most_drive = lanes.load(&row.most);
    let wrong = v - lanes.load(&row.wanted) + lanes.load(&row.softness) * drive;
    let next_drive = (drive - lanes.load(&row.drive_mass) * wrong).min(most_drive).max(zero - most_drive);
    v = v + response * (next_drive - drive);
    let most = lanes.load(&row.rub);
    let next_rub = (rub - mass * v).min(most).max(zero - most);
    v = v + response * (next_rub - rub) + bend;
    let [down, up] = load_all(lanes, &row.room);
    // One of both at most: from below it pushes, from above it pulls.
    let next_limit = (limit - mass * (v + down)).max(zero) + (limit - mass * (v - up)).min(zero);
    // A drive without a bound that pushes against its limit would grow for ever, and push on as long when it is reversed.
    let is_endless = most_drive.equal(lanes.splat(f32::MAX)) & lanes.load(&row.softness).equal(zero);
    let forward = next_drive.max(zero).min((zero - next_limit).max(zero));
    let backward = (zero - next_drive).max(zero).min(next_limit.max(zero));
    let lost = L::F32::select(is_endless, forward - backward, zero);
    let (next_drive, next_limit) = (next_drive - lost, next_limit + lost);
    next_drive.store(&mut row.given[0]);
    next_rub.store(&mut row.given[1]);
    next_limit.store(&mut row.given[2]);
    let given = (next_drive - drive) + (next_rub - rub) + (next_limit - limit);
    ends.push(along.times(given), about.times(given));
}
