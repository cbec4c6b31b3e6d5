//! Lemke's algorithm with lexicographic pivoting.
//!
//! Source: Lemke, "Bimatrix equilibrium points and mathematical programming" (1965); the lexicographic rule as in Cottle,
//! Pang, Stone, "The Linear Complementarity Problem" (1992), section 4.9. S5 solves its contacts with it (S5-11).
//!
//! ```text
//! w = q + M z + d z₀      all ≥ 0, w_i z_i = 0, d > 0
//! ```
//! The artificial `z₀` enters until all of `w` is nonnegative; then the complement of what left the basis enters, again and again.
//! It ends when `z₀` leaves (an answer) or when nothing stops the entering variable (a ray: none is found that
//! way). Matrices that are copositive with an answer to be found (those of contact problems with friction pyramids: Stewart and
//! Trinkle 1996), positive semidefinite ones with a feasible point and all P-matrices end with an answer.
//!
//! The table holds basic variables in terms of the others, `n + 1` columns and the constants. Of rows that tie in the ratio test
//! the lexicographically least of `(constant, B⁻¹) / pivot` leaves, which is what the ratio test of a slightly moved `q` would
//! choose; `B⁻¹` are the columns of `w`. So exact arithmetic never returns to a basis.
//!
//! Rounding: rows and columns are scaled by powers of two first, to entries near 1. The answer is computed anew from the data
//! and the final basis; that is what is checked, and [`LemkeStatus::Inaccurate`] says when the check fails.

use super::dense::{BasisSolver, DenseLcp};
use std::time::Instant;

/// Bounds and tolerances of [`Lemke::solve`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LemkeOptions {
    /// Pivots after which it gives up, per unknown. Default 20; at least 1. Contact problems take 1 to 3.
    pub max_pivots_per_unknown: u32,
    /// Largest `|min(z_i, w_i)|` of the scaled problem that is an answer, relative to its largest `|q_i|`. Default 1e-8.
    pub tolerance: f64,
    /// Scale rows and columns first. Default true.
    pub is_scaled: bool,
    /// When it gives up whatever the pivots. Default none; with one, how it ends depends on the machine.
    pub deadline: Option<Instant>,
}

impl Default for LemkeOptions {
    fn default() -> Self {
        Self { max_pivots_per_unknown: 20, tolerance: 1e-8, is_scaled: true, deadline: None }
    }
}

/// How Lemke's algorithm ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LemkeStatus {
    /// `z` is an answer within the tolerance.
    Solved,
    /// A ray: no answer on this path. `z` is zero.
    Ray,
    /// The bound on pivots came first. `z` is zero.
    PivotLimit,
    /// The deadline came first. `z` is zero.
    Deadline,
    /// The last basis gives no answer within the tolerance: rounding. `z` is what it gives.
    Inaccurate,
    /// A number of the problem is not finite, or the covering vector is not positive. `z` is zero.
    BadInput,
}

impl LemkeStatus {
    /// For messages.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Solved => "Lemke's algorithm found an answer",
            Self::Ray => "Lemke's algorithm ended in a ray",
            Self::PivotLimit => "Lemke's algorithm came to its limit of pivots",
            Self::Deadline => "Lemke's algorithm came to its deadline",
            Self::Inaccurate => "rounding spoiled the basis that Lemke's algorithm found",
            Self::BadInput => "Lemke's algorithm was given numbers that are not finite",
        }
    }
}

/// Pivots below this share of their column are taken for rounding: the first, and where it leaves no row, the second one.
const PIVOT_TOLERANCES: [f64; 2] = [1e-9, 1e-14];
/// Ratios that differ by less tie. Relative to the largest `q` for constants, and to 1 for entries of `B⁻¹`.
const TIE_TOLERANCE: f64 = 1e-12;

/// Share of its first value at which `z₀` counts as zero where a ray is found: on degenerate problems rounding keeps it from leaving.
const SUNK: f64 = 1e-9;
/// Rounds of scaling at most: each takes half of what is left of the exponents.
const MAX_SCALINGS: u32 = 12;

/// Times that the answer is solved for from its basis.
const MAX_REFINEMENTS: u32 = 4;

