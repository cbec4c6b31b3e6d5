//! What a step told, and who is inside of triggers.

use super::World;
use crate::WorldError;
use drystone_collision::broad::Pair;
use drystone_contact::{ColliderHandle, Event};

impl World {
    /// What happened in the last step and by the changes before it, of the kinds that
    /// [`WorldConfig::events`](crate::WorldConfig) asks for: ticks of timers by their times; then what came into triggers
    /// and left them, touches, hits, and proximity, each in the order of their colliders. Where something ended and began
    /// again, the end stands first. Nothing is gathered for it: events that nobody reads cost nothing. With
    /// [`EventConfig::queue`](crate::EventConfig) all events since [`World::take_events`], step by step.
    ///
    /// Detection says what touches and overlaps: with methods that move bodies at the end of a step (`fast`), where they
    /// were before it. Every begin has exactly one end, whatever is removed.
    pub fn events(&self) -> impl Iterator<Item = Event> + '_ {
        let is_queued = self.config.events.queue;
        let of_step = (!is_queued).then(|| self.told());
        // What gathered before the queue was switched off waits for `take_events`.
        let gathered = is_queued.then(|| self.logic.queue.iter().copied());
        gathered.into_iter().flatten().chain(of_step.into_iter().flatten())
    }

    /// Takes the events that gathered since the last call; nothing without [`EventConfig::queue`](crate::EventConfig).
    pub fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.logic.queue)
    }

    /// Colliders that overlapped a trigger when the last step looked, in the order of their slots; what was removed, made passive, or made
    /// not to meet it since is not among them. Costs the colliders near the trigger.
    ///
    /// # Errors
    /// An unknown collider, or one that is no trigger.
    pub fn inside(
        &self,
        trigger: ColliderHandle,
    ) -> Result<impl Iterator<Item = ColliderHandle> + '_, WorldError> {
        if !self.is_trigger(trigger)? {
            return Err(WorldError::NotATrigger(trigger));
        }
        let is_in = move |other: &ColliderHandle| {
            let body = self.colliders.get(other.index).body;
            !self.bodies.hot(body).is_passive() && self.is_allowed(Pair::new(trigger.index, other.index))
        };
        Ok(self.logic.triggers.inside(trigger).filter(is_in))
    }

    /// Whether a collider is a trigger ([`crate::ColliderSpec::trigger`]).
    ///
    /// # Errors
    /// An unknown collider.
    pub fn is_trigger(&self, handle: ColliderHandle) -> Result<bool, WorldError> {
        self.check_collider(handle)?;
        Ok(self.colliders.is_trigger(handle.index))
    }
}
