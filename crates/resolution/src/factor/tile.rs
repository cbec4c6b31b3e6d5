//! Small dense blocks in columns that are longer in memory than they need be.
//!
//! A column of six numbers is a vector of four and two more, and where columns follow each other without a gap, compilers fill vectors across their ends,
//! with more shuffles than products. So columns are of a length that vectors divide; what is beyond the rows is zero times what is there. All is
//! plain loops, which compilers lay into registers of whatever width there is: the bits are the same with all.
//!
//! Where fewer rows and columns are in use than there are, what does the work is told how many ([`Size`]): the rest is neither read nor kept up to date.

use nalgebra::SMatrix;

/// A dense block, as others give and take it.
pub(crate) type Dense<const B: usize> = SMatrix<f64, B, B>;

/// Rows up to which half a column will do.
const SHORT: usize = 4;

/// Rows and columns of a block, or of a product, that are in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
}

impl Size {
    /// Whether columns of `P` need be looked at by half only.
    #[inline(always)]
    pub(crate) const fn is_short<const P: usize>(self) -> bool {
        P > SHORT && self.rows <= SHORT
    }
}

/// Calls what is made for so many rows (`SHORT` or `P`) and, up to `B`, columns.
macro_rules! unrolled {
    ($own:expr, $is_short:expr, $columns:expr, $of:ident($($with:expr),*)) => {
        match ($is_short, $columns) {
            (true, 3) => $own.$of::<SHORT, 3>($($with),*),
            (true, 4) => $own.$of::<SHORT, 4>($($with),*),
            (true, 5) => $own.$of::<SHORT, 5>($($with),*),
            (true, _) => $own.$of::<SHORT, B>($($with),*),
            (false, 3) => $own.$of::<P, 3>($($with),*),
            (false, 4) => $own.$of::<P, 4>($($with),*),
            (false, 5) => $own.$of::<P, 5>($($with),*),
            (false, _) => $own.$of::<P, B>($($with),*),
        }
    };
}

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

    /// The first `R` rows of the first `K` columns times a vector.
    #[inline(always)]
    fn image_of<const R: usize, const K: usize>(&self, vector: &[f64]) -> [f64; R] {
        let mut sum = [0.0; R];
        let mut k = 0;
        while k < K {
            let mut i = 0;
            while i < R {
                // From the first product on: zero and a product of -0 would be +0.
                sum[i] = if k == 0 { self.0[0][i] * vector[0] } else { sum[i] + self.0[k][i] * vector[k] };
                i += 1;
            }
            k += 1;
        }
        sum
    }

    #[inline(always)]
    fn minus_image_of<const R: usize, const K: usize>(&self, vector: &[f64; B], own: &mut [f64; B]) {
        let change = self.image_of::<R, K>(vector);
        let mut i = 0;
        while i < R && i < B {
            own[i] -= change[i];
            i += 1;
        }
    }

    /// `own -= block * vector`.
    #[inline(always)]
    pub(super) fn minus_image(&self, size: Size, vector: &[f64; B], own: &mut [f64; B]) {
        unrolled!(self, size.is_short::<P>(), size.columns, minus_image_of(vector, own));
    }

    #[inline(always)]
    fn set_image_of<const R: usize, const K: usize>(&self, vector: &[f64; B], own: &mut [f64; B]) {
        let image = self.image_of::<R, K>(vector);
        let mut i = 0;
        while i < R && i < B {
            own[i] = image[i];
            i += 1;
        }
    }

    /// `own = block * vector`.
    #[inline(always)]
    pub(super) fn set_image(&self, size: Size, vector: &[f64; B], own: &mut [f64; B]) {
        unrolled!(self, size.is_short::<P>(), size.columns, set_image_of(vector, own));
    }

    #[inline(always)]
    fn multiply_of<const R: usize, const K: usize>(&mut self, right: &Self) {
        let left = *self;
        let mut j = 0;
        while j < K {
            let column = left.image_of::<R, K>(&right.0[j]);
            let mut i = 0;
            while i < R {
                self.0[j][i] = column[i];
                i += 1;
            }
            j += 1;
        }
    }

    /// This block, of some size, times a square one.
    #[inline(always)]
    pub(super) fn multiply(&mut self, size: Size, right: &Self) {
        unrolled!(self, size.is_short::<P>(), size.columns, multiply_of(right));
    }

    #[inline(always)]
    fn minus_product_of<const R: usize, const K: usize>(
        &mut self,
        columns: usize,
        left: &Self,
        right: &Self,
    ) {
        let mut j = 0;
        while j < columns {
            let change = left.image_of::<R, K>(&right.0[j]);
            let mut i = 0;
            while i < R {
                self.0[j][i] -= change[i];
                i += 1;
            }
            j += 1;
        }
    }

    /// `own -= left * right`, of a block of some size; `left` has `inner` columns.
    #[inline(always)]
    pub(super) fn minus_product(&mut self, size: Size, left: &Self, inner: usize, right: &Self) {
        unrolled!(self, size.is_short::<P>(), inner, minus_product_of(size.columns, left, right));
    }

    #[inline(always)]
    fn is_finite_of<const R: usize, const K: usize>(&self) -> bool {
        // What is no number, or infinite, stays so times zero.
        let mut sum = [0.0; R];
        let mut j = 0;
        while j < K {
            let mut i = 0;
            while i < R {
                sum[i] += self.0[j][i] * 0.0;
                i += 1;
            }
            j += 1;
        }
        sum.iter().sum::<f64>() == 0.0
    }

    /// Whether a square block is one of numbers.
    #[inline(always)]
    pub(super) fn is_finite(&self, size: usize) -> bool {
        let is_short = Size { rows: size, columns: size }.is_short::<P>();
        unrolled!(self, is_short, size, is_finite_of())
    }

    /// Becomes the inverse of what is positive semidefinite but for rounding, by Gauss and Jordan's way. A row whose pivot is not above zero follows from the others: it takes no part,
    /// and has zeros in the inverse. False where a pivot is no number.
    #[inline(always)]
    pub(super) fn invert_semidefinite(&mut self, size: usize) -> bool {
        if (Size { rows: size, columns: size }).is_short::<P>() {
            self.invert_rows::<SHORT>(size)
        } else {
            self.invert_rows::<P>(size)
        }
    }

    #[inline(always)]
    fn invert_rows<const R: usize>(&mut self, size: usize) -> bool {
        let m = &mut self.0;
        let mut k = 0;
        while k < size {
            let pivot = m[k][k];
            if pivot.is_nan() {
                return false;
            }
            if pivot <= 0.0 {
                let mut j = 0;
                while j < size {
                    m[j][k] = 0.0;
                    m[k][j] = 0.0;
                    j += 1;
                }
                k += 1;
                continue;
            }
            let share = 1.0 / pivot;
            let own = m[k];
            let mut j = 0;
            while j < size {
                if j != k {
                    let factor = m[j][k] * share;
                    let mut i = 0;
                    while i < R {
                        m[j][i] -= own[i] * factor;
                        i += 1;
                    }
                    m[j][k] = factor;
                }
                j += 1;
            }
            let mut i = 0;
            while i < R {
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

    /// A block of which some rows and columns are in use: numbers elsewhere within these rows' half, none in the other columns.
    fn part(block: &Dense<6>, rows: usize, columns: usize) -> Tile<6, 8> {
        let mut tile = Tile::<6, 8>::of(block);
        tile.0.iter_mut().skip(columns).for_each(|column| *column = [f64::NAN; 8]);
        tile.0.iter_mut().take(columns).for_each(|column| column[rows..].fill(0.0));
        tile
    }

    #[test]
    fn blocks_are_what_dense_ones_are() {
        for (seed, rows, columns) in
            (0..50).flat_map(|seed| (3..=6).map(move |k| (seed, k, 3 + seed as usize % 4)))
        {
            let (a, b) = (block(seed), block(seed + 100));
            let square = b.view((0, 0), (columns, columns)).clone_owned();
            let (size, left) = (Size { rows, columns }, a.view((0, 0), (rows, columns)).clone_owned());
            let view = |tile: &Tile<6, 8>| {
                nalgebra::DMatrix::from_fn(rows, columns, |row, column| tile.0[column][row])
            };
            let (one, other) = (part(&a, rows, columns), part(&b, columns, columns));
            let mut product = one;
            product.multiply(size, &other);
            assert!((view(&product) - &left * &square).norm() < 1e-13);
            let mut rest = one;
            rest.minus_product(size, &one, columns, &other);
            assert!((view(&rest) - (&left - &left * &square)).norm() < 1e-13);
            let vector = [0.3, -1.0, 2.0, 0.7, -0.2, 1.1];
            let image = &left * nalgebra::DVector::from_column_slice(&vector[..columns]);
            let (mut set, mut less) = ([0.0; 6], [1.0; 6]);
            one.set_image(size, &vector, &mut set);
            one.minus_image(size, &vector, &mut less);
            for (k, image) in image.iter().enumerate() {
                assert!((set[k] - image).abs() < 1e-13 && (less[k] - (1.0 - image)).abs() < 1e-13);
            }
            let mut inverse = other;
            assert!(inverse.invert_semidefinite(columns) && inverse.is_finite(columns));
            let found = nalgebra::DMatrix::from_fn(columns, columns, |row, column| inverse.0[column][row]);
            let identity = nalgebra::DMatrix::identity(columns, columns);
            assert!((found * square - identity).norm() < 1e-11);
        }
        let (mut sum, other) = (Tile::<6, 8>::of(&block(1)), block(2));
        sum.add(&Tile::of(&other));
        assert_eq!(sum.dense(), block(1) + other);
        // What is no part of a block stays zero.
        assert!(sum.0.iter().all(|column| column[6..] == [0.0; 2]));
    }

    #[test]
    fn what_has_no_inverse_is_found() {
        let mut flat = block(3);
        flat.row_mut(2).fill(0.0);
        flat.column_mut(2).fill(0.0);
        // A row that has no inverse takes no part, and the others have that of what is left.
        let mut rest = Tile::<6, 8>::of(&flat);
        assert!(rest.invert_semidefinite(6));
        let kept = block(3).remove_row(2).remove_column(2).try_inverse().expect("definite");
        let found = rest.dense();
        assert!(found.row(2).iter().chain(found.column(2).iter()).all(|x| *x == 0.0));
        assert!((found.remove_row(2).remove_column(2) - kept).norm() < 1e-11);
        for wrong in [f64::NAN, f64::INFINITY] {
            let mut broken = Tile::<6, 8>::of(&block(4));
            assert!(broken.is_finite(6));
            broken.0[5][5] = wrong;
            assert!(!broken.is_finite(6));
        }
        let mut nan = Tile::<6, 8>::of(&block(4));
        nan.0[1][1] = f64::NAN;
        assert!(!nan.invert_semidefinite(6));
    }
}
