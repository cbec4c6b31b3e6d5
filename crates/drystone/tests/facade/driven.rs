//! What hangs together with something that is driven is awake, however slow the drive: a sleeper in between would be crushed, or left behind. Trusted
//! reference: where the drive takes everything, at its own speed.

use crate::common::*;
use drystone::math::{Pose, Position, Real, Vector3};
use drystone::{BodySpec, JointSpec, Motor, WakeCause, WorldConfig};

const HZ: Real = 60.0;
/// Slow enough for one step of it to be no motion to the threshold, m/s: that is 0.2 g dt, 33 mm/s.
const SLOW: Real = 0.01;

fn configs() -> [WorldConfig; 3] {
    [WorldConfig::fast(), WorldConfig::nsgs(), WorldConfig::thesis_fast()]
}

/// Three cubes asleep on a platform, which moves from now on.
fn on_a_platform(config: &WorldConfig, velocity: Vector3) -> Run {
    let platform = BodySpec::kinematic().pose(Pose::at(0.0, 0.05, 0.0)).collider(block(1.0, 0.05, 0.5));
    let cubes = (0..3).map(|k| cube(0.1, -0.5, 0.15 + 0.1 * f64::from(k), 0.0));
    let mut run = Scene::on_ground().with(platform).with_all(cubes).start(config, 1);
    run.until_asleep(HZ, &[2, 3, 4]);
    run.world.set_velocity(run.bodies[1], velocity, Vector3::zeros()).expect("it is kinematic");
    run
}

#[test]
fn a_tower_goes_up_with_its_lift_and_aside_with_its_sledge() {
    for config in configs() {
        for direction in [Vector3::y(), Vector3::x()] {
            let mut run = on_a_platform(&config, direction * SLOW);
            let before = [2, 3, 4].map(|body| run.way(body));
            let mut worst: Real = 0.0;
            run.step(HZ);
            assert!([2, 3, 4].into_iter().all(|body| !run.is_asleep(body)), "{:?}", run.world.report().wakes);
            run.steps(HZ, 5.0, |world| worst = worst.max(world.report().worst_overlap));
            assert!(worst < 2e-3, "{worst} m of overlap");
            for (body, before) in [2, 3, 4].into_iter().zip(before) {
                let along = (run.way(body) - before).dot(&direction.cast());
                assert!((along - 0.05).abs() < 2e-3, "cube {body} went {along} m along {direction}");
            }
        }
    }
}

#[test]
fn a_belt_takes_along_what_stands_on_what_it_carries() {
    for config in configs() {
        let belt = block(1.0, 0.05, 0.5).surface_velocity(Vector3::zeros());
        let belt = BodySpec::fixed().pose(Pose::at(0.0, 0.05, 0.0)).collider(belt);
        let cubes = (0..2).map(|k| cube(0.1, -0.5, 0.15 + 0.1 * f64::from(k), 0.0));
        let mut run = Scene::on_ground().with(belt).with_all(cubes).start(&config, 1);
        run.until_asleep(HZ, &[2, 3]);
        let collider = run.world.colliders_of(run.bodies[1]).expect("it exists").next().expect("the belt");
        run.world.set_surface_velocity(collider, Vector3::x() * SLOW).expect("it exists");
        run.steps(HZ, 5.0, |_| ());
        for body in [2, 3] {
            assert!((run.way(body).x - 0.05).abs() < 5e-3, "cube {body} went {} m", run.way(body).x);
        }
    }
}

