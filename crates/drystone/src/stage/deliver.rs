//! The last of a step: what happened is told, in one order.

use crate::world::World;
use drystone_contact::{Event, EventDetail};

impl World {
    /// Gathers what the step's stages and the changes before it have to tell: triggers, then touches, each in the order
    /// of their colliders. Emitted once per step, when all is settled (S3-17, policy b).
    pub(super) fn deliver_events(&mut self) {
        self.graph.deliver_events();
        self.logic.triggers.deliver();
        let (config, time) = (&self.config.events, self.time);
        let triggers = self.logic.triggers.events().iter().map(|&e| EventDetail::Trigger(e));
        let touches = self.graph.events().iter().map(|&e| EventDetail::Touch(e));
        let events = triggers.chain(touches).map(|detail| Event { time, detail });
        self.logic.events.clear();
        self.logic.events.extend(events.filter(|event| config.tells(event.kind())));
    }
}
