//! Eight lanes in one 256-bit register of an x86-64 machine with AVX2.
#![expect(
    unsafe_code,
    reason = "intrinsics need a proof that the machine has AVX2, which values of these types are"
)]

use super::{Kernel, LANES, Lanes, Mask, Wide};
use std::arch::x86_64::*;
use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

/// Lanes of AVX2; a value is the proof that the machine has it. Used outside [`Isa::run`](super::Isa::run),
/// every operation is a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Avx2(());

/// Eight `f32` in a register; made from an [`Avx2`] only.
#[derive(Clone, Copy, Debug)]
pub struct Avx2F32(__m256);

/// Eight booleans, all bits of a lane set or none; made from an [`Avx2`] only.
#[derive(Clone, Copy, Debug)]
pub struct Avx2Mask(__m256);

impl Avx2 {
    /// The proof, where this machine has AVX2. The standard library asks the machine once.
    #[inline]
    pub fn detect() -> Option<Self> {
        is_x86_feature_detected!("avx2").then_some(Self(()))
    }

    /// Runs a kernel compiled for AVX2.
    #[inline]
    pub(super) fn run<K: Kernel>(self, kernel: K) -> K::Output {
        // SAFETY: `self` exists, so the machine has AVX2.
        unsafe { run_avx2(kernel, self) }
    }

    /// The first four entries of `a`, then those of `b`.
    #[inline(always)]
    fn load_left(self, a: &[f32; LANES], b: &[f32; LANES]) -> Avx2F32 {
        // SAFETY: `self` proves AVX2; four entries of each are read, unaligned.
        Avx2F32(unsafe { _mm256_loadu2_m128(b.as_ptr(), a.as_ptr()) })
    }

    /// The last four entries of `a`, then those of `b`.
    #[inline(always)]
    fn load_right(self, a: &[f32; LANES], b: &[f32; LANES]) -> Avx2F32 {
        // SAFETY: `self` proves AVX2; entries four to seven of each are read, unaligned.
        Avx2F32(unsafe { _mm256_loadu2_m128(b.as_ptr().add(4), a.as_ptr().add(4)) })
    }
}

/// The one function with the feature; the kernel and its operations are inlined here.
#[target_feature(enable = "avx2")]
fn run_avx2<K: Kernel>(kernel: K, lanes: Avx2) -> K::Output {
    kernel.run(lanes)
}

impl Lanes for Avx2 {
    const NAME: &'static str = "avx2";

    type F32 = Avx2F32;
    type Mask = Avx2Mask;

    #[inline(always)]
    fn splat(self, value: f32) -> Avx2F32 {
        // SAFETY: `self` proves AVX2.
        Avx2F32(unsafe { _mm256_set1_ps(value) })
    }

    #[inline(always)]
    fn load(self, values: &[f32; LANES]) -> Avx2F32 {
        // SAFETY: `self` proves AVX2; eight entries are read, unaligned.
        Avx2F32(unsafe { _mm256_loadu_ps(values.as_ptr()) })
    }

    #[inline(always)]
    fn mask(self, bits: u8) -> Avx2Mask {
        // SAFETY: `self` proves AVX2.
        unsafe {
            let lane_bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
            let own_bit = _mm256_and_si256(_mm256_set1_epi32(i32::from(bits)), lane_bits);
            Avx2Mask(_mm256_castsi256_ps(_mm256_cmpeq_epi32(own_bit, lane_bits)))
        }
    }

    #[inline(always)]
    fn transpose(self, rows: [Avx2F32; LANES]) -> [Avx2F32; LANES] {
        let [r0, r1, r2, r3, r4, r5, r6, r7] = rows;
        let [c0, c1, c2, c3] = transpose_halves(r0.left(r4), r1.left(r5), r2.left(r6), r3.left(r7));
        let [c4, c5, c6, c7] = transpose_halves(r0.right(r4), r1.right(r5), r2.right(r6), r3.right(r7));
        [c0, c1, c2, c3, c4, c5, c6, c7]
    }

    /// Joins halves of rows while loading them: a third of the shuffles of [`Lanes::transpose`] less.
    #[inline(always)]
    fn gather(self, rows: [&[f32; LANES]; LANES]) -> [Avx2F32; LANES] {
        let [r0, r1, r2, r3, r4, r5, r6, r7] = rows;
        let [l0, l1, l2, l3] =
            [self.load_left(r0, r4), self.load_left(r1, r5), self.load_left(r2, r6), self.load_left(r3, r7)];
        let [h0, h1, h2, h3] = [
            self.load_right(r0, r4),
            self.load_right(r1, r5),
            self.load_right(r2, r6),
            self.load_right(r3, r7),
        ];
        let [c0, c1, c2, c3] = transpose_halves(l0, l1, l2, l3);
        let [c4, c5, c6, c7] = transpose_halves(h0, h1, h2, h3);
        [c0, c1, c2, c3, c4, c5, c6, c7]
    }

