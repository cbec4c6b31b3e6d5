//! Broad phases: which boxes may touch.
//!
//! In: one fat box and one filter per proxy, and which of them changed. Out: the pairs that began and
//! ended to overlap, sorted. Knows nothing of shapes and bodies. Start reading at [`BroadPhase`].
//!
//! [`DynamicTree`] is the fastest at any number and mix of sizes (`docs/measurements/broad-phases.md`), [`HierarchicalHashGrid`] that of
//! S1 (S1-75), [`UniformHashGrid`] that of S5 (S5-03); [`BruteForce`] is the oracle they are tested against.
//!
//! Invariants: the pairs depend on boxes and filters alone, never on insertion order, hashing or threads;
//! an update in which nothing changed costs nothing; no allocation once capacities have settled.

mod brute_force;
mod cells;
mod changed;
mod found;
pub mod hash_grid;
mod partners;
pub mod tree;
pub mod uniform_grid;
mod visit;

pub use brute_force::BruteForce;
pub use hash_grid::{HashGridConfig, HierarchicalHashGrid};
pub use tree::DynamicTree;
pub use uniform_grid::{UniformGridConfig, UniformHashGrid};
pub use visit::BoxCast;

use drystone_exec::Exec;
use drystone_math::{Aabb, AnyCarried, BitSet, Carried};
use std::ops::ControlFlow;

/// Two proxies whose boxes overlap; `a < b`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pair {
    /// The smaller proxy index.
    pub a: u32,
    /// The larger proxy index.
    pub b: u32,
}

impl Pair {
    /// The pair of two different proxies, in either order.
    #[inline]
    pub fn new(p: u32, q: u32) -> Self {
        debug_assert!(p != q, "a pair needs two different proxies, got {p} twice");
        Self { a: p.min(q), b: p.max(q) }
    }
}

/// What a proxy may be paired with. Two proxies are paired when each one's `member_of` shares a bit with
/// the other's `meets`, unless both are fixed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProxyFilter {
    /// Groups the proxy belongs to, one bit each.
    pub member_of: u32,
    /// Groups it meets.
    pub meets: u32,
    /// Cannot move by itself: fixed-fixed pairs are never made (S1-04).
    pub fixed: bool,
    /// Proxies with the same owner (colliders of one body) are never paired.
    pub owner: u32,
}

impl ProxyFilter {
    /// True when the two proxies may be paired; symmetric.
    #[inline]
    pub fn allows(&self, other: &Self) -> bool {
        self.member_of & other.meets != 0
            && other.member_of & self.meets != 0
            && !(self.fixed && other.fixed)
            && self.owner != other.owner
    }
}

/// Input of a broad phase: one entry per proxy; an unused slot has an empty box.
#[derive(Clone, Copy, Debug)]
pub struct Proxies<'a> {
    /// Boxes, m, world; [`Aabb::EMPTY`] for unused slots, unbounded axes allowed. A box with a corner that
    /// is not a number counts as empty and is reported.
    pub boxes: &'a [Aabb],
    /// Filters, one per box.
    pub filters: &'a [ProxyFilter],
    /// Proxies whose box or filter changed since the last update (added and removed ones included). Slots
    /// that appear or vanish because the lists got longer or shorter count as changed anyway.
    pub changed: &'a BitSet,
}

impl Proxies<'_> {
    /// Number of slots.
    fn slot_count(&self) -> u32 {
        debug_assert_eq!(self.boxes.len(), self.filters.len(), "one filter per box was promised");
        // The largest index is kept free: it stands for "none".
        u32::try_from(self.boxes.len().min(self.filters.len())).unwrap_or(u32::MAX).min(u32::MAX - 1)
    }
}

/// Output of a broad phase, both sorted by (a, b).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PairChanges {
    /// Pairs that now overlap and did not before.
    pub begun: Vec<Pair>,
    /// Pairs that overlapped and no longer do (also because a proxy went away or its filter changed).
    pub ended: Vec<Pair>,
}

