//! Sleep and wake rules from end to end (S1-33..44; S3-32). The rules themselves are tested in
//! `crates/sleeping`; here they meet detection, correction and resolution. Trusted reference: the text of S1.

use crate::common::*;
use drystone::math::{Displacement, Pose, Real, Vector3};
use drystone::{BodyHandle, BodySpec, WakeCause, World, WorldConfig, WorldError};
use std::collections::BTreeMap;

/// A scene in which all these bodies have fallen asleep.
fn asleep(scene: &Scene, config: &WorldConfig, bodies: &[usize]) -> Run {
    let mut run = scene.start(config, 1);
    run.until_asleep(FAST, bodies);
    run
}

fn config() -> WorldConfig {
    WorldConfig::thesis_fast()
}

#[test]
fn every_change_of_state_from_outside_wakes() {
    // S1-37.
    type Change = fn(&mut World, BodyHandle) -> Result<(), WorldError>;
    let changes: [(&str, Change); 9] = [
        ("force", |w, b| w.add_force(b, Vector3::y(), Vector3::zeros())),
        ("torque", |w, b| w.add_force(b, Vector3::zeros(), Vector3::y())),
        ("impulse", |w, b| w.add_impulse(b, Vector3::y() * 1e-3, Vector3::zeros())),
        ("velocity", |w, b| w.set_velocity(b, Vector3::x() * 0.1, Vector3::zeros())),
        ("pose", |w, b| w.set_pose(b, Pose::at(0.01, 0.05, 0.0))),
        ("damping", |w, b| w.set_damping(b, 0.1, 0.1)),
        ("gravity scale", |w, b| w.set_gravity_scale(b, 0.5)),
        ("wake", |w, b| w.wake(b)),
        ("gravity", |w, _| w.set_gravity(Vector3::new(0.0, -9.0, 0.0))),
    ];
    let scene = Scene::on_ground().with(cube(0.1, 0.0, 0.05, 0.0)).with(cube(0.1, 5.0, 0.05, 0.0));
    for (name, change) in changes {
        let mut run = asleep(&scene, &config(), &[1, 2]);
        change(&mut run.world, run.bodies[1]).expect(name);
        assert!(!run.is_asleep(1), "{name}");
        assert_eq!(run.is_asleep(2), name != "gravity", "{name}: the other one");
        let woken = run.step(FAST).wakes.get(WakeCause::User);
        assert_eq!(woken, if name == "gravity" { 2 } else { 1 }, "{name}");
    }
}

#[test]
fn a_rule_of_the_callers_own_puts_to_sleep_and_the_engine_wakes() {
    // S1-40..42 hold for what slept by another's rule.
    for config in [config(), WorldConfig::default()] {
        let mut config = config;
        config.sleeping.enabled = false;
        let scene = Scene::on_ground().with_all(tower(2, 0.0, 0.0)).with(cube(0.1, 5.0, 3.0, 0.0));
        let mut run = scene.start(&config, 1);
        run.steps(FAST, 0.25, |_| ());
        let bodies = run.bodies.clone();
        assert!(!run.is_asleep(1) && !run.is_asleep(2), "no rule of the engine puts to sleep");
        assert!(!run.world.put_to_sleep(bodies[0]).expect("alive"), "the ground is no sleeper");
        assert!(!run.world.put_to_sleep(bodies[3]).expect("alive"), "nothing carries what falls");
        for body in [1, 2, 2] {
            assert!(
                run.world.put_to_sleep(bodies[body]).expect("alive"),
                "what rests sleeps, and goes on so"
            );
        }
        let places = |run: &Run| [1, 2].map(|body| run.place(body));
        let before = places(&run);
        run.steps(FAST, 0.05, |_| ());
        assert!(run.is_asleep(1) && run.is_asleep(2) && places(&run) == before);
        run.world.remove_body(bodies[1]).expect("alive");
        run.step(FAST);
        assert!(!run.is_asleep(2), "its support is gone");
    }
}

