//! A step allocates nothing after warm-up: with motors, friction and limits that act, with loop closures, with either integrator.

#[path = "support/mod.rs"]
mod support;

use drystone_articulation::{Articulation, Integrator, JointSpec, LoopSpec, Model, Motor, State, StepConfig};
use nalgebra::Vector3;
use support::{random_state, seven_link_arm};

fn allocations(model: &Model, state: &State, integrator: Integrator, closed: bool) -> u64 {
    let config = StepConfig { integrator, ..StepConfig::default() };
    let mut arm = Articulation::new(model.clone(), config).expect("valid");
    arm.set_state(state).expect("fits");
    if closed {
        let hand = model.link_index(6).expect("there");
        let place = arm.kinematics().point(hand, &Vector3::z());
        arm.add_loop(LoopSpec::point(None, place, hand, Vector3::z())).expect("valid");
    }
    let forces = vec![0.1; model.dof_count()];
    let hand = model.link_index(6).expect("there");
    let mut run = |steps: u32| {
        for _ in 0..steps {
            arm.add_joint_forces(&forces).expect("fits");
            arm.add_force(hand, &Vector3::x(), Vector3::y()).expect("finite");
            arm.step(1.0 / 60.0).expect("finite");
            arm.apply_impulse(hand, &Vector3::x(), Vector3::y() * 0.01).expect("finite");
        }
    };
    run(300);
    allocation_counter::measure(|| run(120)).count_total
}

#[test]
fn a_step_allocates_nothing_after_warm_up() {
    let driven = |joint: JointSpec| {
        joint.damping(0.2).friction(0.5).limits(-0.8, 0.8).motor(Motor::position(1.5, 1e5, 1e3).at_most(60.0))
    };
    for (model, closed) in [(seven_link_arm(driven), false), (seven_link_arm(|joint| joint), true)] {
        let state = random_state(&model, 3, 2.0);
        for integrator in [Integrator::RungeKutta, Integrator::SemiImplicit] {
            let count = allocations(&model, &state, integrator, closed);
            assert_eq!(count, 0, "{integrator:?}, closed {closed}");
        }
    }
}

/// What it says to hold is what a copy asks for: that has no room to spare.
#[test]
fn memory_is_what_is_allocated() {
    let joint = |joint: JointSpec| {
        joint.damping(0.2).friction(0.5).motor(Motor::position(0.5, 1e3, 1e1).at_most(6.0))
    };
    let mut arm = Articulation::new(seven_link_arm(joint), StepConfig::default()).expect("valid");
    arm.add_loop(LoopSpec::point(
        None,
        Vector3::x(),
        arm.model().link_index(6).expect("there"),
        Vector3::z(),
    ))
    .expect("valid");
    (0..10).for_each(|_| assert!(arm.step(1.0 / 60.0).is_ok()));
    let mut copy = None;
    let asked = allocation_counter::measure(|| copy = Some(arm.clone())).bytes_current;
    assert_eq!(copy.expect("copied").heap_bytes() as i64, asked);
    assert!(arm.heap_bytes() as i64 >= asked, "lists that grew may have room to spare");
}
