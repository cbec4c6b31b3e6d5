//! What a pass does to one block. Generic over the instruction set; the bits do not depend on it.
//!
//! Points of a contact are solved jointly and exactly: the two of a face are a linear complementarity problem of two
//! unknowns, whose four cases are tried together. So the order of points has no influence, and stacks do not lean.
//! Friction is one force: in the plane both points of a face rub along the same line.
#![expect(unsafe_code, reason = "changes disjoint bodies of one array; colours keep them apart")]
#![expect(clippy::needless_range_loop, reason = "iterators over lane values may stay calls")]

use super::block::{Block, NOWHERE};
use crate::bodies::Row;
use drystone_exec::Shared;
use drystone_math::wide::{Kernel, Lanes, Mask, Wide};

/// Numbers that are the same for all blocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct PassParams {
    /// One over the sub-step, 1/s.
    pub(super) inverse_h: f32,
    /// Width of the rest band, m.
    pub(super) band: f32,
    /// Share of an overlap that a sub-step takes back, and most that it does, m.
    pub(super) recovery: f32,
    pub(super) recovery_limit: f32,
    /// The speed that gravity gives in a step, m/s.
    pub(super) unit: f32,
}

/// What to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    /// Applies the impulses of the sub-step before.
    Warm,
    /// Solves: normals, then friction.
    There,
    /// Solves: friction, then normals.
    Back,
    /// The same, and notes the residual.
    LastBack,
    /// Takes overlap back by moving the bodies, without any velocity.
    Place,
    /// Lets contacts part that bounce.
    Bounce,
}

/// A pass over blocks of one colour.
pub(super) struct Sweep<'a, const P: usize> {
    pub(super) blocks: &'a mut [Block<P>],
    pub(super) rows: &'a Shared<'a, Row>,
    pub(super) params: &'a PassParams,
    pub(super) pass: Pass,
}

impl<const P: usize> Kernel for Sweep<'_, P> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let Sweep { blocks, rows, params, pass } = self;
        for block in blocks {
            // SAFETY: passed on from the maker of the sweep: the blocks of a colour share no body that can move, and
            // nobody else has one of them.
            unsafe {
                match pass {
                    Pass::Warm => warm(lanes, block, rows),
                    Pass::There => solve::<L, P, false>(lanes, block, rows, params, false),
                    Pass::Back => solve::<L, P, true>(lanes, block, rows, params, false),
                    Pass::LastBack => solve::<L, P, true>(lanes, block, rows, params, true),
                    Pass::Place if block.is_deep => place(lanes, block, rows, params),
                    Pass::Bounce if block.has_bounce => bounce(lanes, block, rows),
                    Pass::Place | Pass::Bounce => {}
                }
            }
        }
    }
}

/// Both bodies of a block: `v.x v.y w 1/m | d.x d.y turn 1/I`.
struct Ends<W> {
    a: [W; 8],
    b: [W; 8],
}

impl<W: Wide> Ends<W> {
    /// # Safety
    /// Nobody writes these bodies meanwhile.
    #[inline(always)]
    unsafe fn gather<L: Lanes<F32 = W>, const P: usize>(
        lanes: L,
        block: &Block<P>,
        rows: &Shared<'_, Row>,
    ) -> Self {
        let [a, b] = &block.ends;
        // SAFETY: by the caller's promise; indices are those of bodies.
        unsafe {
            let row = |i: u32| rows.get(i);
            Self {
                a: lanes.gather([
                    row(a[0]),
                    row(a[1]),
                    row(a[2]),
                    row(a[3]),
                    row(a[4]),
                    row(a[5]),
                    row(a[6]),
                    row(a[7]),
                ]),
                b: lanes.gather([
                    row(b[0]),
                    row(b[1]),
                    row(b[2]),
                    row(b[3]),
                    row(b[4]),
                    row(b[5]),
                    row(b[6]),
                    row(b[7]),
                ]),
            }
        }
    }

    /// Writes those back that can be pushed.
    ///
    /// # Safety
    /// Nobody else reads or writes these.
    #[inline(always)]
    unsafe fn scatter<L: Lanes<F32 = W>, const P: usize>(
        self,
        lanes: L,
        block: &Block<P>,
        rows: &Shared<'_, Row>,
    ) {
        // SAFETY: passed on.
        unsafe {
            put(lanes, self.a, &block.ends[0], block.is_pushed[0], rows);
            put(lanes, self.b, &block.ends[1], block.is_pushed[1], rows);
        }
    }
}

