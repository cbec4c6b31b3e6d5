//! Energies and momenta of a model.

use crate::kinematics::Kinematics;
use crate::model::Model;
use nalgebra::Vector3;

/// Momentum of all links. Rotors (armatures) have none: their shares along a joint cancel within the model.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Momentum {
    /// Linear momentum, N s.
    pub linear: Vector3<f64>,
    /// Angular momentum about the origin of the world, N m s.
    pub angular: Vector3<f64>,
}

/// Kinetic energy of links and rotors, J: `½ Σ v̂·I v̂ + ½ Σ armature q̇²`.
pub fn kinetic_energy(model: &Model, kinematics: &Kinematics, velocities: &[f64]) -> f64 {
    let links: f64 =
        kinematics.links.iter().map(|pose| pose.velocity.dot(&pose.inertia.apply(&pose.velocity))).sum();
    let rotors: f64 = model.dofs.iter().zip(velocities).map(|(dof, v)| dof.armature * v * v).sum();
    0.5 * (links + rotors)
}

/// Potential energy in the field of gravity, J; zero where all centres of mass are at the origin.
pub fn potential_energy(model: &Model, kinematics: &Kinematics) -> f64 {
    let weight = |pose: &crate::kinematics::LinkPose| {
        -pose.inertia.mass * model.gravity.dot(&(pose.origin + pose.inertia.center))
    };
    kinematics.links.iter().map(weight).sum()
}

/// Momentum of all links.
pub fn momentum(kinematics: &Kinematics) -> Momentum {
    let mut total = Momentum::default();
    for pose in &kinematics.links {
        let own = pose.inertia.apply(&pose.velocity);
        total.linear += own.force;
        total.angular += own.moment + pose.origin.cross(&own.force);
    }
    total
}
