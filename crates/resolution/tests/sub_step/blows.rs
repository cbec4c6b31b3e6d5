//! Bounces that run on from contact to contact. Trusted: momentum, energy, what cradles do.

use crate::common::{Rig, surface};
use crate::scene::*;
use drystone_contact::BodyIndex;
use drystone_math::{Real, Vector3};

/// Balls of 1 kg and 0.1 m radius in a row along x, with gaps between them, the first ones moving.
fn row(count: usize, moving: usize, gap: Real, restitution: Real) -> (Rig, Vec<BodyIndex>) {
    let mut rig = floating();
    let balls: Vec<BodyIndex> = (0..count)
        .map(|i| {
            let at = Vector3::x() * (i as Real * (0.2 + gap));
            rig.ball(1.0, at, Vector3::x() * if i < moving { 2.0 } else { 0.0 })
        })
        .collect();
    for pair in balls.windows(2) {
        rig.touch_balls(pair[0], pair[1], surface(restitution, 0.4));
    }
    (rig, balls)
}

#[test]
fn as_many_leave_a_row_as_come_in() {
    for gap in [0.0, 1e-4] {
        for moving in 1..=4 {
            let (mut rig, balls) = row(5, moving, gap, 1.0);
            step(&mut rig, &mut method());
            let found: Vec<Real> = balls.iter().map(|&b| rig.linear(b).x).collect();
            for (i, v) in found.iter().enumerate() {
                let expected = if i >= 5 - moving { 2.0 } else { 0.0 };
                assert!((v - expected).abs() < 1e-4, "gap {gap}, {moving} in: {found:?}");
            }
        }
    }
}

/// The impact may come in any sub-step.
#[test]
fn a_blow_arrives_when_it_arrives() {
    for arrival in [0.1, 0.3, 0.55, 0.95] {
        let gap = arrival * 2.0 / HZ;
        let mut rig = floating();
        let places = [-0.2 - gap, 0.0, 0.2, 0.4];
        let balls = places.map(|x| {
            let speed = if x < 0.0 { 2.0 } else { 0.0 };
            rig.ball(1.0, Vector3::x() * x, Vector3::x() * speed)
        });
        for pair in balls.windows(2) {
            rig.touch_balls(pair[0], pair[1], surface(1.0, 0.4));
        }
        step(&mut rig, &mut method());
        let found = balls.map(|b| rig.linear(b).x);
        let expected = [0.0, 0.0, 0.0, 2.0];
        let is_close = found.iter().zip(expected).all(|(v, e): (&Real, Real)| (v - e).abs() < 1e-4);
        assert!(is_close, "arrives after {arrival} of the step: {found:?}");
    }
}

/// A blow runs through a row in one sub-step; one that is longer than its rounds loses energy, and gains none.
#[test]
fn a_blow_runs_through_a_long_row() {
    for (count, arrives) in [(40, true), (60, true), (200, false)] {
        let (mut rig, balls) = row(count, 1, 0.0, 1.0);
        step(&mut rig, &mut method());
        let found: Vec<Real> = balls.iter().map(|&b| rig.linear(b).x).collect();
        let (momentum, energy) = found.iter().fold((0.0, 0.0), |(p, e), v| (p + v, e + 0.5 * v * v));
        assert!((momentum - 2.0).abs() < 1e-4, "{count} balls: {momentum} kg m/s");
        assert!(energy <= 2.0 * (1.0 + 1e-4), "{count} balls: {energy} J of 2 J");
        let last = found[count - 1];
        assert!(!arrives || (last - 2.0).abs() < 1e-4, "the last of {count} leaves with {last} m/s");
    }
}

/// With restitution `e` each ball hands on `(1 + e)/2` of its speed.
#[test]
fn a_blow_loses_what_restitution_says() {
    let (mut rig, balls) = row(4, 1, 1e-3, 0.8);
    step(&mut rig, &mut method());
    let last = rig.linear(balls[3]).x;
    let expected = 2.0 * 0.9_f32.powi(3);
    assert!((last / expected - 1.0).abs() < 1e-3, "{last} m/s, not {expected} m/s");
}

/// A cube that falls on an edge of its face, turned a little: some of its points bounce, the others do not.
/// Energy only falls, and stays within what restitution leaves.
#[test]
fn points_that_do_not_bounce_take_no_part() {
    for lift in [0.01_f32, 0.1, 0.5] {
        let mut rig = floating();
        let floor = rig.fixed();
        let mut body = cube(Vector3::y() * 0.5);
        body.linear = Vector3::y() * -2.0;
        let body = rig.add(&body);
        let face = square(Vector3::zeros(), &Vector3::y(), 0.5);
        let edge = rig.touch(floor, body, Vector3::y(), &face, 0.0, surface(0.5, 0.5));
        for point in &mut rig.graph.edges_mut()[edge.get()].manifold.points_mut()[..2] {
            point.distance = lift;
        }
        let before = rig.energy();
        step(&mut rig, &mut method());
        let after = rig.energy();
        assert!(after < before, "lift {lift}: {after} J of {before} J");
        let v = (rig.linear(body), rig.angular(body));
        assert!(v.0.norm() < 2.0 && v.1.norm() < 6.0, "lift {lift}: {v:?}");
    }
}

/// What bounces gives nothing more in the sub-steps that follow, and weights are carried on.
#[test]
fn a_blow_is_given_once() {
    let mut rig = rig();
    let floor = rig.fixed();
    let ball = rig.ball(1.0, Vector3::new(0.0, 0.1, 0.0), Vector3::y() * -3.0);
    rig.touch(floor, ball, Vector3::y(), &[Vector3::zeros()], 0.0, surface(0.5, 0.3));
    step(&mut rig, &mut method());
    let at_surface = rig.linear(ball).y + 9.81 / HZ;
    // The impact counts as half a sub-step of gravity late.
    assert!((at_surface - 1.5).abs() < 9.81 / HZ / 8.0, "left at {at_surface} m/s");
}

/// Whatever the state, contacts give no energy: clusters with remembered impulses of quite another state, from none to
/// many times what acts. Bounces that happen together would, each of them by Newton's law: in one of some hundred.
#[test]
fn contacts_give_no_energy() {
    let mut scaled = 0;
    for seed in 0..400 {
        for top in [1e-9, 5.0, 20.0, 40.0, 80.0, 160.0, 640.0] {
            let mut random = crate::common::Random::new(seed);
            let mut rig = floating();
            let members = cluster(&mut rig, 6, 5, &mut random);
            let mut method = method();
            for _ in 0..3 {
                step(&mut rig, &mut method);
            }
            for &body in &members {
                rig.set_linear(body, random.vector(0.5));
            }
            for edge in rig.graph.edges_mut() {
                let normal = edge.manifold.normal;
                for point in edge.manifold.points_mut() {
                    point.warm_start_impulse = normal * random.between(0.0, top);
                }
            }
            let before = rig.energy();
            scaled += step(&mut rig, &mut method).energy_scaled;
            let after = rig.energy();
            // A thousandth per sub-step is let pass.
            assert!(after <= before * 1.01 + 1e-6, "seed {seed}, up to {top} N s: {after} J of {before} J");
        }
    }
    assert!(scaled > 0, "the report says when impulses were scaled back");
}
