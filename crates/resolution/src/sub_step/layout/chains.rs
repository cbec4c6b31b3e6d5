//! Chains of contacts, which are solved directly: bodies one upon the other, or side by side, that touch nothing else.

use super::nodes::{Node, Nodes};
use super::{Item, Slot};
use drystone_contact::BodyIndex;
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
    /// Lane of an edge of the first class: block times eight plus lane.
    lane_of: Vec<u32>,
    visited: Vec<bool>,
    walk: Vec<u32>,
}

impl Chains {
    pub(super) fn begin(&mut self, edges: usize) {
        self.links.clear();
        self.starts.clear();
        self.visited.clear();
        self.visited.reserve(edges);
        self.lane_of.resize(edges, 0);
    }

    /// Chains of contacts in the unit whose blocks were just packed: bodies that have two contacts and no more, from what cannot
    /// move upwards, then from free ends.
    pub(super) fn find(
        &mut self,
        items: &[Item],
        nodes: &Nodes,
        (slots, first_block): (&[[Slot; 8]], u32),
    ) -> Range<u32> {
        let first = self.starts.len() as u32;
        if (nodes.with_two as usize) + 1 < SHORTEST_CHAIN {
            return first..first;
        }
        self.visited.clear();
        self.visited.resize(items.len(), false);
        let count = |body: BodyIndex| nodes[body].count;
        let mut are_placed = false;
        for from_ground in [true, false] {
            for (start, &Item { ends, pushed, .. }) in items.iter().enumerate() {
                // The side to go on from, whose body has one more contact. Few are; found without branches.
                let [of_a, of_b] = ends.map(count);
                let are_pushed = pushed[0] & pushed[1];
                let is_end = [are_pushed & (of_a == 1), are_pushed & (of_b == 1)];
                let goes_on = if from_ground {
                    [!pushed[1] & (of_a == 2), !pushed[0] & (of_b == 2)]
                } else {
                    [is_end[1] & (of_a == 2), is_end[0] & (of_b == 2)]
                };
                if !(goes_on[0] | goes_on[1]) || self.visited[start] {
                    continue;
                }
                let mut body = ends[usize::from(goes_on[1])];
                self.walk.clear();
                self.walk.push(start as u32);
                self.visited[start] = true;
                while let Node { count: 2, contacts: [a, b, _], .. } = nodes[body]
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
                if self.walk.len() >= SHORTEST_CHAIN {
                    if !std::mem::replace(&mut are_placed, true) {
                        self.place(slots, first_block);
                    }
                    self.close(items);
                }
            }
        }
        first..self.starts.len() as u32
    }

    /// Notes the lanes of the edges in the blocks of the first class from this one on.
    fn place(&mut self, slots: &[[Slot; 8]], first_block: u32) {
        let first = 8 * first_block as usize;
        for (lane, slot) in slots.as_flattened().iter().enumerate().skip(first) {
            if let Some((edge, _)) = slot.edge() {
                self.lane_of[edge.get()] = lane as u32;
            }
        }
    }

    /// Makes a chain of the walk. Contacts of fewer than three points part it.
    fn close(&mut self, items: &[Item]) {
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
