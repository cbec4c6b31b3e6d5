//! Eigenvalues of small symmetric matrices.

/// Sweeps of the Jacobi method; six rows converge in five or six.
const SWEEPS: u32 = 12;
/// Share of the norm of a matrix up to which an entry beside the diagonal is none.
const NOTHING: f64 = 1e-15;

/// Eigenvalues of a symmetric matrix (of any unit) and its eigenvectors, in rows, of length 1, by cyclic Jacobi rotations (Golub and Van Loan, section 8.5). The eigenvalues are in no order; equal
/// matrices give equal bits on every machine.
///
/// ```
/// let (values, vectors) = drystone_math::symmetric_eigen(&[[2.0, 1.0], [1.0, 2.0]]);
/// assert!((values[0] - 1.0).abs() < 1e-15 && (values[1] - 3.0).abs() < 1e-15);
/// assert!((vectors[0][0] + vectors[0][1]).abs() < 1e-15);
/// ```
pub fn symmetric_eigen<const N: usize>(matrix: &[[f64; N]; N]) -> ([f64; N], [[f64; N]; N]) {
    let mut a = *matrix;
    let mut vectors = std::array::from_fn(|i| std::array::from_fn(|j| if i == j { 1.0 } else { 0.0 }));
    let least = NOTHING * a.iter().flatten().map(|entry| entry * entry).sum::<f64>().sqrt();
    for _ in 0..SWEEPS {
        for p in 0..N {
            for q in p + 1..N {
                if a[p][q].abs() <= least {
                    continue;
                }
                let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
                let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
                let t = if theta == 0.0 { 1.0 } else { t };
                let c = 1.0 / (t * t + 1.0).sqrt();
                let s = t * c;
                for k in 0..N {
                    (a[p][k], a[q][k]) = turned(a[p][k], a[q][k], c, s);
                    (vectors[p][k], vectors[q][k]) = turned(vectors[p][k], vectors[q][k], c, s);
                }
                for row in &mut a {
                    (row[p], row[q]) = turned(row[p], row[q], c, s);
                }
            }
        }
    }
    (std::array::from_fn(|k| a[k][k]), vectors)
}

/// Two coordinates after a rotation with this cosine and sine.
fn turned(p: f64, q: f64, c: f64, s: f64) -> (f64, f64) {
    (c * p - s * q, s * p + c * q)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eigenvectors_rebuild_the_matrix() {
        let m: [[f64; 6]; 6] =
            std::array::from_fn(|i| std::array::from_fn(|j| 1.0 / (1.0 + i as f64 + j as f64)));
        let (values, vectors) = symmetric_eigen(&m);
        for i in 0..6 {
            for j in 0..6 {
                let sum: f64 = (0..6).map(|k| values[k] * vectors[k][i] * vectors[k][j]).sum();
                assert!((sum - m[i][j]).abs() < 1e-14, "{i}, {j}: {sum} for {}", m[i][j]);
                let product: f64 = (0..6).map(|k| vectors[i][k] * vectors[j][k]).sum();
                assert!((product - if i == j { 1.0 } else { 0.0 }).abs() < 1e-14, "{i}, {j}: {product}");
            }
        }
    }
}
