//! Lemke's algorithm against all complementary bases one by one.

use drystone_resolution::lcp::{DenseLcp, Lemke, LemkeOptions, LemkeStatus};
use nalgebra::{DMatrix, DVector};
use proptest::prelude::*;

/// Numbers this large, from data of size 1, come from a singular matrix that rounding made regular: they are no answers.
const ROUNDED: f64 = 1e8;

/// All answers with a regular basis: every set of `z` that may be positive is solved for and checked.
fn every_answer(m: &DMatrix<f64>, q: &DVector<f64>) -> Vec<DVector<f64>> {
    answers_to(m, q, 1e-9)
}

/// The same, with conditions that hold to `slack`.
fn answers_to(m: &DMatrix<f64>, q: &DVector<f64>, slack: f64) -> Vec<DVector<f64>> {
    let n = q.len();
    let solve = |chosen: u32| -> Option<DVector<f64>> {
        let set: Vec<usize> = (0..n).filter(|i| chosen >> i & 1 == 1).collect();
        let part = DMatrix::from_fn(set.len(), set.len(), |i, j| m[(set[i], set[j])]);
        let right = DVector::from_fn(set.len(), |i, _| -q[set[i]]);
        let solved = if set.is_empty() { right } else { part.lu().solve(&right)? };
        let mut z = DVector::zeros(n);
        set.iter().zip(solved.iter()).for_each(|(&i, &x)| z[i] = x);
        let w = m * &z + q;
        let is_answer = z.amax() < ROUNDED && w.iter().chain(z.iter()).all(|&x| x >= -slack);
        is_answer.then_some(z)
    };
    (0..1u32 << n).filter_map(solve).collect()
}

fn dense(m: &DMatrix<f64>, q: &DVector<f64>) -> DenseLcp {
    DenseLcp::new(m.transpose().as_slice().to_vec(), q.as_slice().to_vec())
}

/// Solves and checks what may be said whatever the matrix: an answer is one, and a limit is not exceeded.
fn solve(m: &DMatrix<f64>, q: &DVector<f64>, covering: Option<&[f64]>) -> (LemkeStatus, DVector<f64>) {
    let lcp = dense(m, q);
    let mut lemke = Lemke::default();
    let options = LemkeOptions::default();
    let status = lemke.solve(&lcp, covering, &options);
    let scale = m.amax().max(1.0) * q.amax().max(1.0);
    if status == LemkeStatus::Solved {
        let residual = lcp.residual(lemke.z());
        assert!(residual <= 1e-7 * scale, "{residual} of {scale}");
        assert!(lemke.z().iter().all(|&z| z >= 0.0));
    } else if status != LemkeStatus::Inaccurate {
        assert!(lemke.z().iter().all(|&z| z == 0.0), "without an answer there is none in z");
    }
    assert!(lemke.pivots() <= u64::from(options.max_pivots_per_unknown) * q.len() as u64);
    (status, DVector::from_column_slice(lemke.z()))
}

/// Sizes with square matrices of numbers in -1..1 and vectors.
fn data() -> impl Strategy<Value = (DMatrix<f64>, DVector<f64>)> {
    (1usize..=8).prop_flat_map(|n| {
        let number = || -1.0f64..1.0;
        (prop::collection::vec(number(), n * n), prop::collection::vec(number(), n))
            .prop_map(move |(m, q)| (DMatrix::from_vec(n, n, m), DVector::from_vec(q)))
    })
}

/// The same with small whole numbers: full of ties.
fn whole_data() -> impl Strategy<Value = (DMatrix<f64>, DVector<f64>)> {
    data().prop_map(|(m, q)| (m.map(|x| (2.5 * x).round()), q.map(|x| (2.5 * x).round())))
}

