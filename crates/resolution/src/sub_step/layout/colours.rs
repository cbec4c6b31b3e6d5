//! Colours: no two contacts of one share a body that can move.

use super::chains::Joint;
use super::items::Item;
use super::nodes::NO_MEMBER;
use super::{CLASSES, COLOURS, SORTS, Slot, WITH_GROUND};
use std::ops::Range;

/// Keys of contacts of one kind, and of a cell: within it and with what cannot move.
const KEYS_OF_KIND: usize = (COLOURS + 1) * CLASSES * SORTS;
const KEYS: usize = 2 * KEYS_OF_KIND;

/// Contacts that one thread gives their colours: those of a small unit, or one set of a large group.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    pub(super) unit: u32,
    /// Which set of a large group it is; none of what is not large.
    pub(super) set: Option<u32>,
    /// All contacts are with what cannot move.
    pub(super) is_ground: bool,
    /// Members that are in its contacts.
    pub(super) members: Range<u32>,
    /// Number of its contacts, runs of equal keys among them, spans, and blocks of each class.
    pub(super) items: u32,
    pub(super) runs: u32,
    pub(super) spans: u32,
    pub(super) blocks: [u32; CLASSES],
}

impl Cell {
    pub(super) fn new(unit: u32, set: Option<u32>, is_ground: bool, members: Range<u32>) -> Self {
        Self { unit, set, is_ground, members, items: 0, runs: 0, spans: 0, blocks: [0; CLASSES] }
    }

    /// Marks that it needs: small units have contacts of two kinds.
    pub(super) fn mark_count(&self) -> u32 {
        if self.set.is_some() { self.members.len() as u32 } else { 2 * self.members.len() as u32 }
    }
}

/// What a cell knows of a member.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mark {
    /// Colours taken.
    taken: u64,
    /// Its contacts in the cell.
    pub(super) joint: Joint,
}

/// Contacts of a cell with one colour and one class.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Run {
    key: u32,
    /// Where it ends among the contacts of its cell.
    pub(super) end: u32,
}

impl Run {
    /// Index into `CLASS_POINTS`.
    pub(super) fn class(self) -> usize {
        self.key as usize % CLASSES
    }

    /// The colour, different for both kinds.
    pub(super) fn colour(self) -> usize {
        self.key as usize / CLASSES
    }

    /// Contacts with what cannot move, in a cell that has both kinds.
    pub(super) fn is_ground(self) -> bool {
        self.colour() > COLOURS
    }

    /// Contacts of bodies with too many others: each is visited alone.
    pub(super) fn is_overflow(self) -> bool {
        self.colour() % (COLOURS + 1) == COLOURS
    }
}

/// What becomes of the contacts of a cell.
pub(super) struct Sorted<'a> {
    pub(super) marks: &'a mut [Mark],
    pub(super) keys: &'a mut [u16],
    pub(super) slots: &'a mut [Slot],
    pub(super) runs: &'a mut [Run],
}

/// Colours the contacts of a cell, which come in pieces, in their order, and sorts them by colour and class.
pub(super) fn sort<'i>(cell: &mut Cell, pieces: impl Iterator<Item = &'i [Item]> + Clone, out: Sorted<'_>) {
    let Sorted { marks, keys, slots, runs } = out;
    marks.fill(Mark::default());
    let first = cell.members.start;
    // A set of a large group has contacts of one kind; of two kinds each has colours of its own.
    let has_both = cell.set.is_none();
    let marks_of_kind = cell.members.len();
    let mut starts = [0_u32; KEYS];
    let mut ends = [0, KEYS_OF_KIND];
    let mut count = 0;
    for piece in pieces.clone() {
        for (item, key) in piece.iter().zip(&mut keys[count..]) {
            let kind = usize::from(has_both & (item.kind == WITH_GROUND));
            let colour = take_colour(marks, item, first, kind * marks_of_kind);
            let own = (colour * CLASSES + usize::from(item.class)) * SORTS + usize::from(item.is_idle);
            let own = kind * KEYS_OF_KIND + own;
            *key = own as u16;
            starts[own] += 1;
            ends[kind] = ends[kind].max(own + 1);
        }
        count += piece.len();
    }
    cell.items = count as u32;
    (cell.runs, cell.spans, cell.blocks) = (0, 0, [0; CLASSES]);
    let mut before = 0;
    for (kind, end) in ends.into_iter().enumerate() {
        for first in (kind * KEYS_OF_KIND..end).step_by(SORTS) {
            // The sorts of a class make one run.
            let begin = before;
            for start in &mut starts[first..first + SORTS] {
                before += std::mem::replace(start, before);
            }
            if before > begin {
                let run = Run { key: (first / SORTS) as u32, end: before };
                runs[cell.runs as usize] = run;
                cell.runs += 1;
                let lanes = if run.is_overflow() { 1 } else { 8 };
                let blocks = (before - begin).div_ceil(lanes);
                cell.blocks[run.class()] += blocks;
                cell.spans += if run.is_overflow() { blocks } else { 1 };
            }
        }
    }
    let mut count = 0;
    for piece in pieces {
        for (item, &key) in piece.iter().zip(&keys[count..]) {
            let place = &mut starts[usize::from(key)];
            slots[*place as usize] = item.slot;
            *place += 1;
        }
        count += piece.len();
    }
}

/// Gives a contact of the members that are pushed the first colour that is free at them; 64 where none is. Without branches:
/// nobody can foresee which of two contacts is one with the ground.
#[inline]
fn take_colour(marks: &mut [Mark], item: &Item, first: u32, shift: usize) -> usize {
    let ends = item.ends;
    let pushed = ends.map(|end| end != NO_MEMBER);
    let masks = pushed.map(|is_pushed| u64::from(is_pushed).wrapping_neg());
    let places = [0, 1].map(|side: usize| if pushed[side] { (ends[side] - first) as usize } else { 0 });
    let taken = marks[places[0] + shift].taken & masks[0] | marks[places[1] + shift].taken & masks[1];
    // The first bit that is not set, or none.
    let bit = !taken & taken.wrapping_add(1);
    for side in 0..2 {
        marks[places[side] + shift].taken |= bit & masks[side];
        marks[places[side]].joint.note(pushed[side], ends[1 - side], item.class == 0);
    }
    bit.trailing_zeros() as usize
}
