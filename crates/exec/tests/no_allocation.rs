//! A stage allocates nothing once its memory has grown, whichever way it is scheduled. One test only, since the
//! count is of the whole process.
#![expect(unsafe_code, reason = "a counting global allocator")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use drystone_exec::{Exec, PerWorker, chunks_mut, items_mut};

struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed on to the system allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn step(exec: &Exec, data: &mut [u32], order: &[u32], scratch: &mut PerWorker<u32>) {
    exec.for_each_dynamic(chunks_mut(data, 3), |_, chunk| chunk.fill(0));
    let _awake = exec.wake();
    exec.for_each_dynamic(items_mut(data), |_, value| *value += 1);
    exec.for_each_dynamic_with(scratch, items_mut(data), |_, _, value| *value += 1);
    exec.for_each_dynamic_ordered(order, items_mut(data), |_, value| *value += 1);
    exec.for_each_dynamic_ordered_with(scratch, order, items_mut(data), |_, _, value| *value += 1);
    exec.for_each_static(items_mut(data), |_, value| *value += 1);
    exec.for_each_static_with(scratch, items_mut(data), |_, _, value| *value += 1);
}

#[test]
fn stages_and_wakes_do_not_allocate() {
    for threads in if cfg!(feature = "parallel") { 1..=4 } else { 1..=1 } {
        let exec = Exec::with_threads(threads).unwrap();
        let mut data = vec![0; 100];
        let order: Vec<u32> = (0..100).rev().collect();
        let mut scratch = PerWorker::new(&exec, || 0);
        // Threads allocate as they start, so wait until each has been in a stage.
        for _ in 0..1000 {
            step(&exec, &mut data, &order, &mut scratch);
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        for _ in 0..200 {
            step(&exec, &mut data, &order, &mut scratch);
        }
        assert_eq!(ALLOCATIONS.load(Ordering::Relaxed) - before, 0, "{threads} threads");
        assert_eq!(data, [6; 100]);
    }
}
