//! A linear complementarity problem with bounds on both sides, solved by block pivoting.
//!
//! ```text
//! find  l ≤ x ≤ u  with  w = G x + b,   w ≥ 0 where x = l,   w ≤ 0 where x = u,   w = 0 between
//! ```
//! G symmetric and positive definite. Source: Júdice and Pires, Computers & Operations Research 21 (1994), after Murty: all
//! variables that are on the wrong side change sides at once, as long as their number falls; after [`PATIENCE`] rounds in which it does
//! not, one at a time, the last first, which ends for every such matrix. Direct: the answer is exact to rounding, where sweeps of
//! Gauss-Seidel along a chain of joints on their limits need hundreds of rounds.

use drystone_math::Carried;

/// Rounds without progress before variables change sides one at a time.
const PATIENCE: u32 = 3;

/// Sweeps that are made where pivoting ran out of rounds.
const SWEEPS: u32 = 50;

/// Which bound a variable is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Free,
    Lower,
    Upper,
}

/// Working memory of the solver, and its answer.
#[derive(Clone, Debug, Default)]
pub(crate) struct BoundedSolver {
    /// The answer, `x`.
    pub(crate) solution: Vec<f64>,
    sides: Vec<Side>,
    free: Vec<usize>,
    lower: Vec<f64>,
    right: Vec<f64>,
}

/// How a solve ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ended {
    pub(crate) iterations: u32,
    pub(crate) converged: bool,
}

impl BoundedSolver {
    /// Memory that it holds, bytes.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.solution.heap_bytes()
            + self.sides.heap_bytes()
            + self.free.heap_bytes()
            + self.lower.heap_bytes()
            + self.right.heap_bytes()
    }

    /// Solves the problem of `bounds.len()` variables; `matrix` is G by rows. After `max_iterations` it sweeps
    /// instead, and says so.
    pub(crate) fn solve(
        &mut self,
        matrix: &[f64],
        offset: &[f64],
        bounds: &[(f64, f64)],
        max_iterations: u32,
    ) -> Ended {
        let count = bounds.len();
        debug_assert!(matrix.len() == count * count && offset.len() == count, "sizes of one problem");
        self.solution.clear();
        self.solution.resize(count, 0.0);
        self.sides.clear();
        self.sides.extend(bounds.iter().zip(offset).map(|(&(lower, upper), &b)| first_side(lower, upper, b)));
        let (mut fewest, mut patience) = (usize::MAX, PATIENCE);
        for iteration in 1..=max_iterations {
            self.solve_free(matrix, offset, bounds);
            let (wrong, last) = self.wrong(matrix, offset, bounds);
            if wrong == 0 {
                return Ended { iterations: iteration, converged: true };
            }
            if wrong < fewest {
                (fewest, patience) = (wrong, PATIENCE);
            } else {
                patience = patience.saturating_sub(1);
            }
            let from = if patience > 0 { 0 } else { last };
            for k in from..=last {
                self.sides[k] = self.right_side(k, matrix, offset, bounds);
            }
        }
        self.sweep(matrix, offset, bounds);
        Ended { iterations: max_iterations, converged: false }
    }

    /// Projected Gauss-Seidel from zero: each change brings `½ xᵀ G x + bᵀ x` down, so an answer that is not exact yet gives no energy.
    fn sweep(&mut self, matrix: &[f64], offset: &[f64], bounds: &[(f64, f64)]) {
        let count = bounds.len();
        self.solution.fill(0.0);
        for _ in 0..SWEEPS {
            for k in 0..count {
                let row = &matrix[k * count..(k + 1) * count];
                let w = offset[k] + row.iter().zip(&self.solution).map(|(g, x)| g * x).sum::<f64>();
                let (lower, upper) = bounds[k];
                self.solution[k] = (self.solution[k] - w / row[k]).clamp(lower, upper);
            }
        }
    }

    /// How many variables are on the wrong side, and the last of them.
    fn wrong(&self, matrix: &[f64], offset: &[f64], bounds: &[(f64, f64)]) -> (usize, usize) {
        let is_wrong = |&k: &usize| self.right_side(k, matrix, offset, bounds) != self.sides[k];
        let (mut count, mut last) = (0, 0);
        for k in (0..bounds.len()).filter(is_wrong) {
            (count, last) = (count + 1, k);
        }
        (count, last)
    }

    /// Where a variable belongs by the present answer.
    fn right_side(&self, k: usize, matrix: &[f64], offset: &[f64], bounds: &[(f64, f64)]) -> Side {
        let (count, (lower, upper), x) = (bounds.len(), bounds[k], self.solution[k]);
        match self.sides[k] {
            // Rounding of the solve must not move what is on its bound to the digit.
            Side::Free if x < lower - ROUNDING * lower.abs() => Side::Lower,
            Side::Free if x > upper + ROUNDING * upper.abs() => Side::Upper,
            Side::Free => Side::Free,
            side => {
                let row = &matrix[k * count..(k + 1) * count];
                let products = row.iter().zip(&self.solution).map(|(g, x)| g * x);
                let (w, size) =
                    products.fold((offset[k], offset[k].abs()), |(w, size), p| (w + p, size + p.abs()));
                let is_free = if side == Side::Lower { w < -ROUNDING * size } else { w > ROUNDING * size };
                if is_free { Side::Free } else { side }
            }
        }
    }

    /// Sets bound variables to their bounds and solves for the free ones: `G_FF x_F = -(b_F + G_FB x_B)`, by Cholesky.
    fn solve_free(&mut self, matrix: &[f64], offset: &[f64], bounds: &[(f64, f64)]) {
        let count = bounds.len();
        self.free.clear();
        for (k, side) in self.sides.iter().enumerate() {
            match side {
                Side::Free => self.free.push(k),
                Side::Lower => self.solution[k] = bounds[k].0,
                Side::Upper => self.solution[k] = bounds[k].1,
            }
        }
        let size = self.free.len();
        self.right.clear();
        for &k in &self.free {
            let bound = (0..count).filter(|&j| self.sides[j] != Side::Free);
            let known: f64 = bound.map(|j| matrix[k * count + j] * self.solution[j]).sum();
            self.right.push(-(offset[k] + known));
        }
        self.lower.clear();
        self.lower.resize(size * size, 0.0);
        for i in 0..size {
            for j in 0..=i {
                let dot: f64 = (0..j).map(|m| self.lower[i * size + m] * self.lower[j * size + m]).sum();
                let rest = matrix[self.free[i] * count + self.free[j]] - dot;
                self.lower[i * size + j] =
                    if i == j { rest.max(f64::MIN_POSITIVE).sqrt() } else { rest / self.lower[j * size + j] };
            }
            let dot: f64 = (0..i).map(|m| self.lower[i * size + m] * self.right[m]).sum();
            self.right[i] = (self.right[i] - dot) / self.lower[i * size + i];
        }
        for i in (0..size).rev() {
            let dot: f64 = (i + 1..size).map(|m| self.lower[m * size + i] * self.right[m]).sum();
            self.right[i] = (self.right[i] - dot) / self.lower[i * size + i];
            self.solution[self.free[i]] = self.right[i];
        }
    }
}

