//! Finding the penetrating contacts: the only part that costs something when all is well (S1-05).

use crate::batch::Penetration;
use drystone_contact::{Batches, ContactGraph, EdgeIndex, IslandIndex};
use drystone_exec::{Exec, PerWorker, chunks};
use drystone_math::{Real, smaller};

/// Edges that a thread scans at a time: some microseconds.
const SCAN_CHUNK: usize = 1024;

/// What one thread's run of edges holds.
#[derive(Debug, Default)]
struct Found {
    penetrating: Vec<Penetration>,
    /// Depth (m) of the deepest contact that is not penetrating.
    calm: Option<(Real, EdgeIndex)>,
}

impl Found {
    /// Takes note of a contact that is deeper (m) than the calm one so far.
    #[cold]
    fn note(&mut self, graph: &ContactGraph, threshold: Real, edge: EdgeIndex, depth: Real) {
        if !depth.is_finite() {
            return;
        }
        if depth > threshold {
            self.penetrating.push(Penetration { edge, depth, island: island_of(graph, edge) });
        } else {
            self.calm = Some((depth, edge));
        }
    }
}

/// Scratch of the scan.
#[derive(Debug)]
pub(crate) struct Scan {
    found: PerWorker<Found>,
}

impl Default for Scan {
    fn default() -> Self {
        Self { found: PerWorker::new(&Exec::serial(), Found::default) }
    }
}

impl Scan {
    /// Puts the contacts deeper than `threshold` (m) into `contacts`, sorted by island and edge, and returns
    /// the deepest of the others that overlap.
    pub(crate) fn run(
        &mut self,
        graph: &ContactGraph,
        batches: &Batches,
        threshold: Real,
        exec: &Exec,
        contacts: &mut Vec<Penetration>,
    ) -> Option<(Real, EdgeIndex)> {
        self.found.resize(exec, Found::default);
        for found in self.found.iter_mut() {
            found.penetrating.clear();
            found.calm = None;
        }
        let parts = chunks(batches.all_edges(), SCAN_CHUNK);
        // Value k sees the k-th run of chunks: joined in order, the first of equals wins at any thread count.
        exec.for_each_static_with(&mut self.found, parts, |found, _, edges| {
            let mut lowest = -found.calm.map_or(0.0, |(deepest, _)| deepest);
            for (edge, record) in graph.edges_for_gaps(edges) {
                let points = record.manifold.points();
                let least = points.iter().fold(0.0, |least: Real, p| smaller(p.distance, least));
                // Mostly others are deeper.
                if least < lowest {
                    found.note(graph, threshold, edge, -least);
                    lowest = -found.calm.map_or(0.0, |(deepest, _)| deepest);
                }
            }
        });
        let mut calm: Option<(Real, EdgeIndex)> = None;
        contacts.clear();
        for found in self.found.iter_mut() {
            contacts.extend_from_slice(&found.penetrating);
            let is_deeper = found.calm.map(|c| c.0) > calm.map(|c| c.0);
            calm = if is_deeper { found.calm } else { calm };
        }
        contacts.sort_unstable_by_key(|c| (c.island, c.edge));
        calm
    }
}

/// Island of the bodies of an edge that can move.
fn island_of(graph: &ContactGraph, edge: EdgeIndex) -> IslandIndex {
    let m = &graph.edge(edge).manifold;
    // What cannot move has the largest index of all.
    graph.island_of(m.body_a).min(graph.island_of(m.body_b))
}
