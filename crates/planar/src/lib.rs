#![doc = include_str!("../README.md")]
//!
//! # In depth
//!
//! Rigid bodies in a plane: a world of two translations and one rotation per body, at the cost of two dimensions.
//!
//! In: bodies with circles, convex polygons, capsules, segments. Out: their motion, contacts, touch events. Knows nothing of
//! the engine in three dimensions but what both share: handles, materials and events of `drystone-contact`, the threads of
//! `drystone-exec`, the lanes of `drystone-math`. Start reading at [`PlanarWorld::step`].
//!
//! Method: loose quad-tree with a partition among workers (S4, `tree`), closed forms for pairs (S4-11..13, `narrow`),
//! colours of contacts and rigid sub-steps (`solver`), islands that sleep as a whole (`world/sleep.rs`). The faults of S4's
//! formulas (rows S4-26..28) are mended: what overlaps moves by the inverse masses, impulses have angular terms and the
//! inertia in their effective mass, moments of inertia are mass moments.
//!
//! Invariants: equal input gives equal bits at any number of threads and partitions and any instruction set; what is fixed
//! never moves; every touch that begins ends once; no allocation in a step once capacities have settled; a body whose state
//! is not finite is taken out and named.
//! Conventions: SI; angles against the clock; contact normal unit, from A to B; `distance` negative when overlapping;
//! positions `f64`, all else `f32`. A body is a slab one metre thick, so densities stay those of materials, kg/m³.
//!

mod bodies;
mod config;
mod contacts;
mod error;
mod frame;
mod narrow;
mod report;
pub mod scenes;
mod shape;
mod solver;
mod spec;
mod tree;
mod world;

pub use config::{PlanarConfig, PlanarSleep};
pub use error::PlanarError;
pub use frame::{Box2, PlanarPose, Position2, Turn, Vector2, cross, perpendicular};
pub use report::{PlanarReport, PlanarStage, PlanarWorst};
pub use shape::{MAX_CORNERS, PlanarMass, PlanarShape, PlanarShapeKind};
pub use spec::{PlanarBodySpec, PlanarColliderSpec, PlanarLocks};
pub use tree::{PartitionReport, TreeReport};
pub use world::{PartitionCell, PlanarBodyRef, PlanarContactRef, PlanarWorld};

pub use drystone_contact::{
    BodyHandle, BodyKind, ColliderHandle, Material, MaterialId, MaterialTable, PairMaterial, TouchEvent,
    TouchPhase,
};
pub use drystone_exec::{Exec, ExecError};

#[cfg(doctest)]
#[doc = include_str!("../../../docs/planar.md")]
struct Page;
