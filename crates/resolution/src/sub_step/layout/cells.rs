//! From edges to blocks: what the threads do with the contacts of a step, stage by stage.

use super::chains::{Joint, Joints, SHORTEST_CHAIN};
use super::colours::{self, Cell, Mark, Run, Sorted};
use super::items::{self, Item, Look, Traits};
use super::members::list_bodies;
use super::pack::{self, Packed};
use super::plan::{EDGES_PER_PART, Plan, sets_of};
use super::{CLASSES, EnergyLimit, Island, Layout, Slot, Span, Unit, range};
use crate::sub_step::domains::domain_count;
use crate::sub_step::pace::Pace;
use crate::ties::RHYTHMS;
use drystone_contact::{Batches, Bodies, ContactGraph};
use drystone_exec::{Either, Exec, Shared, either, items, items_mut, segments, segments_mut};
use std::ops::Range;

/// Contacts on their way to their lanes.
#[derive(Clone, Debug, Default)]
pub(super) struct Sorting {
    /// Part after part, ascending; those of large islands set after set in each part, and where the sets begin.
    contacts: Vec<Item>,
    starts: Vec<u32>,
    /// What all parts found.
    pub(super) found: Vec<Traits>,
    pub(super) cells: Vec<Cell>,
    /// Those of large islands, and what is packed in which order: large units, then all cells behind the numbers of the units.
    pub(super) of_large: Vec<u32>,
    order: Vec<u32>,
    /// First contact, first mark, and first span of each cell, and the end.
    first_item: Vec<u32>,
    pub(super) first_mark: Vec<u32>,
    first_span: Vec<u32>,
    first_block: [Vec<u32>; CLASSES],
    marks: Vec<Mark>,
    keys: Vec<u16>,
    /// Cell after cell.
    sorted: Vec<Slot>,
    runs: Vec<Run>,
    /// By member, and which units have chains.
    pub(super) joints: Vec<Joint>,
    pub(super) are_chained: Vec<bool>,
}

impl Sorting {
    /// Makes room. Entries of the last step stay, and are written over.
    pub(super) fn begin(&mut self, bodies: usize, edges: usize) {
        let Self { contacts, starts, found, cells, of_large, first_item, first_mark, .. } = self;
        contacts.reserve(edges.saturating_sub(contacts.len()));
        let parts = bodies + edges / EDGES_PER_PART + 1;
        let sets = sets_of(domain_count(edges) as u32) as usize;
        starts.reserve((edges.div_ceil(EDGES_PER_PART) * (sets + 1)).saturating_sub(starts.len()));
        found.reserve(parts.saturating_sub(found.len()));
        let cell_count = bodies + sets + 1;
        cells.clear();
        cells.reserve(cell_count);
        for list in [of_large, first_item, first_mark, &mut self.first_span, &mut self.order]
            .into_iter()
            .chain(&mut self.first_block)
        {
            list.clear();
            list.reserve(cell_count);
        }
        self.marks.reserve((3 * bodies).saturating_sub(self.marks.len()));
        self.keys.reserve(edges.saturating_sub(self.keys.len()));
        self.sorted.reserve(edges.saturating_sub(self.sorted.len()));
        self.runs.reserve(edges.saturating_sub(self.runs.len()));
        self.joints.reserve(bodies.saturating_sub(self.joints.len()));
        self.are_chained.reserve(bodies.saturating_sub(self.are_chained.len()));
    }

    /// As many entries as the plan needs.
    fn fit(&mut self, plan: &Plan, unit_count: usize) {
        let edges = plan.offsets.edges.last().map_or(0, |&end| end as usize);
        self.contacts.resize(edges, Item::NONE);
        self.starts.resize(plan.offsets.starts.last().map_or(0, |&end| end as usize), 0);
        self.found.resize(plan.parts.len(), Traits::default());
        self.marks.resize(self.first_mark.last().map_or(0, |&end| end as usize), Mark::NONE);
        self.keys.resize(edges, 0);
        self.sorted.resize(edges, Slot::EMPTY);
        self.runs.resize(edges, Run::default());
        self.joints.resize(plan.members.last().map_or(0, |&end| end as usize), Joint::NONE);
        self.are_chained.resize(unit_count, false);
    }

