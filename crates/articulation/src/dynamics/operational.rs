//! How each link answers to an impulse on itself: the inverse operational-space inertia.
//!
//! Kreutz-Delgado, Jain and Rodriguez (Int. J. Robotics Research 11, 1992); Featherstone (2008), section 8.4. From the roots outwards:
//! ```text
//! Φ ← X Φ_parent Xᵀ;   per dof, the first first:   L = 1 - S Uᵀ / D,   Φ ← L Φ Lᵀ + S Sᵀ / D
//! Δv̂ = Φ ĵ
//! ```

use super::factor::Factor;
use crate::kinematics::Kinematics;
use crate::model::{LinkIndex, Model};
use crate::spatial::{SpatialForce, SpatialMotion, cross_matrix};
use drystone_math::Carried;
use nalgebra::{Matrix6, Vector3, Vector6};

/// The inverse inertia of each link, with all that hangs on it and that it hangs on.
#[derive(Clone, Debug, PartialEq)]
pub struct OperationalInertia {
    inverses: Vec<Matrix6<f64>>,
}

impl OperationalInertia {
    /// Memory that it holds, bytes.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.inverses.heap_bytes()
    }

    /// Room for a model.
    pub fn new(model: &Model) -> Self {
        Self { inverses: vec![Matrix6::zeros(); model.link_count()] }
    }

    /// Finds all links' inverse inertias. O(n), no allocation.
    pub fn update(&mut self, model: &Model, kinematics: &Kinematics, factor: &Factor) {
        for (index, link) in model.links.iter().enumerate() {
            let mut inverse = match link.parent {
                Some(parent) => moved(&self.inverses[parent.index()], &kinematics.links[index].arm),
                None => Matrix6::zeros(),
            };
            for dof in link.dofs() {
                let eliminated = &factor.dofs[dof];
                let axis = motion_column(&kinematics.axes[dof]);
                let u = Vector6::from_iterator(
                    eliminated.u.moment.iter().chain(eliminated.u.force.iter()).copied(),
                );
                // L Φ Lᵀ + S Sᵀ/D = Φ - (S wᵀ + w Sᵀ)/D + S Sᵀ (uᵀ w/D² + 1/D), with w = Φ U.
                let w = inverse * u;
                let d = eliminated.inverse;
                let cross = axis * (w * d).transpose();
                inverse -= cross + cross.transpose();
                inverse += axis * axis.transpose() * (u.dot(&w) * d * d + d);
            }
            self.inverses[index] = inverse;
        }
    }

    /// The velocity change (angular, then linear, at the link's origin, world axes) of a link per impulse on it (moment, then force, at
    /// its origin). Symmetric, at least 0; rows that the joints hold are 0.
    pub fn inverse(&self, link: LinkIndex) -> &Matrix6<f64> {
        &self.inverses[link.index()]
    }

    /// The same at a point of the world, m.
    pub fn inverse_at(&self, kinematics: &Kinematics, link: LinkIndex, point: &Vector3<f64>) -> Matrix6<f64> {
        moved(&self.inverses[link.index()], &(point - kinematics.links[link.index()].origin))
    }

    /// Velocity change of a link by an impulse on itself, both at its origin.
    pub fn change(&self, link: LinkIndex, impulse: &SpatialForce) -> SpatialMotion {
        let column = Vector6::from_iterator(impulse.moment.iter().chain(impulse.force.iter()).copied());
        let change = self.inverses[link.index()] * column;
        SpatialMotion::new(change.fixed_rows::<3>(0).into_owned(), change.fixed_rows::<3>(3).into_owned())
    }
}

fn motion_column(motion: &SpatialMotion) -> Vector6<f64> {
    Vector6::from_iterator(motion.angular.iter().chain(motion.linear.iter()).copied())
}

/// `X Φ Xᵀ` for a reference point that lies `arm` away: the linear part of a motion gains `ω × arm`.
fn moved(inverse: &Matrix6<f64>, arm: &Vector3<f64>) -> Matrix6<f64> {
    let shift = -cross_matrix(arm);
    let mut left = *inverse;
    let lower = left.fixed_view::<3, 6>(3, 0) + shift * left.fixed_view::<3, 6>(0, 0);
    left.fixed_view_mut::<3, 6>(3, 0).copy_from(&lower);
    let right = left.fixed_view::<6, 3>(0, 3) + left.fixed_view::<6, 3>(0, 0) * shift.transpose();
    left.fixed_view_mut::<6, 3>(0, 3).copy_from(&right);
    left
}
