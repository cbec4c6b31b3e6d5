//! Why a request was refused.

use drystone_contact::{BodyHandle, ColliderHandle, ContactError};

/// Why a shape or a request to the world was refused; nothing changed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanarError {
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
    /// The points of a polygon span no area.
    #[error("a polygon needs three points that are not on a line, got {0} points without area")]
    Flat(usize),
    /// The hull of a polygon has too many corners.
    #[error("a polygon has at most {limit} corners, got {got}")]
    TooManyCorners {
        /// Most that are accepted.
        limit: usize,
        /// What the hull has.
        got: usize,
    },
    /// The handle was never issued by this world, or its collider was removed.
    #[error("collider {0:?} does not exist (removed, or from another world?)")]
    UnknownCollider(ColliderHandle),
    /// A dynamic body has a shape that cannot move, or no shape with an area.
    #[error("a dynamic body needs colliders with an area, got {0}")]
    NoMass(String),
    /// The body is in quarantine: its state turned non-finite.
    #[error("body {0:?} is in quarantine since its state turned non-finite; remove it")]
    Quarantined(BodyHandle),
    /// Refused by handles or materials.
    #[error(transparent)]
    Contact(#[from] ContactError),
}

/// `Ok` when the number is finite and in range.
pub(crate) fn check(
    field: &'static str,
    expected: &'static str,
    value: f64,
    is_valid: bool,
) -> Result<(), PlanarError> {
    if value.is_finite() && is_valid {
        Ok(())
    } else {
        Err(PlanarError::OutOfRange { field, expected, value })
    }
}

/// `Ok` when both components are finite.
pub(crate) fn check_vector(field: &'static str, v: &crate::Vector2) -> Result<(), PlanarError> {
    check(field, "finite", v.x.into(), true)?;
    check(field, "finite", v.y.into(), true)
}
