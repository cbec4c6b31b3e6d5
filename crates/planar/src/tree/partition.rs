//! The tree cut among workers (S4-19..21, S4-33).
//!
//! The tree is cut below the root into subtrees of at most a quarter of a worker's share; each is one worker's, and
//! neighbours along the Z-order go to the same one. What sits above the cut is the master's: bodies too large for any
//! subtree. A pair of boxes belongs to the worker that has both, and to the master when it straddles two of them (S4-19);
//! S4 lets both workers compute such a contact and each its own body (S4-21), which gives the pair two answers.
//! A box that crosses a border changes hands when the tree moves it (S4-20). When the workers' shares differ too much the
//! cut is made anew (S4-33). Who works on what has no influence on what is found.

use super::{NONE, QuadTree};

/// Subtrees per worker that the cut aims at.
const SUBTREES: u32 = 4;
/// Largest share of a worker over the mean from which on the cut is made anew.
const IMBALANCE: f64 = 1.25;
/// Boxes below which nothing is cut.
const SMALLEST: u32 = 64;
/// Fewest steps between two cuts.
pub(super) const PAUSE: u32 = 8;

/// What the partition did in a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PartitionReport {
    /// Workers, without the master; 0 when the tree is not cut.
    pub workers: u32,
    /// Awake colliders of each worker, the master's last.
    pub loads: Vec<u32>,
    /// Pairs of colliders examined by each worker, the master's (those that straddle) last.
    pub pairs: Vec<u32>,
    /// Colliders that changed hands in this step because they crossed a border.
    pub migrations: u32,
    /// Colliders that changed hands because the cut was made anew.
    pub rebalanced: u32,
    /// Cuts made since the world began.
    pub cuts: u32,
}

impl PartitionReport {
    /// Takes over another one, in the memory it has.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.loads.clone_from(&other.loads);
        self.pairs.clone_from(&other.pairs);
        (self.workers, self.migrations) = (other.workers, other.migrations);
        (self.rebalanced, self.cuts) = (other.rebalanced, other.cuts);
    }
}

/// Who works on which part of the tree.
#[derive(Clone, Debug, Default)]
pub(crate) struct Partition {
    workers: u16,
    since_cut: u32,
    /// Nodes still to be cut, and of each node the boxes in and below it that are at work.
    stack: Vec<u32>,
    weights: Vec<u32>,
    before: Vec<u16>,
    pub(crate) report: PartitionReport,
}

impl Partition {
    pub(crate) fn new(workers: u16) -> Self {
        Self { workers, ..Self::default() }
    }

    /// True when the tree is cut.
    pub(crate) fn is_cut(&self) -> bool {
        self.workers > 0
    }

    /// The master's number.
    pub(crate) fn master(&self) -> u16 {
        self.workers
    }

    /// The subtrees of the cut, as centre, half of the edge (m) and worker. O(nodes).
    pub(crate) fn cells<'a>(
        &'a self,
        tree: &'a QuadTree,
    ) -> impl Iterator<Item = (crate::Position2, f64, u16)> + 'a {
        let above = |node: &super::Node| {
            if node.parent == NONE { self.workers } else { tree.nodes[node.parent as usize].owner }
        };
        // Nodes that are not in use have no boxes.
        let is_root = move |node: &&super::Node| {
            node.count > 0 && node.owner != self.workers && above(node) == self.workers
        };
        tree.nodes.iter().filter(is_root).map(|node| (node.center, node.half, node.owner))
    }

    /// Who works on a pair.
    #[inline]
    pub(crate) fn owner_of_pair(&self, tree: &QuadTree, pair: [u32; 2]) -> u16 {
        let [a, b] = pair.map(|index| tree.owner(index));
        if a == b { a } else { self.workers }
    }

    /// Before a step: cuts the tree anew when the loads of the last one differ too much. `is_active` tells the boxes that are
    /// at work.
    pub(crate) fn begin_step(&mut self, tree: &mut QuadTree, is_active: impl Fn(u32) -> bool) {
        let report = &mut self.report;
        (report.workers, report.migrations, report.rebalanced) = (u32::from(self.workers), 0, 0);
        self.since_cut += 1;
        if self.workers > 0 && self.since_cut > PAUSE && self.is_uneven() {
            self.cut(tree, is_active);
            self.since_cut = 0;
        }
        for list in [&mut self.report.loads, &mut self.report.pairs] {
            list.clear();
            list.resize(usize::from(self.workers) + 1, 0);
        }
    }

    /// True when a worker has too large a share of the last step's boxes, or the master has: of what came new, say.
    fn is_uneven(&self) -> bool {
        let total: u32 = self.report.loads.iter().sum();
        let largest = self.report.loads.iter().copied().max().unwrap_or(0);
        total >= SMALLEST && f64::from(largest) > IMBALANCE * f64::from(total) / f64::from(self.workers)
    }

    /// Counts for every node the boxes at work in and below it.
    fn weigh(&mut self, tree: &QuadTree, is_active: impl Fn(u32) -> bool) {
        self.weights.clear();
        self.weights.resize(tree.nodes.len(), 0);
        for (index, place) in tree.places.iter().enumerate() {
            let mut at = place.node;
            if at == NONE || !is_active(index as u32) {
                continue;
            }
            while at != NONE {
                self.weights[at as usize] += 1;
                at = tree.nodes[at as usize].parent;
            }
        }
    }

    /// Cuts the tree into subtrees and deals them out in Z-order, weighed by the boxes that are at work: shares are judged by these.
    /// O(boxes times depth).
    fn cut(&mut self, tree: &mut QuadTree, is_active: impl Fn(u32) -> bool) {
        self.weigh(tree, is_active);
        self.before.clear();
        let owner = |p: &super::Place| if p.node == NONE { 0 } else { tree.nodes[p.node as usize].owner };
        self.before.extend(tree.places.iter().map(owner));
        let total = self.weights[0];
        let most = (total / (SUBTREES * u32::from(self.workers))).max(SMALLEST / SUBTREES);
        let mut dealt = 0_u32;
        self.stack.clear();
        self.stack.push(0);
        while let Some(at) = self.stack.pop() {
            let super::Node { children, parent, .. } = tree.nodes[at as usize];
            let count = self.weights[at as usize];
            // Below a subtree's root its own number is handed down.
            let above = if parent == NONE { self.workers } else { tree.nodes[parent as usize].owner };
            let owner = if above != self.workers {
                above
            } else if children != NONE && count > most || at == 0 {
                let below = if children == NONE { 0..0 } else { children as usize..children as usize + 4 };
                dealt += count - self.weights[below].iter().sum::<u32>();
                self.workers
            } else {
                let share = u64::from(dealt) * u64::from(self.workers) / u64::from(total.max(1));
                dealt += count;
                (share as u16).min(self.workers - 1)
            };
            tree.nodes[at as usize].owner = owner;
            if children != NONE {
                self.stack.extend((children..children + 4).rev());
            }
        }
        self.report.cuts += 1;
        let is_moved = |(place, before): (&super::Place, &u16)| {
            place.node != NONE && tree.nodes[place.node as usize].owner != *before
        };
        self.report.rebalanced =
            tree.places.iter().zip(&self.before).filter(|&pair| is_moved(pair)).count() as u32;
    }
}
