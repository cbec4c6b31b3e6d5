//! Velocities, the Jacobian, the mass matrix and the bias against differences of positions and energies.

use crate::support::{accelerations, column, kinematics, random_forces, random_state, random_tree};
use drystone_articulation::dynamics::{
    InverseDynamics, jacobian, kinetic_energy, mass_matrix, momentum, potential_energy,
};
use drystone_articulation::{Articulation, Integrator, Model, State, StepConfig};
use nalgebra::{DVector, Vector3};
use proptest::prelude::*;

/// Step of central differences: the error is its square and rounding over it.
const DELTA: f64 = 1e-5;
/// What central differences leave of second derivatives up to some hundred.
const DIFFERENCE: f64 = 2e-6;

/// The state a time `dt` later at constant velocities.
fn moved(model: &Model, state: &State, velocities: &[f64], dt: f64) -> State {
    let mut next = state.clone();
    next.set_velocities(model, velocities).expect("finite");
    next.drift(model, dt);
    next.set_velocities(model, state.velocities()).expect("finite");
    next
}

proptest! {
    /// `J q̇` is how a point of a link moves and turns, and is the velocity of the link there.
    #[test]
    fn jacobians_are_differences_of_places(seed: u64, count in 1..10usize, which in 0..10usize) {
        let (model, state) = random_tree(seed, count, false);
        prop_assume!(model.dof_count() > 0);
        let link = model.link_index(which % count).expect("there");
        let local = Vector3::new(0.2, -0.1, 0.4);
        let now = kinematics(&model, &state);
        let point = now.point(link, &local);
        let velocity = jacobian(&model, &now, link, &point) * column(state.velocities());
        let [before, after] = [-DELTA, DELTA].map(|dt| kinematics(&model, &moved(&model, &state, state.velocities(), dt)));
        let way = (after.point(link, &local) - before.point(link, &local)) / (2.0 * DELTA);
        let turn = after.pose(link).rotation * before.pose(link).rotation.inverse();
        let turn = turn.scaled_axis() / (2.0 * DELTA);
        let off = (velocity.fixed_rows::<3>(3) - way).norm() + (velocity.fixed_rows::<3>(0) - turn).norm();
        prop_assert!(off < DIFFERENCE * (1.0 + velocity.norm().powi(3)), "{off}");
        let told = now.velocity_at(link, &point);
        let off = (velocity.fixed_rows::<3>(3) - told.linear).norm() + (velocity.fixed_rows::<3>(0) - told.angular).norm();
        prop_assert!(off < 1e-12 * (1.0 + velocity.norm()), "{off}");
    }

    /// Kinetic energy is a quadratic form: its second difference is the mass matrix, without any step to choose.
    #[test]
    fn the_mass_matrix_is_the_second_difference_of_kinetic_energy(seed: u64, count in 1..10usize) {
        let (model, mut state) = random_tree(seed, count, false);
        let n = model.dof_count();
        let mut energy = |v: &DVector<f64>| {
            state.set_velocities(&model, v.as_slice()).expect("finite");
            kinetic_energy(&model, &kinematics(&model, &state), v.as_slice())
        };
        let unit = |k: usize| DVector::from_fn(n, |i, _| f64::from(u8::from(i == k)));
        let single: Vec<f64> = (0..n).map(|k| energy(&unit(k))).collect();
        let matrix = mass_matrix(&model, &kinematics(&model, &random_tree(seed, count, false).1));
        for i in 0..n {
            for j in 0..n {
                let entry = energy(&(unit(i) + unit(j))) - single[i] - single[j];
                prop_assert!((entry - matrix[(i, j)]).abs() < 1e-10 * (1.0 + matrix.amax()), "{i} {j}");
            }
        }
    }

    /// The same matrix as the difference of inverse dynamics in the accelerations.
    #[test]
    fn the_mass_matrix_is_the_difference_of_inverse_dynamics(seed: u64, count in 1..10usize) {
        let (model, state) = random_tree(seed, count, true);
        let (n, now) = (model.dof_count(), kinematics(&model, &state));
        let mut inverse = InverseDynamics::new(&model);
        let mut forces = |a: &[f64]| {
            let mut out = vec![0.0; n];
            inverse.forces(&model, &now, a, &[], &mut out);
            out
        };
        let (bias, matrix) = (forces(&vec![0.0; n]), mass_matrix(&model, &now));
        for j in 0..n {
            let mut unit = vec![0.0; n];
            unit[j] = 1.0;
            let found = column(&forces(&unit)) - column(&bias);
            let size = 1.0 + column(&bias).norm() + matrix.amax();
            prop_assert!((found - matrix.column(j)).norm() < 1e-11 * size);
        }
    }

    /// Power: without losses kinetic energy changes by what gravity and the forces along joints give.
    #[test]
    fn accelerations_give_the_power_of_the_forces(seed: u64, count in 1..10usize) {
        let (model, state) = random_tree(seed, count, true);
        let forces = random_forces(&model, seed);
        let acceleration = column(&accelerations(&model, &state, &forces, &[]));
        let total = |dt: f64| {
            let mut next = moved(&model, &state, state.velocities(), dt);
            let v = column(state.velocities()) + &acceleration * dt;
            next.set_velocities(&model, v.as_slice()).expect("finite");
            let now = kinematics(&model, &next);
            kinetic_energy(&model, &now, v.as_slice()) + potential_energy(&model, &now)
        };
        let gained = (total(DELTA) - total(-DELTA)) / (2.0 * DELTA);
        let given = column(&forces).dot(&column(state.velocities()));
        let size = 1.0 + acceleration.norm() * column(state.velocities()).norm();
        prop_assert!((gained - given).abs() < 1e-5 * size, "{gained} {given}");
    }

    /// A free tree in space keeps its momentum whatever its joints do to each other.
    #[test]
    fn momentum_is_the_sum_over_links(seed: u64) {
        let (model, state) = random_tree(seed, 6, false);
        let now = kinematics(&model, &state);
        let total = momentum(&now);
        let by_center = model.links().iter().zip(now.links()).map(|(link, pose)| {
            let arm = pose.rotation * link.center_of_mass();
            (pose.velocity.linear + pose.velocity.angular.cross(&arm)) * link.mass()
        });
        let sum: Vector3<f64> = by_center.sum();
        prop_assert!((total.linear - sum).norm() < 1e-12 * (1.0 + sum.norm()));
    }
}

/// `v += h a`, `q += h v`.
#[test]
fn a_semi_implicit_step_moves_by_the_new_velocities() {
    let (model, _) = random_tree(7, 6, true);
    let state = random_state(&model, 3, 1.0);
    let config = StepConfig { integrator: Integrator::SemiImplicit, ..StepConfig::default() };
    let mut articulation = Articulation::new(model.clone(), config).expect("valid");
    articulation.set_state(&state).expect("fits");
    articulation.step(1e-3).expect("finite");
    let zero = vec![0.0; model.dof_count()];
    let expected = column(state.velocities()) + column(&accelerations(&model, &state, &zero, &[])) * 1e-3;
    let off = (column(articulation.state().velocities()) - &expected).norm();
    // What keeps the balance of energy is of second order.
    assert!(off < 20.0 * 1e-3 * 1e-3, "{off}");
    let place = moved(&model, &state, expected.as_slice(), 1e-3);
    assert!((column(place.positions()) - column(articulation.state().positions())).norm() < 1e-12);
}
