//! Walks over the links of a group, all breadth first: paths and components.

use super::edge::{Heads, Link, list_from};
use crate::BodyIndex;

/// Bodies that a search for a path visits at most: neighbours of a lost link are mostly connected over two or three
/// others, and what comes off mostly has a few bodies. The search for a longer path is left to a walk over the group.
const PATH_BOUND: usize = 64;

/// What was found of a component.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Facts {
    /// Linked edges of its bodies, those to fixed bodies included.
    pub(super) edge_count: u32,
    /// Contact points of these edges.
    pub(super) point_count: u32,
}

/// Scratch memory and result of a walk.
#[derive(Clone, Debug, Default)]
pub(super) struct Search {
    /// Bodies found, in order.
    pub(super) queue: Vec<u32>,
    /// What the bodies found add up to.
    pub(super) facts: Facts,
    /// The walk in which a body was found last.
    found: Vec<u32>,
    walk: u32,
}

drystone_math::carried!(Search { part: [found], value: [walk], scratch: [queue, facts] });

impl Search {
    /// Makes room for a walk over so many bodies.
    pub(super) fn reserve(&mut self, body_count: usize) {
        self.queue.reserve(body_count - self.queue.len().min(body_count));
        if self.found.len() < body_count {
            self.found.resize(body_count, 0);
        }
    }

    /// Whether links lead from one body to the other; `None` when [`PATH_BOUND`] was hit. Where they do not, the
    /// result is the component of `from`.
    pub(super) fn path(
        &mut self,
        from: BodyIndex,
        to: BodyIndex,
        links: &[Link],
        heads: &[Heads],
        structure: &[u32],
    ) -> Option<bool> {
        self.walk(from, Some(to), PATH_BOUND, links, heads, structure)
    }

    /// The component of a body.
    pub(super) fn component(&mut self, from: BodyIndex, links: &[Link], heads: &[Heads], structure: &[u32]) {
        self.walk(from, None, usize::MAX, links, heads, structure);
    }

    fn walk(
        &mut self,
        from: BodyIndex,
        to: Option<BodyIndex>,
        bound: usize,
        links: &[Link],
        heads: &[Heads],
        structure: &[u32],
    ) -> Option<bool> {
        self.begin();
        self.visit(from);
        self.facts = Facts::default();
        let (mut internal_ends, mut next) = (0, 0);
        while let Some(&body) = self.queue.get(next) {
            if next == bound {
                return None;
            }
            next += 1;
            for end in list_from(links, heads[body as usize].linked) {
                let link = &links[end.edge().get()];
                self.facts.edge_count += 1;
                // An internal edge is met from both ends.
                if !link.is_internal || end.side() == 0 {
                    self.facts.point_count += link.point_count;
                }
                if link.is_internal {
                    internal_ends += 1;
                    let other = link.bodies[1 - end.side()];
                    if to == Some(other) {
                        return Some(true);
                    }
                    self.visit(other);
                }
            }
            // A ring: every link of a multibody is found from every other one.
            let joined = BodyIndex(structure[body as usize]);
            if to == Some(joined) {
                return Some(true);
            }
            self.visit(joined);
        }
        self.facts.edge_count -= internal_ends / 2;
        Some(false)
    }

    /// Starts a walk in which nothing is found yet.
    fn begin(&mut self) {
        self.queue.clear();
        self.walk = self.walk.wrapping_add(1);
        if self.walk == 0 {
            self.found.fill(0);
            self.walk = 1;
        }
    }

    fn visit(&mut self, body: BodyIndex) {
        if std::mem::replace(&mut self.found[body.get()], self.walk) != self.walk {
            self.queue.push(body.0);
        }
    }
}
