//! Everything at once on random trees: nothing blows up, nothing is hit that is not told, and what must hold holds.

use crate::support::{Numbers, random_state, random_tree};
use drystone_articulation::{
    Articulation, DofSpec, Integrator, JointKind, LoopSpec, Model, Motor, StepConfig,
};
use nalgebra::Vector3;

/// Settings for each degree of freedom, some of each.
fn equip(model: &mut Model, numbers: &mut Numbers) {
    for link in 0..model.link_count() {
        let (kind, dofs) = (*model.links()[link].kind(), model.links()[link].dofs());
        let stiffness = exponent(numbers, -2.0, 18.0);
        let single = matches!(kind, JointKind::Revolute { .. } | JointKind::Prismatic { .. });
        let has_motor = numbers.next() > 0.0 && kind != JointKind::Free;
        let mut specs = Vec::new();
        for dof in dofs {
            let mut spec = DofSpec { armature: model.dofs()[dof].armature, ..DofSpec::default() };
            if numbers.next() > 0.0 {
                spec.damping = exponent(numbers, -7.0, 7.0);
            }
            if numbers.next() > 0.3 && kind != JointKind::Free {
                spec.friction = exponent(numbers, -4.0, 4.0);
            }
            if numbers.next() > -0.3 && single {
                spec.limits = Some([-0.6 - 0.5 * numbers.next(), 0.7 + 0.5 * numbers.next()]);
            }
            if has_motor {
                let motor =
                    Motor::position(numbers.next(), stiffness, stiffness * exponent(numbers, -7.0, 0.0));
                spec.motor = Some(if numbers.next() > 0.0 {
                    motor.at_most(exponent(numbers, 0.0, 6.0))
                } else {
                    motor
                });
            }
            specs.push(spec);
        }
        model.set_dofs(model.link_index(link).expect("there"), &specs).expect("valid");
    }
}

/// Between e to the `low` and e to the `high`.
fn exponent(numbers: &mut Numbers, low: f64, high: f64) -> f64 {
    (low + (high - low) * 0.5 * (numbers.next() + 1.0)).exp()
}

#[test]
fn trees_with_everything_stay_in_hand() {
    for seed in 0..400 {
        let mut numbers = Numbers(seed ^ 0xABCD);
        let (mut model, _) = random_tree(seed, 2 + numbers.below(10), true);
        equip(&mut model, &mut numbers);
        let integrator = if seed % 3 == 0 { Integrator::SemiImplicit } else { Integrator::RungeKutta };
        let config = StepConfig { integrator, ..StepConfig::default() };
        let mut tree = Articulation::new(model.clone(), config).expect("valid");
        tree.set_state(&random_state(&model, seed, 5.0)).expect("fits");
        if seed % 4 == 1 && model.link_count() > 3 {
            let (a, b) = (model.link_index(1).expect("there"), model.link_index(3).expect("there"));
            let (pa, pb) = (tree.kinematics().pose(a), tree.kinematics().pose(b));
            let local = (pa.inverse() * pb).translation.vector;
            tree.add_loop(LoopSpec::point(Some(a), local, b, Vector3::zeros())).expect("valid");
        }
        let (mut fastest, mut hits) = (0.0_f64, [0; 3]);
        for _ in 0..240 {
            let report = tree.step(1.0 / 60.0).unwrap_or_else(|error| panic!("tree {seed}: {error}"));
            hits[0] += u32::from(report.iteration_limit_hit);
            hits[1] += u32::from(report.flow_limit_hit);
            hits[2] += u32::from(report.split_limit_hit);
            fastest = tree.state().velocities().iter().fold(fastest, |most, v| most.max(v.abs()));
            for (force, spec) in tree.motor_forces().iter().zip(model.dofs()) {
                let most = spec.motor.map_or(0.0, |motor| motor.max_force);
                assert!(force.abs() <= most * (1.0 + 1e-6), "tree {seed}: {force} of {most}");
            }
        }
        let mut beyond = 0.0_f64;
        for link in model.links() {
            for (k, dof) in link.dofs().enumerate() {
                let Some([lower, upper]) = model.dofs()[dof].limits else { continue };
                let q = tree.state().positions()[link.positions().start + k];
                beyond = beyond.max(lower - q).max(q - upper);
            }
        }
        println!(
            "tree {seed}: {} dof, {integrator:?}, fastest {fastest:.1}, hits {hits:?}, beyond {beyond:.1e}",
            model.dof_count()
        );
    }
}
