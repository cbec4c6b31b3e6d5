//! Cholesky's factor of a sparse symmetric matrix of 6x6 blocks, one row per body.
//!
//! The order of elimination (`order`) and the places of all blocks (`panels`) are found once per island; the numbers are filled
//! in and factored once per iteration. Level by level, each task takes up what earlier panels change in its own
//! rows: sums have one order whoever works on them, so the factor has equal bits at any thread count. Keeps its memory.

use super::block::{Block6, Vector6, ZERO, transposed};
use super::order::Elimination;
use super::panels::{Panel, Panels, Task};
use super::tile;
use drystone_exec::{Exec, items, items_mut, segments_mut};
use drystone_math::wide::{Isa, Kernel, Lanes};

/// The factor.
#[derive(Clone, Debug, Default)]
pub(super) struct SparseCholesky {
    elimination: Elimination,
    panels: Panels,
    /// Blocks by columns: `[column][row]`.
    blocks: Vec<Block6>,
    /// What the matrix has in each task: `entries[entry_starts[task]..entry_starts[task + 1]]`.
    entries: Vec<Entry>,
    entry_starts: Vec<u32>,
    /// Task of each entry, by body and then by pair.
    places: Vec<(u32, Entry)>,
    is_positive: Vec<bool>,
    permuted: Vec<Vector6>,
}

/// A block of the matrix.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    /// Block in the task.
    place: u32,
    /// Body, or the number of bodies and that of the pair.
    source: u32,
    /// Its rows are those of the pair's first body.
    is_turned: bool,
}

impl SparseCholesky {
    /// Finds order and places for `count` bodies, of which these pairs are coupled; each pair once.
    pub(super) fn analyse(&mut self, count: usize, pairs: &[[u32; 2]]) {
        self.elimination.find(count, pairs);
        self.panels.find(&self.elimination);
        self.places.clear();
        let all = (0..count as u32).map(|body| [body, body]).chain(pairs.iter().copied());
        for (source, [a, b]) in all.enumerate() {
            let Some((task, place, is_b)) = self.panels.place(a, b) else {
                debug_assert!(false, "bodies {a} and {b} are coupled");
                continue;
            };
            let entry = Entry { place, source: source as u32, is_turned: !is_b && a != b };
            self.places.push((task, entry));
        }
        self.places.sort_unstable_by_key(|(task, entry)| (*task, entry.source));
        self.entries.clear();
        self.entries.extend(self.places.iter().map(|(_, entry)| *entry));
        let starts = (0..=self.panels.tasks.len())
            .map(|task| self.places.partition_point(|(other, _)| (*other as usize) < task) as u32);
        self.entry_starts.clear();
        self.entry_starts.extend(starts);
        self.blocks.clear();
        self.blocks.resize(self.panels.block_count(), ZERO);
        self.is_positive.clear();
        self.is_positive.resize(self.panels.tasks.len(), true);
    }

    /// Blocks of the factor: triangles, and rows below.
    pub(super) fn block_count(&self) -> usize {
        self.panels.block_count()
    }

    /// Factors the matrix with these blocks on the diagonal, and with those of the pairs, whose rows are those of the second body; both
    /// by columns. False when it is not positive definite.
    pub(super) fn factor(&mut self, diagonal: &[Block6], couplings: &[Block6], exec: &Exec) -> bool {
        let isa = Isa::best();
        let Self { panels, blocks, entries, entry_starts, is_positive, .. } = self;
        for (number, level) in panels.levels.iter().enumerate() {
            let tasks = level.first_task as usize..level.end_task as usize;
            let offsets = &panels.task_offsets[tasks.start + number..=tasks.end + number];
            let (done, rest) = blocks.split_at_mut(level.begin as usize);
            let own = &mut rest[..(level.end - level.begin) as usize];
            let starts = &entry_starts[tasks.clone()];
            let ends = &entry_starts[tasks.start + 1..=tasks.end];
            let listed = &panels.tasks[tasks.clone()];
            let results = items_mut(&mut is_positive[tasks.clone()]);
            let Ok(parts) = segments_mut(own, offsets) else {
                debug_assert!(false, "tasks follow each other");
                return false;
            };
            let done: &[Block6] = done;
            let work = (items(listed), parts, results, items(starts), items(ends));
            exec.for_each_dynamic(work, |_, (task, blocks, is_positive, &start, &end)| {
                let entries = &entries[start as usize..end as usize];
                fill(blocks, entries, diagonal, couplings);
                *is_positive = isa.run(TakeUp { panels, done, task, blocks });
            });
            let triangle_count = (level.end_panel - level.first_panel) as usize;
            if !is_positive[tasks.clone()][..triangle_count].iter().all(|&is_positive| is_positive) {
                return false;
            }
            // Rows below, once the triangles are known.
            let (triangles, below) = own.split_at_mut((level.below - level.begin) as usize);
            let triangles: &[Block6] = triangles;
            let offsets = &panels.row_offsets[tasks.start + triangle_count + number..=tasks.end + number];
            let Ok(parts) = segments_mut(below, offsets) else {
                debug_assert!(false, "tasks follow each other");
                return false;
            };
            let listed = &panels.tasks[tasks.start + triangle_count..tasks.end];
            exec.for_each_dynamic((items(listed), parts), |_, (task, rows)| {
                let panel = &panels.panels[task.panel as usize];
                let triangle = &triangles[(panel.triangle - level.begin) as usize..];
                isa.run(Divide { panel, triangle, rows });
            });
        }
        true
    }

