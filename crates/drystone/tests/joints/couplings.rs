//! Gears, racks, pulleys and screws. Closed forms; sums of energy and momentum.

use super::*;
use drystone::debug::{DebugDraw, DebugOptions, Rgb};
use drystone::math::Position;
use drystone::{CouplingSpec, JointAxis, JointError, JointHandle, JointKind, JointSpec, Motor, WorldError};

with_every_method! {
    gears_keep_their_ratio_over_a_hundred_turns_under_load,
    a_train_of_gears_turns_as_one,
    gears_on_a_base_that_floats_keep_its_angular_momentum,
    a_rack_falls_as_fast_as_its_pinion_lets_it,
    atwoods_machine_falls_by_its_masses,
    a_rope_over_pulleys_can_be_slack,
    a_screw_carries_by_its_pitch,
    couplings_give_no_energy,
    a_coupling_breaks_by_what_it_gives,
    snapshots_keep_couplings,
}

/// Moment of a cube of 0.2 m of a kilogram about any axis, kg m².
const MOMENT: Real = 0.04 / 6.0;

/// A cube on an axle along z through its middle, on a base.
fn axle(
    world: &mut Sim,
    base: BodyHandle,
    x: f64,
    dress: impl Fn(JointSpec) -> JointSpec,
) -> (BodyHandle, JointHandle) {
    let body = cube(world, Pose::at(x, 0.0, 0.0));
    let hinge = JointSpec::hinge(base, body).at(Position::new(x, 0.0, 0.0)).along(Vector3::z());
    (body, world.add_joint(&dress(hinge)).expect("a joint"))
}

/// A cube on a slider along y at this place.
fn sledge(world: &mut Sim, base: BodyHandle, x: f64) -> (BodyHandle, JointHandle) {
    let body = cube(world, Pose::at(x, 0.0, 0.0));
    let slider = JointSpec::slider(base, body).at(Position::new(x, 0.0, 0.0)).along(Vector3::y());
    (body, world.add_joint(&slider).expect("a joint"))
}

/// A body of this mass that hangs below a fixed point at a height of 2 m, on a rope that may have any length.
fn hanging(world: &mut Sim, post: BodyHandle, x: f64, mass: Real) -> (BodyHandle, JointHandle) {
    let ball = ColliderSpec::new(Shape::sphere(0.1).expect("positive"));
    let spec = BodySpec::dynamic().pose(Pose::at(x, 0.0, 0.0)).collider(ball);
    let body = world.add_body(spec.mass(MassProperties::sphere(0.1, mass / 0.004_188_79))).expect("room");
    let rope =
        JointSpec::distance(post, body).between(Position::new(x, 2.0, 0.0), Position::new(x, 0.0, 0.0));
    (body, world.add_joint(&rope.limits(0.0, Real::INFINITY)).expect("a joint"))
}

fn value(world: &Sim, joint: JointHandle, axis: JointAxis) -> Real {
    world.joint(joint).expect("it is there").value(axis)
}

fn error(world: &Sim, coupling: JointHandle) -> f64 {
    world.joint(coupling).expect("it is there").coupling.expect("it couples").error()
}

/// A motor drives the one, friction brakes the other: the ratio holds to a milliradian in every step, and the torques are as the ratio.
fn gears_keep_their_ratio_over_a_hundred_turns_under_load(method: &Method) {
    let mut world = weightless(method);
    let base = world.add_body(BodySpec::fixed()).expect("room");
    let motor = Motor::Speed { speed: 40.0, most: 5.0 };
    let (_, crank) = axle(&mut world, base, 0.0, |hinge| hinge.motor(motor));
    let (_, wheel) = axle(&mut world, base, 1.0, |hinge| hinge.friction(0.3));
    let gear = world.add_coupling(&CouplingSpec::gear(crank, wheel, -2.5)).expect("a gear");
    let mut worst: f64 = 0.0;
    for _ in 0..world.steps(16 * 60) {
        world.tick();
        worst = worst.max(error(&world, gear).abs());
    }
    assert!(worst < 1e-3, "{worst} rad");
    let turned = [crank, wheel].map(|joint| value(&world, joint, JointAxis::Twist));
    assert!(turned[0] > 628.0, "a hundred turns: {turned:?}");
    assert!((f64::from(turned[1]) + 2.5 * f64::from(turned[0])).abs() < 2e-3, "{turned:?}");
    let coupling = world.joint(gear).expect("it is there").coupling.expect("it couples");
    assert!((coupling.force.abs() - 0.3).abs() < 0.01, "what the friction takes: {}", coupling.force);
    assert!(coupling.velocity.abs() < 0.01, "{} rad/s", coupling.velocity);
    let of_motor = world.joint(crank).expect("it is there").torque.z;
    assert!(of_motor.abs() < 0.02, "the motor gives what the gear takes: {of_motor} N·m are left");
}

