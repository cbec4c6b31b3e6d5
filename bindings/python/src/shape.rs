//! Shapes, and shapes on bodies.

use crate::convert::{refused, rotation, vector};
use drystone::math::{RelativePose, Rotation, Vector3};
use drystone::{ColliderSpec, MaterialId};
use numpy::{AllowTypeChange, PyArrayLike2};
use pyo3::prelude::*;

/// A shape in its own frame.
#[pyclass(frozen, module = "drystone")]
#[derive(Clone, Debug)]
pub(crate) struct Shape(pub(crate) drystone::Shape);

/// Points, one a row.
fn points(array: &PyArrayLike2<'_, f32, AllowTypeChange>, name: &str) -> PyResult<Vec<Vector3>> {
    let view = array.as_array();
    if view.ncols() != 3 {
        return Err(refused(format!(
            "{name} must have the shape (n, 3), got ({}, {})",
            view.nrows(),
            view.ncols()
        )));
    }
    Ok(view.rows().into_iter().map(|row| Vector3::new(row[0], row[1], row[2])).collect())
}

#[pymethods]
impl Shape {
    /// A ball.
    #[staticmethod]
    fn sphere(radius: f32) -> PyResult<Self> {
        drystone::Shape::sphere(radius).map(Self).map_err(refused)
    }

    /// A box of half extents.
    #[staticmethod]
    fn cuboid(half_extents: [f64; 3]) -> PyResult<Self> {
        drystone::Shape::cuboid(vector(half_extents)).map(Self).map_err(refused)
    }

    /// A capsule along y.
    #[staticmethod]
    fn capsule(half_length: f32, radius: f32) -> PyResult<Self> {
        drystone::Shape::capsule(half_length, radius).map(Self).map_err(refused)
    }

    /// A cylinder along y.
    #[staticmethod]
    fn cylinder(half_height: f32, radius: f32) -> PyResult<Self> {
        drystone::Shape::cylinder(half_height, radius).map(Self).map_err(refused)
    }

    /// A cone along y.
    #[staticmethod]
    fn cone(half_height: f32, radius: f32) -> PyResult<Self> {
        drystone::Shape::cone(half_height, radius).map(Self).map_err(refused)
    }

    /// All that lies below a plane through the origin.
    #[staticmethod]
    fn half_space(normal: [f64; 3]) -> PyResult<Self> {
        drystone::Shape::half_space(vector(normal)).map(Self).map_err(refused)
    }

    /// The convex hull of points, (n, 3).
    #[staticmethod]
    #[pyo3(name = "hull")]
    fn of_points(array: PyArrayLike2<'_, f32, AllowTypeChange>) -> PyResult<Self> {
        drystone::Shape::hull(&points(&array, "points")?).map(Self).map_err(refused)
    }

    /// A surface of triangles: vertices (n, 3), and triangles (m, 3) of their indices.
    #[staticmethod]
    fn mesh(
        vertices: PyArrayLike2<'_, f32, AllowTypeChange>,
        triangles: PyArrayLike2<'_, i64, AllowTypeChange>,
    ) -> PyResult<Self> {
        let view = triangles.as_array();
        if view.ncols() != 3 {
            let (rows, columns) = (view.nrows(), view.ncols());
            return Err(refused(format!("triangles must have the shape (n, 3), got ({rows}, {columns})")));
        }
        let index = |number: i64| {
            u32::try_from(number)
                .map_err(|_| refused(format!("an index of a vertex must be from 0 on, got {number}")))
        };
        let corners = view.rows().into_iter().map(|row| Ok([index(row[0])?, index(row[1])?, index(row[2])?]));
        let corners = corners.collect::<PyResult<Vec<_>>>()?;
        drystone::Shape::mesh(&points(&vertices, "vertices")?, &corners).map(Self).map_err(refused)
    }

    /// A height field: heights (rows, columns), m, in cells of so many metres along x and z, about the origin.
    #[staticmethod]
    fn height_field(heights: PyArrayLike2<'_, f32, AllowTypeChange>, cell: [f32; 2]) -> PyResult<Self> {
        let view = heights.as_array();
        let all: Vec<f32> = view.iter().copied().collect();
        drystone::Shape::height_field(view.nrows(), view.ncols(), &all, cell).map(Self).map_err(refused)
    }

    /// Volume, m³; 0 for surfaces and half-spaces.
    #[getter]
    fn volume(&self) -> f32 {
        self.0.volume()
    }

    fn __repr__(&self) -> String {
        format!("<Shape {:?}>", self.0.kind())
    }
}

/// A shape on a body, of some material.
#[pyclass(frozen, module = "drystone")]
#[derive(Clone, Debug)]
pub(crate) struct Collider(pub(crate) ColliderSpec);

#[pymethods]
impl Collider {
    #[new]
    #[pyo3(signature = (shape, *, position=[0.0; 3], rotation=None, material=0, member_of=1, meets=u32::MAX, surface_velocity=[0.0; 3], trigger=false))]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn new(
        shape: &Shape,
        position: [f64; 3],
        rotation: Option<[f64; 4]>,
        material: u32,
        member_of: u32,
        meets: u32,
        surface_velocity: [f64; 3],
        trigger: bool,
    ) -> PyResult<Self> {
        let turned = rotation.map_or(Ok(Rotation::identity()), self::rotation)?;
        let spec = ColliderSpec::new(shape.0.clone())
            .local(RelativePose::new(vector(position), turned))
            .material(MaterialId(material))
            .filter(member_of, meets)
            .surface_velocity(vector(surface_velocity));
        Ok(Self(if trigger { spec.trigger() } else { spec }))
    }
}

/// A shape, a collider, or several of them.
#[derive(FromPyObject)]
pub(crate) enum Colliders<'py> {
    Shape(PyRef<'py, Shape>),
    Collider(PyRef<'py, Collider>),
    Many(Vec<OneCollider<'py>>),
}

#[derive(FromPyObject)]
pub(crate) enum OneCollider<'py> {
    Shape(PyRef<'py, Shape>),
    Collider(PyRef<'py, Collider>),
}

impl Colliders<'_> {
    pub(crate) fn specs(&self) -> Vec<ColliderSpec> {
        match self {
            Self::Shape(shape) => vec![ColliderSpec::new(shape.0.clone())],
            Self::Collider(collider) => vec![collider.0.clone()],
            Self::Many(many) => many
                .iter()
                .map(|one| match one {
                    OneCollider::Shape(shape) => ColliderSpec::new(shape.0.clone()),
                    OneCollider::Collider(collider) => collider.0.clone(),
                })
                .collect(),
        }
    }
}
