//! `cargo xtask test`: all tests of the workspace, counted.

use crate::shell::{self, Failure, Outcome, cargo};

/// What to test.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Seed of the cases of property tests, to try others than the gate does.
    #[arg(long)]
    seed: Option<u64>,
    /// Passed on to `cargo test --workspace`: a name to filter by, `-- --nocapture`, and so on.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    rest: Vec<String>,
}

/// Tests that passed, failed and were left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Count {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
    pub(crate) ignored: u64,
}

/// Runs the tests and ends with their number.
///
/// # Errors
/// When one fails or does not compile.
pub(crate) fn run(args: &Args) -> Outcome {
    count(args.seed, &args.rest).map(|_| ())
}

/// Runs the tests, those of all binaries also when one of them fails, and counts them.
///
/// # Errors
/// When one fails or does not compile.
pub(crate) fn count(seed: Option<u64>, rest: &[String]) -> Outcome<Count> {
    let mut command = cargo();
    command.args(["test", "--workspace", "--no-fail-fast"]).args(rest);
    if let Some(seed) = seed {
        command.env("PROPTEST_RNG_SEED", seed.to_string());
    }
    let (text, outcome) = shell::run_and_read(&mut command);
    let count = Count::of(&text);
    println!("{count}");
    outcome.map_err(|failure| Failure::new(format!("{failure}; {count}"))).map(|()| count)
}

impl Count {
    /// Adds up the `test result:` lines of `cargo test`.
    fn of(text: &str) -> Self {
        let mut sum = Self::default();
        for line in text.lines().filter_map(|line| line.split_once("test result:").map(|(_, rest)| rest)) {
            for part in line.split([';', '.']) {
                let mut words = part.split_whitespace();
                let (Some(number), Some(what)) = (words.next(), words.next()) else { continue };
                let Ok(number) = number.parse::<u64>() else { continue };
                match what {
                    "passed" => sum.passed += number,
                    "failed" => sum.failed += number,
                    "ignored" => sum.ignored += number,
                    _ => {}
                }
            }
        }
        sum
    }
}

impl std::fmt::Display for Count {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)?;
        if self.ignored > 0 { write!(f, ", {} ignored", self.ignored) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_all_binaries_are_added_up() {
        let text = "running 2 tests\n\
            test result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.10s\n\
            test result: FAILED. 40 passed; 3 failed; 0 ignored; 0 measured; 5 filtered out; finished in 1.00s\n";
        let count = Count::of(text);
        assert_eq!(count, Count { passed: 42, failed: 3, ignored: 1 });
        assert_eq!(count.to_string(), "42 passed, 3 failed, 1 ignored");
    }
}
