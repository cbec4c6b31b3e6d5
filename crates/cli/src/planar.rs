//! `drystone planar`: a scene of the plane; everything is checked before anything is simulated.

use crate::args::PlanarArguments;
use crate::failure::Failure;
use crate::interrupt;
use crate::lists::{print, tell};
use crate::output::Folder;
use crate::plane_tape::PlaneTape;
use crate::progress::Progress;
use drystone_planar::scenes::planar_scene;
use drystone_planar::{Exec, PlanarConfig, PlanarReport, PlanarStage, PlanarWorld};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Highest rate and longest time that are accepted, 1/s and s.
const MOST: f64 = 1e5;

/// What a run found.
#[derive(Debug, Default)]
struct Outcome {
    steps: u64,
    wall: Duration,
    stages: [Duration; PlanarStage::ALL.len()],
    worst_overlap: f32,
    quarantined: usize,
    migrations: u64,
    rebalanced: u64,
}

/// Runs a scene of the plane.
pub(crate) fn run(arguments: &PlanarArguments) -> Result<ExitCode, Failure> {
    let scene = planar_scene(&arguments.scene).map_err(Failure::input)?;
    let hz = in_range("hz", arguments.hz)?;
    let seconds = in_range("seconds", arguments.seconds.unwrap_or(scene.seconds))?;
    if hz < 1.0 {
        return Err(Failure::input(format!("--hz must be at least 1, got {hz}")));
    }
    let mut config = PlanarConfig { partitions: arguments.partitions, ..PlanarConfig::default() };
    config.sleeping.enabled = !arguments.no_sleep;
    let exec = Exec::with_threads(arguments.threads).map_err(Failure::input)?;
    let mut world = scene.build(config, exec).map_err(Failure::input)?;
    interrupt::listen()?;
    let step_count = (seconds * hz).round().max(1.0) as u64;
    let folder = (!arguments.no_view).then(|| folder(arguments, &scene.name));
    let folder = folder.map(|path| Folder::create(&path)).transpose()?;
    let mut tape = folder
        .is_some()
        .then(|| PlaneTape::new(&scene, &world, arguments.partitions, hz, step_count))
        .transpose()?;
    let mut outcome = Outcome::default();
    // What was simulated before the engine gave up is kept, and what cannot be written costs nothing else.
    let simulated = simulate(&mut world, &scene.name, step_count, hz, tape.as_mut(), &mut outcome);
    let complete = outcome.steps == step_count;
    let interrupted = simulated.is_ok() && !complete;
    let line = json_line(&scene.name, arguments, &world, &outcome, [interrupted, complete]);
    let printed = print(&if arguments.json { line + "\n" } else { table(&scene.name, &world, &outcome) });
    let viewed = match (&folder, tape) {
        (Some(folder), Some(tape)) => view(folder, tape, &outcome, arguments.json),
        _ => Ok(()),
    };
    if interrupted {
        tell(&format!("interrupted after {} of {step_count} steps", outcome.steps));
    }
    Failure::all([simulated, printed, viewed])?;
    Ok(if interrupted { ExitCode::from(interrupt::EXIT_CODE) } else { ExitCode::SUCCESS })
}

/// Writes the page, and says where it is.
fn view(folder: &Folder, tape: PlaneTape, outcome: &Outcome, is_quiet: bool) -> Result<(), Failure> {
    folder.write_plane(&tape.finish(&[
        ("time per step", format!("{:.3} ms", outcome.per_step(outcome.wall))),
        ("deepest overlap", format!("{:.3} mm", 1e3 * outcome.worst_overlap)),
        ("changed hands", format!("{} + {}", outcome.migrations, outcome.rebalanced)),
    ]))?;
    if is_quiet { Ok(()) } else { print(&format!("\n{}\n", folder.page().display())) }
}

/// Where the page goes.
fn folder(arguments: &PlanarArguments, name: &str) -> PathBuf {
    arguments.out.clone().unwrap_or_else(|| Path::new("out").join(name.replace(':', "_")))
}

fn in_range(name: &str, value: f64) -> Result<f64, Failure> {
    if value > 0.0 && value <= MOST {
        Ok(value)
    } else {
        Err(Failure::input(format!("--{name} must be above 0 and at most {MOST}, got {value}")))
    }
}

