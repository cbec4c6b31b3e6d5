//! Velocity changes by impulses, in O(n).
//!
//! The loops of forward dynamics without velocities and gravity (Featherstone 2008, section 7.3): with the factored mass matrix `H` of
//! [`super::Factor`] they solve
//! ```text
//! H Δq̇ = j + Σ Jᵢᵀ ĵᵢ          j: impulses along joints      ĵᵢ: impulses on links
//! ```

use super::factor::Factor;
use crate::kinematics::Kinematics;
use crate::model::{LinkIndex, Model};
use crate::spatial::{SpatialForce, SpatialMotion};
use drystone_math::Carried;

/// Working memory of impulse responses.
#[derive(Clone, Debug, PartialEq)]
pub struct Response {
    impulses: Vec<SpatialForce>,
    rest: Vec<f64>,
    changes: Vec<SpatialMotion>,
}

impl Response {
    /// Memory that it holds, bytes.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.impulses.heap_bytes() + self.rest.heap_bytes() + self.changes.heap_bytes()
    }

    /// Room for a model.
    pub fn new(model: &Model) -> Self {
        Self {
            impulses: vec![SpatialForce::default(); model.link_count()],
            rest: vec![0.0; model.dof_count()],
            changes: vec![SpatialMotion::default(); model.link_count()],
        }
    }

    /// Changes of all velocities (rad/s or m/s) by an impulse on `link` (N m s, N s; at the link's origin, world axes). The change of
    /// every link's own velocity is in [`Response::link_changes`] afterwards.
    pub fn to_impulse(
        &mut self,
        model: &Model,
        kinematics: &Kinematics,
        factor: &Factor,
        link: LinkIndex,
        impulse: &SpatialForce,
        out: &mut [f64],
    ) {
        self.impulses.fill(SpatialForce::default());
        self.impulses[link.index()] = *impulse;
        self.solve(model, kinematics, factor, |_| 0.0, out);
    }

    /// Changes of all velocities by an impulse on each link (at its origin, world axes).
    pub fn to_impulses(
        &mut self,
        model: &Model,
        kinematics: &Kinematics,
        factor: &Factor,
        impulses: &[SpatialForce],
        out: &mut [f64],
    ) {
        self.impulses.copy_from_slice(impulses);
        self.solve(model, kinematics, factor, |_| 0.0, out);
    }

    /// Changes of all velocities by impulses along the joints: `H⁻¹ j`.
    pub fn to_joint_impulses(
        &mut self,
        model: &Model,
        kinematics: &Kinematics,
        factor: &Factor,
        impulses: &[f64],
        out: &mut [f64],
    ) {
        self.impulses.fill(SpatialForce::default());
        self.solve(model, kinematics, factor, |dof| impulses[dof], out);
    }

    /// How the velocity of each link changed, at its origin: of the last call.
    pub fn link_changes(&self) -> &[SpatialMotion] {
        &self.changes
    }

    fn solve(
        &mut self,
        model: &Model,
        kinematics: &Kinematics,
        factor: &Factor,
        joint_impulse: impl Fn(usize) -> f64,
        out: &mut [f64],
    ) {
        for (index, link) in model.links.iter().enumerate().rev() {
            let mut impulse = self.impulses[index];
            for dof in link.dofs().rev() {
                let eliminated = &factor.dofs[dof];
                let rest = joint_impulse(dof) + kinematics.axes[dof].dot(&impulse);
                self.rest[dof] = rest;
                impulse -= eliminated.u * (rest * eliminated.inverse);
            }
            if let Some(parent) = link.parent {
                self.impulses[parent.index()] += impulse.moved_back(&kinematics.links[index].arm);
            }
        }
        for (index, link) in model.links.iter().enumerate() {
            let world = SpatialMotion::default();
            let mut change = kinematics.links[index].inherited(link.parent, &self.changes, world);
            for dof in link.dofs() {
                let eliminated = &factor.dofs[dof];
                out[dof] = (self.rest[dof] - change.dot(&eliminated.u)) * eliminated.inverse;
                change += kinematics.axes[dof] * out[dof];
            }
            self.changes[index] = change;
        }
    }
}
