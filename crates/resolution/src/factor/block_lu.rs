//! Sparse LU of matrices of small dense blocks with a symmetric pattern, without pivoting.
//!
//! For matrices that are positive definite or nearly so. The order of elimination is that of least degree, found once per pattern; blocks that fill
//! in are stored from the start. Pivots are inverted as dense blocks; one that has no inverse ends the factorisation.

use nalgebra::SMatrix;

/// A dense block.
pub(crate) type Dense<const B: usize> = SMatrix<f64, B, B>;

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
        let (i, j) = (self.step_of[row as usize], self.step_of[column as usize]);
        *self.at(i, j) += block;
    }

    fn range(&self, step: usize) -> std::ops::Range<usize> {
        self.starts[step] as usize..self.starts[step + 1] as usize
    }

    /// The block of two steps.
    fn at(&mut self, i: u32, j: u32) -> &mut Dense<B> {
        if i == j {
            return &mut self.pivots[i as usize];
        }
        let range = self.range(i.min(j) as usize);
        let place = self.later[range.clone()].binary_search(&i.max(j));
        debug_assert!(place.is_ok(), "blocks ({i}, {j}) are not in the pattern");
        let place = range.start + place.unwrap_or(0);
        if i < j { &mut self.upper[place] } else { &mut self.lower[place] }
    }

    /// Factors in place; false when a pivot has no inverse.
    pub(crate) fn factor(&mut self) -> bool {
        for k in 0..self.row_of.len() {
            let Some(inverse) = self.pivots[k].try_inverse() else { return false };
            if !inverse.iter().all(|x| x.is_finite()) {
                return false;
            }
            self.pivots[k] = inverse;
            let range = self.range(k);
            for place in range.clone() {
                let i = self.later[place];
                let share = self.lower[place] * inverse;
                self.lower[place] = share;
                // Both lists ascend, so places in row (or column) `i` are found one after the other.
                let mut from = self.range(i as usize);
                self.pivots[i as usize] -= share * self.upper[place];
                for other in range.clone() {
                    let j = self.later[other];
                    if j > i {
                        let found = self.later[from.clone()].partition_point(|&step| step < j);
                        from.start += found;
                        let product = share * self.upper[other];
                        self.upper[from.start] -= product;
                    }
                }
            }
            for place in range.clone() {
                // Column `j` below its diagonal.
                let j = self.later[place];
                let mut from = self.range(j as usize);
                let right = self.upper[place];
                for other in range.clone() {
                    let i = self.later[other];
                    if i > j {
                        let found = self.later[from.clone()].partition_point(|&step| step < i);
                        from.start += found;
                        let product = self.lower[other] * right;
                        self.lower[from.start] -= product;
                    }
                }
            }
        }
        true
    }

    /// Solves in place, with `B` numbers per row.
    pub(crate) fn solve(&self, vector: &mut [f64]) {
        let part = |vector: &[f64], row: u32| {
            nalgebra::SVector::<f64, B>::from_column_slice(&vector[B * row as usize..][..B])
        };
        for k in 0..self.row_of.len() {
            let value = part(vector, self.row_of[k]);
            for place in self.range(k) {
                let row = self.row_of[self.later[place] as usize];
                let change = part(vector, row) - self.lower[place] * value;
                vector[B * row as usize..][..B].copy_from_slice(change.as_slice());
            }
        }
        for k in (0..self.row_of.len()).rev() {
            let mut value = part(vector, self.row_of[k]);
            for place in self.range(k) {
                value -= self.upper[place] * part(vector, self.row_of[self.later[place] as usize]);
            }
            let solved = self.pivots[k] * value;
            vector[B * self.row_of[k] as usize..][..B].copy_from_slice(solved.as_slice());
        }
    }
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
