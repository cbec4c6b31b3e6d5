//! The graph against a brute-force reading of the same links: random operations, then components, levels
//! and touches are counted afresh and compared.

use drystone_contact::{
    Batches, Bodies, BodyDesc, BodyHandle, BodyIndex, ColliderHandle, ContactGraph, ContactPoint, EdgeIndex,
    Manifold, NO_ISLAND, NO_LEVEL, PairMaterial, TouchPhase, WakeCause,
};
use drystone_exec::Exec;
use drystone_math::Vector3;
use drystone_math::inertia::MassProperties;
use proptest::prelude::*;
use std::collections::BTreeMap;

#[derive(Clone, Debug)]
enum Op {
    AddBody {
        fixed: bool,
    },
    RemoveBody(usize),
    /// Points 0 removes the edge, 1 leaves it near, 2 links it with a gap, 3 overlaps.
    SetEdge(usize, usize, u8),
    /// Puts a body to sleep or wakes it.
    Turn(usize, bool),
    /// The end of a step: islands and batches follow.
    Update,
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        2 => any::<bool>().prop_map(|b| Op::AddBody { fixed: b }),
        1 => (0..64usize).prop_map(Op::RemoveBody),
        8 => (0..64usize, 0..64usize, 0..4u8).prop_map(|(a, b, s)| Op::SetEdge(a, b, s)),
        1 => (0..64usize, any::<bool>()).prop_map(|(a, b)| Op::Turn(a, b)),
        4 => Just(Op::Update),
    ]
}

#[derive(Default)]
struct Model {
    kept: Batches,
    bodies: Bodies,
    graph: ContactGraph,
    alive: Vec<BodyHandle>,
    begins: BTreeMap<[ColliderHandle; 2], i32>,
}

impl Model {
    /// One collider per body, with the body's own slot and generation.
    fn collider(h: BodyHandle) -> ColliderHandle {
        ColliderHandle { index: h.index, generation: h.generation }
    }

    fn count_events(&mut self) {
        self.graph.deliver_events();
        for e in self.graph.events() {
            *self.begins.entry(e.colliders).or_default() += match e.phase {
                TouchPhase::Begin => 1,
                TouchPhase::Persist => 0,
                TouchPhase::End => -1,
            };
        }
        for (colliders, open) in &self.begins {
            assert!((0..=1).contains(open), "{colliders:?}: {open} touches open");
        }
    }

    fn apply(&mut self, op: &Op) {
        match *op {
            Op::AddBody { fixed } => {
                let desc = if fixed {
                    BodyDesc::fixed()
                } else {
                    BodyDesc::dynamic(MassProperties::sphere(0.1, 1.0), 0.1)
                };
                let h = self.bodies.add(&desc).expect("valid");
                self.graph.add_body(&self.bodies, self.bodies.index(h).expect("alive"));
                self.alive.push(h);
            }
            Op::RemoveBody(i) if !self.alive.is_empty() => {
                let h = self.alive.swap_remove(i % self.alive.len());
                let index = self.bodies.index(h).expect("alive");
                self.graph.remove_body(&self.bodies, index, |_| ());
                self.bodies.remove(h).expect("alive");
            }
            Op::SetEdge(i, j, state) if self.alive.len() > 1 => {
                let (a, b) = (self.alive[i % self.alive.len()], self.alive[j % self.alive.len()]);
                self.set_edge(a.min(b), a.max(b), state);
            }
            Op::Turn(i, is_awake) if !self.alive.is_empty() => {
                let index = self.bodies.index(self.alive[i % self.alive.len()]).expect("alive");
                if is_awake {
                    self.bodies.wake(index, WakeCause::User);
                } else {
                    self.bodies.put_to_sleep(index);
                }
            }
            Op::Update => self.update(),
            _ => {}
        }
    }

    fn update(&mut self) {
        self.graph.begin_step();
        self.graph.update_islands();
        self.kept.update(&self.bodies, &self.graph, 4, &Exec::serial());
        self.count_events();
    }

