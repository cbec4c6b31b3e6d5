//! `drystone lint`: what of a scene is likely to go badly, and what to do about it.

use crate::args::LintArguments;
use crate::failure::Failure;
use crate::lists::print;
use crate::names::Names;
use crate::run::{find_scene, options};
use drystone::LintFinding;
use drystone_scenes::{Runner, Scene};
use serde_json::{Value, json};
use std::process::ExitCode;

/// Joints of a finding that are listed in words; JSON has all.
const MOST_JOINTS: usize = 8;

/// Prints the findings of a scene at its start; exit code 1 where there are some that are more than notes.
pub(crate) fn run(arguments: &LintArguments) -> Result<ExitCode, Failure> {
    let scene = find_scene(&arguments.scene)?;
    let runner = Runner::new(&scene, &options(&arguments.settings)?)?;
    let findings = runner.world().lint(runner.schedule().dt()).map_err(Failure::work)?;
    let names = Names::new(&scene, &runner);
    let text = if arguments.json {
        as_json(&scene, &runner, &names, &findings)
    } else {
        in_words(&scene, &runner, &names, &findings)
    };
    print(&text)?;
    Ok(if findings.iter().all(|finding| finding.concern.is_note()) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// The names of the bodies of a finding.
fn of_bodies(finding: &LintFinding, names: &Names) -> Vec<String> {
    finding.bodies.iter().flatten().map(|&handle| names.of_body(handle)).collect()
}

/// The joints of a finding, each by its two bodies.
fn of_joints(finding: &LintFinding, runner: &Runner, names: &Names) -> Vec<String> {
    let joints = finding.joints.iter().filter_map(|&handle| runner.world().joint(handle).ok());
    joints.map(|joint| joint.bodies.map(|body| names.of_body(body)).join(" - ")).collect()
}

fn in_words(scene: &Scene, runner: &Runner, names: &Names, findings: &[LintFinding]) -> String {
    let mut text = String::new();
    for finding in findings {
        let bodies = of_bodies(finding, names).join(", ");
        let space = if bodies.is_empty() { "" } else { ": " };
        let joints = of_joints(finding, runner, names);
        let listed = match joints.len() {
            0 => String::new(),
            1..=MOST_JOINTS => format!(" (joints: {})", joints.join(", ")),
            count => format!(" (joints: {}, ... {count} in all)", joints[..MOST_JOINTS].join(", ")),
        };
        let note = if finding.concern.is_note() { "note: " } else { "" };
        text += &format!("{note}{bodies}{space}{finding}{listed}\n");
    }
    let later = scene.bodies.len() - runner.world().body_count().min(scene.bodies.len());
    let waiting = if later > 0 {
        format!("; {later} bodies that appear later were not looked at")
    } else {
        String::new()
    };
    text + &format!("{}: {} findings{waiting}\n", scene.name, findings.len())
}

fn as_json(scene: &Scene, runner: &Runner, names: &Names, findings: &[LintFinding]) -> String {
    let listed: Vec<Value> = findings
        .iter()
        .map(|finding| {
            json!({
                "concern": finding.concern.name(),
                "is_note": finding.concern.is_note(),
                "bodies": of_bodies(finding, names),
                "joints": of_joints(finding, runner, names),
                "value": finding.value,
                "bound": finding.bound,
                "unit": finding.concern.unit(),
                "remedy": finding.concern.remedy(),
            })
        })
        .collect();
    json!({ "scene": scene.name, "findings": listed }).to_string() + "\n"
}
