//! A step allocates nothing once capacities have settled; where bodies are stirred, lists that were never as full before
//! still grow, ever more rarely: in less than every tenth step after forty seconds. A binary of its own with one test, since the
//! count is of the whole process.
#![expect(unsafe_code, reason = "a counting global allocator")]

use drystone_planar::scenes::planar_scene;
use drystone_planar::{Exec, PlanarConfig};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

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

#[test]
fn a_step_allocates_nothing_after_warm_up() {
    for (scene, most) in
        [("planar_pyramid:15", 0), ("planar_column:20", 0), ("circles:300", 11), ("tumbler:200", 11)]
    {
        for (threads, partitions) in [(1, 0), (2, 2)] {
            let mut config = PlanarConfig { partitions, ..PlanarConfig::default() };
            config.sleeping.enabled = false;
            let exec = Exec::with_threads(threads).expect("threads");
            let mut world = planar_scene(scene).expect("known").build(config, exec).expect("valid");
            let mut run = |steps: u32| {
                let before = ALLOCATIONS.load(Ordering::Relaxed);
                for _ in 0..steps {
                    world.step(1.0 / 60.0).expect("valid");
                }
                ALLOCATIONS.load(Ordering::Relaxed) - before
            };
            run(2400);
            let found = run(120);
            assert!(found <= most, "{scene}, {threads} threads: {found} allocations in 120 steps");
        }
    }
}
