//! Equality constraints: what holds bodies together besides the tree, and joints that go together.

use super::{Reader, WORLD, known};
use crate::error::SceneError;
use crate::import::convert::{joint, vector};
use crate::import::rig::{Hold, How, Mimic, Motion, Rig};
use crate::import::xml::elements;
use crate::model::{JointEntry, JointKindSpec};
use drystone::math::{Pose, Position, Real};
use roxmltree::Node;
use std::f32::consts::PI;

impl<'a> Reader<'a> {
    /// `connect` and `weld` between two bodies, or a body and the world; `joint`.
    pub(super) fn equality(&mut self, node: Node<'a, 'a>, rig: &mut Rig) -> Result<(), SceneError> {
        for inner in elements(node) {
            let tag = inner.tag_name().name();
            let kind = match tag {
                "connect" => JointKindSpec::Ball,
                "weld" => JointKindSpec::Fixed,
                "joint" => {
                    self.couple(inner, rig)?;
                    continue;
                }
                other => {
                    self.left_out.add(format!("`{other}` of equality"));
                    continue;
                }
            };
            known::note(inner, &mut self.left_out);
            if inner.attribute("active") == Some("false") {
                self.left_out.add(format!("`{tag}` that is not active"));
                continue;
            }
            if inner.has_attribute("site1") {
                self.hold_sites(inner, kind, rig)?;
                continue;
            }
            let first = self.source.required(inner, "body1")?;
            let second = inner.attribute("body2").unwrap_or(WORLD);
            let a = self.end(inner, first, Pose::IDENTITY, rig)?;
            // What stands for the world is where it is first needed, but anchors on it are in its frame.
            let pose = self.bodies.get(first).map_or(Pose::IDENTITY, |&link| rig.links[link].pose);
            let b = self.end(inner, second, pose, rig)?;
            let anchor = vector(self.source.array(inner, "anchor", [0.0; 3])?);
            let at: Position = pose.transform_point(&anchor);
            let unnamed = || format!("of {first:?} and {second:?}");
            let name = inner.attribute("name").map_or_else(unnamed, |name| format!("{name:?}"));
            // MuJoCo lets go through each other what the tree holds together, and nothing else.
            let entry = JointEntry { collides: true, ..joint(kind, &at) };
            rig.holds.push(Hold { name, ends: [a, b], how: How::Joint(Box::new(entry)) });
        }
        Ok(())
    }

    /// Makes a joint go with another one, by the linear part of a polynomial, or holds it at a value: both from where the model stands.
    fn couple(&mut self, node: Node<'a, 'a>, rig: &mut Rig) -> Result<(), SceneError> {
        known::note(node, &mut self.left_out);
        if node.attribute("active") == Some("false") {
            self.left_out.add("`joint` of equality that is not active");
            return Ok(());
        }
        let name = self.source.required(node, "joint1")?;
        let follower = self.joint_of(node, "joint1", name, rig)?;
        let text = node.attribute("polycoef").unwrap_or("");
        let given = self.source.numbers(node, "polycoef", text)?;
        let mut polynomial = [0.0, 1.0, 0.0, 0.0, 0.0];
        if given.len() > polynomial.len() {
            let message = format!("polycoef must be at most 5 numbers, got {}", given.len());
            return Err(self.source.fault(node, message));
        }
        polynomial[..given.len()].copy_from_slice(&given);
        let [offset, ratio, higher @ ..] = polynomial;
        let Some(leader) = node.attribute("joint2") else {
            self.hold_at(follower, offset as Real, rig);
            return Ok(());
        };
        if leader == name {
            let message = format!("joint2 must be another joint than joint1, both are {name:?}");
            return Err(self.source.fault(node, message));
        }
        let of = self.joint_of(node, "joint2", leader, rig)?;
        if let Some(reason) = Mimic::refusal(ratio) {
            return Err(self.source.fault(node, format!("the second number of polycoef {reason}")));
        }
        let is_curved = higher.iter().any(|&coefficient| coefficient != 0.0);
        if ratio == 0.0 {
            if is_curved {
                self.notes.push(format!(
                    "left out: joint {name:?} goes with joint {leader:?} by a polynomial without a linear part (polycoef {text:?}): it moves by itself"
                ));
            } else {
                self.notes.push(format!(
                    "joint {name:?} is held at {offset}: polycoef {text:?} has no part that goes with joint {leader:?}"
                ));
                self.hold_at(follower, offset as Real, rig);
            }
            return Ok(());
        }
        if is_curved {
            self.notes.push(format!(
                "joint {name:?} goes with joint {leader:?} by the linear part of its polynomial alone, {offset} + {ratio} times, of polycoef {text:?}"
            ));
        }
        let numbers = [follower, of].map(|[hold, index]| rig.number_of(hold, index));
        if let [Some(follower), Some(leader_number)] = numbers {
            let names = [name, leader].map(|name| format!("{name:?}"));
            rig.mimics.push(Mimic { names, dofs: [follower, leader_number], ratio, offset });
        }
        Ok(())
    }

