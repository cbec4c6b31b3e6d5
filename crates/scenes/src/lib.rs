#![doc = include_str!("../README.md")]
//!
//! # In depth
//!
//! Scenes: those of the papers and of the benchmarks by name, users' own from files, and how they are run.
//!
//! In: a name ([`scene`]), a text ([`Scene::parse`]) or a file of another program ([`import()`]). Out: a [`Scene`], which is plain data, and from it a
//! run with its measures ([`run_scene`], [`Runner`]). Knows the engine through its facade alone, and nothing
//! of pictures or terminals. Start reading at [`Scene`]; the named scenes are in `library`, one file per
//! family, each of which says what its paper states and what we chose where the paper is silent. Whether joints keep their
//! energy is measured in [`linkages`].
//!
//! Invariants: a scene is the same bits each time it is built; what [`Scene::validate`] accepts becomes a
//! world; an error names the field, and for a file its line and column.
//! Conventions: SI units, +y up; in scene files Euler angles are in degrees and what joints turn by in radians.

mod error;
mod file;
mod import;
mod library;
pub mod linkages;
mod mesh_file;
mod model;
mod old_words;
mod outline;
mod random;
mod run;
mod similar;
mod validate;

pub use error::{Fault, Place, SceneError};
pub use import::{ImportOptions, ImportTrial, Imported, TrialRun, import, import_trial};
pub use library::{Parameter, SceneInfo, list, scene};
pub use model::{
    Action, ArticulationSpec, Body, Bounds, CompositeSpec, CouplingEntry, CouplingKindSpec, InertiaSpec,
    JointAxisEntry, JointAxisSpec, JointEntry, JointKindSpec, KeySpec, Kind, Locks, MassSpec, MaterialSpec,
    MotionSpec, MotorSpec, Orientation, PairSpec, PairValues, PartSpec, Rates, RotorSpec, RuleEntry,
    RuleKind, SCENE_VERSION, Scene, ShapeSpec, SoftnessSpec, Standing, TimedAction, TimerEntry,
};
pub use random::Random;
pub use run::{
    BuiltShape, DEFAULT_ACCELERATION, History, JointQuality, MAX_STEPS, Outcome, Preset, Quality, RunOptions,
    Runner, Schedule, ShapePart, SnapshotCost, StepTimes, build_shape, parse_setting, run_scene,
};

#[cfg(doctest)]
#[doc = include_str!("../../../docs/how-to/files.md")]
struct FilesPage;
