//! Block-sparse matrices of 3x3 blocks, by rows.

use super::error::{ProblemError, check_finite, check_size};
use super::{Block, Local, Triplets};
use std::ops::Range;

/// A square matrix of 3x3 blocks in compressed rows, columns ascending within a row. Every diagonal block is stored.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BlockRows {
    /// First block of each row, and the end of the last one.
    starts: Vec<u32>,
    columns: Vec<u32>,
    blocks: Vec<Block>,
    /// Where the diagonal block of each row is.
    diagonal: Vec<u32>,
}

impl BlockRows {
    /// From scalar entries; entries at the same place add up.
    ///
    /// # Errors
    /// A matrix that is not square with a multiple of three rows, an entry outside of it or not finite; `field`
    /// names the matrix.
    pub fn from_triplets(field: &'static str, triplets: &Triplets) -> Result<Self, ProblemError> {
        triplets.check(field)?;
        check_size(field, triplets.rows, triplets.columns)?;
        check_size(field, triplets.rows.next_multiple_of(3), triplets.rows)?;
        let entries = triplets.iter().map(|(i, j, x)| {
            let mut block = Block::zeros();
            block[(i as usize % 3, j as usize % 3)] = x;
            (i / 3, j / 3, block)
        });
        Ok(Self::from_blocks(triplets.rows / 3, entries.collect()))
    }

    /// From blocks in any order; blocks at the same place add up in the order given. Missing diagonal blocks are
    /// zero.
    ///
    /// # Panics
    /// When a block lies outside of `rows` x `rows`.
    pub(super) fn from_blocks(rows: usize, mut entries: Vec<(u32, u32, Block)>) -> Self {
        entries.extend((0..rows as u32).map(|i| (i, i, Block::zeros())));
        entries.sort_by_key(|&(row, column, _)| (row, column));
        let mut matrix = Self::default();
        matrix.clear();
        let mut next = entries.iter().peekable();
        for row in 0..rows as u32 {
            while let Some(&(_, column, block)) = next.next_if(|entry| entry.0 == row) {
                matrix.add_to_row(row, column, &block);
            }
            matrix.end_row();
        }
        assert!(next.peek().is_none(), "a block outside of {rows} rows");
        matrix
    }

