//! Joint solves behind a fast method (S3-33). Trusted: that ten boxes of 1 kg carry 1000 kg where friction and weight say so.

use drystone::World;
use drystone_scenes::{Preset, RunOptions, run_scene, scene};

/// Three seconds of the tower under 1000 times the weight of a box: how far a body drifted (m), how many groups were solved again, and the state.
fn tower(escalates: bool, threads: usize) -> (f64, u32, u64) {
    let overrides = vec![("escalation.enabled".to_owned(), escalates.to_string())];
    let options = RunOptions {
        preset: Preset::ThesisFast,
        seconds: Some(3.0),
        sleep: Some(false),
        threads,
        overrides,
        ..RunOptions::default()
    };
    let (mut groups, mut hash) = (0, 0);
    let outcome = run_scene(&scene("mass_ratio:1000").expect("listed"), &options, |world: &World, report| {
        let report = &report.solver;
        groups += report.escalated_islands;
        hash = world.state_hash();
        if report.escalated_islands > 0 {
            assert!(report.escalated_after < 0.1 * report.escalated_before, "{report:?}");
        }
    })
    .expect("it runs");
    (outcome.quality.drift_max_m, groups, hash)
}

#[test]
fn a_tower_falls_with_a_fast_method_alone_and_stands_with_a_joint_solve_behind_it() {
    let (alone, none, _) = tower(false, 1);
    let (carried, some, one) = tower(true, 1);
    assert!(alone > 0.05 && none == 0, "{alone} m, {none} groups");
    // A millimetre, a hundredth of a box's edge.
    assert!(carried < 1e-3 && some > 0, "{carried} m, {some} groups");
    assert_eq!(tower(true, 3).2, one, "the state depends on threads");
}
