//! Visits of the tree from outside: what a box overlaps, what a ray or a moving box meets. Reads only.

use drystone_math::Aabb;
use drystone_math::wide::{Isa, Kernel, Lanes, Mask, Wide};
use std::ops::ControlFlow;

use super::super::{BoxCast, is_absent, visit_all};
use super::Store;
use super::bounds::{Bounds, outwards};
use super::levels::Tree;
use super::node::{Node, WIDTH};
use super::search::{WAITING, overlapping};

/// Coordinates beside the tree's origin, m, above which a cast goes through all boxes one by one: `f32` would not do.
const FARTHEST: f32 = 1.0e15;
/// Share of the longest component of a direction below which others are too small for `f32`, unless they are zero.
const SLIGHTEST: f64 = 1.0e-20;
/// Rounding of a time of entry or exit: a difference, a quotient and a product, and as much again.
const ROUNDING: f32 = 8.0 * f32::EPSILON;

/// Visits what overlaps `aabb`: in these trees of the store, and in none.
pub(super) fn in_box(
    store: &Store,
    trees: &[Tree],
    aabb: &Aabb,
    isa: Isa,
    visit: &mut dyn FnMut(u32) -> ControlFlow<()>,
) -> ControlFlow<()> {
    if is_absent(aabb) {
        return ControlFlow::Continue(());
    }
    for &proxy in &store.outside {
        if store.records[proxy as usize].aabb.overlaps(aabb) {
            visit(proxy)?;
        }
    }
    isa.run(InBox { store, trees, aabb, visit })
}

/// Looks for the boxes of trees that overlap one.
struct InBox<'a> {
    store: &'a Store,
    trees: &'a [Tree],
    aabb: &'a Aabb,
    visit: &'a mut dyn FnMut(u32) -> ControlFlow<()>,
}

