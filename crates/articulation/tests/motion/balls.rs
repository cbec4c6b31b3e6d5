//! Limits and motors along the coordinates of ball joints, with and without links below.

use drystone_articulation::dynamics::momentum;
use drystone_articulation::spatial::SwingTwist;
use drystone_articulation::{
    Articulation, ArticulationError, BallAxis, BallSpec, Integrator, JointSpec, LinkSpec, ModelBuilder,
    Motor, State, StepConfig,
};
use nalgebra::{UnitQuaternion, Vector3};

const DT: f64 = 1.0 / 60.0;

fn both() -> [StepConfig; 2] {
    [Integrator::RungeKutta, Integrator::SemiImplicit]
        .map(|integrator| StepConfig { integrator, ..StepConfig::default() })
}

/// A rod of 0.6 m along x on a ball joint, with so many rods below it on hinges about y and z in turns.
fn chain(ball: BallSpec, below: usize, gravity: Vector3<f64>, config: &StepConfig) -> Articulation {
    let mut builder = ModelBuilder::new();
    builder.gravity(gravity).expect("finite");
    let rod = |joint| LinkSpec::new(joint).cuboid(1.2, Vector3::x() * 0.3, Vector3::new(0.6, 0.08, 0.05));
    let mut link = builder.root(rod(JointSpec::spherical().ball(ball))).expect("valid");
    for k in 0..below {
        let axis = if k % 2 == 0 { Vector3::y() } else { Vector3::z() };
        link = builder.child(link, rod(JointSpec::revolute(axis)).at(0.6, 0.0, 0.0)).expect("valid");
    }
    Articulation::new(builder.build().expect("valid"), config.clone()).expect("valid")
}

fn run(robot: &mut Articulation, steps: u32) {
    for _ in 0..steps {
        robot.step(DT).expect("finite");
    }
}

fn turned(twist: f64, swing: [f64; 2]) -> UnitQuaternion<f64> {
    UnitQuaternion::from_scaled_axis(Vector3::new(0.0, swing[0], swing[1]))
        * UnitQuaternion::from_scaled_axis(Vector3::x() * twist)
}

fn put(articulation: &mut Articulation, turn: &UnitQuaternion<f64>, velocities: &[f64]) {
    let model = articulation.model().clone();
    let mut state = State::zero(&model);
    let mut positions = state.positions().to_vec();
    positions[..4].copy_from_slice(turn.coords.as_slice());
    state.set_positions(&model, &positions).expect("finite");
    let mut all = vec![0.0; model.dof_count()];
    all[..velocities.len()].copy_from_slice(velocities);
    state.set_velocities(&model, &all).expect("finite");
    articulation.set_state(&state).expect("fits");
}

fn coordinates(articulation: &Articulation) -> SwingTwist {
    let p = articulation.state().positions();
    let turn = UnitQuaternion::new_normalize(nalgebra::Quaternion::new(p[3], p[0], p[1], p[2]));
    let model = articulation.model();
    let ball = model.ball(model.link_index(0).expect("the first"));
    let is_reversed = ball.is_some_and(|ball| ball.is_reversed);
    SwingTwist::new(&if is_reversed { turn.inverse() } else { turn })
}

fn motors(targets: [f64; 3], motor: impl Fn(f64) -> Motor) -> BallSpec {
    let axes = targets.map(|target| BallAxis { limits: None, motor: Some(motor(target)) });
    BallSpec { axes, ..BallSpec::default() }
}

