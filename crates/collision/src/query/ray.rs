//! A ray against a shape.

use super::cast::{Sweep, sweep};
use super::side::{Side, frame_in_reach, is_in_hull};
use super::surface;
use super::{CastStatus, QueryError, check_finite, check_length, check_point};
use crate::Shape;
use crate::shape::ConvexHull;
use drystone_math::{Displacement, Pose, Position, Vector3, narrow, widen};

/// A half-line: where it begins and where it goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    origin: Position,
    direction: Displacement,
}

impl Ray {
    /// A ray from `origin` (m, world) along `direction`, of any length but zero.
    ///
    /// # Errors
    /// What is not finite, and a direction without length.
    ///
    /// ```
    /// use drystone_collision::query::Ray;
    /// use drystone_math::{Displacement, Position};
    /// let ray = Ray::new(Position::origin(), Displacement::new(0.0, -3.0, 0.0))?;
    /// assert_eq!(ray.at(2.0), Position::new(0.0, -2.0, 0.0));
    /// assert!(Ray::new(Position::origin(), Displacement::zeros()).is_err());
    /// # Ok::<(), drystone_collision::query::QueryError>(())
    /// ```
    pub fn new(origin: Position, direction: Displacement) -> Result<Self, QueryError> {
        check_point("origin", &origin)?;
        check_finite("direction", &direction)?;
        // Scaled first, so that neither huge nor tiny directions lose their length.
        let largest = direction.amax();
        if largest == 0.0 {
            return Err(QueryError::NoDirection { field: "direction" });
        }
        Ok(Self { origin, direction: (direction / largest).normalize() })
    }

    /// Where it begins, m, world.
    pub fn origin(&self) -> Position {
        self.origin
    }

    /// Where it goes: a unit vector.
    pub fn direction(&self) -> Displacement {
        self.direction
    }

    /// The point at a distance (m) along it.
    pub fn at(&self, distance: f64) -> Position {
        self.origin + self.direction * distance
    }
}

/// Where a ray meets a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// How far along the ray, m; 0 for a ray that begins inside.
    pub distance: f64,
    /// Where, m, world.
    pub point: Position,
    /// Unit outward normal of the surface there; for a ray that begins inside, against the ray.
    pub normal: Vector3,
    /// Whether the ray begins inside the shape.
    pub is_inside: bool,
}

/// Where `ray` first meets `shape` at `pose`, not farther than `max_distance` (m, may be infinite); `None` for a miss. A ray that begins
/// inside hits at once. A shape that is not at finite numbers or begins farther away than 1e100 m is missed.
///
/// Closed forms for ball, box, capsule and half-space, plane by plane for hulls; a point swept by conservative advancement for all else, and where a ray
/// meets the planes of a hull beyond a sharp edge of it.
///
/// # Errors
/// A `max_distance` that is no number or negative.
///
/// ```
/// use drystone_collision::{Shape, query::{Ray, cast_ray}};
/// use drystone_math::{Displacement, Pose, Position, Vector3};
/// let cube = Shape::cuboid(Vector3::repeat(0.5))?;
/// let down = Ray::new(Position::new(0.2, 5.0, 0.1), Displacement::new(0.0, -1.0, 0.0))?;
/// let hit = cast_ray(&cube, &Pose::IDENTITY, &down, 10.0)?.expect("it points at the cube");
/// assert!((hit.distance - 4.5).abs() < 1e-9 && hit.normal == Vector3::y() && !hit.is_inside);
/// assert_eq!(cast_ray(&cube, &Pose::IDENTITY, &down, 4.0)?, None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn cast_ray(
    shape: &Shape,
    pose: &Pose,
    ray: &Ray,
    max_distance: f64,
) -> Result<Option<RayHit>, QueryError> {
    check_length("max_distance", max_distance)?;
    let Some(frame) = frame_in_reach(pose, &ray.origin) else { return Ok(None) };
    // Origin and direction in the frame of the shape.
    let (o, d) = (frame.turn_back(&-frame.origin), frame.turn_back(&ray.direction));
    let met = match shape {
        Shape::Sphere { radius } => meet_ball(&Displacement::zeros(), f64::from(*radius), &o, &d),
        Shape::Box { half_extents } => meet_box(&widen(half_extents), &o, &d),
        Shape::Capsule { half_length, radius } => {
            meet_capsule(f64::from(*half_length), f64::from(*radius), &o, &d)
        }
        Shape::Hull(hull) => match meet_hull(hull, &o, &d) {
            // As far as rounding leaves the place where it enters.
            Some(met) if !is_in_hull(hull, &(o + d * met.distance), 4.0 * f64::EPSILON * met.distance) => {
                return Ok(meet_core(shape, pose, ray, max_distance));
            }
            met => met,
        },
        Shape::HalfSpace { normal } => meet_plane(&widen(normal), &o, &d),
        Shape::Mesh(_) | Shape::HeightField(_) => {
            shape.surface().and_then(|found| surface::meet(&found, &o, &d, max_distance))
        }
        Shape::Cylinder { .. } | Shape::Cone { .. } => return Ok(meet_core(shape, pose, ray, max_distance)),
    };
    Ok(met.filter(|met| met.distance <= max_distance).map(|met| {
        let is_inside = met.normal.is_none();
        RayHit {
            distance: met.distance,
            point: ray.at(met.distance),
            normal: met.normal.map_or(-narrow(&ray.direction), |n| narrow(&frame.turn(&n))),
            is_inside,
        }
    }))
}

