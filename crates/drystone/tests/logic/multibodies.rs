//! Links and multibodies as nodes of the contact graph (S3-01 L, M; S3-14, S3-15). Trusted reference: S3's search of islands (Figs 7 and 8),
//! written down as it stands, over the edges of the snapshot.

use crate::common::*;
use drystone::math::{Pose, Real, Vector3};
use drystone::{
    BodyHandle, BodySpec, EdgeClass, EdgeState, EventKind, GraphSnapshot, NodeKey, NodeKind, Rule, RuleSide,
    TimerSpec, World, WorldConfig,
};
use proptest::prelude::*;
use std::collections::BTreeSet;

const HZ: Real = 60.0;

#[derive(Clone, Copy, PartialEq)]
enum Colour {
    White,
    Grey,
    Black,
}

/// S3, Figs 7 and 8: edges with contact points and structural ones are white; from each white edge on, all edges reached are grey,
/// then black, and make an island. Fixed and kinematic nodes insulate. Returns islands of nodes.
fn traversed(graph: &GraphSnapshot) -> BTreeSet<BTreeSet<usize>> {
    let is_in = |edge: &drystone::SnapshotEdge| match edge.kind.class() {
        EdgeClass::Structural => true,
        EdgeClass::Physical => edge.state >= EdgeState::Linked,
        EdgeClass::Logical | EdgeClass::Geometric => false,
    };
    let mut colours: Vec<Colour> =
        graph.edges().iter().map(|e| if is_in(e) { Colour::White } else { Colour::Black }).collect();
    let insulates = |node: usize| matches!(graph.nodes()[node].kind, NodeKind::Fixed | NodeKind::Kinematic);
    let mut islands = BTreeSet::new();
    for start in 0..colours.len() {
        let (mut island, mut stack) = (BTreeSet::new(), vec![start]);
        while let Some(edge) = stack.pop() {
            if colours[edge] != Colour::White {
                continue;
            }
            colours[edge] = Colour::Grey;
            for node in graph.edges()[edge].ends.map(|end| end as usize) {
                if insulates(node) {
                    continue;
                }
                island.insert(node);
                let of_node = (0..colours.len()).filter(|&k| graph.edges()[k].ends.contains(&(node as u32)));
                stack.extend(of_node.filter(|&k| colours[k] == Colour::White));
            }
            colours[edge] = Colour::Black;
        }
        if !island.is_empty() {
            islands.insert(island);
        }
    }
    islands
}

/// Islands of two nodes or more as the engine has them.
fn kept(graph: &GraphSnapshot) -> BTreeSet<BTreeSet<usize>> {
    let numbers: BTreeSet<u32> = graph.nodes().iter().filter_map(|node| node.island).collect();
    let islands = numbers.iter().map(|&island| graph.island(island).collect::<BTreeSet<_>>());
    islands.filter(|island| island.len() > 1).collect()
}

/// An engine's islands are S3's: those of one body too, which S3's search finds by its edge to what insulates.
fn assert_same_islands(world: &World) {
    let graph = world.graph_snapshot();
    let of_several: BTreeSet<_> = traversed(&graph).into_iter().filter(|island| island.len() > 1).collect();
    assert_eq!(kept(&graph), of_several);
}

