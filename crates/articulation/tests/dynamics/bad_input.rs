//! What is refused, and in which words.

use crate::support::planar_pendulum;
use drystone_articulation::{
    Articulation, DofSpec, Integrator, JointSpec, LinkSpec, LoopSpec, ModelBuilder, Motor, State, StepConfig,
    Transform,
};
use nalgebra::{Matrix3, Vector3};

fn body(joint: JointSpec) -> LinkSpec {
    LinkSpec::new(joint).cuboid(1.0, Vector3::zeros(), Vector3::repeat(0.2))
}

fn refused(spec: LinkSpec) -> String {
    ModelBuilder::new().root(spec).expect_err("refused").to_string()
}

#[test]
fn links_that_make_no_sense_are_refused_with_the_value() {
    let z = JointSpec::revolute(Vector3::z());
    let with = |joint: JointSpec| refused(body(joint));
    assert_eq!(
        refused(LinkSpec { mass: -1.0, ..body(z) }),
        "link 0: mass must be finite and at least 0, got -1"
    );
    let nan = LinkSpec { center_of_mass: Vector3::new(0.0, f64::NAN, 0.0), ..body(z) };
    assert_eq!(refused(nan), "link 0: center_of_mass must be finite, got NaN");
    let skew = Matrix3::new(1.0, 0.5, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0);
    assert!(refused(LinkSpec { inertia: skew, ..body(z) }).contains("asymmetry of inertia must be at most"));
    let long = Matrix3::from_diagonal(&Vector3::new(1.0, 1.0, 3.0));
    assert!(refused(LinkSpec { inertia: long, ..body(z) }).ends_with("must be at most 0, got 1"));
    let negative = Matrix3::from_diagonal(&Vector3::new(1.0, 1.0, -0.5));
    assert!(refused(LinkSpec { inertia: negative, ..body(z) }).ends_with("at least 0, got -0.5"));
    let short = JointSpec::revolute(Vector3::zeros());
    assert!(with(short).contains("length of the joint's axis must be finite and above 1e-12, got 0"));
    assert!(with(z.damping(-2.0)).ends_with("damping must be finite and at least 0, got -2"));
    assert!(with(z.armature(f64::INFINITY)).ends_with("armature must be finite and at least 0, got inf"));
    assert!(with(z.friction(-0.1)).ends_with("friction must be finite and at least 0, got -0.1"));
    assert!(with(z.limits(1.0, 0.5)).ends_with("limits[1] must be finite and at least limits[0], got 0.5"));
    let ball = JointSpec::spherical().limits(-1.0, 1.0);
    assert!(with(ball).ends_with("limits needs a revolute or prismatic joint, got a spherical joint"));
    let mut uneven = JointSpec::spherical().motor(Motor::position(0.0, 5.0, 1.0));
    uneven.dofs[2].motor = Some(Motor::position(0.0, 6.0, 1.0));
    assert!(with(uneven).ends_with("must be the same (set them together), got 5 and 6"));
    let weak = Motor::position(0.0, -5.0, 0.0);
    assert!(with(z.motor(weak)).ends_with("motor.stiffness must be finite and at least 0, got -5"));
    let backwards = Motor::default().at_most(-1.0);
    assert!(with(z.motor(backwards)).contains("motor.max_force must be at least 0"));
}

#[test]
fn models_that_make_no_sense_are_refused() {
    assert_eq!(
        ModelBuilder::new().build().unwrap_err().to_string(),
        "a model must have at least one link, got 0"
    );
    let mut builder = ModelBuilder::new();
    let root = builder.root(body(JointSpec::free())).expect("valid");
    let second = builder.child(root, body(JointSpec::free())).unwrap_err().to_string();
    assert_eq!(second, "link 1: a link on another link needs a joint other than free, got a free joint");
    let mut other = ModelBuilder::new();
    let unknown = other.child(root, body(JointSpec::fixed())).unwrap_err().to_string();
    assert_eq!(unknown, "link 0 does not exist: the model has links 0 up to but not including 0");
    assert!(builder.gravity(Vector3::repeat(f64::NAN)).is_err());

    let mut empty = ModelBuilder::new();
    empty.root(LinkSpec::new(JointSpec::revolute(Vector3::z()))).expect("may carry others");
    let message = empty.build().unwrap_err().to_string();
    assert!(
        message.starts_with("degree of freedom 0 moves nothing") && message.contains("got 0"),
        "{message}"
    );
}

