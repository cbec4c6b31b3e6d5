//! Sparse LU of matrices of small dense blocks with a symmetric pattern, without pivoting.
//!
//! For matrices that are positive definite or nearly so. The order of elimination is that of least degree, found once per pattern; blocks that fill
//! in are stored from the start. Pivots are inverted as dense blocks; one that has no inverse ends the factorisation. Products of blocks are
//! plain loops over their columns, which compilers lay into registers of whatever width there is: the bits are the same with all.

use drystone_math::wide::{Isa, Kernel, Lanes};
use nalgebra::SMatrix;

/// A dense block.
pub(crate) type Dense<const B: usize> = SMatrix<f64, B, B>;

/// Where a block is: what [`BlockLu::place`] finds once and for all.
#[derive(Clone, Copy, Debug)]
pub(crate) enum BlockPlace {
    Pivot(u32),
    Upper(u32),
    Lower(u32),
}

/// Matrix and, after [`BlockLu::factor`], its factors.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockLu<const B: usize> {
    /// Step in which a row is eliminated.
    step_of: Vec<u32>,
    /// Row that a step eliminates.
    row_of: Vec<u32>,
    /// Off-diagonal neighbours of each step, later steps only, ascending: `later[starts[k]..starts[k + 1]]`.
    starts: Vec<u32>,
    later: Vec<u32>,
    /// Diagonal blocks, by step; inverted by the factorisation.
    pivots: Vec<Dense<B>>,
    /// Blocks right of the diagonal, beside [`BlockLu::later`].
    upper: Vec<Dense<B>>,
    /// Blocks below it.
    lower: Vec<Dense<B>>,
}

impl<const B: usize> BlockLu<B> {
    /// For `rows` block rows that are coupled as `pairs` say, in any order and however often.
    pub(crate) fn new(rows: usize, pairs: &[(u32, u32)]) -> Self {
        let mut neighbours: Vec<Vec<u32>> = vec![Vec::new(); rows];
        for &(a, b) in pairs.iter().filter(|(a, b)| a != b) {
            neighbours[a as usize].push(b);
            neighbours[b as usize].push(a);
        }
        for list in &mut neighbours {
            list.sort_unstable();
            list.dedup();
        }
        let mut lu = Self { step_of: vec![u32::MAX; rows], starts: vec![0], ..Self::default() };
        let mut rows_later: Vec<Vec<u32>> = Vec::with_capacity(rows);
        for step in 0..rows as u32 {
            let remaining = (0..rows as u32).filter(|&row| lu.step_of[row as usize] == u32::MAX);
            let Some(row) = remaining.min_by_key(|&row| (neighbours[row as usize].len(), row)) else { break };
            lu.step_of[row as usize] = step;
            lu.row_of.push(row);
            let around = std::mem::take(&mut neighbours[row as usize]);
            for &other in &around {
                let list = &neighbours[other as usize];
                neighbours[other as usize] = merged(list, &around, other, row);
            }
            rows_later.push(around);
        }
        for around in rows_later {
            let begun = lu.later.len();
            lu.later.extend(around.iter().map(|&row| lu.step_of[row as usize]));
            lu.later[begun..].sort_unstable();
            lu.starts.push(lu.later.len() as u32);
        }
        lu.pivots = vec![Dense::zeros(); rows];
        lu.upper = vec![Dense::zeros(); lu.later.len()];
        lu.lower = lu.upper.clone();
        lu
    }

    /// Blocks on one side of the diagonal of the factors.
    pub(crate) fn off_diagonal(&self) -> usize {
        self.upper.len()
    }

    /// Multiplications of one factorisation.
    pub(crate) fn work(&self) -> u64 {
        let product = (B * B * B) as u64;
        let of = |range: &[u32]| u64::from(range[1] - range[0]);
        self.starts.windows(2).map(|range| product * of(range) * (of(range) + 1)).sum()
    }

    /// Sets all blocks to zero.
    pub(crate) fn clear(&mut self) {
        for list in [&mut self.pivots, &mut self.upper, &mut self.lower] {
            list.fill(Dense::zeros());
        }
    }

    /// Adds to a block; its place must be among the pairs.
    pub(crate) fn add(&mut self, row: u32, column: u32, block: &Dense<B>) {
        self.add_at(self.place(row, column), block);
    }

    /// Where the block of a row and a column is; it must be among the pairs.
    pub(crate) fn place(&self, row: u32, column: u32) -> BlockPlace {
        let (i, j) = (self.step_of[row as usize], self.step_of[column as usize]);
        if i == j {
            return BlockPlace::Pivot(i);
        }
        let range = self.range(i.min(j) as usize);
        let found = self.later[range.clone()].binary_search(&i.max(j));
        debug_assert!(found.is_ok(), "blocks ({i}, {j}) are not in the pattern");
        let place = (range.start + found.unwrap_or(0)) as u32;
        if i < j { BlockPlace::Upper(place) } else { BlockPlace::Lower(place) }
    }

