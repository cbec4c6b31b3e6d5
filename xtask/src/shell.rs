//! Starts processes: each command is shown before it runs, its output goes straight to the terminal, and its
//! time is told after it.

use std::fmt;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

/// Why a command of ours ended badly, in a sentence.
#[derive(Debug)]
pub struct Failure(String);

impl Failure {
    /// A failure with this message.
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

/// What every command returns.
pub type Outcome<T = ()> = Result<T, Failure>;

/// The exit code of a command, after what went wrong was told.
pub fn exit(outcome: Outcome) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::FAILURE
        }
    }
}

/// Cargo, working at the root of the repository.
pub fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(crate::workspace::root());
    command
}

/// Runs a command to its end.
///
/// # Errors
/// When it cannot be started or does not succeed.
pub fn run(command: &mut Command) -> Outcome {
    let (line, start) = begin(command);
    let status = command.status().map_err(|e| Failure::new(format!("cannot start `{line}`: {e}")))?;
    end(&line, start, status.success(), &status.to_string())
}

/// Runs a command to its end and returns what it wrote to standard output, which is shown all the same.
/// The text is returned also when the command fails.
pub fn run_and_read(command: &mut Command) -> (String, Outcome) {
    let (line, start) = begin(command);
    let mut text = String::new();
    let mut read = || -> Outcome {
        let mut child = command
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|e| Failure::new(format!("cannot start `{line}`: {e}")))?;
        if let Some(stdout) = child.stdout.take() {
            for row in BufReader::new(stdout).lines() {
                let row = row?;
                println!("{row}");
                text.push_str(&row);
                text.push('\n');
            }
        }
        let status = child.wait()?;
        end(&line, start, status.success(), &status.to_string())
    };
    let outcome = read();
    (text, outcome)
}

/// Shows a command; returns its line and when it started.
fn begin(command: &Command) -> (String, Instant) {
    let line = line_of(command);
    println!("\n$ {line}");
    // Children write to the same terminal: what we said must be out before they speak.
    let _ = std::io::stdout().flush();
    (line, Instant::now())
}

fn end(line: &str, start: Instant, success: bool, status: &str) -> Outcome {
    let time = seconds(start.elapsed());
    if success {
        println!("  done in {time}");
        Ok(())
    } else {
        Err(Failure::new(format!("`{line}` failed after {time} ({status})")))
    }
}

/// A time for people: seconds with one decimal.
pub fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

/// A command as one would type it. Programs are shown without their folder.
fn line_of(command: &Command) -> String {
    let program = std::path::Path::new(command.get_program());
    let program = program.file_name().unwrap_or(program.as_os_str()).to_string_lossy();
    let settings = command.get_envs().filter_map(|(key, value)| {
        value.map(|value| format!("{}={}", key.to_string_lossy(), quoted(&value.to_string_lossy())))
    });
    let args = command.get_args().map(|arg| quoted(&arg.to_string_lossy()));
    settings.chain([program.into_owned()]).chain(args).collect::<Vec<_>>().join(" ")
}

/// Quotes what a shell would split.
fn quoted(word: &str) -> String {
    if word.is_empty() || word.contains(char::is_whitespace) { format!("'{word}'") } else { word.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_shown_as_it_would_be_typed() {
        let mut command = Command::new("/usr/bin/cargo");
        command.args(["doc", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings");
        assert_eq!(line_of(&command), "RUSTDOCFLAGS='-D warnings' cargo doc --no-deps");
    }

    #[test]
    fn a_program_that_is_missing_is_named() {
        let failure = run(&mut Command::new("no-such-program-here")).unwrap_err();
        assert!(failure.to_string().starts_with("cannot start `no-such-program-here`"), "{failure}");
    }
}
