//! Joints, and settings that change while the world runs.

use super::super::{Hand, change_settings, place, seldom_wild_vector};
use crate::input::Input;
use drystone::math::Real;
use drystone::{JointAxis, JointKind, JointSpec, Motor, WorldConfig};

const KINDS: [JointKind; 7] = [
    JointKind::Distance,
    JointKind::Ball,
    JointKind::Hinge,
    JointKind::Slider,
    JointKind::Fixed,
    JointKind::ConeTwist,
    JointKind::Generic,
];

const AXES: [JointAxis; 7] = [
    JointAxis::X,
    JointAxis::Y,
    JointAxis::Z,
    JointAxis::Twist,
    JointAxis::SwingY,
    JointAxis::SwingZ,
    JointAxis::Distance,
];

/// Adds, changes or removes a joint.
pub(super) fn joints(hand: &mut Hand, input: &mut Input<'_>) {
    if input.below(8) < 5 {
        return add(hand, input);
    }
    let list = &hand.things.joints;
    let Some(&joint) = list.get(input.below(list.len())) else { return };
    let axis = AXES[input.below(AXES.len())];
    match input.below(6) {
        0 => {
            let motor = (input.below(4) != 0).then(|| motor(input));
            hand.attempt(|world| world.set_motor(joint, axis, motor));
        }
        1 => {
            let limits = limits(input);
            hand.attempt(|world| world.set_joint_limits(joint, axis, limits));
        }
        2 => {
            let friction = input.seldom_wild().abs();
            hand.attempt(|world| world.set_joint_friction(joint, axis, friction));
        }
        3 => {
            if hand.attempt(|world| world.remove_joint(joint)).is_some() {
                hand.things.joints.retain(|&other| other != joint);
                assert!(hand.world.joint(joint).is_err(), "{joint:?} was removed");
            }
        }
        _ => {
            let dt = if input.below(4) == 0 { input.wild() } else { 1.0 / 60.0 };
            let hash = hand.world.state_hash();
            if let Ok(findings) = hand.world.lint(dt) {
                assert!(findings.iter().all(|finding| !finding.value.is_nan()), "{findings:?}");
            }
            assert_eq!(hand.world.state_hash(), hash, "lint changed something");
        }
    }
}

fn add(hand: &mut Hand, input: &mut Input<'_>) {
    let (Some(a), Some(b)) = (hand.any_body(input), hand.any_body(input)) else { return };
    let mut spec = JointSpec::new(KINDS[input.below(KINDS.len())], a, b);
    // As a rule between the bodies' origins, where they are held together; else anywhere.
    let origins = [a, b].map(|body| hand.world.pose(body).map(|pose| pose.translation));
    spec = match (origins, input.below(4)) {
        ([Ok(a), Ok(b)], 0) => spec.between(a, b),
        ([Ok(a), Ok(b)], 1 | 2) => spec.at(a + (b - a) * 0.5),
        _ => spec.between(place(input), place(input)),
    };
    if input.below(2) == 0 {
        spec = spec.along(if input.below(4) == 0 { seldom_wild_vector(input) } else { input.direction() });
    }
    if input.below(3) == 0 {
        let [lower, upper] = limits(input);
        spec = spec.limits(lower, upper);
    }
    if input.below(3) == 0 {
        spec = spec.motor(motor(input));
    }
    if input.below(4) == 0 {
        spec = spec.friction(input.seldom_wild().abs());
    }
    if input.below(4) == 0 {
        spec = spec.cone(input.seldom_wild().abs());
    }
    if input.below(4) == 0 {
        let axis = AXES[input.below(AXES.len())];
        let [lower, upper] = limits(input);
        spec = spec.axis_limits(axis, lower, upper);
    }
    if input.below(6) == 0 {
        spec = spec.breaks_above(input.scale() * 100.0, input.seldom_wild().abs() * 100.0);
    }
    spec = spec.collides(input.below(4) == 0);
    if let Some(joint) = hand.attempt(|world| world.add_joint(&spec)) {
        hand.things.joints.push(joint);
        assert_eq!(hand.world.joint(joint).expect("it was just added").bodies, [a, b]);
    }
}

fn limits(input: &mut Input<'_>) -> [Real; 2] {
    let (a, b) = (input.seldom_wild(), input.seldom_wild());
    // Mostly in order.
    if input.below(8) == 0 { [a, b] } else { [a.min(b), a.max(b)] }
}

fn motor(input: &mut Input<'_>) -> Motor {
    let most = if input.below(2) == 0 { input.scale() * 100.0 } else { input.seldom_wild().abs() };
    if input.below(2) == 0 {
        Motor::Speed { speed: input.seldom_wild(), most }
    } else {
        let (stiffness, damping) = (input.scale() * 100.0, input.scale());
        Motor::Spring { target: input.seldom_wild(), stiffness, damping, most }
    }
}

/// Other settings for a world that runs: another preset, or some values of the present one.
pub(super) fn settings(hand: &mut Hand, input: &mut Input<'_>) {
    let old = hand.world.config().clone();
    let kind = input.below(6);
    let mut config = match kind {
        0 => WorldConfig::nsgs(),
        1 => WorldConfig::lcp(),
        2 => WorldConfig::fine(),
        3 => WorldConfig::fast(),
        _ => old.clone(),
    };
    if kind < 4 {
        config.detection.broad_phase = old.detection.broad_phase;
        (config.locks, config.gravity, config.events) = (old.locks, old.gravity, old.events);
    } else {
        change_settings(&mut config, input);
    }
    if hand.attempt(|world| world.set_config(config.clone())).is_some() {
        assert_eq!(hand.world.config(), &config);
        // The methods that solve groups jointly take far longer for a step.
        if matches!(kind, 0 | 1) {
            hand.most_steps = hand.most_steps.min(hand.steps + 6);
        }
    }
}
