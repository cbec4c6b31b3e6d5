//! The contact graph, first part: edges with stable ids, adjacency, islands, levels, touch events.
//!
//! Nodes are bodies (their index in [`crate::Bodies`]); an edge is a pair of colliders whose boxes are
//! near (S3-04, S3-05). It lives from proximity to removal; it is *linked* while its manifold has points,
//! and *touching* from the first overlap or impulse until the points are gone. Islands are the connected
//! components of movable bodies over linked edges, what cannot move is a barrier (S1-27, S3-14); they are
//! maintained as links come and go: a new link merges two islands, a lost one marks its island, and marked
//! islands are split in [`ContactGraph::update_islands`]; links of a multibody are in one island whether they touch or not. Levels are breadth-first distances from what
//! cannot move.
//!
//! Invariants: fixed-fixed pairs never enter (S1-04); every touch that begins ends exactly once, whatever
//! is removed; orders depend on the history of calls only.

mod edge;
mod islands;
mod kind;
mod levels;
mod proximity;
mod search;
mod snapshot;
mod structure;
mod ties;
mod touch;

pub(crate) use edge::Link;
pub use edge::{Edge, EdgeEnd, EdgeIndex};
pub use islands::{Island, IslandIndex, NO_ISLAND, NO_LEVEL};
pub use kind::{EdgeClass, EdgeKind, NodeKind};
pub use proximity::ProximityEvent;
pub use snapshot::{
    EdgeState, GraphChanges, GraphSnapshot, NodeKey, SnapshotBuilder, SnapshotEdge, SnapshotNode, Supports,
};
pub use touch::{TouchEvent, TouchPhase};

use crate::error::ContactError;
use crate::{Bodies, BodyIndex, ColliderHandle, Manifold, PairMaterial};
use drystone_math::{BitSet, prefetch};
use edge::{Heads, NONE, Role, list_from};
use hashbrown::HashMap;
use islands::Islands;
use proximity::Proximity;
use ties::Ties;

/// Edges between asking for what is around an edge, or for the edge itself, and its relinking.
const RELINK_AHEAD: [usize; 2] = [4, 12];

/// Edges between asking for one and a look at its gaps.
const GAPS_AHEAD: usize = 8;

/// Hasher with a fixed seed: equal runs probe equally. The map is never iterated.
type FixedState = foldhash::fast::FixedState;

/// Edges, adjacency, islands and levels of all contacts of a world.
#[derive(Clone, Debug, Default)]
pub struct ContactGraph {
    edges: Vec<Edge>,
    /// One per edge.
    links: Vec<Link>,
    /// Edges whose link has points.
    linked: BitSet,
    free: Vec<u32>,
    by_pair: HashMap<(u32, u32), EdgeIndex, FixedState>,
    /// First entries of each body's edge lists.
    heads: Vec<Heads>,
    islands: Islands,
    /// Events delivered, and those that wait for the next delivery.
    events: Vec<TouchEvent>,
    pending: Vec<TouchEvent>,
    proximity: Proximity,
    ties: Ties,
    /// Bodies whose contacts changed since [`ContactGraph::begin_step`].
    changed: BitSet,
    /// Edges added or removed so far.
    edge_changes: u64,
    /// Links begun or lost so far, and changes of their number of points.
    link_changes: u64,
    point_changes: u64,
}

drystone_math::carried!(ContactGraph {
    part: [edges, links, linked, free, heads, islands, events, pending, proximity, ties, changed],
    table: [by_pair],
    value: [edge_changes, link_changes, point_changes],
});

impl ContactGraph {
    /// Starts a step: forgets the changes of the last one.
    pub fn begin_step(&mut self) {
        self.changed.clear();
    }

    /// Makes a node for a body. Must be called once for every body before an edge names it.
    pub fn add_body(&mut self, bodies: &Bodies, body: BodyIndex) {
        if self.heads.len() < bodies.capacity() {
            self.heads.resize(bodies.capacity(), Heads::NONE);
            self.changed.resize(bodies.capacity() as u32);
        }
        self.islands.add_body(body, bodies.capacity(), bodies.hot(body).is_dynamic());
    }