    /// Adds to the block at a place.
    #[inline(always)]
    pub(crate) fn add_at(&mut self, place: BlockPlace, block: &Dense<B>) {
        let own = &mut self.at(place).data.0;
        let mut j = 0;
        while j < B {
            let mut i = 0;
            while i < B {
                own[j][i] += block.data.0[j][i];
                i += 1;
            }
            j += 1;
        }
    }

    /// The block at a place.
    #[inline(always)]
    pub(crate) fn at(&mut self, place: BlockPlace) -> &mut Dense<B> {
        match place {
            BlockPlace::Pivot(k) => &mut self.pivots[k as usize],
            BlockPlace::Upper(k) => &mut self.upper[k as usize],
            BlockPlace::Lower(k) => &mut self.lower[k as usize],
        }
    }

    fn range(&self, step: usize) -> std::ops::Range<usize> {
        self.starts[step] as usize..self.starts[step + 1] as usize
    }

    /// Factors in place; false when a pivot has no inverse.
    pub(crate) fn factor(&mut self) -> bool {
        self.eliminate::<false>()
    }

    /// The same for a matrix that is positive definite but for rounding, within a kernel: pivots are inverted without exchanges.
    #[inline(always)]
    pub(crate) fn factor_definite(&mut self) -> bool {
        self.eliminate::<true>()
    }

    #[inline(always)]
    fn eliminate<const DEFINITE: bool>(&mut self) -> bool {
        for k in 0..self.row_of.len() {
            let inverse =
                if DEFINITE { inverse_of_definite(&self.pivots[k]) } else { self.pivots[k].try_inverse() };
            let Some(inverse) = inverse else { return false };
            if !is_finite(&inverse) {
                return false;
            }
            self.pivots[k] = inverse;
            let range = self.range(k);
            for place in range.start..range.end {
                let i = self.later[place];
                let share = product(&self.lower[place], &inverse);
                self.lower[place] = share;
                // Both lists ascend, so places in row (or column) `i` are found one after the other.
                let mut from = self.range(i as usize);
                subtract(&mut self.pivots[i as usize], &product(&share, &self.upper[place]));
                for other in range.start..range.end {
                    let j = self.later[other];
                    if j > i {
                        from.start = self.find(from.start..from.end, j);
                        let change = product(&share, &self.upper[other]);
                        subtract(&mut self.upper[from.start], &change);
                    }
                }
            }
            for place in range.start..range.end {
                // Column `j` below its diagonal.
                let j = self.later[place];
                let mut from = self.range(j as usize);
                let right = self.upper[place];
                for other in range.start..range.end {
                    let i = self.later[other];
                    if i > j {
                        from.start = self.find(from.start..from.end, i);
                        let change = product(&self.lower[other], &right);
                        subtract(&mut self.lower[from.start], &change);
                    }
                }
            }
        }
        true
    }

    /// The place of a step in a list.
    fn find(&self, range: std::ops::Range<usize>, step: u32) -> usize {
        range.start + self.later[range].partition_point(|&other| other < step)
    }

    /// Solves in place, with `B` numbers per row.
    pub(crate) fn solve(&self, vector: &mut [f64]) {
        self.substitute(vector);
    }

    /// The same with an instruction set.
    pub(crate) fn solve_with(&self, isa: Isa, vector: &mut [f64]) {
        isa.run(Substitute { lu: self, vector });
    }

    #[inline(always)]
    fn substitute(&self, vector: &mut [f64]) {
        let (parts, _) = vector.as_chunks_mut::<B>();
        for k in 0..self.row_of.len() {
            let value = parts[self.row_of[k] as usize];
            let range = self.range(k);
            for place in range.start..range.end {
                let row = self.row_of[self.later[place] as usize] as usize;
                let change = image(&self.lower[place], &value);
                minus(&mut parts[row], &change);
            }
        }
        for k in (0..self.row_of.len()).rev() {
            let mut value = parts[self.row_of[k] as usize];
            let range = self.range(k);
            for place in range.start..range.end {
                let other = parts[self.row_of[self.later[place] as usize] as usize];
                minus(&mut value, &image(&self.upper[place], &other));
            }
            parts[self.row_of[k] as usize] = image(&self.pivots[k], &value);
        }
    }
}

struct Substitute<'a, const B: usize> {
    lu: &'a BlockLu<B>,
    vector: &'a mut [f64],
}

impl<const B: usize> Kernel for Substitute<'_, B> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, _: L) {
        self.lu.substitute(self.vector);
    }
}

/// The columns of a block.
#[inline(always)]
fn columns<const B: usize>(block: &Dense<B>) -> &[[f64; B]; B] {
    &block.data.0
}