/// It swings into its cone sideways, slides around in it and turns against its twist.
#[test]
fn limits_are_kept_and_give_no_energy() {
    let twist = BallAxis { limits: Some([-0.3, 0.4]), motor: None };
    let swing = BallAxis { limits: Some([-0.25, 0.35]), motor: None };
    let free = BallAxis::default();
    for config in both() {
        for is_reversed in [false, true] {
            for below in [0, 2] {
                for (axes, cone) in
                    [([free; 3], 0.5), ([twist, free, free], 0.6), ([twist, swing, swing], 2.0)]
                {
                    let spec = BallSpec { axes, cone, is_reversed };
                    let gravity = Vector3::new(4.0, -6.0, 3.0);
                    let mut robot = chain(spec, below, gravity, &config);
                    put(&mut robot, &turned(0.1, [0.1, -0.1]), &[2.0, -3.0, 4.0]);
                    let (start, mut met) = (robot.energy(), 0);
                    for step in 0..600 {
                        let report = robot.step(DT).expect("finite");
                        assert!(!report.iteration_limit_hit);
                        met += u32::from(report.active_limits > 0);
                        let found = coordinates(&robot);
                        let beyond = |axis: &BallAxis, value: f64| {
                            axis.limits.map_or(0.0, |[lower, upper]| (lower - value).max(value - upper))
                        };
                        let worst = axes
                            .iter()
                            .zip(found.values)
                            .map(|(axis, value)| beyond(axis, value))
                            .fold(found.opening - cone, f64::max);
                        // What is beyond is taken back by Newton's method, whose error is squared in each of its rounds.
                        assert!(
                            worst < 1e-6,
                            "{spec:?}, {below} below, step {step}: {worst} beyond, {found:?}"
                        );
                        // Velocities of a semi-implicit step are half a step off its positions.
                        let sway = match config.integrator {
                            Integrator::RungeKutta => 1e-6 * start.abs().max(1.0),
                            _ => momentum(robot.kinematics()).linear.norm() * gravity.norm() * DT,
                        };
                        let gained = robot.energy() - start;
                        assert!(gained < sway, "{spec:?}, step {step}: {gained} J");
                    }
                    assert!(met > 50, "{spec:?}: its limits were met in {met} steps");
                }
            }
        }
    }
}

/// Three springs along its coordinates turn it to a rotation, whatever hangs on it; reversed, to the inverse of that rotation.
#[test]
fn motors_reach_their_target() {
    for config in both() {
        for is_reversed in [false, true] {
            for below in [0, 2] {
                let target = [0.7, -0.5, 0.9];
                let spec = BallSpec { is_reversed, ..motors(target, |at| Motor::position(at, 60.0, 12.0)) };
                let mut robot = chain(spec, below, Vector3::zeros(), &config);
                for dof in 3..robot.model().dof_count() {
                    robot.set_motor(dof, Some(Motor::position(0.2, 40.0, 8.0))).expect("valid");
                }
                run(&mut robot, 1200);
                let found = coordinates(&robot);
                for (value, wanted) in found.values.iter().zip(target) {
                    assert!(
                        (value - wanted).abs() < 1e-6,
                        "{below} below, reversed {is_reversed}: {found:?}"
                    );
                }
            }
        }
    }
}

/// In rest its springs carry what hangs on it: `k e` along its coordinates is what inverse dynamics asks for.
#[test]
fn springs_bend_under_a_load_by_what_they_carry() {
    for config in both() {
        let spec = motors([0.0; 3], |at| Motor::position(at, 200.0, 20.0));
        let mut robot = chain(spec, 0, Vector3::new(0.0, 0.0, -9.81), &config);
        run(&mut robot, 1200);
        let found = coordinates(&robot);
        // The rod sags about y: 200 N m/rad times the angle holds m g l cos(angle).
        let sag = found.values[1];
        let load = 1.2 * 9.81 * 0.3 * sag.cos();
        assert!((200.0 * sag - load).abs() < 1e-6 * load, "{found:?}: {} against {load}", 200.0 * sag);
        assert!(found.values[0].abs() < 1e-9 && found.values[2].abs() < 1e-9, "{found:?}");
        let torque = robot.motor_forces()[1];
        assert!((torque.abs() - load).abs() < 1e-6 * load, "{torque}");
    }
}

