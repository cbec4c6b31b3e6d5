//! `cargo xtask soak [--steps N] [--bodies N] [--seed N] [--threads N] [--preset NAME]`: one long run of a pile that churns, to see that
//! nothing grows over time (promise 7 of the design).
//!
//! Bodies of all shapes fall into a closed box, one a second, and old ones are taken out at the same rate, so that their
//! number stays, slots are used again and again, and most of the pile sleeps in between. The run is divided into parts that are
//! measured alike. Writes `docs/measurements/soak.md`. Fails when memory grows, a body is lost or turns non-finite, a handle outlives its body, or a report
//! is wrong; that steps take longer is told, and no failure: it depends on what else the machine does.

mod churn;
mod document;
mod figures;

use crate::machine::{self, cpu_time};
use crate::shell::{Failure, Outcome, seconds};
use churn::Churn;
use drystone::math::Real;
use drystone::{Exec, Snapshot};
use drystone_scenes::{Preset, Scene};
use figures::{PARTS, Part, percentile};
use std::time::Instant;

/// Simulated time between two bodies, s.
const EXCHANGE_PERIOD: f64 = 1.0;
/// Steps between two looks for bodies outside of the box: a body lives for thousands of steps.
const LOOK_PERIOD: u64 = 64;

/// What to run.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Args {
    /// Steps; at least 20.
    #[arg(long, default_value_t = 1_000_000)]
    steps: u64,
    /// Bodies in the box; 1 to 300, which fill half of it.
    #[arg(long, default_value_t = 120)]
    bodies: usize,
    /// Another run of the same kind.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Threads.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// The engine's settings.
    #[arg(long, default_value = "fast")]
    preset: String,
}

impl Args {
    fn check(&self) -> Outcome {
        let checks = [
            (self.steps >= PARTS as u64, format!("--steps must be at least {PARTS}, got {}", self.steps)),
            (
                (1..=300).contains(&self.bodies),
                format!("--bodies must be in the range 1 to 300, got {}", self.bodies),
            ),
        ];
        checks.into_iter().try_for_each(|(holds, text)| if holds { Ok(()) } else { Err(Failure::new(text)) })
    }

    /// The command that runs the same.
    fn command(&self) -> String {
        let Self { steps, bodies, seed, threads, preset } = self;
        format!(
            "cargo xtask soak --steps {steps} --bodies {bodies} --seed {seed} --threads {threads} --preset {preset}"
        )
    }
}

/// Runs the soak and writes its document.
///
/// # Errors
/// Arguments out of range, what the world refuses, files that cannot be written, and what the run is there to find.
pub(crate) fn run(args: &Args) -> Outcome {
    args.check()?;
    let machine = machine::describe(crate::PROFILE);
    let start = Instant::now();
    let mut parts = Vec::with_capacity(PARTS);
    measure(args, |part| {
        println!("{}", document::line(part, start.elapsed()));
        parts.push(part.clone());
    })?;
    let verdict = figures::judge(&parts);
    let path = crate::workspace::root().join("docs/measurements/soak.md");
    std::fs::write(&path, document::text(&args.command(), &machine, &parts, &verdict))?;
    println!("written: {} after {}", path.display(), seconds(start.elapsed()));
    verdict
}

