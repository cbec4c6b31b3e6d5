//! Manifolds of the pairs that something awake is part of; unmoved pairs are skipped (S3-18).

use super::gate::Gate;
use super::looks::{Part, PartLooks};
use super::memory::PairMemory;
use super::pair::Context;
use super::rounds::Kind;
use super::surfaces::{self, Surfaces, is_surface};
use crate::world::{ColliderMotion, Colliders};
use crate::{StepReport, WorldConfig};
use drystone_contact::{Bodies, BodyIndex, ContactGraph, EdgeIndex, StepParams};
use drystone_exec::{Exec, chunks_mut};
use drystone_math::wide::Isa;
use drystone_math::{BitSet, bits};

/// Edges per part of the stage: the bits of a word.
const EDGES_PER_PART: usize = 64;

/// Memory of all pairs, by edge, and the results of one step.
#[derive(Clone, Debug, Default)]
pub(crate) struct ContactStage {
    memory: Vec<PairMemory>,
    gates: Vec<Gate>,
    parts: Vec<Part>,
    surfaces: Surfaces,
    /// Parts that hold an edge to look at in this step.
    listed: Vec<u32>,
    /// The awake bodies that the edges with an awake body were found from.
    awake: BitSet,
}

drystone_math::carried!(ContactStage { part: [memory, gates, parts, surfaces, awake], scratch: [listed] });

impl ContactStage {
    /// An edge of two collider slots begins; `is_awake` when one of its bodies is.
    pub(crate) fn begin(&mut self, edge: EdgeIndex, slots: [u32; 2], colliders: &Colliders, is_awake: bool) {
        self.make_room(edge, slots);
        if slots.iter().any(|&slot| is_surface(colliders.get(slot))) {
            self.parts[edge.get() / EDGES_PER_PART].surfaces |= 1 << (edge.get() % EDGES_PER_PART);
            self.surfaces.begin(edge);
        }
        let [a, b] = slots.map(|slot| &colliders.get(slot).shape);
        let kind = Kind::of(a, b);
        let part = &mut self.parts[edge.get() / EDGES_PER_PART];
        part.balls |= u64::from(kind == Kind::Ball) << (edge.get() % EDGES_PER_PART);
        part.capsules |= u64::from(kind == Kind::Capsules) << (edge.get() % EDGES_PER_PART);
        self.set_awake(edge, is_awake);
    }

    /// A further edge of a pair with a surface begins.
    pub(super) fn begin_further(&mut self, edge: EdgeIndex) {
        self.make_room(edge, [0, 0]);
        self.parts[edge.get() / EDGES_PER_PART].further |= 1 << (edge.get() % EDGES_PER_PART);
    }

    /// The edge of a joint begins: there is never anything to look at.
    pub(crate) fn begin_tie(&mut self, edge: EdgeIndex) {
        self.begin_further(edge);
    }

    /// What is remembered of an edge that begins.
    #[inline]
    fn make_room(&mut self, edge: EdgeIndex, slots: [u32; 2]) {
        let i = edge.get();
        if self.memory.len() <= i {
            // A part is whole, so that every edge has its place in it.
            let len = (i + 1).next_multiple_of(EDGES_PER_PART);
            self.memory.resize(len, PairMemory::default());
            self.gates.resize(len, Gate::open([0, 0]));
            self.parts.resize(len / EDGES_PER_PART, Part::default());
        }
        self.memory[i] = PairMemory::default();
        self.gates[i] = Gate::open(slots);
    }

    /// Another body moves a collider of an edge from now on: it is looked at anew.
    pub(crate) fn reopen(&mut self, edge: EdgeIndex, is_awake: bool) {
        if let Some(gate) = self.gates.get_mut(edge.get()) {
            gate.forget();
        }
        self.surfaces.forget(edge);
        self.set_awake(edge, is_awake);
    }

    /// All pairs are looked at anew.
    pub(crate) fn forget_all(&mut self) {
        self.gates.iter_mut().for_each(Gate::forget);
        self.memory.iter_mut().for_each(|memory| memory.is_known = false);
        self.surfaces.forget_all();
    }

    /// True when the colliders of an edge are known to be apart where they are.
    pub(crate) fn is_apart(&self, edge: EdgeIndex, motions: &[ColliderMotion]) -> bool {
        self.gates[edge.get()].is_apart(motions)
    }

    /// An edge ends.
    pub(crate) fn end(&mut self, edge: EdgeIndex) {
        self.set_awake(edge, false);
        if let Some(part) = self.parts.get_mut(edge.get() / EDGES_PER_PART) {
            let bit = 1 << (edge.get() % EDGES_PER_PART);
            part.balls &= !bit;
            part.capsules &= !bit;
            if (part.surfaces | part.further) & bit != 0 {
                part.surfaces &= !bit;
                part.further &= !bit;
                self.surfaces.end(edge);
            }
        }
    }

