//! Sleepy bodies, islands of them, and what S3 does with them (section 7, rows S3-21, S3-25, S3-28).
//!
//! A body is sleepy when its kinetic energy has been numerically zero for a number of steps. What is done about it:
//!
//! | rule | falls asleep | wakes beside the six rules |
//! |---|---|---|
//! | [`EnergySleepRule::Islands`] (S3-21) | an island of only sleepy bodies | an island with anything awake in it |
//! | [`EnergySleepRule::Subgroups`] (S3-25) | a sleepy body among sleepy ones: edges between sleepy bodies do not join islands, so it is an island | the neighbour of what is awake and not sleepy |
//! | [`EnergySleepRule::Fixed`] (S3-28) | every sleepy body, which then has neither inverse mass nor inertia | - |
//!
//! Departures from S3, because of S3-32 (spheres that hang, and that fly up). What S3 calls fixed, and what it leaves out of the simulation,
//! is asleep here, so the six wake rules hold for it: it wakes when it is struck, and when what carried it is gone. What nothing carries,
//! or what is driven, does not fall asleep (S1-42). A body that a rule woke is not sleepy: it must be at rest as long as before. Edges between
//! sleepy bodies are left out of islands only where both sleep: S3 leaves out those of bodies it simulates too, which then sink for a step.

use crate::jam::overlaps;
use crate::motion::supports_at_rest;
use crate::{SleepConfig, SleepError, SleepMemory, SleepReport};
use drystone_contact::{Batches, Bodies, BodyIndex, ContactGraph, StepParams, WakeCause};
use drystone_math::{BitSet, Real};

/// What sleepy bodies do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnergySleepRule {
    /// Islands of only sleepy bodies sleep (S3-21).
    Islands,
    /// The same, where edges between sleepy bodies do not join islands (S3-25).
    Subgroups,
    /// Every sleepy body sleeps, and is fixed (S3-28).
    Fixed,
}

/// When a body is sleepy.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct EnergySleepConfig {
    /// Speed in units of `g dt` at which the body's mass would have the kinetic energy that counts as zero. Default 0.01 (1 mm/s at 100 steps per
    /// second); in (0, 1). Larger sleeps sooner, and takes more motion away.
    pub threshold: Real,
    /// Steps in a row with less than that. Default 20; at least 1. Fewer sleep sooner, and catch what merely turns round.
    pub steps: u32,
}

impl Default for EnergySleepConfig {
    fn default() -> Self {
        Self { threshold: 0.01, steps: 20 }
    }
}

impl EnergySleepConfig {
    /// `Ok` when every value is in range.
    ///
    /// # Errors
    /// The first value out of range, with its name.
    pub fn validate(&self) -> Result<(), SleepError> {
        let threshold = self.threshold;
        if !(threshold > 0.0 && threshold < 1.0) {
            let field = "sleepy_threshold";
            return Err(SleepError::OutOfRange { field, expected: "in (0, 1)", value: threshold });
        }
        if self.steps == 0 {
            return Err(SleepError::OutOfRange { field: "sleepy_steps", expected: "at least 1", value: 0.0 });
        }
        Ok(())
    }
}

/// Who is sleepy: memory between steps.
#[derive(Clone, Debug, Default)]
pub struct EnergySleep {
    /// Steps in a row in which each body had no kinetic energy.
    still: Vec<u32>,
    /// Bodies that this rule put to sleep and did not wake itself.
    sleepers: BitSet,
    /// Islands that something not sleepy is part of.
    restless: BitSet,
}

drystone_math::carried!(EnergySleep { part: [still, sleepers], scratch: [restless] });

impl EnergySleep {
    /// Forgets what it knows of a slot: another body is there.
    pub fn forget(&mut self, body: BodyIndex) {
        if let Some(still) = self.still.get_mut(body.get()) {
            *still = 0;
        }
        if body.0 < self.sleepers.len() {
            self.sleepers.remove(body.0);
        }
    }

    /// Forgets what it knows of all bodies: where nobody counts from now on, or by another speed, a count of before says nothing.
    pub fn forget_all(&mut self) {
        self.still.fill(0);
        self.sleepers.clear();
    }

    /// True for a dynamic body that is asleep, or had no kinetic energy in as many steps as the settings say.
    pub fn is_sleepy(&self, config: &EnergySleepConfig, bodies: &Bodies, body: BodyIndex) -> bool {
        let is_still = || self.still.get(body.get()).is_some_and(|&still| still >= config.steps);
        bodies.hot(body).is_dynamic() && (bodies.is_asleep(body) || is_still())
    }

    /// Before the response, with the batches of this step: wakes what sleeps in an island that is awake, as the rule says. Returns how many.
    /// O(bodies of the batches), or O(awake bodies and their links).
    pub fn wake_members(
        &mut self,
        config: &EnergySleepConfig,
        rule: EnergySleepRule,
        bodies: &mut Bodies,
        graph: &ContactGraph,
        batches: &Batches,
    ) -> u32 {
        let mut woken = 0;
        for batch in batches.list() {
            let members = batches.bodies(batch);
            match rule {
                EnergySleepRule::Islands if members.iter().any(|&body| bodies.is_awake(body)) => {
                    members.iter().for_each(|&body| woken += self.wake(bodies, body));
                }
                EnergySleepRule::Subgroups => {
                    for &body in members {
                        if bodies.is_awake(body) && !self.is_sleepy(config, bodies, body) {
                            for index in graph.linked_edges_of(body) {
                                woken += self.wake(bodies, graph.edge(index).other(body));
                            }
                        }
                    }
                }
                EnergySleepRule::Islands | EnergySleepRule::Fixed => {}
            }
        }
        woken
    }

