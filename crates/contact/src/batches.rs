//! Batches: islands with something awake in them, cut into work for the workers (S1-27, S1-72).

use crate::{Bodies, BodyIndex, ContactGraph, EdgeIndex, IslandIndex, NO_ISLAND};
use drystone_exec::{Exec, chunks, chunks_mut, items_mut};
use drystone_math::{BitSet, indices};

/// One batch: an island of bodies connected by contacts, independent of all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Batch {
    first_body: u32,
    body_count: u32,
    first_edge: u32,
    edge_count: u32,
    island: IslandIndex,
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
    /// Of each island, and of no island; [`NOWHERE`] but while batches are made.
    next: Vec<Next>,
    linked: Linked,
    /// What the batches were made from: see [`Batches::update`].
    made_from: Option<Source>,
    awake: BitSet,
    marks: BitSet,
    is_joined: bool,
    /// Bodies that are in a part: see [`Batches::split_at_sleepers`].
    taken: BitSet,
}

drystone_math::carried!(Batches {
    part: [list, bodies, edges, awake, marks, taken],
    value: [large_count, made_from, is_joined],
    scratch: [next, linked],
});

/// State of the graph that batches were made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Source {
    link_changes: u64,
    point_changes: u64,
    small_cut: u32,
}

/// Where the next body and the next edge of an island go, while batches are made.
type Next = [u32; 2];
/// Of an island without a batch: behind all lists.
const NOWHERE: Next = [u32::MAX; 2];

/// The linked edges of all islands, while several threads look for them.
#[derive(Clone, Debug, Default)]
struct Linked {
    /// Each with its island, ascending; those of each chunk of edges at the start of a chunk.
    list: Vec<(EdgeIndex, IslandIndex)>,
    /// How many of each chunk.
    counts: Vec<u32>,
}

impl Linked {
    /// Words of the set of what is linked that are looked at in one part: some microseconds.
    const WORDS: usize = 32;
    /// Edges in these.
    const CHUNK: usize = 64 * Self::WORDS;

    fn reserve(&mut self, edge_count: usize) {
        let edge_count = edge_count.next_multiple_of(64);
        self.list.reserve(edge_count.saturating_sub(self.list.len()));
        self.counts.reserve(edge_count.div_ceil(Self::CHUNK).saturating_sub(self.counts.len()));
    }

    fn find(&mut self, graph: &ContactGraph, exec: &Exec) {
        let words = words_of_links(graph);
        self.list.resize(64 * words.len(), (EdgeIndex(0), NO_ISLAND));
        self.counts.resize(words.len().div_ceil(Self::WORDS), 0);
        let parts = (
            chunks(words, Self::WORDS),
            chunks_mut(&mut self.list, Self::CHUNK),
            items_mut(&mut self.counts),
        );
        exec.for_each_dynamic(parts, |part, (words, list, counted)| {
            let mut count = 0;
            linked_in(words, (part * Self::CHUNK) as u32, graph).for_each(|found| {
                list[count] = found;
                count += 1;
            });
            *counted = count as u32;
        });
    }

    fn iter(&self) -> impl Iterator<Item = &(EdgeIndex, IslandIndex)> {
        self.list.chunks(Self::CHUNK).zip(&self.counts).flat_map(|(chunk, &count)| &chunk[..count as usize])
    }
}

/// The set of what is linked, as far as there are edges.
fn words_of_links(graph: &ContactGraph) -> &[u64] {
    let words = graph.linked().words();
    &words[..graph.links().len().div_ceil(64).min(words.len())]
}

/// The linked edges in some words of that set, the first of which tells of edge `first`, with their islands.
fn linked_in(
    words: &[u64],
    first: u32,
    graph: &ContactGraph,
) -> impl Iterator<Item = (EdgeIndex, IslandIndex)> {
    let (links, islands) = (graph.links(), graph.island_of_bodies());
    indices(words.iter().copied()).map(move |edge| {
        let edge = EdgeIndex(first + edge);
        let [a, b] = links[edge.get()].bodies.map(|body| islands[body.get()]);
        // One of both may be unable to move: no island, which is the largest number.
        (edge, a.min(b))
    })
}