    /// Finds where the contacts of each cell go.
    fn place_items(&mut self, plan: &Plan, units: &[Unit]) {
        let Self { cells, starts, first_item, .. } = self;
        for unit in units {
            let mut at = unit.edges.start;
            for cell in &cells[range(&unit.cells)] {
                first_item.push(at);
                if let Some(set) = cell.set {
                    at += pieces_of(plan, unit, set, starts).map(|piece| piece.len() as u32).sum::<u32>();
                }
            }
        }
        first_item.push(plan.offsets.edges.last().copied().unwrap_or(0));
    }
}

impl Layout {
    /// Lists the contacts of all units, and gives those of small ones their colours.
    pub(super) fn list_contacts(
        &mut self,
        bodies: &Bodies,
        graph: &ContactGraph,
        batches: &Batches,
        exec: &Exec,
    ) {
        let Self { plan, units, nodes, members, islands, sorting, .. } = self;
        sorting.fit(plan, units.len());
        islands.resize(plan.islands.len(), Island { members: 0..0, limit: EnergyLimit::Contacts });
        let any_moved = nodes.any_moved();
        let nodes = &Shared::new(nodes.list_mut());
        let look = Look { edges: graph.edges(), nodes, any_moved };
        let offsets = &plan.offsets;
        let parts = (
            segments_mut(&mut sorting.contacts, &offsets.edges),
            segments_mut(&mut sorting.keys, &offsets.edges),
            segments_mut(&mut sorting.sorted, &offsets.edges),
            segments_mut(&mut sorting.runs, &offsets.edges),
            segments_mut(&mut sorting.starts, &offsets.starts),
            segments_mut(&mut sorting.cells, &offsets.cells),
            segments_mut(&mut sorting.marks, &offsets.marks),
            segments_mut(islands, &offsets.islands),
            segments_mut(members, &offsets.members),
            segments_mut(&mut sorting.joints, &offsets.members),
            segments_mut(&mut sorting.are_chained, &offsets.units),
        );
        let (
            Ok(contacts),
            Ok(keys),
            Ok(sorted),
            Ok(runs),
            Ok(starts),
            Ok(cells),
            Ok(marks),
            Ok(islands),
            Ok(members),
            Ok(joints),
            Ok(are_chained),
        ) = parts
        else {
            debug_assert!(false, "parts follow one another");
            return;
        };
        let parts = (
            (items(&plan.parts), items_mut(&mut sorting.found)),
            (contacts, starts),
            (islands, members, joints, are_chained),
            (cells, marks, keys, sorted, runs),
        );
        exec.for_each_dynamic(parts, |_, ((part, found), (contacts, starts), of_unit, of_cell)| {
            let unit = &units[part.unit as usize];
            *found = Traits::default();
            if unit.is_large {
                let batch = &plan.islands[unit.islands.start as usize].batch;
                let edges = &batches.edges(batch)[range(&part.edges)];
                let mut own = [Item::NONE; EDGES_PER_PART];
                let count = look.list(edges, &mut own, found);
                items::by_set(&own[..count], contacts, starts);
                return;
            }
            let (islands, members, joints, are_chained) = of_unit;
            let own_islands = || (unit.islands.start as usize..).zip(&plan.islands[range(&unit.islands)]);
            for (k, island) in own_islands() {
                let at = (plan.members[k] - unit.members.start) as usize;
                list_bodies(
                    bodies,
                    batches.bodies(&island.batch),
                    plan.members[k],
                    &mut members[at..],
                    nodes,
                );
            }
            let mut count = 0;
            for (island, (k, planned)) in islands.iter_mut().zip(own_islands()) {
                let mut traits = Traits::default();
                count += look.list(batches.edges(&planned.batch), &mut contacts[count..], &mut traits);
                *island = Island { members: plan.members[k]..plan.members[k + 1], limit: traits.limit() };
                found.add(traits);
            }
            let (cells, marks, keys, slots, runs) = of_cell;
            if let ([cell], [is_chained]) = (cells, are_chained) {
                let pieces = std::iter::once(&contacts[..count]);
                colours::sort(cell, pieces, Sorted { marks, keys, slots, runs });
                *is_chained = count >= SHORTEST_CHAIN && {
                    joints.iter_mut().zip(&*marks).for_each(|(joint, mark)| *joint = mark.joint);
                    Joints { list: joints, first: unit.members.start }.are_chained()
                };
            }
        });
    }

