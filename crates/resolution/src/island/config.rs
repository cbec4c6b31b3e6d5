//! How a step's islands become problems, and how well they are solved.

use crate::ResolutionError;
use crate::problem::SolveOptions;
use drystone_math::Real;

/// Tuning of [`super::IslandSolver`].
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct IslandSolverConfig {
    /// Natural-map error, relative to the free velocities, at which an island counts as solved. Default 1e-6; positive.
    /// Impulses are scaled to velocities first, so it does not depend on units. Smaller creeps less and costs iterations.
    pub tolerance: Real,
    /// Iterations of the solver after which an island is left as it is. Default 1000; at least 1.
    pub max_iterations: u32,
    /// Closing speed from which a contact bounces, in units of `g dt`. Default 2; at least 0.
    pub restitution_threshold: Real,
    /// Slip at the begin of a step from which friction is kinetic, in units of `g dt`. Default 0.1; at least 0.
    pub slip_threshold: Real,
    /// Closing speed above which a sleeper that is struck wakes, in units of `g dt`. Default 0.5; at least 0.
    pub wake_threshold: Real,
    /// Closing speed above which a contact counts as unsolved, in units of `g dt`. Default 0.01; positive.
    pub residual_threshold: Real,
    /// Turns of contacts and joints of an island after which they are left as they are. Default 20; at least 1. Only islands with joints take any.
    pub joint_rounds: u32,
    /// Sweeps over the joints of an island per turn, for those that are not solved directly. Default 16; at least 1. More are nearer to what limits and motors ask.
    pub joint_sweeps: u32,
    /// By how much joints may change the velocity of a contact after it was solved, in units of `g dt`. Default 1e-3; positive. Smaller slips and sinks less, and
    /// costs turns.
    pub joint_tolerance: Real,
    /// Whether an island is solved in parts where only sleepers, which do not move, hold it together (S3-25). Default false. Not in worlds with joints. Equal up to the
    /// tolerance, and cheaper where bodies sleep one by one; an island that is all awake pays a search.
    pub splits_at_sleepers: bool,
}

impl Default for IslandSolverConfig {
    fn default() -> Self {
        Self {
            tolerance: 1e-6,
            max_iterations: 1000,
            restitution_threshold: 2.0,
            slip_threshold: 0.1,
            wake_threshold: 0.5,
            residual_threshold: 0.01,
            joint_rounds: 20,
            joint_sweeps: 16,
            joint_tolerance: 1e-3,
            splits_at_sleepers: false,
        }
    }
}

impl IslandSolverConfig {
    /// `Ok` when every value is in range.
    ///
    /// # Errors
    /// The first value out of range, with its name.
    pub fn validate(&self) -> Result<(), ResolutionError> {
        let check = ResolutionError::check;
        let at_least_0 = |field, value: Real| check(field, "at least 0", value, value >= 0.0);
        check("tolerance", "positive", self.tolerance, self.tolerance > 0.0)?;
        let most = self.max_iterations;
        check("max_iterations", "at least 1", most as Real, most >= 1)?;
        for (field, most) in [("joint_rounds", self.joint_rounds), ("joint_sweeps", self.joint_sweeps)] {
            check(field, "at least 1", most as Real, most >= 1)?;
        }
        check("joint_tolerance", "positive", self.joint_tolerance, self.joint_tolerance > 0.0)?;
        at_least_0("restitution_threshold", self.restitution_threshold)?;
        at_least_0("slip_threshold", self.slip_threshold)?;
        at_least_0("wake_threshold", self.wake_threshold)?;
        check("residual_threshold", "positive", self.residual_threshold, self.residual_threshold > 0.0)
    }

    /// What the solver is asked. No time limit: the result of a step must not depend on the machine.
    pub(super) fn options(&self) -> SolveOptions {
        SolveOptions {
            tolerance: f64::from(self.tolerance),
            max_iterations: u64::from(self.max_iterations),
            time_limit: None,
        }
    }
}
