//! `cargo xtask papers`: the experiments of S1's section 5 that are ratios, Table 1 of S2, Tables 4 and 5 of S3 and the stress tests
//! of S4, paper beside ours.
//!
//! Prints a table per experiment and writes `docs/measurements/papers.md` with plots. Start reading at
//! [`experiments::ALL`].

mod coherence;
mod damping;
mod experiments;
mod measure;
mod plane;
pub(crate) mod report;
mod same_steps;
mod starts;
mod suite;

use crate::shell::{Failure, Outcome};
use crate::workspace::root;
use experiments::Plan;
use std::path::PathBuf;

/// How to run the experiments.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The first seconds of each scene and two rounds; writes into `target/papers` unless `--out` is given.
    #[arg(long)]
    quick: bool,
    /// How often each run of a pair is repeated; those of `same_steps`, `order` and `accuracy`, which take long, run once.
    #[arg(long)]
    rounds: Option<usize>,
    /// Only these experiments (time, damping, same_steps, order, accuracy, threads, suite, coherence, plane); may be repeated. Nothing is
    /// written then unless `--out` is given; sections of other experiments that are there stay, if the same `--quick` and `--rounds` made them.
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// Folder for `papers.md` and its plots.
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

/// Runs the experiments, prints the tables and writes the document.
///
/// # Errors
/// An unknown experiment, sections for a document that others were made for, what the engine refuses, files that cannot be written.
pub(crate) fn run(args: &Args) -> Outcome {
    let known = experiments::ALL.map(|(name, _)| name);
    if let Some(unknown) = args.only.iter().find(|name| !known.contains(&name.as_str())) {
        return Err(Failure::new(format!("there is no experiment `{unknown}`; known: {}", known.join(", "))));
    }
    let plan =
        Plan { is_quick: args.quick, rounds: args.rounds.unwrap_or(if args.quick { 2 } else { 3 }).max(1) };
    let length = if args.quick { " --quick" } else { "" };
    let rounds = args.rounds.map_or(String::new(), |rounds| format!(" --rounds {rounds}"));
    let command = format!("cargo xtask papers{length}{rounds}");
    let folder = args.out.clone().or_else(|| {
        let folder = if args.quick { "target/papers" } else { "docs/measurements" };
        args.only.is_empty().then(|| root().join(folder))
    });
    // Found out before runs of hours.
    let known = folder.as_ref().filter(|folder| !args.only.is_empty() && folder.join("papers.md").exists());
    if let Some(folder) = known {
        report::is_written_by(folder, &command)?;
    }
    let machine = report::machine();
    machine.iter().for_each(|line| println!("{line}"));
    let mut sections = Vec::new();
    for (name, experiment) in experiments::ALL {
        if args.only.is_empty() || args.only.iter().any(|n| n == name) {
            eprintln!("{name}");
            let section = experiment(&plan)?;
            section.print();
            sections.push(section);
        }
    }
    match (known, &folder) {
        (Some(folder), _) => report::replace(folder, &sections),
        (None, Some(folder)) => report::write(folder, &command, &machine, &sections),
        (None, None) => Ok(()),
    }
}
