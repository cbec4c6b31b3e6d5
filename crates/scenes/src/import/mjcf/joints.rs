//! Joints: what hangs a body on its parent.

use super::defaults::Element;
use super::{Reader, known};
use crate::error::SceneError;
use crate::import::convert::{joint, vector, within_half_a_turn};
use crate::import::rig::{Hold, How, Rig};
use crate::model::{JointEntry, JointKindSpec, MotorSpec};
use drystone::math::{Real, Vector3};
use roxmltree::Node;

/// How far the axes of hinges may miss the point that they are about, m: numbers of files are rounded.
const MEETING: Real = 1e-4;
/// Sine of the angle between axes that count as parallel.
const PARALLEL: Real = 1e-3;

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
        // Parents and children go through each other, but for what is a part of the world, or fixed to it: that is not filtered.
        let collides = rig.links[parent].is_fixed;
        let joint_of = |entry: JointEntry| How::Joint(Box::new(JointEntry { collides, ..entry }));
        let how = match &kinds[..] {
            [] => How::Welded,
            [_] => joint_of(self.entry(&joints[0], kinds[0], body, rig)?),
            // Several hinges through one point leave what a ball joint leaves, but for their limits.
            _ if kinds.iter().all(|&kind| kind == "hinge") => {
                let name = rig.links[body].name.clone();
                self.notes.push(format!("the {} hinges of body {name:?} are a ball joint, without their limits, damping and friction", kinds.len()));
                let at = rig.links[body].pose.transform_point(&self.meeting(node, joints)?);
                joint_of(joint(JointKindSpec::Ball, &at, None))
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

    /// The point that the axes of several hinges have in common, in the frame of their body.
    ///
    /// # Errors
    /// At the body, when there is none.
    fn meeting(&self, node: Node<'a, 'a>, joints: &[Element<'a>]) -> Result<Vector3, SceneError> {
        let mut lines = Vec::with_capacity(joints.len());
        for joint in joints {
            let (at, axis) = self.line(joint)?;
            lines.push((at, axis.normalize()));
        }
        let (first, direction) = lines[0];
        // Where the first axis comes nearest to another one; the same one again meets it everywhere.
        let crossing = |(at, other): &(Vector3, Vector3)| {
            let across = direction.cross(other);
            let square = across.norm_squared();
            (square > PARALLEL * PARALLEL)
                .then(|| first + direction * ((at - first).cross(other).dot(&across) / square))
        };
        let is_one = lines.iter().all(|(at, _)| *at == first);
        let point = if is_one { first } else { lines.iter().find_map(crossing).unwrap_or(first) };
        if lines.iter().all(|(at, axis)| (point - at).cross(axis).norm() <= MEETING) {
            return Ok(point);
        }
        let message = "hinges of one body whose axes do not meet in a point have no counterpart: put a body between them";
        Err(self.source.fault(node, message))
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

    fn entry(
        &mut self,
        element: &Element<'a>,
        kind: &str,
        body: usize,
        rig: &Rig,
    ) -> Result<JointEntry, SceneError> {
        let node = element.node;
        let pose = rig.links[body].pose;
        let (kind, angle) = match kind {
            "hinge" => (JointKindSpec::Hinge, self.compiler.unit),
            "slide" => (JointKindSpec::Slider, 1.0),
            "ball" => {
                self.leave_out(element, "ball joints", &["range", "stiffness", "damping", "frictionloss"]);
                let at = pose.transform_point(&vector(self.array(element, "pos", [0.0; 3])?));
                return Ok(joint(JointKindSpec::Ball, &at, None));
            }
            other => {
                return Err(self
                    .source
                    .fault(node, format!("type must be hinge, slide, ball or free, got {other:?}")));
            }
        };
        let (at, axis) = self.line(element)?;
        let mut entry = joint(kind, &pose.transform_point(&at), Some(pose.rotation * axis));
        // What the joint is at in the file; ours is at 0 there.
        let zero = self.number(element, "ref")?.unwrap_or(0.0);
        if let Some(range) = self.limits(element)? {
            let [lower, upper] = range.map(|limit| (limit as Real - zero) * angle);
            (entry.lower, entry.upper) = (Some(lower), Some(upper));
        }
        let stiffness = self.first(element, "stiffness")?;
        let damping = self.first(element, "damping")?;
        if stiffness > 0.0 || damping > 0.0 {
            let target = (self.number(element, "springref")?.unwrap_or(0.0) - zero) * angle;
            entry.motor = Some(MotorSpec::Spring { target, stiffness, damping, most: None });
        }
        entry.friction = self.at_least_zero(element, "frictionloss")?.filter(|&friction| friction > 0.0);
        Ok(within_half_a_turn(entry, &mut self.left_out))
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
