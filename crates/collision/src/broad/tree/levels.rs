//! The tree itself: leaves at one depth, nodes of up to eight children (an R-tree).

use drystone_exec::{Exec, chunks_mut};

use super::bounds::Bounds;
use super::node::{NONE, Node, WIDTH};

/// How much more surface than when it was made a leaf may have before what moved in it is put in anew.
const WORN: f32 = 2.0;
/// Children per node for which there is room at once: how many nodes there are at most is seen late, and half of the places are more than ever were.
const SPARSE: usize = 2;
/// Nodes that one part of a pass over a level takes.
const NODE_CHUNK: usize = 64;

/// Nodes of one depth, those freed among them.
#[derive(Clone, Debug, Default)]
pub(super) struct Level {
    pub(super) nodes: Vec<Node>,
    free: Vec<u32>,
}

drystone_math::carried!(Level { part: [nodes, free] });

impl Level {
    /// Adds a node; a list that has to grow gets room for `room` of them at least.
    fn add(&mut self, node: Node, room: usize) -> u32 {
        if let Some(index) = self.free.pop() {
            self.nodes[index as usize] = node;
            return index;
        }
        if self.nodes.len() == self.nodes.capacity() {
            self.nodes.reserve(room.saturating_sub(self.nodes.len()));
        }
        self.nodes.push(node);
        // Room for all of them to be freed, whenever that is.
        self.free.reserve(self.nodes.capacity() - self.free.len());
        self.nodes.len() as u32 - 1
    }

    /// So many empty nodes, and none free; room for as many more, since nodes that are built at once are full and will be split.
    pub(super) fn reset(&mut self, count: usize) {
        self.free.clear();
        self.nodes.clear();
        self.nodes.reserve(2 * count);
        self.nodes.resize(count, Node::EMPTY);
        self.free.reserve(self.nodes.capacity());
    }
}

/// Where a proxy is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) leaf: u32,
    pub(super) slot: u32,
}

impl Place {
    pub(super) const NOWHERE: Self = Self { leaf: NONE, slot: 0 };
}

/// Boxes of proxies in a tree; level 0 are the leaves.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    pub(super) levels: Vec<Level>,
    /// Levels in use; 0 when there is no box.
    pub(super) height: usize,
    /// The one node of the highest level in use.
    pub(super) root: u32,
    pub(super) places: Vec<Place>,
    pub(super) len: u32,
    /// Boxes put in one by one since the tree was built.
    pub(super) put_in: u32,
}

drystone_math::carried!(Tree { part: [places], parts: [levels], value: [height, root, len, put_in] });

impl Tree {
    /// Makes room for `proxy_count` proxies.
    pub(super) fn grow(&mut self, proxy_count: u32) {
        if self.places.len() < proxy_count as usize {
            self.places.resize(proxy_count as usize, Place::NOWHERE);
        }
    }

    pub(super) fn contains(&self, proxy: u32) -> bool {
        self.places[proxy as usize].leaf != NONE
    }

    /// Gives a proxy that is in the tree a new box, in the place it has. The nodes above do not know of it before
    /// [`Tree::refit_all`] or [`Tree::refit_above`].
    pub(super) fn update(&mut self, proxy: u32, bounds: &Bounds) {
        let Place { leaf, slot } = self.places[proxy as usize];
        self.levels[0].nodes[leaf as usize].set_bounds(slot as usize, bounds);
    }

    /// True when the leaf of a proxy has grown so much that its boxes no longer belong together.
    pub(super) fn is_worn(&self, proxy: u32) -> bool {
        let leaf = &self.levels[0].nodes[self.places[proxy as usize].leaf as usize];
        leaf.bounds().half_surface() > WORN * leaf.made_with
    }

    /// Adds a proxy that is not in the tree. O(log n).
    pub(super) fn insert(&mut self, proxy: u32, bounds: &Bounds) {
        self.len += 1;
        self.put_in += 1;
        if self.height == 0 {
            self.root = self.add_node(0, Node::EMPTY);
            self.height = 1;
        }
        let mut node = self.root;
        for level in (1..self.height).rev() {
            let inner = &mut self.levels[level].nodes[node as usize];
            let slot = inner.cheapest(bounds);
            inner.set_bounds(slot, &inner.bounds_of(slot).merged(bounds));
            node = inner.children[slot];
        }
        self.add(0, node, proxy, bounds);
    }

    /// Takes a proxy out. O(log n).
    pub(super) fn remove(&mut self, proxy: u32) {
        let Place { leaf, slot } = std::mem::replace(&mut self.places[proxy as usize], Place::NOWHERE);
        self.len -= 1;
        let (mut level, mut node, mut slot) = (0, leaf, slot);
        loop {
            let moved = self.levels[level].nodes[node as usize].take(slot as usize);
            if let Some(moved) = moved {
                self.attach(level, node, slot as usize, moved);
            }
            let Node { count, parent, slot: above, .. } = self.levels[level].nodes[node as usize];
            if count > 0 {
                self.refit_from(level, node);
                return;
            }
            self.levels[level].free.push(node);
            if parent == NONE {
                self.height = 0;
                return;
            }
            (level, node, slot) = (level + 1, parent, above);
        }
    }

