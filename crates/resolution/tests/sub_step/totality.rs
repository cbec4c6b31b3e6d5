//! Promise 1: no input makes a step panic or hang; what is finite stays so unless it cannot.

use crate::common::{Random, Rig, surface};
use crate::scene::*;
use drystone_contact::{AxisLocks, BodyDesc};
use drystone_math::{Real, Vector3};
use drystone_resolution::{SubStepConfig, SubStepSolver};

#[test]
fn settings_out_of_range_are_refused() {
    let broken: [fn(&mut SubStepConfig); 9] = [
        |c| c.sub_steps = 0,
        |c| c.sub_steps = 65,
        |c| c.recovery_rate = -1.0,
        |c| c.recovery_speed = Real::NAN,
        |c| c.contact_slop = -0.1,
        |c| c.restitution_threshold = Real::INFINITY,
        |c| c.wake_threshold = -1.0,
        |c| c.residual_threshold = 0.0,
        |c| c.recovery_rate = Real::INFINITY,
    ];
    for (k, change) in broken.into_iter().enumerate() {
        let mut config = SubStepConfig::default();
        change(&mut config);
        assert!(config.validate().is_err(), "change {k}: {config:?}");
    }
    for sub_steps in [1, SubStepConfig::MAX_SUB_STEPS] {
        assert!(SubStepConfig { sub_steps, ..SubStepConfig::default() }.validate().is_ok());
    }
}

/// Every setting at the ends of its range.
#[test]
fn extreme_settings_give_finite_motion() {
    for sub_steps in [1, 64] {
        for recovery in [0.0, 1e30] {
            for band in [0.0, 1e3] {
                let config = SubStepConfig {
                    sub_steps,
                    recovery_rate: recovery,
                    recovery_speed: recovery,
                    contact_slop: band,
                    restitution_threshold: 0.0,
                    ..SubStepConfig::default()
                };
                let mut rig = rig();
                cluster(&mut rig, 12, 8, &mut Random::new(9));
                let mut method = SubStepSolver::new(config.clone());
                for _ in 0..10 {
                    step(&mut rig, &mut method);
                }
                assert!(rig.is_finite(), "{config:?}");
            }
        }
    }
}

#[test]
fn extreme_masses_give_finite_motion() {
    for exponent in [-6, -3, 3, 6] {
        let mut rig = rig();
        let heavy = (10.0 as Real).powi(exponent);
        let floor = rig.fixed();
        let mut below = floor;
        for i in 0..6 {
            let at = Vector3::new(0.0, i as Real + 0.5, 0.0);
            let mass = if i % 2 == 1 { heavy } else { 1.0 };
            let body = rig.add(&cuboid(mass, Vector3::repeat(1.0), at));
            let face = square(at - Vector3::y() * 0.5, &Vector3::y(), 0.5);
            rig.touch(below, body, Vector3::y(), &face, 0.0, surface(0.5, 0.5));
            below = body;
        }
        let mut method = method();
        for _ in 0..100 {
            step(&mut rig, &mut method);
        }
        assert!(rig.is_finite(), "1 to 1e{exponent}");
    }
}

/// Speeds up to the largest numbers, and what is no number: no panic. Below 1e15 m/s all stays finite.
#[test]
fn broken_velocities_do_no_harm() {
    for size in [1e6, 1e15, 1e20, 1e38, Real::INFINITY, Real::NAN] {
        let mut rig = rig();
        let members = cluster(&mut rig, 8, 8, &mut Random::new(2));
        rig.set_linear(members[3], Vector3::new(size, -size, size));
        let mut other = crate::common::Random::new(4);
        let apart = cluster(&mut rig, 3, 1, &mut other);
        let mut method = method();
        for _ in 0..3 {
            step(&mut rig, &mut method);
        }
        assert!(size.is_nan() || size > 1e15 || rig.is_finite(), "{size} m/s");
        assert!(rig.bodies.indices().all(|b| rig.bodies.center_pose(b).is_finite()), "poses at {size} m/s");
        // What has nothing to do with it goes on.
        assert!(apart.iter().all(|&b| rig.bodies.hot(b).is_finite()), "others at {size} m/s");
    }
}

/// Points on top of each other, on a line, far off; a normal along each axis; enormous gaps.
#[test]
fn degenerate_manifolds_give_finite_motion() {
    let o = Vector3::zeros();
    let far = Vector3::new(1e6, 0.0, 0.0);
    let line = Vector3::new(0.1, 0.0, 0.0);
    let sets: [&[Vector3]; 6] =
        [&[o, o], &[o; 4], &[o, line, line * 2.0], &[far; 3], &[o, far], &[far, o, line, far]];
    for points in sets {
        for normal in [Vector3::x(), Vector3::y(), Vector3::z(), -Vector3::x(), -Vector3::y(), -Vector3::z()]
        {
            for distance in [-1.0, 0.0, 1e10] {
                let mut rig: Rig = rig();
                let floor = rig.fixed();
                let body = rig.add(&BodyDesc { linear: normal * -1.0, ..cube(normal * 0.5) });
                rig.touch(floor, body, normal, points, distance, surface(0.5, 0.5));
                let mut method = method();
                for _ in 0..3 {
                    step(&mut rig, &mut method);
                }
                assert!(rig.is_finite(), "{points:?} along {normal} at {distance}: {}", rig.linear(body));
            }
        }
    }
}

/// Locked axes stay locked under contacts, and a body that is locked altogether carries others.
#[test]
fn locked_axes_do_not_move() {
    let mut rig = rig();
    let material = surface(0.2, 0.5);
    let all = AxisLocks { translation: [true; 3], rotation: [true; 3] };
    let shelf = rig.add(&BodyDesc { locks: all, ..cube(Vector3::new(0.0, -0.5, 0.0)) });
    let half = AxisLocks { translation: [true, false, false], rotation: [true, true, false] };
    let cart = rig.add(&BodyDesc { locks: half, ..cube(Vector3::new(0.0, 0.5, 0.0)) });
    rig.touch(shelf, cart, Vector3::y(), &square(Vector3::zeros(), &Vector3::y(), 0.5), 0.0, material);
    let handle = rig.bodies.handle(cart).expect("alive");
    rig.bodies.set_velocity(handle, Vector3::new(3.0, -1.0, 2.0), Vector3::repeat(1.0)).expect("finite");
    let mut method = method();
    for _ in 0..30 {
        step(&mut rig, &mut method);
        assert_eq!(rig.linear(shelf), Vector3::zeros());
        assert_eq!((rig.linear(cart).x, rig.angular(cart).x, rig.angular(cart).y), (0.0, 0.0, 0.0));
    }
    assert_eq!(rig.bodies.center_pose(shelf).translation.y, -0.5);
    assert!((rig.bodies.center_pose(cart).translation.y - 0.5).abs() < 1e-2, "the shelf carries the cart");
}

/// A world without anything in it, and one without contacts.
#[test]
fn nothing_is_a_world_too() {
    let mut empty = rig();
    step(&mut empty, &mut method());
    let mut lonely = rig();
    let body = lonely.add(&cube(Vector3::zeros()));
    step(&mut lonely, &mut method());
    assert!((lonely.linear(body).y + 9.81 / HZ).abs() < 1e-6);
}
