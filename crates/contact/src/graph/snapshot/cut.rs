//! Where a pile hangs together by a single body.

use super::{EdgeState, GraphSnapshot};
use crate::{EdgeClass, NodeKind};

/// A node of the search: when it was met, and the earliest that is reached from it without the way it was met by.
#[derive(Clone, Copy, Debug, Default)]
struct Visit {
    met: u32,
    low: u32,
    /// The next of its ways to look at.
    next: u32,
    parent: u32,
}

const NONE: u32 = u32::MAX;

impl GraphSnapshot {
    /// Movable nodes without which their island falls into more than one part, ascending (articulation points of the links between
    /// what can move; what cannot move insulates, S3-14). Containers hold their bodies together, so they are among them: a composite
    /// always, as without it its members are loose. O(nodes + edges).
    ///
    /// Source: Hopcroft, Tarjan, "Algorithm 447: efficient algorithms for graph manipulation", CACM 16 (1973) 372, without recursion.
    pub fn articulation_nodes(&self) -> Vec<usize> {
        let mut visits = vec![Visit { parent: NONE, ..Visit::default() }; self.nodes.len()];
        let mut is_cut = vec![false; self.nodes.len()];
        let mut clock = 0;
        for root in 0..self.nodes.len() {
            if visits[root].met != 0 || !belongs(self.nodes[root].kind) {
                continue;
            }
            let mut branches = 0;
            let mut stack = vec![root];
            while let Some(&at) = stack.last() {
                if visits[at].met == 0 {
                    clock += 1;
                    (visits[at].met, visits[at].low) = (clock, clock);
                }
                let way = visits[at].next;
                visits[at].next += 1;
                if let Some(&[other, edge]) = self.ways_of(at).get(way as usize) {
                    let (state, class) =
                        (self.edges[edge as usize].state, self.edges[edge as usize].kind.class());
                    let is_link = state >= EdgeState::Linked || class == EdgeClass::Structural;
                    let other = other as usize;
                    if !is_link || !belongs(self.nodes[other].kind) || visits[at].parent == other as u32 {
                        continue;
                    }
                    if visits[other].met == 0 {
                        visits[other].parent = at as u32;
                        branches += u32::from(at == root);
                        stack.push(other);
                    } else {
                        visits[at].low = visits[at].low.min(visits[other].met);
                    }
                    continue;
                }
                stack.pop();
                let Some(parent) =
                    self.nodes.get(visits[at].parent as usize).map(|_| visits[at].parent as usize)
                else {
                    continue;
                };
                visits[parent].low = visits[parent].low.min(visits[at].low);
                is_cut[parent] |= parent != root && visits[at].low >= visits[parent].met;
            }
            is_cut[root] |= branches > 1;
        }
        (0..is_cut.len()).filter(|&i| is_cut[i]).collect()
    }
}

/// True for what islands are made of.
fn belongs(kind: NodeKind) -> bool {
    kind.is_movable() || kind.is_container()
}
