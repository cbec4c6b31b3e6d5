//! Recordings of steps: every stage of every step is in them, with the times of the report, and the motion is the
//! same with and without (promises 2 and 3). Trusted reference: the report; another run of the same engine.

use crate::common::*;
use drystone::{Recording, SpanDetail, SpanRecord, WorldConfig};

const STEPS: usize = 40;

/// A heap and a tower, which give several islands; recorded or not. State hash and stage times of every step.
fn run(
    config: &WorldConfig,
    threads: usize,
    is_recorded: bool,
) -> (Vec<u64>, Vec<StageTimes>, Option<Recording>) {
    let scene =
        Scene::on_ground().with_all(pen(0.5)).with_all(heap(18, 0.0, 0.0, 3)).with_all(tower(4, 3.0, 0.0));
    let mut run = scene.start(config, threads);
    if is_recorded {
        run.world.start_recording(10_000);
    }
    let (mut hashes, mut times) = (Vec::new(), Vec::new());
    for _ in 0..STEPS {
        times.push(run.step(60.0).stages().collect());
        hashes.push(run.world.state_hash());
    }
    let recording = run.world.stop_recording();
    (hashes, times, recording)
}

type StageTimes = Vec<(&'static str, std::time::Duration)>;

/// Spans within `outer` and nothing between, parts of stages aside.
fn children<'a>(spans: &'a [SpanRecord], outer: &SpanRecord) -> Vec<&'a SpanRecord> {
    let end = outer.start + outer.length;
    let mut within: Vec<&SpanRecord> = Vec::new();
    for span in spans.iter().filter(|s| matches!(s.detail, SpanDetail::Named)) {
        let is_inside = span.start >= outer.start && span.start + span.length <= end && span != outer;
        let is_deeper =
            within.last().is_some_and(|last| span.start + span.length <= last.start + last.length);
        if is_inside && !is_deeper {
            within.push(span);
        }
    }
    within
}

#[test]
fn every_step_has_all_stages_with_the_times_of_its_report() {
    for (config, threads) in
        [(WorldConfig::fast(), 1), (WorldConfig::fast(), 2), (WorldConfig::thesis_fast(), 2)]
    {
        let (_, times, recording) = run(&config, threads, true);
        let recording = recording.expect("it was recorded");
        assert_eq!((recording.lanes.len(), recording.dropped()), (threads, 0));
        let spans = &recording.lanes[0].spans;
        let steps: Vec<_> = spans.iter().filter(|s| s.name == "step").collect();
        assert_eq!(steps.len(), STEPS);
        for (i, (step, times)) in steps.iter().zip(&times).enumerate() {
            assert_eq!(step.detail, SpanDetail::Numbered(i as u64));
            let stages: Vec<_> = children(spans, step).iter().map(|s| (s.name, s.length)).collect();
            assert_eq!(&stages, times, "step {i}, {threads} threads");
        }
    }
}

#[test]
fn the_advance_of_sub_steps_shows_its_parts() {
    let (_, _, recording) = run(&WorldConfig::fast(), 1, true);
    let recording = recording.expect("it was recorded");
    let spans = &recording.lanes[0].spans;
    let advances: Vec<_> =
        spans.iter().filter(|s| s.name == "solve" && s.detail == SpanDetail::Named).collect();
    assert_eq!(advances.len(), STEPS);
    for advance in advances {
        let names: Vec<_> = children(spans, advance).iter().map(|s| s.name).collect();
        let parts = ["wake struck", "seed loads", "lay out", "prepare", "sub-steps", "write back", "finish"];
        assert_eq!(names, parts);
    }
}

#[test]
fn the_motion_does_not_depend_on_being_recorded() {
    for config in [WorldConfig::fast(), WorldConfig::thesis_fast()] {
        let reference = run(&config, 1, false).0;
        for threads in [1, 2, 4] {
            assert_eq!(run(&config, threads, true).0, reference, "{threads} threads");
        }
    }
}

/// Bodies awake and contact points together tell whether a step is shared (`parallel_threshold`): below that no other thread takes part, whatever the number of bodies. Of one
/// that may take part it is chance whether it comes in time.
#[test]
fn what_is_little_work_stays_on_the_calling_thread() {
    // Four boxes with four points each, once they touch.
    for (parallel_threshold, is_shared) in [(21, false), (20, true)] {
        let mut run = Scene::on_ground().with_all(tower(4, 0.0, 0.0)).start(&WorldConfig::fast(), 2);
        run.world.set_config(WorldConfig { parallel_threshold, ..WorldConfig::fast() }).expect("in range");
        run.world.start_recording(10_000);
        let mut most = 0;
        for _ in 0..10 {
            let report = run.step(60.0);
            most = most.max(report.awake + report.contacts);
        }
        assert_eq!(most >= parallel_threshold, is_shared, "{most} of {parallel_threshold}");
        let recording = run.world.stop_recording().expect("it was recorded");
        assert!(is_shared || recording.lanes[1].spans.is_empty(), "{most} of {parallel_threshold}");
    }
}
