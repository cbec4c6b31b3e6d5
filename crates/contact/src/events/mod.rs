//! What a step tells, and the logical nodes of the contact graph that make it tell: triggers and timers (S3, Tables 1 and 3).
//!
//! In: pairs of colliders that are near each other, who is inside of a trigger, how far time went. Out: events in an
//! order that depends on the history of calls only. Knows no shape: whoever tests overlap says what it found. Start
//! reading at [`Event`].
//!
//! Invariants: every begin (in, touch, proximity) has exactly one end, whatever is removed; a timer ticks exactly as often as its
//! period fits into the time since it was added, however large the steps are.

mod clock;
mod config;
mod event;
mod hits;
mod timers;
mod triggers;

pub use config::EventConfig;
pub use event::{Event, EventDetail, EventKind, TriggerEvent, TriggerPhase};
pub use hits::{HitEvent, Hits};
pub use timers::{TimerSpec, TimerState, TimerTick, Timers};
pub use triggers::{TriggerPair, TriggerPairs};
