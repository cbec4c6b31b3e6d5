//! Snapshots of the graph: what they say, against small piles known by hand and against brute force.

use drystone_contact::{
    Bodies, BodyDesc, BodyHandle, BodyKind, ColliderHandle, ContactError, ContactGraph, ContactPoint,
    EdgeState, GraphSnapshot, Manifold, NodeKey, NodeKind, PairMaterial, SnapshotBuilder, SnapshotNode,
};
use drystone_math::inertia::MassProperties;
use drystone_math::{Pose, Vector3};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Bodies and contacts made by hand; a body has one collider of the same slot.
#[derive(Default)]
struct Pile {
    bodies: Bodies,
    graph: ContactGraph,
    handles: Vec<BodyHandle>,
}

impl Pile {
    fn add(&mut self, kind: BodyKind, height: f64) -> usize {
        let pose = Pose::at(0.0, height, 0.0);
        let desc = match kind {
            BodyKind::Dynamic => BodyDesc::dynamic(MassProperties::sphere(0.1, 1000.0), 0.1),
            _ => BodyDesc { kind, ..BodyDesc::fixed() },
        };
        let handle = self.bodies.add(&desc.at(pose)).expect("valid");
        self.graph.add_body(&self.bodies, self.bodies.index(handle).expect("alive"));
        self.handles.push(handle);
        self.handles.len() - 1
    }

    /// One point with a normal from `a` to `b`.
    fn touch(&mut self, a: usize, b: usize, normal: Vector3, distance: f32) {
        let is_ordered = self.handles[a] < self.handles[b];
        let (pair, sign) = if is_ordered { ([a, b], 1.0) } else { ([b, a], -1.0) };
        let handles = pair.map(|i| self.handles[i]);
        let ends = handles.map(|h| self.bodies.index(h).expect("alive"));
        let colliders = handles.map(|h| ColliderHandle { index: h.index, generation: h.generation });
        let edge = self.graph.add_edge(colliders, &self.bodies, ends, PairMaterial::default()).expect("room");
        let mut manifold = Manifold::new(ends[0], ends[1], PairMaterial::default());
        manifold.normal = normal * sign;
        let impulse = manifold.normal * 2.0;
        assert!(manifold.push(ContactPoint { distance, impulse, ..Default::default() }));
        self.graph.set_manifold(&self.bodies, edge, &manifold);
        self.graph.update_touch(&self.bodies, edge, false);
    }

    fn snapshot(&mut self) -> GraphSnapshot {
        self.graph.update_islands();
        GraphSnapshot::of(&self.bodies, &self.graph, 7)
    }

    fn place(&self, snapshot: &GraphSnapshot, body: usize) -> usize {
        snapshot.find(NodeKey::Body(self.handles[body])).expect("it is there")
    }
}

/// A beam on two posts on the ground, a box on it, and one that leans against the box.
fn portal() -> (Pile, [usize; 6]) {
    let mut pile = Pile::default();
    let ground = pile.add(BodyKind::Fixed, 0.0);
    let [left, right, beam, top, leaning] = [1.0, 1.0, 2.0, 3.0, 3.0].map(|h| pile.add(BodyKind::Dynamic, h));
    pile.touch(ground, left, Vector3::y(), 0.0);
    pile.touch(right, ground, -Vector3::y(), 0.0);
    pile.touch(left, beam, Vector3::y(), -1e-3);
    pile.touch(right, beam, Vector3::y(), 0.0);
    pile.touch(beam, top, Vector3::y(), 0.0);
    pile.touch(top, leaning, Vector3::x(), 0.0);
    (pile, [ground, left, right, beam, top, leaning])
}

