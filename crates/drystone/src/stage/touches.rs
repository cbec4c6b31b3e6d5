//! The contacts that a step leaves behind: touches that begin, the deepest overlap, what is no number.

use crate::World;
use drystone_contact::{BodyIndex, ContactGraph, EdgeIndex, Manifold};
use drystone_exec::{Exec, chunks, items_mut};
use drystone_math::{Real, is_finite, smaller};

/// Edges per part: bits of a few words.
const EDGES_PER_PART: usize = 256;
const WORDS: usize = EDGES_PER_PART / 64;

/// What a look at some edges found.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Look {
    /// Least gap, m, and its edge.
    nearest: Option<(Real, EdgeIndex)>,
    /// Edges that something must be done about: a bit each.
    due: [u64; WORDS],
}

/// What the report says of contacts.
pub(super) struct Left {
    /// Least gap, m, and the two bodies.
    pub(super) nearest: Option<(Real, [BodyIndex; 2])>,
    pub(super) tie_count: u32,
}

/// The least gap, m, infinite without points, and a sum of all, which is finite only if all are numbers.
#[inline]
fn gaps(manifold: &Manifold) -> (Real, Real) {
    let (mut least, mut sum): (Real, Real) = (Real::INFINITY, 0.0);
    for point in manifold.points() {
        (least, sum) = (smaller(point.distance, least), sum + point.distance);
    }
    (least, sum)
}

/// True when all gaps are numbers.
fn has_gaps(manifold: &Manifold) -> bool {
    gaps(manifold).1.is_finite()
}

impl Look {
    /// Looks at the contacts of some edges.
    fn at(edges: &[EdgeIndex], graph: &ContactGraph, tells_persisting: bool) -> Self {
        let mut look = Self::default();
        let (mut nearest, mut sum) = (Real::INFINITY, 0.0);
        for (k, (index, edge)) in graph.edges_for_gaps(edges).enumerate() {
            let (least, own_sum) = gaps(&edge.manifold);
            sum += own_sum;
            let is_due = edge.is_tie() || graph.has_touch_to_tell(index, tells_persisting);
            look.due[k / 64] |= u64::from(is_due) << (k % 64);
            if least < nearest {
                (nearest, look.nearest) = (least, Some((least, index)));
            }
        }
        // The sum is finite only if all gaps are numbers.
        if sum.is_finite() { look } else { look.without_broken(edges, graph) }
    }

    /// The same where gaps may be no numbers: those of their edges do not count, and something must be done about these.
    #[cold]
    fn without_broken(mut self, edges: &[EdgeIndex], graph: &ContactGraph) -> Self {
        self.nearest = None;
        for (k, (index, edge)) in graph.edges_for_gaps(edges).enumerate() {
            let (least, sum) = gaps(&edge.manifold);
            if !sum.is_finite() {
                self.due[k / 64] |= 1 << (k % 64);
            } else if least < self.nearest.map_or(Real::INFINITY, |(value, _)| value) {
                self.nearest = Some((least, index));
            }
        }
        self
    }
}

impl World {
    /// Tells touches, and forgets contacts that are no numbers: velocities near the largest ones leave such gaps, also where the bodies
    /// are still numbers.
    pub(super) fn look_at_contacts(&mut self, exec: &Exec) -> Left {
        let tells_persisting = self.config.events.touch_persist;
        let (edges, graph, looks) = (self.batches.all_edges(), &self.graph, &mut self.looks);
        looks.clear();
        looks.reserve(graph.edges().len().div_ceil(EDGES_PER_PART));
        looks.resize(edges.len().div_ceil(EDGES_PER_PART), Look::default());
        exec.for_each_static((chunks(edges, EDGES_PER_PART), items_mut(looks)), |_, (edges, look)| {
            *look = Look::at(edges, graph, tells_persisting);
        });

        let (mut nearest, mut tie_count): (Option<(Real, EdgeIndex)>, u32) = (None, 0);
        // Empty as a rule.
        let mut broken: Vec<EdgeIndex> = Vec::new();
        for (look, edges) in self.looks.iter().zip(edges.chunks(EDGES_PER_PART)) {
            if let Some(found) = look.nearest
                && nearest.is_none_or(|(value, _)| found.0 < value)
            {
                nearest = Some(found);
            }
            for (&word, edges) in look.due.iter().zip(edges.chunks(64)) {
                for index in drystone_math::bits(word).map(|k| edges[k as usize]) {
                    if let Some(tie) = self.graph.tie(index) {
                        tie_count += 1;
                        if !is_finite(&tie.impulse) || !is_finite(&tie.torque) {
                            broken.push(index);
                        }
                    } else if has_gaps(&self.graph.edge(index).manifold) {
                        self.graph.update_touch(&self.bodies, index, tells_persisting);
                    } else {
                        broken.push(index);
                    }
                }
            }
        }
        broken.into_iter().for_each(|edge| self.forget_contact(edge));
        let owners = |(gap, edge): (Real, EdgeIndex)| (gap, self.graph.edge(edge).owners());
        Left { nearest: nearest.map(owners), tie_count }
    }
}
