//! Proximity, timers, hits, and how all is handed over (S3-16, S3-17). Trusted reference: closed forms.

use crate::common::*;
use drystone::math::{Real, Vector3};
use drystone::{
    BodySpec, ColliderSpec, Event, EventConfig, EventDetail, EventKind, HitEvent, Shape, TimerSpec,
    TouchPhase, WorldConfig,
};

const HZ: Real = 60.0;

/// These settings, and all kinds of events.
fn all(config: WorldConfig) -> WorldConfig {
    let events = EventConfig {
        touch_persist: true,
        proximity_begin: true,
        proximity_persist: true,
        proximity_end: true,
        hit: true,
        ..config.events
    };
    WorldConfig { events, ..config }
}

#[test]
fn a_pair_is_near_from_begin_to_end_and_once_per_step_between() {
    // Two balls pass each other; their boxes meet, they do not.
    let mover = ball(0.1, -1.0, 0.0, 0.0).gravity_scale(0.0).linear_velocity(Vector3::x() * 2.0);
    let other = ball(0.1, 0.0, 0.205, 0.0).gravity_scale(0.0);
    let mut run = Scene::default().with(mover).with(other).start(&all(WorldConfig::fast()), 1);
    let mut phases = Vec::new();
    for _ in 0..60 {
        run.step(HZ);
        let edges = run.world.report().edges;
        let before = phases.len();
        for event in run.world.events() {
            let EventDetail::Proximity(e) = event.detail else { panic!("{event:?}") };
            assert_eq!((e.bodies, event.time), ([run.bodies[0], run.bodies[1]], run.world.time()));
            phases.push(e.phase);
        }
        let told = &phases[before..];
        assert!(told.len() <= 1 && (edges == 1) == told.iter().any(|p| *p != TouchPhase::End), "{told:?}");
    }
    let count = phases.len();
    assert!(count > 4);
    assert_eq!((phases[0], phases[count - 1]), (TouchPhase::Begin, TouchPhase::End));
    assert!(phases[1..count - 1].iter().all(|p| *p == TouchPhase::Persist));
}

#[test]
fn proximity_ends_when_a_body_is_removed() {
    let scene = Scene::default().with_all([0.0, 0.11].map(|x| ball(0.05, x, 0.0, 0.0).gravity_scale(0.0)));
    let mut run = scene.start(&all(WorldConfig::fast()), 1);
    let kinds = |run: &mut Run| {
        run.step(HZ);
        run.world.events().map(|e| e.kind()).collect::<Vec<_>>()
    };
    assert_eq!(kinds(&mut run), [EventKind::ProximityBegin]);
    assert_eq!(kinds(&mut run), [EventKind::ProximityPersist]);
    run.world.remove_body(run.bodies[1]).expect("it exists");
    assert_eq!(kinds(&mut run), [EventKind::ProximityEnd]);
    assert_eq!(kinds(&mut run), []);
}

#[test]
fn what_is_not_asked_for_is_not_told() {
    let config = WorldConfig::fast();
    let silent = EventConfig {
        trigger_in: false,
        trigger_out: false,
        touch_begin: false,
        touch_end: false,
        timer_tick: false,
        ..config.events
    };
    let zone = BodySpec::fixed().collider(block(0.5, 0.5, 0.5).trigger());
    let scene = Scene::on_ground().with(cube(0.1, 0.0, 0.3, 0.0)).with(zone);
    let mut run = scene.start(&WorldConfig { events: silent, ..config }, 1);
    let timer = run.world.add_timer(TimerSpec::periodic(0.125)).expect("in range");
    run.steps(HZ, 1.0, |world| assert_eq!(world.events().next(), None));
    assert_eq!(run.world.timer(timer).expect("it exists").ticks, 8);
}

