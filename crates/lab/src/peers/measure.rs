//! Runs of the builds, in turns.

use super::build::{Program, Variant};
use crate::shell::{Failure, Outcome};
use drystone_scenes::Preset;
use serde_json::Value;
use std::fmt;
use std::ops::Range;
use std::process::Command;

/// What is compared, and how.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) scenes: Vec<String>,
    pub(crate) hz: Vec<f64>,
    pub(crate) threads: Vec<usize>,
    pub(crate) sleep: Vec<String>,
    pub(crate) rounds: usize,
    pub(crate) seconds: Option<f64>,
    pub(crate) limit: f64,
    pub(crate) preset: Preset,
    /// Settings of drystone beside it: `field=value`.
    pub(crate) set: Vec<String>,
}

impl Plan {
    /// What a run of drystone is told.
    fn settings(&self) -> impl Iterator<Item = &str> {
        let set = self.set.iter().flat_map(|set| ["--set", set]);
        ["--preset", self.preset.name()].into_iter().chain(set)
    }
}

/// One comparison.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Case {
    pub(crate) scene: String,
    pub(crate) hz: f64,
    pub(crate) threads: usize,
    pub(crate) sleep: String,
    /// Times count from here on, s of simulated time ([`subject_from`]).
    pub(crate) from: f64,
}

/// When the subject of a scene begins, s: where bodies keep coming, what comes before the first of them is its
/// preparation.
///
/// # Errors
/// An unknown scene.
pub(crate) fn subject_from(scene: &str) -> Outcome<f64> {
    let bodies = drystone_scenes::scene(scene)?.bodies;
    let first = bodies.iter().map(|body| body.appears).filter(|&at| at > 0.0).fold(f64::INFINITY, f64::min);
    Ok(if first.is_finite() { first } else { 0.0 })
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {} Hz, {} threads, sleeping {}", self.scene, self.hz, self.threads, self.sleep)
    }
}

impl Case {
    /// With one thread CPU time counts, which other work on the machine disturbs least; else wall time.
    pub(crate) fn is_by_cpu(&self) -> bool {
        self.threads == 1
    }
}

/// One run of one engine.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) round: usize,
    pub(crate) json: Value,
    /// CPU time of each step, all threads, ms.
    pub(crate) cpu_ms: Vec<f64>,
    /// Wall time of each step, ms.
    pub(crate) wall_ms: Vec<f64>,
}

impl Run {
    fn parse(round: usize, line: &str) -> Outcome<Self> {
        let json: Value = serde_json::from_str(line)?;
        let list = |name: &str| -> Outcome<Vec<f64>> {
            let values = json.get(name).and_then(Value::as_array);
            let values = values.ok_or_else(|| Failure::new(format!("the answer has no {name}")))?;
            Ok(values.iter().filter_map(Value::as_f64).map(|ns| ns * 1e-6).collect())
        };
        Ok(Self { round, cpu_ms: list("step_cpu_ns")?, wall_ms: list("step_wall_ns")?, json })
    }

    /// A number of the answer, or of its quality.
    pub(crate) fn number(&self, name: &str) -> f64 {
        let found = self.json["quality"].get(name).or_else(|| self.json.get(name));
        // JSON has no infinity: a measure that is none comes as null.
        found.and_then(Value::as_f64).unwrap_or(f64::INFINITY)
    }

    /// Times of these steps, as many of them as it took, ms.
    fn times(&self, by_cpu: bool, steps: Range<usize>) -> &[f64] {
        let list = if by_cpu { &self.cpu_ms } else { &self.wall_ms };
        &list[steps.start.min(list.len())..steps.end.min(list.len())]
    }

    /// Their mean, ms.
    fn mean(&self, by_cpu: bool, steps: Range<usize>) -> f64 {
        let times = self.times(by_cpu, steps);
        times.iter().sum::<f64>() / times.len().max(1) as f64
    }
}

/// All runs of an engine in a case.
#[derive(Clone, Debug)]
pub(crate) struct Measured {
    pub(crate) variant: Variant,
    pub(crate) runs: Vec<Run>,
}

/// A case with what was measured.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub(crate) case: Case,
    /// drystone first.
    pub(crate) engines: Vec<Measured>,
    /// Name and reason.
    pub(crate) failed: Vec<(String, String)>,
}

/// A ratio of times with its range over the rounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ratio {
    pub(crate) median: f64,
    pub(crate) min: f64,
    pub(crate) max: f64,
}

impl Group {
    /// Steps that every run took, from where the scene's subject begins to where the first run hit the limit. A
    /// run that ends before its subject is compared whole.
    pub(crate) fn common_steps(&self) -> Range<usize> {
        let runs = self.engines.iter().flat_map(|e| &e.runs);
        let end = runs.map(|run| run.cpu_ms.len()).min().unwrap_or(0);
        let start = (self.case.from * self.case.hz).round() as usize;
        if start < end { start..end } else { 0..end }
    }

