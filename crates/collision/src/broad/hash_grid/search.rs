//! What the change of one proxy does to the pairs.

use std::ops::RangeInclusive;

use drystone_math::{Aabb, BitSet};

use super::super::Pair;
use super::super::found::{Found, SHORT_LIST};
use super::super::partners::{Partner, Partners};
use super::level::{CellRange, Level, NONE};
use super::store::{ABSENT, Node, OUTSIDE, Store};

/// Cells that are looked into side by side.
const SLOT_BATCH: usize = 64;
/// Lists of boxes that are tested side by side: two for each of those cells, and two of the subject's own.
const LIST_BATCH: usize = 2 * SLOT_BATCH + 2;
/// Cells up to which a row is looked at cell by cell, without a branch; longer ones go word by word.
const SHORT_ROW: i64 = 6;

/// What one worker found, and what it looks through.
#[derive(Debug)]
pub(super) struct Findings {
    pub(super) found: Found,
    /// Cells, of the level at hand, that hold something and are still to be looked into.
    slots: [u32; SLOT_BATCH],
    slot_count: usize,
    /// First boxes of lists still to be tested against the proxy at hand.
    candidates: [u32; LIST_BATCH],
    candidate_count: usize,
    /// Those of one round that overlap it.
    hits: [u32; LIST_BATCH],
}

impl Default for Findings {
    fn default() -> Self {
        Self {
            found: Found::default(),
            slots: [0; SLOT_BATCH],
            slot_count: 0,
            candidates: [NONE; LIST_BATCH],
            candidate_count: 0,
            hits: [NONE; LIST_BATCH],
        }
    }
}

impl Findings {
    /// Takes note of the lists that are not empty.
    #[inline]
    fn add_lists(&mut self, heads: &[u32]) {
        for &head in heads {
            self.candidates[self.candidate_count] = head;
            self.candidate_count += usize::from(head != NONE);
        }
    }
}

/// A search for the pairs of changed proxies; reads only, so many may run at once.
///
/// A pair of two changed proxies is seen from both sides and counted from one: when it may have ended, from
/// the smaller index; when it may have begun, from the finer level (boxes outside the grids count as the
/// coarsest), and within a level from the smaller index, or from the cell before in a level in which
/// everything changed (the box before, in one cell).
#[derive(Clone, Copy)]
pub(super) struct Search<'a> {
    pub(super) store: &'a Store,
    pub(super) partners: &'a Partners,
    pub(super) changed: &'a BitSet,
}

/// The proxy searched for.
struct Subject<'a> {
    proxy: u32,
    node: &'a Node,
    /// Classes it may be paired with: a fixed proxy skips the fixed ones.
    classes: usize,
    partners: &'a [Partner],
}

