//! `cargo xtask papers`: the timed scenes of S1, beside the times it states.

use crate::shell::Outcome;
use drystone_scenes::{RunOptions, run_scene, scene};

/// How to run the scenes.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Threads.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Run only this long, s.
    #[arg(long)]
    seconds: Option<f64>,
}

/// Scenes and what S1 states for them, ms per simulation step of 8 steps (S1-79..84).
const SCENES: [(&str, f64); 6] = [
    ("bullet5", 16.63),
    ("well324", 14.96),
    ("cage384", 17.61),
    ("bullet8", 19.32),
    ("well392", 15.87),
    ("cage2816", 1482.0),
];

/// Runs the scenes and prints a table.
///
/// # Errors
/// What the engine refuses.
pub(crate) fn run(args: &Args) -> Outcome {
    println!("{:<10} {:>7} {:>10} {:>12} {:>12}", "scene", "bodies", "total s", "ms per 8", "S1: ms per 8");
    for (name, stated) in SCENES {
        let options = RunOptions { threads: args.threads, seconds: args.seconds, ..RunOptions::default() };
        let outcome = run_scene(&scene(name)?, &options, |_, _| {})?;
        let total = outcome.times.total_ms;
        let per_eight = 8.0 * outcome.times.mean_ms;
        println!("{name:<10} {:>7} {:>10.3} {per_eight:>12.3} {stated:>12.2}", outcome.bodies, total * 1e-3);
    }
    Ok(())
}
