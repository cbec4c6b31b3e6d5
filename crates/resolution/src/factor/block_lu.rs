//! Sparse LU of matrices of small dense blocks with a symmetric pattern, without pivoting.
//!
//! For matrices that are positive definite or nearly so. The order of elimination is that of least degree, found once per pattern; blocks that fill
//! in are stored from the start. Pivots are inverted as dense blocks; one that has no inverse ends the factorisation. Blocks are [`Tile`]s.

use super::tile::{Dense, Size, Tile};
use drystone_math::wide::{Isa, Kernel, Lanes};

/// Where a block is: what [`BlockLu::place`] finds once and for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum BlockPlace {
    Pivot(u32),
    Upper(u32),
    Lower(u32),
}

/// Matrix of blocks of `B` rows, each in columns of `P`, and, after [`BlockLu::factor`], its factors.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockLu<const B: usize, const P: usize> {
    /// Step in which a row is eliminated.
    step_of: Vec<u32>,
    /// Row that a step eliminates.
    row_of: Vec<u32>,
    /// Off-diagonal neighbours of each step, later steps only, ascending: `later[starts[k]..starts[k + 1]]`.
    starts: Vec<u32>,
    later: Vec<u32>,
    /// Rows that are in use, by step; all at first.
    sizes: Vec<u8>,
    /// Diagonal blocks, by step; inverted by the factorisation.
    pivots: Vec<Tile<B, P>>,
    /// Blocks right of the diagonal, beside [`BlockLu::later`].
    upper: Vec<Tile<B, P>>,
    /// Blocks below it.
    lower: Vec<Tile<B, P>>,
}

impl<const B: usize, const P: usize> BlockLu<B, P> {
    /// For `rows` block rows that are coupled as `pairs` say, in any order and however often.
    pub(crate) fn new(rows: usize, pairs: &[(u32, u32)]) -> Self {
        let mut neighbours: Vec<Vec<u32>> = vec![Vec::new(); rows];
        for &(a, b) in pairs.iter().filter(|(a, b)| a != b) {
            neighbours[a as usize].push(b);
            neighbours[b as usize].push(a);
        }
        for list in &mut neighbours {
            list.sort_unstable();
            list.dedup();
        }
        let mut lu = Self { step_of: vec![u32::MAX; rows], starts: vec![0], ..Self::default() };
        let mut rows_later: Vec<Vec<u32>> = Vec::with_capacity(rows);
        for step in 0..rows as u32 {
            let remaining = (0..rows as u32).filter(|&row| lu.step_of[row as usize] == u32::MAX);
            let Some(row) = remaining.min_by_key(|&row| (neighbours[row as usize].len(), row)) else { break };
            lu.step_of[row as usize] = step;
            lu.row_of.push(row);
            let around = std::mem::take(&mut neighbours[row as usize]);
            for &other in &around {
                let list = &neighbours[other as usize];
                neighbours[other as usize] = merged(list, &around, other, row);
            }
            rows_later.push(around);
        }
        for around in rows_later {
            let begun = lu.later.len();
            lu.later.extend(around.iter().map(|&row| lu.step_of[row as usize]));
            lu.later[begun..].sort_unstable();
            lu.starts.push(lu.later.len() as u32);
        }
        lu.sizes = vec![B as u8; rows];
        lu.pivots = vec![Tile::ZERO; rows];
        lu.upper = vec![Tile::ZERO; lu.later.len()];
        lu.lower = lu.upper.clone();
        lu
    }

    /// Blocks on one side of the diagonal of the factors.
    pub(crate) fn off_diagonal(&self) -> usize {
        self.upper.len()
    }

    /// Multiplications of one factorisation.
    pub(crate) fn work(&self) -> u64 {
        let product = (B * B * B) as u64;
        let of = |range: &[u32]| u64::from(range[1] - range[0]);
        self.starts.windows(2).map(|range| product * of(range) * (of(range) + 1)).sum()
    }

    /// Sets all blocks to zero.
    pub(crate) fn clear(&mut self) {
        for list in [&mut self.pivots, &mut self.upper, &mut self.lower] {
            list.fill(Tile::ZERO);
        }
    }

