//! Reported impulses are real (promise 6), and momentum is where it should be. Trusted: Newton's laws, in `f64`.

use crate::common::{Random, Rig, surface};
use crate::scene::*;
use drystone_contact::BodyDesc;
use drystone_math::{Real, Vector3, widen};
use drystone_resolution::{SubStepConfig, SubStepSolver};

/// Share of all that acts on a body that rounding may hide: the impulses of a step are sums over its
/// sub-steps, and velocities are rounded in each pass.
const ROUNDING: f64 = 4e-6;

/// Steps once, and compares each body's change of momentum with what its contacts report.
fn check(rig: &mut Rig, method: &mut SubStepSolver, name: &str) {
    let rounding = ROUNDING * f64::from(method.config.sub_steps.max(8)) / 8.0;
    check_momenta(rig, method, rounding, name);
}

/// Impact, friction, bounces, ground and body-body contacts, overlaps and gaps, in the first step and in those
/// that begin with impulses.
#[test]
fn reported_impulses_are_the_change_of_momentum() {
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let mut rig = if seed % 3 == 0 { floating() } else { rig() };
        let count = 1 + random.below(12);
        let extra = random.below(count + 1);
        cluster(&mut rig, count, extra, &mut random);
        let mut method = method();
        for k in 0..4 {
            check(&mut rig, &mut method, &format!("seed {seed}, step {k}"));
        }
    }
}

/// Belts give momentum too, and rolling friction turns bodies by itself.
#[test]
fn they_are_with_belts_and_rolling_friction() {
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let mut rig = if seed % 3 == 0 { floating() } else { rig() };
        let count = 2 + random.below(12);
        let members = cluster(&mut rig, count, count / 2, &mut random);
        for &member in members.iter().step_by(2) {
            enliven(&mut rig, member, &mut random);
        }
        let mut method = method();
        for k in 0..4 {
            check(&mut rig, &mut method, &format!("seed {seed}, step {k}"));
        }
    }
}

#[test]
fn they_are_at_any_number_of_sub_steps() {
    for sub_steps in [1, 2, 3, 16, 64] {
        let mut rig = rig();
        cluster(&mut rig, 10, 6, &mut Random::new(7));
        let mut method = SubStepSolver::new(SubStepConfig { sub_steps, ..SubStepConfig::default() });
        for k in 0..3 {
            check(&mut rig, &mut method, &format!("{sub_steps} sub-steps, step {k}"));
        }
    }
}

#[test]
fn they_are_with_forces_and_without_contact_of_the_first_body() {
    let mut rig = rig();
    let material = surface(0.5, 0.5);
    let (cubes, _) = tower(&mut rig, 3, material);
    let handle = rig.bodies.handle(cubes[2]).expect("alive");
    rig.bodies.add_force(handle, Vector3::new(3.0, -20.0, 1.0), Vector3::zeros()).expect("finite");
    let before = momenta(&rig, cubes[2])[0];
    step(&mut rig, &mut method());
    let dt = f64::from(rig.step.dt);
    let expected = before + given(&rig, cubes[2]).0[0] + widen(&Vector3::new(3.0, -20.0 - 9.81, 1.0)) * dt;
    assert!((momenta(&rig, cubes[2])[0] - expected).norm() < 1e-6);
}

/// Nothing from outside acts on two bodies that collide off centre.
#[test]
fn a_collision_off_centre_keeps_both_momenta() {
    for seed in 0..40 {
        let mut random = Random::new(seed);
        let mut rig = floating();
        let material = random.material();
        let a = rig.add(&BodyDesc { linear: Vector3::new(4.0, 0.5, 0.0), ..cube(Vector3::zeros()) });
        let b = rig.add(&BodyDesc {
            angular: random.vector(4.0),
            ..cuboid(3.0, Vector3::new(0.4, 1.5, 0.8), Vector3::new(0.7, 0.3, 0.1))
        });
        let place = Vector3::new(0.5, random.between(-0.5, 0.5), random.between(-0.5, 0.5));
        rig.touch(a, b, Vector3::x(), &square(place, &Vector3::x(), 0.05), 0.0, material);
        let before = [a, b].map(|body| momenta(&rig, body));
        step(&mut rig, &mut method());
        let after = [a, b].map(|body| momenta(&rig, body));
        let linear = after[0][0] + after[1][0] - before[0][0] - before[1][0];
        assert!(linear.norm() < 1e-6 * 4.0, "seed {seed}: momentum changed by {linear}");
        // About the point of contact, where both arms meet: the bodies have moved by a step since, which is
        // no torque but makes "about the origin" depend on where they are.
        let about = |m: [[drystone_math::Displacement; 2]; 2]| {
            m[0][1]
                + m[1][1]
                + widen(&-place).cross(&m[0][0])
                + widen(&(Vector3::new(0.7, 0.3, 0.1) - place)).cross(&m[1][0])
        };
        let turned = about(after) - about(before);
        assert!(turned.norm() < 1e-5, "seed {seed}: angular momentum changed by {turned}");
        assert!((momenta(&rig, b)[0] - before[1][0]).norm() > 0.1, "they collide");
    }
}

/// A ball hits another one head on: the closed form.
#[test]
fn balls_head_on_exchange_what_restitution_says() {
    for (e, mass) in [(0.0, 1.0), (0.5, 1.0), (1.0, 1.0), (1.0, 3.0), (0.3, 10.0)] {
        let mut rig = floating();
        let a = rig.ball(1.0, Vector3::zeros(), Vector3::new(2.0, 0.0, 0.0));
        let b = rig.ball(mass, Vector3::new(0.2, 0.0, 0.0), Vector3::zeros());
        rig.touch_balls(a, b, surface(e, 0.4));
        step(&mut rig, &mut method());
        let impulse = (1.0 + e) * 2.0 * mass / (1.0 + mass);
        let expected: [Real; 2] = [2.0 - impulse, impulse / mass];
        let found = [a, b].map(|body| rig.linear(body).x);
        for k in 0..2 {
            assert!((found[k] - expected[k]).abs() < 2e-6, "e {e}, mass {mass}: {found:?}, not {expected:?}");
        }
    }
}
