//! Which manifold goes to which lane: units of work, colours, blocks.
//!
//! A *unit* is one large group or several small ones. Inside a unit, manifolds are coloured so that no two of
//! a colour share a body that can move (first fit over the manifolds in ascending order of their edges);
//! manifolds of a colour with equally many points (1, 2, up to 4) go side by side into blocks of eight lanes.
//! Contacts with what cannot move come last in every pass. All of this depends on the contacts alone, never
//! on the number of threads.

mod chains;
mod nodes;

use super::domains::{CutLists, Domains, MOST_DOMAINS};
use super::pace::{Pace, PaceRule};
use crate::sweep::is_pushed;
use crate::ties::TieLayout;
pub(super) use chains::{ChainLink, Chains};
use drystone_contact::{Batch, Batches, Bodies, BodyIndex, ContactGraph, ContactPoint, EdgeIndex};
use drystone_math::{Real, prefetch};
use nodes::{Node, Nodes};
use std::ops::Range;

/// Manifolds from which a group is worked on by all threads, domain by domain.
const LARGE_GROUP: usize = 1500;
/// Manifolds up to which small groups are put together into one unit: its blocks fit into half of a common
/// second-level cache.
const UNIT_SIZE: usize = 1024;
/// Colours of a body; further contacts of it are visited one by one.
const COLOURS: usize = 64;
/// Sorts of contacts within a class, side by side: those that overlap or carried something, and those that are idle as yet.
const SORTS: usize = 2;
/// Kinds of contacts, in the order of a pass: within a domain (0), between domains, with what cannot move.
const KINDS: usize = 3;
const BETWEEN: usize = 1;
const WITH_GROUND: usize = 2;
/// Point counts of the classes of blocks.
pub(super) const CLASS_POINTS: [usize; 3] = [4, 2, 1];
pub(super) const CLASSES: usize = CLASS_POINTS.len();

/// An edge in a lane, and whether its sides are exchanged (so that what can move is B).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slot(u32);

impl Slot {
    pub(super) const EMPTY: Self = Self(u32::MAX);

    fn new(edge: EdgeIndex, is_flipped: bool) -> Self {
        Self(edge.0 << 1 | u32::from(is_flipped))
    }

    /// The edge, and whether it is flipped; `None` for an empty lane.
    #[inline]
    pub(super) fn edge(self) -> Option<(EdgeIndex, bool)> {
        (self != Self::EMPTY).then_some((EdgeIndex(self.0 >> 1), self.0 & 1 == 1))
    }
}

/// Manifolds between asking for one and reading it.
const FETCHED_AHEAD: usize = 2;

/// Blocks that a class may come to: full ones for all edges, and some that are not full. Room for them is made at once, for the most come later than any
/// warm-up.
pub(super) fn usual_blocks(graph: &ContactGraph) -> usize {
    graph.edges().len() / 8 + 32
}

/// The edge that comes some places after place `at`, to be fetched.
#[inline(always)]
pub(super) fn ahead(slots: &[[Slot; 8]], at: usize) -> Option<(EdgeIndex, bool)> {
    slots.as_flattened().get(at + FETCHED_AHEAD).and_then(|slot| slot.edge())
}

/// Fetches the manifold that comes some places after place `at`, which is about to be read.
#[inline(always)]
pub(super) fn fetch_ahead(slots: &[[Slot; 8]], at: usize, graph: &ContactGraph) {
    if let Some((edge, _)) = ahead(slots, at) {
        prefetch(&graph.edge(edge).manifold);
    }
}

/// Blocks of one class and one colour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Span {
    /// Index into [`CLASS_POINTS`].
    pub(super) class: usize,
    /// Side A cannot move.
    pub(super) is_ground: bool,
    /// First of its colour: everything before it must be done.
    pub(super) begins_colour: bool,
    /// Blocks of the class.
    pub(super) blocks: Range<u32>,
    /// Those with rolling friction: entries of [`Layout::rolling`].
    pub(super) rolling: Range<u32>,
}

/// The bodies of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) members: Range<u32>,
    /// Something gives it energy through its contacts: a scripted body that moves, or a surface that runs over its body.
    pub(super) is_driven: bool,
}

/// A block that has rolling friction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RollingPlace {
    /// Index into [`CLASS_POINTS`].
    pub(super) class: u32,
    pub(super) block: u32,
    pub(super) is_coarse: bool,
}

