//! What the change of one proxy does to the pairs.

use super::super::Pair;
use super::super::cells::CellRange;
use super::super::changed::Changed;
use super::super::found::Found;
use super::super::partners::{Partner, Partners};
use super::store::{Place, Record, Store};

/// A search for the pairs of changed proxies; reads only, so many may run at once.
///
/// A pair of two changed proxies is seen from both sides and counted from the smaller index.
#[derive(Clone, Copy)]
pub(super) struct Search<'a> {
    pub(super) store: &'a Store,
    pub(super) partners: &'a Partners,
    pub(super) changed: &'a Changed,
}

/// The proxy searched for.
struct Subject<'a> {
    proxy: u32,
    record: &'a Record,
    partners: &'a [Partner],
}

impl Search<'_> {
    /// Appends the pairs that began or ended because `proxy` changed.
    pub(super) fn run(&self, proxy: u32, found: &mut Found) {
        let partners = self.partners.of(proxy);
        let subject = Subject { proxy, record: &self.store.records[proxy as usize], partners };
        self.find_ended(&subject, found);
        let count = self.store.records.len();
        found.mark(partners, count);
        match &self.store.places[proxy as usize] {
            Place::Absent => {}
            Place::Cells { range, .. } if range.cell_count() < u64::from(self.store.present_count) => {
                self.search_cells(&subject, range, found);
                self.store.beyond.iter().for_each(|&other| self.meet(&subject, other, found));
            }
            Place::Cells { .. } | Place::Beyond { .. } => {
                (0..count as u32).for_each(|other| self.meet(&subject, other, found));
            }
        }
        found.unmark(partners);
    }

    fn find_ended(&self, subject: &Subject<'_>, found: &mut Found) {
        for partner in subject.partners {
            if !self.changed.is_left_to(partner.proxy, subject.proxy) {
                found.box_tests += 1;
                if !subject.record.meets(&self.store.records[partner.proxy as usize]) {
                    found.ended.push(Pair::new(subject.proxy, partner.proxy));
                }
            }
        }
    }

    /// Tests what is in the cells of the subject, each box in the lowest cell in common.
    fn search_cells(&self, subject: &Subject<'_>, range: &CellRange, found: &mut Found) {
        let CellRange { low, high } = range;
        for z in low[2]..=high[2] {
            for y in low[1]..=high[1] {
                for x in low[0]..=high[0] {
                    let cell = [x, y, z];
                    for other in self.store.table.in_cell(cell).filter(|&other| other != subject.proxy) {
                        found.box_tests += 1;
                        // Few overlap, so the rest is asked last.
                        if subject.record.meets(&self.store.records[other as usize])
                            && !self.changed.is_left_to(other, subject.proxy)
                            && self.store.is_lowest_in_common(other, low, &cell)
                        {
                            found.begin(subject.proxy, other, subject.partners);
                        }
                    }
                }
            }
        }
    }

    /// Takes note of the pair with a proxy that may overlap, when it begins.
    fn meet(&self, subject: &Subject<'_>, other: u32, found: &mut Found) {
        found.box_tests += 1;
        if subject.record.meets(&self.store.records[other as usize])
            && !self.changed.is_left_to(other, subject.proxy)
        {
            found.begin(subject.proxy, other, subject.partners);
        }
    }
}
