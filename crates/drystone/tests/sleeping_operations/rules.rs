//! What must hold after every step.

use drystone::math::{Position, Real, Vector3};
use drystone::{BodyHandle, BodyKind, WakeCause, World};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Share of three steps of free fall that a woken sleeper may gain in speed. What carries leaves at most the sleep threshold (0.2 `g dt`) of a
/// closing speed in a step, so 0.6 `g dt` in three, where free fall gains 3 `g dt`; a quarter tells both apart.
const GAIN: Real = 0.25;

/// Speed that rounding gives where nothing pulls, m/s.
const ROUNDING: Real = 1e-6;

/// How far a body may have gone beside a sleeper for [`Rules::check_loads`] to hold, m.
///
/// To what is awake a sleeper is immovable up to the closing speed that wakes it. What slides below it, leans on it softly or lifts it like a lever
/// does not wake it in S1, and may fall asleep itself in a state that stands only because the other one cannot move. So without
/// [`SleepConfig::max_imbalance`](drystone::sleeping::SleepConfig) loads are compared where all came to rest from a world that was awake as a whole, and
/// nothing moved along a sleeper since.
const SLID: f64 = 1e-4;

/// Steps after which it is seen that what a body rests on has gone from below: what falls from rest has gone `n (n + 1) / 2` times `g dt²` after `n`
/// steps, and is no support any more when that is beyond the gap; one step passes before anyone looks, and one is for rounding.
fn steps_to_see(world: &World) -> u32 {
    let config = world.config();
    let gap = config.sleeping.support_gap * config.reference_acceleration;
    let fallen = |n: u32| (n * (n + 1) / 2) as Real * config.gravity.norm();
    (1..).find(|&n| fallen(n) > gap).unwrap_or(u32::MAX - 2) + 2
}

/// What is known between two steps.
pub(crate) struct Rules {
    dt: Real,
    was_removed: bool,
    was_touched: bool,
    /// Before the step: who slept, and whether anything could move.
    slept: BTreeSet<BodyHandle>,
    could_move: bool,
    /// For how many steps in a row a sleeper was not carried.
    hanging: BTreeMap<BodyHandle, u32>,
    /// Something was done while some slept and others did not: the sleepers have not felt it.
    is_mixed: bool,
    /// Where the bodies that a sleeper touches were when it fell asleep.
    beds: BTreeMap<BodyHandle, Vec<(BodyHandle, Position)>>,
}

impl Rules {
    pub(crate) fn new(dt: Real) -> Self {
        Self {
            dt,
            was_removed: false,
            was_touched: false,
            slept: BTreeSet::new(),
            could_move: false,
            hanging: BTreeMap::new(),
            is_mixed: false,
            beds: BTreeMap::new(),
        }
    }

    /// Something was removed, or taken out.
    pub(crate) fn removed(&mut self) {
        self.was_removed = true;
        self.was_touched = true;
    }

    /// Something was changed from outside.
    pub(crate) fn touched(&mut self) {
        self.was_touched = true;
    }

    /// Before a step. Who was woken since the last one slept after that.
    pub(crate) fn before(&mut self, world: &World) {
        let moves = |kind, is_asleep: bool, velocity: Vector3| match kind {
            BodyKind::Dynamic => !is_asleep,
            _ => velocity != Vector3::zeros(),
        };
        // What fell asleep in the last step was still moved by it: its contacts are looked at once more.
        self.could_move = world.report().fell_asleep > 0
            || world
                .bodies()
                .any(|body| body.is_active && moves(body.kind, body.is_asleep, body.linear_velocity));
    }

    /// After a step.
    pub(crate) fn after(&mut self, world: &World) -> Result<(), TestCaseError> {
        self.check_wakes(world)?;
        self.check_carried(world)?;
        self.slept = world.bodies().filter(|body| body.is_asleep).map(|body| body.handle).collect();
        self.note_beds(world);
        self.is_mixed = !self.slept.is_empty() && (self.is_mixed || self.was_touched);
        (self.was_removed, self.was_touched) = (false, false);
        Ok(())
    }

    /// Nothing wakes without a cause: who slept after the last step and does not now is listed, and the cause is one that happened.
    fn check_wakes(&self, world: &World) -> Result<(), TestCaseError> {
        let report = world.report();
        for &body in &self.slept {
            // Removed, or taken out: then it is neither.
            let Ok(now) = world.body(body) else { continue };
            if now.is_active && !now.is_asleep {
                let is_listed = report.woken.iter().any(|wake| wake.body == body);
                prop_assert!(is_listed, "step {}: {body:?} woke and is not listed", report.step);
            }
        }
        let config = &world.config().sleeping;
        for wake in &report.woken {
            let is_possible = match wake.cause {
                WakeCause::User => self.was_touched,
                WakeCause::NeighbourRemoved => self.was_removed,
                WakeCause::Jammed => config.max_overlap.is_some() && self.could_move,
                WakeCause::Unbalanced => {
                    config.max_imbalance.is_some() && (self.could_move || self.was_touched)
                }
                WakeCause::IslandAwake => world.config().coherence.sleepy_groups,
                WakeCause::Driven => self.could_move || self.was_touched,
                WakeCause::Corrected | WakeCause::Impact | WakeCause::SupportLost | WakeCause::Floating => {
                    self.could_move || self.was_touched
                }
            };
            prop_assert!(is_possible, "step {}: {wake:?} without anything that could", report.step);
        }
        Ok(())
    }

