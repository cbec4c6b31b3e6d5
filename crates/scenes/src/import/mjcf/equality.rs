//! Equality constraints: what holds bodies together besides the tree.

use super::{Reader, WORLD, known};
use crate::error::SceneError;
use crate::import::convert::{joint, vector};
use crate::import::rig::{Hold, How, Motion, Rig};
use crate::import::xml::elements;
use crate::model::{JointEntry, JointKindSpec};
use drystone::math::{Pose, Position, Real};
use roxmltree::Node;

impl<'a> Reader<'a> {
    /// `connect` and `weld` between two bodies, or a body and the world.
    pub(super) fn equality(&mut self, node: Node<'a, 'a>, rig: &mut Rig) -> Result<(), SceneError> {
        for inner in elements(node) {
            let tag = inner.tag_name().name();
            let kind = match tag {
                "connect" => JointKindSpec::Ball,
                "weld" => JointKindSpec::Fixed,
                "joint" if !inner.has_attribute("joint2") => {
                    self.lock(inner, rig)?;
                    continue;
                }
                "joint" => {
                    let ends = ["joint1", "joint2"].map(|end| inner.attribute(end).unwrap_or("(none)"));
                    self.notes.push(format!(
                        "left out: the joints {:?} and {:?} go together (`equality`), which nothing couples here: each moves by itself",
                        ends[0], ends[1]
                    ));
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

    /// Locks a degree of freedom at a value, from where the model stands.
    fn lock(&mut self, node: Node<'a, 'a>, rig: &mut Rig) -> Result<(), SceneError> {
        if node.attribute("active") == Some("false") {
            self.left_out.add("`joint` that is not active");
            return Ok(());
        }
        let name = self.source.required(node, "joint1")?;
        let text = node.attribute("polycoef").unwrap_or("0");
        let value = self.source.numbers(node, "polycoef", text)?.first().copied().unwrap_or(0.0) as Real;
        let Some(&(hold, index)) = self.joints.get(name) else {
            return Err(self.source.fault(node, format!("there is no joint {name:?} that can be held")));
        };
        if let How::Chain { dofs, .. } = &mut rig.holds[hold].how {
            let dof = &mut dofs[index];
            match dof.motion {
                Motion::Turn if value.abs() > std::f32::consts::PI => {
                    self.left_out.add("`joint` of equality that holds beyond half a turn");
                }
                Motion::Ball => self.left_out.add("`joint` of equality of ball joints"),
                _ => (dof.lower, dof.upper) = (Some(value), Some(value)),
            }
        }
        Ok(())
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
