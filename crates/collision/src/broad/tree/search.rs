//! What the change of one proxy does to the pairs.

use drystone_math::wide::{Kernel, Lanes, Mask, Wide};

use super::super::Pair;
use super::super::changed::Changed;
use super::super::found::Found;
use super::super::partners::{Partner, Partners};
use super::bounds::Bounds;
use super::levels::Tree;
use super::node::{Node, WIDTH};
use super::{Store, is_pair};

/// Nodes that may wait: seven per level, and a tree of 2³² boxes that are two to a node has no more than 32 levels.
pub(super) const WAITING: usize = 32 * (WIDTH - 1) + 1;

/// What one worker found, and what it looks through.
#[derive(Debug)]
pub(super) struct Findings {
    pub(super) found: Found,
    /// Nodes still to be looked into, with their levels.
    waiting: [(u32, u32); WAITING],
}

impl Default for Findings {
    fn default() -> Self {
        Self { found: Found::default(), waiting: [(0, 0); WAITING] }
    }
}

/// Looks for the pairs that began or ended because some proxies changed. Reads only, so many may run at once.
///
/// A pair of two changed proxies is seen from both sides and counted from the smaller index.
pub(super) struct Search<'a> {
    pub(super) store: &'a Store,
    pub(super) partners: &'a Partners,
    pub(super) changed: &'a Changed,
    pub(super) proxies: &'a [u32],
    pub(super) own: &'a mut Findings,
}

impl Kernel for Search<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let Self { store, partners, changed, proxies, own } = self;
        for &proxy in proxies {
            let subject = Subject { store, changed, proxy, partners: partners.of(proxy) };
            subject.find_ended(&mut own.found);
            if !store.is_present(proxy) {
                continue;
            }
            own.found.mark(subject.partners, store.records.len());
            let classes = if store.records[proxy as usize].filter.fixed { 1 } else { 2 };
            let bounds = store.bounds(proxy);
            for tree in &store.trees[..classes] {
                search_tree(&subject, &bounds, tree, own, lanes);
            }
            for &other in &store.outside {
                subject.meet(other, &mut own.found);
            }
            own.found.unmark(subject.partners);
        }
    }
}

/// The proxy searched for.
struct Subject<'a> {
    store: &'a Store,
    changed: &'a Changed,
    proxy: u32,
    partners: &'a [Partner],
}

impl Subject<'_> {
    fn find_ended(&self, found: &mut Found) {
        let left = |partner: &&Partner| self.changed.is_left_to(partner.proxy, self.proxy);
        for partner in self.partners.iter().filter(|partner| !left(partner)) {
            found.box_tests += 1;
            // Unbounded boxes overlap even an empty one.
            let are_there = self.store.is_present(self.proxy) && self.store.is_present(partner.proxy);
            if !are_there || !is_pair(self.store, self.proxy, partner.proxy) {
                found.ended.push(Pair::new(self.proxy, partner.proxy));
            }
        }
    }

    /// Takes note of the pair with a proxy that may overlap, when it begins.
    #[inline]
    fn meet(&self, other: u32, found: &mut Found) {
        found.box_tests += 1;
        if !self.changed.is_left_to(other, self.proxy) && is_pair(self.store, self.proxy, other) {
            found.begin(self.proxy, other, self.partners);
        }
    }
}

/// Meets what overlaps in a tree, eight boxes at a time.
#[inline(always)]
fn search_tree<L: Lanes>(subject: &Subject<'_>, bounds: &Bounds, tree: &Tree, own: &mut Findings, lanes: L) {
    if tree.height == 0 {
        return;
    }
    let [min_x, min_y, min_z] = bounds.min;
    let [max_x, max_y, max_z] = bounds.max;
    let min = [lanes.splat(min_x), lanes.splat(min_y), lanes.splat(min_z)];
    let max = [lanes.splat(max_x), lanes.splat(max_y), lanes.splat(max_z)];
    own.waiting[0] = (tree.height as u32 - 1, tree.root);
    let mut count = 1;
    while count > 0 {
        count -= 1;
        let (level, index) = own.waiting[count];
        let node = &tree.levels[level as usize].nodes[index as usize];
        let mut hits = overlapping::<L>(lanes, &min, &max, node);
        while hits != 0 {
            let child = node.children[hits.trailing_zeros() as usize];
            hits &= hits - 1;
            if level == 0 {
                subject.meet(child, &mut own.found);
            } else {
                own.waiting[count] = (level - 1, child);
                count += 1;
            }
        }
    }
}

/// The boxes of a node that overlap the one from `min` to `max`, a bit each.
#[inline(always)]
pub(super) fn overlapping<L: Lanes>(lanes: L, min: &[L::F32; 3], max: &[L::F32; 3], node: &Node) -> u32 {
    let x = lanes.load(&node.min[0]).less_or_equal(max[0]) & min[0].less_or_equal(lanes.load(&node.max[0]));
    let y = lanes.load(&node.min[1]).less_or_equal(max[1]) & min[1].less_or_equal(lanes.load(&node.max[1]));
    let z = lanes.load(&node.min[2]).less_or_equal(max[2]) & min[2].less_or_equal(lanes.load(&node.max[2]));
    // An unbounded box overlaps even empty lanes.
    u32::from((x & y & z).bits()) & ((1 << node.count) - 1)
}
