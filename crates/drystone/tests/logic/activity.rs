//! Passive and active bodies (S3-09): out of the simulation and back.

use crate::common::*;
use drystone::math::{Pose, Real, Vector3};
use drystone::{BodySpec, EventKind, WorldConfig, WorldError};

const HZ: Real = 60.0;

fn kinds(run: &mut Run) -> Vec<EventKind> {
    run.step(HZ);
    run.world.events().map(|event| event.kind()).collect()
}

#[test]
fn what_rested_on_a_body_falls_when_that_turns_passive_and_lands_when_it_is_back() {
    for (config, hz) in [(WorldConfig::fast(), HZ), (WorldConfig::thesis_fast(), FAST)] {
        let mut run = Scene::on_ground()
            .with(BodySpec::fixed().pose(Pose::at(0.0, 1.0, 0.0)).collider(block(0.2, 0.05, 0.2)))
            .with(cube(0.1, 0.0, 1.1, 0.0))
            .start(&config, 1);
        run.until_asleep(hz, &[2]);
        run.world.set_active(run.bodies[1], false).expect("it exists");
        run.steps(hz, 0.3, |_| {});
        assert!(run.place(2).y < 0.75, "it fell to {} m", run.place(2).y);
        assert!(!run.world.body(run.bodies[1]).expect("it exists").is_active);
        run.until_asleep(hz, &[2]);
        assert!((run.place(2).y - 0.05).abs() < 1e-3);
        run.world.set_active(run.bodies[1], true).expect("it exists");
        run.world.set_pose(run.bodies[2], Pose::at(0.0, 1.15, 0.0)).expect("finite");
        run.steps(hz, 1.0, |_| {});
        assert!((run.place(2).y - 1.1).abs() < 2e-3, "it landed at {} m", run.place(2).y);
    }
}

#[test]
fn a_passive_body_keeps_place_and_velocity_and_goes_on_with_them() {
    let flying = ball(0.1, 0.0, 0.0, 0.0).gravity_scale(0.0).linear_velocity(Vector3::new(1.0, 2.0, 3.0));
    let mut run = Scene::default().with(flying).start(&WorldConfig::fast(), 1);
    run.world.set_active(run.bodies[0], false).expect("it exists");
    run.steps(HZ, 1.0, |world| {
        let report = world.report();
        assert_eq!((report.awake, report.asleep, world.kinetic_energy()), (0, 0, 0.0));
    });
    assert_eq!(run.way(0).norm(), 0.0);
    let body = run.bodies[0];
    assert!(
        run.world
            .add_impulse(body, Vector3::x(), Vector3::zeros())
            .is_err_and(|e| e.to_string().contains("passive"))
    );
    run.world.wake(body).expect("it exists");
    run.step(HZ);
    assert_eq!(run.way(0).norm(), 0.0, "nothing wakes it");
    run.world.set_active(body, true).expect("it exists");
    run.steps(HZ, 1.0, |_| {});
    assert!((run.way(0) - drystone::math::Displacement::new(1.0, 2.0, 3.0)).norm() < 1e-4);
    let foreign = drystone::BodyHandle { index: 99, generation: 1 };
    assert!(matches!(run.world.set_active(foreign, true), Err(WorldError::Contact(_))));
}

#[test]
fn events_end_when_a_body_turns_passive_and_begin_when_it_is_back() {
    let zone = BodySpec::fixed()
        .pose(Pose::at(0.0, 0.05, 0.0))
        .collider(block(0.2, 0.04, 0.2).trigger().filter(1, 2));
    let cube =
        BodySpec::dynamic().pose(Pose::at(0.0, 0.05, 0.0)).collider(block(0.05, 0.05, 0.05).filter(3, 1));
    let mut run = Scene::on_ground().with(zone).with(cube).start(&WorldConfig::fast(), 1);
    let mut first = kinds(&mut run);
    first.extend(kinds(&mut run));
    assert_eq!(first, [EventKind::TriggerIn, EventKind::TouchBegin]);
    for _ in 0..2 {
        run.until_asleep(HZ, &[2]);
        run.world.set_active(run.bodies[2], false).expect("it exists");
        assert_eq!(kinds(&mut run), [EventKind::TriggerOut, EventKind::TouchEnd]);
        // Whatever is done to it meanwhile, it is not there.
        run.world.set_pose(run.bodies[2], Pose::at(0.0, 0.05, 0.0)).expect("finite");
        assert_eq!(kinds(&mut run), []);
        run.world.set_active(run.bodies[2], true).expect("it exists");
        let mut back = kinds(&mut run);
        back.extend(kinds(&mut run));
        assert_eq!(back, [EventKind::TriggerIn, EventKind::TouchBegin]);
    }
    // Out and back between two steps: nothing has happened.
    run.world.set_active(run.bodies[2], false).expect("it exists");
    run.world.set_active(run.bodies[2], true).expect("it exists");
    assert_eq!([kinds(&mut run), kinds(&mut run)].concat(), []);
    run.steps(HZ, 1.0, |_| {});
    assert!((run.place(2).y - 0.05).abs() < 1e-3);
    // Removed while passive.
    run.world.set_active(run.bodies[2], false).expect("it exists");
    run.world.remove_body(run.bodies[2]).expect("it exists");
    assert_eq!(kinds(&mut run), [EventKind::TriggerOut, EventKind::TouchEnd]);
    assert_eq!(run.world.report().asleep, 0);
}
