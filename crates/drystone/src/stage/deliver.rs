//! What a step tells, in one order.

use crate::world::World;
use drystone_contact::{Event, EventDetail};

impl World {
    /// Before the response: how fast what does not touch yet closes.
    pub(super) fn foresee_hits(&mut self) {
        let config = &self.config.events;
        if config.hit {
            self.logic.hits.foresee(&self.bodies, &self.graph, self.batches.all_edges(), config.hit_speed);
        }
    }

    /// The last of a step: what its stages and the changes before it have to tell is sorted. It is told once per step, when all
    /// is settled (S3-17, policy b).
    pub(super) fn deliver_events(&mut self) {
        self.graph.deliver_events();
        self.logic.triggers.deliver();
        let config = &self.config.events;
        if !config.hit {
            // Those of an earlier step are not to be told when hits are asked for again.
            self.logic.hits.forget();
        } else if !self.has_queried {
            let material =
                |collider: drystone_contact::ColliderHandle| self.colliders.material(collider.index);
            self.logic.hits.tell(&self.bodies, &self.graph, config.hit_speed, material);
        }
        if config.queue {
            let mut queue = std::mem::take(&mut self.logic.queue);
            queue.extend(self.told());
            self.logic.queue = queue;
        }
    }

    /// Events of the last step: ticks, triggers, touches, hits, proximity, each in the order of its time or its colliders.
    pub(crate) fn told(&self) -> impl Iterator<Item = Event> + '_ {
        let (config, time, logic) = (&self.config.events, self.time, &self.logic);
        // A query tells what it found, not once more what the step before it told.
        let is_step = !self.has_queried;
        let ticks =
            logic.timers.ticks().iter().map(|&e| Event { time: e.time, detail: EventDetail::Tick(e) });
        let ticks = ticks.filter(move |_| is_step);
        let triggers = logic.triggers.events().iter().map(|&e| EventDetail::Trigger(e));
        let touches = self.graph.events().iter().map(|&e| EventDetail::Touch(e));
        let hits = logic.hits.events().iter().map(|&e| EventDetail::Hit(e));
        let hits = hits.filter(move |_| is_step);
        let proximity = self.graph.proximity_events().iter().map(|&e| EventDetail::Proximity(e));
        let at_the_end = triggers.chain(touches).chain(hits).chain(proximity);
        let events = ticks.chain(at_the_end.map(move |detail| Event { time, detail }));
        events.filter(|event| config.tells(event.kind()))
    }
}
