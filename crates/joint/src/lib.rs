#![doc = include_str!("../README.md")]
//!
//! # In depth
//!
//! Joints: what holds two bodies together, and what of their motion it leaves.
//!
//! In: a [`JointSpec`] (a kind, where it is on both bodies, limits, motor, friction, strength). Out: a [`drystone_contact::JointConstraint`], which
//! is all that solvers know of it, kept in the edge of the contact graph that it is (S3-02, L-L). Knows no solver and no shape. Start
//! reading at [`JointSpec`]; [`Joints`] keeps them by handle. A [`CouplingSpec`] couples coordinates of two joints: gears, racks, pulleys.
//!
//! The frame of a joint: its x axis is the axis of a hinge, a slider and a cone, and what a twist turns about. Angles are those of
//! [`drystone_contact::JointCoordinates`].
//!

mod coupling;
mod error;
mod joints;
mod kind;
mod motor;
mod presets;
mod spec;

pub use coupling::CouplingSpec;
pub use error::JointError;
pub use joints::{Coupled, Joint, Joints};
pub use kind::{JointAxis, JointKind};
pub use motor::{Motor, Softness};
pub use spec::{Anchor, JointSpec};
