//! Joints of entities in the world: which is whose, how they hold their bodies, and which wait.

use crate::rollback::Made;
use crate::{Joint, Physics, Refused};
use bevy_ecs::entity::{Entity, EntityHashMap};
use bevy_ecs::prelude::{Changed, MessageWriter, Query, RemovedComponents, ResMut};
use drystone::{Anchor, Bodies, BodyHandle, JointAxis, JointHandle, JointKind, JointSpec};
use std::collections::BTreeMap;

/// Where a joint is on its bodies, and how long it is: what stays when they are made anew.
#[derive(Clone, Copy, Debug)]
struct Hold {
    /// In the frames of the bodies.
    anchors: [Anchor; 2],
    /// Least and greatest length of a distance, m.
    length: [f32; 2],
}

impl Hold {
    /// Of a joint that was added, where its bodies are now; `None` for one that could not have been.
    fn new(spec: &JointSpec, bodies: &Bodies) -> Option<Self> {
        let tie = spec.tie(bodies).ok()?;
        let anchors = [0, 1].map(|side| {
            let center_local = bodies.mass_properties(tie.bodies[side]).center;
            Anchor::Local { origin: tie.anchors[side] + center_local, axes: tie.frames[side] }
        });
        let length = tie.axes[JointAxis::Distance as usize];
        Some(Self { anchors, length: [length.lower, length.upper] })
    }

    /// The same joint in the same places.
    fn again(&self, spec: JointSpec) -> JointSpec {
        let spec = spec.anchored(self.anchors);
        let [least, greatest] = self.length;
        if spec.kind() == JointKind::Distance { spec.limits(least, greatest) } else { spec }
    }
}

/// A joint that is in the world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    pub handle: JointHandle,
    pub ends: [Entity; 2],
    /// In the order of the joint, which `make` chooses.
    pub bodies: [BodyHandle; 2],
    hold: Option<Hold>,
}

/// A joint that is not in the world yet, or not any more.
#[derive(Clone, Copy, Debug, Default)]
struct Wait {
    /// How it held its bodies before.
    hold: Option<Hold>,
    /// Bodies of its ends that it was refused with: asked for again with others.
    refused_with: Option<[BodyHandle; 2]>,
}

/// Joints of entities.
#[derive(Debug, Default)]
pub(crate) struct Joints {
    links: EntityHashMap<Link>,
    of_handle: BTreeMap<JointHandle, Entity>,
    waiting: EntityHashMap<Wait>,
    /// By their ends, ascending: a joint itself does not say whose it is.
    made: Made<[Entity; 2]>,
}

impl Joints {
    pub(crate) fn handle(&self, entity: Entity) -> Option<JointHandle> {
        self.links.get(&entity).map(|link| link.handle)
    }

    pub(crate) fn links(&self) -> impl Iterator<Item = &Link> {
        self.links.values()
    }

    /// True for a joint between the bodies of these entities that was an entity's, and is nobody's.
    pub(crate) fn is_stray(&self, handle: JointHandle, ends: [Entity; 2]) -> bool {
        self.made.contains(handle.index, handle.generation, ascending(ends))
            && !self.of_handle.contains_key(&handle)
    }

    /// Joints that are not in the world any more wait for their bodies, to be where they were on them.
    pub(crate) fn lose(&mut self, handles: &[JointHandle]) {
        for handle in handles {
            let Some(entity) = self.of_handle.remove(handle) else { continue };
            let hold = self.links.remove(&entity).and_then(|link| link.hold);
            self.waiting.insert(entity, Wait { hold, refused_with: None });
        }
    }

    /// A joint is nobody's any more. Returns whose it was.
    pub(crate) fn unlink(&mut self, handle: JointHandle) -> Option<Entity> {
        let entity = self.of_handle.remove(&handle)?;
        self.links.remove(&entity);
        Some(entity)
    }

    /// What was refused is asked for again, with the same bodies too.
    pub(crate) fn ask_again(&mut self) {
        self.waiting.values_mut().for_each(|wait| wait.refused_with = None);
    }

    fn link(&mut self, entity: Entity, link: Link) {
        self.made.note(link.handle.index, link.handle.generation, ascending(link.ends));
        self.of_handle.insert(link.handle, entity);
        self.links.insert(entity, link);
    }

    /// Forgets all about an entity. Returns the joint that it was.
    fn forget(&mut self, entity: Entity) -> Option<JointHandle> {
        self.waiting.remove(&entity);
        let link = self.links.remove(&entity)?;
        self.of_handle.remove(&link.handle);
        Some(link.handle)
    }

    /// Those that wait, in the order of entities, so that the same calls give the same world.
    fn due(&self) -> Vec<Entity> {
        let mut due: Vec<Entity> = self.waiting.keys().copied().collect();
        due.sort_unstable();
        due
    }
}

fn ascending(mut ends: [Entity; 2]) -> [Entity; 2] {
    ends.sort_unstable();
    ends
}

/// Joints that are gone, new, or whose bodies are. Costs what changed and what waits.
pub(crate) fn read(
    mut physics: ResMut<Physics>,
    mut removed: RemovedComponents<Joint>,
    changed: Query<Entity, Changed<Joint>>,
    all: Query<&Joint>,
    mut refused: MessageWriter<Refused>,
) {
    let physics = &mut *physics;
    for entity in removed.read().chain(changed.iter()) {
        if let Some(handle) = physics.joints.forget(entity) {
            // It may have gone with a body.
            let _ = physics.world.remove_joint(handle);
        }
    }
    physics.joints.waiting.extend(changed.iter().map(|entity| (entity, Wait::default())));
    for entity in physics.joints.due() {
        let Some(wait) = physics.joints.waiting.remove(&entity) else { continue };
        let Ok(joint) = all.get(entity) else { continue };
        let [Some(a), Some(b)] = joint.ends.map(|end| physics.body_of(end)) else {
            // A body that comes may be anywhere: where the joint was on another one is no matter.
            physics.joints.waiting.insert(entity, Wait::default());
            continue;
        };
        if wait.refused_with == Some([a, b]) {
            physics.joints.waiting.insert(entity, wait);
            continue;
        }
        let spec = (joint.make)(a, b);
        let spec = wait.hold.map_or(spec.clone(), |hold| hold.again(spec));
        match physics.world.add_joint(&spec) {
            Ok(handle) => {
                let hold = Hold::new(&spec, physics.world.body_store());
                physics.joints.link(entity, Link { handle, ends: joint.ends, bodies: spec.bodies(), hold });
            }
            Err(error) => {
                physics.joints.waiting.insert(entity, Wait { refused_with: Some([a, b]), ..wait });
                refused.write(Refused { entity, error });
            }
        }
    }
}
