//! Waking: changes from outside (S1-37), removed neighbours (S1-40), lost support (S1-41), none at all (S1-42),
//! neighbours that carry nothing, and global forces that are not gravity (S1-43). Rules 2 and 3 wake in
//! correction and resolution.

mod common;

use common::{DT, G, Rig, ball};
use drystone_contact::{BodyDesc, BodyIndex, EdgeIndex, WakeCause};
use drystone_math::{Pose, Real, Vector3};
use drystone_sleeping::supports_of;
use proptest::prelude::*;

/// A ball asleep between a floor below it and a wall at its side; the floor carries it with this many points.
fn between_floor_and_wall(rig: &mut Rig, points: u32) -> (BodyIndex, [EdgeIndex; 2]) {
    let (floor, wall, ball) = (rig.fixed(), rig.fixed(), rig.ball());
    let below = rig.touch(floor, ball, Vector3::y(), points, 0.0);
    let beside = rig.touch(wall, ball, Vector3::x(), 1, 0.0);
    rig.fall_asleep(ball);
    (ball, [below, beside])
}

/// S1-37: every change from outside wakes.
#[test]
fn changes_from_outside_wake() {
    type Change = fn(&mut Rig, drystone_contact::BodyHandle) -> bool;
    let changes: [Change; 7] = [
        |rig, h| rig.bodies.add_force(h, Vector3::x(), Vector3::zeros()).is_ok(),
        |rig, h| rig.bodies.add_impulse(h, Vector3::x(), Vector3::zeros()).is_ok(),
        |rig, h| rig.bodies.set_velocity(h, Vector3::x(), Vector3::zeros()).is_ok(),
        |rig, h| rig.bodies.set_pose(h, Pose::at(0.0, 1.0, 0.0)).is_ok(),
        |rig, h| rig.bodies.set_gravity_scale(h, 0.5).is_ok(),
        |rig, h| rig.bodies.set_damping(h, 0.1, 0.1).is_ok(),
        |rig, _| {
            rig.bodies.wake_all(WakeCause::User);
            true
        },
    ];
    for (i, change) in changes.into_iter().enumerate() {
        let mut rig = Rig::new();
        let (body, _) = rig.sleeper_on_floor();
        let handle = rig.bodies.handle(body).expect("alive");
        assert!(change(&mut rig, handle) && rig.bodies.is_awake(body), "change {i}");
        assert_eq!(rig.bodies.take_wakes().get(WakeCause::User), 1);
    }
}

/// S1-40: whoever removes a body is told which sleepers touched it, and no others.
#[test]
fn removing_a_body_tells_the_sleepers_that_touched_it() {
    let mut rig = Rig::new();
    let (removed, near, apart) = (rig.ball(), rig.ball(), rig.ball());
    rig.touch(removed, near, Vector3::y(), 1, 0.0);
    rig.touch(removed, apart, Vector3::y(), 0, 1.0);
    let mut told = Vec::new();
    rig.graph.remove_body(&rig.bodies, removed, |body| told.push(body));
    assert_eq!(told, [near]);
}

/// S1-41: fewer contacts below than at the last look wake; as many, or more, do not.
#[test]
fn losing_part_of_the_support_wakes() {
    for (points, cause) in [(1, Some(WakeCause::SupportLost)), (2, None), (3, None)] {
        let mut rig = Rig::new();
        let (body, _) = between_floor_and_wall(&mut rig, 2);
        let floor = BodyIndex(1);
        rig.touch(floor, body, Vector3::y(), points, 0.0);
        let report = rig.wake();
        assert_eq!(rig.bodies.is_awake(body), cause.is_some(), "{points} of 2 points");
        assert_eq!((report.examined, report.floating), (1, 0));
        assert_eq!(report.support_lost, u32::from(cause.is_some()));
        assert_eq!(rig.bodies.take_wakes().total(), u32::from(cause.is_some()));
    }
}

