//! Joints: what hangs a body on its parent.

use super::defaults::Element;
use super::{Reader, known};
use crate::error::SceneError;
use crate::import::convert::{from_where_it_stands, vector};
use crate::import::rig::{Dof, Hold, How, Motion, Rig};
use crate::model::MotorSpec;
use drystone::math::{Pose, Real, Vector3};

impl<'a> Reader<'a> {
    /// Hangs a body on its parent with all of its joints; on the world for `None`.
    pub(super) fn hang(
        &mut self,
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
        let parent = match (parent, &kinds[..]) {
            (_, ["free"]) => {
                self.leave_out(&joints[0], "free joints", &["stiffness", "damping", "frictionloss"]);
                return Ok(());
            }
            (Some(parent), _) => parent,
            // Without joints it is itself a part of the world.
            (None, []) => return Ok(()),
            (None, _) => self.still(rig.links[body].pose, rig),
        };
        let how = if kinds.is_empty() {
            How::Welded
        } else {
            let mut dofs = Vec::with_capacity(joints.len());
            for (joint, kind) in joints.iter().zip(&kinds) {
                dofs.push(self.dof(joint, kind, body, rig)?);
            }
            // Parents and children go through each other, but for what is a part of the world, or fixed to it: that is not filtered.
            How::Chain { dofs, collides: rig.links[parent].is_fixed }
        };
        for (index, joint) in joints.iter().enumerate() {
            if let Some(name) = joint.node.attribute("name") {
                self.joints.insert(name, (rig.holds.len(), index));
            }
        }
        let names: Vec<String> = joints.iter().map(|joint| self.named(joint.node)).collect();
        rig.holds.push(Hold { name: names.join(" and "), ends: [parent, body], how });
        Ok(())
    }

    /// Where the axis of a joint is and along what it lies, in the frame of its body.
    fn line(&self, element: &Element<'a>) -> Result<(Vector3, Vector3), SceneError> {
        let at = vector(self.array(element, "pos", [0.0; 3])?);
        let axis = vector(self.array(element, "axis", [0.0, 0.0, 1.0])?);
        if axis.norm() == 0.0 {
            return Err(self.source.fault(element.node, "its axis must not be zero"));
        }
        Ok((at, axis))
    }

    /// Notes what joints of a kind have no counterpart for, as far as it is not zero.
    fn leave_out(&mut self, of: &Element<'_>, kind: &str, names: &[&str]) {
        for name in names {
            if of.attribute(name).is_some_and(|text| !known::is_like(text, "0")) {
                self.left_out.add(format!("`{name}` of {kind}"));
            }
        }
    }

    fn dof(&mut self, element: &Element<'a>, kind: &str, body: usize, rig: &Rig) -> Result<Dof, SceneError> {
        let node = element.node;
        let pose = rig.links[body].pose;
        let (motion, angle) = match kind {
            "hinge" => (Motion::Turn, self.compiler.unit),
            "slide" => (Motion::Slide, 1.0),
            "ball" => (Motion::Ball, self.compiler.unit),
            "free" => {
                return Err(self.source.fault(node, "a free joint must be the only one of its body"));
            }
            other => {
                return Err(self
                    .source
                    .fault(node, format!("type must be hinge, slide, ball or free, got {other:?}")));
            }
        };
        let pose = if self.compiler.is_global { Pose::IDENTITY } else { pose };
        let (at, axis) = match motion {
            Motion::Ball => (vector(self.array(element, "pos", [0.0; 3])?), Vector3::x()),
            _ => self.line(element)?,
        };
        let name = node.attribute("name").unwrap_or("");
        let axis = pose.rotation * axis.normalize();
        let mut dof = Dof::new(name, motion, pose.transform_point(&at), axis);
        // What the joint is at in the file; ours is at 0 there.
        let zero = match motion {
            Motion::Ball => 0.0,
            _ => self.number(element, "ref")?.unwrap_or(0.0),
        };
        if zero != 0.0 && !name.is_empty() {
            self.zeros.insert(name, zero * angle);
        }
        if let Some(range) = self.limits(element)? {
            let [lower, upper] = range.map(|limit| (limit as Real - zero) * angle);
            (dof.lower, dof.upper) = (Some(lower), Some(upper));
        }
        let stiffness = self.first(element, "stiffness")?;
        let damping = self.first(element, "damping")?;
        if stiffness > 0.0 || damping > 0.0 {
            let target = match motion {
                Motion::Ball => 0.0,
                _ => (self.number(element, "springref")?.unwrap_or(0.0) - zero) * angle,
            };
            dof.motor = Some(MotorSpec::Spring { target, stiffness, damping, most: None });
        }
        let spring_damper = self.array(element, "springdamper", [0.0; 2])?.map(|value| value as Real);
        if spring_damper.iter().all(|&value| value > 0.0) {
            if motion == Motion::Ball {
                self.left_out.add("`springdamper` of ball joints");
            } else {
                let target = (self.number(element, "springref")?.unwrap_or(0.0) - zero) * angle;
                dof.motor = Some(MotorSpec::Spring { target, stiffness: 0.0, damping: 0.0, most: None });
                dof.spring_damper = Some(spring_damper);
            }
        }
        dof.friction = self.at_least_zero(element, "frictionloss")?.filter(|&friction| friction > 0.0);
        dof.armature = self.at_least_zero(element, "armature")?.unwrap_or(0.0);
        Ok(from_where_it_stands(dof))
    }

    /// The first number of a polynomial, which is all that is read of it; 0 without.
    fn first(&mut self, of: &Element<'_>, name: &str) -> Result<Real, SceneError> {
        let Some(text) = of.attribute(name) else { return Ok(0.0) };
        let all = self.source.numbers(of.node, name, text)?;
        let value = all.first().map_or(0.0, |&value| value as Real);
        if value < 0.0 {
            return Err(self.source.fault(of.node, format!("{name} must be at least 0, got {value}")));
        }
        if all.iter().skip(1).any(|&value| value != 0.0) {
            self.left_out.add(format!("`{name}` of joints beyond its first number"));
        }
        Ok(value)
    }

    /// Limits in the units of the file, by MuJoCo's rule: where `limited` does not say whether there are any, a range that ascends is one.
    fn limits(&mut self, of: &Element<'_>) -> Result<Option<[f64; 2]>, SceneError> {
        let text = of.attribute("range");
        let range: Option<[f64; 2]> =
            text.map(|text| self.source.exactly(of.node, "range", text)).transpose()?;
        let ascends = range.filter(|[lower, upper]| lower < upper);
        let fault = |message: String| Err(self.source.fault(of.node, message));
        match of.attribute("limited").unwrap_or("auto") {
            "false" => Ok(None),
            "true" if ascends.is_none() => fault(format!(
                "range must be 2 numbers, the first below the second, since limited is true, got {:?}",
                text.unwrap_or("")
            )),
            "true" => Ok(ascends),
            "auto" if self.compiler.autolimits => {
                if ascends.is_none() && text.is_some_and(|text| !known::is_like(text, "0")) {
                    self.left_out.add("`range` of joints whose first number is not below the second");
                }
                Ok(ascends)
            }
            "auto" => {
                if text.is_some() {
                    self.left_out
                        .add("`range` of joints that do not say `limited`, since autolimits is false");
                }
                Ok(None)
            }
            other => fault(format!("limited must be true, false or auto, got {other:?}")),
        }
    }
}
