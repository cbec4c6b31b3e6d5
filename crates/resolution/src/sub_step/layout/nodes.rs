//! What the layout knows of bodies: all that giving an edge its lane reads and changes of one, in a cache line.

use super::KINDS;
use drystone_contact::BodyIndex;
use std::ops::{Index, IndexMut};

/// A body.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Node {
    /// Colours taken by contacts of each kind.
    taken: [u64; KINDS],
    /// Number of its contacts in the unit.
    pub(super) count: u32,
    /// The first two of them (indices of items), and the last.
    pub(super) contacts: [u32; 3],
    /// Its place among the members, when it is one.
    pub(super) member: u32,
    /// Its domain within its group.
    pub(super) domain: u8,
    /// Contacts change it: it is a member of a unit.
    pub(super) is_pushed: bool,
}

impl Node {
    const NONE: Self =
        Self { taken: [0; KINDS], count: 0, contacts: [0; 3], member: 0, domain: 0, is_pushed: false };

    /// A body of a group.
    pub(super) fn new(domain: u8, is_pushed: bool) -> Self {
        Self { domain, is_pushed, ..Self::NONE }
    }
}

/// All bodies, by their indices.
#[derive(Clone, Debug, Default)]
pub(super) struct Nodes {
    list: Vec<Node>,
    /// Bodies of the unit with exactly two contacts so far.
    pub(super) with_two: u32,
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

    /// Gives a contact of the bodies that are pushed the first colour that is free at them; 64 where none is. Without branches, as in
    /// [`Nodes::note`]: nobody can foresee which of two contacts is one with the ground.
    #[inline]
    pub(super) fn take_colour(&mut self, ends: [BodyIndex; 2], pushed: [bool; 2], kind: usize) -> usize {
        let masks = pushed.map(|is_pushed| u64::from(is_pushed).wrapping_neg());
        let taken = self[ends[0]].taken[kind] & masks[0] | self[ends[1]].taken[kind] & masks[1];
        // The first bit that is not set, or none.
        let bit = !taken & taken.wrapping_add(1);
        for (end, mask) in ends.into_iter().zip(masks) {
            self[end].taken[kind] |= bit & mask;
        }
        bit.trailing_zeros() as usize
    }

    /// Notes a contact, at the bodies that are pushed.
    #[inline]
    pub(super) fn note(&mut self, ends: [BodyIndex; 2], pushed: [bool; 2], item: u32) {
        for (end, is_pushed) in ends.into_iter().zip(pushed) {
            let node = &mut self[end];
            node.contacts[(node.count as usize).min(2)] = item;
            node.count += u32::from(is_pushed);
            let is = |count: u32| u32::from(is_pushed & (node.count == count));
            let (two, three) = (is(2), is(3));
            self.with_two = self.with_two + two - three;
        }
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