#[test]
fn a_portal_says_what_rests_on_what_and_what_falls() {
    let (mut pile, bodies) = portal();
    let snapshot = pile.snapshot();
    let [ground, left, right, beam, top, leaning] = bodies.map(|b| pile.place(&snapshot, b));
    let supports = snapshot.supports(&(3.0 * Vector3::y()), 0.7);
    let sorted = |list: &[u32]| list.iter().map(|&i| i as usize).collect::<BTreeSet<_>>();
    assert_eq!(sorted(supports.carriers_of(beam)), BTreeSet::from([left, right]));
    assert_eq!(sorted(supports.carried_by(ground)), BTreeSet::from([left, right]));
    assert!(supports.carriers_of(leaning).is_empty(), "a side carries nothing");
    assert_eq!(supports.path_down(top), Some(vec![top, beam, left.min(right), ground]));
    assert_eq!(supports.path_down(ground), Some(vec![ground]));
    assert_eq!(supports.path_down(leaning), None);
    assert_eq!(supports.path_down(99), None);
    assert_eq!(supports.unsupported(), [leaning]);
    assert_eq!(supports.falls_without(beam), [top]);
    assert!(supports.falls_without(left).is_empty(), "the other post is left");
    let mut all = [left, right, beam, top];
    all.sort_unstable();
    assert_eq!(supports.falls_without(ground), all);
    // With another direction it is another pile, and without one there is none.
    assert_eq!(snapshot.supports(&Vector3::x(), 0.7).carriers_of(leaning), [top as u32]);
    assert_eq!(snapshot.supports(&Vector3::zeros(), 0.7).unsupported().len(), 5);
    // The posts hang together by the beam, the leaning one by the top.
    let mut cuts = [beam, top];
    cuts.sort_unstable();
    assert_eq!(snapshot.articulation_nodes(), cuts);
}

#[test]
fn nodes_and_edges_tell_what_the_step_left() {
    let (mut pile, bodies) = portal();
    let snapshot = pile.snapshot();
    let [ground, left, _, beam, ..] = bodies.map(|b| pile.place(&snapshot, b));
    assert_eq!((snapshot.step(), snapshot.nodes().len(), snapshot.edges().len()), (7, 6, 6));
    assert!(snapshot.nodes().is_sorted_by_key(|node| node.key));
    let node = &snapshot.nodes()[beam];
    assert_eq!((node.kind, node.level, node.center.map(|c| c.y)), (NodeKind::Rigid, Some(2), Some(2.0)));
    assert_eq!(snapshot.nodes()[ground].island, None, "what cannot move insulates");
    assert_eq!(snapshot.island(node.island.expect("it can move")).count(), 5);
    let edge = snapshot.edge_between(beam, left).expect("they touch");
    assert_eq!(Some(edge), snapshot.edge_between(left, beam));
    assert_eq!((edge.state, edge.points, edge.distance), (EdgeState::Touching, 1, Some(-1e-3)));
    let up = if edge.ends[0] as usize == left { 1.0 } else { -1.0 };
    assert_eq!((edge.normal.y, edge.impulse.y), (up, 2.0 * up));
    assert!(snapshot.edge_between(beam, ground).is_none() && snapshot.edge_between(99, beam).is_none());
    assert_eq!(snapshot.neighbours(beam).count(), 3);
    assert_eq!(snapshot.neighbours(99).count(), 0);
}

