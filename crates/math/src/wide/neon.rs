//! Eight lanes in two 128-bit registers of a 64-bit ARM machine.
#![expect(
    unsafe_code,
    reason = "intrinsics are unsafe outside functions with the feature; the target has it"
)]

use super::{LANES, Lanes, Mask, Wide};
use std::arch::aarch64::*;
use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

/// Lanes of NEON, which every 64-bit ARM machine has: this module exists only where the target includes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Neon;

/// Eight `f32`: lanes 0 to 3, then 4 to 7.
#[derive(Clone, Copy, Debug)]
pub struct NeonF32(float32x4_t, float32x4_t);

/// Eight booleans, all bits of a lane set or none: lanes 0 to 3, then 4 to 7.
#[derive(Clone, Copy, Debug)]
pub struct NeonMask(uint32x4_t, uint32x4_t);

/// The bits of [`Mask::bits`], lanes 0 to 3.
const LOW_BITS: [u32; 4] = [1, 2, 4, 8];
/// The bits of [`Mask::bits`], lanes 4 to 7.
const HIGH_BITS: [u32; 4] = [16, 32, 64, 128];

impl Lanes for Neon {
    const NAME: &'static str = "neon";

    type F32 = NeonF32;
    type Mask = NeonMask;

    #[inline(always)]
    fn splat(self, value: f32) -> NeonF32 {
        // SAFETY: the target has NEON.
        let half = unsafe { vdupq_n_f32(value) };
        NeonF32(half, half)
    }

    #[inline(always)]
    fn load(self, values: &[f32; LANES]) -> NeonF32 {
        let values = values.as_ptr();
        // SAFETY: the target has NEON; entries 0 to 3 and 4 to 7 are read, unaligned.
        unsafe { NeonF32(vld1q_f32(values), vld1q_f32(values.add(4))) }
    }

    #[inline(always)]
    fn mask(self, bits: u8) -> NeonMask {
        // SAFETY: the target has NEON; four entries of each constant are read.
        unsafe {
            let bits = vdupq_n_u32(u32::from(bits));
            let (low, high) = (vld1q_u32(LOW_BITS.as_ptr()), vld1q_u32(HIGH_BITS.as_ptr()));
            NeonMask(vtstq_u32(bits, low), vtstq_u32(bits, high))
        }
    }

    #[inline(always)]
    fn transpose(self, rows: [NeonF32; LANES]) -> [NeonF32; LANES] {
        let [r0, r1, r2, r3, r4, r5, r6, r7] = rows;
        let [a0, a1, a2, a3] = transpose_quarter(r0.0, r1.0, r2.0, r3.0);
        let [b0, b1, b2, b3] = transpose_quarter(r4.0, r5.0, r6.0, r7.0);
        let [a4, a5, a6, a7] = transpose_quarter(r0.1, r1.1, r2.1, r3.1);
        let [b4, b5, b6, b7] = transpose_quarter(r4.1, r5.1, r6.1, r7.1);
        [
            NeonF32(a0, b0),
            NeonF32(a1, b1),
            NeonF32(a2, b2),
            NeonF32(a3, b3),
            NeonF32(a4, b4),
            NeonF32(a5, b5),
            NeonF32(a6, b6),
            NeonF32(a7, b7),
        ]
    }
}

/// Transposes a block of four by four: blocks of two by two, then their places.
#[inline(always)]
fn transpose_quarter(r0: float32x4_t, r1: float32x4_t, r2: float32x4_t, r3: float32x4_t) -> [float32x4_t; 4] {
    // SAFETY: the target has NEON.
    unsafe {
        let even01 = vreinterpretq_f64_f32(vtrn1q_f32(r0, r1));
        let odd01 = vreinterpretq_f64_f32(vtrn2q_f32(r0, r1));
        let even23 = vreinterpretq_f64_f32(vtrn1q_f32(r2, r3));
        let odd23 = vreinterpretq_f64_f32(vtrn2q_f32(r2, r3));
        [
            vreinterpretq_f32_f64(vtrn1q_f64(even01, even23)),
            vreinterpretq_f32_f64(vtrn1q_f64(odd01, odd23)),
            vreinterpretq_f32_f64(vtrn2q_f64(even01, even23)),
            vreinterpretq_f32_f64(vtrn2q_f64(odd01, odd23)),
        ]
    }
}

impl Wide for NeonF32 {
    type Mask = NeonMask;

    #[inline(always)]
    fn store(self, out: &mut [f32; LANES]) {
        let out = out.as_mut_ptr();
        // SAFETY: the target has NEON; entries 0 to 3 and 4 to 7 are written, unaligned.
        unsafe {
            vst1q_f32(out, self.0);
            vst1q_f32(out.add(4), self.1);
        }
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        // SAFETY: the target has NEON.
        unsafe { Self(vsqrtq_f32(self.0), vsqrtq_f32(self.1)) }
    }