/// Every kind of node, and four islands (S3-15): A, a composite on the ground with a body on it; B, a multibody of which one link stands on the
/// ground and another one hangs far away; C, a body on a kinematic lift and one on that; D, a body that leans on the same fixed wall
/// as A does. The text of S3 gives the number of islands and their names, its figure shows what is in them.
#[test]
fn the_example_has_four_islands() {
    let wall = BodySpec::fixed().pose(Pose::at(0.2, 0.2, 0.0)).collider(block(0.05, 0.2, 0.2));
    let lift = BodySpec::kinematic().pose(Pose::at(4.0, 0.1, 0.0)).collider(block(0.2, 0.1, 0.2));
    let zone = BodySpec::fixed().pose(Pose::at(0.0, 0.1, 0.0)).collider(block(0.3, 0.3, 0.3).trigger());
    let mut run = Scene::on_ground()
        .with_all([wall, lift, zone])
        .with_all([cube(0.1, 0.1, 0.05, 0.0), cube(0.1, 0.0, 0.05, 0.0), cube(0.1, 0.1, 0.15, 0.0)])
        .with_all([cube(0.1, 2.0, 0.05, 0.0), cube(0.1, 2.0, 3.0, 0.0).gravity_scale(0.0)])
        .with_all([cube(0.1, 4.0, 0.25, 0.0), cube(0.1, 4.0, 0.35, 0.0), cube(0.1, 0.3, 0.05, 0.0)])
        .start(&WorldConfig::fast(), 1);
    let b = run.bodies.clone();
    let composite = run.world.fasten(&[b[4], b[5]]).expect("free bodies");
    let multibody = run.world.add_multibody(&[b[7], b[8]]).expect("free bodies");
    run.world.add_rule(Rule::ignore(RuleSide::Body(b[8]), RuleSide::Body(b[9]))).expect("both exist");
    run.world.add_timer(TimerSpec::periodic(1.0)).expect("in range");
    run.steps(HZ, 0.1, |_| {});
    let graph = run.world.graph_snapshot();
    let kinds: BTreeSet<NodeKind> = graph.nodes().iter().map(|node| node.kind).collect();
    assert_eq!(kinds.len(), 9, "every kind of node: {kinds:?}");
    let place = |body: BodyHandle| graph.find(NodeKey::Body(body)).expect("a node");
    let container = |number| graph.find(NodeKey::Container(number)).expect("a node");
    let expected = BTreeSet::from([
        BTreeSet::from([place(b[4]), place(b[5]), place(b[6]), container(composite.index)]),
        BTreeSet::from([place(b[7]), place(b[8]), container(multibody.index)]),
        BTreeSet::from([place(b[9]), place(b[10])]),
        BTreeSet::from([place(b[11])]),
    ]);
    assert_eq!(traversed(&graph), expected);
    assert_same_islands(&run.world);
    let edges: BTreeSet<String> = graph.edges().iter().map(|edge| edge.kind.name()).collect();
    for name in ["R-C", "L-M", "F-L", "A-L", "A-R", "R-F", "R-S", "R-R", "V-R"] {
        assert!(edges.contains(name), "{name} is missing in {edges:?}");
    }
}

/// F–L, S–L, L–L, R–L and V–L: links have edges as other bodies have.
#[test]
fn links_have_edges_with_everything() {
    let lift = BodySpec::kinematic().pose(Pose::at(2.0, 0.1, 0.0)).collider(block(0.2, 0.1, 0.2));
    let zone = BodySpec::fixed().pose(Pose::at(0.0, 0.1, 0.0)).collider(block(0.3, 0.3, 0.3).trigger());
    let mut run = Scene::on_ground()
        .with_all([lift, zone, cube(0.1, 0.0, 0.05, 0.0), cube(0.1, 0.0, 0.15, 0.0)])
        .with_all([cube(0.1, 0.0, 0.25, 0.0), cube(0.1, 2.0, 0.25, 0.0)])
        .start(&WorldConfig::fast(), 1);
    let b = run.bodies.clone();
    let first = run.world.add_multibody(&[b[3], b[6]]).expect("free bodies");
    let second = run.world.add_multibody(&[b[4]]).expect("free bodies");
    run.steps(HZ, 0.1, |_| {});
    let graph = run.world.graph_snapshot();
    let names: BTreeSet<String> = graph.edges().iter().map(|edge| edge.kind.name()).collect();
    let expected = ["F-L", "L-L", "L-M", "R-L", "S-L", "V-L", "V-R", "V-F"];
    assert_eq!(names, expected.map(str::to_owned).into(), "{names:?}");
    assert_same_islands(&run.world);
    assert_eq!(run.world.multibody_of(b[4]).expect("it exists"), Some(second));
    assert_eq!(run.world.multibody(first).expect("it exists").links(), [b[3], b[6]]);
    // A link that is removed leaves; the last one takes its multibody along.
    run.world.remove_body(b[6]).expect("it exists");
    assert_eq!(run.world.multibody(first).expect("it exists").links(), [b[3]]);
    run.world.remove_body(b[4]).expect("it exists");
    assert!(run.world.multibody(second).is_err());
    let error = run.world.fasten(&[b[3], b[5]]).expect_err("a link").to_string();
    assert!(error.contains("is a link of a multibody"), "{error}");
    assert!(run.world.add_multibody(&[]).is_err());
    run.world.remove_multibody(first).expect("it exists");
    assert!(run.world.remove_multibody(first).is_err());
    run.step(HZ);
    assert!(run.world.graph_snapshot().nodes().iter().all(|node| node.kind != NodeKind::Link));
}

