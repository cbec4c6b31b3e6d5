//! What no step may change: energy where nothing gives any, momentum where nothing outside acts, and bits.

use crate::support::{
    Numbers, any_body, energy, kinematics, planar_pendulum, random_state, random_tree, seven_link_arm,
};
use drystone_articulation::dynamics::{kinetic_energy, momentum};
use drystone_articulation::{
    Articulation, Integrator, JointKind, JointSpec, LinkSpec, Model, ModelBuilder, Motor, State, StepConfig,
};
use nalgebra::Vector3;

fn started(model: &Model, state: &State) -> Articulation {
    let mut articulation = Articulation::new(model.clone(), StepConfig::default()).expect("valid");
    articulation.set_state(state).expect("fits");
    articulation
}

/// A body with two arms of three links each, in space.
fn free_tree(joint: impl Fn(JointSpec) -> JointSpec) -> Model {
    let (mut builder, mut numbers) = (ModelBuilder::new(), Numbers(17));
    let base = builder.root(any_body(LinkSpec::new(JointSpec::free()), &mut numbers)).expect("valid");
    for side in [-1.0, 1.0] {
        let mut above = base;
        for k in 0..3 {
            let kind = if k == 1 { JointSpec::spherical() } else { JointSpec::revolute(numbers.vector()) };
            let place = numbers.vector() * 0.1 + Vector3::x() * (0.4 * side);
            let spec = LinkSpec::new(joint(kind)).at(place.x, place.y, place.z);
            above = builder.child(above, any_body(spec, &mut numbers)).expect("valid");
        }
    }
    builder.build().expect("valid")
}

/// The least and the largest energy of a run, as shares of the first (kinetic energy, without gravity).
fn energy_range(model: &Model, state: &State, dt: f64, time: f64) -> (f64, f64) {
    let first = kinetic_energy(model, &kinematics(model, state), state.velocities());
    let mut articulation = started(model, state);
    let (mut least, mut most) = (1.0_f64, 1.0_f64);
    for _ in 0..(time / dt) as u32 {
        articulation.step(dt).expect("finite");
        let share =
            kinetic_energy(model, articulation.kinematics(), articulation.state().velocities()) / first;
        (least, most) = (least.min(share), most.max(share));
    }
    (least, most)
}

/// Free motion for 20 s at 60 Hz: at any speed energy stays within a few parts in 10 000.
#[test]
fn free_motion_keeps_its_energy_at_any_speed() {
    let mut weightless = seven_link_arm(|joint| joint);
    weightless.set_gravity(Vector3::zeros()).expect("finite");
    let tree = free_tree(|joint| joint);
    for (speed, time) in [(1.0, 20.0), (5.0, 20.0), (12.0, 20.0), (50.0, 5.0), (200.0, 2.0)] {
        for model in [&weightless, &tree] {
            let state = random_state(model, 3, speed);
            let (least, most) = energy_range(model, &state, 1.0 / 60.0, time);
            println!("{speed} rad/s: {:.1e} {:.1e}", least - 1.0, most - 1.0);
            assert!(least > 0.98 && most < 1.02, "{speed} rad/s: {least} to {most}");
            assert!(most < 1.001, "{speed} rad/s: {most}");
        }
    }
}

/// The same in gravity, for the arm that falls and whirls.
#[test]
fn motion_in_gravity_keeps_its_energy() {
    let model = seven_link_arm(|joint| joint);
    for speed in [0.0, 12.0] {
        let mut arm = started(&model, &random_state(&model, 3, speed));
        let first = arm.energy();
        let mut size = 0.0_f64;
        for _ in 0..1200 {
            arm.step(1.0 / 60.0).expect("finite");
            size = size.max(kinetic_energy(&model, arm.kinematics(), arm.state().velocities()));
            let off = arm.energy() - first;
            assert!(off.abs() < 1e-6 * (size + 1.0), "{speed} rad/s: {off} J of {size} J");
        }
    }
}

