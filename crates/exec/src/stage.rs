//! The stages: each hands every part of a partition to a closure once, and returns when all are done.

use std::sync::PoisonError;

use crate::order::Order;
use crate::partition::{Ranges, ranges};
use crate::schedule::{claim_each, split_evenly};
use crate::{Exec, Partition, PerWorker};

/// Scratch for stages that need none: a place for every thread there may be.
#[inline]
fn no_scratch(exec: &Exec) -> Ranges {
    ranges(exec.thread_count(), 1)
}

/// All stages panic when called from within a stage of the same `Exec`, and resume the first panic of a part
/// on the caller; parts not started by then are skipped.
impl Exec {
    /// Calls `work(index, part)` for every part; threads claim one part at a time, in index order.
    ///
    /// For parts of unlike cost; aim at four to eight parts per thread. Up to one part, or with one thread,
    /// it is a plain loop.
    ///
    /// ```
    /// # use drystone_exec::{Exec, chunks_mut, items};
    /// let (factors, mut data) = ([1, 10], [1, 2, 3, 4]);
    /// Exec::serial().for_each_dynamic((items(&factors), chunks_mut(&mut data, 2)), |_, (factor, chunk)| {
    ///     chunk.iter_mut().for_each(|value| *value *= factor);
    /// });
    /// assert_eq!(data, [1, 2, 30, 40]);
    /// ```
    pub fn for_each_dynamic<P: Partition>(&self, parts: P, work: impl Fn(usize, P::Part) + Sync) {
        let order = Order::Ascending(parts.part_count());
        claim_each(self, &no_scratch(self), &order, &parts, |_, index, part| work(index, part));
    }

    /// As [`Exec::for_each_dynamic`], with scratch memory of the thread; see [`PerWorker`] for what may be kept there.
    ///
    /// ```
    /// # use drystone_exec::{Exec, PerWorker, chunks_mut};
    /// # let (exec, mut data) = (Exec::serial(), [3, 1, 2, 9, 7, 8]);
    /// let mut buffers = PerWorker::new(&exec, Vec::new);
    /// exec.for_each_dynamic_with(&mut buffers, chunks_mut(&mut data, 3), |buffer, _, chunk| {
    ///     buffer.clear();
    ///     buffer.extend(chunk.iter().rev());
    ///     chunk.copy_from_slice(buffer);
    /// });
    /// assert_eq!(data, [2, 1, 3, 8, 7, 9]);
    /// ```
    pub fn for_each_dynamic_with<T: Send, P: Partition>(
        &self,
        scratch: &mut PerWorker<T>,
        parts: P,
        work: impl Fn(&mut T, usize, P::Part) + Sync,
    ) {
        let order = Order::Ascending(parts.part_count());
        claim_each(self, &scratch.slots(), &order, &parts, |own, index, part| work(own, index, part));
    }

    /// As [`Exec::for_each_dynamic`] for the parts listed in `order`, claimed in that order: put the costly ones first.
    ///
    /// Parts not listed are left out. The list is checked in O(order), with memory that grows to the largest
    /// part count seen.
    ///
    /// # Panics
    /// When `order` names a part twice or one that does not exist; no part has been started then.
    ///
    /// ```
    /// # use drystone_exec::{Exec, items_mut};
    /// let mut data = [1, 2, 3, 4];
    /// Exec::serial().for_each_dynamic_ordered(&[3, 0], items_mut(&mut data), |_, value| *value *= 10);
    /// assert_eq!(data, [10, 2, 3, 40]);
    /// ```
    pub fn for_each_dynamic_ordered<P: Partition>(
        &self,
        order: &[u32],
        parts: P,
        work: impl Fn(usize, P::Part) + Sync,
    ) {
        let order = self.checked(order, parts.part_count());
        claim_each(self, &no_scratch(self), &order, &parts, |_, index, part| work(index, part));
    }

    /// As [`Exec::for_each_dynamic_ordered`], with scratch memory of the thread.
    ///
    /// # Panics
    /// As [`Exec::for_each_dynamic_ordered`].
    ///
    /// ```
    /// # use drystone_exec::{Exec, PerWorker, items};
    /// # let exec = Exec::serial();
    /// let mut counts = PerWorker::new(&exec, || 0);
    /// exec.for_each_dynamic_ordered_with(&mut counts, &[2, 1], items(&[5, 6, 7]), |count, _, item| *count += item);
    /// assert_eq!(counts.iter_mut().map(|count| *count).sum::<i32>(), 13);
    /// ```
    pub fn for_each_dynamic_ordered_with<T: Send, P: Partition>(
        &self,
        scratch: &mut PerWorker<T>,
        order: &[u32],
        parts: P,
        work: impl Fn(&mut T, usize, P::Part) + Sync,
    ) {
        let order = self.checked(order, parts.part_count());
        claim_each(self, &scratch.slots(), &order, &parts, |own, index, part| work(own, index, part));
    }

    /// Calls `work(index, part)` for every part; each thread takes one contiguous run of parts.
    ///
    /// For many small parts of equal cost: one claim per thread instead of one per part, and a thread gets the
    /// same run again in the next stage of as many parts when it is on time.
    ///
    /// ```
    /// # use drystone_exec::{Exec, items_mut};
    /// let mut data = [0; 4];
    /// Exec::serial().for_each_static(items_mut(&mut data), |index, value| *value = index);
    /// assert_eq!(data, [0, 1, 2, 3]);
    /// ```
    pub fn for_each_static<P: Partition>(&self, parts: P, work: impl Fn(usize, P::Part) + Sync) {
        split_evenly(self, &no_scratch(self), &parts, |_, index, part| work(index, part));
    }

    /// As [`Exec::for_each_static`], with scratch memory of the run: the k-th value of `scratch` sees the k-th run of
    /// parts in order, whichever thread that is. So lists pushed to there and read back through
    /// [`PerWorker::iter_mut`] come in part order at any thread count (values without a run are left as they
    /// were: clear all before).
    ///
    /// ```
    /// # use drystone_exec::{Exec, PerWorker, items};
    /// # let exec = Exec::serial();
    /// let mut odd = PerWorker::new(&exec, Vec::new);
    /// exec.for_each_static_with(&mut odd, items(&[4, 7, 9, 2, 5]), |odd, index, item| {
    ///     if item % 2 == 1 {
    ///         odd.push(index);
    ///     }
    /// });
    /// assert_eq!(odd.iter_mut().flat_map(|list| list.drain(..)).collect::<Vec<_>>(), [1, 2, 4]);
    /// ```
    pub fn for_each_static_with<T: Send, P: Partition>(
        &self,
        scratch: &mut PerWorker<T>,
        parts: P,
        work: impl Fn(&mut T, usize, P::Part) + Sync,
    ) {
        split_evenly(self, &scratch.slots(), &parts, |own, index, part| work(own, index, part));
    }

    fn checked<'a>(&self, order: &'a [u32], part_count: usize) -> Order<'a> {
        let checked = self.stamps.lock().unwrap_or_else(PoisonError::into_inner).check(order, part_count);
        match checked {
            Ok(order) => Order::Given(order),
            Err(refused) => panic!("{refused}"),
        }
    }
}
