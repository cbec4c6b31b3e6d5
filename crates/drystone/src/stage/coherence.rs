//! Spatial-temporal coherence (S3 section 5, Fig 11; S3-18): what is known from step to step, used between the parts of detection.
//!
//! S3 analyses in three phases, one behind each part of collision detection, and so do we:
//!
//! | phase | S3 | what it does |
//! |---|---|---|
//! | [`World::after_broad_phase`] | Figs 3, 4 | edges begin and end with pairs (`edges.rs`); rules and filters screen them; pairs that did not move are told from those that need a look (`gate.rs`) |
//! | [`World::after_narrow_phase`] | Fig 5 | who is inside of triggers (`triggers.rs`); which contacts began and vanished |
//! | [`World::after_contact_determination`] | Figs 6 to 8 | belts, and what was moved from outside wakes what it touches; islands and batches |
//!
//! The narrow phase and the determination of contacts are one here (`contacts.rs`): the closest points of a pair are a by-product of its
//! manifold. The last test of the first phase, whether a pair moved, is made by the worker that would look at it (`Context::screen` and
//! `Context::look`), so that no list of pairs is written in between.

use crate::WorldError;
use crate::world::World;
use drystone_contact::StepParams;
use drystone_exec::Exec;

impl World {
    /// Broad phase: boxes of what moved, then pairs whose boxes began or ended to overlap.
    pub(super) fn find_pairs(&mut self, exec: &Exec) {
        self.report.broad = self.broad.update(self.colliders.proxies(), exec, &mut self.changes);
        self.colliders.settle();
    }

    /// First phase: edges follow the pairs (S3-05), screened by rules, triggers and activity (S3-08).
    ///
    /// # Errors
    /// More edges than there are indices.
    pub(super) fn after_broad_phase(&mut self) -> Result<(), WorldError> {
        self.update_edges()
    }

    /// Narrow phase and contact determination of all pairs that need a look (S3-11, S3-13).
    pub(super) fn find_contacts(&mut self, step: &StepParams, exec: &Exec) {
        self.contacts.detect(
            &self.bodies,
            &self.colliders,
            &mut self.graph,
            self.disturbed.list(),
            &self.config,
            step,
            exec,
            &mut self.report,
        );
    }

    /// Second phase: triggers learn who is inside (S3-12), links follow the manifolds, and touches that vanished end. A touch begins when
    /// the response is known: with an overlap or an impulse.
    pub(super) fn after_narrow_phase(&mut self, step: &StepParams) {
        self.update_triggers();
        self.contacts.apply(&self.bodies, &mut self.graph);
        self.mend_seams(step);
    }

    /// Third phase: the contacts are known, and with them islands (S3-14) and batches.
    pub(super) fn after_contact_determination(&mut self, exec: &Exec) {
        self.follow_belts();
        self.wake_disturbed();
        self.update_islands(exec);
    }

    /// Islands, and the batches of those that are awake.
    pub(super) fn update_islands(&mut self, exec: &Exec) {
        self.graph.update_islands();
        self.batches.update(&self.bodies, &self.graph, self.config.small_batch_size, exec);
    }
}
