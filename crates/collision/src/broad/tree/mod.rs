//! Dynamic bounding-volume tree: boxes in boxes, eight to a node, searched eight at a time.
//!
//! In: boxes that change. Out: the pairs that began and ended. Start reading at [`DynamicTree::update`](BroadPhase::update).
//! Not in the five papers, which use grids (S1-75, S5-03); trees are what most engines have, wide ones what ray tracers have.
//!
//! - An R-tree: all leaves at one depth, up to eight children, full nodes are split. Two of them: what is fixed does not look for
//!   what is fixed. Boxes in nodes are `f32` relative to the first boxes' middle, rounded outwards; whether two overlap is asked of
//!   the `f64` boxes, so far away the tree gets slower, never wrong.
//! - A box that changed stays in its leaf and the boxes above follow (one after the other when few changed, level by level
//!   and in parallel when many did), unless its leaf has grown to twice its surface: then it is put in anew.
//! - When as many as half of the boxes were put in one by one, the tree is built anew, from above, every node of a level in parallel.
//! - Only what changed is searched for, in parallel.
//! - Unbounded boxes are in no tree and are tested against everything.
//!
//! Invariants: the tree depends on the boxes and their history alone, the pairs on the boxes alone.

mod bounds;
mod build;
mod fixed;
mod levels;
mod node;
mod search;
mod visit;

use drystone_exec::{Exec, PerWorker, ranges};
use drystone_math::wide::Isa;
use drystone_math::{Aabb, AnyCarried, Position};
use std::ops::ControlFlow;

pub(crate) use self::bounds::Bounds;
use self::build::Builder;
pub(crate) use self::fixed::FixedTree;
use self::levels::Tree;
use self::search::{Findings, Search};
use super::changed::Changed;
use super::found::gather;
use super::partners::Partners;
use super::{
    BoxCast, BroadPhase, BroadReport, Pair, PairChanges, Proxies, ProxyFilter, go_on_as, has_nan, is_absent,
};

/// Changed proxies that one part of the search takes.
const SEARCH_CHUNK: usize = 64;
/// Share of the boxes, one in so many, from which on all boxes above the leaves are made to fit at once.
const MANY: u32 = 8;

/// What a test against a proxy reads: one cache line.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct Record {
    aabb: Aabb,
    filter: ProxyFilter,
}

impl Record {
    const ABSENT: Self =
        Self { aabb: Aabb::EMPTY, filter: ProxyFilter { member_of: 0, meets: 0, fixed: false, owner: 0 } };

    /// 0 for what moves, 1 for what is fixed.
    fn class(&self) -> usize {
        usize::from(self.filter.fixed)
    }
}

/// All boxes by place.
#[derive(Debug, Default)]
struct Store {
    records: Vec<Record>,
    /// What moves, and what is fixed.
    trees: [Tree; 2],
    /// Unbounded boxes, ascending.
    outside: Vec<u32>,
    origin: Option<Position>,
}

drystone_math::carried!(Store { part: [records, trees, outside], value: [origin] });

impl Store {
    fn is_present(&self, proxy: u32) -> bool {
        !is_absent(&self.records[proxy as usize].aabb)
    }

    fn bounds(&self, proxy: u32) -> Bounds {
        Bounds::around(&self.records[proxy as usize].aabb, &self.origin.unwrap_or_default())
    }
}

/// True when the boxes overlap and the filters allow the pair.
#[inline]
fn is_pair(store: &Store, a: u32, b: u32) -> bool {
    let [a, b] = [&store.records[a as usize], &store.records[b as usize]];
    a.aabb.overlaps(&b.aabb) && a.filter.allows(&b.filter)
}

