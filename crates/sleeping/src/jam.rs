//! Jams: what overlaps too much to sleep ([`SleepConfig::most_overlap`]), and what gives it room.
//!
//! What sleeps does not give way to what moves slowly. So while something at rest overlaps too much, nobody within some contacts of it falls asleep, and
//! after a moment sleepers there wake. Both are needed: bodies of a heap that sleep one by one, as they come to rest, hold others in overlaps that the heap
//! as a whole gets rid of within a second, and sleepers that wake and may sleep again at once do so before the jam is solved. Figures: `docs/sub-step.md`.

use crate::SleepConfig;
use crate::support::wake;
use drystone_contact::{Bodies, BodyIndex, ContactGraph, StepParams, WakeCause};
use drystone_math::{BitSet, Real};

/// How far the averaged motion (squared) is below the threshold's square when a body that overlaps too much to sleep wakes its
/// neighbours: 0.07 s at rest after the first moment at which it might have slept.
pub(crate) const LONG_AT_REST: Real = 2.0;

/// Contacts from what is jammed to the sleepers that wake for it, and to what does not fall asleep beside it. A row of cubes between a wall and sleepers
/// shares the overlap that it has, and with 1 the sleepers at its end gave way once and slept again.
const JAM_REACH: u32 = 3;

/// What is jammed in a step, with what is near it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Jams {
    near: BitSet,
    /// Bodies reached from what is jammed; all within so many contacts come before those farther away.
    reached: Vec<BodyIndex>,
}

impl Jams {
    /// Finds the jammed ones among bodies at rest, and what is near them. O(contacts of these bodies and of those near jammed ones).
    pub(crate) fn find(
        &mut self,
        config: &SleepConfig,
        bodies: &Bodies,
        graph: &ContactGraph,
        step: &StepParams,
        slow: &[BodyIndex],
    ) {
        let Self { near, reached } = self;
        near.clear();
        near.resize(bodies.capacity() as u32);
        reached.clear();
        reached.reserve(bodies.capacity());
        for &body in slow.iter().filter(|&&body| overlaps(config, graph, body, step)) {
            near.insert(body.0);
            reached.push(body);
        }
        let mut from = 0;
        for _ in 0..JAM_REACH {
            let end = reached.len();
            for k in from..end {
                for (_, other) in graph.linked_neighbours(reached[k]) {
                    if bodies.hot(other).is_dynamic() && !near.contains(other.0) {
                        near.insert(other.0);
                        reached.push(other);
                    }
                }
            }
            from = end;
        }
    }

    /// Whether a body is within reach of a jammed one, or is one.
    pub(crate) fn is_near(&self, body: BodyIndex) -> bool {
        self.near.contains(body.0)
    }
}

/// True when the body overlaps by more than it may asleep.
pub(crate) fn overlaps(
    config: &SleepConfig,
    graph: &ContactGraph,
    body: BodyIndex,
    step: &StepParams,
) -> bool {
    let Some(most) = config.most_overlap else { return false };
    let least = -most * step.length_unit();
    let is_deep = |index| graph.edge(index).manifold.points().iter().any(|point| point.distance < least);
    graph.linked_edges_of(body).any(is_deep)
}

/// Wakes the sleepers within [`JAM_REACH`] contacts of a body that is at rest and overlaps too much to sleep: held between them it would stay so for ever.
pub(crate) fn make_room(config: &SleepConfig, bodies: &mut Bodies, graph: &ContactGraph, body: BodyIndex) {
    wake_around(config, bodies, graph, body, JAM_REACH);
}

/// Wakes what sleeps and is reached over so many contacts of sleepers.
fn wake_around(config: &SleepConfig, bodies: &mut Bodies, graph: &ContactGraph, body: BodyIndex, reach: u32) {
    if reach == 0 {
        return;
    }
    for index in graph.linked_edges_of(body) {
        let other = graph.edge(index).other(body);
        if bodies.is_asleep(other) {
            wake(config, bodies, other, WakeCause::Jammed);
            wake_around(config, bodies, graph, other, reach - 1);
        }
    }
}
