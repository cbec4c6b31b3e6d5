//! Hands each part of a stage to one thread, once: the loops behind the stages of `stage.rs`.
#![expect(unsafe_code, reason = "asks a partition for its parts, each once by an atomic claim")]

use std::any::Any;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crossbeam_utils::CachePadded;

use crate::inside::Inside;
use crate::order::Order;
use crate::{Exec, MAX_THREADS, Partition};

/// A thread's place in one stage.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seat {
    /// Below the stage's number of seats, and different for all threads of the stage; 0 is the caller.
    pub(crate) index: usize,
    /// The same for one thread from stage to stage: which share of the data may be in its cache.
    pub(crate) worker: usize,
}

/// Parts claimed one at a time in the given order; a thread keeps the scratch of its seat throughout.
pub(crate) fn claim_each<S: Partition, P: Partition>(
    exec: &Exec,
    scratch: &S,
    order: &Order<'_>,
    parts: &P,
    work: impl Fn(&mut S::Part, usize, P::Part) + Sync,
) {
    let _inside = Inside::enter(exec.identity());
    if order.len() == 0 {
        return;
    }
    let recorder = exec.parts_recorder();
    let seat_count = exec.thread_count().min(scratch.part_count()).min(order.len());
    let shared = seat_count > 1 && {
        let next = CachePadded::new(AtomicUsize::new(0));
        run_shared(exec, seat_count, &|seat, stop| {
            // SAFETY: seats are below `seat_count` and given once per stage.
            let mut scratch = unsafe { scratch.part(seat.index) };
            while !stop.load(Ordering::Relaxed) {
                // Relaxed is enough: the claim itself is the only thing exchanged here, and the results become
                // visible to the caller as threads leave the stage.
                let Some(index) = order.get(next.fetch_add(1, Ordering::Relaxed)) else { return };
                let _running = recorder.map(|r| r.begin(seat.worker, index..index + 1));
                // SAFETY: a claim comes once from the counter, and an order holds each index in range once.
                work(&mut scratch, index, unsafe { parts.part(index) });
            }
        })
    };
    if shared {
        return;
    }
    // SAFETY: no thread took a seat, the order has a part, and scratch is never empty.
    let mut scratch = unsafe { scratch.part(0) };
    for index in (0..order.len()).filter_map(|claim| order.get(claim)) {
        let _running = recorder.map(|r| r.begin(0, index..index + 1));
        // SAFETY: as above, an order holds each index in range once.
        work(&mut scratch, index, unsafe { parts.part(index) });
    }
}

/// Parts in contiguous shares, one per thread, of which share `k` is worked through with scratch `k`.
pub(crate) fn split_evenly<S: Partition, P: Partition>(
    exec: &Exec,
    scratch: &S,
    parts: &P,
    work: impl Fn(&mut S::Part, usize, P::Part) + Sync,
) {
    let _inside = Inside::enter(exec.identity());
    let part_count = parts.part_count();
    if part_count == 0 {
        return;
    }
    let share_count = exec.thread_count().min(scratch.part_count()).min(part_count);
    let recorder = exec.parts_recorder();
    let work_share = |share: usize, worker: usize, stop: &AtomicBool| {
        // SAFETY: the callers below pass each share below `share_count` once, and no two of them run.
        let mut scratch = unsafe { scratch.part(share) };
        let own = if share_count == 1 { 0..part_count } else { share_of(share, share_count, part_count) };
        let _running = recorder.map(|r| r.begin(worker, own.clone()));
        for index in own {
            if stop.load(Ordering::Relaxed) {
                return;
            }
            // SAFETY: shares are disjoint ranges below `part_count`, each taken once.
            work(&mut scratch, index, unsafe { parts.part(index) });
        }
    };
    let shared = share_count > 1 && {
        let taken = TakenShares::default();
        run_shared(exec, share_count, &|seat, stop| {
            // One's own share first, for its cache; then those of threads that did not come.
            let own = seat.worker % share_count;
            (own..share_count)
                .chain(0..own)
                .filter(|&share| taken.take(share))
                .for_each(|s| work_share(s, seat.worker, stop));
        })
    };
    if !shared {
        (0..share_count).for_each(|share| work_share(share, 0, &AtomicBool::new(false)));
    }
}

/// Parts of share `share`: contiguous, in order, and even to within one part.
fn share_of(share: usize, share_count: usize, part_count: usize) -> Range<usize> {
    let (base, longer) = (part_count / share_count, part_count % share_count);
    let start = share * base + share.min(longer);
    start..start + base + usize::from(share < longer)
}

/// Which shares have been taken, a bit each.
#[derive(Default)]
struct TakenShares([AtomicU64; MAX_THREADS / 64]);

impl TakenShares {
    /// Takes a share; false when it was taken before.
    fn take(&self, share: usize) -> bool {
        let (word, bit) = (&self.0[share / 64], 1 << (share % 64));
        // Relaxed: as for claims, who gets true is all that matters.
        word.load(Ordering::Relaxed) & bit == 0 && word.fetch_or(bit, Ordering::Relaxed) & bit == 0
    }
}

/// Runs `body` on this thread and on workers that come, each in a seat of its own below `seat_count`, and
/// resumes the first panic. False, with nothing done, when there are no workers to be had.
fn run_shared(exec: &Exec, seat_count: usize, body: &(dyn Fn(Seat, &AtomicBool) + Sync)) -> bool {
    let Some(team) = exec.team(seat_count) else { return false };
    let panicked = FirstPanic::default();
    let identity = exec.identity();
    let shared = team.run(seat_count, &|seat| {
        panicked.catch(|stop| {
            let _inside = Inside::mark(identity);
            body(seat, stop);
        });
    });
    panicked.resume();
    shared
}

/// Keeps the first panic of a stage until all threads have left it.
#[derive(Default)]
struct FirstPanic {
    /// Set by any panic: no further part is started.
    stop: AtomicBool,
    payload: Mutex<Option<Box<dyn Any + Send>>>,
}

impl FirstPanic {
    fn catch(&self, body: impl FnOnce(&AtomicBool)) {
        // What a part may leave half-done is seen by nobody but the caller, whose panic it becomes.
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| body(&self.stop))) {
            self.stop.store(true, Ordering::Relaxed);
            let mut first = self.payload.lock().unwrap_or_else(PoisonError::into_inner);
            if first.is_none() {
                *first = Some(payload);
            } else {
                // Leaked on purpose: dropping a payload may panic, which a worker must not.
                std::mem::forget(payload);
            }
        }
    }

    fn resume(self) {
        if let Some(payload) = self.payload.into_inner().unwrap_or_else(PoisonError::into_inner) {
            resume_unwind(payload);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::share_of;

    #[test]
    fn shares_follow_each_other_and_cover_all_parts() {
        for (share_count, part_count) in [(1, 1), (1, 7), (2, 2), (3, 7), (8, 9), (8, 1000), (3, usize::MAX)]
        {
            let mut end = 0;
            for share in (0..share_count).map(|share| share_of(share, share_count, part_count)) {
                assert_eq!(share.start, end);
                assert!(
                    share.len() >= part_count / share_count && share.len() <= part_count / share_count + 1
                );
                end = share.end;
            }
            assert_eq!(end, part_count);
        }
    }
}
