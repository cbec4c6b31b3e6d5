//! Project commands: `cargo xtask <command>`.
//!
//! One file per command; each has a `run` that returns [`shell::Outcome`]. What starts a process goes through
//! [`shell`], which shows the command and its time; what needs to know the packages asks [`workspace`].
//! Nothing here needs the engine, so it builds in seconds: commands that do are passed on to the package `drystone-lab` ([`lab`]).

mod bindings;
mod ci;
mod examples;
mod features;
mod fuzz;
mod lab;
mod layers;
mod lint;
mod quick;
mod sanitize;
mod test;
mod testbed;

use clap::{Parser, Subcommand};
use std::process::ExitCode;
use xtask::{docs_check, leaf, shell, workspace};

/// Project commands of drystone.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    command: Task,
}

/// What to do.
#[derive(Debug, Subcommand)]
enum Task {
    /// What one runs before each commit: format, layers, documents, clippy of what changed.
    Quick,
    /// The whole gate: lint, layers, docs-check, tests, examples, bindings, the testbed, the judge of the peers, the fuzz targets, sets of features, a bench and
    /// command-line smoke run, quick validation.
    Ci(ci::Args),
    /// Format, clippy and rustdoc, all with warnings as errors.
    Lint,
    /// Checks the dependencies between our crates against the table in `docs/architecture.md`.
    Layers,
    /// Runs all tests; what follows is passed on to `cargo test`.
    Test(test::Args),
    /// Builds and runs every example.
    Examples,
    /// Checks that every crate compiles alone, with each set of its features.
    Features,
    /// Builds what other languages use, and runs its tests and examples.
    Bindings,
    /// Checks the testbed; it takes a picture of every scene.
    Testbed,
    /// Runs the fuzz targets and writes what they found.
    Fuzz(fuzz::Args),
    /// Runs what works on several threads with the sanitizers of the compiler.
    Sanitize(sanitize::Args),
    /// Checks that what the documents name exists.
    DocsCheck,
    /// Runs the benchmarks, or one suite of them.
    Bench(lab::Args),
    /// Runs the scenes of the papers and writes what they cost.
    Papers(lab::Args),
    /// Runs the same scenes in other engines and compares times and quality.
    Peers(lab::Args),
    /// Imports robots of other programs and runs them.
    ImportBench(lab::Args),
    /// The state hash of every scene with every preset: written to a file, or compared with one.
    Hashes(lab::Args),
    /// One long run of a pile that churns, to see that nothing grows.
    Soak(lab::Args),
    /// Whether joints give energy, lose it, or lose what they hold.
    JointsEnergy(lab::Args),
    /// Compares the engine with reference cases.
    Validate(lab::Args),
}

fn main() -> ExitCode {
    shell::exit(match Arguments::parse().command {
        Task::Quick => quick::run(),
        Task::Ci(args) => ci::run(&args),
        Task::Lint => lint::run(),
        Task::Layers => layers::run(),
        Task::Test(args) => test::run(&args),
        Task::Examples => examples::run(),
        Task::Features => features::run(),
        Task::Bindings => bindings::run(),
        Task::Testbed => testbed::run(),
        Task::Fuzz(args) => fuzz::run(&args),
        Task::Sanitize(args) => sanitize::run(&args),
        Task::DocsCheck => docs_check::run(),
        Task::Bench(args) => lab::run("bench", &args.rest),
        Task::Papers(args) => lab::run("papers", &args.rest),
        Task::Peers(args) => lab::run("peers", &args.rest),
        Task::ImportBench(args) => lab::run("import-bench", &args.rest),
        Task::Hashes(args) => lab::run("hashes", &args.rest),
        Task::Soak(args) => lab::run("soak", &args.rest),
        Task::JointsEnergy(args) => lab::run("joints-energy", &args.rest),
        Task::Validate(args) => lab::run("validate", &args.rest),
    })
}
