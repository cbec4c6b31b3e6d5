//! `cargo xtask bench stages`: the tables of that suite as a document, with what was counted by the processor where
//! `perf` can.

use crate::PROFILE;
use crate::machine;
use crate::shell::{Outcome, cargo, run_and_read};
use crate::workspace::root;
use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;

/// Name of the suite.
pub(super) const SUITE: &str = "stages";
/// What is counted, by the names of `perf`.
const EVENTS: [&str; 6] = [
    "instructions:u",
    "cycles:u",
    "branch-misses:u",
    "cache-references:u",
    "cache-misses:u",
    "L1-dcache-load-misses:u",
];
/// Scenes whose steps are counted, and after how many steps.
const COUNTED: [(&str, u64); 3] = [("metre_pyramid:30", 60), ("cage384", 90), ("rain:1000", 60)];
/// Steps counted.
const STEPS: u64 = 60;

/// Runs the suite and writes `docs/measurements/stages.md`.
///
/// # Errors
/// The suite failing, the file not being writable.
pub(super) fn run(package: &str) -> Outcome {
    let machine = machine::describe(PROFILE);
    let mut command = cargo();
    let (tables, outcome) =
        run_and_read(command.args(["bench", "--package", package, "--bench", SUITE, "--"]));
    outcome?;
    let mut text = String::from(
        "# Where the time of a step goes\n\n\
         Written by `cargo xtask bench stages`; edits are lost. Sleeping is off, presets run at their own rates (`fast` 60, `thesis_fast` 240\n\
         steps per second). Times are wall times; of five runs of the same steps in turns the least time of each stage counts, which\n\
         other programs disturbed least. Bodies are those awake, contact points those within the margin of detection. Parts of \"solve\"\n\
         are from recorded runs (`drystone run SCENE --profile FILE`). [performance-guide.md](../performance-guide.md) says how to read this.\n\n",
    );
    machine.iter().for_each(|line| text += &format!("- {line}\n"));
    text += &tables;
    text += &counters(package)?;
    let path = root().join("docs/measurements/stages.md");
    std::fs::write(&path, text)?;
    println!("\nwritten: {}", path.display());
    Ok(())
}

/// The table of what the processor counted in a step, or why there is none.
fn counters(package: &str) -> Outcome<String> {
    let title = "\n## What the processor counted\n\n";
    let program = program(package)?;
    let mut rows = String::new();
    for (scene, warm_up) in COUNTED {
        // What setting up and warming up cost is taken off by a run that does no more.
        let [before, after] = [0, STEPS].map(|steps| count(&program, scene, warm_up, steps));
        let (before, after) = match (before, after) {
            (Ok(before), Ok(after)) => (before, after),
            (Err(reason), _) | (_, Err(reason)) => {
                return Ok(format!("{title}Not measured here: {reason}.\n"));
            }
        };
        let cells = before.iter().zip(&after).map(|(before, after)| match (before, after) {
            (Some(before), Some(after)) => format!("{:.0}", (after - before) / STEPS as f64),
            _ => "-".into(),
        });
        rows += &format!("| `{scene}` | {} |\n", cells.collect::<Vec<_>>().join(" | "));
    }
    let head = EVENTS.map(|event| event.trim_end_matches(":u")).join(" | ");
    Ok(format!(
        "{title}`perf stat` of the steps of `fast`, one thread, in user mode, per step; `-` is what this machine does not count.\n\n\
         | scene | {head} |\n| --- | {} |\n{rows}",
        ["---:"; EVENTS.len()].join(" | ")
    ))
}

/// The program of the suite, which has just been built.
fn program(package: &str) -> Outcome<PathBuf> {
    let mut command = cargo();
    command.args(["bench", "--no-run", "--quiet", "--message-format", "json", "--package", package]);
    let output = command.args(["--bench", SUITE]).output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let messages = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut programs = messages.filter_map(|m| {
        let is_it = m["target"]["name"] == SUITE;
        m["executable"].as_str().filter(|_| is_it).map(PathBuf::from)
    });
    programs.next().ok_or_else(|| crate::shell::Failure::new("cargo names no program of the suite"))
}

/// Counts of a run, in the order of [`EVENTS`]; `None` for what is not counted here. The reason when nothing is.
fn count(program: &PathBuf, scene: &str, warm_up: u64, steps: u64) -> Result<Vec<Option<f64>>, String> {
    let mut command = Command::new("perf");
    command.args(["stat", "-x", ",", "-e", &EVENTS.join(","), "--"]).arg(program);
    command.args(["--steps", scene, &warm_up.to_string(), &steps.to_string()]);
    let output = command.output().map_err(|e| format!("`perf` cannot be started ({e})"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("`perf stat` failed: {}", said.lines().next_back().unwrap_or("no message")));
    }
    let counts = parse(&String::from_utf8_lossy(&output.stderr));
    if counts.iter().all(Option::is_none) {
        return Err(
            "`perf` is there, but this machine lets it count nothing (all events \"not supported\")".into()
        );
    }
    Ok(counts)
}

/// The counts in what `perf stat -x ,` writes: value, unit and event in a line.
fn parse(text: &str) -> Vec<Option<f64>> {
    let value = |event: &&str| {
        text.lines().find_map(|line| {
            let mut fields = line.split(',');
            let value = fields.next()?;
            fields.any(|field| field == *event).then(|| value.parse().ok())?
        })
    };
    EVENTS.iter().map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_and_gaps_are_seen() {
        let text = "123456,,instructions:u,1000,100.00,,\n<not supported>,,cycles:u,0,100.00,,\n77,,cache-misses:u,5,1.0\n";
        let counts = parse(text);
        assert_eq!(counts, [Some(123_456.0), None, None, None, Some(77.0), None]);
    }
}
