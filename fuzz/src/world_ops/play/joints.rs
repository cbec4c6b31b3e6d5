//! Joints, and settings that change while the world runs.

use super::super::{Hand, change_settings, place, seldom_wild_vector};
use crate::input::Input;
use drystone::math::Real;
use drystone::{CouplingSpec, JointAxis, JointKind, JointSpec, Motor, Softness, WorldConfig};

const KINDS: [JointKind; 10] = [
    JointKind::Distance,
    JointKind::Ball,
    JointKind::Hinge,
    JointKind::Slider,
    JointKind::Fixed,
    JointKind::ConeTwist,
    JointKind::Generic,
    JointKind::Screw,
    JointKind::Wheel,
    JointKind::SoftWeld,
];

/// Adds, changes or removes a joint.
pub(super) fn joints(hand: &mut Hand, input: &mut Input<'_>) {
    match input.below(8) {
        0..5 => return add(hand, input),
        5 => return couple(hand, input),
        _ => {}
    }
    let list = &hand.things.joints;
    let Some(&joint) = list.get(input.below(list.len())) else { return };
    let axis = JointAxis::ALL[input.below(JointAxis::ALL.len())];
    match input.below(7) {
        6 => {
            let angle = input.seldom_wild();
            hand.attempt(|world| world.set_steering(joint, angle));
        }
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
                // What couples it goes with it.
                let (joints, world) = (&mut hand.things.joints, &hand.world);
                joints.retain(|&other| other != joint && world.joint(other).is_ok());
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
        let axis = JointAxis::ALL[input.below(JointAxis::ALL.len())];
        let [lower, upper] = limits(input);
        spec = spec.axis_limits(axis, lower, upper);
    }
    let softness = match input.below(2) {
        0 => Softness::Stiffness { stiffness: input.scale() * 100.0, damping: input.seldom_wild().abs() },
        _ => Softness::Frequency { frequency: input.scale(), damping_ratio: input.seldom_wild().abs() },
    };
    spec = match spec.kind() {
        JointKind::Screw => spec.pitch(input.seldom_wild()),
        JointKind::Wheel => spec.suspension(softness).steering(input.seldom_wild()),
        JointKind::SoftWeld if input.below(2) == 0 => spec.linear_spring(softness),
        JointKind::SoftWeld => spec.angular_spring(softness),
        _ => spec,
    };
    if input.below(6) == 0 {
        spec = spec.breaks_above(input.scale() * 100.0, input.seldom_wild().abs() * 100.0);
    }
    spec = spec.collides(input.below(4) == 0);
    if let Some(joint) = hand.attempt(|world| world.add_joint(&spec)) {
        hand.things.joints.push(joint);
        assert_eq!(hand.world.joint(joint).expect("it was just added").bodies, [a, b]);
    }
}

/// Couples two joints, as a rule by coordinates that these have.
fn couple(hand: &mut Hand, input: &mut Input<'_>) {
    let list = &hand.things.joints;
    if list.is_empty() {
        return;
    }
    let joints = [(); 2].map(|()| list[input.below(list.len())]);
    let main = |joint| {
        let kind = hand.world.joint(joint).map(|joint| joint.kind);
        kind.ok().and_then(JointKind::main_axis).unwrap_or(JointAxis::Twist)
    };
    let axes = joints.map(main);
    let axes = if input.below(4) == 0 {
        [(); 2].map(|()| JointAxis::ALL[input.below(JointAxis::ALL.len())])
    } else {
        axes
    };
    let mut spec = CouplingSpec::new(joints, axes, [input.seldom_wild(), input.seldom_wild()]);
    if input.below(3) == 0 {
        let [least, greatest] = limits(input).map(f64::from);
        spec = spec.limits(least, greatest);
    }
    if input.below(6) == 0 {
        spec = spec.breaks_above(input.scale() * 100.0, input.seldom_wild().abs() * 100.0);
    }
    if let Some(coupling) = hand.attempt(|world| world.add_coupling(&spec)) {
        hand.things.joints.push(coupling);
        assert!(hand.world.joint(coupling).expect("it was just added").coupling.is_some());
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
    } else if input.below(2) == 0 {
        let (stiffness, damping) = (input.scale() * 100.0, input.scale());
        let [target, speed, force] = [(); 3].map(|()| input.seldom_wild());
        Motor::Servo { target, speed, stiffness, damping, force, max_force: most }
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
