//! What every engine must do here.

use crate::joint::TaskJoint;
use crate::task::TaskBody;
use drystone_math::{Pose, Vector3};

/// Where a body is and how it moves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Motion {
    /// Pose of the body's own origin.
    pub(crate) pose: Pose,
    /// Velocity of the centre of mass, m/s.
    pub(crate) linear: Vector3,
    /// Angular velocity, rad/s, world.
    pub(crate) angular: Vector3,
}

/// An engine with an empty world. Methods return what the engine refuses, in a sentence.
pub(crate) trait Engine {
    /// Adds the body of the task with this index. Bodies may come in any order, each once.
    fn add(&mut self, index: usize, body: &TaskBody) -> Result<(), String>;
    /// Joins two of these bodies, both added before and where the task has them.
    fn join(&mut self, joint: &TaskJoint, bodies: &[TaskBody]) -> Result<(), String>;
    /// Changes gravity, m/s², and wakes what sleeps.
    fn set_gravity(&mut self, gravity: Vector3) -> Result<(), String>;
    /// Takes a step of `dt` s.
    fn step(&mut self, dt: f32) -> Result<(), String>;
    /// The motion of each body of the task; `None` for one that is not there yet.
    fn motions(&self, body_count: usize) -> Vec<Option<Motion>>;
    /// Number of dynamic bodies that sleep.
    fn asleep(&self) -> usize;
    /// What differs from the engine's defaults, and defaults worth knowing, in a sentence.
    fn settings(&self) -> String;
    /// The SIMD level it was built with.
    fn lanes(&self) -> String;
}

/// The widest instruction set that this program was compiled for.
pub(crate) fn compiled_for() -> &'static str {
    if cfg!(target_feature = "avx512f") {
        "AVX-512"
    } else if cfg!(target_feature = "avx2") {
        "AVX2"
    } else if cfg!(target_feature = "sse2") {
        "SSE2"
    } else if cfg!(target_feature = "neon") {
        "NEON"
    } else {
        "scalar"
    }
}
