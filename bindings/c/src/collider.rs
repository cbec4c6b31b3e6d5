//! Shapes, and shapes on bodies.

use crate::call::{Failure, call, ds_status, give, read, slice};
use drystone::math::{Quaternion, RelativePose, Rotation, Vector3};
use drystone::{ColliderSpec, MaterialId, Shape};

/// A shape; worlds keep what they need of it, so it may be destroyed once it was used.
#[derive(Debug)]
pub struct ds_shape(pub(crate) Shape);

/// A vector.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ds_vec3 {
    pub x: f32,
    pub y: f32,
    pub z: f32,
}

/// A place in the world, m.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ds_position {
    pub x: f64,
    pub y: f64,
    pub z: f64,
}

/// A rotation; any length but 0.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ds_quat {
    pub x: f32,
    pub y: f32,
    pub z: f32,
    pub w: f32,
}

impl From<ds_vec3> for Vector3 {
    fn from(v: ds_vec3) -> Self {
        Self::new(v.x, v.y, v.z)
    }
}

impl From<&Vector3> for ds_vec3 {
    fn from(v: &Vector3) -> Self {
        Self { x: v.x, y: v.y, z: v.z }
    }
}

impl From<&Rotation> for ds_quat {
    fn from(rotation: &Rotation) -> Self {
        let q = &rotation.coords;
        Self { x: q.x, y: q.y, z: q.z, w: q.w }
    }
}

impl ds_quat {
    pub(crate) const IDENTITY: Self = Self { x: 0.0, y: 0.0, z: 0.0, w: 1.0 };

    pub(crate) fn rotation(self) -> Result<Rotation, Failure> {
        let quaternion = Quaternion::new(self.w, self.x, self.y, self.z);
        if quaternion.norm() > 0.0 && quaternion.norm().is_finite() {
            Ok(Rotation::new_normalize(quaternion))
        } else {
            Err(Failure::refused(format!("rotation must be a quaternion of a length above 0, got {self:?}")))
        }
    }
}

/// A shape on a body. Begin with `ds_collider_default`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ds_collider {
    /// May not be null when it is used.
    pub shape: *const ds_shape,
    /// Where it is on the body, m.
    pub position: ds_vec3,
    pub rotation: ds_quat,
    /// What it is made of; 0 is granite.
    pub material: u32,
    /// Groups (bits) that it belongs to, and groups that it meets.
    pub member_of: u32,
    pub meets: u32,
    /// How fast its surface runs over it, m/s.
    pub surface_velocity: ds_vec3,
    /// Tells what comes in and goes out, and touches nothing.
    pub is_trigger: bool,
}

/// A collider of granite at the origin of its body that meets everything.
#[unsafe(no_mangle)]
pub extern "C" fn ds_collider_default(shape: *const ds_shape) -> ds_collider {
    let zero = ds_vec3 { x: 0.0, y: 0.0, z: 0.0 };
    ds_collider {
        shape,
        position: zero,
        rotation: ds_quat::IDENTITY,
        material: 0,
        member_of: 1,
        meets: u32::MAX,
        surface_velocity: zero,
        is_trigger: false,
    }
}

impl ds_collider {
    /// # Safety
    /// Its shape is null or alive.
    pub(crate) unsafe fn spec(&self) -> Result<ColliderSpec, Failure> {
        // SAFETY: as the caller promises.
        let shape = unsafe { read(self.shape, "the shape of a collider") }?;
        let spec = ColliderSpec::new(shape.0.clone())
            .local(RelativePose::new(self.position.into(), self.rotation.rotation()?))
            .material(MaterialId(self.material))
            .filter(self.member_of, self.meets)
            .surface_velocity(self.surface_velocity.into());
        Ok(if self.is_trigger { spec.trigger() } else { spec })
    }
}

/// Hands a shape out.
///
/// # Safety
/// `shape` null or valid for a write.
unsafe fn hand_out(
    made: Result<Shape, drystone::ShapeError>,
    shape: *mut *mut ds_shape,
) -> Result<(), Failure> {
    if shape.is_null() {
        return Err(Failure::null("shape"));
    }
    // SAFETY: as the caller promises.
    unsafe { give(shape, Box::into_raw(Box::new(ds_shape(made?))), "shape") }
}

/// A ball.
///
/// # Safety
/// `shape` is null or valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_shape_sphere(radius: f32, shape: *mut *mut ds_shape) -> ds_status {
    // SAFETY: as the caller promises.
    call(|| unsafe { hand_out(Shape::sphere(radius), shape) })
}

