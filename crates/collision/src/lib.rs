#![doc = include_str!("../README.md")]
//!
//! # In depth
//!
//! Collision detection with no body type in sight: shapes, broad phases, narrow phase, mass properties.
//!
//! Conventions (`docs/architecture.md`): SI units; contact normal unit, **from A to B**; `distance` is the
//! signed gap along the normal, negative when overlapping. Pairs are ordered by stable id.

pub mod broad;
mod error;
pub mod narrow;
pub mod query;
pub mod shape;

pub use error::ShapeError;
pub use shape::Shape;
