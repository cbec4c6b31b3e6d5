#![doc = include_str!("../README.md")]
//!
//! # In depth
//!
//! Trees of links in reduced coordinates.
//!
//! In: a [`Model`] (links, joints, what acts along them), a [`State`], forces. Out: motion, forces, impulses, energies.
//! Knows no world, no shape and no contact; joints by constraints are those of `drystone-joint`.
//! Start reading at [`Articulation::step`]; without time steps at [`dynamics`].
//!
//! | module | what | source |
//! |---|---|---|
//! | [`spatial`] | vectors of six numbers, inertias, sine and cosine | Featherstone 2008, chapter 2 |
//! | [`ModelBuilder`], [`Model`], [`State`], [`Kinematics`] | links and joints; positions and velocities; where links are | chapter 4 |
//! | [`dynamics`] | forward and inverse dynamics, mass matrix, Jacobians, responses to impulses, energies | chapters 5 to 8 |
//! | [`Articulation`] | the step: smooth motion, motors, damping, friction, limits, loop closures | each file of `src/step` names its own |
//! | [`reach`] | inverse kinematics within limits | Nakamura and Hanafusa 1986 |
//!
//! Featherstone: Rigid Body Dynamics Algorithms, Springer 2008. Our departures are listed in the files: all vectors have world axes,
//! and joints of several degrees of freedom are eliminated one direction after the other.
//!
//! Invariants: equal input gives equal bits, on every machine (no function of the platform's library but the square root); bad input is an
//! [`ArticulationError`] and changes nothing; a step allocates nothing after warm-up; every limit that a step hits is in its
//! [`StepReport`].
//!
//! Conventions: SI, radians, `f64`; world axes but where a name says local; a force on link B by a loop closure acts on A with the
//! opposite sign. Angles of revolute joints count revolutions. Quaternions are stored (x, y, z, w).

mod builder;
pub mod dynamics;
mod error;
mod inverse_kinematics;
mod kinematics;
mod model;
pub mod spatial;
mod state;
mod step;

pub use builder::{LinkSpec, ModelBuilder};
pub use error::ArticulationError;
pub use inverse_kinematics::{ReachConfig, Reached, reach};
pub use kinematics::{Kinematics, LinkPose};
pub use model::{
    BallAxis, BallSpec, DofSpec, JointDirection, JointKind, JointSpec, Link, LinkIndex, Model, Motor,
    Transform,
};
pub use state::State;
pub use step::{Articulation, BoundedImpulse, Integrator, LoopKind, LoopSpec, StepConfig, StepReport};
