#![doc = include_str!("../README.md")]
//!
//! # In depth
//!
//! drystone: a rigid-body engine for bodies in contact, piled high.
//!
//! A dry-stone wall has no mortar: contact, friction and weight hold it. This crate wires the stages
//! (detection, contact graph, correction, waking, resolution, sleeping) into a [`World`]; every stage is a
//! crate of its own that can be used alone. This one contains no algorithm.
//!

mod coherence;
mod config;
mod continuous;
pub mod debug;
mod error;
mod fields;
mod report;
mod snapshot;
mod spec;
mod stage;
pub mod testing;
mod world;

pub use coherence::CoherenceConfig;
pub use config::{
    BroadPhaseChoice, CorrectionSettings, DetectionConfig, EnergyCheck, OrderChoice, SolverChoice,
    WorldConfig,
};
pub use continuous::{ContinuousConfig, ContinuousReport};
pub use error::WorldError;
pub use report::{EnergyGrowth, Stage, StepReport, WorstContact};
pub use snapshot::{Snapshot, SnapshotError};
pub use spec::{BodySpec, ColliderSpec};
pub use stage::{DetectMode, Penetration};
pub use world::{
    ArticulationRef, BodyRef, ContactRef, CouplingRef, JointRef, LintFinding, LintKind, QueryFilter,
    QueryHit, Triggers, World,
};

pub use drystone_articulation as articulation;
pub use drystone_collision::query::{
    CastStatus, ClosestPoints, PointProjection, QueryError, Ray, RayHit, ShapeHit,
};
pub use drystone_collision::{Shape, ShapeError};
pub use drystone_contact::{
    ArticulationHandle, AxisLocks, Batches, Bodies, BodyHandle, BodyKind, ColliderHandle, Composite,
    CompositeHandle, ContactError, ContactGraph, EdgeClass, EdgeKind, EdgeState, Event, EventConfig,
    EventDetail, EventKind, GraphChanges, GraphSnapshot, HitEvent, JointHandle, Key, Keyframes, Material,
    MaterialId, MaterialTable, Motion, Multibody, MultibodyHandle, NodeKey, NodeKind, PairMaterial,
    ProximityEvent, Rule, RuleAction, RuleHandle, RulePair, RuleSide, SnapshotEdge, SnapshotNode, StepParams,
    Supports, TimerHandle, TimerSpec, TimerState, TimerTick, TouchEvent, TouchPhase, TriggerEvent,
    TriggerPhase, Wake, WakeCause, WakeCounts,
};
#[cfg(feature = "convex")]
pub use drystone_convex::{QpSuite, SuiteConfig, SuiteTotals};
pub use drystone_correction::CorrectionConfig;
pub use drystone_exec::{Exec, ExecError, Lane, Recording, SpanDetail, SpanRecord};
pub use drystone_joint::{
    Anchor, Coupled, CouplingSpec, Joint, JointAxis, JointError, JointKind, JointSpec, Motor, Softness,
};
pub use drystone_math as math;
pub use drystone_resolution::{
    Escalation, EscalationConfig, ImpulseConfig, ImpulseSolver, InteriorPoint, IslandSolver,
    IslandSolverConfig, LcpConfig, LcpSolver, Nsgs, NsgsConfig, NsgsThenInterior, ProximalNewton,
    ReducedError, Solver, SolverReport, SubStepConfig, SubStepSolver, lcp::FrictionLaw, nsgs::SweepOrder,
};
pub use drystone_sleeping::{EnergySleepConfig, SleepConfig};

/// The pages of the book whose examples are run as tests.
#[cfg(doctest)]
mod book {
    macro_rules! pages {
        ($($name:ident: $file:literal,)*) => {
            $(#[doc = include_str!(concat!("../../../", $file))] struct $name;)*
        };
    }

    pages! {
        Readme: "README.md",
        Concepts: "docs/concepts.md",
        Standing: "docs/how-to/standing.md",
        HeavyOnLight: "docs/how-to/heavy-on-light.md",
        Bullets: "docs/how-to/bullets.md",
        Conveyor: "docs/how-to/conveyor.md",
        Terrain: "docs/how-to/terrain.md",
        Triggers: "docs/how-to/triggers.md",
        Rollback: "docs/how-to/rollback.md",
        OwnDetection: "docs/how-to/own-detection.md",
        OwnSolver: "docs/how-to/own-solver.md",
        Joints: "docs/joints.md",
        Articulations: "docs/articulations.md",
        ContactGraph: "docs/contact-graph.md",
    }
}
