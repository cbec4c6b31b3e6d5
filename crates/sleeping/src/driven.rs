//! What is driven: what touches a kinematic body that moves or a belt that runs, or has a motor that runs, and all that hangs together with it.
//!
//! One step of such a drive can stay below the threshold, and what sleeps between steps would never start. And what rests on a driven body, or lies in its
//! way, is driven through it: asleep it is immovable to that one, and would be crushed or left behind. So an island with a drive in it is awake as a whole.

use crate::SleepConfig;
use crate::support::wake;
use drystone_contact::{Bodies, BodyIndex, ContactGraph, IslandIndex, JointConstraint, WakeCause};
use drystone_math::BitSet;

/// The islands that are driven: found anew in each step.
#[derive(Clone, Debug, Default)]
pub(crate) struct DrivenIslands {
    list: Vec<IslandIndex>,
    marks: BitSet,
}

impl DrivenIslands {
    /// Finds the islands of what kinematic bodies and motors drive, and of those of `near_rest` that anything drives. O(kinematic bodies and their contacts,
    /// joints, contacts of `near_rest`).
    pub(crate) fn find(&mut self, bodies: &Bodies, graph: &ContactGraph, near_rest: &[BodyIndex]) {
        for island in self.list.drain(..) {
            self.marks.remove(island.0);
        }
        // Islands are of bodies, and no more than these.
        self.marks.resize(2 * bodies.capacity() as u32);
        self.list.reserve(bodies.capacity());
        if bodies.kinematic_count() > 0 {
            for body in bodies.view().awake.iter().map(BodyIndex) {
                if bodies.hot(body).is_kinematic() {
                    for index in graph.edges_of(body).filter(|&index| graph.edge(index).is_linked()) {
                        self.note(bodies, graph, graph.edge(index).other(body));
                    }
                }
            }
        }
        // What has no rows is not read: a tie is some hundred bytes.
        let with_rows = graph.tie_holds().iter().zip(graph.ties()).filter(|(holds, _)| holds.rows != 0);
        for (_, tie) in with_rows.filter(|(_, tie)| runs(bodies, tie)) {
            tie.bodies.iter().for_each(|&body| self.note(bodies, graph, body));
        }
        for &body in near_rest {
            if is_driven_by_another(bodies, graph, body) {
                self.note(bodies, graph, body);
            }
        }
    }

    fn note(&mut self, bodies: &Bodies, graph: &ContactGraph, body: BodyIndex) {
        let hot = bodies.hot(body);
        let island = graph.island_of(body);
        let is_new = island.0 < self.marks.len() && !self.marks.contains(island.0);
        if hot.is_dynamic() && !hot.is_passive() && is_new {
            self.marks.insert(island.0);
            self.list.push(island);
        }
    }

    /// Whether a body is in one of them.
    #[inline]
    pub(crate) fn contain(&self, graph: &ContactGraph, body: BodyIndex) -> bool {
        let is_marked = |island: u32| island < self.marks.len() && self.marks.contains(island);
        !self.list.is_empty() && is_marked(graph.island_of(body).0)
    }

    /// Wakes what sleeps in them. O(their bodies).
    pub(crate) fn wake(&self, config: &SleepConfig, bodies: &mut Bodies, graph: &ContactGraph) {
        for body in self.list.iter().flat_map(|&island| graph.bodies_of(island)) {
            if bodies.is_asleep(body) {
                wake(config, bodies, body, WakeCause::Driven);
            }
        }
    }
}

/// True where a kinematic body that moves or a belt that runs touches the body, or the motor of a joint turns it.
pub(crate) fn is_driven_by_another(bodies: &Bodies, graph: &ContactGraph, body: BodyIndex) -> bool {
    graph.edges_of(body).any(|index| {
        let edge = graph.edge(index);
        let other = edge.other(body);
        let is_moving = || bodies.hot(other).is_kinematic() && bodies.is_awake(other);
        let is_turned = || graph.tie(index).is_some_and(|tie| runs(bodies, tie));
        edge.is_linked() && (edge.manifold.has_surface_velocity() || is_moving() || is_turned())
    })
}

/// Whether a joint has a motor that runs; one with a passive end holds nothing.
fn runs(bodies: &Bodies, tie: &JointConstraint) -> bool {
    tie.axes.iter().any(|axis| axis.drive.runs()) && tie.is_active(bodies)
}
