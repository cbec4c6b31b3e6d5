//! One slice that several threads change in disjoint places.
//!
//! [`Partition`](crate::Partition) says where the places are rows of it. Where they are not (the bodies of one contact colour, the edges
//! of one list of blocks), no type can say that they are disjoint; this is where it is promised instead.
#![expect(unsafe_code, reason = "several threads change disjoint entries of one array")]

use std::marker::PhantomData;
use std::ops::Range;

/// A slice borrowed exclusively, entry by entry.
///
/// ```
/// use drystone_exec::{Exec, Shared, items};
/// let mut data = [0; 4];
/// let places = [2, 0, 3];
/// let shared = Shared::new(&mut data);
/// // SAFETY: the places are below the length, and each comes once.
/// Exec::serial().for_each_dynamic(items(&places), |index, &place| unsafe { *shared.get_mut(place) = 1 + index });
/// assert_eq!(data, [2, 0, 1, 3]);
/// ```
pub struct Shared<'a, T> {
    start: *mut T,
    len: usize,
    slice: PhantomData<&'a mut [T]>,
}

// SAFETY: access is through unsafe functions whose callers promise that no entry is changed by one thread while another
// touches it. Sharing it lets other threads obtain disjoint `&mut T`, which is sending: `T: Send`; those that read ask for `T: Sync`.
unsafe impl<T: Send> Sync for Shared<'_, T> {}
// SAFETY: it stands for the `&'a mut [T]` it was made of, which is `Send` for `T: Send`.
unsafe impl<T: Send> Send for Shared<'_, T> {}

impl<T> std::fmt::Debug for Shared<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").field("len", &self.len).finish_non_exhaustive()
    }
}

impl<'a, T> Shared<'a, T> {
    /// All of a slice.
    pub fn new(slice: &'a mut [T]) -> Self {
        Self { start: slice.as_mut_ptr(), len: slice.len(), slice: PhantomData }
    }

    /// Number of entries.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// An entry, to read.
    ///
    /// # Safety
    /// `index` is below the length; nobody changes the entry while the reference lives.
    #[inline(always)]
    pub unsafe fn get(&self, index: u32) -> &T
    where
        T: Sync,
    {
        debug_assert!((index as usize) < self.len, "entry {index} of {}", self.len);
        // SAFETY: in bounds and not changed meanwhile, by the caller's promise.
        unsafe { &*self.start.add(index as usize) }
    }

    /// An entry, to change.
    ///
    /// # Safety
    /// `index` is below the length; nobody else touches the entry while the reference lives.
    #[inline(always)]
    #[allow(clippy::mut_from_ref, reason = "disjoint entries of one array: the caller's promise")]
    pub unsafe fn get_mut(&self, index: u32) -> &'a mut T {
        debug_assert!((index as usize) < self.len, "entry {index} of {}", self.len);
        // SAFETY: in bounds and ours alone, by the caller's promise.
        unsafe { &mut *self.start.add(index as usize) }
    }

    /// Entries in a row, to change.
    ///
    /// # Safety
    /// Within the slice, start not past end; nobody else touches the entries while the reference lives.
    pub(crate) unsafe fn range(&self, range: Range<usize>) -> &'a mut [T] {
        debug_assert!(range.start <= range.end && range.end <= self.len, "{range:?} of {}", self.len);
        // SAFETY: by the caller's promise in bounds of one live allocation, borrowed for 'a by `new`, and not
        // overlapping any other reference made here.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(range.start), range.len()) }
    }
}
