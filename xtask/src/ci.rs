//! `cargo xtask ci`: the whole gate, the same here and remotely.

use crate::shell::{self, Failure, Outcome, cargo, seconds};
use crate::workspace::Workspace;
use crate::{bench, bindings, docs_check, examples, features, layers, lint, test, testbed};
use std::process::Command;
use std::time::{Duration, Instant};

/// A step of the gate: its name, and what it does.
type Step = (&'static str, fn(&mut test::Count) -> Outcome);

/// The steps, in this order: what is fast and fails often comes first.
const STEPS: [Step; 11] = [
    ("lint", |_| lint::run()),
    ("layers", |_| layers::run()),
    ("docs-check", |_| docs_check::run()),
    ("test", |count| test::count(None, &[]).map(|found| *count = found)),
    ("examples", |_| examples::run()),
    ("bindings", |_| bindings::run()),
    ("testbed", |_| testbed::run()),
    ("features", |_| features::run_if_installed()),
    ("bench smoke", |_| bench::smoke()),
    ("command line", |_| command_line()),
    ("validate", |_| validate()),
];

/// What of the gate to run.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Leaves a step out, by its name in the summary; may be repeated. For a machine that has just run the tests by themselves.
    #[arg(long, value_name = "STEP", value_parser = clap::builder::PossibleValuesParser::new(STEPS.map(|(name, _)| name)))]
    skip: Vec<String>,
}

/// Runs the steps up to the first that fails; ends with what each took, and the number of tests.
///
/// # Errors
/// The step that failed, by name.
pub(crate) fn run(args: &Args) -> Outcome {
    let mut count = test::Count::default();
    let mut times: Vec<(&str, Duration)> = Vec::new();
    for (name, step) in STEPS.into_iter().filter(|(name, _)| !args.skip.iter().any(|skipped| skipped == name))
    {
        println!("\n=== {name}");
        let start = Instant::now();
        let outcome = step(&mut count);
        times.push((name, start.elapsed()));
        if let Err(failure) = outcome {
            summary(&times, Some(name));
            return Err(Failure::new(format!("step `{name}`: {failure}")));
        }
    }
    summary(&times, None);
    for skipped in &args.skip {
        println!("left out: {skipped}");
    }
    if times.iter().any(|(name, _)| *name == "test") {
        println!("{count}");
    }
    Ok(())
}

fn summary(times: &[(&str, Duration)], failed: Option<&str>) {
    println!("\n=== summary");
    for (name, time) in times {
        let verdict = if failed == Some(*name) { "FAILED" } else { "ok" };
        println!("{name:<14}{:>10}  {verdict}", seconds(*time));
    }
    println!("{:<14}{:>10}", "total", seconds(times.iter().map(|(_, time)| *time).sum()));
}

/// The program as the README starts it, for a moment and in a folder of its own: what it writes stays there.
fn command_line() -> Outcome {
    shell::run(cargo().args(["build", "--release"]))?;
    let folder = std::env::temp_dir().join(format!("drystone-ci-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let name = format!("drystone{}", std::env::consts::EXE_SUFFIX);
    let program = Workspace::load()?.target_directory.join("release").join(name);
    let start = |args: &[&str]| shell::run(Command::new(&program).args(args).current_dir(&folder));
    let outcome = start(&["run", "bullet5", "--seconds", "0.2"]);
    std::fs::remove_dir_all(&folder)?;
    outcome
}

/// The quick reference cases, as `cargo xtask validate --quick` runs them.
fn validate() -> Outcome {
    shell::run(Command::new(std::env::current_exe()?).args(["validate", "--quick"]))
}