/// A plank on a post with a cube on each end, all asleep. One cube is taken away: the plank wakes and has no reason to move, for to it the other
/// cube, which sleeps, weighs nothing.
#[test]
fn a_balance_tips_when_one_of_its_sleeping_weights_is_taken_away() {
    let at = |x, y, half: [Real; 3], spec: BodySpec| {
        spec.pose(Pose::at(x, y, 0.0)).collider(block(half[0], half[1], half[2]))
    };
    let scene = Scene::on_ground()
        .with(at(0.0, 0.2, [0.02, 0.2, 0.2], BodySpec::fixed()))
        .with(at(0.0, 0.425, [0.5, 0.025, 0.1], BodySpec::dynamic()))
        .with(cube(0.1, -0.4, 0.5, 0.0))
        .with(cube(0.1, 0.4, 0.5, 0.0));
    let config = WorldConfig::fast();
    let mut run = asleep(&scene, &config, &[2, 3, 4]);
    run.world.remove_body(run.bodies[3]).expect("it exists");
    let mut unbalanced = 0;
    for _ in 0..120 {
        unbalanced += run.step(60.0).wakes.get(WakeCause::Unbalanced);
    }
    assert_eq!(unbalanced, 1, "the other cube wakes once");
    assert!(run.place(4).y < 0.3, "at {} m", run.place(4).y);
}

/// A box is pushed away below one that sleeps: friction takes that along from the first step on.
#[test]
fn what_slides_away_below_a_sleeper_takes_it_along() {
    for config in [WorldConfig::fast(), WorldConfig::nsgs()] {
        let scene = Scene::on_ground().with_all(tower(2, 0.0, 0.0)).surface(0.0, 0.5, 0.5);
        let mut run = asleep(&scene, &config, &[1, 2]);
        run.world.set_velocity(run.bodies[1], Vector3::x(), Vector3::zeros()).expect("it exists");
        assert_eq!(run.step(FAST).wakes.get(WakeCause::Impact), 1);
        run.steps(FAST, 0.025, |_| {});
        assert!(run.linear(2).x > 0.1 && run.linear(2).x < run.linear(1).x, "{:?}", run.linear(2));
    }
}

#[test]
fn what_starts_asleep_stays_so_until_it_is_struck() {
    // S1-39. The stack is exactly touching, and looks at nothing until the ball is there.
    let stack = tower(5, 0.0, 0.0).map(|cube| cube.asleep(true));
    let scene = Scene::on_ground().with_all(stack).with(ball(0.1, 0.0, 3.0, 0.0));
    let mut run = scene.start(&config(), 1);
    for _ in 0..480 {
        if run.step(FAST).wakes.get(WakeCause::Impact) > 0 {
            assert!(run.linear(6).y < 0.0 || run.place(6).y < 0.7, "the ball is there");
            return;
        }
        assert!((1..6).all(|b| run.is_asleep(b) && run.way(b).norm() == 0.0));
    }
    panic!("the ball never woke the stack");
}

#[test]
fn what_starts_asleep_in_the_air_falls() {
    // S1-42; the cube on it loses its support (S1-41, S1-42), a neighbour on the ground sleeps on.
    let sleeper = |x, y| cube(0.1, x, y, 0.0).asleep(true);
    let scene = Scene::on_ground().with(sleeper(0.0, 0.5)).with(sleeper(0.0, 0.6)).with(sleeper(1.0, 0.05));
    let mut run = scene.start(&config(), 1);
    assert_eq!(run.step(FAST).wakes.get(WakeCause::Floating), 1);
    assert!(!run.is_asleep(1) && run.is_asleep(3));
    run.steps(FAST, 1.0, |_| {});
    for (body, height) in [(1, 0.05), (2, 0.15), (3, 0.05)] {
        assert!((run.place(body).y - height).abs() < 2e-3, "body {body} at {} m", run.place(body).y);
    }
    assert!(run.is_asleep(3));
}

#[test]
fn what_starts_asleep_wakes_when_its_support_goes() {
    // S1-40, S1-41.
    let stack = tower(3, 0.0, 0.0).map(|cube| cube.asleep(true));
    let mut run = Scene::on_ground().with_all(stack).start(&config(), 1);
    run.steps(FAST, 0.1, |_| {});
    run.world.remove_body(run.bodies[1]).expect("it exists");
    run.steps(FAST, 2.0, |_| {});
    for body in 2..4 {
        assert!((run.way(body).y + 0.1).abs() < 2e-3, "body {body} fell by {} m", -run.way(body).y);
    }
}

#[test]
fn nothing_starts_asleep_that_cannot_sleep() {
    let mut world = World::new(config()).expect("valid");
    for refused in [
        cube(0.1, 0.0, 0.05, 0.0).asleep(true).linear_velocity(Vector3::x()),
        cube(0.1, 0.0, 0.05, 0.0).asleep(true).can_sleep(false),
        ground().asleep(true),
    ] {
        assert!(world.add_body(refused).is_err());
    }
    assert_eq!(world.body_count(), 0);
    // A world without sleeping has no sleepers.
    let mut config = config();
    config.sleeping.enabled = false;
    let run = Scene::on_ground().with(cube(0.1, 0.0, 0.05, 0.0).asleep(true)).start(&config, 1);
    assert!(!run.is_asleep(1));
}

