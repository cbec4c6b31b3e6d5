//! Waking what lost its support: rules 5 and 6 of S1 (rows S1-41..43).

use crate::SleepConfig;
use drystone_contact::{Bodies, BodyIndex, ContactGraph, StepParams, WakeCause};

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

/// Contact points of a body in the direction of the global forces that act on it: points at which moving
/// the body along them would collide (S1-41). Zero when no global force acts.
pub fn support_count(
    config: &SleepConfig,
    bodies: &Bodies,
    graph: &ContactGraph,
    body: BodyIndex,
    step: &StepParams,
) -> u32 {
    let pull = step.global_acceleration(bodies.hot(body).inverse_mass, bodies.gravity_scale(body));
    let gap = config.support_gap * step.length_unit();
    let least = config.support_cosine * pull.norm();
    let mut count = 0;
    for index in graph.edges_of(body) {
        let manifold = &graph.edge(index).manifold;
        // The normal seen from the body points towards the other one.
        let outward = if manifold.body_a == body { manifold.normal } else { -manifold.normal };
        if outward.dot(&pull) > least {
            count += manifold.points().iter().filter(|p| p.distance <= gap).count() as u32;
        }
    }
    count
}

/// Wakes sleepers with fewer contacts in the direction of the global forces than at the last look (rule 5), or
/// with none at all (rule 6). Only sleepers whose contacts changed in this step are looked at: the
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
        if pull == drystone_math::Vector3::zeros() {
            continue;
        }
        report.examined += 1;
        let count = support_count(config, bodies, graph, body, step);
        let before = std::mem::replace(&mut bodies.view_mut().supports[body.get()], count);
        if count == 0 {
            bodies.wake(body, WakeCause::Floating);
            report.floating += 1;
        } else if count < before {
            bodies.wake(body, WakeCause::SupportLost);
            report.support_lost += 1;
        }
    }
    report
}
