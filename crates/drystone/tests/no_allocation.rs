//! A step, a snapshot and a restore allocate nothing once capacities have settled (design section 5), at rest and in motion, at one and
//! two threads. A binary of its own with one test, since the count is of the whole process.
#![expect(unsafe_code, reason = "a counting global allocator")]

mod common;

use common::*;
use drystone::math::{Pose, Position, Vector3};
use drystone::{
    BodySpec, ColliderSpec, EventConfig, JointSpec, Key, Keyframes, Motor, Rule, RulePair, RuleSide, Shape,
    TimerSpec, WorldConfig,
};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed on to the system allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Steps for some seconds while gravity swings round once every two seconds, so that all balls roll to one
/// side and the next; returns the allocations within the steps.
fn churn(run: &mut Run, hz: f32, seconds: u32, swings: bool) -> usize {
    let (mut count, turn) = (0, hz as u32 / 8);
    for step in 0..seconds * hz as u32 {
        if swings && step % turn == 0 {
            let angle = (step / turn % 16) as f32 * std::f32::consts::TAU / 16.0;
            let gravity = Vector3::new(5.0 * angle.cos(), -9.81, 5.0 * angle.sin());
            run.world.set_gravity(gravity).expect("finite");
        }
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        run.step(hz);
        count += ALLOCATIONS.load(Ordering::Relaxed) - before;
    }
    count
}

/// A chain of rods on hinges with motors, limits and friction, that swings over the ground and through a tower.
fn add_articulation(run: &mut Run) {
    let world = &mut run.world;
    let mut below = world.add_body(BodySpec::fixed().pose(Pose::at(0.6, 1.6, 0.0))).expect("valid");
    let mut joints = Vec::new();
    for k in 0..4 {
        let top = 1.6 - 0.4 * f64::from(k);
        let rod = ColliderSpec::new(Shape::cuboid(Vector3::new(0.03, 0.15, 0.03)).expect("positive"));
        let rod = BodySpec::dynamic().pose(Pose::at(0.6, top - 0.2, 0.0)).collider(rod);
        let rod = world.add_body(rod).expect("valid");
        let hinge = JointSpec::hinge(below, rod).at(Position::new(0.6, top, 0.0)).along(Vector3::z());
        let spring = Motor::Spring { target: 0.0, stiffness: 5.0, damping: 0.1, most: 2.0 };
        let hinge = hinge.limits(-1.0, 1.0).friction(0.05).motor(spring);
        joints.push(world.add_joint(&hinge).expect("valid"));
        below = rod;
    }
    world.add_articulation(&joints).expect("a tree");
}

#[test]
fn a_step_allocates_nothing_after_warm_up() {
    for threads in [1, 2] {
        let stack = Scene::on_ground().with_all(tower(10, 0.0, 0.0));
        for (config, hz) in [
            (awake(), FAST),
            (WorldConfig::thesis_fast(), FAST),
            (fast_awake(), 60.0),
            (WorldConfig::fast(), 60.0),
        ] {
            let mut run = stack.start(&config, threads);
            churn(&mut run, hz, 1, false);
            assert_eq!(churn(&mut run, hz, 1, false), 0, "a tower at rest, {threads} threads, {hz} Hz");
        }
        let balls = (0..60).map(|i| {
            let (x, y, z) = (i % 5, i / 25, i / 5 % 5);
            ball(0.05, 0.15 * f64::from(x - 2), 0.06 + 0.11 * f64::from(y), 0.15 * f64::from(z - 2))
        });
        let pile = Scene::on_ground().with_all(pen(0.45)).with_all(balls);
        for (config, hz) in [(awake(), FAST), (fast_awake(), 60.0)] {
            let mut run = pile.start(&telling(config, true), threads);
            churn(&mut run, hz, 16, true);
            let moving = run.world.bodies().filter(|b| b.linear_velocity.norm() > 0.1).count();
            assert_eq!(churn(&mut run, hz, 4, true), 0, "a pile in motion, {threads} threads, {hz} Hz");
            assert!(moving > 20, "only {moving} balls move");
        }
        for config in [fast_awake(), WorldConfig::fast()] {
            let mut run = stack.start(&config, threads);
            add_articulation(&mut run);
            churn(&mut run, 60.0, 6, true);
            assert_eq!(churn(&mut run, 60.0, 4, true), 0, "an articulation in motion, {threads} threads");
            assert!(run.world.report().solver.articulations > 0, "it moves");
        }
        // Over bumps, where a pair has several manifolds that come and go: the most at a time is known later.
        let bumps: Vec<f32> =
            (0..169).map(|k| if k % 3 == 0 { 0.0 } else { -0.03 * (k % 5) as f32 }).collect();
        let bumps = Shape::height_field(13, 13, &bumps, [0.1, 0.1]).expect("a field");
        let mut hilly = pile.clone();
        hilly.bodies[0] = BodySpec::fixed().collider(ColliderSpec::new(bumps));
        let mut run = hilly.start(&fast_awake(), threads);
        churn(&mut run, 60.0, 32, true);
        assert_eq!(churn(&mut run, 60.0, 4, true), 0, "over bumps, {threads} threads");
        // In the valleys between bumps balls touch in several directions.
        run.world.set_gravity(-9.81 * Vector3::y()).expect("finite");
        let mut several = 0;
        run.steps(60.0, 2.0, |world| {
            let mut found: Vec<_> = world.contacts().map(|c| (c.colliders, c.normal)).collect();
            found.sort_by_key(|&(colliders, _)| colliders);
            several += found.windows(2).filter(|w| w[0].0 == w[1].0 && w[0].1 != w[1].1).count();
        });
        assert!(several > 100, "{several} times a pair touches in several directions");
        // Alone, recorded with room for all spans, and with too little.
        let stirred = pile.clone().with(paddle());
        for room in [0, 100_000, 10] {
            let mut run = stirred.start(&fast_awake(), threads);
            if room > 0 {
                run.world.start_recording(room);
            }
            churn(&mut run, 60.0, 16, true);
            let count = churn(&mut run, 60.0, 4, true);
            assert_eq!(count, 0, "stirred by what is kinematic, {threads} threads, room for {room} spans");
            let dropped = run.world.stop_recording().map(|recording| recording.dropped() > 0);
            assert_eq!(dropped, (room > 0).then_some(room == 10));
        }
        for (config, hz) in [(awake(), FAST), (fast_awake(), 60.0)] {
            let mut run = with_everything(stirred.clone(), config, threads);
            churn(&mut run, hz, 24, true);
            let (count, told) = (churn(&mut run, hz, 4, true), run.world.events().count());
            assert_eq!(count, 0, "with all kinds of nodes and events, {threads} threads, {hz} Hz");
            // Rules let pieces fall through the floor: how many are left by then is chance.
            assert!(told > 25, "{told} events in the last step");
            let calm = copies(&mut run, hz);
            assert!(
                calm > 40,
                "{calm} of 60 snapshots with no allocation before, {threads} threads, {hz} Hz"
            );
        }
    }
}

