//! What the change of one proxy does to the pairs.

use drystone_math::BitSet;
use drystone_math::wide::{Kernel, Lanes, Mask};

use super::super::Pair;
use super::super::changed::Changed;
use super::super::partners::{Partner, Partners};
use super::levels::Tree;
use super::node::WIDTH;
use super::{Store, is_pair};

/// Partners up to which a proxy's list is searched one by one; longer ones are marked first.
const SHORT_LIST: usize = 32;
/// Nodes that may wait: seven per level, and a tree of 2³² boxes that are two to a node has no more than 32 levels.
const WAITING: usize = 32 * (WIDTH - 1) + 1;

/// What one worker found; the lists are not sorted.
#[derive(Debug)]
pub(super) struct Findings {
    pub(super) begun: Vec<Pair>,
    pub(super) ended: Vec<Pair>,
    pub(super) box_tests: u64,
    /// Partners of the proxy at hand, when they are many; empty in between.
    marks: BitSet,
    /// Nodes still to be looked into, with their levels.
    waiting: [(u32, u32); WAITING],
}

impl Default for Findings {
    fn default() -> Self {
        Self {
            begun: Vec::new(),
            ended: Vec::new(),
            box_tests: 0,
            marks: BitSet::new(),
            waiting: [(0, 0); WAITING],
        }
    }
}

impl Findings {
    /// Forgets what was found and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.begun.clear();
        self.ended.clear();
        self.box_tests = 0;
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
    pub(super) found: &'a mut Findings,
}

impl Kernel for Search<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let Self { store, partners, changed, proxies, found } = self;
        for &proxy in proxies {
            let partners = partners.of(proxy);
            find_ended(store, changed, proxy, partners, found);
            if !store.is_present(proxy) {
                continue;
            }
            let many = partners.len() > SHORT_LIST;
            if many {
                found.marks.resize(store.records.len() as u32);
                partners.iter().for_each(|partner| found.marks.insert(partner.proxy));
            }
            let subject = Subject { store, changed, proxy, partners };
            let classes = if store.records[proxy as usize].filter.fixed { 1 } else { 2 };
            for tree in &store.trees[..classes] {
                search_tree(&subject, tree, found, lanes);
            }
            for &other in &store.outside {
                subject.meet(other, found);
            }
            if many {
                partners.iter().for_each(|partner| found.marks.remove(partner.proxy));
            }
        }
    }
}

fn find_ended(store: &Store, changed: &Changed, proxy: u32, partners: &[Partner], found: &mut Findings) {
    for partner in partners.iter().filter(|partner| !changed.is_left_to(partner.proxy, proxy)) {
        found.box_tests += 1;
        if !is_pair(store, proxy, partner.proxy) {
            found.ended.push(Pair::new(proxy, partner.proxy));
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
    /// Takes note of the pair with a proxy that may overlap, when it begins.
    #[inline]
    fn meet(&self, other: u32, found: &mut Findings) {
        found.box_tests += 1;
        if self.changed.is_left_to(other, self.proxy) || !is_pair(self.store, self.proxy, other) {
            return;
        }
        let is_alive = if self.partners.len() > SHORT_LIST {
            found.marks.contains(other)
        } else {
            self.partners.iter().any(|partner| partner.proxy == other)
        };
        if !is_alive {
            found.begun.push(Pair::new(self.proxy, other));
        }
    }
}

/// Meets what overlaps in a tree, eight boxes at a time.
#[inline(always)]
fn search_tree<L: Lanes>(subject: &Subject<'_>, tree: &Tree, found: &mut Findings, lanes: L) {
    if tree.height == 0 {
        return;
    }
    let bounds = subject.store.bounds(subject.proxy);
    let [min_x, min_y, min_z] = bounds.min;
    let [max_x, max_y, max_z] = bounds.max;
    let min = [lanes.splat(min_x), lanes.splat(min_y), lanes.splat(min_z)];
    let max = [lanes.splat(max_x), lanes.splat(max_y), lanes.splat(max_z)];
    found.waiting[0] = (tree.height as u32 - 1, tree.root);
    let mut count = 1;
    while count > 0 {
        count -= 1;
        let (level, index) = found.waiting[count];
        let node = &tree.levels[level as usize].nodes[index as usize];
        let x = overlap::<L>(lanes, min[0], max[0], &node.min[0], &node.max[0]);
        let y = overlap::<L>(lanes, min[1], max[1], &node.min[1], &node.max[1]);
        let z = overlap::<L>(lanes, min[2], max[2], &node.min[2], &node.max[2]);
        // An unbounded box overlaps even empty lanes.
        let mut hits = u32::from((x & y & z).bits()) & ((1 << node.count) - 1);
        while hits != 0 {
            let child = node.children[hits.trailing_zeros() as usize];
            hits &= hits - 1;
            if level == 0 {
                subject.meet(child, found);
            } else {
                found.waiting[count] = (level - 1, child);
                count += 1;
            }
        }
    }
}

#[inline(always)]
fn overlap<L: Lanes>(lanes: L, min: L::F32, max: L::F32, low: &[f32; WIDTH], high: &[f32; WIDTH]) -> L::Mask {
    use drystone_math::wide::Wide;
    lanes.load(low).less_or_equal(max) & min.less_or_equal(lanes.load(high))
}
