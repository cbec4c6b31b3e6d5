//! Touch events: every begin has exactly one end (S3-12, S3-16). Trusted reference: a ledger of open touches.

use crate::common::*;
use drystone::math::{Pose, Vector3};
use drystone::{BodyHandle, BodySpec, ColliderHandle, ColliderSpec, Shape, TouchPhase, World, WorldConfig};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// Open touches by their colliders, with their bodies.
#[derive(Default)]
struct Ledger {
    open: BTreeMap<[ColliderHandle; 2], [BodyHandle; 2]>,
    begun: usize,
}

impl Ledger {
    /// Takes in the events of a step.
    fn follow(&mut self, world: &World) {
        let keys: Vec<_> =
            touches(world).map(|e| (e.colliders, e.phase != TouchPhase::End, e.phase)).collect();
        assert!(keys.is_sorted(), "events are sorted: {keys:?}");
        // A touch may end and begin in the same step only as two colliders, or after a gap in between: the
        // end is told of the old one.
        let in_order = |phase| touches(world).filter(move |e| e.phase == phase);
        for event in in_order(TouchPhase::End) {
            assert_eq!(
                self.open.remove(&event.colliders),
                Some(event.bodies),
                "an end without a begin: {event:?}"
            );
        }
        for event in in_order(TouchPhase::Begin) {
            assert_eq!(self.open.insert(event.colliders, event.bodies), None, "begun twice: {event:?}");
            self.begun += 1;
        }
        for event in in_order(TouchPhase::Persist) {
            assert_eq!(self.open.get(&event.colliders), Some(&event.bodies), "persists unbegun: {event:?}");
        }
    }
}

/// What happens between two runs of steps.
#[derive(Clone, Debug)]
enum Change {
    Add(f64, f64, f64),
    Teleport(usize, f64, f64, f64),
    Push(usize, f32, f32),
    Steps(u32),
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let place = || (-0.3..0.3_f64, 0.05..0.6_f64, -0.3..0.3_f64);
    let change = prop_oneof![
        2 => place().prop_map(|(x, y, z)| Change::Add(x, y, z)),
        2 => (0..64_usize, place()).prop_map(|(i, (x, y, z))| Change::Teleport(i, x, y, z)),
        1 => (0..64_usize, -8.0..8.0_f32, -8.0..8.0_f32).prop_map(|(i, x, z)| Change::Push(i, x, z)),
        4 => (1..40_u32).prop_map(Change::Steps),
    ];
    prop::collection::vec(change, 10..40)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Whatever is added, moved or pushed: after every step the open touches are those of the ledger, and once
    /// all bodies have been carried apart, every begin has had its end.
    #[test]
    fn every_begin_has_exactly_one_end(changes in changes(), tell_persisting: bool) {
        let config = telling(WorldConfig::thesis_fast(), tell_persisting);
        let mut run = Scene::on_ground().with_all(pen(0.4)).with_all(heap(4, 0.0, 0.0, 1)).start(&config, 1);
        let mut ledger = Ledger::default();
        for change in changes {
            let movable = run.bodies.len() - 5;
            match change {
                Change::Add(x, y, z) => {
                    let body = run.world.add_body(cube(0.1, x, y, z)).expect("it is valid");
                    run.bodies.push(body);
                }
                Change::Teleport(i, x, y, z) => {
                    run.world.set_pose(run.bodies[5 + i % movable], Pose::at(x, y, z)).expect("finite");
                }
                Change::Push(i, x, z) => {
                    let impulse = Vector3::new(x, 0.0, z);
                    run.world.add_impulse(run.bodies[5 + i % movable], impulse, Vector3::zeros()).expect("finite");
                }
                Change::Steps(count) => {
                    for _ in 0..count {
                        run.step(FAST);
                        ledger.follow(&run.world);
                    }
                }
            }
        }
        for i in 5..run.bodies.len() {
            run.world.set_pose(run.bodies[i], Pose::at(10.0 * i as f64, 50.0, 0.0)).expect("finite");
        }
        run.step(FAST);
        ledger.follow(&run.world);
        prop_assert!(ledger.open.is_empty(), "never ended: {:?}", ledger.open);
    }
}

#[test]
fn touches_that_go_on_are_told_when_asked() {
    for tell_persisting in [false, true] {
        let config = telling(awake(), tell_persisting);
        let mut run = Scene::on_ground().with(cube(0.1, 0.0, 0.05, 0.0)).start(&config, 1);
        let mut counts = [0; 3];
        run.steps(FAST, 1.0, |world| touches(world).for_each(|e| counts[e.phase as usize] += 1));
        assert_eq!(counts, [1, if tell_persisting { 239 } else { 0 }, 0], "begin, persist, end");
    }
}

