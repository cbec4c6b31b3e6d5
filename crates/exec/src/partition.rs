//! Data cut into parts that may be worked on at the same time.
//!
//! Stages of other crates use the partitions made here and stay free of `unsafe`. A new kind of partition
//! implements [`Partition`] and argues why its parts are disjoint.
#![expect(unsafe_code, reason = "hands out disjoint mutable parts of one slice through a shared reference")]

use std::ops::Range;

use crate::{ExecError, Shared};

/// Splits data into parts that can be handed to workers at the same time.
///
/// A stage takes its partition by value, so that no index can be asked for twice by a later stage. A tuple of
/// two to eight partitions is a partition whose part is the tuple of their parts; all must have equally many.
///
/// # Safety
/// [`Partition::part`] may be called from any thread, also at the same time, for different indices below
/// [`Partition::part_count`]: the parts must then be valid side by side, and may be moved out of the call that
/// made them (a `&mut` part must not overlap another part). `part_count` must not change. Implementations must
/// not be copyable when their parts are exclusive.
pub unsafe trait Partition: Sync {
    /// What a worker gets: usually a slice, a reference or a range.
    type Part;

    /// Number of parts; valid indices are below it.
    ///
    /// # Panics
    /// For a tuple, when its partitions differ in their number of parts.
    fn part_count(&self) -> usize;

    /// The part at `index`.
    ///
    /// # Safety
    /// `index < self.part_count()`, and each index is asked for at most once in the partition's life.
    unsafe fn part(&self, index: usize) -> Self::Part;
}

/// Cuts a length into chunks; the last may be shorter.
#[derive(Debug)]
struct Cut {
    len: usize,
    chunk: usize,
}

impl Cut {
    #[inline]
    fn new(len: usize, chunk: usize) -> Self {
        assert!(chunk > 0, "chunk length must be at least 1, got 0");
        Self { len, chunk }
    }

    #[inline]
    fn count(&self) -> usize {
        self.len.div_ceil(self.chunk)
    }

    /// Chunk `index < count()`: non-empty, within `0..len`, and disjoint from those of other indices.
    #[inline]
    fn range(&self, index: usize) -> Range<usize> {
        let start = index * self.chunk;
        start..start + self.chunk.min(self.len - start)
    }
}

/// Parts of [`chunks_mut`].
pub struct ChunksMut<'a, T> {
    data: Shared<'a, T>,
    cut: Cut,
}

/// Chunks of `chunk` elements, the last maybe shorter, as `&mut [T]`.
///
/// # Panics
/// When `chunk` is 0, as [`slice::chunks_mut`].
///
/// ```
/// # use drystone_exec::{Exec, chunks_mut};
/// let mut data = [0; 5];
/// Exec::serial().for_each_dynamic(chunks_mut(&mut data, 2), |index, chunk| chunk.fill(index));
/// assert_eq!(data, [0, 0, 1, 1, 2]);
/// ```
pub fn chunks_mut<T>(slice: &mut [T], chunk: usize) -> ChunksMut<'_, T> {
    ChunksMut { cut: Cut::new(slice.len(), chunk), data: Shared::new(slice) }
}

// SAFETY: `Cut` gives disjoint ranges within the slice for different indices.
unsafe impl<'a, T: Send> Partition for ChunksMut<'a, T> {
    type Part = &'a mut [T];

    fn part_count(&self) -> usize {
        self.cut.count()
    }

    unsafe fn part(&self, index: usize) -> &'a mut [T] {
        // SAFETY: each index comes at most once, and `Cut` ranges are in bounds and disjoint.
        unsafe { self.data.range(self.cut.range(index)) }
    }
}

/// Parts of [`chunks`].
#[derive(Debug)]
pub struct Chunks<'a, T> {
    slice: &'a [T],
    cut: Cut,
}

/// Chunks of `chunk` elements, the last maybe shorter, as `&[T]`.
///
/// # Panics
/// When `chunk` is 0, as [`slice::chunks`].
///
/// ```
/// # use drystone_exec::{Exec, chunks, items_mut};
/// let mut sums = [0; 3];
/// Exec::serial().for_each_dynamic((chunks(&[1, 2, 3, 4, 5], 2), items_mut(&mut sums)), |_, (chunk, sum)| {
///     *sum = chunk.iter().sum();
/// });
/// assert_eq!(sums, [3, 7, 5]);
/// ```
pub fn chunks<T>(slice: &[T], chunk: usize) -> Chunks<'_, T> {
    Chunks { slice, cut: Cut::new(slice.len(), chunk) }
}

// SAFETY: the parts are shared references.
unsafe impl<'a, T: Sync> Partition for Chunks<'a, T> {
    type Part = &'a [T];

    fn part_count(&self) -> usize {
        self.cut.count()
    }

