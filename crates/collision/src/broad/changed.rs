//! What changed between two updates.

use drystone_math::BitSet;

use super::Proxies;

/// The proxies to look at in one update.
#[derive(Debug, Default)]
pub(super) struct Changed {
    /// Ascending.
    pub(super) list: Vec<u32>,
    /// The same as a set.
    pub(super) set: BitSet,
    /// Slots of this update.
    pub(super) slot_count: u32,
}

drystone_math::carried!(Changed { value: [slot_count], scratch: [list, set] });

impl Changed {
    /// Lists what changed: the caller's set, and slots that appeared or vanished with the lists' length. Returns the
    /// number of slots of this update or the last, whichever is more.
    pub(super) fn collect(&mut self, proxies: &Proxies<'_>) -> u32 {
        let slot_count = proxies.slot_count();
        let (fewer, more) = (slot_count.min(self.slot_count), slot_count.max(self.slot_count));
        self.slot_count = slot_count;
        self.list.clear();
        self.list.extend(proxies.changed.iter().take_while(|&proxy| proxy < fewer));
        self.list.extend(fewer..more);
        self.set.clear();
        if self.set.len() < more {
            self.set.resize(more);
        }
        self.list.iter().for_each(|&proxy| self.set.insert(proxy));
        more
    }

    /// True when the pair of these two is looked for from the other side: both changed, and the other has the smaller index.
    #[inline]
    pub(super) fn is_left_to(&self, other: u32, proxy: u32) -> bool {
        other <= proxy && self.set.contains(other)
    }
}
