//! Frames and coordinates of eight ties, in lanes: the arithmetic of [`drystone_contact::JointFrames`].

use super::algebra::SINGULAR;
use super::block::{CONE, TieBlock};
use super::turns::{Quaternion, angle, shorter};
use crate::vector::{F8, Sym3, Vec3};
use drystone_contact::{LEAST_OPENING, TWIST};
use drystone_math::wide::{Lanes, Wide};

/// Sine of half an angle below which it is as good as its arc.
const SMALL: f32 = 1e-4;
/// Where eight ties are.
pub(super) struct Found<W> {
    /// Axes of A's frame, world.
    pub(super) axes: [Vec3<W>; 3],
    /// Axes about which turns are locked, world: those, but for a twist that is locked alone ([`Found::lock_twist`]).
    pub(super) turn_axes: [Vec3<W>; 3],
    /// Coordinates, m and rad: along the axes, the twist, the swing.
    pub(super) values: [W; 6],
    /// Angle of the cone, and the axis about which it opens; what the relative angular velocity is multiplied with to give the rate of the twist.
    pub(super) opening: W,
    pub(super) swing: Vec3<W>,
    pub(super) twist: Vec3<W>,
}

#[inline(always)]
pub(super) fn zeros<L: Lanes>(lanes: L) -> Vec3<L::F32> {
    let zero = lanes.splat(0.0);
    Vec3 { x: zero, y: zero, z: zero }
}

#[inline(always)]
pub(super) fn pick<W: Wide>(mask: W::Mask, new: Vec3<W>, old: Vec3<W>) -> Vec3<W> {
    Vec3 {
        x: W::select(mask, new.x, old.x),
        y: W::select(mask, new.y, old.y),
        z: W::select(mask, new.z, old.z),
    }
}

/// `axes · v`: from the frame to the world.
#[inline(always)]
fn out_of<W: Wide>(axes: &[Vec3<W>; 3], v: Vec3<W>) -> Vec3<W> {
    axes[0].times(v.x).plus_times(axes[1], v.y).plus_times(axes[2], v.z)
}

/// The coordinates of eight ties from their frames and the gap of their origins; those of turns only where they are asked for.
#[inline(always)]
pub(super) fn coordinates<L: Lanes>(
    lanes: L,
    [a, b]: [Quaternion<L::F32>; 2],
    gap: Vec3<L::F32>,
    with_turns: bool,
) -> Found<L::F32> {
    let (zero, one, two) = (lanes.splat(0.0), lanes.splat(1.0), lanes.splat(2.0));
    let axes = a.axes(lanes);
    let along = [axes[0].dot(gap), axes[1].dot(gap), axes[2].dot(gap)];
    let none = zeros(lanes);
    if !with_turns {
        let values = [along[0], along[1], along[2], zero, zero, zero];
        return Found { axes, turn_axes: axes, values, opening: zero, swing: none, twist: none };
    }
    let relative = a.to(b);
    let sign = L::F32::select(relative.w.less(zero), zero - one, one);
    let (w, v) = (relative.w * sign, relative.v.times(sign));
    // As `q = swing · twist`; turned by half a revolution, any twist will do.
    let norm = (w * w + v.x * v.x).sqrt();
    let is_told = norm.greater(lanes.splat(SMALL * SMALL));
    let cos = L::F32::select(is_told, w / norm, one);
    let sin = L::F32::select(is_told, v.x / norm, zero);
    let twist = two * angle(lanes, sin, cos);
    let bend = Vec3 { x: zero, y: v.y * cos - v.z * sin, z: v.z * cos + v.y * sin };
    let sine = bend.dot(bend).sqrt();
    let opening = two * angle(lanes, sine, norm);
    let per_sine = L::F32::select(sine.greater(lanes.splat(SMALL)), opening / sine, two);
    let is_bent = sine.greater(lanes.splat(SMALL * SMALL));
    let swing = out_of(&axes, bend).times(L::F32::select(is_bent, one / sine, zero));
    let x_of_b = b.axes(lanes)[0];
    let apart = one + axes[0].dot(x_of_b);
    let twist_rate = axes[0].plus(x_of_b).times(one / apart.max(lanes.splat(LEAST_OPENING)));
    let values = [along[0], along[1], along[2], twist, bend.y * per_sine, bend.z * per_sine];
    Found { axes, turn_axes: axes, values, opening, swing, twist: twist_rate }
}

