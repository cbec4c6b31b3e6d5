//! Shapes: what a collider is made of, in its own frame.
//!
//! In: sizes, a plane normal or a point cloud, all in m and `f32`. Out: a validated [`Shape`] and what
//! the stages ask of it: a box in the world, mass properties, a farthest point, a convex core.
//! Knows nothing of bodies or pairs. Start reading at [`Shape`]; hulls are built in `quickhull` (exact
//! triangles), `merge` (polygons) and [`ConvexHull`].
//!
//! Invariants: a shape that a constructor made, or that [`Shape::check`] finds nothing wrong with, is finite, has sizes between [`MIN_SIZE`] and
//! [`MAX_SIZE`] and, except for the half-space, a positive volume; equal input gives equal bits.

mod check;
mod frustum;
mod height_field;
mod hull;
mod lanes;
mod merge;
pub mod mesh;
mod polyhedron;
mod quickhull;
#[cfg(feature = "serde")]
mod serial;
mod support;
mod surface;

pub use frustum::Frustum;
pub use height_field::{HeightField, MAX_FIELD_SIDE};
pub use hull::{ConvexHull, HullEdge, HullFace, MAX_HULL_POINTS, MAX_HULL_VERTICES};
pub use mesh::{DroppedTriangles, MAX_MESH_TRIANGLES, MAX_MESH_VERTICES, TriangleMesh, closed_mesh_mass};
pub use support::{Core, Frame, Support};
pub use surface::Surface;

use crate::ShapeError;
use check::check_size;
use drystone_math::inertia::MassProperties;
use drystone_math::{Aabb, Displacement, Pose, Position, Real, Vector3, is_finite, narrow, widen};
use std::sync::Arc;

/// Largest size accepted for a shape, m: squares and products of it stay finite in `f32`.
pub const MAX_SIZE: Real = 1.0e6;
/// Smallest size accepted for a shape, m.
pub const MIN_SIZE: Real = 1.0e-5;

/// A shape in its own frame. Built through the constructors, which validate; what is written by hand is for [`Shape::check`] to judge, as a world does.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Shape {
    /// A ball around the origin.
    Sphere {
        /// Radius, m.
        radius: Real,
    },
    /// A box around the origin, along the axes.
    Box {
        /// Half the edge lengths, m.
        half_extents: Vector3,
    },
    /// All points within `radius` of a segment along the local y axis.
    Capsule {
        /// Half the length of the segment, m.
        half_length: Real,
        /// Radius, m.
        radius: Real,
    },
    /// A convex polyhedron.
    Hull(Arc<ConvexHull>),
    /// A cylinder around the local y axis, its middle at the origin.
    Cylinder {
        /// Half the height, m.
        half_height: Real,
        /// Radius, m.
        radius: Real,
    },
    /// A cone around the local y axis, the middle of its height at the origin: apex at `+half_height`, base disc at
    /// `-half_height`. Its centre of mass is not the origin.
    Cone {
        /// Half the height, m.
        half_height: Real,
        /// Radius of the base, m.
        radius: Real,
    },
    /// Everything below a plane through the origin; cannot move.
    HalfSpace {
        /// Unit outward normal.
        normal: Vector3,
    },
    /// Triangles with a front and a back; cannot move.
    Mesh(Arc<TriangleMesh>),
    /// Heights over a grid; cannot move.
    HeightField(Arc<HeightField>),
}

/// Which variant a shape is, for tables indexed by pairs of kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ShapeKind {
    /// [`Shape::Sphere`].
    Sphere,
    /// [`Shape::Box`].
    Box,
    /// [`Shape::Capsule`].
    Capsule,
    /// [`Shape::Hull`].
    Hull,
    /// [`Shape::Cylinder`].
    Cylinder,
    /// [`Shape::Cone`].
    Cone,
    /// [`Shape::HalfSpace`].
    HalfSpace,
    /// [`Shape::Mesh`].
    Mesh,
    /// [`Shape::HeightField`].
    HeightField,
}

