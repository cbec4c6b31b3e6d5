//! After warm-up, correction allocates nothing, on no thread.
#![expect(unsafe_code, reason = "a counting allocator implements an unsafe trait")]

#[path = "facts/pile.rs"]
#[allow(dead_code, reason = "the helper of the whole suite; this file needs a part")]
mod pile;

use drystone_correction::{CorrectionConfig, Corrector};
use drystone_exec::Exec;
use drystone_math::Vector3;
use pile::{Pile, SLACK, STEP};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

thread_local! {
    /// Set by the threads that correct: the one that runs the tests has work of its own.
    static IS_COUNTED: Cell<bool> = const { Cell::new(false) };
}

struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is handed to the system allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(usize::from(IS_COUNTED.get()), Ordering::Relaxed);
        // SAFETY: the caller's promises are those of the system allocator.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Rows of different lengths, each pushed as a whole.
fn rows() -> Pile {
    let mut pile = Pile::default();
    let wall = pile.fixed();
    for length in [3, 40, 7, 200, 12] {
        let row: Vec<_> = (0..length).map(|i| pile.ball(f64::from(i), f64::from(length))).collect();
        pile.touch(wall, row[0], Vector3::x(), &[-0.03]);
        for pair in row.windows(2) {
            pile.touch(pair[0], pair[1], Vector3::x(), &[-SLACK]);
        }
    }
    pile
}

#[test]
fn correction_allocates_nothing_after_warm_up() {
    let config = CorrectionConfig { rotate: true, ..Default::default() };
    let start = rows();
    let batches = start.clone().batches();
    for threads in [1, 2] {
        let exec = Exec::with_threads(threads).expect("few threads");
        let mut corrector = Corrector::new();
        let _awake = exec.wake();
        // A thread allocates while it starts, which may be late: all meet before anything is counted.
        let meeting = std::sync::Barrier::new(threads);
        exec.for_each_dynamic(drystone_exec::ranges(threads, 1), |_, _| {
            IS_COUNTED.set(true);
            meeting.wait();
        });
        for round in 0..20 {
            let mut pile = start.clone();
            let before = ALLOCATIONS.load(Ordering::Relaxed);
            let report =
                corrector.correct(&config, &mut pile.bodies, &mut pile.graph, &batches, &STEP, &exec);
            let count = ALLOCATIONS.load(Ordering::Relaxed) - before;
            assert_eq!((report.corrected_count, report.displaced_count), (5, 262), "{report:?}");
            assert!(round == 0 || count == 0, "round {round}, {threads} threads: {count} allocations");
        }
    }
}
