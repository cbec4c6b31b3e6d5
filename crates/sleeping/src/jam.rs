//! Jams: what overlaps too much to sleep ([`SleepConfig::max_overlap`]), and what gives it room.
//!
//! What sleeps does not give way to what moves slowly. So while something at rest overlaps too much, nobody within some contacts of it falls asleep, and
//! after a moment sleepers there wake. Both are needed: bodies of a heap that sleep one by one, as they come to rest, hold others in overlaps that the heap
//! as a whole gets rid of within a second, and sleepers that wake and may sleep again at once do so before the jam is solved. Figures: `docs/sub-step.md`.

use crate::SleepConfig;
use crate::motion::supports_at_rest;
use crate::support::wake;
use drystone_contact::{Bodies, BodyIndex, ContactGraph, StepParams, WakeCause};
use drystone_math::{BitSet, Real};

/// How far the averaged motion (squared) is below the threshold's square when a body that overlaps too much to sleep wakes its
/// neighbours: 0.07 s at rest after the first moment at which it might have slept.
const LONG_AT_REST: Real = 2.0;

/// Contacts from what is jammed to the sleepers that wake for it, and to what does not fall asleep beside it. A row of cubes between a wall and sleepers
/// shares the overlap that it has, and with 1 the sleepers at its end gave way once and slept again.
const REACH: u32 = 3;

/// The same for what has not moved for longer, [`STUCK`] by [`STUCK`]: it has come to rest between sleepers farther away. After the last the first again, for
/// what gets no room from so many has none to get, and need not keep a pile awake.
const REACHES: [u32; 4] = [REACH, 6, 12, 24];

/// How much further the averaged motion (squared) falls from one reach to the next: 0.55 s without motion.
const STUCK: Real = 256.0;

/// What is jammed in a step, with what is near it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Jams {
    jammed: Vec<Jam>,
    around: Around,
}

/// A body that is at rest and overlaps too much to sleep.
#[derive(Clone, Copy, Debug)]
struct Jam {
    body: BodyIndex,
    /// How many contacts away room is made for it.
    reach: u32,
    /// It has been at rest for a moment: what has just landed gets its room by itself.
    is_long_at_rest: bool,
}

/// Bodies within some contacts of others.
#[derive(Clone, Debug, Default)]
struct Around {
    set: BitSet,
    /// The same in the order in which they were reached.
    list: Vec<BodyIndex>,
}

impl Jams {
    /// Finds the jammed ones among bodies at rest, and what is near them; wakes the sleepers near those that have been at rest for a moment. `threshold_squared`: that
    /// of motion, m²/s². O(contacts of these bodies and of those near jammed ones).
    pub(crate) fn find(
        &mut self,
        config: &SleepConfig,
        bodies: &mut Bodies,
        graph: &ContactGraph,
        step: &StepParams,
        slow: &[BodyIndex],
        threshold_squared: Real,
    ) {
        self.begin(bodies);
        for &body in slow.iter().filter(|&&body| overlaps(config, graph, body, step)) {
            let at_rest = threshold_squared / bodies.view_mut().motion[body.get()];
            let is_long_at_rest =
                at_rest > LONG_AT_REST && supports_at_rest(config, bodies, graph, body, step).is_some();
            self.jammed.push(Jam { body, reach: reach(at_rest), is_long_at_rest });
        }
        self.make_room(config, bodies, graph);
        self.around.find(bodies, graph, self.jammed.iter());
    }

    /// Whether a body is within reach of a jammed one, or is one.
    pub(crate) fn is_near(&self, body: BodyIndex) -> bool {
        self.around.set.contains(body.0)
    }

    /// Forgets the jammed ones of the last step.
    pub(crate) fn begin(&mut self, bodies: &Bodies) {
        self.jammed.clear();
        self.jammed.reserve(bodies.capacity());
    }

    /// Adds a body that overlaps too much to sleep, and has been at rest for a moment.
    pub(crate) fn add(&mut self, body: BodyIndex) {
        self.jammed.push(Jam { body, reach: REACH, is_long_at_rest: true });
    }

    /// Wakes the sleepers within reach of jammed bodies that have been at rest for a moment: held between them these would stay so for ever.
    pub(crate) fn make_room(&mut self, config: &SleepConfig, bodies: &mut Bodies, graph: &ContactGraph) {
        let long = self.jammed.iter().filter(|jam| jam.is_long_at_rest);
        if long.clone().next().is_some() {
            self.around.find(bodies, graph, long);
            self.around.wake_sleepers(config, bodies);
        }
    }
}

/// Contacts from a jammed body within which room is made, by how far its averaged motion (squared) is below the threshold's square.
fn reach(at_rest: Real) -> u32 {
    let mut limit = LONG_AT_REST * STUCK;
    for reach in REACHES {
        if at_rest < limit {
            return reach;
        }
        limit *= STUCK;
    }
    REACH
}

impl Around {
    /// Finds what is within reach of these, and they themselves.
    fn find<'a>(
        &mut self,
        bodies: &Bodies,
        graph: &ContactGraph,
        jams: impl Iterator<Item = &'a Jam> + Clone,
    ) {
        let Self { set, list } = self;
        set.clear();
        set.resize(bodies.capacity() as u32);
        list.clear();
        list.reserve(bodies.capacity());
        let mut from = 0;
        for left in (0..=jams.clone().map(|jam| jam.reach).max().unwrap_or(0)).rev() {
            let end = list.len();
            for k in from..end {
                for (_, other) in graph.linked_neighbours(list[k]) {
                    if bodies.hot(other).is_dynamic() && !set.contains(other.0) {
                        set.insert(other.0);
                        list.push(other);
                    }
                }
            }
            from = end;
            for jam in jams.clone().filter(|jam| jam.reach == left) {
                if !set.contains(jam.body.0) {
                    set.insert(jam.body.0);
                    list.push(jam.body);
                }
            }
        }
    }

    fn wake_sleepers(&self, config: &SleepConfig, bodies: &mut Bodies) {
        for &body in &self.list {
            if bodies.is_asleep(body) {
                wake(config, bodies, body, WakeCause::Jammed);
            }
        }
    }
}

/// True when the body overlaps by more than it may asleep.
pub(crate) fn overlaps(
    config: &SleepConfig,
    graph: &ContactGraph,
    body: BodyIndex,
    step: &StepParams,
) -> bool {
    let Some(most) = config.max_overlap else { return false };
    let least = -most * step.length_unit();
    let is_deep = |index| graph.edge(index).manifold.points().iter().any(|point| point.distance < least);
    graph.linked_edges_of(body).any(is_deep)
}