/// S1-41 compares with the last look, not with the first: what came and went again wakes.
#[test]
fn support_that_comes_and_goes_wakes() {
    let mut rig = Rig::new();
    let (body, _) = between_floor_and_wall(&mut rig, 1);
    for (points, wakes) in [(3, false), (2, true)] {
        rig.touch(BodyIndex(1), body, Vector3::y(), points, 0.0);
        rig.wake();
        assert_eq!(rig.bodies.is_awake(body), wakes);
        rig.next_step();
    }
}

/// S1-42: without any contact in the direction of gravity a sleeper wakes, also when others remain.
#[test]
fn losing_all_support_wakes() {
    let mut rig = Rig::new();
    let (body, [below, _]) = between_floor_and_wall(&mut rig, 1);
    rig.graph.remove_edge(&rig.bodies, below);
    let report = rig.wake();
    assert_eq!((report.examined, report.floating, report.support_lost), (1, 1, 0));
    assert_eq!((rig.bodies.is_awake(body), rig.bodies.take_wakes().get(WakeCause::Floating)), (true, 1));
}

/// S1-41: a contact whose gap opens no longer carries.
#[test]
fn a_support_that_opens_counts_no_more() {
    for (gaps, wakes) in [(1.9, false), (2.1, true)] {
        let mut rig = Rig::new();
        let (body, _) = between_floor_and_wall(&mut rig, 1);
        rig.touch(BodyIndex(1), body, Vector3::y(), 1, gaps * G * DT * DT);
        rig.wake();
        assert_eq!(rig.bodies.is_awake(body), wakes, "a gap of {gaps} g dt²");
    }
}

/// S1-43: a neighbour at the side or on top that leaves wakes nobody.
#[test]
fn losing_a_neighbour_that_did_not_carry_wakes_nobody() {
    let mut rig = Rig::new();
    let (body, [_, beside]) = between_floor_and_wall(&mut rig, 1);
    let top = rig.ball();
    let above = rig.touch(body, top, Vector3::y(), 4, 0.0);
    rig.next_step();
    for edge in [beside, above] {
        rig.graph.remove_edge(&rig.bodies, edge);
        let report = rig.wake();
        assert_eq!((report.examined, rig.bodies.is_asleep(body)), (1, true), "{edge:?}");
        rig.next_step();
    }
}

/// S1-43: with a wind that outweighs gravity the wall carries and the floor does not.
#[test]
fn sideways_forces_make_the_wall_the_support() {
    for is_wind in [true, false] {
        let mut rig = Rig::new();
        rig.step.acceleration = Vector3::zeros();
        if is_wind {
            rig.step.force = Vector3::new(-50.0, 0.0, 0.0);
        } else {
            rig.step.acceleration = Vector3::new(-G, 0.0, 0.0);
        }
        let (body, [below, beside]) = between_floor_and_wall(&mut rig, 1);
        rig.graph.remove_edge(&rig.bodies, below);
        rig.wake();
        assert!(rig.bodies.is_asleep(body), "the floor does not carry");
        rig.next_step();
        rig.graph.remove_edge(&rig.bodies, beside);
        assert_eq!(rig.wake().floating, 1);
        assert!(rig.bodies.is_awake(body));
    }
}

/// The body's own share of gravity counts: turned round, the ceiling carries it.
#[test]
fn a_body_that_rises_is_carried_by_what_is_above() {
    let mut rig = Rig::new();
    let ceiling = rig.fixed();
    let balloon = rig.add(&BodyDesc { gravity_scale: -0.5, ..ball() });
    rig.touch(ceiling, balloon, -Vector3::y(), 1, 0.0);
    assert_eq!(supports_of(&rig.config, &rig.bodies, &rig.graph, balloon, &rig.step).carrying, 1);
    rig.fall_asleep(balloon);
    rig.touch(ceiling, balloon, -Vector3::y(), 0, 1.0);
    assert_eq!(rig.wake().floating, 1);
}

