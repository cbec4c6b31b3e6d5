//! `cargo xtask testbed`: checks the testbed, and lets it take a picture of every scene, in a window on a screen in memory (Xvfb); without one the pictures
//! are left out with a line that says so.

use crate::leaf::Leaf;
use crate::shell::Outcome;

/// Runs its checks and tests.
///
/// # Errors
/// What does not build, a test that fails, a scene whose picture is blank.
pub(crate) fn run() -> Outcome {
    let leaf = Leaf::new("testbed", "testbed")?;
    leaf.check_sources()?;
    leaf.test()
}
