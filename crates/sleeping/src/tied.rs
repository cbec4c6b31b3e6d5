//! What joints hold together sleeps together: a part that slept by itself would hold the others like a nail. And it sleeps where something carries the whole:
//! two bodies on one joint in free fall hold each other.

use crate::SleepConfig;
use crate::support::Carrying;
use drystone_contact::{Bodies, BodyIndex, ContactGraph, StepParams};
use drystone_math::BitSet;

/// Memory of [`crate::put_to_sleep`]: bodies with joints that may sleep, until all of what hangs together may.
#[derive(Clone, Debug, Default)]
pub(crate) struct TiedSleepers {
    /// Those of this step that may sleep as far as they themselves are concerned.
    ready: Vec<BodyIndex>,
    /// By body; empty in a world without joints.
    state: Vec<State>,
    /// Bodies of the whole at work; those from some place on are still to be looked at.
    members: Vec<BodyIndex>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Unseen,
    Ready,
    Found,
}

impl TiedSleepers {
    /// Before the first body of a step.
    pub(crate) fn begin(&mut self, bodies: &Bodies, graph: &ContactGraph) {
        self.ready.clear();
        self.state.clear();
        if graph.tie_count() > 0 {
            self.state.resize(bodies.capacity(), State::Unseen);
            self.ready.reserve(bodies.capacity());
            self.members.reserve(bodies.capacity());
        }
    }

    /// Takes a body that may sleep if it has joints; false for others, which sleep by themselves.
    #[inline]
    pub(crate) fn take(&mut self, graph: &ContactGraph, body: BodyIndex) -> bool {
        if self.state.is_empty() || ties_of(graph, body).next().is_none() {
            return false;
        }
        self.ready.push(body);
        self.state[body.get()] = State::Ready;
        true
    }

    /// After the last one: calls `sleep` for all bodies of every whole of which all may sleep, and which itself `may` by one of them.
    pub(crate) fn end(
        &mut self,
        bodies: &mut Bodies,
        graph: &ContactGraph,
        mut may: impl FnMut(&Bodies, BodyIndex) -> bool,
        mut sleep: impl FnMut(&mut Bodies, BodyIndex),
    ) {
        for k in 0..self.ready.len() {
            let first = self.ready[k];
            let is_next = self.state[first.get()] == State::Ready;
            if is_next && self.find(bodies, graph, first) && may(bodies, first) {
                self.members.iter().for_each(|&body| sleep(bodies, body));
            }
        }
    }

    /// Finds what hangs together with a body and is awake; true when all of it may sleep.
    fn find(&mut self, bodies: &Bodies, graph: &ContactGraph, first: BodyIndex) -> bool {
        self.members.clear();
        self.members.push(first);
        self.state[first.get()] = State::Found;
        let (mut at, mut all_may) = (0, true);
        while let Some(&body) = self.members.get(at) {
            for other in ties_of(graph, body) {
                if !bodies.hot(other).is_dynamic() || !bodies.is_awake(other) {
                    continue;
                }
                match self.state[other.get()] {
                    // Found: of this whole, since what is ready is found with all of its own.
                    State::Found => {}
                    State::Ready => {
                        self.state[other.get()] = State::Found;
                        self.members.push(other);
                    }
                    State::Unseen => all_may = false,
                }
            }
            at += 1;
        }
        all_may
    }
}

/// The bodies that joints hold together, as far as they can move, for asking what carries them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Whole {
    members: Vec<BodyIndex>,
    marks: BitSet,
    /// What is known since `begin`: bodies that something carries, and those that nothing does.
    carried: BitSet,
    falling: BitSet,
}

impl Whole {
    /// Begins questions about one state of the simulation: what is found holds for all of a whole, so that each body is gone through once. They do not
    /// allocate.
    pub(crate) fn begin(&mut self, bodies: &Bodies, graph: &ContactGraph) {
        if graph.tie_count() > 0 {
            self.members.reserve(bodies.capacity());
            for set in [&mut self.marks, &mut self.carried, &mut self.falling] {
                set.resize((bodies.capacity() as u32).max(set.len()));
                set.clear();
            }
        }
    }

    /// True where something carries what hangs together with a body: a joint to what cannot move, or a contact in the direction of the global forces on a body of it
    /// with one that is not. True too where no global force acts on any of them, and for a body without joints, which its own contacts tell all about.
    /// O(bodies of the whole and their contacts), or up to the first thing that holds it and cannot move; all questions since `begin` together O(bodies and
    /// contacts).
    pub(crate) fn is_carried(
        &mut self,
        config: &SleepConfig,
        bodies: &Bodies,
        graph: &ContactGraph,
        body: BodyIndex,
        step: &StepParams,
    ) -> bool {
        if graph.tie_count() == 0 || ties_of(graph, body).next().is_none() {
            return true;
        }
        if self.carried.contains(body.0) || self.falling.contains(body.0) {
            return self.carried.contains(body.0);
        }
        let is_carried = self.search(config, bodies, graph, body, step);
        let known = if is_carried { &mut self.carried } else { &mut self.falling };
        for member in self.members.drain(..) {
            self.marks.remove(member.0);
            known.insert(member.0);
        }
        is_carried
    }

    /// Leaves in `members` what it found, which is marked.
    fn search(
        &mut self,
        config: &SleepConfig,
        bodies: &Bodies,
        graph: &ContactGraph,
        first: BodyIndex,
        step: &StepParams,
    ) -> bool {
        let can_move = |body| bodies.hot(body).is_dynamic() && !bodies.hot(body).is_quarantined();
        self.add(first);
        let (mut at, mut is_pulled) = (0, false);
        while let Some(&body) = self.members.get(at) {
            // An earlier question ended before it came to where this one began.
            if self.carried.contains(body.0) {
                return true;
            }
            at += 1;
            let carrying = Carrying::new(config, bodies, body, step);
            is_pulled |= carrying.is_pulled();
            for index in graph.linked_edges_of(body) {
                let (edge, other) = (graph.edge(index), graph.edge(index).other(body));
                let holds = match graph.tie(index) {
                    Some(tie) => tie.is_active(bodies),
                    None => carrying.carries(&edge.manifold),
                };
                if holds && !can_move(other) {
                    return true;
                }
                if holds && edge.is_tie() {
                    self.add(other);
                }
            }
        }
        // What is left are contacts with what can move: only now it is known who belongs to the whole.
        let is_carried = |&body: &BodyIndex| {
            let carrying = Carrying::new(config, bodies, body, step);
            graph.linked_edges_of(body).map(|index| graph.edge(index)).any(|edge| {
                !edge.is_tie() && !self.marks.contains(edge.other(body).0) && carrying.carries(&edge.manifold)
            })
        };
        !is_pulled || self.members.iter().any(is_carried)
    }

    fn add(&mut self, body: BodyIndex) {
        if !self.marks.contains(body.0) {
            self.marks.insert(body.0);
            self.members.push(body);
        }
    }
}

/// What joints hold to a body.
fn ties_of(graph: &ContactGraph, body: BodyIndex) -> impl Iterator<Item = BodyIndex> + '_ {
    let ties = graph.edges_of(body).filter(|&index| graph.edge(index).is_tie());
    ties.map(move |index| graph.edge(index).other(body))
}
