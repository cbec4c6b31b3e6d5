//! Rotations in lanes: eight at a time, with the arithmetic of `drystone_math`.

use super::block::TieBlock;
use crate::vector::{F8, Vec3, load_all};
use drystone_math::wide::{Lanes, Wide};
use std::f32::consts::{FRAC_PI_4, PI, TAU};

/// Square of half the turn of a step, rad², up to which the series below hold to rounding: 3.2 rad.
const LARGEST_HALF_TURN: f32 = 2.56;
/// Ratio of the sides of a triangle, tan π/8, above which its angle is nearer to a quarter of π.
const EIGHTH: f32 = 0.414_213_56;

/// Eight unit quaternions: a number and a vector.
#[derive(Clone, Copy)]
pub(super) struct Quaternion<W> {
    pub(super) w: W,
    pub(super) v: Vec3<W>,
}

impl<W: Wide> Quaternion<W> {
    #[inline(always)]
    pub(super) fn load<L: Lanes<F32 = W>>(lanes: L, rows: &[F8; 4]) -> Self {
        let [w, x, y, z] = load_all(lanes, rows);
        Self { w, v: Vec3 { x, y, z } }
    }

    /// Of a rotation vector, rad, and whether the series reach so far.
    #[inline(always)]
    pub(super) fn of_vector<L: Lanes<F32 = W, Mask = W::Mask>>(lanes: L, vector: Vec3<W>) -> (Self, W::Mask) {
        let one = lanes.splat(1.0);
        let half = vector.times(lanes.splat(0.5));
        let s = half.dot(half);
        // 1 - s / (k (k + 1)) (1 - ...), from the last term backwards.
        let (mut sinc, mut cos) = (one, one);
        let mut k = 15;
        while k > 1 {
            sinc = one - s * lanes.splat(1.0 / (k * (k - 1)) as f32) * sinc;
            cos = one - s * lanes.splat(1.0 / ((k - 1) * (k - 2)) as f32) * cos;
            k -= 2;
        }
        (Self { w: cos, v: half.times(sinc) }, s.less_or_equal(lanes.splat(LARGEST_HALF_TURN)))
    }

    /// First `o`, then this.
    #[inline(always)]
    pub(super) fn after(self, o: Self) -> Self {
        Self {
            w: self.w * o.w - self.v.dot(o.v),
            v: o.v.times(self.w).plus_times(self.v, o.w).plus(self.v.cross(o.v)),
        }
    }

    /// Back from where this leads.
    #[inline(always)]
    pub(super) fn inverse<L: Lanes<F32 = W>>(self, lanes: L) -> Self {
        let zero = lanes.splat(0.0);
        Self { w: self.w, v: Vec3 { x: zero - self.v.x, y: zero - self.v.y, z: zero - self.v.z } }
    }

    /// What leads from this to `o`, seen from this.
    #[inline(always)]
    pub(super) fn to(self, o: Self) -> Self {
        Self {
            w: self.w * o.w + self.v.dot(o.v),
            v: o.v.times(self.w).minus(self.v.times(o.w)).minus(self.v.cross(o.v)),
        }
    }

    #[inline(always)]
    pub(super) fn turn(self, arm: Vec3<W>) -> Vec3<W> {
        let twice = self.v.cross(arm);
        let twice = twice.plus(twice);
        arm.plus_times(twice, self.w).plus(self.v.cross(twice))
    }

    /// Where the axes go.
    #[inline(always)]
    pub(super) fn axes<L: Lanes<F32 = W>>(self, lanes: L) -> [Vec3<W>; 3] {
        let one = lanes.splat(1.0);
        let (x, y, z) = (self.v.x + self.v.x, self.v.y + self.v.y, self.v.z + self.v.z);
        let (xx, yy, zz) = (self.v.x * x, self.v.y * y, self.v.z * z);
        let (xy, xz, yz) = (self.v.x * y, self.v.x * z, self.v.y * z);
        let (wx, wy, wz) = (self.w * x, self.w * y, self.w * z);
        [
            Vec3 { x: one - (yy + zz), y: xy + wz, z: xz - wy },
            Vec3 { x: xy - wz, y: one - (xx + zz), z: yz + wx },
            Vec3 { x: xz + wy, y: yz - wx, z: one - (xx + yy) },
        ]
    }
}

/// `atan2` where `x` is not negative, rad.
#[inline(always)]
pub(super) fn angle<L: Lanes>(lanes: L, y: L::F32, x: L::F32) -> L::F32 {
    let (zero, one) = (lanes.splat(0.0), lanes.splat(1.0));
    let quarter = lanes.splat(FRAC_PI_4);
    let (a, b) = (y.abs(), x.abs());
    let most = a.max(b);
    let ratio = a.min(b) / most;
    let is_wide = ratio.greater(lanes.splat(EIGHTH));
    let t = L::F32::select(is_wide, (ratio - one) / (ratio + one), ratio);
    let s = t * t;
    // 1 - s/3 + s²/5 - ..., from its last term backwards.
    let mut series = zero;
    let mut k = 9;
    while k > 0 {
        k -= 1;
        series = lanes.splat(1.0 / (2 * k + 1) as f32) - s * series;
    }
    let angle = t * series + L::F32::select(is_wide, quarter, zero);
    let angle = L::F32::select(a.greater(b), quarter + quarter - angle, angle);
    let angle = L::F32::select(y.less(zero), zero - angle, angle);
    L::F32::select(most.greater(zero), angle, zero)
}

