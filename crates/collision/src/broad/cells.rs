//! Whole-cell coordinates, shared by the grids.

/// Whole-cell coordinates are cut off here, in cells. Below it every whole number is exact in an f64; the
/// cut keeps their order, so boxes beyond it are found all the same (they just share cells).
const FURTHEST_CELL: f64 = (1u64 << 52) as f64;

/// Whole-cell coordinates.
pub(super) type Cell = [i64; 3];

/// A block of cells, both corners included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CellRange {
    pub(super) low: Cell,
    pub(super) high: Cell,
}

impl CellRange {
    /// Cells in it.
    pub(super) fn cell_count(&self) -> u64 {
        let length = |axis: usize| self.high[axis].abs_diff(self.low[axis]).saturating_add(1);
        length(0).saturating_mul(length(1)).saturating_mul(length(2))
    }

    /// All of them, x first.
    pub(super) fn cells(self) -> impl Iterator<Item = Cell> {
        let Self { low, high } = self;
        let row = move |y: i64, z: i64| (low[0]..=high[0]).map(move |x| [x, y, z]);
        (low[2]..=high[2]).flat_map(move |z| (low[1]..=high[1]).flat_map(move |y| row(y, z)))
    }

    /// Words of 64 cells that a walk through the range along x reads, at most.
    pub(super) fn word_count(&self) -> u64 {
        let length = |axis: usize| self.high[axis].abs_diff(self.low[axis]).saturating_add(1);
        (length(0) / 64 + 2).saturating_mul(length(1)).saturating_mul(length(2))
    }
}

/// Whole-cell coordinate: floor(x / cell), cut off at ±[`FURTHEST_CELL`]. Keeps order.
#[inline]
pub(super) fn cell_index(x: f64, inverse_cell: f64) -> i64 {
    let scaled = (x * inverse_cell).clamp(-FURTHEST_CELL, FURTHEST_CELL);
    // `floor` is a call into the system library on plain x86-64; this is exact up to the cut.
    let toward_zero = scaled as i64;
    toward_zero - i64::from(toward_zero as f64 > scaled)
}
