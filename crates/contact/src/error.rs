//! Why a request was refused.

use crate::{BodyHandle, CompositeHandle, MaterialId, MultibodyHandle, NodeKind, RuleHandle, TimerHandle};
use drystone_math::Real;

/// Why a request to bodies, materials or the graph was refused; nothing changed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ContactError {
    /// The handle was never issued here, or its body was removed.
    #[error("body {0:?} does not exist (removed, or from another world?)")]
    UnknownBody(BodyHandle),
    /// The handle was never issued here, or its timer was removed or has ticked its only time.
    #[error("timer {0:?} does not exist (removed, over, or from another world?)")]
    UnknownTimer(TimerHandle),
    /// The handle was never issued here, or its rule was removed.
    #[error("rule {0:?} does not exist (removed, or from another world?)")]
    UnknownRule(RuleHandle),
    /// The handle was never issued here, or its composite was broken.
    #[error("composite {0:?} does not exist (unfastened, or from another world?)")]
    UnknownComposite(CompositeHandle),
    /// The handle was never issued here, or its multibody was removed.
    #[error("multibody {0:?} does not exist (removed, or from another world?)")]
    UnknownMultibody(MultibodyHandle),
    /// The body belongs to a container, and can be in one only.
    #[error("body {body:?} is {role}")]
    InContainer {
        /// The body.
        body: BodyHandle,
        /// What it is in its container, in words.
        role: &'static str,
    },
    /// A container needs more bodies.
    #[error("a {container} needs at least {least} bodies, got {count}")]
    TooFew {
        /// What was to be made.
        container: &'static str,
        /// How many it needs.
        least: usize,
        /// How many were given.
        count: usize,
    },
    /// A body was named more than once.
    #[error("body {0:?} is named more than once")]
    Repeated(BodyHandle),
    /// The body is passive: nothing acts on it until it is active again.
    #[error("body {0:?} is passive; make it active first")]
    Passive(BodyHandle),
    /// A number is out of range.
    #[error("{field} must be {expected}, got {value}")]
    OutOfRange {
        /// The setting, as spelled in its struct.
        field: &'static str,
        /// Its valid range, in words.
        expected: &'static str,
        /// The value refused.
        value: f64,
    },
    /// A vector or pose has a component that is not finite.
    #[error("{field} must be finite, got ({}, {}, {})", value[0], value[1], value[2])]
    NotFinite {
        /// The setting, as spelled in its struct.
        field: &'static str,
        /// The value refused.
        value: [f64; 3],
    },
    /// Kinetic friction above static friction.
    #[error("kinetic friction must not exceed static friction, got {kinetic} above {static_friction}")]
    FrictionOrder {
        /// Coefficient of static friction.
        static_friction: Real,
        /// Coefficient of kinetic friction.
        kinetic: Real,
    },
    /// No material of that name.
    #[error("material {0:?} is not registered")]
    UnknownMaterial(String),
    /// The material id was never issued by this table.
    #[error("material {0:?} does not exist in this table")]
    UnknownMaterialId(MaterialId),
    /// A material of that name exists already.
    #[error("material {0:?} is registered already")]
    DuplicateMaterial(String),
    /// The body cannot move, so a force, impulse or wake has no meaning for it.
    #[error("body {0:?} is not dynamic")]
    NotDynamic(BodyHandle),
    /// A joint of a body with itself, or between two that cannot move.
    #[error("a joint needs two bodies of which at least one is dynamic, got {0:?}")]
    NothingToTie([Option<BodyHandle>; 2]),
    /// The contact graph has no edge between such nodes (S3-02), or one of them is missing.
    #[error("there is no edge between a node of kind {} and one of kind {}", name(kinds[0]), name(kinds[1]))]
    NoSuchEdge {
        /// What they are; `None` for one that is not there.
        kinds: [Option<NodeKind>; 2],
    },
    /// Too many entries for 32-bit indices.
    #[error("the number of {0} exceeds 2^32 - 2")]
    Full(&'static str),
}

fn name(kind: Option<NodeKind>) -> &'static str {
    kind.map_or("missing", NodeKind::name)
}

/// `Ok` when the number is in range.
pub(crate) fn check(
    field: &'static str,
    expected: &'static str,
    value: Real,
    valid: impl Fn(Real) -> bool,
) -> Result<(), ContactError> {
    if value.is_finite() && valid(value) {
        Ok(())
    } else {
        Err(ContactError::OutOfRange { field, expected, value: f64::from(value) })
    }
}

/// `Ok` when all components are finite.
pub(crate) fn check_finite(field: &'static str, v: &drystone_math::Vector3) -> Result<(), ContactError> {
    if drystone_math::is_finite(v) {
        Ok(())
    } else {
        Err(ContactError::NotFinite { field, value: [v.x.into(), v.y.into(), v.z.into()] })
    }
}
