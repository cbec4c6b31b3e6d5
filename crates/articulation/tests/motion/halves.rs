//! A step in two halves with a solver of contacts between them: what another engine does with a tree of links.

use crate::support::{planar_pendulum, random_state, seven_link_arm};
use drystone_articulation::spatial::SpatialForce;
use drystone_articulation::{
    Articulation, Integrator, JointSpec, LinkSpec, ModelBuilder, Motor, State, StepConfig,
};
use nalgebra::Vector3;

const DT: f64 = 1.0 / 60.0;

/// Without anything between them the halves are a semi-implicit step, to the bit.
#[test]
fn both_halves_are_a_step() {
    let joint = |joint: JointSpec| {
        joint
            .damping(0.1)
            .friction(0.2)
            .limits(-1.0, 1.0)
            .motor(Motor::position(0.5, 1e3, 30.0).at_most(30.0))
    };
    let model = seven_link_arm(joint);
    let config = StepConfig { integrator: Integrator::SemiImplicit, max_turn: 10.0, ..StepConfig::default() };
    let mut whole = Articulation::new(model.clone(), config).expect("valid");
    whole.set_state(&random_state(&model, 9, 1.0)).expect("fits");
    let mut halves = whole.clone();
    for _ in 0..60 {
        whole.step(DT).expect("finite");
        halves.predict(DT).expect("finite");
        halves.finish().expect("finite");
        assert_eq!(whole.state(), halves.state());
    }
}

/// A hinged rod falls on a post: one contact, solved by the inverse inertia of the link. It lies there, and the impulse is its share of
/// the weight.
#[test]
fn a_contact_between_the_halves_carries_a_rod() {
    let mut builder = ModelBuilder::new();
    builder.gravity(Vector3::new(0.0, -9.81, 0.0)).expect("finite");
    let rod = LinkSpec::new(JointSpec::revolute(Vector3::z()));
    let rod = rod.cuboid(2.0, Vector3::x(), Vector3::new(2.0, 0.0, 0.0));
    let link = builder.root(rod).expect("valid");
    let mut rod = Articulation::new(builder.build().expect("valid"), StepConfig::default()).expect("valid");
    let mut state = State::zero(rod.model());
    state.set_positions(rod.model(), &[0.3]).expect("finite");
    rod.set_state(&state).expect("fits");
    let (up, mut change, mut last) = (Vector3::y(), [0.0], 0.0);
    for _ in 0..120 {
        rod.predict(DT).expect("finite");
        // The rod's end on a post below it at height 0.
        let point = rod.kinematics().point(link, &(Vector3::x() * 2.0));
        let inverse = rod.inverse_inertia_at(link, &point).expect("predicted")[(4, 4)];
        let closing = rod.kinematics().velocity_at(link, &point).linear.y + point.y / DT;
        last = (-closing / inverse).max(0.0);
        let impulse = SpatialForce::new(Vector3::zeros(), up * last);
        rod.impulse_response(link, &point, &impulse, &mut change).expect("predicted");
        rod.add_velocities(&change, 1.0).expect("predicted");
        rod.finish().expect("finite");
    }
    assert!(rod.state().positions()[0].abs() < 1e-6, "{:?}", rod.state());
    assert!((last / DT - 9.81).abs() < 1e-6, "half of 2 kg: {} N", last / DT);
}

/// Stiff motors yield to an impulse as little as an implicit step says: a contact sees an arm that is held as nearly fixed.
#[test]
fn responses_know_of_stiff_motors() {
    let mut model = planar_pendulum(&[(1.0, 1.0)]);
    let point = Vector3::new(0.0, -1.0, 0.0);
    for (stiffness, expected) in [(0.0, 1.0), (3600.0 * 99.0, 0.01)] {
        model.set_motor(0, Some(Motor::position(0.0, stiffness, 0.0))).expect("valid");
        let mut pendulum = Articulation::new(model.clone(), StepConfig::default()).expect("valid");
        pendulum.predict(DT).expect("finite");
        let link = model.link_index(0).expect("there");
        let inverse = pendulum.inverse_inertia_at(link, &point).expect("predicted");
        // 1 / (m l² + h² k).
        assert!((inverse[(3, 3)] - expected).abs() < 1e-12, "{inverse}");
    }
}

#[test]
fn what_belongs_between_the_halves_is_refused_elsewhere() {
    let model = planar_pendulum(&[(1.0, 1.0)]);
    let link = model.link_index(0).expect("there");
    let mut pendulum = Articulation::new(model, StepConfig::default()).expect("valid");
    let message = "this needs a step that has been predicted and not finished: call `predict` first";
    let impulse = SpatialForce::default();
    assert_eq!(pendulum.finish().unwrap_err().to_string(), message);
    assert_eq!(pendulum.add_velocities(&[0.0], 1.0).unwrap_err().to_string(), message);
    assert!(pendulum.inverse_inertia_at(link, &Vector3::zeros()).is_err());
    assert!(pendulum.impulse_response(link, &Vector3::zeros(), &impulse, &mut [0.0]).is_err());
    pendulum.predict(DT).expect("finite");
    assert!(pendulum.impulse_response(link, &Vector3::zeros(), &impulse, &mut []).is_err());
    pendulum.step(DT).expect("finite");
    assert!(pendulum.finish().is_err(), "a whole step ends what was begun");
}
