//! The joints of a robot as articulations.

use super::overlaps::is_separation;
use crate::model::{ArticulationSpec, JointEntry, Kind, RotorSpec, Scene};
use crate::run::{RunOptions, Runner};
use std::collections::BTreeMap;

/// Couplings that a note names at most.
const LISTED: usize = 3;

/// Makes one articulation of the joints of each robot, with their rotors. Says of which joints it made none, and why: these stay constraints.
pub(super) fn articulate(scene: &mut Scene, rotors: &[RotorSpec]) -> Vec<String> {
    let mut reasons = Vec::new();
    for joints in robots(scene) {
        let count = joints.len();
        if let Some(coupled) = coupled(scene, &joints) {
            reasons.push(format!(
                "{count} joints stay constraints: an articulation has no couplings, but {coupled}"
            ));
            continue;
        }
        let own = rotors.iter().filter(|rotor| joints.contains(&rotor.joint)).copied().collect();
        scene.articulations.push(ArticulationSpec { joints, rotors: own });
        // The engine knows what makes a tree.
        if let Err(error) = Runner::new(scene, &RunOptions::default()) {
            scene.articulations.pop();
            reasons.push(format!("{count} joints stay constraints, as they make no articulation: {error}"));
        }
    }
    reasons
}

/// Which of some joints are coupled, and to which, in words; `None` where none is.
fn coupled(scene: &Scene, joints: &[usize]) -> Option<String> {
    let names: Vec<&str> = joints.iter().filter_map(|&joint| scene.joints[joint].name.as_deref()).collect();
    let own = scene
        .couplings
        .iter()
        .filter(|coupling| coupling.joints.iter().any(|name| names.contains(&name.as_str())));
    let own: Vec<String> =
        own.map(|coupling| format!("{:?} goes with {:?}", coupling.joints[0], coupling.joints[1])).collect();
    let rest = own.len().saturating_sub(LISTED);
    let listed = own.get(..own.len().min(LISTED)).filter(|listed| !listed.is_empty())?.join(", ");
    Some(if rest > 0 { format!("{listed} and so on ({rest} more)") } else { listed })
}

/// Joints that hang together by bodies that move, or are coupled, in the order of the scene; each list begins with the first of its joints.
fn robots(scene: &Scene) -> Vec<Vec<usize>> {
    let moves = |name: &str| scene.bodies.iter().any(|body| body.name == name && body.kind == Kind::Dynamic);
    let held: Vec<(usize, &JointEntry)> =
        scene.joints.iter().enumerate().filter(|(_, joint)| !is_separation(joint)).collect();
    let mut of_body: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for &(index, joint) in &held {
        for name in joint.bodies.iter().map(String::as_str).filter(|name| moves(name)) {
            of_body.entry(name).or_default().push(index);
        }
    }
    let named = |name: &str| scene.joints.iter().position(|joint| joint.name.as_deref() == Some(name));
    let couplings: Vec<[Option<usize>; 2]> =
        scene.couplings.iter().map(|coupling| [0, 1].map(|k: usize| named(&coupling.joints[k]))).collect();
    let mut is_taken = vec![false; scene.joints.len()];
    let mut robots = Vec::new();
    for &(first, _) in &held {
        if std::mem::replace(&mut is_taken[first], true) {
            continue;
        }
        let (mut robot, mut at) = (vec![first], 0);
        while at < robot.len() {
            let of_bodies =
                scene.joints[robot[at]].bodies.iter().filter_map(|name| of_body.get(name.as_str()));
            let coupled = couplings.iter().filter(|pair| pair.contains(&Some(robot[at]))).flatten().flatten();
            let next: Vec<usize> = of_bodies.flatten().chain(coupled).copied().collect();
            robot.extend(next.into_iter().filter(|&next| !std::mem::replace(&mut is_taken[next], true)));
            at += 1;
        }
        robot.sort_unstable();
        robots.push(robot);
    }
    robots
}
