//! Small dense blocks in columns that are longer in memory than they need be.
//!
//! A column of six numbers is a vector of four and two more, and where columns follow each other without a gap, compilers fill vectors across their ends,
//! with more shuffles than products. So columns are of a length that vectors divide; what is beyond the rows is zero times what is there. All is
//! plain loops, which compilers lay into registers of whatever width there is: the bits are the same with all.

use nalgebra::SMatrix;

/// A dense block, as others give and take it.
pub(crate) type Dense<const B: usize> = SMatrix<f64, B, B>;

/// A block of `B` columns, each of `B` rows and, up to `P` in all, of what is no part of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tile<const B: usize, const P: usize>(pub(crate) [[f64; P]; B]);

impl<const B: usize, const P: usize> Tile<B, P> {
    pub(crate) const ZERO: Self = {
        assert!(P >= B, "columns have room for all rows");
        Self([[0.0; P]; B])
    };

    pub(crate) fn of(block: &Dense<B>) -> Self {
        let mut own = Self::ZERO;
        for (column, values) in own.0.iter_mut().zip(&block.data.0) {
            column[..B].copy_from_slice(values);
        }
        own
    }

    pub(super) fn dense(&self) -> Dense<B> {
        Dense::from_fn(|row, column| self.0[column][row])
    }

    /// `own += other`.
    #[inline(always)]
    pub(crate) fn add(&mut self, other: &Self) {
        let mut j = 0;
        while j < B {
            let mut i = 0;
            while i < P {
                self.0[j][i] += other.0[j][i];
                i += 1;
            }
            j += 1;
        }
    }

    /// Takes the place of the block where it is the first one there (`is_first`); is added to it otherwise.
    #[inline(always)]
    pub(crate) fn put(&mut self, mut other: Self, is_first: bool) {
        if !is_first {
            other.add(self);
        }
        *self = other;
    }

    /// This block times a vector.
    #[inline(always)]
    pub(super) fn image(&self, vector: &[f64]) -> [f64; P] {
        let mut sum = [0.0; P];
        let mut k = 0;
        while k < B {
            let mut i = 0;
            while i < P {
                // From the first product on: zero and a product of -0 would be +0.
                sum[i] = if k == 0 { self.0[0][i] * vector[0] } else { sum[i] + self.0[k][i] * vector[k] };
                i += 1;
            }
            k += 1;
        }
        sum
    }

    #[inline(always)]
    pub(super) fn times(&self, right: &Self) -> Self {
        let mut out = Self::ZERO;
        let mut j = 0;
        while j < B {
            out.0[j] = self.image(&right.0[j]);
            j += 1;
        }
        out
    }

    /// `own -= left * right`.
    #[inline(always)]
    pub(super) fn minus_product(&mut self, left: &Self, right: &Self) {
        let mut j = 0;
        while j < B {
            let change = left.image(&right.0[j]);
            let mut i = 0;
            while i < P {
                self.0[j][i] -= change[i];
                i += 1;
            }
            j += 1;
        }
    }

    #[inline(always)]
    pub(super) fn is_finite(&self) -> bool {
        // What is no number, or infinite, stays so times zero.
        let mut sum = [0.0; P];
        let mut j = 0;
        while j < B {
            let mut i = 0;
            while i < P {
                sum[i] += self.0[j][i] * 0.0;
                i += 1;
            }
            j += 1;
        }
        sum.iter().sum::<f64>() == 0.0
    }

    /// Becomes the inverse of what is positive definite but for rounding, by Gauss and Jordan's way; false where a pivot is not above zero.
    #[inline(always)]
    pub(super) fn invert_definite(&mut self) -> bool {
        let m = &mut self.0;
        let mut k = 0;
        while k < B {
            let pivot = m[k][k];
            if pivot <= 0.0 || pivot.is_nan() {
                return false;
            }
            let share = 1.0 / pivot;
            let own = m[k];
            let mut j = 0;
            while j < B {
                if j != k {
                    let factor = m[j][k] * share;
                    let mut i = 0;
                    while i < P {
                        m[j][i] -= own[i] * factor;
                        i += 1;
                    }
                    m[j][k] = factor;
                }
                j += 1;
            }
            let mut i = 0;
            while i < P {
                m[k][i] = -own[i] * share;
                i += 1;
            }
            m[k][k] = share;
            k += 1;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Positive definite, of six rows in columns of eight.
    fn block(seed: u32) -> Dense<6> {
        let noise = |i: usize, j: usize| {
            f64::from((seed + 7 * i as u32 + 31 * j as u32).wrapping_mul(0x9E37_79B9) >> 16) / 65536.0 - 0.5
        };
        let half = Dense::<6>::from_fn(noise);
        half * half.transpose() + Dense::identity() * 0.1
    }

    #[test]
    fn blocks_are_what_dense_ones_are() {
        for seed in 0..50 {
            let (a, b) = (block(seed), block(seed + 100));
            let (one, other) = (Tile::<6, 8>::of(&a), Tile::<6, 8>::of(&b));
            assert_eq!(one.dense(), a);
            assert!((one.times(&other).dense() - a * b).norm() < 1e-13);
            let mut sum = one;
            sum.add(&other);
            sum.minus_product(&one, &other);
            assert!((sum.dense() - (a + b - a * b)).norm() < 1e-13);
            let mut inverse = one;
            assert!(inverse.invert_definite());
            assert!((inverse.dense() * a - Dense::identity()).norm() < 1e-11);
            // What is no part of a block stays zero.
            assert!(sum.0.iter().chain(&inverse.0).all(|column| column[6..] == [0.0; 2]));
        }
    }

    #[test]
    fn what_has_no_inverse_is_found() {
        let mut flat = block(3);
        flat.row_mut(2).fill(0.0);
        flat.column_mut(2).fill(0.0);
        assert!(!Tile::<6, 8>::of(&flat).invert_definite());
        for wrong in [f64::NAN, f64::INFINITY] {
            let mut broken = Tile::<6, 8>::of(&block(4));
            assert!(broken.is_finite());
            broken.0[5][5] = wrong;
            assert!(!broken.is_finite());
        }
        let mut nan = Tile::<6, 8>::of(&block(4));
        nan.0[1][1] = f64::NAN;
        assert!(!nan.invert_definite());
    }
}
