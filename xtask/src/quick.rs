//! `cargo xtask quick`: what one runs before each commit, in less than a minute where little has changed.

use crate::shell::{self, Outcome, cargo};
use crate::{docs_check, layers};

/// Format, layers and documents, then clippy of all targets.
///
/// # Errors
/// The first that complains.
pub(crate) fn run() -> Outcome {
    shell::run(cargo().args(["fmt", "--all", "--", "--check"]))?;
    layers::run()?;
    docs_check::run()?;
    shell::run(cargo().args(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))
}
