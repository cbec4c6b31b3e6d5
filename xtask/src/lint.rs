//! `cargo xtask lint`: format, clippy and rustdoc, all with warnings as errors.

use crate::shell::{self, Outcome, cargo};

/// Runs the linters, the fastest first.
///
/// # Errors
/// The first one that complains.
pub(crate) fn run() -> Outcome {
    shell::run(cargo().args(["fmt", "--all", "--", "--check"]))?;
    // A workspace of its own, whose dependencies nobody needs for this.
    shell::run(cargo().args(["fmt", "--manifest-path", "benches/peers/Cargo.toml", "--", "--check"]))?;
    shell::run(clippy().args(["--workspace", "--all-targets", "--", "-D", "warnings"]))?;
    // A feature adds an ability and may be left out: what it switches must compile without it.
    let without = ["--package", "drystone-exec", "--no-default-features", "--", "-D", "warnings"];
    shell::run(clippy().args(without))?;
    // Libraries first; the program `drystone` would write over the library of the same name.
    shell::run(documentation().args(["--workspace", "--lib"]))?;
    shell::run(documentation().args([
        "--package",
        "xtask",
        "--package",
        "drystone-lab",
        "--bins",
        "--document-private-items",
    ]))
}

fn clippy() -> std::process::Command {
    let mut command = cargo();
    command.arg("clippy");
    command
}

fn documentation() -> std::process::Command {
    let mut command = cargo();
    command.args(["doc", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings");
    command
}
