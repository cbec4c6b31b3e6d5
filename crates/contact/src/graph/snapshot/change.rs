//! What changed from one moment to another.

use super::{EdgeState, GraphSnapshot, NodeKey, SnapshotEdge};
use std::cmp::Ordering;

/// What changed from an earlier snapshot to a later one; every list ascends by key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GraphChanges {
    /// Nodes that were not there.
    pub added: Vec<NodeKey>,
    /// Nodes that are gone.
    pub removed: Vec<NodeKey>,
    /// Edges that were not there, with their state.
    pub begun: Vec<([NodeKey; 2], EdgeState)>,
    /// Edges that are gone, with the state they had.
    pub ended: Vec<([NodeKey; 2], EdgeState)>,
    /// Edges that came nearer or went apart: before, after.
    pub changed: Vec<([NodeKey; 2], [EdgeState; 2])>,
}

impl GraphChanges {
    /// True when nothing changed.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl GraphSnapshot {
    /// What changed since an earlier moment of the same world. O(nodes + edges).
    pub fn changes_since(&self, before: &Self) -> GraphChanges {
        let mut changes = GraphChanges::default();
        merge(
            &before.nodes,
            &self.nodes,
            |node| node.key,
            |old, new| match (old, new) {
                (Some(old), None) => changes.removed.push(old.key),
                (None, Some(new)) => changes.added.push(new.key),
                _ => {}
            },
        );
        let keyed = |snapshot: &Self| -> Vec<([NodeKey; 2], EdgeState)> {
            let keys = |edge: &SnapshotEdge| edge.ends.map(|end| snapshot.nodes[end as usize].key);
            snapshot.edges.iter().map(|edge| (keys(edge), edge.state)).collect()
        };
        merge(
            &keyed(before),
            &keyed(self),
            |edge| edge.0,
            |old, new| match (old, new) {
                (Some(old), None) => changes.ended.push(*old),
                (None, Some(new)) => changes.begun.push(*new),
                (Some(old), Some(new)) if old.1 != new.1 => changes.changed.push((new.0, [old.1, new.1])),
                _ => {}
            },
        );
        changes
    }
}

/// Walks two ascending lists side by side.
fn merge<T, K: Ord>(
    old: &[T],
    new: &[T],
    key: impl Fn(&T) -> K,
    mut pair: impl FnMut(Option<&T>, Option<&T>),
) {
    let (mut i, mut k) = (0, 0);
    loop {
        let (a, b) = (old.get(i), new.get(k));
        let order = match (a, b) {
            (None, None) => return,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(a), Some(b)) => key(a).cmp(&key(b)),
        };
        pair(a.filter(|_| order.is_le()), b.filter(|_| order.is_ge()));
        i += usize::from(order.is_le());
        k += usize::from(order.is_ge());
    }
}
