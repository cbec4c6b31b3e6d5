//! `cargo xtask peers`: the same scenes in drystone and in other engines, in turns, with one judge for all.
//!
//! Builds the program of `benches/peers` once per engine ([`build`]), runs the builds in turns ([`measure`])
//! and writes `peers.md` and `peers.csv` ([`report`]). An engine that cannot be built here is reported as
//! missing with the reason; the others go on.

mod build;
mod measure;
mod report;

use crate::shell::{Failure, Outcome};
use crate::workspace::root;
use drystone_scenes::{Preset, parse_setting};
use measure::{Case, Group, Plan};
use std::path::PathBuf;

/// What is compared when nobody says otherwise.
const SCENES: [&str; 16] = [
    "bullet5",
    "bullet8",
    "well324",
    "well392",
    "cage384",
    "cage2816",
    "hourglass",
    "incline120",
    "metre_tower",
    "metre_pyramid",
    "many_pyramids",
    "rain",
    "tower:50",
    "hull_pile",
    "big_heap",
    "heap_stream",
];
/// Scenes with joints.
const JOINT_SCENES: [&str; 4] = ["chain:100", "bridge:200", "ragdolls:200", "joint_grid:100"];
/// Small ones, for a look at whether all works.
const QUICK_SCENES: [&str; 5] = ["bullet5", "well324", "cage384", "tower:50", "metre_tower"];

/// What to compare, and how.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Scenes by name, with commas between them; by default all that are compared. Writes into `target/peers` unless `--out` is given.
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    scenes: Vec<String>,
    /// Engines by name, with commas between them; by default all. Writes into `target/peers` unless `--out` is given.
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    engines: Vec<String>,
    /// Steps per second.
    #[arg(long, value_delimiter = ',', value_name = "RATE")]
    hz: Vec<f64>,
    /// Threads.
    #[arg(long, value_delimiter = ',', default_value = "1", value_name = "COUNT")]
    threads: Vec<usize>,
    /// Sleeping: on, off.
    #[arg(long, value_delimiter = ',', value_name = "SWITCH")]
    sleep: Vec<String>,
    /// How often each run is repeated.
    #[arg(long)]
    rounds: Option<usize>,
    /// Simulated time, s; by default that of the scene.
    #[arg(long)]
    seconds: Option<f64>,
    /// A run ends early when its steps have taken this long, s; the steps that all took are compared then.
    #[arg(long)]
    limit: Option<f64>,
    /// Settings of drystone by name; by default those it starts with.
    #[arg(long, default_value = Preset::default().name())]
    preset: String,
    /// A setting of drystone beside its preset, as `drystone run` takes it; may be repeated. Writes into `target/peers` unless `--out` is given.
    #[arg(long, value_name = "FIELD=VALUE")]
    set: Vec<String>,
    /// Scenes with joints in place of the usual ones; writes `joints-peers.md` and `joints-peers.csv`.
    #[arg(long)]
    joints: bool,
    /// Small scenes, a second of each, one round, 60 steps per second without sleeping; writes into
    /// `target/peers` unless `--out` is given.
    #[arg(long)]
    quick: bool,
    /// Folder for the tables, `peers.md` and `peers.csv`; of whole comparisons `docs/measurements`.
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

/// Builds, measures, prints and writes.
///
/// # Errors
/// An unknown engine, scene or preset, numbers out of their range, drystone itself not building or not running, files that cannot be written.
pub(crate) fn run(args: &Args) -> Outcome {
    let plan = plan(args)?;
    let machine = crate::machine::describe("release");
    machine.iter().for_each(|line| println!("{line}"));
    let builds = build::all(&args.engines)?;
    let mut groups = Vec::new();
    for case in plan.cases()? {
        let group = measure::measure(&case, &plan, &builds.programs);
        println!("{}", report::line(&group));
        groups.push(group);
    }
    report_failures(&groups);
    let without_us = groups.iter().filter(|group| group.ours().is_none()).count();
    let hz = plan.hz.first().copied().unwrap_or(60.0);
    let of = |scene: &String| measure::memory(scene, hz, &plan, &builds.programs);
    let memory: Vec<_> = plan.scenes.iter().flat_map(of).collect();
    // Part of a comparison, or one that failed, would overwrite the document of a whole one.
    let is_part = args.quick || !args.scenes.is_empty() || !args.engines.is_empty() || !args.set.is_empty();
    let is_whole = !is_part && without_us == 0;
    let folder = if is_whole { "docs/measurements" } else { "target/peers" };
    let folder = args.out.clone().unwrap_or_else(|| root().join(folder));
    let command = std::env::args().skip(1).collect::<Vec<_>>().join(" ");
    let place = folder.join(if args.joints { "joints-peers" } else { "peers" });
    report::write(&place, &format!("cargo xtask {command}"), &machine, &builds, &groups, &memory)?;
    if without_us == 0 {
        return Ok(());
    }
    Err(Failure::new(format!("drystone did not run in {without_us} of {} comparisons", groups.len())))
}