    fn set_edge(&mut self, a: BodyHandle, b: BodyHandle, state: u8) {
        let ends = [a, b].map(|h| self.bodies.index(h).expect("alive"));
        if a == b || ends.iter().all(|&e| !self.bodies.hot(e).is_dynamic()) {
            return;
        }
        let colliders = [a, b].map(Self::collider);
        if state == 0 {
            if let Some(edge) = self.graph.find(colliders[0], colliders[1]) {
                self.graph.remove_edge(&self.bodies, edge);
            }
            return;
        }
        let edge = self.graph.add_edge(colliders, &self.bodies, ends, PairMaterial::default()).expect("room");
        let mut manifold = Manifold::new(ends[0], ends[1], PairMaterial::default());
        manifold.normal = Vector3::y();
        if state > 1 {
            let distance = if state == 2 { 0.001 } else { -0.001 };
            for feature in 1..u32::from(state) {
                assert!(manifold.push(ContactPoint { distance, feature, ..Default::default() }));
            }
        }
        self.graph.set_manifold(&self.bodies, edge, &manifold);
        self.graph.update_touch(&self.bodies, edge, false);
    }

    fn check(&mut self) {
        let linked: Vec<(BodyIndex, BodyIndex)> = self
            .graph
            .edge_indices()
            .map(|e| &self.graph.edge(e).manifold)
            .filter(|m| !m.points().is_empty())
            .map(|m| (m.body_a, m.body_b))
            .collect();
        let dynamic = |i: BodyIndex| self.bodies.hot(i).is_dynamic();
        // Labels and levels by relaxation to a fixed point: slow, and obviously right.
        let mut label: BTreeMap<BodyIndex, BodyIndex> =
            self.bodies.indices().filter(|&i| dynamic(i)).map(|i| (i, i)).collect();
        let mut level: BTreeMap<BodyIndex, u32> = label.keys().map(|&i| (i, NO_LEVEL)).collect();
        loop {
            let mut changed = false;
            for &(a, b) in &linked {
                match (dynamic(a), dynamic(b)) {
                    (true, true) => {
                        let (la, lb) = (label[&a], label[&b]);
                        changed |= la != lb;
                        label.insert(a, la.min(lb));
                        label.insert(b, la.min(lb));
                        for (x, y) in [(a, b), (b, a)] {
                            let via = level[&y].saturating_add(1);
                            if via < level[&x] {
                                level.insert(x, via);
                                changed = true;
                            }
                        }
                    }
                    (true, false) => changed |= level.insert(a, 1) != Some(1),
                    (false, true) => changed |= level.insert(b, 1) != Some(1),
                    (false, false) => panic!("a fixed-fixed pair entered"),
                }
            }
            if !changed {
                break;
            }
        }
        for (&i, &l) in &label {
            for (&j, &m) in &label {
                let together = self.graph.island_of(i) == self.graph.island_of(j);
                assert_eq!(together, l == m, "bodies {i:?} and {j:?}");
            }
            assert_eq!(self.graph.level(i), level[&i], "level of {i:?}");
            let island = self.graph.island(self.graph.island_of(i)).expect("a dynamic body has an island");
            let members = label.values().filter(|&&m| m == l).count();
            assert_eq!(island.body_count as usize, members);
            assert_eq!(self.graph.bodies_of(self.graph.island_of(i)).count(), members);
            let edges =
                linked.iter().filter(|(a, b)| label.get(a) == Some(&l) || label.get(b) == Some(&l)).count();
            assert_eq!(island.edge_count as usize, edges, "edges of the island of {i:?}");
            let manifolds = self.graph.edge_indices().map(|e| &self.graph.edge(e).manifold);
            let is_inside =
                |m: &&Manifold| [m.body_a, m.body_b].iter().any(|body| label.get(body) == Some(&l));
            let points: usize = manifolds.filter(is_inside).map(|m| m.points().len()).sum();
            assert_eq!(island.point_count as usize, points, "points of the island of {i:?}");
        }
        for i in self.bodies.indices().filter(|&i| !dynamic(i)) {
            assert_eq!(self.graph.island_of(i), NO_ISLAND);
        }
        let mut batches = Batches::default();
        batches.rebuild(&self.bodies, &self.graph, 4);
        assert_eq!(self.kept.list().len(), batches.list().len(), "batches that were kept up to date");
        for (kept, fresh) in self.kept.list().iter().zip(batches.list()) {
            assert_eq!(kept, fresh);
            assert_eq!(self.kept.bodies(kept), batches.bodies(fresh));
            assert_eq!(self.kept.edges(kept), batches.edges(fresh));
        }
        self.check_parts(&batches);
        for i in self.bodies.indices() {
            let all: Vec<EdgeIndex> = self.graph.edges_of(i).collect();
            let is_linked = |e: &EdgeIndex| self.graph.edge(*e).is_linked();
            assert!(self.graph.linked_edges_of(i).eq(all.iter().copied().filter(is_linked)), "{all:?}");
            let is_of = |e: &EdgeIndex| (0..2).any(|side| self.graph.edge(*e).body(side) == i);
            assert_eq!(all.len(), self.graph.edge_indices().filter(is_of).count(), "edges of {i:?}");
        }
        for h in &self.alive {
            self.bodies.wake(self.bodies.index(*h).expect("alive"), WakeCause::User);
        }
        batches.rebuild(&self.bodies, &self.graph, 4);
        let mut batched: Vec<EdgeIndex> = batches.all_edges().to_vec();
        batched.sort_unstable();
        batched.dedup();
        assert_eq!(batched.len(), linked.len(), "all awake: every linked edge is in one batch");
        let sizes: Vec<u32> = batches.list().iter().map(|b| b.point_count).collect();
        let (large, small) = sizes.split_at(batches.large_count());
        assert!(
            large.is_sorted_by(|a, b| a >= b)
                && large.iter().all(|&n| n >= 4)
                && small.iter().all(|&n| n < 4)
        );
    }
}

