//! The graph of a moment has the logical nodes too (S3-01, S3-02).

use crate::common::*;
use drystone::{BodySpec, EdgeClass, EdgeState, NodeKey, NodeKind, Rule, RuleSide, TimerSpec, WorldConfig};

#[test]
fn triggers_rules_and_timers_are_nodes_with_their_edges() {
    let zone = BodySpec::fixed().collider(block(0.3, 0.3, 0.3).trigger());
    let mut run = Scene::on_ground()
        .with(cube(0.1, 0.0, 0.05, 0.0))
        .with(cube(0.1, 3.0, 0.05, 0.0))
        .with(zone)
        .start(&WorldConfig::fast(), 1);
    let [ground, inside, outside, owner] = run.bodies[..] else { panic!("four bodies") };
    run.world.add_timer(TimerSpec::periodic(1.0)).expect("in range");
    let rule = Rule::ignore(RuleSide::Body(inside), RuleSide::Body(outside));
    let rule = NodeKey::Rule(run.world.add_rule(rule).expect("both exist").index);
    run.step(60.0);
    let graph = run.world.graph_snapshot();
    let kinds: Vec<_> = graph.nodes().iter().map(|node| node.kind).collect();
    let expected = [
        NodeKind::Fixed,
        NodeKind::Rigid,
        NodeKind::Rigid,
        NodeKind::Fixed,
        NodeKind::Trigger,
        NodeKind::Rule,
        NodeKind::Timer,
    ];
    assert_eq!(kinds, expected);
    let trigger = run.world.colliders_of(owner).expect("it exists").next().expect("one");
    let edge = |a, b| {
        let [a, b] = [a, b].map(|key| graph.find(key).expect("a node"));
        graph.edge_between(a, b).map(|edge| (edge.kind.class(), edge.state))
    };
    let trigger = NodeKey::Trigger(trigger);
    let seen = Some((EdgeClass::Geometric, EdgeState::Touching));
    assert_eq!(edge(trigger, NodeKey::Body(inside)), seen);
    assert_eq!(edge(NodeKey::Body(ground), trigger), seen);
    assert_eq!(edge(trigger, NodeKey::Body(outside)), None);
    for body in [inside, outside] {
        assert_eq!(edge(rule, NodeKey::Body(body)), Some((EdgeClass::Logical, EdgeState::Static)));
    }
    assert_eq!(edge(rule, NodeKey::Body(ground)), None);
    // Neither takes part in what rests on what.
    let place = |key| graph.find(key).expect("a node");
    let supports = graph.supports(&drystone::math::Vector3::y(), 0.7);
    assert_eq!(supports.carriers_of(place(NodeKey::Body(inside))), [place(NodeKey::Body(ground)) as u32]);
    assert!(graph.to_dot().contains(&trigger.to_string()));
}
