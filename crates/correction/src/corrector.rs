//! [`Corrector`]: scan all contacts, correct batch by batch, write poses and contacts back.

use crate::batch::{Outcome, Penetration, correct_batch};
use crate::pile::{Node, Pile};
use crate::scan::Scan;
use crate::search::Search;
use crate::update::Update;
use crate::{CorrectionConfig, CorrectionReport};
use drystone_contact::{Batches, Bodies, ContactGraph, StepParams};
use drystone_exec::{Exec, PerWorker, items_mut, segments_mut};
use drystone_math::Real;

/// Moves overlapping bodies apart. Owns scratch memory and nothing else, so one value may serve many worlds.
#[derive(Debug)]
pub struct Corrector {
    scan: Scan,
    searches: PerWorker<Search>,
    /// Penetrating contacts, by island.
    found: Vec<Penetration>,
    /// Penetrating contacts, batch by batch.
    contacts: Vec<Penetration>,
    /// Where the batches begin in `contacts`, and the end.
    contact_offsets: Vec<u32>,
    /// Movable bodies of the batches that have penetrating contacts.
    nodes: Vec<Node>,
    /// Where the batches begin in `nodes`, and the end.
    node_offsets: Vec<u32>,
    /// One per batch that has penetrating contacts.
    outcomes: Vec<Outcome>,
    /// Place of a body among the nodes of its batch.
    local: Vec<u32>,
    update: Update,
}

impl Default for Corrector {
    fn default() -> Self {
        Self {
            scan: Scan::default(),
            searches: PerWorker::new(&Exec::serial(), Search::default),
            found: Vec::new(),
            contacts: Vec::new(),
            contact_offsets: Vec::new(),
            nodes: Vec::new(),
            node_offsets: Vec::new(),
            outcomes: Vec::new(),
            local: Vec::new(),
            update: Update::default(),
        }
    }
}

impl Corrector {
    /// One without scratch memory; that grows with the first steps.
    pub fn new() -> Self {
        Self::default()
    }

    /// Corrects the penetrating contacts of all batches: S1 section 2, Algorithms 1 to 3.
    ///
    /// Before: `batches` were rebuilt from this `graph` and these `bodies`, and nothing was linked, unlinked
    /// or removed since. After: poses of displaced bodies and the arms and distances of all their contacts
    /// agree (S1-14), and displaced sleepers are awake (S1-38). Velocities, last translations, normals and
    /// impulses are as they were; so are fixed, kinematic and quarantined bodies.
    ///
    /// Only overlaps that the contact data show are seen: a body may be moved into one that it has no contact
    /// with in this step (S1-20). Costs one pass over the contacts; batches with a penetrating contact also
    /// cost O(their bodies), and each correction up to four searches of O(bodies displaced and their
    /// contacts). Equal input gives equal bits at any thread count. Overlaps that are not finite are left
    /// alone. A configuration that does not [`validate`](CorrectionConfig::validate) is the caller's mistake:
    /// it corrects badly, and fails an assertion in debug builds.
    pub fn correct(
        &mut self,
        config: &CorrectionConfig,
        bodies: &mut Bodies,
        graph: &mut ContactGraph,
        batches: &Batches,
        step: &StepParams,
        exec: &Exec,
    ) -> CorrectionReport {
        debug_assert_eq!(config.validate(), Ok(()), "the caller has checked the configuration");
        let threshold = config.penetration_threshold * step.length_unit();
        let calm = self.scan.run(graph, batches, threshold, exec, &mut self.found);
        let mut report = CorrectionReport::default();
        if let Some((depth, edge)) = calm {
            report.note_depth(depth, edge);
        }
        if self.found.is_empty() {
            report.worst_before = report.worst_after;
            return report;
        }
        report.penetrating_count = self.found.len() as u32;
        report.worst_before = self.found.iter().fold(report.worst_after, |worst, c| c.depth.max(worst));
        self.gather(config, bodies, graph, batches, exec);
        self.solve(config, bodies, graph, threshold, exec);
        for outcome in &self.outcomes {
            report.add(outcome);
        }
        self.update.run(&self.nodes, bodies, graph, &mut report);
        for contact in &self.contacts {
            report.note_edge(graph, contact.edge);
        }
        report
    }

    /// Sorts the penetrating contacts into their batches, and makes a node for every body there.
    fn gather(
        &mut self,
        config: &CorrectionConfig,
        bodies: &Bodies,
        graph: &ContactGraph,
        batches: &Batches,
        exec: &Exec,
    ) {
        let hot = bodies.view().hot;
        self.local.resize(hot.len(), 0);
        self.contacts.clear();
        self.contact_offsets.clear();
        self.nodes.clear();
        self.node_offsets.clear();
        self.outcomes.clear();
        let mut largest = 0;
        // A batch holds one island; or all of them, where islands are joined (`Batches::set_joined`).
        let is_whole = batches.list().len() == 1;
        for members in batches.list().iter().map(|batch| batches.bodies(batch)) {
            let Some(&first) = members.first() else { continue };
            let island = graph.island_of(first);
            let begin = self.found.partition_point(|c| c.island < island);
            let own = &self.found[begin..];
            let own = &own[..own.partition_point(|c| c.island == island)];
            let own = if is_whole { &self.found[..] } else { own };
            if own.is_empty() {
                continue;
            }
            self.contact_offsets.push(self.contacts.len() as u32);
            self.contacts.extend_from_slice(own);
            self.node_offsets.push(self.nodes.len() as u32);
            for (place, &body) in members.iter().enumerate() {
                self.local[body.get()] = place as u32;
                self.nodes.push(Node::new(body, &hot[body.get()]));
            }
            self.outcomes.push(Outcome::default());
            largest = largest.max(members.len());
        }
        debug_assert_eq!(self.contacts.len(), self.found.len(), "the batches are those of this graph");
        self.contact_offsets.push(self.contacts.len() as u32);
        self.node_offsets.push(self.nodes.len() as u32);
        self.searches.resize(exec, Search::default);
        for search in self.searches.iter_mut() {
            search.reserve(largest.min(config.max_displaced as usize), largest);
        }
    }

    /// Works out the displacements, batch by batch; graph and bodies are only read.
    fn solve(
        &mut self,
        config: &CorrectionConfig,
        bodies: &mut Bodies,
        graph: &ContactGraph,
        threshold: Real,
        exec: &Exec,
    ) {
        let view = bodies.view_mut();
        let pile = Pile {
            graph,
            hot: view.hot,
            last_move: view.last_move,
            inverse_inertia: view.inverse_inertia,
            local: &self.local,
            threshold,
            slack: config.remaining_fraction * threshold,
        };
        let whole = "the offsets are counts of what was pushed";
        let parts = (
            segments_mut(&mut self.nodes, &self.node_offsets).expect(whole),
            segments_mut(&mut self.contacts, &self.contact_offsets).expect(whole),
            items_mut(&mut self.outcomes),
        );
        exec.for_each_dynamic_with(&mut self.searches, parts, |search, _, (nodes, contacts, outcome)| {
            *outcome = correct_batch(config, &pile, search, nodes, contacts);
        });
    }
}
