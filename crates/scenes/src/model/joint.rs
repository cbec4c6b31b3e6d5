//! Joints of a scene.

use super::is_default;
use drystone::math::Real;
use serde::{Deserialize, Serialize};

/// A joint between two bodies, from the moment at which both are there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JointEntry {
    /// What it is.
    pub kind: JointKindSpec,
    /// Its name, for couplings that are about it. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The names of its two bodies, of which one at least is dynamic.
    pub bodies: [String; 2],
    /// Where it is on the first body, m, world, when it is made; on the second one too without `to`.
    pub at: [f64; 3],
    /// Where it is on the second one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<[f64; 3]>,
    /// Its axis, world, any length. Default: x.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axis: Option<[Real; 3]>,
    /// Direction of the y axis of its frame, world, any length: the part of it across the axis. Default: where the shortest turn from x to the axis takes y.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub across: Option<[Real; 3]>,
    /// Least value of what its kind is about: the turn of a hinge (rad), the way of a slider, the distance (m), the twist. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lower: Option<Real>,
    /// Greatest value. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upper: Option<Real>,
    /// What drives it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motor: Option<MotorSpec>,
    /// Dry friction, N or N·m. Default 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction: Option<Real>,
    /// The same by coordinate: for generic joints, and for turns of balls and cone-twists.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub axes: Vec<JointAxisEntry>,
    /// Largest angle between the axes, rad: of a ball or cone-twist joint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cone: Option<Real>,
    /// Of a screw: how far it goes per revolution, m; positive for a right-handed thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pitch: Option<Real>,
    /// Of a wheel: the angle by which its axle is turned about the y axis of its frame, rad. Default 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steering: Option<Real>,
    /// Of a wheel: spring and damper along the y axis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suspension: Option<SoftnessSpec>,
    /// Of a soft weld: spring and damper along all ways. Default: held.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub linear_spring: Option<SoftnessSpec>,
    /// Of a soft weld: spring and damper about all axes. Default: held.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub angular_spring: Option<SoftnessSpec>,
    /// Force above which it breaks, N.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub breaks_above_force: Option<Real>,
    /// Torque above which it breaks, N·m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub breaks_above_torque: Option<Real>,
    /// Whether its bodies meet each other. Default false.
    #[serde(default, skip_serializing_if = "is_default")]
    pub collides: bool,
}

/// Joints that are solved by their coordinates in place of constraints, from the moment at which all are there (`World::add_articulation`): a tree of hinges,
/// sliders, balls and fixed joints, with loops of them, all joints that its bodies have.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArticulationSpec {
    /// Its joints: places in the scene's list, counted from 0. Where none of them is on a body that cannot move, the first body of the first one is the base, and floats.
    pub joints: Vec<usize>,
    /// Rotors and damping of some of them. Default: none has any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rotors: Vec<RotorSpec>,
}

/// Rotor and damping of a joint of an articulation (`World::set_rotor`): of a ball about each axis.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RotorSpec {
    /// The joint: its place in the scene's list, counted from 0; one of the tree of its articulation.
    pub joint: usize,
    /// Inertia of the rotor times the square of its gear ratio, kg m²; of a slider kg. Default 0.
    #[serde(default, skip_serializing_if = "is_default")]
    pub armature: f64,
    /// Damping of the joint besides its motor's, N m s/rad; of a slider N s/m. Default 0.
    #[serde(default, skip_serializing_if = "is_default")]
    pub damping: f64,
}

impl JointEntry {
    /// A joint at a place (m, world) with nothing else said.
    pub fn new(kind: JointKindSpec, a: impl Into<String>, b: impl Into<String>, at: [f64; 3]) -> Self {
        Self {
            kind,
            name: None,
            bodies: [a.into(), b.into()],
            at,
            to: None,
            axis: None,
            across: None,
            lower: None,
            upper: None,
            motor: None,
            friction: None,
            axes: Vec::new(),
            cone: None,
            pitch: None,
            steering: None,
            suspension: None,
            linear_spring: None,
            angular_spring: None,
            breaks_above_force: None,
            breaks_above_torque: None,
            collides: false,
        }
    }

    /// The same joint with its axis in this direction.
    #[must_use]
    pub fn along(self, axis: [Real; 3]) -> Self {
        Self { axis: Some(axis), ..self }
    }

    /// The same joint between limits.
    #[must_use]
    pub fn between(mut self, lower: Real, upper: Real) -> Self {
        (self.lower, self.upper) = (Some(lower), Some(upper));
        self
    }
}

/// A coordinate of a joint, and what it may do; one that is listed without limits is free.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JointAxisEntry {
    /// Which one.
    pub axis: JointAxisSpec,
    /// Least value, m or rad. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lower: Option<Real>,
    /// Greatest value. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upper: Option<Real>,
    /// What drives it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motor: Option<MotorSpec>,
    /// Dry friction, N or N·m. Default 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction: Option<Real>,
}

/// What drives a coordinate of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub enum MotorSpec {
    /// Keeps a speed (m/s or rad/s) as far as its largest force or torque goes (N or N·m; default: all it takes).
    Speed {
        /// m/s or rad/s.
        speed: Real,
        /// N or N·m.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        most: Option<Real>,
    },
    /// A spring with a damper.
    Spring {
        /// Where it pulls to, m or rad.
        target: Real,
        /// N/m or N·m/rad.
        stiffness: Real,
        /// N·s/m or N·m·s/rad.
        damping: Real,
        /// N or N·m.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        most: Option<Real>,
    },
    /// All of it at once: `force + stiffness (target − q) + damping (speed − q̇)`, within `max_force`.
    Servo {
        /// Where it pulls to, m or rad. Default 0.
        #[serde(default, skip_serializing_if = "is_default")]
        target: Real,
        /// How fast the target moves, m/s or rad/s. Default 0.
        #[serde(default, skip_serializing_if = "is_default")]
        speed: Real,
        /// N/m or N·m/rad. Default 0.
        #[serde(default, skip_serializing_if = "is_default")]
        stiffness: Real,
        /// N·s/m or N·m·s/rad. Default 0.
        #[serde(default, skip_serializing_if = "is_default")]
        damping: Real,
        /// Feed-forward, N or N·m. Default 0.
        #[serde(default, skip_serializing_if = "is_default")]
        force: Real,
        /// N or N·m. Default: all it takes.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max_force: Option<Real>,
    },
}

/// How soft a spring with a damper is; see [`drystone::Softness`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub enum SoftnessSpec {
    /// By its constants.
    Stiffness {
        /// N/m or N·m/rad.
        stiffness: Real,
        /// N·s/m or N·m·s/rad.
        damping: Real,
    },
    /// By how the two bodies swing on it.
    Frequency {
        /// Hz.
        frequency: Real,
        /// 1: critical.
        damping_ratio: Real,
    },
}

/// A kind of joint; see [`drystone::JointKind`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "those of the engine")]
pub enum JointKindSpec {
    Distance,
    Ball,
    Hinge,
    Slider,
    Fixed,
    ConeTwist,
    Generic,
    Screw,
    Wheel,
    SoftWeld,
}

/// A coordinate of a joint; see [`drystone::JointAxis`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "those of the engine")]
pub enum JointAxisSpec {
    X,
    Y,
    Z,
    Twist,
    SwingY,
    SwingZ,
    Distance,
}
