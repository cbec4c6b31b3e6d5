//! The mass matrix.
//!
//! Featherstone (2008), algorithm 6.2 (CRBA): `H_ij = S_jᵀ Iᶜᵢ Sᵢ` for `j` on the path from `i` to its root, with the inertia `Iᶜᵢ` of
//! all that hangs on link `i`, rigid.

use crate::kinematics::Kinematics;
use crate::model::Model;
use crate::spatial::ArticulatedInertia;
use nalgebra::DMatrix;

/// The mass matrix with armatures, kg m² and kg, by degrees of freedom. Allocates; for tests and for solvers that want it whole
/// ([`super::Factor`] serves those that only solve with it).
pub fn mass_matrix(model: &Model, kinematics: &Kinematics) -> DMatrix<f64> {
    let mut composite: Vec<ArticulatedInertia> =
        kinematics.links.iter().map(|pose| pose.inertia.articulated()).collect();
    let mut matrix = DMatrix::zeros(model.dof_count(), model.dof_count());
    for (index, link) in model.links.iter().enumerate().rev() {
        let inertia = composite[index];
        for dof in link.dofs() {
            let mut force = inertia.apply(&kinematics.axes[dof]);
            matrix[(dof, dof)] += model.dofs[dof].armature;
            for other in link.dofs() {
                matrix[(dof, other)] += kinematics.axes[other].dot(&force);
            }
            let (mut at, mut above) = (index, link.parent);
            while let Some(parent) = above {
                force = force.moved_back(&kinematics.links[at].arm);
                for other in model.links[parent.index()].dofs() {
                    let entry = kinematics.axes[other].dot(&force);
                    matrix[(dof, other)] = entry;
                    matrix[(other, dof)] = entry;
                }
                (at, above) = (parent.index(), model.links[parent.index()].parent);
            }
        }
        if let Some(parent) = link.parent {
            composite[parent.index()].add(&inertia.moved_back(&kinematics.links[index].arm));
        }
    }
    matrix
}
