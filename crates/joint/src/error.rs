//! Why a joint was refused.

use crate::{JointAxis, JointKind};
use drystone_contact::{BodyHandle, ContactError, JointHandle};

/// Why a request was refused; nothing changed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum JointError {
    /// The handle was never issued here, or its joint was removed or broke.
    #[error("joint {0:?} does not exist (removed, broken, or from another world?)")]
    UnknownJoint(JointHandle),
    /// The kind of joint has no such coordinate to set.
    #[error("a {} joint has no {what}", kind.name())]
    HasNo {
        /// What it is.
        kind: JointKind,
        /// What was to be set.
        what: &'static str,
    },
    /// A number is out of range.
    #[error("{field} must be {expected}, got {value}")]
    OutOfRange {
        /// The setting.
        field: &'static str,
        /// Its valid range, in words.
        expected: &'static str,
        /// The value refused.
        value: f64,
    },
    /// The axis has no direction.
    #[error("the axis of a joint must have a finite length above 0, got ({}, {}, {})", axis[0], axis[1], axis[2])]
    NoAxis {
        /// The axis given.
        axis: [f32; 3],
    },
    /// A kind that couples two joints was asked for between two bodies.
    #[error("a {} couples two joints: add it with a `CouplingSpec`", kind.name())]
    NeedsJoints {
        /// What it is.
        kind: JointKind,
    },
    /// The coordinate cannot be coupled: it is locked, or nothing tells how often it went around.
    #[error("the {} of joint {joint:?} cannot be coupled: {reason}", axis.name())]
    CannotCouple {
        /// The joint.
        joint: JointHandle,
        /// Its coordinate.
        axis: JointAxis,
        /// Why, in words.
        reason: &'static str,
    },
    /// The body belongs to others, or nothing acts on it.
    #[error("body {body:?} cannot have a joint: it is {state}")]
    Bound {
        /// The body.
        body: BodyHandle,
        /// What it is, in words.
        state: &'static str,
    },
    /// Refused by bodies or the contact graph.
    #[error(transparent)]
    Contact(#[from] ContactError),
}