#[inline(always)]
fn image<const B: usize>(block: &Dense<B>, vector: &[f64; B]) -> [f64; B] {
    let (columns, mut sum) = (columns(block), [0.0; B]);
    let mut k = 0;
    while k < B {
        let mut i = 0;
        while i < B {
            // From the first product on: zero and a product of -0 would be +0.
            sum[i] = if k == 0 { columns[0][i] * vector[0] } else { sum[i] + columns[k][i] * vector[k] };
            i += 1;
        }
        k += 1;
    }
    sum
}

#[inline(always)]
fn minus<const B: usize>(own: &mut [f64; B], other: &[f64; B]) {
    let mut i = 0;
    while i < B {
        own[i] -= other[i];
        i += 1;
    }
}

#[inline(always)]
fn product<const B: usize>(left: &Dense<B>, right: &Dense<B>) -> Dense<B> {
    let mut out = [[0.0; B]; B];
    let mut j = 0;
    while j < B {
        out[j] = image(left, &columns(right)[j]);
        j += 1;
    }
    Dense::from_array_storage(nalgebra::ArrayStorage(out))
}

#[inline(always)]
fn subtract<const B: usize>(own: &mut Dense<B>, other: &Dense<B>) {
    let own = &mut own.data.0;
    let mut j = 0;
    while j < B {
        minus(&mut own[j], &columns(other)[j]);
        j += 1;
    }
}

#[inline(always)]
fn is_finite<const B: usize>(block: &Dense<B>) -> bool {
    // What is no number, or infinite, stays so times zero.
    let (columns, mut sum) = (columns(block), 0.0);
    let mut j = 0;
    while j < B {
        let mut i = 0;
        while i < B {
            sum += columns[j][i] * 0.0;
            i += 1;
        }
        j += 1;
    }
    sum == 0.0
}

/// The inverse of a block that is positive definite but for rounding, by Gauss and Jordan's way; none where a pivot is not above zero.
#[inline(always)]
fn inverse_of_definite<const B: usize>(block: &Dense<B>) -> Option<Dense<B>> {
    let mut m = *columns(block);
    let mut k = 0;
    while k < B {
        let pivot = m[k][k];
        if pivot <= 0.0 || pivot.is_nan() {
            return None;
        }
        let share = 1.0 / pivot;
        let own = m[k];
        let mut j = 0;
        while j < B {
            if j != k {
                let factor = m[j][k] * share;
                let mut i = 0;
                while i < B {
                    m[j][i] -= own[i] * factor;
                    i += 1;
                }
                m[j][k] = factor;
            }
            j += 1;
        }
        let mut i = 0;
        while i < B {
            m[k][i] = -own[i] * share;
            i += 1;
        }
        m[k][k] = share;
        k += 1;
    }
    Some(Dense::from_array_storage(nalgebra::ArrayStorage(m)))
}

/// Two ascending lists as one, without `own` and `gone`.
fn merged(a: &[u32], b: &[u32], own: u32, gone: u32) -> Vec<u32> {
    let mut list = Vec::with_capacity(a.len() + b.len());
    list.extend(a.iter().chain(b).copied().filter(|&row| row != own && row != gone));
    list.sort_unstable();
    list.dedup();
    list
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{DMatrix, DVector};
    use proptest::prelude::*;

    proptest! {
        /// Against a dense factorisation, on random patterns.
        #[test]
        fn solves_what_a_dense_factorisation_solves(
            rows in 1..12_usize,
            pairs in prop::collection::vec((0..12_u32, 0..12_u32), 0..30),
            values in prop::collection::vec(-1.0f64..1.0, 400),
        ) {
            let pairs: Vec<_> = pairs.into_iter().map(|(a, b)| (a % rows as u32, b % rows as u32)).collect();
            let mut lu = BlockLu::<2>::new(rows, &pairs);
            let mut dense = DMatrix::<f64>::zeros(2 * rows, 2 * rows);
            let mut values = values.into_iter().cycle();
            let both = pairs.iter().flat_map(|&(a, b)| [(a, b), (b, a)]);
            for (a, b) in both.chain((0..rows as u32).map(|i| (i, i))) {
                let mut block = Dense::<2>::from_fn(|_, _| values.next().unwrap_or(0.5));
                if a == b {
                    block += Dense::identity() * 80.0;
                }
                lu.add(a, b, &block);
                let mut view = dense.fixed_view_mut::<2, 2>(2 * a as usize, 2 * b as usize);
                view += block;
            }
            let right: Vec<f64> = (0..2 * rows).map(|i| i as f64 - 3.0).collect();
            let expected = dense.lu().solve(&DVector::from_column_slice(&right)).expect("dominated by its diagonal");
            let mut solved = right;
            prop_assert!(lu.factor());
            lu.solve(&mut solved);
            for (a, b) in solved.iter().zip(expected.iter()) {
                prop_assert!((a - b).abs() < 1e-12 * (1.0 + b.abs()), "{a} and {b}");
            }
        }
    }
}
