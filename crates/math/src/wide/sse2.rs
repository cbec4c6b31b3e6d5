//! Eight lanes in two 128-bit registers of any x86-64 machine.
#![expect(
    unsafe_code,
    reason = "intrinsics are unsafe outside functions with the feature; the target has it"
)]

use super::{LANES, Lanes, Mask, Wide};
use std::arch::x86_64::*;
use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

/// Lanes of SSE2, which every x86-64 machine has: this module exists only where the target includes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sse2;

/// Eight `f32`: lanes 0 to 3, then 4 to 7.
#[derive(Clone, Copy, Debug)]
pub struct Sse2F32(__m128, __m128);

/// Eight booleans, all bits of a lane set or none: lanes 0 to 3, then 4 to 7.
#[derive(Clone, Copy, Debug)]
pub struct Sse2Mask(__m128, __m128);

impl Lanes for Sse2 {
    const NAME: &'static str = "sse2";

    type F32 = Sse2F32;
    type Mask = Sse2Mask;

    #[inline(always)]
    fn splat(self, value: f32) -> Sse2F32 {
        // SAFETY: the target has SSE2.
        let half = unsafe { _mm_set1_ps(value) };
        Sse2F32(half, half)
    }

    #[inline(always)]
    fn load(self, values: &[f32; LANES]) -> Sse2F32 {
        let values = values.as_ptr();
        // SAFETY: the target has SSE2; entries 0 to 3 and 4 to 7 are read, unaligned.
        unsafe { Sse2F32(_mm_loadu_ps(values), _mm_loadu_ps(values.add(4))) }
    }

    #[inline(always)]
    fn mask(self, bits: u8) -> Sse2Mask {
        // SAFETY: the target has SSE2.
        unsafe {
            let bits = _mm_set1_epi32(i32::from(bits));
            let half =
                |lane_bits| _mm_castsi128_ps(_mm_cmpeq_epi32(_mm_and_si128(bits, lane_bits), lane_bits));
            Sse2Mask(half(_mm_setr_epi32(1, 2, 4, 8)), half(_mm_setr_epi32(16, 32, 64, 128)))
        }
    }

    #[inline(always)]
    fn transpose(self, rows: [Sse2F32; LANES]) -> [Sse2F32; LANES] {
        let [r0, r1, r2, r3, r4, r5, r6, r7] = rows;
        let [a0, a1, a2, a3] = transpose_quarter(r0.0, r1.0, r2.0, r3.0);
        let [b0, b1, b2, b3] = transpose_quarter(r4.0, r5.0, r6.0, r7.0);
        let [a4, a5, a6, a7] = transpose_quarter(r0.1, r1.1, r2.1, r3.1);
        let [b4, b5, b6, b7] = transpose_quarter(r4.1, r5.1, r6.1, r7.1);
        [
            Sse2F32(a0, b0),
            Sse2F32(a1, b1),
            Sse2F32(a2, b2),
            Sse2F32(a3, b3),
            Sse2F32(a4, b4),
            Sse2F32(a5, b5),
            Sse2F32(a6, b6),
            Sse2F32(a7, b7),
        ]
    }
}

/// Transposes a block of four by four.
#[inline(always)]
fn transpose_quarter(r0: __m128, r1: __m128, r2: __m128, r3: __m128) -> [__m128; 4] {
    // SAFETY: the target has SSE2.
    unsafe {
        let low01 = _mm_unpacklo_ps(r0, r1);
        let high01 = _mm_unpackhi_ps(r0, r1);
        let low23 = _mm_unpacklo_ps(r2, r3);
        let high23 = _mm_unpackhi_ps(r2, r3);
        [
            _mm_movelh_ps(low01, low23),
            _mm_movehl_ps(low23, low01),
            _mm_movelh_ps(high01, high23),
            _mm_movehl_ps(high23, high01),
        ]
    }
}

/// Bit by bit `yes` where `mask` is set, `no` elsewhere. SSE2 has no blend.
#[inline(always)]
fn select_half(mask: __m128, yes: __m128, no: __m128) -> __m128 {
    // SAFETY: the target has SSE2.
    unsafe { _mm_or_ps(_mm_and_ps(mask, yes), _mm_andnot_ps(mask, no)) }
}

impl Wide for Sse2F32 {
    type Mask = Sse2Mask;

    #[inline(always)]
    fn store(self, out: &mut [f32; LANES]) {
        let out = out.as_mut_ptr();
        // SAFETY: the target has SSE2; entries 0 to 3 and 4 to 7 are written, unaligned.
        unsafe {
            _mm_storeu_ps(out, self.0);
            _mm_storeu_ps(out.add(4), self.1);
        }
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        // SAFETY: the target has SSE2.
        unsafe { Self(_mm_sqrt_ps(self.0), _mm_sqrt_ps(self.1)) }
    }

