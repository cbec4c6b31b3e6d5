//! What entities say since the last step: bodies and joints added, changed, removed. Costs what changed.

use crate::physics::Slot;
use crate::{
    CanSleep, Colliders, Damping, GravityScale, Joint, LockedAxes, MassOverride, Physics, Refused, RigidBody,
    Velocity, convert,
};
use bevy_app::App;
use bevy_ecs::entity::{Entity, EntityHashSet};
use bevy_ecs::hierarchy::ChildOf;
use bevy_ecs::prelude::{
    Changed, Component, IntoScheduleConfigs, MessageWriter, Or, Query, RemovedComponents, ResMut,
};
use bevy_ecs::query::QueryData;
use bevy_ecs::schedule::ScheduleLabel;
use bevy_ecs::system::SystemParam;
use bevy_transform::components::{GlobalTransform, Transform};
use bevy_transform::helper::TransformHelper;
use drystone::BodySpec;
use drystone::math::Pose;

/// Runs before every step, and once in frames without one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, ScheduleLabel)]
pub(crate) struct ReadIn;

pub(crate) fn add_systems(app: &mut App) {
    app.add_systems(ReadIn, (bodies, places, velocities, settings, joints).chain());
}

/// All that a body is made of.
#[derive(QueryData)]
struct Parts {
    entity: Entity,
    kind: &'static RigidBody,
    colliders: Option<&'static Colliders>,
    transform: &'static Transform,
    velocity: &'static Velocity,
    damping: Option<&'static Damping>,
    gravity_scale: Option<&'static GravityScale>,
    mass: Option<&'static MassOverride>,
    locks: Option<&'static LockedAxes>,
    can_sleep: Option<&'static CanSleep>,
    parent: Option<&'static ChildOf>,
}

/// What makes a body another one.
type Remade = Or<(
    Changed<RigidBody>,
    Changed<Colliders>,
    Changed<MassOverride>,
    Changed<LockedAxes>,
    Changed<CanSleep>,
)>;

/// Components that were taken off since the last step.
#[derive(SystemParam)]
struct Removed<'w, 's> {
    bodies: RemovedComponents<'w, 's, RigidBody>,
    colliders: RemovedComponents<'w, 's, Colliders>,
    masses: RemovedComponents<'w, 's, MassOverride>,
    locks: RemovedComponents<'w, 's, LockedAxes>,
    can_sleep: RemovedComponents<'w, 's, CanSleep>,
}

impl Removed<'_, '_> {
    fn read(&mut self) -> impl Iterator<Item = Entity> + '_ {
        let parts = self.colliders.read().chain(self.masses.read()).chain(self.locks.read());
        self.bodies.read().chain(parts).chain(self.can_sleep.read())
    }
}

/// Bodies that are gone, new, or other ones now. In the order of entities, so that the same calls give the same world.
fn bodies(
    mut physics: ResMut<Physics>,
    mut removed: Removed,
    changed: Query<Entity, (Remade, bevy_ecs::query::With<RigidBody>)>,
    parts: Query<Parts>,
    places: TransformHelper,
    mut refused: MessageWriter<Refused>,
) {
    let mut touched: Vec<Entity> = removed.read().chain(changed.iter()).collect();
    touched.sort_unstable();
    touched.dedup();
    for entity in touched {
        let last = physics.remove(entity);
        let Ok(parts) = parts.get(entity) else { continue };
        // Where nobody moved it, it stays where the engine has it, which is finer than what is shown.
        let stays = last.filter(|slot| slot.shown == *parts.transform).map(|slot| slot.now);
        let pose = stays.unwrap_or_else(|| world_pose(parts.transform, parts.parent, &places));
        let velocity = *parts.velocity;
        match physics.world.add_body(spec(&parts, pose)) {
            Ok(body) => physics.insert(Slot::new(entity, body, pose, *parts.transform, velocity)),
            Err(error) => _ = refused.write(Refused { entity, error }),
        }
    }
}

/// What a body is to be.
fn spec(parts: &PartsItem<'_, '_>, pose: Pose) -> BodySpec {
    let spec = match parts.kind {
        RigidBody::Dynamic => BodySpec::dynamic(),
        RigidBody::Fixed => BodySpec::fixed(),
        RigidBody::Scripted => BodySpec::scripted(),
    };
    let (damping, scale) =
        (parts.damping.copied().unwrap_or_default(), parts.gravity_scale.copied().unwrap_or_default());
    let mut spec = spec
        .pose(pose)
        .linear_damping(damping.linear)
        .angular_damping(damping.angular)
        .gravity_scale(scale.0)
        .can_sleep(parts.can_sleep.is_none_or(|can_sleep| can_sleep.0))
        .user_data(parts.entity.to_bits());
    if *parts.kind != RigidBody::Fixed {
        spec = spec
            .linear(convert::vector(parts.velocity.linear))
            .angular(convert::vector(parts.velocity.angular));
    }
    if let Some(mass) = parts.mass {
        spec = spec.mass(mass.0);
    }
    if let Some(locks) = parts.locks {
        spec = spec.locks(locks.0);
    }
    parts
        .colliders
        .iter()
        .flat_map(|colliders| &colliders.0)
        .fold(spec, |spec, collider| spec.collider(collider.clone()))
}

