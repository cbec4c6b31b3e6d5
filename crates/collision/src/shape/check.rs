//! What is true of every shape: sizes within their range, unit normals, hulls as they were made.

use super::{MAX_SIZE, MIN_SIZE, Shape};
use crate::ShapeError;
use drystone_math::{Real, widen};

/// The range of sizes, in the words of an error.
const SIZE_RANGE: &str = "finite and between 1e-5 m and 1e6 m";
/// How far the length of a unit normal may be from 1: what rounding and a few turns leave of it.
const UNIT: f64 = 1e-5;

impl Shape {
    /// Whether this is a shape as the constructors make them, which every other function takes for granted. Variants can also be written by hand,
    /// with any numbers; a world asks here about every shape that enters it, and refuses what fails.
    ///
    /// Costs O(1), for a hull O(vertices + edges): its parts must be those that it was made with. Meshes and height fields cannot be written by hand.
    ///
    /// # Errors
    /// What the constructor of the variant refuses; a normal whose length is not 1; [`ShapeError::ChangedHull`].
    ///
    /// ```
    /// use drystone_collision::Shape;
    /// use drystone_math::Vector3;
    /// assert!(Shape::Sphere { radius: 0.5 }.check().is_ok());
    /// let refused = Shape::HalfSpace { normal: Vector3::new(0.0, 2.0, 0.0) }.check().unwrap_err();
    /// assert_eq!(refused.to_string(), "the length of the normal must be 1, got 2");
    /// ```
    pub fn check(&self) -> Result<(), ShapeError> {
        match self {
            Self::Sphere { radius } => check_size("radius", *radius),
            Self::Box { half_extents } => {
                check_size("half_extents.x", half_extents.x)?;
                check_size("half_extents.y", half_extents.y)?;
                check_size("half_extents.z", half_extents.z)
            }
            Self::Capsule { half_length, radius } => {
                if !(0.0..=MAX_SIZE).contains(half_length) {
                    let expected = "finite and between 0 m and 1e6 m";
                    return Err(ShapeError::OutOfRange {
                        field: "half_length",
                        expected,
                        value: *half_length,
                    });
                }
                check_size("radius", *radius)
            }
            Self::Cylinder { half_height, radius } | Self::Cone { half_height, radius } => {
                check_size("half_height", *half_height)?;
                check_size("radius", *radius)
            }
            Self::HalfSpace { normal } => {
                let length = widen(normal).norm();
                // Written so that what is not a number is refused too.
                let is_unit = (length - 1.0).abs() <= UNIT;
                let field = "the length of the normal";
                let refused = ShapeError::OutOfRange { field, expected: "1", value: length as Real };
                if is_unit { Ok(()) } else { Err(refused) }
            }
            Self::Hull(hull) => hull.check(),
            Self::Mesh(_) | Self::HeightField(_) => Ok(()),
        }
    }

    /// The shape, if [`Shape::check`] finds nothing wrong with it.
    pub(super) fn checked(self) -> Result<Self, ShapeError> {
        self.check().map(|()| self)
    }
}

/// Refuses a size that is not a number between [`MIN_SIZE`] and [`MAX_SIZE`] (m).
pub(super) fn check_size(field: &'static str, value: Real) -> Result<(), ShapeError> {
    if (MIN_SIZE..=MAX_SIZE).contains(&value) {
        return Ok(());
    }
    Err(ShapeError::OutOfRange { field, expected: SIZE_RANGE, value })
}
