//! The thresholds and rates of a step, from its settings.

use super::ImpulseConfig;
use super::row::ResolveParams;
use drystone_contact::{Bodies, BodyIndex, StepParams};
use drystone_math::{Real, Vector3};

/// The thresholds of a step in m/s.
#[derive(Clone, Copy, Debug)]
pub(super) struct StepSpeeds {
    pub(super) threshold: Real,
    pub(super) resolve: ResolveParams,
    pub(super) stick_sweeps: u32,
    recovery: Real,
    slop: Real,
    deep: Real,
    /// See [`ImpulseConfig::overshoot`], m/s.
    pub(super) overshoot: Real,
    /// Share of an overlap or a slip that is taken back in a step, when slower than the recovery.
    regain: Real,
    /// Direction of the global acceleration, zero without one.
    pub(super) pull: Vector3,
    pub(super) dt: Real,
    pub(super) inverse_dt: Real,
    pub(super) step: StepParams,
}

/// With totals, what a step gives to take back all of a small overlap would be given again in the next one;
/// so they take back a part.
const REGAIN: Real = 0.2;

/// How many times the overshoot a contact of one point gets. One point of several that is pushed further than the
/// others tips its body: with 12 for all a tower of boxes drifted by 1.3 mm in 10 s, with 4 by less than without.
pub(super) const SINGLE_OVERSHOOT: Real = 3.0;

/// How many times faster than all contacts at the begin of a step a blow is before it counts as struck to and fro. With 1, one in
/// 1500 random clusters (the test of Algorithm 9) is no longer solved as S1 has it.
const RUNAWAY: Real = 10.0;

impl StepSpeeds {
    pub(super) fn new(config: &ImpulseConfig, step: &StepParams) -> Self {
        let unit = step.speed_unit();
        Self {
            threshold: config.resolution_threshold * unit,
            resolve: ResolveParams {
                restitution_speed: config.restitution_threshold * unit,
                blow_speed: Real::INFINITY,
                energy: config.energy_rule(),
            },
            stick_sweeps: config.stick_sweeps,
            recovery: config.recovery_speed * unit,
            slop: config.recovery_slop * step.length_unit(),
            deep: config.recovery_demand * step.length_unit(),
            overshoot: if config.accumulates() {
                0.0
            } else {
                config.overshoot * config.resolution_threshold * unit
            },
            regain: if config.accumulates() { REGAIN } else { 1.0 },
            pull: drystone_math::normalized(&step.acceleration).map_or(Vector3::zeros(), |(d, _)| d),
            dt: step.dt,
            inverse_dt: 1.0 / step.dt,
            step: *step,
        }
    }

    /// The same for contacts of which the fastest closes with `highest` (m/s) at the begin of the step.
    ///
    /// Newton's restitution with friction can give energy (S2-32): a light body between two heavy ones is struck to and fro, faster
    /// with every blow, until its speed is no number any more. From [`RUNAWAY`] times that speed on a blow may lose energy only.
    pub(super) fn calmed_above(&self, highest: Real) -> Self {
        let blow_speed = RUNAWAY * highest.max(self.resolve.restitution_speed);
        Self { resolve: ResolveParams { blow_speed, ..self.resolve }, ..*self }
    }

    /// Velocity that takes a slip back within the step, no faster than the recovery.
    #[inline]
    pub(super) fn return_velocity(&self, slip: &Vector3) -> Vector3 {
        let length = slip.norm();
        let rate = self.inverse_dt * self.regain;
        if length * rate <= self.recovery { slip * -rate } else { slip * (-self.recovery / length) }
    }

    /// Velocity that the global forces gave an awake body in this step, m/s (undamped).
    #[inline]
    pub(super) fn gained(&self, bodies: &Bodies, body: BodyIndex) -> Vector3 {
        let hot = bodies.hot(body);
        if !hot.is_dynamic() || !bodies.is_awake(body) {
            return Vector3::zeros();
        }
        self.step.global_acceleration_of(bodies, body) * self.dt
    }

    /// Fastest slip of a contact that still counts as sticking, m/s.
    #[inline]
    pub(super) fn sticking_limit(&self) -> Real {
        2.0 * self.recovery + self.threshold
    }

    /// Approach that is no collision, and velocity of a resolved contact that does not bounce, of a contact
    /// with this distance. A gap may close within the step. An overlap is taken back when the contact is
    /// resolved anyway; only a deep one is a reason to resolve it, and not between bodies at rest.
    #[inline]
    pub(super) fn approach_and_rest(&self, distance: Real, at_rest: bool) -> (Real, Real) {
        if distance >= 0.0 {
            let closing = distance * self.inverse_dt;
            return (closing, -closing);
        }
        let recovery = ((-distance - self.slop).max(0.0) * self.inverse_dt * self.regain).min(self.recovery);
        let is_demanded = -distance > self.deep && !at_rest;
        (if is_demanded { -recovery } else { 0.0 }, recovery)
    }
}