    /// Median over the rounds of an engine's mean time of the common steps, ms.
    pub(crate) fn time(&self, engine: &Measured, by_cpu: bool) -> f64 {
        let steps = self.common_steps();
        median(engine.runs.iter().map(|run| run.mean(by_cpu, steps.clone())).collect())
    }

    /// The 99th percentile of the common steps of an engine, median over the rounds, ms.
    pub(crate) fn slow_step(&self, engine: &Measured, by_cpu: bool) -> f64 {
        let steps = self.common_steps();
        let of = |run: &Run| {
            let mut times = run.times(by_cpu, steps.clone()).to_vec();
            times.sort_by(f64::total_cmp);
            let rank = (0.99 * times.len() as f64).ceil() as usize;
            times.get(rank.max(1) - 1).copied().unwrap_or(f64::NAN)
        };
        median(engine.runs.iter().map(of).collect())
    }

    /// drystone, if it ran.
    pub(crate) fn ours(&self) -> Option<&Measured> {
        self.engines.first().filter(|e| e.variant.name == "drystone")
    }

    /// The fastest peer.
    pub(crate) fn best_peer(&self) -> Option<&Measured> {
        let by_cpu = self.case.is_by_cpu();
        let peers = self.engines.iter().filter(|e| e.variant.name != "drystone");
        peers.min_by(|a, b| self.time(a, by_cpu).total_cmp(&self.time(b, by_cpu)))
    }

    /// Time of an engine over that of drystone: above 1 drystone is faster. Runs of the same round are
    /// compared, which ran one after the other.
    pub(crate) fn ratio(&self, peer: &Measured) -> Option<Ratio> {
        let (by_cpu, steps) = (self.case.is_by_cpu(), self.common_steps());
        let ours = self.ours()?;
        let of_round = |run: &Run| {
            let same = ours.runs.iter().find(|r| r.round == run.round)?;
            Some(run.mean(by_cpu, steps.clone()) / same.mean(by_cpu, steps.clone()))
        };
        let ratios: Vec<f64> = peer.runs.iter().filter_map(of_round).collect();
        Some(Ratio {
            min: ratios.iter().copied().fold(f64::INFINITY, f64::min),
            max: ratios.iter().copied().fold(0.0, f64::max),
            median: median(ratios),
        })
    }
}

/// Runs all builds of a case in turns, `rounds` times over, so that a change of the machine's speed meets all
/// alike. An engine that fails once is left out from there on.
pub(crate) fn measure(case: &Case, plan: &Plan, programs: &[Program]) -> Group {
    let fits = |p: &&Program| (p.variant.min_threads..=p.variant.max_threads).contains(&case.threads);
    let programs: Vec<&Program> = programs.iter().filter(fits).collect();
    let engines = programs.iter().map(|p| Measured { variant: p.variant, runs: Vec::new() }).collect();
    let mut group = Group { case: case.clone(), engines, failed: Vec::new() };
    for round in 0..plan.rounds {
        for (program, engine) in programs.iter().zip(&mut group.engines) {
            if group.failed.iter().any(|(name, _)| name == program.variant.name) {
                continue;
            }
            eprint!("  {case}: {}, round {} of {}:", program.variant.name, round + 1, plan.rounds);
            match start(case, plan, program, round) {
                Ok(run) => {
                    eprintln!(" {:.3} ms per step", run.mean(true, 0..usize::MAX));
                    engine.runs.push(run);
                }
                Err(failure) => {
                    eprintln!(" failed: {failure}");
                    group.failed.push((program.variant.name.to_owned(), failure.to_string()));
                }
            }
        }
    }
    group.engines.retain(|engine| !engine.runs.is_empty());
    group
}

fn start(case: &Case, plan: &Plan, program: &Program, round: usize) -> Outcome<Run> {
    let mut command = Command::new(&program.path);
    command.args(["--engine", program.variant.engine, "--scene", &case.scene, "--sleep", &case.sleep]);
    command.args(["--hz", &case.hz.to_string(), "--threads", &case.threads.to_string()]);
    command.args(plan.settings()).args(["--limit", &plan.limit.to_string()]);
    if let Some(seconds) = plan.seconds {
        command.args(["--seconds", &seconds.to_string()]);
    }
    Run::parse(round, &answer(&mut command)?)
}

/// What an engine holds in memory with a scene.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    pub(crate) scene: String,
    pub(crate) engine: String,
    /// With the bodies far apart, and with the scene as it is; or why there is nothing.
    pub(crate) result: Result<[Growth; 2], String>,
}

/// Growth of a process.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Growth {
    /// Bytes.
    pub(crate) grown: f64,
    pub(crate) bodies: f64,
    /// Pairs that touch at the end.
    pub(crate) pairs: f64,
}

/// Longest simulated time of a run that measures memory, s.
const MEMORY_SECONDS: f64 = 2.0;

