//! Panels of a sparse factor: neighbouring columns with nearly the same rows, kept as dense rows of blocks.
//!
//! A panel holds the triangle on the diagonal and the rows below it. Columns are joined with the column that eliminates them
//! next while that adds few blocks of zeros. A panel's level is one above those of all panels that change it, so panels of a
//! level do not need each other and can be factored side by side. The numbers of a level lie in a row: first its triangles,
//! then its rows below, cut into tasks. Source of panels: Ashcraft and Grimes, "The influence of relaxed supernode
//! partitions on the multifrontal method" (1989).

use super::order::Elimination;

/// Most bodies of a panel: its triangle is factored by one thread.
const WIDEST: u32 = 8;
/// Share of zeros among the blocks of a panel up to which columns are joined.
const ZEROS: f64 = 0.2;
/// Most rows of a task.
const TASK_ROWS: u32 = 8;
const NONE: u32 = u32::MAX;

/// Some columns of the factor. Numbers of columns are those of [`Panels`].
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Panel {
    /// First column, and how many.
    pub(super) first: u32,
    pub(super) width: u32,
    /// Rows below the triangle, among [`Panels::rows`].
    pub(super) rows_begin: u32,
    pub(super) rows_end: u32,
    /// First block of the triangle, and of the rows below.
    pub(super) triangle: u32,
    pub(super) below: u32,
}

/// Part of a panel that one thread works on: its triangle, or some of its rows below.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Task {
    pub(super) panel: u32,
    /// Rows below, counted from the first of the panel; none for the triangle.
    pub(super) begin: u32,
    pub(super) end: u32,
}

/// What an earlier panel changes in a later one: the earlier one's rows that are columns of the later one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Update {
    pub(super) from: u32,
    /// Counted from the first row below of the earlier panel.
    pub(super) begin: u32,
    pub(super) end: u32,
}

/// Panels that do not need each other.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Level {
    pub(super) first_panel: u32,
    pub(super) end_panel: u32,
    /// First task: those of triangles come first, one per panel.
    pub(super) first_task: u32,
    pub(super) end_task: u32,
    /// First block, first block of the rows below, and the end.
    pub(super) begin: u32,
    pub(super) below: u32,
    pub(super) end: u32,
}

/// The places of all blocks. Keeps its memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Panels {
    pub(super) panels: Vec<Panel>,
    pub(super) levels: Vec<Level>,
    pub(super) tasks: Vec<Task>,
    /// First block of each task counted from its level's first, and of each level one more for the end: the offsets of level `l` begin at
    /// its first task plus `l`.
    pub(super) task_offsets: Vec<u32>,
    /// The same counted from the level's first row below, for tasks of rows.
    pub(super) row_offsets: Vec<u32>,
    /// Rows below of all panels: columns, ascending.
    pub(super) rows: Vec<u32>,
    /// Updates of panel `p`: from `update_starts[p]`, in the order of the panels they come from.
    pub(super) update_starts: Vec<u32>,
    pub(super) updates: Vec<Update>,
    /// Body of each column, and the column of each body.
    pub(super) body_of: Vec<u32>,
    pub(super) column_of: Vec<u32>,
    panel_of: Vec<u32>,
    /// While columns are joined, by column of the elimination: the join it is in, or the next number for each.
    joined: Vec<u32>,
    joins: Vec<Join>,
    /// Joins in the order of levels.
    sorted: Vec<u32>,
    next: Vec<u32>,
}

/// Columns that become a panel.
#[derive(Clone, Copy, Debug, Default)]
struct Join {
    /// The last of its columns in the elimination, and how many.
    top: u32,
    width: u32,
    /// Blocks of zeros.
    zeros: u32,
    level: u32,
}

impl Panels {
    /// Finds the panels of an elimination.
    pub(super) fn find(&mut self, elimination: &Elimination) {
        self.join(elimination);
        self.rank(elimination);
        self.number(elimination);
        self.lay_out();
        self.link();
    }

    /// Blocks of the factor.
    pub(super) fn block_count(&self) -> usize {
        self.levels.last().map_or(0, |level| level.end as usize)
    }

    /// Rows below of a panel.
    #[inline]
    pub(super) fn rows_of(&self, panel: &Panel) -> &[u32] {
        &self.rows[panel.rows_begin as usize..panel.rows_end as usize]
    }

