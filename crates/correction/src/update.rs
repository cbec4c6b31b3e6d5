//! Writing back: poses, contacts of displaced bodies (S1-14, S1-16), wakes (S1-38).

use crate::CorrectionReport;
use crate::pile::Node;
use drystone_contact::{Bodies, BodyIndex, ContactGraph, EdgeIndex, WakeCause};
use drystone_math::Vector3;

/// How far a body was moved by all corrections of the step.
#[derive(Clone, Copy, Debug)]
struct Motion {
    moved: Vector3,
    turned: Vector3,
    is_moved: bool,
    is_turned: bool,
}

const AT_REST: Motion = Motion {
    moved: Vector3::new(0.0, 0.0, 0.0),
    turned: Vector3::new(0.0, 0.0, 0.0),
    is_moved: false,
    is_turned: false,
};

/// Scratch of the update.
#[derive(Debug, Default)]
pub(crate) struct Update {
    /// Contacts of one displaced body.
    affected: Vec<EdgeIndex>,
    /// Motion per body; [`AT_REST`] everywhere between two calls.
    motion: Vec<Motion>,
}

impl Update {
    /// Moves the displaced bodies and updates each of their contacts once, with the displacements of both
    /// ends. Serial: few bodies move.
    pub(crate) fn run(
        &mut self,
        nodes: &[Node],
        bodies: &mut Bodies,
        graph: &mut ContactGraph,
        report: &mut CorrectionReport,
    ) {
        self.motion.resize(bodies.capacity(), AT_REST);
        for node in nodes.iter().filter(|n| n.is_moved) {
            let motion =
                Motion { moved: node.moved, turned: node.turned, is_moved: true, is_turned: node.is_turned };
            self.motion[node.body.get()] = motion;
            report.displaced_count += 1;
            report.woken_count += u32::from(bodies.is_asleep(node.body));
            bodies.displace(node.body, &node.moved, &node.turned);
            bodies.wake(node.body, WakeCause::Corrected);
        }
        for node in nodes.iter().filter(|n| n.is_moved) {
            self.update_contacts(node.body, graph, report);
        }
        for node in nodes.iter().filter(|n| n.is_moved) {
            self.motion[node.body.get()] = AT_REST;
        }
    }

    fn update_contacts(&mut self, body: BodyIndex, graph: &mut ContactGraph, report: &mut CorrectionReport) {
        self.affected.clear();
        self.affected.extend(graph.edges_of(body));
        for &index in &self.affected {
            let edge = &mut graph.edges_mut()[index.get()];
            // A contact of two displaced bodies is updated from its side A.
            let other_moved = self.motion[edge.other(body).get()].is_moved;
            if !edge.is_linked() || (other_moved && edge.manifold.body_a != body) {
                continue;
            }
            let [a, b] = [edge.manifold.body_a, edge.manifold.body_b].map(|i| self.motion[i.get()]);
            if a.is_turned || b.is_turned {
                edge.manifold.displaced_and_turned(&[a.moved, a.turned], &[b.moved, b.turned]);
            } else {
                edge.manifold.displaced(&a.moved, &b.moved);
            }
            report.note_edge(graph, index);
        }
    }
}
