//! Wheels on suspensions, and soft welds. Closed forms.

use super::*;
use drystone::math::Position;
use drystone::{JointAxis, JointHandle, JointSpec, Motor, Softness};

with_every_method! {
    a_suspension_sags_by_its_stiffness,
    a_suspension_swings_at_its_frequency,
    a_wheel_spins_on_its_steered_axle,
    a_soft_weld_swings_at_its_period,
    a_soft_weld_by_frequency_is_that_of_its_bodies,
    what_is_not_soft_is_held,
    soft_joints_give_no_energy,
}

/// Moment of a cube of 0.2 m of a kilogram about any axis, kg m².
const MOMENT: Real = 0.04 / 6.0;

/// A wheel of a kilogram below a chassis that is fixed: its axle is along x, its suspension along y.
fn wheel(
    world: &mut Sim,
    softness: Softness,
    dress: impl Fn(JointSpec) -> JointSpec,
) -> (BodyHandle, JointHandle) {
    let chassis = world.add_body(BodySpec::fixed().pose(Pose::at(0.0, 1.0, 0.0))).expect("room");
    let body = cube(world, Pose::at(0.0, 0.0, 0.0));
    let spec =
        JointSpec::wheel(chassis, body).at(Position::origin()).along(Vector3::x()).across(Vector3::y());
    (body, world.add_joint(&dress(spec.suspension(softness))).expect("a wheel"))
}

/// `m g / k`, once it is at rest.
fn a_suspension_sags_by_its_stiffness(method: &Method) {
    let mut world = sleepless(method);
    let softness = Softness::Stiffness { stiffness: 200.0, damping: 20.0 };
    let (body, joint) = wheel(&mut world, softness, |spec| spec);
    run(&mut world, 180);
    let wanted = world.config().gravity.norm() / 200.0;
    let found = -world.pose(body).expect("it is there").translation.y as Real;
    assert!((found / wanted - 1.0).abs() < 5e-3, "{found} m, {wanted}");
    let now = world.joint(joint).expect("it is there");
    assert!((now.value(JointAxis::Y) + wanted).abs() < 5e-3 * wanted, "{}", now.value(JointAxis::Y));
    assert!(now.error[0] < 1e-4 && now.error[1] < 1e-4, "{:?}", now.error);
}

/// Times at which a value goes through this one upward, s.
fn crossings(world: &mut Sim, sixtieths: u32, at: Real, value: impl Fn(&Sim) -> Real) -> Vec<Real> {
    let mut found = Vec::new();
    let mut before = value(world) - at;
    for step in 0..world.steps(sixtieths) {
        world.tick();
        let now = value(world) - at;
        if before < 0.0 && now >= 0.0 {
            found.push((step as Real + before / (before - now)) * world.dt);
        }
        before = now;
    }
    found
}

/// The mean time between crossings, s.
fn period(crossings: &[Real]) -> Real {
    assert!(crossings.len() > 3, "{crossings:?}");
    (crossings[crossings.len() - 1] - crossings[0]) / (crossings.len() - 1) as Real
}

/// `√(k / m) / 2π` about where it sags to, with a bump stop far away.
fn a_suspension_swings_at_its_frequency(method: &Method) {
    let mut world = sleepless(method);
    let stiffness = 4.0 * std::f32::consts::PI.powi(2);
    let softness = Softness::Stiffness { stiffness, damping: 0.0 };
    let (body, _) = wheel(&mut world, softness, |spec| spec.axis_limits(JointAxis::Y, -2.0, 2.0));
    let sag = -world.config().gravity.norm() / stiffness;
    let height = |world: &Sim| world.pose(body).expect("it is there").translation.y as Real;
    let found = period(&crossings(&mut world, 420, sag, height));
    assert!((found - 1.0).abs() < 5e-3, "{found} s, one wanted");
}

