//! Chains of contacts, which are solved directly: bodies one upon the other, or side by side, that touch nothing else.

use super::Slot;
use super::items::class_of;
use super::nodes::{NO_MEMBER, Nodes};
use drystone_contact::{BodyIndex, ContactGraph, EdgeIndex};
use std::ops::Range;

/// Contacts from which a chain is worth a direct solve: three bodies in a row have two contacts each.
pub(super) const SHORTEST_CHAIN: usize = 4;

/// Where a contact of a chain lies: a block of the first class and a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct ChainLink {
    pub(in super::super) block: u32,
    pub(in super::super) lane: u32,
}

/// What chains need to know of a member.
#[derive(Clone, Copy, Debug)]
pub(super) struct Joint {
    /// Number of its contacts, and from bit [`FACES`] on that of those with three points or more: others are not solved directly.
    counts: u64,
    /// Sum of the other ends of its contacts: which end of two is the other one follows from it. [`NO_MEMBER`] is more than any two members.
    others: u64,
}

/// First bit of the number of contacts with three points or more.
const FACES: u32 = 32;

impl Joint {
    /// No contact.
    pub(super) const NONE: Self = Self { counts: 0, others: 0 };

    /// Notes a contact.
    #[inline]
    pub(super) fn note(&mut self, other: u32, is_face: bool) {
        self.counts += u64::from(is_face) << FACES | 1;
        self.others += u64::from(other);
    }

    /// Adds contacts of the same member.
    #[inline]
    pub(super) fn add(&mut self, more: &Self) {
        self.counts += more.counts;
        self.others += more.others;
    }

    /// Number of its contacts.
    #[inline]
    fn count(&self) -> u32 {
        self.counts as u32
    }

    fn has_face(&self) -> bool {
        self.counts >> FACES > 0
    }

    /// The other end of the other contact, of two.
    #[inline]
    fn beyond(&self, end: u32) -> u32 {
        (self.others - u64::from(end)) as u32
    }
}

/// The members of a unit, from member `first` on.
#[derive(Clone, Copy)]
pub(super) struct Joints<'a> {
    pub(super) list: &'a [Joint],
    pub(super) first: u32,
}

impl<'a> Joints<'a> {
    /// Whether there is a chain with something to solve.
    pub(super) fn are_chained(self) -> bool {
        self.beginnings().next().is_some()
    }

    /// Where chains with something to solve begin: what with, that end, the first member, and what follows. Members in a row have two contacts each, from what cannot
    /// move or from a member with no other contact on, one of the contacts of three points or more. A row between two such ends begins at both.
    fn beginnings(self) -> impl Iterator<Item = (End, [u32; 3])> + use<'a> {
        let joints = (self.first..).zip(self.list);
        joints.filter_map(move |(member, joint)| {
            let (kind, end, member) = match joint.count() {
                1 => (End::Free, member, joint.others as u32),
                2 if joint.others >= u64::from(NO_MEMBER) => (End::Ground, NO_MEMBER, member),
                _ => return None,
            };
            let joint = self.joint(member).filter(|joint| joint.count() == 2)?;
            let row = [end, member, joint.beyond(end)];
            self.is_long(joint, row).then_some((kind, row))
        })
    }

    fn joint(self, member: u32) -> Option<&'a Joint> {
        self.list.get((member as usize).wrapping_sub(self.first as usize))
    }

    /// What a chain may begin with, if the end of a contact is such.
    fn end(self, end: u32) -> Option<End> {
        match self.joint(end) {
            None => Some(End::Ground),
            Some(joint) => (joint.count() == 1).then_some(End::Free),
        }
    }

    /// What follows `next` in a row that comes from `member`; none where the row ends with it.
    fn after(self, member: u32, next: u32) -> Option<(&'a Joint, u32)> {
        let joint = self.joint(next).filter(|joint| joint.count() == 2)?;
        Some((joint, joint.beyond(member)))
    }

    /// Whether a row that begins with this member is long enough for a chain with something to solve.
    fn is_long(self, joint: &Joint, [_, mut member, mut next]: [u32; 3]) -> bool {
        let (mut contacts, mut has_face) = (2, joint.has_face());
        while let Some((joint, far)) = self.after(member, next) {
            contacts += 1;
            has_face |= joint.has_face();
            if has_face && contacts >= SHORTEST_CHAIN {
                return true;
            }
            (member, next) = (next, far);
        }
        false
    }
}

/// Contacts that are solved directly, in the order of their chains.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Chains {
    links: Vec<ChainLink>,
    /// First link of each chain, and the end.
    starts: Vec<u32>,
    /// Lane of an edge of the first class: block times eight plus lane.
    lane_of: Vec<u32>,
    /// Edges of the rows of the unit at work, and which of them are whose.
    edges: Vec<EdgeIndex>,
    rows: Vec<Row>,
}

