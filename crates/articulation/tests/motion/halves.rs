//! A step in two halves with a solver of contacts between them: what another engine does with a tree of links.

use crate::support::{planar_pendulum, random_state, seven_link_arm};
use drystone_articulation::dynamics::{momentum, spring_energy};
use drystone_articulation::spatial::SpatialForce;
use drystone_articulation::{
    Articulation, Integrator, JointSpec, LinkIndex, LinkSpec, ModelBuilder, Motor, State, StepConfig,
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

/// A shoulder about z and an elbow about y at 0.5 m, links along x; gravity along -z.
fn arm_of_two(elbow: JointSpec) -> (Articulation, [LinkIndex; 2]) {
    let mut builder = ModelBuilder::new();
    builder.gravity(Vector3::new(0.0, 0.0, -9.81)).expect("finite");
    let rod = |joint| LinkSpec::new(joint).cuboid(1.0, Vector3::x() * 0.25, Vector3::new(0.5, 0.1, 0.1));
    let upper = builder.root(rod(JointSpec::revolute(Vector3::z()))).expect("valid");
    let lower = builder.child(upper, rod(elbow).at(0.5, 0.0, 0.0)).expect("valid");
    let arm = Articulation::new(builder.build().expect("valid"), StepConfig::default()).expect("valid");
    (arm, [upper, lower])
}

/// What an impulse between two links does is of the order of what levers say, but along what no joint between them leaves free, where it is a vanishing share of it.
#[test]
fn levers_tell_which_directions_joints_leave_free() {
    let (mut arm, [upper, lower]) = arm_of_two(JointSpec::revolute(Vector3::y()));
    let point = Vector3::new(0.7, 0.0, 0.0);
    assert!(arm.response_by_levers(lower, Some(upper), &point, (&Vector3::zeros(), &Vector3::z())).is_err());
    arm.predict(1.0 / 60.0).expect("a step");
    // The velocity of the lower link against the upper one at the point per impulse between them.
    let response = |arm: &mut Articulation, way: Vector3<f64>| {
        let mut change = [vec![0.0; 2], vec![0.0; 2]];
        for (link, sign, out) in [(upper, -1.0, 0_usize), (lower, 1.0, 1)] {
            let impulse = SpatialForce::new(Vector3::zeros(), way * sign);
            arm.impulse_response(link, &point, &impulse, &mut change[out]).expect("within");
        }
        let elbow = change[0][1] + change[1][1];
        elbow * Vector3::y().cross(&(Vector3::x() * 0.2)).dot(&way)
    };
    for (way, is_free) in [(Vector3::z(), true), (Vector3::x(), false), (Vector3::y(), false)] {
        let levers = arm
            .response_by_levers(lower, Some(upper), &point, (&Vector3::zeros(), &way))
            .expect("within the halves");
        let share = response(&mut arm, way) / levers;
        assert!(if is_free { (share - 1.0).abs() < 1e-9 } else { share.abs() < 1e-12 }, "{way}: {share}");
    }
    // Against the world the shoulder counts as well.
    let against = |other| arm.response_by_levers(lower, other, &point, (&Vector3::zeros(), &Vector3::y()));
    assert!(against(None).expect("within") > against(Some(upper)).expect("within"));
}

/// A displacement upwards or against a spring is paid for by motion that there is, and a limit stops it.
#[test]
fn what_a_displacement_lifts_is_taken_out_of_the_motion() {
    let spring = Motor::position(0.0, 30.0, 0.0);
    for (elbow, held) in [
        (JointSpec::revolute(Vector3::y()), 0.0),
        (JointSpec::revolute(Vector3::y()).motor(spring), 0.5 * 30.0 * 0.1 * 0.1),
    ] {
        let (mut arm, _) = arm_of_two(elbow);
        let mut state = arm.state().clone();
        state.set_velocities(arm.model(), &[3.0, 0.0]).expect("two");
        arm.set_state(&state).expect("fits");
        let all = |arm: &Articulation| arm.energy() + spring_energy(arm.model(), arm.state());
        let before = all(&arm);
        // About y downwards is positive.
        assert_eq!(arm.displace_without_gain(&[0.0, -0.1]).expect("finite"), 1.0);
        assert!((arm.state().positions()[1] + 0.1).abs() < 1e-15);
        assert!((spring_energy(arm.model(), arm.state()) - held).abs() < 1e-12);
        assert!((all(&arm) - before).abs() < 1e-9 * before, "{} of {before} J", all(&arm));
        assert!(arm.state().velocities()[0] < 3.0);
    }
    let (mut arm, _) = arm_of_two(JointSpec::revolute(Vector3::y()).limits(-0.05, 1.0));
    arm.set_gravity(Vector3::zeros()).expect("finite");
    arm.displace_without_gain(&[0.0, -0.1]).expect("finite");
    assert_eq!(arm.state().positions()[1], -0.05);
    let mut beyond = arm.state().clone();
    beyond.set_positions(arm.model(), &[0.0, -0.2]).expect("two");
    arm.set_state(&beyond).expect("fits");
    arm.displace_without_gain(&[0.0, -0.1]).expect("finite");
    assert_eq!(arm.state().positions()[1], -0.2, "no farther than it was");
    arm.displace_without_gain(&[0.0, 0.1]).expect("finite");
    assert!((arm.state().positions()[1] + 0.1).abs() < 1e-15, "back it may go");
}

/// What nothing pays for stays, or goes as far as it is paid for.
#[test]
fn a_displacement_that_nothing_pays_for_is_not_made() {
    let (mut arm, _) = arm_of_two(JointSpec::revolute(Vector3::y()));
    assert_eq!(arm.displace_without_gain(&[0.0, -0.1]).expect("finite"), 0.0);
    assert_eq!(arm.state().positions(), [0.0, 0.0]);
    assert_eq!(arm.displace_without_gain(&[0.0, 0.1]).expect("finite"), 1.0, "downwards");
    let (mut arm, _) = arm_of_two(JointSpec::revolute(Vector3::y()));
    let mut state = arm.state().clone();
    // 0.053 J: enough to lift 1 kg by 0.25 m * sin(0.1 / 8), 0.031 J, and too little for a quarter of the way, 0.061 J.
    state.set_velocities(arm.model(), &[0.4, 0.0]).expect("two");
    arm.set_state(&state).expect("fits");
    let before = arm.energy();
    let share = arm.displace_without_gain(&[0.0, -0.1]).expect("finite");
    assert_eq!(share, 0.125);
    assert!((arm.energy() - before).abs() < 1e-12, "{} of {before} J", arm.energy());
}

/// Whatever the links of a free tree are put to, its momenta are those that it had.
#[test]
fn a_displacement_keeps_the_momentum_of_a_free_tree() {
    let mut builder = ModelBuilder::new();
    let half = Vector3::new(0.5, 0.1, 0.1);
    let root =
        builder.root(LinkSpec::new(JointSpec::free()).cuboid(1.0, Vector3::zeros(), half)).expect("valid");
    let hinge = LinkSpec::new(JointSpec::revolute(Vector3::y())).at(0.25, 0.0, 0.0);
    builder.child(root, hinge.cuboid(1.0, Vector3::x() * 0.25, half)).expect("valid");
    let mut tree = Articulation::new(builder.build().expect("valid"), StepConfig::default()).expect("valid");
    let mut state = tree.state().clone();
    state.set_velocities(tree.model(), &[0.3, 2.0, -1.0, 0.5, 0.1, -0.2, 3.0]).expect("seven");
    tree.set_state(&state).expect("fits");
    for step in [0.4, -0.7, 0.2, 0.5] {
        let (before, energy) = (momentum(tree.kinematics()), tree.energy());
        tree.displace_without_gain(&[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, step]).expect("finite");
        let after = momentum(tree.kinematics());
        assert!((after.linear - before.linear).norm() < 1e-12, "{before:?} {after:?}");
        assert!((after.angular - before.angular).norm() < 1e-12, "{before:?} {after:?}");
        assert!(tree.energy() <= energy * (1.0 + 1e-12));
    }
}