fn plan(args: &Args) -> Outcome<Plan> {
    let or = |given: &[String], usual: &[&str]| -> Vec<String> {
        if given.is_empty() { usual.iter().map(|&s| s.to_owned()).collect() } else { given.to_vec() }
    };
    let usual: &[&str] = match (args.joints, args.quick) {
        (true, _) => &JOINT_SCENES,
        (false, true) => &QUICK_SCENES,
        (false, false) => &SCENES,
    };
    let scenes = or(&args.scenes, usual);
    for name in &scenes {
        drystone_scenes::scene(name)?;
    }
    let sleep = or(&args.sleep, if args.quick { &["off"] } else { &["off", "on"] });
    if let Some(other) = sleep.iter().find(|s| !["on", "off"].contains(&s.as_str())) {
        return Err(Failure::new(format!("--sleep takes on and off, got `{other}`")));
    }
    // What every run would refuse is found before hours of runs of the others.
    let preset = Preset::find(&args.preset)?;
    let set = args.set.iter().map(|text| parse_setting(text)).collect::<Result<Vec<_>, _>>()?;
    preset.apply(preset.config(), &set)?;
    let in_range = |name: &str, value: f64, high: f64| {
        let message = || Failure::new(format!("--{name} must be above 0 and at most {high}, got {value}"));
        if value > 0.0 && value <= high { Ok(()) } else { Err(message()) }
    };
    args.hz.iter().try_for_each(|&hz| in_range("hz", hz, 1e4))?;
    args.threads.iter().try_for_each(|&threads| in_range("threads", threads as f64, 64.0))?;
    args.seconds.iter().try_for_each(|&seconds| in_range("seconds", seconds, 1e4))?;
    args.limit.iter().try_for_each(|&limit| in_range("limit", limit, 1e6))?;
    let usual_rates: &[f64] = if args.quick { &[60.0] } else { &[60.0, 240.0] };
    Ok(Plan {
        scenes,
        hz: if args.hz.is_empty() { usual_rates.to_vec() } else { args.hz.clone() },
        threads: args.threads.clone(),
        sleep,
        rounds: args.rounds.unwrap_or(if args.quick { 1 } else { 3 }).max(1),
        seconds: args.seconds.or(args.quick.then_some(1.0)),
        limit: args.limit.unwrap_or(if args.quick { 20.0 } else { 120.0 }),
        preset,
        set: args.set.clone(),
    })
}

fn report_failures(groups: &[Group]) {
    for group in groups {
        for (engine, reason) in &group.failed {
            println!("{}, {engine}: {reason}", group.case);
        }
    }
}

impl Plan {
    /// Every combination, scene by scene.
    fn cases(&self) -> Outcome<Vec<Case>> {
        let mut cases = Vec::new();
        for scene in &self.scenes {
            let from = measure::subject_from(scene)?;
            for &hz in &self.hz {
                for sleep in &self.sleep {
                    for &threads in &self.threads {
                        cases.push(Case { scene: scene.clone(), hz, threads, sleep: sleep.clone(), from });
                    }
                }
            }
        }
        Ok(cases)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }

    fn refused(line: &str) -> Option<String> {
        let words = std::iter::once("peers").chain(line.split_whitespace());
        let line = Line::try_parse_from(words).expect("known options");
        plan(&line.args).err().map(|failure| failure.to_string())
    }

    /// They let every run of drystone fail, after which the document was written without it.
    #[test]
    fn what_every_run_would_refuse_is_refused_before_them() {
        assert_eq!(refused("--preset fast --hz 60,240 --threads 1,2 --seconds 3 --limit 4"), None);
        assert_eq!(
            refused("--preset fast --set sub_step.sub_steps=4 --set sub_step.direct_joints=false"),
            None
        );
        for line in [
            "--preset fsat",
            "--preset default",
            "--set sub_step.sub_steps",
            "--set sub_step.sub_steps=many",
            "--set sub_step.sub_stpes=4",
            "--preset thesis_fast --set sub_step.sub_steps=4",
            "--hz 0",
            "--threads 0",
            "--threads 1,65",
            "--seconds -1",
            "--limit 0",
            "--sleep maybe",
            "--scenes bulet5",
        ] {
            assert!(refused(&line.replace(" -1", "=-1")).is_some(), "{line}");
        }
    }
}
