//! Uniform hash grid: every box in all cells, of one size, that it covers.
//!
//! Source: S5 section 3.2.3 (rows S5-02..05). Space is cut into cells of one size, a hash table holds the occupied ones, bodies that
//! share a cell are compared by their intervals along each axis (S5-02), and what many workers find is merged without duplicates.
//! Good where boxes are of one size and evenly spread; `docs/measurements/broad-phases.md` shows where it is not.
//! Start reading at [`UniformHashGrid::update`](BroadPhase::update).
//!
//! Departures, each with its reason, none with an effect on the pairs but the first, which mends them:
//! - A box is in all cells that it covers. The source takes those of its corners, and so loses pairs of what is larger than two
//!   cells (S5-15).
//! - Boxes that cover more than [`UniformGridConfig::most_cells`] cells, and unbounded ones, are in no cell and are tested against
//!   everything: a ground would fill the table.
//! - The source makes its maps anew in every step, one per processor. Here there is one that stays: a box that is still in the same cells
//!   costs nothing, and one that is not is taken out of its cells and put into others. What is per worker are the pairs found.
//! - The source removes ⟨a, b⟩ and ⟨b, a⟩ from what was found. Here a pair is found once: by the smaller index where both changed, and
//!   in the lowest of the cells that both cover. The lists of the workers are merged by sorting.
//! - The size of the cells is not told in the source: if not given, it is chosen from the boxes.

mod config;
mod search;
mod store;
mod table;
mod visit;

pub use config::UniformGridConfig;

use drystone_exec::{Exec, PerWorker, ranges};
use drystone_math::{Aabb, AnyCarried};
use std::ops::ControlFlow;

use self::search::Search;
use self::store::Store;
use super::changed::Changed;
use super::found::{Found, gather};
use super::partners::Partners;
use super::{BoxCast, BroadError, BroadPhase, BroadReport, Pair, PairChanges, Proxies, go_on_as};

/// Changed proxies that one part of the search takes.
const SEARCH_CHUNK: usize = 64;

/// The uniform hash grid; see the [module](self).
///
/// One update costs O(changed proxies × (cells covered + boxes in them)), plus O(n / 64) to see what changed.
#[derive(Debug)]
pub struct UniformHashGrid {
    config: UniformGridConfig,
    store: Store,
    partners: Partners,
    changed: Changed,
    findings: PerWorker<Found>,
}

drystone_math::carried!(UniformHashGrid {
    part: [store, partners, changed],
    value: [config],
    scratch: [findings]
});

impl Default for UniformHashGrid {
    fn default() -> Self {
        Self::build(UniformGridConfig::default())
    }
}

impl UniformHashGrid {
    /// A grid without boxes.
    ///
    /// # Errors
    /// [`BroadError::OutOfRange`] when a setting is out of its range.
    pub fn new(config: UniformGridConfig) -> Result<Self, BroadError> {
        config.validate()?;
        Ok(Self::build(config))
    }

    fn build(config: UniformGridConfig) -> Self {
        Self {
            config,
            store: Store::new(),
            partners: Partners::default(),
            changed: Changed::default(),
            findings: PerWorker::new(&Exec::serial(), Found::default),
        }
    }

    /// The settings.
    pub fn config(&self) -> &UniformGridConfig {
        &self.config
    }

    /// Edge of a cell as of the last update, m: the one given, or the one chosen.
    pub fn cell_size(&self) -> f64 {
        self.store.table.cell
    }

    /// The pairs alive, sorted; for inspection, O(pairs log pairs).
    pub fn pairs(&self) -> Vec<Pair> {
        self.partners.to_sorted()
    }

    /// Finds what began and ended.
    fn find_changes(&mut self, exec: &Exec, changes: &mut PairChanges) -> u64 {
        self.findings.resize(exec, Found::default);
        self.findings.iter_mut().for_each(Found::clear);
        let search = Search { store: &self.store, partners: &self.partners, changed: &self.changed };
        let list = &self.changed.list;
        exec.for_each_dynamic_with(
            &mut self.findings,
            ranges(list.len(), SEARCH_CHUNK),
            |found, _, range| {
                list[range].iter().for_each(|&proxy| search.run(proxy, found));
            },
        );
        gather(&mut self.findings, |own| own, changes)
    }
}

impl BroadPhase for UniformHashGrid {
    fn update(&mut self, proxies: Proxies<'_>, exec: &Exec, changes: &mut PairChanges) -> BroadReport {
        changes.clear();
        let slots = self.changed.collect(&proxies);
        let mut box_tests = 0;
        if !self.changed.list.is_empty() {
            self.store.grow(slots);
            self.partners.grow(slots);
            self.store.place_changed(&proxies, &self.changed, &self.config);
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