    /// Removes the node of a body with all its edges; `neighbour` is called for every body that had a
    /// linked edge with it (S1-40: sleepers among them must wake). Touches end.
    pub fn remove_body(&mut self, bodies: &Bodies, body: BodyIndex, mut neighbour: impl FnMut(BodyIndex)) {
        let any_edge = |graph: &Self| graph.edges_of(body).next();
        while let Some(index) = any_edge(self) {
            let edge = &self.edges[index.get()];
            if edge.is_linked() {
                neighbour(edge.other(body));
            }
            self.remove_edge(bodies, index);
        }
        self.islands.remove_body(body);
    }

    /// Adds the edge of two colliders whose boxes came near. Returns the existing edge when there is one.
    ///
    /// # Errors
    /// [`ContactError::Full`] when the index width is exhausted.
    pub fn add_edge(
        &mut self,
        colliders: [ColliderHandle; 2],
        bodies: &Bodies,
        ends: [BodyIndex; 2],
        material: PairMaterial,
    ) -> Result<EdgeIndex, ContactError> {
        self.add_owned_edge(colliders, bodies, ends, ends, material)
    }

    /// The same where the colliders were added to other bodies (`owners`) than move them (`ends`): members of composites.
    ///
    /// # Errors
    /// [`ContactError::Full`] when the index width is exhausted.
    pub fn add_owned_edge(
        &mut self,
        colliders: [ColliderHandle; 2],
        bodies: &Bodies,
        ends: [BodyIndex; 2],
        owners: [BodyIndex; 2],
        material: PairMaterial,
    ) -> Result<EdgeIndex, ContactError> {
        let key = (colliders[0].index, colliders[1].index);
        debug_assert!(key.0 < key.1, "pairs are ordered by collider index, got {key:?}");
        if let Some(&existing) = self.by_pair.get(&key) {
            return Ok(existing);
        }
        let is_internal = ends.iter().all(|&e| bodies.hot(e).is_dynamic());
        let edge = Edge::new(colliders, owners, Manifold::new(ends[0], ends[1], material), is_internal);
        let index = self.put(edge)?;
        self.by_pair.insert(key, index);
        self.note_proximity(bodies, index, TouchPhase::Begin);
        Ok(index)
    }

    /// Adds an edge for another manifold of two colliders, beside their first edge: shapes that touch in several directions have one
    /// per direction. It is no pair of its own: [`ContactGraph::find`] does not find it, and the touch of the two is told by the
    /// first edge, until none of their edges has points. It must be removed with the first.
    ///
    /// # Errors
    /// [`ContactError::Full`] when the index width is exhausted.
    pub fn add_further_edge(&mut self, first: EdgeIndex) -> Result<EdgeIndex, ContactError> {
        let edge = &self.edges[first.get()];
        let (old, [a, b]) = (&edge.manifold, [edge.body(0), edge.body(1)]);
        let mut manifold = Manifold::new(a, b, old.material);
        manifold.surface_velocity = old.surface_velocity;
        let mut further = Edge::new(edge.colliders, edge.owners, manifold, edge.is_internal);
        further.role = Role::Further;
        self.put(further)
    }

    /// Puts an edge into a free slot and the lists of its bodies.
    #[inline]
    fn put(&mut self, edge: Edge) -> Result<EdgeIndex, ContactError> {
        let link = Link::new([edge.body(0), edge.body(1)], edge.is_internal);
        let index = if let Some(free) = self.free.pop() {
            (self.edges[free as usize], self.links[free as usize]) = (edge, link);
            EdgeIndex(free)
        } else {
            let next = u32::try_from(self.edges.len()).ok().filter(|&i| i < u32::MAX / 2);
            let next = next.ok_or(ContactError::Full("edges"))?;
            self.edges.push(edge);
            self.links.push(link);
            if (self.linked.len() as usize) < self.edges.len() {
                self.linked.resize(self.edges.capacity() as u32);
            }
            // Room for all of them to be removed, whenever that is.
            self.free.reserve(self.edges.capacity() - self.free.len());
            // Twice the room that edges have: what removals left behind is then cleared in place.
            self.by_pair.reserve(2 * self.edges.capacity() - self.by_pair.len());
            EdgeIndex(next)
        };
        self.edge_changes += 1;
        self.attach(index, 0);
        self.attach(index, 1);
        Ok(index)
    }

