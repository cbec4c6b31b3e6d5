//! Everything at once on random trees: nothing blows up, nothing is hit that is not told, and what must hold holds.

use crate::support::{Numbers, random_state, random_tree};
use drystone_articulation::dynamics::kinetic_energy;
use drystone_articulation::{
    Articulation, DofSpec, Integrator, JointKind, LoopSpec, Model, Motor, State, StepConfig,
};
use nalgebra::{Quaternion, UnitQuaternion, Vector3};

/// Settings for each degree of freedom, some of each.
fn equip(model: &mut Model, numbers: &mut Numbers, has_largest_forces: bool) {
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
                spec.motor = Some(if numbers.next() > 0.0 && has_largest_forces {
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

/// Energy of the motors' springs, J.
fn in_springs(tree: &Articulation) -> f64 {
    let model = tree.model();
    let mut sum = 0.0;
    for link in model.links() {
        let q = &tree.state().positions()[link.positions()];
        let motors: Vec<Motor> =
            model.dofs()[link.dofs()].iter().map(|dof| dof.motor.unwrap_or_default()).collect();
        let error = match link.kind() {
            JointKind::Revolute { .. } | JointKind::Prismatic { .. } => q[0] - motors[0].target_position,
            JointKind::Spherical => {
                let now = UnitQuaternion::from_quaternion(Quaternion::new(q[3], q[0], q[1], q[2]));
                let target = Vector3::from_iterator(motors.iter().map(|motor| motor.target_position));
                UnitQuaternion::from_scaled_axis(target).angle_to(&now)
            }
            _ => continue,
        };
        sum += 0.5 * motors[0].stiffness * error * error;
    }
    sum
}

/// The state with joints that are beyond a limit on it.
fn within_limits(model: &Model, state: &State) -> State {
    let (mut within, mut positions) = (state.clone(), state.positions().to_vec());
    for link in model.links() {
        for (k, dof) in link.dofs().enumerate() {
            if let Some([lower, upper]) = model.dofs()[dof].limits {
                let q = &mut positions[link.positions().start + k];
                *q = q.clamp(lower, upper);
            }
        }
    }
    within.set_positions(model, &positions).expect("finite");
    within
}

/// One run of 4 s: the most energy that appeared, as a share of all that moved or was in springs at any time; checks what must hold.
fn run(seed: u64, has_largest_forces: bool) -> f64 {
    let mut numbers = Numbers(seed ^ 0xABCD);
    let (mut model, _) = random_tree(seed, 2 + numbers.below(10), true);
    equip(&mut model, &mut numbers, has_largest_forces);
    let integrator = if seed.is_multiple_of(3) { Integrator::SemiImplicit } else { Integrator::RungeKutta };
    let mut tree =
        Articulation::new(model.clone(), StepConfig { integrator, ..StepConfig::default() }).expect("valid");
    tree.set_state(&within_limits(&model, &random_state(&model, seed, 5.0))).expect("fits");
    if seed % 4 == 1 && model.link_count() > 3 {
        let [a, b] = [1, 3].map(|link| model.link_index(link).expect("there"));
        let place = tree.kinematics().pose(a).inverse() * tree.kinematics().pose(b);
        let closure = LoopSpec::point(Some(a), place.translation.vector, b, Vector3::zeros());
        tree.add_loop(closure).expect("valid");
    }
    let first = tree.energy() + in_springs(&tree);
    let (mut gained, mut size) = (0.0_f64, 0.0_f64);
    for _ in 0..240 {
        let report = tree.step(1.0 / 60.0).unwrap_or_else(|error| panic!("tree {seed}: {error}"));
        assert!(!report.iteration_limit_hit && !report.flow_limit_hit, "tree {seed}: {report:?}");
        let kinetic = kinetic_energy(&model, tree.kinematics(), tree.state().velocities());
        size = size.max(kinetic + in_springs(&tree));
        gained = gained.max(tree.energy() + in_springs(&tree) - first);
        for (force, spec) in tree.motor_forces().iter().zip(model.dofs()) {
            let most = spec.motor.map_or(0.0, |motor| motor.max_force);
            assert!(force.abs() <= most * (1.0 + 1e-6), "tree {seed}: {force} of {most}");
        }
    }
    gained / size.max(1e-9)
}

/// Springs, dampers, friction, limits and closures at 60 Hz, stiff and soft: energy, with that of the springs, never grows by more than what
/// holding stiff forces over a step does. The bound of 10 % is no law: two of these trees strain springs by 8 and 4 % in their first steps,
/// all others by less than 1 %; what tore trees apart was 40 % and more. Motors with a largest force may give what they give: there only what holds always is checked.
#[test]
fn trees_with_everything_stay_in_hand() {
    let mut worst = (0, 0.0);
    for seed in 0..200 {
        let gained = run(seed, false);
        worst = if gained > worst.1 { (seed, gained) } else { worst };
        assert!(gained < 0.1, "tree {seed} gained {gained} of its energy");
        run(seed, true);
    }
    println!("worst tree {worst:?}");
}