impl Model {
    /// Parts of batches end at sleepers, and hold every awake body and every linked edge of one once; joined, all is one batch.
    fn check_parts(&self, batches: &Batches) {
        let moves = |i: BodyIndex| self.bodies.is_awake(i) && self.bodies.hot(i).is_dynamic();
        let mut parts = Batches::default();
        parts.split_at_sleepers(batches, &self.bodies, &self.graph);
        let mut part_of = BTreeMap::new();
        for (k, part) in parts.list().iter().enumerate() {
            for &body in parts.bodies(part) {
                assert!(
                    moves(body) && part_of.insert(body, k).is_none(),
                    "{body:?} is awake, and in one part"
                );
            }
        }
        let batched = batches.list().iter().flat_map(|batch| batches.bodies(batch));
        assert_eq!(part_of.len(), batched.filter(|&&i| moves(i)).count());
        let mut held = 0;
        for (k, part) in parts.list().iter().enumerate() {
            let mut points = 0;
            assert!(parts.edges(part).is_sorted() && parts.bodies(part).is_sorted());
            for &edge in parts.edges(part) {
                let edge = self.graph.edge(edge);
                let owners = [0, 1].map(|side| part_of.get(&edge.body(side)).copied());
                assert!(owners.contains(&Some(k)), "an edge of what the part moves");
                assert!(owners.iter().flatten().all(|&owner| owner == k), "parts share no moving body");
                points += edge.manifold.points().len();
            }
            held += parts.edges(part).len();
            assert_eq!(part.point_count as usize, points);
        }
        let is_of_mover = |e: &EdgeIndex| (0..2).any(|side| moves(self.graph.edge(*e).body(side)));
        assert_eq!(held, batches.all_edges().iter().copied().filter(is_of_mover).count());
        let mut joined = Batches::default();
        joined.set_joined(true);
        joined.update(&self.bodies, &self.graph, 4, &Exec::serial());
        assert_eq!(joined.list().len(), batches.list().len().min(1));
        for one in joined.list() {
            assert_eq!(joined.edges(one).len(), batches.all_edges().len());
            assert_eq!(one.point_count, batches.list().iter().map(|b| b.point_count).sum::<u32>());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    /// Islands, levels, batches and touches after any history are those counted afresh, and every begin
    /// has exactly one end.
    #[test]
    fn graph_agrees_with_a_fresh_count(ops in prop::collection::vec(op(), 1..120)) {
        let mut model = Model::default();
        for op in &ops {
            model.apply(op);
        }
        model.update();
        model.check();
        model.graph.begin_step();
        while let Some(h) = model.alive.pop() {
            let index = model.bodies.index(h).expect("alive");
            model.graph.remove_body(&model.bodies, index, |_| ());
            model.bodies.remove(h).expect("alive");
        }
        model.count_events();
        prop_assert!(model.begins.values().all(|&open| open == 0), "touches left open: {:?}", model.begins);
        prop_assert_eq!(model.graph.edge_count(), 0);
    }
}

/// A ring of bodies, longer than any bounded search, held by the first one on the ground.
fn ring(count: usize) -> Model {
    let mut model = Model::default();
    model.apply(&Op::AddBody { fixed: true });
    (0..count).for_each(|_| model.apply(&Op::AddBody { fixed: false }));
    model.apply(&Op::SetEdge(0, 1, 3));
    (0..count).for_each(|i| model.apply(&Op::SetEdge(1 + i, 1 + (i + 1) % count, 2)));
    model.update();
    model
}

#[test]
fn two_long_rings_cut_in_one_update_are_told_apart_where_they_came_apart() {
    let mut model = ring(200);
    (0..200).for_each(|_| model.apply(&Op::AddBody { fixed: false }));
    (0..200).for_each(|i| model.apply(&Op::SetEdge(201 + i, 201 + (i + 1) % 200, 2)));
    model.update();
    assert_eq!(model.graph.island_count(), 2);
    // The first search goes round its ring, which leaves too few bodies to ask for a second one; then both fall in two.
    for (cut, parts) in [(50, 2), (150, 4)] {
        model.apply(&Op::SetEdge(cut, cut + 1, 1));
        model.apply(&Op::SetEdge(200 + cut, 201 + cut, 1));
        model.update();
        assert_eq!(model.graph.island_count(), parts);
        model.check();
    }
}

#[test]
fn batches_are_equal_at_any_thread_count() {
    let model = ring(5000);
    let mut shared = Batches::default();
    shared.update(&model.bodies, &model.graph, 4, &Exec::with_threads(3).unwrap_or_default());
    let linked: Vec<EdgeIndex> =
        model.graph.edge_indices().filter(|&e| model.graph.edge(e).is_linked()).collect();
    assert_eq!((shared.list().len(), shared.all_edges()), (1, &linked[..]));
    assert_eq!(shared.bodies(&shared.list()[0]).len(), 5000);
}

#[test]
fn a_long_ring_comes_apart_where_it_is_cut_twice() {
    let mut model = ring(200);
    let island =
        |model: &Model, i: usize| model.graph.island_of(model.bodies.index(model.alive[i]).expect("alive"));
    assert_eq!(model.graph.island_count(), 1);
    // Still connected, the long way round.
    model.apply(&Op::SetEdge(50, 51, 1));
    model.update();
    assert_eq!(model.graph.island_count(), 1);
    model.check();
    // Near the first cut: what comes off is small. Then far from it.
    for (cut, parts) in [(60, 2), (150, 3)] {
        model.apply(&Op::SetEdge(cut, cut + 1, 1));
        model.update();
        assert_eq!(model.graph.island_count(), parts);
        assert_ne!(island(&model, cut), island(&model, cut + 1));
        model.check();
    }
    // A body in the middle goes, and its index is another body's before islands are looked at.
    model.apply(&Op::RemoveBody(100));
    model.apply(&Op::AddBody { fixed: false });
    model.update();
    assert_eq!(model.graph.island_count(), 5);
    model.check();
}
