//! SIMD lanes: eight `f32` at a time behind one trait, with the same bits from every instruction set.
//!
//! In: blocks of eight values, `[f32; 8]`, on every machine. Out: the same, lane by lane what scalar `f32`
//! arithmetic gives. Knows nothing of bodies or contacts. Start reading at [`Lanes`] and [`Isa`];
//! [`Reference`] is the plain implementation that defines what all others must return.
//!
//! Data is laid out in eights everywhere, whatever the registers hold: SSE2 and NEON work on two halves,
//! AVX2 on the whole, so layouts, lane numbers and results never depend on the machine. For the same reason
//! there is no fused multiply-add, no approximate reciprocal or root, and the order of horizontal
//! sums is part of the interface. The sign and payload of a NaN that arithmetic makes are the only bits that
//! are not promised.
//!
//! # Writing a kernel
//!
//! A kernel is a struct of its arguments with one generic method, [`Kernel::run`], that gets the instruction
//! set as a value; helpers are generic `#[inline(always)]` functions. Dot products of rows picked by index:
//! ```
//! use drystone_math::wide::{Isa, Kernel, Lanes, Wide};
//!
//! /// Dot products of the first three entries of the picked rows, eight pairs at a time.
//! struct Dots<'a> {
//!     rows: &'a [[f32; 8]],
//!     pairs: &'a [[(usize, usize); 8]],
//!     out: &'a mut [[f32; 8]],
//! }
//!
//! impl Kernel for Dots<'_> {
//!     type Output = ();
//!
//!     #[inline(always)]
//!     fn run<L: Lanes>(self, lanes: L) {
//!         for (pairs, out) in self.pairs.iter().zip(self.out) {
//!             let [ax, ay, az, ..] = lanes.gather(pairs.map(|(a, _)| &self.rows[a]));
//!             let [bx, by, bz, ..] = lanes.gather(pairs.map(|(_, b)| &self.rows[b]));
//!             dot::<L>([ax, ay, az], [bx, by, bz]).store(out);
//!         }
//!     }
//! }
//!
//! #[inline(always)]
//! fn dot<L: Lanes>([ax, ay, az]: [L::F32; 3], [bx, by, bz]: [L::F32; 3]) -> L::F32 {
//!     ax * bx + ay * by + az * bz
//! }
//!
//! let rows: Vec<[f32; 8]> = (0..8).map(|i| [i as f32, 1.0, 2.0, 9.0, 9.0, 9.0, 9.0, 9.0]).collect();
//! let squares = [0, 1, 2, 3, 4, 5, 6, 7].map(|i| (i, i));
//! for isa in Isa::all() {
//!     let mut out = [[0.0; 8]];
//!     isa.run(Dots { rows: &rows, pairs: &[squares], out: &mut out });
//!     assert_eq!(out[0], [5.0, 6.0, 9.0, 14.0, 21.0, 30.0, 41.0, 54.0], "{}", isa.name());
//! }
//! ```
//!
//! # Choosing the instruction set
//!
//! [`Isa::best`] asks the machine; [`Isa::run`] is the way in. A value of an instruction set's type is the
//! proof that the machine has it: those beyond the target's minimum have a `detect() -> Option<Self>` and no
//! other constructor, so every operation is a safe call.
//!
//! Intrinsics are inlined only into a function that has the feature itself. `Isa::run` enters one, which
//! holds the whole kernel; therefore the choice is made once per slice of work, never per block, and all
//! that touches lanes in between must be `#[inline(always)]`, or each operation becomes a call. (A closure
//! that touches no lanes, as above, is compiled either way.) How to look: in
//! ```text
//! cargo build --release -p drystone-math --example lanes
//! objdump -d -C target/release/examples/lanes | awk '/^[0-9a-f]+ <.*run_avx2/, /^$/'
//! ```
//! the kernel works on `ymm` registers and holds no `call`; others may hold those of failed index checks.

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod avx2;
mod isa;
#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
mod neon;
mod reference;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod sse2;

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
pub use avx2::{Avx2, Avx2F32, Avx2Mask};
pub use isa::{Isa, Kernel};
#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
pub use neon::{Neon, NeonF32, NeonMask};
pub use reference::{Reference, ReferenceF32, ReferenceMask};
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
pub use sse2::{Sse2, Sse2F32, Sse2Mask};