#[test]
fn the_queue_holds_what_the_steps_told() {
    let config = all(WorldConfig::fast());
    let queued =
        WorldConfig { events: EventConfig { queue: true, ..config.events.clone() }, ..config.clone() };
    let scene = Scene::on_ground()
        .with_all(heap(6, 0.0, 0.0, 3))
        .with(BodySpec::fixed().collider(block(0.2, 0.2, 0.2).trigger()));
    let [mut direct, mut gathered] = [config, queued].map(|config| {
        let mut run = scene.start(&config, 1);
        run.world.add_timer(TimerSpec::periodic(0.01)).expect("in range");
        run
    });
    let mut expected: Vec<Event> = Vec::new();
    for _ in 0..60 {
        direct.step(HZ);
        gathered.step(HZ);
        expected.extend(direct.world.events());
    }
    assert_eq!(gathered.world.events().collect::<Vec<_>>(), expected);
    assert_eq!(gathered.world.take_events(), expected);
    assert_eq!((gathered.world.events().count(), direct.world.take_events().len()), (0, 0));
    for kind in [
        EventKind::TriggerIn,
        EventKind::TouchBegin,
        EventKind::ProximityPersist,
        EventKind::TimerTick,
        EventKind::Hit,
    ] {
        assert!(expected.iter().any(|e| e.kind() == kind), "no {kind:?}");
    }
}

/// Hits of a run of `seconds`.
fn hits(run: &mut Run, hz: Real, seconds: f64) -> Vec<HitEvent> {
    let mut hits = Vec::new();
    run.steps(hz, seconds, |world| {
        hits.extend(world.events().filter_map(|event| match event.detail {
            EventDetail::Hit(hit) => Some(hit),
            _ => None,
        }));
    });
    hits
}

#[test]
fn a_ball_that_drops_hits_once_with_the_speed_of_the_drop_and_the_impulse_it_took() {
    let presets =
        [(WorldConfig::fast(), HZ), (WorldConfig::thesis_fast(), FAST), (WorldConfig::nsgs(), FAST)];
    for (config, hz) in presets {
        let scene = Scene::on_ground().with(ball(0.1, 0.3, 1.1, 0.2)).surface(0.0, 0.2, 0.2);
        let mut run = scene.start(&all(config), 1);
        let mass = run.world.body(run.bodies[1]).expect("it exists").mass;
        // Dropped by 1 m; velocities are those before the step's own gravity, and the last step may end above the ground.
        let (speed, slack) = ((2.0 * G as Real).sqrt(), 2.0 * G as Real / hz);
        let mut count = 0;
        for _ in 0..hz as u32 {
            let before = run.linear(1).y;
            let found = hits(&mut run, hz, 1.0 / f64::from(hz));
            // The whole momentum that the step changed, but for gravity: nothing else acts.
            let taken = mass * (run.linear(1).y - before + G as Real / hz);
            for hit in found {
                count += 1;
                assert!((hit.speed - speed).abs() < slack, "{} m/s", hit.speed);
                assert!(
                    (hit.impulse - taken).abs() < 1e-4 * mass * speed,
                    "{} N s, not {taken}",
                    hit.impulse
                );
                let up = if hit.bodies[0] == run.bodies[0] { 1.0 } else { -1.0 };
                assert!((hit.normal - Vector3::y() * up).norm() < 1e-5);
                // Where the ball was before the step, up to its way in one.
                assert!((hit.point.x - 0.3).abs() < 1e-5 && (hit.point.z - 0.2).abs() < 1e-5);
                assert!(hit.point.y.abs() < f64::from(speed / hz), "{} m", hit.point.y);
                assert_eq!(hit.materials, [drystone::MaterialId::default(); 2]);
            }
        }
        assert_eq!(count, 1);
    }
}

/// A hit is told with the step in which it was, or not at all: not when hits are asked for again long after.
#[test]
fn a_hit_of_before_hits_were_off_is_not_told_when_they_are_on_again() {
    let config = all(WorldConfig::fast());
    let events = EventConfig { hit: false, ..config.events.clone() };
    let without = WorldConfig { events, ..config.clone() };
    let count = |run: &Run| run.world.events().filter(|event| event.kind() == EventKind::Hit).count();
    let mut run = Scene::on_ground().with(ball(0.1, 0.0, 0.3, 0.0)).start(&config, 1);
    while count(&run) == 0 {
        run.step(HZ);
        assert!(run.world.time() < 1.0, "it drops by 0.2 m");
    }
    let [with, without] = [config, without].map(|config| WorldConfig { parallel_threshold: 0, ..config });
    run.world.set_config(without).expect("in range");
    run.steps(HZ, 1.0, |world| assert!(world.events().all(|event| event.kind() != EventKind::Hit)));
    run.world.set_config(with).expect("in range");
    assert_eq!(count(&run), 0, "a second ago");
}

