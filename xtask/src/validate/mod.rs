//! `cargo xtask validate`: the engine beside reference cases.

use crate::shell::{Failure, Outcome};
use drystone_scenes::{RunOptions, run_scene, scene};

/// Which cases to run.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only the cases that take seconds.
    #[arg(long)]
    quick: bool,
}

/// Runs the cases and prints a table.
///
/// # Errors
/// A case that is out of its bound.
pub(crate) fn run(args: &Args) -> Outcome {
    // Blocks that should stand: how far they drift, m.
    let cases: &[(&str, f64)] =
        if args.quick { &[("tower:10", 0.01)] } else { &[("tower:10", 0.01), ("pyramid:10", 0.05)] };
    let mut failed = 0;
    println!("{:<12} {:>12} {:>12}", "case", "drift m", "bound m");
    for &(name, bound) in cases {
        let outcome = run_scene(&scene(name)?, &RunOptions::default(), |_, _| {})?;
        let drift = outcome.quality.drift_max_m;
        let is_good = drift <= bound && outcome.quality.lost == 0;
        println!("{name:<12} {drift:>12.5} {bound:>12.5} {}", if is_good { "" } else { "FAILED" });
        failed += usize::from(!is_good);
    }
    if failed == 0 { Ok(()) } else { Err(Failure::new(format!("{failed} cases out of bound"))) }
}
