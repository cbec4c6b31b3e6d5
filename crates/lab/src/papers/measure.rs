//! Runs of a scene, measured per simulation step: S1's unit of 33 1/3 ms of simulated time (S1-77).

use crate::machine::cpu_time;
use crate::shell::Outcome;
use drystone::Stage;
use drystone_scenes::{Preset, RunOptions, Runner, scene};

/// Simulation steps per second of simulated time.
pub(crate) const PER_SECOND: f64 = 30.0;

/// One way to run a scene.
#[derive(Clone, Debug)]
pub(crate) struct Variant {
    pub(crate) name: &'static str,
    options: RunOptions,
}

impl Variant {
    /// S1's fast settings with one thread.
    pub(crate) fn fast(name: &'static str) -> Self {
        Self { name, options: RunOptions { preset: Preset::ThesisFast, ..RunOptions::default() } }
    }

    /// Its settings.
    pub(super) fn options(&self) -> &RunOptions {
        &self.options
    }

    /// S1's method to the letter: without what we add to it (`ImpulseConfig` says what each of these does).
    pub(crate) fn letter(self) -> Self {
        ["overshoot", "stick_sweeps", "recovery_speed", "impact_limit"]
            .into_iter()
            .fold(self, |variant, field| variant.with(&format!("resolution.{field}"), "0"))
            .with("resolution.recovery_demand", "1e6")
    }

    /// With sleep switched off.
    pub(crate) fn sleepless(mut self) -> Self {
        self.options.sleep = Some(false);
        self
    }

    /// With another preset.
    pub(crate) fn preset(mut self, preset: Preset) -> Self {
        self.options.preset = preset;
        self
    }

    /// With a setting that differs from the preset.
    pub(crate) fn with(mut self, field: &str, value: &str) -> Self {
        self.options.overrides.push((field.into(), value.into()));
        self
    }

    /// With this many threads.
    pub(crate) fn threads(mut self, threads: usize) -> Self {
        self.options.threads = threads;
        self
    }
}

/// What a scene cost in one variant: medians over the rounds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Measured {
    pub(crate) bodies: usize,
    pub(crate) sim_seconds: f64,
    /// Wall time of all steps, s.
    pub(crate) wall: f64,
    /// Processor time of the run, measuring included, s; not a number where the system does not tell.
    pub(crate) cpu: f64,
    /// Smallest and largest wall time of a round, s.
    pub(crate) spread: [f64; 2],
    /// Wall time per simulation step, ms.
    pub(crate) step_ms: Vec<f64>,
    /// Of this, correction and resolution, ms.
    pub(crate) response_ms: Vec<f64>,
    /// Single-contact resolutions per simulation step.
    pub(crate) iterations: Vec<u64>,
    pub(crate) asleep_end: usize,
    /// First simulation step from which all bodies sleep.
    pub(crate) all_asleep: Option<usize>,
    /// Steps that left a contact closing.
    pub(crate) unsolved: u64,
    /// Deepest overlap at the end, m.
    pub(crate) overlap_end: f64,
    pub(crate) lost: usize,
    pub(crate) state_hash: u64,
}

impl Measured {
    /// Mean wall time of a simulation step, ms.
    pub(crate) fn mean_ms(&self) -> f64 {
        self.wall * 1e3 / self.step_ms.len() as f64
    }

    /// Longest simulation step: which, and its time in ms.
    pub(crate) fn longest(&self) -> (usize, f64) {
        let steps = self.step_ms.iter().copied().enumerate();
        steps.max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((0, f64::NAN))
    }

    /// All single-contact resolutions.
    pub(crate) fn total_iterations(&self) -> u64 {
        self.iterations.iter().sum()
    }

    /// Time of correction and resolution, s.
    pub(crate) fn response(&self) -> f64 {
        self.response_ms.iter().sum::<f64>() * 1e-3
    }

    /// Most single-contact resolutions of a simulation step.
    pub(crate) fn max_iterations(&self) -> u64 {
        self.iterations.iter().copied().max().unwrap_or(0)
    }
}

