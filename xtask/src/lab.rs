//! Commands of the package `drystone-lab`, which measures the engine: built with the profile of published programs, and given what is left of the command line.

use crate::shell::{self, Outcome, cargo};
use std::ffi::OsString;

/// What follows the command; `--help` says what it may be.
#[derive(Debug, clap::Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Args {
    /// Passed on.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) rest: Vec<OsString>,
}

/// Runs a command of it.
///
/// # Errors
/// What does not build, the command failing.
pub(crate) fn run(command: &str, rest: &[OsString]) -> Outcome {
    let build = ["run", "--quiet", "--profile", "dist", "--package", "drystone-lab", "--"];
    // Paths of the command line are those of who typed it.
    let folder = std::env::current_dir()?;
    shell::run(cargo().current_dir(folder).args(build).arg(command).args(rest))
}
