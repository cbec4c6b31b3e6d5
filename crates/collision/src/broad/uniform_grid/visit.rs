//! Visits of the grid from outside: what a box overlaps, what a ray or a moving box meets. Reads only.
//!
//! A cast goes through the columns of cells along the axis it moves along most, and looks in each at the block of cells that it can
//! meet there. Where that would be more cells than there are boxes, the boxes are looked at one by one: so a ray without an end costs all
//! boxes, and one with an end what lies beside it.

use drystone_math::Aabb;
use std::ops::ControlFlow;

use super::super::cells::{CellRange, cell_index};
use super::super::{BoxCast, is_absent, visit_all};
use super::store::{Place, Store};

/// Whole-cell coordinates, in cells, above which columns are not told apart exactly enough.
const FARTHEST: f64 = 1.0e12;
/// What a column is made wider on either side, in cells: far more than rounding at [`FARTHEST`].
const SLACK: f64 = 0.01;

/// Visits what overlaps `aabb`.
pub(super) fn in_box(
    store: &Store,
    aabb: &Aabb,
    visit: &mut dyn FnMut(u32) -> ControlFlow<()>,
) -> ControlFlow<()> {
    if is_absent(aabb) {
        return ControlFlow::Continue(());
    }
    let mut meet = |proxy: u32| {
        if store.records[proxy as usize].aabb.overlaps(aabb) {
            visit(proxy)
        } else {
            ControlFlow::Continue(())
        }
    };
    let range = store.table.range(aabb);
    if range.cell_count() >= u64::from(store.present_count) {
        return (0..store.records.len() as u32).try_for_each(meet);
    }
    store.beyond.iter().try_for_each(|&proxy| meet(proxy))?;
    range.cells().try_for_each(|cell| {
        let mut boxes = store.table.in_cell(cell);
        boxes.try_for_each(|proxy| {
            if store.is_lowest_in_common(proxy, &range.low, &cell) {
                meet(proxy)
            } else {
                ControlFlow::Continue(())
            }
        })
    })
}

/// Visits what a cast meets.
pub(super) fn along(store: &Store, mut cast: BoxCast, visit: &mut dyn FnMut(u32, f64) -> f64) {
    match Columns::new(store, &cast) {
        Some(columns) => {
            let beyond = store.beyond.iter().map(|&proxy| (proxy, &store.records[proxy as usize].aabb));
            visit_all(beyond, &mut cast, visit);
            columns.visit(store, &mut cast, visit);
        }
        None => visit_all((0..).zip(store.records.iter().map(|record| &record.aabb)), &mut cast, visit),
    }
}

/// The columns of cells that hold what a cast may meet, along the axis that it moves along most.
struct Columns {
    cast: BoxCast,
    axis: usize,
    /// From the first one met to the last one.
    first: i64,
    count: u64,
    step: i64,
    cell: f64,
    inverse_cell: f64,
}

impl Columns {
    /// `None` when all boxes are looked at with less work.
    fn new(store: &Store, cast: &BoxCast) -> Option<Self> {
        let (cell, inverse_cell) = (store.table.cell, store.table.inverse_cell);
        let axis = cast.direction.iamax();
        let end = cast.origin + cast.direction * cast.end;
        let [low, high] = [cast.origin.inf(&end), cast.origin.sup(&end)];
        let is_near = |x: f64| x.abs() * inverse_cell < FARTHEST;
        // Not a number for a ray without an end that does not move along an axis.
        if !low.iter().chain(high.iter()).all(|&x| is_near(x)) || !is_near(cast.half_extents.amax()) {
            return None;
        }
        let half = cast.half_extents[axis] + SLACK * cell;
        let lowest = cell_index(low[axis] - half, inverse_cell);
        let highest = cell_index(high[axis] + half, inverse_cell);
        let count = highest.abs_diff(lowest) + 1;
        // Rows of a column: what the cast moves across in its width.
        let rows = |across: usize| {
            let slope = if cast.direction[axis] == 0.0 {
                0.0
            } else {
                (cast.direction[across] / cast.direction[axis]).abs()
            };
            (slope * (cell + 2.0 * half) + 2.0 * cast.half_extents[across]) * inverse_cell + 3.0
        };
        let cells: f64 = (0..3).filter(|&across| across != axis).map(rows).product::<f64>() * count as f64;
        if cells >= f64::from(store.present_count) {
            return None;
        }
        let is_forward = cast.direction[axis] >= 0.0;
        let (first, step) = if is_forward { (lowest, 1) } else { (highest, -1) };
        Some(Self { cast: *cast, axis, first, count, step, cell, inverse_cell })
    }

    /// When the cast reaches a column, and the cells of it that it may meet; `None` when it passes before or behind.
    ///
    /// Both corners of the block go one way from column to column, since every operation here keeps order: so the columns in which a cast
    /// meets the cells of one box follow each other. For that the whole cast is looked at, not what is left of it.
    fn block(&self, column: i64) -> Option<(f64, CellRange)> {
        let (axis, cast) = (self.axis, &self.cast);
        let direction = cast.direction[axis];
        let slack = cast.half_extents[axis] + SLACK * self.cell;
        let low = column as f64 * self.cell - slack - cast.origin[axis];
        let high = (column + 1) as f64 * self.cell + slack - cast.origin[axis];
        let (mut enter, mut leave) = (0.0, cast.end);
        if direction != 0.0 {
            let (a, b) = (low / direction, high / direction);
            (enter, leave) = (f64::max(enter, a.min(b)), f64::min(leave, a.max(b)));
        }
        if enter > leave {
            return None;
        }
        let [from, to] = [enter, leave].map(|time| cast.origin + cast.direction * time);
        let half = cast.half_extents.add_scalar(SLACK * self.cell);
        let index = |corner: drystone_math::Position| {
            [corner.x, corner.y, corner.z].map(|x| cell_index(x, self.inverse_cell))
        };
        let mut range = CellRange { low: index(from.inf(&to) - half), high: index(from.sup(&to) + half) };
        (range.low[axis], range.high[axis]) = (column, column);
        Some((enter, range))
    }

    fn visit(&self, store: &Store, cast: &mut BoxCast, visit: &mut dyn FnMut(u32, f64) -> f64) {
        let mut before: Option<CellRange> = None;
        for k in 0..self.count {
            let Some((enter, block)) = self.block(self.first + self.step * k as i64) else {
                before = None;
                continue;
            };
            if enter > cast.end {
                return;
            }
            for cell in block.cells() {
                for proxy in store.table.in_cell(cell) {
                    let Place::Cells { range, .. } = &store.places[proxy as usize] else { continue };
                    let is_new = before.is_none_or(|before| !have_common_cell(range, &before));
                    if is_new
                        && store.is_lowest_in_common(proxy, &block.low, &cell)
                        && let Some(entry) = cast.entry(&store.records[proxy as usize].aabb)
                    {
                        cast.end = cast.end.min(visit(proxy, entry));
                    }
                }
            }
            before = Some(block);
        }
    }
}

fn have_common_cell(a: &CellRange, b: &CellRange) -> bool {
    (0..3).all(|axis| a.low[axis] <= b.high[axis] && b.low[axis] <= a.high[axis])
}
