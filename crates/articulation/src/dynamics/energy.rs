//! Energies and momenta of a model.

use crate::kinematics::Kinematics;
use crate::model::{JointKind, Model, Motor, ball_error};
use crate::spatial::rotation_vector;
use crate::state::{State, quaternion};
use nalgebra::{UnitQuaternion, Vector3};

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

/// What the springs of motors hold, J: `½ k e²` by the error `e` from the target, and beyond the largest force `F` of a motor `F |e| - F²/(2k)`. Of what a motor gives besides
/// its spring nothing can be had back.
pub fn spring_energy(model: &Model, state: &State) -> f64 {
    let mut sum = 0.0;
    for link in &model.links {
        let (dofs, first) = (link.dofs(), link.first_position as usize);
        let motor = |k: usize| model.dofs[dofs.start + k].motor.filter(|motor| motor.stiffness > 0.0);
        let place = |k: usize| state.positions[first + k];
        if !matches!(link.kind, JointKind::Spherical | JointKind::Free) {
            let own = (0..dofs.len()).filter_map(|k| Some((motor(k)?, place(k))));
            sum += own.map(|(motor, at)| in_spring(&motor, at - motor.target_position)).sum::<f64>();
            continue;
        }
        // The stiffness about the three axes is one.
        if motor(0).is_some() {
            let target = |k: usize| motor(k).map_or(0.0, |motor| motor.target_position);
            let target = UnitQuaternion::from_scaled_axis(Vector3::new(target(0), target(1), target(2)));
            let now = UnitQuaternion::new_normalize(quaternion(link, &state.positions));
            let error = rotation_vector(&(target.inverse() * now));
            let each = (0..3).filter_map(|k| Some(in_spring(&motor(k)?, error[k])));
            sum += each.sum::<f64>();
        }
        let ways = (3..dofs.len()).filter_map(|k| Some((motor(k)?, place(k + 1))));
        sum += ways.map(|(motor, at)| in_spring(&motor, at - motor.target_position)).sum::<f64>();
    }
    for ball in model.balls.iter().filter(|ball| ball.spec.is_driven()) {
        let place = ball.place(model, &state.positions, &state.velocities);
        for (k, axis) in ball.spec.axes.iter().enumerate() {
            let Some(motor) = axis.motor.filter(|motor| motor.stiffness > 0.0) else { continue };
            sum += in_spring(&motor, ball_error(k, place.values[k], motor.target_position));
        }
    }
    sum
}

/// Energy of the spring of a motor that is off by this much (rad or m), J.
fn in_spring(motor: &Motor, off: f64) -> f64 {
    let (stiffness, most) = (motor.stiffness, motor.max_force);
    if stiffness * off.abs() <= most {
        0.5 * stiffness * off * off
    } else {
        most * (off.abs() - 0.5 * most / stiffness)
    }
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