    #[inline(always)]
    fn unit(self, [x, y, z, w]: [Avx2F32; 4]) -> [Avx2F32; 4] {
        let [x0, y0, z0, w0] = unit_four([x.low(), y.low(), z.low(), w.low()]);
        let [x1, y1, z1, w1] = unit_four([x.high(), y.high(), z.high(), w.high()]);
        [Avx2F32::join(x0, x1), Avx2F32::join(y0, y1), Avx2F32::join(z0, z1), Avx2F32::join(w0, w1)]
    }
}

impl Avx2F32 {
    /// The first four lanes.
    #[inline(always)]
    fn low(self) -> Four {
        // SAFETY: `self` proves AVX2.
        Four(unsafe { _mm256_castps256_ps128(self.0) })
    }

    /// The last four lanes.
    #[inline(always)]
    fn high(self) -> Four {
        // SAFETY: `self` proves AVX2.
        Four(unsafe { _mm256_extractf128_ps::<1>(self.0) })
    }

    /// Four lanes, and four more.
    #[inline(always)]
    fn join(low: Four, high: Four) -> Self {
        // SAFETY: the values prove AVX2.
        Self(unsafe { _mm256_set_m128(high.0, low.0) })
    }
}

/// Half of the lanes of an [`Avx2F32`].
#[derive(Clone, Copy)]
struct Four(__m128);

/// [`Lanes::unit`] of four.
#[inline(always)]
fn unit_four([x, y, z, w]: [Four; 4]) -> [Four; 4] {
    // SAFETY: the values prove AVX2.
    unsafe {
        let (x, y) = (_mm256_cvtps_pd(x.0), _mm256_cvtps_pd(y.0));
        let (z, w) = (_mm256_cvtps_pd(z.0), _mm256_cvtps_pd(w.0));
        let square = _mm256_add_pd(
            _mm256_add_pd(_mm256_mul_pd(x, x), _mm256_mul_pd(z, z)),
            _mm256_add_pd(_mm256_mul_pd(y, y), _mm256_mul_pd(w, w)),
        );
        let scale = _mm256_div_pd(_mm256_set1_pd(1.0), _mm256_sqrt_pd(square));
        [
            Four(_mm256_cvtpd_ps(_mm256_mul_pd(x, scale))),
            Four(_mm256_cvtpd_ps(_mm256_mul_pd(y, scale))),
            Four(_mm256_cvtpd_ps(_mm256_mul_pd(z, scale))),
            Four(_mm256_cvtpd_ps(_mm256_mul_pd(w, scale))),
        ]
    }
}

/// Transposes the left halves of four rows, and the right halves on their own: half `h` of result `k` is
/// entry `k` of half `h` of each row.
#[inline(always)]
fn transpose_halves(r0: Avx2F32, r1: Avx2F32, r2: Avx2F32, r3: Avx2F32) -> [Avx2F32; 4] {
    // SAFETY: the values prove AVX2.
    unsafe {
        let low01 = _mm256_unpacklo_ps(r0.0, r1.0);
        let high01 = _mm256_unpackhi_ps(r0.0, r1.0);
        let low23 = _mm256_unpacklo_ps(r2.0, r3.0);
        let high23 = _mm256_unpackhi_ps(r2.0, r3.0);
        [
            Avx2F32(_mm256_shuffle_ps::<FIRST_PAIRS>(low01, low23)),
            Avx2F32(_mm256_shuffle_ps::<LAST_PAIRS>(low01, low23)),
            Avx2F32(_mm256_shuffle_ps::<FIRST_PAIRS>(high01, high23)),
            Avx2F32(_mm256_shuffle_ps::<LAST_PAIRS>(high01, high23)),
        ]
    }
}

/// Shuffle: entries 0, 1 of either operand, in each half.
const FIRST_PAIRS: i32 = 0b01_00_01_00;
/// Shuffle: entries 2, 3 of either operand, in each half.
const LAST_PAIRS: i32 = 0b11_10_11_10;
/// Shuffle: entries 1, 2, 0, 3 of each half.
const NEXT_AXES: i32 = 0b11_00_10_01;

impl Avx2F32 {
    /// The left halves of both.
    #[inline(always)]
    fn left(self, other: Self) -> Self {
        // SAFETY: `self` proves AVX2.
        Self(unsafe { _mm256_permute2f128_ps::<0x20>(self.0, other.0) })
    }

    /// The right halves of both.
    #[inline(always)]
    fn right(self, other: Self) -> Self {
        // SAFETY: `self` proves AVX2.
        Self(unsafe { _mm256_permute2f128_ps::<0x31>(self.0, other.0) })
    }
}

