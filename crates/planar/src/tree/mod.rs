//! Region quad-tree of boxes with loose cells (S4-07..09), and its partition among workers.
//!
//! In: boxes with an index each. Out: which boxes overlap a box. Knows no bodies or shapes. Start reading at [`QuadTree`];
//! [`partition`] cuts the tree among workers.
//!
//! S4 puts a body into the deepest node that contains it wholly, so whatever lies on a border between large cells sits
//! high up and is compared with everything (S4-09). Here cells are loose, twice as wide as their square: a box goes by its
//! centre to the deepest node that is as large as itself, wherever the borders run. Only what is large sits high. What a
//! search opens are not the cells but the boxes that they really hold ([`outline`]).

mod outline;
mod partition;

pub(crate) use partition::Partition;
pub use partition::PartitionReport;

use crate::{Box2, Position2};
use outline::{Outline, Outlines};

/// No node or place.
const NONE: u32 = u32::MAX;
/// Boxes of a leaf that could go deeper before it is split.
const SPLIT_COUNT: usize = 12;
/// Boxes below a node under which its children are merged into it.
const MERGE_COUNT: u32 = 4;
/// Deepest level: cells of a millionth of the root.
const MAX_DEPTH: u8 = 20;
/// Most nodes that a search has open: three siblings on each level, and four on the last.
const STACK: usize = 3 * MAX_DEPTH as usize + 4;
/// The tree is built anew when more boxes than this, and more than one in `OUTSIDE_SHARE`, lie outside the root's square.
const OUTSIDE_COUNT: u32 = 16;
const OUTSIDE_SHARE: u32 = 32;
/// Boxes of a leaf on the deepest level from which on the root may be too large.
const CROWD: usize = 4 * SPLIT_COUNT;
/// How much wider than without them the farthest boxes may make the root: six levels of twenty.
const FAR: f64 = 64.0;

/// A box in a node.
#[derive(Clone, Copy, Debug)]
struct Item {
    bounds: Box2,
    index: u32,
}

#[derive(Clone, Debug)]
struct Node {
    center: Position2,
    /// Half of the edge of the square; boxes of the node lie within twice of it, but for the root's.
    half: f64,
    items: Vec<Item>,
    /// First of four children, or none.
    children: u32,
    parent: u32,
    /// Boxes here and below.
    count: u32,
    depth: u8,
    /// Its outline may be larger than what it holds.
    is_stale: bool,
    /// Who works on it: see [`Partition`].
    owner: u16,
}

/// Where a box is.
#[derive(Clone, Copy, Debug)]
struct Place {
    node: u32,
    slot: u32,
}

/// Counters of a tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TreeReport {
    /// Boxes in it.
    pub boxes: u32,
    /// Nodes in use.
    pub nodes: u32,
    /// Boxes in the root, which every search looks at.
    pub at_root: u32,
    /// Times it was built anew because the world outgrew it, or because its leaves were too large for what is there.
    pub rebuilds: u32,
}

/// Boxes of the plane, found by overlap.
#[derive(Clone, Debug)]
pub(crate) struct QuadTree {
    nodes: Vec<Node>,
    /// Of every quadruple of children what they hold; that of nodes 1 to 4 comes first.
    outlines: Vec<Outlines>,
    /// First nodes of quadruples that are not in use.
    free: Vec<u32>,
    places: Vec<Place>,
    scratch: Vec<Item>,
    coordinates: Vec<f64>,
    outside: u32,
    /// Since it was built some leaf of the deepest level had more than `CROWD` boxes, and so many calls.
    is_crowded: bool,
    changes: u32,
    rebuilds: u32,
}

impl Node {
    fn new(center: Position2, half: f64, parent: u32, depth: u8, owner: u16) -> Self {
        let items = Vec::with_capacity(SPLIT_COUNT + 1);
        Self { center, half, items, children: NONE, parent, count: 0, depth, is_stale: false, owner }
    }

    /// True when the centre lies in the square.
    #[inline]
    fn holds(&self, center: &Position2) -> bool {
        (center.x - self.center.x).abs() <= self.half && (center.y - self.center.y).abs() <= self.half
    }

    /// Which child's square holds the centre.
    #[inline]
    fn quadrant(&self, center: &Position2) -> u32 {
        u32::from(center.x > self.center.x) + 2 * u32::from(center.y > self.center.y)
    }

    /// True when the children are large enough for a box with this longest edge.
    #[inline]
    fn lets_down(&self, edge: f64) -> bool {
        edge <= self.half && self.depth < MAX_DEPTH
    }
}

