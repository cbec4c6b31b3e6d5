//! Equations with rows that follow from others.
//!
//! `A λ = b` for a symmetric A without negative eigenvalues, by Cholesky's method with the largest pivot first (Higham, Accuracy and
//! Stability of Numerical Algorithms, 2nd ed., section 10.3). Where the pivots that are left are below [`RANK_TOLERANCE`] of the
//! largest, the rows that are left follow from those before, and get zero: an answer is never huge because rows repeat each other.

use drystone_math::Carried;

/// Least pivot as a share of the scale of its rows. Responses are squares of lengths: rows count as independent down to 3e-5 of an arm.
const RANK_TOLERANCE: f64 = 1e-9;

/// A factored matrix.
#[derive(Clone, Debug, Default)]
pub(crate) struct RankFactor {
    size: usize,
    rank: usize,
    /// Rows in the order of their pivots.
    order: Vec<usize>,
    /// The factor: row as in the matrix, column as in the order.
    lower: Vec<f64>,
    scale: Vec<f64>,
    left: Vec<f64>,
    work: Vec<f64>,
}

impl RankFactor {
    /// Memory that it holds, bytes.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.order.heap_bytes()
            + self.lower.heap_bytes()
            + self.scale.heap_bytes()
            + self.left.heap_bytes()
            + self.work.heap_bytes()
    }

    /// Factors a matrix given by rows. `scale` has a factor per row that makes rows of different units alike (0 where a row is all
    /// zero).
    pub(crate) fn factorize(&mut self, matrix: &[f64], scale: &[f64]) {
        let size = scale.len();
        debug_assert!(matrix.len() == size * size, "a square matrix");
        self.size = size;
        self.scale.clear();
        self.scale.extend_from_slice(scale);
        self.order.clear();
        self.order.extend(0..size);
        self.left.clear();
        self.left.extend((0..size * size).map(|k| matrix[k] * scale[k / size] * scale[k % size]));
        self.lower.clear();
        self.lower.resize(size * size, 0.0);
        self.rank = 0;
        while self.rank < size && self.eliminate(self.rank) {
            self.rank += 1;
        }
    }

    /// Eliminates the row with the largest pivot; false when none is left.
    fn eliminate(&mut self, k: usize) -> bool {
        let size = self.size;
        let pivot = |at: usize| self.left[self.order[at] * size + self.order[at]];
        let best = (k..size).fold(k, |best, at| if pivot(at) > pivot(best) { at } else { best });
        self.order.swap(k, best);
        let row = self.order[k];
        let square = self.left[row * size + row];
        if square.is_nan() || square <= RANK_TOLERANCE {
            return false;
        }
        let diagonal = square.sqrt();
        self.lower[row * size + k] = diagonal;
        for i in k + 1..size {
            let other = self.order[i];
            self.lower[other * size + k] = self.left[other * size + row] / diagonal;
        }
        for i in k + 1..size {
            for j in k + 1..size {
                let (a, b) = (self.order[i], self.order[j]);
                self.left[a * size + b] -= self.lower[a * size + k] * self.lower[b * size + k];
            }
        }
        true
    }

    /// Rows that follow from others.
    pub(crate) fn redundant(&self) -> usize {
        self.size - self.rank
    }

    /// Replaces `b` by the answer.
    pub(crate) fn solve(&mut self, b: &mut [f64]) {
        let size = self.size;
        self.work.clear();
        for k in 0..self.rank {
            let row = self.order[k];
            let known: f64 = (0..k).map(|j| self.lower[row * size + j] * self.work[j]).sum();
            self.work.push((self.scale[row] * b[row] - known) / self.lower[row * size + k]);
        }
        b.fill(0.0);
        for k in (0..self.rank).rev() {
            let row = self.order[k];
            let known: f64 =
                (k + 1..self.rank).map(|j| self.lower[self.order[j] * size + k] * self.work[j]).sum();
            self.work[k] = (self.work[k] - known) / self.lower[row * size + k];
            b[row] = self.scale[row] * self.work[k];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_rows_get_zero_and_the_rest_is_solved() {
        // Rows 0 and 2 are the same, row 3 is zero.
        let rows = [[1.0, 2.0, 0.5], [0.0, 1.0, -1.0], [1.0, 2.0, 0.5], [0.0; 3]];
        let mut matrix = [0.0; 16];
        for i in 0..4 {
            for j in 0..4 {
                matrix[i * 4 + j] = (0..3).map(|k| rows[i][k] * rows[j][k]).sum();
            }
        }
        let mut factor = RankFactor::default();
        factor.factorize(&matrix, &[1.0; 4]);
        assert_eq!(factor.redundant(), 2);
        let wanted = [0.3, -0.7, 0.3, 0.0];
        let mut answer = wanted;
        factor.solve(&mut answer);
        for i in 0..4 {
            let got: f64 = (0..4).map(|j| matrix[i * 4 + j] * answer[j]).sum();
            assert!((got - wanted[i]).abs() < 1e-14);
        }
        assert!(answer[3] == 0.0 && (answer[0] == 0.0 || answer[2] == 0.0), "{answer:?}");
    }
}
