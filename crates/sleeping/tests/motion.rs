//! Falling asleep: the motion bound (S1-30, S1-31), its average (S1-32), the threshold (S1-33, S1-94),
//! Algorithm 5 (S1-34) and what it guarantees (S1-35, S1-36).

mod common;

use common::{DT, G, RADIUS, Rig, ball};
use drystone_contact::{BodyDesc, BodyIndex, BodyKind, WakeCause};
use drystone_math::{Real, Rotation, Vector3};
use drystone_sleeping::{SleepConfig, SleepError};
use proptest::prelude::*;

/// Half the distance between neighbouring singles, relative to the larger.
const EPS: Real = Real::EPSILON;

fn vector(size: Real) -> impl Strategy<Value = Vector3> {
    let part = -size..size;
    (part.clone(), part.clone(), part).prop_map(|(x, y, z)| Vector3::new(x, y, z))
}

proptest! {
    /// S1-30, S1-31: no surface point is faster than the bound, and the bound is at most √2 times
    /// the sum of both parts.
    #[test]
    fn the_motion_bound_is_above_every_surface_speed(
        linear in vector(10.0),
        angular in vector(50.0),
        arm in vector(1.0),
        share in 0.0..1.0f32,
    ) {
        let mut rig = Rig::new();
        let body = rig.add(&BodyDesc { linear, angular, ..ball() });
        let hot = rig.bodies.hot(body);
        let bound = hot.motion_bound_squared(RADIUS);
        let arm = arm / arm.norm().max(1e-6) * (RADIUS * share);
        let speed = hot.velocity_at(&arm).norm_squared();
        prop_assert!(speed <= bound * (1.0 + 8.0 * EPS), "{speed} above {bound}");
        let sum = linear.norm() + angular.norm() * RADIUS;
        prop_assert!(bound <= 2.0 * sum * sum * (1.0 + 8.0 * EPS));
    }

    /// S1-35: whatever a body did before, none that is put to sleep moves faster than the threshold; and it
    /// moves no more.
    #[test]
    fn no_body_faster_than_the_threshold_is_put_to_sleep(
        before in 0.0..8.0f32,
        multiple in 0.0..4.0f32,
        averaging_time in 0.0..0.2f32,
    ) {
        let mut rig = Rig::new();
        rig.config.averaging_time = averaging_time;
        let (body, _) = rig.sleeper_on_floor();
        rig.bodies.wake(body, drystone_contact::WakeCause::User);
        *rig.average(body) = before * rig.threshold_squared();
        let velocity = rig.velocity_at(multiple);
        rig.set_velocity(body, velocity, Vector3::zeros());
        rig.sleep();
        if multiple > 1.0 + 4.0 * EPS {
            prop_assert!(rig.bodies.is_awake(body));
        }
        if rig.bodies.is_asleep(body) {
            prop_assert_eq!(rig.linear(body), Vector3::zeros());
        }
    }
}

/// S1-32, S1-34 by hand: three steps of Algorithm 5 with a bias of 1/2.
#[test]
fn the_average_follows_algorithm_5() {
    let mut rig = Rig::new();
    rig.config.averaging_time = DT;
    let body = rig.ball();
    let unit = rig.threshold_squared();
    let near = |found: Real, expected: Real| (found - expected).abs() <= 8.0 * EPS * unit * 8.0;
    // A new body starts at the cap, 8.
    rig.set_velocity(body, rig.velocity_at(2.0), Vector3::zeros());
    rig.sleep();
    assert!(near(*rig.average(body), 6.0 * unit), "8/2 + 4/2");
    rig.set_velocity(body, rig.velocity_at(0.0), Vector3::zeros());
    rig.sleep();
    assert!(near(*rig.average(body), 3.0 * unit), "6/2 + 0/2");
    rig.set_velocity(body, rig.velocity_at(1.0), Vector3::zeros());
    rig.sleep();
    assert!(near(*rig.average(body), 2.0 * unit), "3/2 + 1/2");
    rig.set_velocity(body, rig.velocity_at(10.0), Vector3::zeros());
    rig.sleep();
    assert_eq!(*rig.average(body), 8.0 * unit, "2/2 + 100/2, clamped to the cap");
    assert!(rig.bodies.is_awake(body));
}