#[test]
fn links_of_one_multibody_meet_when_they_are_told_to() {
    let mut run = Scene::on_ground()
        .with_all([cube(0.1, 0.0, 0.05, 0.0), cube(0.1, 0.0, 0.15, 0.0)])
        .start(&WorldConfig::fast(), 1);
    run.until_asleep(HZ, &[1, 2]);
    let links = [run.bodies[1], run.bodies[2]];
    let handle = run.world.add_multibody(&links).expect("free bodies");
    run.step(HZ);
    assert_eq!(run.world.events().map(|e| e.kind()).collect::<Vec<_>>(), [EventKind::TouchEnd]);
    run.steps(HZ, 1.0, |_| {});
    assert!((run.place(2).y - 0.05).abs() < 2e-3, "it fell through the other link to {}", run.place(2));
    run.world.set_pose(links[1], Pose::at(0.0, 0.2, 0.0)).expect("finite");
    run.world.set_self_collision(handle, true).expect("it exists");
    run.steps(HZ, 1.0, |_| {});
    assert!((run.place(2).y - 0.15).abs() < 2e-3, "it rests on the other link at {}", run.place(2));
    // The first link gives its slot to another body, which must meet the other link.
    run.world.set_self_collision(handle, false).expect("it exists");
    run.world.remove_body(links[0]).expect("it exists");
    let other = run.world.add_body(cube(0.1, 0.0, 0.05, 0.0)).expect("valid");
    assert_eq!(other.index, links[0].index);
    run.world.set_pose(links[1], Pose::at(0.0, 0.2, 0.0)).expect("finite");
    run.steps(HZ, 1.0, |_| {});
    assert!((run.place(2).y - 0.15).abs() < 2e-3, "it rests on the new body at {}", run.place(2));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever is fastened, linked, removed and moved, islands are those of S3's search.
    #[test]
    fn islands_are_those_of_the_search(
        acts in prop::collection::vec((0..6_usize, 0..32_usize, 0..32_usize, -0.4..0.4_f64, 1..8_u32), 8..40)
    ) {
        let mut run = Scene::on_ground().with_all(pen(0.5)).with_all(heap(9, 0.0, 0.0, 1)).start(&WorldConfig::fast(), 1);
        for (kind, a, b, x, steps) in acts {
            let Run { world, bodies, .. } = &mut run;
            // The first five do not move.
            let pair = [a, b].map(|k| bodies[5 + k % (bodies.len() - 5)]);
            // Refused where it makes no sense.
            match kind {
                0 => drop(world.fasten(&pair)),
                1 => drop(world.add_multibody(&pair)),
                2 => {
                    let found = world.composites().nth(a % 3).map(|(handle, _)| handle);
                    found.into_iter().for_each(|handle| world.unfasten(handle).expect("it exists"));
                }
                3 => {
                    let found = world.multibodies().nth(a % 3).map(|(handle, _)| handle);
                    found.into_iter().for_each(|handle| world.remove_multibody(handle).expect("it exists"));
                }
                4 if bodies.len() > 8 => world.remove_body(bodies.remove(5 + a % (bodies.len() - 5))).expect("it exists"),
                _ => drop(world.add_impulse(pair[0], Vector3::new(x as f32, 1.0, 0.1), Vector3::zeros())),
            }
            for _ in 0..steps {
                run.step(HZ);
                assert_same_islands(&run.world);
            }
        }
    }
}