    /// Adds a child to a node, which is split when it is full, and so may be those above.
    fn add(&mut self, level: usize, node: u32, child: u32, bounds: &Bounds) {
        let own = &mut self.levels[level].nodes[node as usize];
        if !own.is_full() {
            own.push(child, bounds);
            own.made_with = own.bounds().half_surface();
            let slot = own.count as usize - 1;
            self.attach(level, node, slot, child);
            return;
        }
        let (stays, leaves) = split(own, child, bounds);
        let (parent, slot) = (own.parent, own.slot);
        let [stays_bounds, leaves_bounds] = [stays.bounds(), leaves.bounds()];
        *own = Node { parent, slot, ..stays };
        let new = self.add_node(level, leaves);
        self.attach_all(level, node);
        self.attach_all(level, new);
        if parent == NONE {
            let root = self.add_node(level + 1, Node::EMPTY);
            self.add(level + 1, root, node, &stays_bounds);
            self.add(level + 1, root, new, &leaves_bounds);
            (self.root, self.height) = (root, level + 2);
        } else {
            self.levels[level + 1].nodes[parent as usize].set_bounds(slot as usize, &stays_bounds);
            self.add(level + 1, parent, new, &leaves_bounds);
        }
    }

    fn add_node(&mut self, level: usize, node: Node) -> u32 {
        if self.levels.len() <= level {
            self.levels.resize_with(level + 1, Level::default);
        }
        let room = self.places.len() / SPARSE.pow(level as u32 + 1);
        self.levels[level].add(node, room)
    }

    /// Tells a child where it is.
    fn attach(&mut self, level: usize, node: u32, slot: usize, child: u32) {
        if level == 0 {
            self.places[child as usize] = Place { leaf: node, slot: slot as u32 };
        } else {
            let below = &mut self.levels[level - 1].nodes[child as usize];
            (below.parent, below.slot) = (node, slot as u32);
        }
    }

    fn attach_all(&mut self, level: usize, node: u32) {
        let Node { children, count, .. } = self.levels[level].nodes[node as usize];
        for (slot, child) in children.into_iter().take(count as usize).enumerate() {
            self.attach(level, node, slot, child);
        }
    }

    /// Makes the boxes above a proxy fit again. O(log n), less where nothing changes.
    pub(super) fn refit_above(&mut self, proxy: u32) {
        self.refit_from(0, self.places[proxy as usize].leaf);
    }

    fn refit_from(&mut self, level: usize, mut node: u32) {
        for level in level..self.height - 1 {
            let Node { parent, slot, .. } = self.levels[level].nodes[node as usize];
            let bounds = self.levels[level].nodes[node as usize].bounds();
            let above = &mut self.levels[level + 1].nodes[parent as usize];
            if above.bounds_of(slot as usize) == bounds {
                return;
            }
            above.set_bounds(slot as usize, &bounds);
            node = parent;
        }
    }

    /// Makes all boxes above the leaves fit again, level by level. O(n / 8).
    pub(super) fn refit_all(&mut self, exec: &Exec) {
        for level in 1..self.height {
            let (below, above) = self.levels.split_at_mut(level);
            let below = &below[level - 1].nodes;
            exec.for_each_dynamic(chunks_mut(&mut above[0].nodes, NODE_CHUNK), |_, nodes| {
                for node in nodes {
                    for slot in 0..node.count as usize {
                        let bounds = below[node.children[slot] as usize].bounds();
                        node.set_bounds(slot, &bounds);
                    }
                }
            });
        }
    }
}

/// Parts the children of a full node and one more along the axis on which they lie farthest apart.
fn split(full: &Node, child: u32, bounds: &Bounds) -> (Node, Node) {
    let mut entries = [(*bounds, child); WIDTH + 1];
    for (slot, entry) in entries.iter_mut().take(WIDTH).enumerate() {
        *entry = (full.bounds_of(slot), full.children[slot]);
    }
    let axis = longest_axis(entries.iter().map(|(bounds, _)| bounds.center()));
    entries.sort_unstable_by(|(a, i), (b, j)| a.center()[axis].total_cmp(&b.center()[axis]).then(i.cmp(j)));
    let (low, high) = entries.split_at(WIDTH / 2 + 1);
    let [low, high] = [low, high].map(|entries| {
        let mut node = Node::EMPTY;
        entries.iter().for_each(|(bounds, child)| node.push(*child, bounds));
        node.made_with = node.bounds().half_surface();
        node
    });
    (low, high)
}

/// The axis on which points lie farthest apart.
pub(super) fn longest_axis(points: impl Iterator<Item = [f32; 3]>) -> usize {
    let mut around = Bounds::EMPTY;
    points.for_each(|point| around = around.merged(&Bounds { min: point, max: point }));
    let [x, y, z] = [0, 1, 2].map(|i| around.max[i] - around.min[i]);
    if x >= y && x >= z {
        0
    } else if y >= z {
        1
    } else {
        2
    }
}