    /// Solves in place: `x` (six per body) holds the right-hand side, then the answer.
    pub(super) fn solve(&mut self, x: &mut [Vector6]) {
        let Self { panels, blocks, permuted, .. } = self;
        permuted.clear();
        permuted.extend(panels.body_of.iter().map(|&body| x[body as usize]));
        Isa::best().run(Solve { panels, blocks, x: permuted });
        panels.body_of.iter().zip(permuted.iter()).for_each(|(&body, y)| x[body as usize] = *y);
    }
}

/// Puts the matrix into the blocks of a task.
fn fill(blocks: &mut [Block6], entries: &[Entry], diagonal: &[Block6], couplings: &[Block6]) {
    blocks.fill(ZERO);
    for entry in entries {
        let source = entry.source as usize;
        let block =
            if source < diagonal.len() { &diagonal[source] } else { &couplings[source - diagonal.len()] };
        blocks[entry.place as usize] = if entry.is_turned { transposed(block) } else { *block };
    }
}

/// Takes up what earlier panels change in the blocks of a task, and factors a triangle; false when that is not positive definite.
struct TakeUp<'a> {
    panels: &'a Panels,
    /// All blocks of earlier levels.
    done: &'a [Block6],
    task: &'a Task,
    blocks: &'a mut [Block6],
}

impl Kernel for TakeUp<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<L: Lanes>(self, _: L) -> bool {
        let Self { panels, done, task, blocks } = self;
        let panel = &panels.panels[task.panel as usize];
        let width = panel.width as usize;
        let is_triangle = task.begin == task.end;
        let own = &panels.rows_of(panel)[task.begin as usize..task.end as usize];
        for update in panels.updates_of(task.panel) {
            let from = &panels.panels[update.from as usize];
            let rows = panels.rows_of(from);
            let row_of =
                |row: usize| &done[from.below as usize..][row * from.width as usize..][..from.width as usize];
            let columns = update.begin as usize..update.end as usize;
            if is_triangle {
                for row in columns.clone() {
                    let target = &mut blocks[(rows[row] - panel.first) as usize * width..][..width];
                    for column in columns.start..=row {
                        let target = &mut target[(rows[column] - panel.first) as usize];
                        let [a, b] = [row_of(row), row_of(column)];
                        tile::subtract_product(target, a.as_flattened(), b.as_flattened());
                    }
                }
                continue;
            }
            let [first, last] = [own[0], own[own.len() - 1]];
            let mut place = 0;
            let below = columns.end + rows[columns.end..].partition_point(|&row| row < first);
            for (row, &number) in rows.iter().enumerate().skip(below).take_while(|(_, row)| **row <= last) {
                // All rows of the earlier panel are rows of this one: that is what fill is.
                while own[place] != number {
                    place += 1;
                }
                let target = &mut blocks[place * width..][..width];
                for column in columns.clone() {
                    let target = &mut target[(rows[column] - panel.first) as usize];
                    let [a, b] = [row_of(row), row_of(column)];
                    tile::subtract_product(target, a.as_flattened(), b.as_flattened());
                }
            }
        }
        !is_triangle || tile::factor_triangle(blocks, width)
    }
}

/// Divides some rows of a panel by its triangle.
struct Divide<'a> {
    panel: &'a Panel,
    /// Begins with the triangle.
    triangle: &'a [Block6],
    rows: &'a mut [Block6],
}

impl Kernel for Divide<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, _: L) {
        let width = self.panel.width as usize;
        for row in self.rows.chunks_exact_mut(width) {
            tile::divide_row(row, &self.triangle[..width * width]);
        }
    }
}

/// Solves with the factor.
struct Solve<'a> {
    panels: &'a Panels,
    blocks: &'a [Block6],
    /// By column.
    x: &'a mut [Vector6],
}