impl PairChanges {
    /// Forgets the changes and keeps the memory.
    pub fn clear(&mut self) {
        self.begun.clear();
        self.ended.clear();
    }
}

/// Counters of one update.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BroadReport {
    /// Proxies with a box.
    pub proxies: u32,
    /// Proxies that changed.
    pub changed: u32,
    /// Box-against-box tests made.
    pub box_tests: u64,
    /// Pairs alive after the update.
    pub pairs: u32,
    /// Proxies whose box has a corner that is not a number; they overlap nothing.
    pub not_a_number: u32,
}

/// Why a broad phase was refused; nothing was built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BroadError {
    /// A setting is out of range.
    #[error("{field} must be {expected}, got {value}")]
    OutOfRange {
        /// The setting, as spelled in its struct.
        field: &'static str,
        /// Its valid range, in words.
        expected: &'static str,
        /// The value refused.
        value: f64,
    },
}

/// Finds pairs of boxes that overlap. Implementations never read shapes or bodies, and their answer does
/// not depend on insertion order, hashing or threads.
pub trait BroadPhase: Send + Sync {
    /// Takes the boxes that changed; reports the pairs that began and ended.
    fn update(&mut self, proxies: Proxies<'_>, exec: &Exec, changes: &mut PairChanges) -> BroadReport;
    /// Forgets everything, as if new.
    fn clear(&mut self);
    /// Keeps all that later updates and visits depend on in `state`.
    fn save_state(&self, state: &mut AnyCarried);
    /// Goes on from what [`BroadPhase::save_state`] kept; false, and nothing changed, when that was another kind of broad phase.
    fn restore_state(&mut self, state: &AnyCarried) -> bool;
    /// Visits all proxies, whatever their filters, whose boxes as of the last update overlap `aabb` (m, world), each once, until told to
    /// break. The order is that of the implementation, the same for equal histories.
    fn visit_box(&self, aabb: &Aabb, visit: &mut dyn FnMut(u32) -> ControlFlow<()>);
    /// The same for those that are fixed ([`ProxyFilter::fixed`]); others may be visited, too, where they are not kept apart.
    fn visit_fixed(&self, aabb: &Aabb, visit: &mut dyn FnMut(u32) -> ControlFlow<()>) {
        self.visit_box(aabb, visit);
    }
    /// Visits all proxies, whatever their filters, whose boxes as of the last update a ray or a moving box meets, each once, with
    /// [`BoxCast::entry`]. The visitor returns how far to go on, in the same units: what is met later is left out. The order is that of
    /// the implementation; the nearest tend to come first.
    fn visit_cast(&self, cast: &BoxCast, visit: &mut dyn FnMut(u32, f64) -> f64);
}

/// [`BroadPhase::restore_state`] for a broad phase that keeps itself.
fn go_on_as<T: Carried + 'static>(own: &mut T, state: &AnyCarried) -> bool {
    state.get::<T>().map(|kept| own.copy_from(kept)).is_some()
}

/// Visits those of a list of proxies that a cast meets, and shortens it as the visitor says.
fn visit_all<'a>(
    proxies: impl Iterator<Item = (u32, &'a Aabb)>,
    cast: &mut BoxCast,
    visit: &mut dyn FnMut(u32, f64) -> f64,
) {
    for (proxy, aabb) in proxies {
        if let Some(entry) = cast.entry(aabb) {
            cast.end = cast.end.min(visit(proxy, entry));
        }
    }
}

/// True when a corner of the box is not a number.
fn has_nan(aabb: &Aabb) -> bool {
    aabb.min.iter().chain(aabb.max.iter()).any(|c| c.is_nan())
}

/// True when the box contains no point or has a corner that is not a number.
fn is_absent(aabb: &Aabb) -> bool {
    // Comparisons with NaN are false, so the box counts as empty wherever the NaN is.
    aabb.is_empty()
}
