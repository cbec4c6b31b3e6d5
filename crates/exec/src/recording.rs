//! What ran when: named spans of the calling thread, and the parts of stages that each thread took.
//!
//! Off, a recording costs one look at an `Option` per stage and per claim of parts. On, it costs two readings of
//! the clock and an uncontended lock for each span. Room is made when the recording starts: a span that finds no
//! room is counted and forgotten. Nothing that stages compute depends on it.

mod chrome;

use std::cmp::Reverse;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crossbeam_utils::CachePadded;

use crate::Exec;

/// A stretch of time on one thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpanRecord {
    /// What was done: the name given to [`Exec::span`], for parts of a stage that of the span they ran in.
    pub name: &'static str,
    /// When it began, since the recording did.
    pub start: Duration,
    /// How long it took.
    pub length: Duration,
    /// What else is known of it.
    pub detail: SpanDetail,
}

/// What a span is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpanDetail {
    /// A named span.
    Named,
    /// A named span with a number, such as that of a step.
    Numbered(u64),
    /// Parts of a stage, taken in one claim.
    Parts(Range<usize>),
}

/// The spans of one thread.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lane {
    /// By their start; what encloses others comes before them. Two spans of a lane lie apart or one within the
    /// other.
    pub spans: Vec<SpanRecord>,
    /// Spans that found no room.
    pub dropped: u64,
}

/// What [`Exec::stop_recording`] gives: a lane per thread, that of the calling thread first.
///
/// Of a pool of the caller's ([`Exec::with_pool`]), whose threads come and go, two visitors may share a lane;
/// stages that a second caller starts meanwhile are in the first lane. Spans of such lanes may cross.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recording {
    /// As many as the `Exec` has threads.
    pub lanes: Vec<Lane>,
}

impl Recording {
    /// Spans that found no room, on all threads.
    pub fn dropped(&self) -> u64 {
        self.lanes.iter().map(|lane| lane.dropped).sum()
    }
}

/// Where the calling thread is.
#[derive(Clone, Copy)]
struct Now {
    /// Name of the innermost open span or part of it: what parts of a stage are called.
    label: &'static str,
    /// When the open part of the innermost span began, if there is one.
    part_start: Option<Instant>,
}

/// A recording in the making.
pub(crate) struct Recorder {
    began: Instant,
    now: Mutex<Now>,
    /// Each is locked by its own thread, and so never waited for.
    lanes: Vec<CachePadded<Mutex<Lane>>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Recorder {
    fn new(thread_count: usize, spans_per_thread: usize) -> Self {
        let lane = || {
            let mut spans = Vec::new();
            // Room that there is no memory for is as room that was not asked for: its spans are counted.
            let _ = spans.try_reserve_exact(spans_per_thread);
            Lane { spans, dropped: 0 }
        };
        Self {
            began: Instant::now(),
            now: Mutex::new(Now { label: "stage", part_start: None }),
            lanes: (0..thread_count).map(|_| CachePadded::new(Mutex::new(lane()))).collect(),
        }
    }

    fn record(&self, lane: usize, name: &'static str, start: Instant, end: Instant, detail: SpanDetail) {
        let Some(lane) = self.lanes.get(lane) else { return };
        let mut lane = lock(lane);
        if lane.spans.len() == lane.spans.capacity() {
            lane.dropped += 1;
            return;
        }
        let (start, length) = (start.duration_since(self.began), end.duration_since(start));
        lane.spans.push(SpanRecord { name, start, length, detail });
    }

    /// Ends the open part of the innermost span, if there is one, and names what comes next.
    fn pass_on(&self, time: Instant, next: Now) {
        let before = std::mem::replace(&mut *lock(&self.now), next);
        if let Some(start) = before.part_start {
            self.record(0, before.label, start, time, SpanDetail::Named);
        }
    }

    #[cold]
    #[inline(never)]
    fn begin_part(&self, name: &'static str) {
        let time = Instant::now();
        self.pass_on(time, Now { label: name, part_start: Some(time) });
    }

    fn finish(self) -> Recording {
        let lanes = self.lanes.into_iter().map(|lane| {
            let mut lane = lane.into_inner().into_inner().unwrap_or_else(PoisonError::into_inner);
            // A span is recorded when it ends, so after all it encloses: of two with equal times the later one
            // is the outer one.
            lane.spans.reverse();
            lane.spans.sort_by_key(|span| (span.start, Reverse(span.length)));
            lane
        });
        Recording { lanes: lanes.collect() }
    }
}

/// Recordings of what ran when.
impl Exec {
    /// Starts a recording with room for so many spans on each thread; what was recorded before is forgotten.
    /// The room is allocated here, 72 bytes a span, and nothing later; a thread for whose room there is no memory has none, and counts its spans as
    /// dropped.
    ///
    /// ```
    /// use drystone_exec::{Exec, items_mut};
    ///
    /// let (mut exec, mut values) = (Exec::serial(), [1, 2, 3]);
    /// exec.start_recording(100);
    /// {
    ///     let _span = exec.span("double");
    ///     exec.for_each_dynamic(items_mut(&mut values), |_, value| *value *= 2);
    /// }
    /// assert!(exec.is_recording());
    /// let recording = exec.stop_recording().expect("one was started");
    /// let names: Vec<_> = recording.lanes[0].spans.iter().map(|span| span.name).collect();
    /// assert_eq!(names, ["double"; 4]); // the span, and in it the three parts
    /// ```
    pub fn start_recording(&mut self, spans_per_thread: usize) {
        self.recorder = Some(Box::new(Recorder::new(self.thread_count(), spans_per_thread)));
    }

