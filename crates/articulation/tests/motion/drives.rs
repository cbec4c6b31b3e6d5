//! Motors, damping, dry friction and limits.

use crate::support::{planar_pendulum, random_state, seven_link_arm};
use drystone_articulation::{
    Articulation, DofSpec, Integrator, JointSpec, LinkSpec, Model, ModelBuilder, Motor, State, StepConfig,
};
use nalgebra::Vector3;

const DT: f64 = 1.0 / 60.0;

fn both() -> [StepConfig; 2] {
    [Integrator::RungeKutta, Integrator::SemiImplicit]
        .map(|integrator| StepConfig { integrator, ..StepConfig::default() })
}

/// A mass of 2 kg on a slider along x, without gravity unless along x.
fn slider(joint: impl Fn(JointSpec) -> JointSpec, gravity: f64) -> Model {
    let mut builder = ModelBuilder::new();
    builder.gravity(Vector3::x() * gravity).expect("finite");
    let joint = joint(JointSpec::prismatic(Vector3::x()));
    builder.root(LinkSpec::new(joint).point_mass(2.0, Vector3::zeros())).expect("valid");
    builder.build().expect("valid")
}

fn at(model: &Model, positions: &[f64], velocities: &[f64], config: StepConfig) -> Articulation {
    let mut state = State::zero(model);
    state.set_positions(model, positions).expect("finite");
    state.set_velocities(model, velocities).expect("finite");
    let mut articulation = Articulation::new(model.clone(), config).expect("valid");
    articulation.set_state(&state).expect("fits");
    articulation
}

fn run(articulation: &mut Articulation, steps: u32) {
    for _ in 0..steps {
        articulation.step(DT).expect("finite");
    }
}

/// `x = x₀ e^(-ct)(cos wt + c/w sin wt)`: a soft spring with a damper is followed to the order of the step.
#[test]
fn a_soft_spring_swings_as_its_formula_says() {
    let (stiffness, damping) = (8.0, 0.8);
    let model = slider(|joint| joint.motor(Motor::position(0.3, stiffness, damping)), 0.0);
    let mut mass = at(&model, &[1.3], &[0.0], StepConfig::default());
    (0..300).for_each(|_| assert_eq!(mass.step(DT).expect("finite").iterations, 0));
    let (c, t) = (damping / 4.0, 5.0_f64);
    let w = (stiffness / 2.0 - c * c).sqrt();
    let expected = 0.3 + (-c * t).exp() * ((w * t).cos() + c / w * (w * t).sin());
    assert!((mass.state().positions()[0] - expected).abs() < 1e-7);
}

/// No stiffness makes a step unstable: it goes to its target and stays, also against gravity.
#[test]
fn stiff_motors_are_stable() {
    for config in both() {
        for stiffness in [1e2, 1e4, 1e7, 1e10] {
            for damping in [0.0, stiffness * 1e-3, stiffness] {
                let model = slider(|joint| joint.motor(Motor::position(0.5, stiffness, damping)), -9.81);
                let mut mass = at(&model, &[0.0], &[0.0], config.clone());
                let mut fastest = 0.0_f64;
                for _ in 0..1800 {
                    mass.step(DT).expect("finite");
                    fastest = fastest.max(mass.state().velocities()[0].abs());
                }
                let rest = 0.5 - 2.0 * 9.81 / stiffness;
                let (x, v) = (mass.state().positions()[0], mass.state().velocities()[0]);
                assert!(fastest < 0.6 / DT, "{stiffness} {damping}: {fastest} m/s");
                // What a damper of its own leaves after 30 s, by the slower of its two rates; a stiff spring without one is damped by
                // being taken implicitly, a soft one swings on.
                let rate =
                    (damping / 4.0).min(if damping > 0.0 { stiffness / damping } else { f64::INFINITY });
                let settles = stiffness > 1e3 && damping == 0.0 || rate * 30.0 > 20.0;
                assert!(
                    !settles || (x - rest).abs() < 1e-6 && v.abs() < 1e-5,
                    "{stiffness} {damping}: {x} {v}"
                );
            }
        }
    }
}

/// An arm of seven links with stiff motors holds its pose against gravity, within the droop `torque / stiffness`, at 60 Hz.
#[test]
fn an_arm_with_stiff_motors_holds_its_pose() {
    for config in both() {
        let model = seven_link_arm(|joint| joint.motor(Motor::position(0.4, 1e6, 1e4)));
        let mut arm = at(&model, &[0.4; 7], &[0.0; 7], config);
        for _ in 0..600 {
            arm.step(DT).expect("finite");
        }
        assert!(
            arm.state().positions().iter().all(|q| (q - 0.4).abs() < 1e-4),
            "{:?}",
            arm.state().positions()
        );
        assert!(arm.state().velocities().iter().all(|v| v.abs() < 1e-6), "{:?}", arm.state().velocities());
    }
}