    #[inline(always)]
    fn abs(self) -> Self {
        // SAFETY: the target has SSE2.
        unsafe {
            let sign = _mm_set1_ps(-0.0);
            Self(_mm_andnot_ps(sign, self.0), _mm_andnot_ps(sign, self.1))
        }
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        // SAFETY: the target has SSE2.
        unsafe { Self(_mm_min_ps(self.0, other.0), _mm_min_ps(self.1, other.1)) }
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        // SAFETY: the target has SSE2.
        unsafe { Self(_mm_max_ps(self.0, other.0), _mm_max_ps(self.1, other.1)) }
    }

    #[inline(always)]
    fn less(self, other: Self) -> Sse2Mask {
        // SAFETY: the target has SSE2.
        unsafe { Sse2Mask(_mm_cmplt_ps(self.0, other.0), _mm_cmplt_ps(self.1, other.1)) }
    }

    #[inline(always)]
    fn less_or_equal(self, other: Self) -> Sse2Mask {
        // SAFETY: the target has SSE2.
        unsafe { Sse2Mask(_mm_cmple_ps(self.0, other.0), _mm_cmple_ps(self.1, other.1)) }
    }

    #[inline(always)]
    fn equal(self, other: Self) -> Sse2Mask {
        // SAFETY: the target has SSE2.
        unsafe { Sse2Mask(_mm_cmpeq_ps(self.0, other.0), _mm_cmpeq_ps(self.1, other.1)) }
    }

    #[inline(always)]
    fn select(mask: Sse2Mask, yes: Self, no: Self) -> Self {
        Self(select_half(mask.0, yes.0, no.0), select_half(mask.1, yes.1, no.1))
    }

    #[inline(always)]
    fn next_axes(self) -> Self {
        const NEXT_AXES: i32 = 0b11_00_10_01;
        // SAFETY: the target has SSE2.
        unsafe {
            let half = |v| _mm_shuffle_ps::<NEXT_AXES>(v, v);
            Self(half(self.0), half(self.1))
        }
    }

    #[inline(always)]
    fn sum(self) -> f32 {
        // SAFETY: the target has SSE2.
        unsafe {
            let four = _mm_add_ps(self.0, self.1);
            let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
            _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps::<1>(two, two)))
        }
    }

    #[inline(always)]
    fn largest(self) -> f32 {
        // SAFETY: the target has SSE2.
        unsafe {
            let four = _mm_max_ps(self.0, self.1);
            let two = _mm_max_ps(four, _mm_movehl_ps(four, four));
            _mm_cvtss_f32(_mm_max_ss(two, _mm_shuffle_ps::<1>(two, two)))
        }
    }
}

/// Arithmetic of one instruction per half.
macro_rules! arithmetic {
    ($($operator:ident $method:ident $intrinsic:ident;)*) => {$(
        impl $operator for Sse2F32 {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                // SAFETY: the target has SSE2.
                unsafe { Self($intrinsic(self.0, other.0), $intrinsic(self.1, other.1)) }
            }
        }
    )*};
}

arithmetic! {
    Add add _mm_add_ps;
    Sub sub _mm_sub_ps;
    Mul mul _mm_mul_ps;
    Div div _mm_div_ps;
}

impl Neg for Sse2F32 {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        // SAFETY: the target has SSE2.
        unsafe {
            let sign = _mm_set1_ps(-0.0);
            Self(_mm_xor_ps(self.0, sign), _mm_xor_ps(self.1, sign))
        }
    }
}

impl Mask for Sse2Mask {
    #[inline(always)]
    fn bits(self) -> u8 {
        // SAFETY: the target has SSE2.
        let [low, high] = unsafe { [_mm_movemask_ps(self.0), _mm_movemask_ps(self.1)] };
        (low | high << 4) as u8
    }

    #[inline(always)]
    fn any(self) -> bool {
        // SAFETY: the target has SSE2.
        unsafe { _mm_movemask_ps(_mm_or_ps(self.0, self.1)) != 0 }
    }

    #[inline(always)]
    fn all(self) -> bool {
        // SAFETY: the target has SSE2.
        unsafe { _mm_movemask_ps(_mm_and_ps(self.0, self.1)) == 0b1111 }
    }
}

impl PartialEq for Sse2Mask {
    #[inline(always)]
    fn eq(&self, other: &Self) -> bool {
        self.bits() == other.bits()
    }
}

impl Eq for Sse2Mask {}

impl BitAnd for Sse2Mask {
    type Output = Self;

    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        // SAFETY: the target has SSE2.
        unsafe { Self(_mm_and_ps(self.0, other.0), _mm_and_ps(self.1, other.1)) }
    }
}

impl BitOr for Sse2Mask {
    type Output = Self;

    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        // SAFETY: the target has SSE2.
        unsafe { Self(_mm_or_ps(self.0, other.0), _mm_or_ps(self.1, other.1)) }
    }
}

impl Not for Sse2Mask {
    type Output = Self;

    #[inline(always)]
    fn not(self) -> Self {
        // SAFETY: the target has SSE2.
        unsafe {
            let ones = _mm_castsi128_ps(_mm_set1_epi32(-1));
            Self(_mm_xor_ps(self.0, ones), _mm_xor_ps(self.1, ones))
        }
    }
}
