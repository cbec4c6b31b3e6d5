//! Hierarchical hash grid: every box in one cell of the level whose cells are just larger than it.
//!
//! Source: Schornbaum 2009 as used by S1 (row S1-75; "Hierarchical hash grids of the S1 engine" in
//! `docs/requirements-map.md` lists its behaviours). O(n) on average in time and memory for any mix of
//! sizes. S5-15 (boxes larger than a cell lose pairs) cannot happen: such boxes go to a coarser level.
//!
//! Kept: one cell per box, chosen by its lower corner; cell sizes c₀ fᵏ; power-of-two tables with bit-mask
//! wrap; growth when boxes × density pass the cells; O(1) insertion and removal through remembered slots;
//! unbounded boxes outside, tested against everything; all against all up to a threshold; fixed-fixed
//! skipped wholesale; levels created when first needed.
//!
//! Departures, each for speed or determinism, none with an effect on the pairs:
//! - Only changed boxes are searched for, in *all* levels, since a box of a finer level that rests does not
//!   come to meet them. (The source searches everything, from fine to coarse.) When all boxes of a level
//!   changed, it is searched half, as in the source (cells ahead), and not at all from coarser ones.
//! - c₀ is a constant instead of the size of the first box times √f; boxes beyond the ladder's last cell
//!   count as unbounded.
//! - The neighbourhood is computed from the box: at most the 27 cells, where these are not halved, and right for any f
//!   and rounding. Tables of neighbour offsets are not needed, as neighbours are fixed steps apart.
//! - Every level knows how long its boxes are along each axis, and looks no farther: it is measured again when as many boxes have
//!   changed as it holds. Then, too, its cells are halved if more than five boxes lie in each on average, or that is taken
//!   back. (Halved cells everywhere cost `rain:2000` 26 % more instructions in all, where they save `hourglass` 7 % together with that.)
//! - The table is one row with golden-ratio steps, not a tiling cube: flat and long worlds do not fold onto
//!   themselves. Being a row it doubles where the source's cube grows eightfold.
//! - One bit per slot says whether a cell holds anything, so that the many empty ones are passed over 64 at a
//!   time without a look at the table.
//! - A cell is a list linked through the boxes' cache lines: no memory per cell, nothing to allocate. A list
//!   of the boxes of each level takes the part of the list of its occupied cells: where looking through a
//!   range would take more steps than the level has boxes, these are tested directly.
//! - A level that runs empty is no longer looked at (one bit); its table stays for its memory until `clear`.
//! - No hysteresis: the level follows from the box alone. A relink is O(1), and fat boxes change rarely.

mod config;
mod level;
mod search;
mod store;
mod visit;

pub use config::HashGridConfig;

use drystone_exec::{Exec, PerWorker, ranges};
use drystone_math::{Aabb, AnyCarried};
use std::ops::ControlFlow;

use self::search::{Findings, Search};
use self::store::Store;
use super::changed::Changed;
use super::found::gather;
use super::partners::Partners;
use super::{BoxCast, BroadError, BroadPhase, BroadReport, Pair, PairChanges, Proxies, go_on_as};

/// Changed proxies that one part of the search takes.
const SEARCH_CHUNK: usize = 64;

/// The hierarchical hash grid; see the [module](self).
///
/// One update costs O(changed proxies × boxes near each), plus O(n / 64) to see what changed.
#[derive(Debug)]
pub struct HierarchicalHashGrid {
    config: HashGridConfig,
    store: Store,
    partners: Partners,
    changed: Changed,
    findings: PerWorker<Findings>,
}

drystone_math::carried!(HierarchicalHashGrid {
    part: [store, partners, changed],
    value: [config],
    scratch: [findings]
});

impl Default for HierarchicalHashGrid {
    fn default() -> Self {
        Self::build(HashGridConfig::default())
    }
}

impl HierarchicalHashGrid {
    /// A grid without boxes.
    ///
    /// # Errors
    /// [`BroadError::OutOfRange`] when a setting is out of its range.
    pub fn new(config: HashGridConfig) -> Result<Self, BroadError> {
        config.validate()?;
        Ok(Self::build(config))
    }

    fn build(config: HashGridConfig) -> Self {
        Self {
            store: Store::new(&config),
            config,
            partners: Partners::default(),
            changed: Changed::default(),
            findings: PerWorker::new(&Exec::serial(), Findings::default),
        }
    }

    /// The settings.
    pub fn config(&self) -> &HashGridConfig {
        &self.config
    }

    /// The pairs alive, sorted; for inspection, O(pairs log pairs).
    pub fn pairs(&self) -> Vec<Pair> {
        self.partners.to_sorted()
    }

    /// Moves what changed to its new cells.
    fn place_changed(&mut self, proxies: &Proxies<'_>) {
        for &proxy in &self.changed.list {
            let at = proxy as usize;
            if proxy < self.changed.slot_count {
                self.store.put(proxy, &proxies.boxes[at], &proxies.filters[at], &self.config);
            } else {
                self.store.remove(proxy);
            }
        }
        self.store.activate(&self.config);
        self.store.count_changed(&self.changed.list);
    }

    /// Finds what began and ended. Two cells of a range may share a slot, and then a pair is found twice.
    fn find_changes(&mut self, exec: &Exec, changes: &mut PairChanges) -> u64 {
        self.findings.resize(exec, Findings::default);
        self.findings.iter_mut().for_each(|own| own.found.clear());
        let search = Search { store: &self.store, partners: &self.partners, changed: &self.changed.set };
        let changed = &self.changed.list;
        exec.for_each_dynamic_with(
            &mut self.findings,
            ranges(changed.len(), SEARCH_CHUNK),
            |found, _, range| {
                changed[range].iter().for_each(|&proxy| search.run(proxy, found));
            },
        );
        gather(&mut self.findings, |own| &mut own.found, changes)
    }
}

impl BroadPhase for HierarchicalHashGrid {
    fn update(&mut self, proxies: Proxies<'_>, exec: &Exec, changes: &mut PairChanges) -> BroadReport {
        changes.clear();
        let slots = self.changed.collect(&proxies);
        let mut box_tests = 0;
        if !self.changed.list.is_empty() {
            self.store.grow(slots);
            self.partners.grow(slots);
            self.place_changed(&proxies);
            box_tests = self.find_changes(exec, changes);
            changes.ended.iter().for_each(|&pair| self.partners.remove(pair));
            changes.begun.iter().for_each(|&pair| self.partners.insert(pair));
        }
        BroadReport {
            proxies: self.store.present_count,
            changed: self.changed.list.len() as u32,
            box_tests,
            pairs: self.partners.pair_count(),
            not_a_number: self.store.not_a_number_count,
        }
    }

    fn clear(&mut self) {
        *self = Self::build(self.config.clone());
    }

    fn save_state(&self, state: &mut AnyCarried) {
        state.keep(self);
    }

    fn restore_state(&mut self, state: &AnyCarried) -> bool {
        go_on_as(self, state)
    }

    fn visit_box(&self, aabb: &Aabb, visit: &mut dyn FnMut(u32) -> ControlFlow<()>) {
        // What is left undone by a break is what the visitor wants.
        let _ = visit::in_box(&self.store, aabb, visit);
    }

    fn visit_cast(&self, cast: &BoxCast, visit: &mut dyn FnMut(u32, f64) -> f64) {
        visit::along(&self.store, *cast, visit);
    }
}
