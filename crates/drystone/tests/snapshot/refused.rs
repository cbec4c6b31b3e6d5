//! What cannot be gone on from says why, and changes nothing.

use crate::common::*;
use drystone::math::Vector3;
use drystone::{ImpulseConfig, ImpulseSolver, PairMaterial, Snapshot, SnapshotError, WorldConfig};

fn started(config: &WorldConfig) -> Run {
    let mut run = Scene::on_ground().with_all(tower(3, 0.0, 0.0)).start(config, 1);
    run.steps(60.0, 0.5, |_| {});
    run
}

/// The refusal, after which the world goes on as if it had not been asked.
fn refusal(world: &mut drystone::World, snapshot: &Snapshot) -> SnapshotError {
    let before = world.snapshot();
    let error = world.restore(snapshot).expect_err("it differs");
    let hash = world.state_hash();
    world.step(1.0 / 60.0).expect("valid");
    let after = world.state_hash();
    world.restore(&before).expect("its own");
    assert_eq!(world.state_hash(), hash, "a refusal changes nothing");
    world.step(1.0 / 60.0).expect("valid");
    assert_eq!(world.state_hash(), after, "a refusal changes nothing");
    error
}

#[test]
fn an_empty_snapshot_is_refused() {
    let mut run = started(&WorldConfig::fast());
    let empty = Snapshot::default();
    assert!(empty.is_empty() && !run.world.snapshot().is_empty());
    assert_eq!(refusal(&mut run.world, &empty), SnapshotError::Empty);
}

#[test]
fn other_settings_are_named_with_both_values() {
    let mut run = started(&WorldConfig::fast());
    let mut config = WorldConfig::fast();
    config.set_field("sub_step.sub_steps", "4").expect("in range");
    let other = started(&config).world.snapshot();
    let expected = "the snapshot was taken with sub_step.sub_steps = 4, the world has 8";
    assert_eq!(refusal(&mut run.world, &other).to_string(), expected);

    let other = started(&WorldConfig::thesis_fast()).world.snapshot();
    let expected = "the snapshot was taken with solver = resolution, the world has sub_step";
    assert_eq!(refusal(&mut run.world, &other).to_string(), expected);

    // A broad phase with settings of its own, in either of the two.
    let mut uniform = WorldConfig::fast();
    uniform.set_field("detection.broad_phase", "uniform_grid").expect("it exists");
    let other = started(&uniform).world.snapshot();
    let expected = "the snapshot was taken with detection.broad_phase = uniform_grid, the world has tree";
    assert_eq!(refusal(&mut run.world, &other).to_string(), expected);
    let expected = "the snapshot was taken with detection.broad_phase = tree, the world has uniform_grid";
    assert_eq!(refusal(&mut started(&uniform).world, &run.world.snapshot()).to_string(), expected);

    let other = started(&WorldConfig::fast().planar()).world.snapshot();
    let SnapshotError::Setting { field, .. } = refusal(&mut run.world, &other) else { panic!("a setting") };
    assert_eq!(field, "settings", "locks have no name, and are compared");
}

#[test]
fn other_materials_are_refused() {
    let mut run = started(&WorldConfig::fast());
    let snapshot = run.world.snapshot();
    let slippery = PairMaterial { kinetic_friction: 0.01, static_friction: 0.01, ..PairMaterial::default() };
    run.world.materials_mut().set_all_pairs(slippery).expect("valid");
    let expected =
        "materials differ: the snapshot was taken with 5 of them, the world has 5, of other values";
    assert_eq!(refusal(&mut run.world, &snapshot).to_string(), expected);
}

#[test]
fn another_method_is_refused() {
    let mut run = started(&WorldConfig::fast());
    let snapshot = run.world.snapshot();
    run.world.set_solver(Box::new(ImpulseSolver::new(ImpulseConfig::fast()))).expect("no joints");
    let SnapshotError::Method { world, snapshot } = refusal(&mut run.world, &snapshot) else {
        panic!("the method differs");
    };
    assert!(world.contains("ImpulseSolver") && snapshot.contains("SubStepSolver"), "{world}, {snapshot}");
}

#[test]
fn gravity_and_forces_are_those_of_then() {
    let mut run = started(&WorldConfig::fast());
    let gravity = run.world.config().gravity;
    let force = Vector3::new(0.1, 0.0, 0.0);
    run.world.add_force(run.bodies[1], force, Vector3::zeros()).expect("dynamic");
    let snapshot = run.world.snapshot();
    run.step(60.0);
    let pushed = run.world.state_hash();
    run.world.set_gravity(Vector3::x()).expect("finite");
    run.world.set_global_force(Vector3::y()).expect("finite");
    run.step(60.0);
    run.world.restore(&snapshot).expect("gravity is state");
    assert_eq!((run.world.config().gravity, run.world.config().global_force), (gravity, Vector3::zeros()));
    run.step(60.0);
    assert_eq!(run.world.state_hash(), pushed, "the force that waited for the step acts again");
}

#[test]
fn a_body_added_since_is_gone_and_one_removed_is_back_with_its_handle() {
    let mut run = started(&WorldConfig::fast());
    let snapshot = run.world.snapshot();
    assert_eq!((snapshot.body_count(), snapshot.step_index()), (4, 30));
    let added = run.world.add_body(ball(0.1, 0.0, 2.0, 0.0)).expect("valid");
    run.world.remove_body(run.bodies[3]).expect("it exists");
    run.step(60.0);
    run.world.restore(&snapshot).expect("the same world");
    assert!(run.world.body(added).is_err() && run.world.body(run.bodies[3]).is_ok());
    assert_eq!(run.world.body_count(), 4);
    let again = run.world.add_body(ball(0.1, 0.0, 2.0, 0.0)).expect("valid");
    assert_eq!(again, added, "handles follow from the history of calls");
}