/// Where the outline of a node other than the root is: which quadruple, and which of its four.
#[inline]
fn outline_place(node: u32) -> (usize, usize) {
    (((node - 1) / 4) as usize, ((node - 1) % 4) as usize)
}

impl QuadTree {
    /// A tree without boxes; what comes into it is this one's to work on until it is cut.
    pub(crate) fn new(owner: u16) -> Self {
        Self {
            nodes: vec![Node::new(Position2::origin(), 1.0, NONE, 0, owner)],
            outlines: Vec::new(),
            free: Vec::new(),
            places: Vec::new(),
            scratch: Vec::new(),
            coordinates: Vec::new(),
            outside: 0,
            is_crowded: false,
            changes: 0,
            rebuilds: 0,
        }
    }

    /// Adds a box; indices should be small and are the caller's.
    pub(crate) fn insert(&mut self, index: u32, bounds: &Box2) {
        if self.places.len() <= index as usize {
            self.places.resize(index as usize + 1, Place { node: NONE, slot: NONE });
        }
        debug_assert!(self.places[index as usize].node == NONE, "box {index} is in the tree already");
        self.outside += u32::from(!self.nodes[0].holds(&bounds.center()));
        self.descend(0, Item { bounds: *bounds, index });
        self.grow();
    }

    /// Takes a box out; nothing happens when it is not there.
    pub(crate) fn remove(&mut self, index: u32) {
        if let Some(&place) = self.places.get(index as usize)
            && place.node != NONE
        {
            let node = self.take(index);
            self.merge(node);
            self.grow();
        }
    }

    /// Replaces a box; true when it went to another node.
    pub(crate) fn set(&mut self, index: u32, bounds: &Box2) -> bool {
        let Place { node, slot } = self.places[index as usize];
        let (center, edge) = (bounds.center(), bounds.longest_edge());
        let own = &mut self.nodes[node as usize];
        let fits = own.holds(&center) && edge <= 2.0 * own.half;
        if fits && (own.children == NONE || !own.lets_down(edge)) {
            own.items[slot as usize].bounds = *bounds;
            self.widen(node, bounds);
            self.mark_stale(node);
            self.grow();
            return false;
        }
        let old = self.take(index);
        // Up to a node that holds it, and down again (S4-07, S4-20).
        let mut at = old;
        while at != 0
            && !(self.nodes[at as usize].holds(&center) && edge <= 2.0 * self.nodes[at as usize].half)
        {
            at = self.nodes[at as usize].parent;
        }
        if at == 0 {
            self.outside += u32::from(!self.nodes[0].holds(&center));
        }
        self.descend(at, Item { bounds: *bounds, index });
        self.merge(old);
        self.grow();
        true
    }

    /// Calls `found` for every box that overlaps `bounds`, in an order that depends on the history of calls.
    #[inline]
    pub(crate) fn search(&self, bounds: &Box2, mut found: impl FnMut(u32)) {
        let own = Outline::new(bounds, &self.nodes[0].center);
        let mut stack = [0_u32; STACK];
        let mut open = 1;
        while open > 0 {
            open -= 1;
            let node = &self.nodes[stack[open] as usize];
            for item in &node.items {
                if item.bounds.overlaps(bounds) {
                    found(item.index);
                }
            }
            if node.children != NONE {
                let mut bits = self.outlines[outline_place(node.children).0].overlapping(&own);
                while bits != 0 {
                    stack[open] = node.children + bits.trailing_zeros();
                    open += 1;
                    bits &= bits - 1;
                }
            }
        }
    }

    /// Makes the outlines of all nodes in which boxes changed as small as they can be. Searches find the same without, more
    /// slowly. O(boxes in those nodes).
    pub(crate) fn tighten(&mut self) {
        if self.nodes[0].is_stale {
            self.tighten_below(0);
        }
    }

    fn tighten_below(&mut self, at: u32) -> Outline {
        let Node { is_stale, children, .. } = self.nodes[at as usize];
        if !is_stale {
            let (quadruple, lane) = outline_place(at);
            return self.outlines[quadruple].get(lane);
        }
        let origin = self.nodes[0].center;
        let items = self.nodes[at as usize].items.iter();
        let mut own = items.fold(Outline::EMPTY, |sum, item| sum.join(&Outline::new(&item.bounds, &origin)));
        if children != NONE {
            for child in children..children + 4 {
                own = own.join(&self.tighten_below(child));
            }
        }
        self.nodes[at as usize].is_stale = false;
        if at != 0 {
            let (quadruple, lane) = outline_place(at);
            self.outlines[quadruple].set(lane, &own);
        }
        own
    }

