//! SIMD lanes: eight `f32` at a time behind one trait, with the same bits from every instruction set.
//!
//! In: blocks of eight values, `[f32; 8]`, on every machine. Out: the same, lane by lane what scalar `f32`
//! arithmetic gives. Knows nothing of bodies or contacts. Start reading at [`Lanes`]; [`Reference`] is the
//! plain implementation that defines what all others must return.
//!
//! Data is laid out in eights everywhere, whatever the registers hold: SSE2 and NEON work on two halves,
//! AVX2 on the whole, so layouts, lane numbers and results never depend on the machine. For the same reason
//! there is no fused multiply-add, no approximate reciprocal or root, and the order of horizontal
//! sums is part of the interface. The sign and payload of a NaN that arithmetic makes are the only bits that
//! are not promised.
//!
//! # Writing a kernel
//!
//! A kernel is a generic `#[inline(always)]` function that takes the instruction set as a value. Eight dot
//! products of rows picked by index, then `y += a x`:
//! ```
//! use drystone_math::wide::{Lanes, Reference, Wide};
//!
//! /// Dot product of the first three entries of the rows `a[i]` and `b[i]`, for eight pairs at a time.
//! #[inline(always)]
//! fn dots<L: Lanes>(lanes: L, a: [&[f32; 8]; 8], b: [&[f32; 8]; 8]) -> L::F32 {
//!     let ([ax, ay, az, ..], [bx, by, bz, ..]) = (lanes.gather(a), lanes.gather(b));
//!     ax * bx + ay * by + az * bz
//! }
//!
//! /// `y += a x`.
//! #[inline(always)]
//! fn axpy<L: Lanes>(lanes: L, a: f32, x: &[[f32; 8]], y: &mut [[f32; 8]]) {
//!     let a = lanes.splat(a);
//!     for (x, y) in x.iter().zip(y) {
//!         let sum = lanes.load(y) + a * lanes.load(x);
//!         sum.store(y);
//!     }
//! }
//!
//! let rows: Vec<[f32; 8]> = (0..8).map(|i| [i as f32, 1.0, 2.0, 9.0, 9.0, 9.0, 9.0, 9.0]).collect();
//! let picked = [0, 1, 2, 3, 4, 5, 6, 7].map(|i: usize| &rows[i]);
//! let squares = dots(Reference, picked, picked);
//! assert_eq!(squares.to_array(), [5.0, 6.0, 9.0, 14.0, 21.0, 30.0, 41.0, 54.0]);
//!
//! let mut y = [[1.0; 8]];
//! axpy(Reference, 0.5, &[squares.to_array()], &mut y);
//! assert_eq!(y[0][..3], [3.5, 4.0, 5.5]);
//! ```
//!
//! # Choosing the instruction set
//!
//! A value of an instruction set's type is the proof that the machine has it: such types will have a
//! `detect() -> Option<Self>` and no other constructor, so every operation is a safe call. Intrinsics are
//! inlined only into a caller that has the feature itself, so each set gets one thin entry point, and the
//! choice is made once per slice of work, never per block:
//! ```text
//! pub fn axpy(isa: Isa, a: f32, x: &[[f32; 8]], y: &mut [[f32; 8]]) {
//!     match isa {
//!         Isa::Reference(lanes) => axpy_with(lanes, a, x, y),
//!         Isa::Avx2(lanes) => axpy_avx2(lanes, a, x, y),   // unsafe: `lanes` proves the feature
//!     }
//! }
//! #[target_feature(enable = "avx2")]
//! fn axpy_avx2(lanes: Avx2, ...) { axpy_with(lanes, ...) }   // axpy_with is #[inline(always)]
//! ```
//! Closures and helpers in between must be `#[inline(always)]` as well, or each operation becomes a call.

mod reference;

pub use reference::{Reference, ReferenceF32, ReferenceMask};

use std::fmt::Debug;
use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

/// Lanes of every implementation.
pub const LANES: usize = 8;

/// An instruction set: makes values of eight lanes. Their operations are in [`Wide`] and [`Mask`].
pub trait Lanes: Copy + Debug {
    /// Eight lanes of `f32`.
    type F32: Wide<Mask = Self::Mask>;
    /// Eight lanes of true or false.
    type Mask: Mask;

    /// `value` in all lanes.
    fn splat(self, value: f32) -> Self::F32;

    /// Lane `i` from entry `i`. No alignment is needed.
    fn load(self, values: &[f32; LANES]) -> Self::F32;

    /// Lane `i` is true when bit `i` is set.
    fn mask(self, bits: u8) -> Self::Mask;

