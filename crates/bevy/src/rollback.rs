//! After a snapshot was restored: which body and which joint is whose.
//!
//! A snapshot has the world and not the entities. What entities got since it was taken is not in it, its handles are given out again, and what it brings
//! back may be of entities that are gone. Components say what holds: start reading at [`Physics::refresh`].

use crate::Physics;
use crate::physics::Slot;
use bevy_ecs::entity::{Entity, EntityHashMap};
use drystone::{BodyHandle, BodyRef, JointHandle};

/// Handles that ever were an entity's, so that what a snapshot brings back is told from what others put into the world. By index, spans of generations, which
/// mostly are one.
#[derive(Debug, Default)]
pub(crate) struct Made(Vec<Vec<[u32; 2]>>);

impl Made {
    pub(crate) fn note(&mut self, index: u32, generation: u32) {
        let index = index as usize;
        if self.0.len() <= index {
            self.0.resize(index + 1, Vec::new());
        }
        // Handles of one slot are two generations apart, as it is free in between.
        let near =
            |&&mut [first, last]: &&mut [u32; 2]| (first..=last.saturating_add(2)).contains(&generation);
        match self.0[index].iter_mut().find(near) {
            Some([_, last]) => *last = generation.max(*last),
            None => self.0[index].push([generation; 2]),
        }
    }

    pub(crate) fn contains(&self, index: u32, generation: u32) -> bool {
        let spans = self.0.get(index as usize);
        spans.is_some_and(|spans| spans.iter().any(|&[first, last]| (first..=last).contains(&generation)))
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

    /// The entity that a body was made for; `None` for what others put into the world, whatever their `user_data` are.
    fn maker(&self, body: &BodyRef) -> Option<Entity> {
        let entity = Entity::try_from_bits(body.user_data)?;
        let is_made = self.made.contains(body.handle.index, body.handle.generation);
        (is_made && entity.index_u32() <= self.highest).then_some(entity)
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
            self.joints.is_stray(handle) && bodies.iter().all(|&body| self.slot(body).is_some())
        };
        let all = self.world.joints().map(|(handle, joint)| (handle, joint.bodies()));
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
            made.note(2, generation);
        }
        let known: Vec<u32> = (1..14).step_by(2).filter(|&g| made.contains(2, g)).collect();
        assert_eq!(known, [1, 3, 7, 9, 11]);
        assert!(!made.contains(1, 1) && !made.contains(3, 1));
    }
}
