//! What a step is given.

use drystone_math::{Real, Vector3};

/// Parameters of one step, the same for all stages.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepParams {
    /// Step size, s; finite and positive.
    pub dt: Real,
    /// Sum of the accelerations that act on every body (gravity), m/s².
    pub acceleration: Vector3,
    /// Sum of the forces that act on every body alike (a uniform wind), N.
    pub force: Vector3,
    /// Acceleration that the scale-free thresholds refer to, m/s²; positive. The size of gravity, also
    /// while gravity is switched off.
    pub reference_acceleration: Real,
    /// Number of the step, from 0.
    pub index: u64,
}

impl StepParams {
    /// The speed that the reference acceleration gives in one step, `g dt`, m/s: the unit of all speed
    /// thresholds (S1-94).
    #[inline]
    pub fn speed_unit(&self) -> Real {
        self.reference_acceleration * self.dt
    }

    /// `g dt²`, m: the unit of all length thresholds (S1-94).
    #[inline]
    pub fn length_unit(&self) -> Real {
        self.speed_unit() * self.dt
    }

    /// The acceleration of a body by all global forces, m/s². The sleep rules speak of this sum, not of
    /// gravity alone (S1-43).
    #[inline]
    pub fn global_acceleration(&self, inverse_mass: Real, gravity_scale: Real) -> Vector3 {
        self.acceleration * gravity_scale + self.force * inverse_mass
    }
}