/// Takes all steps, or those until Ctrl-C or a failure.
fn simulate(
    world: &mut PlanarWorld,
    name: &str,
    step_count: u64,
    hz: f64,
    mut tape: Option<&mut PlaneTape>,
    outcome: &mut Outcome,
) -> Result<(), Failure> {
    let progress = Progress::new(name, step_count, hz);
    let result = loop {
        if outcome.steps == step_count || interrupt::is_asked() {
            break Ok(());
        }
        let begun = Instant::now();
        let step = outcome.steps;
        match world.step((1.0 / hz) as f32) {
            Ok(report) => outcome.note(report, begun.elapsed()),
            Err(e) => break Err(Failure::work(format!("the engine gave up in step {step}: {e}"))),
        }
        if let Some(Err(failure)) = tape.as_mut().map(|tape| tape.note(world, outcome.steps)) {
            break Err(failure);
        }
        progress.at(outcome.steps);
    };
    progress.clear();
    result
}

impl Outcome {
    fn note(&mut self, report: &PlanarReport, wall: Duration) {
        self.steps += 1;
        self.wall += wall;
        for (sum, (_, time)) in self.stages.iter_mut().zip(report.stages()) {
            *sum += time;
        }
        self.worst_overlap = self.worst_overlap.max(report.worst_overlap);
        self.quarantined += report.quarantined.len();
        self.migrations += u64::from(report.partition.migrations);
        self.rebalanced += u64::from(report.partition.rebalanced);
    }

    /// Milliseconds per step.
    fn per_step(&self, time: Duration) -> f64 {
        1e3 * time.as_secs_f64() / self.steps.max(1) as f64
    }
}

fn table(name: &str, world: &PlanarWorld, outcome: &Outcome) -> String {
    let report = world.report();
    let mut text = format!(
        "{name}: {} bodies, {} steps, {:.2} s simulated\n\n",
        report.bodies,
        outcome.steps,
        world.time()
    );
    let per_second = outcome.steps as f64 / outcome.wall.as_secs_f64().max(1e-9);
    text += &format!(
        "time per step    {:.4} ms ({per_second:.0} steps per second)\n",
        outcome.per_step(outcome.wall)
    );
    for (stage, time) in PlanarStage::ALL.iter().zip(outcome.stages) {
        text += &format!("  {:<14} {:.4} ms\n", stage.name(), outcome.per_step(time));
    }
    text += &format!("deepest overlap  {:.6} m\n", outcome.worst_overlap);
    text +=
        &format!("contact points   {} at the end, {} pairs near each other\n", report.contacts, report.edges);
    text += &format!("awake, asleep    {}, {}\n", report.awake, report.asleep);
    text += &format!("kinetic energy   {:.6e} J\n", world.kinetic_energy());
    text += &format!("quarantined      {}\n", outcome.quarantined);
    if report.partition.workers > 0 {
        let partition = &report.partition;
        text += &format!("shares           {:?} colliders, the master's last\n", partition.loads);
        text += &format!("                 {:?} pairs, the master's last\n", partition.pairs);
        text += &format!(
            "changed hands    {} at borders, {} in {} cuts\n",
            outcome.migrations, outcome.rebalanced, partition.cuts
        );
    }
    text + &format!("state hash       {:016x}\n", world.state_hash())
}

/// The run as one line; `stages_ms` are means over the steps.
fn json_line(
    name: &str,
    arguments: &PlanarArguments,
    world: &PlanarWorld,
    outcome: &Outcome,
    [interrupted, complete]: [bool; 2],
) -> String {
    let report = world.report();
    let stages = PlanarStage::ALL.iter().zip(outcome.stages);
    let stages: serde_json::Map<String, serde_json::Value> =
        stages.map(|(stage, time)| (stage.name().to_owned(), outcome.per_step(time).into())).collect();
    json!({
        "scene": name,
        "hz": arguments.hz,
        "threads": arguments.threads,
        "partitions": arguments.partitions,
        "bodies": report.bodies,
        "steps": outcome.steps,
        "interrupted": interrupted,
        "complete": complete,
        "ms_per_step": outcome.per_step(outcome.wall),
        "stages_ms": stages,
        "worst_overlap_m": outcome.worst_overlap,
        "contacts": report.contacts,
        "pairs": report.edges,
        "awake": report.awake,
        "asleep": report.asleep,
        "kinetic_energy_j": world.kinetic_energy(),
        "quarantined": outcome.quarantined,
        "migrations": outcome.migrations,
        "rebalanced": outcome.rebalanced,
        "state_hash": format!("{:016x}", world.state_hash()),
    })
    .to_string()
}