/// S1-34: below the threshold the body stops, sleeps, and its average is set to the threshold.
#[test]
fn a_body_below_the_threshold_stops_and_sleeps() {
    let mut rig = Rig::new();
    rig.config.averaging_time = 0.0;
    let (floor, body) = (rig.fixed(), rig.ball());
    rig.touch(floor, body, Vector3::y(), 1, 0.0);
    rig.set_velocity(body, rig.velocity_at(0.9), Vector3::zeros());
    let report = rig.sleep();
    assert_eq!((report.fell_asleep, rig.bodies.is_asleep(body)), (1, true));
    let hot = rig.bodies.hot(body);
    assert_eq!((hot.linear, hot.angular), (Vector3::zeros(), Vector3::zeros()));
    let unit = rig.threshold_squared();
    assert_eq!(*rig.average(body), unit);
}

/// S1-33: one step of free fall is too fast to sleep, for every valid threshold and however calm the body
/// was before.
#[test]
fn one_step_of_free_fall_never_sleeps() {
    for threshold in [0.05, 0.2, 0.5, 0.999] {
        for averaging_time in [0.0, 0.1, 10.0] {
            let mut rig = Rig::new();
            rig.config = SleepConfig { threshold, averaging_time, ..SleepConfig::default() };
            rig.config.validate().expect("in range");
            // It has come to touch the floor: what nothing carries would be awake at any speed.
            let (floor, body) = (rig.fixed(), rig.ball());
            rig.touch(floor, body, Vector3::y(), 1, 0.0);
            *rig.average(body) = 0.0;
            rig.set_velocity(body, Vector3::new(0.0, -G * DT, 0.0), Vector3::zeros());
            assert_eq!(rig.sleep().fell_asleep, 0, "threshold {threshold}, averaged over {averaging_time} s");
            *rig.average(body) = 0.0;
            rig.set_velocity(body, Vector3::zeros(), Vector3::zeros());
            assert_eq!(rig.sleep().fell_asleep, 1, "at rest there");
        }
    }
}

/// S1-36: a woken body sleeps again at once exactly when it moves less than the threshold.
#[test]
fn a_woken_body_sleeps_again_at_once_only_when_calm() {
    for (multiple, sleeps) in [(0.0, true), (0.9, true), (1.1, false), (3.0, false)] {
        let mut rig = Rig::new();
        let (body, _) = rig.sleeper_on_floor();
        rig.bodies.wake(body, drystone_contact::WakeCause::User);
        rig.set_velocity(body, rig.velocity_at(multiple), Vector3::zeros());
        rig.sleep();
        assert_eq!(rig.bodies.is_asleep(body), sleeps, "at {multiple} of the threshold");
    }
}

/// The documented time: a body that stops dead from any motion sleeps after `τ ln 8`, to the step.
#[test]
fn a_body_that_stops_dead_sleeps_after_the_documented_time() {
    for dt in [1.0 / 60.0, DT, 1.0 / 960.0] {
        let mut rig = Rig::new();
        rig.step.dt = dt;
        let (floor, body) = (rig.fixed(), rig.ball());
        rig.touch(floor, body, Vector3::y(), 1, 0.0);
        rig.set_velocity(body, Vector3::new(5.0, 0.0, 0.0), Vector3::zeros());
        rig.sleep();
        rig.set_velocity(body, Vector3::zeros(), Vector3::zeros());
        let mut steps = 0;
        while rig.bodies.is_awake(body) {
            rig.sleep();
            steps += 1;
            assert!(steps < 10_000);
        }
        // biasⁿ · 8 < 1 with the bias τ / (τ + dt).
        let expected = ((8.0 as Real).ln() / (1.0 + dt / 0.1).ln()).ceil();
        assert_eq!(steps as Real, expected, "dt {dt}");
        // The implicit average takes up to half a step and dt/2τ longer than the exponential.
        let time = steps as Real * dt;
        assert!((time - 0.1 * (8.0 as Real).ln()).abs() <= 2.0 * dt, "{time} s");
    }
}

/// S1-94: thresholds scale with the step: the same motion in units of `g dt` gives the same answer at any step
/// size, and the same speed does not.
#[test]
fn the_threshold_is_free_of_scale() {
    for dt in [1.0 / 60.0, DT, 1.0 / 960.0] {
        for (multiple, sleeps) in [(0.19, true), (0.21, false)] {
            let mut rig = Rig::new();
            rig.config.averaging_time = 0.0;
            rig.step.dt = dt;
            let (floor, body) = (rig.fixed(), rig.ball());
            rig.touch(floor, body, Vector3::y(), 1, 0.0);
            let speed = multiple * G * dt / (2.0 as Real).sqrt();
            rig.set_velocity(body, Vector3::new(0.0, 0.0, speed), Vector3::zeros());
            rig.sleep();
            assert_eq!(rig.bodies.is_asleep(body), sleeps, "{multiple} g dt at dt {dt}");
        }
    }
    // S1-78: 8.33 mm/s at 240 steps per second and g = 10.
    assert!((SleepConfig::default().threshold * 10.0 * DT - 8.33e-3).abs() < 5e-6);
    // S1-88: 0.52 mm/s at 960.
    assert!((SleepConfig::accurate().threshold * 10.0 / 960.0 - 0.52e-3).abs() < 5e-6);
}

