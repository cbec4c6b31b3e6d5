//! Edges follow the pairs of the broad phase, screened by rules (S3-05, S3-08).

use crate::WorldError;
use crate::world::World;
use drystone_collision::broad::{Pair, PairChanges};
use drystone_contact::{EdgeIndex, WakeCause};

impl World {
    /// Edges and trigger pairs end and begin with the pairs of the broad phase; when rules changed, all pairs are screened anew.
    pub(super) fn update_edges(&mut self) -> Result<(), WorldError> {
        let changes = std::mem::take(&mut self.changes);
        let outcome = self.apply(&changes);
        self.changes = changes;
        outcome
    }

    fn apply(&mut self, changes: &PairChanges) -> Result<(), WorldError> {
        for &pair in &changes.ended {
            self.end_pair(pair);
        }
        let is_anew = self.logic.screen.take_stale();
        if is_anew {
            self.screen_anew()?;
        }
        if self.config.events.proximity_persist {
            self.graph.tell_persisting_proximity(&self.bodies);
        }
        let is_screened = self.logic.screen.is_in_use();
        for &pair in &changes.begun {
            if is_screened && !self.is_allowed(pair) {
                self.logic.screen.keep_out(pair);
            } else {
                self.begin_pair(pair)?;
                // The broad phase did not know of what filters alone kept apart: a rule lets it in now, and it need not have moved.
                if is_anew && !self.colliders.filters_allow(pair.a, pair.b) {
                    self.wake_met(pair);
                }
            }
        }
        Ok(())
    }

    #[inline]
    fn end_pair(&mut self, pair: Pair) {
        if let Some(edge) = self.graph.find_slots(pair.a, pair.b) {
            if self.contacts.is_surface_pair(edge) {
                for further in self.contacts.further_edges(edge) {
                    self.graph.remove_edge(&self.bodies, further);
                    self.contacts.end(further);
                }
            }
            self.graph.remove_edge(&self.bodies, edge);
            self.contacts.end(edge);
        } else if self.colliders.has_triggers() || self.logic.screen.is_in_use() {
            self.logic.triggers.end(&self.bodies, [pair.a, pair.b]);
            self.logic.screen.forget(pair);
        }
    }

    #[inline]
    fn begin_pair(&mut self, pair: Pair) -> Result<(), WorldError> {
        let (Some(a), Some(b)) = (self.colliders.handle(pair.a), self.colliders.handle(pair.b)) else {
            debug_assert!(false, "the broad phase paired a removed collider: {pair:?}");
            return Ok(());
        };
        let ends = [a, b].map(|c| self.colliders.get(c.index).body);
        let owners = [a, b].map(|c| self.colliders.owner(c.index));
        if self.colliders.has_triggers() && self.logic.begin_trigger_pair(&self.colliders, [a, b], owners) {
            return Ok(());
        }
        let materials = [a, b].map(|c| self.colliders.material(c.index));
        let material = self.materials.pair(materials[0], materials[1]);
        let edge = self.graph.add_owned_edge([a, b], &self.bodies, ends, owners, material)?;
        let is_awake = ends.iter().any(|&body| self.bodies.is_awake(body));
        self.contacts.begin(edge, [pair.a, pair.b], &self.colliders, is_awake);
        Ok(())
    }

    /// Rules or groups changed: pairs that must not meet any more end, and those that were kept out and may now begin; these wake, since
    /// nobody has looked whether they overlap. O(pairs near each other), in the order of edges and slots.
    fn screen_anew(&mut self) -> Result<(), WorldError> {
        let mut begun = self.logic.screen.take_kept_out();
        begun.retain(|&pair| {
            let is_allowed = self.is_allowed(pair);
            if !is_allowed {
                self.logic.screen.keep_out(pair);
            }
            is_allowed
        });
        for index in (0..self.graph.edges().len() as u32).map(EdgeIndex) {
            let edge = self.graph.edge(index);
            let [a, b] = edge.colliders().map(|c| c.index);
            if edge.is_in_use() && !edge.is_tie() && !self.is_allowed(Pair { a, b }) {
                self.end_pair(Pair { a, b });
                self.logic.screen.keep_out(Pair { a, b });
            }
        }
        let slots = self.logic.triggers.pairs().map(|pair| pair.colliders.map(|c| c.index));
        for pair in slots.map(|[a, b]| Pair::new(a, b)).collect::<Vec<_>>() {
            if !self.is_allowed(pair) {
                self.end_pair(pair);
                self.logic.screen.keep_out(pair);
            }
        }
        for pair in begun {
            self.begin_pair(pair)?;
            self.wake_met(pair);
        }
        Ok(())
    }

    /// What may meet from now on wakes and is looked at; triggers wake nobody.
    fn wake_met(&mut self, pair: Pair) {
        if self.graph.find_slots(pair.a, pair.b).is_some() {
            for body in [pair.a, pair.b].map(|c| self.colliders.get(c).body) {
                self.bodies.wake(body, WakeCause::User);
                self.disturbed.insert(body);
            }
        }
    }
}
