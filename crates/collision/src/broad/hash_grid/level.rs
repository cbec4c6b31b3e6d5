//! One level of the hierarchy: a table of cells of one size.

use drystone_math::{Aabb, Position};

use super::super::cells::cell_index;
pub(super) use super::super::cells::{Cell, CellRange};

/// "No proxy": the end of a cell's list.
pub(super) const NONE: u32 = u32::MAX;
/// 2⁶⁴/ρ and 2⁶⁴/ρ², ρ = 1.3247.. the real root of ρ³ = ρ + 1. See [`Level::slot_of_row`].
const ROW_STRIDES: [u64; 2] = [0xC13F_A9A9_02A6_328F, 0x91E1_0DA5_C79E_7B1C];

/// Boxes in an occupied cell, on average, above which cells are halved and below which that is taken back. Halving leaves
/// an eighth to a half of them in a cell.
const DENSE: f64 = 5.0;
const SPARSE: f64 = 1.25;
/// How often cells are halved at most; none of the library's scenes would do it twice.
const MOST_HALVINGS: u32 = 1;

/// Boxes by what they may be paired with: those that move, then the fixed ones (S1-75, "non-fixed bodies
/// are stored first"), so that a fixed box skips the others wholesale.
pub(super) type ByClass<T> = [T; 2];

/// A level: cells of one size, in a table with a power of two of slots.
#[derive(Clone, Debug)]
pub(super) struct Level {
    /// Edge of a cell where the boxes do not lie dense, m: longer than any box of the level.
    coarse_cell: f64,
    /// 1 / edge of a cell, 1/m.
    pub(super) inverse_cell: f64,
    /// How often cells have been halved, because there were many boxes in each.
    halvings: u32,
    /// Every box of the level is shorter than this along each axis, m: at most about a cell.
    pub(super) reach: [f64; 3],
    /// Boxes that changed since the level was measured.
    worn_count: u32,
    /// First box of each slot's two lists; the rest are linked from node to node.
    pub(super) heads: Vec<ByClass<u32>>,
    /// One bit per slot, set when it holds a box. Most cells around a box are empty, and this says so from
    /// the nearest cache: 64 cells of a row per word, against 8 per cache line of `heads`.
    occupied: Vec<u64>,
    /// log₂ of the slot count.
    bits: u32,
    /// The boxes of the level, so that an empty part of the world costs nothing to skip.
    pub(super) members: ByClass<Vec<u32>>,
    /// How many of them changed in this update.
    pub(super) changed_count: u32,
}

drystone_math::carried!(Level {
    part: [heads, occupied, members],
    value: [coarse_cell, inverse_cell, halvings, reach, worn_count, bits, changed_count],
});

impl Default for Level {
    /// Of cells of a metre.
    fn default() -> Self {
        Self::new(1.0)
    }
}

impl Level {
    pub(super) fn new(cell: f64) -> Self {
        Self {
            coarse_cell: cell,
            inverse_cell: 1.0 / cell,
            halvings: 0,
            reach: [0.0; 3],
            worn_count: 0,
            heads: Vec::new(),
            occupied: Vec::new(),
            bits: 0,
            members: Default::default(),
            changed_count: 0,
        }
    }