/// # Safety
/// Nobody else reads or writes the bodies of these lanes.
#[inline(always)]
unsafe fn put<L: Lanes>(lanes: L, columns: [L::F32; 8], ends: &[u32; 8], bits: u8, rows: &Shared<'_, Row>) {
    if bits == 0 {
        return;
    }
    let values = lanes.transpose(columns);
    // Mostly all of them: a branch for each would cost as much as the stores.
    if bits == u8::MAX {
        for k in 0..8 {
            // SAFETY: by the caller's promise.
            values[k].store(unsafe { rows.get_mut(ends[k]) });
        }
        return;
    }
    for k in 0..8 {
        if bits & (1 << k) != 0 {
            // SAFETY: by the caller's promise.
            values[k].store(unsafe { rows.get_mut(ends[k]) });
        }
    }
}

/// A normal, the arms of the points and of friction.
struct Frame<W, const P: usize> {
    n: [W; 2],
    arms: [[W; P]; 2],
    tangent_arms: [W; 2],
}

impl<W: Wide, const P: usize> Frame<W, P> {
    #[inline(always)]
    fn load<L: Lanes<F32 = W>>(lanes: L, block: &Block<P>) -> Self {
        let zero = lanes.splat(0.0);
        let mut arms = [[zero; P]; 2];
        for side in 0..2 {
            for i in 0..P {
                arms[side][i] = lanes.load(&block.arms[side][i]);
            }
        }
        Self {
            n: [lanes.load(&block.normal[0]), lanes.load(&block.normal[1])],
            arms,
            tangent_arms: [lanes.load(&block.tangent_arms[0]), lanes.load(&block.tangent_arms[1])],
        }
    }

    /// Speed at which point `i` parts (`FROM` 0), or by how much it has (`FROM` 4).
    #[inline(always)]
    fn parting<const FROM: usize>(&self, ends: &Ends<W>, i: usize) -> W {
        let (a, b) = (&ends.a, &ends.b);
        self.n[0] * (b[FROM] - a[FROM])
            + self.n[1] * (b[FROM + 1] - a[FROM + 1])
            + (self.arms[1][i] * b[FROM + 2] - self.arms[0][i] * a[FROM + 2])
    }

    /// Speed at which B slides over A against the clock's sense of the normal.
    #[inline(always)]
    fn sliding(&self, ends: &Ends<W>) -> W {
        let (a, b) = (&ends.a, &ends.b);
        self.n[0] * (b[1] - a[1]) - self.n[1] * (b[0] - a[0])
            + (self.tangent_arms[1] * b[2] - self.tangent_arms[0] * a[2])
    }

    /// Applies normal impulses, to velocities (`FROM` 0) or as displacements (`FROM` 4).
    #[inline(always)]
    fn press<const FROM: usize>(&self, ends: &mut Ends<W>, impulse: &[W; P]) {
        let (mut sum, mut about_a, mut about_b) =
            (impulse[0], self.arms[0][0] * impulse[0], self.arms[1][0] * impulse[0]);
        for i in 1..P {
            sum = sum + impulse[i];
            about_a = about_a + self.arms[0][i] * impulse[i];
            about_b = about_b + self.arms[1][i] * impulse[i];
        }
        let (x, y) = (self.n[0] * sum, self.n[1] * sum);
        ends.push::<FROM>(x, y, about_a, about_b);
    }

    /// Applies a friction impulse.
    #[inline(always)]
    fn rub(&self, ends: &mut Ends<W>, impulse: W) {
        let (x, y) = (-(self.n[1] * impulse), self.n[0] * impulse);
        ends.push::<0>(x, y, self.tangent_arms[0] * impulse, self.tangent_arms[1] * impulse);
    }
}

impl<W: Wide> Ends<W> {
    /// Applies an impulse to B and its opposite to A, with the torques about their centres.
    #[inline(always)]
    fn push<const FROM: usize>(&mut self, x: W, y: W, about_a: W, about_b: W) {
        let (a, b) = (&mut self.a, &mut self.b);
        a[FROM] = a[FROM] - x * a[3];
        a[FROM + 1] = a[FROM + 1] - y * a[3];
        a[FROM + 2] = a[FROM + 2] - about_a * a[7];
        b[FROM] = b[FROM] + x * b[3];
        b[FROM + 1] = b[FROM + 1] + y * b[3];
        b[FROM + 2] = b[FROM + 2] + about_b * b[7];
    }
}