/// Runs all parts; `each` is given every one at its end.
fn measure(args: &Args, mut each: impl FnMut(&Part)) -> Outcome {
    let preset = Preset::find(&args.preset)?;
    let hz = preset.hz(&Scene::new("soak"));
    let (dt, period) = ((1.0 / hz) as Real, (EXCHANGE_PERIOD * hz).max(1.0) as u64);
    let exec = if args.threads == 1 { Exec::serial() } else { Exec::with_threads(args.threads)? };
    let mut churn = Churn::new(preset.config(), exec, args.bodies, args.seed)?;
    // The box is filled before the first part, four times as fast.
    for step in 0..args.bodies as u64 * period.div_ceil(4) {
        if step.is_multiple_of(period.div_ceil(4)) {
            churn.exchange()?;
        }
        churn.step(dt)?;
    }
    let mut samples = Samples::new((args.steps / PARTS as u64 + 1) as usize);
    let mut done = 0;
    for index in 1..=PARTS as u64 {
        let until = args.steps * index / PARTS as u64;
        let mut part = Part { steps: until, ..Part::default() };
        samples.clear();
        for step in done..until {
            if step.is_multiple_of(period) {
                churn.exchange()?;
            }
            let (start, cpu) = (Instant::now(), cpu_time());
            let report = churn.step(dt)?;
            samples.push(start, cpu);
            part.overlap = part.overlap.max(f64::from(report.worst_overlap));
            part.unsolved += u64::from(!report.is_solved);
            part.asleep += f64::from(report.asleep);
            if step.is_multiple_of(LOOK_PERIOD) || step + 1 == until {
                part.outside = part.outside.max(churn.outside());
            }
        }
        part.asleep /= ((until - done) * churn.live() as u64) as f64;
        (part.live, part.exchanged) = (churn.live(), churn.exchanged());
        let mut snapshot = Snapshot::default();
        churn.world().snapshot_into(&mut snapshot);
        part.world = snapshot.bytes();
        drop(snapshot);
        samples.tell(&mut part);
        part.memory = figures::resident();
        each(&part);
        done = until;
    }
    Ok(())
}

/// Times of the steps of a part, s. All memory that they need is there, and was written to, before the first part.
struct Samples {
    wall: Vec<f64>,
    cpu: Vec<f64>,
}

impl Samples {
    fn new(steps: usize) -> Self {
        Self { wall: vec![1.0; steps], cpu: vec![1.0; steps] }
    }

    fn clear(&mut self) {
        self.wall.clear();
        self.cpu.clear();
    }

    /// A step that began then.
    fn push(&mut self, start: Instant, cpu: Option<f64>) {
        self.wall.push(start.elapsed().as_secs_f64());
        if let (Some(before), Some(after)) = (cpu, cpu_time()) {
            self.cpu.push(after - before);
        }
    }

    fn tell(&mut self, part: &mut Part) {
        part.wall = [0.5, 0.99].map(|share| percentile(&mut self.wall, share));
        part.cpu = percentile(&mut self.cpu, 0.5);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(steps: u64, bodies: usize) -> Args {
        Args { steps, bodies, seed: 1, threads: 1, preset: "fast".into() }
    }

    #[test]
    fn a_short_run_loses_nothing_and_its_memory_stays() {
        let mut parts = Vec::new();
        measure(&args(6000, 40), |part| parts.push(part.clone())).expect("it runs");
        figures::judge(&parts).expect("nothing grows and nothing is lost");
        assert_eq!(parts.len(), PARTS);
        assert!(parts.iter().all(|part| part.live == 40 && part.outside == 0));
        // 100 s, and 40 bodies to fill the box.
        assert_eq!(parts[PARTS - 1].exchanged, [140, 100]);
        assert!(parts.iter().all(|part| part.overlap < 0.05), "{parts:?}");
        assert!(parts.iter().any(|part| part.asleep > 0.1), "{parts:?}");
    }

    #[test]
    fn the_same_seed_is_the_same_run() {
        let run = |seed| {
            let mut churn = Churn::new(Preset::Fast.config(), Exec::serial(), 12, seed).expect("valid");
            for step in 0..600 {
                if step % 20 == 0 {
                    churn.exchange().expect("valid");
                }
                churn.step(1.0 / 60.0).expect("valid");
            }
            churn.world().state_hash()
        };
        assert_eq!(run(1), run(1));
        assert_ne!(run(1), run(2));
    }

    #[test]
    fn arguments_out_of_range_are_refused() {
        assert!(
            args(19, 40).check().is_err() && args(20, 0).check().is_err() && args(20, 301).check().is_err()
        );
        args(20, 300).check().expect("in range");
    }
}
