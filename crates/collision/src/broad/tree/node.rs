//! One node: up to eight boxes side by side.

use drystone_math::wide::LANES;

use super::bounds::{Bounds, greater, lesser};

/// Children of a node.
pub(super) const WIDTH: usize = LANES;
/// No node, no proxy.
pub(super) const NONE: u32 = u32::MAX;

/// A node and the boxes of its children, which fill the first `count` lanes. Four cache lines.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(super) struct Node {
    /// Lower corners by axis, then child.
    pub(super) min: [[f32; WIDTH]; 3],
    /// Upper corners by axis, then child.
    pub(super) max: [[f32; WIDTH]; 3],
    /// Proxies in a leaf, nodes of the level below elsewhere.
    pub(super) children: [u32; WIDTH],
    /// The node of the level above that holds this one, or [`NONE`], and the lane there.
    pub(super) parent: u32,
    pub(super) slot: u32,
    pub(super) count: u32,
    /// Half of the surface of a leaf when it was made, m²: one that has grown far beyond it is worn.
    pub(super) made_with: f32,
}

impl Node {
    pub(super) const EMPTY: Self = Self {
        min: [[f32::INFINITY; WIDTH]; 3],
        max: [[f32::NEG_INFINITY; WIDTH]; 3],
        children: [NONE; WIDTH],
        parent: NONE,
        slot: 0,
        count: 0,
        made_with: 0.0,
    };

    pub(super) fn is_full(&self) -> bool {
        self.count as usize == WIDTH
    }

    /// The box of one child.
    pub(super) fn bounds_of(&self, slot: usize) -> Bounds {
        Bounds { min: self.min.map(|row| row[slot]), max: self.max.map(|row| row[slot]) }
    }

    pub(super) fn set_bounds(&mut self, slot: usize, bounds: &Bounds) {
        for axis in 0..3 {
            (self.min[axis][slot], self.max[axis][slot]) = (bounds.min[axis], bounds.max[axis]);
        }
    }

    /// The box around all children.
    pub(super) fn bounds(&self) -> Bounds {
        // Lanes without a child are empty.
        Bounds {
            min: [fold(&self.min[0], lesser), fold(&self.min[1], lesser), fold(&self.min[2], lesser)],
            max: [fold(&self.max[0], greater), fold(&self.max[1], greater), fold(&self.max[2], greater)],
        }
    }

    pub(super) fn push(&mut self, child: u32, bounds: &Bounds) {
        let slot = self.count as usize;
        self.children[slot] = child;
        self.set_bounds(slot, bounds);
        self.count += 1;
    }

    /// Takes a child out; the last one takes its place and is returned when it is another.
    pub(super) fn take(&mut self, slot: usize) -> Option<u32> {
        let last = self.count as usize - 1;
        let moved = self.children[last];
        self.children[slot] = moved;
        self.set_bounds(slot, &self.bounds_of(last));
        self.children[last] = NONE;
        self.set_bounds(last, &Bounds::EMPTY);
        self.count -= 1;
        (slot != last).then_some(moved)
    }

    /// The child whose surface grows least by taking in a box; of equal ones the first.
    pub(super) fn cheapest(&self, bounds: &Bounds) -> usize {
        let mut best = (0, f32::INFINITY);
        for slot in 0..self.count as usize {
            let own = self.bounds_of(slot);
            let growth = own.merged(bounds).half_surface() - own.half_surface();
            if growth < best.1 {
                best = (slot, growth);
            }
        }
        best.0
    }
}

/// Halves onto halves, which registers do side by side.
#[inline]
fn fold(row: &[f32; WIDTH], pick: impl Fn(f32, f32) -> f32) -> f32 {
    let [a, b, c, d, e, f, g, h] = *row;
    let [a, b, c, d] = [pick(a, e), pick(b, f), pick(c, g), pick(d, h)];
    pick(pick(a, c), pick(b, d))
}
