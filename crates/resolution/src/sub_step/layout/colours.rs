//! Colours: no two contacts of one share a body that can move.

use super::chains::Joint;
use super::items::Item;
use super::{CLASSES, COLOURS, SORTS, Slot};
use std::ops::Range;

/// Keys of contacts of one colour, and of one kind: within a cell, or with what cannot move.
const KEYS_OF_COLOUR: usize = CLASSES * SORTS;
const KEYS_OF_KIND: usize = (COLOURS + 1) * KEYS_OF_COLOUR;

/// Contacts that one thread gives their colours: those of a small unit, or one set of a large island.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    pub(super) unit: u32,
    /// Which set of a large island it is; none of what is not large.
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

    /// Counts one more run, of so many contacts.
    fn note(&mut self, run: Run, contacts: u32) {
        let lanes = if run.is_overflow() { 1 } else { 8 };
        let blocks = contacts.div_ceil(lanes);
        self.runs += 1;
        self.blocks[run.class()] += blocks;
        self.spans += if run.is_overflow() { blocks } else { 1 };
    }

    /// Marks that it needs: those of its members, and one that stands for what is no member.
    pub(super) fn mark_count(&self) -> u32 {
        self.members.len() as u32 + 1
    }
}

/// What a cell knows of a member.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    /// Colours that contacts of each kind may take.
    free: [u64; 2],
    /// Its contacts in the cell.
    pub(super) joint: Joint,
}

impl Mark {
    /// No contact as yet.
    pub(super) const NONE: Self = Self { free: [u64::MAX; 2], joint: Joint::NONE };
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
    // A set of a large island has contacts of one kind; of two kinds each has colours of its own.
    if cell.set.is_some() {
        sort_kinds::<1>(cell, pieces, out);
    } else {
        sort_kinds::<2>(cell, pieces, out);
    }
}

/// [`sort`] for contacts of so many kinds.
fn sort_kinds<'i, const KINDS: usize>(
    cell: &mut Cell,
    pieces: impl Iterator<Item = &'i [Item]> + Clone,
    out: Sorted<'_>,
) {
    let Sorted { marks, keys, slots, runs } = out;
    marks.fill(Mark::NONE);
    (cell.items, cell.runs, cell.spans, cell.blocks) = (0, 0, 0, [0; CLASSES]);
    // As where there are joints only: the counts of all keys take longer than what is left.
    if pieces.clone().all(<[Item]>::is_empty) {
        return;
    }
    let first = cell.members.start;
    let mut starts = [[0_u32; KEYS_OF_KIND]; KINDS];
    let starts = starts.as_flattened_mut();
    let mut used = [0; KINDS];
    // What is not large may hold several islands, and none may depend on the others.
    let mut rooms = (KINDS == 1).then_some([Room::NONE; CLASSES]);
    let mut count = 0;
    for piece in pieces.clone() {
        for (item, key) in piece.iter().zip(&mut keys[count..]) {
            let kind = usize::from(KINDS > 1 && item.is_ground());
            let room = rooms.as_mut().map(|rooms| &mut rooms[usize::from(item.sort) / SORTS]);
            let bit = take_colour(marks, item, first, kind, room);
            used[kind] |= bit;
            let colour = bit.trailing_zeros() as usize;
            let own = kind * KEYS_OF_KIND + colour * KEYS_OF_COLOUR + usize::from(item.sort);
            *key = own as u16;
            starts[own] += 1;
        }
        count += piece.len();
    }
    cell.items = count as u32;
    let mut before = 0;
    for (kind, used) in used.iter().enumerate() {
        let colours = COLOURS - used.leading_zeros() as usize;
        for colour in (0..colours).chain([COLOURS]) {
            let first_key = kind * KEYS_OF_KIND + colour * KEYS_OF_COLOUR;
            for first in (first_key..first_key + KEYS_OF_COLOUR).step_by(SORTS) {
                // The sorts of a class make one run.
                let begin = before;
                for start in &mut starts[first..first + SORTS] {
                    before += std::mem::replace(start, before);
                }
                if before > begin {
                    let run = Run { key: (first / SORTS) as u32, end: before };
                    runs[cell.runs as usize] = run;
                    cell.note(run, before - begin);
                }
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

/// Which colours have a block of one class with an empty lane.
#[derive(Clone, Copy)]
struct Room {
    colours: u64,
    /// Lanes of the last block of each colour that have a contact; last of what got none.
    counts: [u8; COLOURS + 1],
}

impl Room {
    /// No contact as yet.
    const NONE: Self = Self { colours: 0, counts: [0; COLOURS + 1] };

    /// Puts one more contact into a colour: of those that are free the first one with an empty lane, else the first one. Its bit, or 0 where
    /// none is free.
    #[inline(always)]
    fn take(&mut self, free: u64) -> u64 {
        let with_room = free & self.colours;
        let from = if with_room != 0 { with_room } else { free };
        let bit = from & from.wrapping_neg();
        let count = &mut self.counts[bit.trailing_zeros() as usize];
        *count = (*count + 1) % 8;
        self.colours = if *count == 0 { self.colours & !bit } else { self.colours | bit };
        bit
    }
}

/// Gives a contact of the members that are pushed the first colour that is free at them, or one with room, and returns its bit, 0 where none
/// is free. Without branches: nobody can foresee which of two contacts is one with the ground.
#[inline]
fn take_colour(marks: &mut [Mark], item: &Item, first: u32, kind: usize, room: Option<&mut Room>) -> u64 {
    // What is no member has the last mark, where all colours are free.
    let last = marks.len() - 1;
    let places = item.ends.map(|end| (end.wrapping_sub(first) as usize).min(last));
    let free = marks[places[0]].free[kind] & marks[places[1]].free[kind];
    let bit = if let Some(room) = room { room.take(free) } else { free & free.wrapping_neg() };
    for side in 0..2 {
        let mark = &mut marks[places[side]];
        mark.free[kind] ^= bit;
        mark.joint.note(item.ends[1 - side], item.is_face());
    }
    marks[last].free[kind] = u64::MAX;
    bit
}
