//! Convex polyhedra: vertices, faces with planes, edges.

use super::lanes::HullLanes;
use super::merge::merged_faces;
use super::polyhedron::unit_mass_properties;
use super::quickhull::triangle_hull;
use super::{MAX_SIZE, round_up};
use crate::ShapeError;
use drystone_math::inertia::MassProperties;
use drystone_math::{Displacement, Real, Vector3, is_finite, widen};

/// Most corners of a hull: more cost more in every query, and a coarser cloud serves as well.
pub const MAX_HULL_VERTICES: usize = 4096;
/// Most points of a cloud, so that indices fit and memory stays bounded.
pub const MAX_HULL_POINTS: usize = 1 << 24;

/// Largest tolerance of a hull, as a part of its radius; those made of clouds have a fiftieth of it at most.
pub(super) const MAX_TOLERANCE: f64 = 1e-4;

/// A face of a convex hull.
#[derive(Clone, Debug, PartialEq)]
pub struct HullFace {
    /// Unit outward normal.
    pub normal: Vector3,
    /// Distance of the face plane from the origin along the normal, m.
    pub offset: Real,
    /// First entry of the face's loop in [`ConvexHull::face_vertices`].
    pub first: u32,
    /// Length of the loop.
    pub count: u32,
}

impl HullFace {
    /// How far a point (m, frame of the hull) is above the plane, m.
    #[inline]
    pub(crate) fn height(&self, point: &Displacement) -> f64 {
        widen(&self.normal).dot(point) - f64::from(self.offset)
    }
}

/// An edge of a convex hull, once, with the two faces that meet there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HullEdge {
    /// Its two vertices.
    pub vertices: [u32; 2],
    /// Its two faces: on the left and on the right going from the first vertex to the second, seen from outside.
    pub faces: [u32; 2],
}

/// A convex polyhedron in its own frame. Coplanar triangles are merged into polygons.
///
/// Its parts are there to be read: one whose parts were changed is refused where it enters a world ([`Shape::check`](super::Shape::check)).
#[derive(Clone, Debug, PartialEq)]
pub struct ConvexHull {
    /// Corners, m: points of the cloud, in its order.
    pub vertices: Vec<Vector3>,
    /// Faces.
    pub faces: Vec<HullFace>,
    /// Vertex loops of all faces, counter-clockwise seen from outside.
    pub face_vertices: Vec<u32>,
    /// Edges.
    pub edges: Vec<HullEdge>,
    /// Mass properties at density 1 kg/m³.
    pub unit_mass: MassProperties,
    /// Largest distance of a vertex from the origin, m, rounded up.
    pub radius: Real,
    /// How far a point of the cloud may lie above a face plane, and a face's vertex off it, m.
    pub tolerance: Real,
    /// The same in the layout of queries.
    pub(crate) lanes: HullLanes,
}

impl ConvexHull {
    /// The convex hull of a point cloud (m). Duplicates and interior points are welcome, the frame is kept.
    ///
    /// The result is a closed polyhedron: every edge borders two faces, V − E + F = 2, loops run
    /// counter-clockwise seen from outside, and every point of the cloud and every vertex lies at most
    /// [`ConvexHull::tolerance`] above every face plane. The tolerance is six units in the last place of the
    /// largest coordinates: points and bumps smaller than that are dropped, and triangles that flat become
    /// one polygon. The same cloud gives the same bits.
    ///
    /// Method: quickhull on an integer grid with exact predicates, then merging (see the modules
    /// `quickhull` and `merge`). Cost: O(n log n) typically.
    ///
    /// # Errors
    /// [`ShapeError::NotFinite`] and [`ShapeError::TooFar`] name the first bad point;
    /// [`ShapeError::FlatCloud`] for clouds (empty ones included) thinner than `MIN_SIZE` or eight times the
    /// tolerance, measured from one of its corners to the point farthest from that, from the line of both to the point farthest from it, and across the
    /// triangle of the three: a cube is refused up to sides of 1.22 times that, and a square rod may be 0.71 times that thick; [`ShapeError::TooManyPoints`] above [`MAX_HULL_POINTS`];
    /// [`ShapeError::TooManyVertices`] above [`MAX_HULL_VERTICES`] corners; [`ShapeError::OutOfRange`] for a volume or moment of inertia that
    /// rounding leaves nothing of.
    pub fn new(points: &[Vector3]) -> Result<Self, ShapeError> {
        check_points(points)?;
        let triangles = triangle_hull(points)?;
        let polygons = merged_faces(points, &triangles);
        let radius = farthest(&polygons.vertices);
        let mut hull = Self {
            unit_mass: MassProperties::aligned(0.0, Vector3::zeros()),
            vertices: polygons.vertices,
            faces: polygons.faces,
            face_vertices: polygons.face_vertices,
            edges: polygons.edges,
            radius: round_up(radius),
            // Twice that of the triangles: half for the cloud, half for rounding planes to `f32`.
            tolerance: round_up(2.0 * triangles.tolerance),
            lanes: HullLanes::default(),
        };
        hull.unit_mass = unit_mass_properties(&hull);
        if !hull.unit_mass.is_valid() {
            return Err(no_mass(&hull.unit_mass));
        }
        hull.lanes = HullLanes::new(&hull.vertices, &hull.faces, &hull.edges, &hull.unit_mass.center);
        Ok(hull)
    }