    /// A box came into a node: its outline and those above hold it.
    fn widen(&mut self, at: u32, bounds: &Box2) {
        let added = Outline::new(bounds, &self.nodes[0].center);
        let mut at = at;
        while at != 0 {
            let (quadruple, lane) = outline_place(at);
            let before = self.outlines[quadruple].get(lane);
            let after = before.join(&added);
            if after == before {
                return;
            }
            self.outlines[quadruple].set(lane, &after);
            at = self.nodes[at as usize].parent;
        }
    }

    /// A box left a node, or shrank in it.
    fn mark_stale(&mut self, at: u32) {
        let mut at = at;
        while at != NONE && !std::mem::replace(&mut self.nodes[at as usize].is_stale, true) {
            at = self.nodes[at as usize].parent;
        }
    }

    /// Who works on a box.
    #[inline]
    pub(crate) fn owner(&self, index: u32) -> u16 {
        self.nodes[self.places[index as usize].node as usize].owner
    }

    pub(crate) fn report(&self) -> TreeReport {
        TreeReport {
            boxes: self.nodes[0].count,
            nodes: (self.nodes.len() - 4 * self.free.len()) as u32,
            at_root: self.nodes[0].items.len() as u32,
            rebuilds: self.rebuilds,
        }
    }

    /// Puts an item into the deepest node at or below `at` that is as large as it.
    fn descend(&mut self, mut at: u32, item: Item) {
        let (center, edge) = (item.bounds.center(), item.bounds.longest_edge());
        let mut up = at;
        while up != NONE {
            self.nodes[up as usize].count += 1;
            up = self.nodes[up as usize].parent;
        }
        loop {
            let node = &self.nodes[at as usize];
            if node.children == NONE || !node.lets_down(edge) || !node.holds(&center) {
                break;
            }
            at = node.children + node.quadrant(&center);
            self.nodes[at as usize].count += 1;
        }
        self.put(at, item);
        self.split(at);
    }

    fn put(&mut self, at: u32, item: Item) {
        let items = &mut self.nodes[at as usize].items;
        self.places[item.index as usize] = Place { node: at, slot: items.len() as u32 };
        items.push(item);
        let count = items.len();
        self.is_crowded |= count > CROWD && self.nodes[at as usize].depth == MAX_DEPTH;
        self.widen(at, &item.bounds);
    }

    /// Takes a box out of its node and says which it was.
    fn take(&mut self, index: u32) -> u32 {
        let Place { node, slot } = self.places[index as usize];
        let items = &mut self.nodes[node as usize].items;
        let item = items.swap_remove(slot as usize);
        if let Some(moved) = items.get(slot as usize) {
            self.places[moved.index as usize].slot = slot;
        }
        self.places[index as usize] = Place { node: NONE, slot: NONE };
        self.mark_stale(node);
        let mut up = node;
        while up != NONE {
            self.nodes[up as usize].count -= 1;
            up = self.nodes[up as usize].parent;
        }
        if node == 0 && !self.nodes[0].holds(&item.bounds.center()) {
            self.outside = self.outside.saturating_sub(1);
        }
        node
    }

    /// Splits a leaf in which many boxes could go deeper.
    fn split(&mut self, at: u32) {
        let node = &self.nodes[at as usize];
        if node.children != NONE || node.items.len() <= SPLIT_COUNT {
            return;
        }
        let goes = |node: &Node, item: &Item| {
            node.lets_down(item.bounds.longest_edge()) && node.holds(&item.bounds.center())
        };
        if node.items.iter().filter(|item| goes(node, item)).count() <= SPLIT_COUNT {
            return;
        }
        let children = self.quadruple(at);
        self.nodes[at as usize].children = children;
        let mut items = std::mem::take(&mut self.nodes[at as usize].items);
        self.scratch.clear();
        self.scratch.append(&mut items);
        self.nodes[at as usize].items = items;
        for i in 0..self.scratch.len() {
            let item = self.scratch[i];
            let node = &self.nodes[at as usize];
            let to = if goes(node, &item) { children + node.quadrant(&item.bounds.center()) } else { at };
            if to != at {
                self.nodes[to as usize].count += 1;
            }
            self.put(to, item);
        }
        for child in children..children + 4 {
            self.split(child);
        }
    }