/// No drift: after 1e5 turns the wheels are where they were to each other, to a milliradian.
#[test]
fn gears_do_not_drift_over_a_hundred_thousand_turns() {
    let mut world = weightless(&SUB_STEP);
    let base = world.add_body(BodySpec::fixed()).expect("room");
    let motor = Motor::Speed { speed: 400.0, most: 50.0 };
    let (_, crank) = axle(&mut world, base, 0.0, |hinge| hinge.motor(motor));
    let (_, wheel) = axle(&mut world, base, 1.0, |hinge| hinge);
    let gear = world.add_coupling(&CouplingSpec::gear(crank, wheel, -0.7)).expect("a gear");
    for _ in 0..100_000 {
        world.tick();
        assert!(error(&world, gear).abs() < 1e-3, "{} rad", error(&world, gear));
    }
    let turned = value(&world, crank, JointAxis::Twist);
    assert!(turned > 628_400.0, "{turned} rad");
}

fn a_train_of_gears_turns_as_one(method: &Method) {
    let mut world = weightless(method);
    let base = world.add_body(BodySpec::fixed()).expect("room");
    let axles: Vec<_> = (0..5).map(|k| axle(&mut world, base, 0.5 * f64::from(k), |hinge| hinge)).collect();
    for pair in axles.windows(2) {
        world.add_coupling(&CouplingSpec::gear(pair[0].1, pair[1].1, -1.0)).expect("a gear");
    }
    // A torque on the first turns five equal wheels.
    let torque = 0.05;
    world
        .set_motor(
            axles[0].1,
            JointAxis::Twist,
            Some(Motor::Servo {
                target: 0.0,
                speed: 0.0,
                stiffness: 0.0,
                damping: 0.0,
                force: torque,
                max_force: Real::INFINITY,
            }),
        )
        .expect("it takes one");
    run(&mut world, 120);
    let wanted = torque / (5.0 * MOMENT) * 2.0;
    for (k, (body, _)) in axles.iter().enumerate() {
        let spin = world.velocity(*body).expect("it is there").1.z;
        let sign = if k % 2 == 0 { 1.0 } else { -1.0 };
        assert!((spin * sign / wanted - 1.0).abs() < 0.02, "wheel {k}: {spin} rad/s, {wanted}");
    }
}

/// What the gear gives both wheels in the same sense, their axles hand on to the base: the sum stays.
fn gears_on_a_base_that_floats_keep_its_angular_momentum(method: &Method) {
    let mut world = weightless(method);
    let half = Vector3::new(0.6, 0.05, 0.1);
    let base = world
        .add_body(
            BodySpec::dynamic()
                .collider(ColliderSpec::new(Shape::cuboid(half).expect("positive")))
                .mass(MassProperties::cuboid(&half, 125.0)),
        )
        .expect("room");
    let (a, crank) = axle(&mut world, base, -0.4, |hinge| hinge);
    let (b, wheel) = axle(&mut world, base, 0.4, |hinge| hinge);
    let gear = world.add_coupling(&CouplingSpec::gear(crank, wheel, -1.0)).expect("a gear");
    let motor = Motor::Speed { speed: 6.0, most: 0.5 };
    world.set_motor(crank, JointAxis::Twist, Some(motor)).expect("it takes one");
    run(&mut world, 120);
    assert!((value(&world, crank, JointAxis::Twist) - 12.0).abs() < 0.5, "it runs");
    assert!(error(&world, gear).abs() < 5e-3, "{}", error(&world, gear));
    let mass = world.body(base).expect("it is there").mass;
    let base_moment = mass / 3.0 * (half.x * half.x + half.y * half.y);
    let mut sum = world.velocity(base).expect("it is there").1.z * base_moment;
    for body in [a, b] {
        let (v, w) = world.velocity(body).expect("it is there");
        let at = world.pose(body).expect("it is there").translation.coords.cast::<Real>();
        sum += at.cross(&v).z + w.z * MOMENT;
    }
    assert!(sum.abs() < 0.02 * 6.0 * MOMENT, "{sum} kg m²/s of {}", 6.0 * MOMENT);
}

