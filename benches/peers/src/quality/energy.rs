//! Mechanical energy of a state.

use crate::run::Sample;
use crate::task::TaskBody;
use drystone_math::widen;

/// Of all dynamic bodies that are there and finite, J.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Energy {
    /// Of motion.
    pub(super) kinetic: f64,
    /// Of height, against the gravity of the time; its zero is the origin.
    pub(super) potential: f64,
}

impl Energy {
    /// Both.
    pub(super) fn total(&self) -> f64 {
        self.kinetic + self.potential
    }
}

/// (m v² + ω·Iω) / 2 and −m g·x, in `f64`.
pub(super) fn of(bodies: &[TaskBody], sample: &Sample) -> Energy {
    let mut energy = Energy::default();
    let gravity = widen(&sample.gravity);
    for (body, motion) in bodies.iter().zip(&sample.motions) {
        let (Some(mass), Some(motion)) = (&body.mass, motion) else { continue };
        if !motion.pose.is_finite() {
            continue;
        }
        let spin = widen(&((motion.pose.rotation * mass.frame).inverse() * motion.angular));
        let turning = widen(&mass.principal).dot(&spin.component_mul(&spin));
        let kinetic = 0.5 * (f64::from(mass.mass) * widen(&motion.linear).norm_squared() + turning);
        let center = motion.pose.transform_point(&mass.center);
        let potential = -f64::from(mass.mass) * gravity.dot(&center.coords);
        if kinetic.is_finite() && potential.is_finite() {
            energy.kinetic += kinetic;
            energy.potential += potential;
        }
    }
    energy
}
