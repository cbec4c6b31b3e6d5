//! Batches: groups with something awake in them, cut into work for the workers (S1-27, S1-72).

use crate::{Bodies, BodyIndex, ContactGraph, EdgeIndex};

/// One batch: a group of bodies connected by contacts, independent of all others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    first_body: u32,
    body_count: u32,
    first_edge: u32,
    edge_count: u32,
    /// Contact points in it.
    pub point_count: u32,
}

/// The batches of a step.
#[derive(Clone, Debug, Default)]
pub struct Batches {
    list: Vec<Batch>,
    bodies: Vec<BodyIndex>,
    edges: Vec<EdgeIndex>,
    large_count: usize,
    /// Step in which a group was last taken, so that it is taken once.
    seen: Vec<u64>,
    stamp: u64,
}

impl Batches {
    /// Contact points below which a batch counts as small. S1 shows 8 in its example (S1-95 leaves it
    /// open); 32 keeps the claim of a batch below a hundredth of its work.
    pub const DEFAULT_SMALL_CUT: u32 = 32;

    /// Collects the groups that have an awake body and a contact. Bodies and edges of a batch ascend.
    /// Large batches come first, largest first; small ones follow as they were found (S1-72).
    pub fn rebuild(&mut self, bodies: &Bodies, graph: &ContactGraph, small_cut: u32) {
        self.list.clear();
        self.bodies.clear();
        self.edges.clear();
        self.stamp += 1;
        for body in bodies.view().awake.iter().map(BodyIndex) {
            if bodies.hot(body).is_dynamic() {
                self.take_group_of(body, graph);
            } else {
                // What is scripted and moves wakes nothing by itself, but its contacts must be looked at.
                for edge in graph.edges_of(body) {
                    let edge = graph.edge(edge);
                    if edge.is_linked() {
                        self.take_group_of(edge.other(body), graph);
                    }
                }
            }
        }
        self.sort(small_cut);
    }

    /// All batches: the large ones by size, then the small ones by their first awake body.
    pub fn list(&self) -> &[Batch] {
        &self.list
    }

    /// How many entries of [`Batches::list`] are large.
    pub fn large_count(&self) -> usize {
        self.large_count
    }

    /// Movable bodies of a batch, ascending, sleepers included.
    #[inline]
    pub fn bodies(&self, batch: &Batch) -> &[BodyIndex] {
        &self.bodies[batch.first_body as usize..][..batch.body_count as usize]
    }

    /// Linked edges of a batch, ascending.
    #[inline]
    pub fn edges(&self, batch: &Batch) -> &[EdgeIndex] {
        &self.edges[batch.first_edge as usize..][..batch.edge_count as usize]
    }

    /// Linked edges of all batches.
    pub fn all_edges(&self) -> &[EdgeIndex] {
        &self.edges
    }

    fn take_group_of(&mut self, body: BodyIndex, graph: &ContactGraph) {
        let group = graph.group_of(body);
        let Some(facts) = graph.group(group) else { return };
        let slot = group.0 as usize;
        if self.seen.len() <= slot {
            self.seen.resize(slot + 1, 0);
        }
        if std::mem::replace(&mut self.seen[slot], self.stamp) == self.stamp || facts.edge_count == 0 {
            return;
        }
        let (first_body, first_edge) = (self.bodies.len(), self.edges.len());
        self.bodies.extend(graph.bodies_of(group));
        self.bodies[first_body..].sort_unstable();
        let mut point_count = 0;
        for &member in &self.bodies[first_body..] {
            for index in graph.edges_of(member) {
                let edge = graph.edge(index);
                // An edge between two members is taken from its side A.
                if edge.is_linked() && (!edge.is_internal() || edge.manifold.body_a == member) {
                    self.edges.push(index);
                    point_count += edge.manifold.points().len() as u32;
                }
            }
        }
        self.edges[first_edge..].sort_unstable();
        self.list.push(Batch {
            first_body: first_body as u32,
            body_count: (self.bodies.len() - first_body) as u32,
            first_edge: first_edge as u32,
            edge_count: (self.edges.len() - first_edge) as u32,
            point_count,
        });
    }

    fn sort(&mut self, small_cut: u32) {
        // Small ones share one key: their first body keeps them in the order in which they were found.
        let key = |b: &Batch| {
            let size = if b.point_count >= small_cut { b.point_count } else { 0 };
            (std::cmp::Reverse(size), b.first_body)
        };
        self.list.sort_unstable_by_key(key);
        self.large_count = self.list.partition_point(|b| b.point_count >= small_cut);
    }
}
