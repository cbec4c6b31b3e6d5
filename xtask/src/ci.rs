//! `cargo xtask ci`: the whole gate, the same here and remotely.

use crate::leaf::Leaf;
use crate::shell::{self, Failure, Outcome, cargo, seconds};
use crate::workspace::Workspace;
use crate::{bindings, docs_check, examples, features, fuzz, lab, layers, lint, test, testbed};
use std::process::Command;
use std::time::{Duration, Instant};

/// How a step ended that did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Ok,
    /// Nothing was checked, for lack of a program; the step says which.
    Skipped,
}

/// A step of the gate: its name, and what it does.
type Step = (&'static str, fn(&mut test::Count) -> Outcome<Verdict>);

/// The steps, in this order: what is fast and fails often comes first.
const STEPS: [Step; 13] = [
    ("lint", |_| done(lint::run())),
    ("layers", |_| done(layers::run())),
    ("docs-check", |_| done(docs_check::run())),
    ("test", |count| done(test::count(None, &[]).map(|found| *count = found))),
    ("examples", |_| done(examples::run())),
    ("bindings", |_| done(bindings::run())),
    ("testbed", |_| done(testbed::run())),
    ("peers", |_| done(peers())),
    ("fuzz", |_| done(fuzz::check())),
    ("features", |_| Ok(if features::run_if_installed()? { Verdict::Ok } else { Verdict::Skipped })),
    ("bench smoke", |_| done(benches())),
    ("command line", |_| done(command_line())),
    ("validate", |_| done(validate())),
];

/// Of a step that leaves nothing out.
fn done(outcome: Outcome) -> Outcome<Verdict> {
    outcome.map(|()| Verdict::Ok)
}

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
    let mut ended: Vec<Ended> = Vec::new();
    for (name, step) in STEPS.into_iter().filter(|(name, _)| !args.skip.iter().any(|skipped| skipped == name))
    {
        println!("\n=== {name}");
        let start = Instant::now();
        let outcome = step(&mut count);
        ended.push((name, start.elapsed(), outcome.as_ref().ok().copied()));
        if let Err(failure) = outcome {
            print!("{}", summary(&ended));
            return Err(Failure::new(format!("step `{name}`: {failure}")));
        }
    }
    print!("{}", summary(&ended));
    for skipped in &args.skip {
        println!("left out: {skipped}");
    }
    if ended.iter().any(|(name, ..)| *name == "test") {
        println!("{count}");
    }
    Ok(())
}

/// A step that ran, what it took, and how it ended; `None` when it failed.
type Ended = (&'static str, Duration, Option<Verdict>);

/// A line per step.
fn summary(ended: &[Ended]) -> String {
    let mut text = "\n=== summary\n".to_owned();
    for (name, time, verdict) in ended {
        let verdict = match verdict {
            Some(Verdict::Ok) => "ok",
            Some(Verdict::Skipped) => "skipped",
            None => "FAILED",
        };
        text += &format!("{name:<14}{:>10}  {verdict}\n", seconds(*time));
    }
    text + &format!("{:<14}{:>10}\n", "total", seconds(ended.iter().map(|(_, time, _)| *time).sum()))
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

/// The program that runs other engines and its judge, with drystone alone: of the other engines nothing is built.
fn peers() -> Outcome {
    Leaf::new("benches/peers", "peers")?.test()
}

/// Every benchmark once, with the checks of a debug build: they must work, nothing is measured.
fn benches() -> Outcome {
    let workspace = Workspace::load()?;
    let suites = workspace.package("drystone-benches")?.benches.iter().flat_map(|suite| ["--bench", suite]);
    // Of the workspace, not of the package alone: alone the engine has fewer features, and all of it is built once more.
    shell::run(cargo().args(["test", "--workspace"]).args(suites))
}

/// The quick reference cases, as `cargo xtask validate --quick` runs them.
fn validate() -> Outcome {
    lab::run("validate", &["--quick".into()])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What checked nothing was called "ok".
    #[test]
    fn a_step_that_was_skipped_says_so() {
        let second = Duration::from_secs(1);
        let ended = [
            ("lint", second, Some(Verdict::Ok)),
            ("features", second, Some(Verdict::Skipped)),
            ("fuzz", second, None),
        ];
        let expected = "\n=== summary\n\
            lint               1.0 s  ok\n\
            features           1.0 s  skipped\n\
            fuzz               1.0 s  FAILED\n\
            total              3.0 s\n";
        assert_eq!(summary(&ended), expected);
    }
}