/// Memory of every build that has one thread, with a scene.
pub(crate) fn memory(scene: &str, hz: f64, plan: &Plan, programs: &[Program]) -> Vec<Memory> {
    let one_thread = programs.iter().filter(|p| p.variant.min_threads == 1);
    let of = |program: &Program| {
        eprintln!("  {scene}: memory of {}", program.variant.name);
        let result =
            (|| Ok([grow(scene, hz, "apart", plan, program)?, grow(scene, hz, "scene", plan, program)?]))();
        let result = result.map_err(|failure: Failure| failure.to_string());
        Memory { scene: scene.to_owned(), engine: program.variant.name.to_owned(), result }
    };
    one_thread.map(of).collect()
}

fn grow(scene: &str, hz: f64, what: &str, plan: &Plan, program: &Program) -> Outcome<Growth> {
    let mut command = Command::new(&program.path);
    command.args(["--engine", program.variant.engine, "--scene", scene, "--memory", what]);
    let own = drystone_scenes::scene(scene)?.seconds;
    let seconds = plan.seconds.unwrap_or(own).min(MEMORY_SECONDS);
    command.args(plan.settings()).args(["--hz", &hz.to_string(), "--seconds", &seconds.to_string()]);
    let json: Value = serde_json::from_str(&answer(&mut command)?)?;
    let number = |name: &str| -> Outcome<f64> {
        json[name].as_f64().ok_or_else(|| Failure::new(format!("the answer has no {name}")))
    };
    Ok(Growth { grown: number("grown_bytes")?, bodies: number("bodies")?, pairs: number("touching_pairs")? })
}

/// The last line that a program writes.
fn answer(command: &mut Command) -> Outcome<String> {
    let output = command.output()?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let last = said.lines().last().unwrap_or("no message").to_owned();
        return Err(Failure::new(format!("{last} ({})", output.status)));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text.lines().last().unwrap_or_default().to_owned())
}

/// The middle value; of an even number the mean of the two in the middle.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let (n, half) = (values.len(), values.len() / 2);
    match n {
        0 => f64::NAN,
        n if n % 2 == 1 => values[half],
        _ => 0.5 * (values[half - 1] + values[half]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::peers::build;

    fn run(round: usize, ms: &[f64]) -> Run {
        let ns: Vec<f64> = ms.iter().map(|ms| ms * 1e6).collect();
        let quality = serde_json::json!({ "drift_max": 0.5, "sink_max": null });
        let json =
            serde_json::json!({ "step_cpu_ns": ns, "step_wall_ns": ns, "bodies": 3, "quality": quality });
        Run::parse(round, &json.to_string()).expect("well formed")
    }

    fn group(ours: Vec<Run>, theirs: Vec<Run>) -> Group {
        let [drystone, peer] = build::two_for_tests();
        let case = Case { scene: "tower".into(), hz: 60.0, threads: 1, sleep: "off".into(), from: 0.0 };
        let engines =
            vec![Measured { variant: drystone, runs: ours }, Measured { variant: peer, runs: theirs }];
        Group { case, engines, failed: Vec::new() }
    }

    #[test]
    fn ratios_are_of_runs_of_the_same_round() {
        let ours = vec![run(0, &[1.0, 1.0]), run(1, &[2.0, 2.0]), run(2, &[1.0, 1.0])];
        let theirs = vec![run(0, &[2.0, 2.0]), run(1, &[4.0, 4.0]), run(2, &[3.0, 3.0])];
        let group = group(ours, theirs);
        let peer = group.best_peer().expect("there is one");
        assert_eq!(group.ratio(peer), Some(Ratio { median: 2.0, min: 2.0, max: 3.0 }));
        assert_eq!((group.time(peer, true), group.slow_step(peer, true)), (3.0, 3.0));
    }

    #[test]
    fn only_steps_that_all_took_are_compared() {
        let group = group(vec![run(0, &[1.0])], vec![run(0, &[2.0, 100.0])]);
        assert_eq!(group.common_steps(), 0..1);
        let peer = group.best_peer().expect("there is one");
        assert_eq!(group.ratio(peer).map(|r| r.median), Some(2.0));
    }

    /// The stream of `heap_stream` begins at 4 s; runs of 3 s, which never saw it, were its row.
    #[test]
    fn what_prepares_the_subject_of_a_scene_does_not_count() {
        assert_eq!(subject_from("heap_stream").ok(), Some(4.0));
        assert_eq!(subject_from("bullet5").ok(), Some(0.0));
        let steps = [5.0, 5.0, 1.0, 3.0];
        let mut group = group(vec![run(0, &steps)], vec![run(0, &steps.map(|ms| ms * ms))]);
        group.case.from = 2.0 / 60.0;
        assert_eq!(group.common_steps(), 2..4);
        let peer = group.best_peer().expect("there is one");
        assert_eq!(group.ratio(peer).map(|r| r.median), Some(2.5));
        assert_eq!(group.slow_step(peer, true), 9.0);
        // Too short for its subject: all that there is.
        group.case.from = 1.0;
        assert_eq!(group.common_steps(), 0..4);
    }

    #[test]
    fn numbers_are_found_in_the_quality_too() {
        let run = run(0, &[1.0]);
        assert_eq!((run.number("bodies"), run.number("drift_max")), (3.0, 0.5));
        assert_eq!(run.number("sink_max"), f64::INFINITY);
    }
}
