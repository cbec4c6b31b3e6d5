//! Which manifold goes to which lane: units of work, colours, blocks.
//!
//! A *unit* is one large island or several small ones. Inside a unit, manifolds are coloured so that no two of
//! a colour share a body that can move (first fit over the manifolds in ascending order of their edges);
//! manifolds of a colour with equally many points (1, 2, up to 4) go side by side into blocks of eight lanes.
//! Contacts with what cannot move come last in every pass. All of this depends on the contacts alone, never
//! on the number of threads.
//!
//! Threads share the work: islands are looked at (`plan`), then edges (`items`) in parts, a small unit or some edges of a large island
//! each; *cells*, a small unit or one set of the contacts of a large island each, get their colours (`colours`) and, once their sizes are
//! known, their blocks (`pack`).

mod articulated;
mod cells;
mod chains;
mod colours;
mod items;
mod members;
mod nodes;
mod pack;
mod plan;
#[cfg(test)]
mod tests;

use super::domains::{CutLists, Domains};
use super::pace::{Pace, PaceRule};
use crate::ties::{RHYTHMS, TieLayout, has_foreign_energy};
use cells::Sorting;
pub(super) use chains::{ChainLink, Chains};
use chains::{Joints, Members};
use drystone_contact::{Batches, Bodies, BodyIndex, ContactGraph, EdgeIndex};
use drystone_exec::Exec;
use drystone_math::{Real, prefetch};
use nodes::Nodes;
use plan::Plan;
use std::ops::Range;

/// Colours of a body; further contacts of it are visited one by one.
const COLOURS: usize = 64;
/// Sorts of contacts within a class, side by side: those that overlap or carried something, and those that are idle as yet.
const SORTS: usize = 2;
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

/// Manifolds between asking for one and reading it: where a block is filled or written back, and where edges are listed, which is sooner done.
const FETCHED_AHEAD: usize = 4;
const LISTED_AHEAD: usize = 8;

/// As a range of an array.
fn range(range: &Range<u32>) -> Range<usize> {
    range.start as usize..range.end as usize
}

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

impl Span {
    const NONE: Self = Self { class: 0, is_ground: false, begins_colour: false, blocks: 0..0, rolling: 0..0 };
}

/// The bodies of an island.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Island {
    pub(super) members: Range<u32>,
    pub(super) limit: EnergyLimit,
}

/// What keeps the energy of an island after the sweeps of a sub-step ([`super::energy`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EnergyLimit {
    /// Contacts give nothing.
    Contacts,
    /// Joints give and take a little, and what their drives work.
    Joints,
    /// Something gives energy that is its to give: a kinematic body that moves, a surface that runs over its body, a coupling.
    None,
}

/// A block that has rolling friction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RollingPlace {
    /// Index into [`CLASS_POINTS`].
    pub(super) class: u32,
    pub(super) block: u32,
    pub(super) is_coarse: bool,
}

/// Islands that are solved together by one thread, or a large one that all threads share.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Unit {
    pub(super) members: Range<u32>,
    /// Its islands: entries of [`Layout::islands`].
    pub(super) islands: Range<u32>,
    pub(super) is_large: bool,
    pub(super) pace: Pace,
    /// The least of its islands' slack (see `RestRule::slack`).
    pub(super) slack: Real,
    /// Its edges, counted through all units, the parts that they are looked at in, and its cells.
    edges: Range<u32>,
    parts: Range<u32>,
    cells: Range<u32>,
    /// Domains of a large island, 1 of what is not large.
    domains: u32,
    /// Contacts, in blocks of each class and in spans.
    pub(super) contacts: u32,
    pub(super) blocks: [Range<u32>; CLASSES],
    pub(super) spans: Range<u32>,
    /// Some of its contacts have restitution.
    pub(super) bounces: bool,
    /// Where its domains begin: entries of [`Layout::cuts`], none for what is not large.
    pub(super) cuts: Range<u32>,
    /// Chains of the unit.
    pub(super) chains: Range<u32>,
    /// Its joints: spans of [`Layout::ties`].
    pub(super) ties: Range<u32>,
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
    pub(super) islands: Vec<Island>,
    /// Blocks with rolling friction, unit after unit.
    pub(super) rolling: Vec<RollingPlace>,
    /// Whether some surface runs over its body.
    pub(super) has_belts: bool,
    /// First member of no unit.
    pub(super) first_free: u32,
    /// Where the members of units of each rhythm but the last one end, and blocks of each class of units with coarse sub-steps, which come first: those with fewer have none.
    pub(super) rhythm_members: [u32; RHYTHMS - 1],
    pub(super) coarse_blocks: [u32; CLASSES],
    /// Bodies that move as their user says.
    pub(super) kinematic: Vec<u32>,
    pub(super) offsets: Offsets,
    pub(super) cuts: CutLists,
    pub(super) chains: Chains,
    pub(super) ties: TieLayout,
    domains: Domains,
    nodes: Nodes,
    plan: Plan,
    sorting: Sorting,
}

impl Layout {
    /// Lists the kinematic bodies that move in a step; a world without any pays nothing.
    pub(super) fn collect_kinematic(&mut self, bodies: &Bodies) {
        self.kinematic.clear();
        if bodies.kinematic_count() > 0 {
            let is_kinematic = |&body: &u32| bodies.hot(BodyIndex(body)).is_kinematic();
            self.kinematic.extend(bodies.view().awake.iter().filter(is_kinematic));
        }
    }

