//! What each preset does with joints, as two tables: `cargo run --profile dist -p drystone-scenes --example joint_presets`.
//!
//! The linkages are those of `drystone_scenes::linkages::named`, five seconds each, at the steps per second that the preset is made for. Energy is a share of what was
//! put in; distances are those between the two points of a joint. The heaps are figures of the scene library on the ground, three seconds without sleep.
//!
//! With a preset's name only that one: `... --example joint_presets -- nsgs`.

use drystone_scenes::linkages::{measure, named};
use drystone_scenes::{Preset, RunOptions, Runner, SceneError, scene};
use std::time::Instant;

/// Names of the linkages, as [`named`] has them.
const CASES: [&str; 7] = [
    "named/rod on hinge, 20 mm, 12 rad/s",
    "named/rod on ball, 20 mm, 12 rad/s",
    "named/pendulum of 1, let go level",
    "named/pendulum of 2, let go level",
    "named/pendulum of 3, let go level",
    "named/four-bar on four hinges, 6 rad/s",
    "named/arc of 8 rods on hinges",
];
/// Scenes with contacts on joints.
const HEAPS: [&str; 2] = ["ragdolls:1", "ragdolls:4"];

/// Steps per second that a preset is made for.
fn hz(preset: Preset) -> f64 {
    match preset.name() {
        "fast" | "qp_suite" => 60.0,
        "fine" => 1920.0,
        "thesis_accurate" => 960.0,
        _ => 240.0,
    }
}

/// A row of the first table for each linkage.
fn linkages(preset: Preset) -> Result<(), Box<dyn std::error::Error>> {
    let all = named::all();
    let hz = hz(preset);
    for name in CASES {
        let case = all.iter().find(|case| case.name == name).ok_or_else(|| format!("no case {name}"))?;
        let mut case = case.with(preset, hz);
        (case.seconds, case.expects.released) = (5.0, None);
        let row = format!("| `{}` | {hz} | {} |", preset.name(), name.trim_start_matches("named/"));
        let begin = Instant::now();
        match measure(&case) {
            Ok(outcome) => {
                let micros = begin.elapsed().as_secs_f64() * 1e6 / outcome.steps as f64;
                let (most, last, force) = (outcome.largest, outcome.last, outcome.force);
                let (apart, unsolved) = (1e3 * outcome.distance, outcome.unsolved);
                println!("{row} {most:.4}, {last:.4} | {apart:.4} | {force:.1} | {unsolved} | {micros:.0} |");
            }
            Err(refused) => println!("{row} refused: {refused} | | | | |"),
        }
    }
    Ok(())
}

/// A row of the second table for each heap.
fn heaps(preset: Preset) -> Result<(), SceneError> {
    for name in HEAPS {
        let options = RunOptions {
            preset,
            hz: Some(hz(preset)),
            seconds: Some(3.0),
            sleep: Some(false),
            ..RunOptions::default()
        };
        let row = format!("| `{}` | {} | `{name}` |", preset.name(), hz(preset));
        let mut runner = match Runner::new(&scene(name)?, &options) {
            Ok(runner) => runner,
            Err(refused) => {
                println!("{row} refused: {refused} | | | | |");
                continue;
            }
        };
        let (mut apart, mut deep, mut unsolved, mut steps) = (0.0_f32, 0.0_f32, 0, 0);
        let begin = Instant::now();
        while runner.step()? {
            let Some(report) = runner.report() else { continue };
            apart = apart.max(report.solver.worst_stretch);
            deep = deep.max(report.worst_overlap);
            unsolved += u32::from(!report.solver.is_solved());
            steps += 1;
        }
        let millis = begin.elapsed().as_secs_f64() * 1e3 / f64::from(steps.max(1));
        let bodies = runner.world().bodies();
        let fastest = bodies.map(|body| body.linear_velocity.norm()).fold(0.0, f32::max);
        let lengths = [1e3 * apart, 1e3 * deep].map(|length| format!("{length:.3}"));
        println!(
            "{row} {} | {} | {fastest:.3} | {unsolved} of {steps} | {millis:.2} |",
            lengths[0], lengths[1]
        );
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let only = std::env::args().nth(1);
    let chosen: Vec<Preset> = match &only {
        Some(name) => {
            vec![Preset::ALL.iter().copied().find(|preset| preset.name() == name).ok_or_else(|| {
                let names: Vec<_> = Preset::ALL.iter().map(|preset| preset.name()).collect();
                format!("the preset must be one of {}, got {name}", names.join(", "))
            })?]
        }
        None => Preset::ALL.to_vec(),
    };
    println!(
        "| preset | Hz | linkage | energy at most, at the end | apart at most, mm | largest force, N | steps not solved | µs per step |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for &preset in &chosen {
        linkages(preset)?;
    }
    println!(
        "\n| preset | Hz | heap | apart at most, mm | overlap at most, mm | fastest at the end, m/s | steps not solved | ms per step |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for &preset in &chosen {
        heaps(preset)?;
    }
    Ok(())
}