    /// Gives the contacts of large islands their colours, set by set.
    pub(super) fn colour_sets(&mut self, exec: &Exec) {
        let Self { plan, units, sorting, .. } = self;
        sorting.place_items(plan, units);
        let Sorting { contacts, starts, cells, of_large, first_item, first_mark, .. } = sorting;
        if of_large.is_empty() {
            return;
        }
        let parts = (
            segments_mut(&mut sorting.marks, first_mark),
            segments_mut(&mut sorting.keys, first_item),
            segments_mut(&mut sorting.sorted, first_item),
            segments_mut(&mut sorting.runs, first_item),
        );
        let (Ok(marks), Ok(keys), Ok(sorted), Ok(runs)) = parts else {
            debug_assert!(false, "cells follow one another");
            return;
        };
        let parts = (items_mut(cells), marks, keys, sorted, runs);
        exec.for_each_dynamic_ordered(of_large, parts, |_, (cell, marks, keys, slots, runs)| {
            let Some(set) = cell.set else { return };
            let pieces =
                pieces_of(plan, &units[cell.unit as usize], set, starts).map(|piece| &contacts[piece]);
            colours::sort(cell, pieces, Sorted { marks, keys, slots, runs });
        });
    }

    /// Tells the units their blocks and spans, and makes room for these.
    pub(super) fn count_blocks(&mut self) {
        let Self { sorting, units, islands, cuts, offsets, .. } = self;
        let Sorting { cells, found, first_span, first_block, .. } = sorting;
        let (mut span, mut block) = (0, [0; CLASSES]);
        (self.rhythm_members, self.coarse_blocks) = ([0; RHYTHMS - 1], [0; CLASSES]);
        for unit in &mut *units {
            let (first, first_of_class, first_cut) = (span, block, cuts.len());
            let in_unit =
                |block: [u32; CLASSES]| [0, 1, 2].map(|class: usize| block[class] - first_of_class[class]);
            for cell in &cells[range(&unit.cells)] {
                if unit.is_large {
                    cuts.push(span - first, in_unit(block));
                }
                first_span.push(span);
                span += cell.spans;
                unit.contacts += cell.items;
                for class in 0..CLASSES {
                    first_block[class].push(block[class]);
                    block[class] += cell.blocks[class];
                }
            }
            let mut traits = Traits::default();
            found[range(&unit.parts)].iter().for_each(|found| traits.add(*found));
            if unit.is_large {
                cuts.push(span - first, in_unit(block));
                let members = unit.members.clone();
                islands[unit.islands.start as usize] = Island { members, limit: traits.limit() };
            }
            let rhythm = unit.pace.rhythm();
            self.rhythm_members.iter_mut().skip(rhythm).for_each(|end| *end = unit.members.end);
            if rhythm <= Pace::Coarse.rhythm() {
                self.coarse_blocks = block;
            }
            unit.spans = first..span;
            unit.blocks = [0, 1, 2].map(|class: usize| first_of_class[class]..block[class]);
            unit.bounces = traits.bounces;
            unit.cuts = first_cut..cuts.len();
        }
        first_span.push(span);
        self.spans.resize(span as usize, Span::NONE);
        for class in 0..CLASSES {
            first_block[class].push(block[class]);
            self.slots[class].resize(block[class] as usize, [Slot::EMPTY; 8]);
            let of_units = &mut offsets.blocks[class];
            of_units.clear();
            of_units.extend(units.iter().map(|unit| unit.blocks[class].start));
            of_units.push(block[class]);
        }
        self.first_free = self.members.len() as u32;
        offsets.members.clear();
        offsets.members.extend(units.iter().map(|unit| unit.members.start));
        offsets.members.push(self.first_free);
        self.has_belts = found.iter().any(|found| found.is_belt);
    }

