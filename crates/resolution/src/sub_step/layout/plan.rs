//! Which islands make a unit, and how the work of laying them out is cut.

use super::super::pace::{Pace, PaceRule};
use super::{Unit, range};
use crate::sweep::is_pushed;
use drystone_contact::{Batch, Batches, Bodies, ContactGraph};
use drystone_exec::{Exec, chunks, chunks_mut};
use drystone_math::Real;
use std::ops::Range;

/// Manifolds from which an island is worked on by all threads, domain by domain.
const LARGE_ISLAND: usize = 1500;
/// Manifolds up to which small islands are put together into one unit: its blocks fit into half of a common
/// second-level cache.
const UNIT_SIZE: usize = 1024;
/// Islands that are looked at together.
const ISLANDS_PER_PART: usize = 16;
/// Edges of a large island per part.
pub(super) const EDGES_PER_PART: usize = 256;

/// An island with its pace.
#[derive(Clone, Copy, Debug)]
pub(super) struct Paced {
    pub(super) pace: Pace,
    pub(super) slack: Real,
    pub(super) batch: Batch,
    /// Bodies of it that contacts change.
    pub(super) members: u32,
    pub(super) has_ties: bool,
    pub(super) is_large: bool,
}

/// Edges that are looked at together: a whole small unit, or some edges of a large island.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) unit: u32,
    /// Of a large island: which of its edges.
    pub(super) edges: Range<u32>,
}

/// Where the data of each part begins, and the end.
#[derive(Clone, Debug, Default)]
pub(super) struct PartOffsets {
    pub(super) edges: Vec<u32>,
    /// What a unit has is that of its first part.
    pub(super) units: Vec<u32>,
    pub(super) islands: Vec<u32>,
    pub(super) members: Vec<u32>,
    pub(super) cells: Vec<u32>,
    pub(super) marks: Vec<u32>,
    /// Where the sets begin in a part of a large island.
    pub(super) starts: Vec<u32>,
}

/// How a step is cut into units, and these into parts.
#[derive(Clone, Debug, Default)]
pub(super) struct Plan {
    /// Islands as they came, then by their pace, so that no unit holds two: what moves would keep what rests from being held.
    paced: Vec<Option<Paced>>,
    pub(super) islands: Vec<Paced>,
    /// First member of each island, and the end.
    pub(super) members: Vec<u32>,
    pub(super) parts: Vec<Part>,
    pub(super) offsets: PartOffsets,
}

impl Plan {
    /// Plans the units of a step, and lists what is known of them by now.
    pub(super) fn make(
        &mut self,
        units: &mut Vec<Unit>,
        bodies: &Bodies,
        graph: &ContactGraph,
        batches: &Batches,
        rule: &PaceRule,
        exec: &Exec,
    ) {
        self.begin(bodies.capacity(), graph.edges().len());
        self.paced.resize(batches.list().len(), None);
        let parts = (chunks(batches.list(), ISLANDS_PER_PART), chunks_mut(&mut self.paced, ISLANDS_PER_PART));
        exec.for_each_dynamic(parts, |_, (list, paced)| {
            for (batch, paced) in list.iter().zip(paced) {
                *paced = Some(look_at(bodies, graph, batches, rule, batch));
            }
        });
        for pace in [Pace::Two, Pace::Coarse, Pace::Fine, Pace::Still] {
            self.islands.extend(self.paced.iter().flatten().filter(|island| island.pace == pace));
        }
        let mut end = 0;
        self.members.extend(self.islands.iter().map(|island| {
            let begin = end;
            end += island.members;
            begin
        }));
        self.members.push(end);
        self.unite(units, batches);
    }

    /// Makes room: the most islands come later than any warm-up.
    fn begin(&mut self, bodies: usize, edges: usize) {
        let Self { paced, islands, members, parts, offsets } = self;
        paced.clear();
        paced.reserve(bodies);
        islands.clear();
        islands.reserve(bodies);
        members.clear();
        members.reserve(bodies + 1);
        parts.clear();
        let most_parts = bodies + edges / EDGES_PER_PART + 1;
        parts.reserve(most_parts);
        let PartOffsets { edges, units, islands, members, cells, marks, starts } = offsets;
        for list in [edges, units, islands, members, cells, marks, starts] {
            list.clear();
            list.reserve(most_parts + 1);
        }
    }

