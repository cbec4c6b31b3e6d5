//! Which events are told.

use super::EventKind;
use crate::error::{ContactError, check};
use drystone_math::Real;

/// Which kinds of events a step tells. What is not told is not gathered, and costs nothing.
///
/// A user who needs both halves of the law, that every begin has its end, asks for both.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct EventConfig {
    /// Colliders that come into triggers. Default true.
    pub trigger_in: bool,
    /// Colliders that leave triggers. Default true.
    pub trigger_out: bool,
    /// Touches that begin. Default true.
    pub touch_begin: bool,
    /// Touches that go on. Default false; costs an event per touching pair and step.
    pub touch_persist: bool,
    /// Touches that end. Default true.
    pub touch_end: bool,
    /// Pairs whose boxes come near each other. Default false; costs an event per pair that does.
    pub proximity_begin: bool,
    /// Pairs that stay near each other. Default false; costs an event per pair and step, asleep or not.
    pub proximity_persist: bool,
    /// Pairs that part. Default false; costs an event per pair that does.
    pub proximity_end: bool,
    /// Ticks of timers. Default true.
    pub timer_tick: bool,
    /// Touches that begin fast. Default false; costs a look at every contact that does not touch yet.
    pub hit: bool,
    /// Least closing speed of a hit, m/s. Default 1; at least 0. Larger tells fewer.
    pub hit_speed: Real,
    /// Whether events gather until they are taken, instead of being those of the last step. Default false: who asks
    /// less often than once per step loses none with it. Costs a copy of each event, and memory until they are taken.
    pub queue: bool,
}

impl Default for EventConfig {
    fn default() -> Self {
        Self {
            trigger_in: true,
            trigger_out: true,
            touch_begin: true,
            touch_persist: false,
            touch_end: true,
            proximity_begin: false,
            proximity_persist: false,
            proximity_end: false,
            timer_tick: true,
            hit: false,
            hit_speed: 1.0,
            queue: false,
        }
    }
}

impl EventConfig {
    /// True when events of this kind are told.
    pub fn tells(&self, kind: EventKind) -> bool {
        match kind {
            EventKind::TriggerIn => self.trigger_in,
            EventKind::TriggerOut => self.trigger_out,
            EventKind::TouchBegin => self.touch_begin,
            EventKind::TouchPersist => self.touch_persist,
            EventKind::TouchEnd => self.touch_end,
            EventKind::ProximityBegin => self.proximity_begin,
            EventKind::ProximityPersist => self.proximity_persist,
            EventKind::ProximityEnd => self.proximity_end,
            EventKind::TimerTick => self.timer_tick,
            EventKind::Hit => self.hit,
        }
    }

    /// True when any change of proximity is told.
    pub fn tells_proximity(&self) -> bool {
        self.proximity_begin || self.proximity_persist || self.proximity_end
    }

    /// `Ok` when every value is in range.
    ///
    /// # Errors
    /// The first value out of range, with its name.
    pub fn validate(&self) -> Result<(), ContactError> {
        check("events.hit_speed", "at least 0", self.hit_speed, |v| v >= 0.0)
    }
}
