//! Cholesky's factor of a sparse symmetric matrix of 6x6 blocks, one row per body.
//!
//! Bodies are eliminated in the order of least degree (ties by index), which keeps the factor sparse: a stack has no fill
//! at all, a wall a few blocks per body. The order and the places of all blocks are found once per group; the numbers
//! are filled in and factored once per iteration. Keeps its memory.

use super::block::{
    Block6, Vector6, ZERO, divide_by_transposed, factor, solve_lower, solve_upper, subtract_product,
    subtract_times, subtract_transposed_times, transposed,
};

/// The factor, and the matrix while it is filled in.
#[derive(Clone, Debug, Default)]
pub(super) struct SparseCholesky {
    /// Body of each column, in the order of elimination, and the column of each body.
    order: Vec<u32>,
    column_of: Vec<u32>,
    /// First block of each column below the diagonal, and the end of the last one; rows are columns, ascending.
    starts: Vec<u32>,
    rows: Vec<u32>,
    diagonal: Vec<Block6>,
    below: Vec<Block6>,
    /// Neighbours that are left, a row of bits per body.
    neighbours: Vec<u64>,
    degree: Vec<u32>,
    permuted: Vec<Vector6>,
}

impl SparseCholesky {
    /// Finds order and places for `count` bodies, of which these pairs are coupled.
    pub(super) fn analyse(&mut self, count: usize, pairs: impl Iterator<Item = [u32; 2]>) {
        let words = count.div_ceil(64);
        self.neighbours.clear();
        self.neighbours.resize(count * words, 0);
        for [a, b] in pairs {
            for (i, j) in [(a as usize, b as usize), (b as usize, a as usize)] {
                self.neighbours[i * words + j / 64] |= 1 << (j % 64);
            }
        }
        self.degree.clear();
        let counted = (0..count).map(|i| bits(&self.neighbours[i * words..][..words]).count() as u32);
        self.degree.extend(counted);
        self.order.clear();
        self.starts.clear();
        self.rows.clear();
        self.column_of.clear();
        self.column_of.resize(count, u32::MAX);
        for column in 0..count {
            let left = (0..count).filter(|&i| self.column_of[i] == u32::MAX);
            let Some(pivot) = left.min_by_key(|&i| self.degree[i]) else { break };
            self.order.push(pivot as u32);
            self.column_of[pivot] = column as u32;
            self.starts.push(self.rows.len() as u32);
            self.eliminate(pivot, words);
        }
        self.starts.push(self.rows.len() as u32);
        // Rows were noted as bodies; as columns they ascend.
        self.rows.iter_mut().for_each(|row| *row = self.column_of[*row as usize]);
        for column in 0..count {
            let range = self.starts[column] as usize..self.starts[column + 1] as usize;
            self.rows[range].sort_unstable();
        }
    }

    /// Notes the neighbours of a body as rows of its column and couples them with each other.
    fn eliminate(&mut self, pivot: usize, words: usize) {
        let first = self.rows.len();
        let range = pivot * words..(pivot + 1) * words;
        self.rows.extend(bits(&self.neighbours[range]).map(|i| i as u32));
        for k in first..self.rows.len() {
            let body = self.rows[k] as usize;
            for word in 0..words {
                let of_pivot = self.neighbours[pivot * words + word];
                self.neighbours[body * words + word] |= of_pivot;
            }
            let row = &mut self.neighbours[body * words..][..words];
            row[pivot / 64] &= !(1 << (pivot % 64));
            row[body / 64] &= !(1 << (body % 64));
            self.degree[body] = row.iter().map(|word| word.count_ones()).sum();
        }
    }

    /// Blocks of the factor, on and below the diagonal.
    pub(super) fn block_count(&self) -> usize {
        self.order.len() + self.rows.len()
    }

    /// Sets the matrix to zero.
    pub(super) fn clear(&mut self) {
        self.diagonal.clear();
        self.diagonal.resize(self.order.len(), ZERO);
        self.below.clear();
        self.below.resize(self.rows.len(), ZERO);
    }

    /// The diagonal block of a body.
    #[inline]
    pub(super) fn diagonal_mut(&mut self, body: u32) -> &mut Block6 {
        &mut self.diagonal[self.column_of[body as usize] as usize]
    }

    /// The block of two coupled bodies, and whether its rows are those of `b`: else they are those of `a`.
    #[inline]
    pub(super) fn coupling_mut(&mut self, a: u32, b: u32) -> Option<(&mut Block6, bool)> {
        let (column_a, column_b) = (self.column_of[a as usize], self.column_of[b as usize]);
        let (column, row) = (column_a.min(column_b) as usize, column_a.max(column_b));
        let start = self.starts[column] as usize;
        let rows = &self.rows[start..self.starts[column + 1] as usize];
        let place = rows.binary_search(&row).ok()?;
        Some((&mut self.below[start + place], column_a < column_b))
    }

