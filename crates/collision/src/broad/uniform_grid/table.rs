//! The occupied cells of space: a hash table whose slots are lists of boxes.

use drystone_math::Aabb;

use super::super::cells::{Cell, CellRange, cell_index};

/// "No entry": the end of a list.
pub(super) const NONE: u32 = u32::MAX;
/// Slots of the first table.
const FEWEST_SLOTS: usize = 1024;
/// Slots beyond which the table grows no more; its lists get longer instead.
const MOST_SLOTS: usize = 1 << 28;

/// Entries in use beyond which nothing is put in: 5 GiB of them, and far from what an index can count.
const MOST_ENTRIES: u64 = 1 << 28;

/// One box in one slot.
#[derive(Clone, Copy, Debug)]
struct Entry {
    proxy: u32,
    slot: u32,
    /// Neighbours in the list of the slot.
    next: u32,
    previous: u32,
    /// The next entry of the same box, or the next unused one.
    sibling: u32,
}

/// Cells of one size, all over space, of which only the occupied ones take memory.
///
/// Cells may share a slot. A box is at most once in a slot, however many of its cells share it.
#[derive(Debug)]
pub(super) struct Table {
    /// Edge of a cell, m.
    pub(super) cell: f64,
    /// 1 / edge of a cell, 1/m.
    pub(super) inverse_cell: f64,
    /// First entry of each slot; a power of two of slots.
    heads: Vec<u32>,
    entries: Vec<Entry>,
    /// The first entry that is not in use.
    unused: u32,
    /// Entries in use.
    len: usize,
}

drystone_math::carried!(Table { part: [heads, entries], value: [cell, inverse_cell, unused, len] });

impl Table {
    pub(super) fn new() -> Self {
        Self { cell: 1.0, inverse_cell: 1.0, heads: Vec::new(), entries: Vec::new(), unused: NONE, len: 0 }
    }

    /// Forgets all boxes, and takes cells of this size, m, from now on.
    pub(super) fn reset(&mut self, cell: f64) {
        (self.cell, self.inverse_cell) = (cell, 1.0 / cell);
        self.heads.fill(NONE);
        self.entries.clear();
        (self.unused, self.len) = (NONE, 0);
    }

    /// True when there are more entries than slots, and more slots can be had.
    pub(super) fn is_crowded(&self) -> bool {
        self.len > self.heads.len() && self.heads.len() < MOST_SLOTS
    }

    /// Forgets all boxes and makes slots for as many entries as there were.
    pub(super) fn grow(&mut self) {
        let slots = (2 * self.len).next_power_of_two().clamp(FEWEST_SLOTS, MOST_SLOTS);
        self.reset(self.cell);
        self.heads.resize(slots, NONE);
    }

    /// The cells that a box covers.
    #[inline]
    pub(super) fn range(&self, aabb: &Aabb) -> CellRange {
        let cell = |corner: &drystone_math::Position| {
            [corner.x, corner.y, corner.z].map(|x| cell_index(x, self.inverse_cell))
        };
        CellRange { low: cell(&aabb.min), high: cell(&aabb.max) }
    }

    /// True when there is room for a box in so many more cells.
    pub(super) fn has_room(&self, cell_count: u64) -> bool {
        self.len as u64 + cell_count <= MOST_ENTRIES
    }

    /// Puts a box into all cells of a range; returns the first of its entries.
    pub(super) fn put_in(&mut self, proxy: u32, range: &CellRange) -> u32 {
        if self.heads.is_empty() {
            self.heads.resize(FEWEST_SLOTS, NONE);
        }
        let mut first = NONE;
        for z in range.low[2]..=range.high[2] {
            for y in range.low[1]..=range.high[1] {
                let row = slot_of_row(y, z);
                for x in range.low[0]..=range.high[0] {
                    first = self.put_into(proxy, self.slot(row, x), first);
                }
            }
        }
        first
    }