/// A meeting in the frame of the shape; without a normal the ray begins inside.
#[derive(Clone, Copy, Debug)]
pub(super) struct Met {
    pub(super) distance: f64,
    pub(super) normal: Option<Displacement>,
}

impl Met {
    const INSIDE: Self = Self { distance: 0.0, normal: None };
}

/// A ball of `radius` (m) around `center`.
fn meet_ball(center: &Displacement, radius: f64, o: &Displacement, d: &Displacement) -> Option<Met> {
    let from = o - center;
    if from.norm_squared() <= radius * radius {
        return Some(Met::INSIDE);
    }
    // From the point of the line nearest to the centre: no difference of large squares however far the ray begins.
    let middle = -from.dot(d);
    let beside = from + d * middle;
    let square = radius * radius - beside.norm_squared();
    if middle < 0.0 || square < 0.0 {
        return None;
    }
    let half_chord = square.sqrt();
    let normal = (beside - d * half_chord) / radius;
    Some(Met { distance: (middle - half_chord).max(0.0), normal: Some(normal) })
}

/// A box with half extents `h`, m, slab by slab.
fn meet_box(h: &Displacement, o: &Displacement, d: &Displacement) -> Option<Met> {
    let (mut enter, mut leave, mut through) = (f64::NEG_INFINITY, f64::INFINITY, 0);
    for axis in 0..3 {
        if d[axis] == 0.0 {
            if o[axis].abs() > h[axis] {
                return None;
            }
            continue;
        }
        let side = h[axis].copysign(-d[axis]);
        let (near, far) = ((side - o[axis]) / d[axis], (-side - o[axis]) / d[axis]);
        if near > enter {
            (enter, through) = (near, axis);
        }
        leave = leave.min(far);
    }
    if enter > leave || leave < 0.0 {
        return None;
    }
    if enter <= 0.0 {
        return Some(Met::INSIDE);
    }
    let mut normal = Displacement::zeros();
    normal[through] = -d[through].signum();
    Some(Met { distance: enter, normal: Some(normal) })
}

/// A capsule: a tube between two balls; the ray enters where it enters the first of them.
fn meet_capsule(half_length: f64, radius: f64, o: &Displacement, d: &Displacement) -> Option<Met> {
    let nearest = Displacement::new(0.0, o.y.clamp(-half_length, half_length), 0.0);
    if (o - nearest).norm_squared() <= radius * radius {
        return Some(Met::INSIDE);
    }
    let ends = [half_length, -half_length].map(|y| Displacement::new(0.0, y, 0.0));
    let caps = ends.iter().filter_map(|end| meet_ball(end, radius, o, d));
    let first = |a: Met, b: Met| if b.distance < a.distance { b } else { a };
    caps.chain(meet_tube(half_length, radius, o, d)).reduce(first)
}

/// The round side of a capsule, for a ray that begins outside of the capsule.
fn meet_tube(half_length: f64, radius: f64, o: &Displacement, d: &Displacement) -> Option<Met> {
    let across = d.x * d.x + d.z * d.z;
    if across == 0.0 {
        return None;
    }
    let middle = -(o.x * d.x + o.z * d.z) / across;
    let (x, z) = (o.x + d.x * middle, o.z + d.z * middle);
    let square = radius * radius - (x * x + z * z);
    if square < 0.0 {
        return None;
    }
    let distance = middle - (square / across).sqrt();
    let at = o + d * distance;
    // Where the tube is entered beyond its ends, the ray goes through a cap or passes by.
    if distance < 0.0 || at.y.abs() > half_length {
        return None;
    }
    Some(Met { distance, normal: Some(Displacement::new(at.x, 0.0, at.z) / radius) })
}

