//! Who else must move when one body is moved: the depth-first search of S1 with a stack (S1-11..16, S1-21).
//!
//! In our signs, with `n` pointing out of the moved body X towards its neighbour Y, `d` the distance of
//! their contact and `slack` the depth that may stand (`−f · threshold` of S1):
//! ```text
//! gap = d + slack                                               (2.5.5)
//! Y is pushed when  d_X · n > 0  and  d_X · n > gap             (2.3.4, 2.3.5)
//! d_Y = ((d_X · n − gap) / (d_X · n)) d_X   for gap > 0,        (2.3.6)
//! d_Y = d_X                                 otherwise
//! ```
//! Every displacement is a part of the one before it, hence of the initial one: a body's displacement is a
//! single number, its *share*, `d_X = share_X · d₀`, and (2.3.6) reads `share_Y = share_X − gap / (d₀ · n)`.
//!
//! The order of the search does not matter. `share_Y` never decreases when `share_X` increases, rounding
//! included, so the largest share per body (S1-13) is the largest over all paths; a smaller share is
//! blocked only where a larger one is. A body that is already on the stack is therefore not put there
//! again: it is read with its newest share.

use crate::approach::Approach;
use crate::pile::{Node, Pile};
use drystone_math::Real;

/// Why an approach is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// It would push what cannot move, or the other body of the contact (S1-15).
    Blocked,
    /// As many bodies as the best approach so far (S1-22).
    NoBetter,
    /// More bodies than may be displaced, or too many looks at the same ones.
    Limit,
    /// No looks at contacts are left in this step.
    Looks,
}

/// Most bodies an approach may displace.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// Fewer than this, to beat the best approach so far.
    pub(crate) below: usize,
    /// No more than this, by configuration.
    pub(crate) at_most: usize,
}

/// Looks per displaced body after which a search is given up as [`Stop::Limit`]. A body is looked at again
/// when its share grows, in the worst graph exponentially often; in heaps of 2816 balls, 235 000 searches
/// looked 1.02 times per body on average and 3.7 times at most (`crates/correction/examples/measure_heap.rs`).
const LOOKS_PER_BODY: usize = 64;

/// Scratch of a thread.
#[derive(Debug, Default)]
pub(crate) struct Search {
    /// Bodies whose neighbours have yet to be looked at.
    stack: Vec<u32>,
    /// Bodies with a displacement, in the order found.
    visited: Vec<u32>,
    /// Bodies that were loosened and whose neighbours have yet to be looked at, and those of the round at work.
    pub(crate) loose: Vec<u32>,
    pub(crate) next_loose: Vec<u32>,
    /// The best approach so far: bodies and their shares.
    pub(crate) best: Vec<(u32, Real)>,
    /// Contacts that may still be looked at.
    pub(crate) looks_left: u64,
}

impl Search {
    /// Makes room, so that no search that displaces up to `body_count` of `batch` bodies allocates.
    pub(crate) fn reserve(&mut self, body_count: usize, batch: usize) {
        for list in [&mut self.loose, &mut self.next_loose] {
            list.clear();
            list.reserve(batch);
        }
        for list in [&mut self.stack, &mut self.visited] {
            list.clear();
            list.reserve(body_count);
        }
        self.best.clear();
        self.best.reserve(body_count);
    }

    /// Finds all bodies that an approach displaces and stores them as the best; how many.
    ///
    /// `stamp` must be new to `nodes`. Before and after, nothing is queued. O(bodies and their contacts).
    ///
    /// # Errors
    /// Why the approach is not taken; `best` is what it was.
    pub(crate) fn run(
        &mut self,
        pile: &Pile<'_>,
        nodes: &mut [Node],
        approach: &Approach,
        stamp: u32,
        bounds: Bounds,
    ) -> Result<usize, Stop> {
        self.visited.clear();
        let result = self.spread(pile, nodes, approach, stamp, bounds);
        for left in self.stack.drain(..) {
            nodes[left as usize].is_queued = false;
        }
        result?;
        self.best.clear();
        self.best.extend(self.visited.iter().map(|&i| (i, nodes[i as usize].share)));
        Ok(self.visited.len())
    }

    fn spread(
        &mut self,
        pile: &Pile<'_>,
        nodes: &mut [Node],
        approach: &Approach,
        stamp: u32,
        bounds: Bounds,
    ) -> Result<(), Stop> {
        self.associate(nodes, approach.node, 1.0, stamp, bounds)?;
        let mut looks = 0;
        while let Some(x) = self.stack.pop() {
            looks += 1;
            if self.looks_left == 0 {
                return Err(Stop::Looks);
            }
            if looks > LOOKS_PER_BODY * self.visited.len() {
                return Err(Stop::Limit);
            }
            nodes[x as usize].is_queued = false;
            self.push_neighbours(pile, nodes, approach, x as usize, (stamp, bounds))?;
        }
        Ok(())
    }

    /// Lines 1 to 19 of Algorithm 1 for the body X.
    fn push_neighbours(
        &mut self,
        pile: &Pile<'_>,
        nodes: &mut [Node],
        approach: &Approach,
        x: usize,
        (stamp, bounds): (u32, Bounds),
    ) -> Result<(), Stop> {
        let mover = nodes[x];
        for index in pile.graph.edges_of(mover.body) {
            self.looks_left = self.looks_left.saturating_sub(1);
            let edge = pile.graph.edge(index);
            let m = &edge.manifold;
            let is_a = m.body_a == mover.body;
            let along = approach.displacement.dot(&m.normal);
            let approach_speed = if is_a { along } else { -along };
            let push = mover.share * approach_speed;
            if push <= 0.0 || !edge.is_linked() {
                continue;
            }
            let neighbour = if is_a { m.body_b } else { m.body_a };
            let y = if edge.is_internal() { pile.node_of(nodes, neighbour) } else { None };
            let y_node = y.map(|y| &nodes[y]);
            let (a, b) = if is_a { (Some(&mover), y_node) } else { (y_node, Some(&mover)) };
            let gap = pile.distance(m, a, b) + pile.slack;
            let is_pushed = push > gap;
            if !is_pushed {
                continue;
            }
            let Some(y) = y.filter(|_| neighbour != approach.other) else { return Err(Stop::Blocked) };
            if !nodes[y].can_follow(&approach.displacement) {
                return Err(Stop::Blocked);
            }
            let share = if gap > 0.0 { mover.share - gap / approach_speed } else { mover.share };
            self.associate(nodes, y, share, stamp, bounds)?;
        }
        Ok(())
    }

    /// Associates a share with a body when it is larger than the one it has (S1-13).
    fn associate(
        &mut self,
        nodes: &mut [Node],
        y: usize,
        share: Real,
        stamp: u32,
        bounds: Bounds,
    ) -> Result<(), Stop> {
        let node = &mut nodes[y];
        let is_new = node.stamp != stamp;
        let old = if is_new { 0.0 } else { node.share };
        if share <= old {
            return Ok(());
        }
        if is_new {
            let count = self.visited.len() + 1;
            if count >= bounds.below {
                return Err(Stop::NoBetter);
            }
            if count > bounds.at_most {
                return Err(Stop::Limit);
            }
            self.visited.push(y as u32);
            node.stamp = stamp;
        }
        node.share = share;
        if !node.is_queued {
            node.is_queued = true;
            self.stack.push(y as u32);
        }
        Ok(())
    }
}