/// Runs all variants of a scene in turn, `rounds` times over, so that a change of the machine's speed meets
/// all alike; every value is the (lower) median over the rounds.
///
/// # Errors
/// What the engine refuses.
pub(crate) fn interleaved(
    name: &str,
    seconds: Option<f64>,
    rounds: usize,
    variants: &[Variant],
) -> Outcome<Vec<Measured>> {
    let mut runs: Vec<Vec<Measured>> = vec![Vec::new(); variants.len()];
    for round in 0..rounds {
        for (variant, runs) in variants.iter().zip(&mut runs) {
            eprint!("  {name}, {}, round {} of {rounds}:", variant.name, round + 1);
            let run = measure(name, seconds, &variant.options)?;
            eprintln!(" {:.2} s", run.wall);
            runs.push(run);
        }
    }
    Ok(runs.into_iter().map(|runs| combined(&runs)).collect())
}

fn measure(name: &str, seconds: Option<f64>, options: &RunOptions) -> Outcome<Measured> {
    let options = RunOptions { seconds, ..options.clone() };
    let mut runner = Runner::new(&scene(name)?, &options)?;
    let chunk = (runner.schedule().hz / PER_SECOND).round().max(1.0) as u64;
    let mut run = Measured::default();
    let (mut response, mut iterations) = (0.0, 0);
    let before = cpu_time();
    while runner.step()? {
        if let Some(report) = runner.report() {
            let time = report.stage_time(Stage::Correct) + report.stage_time(Stage::Solve);
            response += time.as_secs_f64() * 1e3;
            iterations += report.iterations;
            if report.awake > 0 {
                run.all_asleep = None;
            } else if run.all_asleep.is_none() {
                run.all_asleep = Some(run.step_ms.len());
            }
        }
        if runner.step_count().is_multiple_of(chunk) {
            let last = &runner.history().step_ns[(runner.step_count() - chunk) as usize..];
            run.step_ms.push(last.iter().sum::<u64>() as f64 * 1e-6);
            run.response_ms.push(std::mem::take(&mut response));
            run.iterations.push(std::mem::take(&mut iterations));
        }
    }
    run.cpu = before.zip(cpu_time()).map_or(f64::NAN, |(a, b)| b - a);
    let outcome = runner.finish();
    Ok(Measured {
        bodies: outcome.bodies,
        sim_seconds: outcome.sim_seconds,
        wall: outcome.times.total_ms * 1e-3,
        asleep_end: outcome.sleeping_end,
        unsolved: outcome.unsolved_steps,
        overlap_end: outcome.quality.pen_end_max_m,
        lost: outcome.quality.lost,
        state_hash: outcome.state_hash,
        ..run
    })
}

/// Medians over the rounds of one variant. What is not a time is the same in every round.
fn combined(runs: &[Measured]) -> Measured {
    let of = |value: &dyn Fn(&Measured) -> f64| median(runs.iter().map(value).collect());
    let each = |list: &dyn Fn(&Measured) -> &Vec<f64>| {
        let count = runs.first().map_or(0, |run| list(run).len());
        (0..count).map(|i| median(runs.iter().map(|run| list(run)[i]).collect())).collect()
    };
    let walls = || runs.iter().map(|run| run.wall);
    debug_assert!(
        runs.windows(2).all(|w| w[0].state_hash == w[1].state_hash),
        "equal runs give equal states"
    );
    Measured {
        wall: of(&|run| run.wall),
        cpu: of(&|run| run.cpu),
        spread: [walls().fold(f64::INFINITY, f64::min), walls().fold(0.0, f64::max)],
        step_ms: each(&|run| &run.step_ms),
        response_ms: each(&|run| &run.response_ms),
        ..runs.last().cloned().unwrap_or_default()
    }
}

/// The lower median: of two values the smaller one, which less of other work has gone into.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len().saturating_sub(1) / 2).copied().unwrap_or(f64::NAN)
}

/// Where a list is most times another one: the simulation step and the ratio. Steps count whose slower value
/// is at least `floor` and whose quicker one a tenth of it: beside nothing, anything is many times as much.
pub(crate) fn best_ratio(slow: &[f64], quick: &[f64], floor: f64) -> (usize, f64) {
    let pairs = slow.iter().zip(quick).enumerate().filter(|(_, (s, q))| **s >= floor && **q >= 0.1 * floor);
    let best = pairs.map(|(i, (s, q))| (i, s / q)).max_by(|a, b| a.1.total_cmp(&b.1));
    best.unwrap_or((0, f64::NAN))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_and_best_ratios() {
        assert_eq!(median(vec![3.0, 1.0]), 1.0);
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert_eq!(best_ratio(&[1.0, 8.0, 9.0], &[0.001, 2.0, 3.0], 5.0), (1, 4.0));
    }
}