/// A box of half extents.
///
/// # Safety
/// `shape` is null or valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_shape_cuboid(half_extents: ds_vec3, shape: *mut *mut ds_shape) -> ds_status {
    // SAFETY: as the caller promises.
    call(|| unsafe { hand_out(Shape::cuboid(half_extents.into()), shape) })
}

/// A capsule along y.
///
/// # Safety
/// `shape` is null or valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_shape_capsule(
    half_length: f32,
    radius: f32,
    shape: *mut *mut ds_shape,
) -> ds_status {
    // SAFETY: as the caller promises.
    call(|| unsafe { hand_out(Shape::capsule(half_length, radius), shape) })
}

/// A cylinder along y.
///
/// # Safety
/// `shape` is null or valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_shape_cylinder(
    half_height: f32,
    radius: f32,
    shape: *mut *mut ds_shape,
) -> ds_status {
    // SAFETY: as the caller promises.
    call(|| unsafe { hand_out(Shape::cylinder(half_height, radius), shape) })
}

/// A cone along y.
///
/// # Safety
/// `shape` is null or valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_shape_cone(
    half_height: f32,
    radius: f32,
    shape: *mut *mut ds_shape,
) -> ds_status {
    // SAFETY: as the caller promises.
    call(|| unsafe { hand_out(Shape::cone(half_height, radius), shape) })
}

/// All that lies below a plane through the origin; for fixed bodies.
///
/// # Safety
/// `shape` is null or valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_shape_half_space(normal: ds_vec3, shape: *mut *mut ds_shape) -> ds_status {
    // SAFETY: as the caller promises.
    call(|| unsafe { hand_out(Shape::half_space(normal.into()), shape) })
}

/// The convex hull of points.
///
/// # Safety
/// `points` is null or has `count` values; `shape` is null or valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_shape_hull(
    points: *const ds_vec3,
    count: usize,
    shape: *mut *mut ds_shape,
) -> ds_status {
    call(|| {
        // SAFETY: as the caller promises.
        let points = unsafe { slice(points, count, "points") }?;
        let points: Vec<Vector3> = points.iter().map(|&point| point.into()).collect();
        // SAFETY: as the caller promises.
        unsafe { hand_out(Shape::hull(&points), shape) }
    })
}

/// A surface of triangles, three indices each, counter-clockwise from outside; for fixed bodies.
///
/// # Safety
/// `vertices` is null or has `vertex_count` values, `indices` null or three times `triangle_count`; `shape` is null or valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_shape_mesh(
    vertices: *const ds_vec3,
    vertex_count: usize,
    indices: *const u32,
    triangle_count: usize,
    shape: *mut *mut ds_shape,
) -> ds_status {
    call(|| {
        // SAFETY: as the caller promises.
        let vertices = unsafe { slice(vertices, vertex_count, "vertices") }?;
        let vertices: Vec<Vector3> = vertices.iter().map(|&point| point.into()).collect();
        // SAFETY: as the caller promises.
        let indices = unsafe { slice(indices, triangle_count.saturating_mul(3), "indices") }?;
        let (triangles, _) = indices.as_chunks::<3>();
        // SAFETY: as the caller promises.
        unsafe { hand_out(Shape::mesh(&vertices, triangles), shape) }
    })
}

/// A height field: heights row by row, m, in cells of so many metres along x and z; for fixed bodies.
///
/// # Safety
/// `heights` is null or has `rows` times `columns` values; `shape` is null or valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_shape_height_field(
    rows: usize,
    columns: usize,
    heights: *const f32,
    cell_x: f32,
    cell_z: f32,
    shape: *mut *mut ds_shape,
) -> ds_status {
    call(|| {
        // SAFETY: as the caller promises.
        let heights = unsafe { slice(heights, rows.saturating_mul(columns), "heights") }?;
        // SAFETY: as the caller promises.
        unsafe { hand_out(Shape::height_field(rows, columns, heights, [cell_x, cell_z]), shape) }
    })
}

/// Destroys a shape; null is nothing.
///
/// # Safety
/// `shape` is null or came from a function above, and is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_shape_destroy(shape: *mut ds_shape) {
    if !shape.is_null() {
        // SAFETY: as the caller promises.
        drop(unsafe { Box::from_raw(shape) });
    }
}
