//! What the layout knows of bodies: where each of them is among the members.

use crate::sub_step::domains::MOST_DOMAINS;
use drystone_contact::BodyIndex;
use std::ops::{Index, IndexMut};

/// Place of a body that is no member.
pub(super) const NO_MEMBER: u32 = u32::MAX;

/// A body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// Its place among the members, when contacts change it.
    pub(super) member: u32,
    /// Its domain within its island; of what is no member [`GROUND`], or 0 where it moves as its user says.
    pub(super) domain: u8,
}

/// What stands for the domain of what cannot move: a bit that no domain has.
pub(super) const GROUND: u8 = 0x80;
const _: () = assert!(MOST_DOMAINS <= GROUND as usize);

impl Node {
    const NONE: Self = Self { member: NO_MEMBER, domain: GROUND };

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
    /// Those that are noted to move as their user says.
    moved: Vec<u32>,
}

impl Nodes {
    /// Makes room for so many bodies, forgets the members of the last step, and notes which bodies move as their user says.
    pub(super) fn begin(&mut self, bodies: usize, members: &[u32], moved: &[u32]) {
        for list in [members, &self.moved] {
            for &body in list {
                if let Some(node) = self.list.get_mut(body as usize) {
                    *node = Node::NONE;
                }
            }
        }
        self.list.resize(bodies, Node::NONE);
        self.moved.clear();
        self.moved.extend_from_slice(moved);
        moved.iter().for_each(|&body| self.list[body as usize].domain = 0);
    }

    /// Whether some bodies move as their user says.
    pub(super) fn any_moved(&self) -> bool {
        !self.moved.is_empty()
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
