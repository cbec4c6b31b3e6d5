//! A step that leaves a joint apart, or turned where that is locked, is not solved (`StepReport::is_solved`), whatever solved it. Trusted: geometry.

use super::*;
use drystone::math::{Position, Rotation, rotation_from_vector};
use drystone::{Anchor, JointHandle, JointSpec, SolverChoice, SubStepConfig};

/// Every way to solve joints.
fn methods() -> Vec<(&'static str, Sim)> {
    let sweeps = {
        let config = WorldConfig::fast();
        let SolverChoice::SubStep { config: sub_step } = config.solver.clone() else {
            panic!("`fast` is made of sub-steps")
        };
        let sub_step = SubStepConfig { direct_joints: false, ..sub_step };
        WorldConfig { solver: SolverChoice::SubStep { config: sub_step }, ..config }
    };
    let with = |name, config, hz: Real| {
        let world = World::new(config).expect("valid");
        (name, Sim { world, dt: 1.0 / hz })
    };
    vec![
        with("fast", WorldConfig::fast(), 60.0),
        with("sweeps", sweeps, 60.0),
        with("fine", WorldConfig::fine(), 1920.0),
        with("thesis_fast", WorldConfig::thesis_fast(), 240.0),
        with("thesis_accurate", WorldConfig::thesis_accurate(), 960.0),
    ]
}

/// A cube that joints hold.
fn held(world: &mut Sim) -> [BodyHandle; 2] {
    let post = world.add_body(BodySpec::fixed()).expect("room");
    [post, cube(world, Pose::at(0.0, 0.0, 0.0))]
}

fn add(world: &mut Sim, spec: &JointSpec) -> JointHandle {
    world.add_joint(spec).expect("valid")
}

#[test]
fn what_holds_is_solved() {
    for (name, mut world) in methods() {
        let [post, body] = held(&mut world);
        let joint = JointSpec::hinge(post, body).at(Position::new(0.1, 0.1, 0.0)).along(Vector3::z());
        let joint = add(&mut world, &joint);
        for _ in 0..world.steps(30) {
            world.tick();
            let report = world.report();
            assert!(report.is_solved && report.solver.turned_joints == 0, "{name}: {report:?}");
        }
        assert!(world.joint(joint).expect("it is there").error[0] < 1e-3);
    }
}

/// Two points of a body that are held 0.1 m farther from each other than they are.
#[test]
fn what_is_apart_is_not_solved() {
    for (name, mut world) in methods() {
        let [post, body] = held(&mut world);
        let joints = [-1.0, 1.0].map(|side: Real| {
            let anchor =
                |x: Real| Anchor::Local { origin: Vector3::x() * side * x, axes: Rotation::identity() };
            add(&mut world, &JointSpec::ball(post, body).anchored([anchor(0.15), anchor(0.1)]))
        });
        for _ in 0..world.steps(6) {
            world.tick();
            let report = world.report();
            let apart = joints.map(|joint| world.joint(joint).expect("it is there").error[0]);
            assert!(apart.iter().any(|&error| error > 0.01), "{name}: {apart:?}");
            assert!(!report.is_solved && report.solver.unsolved_joints > 0, "{name}: {report:?}");
        }
    }
}

/// Two joints that hold the body at different turns.
#[test]
fn what_is_turned_is_not_solved() {
    for (name, mut world) in methods() {
        let [post, body] = held(&mut world);
        let joints = [-0.1, 0.1].map(|turn: Real| {
            let anchor = |turn: Real| {
                let axes = rotation_from_vector(&(Vector3::y() * turn));
                Anchor::Local { origin: Vector3::zeros(), axes }
            };
            add(&mut world, &JointSpec::fixed(post, body).anchored([anchor(turn), anchor(0.0)]))
        });
        for _ in 0..world.steps(6) {
            world.tick();
            let report = world.report();
            let turned = joints.map(|joint| world.joint(joint).expect("it is there").error[1]);
            assert!(turned.iter().any(|&error| error > 0.05), "{name}: {turned:?}");
            assert!(!report.is_solved && report.solver.turned_joints > 0, "{name}: {report:?}");
        }
    }
}
