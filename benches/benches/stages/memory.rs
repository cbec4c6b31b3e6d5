//! Bytes per body and per contact: what a world has allocated, by a counting allocator.
#![expect(unsafe_code, reason = "a counting global allocator")]

use crate::tables::{head, row};
use drystone::math::{Pose, Vector3};
use drystone::{BodySpec, ColliderSpec, Shape, World, WorldConfig};
use drystone_contact::{BodyHot, ContactPoint, Edge, Manifold};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

struct Counting;

/// Bytes allocated and not freed.
static LIVE: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed on to the system allocator unchanged; `realloc` is the default one, which comes
// back here.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LIVE.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// A world with boxes of a metre at these places above a ground, after a few steps: bytes that it holds, and its
/// contact points.
fn world(config: &WorldConfig, steps: u32, places: impl Iterator<Item = [f64; 3]>) -> (usize, usize) {
    let before = LIVE.load(Ordering::Relaxed);
    let mut world = World::new(config.clone()).expect("a preset is valid");
    let ground = ColliderSpec::new(Shape::half_space(Vector3::y()).expect("a unit normal"));
    world.add_body(BodySpec::fixed().collider(ground)).expect("valid");
    let cube = ColliderSpec::new(Shape::cuboid(Vector3::repeat(0.5)).expect("a positive size"));
    for [x, y, z] in places {
        let body = BodySpec::dynamic().pose(Pose::at(x, y, z)).collider(cube.clone());
        world.add_body(body).expect("valid");
    }
    for _ in 0..steps {
        world.step(1.0 / 60.0).expect("a valid step");
    }
    let graph = world.graph();
    let points = graph.edge_indices().map(|index| graph.edge(index).manifold.points().len()).sum();
    (LIVE.load(Ordering::Relaxed) - before, points)
}

fn pyramid(rows: u32) -> impl Iterator<Item = [f64; 3]> {
    let row = move |level: u32| {
        let start = 0.5 * f64::from(level);
        (0..rows - level).map(move |i| [start + 1.005 * f64::from(i), 0.5 + f64::from(level), 0.0])
    };
    (0..rows).flat_map(row)
}

pub(crate) fn print(is_full: bool) {
    println!("\n## Memory\n");
    println!(
        "Bytes that a world holds (what it has allocated, room to grow included), one thread, sleeping off. Per body: boxes"
    );
    println!(
        "that fall apart from each other, less an empty world. Per contact point: a pyramid after 20 steps, less as many"
    );
    println!("such boxes; pairs, graph and the method's own copy of the contacts included.\n");
    head(&["preset", "boxes of the pyramid", "bytes per body", "contact points", "bytes per contact point"]);
    let rows: &[u32] = if is_full { &[10, 30, 60] } else { &[4] };
    for (name, mut config) in [("fast", WorldConfig::fast()), ("thesis_fast", WorldConfig::thesis_fast())] {
        config.sleeping.enabled = false;
        let (empty, _) = world(&config, 1, std::iter::empty());
        for &rows in rows {
            let count = (rows * (rows + 1) / 2) as usize;
            let apart = (0..count).map(|i| [3.0 * (i % 40) as f64, 100.0 + 3.0 * (i / 40) as f64, 0.0]);
            let (free, no_points) = world(&config, 20, apart);
            let (piled, points) = world(&config, 20, pyramid(rows));
            assert!(no_points == 0 && points > 0);
            row(&[
                name.into(),
                count.to_string(),
                format!("{:.0}", (free - empty) as f64 / count as f64),
                points.to_string(),
                format!("{:.0}", (piled as f64 - free as f64) / points as f64),
            ]);
        }
    }
    println!(
        "\nSizes of the records: hot record of a body {} bytes, edge of the graph {} bytes with its manifold of {}, contact \
         point {}.",
        size_of::<BodyHot>(),
        size_of::<Edge>(),
        size_of::<Manifold>(),
        size_of::<ContactPoint>()
    );
}