impl Shape {
    /// A ball of `radius` (m) around the origin.
    ///
    /// # Errors
    /// [`ShapeError::OutOfRange`] when the radius is not a number between [`MIN_SIZE`] and [`MAX_SIZE`].
    ///
    /// ```
    /// use drystone_collision::Shape;
    /// assert!(Shape::sphere(0.5).is_ok());
    /// let refused = Shape::sphere(-1.0).unwrap_err();
    /// assert_eq!(refused.to_string(), "radius must be finite and between 1e-5 m and 1e6 m, got -1");
    /// ```
    pub fn sphere(radius: Real) -> Result<Self, ShapeError> {
        Self::Sphere { radius }.checked()
    }

    /// A box around the origin with half the edge lengths `half_extents` (m).
    ///
    /// # Errors
    /// [`ShapeError::OutOfRange`] when one of them is not a number between [`MIN_SIZE`] and [`MAX_SIZE`].
    pub fn cuboid(half_extents: Vector3) -> Result<Self, ShapeError> {
        Self::Box { half_extents }.checked()
    }

    /// A capsule along the local y axis: all points within `radius` (m) of the segment between
    /// `(0, -half_length, 0)` and `(0, half_length, 0)`. A `half_length` of zero is allowed: a ball.
    ///
    /// # Errors
    /// [`ShapeError::OutOfRange`] when the radius is not a number between [`MIN_SIZE`] and [`MAX_SIZE`],
    /// or the half length not one between 0 and [`MAX_SIZE`].
    pub fn capsule(half_length: Real, radius: Real) -> Result<Self, ShapeError> {
        // `+ 0.0` turns a negative zero into a positive one, so that equal shapes have equal bits.
        Self::Capsule { half_length: half_length + 0.0, radius }.checked()
    }

    /// The convex hull of a point cloud (m), kept in the frame it is given in; see [`ConvexHull::new`].
    ///
    /// # Errors
    /// Those of [`ConvexHull::new`].
    pub fn hull(points: &[Vector3]) -> Result<Self, ShapeError> {
        Ok(Self::Hull(Arc::new(ConvexHull::new(points)?)))
    }

    /// A cylinder along the local y axis: all points within `radius` (m) of the axis and `half_height` (m) of the
    /// origin along it.
    ///
    /// # Errors
    /// [`ShapeError::OutOfRange`] when one of them is not a number between [`MIN_SIZE`] and [`MAX_SIZE`].
    ///
    /// ```
    /// use drystone_collision::Shape;
    /// use drystone_math::Vector3;
    /// let barrel = Shape::cylinder(0.4, 0.3)?;
    /// assert_eq!(barrel.support(&Vector3::new(0.0, 1.0, 2.0)), Vector3::new(0.0, 0.4, 0.3));
    /// # Ok::<(), drystone_collision::ShapeError>(())
    /// ```
    pub fn cylinder(half_height: Real, radius: Real) -> Result<Self, ShapeError> {
        Self::Cylinder { half_height, radius }.checked()
    }

    /// A cone along the local y axis with its apex at `(0, half_height, 0)` and a base disc of `radius` around
    /// `(0, -half_height, 0)`, m: the origin is the middle of the height. Its centre of mass lies at
    /// `(0, -half_height / 2, 0)`.
    ///
    /// # Errors
    /// [`ShapeError::OutOfRange`] when one of them is not a number between [`MIN_SIZE`] and [`MAX_SIZE`].
    ///
    /// ```
    /// use drystone_collision::Shape;
    /// let cone = Shape::cone(0.5, 0.25)?;
    /// let mass = cone.mass_properties(1000.0).expect("a positive density");
    /// assert_eq!(mass.center.y, -0.25);
    /// # Ok::<(), drystone_collision::ShapeError>(())
    /// ```
    pub fn cone(half_height: Real, radius: Real) -> Result<Self, ShapeError> {
        Self::Cone { half_height, radius }.checked()
    }

    /// Everything below the plane through the origin with the outward `normal`, of any length but zero.
    ///
    /// # Errors
    /// [`ShapeError::NotFinite`] when a component is not finite, [`ShapeError::ZeroNormal`] when all are 0.
    pub fn half_space(normal: Vector3) -> Result<Self, ShapeError> {
        if !is_finite(&normal) {
            return Err(ShapeError::NotFinite { field: "normal", index: 0, value: normal.into() });
        }
        // In `f64` no finite `f32` vector but zero has a length that under- or overflows.
        let wide = widen(&normal);
        let length = wide.norm();
        if length == 0.0 {
            return Err(ShapeError::ZeroNormal { value: normal.into() });
        }
        Ok(Self::HalfSpace { normal: narrow(&(wide / length)) })
    }