/// Lemke's algorithm. The memory is reused from problem to problem.
#[derive(Clone, Debug, Default)]
pub struct Lemke {
    size: usize,
    /// A row per basic variable: its coefficients of the nonbasic ones, then its constant.
    table: Vec<f64>,
    /// Variable of each row and of each column: `w_i` is `i`, `z_i` is `n + i`, `z₀` is `2n`.
    basic: Vec<usize>,
    nonbasic: Vec<usize>,
    place_of: Vec<Place>,
    candidates: Vec<usize>,
    row_scale: Vec<f64>,
    column_scale: Vec<f64>,
    pivot_row: Vec<f64>,
    largest_constant: f64,
    basis_solver: BasisSolver,
    scaled: DenseLcp,
    is_in_basis: Vec<bool>,
    z: Vec<f64>,
    pivots: u64,
}

/// Where a variable is.
#[derive(Clone, Copy, Debug)]
enum Place {
    Row(usize),
    Column(usize),
}

impl Lemke {
    /// Solves the problem; [`Lemke::z`] holds the answer.
    ///
    /// `covering` is `d`, positive and one number per unknown, of the problem as given (default: ones of the scaled problem). Other vectors take other paths: where one ends
    /// in a ray, another may find an answer. O(pivots n²) and O(n³) at the end.
    ///
    /// # Panics
    /// When `covering` does not have one number per unknown.
    pub fn solve(&mut self, lcp: &DenseLcp, covering: Option<&[f64]>, options: &LemkeOptions) -> LemkeStatus {
        let n = lcp.size();
        assert!(covering.is_none_or(|d| d.len() == n), "one number per unknown");
        self.pivots = 0;
        self.z.clear();
        self.z.resize(n, 0.0);
        self.is_in_basis.clear();
        self.is_in_basis.resize(n, false);
        let is_finite = |x: &f64| x.is_finite();
        let is_good =
            lcp.constant().iter().all(is_finite) && (0..n).all(|i| lcp.row(i).iter().all(is_finite));
        if !is_good || !covering.is_none_or(|d| d.iter().all(|&d| d.is_finite() && d > 0.0)) {
            return LemkeStatus::BadInput;
        }
        self.scale(lcp, options.is_scaled);
        self.largest_constant = self.scaled.constant().iter().fold(0.0_f64, |m, q| m.max(q.abs()));
        if self.scaled.constant().iter().all(|&q| q >= 0.0) {
            return LemkeStatus::Solved;
        }
        self.fill(covering);
        let status = self.run(options);
        if status == LemkeStatus::Solved { self.finish(options.tolerance) } else { status }
    }

    /// The answer of the last solve.
    pub fn z(&self) -> &[f64] {
        &self.z
    }

    /// Pivots of the last solve.
    pub fn pivots(&self) -> u64 {
        self.pivots
    }

    /// Which `z_i` are basic in the answer of the last solve: nonzero, or zero by chance.
    pub fn basis(&self) -> &[bool] {
        &self.is_in_basis
    }

    /// Tries a basis in place of pivoting: solves for the chosen unknowns from `start` and checks all conditions. True when
    /// that is an answer, which is then in [`Lemke::z`]. O(n³), a fraction of what pivoting takes.
    ///
    /// # Panics
    /// When a list does not have one entry per unknown.
    pub fn try_basis(
        &mut self,
        lcp: &DenseLcp,
        is_chosen: &[bool],
        start: &[f64],
        options: &LemkeOptions,
    ) -> bool {
        let n = lcp.size();
        assert!(is_chosen.len() == n && start.len() == n, "one entry per unknown");
        self.pivots = 0;
        self.scale(lcp, options.is_scaled);
        self.largest_constant = self.scaled.constant().iter().fold(0.0_f64, |m, q| m.max(q.abs()));
        self.is_in_basis.clear();
        self.is_in_basis.extend_from_slice(is_chosen);
        self.z.clear();
        let scaled = start.iter().zip(&self.column_scale).zip(is_chosen);
        self.z.extend(scaled.map(|((&z, &scale), &chosen)| if chosen { z / scale } else { 0.0 }));
        self.finish(options.tolerance) == LemkeStatus::Solved
    }

    /// The problem with rows and columns scaled alternately by powers of two near to the root of their largest entries, until those are
    /// near 1 (Ruiz 2001). No step rounds.
    fn scale(&mut self, lcp: &DenseLcp, is_scaled: bool) {
        let n = lcp.size();
        for scale in [&mut self.row_scale, &mut self.column_scale] {
            scale.clear();
            scale.resize(n, 1.0);
        }
        self.scaled.copy(lcp);
        let mut rounds = if is_scaled { MAX_SCALINGS } else { 0 };
        while rounds > 0 && self.scale_once() {
            rounds -= 1;
        }
    }