impl Kernel for InBox<'_> {
    type Output = ControlFlow<()>;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> ControlFlow<()> {
        let Self { store, trees, aabb, visit } = self;
        for tree in trees.iter().filter(|tree| tree.height > 0) {
            if tree.height == 1 {
                // One node is gone through sooner than `f32` is made of the box, as where little is fixed.
                let node = &tree.levels[0].nodes[tree.root as usize];
                for &child in &node.children[..node.count as usize] {
                    if store.records[child as usize].aabb.overlaps(aabb) {
                        visit(child)?;
                    }
                }
                continue;
            }
            let bounds = Bounds::around(aabb, &store.origin.unwrap_or_default());
            let ([a, b, c], [d, e, f]) = (bounds.min, bounds.max);
            let min = [lanes.splat(a), lanes.splat(b), lanes.splat(c)];
            let max = [lanes.splat(d), lanes.splat(e), lanes.splat(f)];
            let mut waiting = [(0, 0); WAITING];
            waiting[0] = (tree.height as u32 - 1, tree.root);
            let mut count = 1;
            while count > 0 {
                count -= 1;
                let (level, index) = waiting[count];
                let node = &tree.levels[level as usize].nodes[index as usize];
                let mut hits = overlapping::<L>(lanes, &min, &max, node);
                while hits != 0 {
                    let child = node.children[hits.trailing_zeros() as usize];
                    hits &= hits - 1;
                    if level > 0 {
                        waiting[count] = (level - 1, child);
                        count += 1;
                    } else if store.records[child as usize].aabb.overlaps(aabb) {
                        visit(child)?;
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }
}

/// Visits what a cast meets: of each node the children that are met first come first.
pub(super) fn along(store: &Store, mut cast: BoxCast, isa: Isa, visit: &mut dyn FnMut(u32, f64) -> f64) {
    let record = |&proxy: &u32| (proxy, &store.records[proxy as usize].aabb);
    visit_all(store.outside.iter().map(record), &mut cast, visit);
    for tree in store.trees.iter().filter(|tree| tree.height > 0) {
        match Slabs::new(store, tree, &cast) {
            Some(slabs) => cast.end = isa.run(Along { store, tree, cast, slabs, visit }),
            None => {
                let all = (0..tree.places.len() as u32).filter(|&proxy| tree.contains(proxy));
                visit_all(all.map(|proxy| (proxy, &store.records[proxy as usize].aabb)), &mut cast, visit);
            }
        }
    }
}

/// A cast in `f32` beside the tree's origin, rounded so that nothing that it meets is missed.
struct Slabs {
    /// The origin with what the box reaches below and above it, rounded outwards, m.
    below: [f32; 3],
    above: [f32; 3],
    /// One through the direction, whose longest component is 1; 0 where it does not move along an axis.
    inverse: [f32; 3],
    /// The longest component: units of time here per unit there.
    scale: f64,
}

impl Slabs {
    /// `None` where `f32` does not do.
    fn new(store: &Store, tree: &Tree, cast: &BoxCast) -> Option<Self> {
        let around = tree.levels[tree.height - 1].nodes[tree.root as usize].bounds();
        let origin = cast.origin - store.origin.unwrap_or_default();
        let reach = origin.amax() + cast.half_extents.amax();
        let is_near = |x: f32| x.abs() <= FARTHEST;
        if !(around.min.into_iter().chain(around.max).all(is_near) && reach <= f64::from(FARTHEST)) {
            return None;
        }
        let longest = cast.direction.amax();
        // A box that does not move is met where it is; any direction will do for no time at all.
        let scale = if longest > 0.0 { longest } else { 1.0 };
        let direction = cast.direction / scale;
        if direction.iter().any(|&d| d != 0.0 && d.abs() < SLIGHTEST) {
            return None;
        }
        let inverse = |i: usize| if direction[i] == 0.0 { 0.0 } else { (1.0 / direction[i]) as f32 };
        Some(Self {
            below: [0, 1, 2].map(|i| -outwards(cast.half_extents[i] - origin[i])),
            above: [0, 1, 2].map(|i| outwards(cast.half_extents[i] + origin[i])),
            inverse: [0, 1, 2].map(inverse),
            scale,
        })
    }

    /// The boxes of a node that are met before `end`, a bit each, and when, at the earliest.
    #[inline(always)]
    fn meet<L: Lanes>(&self, lanes: L, node: &Node, end: f64, entries: &mut [f32; WIDTH]) -> u32 {
        // Rounded up; the largest number stands for all beyond.
        let end = outwards(end * self.scale);
        let (mut enter, mut leave) = (lanes.splat(0.0), lanes.splat(end));
        let mut beside = lanes.mask(u8::MAX);
        for axis in 0..3 {
            let (min, max) = (lanes.load(&node.min[axis]), lanes.load(&node.max[axis]));
            let (below, above) = (lanes.splat(self.below[axis]), lanes.splat(self.above[axis]));
            if self.inverse[axis] == 0.0 {
                beside = beside & min.less_or_equal(above) & below.less_or_equal(max);
                continue;
            }
            let inverse = lanes.splat(self.inverse[axis]);
            let (first, last) = if self.inverse[axis] > 0.0 {
                (min - above, max - below)
            } else {
                (max - below, min - above)
            };
            enter = enter.max(first * inverse * lanes.splat(1.0 - ROUNDING));
            leave = leave.min(last * inverse * lanes.splat(1.0 + ROUNDING));
        }
        enter.store(entries);
        u32::from((beside & enter.less_or_equal(leave)).bits()) & ((1 << node.count) - 1)
    }
}

/// Looks for the boxes of a tree that a cast meets; gives how far it went.
struct Along<'a> {
    store: &'a Store,
    tree: &'a Tree,
    cast: BoxCast,
    slabs: Slabs,
    visit: &'a mut dyn FnMut(u32, f64) -> f64,
}

impl Kernel for Along<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> f64 {
        let Self { store, tree, mut cast, slabs, visit } = self;
        let mut entries = [0.0; WIDTH];
        let mut waiting = [(0, 0, 0.0_f32); WAITING];
        waiting[0] = (tree.height as u32 - 1, tree.root, 0.0);
        let mut count = 1;
        while count > 0 {
            count -= 1;
            let (level, index, entry) = waiting[count];
            if f64::from(entry) > cast.end * slabs.scale {
                continue;
            }
            let node = &tree.levels[level as usize].nodes[index as usize];
            let mut hits = slabs.meet::<L>(lanes, node, cast.end, &mut entries);
            if level == 0 {
                while hits != 0 {
                    let child = node.children[hits.trailing_zeros() as usize];
                    hits &= hits - 1;
                    if let Some(entry) = cast.entry(&store.records[child as usize].aabb) {
                        cast.end = cast.end.min(visit(child, entry));
                    }
                }
                continue;
            }
            let first = count;
            while hits != 0 {
                let slot = hits.trailing_zeros() as usize;
                hits &= hits - 1;
                // The last of the list is looked into next: the one that is met first.
                let mut at = count;
                while at > first && waiting[at - 1].2 < entries[slot] {
                    waiting[at] = waiting[at - 1];
                    at -= 1;
                }
                waiting[at] = (level - 1, node.children[slot], entries[slot]);
                count += 1;
            }
        }
        cast.end
    }
}