/// Rounding of a residual or of a bound, as a share of what it is made of.
const ROUNDING: f64 = 1e-12;

/// The side that a variable begins on: bound by 0 and pushed against it, or free.
fn first_side(lower: f64, upper: f64, b: f64) -> Side {
    if lower == 0.0 && b >= 0.0 {
        Side::Lower
    } else if upper == 0.0 && b <= 0.0 {
        Side::Upper
    } else {
        Side::Free
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The conditions themselves are the oracle.
        #[test]
        fn answers_meet_the_conditions(
            count in 1..12usize,
            numbers in prop::collection::vec(-1.0..1.0f64, 12 * 12),
            offset in prop::collection::vec(-1.0..1.0f64, 12),
            kinds in prop::collection::vec(0..4u8, 12),
        ) {
            let mut matrix = vec![0.0; count * count];
            for i in 0..count {
                for j in 0..count {
                    let dot: f64 = (0..count).map(|m| numbers[i * 12 + m] * numbers[j * 12 + m]).sum();
                    matrix[i * count + j] = dot + if i == j { 1e-3 } else { 0.0 };
                }
            }
            let bounds: Vec<_> = kinds[..count].iter().map(|kind| match kind {
                0 => (0.0, f64::INFINITY),
                1 => (f64::NEG_INFINITY, 0.0),
                2 => (-0.3, 0.3),
                _ => (-2.0, 0.5),
            }).collect();
            let mut solver = BoundedSolver::default();
            let ended = solver.solve(&matrix, &offset[..count], &bounds, 500);
            prop_assert!(ended.converged, "{ended:?}");
            for k in 0..count {
                let x = solver.solution[k];
                let w = offset[k] + (0..count).map(|j| matrix[k * count + j] * solver.solution[j]).sum::<f64>();
                let (lower, upper) = bounds[k];
                prop_assert!(x >= lower - 1e-9 && x <= upper + 1e-9);
                prop_assert!(w >= -1e-8 || (x - upper).abs() < 1e-9, "{k}: {w} at {x}");
                prop_assert!(w <= 1e-8 || (x - lower).abs() < 1e-9, "{k}: {w} at {x}");
            }
        }
    }

    #[test]
    fn running_out_of_iterations_is_told_and_stays_within_bounds() {
        let (matrix, bounds) = ([1.0, 0.9, 0.9, 1.0], [(0.0, 1.0), (-0.1, 0.1)]);
        let mut solver = BoundedSolver::default();
        let ended = solver.solve(&matrix, &[-5.0, 2.0], &bounds, 1);
        assert!(!ended.converged);
        assert!(solver.solution.iter().zip(&bounds).all(|(x, (l, u))| (l..=u).contains(&x)));
    }
}
