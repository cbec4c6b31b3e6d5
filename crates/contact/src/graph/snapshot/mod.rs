//! The contact graph of a moment, to look at, to ask, to keep: S3's graph of entities.
//!
//! In: bodies and the graph of a step; containers, rules and triggers from whoever has them. Out: nodes and edges in a stable
//! order, one edge per pair of entities whatever the number of their colliders, with what the step left on it. It is a copy: the step
//! goes on without it, and costs nothing for being looked at. Start reading at [`GraphSnapshot::of`].
//!
//! Questions: neighbours and edges ([`GraphSnapshot::edge_between`]), islands, what rests on what and what
//! falls without it ([`GraphSnapshot::supports`]), where a pile hangs together by a single body
//! ([`GraphSnapshot::articulation_nodes`]), what changed since another moment ([`GraphSnapshot::changes_since`]); export
//! as DOT and GraphML, and with the feature `serde` as anything.
//!
//! Invariants: nodes ascend by key, edges by the keys of their ends; equal histories give equal snapshots.

mod build;
mod change;
mod cut;
mod export;
mod support;

pub use build::SnapshotBuilder;
pub use change::GraphChanges;
pub use support::Supports;

use super::kind::{EdgeKind, NodeKind};
use crate::{BodyHandle, ColliderHandle};
use drystone_math::{Position, Real, Vector3};

/// Who a node is; stays the same from step to step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum NodeKey {
    /// A body.
    Body(BodyHandle),
    /// A trigger volume: a collider.
    Trigger(ColliderHandle),
    /// A composite or multibody, by its number.
    Container(u32),
    /// A rule, by its number.
    Rule(u32),
    /// A timer, by its number.
    Timer(u32),
}

/// A node of a snapshot.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SnapshotNode {
    /// Who.
    pub key: NodeKey,
    /// What.
    pub kind: NodeKind,
    /// Centre of mass, m, world; `None` for what is nowhere.
    pub center: Option<Position>,
    /// Mass, kg; 0 when nothing pushes it.
    pub mass: Real,
    /// True for a body that is asleep.
    pub is_asleep: bool,
    /// Its island by number; `None` for what insulates.
    pub island: Option<u32>,
    /// Steps from what cannot move over contacts; `None` where nothing fixed is reached.
    pub level: Option<u32>,
}

/// How near the ends of an edge are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum EdgeState {
    /// Made by the user: an edge that is there until it is taken away.
    Static,
    /// Boxes are near.
    Near,
    /// There are contact points, none of which touches yet, or a joint.
    Linked,
    /// They overlap or push each other; for a trigger: the body is inside.
    Touching,
}

impl EdgeState {
    /// Its name in exports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Static => "static",
            Self::Near => "near",
            Self::Linked => "linked",
            Self::Touching => "touching",
        }
    }
}

/// An edge of a snapshot: two entities, whatever the number of their colliders (S3-04).
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SnapshotEdge {
    /// Places of its ends in [`GraphSnapshot::nodes`], the smaller first.
    pub ends: [u32; 2],
    /// What it is.
    pub kind: EdgeKind,
    /// How near they are.
    pub state: EdgeState,
    /// Contact points of all collider pairs.
    pub points: u32,
    /// Smallest distance of a point, m, negative when overlapping (S3's closest principal contact, S3-11); `None` without points.
    pub distance: Option<Real>,
    /// Mean normal of the points, from the first end to the second, unit; zero without points.
    pub normal: Vector3,
    /// What the first end gave the second in the last step, N·s.
    pub impulse: Vector3,
}

/// The contact graph of a moment.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GraphSnapshot {
    /// Steps taken before.
    step: u64,
    nodes: Vec<SnapshotNode>,
    edges: Vec<SnapshotEdge>,
    /// Where the entries of a node begin in `ways`; one more than nodes.
    first: Vec<u32>,
    /// Of each node: neighbour and edge, by neighbour.
    ways: Vec<[u32; 2]>,
}

impl GraphSnapshot {
    /// Steps taken before this moment.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// All nodes, by key.
    pub fn nodes(&self) -> &[SnapshotNode] {
        &self.nodes
    }

    /// All edges, by the keys of their ends.
    pub fn edges(&self) -> &[SnapshotEdge] {
        &self.edges
    }

    /// Place of a node in [`GraphSnapshot::nodes`]. O(log n).
    pub fn find(&self, key: NodeKey) -> Option<usize> {
        self.nodes.binary_search_by_key(&key, |node| node.key).ok()
    }

    /// Neighbours of a node with the edges to them, by key. None for a place that is not there.
    pub fn neighbours(&self, node: usize) -> impl Iterator<Item = (usize, &SnapshotEdge)> + '_ {
        self.ways_of(node).iter().map(|&[other, edge]| (other as usize, &self.edges[edge as usize]))
    }

    /// The edge of two nodes, in any order. O(log of the neighbours).
    pub fn edge_between(&self, a: usize, b: usize) -> Option<&SnapshotEdge> {
        let ways = self.ways_of(a);
        let found = ways.binary_search_by_key(&b, |&[other, _]| other as usize).ok()?;
        Some(&self.edges[ways[found][1] as usize])
    }

    /// Nodes of an island, by key.
    pub fn island(&self, island: u32) -> impl Iterator<Item = usize> + '_ {
        let nodes = self.nodes.iter().enumerate();
        nodes.filter(move |(_, node)| node.island == Some(island)).map(|(i, _)| i)
    }

    fn ways_of(&self, node: usize) -> &[[u32; 2]] {
        let range = self.first.get(node).zip(self.first.get(node + 1));
        range.map_or(&[], |(&from, &to)| &self.ways[from as usize..to as usize])
    }
}
