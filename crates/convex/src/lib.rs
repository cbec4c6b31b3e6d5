#![doc = include_str!("../README.md")]
//!
//! # In depth
//!
//! Contact as convex programs.
//!
//! In: a discrete problem, or bodies and a contact graph. Out: impulses, with a figure that says how good they are.
//! Knows no shape. Start reading at [`ConvexSolver`].
//!
//! | module | source | method |
//! |---|---|---|
//! | [`solver`] | S2 section 4, RR-9118 | the cone or pyramid program by a general solver (clarabel), with De Saxcé's correction for Coulomb's law |
//! | [`interior`] | S2-33 | the exact-cone program of an island over its bodies' velocities, by an interior-point method of its own |
//! | [`suite`] | S2 | sequential collisions, collision and static programs, freezing: an `Solver` |
//!
//! A crate of its own, because the general solver pulls in what the engine does not need.
//!
//! Conventions: those of [`drystone_resolution::problem`]; `f64` throughout; normal first in a contact's frame. S2's
//! normals point from A to B, as ours do.
//! Invariants: equal input gives equal bits; impulses lie in the cone or pyramid that was asked for, to rounding.

pub mod interior;
mod rounds;
pub mod solver;
pub mod suite;

pub use interior::InteriorSolver;
pub use solver::{ConeChoice, ConvexSolver, Law, objective};
pub use suite::{QpSuite, SuiteConfig, SuiteTotals};
