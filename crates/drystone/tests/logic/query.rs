//! Queries without a step, as planners ask them (S3-10, S3-13). Trusted: where bodies were put, and a world that was not asked.

use crate::common::*;
use drystone::math::{Pose, Vector3};
use drystone::{
    BodySpec, ColliderSpec, DetectMode, EventConfig, EventDetail, EventKind, Penetration, Rule, RuleSide,
    Shape, World, WorldConfig,
};

const HZ: f32 = 60.0;
const MODES: [DetectMode; 3] =
    [DetectMode::ProximityOnly, DetectMode::FirstPenetration { deeper_than: 1e-3 }, DetectMode::Full];

fn proximity() -> WorldConfig {
    let events =
        EventConfig { proximity_begin: true, proximity_end: true, hit: true, ..EventConfig::default() };
    WorldConfig { events, ..WorldConfig::fast() }
}

fn kinds(world: &World) -> Vec<EventKind> {
    world.events().map(|event| event.kind()).collect()
}

/// An arm's link that is moved about, and three posts.
fn planner() -> Run {
    let post = |x: f64| BodySpec::fixed().pose(Pose::at(x, 0.5, 0.0)).collider(block(0.1, 0.5, 0.1));
    Scene::default()
        .with_all([post(1.0), post(2.0), post(3.0), cube(0.2, 0.0, 0.5, 0.0)])
        .start(&proximity(), 1)
}

#[test]
fn a_planner_moves_a_body_asks_and_moves_it_back() {
    let mut run = planner();
    let link = run.bodies[3];
    let mut ask = |x: f64| {
        run.world.set_pose(link, Pose::at(x, 0.5, 0.0)).expect("finite");
        run.world.first_penetration(1e-4).expect("in range")
    };
    for _ in 0..3 {
        assert_eq!(ask(0.0), None);
        let Penetration { bodies, depth, .. } = ask(2.15).expect("five centimetres");
        assert!((depth - 0.05).abs() < 1e-3, "{depth} m");
        assert!(bodies.contains(&link));
        assert_eq!(ask(1.5), None, "between two posts");
    }
    assert_eq!(run.world.time(), 0.0);
    assert_eq!(run.world.report().edges, 0, "no step was taken");
}

/// In a corner of a mesh one pair has two manifolds: the depth is that of the deeper one, as of a query that looks at the shapes.
#[test]
fn the_depth_in_a_corner_of_a_mesh_is_that_of_the_deeper_side() {
    let corners = [[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]];
    let [foot, far, top] = corners.map(|[x, y]| [-1.0, 1.0].map(|z| Vector3::new(x, y, z)));
    let corners = [foot[0], foot[1], far[0], far[1], top[0], top[1]];
    // The floor faces up, the wall along x.
    let triangles = [[0, 1, 3], [0, 3, 2], [0, 4, 5], [0, 5, 1]];
    for order in [[0, 1, 2, 3], [2, 3, 0, 1]] {
        let mesh = Shape::mesh(&corners, &order.map(|k| triangles[k])).expect("a mesh");
        let mesh = BodySpec::fixed().collider(ColliderSpec::new(mesh));
        for [x, y] in [[0.08, 0.099], [0.099, 0.08]] {
            let scene = Scene::default().with(mesh.clone()).with(ball(0.1, x, y, 0.3));
            let mut run = scene.start(&proximity(), 1);
            let found = run.world.detect(DetectMode::Full).expect("few edges").expect("both sides");
            assert_eq!(run.world.contacts().count(), 2, "{order:?}: a floor and a wall");
            assert!((found.depth - 0.02).abs() < 1e-4, "{order:?}, {x} {y}: {} m", found.depth);
            let looked_at = run.world.first_penetration(0.0).expect("few edges").expect("both sides");
            assert!((looked_at.depth - found.depth).abs() < 1e-4, "{looked_at:?}");
        }
    }
}

