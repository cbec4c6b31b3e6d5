//! Colliders that another body moves than the one they were added to: those of the members of a composite.

use super::{Colliders, Place};
use drystone_contact::BodyIndex;
use drystone_math::{RelativePose, Vector3};

impl Colliders {
    /// The body that a collider was added to.
    pub(crate) fn owner(&self, index: u32) -> BodyIndex {
        self.homes[index as usize].owner
    }

    /// Lets `to` move the colliders of `owner`, which `from` moved; `local` is the frame of the owner's centre of mass seen from that of
    /// `to`. Handles, boxes and order stay; from the next step on they meet none of `to`, and those of `from` again.
    pub(crate) fn carry(&mut self, owner: BodyIndex, [from, to]: [BodyIndex; 2], local: &RelativePose) {
        let (taken, left): (Vec<u32>, Vec<u32>) = self.of(from).partition(|&slot| self.owner(slot) == owner);
        let there: Vec<u32> = self.of(to).collect();
        for &slot in &taken {
            let i = slot as usize;
            let home = &self.homes[i].local;
            let own = if owner == to { *home } else { local.compose(home) };
            self.fastenings[i].local = Place::new(own);
            self.motions[i].is_centred = own.translation == Vector3::zeros();
            self.list[i].body = to;
            self.filters[i].owner = to.0;
            self.mark(slot);
        }
        self.neighbours.doubt();
        self.chain(from, &left);
        self.chain(to, &[there, taken].concat());
    }

    /// Where the colliders of a body are in the frame of the composite that moves them: seen from the centre of mass of their owner,
    /// which is at `local` in it.
    pub(crate) fn set_local(&mut self, owner: BodyIndex, carrier: BodyIndex, local: &RelativePose) {
        let slots: Vec<u32> = self.of(carrier).filter(|&slot| self.owner(slot) == owner).collect();
        for i in slots.into_iter().map(|slot| slot as usize) {
            let own = local.compose(&self.homes[i].local);
            self.fastenings[i].local = Place::new(own);
            self.motions[i].is_centred = own.translation == Vector3::zeros();
        }
    }

    /// Colliders of a body meet none of others with the same mark, which is the index of one of these bodies.
    pub(crate) fn set_mark(&mut self, body: BodyIndex, mark: BodyIndex) {
        let slots: Vec<u32> = self.of(body).collect();
        for slot in slots {
            self.filters[slot as usize].owner = mark.0;
            self.mark(slot);
        }
    }

    /// Makes these the colliders that a body moves, in this order.
    fn chain(&mut self, body: BodyIndex, slots: &[u32]) {
        if self.first.len() <= body.get() {
            self.first.resize(body.get() + 1, None);
        }
        self.first[body.get()] = slots.first().copied();
        for (k, &slot) in slots.iter().enumerate() {
            self.fastenings[slot as usize].next = slots.get(k + 1).copied();
        }
    }
}