/// `max_force` bounds the motor whatever its gains: the mass gains `max / m` per second.
#[test]
fn motors_give_no_more_than_their_largest_force() {
    for config in both() {
        for motor in
            [Motor::position(100.0, 1e8, 1e5), Motor::velocity(50.0, 1.0), Motor::position(100.0, 1.0, 0.1)]
        {
            let model = slider(|joint| joint.motor(motor.at_most(6.0)), 0.0);
            let mut mass = at(&model, &[0.0], &[0.0], config.clone());
            for step in 1..=60 {
                mass.step(DT).expect("finite");
                assert!(mass.motor_forces()[0] <= 6.0 * (1.0 + 1e-9), "{}", mass.motor_forces()[0]);
                let expected = 3.0 * DT * f64::from(step);
                assert!(
                    (mass.state().velocities()[0] - expected).abs() < 1e-9,
                    "{}",
                    mass.state().velocities()[0]
                );
            }
        }
    }
}

/// Everything at once: position, velocity, gains, force that is added, and the cut-off.
#[test]
fn a_motor_sums_its_parts() {
    for config in both() {
        let motor = Motor {
            target_position: 1.0,
            target_velocity: 2.0,
            stiffness: 3.0,
            damping: 0.5,
            feed_forward: 4.0,
            max_force: 7.5,
        };
        let model = slider(|joint| joint.motor(motor), 0.0);
        // 3 (1 - 0.2) + 0.5 (2 - 1) + 4 = 6.9 and, nearer, cut off at 7.5.
        for (position, expected) in [(0.2, 6.9), (-0.4, 7.5)] {
            let mut mass = at(&model, &[position], &[1.0], config.clone());
            mass.step(1e-6).expect("finite");
            let force = (mass.state().velocities()[0] - 1.0) * 2.0 / 1e-6;
            assert!((force - expected).abs() < 1e-4, "{force} for {expected}");
            assert!((mass.motor_forces()[0] - expected).abs() < 1e-4);
        }
    }
}

/// A velocity motor reaches its speed in one step where it is strong enough, and keeps it under load.
#[test]
fn a_velocity_motor_keeps_its_speed() {
    for config in both() {
        let model = slider(|joint| joint.motor(Motor::velocity(1.5, 1e4)), -9.81);
        let mut mass = at(&model, &[0.0], &[0.0], config);
        for _ in 0..60 {
            mass.step(DT).expect("finite");
            assert!((mass.state().velocities()[0] - 1.5).abs() < 1e-3);
        }
        assert!((mass.motor_forces()[0] - 2.0 * 9.81).abs() < 0.1, "{}", mass.motor_forces()[0]);
    }
}

/// Dry friction stops a mass after `m v² / 2F` (to a step's way), holds what is weaker, and lets go what is stronger.
#[test]
fn dry_friction_stops_and_holds() {
    for config in both() {
        let model = slider(|joint| joint.friction(4.0), 0.0);
        let mut mass = at(&model, &[0.0], &[3.0], config.clone());
        run(&mut mass, 120);
        let (way, speed) = (mass.state().positions()[0], mass.state().velocities()[0]);
        assert!((way - 2.0 * 9.0 / 8.0).abs() < 3.0 * DT, "{way}");
        assert!(speed.abs() < 1e-9, "{speed}");

        let model = slider(|joint| joint.friction(20.0), 9.81);
        let mut mass = at(&model, &[0.0], &[0.0], config.clone());
        run(&mut mass, 600);
        assert!(mass.state().positions()[0].abs() < 1e-9, "holds 19.6 N: {}", mass.state().positions()[0]);

        let model = slider(|joint| joint.friction(19.0), 9.81);
        let mut mass = at(&model, &[0.0], &[0.0], config);
        run(&mut mass, 60);
        let expected = (2.0 * 9.81 - 19.0) / 2.0;
        assert!((mass.state().velocities()[0] - expected).abs() < 1e-9, "{}", mass.state().velocities()[0]);
    }
}

/// A mass that flies onto a limit stops on it without bounce, however fast, and a weight lies on it still.
#[test]
fn limits_stop_without_bounce() {
    for config in both() {
        for speed in [0.1, 3.0, 100.0, 1e4] {
            let model = slider(|joint| joint.limits(-1.0, 2.0), 9.81);
            let mut mass = at(&model, &[0.0], &[speed], config.clone());
            for _ in 0..240 {
                mass.step(DT).expect("finite");
                assert!(mass.state().positions()[0] <= 2.0 + 1e-9, "{}", mass.state().positions()[0]);
            }
            assert!((mass.state().positions()[0] - 2.0).abs() < 1e-9, "{}", mass.state().positions()[0]);
            assert!(mass.state().velocities()[0].abs() < 1e-9, "{}", mass.state().velocities()[0]);
        }
    }
}

