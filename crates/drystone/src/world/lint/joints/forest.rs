//! What joints hold together, as trees that hang on what cannot move, and the joints that close loops of them.

use super::LintedJoint;
use drystone_contact::BodyIndex;
use std::collections::{BTreeMap, VecDeque};

/// A joint, and what is at its other end; `None` for what cannot move.
type Way = (usize, Option<BodyIndex>);

/// How a body hangs on others.
#[derive(Clone, Copy)]
pub(super) struct Node {
    /// Which of the connected sets it belongs to: bodies that joints hold together, without what cannot move.
    pub(super) set: usize,
    /// The joint on which it hangs, and the body there; `None` for the heaviest of a set that hangs on nothing.
    pub(super) parent: Option<Way>,
    /// Number of bodies from what cannot move to it, with itself.
    depth: u32,
}

/// A spanning tree, breadth first, of each set: shortest ways to what cannot move. Joints are indices into the list that it is made of.
pub(super) struct Forest {
    nodes: BTreeMap<BodyIndex, Node>,
    /// All bodies, each after the one that it hangs on.
    order: Vec<BodyIndex>,
    /// Joints that are in no tree: each closes a loop.
    closing: Vec<usize>,
    /// Number of bodies of each set.
    sizes: Vec<usize>,
}

/// Joints of a body, and what is at the other end of each.
type Neighbours = BTreeMap<BodyIndex, Vec<Way>>;

impl Forest {
    /// Of the joints that `counts`. O(j log j).
    pub(super) fn new(
        joints: &[LintedJoint<'_>],
        counts: impl Fn(&LintedJoint<'_>) -> bool,
        mass: impl Fn(BodyIndex) -> f64,
    ) -> Self {
        let mut neighbours = Neighbours::new();
        for (index, joint) in joints.iter().enumerate().filter(|(_, joint)| counts(joint)) {
            let [a, b] = joint.ends;
            for (body, other) in [(a, b), (b, a)] {
                if let Some(body) = body {
                    neighbours.entry(body).or_default().push((index, other));
                }
            }
        }
        let mut forest =
            Self { nodes: BTreeMap::new(), order: Vec::new(), closing: Vec::new(), sizes: Vec::new() };
        let mut in_tree = vec![false; joints.len()];
        for &first in neighbours.keys() {
            if !forest.nodes.contains_key(&first) {
                forest.grow(&connected(first, &neighbours), &neighbours, &mass, &mut in_tree);
            }
        }
        forest.closing = (0..joints.len()).filter(|&j| counts(&joints[j]) && !in_tree[j]).collect();
        forest
    }

    /// The trees of a set.
    fn grow(
        &mut self,
        set: &[BodyIndex],
        neighbours: &Neighbours,
        mass: &impl Fn(BodyIndex) -> f64,
        in_tree: &mut [bool],
    ) {
        let number = self.sizes.len();
        self.sizes.push(set.len());
        let held = |body: &BodyIndex| neighbours[body].iter().find(|(_, other)| other.is_none());
        let mut roots: Vec<(BodyIndex, Option<Way>)> =
            set.iter().filter_map(|body| held(body).map(|&way| (*body, Some(way)))).collect();
        if roots.is_empty() {
            let heaviest = set.iter().copied().max_by(|&a, &b| mass(a).total_cmp(&mass(b)));
            roots.extend(heaviest.map(|body| (body, None)));
        }
        let mut waiting: VecDeque<_> = roots.into_iter().map(|(body, parent)| (body, parent, 1)).collect();
        while let Some((body, parent, depth)) = waiting.pop_front() {
            if self.nodes.contains_key(&body) {
                continue;
            }
            if let Some((joint, _)) = parent {
                in_tree[joint] = true;
            }
            self.nodes.insert(body, Node { set: number, parent, depth });
            self.order.push(body);
            let next =
                neighbours[&body].iter().filter_map(|&(joint, other)| other.map(|other| (joint, other)));
            waiting.extend(next.map(|(joint, other)| (other, Some((joint, Some(body))), depth + 1)));
        }
    }

    /// All bodies, each after the one that it hangs on.
    pub(super) fn bodies(&self) -> impl DoubleEndedIterator<Item = (BodyIndex, Node)> + '_ {
        self.order.iter().map(|body| (*body, self.nodes[body]))
    }

    /// The set of a body; none for one without joints.
    pub(super) fn set_of(&self, body: BodyIndex) -> Option<usize> {
        self.nodes.get(&body).map(|node| node.set)
    }

    /// Number of bodies of each set.
    pub(super) fn set_sizes(&self) -> &[usize] {
        &self.sizes
    }

    /// The loops that single joints close, with the set of each: the joints in the order in which they follow around it.
    pub(super) fn loops(&self, joints: &[LintedJoint<'_>]) -> impl Iterator<Item = (usize, Vec<usize>)> {
        self.closing.iter().filter_map(|&joint| {
            let ends = joints[joint].ends;
            let set = self.set_of(ends[0].or(ends[1])?)?;
            Some((set, self.loop_of(joint, ends)))
        })
    }

    /// From both ends up to where they meet.
    fn loop_of(&self, closing: usize, ends: [Option<BodyIndex>; 2]) -> Vec<usize> {
        let [mut a, mut b] = ends;
        let (mut from_a, mut from_b) = (Vec::new(), Vec::new());
        while a != b {
            let (end, passed) =
                if self.depth(a) >= self.depth(b) { (&mut a, &mut from_a) } else { (&mut b, &mut from_b) };
            let Some((joint, parent)) = end.and_then(|body| self.nodes[&body].parent) else { break };
            passed.push(joint);
            *end = parent;
        }
        from_a.into_iter().rev().chain([closing]).chain(from_b).collect()
    }

    fn depth(&self, body: Option<BodyIndex>) -> u32 {
        body.and_then(|body| self.nodes.get(&body)).map_or(0, |node| node.depth)
    }
}

/// All bodies that joints hold together with one, ascending.
fn connected(first: BodyIndex, neighbours: &Neighbours) -> Vec<BodyIndex> {
    let mut set = std::collections::BTreeSet::from([first]);
    let mut waiting = vec![first];
    while let Some(body) = waiting.pop() {
        for other in neighbours[&body].iter().filter_map(|&(_, other)| other) {
            if set.insert(other) {
                waiting.push(other);
            }
        }
    }
    set.into_iter().collect()
}
