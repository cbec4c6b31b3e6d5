//! Edges: one per pair of colliders that are near each other.

use crate::{BodyIndex, ColliderHandle, Manifold};
use drystone_math::prefetch;

/// Index of an edge; stable while the edge lives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct EdgeIndex(pub u32);

impl EdgeIndex {
    /// As an array index.
    #[inline]
    pub fn get(self) -> usize {
        self.0 as usize
    }
}

/// One end of an edge: which edge, which side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdgeEnd(u32);

/// No edge.
pub(super) const NONE: EdgeEnd = EdgeEnd(u32::MAX);

impl EdgeEnd {
    pub(super) fn new(edge: EdgeIndex, side: usize) -> Self {
        Self(edge.0 * 2 + side as u32)
    }

    /// The edge.
    #[inline]
    pub fn edge(self) -> EdgeIndex {
        EdgeIndex(self.0 / 2)
    }

    /// 0 for A, 1 for B.
    #[inline]
    pub fn side(self) -> usize {
        (self.0 % 2) as usize
    }
}

/// A pair of colliders that are near each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    /// Contact of this step as the response sees it.
    pub manifold: Manifold,
    pub(super) colliders: [ColliderHandle; 2],
    pub(super) owners: [BodyIndex; 2],
    pub(super) is_internal: bool,
    pub(super) is_touching: bool,
    /// Further edges of its pair that are linked; counted by the first.
    pub(super) further_links: u32,
    pub(super) role: Role,
    in_use: bool,
}

/// What an edge stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A pair of colliders.
    First,
    /// Another manifold of such a pair.
    Further,
    /// A joint: linked whatever touches, with its tie at this place in place of colliders.
    JointConstraint,
    /// A joint that is about to be removed.
    Untied,
}

/// What walks over the graph read of an edge: half a cache line, where an edge with its manifold has six.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    /// Bodies A and B.
    pub(crate) bodies: [BodyIndex; 2],
    /// Neighbours in the lists of both bodies.
    pub(super) next: [EdgeEnd; 2],
    pub(super) previous: [EdgeEnd; 2],
    /// Points that islands and lists know of; 0 for an edge that is not linked, 1 for a tie.
    pub(crate) point_count: u32,
    /// Both bodies can move.
    pub(crate) is_internal: bool,
}

impl Link {
    pub(super) fn new(bodies: [BodyIndex; 2], is_internal: bool) -> Self {
        Self { bodies, next: [NONE; 2], previous: [NONE; 2], point_count: 0, is_internal }
    }
}

/// The edges of a body in two lists: those that are linked, and those that are only near.
#[derive(Clone, Copy, Debug)]
pub(super) struct Heads {
    pub(super) linked: EdgeEnd,
    pub(super) near: EdgeEnd,
}

impl Heads {
    /// A body without edges.
    pub(super) const NONE: Self = Self { linked: NONE, near: NONE };
}

/// The ends from `first` on in its list.
#[inline]
pub(super) fn list_from(links: &[Link], first: EdgeEnd) -> impl Iterator<Item = EdgeEnd> + '_ {
    let mut next = first;
    std::iter::from_fn(move || {
        let current = (next != NONE).then_some(next)?;
        next = links[current.edge().get()].next[current.side()];
        Some(current)
    })
}

impl Edge {
    pub(super) fn new(
        colliders: [ColliderHandle; 2],
        owners: [BodyIndex; 2],
        manifold: Manifold,
        is_internal: bool,
    ) -> Self {
        Self {
            manifold,
            colliders,
            owners,
            is_internal,
            is_touching: false,
            further_links: 0,
            role: Role::First,
            in_use: true,
        }
    }

    /// The two colliders, the smaller slot first.
    #[inline]
    pub fn colliders(&self) -> [ColliderHandle; 2] {
        self.colliders
    }

    /// The bodies that the colliders were added to, of A and B: those that users know. Other than the bodies that move them,
    /// which the manifold names, for the members of a composite.
    #[inline]
    pub fn owners(&self) -> [BodyIndex; 2] {
        self.owners
    }

    /// Body of side 0 (A) or 1 (B).
    #[inline]
    pub fn body(&self, side: usize) -> BodyIndex {
        if side == 0 { self.manifold.body_a } else { self.manifold.body_b }
    }

    /// The body at the other end.
    #[inline]
    pub fn other(&self, body: BodyIndex) -> BodyIndex {
        if self.manifold.body_a == body { self.manifold.body_b } else { self.manifold.body_a }
    }

    /// True for a slot that holds an edge.
    #[inline]
    pub fn is_in_use(&self) -> bool {
        self.in_use
    }

    /// True while the manifold has points, and for a tie.
    #[inline]
    pub fn is_linked(&self) -> bool {
        !self.manifold.points().is_empty() || self.is_tie()
    }

    /// True for the edge of a joint ([`super::ContactGraph::add_tie`]): it has no colliders, and never any points.
    #[inline]
    pub fn is_tie(&self) -> bool {
        self.role == Role::JointConstraint
    }

    /// True for an edge that holds another manifold of two colliders that have an edge already
    /// ([`super::ContactGraph::add_further_edge`]).
    #[inline]
    pub fn is_further(&self) -> bool {
        self.role == Role::Further
    }

    /// True from the first overlap or impulse until the points are gone. The touch of two colliders is that of their first edge.
    #[inline]
    pub fn is_touching(&self) -> bool {
        self.is_touching
    }

    /// True when both bodies can move.
    #[inline]
    pub fn is_internal(&self) -> bool {
        self.is_internal
    }

    /// Fetches what tells whether an edge is linked.
    #[inline]
    pub(super) fn expect(&self) {
        self.manifold.expect_count();
        prefetch(&self.role);
    }

    pub(super) fn retire(&mut self) {
        self.in_use = false;
    }
}
