//! One view of meshes and height fields: triangles with a front, found by place.

use super::{HeightField, Shape, TriangleMesh};
use drystone_math::{Real, Vector3};

/// A shape made of triangles, in its own frame.
#[derive(Clone, Copy, Debug)]
pub enum Surface<'a> {
    /// A triangle mesh.
    Mesh(&'a TriangleMesh),
    /// A height field.
    Field(&'a HeightField),
}

impl Surface<'_> {
    /// Calls `visit` with index and corners (m) of every triangle whose box overlaps the one from `min` to `max` (m) or touches it;
    /// the order depends on the shape alone.
    #[inline]
    pub fn search(&self, min: &Vector3, max: &Vector3, visit: impl FnMut(u32, &[Vector3; 3])) {
        match self {
            Self::Mesh(mesh) => mesh.search(min, max, visit),
            Self::Field(field) => field.search(min, max, visit),
        }
    }

    /// Lower and upper corner of the box around it, m.
    pub fn extents(&self) -> [Vector3; 2] {
        match self {
            Self::Mesh(mesh) => mesh.extents(),
            Self::Field(field) => field.extents(),
        }
    }

    /// How far it reaches from the origin along a unit `direction`, m. O(vertices).
    pub fn reach(&self, direction: &Vector3) -> Real {
        self.support(direction).dot(direction)
    }

    /// The corner farthest along `direction`, the first of equal ones, m. O(vertices).
    pub fn support(&self, direction: &Vector3) -> Vector3 {
        let mut best = (Vector3::zeros(), Real::NEG_INFINITY);
        let mut look = |v: Vector3| {
            let reach = v.dot(direction);
            if reach > best.1 {
                best = (v, reach);
            }
        };
        match self {
            Self::Mesh(mesh) => {
                mesh.triangles().iter().flatten().for_each(|&i| look(mesh.vertices()[i as usize]));
            }
            Self::Field(field) => {
                let columns = field.columns();
                (0..field.heights().len()).for_each(|k| look(field.vertex(k / columns, k % columns)));
            }
        }
        best.0
    }

    /// Largest distance of a point from the origin, m, rounded up.
    #[inline]
    pub fn radius(&self) -> Real {
        match self {
            Self::Mesh(mesh) => mesh.radius(),
            Self::Field(field) => field.radius(),
        }
    }
}

impl Shape {
    /// The shape as a surface of triangles; `None` for what is solid.
    #[inline]
    pub fn surface(&self) -> Option<Surface<'_>> {
        match self {
            Self::Mesh(mesh) => Some(Surface::Mesh(mesh)),
            Self::HeightField(field) => Some(Surface::Field(field)),
            _ => None,
        }
    }
}
