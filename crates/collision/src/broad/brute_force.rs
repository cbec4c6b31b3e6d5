//! All against all: the oracle of the other broad phases.

use drystone_exec::Exec;
use drystone_math::{Aabb, AnyCarried};
use std::ops::ControlFlow;

use super::{
    BoxCast, BroadPhase, BroadReport, Pair, PairChanges, Proxies, go_on_as, has_nan, is_absent, visit_all,
};

/// Tests every box against every other one, n (n - 1) / 2 tests per update in which anything changed.
///
/// There is nothing in it that could go wrong, which is its purpose. It is also the fastest choice for a
/// few dozen proxies.
#[derive(Clone, Debug, Default)]
pub struct BruteForce {
    /// Pairs alive, sorted.
    alive: Vec<Pair>,
    /// Pairs alive in the update before, sorted; kept for its memory.
    before: Vec<Pair>,
    /// The last report, returned again when nothing changes.
    report: BroadReport,
    slot_count: u32,
    /// Boxes as of the last update, for visits.
    boxes: Vec<Aabb>,
}

drystone_math::carried!(BruteForce { part: [alive, boxes], value: [report, slot_count], scratch: [before] });

impl BruteForce {
    /// A broad phase without proxies.
    pub fn new() -> Self {
        Self::default()
    }

    /// The pairs alive, sorted.
    pub fn pairs(&self) -> &[Pair] {
        &self.alive
    }
}

impl BroadPhase for BruteForce {
    fn update(&mut self, proxies: Proxies<'_>, _exec: &Exec, changes: &mut PairChanges) -> BroadReport {
        changes.clear();
        let slot_count = proxies.slot_count();
        let resized = slot_count.abs_diff(self.slot_count);
        let changed = proxies.changed.iter().filter(|&p| p < slot_count.min(self.slot_count)).count() as u32;
        self.report.changed = changed + resized;
        self.report.box_tests = 0;
        if self.report.changed == 0 {
            return self.report;
        }
        self.slot_count = slot_count;
        self.boxes.clear();
        self.boxes.extend_from_slice(&proxies.boxes[..slot_count as usize]);
        self.before.clone_from(&self.alive);
        self.alive.clear();
        let present = |p: u32| !is_absent(&proxies.boxes[p as usize]);
        for a in (0..slot_count).filter(|&a| present(a)) {
            for b in (a + 1..slot_count).filter(|&b| present(b)) {
                self.report.box_tests += 1;
                if proxies.boxes[a as usize].overlaps(&proxies.boxes[b as usize])
                    && proxies.filters[a as usize].allows(&proxies.filters[b as usize])
                {
                    self.alive.push(Pair { a, b });
                }
            }
        }
        difference(&self.alive, &self.before, &mut changes.begun);
        difference(&self.before, &self.alive, &mut changes.ended);
        self.report.proxies = (0..slot_count).filter(|&p| present(p)).count() as u32;
        self.report.pairs = u32::try_from(self.alive.len()).unwrap_or(u32::MAX);
        self.report.not_a_number =
            proxies.boxes[..slot_count as usize].iter().filter(|b| has_nan(b)).count() as u32;
        self.report
    }

    fn clear(&mut self) {
        *self = Self::default();
    }

    fn save_state(&self, state: &mut AnyCarried) {
        state.keep(self);
    }

    fn restore_state(&mut self, state: &AnyCarried) -> bool {
        go_on_as(self, state)
    }

    fn visit_box(&self, aabb: &Aabb, visit: &mut dyn FnMut(u32) -> ControlFlow<()>) {
        if is_absent(aabb) {
            return;
        }
        for (proxy, own) in (0..).zip(&self.boxes) {
            if !is_absent(own) && own.overlaps(aabb) && visit(proxy).is_break() {
                return;
            }
        }
    }

    fn visit_cast(&self, cast: &BoxCast, visit: &mut dyn FnMut(u32, f64) -> f64) {
        visit_all((0..).zip(&self.boxes), &mut { *cast }, visit);
    }
}

/// The pairs of `of` that are not in `without`, appended to `to`; all sorted.
fn difference(of: &[Pair], without: &[Pair], to: &mut Vec<Pair>) {
    to.extend(of.iter().filter(|pair| without.binary_search(pair).is_err()));
}