/// `a = g / (1 + I / (m r²))`.
fn a_rack_falls_as_fast_as_its_pinion_lets_it(method: &Method) {
    let mut world = sleepless(method);
    let base = world.add_body(BodySpec::fixed()).expect("room");
    let (_, pinion) = axle(&mut world, base, 0.0, |hinge| hinge);
    let (body, rack) = sledge(&mut world, base, 1.0);
    let radius = 0.05;
    let coupling = world.add_coupling(&CouplingSpec::rack_and_pinion(pinion, rack, radius)).expect("a rack");
    run(&mut world, 30);
    let gravity = world.config().gravity.norm();
    let wanted = -0.5 * gravity / (1.0 + MOMENT / (radius * radius));
    let found = world.velocity(body).expect("it is there").0.y;
    assert!((found / wanted - 1.0).abs() < 0.01, "{found} m/s, {wanted}");
    let turned = value(&world, pinion, JointAxis::Twist);
    assert!((value(&world, rack, JointAxis::X) - radius * turned).abs() < 1e-4, "{turned} rad");
    assert_eq!(world.joint(coupling).expect("it is there").kind, JointKind::RackAndPinion);
}

/// With a ratio `r` of the second rope `a₁ = g (r m₁ − m₂) r / (r² m₁ + m₂)` down, `a₂ = a₁ / r` up, and the tension `m₁ (g − a₁)`.
fn atwoods_machine_falls_by_its_masses(method: &Method) {
    for (masses, ratio) in [([1.0, 2.0], 1.0), ([3.0, 1.0], 1.0), ([1.0, 3.0], 2.0)] {
        let mut world = sleepless(method);
        let post = world.add_body(BodySpec::fixed()).expect("room");
        let (a, first) = hanging(&mut world, post, 0.0, masses[0]);
        let (b, second) = hanging(&mut world, post, 1.0, masses[1]);
        let pulley = world.add_coupling(&CouplingSpec::pulley(first, second, ratio)).expect("a pulley");
        run(&mut world, 24);
        let gravity = world.config().gravity.norm();
        let [m, n] = masses;
        let down = gravity * (ratio * m - n) * ratio / (ratio * ratio * m + n);
        let speed = |body| -world.velocity(body).expect("it is there").0.y;
        assert!((speed(a) - 0.4 * down).abs() < 0.02, "{masses:?}: {} m/s, {}", speed(a), 0.4 * down);
        assert!((speed(b) + 0.4 * down / ratio).abs() < 0.02, "{masses:?}: {} m/s", speed(b));
        let tension = m * (gravity - down);
        let found = world.joint(first).expect("it is there").force;
        assert!((found.y / tension - 1.0).abs() < 0.02, "{masses:?}: {found:?}, {tension} N");
        assert!(error(&world, pulley).abs() < 2e-3, "{masses:?}: {}", error(&world, pulley));
    }
}