/// With this part of all bodies, or of all edges, those of the batches are found by a look at all of them in order: lists lead all over
/// memory.
const LARGE_SHARE: usize = 8;
/// Lists longer than this are sorted by marking their members in a set.
const LONG_LIST: usize = 256;

impl Batches {
    /// Contact points below which a batch counts as small. S1 shows 8 in its example (S1-95 leaves it
    /// open); 32 keeps the claim of a batch below a hundredth of its work.
    pub const DEFAULT_SMALL_CUT: u32 = 32;

    /// Collects the islands that have an awake body and a contact. Bodies and edges of a batch ascend.
    /// Large batches come first, largest first; small ones follow as they were found (S1-72).
    pub fn rebuild(&mut self, bodies: &Bodies, graph: &ContactGraph, small_cut: u32) {
        self.rebuild_with(bodies, graph, small_cut, &Exec::serial());
    }

    fn rebuild_with(&mut self, bodies: &Bodies, graph: &ContactGraph, small_cut: u32, exec: &Exec) {
        self.remember(bodies, graph, small_cut);
        self.clear(bodies, graph);
        self.next.resize(graph.island_slots() + 1, NOWHERE);
        let (mut ends, mut last) = ([0; 2], NO_ISLAND);
        bodies.view().awake.iter().map(BodyIndex).for_each(|body| {
            let island = graph.island_of(body);
            if island == NO_ISLAND {
                // What is kinematic and moves wakes nothing by itself, but its contacts must be looked at.
                for (end, link) in graph.links_of(body) {
                    self.take_island(graph.island_of(link.bodies[1 - end.side()]), graph, &mut ends);
                }
            } else if island != last {
                self.take_island(island, graph, &mut ends);
                last = island;
            }
        });
        self.fill(graph, ends.map(|end| end as usize), exec);
        for batch in &self.list {
            self.next[batch.island.0 as usize] = NOWHERE;
        }
        if self.is_joined {
            self.join();
        }
        self.sort(small_cut);
    }

    /// Whether all islands make one batch, as if there were no islands: for comparisons (S3-30). Takes effect with the next
    /// [`Batches::rebuild`] or [`Batches::update`].
    pub fn set_joined(&mut self, is_joined: bool) {
        if std::mem::replace(&mut self.is_joined, is_joined) != is_joined {
            self.made_from = None;
        }
    }

    /// Makes these the parts that the batches of `whole` fall into where what sleeps does not connect (S3-25): the awake bodies of
    /// a part, and their linked edges, those to sleepers included. Sleepers are in no part, and edges between them neither. Right for
    /// methods to which a sleeper is immovable, once nothing wakes any more in the step; for these it changes nothing but the order of
    /// sums. O(bodies and links of `whole`).
    pub fn split_at_sleepers(&mut self, whole: &Batches, bodies: &Bodies, graph: &ContactGraph) {
        let small_cut = whole.made_from.map_or(Self::DEFAULT_SMALL_CUT, |source| source.small_cut);
        self.made_from = None;
        self.clear(bodies, graph);
        self.bodies.clear();
        self.edges.clear();
        self.taken.clear();
        self.taken.resize(bodies.capacity() as u32);
        for batch in &whole.list {
            for &body in whole.bodies(batch) {
                if moves(bodies, body) && !self.taken.contains(body.0) {
                    self.take_part_of(body, batch.island, bodies, graph);
                }
            }
        }
        self.sort(small_cut);
    }

    /// As [`Batches::rebuild`], and cheap while links and awake bodies are those of the last call, which must have
    /// been for the same bodies and graph.
    pub fn update(&mut self, bodies: &Bodies, graph: &ContactGraph, small_cut: u32, exec: &Exec) {
        let source = Source::of(graph, small_cut);
        let is_same = self.made_from.is_some_and(|s| s.link_changes == source.link_changes)
            && self.awake == *bodies.view().awake;
        // The points of what is joined are those of many islands.
        if !is_same || (self.is_joined && self.made_from != Some(source)) {
            self.rebuild_with(bodies, graph, small_cut, exec);
        } else if self.made_from != Some(source) {
            self.made_from = Some(source);
            for batch in &mut self.list {
                batch.point_count = graph.island(batch.island).map_or(0, |g| g.point_count);
            }
            self.sort(small_cut);
        }
    }

