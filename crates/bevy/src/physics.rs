//! The world beside the entities: which body is whose, where bodies were and are, and what moves.

use crate::coupling::Couplings;
use crate::joints::Joints;
use crate::rollback::Made;
use crate::{Velocity, convert};
use bevy_ecs::entity::{Entity, EntityHashMap, EntityHashSet};
use bevy_ecs::resource::Resource;
use bevy_math::Vec3;
use bevy_transform::components::Transform;
use drystone::math::{Displacement, Pose, Position};
use drystone::{BodyHandle, BodyRef, JointHandle, QueryFilter, QueryHit, Ray, RayHit, World, WorldError};

/// The world of the engine, and which entity is which body.
///
/// ```
/// use bevy_app::App;
/// use bevy_math::Vec3;
/// use bevy_transform::components::Transform;
/// use drystone::{Shape, WorldConfig};
/// use drystone_bevy::{Colliders, DrystonePlugin, Physics, RigidBody};
/// let mut app = App::new();
/// app.add_plugins(DrystonePlugin::new(WorldConfig::default())?);
/// let cube = (RigidBody::Fixed, Colliders::from(Shape::cuboid([0.5; 3].into())?), Transform::from_xyz(0.0, 0.0, 4.0));
/// let cube = app.world_mut().spawn(cube).id();
/// app.update();
/// let physics = app.world().resource::<Physics>();
/// let hit = physics.cast_ray(Vec3::ZERO, Vec3::Z, f64::INFINITY)?.expect("it points at the cube");
/// assert!(hit.entity == Some(cube) && hit.found.hit.distance == 3.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Resource)]
pub struct Physics {
    pub(crate) world: World,
    /// By index of the body.
    pub(crate) slots: Vec<Option<Slot>>,
    pub(crate) of_entity: EntityHashMap<BodyHandle>,
    /// Bodies whose entities must be shown elsewhere in the next frame.
    pub(crate) moving: Vec<BodyHandle>,
    pub(crate) joints: Joints,
    pub(crate) couplings: Couplings,
    /// Bodies that entities ever had.
    pub(crate) made: Made<Entity>,
    /// Entities whose bodies a restored snapshot does not have: to be read as if they were new.
    pub(crate) anew: Vec<Entity>,
    /// Entities that ask for a body that was refused.
    pub(crate) refused: EntityHashSet,
    /// How often bodies were followed.
    pass: u64,
}

/// What a ray hit, and whose it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EntityHit {
    /// The entity; `None` for a body without one.
    pub entity: Option<Entity>,
    /// Which collider, where.
    pub found: QueryHit<RayHit>,
}

/// A body with an entity.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    pub entity: Entity,
    pub body: BodyHandle,
    /// Where it was before the last step, and is after it.
    pub before: Pose,
    pub now: Pose,
    /// What its entity was told last; what differs from that was set by somebody else.
    pub shown: Transform,
    pub velocity: Velocity,
    pub is_asleep: bool,
    /// When it was last looked at.
    pub followed_in: u64,
}

impl Slot {
    /// A body that is where its entity says.
    pub(crate) fn new(
        entity: Entity,
        body: BodyHandle,
        pose: Pose,
        shown: Transform,
        velocity: Velocity,
    ) -> Self {
        Self { entity, body, before: pose, now: pose, shown, velocity, is_asleep: false, followed_in: 0 }
    }
}

impl Physics {
    pub(crate) fn new(world: World) -> Self {
        Self {
            world,
            slots: Vec::new(),
            of_entity: EntityHashMap::default(),
            moving: Vec::new(),
            joints: Joints::default(),
            couplings: Couplings::default(),
            made: Made::default(),
            anew: Vec::new(),
            refused: EntityHashSet::default(),
            pass: 0,
        }
    }

    /// The world, to read and query.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The world, to change: forces, impulses, materials, rules, timers, bodies without entities. The poses and velocities of bodies that have
    /// entities are set with their components.
    pub fn world_mut(&mut self) -> &mut World {
        &mut self.world
    }

    /// The body of an entity; `None` before its first frame, and when it was refused.
    pub fn body_of(&self, entity: Entity) -> Option<BodyHandle> {
        self.of_entity.get(&entity).copied()
    }

    /// The entity of a body.
    pub fn entity_of(&self, body: BodyHandle) -> Option<Entity> {
        self.slot(body).map(|slot| slot.entity)
    }

    /// The joint of an entity; `None` while it waits for its bodies.
    pub fn joint_of(&self, entity: Entity) -> Option<JointHandle> {
        self.joints.handle(entity)
    }

