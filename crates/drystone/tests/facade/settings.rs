//! Settings that change while a world runs (`World::set_config`, `set_solver`). Trusted: a pile that stands goes on standing, whatever solves it, and what is refused
//! changes nothing.

use crate::common::*;
use drystone::math::{Position, Vector3};
use drystone::{
    BodySpec, BroadPhaseChoice, ColliderSpec, ImpulseSolver, JointSpec, Shape, SolverChoice, World,
    WorldConfig, WorldError,
};

/// Settings of another preset for a world that has the broad phase of `world`.
fn other(world: &World, preset: &str) -> WorldConfig {
    let mut config = WorldConfig::preset(preset).expect("a preset");
    config.detection.broad_phase.clone_from(&world.config().detection.broad_phase);
    config
}

fn refused(world: &mut World, config: WorldConfig) -> WorldError {
    let (before, hash) = (world.config().clone(), world.state_hash());
    let error = world.set_config(config).expect_err("it is refused");
    assert_eq!((world.config(), world.state_hash()), (&before, hash), "nothing changes: {error}");
    error
}

#[test]
fn a_wall_stands_on_through_every_solver() {
    let scene = Scene::on_ground().with_all(pyramid(8));
    let mut run = scene.start(&WorldConfig::fast(), 1);
    run.steps(60.0, 2.0, |_| ());
    for preset in WorldConfig::PRESETS.iter().chain(["fast"].iter()) {
        let config = other(&run.world, preset);
        run.world.set_config(config.clone()).expect(preset);
        assert_eq!(run.world.config(), &config);
        let hz = if *preset == "thesis_accurate" { 960.0 } else { 240.0 };
        run.steps(hz, 0.5, |_| ());
        let ways = (1..run.bodies.len()).map(|body| run.way(body).norm());
        let most = ways.fold(0.0, f64::max);
        assert!(most < 2e-3, "{preset}: {most} m");
    }
}

#[test]
fn what_sleeps_wakes_and_falls_where_gravity_and_margins_are_others() {
    let mut run = Scene::on_ground().with_all(tower(3, 0.0, 0.0)).start(&WorldConfig::fast(), 1);
    run.until_asleep(60.0, &[1, 2, 3]);
    let config = WorldConfig { gravity: [2.0, 9.81, 0.0].into(), ..run.world.config().clone() };
    run.world.set_config(config).expect("in range");
    assert!((1..=3).all(|body| !run.is_asleep(body)));
    run.steps(60.0, 1.0, |_| ());
    for body in 1..=3 {
        let [x, y] = [run.way(body).x, run.way(body).y];
        // Half a step of the path goes with the steps' own integration.
        assert!((x - 1.0).abs() < 0.05 && (y - 4.9).abs() < 0.2, "{body}: {x} {y}");
    }
}

/// A pile at rest, on a mesh too, is not looked at; with other settings each pair is looked at once.
#[test]
fn contacts_at_rest_are_looked_at_anew() {
    let mut sleepless = WorldConfig::fast();
    sleepless.sleeping.enabled = false;
    let floor = Shape::mesh(
        &[[-9.0, 0.0, -9.0], [-9.0, 0.0, 9.0], [9.0, 0.0, 9.0], [9.0, 0.0, -9.0]].map(Vector3::from),
        &[[0, 1, 2], [0, 2, 3]],
    );
    let floor = BodySpec::fixed().collider(ColliderSpec::new(floor.expect("a mesh")));
    let mut run = Scene::default().with(floor).with_all(tower(3, 0.0, 0.0)).start(&sleepless, 1);
    run.steps(60.0, 4.0, |_| ());
    let report = run.world.report();
    assert_eq!((report.skipped_pairs, report.examined_pairs > 0), (report.examined_pairs, true), "at rest");
    let mut config = run.world.config().clone();
    config.detection.seam_height *= 1.5;
    run.world.set_config(config).expect("in range");
    let report = run.step(60.0);
    assert_eq!((report.skipped_pairs, report.examined_pairs > 0), (0, true), "all anew");
}

/// Settings that are put back are as if they had never changed, but for who sleeps: nobody did yet.
#[test]
fn the_same_settings_again_change_nothing() {
    let scene = Scene::on_ground().with_all(heap(30, 0.0, 0.0, 5));
    let mut runs = [1, 1].map(|threads| scene.start(&WorldConfig::fast(), threads));
    for step in 0..60 {
        if step == 20 {
            let config = runs[0].world.config().clone();
            runs[0].world.set_config(config).expect("in range");
        }
        runs.iter_mut().for_each(|run| drop(run.step(60.0).clone()));
        assert_eq!(runs[0].world.state_hash(), runs[1].world.state_hash(), "step {step}");
    }
}

#[test]
fn what_is_chosen_once_is_refused_and_nothing_changes() {
    let mut run = Scene::on_ground().with_all(tower(2, 0.0, 0.0)).start(&WorldConfig::fast(), 1);
    run.steps(60.0, 0.2, |_| ());
    let world = &mut run.world;
    let mut config = world.config().clone();
    config.detection.broad_phase = BroadPhaseChoice::BruteForce;
    assert_eq!(refused(world, config), WorldError::Fixed("detection.broad_phase"));
    let config = world.config().clone().planar();
    assert_eq!(refused(world, config), WorldError::Fixed("locks"));
    let mut config = world.config().clone();
    config.events.proximity_begin = true;
    assert_eq!(refused(world, config), WorldError::Fixed("events.proximity"));
    let mut config = world.config().clone();
    config.detection.box_growth = -1.0;
    let error = refused(world, config);
    assert!(matches!(error, WorldError::OutOfRange { field: "detection.box_growth", .. }), "{error}");
}

/// A method that knows no joints would let them go without a word.
#[test]
fn joints_are_never_left_without_a_solver() {
    let mut run = Scene::on_ground().with_all(tower(2, 0.0, 0.0)).start(&WorldConfig::fast(), 1);
    let [a, b] = [run.bodies[1], run.bodies[2]];
    let joint = run.world.add_joint(&JointSpec::ball(a, b).at(Position::new(0.0, 1.0, 0.0)));
    let joint = joint.expect("two bodies");
    let mut accumulating = other(&run.world, "thesis_fast");
    accumulating.set_field("resolution.accumulate", "true").expect("a switch");
    let error = refused(&mut run.world, accumulating.clone());
    assert!(matches!(error, WorldError::NoJoints(_)), "{error}");
    let SolverChoice::Impulse { config, .. } = accumulating.solver else { panic!("it is impulses") };
    let error = run.world.set_solver(Box::new(ImpulseSolver::new(config))).expect_err("it knows no joints");
    assert_eq!(
        error.to_string(),
        "the method ImpulseSolver solves no joints; presets with sub_step do (`fast`, `fine`), with one problem per group (`nsgs`, `lcp`), and \
         with impulses that do not accumulate (`thesis_fast`, `thesis_accurate`)"
    );
    for preset in ["fine", "thesis_fast", "thesis_accurate", "nsgs", "lcp"] {
        let config = other(&run.world, preset);
        run.world.set_config(config).expect("it knows joints");
        run.steps(240.0, 0.1, |_| ());
        assert!(run.world.joint(joint).expect("it is there").error[0] < 1e-4, "{preset}");
    }
    run.world.remove_joint(joint).expect("it is there");
    let mut accumulating = other(&run.world, "thesis_fast");
    accumulating.set_field("resolution.accumulate", "true").expect("a switch");
    run.world.set_config(accumulating).expect("no joint is left");
}
