//! Which units have articulations in them.

use super::{EnergyLimit, Layout, range};
use drystone_contact::{Batches, BodyIndex};

impl Layout {
    /// Calls `visit` for the bodies of islands with joints, unit by unit, with the number of the unit; islands for which it says so once are not limited in
    /// their energy, as motors give some.
    pub(in crate::sub_step) fn visit_tied_bodies(
        &mut self,
        batches: &Batches,
        mut visit: impl FnMut(u32, BodyIndex) -> bool,
    ) {
        let Self { units, islands, plan, .. } = self;
        for (number, unit) in (0..).zip(units.iter()) {
            let own = range(&unit.islands);
            for (island, paced) in islands[own.clone()].iter_mut().zip(&plan.islands[own]) {
                if !paced.has_ties {
                    continue;
                }
                for &body in batches.bodies(&paced.batch) {
                    if visit(number, body) {
                        island.limit = EnergyLimit::None;
                    }
                }
            }
        }
    }
}