#[test]
fn changed_global_forces_wake_everything() {
    // S1-37, S1-43: the rules speak of the sum of all global forces.
    let scene = Scene::on_ground().with_all(tower(3, 0.0, 0.0)).with(cube(0.1, 5.0, 0.05, 0.0));
    let mut run = asleep(&scene, &config(), &[1, 2, 3, 4]);
    // 2.8 kg each: well above the friction of 0.2.
    run.world.set_global_force(Vector3::new(20.0, 0.0, 0.0)).expect("finite");
    assert!((1..5).all(|b| !run.is_asleep(b)));
    run.steps(FAST, 0.5, |_| {});
    assert!((1..5).all(|b| run.way(b).x > 0.1), "all are blown away");
}

#[test]
fn a_sleeper_displaced_by_correction_wakes() {
    // S1-38: a block appears between a wall and the sleeper, 15 mm deep in it. It cannot move into the wall.
    let wall = BodySpec::fixed().pose(Pose::at(0.185, 0.05, 0.0)).collider(block(0.05, 0.05, 0.05));
    let wedge = cube(0.1, 3.0, 0.05, 0.0).can_sleep(false);
    let scene = Scene::on_ground().with(cube(0.1, 0.0, 0.05, 0.0)).with(wedge).with(wall);
    let mut run = asleep(&scene, &config(), &[1]);
    run.world.set_pose(run.bodies[2], Pose::at(0.085, 0.05, 0.0)).expect("finite");
    assert!(run.is_asleep(1), "nothing touched it yet");
    let wakes = run.step(FAST).wakes;
    assert_eq!((wakes.get(WakeCause::Corrected), wakes.total()), (1, 1));
    assert!(run.way(1).x < -0.01, "moved by {} m", run.way(1).x);
}

#[test]
fn a_sleeper_that_is_struck_wakes_at_that_step() {
    // S1-39.
    let scene = Scene::on_ground().with(cube(0.2, 0.0, 0.1, 0.0)).with(ball(0.1, 0.0, 3.0, 0.0));
    let mut run = asleep(&scene, &config(), &[1]);
    assert!(run.linear(2).y < -0.5, "the ball is still in the air");
    for _ in 0..480 {
        let touches = run.step(FAST).wakes.get(WakeCause::Impact) > 0;
        assert_eq!(run.is_asleep(1), !touches && run.linear(2).y < 0.0);
        if touches {
            assert!(run.place(2).y < 0.3 + 0.05, "struck when the ball is there, at {}", run.place(2).y);
            return;
        }
    }
    panic!("the ball never woke the cube");
}

#[test]
fn without_its_lowest_body_a_sleeping_stack_falls() {
    // S1-40, and S1-41, S1-42 for those that did not touch it.
    let mut run = asleep(&Scene::on_ground().with_all(tower(5, 0.0, 0.0)), &config(), &[1, 2, 3, 4, 5]);
    run.world.remove_body(run.bodies[1]).expect("it exists");
    assert!(!run.is_asleep(2) && run.is_asleep(3), "the one that touched it wakes at once");
    let wakes = run.step(FAST).wakes;
    assert_eq!(wakes.get(WakeCause::NeighbourRemoved), 1);
    run.steps(FAST, 3.0, |_| {});
    for body in 2..6 {
        let fall = -run.way(body).y;
        assert!((fall - 0.1).abs() < 2e-3, "body {body} fell by {fall} m");
    }
    run.until_asleep(FAST, &[2, 3, 4, 5]);
}

/// Two cubes 0.4 m apart and a plank across them.
fn bridge() -> Scene {
    let plank = BodySpec::dynamic().pose(Pose::at(0.0, 0.12, 0.0)).collider(block(0.3, 0.02, 0.05));
    Scene::on_ground().with(cube(0.1, -0.2, 0.05, 0.0)).with(cube(0.1, 0.2, 0.05, 0.0)).with(plank)
}