/// Bodies that may not sleep, fixed and kinematic ones, and all when sleeping is off, are left alone.
#[test]
fn only_what_may_sleep_is_put_to_sleep() {
    let mut rig = Rig::new();
    rig.config.averaging_time = 0.0;
    let floor = rig.fixed();
    let restless = rig.add(&BodyDesc { can_sleep: false, ..ball() });
    let kinematic = BodyDesc { kind: BodyKind::Kinematic, linear: Vector3::x() * 1e-9, ..ball() };
    let kinematic = rig.add(&kinematic);
    let body = rig.ball();
    for other in [restless, kinematic, body] {
        rig.touch(floor, other, Vector3::y(), 1, 0.0);
    }
    assert_eq!(
        (rig.sleep().fell_asleep, rig.bodies.is_asleep(body)),
        (1, true),
        "what may sleep beside them"
    );
    assert!(rig.bodies.is_awake(restless) && rig.bodies.is_awake(kinematic));
    let mut rig = Rig::new();
    rig.config = SleepConfig { enabled: false, averaging_time: 0.0, ..SleepConfig::default() };
    let (floor, body) = (rig.fixed(), rig.ball());
    rig.touch(floor, body, Vector3::y(), 1, 0.0);
    assert_eq!((rig.sleep().fell_asleep, rig.bodies.is_awake(body)), (0, true));
}

/// A spinning body moves, whatever its centre does; a turned one counts as any other.
#[test]
fn spin_keeps_a_body_awake() {
    let mut rig = Rig::new();
    rig.config.averaging_time = 0.0;
    let turned = Rotation::from_euler_angles(0.3, -0.4, 0.5);
    let (floor, body) = (rig.fixed(), rig.ball());
    rig.touch(floor, body, Vector3::y(), 1, 0.0);
    let rim = rig.velocity_at(1.0).x / RADIUS;
    rig.set_velocity(body, Vector3::zeros(), turned * Vector3::new(0.0, 1.01 * rim, 0.0));
    assert_eq!(rig.sleep().fell_asleep, 0);
    rig.set_velocity(body, Vector3::zeros(), turned * Vector3::new(0.0, 0.99 * rim, 0.0));
    assert_eq!(rig.sleep().fell_asleep, 1);
}

/// A body with a motion that is not finite stays awake, for whoever looks after it.
#[test]
fn what_is_not_finite_does_not_sleep() {
    for speed in [Real::NAN, Real::INFINITY, 1e30] {
        let mut rig = Rig::new();
        let (floor, body) = (rig.fixed(), rig.ball());
        rig.touch(floor, body, Vector3::y(), 1, 0.0);
        rig.set_velocity(body, Vector3::repeat(speed), Vector3::zeros());
        for _ in 0..200 {
            rig.sleep();
        }
        assert!(rig.bodies.is_awake(body) && rig.average(body).is_finite(), "at {speed}");
    }
}

/// Overlap that is still taken back keeps a body awake, as long as it is asked for; the rest of S1 knows motion only.
#[test]
fn what_overlaps_too_deep_does_not_sleep() {
    let unit = G * DT * DT;
    for (max_overlap, overlap, sleeps) in
        [(None, 5.0, true), (Some(0.5), 0.51, false), (Some(0.5), 0.49, true), (Some(0.0), 0.01, false)]
    {
        let mut rig = Rig::new();
        rig.config.max_overlap = max_overlap;
        let (floor, ball) = (rig.fixed(), rig.ball());
        rig.touch(floor, ball, Vector3::y(), 1, -overlap * unit);
        for _ in 0..1000 {
            rig.sleep();
        }
        assert_eq!(rig.bodies.is_asleep(ball), sleeps, "{overlap} of {max_overlap:?}");
    }
}

