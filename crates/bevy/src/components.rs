//! What entities are to the engine.

use bevy_ecs::component::Component;
use bevy_math::Vec3;
use bevy_transform::components::Transform;
use drystone::math::inertia::MassProperties;
use drystone::{AxisLocks, ColliderSpec, Shape};

/// The entity is a body, where its `Transform` says. A body that is added with its [`Colliders`] is there in the same frame.
///
/// When `RigidBody`, `Colliders`, [`MassOverride`], [`LockedAxes`] or [`CanSleep`] change, the body is made anew where it is, as fast as it is, awake, and its
/// [`Joint`](crate::Joint)s hold it where they did; what is refused leaves the body that is there. When it is removed, or the entity despawned, the
/// body is gone with the next frame, and what rested on it wakes.
///
/// `Transform::scale` is for looks: it does not scale colliders. A body whose entity has a parent moves in the world, not with its
/// parent; its `Transform` is kept so that it is shown where it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Component)]
#[require(Transform, Velocity)]
pub enum RigidBody {
    /// Forces and impulses move it. Needs colliders with a volume.
    #[default]
    Dynamic,
    /// It does not move, but for what `Transform` is set to.
    Fixed,
    /// It moves with its [`Velocity`]; nothing pushes it.
    Kinematic,
}

/// The shapes of a body, with where they are on it, what they are made of, and what they meet.
#[derive(Clone, Debug, Default, PartialEq, Component)]
pub struct Colliders(pub Vec<ColliderSpec>);

impl From<Shape> for Colliders {
    fn from(shape: Shape) -> Self {
        ColliderSpec::new(shape).into()
    }
}

impl From<ColliderSpec> for Colliders {
    fn from(spec: ColliderSpec) -> Self {
        Self(vec![spec])
    }
}

/// Velocity of the centre of mass, m/s, and angular velocity, rad/s, world. Written after every step for bodies that move; setting it
/// sets the body's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Component)]
pub struct Velocity {
    /// m/s.
    pub linear: Vec3,
    /// rad/s.
    pub angular: Vec3,
}

/// A force (N) and a torque (N·m), world, about the centre of mass, in every step for as long as it is there. It keeps the body awake.
#[derive(Clone, Copy, Debug, Default, PartialEq, Component)]
pub struct ConstantForce {
    /// N.
    pub force: Vec3,
    /// N·m.
    pub torque: Vec3,
}

/// How fast motion fades by itself, 1/s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Component)]
pub struct Damping {
    /// 1/s.
    pub linear: f32,
    /// 1/s.
    pub angular: f32,
}

/// Factor on gravity.
#[derive(Clone, Copy, Debug, PartialEq, Component)]
pub struct GravityScale(pub f32);

impl Default for GravityScale {
    fn default() -> Self {
        Self(1.0)
    }
}

/// Mass properties in place of those of the colliders.
#[derive(Clone, Copy, Debug, PartialEq, Component)]
pub struct MassOverride(pub MassProperties);

/// World axes along and about which the body cannot move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Component)]
pub struct LockedAxes(pub AxisLocks);

/// Whether the body may be put to sleep. It may without this.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Component)]
pub struct CanSleep(pub bool);

/// The body is asleep. Put on and taken off by the plugin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Component)]
pub struct Asleep;