    /// Ends the recording and returns it; `None` when there was none.
    pub fn stop_recording(&mut self) -> Option<Recording> {
        self.recorder.take().map(|recorder| recorder.finish())
    }

    /// Whether a recording is going on.
    #[inline]
    pub fn is_recording(&self) -> bool {
        self.recorder.is_some()
    }

    /// Names what this thread does until the returned value is dropped. For the thread that calls stages, between
    /// stages: not for use in parts.
    pub fn span(&self, name: &'static str) -> Span<'_> {
        Span { open: self.recorder.as_deref().map(|recorder| Open::new(recorder, name, Instant::now())) }
    }

    /// As [`Exec::span`], with the time at which it began, for callers that have read the clock themselves.
    #[inline]
    pub fn span_at(&self, name: &'static str, start: Instant) -> Span<'_> {
        Span { open: self.recorder.as_deref().map(|recorder| Open::new(recorder, name, start)) }
    }

    /// Names what comes next within the innermost open span, up to the next part or the end of that span. As a
    /// span, but a statement: methods that name their parts with it are compiled as they would be without.
    #[inline]
    pub fn part(&self, name: &'static str) {
        if let Some(recorder) = self.recorder.as_deref() {
            recorder.begin_part(name);
        }
    }

    /// Where the parts of a stage are recorded; asked once per stage, on the calling thread.
    #[inline]
    pub(crate) fn parts_recorder(&self) -> Option<PartsRecorder<'_>> {
        let recorder = self.recorder.as_deref()?;
        Some(PartsRecorder { recorder, label: lock(&recorder.now).label })
    }
}

/// A named stretch of time that is going on; made by [`Exec::span`], ends when it is dropped. Does nothing when
/// there is no recording.
#[must_use = "a span ends when it is dropped"]
pub struct Span<'a> {
    open: Option<Open<'a>>,
}

struct Open<'a> {
    recorder: &'a Recorder,
    name: &'static str,
    start: Instant,
    detail: SpanDetail,
    /// Where the thread was when it began.
    outer: Now,
}

impl<'a> Open<'a> {
    fn new(recorder: &'a Recorder, name: &'static str, start: Instant) -> Self {
        let outer = std::mem::replace(&mut *lock(&recorder.now), Now { label: name, part_start: None });
        Self { recorder, name, start, detail: SpanDetail::Named, outer }
    }

    fn record(&mut self, end: Instant, next: Now) {
        self.recorder.pass_on(end, next);
        let detail = std::mem::replace(&mut self.detail, SpanDetail::Named);
        self.recorder.record(0, self.name, self.start, end, detail);
    }
}

impl Span<'_> {
    /// Gives the span a number, to tell it from others of its name.
    pub fn numbered(mut self, number: u64) -> Self {
        if let Some(open) = &mut self.open {
            open.detail = SpanDetail::Numbered(number);
        }
        self
    }

    /// Ends the span at a time that the caller has read, and begins another one in its place.
    #[inline]
    pub fn next_at(&mut self, name: &'static str, now: Instant) {
        if let Some(open) = &mut self.open {
            open.record(now, Now { label: name, part_start: None });
            (open.name, open.start) = (name, now);
        }
    }

    /// Ends the span at a time that the caller has read.
    #[inline]
    pub fn end_at(mut self, now: Instant) {
        if let Some(open) = self.open.take() {
            close(open, now);
        }
    }
}

fn close(mut open: Open<'_>, end: Instant) {
    let outer = open.outer;
    open.record(end, outer);
}

impl Drop for Span<'_> {
    fn drop(&mut self) {
        if let Some(open) = self.open.take() {
            close(open, Instant::now());
        }
    }
}

impl std::fmt::Debug for Span<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Span").field("name", &self.open.as_ref().map(|open| open.name)).finish()
    }
}

/// Records parts of one stage.
#[derive(Clone, Copy)]
pub(crate) struct PartsRecorder<'a> {
    recorder: &'a Recorder,
    label: &'static str,
}

impl<'a> PartsRecorder<'a> {
    /// Begins with parts that a thread has claimed; they end when the value is dropped.
    pub(crate) fn begin(self, worker: usize, parts: Range<usize>) -> RunningParts<'a> {
        RunningParts { own: self, worker, parts, start: Instant::now() }
    }
}

/// Parts that are being worked on.
pub(crate) struct RunningParts<'a> {
    own: PartsRecorder<'a>,
    worker: usize,
    parts: Range<usize>,
    start: Instant,
}

impl Drop for RunningParts<'_> {
    fn drop(&mut self) {
        let detail = SpanDetail::Parts(self.parts.clone());
        self.own.recorder.record(self.worker, self.own.label, self.start, Instant::now(), detail);
    }
}