    /// True for the first edge of a pair with a surface.
    #[inline]
    pub(crate) fn is_surface_pair(&self, edge: EdgeIndex) -> bool {
        let part = self.parts.get(edge.get() / EDGES_PER_PART);
        part.is_some_and(|part| part.surfaces >> (edge.get() % EDGES_PER_PART) & 1 == 1)
    }

    /// Further edges of a pair with a surface whose first edge this is; they end with it.
    pub(crate) fn further_edges(&self, edge: EdgeIndex) -> impl Iterator<Item = EdgeIndex> + use<> {
        self.surfaces.further_edges(edge)
    }

    /// Pairs with a surface.
    pub(super) fn surfaces(&mut self) -> &mut Surfaces {
        &mut self.surfaces
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
        if self.listed.is_empty() {
            return;
        }
        let context = Context::new(bodies, colliders, config, step);
        let isa = Isa::best();
        let edges = graph.edges_mut();
        let part_count = edges.len().div_ceil(EDGES_PER_PART);
        let parts = (
            chunks_mut(&mut self.parts[..part_count], 1),
            chunks_mut(&mut self.memory[..edges.len()], EDGES_PER_PART),
            chunks_mut(&mut self.gates[..part_count * EDGES_PER_PART], EDGES_PER_PART),
            chunks_mut(edges, EDGES_PER_PART),
        );
        exec.for_each_dynamic_ordered(&self.listed, parts, |_, (parts, memory, gates, edges)| {
            for part in parts {
                isa.run(PartLooks { context: &context, part, memory, gates, edges, isa });
            }
        });
        for &part in &self.listed {
            let own = &self.parts[part as usize];
            for k in bits(own.active & own.surfaces) {
                self.surfaces.activate(EdgeIndex(part * EDGES_PER_PART as u32 + k));
            }
        }
        for seen in self.surfaces.detect(&context, graph.edges(), exec) {
            report.skipped_pairs += u32::from(seen.is_skipped);
            report.narrow_phase_limits += u32::from(seen.is_limited);
        }
        for &part in &self.listed {
            let part = &self.parts[part as usize];
            report.examined_pairs += part.active.count_ones();
            report.skipped_pairs += part.skipped_count;
            report.reused_pairs += part.carried_count;
            report.narrow_phase_limits += part.limited_count;
        }
    }

    /// Links and islands follow the manifolds, in the order of the edges.
    pub(crate) fn apply(&mut self, bodies: &Bodies, graph: &mut ContactGraph) {
        self.edges(|part| part.renewed).for_each(|edge| graph.note_renewed(edge));
        graph.relink_all(bodies, self.edges(|part| part.recounted));
        surfaces::apply(self, bodies, graph);
    }

    /// Some of the edges looked at, ascending.
    fn edges(&self, which: impl Fn(&Part) -> u64 + Clone) -> impl Iterator<Item = EdgeIndex> + Clone {
        self.listed.iter().flat_map(move |&part| {
            let first = part * EDGES_PER_PART as u32;
            bits(which(&self.parts[part as usize])).map(move |k| EdgeIndex(first + k))
        })
    }

    /// Lists what is to be looked at. Costs the bodies that woke, fell asleep or were disturbed, with their edges,
    /// and a word per [`EDGES_PER_PART`] edges.
    fn collect(&mut self, bodies: &Bodies, graph: &ContactGraph, disturbed: &[BodyIndex]) {
        let awake = bodies.view().awake;
        let before = std::mem::take(&mut self.awake);
        for body in before.iter_difference(awake).map(BodyIndex) {
            for edge in graph.edges_of(body) {
                let is_awake = awake.contains(body.0) || awake.contains(graph.edge(edge).other(body).0);
                self.set_awake(edge, is_awake);
            }
        }
        self.awake = before;
        self.awake.copy_from(awake);

        self.parts.iter_mut().for_each(|part| part.active = part.awake);
        for &body in disturbed {
            for edge in graph.edges_of(body) {
                self.parts[edge.get() / EDGES_PER_PART].active |= 1 << (edge.get() % EDGES_PER_PART);
            }
        }
        // Pairs are looked at by their first edge.
        self.parts.iter_mut().for_each(|part| part.active &= !part.further);
        self.listed.clear();
        let is_listed = |&part: &u32| self.parts[part as usize].active != 0;
        self.listed.extend((0..self.parts.len() as u32).filter(is_listed));
    }

    fn set_awake(&mut self, edge: EdgeIndex, is_awake: bool) {
        if let Some(part) = self.parts.get_mut(edge.get() / EDGES_PER_PART) {
            let k = edge.get() % EDGES_PER_PART;
            part.awake = part.awake & !(1 << k) | u64::from(is_awake) << k;
        }
    }
}
