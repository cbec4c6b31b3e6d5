//! The logical nodes of the contact graph as users see them (S3): triggers, and what they tell.

#[path = "../common/mod.rs"]
mod common;

mod activity;
mod composites;
mod law;
mod motions;
mod multibodies;
mod query;
mod rules;
mod snapshot;
mod told;
mod triggers;
