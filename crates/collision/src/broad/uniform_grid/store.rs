//! Where every box is: in the cells that it covers, beyond the grid, or nowhere.

use drystone_math::{Aabb, Position};

use super::super::cells::{Cell, CellRange};
use super::super::changed::Changed;
use super::super::{Proxies, ProxyFilter, has_nan, is_absent};
use super::config::UniformGridConfig;
use super::table::Table;

/// A box that overlaps nothing, not even an infinite one.
const NOWHERE: Aabb = Aabb {
    min: Position::new(f64::NAN, f64::NAN, f64::NAN),
    max: Position::new(f64::NAN, f64::NAN, f64::NAN),
};

/// What a test against a proxy reads: one cache line.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Record {
    /// The box, m; [`NOWHERE`] for a proxy without one.
    pub(super) aabb: Aabb,
    pub(super) filter: ProxyFilter,
}

impl Record {
    const ABSENT: Self =
        Self { aabb: NOWHERE, filter: ProxyFilter { member_of: 0, meets: 0, fixed: false, owner: 0 } };

    /// True when the boxes overlap and the filters allow the pair.
    #[inline]
    pub(super) fn meets(&self, other: &Self) -> bool {
        self.aabb.overlaps(&other.aabb) && self.filter.allows(&other.filter)
    }
}

/// Where a proxy is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    /// It has no box.
    Absent,
    /// Its box is unbounded or covers too many cells; where the list of those names it.
    Beyond {
        /// Index in [`Store::beyond`].
        member: u32,
    },
    /// It is in all cells of a range.
    Cells {
        /// The cells.
        range: CellRange,
        /// Its first entry in the table.
        first: u32,
    },
}

/// All boxes by place.
#[derive(Debug)]
pub(super) struct Store {
    pub(super) records: Vec<Record>,
    pub(super) places: Vec<Place>,
    pub(super) table: Table,
    /// Boxes that are tested against everything.
    pub(super) beyond: Vec<u32>,
    pub(super) present_count: u32,
    pub(super) not_a_number_count: u32,
    /// The boxes whose corner is not a number.
    not_a_number: Vec<bool>,
    sizes: Sizes,
    /// Boxes that changed since the size of the cells was chosen.
    worn_count: u64,
}

drystone_math::carried!(Store {
    part: [records, places, table, beyond, not_a_number],
    value: [present_count, not_a_number_count, sizes, worn_count],
});

impl Store {
    pub(super) fn new() -> Self {
        Self {
            records: Vec::new(),
            places: Vec::new(),
            table: Table::new(),
            beyond: Vec::new(),
            present_count: 0,
            not_a_number_count: 0,
            not_a_number: Vec::new(),
            sizes: Sizes::default(),
            worn_count: 0,
        }
    }

    /// Makes room for `proxy_count` proxies.
    pub(super) fn grow(&mut self, proxy_count: u32) {
        let count = proxy_count as usize;
        if self.records.len() < count {
            self.records.resize(count, Record::ABSENT);
            self.places.resize(count, Place::Absent);
            self.not_a_number.resize(count, false);
        }
    }

    /// Takes the boxes and filters of what changed and moves it to its new cells; a box that stays in its cells costs O(1).
    pub(super) fn place_changed(
        &mut self,
        proxies: &Proxies<'_>,
        changed: &Changed,
        config: &UniformGridConfig,
    ) {
        for &proxy in &changed.list {
            let at = proxy as usize;
            let is_there = proxy < changed.slot_count;
            let aabb = if is_there { proxies.boxes[at] } else { Aabb::EMPTY };
            let new = match is_absent(&aabb) {
                false => Record { aabb, filter: proxies.filters[at] },
                true => Record::ABSENT,
            };
            let not_a_number = has_nan(&aabb);
            let old = std::mem::replace(&mut self.records[at], new);
            let was_not_a_number = std::mem::replace(&mut self.not_a_number[at], not_a_number);
            self.present_count += u32::from(!is_absent(&new.aabb));
            self.present_count -= u32::from(!is_absent(&old.aabb));
            self.not_a_number_count += u32::from(not_a_number);
            self.not_a_number_count -= u32::from(was_not_a_number);
            self.sizes.remove(&old.aabb);
            self.sizes.add(&new.aabb);
        }
        self.worn_count += changed.list.len() as u64;
        if self.choose_cell(config) {
            self.fill(config);
        } else {
            changed.list.iter().for_each(|&proxy| self.place(proxy, config));
        }
        if self.table.is_crowded() {
            self.table.grow();
            self.fill(config);
        }
    }

    /// Chooses the size of the cells; true when it is another than before. Once per so many changes as there are boxes, so that
    /// filling all cells anew costs no more than the changes did.
    fn choose_cell(&mut self, config: &UniformGridConfig) -> bool {
        if self.worn_count < u64::from(self.present_count.max(1)) {
            return false;
        }
        self.worn_count = 0;
        match config.cell_size.or_else(|| self.sizes.cell()) {
            Some(cell) if cell != self.table.cell => {
                self.table.reset(cell);
                true
            }
            _ => false,
        }
    }

