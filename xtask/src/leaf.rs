//! Leaf crates: workspaces of their own, outside the main one because of what they depend on. Built under cargo's target folder, each kind in a folder of
//! its own, with the versions of their lock files.

use crate::shell::{self, Outcome, cargo};
use crate::workspace::{Workspace, root};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A workspace beside the main one, and where it is built.
#[derive(Debug)]
pub struct Leaf {
    /// Its folder.
    pub folder: PathBuf,
    /// Its target folder.
    pub target: PathBuf,
}

impl Leaf {
    /// The workspace in this folder of the repository, built in `name` under the target folder.
    ///
    /// # Errors
    /// When cargo does not say where it builds.
    pub fn new(folder: impl AsRef<Path>, name: &str) -> Outcome<Self> {
        Ok(Self { folder: root().join(folder), target: Workspace::load()?.target_directory.join(name) })
    }

    /// A command of cargo for it. Nobody debugs what it builds, and what debuggers read takes long to write.
    pub fn cargo(&self) -> Command {
        let mut command = cargo();
        command
            .current_dir(&self.folder)
            .env("CARGO_TARGET_DIR", &self.target)
            .env("CARGO_PROFILE_DEV_DEBUG", "0");
        command
    }

    /// Its sources are formatted, and clippy finds nothing.
    ///
    /// # Errors
    /// What is found.
    pub fn check_sources(&self) -> Outcome {
        shell::run(self.cargo().args(["fmt", "--check"]))?;
        shell::run(self.cargo().args(["clippy", "--locked", "--all-targets", "--", "--deny", "warnings"]))
    }

    /// Its tests.
    ///
    /// # Errors
    /// The first that fails.
    pub fn test(&self) -> Outcome {
        shell::run(self.cargo().args(["test", "--locked"]))
    }
}

/// Whether a program is there and answers.
pub fn answers(program: &OsString, arguments: &[&str]) -> bool {
    let mut command = Command::new(program);
    let status = command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}