    /// A surface of triangles with corners at `vertices` (m), counter-clockwise seen from the front; see [`TriangleMesh::new`].
    ///
    /// It touches from its front alone, as in Jolt and Box3D: what comes from behind passes, and what has sunk in is pushed out
    /// in front (see [`crate::narrow::surface`]). It cannot move.
    ///
    /// # Errors
    /// Those of [`TriangleMesh::new`].
    ///
    /// ```
    /// use drystone_collision::Shape;
    /// use drystone_math::Vector3;
    /// let corners = [[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]].map(Vector3::from);
    /// assert!(Shape::mesh(&corners, &[[0, 1, 2]]).is_ok());
    /// let refused = Shape::mesh(&corners, &[[0, 1, 3]]).unwrap_err();
    /// assert_eq!(refused.to_string(), "triangles[0] names vertex 3, but there are 3 vertices");
    /// ```
    pub fn mesh(vertices: &[Vector3], triangles: &[[u32; 3]]) -> Result<Self, ShapeError> {
        Ok(Self::Mesh(Arc::new(TriangleMesh::new(vertices, triangles)?)))
    }

    /// A surface of `rows` by `columns` heights (m), row by row, over a grid in the x-z plane around the origin: columns `cell[0]`
    /// (m) apart along x, rows `cell[1]` (m) apart along z; see [`HeightField::new`]. Touches from above alone, as [`Shape::mesh`].
    ///
    /// # Errors
    /// Those of [`HeightField::new`].
    ///
    /// ```
    /// use drystone_collision::Shape;
    /// assert!(Shape::height_field(2, 3, &[0.0, 0.1, 0.0, 0.1, 0.2, 0.1], [0.5, 0.5]).is_ok());
    /// let refused = Shape::height_field(2, 3, &[0.0; 5], [0.5, 0.5]).unwrap_err();
    /// assert_eq!(refused.to_string(), "a height field of 2 rows and 3 columns has 6 heights, got 5");
    /// ```
    pub fn height_field(
        rows: usize,
        columns: usize,
        heights: &[Real],
        cell: [Real; 2],
    ) -> Result<Self, ShapeError> {
        Ok(Self::HeightField(Arc::new(HeightField::new(rows, columns, heights, cell)?)))
    }

    /// Which variant this is.
    #[inline]
    pub fn kind(&self) -> ShapeKind {
        match self {
            Self::Sphere { .. } => ShapeKind::Sphere,
            Self::Box { .. } => ShapeKind::Box,
            Self::Capsule { .. } => ShapeKind::Capsule,
            Self::Hull(_) => ShapeKind::Hull,
            Self::Cylinder { .. } => ShapeKind::Cylinder,
            Self::Cone { .. } => ShapeKind::Cone,
            Self::HalfSpace { .. } => ShapeKind::HalfSpace,
            Self::Mesh(_) => ShapeKind::Mesh,
            Self::HeightField(_) => ShapeKind::HeightField,
        }
    }

    /// True for shapes that have no inside to speak of and cannot move.
    #[inline]
    pub fn is_immovable(&self) -> bool {
        matches!(self, Self::HalfSpace { .. } | Self::Mesh(_) | Self::HeightField(_))
    }