    /// Nothing hangs in the air: from every sleeper that is pulled, contacts below each other lead to what cannot fall, or it is about to be
    /// noticed that they do not: what falls away from below is seen body after body.
    fn check_carried(&mut self, world: &World) -> Result<(), TestCaseError> {
        let carried = carried(world, self.dt);
        let is_pulled = world.config().gravity != Vector3::zeros();
        if !is_pulled {
            self.hanging.clear();
            return Ok(());
        }
        let sleepers: Vec<BodyHandle> =
            world.bodies().filter(|body| body.is_asleep).map(|body| body.handle).collect();
        let count = world.bodies().filter(|body| body.kind == BodyKind::Dynamic).count() as u32;
        let limit = steps_to_see(world) * count;
        self.hanging.retain(|body, _| sleepers.contains(body) && !carried.contains(body));
        for body in sleepers.into_iter().filter(|body| !carried.contains(body)) {
            let steps = self.hanging.entry(body).or_default();
            *steps += 1;
            prop_assert!(
                *steps <= limit,
                "step {}: {body:?} hangs in the air for {steps} steps: {:?}",
                world.report().step,
                world.body(body),
            );
        }
        Ok(())
    }

    /// Takes note of what lies around those that fell asleep in this step; forgets those that woke.
    fn note_beds(&mut self, world: &World) {
        let woken: BTreeSet<BodyHandle> = world.report().woken.iter().map(|wake| wake.body).collect();
        self.beds.retain(|body, _| self.slept.contains(body) && !woken.contains(body));
        for &body in &self.slept {
            self.beds.entry(body).or_insert_with(|| {
                let touching = world.contacts().filter(|contact| contact.bodies.contains(&body));
                let others = touching.flat_map(|contact| contact.bodies).filter(|&other| other != body);
                others.filter_map(|other| Some((other, world.pose(other).ok()?.translation))).collect()
            });
        }
    }

    /// True when something has slid along a sleeper.
    fn has_slid(&self, world: &World) -> bool {
        let mut beds = self.beds.values().flatten();
        beds.any(|(other, at)| world.pose(*other).is_ok_and(|now| (now.translation - at).norm() > SLID))
    }

    /// Nothing sleeps under a load that moves it: where all sleep, all are woken, and none gains speed as what falls does. Then all is as before.
    pub(crate) fn check_loads(&mut self, world: &mut World) -> Result<(), TestCaseError> {
        let bodies: Vec<BodyHandle> =
            world.bodies().filter(|body| body.is_asleep).map(|b| b.handle).collect();
        let all_sleep =
            world.bodies().all(|body| body.kind != BodyKind::Dynamic || body.is_asleep || !body.is_active);
        let is_still = world.bodies().all(|body| body.linear_velocity == Vector3::zeros());
        if bodies.is_empty() || !all_sleep || !is_still {
            return Ok(());
        }
        if world.config().sleeping.max_imbalance.is_none() && (self.is_mixed || self.has_slid(world)) {
            return Ok(());
        }
        let before = world.snapshot();
        for &body in &bodies {
            world.wake(body).expect("it is alive");
        }
        for _ in 0..3 {
            world.step(self.dt).expect("the step is in range");
        }
        let allowed = (GAIN * 3.0 * world.config().gravity.norm() * self.dt).max(ROUNDING);
        for &body in &bodies {
            let speed = world.velocity(body).expect("it is alive").0.norm();
            prop_assert!(
                speed <= allowed,
                "{body:?} slept, and has {speed} m/s three steps after it was woken, allowed {allowed}",
            );
        }
        world.restore(&before).expect("a snapshot of this very world");
        Ok(())
    }
}

/// The dynamic bodies from which contacts lead down to what is not dynamic.
fn carried(world: &World, dt: Real) -> BTreeSet<BodyHandle> {
    let config = world.config();
    let gap = config.sleeping.support_gap * config.reference_acceleration * dt * dt;
    let down = config.gravity;
    // Who carries whom.
    let mut edges: Vec<[BodyHandle; 2]> = Vec::new();
    for contact in world.contacts().filter(|contact| contact.distance <= gap) {
        let [a, b] = contact.bodies;
        let along = contact.normal.dot(&down);
        if along > 0.0 {
            edges.push([b, a]);
        } else if along < 0.0 {
            edges.push([a, b]);
        }
    }
    let is_dynamic = |body| world.body(body).is_ok_and(|body| body.kind == BodyKind::Dynamic);
    let mut carried = BTreeSet::new();
    loop {
        let count = carried.len();
        for &[below, above] in &edges {
            if is_dynamic(above) && (!is_dynamic(below) || carried.contains(&below)) {
                carried.insert(above);
            }
        }
        if carried.len() == count {
            return carried;
        }
    }
}
