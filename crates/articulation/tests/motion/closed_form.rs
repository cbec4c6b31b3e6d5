//! Against formulas.

use crate::support::{Numbers, any_body, column, kinematics, planar_pendulum};
use drystone_articulation::dynamics::{InverseDynamics, momentum};
use drystone_articulation::{Articulation, JointSpec, LinkSpec, ModelBuilder, State, StepConfig};
use nalgebra::{Matrix3, Vector3};

/// The quarter period of a pendulum in units of √(l/g): π/2 over the arithmetic-geometric mean of 1 and cos(amplitude / 2) (Gauss).
fn quarter_period(amplitude: f64) -> f64 {
    let (mut a, mut b) = (1.0, (0.5 * amplitude).cos());
    for _ in 0..40 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    std::f64::consts::FRAC_PI_2 / a
}

/// How long a pendulum takes from `amplitude` (rad) to the bottom, by a root between two steps.
fn time_to_bottom(amplitude: f64, dt: f64) -> f64 {
    let model = planar_pendulum(&[(0.7, 1.3)]);
    let mut state = State::zero(&model);
    state.set_positions(&model, &[amplitude]).expect("finite");
    let mut pendulum = Articulation::new(model, StepConfig::default()).expect("valid");
    pendulum.set_state(&state).expect("fits");
    let mut time = 0.0;
    loop {
        let (angle, speed) = (pendulum.state().positions()[0], pendulum.state().velocities()[0]);
        if angle + speed * dt <= 0.0 {
            // Near the bottom the angle is a straight line up to g sin(x) dt²/2 of almost 0; the last part is taken in thin steps.
            if dt > 1e-5 {
                let mut fine = pendulum.clone();
                let mut extra = 0.0;
                while fine.state().positions()[0] > 0.0 {
                    fine.step(1e-5).expect("finite");
                    extra += 1e-5;
                }
                return time + extra - fine.state().positions()[0] / fine.state().velocities()[0];
            }
        }
        pendulum.step(dt).expect("finite");
        time += dt;
    }
}

#[test]
fn pendulums_swing_in_the_time_of_the_elliptic_integral() {
    for amplitude in [0.01, 0.6, 1.5, 2.8, 3.1] {
        for dt in [1.0 / 60.0, 1.0 / 240.0] {
            let expected = quarter_period(amplitude) * (1.3_f64 / 9.81).sqrt();
            let found = time_to_bottom(amplitude, dt);
            assert!(
                (found / expected - 1.0).abs() < 1e-6,
                "{amplitude} rad at {dt} s: {found} for {expected} s"
            );
        }
    }
}

/// A free body falls on a parabola about its centre of mass while it turns, and keeps its angular momentum about it.
#[test]
fn a_free_body_falls_and_turns() {
    let mut builder = ModelBuilder::new();
    let gravity = Vector3::new(1.0, -9.81, 0.5);
    builder.gravity(gravity).expect("finite");
    builder.root(any_body(LinkSpec::new(JointSpec::free()), &mut Numbers(5))).expect("valid");
    let model = builder.build().expect("valid");
    let mut state = State::zero(&model);
    state.set_velocities(&model, &[3.0, -5.0, 2.0, 1.0, 4.0, -2.0]).expect("finite");
    let center = |state: &State| {
        let now = kinematics(&model, state);
        let pose = &now.links()[0];
        let (arm, total) = (pose.rotation * model.links()[0].center_of_mass(), momentum(&now));
        let place = pose.origin + arm;
        (place, total.linear / model.links()[0].mass(), total.angular - place.cross(&total.linear))
    };
    let (place, velocity, spin) = center(&state);
    let mut body = Articulation::new(model.clone(), StepConfig::default()).expect("valid");
    body.set_state(&state).expect("fits");
    for _ in 0..120 {
        body.step(1.0 / 60.0).expect("finite");
    }
    let (now, speed, spin_now) = center(body.state());
    let t = 2.0;
    assert!((now - (place + velocity * t + gravity * (0.5 * t * t))).norm() < 1e-6, "{now}");
    assert!((speed - (velocity + gravity * t)).norm() < 1e-6);
    assert!((spin_now - spin).norm() < 1e-6 * spin.norm());
}

