//! Height fields: heights over a grid, a surface that cannot move and takes four bytes per cell.

use super::{MAX_SIZE, check_size, round_up};
use crate::ShapeError;
use drystone_math::{Real, Vector3, widen};

/// Most rows, and most columns, of a height field.
pub const MAX_FIELD_SIDE: usize = 1 << 15;

/// Heights (along local y) over a grid in the local x-z plane, centred at the origin.
///
/// Columns follow each other along x, rows along z. Each cell is two triangles, parted from its corner of least x and z
/// to the opposite one; the front is above. No tree is needed: a box tells its cells.
#[derive(Clone, Debug, PartialEq)]
pub struct HeightField {
    rows: usize,
    columns: usize,
    /// Row by row, m.
    heights: Vec<Real>,
    /// Distance between columns (x) and rows (z), m.
    cell: [Real; 2],
    /// Lowest and highest, m.
    range: [Real; 2],
    radius: Real,
}

impl HeightField {
    /// A field of `rows` by `columns` heights (m), row by row, `cell` = distance of columns (along x) and of rows (along z), m.
    ///
    /// # Errors
    /// Fewer than two or more than [`MAX_FIELD_SIDE`] rows or columns, a number of heights other than their product, a cell
    /// size out of range, a height that is not finite or beyond [`MAX_SIZE`], or a field that reaches beyond [`MAX_SIZE`].
    pub fn new(rows: usize, columns: usize, heights: &[Real], cell: [Real; 2]) -> Result<Self, ShapeError> {
        for (field, count) in [("rows", rows), ("columns", columns)] {
            if !(2..=MAX_FIELD_SIDE).contains(&count) {
                return Err(ShapeError::GridSide { field, count, limit: MAX_FIELD_SIDE });
            }
        }
        if heights.len() != rows * columns {
            return Err(ShapeError::GridSize { rows, columns, count: heights.len() });
        }
        check_size("cell[0]", cell[0])?;
        check_size("cell[1]", cell[1])?;
        let half = [half_width(columns, cell[0]), half_width(rows, cell[1])];
        for (field, half) in [("columns * cell[0] / 2", half[0]), ("rows * cell[1] / 2", half[1])] {
            if half > MAX_SIZE {
                return Err(ShapeError::OutOfRange { field, expected: "at most 1e6 m", value: half });
            }
        }
        let mut range = [Real::INFINITY, Real::NEG_INFINITY];
        for (k, &value) in heights.iter().enumerate() {
            if !(value.is_finite() && value.abs() <= MAX_SIZE) {
                return Err(ShapeError::BadHeight {
                    row: k / columns,
                    column: k % columns,
                    limit: MAX_SIZE,
                    value,
                });
            }
            range = [range[0].min(value), range[1].max(value)];
        }
        let farthest = Vector3::new(half[0], range[0].abs().max(range[1].abs()), half[1]);
        let radius = round_up(widen(&farthest).norm());
        Ok(Self { rows, columns, heights: heights.to_vec(), cell, range, radius })
    }

    /// Number of rows, along z.
    #[inline]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns, along x.
    #[inline]
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The heights, m, row by row.
    #[inline]
    pub fn heights(&self) -> &[Real] {
        &self.heights
    }

    /// Distance of columns (x) and of rows (z), m.
    #[inline]
    pub fn cell(&self) -> [Real; 2] {
        self.cell
    }

    /// Number of triangles.
    #[inline]
    pub fn triangle_count(&self) -> usize {
        2 * (self.rows - 1) * (self.columns - 1)
    }

    /// Largest distance of its box's corners from the origin, m.
    #[inline]
    pub fn radius(&self) -> Real {
        self.radius
    }

    /// Lower and upper corner of the box around the field, m.
    pub fn extents(&self) -> [Vector3; 2] {
        let (x, z) = (half_width(self.columns, self.cell[0]), half_width(self.rows, self.cell[1]));
        [Vector3::new(-x, self.range[0], -z), Vector3::new(x, self.range[1], z)]
    }

    /// The vertex of a row and a column, m.
    ///
    /// # Panics
    /// There is no such row or column.
    #[inline]
    pub fn vertex(&self, row: usize, column: usize) -> Vector3 {
        let x = column as Real * self.cell[0] - half_width(self.columns, self.cell[0]);
        let z = row as Real * self.cell[1] - half_width(self.rows, self.cell[1]);
        Vector3::new(x, self.heights[row * self.columns + column], z)
    }

    /// Corners (m) of triangle `index`: two per cell, row by row.
    ///
    /// # Panics
    /// There is no such triangle.
    #[inline]
    pub fn corners(&self, index: u32) -> [Vector3; 3] {
        self.places(index).map(|[row, column]| self.vertex(row, column))
    }

    /// The corners of triangle `index` as places in [`HeightField::heights`].
    pub fn corner_indices(&self, index: u32) -> [u32; 3] {
        self.places(index).map(|[row, column]| (row * self.columns + column) as u32)
    }

    /// Rows and columns of the corners of a triangle.
    #[inline]
    fn places(&self, index: u32) -> [[usize; 2]; 3] {
        let (cell, half) = (index as usize / 2, index % 2);
        let (row, column) = (cell / (self.columns - 1), cell % (self.columns - 1));
        let at = |i, j| [row + i, column + j];
        // Counter-clockwise seen from +y: z before x.
        if half == 0 { [at(0, 0), at(1, 0), at(1, 1)] } else { [at(0, 0), at(1, 1), at(0, 1)] }
    }

    /// Calls `visit` with index and corners (m) of every triangle whose box overlaps the one from `min` to `max` (m) or touches it.
    /// O(cells under the box).
    pub fn search(&self, min: &Vector3, max: &Vector3, mut visit: impl FnMut(u32, &[Vector3; 3])) {
        if min.y > self.range[1] || max.y < self.range[0] {
            return;
        }
        let span = |low: Real, high: Real, count: usize, cell: Real| {
            let half = half_width(count, cell);
            // A cell more on either side, for the rounding of vertices; beyond the last cell there is none.
            let first = ((low + half) / cell).floor() - 1.0;
            let last = ((high + half) / cell).floor() + 1.0;
            (first.max(0.0) as usize, (last.max(-1.0) + 1.0) as usize)
        };
        let (first_column, end_column) = span(min.x, max.x, self.columns, self.cell[0]);
        let (first_row, end_row) = span(min.z, max.z, self.rows, self.cell[1]);
        for row in first_row..end_row.min(self.rows - 1) {
            for column in first_column..end_column.min(self.columns - 1) {
                let cell = (row * (self.columns - 1) + column) as u32;
                for index in [2 * cell, 2 * cell + 1] {
                    let corners = self.corners(index);
                    let [a, b, c] = &corners;
                    let (low, high) = (a.inf(b).inf(c), a.sup(b).sup(c));
                    if (0..3).all(|i| low[i] <= max[i] && min[i] <= high[i]) {
                        visit(index, &corners);
                    }
                }
            }
        }
    }
}

/// Half of what so many columns or rows span, m.
#[inline]
fn half_width(count: usize, cell: Real) -> Real {
    (count - 1) as Real * 0.5 * cell
}
