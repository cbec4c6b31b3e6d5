//! Touch events: every begin has exactly one end.

use super::{ContactGraph, EdgeIndex};
use crate::{Bodies, BodyHandle, ColliderHandle, Manifold};
use drystone_math::Vector3;

/// Which part of a touch an event tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TouchPhase {
    /// Two colliders overlap or push each other, and did not before.
    Begin,
    /// They still do.
    Persist,
    /// They no longer have a contact point (also because one was removed).
    End,
}

/// Two colliders began, kept or ended touching.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TouchEvent {
    /// The two colliders, the smaller slot first.
    pub colliders: [ColliderHandle; 2],
    /// Their bodies.
    pub bodies: [BodyHandle; 2],
    /// What happened.
    pub phase: TouchPhase,
}

/// True when a point overlaps or took an impulse.
fn touches(manifold: &Manifold) -> bool {
    manifold.points().iter().any(|p| p.distance <= 0.0 || p.impulse != Vector3::zeros())
}

impl ContactGraph {
    /// After the response: the touch of an edge begins when a point overlaps or took an impulse. With
    /// `tell_persisting`, an edge that touched before tells so.
    pub fn update_touch(&mut self, bodies: &Bodies, index: EdgeIndex, tell_persisting: bool) {
        let Some(first) = self.first_of(index) else {
            debug_assert!(false, "a further edge outlived the first");
            return;
        };
        if self.edges[first.get()].is_touching {
            // Where the first has no points, the others tell, all the same.
            if tell_persisting && (first == index || self.links[first.get()].point_count == 0) {
                self.push_event(bodies, first, TouchPhase::Persist);
            }
            return;
        }
        if touches(&self.edges[index.get()].manifold) {
            self.edges[first.get()].is_touching = true;
            self.push_event(bodies, first, TouchPhase::Begin);
        }
    }

    /// True where [`ContactGraph::update_touch`] may have something to do; it costs less to ask, and many may ask at once.
    #[inline]
    pub fn has_touch_to_tell(&self, index: EdgeIndex, tell_persisting: bool) -> bool {
        let edge = &self.edges[index.get()];
        edge.is_further() || if edge.is_touching { tell_persisting } else { touches(&edge.manifold) }
    }

    /// The edge that tells the touch of an edge's two colliders: their first one; none where that was removed before, with the touch.
    fn first_of(&self, index: EdgeIndex) -> Option<EdgeIndex> {
        let edge = &self.edges[index.get()];
        if !edge.is_further() {
            return Some(index);
        }
        self.find(edge.colliders[0], edge.colliders[1])
    }

    /// An edge got points, or lost its last ones: with the last ones of two colliders their touch ends.
    pub(super) fn follow_link(&mut self, bodies: &Bodies, index: EdgeIndex, is_linked: bool) {
        let Some(first) = self.first_of(index) else { return };
        let edge = &mut self.edges[first.get()];
        if first != index {
            edge.further_links = if is_linked { edge.further_links + 1 } else { edge.further_links - 1 };
        }
        if self.links[first.get()].point_count == 0 && self.edges[first.get()].further_links == 0 {
            self.end_touch(bodies, first);
        }
    }

    /// Ends the touch of an edge, if there is one.
    pub(super) fn end_touch(&mut self, bodies: &Bodies, index: EdgeIndex) {
        if std::mem::take(&mut self.edges[index.get()].is_touching) {
            self.push_event(bodies, index, TouchPhase::End);
        }
    }

    /// Delivers what happened since the last delivery, sorted by colliders; of one pair, an end stands before a begin,
    /// as it came before it. What was delivered before is forgotten. Ends by removals between two steps come with the
    /// next step's.
    pub fn deliver_events(&mut self) {
        // Moved over, so that both lists keep their room, and copies of the graph theirs.
        self.events.clear();
        self.events.append(&mut self.pending);
        self.events.sort_unstable_by_key(|e| (e.colliders, e.phase != TouchPhase::End, e.phase));
        self.events.dedup_by(|a, b| a == b && a.phase == TouchPhase::Persist);
        self.deliver_proximity();
    }

    /// Events of the last delivery.
    pub fn events(&self) -> &[TouchEvent] {
        &self.events
    }

    fn push_event(&mut self, bodies: &Bodies, index: EdgeIndex, phase: TouchPhase) {
        let edge = &self.edges[index.get()];
        let ends = edge.owners.map(|b| bodies.handle(b));
        if let [Some(a), Some(b)] = ends {
            self.pending.push(TouchEvent { colliders: edge.colliders, bodies: [a, b], phase });
        } else {
            debug_assert!(false, "an edge outlived its body: remove the node before the body");
        }
    }
}