    unsafe fn part(&self, index: usize) -> &'a [T] {
        &self.slice[self.cut.range(index)]
    }
}

/// Checks that `offsets` cut a slice of length `len` into segments.
#[inline]
fn check_offsets(offsets: &[u32], len: usize) -> Result<(), ExecError> {
    if let Some(before) = offsets.windows(2).position(|pair| pair[0] > pair[1]) {
        let (before, after, index) = (offsets[before], offsets[before + 1], before + 1);
        return Err(ExecError::OffsetsDecrease { index, before, after });
    }
    match offsets.last() {
        Some(&last) if last as usize > len => Err(ExecError::OffsetsPastEnd { last, len }),
        _ => Ok(()),
    }
}

/// Segment `index` of checked offsets.
#[inline]
fn segment(offsets: &[u32], index: usize) -> Range<usize> {
    offsets[index] as usize..offsets[index + 1] as usize
}

/// Parts of [`segments_mut`].
pub struct SegmentsMut<'a, T> {
    data: Shared<'a, T>,
    offsets: &'a [u32],
}

/// Segments `offsets[i]..offsets[i + 1]`, which may be empty, as `&mut [T]`: one part less than offsets, and
/// none for no offsets.
///
/// # Errors
/// When the offsets decrease, or the last lies past the end of the slice. O(offsets).
///
/// ```
/// # use drystone_exec::{Exec, ExecError, segments_mut};
/// let mut data = [9; 6];
/// Exec::serial().for_each_dynamic(segments_mut(&mut data, &[1, 3, 3, 5])?, |index, part| part.fill(index));
/// assert_eq!(data, [9, 0, 0, 2, 2, 9]);
/// # Ok::<(), ExecError>(())
/// ```
pub fn segments_mut<'a, T>(slice: &'a mut [T], offsets: &'a [u32]) -> Result<SegmentsMut<'a, T>, ExecError> {
    check_offsets(offsets, slice.len())?;
    Ok(SegmentsMut { data: Shared::new(slice), offsets })
}

// SAFETY: offsets that do not decrease give disjoint segments for different indices.
unsafe impl<'a, T: Send> Partition for SegmentsMut<'a, T> {
    type Part = &'a mut [T];

    fn part_count(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    unsafe fn part(&self, index: usize) -> &'a mut [T] {
        // SAFETY: each index comes at most once; `segments_mut` checked order and end of the offsets, which
        // stay borrowed and so unchanged.
        unsafe { self.data.range(segment(self.offsets, index)) }
    }
}

/// Parts of [`segments`].
#[derive(Debug)]
pub struct Segments<'a, T> {
    slice: &'a [T],
    offsets: &'a [u32],
}

/// Segments `offsets[i]..offsets[i + 1]`, which may be empty, as `&[T]`; see [`segments_mut`].
///
/// # Errors
/// When the offsets decrease, or the last lies past the end of the slice. O(offsets).
///
/// ```
/// # use drystone_exec::{Exec, ExecError, segments};
/// Exec::serial().for_each_dynamic(segments(&[7, 8, 9], &[0, 2, 3])?, |index, part| assert_eq!(part.len(), 2 - index));
/// # Ok::<(), ExecError>(())
/// ```
pub fn segments<'a, T>(slice: &'a [T], offsets: &'a [u32]) -> Result<Segments<'a, T>, ExecError> {
    check_offsets(offsets, slice.len())?;
    Ok(Segments { slice, offsets })
}

// SAFETY: the parts are shared references.
unsafe impl<'a, T: Sync> Partition for Segments<'a, T> {
    type Part = &'a [T];

    fn part_count(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    unsafe fn part(&self, index: usize) -> &'a [T] {
        &self.slice[segment(self.offsets, index)]
    }
}

/// Parts of [`items_mut`].
pub struct ItemsMut<'a, T> {
    data: Shared<'a, T>,
}

/// Each element as `&mut T`.
///
/// ```
/// # use drystone_exec::{Exec, items_mut};
/// let mut data = [0; 3];
/// Exec::serial().for_each_dynamic(items_mut(&mut data), |index, item| *item = 10 * index);
/// assert_eq!(data, [0, 10, 20]);
/// ```
pub fn items_mut<T>(slice: &mut [T]) -> ItemsMut<'_, T> {
    ItemsMut { data: Shared::new(slice) }
}

// SAFETY: different elements are disjoint.
unsafe impl<'a, T: Send> Partition for ItemsMut<'a, T> {
    type Part = &'a mut T;

    fn part_count(&self) -> usize {
        self.data.len()
    }

    unsafe fn part(&self, index: usize) -> &'a mut T {
        // SAFETY: in bounds of a slice borrowed for 'a, and each index comes at most once.
        unsafe { &mut self.data.range(index..index + 1)[0] }
    }
}

