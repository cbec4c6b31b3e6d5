//! Forward dynamics, inverse dynamics, mass matrix and responses agree.

use crate::support::{accelerations, column, kinematics, random_forces, random_tree, random_wrenches};
use drystone_articulation::dynamics::{
    Factor, InverseDynamics, OperationalInertia, Response, RowResponse, jacobian, mass_matrix,
};
use drystone_articulation::spatial::SpatialForce;
use nalgebra::{DMatrix, Vector6};
use proptest::prelude::*;

/// Rounding of sums over a tree of up to 14 links with inertias that differ by a thousand.
const ROUNDING: f64 = 1e-8;

fn size(values: &[f64]) -> f64 {
    1.0 + column(values).norm()
}

proptest! {
    /// `H q̈ + bias = τ`: articulated bodies against the solved mass matrix with the bias of inverse dynamics.
    #[test]
    fn forward_dynamics_solves_the_mass_matrix(seed: u64, count in 1..14usize) {
        let (model, state) = random_tree(seed, count, true);
        let (forces, wrenches) = (random_forces(&model, seed), random_wrenches(&model, seed));
        let found = accelerations(&model, &state, &forces, &wrenches);
        let now = kinematics(&model, &state);
        let zero = vec![0.0; model.dof_count()];
        let mut bias = zero.clone();
        InverseDynamics::new(&model).forces(&model, &now, &zero, &wrenches, &mut bias);
        if model.dof_count() > 0 {
            let matrix = mass_matrix(&model, &now);
            let expected = matrix.cholesky().expect("positive").solve(&(column(&forces) - column(&bias)));
            let off = (column(&found) - &expected).norm();
            prop_assert!(off < ROUNDING * size(expected.as_slice()), "{off} of {}", expected.norm());
        }
    }

    #[test]
    fn inverse_dynamics_gives_the_forces_back(seed: u64, count in 1..14usize) {
        let (model, state) = random_tree(seed, count, true);
        let (forces, wrenches) = (random_forces(&model, seed), random_wrenches(&model, seed));
        let found = accelerations(&model, &state, &forces, &wrenches);
        let mut back = vec![0.0; model.dof_count()];
        InverseDynamics::new(&model).forces(&model, &kinematics(&model, &state), &found, &wrenches, &mut back);
        prop_assert!((column(&back) - column(&forces)).norm() < ROUNDING * size(&found));
    }

    /// `H Δq̇ = Jᵀ j` for an impulse at a point of a link, and `Φ = J H⁻¹ Jᵀ` for the answer of the link itself.
    #[test]
    fn responses_solve_the_mass_matrix(seed: u64, count in 1..14usize, which in 0..14usize, diagonal in 0.0..2.0f64) {
        let (model, state) = random_tree(seed, count, false);
        prop_assume!(model.dof_count() > 0);
        let now = kinematics(&model, &state);
        let link = model.link_index(which % count).expect("there");
        let added: Vec<f64> = (0..model.dof_count()).map(|k| diagonal * (k % 3) as f64).collect();
        let mut factor = Factor::new(&model);
        factor.factorize_with(&model, &now, &added).expect("inertia everywhere");
        let matrix = mass_matrix(&model, &now) + DMatrix::from_diagonal(&column(&added));
        let solver = matrix.cholesky().expect("positive");

        let wrench = random_wrenches(&model, seed)[0];
        let point = now.point(link, &nalgebra::Vector3::new(0.1, -0.2, 0.3));
        let jacobian = jacobian(&model, &now, link, &point);
        let at_point = Vector6::from_iterator(wrench.moment.iter().chain(wrench.force.iter()).copied());
        let expected = solver.solve(&jacobian.tr_mul(&at_point));
        let arm = point - now.links()[link.index()].origin;
        let impulse = SpatialForce::at(&arm, wrench.force) + SpatialForce::new(wrench.moment, nalgebra::Vector3::zeros());
        let mut change = vec![0.0; model.dof_count()];
        let mut response = Response::new(&model);
        response.to_impulse(&model, &now, &factor, link, &impulse, &mut change);
        prop_assert!((column(&change) - &expected).norm() < ROUNDING * size(expected.as_slice()));

        // Rows of several impulses are added up: here each twice, more of them than go together.
        let wrenches: Vec<SpatialForce> = (1..7).map(|k| impulse * f64::from(k)).collect();
        let (n, mut rows) = (model.dof_count(), RowResponse::new(&model));
        let places: Vec<usize> = (0..6).rev().map(|k| k * n).collect();
        let (mut along, mut answers) = (vec![0.0; 6 * n], vec![0.0; 6 * n]);
        for _ in 0..2 {
            rows.add_rows(&model, &now, &factor, link, &wrenches, &places, &mut along, &mut answers);
        }
        let turned = jacobian.tr_mul(&at_point);
        for (k, place) in (1..7).zip(places) {
            let (row, answer) = (column(&along[place..place + n]), column(&answers[place..place + n]));
            let times = 2.0 * f64::from(k);
            prop_assert!((row - &turned * times).norm() < ROUNDING * times * size(turned.as_slice()));
            prop_assert!((answer - &expected * times).norm() < ROUNDING * times * size(expected.as_slice()));
        }

        let mut operational = OperationalInertia::new(&model);
        operational.update(&model, &now, &factor);
        let whole = &jacobian * solver.solve(&jacobian.transpose());
        let found = operational.inverse_at(&now, link, &point);
        prop_assert!((&whole - found).norm() < ROUNDING * (1.0 + whole.norm()));
        let own = operational.change(link, &impulse);
        let told = response.link_changes()[link.index()];
        prop_assert!((own.angular - told.angular).norm() + (own.linear - told.linear).norm() < ROUNDING * size(&change));

        let joints = random_forces(&model, seed);
        response.to_joint_impulses(&model, &now, &factor, &joints, &mut change);
        let expected = solver.solve(&column(&joints));
        prop_assert!((column(&change) - &expected).norm() < ROUNDING * size(expected.as_slice()));
    }
}