#[test]
fn losing_one_of_two_supports_wakes() {
    // S1-41, Fig 17. Without friction, what slides away does not drag.
    let mut run = asleep(&bridge().surface(0.0, 0.0, 0.0), &config(), &[1, 2, 3]);
    run.world.add_impulse(run.bodies[2], Vector3::new(0.0, 0.0, 10.0), Vector3::zeros()).expect("finite");
    let mut causes = [0, 0];
    for _ in 0..480 {
        let wakes = run.step(FAST).wakes;
        causes[0] += wakes.get(WakeCause::SupportLost);
        causes[1] += wakes.get(WakeCause::Floating);
    }
    assert!(causes[0] > 0, "support lost {}, floating {}", causes[0], causes[1]);
    assert!(run.place(3).y < 0.11, "the plank fell to {} m", run.place(3).y);
}

#[test]
fn losing_the_only_support_wakes() {
    // S1-42.
    let scene = Scene::on_ground()
        .with(cube(0.1, 0.0, 0.05, 0.0))
        .with(ball(0.05, 0.0, 0.15, 0.0))
        .surface(0.0, 0.0, 0.0);
    let mut run = asleep(&scene, &config(), &[1, 2]);
    run.world.add_impulse(run.bodies[1], Vector3::new(0.0, 0.0, 20.0), Vector3::zeros()).expect("finite");
    let mut floating = 0;
    for _ in 0..240 {
        floating += run.step(FAST).wakes.get(WakeCause::Floating);
    }
    assert_eq!(floating, 1);
    assert!((run.place(2).y - 0.05).abs() < 2e-3, "the ball is down, at {} m", run.place(2).y);
}

#[test]
fn a_floor_that_slides_away_lets_nothing_hang() {
    // S1-41, S1-42.
    let floor = BodySpec::kinematic().pose(Pose::at(0.0, 0.95, 0.0)).collider(block(0.5, 0.05, 0.5));
    let scene = Scene::on_ground().with(floor).with(cube(0.1, 0.0, 1.05, 0.0)).surface(0.0, 0.0, 0.0);
    let mut run = asleep(&scene, &config(), &[2]);
    run.world.set_velocity(run.bodies[1], Vector3::new(2.0, 0.0, 0.0), Vector3::zeros()).expect("finite");
    run.steps(FAST, 2.0, |_| {});
    assert!((run.place(2).y - 0.05).abs() < 2e-3, "the cube is down, at {} m", run.place(2).y);
}

#[test]
fn a_neighbour_that_leaves_sideways_wakes_nobody() {
    // S1-43.
    let scene = Scene::on_ground().with(cube(0.1, 0.0, 0.05, 0.0)).with(cube(0.1, 0.1, 0.05, 0.0));
    let mut run = asleep(&scene, &config(), &[1, 2]);
    assert!(run.world.contacts().any(|c| c.bodies == [run.bodies[1], run.bodies[2]]), "they touch");
    run.world.add_impulse(run.bodies[2], Vector3::new(6.0, 0.0, 0.0), Vector3::zeros()).expect("finite");
    for step in 0..480 {
        run.step(FAST);
        assert!(run.is_asleep(1), "woke at step {step}");
    }
    assert!(run.way(2).x > 0.3, "it left by {} m", run.way(2).x);
}

#[test]
fn sideways_is_judged_by_the_sum_of_the_global_forces() {
    // S1-43: gravity off, all are pressed against a wall at the left, so a neighbour above does not carry.
    let wall = BodySpec::fixed().pose(Pose::at(-0.1, 0.0, 0.0)).collider(block(0.05, 2.0, 2.0));
    let scene = Scene::default().with(wall).with(cube(0.1, 0.0, 0.0, 0.0)).with(cube(0.1, 0.0, 0.1, 0.0));
    let pressed =
        WorldConfig { gravity: Vector3::zeros(), global_force: Vector3::new(-28.0, 0.0, 0.0), ..config() };
    let mut run = asleep(&scene, &pressed, &[1, 2]);
    run.world.add_impulse(run.bodies[2], Vector3::new(0.0, 6.0, 0.0), Vector3::zeros()).expect("finite");
    for step in 0..240 {
        run.step(FAST);
        assert!(run.is_asleep(1), "woke at step {step}");
    }
    assert!(run.way(2).y > 0.1);
    // The wall carries both: without it they wake.
    run.world.remove_body(run.bodies[0]).expect("it exists");
    run.step(FAST);
    assert!(!run.is_asleep(1));
}

/// True when a contact of the body points along the pull, and closely.
fn is_carried(world: &World, body: BodyHandle, gap: Real) -> bool {
    world.contacts().any(|c| {
        let down = if c.bodies[0] == body { -c.normal.y } else { c.normal.y };
        c.bodies.contains(&body) && down > 0.0 && c.distance <= gap
    })
}