/// It holds from above alone: a body that is thrown up is not held back, and the other one falls as it does.
fn a_rope_over_pulleys_can_be_slack(method: &Method) {
    let mut world = sleepless(method);
    let post = world.add_body(BodySpec::fixed()).expect("room");
    let (a, first) = hanging(&mut world, post, 0.0, 1.0);
    let (b, second) = hanging(&mut world, post, 1.0, 1.0);
    let pulley = world.add_coupling(&CouplingSpec::pulley(first, second, 1.0)).expect("a pulley");
    run(&mut world, 30);
    let height = |world: &Sim, body| world.pose(body).expect("it is there").translation.y;
    assert!(height(&world, a).abs() < 1e-3, "they hold each other: {}", height(&world, a));
    for body in [a, b] {
        world.set_velocity(body, Vector3::y() * 2.0, Vector3::zeros()).expect("finite");
    }
    run(&mut world, 12);
    let sum = world.joint(pulley).expect("it is there").coupling.expect("it couples");
    assert!(sum.sum < sum.limits[1] - 0.3, "slack: {sum:?}");
    run(&mut world, 60);
    assert!(error(&world, pulley).abs() < 5e-3, "and taut again: {}", error(&world, pulley));
}

/// A nut of mass `m` on a thread of pitch `p` needs the torque `m g p / 2π`; with twice as much it turns by `m g p / 2π / (I + m (p / 2π)²)`, and the thread
/// carries all of its weight.
fn a_screw_carries_by_its_pitch(method: &Method) {
    for pitch in [0.5, -0.2] {
        let mut world = sleepless(method);
        let base = world.add_body(BodySpec::fixed()).expect("room");
        let nut = cube(&mut world, Pose::at(0.0, 0.0, 0.0));
        let spec = JointSpec::screw(base, nut, pitch).at(Position::origin()).along(Vector3::y());
        let screw = world.add_joint(&spec).expect("a screw");
        let lead = pitch / std::f32::consts::TAU;
        let gravity = world.config().gravity.norm();
        let torque = |share: Real| Motor::Servo {
            target: 0.0,
            speed: 0.0,
            stiffness: 0.0,
            damping: 0.0,
            force: share * gravity * lead,
            max_force: Real::INFINITY,
        };
        world.set_motor(screw, JointAxis::Twist, Some(torque(1.0))).expect("it takes one");
        run(&mut world, 30);
        let now = world.joint(screw).expect("it is there");
        assert!(now.value(JointAxis::Twist).abs() < 5e-3, "{pitch}: {}", now.value(JointAxis::Twist));
        assert!((now.force.y / gravity - 1.0).abs() < 5e-3, "{pitch}: {:?}", now.force);
        world.set_motor(screw, JointAxis::Twist, Some(torque(2.0))).expect("it takes one");
        run(&mut world, 60);
        let now = world.joint(screw).expect("it is there");
        let wanted = gravity * lead / (MOMENT + lead * lead);
        let found = now.velocity(JointAxis::Twist);
        assert!((found / wanted - 1.0).abs() < 0.02, "{pitch}: {found} rad/s, {wanted}");
        let way = now.value(JointAxis::X) - lead * now.value(JointAxis::Twist);
        assert!(way.abs() < 1e-3, "{pitch}: {way} m off, after {} rad", now.value(JointAxis::Twist));
        assert!((now.velocity(JointAxis::X) - lead * found).abs() < 0.01, "{pitch}");
    }
}