/// The joint of link `k` of a chain that hangs still holds the weight of all below; one that turns, the centripetal force besides.
#[test]
fn the_joints_of_a_hanging_chain_hold_what_is_below() {
    let links: Vec<_> = (0..20).map(|k| (0.5 + 0.1 * f64::from(k), 0.3)).collect();
    let model = planar_pendulum(&links);
    let now = kinematics(&model, &State::zero(&model));
    let mut inverse = InverseDynamics::new(&model);
    let (zero, mut forces) = (vec![0.0; 20], vec![0.0; 20]);
    inverse.forces(&model, &now, &zero, &[], &mut forces);
    for k in 0..20 {
        let below: f64 = links[k..].iter().map(|(mass, _)| mass * 9.81).sum();
        let held = inverse.joint_wrenches()[k].force;
        assert!((held - Vector3::new(0.0, below, 0.0)).norm() < 1e-12 * below, "{k}: {held} for {below}");
    }
    assert!(column(&forces).norm() < 1e-12);
    // At 2 rad/s about the top, straight down: m (g + ω² r).
    let mut state = State::zero(&model);
    state.set_velocities(&model, &[&[2.0][..], &zero[1..]].concat()).expect("finite");
    inverse.forces(&model, &kinematics(&model, &state), &zero, &[], &mut forces);
    let expected: f64 =
        links.iter().enumerate().map(|(k, (mass, _))| mass * (9.81 + 4.0 * 0.3 * (k + 1) as f64)).sum();
    assert!((inverse.joint_wrenches()[0].force.y / expected - 1.0).abs() < 1e-12);
}

/// A disc on a tilted slider with a rotor: `(m + a) x'' = m g sin`.
#[test]
fn a_slider_with_a_rotor_slides_by_the_sum_of_masses() {
    let mut builder = ModelBuilder::new();
    builder.gravity(Vector3::new(0.0, -9.81, 0.0)).expect("finite");
    let slope = Vector3::new(3.0, -4.0, 0.0);
    let spec = LinkSpec::new(JointSpec::prismatic(slope).armature(0.5)).body(
        1.5,
        Vector3::zeros(),
        Matrix3::zeros(),
    );
    builder.root(spec).expect("valid");
    let mut slider =
        Articulation::new(builder.build().expect("valid"), StepConfig::default()).expect("valid");
    for _ in 0..60 {
        slider.step(1.0 / 60.0).expect("finite");
    }
    let expected = 0.5 * 9.81 * 0.8 * 1.5 / 2.0;
    assert!((slider.state().positions()[0] - expected).abs() < 1e-10);
}

/// A heavy top: the rate of steady precession, `Ω = m g l / (I₃ ω₃)` corrected by the exact quadratic for its tilt.
#[test]
fn a_heavy_top_precesses_steadily() {
    let (mass, l, across, along, spin, tilt) = (1.0, 0.2, 0.045, 0.004, 300.0_f64, 0.5_f64);
    let mut builder = ModelBuilder::new();
    builder.gravity(Vector3::new(0.0, 0.0, -9.81)).expect("finite");
    let about_center = Vector3::new(across - mass * l * l, across - mass * l * l, along);
    let spec = LinkSpec::new(JointSpec::spherical()).body(
        mass,
        Vector3::new(0.0, 0.0, l),
        Matrix3::from_diagonal(&about_center),
    );
    builder.root(spec).expect("valid");
    let model = builder.build().expect("valid");
    // Across Ω² cos - along ω₃ Ω + m g l = 0, with ω₃ the spin about the axis altogether.
    let (a, b, c) = (across * tilt.cos(), along * spin, mass * 9.81 * l);
    let precession = (b - (b * b - 4.0 * a * c).sqrt()) / (2.0 * a);
    let mut state = State::zero(&model);
    let (half_sine, half_cosine) = (0.5 * tilt).sin_cos();
    state.set_positions(&model, &[0.0, half_sine, 0.0, half_cosine]).expect("unit");
    // Ω about the world's z, in the axes of the top: tilted by `tilt` about y.
    state.set_velocities(&model, &[-precession * tilt.sin(), 0.0, spin]).expect("finite");
    let mut top = Articulation::new(model, StepConfig::default()).expect("valid");
    top.set_state(&state).expect("fits");
    for _ in 0..120 {
        top.step(1.0 / 60.0).expect("finite");
    }
    let axis = top.kinematics().links()[0].rotation * Vector3::z();
    let angle = precession * 2.0;
    let expected = Vector3::new(tilt.sin() * angle.cos(), tilt.sin() * angle.sin(), tilt.cos());
    assert!((axis - expected).norm() < 1e-4, "{axis} for {expected}");
}
