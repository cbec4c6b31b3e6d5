//! Accelerations from forces.
//!
//! Featherstone (2008), algorithm 7.3 (ABA), with the factor of `factor` at hand:
//! ```text
//! leaves to roots   p = v̂ ×* I v̂ - f̂,  p += Iᴬ ĉ;   per dof: u = τ - Sᵀ p,  p += U u / D;   p_parent += p
//! roots to leaves   per dof: q̈ = (u - Uᵀ â) / D,  â += S q̈;   â += ĉ
//! ```
//! Gravity enters as an acceleration of the world, `â₀ = (0; -g)`: accelerations of links are those against free fall.

use super::factor::Factor;
use crate::kinematics::Kinematics;
use crate::model::Model;
use crate::spatial::{SpatialForce, SpatialMotion};
use drystone_math::Carried;
use nalgebra::Vector3;

/// What acts from outside.
#[derive(Clone, Copy, Debug)]
pub struct Loads<'a> {
    /// Force along each degree of freedom, N m or N.
    pub joint_forces: &'a [f64],
    /// What acts on each link at its origin in world axes; empty where nothing does.
    pub wrenches: &'a [SpatialForce],
}

/// Working memory of forward dynamics, and its results.
#[derive(Clone, Debug, PartialEq)]
pub struct ForwardDynamics {
    bias: Vec<SpatialForce>,
    rest: Vec<f64>,
    pub(crate) accelerations: Vec<SpatialMotion>,
}

impl ForwardDynamics {
    /// Memory that it holds, bytes.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.bias.heap_bytes() + self.rest.heap_bytes() + self.accelerations.heap_bytes()
    }

    /// Room for a model.
    pub fn new(model: &Model) -> Self {
        Self {
            bias: vec![SpatialForce::default(); model.link_count()],
            rest: vec![0.0; model.dof_count()],
            accelerations: vec![SpatialMotion::default(); model.link_count()],
        }
    }

    /// Accelerations of all joints (rad/s² or m/s²) by `loads`, gravity and the motion itself. O(n), no allocation.
    ///
    /// With a factor that has more on its diagonal than the mass matrix, the accelerations are those of the enlarged matrix.
    pub fn accelerate(
        &mut self,
        model: &Model,
        kinematics: &Kinematics,
        factor: &Factor,
        loads: &Loads<'_>,
        out: &mut [f64],
    ) {
        for (index, (bias, pose)) in self.bias.iter_mut().zip(&kinematics.links).enumerate() {
            *bias = pose.velocity.cross_force(&pose.inertia.apply(&pose.velocity));
            if let Some(wrench) = loads.wrenches.get(index) {
                *bias -= *wrench;
            }
        }
        for (index, link) in model.links.iter().enumerate().rev() {
            let pose = &kinematics.links[index];
            let mut bias = self.bias[index] + factor.inertias[index].apply(&pose.velocity_bias);
            for dof in link.dofs().rev() {
                let eliminated = &factor.dofs[dof];
                let rest = loads.joint_forces[dof] - kinematics.axes[dof].dot(&bias);
                self.rest[dof] = rest;
                bias += eliminated.u * (rest * eliminated.inverse);
            }
            if let Some(parent) = link.parent {
                self.bias[parent.index()] += bias.moved_back(&pose.arm);
            }
        }
        let world = SpatialMotion::new(Vector3::zeros(), -model.gravity);
        for (index, link) in model.links.iter().enumerate() {
            let pose = &kinematics.links[index];
            let mut acceleration = pose.inherited(link.parent, &self.accelerations, world);
            for dof in link.dofs() {
                let eliminated = &factor.dofs[dof];
                out[dof] = (self.rest[dof] - acceleration.dot(&eliminated.u)) * eliminated.inverse;
                acceleration += kinematics.axes[dof] * out[dof];
            }
            self.accelerations[index] = acceleration + pose.velocity_bias;
        }
    }

    /// Spatial accelerations of the links of the last call, at their origins, **against free fall** (a link at rest has `-g`).
    pub fn link_accelerations(&self) -> &[SpatialMotion] {
        &self.accelerations
    }
}
