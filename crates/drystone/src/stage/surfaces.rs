//! Pairs of a solid and a surface of triangles (mesh, height field): several manifolds each.
//!
//! A body on a terrain touches it in several directions, and a manifold has one. So such a pair has an edge of the contact
//! graph per direction: the first is made and ended by the broad phase as for any pair, further ones
//! ([`ContactGraph::add_further_edge`]) come and go with the manifolds. Which manifold is in which edge is kept from step to step by
//! [`SurfaceMemory`], so that impulses stay where they are. Other pairs pay nothing: the bits of edges handled here are masked out
//! of their loop.

use super::contacts::ContactStage;
use super::pair::{Context, Seen};
use crate::world::Collider;
use drystone_collision::narrow::NarrowStatus;
use drystone_collision::narrow::surface::{MAX_PATCHES, SurfaceContacts, SurfaceMemory, surface_contacts};
use drystone_collision::shape::{Frame, Surface};
use drystone_contact::{Bodies, ContactGraph, Edge, EdgeIndex, MAX_POINTS, PointGeometry};
use drystone_exec::{Exec, chunks_mut, items_mut};
use drystone_math::{Real, Vector3};

/// Pairs per part of the stage, which share the memory of what they find.
const PAIRS_PER_PART: usize = 16;
/// Manifolds that a pair mostly has at most.
const USUAL_PATCHES: usize = 4;
/// No edge, no pair.
const NONE: u32 = u32::MAX;

/// All pairs with a surface.
#[derive(Clone, Debug, Default)]
pub(super) struct Surfaces {
    pairs: Vec<SurfacePair>,
    free: Vec<u32>,
    /// The pair of each edge, [`NONE`] for ordinary ones. Empty while there is no surface.
    by_edge: Vec<u32>,
    /// What was found, per part of the pairs.
    found: Vec<Vec<Found>>,
    /// Parts with a pair to look at, ascending.
    listed: Vec<u32>,
}

drystone_math::carried!(Surfaces { part: [pairs, free, by_edge], parts: [found], scratch: [listed] });

/// A pair with a surface.
#[derive(Clone, Debug)]
struct SurfacePair {
    /// Its edges: the first as long as there is the pair, the others [`NONE`] where there is no manifold.
    edges: [u32; MAX_PATCHES],
    memory: SurfaceMemory,
    idle: Idle,
    /// Margin of the last look, m.
    margin: Real,
    is_active: bool,
    seen: Seen,
    /// Whether the last step looked at it, and which manifold moved to the first edge.
    is_renewed: bool,
    moved_to_first: Option<usize>,
}

impl SurfacePair {
    fn new(edge: EdgeIndex) -> Self {
        let mut edges = [NONE; MAX_PATCHES];
        edges[0] = edge.0;
        Self {
            edges,
            memory: SurfaceMemory::default(),
            idle: Idle::Never,
            margin: 0.0,
            is_active: false,
            seen: Seen::default(),
            is_renewed: false,
            moved_to_first: None,
        }
    }
}

/// Until when a pair needs no look.
#[derive(Clone, Copy, Debug)]
enum Idle {
    /// It needs one now.
    Never,
    /// Its points stay until its colliders have travelled so far together, m.
    AtRest(f64),
    /// It was apart by this much (m) when its colliders had travelled so far together, m.
    Apart(Real, f64),
}

/// A manifold found in this step.
#[derive(Clone, Copy, Debug)]
struct Found {
    pair: u32,
    place: usize,
    /// From A to B, world.
    normal: Vector3,
    places: [PointGeometry; MAX_POINTS],
    count: usize,
}

/// True for a collider made of triangles.
#[inline]
pub(super) fn is_surface(collider: &Collider) -> bool {
    collider.shape.surface().is_some()
}

impl Surfaces {
    /// The pair of an edge begins.
    pub(super) fn begin(&mut self, edge: EdgeIndex) {
        let pair = SurfacePair::new(edge);
        let index = if let Some(free) = self.free.pop() {
            self.pairs[free as usize] = pair;
            free
        } else {
            self.pairs.push(pair);
            let part_count = self.pairs.len().div_ceil(PAIRS_PER_PART);
            // Room for what most pairs have, so that lists settle at once.
            self.found.resize_with(part_count, || Vec::with_capacity(PAIRS_PER_PART * USUAL_PATCHES));
            self.listed.reserve(self.pairs.capacity() - self.listed.len());
            self.free.reserve(self.pairs.capacity() - self.free.len());
            self.pairs.len() as u32 - 1
        };
        self.assign(edge, index);
    }

    fn assign(&mut self, edge: EdgeIndex, pair: u32) {
        if self.by_edge.len() <= edge.get() {
            self.by_edge.resize((edge.get() + 1).next_power_of_two(), NONE);
        }
        self.by_edge[edge.get()] = pair;
    }

