//! After a snapshot was restored: which body and which joint is whose.
//!
//! A snapshot has the world and not the entities. What entities got since it was taken is not in it, its handles are given out again, and what it brings
//! back may be of entities that are gone. Components say what holds: start reading at [`Physics::refresh`].

use crate::Physics;
use crate::physics::Slot;
use bevy_ecs::entity::{Entity, EntityHashMap};
use drystone::{BodyHandle, BodyRef, JointHandle};
use std::collections::BTreeMap;

/// Handles that ever were an entity's, and whose, so that what a snapshot brings back is told from what others put into the world: after one was restored they may
/// have got such a handle. By index of the handle, owner, and first generation of a span of generations: its last one. A body that is made anew again and again
/// stays one span; each owner that there ever was has one at least, for any of them may be in a snapshot.
#[derive(Debug)]
pub(crate) struct Made<Owner>(BTreeMap<(u32, Owner, u32), u32>);

impl<Owner> Default for Made<Owner> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<Owner: Copy + Ord> Made<Owner> {
    pub(crate) fn note(&mut self, index: u32, generation: u32, owner: Owner) {
        let before = self.0.range_mut((index, owner, 0)..=(index, owner, generation)).next_back();
        // Handles of one slot are two generations apart, as it is free in between.
        match before.filter(|(_, last)| generation <= last.saturating_add(2)) {
            Some((_, last)) => *last = generation.max(*last),
            None => _ = self.0.insert((index, owner, generation), generation),
        }
    }

    pub(crate) fn contains(&self, index: u32, generation: u32, owner: Owner) -> bool {
        let before = self.0.range((index, owner, 0)..=(index, owner, generation)).next_back();
        before.is_some_and(|(_, &last)| generation <= last)
    }
}

impl Physics {
    /// Shows every entity where its body is: after [`Physics::world_mut`] restored a snapshot, or moved bodies that have entities.
    ///
    /// Components are not in a snapshot: what they say now holds. Bodies and joints whose entities are gone, or are none any more, are removed; those
    /// that it does not have are made again with the next frame, bodies where their `Transform`s are, joints where they were on their bodies. What
    /// was made anew since is made anew once more, where and as fast as the snapshot has it. Bodies without entities stay. O(bodies + joints).
    pub fn refresh(&mut self) {
        self.relink_bodies();
        self.relink_joints();
        for handle in self.couplings.relink(&self.world) {
            let _ = self.world.remove_joint(handle);
        }
        self.moving.clear();
        for slot in self.slots.iter_mut().flatten() {
            let Ok(pose) = self.world.pose(slot.body) else { continue };
            (slot.before, slot.now) = (pose, pose);
            self.moving.push(slot.body);
        }
    }

    fn relink_bodies(&mut self) {
        let mut lost: EntityHashMap<Slot> = EntityHashMap::default();
        for place in &mut self.slots {
            // A handle that was given out again is alive, but for another entity.
            let is_own = |slot: &Slot| {
                self.world.body(slot.body).is_ok_and(|body| body.user_data == slot.entity.to_bits())
            };
            lost.extend(place.take_if(|slot| !is_own(slot)).map(|slot| (slot.entity, slot)));
        }
        let slots = &self.slots;
        self.of_entity.retain(|&entity, body| {
            let slot = slots.get(body.index as usize).and_then(Option::as_ref);
            let is_own = slot.is_some_and(|slot| slot.body == *body && slot.entity == entity);
            if !is_own {
                self.anew.push(entity);
            }
            is_own
        });
        let of_others = self.world.bodies().filter(|body| self.slot(body.handle).is_none());
        let strays: Vec<(BodyHandle, Entity)> =
            of_others.filter_map(|body| Some((body.handle, self.maker(&body)?))).collect();
        for (body, entity) in strays {
            if let Some(slot) = lost.remove(&entity) {
                self.insert(Slot { body, ..slot });
            } else {
                // Bodies of composites alone are refused, and those are no entity's.
                let _ = self.world.remove_body(body);
            }
        }
    }

    /// The entity that a body was made for; `None` for what others put into the world, unless it has both the handle and the `user_data` of a body that was.
    fn maker(&self, body: &BodyRef) -> Option<Entity> {
        let entity = Entity::try_from_bits(body.user_data)?;
        self.made.contains(body.handle.index, body.handle.generation, entity).then_some(entity)
    }

    fn relink_joints(&mut self) {
        let is_same = |handle: JointHandle, bodies: [BodyHandle; 2], ends: [Entity; 2]| {
            self.world.joint(handle).is_ok_and(|joint| joint.bodies == bodies)
                && ends.iter().all(|&end| self.body_of(end).is_some_and(|body| bodies.contains(&body)))
        };
        let lost: Vec<JointHandle> = self
            .joints
            .links()
            .filter(|link| !is_same(link.handle, link.bodies, link.ends))
            .map(|link| link.handle)
            .collect();
        self.joints.lose(&lost);
        self.joints.ask_again();
        let is_stray = |handle: JointHandle, bodies: [BodyHandle; 2]| {
            let [Some(a), Some(b)] = bodies.map(|body| self.entity_of(body)) else { return false };
            self.joints.is_stray(handle, [a, b])
        };
        let all = self.world.joints().filter(|(_, joint)| joint.coupled().is_none());
        let all = all.map(|(handle, joint)| (handle, joint.bodies()));
        let strays: Vec<JointHandle> =
            all.filter(|&(handle, bodies)| is_stray(handle, bodies)).map(|(handle, _)| handle).collect();
        for handle in strays {
            let _ = self.world.remove_joint(handle);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_are_known_in_any_order() {
        let mut made = Made::default();
        for generation in [1, 3, 9, 11, 3, 7] {
            made.note(2, generation, 'a');
        }
        made.note(2, 5, 'b');
        let known = |owner| (1..14).step_by(2).filter(|&g| made.contains(2, g, owner)).collect::<Vec<u32>>();
        assert_eq!((known('a'), known('b')), (vec![1, 3, 7, 9, 11], vec![5]));
        assert!(!made.contains(1, 1, 'a') && !made.contains(3, 1, 'a'));
    }
}
