//! Matrices of 6x6 blocks, one per body: what couples two bodies' velocities.

/// A block, by rows.
pub(super) type Block6 = [[f64; 6]; 6];
/// Six numbers of a body: linear, then angular.
pub(super) type Vector6 = [f64; 6];

/// The block of zeros.
pub(super) const ZERO: Block6 = [[0.0; 6]; 6];

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