impl Item {
    fn key(set: usize, colour: usize, class: usize, is_idle: bool) -> u32 {
        (((set * (COLOURS + 1) + colour) * CLASSES + class) * SORTS + usize::from(is_idle)) as u32
    }

    /// Index into [`CLASS_POINTS`].
    fn class(&self) -> usize {
        self.key as usize / SORTS % CLASSES
    }
}

/// Groups that are solved together by one thread, or a large one that all threads share.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Unit {
    pub(super) spans: Range<u32>,
    pub(super) members: Range<u32>,
    /// Chains of the unit.
    pub(super) chains: Range<u32>,
    /// Its joints: spans of [`Layout::ties`].
    pub(super) ties: Range<u32>,
    /// Its groups: entries of [`Layout::groups`].
    pub(super) groups: Range<u32>,
    /// Blocks of each class.
    pub(super) blocks: [Range<u32>; CLASSES],
    /// Contacts in them.
    pub(super) contacts: u32,
    pub(super) is_large: bool,
    /// Some of its contacts have restitution.
    pub(super) bounces: bool,
    /// Where its domains begin: entries of [`Layout::cuts`], none for what is not large.
    pub(super) cuts: Range<u32>,
    pub(super) pace: Pace,
    /// The least of its groups' slack (see `RestRule::slack`).
    pub(super) slack: Real,
}

/// A group with its pace.
#[derive(Clone, Copy, Debug)]
struct Paced {
    pace: Pace,
    slack: Real,
    batch: Batch,
}

/// An edge on its way to a lane.
#[derive(Clone, Copy, Debug)]
struct Item {
    /// Set of colours, colour and class, and whether the contact is idle as yet.
    key: u32,
    slot: Slot,
    /// Bodies, and whether impulses change them.
    ends: [BodyIndex; 2],
    pushed: [bool; 2],
}

/// Where the data of each unit begins, and the end.
#[derive(Clone, Debug, Default)]
pub(super) struct Offsets {
    pub(super) blocks: [Vec<u32>; CLASSES],
    pub(super) members: Vec<u32>,
    pub(super) rolling: Vec<u32>,
}

/// The layout of a step.
#[derive(Clone, Debug, Default)]
pub(super) struct Layout {
    pub(super) units: Vec<Unit>,
    pub(super) spans: Vec<Span>,
    /// Lanes of the blocks of each class.
    pub(super) slots: [Vec<[Slot; 8]>; CLASSES],
    /// Awake dynamic bodies, unit after unit, then those of no unit.
    pub(super) members: Vec<u32>,
    pub(super) groups: Vec<Group>,
    /// Blocks with rolling friction, unit after unit.
    pub(super) rolling: Vec<RollingPlace>,
    has_rolling: bool,
    /// Whether some contact of the unit that is laid out has restitution.
    bounces: bool,
    /// Whether some surface runs over its body.
    pub(super) has_belts: bool,
    /// First member of no unit.
    pub(super) first_free: u32,
    /// Members of units with coarse sub-steps, which come first, and blocks of each class.
    pub(super) coarse_members: u32,
    pub(super) coarse_blocks: [u32; CLASSES],
    /// Bodies that move as their user says.
    pub(super) scripted: Vec<u32>,
    pub(super) offsets: Offsets,
    nodes: Nodes,
    domains: Domains,
    pub(super) cuts: CutLists,
    pub(super) chains: Chains,
    pub(super) ties: TieLayout,
    /// Groups by their pace, one after the other, and those of the later paces while they are sorted.
    order: Vec<Paced>,
    later: [Vec<Paced>; 2],
    items: Vec<Item>,
    sorted: Vec<Slot>,
    starts: Vec<u32>,
}

impl Layout {
    /// Lists the scripted bodies that move in a step; a world without any pays nothing.
    pub(super) fn collect_scripted(&mut self, bodies: &Bodies) {
        self.scripted.clear();
        if bodies.scripted_count() > 0 {
            let is_scripted = |&body: &u32| bodies.hot(BodyIndex(body)).is_scripted();
            self.scripted.extend(bodies.view().awake.iter().filter(is_scripted));
        }
    }