impl<W: Wide> Found<W> {
    /// Nothing: for what needs no frames.
    #[inline(always)]
    pub(super) fn none<L: Lanes<F32 = W>>(lanes: L) -> Self {
        let (zero, none) = (lanes.splat(0.0), zeros(lanes));
        let axes = [none; 3];
        Self { axes, turn_axes: axes, values: [zero; 6], opening: zero, swing: none, twist: none }
    }

    /// A twist that is locked while both swings are free, as that of a universal joint, is locked about the axis that its rate is about, between both frames: about A's own it would turn as the joint bends.
    #[inline(always)]
    pub(super) fn lock_twist<L: Lanes<F32 = W, Mask = W::Mask>>(
        mut self,
        lanes: L,
        locked: &[u8; 6],
    ) -> Self {
        let is_alone = locked[TWIST] & !locked[TWIST + 1] & !locked[TWIST + 2];
        if is_alone != 0 {
            let length = self.twist.dot(self.twist).sqrt().max(lanes.splat(f32::MIN_POSITIVE));
            let along = self.twist.times(lanes.splat(1.0) / length);
            self.turn_axes[0] = pick(lanes.mask(is_alone), along, self.axes[0]);
        }
        self
    }

    /// Axes of three coordinates from `first` on.
    #[inline(always)]
    fn axes_from(&self, first: usize) -> &[Vec3<W>; 3] {
        if first == 0 { &self.axes } else { &self.turn_axes }
    }

    /// What the locked ones of three coordinates from `first` on miss, world.
    #[inline(always)]
    pub(super) fn missed<L: Lanes<F32 = W, Mask = W::Mask>>(
        &self,
        lanes: L,
        block: &TieBlock,
        first: usize,
    ) -> Vec3<W> {
        let mut off = [lanes.splat(0.0); 3];
        let mut k = 0;
        while k < 3 {
            let far = self.values[first + k] - lanes.load(&block.locked_at[first + k]);
            let far = if first + k == TWIST { shorter(lanes, far) } else { far };
            off[k] = W::select(lanes.mask(block.locked[first + k]), far, off[k]);
            k += 1;
        }
        out_of(self.axes_from(first), Vec3 { x: off[0], y: off[1], z: off[2] })
    }

    /// The inverse of a response among the locked ones of three coordinates from `first` on, world, and where it has one.
    #[inline(always)]
    pub(super) fn inverse<L: Lanes<F32 = W, Mask = W::Mask>>(
        &self,
        lanes: L,
        block: &TieBlock,
        first: usize,
        response: [W; 6],
    ) -> (Sym3<W>, W::Mask) {
        let (zero, one) = (lanes.splat(0.0), lanes.splat(1.0));
        let [x, y, z] = [block.locked[first], block.locked[first + 1], block.locked[first + 2]];
        let is_locked = [lanes.mask(x), lanes.mask(y), lanes.mask(z)];
        let is_part = block.parts[usize::from(first > 0)];
        let [mut xx, mut yy, mut zz, mut xy, mut xz, mut yz] =
            if is_part { Sym3::of(response).seen_from(self.axes_from(first)) } else { response };
        let least = (xx + yy + zz) * lanes.splat(SINGULAR);
        let is_some = is_locked[0] | is_locked[1] | is_locked[2];
        // What is locked and does not give way is left to the plain way; nothing locked has an inverse of nothing.
        let is_well = (xx.greater(least) | !is_locked[0])
            & (yy.greater(least) | !is_locked[1])
            & (zz.greater(least) | !is_locked[2]);
        let [in_x, in_y, in_z] = is_locked;
        if is_part {
            (xx, yy, zz) = (W::select(in_x, xx, one), W::select(in_y, yy, one), W::select(in_z, zz, one));
            xy = W::select(in_x & in_y, xy, zero);
            xz = W::select(in_x & in_z, xz, zero);
            yz = W::select(in_y & in_z, yz, zero);
        }
        let (inverse, determinant) = inverse_of([xx, yy, zz, xy, xz, yz]);
        let is_well = (is_well & determinant.greater(zero)) | !is_some;
        let share = W::select(is_some & is_well, one / determinant, zero);
        let mut inverse = scaled(inverse, share);
        if !is_part {
            return (Sym3::of(inverse), is_well);
        }
        inverse[0] = W::select(in_x, inverse[0], zero);
        inverse[1] = W::select(in_y, inverse[1], zero);
        inverse[2] = W::select(in_z, inverse[2], zero);
        (Sym3::of(Sym3::of(inverse).seen_from(&transposed(self.axes_from(first)))), is_well)
    }