    /// Factors the matrix in place; false when it is not positive definite.
    pub(super) fn factor(&mut self) -> bool {
        for column in 0..self.order.len() {
            if !factor(&mut self.diagonal[column]) {
                return false;
            }
            let (start, end) = (self.starts[column] as usize, self.starts[column + 1] as usize);
            let (left, right) = self.below.split_at_mut(end);
            let own = &mut left[start..];
            for block in own.iter_mut() {
                divide_by_transposed(block, &self.diagonal[column]);
            }
            let rows = &self.rows[start..end];
            for (k, &target) in rows.iter().enumerate() {
                let transposed = transposed(&own[k]);
                let target = target as usize;
                subtract_product(&mut self.diagonal[target], &own[k], &transposed);
                // The rows below are among those of the target column: that is what fill is.
                let mut place = self.starts[target] as usize;
                for (row, block) in rows[k + 1..].iter().zip(&own[k + 1..]) {
                    while self.rows[place] != *row {
                        place += 1;
                    }
                    subtract_product(&mut right[place - end], block, &transposed);
                }
            }
        }
        true
    }

    /// Solves in place: `x` (six per body) holds the right-hand side, then the answer.
    pub(super) fn solve(&mut self, x: &mut [Vector6]) {
        self.permuted.clear();
        self.permuted.extend(self.order.iter().map(|&body| x[body as usize]));
        let y = &mut self.permuted;
        for column in 0..self.order.len() {
            solve_lower(&self.diagonal[column], &mut y[column]);
            let known = y[column];
            for place in self.starts[column] as usize..self.starts[column + 1] as usize {
                subtract_times(&mut y[self.rows[place] as usize], &self.below[place], &known);
            }
        }
        for column in (0..self.order.len()).rev() {
            let mut unknown = y[column];
            for place in self.starts[column] as usize..self.starts[column + 1] as usize {
                subtract_transposed_times(&mut unknown, &self.below[place], &y[self.rows[place] as usize]);
            }
            solve_upper(&self.diagonal[column], &mut unknown);
            y[column] = unknown;
        }
        self.order.iter().zip(y.iter()).for_each(|(&body, y)| x[body as usize] = *y);
    }
}

/// Places of the bits that are set, ascending.
fn bits(words: &[u64]) -> impl Iterator<Item = usize> + '_ {
    words.iter().enumerate().flat_map(|(k, &word)| {
        std::iter::successors(Some(word), |rest| Some(rest & rest.wrapping_sub(1)))
            .take_while(|rest| *rest != 0)
            .map(move |rest| 64 * k + rest.trailing_zeros() as usize)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Against a product with the matrix as it was filled in.
        #[test]
        fn solves_random_graphs(
            count in 1usize..12,
            pairs in prop::collection::vec((0u32..12, 0u32..12), 0..30),
            numbers in prop::collection::vec(-1.0f64..1.0, 36),
        ) {
            let mut pairs: Vec<[u32; 2]> = pairs
                .into_iter()
                .map(|(a, b)| [a.min(b) % count as u32, a.max(b) % count as u32])
                .filter(|[a, b]| a != b)
                .map(|[a, b]| [a.min(b), a.max(b)])
                .collect();
            pairs.sort_unstable();
            pairs.dedup();
            let mut matrix = SparseCholesky::default();
            matrix.analyse(count, pairs.iter().copied());
            matrix.clear();
            let mut dense = vec![vec![0.0; 6 * count]; 6 * count];
            for body in 0..count {
                for (axis, dense_row) in dense[6 * body..].iter_mut().take(6).enumerate() {
                    matrix.diagonal_mut(body as u32)[axis][axis] = 100.0;
                    dense_row[6 * body + axis] = 100.0;
                }
            }
            for [a, b] in pairs {
                let (block, is_b) = matrix.coupling_mut(a, b).expect("the pair is coupled");
                for i in 0..6 {
                    for j in 0..6 {
                        let x = numbers[6 * i + j];
                        // The entry of row i of `b` and column j of `a`.
                        if is_b { block[i][j] += x } else { block[j][i] += x }
                        dense[6 * b as usize + i][6 * a as usize + j] += x;
                        dense[6 * a as usize + j][6 * b as usize + i] += x;
                    }
                }
            }
            prop_assert!(matrix.factor());
            let right: Vec<Vector6> =
                (0..count).map(|b| std::array::from_fn(|i| numbers[(7 * b + i) % 36])).collect();
            let mut x = right.clone();
            matrix.solve(&mut x);
            for (row, dense_row) in dense.iter().enumerate() {
                let sum: f64 = dense_row.iter().zip(x.as_flattened()).map(|(a, x)| a * x).sum();
                prop_assert!((sum - right.as_flattened()[row]).abs() < 1e-10);
            }
        }
    }
}
