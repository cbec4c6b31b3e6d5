//! Actuators: springs and dampers of joints, as far as they are that without a controller (mujoco.readthedocs.io/XMLreference, actuator).
//!
//! The force of an actuator is `gain * control + bias`, its length is `gear` times the value of the joint. Without a controller the control is 0, or the nearest that
//! its range allows. What pulls to a position (bias `-kp * length - kv * speed`) is a spring with a damper; what keeps a speed is a damper; what only pushes does nothing.

use super::Reader;
use super::defaults::Element;
use crate::error::SceneError;
use crate::import::rig::{Dof, How, Motion, Rig};
use crate::model::MotorSpec;
use drystone::math::Real;
use roxmltree::Node;

/// What an actuator does to its joint, in units of its length and force.
struct Servo {
    /// Factor on the control.
    gain: Real,
    stiffness: Real,
    damping: Real,
}

impl<'a> Reader<'a> {
    /// Takes an actuator over into its joint, or notes it.
    pub(super) fn actuator(&mut self, node: Node<'a, 'a>, rig: &mut Rig) -> Result<(), SceneError> {
        let tag = node.tag_name().name();
        let element = self.defaults.actuator(&self.source, node)?;
        let Some(joint) = element.attribute("joint").or(element.attribute("jointinparent")) else {
            self.left_out.add(format!("`{tag}` of actuators that act on no joint"));
            return Ok(());
        };
        let Some(&(hold, index)) = self.joints.get(joint) else {
            let message = format!("there is no joint {joint:?} that an actuator can act on");
            if self.is_free(joint) {
                self.left_out.add(format!("`{tag}` of actuators on free joints"));
                return Ok(());
            }
            return Err(self.source.fault(node, message));
        };
        let How::Chain { dofs, .. } = &mut rig.holds[hold].how else { return Ok(()) };
        let dof = &mut dofs[index];
        let Some(servo) = self.servo(&element, tag)? else {
            self.left_out
                .add(format!("`{tag}` of actuators that push as a controller says, which there is none of"));
            return Ok(());
        };
        let gear = self.numbers(&element, "gear")?.first().copied().unwrap_or(1.0);
        let most = self.force_range(&element)?;
        if dof.motion == Motion::Ball || gear == 0.0 {
            self.left_out.add(format!("`{tag}` of actuators on ball joints or without a gear"));
            return Ok(());
        }
        let control = match self.range(&element, "ctrllimited", "ctrlrange")? {
            Some([lower, upper]) => Real::clamp(0.0, lower, upper),
            None => 0.0,
        };
        let zero = self.zeros.get(joint).copied().unwrap_or(0.0);
        let target = match servo.stiffness > 0.0 {
            true => servo.gain * control / (servo.stiffness * gear) - zero,
            false => 0.0,
        };
        let (stiffness, damping) = (servo.stiffness * gear * gear, servo.damping * gear * gear);
        let most = most.map(|most| most * gear.abs());
        add(dof, target, stiffness, damping, most);
        Ok(())
    }

    /// True for the name of a free joint, which holds nothing.
    pub(super) fn is_free(&self, name: &str) -> bool {
        let mut all = self.source.document.descendants();
        all.any(|node| {
            let is_joint = node.has_tag_name("freejoint") || node.has_tag_name("joint");
            let is_equality = node.parent_element().is_some_and(|outer| outer.has_tag_name("equality"));
            node.attribute("name") == Some(name) && is_joint && !is_equality
        })
    }

    /// What an actuator is without a controller; `None` for one that only pushes.
    fn servo(&self, of: &Element<'_>, tag: &str) -> Result<Option<Servo>, SceneError> {
        let number =
            |name: &str, usual: Real| Ok::<_, SceneError>(self.at_least_zero(of, name)?.unwrap_or(usual));
        Ok(match tag {
            "position" => {
                let kp = number("kp", 1.0)?;
                Some(Servo { gain: kp, stiffness: kp, damping: number("kv", 0.0)? })
            }
            // It pulls to where its control was led to, and that is where it starts.
            "intvelocity" => {
                Some(Servo { gain: 0.0, stiffness: number("kp", 1.0)?, damping: number("kv", 0.0)? })
            }
            "velocity" => Some(Servo { gain: 0.0, stiffness: 0.0, damping: number("kv", 1.0)? }),
            "general" if of.attribute("biastype") == Some("affine") => {
                let bias = self.numbers(of, "biasprm")?;
                let own = |k: usize| 0.0 - bias.get(k).copied().unwrap_or(0.0);
                let gain = self.numbers(of, "gainprm")?.first().copied().unwrap_or(1.0);
                // A bias that pushes away is no spring.
                (own(1).min(own(2)) >= 0.0 && own(1).max(own(2)) > 0.0).then(|| Servo {
                    gain,
                    stiffness: own(1),
                    damping: own(2),
                })
            }
            _ => None,
        })
    }

    fn numbers(&self, of: &Element<'_>, name: &str) -> Result<Vec<Real>, SceneError> {
        let Some(text) = of.attribute(name) else { return Ok(Vec::new()) };
        let all = self.source.numbers(of.node, name, text)?;
        Ok(all.into_iter().map(|value| value as Real).collect())
    }

    /// The largest force either way; without one `None`.
    fn force_range(&self, of: &Element<'_>) -> Result<Option<Real>, SceneError> {
        let range = self.range(of, "forcelimited", "forcerange")?;
        Ok(range.map(|[lower, upper]| lower.abs().max(upper.abs())).filter(|&most| most > 0.0))
    }

    /// A range that counts, by MuJoCo's rule for limits.
    fn range(&self, of: &Element<'_>, limited: &str, name: &str) -> Result<Option<[Real; 2]>, SceneError> {
        let said = of.attribute(limited).unwrap_or("auto");
        if said == "false" || said == "auto" && !self.compiler.autolimits {
            return Ok(None);
        }
        let found = self.numbers(of, name)?;
        Ok(<[Real; 2]>::try_from(found).ok().filter(|[lower, upper]| lower < upper))
    }
}

/// Adds a spring with a damper to what drives a degree of freedom already. One that is only so strong stays by itself, so that it holds back nothing else.
fn add(dof: &mut Dof, target: Real, stiffness: Real, damping: Real, most: Option<Real>) {
    let own = MotorSpec::Spring { target, stiffness, damping, most };
    let Some(MotorSpec::Spring { target: old, stiffness: old_stiffness, damping: old_damping, most: None }) =
        dof.motor
    else {
        let place = if dof.motor.is_none() { &mut dof.motor } else { &mut dof.servo };
        *place = Some(own);
        return;
    };
    if most.is_some() {
        dof.servo = Some(own);
        return;
    }
    let sum = stiffness + old_stiffness;
    let mean = if sum > 0.0 { (stiffness * target + old_stiffness * old) / sum } else { 0.0 };
    dof.motor =
        Some(MotorSpec::Spring { target: mean, stiffness: sum, damping: damping + old_damping, most: None });
}