    /// Corners (m, in the shape's frame) and faces of what is made of polygons: hulls, meshes, height fields; `None` for what is round and for boxes
    /// and half-spaces. Faces are corners by index, anticlockwise seen from outside or above. For whoever draws or exports; allocates.
    ///
    /// ```
    /// use drystone_collision::Shape;
    /// use drystone_math::Vector3;
    /// let corners = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(Vector3::from);
    /// let (vertices, faces) = Shape::hull(&corners)?.polygons().expect("a hull");
    /// assert_eq!((vertices.len(), faces.len()), (4, 4));
    /// assert!(faces.iter().all(|face| face.len() == 3));
    /// # Ok::<(), drystone_collision::ShapeError>(())
    /// ```
    pub fn polygons(&self) -> Option<(Vec<Vector3>, Vec<Vec<u32>>)> {
        Some(match self {
            Self::Hull(hull) => {
                (hull.vertices.clone(), hull.faces.iter().map(|face| hull.face_loop(face).to_vec()).collect())
            }
            Self::Mesh(mesh) => {
                (mesh.vertices().to_vec(), mesh.triangles().iter().map(|t| t.to_vec()).collect())
            }
            Self::HeightField(field) => {
                let columns = field.columns();
                let vertices = (0..field.heights().len()).map(|k| field.vertex(k / columns, k % columns));
                let faces = (0..field.triangle_count() as u32).map(|i| field.corner_indices(i).to_vec());
                (vertices.collect(), faces.collect())
            }
            _ => return None,
        })
    }

    /// True for the one shape that reaches to infinity and cannot move.
    #[inline]
    pub fn is_half_space(&self) -> bool {
        matches!(self, Self::HalfSpace { .. })
    }

    /// A cylinder or cone as what both are: a solid between two discs.
    #[inline]
    pub fn frustum(&self) -> Option<Frustum> {
        match *self {
            Self::Cylinder { half_height, radius } => {
                Some(Frustum { half_height, top: radius, base: radius })
            }
            Self::Cone { half_height, radius } => Some(Frustum { half_height, top: 0.0, base: radius }),
            _ => None,
        }
    }