    /// Wakes a body that stays sleepy; returns how many woke.
    fn wake(&mut self, bodies: &mut Bodies, body: BodyIndex) -> u32 {
        if !bodies.is_asleep(body) {
            return 0;
        }
        if body.0 < self.sleepers.len() {
            self.sleepers.remove(body.0);
        }
        bodies.wake(body, WakeCause::IslandAwake);
        1
    }

    /// At the end of a step: counts who had no kinetic energy, and puts to sleep as the rule says. In place of
    /// [`crate::put_to_sleep`], with its `scratch`: afterwards, those that were awake before. O(awake bodies and their links).
    #[allow(clippy::too_many_arguments, reason = "the inputs of one stage, called from one place")]
    pub fn put_to_sleep(
        &mut self,
        config: &EnergySleepConfig,
        rule: EnergySleepRule,
        sleep: &SleepConfig,
        bodies: &mut Bodies,
        graph: &ContactGraph,
        step: &StepParams,
        scratch: &mut Vec<BodyIndex>,
        memory: &mut SleepMemory,
    ) -> SleepReport {
        let mut report = SleepReport::default();
        scratch.clear();
        if !sleep.enabled {
            return report;
        }
        self.still.resize(bodies.capacity().max(self.still.len()), 0);
        self.sleepers.resize((bodies.capacity() as u32).max(self.sleepers.len()));
        scratch.extend(bodies.view().awake.iter().map(BodyIndex));
        memory.predicted.begin(sleep, bodies, graph, step);
        self.count(config, bodies, step, scratch, |body| {
            memory.predicted.update(sleep, bodies, graph, body, step)
        });
        memory.driven.find(bodies, graph, scratch);
        memory.driven.wake(sleep, bodies, graph);
        memory.whole.begin(bodies, graph);
        memory.jams.begin(bodies);
        if rule == EnergySleepRule::Islands {
            self.find_restless(config, sleep, bodies, graph, step, scratch);
        }
        for &body in scratch.iter() {
            let is_driven = memory.driven.contain(graph, body);
            if is_driven || !self.is_candidate(config, rule, bodies, graph, body) {
                continue;
            }
            let Some(supports) = supports_at_rest(sleep, bodies, graph, body, step) else { continue };
            if !memory.whole.is_carried(sleep, bodies, graph, body, step) {
                continue;
            }
            if overlaps(sleep, graph, body, step) {
                // Twice as long as others wait: what has just landed gets its room by itself.
                if self.still[body.get()] >= 2 * config.steps {
                    memory.jams.add(body);
                }
                continue;
            }
            bodies.put_to_sleep(body);
            bodies.view_mut().supports[body.get()] = supports.counted;
            self.sleepers.insert(body.0);
            report.fell_asleep += 1;
        }
        memory.jams.make_room(sleep, bodies, graph);
        report
    }

    /// Counts the steps without kinetic energy of those that are awake, and not at the turning point of a swing.
    fn count(
        &mut self,
        config: &EnergySleepConfig,
        bodies: &Bodies,
        step: &StepParams,
        awake: &[BodyIndex],
        mut is_swinging: impl FnMut(BodyIndex) -> bool,
    ) {
        let speed = f64::from(config.threshold * step.speed_unit());
        for &body in awake {
            if self.sleepers.contains(body.0) {
                // A rule woke it: it may have lost what carried it.
                self.sleepers.remove(body.0);
                self.still[body.get()] = 0;
            }
            let has_no_energy =
                bodies.kinetic_energy(body) < 0.5 * f64::from(bodies.mass(body)) * speed * speed;
            let still = &mut self.still[body.get()];
            *still = if !is_swinging(body) && has_no_energy { still.saturating_add(1) } else { 0 };
        }
    }

    /// Marks the islands of which a body may not sleep.
    fn find_restless(
        &mut self,
        config: &EnergySleepConfig,
        sleep: &SleepConfig,
        bodies: &Bodies,
        graph: &ContactGraph,
        step: &StepParams,
        awake: &[BodyIndex],
    ) {
        // Islands are of bodies, and no more than these.
        self.restless.clear();
        self.restless.resize(2 * bodies.capacity() as u32);
        for &body in awake {
            let island = graph.island_of(body).0;
            if island >= self.restless.len() || self.restless.contains(island) {
                continue;
            }
            let may_sleep = self.is_sleepy(config, bodies, body)
                && bodies.hot(body).can_sleep()
                && supports_at_rest(sleep, bodies, graph, body, step).is_some()
                && !overlaps(sleep, graph, body, step);
            if !may_sleep {
                self.restless.insert(island);
            }
        }
    }

    /// True for an awake body that the rule puts to sleep, if nothing drives it.
    fn is_candidate(
        &self,
        config: &EnergySleepConfig,
        rule: EnergySleepRule,
        bodies: &Bodies,
        graph: &ContactGraph,
        body: BodyIndex,
    ) -> bool {
        let hot = bodies.hot(body);
        if !hot.is_dynamic() || !hot.can_sleep() || !self.is_sleepy(config, bodies, body) {
            return false;
        }
        match rule {
            EnergySleepRule::Islands => {
                let island = graph.island_of(body).0;
                island < self.restless.len() && !self.restless.contains(island)
            }
            EnergySleepRule::Subgroups => graph.linked_edges_of(body).all(|index| {
                let other = graph.edge(index).other(body);
                !bodies.hot(other).is_dynamic() || self.is_sleepy(config, bodies, other)
            }),
            EnergySleepRule::Fixed => true,
        }
    }
}