/// A ball at rest on the floor, pressed against a sleeper: what sleeps would not give way to it.
#[test]
fn what_overlaps_too_deep_at_rest_wakes_the_sleepers_it_touches() {
    let unit = G * DT * DT;
    for (overlap, wakes) in [(0.3, 0), (0.5, 1)] {
        let mut rig = Rig::new();
        rig.config.max_overlap = Some(0.4);
        let (floor, ball, sleeper, apart) = (rig.fixed(), rig.ball(), rig.ball(), rig.ball());
        for body in [ball, sleeper, apart] {
            rig.touch(floor, body, Vector3::y(), 1, 0.0);
        }
        [sleeper, apart].into_iter().for_each(|body| rig.bodies.put_to_sleep(body));
        rig.touch(ball, sleeper, Vector3::x(), 1, -overlap * unit);
        for _ in 0..400 {
            rig.sleep();
        }
        let woken = rig.bodies.take_wakes().get(WakeCause::Jammed);
        assert_eq!((woken > 0, rig.bodies.is_asleep(sleeper)), (wakes > 0, wakes == 0), "{overlap}");
        assert!(rig.bodies.is_asleep(apart), "it touches nobody");
    }
}

/// A ball at rest between two sleepers at the ends of rows of sleepers: not the first alone gives way, but who is farther does not wake.
#[test]
fn what_is_jammed_wakes_the_sleepers_within_three_contacts() {
    let mut rig = Rig::new();
    rig.config.max_overlap = Some(0.4);
    let (floor, ball) = (rig.fixed(), rig.ball());
    let row = [(); 5].map(|()| rig.ball());
    for body in [&[ball], &row[..]].concat() {
        rig.touch(floor, body, Vector3::y(), 1, 0.0);
    }
    row.into_iter().for_each(|body| rig.bodies.put_to_sleep(body));
    rig.touch(ball, row[0], Vector3::x(), 1, -G * DT * DT);
    for two in row.windows(2) {
        rig.touch(two[0], two[1], Vector3::x(), 1, 0.0);
    }
    while row.iter().all(|&body| rig.bodies.is_asleep(body)) {
        rig.sleep();
    }
    assert_eq!(row.map(|body| rig.bodies.is_awake(body)), [true, true, true, false, false]);
}

/// Balls in a row on the floor, the first one beside another body.
fn row_beside<const N: usize>(rig: &mut Rig, floor: BodyIndex, first: BodyIndex) -> [BodyIndex; N] {
    let row = [(); N].map(|()| rig.ball());
    for body in row {
        rig.touch(floor, body, Vector3::y(), 1, 0.0);
    }
    for two in [&[first], &row[..]].concat().windows(2) {
        rig.touch(two[0], two[1], Vector3::x(), 1, 0.0);
    }
    row
}

/// A row of balls at rest on the floor, the first of them too deep in it: those within three contacts stay awake with it, over sleepers too, but not what only
/// the same floor carries; and all sleep once it has its room.
#[test]
fn nobody_falls_asleep_near_what_is_jammed() {
    for is_first_asleep in [false, true] {
        let mut rig = Rig::new();
        rig.config.max_overlap = Some(0.4);
        let (floor, jammed, apart) = (rig.fixed(), rig.ball(), rig.ball());
        let row: [_; 5] = row_beside(&mut rig, floor, jammed);
        rig.touch(floor, apart, Vector3::y(), 1, 0.0);
        let deep = rig.touch(floor, jammed, Vector3::y(), 1, -G * DT * DT);
        if is_first_asleep {
            rig.bodies.put_to_sleep(row[0]);
        }
        // 0.6 s, before it is stuck.
        for _ in 0..144 {
            rig.sleep();
        }
        let awake = row.map(|body| rig.bodies.is_awake(body));
        assert_eq!(awake, [true, true, true, false, false], "first asleep: {is_first_asleep}");
        assert!(rig.bodies.is_awake(jammed) && rig.bodies.is_asleep(apart));
        let woken = rig.bodies.take_wakes().get(WakeCause::Jammed);
        assert_eq!(woken, u32::from(is_first_asleep), "who did not fall asleep need not be woken");

        rig.graph.edges_mut()[deep.get()]
            .manifold
            .points_mut()
            .iter_mut()
            .for_each(|point| point.distance = 0.0);
        for _ in 0..1000 {
            rig.sleep();
        }
        assert!([&[jammed], &row[..]].concat().into_iter().all(|body| rig.bodies.is_asleep(body)));
    }
}