    /// Removes an edge; a touch ends, a lost link marks its island.
    pub fn remove_edge(&mut self, bodies: &Bodies, index: EdgeIndex) {
        if !self.edges[index.get()].is_in_use() {
            return;
        }
        if self.edges[index.get()].is_tie() {
            self.untie(index);
        }
        self.edges[index.get()].manifold.clear();
        self.relink(bodies, index);
        let is_first = self.edges[index.get()].role == Role::First;
        if is_first {
            self.end_touch(bodies, index);
            self.note_proximity(bodies, index, TouchPhase::End);
        }
        self.detach(index, 0);
        self.detach(index, 1);
        let edge = &mut self.edges[index.get()];
        let key = (edge.colliders[0].index, edge.colliders[1].index);
        edge.retire();
        self.edge_changes += 1;
        if is_first {
            self.by_pair.remove(&key);
        }
        self.free.push(index.0);
    }

    /// Gives an edge the manifold of this step; points whose feature persists keep their history
    /// ([`Manifold::keep_history`]). Links and islands follow.
    pub fn set_manifold(&mut self, bodies: &Bodies, index: EdgeIndex, manifold: &Manifold) {
        let edge = &mut self.edges[index.get()];
        let old = std::mem::replace(&mut edge.manifold, *manifold);
        edge.manifold.keep_history(&old);
        self.relink(bodies, index);
    }

    /// Links and islands follow a manifold whose points were renewed in place ([`Manifold::renew`] by
    /// [`ContactGraph::edges_mut`]).
    pub fn relink(&mut self, bodies: &Bodies, index: EdgeIndex) {
        let edge = &self.edges[index.get()];
        // A tie is there as long as its edge.
        let now = edge.manifold.points().len() as u32 + u32::from(edge.is_tie());
        let Link { bodies: [a, b], point_count: before, is_internal, .. } = self.links[index.get()];
        if before > 0 || now > 0 {
            self.changed.insert(a.0);
            self.changed.insert(b.0);
        }
        if before == now {
            return;
        }
        self.point_changes += 1;
        if before == 0 || now == 0 {
            self.link_changes += 1;
            self.detach(index, 0);
            self.detach(index, 1);
        }
        self.links[index.get()].point_count = now;
        if before == 0 || now == 0 {
            self.attach(index, 0);
            self.attach(index, 1);
            if now == 0 {
                self.linked.remove(index.0);
            } else {
                self.linked.insert(index.0);
            }
        }
        if before == 0 {
            self.islands.link(a, b, is_internal);
        }
        self.islands.count_points(a, b, before, now);
        if now == 0 {
            self.islands.unlink(a, b, is_internal);
        }
        if before == 0 || now == 0 {
            self.follow_link(bodies, index, now > 0);
        }
    }

    /// [`ContactGraph::relink`] for a linked edge that has as many points as before, without a look at them.
    #[inline]
    pub fn note_renewed(&mut self, index: EdgeIndex) {
        let link = &self.links[index.get()];
        debug_assert_eq!(
            link.point_count,
            self.edges[index.get()].manifold.points().len() as u32,
            "as before"
        );
        link.bodies.iter().for_each(|body| self.changed.insert(body.0));
    }

    /// [`ContactGraph::relink`] for these in order, which reads what lies all over memory and what another thread may have written: it is
    /// fetched meanwhile for those ahead.
    pub fn relink_all(&mut self, bodies: &Bodies, edges: impl Iterator<Item = EdgeIndex> + Clone) {
        let (mut near, mut far) = (edges.clone(), edges.clone());
        far.by_ref().take(RELINK_AHEAD[1]).for_each(|edge| self.expect(edge));
        near.by_ref().take(RELINK_AHEAD[0]).for_each(|edge| self.expect_around(edge));
        for edge in edges {
            far.by_ref().take(1).for_each(|next| self.expect(next));
            near.by_ref().take(1).for_each(|next| self.expect_around(next));
            self.relink(bodies, edge);
        }
    }

    /// Fetches what tells whether an edge is linked, and whether it was.
    #[inline]
    fn expect(&self, index: EdgeIndex) {
        self.edges[index.get()].expect();
        prefetch(&self.links[index.get()]);
    }

    /// Fetches what changes with the link of an edge.
    #[inline]
    fn expect_around(&self, index: EdgeIndex) {
        let link = &self.links[index.get()];
        for body in link.bodies {
            prefetch(&self.heads[body.get()]);
            self.islands.expect(body);
        }
        for end in link.next.into_iter().chain(link.previous).filter(|&end| end != NONE) {
            prefetch(&self.links[end.edge().get()]);
        }
    }