/// Without motors energy never grows by more than 2 % of what falls into it, whatever turns, swings or slides.
fn couplings_give_no_energy(method: &Method) {
    type Make = fn(&mut Sim, BodyHandle);
    let makes: [(&str, Make); 4] = [
        ("gear", |world, base| {
            let link = cube(world, Pose::at(0.4, 0.0, 0.0));
            let hinge = JointSpec::hinge(base, link).at(Position::origin()).along(Vector3::z());
            let hinge = world.add_joint(&hinge).expect("a joint");
            let (_, wheel) = axle(world, base, 1.5, |hinge| hinge);
            world.add_coupling(&CouplingSpec::gear(hinge, wheel, -3.0)).expect("a gear");
        }),
        ("rack", |world, base| {
            let link = cube(world, Pose::at(0.4, 0.0, 0.0));
            let hinge = JointSpec::hinge(base, link).at(Position::origin()).along(Vector3::z());
            let pinion = world.add_joint(&hinge).expect("a joint");
            let (_, rack) = sledge(world, base, 1.5);
            world.add_coupling(&CouplingSpec::rack_and_pinion(pinion, rack, 0.1)).expect("a rack");
        }),
        ("pulley", |world, base| {
            let (a, first) = hanging(world, base, 0.0, 1.0);
            let (_, second) = hanging(world, base, 1.5, 1.0);
            world.add_coupling(&CouplingSpec::pulley(first, second, 1.0)).expect("a pulley");
            // Both swing, the one in a circle.
            world.set_velocity(a, Vector3::new(0.4, 0.0, 0.2), Vector3::zeros()).expect("finite");
        }),
        ("screw", |world, base| {
            // Level, with its weight beside the thread: it swings to and fro, and goes with that.
            let nut = cube(world, Pose::at(0.3, 0.0, 0.0));
            let spec = JointSpec::screw(base, nut, 0.7).at(Position::origin()).along(Vector3::z());
            world.add_joint(&spec).expect("a screw");
        }),
    ];
    for (name, make) in makes {
        let mut world = sleepless(method);
        let base = world.add_body(BodySpec::fixed()).expect("room");
        make(&mut world, base);
        let gravity = world.config().gravity.norm();
        let energy = |world: &Sim| {
            let kinetic = world.kinetic_energy();
            kinetic
                + world
                    .bodies()
                    .filter(|body| body.mass > 0.0)
                    .map(|body| f64::from(body.mass * gravity) * (body.center.y + 1.0))
                    .filter(|energy| energy.is_finite())
                    .sum::<f64>()
        };
        let begin = energy(&world);
        let mut most: f64 = 0.0;
        for _ in 0..world.steps(600) {
            world.tick();
            most = most.max(energy(&world));
        }
        assert!(most <= 1.02 * begin, "{name}: {begin} J, then {most} J");
        assert!(world.kinetic_energy() > 0.0, "{name} moves");
    }
}

/// At 5 N·m on the second joint: as much as the first one gives.
fn a_coupling_breaks_by_what_it_gives(method: &Method) {
    for (torque, breaks) in [(4.0, false), (6.0, true)] {
        let mut world = weightless(method);
        let base = world.add_body(BodySpec::fixed()).expect("room");
        // Against what friction holds the gear gives all the torque of the motor.
        let motor = Motor::Speed { speed: 1.0, most: torque };
        let (_, crank) = axle(&mut world, base, 0.0, |hinge| hinge.motor(motor));
        let (_, wheel) = axle(&mut world, base, 1.0, |hinge| hinge.friction(100.0));
        let spec = CouplingSpec::gear(crank, wheel, 1.0).breaks_above(Real::INFINITY, 5.0);
        let gear = world.add_coupling(&spec).expect("a gear");
        let mut broken = Vec::new();
        for _ in 0..world.steps(60) {
            world.tick();
            broken.extend_from_slice(world.broken_joints());
        }
        assert_eq!(broken, if breaks { vec![gear] } else { Vec::new() }, "{torque} N·m");
        assert_eq!(world.joint(gear).is_err(), breaks);
        if !breaks {
            let given = world.joint(gear).expect("it is there").torque.z;
            assert!((given.abs() - 4.0).abs() < 0.1, "{given} N·m");
        }
    }
}

/// In the middle of the way: a copy goes on to the bit.
fn snapshots_keep_couplings(method: &Method) {
    let build = || {
        let mut world = sleepless(method);
        let base = world.add_body(BodySpec::fixed()).expect("room");
        let motor = Motor::Speed { speed: 15.0, most: 1.0 };
        let (_, crank) = axle(&mut world, base, 0.0, |hinge| hinge.motor(motor));
        let (_, rack) = sledge(&mut world, base, 1.0);
        let (_, first) = hanging(&mut world, base, 2.0, 1.0);
        let (_, second) = hanging(&mut world, base, 3.0, 1.5);
        world.add_coupling(&CouplingSpec::rack_and_pinion(crank, rack, 0.02)).expect("a rack");
        world.add_coupling(&CouplingSpec::pulley(first, second, 1.0)).expect("a pulley");
        world
    };
    let mut world = build();
    run(&mut world, 40);
    let snapshot = world.snapshot();
    let mut copy = sleepless(method);
    copy.restore(&snapshot).expect("the same settings");
    for _ in 0..world.steps(40) {
        world.tick();
        copy.tick();
        assert_eq!(world.state_hash(), copy.state_hash());
    }
    // A world of its own that takes the same steps is the same, bit by bit.
    let mut other = build();
    run(&mut other, 80);
    assert_eq!(world.state_hash(), other.state_hash());
}