    /// Lays out the batches of a step; after [`Layout::collect_kinematic`].
    pub(super) fn build(
        &mut self,
        bodies: &Bodies,
        graph: &ContactGraph,
        batches: &Batches,
        rule: &PaceRule,
        exec: &Exec,
    ) {
        self.begin(bodies, graph);
        self.plan.make(&mut self.units, bodies, graph, batches, rule, exec);
        self.list_cells(bodies, batches);
        self.list_contacts(bodies, graph, batches, exec);
        self.colour_sets(exec);
        self.count_blocks();
        self.pack(exec);
        self.find_chains(graph);
        self.lay_ties(bodies, graph, batches);
        self.list_rolling(graph);
        self.list_free(bodies);
    }

    /// Whether nothing was laid out: no unit, no body of none, none that moves as its user says. Not so before the first step.
    pub(super) fn is_empty(&self) -> bool {
        let is_built = !self.offsets.members.is_empty();
        is_built && self.units.is_empty() && self.members.is_empty() && self.kinematic.is_empty()
    }

    /// Whether a body is a member of a unit.
    #[inline]
    pub(super) fn is_member(&self, body: BodyIndex) -> bool {
        self.nodes[body].is_member()
    }

    /// Place of a member of a unit among the members.
    pub(super) fn member_of(&self, body: BodyIndex) -> u32 {
        self.nodes[body].member
    }

    /// Forgets the last step, and makes room: the most contacts and islands come later than any warm-up.
    fn begin(&mut self, bodies: &Bodies, graph: &ContactGraph) {
        let (body_count, edge_count) = (bodies.capacity(), graph.edges().len());
        self.units.clear();
        self.units.reserve(body_count);
        self.nodes.begin(body_count, &self.members, &self.kinematic);
        self.members.clear();
        self.members.reserve(body_count);
        self.islands.clear();
        self.islands.reserve(body_count);
        self.rolling.clear();
        let room = usual_blocks(graph);
        for slots in &mut self.slots {
            slots.reserve(room.saturating_sub(slots.len()));
        }
        self.domains.begin(body_count);
        self.cuts.begin(edge_count);
        self.chains.begin(body_count, edge_count);
        self.ties.begin(body_count, graph.tie_count());
        self.sorting.begin(body_count, edge_count);
    }

    /// Finds the chains of the units that have some.
    fn find_chains(&mut self, graph: &ContactGraph) {
        let Self { units, slots, chains, nodes, members, sorting, .. } = self;
        for (unit, &is_chained) in units.iter_mut().zip(&sorting.are_chained) {
            unit.chains = chains.count()..chains.count();
            if is_chained {
                let joints =
                    Joints { list: &sorting.joints[range(&unit.members)], first: unit.members.start };
                let members = Members { joints, bodies: &members[range(&unit.members)], nodes };
                let slots = (&slots[0][range(&unit.blocks[0])], unit.blocks[0].start);
                unit.chains = chains.find(graph, members, slots);
            }
        }
    }

    /// Lays out the joints of all units.
    fn lay_ties(&mut self, bodies: &Bodies, graph: &ContactGraph, batches: &Batches) {
        let Self { units, islands, plan, ties, .. } = self;
        for unit in units.iter_mut() {
            let own = range(&unit.islands);
            for (island, paced) in islands[own.clone()].iter_mut().zip(&plan.islands[own]) {
                if !paced.has_ties {
                    continue;
                }
                batches.bodies(&paced.batch).iter().for_each(|&body| ties.forget(body));
                for &edge in batches.edges(&paced.batch) {
                    let Some(tie) = graph.tie(edge).filter(|_| ties.add(bodies, graph, edge)) else {
                        continue;
                    };
                    if has_foreign_energy(tie, bodies) {
                        island.limit = EnergyLimit::None;
                    } else if island.limit == EnergyLimit::Contacts {
                        island.limit = EnergyLimit::Joints;
                    }
                }
            }
            unit.ties = ties.pack();
        }
        ties.end();
        ties.rhythm_ends = std::array::from_fn(|rhythm| {
            ties.offsets[self.units.partition_point(|unit| unit.pace.rhythm() <= rhythm)]
        });
    }

    /// Lists the blocks with rolling friction, in the order of the spans.
    fn list_rolling(&mut self, graph: &ContactGraph) {
        self.offsets.rolling.clear();
        if !self.sorting.found.iter().any(|found| found.rolls) {
            self.offsets.rolling.resize(self.units.len() + 1, 0);
            return;
        }
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
            self.cuts.cut_rolling(&unit.cuts, &self.spans[range(&unit.spans)]);
        }
        let end = self.rolling.len() as u32;
        let first =
            |unit: &Unit| self.spans.get(unit.spans.start as usize).map_or(end, |span| span.rolling.start);
        self.offsets.rolling.extend(self.units.iter().map(first));
        self.offsets.rolling.push(end);
    }

    /// Lists the bodies of no unit.
    fn list_free(&mut self, bodies: &Bodies) {
        for body in bodies.view().awake.iter() {
            if !self.is_member(BodyIndex(body)) && bodies.hot(BodyIndex(body)).inverse_mass > 0.0 {
                self.members.push(body);
            }
        }
    }
}