/// Contacts of members in a row. Those from what cannot move come first, then by their first edges.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Row {
    begin: (End, EdgeIndex),
    /// Its edges: entries of [`Chains::edges`].
    edges: (u32, u32),
}

/// What a chain may begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    /// Something that cannot move.
    Ground,
    /// A member with no other contact.
    Free,
}

/// The members of a unit with their bodies.
#[derive(Clone, Copy)]
pub(super) struct Members<'a> {
    pub(super) joints: Joints<'a>,
    pub(super) bodies: &'a [u32],
    pub(super) nodes: &'a Nodes,
}

impl Members<'_> {
    /// The contact of a member that has two with a neighbour of it.
    fn contact(&self, graph: &ContactGraph, member: u32, other: u32) -> Option<EdgeIndex> {
        let body = BodyIndex(self.bodies[(member - self.joints.first) as usize]);
        graph.linked_edges_of(body).find(|&index| {
            let edge = graph.edge(index);
            let is_contact = !edge.is_tie() && !edge.manifold.points().is_empty();
            is_contact && self.nodes[edge.other(body)].member == other
        })
    }
}

impl Chains {
    /// Forgets all chains, and makes room for so many bodies and edges.
    pub(super) fn begin(&mut self, bodies: usize, edges: usize) {
        self.links.clear();
        self.starts.clear();
        self.lane_of.resize(edges, 0);
        self.edges.clear();
        self.edges.reserve(edges);
        self.rows.clear();
        self.rows.reserve(bodies / SHORTEST_CHAIN);
    }

    /// Number of chains so far.
    pub(super) fn count(&self) -> u32 {
        self.starts.len() as u32
    }

    /// Chains of a unit: bodies that have two contacts and no more, from what cannot move upwards, then from free ends; `slots`: its blocks
    /// of the first class from `first_block` on.
    pub(super) fn find(
        &mut self,
        graph: &ContactGraph,
        members: Members<'_>,
        (slots, first_block): (&[[Slot; 8]], u32),
    ) -> Range<u32> {
        let begin = self.count();
        self.edges.clear();
        self.rows.clear();
        for (kind, row) in members.joints.beginnings() {
            self.list_row(graph, members, kind, row);
        }
        self.rows.sort_unstable();
        self.place(slots, first_block);
        for row in 0..self.rows.len() {
            self.close(graph, self.rows[row].edges);
        }
        begin..self.count()
    }

    /// Lists the contacts of members in a row, given its end and what follows, unless it is to be told from its other end.
    fn list_row(
        &mut self,
        graph: &ContactGraph,
        members: Members<'_>,
        kind: End,
        [end, mut member, mut next]: [u32; 3],
    ) {
        let first = self.edges.len();
        self.edges.extend(members.contact(graph, member, end));
        self.edges.extend(members.contact(graph, member, next));
        while let Some((_, far)) = members.joints.after(member, next) {
            self.edges.extend(members.contact(graph, next, far));
            (member, next) = (next, far);
        }
        let own = &self.edges[first..];
        let [Some(&from), Some(&to)] = [own.first(), own.last()] else { return };
        if members.joints.end(next).is_some_and(|far| (far, to) < (kind, from)) {
            self.edges.truncate(first);
        } else {
            self.rows.push(Row { begin: (kind, from), edges: (first as u32, self.edges.len() as u32) });
        }
    }

    /// Notes the lanes of the edges in these blocks of the first class.
    fn place(&mut self, slots: &[[Slot; 8]], first_block: u32) {
        for (lane, slot) in (8 * first_block..).zip(slots.as_flattened()) {
            if let Some((edge, _)) = slot.edge() {
                self.lane_of[edge.get()] = lane;
            }
        }
    }

    /// Makes a chain of a row. Contacts of fewer than three points part it.
    fn close(&mut self, graph: &ContactGraph, (first, end): (u32, u32)) {
        self.starts.push(self.links.len() as u32);
        for &edge in &self.edges[first as usize..end as usize] {
            if class_of(&graph.edge(edge).manifold) == 0 {
                let lane = self.lane_of[edge.get()];
                self.links.push(ChainLink { block: lane / 8, lane: lane % 8 });
            } else {
                self.starts.push(self.links.len() as u32);
            }
        }
    }

    /// Links of the longest chain.
    pub(in super::super) fn longest(&self) -> usize {
        (0..self.starts.len() as u32).map(|chain| self.links(chain).len()).max().unwrap_or(0)
    }

    /// Links of a chain.
    pub(in super::super) fn links(&self, chain: u32) -> &[ChainLink] {
        let end = self.starts.get(chain as usize + 1).map_or(self.links.len(), |&end| end as usize);
        &self.links[self.starts[chain as usize] as usize..end]
    }
}
