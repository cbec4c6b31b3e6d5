//! `planar-run`: scenes of the plane in drystone and in Box2D, taking turns in one process, as a table of Markdown.
//!
//! In: scenes, threads, partitions. Out: for each, the median step time of every engine after a warm-up, with the spread of the
//! rounds, the same in CPU time of all threads, and what the piles drifted. `cargo xtask bench planar` builds and runs it and writes
//! `docs/measurements/planar.md`. Bodies, masses, friction, restitution, gravity and 60 steps of 4 sub-steps per second are
//! the same; sleep is off in both, and so is Box2D's continuous detection.

#[cfg(feature = "box2d")]
mod box2d;
mod drystone;

use clap::Parser;
use cpu_time::ProcessTime;
use drystone_planar::scenes::{PlanarScene, planar_scene};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Steps per second.
const HZ: f32 = 60.0;

/// Scenes of the plane, engine against engine.
#[derive(Debug, Parser)]
struct Arguments {
    /// Scenes with their parameter; may be repeated.
    #[arg(long = "scene", required = true)]
    scenes: Vec<String>,
    /// Numbers of threads, as a list.
    #[arg(long, value_delimiter = ',', default_value = "1")]
    threads: Vec<usize>,
    /// Partitions of drystone's tree as well as none.
    #[arg(long)]
    partitions: bool,
    /// Rounds in which the engines take turns.
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// Steps measured in a round.
    #[arg(long, default_value_t = 120)]
    steps: usize,
    /// Steps before.
    #[arg(long, default_value_t = 120)]
    warm_up: usize,
}

/// A world that steps.
trait Runs {
    fn step(&mut self, dt: f32) -> Result<(), String>;
    /// Centres of the bodies, m.
    fn centers(&mut self) -> Vec<[f64; 2]>;
}

/// What an engine makes of a scene on some threads.
type Start = fn(&PlanarScene, usize, u32) -> Result<Box<dyn Runs>, String>;

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), String> {
    println!(
        "| scene | threads | engine | partitions | µs per step | fastest to slowest round | CPU µs per step | steps per second | drift, mm | Box2D / drystone | by CPU time |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    for name in &arguments.scenes {
        let scene = planar_scene(name)?;
        for &threads in &arguments.threads {
            compare(&scene, threads, arguments)?;
        }
    }
    Ok(())
}

fn compare(scene: &PlanarScene, threads: usize, arguments: &Arguments) -> Result<(), String> {
    let mut engines: Vec<(&str, u32, Start)> = vec![("drystone", 0, drystone::start)];
    if arguments.partitions {
        engines.push(("drystone", threads as u32, drystone::start));
    }
    #[cfg(feature = "box2d")]
    engines.push(("Box2D", 0, box2d::start));
    let mut times = vec![Vec::new(); engines.len()];
    let mut cpu_times = times.clone();
    let mut drifts = vec![0.0_f64; engines.len()];
    for _ in 0..arguments.rounds {
        for (k, (_, partitions, start)) in engines.iter().enumerate() {
            let mut world = start(scene, threads, *partitions)?;
            let before = world.centers();
            for _ in 0..arguments.warm_up {
                world.step(1.0 / HZ)?;
            }
            let (begun, cpu_begun) = (Instant::now(), ProcessTime::now());
            for _ in 0..arguments.steps {
                world.step(1.0 / HZ)?;
            }
            let per_step = |time: Duration| 1e6 * time.as_secs_f64() / arguments.steps as f64;
            times[k].push(per_step(begun.elapsed()));
            cpu_times[k].push(per_step(cpu_begun.elapsed()));
            let moved = |(a, b): (&[f64; 2], &[f64; 2])| (a[0] - b[0]).hypot(a[1] - b[1]);
            drifts[k] = world.centers().iter().zip(&before).map(moved).fold(0.0, f64::max);
        }
    }
    let median = |list: &mut Vec<f64>| {
        list.sort_by(f64::total_cmp);
        list[list.len() / 2]
    };
    let medians: Vec<f64> = times.iter_mut().map(median).collect();
    let cpu: Vec<f64> = cpu_times.iter_mut().map(median).collect();
    let box2d = engines.iter().position(|(name, ..)| *name == "Box2D");
    let is_pile = scene.name.starts_with("planar_");
    for (k, (engine, partitions, _)) in engines.iter().enumerate() {
        let (low, high) = (times[k][0], times[k][times[k].len() - 1]);
        let ratio = |list: &[f64]| match box2d {
            Some(box2d) if *engine == "drystone" => format!("{:.2}", list[box2d] / list[k]),
            _ => "–".to_owned(),
        };
        let drift = if is_pile { format!("{:.3}", 1e3 * drifts[k]) } else { "–".to_owned() };
        println!(
            "| {} | {threads} | {engine} | {partitions} | {:.0} | {low:.0} to {high:.0} | {:.0} | {:.0} | {drift} | {} | {} |",
            scene.name,
            medians[k],
            cpu[k],
            1e6 / medians[k],
            ratio(&medians),
            ratio(&cpu)
        );
    }
    Ok(())
}