    /// Lays out the batches of a step; after [`Layout::collect_scripted`].
    pub(super) fn build(
        &mut self,
        bodies: &Bodies,
        graph: &ContactGraph,
        batches: &Batches,
        rule: &PaceRule,
    ) {
        self.units.clear();
        self.spans.clear();
        self.nodes.begin(bodies.capacity(), &self.members);
        self.members.clear();
        self.members.reserve(bodies.capacity());
        self.groups.clear();
        self.groups.reserve(bodies.capacity());
        self.rolling.clear();
        (self.has_rolling, self.has_belts) = (false, false);
        self.items.clear();
        self.items.reserve(graph.edges().len());
        self.sorted.clear();
        self.sorted.reserve(graph.edges().len());
        let room = usual_blocks(graph);
        for slots in &mut self.slots {
            slots.clear();
            slots.reserve(room);
        }
        (self.coarse_members, self.coarse_blocks) = (0, [0; CLASSES]);
        self.domains.begin(bodies.capacity());
        self.cuts.begin(graph.edges().len());
        self.chains.begin(graph.edges().len());
        self.ties.begin(bodies.capacity(), graph.tie_count());
        self.sort(bodies, graph, batches, rule);
        let list = std::mem::take(&mut self.order);
        let mut next = 0;
        while next < list.len() {
            let first = next;
            let Paced { pace, mut slack, batch } = list[next];
            let mut edges = batches.edges(&batch).len();
            let is_large = edges >= LARGE_GROUP;
            next += 1;
            while !is_large && next < list.len() && list[next].pace == pace {
                edges += batches.edges(&list[next].batch).len();
                if edges > UNIT_SIZE {
                    break;
                }
                slack = slack.min(list[next].slack);
                next += 1;
            }
            self.items.clear();
            (self.bounces, self.nodes.with_two) = (false, 0);
            let first_member = self.members.len() as u32;
            let first_group = self.groups.len() as u32;
            let domains =
                if is_large { self.domains.divide(bodies, batches.bodies(&batch), edges) } else { 1 };
            for Paced { batch, .. } in &list[first..next] {
                if !is_large {
                    self.domains.unite(batches.bodies(batch));
                }
                let begin = self.members.len() as u32;
                self.list_members(bodies, batches.bodies(batch), domains);
                if graph.tie_count() > 0 {
                    batches.bodies(batch).iter().for_each(|&body| self.ties.forget(body));
                }
                let mut is_driven = false;
                let edges = batches.edges(batch);
                for (k, &edge) in edges.iter().enumerate() {
                    if let Some(&next) = edges.get(k + FETCHED_AHEAD) {
                        prefetch(&graph.edge(next).manifold);
                    }
                    is_driven |= self.colour(bodies, graph, edge, domains);
                }
                self.groups.push(Group { members: begin..self.members.len() as u32, is_driven });
            }
            let mut unit = self.pack(first_member, domains, is_large);
            let first = unit.blocks[0].start;
            unit.chains = self.chains.find(&self.items, &self.nodes, (&self.slots[0], first));
            unit.ties = self.ties.pack();
            (unit.pace, unit.slack, unit.bounces) = (pace, slack, self.bounces);
            unit.groups = first_group..self.groups.len() as u32;
            self.units.push(unit);
            if pace == Pace::Coarse {
                self.coarse_members = self.members.len() as u32;
                self.coarse_blocks = [0, 1, 2].map(|c: usize| self.slots[c].len() as u32);
            }
        }
        self.order = list;
        self.ties.end();
        self.first_free = self.members.len() as u32;
        if self.has_rolling {
            self.list_rolling(graph);
        }
        self.note_offsets();
        for body in bodies.view().awake.iter() {
            if !self.is_member(BodyIndex(body)) && bodies.hot(BodyIndex(body)).inverse_mass > 0.0 {
                self.members.push(body);
            }
        }
    }

    /// Whether a body is a member of a unit.
    #[inline]
    pub(super) fn is_member(&self, body: BodyIndex) -> bool {
        self.nodes[body].is_pushed
    }

    /// Place of a member of a unit among the members.
    pub(super) fn member_of(&self, body: BodyIndex) -> u32 {
        self.nodes[body].member
    }

    /// Lists the bodies of a group, domain after domain.
    fn list_members(&mut self, bodies: &Bodies, own: &[BodyIndex], domains: usize) {
        let Self { nodes, members, .. } = self;
        let mut counts = [0; MOST_DOMAINS];
        for &body in own {
            let (domain, is_pushed) = (self.domains.of(body), is_pushed(bodies, body));
            nodes[body] = Node::new(domain, is_pushed);
            counts[usize::from(domain)] += u32::from(is_pushed);
        }
        let mut next = [members.len() as u32; MOST_DOMAINS];
        for domain in 1..domains {
            next[domain] = next[domain - 1] + counts[domain - 1];
        }
        members.resize((next[domains - 1] + counts[domains - 1]) as usize, 0);
        for &body in own {
            let node = &mut nodes[body];
            if node.is_pushed {
                let place = &mut next[usize::from(node.domain)];
                node.member = *place;
                members[*place as usize] = body.0;
                *place += 1;
            }
        }
    }

