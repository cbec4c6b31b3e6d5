//! Manifolds of the pairs that something awake is part of; unmoved pairs are skipped (S3-18).

use super::gate::Gate;
use super::memory::PairMemory;
use super::pair::{Context, Glance, Look, Seen};
use super::surfaces::{self, Surfaces, is_surface};
use crate::world::{ColliderMotion, Colliders};
use crate::{StepReport, WorldConfig};
use drystone_collision::narrow::{BOX_BATCH, BoxBatch};
use drystone_contact::{Bodies, BodyIndex, ContactGraph, Edge, EdgeIndex, StepParams};
use drystone_exec::{Exec, chunks_mut};
use drystone_math::wide::Isa;
use drystone_math::{BitSet, bits, prefetch};

/// Edges per part of the stage: the bits of a word.
const EDGES_PER_PART: usize = 64;
/// Looks at pairs between asking for what a look reads and the look.
const LOOK_AHEAD: usize = 2;

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

/// [`EDGES_PER_PART`] edges: a bit each, and what the last step found.
#[derive(Clone, Copy, Debug, Default)]
struct Part {
    /// Edges with an awake body.
    awake: u64,
    /// Edges to look at in this step.
    active: u64,
    /// First and further edges of pairs with a surface, which have a stage of their own; joints are among the further ones.
    surfaces: u64,
    further: u64,
    /// Edges whose points changed so that the graph must be told.
    news: u64,
    /// Edges whose shapes were not looked at, of these those whose points were carried along, and those where the
    /// look hit a limit.
    skipped_count: u32,
    carried_count: u32,
    limited_count: u32,
}

/// Pairs of boxes of a part that wait until their axes are looked at together.
#[derive(Default)]
struct Boxes {
    batch: BoxBatch,
    waiting: [(u32, Glance); BOX_BATCH],
}

/// A part at work.
struct Looks<'a> {
    context: &'a Context<'a>,
    part: &'a mut Part,
    memory: &'a mut [PairMemory],
    gates: &'a mut [Gate],
    edges: &'a mut [Edge],
}

impl Looks<'_> {
    /// Fetches what the look at an edge will read.
    #[inline]
    fn expect(&self, k: u32) {
        let i = k as usize;
        prefetch(&self.memory[i]);
        prefetch(&self.edges[i]);
        self.context.expect(&self.gates[i]);
    }

    /// Looks at an edge of the part; two boxes may have to wait.
    fn at(&mut self, k: u32, boxes: &mut Boxes) {
        let i = k as usize;
        match self.context.look(&mut self.memory[i], &mut self.gates[i], &mut self.edges[i]) {
            Look::Done(seen) => self.note(k, &seen),
            Look::Boxes { glance, half_extents: [a, b] } => {
                boxes.waiting[boxes.batch.len()] = (k, glance);
                boxes.batch.push(&a, &b, &glance.pose);
                self.context.expect_bodies(&self.gates[i]);
            }
        }
    }

    /// Looks at the boxes that wait.
    fn at_boxes(&mut self, boxes: &mut Boxes, isa: Isa) {
        let count = boxes.batch.len();
        if count == 0 {
            return;
        }
        let axes = boxes.batch.take(isa);
        for ((k, glance), axes) in boxes.waiting[..count].iter().zip(&axes) {
            let i = *k as usize;
            let (memory, gate, edge) = (&mut self.memory[i], &mut self.gates[i], &mut self.edges[i]);
            let seen = self.context.look_at_boxes(glance, axes, memory, gate, edge);
            self.note(*k, &seen);
        }
    }

    fn note(&mut self, k: u32, seen: &Seen) {
        self.part.news |= u64::from(seen.is_news) << k;
        self.part.skipped_count += u32::from(seen.is_skipped);
        self.part.carried_count += u32::from(seen.is_carried);
        self.part.limited_count += u32::from(seen.is_limited);
    }
}

impl ContactStage {
    /// An edge of two collider slots begins; `is_awake` when one of its bodies is.
    pub(crate) fn begin(&mut self, edge: EdgeIndex, slots: [u32; 2], colliders: &Colliders, is_awake: bool) {
        self.make_room(edge, slots);
        if slots.iter().any(|&slot| is_surface(colliders.get(slot))) {
            self.parts[edge.get() / EDGES_PER_PART].surfaces |= 1 << (edge.get() % EDGES_PER_PART);
            self.surfaces.begin(edge);
        }
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
        let context = Context::new(bodies, colliders, config, step);
        let isa = Isa::best();
        let edges = graph.edges_mut();
        let part_count = edges.len().div_ceil(EDGES_PER_PART);
        let parts = (
            chunks_mut(&mut self.parts[..part_count], 1),
            chunks_mut(&mut self.memory[..edges.len()], EDGES_PER_PART),
            chunks_mut(&mut self.gates[..edges.len()], EDGES_PER_PART),
            chunks_mut(edges, EDGES_PER_PART),
        );
        exec.dynamic_ordered(&self.listed, parts, |_, (parts, memory, gates, edges)| {
            for part in parts {
                let mut shut = 0;
                let ordinary = part.active & !part.surfaces;
                for k in bits(ordinary) {
                    let gate = &gates[k as usize];
                    shut |= u64::from(context.is_shut(gate)) << k;
                    debug_assert!(context.holds(gate), "{gate:?} promises more than the pair's gap");
                }
                (part.news, part.skipped_count) = (0, shut.count_ones());
                (part.carried_count, part.limited_count) = (0, 0);
                let mut looks = Looks { context: &context, part, memory, gates, edges };
                let mut boxes = Boxes::default();
                let open = ordinary & !shut;
                let mut ahead = bits(open);
                ahead.by_ref().take(LOOK_AHEAD).for_each(|k| looks.expect(k));
                for k in bits(open) {
                    if let Some(next) = ahead.next() {
                        looks.expect(next);
                    }
                    looks.at(k, &mut boxes);
                    if boxes.batch.is_full() {
                        looks.at_boxes(&mut boxes, isa);
                    }
                }
                looks.at_boxes(&mut boxes, isa);
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
            report.narrow_limits += u32::from(seen.is_limited);
        }
        for &part in &self.listed {
            let part = &self.parts[part as usize];
            report.examined_pairs += part.active.count_ones();
            report.skipped_pairs += part.skipped_count;
            report.carried_pairs += part.carried_count;
            report.narrow_limits += part.limited_count;
        }
    }

    /// Links and groups follow the manifolds, in the order of the edges.
    pub(crate) fn apply(&mut self, bodies: &Bodies, graph: &mut ContactGraph) {
        for &part in &self.listed {
            for k in bits(self.parts[part as usize].news) {
                graph.relink(bodies, EdgeIndex(part * EDGES_PER_PART as u32 + k));
            }
        }
        surfaces::apply(self, bodies, graph);
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
