//! The pairs alive, as a list of partners per proxy.

use super::Pair;

/// One entry of a proxy's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Partner {
    /// The other proxy.
    pub(super) proxy: u32,
    /// Where that proxy's list names us, so that removing there needs no search.
    back: u32,
}

/// All pairs alive. Every pair is in the lists of both its proxies; the order within a list means nothing.
///
/// With lists per proxy the cost of an update follows the proxies that changed, where a sorted list of all
/// pairs has to be merged as a whole and a hash set does not say which pairs a proxy has.
#[derive(Clone, Debug, Default)]
pub(super) struct Partners {
    lists: Vec<Vec<Partner>>,
    pair_count: u32,
}

drystone_math::carried!(Partners { parts: [lists], value: [pair_count] });

/// Partners that a list has room for from the start: in the densest heaps of equal bodies a grown box meets
/// some twenty others, so lists of a pile in motion do not grow one by one for minutes.
const ROOM: usize = 32;

impl Partners {
    /// Makes room for `proxy_count` proxies; lists are never dropped, for their memory.
    pub(super) fn grow(&mut self, proxy_count: u32) {
        if self.lists.len() < proxy_count as usize {
            self.lists.resize_with(proxy_count as usize, || Vec::with_capacity(ROOM));
        }
    }

    /// Number of pairs.
    pub(super) fn pair_count(&self) -> u32 {
        self.pair_count
    }

    /// The partners of a proxy.
    #[inline]
    pub(super) fn of(&self, proxy: u32) -> &[Partner] {
        &self.lists[proxy as usize]
    }

    /// Adds a pair that is not in yet. O(1).
    pub(super) fn insert(&mut self, pair: Pair) {
        let [a, b] = [pair.a, pair.b].map(|p| self.lists[p as usize].len() as u32);
        self.lists[pair.a as usize].push(Partner { proxy: pair.b, back: b });
        self.lists[pair.b as usize].push(Partner { proxy: pair.a, back: a });
        self.pair_count += 1;
    }

    /// Removes a pair. O(length of the shorter list): a body leaves the ground without a search through
    /// everything else that lies on it.
    pub(super) fn remove(&mut self, pair: Pair) {
        let (short, long) =
            if self.of(pair.a).len() <= self.of(pair.b).len() { (pair.a, pair.b) } else { (pair.b, pair.a) };
        let found = self.of(short).iter().position(|partner| partner.proxy == long);
        debug_assert!(found.is_some(), "only a pair that is alive can end, {pair:?} is not");
        if let Some(at) = found {
            let back = self.of(short)[at].back;
            self.remove_entry(short, at as u32);
            self.remove_entry(long, back);
            self.pair_count -= 1;
        }
    }

    /// Swap-removes one entry and tells the partner of the entry that moved into its place.
    fn remove_entry(&mut self, proxy: u32, at: u32) {
        let list = &mut self.lists[proxy as usize];
        list.swap_remove(at as usize);
        if let Some(&moved) = list.get(at as usize) {
            self.lists[moved.proxy as usize][moved.back as usize].back = at;
        }
    }

    /// All pairs, sorted; for tests and inspection, O(pairs log pairs).
    pub(super) fn to_sorted(&self) -> Vec<Pair> {
        let mut pairs: Vec<Pair> = (0u32..)
            .zip(&self.lists)
            .flat_map(|(a, list)| {
                list.iter().filter(move |p| p.proxy > a).map(move |p| Pair { a, b: p.proxy })
            })
            .collect();
        pairs.sort_unstable();
        pairs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_inserted_and_not_removed_is_there_from_both_sides() {
        let mut partners = Partners::default();
        partners.grow(6);
        let all: Vec<Pair> = (0..6).flat_map(|a| (a + 1..6).map(move |b| Pair { a, b })).collect();
        all.iter().for_each(|&pair| partners.insert(pair));
        let (gone, kept): (Vec<Pair>, Vec<Pair>) = all.iter().partition(|p| (p.a + 2 * p.b) % 3 == 0);
        gone.iter().rev().for_each(|&pair| partners.remove(pair));
        assert_eq!(partners.to_sorted(), kept);
        assert_eq!(partners.pair_count() as usize, kept.len());
        for pair in kept {
            assert!(partners.of(pair.b).iter().any(|p| p.proxy == pair.a));
        }
    }
}