/// No stiffness makes a step unstable, and none gives energy that is left in the motion.
#[test]
fn stiff_motors_are_stable() {
    for config in both() {
        for below in [0, 2] {
            for stiffness in [1e2, 1e4, 1e7, 1e10] {
                for damping in [stiffness * 1e-3, stiffness] {
                    let spec = motors([0.3, 0.4, -0.2], |at| Motor::position(at, stiffness, damping));
                    let mut robot = chain(spec, below, Vector3::new(0.0, -9.81, 0.0), &config);
                    for dof in 3..robot.model().dof_count() {
                        robot.set_motor(dof, Some(Motor::position(0.0, 0.0, 3.0))).expect("valid");
                    }
                    put(&mut robot, &turned(0.0, [0.0, 0.0]), &[1.0, 2.0, -1.0]);
                    run(&mut robot, 1800);
                    let found = coordinates(&robot);
                    let slack = 30.0 / stiffness;
                    for (value, wanted) in found.values.iter().zip([0.3, 0.4, -0.2]) {
                        let off = (value - wanted).abs();
                        assert!(off < slack + 1e-7, "{stiffness} {damping}, {below} below: {found:?}");
                    }
                }
            }
        }
    }
}

/// A motor gives its largest torque and no more: it turns what is free at that rate.
#[test]
fn motors_give_their_largest_torque_at_most() {
    for config in both() {
        let mut spec = BallSpec::default();
        spec.axes[0].motor = Some(Motor::velocity(50.0, 0.02));
        let mut robot = chain(spec, 0, Vector3::zeros(), &config);
        run(&mut robot, 60);
        // Moment of the rod about its axis.
        let moment = 1.2 / 12.0 * (0.08_f64.powi(2) + 0.05_f64.powi(2));
        let speed = robot.state().velocities()[0];
        assert!((speed - 0.02 / moment).abs() < 1e-6, "{speed} after a second of {}", 0.02 / moment);
        assert!((robot.motor_forces()[0] - 0.02).abs() < 1e-12);
    }
}

/// A torque without spring or damper acts as it is.
#[test]
fn feed_forward_of_a_coordinate_acts() {
    for config in both() {
        let mut spec = BallSpec::default();
        spec.axes[0].motor = Some(Motor { feed_forward: 0.02, max_force: 0.01, ..Motor::default() });
        let mut robot = chain(spec, 0, Vector3::zeros(), &config);
        run(&mut robot, 60);
        let moment = 1.2 / 12.0 * (0.08_f64.powi(2) + 0.05_f64.powi(2));
        assert!((robot.state().velocities()[0] - 0.01 / moment).abs() < 1e-9);
    }
}

#[test]
fn bad_settings_are_refused() {
    let told = |spec: BallSpec| {
        let mut builder = ModelBuilder::new();
        let link = LinkSpec::new(JointSpec::spherical().ball(spec)).point_mass(1.0, Vector3::x());
        builder.root(link).expect_err("refused").to_string()
    };
    let axis =
        |limits| [BallAxis { limits: Some(limits), motor: None }, BallAxis::default(), BallAxis::default()];
    let text = told(BallSpec { cone: 0.0, ..BallSpec::default() });
    assert_eq!(text, "link 0: cone must be above 0 (infinite where there is no cone), got 0");
    let text = told(BallSpec { axes: axis([0.5, 0.2]), ..BallSpec::default() });
    assert_eq!(text, "link 0: limits[1] of a ball must be in limits[0] to pi, got 0.2");
    let text = told(BallSpec { axes: axis([-4.0, 0.2]), ..BallSpec::default() });
    assert_eq!(text, "link 0: limits[0] of a ball must be in -pi to pi, got -4");
    let mut builder = ModelBuilder::new();
    let hinge = JointSpec::revolute(Vector3::z()).ball(BallSpec { cone: 1.0, ..BallSpec::default() });
    let refused = builder.root(LinkSpec::new(hinge).point_mass(1.0, Vector3::x())).expect_err("no ball");
    assert!(refused.to_string().contains("needs a spherical joint, got a revolute joint"), "{refused}");
    let spec = motors([0.0; 3], |at| Motor::position(at, 1.0, 1.0));
    let mut robot = chain(spec, 0, Vector3::zeros(), &StepConfig::default());
    let refused = robot.set_motor(0, Some(Motor::position(0.0, 0.0, 1.0)));
    assert_eq!(refused, Err(ArticulationError::TwoMotors));
}