/// The shorter way around, as [`drystone_contact::JointCoordinates::shorter`].
#[inline(always)]
pub(super) fn shorter<L: Lanes>(lanes: L, turn: L::F32) -> L::F32 {
    let (half, whole) = (lanes.splat(PI), lanes.splat(TAU));
    let turn = L::F32::select(turn.greater(half), turn - whole, turn);
    L::F32::select(turn.less_or_equal(lanes.splat(-PI)), turn + whole, turn)
}

/// Counts the revolutions of the twists of a block, which are at these angles by now, where that is known: gives those since the step began, rad, and 0 where none are counted.
#[inline(always)]
pub(super) fn wind<L: Lanes>(lanes: L, block: &mut TieBlock, twist: L::F32, known: L::Mask) -> L::F32 {
    let (zero, half, whole) = (lanes.splat(0.0), lanes.splat(PI), lanes.splat(TAU));
    let (last, wound) = (lanes.load(&block.last_twist), lanes.load(&block.wound));
    let way = twist - last;
    let back = L::F32::select(way.greater(half), whole, zero);
    let on = L::F32::select(way.less(zero - half), whole, zero);
    let is_counted = lanes.mask(block.counted) & known;
    let now = L::F32::select(is_counted, wound + on - back, wound);
    now.store(&mut block.wound);
    L::F32::select(is_counted, twist, last).store(&mut block.last_twist);
    L::F32::select(lanes.mask(block.counted), now, zero)
}

/// The share of a vector of this length that is within another; all of it where that is 0.
#[inline(always)]
pub(super) fn within<L: Lanes>(lanes: L, length: L::F32, most: L::F32) -> L::F32 {
    let is_over = length.greater(most) & most.greater(lanes.splat(0.0));
    L::F32::select(is_over, most / length, lanes.splat(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_contact::JointCoordinates;
    use drystone_math::wide::{Isa, Kernel, Mask};
    use drystone_math::{Vector3, atan2, rotation_from_vector};

    /// Angles of these triangles, and eight vectors turned one after the other by two rotation vectors.
    struct Turn<'a>(&'a [F8; 2], &'a [F8; 3], &'a [F8; 3]);

    impl Kernel for Turn<'_> {
        type Output = (F8, [F8; 3], u8);

        fn run<L: Lanes>(self, lanes: L) -> Self::Output {
            let angle = angle(lanes, lanes.load(&self.0[0]), lanes.load(&self.0[1])).to_array();
            let (one, is_near) = Quaternion::of_vector(lanes, Vec3::load(lanes, self.1));
            let (other, _) = Quaternion::of_vector(lanes, Vec3::load(lanes, self.2));
            let both = other.after(one);
            // There and back, and along the x axis.
            let x = both.axes(lanes)[0];
            let same = one.turn(one.to(both).turn(Vec3 {
                x: lanes.splat(1.0),
                y: lanes.splat(0.0),
                z: lanes.splat(0.0),
            }));
            let mut rows = [[0.0; 8]; 3];
            x.plus(same).times(lanes.splat(0.5)).store(&mut rows);
            (angle, rows, is_near.bits())
        }
    }

    /// The shorter ways around.
    struct Shorter<'a>(&'a F8);

    impl Kernel for Shorter<'_> {
        type Output = F8;

        fn run<L: Lanes>(self, lanes: L) -> F8 {
            shorter(lanes, lanes.load(self.0)).to_array()
        }
    }

    #[test]
    fn eight_go_the_shorter_way_around_as_one_does() {
        for turns in
            [[PI, -PI, 3.5, -3.5, TAU, -TAU, 0.0, -0.0], [6.0, -6.0, 3.13, -3.13, 1e-9, 0.4, -2.0, 4.0]]
        {
            let wanted = turns.map(|turn| JointCoordinates::shorter(turn).to_bits());
            for isa in Isa::all() {
                assert_eq!(isa.run(Shorter(&turns)).map(f32::to_bits), wanted);
            }
        }
    }

    #[test]
    fn eight_are_as_one() {
        let tangents =
            [[0.0, 1.0, -3.0, 1e-9, 0.4, -0.41, 0.0, 7.0], [0.0, 0.0, 2.0, 1.0, 1.0, 1.0, 5.0, 7.0]];
        let way = [
            [0.1, 0.0, -2.0, 3.1, 0.5, 7.0, 1e-9, -0.3],
            [0.2; 8],
            [-0.7, 0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6],
        ];
        let then = [[-0.4; 8], [0.0, 1.0, 2.0, -1.0, 0.3, 0.2, 0.1, -2.0], [0.3; 8]];
        let vector = |rows: &[F8; 3], lane: usize| Vector3::new(rows[0][lane], rows[1][lane], rows[2][lane]);
        for isa in Isa::all() {
            let (angles, turned, is_near) = isa.run(Turn(&tangents, &way, &then));
            assert_eq!(is_near, !(1 << 5), "seven rad are beyond the series");
            for lane in (0..8).filter(|lane| *lane != 5) {
                let both =
                    rotation_from_vector(&vector(&then, lane)) * rotation_from_vector(&vector(&way, lane));
                let off = (vector(&turned, lane) - both * Vector3::x()).norm();
                assert!(off < 1e-6, "lane {lane}: {off}");
            }
            for lane in 0..8 {
                let wanted = atan2(tangents[0][lane], tangents[1][lane]);
                assert!((angles[lane] - wanted).abs() < 1e-6, "{} and {wanted}", angles[lane]);
            }
        }
    }
}