/// Four islands about what insulates, as S3's example has them (S3-15): a pile on the ground, one on a kinematic lift, two that touch
/// the same wall, and one that touches nothing.
#[test]
fn fixed_and_kinematic_nodes_insulate_islands() {
    let mut pile = Pile::default();
    let [ground, lift] = [BodyKind::Fixed, BodyKind::Kinematic].map(|kind| pile.add(kind, 0.0));
    let boxes: Vec<usize> = (0..6).map(|_| pile.add(BodyKind::Dynamic, 1.0)).collect();
    for (a, b) in [(ground, 0), (ground, 2), (lift, 2), (lift, 3)] {
        pile.touch(a, boxes[b], Vector3::y(), 0.0);
    }
    pile.touch(boxes[0], boxes[1], Vector3::y(), 0.0);
    pile.touch(boxes[3], boxes[4], Vector3::y(), 1e-3);
    let snapshot = pile.snapshot();
    let islands: Vec<Option<u32>> =
        boxes.iter().map(|&b| snapshot.nodes()[pile.place(&snapshot, b)].island).collect();
    assert_eq!(islands.iter().collect::<BTreeSet<_>>().len(), 4);
    assert!(islands[0] == islands[1] && islands[3] == islands[4], "{islands:?}");
    let levels = boxes.iter().map(|&b| snapshot.nodes()[pile.place(&snapshot, b)].level);
    assert_eq!(levels.collect::<Vec<_>>(), [Some(1), Some(2), Some(1), Some(1), Some(2), None]);
}

#[test]
fn others_add_nodes_and_only_edges_that_exist() {
    let (pile, bodies) = portal();
    let mut builder = SnapshotBuilder::of(&pile.bodies, &pile.graph, 0);
    let node = |key, kind| SnapshotNode {
        key,
        kind,
        center: None,
        mass: 0.0,
        is_asleep: false,
        island: None,
        level: None,
    };
    let (rule, timer) = (NodeKey::Rule(0), NodeKey::Timer(3));
    builder.insert(node(rule, NodeKind::Rule));
    builder.insert(node(timer, NodeKind::Timer));
    let body = NodeKey::Body(pile.handles[bodies[1]]);
    builder.connect(body, rule, EdgeState::Static).expect("A-R");
    let refused = builder.connect(timer, body, EdgeState::Static);
    let kinds = [Some(NodeKind::Timer), Some(NodeKind::Rigid)];
    assert_eq!(refused, Err(ContactError::NoSuchEdge { kinds }));
    let missing = builder.connect(NodeKey::Rule(9), body, EdgeState::Static).expect_err("not there");
    assert_eq!(missing.to_string(), "there is no edge between a node of kind missing and one of kind rigid");
    let snapshot = builder.finish();
    let places = [body, rule].map(|key| snapshot.find(key).expect("inserted"));
    let edge = snapshot.edge_between(places[0], places[1]).expect("connected");
    assert_eq!((edge.kind.name().as_str(), edge.state, edge.points), ("A-R", EdgeState::Static, 0));
    assert_eq!(snapshot.articulation_nodes().len(), 2, "a rule holds nothing together");
}

#[test]
fn changes_name_what_came_went_and_moved() {
    let (mut pile, bodies) = portal();
    let before = pile.snapshot();
    assert!(before.changes_since(&before).is_empty());
    let [_, left, _, beam, top, leaning] = bodies;
    let gone = pile.bodies.index(pile.handles[leaning]).expect("alive");
    pile.graph.remove_body(&pile.bodies, gone, |_| ());
    pile.bodies.remove(pile.handles[leaning]).expect("alive");
    let new = pile.add(BodyKind::Dynamic, 4.0);
    pile.touch(top, new, Vector3::y(), 1e-3);
    let ends = [left, beam].map(|b| {
        let h = pile.handles[b];
        ColliderHandle { index: h.index, generation: h.generation }
    });
    let edge = pile.graph.find(ends[0], ends[1]).expect("they touch");
    let apart = {
        let manifold = &pile.graph.edge(edge).manifold;
        Manifold::new(manifold.body_a, manifold.body_b, PairMaterial::default())
    };
    pile.graph.set_manifold(&pile.bodies, edge, &apart);
    let changes = pile.snapshot().changes_since(&before);
    let key = |body: usize| NodeKey::Body(pile.handles[body]);
    let pair = |a: usize, b: usize| [key(a).min(key(b)), key(a).max(key(b))];
    assert_eq!((&changes.added[..], &changes.removed[..]), (&[key(new)][..], &[key(leaning)][..]));
    assert_eq!(changes.ended, [(pair(top, leaning), EdgeState::Touching)]);
    assert_eq!(changes.changed, [(pair(left, beam), [EdgeState::Touching, EdgeState::Near])]);
    let begun: Vec<_> = changes.begun.iter().map(|b| b.0).collect();
    assert_eq!(begun, [pair(top, new)]);
}

