//! Inverse kinematics.

use crate::support::{kinematics, random_state, seven_link_arm};
use drystone_articulation::{ReachConfig, State, Transform, reach};
use nalgebra::{Translation3, Vector3};

/// Poses that the arm can take are found, from where it stands, within its limits.
#[test]
fn poses_within_reach_are_found() {
    let model = seven_link_arm(|joint| joint.limits(-2.6, 2.6));
    let hand = model.link_index(6).expect("there");
    let tool = Transform::translation(0.0, 0.02, 0.1);
    let (mut found, mut rounds) = (0, 0);
    for seed in 0..50 {
        let mut goal = random_state(&model, seed, 0.0);
        let wide: Vec<f64> = goal.positions().iter().map(|q| 1.5 * q).collect();
        goal.set_positions(&model, &wide).expect("finite");
        let target = kinematics(&model, &goal).pose(hand) * tool;
        let mut state = State::zero(&model);
        state.set_positions(&model, &[0.3; 7]).expect("finite");
        let reached =
            reach(&model, &mut state, hand, &tool, &target, &ReachConfig::default()).expect("valid");
        assert!(state.positions().iter().all(|q| q.abs() <= 2.6));
        let pose = kinematics(&model, &state).pose(hand) * tool;
        let distance = (pose.translation.vector - target.translation.vector).norm();
        assert!((distance - reached.distance).abs() < 1e-12, "what is told is what is there");
        if reached.converged {
            assert!(distance < 1e-6 && pose.rotation.angle_to(&target.rotation) < 2e-6);
            found += 1;
            rounds += reached.iterations;
        }
    }
    println!("{found} of 50, {} rounds each", f64::from(rounds) / f64::from(found));
    assert!(found >= 45, "{found} of 50");
}

/// Out of reach the arm stretches towards the point, and the distance that is left is told.
#[test]
fn what_is_out_of_reach_is_approached() {
    let model = seven_link_arm(|joint| joint);
    let hand = model.link_index(6).expect("there");
    let mut state = State::zero(&model);
    state.set_positions(&model, &[0.2; 7]).expect("finite");
    let target =
        Transform::from_parts(Translation3::new(3.0, 0.0, 0.15), nalgebra::UnitQuaternion::identity());
    let config = ReachConfig { meters_per_radian: 0.0, ..ReachConfig::default() };
    let reached = reach(&model, &mut state, hand, &Transform::identity(), &target, &config).expect("valid");
    assert!(!reached.converged);
    // From the second joint the hand is 0.9 m away at most: 0.2 + 0.2 + 0.2 + 0.2 + 0.1.
    assert!((reached.distance - (3.0 - 0.9)).abs() < 1e-4, "{reached:?}");
}

/// A joint that is on its limit stays there, and the others do what they can.
#[test]
fn limits_are_kept() {
    let model = seven_link_arm(|joint| joint.limits(-0.3, 0.3));
    let hand = model.link_index(6).expect("there");
    let mut state = State::zero(&model);
    state.set_positions(&model, &[0.0, 0.1, 0.0, 0.1, 0.0, 0.1, 0.0]).expect("finite");
    let target =
        Transform::from_parts(Translation3::new(0.9, 0.0, 0.15), nalgebra::UnitQuaternion::identity());
    let config = ReachConfig { meters_per_radian: 0.0, ..ReachConfig::default() };
    let reached = reach(&model, &mut state, hand, &Transform::identity(), &target, &config).expect("valid");
    assert!(!reached.converged);
    let bent = [1, 3].map(|k| state.positions()[k]);
    assert!(bent.iter().all(|q| (q - 0.3).abs() < 1e-9), "{:?}", state.positions());
    assert!(state.positions().iter().all(|q| q.abs() <= 0.3));
}

#[test]
fn settings_out_of_range_are_refused() {
    let model = seven_link_arm(|joint| joint);
    let hand = model.link_index(6).expect("there");
    let (mut state, here) = (State::zero(&model), Transform::identity());
    let config = ReachConfig { damping: 0.0, ..ReachConfig::default() };
    let message = reach(&model, &mut state, hand, &here, &here, &config).unwrap_err().to_string();
    assert_eq!(message, "damping must be finite and above 0, got 0");
    let config = ReachConfig { meters_per_radian: f64::NAN, ..ReachConfig::default() };
    assert!(reach(&model, &mut state, hand, &here, &here, &config).is_err());
    assert!((Vector3::<f64>::zeros() - here.translation.vector).norm() == 0.0);
}