    /// Where blocks are, all of them.
    pub(crate) fn places(&self) -> impl Iterator<Item = BlockPlace> + use<B, P> {
        let (rows, beside) = (self.pivots.len() as u32, self.upper.len() as u32);
        let off_diagonal = (0..beside).flat_map(|k| [BlockPlace::Upper(k), BlockPlace::Lower(k)]);
        (0..rows).map(BlockPlace::Pivot).chain(off_diagonal)
    }

    /// Adds to a block; its place must be among the pairs.
    pub(crate) fn add(&mut self, row: u32, column: u32, block: &Dense<B>) {
        self.at(self.place(row, column)).add(&Tile::of(block));
    }

    /// Where the block of a row and a column is; it must be among the pairs.
    pub(crate) fn place(&self, row: u32, column: u32) -> BlockPlace {
        let (i, j) = (self.step_of[row as usize], self.step_of[column as usize]);
        if i == j {
            return BlockPlace::Pivot(i);
        }
        let range = self.range(i.min(j) as usize);
        let found = self.later[range.clone()].binary_search(&i.max(j));
        debug_assert!(found.is_ok(), "blocks ({i}, {j}) are not in the pattern");
        let place = (range.start + found.unwrap_or(0)) as u32;
        if i < j { BlockPlace::Upper(place) } else { BlockPlace::Lower(place) }
    }

    /// The block at a place.
    #[inline(always)]
    pub(crate) fn at(&mut self, place: BlockPlace) -> &mut Tile<B, P> {
        match place {
            BlockPlace::Pivot(k) => &mut self.pivots[k as usize],
            BlockPlace::Upper(k) => &mut self.upper[k as usize],
            BlockPlace::Lower(k) => &mut self.lower[k as usize],
        }
    }

    fn range(&self, step: usize) -> std::ops::Range<usize> {
        self.starts[step] as usize..self.starts[step + 1] as usize
    }

    /// Says how many rows (and columns) of a block row are in use: the first ones. For [`BlockLu::factor_sized`] and [`BlockLu::solve_sized`]; the others use all.
    pub(crate) fn set_size(&mut self, row: u32, size: usize) {
        debug_assert!(size <= B, "{size} of {B} rows");
        self.sizes[self.step_of[row as usize] as usize] = size as u8;
    }

    #[inline(always)]
    fn size<const SIZED: bool>(&self, step: usize) -> usize {
        if SIZED { usize::from(self.sizes[step]).min(B) } else { B }
    }

    /// Factors in place; false when a pivot has no inverse.
    pub(crate) fn factor(&mut self) -> bool {
        self.eliminate::<false, false>()
    }

    /// The same for a matrix that is positive semidefinite but for rounding, within a kernel: pivots are inverted without exchanges, and what follows from other rows is left out.
    #[inline(always)]
    pub(crate) fn factor_definite(&mut self) -> bool {
        self.eliminate::<true, false>()
    }

    /// The same of the rows and columns that are in use.
    #[inline(always)]
    pub(crate) fn factor_sized(&mut self) -> bool {
        self.eliminate::<true, true>()
    }

    #[inline(always)]
    fn eliminate<const DEFINITE: bool, const SIZED: bool>(&mut self) -> bool {
        for k in 0..self.row_of.len() {
            let inner = self.size::<SIZED>(k);
            if !self.invert_pivot::<DEFINITE>(k, inner) {
                return false;
            }
            let range = self.range(k);
            for place in range.start..range.end {
                let i = self.later[place];
                let rows = self.size::<SIZED>(i as usize);
                self.lower[place].multiply(Size { rows, columns: inner }, &self.pivots[k]);
                let share = &self.lower[place];
                // Both lists ascend, so places in row (or column) `i` are found one after the other.
                let mut from = self.range(i as usize);
                let size = Size { rows, columns: rows };
                self.pivots[i as usize].minus_product(size, share, inner, &self.upper[place]);
                for other in range.start..range.end {
                    let j = self.later[other];
                    if j > i {
                        from.start = self.find(from.start..from.end, j);
                        let size = Size { rows, columns: self.size::<SIZED>(j as usize) };
                        // What a later step eliminates lies behind what this one does.
                        let (own, later) = self.upper.split_at_mut(range.end);
                        later[from.start - range.end].minus_product(size, share, inner, &own[other]);
                    }
                }
            }
            for place in range.start..range.end {
                // Column `j` below its diagonal.
                let j = self.later[place];
                let columns = self.size::<SIZED>(j as usize);
                let mut from = self.range(j as usize);
                let right = &self.upper[place];
                for other in range.start..range.end {
                    let i = self.later[other];
                    if i > j {
                        from.start = self.find(from.start..from.end, i);
                        let size = Size { rows: self.size::<SIZED>(i as usize), columns };
                        let (own, later) = self.lower.split_at_mut(range.end);
                        later[from.start - range.end].minus_product(size, &own[other], inner, right);
                    }
                }
            }
        }
        true
    }