/// Hits of a ball of 0.1 m that flies from a place in a corner with this velocity: a mesh of a floor at y = 0 and a wall at x = 1, triangle
/// by triangle in this order.
fn hits_in_a_corner(order: [usize; 4], [x, y]: [f64; 2], linear: Vector3) -> Vec<HitEvent> {
    let corners = [
        [-1.0, 0.0, -1.0],
        [1.0, 0.0, -1.0],
        [1.0, 0.0, 1.0],
        [-1.0, 0.0, 1.0],
        [1.0, 4.0, -1.0],
        [1.0, 4.0, 1.0],
    ];
    let corners = corners.map(|[x, y, z]| Vector3::new(x, y, z));
    let triangles = [[0, 3, 2], [0, 2, 1], [1, 2, 5], [1, 5, 4]];
    let mesh = Shape::mesh(&corners, &order.map(|k| triangles[k])).expect("a mesh");
    let ball = ball(0.1, x, y, 0.3).gravity_scale(0.0).linear_velocity(linear);
    let scene = Scene::default().with(BodySpec::fixed().collider(ColliderSpec::new(mesh))).with(ball);
    hits(&mut scene.start(&all(WorldConfig::fast()), 1), HZ, 0.6)
}

/// The touch of two colliders is told of their first manifold, the blow may be on another one.
#[test]
fn a_ball_that_falls_beside_a_wall_of_a_mesh_hits_the_floor_of_it() {
    for order in [[0, 1, 2, 3], [2, 3, 0, 1], [3, 1, 2, 0]] {
        for gap in [0.005, 0.015, 0.5] {
            let found = hits_in_a_corner(order, [0.9 - gap, 3.0], Vector3::new(0.0, -10.0, 0.0));
            let [hit] = found[..] else { panic!("{order:?}, {gap} m: {found:?}") };
            assert!(
                (hit.speed - 10.0).abs() < 1e-3 && hit.normal.y.abs() > 0.999,
                "{order:?}, {gap} m: {hit:?}"
            );
            assert!(hit.impulse > 0.0);
        }
    }
}

/// It reaches both after 0.31 s, the floor at twice the speed.
#[test]
fn of_two_blows_of_one_pair_the_stronger_one_is_told() {
    for order in [[0, 1, 2, 3], [2, 3, 0, 1], [3, 1, 2, 0]] {
        let found =
            hits_in_a_corner(order, [0.9 - 5.0 * 0.31, 0.1 + 10.0 * 0.31], Vector3::new(5.0, -10.0, 0.0));
        let [hit] = found[..] else { panic!("{order:?}: {found:?}") };
        assert!((hit.speed - 10.0).abs() < 1e-3 && hit.normal.y.abs() > 0.999, "{order:?}: {hit:?}");
    }
}

#[test]
fn what_is_slower_than_the_threshold_is_no_hit() {
    let drop = |hit_speed| {
        let config = all(WorldConfig::fast());
        let config = WorldConfig { events: EventConfig { hit_speed, ..config.events.clone() }, ..config };
        let mut run = Scene::on_ground().with(ball(0.1, 0.0, 0.3, 0.0)).start(&config, 1);
        hits(&mut run, HZ, 1.0).len()
    };
    // Dropped by 0.2 m: 1.98 m/s.
    assert_eq!((drop(2.2), drop(1.0)), (0, 1));
    let config = EventConfig { hit_speed: -1.0, ..EventConfig::default() };
    let refused = drystone::World::new(WorldConfig { events: config, ..WorldConfig::fast() }).err();
    assert!(refused.is_some_and(|e| e.to_string().contains("events.hit_speed must be at least 0, got -1")));
}

#[test]
fn a_box_set_down_hits_nothing() {
    let mut run = Scene::on_ground().with(cube(0.1, 0.0, 0.0501, 0.0)).start(&all(WorldConfig::fast()), 1);
    assert_eq!(hits(&mut run, HZ, 1.0), []);
}