    /// What changes a panel.
    #[inline]
    pub(super) fn updates_of(&self, panel: u32) -> &[Update] {
        let range = self.update_starts[panel as usize]..self.update_starts[panel as usize + 1];
        &self.updates[range.start as usize..range.end as usize]
    }

    /// Task of the block of two bodies (or of one with itself), its place among the task's blocks, and whether its rows are those of
    /// `b`: else they are those of `a`. `None` when they are not coupled.
    pub(super) fn place(&self, a: u32, b: u32) -> Option<(u32, u32, bool)> {
        let [column_a, column_b] = [a, b].map(|body| self.column_of[body as usize]);
        let (column, row) = (column_a.min(column_b), column_a.max(column_b));
        let number = self.panel_of[column as usize];
        let panel = &self.panels[number as usize];
        let level = self.levels.partition_point(|level| level.end_panel <= number);
        let level = &self.levels[level];
        let is_b = column_a < column_b;
        if row < panel.first + panel.width {
            let task = level.first_task + number - level.first_panel;
            return Some((task, (row - panel.first) * panel.width + column - panel.first, is_b));
        }
        let place = self.rows_of(panel).binary_search(&row).ok()? as u32;
        let tasks = &self.tasks[level.first_task as usize..level.end_task as usize];
        let after = tasks[(level.end_panel - level.first_panel) as usize..]
            .partition_point(|task| (task.panel, task.end) <= (number, place));
        let task = level.first_task + level.end_panel - level.first_panel + after as u32;
        let row = place - self.tasks[task as usize].begin;
        Some((task, row * panel.width + column - panel.first, is_b))
    }

    /// Joins columns with those that eliminate them next.
    fn join(&mut self, elimination: &Elimination) {
        let count = elimination.order.len();
        self.joins.clear();
        self.joined.clear();
        self.joined.resize(count, NONE);
        // The join that a column shares the most rows with, among those whose next column it is.
        self.next.clear();
        self.next.resize(count, NONE);
        for column in 0..count {
            let rows = elimination.rows(column).len() as u32;
            let below = self.next[column];
            let mut is_joined = false;
            if below != NONE {
                let join = &mut self.joins[below as usize];
                let extra = rows + 1 - elimination.rows(join.top as usize).len() as u32;
                let zeros = join.zeros + extra * join.width;
                let width = join.width + 1;
                let blocks = width * (width + 1) / 2 + width * rows;
                if width <= WIDEST && f64::from(zeros) <= ZEROS * f64::from(blocks) {
                    *join = Join { top: column as u32, width, zeros, level: 0 };
                    is_joined = true;
                }
            }
            let own = if is_joined { below } else { self.joins.len() as u32 };
            if !is_joined {
                self.joins.push(Join { top: column as u32, width: 1, zeros: 0, level: 0 });
            }
            self.joined[column] = own;
            if let Some(&parent) = elimination.rows(column).first() {
                let best = &mut self.next[parent as usize];
                let rows_of = |join: u32| elimination.rows(self.joins[join as usize].top as usize).len();
                if *best == NONE || rows_of(own) > rows_of(*best) {
                    *best = own;
                }
            }
        }
    }

    /// Levels, and the joins in their order.
    fn rank(&mut self, elimination: &Elimination) {
        // By their last columns joins are in an order in which each comes before that of its next column.
        self.sorted.clear();
        self.sorted.extend(0..self.joins.len() as u32);
        self.sorted.sort_unstable_by_key(|&join| self.joins[join as usize].top);
        for &join in &self.sorted {
            let Join { top, level, .. } = self.joins[join as usize];
            if let Some(&parent) = elimination.rows(top as usize).first() {
                let above = &mut self.joins[self.joined[parent as usize] as usize];
                above.level = above.level.max(level + 1);
            }
        }
        self.sorted
            .sort_unstable_by_key(|&join| (self.joins[join as usize].level, self.joins[join as usize].top));
    }