    /// Forgets all rows and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.starts.clear();
        self.starts.push(0);
        self.columns.clear();
        self.blocks.clear();
        self.diagonal.clear();
    }

    /// Adds a block to the row that is being filled: to the last one when that is of the same column, after it otherwise.
    pub(crate) fn add_to_row(&mut self, row: u32, column: u32, block: &Block) {
        let begun = self.starts.last().map_or(0, |&start| start as usize);
        if self.columns.len() > begun && self.columns.last() == Some(&column) {
            if let Some(last) = self.blocks.last_mut() {
                *last += block;
            }
            return;
        }
        debug_assert!(
            self.columns[begun..].last().is_none_or(|&last| last < column),
            "columns of a row come in ascending order"
        );
        if column == row {
            self.diagonal.push(self.blocks.len() as u32);
        }
        self.columns.push(column);
        self.blocks.push(*block);
    }

    /// Ends the row that is being filled.
    pub(crate) fn end_row(&mut self) {
        self.starts.push(self.blocks.len() as u32);
        debug_assert_eq!(self.diagonal.len() + 1, self.starts.len(), "every row has its diagonal block");
    }

    /// `Ok` when every entry is finite.
    pub(super) fn check(&self, field: &'static str) -> Result<(), ProblemError> {
        self.blocks.iter().try_for_each(|block| check_finite(field, block.as_slice()))
    }

    /// Number of block rows.
    #[inline]
    pub fn row_count(&self) -> usize {
        self.diagonal.len()
    }

    /// Number of stored blocks.
    #[inline]
    pub fn block_count(&self) -> usize {
        self.blocks.len()
    }

    /// Columns and blocks of a row, ascending by column.
    #[inline]
    pub fn row(&self, row: usize) -> (&[u32], &[Block]) {
        let range = self.range(row);
        (&self.columns[range.clone()], &self.blocks[range])
    }

    /// The diagonal block of a row.
    #[inline]
    pub fn diagonal(&self, row: usize) -> &Block {
        &self.blocks[self.diagonal[row] as usize]
    }

    /// A row times a vector of three entries per block column.
    #[inline]
    pub fn row_times(&self, row: usize, vector: &[f64]) -> Local {
        let (columns, blocks) = self.row(row);
        let mut sum = Local::zeros();
        for (&column, block) in columns.iter().zip(blocks) {
            sum += block * Local::from_column_slice(&vector[3 * column as usize..][..3]);
        }
        sum
    }

    /// Adds the transpose times a vector.
    pub(crate) fn add_transpose_times(&self, vector: &[f64], sum: &mut [f64]) {
        for row in 0..self.row_count() {
            let part = Local::from_column_slice(&vector[3 * row..][..3]);
            let (columns, blocks) = self.row(row);
            for (&column, block) in columns.iter().zip(blocks) {
                let product = block.tr_mul(&part);
                let place = &mut sum[3 * column as usize..][..3];
                place.iter_mut().zip(product.iter()).for_each(|(sum, x)| *sum += x);
            }
        }
    }

    /// Scales every entry.
    pub(crate) fn scale(&mut self, factor: f64) {
        self.blocks.iter_mut().for_each(|block| *block *= factor);
    }

    /// Largest difference to the transpose, as a share of the largest entry: 0 when symmetric.
    pub fn asymmetry(&self) -> f64 {
        let (mut largest, mut difference) = (0.0_f64, 0.0_f64);
        for row in 0..self.row_count() {
            let (columns, blocks) = self.row(row);
            for (&column, block) in columns.iter().zip(blocks) {
                let mirrored = self.block(column as usize, row).copied().unwrap_or_else(Block::zeros);
                largest = largest.max(block.amax());
                difference = difference.max((block - mirrored.transpose()).amax());
            }
        }
        if largest > 0.0 { difference / largest } else { 0.0 }
    }

    /// A stored block.
    #[inline]
    pub fn block(&self, row: usize, column: usize) -> Option<&Block> {
        let (columns, blocks) = self.row(row);
        columns.binary_search(&(column as u32)).ok().map(|place| &blocks[place])
    }

    fn range(&self, row: usize) -> Range<usize> {
        self.starts[row] as usize..self.starts[row + 1] as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn triplets(rows: usize, entries: &[(u32, u32, f64)]) -> Triplets {
        let mut matrix = Triplets::new(rows, rows);
        entries.iter().for_each(|&(i, j, x)| matrix.push(i, j, x));
        matrix
    }

    #[test]
    fn entries_add_up_and_rows_ascend() {
        let source = triplets(9, &[(8, 0, 2.0), (0, 8, 5.0), (0, 1, 3.0), (0, 8, -1.0), (3, 3, 7.0)]);
        let matrix = BlockRows::from_triplets("W", &source).expect("fits");
        assert_eq!((matrix.row_count(), matrix.block_count()), (3, 5));
        assert_eq!(matrix.row(0).0, [0, 2]);
        let vector: Vec<f64> = (1..=9).map(f64::from).collect();
        assert_eq!(matrix.row_times(0, &vector), Local::new(3.0 * 2.0 + 4.0 * 9.0, 0.0, 0.0));
        assert_eq!(matrix.row_times(2, &vector), Local::new(0.0, 0.0, 2.0));
        let mut turned = vec![1.0; 9];
        matrix.add_transpose_times(&vector, &mut turned);
        assert_eq!(turned, [1.0 + 2.0 * 9.0, 1.0 + 3.0, 1.0, 1.0 + 7.0 * 4.0, 1.0, 1.0, 1.0, 1.0, 1.0 + 4.0]);
        assert_eq!(matrix.diagonal(1)[(0, 0)], 7.0);
        assert_eq!(matrix.block(1, 0), None);
        assert_eq!(matrix.asymmetry(), 3.0 / 7.0);
    }

    #[test]
    fn what_does_not_fit_is_refused_with_its_name() {
        let refused =
            |source: Triplets| BlockRows::from_triplets("W", &source).expect_err("refused").to_string();
        assert_eq!(refused(triplets(4, &[])), "W must have 6 entries, got 4");
        assert_eq!(
            refused(triplets(3, &[(0, 0, 1.0), (0, 3, 1.0)])),
            "entry 1 of W is at (0, 3), outside of 3 x 3"
        );
        assert_eq!(refused(triplets(3, &[(0, 0, f64::NAN)])), "W[0] must be finite, got NaN");
    }
}
