//! Joints: what hangs a body on its parent.

use super::Reader;
use super::defaults::Element;
use crate::error::SceneError;
use crate::import::rig::{Hold, How, Rig, joint, vector};
use crate::model::{JointEntry, JointKindSpec, MotorSpec};
use drystone::math::Real;
use roxmltree::Node;

impl<'a> Reader<'a> {
    /// Hangs a body on its parent with all of its joints; on the world for `None`.
    pub(super) fn hang(
        &mut self,
        node: Node<'a, 'a>,
        joints: &[Element<'a>],
        parent: Option<usize>,
        body: usize,
        rig: &mut Rig,
    ) -> Result<(), SceneError> {
        let kind = |joint: &Element<'a>| match joint.node.tag_name().name() {
            "freejoint" => "free",
            _ => joint.attribute("type").unwrap_or("hinge"),
        };
        let kinds: Vec<&str> = joints.iter().map(kind).collect();
        let Some(parent) = parent.or_else(|| self.still(rig, &kinds, body)) else { return Ok(()) };
        let how = match &kinds[..] {
            [] => How::Welded,
            ["free"] => return Ok(()),
            [_] => How::Joint(Box::new(self.entry(&joints[0], kinds[0], body, rig)?)),
            // Several hinges through one point leave what a ball joint leaves, but for their limits.
            _ if kinds.iter().all(|&kind| kind == "hinge") => {
                let name = rig.links[body].name.clone();
                self.notes.push(format!("the {} hinges of body {name:?} are a ball joint, without their limits, damping and friction", kinds.len()));
                How::Joint(Box::new(self.entry(&joints[0], "ball", body, rig)?))
            }
            _ => {
                let message = format!(
                    "joints of the types {} on one body have no counterpart: put a body between them",
                    kinds.join(", ")
                );
                return Err(self.source.fault(node, message));
            }
        };
        let name = joints.first().map_or_else(String::new, |joint| self.named(joint.node));
        rig.holds.push(Hold { name, ends: [parent, body], how });
        Ok(())
    }

    /// The link that does not move, for what hangs on the world; none for what is free of it or a part of it.
    fn still(&self, rig: &mut Rig, kinds: &[&str], body: usize) -> Option<usize> {
        if kinds.is_empty() || kinds == ["free"] {
            return None;
        }
        let name = "world";
        if let Some(index) = rig.links.iter().position(|link| link.name == name && link.is_fixed) {
            return Some(index);
        }
        let pose = rig.links[body].pose;
        let (parts, mass) = (Vec::new(), None);
        rig.links.push(crate::import::rig::Link { name: name.to_owned(), pose, parts, mass, is_fixed: true });
        Some(rig.links.len() - 1)
    }

    fn entry(
        &mut self,
        element: &Element<'a>,
        kind: &str,
        body: usize,
        rig: &Rig,
    ) -> Result<JointEntry, SceneError> {
        let node = element.node;
        let numbers = |name: &str| {
            element.attribute(name).map(|text| self.source.numbers(node, name, text)).transpose()
        };
        let triple = |name: &str, default: [f64; 3]| match element.attribute(name) {
            Some(text) => self.source.exactly(node, name, text),
            None => Ok(default),
        };
        let pose = rig.links[body].pose;
        let at = pose.transform_point(&vector(triple("pos", [0.0; 3])?));
        let axis = pose.rotation * vector(triple("axis", [0.0, 0.0, 1.0])?);
        let (kind, angle) = match kind {
            "hinge" => (JointKindSpec::Hinge, self.unit),
            "slide" => (JointKindSpec::Slider, 1.0),
            "ball" => return Ok(joint(JointKindSpec::Ball, &at, None)),
            other => {
                return Err(self
                    .source
                    .fault(node, format!("type must be hinge, slide, ball or free, got {other:?}")));
            }
        };
        if axis.norm() == 0.0 {
            return Err(self.source.fault(node, "its axis must not be zero"));
        }
        let mut entry = joint(kind, &at, Some(axis));
        let one =
            |name: &str| Ok::<_, SceneError>(numbers(name)?.and_then(|all| all.first().map(|&v| v as Real)));
        let is_limited = match element.attribute("limited") {
            Some("true") => true,
            Some("false") => false,
            _ => self.autolimits,
        };
        if let Some(range) = numbers("range")?.filter(|_| is_limited) {
            let &[lower, upper] = &range[..] else {
                return Err(self.source.fault(node, format!("range must be 2 numbers, got {}", range.len())));
            };
            (entry.lower, entry.upper) = (Some(lower as Real * angle), Some(upper as Real * angle));
        }
        let (stiffness, damping) = (one("stiffness")?.unwrap_or(0.0), one("damping")?.unwrap_or(0.0));
        if stiffness > 0.0 || damping > 0.0 {
            let target = one("springref")?.unwrap_or(0.0) * angle;
            entry.motor = Some(MotorSpec::Spring { target, stiffness, damping, most: None });
        }
        entry.friction = one("frictionloss")?.filter(|&friction| friction > 0.0);
        for name in ["armature", "ref", "margin"] {
            if element.attribute(name).is_some() {
                self.left_out.add(format!("`{name}` of joints"));
            }
        }
        Ok(entry)
    }
}
