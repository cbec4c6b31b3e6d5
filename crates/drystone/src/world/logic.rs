//! The logical nodes of a world (S3-01): what tells, and neither touches nor moves anything.

use super::motions::Motions;
use super::{Colliders, Screen};
use drystone_contact::{BodyIndex, ColliderHandle, Event, Hits, Timers, TriggerPairs};

/// Logical nodes, and what else tells.
#[derive(Debug, Default)]
pub(crate) struct Logic {
    pub(crate) triggers: TriggerPairs,
    pub(crate) timers: Timers,
    pub(crate) screen: Screen,
    pub(crate) motions: Motions,
    pub(crate) hits: Hits,
    /// Events that wait to be taken, with [`EventConfig::queue`](crate::EventConfig).
    pub(crate) queue: Vec<Event>,
}

drystone_math::carried!(Logic { part: [triggers, timers, screen, motions, hits, queue] });

impl Logic {
    /// A pair whose boxes came near; true when a trigger is part of it, so that it is no pair of the contact graph. Two
    /// triggers do not see each other (S3-08).
    pub(crate) fn begin_trigger_pair(
        &mut self,
        colliders: &Colliders,
        pair: [ColliderHandle; 2],
        bodies: [BodyIndex; 2],
    ) -> bool {
        let ([a, b], [body_a, body_b]) = (pair, bodies);
        match pair.map(|c| colliders.is_trigger(c.index)) {
            [false, false] => return false,
            [true, true] => {}
            [true, false] => self.triggers.begin([a, b], [body_a, body_b]),
            [false, true] => self.triggers.begin([b, a], [body_b, body_a]),
        }
        true
    }
}