/// Positive definite and unsymmetric: a P-matrix.
fn definite(a: &DMatrix<f64>) -> DMatrix<f64> {
    let n = a.nrows();
    a * a.transpose() + (a - a.transpose()) * 0.7 + DMatrix::identity(n, n) * 0.1
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// P-matrices: exactly one answer, and that is found.
    #[test]
    fn the_only_answer_of_a_p_matrix_is_found((a, q) in data()) {
        let m = definite(&a);
        let (status, z) = solve(&m, &q, None);
        prop_assert_eq!(status, LemkeStatus::Solved);
        let answers = every_answer(&m, &q);
        prop_assert!(!answers.is_empty());
        for answer in answers {
            prop_assert!((&answer - &z).amax() < 1e-6, "{answer} against {z}");
        }
    }

    /// P-matrices with ties everywhere, triangular ones among them.
    #[test]
    fn ties_do_not_stop_it((a, q) in whole_data()) {
        let n = q.len();
        let dominant = DMatrix::from_fn(n, n, |i, j| if i == j { 1.0 } else if i < j { a[(i, j)] } else { 0.0 });
        for m in [dominant, definite(&a)] {
            let (status, z) = solve(&m, &q, None);
            prop_assert_eq!(status, LemkeStatus::Solved);
            let answers = every_answer(&m, &q);
            prop_assert!(answers.iter().any(|answer| (answer - &z).amax() < 1e-6));
        }
    }

    /// Singular positive semidefinite matrices: an answer is found exactly where there is one.
    #[test]
    fn semidefinite_matrices_are_decided((a, q) in data(), rank in 1usize..4, is_whole in any::<bool>()) {
        let n = q.len();
        let tall = a.columns(0, rank.min(n)).into_owned();
        let skew = (&a - a.transpose()) * 0.5;
        let round = |x: f64| if is_whole { (2.5 * x).round() } else { x };
        for m in [(&tall * tall.transpose()).map(round), &tall * tall.transpose() + skew] {
            if m.clone().symmetric_part().symmetric_eigenvalues().min() < -1e-9 {
                continue;
            }
            let (status, z) = solve(&m, &q, None);
            let is_solved = status == LemkeStatus::Solved && z.amax() < ROUNDED;
            // What rounding decides may go either way.
            let [surely, maybe] = [1e-12, 1e-6].map(|slack| !answers_to(&m, &q, slack).is_empty());
            prop_assert!(is_solved || !surely, "{status:?} {m} {q}");
            prop_assert!(!is_solved || maybe, "{z} {m} {q}");
        }
    }

    /// Strictly copositive matrices that are neither definite nor P: no entry negative, the diagonal positive.
    #[test]
    fn strictly_copositive_matrices_are_solved((a, q) in data(), floor in 0.05f64..1.0) {
        let n = q.len();
        let m = a.map(f64::abs) + DMatrix::identity(n, n) * floor;
        let (status, z) = solve(&m, &q, None);
        prop_assert_eq!(status, LemkeStatus::Solved);
        let answers = every_answer(&m, &q);
        prop_assert!(answers.iter().any(|answer| (answer - &z).amax() < 1e-5), "one of {}", answers.len());
    }

    /// Any matrix at all: an answer or an honest status, whatever the covering vector and the scale.
    #[test]
    fn anything_ends_with_an_honest_status(
        (m, q) in prop_oneof![data(), whole_data()],
        covering in prop::collection::vec(0.1f64..3.0, 8),
        exponents in prop::collection::vec(-4i32..5, 16),
    ) {
        let n = q.len();
        let (status, _) = solve(&m, &q, Some(&covering[..n]));
        if status == LemkeStatus::Solved {
            prop_assert!(!every_answer(&m, &q).is_empty());
        }
        // Powers of ten on rows and columns of a P-matrix change the answer by the columns' alone.
        let m = definite(&m);
        let (row, column) = exponents.split_at(8);
        let scaled = DMatrix::from_fn(n, n, |i, j| m[(i, j)] * 10f64.powi(row[i] + column[j]));
        let right = DVector::from_fn(n, |i, _| q[i] * 10f64.powi(row[i]));
        let mut lemke = Lemke::default();
        let status = lemke.solve(&dense(&scaled, &right), None, &LemkeOptions::default());
        prop_assert_eq!(status, LemkeStatus::Solved);
        let answers = every_answer(&m, &q);
        let z = DVector::from_fn(n, |i, _| lemke.z()[i] * 10f64.powi(column[i]));
        prop_assert!(answers.iter().any(|answer| (answer - &z).amax() < 1e-6 * answer.amax().max(1.0)));
    }

    /// The answer's own basis is accepted without pivoting, also from its values; another one is not taken for an answer.
    #[test]
    fn a_basis_is_tried_and_checked((a, q) in data()) {
        let m = definite(&a);
        let (lcp, options) = (dense(&m, &q), LemkeOptions::default());
        let mut lemke = Lemke::default();
        prop_assert_eq!(lemke.solve(&lcp, None, &options), LemkeStatus::Solved);
        let (z, basis) = (lemke.z().to_vec(), lemke.basis().to_vec());
        prop_assert!(lemke.try_basis(&lcp, &basis, &vec![0.0; q.len()], &options));
        prop_assert!(lcp.residual(lemke.z()) < 1e-7);
        prop_assert!(lemke.try_basis(&lcp, &basis, &z, &options));
        if let Some(positive) = z.iter().position(|&z| z > 1e-3) {
            let mut other = basis;
            other[positive] = false;
            prop_assert!(!lemke.try_basis(&lcp, &other, &z, &options));
        }
    }
}