/// Without any global force there is no direction: rules 5 and 6 are silent, and bodies may sleep in mid-air.
#[test]
fn without_global_forces_nothing_wakes() {
    let mut rig = Rig::new();
    rig.step.acceleration = Vector3::zeros();
    let (body, edges) = between_floor_and_wall(&mut rig, 2);
    for edge in edges {
        rig.graph.remove_edge(&rig.bodies, edge);
    }
    let report = rig.wake();
    assert_eq!((report, rig.bodies.is_asleep(body)), (drystone_sleeping::WakeReport::default(), true));
    let mut rig = Rig::new();
    rig.step.acceleration = Vector3::zeros();
    let free = rig.ball();
    rig.fall_asleep(free);
}

/// Cost follows what changed: a sleeper whose contacts stay is not looked at.
#[test]
fn unchanged_sleepers_are_not_examined() {
    let mut rig = Rig::new();
    let (first, _) = rig.sleeper_on_floor();
    let (second, edge) = rig.sleeper_on_floor();
    rig.graph.remove_edge(&rig.bodies, edge);
    let report = rig.wake();
    assert_eq!((report.examined, report.floating), (1, 1));
    assert!(rig.bodies.is_asleep(first) && rig.bodies.is_awake(second));
}

/// What is awake or in quarantine is none of the wake rules' business.
#[test]
fn only_sleepers_are_woken() {
    let mut rig = Rig::new();
    let (sick, edge) = rig.sleeper_on_floor();
    let pose = *rig.bodies.center_pose(sick);
    rig.bodies.quarantine(sick, pose);
    rig.graph.remove_edge(&rig.bodies, edge);
    let awake = rig.ball();
    let floor = rig.fixed();
    rig.touch(awake, floor, Vector3::y(), 1, 0.0);
    assert_eq!((rig.wake().examined, rig.bodies.is_awake(sick)), (0, false));
}

proptest! {
    /// S1-41: a contact counts exactly when moving the body along the pull would collide there, whichever side
    /// of the pair the body is on, for pulls in any direction.
    #[test]
    fn a_contact_carries_when_the_pull_leans_on_it(
        pull in prop::array::uniform3(-1.0..1.0f32),
        normals in prop::collection::vec(prop::array::uniform3(-1.0..1.0f32), 1..6),
        is_first in any::<bool>(),
    ) {
        let pull = Vector3::from(pull);
        prop_assume!(pull.norm() > 0.1);
        let mut rig = Rig::new();
        rig.step.acceleration = pull.normalize() * G;
        let mut body = BodyIndex(0);
        if is_first {
            body = rig.ball();
        }
        let others: Vec<BodyIndex> = normals.iter().map(|_| rig.fixed()).collect();
        if !is_first {
            body = rig.ball();
        }
        let mut expected = 0;
        for (other, normal) in others.into_iter().zip(normals) {
            let outward = Vector3::from(normal);
            prop_assume!(outward.norm() > 0.1);
            let outward = outward.normalize();
            let cosine = outward.dot(&pull.normalize());
            prop_assume!((cosine - rig.config.support_cosine).abs() > 1e-4);
            let is_carrying = cosine > rig.config.support_cosine;
            expected += 2 * u32::from(is_carrying);
            let ends = if is_first { (body, other, outward) } else { (other, body, -outward) };
            rig.touch(ends.0, ends.1, ends.2, 2, -1e-4);
        }
        prop_assert_eq!(supports_of(&rig.config, &rig.bodies, &rig.graph, body, &rig.step).carrying, expected);
    }
}

/// Support is counted at the step's own scale: the same gap in `g dt²` counts alike at two step sizes.
#[test]
fn the_support_gap_is_free_of_scale() {
    for dt in [1.0 / 60.0, DT] {
        for (gaps, count) in [(1.9 as Real, 1), (2.1, 0)] {
            let mut rig = Rig::new();
            rig.step.dt = dt;
            let (floor, body) = (rig.fixed(), rig.ball());
            rig.touch(floor, body, Vector3::y(), 1, gaps * G * dt * dt);
            assert_eq!(supports_of(&rig.config, &rig.bodies, &rig.graph, body, &rig.step).carrying, count);
        }
    }
}