/// What is coupled sleeps and wakes together: none falls asleep while the other is moved, and what wakes the one wakes the other.
#[test]
fn coupled_bodies_sleep_and_wake_together() {
    let mut world = SUB_STEP.world();
    let base = world.add_body(BodySpec::fixed()).expect("room");
    let (a, crank) = axle(&mut world, base, 0.0, |hinge| hinge.friction(0.05));
    let (b, wheel) = axle(&mut world, base, 1.0, |hinge| hinge.friction(0.05));
    // So slowly that the second one alone would sleep.
    world.add_coupling(&CouplingSpec::gear(crank, wheel, 1e-4)).expect("a gear");
    let motor = Motor::Speed { speed: 5.0, most: 10.0 };
    world.set_motor(crank, JointAxis::Twist, Some(motor)).expect("it takes one");
    let asleep = |world: &Sim| [a, b].map(|body| world.body(body).expect("it is there").is_asleep);
    run(&mut world, 240);
    assert_eq!(asleep(&world), [false; 2], "driven");
    world.set_motor(crank, JointAxis::Twist, None).expect("it takes none");
    run(&mut world, 600);
    assert_eq!(asleep(&world), [true; 2], "at rest");
    world.add_impulse(a, Vector3::x() * 1e-3, Vector3::zeros()).expect("finite");
    run(&mut world, 1);
    assert_eq!(asleep(&world), [false; 2], "woken");
}

/// A coupling goes with its joints and its bodies, and leaves them as they were; handles do not come back.
#[test]
fn couplings_go_with_what_they_couple() {
    let mut world = weightless(&SUB_STEP);
    let base = world.add_body(BodySpec::fixed()).expect("room");
    let three = |world: &mut Sim| [0.0, 1.0, 2.0].map(|x| axle(world, base, x, |hinge| hinge));
    let [first, second, third] = three(&mut world);
    let one = world.add_coupling(&CouplingSpec::gear(first.1, second.1, 1.0)).expect("a gear");
    let two = world.add_coupling(&CouplingSpec::gear(second.1, third.1, 1.0)).expect("a gear");
    assert_eq!(world.joint_count(), 5);
    world.remove_joint(second.1).expect("it is there");
    assert_eq!(world.joint_count(), 2);
    assert!(world.joint(one).is_err() && world.joint(two).is_err());
    let again = world.add_coupling(&CouplingSpec::gear(first.1, third.1, 1.0)).expect("a gear");
    world.set_velocity(first.0, Vector3::zeros(), Vector3::z()).expect("finite");
    run(&mut world, 10);
    let spin = |world: &Sim, body| world.velocity(body).expect("it is there").1.z;
    assert!((spin(&world, third.0) - 0.5).abs() < 1e-3, "half each: {}", spin(&world, third.0));
    world.remove_joint(again).expect("it is there");
    world.set_velocity(first.0, Vector3::zeros(), Vector3::z() * 2.0).expect("finite");
    run(&mut world, 10);
    assert!((spin(&world, third.0) - 0.5).abs() < 1e-3, "by itself: {}", spin(&world, third.0));
    let last = world.add_coupling(&CouplingSpec::gear(first.1, third.1, 1.0)).expect("a gear");
    world.remove_body(first.0).expect("it is there");
    assert!(world.joint(last).is_err());
    assert_eq!(world.joint_count(), 1);
    world.tick();
}

