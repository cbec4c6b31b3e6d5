//! Matrices of 6x6 blocks, one per body: what couples two bodies' velocities.

/// A block, by rows.
pub(super) type Block6 = [[f64; 6]; 6];
/// Six numbers of a body: linear, then angular.
pub(super) type Vector6 = [f64; 6];

/// The block of zeros.
pub(super) const ZERO: Block6 = [[0.0; 6]; 6];

/// `target -= a bᵀ`, with `b` given as its transpose.
#[inline]
pub(super) fn subtract_product(target: &mut Block6, a: &Block6, b_transposed: &Block6) {
    for (row, a_row) in target.iter_mut().zip(a) {
        for (&x, b_row) in a_row.iter().zip(b_transposed) {
            for (entry, &y) in row.iter_mut().zip(b_row) {
                *entry -= x * y;
            }
        }
    }
}

/// The transpose.
#[inline]
pub(super) fn transposed(a: &Block6) -> Block6 {
    let mut out = ZERO;
    for (i, row) in a.iter().enumerate() {
        for (j, &x) in row.iter().enumerate() {
            out[j][i] = x;
        }
    }
    out
}

/// Cholesky's factor in place, in the lower triangle; false when the block is not positive definite.
#[inline]
pub(super) fn factor(a: &mut Block6) -> bool {
    for j in 0..6 {
        for k in 0..j {
            let x = a[j][k];
            for row in a.iter_mut().skip(j) {
                row[j] -= row[k] * x;
            }
        }
        let pivot = a[j][j];
        if !(pivot > 0.0 && pivot < f64::INFINITY) {
            return false;
        }
        let root = pivot.sqrt();
        let inverse = 1.0 / root;
        a[j][j] = root;
        for row in a.iter_mut().skip(j + 1) {
            row[j] *= inverse;
        }
    }
    true
}

/// `a ← a L⁻ᵀ` with the factor `L`.
#[inline]
pub(super) fn divide_by_transposed(a: &mut Block6, l: &Block6) {
    for row in a.iter_mut() {
        for j in 0..6 {
            let mut x = row[j];
            for k in 0..j {
                x -= row[k] * l[j][k];
            }
            row[j] = x / l[j][j];
        }
    }
}

/// `x ← L⁻¹ x`.
#[inline]
pub(super) fn solve_lower(l: &Block6, x: &mut Vector6) {
    for i in 0..6 {
        for k in 0..i {
            x[i] -= l[i][k] * x[k];
        }
        x[i] /= l[i][i];
    }
}

/// `x ← L⁻ᵀ x`.
#[inline]
pub(super) fn solve_upper(l: &Block6, x: &mut Vector6) {
    for i in (0..6).rev() {
        for k in i + 1..6 {
            x[i] -= l[k][i] * x[k];
        }
        x[i] /= l[i][i];
    }
}

/// `y -= a x`.
#[inline]
pub(super) fn subtract_times(y: &mut Vector6, a: &Block6, x: &Vector6) {
    for (y, row) in y.iter_mut().zip(a) {
        *y -= row.iter().zip(x).map(|(a, x)| a * x).sum::<f64>();
    }
}

/// `y -= aᵀ x`.
#[inline]
pub(super) fn subtract_transposed_times(y: &mut Vector6, a: &Block6, x: &Vector6) {
    for (row, &x) in a.iter().zip(x) {
        for (y, a) in y.iter_mut().zip(row) {
            *y -= a * x;
        }
    }
}
