//! Forces from accelerations.
//!
//! Featherstone (2008), algorithm 5.1 (RNEA):
//! ```text
//! roots to leaves   âᵢ = â_p + Sᵢ q̈ᵢ + ĉᵢ       f̂ᵢ = I âᵢ + v̂ᵢ ×* I v̂ᵢ - f̂ᵢ(outside)
//! leaves to roots   τᵢ = Sᵢᵀ f̂ᵢ + armature q̈ᵢ    f̂_p += f̂ᵢ
//! ```
//! with `â₀ = (0; -g)`. `f̂ᵢ` is then what the joint of link `i` gives to the link: forces, motors and what it holds.

use crate::kinematics::Kinematics;
use crate::model::Model;
use crate::spatial::{SpatialForce, SpatialMotion};
use drystone_math::Carried;
use nalgebra::Vector3;

/// Working memory of inverse dynamics, and its results.
#[derive(Clone, Debug, PartialEq)]
pub struct InverseDynamics {
    accelerations: Vec<SpatialMotion>,
    joint_wrenches: Vec<SpatialForce>,
}

impl InverseDynamics {
    /// Memory that it holds, bytes.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.accelerations.heap_bytes() + self.joint_wrenches.heap_bytes()
    }

    /// Room for a model.
    pub fn new(model: &Model) -> Self {
        Self {
            accelerations: vec![SpatialMotion::default(); model.link_count()],
            joint_wrenches: vec![SpatialForce::default(); model.link_count()],
        }
    }

    /// Forces along all degrees of freedom (N m or N) under which the joints have `accelerations`, with `wrenches` on the links from
    /// outside (at their origins, world axes; empty where there are none). O(n), no allocation.
    pub fn forces(
        &mut self,
        model: &Model,
        kinematics: &Kinematics,
        accelerations: &[f64],
        wrenches: &[SpatialForce],
        out: &mut [f64],
    ) {
        self.forces_in_field(model, kinematics, &model.gravity, accelerations, wrenches, out);
    }

    /// The same with another gravity, m/s².
    pub(crate) fn forces_in_field(
        &mut self,
        model: &Model,
        kinematics: &Kinematics,
        gravity: &Vector3<f64>,
        accelerations: &[f64],
        wrenches: &[SpatialForce],
        out: &mut [f64],
    ) {
        let world = SpatialMotion::new(Vector3::zeros(), -gravity);
        for (index, link) in model.links.iter().enumerate() {
            let pose = &kinematics.links[index];
            let mut acceleration = pose.inherited(link.parent, &self.accelerations, world);
            for dof in link.dofs() {
                acceleration += kinematics.axes[dof] * accelerations[dof];
            }
            acceleration += pose.velocity_bias;
            self.accelerations[index] = acceleration;
            let momentum = pose.inertia.apply(&pose.velocity);
            let mut wrench = pose.inertia.apply(&acceleration) + pose.velocity.cross_force(&momentum);
            if let Some(outside) = wrenches.get(index) {
                wrench -= *outside;
            }
            self.joint_wrenches[index] = wrench;
        }
        for (index, link) in model.links.iter().enumerate().rev() {
            let wrench = self.joint_wrenches[index];
            for dof in link.dofs() {
                out[dof] = kinematics.axes[dof].dot(&wrench) + model.dofs[dof].armature * accelerations[dof];
            }
            if let Some(parent) = link.parent {
                self.joint_wrenches[parent.index()] += wrench.moved_back(&kinematics.links[index].arm);
            }
        }
    }

    /// What each joint gives to its link, at the link's origin in world axes: of the last call.
    pub fn joint_wrenches(&self) -> &[SpatialForce] {
        &self.joint_wrenches
    }
}
