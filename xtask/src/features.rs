//! `cargo xtask features`: every crate compiles alone, with each set of its features and without what its tests use.
//!
//! The work is `cargo hack`'s (`cargo install cargo-hack`). Where it is not installed the gate goes on and says so:
//! nothing else here needs it.

use crate::shell::{self, Failure, Outcome, cargo};
use std::process::Stdio;

/// Checks them all.
///
/// # Errors
/// A set of features that does not compile; `cargo hack` missing.
pub(crate) fn run() -> Outcome {
    if !is_installed() {
        return Err(Failure::new("`cargo hack` is missing: install it with `cargo install cargo-hack`"));
    }
    shell::run(cargo().args(["hack", "check", "--workspace", "--feature-powerset", "--no-dev-deps"]))
}

/// The same, or a line that says that nothing was checked, and false.
///
/// # Errors
/// A set of features that does not compile.
pub(crate) fn run_if_installed() -> Outcome<bool> {
    if is_installed() {
        return run().map(|()| true);
    }
    println!("skipped: `cargo hack` is not installed (`cargo install cargo-hack`)");
    Ok(false)
}

fn is_installed() -> bool {
    let status = cargo().args(["hack", "--version"]).stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}
