//! What entities say since the last step: bodies and joints added, changed, removed. Costs what changed.

use crate::physics::Slot;
use crate::{
    Asleep, CanSleep, Colliders, Damping, GravityScale, LockedAxes, MassOverride, Physics, Refused,
    RigidBody, Velocity, convert, coupling, joints,
};
use bevy_app::App;
use bevy_ecs::entity::{Entity, EntityHashSet};
use bevy_ecs::hierarchy::ChildOf;
use bevy_ecs::prelude::{
    Changed, Commands, Component, Has, IntoScheduleConfigs, MessageWriter, Or, Query, RemovedComponents,
    ResMut, With,
};
use bevy_ecs::query::QueryData;
use bevy_ecs::schedule::ScheduleLabel;
use bevy_ecs::system::SystemParam;
use bevy_transform::components::{GlobalTransform, Transform};
use bevy_transform::helper::TransformHelper;
use drystone::math::Pose;
use drystone::{BodyKind, BodySpec, WorldError};

/// Runs before every step, and once in frames without one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, ScheduleLabel)]
pub(crate) struct ReadIn;

pub(crate) fn add_systems(app: &mut App) {
    app.add_systems(ReadIn, (bodies, places, velocities, settings, joints::read, coupling::read).chain());
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
    is_asleep: Has<Asleep>,
}

/// What makes a body another one.
type Remade = Or<(
    Changed<RigidBody>,
    Changed<Colliders>,
    Changed<MassOverride>,
    Changed<LockedAxes>,
    Changed<CanSleep>,
)>;

/// Entities whose bodies are to be others since the last step: by what changed, and by what was taken off.
#[derive(SystemParam)]
struct Touched<'w, 's> {
    changed: Query<'w, 's, Entity, (Remade, With<RigidBody>)>,
    bodies: RemovedComponents<'w, 's, RigidBody>,
    colliders: RemovedComponents<'w, 's, Colliders>,
    masses: RemovedComponents<'w, 's, MassOverride>,
    locks: RemovedComponents<'w, 's, LockedAxes>,
    can_sleep: RemovedComponents<'w, 's, CanSleep>,
}

impl Touched<'_, '_> {
    fn read(&mut self) -> impl Iterator<Item = Entity> + '_ {
        let parts = self.colliders.read().chain(self.masses.read()).chain(self.locks.read());
        self.bodies.read().chain(parts).chain(self.can_sleep.read()).chain(self.changed.iter())
    }
}

/// What a body is told as it stands, or is placed by.
type Adjusted = Or<(Changed<Damping>, Changed<GravityScale>, Changed<ChildOf>)>;

/// What else may have been the reason why a body was refused.
#[derive(SystemParam)]
struct Corrected<'w, 's> {
    settings: Query<'w, 's, (), Adjusted>,
    damping: RemovedComponents<'w, 's, Damping>,
    scales: RemovedComponents<'w, 's, GravityScale>,
    parents: RemovedComponents<'w, 's, ChildOf>,
    places: Query<'w, 's, (), Changed<Transform>>,
    velocities: Query<'w, 's, (), Changed<Velocity>>,
    above: Query<'w, 's, &'static ChildOf>,
}

impl Corrected<'_, '_> {
    /// Entities whose bodies were refused and may not be now. Where a body stands, `Transform` and `Velocity` say nothing: they are written as it moves, and
    /// it is made anew where the engine has it.
    fn read(&mut self, physics: &Physics) -> Vec<Entity> {
        let taken_off = self.damping.read().chain(self.scales.read()).chain(self.parents.read());
        let taken_off: EntityHashSet = taken_off.collect();
        let is_placed = |entity: Entity| {
            let mut places = std::iter::once(entity).chain(self.above.iter_ancestors(entity));
            self.velocities.contains(entity) || places.any(|entity| self.places.contains(entity))
        };
        let is_due = |entity: Entity| {
            taken_off.contains(&entity)
                || self.settings.contains(entity)
                || physics.standing(entity).is_none() && is_placed(entity)
        };
        physics.refused.iter().copied().filter(|&entity| is_due(entity)).collect()
    }
}

/// Bodies that are gone, new, or other ones now. In the order of entities, so that the same calls give the same world.
fn bodies(
    mut physics: ResMut<Physics>,
    mut touched: Touched,
    mut corrected: Corrected,
    parts: Query<Parts>,
    places: TransformHelper,
    mut commands: Commands,
    mut refused: MessageWriter<Refused>,
) {
    let physics = &mut *physics;
    let mut due: Vec<Entity> = touched.read().chain(std::mem::take(&mut physics.anew)).collect();
    due.extend(corrected.read(physics));
    due.sort_unstable();
    due.dedup();
    for entity in due {
        physics.refused.remove(&entity);
        let Ok(parts) = parts.get(entity) else {
            physics.remove(entity);
            commands.entity(entity).try_remove::<Asleep>();
            continue;
        };
        let is_standing = physics.standing(entity).is_some();
        if let Err(error) = make(physics, &parts, &places) {
            refused.write(Refused { entity, error });
            physics.refused.insert(entity);
            if parts.is_asleep && !is_standing {
                commands.entity(entity).try_remove::<Asleep>();
            }
        }
    }
}

/// Makes a body: where its entity is, or in place of the one that stands, which goes only when the new one is there.
fn make(
    physics: &mut Physics,
    parts: &PartsItem<'_, '_>,
    places: &TransformHelper,
) -> Result<(), WorldError> {
    let entity = parts.entity;
    let slot = if let Some((slot, state)) = physics.standing(entity) {
        // The engine's pose and velocity are finer than what is shown; `places` and `velocities` see what somebody set.
        let is_moving = state.kind != BodyKind::Fixed && *parts.kind != RigidBody::Fixed;
        let velocity = if is_moving { convert::velocity(&state) } else { *parts.velocity };
        let body = physics.world.add_body(spec(parts, state.pose, velocity))?;
        let told = if is_moving { slot.velocity } else { velocity };
        Slot { body, now: state.pose, velocity: told, is_asleep: parts.is_asleep, ..slot }
    } else {
        let pose = world_pose(parts.transform, parts.parent, places);
        let body = physics.world.add_body(spec(parts, pose, *parts.velocity))?;
        Slot {
            is_asleep: parts.is_asleep,
            ..Slot::new(entity, body, pose, *parts.transform, *parts.velocity)
        }
    };
    physics.remove(entity);
    physics.insert(slot);
    Ok(())
}

/// What a body is to be.
fn spec(parts: &PartsItem<'_, '_>, pose: Pose, velocity: Velocity) -> BodySpec {
    let spec = match parts.kind {
        RigidBody::Dynamic => BodySpec::dynamic(),
        RigidBody::Fixed => BodySpec::fixed(),
        RigidBody::Kinematic => BodySpec::kinematic(),
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
            .linear_velocity(convert::vector(velocity.linear))
            .angular_velocity(convert::vector(velocity.angular));
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