/// Parts of [`items`].
#[derive(Debug)]
pub struct Items<'a, T> {
    slice: &'a [T],
}

/// Each element as `&T`.
///
/// ```
/// # use drystone_exec::{Exec, items};
/// Exec::serial().for_each_dynamic(items(&[5, 6, 7]), |index, &item| assert_eq!(item, 5 + index));
/// ```
pub fn items<T>(slice: &[T]) -> Items<'_, T> {
    Items { slice }
}

// SAFETY: the parts are shared references.
unsafe impl<'a, T: Sync> Partition for Items<'a, T> {
    type Part = &'a T;

    fn part_count(&self) -> usize {
        self.slice.len()
    }

    unsafe fn part(&self, index: usize) -> &'a T {
        &self.slice[index]
    }
}

/// Parts of [`ranges`].
#[derive(Debug)]
pub struct Ranges {
    cut: Cut,
}

/// The indices `0..len` in ranges of `chunk`, the last maybe shorter; no data behind them.
///
/// # Panics
/// When `chunk` is 0.
///
/// ```
/// # use drystone_exec::{Exec, items_mut, ranges};
/// let mut ends = [0; 3];
/// Exec::serial().for_each_dynamic((ranges(8, 3), items_mut(&mut ends)), |_, (range, end)| *end = range.end);
/// assert_eq!(ends, [3, 6, 8]);
/// ```
#[inline]
pub fn ranges(len: usize, chunk: usize) -> Ranges {
    Ranges { cut: Cut::new(len, chunk) }
}

// SAFETY: the parts are plain numbers.
unsafe impl Partition for Ranges {
    type Part = Range<usize>;

    #[inline]
    fn part_count(&self) -> usize {
        self.cut.count()
    }

    #[inline]
    unsafe fn part(&self, index: usize) -> Range<usize> {
        self.cut.range(index)
    }
}

/// Parts of [`either`].
#[derive(Debug)]
pub struct EitherPart<A, B> {
    first: A,
    second: B,
}

/// A part of one partition or of another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Either<A, B> {
    /// Of the first.
    First(A),
    /// Of the second.
    Second(B),
}

/// All parts of `first`, then all parts of `second`, in one stage: for data of two types that has no order between them.
///
/// ```
/// # use drystone_exec::{Either, Exec, chunks_mut, either};
/// let (mut numbers, mut flags) = ([1, 2, 3], [false; 4]);
/// Exec::serial().for_each_static(either(chunks_mut(&mut numbers, 2), chunks_mut(&mut flags, 2)), |index, part| match part {
///     Either::First(numbers) => numbers.iter_mut().for_each(|number| *number *= 10),
///     Either::Second(flags) => flags.fill(index == 3),
/// });
/// assert_eq!((numbers, flags), ([10, 20, 30], [false, false, true, true]));
/// ```
pub fn either<A: Partition, B: Partition>(first: A, second: B) -> EitherPart<A, B> {
    EitherPart { first, second }
}

// SAFETY: every index goes to one of the two, as an index of its own there, so both keep their promise; they were taken by value, so
// that their parts are not asked for elsewhere.
unsafe impl<A: Partition, B: Partition> Partition for EitherPart<A, B> {
    type Part = Either<A::Part, B::Part>;

    fn part_count(&self) -> usize {
        self.first.part_count() + self.second.part_count()
    }

    unsafe fn part(&self, index: usize) -> Self::Part {
        let before = self.first.part_count();
        if index < before {
            // SAFETY: below the first one's count, and asked for once.
            Either::First(unsafe { self.first.part(index) })
        } else {
            // SAFETY: below the second one's count, and asked for once.
            Either::Second(unsafe { self.second.part(index - before) })
        }
    }
}

macro_rules! partition_of_tuple {
    ($($name:ident $field:tt),+) => {
        // SAFETY: every member keeps the promise for its own parts, and is asked for the same index.
        unsafe impl<$($name: Partition),+> Partition for ($($name,)+) {
            type Part = ($($name::Part,)+);

            fn part_count(&self) -> usize {
                let counts = [$(self.$field.part_count()),+];
                assert!(
                    counts.iter().all(|&count| count == counts[0]),
                    "partitions of one stage must have equally many parts, got {counts:?}"
                );
                counts[0]
            }

            unsafe fn part(&self, index: usize) -> Self::Part {
                // SAFETY: each index is passed on once, and is below the common part count.
                ($(unsafe { self.$field.part(index) },)+)
            }
        }
    };
}

partition_of_tuple!(A 0, B 1);
partition_of_tuple!(A 0, B 1, C 2);
partition_of_tuple!(A 0, B 1, C 2, D 3);
partition_of_tuple!(A 0, B 1, C 2, D 3, E 4);
partition_of_tuple!(A 0, B 1, C 2, D 3, E 4, F 5);
partition_of_tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
partition_of_tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
