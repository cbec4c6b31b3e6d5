//! An array of which several threads change disjoint entries at the same time.
//!
//! The bodies of one contact colour are disjoint, and so are the contacts of different lists, but neither lies in a row, so
//! slices cannot say it; this module is where it is promised instead.
#![expect(unsafe_code, reason = "several threads change disjoint entries of one array")]

use std::marker::PhantomData;

/// A slice borrowed exclusively, entry by entry.
#[derive(Debug)]
pub(crate) struct Shared<'a, T> {
    start: *mut T,
    len: usize,
    slice: PhantomData<&'a mut [T]>,
}

// SAFETY: access is through unsafe functions whose callers promise that no entry is changed by one thread while another
// touches it; what moves between threads is `T: Send`, what is read by several `T: Sync`.
unsafe impl<T: Send + Sync> Sync for Shared<'_, T> {}
// SAFETY: it stands for a `&mut [T]`, which is `Send` for `T: Send`.
unsafe impl<T: Send> Send for Shared<'_, T> {}

impl<'a, T> Shared<'a, T> {
    pub(crate) fn new(slice: &'a mut [T]) -> Self {
        Self { start: slice.as_mut_ptr(), len: slice.len(), slice: PhantomData }
    }

    /// An entry, to read.
    ///
    /// # Safety
    /// `index` is below the length; nobody changes the entry while the reference lives.
    #[inline(always)]
    pub(crate) unsafe fn get(&self, index: u32) -> &T {
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
    pub(crate) unsafe fn get_mut(&self, index: u32) -> &mut T {
        debug_assert!((index as usize) < self.len, "entry {index} of {}", self.len);
        // SAFETY: in bounds and ours alone, by the caller's promise.
        unsafe { &mut *self.start.add(index as usize) }
    }
}