/// Where an entity is in the world.
fn world_pose(transform: &Transform, parent: Option<&ChildOf>, places: &TransformHelper) -> Pose {
    let above = parent.and_then(|parent| places.compute_global_transform(parent.parent()).ok());
    convert::pose(
        &above.map_or(*transform, |above| (above * GlobalTransform::from(*transform)).compute_transform()),
    )
}

/// Entities that somebody else put elsewhere.
fn places(
    mut physics: ResMut<Physics>,
    moved: Query<(Entity, &Transform, Option<&ChildOf>), Changed<Transform>>,
    places: TransformHelper,
    mut refused: MessageWriter<Refused>,
) {
    for (entity, transform, parent) in &moved {
        let Some(slot) = physics.body_of(entity).and_then(|body| physics.slot(body)) else { continue };
        let (body, shown) = (slot.body, slot.shown);
        if shown.translation == transform.translation && shown.rotation == transform.rotation {
            continue;
        }
        let pose = world_pose(transform, parent, &places);
        if let Err(error) = physics.teleport(body, pose, *transform) {
            refused.write(Refused { entity, error });
        }
    }
}

/// Velocities that somebody else set.
fn velocities(
    mut physics: ResMut<Physics>,
    changed: Query<(Entity, &Velocity), Changed<Velocity>>,
    mut refused: MessageWriter<Refused>,
) {
    for (entity, velocity) in &changed {
        let Some(slot) = physics.body_of(entity).and_then(|body| physics.slot(body)) else { continue };
        let body = slot.body;
        if slot.velocity == *velocity {
            continue;
        }
        let (linear, angular) = (convert::vector(velocity.linear), convert::vector(velocity.angular));
        match physics.world.set_velocity(body, linear, angular) {
            Ok(()) => physics.slot_mut(body).into_iter().for_each(|slot| slot.velocity = *velocity),
            Err(error) => _ = refused.write(Refused { entity, error }),
        }
    }
}

/// Damping and factors on gravity.
fn settings(
    mut physics: ResMut<Physics>,
    damping: Query<(Entity, &Damping), Changed<Damping>>,
    mut damping_gone: RemovedComponents<Damping>,
    scales: Query<(Entity, &GravityScale), Changed<GravityScale>>,
    mut scales_gone: RemovedComponents<GravityScale>,
    mut refused: MessageWriter<Refused>,
) {
    let damping = with_default(&damping, &mut damping_gone);
    let scales = with_default(&scales, &mut scales_gone);
    let damped = damping.into_iter().map(|(entity, damping)| (entity, Setting::Damping(damping)));
    for (entity, setting) in
        damped.chain(scales.into_iter().map(|(entity, scale)| (entity, Setting::Scale(scale))))
    {
        let Some(body) = physics.body_of(entity) else { continue };
        let done = match setting {
            Setting::Damping(Damping { linear, angular }) => physics.world.set_damping(body, linear, angular),
            Setting::Scale(GravityScale(scale)) => physics.world.set_gravity_scale(body, scale),
        };
        if let Err(error) = done.and_then(|()| physics.world.wake(body)) {
            refused.write(Refused { entity, error });
        }
    }
}

enum Setting {
    Damping(Damping),
    Scale(GravityScale),
}

/// What changed, and the default where the component was taken off.
fn with_default<C: Component + Copy + Default>(
    changed: &Query<(Entity, &C), Changed<C>>,
    gone: &mut RemovedComponents<C>,
) -> Vec<(Entity, C)> {
    let mut all: Vec<(Entity, C)> = gone.read().map(|entity| (entity, C::default())).collect();
    all.extend(changed.iter().map(|(entity, value)| (entity, *value)));
    all
}

/// Joints that are gone, new, or whose bodies are.
fn joints(
    mut physics: ResMut<Physics>,
    mut removed: RemovedComponents<Joint>,
    changed: Query<Entity, Changed<Joint>>,
    all: Query<&Joint>,
    mut refused: MessageWriter<Refused>,
) {
    let gone: EntityHashSet = removed.read().chain(changed.iter()).collect();
    for entity in &gone {
        if let Some(handle) = physics.joints.remove(entity) {
            physics.entity_of_joint.remove(&handle);
            // It may have gone with a body.
            let _ = physics.world.remove_joint(handle);
        }
    }
    let mut due: Vec<Entity> = std::mem::take(&mut physics.waiting);
    due.extend(changed.iter());
    due.sort_unstable();
    due.dedup();
    for entity in due {
        let Ok(joint) = all.get(entity) else { continue };
        let [Some(a), Some(b)] = joint.ends.map(|end| physics.body_of(end)) else {
            physics.waiting.push(entity);
            continue;
        };
        match physics.world.add_joint(&(joint.make)(a, b)) {
            Ok(handle) => {
                physics.joints.insert(entity, handle);
                physics.entity_of_joint.insert(handle, entity);
            }
            Err(error) => _ = refused.write(Refused { entity, error }),
        }
    }
}
