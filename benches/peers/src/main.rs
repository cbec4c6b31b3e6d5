//! `peers-run`: runs one scene in one engine once, and prints a line of JSON with what it cost and how good it was.
//!
//! In: the name of a scene of `crates/scenes`, an engine, a rate. Out: CPU and wall time of every step, and
//! measures taken from poses by one judge for all engines. `cargo xtask peers` builds this program once per
//! engine, lets the builds take turns and writes `docs/measurements/peers.md`. Start reading at [`run`];
//! the engines are in [`engines`], one file each behind the trait [`engine::Engine`], the judge is
//! [`quality`].
//!
//! Conventions: those of the scenes (SI, +y up). One friction and one restitution holds for all pairs of a
//! scene, so that the mixing rules of the engines agree.

mod engine;
mod engines;
mod joint;
mod memory;
mod quality;
mod run;
mod task;

use clap::Parser;
use drystone_scenes::{Preset, SceneError, parse_setting};
use run::Options;
use std::process::ExitCode;
use task::Task;

/// Runs one scene in one engine once and prints a line of JSON.
#[derive(Debug, Parser)]
#[command(name = "peers-run")]
struct Arguments {
    /// drystone, or what this build has: rapier, box3d, jolt.
    #[arg(long)]
    engine: String,
    /// A named scene, with its parameter if it takes one: `metre_tower:50`.
    #[arg(long)]
    scene: String,
    /// Steps per second.
    #[arg(long, default_value_t = 60.0)]
    hz: f64,
    /// Threads that step.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Whether bodies may sleep: on or off.
    #[arg(long, default_value = "off")]
    sleep: String,
    /// Simulated time, s; the scene's own when left out.
    #[arg(long)]
    seconds: Option<f64>,
    /// Settings of drystone by name; those it starts with when left out.
    #[arg(long, default_value = Preset::default().name())]
    preset: String,
    /// A setting of drystone beside its preset, as `drystone run` takes it; may be repeated.
    #[arg(long, value_name = "FIELD=VALUE")]
    set: Vec<String>,
    /// The run ends early when its steps have taken this long, s.
    #[arg(long, default_value_t = 600.0)]
    limit: f64,
    /// Friction of all pairs; the scene's when left out.
    #[arg(long)]
    friction: Option<f32>,
    /// Restitution of all pairs; the scene's when left out.
    #[arg(long)]
    restitution: Option<f32>,
    /// Measures memory in place of time and quality: of the scene as it is, or with its bodies far apart
    /// (scene, apart).
    #[arg(long)]
    memory: Option<String>,
    /// Leaves out the times of single steps.
    #[arg(long)]
    brief: bool,
}

fn main() -> ExitCode {
    match measure(&Arguments::parse()) {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn measure(arguments: &Arguments) -> Result<String, String> {
    let sleep = match arguments.sleep.as_str() {
        "on" => true,
        "off" => false,
        other => return Err(format!("--sleep must be on or off, got {other:?}")),
    };
    let in_range = |name: &str, value: f64, high: f64| {
        let is_fine = value > 0.0 && value <= high;
        if is_fine {
            Ok(())
        } else {
            Err(format!("--{name} must be above 0 and at most {high}, got {value}"))
        }
    };
    in_range("hz", arguments.hz, 1e4)?;
    in_range("limit", arguments.limit, 1e6)?;
    in_range("threads", arguments.threads as f64, 64.0)?;
    let said = |e: SceneError| e.to_string();
    let scene = drystone_scenes::scene(&arguments.scene).map_err(said)?;
    let seconds = arguments.seconds.unwrap_or(scene.seconds);
    in_range("seconds", seconds, 1e4)?;
    let task = Task::new(&scene, arguments.friction, arguments.restitution)?;
    let set = arguments.set.iter().map(|text| parse_setting(text)).collect::<Result<_, _>>();
    let options = Options {
        hz: arguments.hz,
        threads: arguments.threads,
        sleep,
        seconds,
        preset: Preset::find(&arguments.preset).map_err(said)?,
        set: set.map_err(said)?,
        limit: arguments.limit,
    };
    if let Some(what) = &arguments.memory {
        let task = match what.as_str() {
            "scene" => task,
            "apart" => memory::apart(task),
            other => return Err(format!("--memory must be scene or apart, got {other:?}")),
        };
        return memory::measure(&arguments.engine, &task, &options).map(|json| json.to_string());
    }
    let mut engine = engines::start(&arguments.engine, &task, &options)?;
    let record = run::run(engine.as_mut(), &task, &options)?;
    let mut json = record.json(&task, &options, !arguments.brief);
    json["engine"] = arguments.engine.clone().into();
    json["settings"] = engine.settings().into();
    json["lanes"] = engine.lanes().into();
    Ok(json.to_string())
}