    /// Numbers the columns, panel by panel, and lists the rows below.
    fn number(&mut self, elimination: &Elimination) {
        let count = elimination.order.len();
        self.panels.clear();
        self.next.clear();
        self.next.resize(self.joins.len(), 0);
        let mut first = 0;
        for &join in &self.sorted {
            let width = self.joins[join as usize].width;
            self.next[join as usize] = first;
            self.panels.push(Panel { first, width, ..Panel::default() });
            first += width;
        }
        self.body_of.clear();
        self.body_of.resize(count, NONE);
        self.column_of.clear();
        self.column_of.resize(count, NONE);
        for (column, &body) in elimination.order.iter().enumerate() {
            let next = &mut self.next[self.joined[column] as usize];
            self.body_of[*next as usize] = body;
            self.column_of[body as usize] = *next;
            *next += 1;
        }
        self.panel_of.clear();
        self.rows.clear();
        for (number, (panel, &join)) in self.panels.iter_mut().zip(&self.sorted).enumerate() {
            self.panel_of.extend((0..panel.width).map(|_| number as u32));
            panel.rows_begin = self.rows.len() as u32;
            let rows = elimination.rows(self.joins[join as usize].top as usize).iter();
            let body = |&row: &u32| elimination.order[row as usize];
            self.rows.extend(rows.map(|row| self.column_of[body(row) as usize]));
            panel.rows_end = self.rows.len() as u32;
            self.rows[panel.rows_begin as usize..].sort_unstable();
        }
    }

    /// Places of blocks and tasks, level by level.
    fn lay_out(&mut self) {
        self.levels.clear();
        self.tasks.clear();
        self.task_offsets.clear();
        self.row_offsets.clear();
        let level_of = |place: usize| self.joins[self.sorted[place] as usize].level;
        let (mut begin, mut block) = (0, 0);
        while begin < self.panels.len() {
            let mut end = begin;
            while end < self.panels.len() && level_of(end) == level_of(begin) {
                end += 1;
            }
            let (first_task, first_block) = (self.tasks.len() as u32, block);
            for (number, panel) in self.panels[begin..end].iter_mut().enumerate() {
                panel.triangle = block;
                self.tasks.push(Task { panel: (begin + number) as u32, begin: 0, end: 0 });
                self.task_offsets.push(block - first_block);
                self.row_offsets.push(0);
                block += panel.width * panel.width;
            }
            let below = block;
            for (number, panel) in self.panels[begin..end].iter_mut().enumerate() {
                panel.below = block;
                let count = panel.rows_end - panel.rows_begin;
                for first in (0..count).step_by(TASK_ROWS as usize) {
                    let last = count.min(first + TASK_ROWS);
                    self.tasks.push(Task { panel: (begin + number) as u32, begin: first, end: last });
                    self.task_offsets.push(block - first_block);
                    self.row_offsets.push(block - below);
                    block += (last - first) * panel.width;
                }
            }
            self.task_offsets.push(block - first_block);
            self.row_offsets.push(block - below);
            self.levels.push(Level {
                first_panel: begin as u32,
                end_panel: end as u32,
                first_task,
                end_task: self.tasks.len() as u32,
                begin: first_block,
                below,
                end: block,
            });
            begin = end;
        }
    }

    /// Lists what changes each panel.
    fn link(&mut self) {
        self.update_starts.clear();
        self.update_starts.resize(self.panels.len() + 1, 0);
        for from in 0..self.panels.len() {
            each_update(&self.panels[from], &self.rows, &self.panel_of, |to, _, _| {
                self.update_starts[to as usize + 1] += 1;
            });
        }
        for panel in 0..self.panels.len() {
            self.update_starts[panel + 1] += self.update_starts[panel];
        }
        self.next.clear();
        self.next.extend_from_slice(&self.update_starts);
        self.updates.clear();
        self.updates.resize(self.next.last().copied().unwrap_or(0) as usize, Update::default());
        for from in 0..self.panels.len() {
            each_update(&self.panels[from], &self.rows, &self.panel_of, |to, begin, end| {
                let next = &mut self.next[to as usize];
                self.updates[*next as usize] = Update { from: from as u32, begin, end };
                *next += 1;
            });
        }
    }
}

/// Calls with each panel that a panel changes and the range of its rows that are columns there.
fn each_update(panel: &Panel, rows: &[u32], panel_of: &[u32], mut call: impl FnMut(u32, u32, u32)) {
    let rows = &rows[panel.rows_begin as usize..panel.rows_end as usize];
    let mut begin = 0;
    for run in rows.chunk_by(|a, b| panel_of[*a as usize] == panel_of[*b as usize]) {
        call(panel_of[run[0] as usize], begin, begin + run.len() as u32);
        begin += run.len() as u32;
    }
}
