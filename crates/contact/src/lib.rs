#![doc = include_str!("../README.md")]
//!
//! # In depth
//!
//! Bodies, contact points and the contact graph. Knows no shape: whoever detects contacts hands them in
//! (S1-02), one manifold per pair of colliders.
//!
//! Conventions (`docs/architecture.md`): contact normal unit, **from A to B**; `distance` is the signed
//! gap, negative when overlapping; an impulse `j` acts as `+j` on B and `-j` on A. S1 lets its normals
//! point from B to A; module docs restate its equations in our signs.
//!
//! Invariants: handles are index and generation, a stale one is refused; iteration orders depend on the
//! history of calls only, never on hashing, threads or addresses; every touch that begins ends once.

mod batches;
mod bodies;
mod containers;
mod error;
mod events;
mod graph;
mod handle;
mod manifold;
mod material;
mod motion;
mod rules;
mod step;
mod tie;

pub use batches::{Batch, Batches};
pub use bodies::{
    AxisLocks, Bodies, BodyDesc, BodyHot, BodyKind, BodyView, BodyViewMut, LocalInertia, MASSES, MOMENTS,
    Row, SharedBodyStates, StateIndex, StateSlot, TurnRemainder, Wake, WakeCause, WakeCounts,
};
pub use containers::{Composite, ContainerRole, Containers, Multibody, joined};
pub use error::ContactError;
pub use events::{
    Event, EventConfig, EventDetail, EventKind, HitEvent, Hits, TimerSpec, TimerState, TimerTick, Timers,
    TriggerEvent, TriggerPair, TriggerPairs, TriggerPhase,
};
pub use graph::{
    ContactGraph, Edge, EdgeClass, EdgeEnd, EdgeIndex, EdgeKind, EdgeState, GraphChanges, GraphSnapshot,
    Island, IslandIndex, NO_ISLAND, NO_LEVEL, NodeKey, NodeKind, ProximityEvent, SnapshotBuilder,
    SnapshotEdge, SnapshotNode, Supports, TouchEvent, TouchPhase,
};
pub use handle::{
    ArticulationHandle, BodyHandle, BodyIndex, ColliderHandle, CompositeHandle, JointHandle, MultibodyHandle,
    RuleHandle, Slots, TimerHandle,
};
pub use manifold::{ContactPoint, MAX_POINTS, Manifold, PointGeometry};
pub use material::{Material, MaterialId, MaterialTable, PairMaterial};
pub use motion::{Key, Keyframes, Motion, rotation_vector};
pub use rules::{Rule, RuleAction, RulePair, RuleSide, Rules};
pub use step::{SUPPORT_COSINE, StepParams};
pub use tie::{
    ActiveAxes, AxisDrive, ConstraintAxis, JointConstraint, JointCoordinates, JointFrames, JointWarmStart,
    LEAST_OPENING, SPAN, TIE_AXES, TWIST, TieCoupling,
};
