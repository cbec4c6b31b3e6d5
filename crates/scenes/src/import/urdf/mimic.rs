//! `mimic`: joints that go with others, `value = multiplier * other + offset`, by default 1 and 0.

use crate::error::SceneError;
use crate::import::rig::{Mimic, Motion, Rig};
use crate::import::xml::{Source, child};
use drystone::math::Real;
use roxmltree::Node;
use std::collections::BTreeSet;
use std::f32::consts::PI;

/// A joint, and its hold; `None` for one that holds nothing.
type Entry<'a> = (Node<'a, 'a>, Option<usize>);

/// Makes joints go with those that their `mimic` names. A joint that goes with a fixed one is held.
pub(super) fn read(source: &Source<'_>, joints: &[Entry<'_>], rig: &mut Rig) -> Result<(), SceneError> {
    let mut leaders = vec![None; joints.len()];
    for (follower, &(node, hold)) in joints.iter().enumerate() {
        let Some(mimic) = child(node, "mimic") else { continue };
        // Of other joints it is noted as what these have not.
        let Some(hold) = hold.filter(|_| has_one_value(node)) else { continue };
        let leader = leader_of(source, node, mimic, joints)?;
        let number = |name: &str, usual: f64| source.array(mimic, name, [usual]).map(|[value]| value);
        let (ratio, offset) = (number("multiplier", 1.0)?, number("offset", 0.0)?);
        if let Some(reason) = Mimic::refusal(ratio) {
            return Err(source.fault(mimic, format!("multiplier {reason}")));
        }
        for other in mimic.attributes().map(|own| own.name()) {
            if !matches!(other, "joint" | "multiplier" | "offset") {
                rig.notes.push(format!("left out: `{other}` of `mimic`"));
            }
        }
        leaders[follower] = Some(leader);
        let (other, of) = joints[leader];
        let names = [node, other].map(|node| format!("{:?}", node.attribute("name").unwrap_or("")));
        let held = match (other.attribute("type"), ratio == 0.0) {
            (Some("fixed"), _) => Some(format!("since it goes with joint {}, which is fixed", names[1])),
            (_, true) => Some(format!("since the multiplier by which it goes with joint {} is 0", names[1])),
            _ => None,
        };
        if let Some(reason) = held {
            hold_at(rig, hold, offset as Real, &names[0], &reason);
        } else if let (Some(own), Some(leader)) =
            (rig.number_of(hold, 0), of.and_then(|of| rig.number_of(of, 0)))
        {
            rig.mimics.push(Mimic { names, dofs: [own, leader], ratio, offset });
        }
    }
    check_rings(source, joints, &leaders)
}

/// The joint that a `mimic` names.
fn leader_of(
    source: &Source<'_>,
    node: Node<'_, '_>,
    mimic: Node<'_, '_>,
    joints: &[Entry<'_>],
) -> Result<usize, SceneError> {
    let name = source.required(mimic, "joint")?;
    let refuse = |what: String| {
        let expected = "joint must be the name of another joint, revolute, continuous, prismatic or fixed";
        Err(source.fault(mimic, format!("{expected}, got {name:?}, {what}")))
    };
    let mut named = joints.iter().enumerate().filter(|(_, (node, _))| node.attribute("name") == Some(name));
    let Some((leader, &(other, _))) = named.next() else { return refuse("which no joint has".to_owned()) };
    let others = named.count();
    if others > 0 {
        return refuse(format!("which {} joints have", others + 1));
    }
    if other == node {
        return refuse("which is its own".to_owned());
    }
    match other.attribute("type").unwrap_or("") {
        "fixed" => Ok(leader),
        _ if has_one_value(other) => Ok(leader),
        kind => refuse(format!("which is of a {kind} one")),
    }
}

/// Whether a joint is of a type that has one value.
fn has_one_value(joint: Node<'_, '_>) -> bool {
    matches!(joint.attribute("type"), Some("revolute" | "continuous" | "prismatic"))
}

/// Holds the only degree of freedom of a hold at a value.
fn hold_at(rig: &mut Rig, hold: usize, value: Real, name: &str, reason: &str) {
    let Some(dof) = rig.dof_mut(hold, 0) else { return };
    if dof.motion == Motion::Turn && value.abs() > PI {
        rig.notes
            .push(format!("left out: joint {name} is held at {value}, {reason}: that is beyond half a turn"));
    } else {
        dof.held = Some(value);
        rig.notes.push(format!("joint {name} is held at {value}, {reason}"));
    }
}

/// Refuses joints that go with themselves by way of others.
fn check_rings(
    source: &Source<'_>,
    joints: &[Entry<'_>],
    leaders: &[Option<usize>],
) -> Result<(), SceneError> {
    for start in 0..joints.len() {
        let (mut seen, mut at) = (BTreeSet::from([start]), start);
        while let Some(next) = leaders[at].filter(|&next| seen.insert(next) || next == start) {
            if next == start {
                let name = |&joint: &usize| format!("{:?}", joints[joint].0.attribute("name").unwrap_or(""));
                let all: Vec<String> = seen.iter().map(name).collect();
                let message = format!(
                    "joints must not go with themselves (`mimic`), but {} go with each other in a ring",
                    all.join(", ")
                );
                return Err(source.fault(joints[start].0, message));
            }
            at = next;
        }
    }
    Ok(())
}
