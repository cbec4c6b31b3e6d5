//! How bodies and colliders are described when they are added.

use crate::{PlanarMass, PlanarPose, PlanarShape, Turn, Vector2};
use drystone_contact::{BodyKind, MaterialId};
use drystone_math::Real;

/// A shape on a body of the plane.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanarColliderSpec {
    pub(crate) shape: PlanarShape,
    pub(crate) translation: Vector2,
    pub(crate) turn: Turn,
    pub(crate) material: MaterialId,
    pub(crate) member_of: u32,
    pub(crate) meets: u32,
    pub(crate) surface_speed: Real,
}

impl PlanarColliderSpec {
    /// A collider of granite at the body's origin that meets everything.
    pub fn new(shape: PlanarShape) -> Self {
        Self {
            shape,
            translation: Vector2::zeros(),
            turn: Turn::IDENTITY,
            material: MaterialId::default(),
            member_of: 1,
            meets: u32::MAX,
            surface_speed: 0.0,
        }
    }

    /// What it is made of; gives density, restitution and friction.
    pub fn material(self, material: MaterialId) -> Self {
        Self { material, ..self }
    }

    /// Where it sits on the body: `translation` in m, turned by `angle` rad.
    pub fn local(self, translation: Vector2, angle: f64) -> Self {
        Self { translation, turn: Turn::new(angle), ..self }
    }

    /// Speed with which its surface runs around it, m/s, against the clock: a belt, of which the upper side runs to the left
    /// when it is positive. Friction takes along what touches it.
    pub fn surface_speed(self, surface_speed: Real) -> Self {
        Self { surface_speed, ..self }
    }

    /// Groups (bits) it belongs to, and groups it meets. Two colliders meet when each is in a group that the other meets.
    pub fn filter(self, member_of: u32, meets: u32) -> Self {
        Self { member_of, meets, ..self }
    }
}

/// What a dynamic body of the plane cannot do. Single axes of translation cannot be locked: a body has one inverse mass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlanarLocks {
    /// The centre of mass stays where it is: the body turns about a pivot.
    pub translation: bool,
    /// The orientation stays what it is.
    pub rotation: bool,
}

/// A body of the plane to be added. Several colliders make a compound.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanarBodySpec {
    pub(crate) kind: BodyKind,
    pub(crate) pose: PlanarPose,
    pub(crate) linear: Vector2,
    pub(crate) angular: Real,
    pub(crate) colliders: Vec<PlanarColliderSpec>,
    pub(crate) mass: Option<PlanarMass>,
    pub(crate) linear_damping: Real,
    pub(crate) angular_damping: Real,
    pub(crate) gravity_scale: Real,
    pub(crate) can_sleep: bool,
    pub(crate) is_asleep: bool,
    pub(crate) locks: PlanarLocks,
    pub(crate) user_data: u64,
}

impl PlanarBodySpec {
    fn new(kind: BodyKind) -> Self {
        Self {
            kind,
            pose: PlanarPose::default(),
            linear: Vector2::zeros(),
            angular: 0.0,
            colliders: Vec::new(),
            mass: None,
            linear_damping: 0.0,
            angular_damping: 0.0,
            gravity_scale: 1.0,
            can_sleep: true,
            is_asleep: false,
            locks: PlanarLocks::default(),
            user_data: 0,
        }
    }

    /// A body that forces and impulses move.
    pub fn dynamic() -> Self {
        Self::new(BodyKind::Dynamic)
    }

    /// A body that never moves.
    pub fn fixed() -> Self {
        Self::new(BodyKind::Fixed)
    }

    /// A body that moves with the velocity its user sets; nothing pushes it.
    pub fn kinematic() -> Self {
        Self::new(BodyKind::Kinematic)
    }

    /// Pose of the body's own origin.
    pub fn pose(self, pose: PlanarPose) -> Self {
        Self { pose, ..self }
    }

    /// Velocity of the centre of mass, m/s, and angular velocity, rad/s.
    pub fn velocity(self, linear: Vector2, angular: Real) -> Self {
        Self { linear, angular, ..self }
    }

    /// Adds a collider.
    pub fn collider(mut self, collider: PlanarColliderSpec) -> Self {
        self.colliders.push(collider);
        self
    }

    /// Mass properties in place of those of the colliders.
    pub fn mass(self, mass: PlanarMass) -> Self {
        Self { mass: Some(mass), ..self }
    }

    /// Linear and angular damping, 1/s.
    pub fn damping(self, linear: Real, angular: Real) -> Self {
        Self { linear_damping: linear, angular_damping: angular, ..self }
    }

    /// Factor on gravity.
    pub fn gravity_scale(self, gravity_scale: Real) -> Self {
        Self { gravity_scale, ..self }
    }

    /// Whether the body may be put to sleep.
    pub fn can_sleep(self, can_sleep: bool) -> Self {
        Self { can_sleep, ..self }
    }

    /// Whether it starts asleep; only for dynamic bodies without velocity that may sleep. What touches nothing wakes in the first
    /// step.
    pub fn asleep(self, is_asleep: bool) -> Self {
        Self { is_asleep, ..self }
    }

    /// What a dynamic body cannot do.
    pub fn locks(self, locks: PlanarLocks) -> Self {
        Self { locks, ..self }
    }

    /// Anything the user wants to find again.
    pub fn user_data(self, user_data: u64) -> Self {
        Self { user_data, ..self }
    }
}