/// A link without mass may carry others: two of them make a universal joint.
#[test]
fn links_without_mass_carry_others() {
    let mut builder = ModelBuilder::new();
    let cross = builder.root(LinkSpec::new(JointSpec::revolute(Vector3::x()))).expect("valid");
    builder.child(cross, body(JointSpec::revolute(Vector3::y()))).expect("valid");
    assert_eq!(builder.build().expect("valid").dof_count(), 2);
}

#[test]
fn states_steps_and_closures_that_make_no_sense_are_refused() {
    let model = planar_pendulum(&[(1.0, 1.0), (1.0, 1.0)]);
    let mut state = State::zero(&model);
    let text =
        |outcome: Result<(), drystone_articulation::ArticulationError>| outcome.unwrap_err().to_string();
    assert_eq!(text(state.set_positions(&model, &[0.0])), "positions must have 2 entries, got 1");
    assert_eq!(
        text(state.set_velocities(&model, &[0.0, f64::INFINITY])),
        "velocities must be finite, got inf"
    );

    let mut arm = Articulation::new(model.clone(), StepConfig::default()).expect("valid");
    let before = arm.state().clone();
    assert_eq!(arm.step(0.0).unwrap_err().to_string(), "dt must be finite and above 0, got 0");
    assert_eq!(text(arm.add_joint_forces(&[1.0])), "joint forces must have 2 entries, got 1");
    assert_eq!(
        text(arm.set_dof(5, DofSpec::default())),
        "degree of freedom 5 does not exist: there are 2, counted from 0"
    );
    let link = model.link_index(1).expect("there");
    assert!(model.link_index(2).unwrap_err().to_string().starts_with("link 2 does not exist"));
    assert!(
        text(arm.add_force(link, &Vector3::repeat(f64::NAN), Vector3::zeros()))
            .starts_with("point must be finite")
    );
    assert!(
        text(arm.apply_impulse(link, &Vector3::zeros(), Vector3::repeat(f64::NAN)))
            .starts_with("impulse must")
    );
    let same = LoopSpec::point(Some(link), Vector3::zeros(), link, Vector3::zeros());
    let message = arm.add_loop(same).unwrap_err().to_string();
    assert_eq!(
        message,
        "a loop closure must join two different links or a link and the world, got link 1 twice"
    );
    let bent = LoopSpec::weld(None, Transform::translation(f64::NAN, 0.0, 0.0), link, Transform::identity());
    assert!(
        arm.add_loop(bent)
            .unwrap_err()
            .to_string()
            .starts_with("translation of a loop's frame must be finite")
    );
    assert!(arm.loop_force(0).unwrap_err().to_string().contains("got 0"));
    let tolerance = StepConfig { tolerance: 1.0, ..StepConfig::default() };
    assert_eq!(
        arm.set_config(tolerance).unwrap_err().to_string(),
        "tolerance must be in 1e-13 to 1e-2, got 1"
    );
    assert_eq!(*arm.state(), before, "nothing has changed");
}

/// Forces that no number can follow: an error, and the state is that before.
#[test]
fn motion_beyond_numbers_is_refused() {
    for integrator in [Integrator::RungeKutta, Integrator::SemiImplicit] {
        let config = StepConfig { integrator, ..StepConfig::default() };
        let mut arm = Articulation::new(planar_pendulum(&[(1.0, 1.0), (1.0, 1.0)]), config).expect("valid");
        let before = arm.state().clone();
        arm.add_joint_forces(&[1e305, -1e300]).expect("finite");
        let outcome = arm.step(1e3);
        match outcome {
            Err(error) => {
                assert!(error.to_string().starts_with("the state after 1000 s must be finite"), "{error}");
                assert_eq!(*arm.state(), before);
            }
            // Followed as far as parts go, and told.
            Ok(report) => assert!(report.flow_limit_hit, "{report:?}"),
        }
        arm.step(1e-3).expect("goes on");
    }
}

/// A zero quaternion has no direction.
#[test]
fn quaternions_are_scaled_or_refused() {
    let mut builder = ModelBuilder::new();
    builder.root(body(JointSpec::spherical())).expect("valid");
    let model = builder.build().expect("valid");
    let mut state = State::zero(&model);
    state.set_positions(&model, &[0.0, 0.0, 3.0, 4.0]).expect("scaled");
    assert!(
        state.positions().iter().zip([0.0, 0.0, 0.6, 0.8]).all(|(a, b): (&f64, f64)| (a - b).abs() < 1e-15)
    );
    let message = state.set_positions(&model, &[0.0; 4]).unwrap_err().to_string();
    assert_eq!(message, "length of a quaternion in positions must be above 1e-6, got 0");
}
