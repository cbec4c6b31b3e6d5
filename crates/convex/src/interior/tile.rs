//! The dense arithmetic of the factor: rows of 6x6 blocks, stored column by column.
//!
//! Inlined into what runs it, so that it is compiled for the machine's lanes. Products and sums are rounded one by one and in
//! the order written, so every machine gives the same bits.

use super::block::{Block6, Vector6};

/// `target -= a bᵀ` with the columns of two rows, added up from the first to the last.
#[inline(always)]
pub(super) fn subtract_product(target: &mut Block6, a: &[Vector6], b: &[Vector6]) {
    // Six rows as four and two: as many as registers have lanes.
    let (mut four, mut two) = ([[0.0; 4]; 6], [[0.0; 2]; 6]);
    for (a, b) in a.iter().zip(b) {
        for j in 0..6 {
            for i in 0..4 {
                four[j][i] += a[i] * b[j];
            }
            for i in 0..2 {
                two[j][i] += a[4 + i] * b[j];
            }
        }
    }
    for j in 0..6 {
        for i in 0..4 {
            target[j][i] -= four[j][i];
        }
        for i in 0..2 {
            target[j][4 + i] -= two[j][i];
        }
    }
}

/// `x ← x L⁻ᵀ` for a row of blocks, with the rows of a factored triangle: one after another, `row.len()` blocks each.
#[inline(always)]
pub(super) fn divide_row(row: &mut [Block6], triangle: &[Block6]) {
    let width = row.len();
    for (column, l) in triangle.chunks_exact(width).enumerate() {
        let (known, rest) = row.split_at_mut(column);
        if let [target, ..] = rest {
            subtract_product(target, known.as_flattened(), l[..column].as_flattened());
            divide_block(target, &l[column]);
        }
    }
}

/// Cholesky's factor of the lower triangle of `width` rows of blocks, in place; of its diagonal the reciprocals are stored. False
/// when the matrix is not positive definite. What lies above the diagonal has no meaning.
#[inline(always)]
pub(super) fn factor_triangle(triangle: &mut [Block6], width: usize) -> bool {
    for row in 0..width {
        let (above, rest) = triangle.split_at_mut(row * width);
        for (column, l) in above.chunks_exact(width).enumerate() {
            let (known, rest) = rest.split_at_mut(column);
            subtract_product(&mut rest[0], known.as_flattened(), l[..column].as_flattened());
            divide_block(&mut rest[0], &l[column]);
        }
        let (known, rest) = rest.split_at_mut(row);
        let known = known.as_flattened();
        subtract_product(&mut rest[0], known, known);
        if !factor_block(&mut rest[0]) {
            return false;
        }
    }
    true
}

/// `y -= a x`, with `a` a row of blocks.
#[inline(always)]
pub(super) fn subtract_times(y: &mut Vector6, a: &[Block6], x: &[Vector6]) {
    let mut sum = [0.0; 6];
    for (column, x) in a.as_flattened().iter().zip(x.as_flattened()) {
        for i in 0..6 {
            sum[i] += column[i] * x;
        }
    }
    for i in 0..6 {
        y[i] -= sum[i];
    }
}

/// `y -= aᵀ x`, with `a` a row of blocks.
#[inline(always)]
pub(super) fn subtract_transposed_times(y: &mut [Vector6], a: &[Block6], x: &Vector6) {
    for (y, column) in y.as_flattened_mut().iter_mut().zip(a.as_flattened()) {
        let [even, odd] =
            [0, 1].map(|i| column[i] * x[i] + column[2 + i] * x[2 + i] + column[4 + i] * x[4 + i]);
        *y -= even + odd;
    }
}

/// `x ← L⁻¹ x` with a factored triangle.
#[inline(always)]
pub(super) fn solve_lower(triangle: &[Block6], x: &mut [Vector6]) {
    for (row, l) in triangle.chunks_exact(x.len()).enumerate() {
        let (known, rest) = x.split_at_mut(row);
        let [unknown, ..] = rest else { return };
        subtract_times(unknown, &l[..row], known);
        let l = &l[row];
        for j in 0..6 {
            unknown[j] *= l[j][j];
            for i in j + 1..6 {
                unknown[i] -= l[j][i] * unknown[j];
            }
        }
    }
}

/// `x ← L⁻ᵀ x` with a factored triangle.
#[inline(always)]
pub(super) fn solve_upper(triangle: &[Block6], x: &mut [Vector6]) {
    for (row, l) in triangle.chunks_exact(x.len()).enumerate().rev() {
        let (above, rest) = x.split_at_mut(row);
        let [unknown, ..] = rest else { return };
        let block = &l[row];
        for j in (0..6).rev() {
            for i in j + 1..6 {
                unknown[j] -= block[j][i] * unknown[i];
            }
            unknown[j] *= block[j][j];
        }
        subtract_transposed_times(above, &l[..row], unknown);
    }
}

/// `x ← x L⁻ᵀ`.
#[inline(always)]
fn divide_block(x: &mut Block6, l: &Block6) {
    for j in 0..6 {
        let mut column = x[j];
        for k in 0..j {
            for i in 0..6 {
                column[i] -= x[k][i] * l[k][j];
            }
        }
        x[j] = column.map(|x| x * l[j][j]);
    }
}

/// Cholesky's factor of a block with the reciprocals of its diagonal.
#[inline(always)]
fn factor_block(a: &mut Block6) -> bool {
    for j in 0..6 {
        let mut column = a[j];
        for earlier in &a[..j] {
            for i in 0..6 {
                column[i] -= earlier[i] * earlier[j];
            }
        }
        let pivot = column[j];
        if !(pivot > 0.0 && pivot < f64::INFINITY) {
            return false;
        }
        let inverse = 1.0 / pivot.sqrt();
        a[j] = column.map(|x| x * inverse);
        a[j][j] = inverse;
    }
    true
}
