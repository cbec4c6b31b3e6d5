//! What a step is given.

use crate::{Bodies, BodyIndex};
use drystone_math::{Real, Vector3};

/// How far a contact normal must lean towards the global forces for the contact to carry, as a cosine, unless a rule has a value of its own (S1-41, S1-43).
pub const SUPPORT_COSINE: Real = 0.01;

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
    /// Whether what comes to rest may fall asleep: methods may then take pains to bring it there, which pays later.
    pub may_sleep: bool,
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

    /// [`StepParams::global_acceleration`] of a body, m/s².
    #[inline]
    pub fn global_acceleration_of(&self, bodies: &Bodies, body: BodyIndex) -> Vector3 {
        self.global_acceleration(bodies.hot(body).inverse_mass, bodies.gravity_scale(body))
    }

    /// The same along the axes of a body that are not locked, m/s²: what its contacts have to carry. Locks carry the rest.
    #[inline]
    pub fn pull_on(&self, bodies: &Bodies, body: BodyIndex) -> Vector3 {
        self.global_acceleration_of(bodies, body).component_mul(&bodies.hot(body).free_axes()[0])
    }
}
