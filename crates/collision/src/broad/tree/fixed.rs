//! A tree over boxes that never change: the triangles of a mesh. Built and laid out like the broad phase's.

use drystone_exec::Exec;
use drystone_math::wide::{Baseline, Lanes};

use super::bounds::Bounds;
use super::build::Builder;
use super::levels::Tree;
use super::node::WIDTH;
use super::search::overlapping;

/// Levels of a tree built of as many boxes as there are indices: at least four to a node.
const MOST_LEVELS: usize = 16;
/// Nodes that may wait in a search.
const WAITING: usize = MOST_LEVELS * (WIDTH - 1) + 1;

/// Boxes that can be searched and nothing else.
#[derive(Clone, Debug, Default)]
pub(crate) struct FixedTree {
    tree: Tree,
}

impl FixedTree {
    /// A tree of boxes `0..count`, which `bounds` gives. O(n log n) time.
    pub(crate) fn new(count: u32, bounds: impl Fn(u32) -> Bounds + Sync) -> Self {
        let (mut tree, mut builder) = (Tree::default(), Builder::default());
        tree.grow(count);
        (0..count).for_each(|i| builder.add(i, &bounds(i)));
        builder.build(&mut tree, &Exec::serial(), bounds);
        debug_assert!(tree.height <= MOST_LEVELS, "{count} boxes in {} levels", tree.height);
        // Nobody asks where a box is.
        tree.places = Vec::new();
        tree.levels.iter_mut().for_each(|level| level.nodes.shrink_to_fit());
        Self { tree }
    }

    /// Calls `visit` for every box that overlaps `bounds` or touches it, in an order that depends on the tree alone.
    pub(crate) fn search(&self, bounds: &Bounds, mut visit: impl FnMut(u32)) {
        if self.tree.height == 0 {
            return;
        }
        let lanes = Baseline::default();
        let (min, max) = (bounds.min.map(|x| lanes.splat(x)), bounds.max.map(|x| lanes.splat(x)));
        let mut waiting = [(0, 0); WAITING];
        waiting[0] = (self.tree.height as u32 - 1, self.tree.root);
        let mut count = 1;
        while count > 0 {
            count -= 1;
            let (level, index) = waiting[count];
            let node = &self.tree.levels[level as usize].nodes[index as usize];
            let mut hits = overlapping(lanes, &min, &max, node);
            while hits != 0 {
                let child = node.children[hits.trailing_zeros() as usize];
                hits &= hits - 1;
                if level == 0 {
                    visit(child);
                } else {
                    waiting[count] = (level - 1, child);
                    count += 1;
                }
            }
        }
    }

    /// Memory of the nodes, bytes.
    pub(crate) fn size_in_bytes(&self) -> usize {
        self.tree.levels.iter().map(|level| size_of_val(level.nodes.as_slice())).sum()
    }
}