#[test]
fn exports_name_every_node_and_edge_once() {
    let (mut pile, bodies) = portal();
    let snapshot = pile.snapshot();
    let (dot, xml) = (snapshot.to_dot(), snapshot.to_graphml());
    assert_eq!(dot.matches(" -- ").count(), 6);
    assert_eq!(dot.matches("shape=box").count(), 1);
    assert_eq!((xml.matches("<node id=").count(), xml.matches("<edge source=").count()), (6, 6));
    let name = NodeKey::Body(pile.handles[bodies[3]]).to_string();
    assert!(dot.contains(&format!("{name} [")) && xml.contains(&format!("<node id=\"{name}\">")));
    // Every datum is declared, every tag closed.
    for part in xml.split("<data key=\"").skip(1) {
        let key = part.split('"').next().expect("quoted");
        assert!(xml.contains(&format!("<key id=\"{key}\" for=")), "{key} is not declared");
    }
    for tag in ["graphml", "graph", "node", "edge", "data"] {
        let opened = xml.matches(&format!("<{tag} ")).count();
        assert_eq!(opened, xml.matches(&format!("</{tag}>")).count(), "{tag}");
    }
    let empty = GraphSnapshot::default();
    assert_eq!(empty.to_dot().matches(" -- ").count(), 0);
    assert!(empty.articulation_nodes().is_empty());
}

#[cfg(feature = "serde")]
#[test]
fn a_snapshot_read_back_is_the_same() {
    let (mut pile, _) = portal();
    let snapshot = pile.snapshot();
    let text = serde_json::to_string(&snapshot).expect("plain data");
    let back: GraphSnapshot = serde_json::from_str(&text).expect("its own text");
    assert_eq!(back, snapshot);
}

/// Parts of the graph of movable bodies, without one of them.
fn parts(count: usize, edges: &[(usize, usize)], without: Option<usize>) -> usize {
    let mut part: Vec<usize> = (0..count).collect();
    for _ in 0..count {
        for &(a, b) in edges.iter().filter(|(a, b)| Some(*a) != without && Some(*b) != without) {
            let least = part[a].min(part[b]);
            (part[a], part[b]) = (least, least);
        }
    }
    (0..count).filter(|&i| Some(i) != without).map(|i| part[i]).collect::<BTreeSet<_>>().len()
}

proptest! {
    #[test]
    fn articulation_nodes_are_those_whose_removal_splits(pairs in prop::collection::vec((0..9usize, 0..9usize), 0..16)) {
        let mut pile = Pile::default();
        let ground = pile.add(BodyKind::Fixed, 0.0);
        let bodies: Vec<usize> = (0..9).map(|_| pile.add(BodyKind::Dynamic, 1.0)).collect();
        let pairs: Vec<_> = pairs.into_iter().filter(|(a, b)| a != b).collect();
        for &(a, b) in &pairs {
            pile.touch(bodies[a], bodies[b], Vector3::y(), 1e-3);
            pile.touch(ground, bodies[a], Vector3::y(), 0.0);
        }
        let snapshot = pile.snapshot();
        // Taking away a body that touches nothing else makes one part fewer.
        let is_cut = |i: usize| parts(9, &pairs, Some(i)) > parts(9, &pairs, None);
        let expected: BTreeSet<usize> =
            (0..9).filter(|&i| is_cut(i)).map(|i| pile.place(&snapshot, bodies[i])).collect();
        prop_assert_eq!(snapshot.articulation_nodes().into_iter().collect::<BTreeSet<_>>(), expected);
    }
}