    /// Four children for a node.
    fn quadruple(&mut self, parent: u32) -> u32 {
        let Node { center, half, depth, owner, .. } = self.nodes[parent as usize];
        let quarter = 0.5 * half;
        let square = |k: u32| {
            let sign = |bit: u32| if k & bit != 0 { quarter } else { -quarter };
            Position2::new(center.x + sign(1), center.y + sign(2))
        };
        if let Some(first) = self.free.pop() {
            self.outlines[outline_place(first).0] = Outlines::EMPTY;
            for k in 0..4 {
                let node = &mut self.nodes[(first + k) as usize];
                // It is empty; the room of its list is kept.
                (node.center, node.half, node.parent) = (square(k), quarter, parent);
                (node.children, node.count, node.depth, node.owner) = (NONE, 0, depth + 1, owner);
                node.is_stale = false;
            }
            return first;
        }
        let first = self.nodes.len() as u32;
        self.nodes.extend((0..4).map(|k| Node::new(square(k), quarter, parent, depth + 1, owner)));
        self.outlines.push(Outlines::EMPTY);
        // Room for all of them to be freed, whenever that is.
        self.free.reserve(self.outlines.capacity() - self.free.len());
        first
    }

    /// Merges the children of nodes that became nearly empty, from the parent of `at` upwards.
    fn merge(&mut self, at: u32) {
        let mut at = at;
        loop {
            let Node { children, count, parent, .. } = self.nodes[at as usize];
            if children != NONE {
                let is_leaf = |c: u32| self.nodes[c as usize].children == NONE;
                if count >= MERGE_COUNT || !(children..children + 4).all(is_leaf) {
                    return;
                }
                for child in children..children + 4 {
                    while let Some(item) = self.nodes[child as usize].items.pop() {
                        self.put(at, item);
                    }
                    self.nodes[child as usize].count = 0;
                }
                self.nodes[at as usize].children = NONE;
                self.free.push(children);
            }
            if parent == NONE {
                return;
            }
            at = parent;
        }
    }

    /// Builds the tree anew when too many boxes lie outside, or too many in one of the smallest leaves: for a crowd not more often
    /// than once in as many calls as there are boxes, since a smaller root may not part it either.
    fn grow(&mut self) {
        let count = self.nodes[0].count;
        self.changes += 1;
        let is_outgrown = self.outside > OUTSIDE_COUNT && self.outside * OUTSIDE_SHARE > count;
        let is_too_large = self.is_crowded && self.changes > count;
        if !(is_outgrown || is_too_large) {
            return;
        }
        self.rebuilds += 1;
        self.scratch.clear();
        let mut items = std::mem::take(&mut self.scratch);
        for node in &mut self.nodes {
            items.append(&mut node.items);
        }
        items.sort_unstable_by_key(|item| item.index);
        let (center, half) = self.root_of(&items);
        self.nodes.truncate(1);
        self.outlines.clear();
        self.free.clear();
        self.nodes[0] = Node::new(center, half, NONE, 0, self.nodes[0].owner);
        (self.is_crowded, self.changes) = (false, 0);
        for item in items.drain(..) {
            self.descend(0, item);
        }
        self.scratch = items;
        // What was left out stays in the root for good, and is not counted.
        self.outside = 0;
    }

    /// Centre and half of the edge of a root for these boxes: around all of them, or without the farthest few where these alone
    /// would make it `FAR` times as wide. One box a light-minute away would leave all others in one leaf.
    fn root_of(&mut self, items: &[Item]) -> (Position2, f64) {
        let few = (items.len() / OUTSIDE_SHARE as usize).max(OUTSIDE_COUNT as usize) / 4;
        let is_near = |c: &Position2| c.x.abs() < LARGEST && c.y.abs() < LARGEST;
        let mut sides = [[(0.0, 0.0); 2]; 2];
        for (axis, sides) in sides.iter_mut().enumerate() {
            self.coordinates.clear();
            let centers = items.iter().map(|item| item.bounds.center()).filter(is_near);
            self.coordinates.extend(centers.map(|c| c[axis]));
            self.coordinates.sort_unstable_by(f64::total_cmp);
            if let Some(last) = self.coordinates.len().checked_sub(1) {
                let cut = few.min(last / 2);
                let between = |from: usize, to: usize| (self.coordinates[from], self.coordinates[to]);
                *sides = [between(0, last), between(cut, last - cut)];
            }
        }
        let extent = |k: usize| sides.iter().map(|s| s[k].1 - s[k].0).fold(1.0, f64::max);
        let k = usize::from(extent(0) > FAR * extent(1));
        // Room for as much again.
        (Position2::from(sides.map(|s| 0.5 * (s[k].0 + s[k].1))), extent(k))
    }
}

/// Centres beyond this (m) do not widen the root.
const LARGEST: f64 = 1e12;

#[cfg(test)]
mod tests;
