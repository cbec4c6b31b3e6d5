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
    /// A hull whose parts were changed after it was made.
    #[error("a hull must be as it was made: its corners, faces, edges, sizes or mass were changed")]
    ChangedHull,
    /// More points than a hull accepts.
    #[error("a hull takes at most {limit} points, got {count}")]
    TooManyPoints {
        /// Points given.
        count: usize,
        /// Largest number accepted.
        limit: usize,
    },
    /// More entries than a list may have.
    #[error("{field} may have at most {limit} entries, got {count}")]
    TooMany {
        /// The list, as spelled in the constructor.
        field: &'static str,
        /// Entries given.
        count: usize,
        /// Largest number accepted.
        limit: usize,
    },
    /// A triangle names a vertex that is not there.
    #[error("triangles[{triangle}] names vertex {index}, but there are {vertex_count} vertices")]
    NoSuchVertex {
        /// Position in the list.
        triangle: usize,
        /// The index refused.
        index: u32,
        /// Vertices given.
        vertex_count: usize,
    },
    /// A mesh of nothing.
    #[error("a mesh needs a triangle with an area, none of the {given} given has one")]
    NoTriangles {
        /// Triangles given.
        given: usize,
    },
    /// A mesh that should enclose a solid has an edge that no triangle, or not as many triangles, run back along.
    #[error(
        "the mesh is open: its edge from vertex {from} at ({}, {}, {}) to vertex {to} at ({}, {}, {}) is not matched",
        at[0][0], at[0][1], at[0][2], at[1][0], at[1][1], at[1][2]
    )]
    OpenMesh {
        /// First vertex of the edge.
        from: u32,
        /// Second vertex of the edge.
        to: u32,
        /// Where they are, m.
        at: [[Real; 3]; 2],
    },
    /// A closed mesh that encloses no volume, or a negative one.
    #[error(
        "the mesh must enclose a volume, got {volume} m³ (negative: its triangles are the wrong way round)"
    )]
    NoVolume {
        /// Its volume, m³.
        volume: f64,
    },
    /// Too few or too many rows or columns of a height field.
    #[error("{field} of a height field must be between 2 and {limit}, got {count}")]
    GridSide {
        /// `rows` or `columns`.
        field: &'static str,
        /// The number refused.
        count: usize,
        /// Largest number accepted.
        limit: usize,
    },
    /// As many heights as a grid does not have.
    #[error("a height field of {rows} rows and {columns} columns has {} heights, got {count}", rows * columns)]
    GridSize {
        /// Rows.
        rows: usize,
        /// Columns.
        columns: usize,
        /// Heights given.
        count: usize,
    },
    /// A height that is not finite or too large.
    #[error("the height at row {row}, column {column} must be finite and within {limit} m of 0, got {value}")]
    BadHeight {
        /// Its row.
        row: usize,
        /// Its column.
        column: usize,
        /// Largest accepted, m.
        limit: Real,
        /// The value refused.
        value: Real,
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
