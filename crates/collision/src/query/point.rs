//! A point and a shape: inside or not, and the nearest point of the surface.

use super::QueryError;
use super::check_point;
use super::side::{Apart, Pose2, Side, beside, frame_beside, frame_in, gap};
use super::surface;
use crate::Shape;
use crate::narrow::gjk::GjkSeed;
use crate::shape::{ConvexHull, Frame};
use drystone_math::{Displacement, Pose, Position, Vector3, narrow, widen};

/// The point of a surface nearest to a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointProjection {
    /// Nearest point of the surface, m, world.
    pub point: Position,
    /// Unit outward normal there: from inside towards the surface, from outside away from it.
    pub normal: Vector3,
    /// Signed distance of the point asked about from the surface, m; negative inside.
    pub distance: f64,
    /// Whether the point asked about is inside or on the surface.
    pub is_inside: bool,
}

/// The nearest point of the surface of `shape` at `pose` to `point` (m, world). Meshes and height fields have no inside:
/// the normal is that of their side on which the point lies. `None` for a pose that is not made of numbers.
///
/// Closed forms for ball, box, capsule and half-space; a hull by its planes from inside, by GJK from outside.
///
/// # Errors
/// A point that is not made of finite numbers.
///
/// ```
/// use drystone_collision::{Shape, query::project_point};
/// use drystone_math::{Pose, Position, Vector3};
/// let plank = Shape::cuboid(Vector3::new(1.0, 0.1, 0.5))?;
/// let found = project_point(&plank, &Pose::IDENTITY, &Position::new(0.3, 0.04, 0.0))?.expect("a box has a surface");
/// assert!(found.is_inside && (found.distance + 0.06).abs() < 1e-6 && found.normal == Vector3::y());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn project_point(
    shape: &Shape,
    pose: &Pose,
    point: &Position,
) -> Result<Option<PointProjection>, QueryError> {
    check_point("point", point)?;
    if !pose.is_finite() {
        return Ok(None);
    }
    let frame = frame_beside(pose, point);
    // The point asked about is the origin of the outer frame.
    let p = frame.turn_back(&-frame.origin);
    Ok(local_projection(shape, pose, point, &frame, &p).map(|(q, normal, distance)| PointProjection {
        point: point + frame.place(&q),
        normal: narrow(&frame.turn(&normal)),
        distance,
        is_inside: distance <= 0.0,
    }))
}

/// True when `point` (m, world) is inside `shape` at `pose` or on its surface.
///
/// # Errors
/// A point that is not made of finite numbers.
///
/// ```
/// use drystone_collision::{Shape, query::contains_point};
/// use drystone_math::{Pose, Position};
/// let ball = Shape::sphere(1.0)?;
/// assert!(contains_point(&ball, &Pose::at(1.0e7, 0.0, 0.0), &Position::new(1.0e7 + 0.99, 0.0, 0.0))?);
/// assert!(contains_point(&ball, &Pose::IDENTITY, &Position::new(f64::NAN, 0.0, 0.0)).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn contains_point(shape: &Shape, pose: &Pose, point: &Position) -> Result<bool, QueryError> {
    check_point("point", point)?;
    if !pose.is_finite() {
        return Ok(false);
    }
    let frame = frame_beside(pose, point);
    let p = frame.turn_back(&-frame.origin);
    Ok(match shape {
        Shape::Hull(hull) => highest_face(hull, &p).1 <= 0.0,
        _ => local_projection(shape, pose, point, &frame, &p).is_some_and(|found| found.2 <= 0.0),
    })
}

/// Nearest point, outward normal and signed distance, in the frame of the shape.
fn local_projection(
    shape: &Shape,
    pose: &Pose,
    point: &Position,
    frame: &Frame,
    p: &Displacement,
) -> Option<(Displacement, Displacement, f64)> {
    Some(match shape {
        Shape::Sphere { radius } => around(&Displacement::zeros(), f64::from(*radius), p, &Displacement::y()),
        Shape::Capsule { half_length, radius } => {
            let half = f64::from(*half_length);
            let nearest = Displacement::new(0.0, p.y.clamp(-half, half), 0.0);
            around(&nearest, f64::from(*radius), p, &Displacement::x())
        }
        Shape::Box { half_extents } => on_box(&widen(half_extents), p),
        Shape::HalfSpace { normal } => {
            let n = widen(normal);
            let distance = n.dot(p);
            (p - n * distance, n, distance)
        }
        Shape::Hull(hull) => match highest_face(hull, p) {
            (n, height) if height <= 0.0 => (p - n * height, n, height),
            _ => by_cores(shape, pose, point, frame)?,
        },
        Shape::Mesh(_) | Shape::HeightField(_) => surface::project(&shape.surface()?, p)?,
        Shape::Cylinder { .. } | Shape::Cone { .. } => by_cores(shape, pose, point, frame)?,
    })
}

/// On a ball of `radius` (m) around `center`; a point at its centre goes along `axis`.
fn around(
    center: &Displacement,
    radius: f64,
    p: &Displacement,
    axis: &Displacement,
) -> (Displacement, Displacement, f64) {
    let offset = p - center;
    let length = offset.norm();
    let normal = if length > 0.0 { offset / length } else { *axis };
    (center + normal * radius, normal, length - radius)
}

/// On a box with half extents `h`, m.
fn on_box(h: &Displacement, p: &Displacement) -> (Displacement, Displacement, f64) {
    let clamped = p.zip_map(h, |x, h| x.clamp(-h, h));
    let offset = p - clamped;
    let length = offset.norm();
    if length > 0.0 {
        return (clamped, offset / length, length);
    }
    // Inside: through the nearest face, of equally near ones the first.
    let depths = h - p.abs();
    let axis = depths.imin();
    let sign = if p[axis] < 0.0 { -1.0 } else { 1.0 };
    let (mut on, mut normal) = (*p, Displacement::zeros());
    on[axis] = sign * h[axis];
    normal[axis] = sign;
    (on, normal, -depths[axis])
}

/// The normal of the face plane that `p` is highest above, and how high, m.
fn highest_face(hull: &ConvexHull, p: &Displacement) -> (Displacement, f64) {
    let mut best = (Displacement::y(), f64::NEG_INFINITY);
    for face in &hull.faces {
        let normal = widen(&face.normal);
        let height = normal.dot(p) - f64::from(face.offset);
        if height > best.1 {
            best = (normal, height);
        }
    }
    best
}

/// By GJK and EPA.
fn by_cores(
    shape: &Shape,
    pose: &Pose,
    point: &Position,
    frame: &Frame,
) -> Option<(Displacement, Displacement, f64)> {
    let (side, at) = (Side::of(shape)?, Pose::new(*point, pose.rotation));
    let b_in_a = frame_in(frame, &frame_beside(&at, point));
    let poses = Pose2(pose, &at);
    match gap(&side, &Side::POINT, &b_in_a, f64::INFINITY, Some(&poses), &mut GjkSeed::default())? {
        Apart::Near(found) => Some((found.points[0], found.normal, found.distance)),
        Apart::Beyond | Apart::Inside => None,
    }
    .map(|(on, normal, distance)| {
        let normal = if normal.norm_squared() > 0.0 { normal } else { beside(&Displacement::y()) };
        (on, normal, distance)
    })
}
