//! Snapshots: a world that goes on from one takes the steps that it would have taken.
//! Trusted reference: the run that nobody interrupted.

#[path = "../common/mod.rs"]
mod common;

mod play;
mod refused;
mod scenes;

use common::*;
use drystone::{CoherenceConfig, IslandSolverConfig, JointSpec, SolverChoice, WorldConfig};
use play::Play;

/// Settings and how many steps per second they are made for.
fn presets() -> Vec<(&'static str, WorldConfig, f32)> {
    vec![
        ("fast", WorldConfig::fast(), 60.0),
        ("fine", WorldConfig::fine(), FAST),
        ("thesis_fast", WorldConfig::thesis_fast(), FAST),
        ("thesis_accurate", WorldConfig::thesis_accurate(), ACCURATE),
        ("nsgs", hurried(WorldConfig::nsgs()), FAST),
        ("lcp", hurried(WorldConfig::lcp()), FAST),
        #[cfg(feature = "convex")]
        ("qp_suite", WorldConfig::qp_suite(), 60.0),
    ]
}

/// Joint solves that give up early: how well a heap is solved is not the matter here.
fn hurried(mut config: WorldConfig) -> WorldConfig {
    let hurry = |group: &mut IslandSolverConfig| (group.tolerance, group.max_iterations) = (1e-4, 40);
    match &mut config.solver {
        SolverChoice::Nsgs { group, .. } | SolverChoice::Lcp { group, .. } => hurry(group),
        other => panic!("a joint solve, got {other:?}"),
    }
    config
}

/// Bodies cost what their arrays hold and pairs what their edges and manifolds do, each up to twice for room that lists keep.
#[test]
fn the_size_follows_bodies_and_pairs() {
    let balls = |apart: f64| (0..512).map(move |i| ball(0.05, apart * f64::from(i), 0.05, 0.0));
    let bytes = |scene: Scene| {
        let mut run = scene.start(&WorldConfig::fast(), 1);
        run.steps(60.0, 0.1, |_| {});
        let snapshot = run.world.snapshot();
        assert_eq!(run.world.snapshot().bytes(), snapshot.bytes());
        (snapshot.bytes() as f64, f64::from(run.world.report().edges))
    };
    let (alone, none) = bytes(Scene::default().with_all(balls(1.0)));
    let (row, pairs) = bytes(Scene::on_ground().with_all(balls(0.1)));
    assert!(none == 0.0 && pairs >= 2.0 * 511.0, "each lies on the ground and beside the next one");
    let (per_body, per_pair) = (alone / 512.0, (row - alone) / pairs);
    println!("{per_body:.0} bytes per body, {per_pair:.0} per pair");
    assert!((500.0..3000.0).contains(&per_body), "{per_body} bytes per body");
    assert!((300.0..2000.0).contains(&per_pair), "{per_pair} bytes per pair");
}

/// Those of the step before the snapshot, as the report has it.
#[test]
fn joints_that_broke_are_those_of_the_snapshot() {
    let hooks = (0..2).map(|_| drystone::BodySpec::fixed());
    let mut run =
        Scene::default().with_all(hooks).with(ball(0.1, 0.0, 0.0, 0.0)).start(&WorldConfig::fast(), 1);
    let [first, second, body] = run.bodies[..] else { panic!("three bodies") };
    let joint = JointSpec::fixed(first, body).breaks_above(1e-3, f32::INFINITY);
    let joint = run.world.add_joint(&joint).expect("a joint");
    run.step(60.0);
    assert_eq!(run.world.broken_joints(), [joint]);
    let snapshot = run.world.snapshot();
    let next = JointSpec::fixed(second, body).breaks_above(1e-3, f32::INFINITY);
    let next = run.world.add_joint(&next).expect("a joint");
    run.step(60.0);
    assert_eq!(run.world.broken_joints(), [next]);
    run.step(60.0);
    for snapshot in [&snapshot, &snapshot.clone()] {
        run.world.restore(snapshot).expect("its own");
        assert_eq!((run.world.report().broken_joints, run.world.broken_joints()), (1, &[joint][..]));
        run.step(60.0);
        assert!(run.world.broken_joints().is_empty());
    }
}

#[test]
fn stacks_that_a_bullet_smashes_go_on_the_same_from_every_step() {
    for (name, mut config, hz) in presets() {
        config.continuous.moving = true;
        Play::new(name, scenes::smash(), config, hz, 0.6).check();
    }
}

#[test]
fn a_pile_that_falls_asleep_goes_on_the_same_from_every_step() {
    for (name, config, hz) in presets() {
        let asleep = Play::new(name, scenes::settling(), config, hz, 1.5).check();
        assert!(asleep > 0 || hz == ACCURATE, "{name}: nothing fell asleep");
    }
}

#[test]
fn a_rain_of_bodies_that_come_and_go_goes_on_the_same_from_every_step() {
    for (name, config, hz) in presets() {
        Play::new(name, scenes::rain(), config, hz, 1.0).edited(scenes::come_and_go).check();
    }
}

#[test]
fn composites_triggers_timers_rules_and_motions_go_on_the_same_from_every_step() {
    for (name, mut config, hz) in presets() {
        config.events.touch_persist = true;
        (config.events.hit, config.events.hit_speed) = (true, 0.01);
        (config.events.proximity_begin, config.events.proximity_end) = (true, true);
        Play::new(name, scenes::everything(), config, hz, 0.8)
            .begun(scenes::with_logic)
            .edited(scenes::break_and_fasten)
            .check();
    }
}

#[test]
fn heaps_on_meshes_and_height_fields_go_on_the_same_from_every_step() {
    for (name, config, hz) in presets() {
        Play::new(name, scenes::rough(), config, hz, 0.8).check();
    }
}

#[test]
fn switches_of_coherence_and_escalation_go_on_the_same_from_every_step() {
    let mut escalated = WorldConfig::fast();
    (escalated.escalation.enabled, escalated.escalation.residual_bound) = (true, 0.02);
    Play::new("escalated", scenes::settling(), escalated, 60.0, 1.0).check();

    let sleepy =
        CoherenceConfig { sleepy_groups: true, zero_restitution: true, ..CoherenceConfig::default() };
    let grouped = WorldConfig { coherence: sleepy, ..WorldConfig::thesis_fast() };
    Play::new("sleepy groups", scenes::settling(), grouped, FAST, 1.0).check();

    let mut brute = WorldConfig::fast();
    brute.detection.broad_phase = drystone::BroadPhaseChoice::BruteForce;
    Play::new("brute force", scenes::rain(), brute, 60.0, 1.0).edited(scenes::come_and_go).check();
}
