//! How a point of a link moves by the joints.
//!
//! Featherstone (2008), section 4.1: the columns of a link's Jacobian are the directions `S` of the joints between it and its root, seen
//! from the point: `v̂ = J q̇`, and `τ = Jᵀ f̂` for a force at the point.

use crate::kinematics::Kinematics;
use crate::model::{LinkIndex, Model};
use nalgebra::{DMatrix, Vector3};

/// The 6 x n Jacobian of a link at a point of the world (m): angular velocity (rad/s), then linear velocity of the link's point there
/// (m/s), world axes, per velocity of each joint. Allocates; [`add_jacobian`] does not.
pub fn jacobian(
    model: &Model,
    kinematics: &Kinematics,
    link: LinkIndex,
    point: &Vector3<f64>,
) -> DMatrix<f64> {
    let mut matrix = DMatrix::zeros(6, model.dof_count());
    visit(model, kinematics, link, point, |dof, angular, linear| {
        matrix.view_mut((0, dof), (3, 1)).copy_from(&angular);
        matrix.view_mut((3, dof), (3, 1)).copy_from(&linear);
    });
    matrix
}

/// Adds `factor` times rows of the Jacobian of a link at a point: row `k` of `rows` (each with an entry per degree of freedom) gains
/// the velocity along `directions[k]`, (angular, linear).
pub fn add_jacobian(
    model: &Model,
    kinematics: &Kinematics,
    link: LinkIndex,
    point: &Vector3<f64>,
    directions: &[(Vector3<f64>, Vector3<f64>)],
    factor: f64,
    rows: &mut [f64],
) {
    let count = model.dof_count();
    debug_assert!(rows.len() == directions.len() * count, "a row per direction");
    visit(model, kinematics, link, point, |dof, angular, linear| {
        for (row, (turn, way)) in directions.iter().enumerate() {
            rows[row * count + dof] += factor * (turn.dot(&angular) + way.dot(&linear));
        }
    });
}

fn visit(
    model: &Model,
    kinematics: &Kinematics,
    link: LinkIndex,
    point: &Vector3<f64>,
    mut column: impl FnMut(usize, Vector3<f64>, Vector3<f64>),
) {
    for at in model.path(link) {
        let arm = point - kinematics.links[at.index()].origin;
        for dof in model.links[at.index()].dofs() {
            let axis = kinematics.axes[dof].moved(&arm);
            column(dof, axis.angular, axis.linear);
        }
    }
}
