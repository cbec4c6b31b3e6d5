#![doc = include_str!("../README.md")]
//!
//! # In depth
//!
//! Sleep and wake rules of S1 (section 3.2, rows S1-30..45).
//!
//! A body sleeps when the weighted average of its squared motion bound falls below the squared threshold
//! (Algorithm 5); it is woken by six rules. Rules 1 (changes from outside), 2 (correction), 3 (a closing
//! contact) and 4 (removal of a neighbour) wake where they happen, because being asleep is data in
//! [`Bodies`]; rules 5 and 6 (support lost, nothing below) live here. Both speak of the sum of all global
//! forces, not of gravity alone (S1-43).
//!
//! Invariants: no point of a body put to sleep was faster than the threshold (S1-35); a woken body
//! sleeps again at once if and only if its motion is below the threshold (S1-36), without [`SleepConfig::must_settle`]; losing a neighbour that
//! did not carry wakes nobody (S1-43), unless [`SleepConfig::side_support_gap`] says so. Sleepers stay in detection (S1-44). With
//! [`SleepConfig::max_imbalance`] a seventh rule wakes what its contacts do not carry, when a neighbour comes to rest (promise 5 of the design).
//!
//! What joints hold together sleeps together, where something carries it and it is not at the turning point of a swing (`predicted`). What a kinematic body, a belt or a motor drives is awake, with all that hangs together with it.
//!
//! [`EnergySleep`] is the rule of S3 in place of Algorithm 5 (rows S3-21, S3-25, S3-28): by kinetic energy, and island by island. What it puts to
//! sleep is woken by the same six rules.

mod config;
mod driven;
mod jam;
mod load;
mod motion;
mod predicted;
mod sleepy;
mod support;
mod tied;

pub use config::{SleepConfig, SleepError};
pub use motion::{SleepMemory, SleepReport, put_one_to_sleep, put_to_sleep};
pub use sleepy::{EnergySleep, EnergySleepConfig, EnergySleepRule};
pub use support::{Supports, WakeReport, settle_changed, supports_of, wake, wake_unsupported};

#[cfg(doc)]
use drystone_contact::Bodies;
