//! Walks over the links of an island, all breadth first: paths and components.

use super::edge::{Heads, Link, NONE, list_from};
use crate::BodyIndex;
use drystone_math::prefetch;

/// What walks go along.
#[derive(Clone, Copy)]
pub(super) struct Ways<'a> {
    pub(super) links: &'a [Link],
    pub(super) heads: &'a [Heads],
    /// Next link of the same multibody, for every body.
    pub(super) structure: &'a [u32],
}

impl Ways<'_> {
    /// Fetches where the links of a body begin.
    #[inline]
    pub(super) fn expect_links(&self, body: BodyIndex) {
        let first = self.heads[body.get()].linked;
        if first != NONE {
            prefetch(&self.links[first.edge().get()]);
        }
    }
}

/// What was found of a component.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Facts {
    /// Linked edges of its bodies, those to fixed bodies included.
    pub(super) edge_count: u32,
    /// Contact points of these edges.
    pub(super) point_count: u32,
}

/// How two bodies are connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Path {
    /// Links lead from one to the other.
    Found,
    /// They do not: all that this one of the two is connected with was found.
    Apart(usize),
    /// The search hit its bound.
    Unknown,
}

/// One end of a walk.
#[derive(Clone, Debug, Default)]
struct Front {
    /// Bodies found, in order.
    queue: Vec<u32>,
    /// How many of them were asked for their neighbours.
    asked: usize,
    /// What these add up to, internal edges twice.
    edge_ends: u32,
    internal_ends: u32,
    point_count: u32,
}

/// Scratch memory and result of a walk.
#[derive(Clone, Debug, Default)]
pub(super) struct Search {
    fronts: [Front; 2],
    /// The walk in which a body was found last, and from which end: twice the one, and the other.
    found: Vec<u32>,
    walk: u32,
}

drystone_math::carried!(Search { part: [found], value: [walk], scratch: [fronts] });

impl Search {
    /// Makes room for a walk over so many bodies.
    pub(super) fn reserve(&mut self, body_count: usize) {
        for Front { queue, .. } in &mut self.fronts {
            queue.reserve(body_count - queue.len().min(body_count));
        }
        if self.found.len() < body_count {
            self.found.resize(body_count, 0);
        }
    }

    /// Whether links lead from one body to the other, by a walk from both at once that asks `bound` bodies for their neighbours at most: it meets
    /// itself over far fewer than one from a single end needs, and ends with the smaller part where one came off.
    pub(super) fn path(&mut self, ends: [BodyIndex; 2], bound: usize, ways: &Ways<'_>) -> Path {
        self.begin();
        self.start(0, ends[0]);
        self.start(1, ends[1]);
        for turn in 0..bound {
            match self.ask_next(turn % 2, ways) {
                Some(true) => return Path::Found,
                Some(false) => {}
                None => return Path::Apart(turn % 2),
            }
        }
        Path::Unknown
    }

    /// Finds the component of a body, at the first end.
    pub(super) fn component(&mut self, from: BodyIndex, ways: &Ways<'_>) {
        self.begin();
        self.start(0, from);
        while self.ask_next(0, ways).is_some() {}
    }

    /// How many bodies the last walk asked.
    pub(super) fn asked(&self) -> usize {
        self.fronts.iter().map(|front| front.asked).sum()
    }

    /// What the component found at an end adds up to.
    pub(super) fn facts(&self, side: usize) -> Facts {
        let front = &self.fronts[side];
        Facts { edge_count: front.edge_ends - front.internal_ends / 2, point_count: front.point_count }
    }

    /// Takes the bodies found at an end, in order; [`Search::give_back`] must follow.
    pub(super) fn take(&mut self, side: usize) -> Vec<u32> {
        std::mem::take(&mut self.fronts[side].queue)
    }

    /// Takes back the memory of bodies found at an end.
    pub(super) fn give_back(&mut self, side: usize, mut queue: Vec<u32>) {
        queue.clear();
        self.fronts[side].queue = queue;
    }

    /// Finds the neighbours of the next body of an end. True when one of them was found from the other end, `None` when there is no
    /// further body.
    #[inline]
    fn ask_next(&mut self, side: usize, ways: &Ways<'_>) -> Option<bool> {
        let front = &mut self.fronts[side];
        let mut finder = Finder { found: &mut self.found, walk: self.walk, side, queue: &mut front.queue };
        let body = *finder.queue.get(front.asked)?;
        front.asked += 1;
        if let Some(&next) = finder.queue.get(front.asked) {
            ways.expect_links(BodyIndex(next));
        }
        let (mut edge_ends, mut internal_ends, mut point_count) = (0, 0, 0);
        for end in list_from(ways.links, ways.heads[body as usize].linked) {
            let link = &ways.links[end.edge().get()];
            edge_ends += 1;
            // An internal edge is met from both ends.
            if !link.is_internal || end.side() == 0 {
                point_count += link.point_count;
            }
            if link.is_internal {
                internal_ends += 1;
                let other = link.bodies[1 - end.side()];
                prefetch(&ways.heads[other.get()]);
                if finder.find(other) {
                    return Some(true);
                }
            }
        }
        front.edge_ends += edge_ends;
        front.internal_ends += internal_ends;
        front.point_count += point_count;
        // A ring: every link of a multibody is found from every other one.
        Some(finder.find(BodyIndex(ways.structure[body as usize])))
    }

    /// Starts a walk in which nothing is found yet.
    fn begin(&mut self) {
        for front in &mut self.fronts {
            front.queue.clear();
            (front.asked, front.edge_ends, front.internal_ends, front.point_count) = (0, 0, 0, 0);
        }
        self.walk = self.walk.wrapping_add(2);
        if self.walk == 0 {
            self.found.fill(0);
            self.walk = 2;
        }
    }

    /// Finds the body that an end begins with.
    fn start(&mut self, side: usize, body: BodyIndex) {
        let queue = &mut self.fronts[side].queue;
        Finder { found: &mut self.found, walk: self.walk, side, queue }.find(body);
    }
}

/// One end of a walk while it finds bodies.
struct Finder<'a> {
    found: &'a mut [u32],
    walk: u32,
    side: usize,
    queue: &'a mut Vec<u32>,
}

impl Finder<'_> {
    /// Finds a body; true when it was found from the other end.
    #[inline]
    fn find(&mut self, body: BodyIndex) -> bool {
        let own = self.walk + self.side as u32;
        let found = &mut self.found[body.get()];
        if *found >= self.walk {
            return *found != own;
        }
        *found = own;
        self.queue.push(body.0);
        false
    }
}