    /// Counts the edges added and removed: while it stays, every body has the edges it had.
    #[inline]
    pub fn edge_changes(&self) -> u64 {
        self.edge_changes
    }

    /// Counts the links begun and lost, and the changes of the number of points of a link. While the first
    /// stays, islands have the bodies and links they had.
    #[inline]
    pub fn link_changes(&self) -> (u64, u64) {
        (self.link_changes, self.point_changes)
    }

    /// The edge of two colliders, in any order.
    pub fn find(&self, a: ColliderHandle, b: ColliderHandle) -> Option<EdgeIndex> {
        let key = (a.index.min(b.index), a.index.max(b.index));
        let found = self.by_pair.get(&key).copied()?;
        let colliders = self.edges[found.get()].colliders;
        (colliders == [a, b] || colliders == [b, a]).then_some(found)
    }

    /// The edge of two collider slots, the smaller first.
    pub fn find_slots(&self, a: u32, b: u32) -> Option<EdgeIndex> {
        self.by_pair.get(&(a, b)).copied()
    }

    /// An edge.
    #[inline]
    pub fn edge(&self, index: EdgeIndex) -> &Edge {
        &self.edges[index.get()]
    }

    /// These edges in their order, for a look at their gaps, which are fetched ahead.
    #[inline]
    pub fn edges_for_gaps<'a>(
        &'a self,
        edges: &'a [EdgeIndex],
    ) -> impl Iterator<Item = (EdgeIndex, &'a Edge)> + 'a {
        let all = self.edges();
        edges.iter().enumerate().map(move |(k, &index)| {
            if let Some(&next) = edges.get(k + GAPS_AHEAD) {
                all[next.get()].manifold.expect_gaps();
            }
            (index, &all[index.get()])
        })
    }

    /// All edge slots; free ones are not [`Edge::is_in_use`].
    #[inline]
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// All edge slots, for stages that change distances, arms and impulses. The bodies of a manifold are the
    /// graph's; who changes the number of points calls [`ContactGraph::relink`] before the next stage.
    #[inline]
    pub fn edges_mut(&mut self) -> &mut [Edge] {
        &mut self.edges
    }

    /// Edges in use, ascending.
    pub fn edge_indices(&self) -> impl Iterator<Item = EdgeIndex> + '_ {
        self.edges.iter().enumerate().filter(|(_, e)| e.is_in_use()).map(|(i, _)| EdgeIndex(i as u32))
    }

    /// Number of edges.
    pub fn edge_count(&self) -> usize {
        self.edges.len() - self.free.len()
    }

    /// Edges of a body: the linked ones, newest link first, then those that are only near.
    #[inline]
    pub fn edges_of(&self, body: BodyIndex) -> impl Iterator<Item = EdgeIndex> + '_ {
        let near = self.heads.get(body.get()).map_or(NONE, |heads| heads.near);
        self.linked_edges_of(body).chain(list_from(&self.links, near).map(EdgeEnd::edge))
    }

    /// Edges of a body whose link the graph knows of ([`ContactGraph::relink`]), newest link first.
    #[inline]
    pub fn linked_edges_of(&self, body: BodyIndex) -> impl Iterator<Item = EdgeIndex> + '_ {
        self.links_of(body).map(|(end, _)| end.edge())
    }

    /// The same with the bodies at their other ends; of no edge more is read than that.
    #[inline]
    pub fn linked_neighbours(&self, body: BodyIndex) -> impl Iterator<Item = (EdgeIndex, BodyIndex)> + '_ {
        self.links_of(body).map(|(end, link)| (end.edge(), link.bodies[1 - end.side()]))
    }

    /// Calls `update` for the linked edges of a body, with their colliders: for what an edge has of its colliders, as
    /// [`Manifold::surface_velocity`], where it changes from step to step. Ties, which have none, are left out.
    pub fn update_linked(
        &mut self,
        body: BodyIndex,
        mut update: impl FnMut([ColliderHandle; 2], &mut Manifold),
    ) {
        let first = self.heads.get(body.get()).map_or(NONE, |heads| heads.linked);
        for end in list_from(&self.links, first) {
            let edge = &mut self.edges[end.edge().get()];
            if !edge.is_tie() {
                update(edge.colliders, &mut edge.manifold);
            }
        }
    }

    /// The same for all edges of a body, those that are only near included: for what is told once, and must hold when they link.
    pub fn update_edges(
        &mut self,
        body: BodyIndex,
        mut update: impl FnMut([ColliderHandle; 2], &mut Manifold),
    ) {
        self.update_linked(body, &mut update);
        let near = self.heads.get(body.get()).map_or(NONE, |heads| heads.near);
        for end in list_from(&self.links, near) {
            // A tie is linked as long as there is one.
            let edge = &mut self.edges[end.edge().get()];
            update(edge.colliders, &mut edge.manifold);
        }
    }

    /// Linked edges of a body, with what the graph knows of them.
    #[inline]
    pub(crate) fn links_of(&self, body: BodyIndex) -> impl Iterator<Item = (EdgeEnd, &Link)> + '_ {
        let first = self.heads.get(body.get()).map_or(NONE, |heads| heads.linked);
        list_from(&self.links, first).map(|end| (end, &self.links[end.edge().get()]))
    }

    /// What walks over the graph read of all edges.
    #[inline]
    pub(crate) fn links(&self) -> &[Link] {
        &self.links
    }

    /// Edges that are linked, as far as the graph knows of them ([`ContactGraph::relink`]); there may be room for more than there are edges.
    #[inline]
    pub(crate) fn linked(&self) -> &BitSet {
        &self.linked
    }

    /// The island of every body, by its index; [`NO_ISLAND`] for what cannot move.
    #[inline]
    pub(crate) fn island_of_bodies(&self) -> &[IslandIndex] {
        self.islands.of_bodies()
    }

    /// Islands have indices below it.
    #[inline]
    pub(crate) fn island_slots(&self) -> usize {
        self.islands.slots()
    }

    /// Counts a body among those whose contacts changed: nobody has looked at it yet.
    pub fn mark_changed(&mut self, body: BodyIndex) {
        self.changed.insert(body.0);
    }

    /// Bodies whose contacts changed since [`ContactGraph::begin_step`].
    pub fn changed_bodies(&self) -> &BitSet {
        &self.changed
    }

    /// Splits the islands that lost links.
    pub fn update_islands(&mut self) {
        self.islands.update(&self.links, &self.heads);
    }

    /// Island of a body; [`NO_ISLAND`] for what cannot move.
    #[inline]
    pub fn island_of(&self, body: BodyIndex) -> IslandIndex {
        self.islands.island_of(body)
    }

    /// Facts of an island.
    pub fn island(&self, island: IslandIndex) -> Option<&Island> {
        self.islands.get(island)
    }

    /// Bodies of an island, in no particular but a reproducible order.
    pub fn bodies_of(&self, island: IslandIndex) -> impl Iterator<Item = BodyIndex> + '_ {
        self.islands.bodies_of(island)
    }

    /// Number of islands, bodies without contacts included.
    pub fn island_count(&self) -> usize {
        self.islands.count()
    }

    /// Steps from what cannot move, over linked edges and from link to link of a multibody: 1 for what rests on it; [`NO_LEVEL`] when nothing
    /// of the island touches anything fixed. Levels are found when somebody asks for the first one after a link changed: O(links), with memory of
    /// its own.
    pub fn level(&self, body: BodyIndex) -> u32 {
        self.islands.level(body, &self.links, &self.heads)
    }

    /// Puts the edge's end into the list of its body that it belongs to.
    fn attach(&mut self, index: EdgeIndex, side: usize) {
        let end = EdgeEnd::new(index, side);
        let link = &mut self.links[index.get()];
        let heads = &mut self.heads[link.bodies[side].get()];
        let first = if link.point_count > 0 { &mut heads.linked } else { &mut heads.near };
        let next = std::mem::replace(first, end);
        (link.next[side], link.previous[side]) = (next, NONE);
        if next != NONE {
            self.links[next.edge().get()].previous[next.side()] = end;
        }
    }

    /// Takes the edge's end out of that list.
    fn detach(&mut self, index: EdgeIndex, side: usize) {
        let link = self.links[index.get()];
        let (next, previous) = (link.next[side], link.previous[side]);
        if previous == NONE {
            let heads = &mut self.heads[link.bodies[side].get()];
            let first = if link.point_count > 0 { &mut heads.linked } else { &mut heads.near };
            *first = next;
        } else {
            self.links[previous.edge().get()].next[previous.side()] = next;
        }
        if next != NONE {
            self.links[next.edge().get()].previous[next.side()] = previous;
        }
    }
}