    #[inline(always)]
    fn abs(self) -> Self {
        // SAFETY: the target has NEON.
        unsafe { Self(vabsq_f32(self.0), vabsq_f32(self.1)) }
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        // The minimum of NEON has another rule for NaN and zeros.
        Self::select(self.less(other), self, other)
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self::select(self.greater(other), self, other)
    }

    #[inline(always)]
    fn less(self, other: Self) -> NeonMask {
        // SAFETY: the target has NEON.
        unsafe { NeonMask(vcltq_f32(self.0, other.0), vcltq_f32(self.1, other.1)) }
    }

    #[inline(always)]
    fn less_or_equal(self, other: Self) -> NeonMask {
        // SAFETY: the target has NEON.
        unsafe { NeonMask(vcleq_f32(self.0, other.0), vcleq_f32(self.1, other.1)) }
    }

    #[inline(always)]
    fn equal(self, other: Self) -> NeonMask {
        // SAFETY: the target has NEON.
        unsafe { NeonMask(vceqq_f32(self.0, other.0), vceqq_f32(self.1, other.1)) }
    }

    #[inline(always)]
    fn select(mask: NeonMask, yes: Self, no: Self) -> Self {
        // SAFETY: the target has NEON.
        unsafe { Self(vbslq_f32(mask.0, yes.0, no.0), vbslq_f32(mask.1, yes.1, no.1)) }
    }

    #[inline(always)]
    fn next_axes(self) -> Self {
        // SAFETY: the target has NEON.
        unsafe {
            let half = |v| {
                let next = vextq_f32::<1>(v, v);
                vcombine_f32(vget_low_f32(next), vrev64_f32(vget_high_f32(next)))
            };
            Self(half(self.0), half(self.1))
        }
    }

    #[inline(always)]
    fn sum(self) -> f32 {
        // SAFETY: the target has NEON.
        unsafe {
            let four = vaddq_f32(self.0, self.1);
            let two = vadd_f32(vget_low_f32(four), vget_high_f32(four));
            vget_lane_f32::<0>(two) + vget_lane_f32::<1>(two)
        }
    }

    #[inline(always)]
    fn largest(self) -> f32 {
        // SAFETY: the target has NEON.
        unsafe {
            let four = vbslq_f32(vcgtq_f32(self.0, self.1), self.0, self.1);
            let (low, high) = (vget_low_f32(four), vget_high_f32(four));
            let two = vbsl_f32(vcgt_f32(low, high), low, high);
            let (a, b) = (vget_lane_f32::<0>(two), vget_lane_f32::<1>(two));
            if a > b { a } else { b }
        }
    }
}

/// Arithmetic of one instruction per half.
macro_rules! arithmetic {
    ($($operator:ident $method:ident $intrinsic:ident;)*) => {$(
        impl $operator for NeonF32 {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                // SAFETY: the target has NEON.
                unsafe { Self($intrinsic(self.0, other.0), $intrinsic(self.1, other.1)) }
            }
        }
    )*};
}

arithmetic! {
    Add add vaddq_f32;
    Sub sub vsubq_f32;
    Mul mul vmulq_f32;
    Div div vdivq_f32;
}

impl Neg for NeonF32 {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        // SAFETY: the target has NEON.
        unsafe { Self(vnegq_f32(self.0), vnegq_f32(self.1)) }
    }
}

impl Mask for NeonMask {
    #[inline(always)]
    fn bits(self) -> u8 {
        // SAFETY: the target has NEON; four entries of each constant are read.
        let bits = unsafe {
            let low = vandq_u32(self.0, vld1q_u32(LOW_BITS.as_ptr()));
            let high = vandq_u32(self.1, vld1q_u32(HIGH_BITS.as_ptr()));
            vaddvq_u32(vorrq_u32(low, high))
        };
        bits as u8
    }

    #[inline(always)]
    fn any(self) -> bool {
        // SAFETY: the target has NEON.
        unsafe { vmaxvq_u32(vorrq_u32(self.0, self.1)) != 0 }
    }

    #[inline(always)]
    fn all(self) -> bool {
        // SAFETY: the target has NEON.
        unsafe { vminvq_u32(vandq_u32(self.0, self.1)) != 0 }
    }
}

impl PartialEq for NeonMask {
    #[inline(always)]
    fn eq(&self, other: &Self) -> bool {
        self.bits() == other.bits()
    }
}

impl Eq for NeonMask {}

impl BitAnd for NeonMask {
    type Output = Self;

    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        // SAFETY: the target has NEON.
        unsafe { Self(vandq_u32(self.0, other.0), vandq_u32(self.1, other.1)) }
    }
}

impl BitOr for NeonMask {
    type Output = Self;

    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        // SAFETY: the target has NEON.
        unsafe { Self(vorrq_u32(self.0, other.0), vorrq_u32(self.1, other.1)) }
    }
}

impl Not for NeonMask {
    type Output = Self;

    #[inline(always)]
    fn not(self) -> Self {
        // SAFETY: the target has NEON.
        unsafe { Self(vmvnq_u32(self.0), vmvnq_u32(self.1)) }
    }
}