#[test]
fn a_row_that_is_pushed_goes_as_one() {
    for config in configs() {
        let ram = BodySpec::kinematic().pose(Pose::at(-0.2, 0.1, 0.0)).collider(block(0.05, 0.05, 0.05));
        let row = (0..3).map(|k| cube(0.1, -0.1 + 0.1 * f64::from(k), 0.05, 0.0));
        let mut run = Scene::on_ground().with(ram).with_all(row).start(&config, 1);
        run.until_asleep(HZ, &[2, 3, 4]);
        run.world
            .set_velocity(run.bodies[1], Vector3::x() * SLOW, Vector3::zeros())
            .expect("it is kinematic");
        let mut worst: Real = 0.0;
        run.steps(HZ, 5.0, |world| worst = worst.max(world.report().worst_overlap));
        assert!(worst < 3e-3, "{worst} m of overlap");
        for body in [2, 3, 4] {
            assert!((run.way(body).x - 0.05).abs() < 6e-3, "cube {body} went {} m", run.way(body).x);
        }
    }
}

/// It is a matter of what hangs together: what lies apart sleeps on, and a drive that stops lets all sleep.
#[test]
fn what_lies_apart_sleeps_on() {
    let platform = BodySpec::kinematic().pose(Pose::at(0.0, 0.05, 0.0)).collider(block(0.3, 0.05, 0.3));
    let scene = Scene::on_ground()
        .with(platform)
        .with(cube(0.1, 0.0, 0.15, 0.0))
        .with(cube(0.1, 0.0, 0.25, 0.0))
        .with_all(tower(3, 2.0, 0.0));
    let mut run = scene.start(&WorldConfig::fast(), 1);
    run.until_asleep(HZ, &[2, 3, 4, 5, 6]);
    run.world.set_velocity(run.bodies[1], Vector3::y() * SLOW, Vector3::zeros()).expect("it is kinematic");
    assert_eq!(
        run.step(HZ).wakes.get(WakeCause::Driven),
        1,
        "the upper one: the lower one touches the platform"
    );
    run.steps(HZ, 2.0, |_| ());
    assert_eq!([2, 3, 4, 5, 6].map(|body| run.is_asleep(body)), [false, false, true, true, true]);
    run.world.set_velocity(run.bodies[1], Vector3::zeros(), Vector3::zeros()).expect("it is kinematic");
    run.until_asleep(HZ, &[2, 3]);
}

/// A change from outside that moves a sleeper by less than the threshold in its first step moves it nevertheless.
#[test]
fn gravity_that_turns_a_little_lets_a_sleeper_slide() {
    let mut config = WorldConfig::fast();
    config.gravity = Vector3::new(0.0, -9.81, 0.0);
    let slab = BodySpec::dynamic().pose(Pose::at(0.0, 0.1, 0.0)).collider(block(0.5, 0.1, 0.5));
    let mut run = Scene::on_ground().with(slab).surface(0.0, 0.1, 0.1).start(&config, 1);
    run.until_asleep(HZ, &[1]);
    // 1.92 - 0.1 * 9.62 m/s²: 16 mm/s in a step, half of the threshold.
    run.world.set_gravity(Vector3::new(1.92, -9.62, 0.0)).expect("numbers");
    run.steps(HZ, 1.0, |_| ());
    let way = run.way(1).x;
    assert!((way - 0.5 * (1.92 - 0.962)).abs() < 0.02, "it slid {way} m");
}

/// A motor drives as long as it is there.
#[test]
fn a_motor_that_is_removed_lets_its_bodies_sleep() {
    let scene = Scene::on_ground().with(cube(0.1, 0.0, 0.05, 0.0)).with(cube(0.1, 0.5, 0.05, 0.0));
    let mut run = scene.start(&WorldConfig::fast(), 1);
    let motor = Motor::Speed { speed: SLOW, most: 0.1 };
    let slider = JointSpec::slider(run.bodies[1], run.bodies[2]).at(Position::new(0.25, 0.05, 0.0));
    let joint = run.world.add_joint(&slider.along(Vector3::x()).motor(motor)).expect("a joint");
    run.steps(HZ, 2.0, |_| ());
    assert!(!run.is_asleep(1) && !run.is_asleep(2));
    run.world.remove_joint(joint).expect("it is there");
    run.until_asleep(HZ, &[1, 2]);
}
