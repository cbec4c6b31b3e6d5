//! Queries: rays, swept shapes, overlap, closest points and points inside; of one shape at a pose, or of two.
//!
//! In: shapes at poses in the world, a ray, a point or a motion. Out: what is hit or nearest, where, and how sure that is. Knows no
//! body and no broad phase: [`crate::broad::BroadPhase`] tells which boxes are worth asking about. Start reading at [`cast_ray`] for one
//! shape and at [`cast_motion`] for two.
//!
//! | question | one shape | two shapes | many, by their boxes |
//! |---|---|---|---|
//! | what does a ray hit | [`cast_ray`] | | [`BroadPhase::visit_cast`](crate::broad::BroadPhase::visit_cast) |
//! | what does a moving shape hit | | [`cast_shape`], [`cast_motion`] | [`BroadPhase::visit_cast`](crate::broad::BroadPhase::visit_cast) |
//! | do they overlap, how far apart | [`contains_point`], [`project_point`] | [`overlaps`], [`closest_points`] | [`BroadPhase::visit_box`](crate::broad::BroadPhase::visit_box) |
//!
//! Method: closed forms of ball, box, capsule, half-space and of a hull by its planes, for points also of cylinder and cone; everything else by GJK and
//! EPA between convex cores ([`Shape::core`](crate::Shape::core)), swept by conservative advancement. A new convex shape needs nothing here but how points
//! are projected onto it (`by_cores` will do for one without round sides). Meshes and height fields are asked triangle by triangle (`surface`). Two
//! shapes of which neither has a core have no answer.
//!
//! Invariants: nothing allocates and nothing is remembered; every loop is bounded, and hitting the bound is told
//! ([`CastStatus::RoundLimit`], [`NarrowStatus::RoundLimit`](crate::narrow::NarrowStatus)).
//! Conventions: SI, world; positions are subtracted in `f64` and all the rest is computed in it, in a frame beside the shapes.

mod apart;
mod cast;
mod closest;
mod point;
mod ray;
mod side;
mod surface;

pub use cast::{CastStatus, MAX_CAST_ROUNDS, MotionCast, ShapeHit, SweptPose, cast_motion, cast_shape};
pub use closest::{ClosestPoints, closest_points, overlaps};
pub use point::{PointProjection, contains_point, project_point};
pub use ray::{Ray, RayHit, cast_ray};

use drystone_math::{Displacement, Position};

/// Why a query was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum QueryError {
    /// A point, direction or length is not made of finite numbers.
    #[error("{field} must be finite, got {value}")]
    NotFinite {
        /// What was given.
        field: &'static str,
        /// The component refused.
        value: f64,
    },
    /// A direction of length zero.
    #[error("{field} must have a length, got (0, 0, 0)")]
    NoDirection {
        /// What was given.
        field: &'static str,
    },
    /// A length below zero.
    #[error("{field} must be at least 0 m, got {value}")]
    Negative {
        /// What was given.
        field: &'static str,
        /// The length refused, m.
        value: f64,
    },
}

/// The first component that is not finite, as an error.
fn check_finite(field: &'static str, values: &Displacement) -> Result<(), QueryError> {
    match values.iter().find(|value| !value.is_finite()) {
        Some(&value) => Err(QueryError::NotFinite { field, value }),
        None => Ok(()),
    }
}

/// Refuses a point that is not made of finite numbers.
///
/// # Errors
/// [`QueryError::NotFinite`].
pub fn check_point(field: &'static str, point: &Position) -> Result<(), QueryError> {
    check_finite(field, &point.coords)
}

/// Refuses a length that is no number or below zero; infinity is allowed.
///
/// # Errors
/// [`QueryError::NotFinite`] for what is no number, [`QueryError::Negative`].
pub fn check_length(field: &'static str, value: f64) -> Result<(), QueryError> {
    if value.is_nan() {
        return Err(QueryError::NotFinite { field, value });
    }
    if value < 0.0 { Err(QueryError::Negative { field, value }) } else { Ok(()) }
}