    /// One round; false when nothing was left to do.
    fn scale_once(&mut self) -> bool {
        let n = self.scaled.size();
        let mut is_changed = false;
        // How much the columns are scaled in this round; the pivot row is not in use yet.
        let columns = &mut self.pivot_row;
        columns.clear();
        columns.resize(n, 0.0);
        for i in 0..n {
            let row = self.scaled.row_mut(i);
            let largest = row.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            let factor = inverse_root_power_of_two(largest);
            if factor != 1.0 {
                is_changed = true;
                self.row_scale[i] *= factor;
                row.iter_mut().for_each(|x| *x *= factor);
                self.scaled.constant_mut()[i] *= factor;
            }
            columns
                .iter_mut()
                .zip(self.scaled.row(i))
                .for_each(|(largest, x)| *largest = largest.max(x.abs()));
        }
        for (column, scale) in columns.iter_mut().zip(&mut self.column_scale) {
            *column = inverse_root_power_of_two(*column);
            is_changed |= *column != 1.0;
            *scale *= *column;
        }
        for i in 0..n {
            self.scaled.row_mut(i).iter_mut().zip(&*columns).for_each(|(x, factor)| *x *= factor);
        }
        is_changed
    }

    /// The table of the basis `w`.
    fn fill(&mut self, covering: Option<&[f64]>) {
        let n = self.scaled.size();
        self.size = n;
        self.table.clear();
        for i in 0..n {
            self.table.extend_from_slice(self.scaled.row(i));
            self.table.push(covering.map_or(1.0, |d| d[i] * self.row_scale[i]));
            self.table.push(self.scaled.constant()[i]);
        }
        self.candidates.clear();
        self.candidates.reserve(2 * n);
        self.basic.clear();
        self.basic.extend(0..n);
        self.nonbasic.clear();
        self.nonbasic.extend(n..2 * n + 1);
        self.place_of.clear();
        self.place_of.extend((0..n).map(Place::Row));
        self.place_of.extend((0..n + 1).map(Place::Column));
    }

