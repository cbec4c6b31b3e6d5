//! The named scenes: nothing is lost, nothing overlaps much, and threads do not change the motion.

use crate::shell::Outcome;
use crate::validate::lab::Setup;
use crate::validate::limits::is_left_out;
use crate::validate::row::Row;
use drystone_scenes::{Outcome as Run, Preset, RunOptions, list, run_scene, scene};

/// Scenes of the quick run: piled boxes, balls, both.
const QUICK: [&str; 3] = ["bullet5", "well324", "cage384"];
/// Bodies up to which a scene is run: by the methods whose time is about in proportion to them, and by the others, which have fewer and
/// a shorter time (s). Larger scenes are in `docs/measurements/`.
const MOST: usize = 400;
const MOST_SLOW: usize = 120;
const SLOW_SECONDS: f64 = 2.0;

/// Every scene of up to 400 bodies to its end (quick: three of them, the first seconds of what takes many steps per second).
pub(crate) fn scenes(setup: &Setup) -> Outcome<Vec<Row>> {
    let mut rows = Vec::new();
    let overlap = match setup.preset {
        Preset::ThesisAccurate => 2e-4,
        _ => 2e-3,
    };
    for name in names(setup) {
        let bodies = scene(name)?.bodies.len();
        let most = if is_slow(setup) { MOST_SLOW } else { MOST };
        let is_too_large = setup.is_full && bodies > most && !QUICK.contains(&name);
        if is_too_large || is_left_out(setup, "S", name) {
            continue;
        }
        eprintln!("  {name}");
        let run = run(setup, name, 1)?;
        rows.push(
            Row::at_most(format!("{name}: bodies lost"), "", run.quality.lost as f64, 0.0).from("issue"),
        );
        rows.push(
            Row::at_most(
                format!("{name}: deepest overlap at the end"),
                "m",
                run.quality.pen_end_max_m,
                overlap,
            )
            .from("S1-78 1.74 mm, S1-88 0.1 mm, rounded up"),
        );
        let mut different = 0.0;
        // Accurate runs are long; one other number of threads says as much.
        let others: &[usize] = if setup.preset == Preset::ThesisFast { &[2, 4] } else { &[2] };
        for &threads in others {
            different += f64::from(u8::from(self::run(setup, name, threads)?.state_hash != run.state_hash));
        }
        rows.push(
            Row::at_most(format!("{name}: thread counts that change the state"), "", different, 0.0)
                .from("docs/determinism.md"),
        );
    }
    Ok(rows)
}

/// Beside the slow ones the programs of S2, for which bodies cost more the more of them there are.
fn is_slow(setup: &Setup) -> bool {
    setup.is_slow() || setup.preset == Preset::QpSuite
}

fn names(setup: &Setup) -> Vec<&'static str> {
    if setup.is_full { list().iter().map(|info| info.name).collect() } else { QUICK.to_vec() }
}

fn run(setup: &Setup, name: &str, threads: usize) -> Outcome<Run> {
    let seconds = match (setup.is_full, is_slow(setup)) {
        // What is in motion overlaps for a moment; what ends is at rest.
        (false, false) if setup.preset == Preset::Fast => None,
        (false, false) => Some(2.0),
        (false, true) => Some(1.0),
        (true, false) => None,
        (true, true) => {
            Some(if QUICK.contains(&name) { 1.0 } else { SLOW_SECONDS.min(scene(name)?.seconds) })
        }
    };
    let options = RunOptions { preset: setup.preset, seconds, threads, ..RunOptions::default() };
    Ok(run_scene(&scene(name)?, &options, |_, _| {})?)
}
