//! No heap allocation once capacities have settled, proven by a counting allocator. On its own in a file:
//! other tests running beside it would be counted too.
#![expect(unsafe_code, reason = "a global allocator is an unsafe trait; this one only counts")]

use drystone_collision::broad::{
    BroadPhase, DynamicTree, HierarchicalHashGrid, PairChanges, Proxies, ProxyFilter, UniformHashGrid,
};
use drystone_exec::Exec;
use drystone_math::{Aabb, BitSet, Displacement, Position};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    /// Of this thread alone: the one that runs the tests has work of its own.
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: every call is passed on unchanged to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller keeps the promises of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the promises of `dealloc`, and all memory is the system's.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Boxes on circles of many sizes, some of them switched off in parts of the round.
fn boxes_at(phase: usize, boxes: &mut [Aabb]) {
    for (i, aabb) in boxes.iter_mut().enumerate() {
        let angle = std::f64::consts::TAU * (phase as f64 / 24.0 + i as f64 * 0.618);
        let center = Position::new(10.0 * angle.cos(), (i % 40) as f64 * 0.5, 10.0 * angle.sin());
        let half = 0.05 * (1 + i % 50) as f64 * (1.5 + angle.cos());
        *aabb = if (i + phase).is_multiple_of(12) {
            Aabb::EMPTY
        } else {
            Aabb::from_center(center, Displacement::repeat(half))
        };
    }
}

#[test]
fn a_round_of_motion_allocates_nothing_the_third_time() {
    run(&mut HierarchicalHashGrid::default());
    run(&mut DynamicTree::new());
    run(&mut UniformHashGrid::default());
}

fn run(broad: &mut dyn BroadPhase) {
    const COUNT: usize = 1500;
    let exec = Exec::serial();
    let filters: Vec<ProxyFilter> = (0..COUNT as u32)
        .map(|owner| ProxyFilter { member_of: 1, meets: 1, fixed: owner % 9 == 0, owner })
        .collect();
    let mut boxes = vec![Aabb::EMPTY; COUNT];
    let mut changed = BitSet::new();
    changed.resize(COUNT as u32);
    (0..COUNT as u32).for_each(|p| changed.insert(p));
    let mut changes = PairChanges::default();
    let mut round = || {
        let mut pairs = 0;
        for phase in 0..24 {
            boxes_at(phase, &mut boxes);
            let proxies = Proxies { boxes: &boxes, filters: &filters, changed: &changed };
            pairs += u64::from(broad.update(proxies, &exec, &mut changes).pairs);
        }
        pairs
    };
    let pairs = round();
    round();
    let before = ALLOCATIONS.get();
    let again = round();
    let after = ALLOCATIONS.get();
    assert!(pairs > 1000 && again > 1000);
    assert_eq!(after - before, 0, "allocations in 24 updates of {COUNT} boxes");
}
