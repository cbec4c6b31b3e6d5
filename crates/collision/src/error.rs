//! Why a shape was refused.

use drystone_math::Real;

/// Why a shape was refused; nothing was built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// A size is out of range.
    #[error("{field} must be {expected}, got {value}")]
    OutOfRange {
        /// The size, as spelled in its constructor.
        field: &'static str,
        /// Its valid range, in words.
        expected: &'static str,
        /// The value refused.
        value: Real,
    },
    /// A point or direction has a component that is not finite.
    #[error("{field}[{index}] must be finite, got ({}, {}, {})", value[0], value[1], value[2])]
    NotFinite {
        /// The list, as spelled in the constructor.
        field: &'static str,
        /// Position in the list.
        index: usize,
        /// The value refused.
        value: [Real; 3],
    },
    /// A direction of length zero.
    #[error("normal must have a direction, got ({}, {}, {})", value[0], value[1], value[2])]
    ZeroNormal {
        /// The value refused.
        value: [Real; 3],
    },
    /// A point of a cloud lies too far from the origin.
    #[error("{field}[{index}] must lie within {limit} m of the origin on every axis, got ({}, {}, {})", value[0], value[1], value[2])]
    TooFar {
        /// The list, as spelled in the constructor.
        field: &'static str,
        /// Position in the list.
        index: usize,
        /// Largest coordinate accepted, m.
        limit: Real,
        /// The value refused.
        value: [Real; 3],
    },
    /// A point cloud that encloses no volume.
    #[error(
        "the {point_count} points span {dimensions} dimensions (extent {extent} m across the thinnest), a hull needs 3"
    )]
    FlatCloud {
        /// Points given.
        point_count: usize,
        /// 0 for a point, 1 for a line, 2 for a plane.
        dimensions: u32,
        /// Thickness across the missing dimension, m.
        extent: Real,
    },
    /// More points than a hull accepts.
    #[error("a hull takes at most {limit} points, got {count}")]
    TooManyPoints {
        /// Points given.
        count: usize,
        /// Largest number accepted.
        limit: usize,
    },
    /// A hull with more corners than a shape may have; a coarser cloud gives fewer.
    #[error(
        "a hull may have at most {limit} corners; building that of the {point_count} points took {count}"
    )]
    TooManyVertices {
        /// Points given.
        point_count: usize,
        /// Corners of the hull before its flat triangles are merged, or made when the work was stopped.
        count: usize,
        /// Largest number accepted.
        limit: usize,
    },
}
