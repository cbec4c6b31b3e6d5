//! The tree built at once: boxes parted along the longest axis, level by level, every node of a level by itself.

use drystone_exec::{Exec, items_mut, segments, segments_mut};

use super::bounds::Bounds;
use super::levels::{Level, Place, Tree, longest_axis};

/// Children of a node when it is built, so that some can be added.
const FILL: usize = 6;

/// A box to build from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    center: [f32; 3],
    proxy: u32,
}

/// Memory of building.
#[derive(Clone, Debug, Default)]
pub(super) struct Builder {
    pub(super) items: Vec<Item>,
    /// Where the items of each node of the level at hand begin, and of the level below.
    offsets: Vec<u32>,
    below: Vec<u32>,
    /// Where the children of each node begin.
    children: Vec<u32>,
}

impl Builder {
    pub(super) fn add(&mut self, proxy: u32, bounds: &Bounds) {
        self.items.push(Item { center: bounds.center(), proxy });
    }

    /// Builds `tree` from the items added, which are gone then; `bounds` gives the box of each. O(n log n), the nodes of
    /// a level in parallel.
    pub(super) fn build(&mut self, tree: &mut Tree, exec: &Exec, bounds: impl Fn(u32) -> Bounds + Sync) {
        tree.places.fill(Place::NOWHERE);
        (tree.len, tree.put_in, tree.root) = (self.items.len() as u32, 0, 0);
        (tree.height, _) = levels_for(self.items.len());
        if tree.levels.len() < tree.height {
            tree.levels.resize_with(tree.height, Level::default);
        }
        tree.levels.iter_mut().for_each(|level| level.reset(0));
        if tree.height == 0 {
            return;
        }
        self.offsets.clear();
        self.offsets.extend([0, self.items.len() as u32]);
        tree.levels[tree.height - 1].reset(1);
        for level in (1..tree.height).rev() {
            self.part(level, tree, exec);
        }
        let leaves = segments(&self.items, &self.offsets).expect("offsets grow and end with the items");
        exec.for_each_static((leaves, items_mut(&mut tree.levels[0].nodes)), |_, (items, leaf)| {
            items.iter().for_each(|item| leaf.push(item.proxy, &bounds(item.proxy)));
            leaf.made_with = leaf.bounds().half_surface();
        });
        for (index, leaf) in (0..).zip(&tree.levels[0].nodes) {
            for (slot, &proxy) in (0..).zip(&leaf.children[..leaf.count as usize]) {
                tree.places[proxy as usize] = Place { leaf: index, slot };
            }
        }
        tree.refit_all(exec);
        self.items.clear();
    }

    /// Parts the items of every node of a level among nodes of the level below.
    fn part(&mut self, level: usize, tree: &mut Tree, exec: &Exec) {
        let most = FILL.pow(level as u32);
        self.children.clear();
        self.children.push(0);
        let mut count = 0;
        for range in self.offsets.windows(2) {
            count += ((range[1] - range[0]) as usize).div_ceil(most) as u32;
            self.children.push(count);
        }
        self.below.clear();
        self.below.resize(count as usize + 1, 0);
        let (below, above) = tree.levels.split_at_mut(level);
        below[level - 1].reset(count as usize);
        let promised = "offsets grow and end with what they part";
        let parts = (
            segments_mut(&mut self.items, &self.offsets).expect(promised),
            segments_mut(&mut self.below[1..], &self.children).expect(promised),
            segments_mut(&mut below[level - 1].nodes, &self.children).expect(promised),
            items_mut(&mut above[0].nodes),
        );
        let (offsets, first_child) = (&self.offsets, &self.children);
        exec.for_each_dynamic(parts, |index, (items, ends, nodes, node)| {
            halve(items, ends, offsets[index]);
            for (slot, child) in (0..).zip(nodes) {
                (child.parent, child.slot) = (index as u32, slot);
                node.push(first_child[index] + slot, &Bounds::EMPTY);
            }
        });
        std::mem::swap(&mut self.offsets, &mut self.below);
    }
}

/// Levels of a tree of so many items, and how many it could hold.
fn levels_for(count: usize) -> (usize, usize) {
    let (mut height, mut room) = (0, 1);
    while room < count || (height == 0 && count > 0) {
        (height, room) = (height + 1, room * FILL);
    }
    (height, room)
}