/// Impulses `x >= 0` with `K x + w >= 0` and one of both zero at each point, where `w` is what is wrong without any.
#[inline(always)]
fn complementary<L: Lanes, const P: usize>(lanes: L, block: &Block<P>, w: &[L::F32; P]) -> [L::F32; P] {
    let zero = lanes.splat(0.0);
    let inverse = lanes.load(&block.inverse);
    let mut x = [zero; P];
    if P == 1 {
        x[0] = (-(w[0] * inverse)).max(zero);
        return x;
    }
    let [k11, k22] = [lanes.load(&block.response[0]), lanes.load(&block.response[P - 1])];
    let k12 = lanes.load(&block.coupling);
    let scale = lanes.load(&block.scale);
    let both = [
        ((k12 * w[P - 1] - k22 * w[0]) * scale) * inverse,
        ((k12 * w[0] - k11 * w[P - 1]) * scale) * inverse,
    ];
    let is_both = both[0].min(both[1]).greater_or_equal(zero);
    if is_both.all() {
        (x[0], x[P - 1]) = (both[0], both[1]);
        return x;
    }
    let (first, second) = (-(w[0] / k11), (-(w[P - 1] / k22)).max(zero));
    let is_first = first.greater_or_equal(zero) & (k12 * first + w[P - 1]).greater_or_equal(zero);
    let alone = [L::F32::select(is_first, first, zero), L::F32::select(is_first, zero, second)];
    x[0] = L::F32::select(is_both, both[0], alone[0]);
    x[P - 1] = L::F32::select(is_both, both[1], alone[1]);
    x
}

/// `K x`.
#[inline(always)]
fn respond<L: Lanes, const P: usize>(lanes: L, block: &Block<P>, x: &[L::F32; P]) -> [L::F32; P] {
    let mut out = [lanes.splat(0.0); P];
    let coupling = lanes.load(&block.coupling);
    for i in 0..P {
        out[i] = lanes.load(&block.response[i]) * x[i];
        if P == 2 {
            out[i] = out[i] + coupling * x[1 - i];
        }
    }
    out
}

/// # Safety
/// The bodies of the block that can be pushed belong to this call alone.
#[inline(always)]
unsafe fn warm<L: Lanes, const P: usize>(lanes: L, block: &Block<P>, rows: &Shared<'_, Row>) {
    let frame = Frame::load(lanes, block);
    // SAFETY: passed on.
    let mut ends = unsafe { Ends::gather(lanes, block, rows) };
    let mut lambda = [lanes.splat(0.0); P];
    for i in 0..P {
        lambda[i] = lanes.load(&block.lambda[i]);
    }
    frame.press::<0>(&mut ends, &lambda);
    frame.rub(&mut ends, lanes.load(&block.rub));
    if block.has_rolling {
        let zero = lanes.splat(0.0);
        let roll = lanes.load(&block.rolling[2]);
        ends.push::<0>(zero, zero, roll, roll);
    }
    // SAFETY: passed on.
    unsafe { ends.scatter(lanes, block, rows) };
}

/// Normals and friction; in reverse order on the way back, so that both ways together are symmetric.
///
/// # Safety
/// As [`warm`].
#[inline(always)]
unsafe fn solve<L: Lanes, const P: usize, const BACK: bool>(
    lanes: L,
    block: &mut Block<P>,
    rows: &Shared<'_, Row>,
    params: &PassParams,
    notes_residual: bool,
) {
    let frame = Frame::load(lanes, block);
    // SAFETY: passed on.
    let mut ends = unsafe { Ends::gather(lanes, block, rows) };
    let zero = lanes.splat(0.0);
    let mut lambda = [zero; P];
    for i in 0..P {
        lambda[i] = lanes.load(&block.lambda[i]);
    }
    if BACK {
        friction(lanes, block, &frame, &mut ends, &lambda);
    }
    let (inverse_h, mut error, mut closing) = (lanes.splat(params.inverse_h), [zero; P], zero);
    let mut depth = zero;
    for i in 0..P {
        let gap = lanes.load(&block.gap[i]) + frame.parting::<4>(&ends, i);
        let speed = frame.parting::<0>(&ends, i);
        error[i] = speed + gap.max(zero) * inverse_h;
        closing = closing.min(error[i]);
        depth = depth.min(gap);
    }
    let old = lambda;
    let caused = respond(lanes, block, &old);
    let mut wrong = [zero; P];
    for i in 0..P {
        wrong[i] = error[i] - caused[i];
    }
    lambda = complementary(lanes, block, &wrong);
    let mut change = [zero; P];
    for i in 0..P {
        change[i] = lambda[i] - old[i];
        lambda[i].store(&mut block.lambda[i]);
    }
    frame.press::<0>(&mut ends, &change);
    if !BACK {
        friction(lanes, block, &frame, &mut ends, &lambda);
    } else {
        for i in 0..P {
            (lanes.load(&block.total[i]) + lambda[i]).store(&mut block.total[i]);
        }
        (lanes.load(&block.total_rub) + lanes.load(&block.rub)).store(&mut block.total_rub);
        // What is about to be deeper than the band is taken back in this sub-step's placing.
        block.is_deep = depth.less(lanes.splat(-0.9 * params.band)).any();
    }
    if notes_residual {
        (-closing).store(&mut block.residual);
    }
    // SAFETY: passed on.
    unsafe { ends.scatter(lanes, block, rows) };
}

