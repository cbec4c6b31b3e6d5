//! Islands: connected components of movable bodies, maintained as links come and go.
//!
//! A link that begins merges the smaller island into the larger one. When a link ends, a search from both of its
//! bodies at once tells whether they are still connected: most are, over a few links; an end that runs out of links
//! has found a part that came off. Only where the searches of an update become dearer than that is the island searched
//! as a whole.
//!
//! Links of a multibody are connected whether they touch or not (the structural edges of S3, Figs 7 and 8).

use super::edge::{Heads, Link};
use super::levels::Levels;
use super::search::{Facts, Path, Search, Ways};
use crate::BodyIndex;
use drystone_math::prefetch;

/// Index of an island; stable while the island neither merges into a larger one nor splits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IslandIndex(pub u32);

impl IslandIndex {
    fn get(self) -> usize {
        self.0 as usize
    }
}

/// Island of a body that cannot move.
pub const NO_ISLAND: IslandIndex = IslandIndex(u32::MAX);
/// Level of a body whose island touches nothing fixed.
pub const NO_LEVEL: u32 = u32::MAX;

/// Facts of one island.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Island {
    /// One of its bodies.
    pub first: BodyIndex,
    /// Number of bodies.
    pub body_count: u32,
    /// Linked edges of its bodies, those to fixed bodies included.
    pub edge_count: u32,
    /// Contact points of these edges.
    pub point_count: u32,
    /// It may have come apart, and must be searched as a whole.
    is_doubtful: bool,
    in_use: bool,
}

/// All islands: a label and a ring of members per island.
#[derive(Clone, Debug, Default)]
pub(super) struct Islands {
    list: Vec<Island>,
    free: Vec<u32>,
    label: Vec<IslandIndex>,
    /// Next and previous member of the same island; a ring.
    ring: Vec<[u32; 2]>,
    /// Next link of the same multibody; a ring, and the body itself for all others.
    structure: Vec<u32>,
    levels: Levels,
    /// Islands with `is_doubtful`, unsorted.
    doubtful: Vec<u32>,
    /// Bodies that lost a link between them.
    parted: Vec<[BodyIndex; 2]>,
    search: Search,
    members: Vec<u32>,
}

drystone_math::carried!(Islands {
    part: [list, free, label, ring, structure, levels, doubtful, parted, search],
    scratch: [members],
});

/// Pairs parted in one update that are looked at; the islands of further ones are searched as a whole.
const MANY_PARTED: usize = 1024;
/// Bodies that the search between a parted pair may ask in any case. Beyond it the searches of one update may ask as many bodies, all together,
/// as the island has: what searching it as a whole costs.
const PATH_BOUND: usize = 64;
/// Parted pairs between asking for what a search reads first and the search.
const CHECK_AHEAD: usize = 3;

/// Places in an entry of [`Islands::ring`].
const NEXT: usize = 0;
const PREVIOUS: usize = 1;

impl Islands {
    pub(super) fn add_body(&mut self, body: BodyIndex, capacity: usize, is_dynamic: bool) {
        if self.label.len() < capacity {
            self.label.resize(capacity, NO_ISLAND);
            self.ring.resize(capacity, [0; 2]);
            self.structure.resize(capacity, 0);
            // What a step may need at most, so that it never asks for memory.
            for list in [&mut self.members, &mut self.free] {
                list.reserve(capacity - list.len());
            }
            self.doubtful.reserve(2 * capacity - self.doubtful.len().min(capacity));
            self.parted.reserve(MANY_PARTED - self.parted.len());
            self.search.reserve(capacity);
        }
        self.ring[body.get()] = [body.0; 2];
        self.structure[body.get()] = body.0;
        self.levels.forget();
        self.label[body.get()] = if is_dynamic { self.new_island(body, 1) } else { NO_ISLAND };
    }

