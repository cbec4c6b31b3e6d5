//! Programs that measure the engine, started as `cargo xtask <command>`: reference cases, the papers' experiments, other engines, long runs, benches.
//!
//! One file or folder per command; each has a `run` that returns [`shell::Outcome`]. What starts processes, asks cargo or names the machine is shared with
//! the package `xtask`.

mod attended;
mod bench;
mod hashes;
mod import_bench;
mod joints_energy;
mod papers;
mod peers;
mod side_by_side;
mod soak;
mod validate;

use clap::{Parser, Subcommand};
use std::process::ExitCode;
use xtask::{machine, shell, workspace};

/// Profile that `cargo xtask` builds this program with.
const PROFILE: &str = "dist";

/// Measures drystone.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    command: Task,
}

/// What to measure.
#[derive(Debug, Subcommand)]
enum Task {
    /// Runs the benchmarks, or one suite of them.
    Bench(bench::Args),
    /// Runs the scenes of the papers and writes what they cost.
    Papers(papers::Args),
    /// Runs the same scenes in other engines and compares times and quality.
    Peers(peers::Args),
    /// Imports robots of other programs and runs them.
    ImportBench(import_bench::Args),
    /// The state hash of every scene with every preset: written to a file, or compared with one.
    Hashes(hashes::Args),
    /// One long run of a pile that churns, to see that nothing grows.
    Soak(soak::Args),
    /// Whether joints give energy, lose it, or lose what they hold.
    JointsEnergy(joints_energy::Args),
    /// Compares the engine with reference cases.
    Validate(validate::Args),
}

fn main() -> ExitCode {
    shell::exit(match Arguments::parse().command {
        Task::Bench(args) => bench::run(&args),
        Task::Papers(args) => papers::run(&args),
        Task::Peers(args) => peers::run(&args),
        Task::ImportBench(args) => import_bench::run(&args),
        Task::Hashes(args) => hashes::run(&args),
        Task::Soak(args) => soak::run(&args),
        Task::JointsEnergy(args) => joints_energy::run(&args),
        Task::Validate(args) => validate::run(&args),
    })
}

#[cfg(test)]
mod tests {
    use drystone_scenes::scene;

    /// `docs-check`, which knows no scenes, leaves this to us.
    #[test]
    fn documents_name_scenes_that_exist() {
        let named = xtask::docs_check::scenes().expect("documents are read");
        assert!(named.len() > 10, "{} scenes are named", named.len());
        for (file, line, name) in named {
            assert!(
                scene(&name).is_ok(),
                "{}:{line}: there is no scene `{name}`: {:?}",
                file.display(),
                scene(&name).err()
            );
        }
    }
}