    /// Puts a box at the head of a slot's list, before its entry `sibling`, unless it is there: then nobody else was put in since.
    fn put_into(&mut self, proxy: u32, slot: usize, sibling: u32) -> u32 {
        let head = self.heads[slot];
        if head != NONE && self.entries[head as usize].proxy == proxy {
            return sibling;
        }
        let entry = Entry { proxy, slot: slot as u32, next: head, previous: NONE, sibling };
        let index = self.unused;
        let index = if index == NONE {
            self.entries.push(entry);
            self.entries.len() as u32 - 1
        } else {
            self.unused = self.entries[index as usize].sibling;
            self.entries[index as usize] = entry;
            index
        };
        if head != NONE {
            self.entries[head as usize].previous = index;
        }
        self.heads[slot] = index;
        self.len += 1;
        index
    }

    /// Takes a box out of all its cells, from its first entry on.
    pub(super) fn take_out(&mut self, first: u32) {
        let mut index = first;
        while index != NONE {
            let entry = self.entries[index as usize];
            match entry.previous {
                NONE => self.heads[entry.slot as usize] = entry.next,
                previous => self.entries[previous as usize].next = entry.next,
            }
            if entry.next != NONE {
                self.entries[entry.next as usize].previous = entry.previous;
            }
            self.entries[index as usize].sibling = self.unused;
            self.unused = index;
            self.len -= 1;
            index = entry.sibling;
        }
    }

    /// The boxes of a cell's slot, each once; some may be there for another cell.
    #[inline]
    pub(super) fn in_cell(&self, [x, y, z]: Cell) -> impl Iterator<Item = u32> + '_ {
        let slot = self.slot(slot_of_row(y, z), x);
        let mut index = self.heads.get(slot).copied().unwrap_or(NONE);
        std::iter::from_fn(move || {
            (index != NONE).then(|| {
                let entry = &self.entries[index as usize];
                index = entry.next;
                entry.proxy
            })
        })
    }

    /// The slot of a cell in a row: the cells of a row are side by side, so a walk along it stays in few cache lines.
    #[inline]
    fn slot(&self, row: u64, x: i64) -> usize {
        (row.wrapping_add(x as u64) & (self.heads.len() as u64).wrapping_sub(1)) as usize
    }
}

/// The slot of the cell with x = 0 of a row, before it is cut to the table: y and z mixed by multiplication and shifts.
#[inline]
fn slot_of_row(y: i64, z: i64) -> u64 {
    let mut hash =
        (y as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (z as u64).wrapping_mul(0xC2B2_AE3D_27D4_EB4F);
    hash ^= hash >> 32;
    hash = hash.wrapping_mul(0xD6E8_FEB8_6659_FD93);
    hash ^ hash >> 32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn boxes_in(table: &Table, cell: Cell) -> Vec<u32> {
        table.in_cell(cell).collect()
    }

    #[test]
    fn a_box_is_in_all_its_cells_once_and_leaves_them_all() {
        let mut table = Table::new();
        let ranges =
            [CellRange { low: [-2, -1, 0], high: [1500, 0, 1] }, CellRange { low: [0; 3], high: [0; 3] }];
        // 1503 cells to a row, so some share the first table's slots.
        let firsts = [table.put_in(7, &ranges[0]), table.put_in(9, &ranges[1])];
        for cell in [[-2, -1, 0], [3, 0, 1], [1500, 0, 0]] {
            assert_eq!(boxes_in(&table, cell).iter().filter(|&&proxy| proxy == 7).count(), 1, "{cell:?}");
        }
        assert!(boxes_in(&table, [0; 3]).contains(&9));
        table.take_out(firsts[0]);
        assert_eq!((table.len, boxes_in(&table, [0; 3])), (1, vec![9]));
        let entries = table.entries.len();
        table.put_in(7, &ranges[0]);
        assert_eq!(table.entries.len(), entries, "entries are used again");
        table.take_out(firsts[1]);
        assert!(!boxes_in(&table, [0; 3]).contains(&9));
    }
}