impl Search<'_> {
    /// Appends the pairs that began or ended because `proxy` changed.
    pub(super) fn run(&self, proxy: u32, own: &mut Findings) {
        let place = &self.store.places[proxy as usize];
        let partners = self.partners.of(proxy);
        self.find_ended(proxy, partners, own);
        if place.home == ABSENT {
            return;
        }
        let subject = Subject {
            proxy,
            node: &self.store.nodes[proxy as usize],
            classes: if place.class == 0 { 2 } else { 1 },
            partners,
        };
        own.found.mark(partners, self.store.nodes.len());
        if place.home == OUTSIDE {
            self.search_from_outside(&subject, own);
        } else {
            self.search_from_level(&subject, usize::from(place.home), own);
        }
        own.found.unmark(partners);
    }

    fn find_ended(&self, proxy: u32, partners: &[Partner], own: &mut Findings) {
        for partner in partners {
            if partner.proxy < proxy && self.changed.contains(partner.proxy) {
                continue;
            }
            let pair = Pair::new(proxy, partner.proxy);
            own.found.box_tests += 1;
            if !self.store.is_pair(pair) {
                own.found.ended.push(pair);
            }
        }
    }

    /// A box outside the grids: against all others outside, and whatever did not change in the levels.
    fn search_from_outside(&self, subject: &Subject<'_>, own: &mut Findings) {
        let from_the_other_side = |p: u32| p <= subject.proxy && self.changed.contains(p);
        for class in 0..subject.classes {
            self.test_all(subject, &self.store.outside[class], from_the_other_side, own);
        }
        for rung in bits(self.store.occupied) {
            let level = &self.store.levels[rung];
            if !level.all_changed() {
                for class in 0..subject.classes {
                    self.test_all(subject, &level.members[class], |p| self.changed.contains(p), own);
                }
            }
        }
    }

    /// A box in a level: against everything outside, its own and all coarser levels, and in the finer
    /// levels against whatever did not change.
    fn search_from_level(&self, subject: &Subject<'_>, home: usize, own: &mut Findings) {
        for class in 0..subject.classes {
            self.test_all(subject, &self.store.outside[class], |_| false, own);
        }
        for rung in bits(self.store.occupied) {
            let level = &self.store.levels[rung];
            if rung < home {
                if !level.all_changed() {
                    self.search_level(subject, level, |p| self.changed.contains(p), own);
                }
            } else if rung > home {
                self.search_level(subject, level, |_| false, own);
            } else if level.all_changed() && level.len() > SHORT_LIST {
                self.search_ahead(subject, level, own);
            } else {
                let from_the_other_side = |p: u32| p <= subject.proxy && self.changed.contains(p);
                self.search_level(subject, level, from_the_other_side, own);
            }
        }
    }

    /// Tests the boxes of a level that are near: those of the cells in range, or all when they are fewer.
    fn search_level(
        &self,
        subject: &Subject<'_>,
        level: &Level,
        skip: impl Fn(u32) -> bool + Copy,
        own: &mut Findings,
    ) {
        let range = level.range(&subject.node.aabb.min, &subject.node.aabb.max);
        if range.word_count() >= level.len() as u64 {
            for class in 0..subject.classes {
                self.test_all(subject, &level.members[class], skip, own);
            }
            return;
        }
        let CellRange { low, high } = range;
        for z in low[2]..=high[2] {
            for y in low[1]..=high[1] {
                self.add_row(subject, level, (y, z), low[0]..=high[0], skip, own);
            }
        }
        self.test_slots(subject, level, skip, own);
    }

    /// Tests the boxes of the subject's own level that are in cells after its own, and those after it in
    /// its own. If all do so, every pair is seen once, with half the work.
    fn search_ahead(&self, subject: &Subject<'_>, level: &Level, own: &mut Findings) {
        let CellRange { low, high } = level.range(&subject.node.aabb.min, &subject.node.aabb.max);
        let [own_x, own_y, own_z] = level.cell_of(&subject.node.aabb.min);
        let none = |_| false;
        if subject.classes == 2 {
            // In its own cell a box that moves sees the fixed ones, and is not seen by them.
            let own_slot = level.slot(level.slot_of_row(own_y, own_z), own_x);
            own.add_lists(&[subject.node.next, level.heads[own_slot][1]]);
        }
        for z in own_z..=high[2] {
            let first_y = if z == own_z { own_y } else { low[1] };
            for y in first_y..=high[1] {
                let first_x = if z == own_z && y == own_y { own_x + 1 } else { low[0] };
                self.add_row(subject, level, (y, z), first_x..=high[0], none, own);
            }
        }
        self.test_slots(subject, level, none, own);
    }

    /// Takes note of the cells of a row that hold something; tests those noted when there is no more room.
    #[inline]
    fn add_row(
        &self,
        subject: &Subject<'_>,
        level: &Level,
        (y, z): (i64, i64),
        xs: RangeInclusive<i64>,
        skip: impl Fn(u32) -> bool + Copy,
        own: &mut Findings,
    ) {
        let row = level.slot_of_row(y, z);
        if *xs.end() - *xs.start() < SHORT_ROW {
            if own.slot_count + SHORT_ROW as usize > SLOT_BATCH {
                self.test_slots(subject, level, skip, own);
            }
            for x in xs {
                let slot = level.slot(row, x);
                own.slots[own.slot_count] = slot as u32;
                own.slot_count += level.occupancy(slot);
            }
            return;
        }
        let (mut x, end) = (*xs.start(), *xs.end() + 1);
        while x < end {
            let slot = level.slot(row, x);
            let (mut word, len) = level.occupancy_from(slot);
            if end - x < i64::from(len) {
                word &= (1 << (end - x)) - 1;
            }
            for bit in bits(word) {
                if own.slot_count == SLOT_BATCH {
                    self.test_slots(subject, level, skip, own);
                }
                own.slots[own.slot_count] = (slot + bit) as u32;
                own.slot_count += 1;
            }
            x += i64::from(len);
        }
    }

    /// Tests the boxes of the cells noted, and those noted before them.
    fn test_slots(
        &self,
        subject: &Subject<'_>,
        level: &Level,
        skip: impl Fn(u32) -> bool,
        own: &mut Findings,
    ) {
        for i in 0..std::mem::take(&mut own.slot_count) {
            let slot = own.slots[i] as usize;
            own.add_lists(&level.heads[slot][..subject.classes]);
        }
        self.test_candidates(subject, skip, own);
    }

    /// Tests the lists of boxes noted, round by round: the first of each list, then the second, and so on.
    ///
    /// Which cells hold something and which boxes overlap cannot be predicted, so nothing branches on it:
    /// what is kept is written to the end of a list that grows by 0 or 1. That lets the processor fetch many
    /// boxes at once. Measured against walking cell by cell: 290 -> 210 ns per changed box of 1000, which fit
    /// in the cache, and 1100 -> 660 ns of 100 000, which do not.
    fn test_candidates(&self, subject: &Subject<'_>, skip: impl Fn(u32) -> bool, own: &mut Findings) {
        let mut count = std::mem::take(&mut own.candidate_count);
        while count > 0 {
            own.found.box_tests += count as u64;
            let (mut next_count, mut hit_count) = (0, 0);
            for i in 0..count {
                let proxy = own.candidates[i];
                let node = &self.store.nodes[proxy as usize];
                own.hits[hit_count] = proxy;
                hit_count += usize::from(overlap_without_branches(&subject.node.aabb, &node.aabb));
                own.candidates[next_count] = node.next;
                next_count += usize::from(node.next != NONE);
            }
            for i in 0..hit_count {
                let proxy = own.hits[i];
                if !skip(proxy) && subject.node.meets(&self.store.nodes[proxy as usize]) {
                    own.found.begin(subject.proxy, proxy, subject.partners);
                }
            }
            count = next_count;
        }
    }

    /// Tests the boxes of a list.
    fn test_all(
        &self,
        subject: &Subject<'_>,
        proxies: &[u32],
        skip: impl Fn(u32) -> bool,
        own: &mut Findings,
    ) {
        own.found.box_tests += proxies.len() as u64;
        for &proxy in proxies {
            if subject.node.meets(&self.store.nodes[proxy as usize]) && !skip(proxy) {
                own.found.begin(subject.proxy, proxy, subject.partners);
            }
        }
    }
}

/// [`drystone_math::Aabb::overlaps`] with the six comparisons always made.
#[inline]
fn overlap_without_branches(a: &Aabb, b: &Aabb) -> bool {
    (a.min.x <= b.max.x)
        & (b.min.x <= a.max.x)
        & (a.min.y <= b.max.y)
        & (b.min.y <= a.max.y)
        & (a.min.z <= b.max.z)
        & (b.min.z <= a.max.z)
}

/// The places of the bits that are set, ascending.
fn bits(word: u64) -> impl Iterator<Item = usize> {
    let mut rest = word;
    std::iter::from_fn(move || {
        (rest != 0).then(|| {
            let bit = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            bit
        })
    })
}