    /// Leaves of the impulses of what is locked the part that still lies along, or about, locked axes: these turn, and along the free ones nothing would
    /// ever take it back. Lanes that lock all three or that are not `done` keep theirs as they are.
    #[inline(always)]
    pub(super) fn keep_locked<L: Lanes<F32 = W, Mask = W::Mask>>(
        &self,
        lanes: L,
        block: &mut TieBlock,
        done: W::Mask,
    ) {
        if block.parts[0] {
            self.held(lanes, block, 0, done, &block.lock).store(&mut block.lock);
        }
        if block.parts[1] {
            self.held(lanes, block, 3, done, &block.turn_lock).store(&mut block.turn_lock);
        }
    }

    /// The part of an impulse that lies along the locked ones of three coordinates from `first` on.
    #[inline(always)]
    fn held<L: Lanes<F32 = W, Mask = W::Mask>>(
        &self,
        lanes: L,
        block: &TieBlock,
        first: usize,
        done: W::Mask,
        given: &[F8; 3],
    ) -> Vec3<W> {
        let (zero, given) = (lanes.splat(0.0), Vec3::load(lanes, given));
        let locked = [block.locked[first], block.locked[first + 1], block.locked[first + 2]];
        let mut along = [zero; 3];
        let mut k = 0;
        while k < 3 {
            along[k] = W::select(lanes.mask(locked[k]), self.axes_from(first)[k].dot(given), zero);
            k += 1;
        }
        let is_free = lanes.mask(!(locked[0] & locked[1] & locked[2]));
        pick(
            done & is_free,
            out_of(self.axes_from(first), Vec3 { x: along[0], y: along[1], z: along[2] }),
            given,
        )
    }

    /// The coordinate of a row.
    #[inline(always)]
    pub(super) fn value(&self, k: usize) -> W {
        if k == CONE { self.opening } else { self.values[k] }
    }
}

/// Inverse inertias of eight bodies, world axes, that have turned since the step began: `R I⁻¹ Rᵀ` in the lanes `follows`.
#[inline(always)]
pub(super) fn turned_inertia<L: Lanes>(
    lanes: L,
    start: &[F8; 6],
    follows: u8,
    turn: Quaternion<L::F32>,
) -> Sym3<L::F32> {
    let start = Sym3::load(lanes, start);
    if follows == 0 {
        return start;
    }
    // The rows of `R` are the columns of its transpose.
    let rows = turn.inverse(lanes).axes(lanes);
    let (mut turned, follows) = (start.seen_from(&rows), lanes.mask(follows));
    let kept = start.entries();
    let mut k = 0;
    while k < 6 {
        turned[k] = L::F32::select(follows, turned[k], kept[k]);
        k += 1;
    }
    Sym3::of(turned)
}

/// The adjugates of eight symmetric matrices, which are their inverses times their determinants, and those.
#[inline(always)]
pub(super) fn inverse_of<W: Wide>([xx, yy, zz, xy, xz, yz]: [W; 6]) -> ([W; 6], W) {
    let (of_xx, of_xy, of_xz) = (yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy);
    let determinant = xx * of_xx + xy * of_xy + xz * of_xz;
    ([of_xx, xx * zz - xz * xz, xx * yy - xy * xy, of_xy, of_xz, xy * xz - xx * yz], determinant)
}

#[inline(always)]
pub(super) fn scaled<W: Wide>([a, b, c, d, e, f]: [W; 6], share: W) -> [W; 6] {
    [a * share, b * share, c * share, d * share, e * share, f * share]
}

/// The axes of the world, seen from these.
#[inline(always)]
pub(super) fn transposed<W: Wide>([x, y, z]: &[Vec3<W>; 3]) -> [Vec3<W>; 3] {
    [Vec3 { x: x.x, y: y.x, z: z.x }, Vec3 { x: x.y, y: y.y, z: z.y }, Vec3 { x: x.z, y: y.z, z: z.z }]
}