/// An arm that falls and whirls onto its limits: no joint passes them, and energy never grows.
#[test]
fn an_arm_on_its_limits_gains_no_energy() {
    for speed in [1.0, 6.0, 30.0] {
        let model = seven_link_arm(|joint| joint.limits(-1.2, 1.3));
        let state = random_state(&model, 5, speed);
        let mut arm = at(&model, state.positions(), state.velocities(), StepConfig::default());
        let mut last = arm.energy();
        let mut active = 0;
        for step in 0..900 {
            let report = arm.step(DT).expect("finite");
            assert!(!report.iteration_limit_hit);
            active = active.max(report.active_limits);
            let now = arm.energy();
            assert!(
                now <= last + 1e-6 * last.abs().max(1.0),
                "{speed} rad/s, step {step}: {last} to {now} J"
            );
            last = now;
            for q in arm.state().positions() {
                assert!((-1.2 - 1e-6..=1.3 + 1e-6).contains(q), "{speed} rad/s, step {step}: {q} rad");
            }
        }
        assert!(active >= 2, "{active} limits pushed together");
        assert!(arm.state().velocities().iter().all(|v| v.abs() < 20.0));
    }
}

/// A chain whose joints all lie on their limits is held by them: the upper carry what the lower weigh.
#[test]
fn a_chain_lies_on_its_limits() {
    let mut model = planar_pendulum(&[(1.0, 0.5); 12]);
    for dof in 0..12 {
        // Level, then each a little up: everything pushes on the lower limits.
        let limits = Some(if dof == 0 { [1.5, 3.0] } else { [0.01, 1.0] });
        model.set_dof(dof, DofSpec { limits, ..DofSpec::default() }).expect("valid");
    }
    let start: Vec<f64> = (0..12).map(|dof| if dof == 0 { 1.55 } else { 0.02 }).collect();
    let mut chain = at(&model, &start, &[0.0; 12], StepConfig::default());
    let mut report = chain.step(DT).expect("finite");
    for _ in 0..600 {
        report = chain.step(DT).expect("finite");
        assert!(!report.iteration_limit_hit);
    }
    assert_eq!(report.active_limits, 12);
    let (q, v) = (chain.state().positions(), chain.state().velocities());
    assert!((q[0] - 1.5).abs() < 1e-9 && q[1..].iter().all(|q| (q - 0.01).abs() < 1e-9), "{q:?}");
    assert!(v.iter().all(|v| v.abs() < 1e-6), "{v:?}");
}

/// A state that is set beyond a limit is taken back to it, without speed and without energy.
#[test]
fn what_is_beyond_a_limit_is_taken_back() {
    let model = slider(|joint| joint.limits(-1.0, 2.0), 0.0);
    let mut mass = at(&model, &[2.1], &[0.0], StepConfig::default());
    for _ in 0..10 {
        mass.step(DT).expect("finite");
        assert_eq!(mass.state().velocities()[0], 0.0);
    }
    assert!((mass.state().positions()[0] - 2.0).abs() < 1e-12);
}

/// A spherical joint turns to the rotation of its target, by a motor on each axis.
#[test]
fn a_ball_joint_turns_to_its_target() {
    let mut builder = ModelBuilder::new();
    let joint = JointSpec::spherical().motor(Motor { stiffness: 200.0, damping: 20.0, ..Motor::default() });
    builder
        .root(LinkSpec::new(joint).cuboid(2.0, Vector3::zeros(), Vector3::new(0.2, 0.4, 0.3)))
        .expect("valid");
    let mut model = builder.build().expect("valid");
    let target = [0.9, -0.5, 1.4];
    for (dof, target_position) in target.into_iter().enumerate() {
        let motor = Motor { target_position, ..model.dofs()[dof].motor.expect("set") };
        model.set_motor(dof, Some(motor)).expect("valid");
    }
    let mut ball = Articulation::new(model, StepConfig::default()).expect("valid");
    for _ in 0..300 {
        ball.step(DT).expect("finite");
    }
    let expected = nalgebra::Rotation3::from_scaled_axis(Vector3::from(target)).into_inner();
    let off = (ball.kinematics().links()[0].rotation - expected).norm();
    assert!(off < 1e-6, "{off}");
}

/// Forces of the user act for one step.
#[test]
fn forces_act_for_one_step() {
    let model = slider(|joint| joint, 0.0);
    let mut mass = at(&model, &[0.0], &[0.0], StepConfig::default());
    let link = model.link_index(0).expect("there");
    mass.add_force(link, &Vector3::new(0.0, 1.0, 0.0), Vector3::new(3.0, 5.0, 0.0)).expect("finite");
    mass.add_joint_forces(&[1.0]).expect("one");
    mass.step(DT).expect("finite");
    mass.step(DT).expect("finite");
    assert!((mass.state().velocities()[0] - 2.0 * DT).abs() < 1e-12);
}
