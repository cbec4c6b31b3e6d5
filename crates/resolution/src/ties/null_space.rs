//! What gives way in no direction: null spaces of small symmetric matrices that are positive semidefinite.
//!
//! A tie between bodies with locked world axes is met by no motion along some directions: two bodies of one plane cannot be pulled apart across it. Its response has no inverse
//! then, and is inverted on the other directions alone ([`pseudo_inverse`]).

use super::algebra::SINGULAR;
use drystone_math::{Matrix3, Real};

/// Sweeps of the Jacobi method; six rows converge in five or six.
const SWEEPS: u32 = 12;

/// Eigenvalues of a symmetric matrix and its eigenvectors, in rows, by cyclic Jacobi rotations (Golub and Van Loan, section 8.5).
pub(super) fn eigen<const N: usize>(matrix: &[[f64; N]; N]) -> ([f64; N], [[f64; N]; N]) {
    let mut m = *matrix;
    let mut vectors: [[f64; N]; N] =
        std::array::from_fn(|i| std::array::from_fn(|j| if i == j { 1.0 } else { 0.0 }));
    let scale = m.iter().flatten().fold(0.0_f64, |most, entry| most.max(entry.abs()));
    for _ in 0..SWEEPS {
        let mut is_done = true;
        for p in 0..N {
            for q in p + 1..N {
                let is_small = m[p][q].abs() <= 1e-17 * scale;
                if is_small {
                    continue;
                }
                is_done = false;
                let theta = (m[q][q] - m[p][p]) / (2.0 * m[p][q]);
                let sign = if theta < 0.0 { -1.0 } else { 1.0 };
                let t = sign / (theta.abs() + (theta * theta + 1.0).sqrt());
                let c = 1.0 / (t * t + 1.0).sqrt();
                let s = t * c;
                for row in &mut m {
                    (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
                }
                for k in 0..N {
                    (m[p][k], m[q][k]) = (c * m[p][k] - s * m[q][k], s * m[p][k] + c * m[q][k]);
                    (vectors[p][k], vectors[q][k]) =
                        (c * vectors[p][k] - s * vectors[q][k], s * vectors[p][k] + c * vectors[q][k]);
                }
            }
        }
        if is_done {
            break;
        }
    }
    (std::array::from_fn(|k| m[k][k]), vectors)
}

/// The inverse of a symmetric matrix, that is positive semidefinite but for rounding, on the coordinates that take part and there on what gives way by more than [`SINGULAR`] of `scale`; zero on
/// what is across (Moore 1920, Penrose 1955): what is wrong where nothing gives way moves nothing else.
pub(super) fn pseudo_inverse(matrix: &Matrix3, is_in: [bool; 3], scale: Real) -> Matrix3 {
    let entry = |i: usize, j: usize| if is_in[i] && is_in[j] { f64::from(matrix[(i, j)]) } else { 0.0 };
    let own = std::array::from_fn(|i| std::array::from_fn(|j| 0.5 * (entry(i, j) + entry(j, i))));
    let (values, vectors) = eigen::<3>(&own);
    let least = f64::from(SINGULAR * scale);
    let mut inverse = [[0.0; 3]; 3];
    for (value, vector) in values.into_iter().zip(&vectors).filter(|(value, _)| *value > least) {
        for i in 0..3 {
            for j in 0..3 {
                inverse[i][j] += vector[i] * vector[j] / value;
            }
        }
    }
    Matrix3::from_fn(|i, j| inverse[i][j] as Real)
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_math::Vector3;

    /// A matrix with these eigenvalues in a frame that is askew.
    fn turned(values: [Real; 3]) -> Matrix3 {
        let turn = drystone_math::rotation_from_vector(&Vector3::new(0.3, -0.7, 0.4)).to_rotation_matrix();
        turn.matrix() * Matrix3::from_diagonal(&Vector3::from(values)) * turn.matrix().transpose()
    }

    #[test]
    fn eigenvectors_rebuild_the_matrix() {
        let m: [[f64; 6]; 6] =
            std::array::from_fn(|i| std::array::from_fn(|j| 1.0 / (1.0 + i as f64 + j as f64)));
        let (values, vectors) = eigen(&m);
        for i in 0..6 {
            for j in 0..6 {
                let sum: f64 = (0..6).map(|k| values[k] * vectors[k][i] * vectors[k][j]).sum();
                assert!((sum - m[i][j]).abs() < 1e-14, "{i}, {j}: {sum} for {}", m[i][j]);
                let product: f64 = (0..6).map(|k| vectors[i][k] * vectors[j][k]).sum();
                assert!((product - if i == j { 1.0 } else { 0.0 }).abs() < 1e-14, "{i}, {j}: {product}");
            }
        }
    }

    #[test]
    fn a_regular_matrix_has_its_inverse() {
        let m = turned([1.0, 20.0, 300.0]);
        let off = pseudo_inverse(&m, [true; 3], m.trace()) * m - Matrix3::identity();
        assert!(off.norm() < 1e-4, "{off}");
    }

    #[test]
    fn what_gives_way_in_no_direction_moves_nothing() {
        let inverse = pseudo_inverse(&turned([2.0, 0.0, 4.0]), [true; 3], 6.0);
        assert!((inverse - turned([0.5, 0.0, 0.25])).norm() < 1e-6, "{inverse}");
        assert_eq!(pseudo_inverse(&Matrix3::zeros(), [true; 3], 0.0), Matrix3::zeros());
    }

    #[test]
    fn coordinates_that_take_no_part_have_none() {
        let inverse = pseudo_inverse(&turned([1.0, 2.0, 3.0]), [true, false, true], 6.0);
        for k in 0..3 {
            assert_eq!((inverse[(1, k)], inverse[(k, 1)]), (0.0, 0.0));
        }
        assert!(inverse[(0, 0)] > 0.0);
    }
}
