//! What gives way in no direction: null spaces of small symmetric matrices that are positive semidefinite.
//!
//! A tie between bodies with locked world axes is met by no motion along some directions: two bodies of one plane cannot be pulled apart across it. Its response has no inverse
//! then, and is inverted on the other directions alone ([`pseudo_inverse`]).

use super::algebra::SINGULAR;
use drystone_math::{Matrix3, Real, symmetric_eigen};

/// The inverse of a symmetric matrix, that is positive semidefinite but for rounding, on the coordinates that take part and there on what gives way by more than [`SINGULAR`] of `scale`; zero on
/// what is across (Moore 1920, Penrose 1955): what is wrong where nothing gives way moves nothing else.
pub(super) fn pseudo_inverse(matrix: &Matrix3, is_in: [bool; 3], scale: Real) -> Matrix3 {
    let entry = |i: usize, j: usize| if is_in[i] && is_in[j] { f64::from(matrix[(i, j)]) } else { 0.0 };
    let own = std::array::from_fn(|i| std::array::from_fn(|j| 0.5 * (entry(i, j) + entry(j, i))));
    let (values, vectors) = symmetric_eigen::<3>(&own);
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