/// A ball at rest that stays too deep in the floor, at the end of a row of sleepers: the longer it does, the more of them wake, up to 24; then those beyond three contacts
/// sleep again.
#[test]
fn what_stays_jammed_gets_more_room_for_a_while() {
    let mut rig = Rig::new();
    rig.config.max_overlap = Some(0.4);
    let (floor, jammed) = (rig.fixed(), rig.ball());
    let row: [_; 30] = row_beside(&mut rig, floor, jammed);
    rig.touch(floor, jammed, Vector3::y(), 1, -G * DT * DT);
    row.into_iter().for_each(|body| rig.bodies.put_to_sleep(body));
    let mut told: Vec<(usize, Real)> = vec![(0, 0.0)];
    for step in 1..=1000 {
        rig.sleep();
        let awake = row.iter().take_while(|&&body| rig.bodies.is_awake(body)).count();
        assert!(row[awake..].iter().all(|&body| rig.bodies.is_asleep(body)));
        if told.last().is_some_and(|&(last, _)| last != awake) {
            told.push((awake, step as Real * DT));
        }
    }
    let counts: Vec<usize> = told.iter().map(|&(count, _)| count).collect();
    assert_eq!(counts, [0, 3, 6, 12, 24, 3], "{told:?}");
    for two in told[1..].windows(2) {
        let wait = two[1].1 - two[0].1;
        assert!((wait - 0.1 * (256.0 as Real).ln()).abs() < 2.0 * DT + 0.01, "{told:?}");
    }
}

/// A ball at rest on the floor beside a sleeper whose contacts carry a share of its weight: it wakes where they do not carry it, if that is asked for,
/// and both sleep when they do.
#[test]
fn what_comes_to_rest_wakes_the_sleepers_out_of_balance_that_it_touches() {
    for (most, carried, wakes) in
        [(None, 0.0, false), (Some(0.2), 1.4, false), (Some(0.2), 1.6, true), (Some(0.2), 0.0, true)]
    {
        let mut rig = Rig::new();
        rig.config = SleepConfig { max_imbalance: most, must_settle: true, ..rig.config };
        let (floor, ball, sleeper, apart) = (rig.fixed(), rig.ball(), rig.ball(), rig.ball());
        let below = [ball, sleeper, apart].map(|body| rig.touch(floor, body, Vector3::y(), 1, 0.0));
        for body in [sleeper, apart] {
            rig.bodies.put_to_sleep(body);
            *rig.average(body) = rig.threshold_squared();
        }
        rig.touch(ball, sleeper, Vector3::x(), 1, 0.0);
        let carry = |rig: &mut Rig, index: usize, share: Real| {
            let weight = rig.bodies.mass(sleeper) * G * DT;
            let points = rig.graph.edges_mut()[below[index].get()].manifold.points_mut();
            points[0].impulse = Vector3::y() * (share * weight);
        };
        carry(&mut rig, 0, 1.0);
        carry(&mut rig, 1, carried);
        let mut woken_for = 0;
        while rig.bodies.is_awake(ball) || rig.bodies.is_awake(sleeper) {
            rig.sleep();
            woken_for += u32::from(rig.bodies.is_awake(sleeper));
            assert!(woken_for != 10 || rig.bodies.is_awake(ball), "they sleep together");
            if woken_for == 2 {
                carry(&mut rig, 1, 1.0);
            }
            assert!(woken_for < 1000, "{most:?} {carried}");
        }
        assert_eq!(
            rig.bodies.take_wakes().get(WakeCause::Unbalanced),
            u32::from(wakes),
            "{most:?} {carried}"
        );
        assert_eq!(woken_for > 10, wakes, "{most:?} {carried}");
    }
}

#[test]
fn settings_out_of_range_are_refused_by_name() {
    let good = SleepConfig::default();
    let cases = [
        ("threshold", SleepConfig { threshold: 1.0, ..good.clone() }),
        ("threshold", SleepConfig { threshold: Real::NAN, ..good.clone() }),
        ("averaging_time", SleepConfig { averaging_time: -1.0, ..good.clone() }),
        ("motion_cap", SleepConfig { motion_cap: 0.5, ..good.clone() }),
        ("support_cosine", SleepConfig { support_cosine: 1.0, ..good.clone() }),
        ("max_overlap", SleepConfig { max_overlap: Some(-1.0), ..good.clone() }),
        ("max_imbalance", SleepConfig { max_imbalance: Some(0.0), ..good.clone() }),
        ("swing_limit", SleepConfig { swing_limit: Some(0.0), ..good.clone() }),
        ("support_gap", SleepConfig { support_gap: Real::INFINITY, ..good.clone() }),
    ];
    for (name, config) in cases {
        match config.validate() {
            Err(SleepError::OutOfRange { field, .. }) => assert_eq!(field, name),
            other => panic!("{name}: {other:?}"),
        }
    }
    assert!(good.validate().is_ok() && SleepConfig::accurate().validate().is_ok());
}
