//! drystone for C: functions with error codes over the facade; the header is `include/drystone.h`, written from these files.
//!
//! In: pointers, numbers, structs of C. Out: the same. Contains no physics. Start reading at `world.rs`; [`call`] is what every function goes through.
//!
//! Invariants: no panic crosses into C ([`ds_status::Panicked`], and that world is not used again); null where something must be is
//! [`ds_status::Null`]; what the engine refuses is [`ds_status::Refused`] with its words in [`ds_last_error`], and nothing changes.

#![allow(non_camel_case_types, reason = "names of C")]

mod body;
mod call;
mod collider;
mod coupling;
mod joint;
mod look;
mod material;
mod world;

pub use body::*;
pub use call::{ds_last_error, ds_status, ds_version};
pub use collider::*;
pub use coupling::*;
pub use joint::*;
pub use look::*;
pub use material::*;
pub use world::*;
