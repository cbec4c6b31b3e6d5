//! Convex cores: the polytopes that GJK and EPA see.

use super::{ConvexHull, Frustum};
use drystone_math::{Displacement, Real, RelativePose, Rotation, Vector3, widen};

/// A convex polytope, known by its vertices, in its own frame.
pub trait Support {
    /// Index of a vertex farthest along `direction` (any length, own frame). `hint` is a vertex to start
    /// looking from; it changes the cost, never by how far the answer reaches.
    fn support(&self, direction: &Displacement, hint: u32) -> u32;
    /// The vertex at `index`, m, own frame. `index` is below [`Support::vertex_count`].
    fn vertex(&self, index: u32) -> Displacement;
    /// Number of vertices, at least 1.
    fn vertex_count(&self) -> u32;
}

/// The convex core of a shape; see [`Shape::core`](super::Shape::core).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Core<'a> {
    /// The origin.
    Point,
    /// From `(0, -half_length, 0)` to `(0, half_length, 0)`.
    Segment {
        /// Half the length, m.
        half_length: Real,
    },
    /// A box around the origin, along the axes. Bits 0, 1 and 2 of a vertex index are set where its x, y
    /// and z are negative.
    Box {
        /// Half the edge lengths, m.
        half_extents: Vector3,
    },
    /// A convex polyhedron.
    Hull(&'a ConvexHull),
    /// A triangle of a surface: its corners, m.
    Triangle(&'a [Vector3; 3]),
    /// A cylinder or cone.
    Frustum(Frustum),
}

impl Support for Core<'_> {
    #[inline]
    fn support(&self, direction: &Displacement, hint: u32) -> u32 {
        match self {
            Self::Point => 0,
            Self::Segment { .. } => u32::from(direction.y < 0.0),
            Self::Box { .. } => {
                u32::from(direction.x < 0.0)
                    | u32::from(direction.y < 0.0) << 1
                    | u32::from(direction.z < 0.0) << 2
            }
            Self::Hull(hull) => hull.support_index(direction, hint),
            Self::Triangle(corners) => {
                let [a, b, c] = corners.map(|v| widen(&v).dot(direction));
                if a >= b && a >= c { 0 } else { 1 + u32::from(c > b) }
            }
            Self::Frustum(frustum) => frustum.support_index(direction),
        }
    }

    #[inline]
    fn vertex(&self, index: u32) -> Displacement {
        let signed = |bit: u32, value: Real| f64::from(if index >> bit & 1 == 1 { -value } else { value });
        match self {
            Self::Point => Displacement::zeros(),
            Self::Segment { half_length } => Displacement::new(0.0, signed(0, *half_length), 0.0),
            Self::Box { half_extents: h } => {
                Displacement::new(signed(0, h.x), signed(1, h.y), signed(2, h.z))
            }
            Self::Hull(hull) => widen(&hull.vertices[index as usize]),
            Self::Triangle(corners) => widen(&corners[index as usize]),
            Self::Frustum(frustum) => frustum.corner(index),
        }
    }

    #[inline]
    fn vertex_count(&self) -> u32 {
        match self {
            Self::Point => 1,
            Self::Segment { .. } => 2,
            Self::Box { .. } => 8,
            Self::Hull(hull) => hull.vertices.len() as u32,
            Self::Triangle(_) => 3,
            Self::Frustum(_) => u32::MAX,
        }
    }
}

/// A rigid frame in `f64`: its axes and origin, seen from the outer frame.
///
/// The `f32` quaternion is normalised in `f64`, so the axes are orthonormal to `f64` rounding and a box
/// face stays flat to that rounding after a turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// Its x axis.
    pub x: Displacement,
    /// Its y axis.
    pub y: Displacement,
    /// Its z axis.
    pub z: Displacement,
    /// Its origin, m.
    pub origin: Displacement,
}

impl Frame {
    /// The frame of `pose`.
    #[inline]
    pub fn new(pose: &RelativePose) -> Self {
        Self { origin: widen(&pose.translation), ..Self::of_rotation(&pose.rotation) }
    }

    /// A frame turned by `rotation` around the outer origin. A zero quaternion counts as no turn.
    pub fn of_rotation(rotation: &Rotation) -> Self {
        let q = rotation.coords;
        let (i, j, k, w) = (f64::from(q.x), f64::from(q.y), f64::from(q.z), f64::from(q.w));
        let square = i * i + j * j + k * k + w * w;
        let s = if square > 0.0 { 2.0 / square } else { 0.0 };
        Self {
            x: Displacement::new(1.0 - s * (j * j + k * k), s * (i * j + w * k), s * (i * k - w * j)),
            y: Displacement::new(s * (i * j - w * k), 1.0 - s * (i * i + k * k), s * (j * k + w * i)),
            z: Displacement::new(s * (i * k + w * j), s * (j * k - w * i), 1.0 - s * (i * i + j * j)),
            origin: Displacement::zeros(),
        }
    }

    /// True when every component is finite.
    #[inline]
    pub fn is_finite(&self) -> bool {
        [self.x, self.y, self.z, self.origin].iter().all(|v| v.iter().all(|c| c.is_finite()))
    }

    /// A direction of this frame in the outer one.
    #[inline]
    pub fn turn(&self, local: &Displacement) -> Displacement {
        self.x * local.x + self.y * local.y + self.z * local.z
    }

    /// A direction of the outer frame in this one.
    #[inline]
    pub fn turn_back(&self, outer: &Displacement) -> Displacement {
        Displacement::new(self.x.dot(outer), self.y.dot(outer), self.z.dot(outer))
    }

    /// A point of this frame (m) in the outer one.
    #[inline]
    pub fn place(&self, local: &Displacement) -> Displacement {
        self.origin + self.turn(local)
    }
}