    fn of(&self, edge: EdgeIndex) -> Option<u32> {
        self.by_edge.get(edge.get()).copied().filter(|&pair| pair != NONE)
    }

    /// An edge ends: with the first one the pair.
    pub(super) fn end(&mut self, edge: EdgeIndex) {
        let Some(pair) = self.of(edge) else { return };
        self.by_edge[edge.get()] = NONE;
        let edges = &mut self.pairs[pair as usize].edges;
        if edges[0] == edge.0 {
            edges.fill(NONE);
            self.pairs[pair as usize].is_active = false;
            self.free.push(pair);
        } else {
            edges.iter_mut().filter(|own| **own == edge.0).for_each(|own| *own = NONE);
        }
    }

    /// The further edges of the pair whose first edge this is.
    pub(super) fn further_edges(&self, edge: EdgeIndex) -> impl Iterator<Item = EdgeIndex> + use<> {
        let edges = self.of(edge).map_or([NONE; MAX_PATCHES], |pair| self.pairs[pair as usize].edges);
        edges.into_iter().skip(1).filter(|&own| own != NONE).map(EdgeIndex)
    }

    /// The pair of an edge is looked at anew.
    pub(super) fn forget(&mut self, edge: EdgeIndex) {
        if let Some(pair) = self.of(edge) {
            self.pairs[pair as usize].idle = Idle::Never;
        }
    }

    /// All pairs are.
    pub(super) fn forget_all(&mut self) {
        self.pairs.iter_mut().for_each(|pair| pair.idle = Idle::Never);
    }

    /// Marks the pair of a first edge to be looked at in this step.
    pub(super) fn activate(&mut self, edge: EdgeIndex) {
        if let Some(pair) = self.of(edge) {
            self.pairs[pair as usize].is_active = true;
            self.listed.push(pair / PAIRS_PER_PART as u32);
        }
    }

    /// Looks at the pairs marked; [`apply`] must follow. Returns what each look told.
    pub(super) fn detect(
        &mut self,
        context: &Context<'_>,
        edges: &[Edge],
        exec: &Exec,
    ) -> impl Iterator<Item = Seen> + '_ {
        self.listed.sort_unstable();
        self.listed.dedup();
        let parts = (chunks_mut(&mut self.pairs, PAIRS_PER_PART), items_mut(&mut self.found));
        exec.for_each_dynamic_ordered(&self.listed, parts, |part, (pairs, found)| {
            found.clear();
            for (k, pair) in pairs.iter_mut().enumerate().filter(|(_, pair)| pair.is_active) {
                let index = (part * PAIRS_PER_PART + k) as u32;
                pair.look(index, context, &edges[pair.edges[0] as usize], found);
            }
        });
        let pairs = &self.pairs;
        self.listed
            .iter()
            .flat_map(move |&part| {
                let first = part as usize * PAIRS_PER_PART;
                &pairs[first..pairs.len().min(first + PAIRS_PER_PART)]
            })
            .filter(|pair| pair.is_active)
            .map(|pair| pair.seen)
    }
}

/// Edges, links and islands follow the manifolds found, in the order of the pairs.
pub(super) fn apply(stage: &mut ContactStage, bodies: &Bodies, graph: &mut ContactGraph) {
    // Taken out, for edges that begin and end tell the stage.
    let listed = std::mem::take(&mut stage.surfaces().listed);
    for &part in &listed {
        let found = std::mem::take(&mut stage.surfaces().found[part as usize]);
        let first = part as usize * PAIRS_PER_PART;
        let end = stage.surfaces().pairs.len().min(first + PAIRS_PER_PART);
        for index in first..end {
            let pair = &mut stage.surfaces().pairs[index];
            let is_due = std::mem::take(&mut pair.is_active) && std::mem::take(&mut pair.is_renewed);
            if is_due {
                let own = found.iter().filter(|f| f.pair as usize == index);
                renew(stage, bodies, graph, index, own);
            }
        }
        stage.surfaces().found[part as usize] = found;
    }
    stage.surfaces().listed = listed;
    stage.surfaces().listed.clear();
}