/// The dynamic tree; see the [module](self).
///
/// One update costs O(changed proxies × (log n + boxes near each)), plus O(n / 64) to see what changed.
#[derive(Debug)]
pub struct DynamicTree {
    store: Store,
    partners: Partners,
    changed: Changed,
    /// Boxes that changed in their places, and boxes to put in, by class.
    moved: [Vec<u32>; 2],
    new: [Vec<u32>; 2],
    builder: Builder,
    findings: PerWorker<Findings>,
    present_count: u32,
    not_a_number_count: u32,
    isa: Isa,
}

drystone_math::carried!(DynamicTree {
    part: [store, partners, changed],
    value: [present_count, not_a_number_count],
    scratch: [moved, new, builder, findings, isa],
});

impl Default for DynamicTree {
    fn default() -> Self {
        Self::new()
    }
}

impl DynamicTree {
    /// A tree without boxes.
    pub fn new() -> Self {
        Self {
            store: Store::default(),
            partners: Partners::default(),
            changed: Changed::default(),
            moved: Default::default(),
            new: Default::default(),
            builder: Builder::default(),
            findings: PerWorker::new(&Exec::serial(), Findings::default),
            present_count: 0,
            not_a_number_count: 0,
            isa: Isa::best(),
        }
    }

    /// The pairs alive, sorted; for inspection, O(pairs log pairs).
    pub fn pairs(&self) -> Vec<Pair> {
        self.partners.to_sorted()
    }

    /// Sorts what changed into what stays in its place, what is to be put in and what is gone.
    fn place_changed(&mut self, proxies: &Proxies<'_>) {
        self.moved.iter_mut().chain(&mut self.new).for_each(Vec::clear);
        if self.store.origin.is_none() {
            let bounded = proxies.boxes.iter().filter(|aabb| !is_absent(aabb) && aabb.is_bounded());
            let around = bounded.fold(Aabb::EMPTY, |all, aabb| all.merged(aabb));
            self.store.origin = (!around.is_empty()).then(|| around.center());
        }
        for &proxy in &self.changed.list {
            let at = proxy as usize;
            let new = if proxy < self.changed.slot_count {
                Record { aabb: proxies.boxes[at], filter: proxies.filters[at] }
            } else {
                Record::ABSENT
            };
            let old = std::mem::replace(&mut self.store.records[at], new);
            let is_there = !is_absent(&new.aabb);
            self.present_count = self.present_count + u32::from(is_there) - u32::from(!is_absent(&old.aabb));
            self.not_a_number_count =
                self.not_a_number_count + u32::from(has_nan(&new.aabb)) - u32::from(has_nan(&old.aabb));
            let is_outside = is_there && !new.aabb.is_bounded();
            match (self.store.outside.binary_search(&proxy), is_outside) {
                (Err(place), true) => self.store.outside.insert(place, proxy),
                (Ok(place), false) => drop(self.store.outside.remove(place)),
                _ => {}
            }
            let in_tree = is_there && !is_outside;
            let was_in_tree = self.store.trees[old.class()].contains(proxy);
            if in_tree && was_in_tree && new.class() == old.class() {
                let bounds = self.store.bounds(proxy);
                self.store.trees[new.class()].update(proxy, &bounds);
                self.moved[new.class()].push(proxy);
                continue;
            }
            if was_in_tree {
                self.store.trees[old.class()].remove(proxy);
            }
            if in_tree {
                self.new[new.class()].push(proxy);
            }
        }
    }

    /// Makes a tree fit what changed in it.
    fn renew(&mut self, class: usize, exec: &Exec) {
        let (moved, new) = (&self.moved[class], &self.new[class]);
        let tree = &self.store.trees[class];
        if must_build(tree.put_in + new.len() as u32, tree.len + new.len() as u32) {
            return self.build(class, exec);
        }
        let origin = self.store.origin.unwrap_or_default();
        let bounds = |proxy: u32| Bounds::around(&self.store.records[proxy as usize].aabb, &origin);
        let tree = &mut self.store.trees[class];
        if moved.len() as u32 > tree.len / MANY {
            tree.refit_all(exec);
        } else {
            moved.iter().for_each(|&proxy| tree.refit_above(proxy));
        }
        new.iter().for_each(|&proxy| tree.insert(proxy, &bounds(proxy)));
        for &proxy in moved {
            if tree.is_worn(proxy) {
                tree.remove(proxy);
                tree.insert(proxy, &bounds(proxy));
            }
        }
        if must_build(tree.put_in, tree.len) {
            self.new[class].clear();
            self.build(class, exec);
        }
    }