/// Lint has nothing against them, and debug drawing draws them.
#[test]
fn couplings_are_linted_and_drawn() {
    struct Lines(usize);
    impl DebugDraw for Lines {
        fn line(&mut self, _: &Position, _: &Position, _: Rgb) {
            self.0 += 1;
        }
    }
    let mut world = weightless(&SUB_STEP);
    let base = world.add_body(BodySpec::fixed()).expect("room");
    let (_, crank) = axle(&mut world, base, 0.0, |hinge| hinge);
    let (_, wheel) = axle(&mut world, base, 1.0, |hinge| hinge);
    let options = DebugOptions { shapes: false, contacts: false, normals: false, ..DebugOptions::default() };
    let count = |world: &Sim| {
        let mut lines = Lines(0);
        world.draw(&options, &mut lines);
        lines.0
    };
    let before = count(&world);
    world.add_coupling(&CouplingSpec::gear(crank, wheel, -1.0)).expect("a gear");
    assert!(count(&world) > before, "{before} lines");
    assert_eq!(world.lint(1.0 / 60.0).expect("a step"), Vec::new());
}

/// Nonsense is refused by name, and the world is as it was.
#[test]
fn nonsense_is_refused_by_name() {
    let mut world = weightless(&SUB_STEP);
    let base = world.add_body(BodySpec::fixed()).expect("room");
    let (body, hinge) = axle(&mut world, base, 0.0, |hinge| hinge);
    let (_, slider) = sledge(&mut world, base, 1.0);
    let other = cube(&mut world, Pose::at(2.0, 0.0, 0.0));
    let ball = world.add_joint(&JointSpec::ball(base, other)).expect("a joint");
    let rod = world
        .add_joint(
            &JointSpec::distance(body, other).between(Position::origin(), Position::new(2.0, 0.0, 0.0)),
        )
        .expect("a joint");
    let gone = JointHandle { index: 99, generation: 3 };
    let mut refused = |spec: CouplingSpec| {
        let count = world.joint_count();
        let error = world.add_coupling(&spec).expect_err("nonsense");
        assert_eq!(world.joint_count(), count);
        error.to_string()
    };
    let cases = [
        (CouplingSpec::gear(hinge, hinge, Real::NAN), "ratio of a gear must be finite and not 0, got NaN"),
        (CouplingSpec::gear(hinge, hinge, 0.0), "ratio of a gear must be finite and not 0, got 0"),
        (
            CouplingSpec::rack_and_pinion(hinge, slider, Real::INFINITY),
            "radius of a pinion must be finite and not 0, got inf",
        ),
        (
            CouplingSpec::gear(hinge, hinge, Real::EPSILON.powi(2)),
            "ratio of a gear must be 1e-9 to 1e9 in size, got 0.000000000000014210854715202004",
        ),
        (
            CouplingSpec::gear(hinge, hinge, -2e9),
            "ratio of a gear must be 1e-9 to 1e9 in size, got -2000000000",
        ),
        (CouplingSpec::pulley(hinge, slider, -1.0), "ratio of a pulley must be finite and positive, got -1"),
        (
            CouplingSpec::gear(hinge, slider, 1.0).breaks_above(-1.0, 1.0),
            "force that breaks a joint must be positive, or inf without, got -1",
        ),
    ];
    for (spec, wanted) in cases {
        assert_eq!(refused(spec), wanted);
    }
    let found = refused(CouplingSpec::gear(hinge, ball, 1.0));
    assert!(
        found.ends_with(
            "cannot be coupled: its swings are free as well, so that nothing tells how often it went around"
        ),
        "{found}"
    );
    let found = refused(CouplingSpec::gear(hinge, slider, 1.0));
    assert!(found.contains("the twist of joint") && found.contains("it is held"), "{found}");
    let found = refused(CouplingSpec::pulley(rod, rod, 1.0));
    assert!(
        found.contains("the distance of joint") && found.contains("free with limits of 0 and inf"),
        "{found}"
    );
    let found = world.add_coupling(&CouplingSpec::gear(hinge, gone, 1.0));
    assert_eq!(found, Err(WorldError::Joint(JointError::UnknownJoint(gone))));
    let found = world.add_joint(&JointSpec::new(JointKind::Gear, body, other)).expect_err("nonsense");
    assert_eq!(found.to_string(), "a gear couples two joints: add it with a `CouplingSpec`");
    for pitch in [0.0, Real::NAN] {
        let found = world.add_joint(&JointSpec::screw(base, other, pitch)).expect_err("nonsense");
        assert_eq!(found.to_string(), format!("pitch of a screw must be finite and not 0, got {pitch}"));
    }
}
