//! Sparse LU of matrices of small dense blocks with a symmetric pattern, without pivoting.
//!
//! For matrices that are positive definite or nearly so. The order of elimination is that of least degree, found once per pattern; blocks that fill
//! in are stored from the start. Pivots are inverted as dense blocks; one that has no inverse ends the factorisation. Blocks are [`Tile`]s.

use super::tile::{Dense, Tile};
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

    /// Factors in place; false when a pivot has no inverse.
    pub(crate) fn factor(&mut self) -> bool {
        self.eliminate::<false>()
    }

    /// The same for a matrix that is positive definite but for rounding, within a kernel: pivots are inverted without exchanges.
    #[inline(always)]
    pub(crate) fn factor_definite(&mut self) -> bool {
        self.eliminate::<true>()
    }

    #[inline(always)]
    fn eliminate<const DEFINITE: bool>(&mut self) -> bool {
        for k in 0..self.row_of.len() {
            if !self.invert_pivot::<DEFINITE>(k) {
                return false;
            }
            let inverse = self.pivots[k];
            let range = self.range(k);
            for place in range.start..range.end {
                let i = self.later[place];
                let share = self.lower[place].times(&inverse);
                self.lower[place] = share;
                // Both lists ascend, so places in row (or column) `i` are found one after the other.
                let mut from = self.range(i as usize);
                self.pivots[i as usize].minus_product(&share, &self.upper[place]);
                for other in range.start..range.end {
                    let j = self.later[other];
                    if j > i {
                        from.start = self.find(from.start..from.end, j);
                        let right = self.upper[other];
                        self.upper[from.start].minus_product(&share, &right);
                    }
                }
            }
            for place in range.start..range.end {
                // Column `j` below its diagonal.
                let j = self.later[place];
                let mut from = self.range(j as usize);
                let right = self.upper[place];
                for other in range.start..range.end {
                    let i = self.later[other];
                    if i > j {
                        from.start = self.find(from.start..from.end, i);
                        let left = self.lower[other];
                        self.lower[from.start].minus_product(&left, &right);
                    }
                }
            }
        }
        true
    }

    /// Inverts the pivot of a step; false when it has no inverse.
    #[inline(always)]
    fn invert_pivot<const DEFINITE: bool>(&mut self, step: usize) -> bool {
        let pivot = &mut self.pivots[step];
        if DEFINITE {
            return pivot.invert_definite() && pivot.is_finite();
        }
        let Some(inverse) = pivot.dense().try_inverse() else { return false };
        *pivot = Tile::of(&inverse);
        pivot.is_finite()
    }

    /// The place of a step in a list.
    fn find(&self, range: std::ops::Range<usize>, step: u32) -> usize {
        range.start + self.later[range].partition_point(|&other| other < step)
    }

    /// Solves in place, with `B` numbers per row.
    pub(crate) fn solve(&self, vector: &mut [f64]) {
        self.substitute(vector);
    }

    /// The same with an instruction set.
    pub(crate) fn solve_with(&self, isa: Isa, vector: &mut [f64]) {
        isa.run(Substitute { lu: self, vector });
    }

    #[inline(always)]
    fn substitute(&self, vector: &mut [f64]) {
        let (parts, _) = vector.as_chunks_mut::<B>();
        for k in 0..self.row_of.len() {
            let value = parts[self.row_of[k] as usize];
            let range = self.range(k);
            for place in range.start..range.end {
                let row = self.row_of[self.later[place] as usize] as usize;
                minus(&mut parts[row], &self.lower[place].image(&value));
            }
        }
        for k in (0..self.row_of.len()).rev() {
            let mut value = parts[self.row_of[k] as usize];
            let range = self.range(k);
            for place in range.start..range.end {
                let other = parts[self.row_of[self.later[place] as usize] as usize];
                minus(&mut value, &self.upper[place].image(&other));
            }
            parts[self.row_of[k] as usize].copy_from_slice(&self.pivots[k].image(&value)[..B]);
        }
    }
}

struct Substitute<'a, const B: usize, const P: usize> {
    lu: &'a BlockLu<B, P>,
    vector: &'a mut [f64],
}

impl<const B: usize, const P: usize> Kernel for Substitute<'_, B, P> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, _: L) {
        self.lu.substitute(self.vector);
    }
}

/// `own -= other`, on the rows of a block.
#[inline(always)]
fn minus<const B: usize, const P: usize>(own: &mut [f64; B], other: &[f64; P]) {
    let mut i = 0;
    while i < B {
        own[i] -= other[i];
        i += 1;
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
    }
}
