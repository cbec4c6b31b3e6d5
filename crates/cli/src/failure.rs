//! Why the program ends early, and with which exit code.

use drystone_scenes::SceneError;
use std::fmt;
use std::process::ExitCode;

/// A message for people, on one line.
#[derive(Debug)]
pub(crate) struct Failure {
    message: String,
    code: u8,
}

impl Failure {
    /// The user asked for something that cannot be.
    pub(crate) fn input(message: impl fmt::Display) -> Self {
        Self::new(message, 2)
    }

    /// What the user asked for was fine, but could not be done.
    pub(crate) fn work(message: impl fmt::Display) -> Self {
        Self::new(message, 1)
    }

    /// All that failed, as one failure.
    pub(crate) fn all(results: impl IntoIterator<Item = Result<(), Self>>) -> Result<(), Self> {
        let mut failures = results.into_iter().filter_map(Result::err);
        let Some(mut first) = failures.next() else { return Ok(()) };
        failures.for_each(|next| first.message += &format!("; {next}"));
        Err(first)
    }

    fn new(message: impl fmt::Display, code: u8) -> Self {
        let message = message.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
        Self { message, code }
    }

    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.code)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl From<SceneError> for Failure {
    fn from(error: SceneError) -> Self {
        Self::input(error)
    }
}
