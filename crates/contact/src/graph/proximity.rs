//! Proximity events: pairs whose boxes are near each other, touching or not (S3-05, S3-16).

use super::edge::Role;
use super::{ContactGraph, EdgeIndex, TouchPhase};
use crate::{Bodies, BodyHandle, ColliderHandle};

/// The boxes of two colliders came near each other, stayed so or parted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProximityEvent {
    /// The two colliders, the smaller slot first.
    pub colliders: [ColliderHandle; 2],
    /// Their bodies.
    pub bodies: [BodyHandle; 2],
    /// What happened.
    pub phase: TouchPhase,
}

/// Gathers proximity events, where someone wants them.
#[derive(Clone, Debug, Default)]
pub(super) struct Proximity {
    is_told: bool,
    /// Events delivered, and those that wait for the next delivery.
    events: Vec<ProximityEvent>,
    pending: Vec<ProximityEvent>,
}

drystone_math::carried!(Proximity { part: [events, pending], value: [is_told] });

impl ContactGraph {
    /// Whether edges that begin and end are told from now on; not at first. Without, they cost nothing.
    pub fn tell_proximity(&mut self, is_told: bool) {
        self.proximity.is_told = is_told;
    }

    /// Tells all edges as pairs that stay near each other: when those that ended are removed, and before others are added. O(edges).
    pub fn tell_persisting_proximity(&mut self, bodies: &Bodies) {
        for index in (0..self.edges.len() as u32).map(EdgeIndex) {
            let edge = &self.edges[index.get()];
            if edge.is_in_use() && edge.role == Role::First {
                self.push_proximity(bodies, index, TouchPhase::Persist);
            }
        }
    }

    /// Proximity events of the last delivery ([`ContactGraph::deliver_events`]), in the order of touch events.
    pub fn proximity_events(&self) -> &[ProximityEvent] {
        &self.proximity.events
    }

    #[inline]
    pub(super) fn note_proximity(&mut self, bodies: &Bodies, index: EdgeIndex, phase: TouchPhase) {
        if self.proximity.is_told {
            self.push_proximity(bodies, index, phase);
        }
    }

    #[inline]
    pub(super) fn deliver_proximity(&mut self) {
        let Proximity { is_told, events, pending } = &mut self.proximity;
        if *is_told {
            events.clear();
            events.append(pending);
            events.sort_unstable_by_key(|e| (e.colliders, e.phase != TouchPhase::End, e.phase));
        }
    }

    fn push_proximity(&mut self, bodies: &Bodies, index: EdgeIndex, phase: TouchPhase) {
        let edge = &self.edges[index.get()];
        let ends = edge.owners.map(|b| bodies.handle(b));
        if let [Some(a), Some(b)] = ends {
            self.proximity.pending.push(ProximityEvent { colliders: edge.colliders, bodies: [a, b], phase });
        } else {
            debug_assert!(false, "an edge outlived its body: remove the node before the body");
        }
    }
}