    /// Inverts the pivot of a step; false when it has no inverse.
    #[inline(always)]
    fn invert_pivot<const DEFINITE: bool>(&mut self, step: usize, size: usize) -> bool {
        let pivot = &mut self.pivots[step];
        if DEFINITE {
            return pivot.invert_semidefinite(size) && pivot.is_finite(size);
        }
        let Some(inverse) = pivot.dense().try_inverse() else { return false };
        *pivot = Tile::of(&inverse);
        pivot.is_finite(size)
    }

    /// The place of a step in a list.
    fn find(&self, range: std::ops::Range<usize>, step: u32) -> usize {
        range.start + self.later[range].partition_point(|&other| other < step)
    }

    /// Solves in place, with `B` numbers per row.
    pub(crate) fn solve(&self, vector: &mut [f64]) {
        self.substitute::<false>(vector);
    }

    /// The same with an instruction set.
    pub(crate) fn solve_with(&self, isa: Isa, vector: &mut [f64]) {
        isa.run(Substitute::<B, P, false> { lu: self, vector });
    }

    /// The same of the rows that are in use, which the others are left out of.
    pub(crate) fn solve_sized(&self, isa: Isa, vector: &mut [f64]) {
        isa.run(Substitute::<B, P, true> { lu: self, vector });
    }

    #[inline(always)]
    fn substitute<const SIZED: bool>(&self, vector: &mut [f64]) {
        let (parts, _) = vector.as_chunks_mut::<B>();
        for k in 0..self.row_of.len() {
            let (value, columns) = (parts[self.row_of[k] as usize], self.size::<SIZED>(k));
            let range = self.range(k);
            for place in range.start..range.end {
                let step = self.later[place] as usize;
                let size = Size { rows: self.size::<SIZED>(step), columns };
                self.lower[place].minus_image(size, &value, &mut parts[self.row_of[step] as usize]);
            }
        }
        for k in (0..self.row_of.len()).rev() {
            let (mut value, rows) = (parts[self.row_of[k] as usize], self.size::<SIZED>(k));
            let range = self.range(k);
            for place in range.start..range.end {
                let step = self.later[place] as usize;
                let size = Size { rows, columns: self.size::<SIZED>(step) };
                self.upper[place].minus_image(size, &parts[self.row_of[step] as usize], &mut value);
            }
            let size = Size { rows, columns: rows };
            self.pivots[k].set_image(size, &value, &mut parts[self.row_of[k] as usize]);
        }
    }
}

struct Substitute<'a, const B: usize, const P: usize, const SIZED: bool> {
    lu: &'a BlockLu<B, P>,
    vector: &'a mut [f64],
}

impl<const B: usize, const P: usize, const SIZED: bool> Kernel for Substitute<'_, B, P, SIZED> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, _: L) {
        self.lu.substitute::<SIZED>(self.vector);
    }
}

