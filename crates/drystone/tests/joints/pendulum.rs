//! Swings: period, energy, and what holds them.

use super::*;
use drystone::math::Position;
use drystone::{JointHandle, JointSpec};

with_every_method! {
    ten_swings_take_ten_periods,
    a_swing_keeps_its_energy,
}

/// A ball of radius 0.05 m on a length of 1 m, let go at `angle` (rad) from the vertical.
fn pendulum(
    method: &Method,
    angle: f64,
    make: impl Fn(BodyHandle, BodyHandle) -> JointSpec,
) -> (Sim, BodyHandle, JointHandle) {
    let mut world = sleepless(method);
    let hook = world.add_body(BodySpec::fixed()).expect("room");
    let ball = ColliderSpec::new(Shape::sphere(0.05).expect("positive"));
    let pose = Pose::at(angle.sin(), -angle.cos(), 0.0);
    let bob = world.add_body(BodySpec::dynamic().pose(pose).collider(ball)).expect("room");
    let joint = world.add_joint(&make(hook, bob)).expect("a joint");
    (world, bob, joint)
}

/// Times at which the bob passes the vertical with growing x, by linear interpolation.
fn passes(world: &mut Sim, bob: BodyHandle, seconds: f64) -> Vec<f64> {
    let mut found = Vec::new();
    let mut before = world.pose(bob).expect("it is there").translation.x;
    while world.time() < seconds {
        world.tick();
        let now = world.pose(bob).expect("it is there").translation.x;
        if before < 0.0 && now >= 0.0 {
            found.push(world.time() - f64::from(world.dt) * now / (now - before));
        }
        before = now;
    }
    found
}

/// The complete elliptic integral of the first kind, by the arithmetic-geometric mean: period of a pendulum over that of small swings.
fn stretch(angle: f64) -> f64 {
    let (mut a, mut b) = (1.0f64, (0.5 * angle).cos());
    for _ in 0..30 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    1.0 / a
}

/// Makes the joint between hook and bob.
type Make<'a> = &'a dyn Fn(BodyHandle, BodyHandle) -> JointSpec;

fn ten_swings_take_ten_periods(method: &Method) {
    for angle in [0.1, 0.6, 1.2] {
        let rod = |a, b| JointSpec::distance(a, b).between(Position::origin(), at(angle));
        let ball = |a, b| JointSpec::ball(a, b).at(Position::origin());
        let makes: [(Make<'_>, f64); 2] = [(&rod, 0.0), (&ball, 0.4 * 0.05 * 0.05)];
        for (make, extra) in makes {
            let (mut world, bob, _) = pendulum(method, angle, make);
            let times = passes(&mut world, bob, 26.0);
            let period = (times[10] - times[0]) / 10.0;
            let wanted = 2.0 * std::f64::consts::PI * ((1.0 + extra) / 9.81f64).sqrt() * stretch(angle);
            assert!((period / wanted - 1.0).abs() < 1e-4, "{angle}: {period} s, wanted {wanted}");
        }
    }
}

fn at(angle: f64) -> Position {
    Position::new(angle.sin(), -angle.cos(), 0.0)
}

fn a_swing_keeps_its_energy(method: &Method) {
    let (mut world, bob, joint) = pendulum(method, 1.5, |a, b| JointSpec::ball(a, b).at(Position::origin()));
    let energy = |world: &World| {
        let body = world.body(bob).expect("it is there");
        world.kinetic_energy() + f64::from(body.mass) * 9.81 * body.pose.translation.y
    };
    let begin = energy(&world);
    let mut worst: Real = 0.0;
    for _ in 0..world.steps(60 * 60) {
        world.tick();
        worst = worst.max(world.joint(joint).expect("it is there").error[0]);
    }
    let scale = f64::from(world.body(bob).expect("it is there").mass) * 9.81;
    assert!(
        (energy(&world) - begin).abs() < 0.02 * scale,
        "a minute: {} of {scale} J",
        energy(&world) - begin
    );
    assert!(worst < 1e-4, "{worst} m");
}
