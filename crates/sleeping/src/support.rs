//! Waking what lost its support: rules 5 and 6 of S1 (rows S1-41..43).

use crate::{SleepConfig, SleepMemory};
use drystone_contact::{Bodies, BodyIndex, ContactGraph, Manifold, StepParams, WakeCause};
use drystone_math::{Real, Vector3, bits};

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
    /// Points whose loss wakes: those that carry, and others with [`SleepConfig::side_support_gap`].
    pub counted: u32,
}

/// Which contacts carry a body: those that lean far enough towards its pull, where they touch.
pub(crate) struct Carrying {
    body: BodyIndex,
    pull: Vector3,
    /// The least product of normal and pull, m/s².
    least: Real,
    /// Largest gap, m.
    gap: Real,
}

impl Carrying {
    pub(crate) fn new(config: &SleepConfig, bodies: &Bodies, body: BodyIndex, step: &StepParams) -> Self {
        let pull = step.pull_on(bodies, body);
        Self {
            body,
            pull,
            least: config.support_cosine * pull.norm(),
            gap: config.support_gap * step.length_unit(),
        }
    }

    /// True where a global force acts.
    pub(crate) fn is_pulled(&self) -> bool {
        self.pull != Vector3::zeros()
    }

    /// True for a contact that leans towards the pull.
    fn leans(&self, manifold: &Manifold) -> bool {
        // The normal seen from the body points towards the other one.
        let outward = if manifold.body_a == self.body { manifold.normal } else { -manifold.normal };
        outward.dot(&self.pull) > self.least
    }

    /// True for a contact that carries.
    pub(crate) fn carries(&self, manifold: &Manifold) -> bool {
        self.leans(manifold) && touching(manifold, self.gap) > 0
    }
}

/// Points of a contact with at most this gap, m.
fn touching(manifold: &Manifold, gap: Real) -> u32 {
    manifold.points().iter().filter(|p| p.distance <= gap).count() as u32
}

/// Contact points of a body that touch and carry it. Zero when no global force acts along an axis that is not locked.
///
/// A joint counts as one, whatever holds its other end: whether something carries all of what joints hold together is looked at where that sleeps or wakes.
pub fn supports_of(
    config: &SleepConfig,
    bodies: &Bodies,
    graph: &ContactGraph,
    body: BodyIndex,
    step: &StepParams,
) -> Supports {
    let carrying = Carrying::new(config, bodies, body, step);
    let side_support_gap = config.side_support_gap.map(|gap| gap * step.length_unit());
    let mut supports = Supports::default();
    if !carrying.is_pulled() {
        return supports;
    }
    for index in graph.linked_edges_of(body) {
        let edge = graph.edge(index);
        // It holds in every direction, unless its other end is out of the simulation.
        if edge.is_tie() {
            let holds = u32::from(graph.tie(index).is_some_and(|tie| tie.is_active(bodies)));
            supports.carrying += holds;
            supports.counted += holds;
            continue;
        }
        if carrying.leans(&edge.manifold) {
            let count = touching(&edge.manifold, carrying.gap);
            supports.carrying += count;
            supports.counted += count;
        } else if let Some(gap) = side_support_gap {
            supports.counted += touching(&edge.manifold, gap);
        }
    }
    supports
}

/// Wakes sleepers with fewer counted contacts than at the last look (rule 5), or with none in the direction of the global
/// forces (rule 6); what joints hold together has one where any of it has. Only sleepers whose contacts changed in this step are looked at: the
/// others have what they had. Nothing happens to bodies on which no global force acts along an axis that is not locked.
pub fn wake_unsupported(
    config: &SleepConfig,
    bodies: &mut Bodies,
    graph: &ContactGraph,
    step: &StepParams,
    memory: &mut SleepMemory,
) -> WakeReport {
    let mut report = WakeReport::default();
    memory.whole.begin(bodies, graph);
    for (k, &changed) in graph.changed_bodies().words().iter().enumerate() {
        // What is awake is no sleeper, and mostly all are.
        let awake = bodies.view().awake.words().get(k).copied().unwrap_or(0);
        for body in bits(changed & !awake).map(|bit| BodyIndex(64 * k as u32 + bit)) {
            if !bodies.is_asleep(body) || bodies.hot(body).is_quarantined() {
                continue;
            }
            if step.pull_on(bodies, body) == Vector3::zeros() {
                continue;
            }
            report.examined += 1;
            let now = supports_of(config, bodies, graph, body, step);
            let before = std::mem::replace(&mut bodies.view_mut().supports[body.get()], now.counted);
            if now.carrying > 0 && now.counted < before {
                wake(config, bodies, body, WakeCause::SupportLost);
                report.support_lost += 1;
            } else if now.carrying == 0 || !memory.whole.is_carried(config, bodies, graph, body, step) {
                wake(config, bodies, body, WakeCause::Floating);
                report.floating += 1;
            }
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