    /// The smallest box, m, world, around the shape at `pose`; exact up to `f64` rounding. Around a surface of triangles, the
    /// smallest around its box.
    ///
    /// A half-space reaches to `f64::MIN` or `f64::MAX` everywhere, except that a world normal exactly
    /// along an axis bounds that axis on the normal's side.
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        let frame = Frame::of_rotation(&pose.rotation);
        match self {
            Self::Sphere { radius } => {
                Aabb::from_center(pose.translation, Displacement::repeat(f64::from(*radius)))
            }
            Self::Box { half_extents } => {
                let h = widen(half_extents);
                let extents = (frame.x * h.x).abs() + (frame.y * h.y).abs() + (frame.z * h.z).abs();
                Aabb::from_center(pose.translation, extents)
            }
            Self::Capsule { half_length, radius } => {
                let axis = (frame.y * f64::from(*half_length)).abs();
                Aabb::from_center(pose.translation, axis.add_scalar(f64::from(*radius)))
            }
            Self::Hull(hull) => turned_points(&hull.vertices, &frame, &pose.translation),
            Self::Cylinder { half_height, radius } => {
                Frustum { half_height: *half_height, top: *radius, base: *radius }
                    .aabb(&frame, &pose.translation)
            }
            Self::Cone { half_height, radius } => {
                Frustum { half_height: *half_height, top: 0.0, base: *radius }.aabb(&frame, &pose.translation)
            }
            Self::HalfSpace { normal } => half_space_aabb(&frame.turn(&widen(normal)), &pose.translation),
            Self::Mesh(mesh) => turned_box(&mesh.extents(), &frame, &pose.translation),
            Self::HeightField(field) => turned_box(&field.extents(), &frame, &pose.translation),
        }
    }

    /// Mass (kg), centre (m) and inertia (kg m²) at a uniform `density` (kg/m³).
    ///
    /// `None` for what cannot move, for a density that is not finite and positive, and when the result would
    /// leave the range of `f32`.
    pub fn mass_properties(&self, density: Real) -> Option<MassProperties> {
        if !(density.is_finite() && density > 0.0) {
            return None;
        }
        let properties = match self {
            Self::Sphere { radius } => MassProperties::sphere(*radius, density),
            Self::Box { half_extents } => MassProperties::cuboid(half_extents, density),
            Self::Capsule { half_length, radius } => MassProperties::capsule(*half_length, *radius, density),
            Self::Hull(hull) => {
                let unit = hull.unit_mass;
                MassProperties { mass: unit.mass * density, principal: unit.principal * density, ..unit }
            }
            Self::Cylinder { half_height, radius } => {
                MassProperties::cylinder(*half_height, *radius, density)
            }
            Self::Cone { half_height, radius } => MassProperties::cone(*half_height, *radius, density),
            Self::HalfSpace { .. } | Self::Mesh(_) | Self::HeightField(_) => return None,
        };
        properties.is_valid().then_some(properties)
    }

    /// Centre of mass at a uniform density, m, in the shape's frame; the origin for what has no mass.
    ///
    /// ```
    /// use drystone_collision::Shape;
    /// assert_eq!(Shape::cone(1.0, 0.5)?.center_of_mass().y, -0.5);
    /// # Ok::<(), drystone_collision::ShapeError>(())
    /// ```
    #[inline]
    pub fn center_of_mass(&self) -> Vector3 {
        match self {
            Self::Hull(hull) => hull.unit_mass.center,
            Self::Cone { half_height, .. } => Vector3::new(0.0, -0.5 * half_height, 0.0),
            _ => Vector3::zeros(),
        }
    }

    /// Volume, m³; infinite for what cannot move.
    pub fn volume(&self) -> Real {
        self.mass_properties(1.0).map_or(Real::INFINITY, |unit| unit.mass)
    }

    /// Distance of the farthest point from the origin of the shape's frame, m, rounded up; infinite for a
    /// half-space.
    pub fn bounding_radius(&self) -> Real {
        match self {
            Self::Sphere { radius } => *radius,
            Self::Box { half_extents } => round_up(widen(half_extents).norm()),
            Self::Capsule { half_length, radius } => round_up(f64::from(*half_length) + f64::from(*radius)),
            Self::Hull(hull) => hull.radius,
            Self::Cylinder { half_height, radius } | Self::Cone { half_height, radius } => {
                let (h, r) = (f64::from(*half_height), f64::from(*radius));
                round_up((h * h + r * r).sqrt())
            }
            Self::HalfSpace { .. } => Real::INFINITY,
            Self::Mesh(mesh) => mesh.radius(),
            Self::HeightField(field) => field.radius(),
        }
    }

    /// Least distance of the surface from the centre of mass, m: half the thickness of what is thin. 0 for what cannot move.
    ///
    /// ```
    /// use drystone_collision::Shape;
    /// use drystone_math::Vector3;
    /// let plank = Shape::cuboid(Vector3::new(1.0, 0.02, 0.1))?;
    /// assert_eq!(plank.inner_radius(), 0.02);
    /// # Ok::<(), drystone_collision::ShapeError>(())
    /// ```
    pub fn inner_radius(&self) -> Real {
        match self {
            Self::Sphere { radius } | Self::Capsule { radius, .. } => *radius,
            Self::Box { half_extents } => half_extents.min(),
            Self::Hull(hull) => {
                let depth = |face: &HullFace| face.offset - face.normal.dot(&hull.unit_mass.center);
                hull.faces.iter().map(depth).fold(hull.radius, Real::min).max(0.0)
            }
            Self::Cylinder { half_height, radius } => half_height.min(*radius),
            // The centre of mass is a quarter of the height above the base, three quarters below the apex.
            Self::Cone { half_height, radius } => {
                let slant = (4.0 * half_height * half_height + radius * radius).sqrt();
                (0.5 * half_height).min(1.5 * half_height * (radius / slant))
            }
            Self::HalfSpace { .. } | Self::Mesh(_) | Self::HeightField(_) => 0.0,
        }
    }

    /// A point of the shape farthest along `direction` (any length), m, both in the shape's frame.
    ///
    /// A zero direction gives some point of the shape. A half-space has a farthest point only along its
    /// normal; the origin, which lies on its plane, is returned for every direction.
    pub fn support(&self, direction: &Vector3) -> Vector3 {
        let Some((core, radius)) = self.core() else {
            return self.surface().map_or_else(Vector3::zeros, |surface| surface.support(direction));
        };
        let wide = widen(direction);
        let point = core.vertex(core.support(&wide, 0));
        let length = wide.norm();
        let rounded = if length > 0.0 { point + wide * (f64::from(radius) / length) } else { point };
        narrow(&rounded)
    }

    /// How far the shape reaches from its origin along a unit `direction` of its frame, m; infinite for a half-space.
    #[inline]
    pub fn reach(&self, direction: &Vector3) -> Real {
        match self {
            Self::Sphere { radius } => *radius,
            Self::Box { half_extents } => half_extents.dot(&direction.abs()),
            Self::Capsule { half_length, radius } => half_length * direction.y.abs() + radius,
            Self::Hull(hull) => -hull.lanes.lowest(&-direction).1,
            Self::Cylinder { half_height, radius } => {
                half_height * direction.y.abs() + radius * direction.xz().norm()
            }
            Self::Cone { half_height, radius } => {
                (half_height * direction.y).max(radius * direction.xz().norm() - half_height * direction.y)
            }
            Self::HalfSpace { .. } => Real::INFINITY,
            Self::Mesh(mesh) => Surface::Mesh(mesh).reach(direction),
            Self::HeightField(field) => Surface::Field(field).reach(direction),
        }
    }

    /// The convex core and the radius (m) around it: the shape is all points within `radius` of the core.
    /// `None` for a half-space and for surfaces of triangles.
    ///
    /// A sphere is a point, a capsule a segment with a radius; a box, a hull, a cylinder and a cone are their own
    /// core with radius 0. All cores are polytopes, which lets GJK and EPA end after finitely many rounds: the rim
    /// of a disc has 2^31 corners, whose sides leave the circle by less than `f64` can tell (see [`Frustum`]).
    #[inline]
    pub fn core(&self) -> Option<(Core<'_>, Real)> {
        match self {
            Self::Sphere { radius } => Some((Core::Point, *radius)),
            Self::Box { half_extents } => Some((Core::Box { half_extents: *half_extents }, 0.0)),
            Self::Capsule { half_length, radius } => {
                Some((Core::Segment { half_length: *half_length }, *radius))
            }
            Self::Hull(hull) => Some((Core::Hull(hull), 0.0)),
            Self::Cylinder { half_height, radius } => {
                Some((Core::Frustum(Frustum { half_height: *half_height, top: *radius, base: *radius }), 0.0))
            }
            Self::Cone { half_height, radius } => {
                Some((Core::Frustum(Frustum { half_height: *half_height, top: 0.0, base: *radius }), 0.0))
            }
            Self::HalfSpace { .. } | Self::Mesh(_) | Self::HeightField(_) => None,
        }
    }
}

