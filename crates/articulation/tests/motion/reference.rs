//! Against integrations of their own, in thin steps of the classical Runge-Kutta method: the double pendulum by its equations written down
//! in the plane, the arm of seven links by mass matrix and inverse dynamics, which share no loop with articulated bodies.

use crate::support::{column, energy, kinematics, planar_pendulum, random_state, seven_link_arm};
use drystone_articulation::dynamics::{InverseDynamics, mass_matrix, momentum};
use drystone_articulation::{Articulation, Model, State, StepConfig};
use nalgebra::{DVector, Vector4};

/// The classical Runge-Kutta method.
fn runge_kutta<V>(mut y: V, h: f64, steps: u32, rate: impl Fn(&V) -> V) -> V
where
    V: Clone + std::ops::Add<Output = V> + std::ops::Mul<f64, Output = V>,
{
    for _ in 0..steps {
        let a = rate(&y);
        let b = rate(&(y.clone() + a.clone() * (0.5 * h)));
        let c = rate(&(y.clone() + b.clone() * (0.5 * h)));
        let d = rate(&(y.clone() + c.clone() * h));
        y = y + (a + b * 2.0 + c * 2.0 + d) * (h / 6.0);
    }
    y
}

/// Angles against the vertical and their rates: Lagrange's equations of two point masses.
fn double_pendulum(y: &Vector4<f64>, (m1, l1): (f64, f64), (m2, l2): (f64, f64)) -> Vector4<f64> {
    let (a, b, va, vb) = (y[0], y[1], y[2], y[3]);
    let (sin, cos) = (a - b).sin_cos();
    let g = 9.81;
    // [ (m1+m2) l1   m2 l2 cos ] [a'']   [ -m2 l2 sin vb² - (m1+m2) g sin a ]
    // [ l1 cos       l2        ] [b''] = [  l1 sin va² - g sin b           ]
    let first = -m2 * l2 * sin * vb * vb - (m1 + m2) * g * a.sin();
    let second = l1 * sin * va * va - g * b.sin();
    let det = (m1 + m2) * l1 * l2 - m2 * l2 * cos * l1 * cos;
    let acc_a = (first * l2 - m2 * l2 * cos * second) / det;
    let acc_b = ((m1 + m2) * l1 * second - l1 * cos * first) / det;
    Vector4::new(va, vb, acc_a, acc_b)
}

fn moved(model: &Model, state: &State, dt: f64, time: f64) -> Articulation {
    let mut articulation = Articulation::new(model.clone(), StepConfig::default()).expect("valid");
    articulation.set_state(state).expect("fits");
    for _ in 0..(time / dt).round() as u32 {
        articulation.step(dt).expect("finite");
    }
    articulation
}

/// Energy and angular momentum after 10 s, within 1e-4 of the reference.
#[test]
fn a_double_pendulum_follows_its_equations() {
    let (first, second) = ((1.2, 0.9), (0.7, 1.1));
    let model = planar_pendulum(&[first, second]);
    let mut state = State::zero(&model);
    state.set_positions(&model, &[1.4, -0.9]).expect("finite");
    state.set_velocities(&model, &[0.5, 2.0]).expect("finite");
    let start = Vector4::new(1.4, 1.4 - 0.9, 0.5, 2.5);
    let y = runge_kutta(start, 1e-4, 100_000, |y| double_pendulum(y, first, second));
    let mut expected = State::zero(&model);
    expected.set_positions(&model, &[y[0], y[1] - y[0]]).expect("finite");
    expected.set_velocities(&model, &[y[2], y[3] - y[2]]).expect("finite");
    let before = energy(&model, &state);
    for (dt, allowed) in [(1.0 / 240.0, 1e-4), (1.0 / 60.0, 1e-4)] {
        let found = moved(&model, &state, dt, 10.0);
        assert!((found.energy() / before - 1.0).abs() < 1e-6, "{} J of {before} J", found.energy());
        let [a, b] = [found.state(), &expected].map(|state| momentum(&kinematics(&model, state)));
        assert!((a.angular - b.angular).norm() < allowed * b.angular.norm(), "{} {}", a.angular, b.angular);
        assert!((a.linear - b.linear).norm() < allowed * b.linear.norm(), "{} {}", a.linear, b.linear);
        let off = (column(found.state().positions()) - column(expected.positions())).norm();
        assert!(off < allowed, "{off} rad");
    }
}

/// State after `time` by mass matrix and inverse dynamics, in thin classical steps.
fn by_mass_matrix(model: &Model, state: &State, time: f64) -> State {
    let n = model.dof_count();
    let as_state = |y: &DVector<f64>| {
        let mut at = State::zero(model);
        at.set_positions(model, &y.as_slice()[..n]).expect("finite");
        at.set_velocities(model, &y.as_slice()[n..]).expect("finite");
        at
    };
    let rate = |y: &DVector<f64>| {
        let now = kinematics(model, &as_state(y));
        let mut bias = vec![0.0; n];
        InverseDynamics::new(model).forces(model, &now, &vec![0.0; n], &[], &mut bias);
        let acceleration = mass_matrix(model, &now).cholesky().expect("positive").solve(&-column(&bias));
        column(&[&y.as_slice()[n..], acceleration.as_slice()].concat())
    };
    let start = column(&[state.positions(), state.velocities()].concat());
    as_state(&runge_kutta(start, 1.0 / 4800.0, (time * 4800.0) as u32, rate))
}

/// Momentum, energy and positions of an arm of seven links, within 1e-4 of the reference: for 10 s as it swings about where it hangs (its
/// joints turn at up to 6 rad/s), and for 2 s as it falls from a tangle and whirls. Later the whirling arm is chaotic: steps with a
/// tolerance of 1e-12 and of 1e-13 are whole turns apart after 10 s.
#[test]
fn an_arm_of_seven_links_follows_its_mass_matrix() {
    let model = seven_link_arm(|joint| joint);
    for (offset, speed, time) in [(0.1, 0.3, 10.0), (1.0, 1.0, 2.0)] {
        let random = random_state(&model, 11, speed);
        let mut state = random.clone();
        let mut positions: Vec<f64> = random.positions().iter().map(|position| position * offset).collect();
        positions[1] += std::f64::consts::PI;
        state.set_positions(&model, &positions).expect("finite");
        let expected = by_mass_matrix(&model, &state, time);
        let before = energy(&model, &state);
        let found = moved(&model, &state, 1.0 / 240.0, time);
        let change = found.energy() / before - 1.0;
        assert!(change.abs() < 1e-7, "energy changed by {change}");
        let [a, b] = [found.state(), &expected].map(|state| momentum(&kinematics(&model, state)));
        assert!((a.linear - b.linear).norm() < 1e-4 * b.linear.norm(), "{} {}", a.linear, b.linear);
        assert!((a.angular - b.angular).norm() < 1e-4 * b.angular.norm(), "{} {}", a.angular, b.angular);
        let off = (column(found.state().positions()) - column(expected.positions())).norm();
        assert!(off < 1e-4, "{off} rad");
        println!("{time} s: off by {off:.1e} rad, energy by {change:.1e}");
    }
}
