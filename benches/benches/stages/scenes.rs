//! The scenes, and what is measured in each.

use drystone::{SpanDetail, Stage, World};
use drystone_scenes::{Preset, RunOptions, Runner, scene};
use std::time::Duration;

/// Spans kept of a run with one thread.
const SPANS: usize = 1 << 20;

/// A scene at the state that is measured. Sleeping is off, so that all bodies take part.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Case {
    pub(crate) scene: &'static str,
    pub(crate) title: &'static str,
    /// Where the measured stretch begins and how long it is, simulated s.
    from: f64,
    length: f64,
}

const CASES: [Case; 3] = [
    Case { scene: "metre_pyramid:30", title: "a pyramid at rest", from: 1.0, length: 1.0 },
    Case { scene: "cage384", title: "a heap that flows together in a cage", from: 1.5, length: 1.0 },
    Case { scene: "rain:1000", title: "a rain of boxes, balls and capsules", from: 1.0, length: 1.0 },
];
const SMALL: [Case; 1] = [Case { scene: "metre_pyramid:4", title: "small", from: 0.1, length: 0.1 }];

pub(crate) fn cases(is_full: bool) -> Vec<Case> {
    if is_full { CASES.to_vec() } else { SMALL.to_vec() }
}

/// Ways to run a scene: preset and threads.
pub(crate) const WAYS: [(Preset, usize); 3] = [(Preset::Fast, 1), (Preset::Fast, 2), (Preset::ThesisFast, 1)];

/// What the steps of a stretch worked on, sums over the steps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Work {
    pub(crate) steps: u64,
    pub(crate) bodies: u64,
    /// Points of contacts within reach of each other.
    pub(crate) points: u64,
    pub(crate) examined: u64,
    pub(crate) skipped: u64,
    pub(crate) carried: u64,
    pub(crate) groups: u64,
    /// Manifolds with so many points, less one.
    pub(crate) manifolds: [u64; 4],
    pub(crate) hash: u64,
}

/// One way to run a scene.
#[derive(Clone, Debug)]
pub(crate) struct Measured {
    pub(crate) work: Work,
    /// Least time over the rounds, for all steps together, by stage.
    pub(crate) stages: Vec<(&'static str, Duration)>,
    /// Parts of the stage "solve", where the method names them.
    pub(crate) parts: Vec<(&'static str, Duration)>,
}

/// Runs a scene in all ways, each a few times in turns; the least time of a stage is the one that other programs
/// disturbed least.
pub(crate) fn measure(case: &Case, is_full: bool) -> Vec<Measured> {
    let mut all: Vec<Measured> = Vec::new();
    for round in 0..if is_full { 5 } else { 1 } {
        for (way, &(preset, threads)) in WAYS.iter().enumerate() {
            let (work, stages) = take(case, preset, threads);
            if round == 0 {
                all.push(Measured { work, stages, parts: Vec::new() });
                continue;
            }
            assert_eq!(all[way].work, work, "{}: equal runs do equal work", case.scene);
            least(&mut all[way].stages, &stages);
        }
        let parts = advance_parts(case);
        if round == 0 {
            all[0].parts = parts;
        } else {
            least(&mut all[0].parts, &parts);
        }
    }
    assert_eq!(all[0].work.hash, all[1].work.hash, "{}: threads change nothing", case.scene);
    all
}

fn least(best: &mut [(&'static str, Duration)], new: &[(&'static str, Duration)]) {
    best.iter_mut().zip(new).for_each(|(best, new)| best.1 = best.1.min(new.1));
}

fn start(name: &str, preset: Preset, threads: usize) -> Runner {
    let options = RunOptions { preset, threads, sleep: Some(false), ..RunOptions::default() };
    Runner::new(&scene(name).expect("a scene of the library"), &options).expect("valid options")
}

fn step(runner: &mut Runner) {
    assert!(runner.step().expect("the engine takes every step"), "the stretch lies within the scene");
}

fn take(case: &Case, preset: Preset, threads: usize) -> (Work, Vec<(&'static str, Duration)>) {
    let mut runner = start(case.scene, preset, threads);
    let mut stages: Vec<_> = Stage::ALL.iter().map(|s| (s.name(), Duration::ZERO)).collect();
    let mut work = Work::default();
    while runner.time() < case.from {
        step(&mut runner);
    }
    while runner.time() < case.from + case.length {
        step(&mut runner);
        let world = runner.world();
        let report = world.report();
        stages.iter_mut().zip(report.stages()).for_each(|(sum, (_, time))| sum.1 += time);
        work.steps += 1;
        work.bodies += u64::from(report.awake);
        work.examined += u64::from(report.examined_pairs);
        work.skipped += u64::from(report.skipped_pairs);
        work.carried += u64::from(report.reused_pairs);
        work.groups += u64::from(report.islands);
        count_points(world, &mut work);
    }
    work.hash = runner.world().state_hash();
    (work, stages)
}

fn count_points(world: &World, work: &mut Work) {
    let graph = world.graph();
    for index in graph.edge_indices() {
        let count = graph.edge(index).manifold.points().len();
        work.points += count as u64;
        if count > 0 {
            work.manifolds[count - 1] += 1;
        }
    }
}

/// What "solve" consists of in the first way to run a scene, from a recording.
fn advance_parts(case: &Case) -> Vec<(&'static str, Duration)> {
    let (preset, threads) = WAYS[0];
    let mut runner = start(case.scene, preset, threads);
    while runner.time() < case.from {
        step(&mut runner);
    }
    runner.start_recording(SPANS);
    while runner.time() < case.from + case.length {
        step(&mut runner);
    }
    let recording = runner.stop_recording().expect("it was started");
    assert_eq!(recording.dropped(), 0, "there is room for all spans");
    let mut parts: Vec<(&'static str, Duration)> = Vec::new();
    let is_stage = |name: &str| name == "step" || Stage::ALL.iter().any(|s| s.name() == name);
    for span in recording.lanes[0].spans.iter().filter(|s| s.detail == SpanDetail::Named && !is_stage(s.name))
    {
        match parts.iter_mut().find(|(name, _)| *name == span.name) {
            Some((_, sum)) => *sum += span.length,
            None => parts.push((span.name, span.length)),
        }
    }
    parts
}

/// Takes steps as the first way does, and returns the hash of the state after them.
pub(crate) fn only_steps(name: &str, warm_up: u64, count: u64) -> u64 {
    let (preset, threads) = WAYS[0];
    let mut runner = start(name, preset, threads);
    (0..warm_up + count).for_each(|_| step(&mut runner));
    runner.world().state_hash()
}
