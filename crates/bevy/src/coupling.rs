//! Couplings between joints of entities: gears, racks, pulleys.

use crate::rollback::Made;
use crate::{Physics, Refused};
use bevy_ecs::component::Component;
use bevy_ecs::entity::{Entity, EntityHashMap};
use bevy_ecs::prelude::{Changed, MessageWriter, Query, RemovedComponents, ResMut};
use drystone::{CouplingSpec, JointHandle, World};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// What makes a coupling of two joints.
type Make = Arc<dyn Fn(JointHandle, JointHandle) -> CouplingSpec + Send + Sync>;

/// The entity couples the joints of two other entities. It is made as soon as both are there, and anew when one of them is; when it breaks, or one of its joints does, the
/// component is taken off and [`JointBroke`](crate::JointBroke) says so.
///
/// What a gear holds is what it is when it is made: turns count from there when one of its joints is made anew.
///
/// ```
/// use bevy_app::App;
/// use bevy_transform::components::Transform;
/// use drystone::math::{Position, Vector3};
/// use drystone::{CouplingSpec, JointAxis, JointSpec, Motor, Shape, WorldConfig};
/// use drystone_bevy::{Colliders, Coupling, DrystonePlugin, Joint, Physics, RigidBody, StepClock};
/// let mut app = App::new();
/// app.add_plugins(DrystonePlugin::new(WorldConfig::default())?.clock(StepClock::fixed(60.0, 1.0 / 60.0)));
/// let world = app.world_mut();
/// let frame = world.spawn(RigidBody::Fixed).id();
/// let [crank, wheel] = [0.0, 1.0].map(|x: f32| {
///     let ball = Colliders::from(Shape::sphere(0.1).expect("positive"));
///     let body = world.spawn((RigidBody::Dynamic, ball, Transform::from_xyz(x, 0.0, 0.0))).id();
///     let motor = (x == 0.0).then_some(Motor::Speed { speed: 3.0, most: 50.0 });
///     world
///         .spawn(Joint::new(frame, body, move |frame, body| {
///             let hinge = JointSpec::hinge(frame, body).at(Position::new(f64::from(x), 0.0, 0.0)).along(Vector3::z());
///             motor.map_or(hinge.clone(), |motor| hinge.motor(motor))
///         }))
///         .id()
/// });
/// world.spawn(Coupling::new(crank, wheel, |crank, wheel| CouplingSpec::gear(crank, wheel, -2.0)));
/// for _ in 0..62 {
///     app.update();
/// }
/// let physics = app.world().resource::<Physics>();
/// let twist = |joint| physics.world().joint(physics.joint_of(joint).expect("there")).expect("there").value(JointAxis::Twist);
/// assert!((twist(crank) - 3.0).abs() < 0.2, "{}", twist(crank));
/// assert!((twist(wheel) + 2.0 * twist(crank)).abs() < 1e-3, "{}", twist(wheel));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Component)]
pub struct Coupling {
    ends: [Entity; 2],
    make: Make,
}

impl Coupling {
    /// A coupling of the joints of two entities; `make` says which.
    pub fn new(
        first: Entity,
        second: Entity,
        make: impl Fn(JointHandle, JointHandle) -> CouplingSpec + Send + Sync + 'static,
    ) -> Self {
        Self { ends: [first, second], make: Arc::new(make) }
    }

    /// The entities whose joints it couples.
    pub fn ends(&self) -> [Entity; 2] {
        self.ends
    }
}

impl fmt::Debug for Coupling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Coupling").field("ends", &self.ends).finish_non_exhaustive()
    }
}

/// What became of a coupling with two joints.
#[derive(Clone, Copy, Debug)]
struct Link {
    joints: [JointHandle; 2],
    /// `None` where it was refused.
    handle: Option<JointHandle>,
}

/// Couplings of entities.
#[derive(Debug, Default)]
pub(crate) struct Couplings {
    links: EntityHashMap<Link>,
    of_handle: BTreeMap<JointHandle, Entity>,
    made: Made<()>,
}

impl Couplings {
    pub(crate) fn handle(&self, entity: Entity) -> Option<JointHandle> {
        self.links.get(&entity)?.handle
    }

    /// A coupling is nobody's any more. Returns whose it was.
    pub(crate) fn unlink(&mut self, handle: JointHandle) -> Option<Entity> {
        let entity = self.of_handle.remove(&handle)?;
        self.links.remove(&entity);
        Some(entity)
    }

    /// Forgets all about an entity. Returns the coupling that it was.
    fn forget(&mut self, entity: Entity) -> Option<JointHandle> {
        let handle = self.links.remove(&entity)?.handle?;
        self.of_handle.remove(&handle);
        Some(handle)
    }

    /// After a snapshot was restored: those that it does not have are asked for again. Returns couplings that were an entity's, and are nobody's.
    pub(crate) fn relink(&mut self, world: &World) -> Vec<JointHandle> {
        let is_own = |link: &Link| {
            let coupling = link.handle.and_then(|handle| world.joint(handle).ok()?.coupling);
            coupling.is_some_and(|coupling| coupling.of.joints == link.joints)
        };
        self.links.retain(|_, link| is_own(link));
        let own = self.links.iter().filter_map(|(&entity, link)| Some((link.handle?, entity)));
        self.of_handle = own.collect();
        let all = world.joints().filter(|(_, joint)| joint.coupled().is_some()).map(|(handle, _)| handle);
        all.filter(|handle| {
            self.made.contains(handle.index, handle.generation, ()) && !self.of_handle.contains_key(handle)
        })
        .collect()
    }
}

/// Couplings that are gone, new, or whose joints are. O(couplings).
pub(crate) fn read(
    mut physics: ResMut<Physics>,
    mut removed: RemovedComponents<Coupling>,
    changed: Query<Entity, Changed<Coupling>>,
    all: Query<(Entity, &Coupling)>,
    mut refused: MessageWriter<Refused>,
) {
    let physics = &mut *physics;
    for entity in removed.read().chain(changed.iter()) {
        if let Some(handle) = physics.couplings.forget(entity) {
            // It may have gone with a joint.
            let _ = physics.world.remove_joint(handle);
        }
    }
    // In the order of entities, so that the same calls give the same world.
    let mut list: Vec<(Entity, &Coupling)> = all.iter().collect();
    list.sort_unstable_by_key(|(entity, _)| *entity);
    for (entity, coupling) in list {
        let joints = match coupling.ends.map(|end| physics.joint_of(end)) {
            [Some(first), Some(second)] => Some([first, second]),
            _ => None,
        };
        let link = physics.couplings.links.get(&entity);
        let is_there = link.is_some_and(|link| {
            let is_alive = |handle| physics.world.joint(handle).is_ok();
            Some(link.joints) == joints && link.handle.is_none_or(is_alive)
        });
        if is_there {
            continue;
        }
        if let Some(handle) = physics.couplings.forget(entity) {
            let _ = physics.world.remove_joint(handle);
        }
        let Some(joints) = joints else { continue };
        let added = physics.world.add_coupling(&(coupling.make)(joints[0], joints[1]));
        let handle = added.as_ref().ok().copied();
        physics.couplings.links.insert(entity, Link { joints, handle });
        match added {
            Ok(handle) => {
                physics.couplings.of_handle.insert(handle, entity);
                physics.couplings.made.note(handle.index, handle.generation, ());
            }
            Err(error) => _ = refused.write(Refused { entity, error }),
        }
    }
}
