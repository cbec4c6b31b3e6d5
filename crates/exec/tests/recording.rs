//! Recordings: what is in them, in which lane, and what happens when there is no room.

use drystone_exec::{Exec, Lane, Recording, SpanDetail, SpanRecord, items, ranges};
use std::time::{Duration, Instant};

fn exec(threads: usize) -> Exec {
    Exec::with_threads(if cfg!(feature = "parallel") { threads } else { 1 }).expect("threads can be started")
}

/// Two spans within one another, each with stages.
fn record(exec: &mut Exec, room: usize) -> Recording {
    exec.start_recording(room);
    {
        let awake = exec.wake();
        let _outer = exec.span("outer").numbered(7);
        exec.for_each_dynamic(ranges(20, 1), |_, _| std::thread::sleep(Duration::from_micros(50)));
        let mut inner = exec.span("first");
        exec.for_each_dynamic_ordered(&[3, 1], items(&[0; 5]), |_, _| {});
        inner.next_at("second", Instant::now());
        exec.for_each_static(ranges(100, 1), |_, _| {});
        inner.end_at(Instant::now());
        exec.for_each_dynamic(ranges(1, 1), |_, _| {});
        exec.part("left");
        exec.for_each_dynamic(ranges(2, 1), |_, _| {});
        exec.part("right");
        drop(exec.span("between"));
        exec.for_each_dynamic(ranges(3, 1), |_, _| {});
        drop(awake);
    }
    exec.stop_recording().expect("one was started")
}

fn parts_named<'a>(recording: &'a Recording, name: &str) -> Vec<&'a SpanRecord> {
    let spans = recording.lanes.iter().flat_map(|lane| &lane.spans);
    spans.filter(|s| s.name == name && matches!(s.detail, SpanDetail::Parts(_))).collect()
}

fn part_indices(spans: &[&SpanRecord]) -> Vec<usize> {
    let mut indices: Vec<usize> = spans
        .iter()
        .flat_map(|span| match &span.detail {
            SpanDetail::Parts(parts) => parts.clone(),
            other => panic!("{other:?}"),
        })
        .collect();
    indices.sort_unstable();
    indices
}

#[test]
fn every_part_is_recorded_once_under_the_name_of_its_span() {
    for threads in [1, 2, 4] {
        let mut exec = exec(threads);
        let recording = record(&mut exec, 1000);
        assert_eq!(recording.lanes.len(), exec.thread_count());
        assert_eq!(recording.dropped(), 0);
        assert_eq!(part_indices(&parts_named(&recording, "first")), [1, 3]);
        assert_eq!(part_indices(&parts_named(&recording, "second")), (0..100).collect::<Vec<_>>());
        // Before the inner spans, and after them.
        let outer = part_indices(&parts_named(&recording, "outer"));
        assert_eq!(outer, [0].into_iter().chain(0..20).collect::<Vec<_>>());
        assert_eq!(part_indices(&parts_named(&recording, "left")), [0, 1]);
        assert_eq!(part_indices(&parts_named(&recording, "right")), [0, 1, 2]);
        // A run of parts is one span: as many as there are threads at most.
        assert!(parts_named(&recording, "second").len() <= exec.thread_count());
        let named = recording.lanes[0].spans.iter().filter(|s| !matches!(s.detail, SpanDetail::Parts(_)));
        let named: Vec<_> = named.map(|s| (s.name, s.detail.clone())).collect();
        let expected = [
            ("outer", SpanDetail::Numbered(7)),
            ("first", SpanDetail::Named),
            ("second", SpanDetail::Named),
            ("left", SpanDetail::Named),
            ("right", SpanDetail::Named),
            ("between", SpanDetail::Named),
        ];
        assert_eq!(named, expected);
        assert_eq!(exec.stop_recording(), None);
    }
}

#[test]
fn spans_of_a_lane_lie_apart_or_within_one_another() {
    for threads in [1, 2, 4] {
        for Lane { spans, .. } in record(&mut exec(threads), 1000).lanes {
            let mut open: Vec<Duration> = Vec::new();
            for span in &spans {
                open.retain(|&end| end > span.start);
                let end = span.start + span.length;
                assert!(open.iter().all(|&outer| end <= outer), "{span:?} crosses another: {spans:?}");
                open.push(end);
            }
        }
    }
}

/// Two parts that wait for each other are on two threads.
#[cfg(feature = "parallel")]
#[test]
fn parts_are_in_the_lane_of_their_thread() {
    use std::sync::atomic::{AtomicUsize, Ordering};

    let mut exec = exec(2);
    exec.start_recording(10);
    let met = AtomicUsize::new(0);
    exec.for_each_dynamic(ranges(2, 1), |_, _| {
        met.fetch_add(1, Ordering::Relaxed);
        while met.load(Ordering::Relaxed) < 2 {
            std::thread::yield_now();
        }
    });
    let recording = exec.stop_recording().expect("one was started");
    assert_eq!(recording.lanes.iter().map(|lane| lane.spans.len()).collect::<Vec<_>>(), [1, 1]);
}

#[test]
fn spans_without_room_are_counted() {
    let mut exec = exec(1);
    let all = record(&mut exec, 1000).lanes[0].spans.len() as u64;
    for room in [0, 1, 10] {
        let recording = record(&mut exec, room);
        let lane = &recording.lanes[0];
        assert_eq!((lane.spans.len(), lane.dropped), (room, all - room as u64));
        assert_eq!(recording.dropped(), all - room as u64);
    }
}

/// It panicked, or ended the process.
#[test]
fn room_that_no_memory_has_is_no_room() {
    let mut exec = exec(2);
    for room in [usize::MAX, 1 << 50] {
        let recording = record(&mut exec, room);
        assert_eq!((recording.lanes[0].spans.len(), recording.lanes[0].dropped > 0), (0, true));
    }
}

#[test]
fn what_a_part_throws_ends_its_spans() {
    let mut exec = exec(2);
    exec.start_recording(100);
    let thrown = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let _span = exec.span("bad");
        exec.for_each_dynamic(ranges(4, 1), |i, _| assert_ne!(i, 2, "on purpose"));
    }));
    assert!(thrown.is_err());
    exec.for_each_dynamic(ranges(1, 1), |_, _| {});
    let recording = exec.stop_recording().expect("one was started");
    assert!(part_indices(&parts_named(&recording, "bad")).contains(&2));
    assert_eq!(recording.lanes[0].spans.last().map(|s| s.name), Some("stage"), "the name around it is back");
}

#[test]
fn a_span_has_the_size_that_the_documentation_says() {
    if cfg!(target_pointer_width = "64") {
        assert_eq!(size_of::<SpanRecord>(), 72);
    }
}