#[test]
fn nothing_sleeps_that_nothing_carries() {
    // S3-32: what Erleben's mixes of switches left hanging. Balls are thrown up to hang at their peak for
    // long, a heap settles, loses members, and settles again.
    let thrown = (0..4)
        .map(|i| ball(0.05, 3.0 + f64::from(i), 0.5, 0.0).linear_velocity(Vector3::y() * (0.01 * i as Real)));
    let scene = Scene::on_ground().with_all(pen(0.4)).with_all(thrown).with_all(heap(20, 0.0, 0.0, 11));
    let mut run = scene.start(&config(), 1);
    // Contacts count as carrying up to 2 g dt² (`SleepConfig::support_gap`).
    let gap = 2.0 * 9.81 / (FAST * FAST);
    let mut alive: Vec<usize> = (5..run.bodies.len()).collect();
    for step in 0..1200 {
        if step % 240 == 239 {
            let gone = alive.remove(alive.len() / 2);
            run.world.remove_body(run.bodies[gone]).expect("it exists");
        }
        run.step(FAST);
        for &i in alive.iter().filter(|&&i| run.is_asleep(i)) {
            assert!(is_carried(&run.world, run.bodies[i], gap), "body {i} sleeps in the air at step {step}");
        }
    }
}

#[test]
fn what_falls_asleep_was_slower_than_the_threshold() {
    // S1-33, S1-35: 0.2 g dt, by the motion bound of any surface point.
    // Four cubes, and four balls that roll away from the heap.
    let mut run = Scene::on_ground().with_all(heap(8, 0.0, 0.0, 2)).start(&config(), 1);
    let threshold = 0.2 * G / f64::from(FAST);
    let mut slept = 0;
    for _ in 0..1200 {
        let before: Vec<(bool, Displacement)> = (1..9).map(|i| (run.is_asleep(i), run.way(i))).collect();
        run.step(FAST);
        for (i, (was_asleep, way)) in (1..9).zip(before) {
            if run.is_asleep(i) && !was_asleep {
                slept += 1;
                // The move of this step was made with the speed of the step before, which had one more step of
                // damped gravity (0.3 g dt) to be stopped; correction moves by less than its own threshold.
                let speed = (run.way(i) - way).norm() * f64::from(FAST);
                assert!(speed < threshold + 0.3 * G / f64::from(FAST), "body {i} slept at {speed} m/s");
                assert_eq!((run.linear(i), run.angular(i)), (Vector3::zeros(), Vector3::zeros()));
            }
        }
    }
    assert!(slept >= 4, "only {slept} fell asleep");
}

/// Who copies poses of [`World::moved_bodies`] after every step has those of all bodies: also of what falls asleep, and of what wakes, is displaced by correction
/// and sleeps again within one step.
#[test]
fn what_copies_the_poses_of_what_moved_has_all_of_them() {
    let wall = BodySpec::fixed().pose(Pose::at(3.0, 0.05, 0.0)).collider(block(0.05, 0.05, 0.05));
    let scene = Scene::on_ground().with(wall).with(cube(0.1, 0.0, 0.05, 0.0)).with_all(heap(8, 20.0, 0.0, 2));
    for (config, hz) in [(config(), FAST), (WorldConfig::fast(), 60.0), (WorldConfig::nsgs(), FAST)] {
        let mut run = scene.start(&config, 1);
        let pair = run.world.fasten(&[run.bodies[3], run.bodies[4]]).expect("free bodies");
        let mut shown = BTreeMap::new();
        let mut follow = |world: &World| {
            for handle in world.moved_bodies() {
                let body = world.body(handle).expect("it is there");
                shown.insert(handle, (body.pose, body.is_asleep));
            }
            for body in world.bodies() {
                assert_eq!(
                    shown.get(&body.handle),
                    Some(&(body.pose, body.is_asleep)),
                    "{:?}",
                    config.solver
                );
            }
        };
        follow(&run.world);
        run.steps(hz, 4.0, &mut follow);
        assert!(run.is_asleep(2) && run.world.composite(pair).is_ok());
        // As deep as it is displaced without ever being awake between two steps, by the rules of S1.
        let before = run.place(2).x;
        run.world.set_pose(run.bodies[1], Pose::at(0.085, 0.05, 0.0)).expect("finite");
        follow(&run.world);
        run.steps(hz, 0.5, &mut follow);
        let way = run.place(2).x - before;
        assert!(way < -0.001, "displaced by {way} m");
    }
}