/// Its motor turns it about the axle, however that is steered, and turns are counted; the axle stays where it is steered to.
fn a_wheel_spins_on_its_steered_axle(method: &Method) {
    let mut world = weightless(method);
    let softness = Softness::Stiffness { stiffness: 500.0, damping: 40.0 };
    let motor = Motor::Speed { speed: 20.0, most: 20.0 };
    let (body, joint) = wheel(&mut world, softness, |spec| spec.motor(motor).steering(0.1));
    for _ in 0..world.steps(30) {
        let angle = world.joint(joint).expect("it is there").steering;
        let next = angle + 0.4 * world.dt;
        world.set_steering(joint, next).expect("it is a wheel");
        world.tick();
    }
    run(&mut world, 60);
    let now = world.joint(joint).expect("it is there");
    assert!((now.steering - 0.3).abs() < 1e-4, "{}", now.steering);
    assert!(now.error[1] < method.pick(2e-3, 0.01), "{:?}", now.error);
    let spin = world.velocity(body).expect("it is there").1;
    let axle = Vector3::new(0.3_f32.cos(), 0.0, -0.3_f32.sin());
    assert!((spin - axle * 20.0).norm() < 0.2, "{spin:?}");
    let turned = now.value(JointAxis::Twist);
    assert!((turned - 30.0).abs() < 0.5, "{turned} rad in a second and a half");
}

/// Along a way by the mass, about an axis by the moment: `2π √(m / k)`.
fn a_soft_weld_swings_at_its_period(method: &Method) {
    let rate = 2.0 * std::f32::consts::PI;
    let (linear, angular) = (rate * rate, MOMENT * 4.0 * rate * rate);
    let soft = |stiffness| Softness::Stiffness { stiffness, damping: 0.0 };
    let mut world = weightless(method);
    let post = world.add_body(BodySpec::fixed()).expect("room");
    let body = cube(&mut world, Pose::at(0.0, 0.0, 0.0));
    let spec = JointSpec::soft_weld(post, body).at(Position::origin());
    world.add_joint(&spec.linear_spring(soft(linear)).angular_spring(soft(angular))).expect("a weld");
    world.set_velocity(body, Vector3::new(0.1, 0.5, 0.0), Vector3::new(0.0, 0.0, 2.0)).expect("finite");
    let mut both = weightless(method);
    both.restore(&world.snapshot()).expect("the same settings");
    let height = |world: &Sim| world.pose(body).expect("it is there").translation.y as Real;
    let found = period(&crossings(&mut world, 420, 0.0, height));
    assert!((found - 1.0).abs() < 5e-3, "{found} s along, one wanted");
    let turn = |world: &Sim| world.pose(body).expect("it is there").rotation.scaled_axis().z;
    let found = period(&crossings(&mut both, 240, 0.0, turn));
    assert!((found - 0.5).abs() < 5e-3, "{found} s about, half a one wanted");
}

/// Two free bodies swing against each other at the frequency that was asked for, and die away by the ratio.
fn a_soft_weld_by_frequency_is_that_of_its_bodies(method: &Method) {
    for damping_ratio in [0.0, 1.0] {
        let mut world = weightless(method);
        let bodies = [cube(&mut world, Pose::at(0.0, 0.0, 0.0)), cube(&mut world, Pose::at(0.5, 0.0, 0.0))];
        let softness = Softness::Frequency { frequency: 2.0, damping_ratio };
        let spec = JointSpec::soft_weld(bodies[0], bodies[1]).at(Position::new(0.25, 0.0, 0.0));
        let joint = world.add_joint(&spec.linear_spring(softness).angular_spring(softness)).expect("a weld");
        world.set_velocity(bodies[1], Vector3::x(), Vector3::zeros()).expect("finite");
        let way = |world: &Sim| world.joint(joint).expect("it is there").value(JointAxis::X);
        if damping_ratio == 0.0 {
            let found = period(&crossings(&mut world, 240, 0.0, way));
            assert!((found - 0.5).abs() < 5e-3, "{found} s, half a one wanted");
            continue;
        }
        // Critically damped: `x = v t e^(−ωt)`, which never goes back beyond 0.
        let rate = 4.0 * std::f32::consts::PI;
        for step in 1..=world.steps(60) {
            world.tick();
            let time = step as Real * world.dt;
            let wanted = time * (-rate * time).exp();
            assert!(
                (way(&world) - wanted).abs() < method.pick(1e-3, 4e-3),
                "{time} s: {}, {wanted}",
                way(&world)
            );
        }
    }
}

/// Soft about axes alone: a beam whose place is held, and which sags by `m g r / k`.
fn what_is_not_soft_is_held(method: &Method) {
    let mut world = sleepless(method);
    let post = world.add_body(BodySpec::fixed()).expect("room");
    let body = cube(&mut world, Pose::at(0.5, 0.0, 0.0));
    let softness = Softness::Stiffness { stiffness: 50.0, damping: 5.0 };
    let spec = JointSpec::soft_weld(post, body).at(Position::origin()).angular_spring(softness);
    let joint = world.add_joint(&spec).expect("a weld");
    run(&mut world, 300);
    let now = world.joint(joint).expect("it is there");
    assert!(now.error[0] < 1e-4, "{:?}", now.error);
    let sag = -now.value(JointAxis::SwingZ);
    let wanted = 0.5 * world.config().gravity.norm() * sag.cos() / 50.0;
    assert!((sag / wanted - 1.0).abs() < 5e-3, "{sag} rad, {wanted}");
}

