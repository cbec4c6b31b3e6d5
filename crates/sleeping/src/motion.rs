//! Putting bodies to sleep: Algorithm 5 of S1 (rows S1-30..36).

use crate::driven::{DrivenIslands, is_driven_by_another};
use crate::jam::Jams;
use crate::load::wake_unbalanced;
use crate::predicted::PredictedMotion;
use crate::tied::{TiedSleepers, Whole};
use crate::{SleepConfig, Supports, supports_of};
use drystone_contact::{Bodies, BodyIndex, ContactGraph, StepParams};
use drystone_math::{Real, Vector3};

/// What putting to sleep did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SleepReport {
    /// Bodies that fell asleep in this step.
    pub fell_asleep: u32,
}

/// Memory of [`put_to_sleep`], [`crate::EnergySleep::put_to_sleep`] and [`crate::wake_unsupported`]. Only mean poses of what joints hold last from step to step.
#[derive(Clone, Debug, Default)]
pub struct SleepMemory {
    /// Those of a step that are slow enough.
    slow: Vec<BodyIndex>,
    pub(crate) jams: Jams,
    pub(crate) driven: DrivenIslands,
    tied: TiedSleepers,
    pub(crate) whole: Whole,
    pub(crate) predicted: PredictedMotion,
}

drystone_math::carried!(SleepMemory { part: [predicted], scratch: [slow, jams, driven, tied, whole] });

/// Averages the motion of every awake body and puts those below the threshold to sleep (Algorithm 5).
///
/// `scratch` holds the awake bodies while sleep changes them: afterwards, those that were awake before. What joints hold together sleeps
/// when all of it may and something carries it. In an island with joints a body may if it is not going to move by more than [`SleepConfig::swing_limit`] allows. Bodies that may not sleep, fixed and kinematic ones are left alone, and what hangs together with something that is driven by a kinematic
/// body, a belt or a motor is awake as a whole ([`WakeCause::Driven`](drystone_contact::WakeCause::Driven)). O(awake bodies), plus the contacts of those that fall asleep.
pub fn put_to_sleep(
    config: &SleepConfig,
    bodies: &mut Bodies,
    graph: &ContactGraph,
    step: &StepParams,
    scratch: &mut Vec<BodyIndex>,
    memory: &mut SleepMemory,
) -> SleepReport {
    let mut report = SleepReport::default();
    scratch.clear();
    if !config.enabled {
        return report;
    }
    let SleepMemory { slow, jams, driven, tied, whole, predicted } = memory;
    slow.clear();
    slow.reserve(bodies.capacity());
    tied.begin(bodies, graph);
    whole.begin(bodies, graph);
    predicted.begin(config, bodies, graph, step);
    let threshold = config.threshold * step.speed_unit();
    let threshold_squared = threshold * threshold;
    // What joints hold must settle again: one step's velocity says nothing about how it goes on.
    let again =
        |is_jointed| if is_jointed { config.motion_cap * threshold_squared } else { threshold_squared };
    let bias = config.averaging_time / (config.averaging_time + step.dt);
    scratch.extend(bodies.view().awake.iter().map(BodyIndex));
    for &body in scratch.iter() {
        let hot = bodies.hot(body);
        if !hot.is_dynamic() || !hot.can_sleep() {
            continue;
        }
        let motion = hot.motion_bound_squared(bodies.radius(body));
        let is_swinging = predicted.update(config, bodies, graph, body, step);
        let cap = config.motion_cap * threshold_squared;
        let average = &mut bodies.view_mut().motion[body.get()];
        // A new body starts at the largest number; the cap comes first so that it is meant.
        *average = bias * average.min(cap) + (1.0 - bias) * motion.min(Real::MAX);
        if *average < threshold_squared && motion < threshold_squared {
            if !is_swinging {
                slow.push(body);
            }
        } else if *average > cap {
            *average = cap;
        }
    }
    jams.find(config, bodies, graph, step, slow, threshold_squared);
    driven.find(bodies, graph, slow);
    driven.wake(config, bodies, graph);
    for &body in slow.iter() {
        if driven.contain(graph, body) || jams.is_near(body) {
            continue;
        }
        let Some(supports) = supports_at_rest(config, bodies, graph, body, step) else { continue };
        if wake_unbalanced(config, bodies, graph, body, step) {
            continue;
        }
        if tied.take(graph, body) {
            continue;
        }
        fall_asleep(bodies, body, again(predicted.covers(graph, body)), supports);
        report.fell_asleep += 1;
    }
    let may = |bodies: &Bodies, body| whole.is_carried(config, bodies, graph, body, step);
    tied.end(bodies, graph, may, |bodies, body| {
        let supports = supports_of(config, bodies, graph, body, step);
        fall_asleep(bodies, body, again(predicted.covers(graph, body)), supports);
        report.fell_asleep += 1;
    });
    report
}

/// Puts one body to sleep, whatever its motion: the end of a rule that is the caller's own. False, and nothing done, for what may not sleep (fixed, kinematic, passive,
/// [`BodyDesc::can_sleep`](drystone_contact::BodyDesc)), what nothing carries against the global forces (S1-42), together with what joints hold to it, and what is
/// driven: the wake rules would wake it again at once. Those hold for it as for any sleeper. `step` is the last one; the graph is that of its end. O(contacts of
/// the body, and of what joints hold to it).
pub fn put_one_to_sleep(
    config: &SleepConfig,
    bodies: &mut Bodies,
    graph: &ContactGraph,
    body: BodyIndex,
    step: &StepParams,
) -> bool {
    let hot = bodies.hot(body);
    if !hot.is_dynamic() || hot.is_passive() || !hot.can_sleep() || bodies.is_asleep(body) {
        return bodies.is_asleep(body);
    }
    if is_driven_by_another(bodies, graph, body) {
        return false;
    }
    let Some(supports) = supports_at_rest(config, bodies, graph, body, step) else { return false };
    let mut whole = Whole::default();
    whole.begin(bodies, graph);
    if !whole.is_carried(config, bodies, graph, body, step) {
        return false;
    }
    let threshold = config.threshold * step.speed_unit();
    fall_asleep(bodies, body, threshold * threshold, supports);
    true
}

/// A waking body begins with this averaged squared motion, (m/s)². With the threshold's square it sleeps again at once if its motion is below the threshold (S1-36).
fn fall_asleep(bodies: &mut Bodies, body: BodyIndex, motion: Real, supports: Supports) {
    bodies.view_mut().motion[body.get()] = motion;
    bodies.put_to_sleep(body);
    bodies.view_mut().supports[body.get()] = supports.counted;
}

/// The supports of a body that may sleep as far as forces go; `None` where rule 6 would have to wake it again at once (S1-42), or where the user pushes it: one step of
/// that can stay below the threshold, and what sleeps between steps would never start.
pub(crate) fn supports_at_rest(
    config: &SleepConfig,
    bodies: &Bodies,
    graph: &ContactGraph,
    body: BodyIndex,
    step: &StepParams,
) -> Option<Supports> {
    let supports = supports_of(config, bodies, graph, body, step);
    let is_unsupported = supports.carrying == 0 && step.pull_on(bodies, body) != Vector3::zeros();
    let is_pushed = bodies.force(body) != (Vector3::zeros(), Vector3::zeros());
    (!is_unsupported && !is_pushed).then_some(supports)
}