/// Murty's example, on which rules that break ties by the least index go round for ever.
#[test]
fn murtys_cycling_example_ends() {
    let m = DMatrix::from_row_slice(3, 3, &[1.0, 2.0, 0.0, 0.0, 1.0, 2.0, 2.0, 0.0, 1.0]);
    let q = DVector::from_element(3, -1.0);
    let (status, z) = solve(&m, &q, None);
    assert_eq!(status, LemkeStatus::Solved);
    assert!((z - DVector::from_element(3, 1.0 / 3.0)).amax() < 1e-12);
}

/// All constants equal, all entries equal: every row ties in every pivot.
#[test]
fn a_problem_of_nothing_but_ties_ends() {
    for n in 1..=40 {
        let m = DMatrix::from_element(n, n, 1.0);
        let (status, z) = solve(&m, &DVector::from_element(n, -1.0), None);
        assert_eq!(status, LemkeStatus::Solved);
        assert!((z.sum() - 1.0).abs() < 1e-12);
    }
}

/// Murty's matrices lead Lemke's algorithm through all `2^n` bases, every one of them degenerate with these constants: what
/// the bound does not allow is given up and said.
#[test]
fn exponential_paths_end_at_the_bound() {
    let path = |n: usize, max_pivots_per_unknown: u32| {
        let m = DMatrix::from_fn(n, n, |i, j| {
            if i == j {
                1.0
            } else if i > j {
                2.0
            } else {
                0.0
            }
        });
        let mut lemke = Lemke::default();
        let options = LemkeOptions { max_pivots_per_unknown, ..LemkeOptions::default() };
        let status = lemke.solve(&dense(&m, &DVector::from_element(n, -1.0)), None, &options);
        (status, lemke.pivots())
    };
    assert_eq!(path(8, 40), (LemkeStatus::Solved, 256));
    assert_eq!(path(12, 20), (LemkeStatus::PivotLimit, 240));
}

#[test]
fn rays_and_bad_input_are_told_apart() {
    // w = −z − 1: never.
    let m = DMatrix::from_element(1, 1, -1.0);
    assert_eq!(solve(&m, &DVector::from_element(1, -1.0), None).0, LemkeStatus::Ray);
    let bad = |m: f64, q: f64, d: f64| {
        let lcp = DenseLcp::new(vec![m], vec![q]);
        Lemke::default().solve(&lcp, Some(&[d]), &LemkeOptions::default())
    };
    for (m, q, d) in
        [(f64::NAN, -1.0, 1.0), (1.0, f64::INFINITY, 1.0), (1.0, -1.0, 0.0), (1.0, -1.0, f64::NAN)]
    {
        assert_eq!(bad(m, q, d), LemkeStatus::BadInput);
    }
    assert_eq!(bad(1.0, -1.0, 1.0), LemkeStatus::Solved);
    assert_eq!(
        Lemke::default().solve(&DenseLcp::default(), None, &LemkeOptions::default()),
        LemkeStatus::Solved
    );
}

/// Memory of one problem is no memory of its numbers.
#[test]
fn earlier_problems_do_not_show() {
    let problem = |n: usize| {
        let m =
            DMatrix::from_fn(n, n, |i, j| ((3 * i + 5 * j) % 7) as f64 / 7.0 + f64::from(u8::from(i == j)));
        dense(&m, &DVector::from_fn(n, |i, _| (i % 3) as f64 - 1.5))
    };
    let options = LemkeOptions::default();
    let mut reused = Lemke::default();
    for n in [5, 9, 3, 9, 1, 7] {
        let mut fresh = Lemke::default();
        assert_eq!(reused.solve(&problem(n), None, &options), fresh.solve(&problem(n), None, &options));
        assert_eq!((reused.z(), reused.pivots()), (fresh.z(), fresh.pivots()));
    }
}