    /// Builds a tree from the boxes in it and those to be put in.
    fn build(&mut self, class: usize, exec: &Exec) {
        let store = &mut self.store;
        let mut tree = std::mem::take(&mut store.trees[class]);
        let there = (0..tree.places.len() as u32).filter(|&proxy| tree.contains(proxy));
        for proxy in there.chain(self.new[class].iter().copied()) {
            self.builder.add(proxy, &store.bounds(proxy));
        }
        self.builder.build(&mut tree, exec, |proxy| store.bounds(proxy));
        store.trees[class] = tree;
    }

    /// Finds what began and ended.
    fn find_changes(&mut self, exec: &Exec, changes: &mut PairChanges) -> u64 {
        self.findings.resize(exec, Findings::default);
        self.findings.iter_mut().for_each(|own| own.found.clear());
        let (store, partners, changed) = (&self.store, &self.partners, &self.changed);
        let isa = self.isa;
        exec.for_each_dynamic_with(
            &mut self.findings,
            ranges(changed.list.len(), SEARCH_CHUNK),
            |own, _, range| {
                isa.run(Search { store, partners, changed, proxies: &changed.list[range], own });
            },
        );
        gather(&mut self.findings, |own| &mut own.found, changes)
    }
}

/// True when so many of the boxes were put in one by one that a tree built at once is worth its cost.
fn must_build(put_in: u32, len: u32) -> bool {
    put_in > len / 2
}

impl BroadPhase for DynamicTree {
    fn update(&mut self, proxies: Proxies<'_>, exec: &Exec, changes: &mut PairChanges) -> BroadReport {
        changes.clear();
        let slots = self.changed.collect(&proxies);
        let mut box_tests = 0;
        if !self.changed.list.is_empty() {
            if self.store.records.len() < slots as usize {
                self.store.records.resize(slots as usize, Record::ABSENT);
            }
            self.store.trees.iter_mut().for_each(|tree| tree.grow(slots));
            self.partners.grow(slots);
            self.place_changed(&proxies);
            (0..2).for_each(|class| self.renew(class, exec));
            box_tests = self.find_changes(exec, changes);
            changes.ended.iter().for_each(|&pair| self.partners.remove(pair));
            changes.begun.iter().for_each(|&pair| self.partners.insert(pair));
        }
        BroadReport {
            proxies: self.present_count,
            changed: self.changed.list.len() as u32,
            box_tests,
            pairs: self.partners.pair_count(),
            not_a_number: self.not_a_number_count,
        }
    }

    fn clear(&mut self) {
        *self = Self::new();
    }

    fn save_state(&self, state: &mut AnyCarried) {
        state.keep(self);
    }

    fn restore_state(&mut self, state: &AnyCarried) -> bool {
        go_on_as(self, state)
    }

    fn visit_box(&self, aabb: &Aabb, visit: &mut dyn FnMut(u32) -> ControlFlow<()>) {
        // What is left undone by a break is what the visitor wants.
        let _ = visit::in_box(&self.store, &self.store.trees, aabb, self.isa, visit);
    }

    fn visit_fixed(&self, aabb: &Aabb, visit: &mut dyn FnMut(u32) -> ControlFlow<()>) {
        let _ = visit::in_box(&self.store, &self.store.trees[1..], aabb, self.isa, visit);
    }

    fn visit_cast(&self, cast: &BoxCast, visit: &mut dyn FnMut(u32, f64) -> f64) {
        visit::along(&self.store, *cast, self.isa, visit);
    }
}
