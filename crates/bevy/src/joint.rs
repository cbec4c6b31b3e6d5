//! Joints between entities.

use bevy_ecs::component::Component;
use bevy_ecs::entity::Entity;
use drystone::{BodyHandle, JointSpec};
use std::fmt;
use std::sync::Arc;

/// What makes a joint of two bodies.
type Make = Arc<dyn Fn(BodyHandle, BodyHandle) -> JointSpec + Send + Sync>;

/// The entity is a joint between two bodies. It is made as soon as both are there; when it breaks, the component is taken off and
/// [`JointBroke`](crate::JointBroke) says so. Both bodies pass through each other unless [`JointSpec::collides`] is said.
///
/// When one of its bodies is made anew, so is the joint, in the same places on both of them and with the same length: an angle counts from where it did. What
/// was set with [`World::set_motor`](drystone::World::set_motor) and its neighbours is then again as `make` says. When the component changes, or a body was gone in between,
/// it is placed where the bodies are.
///
/// ```
/// use bevy_app::App;
/// use bevy_transform::components::Transform;
/// use drystone::math::{Position, Vector3};
/// use drystone::{JointSpec, Shape, WorldConfig};
/// use drystone_bevy::{Colliders, DrystonePlugin, Joint, RigidBody, StepClock};
/// let mut app = App::new();
/// app.add_plugins(DrystonePlugin::new(WorldConfig::default())?.clock(StepClock::fixed(60.0, 1.0 / 60.0)));
/// let world = app.world_mut();
/// let post = world.spawn(RigidBody::Fixed).id();
/// let bob = world.spawn((RigidBody::Dynamic, Colliders::from(Shape::sphere(0.1)?), Transform::from_xyz(1.0, 0.0, 0.0))).id();
/// world.spawn(Joint::new(post, bob, |post, bob| JointSpec::ball(post, bob).at(Position::origin())));
/// for _ in 0..60 {
///     app.update();
///     let from_post = app.world().get::<Transform>(bob).expect("it is there").translation.length();
///     assert!((from_post - 1.0).abs() < 1e-3, "it swings on a metre");
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Component)]
pub struct Joint {
    pub(crate) ends: [Entity; 2],
    pub(crate) make: Make,
}

impl Joint {
    /// A joint between the bodies of two entities; `make` says which, with places in the world as they are when it is first made.
    pub fn new(
        a: Entity,
        b: Entity,
        make: impl Fn(BodyHandle, BodyHandle) -> JointSpec + Send + Sync + 'static,
    ) -> Self {
        Self { ends: [a, b], make: Arc::new(make) }
    }

    /// The entities it holds together.
    pub fn ends(&self) -> [Entity; 2] {
        self.ends
    }
}

impl fmt::Debug for Joint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Joint").field("ends", &self.ends).finish_non_exhaustive()
    }
}