#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
use Neon as EveryMachine;
#[cfg(not(any(
    all(target_arch = "x86_64", target_feature = "sse2"),
    all(target_arch = "aarch64", target_feature = "neon")
)))]
use Reference as EveryMachine;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
use Sse2 as EveryMachine;

/// The lanes that every machine of this target has: for short pieces of work inside other code, which the choice
/// by [`Isa::run`] would cost more than it gains. A value of it is made anywhere.
pub type Baseline = EveryMachine;

use std::fmt::Debug;
use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

/// Lanes of every implementation.
pub const LANES: usize = 8;

/// An instruction set: makes values of eight lanes. Their operations are in [`Wide`] and [`Mask`].
pub trait Lanes: Copy + Debug {
    /// Its name in reports, in lower case.
    const NAME: &'static str;

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
        // Written out, here and below: the iterators of arrays are not `#[inline(always)]`.
        let [r0, r1, r2, r3, r4, r5, r6, r7] = rows;
        let [r0, r1, r2, r3] = [self.load(r0), self.load(r1), self.load(r2), self.load(r3)];
        let [r4, r5, r6, r7] = [self.load(r4), self.load(r5), self.load(r6), self.load(r7)];
        self.transpose([r0, r1, r2, r3, r4, r5, r6, r7])
    }

    /// Eight columns back into rows: entry `k` of `rows[i]` becomes lane `i` of `columns[k]`, for the lanes
    /// of `mask`; all other rows stay as they are. Undoes [`Lanes::gather`].
    #[inline(always)]
    fn scatter(self, columns: [Self::F32; LANES], rows: [&mut [f32; LANES]; LANES], mask: Self::Mask) {
        let bits = mask.bits();
        let [v0, v1, v2, v3, v4, v5, v6, v7] = self.transpose(columns);
        let [r0, r1, r2, r3, r4, r5, r6, r7] = rows;
        store_if(bits & 1 != 0, v0, r0);
        store_if(bits & 2 != 0, v1, r1);
        store_if(bits & 4 != 0, v2, r2);
        store_if(bits & 8 != 0, v3, r3);
        store_if(bits & 16 != 0, v4, r4);
        store_if(bits & 32 != 0, v5, r5);
        store_if(bits & 64 != 0, v6, r6);
        store_if(bits & 128 != 0, v7, r7);
    }

    /// Vectors of four components, scaled to unit length as `f64` has it, each component rounded to `f32` once: `x (1 / sqrt((x² + z²) + (y² +
    /// w²)))`.
    #[inline(always)]
    fn unit(self, [x, y, z, w]: [Self::F32; 4]) -> [Self::F32; 4] {
        let [mut x, mut y, mut z, mut w] = [x.to_array(), y.to_array(), z.to_array(), w.to_array()];
        for lane in 0..LANES {
            let [a, b, c, d] = [x[lane], y[lane], z[lane], w[lane]].map(f64::from);
            let scale = 1.0 / ((a * a + c * c) + (b * b + d * d)).sqrt();
            (x[lane], y[lane]) = ((a * scale) as f32, (b * scale) as f32);
            (z[lane], w[lane]) = ((c * scale) as f32, (d * scale) as f32);
        }
        [self.load(&x), self.load(&y), self.load(&z), self.load(&w)]
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

#[inline(always)]
fn store_if(condition: bool, value: impl Wide, out: &mut [f32; LANES]) {
    if condition {
        value.store(out);
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

    /// Of lanes that hold vectors, `x, y, z` and one more, the same with `y, z, x` and that one: lanes 1, 2, 0, 3 of either half.
    fn next_axes(self) -> Self;

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
