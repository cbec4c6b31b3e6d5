//! The narrow phase allocates nothing, not even the first time, proven by a counting allocator. On its own
//! in a file: other tests running beside it would be counted too.
#![expect(unsafe_code, reason = "a global allocator is an unsafe trait; this one only counts")]

use drystone_collision::Shape;
use drystone_collision::narrow::{LocalManifold, PairCache, contact};
use drystone_math::{Real, RelativePose, Rotation, Vector3};
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

/// A regular prism, m.
fn prism(sides: usize) -> Shape {
    let corner = |i: usize| {
        let angle = (i / 2) as Real * std::f32::consts::TAU / sides as Real;
        Vector3::new(angle.cos(), if i.is_multiple_of(2) { 0.5 } else { -0.5 }, angle.sin())
    };
    Shape::hull(&(0..2 * sides).map(corner).collect::<Vec<_>>()).expect("a prism has volume")
}

#[test]
fn no_pair_allocates() {
    let shapes = [
        Shape::sphere(0.5).expect("valid"),
        Shape::cuboid(Vector3::repeat(0.5)).expect("valid"),
        Shape::capsule(0.5, 0.5).expect("valid"),
        prism(6),
        prism(100),
        Shape::cylinder(0.5, 0.4).expect("valid"),
        Shape::cone(0.5, 0.4).expect("valid"),
        Shape::half_space(Vector3::y()).expect("valid"),
    ];
    let before = ALLOCATIONS.get();
    let mut points = 0;
    for a in &shapes {
        for b in &shapes {
            for k in 0..40 {
                let step = k as Real;
                let rotation = Rotation::from_scaled_axis(Vector3::new(0.1, 0.05, 0.02) * step);
                let translation = Vector3::new(0.05 * step, 1.5 - 0.04 * step, 0.02 * step);
                let (mut cache, mut manifold) = (PairCache::default(), LocalManifold::default());
                let pose = RelativePose::new(translation, rotation);
                let _ = contact(a, b, &pose, 0.01, &mut cache, &mut manifold);
                points += manifold.count;
            }
        }
    }
    let allocated = ALLOCATIONS.get() - before;
    assert!(points > 1000 && allocated == 0, "{points} points, {allocated} allocations");
}
