//! Trigger volumes: who is near one, and who is inside (S3-01 V, S3-02, S3-12).
//!
//! The geometric edges V–R, V–F, V–S and V–L of S3 are pairs of a trigger and a collider whose boxes are near. They are
//! no edges of [`crate::ContactGraph`]: nothing that walks over contacts, islands or supports ever sees one.

use super::{TriggerEvent, TriggerPhase};
use crate::{Bodies, BodyIndex, ColliderHandle};

/// A trigger and a collider whose boxes are near each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TriggerPair {
    /// The trigger, then the other collider.
    pub colliders: [ColliderHandle; 2],
    /// Their bodies.
    pub bodies: [BodyIndex; 2],
    /// Whether the collider overlapped the trigger at the last look.
    pub is_inside: bool,
    /// Nobody has looked at it yet.
    is_new: bool,
    /// It ended; out of the list before the next look.
    is_gone: bool,
}

impl TriggerPair {
    fn key(&self) -> (u32, u32) {
        (self.colliders[0].index, self.colliders[1].index)
    }
}

/// All pairs of triggers and colliders near them, and what they have to tell.
#[derive(Clone, Debug, Default)]
pub struct TriggerPairs {
    /// Sorted by slots between two steps.
    pairs: Vec<TriggerPair>,
    /// Pairs were added behind the sorted ones.
    is_unsorted: bool,
    /// Some pairs are gone.
    has_gone: bool,
    /// Events delivered, and those that wait for the next delivery.
    events: Vec<TriggerEvent>,
    pending: Vec<TriggerEvent>,
}

drystone_math::carried!(TriggerPairs { part: [pairs, events, pending], value: [is_unsorted, has_gone] });

impl TriggerPairs {
    /// True when no trigger has anything near it.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Number of pairs.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// A collider's box came near a trigger's. The pair must not be there yet.
    pub fn begin(&mut self, colliders: [ColliderHandle; 2], bodies: [BodyIndex; 2]) {
        self.pairs.push(TriggerPair { colliders, bodies, is_inside: false, is_new: true, is_gone: false });
        self.is_unsorted = true;
    }

    /// The pair of two collider slots ends, in any order; what was inside goes out. Nothing happens when there is none.
    pub fn end(&mut self, bodies: &Bodies, slots: [u32; 2]) {
        self.sort();
        let keys = [(slots[0], slots[1]), (slots[1], slots[0])];
        let found = keys.iter().find_map(|key| self.pairs.binary_search_by_key(key, TriggerPair::key).ok());
        if let Some(at) = found {
            retire(&mut self.pairs[at], bodies, &mut self.pending);
            self.has_gone = true;
        }
    }

    /// All pairs of a body end, as triggers and as what is inside of them. Must come before the body's removal.
    pub fn end_of(&mut self, bodies: &Bodies, body: BodyIndex) {
        if self.pairs.is_empty() {
            return;
        }
        for pair in self.pairs.iter_mut().filter(|pair| pair.bodies.contains(&body)) {
            retire(pair, bodies, &mut self.pending);
            self.has_gone = true;
        }
        self.settle();
    }

    /// Looks at the pairs for which `may_have_changed` and at new ones: `overlaps` says whether the collider is inside.
    /// Costs a call per pair, and a test of overlap per pair looked at.
    pub fn update(
        &mut self,
        bodies: &Bodies,
        may_have_changed: impl Fn(&TriggerPair) -> bool,
        mut overlaps: impl FnMut(&TriggerPair) -> bool,
    ) {
        self.settle();
        for pair in &mut self.pairs {
            if !(std::mem::take(&mut pair.is_new) || may_have_changed(pair)) {
                continue;
            }
            let is_inside = overlaps(pair);
            if std::mem::replace(&mut pair.is_inside, is_inside) != is_inside {
                let phase = if is_inside { TriggerPhase::In } else { TriggerPhase::Out };
                push(pair, bodies, phase, &mut self.pending);
            }
        }
    }

    /// All pairs.
    pub fn pairs(&self) -> impl Iterator<Item = &TriggerPair> + '_ {
        self.pairs.iter().filter(|pair| !pair.is_gone)
    }

    /// Colliders inside of a trigger as of the last look, sorted.
    pub fn inside(&self, trigger: ColliderHandle) -> impl Iterator<Item = ColliderHandle> + '_ {
        let first = self.pairs.partition_point(|pair| pair.colliders[0] < trigger);
        let of_trigger = self.pairs[first..].iter().take_while(move |pair| pair.colliders[0] == trigger);
        of_trigger.filter(|pair| pair.is_inside).map(|pair| pair.colliders[1])
    }

    /// Delivers what happened since the last delivery, sorted by trigger, then collider; of one pair, an end that came
    /// before a begin stands before it. What was delivered before is forgotten.
    pub fn deliver(&mut self) {
        self.events.clear();
        self.events.append(&mut self.pending);
        self.events.sort_unstable_by_key(|e| (e.trigger, e.other, e.phase));
    }

    /// Events of the last delivery.
    pub fn events(&self) -> &[TriggerEvent] {
        &self.events
    }

    fn sort(&mut self) {
        if std::mem::take(&mut self.is_unsorted) {
            self.pairs.sort_unstable_by_key(TriggerPair::key);
        }
    }

    /// Sorted, and nothing that is gone.
    fn settle(&mut self) {
        self.sort();
        if std::mem::take(&mut self.has_gone) {
            self.pairs.retain(|pair| !pair.is_gone);
        }
    }
}

/// Ends a pair; what was inside goes out.
fn retire(pair: &mut TriggerPair, bodies: &Bodies, pending: &mut Vec<TriggerEvent>) {
    pair.is_gone = true;
    if std::mem::take(&mut pair.is_inside) {
        push(pair, bodies, TriggerPhase::Out, pending);
    }
}

fn push(pair: &TriggerPair, bodies: &Bodies, phase: TriggerPhase, pending: &mut Vec<TriggerEvent>) {
    let [trigger, other] = pair.colliders;
    if let [Some(a), Some(b)] = pair.bodies.map(|body| bodies.handle(body)) {
        pending.push(TriggerEvent { trigger, other, bodies: [a, b], phase });
    } else {
        debug_assert!(false, "a trigger pair outlived its body: end its pairs before the body");
    }
}