    /// Takes a body without links out of its island.
    pub(super) fn remove_body(&mut self, body: BodyIndex) {
        let island = self.label[body.get()];
        self.leave_structure(body);
        self.label[body.get()] = NO_ISLAND;
        if island == NO_ISLAND {
            return;
        }
        let record = &mut self.list[island.get()];
        record.body_count -= 1;
        if record.body_count == 0 {
            record.in_use = false;
            self.free.push(island.0);
            return;
        }
        record.first = BodyIndex(self.ring[body.get()][NEXT]);
        self.take_out(body);
        // What it held together may fall apart, and its index may be another body's before the next update.
        self.doubt(island);
    }

    pub(super) fn link(&mut self, a: BodyIndex, b: BodyIndex, is_internal: bool) {
        let [keep, give] = [a, b].map(|body| self.label[body.get()]);
        let island = match (is_internal, keep == NO_ISLAND) {
            (true, _) => self.unite(keep, give),
            (false, true) => give,
            (false, false) => keep,
        };
        if island != NO_ISLAND {
            self.list[island.get()].edge_count += 1;
        }
        self.levels.forget();
    }

    /// Makes movable bodies one island whatever they touch.
    pub(super) fn join(&mut self, bodies: &[BodyIndex]) {
        for (&body, &next) in bodies.iter().zip(bodies.iter().cycle().skip(1)) {
            self.structure[body.get()] = next.0;
            let islands = [body, next].map(|body| self.label[body.get()]);
            self.unite(islands[0], islands[1]);
        }
        self.levels.forget();
    }

    /// Undoes [`Islands::join`] for one of the bodies.
    pub(super) fn part(&mut self, body: BodyIndex) {
        self.leave_structure(body);
        self.doubt(self.label[body.get()]);
    }

    fn leave_structure(&mut self, body: BodyIndex) {
        self.levels.forget();
        let next = std::mem::replace(&mut self.structure[body.get()], body.0);
        let mut at = next;
        while self.structure[at as usize] != body.0 {
            at = self.structure[at as usize];
        }
        self.structure[at as usize] = next;
        self.structure[body.get()] = body.0;
    }

    /// Makes one island of two, which may be the same.
    fn unite(&mut self, mut keep: IslandIndex, mut give: IslandIndex) -> IslandIndex {
        if keep != give {
            let size = |g: IslandIndex| self.list[g.get()].body_count;
            if size(give) > size(keep) || (size(give) == size(keep) && give < keep) {
                std::mem::swap(&mut keep, &mut give);
            }
            self.merge(keep, give);
        }
        keep
    }

    pub(super) fn unlink(&mut self, a: BodyIndex, b: BodyIndex, is_internal: bool) {
        let (ga, gb) = (self.label[a.get()], self.label[b.get()]);
        let island = if ga == NO_ISLAND { gb } else { ga };
        if island != NO_ISLAND {
            self.list[island.get()].edge_count -= 1;
            if is_internal && self.parted.len() == MANY_PARTED {
                self.doubt(island);
            }
        }
        self.levels.forget();
        if is_internal && self.parted.len() < MANY_PARTED {
            self.parted.push([a, b]);
        }
    }

    /// The number of points of an edge changed. Comes after `link` and before `unlink`.
    pub(super) fn count_points(&mut self, a: BodyIndex, b: BodyIndex, before: u32, now: u32) {
        let (ga, gb) = (self.label[a.get()], self.label[b.get()]);
        let island = if ga == NO_ISLAND { gb } else { ga };
        if island != NO_ISLAND {
            let count = &mut self.list[island.get()].point_count;
            *count = *count + now - before;
        }
    }

    /// Fetches the island of a body.
    #[inline]
    pub(super) fn expect(&self, body: BodyIndex) {
        prefetch(&self.label[body.get()]);
    }

    pub(super) fn island_of(&self, body: BodyIndex) -> IslandIndex {
        self.label.get(body.get()).copied().unwrap_or(NO_ISLAND)
    }