    /// Rows to columns: lane `i` of result `k` is lane `k` of `rows[i]`. Bits move unchanged.
    fn transpose(self, rows: [Self::F32; LANES]) -> [Self::F32; LANES];

    /// Eight rows as eight columns: lane `i` of result `k` is entry `k` of `rows[i]`. Bits move unchanged, so
    /// a row may hold integers in the guise of floats. The same row may be given more than once.
    #[inline(always)]
    fn gather(self, rows: [&[f32; LANES]; LANES]) -> [Self::F32; LANES] {
        self.transpose(rows.map(|row| self.load(row)))
    }

    /// Eight columns back into rows: entry `k` of `rows[i]` becomes lane `i` of `columns[k]`, for the lanes
    /// of `mask`; all other rows stay as they are. Undoes [`Lanes::gather`].
    #[inline(always)]
    fn scatter(self, columns: [Self::F32; LANES], rows: [&mut [f32; LANES]; LANES], mask: Self::Mask) {
        let bits = mask.bits();
        for (i, (value, row)) in self.transpose(columns).into_iter().zip(rows).enumerate() {
            if bits >> i & 1 == 1 {
                value.store(row);
            }
        }
    }

    /// The first eight entries of a slice.
    ///
    /// # Panics
    /// The slice is shorter; go through `as_chunks` where that can be.
    #[inline(always)]
    fn load_slice(self, values: &[f32]) -> Self::F32 {
        self.load(values.first_chunk().expect("at least eight entries"))
    }
}

/// Eight lanes of `f32`. Arithmetic is that of scalar `f32`, rounded once per operation.
pub trait Wide:
    Copy
    + Debug
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// What comparisons give.
    type Mask: Mask;

    /// Entry `i` from lane `i`. No alignment is needed.
    fn store(self, out: &mut [f32; LANES]);

    /// Into the first eight entries of a slice.
    ///
    /// # Panics
    /// The slice is shorter.
    #[inline(always)]
    fn store_slice(self, out: &mut [f32]) {
        self.store(out.first_chunk_mut().expect("at least eight entries"));
    }

    /// All lanes, in order.
    #[inline(always)]
    fn to_array(self) -> [f32; LANES] {
        let mut out = [0.0; LANES];
        self.store(&mut out);
        out
    }

    /// Square root, correctly rounded; NaN below −0.
    fn sqrt(self) -> Self;

    /// Without the sign bit, also of NaN.
    fn abs(self) -> Self;

    /// `if self < other { self } else { other }`: `other` when either is NaN or both are zeros. One
    /// instruction on x86; `f32::min`, which prefers numbers to NaN, takes three.
    fn min(self, other: Self) -> Self;

    /// `if self > other { self } else { other }`: `other` when either is NaN or both are zeros.
    fn max(self, other: Self) -> Self;

    /// `self < other`; false with NaN.
    fn less(self, other: Self) -> Self::Mask;

    /// `self <= other`; false with NaN.
    fn less_or_equal(self, other: Self) -> Self::Mask;

    /// `self > other`; false with NaN.
    #[inline(always)]
    fn greater(self, other: Self) -> Self::Mask {
        other.less(self)
    }

    /// `self >= other`; false with NaN.
    #[inline(always)]
    fn greater_or_equal(self, other: Self) -> Self::Mask {
        other.less_or_equal(self)
    }

    /// `self == other`; false with NaN, true for zeros of either sign.
    fn equal(self, other: Self) -> Self::Mask;

    /// Lanes of `yes` where `mask` is true, of `no` elsewhere. Bits move unchanged.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;

    /// Sum of all lanes in a fixed order: halves, quarters, pairs,
    /// `((v0 + v4) + (v2 + v6)) + ((v1 + v5) + (v3 + v7))`.
    fn sum(self) -> f32;

    /// Largest lane by the rule of [`Wide::max`] in the order of [`Wide::sum`]. A NaN may win or lose by its
    /// place, the same on every machine.
    fn largest(self) -> f32;
}

/// Eight lanes of true or false.
pub trait Mask:
    Copy + Debug + PartialEq + BitAnd<Output = Self> + BitOr<Output = Self> + Not<Output = Self>
{
    /// Bit `i` is set when lane `i` is true.
    fn bits(self) -> u8;

    /// True when a lane is true.
    #[inline(always)]
    fn any(self) -> bool {
        self.bits() != 0
    }

    /// True when all lanes are true.
    #[inline(always)]
    fn all(self) -> bool {
        self.bits() == u8::MAX
    }
}