impl Kernel for Solve<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, _: L) {
        let Self { panels, blocks, x } = self;
        let parts = |panel: &Panel| {
            let (first, width) = (panel.first as usize, panel.width as usize);
            let triangle = &blocks[panel.triangle as usize..][..width * width];
            (first, width, triangle, blocks[panel.below as usize..].chunks_exact(width))
        };
        for panel in &panels.panels {
            let (first, width, triangle, below) = parts(panel);
            let (own, later) = x[first..].split_at_mut(width);
            tile::solve_lower(triangle, own);
            for (&row, blocks) in panels.rows_of(panel).iter().zip(below) {
                tile::subtract_times(&mut later[row as usize - first - width], blocks, own);
            }
        }
        for panel in panels.panels.iter().rev() {
            let (first, width, triangle, below) = parts(panel);
            let (own, later) = x[first..].split_at_mut(width);
            for (&row, blocks) in panels.rows_of(panel).iter().zip(below) {
                tile::subtract_transposed_times(own, blocks, &later[row as usize - first - width]);
            }
            tile::solve_upper(triangle, own);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A matrix: its order, its pairs, and its entries by rows.
    struct Example {
        count: usize,
        pairs: Vec<[u32; 2]>,
        diagonal: Vec<Block6>,
        couplings: Vec<Block6>,
        dense: Vec<Vec<f64>>,
    }

    /// With diagonals that outweigh all other entries.
    fn example(count: usize, pairs: &[(u32, u32)], numbers: &[f64]) -> Example {
        let mut pairs: Vec<[u32; 2]> = pairs
            .iter()
            .map(|(a, b)| [*a.min(b) % count as u32, *a.max(b) % count as u32])
            .filter(|[a, b]| a != b)
            .map(|[a, b]| [a.min(b), a.max(b)])
            .collect();
        pairs.sort_unstable();
        pairs.dedup();
        let number = |k: usize| numbers[k % numbers.len()];
        let mut dense = vec![vec![0.0; 6 * count]; 6 * count];
        let mut diagonal = vec![ZERO; count];
        for (body, block) in diagonal.iter_mut().enumerate() {
            for i in 0..6 {
                for j in 0..6 {
                    let x = if i == j {
                        6.0 * count as f64 + 1.0
                    } else {
                        number(body + 6 * i.min(j) + i.max(j))
                    };
                    block[i][j] = x;
                    dense[6 * body + i][6 * body + j] = x;
                }
            }
        }
        let mut couplings = vec![ZERO; pairs.len()];
        for (k, (&[a, b], block)) in pairs.iter().zip(&mut couplings).enumerate() {
            for row in 0..6 {
                for column in 0..6 {
                    let x = number(5 * k + 6 * row + column);
                    block[column][row] = x;
                    dense[6 * b as usize + row][6 * a as usize + column] = x;
                    dense[6 * a as usize + column][6 * b as usize + row] = x;
                }
            }
        }
        Example { count, pairs, diagonal, couplings, dense }
    }

    fn solved(example: &Example, right: &[Vector6], exec: &Exec) -> Option<Vec<Vector6>> {
        let mut matrix = SparseCholesky::default();
        matrix.analyse(example.count, &example.pairs);
        // Twice, as what the factor before left in the memory may not matter.
        let is_positive = matrix.factor(&example.diagonal, &example.couplings, exec)
            && matrix.factor(&example.diagonal, &example.couplings, exec);
        let mut x = right.to_vec();
        matrix.solve(&mut x);
        is_positive.then_some(x)
    }

    proptest! {
        /// Against a product with the matrix, from a few bodies to panels of full width; the same bits on two threads.
        #[test]
        fn solves_random_graphs(
            count in 1usize..60,
            pairs in prop::collection::vec((0u32..60, 0u32..60), 0..200),
            numbers in prop::collection::vec(-1.0f64..1.0, 37),
        ) {
            let example = example(count, &pairs, &numbers);
            let right: Vec<Vector6> =
                (0..count).map(|b| std::array::from_fn(|i| numbers[(7 * b + i) % 37])).collect();
            let x = solved(&example, &right, &Exec::serial()).expect("diagonals outweigh the rest");
            for (row, dense_row) in example.dense.iter().enumerate() {
                let sum: f64 = dense_row.iter().zip(x.as_flattened()).map(|(a, x)| a * x).sum();
                prop_assert!((sum - right.as_flattened()[row]).abs() < 1e-10);
            }
            // One thread where no others can be had.
            let two = Exec::with_threads(2).unwrap_or_default();
            prop_assert_eq!(solved(&example, &right, &two), Some(x));
        }
    }

    /// What is not positive definite is refused, wherever it is.
    #[test]
    fn an_indefinite_matrix_is_refused() {
        let pairs: Vec<(u32, u32)> = (0..40).flat_map(|i| (1..4).map(move |k| (i, i + k))).collect();
        let right = vec![[1.0; 6]; 40];
        for body in [0, 17, 39] {
            let mut example = example(40, &pairs, &[0.3, -0.2, 0.5]);
            assert!(solved(&example, &right, &Exec::serial()).is_some());
            example.diagonal[body][4][4] = -1.0;
            assert_eq!(solved(&example, &right, &Exec::serial()), None);
        }
    }
}
