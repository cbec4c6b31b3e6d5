//! What the layout knows of bodies: where each of them is among the members.

use drystone_contact::BodyIndex;
use std::ops::{Index, IndexMut};

/// Place of a body that is no member.
pub(super) const NO_MEMBER: u32 = u32::MAX;

/// A body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// Its place among the members, when contacts change it.
    pub(super) member: u32,
    /// Its domain within its group.
    pub(super) domain: u8,
}

impl Node {
    const NONE: Self = Self { member: NO_MEMBER, domain: 0 };

    /// Whether it is a member of a unit.
    #[inline]
    pub(super) fn is_member(&self) -> bool {
        self.member != NO_MEMBER
    }
}

/// All bodies, by their indices.
#[derive(Clone, Debug, Default)]
pub(super) struct Nodes {
    list: Vec<Node>,
}

impl Nodes {
    /// Makes room for so many bodies, and forgets the members of the last step.
    pub(super) fn begin(&mut self, bodies: usize, members: &[u32]) {
        for &body in members {
            if let Some(node) = self.list.get_mut(body as usize) {
                *node = Node::NONE;
            }
        }
        self.list.resize(bodies, Node::NONE);
    }

    /// All of them.
    pub(super) fn list_mut(&mut self) -> &mut [Node] {
        &mut self.list
    }
}

impl Index<BodyIndex> for Nodes {
    type Output = Node;

    #[inline]
    fn index(&self, body: BodyIndex) -> &Node {
        &self.list[body.get()]
    }
}

impl IndexMut<BodyIndex> for Nodes {
    #[inline]
    fn index_mut(&mut self, body: BodyIndex) -> &mut Node {
        &mut self.list[body.get()]
    }
}
