//! What happens to the mechanical energy of a run (S2-31): kinetic and potential energy after each step, from
//! velocities and heights.
//!
//! Methods move bodies with velocities that are older or younger than their places by a step or less
//! ([`crate::validate::lab::lag`]); heights count half of that way on. So free flight keeps its energy to rounding with all
//! of them, and what rises was given by contacts or by correction. Nothing in the scenes of the comparison gives energy otherwise.

use drystone::World;
use drystone::math::{Displacement, widen};

/// The ledger of a run.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ledger {
    /// s; see the module.
    lag: f64,
    /// Energy at the begin, heights above the origin, J.
    pub(super) begin: f64,
    last: f64,
    /// Sum of what steps gained, J.
    pub(super) gained: f64,
    /// Most that a step gained, J.
    pub(super) largest: f64,
    /// Sum of the gains of kinetic energy that the method reports of its own impulses, J.
    pub(super) by_contacts: f64,
}

/// Share of the energy at hand that rounding may add in a step: velocities are `f32`.
const ROUNDING: f64 = 1e-7;

impl Ledger {
    /// At the begin of a run.
    pub(super) fn begin(world: &World, lag: f64) -> Self {
        let mut ledger = Self { lag, ..Self::default() };
        ledger.begin = ledger.energy(world);
        ledger.last = ledger.begin;
        ledger
    }

    /// After a step.
    pub(super) fn note(&mut self, world: &World) {
        let now = self.energy(world);
        let gain = now - self.last;
        if gain > ROUNDING * self.last.abs().max(self.begin) {
            self.gained += gain;
            self.largest = self.largest.max(gain);
        }
        self.last = now;
        let report = world.report();
        let own = report.energy_after - report.energy_before;
        if own > ROUNDING * report.energy_before {
            self.by_contacts += own;
        }
    }

    /// Sums of all gains and of those that the method reports, as shares of the energy at the begin.
    pub(super) fn shares(&self) -> [f64; 2] {
        [self.gained / self.begin, self.by_contacts / self.begin]
    }

    /// Mechanical energy, J.
    fn energy(&self, world: &World) -> f64 {
        let bodies = world.body_store();
        let pull = widen(&world.config().gravity);
        let of = |i| {
            let hot = bodies.hot(i);
            if !hot.is_dynamic() || hot.inverse_mass == 0.0 {
                return 0.0;
            }
            let place: Displacement =
                bodies.center_pose(i).translation.coords + widen(&hot.linear) * (0.5 * self.lag);
            bodies.kinetic_energy(i) + -pull.dot(&place) / f64::from(hot.inverse_mass)
        };
        bodies.indices().map(of).sum()
    }
}
