//! drystone: a rigid-body engine for bodies in contact, piled high.
//!
//! A dry-stone wall has no mortar: contact, friction and weight hold it. This crate wires the stages
//! (detection, contact graph, correction, waking, resolution, sleeping) into a [`World`]; every stage is a
//! crate of its own that can be used alone. This one contains no algorithm.
//!
//! ```
//! use drystone::math::{Pose, Vector3};
//! use drystone::{BodySpec, ColliderSpec, Shape, World, WorldConfig};
//!
//! let mut world = World::new(WorldConfig::default())?;
//! let ground = ColliderSpec::new(Shape::half_space(Vector3::y())?);
//! world.add_body(BodySpec::fixed().collider(ground))?;
//! let cube = ColliderSpec::new(Shape::cuboid(Vector3::repeat(0.5))?);
//! let falling = world.add_body(BodySpec::dynamic().pose(Pose::at(0.0, 2.0, 0.0)).collider(cube))?;
//! for _ in 0..120 {
//!     let report = world.step(1.0 / 60.0)?;
//!     assert!(report.worst_overlap < 0.01);
//! }
//! let height = world.pose(falling)?.translation.y;
//! assert!((height - 0.5).abs() < 1e-3, "the cube rests on the ground, at {height} m");
//! assert!(world.bodies().filter(|b| b.is_asleep).count() == 1);
//! # Ok::<(), drystone::WorldError>(())
//! ```

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
    AdvanceChoice, BroadPhaseChoice, CorrectionSettings, DetectionConfig, OrderChoice, WorldConfig,
};
pub use continuous::{ContinuousConfig, ContinuousReport};
pub use error::WorldError;
pub use report::{Stage, StepReport, WorstContact};
pub use snapshot::{Snapshot, SnapshotError};
pub use spec::{BodySpec, ColliderSpec};
pub use stage::{DetectMode, Penetration};
pub use world::{BodyRef, Concern, ContactRef, Finding, Found, JointRef, QueryFilter, Triggers, World};

pub use drystone_collision::query::{
    CastStatus, ClosestPoints, PointProjection, QueryError, Ray, RayHit, ShapeHit,
};
pub use drystone_collision::{Shape, ShapeError};
pub use drystone_contact::{
    AxisLocks, Batches, Bodies, BodyHandle, BodyKind, ColliderHandle, Composite, CompositeHandle,
    ContactError, ContactGraph, EdgeClass, EdgeKind, EdgeState, Event, EventConfig, EventDetail, EventKind,
    GraphChanges, GraphSnapshot, HitEvent, JointHandle, Key, Keyframes, Material, MaterialId, MaterialTable,
    Motion, Multibody, MultibodyHandle, NodeKey, NodeKind, PairMaterial, ProximityEvent, Rule, RuleAction,
    RuleHandle, RulePair, RuleSide, SnapshotEdge, SnapshotNode, StepParams, Supports, TimerHandle, TimerSpec,
    TimerState, TimerTick, TouchEvent, TouchPhase, TriggerEvent, TriggerPhase, Wake, WakeCause, WakeCounts,
};
#[cfg(feature = "convex")]
pub use drystone_convex::{QpSuite, SuiteConfig, SuiteTotals};
pub use drystone_correction::CorrectionConfig;
pub use drystone_exec::{Exec, ExecError, Lane, Recording, SpanDetail, SpanRecord};
pub use drystone_joint::{Anchor, Joint, JointAxis, JointError, JointKind, JointSpec, Motor};
pub use drystone_math as math;
pub use drystone_resolution::{
    Advance, AdvanceReport, Escalation, EscalationConfig, GroupAdvance, GroupConfig, Hybrid, ImpulseAdvance,
    ImpulseConfig, InteriorPoint, LcpConfig, LcpSolver, Nsgs, NsgsConfig, ProximalNewton, SubStepAdvance,
    SubStepConfig, lcp::FrictionLaw, nsgs::SweepOrder,
};
pub use drystone_sleeping::{SleepConfig, SleepyConfig};

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
        ContactGraph: "docs/contact-graph.md",
    }
}
