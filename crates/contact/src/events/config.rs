//! Which events are told.

use super::EventKind;

/// Which kinds of events a step tells. What is not told is not gathered, and costs nothing.
///
/// A user who needs both halves of the law, that every begin has its end, asks for both.
#[derive(Clone, Debug, PartialEq)]
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
}

impl Default for EventConfig {
    fn default() -> Self {
        Self { trigger_in: true, trigger_out: true, touch_begin: true, touch_persist: false, touch_end: true }
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
        }
    }
}
