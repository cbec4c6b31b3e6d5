//! Eight lanes in plain Rust: runs everywhere and says what every other implementation must return.

use super::{LANES, Lanes, Mask, Wide};
use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

/// Lanes without special instructions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reference;

/// Eight `f32` in an array.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReferenceF32([f32; LANES]);

/// Eight booleans as bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReferenceMask(u8);

impl Lanes for Reference {
    const NAME: &'static str = "reference";

    type F32 = ReferenceF32;
    type Mask = ReferenceMask;

    #[inline(always)]
    fn splat(self, value: f32) -> ReferenceF32 {
        ReferenceF32([value; LANES])
    }

    #[inline(always)]
    fn load(self, values: &[f32; LANES]) -> ReferenceF32 {
        ReferenceF32(*values)
    }

    #[inline(always)]
    fn mask(self, bits: u8) -> ReferenceMask {
        ReferenceMask(bits)
    }

    #[inline(always)]
    fn transpose(self, rows: [ReferenceF32; LANES]) -> [ReferenceF32; LANES] {
        std::array::from_fn(|k| ReferenceF32(std::array::from_fn(|i| rows[i].0[k])))
    }
}

impl ReferenceF32 {
    #[inline(always)]
    fn map(self, op: impl Fn(f32) -> f32) -> Self {
        Self(self.0.map(op))
    }

    #[inline(always)]
    fn zip(self, other: Self, op: impl Fn(f32, f32) -> f32) -> Self {
        Self(std::array::from_fn(|i| op(self.0[i], other.0[i])))
    }

    #[inline(always)]
    fn compare(self, other: Self, op: impl Fn(&f32, &f32) -> bool) -> ReferenceMask {
        let bit = |i: usize| u8::from(op(&self.0[i], &other.0[i])) << i;
        ReferenceMask((0..LANES).fold(0, |bits, i| bits | bit(i)))
    }

    /// Halves, quarters, pairs.
    #[inline(always)]
    fn reduce(self, op: impl Fn(f32, f32) -> f32) -> f32 {
        let v = self.0;
        let four: [f32; 4] = std::array::from_fn(|i| op(v[i], v[i + 4]));
        let two: [f32; 2] = std::array::from_fn(|i| op(four[i], four[i + 2]));
        op(two[0], two[1])
    }
}

/// The rule of [`Wide::min`].
#[inline(always)]
fn smaller(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// The rule of [`Wide::max`].
#[inline(always)]
fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

impl Wide for ReferenceF32 {
    type Mask = ReferenceMask;

    #[inline(always)]
    fn store(self, out: &mut [f32; LANES]) {
        *out = self.0;
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        self.map(f32::sqrt)
    }

    #[inline(always)]
    fn abs(self) -> Self {
        self.map(f32::abs)
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        self.zip(other, smaller)
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        self.zip(other, larger)
    }

    #[inline(always)]
    fn less(self, other: Self) -> ReferenceMask {
        self.compare(other, f32::lt)
    }

    #[inline(always)]
    fn less_or_equal(self, other: Self) -> ReferenceMask {
        self.compare(other, f32::le)
    }

    #[inline(always)]
    fn equal(self, other: Self) -> ReferenceMask {
        self.compare(other, f32::eq)
    }

    #[inline(always)]
    fn select(mask: ReferenceMask, yes: Self, no: Self) -> Self {
        let is_yes = |i: usize| mask.0 >> i & 1 == 1;
        Self(std::array::from_fn(|i| if is_yes(i) { yes.0[i] } else { no.0[i] }))
    }

    #[inline(always)]
    fn next_axes(self) -> Self {
        let [x, y, z, w, a, b, c, d] = self.0;
        Self([y, z, x, w, b, c, a, d])
    }

    #[inline(always)]
    fn sum(self) -> f32 {
        self.reduce(|a, b| a + b)
    }

    #[inline(always)]
    fn largest(self) -> f32 {
        self.reduce(larger)
    }
}

impl Add for ReferenceF32 {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }
}

impl Sub for ReferenceF32 {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.zip(other, |a, b| a - b)
    }
}

impl Mul for ReferenceF32 {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.zip(other, |a, b| a * b)
    }
}

impl Div for ReferenceF32 {
    type Output = Self;

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        self.zip(other, |a, b| a / b)
    }
}

impl Neg for ReferenceF32 {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        self.map(|a| -a)
    }
}

impl Mask for ReferenceMask {
    #[inline(always)]
    fn bits(self) -> u8 {
        self.0
    }
}

impl BitAnd for ReferenceMask {
    type Output = Self;

    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitOr for ReferenceMask {
    type Output = Self;

    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl Not for ReferenceMask {
    type Output = Self;

    #[inline(always)]
    fn not(self) -> Self {
        Self(!self.0)
    }
}