/// The first is that of the smallest slots, whatever was found before.
#[test]
fn the_first_penetration_does_not_depend_on_what_was_asked_before() {
    let spread = || Pose::at(2.0, 0.5, 0.0);
    let scene = |gap: f64| {
        let wide = BodySpec::dynamic().pose(spread()).collider(block(1.2, 0.2, 0.2));
        let post = |x: f64| BodySpec::fixed().pose(Pose::at(x, 0.5, 0.0)).collider(block(0.1, 0.5, 0.1));
        Scene::default().with_all([post(1.0), post(2.0 + gap), post(3.0), wide]).start(&proximity(), 1)
    };
    let mut fresh = scene(0.0);
    let first = fresh.world.first_penetration(0.0).expect("in range").expect("three posts");
    assert!(first.bodies.contains(&fresh.bodies[0]), "{first:?}");
    let mut asked = scene(0.0);
    for (x, y) in [(9.0, 0.5), (3.5, 0.5), (9.0, 0.5), (2.0, 1.5)] {
        asked.world.set_pose(asked.bodies[3], Pose::at(x, y, 0.0)).expect("finite");
        asked.world.detect(DetectMode::Full).expect("in range");
    }
    asked.world.set_pose(asked.bodies[3], spread()).expect("finite");
    let short = asked.world.first_penetration(0.0).expect("in range").expect("three posts");
    let full = asked.world.detect(DetectMode::Full).expect("in range").expect("three posts");
    for found in [short, full] {
        assert_eq!(found.colliders, first.colliders);
        assert!((found.depth - first.depth).abs() < 1e-5, "{found:?} and {first:?}");
    }
}

#[test]
fn proximity_alone_is_told_without_contacts() {
    let mut run = planner();
    run.world.set_pose(run.bodies[3], Pose::at(1.1, 0.5, 0.0)).expect("finite");
    assert_eq!(run.world.detect(DetectMode::ProximityOnly), Ok(None));
    assert_eq!(kinds(&run.world), [EventKind::ProximityBegin]);
    assert_eq!(run.world.contacts().count(), 0);
    run.world.detect(DetectMode::Full).expect("in range");
    assert_eq!(kinds(&run.world), [], "near already, and touches begin with steps");
    assert!(run.world.contacts().count() > 0);
    run.world.set_pose(run.bodies[3], Pose::at(0.0, 0.5, 0.0)).expect("finite");
    assert_eq!(run.world.detect(DetectMode::ProximityOnly), Ok(None));
    assert_eq!(kinds(&run.world), [EventKind::ProximityEnd]);
    assert_eq!(run.world.contacts().count(), 0);
}

/// Who only asks changes nothing: neither motion nor what the steps tell.
#[test]
fn a_world_that_is_asked_moves_as_one_that_is_not() {
    for (config, name) in [(WorldConfig::fast(), "fast"), (WorldConfig::lcp(), "lcp")] {
        let play = |mode: Option<DetectMode>| {
            let config = WorldConfig { events: proximity().events, ..config.clone() };
            let mut run = Scene::on_ground().with_all(heap(12, 0.0, 0.0, 1)).start(&config, 1);
            let (mut told, mut ends) = (Vec::new(), 0);
            for _ in 0..150 {
                run.step(HZ);
                told.extend(run.world.events().map(|e| (e.kind(), e.time.to_bits())).filter(is_told_once));
                if let Some(mode) = mode {
                    run.world.detect(mode).expect("in range");
                    ends += run.world.events().filter(|e| matches!(e.detail, EventDetail::Tick(_))).count();
                }
            }
            (run.world.state_hash(), told.len(), ends)
        };
        let alone = play(None);
        assert!(alone.1 > 5, "hits: {alone:?}");
        for mode in MODES {
            assert_eq!(play(Some(mode)), alone, "{name}, {mode:?}");
        }
    }
}

/// Hits are of steps; begins and ends come with whoever looks first.
fn is_told_once(event: &(EventKind, u64)) -> bool {
    event.0 == EventKind::Hit
}

/// The wake rules see what a query found first.
#[test]
fn what_loses_its_support_before_a_query_wakes_after_it() {
    for mode in MODES {
        let shelf = BodySpec::fixed().pose(Pose::at(0.0, 1.0, 0.0)).collider(block(0.3, 0.05, 0.3));
        let scene = Scene::on_ground().with_all([shelf, cube(0.2, 0.0, 1.15, 0.0)]);
        let mut run = scene.start(&WorldConfig::fast(), 1);
        run.steps(HZ, 2.0, |_| ());
        let book = run.bodies[2];
        assert!(run.world.body(book).expect("it exists").is_asleep);
        let sides = [run.bodies[1], book].map(RuleSide::Body);
        run.world.add_rule(Rule::ignore(sides[0], sides[1])).expect("both exist");
        run.world.detect(mode).expect("in range");
        run.steps(HZ, 1.0, |_| ());
        assert!(run.place(2).y < 0.2, "{mode:?}: it hangs at {} m", run.place(2).y);
    }
}

#[test]
fn an_overlap_that_is_no_number_is_refused() {
    for deeper_than in [-1.0, f32::NAN, f32::INFINITY] {
        assert!(planner().world.first_penetration(deeper_than).is_err(), "{deeper_than}");
    }
}