    pub(super) fn of_bodies(&self) -> &[IslandIndex] {
        &self.label
    }

    pub(super) fn slots(&self) -> usize {
        self.list.len()
    }

    pub(super) fn get(&self, island: IslandIndex) -> Option<&Island> {
        self.list.get(island.get()).filter(|g| g.in_use)
    }

    pub(super) fn count(&self) -> usize {
        self.list.len() - self.free.len()
    }

    /// Level of a body over these links.
    pub(super) fn level(&self, body: BodyIndex, links: &[Link], heads: &[Heads]) -> u32 {
        let levels = self.levels.get(links, heads, &self.label, &self.structure);
        levels.get(body.get()).copied().unwrap_or(NO_LEVEL)
    }

    pub(super) fn bodies_of(&self, island: IslandIndex) -> impl Iterator<Item = BodyIndex> + '_ {
        let record = self.get(island);
        let mut next = record.map_or(0, |g| g.first.0);
        (0..record.map_or(0, |g| g.body_count)).map(move |_| {
            let current = next;
            next = self.ring[current as usize][NEXT];
            BodyIndex(current)
        })
    }

    /// Splits the islands that came apart.
    pub(super) fn update(&mut self, links: &[Link], heads: &[Heads]) {
        let mut asked = 0;
        for at in 0..self.parted.len() {
            if let Some(next) = self.parted.get(at + CHECK_AHEAD) {
                let ways = Ways { links, heads, structure: &self.structure };
                next.iter().for_each(|&body| ways.expect_links(body));
            }
            asked += self.check(at, asked, links, heads);
        }
        self.parted.clear();
        self.doubtful.sort_unstable();
        for i in 0..self.doubtful.len() {
            let island = IslandIndex(self.doubtful[i]);
            let record = &mut self.list[island.get()];
            if record.in_use && std::mem::take(&mut record.is_doubtful) {
                self.split(island, links, heads);
            }
        }
        self.doubtful.clear();
    }

    /// Looks at two bodies that lost a link between them, after so many bodies were asked for others: what came off becomes an island of its
    /// own. Returns how many were asked for these.
    ///
    /// An island stays connected when every pair parted in it still is.
    fn check(&mut self, at: usize, asked: usize, links: &[Link], heads: &[Heads]) -> usize {
        let [a, b] = self.parted[at];
        let island = self.label[a.get()];
        // A removed body has left its island in doubt, and another body may have its index.
        if a == b
            || island == NO_ISLAND
            || self.label[b.get()] != island
            || self.list[island.get()].is_doubtful
        {
            return 0;
        }
        let bound = PATH_BOUND.max((self.list[island.get()].body_count as usize).saturating_sub(asked));
        match self.search.path([a, b], bound, &Ways { links, heads, structure: &self.structure }) {
            Path::Found => {}
            Path::Apart(side) => self.carve(island, at, side, [b, a][side]),
            Path::Unknown => self.doubt(island),
        }
        self.search.asked()
    }

    /// Makes an island of the bodies that the search found at this end; `rest` stays, and stands in for what came off in the
    /// pairs yet to be looked at: what was connected over bodies that came off must now be connected to it.
    fn carve(&mut self, island: IslandIndex, at: usize, side: usize, rest: BodyIndex) {
        let (facts, found) = (self.search.facts(side), self.search.take(side));
        for &body in &found {
            self.take_out(BodyIndex(body));
        }
        let record = &mut self.list[island.get()];
        record.first = rest;
        record.body_count -= found.len() as u32;
        record.edge_count -= facts.edge_count;
        record.point_count -= facts.point_count;
        let part = self.adopt(None, &found, facts);
        for body in self.parted[at + 1..].iter_mut().flatten() {
            if self.label[body.get()] == part {
                *body = rest;
            }
        }
        self.search.give_back(side, found);
    }

    /// Makes `bodies` (in no ring) with what they add up to the members of `island`, or of a new one.
    fn adopt(&mut self, island: Option<IslandIndex>, bodies: &[u32], facts: Facts) -> IslandIndex {
        let island = island.unwrap_or_else(|| self.new_island(BodyIndex(bodies[0]), 0));
        let last = bodies.len() - 1;
        for (k, &body) in bodies.iter().enumerate() {
            self.label[body as usize] = island;
            let next = if k == last { 0 } else { k + 1 };
            let previous = if k == 0 { last } else { k - 1 };
            self.ring[body as usize] = [bodies[next], bodies[previous]];
        }
        let record = &mut self.list[island.get()];
        (record.first, record.body_count) = (BodyIndex(bodies[0]), bodies.len() as u32);
        (record.edge_count, record.point_count) = (facts.edge_count, facts.point_count);
        island
    }

    /// Takes a body out of its ring.
    fn take_out(&mut self, body: BodyIndex) {
        let [next, previous] = self.ring[body.get()];
        self.ring[previous as usize][NEXT] = next;
        self.ring[next as usize][PREVIOUS] = previous;
    }

    fn new_island(&mut self, first: BodyIndex, body_count: u32) -> IslandIndex {
        let record =
            Island { first, body_count, edge_count: 0, point_count: 0, is_doubtful: false, in_use: true };
        if let Some(free) = self.free.pop() {
            // A freed island may still be marked; the fresh record's flags say what is to be done.
            self.list[free as usize] = record;
            return IslandIndex(free);
        }
        self.list.push(record);
        // Room for all of them to be freed, whenever that is.
        self.free.reserve(self.list.capacity() - self.free.len());
        IslandIndex(self.list.len() as u32 - 1)
    }

    /// The island may have come apart: the next update searches it as a whole.
    fn doubt(&mut self, island: IslandIndex) {
        if !std::mem::replace(&mut self.list[island.get()].is_doubtful, true) {
            self.doubtful.push(island.0);
        }
    }

    /// Relabels the smaller island's members and joins the rings.
    fn merge(&mut self, keep: IslandIndex, give: IslandIndex) {
        let from = self.list[give.get()];
        let mut at = from.first.get();
        for _ in 0..from.body_count {
            self.label[at] = keep;
            at = self.ring[at][NEXT] as usize;
        }
        // ... last -> first ... of both rings become one.
        let [first, other] = [self.list[keep.get()].first.0, from.first.0];
        let [last, other_last] = [first, other].map(|body| self.ring[body as usize][PREVIOUS]);
        for [body, next] in [[last, other], [other_last, first]] {
            self.ring[body as usize][NEXT] = next;
            self.ring[next as usize][PREVIOUS] = body;
        }
        self.list[give.get()].in_use = false;
        self.free.push(give.0);
        let into = &mut self.list[keep.get()];
        into.body_count += from.body_count;
        into.edge_count += from.edge_count;
        into.point_count += from.point_count;
        if from.is_doubtful {
            self.doubt(keep);
        }
    }

    /// Searches an island as a whole: the first component keeps it, the others get islands of their own.
    fn split(&mut self, island: IslandIndex, links: &[Link], heads: &[Heads]) {
        let mut members = std::mem::take(&mut self.members);
        members.extend(self.bodies_of(island).map(|body| body.0));
        // Members leave the island until a search finds them again.
        for &member in &members {
            self.label[member as usize] = NO_ISLAND;
        }
        let mut target = Some(island);
        for &member in &members {
            if self.label[member as usize] == NO_ISLAND {
                self.search.component(BodyIndex(member), &Ways { links, heads, structure: &self.structure });
                let (facts, found) = (self.search.facts(0), self.search.take(0));
                self.adopt(target.take(), &found, facts);
                self.search.give_back(0, found);
            }
        }
        members.clear();
        self.members = members;
    }
}
