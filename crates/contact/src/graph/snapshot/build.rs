//! Making a snapshot: bodies and their contacts, then what others add.

use super::{EdgeState, GraphSnapshot, NodeKey, SnapshotEdge, SnapshotNode};
use crate::graph::kind::{EdgeKind, NodeKind};
use crate::{Bodies, BodyHandle, BodyKind, ContactError, ContactGraph, Edge, NO_ISLAND, NO_LEVEL};
use drystone_math::Vector3;
use std::collections::BTreeMap;

/// Collects nodes and edges in any order.
#[derive(Clone, Debug, Default)]
pub struct SnapshotBuilder {
    step: u64,
    nodes: BTreeMap<NodeKey, SnapshotNode>,
    edges: BTreeMap<[NodeKey; 2], SnapshotEdge>,
}

impl GraphSnapshot {
    /// Bodies and their contacts. O(n log n) in nodes and edges.
    pub fn of(bodies: &Bodies, graph: &ContactGraph, step: u64) -> Self {
        SnapshotBuilder::of(bodies, graph, step).finish()
    }
}

impl SnapshotBuilder {
    /// Begins with bodies and their contacts.
    pub fn of(bodies: &Bodies, graph: &ContactGraph, step: u64) -> Self {
        let mut builder = Self { step, ..Self::default() };
        for index in bodies.indices() {
            let Some(handle) = bodies.handle(index) else { continue };
            let (hot, island, level) = (bodies.hot(index), graph.island_of(index), graph.level(index));
            let kind = match hot.kind() {
                BodyKind::Dynamic if hot.is_link() => NodeKind::Link,
                BodyKind::Dynamic => NodeKind::Rigid,
                BodyKind::Fixed => NodeKind::Fixed,
                BodyKind::Kinematic => NodeKind::Kinematic,
            };
            builder.insert(SnapshotNode {
                key: NodeKey::Body(handle),
                kind,
                center: Some(bodies.center_pose(index).translation),
                mass: bodies.mass(index),
                is_asleep: bodies.is_asleep(index),
                island: (island != NO_ISLAND).then_some(island.0),
                level: (level != NO_LEVEL).then_some(level),
            });
        }
        for index in graph.edge_indices() {
            let edge = graph.edge(index);
            let ends = edge.owners().map(|b| bodies.handle(b));
            if let [Some(a), Some(b)] = ends {
                builder.add_contact(a, b, edge);
                if let Some(tie) = graph.tie(index) {
                    builder.add_impulse(a, b, &tie.impulse);
                }
            }
        }
        builder
    }

    /// A node that is no body: a container, a trigger, a rule, a timer. One that is there already is replaced.
    pub fn insert(&mut self, node: SnapshotNode) {
        self.nodes.insert(node.key, node);
    }

    /// Takes out a node without edges, to put it back as something else: the body of a composite, whose contacts are its members'.
    /// Edges that it has are lost.
    pub fn take(&mut self, key: NodeKey) -> Option<SnapshotNode> {
        self.edges.retain(|ends, _| !ends.contains(&key));
        self.nodes.remove(&key)
    }

    /// A node that is there, to correct.
    pub fn node_mut(&mut self, key: NodeKey) -> Option<&mut SnapshotNode> {
        self.nodes.get_mut(&key)
    }

    /// An edge between two nodes that are there, without contact points. One that is there already keeps the nearer state.
    ///
    /// # Errors
    /// [`ContactError::NoSuchEdge`] where one of the nodes is missing, or their kinds have no edge (S3-02).
    pub fn connect(&mut self, a: NodeKey, b: NodeKey, state: EdgeState) -> Result<(), ContactError> {
        let kinds = [a, b].map(|key| self.nodes.get(&key).map(|node| node.kind));
        let kind = kinds[0].zip(kinds[1]).and_then(|(a, b)| EdgeKind::between(a, b));
        let kind = kind.ok_or(ContactError::NoSuchEdge { kinds })?;
        let edge = self.edges.entry([a.min(b), a.max(b)]).or_insert(SnapshotEdge {
            ends: [0; 2],
            kind,
            state,
            points: 0,
            distance: None,
            normal: Vector3::zeros(),
            impulse: Vector3::zeros(),
        });
        edge.state = edge.state.max(state);
        Ok(())
    }

    /// Adds what a joint gave (on B, N·s) to the edge of its bodies.
    fn add_impulse(&mut self, a: BodyHandle, b: BodyHandle, impulse: &Vector3) {
        let keys = [NodeKey::Body(a.min(b)), NodeKey::Body(a.max(b))];
        if let Some(edge) = self.edges.get_mut(&keys) {
            edge.impulse += impulse * if a < b { 1.0 } else { -1.0 };
        }
    }

    /// Adds what one pair of colliders has to the edge of their bodies.
    fn add_contact(&mut self, a: BodyHandle, b: BodyHandle, contact: &Edge) {
        let state = match (contact.is_touching(), contact.is_linked()) {
            (true, _) => EdgeState::Touching,
            (false, true) => EdgeState::Linked,
            (false, false) => EdgeState::Near,
        };
        if self.connect(NodeKey::Body(a), NodeKey::Body(b), state).is_err() {
            debug_assert!(false, "the graph has no edge between what cannot move: {a:?}, {b:?}");
            return;
        }
        let keys = [NodeKey::Body(a.min(b)), NodeKey::Body(a.max(b))];
        let sign = if a < b { 1.0 } else { -1.0 };
        let points = contact.manifold.points();
        let Some(edge) = self.edges.get_mut(&keys) else { return };
        edge.points += points.len() as u32;
        // Summed here, made unit at the end.
        edge.normal += contact.manifold.normal * sign * points.len() as f32;
        for point in points {
            edge.impulse += point.impulse * sign;
            edge.distance = Some(edge.distance.map_or(point.distance, |d| d.min(point.distance)));
        }
    }

    /// Numbers everything.
    pub fn finish(self) -> GraphSnapshot {
        let places: BTreeMap<NodeKey, u32> = self.nodes.keys().copied().zip(0..).collect();
        let mut snapshot = GraphSnapshot {
            step: self.step,
            nodes: self.nodes.into_values().collect(),
            ..GraphSnapshot::default()
        };
        let mut ways = vec![Vec::new(); snapshot.nodes.len()];
        for ([a, b], mut edge) in self.edges {
            edge.ends = [places[&a], places[&b]];
            edge.normal = edge.normal.try_normalize(f32::MIN_POSITIVE).unwrap_or_default();
            let index = snapshot.edges.len() as u32;
            ways[edge.ends[0] as usize].push([edge.ends[1], index]);
            ways[edge.ends[1] as usize].push([edge.ends[0], index]);
            snapshot.edges.push(edge);
        }
        for list in &mut ways {
            list.sort_unstable();
            snapshot.first.push(snapshot.ways.len() as u32);
            snapshot.ways.append(list);
        }
        snapshot.first.push(snapshot.ways.len() as u32);
        snapshot
    }
}
