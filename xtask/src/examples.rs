//! `cargo xtask examples`: every example of every crate is built as the tests are, and run; each asserts what it shows.
//!
//! They run in a folder of their own, so that what one writes is not left anywhere. Examples whose name begins with
//! `measure_` print timings; they are built and not run.

use crate::shell::{self, Outcome, cargo};
use crate::workspace::Workspace;
use std::process::Command;

/// Builds and runs them.
///
/// # Errors
/// The first one that does not compile or fails.
pub(crate) fn run() -> Outcome {
    shell::run(cargo().args(["build", "--workspace", "--examples", "--profile", "test"]))?;
    let workspace = Workspace::load()?;
    let binaries = workspace.target_directory.join("debug").join("examples");
    let folder = std::env::temp_dir().join(format!("drystone-examples-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let names = || workspace.packages.iter().flat_map(|package| &package.examples);
    let to_run = || names().filter(|name| !name.starts_with("measure_"));
    let outcome = to_run().try_for_each(|name| {
        let program = binaries.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
        shell::run(Command::new(program).current_dir(&folder))
    });
    std::fs::remove_dir_all(&folder)?;
    outcome?;
    println!("examples: {} run, {} built", to_run().count(), names().count());
    Ok(())
}
