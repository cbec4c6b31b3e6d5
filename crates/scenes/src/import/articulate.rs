//! The joints of a robot as articulations.

use super::Imported;
use super::overlaps::is_separation;
use crate::model::{ArticulationSpec, JointEntry, Kind, Scene};
use crate::run::{RunOptions, Runner};
use std::collections::BTreeMap;

/// Couplings that a note names at most.
const LISTED: usize = 3;

/// Makes one articulation of the joints of each robot; joints that make none stay constraints, and a note says why.
pub(super) fn articulate(imported: &mut Imported) {
    for joints in robots(&imported.scene) {
        let count = joints.len();
        if let Some(coupled) = coupled(&imported.scene, &joints) {
            imported.notes.push(format!(
                "{count} joints stay constraints: an articulation has no couplings, but {coupled}"
            ));
            continue;
        }
        imported.scene.articulations.push(ArticulationSpec { joints });
        // The engine knows what makes a tree.
        if let Err(error) = Runner::new(&imported.scene, &RunOptions::default()) {
            imported.scene.articulations.pop();
            imported
                .notes
                .push(format!("{count} joints stay constraints, as they make no articulation: {error}"));
        }
    }
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

/// Joints that hang together by bodies that move, in the order of the scene; each list begins with the first of its joints.
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
    let mut is_taken = vec![false; scene.joints.len()];
    let mut robots = Vec::new();
    for &(first, _) in &held {
        if std::mem::replace(&mut is_taken[first], true) {
            continue;
        }
        let (mut robot, mut at) = (vec![first], 0);
        while at < robot.len() {
            for name in &scene.joints[robot[at]].bodies {
                for &next in of_body.get(name.as_str()).into_iter().flatten() {
                    if !std::mem::replace(&mut is_taken[next], true) {
                        robot.push(next);
                    }
                }
            }
            at += 1;
        }
        robot.sort_unstable();
        robots.push(robot);
    }
    robots
}
