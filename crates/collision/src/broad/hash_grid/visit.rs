//! Visits of the grid from outside: what a box overlaps, what a ray or a moving box meets. Reads only.
//!
//! A cast goes through the columns of cells along the axis it moves along most, and looks in each at the rows that it can meet there.
//! Where that would be more cells than a level has boxes, the boxes are looked at one by one: so a ray without an end costs all boxes
//! of the grid, and one with an end what lies beside it.

use drystone_math::{Aabb, bits};
use std::ops::ControlFlow;

use super::super::{BoxCast, is_absent, visit_all};
use super::level::{Cell, CellRange, Level, NONE};
use super::store::Store;

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
        if store.nodes[proxy as usize].aabb.overlaps(aabb) { visit(proxy) } else { ControlFlow::Continue(()) }
    };
    store.outside.iter().flatten().try_for_each(|&proxy| meet(proxy))?;
    for rung in bits(store.occupied) {
        let level = &store.levels[rung as usize];
        let range = level.range(&aabb.min, &aabb.max);
        if range.cell_count() >= level.len() as u64 {
            level.members.iter().flatten().try_for_each(|&proxy| meet(proxy))?;
            continue;
        }
        let CellRange { low, high } = range;
        for z in low[2]..=high[2] {
            for y in low[1]..=high[1] {
                for x in low[0]..=high[0] {
                    in_cell(store, level, [x, y, z], &mut meet)?;
                }
            }
        }
    }
    ControlFlow::Continue(())
}

/// Visits the boxes of a cell. Other cells may share its slot: their boxes are left to them, so that each is visited once.
fn in_cell(
    store: &Store,
    level: &Level,
    cell: Cell,
    visit: &mut impl FnMut(u32) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let slot = level.slot_of(cell);
    if level.occupancy(slot) == 0 {
        return ControlFlow::Continue(());
    }
    for mut proxy in level.heads[slot] {
        while proxy != NONE {
            let node = &store.nodes[proxy as usize];
            if level.cell_of(&node.aabb.min) == cell {
                visit(proxy)?;
            }
            proxy = node.next;
        }
    }
    ControlFlow::Continue(())
}

/// Visits what a cast meets.
pub(super) fn along(store: &Store, mut cast: BoxCast, visit: &mut dyn FnMut(u32, f64) -> f64) {
    let with_box = |&proxy: &u32| (proxy, &store.nodes[proxy as usize].aabb);
    visit_all(store.outside.iter().flatten().map(with_box), &mut cast, visit);
    for rung in bits(store.occupied) {
        let level = &store.levels[rung as usize];
        match Columns::new(level, &cast) {
            Some(columns) => along_columns(store, level, &columns, &mut cast, visit),
            None => visit_all(level.members.iter().flatten().map(with_box), &mut cast, visit),
        }
    }
}

/// The columns of cells that hold what a cast may meet, along the axis that it moves along most.
struct Columns {
    axis: usize,
    /// From the first one met to the last one.
    first: i64,
    count: u64,
    step: i64,
    cell: f64,
}

impl Columns {
    /// `None` when all boxes of the level are looked at with less work.
    fn new(level: &Level, cast: &BoxCast) -> Option<Self> {
        let axis = cast.direction.iamax();
        let cell = 1.0 / level.inverse_cell;
        let end = cast.origin + cast.direction * cast.end;
        let [low, high] = [cast.origin.inf(&end), cast.origin.sup(&end)];
        let is_near = |x: f64| x.abs() * level.inverse_cell < FARTHEST;
        // Not a number for a ray without an end that does not move along an axis.
        if !low.iter().chain(high.iter()).all(|&x| is_near(x)) || !is_near(cast.half_extents.amax()) {
            return None;
        }
        let half = cast.half_extents[axis] + SLACK * cell;
        let [lowest, highest] =
            [low[axis] - half - level.reach[axis], high[axis] + half].map(|x| level.index(x));
        let count = highest.abs_diff(lowest) + 1;
        // Rows of a column: what the cast moves across in its width, and what boxes reach.
        let rows = |across: usize| {
            let slope =
                if across == axis { 0.0 } else { (cast.direction[across] / cast.direction[axis]).abs() };
            let slope = if slope.is_finite() { slope } else { 0.0 };
            let width = cell + level.reach[axis] + 2.0 * half;
            (slope * width + 2.0 * cast.half_extents[across] + level.reach[across]) * level.inverse_cell + 3.0
        };
        let cells: f64 = (0..3).filter(|&across| across != axis).map(rows).product::<f64>() * count as f64;
        if cells >= level.len() as f64 {
            return None;
        }
        let is_forward = cast.direction[axis] >= 0.0;
        let (first, step) = if is_forward { (lowest, 1) } else { (highest, -1) };
        Some(Self { axis, first, count, step, cell })
    }
}

fn along_columns(
    store: &Store,
    level: &Level,
    columns: &Columns,
    cast: &mut BoxCast,
    visit: &mut dyn FnMut(u32, f64) -> f64,
) {
    let (axis, direction) = (columns.axis, cast.direction[columns.axis]);
    for k in 0..columns.count {
        let column = columns.first + columns.step * k as i64;
        // Boxes of the column reach from `low` to `high` along the axis, with what the cast is wide.
        let slack = cast.half_extents[axis] + SLACK * columns.cell;
        let low = column as f64 * columns.cell - slack - cast.origin[axis];
        let high = low + columns.cell + level.reach[axis] + 2.0 * slack;
        let (mut enter, mut leave) = (0.0, cast.end);
        if direction != 0.0 {
            let (a, b) = (low / direction, high / direction);
            (enter, leave) = (f64::max(enter, a.min(b)), f64::min(leave, a.max(b)));
        }
        if enter > cast.end {
            return;
        }
        if enter > leave {
            continue;
        }
        let [from, to] = [enter, leave].map(|time| cast.origin + cast.direction * time);
        let half = cast.half_extents.add_scalar(SLACK * columns.cell);
        let CellRange { mut low, mut high } = level.range(&(from.inf(&to) - half), &(from.sup(&to) + half));
        (low[axis], high[axis]) = (column, column);
        for z in low[2]..=high[2] {
            for y in low[1]..=high[1] {
                for x in low[0]..=high[0] {
                    let _ = in_cell(store, level, [x, y, z], &mut |proxy| {
                        if let Some(entry) = cast.entry(&store.nodes[proxy as usize].aabb) {
                            cast.end = cast.end.min(visit(proxy, entry));
                        }
                        ControlFlow::Continue(())
                    });
                }
            }
        }
    }
}
