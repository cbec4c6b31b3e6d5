//! Islands that take few sub-steps (`sub_step.low_pile_height`). Trusted: the report's count of solves, statics.

use crate::common::*;
use crate::{HZ, fast_awake};
use drystone::math::{Pose, Real, Vector3};
use drystone::{BodySpec, SolverChoice, SubStepConfig, SubStepSolver, WorldConfig};

/// Settings with which nothing is held: what is counted is how often a step that moves solves.
fn settings(change: impl Fn(&mut SubStepConfig)) -> SubStepConfig {
    let mut config = SubStepConfig { resting_speed: 0.0, ..SubStepConfig::default() };
    change(&mut config);
    config
}

/// A world with them, without sleep.
fn with(change: impl Fn(&mut SubStepConfig)) -> WorldConfig {
    WorldConfig { solver: SolverChoice::SubStep { config: settings(change) }, ..fast_awake() }
}

/// Whether the islands of this scene take half of the sub-steps in the first step.
fn is_coarse(scene: &Scene, config: &WorldConfig) -> bool {
    is_coarse_after(scene, config, |_| ())
}

/// The same in the step after `prepare`.
fn is_coarse_after(scene: &Scene, config: &WorldConfig, prepare: impl Fn(&mut Run)) -> bool {
    let solves = |config: &WorldConfig| {
        let mut run = scene.start(config, 1);
        prepare(&mut run);
        run.step(HZ).iterations
    };
    let all = solves(&with(|c| c.low_pile_sub_steps = c.sub_steps));
    match solves(config) {
        some if 2 * some == all => true,
        some if some == all => false,
        some => panic!("{some} solves, all sub-steps take {all}"),
    }
}

#[test]
fn what_is_low_takes_few_and_what_is_high_takes_all() {
    let config = with(|_| ());
    // Six and fourteen rows.
    assert!(is_coarse(&Scene::on_ground().with_all(pyramid(6)), &config));
    assert!(!is_coarse(&Scene::on_ground().with_all(pyramid(14)), &config));
    let higher = with(|c| c.low_pile_height = 20.0);
    assert!(is_coarse(&Scene::on_ground().with_all(pyramid(14)), &higher));
    // Small islands take all.
    assert!(!is_coarse(&Scene::on_ground().with_all(pyramid(4)), &config));
}

/// Few sub-steps keep awake what could rest (`sub_step.settling_speed`).
#[test]
fn what_is_calm_takes_all_where_it_may_fall_asleep() {
    let scene = Scene::on_ground().with_all(pyramid(6));
    let may_sleep = |change: fn(&mut SubStepConfig)| {
        let mut config = with(change);
        config.sleeping.enabled = true;
        config
    };
    assert!(is_coarse(&scene, &with(|_| ())), "nobody may fall asleep");
    assert!(!is_coarse(&scene, &may_sleep(|_| ())));
    assert!(is_coarse(&scene, &may_sleep(|c| c.settling_speed = 0.0)));
    // Of 21 boxes on the ground.
    let moving = |count: usize| {
        move |run: &mut Run| {
            for k in 1..=count {
                let along = Vector3::new(0.0, 0.0, 0.5);
                run.world.set_velocity(run.bodies[k], along, Vector3::zeros()).expect("finite");
            }
        }
    };
    assert!(!is_coarse_after(&scene, &may_sleep(|_| ()), moving(10)));
    assert!(is_coarse_after(&scene, &may_sleep(|_| ()), moving(11)));
}

/// Gaps are taken where kinematic bodies are, in one rhythm for all.
#[test]
fn beside_what_is_kinematic_all_take_all() {
    let lift = BodySpec::kinematic().pose(Pose::at(30.0, 10.0, 0.0)).collider(block(0.5, 0.5, 0.5));
    let scene = Scene::on_ground().with_all(pyramid(6)).with(lift);
    assert!(is_coarse(&scene, &with(|_| ())), "it stands still");
    let goes_up = |run: &mut Run| {
        let lift = *run.bodies.last().expect("it was added");
        run.world.set_velocity(lift, Vector3::new(0.0, 1.0, 0.0), Vector3::zeros()).expect("finite");
    };
    assert!(!is_coarse_after(&scene, &with(|_| ()), goes_up));
}

/// A pile carries on what it carried when the number of sub-steps changes from step to step, as it does when an island
/// becomes low or high: impulses are remembered for a step, not for a sub-step.
#[test]
fn a_pile_stays_when_its_pace_changes() {
    let scene = Scene::on_ground().with_all(pyramid(6));
    let mut run = scene.start(&with(|_| ()), 1);
    run.steps(HZ, 1.0, |_| ());
    let (mut fastest, mut solves) = (0.0_f32, [0_u64; 2]);
    for k in 0..60 {
        let height = if k % 2 == 0 { 3.0 } else { 12.0 };
        let method = SubStepSolver::new(settings(|c| c.low_pile_height = height));
        run.world.set_solver(Box::new(method)).expect("no joints");
        solves[k % 2] += run.step(HZ).iterations;
        let speeds = (1..=21).map(|i| run.linear(i).norm());
        fastest = speeds.fold(fastest, Real::max);
    }
    assert_eq!(solves[0], 2 * solves[1], "both paces were taken");
    // With impulses of half or twice the size the first sub-step alone would be off by g dt / 8 = 20 mm/s.
    assert!(fastest < 1e-4, "{fastest} m/s");
    let way = (1..=21).map(|i| run.way(i).norm()).fold(0.0, f64::max);
    assert!(way < 1e-5, "{way} m");
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let hash = |threads| {
        let scene = Scene::on_ground().with_all(heap(60, 0.0, 0.0, 5)).with_all(tower(16, 20.0, 0.0));
        let mut run = scene.start(&with(|_| ()), threads);
        run.world.add_impulse(run.bodies[70], Vector3::new(1.0, 0.0, 0.0), Vector3::zeros()).expect("finite");
        run.steps(HZ, 2.0, |_| ());
        run.world.state_hash()
    };
    assert_eq!(hash(1), hash(3));
}
