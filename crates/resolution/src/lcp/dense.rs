//! Dense linear complementarity problems, and solving one on a given set of unknowns.

/// Find `z ≥ 0` with `w = M z + q ≥ 0` and `z · w = 0`. `M` is stored by rows; memory is kept from problem to problem.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DenseLcp {
    size: usize,
    matrix: Vec<f64>,
    constant: Vec<f64>,
}

impl DenseLcp {
    /// From `M` by rows and `q`.
    ///
    /// # Panics
    /// When `matrix` is not square with as many rows as `constant` has numbers.
    pub fn new(matrix: Vec<f64>, constant: Vec<f64>) -> Self {
        assert_eq!(matrix.len(), constant.len() * constant.len(), "M is square and fits q");
        Self { size: constant.len(), matrix, constant }
    }

    /// A problem of zeros.
    pub(super) fn reset(&mut self, size: usize) {
        self.size = size;
        self.matrix.clear();
        self.matrix.resize(size * size, 0.0);
        self.constant.clear();
        self.constant.resize(size, 0.0);
    }

    /// Becomes another one, in its own memory.
    pub(super) fn copy(&mut self, other: &Self) {
        self.size = other.size;
        self.matrix.clear();
        self.matrix.extend_from_slice(&other.matrix);
        self.constant.clear();
        self.constant.extend_from_slice(&other.constant);
    }

    /// Number of unknowns.
    pub fn size(&self) -> usize {
        self.size
    }

    /// A row of `M`.
    #[inline]
    pub fn row(&self, row: usize) -> &[f64] {
        &self.matrix[row * self.size..][..self.size]
    }

    /// `q`.
    #[inline]
    pub fn constant(&self) -> &[f64] {
        &self.constant
    }

    #[inline]
    pub(super) fn row_mut(&mut self, row: usize) -> &mut [f64] {
        &mut self.matrix[row * self.size..][..self.size]
    }

    #[inline]
    pub(super) fn constant_mut(&mut self) -> &mut [f64] {
        &mut self.constant
    }

    /// `w` of one row.
    #[inline]
    pub fn slack(&self, row: usize, z: &[f64]) -> f64 {
        self.row(row).iter().zip(z).fold(self.constant[row], |sum, (m, z)| sum + m * z)
    }

    /// Largest `|min(z_i, w_i)|`: 0 exactly for answers. What is no number stays one.
    pub fn residual(&self, z: &[f64]) -> f64 {
        (0..self.size).fold(0.0_f64, |worst, i| {
            let least = smaller(z[i], self.slack(i, z)).abs();
            if least > worst || least.is_nan() { least } else { worst }
        })
    }
}

/// The smaller one; what is no number wins.
fn smaller(a: f64, b: f64) -> f64 {
    if a < b || a.is_nan() { a } else { b }
}

/// Share of the largest entry of a column below which its pivot counts as none: the column depends on those before.
const DEPENDENT: f64 = 1e-13;

/// Solves `w_i = 0` for chosen unknowns `i`, all others staying as they are. The memory is reused.
#[derive(Clone, Debug, Default)]
pub(super) struct BasisSolver {
    chosen: Vec<usize>,
    /// The chosen rows and columns, and `−w` as last column.
    table: Vec<f64>,
    /// Column that each row was eliminated for.
    pivots: Vec<usize>,
    step: Vec<f64>,
}

impl BasisSolver {
    /// Changes the chosen entries of `z` such that their `w` is zero. Of columns that depend on each other, the later ones keep
    /// their `z`, so the answer stays near to where it begins; equations that then cannot hold do not. O(n³).
    pub(super) fn solve(&mut self, lcp: &DenseLcp, is_chosen: &[bool], z: &mut [f64]) {
        // What is chosen varies, the memory does not.
        let most = lcp.size();
        self.table.clear();
        self.table.reserve(most * (most + 1));
        self.pivots.clear();
        self.pivots.reserve(most);
        self.step.clear();
        self.step.reserve(most);
        self.chosen.clear();
        self.chosen.reserve(most);
        self.chosen.extend((0..lcp.size()).filter(|&i| is_chosen[i]));
        let n = self.chosen.len();
        let width = n + 1;
        self.table.clear();
        for &i in &self.chosen {
            let row = lcp.row(i);
            self.table.extend(self.chosen.iter().map(|&j| row[j]));
            self.table.push(-lcp.slack(i, z));
        }
        self.eliminate(n);
        self.step.clear();
        self.step.resize(n, 0.0);
        for (rank, &column) in self.pivots.iter().enumerate().rev() {
            let row = &self.table[rank * width..][..width];
            let known = self.pivots[rank + 1..].iter().map(|&j| row[j] * self.step[j]).sum::<f64>();
            self.step[column] = (row[n] - known) / row[column];
        }
        for (&i, step) in self.chosen.iter().zip(&self.step) {
            z[i] += step;
        }
    }

    /// Gauss elimination with row exchanges, columns in order.
    fn eliminate(&mut self, n: usize) {
        let width = n + 1;
        self.pivots.clear();
        for column in 0..n {
            let rank = self.pivots.len();
            let entry = |row: usize| self.table[row * width + column];
            let Some(best) = (rank..n).max_by(|&a, &b| entry(a).abs().total_cmp(&entry(b).abs())) else {
                break;
            };
            let largest = (0..n).fold(0.0_f64, |m, row| m.max(entry(row).abs()));
            if entry(best).abs().partial_cmp(&(DEPENDENT * largest)) != Some(std::cmp::Ordering::Greater) {
                continue;
            }
            if best != rank {
                let (upper, lower) = self.table.split_at_mut(best * width);
                upper[rank * width..][..width].swap_with_slice(&mut lower[..width]);
            }
            let (done, rest) = self.table.split_at_mut((rank + 1) * width);
            let pivot_row = &done[rank * width..];
            for row in rest.chunks_exact_mut(width) {
                let factor = row[column] / pivot_row[column];
                if factor != 0.0 {
                    row[column..].iter_mut().zip(&pivot_row[column..]).for_each(|(x, p)| *x -= factor * p);
                }
            }
            self.pivots.push(column);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_residual_is_the_worst_of_both_signs_and_keeps_what_is_no_number() {
        let lcp = DenseLcp::new(vec![2.0, 0.0, 0.0, 1.0], vec![-4.0, 3.0]);
        assert_eq!(lcp.residual(&[2.0, 0.0]), 0.0);
        assert_eq!(lcp.residual(&[1.0, 0.0]), 2.0);
        assert_eq!(lcp.residual(&[2.0, 1.0]), 1.0);
        assert!(lcp.residual(&[f64::NAN, 0.0]).is_nan());
    }

    /// Two equal rows: one unknown moves, the other one stays where it was, and both equations hold.
    #[test]
    fn columns_that_depend_keep_their_start() {
        let lcp = DenseLcp::new(vec![1.0, 1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0], vec![-5.0, -5.0, -7.0]);
        let mut z = [1.0, 3.0, 0.0];
        BasisSolver::default().solve(&lcp, &[true, true, false], &mut z);
        assert_eq!(z, [2.0, 3.0, 0.0]);
    }
}