    fn run(&mut self, options: &LemkeOptions) -> LemkeStatus {
        let max_pivots = u64::from(options.max_pivots_per_unknown.max(1)) * self.size as u64;
        let artificial = 2 * self.size;
        let mut entering = self.size;
        let (mut is_first, mut first_height) = (true, 0.0);
        while self.pivots < max_pivots {
            if options.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                return LemkeStatus::Deadline;
            }
            let Some(leaving) = self.leaving_row(entering, is_first) else {
                let is_sunk = !is_first && self.height() <= SUNK * first_height;
                return if is_sunk { LemkeStatus::Solved } else { LemkeStatus::Ray };
            };
            let left = self.basic[leaving];
            self.pivot(leaving, entering);
            self.pivots += 1;
            if is_first {
                first_height = self.height();
                is_first = false;
            } else if left == artificial {
                return LemkeStatus::Solved;
            }
            // The complement enters next. It is nonbasic: of each pair at most one is basic, but for the pair that `z₀` stands for.
            let complement = if left < self.size { left + self.size } else { left - self.size };
            let Place::Column(column) = self.place_of[complement] else {
                debug_assert!(false, "the complement of what left is nonbasic");
                return LemkeStatus::Ray;
            };
            entering = column;
        }
        LemkeStatus::PivotLimit
    }

    /// The value of `z₀`.
    fn height(&self) -> f64 {
        match self.place_of[2 * self.size] {
            Place::Row(row) => self.table[row * (self.size + 2) + self.size + 1],
            Place::Column(_) => 0.0,
        }
    }

    /// The row that leaves when the variable of a column enters. The first time, `z₀` enters and the worst row leaves.
    fn leaving_row(&mut self, column: usize, is_first: bool) -> Option<usize> {
        let (n, width) = (self.size, self.size + 2);
        let sign = if is_first { 1.0 } else { -1.0 };
        let entry = |row: usize| sign * self.table[row * width + column];
        let largest = (0..n).fold(0.0_f64, |m, row| m.max(entry(row).abs()));
        let ratio = |row: usize| self.table[row * width + n + 1] / entry(row);
        self.candidates.clear();
        for tolerance in PIVOT_TOLERANCES {
            self.candidates.extend((0..n).filter(|&row| entry(row) > tolerance * largest));
            if !self.candidates.is_empty() {
                break;
            }
        }
        let least = self.candidates.iter().fold(f64::INFINITY, |m, &row| m.min(ratio(row)));
        let tie = TIE_TOLERANCE * self.largest_constant.max(least.abs());
        self.candidates.retain(|&row| ratio(row) <= least + tie);
        // An answer ends the path, whatever else ties.
        if let Place::Row(row) = self.place_of[2 * n]
            && self.candidates.contains(&row)
        {
            return Some(row);
        }
        for k in 0..n {
            if self.candidates.len() <= 1 {
                break;
            }
            let component = |row: usize| match self.place_of[k] {
                Place::Row(own) => f64::from(u8::from(own == row)) / entry(row),
                Place::Column(column) => -self.table[row * width + column] / entry(row),
            };
            let least = self.candidates.iter().fold(f64::INFINITY, |m, &row| m.min(component(row)));
            let tie = TIE_TOLERANCE * least.abs().max(1.0);
            self.candidates.retain(|&row| component(row) <= least + tie);
        }
        self.candidates.first().copied()
    }

    /// Exchanges the variables of a row and a column.
    fn pivot(&mut self, leaving: usize, entering: usize) {
        let width = self.size + 2;
        let row = &mut self.table[leaving * width..][..width];
        let pivot = row[entering];
        row[entering] = -1.0;
        row.iter_mut().for_each(|x| *x /= -pivot);
        self.pivot_row.clear();
        self.pivot_row.extend_from_slice(row);
        for (i, row) in self.table.chunks_exact_mut(width).enumerate() {
            let factor = row[entering];
            if i == leaving || factor == 0.0 {
                continue;
            }
            row[entering] = 0.0;
            row.iter_mut().zip(&self.pivot_row).for_each(|(x, p)| *x += factor * p);
            // Rounding below zero is taken back, or it would count as a negative ratio.
            let constant = &mut row[width - 1];
            if constant.abs() < TIE_TOLERANCE * self.largest_constant {
                *constant = 0.0;
            }
        }
        std::mem::swap(&mut self.basic[leaving], &mut self.nonbasic[entering]);
        self.place_of[self.basic[leaving]] = Place::Row(leaving);
        self.place_of[self.nonbasic[entering]] = Place::Column(entering);
        if self.basic[leaving] >= self.size && self.basic[leaving] < 2 * self.size {
            self.is_in_basis[self.basic[leaving] - self.size] = true;
        }
        let left = self.nonbasic[entering];
        if left >= self.size && left < 2 * self.size {
            self.is_in_basis[left - self.size] = false;
        }
    }

    /// Computes the answer anew from the data and the basis, checks it and scales it back.
    fn finish(&mut self, tolerance: f64) -> LemkeStatus {
        let limit = tolerance * self.largest_constant;
        let mut residual = f64::INFINITY;
        // Rounds after the first one take back what elimination rounded; a wrong basis stays far off.
        for _ in 0..MAX_REFINEMENTS {
            self.basis_solver.solve(&self.scaled, &self.is_in_basis, &mut self.z);
            let last = std::mem::replace(&mut residual, self.scaled.residual(&self.z));
            if residual <= 1e-4 * limit || residual > 1e4 * limit || residual > 0.5 * last {
                break;
            }
        }
        let is_answer = residual <= limit;
        for (z, scale) in self.z.iter_mut().zip(&self.column_scale) {
            // Negative by no more than the tolerance.
            *z = if is_answer { z.max(0.0) } else { *z } * scale;
        }
        if is_answer { LemkeStatus::Solved } else { LemkeStatus::Inaccurate }
    }
}

/// The power of two next to the inverse of a number's root; 1 for zero and for numbers between 1/8 and 8, so that scaling ends.
fn inverse_root_power_of_two(x: f64) -> f64 {
    let exponent = (x.to_bits() >> 52) as i64 & 0x7ff;
    // Numbers at the ends of the range are left alone.
    let is_scaled = (64..1982).contains(&exponent) && !(0.125..8.0).contains(&x);
    if is_scaled { f64::from_bits(((1023 - (exponent - 1022) / 2) as u64) << 52) } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_are_powers_of_two_that_lead_to_one() {
        for start in [1.0, 0.75, 3.0, 1e-9, 123456.0, 1e-18, 7e17] {
            let mut x: f64 = start;
            for _ in 0..MAX_SCALINGS {
                let scale = inverse_root_power_of_two(x);
                assert_eq!(scale.to_bits() << 12, 0, "a power of two");
                x *= scale;
            }
            assert!((0.125..8.0).contains(&x), "{start}: {x}");
        }
        assert_eq!(inverse_root_power_of_two(0.0), 1.0);
        assert_eq!(inverse_root_power_of_two(f64::MAX), 1.0);
    }
}
