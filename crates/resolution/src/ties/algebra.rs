//! Small matrices of ties, and lanes one by one.

use crate::vector::F8;
use drystone_math::{Matrix3, Real, Symmetric3, Vector3};

/// Share of a matrix' trace below which a pivot counts as none: bodies that cannot turn or move that way.
pub(super) const SINGULAR: Real = 1e-6;

/// Response of the relative velocity of two points to a force between them; inverse masses are those along the world axes.
pub(super) fn point_response(
    masses: [Vector3; 2],
    inertias: &[Symmetric3; 2],
    arms: &[Vector3; 2],
) -> Matrix3 {
    let mut response = Matrix3::from_diagonal(&(masses[0] + masses[1]));
    for side in 0..2 {
        let lever = arms[side].cross_matrix();
        response -= lever * full(&inertias[side]) * lever;
    }
    response
}

/// Response of the relative turning to a force between two points; its transpose is that of their relative velocity to a torque.
pub(super) fn turn_by_force(inertias: &[Symmetric3; 2], arms: &[Vector3; 2]) -> Matrix3 {
    full(&inertias[0]) * arms[0].cross_matrix() + full(&inertias[1]) * arms[1].cross_matrix()
}

/// The inverse of a symmetric matrix on the coordinates that take part, by pivots; zero on the others, and where there is no response.
pub(super) fn invert(m: &mut Matrix3, is_in: [bool; 3]) -> Matrix3 {
    let mut inverse = Matrix3::zeros();
    let least = SINGULAR * m.trace();
    let mut used = [false; 3];
    for k in 0..3 {
        used[k] = is_in[k] && m[(k, k)] > least;
    }
    for k in 0..3 {
        if !used[k] {
            for j in 0..3 {
                m[(k, j)] = 0.0;
                m[(j, k)] = 0.0;
            }
            m[(k, k)] = 1.0;
        }
    }
    let determinant = m.determinant();
    if determinant > 0.0 {
        // The adjugate of a symmetric matrix.
        for i in 0..3 {
            for j in 0..3 {
                let (i1, i2, j1, j2) = ((i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3);
                inverse[(j, i)] = (m[(i1, j1)] * m[(i2, j2)] - m[(i1, j2)] * m[(i2, j1)]) / determinant;
            }
        }
    }
    for k in 0..3 {
        if !used[k] {
            inverse[(k, k)] = 0.0;
        }
    }
    inverse
}

/// A lane is below 8, which compilers do not know: without this each number is looked up with a check of its own.
#[inline(always)]
fn within_eight(lane: usize) -> usize {
    debug_assert!(lane < 8, "lane {lane} of 8");
    lane & 7
}

#[inline(always)]
pub(super) fn get(rows: &[F8; 3], lane: usize) -> Vector3 {
    let lane = within_eight(lane);
    Vector3::new(rows[0][lane], rows[1][lane], rows[2][lane])
}

#[inline(always)]
pub(super) fn set(rows: &mut [F8; 3], lane: usize, v: &Vector3) {
    let lane = within_eight(lane);
    (rows[0][lane], rows[1][lane], rows[2][lane]) = (v.x, v.y, v.z);
}

#[inline(always)]
pub(super) fn inertia(rows: &[F8; 6], lane: usize) -> Symmetric3 {
    let lane = within_eight(lane);
    Symmetric3 {
        xx: rows[0][lane],
        yy: rows[1][lane],
        zz: rows[2][lane],
        xy: rows[3][lane],
        xz: rows[4][lane],
        yz: rows[5][lane],
    }
}

pub(super) fn set_symmetric(rows: &mut [F8; 6], lane: usize, m: &Matrix3) {
    for (row, (i, j)) in rows.iter_mut().zip([(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)]) {
        row[lane] = m[(i, j)];
    }
}

pub(super) fn set_inertia(rows: &mut [F8; 6], lane: usize, m: &Symmetric3) {
    for (row, value) in rows.iter_mut().zip([m.xx, m.yy, m.zz, m.xy, m.xz, m.yz]) {
        row[lane] = value;
    }
}

/// The symmetric part that is stored of a full matrix.
pub(super) fn symmetric(m: &Matrix3) -> Symmetric3 {
    Symmetric3 { xx: m[(0, 0)], yy: m[(1, 1)], zz: m[(2, 2)], xy: m[(0, 1)], xz: m[(0, 2)], yz: m[(1, 2)] }
}

pub(super) fn full(m: &Symmetric3) -> Matrix3 {
    Matrix3::new(m.xx, m.xy, m.xz, m.xy, m.yy, m.yz, m.xz, m.yz, m.zz)
}
