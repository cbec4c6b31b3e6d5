//! Waking what lost its support: rules 5 and 6 of S1 (rows S1-41..43).

use crate::SleepConfig;
use drystone_contact::{Bodies, BodyIndex, ContactGraph, StepParams, WakeCause};
use drystone_math::{Real, Vector3};

/// What the wake rules did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WakeReport {
    /// Sleepers looked at.
    pub examined: u32,
    /// Woken because they have fewer contacts below them than before (rule 5).
    pub support_lost: u32,
    /// Woken because they have none (rule 6).
    pub floating: u32,
}

/// Contact points of a body that touch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Supports {
    /// In the direction of the global forces that act on the body: points at which moving it along them would collide
    /// (S1-41).
    pub carrying: u32,
    /// Points whose loss wakes: those that carry, and others with [`SleepConfig::side_gap`].
    pub counted: u32,
}

/// Contact points of a body that touch and carry it. Zero when no global force acts.
pub fn supports_of(
    config: &SleepConfig,
    bodies: &Bodies,
    graph: &ContactGraph,
    body: BodyIndex,
    step: &StepParams,
) -> Supports {
    let pull = step.global_acceleration(bodies.hot(body).inverse_mass, bodies.gravity_scale(body));
    let unit = step.length_unit();
    let (gap, side_gap) = (config.support_gap * unit, config.side_gap.map(|gap| gap * unit));
    let least = config.support_cosine * pull.norm();
    let mut supports = Supports::default();
    if pull == Vector3::zeros() {
        return supports;
    }
    for index in graph.linked_edges_of(body) {
        let edge = graph.edge(index);
        // A joint holds in every direction, unless its other end is out of the simulation.
        if edge.is_tie() {
            let holds = u32::from(graph.tie(index).is_some_and(|tie| tie.is_active(bodies)));
            supports.carrying += holds;
            supports.counted += holds;
            continue;
        }
        let manifold = &edge.manifold;
        // The normal seen from the body points towards the other one.
        let outward = if manifold.body_a == body { manifold.normal } else { -manifold.normal };
        let touching = |gap: Real| manifold.points().iter().filter(|p| p.distance <= gap).count() as u32;
        if outward.dot(&pull) > least {
            let count = touching(gap);
            supports.carrying += count;
            supports.counted += count;
        } else if let Some(gap) = side_gap {
            supports.counted += touching(gap);
        }
    }
    supports
}

/// Wakes sleepers with fewer counted contacts than at the last look (rule 5), or with none in the direction of the global
/// forces (rule 6). Only sleepers whose contacts changed in this step are looked at: the
/// others have what they had. Nothing happens to bodies on which no global force acts.
pub fn wake_unsupported(
    config: &SleepConfig,
    bodies: &mut Bodies,
    graph: &ContactGraph,
    step: &StepParams,
) -> WakeReport {
    let mut report = WakeReport::default();
    for body in graph.changed_bodies().iter().map(BodyIndex) {
        if !bodies.is_asleep(body) || bodies.hot(body).is_quarantined() {
            continue;
        }
        let pull = step.global_acceleration(bodies.hot(body).inverse_mass, bodies.gravity_scale(body));
        if pull == Vector3::zeros() {
            continue;
        }
        report.examined += 1;
        let now = supports_of(config, bodies, graph, body, step);
        let before = std::mem::replace(&mut bodies.view_mut().supports[body.get()], now.counted);
        if now.carrying == 0 {
            wake(config, bodies, body, WakeCause::Floating);
            report.floating += 1;
        } else if now.counted < before {
            wake(config, bodies, body, WakeCause::SupportLost);
            report.support_lost += 1;
        }
    }
    report
}

/// At the begin of a step: what was woken from outside since the last one (rule 1) sleeps no sooner than what is new, with [`SleepConfig::must_settle`]. A change of
/// gravity or of a joint moves less in a step than the threshold, and what sleeps again at once never moves at all. Costs as [`Bodies::for_woken`].
pub fn settle_changed(config: &SleepConfig, bodies: &mut Bodies) {
    if config.must_settle {
        bodies.for_woken(WakeCause::User, |motion| *motion = Real::MAX);
    }
}

/// Wakes a body whose support may be gone (rules 1 and 4 to 6): with [`SleepConfig::must_settle`] it sleeps no sooner than
/// a new one.
pub fn wake(config: &SleepConfig, bodies: &mut Bodies, body: BodyIndex, cause: WakeCause) {
    if config.must_settle && bodies.is_asleep(body) {
        bodies.view_mut().motion[body.get()] = Real::MAX;
    }
    bodies.wake(body, cause);
}