    /// A box as a hull, around the origin and along the axes. Half extents m.
    ///
    /// # Errors
    /// Those of [`ConvexHull::new`].
    pub fn cuboid(half_extents: &Vector3) -> Result<Self, ShapeError> {
        let corner = |i: u32| {
            let sign = |bit: u32| if i >> bit & 1 == 1 { -1.0 } else { 1.0 };
            half_extents.component_mul(&Vector3::new(sign(0), sign(1), sign(2)))
        };
        Self::new(&std::array::from_fn::<_, 8, _>(|i| corner(i as u32)))
    }

    /// Whether its parts still belong together as they were made, or read: they are open to everybody, queries also go by a copy of them in another layout, and
    /// indices are trusted. Of loops, edges and mass range and number alone are looked at. O(vertices + edges).
    pub(super) fn check(&self) -> Result<(), ShapeError> {
        let corner_count = self.vertices.len();
        let is_corner = |i: &u32| (*i as usize) < corner_count;
        let has_loop = |face: &HullFace| {
            let end = face.first as usize + face.count as usize;
            face.count >= 3 && end <= self.face_vertices.len()
        };
        let has_ends = |edge: &HullEdge| {
            edge.vertices.iter().all(is_corner) && edge.faces.iter().all(|&f| (f as usize) < self.faces.len())
        };
        let radius = farthest(&self.vertices);
        let has_sizes = self.radius == round_up(radius)
            && is_tolerance(self.tolerance, radius)
            && self.unit_mass.is_valid();
        let is_whole = corner_count + self.faces.len() == self.edges.len() + 2
            && self.faces.iter().all(has_loop)
            && self.face_vertices.iter().all(is_corner)
            && self.edges.iter().all(has_ends)
            && has_sizes;
        let lanes = || HullLanes::new(&self.vertices, &self.faces, &self.edges, &self.unit_mass.center);
        if is_whole && self.lanes == lanes() { Ok(()) } else { Err(ShapeError::ChangedHull) }
    }

    /// The vertex loop of a face, counter-clockwise seen from outside.
    #[inline]
    pub fn face_loop(&self, face: &HullFace) -> &[u32] {
        &self.face_vertices[face.first as usize..(face.first + face.count) as usize]
    }

    /// Index of a vertex farthest along `direction` (any length): the first such one.
    ///
    /// `start_hint` is a vertex to look at first; today every vertex is looked at, and the hint is unused.
    #[inline]
    pub fn support_vertex(&self, direction: &Vector3, start_hint: u32) -> u32 {
        self.support_index(&widen(direction), start_hint)
    }

    /// [`ConvexHull::support_vertex`] in double precision. O(vertices).
    #[inline]
    pub(crate) fn support_index(&self, direction: &Displacement, _hint: u32) -> u32 {
        let mut best = (0, f64::NEG_INFINITY);
        for (i, v) in self.vertices.iter().enumerate() {
            let reach = widen(v).dot(direction);
            if reach > best.1 {
                best = (i, reach);
            }
        }
        best.0 as u32
    }
}

/// True for a tolerance (m) that a hull of so large a radius (m) may have.
pub(super) fn is_tolerance(tolerance: Real, radius: f64) -> bool {
    tolerance >= 0.0 && f64::from(tolerance) <= MAX_TOLERANCE * radius
}

/// Largest distance of a vertex from the origin, m.
pub(super) fn farthest(vertices: &[Vector3]) -> f64 {
    vertices.iter().map(|v| widen(v).norm_squared()).fold(0.0, f64::max).sqrt()
}

/// Refuses clouds that are too large or hold a point that is not finite or too far out.
fn check_points(points: &[Vector3]) -> Result<(), ShapeError> {
    if points.len() > MAX_HULL_POINTS {
        return Err(ShapeError::TooManyPoints { count: points.len(), limit: MAX_HULL_POINTS });
    }
    for (index, point) in points.iter().enumerate() {
        let value = (*point).into();
        if !is_finite(point) {
            return Err(ShapeError::NotFinite { field: "points", index, value });
        }
        if point.amax() > MAX_SIZE {
            return Err(ShapeError::TooFar { field: "points", index, limit: MAX_SIZE, value });
        }
    }
    if points.is_empty() { Err(flat_cloud(0, 0, 0.0)) } else { Ok(()) }
}

/// The error of a cloud that spans only `dimensions`, `extent` (m) thick across the next.
pub(super) fn flat_cloud(point_count: usize, dimensions: u32, extent: f64) -> ShapeError {
    ShapeError::FlatCloud { point_count, dimensions, extent: extent as Real }
}

/// The error of a hull whose volume (m³) or least moment of inertia (kg m² at 1 kg/m³) is none.
fn no_mass(unit: &MassProperties) -> ShapeError {
    let (field, value) = match unit.mass {
        mass if mass.is_finite() && mass > 0.0 => {
            ("the least moment of inertia of a hull", unit.principal.min())
        }
        mass => ("the volume of a hull", mass),
    };
    ShapeError::OutOfRange { field, expected: "finite and positive", value }
}
