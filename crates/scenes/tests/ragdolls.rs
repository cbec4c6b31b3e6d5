//! Regression: limbs that spin fast were spun up by their own joints.
//!
//! Symptom: of `ragdolls:200` without sleep 66 bodies were taken out of the world in step 50 and 143 in two seconds, since their state was no
//! number. Cause: an impulse found with the inertia at the begin of the step met the body turned by radians, along its length, where it turns
//! twenty times as easily (`bearable` in `crates/resolution/src/sub_step/spin.rs`).

use drystone_scenes::{RunOptions, Runner, scene};

/// The heap becomes one group of some 4000 contacts and joints, whose figures all threads share; it is the same to the bit at any number of them.
#[test]
fn a_pile_of_ragdolls_loses_nobody() {
    let hashes = [2, 1, 4].map(|threads| end_of_pile(threads, "true"));
    assert_eq!(hashes, [hashes[0]; 3]);
}

/// So does one by sweeps alone.
#[test]
fn a_pile_of_ragdolls_by_sweeps_loses_nobody() {
    assert_eq!(end_of_pile(2, "false"), end_of_pile(1, "false"));
}

/// The state of `ragdolls:200` after a second and a half, with or without direct solves of what hangs together.
fn end_of_pile(threads: usize, direct_joints: &str) -> u64 {
    let pile = scene("ragdolls:200").expect("known");
    let overrides = vec![("sub_step.direct_joints".into(), direct_joints.into())];
    let options =
        RunOptions { sleep: Some(false), seconds: Some(1.5), threads, overrides, ..RunOptions::default() };
    let mut runner = Runner::new(&pile, &options).expect("valid");
    let mut fastest: f32 = 0.0;
    while runner.step().expect("it runs") {
        let report = runner.report().expect("a step was made");
        assert!(report.quarantined.is_empty(), "step {}: {:?}", report.step, report.quarantined);
        fastest = runner.world().bodies().map(|body| body.linear_velocity.norm()).fold(fastest, f32::max);
    }
    // Falling reaches some 11 m/s.
    assert!(fastest < 30.0, "{fastest} m/s");
    let hash = runner.world().state_hash();
    assert_eq!(runner.finish().quality.lost, 0);
    hash
}
