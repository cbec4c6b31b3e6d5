//! Sorted contacts are put into blocks.

use super::colours::{Cell, Run};
use super::{CLASSES, Slot, Span};

/// Room for what a cell is packed into, with the number of its first block in each class.
pub(super) struct Packed<'a> {
    pub(super) slots: [&'a mut [[Slot; 8]]; CLASSES],
    pub(super) spans: &'a mut [Span],
    pub(super) first: [u32; CLASSES],
}

/// Puts the contacts of a cell into blocks, and tells their spans.
pub(super) fn pack(cell: &Cell, sorted: &[Slot], runs: &[Run], out: Packed<'_>) {
    let Packed { slots, spans, first } = out;
    let (mut begin, mut last_colour) = (0, usize::MAX);
    let (mut filled, mut span_count) = ([0; CLASSES], 0);
    for run in &runs[..cell.runs as usize] {
        let own = &sorted[begin..run.end as usize];
        begin = run.end as usize;
        let (class, colour) = (run.class(), run.colour());
        let before = filled[class];
        let lanes = if run.is_overflow() { 1 } else { 8 };
        for chunk in own.chunks(lanes) {
            slots[class][filled[class]] = block_of(chunk);
            filled[class] += 1;
        }
        let mut span = |begins_colour: bool, blocks: std::ops::Range<usize>| {
            let blocks = first[class] + blocks.start as u32..first[class] + blocks.end as u32;
            let is_ground = cell.is_ground || run.is_ground();
            spans[span_count] = Span { class, is_ground, begins_colour, blocks, rolling: 0..0 };
            span_count += 1;
        };
        if run.is_overflow() {
            (before..filled[class]).for_each(|block| span(true, block..block + 1));
        } else {
            span(colour != last_colour, before..filled[class]);
        }
        last_colour = colour;
    }
}

/// A block of eight contacts or fewer.
#[inline]
fn block_of(contacts: &[Slot]) -> [Slot; 8] {
    contacts.try_into().unwrap_or_else(|_| {
        let mut block = [Slot::EMPTY; 8];
        block.iter_mut().zip(contacts).for_each(|(slot, &contact)| *slot = contact);
        block
    })
}
