//! A point and a shape: inside or not, and the nearest point of the surface.

use super::QueryError;
use super::check_point;
use super::side::{Apart, Pose2, Side, beside, frame_beside, frame_in, frame_in_reach, gap, is_in_hull};
use super::surface;
use crate::Shape;
use crate::narrow::gjk::GjkSeed;
use crate::shape::{ConvexHull, Frame, Frustum};
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
/// the normal is that of their side on which the point lies. `None` for a pose that is not made of numbers or farther away than 1e100 m.
///
/// Closed forms for ball, box, capsule, cylinder, cone and half-space; a hull by its planes from inside, by GJK from outside. Where several points are
/// equally near, as on the axis of a cylinder, one of them is told, always the same.
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
    let Some(frame) = frame_in_reach(pose, point) else { return Ok(None) };
    // The point asked about is the origin of the outer frame.
    let p = frame.turn_back(&-frame.origin);
    Ok(local_projection(shape, pose, point, &frame, &p).map(|(q, normal, distance)| PointProjection {
        point: point + frame.place(&q),
        normal: narrow(&frame.turn(&normal)),
        distance,
        is_inside: distance <= 0.0,
    }))
}

/// True when `point` (m, world) is inside `shape` at `pose` or on its surface. False for a pose that is not made of numbers or farther away than 1e100 m.
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
    let Some(frame) = frame_in_reach(pose, point) else { return Ok(false) };
    let p = frame.turn_back(&-frame.origin);
    Ok(match shape {
        Shape::Hull(hull) => highest_face(hull, &p).1 <= 0.0 && is_in_hull(hull, &p, 0.0),
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
            (n, height) if height <= 0.0 && is_in_hull(hull, p, 0.0) => (p - n * height, n, height),
            _ => by_cores(shape, pose, point, frame)?,
        },
        Shape::Mesh(_) | Shape::HeightField(_) => surface::project(&shape.surface()?, p)?,
        Shape::Cylinder { .. } | Shape::Cone { .. } => on_frustum(&shape.frustum()?, p),
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

/// On a cylinder or cone. In the half plane of the axis and the point it is a polygon of three sides beside the axis: from inside the nearest of their
/// lines is left, from outside the nearest of the sides themselves is met.
fn on_frustum(frustum: &Frustum, p: &Displacement) -> (Displacement, Displacement, f64) {
    let [half, top, base] = [frustum.half_height, frustum.top, frustum.base].map(f64::from);
    // Away from the axis; a point on it goes along x.
    let across = (p.x * p.x + p.z * p.z).sqrt();
    let away =
        if across > 0.0 { Displacement::new(p.x / across, 0.0, p.z / across) } else { Displacement::x() };
    let place = |across: f64, along: f64| away * across + Displacement::y() * along;
    // From the top's middle round to the base's: where each side begins, its length, its outward normal.
    let slant = (4.0 * half * half + (base - top) * (base - top)).sqrt();
    let (rise, lean) = (2.0 * half / slant, (base - top) / slant);
    let sides = [
        ([0.0, half], top, [0.0, 1.0]),
        ([top, half], slant, [rise, lean]),
        ([base, -half], base, [0.0, -1.0]),
    ];
    // Foot of the point on the line of each side, m along it, and height above it.
    let feet = sides.map(|([x, y], length, [n, m])| {
        let (dx, dy) = (across - x, p.y - y);
        (dx * m - dy * n, length, n * dx + m * dy)
    });
    let nearest = |distance: &dyn Fn(usize) -> f64| {
        [1, 2].into_iter().fold(0, |best, k| if distance(k) < distance(best) { k } else { best })
    };
    if feet.iter().all(|&(.., height)| height <= 0.0) {
        let side = nearest(&|k| -feet[k].2);
        let (.., [n, m]) = sides[side];
        let (normal, height) = (place(n, m), feet[side].2);
        return (p - normal * height, normal, height);
    }
    let on_side = |k: usize| {
        let (([x, y], length, [n, m]), (foot, ..)) = (sides[k], feet[k]);
        // Not `clamp`, which ends the program for a length that is no number.
        let foot = foot.max(0.0).min(length);
        place(x + foot * m, y - foot * n)
    };
    let side = nearest(&|k| (p - on_side(k)).norm_squared());
    let on = on_side(side);
    let (offset, (.., [n, m])) = (p - on, sides[side]);
    let distance = offset.norm();
    let normal = if distance > 0.0 { offset / distance } else { place(n, m) };
    (on, normal, distance)
}

/// The normal of the face plane that `p` is highest above, and how high, m.
fn highest_face(hull: &ConvexHull, p: &Displacement) -> (Displacement, f64) {
    let mut best = (Displacement::y(), f64::NEG_INFINITY);
    for face in &hull.faces {
        let height = face.height(p);
        if height > best.1 {
            best = (widen(&face.normal), height);
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