/// Two ascending lists as one, without `own` and `gone`.
fn merged(a: &[u32], b: &[u32], own: u32, gone: u32) -> Vec<u32> {
    let mut list = Vec::with_capacity(a.len() + b.len());
    list.extend(a.iter().chain(b).copied().filter(|&row| row != own && row != gone));
    list.sort_unstable();
    list.dedup();
    list
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{DMatrix, DVector};
    use proptest::prelude::*;

    proptest! {
        /// Against a dense factorisation, on random patterns.
        #[test]
        fn solves_what_a_dense_factorisation_solves(
            rows in 1..12_usize,
            pairs in prop::collection::vec((0..12_u32, 0..12_u32), 0..30),
            values in prop::collection::vec(-1.0f64..1.0, 400),
        ) {
            let pairs: Vec<_> = pairs.into_iter().map(|(a, b)| (a % rows as u32, b % rows as u32)).collect();
            let mut lu = BlockLu::<2, 2>::new(rows, &pairs);
            let mut dense = DMatrix::<f64>::zeros(2 * rows, 2 * rows);
            let mut values = values.into_iter().cycle();
            let both = pairs.iter().flat_map(|&(a, b)| [(a, b), (b, a)]);
            for (a, b) in both.chain((0..rows as u32).map(|i| (i, i))) {
                let mut block = Dense::<2>::from_fn(|_, _| values.next().unwrap_or(0.5));
                if a == b {
                    block += Dense::identity() * 80.0;
                }
                lu.add(a, b, &block);
                let mut view = dense.fixed_view_mut::<2, 2>(2 * a as usize, 2 * b as usize);
                view += block;
            }
            let right: Vec<f64> = (0..2 * rows).map(|i| i as f64 - 3.0).collect();
            let expected = dense.lu().solve(&DVector::from_column_slice(&right)).expect("dominated by its diagonal");
            let mut solved = right;
            prop_assert!(lu.factor());
            lu.solve(&mut solved);
            for (a, b) in solved.iter().zip(expected.iter()) {
                prop_assert!((a - b).abs() < 1e-12 * (1.0 + b.abs()), "{a} and {b}");
            }
        }

        /// The same of blocks of which parts are not in use, whatever is there.
        #[test]
        fn what_is_not_in_use_counts_for_nothing(
            sizes in prop::collection::vec(3..=6_usize, 1..9),
            pairs in prop::collection::vec((0..9_u32, 0..9_u32), 0..20),
            values in prop::collection::vec(-1.0f64..1.0, 400),
        ) {
            let rows = sizes.len();
            let pairs: Vec<_> = pairs.into_iter().map(|(a, b)| (a % rows as u32, b % rows as u32)).collect();
            let starts: Vec<usize> = (0..=rows).map(|k| sizes[..k].iter().sum()).collect();
            let mut lu = BlockLu::<6, 8>::new(rows, &pairs);
            (0..rows).for_each(|row| lu.set_size(row as u32, sizes[row]));
            let mut dense = DMatrix::<f64>::zeros(starts[rows], starts[rows]);
            let mut values = values.into_iter().cycle();
            let places: Vec<BlockPlace> = lu.places().collect();
            for place in places {
                *lu.at(place) = Tile([[0.0; 8]; 6]);
            }
            let both = pairs.iter().flat_map(|&(a, b)| [(a, b), (b, a)]);
            for (a, b) in both.chain((0..rows as u32).map(|i| (i, i))) {
                let mut block = Tile([[f64::NAN; 8]; 6]);
                let [(first, size), (first_column, columns)] =
                    [a, b].map(|k| (starts[k as usize], sizes[k as usize]));
                for column in 0..columns {
                    block.0[column] = [0.0; 8];
                    for row in 0..size {
                        let own = if a == b && row == column { 80.0 } else { 0.0 };
                        block.0[column][row] = own + values.next().unwrap_or(0.5);
                        dense[(first + row, first_column + column)] = block.0[column][row];
                    }
                }
                let place = lu.place(a, b);
                *lu.at(place) = block;
            }
            let right: Vec<f64> = (0..starts[rows]).map(|i| i as f64 - 3.0).collect();
            let expected = dense.lu().solve(&DVector::from_column_slice(&right)).expect("dominated by its diagonal");
            let mut solved = vec![f64::NAN; 6 * rows];
            let places: Vec<usize> = (0..rows).flat_map(|k| (0..sizes[k]).map(move |row| 6 * k + row)).collect();
            places.iter().zip(&right).for_each(|(&place, &value)| solved[place] = value);
            prop_assert!(lu.factor_sized());
            for isa in Isa::all() {
                let mut solved = solved.clone();
                lu.solve_sized(isa, &mut solved);
                for (&place, b) in places.iter().zip(expected.iter()) {
                    let a = solved[place];
                    prop_assert!((a - b).abs() < 1e-12 * (1.0 + b.abs()), "{a} and {b}");
                }
            }
        }
    }
}
