//! Chains of contacts, which are solved directly: bodies one upon the other, or side by side, that touch nothing else.

use super::Item;
use drystone_contact::{BodyIndex, EdgeIndex};
use std::ops::Range;

/// Contacts from which a chain is worth a direct solve.
const SHORTEST_CHAIN: usize = 4;

/// Where a contact of a chain lies: a block of the first class and a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct ChainLink {
    pub(in super::super) block: u32,
    pub(in super::super) lane: u32,
}

/// Contacts that are solved directly, in the order of their chains.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Chains {
    links: Vec<ChainLink>,
    /// First link of each chain, and the end.
    starts: Vec<u32>,
    /// Number of contacts of each body in the unit, and two of them (indices of items).
    ends: Vec<[u32; 3]>,
    /// Lane of an edge of the first class: block times eight plus lane.
    lane_of: Vec<u32>,
    visited: Vec<bool>,
    walk: Vec<u32>,
}

impl Chains {
    pub(super) fn begin(&mut self, bodies: usize, edges: usize) {
        self.links.clear();
        self.starts.clear();
        self.ends.resize(bodies, [0; 3]);
        self.lane_of.resize(edges, 0);
    }

    /// Forgets the contacts of a body.
    #[inline]
    pub(super) fn forget(&mut self, body: BodyIndex) {
        self.ends[body.get()] = [0; 3];
    }

    /// Notes the lane of an edge of the first class: block times eight plus lane.
    #[inline]
    pub(super) fn place(&mut self, edge: EdgeIndex, lane: u32) {
        self.lane_of[edge.get()] = lane;
    }

    /// Notes a contact of a body.
    #[inline]
    pub(super) fn note(&mut self, body: BodyIndex, item: u32) {
        let [count, first, second] = &mut self.ends[body.get()];
        match *count {
            0 => *first = item,
            1 => *second = item,
            _ => {}
        }
        *count += 1;
    }

    /// Chains of contacts in the unit whose blocks were just packed: bodies that have two contacts and no more, from what cannot
    /// move upwards, then from free ends.
    pub(super) fn find(&mut self, items: &[Item]) -> Range<u32> {
        let first = self.starts.len() as u32;
        self.visited.clear();
        self.visited.resize(items.len(), false);
        for from_ground in [true, false] {
            for start in 0..items.len() as u32 {
                let Item { ends, pushed, .. } = items[start as usize];
                if self.visited[start as usize] {
                    continue;
                }
                // The side to go on from.
                let side = match (from_ground, pushed) {
                    (true, [false, true]) => 1,
                    (true, [true, false]) => 0,
                    (false, [true, true]) if self.ends[ends[0].get()][0] == 1 => 1,
                    (false, [true, true]) if self.ends[ends[1].get()][0] == 1 => 0,
                    _ => continue,
                };
                let mut body = ends[side];
                if self.ends[body.get()][0] != 2 {
                    continue;
                }
                self.walk.clear();
                self.walk.push(start);
                self.visited[start as usize] = true;
                while let [2, a, b] = self.ends[body.get()]
                    && self.walk.last().is_some_and(|&last| last == a || last == b)
                {
                    let next = if self.walk.last() == Some(&a) { b } else { a };
                    if std::mem::replace(&mut self.visited[next as usize], true) {
                        break;
                    }
                    self.walk.push(next);
                    let Item { ends, pushed, .. } = items[next as usize];
                    let far = usize::from(ends[0] == body);
                    body = ends[far];
                    if !pushed[far] {
                        break;
                    }
                }
                self.close(items);
            }
        }
        first..self.starts.len() as u32
    }

    /// Makes a chain of the walk. Contacts of fewer than three points part it.
    fn close(&mut self, items: &[Item]) {
        if self.walk.len() < SHORTEST_CHAIN {
            return;
        }
        self.starts.push(self.links.len() as u32);
        for &item in &self.walk {
            let item = &items[item as usize];
            let Some((edge, _)) = item.slot.edge() else { continue };
            if item.class() == 0 {
                let lane = self.lane_of[edge.get()];
                self.links.push(ChainLink { block: lane / 8, lane: lane % 8 });
            } else {
                self.starts.push(self.links.len() as u32);
            }
        }
    }

    /// Links of the longest chain.
    pub(in super::super) fn longest(&self) -> usize {
        (0..self.starts.len() as u32).map(|chain| self.links(chain).len()).max().unwrap_or(0)
    }

    /// Links of a chain.
    pub(in super::super) fn links(&self, chain: u32) -> &[ChainLink] {
        let end = self.starts.get(chain as usize + 1).map_or(self.links.len(), |&end| end as usize);
        &self.links[self.starts[chain as usize] as usize..end]
    }
}
