//! One vocabulary for all that a step tells (S3-16).

use super::{HitEvent, TimerTick};
use crate::{BodyHandle, ColliderHandle, ProximityEvent, TouchEvent, TouchPhase};

/// The kinds of events: the nine of S3's Table 3, and hits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum EventKind {
    /// A collider came into a trigger.
    TriggerIn,
    /// A collider left a trigger.
    TriggerOut,
    /// Two colliders began to touch.
    TouchBegin,
    /// They still touch.
    TouchPersist,
    /// They no longer touch.
    TouchEnd,
    /// The boxes of two colliders came near each other.
    ProximityBegin,
    /// They are still near.
    ProximityPersist,
    /// They are no longer near.
    ProximityEnd,
    /// A timer ticked.
    TimerTick,
    /// Two colliders began to touch, closing fast.
    Hit,
}

/// Something that happened in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event {
    /// When, s of simulated time: the end of the step that tells it; of a tick, when it was due within the step.
    pub time: f64,
    /// What happened, to whom.
    pub detail: EventDetail,
}

/// What happened, to whom.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum EventDetail {
    /// Something came into a trigger or left it.
    Trigger(TriggerEvent),
    /// Two colliders began, kept or ended touching.
    Touch(TouchEvent),
    /// The boxes of two colliders came near each other, stayed so or parted.
    Proximity(ProximityEvent),
    /// A timer ticked.
    Tick(TimerTick),
    /// Two colliders hit each other.
    Hit(HitEvent),
}

/// Which way something went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TriggerPhase {
    /// It overlaps the trigger no more (also because one of them was removed, or must not meet the other any more).
    Out,
    /// It overlaps the trigger and did not before.
    In,
}

/// A collider came into a trigger or left it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TriggerEvent {
    /// The trigger.
    pub trigger: ColliderHandle,
    /// What came or went.
    pub other: ColliderHandle,
    /// Body of the trigger, then that of the other collider.
    pub bodies: [BodyHandle; 2],
    /// Which way.
    pub phase: TriggerPhase,
}

impl Event {
    /// Its kind.
    pub fn kind(&self) -> EventKind {
        match &self.detail {
            EventDetail::Trigger(event) => match event.phase {
                TriggerPhase::In => EventKind::TriggerIn,
                TriggerPhase::Out => EventKind::TriggerOut,
            },
            EventDetail::Touch(event) => match event.phase {
                TouchPhase::Begin => EventKind::TouchBegin,
                TouchPhase::Persist => EventKind::TouchPersist,
                TouchPhase::End => EventKind::TouchEnd,
            },
            EventDetail::Proximity(event) => match event.phase {
                TouchPhase::Begin => EventKind::ProximityBegin,
                TouchPhase::Persist => EventKind::ProximityPersist,
                TouchPhase::End => EventKind::ProximityEnd,
            },
            EventDetail::Tick(_) => EventKind::TimerTick,
            EventDetail::Hit(_) => EventKind::Hit,
        }
    }
}