    /// Sorts groups by their pace, so that no unit holds two: what moves would keep what rests from being held.
    fn sort(&mut self, bodies: &Bodies, graph: &ContactGraph, batches: &Batches, rule: &PaceRule) {
        let [settled, still] = &mut self.later;
        for list in [&mut self.order, settled, still] {
            list.clear();
            list.reserve(bodies.capacity());
        }
        for batch in batches.list() {
            let has_ties =
                graph.tie_count() > 0 && batches.edges(batch).iter().any(|&edge| graph.edge(edge).is_tie());
            // Joints are as stiff as the sub-steps are short.
            let (pace, slack) =
                if has_ties { (Pace::Fine, 1.0) } else { rule.of(bodies, batches.bodies(batch)) };
            let list = match pace {
                Pace::Coarse => &mut self.order,
                Pace::Fine => &mut *settled,
                Pace::Still => &mut *still,
            };
            list.push(Paced { pace, slack, batch: *batch });
        }
        self.order.append(settled);
        self.order.append(still);
    }

    fn note_offsets(&mut self) {
        for (class, offsets) in self.offsets.blocks.iter_mut().enumerate() {
            offsets.clear();
            offsets.extend(self.units.iter().map(|u| u.blocks[class].start));
            offsets.push(self.slots[class].len() as u32);
        }
        self.offsets.members.clear();
        self.offsets.members.extend(self.units.iter().map(|u| u.members.start));
        self.offsets.members.push(self.first_free);
        self.offsets.rolling.clear();
        let end = self.rolling.len() as u32;
        let first =
            |unit: &Unit| self.spans.get(unit.spans.start as usize).map_or(end, |span| span.rolling.start);
        self.offsets.rolling.extend(self.units.iter().map(first));
        self.offsets.rolling.push(self.rolling.len() as u32);
    }

    /// Lists the blocks with rolling friction, in the order of the spans.
    fn list_rolling(&mut self, graph: &ContactGraph) {
        let has_rolling = |slot: &Slot| {
            slot.edge().is_some_and(|(edge, _)| graph.edge(edge).manifold.material.rolling_friction > 0.0)
        };
        for span in &mut self.spans {
            let first = self.rolling.len() as u32;
            for block in span.blocks.clone() {
                if self.slots[span.class][block as usize].iter().any(has_rolling) {
                    let is_coarse = block < self.coarse_blocks[span.class];
                    self.rolling.push(RollingPlace { class: span.class as u32, block, is_coarse });
                }
            }
            span.rolling = first..self.rolling.len() as u32;
        }
        for unit in &self.units {
            self.cuts
                .cut_rolling(&unit.cuts, &self.spans[unit.spans.start as usize..unit.spans.end as usize]);
        }
    }

    /// Gives an edge its colour; true when it can give energy to its bodies, or is a joint.
    #[inline]
    fn colour(&mut self, bodies: &Bodies, graph: &ContactGraph, edge: EdgeIndex, domains: usize) -> bool {
        if graph.edge(edge).is_tie() {
            return self.ties.add(bodies, graph, edge);
        }
        let manifold = &graph.edge(edge).manifold;
        let ends = [manifold.body_a, manifold.body_b];
        let [a, b] = ends.map(|body| &self.nodes[body]);
        let (pushed, of_a, of_b) = ([a.is_pushed, b.is_pushed], usize::from(a.domain), usize::from(b.domain));
        if pushed == [false, false] {
            return false;
        }
        let is_flipped = !pushed[1];
        let has_scripted = !self.scripted.is_empty();
        let is_moved =
            |body: BodyIndex| has_scripted && bodies.hot(body).is_scripted() && bodies.is_awake(body);
        let are_pushed = pushed[0] & pushed[1];
        let is_ground = !are_pushed & !is_moved(ends[usize::from(is_flipped)]);
        let own = if pushed[1] { of_b } else { of_a };
        // Sets of colours, in the order of a pass: within each domain, between them, of each with what cannot move.
        let is_between = are_pushed & (of_a != of_b);
        let kind = usize::from(is_between) * BETWEEN + usize::from(is_ground) * WITH_GROUND;
        let set = [own, domains, domains + 1 + own][kind];
        let colour = self.nodes.take_colour(ends, pushed, kind);
        let points = manifold.points();
        if points.is_empty() {
            return false;
        }
        let class = [2, 2, 1, 0, 0][points.len()];
        // Those of a colour share no body, so their order is of no account; side by side, what is idle costs less.
        let is_idle = |point: &ContactPoint| {
            let resting = &point.resting;
            (point.distance > 0.0) & (resting.x == 0.0) & (resting.y == 0.0) & (resting.z == 0.0)
        };
        let is_idle = points.iter().fold(true, |all, point| all & is_idle(point));
        let key = Item::key(set, colour, class, is_idle);
        self.nodes.note(ends, pushed, self.items.len() as u32);
        self.items.push(Item { key, slot: Slot::new(edge, is_flipped), ends, pushed });
        self.has_rolling |= manifold.material.rolling_friction > 0.0;
        self.bounces |= manifold.material.restitution > 0.0;
        let is_belt = manifold.has_surface_velocity();
        self.has_belts |= is_belt;
        is_belt || !(is_ground || are_pushed)
    }

