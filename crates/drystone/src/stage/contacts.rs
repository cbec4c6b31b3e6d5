//! Manifolds of the pairs that something awake is part of; unmoved pairs are skipped (S3-18).

use super::pair::{Context, PairMemory, Seen};
use crate::world::Colliders;
use crate::{StepReport, WorldConfig};
use drystone_contact::{Bodies, BodyIndex, ContactGraph, EdgeIndex, StepParams};
use drystone_exec::{Exec, chunks, chunks_mut};
use drystone_math::BitSet;

/// Edges per part of the stage: a word of [`ContactStage::words`].
const EDGES_PER_PART: usize = 64;

/// Memory of all pairs, by edge, and the results of one step.
#[derive(Clone, Debug, Default)]
pub(crate) struct ContactStage {
    memory: Vec<PairMemory>,
    /// What the last look at an edge found.
    found: Vec<Seen>,
    /// Edges to look at in this step, in the order in which bodies hold them; and as a set.
    active: Vec<u32>,
    words: Vec<u64>,
    /// Words that hold any.
    parts: Vec<u32>,
    /// What [`ContactStage::active`] was collected from: edges of the graph, awake bodies, nothing disturbed.
    edge_changes: Option<u64>,
    awake: BitSet,
}

impl ContactStage {
    /// A new edge has no past.
    pub(crate) fn forget(&mut self, edge: EdgeIndex) {
        if let Some(memory) = self.memory.get_mut(edge.get()) {
            *memory = PairMemory::default();
        }
    }

    /// Finds the manifolds of all edges with an awake or disturbed body and writes them into the graph;
    /// [`ContactStage::apply`] must follow.
    #[allow(clippy::too_many_arguments, reason = "the inputs of one stage, called from one place")]
    pub(crate) fn detect(
        &mut self,
        bodies: &Bodies,
        colliders: &Colliders,
        graph: &mut ContactGraph,
        disturbed: &[BodyIndex],
        config: &WorldConfig,
        step: &StepParams,
        exec: &Exec,
        report: &mut StepReport,
    ) {
        self.collect(bodies, graph, disturbed);
        let context = Context::new(bodies, colliders, &config.detection, step);
        let edges = graph.edges_mut();
        let count = edges.len();
        let parts = (
            chunks(&self.words, 1),
            chunks_mut(&mut self.memory[..count], EDGES_PER_PART),
            chunks_mut(&mut self.found[..count], EDGES_PER_PART),
            chunks_mut(edges, EDGES_PER_PART),
        );
        exec.dynamic_ordered(&self.parts, parts, |_, (words, memory, found, edges)| {
            for word in words {
                let mut rest = *word;
                while rest != 0 {
                    let k = rest.trailing_zeros() as usize;
                    rest &= rest - 1;
                    found[k] = context.look(&mut memory[k], &mut edges[k]);
                }
            }
        });
        report.examined_pairs = self.active.len() as u32;
        for &index in &self.active {
            let seen = self.found[index as usize];
            report.skipped_pairs += u32::from(seen.is_skipped);
            report.carried_pairs += u32::from(seen.is_carried);
            report.narrow_limits += u32::from(seen.is_limited);
        }
    }

    /// Links and groups follow the manifolds, in the order in which the edges were collected.
    pub(crate) fn apply(&mut self, bodies: &Bodies, graph: &mut ContactGraph) {
        for &index in &self.active {
            if self.found[index as usize].is_news {
                graph.relink(bodies, EdgeIndex(index));
            }
        }
    }

    fn collect(&mut self, bodies: &Bodies, graph: &ContactGraph, disturbed: &[BodyIndex]) {
        let awake = bodies.view().awake;
        let edge_changes = disturbed.is_empty().then_some(graph.edge_changes());
        if edge_changes.is_some() && edge_changes == self.edge_changes && self.awake == *awake {
            return;
        }
        self.edge_changes = edge_changes;
        self.awake.clear();
        self.awake.resize(awake.len());
        awake.iter().for_each(|body| self.awake.insert(body));

        let edges = graph.edges().len();
        if self.memory.len() < edges {
            self.memory.resize(edges, PairMemory::default());
            self.found.resize(edges, Seen::default());
        }
        self.active.clear();
        self.words.clear();
        self.words.resize(edges.div_ceil(EDGES_PER_PART), 0);
        for body in awake.iter().map(BodyIndex).chain(disturbed.iter().copied()) {
            for edge in graph.edges_of(body) {
                let (word, bit) = (edge.get() / EDGES_PER_PART, 1 << (edge.get() % EDGES_PER_PART));
                if self.words[word] & bit == 0 {
                    self.words[word] |= bit;
                    self.active.push(edge.0);
                }
            }
        }
        self.parts.clear();
        self.parts.extend((0..self.words.len() as u32).filter(|&part| self.words[part as usize] != 0));
    }
}
