//! What the plugin tells.

use bevy_ecs::entity::Entity;
use bevy_ecs::message::Message;
use drystone::{Event, EventDetail, WorldError};

/// An event of a step: touches, hits, triggers, timers. Which are told is a matter of
/// [`EventConfig`](drystone::EventConfig) in the settings of the world. Each is told once: where its `queue` is on, the plugin takes from it
/// after every step, and leaves none for [`World::take_events`](drystone::World::take_events).
#[derive(Clone, Copy, Debug, PartialEq, Message)]
pub struct Happened {
    /// What, to which colliders and bodies.
    pub event: Event,
    /// The entities of its bodies, in the order of the event; `None` where a body has no entity (any more), and for ticks of timers.
    pub entities: [Option<Entity>; 2],
}

/// A joint or coupling broke; its component was taken off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Message)]
pub struct JointBroke {
    /// The entity that was the joint or coupling.
    pub entity: Entity,
}

/// What an entity asked for was refused; the world is as it was. It is asked for again when the entity's components change; of a joint also
/// when one of its bodies is another one, of a body that is not there yet also when what it hangs on moves.
#[derive(Clone, Debug, PartialEq, Message)]
pub struct Refused {
    /// The entity; for a [`StepClock`](crate::StepClock) that no step can follow, told in every frame, the one that this resource is on.
    pub entity: Entity,
    /// Why.
    pub error: WorldError,
}

/// Bodies of an event, in its order.
pub(crate) fn bodies_of(event: &Event) -> Option<[drystone::BodyHandle; 2]> {
    match &event.detail {
        EventDetail::Trigger(event) => Some(event.bodies),
        EventDetail::Touch(event) => Some(event.bodies),
        EventDetail::Proximity(event) => Some(event.bodies),
        EventDetail::Hit(event) => Some(event.bodies),
        _ => None,
    }
}