    /// Sorts the coloured edges of a unit into blocks.
    fn pack(&mut self, first_member: u32, domains: usize, is_large: bool) -> Unit {
        const KEYS_OF_SET: usize = (COLOURS + 1) * CLASSES;
        let Self { items, sorted, starts, spans, slots, members, cuts, .. } = self;
        let key_count = (2 * domains + 1) * KEYS_OF_SET;
        starts.clear();
        starts.resize(SORTS * key_count + 1, 0);
        for item in items.iter() {
            starts[item.key as usize + 1] += 1;
        }
        for k in 1..starts.len() {
            starts[k] += starts[k - 1];
        }
        sorted.clear();
        sorted.resize(items.len(), Slot::EMPTY);
        for item in items.iter() {
            let place = &mut starts[item.key as usize];
            sorted[*place as usize] = item.slot;
            *place += 1;
        }
        // Each start moved to the next one.
        let first_span = spans.len() as u32;
        let first_block = [0, 1, 2].map(|c: usize| slots[c].len() as u32);
        let (mut begin, mut last_colour) = (0, usize::MAX);
        let first_cut = cuts.len();
        let in_unit = |slots: &[Vec<[Slot; 8]>; CLASSES]| {
            [0, 1, 2].map(|c: usize| slots[c].len() as u32 - first_block[c])
        };
        for (key, &[_, end]) in starts[..SORTS * key_count].as_chunks::<SORTS>().0.iter().enumerate() {
            if is_large && key.is_multiple_of(KEYS_OF_SET) {
                cuts.push(spans.len() as u32 - first_span, in_unit(slots));
            }
            let run = &sorted[begin as usize..end as usize];
            begin = end;
            if run.is_empty() {
                continue;
            }
            let (class, colour) = (key % CLASSES, key / CLASSES);
            let is_ground = key / KEYS_OF_SET > domains;
            let is_overflow = colour % (COLOURS + 1) == COLOURS;
            let first = slots[class].len() as u32;
            let lanes = if is_overflow { 1 } else { 8 };
            for chunk in run.chunks(lanes) {
                let mut block = [Slot::EMPTY; 8];
                block[..chunk.len()].copy_from_slice(chunk);
                slots[class].push(block);
            }
            let last = slots[class].len() as u32;
            if is_overflow {
                spans.extend((first..last).map(|b| Span {
                    class,
                    is_ground,
                    begins_colour: true,
                    blocks: b..b + 1,
                    rolling: 0..0,
                }));
            } else {
                let begins_colour = colour != last_colour;
                spans.push(Span { class, is_ground, begins_colour, blocks: first..last, rolling: 0..0 });
            }
            last_colour = colour;
        }
        if is_large {
            cuts.push(spans.len() as u32 - first_span, in_unit(slots));
        }
        Unit {
            spans: first_span..spans.len() as u32,
            cuts: first_cut..cuts.len(),
            members: first_member..members.len() as u32,
            chains: 0..0,
            ties: 0..0,
            groups: 0..0,
            blocks: [0, 1, 2].map(|c: usize| first_block[c]..slots[c].len() as u32),
            contacts: items.len() as u32,
            is_large,
            bounces: false,
            pace: Pace::Fine,
            slack: 1.0,
        }
    }
}