/// Friction: sticks up to the static coefficient times the normal impulse, slides with the kinetic one.
#[inline(always)]
fn friction<L: Lanes, const P: usize>(
    lanes: L,
    block: &mut Block<P>,
    frame: &Frame<L::F32, P>,
    ends: &mut Ends<L::F32>,
    lambda: &[L::F32; P],
) {
    let mut pressed = lambda[0];
    for i in 1..P {
        pressed = pressed + lambda[i];
    }
    let old = lanes.load(&block.rub);
    let slip = frame.sliding(ends) - lanes.load(&block.drive);
    let wanted = old - lanes.load(&block.tangent_mass) * slip;
    let [most, sliding] =
        [lanes.load(&block.friction[0]) * pressed, lanes.load(&block.friction[1]) * pressed];
    let slid = wanted.min(sliding).max(-sliding);
    let new = L::F32::select(wanted.abs().less_or_equal(most), wanted, slid);
    new.store(&mut block.rub);
    frame.rub(ends, new - old);
    if block.has_rolling {
        let zero = lanes.splat(0.0);
        let old = lanes.load(&block.rolling[2]);
        let most = lanes.load(&block.rolling[0]) * pressed;
        let wanted = old - lanes.load(&block.rolling[1]) * (ends.b[2] - ends.a[2]);
        let new = wanted.min(most).max(-most);
        new.store(&mut block.rolling[2]);
        ends.push::<0>(zero, zero, new - old, new - old);
    }
}

/// Overlap beyond the rest band is taken back by moving the bodies.
///
/// # Safety
/// As [`warm`].
#[inline(always)]
unsafe fn place<L: Lanes, const P: usize>(
    lanes: L,
    block: &Block<P>,
    rows: &Shared<'_, Row>,
    params: &PassParams,
) {
    let frame = Frame::load(lanes, block);
    // SAFETY: passed on.
    let mut ends = unsafe { Ends::gather(lanes, block, rows) };
    let (zero, band) = (lanes.splat(0.0), lanes.splat(params.band));
    let (mut wrong, mut least) = ([zero; P], zero);
    for i in 0..P {
        let gap = lanes.load(&block.gap[i]) + frame.parting::<4>(&ends, i) + band;
        let back = (gap * lanes.splat(params.recovery)).max(lanes.splat(-params.recovery_limit));
        wrong[i] = L::F32::select(gap.less(zero), back, gap);
        least = least.min(gap);
    }
    if !least.less(zero).any() {
        return;
    }
    let moves = complementary(lanes, block, &wrong);
    frame.press::<4>(&mut ends, &moves);
    // SAFETY: passed on.
    unsafe { ends.scatter(lanes, block, rows) };
}

/// Contacts that closed fast and were pushed part with the share of that speed that returns.
///
/// # Safety
/// As [`warm`].
#[inline(always)]
unsafe fn bounce<L: Lanes, const P: usize>(lanes: L, block: &mut Block<P>, rows: &Shared<'_, Row>) {
    let frame = Frame::load(lanes, block);
    // SAFETY: passed on.
    let mut ends = unsafe { Ends::gather(lanes, block, rows) };
    let zero = lanes.splat(0.0);
    let nowhere = lanes.splat(NOWHERE);
    let mut wrong = [zero; P];
    for i in 0..P {
        let wanted = lanes.load(&block.bounce[i]);
        // What was near and not hit does not bounce.
        let takes_part = lanes.load(&block.total[i]).greater(zero) & wanted.greater(zero);
        wrong[i] = L::F32::select(takes_part, frame.parting::<0>(&ends, i) - wanted, nowhere);
    }
    let impulse = complementary(lanes, block, &wrong);
    frame.press::<0>(&mut ends, &impulse);
    for i in 0..P {
        (lanes.load(&block.total[i]) + impulse[i]).store(&mut block.total[i]);
    }
    // SAFETY: passed on.
    unsafe { ends.scatter(lanes, block, rows) };
}
