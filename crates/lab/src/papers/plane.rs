//! S4's stress tests (S4-22, S4-23): circles and polygons that fly about in a closed box, frames per second against their number.
//!
//! The paper shows curves without a scale that can be read and gives neither sizes nor speeds, so there is nothing to set
//! beside ours; what can be shown are its own points: partitions and what changes hands (S4-33), warm contacts (S4-31; its claim
//! is 10 to 20 %, of what it does not say), pooled memory (S4-32).

use super::experiments::Plan;
use super::report::Section;
use crate::machine::cpu_time;
use crate::shell::{Failure, Outcome};
use drystone_planar::scenes::planar_scene;
use drystone_planar::{Exec, PlanarConfig};
use drystone_viewer::plot::{Curve, lines_svg};
use std::time::Instant;

/// Steps per second of simulated time.
const HZ: f32 = 60.0;
/// Threads and partitions of a row: the tree whole, cut on one thread, cut among two.
const WAYS: [(usize, u32); 3] = [(1, 0), (1, 4), (2, 2)];

/// Sums of a run, after the warm-up.
#[derive(Clone, Debug, Default)]
struct Run {
    wall: f64,
    cpu: f64,
    points: u64,
    warm: u64,
    begun: u64,
    reused: u64,
    migrations: u64,
    rebalanced: u64,
    cuts: u32,
    /// Largest share of a worker over the mean, in the last step.
    imbalance: f64,
    hash: u64,
}

/// Frames per second of circles and polygons, with and without partitions.
pub(crate) fn plane(plan: &Plan) -> Outcome<Section> {
    let mut section = Section::new(
        "Planar worlds and partitions (S4-22, S4-23, S4-31 to S4-33)",
        "Circles and polygons with random velocities in a closed box, a quarter of it filled, nothing lost at impacts, and two scenes in which bodies rest on one another, 60 steps per second. \
         S4 shows curves of frames per second up to 5000 circles on four processors, without a scale, sizes or speeds. A row is the median of \
         rounds that take turns, after a warm-up of as many steps. Warm points began with the impulse of the step before; reused contacts took \
         the memory of ones that had ended; bodies change hands at borders and when the cut is made anew; the load is the largest worker's \
         over the mean. The last column says whether the state is that of the first row, to the bit.",
        &[
            "scene",
            "threads",
            "partitions",
            "frames per second",
            "slowest to fastest round",
            "CPU ms per frame",
            "points",
            "warm",
            "contacts begun per frame",
            "reused",
            "changed hands at borders per frame",
            "by new cuts, in all",
            "cuts",
            "load",
            "equal bits",
        ],
    );
    let counts: &[u32] = if plan.is_quick { &[500, 1000] } else { &[500, 1000, 2000, 5000] };
    let steps = if plan.is_quick { 60 } else { 240 };
    let mut curves = Vec::new();
    for name in ["circles", "polygons"] {
        let mut lines = WAYS.map(|(threads, partitions)| Curve {
            name: format!("{name}, {threads} threads, {partitions} partitions"),
            points: Vec::new(),
        });
        for &count in counts {
            let found = measure(&format!("{name}:{count}"), plan, steps, &mut section)?;
            for (line, fps) in lines.iter_mut().zip(found) {
                line.points.push((f64::from(count), fps));
            }
        }
        curves.extend(lines);
    }
    // What persists is found where bodies rest on one another.
    for scene in ["tumbler:500", "planar_pyramid:20"] {
        measure(scene, plan, steps, &mut section)?;
    }
    let svg = lines_svg("Planar stress tests", "bodies", "frames per second", &curves)?;
    section.plots.push(("plane".into(), svg));
    Ok(section)
}

/// Rows of a scene, and the frames per second of each way.
fn measure(scene: &str, plan: &Plan, steps: u32, section: &mut Section) -> Outcome<[f64; WAYS.len()]> {
    let mut runs: [Vec<Run>; WAYS.len()] = Default::default();
    for _ in 0..plan.rounds {
        for (runs, (threads, partitions)) in runs.iter_mut().zip(WAYS) {
            runs.push(run(scene, threads, partitions, steps)?);
        }
    }
    let wanted = runs[0][0].hash;
    let mut medians = [0.0; WAYS.len()];
    for ((runs, (threads, partitions)), median) in runs.iter_mut().zip(WAYS).zip(&mut medians) {
        runs.sort_by(|a, b| a.wall.total_cmp(&b.wall));
        let fps = |run: &Run| f64::from(steps) / run.wall;
        let middle = &runs[runs.len() / 2];
        *median = fps(middle);
        let spread = [&runs[runs.len() - 1], &runs[0]].map(fps);
        section.rows.push(row(scene, threads, partitions, steps, middle, spread, wanted));
    }
    Ok(medians)
}