    /// Holds a degree of freedom at a value.
    fn hold_at(&mut self, [hold, index]: [usize; 2], value: Real, rig: &mut Rig) {
        match rig.dof_mut(hold, index) {
            Some(dof) if dof.motion == Motion::Turn && value.abs() > PI => {
                self.left_out.add("`joint` of equality that holds beyond half a turn");
            }
            Some(dof) => dof.held = Some(value),
            None => {}
        }
    }

    /// A hinge or slide that an equality names: its hold, and which of its degrees of freedom.
    fn joint_of(
        &self,
        node: Node<'a, 'a>,
        attribute: &str,
        name: &str,
        rig: &mut Rig,
    ) -> Result<[usize; 2], SceneError> {
        let fault = |what: &str| {
            let message =
                format!("{attribute} must be the name of a hinge or slide, got {name:?}, which {what}");
            Err(self.source.fault(node, message))
        };
        let Some(&(hold, index)) = self.joints.get(name) else {
            return fault(if self.is_free(name) { "is a free joint" } else { "no joint has" });
        };
        match rig.dof_mut(hold, index) {
            Some(dof) if dof.motion == Motion::Ball => fault("is a ball joint"),
            _ => Ok([hold, index]),
        }
    }

    /// What holds two sites at each other: their origins, which may begin apart.
    fn hold_sites(
        &mut self,
        node: Node<'a, 'a>,
        kind: JointKindSpec,
        rig: &mut Rig,
    ) -> Result<(), SceneError> {
        let names = [self.source.required(node, "site1")?, self.source.required(node, "site2")?];
        let mut ends = [0; 2];
        let mut at = [Position::origin(); 2];
        for k in 0..2 {
            let Some(&(link, place)) = self.sites.get(names[k]) else {
                return Err(self.source.fault(node, format!("there is no site {:?}", names[k])));
            };
            let pose = link.map_or(Pose::IDENTITY, |link| rig.links[link].pose);
            at[k] = pose.transform_point(&place.translation);
            ends[k] = link.or(self.world).unwrap_or_else(|| self.still(Pose::IDENTITY, rig));
        }
        let name = node.attribute("name").map_or_else(|| format!("of {names:?}"), |name| format!("{name:?}"));
        let to = (at[0] != at[1]).then(|| at[1].coords.into());
        let entry = JointEntry { collides: true, to, ..joint(kind, &at[0]) };
        rig.holds.push(Hold { name, ends, how: How::Joint(Box::new(entry)) });
        Ok(())
    }

    /// The link of a body, or the one that does not move.
    fn end(&mut self, node: Node<'_, '_>, name: &str, at: Pose, rig: &mut Rig) -> Result<usize, SceneError> {
        Ok(self.link(node, name)?.unwrap_or_else(|| self.still(at, rig)))
    }
}
