//! What the workers of a search find, and how that becomes the changes of an update.

use drystone_exec::PerWorker;
use drystone_math::BitSet;

use super::partners::Partner;
use super::{Pair, PairChanges};

/// Partners up to which a proxy's list is searched one by one; longer ones are marked first.
pub(super) const SHORT_LIST: usize = 32;

/// What one worker found. `begun` may hold a pair twice, and neither list is sorted.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) begun: Vec<Pair>,
    pub(super) ended: Vec<Pair>,
    pub(super) box_tests: u64,
    /// Partners of the proxy at hand, when they are many; empty in between.
    marks: BitSet,
}

impl Found {
    /// Before the search for a proxy: remembers its partners, where they are many.
    pub(super) fn mark(&mut self, partners: &[Partner], proxy_count: usize) {
        if partners.len() > SHORT_LIST {
            self.marks.resize(proxy_count as u32);
            partners.iter().for_each(|partner| self.marks.insert(partner.proxy));
        }
    }

    /// After it: forgets them again.
    pub(super) fn unmark(&mut self, partners: &[Partner]) {
        if partners.len() > SHORT_LIST {
            partners.iter().for_each(|partner| self.marks.remove(partner.proxy));
        }
    }

    /// Takes note of a pair that overlaps, unless it is alive already.
    #[inline]
    pub(super) fn begin(&mut self, proxy: u32, other: u32, partners: &[Partner]) {
        let is_alive = if partners.len() > SHORT_LIST {
            self.marks.contains(other)
        } else {
            partners.iter().any(|partner| partner.proxy == other)
        };
        if !is_alive {
            self.begun.push(Pair::new(proxy, other));
        }
    }

    /// Forgets what was found and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.begun.clear();
        self.ended.clear();
        self.box_tests = 0;
    }
}

/// Adds up what all workers found, sorted, each pair once: which worker finds what is open. Returns the box tests.
pub(super) fn gather<T>(
    workers: &mut PerWorker<T>,
    found: impl Fn(&mut T) -> &mut Found,
    changes: &mut PairChanges,
) -> u64 {
    let mut box_tests = 0;
    for own in workers.iter_mut().map(&found) {
        changes.begun.extend_from_slice(&own.begun);
        changes.ended.extend_from_slice(&own.ended);
        box_tests += own.box_tests;
    }
    // Any worker may be the one to find everything next time: settle the capacities of all.
    for own in workers.iter_mut().map(&found) {
        own.begun.reserve(changes.begun.len().saturating_sub(own.begun.len()));
        own.ended.reserve(changes.ended.len().saturating_sub(own.ended.len()));
    }
    changes.begun.sort_unstable();
    changes.begun.dedup();
    changes.ended.sort_unstable();
    box_tests
}