    /// Puts all boxes into the cells of a table that is empty.
    fn fill(&mut self, config: &UniformGridConfig) {
        self.places.fill(Place::Absent);
        self.beyond.clear();
        (0..self.records.len() as u32).for_each(|proxy| self.place(proxy, config));
    }

    /// Brings a proxy to where its box says.
    fn place(&mut self, proxy: u32, config: &UniformGridConfig) {
        let aabb = &self.records[proxy as usize].aabb;
        let is_present = !is_absent(aabb);
        let range = self.table.range(aabb);
        match self.places[proxy as usize] {
            Place::Cells { range: old, .. } if is_present && aabb.is_bounded() && old == range => return,
            Place::Cells { first, .. } => self.table.take_out(first),
            Place::Beyond { member } => self.leave_beyond(member),
            Place::Absent => {}
        }
        let count = range.cell_count();
        let is_inside = count <= u64::from(config.most_cells) && self.table.has_room(count);
        self.places[proxy as usize] = if !is_present {
            Place::Absent
        } else if self.records[proxy as usize].aabb.is_bounded() && is_inside {
            Place::Cells { range, first: self.table.put_in(proxy, &range) }
        } else {
            self.beyond.push(proxy);
            Place::Beyond { member: self.beyond.len() as u32 - 1 }
        };
    }

    fn leave_beyond(&mut self, member: u32) {
        self.beyond.swap_remove(member as usize);
        if let Some(&moved) = self.beyond.get(member as usize) {
            self.places[moved as usize] = Place::Beyond { member };
        }
    }

    /// True when, of all cells that this range and a proxy's have in common, `cell` is the lowest. Whoever walks through a range
    /// and meets boxes in that cell alone meets each once: this stands in for a search for duplicates.
    #[inline]
    pub(super) fn is_lowest_in_common(&self, proxy: u32, low: &Cell, cell: &Cell) -> bool {
        match &self.places[proxy as usize] {
            // A box may be met in a cell that it does not cover, when that shares its slot.
            Place::Cells { range, .. } => (0..3)
                .all(|axis| range.low[axis].max(low[axis]) == cell[axis] && cell[axis] <= range.high[axis]),
            Place::Absent | Place::Beyond { .. } => false,
        }
    }
}

/// How many bounded boxes have which size, in octaves of their longest edge.
#[derive(Clone, Debug)]
struct Sizes {
    counts: [u32; OCTAVES],
    total: u32,
}

/// Octaves of sizes, from 2⁻²⁰ m on; what is smaller or larger counts with the last.
const OCTAVES: usize = 40;
const FIRST_OCTAVE: i32 = -20;

impl Default for Sizes {
    fn default() -> Self {
        Self { counts: [0; OCTAVES], total: 0 }
    }
}

impl Sizes {
    fn octave(aabb: &Aabb) -> Option<usize> {
        if is_absent(aabb) || !aabb.is_bounded() {
            return None;
        }
        // The exponent of the number, without a logarithm; that of what is not normal is the lowest.
        let exponent = (aabb.longest_edge().to_bits() >> 52) as i32 - 1023;
        Some((exponent - FIRST_OCTAVE).clamp(0, OCTAVES as i32 - 1) as usize)
    }

    fn add(&mut self, aabb: &Aabb) {
        if let Some(octave) = Self::octave(aabb) {
            self.counts[octave] += 1;
            self.total += 1;
        }
    }

    fn remove(&mut self, aabb: &Aabb) {
        if let Some(octave) = Self::octave(aabb) {
            self.counts[octave] -= 1;
            self.total -= 1;
        }
    }

    /// The smallest power of two, m, that is longer than three quarters of the boxes; `None` without boxes.
    fn cell(&self) -> Option<f64> {
        let mut shorter = 0;
        let octave = self.counts.iter().position(|&count| {
            shorter += u64::from(count);
            4 * shorter > 3 * u64::from(self.total)
        })?;
        Some(f64::powi(2.0, octave as i32 + FIRST_OCTAVE + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_math::Displacement;

    #[test]
    fn cells_are_longer_than_most_boxes_and_no_longer_than_needed() {
        let mut sizes = Sizes::default();
        assert_eq!(sizes.cell(), None);
        let cube = |half: f64| Aabb::from_center(Position::origin(), Displacement::repeat(half));
        (0..8).for_each(|_| sizes.add(&cube(0.3)));
        (0..2).for_each(|_| sizes.add(&cube(40.0)));
        sizes.add(&Aabb::EVERYTHING);
        assert_eq!(sizes.cell(), Some(1.0));
        (0..6).for_each(|_| sizes.remove(&cube(0.3)));
        assert_eq!(sizes.cell(), Some(128.0));
        (0..2).for_each(|_| sizes.remove(&cube(40.0)));
        (0..2).for_each(|_| sizes.remove(&cube(0.3)));
        assert_eq!(sizes.cell(), None);
        // A point, and what is longer than any cell.
        (0..4).for_each(|_| sizes.add(&cube(0.0)));
        assert_eq!(sizes.cell(), Some(f64::powi(2.0, -19)));
        (0..40).for_each(|_| sizes.add(&cube(1e100)));
        assert_eq!(sizes.cell(), Some(f64::powi(2.0, 20)));
    }
}
