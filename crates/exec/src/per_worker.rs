//! Scratch memory, one value per thread.

use crossbeam_utils::CachePadded;

use crate::Exec;
use crate::partition::{ItemsMut, items_mut};

/// One `T` per thread of an [`Exec`], each on cache lines of its own, kept from stage to stage.
///
/// Which thread works on which part is open, so **results must not depend on whose scratch was used**: use it
/// for buffers that a part clears before use, or for what is merged without regard to order (a maximum, a
/// count). The exception is [`Exec::for_each_static_with`], where value `k` belongs to the `k`-th run of parts.
///
/// Never empty. Fewer values than threads let only that many threads take part.
///
/// ```
/// use drystone_exec::{Exec, PerWorker, ranges};
///
/// let exec = Exec::serial();
/// let mut largest = PerWorker::new(&exec, || 0);
/// exec.for_each_dynamic_with(&mut largest, ranges(100, 8), |largest, _, range| *largest = range.end.max(*largest));
/// assert_eq!(largest.iter_mut().map(|value| *value).max(), Some(100));
/// ```
#[derive(Debug)]
pub struct PerWorker<T> {
    values: Vec<CachePadded<T>>,
}

impl<T> PerWorker<T> {
    /// One value for each thread of `exec`.
    pub fn new(exec: &Exec, mut init: impl FnMut() -> T) -> Self {
        Self { values: (0..exec.thread_count()).map(|_| CachePadded::new(init())).collect() }
    }

    /// Fits the number of values to another `exec`; values that stay are kept. Allocates only to grow.
    pub fn resize(&mut self, exec: &Exec, mut init: impl FnMut() -> T) {
        self.values.resize_with(exec.thread_count(), || CachePadded::new(init()));
    }

    /// Every value, in a fixed order.
    pub fn iter_mut(&mut self) -> impl ExactSizeIterator<Item = &mut T> {
        self.values.iter_mut().map(|value| &mut **value)
    }

    /// The values as parts of a stage.
    pub(crate) fn slots(&mut self) -> ItemsMut<'_, CachePadded<T>>
    where
        T: Send,
    {
        items_mut(&mut self.values)
    }
}