/// The box around points (m) in a frame at `origin`. Adding the origin does not change which of them is outermost, so it is added once.
fn turned_points(points: &[Vector3], frame: &Frame, origin: &Position) -> Aabb {
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for point in points {
        let at: [f64; 3] = frame.turn(&widen(point)).into();
        // Not `f64::min`, which asks what is no number: one instruction each.
        low = std::array::from_fn(|axis| if at[axis] < low[axis] { at[axis] } else { low[axis] });
        high = std::array::from_fn(|axis| if at[axis] > high[axis] { at[axis] } else { high[axis] });
    }
    Aabb::new(origin + Displacement::from(low), origin + Displacement::from(high))
}

/// The box around a box with the `corners` given (lower, upper; m) in a frame at `origin`.
fn turned_box([min, max]: &[Vector3; 2], frame: &Frame, origin: &Position) -> Aabb {
    let (low, high) = (widen(min), widen(max));
    let half = (high - low) * 0.5;
    let extents = (frame.x * half.x).abs() + (frame.y * half.y).abs() + (frame.z * half.z).abs();
    Aabb::from_center(origin + frame.turn(&((low + high) * 0.5)), extents)
}

/// The box of the half-space below the plane through `point` with the world `normal`.
fn half_space_aabb(normal: &Displacement, point: &Position) -> Aabb {
    let mut aabb = Aabb::EVERYTHING;
    for axis in 0..3 {
        if normal[(axis + 1) % 3] == 0.0 && normal[(axis + 2) % 3] == 0.0 {
            if normal[axis] > 0.0 {
                aabb.max[axis] = point[axis];
            } else if normal[axis] < 0.0 {
                aabb.min[axis] = point[axis];
            }
        }
    }
    aabb
}

/// The smallest `f32` that is not below `value`.
pub(crate) fn round_up(value: f64) -> Real {
    let nearest = value as Real;
    if f64::from(nearest) < value { nearest.next_up() } else { nearest }
}