/// A ball rolls from a box onto a mesh that lies flush beside it, and stops at a wall of the mesh: of the two manifolds with the mesh the seam hides
/// the first one, and the wall's is what touches. However they part, that touch ends once.
#[test]
fn a_touch_ends_also_where_a_seam_hides_its_first_manifold() {
    let corners = [
        [0.0, 0.0, -1.0],
        [0.0, 0.0, 1.0],
        [0.08, 0.0, 1.0],
        [0.08, 0.0, -1.0],
        [0.08, 0.5, 1.0],
        [0.08, 0.5, -1.0],
    ];
    let corners: Vec<_> = corners.into_iter().map(Vector3::from).collect();
    let mesh = Shape::mesh(&corners, &[[0, 1, 2], [0, 2, 3], [3, 2, 4], [3, 4, 5]]).expect("a mesh");
    let floor = BodySpec::fixed().pose(Pose::at(-1.0, -0.5, 0.0)).collider(block(1.0, 0.5, 1.0));
    for way_out in 0..3 {
        let config = telling(WorldConfig::fast(), true);
        let roller = ball(0.1, -0.5, 0.1, 0.0)
            .linear_velocity(Vector3::new(0.6, 0.0, 0.0))
            .angular_velocity(Vector3::new(0.0, 0.0, -6.0));
        let scene = Scene::default()
            .with(floor.clone())
            .with(BodySpec::fixed().collider(ColliderSpec::new(mesh.clone())))
            .with(roller);
        let mut run = scene.surface(0.0, 0.5, 0.5).start(&config, 1);
        let mut ledger = Ledger::default();
        run.steps(60.0, 2.0, |world| ledger.follow(world));
        assert!(run.place(2).x > -0.03, "it is at the wall: {:?}", run.place(2));
        assert_eq!(ledger.open.len(), 2, "it touches the floor and the mesh: {:?}", ledger.open);
        assert!(ledger.begun < 6, "its touches do not begin again and again: {}", ledger.begun);
        let ball = run.bodies[2];
        match way_out {
            0 => run.world.remove_body(ball).expect("it is there"),
            1 => run.world.set_pose(ball, Pose::at(-0.5, 5.0, 0.0)).expect("finite"),
            _ => run.world.set_active(ball, false).expect("it is there"),
        }
        run.step(60.0);
        ledger.follow(&run.world);
        assert!(ledger.open.is_empty(), "way {way_out}: never ended: {:?}", ledger.open);
    }
}

/// What gathered stays for who takes it, and is not told again with every step.
#[test]
fn a_queue_that_is_switched_off_tells_nothing_old() {
    let mut config = awake();
    config.events.queue = true;
    let mut run = Scene::on_ground().with(cube(0.1, 0.0, 0.05, 0.0)).start(&config, 1);
    run.steps(FAST, 0.1, |_| {});
    config.events.queue = false;
    run.world.set_config(config).expect("it may change");
    run.steps(FAST, 0.1, |world| assert_eq!(world.events().count(), 0, "nothing happens"));
    assert_eq!(run.world.take_events().len(), 1, "the begin is still there");
}

#[test]
fn a_bouncing_ball_touches_once_per_bounce() {
    // From 0.5 m with restitution 1 it lands after sqrt(2 h / g) = 0.319 s and then every 0.639 s: five times
    // within 3 s. The last touch is over before that, at 2.873 s and the time to leave the margin.
    let scene = Scene::on_ground().with(ball(0.1, 0.0, 0.6, 0.0)).surface(1.0, 0.0, 0.0);
    let mut run = scene.start(&accurate(), 1);
    let (mut ledger, mut times) = (Ledger::default(), Vec::new());
    let fall = (2.0 * 0.5 / G).sqrt();
    run.steps(ACCURATE, 3.0, |world| {
        let before = ledger.begun;
        ledger.follow(world);
        if ledger.begun > before {
            times.push(world.time());
        }
    });
    assert_eq!((times.len(), ledger.open.len()), (5, 0), "bounces at {times:?}");
    for (k, time) in times.iter().enumerate() {
        let expected = fall * (1.0 + 2.0 * k as f64);
        // First order: the ball turns round up to one step's way v dt above the ground and climbs v dt higher than
        // it fell, so each flight is up to 2 dt longer than the one before, and landing is seen within a step.
        let tolerance = ((k + 1) * (k + 1)) as f64 / f64::from(ACCURATE);
        assert!((time - expected).abs() < tolerance, "bounce {k} at {time} s, not {expected}");
    }
}

#[test]
fn colliders_that_do_not_meet_never_touch() {
    let ghost =
        BodySpec::dynamic().pose(Pose::at(0.0, 0.05, 0.0)).collider(block(0.05, 0.05, 0.05).filter(2, 4));
    let mut run = Scene::on_ground().with(ghost).start(&awake(), 1);
    run.steps(FAST, 0.5, |world| {
        assert!(world.events().next().is_none() && world.contacts().next().is_none())
    });
    assert!(run.place(1).y < -0.5, "it falls through");
}
