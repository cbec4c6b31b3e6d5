//! `cargo xtask bench robots [--quick] [--python PATH]`: the robots of `crates/drystone/examples/robots/mod.rs` as articulations, as joint constraints, in Rapier's
//! multibodies and in MuJoCo (`benches/peers/robots`), in turns, as a table for `docs/measurements/joints.md`.
//!
//! Figures are CPU time, the least of all rounds: what else the machine does is left out as far as that goes.

use crate::machine;
use crate::shell::{self, Failure, Outcome, cargo, run_and_read};
use crate::workspace::{Workspace, root};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// Name of the suite.
pub(super) const SUITE: &str = "robots";
/// The workspace that may need what nobody else needs.
const MANIFEST: &str = "benches/peers/Cargo.toml";
/// How MuJoCo is run: with the Python that is named, which has the package `mujoco`.
const MUJOCO: &str = "benches/peers/robots/mujoco_robots.py";
/// Turns of all engines.
const TURNS: usize = 6;

/// One robot in one engine.
#[derive(Clone, Debug)]
struct Found {
    /// CPU time of 1/60 s, µs: least and largest of the turns.
    least: f64,
    most: f64,
    /// Contacts, height of the first link, and how far hinges are off, as told last.
    rest: Vec<String>,
}

/// Builds the program, runs all engines in turns and prints the table.
///
/// # Errors
/// What does not build or run, words that are no option.
pub(super) fn run(rest: &[String]) -> Outcome {
    let mut python = None;
    let mut turns = TURNS;
    let mut words = rest.iter();
    while let Some(word) = words.next() {
        match (word.as_str(), words.as_slice().first()) {
            ("--quick", _) => turns = 1,
            ("--python", Some(path)) => {
                python = Some(path.clone());
                words.next();
            }
            _ => {
                let message = format!("`bench robots` takes --quick and --python PATH, got {rest:?}");
                return Err(Failure::new(message));
            }
        }
    }
    let folder = Workspace::load()?.target_directory.join("peers");
    let mut build = cargo();
    build.args(["build", "--release", "--manifest-path", MANIFEST, "--package", "drystone-robots-peers"]);
    build.args(["--features", "rapier", "--target-dir"]).arg(&folder);
    shell::run(&mut build)?;
    let program =
        folder.join("release").join(format!("drystone-robots-peers{}", std::env::consts::EXE_SUFFIX));
    let mut all: BTreeMap<(usize, &str), BTreeMap<String, Found>> = BTreeMap::new();
    for _ in 0..turns {
        for (place, (engine, mut command)) in commands(&program, python.as_deref()).into_iter().enumerate() {
            let (text, outcome) = run_and_read(&mut command);
            outcome?;
            note(all.entry((place, engine)).or_default(), &text)?;
        }
    }
    machine::describe("release").iter().for_each(|line| println!("- {line}"));
    println!(
        "\n| engine | robot | CPU µs per 1/60 s | slowest turn | contacts | height, m | off target, rad |"
    );
    println!("|---|---|---|---|---|---|---|");
    for ((_, engine), robots) in &all {
        for name in ["arm", "quadruped", "humanoid"] {
            let Some(Found { least, most, rest }) = robots.get(name) else { continue };
            println!("| {engine} | {name} | {least:.1} | {most:.1} | {} |", rest.join(" | "));
        }
    }
    Ok(())
}

/// A turn: each engine once.
fn commands(program: &Path, python: Option<&str>) -> Vec<(&'static str, Command)> {
    let ours = |engine: &str| {
        let mut command = Command::new(program);
        command.args(["--engine", engine]);
        command
    };
    let mut all = vec![
        ("drystone, articulations", ours("drystone")),
        ("drystone, constraints", ours("constraints")),
        ("Rapier, multibodies", ours("rapier")),
    ];
    if let Some(python) = python {
        for (name, parts) in [("MuJoCo, one step", "1"), ("MuJoCo, eight steps", "8")] {
            let mut command = Command::new(python);
            command.arg(root().join(MUJOCO)).arg(program).args(["--parts", parts]);
            all.push((name, command));
        }
    }
    all
}

/// Reads what a program told.
fn note(robots: &mut BTreeMap<String, Found>, text: &str) -> Outcome {
    for line in text.lines() {
        let unread = || Failure::new(format!("expected a robot, its time and how it stands, got {line:?}"));
        let words: Vec<&str> = line.split_whitespace().collect();
        let [name, time, rest @ ..] = words.as_slice() else { return Err(unread()) };
        let time: f64 = time.parse().map_err(|_| unread())?;
        let rest = rest.iter().map(|&word| word.to_owned()).collect();
        let found =
            robots.entry((*name).to_owned()).or_insert(Found { least: time, most: time, rest: Vec::new() });
        (found.least, found.most) = (found.least.min(time), found.most.max(time));
        found.rest = rest;
    }
    Ok(())
}