    /// Forgets all batches, but not yet their bodies and edges, and makes room for as many as there may ever be: the most come later than
    /// any warm-up.
    fn clear(&mut self, bodies: &Bodies, graph: &ContactGraph) {
        self.list.clear();
        self.list.reserve(bodies.capacity());
        self.bodies.reserve((bodies.capacity() + 1).saturating_sub(self.bodies.len()));
        self.edges.reserve((graph.edges().len() + 1).saturating_sub(self.edges.len()));
        self.linked.reserve(graph.edges().len());
        self.next.reserve((bodies.capacity() + 1).saturating_sub(self.next.len()));
    }

    fn remember(&mut self, bodies: &Bodies, graph: &ContactGraph, small_cut: u32) {
        self.made_from = Some(Source::of(graph, small_cut));
        let awake = bodies.view().awake;
        self.awake.copy_from(awake);
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

    /// Makes a batch of an island, with room for its bodies and edges behind these ends.
    #[inline]
    fn take_island(&mut self, island: IslandIndex, graph: &ContactGraph, ends: &mut [u32; 2]) {
        let Some(next) = self.next.get_mut(island.0 as usize).filter(|next| **next == NOWHERE) else {
            return;
        };
        let Some(facts) = graph.island(island).filter(|facts| facts.edge_count > 0) else { return };
        *next = *ends;
        self.list.push(Batch {
            island,
            first_body: ends[0],
            body_count: facts.body_count,
            first_edge: ends[1],
            edge_count: facts.edge_count,
            point_count: facts.point_count,
        });
        *ends = [ends[0] + facts.body_count, ends[1] + facts.edge_count];
    }

    /// Finds the bodies and edges of the batches, so many of each, ascending in each batch.
    fn fill(&mut self, graph: &ContactGraph, [body_count, edge_count]: [usize; 2], exec: &Exec) {
        let Self { list, bodies, edges, next, marks, linked, .. } = self;
        let islands = graph.island_of_bodies();
        if body_count * LARGE_SHARE < islands.len() {
            bodies.clear();
            for batch in list.iter() {
                bodies.extend(graph.bodies_of(batch.island));
                sort_ascending(&mut bodies[batch.first_body as usize..], marks, |b| b.0, BodyIndex);
            }
        } else {
            let mut places = Places::<0, _>::new(bodies, body_count, next);
            (0..).zip(islands).for_each(|(body, &island)| places.put(island, BodyIndex(body)));
            bodies.truncate(body_count);
            debug_assert!(list.iter().all(|b| next[b.island.0 as usize][0] == b.first_body + b.body_count));
        }
        if edge_count * LARGE_SHARE < graph.links().len() {
            edges.clear();
            for batch in list.iter() {
                for &member in &bodies[batch.first_body as usize..][..batch.body_count as usize] {
                    // An edge between two members is taken from its side A.
                    let own =
                        graph.links_of(member).filter(|(end, link)| !link.is_internal || end.side() == 0);
                    edges.extend(own.map(|(end, _)| end.edge()));
                }
                sort_ascending(&mut edges[batch.first_edge as usize..], marks, |e| e.0, EdgeIndex);
            }
        } else {
            let mut places = Places::<1, _>::new(edges, edge_count, next);
            if exec.thread_count() == 1 {
                let all = linked_in(words_of_links(graph), 0, graph);
                all.for_each(|(edge, island)| places.put(island, edge));
            } else {
                linked.find(graph, exec);
                linked.iter().for_each(|&(edge, island)| places.put(island, edge));
            }
            edges.truncate(edge_count);
            debug_assert!(list.iter().all(|b| next[b.island.0 as usize][1] == b.first_edge + b.edge_count));
        }
        debug_assert_eq!((bodies.len(), edges.len()), (body_count, edge_count), "islands count their own");
    }

    /// Makes one batch of all.
    fn join(&mut self) {
        let Some(first) = self.list.first().copied() else { return };
        let point_count = self.list.iter().map(|batch| batch.point_count).sum();
        sort_ascending(&mut self.bodies, &mut self.marks, |b| b.0, BodyIndex);
        sort_ascending(&mut self.edges, &mut self.marks, |e| e.0, EdgeIndex);
        self.list.clear();
        self.close(first.island, [0, 0], point_count);
    }

    /// The part of an awake body: what it reaches over links between awake bodies.
    fn take_part_of(&mut self, body: BodyIndex, island: IslandIndex, bodies: &Bodies, graph: &ContactGraph) {
        let (first_body, first_edge) = (self.bodies.len(), self.edges.len());
        self.taken.insert(body.0);
        self.bodies.push(body);
        let (mut at, mut point_count) = (first_body, 0);
        while let Some(&member) = self.bodies.get(at) {
            at += 1;
            for (end, link) in graph.links_of(member) {
                let other = link.bodies[1 - end.side()];
                let is_shared = moves(bodies, other);
                if is_shared && !self.taken.contains(other.0) {
                    self.taken.insert(other.0);
                    self.bodies.push(other);
                }
                // An edge between two members is taken from its side A.
                if !is_shared || end.side() == 0 {
                    self.edges.push(end.edge());
                    point_count += link.point_count;
                }
            }
        }
        sort_ascending(&mut self.bodies[first_body..], &mut self.marks, |b| b.0, BodyIndex);
        sort_ascending(&mut self.edges[first_edge..], &mut self.marks, |e| e.0, EdgeIndex);
        self.close(island, [first_body, first_edge], point_count);
    }

    /// Makes a batch of the bodies and edges that were added from these places on, ascending.
    fn close(&mut self, island: IslandIndex, [first_body, first_edge]: [usize; 2], point_count: u32) {
        self.list.push(Batch {
            island,
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

impl Source {
    fn of(graph: &ContactGraph, small_cut: u32) -> Self {
        let (link_changes, point_changes) = graph.link_changes();
        Self { link_changes, point_changes, small_cut }
    }
}

/// True for a body that contacts may move in this step.
fn moves(bodies: &Bodies, body: BodyIndex) -> bool {
    bodies.is_awake(body) && bodies.hot(body).is_dynamic()
}

/// Puts each to those of its island; `K` says which of [`Next`] is the place. Without a branch for each: nobody can foresee what belongs to
/// whom.
struct Places<'a, const K: usize, T> {
    list: &'a mut [T],
    count: usize,
    next: &'a mut [Next],
}

impl<'a, const K: usize, T: Copy + Default> Places<'a, K, T> {
    /// Makes `list` one of `count` places.
    fn new(list: &'a mut Vec<T>, count: usize, next: &'a mut [Next]) -> Self {
        // What belongs to nobody goes behind the list.
        list.resize(count + 1, T::default());
        Self { list, count, next }
    }

    #[inline]
    fn put(&mut self, island: IslandIndex, item: T) {
        let none = self.next.len() - 1;
        let next = &mut self.next[(island.0 as usize).min(none)][K];
        let place = (*next as usize).min(self.count);
        self.list[place] = item;
        // Nobody leaves the place behind the list.
        *next += u32::from(place < self.count);
    }
}

/// Sorts indices that are all different; long lists in linear time.
fn sort_ascending<T: Copy + Ord>(
    list: &mut [T],
    marks: &mut BitSet,
    index: impl Fn(&T) -> u32,
    from: impl Fn(u32) -> T,
) {
    if list.len() <= LONG_LIST {
        list.sort_unstable();
        return;
    }
    let end = list.iter().map(&index).max().map_or(0, |last| last + 1);
    marks.clear();
    marks.resize(end.max(marks.len()));
    list.iter().for_each(|item| marks.insert(index(item)));
    list.iter_mut().zip(marks.iter()).for_each(|(item, i)| *item = from(i));
}