/// Gives the edges of a pair the manifolds found in this step; those without one end, new ones begin.
fn renew<'a>(
    stage: &mut ContactStage,
    bodies: &Bodies,
    graph: &mut ContactGraph,
    index: usize,
    found: impl Iterator<Item = &'a Found>,
) {
    let pair = &mut stage.surfaces().pairs[index];
    let first = EdgeIndex(pair.edges[0]);
    if let Some(from) = pair.moved_to_first.take().filter(|&from| pair.edges[from] != NONE) {
        // What it had moves along.
        let from = EdgeIndex(pair.edges[from]);
        graph.edges_mut()[first.get()].manifold = graph.edge(from).manifold;
    }
    let mut is_left = stage.surfaces().pairs[index].edges.map(|edge| edge != NONE);
    for manifold in found {
        let edge = match stage.surfaces().pairs[index].edges[manifold.place] {
            NONE => match graph.add_further_edge(first) {
                Ok(edge) => {
                    let surfaces = stage.surfaces();
                    surfaces.pairs[index].edges[manifold.place] = edge.0;
                    surfaces.assign(edge, index as u32);
                    stage.begin_further(edge);
                    edge
                }
                // More edges than indices: the broad phase has told so long before.
                Err(_) => continue,
            },
            edge => EdgeIndex(edge),
        };
        is_left[manifold.place] = false;
        let own = &mut graph.edges_mut()[edge.get()].manifold;
        own.renew(&manifold.normal, &manifold.places[..manifold.count]);
        graph.relink(bodies, edge);
    }
    // Last, so that the touch of a pair does not end while another of its manifolds goes on.
    for place in (0..MAX_PATCHES).rev().filter(|&place| is_left[place]) {
        let edge = EdgeIndex(stage.surfaces().pairs[index].edges[place]);
        if place == 0 {
            graph.edges_mut()[edge.get()].manifold.clear();
            graph.relink(bodies, edge);
        } else {
            graph.remove_edge(bodies, edge);
            stage.end(edge);
        }
    }
}

impl SurfacePair {
    /// True when a look would find what the last one found.
    fn is_idle(&self, context: &Context<'_>, travelled: f64, reach: Real) -> bool {
        let needed = context.approach.needed(reach);
        match self.idle {
            Idle::Never => false,
            Idle::AtRest(until) => travelled <= until && needed <= context.approach.base,
            Idle::Apart(gap, since) => (travelled - since) as Real + needed <= gap,
        }
    }

    fn look(&mut self, index: u32, context: &Context<'_>, edge: &Edge, found: &mut Vec<Found>) {
        let slots = edge.colliders().map(|c| c.index);
        let [a, b] = slots.map(|slot| context.colliders.get(slot));
        let motions = slots.map(|slot| &context.colliders.motions()[slot as usize]);
        let (reach, travelled) =
            (context.approach.reach(motions), motions[0].travelled + motions[1].travelled);
        self.seen = Seen::default();
        if context.caches && self.is_idle(context, travelled, reach) {
            self.seen.is_skipped = true;
            return;
        }
        let is_a = is_surface(a);
        let (under, solid) = if is_a { (a, b) } else { (b, a) };
        let Some(surface) = under.shape.surface() else { return };
        self.margin = context.approach.margin(reach, self.margin);
        let within = self.margin + context.approach.tolerance;
        let mut contacts = SurfaceContacts::default();
        let status = touch(&surface, under, solid, within, &mut self.memory, &mut contacts);
        self.seen.is_limited = status == NarrowStatus::RoundLimit;
        let ends = context.ends(&solid.pose.translation, [a, b], motions);
        let turn = under.pose.rotation.to_rotation_matrix();
        let alone = motions.map(|motion| motion.alone);
        let is_wide = self.margin > context.approach.base;
        let before = found.len();
        let mut spare = None;
        for (place, patch) in contacts.patches.iter().enumerate().filter(|(_, patch)| patch.count > 0) {
            let outward = turn * patch.normal;
            let normal = if is_a { outward } else { -outward };
            let mut places = [PointGeometry::default(); MAX_POINTS];
            for (place, point) in places.iter_mut().zip(patch.points()) {
                *place = ends.place(point, &(turn * point.point), &normal);
            }
            let mut count = patch.count as usize;
            let whole = Found { pair: index, place, normal, places, count };
            if is_wide {
                let ends = [edge.body(0), edge.body(1)];
                count = context.keep_near(ends, &normal, alone, reach, &mut places[..count]);
            }
            if count > 1 {
                count = context.reduce(&mut places[..count]);
            }
            if count > 0 {
                found.push(Found { places, count, ..whole });
            } else if place == 0 {
                spare = Some(whole);
            }
        }
        let is_any = found.len() > before;
        // The first edge has points as long as any has.
        found.extend(spare.filter(|_| is_any));
        self.moved_to_first = contacts.moved_to_first;
        self.is_renewed = true;
        self.idle = if contacts.is_empty() {
            Idle::Apart(within, travelled)
        } else if is_any && context.can_rest && !is_wide {
            Idle::AtRest(travelled + f64::from(context.approach.slack))
        } else {
            Idle::Never
        };
    }
}

/// Asks the narrow phase, seen from the solid.
fn touch(
    surface: &Surface<'_>,
    under: &Collider,
    solid: &Collider,
    margin: Real,
    memory: &mut SurfaceMemory,
    contacts: &mut SurfaceContacts,
) -> NarrowStatus {
    let way = solid.pose.translation - under.pose.translation;
    let origin = Frame::of_rotation(&under.pose.rotation).turn_back(&way);
    let rotation = under.pose.rotation.inverse() * solid.pose.rotation;
    surface_contacts(surface, &solid.shape, &origin, &rotation, margin, memory, contacts)
}