    /// Puts islands together into units, and cuts these into parts.
    fn unite(&mut self, units: &mut Vec<Unit>, batches: &Batches) {
        let (mut next, mut edge) = (0, 0);
        while let Some(&Paced { pace, is_large, .. }) = self.islands.get(next) {
            let (first, first_edge) = (next, edge);
            let mut slack = Real::INFINITY;
            let mut count = 0;
            while let Some(island) = self.islands.get(next).filter(|island| island.pace == pace) {
                let own = batches.edges(&island.batch).len();
                if next > first && (is_large || count + own > UNIT_SIZE) {
                    break;
                }
                count += own;
                slack = slack.min(island.slack);
                next += 1;
            }
            edge += count;
            let unit = units.len() as u32;
            let first_part = self.parts.len() as u32;
            if is_large {
                let parts = (0..count)
                    .step_by(EDGES_PER_PART)
                    .map(|at| Part { unit, edges: at as u32..count.min(at + EDGES_PER_PART) as u32 });
                self.parts.extend(parts);
            } else {
                self.parts.push(Part { unit, edges: 0..count as u32 });
            }
            units.push(Unit {
                islands: first as u32..next as u32,
                edges: first_edge as u32..edge as u32,
                members: self.members[first]..self.members[next],
                parts: first_part..self.parts.len() as u32,
                domains: 1,
                is_large,
                pace,
                slack,
                ..Unit::default()
            });
        }
    }

    /// Notes where the data of the parts begins, once cells are known; `marks`: the first mark of each cell.
    pub(super) fn cut_parts(&mut self, all: &[Unit], marks: &[u32]) {
        let PartOffsets { edges, units, islands, members, cells, marks: of_marks, starts } =
            &mut self.offsets;
        let mut start = 0;
        for (number, unit) in (0..).zip(all) {
            for (k, part) in self.parts[range(&unit.parts)].iter().enumerate() {
                // All but the first part have none.
                let of_first = |range: &Range<u32>| if k == 0 { range.start } else { range.end };
                edges.push(unit.edges.start + part.edges.start);
                units.push(number + u32::from(k > 0));
                islands.push(of_first(&unit.islands));
                members.push(of_first(&unit.members));
                cells.push(of_first(&unit.cells));
                of_marks.push(marks[of_first(&unit.cells) as usize]);
                starts.push(start);
                start += if unit.is_large { unit.cells.len() as u32 + 1 } else { 0 };
            }
        }
        let end = all.last();
        edges.push(end.map_or(0, |unit| unit.edges.end));
        units.push(all.len() as u32);
        islands.push(self.islands.len() as u32);
        members.push(end.map_or(0, |unit| unit.members.end));
        cells.push(end.map_or(0, |unit| unit.cells.end));
        of_marks.push(marks.last().copied().unwrap_or(0));
        starts.push(start);
    }
}

/// What is to be known of an island.
fn look_at(
    bodies: &Bodies,
    graph: &ContactGraph,
    batches: &Batches,
    rule: &PaceRule,
    batch: &Batch,
) -> Paced {
    let (own, edges) = (batches.bodies(batch), batches.edges(batch));
    let has_ties = graph.tie_count() > 0 && edges.iter().any(|&edge| graph.edge(edge).is_tie());
    let (pace, slack) = match has_ties {
        true => (rule.of_jointed(bodies, graph, own, edges), 1.0),
        false => rule.of(bodies, own),
    };
    let members = own.iter().map(|&body| u32::from(is_pushed(bodies, body))).sum();
    Paced { pace, slack, batch: *batch, members, has_ties, is_large: edges.len() >= LARGE_ISLAND }
}

/// Sets of contacts that a large island of so many domains falls into: those of each domain, those between them, those of each with what
/// cannot move.
pub(super) fn sets_of(domains: u32) -> u32 {
    2 * domains + 1
}
