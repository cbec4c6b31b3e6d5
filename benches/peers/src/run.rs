//! One run: steps with their times, poses kept along the way, judged when all is over.

use crate::engine::{Engine, Motion};
use crate::quality::{Quality, judge};
use crate::task::{Event, Task};
use cpu_time::ProcessTime;
use drystone_math::Vector3;
use drystone_scenes::Preset;
use serde_json::{Value, json};
use std::time::Instant;

/// Poses are kept this often, 1/s.
const SAMPLES_PER_SECOND: f64 = 10.0;
/// Most times poses are kept in a run; long runs are looked at less often.
const MAX_SAMPLES: u64 = 120;

/// How to run.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    /// Steps per second.
    pub(crate) hz: f64,
    pub(crate) threads: usize,
    pub(crate) sleep: bool,
    /// Simulated time, s.
    pub(crate) seconds: f64,
    /// Settings of drystone.
    pub(crate) preset: Preset,
    /// Settings beside it, as field and value.
    pub(crate) set: Vec<(String, String)>,
    /// The run ends early when its steps have taken this long, s.
    pub(crate) limit: f64,
}

impl Options {
    /// The settings beside the preset, each `field=value`.
    pub(crate) fn set_texts(&self) -> Vec<String> {
        self.set.iter().map(|(field, value)| format!("{field}={value}")).collect()
    }

    /// A second on one thread without sleeping, for tests to differ from.
    #[cfg(test)]
    pub(crate) fn of_test() -> Self {
        Self {
            hz: 60.0,
            threads: 1,
            sleep: false,
            seconds: 1.0,
            preset: Preset::Fast,
            set: Vec::new(),
            limit: 60.0,
        }
    }
}

/// The state after a step.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    /// Simulated time, s.
    pub(crate) time: f64,
    /// Gravity since the sample before, m/s².
    pub(crate) gravity: Vector3,
    /// Nothing from outside happened since the sample before.
    pub(crate) is_undisturbed: bool,
    /// Of each body; `None` for those that are not there yet.
    pub(crate) motions: Vec<Option<Motion>>,
}

/// What a run gave.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    /// To build the world, ms of wall time.
    setup_ms: f64,
    /// CPU time of the process in each step, all threads, µs.
    cpu_us: Vec<f64>,
    /// Wall time of each step, µs.
    wall_us: Vec<f64>,
    steps_asked: u64,
    asleep_end: usize,
    quality: Quality,
}

/// Runs a task to its end or to the limit.
///
/// What appears during the run counts as part of the step it appears in: engines differ in whether they do
/// the work when a body is added or when they step. What is there from the start is set up before the clock runs.
///
/// # Errors
/// What the engine refuses.
pub(crate) fn run(engine: &mut dyn Engine, task: &Task, options: &Options) -> Result<Record, String> {
    let steps_asked = (options.seconds * options.hz).round().max(1.0) as u64;
    let sparse = (options.hz / SAMPLES_PER_SECOND).round() as u64;
    let pause = sparse.max(steps_asked / MAX_SAMPLES).max(1);
    let dt = (1.0 / options.hz) as f32;
    let mut due = task.events.iter().map(|(t, e)| ((t * options.hz).round() as u64, *e)).peekable();
    let start = Instant::now();
    let mut gravity = task.gravity;
    while let Some((_, event)) = due.next_if(|(step, _)| *step == 0) {
        act(engine, task, event, &mut gravity)?;
    }
    let setup_ms = start.elapsed().as_secs_f64() * 1e3;
    let count = task.bodies.len();
    let mut samples =
        vec![Sample { time: 0.0, gravity, is_undisturbed: false, motions: engine.motions(count) }];
    let (mut cpu_us, mut wall_us) = (Vec::new(), Vec::new());
    let mut is_undisturbed = true;
    let mut left = options.limit;
    for step in 0..steps_asked {
        let (wall, cpu) = (Instant::now(), ProcessTime::now());
        while let Some((_, event)) = due.next_if(|(at, _)| *at <= step) {
            act(engine, task, event, &mut gravity)?;
            is_undisturbed = false;
        }
        engine.step(dt)?;
        let (cpu, wall) = (cpu.elapsed().as_secs_f64(), wall.elapsed().as_secs_f64());
        cpu_us.push(cpu * 1e6);
        wall_us.push(wall * 1e6);
        left -= wall;
        let is_last = step + 1 == steps_asked || left <= 0.0;
        if (step + 1) % pause == 0 || is_last {
            let time = (step + 1) as f64 / options.hz;
            samples.push(Sample { time, gravity, is_undisturbed, motions: engine.motions(count) });
            is_undisturbed = true;
        }
        if is_last {
            break;
        }
    }
    let quality = judge(task, &samples);
    Ok(Record { setup_ms, cpu_us, wall_us, steps_asked, asleep_end: engine.asleep(), quality })
}

/// Does what is due.
pub(crate) fn act(
    engine: &mut dyn Engine,
    task: &Task,
    event: Event,
    gravity: &mut Vector3,
) -> Result<(), String> {
    match event {
        Event::Appear(index) => engine.add(index, &task.bodies[index]),
        Event::Join(index) => engine.join(&task.joints[index], &task.bodies),
        Event::SetGravity(new) => {
            *gravity = new;
            engine.set_gravity(new)
        }
    }
}

impl Record {
    /// As JSON; `with_steps`: with the time of each step.
    pub(crate) fn json(&self, task: &Task, options: &Options, with_steps: bool) -> Value {
        let mut json = json!({
            "scene": task.name,
            "hz": options.hz,
            "threads": options.threads,
            "sleep": options.sleep,
            "preset": options.preset.name(),
            "set": options.set_texts(),
            "friction": task.friction,
            "restitution": task.restitution,
            "bodies": task.dynamic_count(),
            "steps": self.cpu_us.len(),
            "steps_asked": self.steps_asked,
            "setup_ms": self.setup_ms,
            "cpu_ms": self.cpu_us.iter().sum::<f64>() * 1e-3,
            "wall_ms": self.wall_us.iter().sum::<f64>() * 1e-3,
            "asleep_end": self.asleep_end,
            "quality": self.quality.json(),
        });
        if with_steps {
            // Nanoseconds: a step of a scene that sleeps takes 1 or 2 µs.
            let rounded = |list: &[f64]| list.iter().map(|us| (1e3 * us).round() as u64).collect::<Vec<_>>();
            json["step_cpu_ns"] = rounded(&self.cpu_us).into();
            json["step_wall_ns"] = rounded(&self.wall_us).into();
        }
        json
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whole microseconds made 180 of 252, and 0 where steps took less than half of one.
    #[test]
    fn times_of_steps_add_up_to_that_of_the_run() {
        let task = Task::of_test("tower:3");
        let options = Options { sleep: true, seconds: 3.0, ..Options::of_test() };
        for us in [1.4, 0.4] {
            let record = Record {
                setup_ms: 0.0,
                cpu_us: vec![us; 180],
                wall_us: vec![us; 180],
                steps_asked: 180,
                asleep_end: 3,
                quality: Quality::default(),
            };
            let json = record.json(&task, &options, true);
            for (steps, sum) in [("step_cpu_ns", "cpu_ms"), ("step_wall_ns", "wall_ms")] {
                let steps: f64 =
                    json[steps].as_array().expect("a list").iter().filter_map(Value::as_f64).sum();
                let sum = json[sum].as_f64().expect("a number");
                assert!((1e-6 * steps - sum).abs() < 1e-9 * sum, "{steps} ns beside {sum} ms");
            }
        }
    }
}