    /// Puts the contacts of all cells into blocks, and asks large units whether they have chains.
    pub(super) fn pack(&mut self, exec: &Exec) {
        let Self { units, sorting, slots: [four, two, one], spans, offsets, .. } = self;
        if sorting.cells.iter().all(|cell| cell.items == 0 && cell.set.is_none()) {
            return;
        }
        let Sorting { cells, marks, first_item, first_mark, first_span, first_block, .. } = sorting;
        let parts = (
            segments(&sorting.sorted, first_item),
            segments(&sorting.runs, first_item),
            segments_mut(four, &first_block[0]),
            segments_mut(two, &first_block[1]),
            segments_mut(one, &first_block[2]),
            segments_mut(spans, first_span),
            segments_mut(&mut sorting.joints, &offsets.members),
        );
        let (Ok(sorted), Ok(runs), Ok(four), Ok(two), Ok(one), Ok(spans), Ok(joints)) = parts else {
            debug_assert!(false, "cells follow one another");
            return;
        };
        let (cells, unit_count) = (&*cells, units.len());
        let large = (0..).zip(&*units).filter(|(_, unit)| unit.is_large).map(|(index, _)| index);
        sorting.order.extend(large.chain(unit_count as u32..(unit_count + cells.len()) as u32));
        let of_units = (items(units), joints, items_mut(&mut sorting.are_chained));
        let of_cells = (items(cells), sorted, runs, (four, two, one), spans);
        exec.for_each_dynamic_ordered(&sorting.order, either(of_units, of_cells), |index, part| match part {
            Either::First((unit, joints, is_chained)) => {
                let own = range(&unit.cells);
                for (k, (cell, &first)) in cells[own.clone()].iter().zip(&first_mark[own]).enumerate() {
                    let joints = &mut joints[(cell.members.start - unit.members.start) as usize..];
                    let pairs = joints.iter_mut().zip(&marks[first as usize..][..cell.members.len()]);
                    // The domains come first, and every member is in one.
                    if k < unit.domains as usize {
                        pairs.for_each(|(joint, mark)| *joint = mark.joint);
                    } else {
                        pairs.for_each(|(joint, mark)| joint.add(&mark.joint));
                    }
                }
                *is_chained = Joints { list: joints, first: unit.members.start }.are_chained();
            }
            Either::Second((cell, sorted, runs, (four, two, one), spans)) => {
                let first = [0, 1, 2].map(|class: usize| first_block[class][index - unit_count]);
                pack::pack(cell, sorted, runs, Packed { slots: [four, two, one], spans, first });
            }
        });
    }
}

/// Where the contacts of a set of a large island lie, a range of [`Sorting::contacts`] for each part.
fn pieces_of<'a>(
    plan: &'a Plan,
    unit: &Unit,
    set: u32,
    starts: &'a [u32],
) -> impl Iterator<Item = Range<usize>> + Clone + use<'a> {
    unit.parts.clone().map(move |part| {
        let first = plan.offsets.edges[part as usize];
        let at = (plan.offsets.starts[part as usize] + set) as usize;
        (first + starts[at]) as usize..(first + starts[at + 1]) as usize
    })
}