impl Wide for Avx2F32 {
    type Mask = Avx2Mask;

    #[inline(always)]
    fn store(self, out: &mut [f32; LANES]) {
        // SAFETY: `self` proves AVX2; eight entries are written, unaligned.
        unsafe { _mm256_storeu_ps(out.as_mut_ptr(), self.0) }
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        // SAFETY: `self` proves AVX2.
        Self(unsafe { _mm256_sqrt_ps(self.0) })
    }

    #[inline(always)]
    fn abs(self) -> Self {
        // SAFETY: `self` proves AVX2.
        Self(unsafe { _mm256_andnot_ps(_mm256_set1_ps(-0.0), self.0) })
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        // SAFETY: `self` proves AVX2.
        Self(unsafe { _mm256_min_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        // SAFETY: `self` proves AVX2.
        Self(unsafe { _mm256_max_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn less(self, other: Self) -> Avx2Mask {
        // SAFETY: `self` proves AVX2.
        Avx2Mask(unsafe { _mm256_cmp_ps::<_CMP_LT_OQ>(self.0, other.0) })
    }

    #[inline(always)]
    fn less_or_equal(self, other: Self) -> Avx2Mask {
        // SAFETY: `self` proves AVX2.
        Avx2Mask(unsafe { _mm256_cmp_ps::<_CMP_LE_OQ>(self.0, other.0) })
    }

    #[inline(always)]
    fn equal(self, other: Self) -> Avx2Mask {
        // SAFETY: `self` proves AVX2.
        Avx2Mask(unsafe { _mm256_cmp_ps::<_CMP_EQ_OQ>(self.0, other.0) })
    }

    #[inline(always)]
    fn select(mask: Avx2Mask, yes: Self, no: Self) -> Self {
        // SAFETY: the values prove AVX2.
        Self(unsafe { _mm256_blendv_ps(no.0, yes.0, mask.0) })
    }

    #[inline(always)]
    fn next_axes(self) -> Self {
        // SAFETY: `self` proves AVX2.
        Self(unsafe { _mm256_permute_ps::<NEXT_AXES>(self.0) })
    }

    #[inline(always)]
    fn sum(self) -> f32 {
        // SAFETY: `self` proves AVX2.
        unsafe {
            let four = _mm_add_ps(_mm256_castps256_ps128(self.0), _mm256_extractf128_ps::<1>(self.0));
            let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
            _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)))
        }
    }

    #[inline(always)]
    fn largest(self) -> f32 {
        // SAFETY: `self` proves AVX2.
        unsafe {
            let four = _mm_max_ps(_mm256_castps256_ps128(self.0), _mm256_extractf128_ps::<1>(self.0));
            let two = _mm_max_ps(four, _mm_movehl_ps(four, four));
            _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)))
        }
    }
}

/// Arithmetic of one instruction each.
macro_rules! arithmetic {
    ($($operator:ident $method:ident $intrinsic:ident;)*) => {$(
        impl $operator for Avx2F32 {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                // SAFETY: `self` proves AVX2.
                Self(unsafe { $intrinsic(self.0, other.0) })
            }
        }
    )*};
}

arithmetic! {
    Add add _mm256_add_ps;
    Sub sub _mm256_sub_ps;
    Mul mul _mm256_mul_ps;
    Div div _mm256_div_ps;
}

impl Neg for Avx2F32 {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        // SAFETY: `self` proves AVX2.
        Self(unsafe { _mm256_xor_ps(self.0, _mm256_set1_ps(-0.0)) })
    }
}

impl Mask for Avx2Mask {
    #[inline(always)]
    fn bits(self) -> u8 {
        // SAFETY: `self` proves AVX2.
        let bits = unsafe { _mm256_movemask_ps(self.0) };
        bits as u8
    }
}

impl PartialEq for Avx2Mask {
    #[inline(always)]
    fn eq(&self, other: &Self) -> bool {
        self.bits() == other.bits()
    }
}

impl Eq for Avx2Mask {}

impl BitAnd for Avx2Mask {
    type Output = Self;

    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        // SAFETY: `self` proves AVX2.
        Self(unsafe { _mm256_and_ps(self.0, other.0) })
    }
}

impl BitOr for Avx2Mask {
    type Output = Self;

    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        // SAFETY: `self` proves AVX2.
        Self(unsafe { _mm256_or_ps(self.0, other.0) })
    }
}

impl Not for Avx2Mask {
    type Output = Self;

    #[inline(always)]
    fn not(self) -> Self {
        // SAFETY: `self` proves AVX2.
        Self(unsafe { _mm256_xor_ps(self.0, _mm256_castsi256_ps(_mm256_set1_epi32(-1))) })
    }
}
