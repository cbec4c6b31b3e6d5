//! `drystone-robots-peers`: the robots of `crates/drystone/examples/robots/mod.rs` in one engine, and what a step of 1/60 s costs.
//!
//! In: an engine. Out: a line per robot: its name, the CPU time of a step (µs, least mean of the rounds), contacts, the height of its first link and the mean of
//! how far its hinges are from their targets after it came to rest, by which one sees that engines have the same robot. `--mjcf NAME` prints a robot for MuJoCo,
//! which `mujoco_robots.py` beside this runs. `cargo xtask bench robots` builds and runs all in turns.

mod drystone;
mod mjcf;
#[cfg(feature = "rapier")]
mod rapier;
#[expect(dead_code, reason = "each engine reads what it needs")]
#[path = "../../../../crates/drystone/examples/robots/mod.rs"]
mod robots;

use clap::Parser;
use cpu_time::ProcessTime;
use robots::Robot;
use std::process::ExitCode;

/// Steps of a round.
const STEPS: u32 = 100;

/// Robots in an engine.
#[derive(Debug, Parser)]
struct Arguments {
    /// drystone, constraints (drystone without articulations), or what this build has: rapier.
    #[arg(long, default_value = "drystone")]
    engine: String,
    /// Prints this robot as MJCF in place of running anything: arm, quadruped, humanoid.
    #[arg(long, value_name = "NAME")]
    mjcf: Option<String>,
    /// Rounds of 100 steps after it came to rest.
    #[arg(long, default_value_t = 10)]
    rounds: u32,
    /// One robot alone.
    #[arg(long)]
    robot: Option<String>,
}

/// A robot in a world of an engine.
trait Runs {
    /// A step of 1/60 s.
    fn step(&mut self) -> Result<(), String>;
    /// Contacts, the height of the first link (m), and the mean of how far hinges are from their targets (rad).
    fn look(&self) -> Result<[f64; 3], String>;
}

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
    if let Some(name) = &arguments.mjcf {
        let robot = robots::robots().into_iter().find(|robot| robot.name == name);
        let robot =
            robot.ok_or_else(|| format!("--mjcf must be arm, quadruped or humanoid, got {name:?}"))?;
        print!("{}", mjcf::text(&robot));
        return Ok(());
    }
    for robot in robots::robots() {
        if arguments.robot.as_ref().is_some_and(|name| name != robot.name) {
            continue;
        }
        let mut world = start(&arguments.engine, &robot)?;
        for _ in 0..robot.settle {
            world.step()?;
        }
        let mut least = f64::INFINITY;
        for _ in 0..arguments.rounds {
            let start = ProcessTime::now();
            for _ in 0..STEPS {
                world.step()?;
            }
            least = least.min(start.elapsed().as_secs_f64() * 1e6 / f64::from(STEPS));
        }
        let [contacts, height, error] = world.look()?;
        println!("{} {least:.2} {contacts} {height:.4} {error:.4}", robot.name);
    }
    Ok(())
}

fn start(engine: &str, robot: &Robot) -> Result<Box<dyn Runs>, String> {
    match engine {
        "drystone" => drystone::start(robot, true),
        "constraints" => drystone::start(robot, false),
        #[cfg(feature = "rapier")]
        "rapier" => rapier::start(robot),
        other => Err(format!(
            "--engine must be drystone, constraints or, where built with it, rapier; got {other:?}"
        )),
    }
}
