//! Springs that are said by how they swing: a time constant and a damping ratio (mujoco.readthedocs.io/XMLreference, joint, springdamper).
//!
//! ```text
//! damping = 2 M / t      stiffness = M / (t r)²
//! ```
//! with the inertia `M` of all that hangs on the joint, seen from it where the model stands (kg m², or kg along a slide), time constant `t` (s) and ratio `r`.

use super::assembly::Assembly;
use super::dof::{Dof, Motion};
use crate::model::MotorSpec;
use drystone::math::inertia::MassProperties;
use drystone::math::{Pose, Real, narrow};

impl Assembly {
    /// Gives springs of a time constant their stiffness and damping, before masses are shared out.
    pub(super) fn tune_springs(&mut self) {
        for chain in 0..self.chains.len() {
            if self.chains[chain].dofs.iter().all(|dof| dof.spring_damper.is_none()) {
                continue;
            }
            let Some(hanging) = self.hanging(self.chains[chain].ends[1]) else { continue };
            for dof in &mut self.chains[chain].dofs {
                let Some([time, ratio]) = dof.spring_damper else { continue };
                let inertia = seen_from(dof, &hanging) + dof.armature;
                let target = match dof.motor {
                    Some(MotorSpec::Spring { target, .. }) => target,
                    _ => 0.0,
                };
                let stiffness = inertia / (time * ratio).powi(2);
                let damping = 2.0 * inertia / time;
                dof.motor = Some(MotorSpec::Spring { target, stiffness, damping, most: None });
            }
        }
    }

    /// A cluster with all that hangs on it, in the frame of the world at the origin.
    fn hanging(&self, cluster: usize) -> Option<MassProperties> {
        let mut open = vec![cluster];
        let mut masses = Vec::new();
        // A chain leads to what hangs on nothing else, so none is met twice.
        while let Some(next) = open.pop() {
            let own = &self.clusters[next];
            let place = Pose::IDENTITY.relative(&own.pose);
            masses.extend(own.mass.map(|mass| mass.transformed(&place.translation, &place.rotation)));
            open.extend(self.below(next));
        }
        MassProperties::combined(&masses)
    }
}

/// Inertia of what hangs on a degree of freedom about its axis, kg m²; along a slide its mass, kg.
fn seen_from(dof: &Dof, hanging: &MassProperties) -> Real {
    if dof.motion == Motion::Slide {
        return hanging.mass;
    }
    let arm = hanging.center - narrow(&dof.at.coords);
    let own = dof.axis.dot(&(hanging.tensor().to_matrix() * dof.axis));
    own + hanging.mass * arm.cross(&dof.axis).norm_squared()
}