/// The semi-implicit step keeps kinetic energy and momentum in balance too, to its order in the path: no spin makes it gain energy.
#[test]
fn semi_implicit_steps_gain_no_energy_and_lose_no_momentum() {
    let mut weightless = seven_link_arm(|joint| joint);
    weightless.set_gravity(Vector3::zeros()).expect("finite");
    let tree = free_tree(|joint| joint);
    let config = StepConfig { integrator: Integrator::SemiImplicit, ..StepConfig::default() };
    for speed in [1.0, 12.0, 50.0, 200.0] {
        for model in [&weightless, &tree] {
            let state = random_state(model, 3, speed);
            let mut articulation = Articulation::new(model.clone(), config.clone()).expect("valid");
            articulation.set_state(&state).expect("fits");
            let (first, momentum_before) = (articulation.energy(), momentum(articulation.kinematics()));
            let (mut least, mut most) = (1.0_f64, 1.0_f64);
            for _ in 0..1200 {
                articulation.step(1.0 / 60.0).expect("finite");
                let share = articulation.energy() / first;
                (least, most) = (least.min(share), most.max(share));
            }
            println!("semi-implicit, {speed} rad/s: {:.1e} {:.1e}", least - 1.0, most - 1.0);
            assert!(most < 1.0 + 1e-9, "{speed} rad/s: {least} to {most}");
            if model.links()[0].kind() == &JointKind::Free {
                let after = momentum(articulation.kinematics());
                let size = momentum_before.linear.norm() + momentum_before.angular.norm();
                assert!((after.linear - momentum_before.linear).norm() < 1e-9 * size);
                assert!((after.angular - momentum_before.angular).norm() < 1e-9 * size);
            }
        }
    }
}

/// A swing of a semi-implicit step keeps its height to the order of the step.
#[test]
fn semi_implicit_pendulums_neither_gain_nor_lose() {
    let model = planar_pendulum(&[(1.0, 1.0), (0.5, 0.6)]);
    let config = StepConfig { integrator: Integrator::SemiImplicit, ..StepConfig::default() };
    let mut pendulum = Articulation::new(model.clone(), config).expect("valid");
    let mut state = State::zero(&model);
    state.set_positions(&model, &[1.0, 0.3]).expect("finite");
    pendulum.set_state(&state).expect("fits");
    let lowest = energy(&model, &State::zero(&model));
    let first = pendulum.energy() - lowest;
    let (mut sum, mut worst) = (0.0, 0.0_f64);
    for step in 0..3600 {
        pendulum.step(1.0 / 60.0).expect("finite");
        let off = (pendulum.energy() - lowest) / first - 1.0;
        worst = worst.max(off.abs());
        if step >= 3000 {
            sum += off / 600.0;
        }
    }
    println!("semi-implicit pendulum: mean of the last 10 s {sum:.1e}, worst {worst:.1e}");
    assert!(sum.abs() < 0.05 && worst < 0.2, "{sum} {worst}");
}

/// With so few parts of a step that its tolerance is out of reach, the step says so and makes no energy.
#[test]
fn a_flow_that_runs_out_of_parts_tells_and_makes_no_energy() {
    let mut model = seven_link_arm(|joint| joint);
    model.set_gravity(Vector3::zeros()).expect("finite");
    let state = random_state(&model, 3, 200.0);
    let config = StepConfig { max_flow_steps: 5, ..StepConfig::default() };
    let mut arm = Articulation::new(model.clone(), config).expect("valid");
    arm.set_state(&state).expect("fits");
    let first = energy(&model, &state);
    let mut told = 0;
    for _ in 0..600 {
        told += u32::from(arm.step(1.0 / 60.0).expect("finite").flow_limit_hit);
        assert!(arm.energy() <= first * (1.0 + 1e-9), "{} J of {first} J", arm.energy());
    }
    assert!(told > 100, "{told}");
}

