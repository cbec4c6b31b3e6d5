//! The joints of a robot as articulations.

use super::Imported;
use super::overlaps::is_separation;
use crate::model::{ArticulationSpec, JointEntry, Kind, Scene};
use crate::run::{RunOptions, Runner};
use std::collections::BTreeMap;

/// Makes one articulation of the joints of each robot; joints that make none stay constraints, and a note says why.
pub(super) fn articulate(imported: &mut Imported) {
    for joints in robots(&imported.scene) {
        let count = joints.len();
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