/// A hull, plane by plane. O(faces).
fn meet_hull(hull: &ConvexHull, o: &Displacement, d: &Displacement) -> Option<Met> {
    let (mut enter, mut leave, mut through) = (f64::NEG_INFINITY, f64::INFINITY, Displacement::y());
    for face in &hull.faces {
        let normal = widen(&face.normal);
        let (height, slope) = (face.height(o), normal.dot(d));
        if slope == 0.0 {
            if height > 0.0 {
                return None;
            }
            continue;
        }
        let crossing = -height / slope;
        if slope > 0.0 {
            leave = leave.min(crossing);
        } else if crossing > enter {
            (enter, through) = (crossing, normal);
        }
    }
    if enter > leave || leave < 0.0 {
        return None;
    }
    if enter <= 0.0 { Some(Met::INSIDE) } else { Some(Met { distance: enter, normal: Some(through) }) }
}

/// A half-space with this unit normal.
fn meet_plane(normal: &Displacement, o: &Displacement, d: &Displacement) -> Option<Met> {
    let (height, slope) = (normal.dot(o), normal.dot(d));
    if height <= 0.0 {
        return Some(Met::INSIDE);
    }
    (slope < 0.0).then(|| Met { distance: -height / slope, normal: Some(*normal) })
}

/// Anything with a convex core: a point swept along the ray, no farther than the other end of the shape.
fn meet_core(shape: &Shape, pose: &Pose, ray: &Ray, max_distance: f64) -> Option<RayHit> {
    let reach = (pose.translation - ray.origin).norm() + f64::from(shape.bounding_radius());
    let length = reach.min(max_distance);
    let point =
        Sweep::straight(Side::POINT, 0.0, &Pose::new(ray.origin, pose.rotation), ray.direction * length);
    let target = Sweep::resting(Side::of(shape)?, shape, pose);
    let hit = sweep(&point, &target, 0.0)?;
    let is_inside = hit.status == CastStatus::StartsOverlapping;
    // The normal of a cast goes from the moving shape to the other one.
    let normal = if is_inside { -narrow(&ray.direction) } else { -hit.normal };
    let distance = hit.fraction * length;
    Some(RayHit { distance, point: ray.at(distance), normal, is_inside })
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_math::Rotation;

    /// Every closed form agrees with the point swept against the core.
    #[test]
    fn closed_forms_agree_with_the_swept_point() {
        let corners =
            [[0.6, 0.1, 0.0], [-0.4, 0.5, 0.1], [0.0, -0.5, 0.4], [0.1, 0.2, -0.7], [0.3, -0.4, -0.2]];
        let shapes = [
            Shape::sphere(0.7).expect("a ball"),
            Shape::cuboid(Vector3::new(0.3, 0.8, 0.5)).expect("a box"),
            Shape::capsule(0.6, 0.3).expect("a capsule"),
            Shape::hull(&corners.map(Vector3::from)).expect("a hull"),
        ];
        let pose = Pose::new(Position::new(1.0e5, -3.0, 7.0), Rotation::from_euler_angles(0.4, -1.1, 0.7));
        let mut hits = 0;
        for (shape, step) in shapes.iter().flat_map(|shape| (0..400).map(move |step| (shape, step))) {
            let angle = f64::from(step) * 0.61;
            let from = Displacement::new(angle.cos() * 2.0, (angle * 1.7).sin() * 2.0, angle.sin() * 2.0);
            let aim = Displacement::new((angle * 3.1).sin(), (angle * 2.3).cos(), (angle * 0.7).sin()) * 0.6;
            let ray = Ray::new(pose.translation + from, aim - from).expect("a direction");
            let closed = cast_ray(shape, &pose, &ray, 100.0).expect("in range");
            let swept = meet_core(shape, &pose, &ray, 100.0);
            match (closed, swept) {
                (Some(closed), Some(swept)) => {
                    hits += 1;
                    assert!(
                        (closed.distance - swept.distance).abs() < 1e-5,
                        "{shape:?} {closed:?} {swept:?}"
                    );
                    assert_eq!(closed.is_inside, swept.is_inside);
                }
                (None, None) => {}
                // A ray that grazes: nearer to the surface than rounding of `f32` planes.
                (closed, swept) => {
                    let hit = closed.or(swept).expect("one of them");
                    let slope = widen(&hit.normal).dot(&ray.direction).abs();
                    assert!(slope < 1e-2, "{shape:?} step {step}: {closed:?} {swept:?}");
                }
            }
        }
        assert!(hits > 800, "{hits} rays hit");
    }
}