/// Takes snapshots in the memory of the first one while a pile churns, and goes back to each: none allocates unless a step did before, and
/// none does the second time. Returns how many came after steps without allocations.
fn copies(run: &mut Run, hz: f32) -> u32 {
    let mut snapshot = run.world.snapshot();
    let now = || ALLOCATIONS.load(Ordering::Relaxed);
    let (mut calm, mut since) = (0, now());
    for _ in 0..60 {
        for _ in 0..5 {
            run.step(hz);
        }
        let stepped = now();
        run.world.snapshot_into(&mut snapshot);
        let taken = now() - stepped;
        if stepped == since {
            assert_eq!(taken, 0, "steps did not allocate, the snapshot did");
            calm += 1;
        }
        since = now();
        run.world.snapshot_into(&mut snapshot);
        assert_eq!(now(), since, "the second of the same state");
        run.step(hz);
        let before = now();
        run.world.restore(&snapshot).expect("its own");
        assert_eq!(now() - before, 0, "restored");
    }
    calm
}

/// The scene with a trigger, timers, rules of both kinds, composites, a multibody and a motion, where everything is told.
fn with_everything(scene: Scene, config: WorldConfig, threads: usize) -> Run {
    let events = EventConfig {
        touch_persist: true,
        proximity_begin: true,
        proximity_persist: true,
        proximity_end: true,
        hit: true,
        hit_speed: 0.01,
        ..EventConfig::default()
    };
    let zone = BodySpec::fixed().pose(Pose::at(0.2, 0.2, 0.0)).collider(block(0.2, 0.2, 0.4).trigger());
    let lift = BodySpec::kinematic().pose(Pose::at(-0.3, 0.05, 0.0)).collider(block(0.05, 0.05, 0.05));
    let scene = scene.with(zone).with(lift);
    let mut run = scene.start(&WorldConfig { events, ..config }, threads);
    let (lift, bodies) = (run.bodies[run.bodies.len() - 1], &run.bodies[5..65]);
    let world = &mut run.world;
    let keys =
        [0.0, 0.5, 1.0].map(|t| Key::new(t, Pose::at(-0.3, 0.05 + 0.1 * (t * 2.0 - 1.0_f64).abs(), 0.0)));
    world
        .follow_motion(
            lift,
            Keyframes::linear(keys).expect("in order").repeating().expect("it ends where it begins"),
        )
        .expect("kinematic");
    for island in bodies[..30].chunks(3) {
        world.fasten(island).expect("free bodies");
    }
    world.add_multibody(&bodies[30..34]).expect("free bodies");
    world.add_timer(TimerSpec::periodic(1e-3)).expect("in range");
    let odd = |pair: &RulePair| (pair.colliders[0].index + pair.colliders[1].index).is_multiple_of(5);
    world.add_rule(Rule::ignore(RuleSide::Anything, RuleSide::Anything).when(odd)).expect("valid");
    world.add_rule(Rule::force(RuleSide::Body(bodies[40]), RuleSide::Groups(1))).expect("it exists");
    run
}

/// The fast preset with sleeping off.
fn fast_awake() -> WorldConfig {
    let mut config = WorldConfig::fast();
    config.sleeping.enabled = false;
    config
}

/// A kinematic bar that turns above the floor.
fn paddle() -> BodySpec {
    BodySpec::kinematic()
        .pose(Pose::at(0.0, 0.1, 0.0))
        .collider(block(0.3, 0.02, 0.02))
        .angular_velocity(Vector3::y() * 2.0)
}
