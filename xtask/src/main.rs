//! Project commands: `cargo xtask <command>`.
//!
//! One file per command; each has a `run` that returns [`shell::Outcome`]. What starts a process goes through
//! [`shell`], which shows the command and its time; what needs to know the packages asks [`workspace`].

mod attended;
mod bench;
mod bindings;
mod ci;
mod docs_check;
mod examples;
mod features;
mod fuzz;
mod import_bench;
mod joints_energy;
mod layers;
mod leaf;
mod lint;
mod papers;
mod peers;
mod sanitize;
mod shell;
mod soak;
mod test;
mod testbed;
mod validate;
mod workspace;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

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
    /// Runs the benchmarks, or one suite of them.
    Bench(bench::Args),
    /// Builds what other languages use, and runs its tests and examples.
    Bindings,
    /// Checks the testbed; it takes a picture of every scene.
    Testbed,
    /// Runs the scenes of the papers and writes what they cost.
    Papers(papers::Args),
    /// Runs the same scenes in other engines and compares times and quality.
    Peers(peers::Args),
    /// Imports robots of other programs and runs them.
    ImportBench(import_bench::Args),
    /// Runs the fuzz targets and writes what they found.
    Fuzz(fuzz::Args),
    /// Runs what works on several threads with the sanitizers of the compiler.
    Sanitize(sanitize::Args),
    /// One long run of a pile that churns, to see that nothing grows.
    Soak(soak::Args),
    /// Whether joints give energy, lose it, or lose what they hold.
    JointsEnergy(joints_energy::Args),
    /// Compares the engine with reference cases.
    Validate(validate::Args),
    /// Checks that what the documents name exists.
    DocsCheck,
}

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Task::Ci(args) => ci::run(&args),
        Task::Lint => lint::run(),
        Task::Layers => layers::run(),
        Task::Test(args) => test::run(&args),
        Task::Examples => examples::run(),
        Task::Features => features::run(),
        Task::Bench(args) => bench::run(&args),
        Task::Bindings => bindings::run(),
        Task::Testbed => testbed::run(),
        Task::Papers(args) => papers::run(&args),
        Task::Peers(args) => peers::run(&args),
        Task::ImportBench(args) => import_bench::run(&args),
        Task::Fuzz(args) => fuzz::run(&args),
        Task::Sanitize(args) => sanitize::run(&args),
        Task::Soak(args) => soak::run(&args),
        Task::JointsEnergy(args) => joints_energy::run(&args),
        Task::Validate(args) => validate::run(&args),
        Task::DocsCheck => docs_check::run(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::FAILURE
        }
    }
}