fn row(
    scene: &str,
    threads: usize,
    partitions: u32,
    steps: u32,
    run: &Run,
    spread: [f64; 2],
    wanted: u64,
) -> Vec<String> {
    let per_frame = |sum: u64| sum as f64 / f64::from(steps);
    let share = |part: u64, all: u64| format!("{:.0} %", 100.0 * part as f64 / all.max(1) as f64);
    let cut = |text: String| if partitions > 0 { text } else { "–".into() };
    vec![
        format!("`{scene}`"),
        threads.to_string(),
        partitions.to_string(),
        format!("{:.0}", f64::from(steps) / run.wall),
        format!("{:.0}-{:.0}", spread[0], spread[1]),
        format!("{:.3}", 1e3 * run.cpu / f64::from(steps)),
        format!("{:.0}", per_frame(run.points)),
        share(run.warm, run.points),
        format!("{:.1}", per_frame(run.begun)),
        share(run.reused, run.begun),
        cut(format!("{:.1}", per_frame(run.migrations))),
        cut(run.rebalanced.to_string()),
        cut(run.cuts.to_string()),
        cut(format!("{:.2}", run.imbalance)),
        if run.hash == wanted { "yes" } else { "NO" }.into(),
    ]
}

/// Runs a scene for twice as many steps, the second half measured.
fn run(scene: &str, threads: usize, partitions: u32, steps: u32) -> Outcome<Run> {
    let mut config = PlanarConfig { partitions, ..PlanarConfig::default() };
    config.sleeping.enabled = false;
    let exec = Exec::with_threads(threads).map_err(|e| Failure::new(e.to_string()))?;
    let scene = planar_scene(scene).map_err(Failure::new)?;
    let failure = |e: drystone_planar::PlanarError| Failure::new(e.to_string());
    let mut world = scene.build(config, exec).map_err(failure)?;
    for _ in 0..steps {
        world.step(1.0 / HZ).map_err(failure)?;
    }
    let mut out = Run::default();
    let (begun, cpu) = (Instant::now(), cpu_time());
    for _ in 0..steps {
        let report = world.step(1.0 / HZ).map_err(failure)?;
        out.points += u64::from(report.contacts);
        out.warm += u64::from(report.warm_points);
        out.begun += u64::from(report.begun);
        out.reused += u64::from(report.reused);
        out.migrations += u64::from(report.partition.migrations);
        out.rebalanced += u64::from(report.partition.rebalanced);
    }
    out.wall = begun.elapsed().as_secs_f64();
    out.cpu = cpu.zip(cpu_time()).map_or(f64::NAN, |(before, after)| after - before);
    let partition = &world.report().partition;
    out.cuts = partition.cuts;
    let workers = partition.loads.len().saturating_sub(1);
    let sum: u32 = partition.loads.iter().sum();
    let largest = partition.loads.iter().take(workers).copied().max().unwrap_or(0);
    out.imbalance = f64::from(largest) * workers as f64 / f64::from(sum.max(1));
    out.hash = world.state_hash();
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partitions_change_no_bit_and_pools_are_used() {
        let [whole, cut] = [(1, 0), (1, 4)].map(|(threads, partitions)| {
            run("circles:200", threads, partitions, 120).expect("settings of the scene")
        });
        assert_eq!(whole.hash, cut.hash);
        assert!(cut.migrations > 0 && cut.cuts > 0, "{cut:?}");
        let pile = run("planar_pyramid:5", 1, 0, 120).expect("settings of the scene");
        assert!(pile.warm > pile.points / 2 && whole.warm < whole.points / 2, "{pile:?} {whole:?}");
        assert!(whole.reused > whole.begun / 2, "{whole:?}");
    }
}
