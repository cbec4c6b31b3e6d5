//! Joints as every engine gets them: what all of those that have joints can do.

use crate::engine::Motion;
use crate::task::TaskBody;
#[cfg(any(feature = "rapier", feature = "box3d"))]
use drystone_math::Rotation;
use drystone_math::{Pose, Position, Real, Vector3, narrow, widen};
use drystone_scenes::{JointEntry, JointKindSpec, Scene};
use std::collections::BTreeMap;

/// What a joint leaves free.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum JointForm {
    /// All turns.
    Ball,
    /// Turns about the axis, between two angles where there are limits, rad.
    Hinge([Real; 2]),
    /// Swings of the axis within a cone (rad), and twists about it between two angles.
    Cone {
        /// Largest swing.
        cone: Real,
        /// Least and largest twist.
        twist: [Real; 2],
    },
    /// All but the distance of the two places, m.
    Rod(Real),
}

/// A joint between two bodies of a task.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TaskJoint {
    pub(crate) form: JointForm,
    /// The bodies by index.
    pub(crate) bodies: [usize; 2],
    /// Where it holds each of them, m, world, at the start.
    pub(crate) places: [Position; 2],
    /// The axis of hinge or twist, world, at the start.
    pub(crate) axis: Vector3,
    /// Dry friction about its axes, N·m.
    pub(crate) friction: Real,
}

impl TaskJoint {
    /// The frame of the joint on a body that is at `pose`, with the axis as its x or its z.
    #[cfg(any(feature = "rapier", feature = "box3d"))]
    pub(crate) fn frame(&self, end: usize, pose: &Pose, axis: &Vector3) -> (Vector3, Rotation) {
        let turn = Rotation::rotation_between(axis, &self.axis)
            .unwrap_or_else(|| Rotation::from_axis_angle(&Vector3::y_axis(), std::f32::consts::PI));
        (local(pose, &self.places[end]), pose.rotation.inverse() * turn)
    }
}

/// A place of the world in the frame of a body.
fn local(pose: &Pose, place: &Position) -> Vector3 {
    pose.rotation.inverse() * narrow(&(place - pose.translation))
}

/// The joints of a scene.
///
/// # Errors
/// What not every engine here can do: other kinds, motors, limits of single axes, joints that break or whose bodies collide.
pub(crate) fn joints(scene: &Scene) -> Result<Vec<TaskJoint>, String> {
    let names: BTreeMap<&str, usize> =
        scene.bodies.iter().enumerate().map(|(index, body)| (body.name.as_str(), index)).collect();
    scene.joints.iter().map(|entry| joint(entry, &names)).collect()
}

fn joint(entry: &JointEntry, names: &BTreeMap<&str, usize>) -> Result<TaskJoint, String> {
    let refuse = |what: &str| format!("a joint of {} and {} {what}", entry.bodies[0], entry.bodies[1]);
    let is_plain = entry.motor.is_none()
        && entry.axes.is_empty()
        && !entry.collides
        && entry.breaks_above_force.is_none()
        && entry.breaks_above_torque.is_none();
    if !is_plain {
        return Err(refuse("has a motor, axes of its own, breaks or lets its bodies collide"));
    }
    let limits = match (entry.lower, entry.upper) {
        (None, None) => None,
        (lower, upper) => Some([lower.unwrap_or(Real::NEG_INFINITY), upper.unwrap_or(Real::INFINITY)]),
    };
    let places = [entry.at, entry.to.unwrap_or(entry.at)].map(Position::from);
    let form = match entry.kind {
        JointKindSpec::Ball => JointForm::Ball,
        JointKindSpec::Hinge => JointForm::Hinge(limits.unwrap_or([Real::NEG_INFINITY, Real::INFINITY])),
        JointKindSpec::Distance => JointForm::Rod((places[1] - places[0]).norm() as Real),
        JointKindSpec::ConeTwist => match (entry.cone, limits) {
            (Some(cone), Some(twist)) => JointForm::Cone { cone, twist },
            _ => return Err(refuse("is a cone without its angle or without limits of its twist")),
        },
        _ => return Err(refuse("is of a kind that is not known here")),
    };
    let body = |name: &String| names.get(name.as_str()).copied().ok_or_else(|| refuse("has an unknown body"));
    let axis = entry.axis.map_or_else(Vector3::x, |axis| Vector3::from(axis).normalize());
    let friction = entry.friction.unwrap_or(0.0);
    Ok(TaskJoint { form, bodies: [body(&entry.bodies[0])?, body(&entry.bodies[1])?], places, axis, friction })
}

/// Tells from poses how far joints are apart.
pub(crate) struct Stretch<'a> {
    joints: &'a [TaskJoint],
    /// Where each holds its bodies, m, in their frames.
    anchors: Vec<[Vector3; 2]>,
}

impl<'a> Stretch<'a> {
    pub(crate) fn new(joints: &'a [TaskJoint], bodies: &[TaskBody]) -> Self {
        let anchors =
            |joint: &TaskJoint| [0, 1].map(|k| local(&bodies[joint.bodies[k]].pose, &joint.places[k]));
        Self { joints, anchors: joints.iter().map(anchors).collect() }
    }

    /// The largest distance of what a joint holds together, m; infinite where a pose is no number.
    pub(crate) fn worst(&self, motions: &[Option<Motion>]) -> f64 {
        let mut worst = 0.0_f64;
        for (joint, anchors) in self.joints.iter().zip(&self.anchors) {
            let [Some(a), Some(b)] = joint.bodies.map(|body| motions[body]) else { continue };
            let at = |motion: &Motion, anchor: &Vector3| {
                motion.pose.translation + widen(&(motion.pose.rotation * anchor))
            };
            let apart = (at(&b, &anchors[1]) - at(&a, &anchors[0])).norm();
            let error = match joint.form {
                JointForm::Rod(length) => (apart - f64::from(length)).abs(),
                _ => apart,
            };
            worst = worst.max(if error.is_nan() { f64::INFINITY } else { error });
        }
        worst
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::Task;

    #[test]
    fn joints_of_scenes_are_known_and_hold_at_the_start() {
        for (name, count) in
            [("chain:5", 6), ("joint_grid:4", 21), ("ragdolls:2", 20), ("pendulums:1", 5), ("bridge:10", 11)]
        {
            let task = Task::of_test(name);
            assert_eq!(task.joints.len(), count, "{name}");
            let motion = |body: &TaskBody| {
                Some(Motion { pose: body.pose, linear: Vector3::zeros(), angular: Vector3::zeros() })
            };
            let mut motions: Vec<_> = task.bodies.iter().map(motion).collect();
            let stretch = Stretch::new(&task.joints, &task.bodies);
            assert!(stretch.worst(&motions) < 1e-6, "{name}: {}", stretch.worst(&motions));
            // One end goes away by 3 cm along the joint's line.
            let joint = task.joints[0];
            let line = task.joints[0].places[1] - task.joints[0].places[0];
            let way = if line.norm() > 0.0 { line.normalize() } else { widen(&Vector3::x()) } * 0.03;
            motions[joint.bodies[1]].as_mut().expect("there").pose.translation += way;
            assert!((stretch.worst(&motions) - 0.03).abs() < 1e-6, "{name}: {}", stretch.worst(&motions));
        }
    }

    #[test]
    fn what_not_every_engine_can_do_is_refused() {
        let mut scene = drystone_scenes::scene("chain:3").expect("listed");
        scene.joints[1].breaks_above_force = Some(5.0);
        let error = joints(&scene).expect_err("it breaks");
        assert!(error.contains("rod 0") && error.contains("breaks"), "{error}");
    }
}