    /// The coupling of an entity; `None` while it waits for its joints.
    pub fn coupling_of(&self, entity: Entity) -> Option<JointHandle> {
        self.couplings.handle(entity)
    }

    /// What a ray hits first, not farther than `max_distance` (m, may be infinite), and whose it is. For conditions, and what else can be asked, see
    /// [`World::cast_ray`] and its neighbours, with [`Physics::entity_of`] for what they find.
    ///
    /// # Errors
    /// A direction without length, and what is no number.
    pub fn cast_ray(
        &self,
        origin: Vec3,
        direction: Vec3,
        max_distance: f64,
    ) -> Result<Option<EntityHit>, WorldError> {
        let (o, d) = (origin.as_dvec3(), direction.as_dvec3());
        let ray = Ray::new(Position::new(o.x, o.y, o.z), Displacement::new(d.x, d.y, d.z))?;
        let found = self.world.cast_ray(&ray, max_distance, &QueryFilter::default())?;
        Ok(found.map(|found| EntityHit { entity: self.entity_of(found.body), found }))
    }

    pub(crate) fn slot(&self, body: BodyHandle) -> Option<&Slot> {
        self.slots.get(body.index as usize)?.as_ref().filter(|slot| slot.body == body)
    }

    pub(crate) fn slot_mut(&mut self, body: BodyHandle) -> Option<&mut Slot> {
        self.slots.get_mut(body.index as usize)?.as_mut().filter(|slot| slot.body == body)
    }

    /// Takes note of a body.
    pub(crate) fn insert(&mut self, slot: Slot) {
        let index = slot.body.index as usize;
        if self.slots.len() <= index {
            self.slots.resize(index + 1, None);
        }
        self.slots[index] = Some(slot);
        self.of_entity.insert(slot.entity, slot.body);
        self.moving.push(slot.body);
        self.made.note(slot.body.index, slot.body.generation, slot.entity);
    }

    /// The body that an entity has in the world, with what the entity was told of it.
    pub(crate) fn standing(&self, entity: Entity) -> Option<(Slot, BodyRef)> {
        let slot = self.slot(self.body_of(entity)?).filter(|slot| slot.entity == entity)?;
        Some((*slot, self.world.body(slot.body).ok()?))
    }

    /// Removes the body of an entity, if it has one; its joints wait for another.
    pub(crate) fn remove(&mut self, entity: Entity) {
        let Some(body) = self.of_entity.remove(&entity) else { return };
        // After a restored snapshot the same handle may be another entity's.
        let slot = self.slots.get_mut(body.index as usize);
        let own = slot.and_then(|slot| slot.take_if(|slot| slot.body == body && slot.entity == entity));
        if own.is_none() {
            return;
        }
        let of_body = self.world.joints().filter(|(_, joint)| joint.bodies().contains(&body));
        let lost: Vec<JointHandle> = of_body.map(|(handle, _)| handle).collect();
        self.joints.lose(&lost);
        // Whoever holds the world may have removed it already.
        let _ = self.world.remove_body(body);
    }

    /// Puts a body where its entity was put.
    pub(crate) fn teleport(
        &mut self,
        body: BodyHandle,
        pose: Pose,
        shown: Transform,
    ) -> Result<(), WorldError> {
        self.world.set_pose(body, pose)?;
        let now = self.world.pose(body)?;
        if let Some(slot) = self.slot_mut(body) {
            (slot.before, slot.now, slot.shown) = (now, now, shown);
            self.moving.push(body);
        }
        Ok(())
    }

    /// After a step: what was now is before, for all that moved or is still shown on its way. Costs what moves.
    pub(crate) fn follow(&mut self) {
        self.pass += 1;
        let pass = self.pass;
        let mut moving = std::mem::take(&mut self.moving);
        moving.extend(self.world.moved_bodies());
        moving.retain(|&body| {
            let Ok(pose) = self.world.pose(body) else { return false };
            let Some(slot) = self.slots.get_mut(body.index as usize).and_then(Option::as_mut) else {
                return false;
            };
            if slot.body != body || slot.followed_in == pass {
                return false;
            }
            slot.followed_in = pass;
            (slot.before, slot.now) = (slot.now, pose);
            true
        });
        self.moving = moving;
    }

    /// Where an entity is shown between the last two steps.
    pub(crate) fn shown_pose(&self, body: BodyHandle, fraction: f64) -> Option<Pose> {
        self.slot(body).map(|slot| convert::between(&slot.before, &slot.now, fraction))
    }
}