    /// Number of boxes.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.members[0].len() + self.members[1].len()
    }

    /// True when every box of the level changed in this update.
    #[inline]
    pub(super) fn all_changed(&self) -> bool {
        self.changed_count as usize == self.len()
    }

    /// Takes note of a box of the level that changed.
    #[inline]
    pub(super) fn count(&mut self, aabb: &Aabb) {
        self.changed_count += 1;
        self.worn_count += 1;
        self.extend(aabb);
    }

    /// Makes the reach cover a box. The difference is rounded: what rounds to it is shorter than the next number.
    #[inline]
    pub(super) fn extend(&mut self, aabb: &Aabb) {
        for axis in 0..3 {
            self.reach[axis] = self.reach[axis].max((aabb.max[axis] - aabb.min[axis]).next_up());
        }
    }

    /// True when as many boxes have changed as the level holds since it was measured: larger ones may be gone.
    pub(super) fn is_worn(&self) -> bool {
        self.worn_count > 0 && self.worn_count as usize >= self.len()
    }

    /// Measures the boxes of the level anew.
    pub(super) fn measure<'a>(&mut self, boxes: impl Iterator<Item = &'a Aabb>) {
        (self.reach, self.worn_count) = ([0.0; 3], 0);
        boxes.for_each(|aabb| self.extend(aabb));
    }

    /// Fits the cells to how dense the boxes lie; true when the table is to be filled anew.
    pub(super) fn refine(&mut self) -> bool {
        let occupied = self.occupied.iter().map(|word| word.count_ones()).sum::<u32>();
        let per_cell = self.len() as f64 / f64::from(occupied.max(1));
        let halvings = if per_cell > DENSE && self.halvings < MOST_HALVINGS {
            self.halvings + 1
        } else if per_cell < SPARSE && self.halvings > 0 {
            self.halvings - 1
        } else {
            return false;
        };
        self.halvings = halvings;
        self.inverse_cell = f64::from(1 << halvings) / self.coarse_cell;
        true
    }

    /// An empty table of `slot_count` slots, a power of two of at least 64.
    pub(super) fn reset_table(&mut self, slot_count: usize) {
        debug_assert!(slot_count.is_power_of_two() && slot_count >= 64, "a table of {slot_count} slots");
        self.occupied.clear();
        self.occupied.resize(slot_count / 64, 0);
        self.heads.clear();
        self.heads.resize(slot_count, [NONE; 2]);
        self.bits = slot_count.trailing_zeros();
    }

    /// The cell of a box: that of its lower corner.
    #[inline]
    pub(super) fn cell_of(&self, corner: &Position) -> Cell {
        [self.index(corner.x), self.index(corner.y), self.index(corner.z)]
    }

    /// Where to look for boxes of this level that overlap one from `min` to `max`.
    ///
    /// Such a box has its lower corner not above `max`, and above `min - reach` because it is shorter than
    /// that. For boxes of the level itself that is part of the 27 cells around, for those of finer levels
    /// at most 27, mostly 8. It needs nothing of [`Level::index`] but that it keeps order, so rounding
    /// cannot lose a pair, at any coordinate and with any ratio of cell sizes.
    #[inline]
    pub(super) fn range(&self, min: &Position, max: &Position) -> CellRange {
        let [x, y, z] = self.reach;
        let low = Position::new(min.x - x, min.y - y, min.z - z);
        CellRange { low: self.cell_of(&low), high: self.cell_of(max) }
    }

    /// The slot of the row of cells with x = 0; that of x is `x` further ([`Level::slot`]).
    ///
    /// The source tiles space with the grid, 16 x 16 x 16 cells and then again, so a wall one cell thick
    /// uses a sixteenth of the grid. Here the table is one long row and the y and z steps are fractions of
    /// it that are hard to approximate together (1/ρ and 1/ρ², the two-dimensional golden ratio): rows
    /// spread over the whole table whatever the shape of the world, and next to a cell there is still
    /// always the same neighbour, at a fixed step that wraps with a bit mask, negative or not.
    #[inline]
    pub(super) fn slot_of_row(&self, y: i64, z: i64) -> u64 {
        let [y_step, z_step] = ROW_STRIDES.map(|stride| stride >> (64 - self.bits));
        (y as u64).wrapping_mul(y_step).wrapping_add((z as u64).wrapping_mul(z_step))
    }

    /// The slot of a cell in a row.
    #[inline]
    pub(super) fn slot(&self, row: u64, x: i64) -> usize {
        (row.wrapping_add(x as u64) & (self.heads.len() as u64 - 1)) as usize
    }

    /// The slot of a cell.
    #[inline]
    pub(super) fn slot_of(&self, cell: Cell) -> usize {
        self.slot(self.slot_of_row(cell[1], cell[2]), cell[0])
    }

    /// 1 when the slot holds a box, else 0.
    #[inline]
    pub(super) fn occupancy(&self, slot: usize) -> usize {
        (self.occupied[slot / 64] >> (slot % 64)) as usize & 1
    }

    /// The occupancy of a slot and those after it, up to 64 and no further than the end of the word, and how
    /// many slots that tells of. (The table ends with a word, so this never wraps.)
    #[inline]
    pub(super) fn occupancy_from(&self, slot: usize) -> (u64, u32) {
        (self.occupied[slot / 64] >> (slot % 64), 64 - slot as u32 % 64)
    }

    /// Brings a slot's bit up to date with its lists.
    #[inline]
    pub(super) fn refresh_occupancy(&mut self, slot: usize) {
        let bit = u64::from(self.heads[slot] != [NONE; 2]) << (slot % 64);
        let word = &mut self.occupied[slot / 64];
        *word = *word & !(1 << (slot % 64)) | bit;
    }

    /// Whole-cell coordinate; keeps order.
    #[inline]
    pub(super) fn index(&self, x: f64) -> i64 {
        cell_index(x, self.inverse_cell)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_keep_order_up_to_the_largest_numbers() {
        let level = Level::new(0.3);
        let xs = [f64::MIN, -1e300, -1e17, -1e7, -0.6, -0.3, -1e-300, 0.0, 0.29, 0.3, 1e7, 1e17, f64::MAX];
        let indices = xs.map(|x| level.index(x));
        assert!(indices.is_sorted(), "{indices:?}");
        assert_eq!((level.index(-1e-300), level.index(0.1), level.index(0.31)), (-1, 0, 1));
    }

    #[test]
    fn neighbours_stay_neighbours_across_the_wrap_and_zero() {
        let mut level = Level::new(1.0);
        level.reset_table(64);
        for base in [-1, 0, 63, 1 << 52, -(1 << 52)] {
            let mut slots: Vec<usize> = Vec::new();
            for (z, y, x) in (0..27).map(|i| (i / 9 - 1, i / 3 % 3 - 1, i % 3 - 1)) {
                slots.push(level.slot_of([base + x, base + y, base + z]));
            }
            slots.sort_unstable();
            slots.dedup();
            assert_eq!(slots.len(), 27, "the 27 cells around a box must be different slots");
        }
    }
}
