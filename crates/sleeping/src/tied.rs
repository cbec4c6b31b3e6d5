//! What joints hold together sleeps together: a part that slept by itself would hold the others like a nail.

use drystone_contact::{Bodies, BodyIndex, ContactGraph};

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

    /// After the last one: calls `sleep` for all bodies of every whole that may sleep.
    pub(crate) fn end(
        &mut self,
        bodies: &mut Bodies,
        graph: &ContactGraph,
        mut sleep: impl FnMut(&mut Bodies, BodyIndex),
    ) {
        for k in 0..self.ready.len() {
            let first = self.ready[k];
            if self.state[first.get()] == State::Ready && self.find(bodies, graph, first) {
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

/// What joints hold to a body.
fn ties_of(graph: &ContactGraph, body: BodyIndex) -> impl Iterator<Item = BodyIndex> + '_ {
    let ties = graph.edges_of(body).filter(|&index| graph.edge(index).is_tie());
    ties.map(move |index| graph.edge(index).other(body))
}
