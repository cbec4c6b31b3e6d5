//! What rests on what: touching edges whose normal points up.

use super::{EdgeState, GraphSnapshot};
use crate::{EdgeClass, NodeKind};
use drystone_math::{Real, Vector3};
use std::collections::VecDeque;

/// Who carries whom in a snapshot; made by [`GraphSnapshot::supports`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Supports {
    carriers: Vec<Vec<u32>>,
    carried: Vec<Vec<u32>>,
    is_movable: Vec<bool>,
}

impl GraphSnapshot {
    /// Who carries whom: A carries B where they touch and the normal from A to B is within an angle of `up`, whose cosine is
    /// `least_cosine` (0.7 for 45 degrees; above 0, else two bodies carry each other). `up` is a direction of any length; there is no
    /// support without one. A composite and its members carry each other, so that what one of them rests on holds all.
    pub fn supports(&self, up: &Vector3, least_cosine: Real) -> Supports {
        let count = self.nodes.len();
        let mut supports = Supports {
            carriers: vec![Vec::new(); count],
            carried: vec![Vec::new(); count],
            is_movable: self.nodes.iter().map(|node| is_carried(node.kind)).collect(),
        };
        let Some(up) = up.try_normalize(Real::MIN_POSITIVE) else { return supports };
        let touching = self.edges.iter().filter(|edge| edge.state == EdgeState::Touching);
        for edge in touching.filter(|edge| edge.kind.class() == EdgeClass::Physical) {
            let rise = edge.normal.dot(&up);
            if rise.abs() < least_cosine.max(Real::MIN_POSITIVE) {
                continue;
            }
            let [below, above] = if rise > 0.0 { edge.ends } else { [edge.ends[1], edge.ends[0]] };
            supports.carriers[above as usize].push(below);
            supports.carried[below as usize].push(above);
        }
        for edge in self.edges.iter().filter(|edge| edge.kind.ends().contains(&NodeKind::Composite)) {
            let [a, b] = edge.ends;
            for [below, above] in [[a, b], [b, a]] {
                supports.carriers[above as usize].push(below);
                supports.carried[below as usize].push(above);
            }
        }
        supports
    }
}

/// True for what needs support.
fn is_carried(kind: NodeKind) -> bool {
    kind.is_movable() || kind == NodeKind::Composite
}

impl Supports {
    /// What a node rests on; empty for a place that is not there.
    pub fn carriers_of(&self, node: usize) -> &[u32] {
        self.carriers.get(node).map_or(&[], Vec::as_slice)
    }

    /// What rests on a node.
    pub fn carried_by(&self, node: usize) -> &[u32] {
        self.carried.get(node).map_or(&[], Vec::as_slice)
    }

    /// The shortest way down from a node to what cannot move, both included; the first by key among equally short ones. `None` where
    /// nothing carries it. What cannot move is its own way.
    pub fn path_down(&self, node: usize) -> Option<Vec<usize>> {
        let mut from = vec![None; self.is_movable.len()];
        let mut queue = VecDeque::from([node]);
        while let Some(at) = queue.pop_front() {
            if !*self.is_movable.get(at)? {
                let mut path = vec![at];
                while let Some(&last) = path.last().filter(|&&last| last != node) {
                    path.push(from[last]?);
                }
                path.reverse();
                return Some(path);
            }
            for &next in &self.carriers[at] {
                let next = next as usize;
                if next != node && from[next].is_none() {
                    from[next] = Some(at);
                    queue.push_back(next);
                }
            }
        }
        None
    }

    /// Movable nodes without a way down, ascending: what flies or falls.
    pub fn unsupported(&self) -> Vec<usize> {
        let reached = self.reached(None);
        (0..reached.len()).filter(|&i| self.is_movable[i] && !reached[i]).collect()
    }

    /// What would lose its way down if a node were taken away, ascending, without the node itself. Whether it tips is another
    /// matter: this follows who carries whom, not balance.
    pub fn falls_without(&self, node: usize) -> Vec<usize> {
        let (now, then) = (self.reached(None), self.reached(Some(node)));
        (0..now.len()).filter(|&i| i != node && self.is_movable[i] && now[i] && !then[i]).collect()
    }

    /// What is carried, however far up, by what cannot move.
    fn reached(&self, without: Option<usize>) -> Vec<bool> {
        let mut reached: Vec<bool> = self.is_movable.iter().map(|&is_movable| !is_movable).collect();
        let mut stack: Vec<usize> = (0..reached.len()).filter(|&i| reached[i]).collect();
        if let Some(gone) = without.filter(|&gone| gone < reached.len()) {
            stack.retain(|&i| i != gone);
            // Marked, so that nothing comes to it.
            reached[gone] = true;
        }
        while let Some(at) = stack.pop() {
            for &above in &self.carried[at] {
                if !std::mem::replace(&mut reached[above as usize], true) {
                    stack.push(above as usize);
                }
            }
        }
        reached
    }
}