/// Cuts items in as many parts as there are `ends`, nearly equal, which get where each ends, counted from `first`.
fn halve(items: &mut [Item], ends: &mut [u32], first: u32) {
    if ends.len() == 1 {
        ends[0] = first + items.len() as u32;
        return;
    }
    let parts = ends.len() / 2;
    let middle = items.len() * parts / ends.len();
    let axis = longest_axis(items.iter().map(|item| item.center));
    items.select_nth_unstable_by(middle, |a, b| {
        a.center[axis].total_cmp(&b.center[axis]).then(a.proxy.cmp(&b.proxy))
    });
    let (low, high) = items.split_at_mut(middle);
    let (low_ends, high_ends) = ends.split_at_mut(parts);
    halve(low, low_ends, first);
    halve(high, high_ends, first + middle as u32);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::broad::tree::node::{NONE, WIDTH};

    fn point(i: u32) -> Bounds {
        let at = [(i * 7919 % 613) as f32, (i * 104_729 % 401) as f32, (i % 17) as f32];
        Bounds { min: at, max: at.map(|x| x + 1.0) }
    }

    /// Every child knows its parent, every box lies in the box above it, and every proxy is where it is said to be.
    fn check(tree: &Tree, count: u32) {
        for level in 0..tree.height {
            for (index, node) in (0u32..).zip(&tree.levels[level].nodes).filter(|(_, node)| node.count > 0) {
                for slot in 0..node.count as usize {
                    let child = node.children[slot];
                    if level == 0 {
                        let place = tree.places[child as usize];
                        assert_eq!((place.leaf, place.slot as usize), (index, slot));
                        continue;
                    }
                    let below = &tree.levels[level - 1].nodes[child as usize];
                    assert_eq!((below.parent, below.slot as usize), (index, slot));
                    assert!(node.bounds_of(slot).contains(&below.bounds()));
                }
                assert!(node.children[node.count as usize..].iter().all(|&child| child == NONE));
            }
        }
        let there = (0..tree.places.len() as u32).filter(|&proxy| tree.contains(proxy)).count();
        assert_eq!((there as u32, tree.len), (count, count));
        assert_eq!(tree.height == 0, count == 0);
        if count > 0 {
            assert_eq!(tree.levels[tree.height - 1].nodes[tree.root as usize].parent, NONE);
        }
    }

    #[test]
    fn trees_of_all_sizes_hold_together_through_building_removal_and_insertion() {
        let exec = Exec::serial();
        for count in [0, 1, 2, 6, 7, 8, 9, 36, 37, 64, 65, 216, 217, 1000] {
            let (mut tree, mut builder) = (Tree::default(), Builder::default());
            tree.grow(count);
            (0..count).for_each(|i| builder.add(i, &point(i)));
            builder.build(&mut tree, &exec, point);
            check(&tree, count);
            for i in (0..count).filter(|i| i % 3 != 0) {
                tree.remove(i);
            }
            check(&tree, count.div_ceil(3));
            for i in (0..count).filter(|i| i % 3 != 0) {
                tree.insert(i, &point(i + 5));
                tree.refit_above(i);
            }
            check(&tree, count);
            (0..count).for_each(|i| tree.update(i, &point(i + 9)));
            tree.refit_all(&exec);
            check(&tree, count);
            (0..count).rev().for_each(|i| tree.remove(i));
            check(&tree, 0);
            (0..count).for_each(|i| tree.insert(i, &point(i)));
            check(&tree, count);
        }
    }

    #[test]
    fn built_nodes_leave_room_and_no_level_too_many() {
        for (count, height) in [(0, 0), (1, 1), (FILL, 1), (FILL + 1, 2), (FILL * FILL, 2), (1000, 4)] {
            assert_eq!(levels_for(count).0, height, "{count}");
        }
        const { assert!(FILL < WIDTH) };
    }

    #[test]
    fn the_tree_built_does_not_depend_on_threads_or_order() {
        let nodes = |threads: usize, backwards: bool| {
            let exec = Exec::with_threads(threads).expect("so few threads can be had");
            let (mut tree, mut builder) = (Tree::default(), Builder::default());
            tree.grow(3000);
            (0..3000).for_each(|i| {
                let proxy = if backwards { 2999 - i } else { i };
                builder.add(proxy, &point(proxy));
            });
            builder.build(&mut tree, &exec, point);
            let leaf_of = |place: &Place| tree.levels[0].nodes[place.leaf as usize].bounds();
            tree.places.iter().map(leaf_of).collect::<Vec<_>>()
        };
        let first = nodes(1, false);
        assert_eq!(first, nodes(2, false));
        assert_eq!(first, nodes(4, true));
    }
}
