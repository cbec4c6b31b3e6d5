//! Runs a scene and measures the run.
//!
//! In: a [`Scene`] and [`RunOptions`]. Out: an [`Outcome`], whose measures are taken from poses, velocities
//! and contact distances, not from what the engine says about itself, so that they mean the same for any
//! engine. Start reading at [`run_scene`]; [`Runner`] is the same step by step.

mod build;
mod joint;
mod logic;
mod metrics;
mod options;
mod outcome;
mod runner;

pub(crate) use build::rotation;
pub use build::{BuiltShape, ShapePart, build_shape};
pub(crate) use joint::{JointTrial, frame};
pub(crate) use logic::build_motion;
pub(crate) use metrics::kinetic_energy;
pub use options::{DEFAULT_ACCELERATION, MAX_STEPS, Preset, RunOptions, Schedule, parse_setting};
pub use outcome::{History, JointQuality, Outcome, Quality, SnapshotCost, StepTimes};
pub use runner::Runner;

use crate::error::SceneError;
use crate::model::Scene;
use drystone::{StepReport, World};

/// Runs a whole scene; `observer` sees the world after each step.
///
/// # Errors
/// An invalid scene or option, or what the engine refuses.
pub fn run_scene(
    scene: &Scene,
    options: &RunOptions,
    mut observer: impl FnMut(&World, &StepReport),
) -> Result<Outcome, SceneError> {
    let mut runner = Runner::new(scene, options)?;
    while runner.step()? {
        if let Some(report) = runner.report() {
            observer(runner.world(), report);
        }
    }
    Ok(runner.finish())
}