/// Without damping: kinetic energy, height and springs together never grow by more than 2 % of what was there, in ten seconds.
fn soft_joints_give_no_energy(method: &Method) {
    let soft = |stiffness| Softness::Stiffness { stiffness, damping: 0.0 };
    for is_wheel in [false, true] {
        let mut world = sleepless(method);
        let gravity = world.config().gravity.norm();
        let (body, joint, stiffness) = if is_wheel {
            let (body, joint) = wheel(&mut world, soft(300.0), |spec| spec);
            world.set_velocity(body, Vector3::zeros(), Vector3::x() * 30.0).expect("finite");
            (body, joint, [300.0, 0.0])
        } else {
            let post = world.add_body(BodySpec::fixed()).expect("room");
            let body = cube(&mut world, Pose::at(0.3, 0.0, 0.0));
            let spec = JointSpec::soft_weld(post, body).at(Position::origin());
            let spec = spec.linear_spring(soft(800.0)).angular_spring(soft(20.0));
            (body, world.add_joint(&spec).expect("a weld"), [800.0, 20.0])
        };
        let energy = |world: &Sim| {
            let now = world.joint(joint).expect("it is there");
            let square = |axes: [JointAxis; 3]| axes.map(|axis| now.value(axis).powi(2)).iter().sum::<Real>();
            let ways = square([JointAxis::X, JointAxis::Y, JointAxis::Z]);
            let turns = square([JointAxis::Twist, JointAxis::SwingY, JointAxis::SwingZ]);
            let springs = 0.5 * (stiffness[0] * ways + if is_wheel { 0.0 } else { stiffness[1] * turns });
            let height = world.pose(body).expect("it is there").translation.y + 0.5;
            world.kinetic_energy() + f64::from(springs) + f64::from(gravity) * height
        };
        let begin = energy(&world);
        for step in 0..world.steps(600) {
            world.tick();
            let now = energy(&world);
            assert!(now <= 1.02 * begin, "wheel {is_wheel}, step {step}: {begin} J, then {now} J");
        }
    }
}

/// Nonsense is refused by name.
#[test]
fn nonsense_is_refused_by_name() {
    let mut world = weightless(&SUB_STEP);
    let post = world.add_body(BodySpec::fixed()).expect("room");
    let body = cube(&mut world, Pose::at(0.0, 0.0, 0.0));
    let soft = Softness::Stiffness { stiffness: -1.0, damping: 0.0 };
    let at = |spec: JointSpec| spec.at(Position::origin());
    let cases = [
        (
            at(JointSpec::soft_weld(post, body)).linear_spring(soft),
            "stiffness of the drive must be zero or positive, got -1",
        ),
        (at(JointSpec::hinge(post, body)).suspension(soft), "a hinge joint has no suspension"),
        (at(JointSpec::wheel(post, body)).linear_spring(soft), "a wheel joint has no linear spring"),
        (at(JointSpec::wheel(post, body)).steering(4.0), "steering of a wheel must be in -pi ..= pi, got 4"),
        (
            at(JointSpec::wheel(post, body)).along(Vector3::x()).across(Vector3::x()),
            "the axis of a joint must have a finite length above 0, got (1, 0, 0)",
        ),
        (at(JointSpec::wheel(post, body)).pitch(1.0), "a wheel joint has no pitch"),
    ];
    for (spec, wanted) in cases {
        assert_eq!(world.add_joint(&spec).expect_err("nonsense").to_string(), wanted);
    }
    let hinge = world.add_joint(&at(JointSpec::hinge(post, body))).expect("a hinge");
    let found = world.set_steering(hinge, 0.1).expect_err("nonsense");
    assert_eq!(found.to_string(), "a hinge joint has no steering");
    let wheel = world.add_joint(&at(JointSpec::wheel(post, body))).expect("a wheel");
    let found = world.set_steering(wheel, Real::NAN).expect_err("nonsense");
    assert_eq!(found.to_string(), "steering of a wheel must be in -pi ..= pi, got NaN");
}