/// A swinging tree with gravity: kinetic and potential energy together.
#[test]
fn random_trees_keep_their_energy_in_gravity() {
    for seed in 0..12 {
        let (model, state) = random_tree(seed, 7, true);
        let mut articulation = started(&model, &state);
        let kinetic = |a: &Articulation| kinetic_energy(a.model(), a.kinematics(), a.state().velocities());
        let first = articulation.energy();
        let mut size = kinetic(&articulation);
        for _ in 0..120 {
            articulation.step(1.0 / 60.0).expect("finite");
            size = size.max(kinetic(&articulation));
            let off = articulation.energy() - first;
            assert!(off.abs() < 1e-5 * (1.0 + size), "tree {seed}: {off} J of {size} J");
        }
    }
}

/// Motors, damping, friction and rotors act within a tree: its momentum is what it was.
#[test]
fn a_free_tree_with_motors_keeps_its_momentum() {
    let joint = |joint: JointSpec| {
        let motor = Motor { target_velocity: 3.0, ..Motor::position(0.7, 300.0, 5.0) }.at_most(40.0);
        joint.armature(0.02).damping(0.1).friction(0.3).motor(motor)
    };
    let model = free_tree(joint);
    let state = random_state(&model, 29, 2.0);
    let before = momentum(&kinematics(&model, &state));
    let mut articulation = started(&model, &state);
    for _ in 0..300 {
        articulation.step(1.0 / 60.0).expect("finite");
    }
    let after = momentum(articulation.kinematics());
    let size = before.linear.norm() + before.angular.norm();
    assert!((after.linear - before.linear).norm() < 1e-6 * size, "{} {}", after.linear, before.linear);
    assert!((after.angular - before.angular).norm() < 1e-6 * size, "{} {}", after.angular, before.angular);
}

/// Twice the same, to the bit; and a state that is set again goes on as it did.
#[test]
fn equal_input_gives_equal_bits() {
    let joint = |joint: JointSpec| {
        joint.friction(0.2).limits(-1.0, 1.0).motor(Motor::position(0.3, 500.0, 10.0).at_most(20.0))
    };
    let model = seven_link_arm(joint);
    let state = random_state(&model, 31, 4.0);
    let run = |from: &State, steps: u32| {
        let mut articulation = started(&model, from);
        for _ in 0..steps {
            articulation.step(1.0 / 60.0).expect("finite");
        }
        articulation.state().clone()
    };
    let bits = |state: &State| -> Vec<u64> {
        state.positions().iter().chain(state.velocities()).map(|x| x.to_bits()).collect()
    };
    let whole = run(&state, 120);
    assert_eq!(bits(&whole), bits(&run(&state, 120)));
    assert_eq!(bits(&whole), bits(&run(&run(&state, 50), 70)));
}

/// An impulse changes momentum by itself where nothing holds the tree.
#[test]
fn an_impulse_on_a_free_tree_is_its_change_of_momentum() {
    let model = free_tree(|joint| joint.armature(0.1));
    let mut articulation = started(&model, &random_state(&model, 41, 2.0));
    let before = momentum(articulation.kinematics());
    let link = model.link_index(5).expect("there");
    let (point, impulse) = (Vector3::new(0.3, 0.8, -0.2), Vector3::new(2.0, -1.0, 0.5));
    articulation.apply_impulse(link, &point, impulse).expect("finite");
    let after = momentum(articulation.kinematics());
    assert!((after.linear - before.linear - impulse).norm() < 1e-12);
    assert!((after.angular - before.angular - point.cross(&impulse)).norm() < 1e-12);
}

/// Damping only takes, stiff or soft.
#[test]
fn damping_only_takes_energy() {
    for damping in [1e-3, 1.0, 1e3, 1e6] {
        let mut model = planar_pendulum(&[(1.0, 1.0), (0.2, 0.5), (2.0, 0.3)]);
        for dof in 0..3 {
            let spec = drystone_articulation::DofSpec { damping, ..model.dofs()[dof] };
            model.set_dof(dof, spec).expect("valid");
        }
        let mut articulation = started(&model, &random_state(&model, 3, 8.0));
        let mut last = articulation.energy();
        for step in 0..600 {
            articulation.step(1.0 / 60.0).expect("finite");
            let now = articulation.energy();
            assert!(now < last + 1e-6, "damping {damping}, step {step}: {last} J to {now} J");
            last = now;
        }
    }
}
