//! Moving shapes: when and where two of them first touch (S5-18, S4-29).
//!
//! Method: conservative advancement (Mirtich 1996; van den Bergen's ray cast is its case of a point). GJK gives the distance and a
//! separating plane; along its normal the shapes approach no faster than their relative velocity and turning allow, so that they stay
//! apart for the time the distance takes; that much later it is asked again. Between polytopes that do not turn it ends after as many
//! rounds as planes are passed. Most that are asked about pass beside each other, which one axis tells before (`apart`). S5-06's bisection
//! in time finds the same place and misses what passes through in between.

use super::apart::stay_apart;
use super::closest::closest_points;
use super::side::{Apart, Gap, Side, frame_in, gap};
use super::surface::{self, Mover};
use super::{QueryError, check_finite};
use crate::Shape;
use crate::narrow::gjk::GjkSeed;
use crate::shape::Frame;
use drystone_math::{Displacement, Pose, Position, Quaternion, Real, Rotation, Vector3, narrow, widen};

/// Most looks at the distance of a cast; one that hits the bound says so ([`CastStatus::RoundLimit`]).
pub const MAX_CAST_ROUNDS: u32 = 64;
/// Distance that counts as touching, as a part of the size of the smaller shape.
const TOUCHING: f64 = 1.0e-6;

/// How a cast ended that met something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CastStatus {
    /// They touch at the fraction told, up to 1e-6 of the size of the smaller one.
    Hit,
    /// They touch or overlap before they move; the fraction is 0.
    StartsOverlapping,
    /// The bound on rounds was hit: they do not touch before the fraction told, and what comes after is not known.
    RoundLimit,
}

/// Where a moving shape meets another one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShapeHit {
    /// Fraction of the motion after which they touch, 0 to 1.
    pub fraction: f64,
    /// Unit normal there, world, from the moving shape (A) to the other one. With [`CastStatus::StartsOverlapping`] that of
    /// [`closest_points`]; from [`cast_motion`], which does not look for the depth of cores that overlap, the way on which A approaches
    /// B, or up where it does not.
    pub normal: Vector3,
    /// Where they touch, on the other shape (B), m, world. With [`CastStatus::StartsOverlapping`] the nearest or deepest point of
    /// [`closest_points`]; from [`cast_motion`], where cores overlap, the origin of the moving shape.
    pub point: Position,
    /// How the cast ended.
    pub status: CastStatus,
}

/// A pose that changes evenly: one point moves straight, and the shape turns about it the short way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweptPose {
    /// Pose at fraction 0.
    pub from: Pose,
    /// Pose at fraction 1.
    pub to: Pose,
    /// The point that moves straight, m, frame of the shape.
    pub center: Vector3,
}

impl SweptPose {
    /// A pose that does not change.
    pub fn resting(pose: Pose) -> Self {
        Self { from: pose, to: pose, center: Vector3::zeros() }
    }

    /// The pose at `fraction` of the motion, 0 to 1. Both ends are met exactly.
    pub fn at(&self, fraction: f64) -> Pose {
        if fraction <= 0.0 {
            return self.from;
        }
        if fraction >= 1.0 {
            return self.to;
        }
        let center = |pose: &Pose| pose.transform_point(&self.center);
        let rotation = between(&self.from.rotation, &self.to.rotation, fraction);
        let moved = center(&self.from) + (center(&self.to) - center(&self.from)) * fraction;
        Pose::new(moved - widen(&(rotation * self.center)), rotation)
    }
}

/// A rotation at a fraction of the short way between two others, at nearly even speed. No transcendental functions.
fn between(from: &Rotation, to: &Rotation, fraction: f64) -> Rotation {
    let (a, b) = (from.coords, to.coords);
    let near = if a.dot(&b) < 0.0 { -b } else { b };
    let blend = a + (near - a) * fraction as Real;
    Rotation::new_normalize(Quaternion::from(blend))
}

/// Two moving shapes.
#[derive(Clone, Copy, Debug)]
pub struct MotionCast<'a> {
    /// The shapes, A and B.
    pub shapes: [&'a Shape; 2],
    /// How they move in the same time.
    pub motions: [SweptPose; 2],
    /// How much of each shape beneath its surface does not count, m: at least 0 and less than [`Shape::inner_radius`]. Exact for balls,
    /// capsules and boxes; of other shapes at least that much. 0 is the whole shape.
    pub erosion: [f64; 2],
    /// Distance that counts as touching, m, at least 0: the cast ends when they are that near and approach, also where they begin so.
    pub target: f64,
}

/// When two shapes that both move and turn first touch; `None` when they do not, for two shapes of which neither has a core, and for poses that are
/// not made of numbers. At most [`MAX_CAST_ROUNDS`] distances are asked for, with meshes and height fields for each triangle on the way; these are met
/// from their front alone, as in contacts.
///
/// ```
/// use drystone_collision::{Shape, query::{CastStatus, MotionCast, SweptPose, cast_motion}};
/// use drystone_math::{Pose, Vector3};
/// let (ball, plate) = (Shape::sphere(0.1)?, Shape::cuboid(Vector3::new(1.0, 1.0, 0.0005))?);
/// let flight = SweptPose { from: Pose::at(0.0, 0.0, -8.1), to: Pose::at(0.0, 0.0, 8.0), center: Vector3::zeros() };
/// let rest = SweptPose::resting(Pose::IDENTITY);
/// let cast = MotionCast { shapes: [&ball, &plate], motions: [flight, rest], erosion: [0.0; 2], target: 0.0 };
/// let hit = cast_motion(&cast).expect("it does not pass through");
/// assert!(hit.status == CastStatus::Hit && (hit.fraction - 7.9995 / 16.1).abs() < 1e-6);
/// # Ok::<(), drystone_collision::ShapeError>(())
/// ```
pub fn cast_motion(cast: &MotionCast<'_>) -> Option<ShapeHit> {
    for (convex, sheet, mover) in [(0, 1, Mover::Shape), (1, 0, Mover::Surface)] {
        if let Some(surface) = cast.shapes[sheet].surface()
            && Side::convex(cast.shapes[convex]).is_some()
        {
            let shape = cast.sweep_of(convex)?;
            let moving = (&surface, cast.shapes[sheet], &cast.motions[sheet]);
            return surface::cast_turning(&shape, moving, mover, cast.target);
        }
    }
    if stay_apart(cast) { None } else { cast_sides(cast) }
}

/// [`cast_motion`] of two shapes that are no surfaces of triangles.
pub(super) fn cast_sides(cast: &MotionCast<'_>) -> Option<ShapeHit> {
    sweep(&cast.sweep_of(0)?, &cast.sweep_of(1)?, cast.target)
}

impl<'a> MotionCast<'a> {
    /// One side of it; `None` for a surface of triangles.
    fn sweep_of(&self, k: usize) -> Option<Sweep<'a>> {
        let side = match self.erosion[k] {
            by if by > 0.0 => Side::eroded(self.shapes[k], by),
            _ => Side::of(self.shapes[k]),
        };
        Some(Sweep::of(side?, self.shapes[k], &self.motions[k]))
    }
}

/// When `moving`, which begins at `from` and moves by `way` (m, world) without turning, first touches `target`, which rests at `at`;
/// `None` when it does not, and for two shapes of which neither has a core.
///
/// # Errors
/// A `way` that is not finite. A way of length zero is allowed and tells whether they overlap.
///
/// ```
/// use drystone_collision::{Shape, query::cast_shape};
/// use drystone_math::{Displacement, Pose, Vector3};
/// let cube = Shape::cuboid(Vector3::repeat(0.5))?;
/// let down = Displacement::new(0.0, -10.0, 0.0);
/// let hit = cast_shape(&cube, &Pose::at(0.3, 6.0, 0.0), &down, &cube, &Pose::IDENTITY)?.expect("it falls on it");
/// assert!((hit.fraction - 0.5).abs() < 1e-6 && hit.normal == -Vector3::y());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn cast_shape(
    moving: &Shape,
    from: &Pose,
    way: &Displacement,
    target: &Shape,
    at: &Pose,
) -> Result<Option<ShapeHit>, QueryError> {
    check_finite("way", way)?;
    let hit = first_touch((moving, from), way, (target, at));
    if let Some(hit) = hit.filter(|hit| hit.status == CastStatus::StartsOverlapping)
        && let Some(found) = closest_points(moving, from, target, at, f64::INFINITY)
    {
        return Ok(Some(ShapeHit { normal: found.normal, point: found.points[1], ..hit }));
    }
    Ok(hit)
}

/// [`cast_shape`], without the depth of what overlaps from the beginning.
fn first_touch(
    (moving, from): (&Shape, &Pose),
    way: &Displacement,
    (target, at): (&Shape, &Pose),
) -> Option<ShapeHit> {
    if let (Some(surface), Some(side)) = (target.surface(), Side::convex(moving)) {
        return surface::cast((moving, side, from), (&surface, at), way, Mover::Shape);
    }
    if let (Some(surface), Some(side)) = (moving.surface(), Side::convex(target)) {
        return surface::cast((target, side, at), (&surface, from), way, Mover::Surface);
    }
    let (a, b) = (Side::of(moving)?, Side::of(target)?);
    let a = Sweep::straight(a, size(moving), from, *way);
    sweep(&a, &Sweep::resting(b, target, at), 0.0)
}

/// A side that moves.
pub(super) struct Sweep<'a> {
    side: Side<'a>,
    /// The point that moves straight: in the frame of the side, where it begins, and its way, m.
    center: Displacement,
    start: Position,
    way: Displacement,
    rotations: [Rotation; 2],
    /// Farthest point from the centre, m; 0 where nothing turns.
    rim: f64,
    /// How fast it turns at most, rad per motion.
    turn: f64,
    /// Farthest point from the origin, m.
    size: f64,
}

impl<'a> Sweep<'a> {
    /// Without turning.
    pub(super) fn straight(side: Side<'a>, size: f64, from: &Pose, way: Displacement) -> Self {
        let rotations = [from.rotation; 2];
        let center = Displacement::zeros();
        Self { side, center, start: from.translation, way, rotations, rim: 0.0, turn: 0.0, size }
    }

    pub(super) fn resting(side: Side<'a>, shape: &Shape, pose: &Pose) -> Self {
        Self::straight(side, size(shape), pose, Displacement::zeros())
    }

    pub(super) fn of(side: Side<'a>, shape: &Shape, motion: &SweptPose) -> Self {
        let [start, end] = [motion.from, motion.to].map(|pose| pose.transform_point(&motion.center));
        let (a, b) = (motion.from.rotation.coords, motion.to.rotation.coords);
        // The chord between the quaternions, the short way: 2 sin(angle / 4).
        let chord = f64::from((a - b).norm().min((a + b).norm()));
        // What is blended evenly turns fastest in the middle: 4 tan(angle / 4) per motion. A chord of √2 is half a turn.
        let turn = 2.0 * chord / (1.0 - 0.25 * chord * chord).max(0.25).sqrt();
        let size = size(shape);
        // A ball that turns about its own centre moves nothing.
        let turned = if matches!(shape, Shape::Sphere { .. }) { 0.0 } else { size };
        Self {
            side,
            center: widen(&motion.center),
            start,
            way: end - start,
            rotations: [motion.from.rotation, motion.to.rotation],
            rim: if turn > 0.0 { turned + widen(&motion.center).norm() } else { 0.0 },
            turn,
            size,
        }
    }

    /// The frame at a fraction, in one at `origin` with the axes of the world.
    pub(super) fn frame(&self, fraction: f64, origin: &Position) -> Frame {
        let [from, to] = &self.rotations;
        let rotation = if self.turn > 0.0 { between(from, to, fraction) } else { *from };
        let axes = Frame::of_rotation(&rotation);
        let center = (self.start - origin) + self.way * fraction;
        Frame { origin: center - axes.turn(&self.center), ..axes }
    }
}

impl Sweep<'_> {
    /// Where it begins.
    pub(super) fn start(&self) -> Position {
        self.start
    }

    /// The centre at a fraction, in a frame at `origin` with the axes of the world.
    pub(super) fn center_at(&self, fraction: f64, origin: &Position) -> Displacement {
        (self.start - origin) + self.way * fraction
    }

    /// Farthest point from the centre, m.
    pub(super) fn reach(&self) -> f64 {
        self.size + self.center.norm()
    }

    /// The centre, in its own frame.
    pub(super) fn center(&self) -> &Displacement {
        &self.center
    }

    /// How fast it turns at most, rad per motion.
    pub(super) fn turn(&self) -> f64 {
        self.turn
    }
}

/// Farthest point of a shape from its origin, m; 0 for half-spaces, whose turning is bounded nowhere.
pub(super) fn size(shape: &Shape) -> f64 {
    let radius = f64::from(shape.bounding_radius());
    if radius.is_finite() { radius } else { 0.0 }
}

/// When two sides first are `target` (m) apart; see the [module](self).
pub(super) fn sweep(a: &Sweep<'_>, b: &Sweep<'_>, target: f64) -> Option<ShapeHit> {
    let sizes = [a.size, b.size].into_iter().filter(|&size| size > 0.0);
    let touching = TOUCHING * sizes.fold(f64::INFINITY, f64::min).min(1.0e3);
    // Beside the one that is bounded.
    let origin = if matches!(a.side, Side::HalfSpace { .. }) { b.start } else { a.start };
    let turning = a.turn * a.rim + b.turn * b.rim;
    let approach = a.way - b.way;
    let fastest = approach.norm() + turning;
    let (mut fraction, mut seed) = (0.0, GjkSeed::default());
    // Where it was last seen to be apart.
    let mut last = (Vector3::zeros(), origin);
    for round in 0..MAX_CAST_ROUNDS {
        let frame = a.frame(fraction, &origin);
        let b_in_a = frame_in(&frame, &b.frame(fraction, &origin));
        let limit = target + fastest * (1.0 - fraction);
        let apart = gap(&a.side, &b.side, &b_in_a, limit, None, &mut seed)?;
        let (distance, normal, points) = match apart {
            Apart::Near(Gap { distance, normal, points, .. }) => (distance, normal, points),
            // Farther than they come.
            Apart::Beyond => return None,
            Apart::Inside if round == 0 => {
                let (normal, point) = (narrow(&heading(&approach)), origin + frame.origin);
                return Some(ShapeHit { fraction, normal, point, status: CastStatus::StartsOverlapping });
            }
            // Rounding may carry a step that ends in touch a little farther.
            Apart::Inside => {
                return Some(ShapeHit { fraction, normal: last.0, point: last.1, status: CastStatus::Hit });
            }
        };
        let normal = frame.turn(&normal);
        let point = origin + frame.place(&points[1]);
        last = (narrow(&normal), point);
        let is_start = round == 0;
        if is_start && distance <= 0.0 {
            return Some(ShapeHit { fraction, normal: last.0, point, status: CastStatus::StartsOverlapping });
        }
        // Nothing of A goes along the normal faster than this relative to B.
        let speed = approach.dot(&normal) + turning;
        let near = if is_start { target } else { target + touching };
        if speed <= 0.0 {
            return None;
        }
        if distance <= near {
            return Some(ShapeHit { fraction, normal: last.0, point, status: CastStatus::Hit });
        }
        fraction += (distance - target) / speed;
        if fraction > 1.0 {
            return None;
        }
    }
    Some(ShapeHit { fraction, normal: last.0, point: last.1, status: CastStatus::RoundLimit })
}

/// The direction of a way of any length; up where it has none.
fn heading(way: &Displacement) -> Displacement {
    // Scaled first, so that neither huge nor tiny ways lose it.
    let largest = way.amax();
    if largest > 0.0 { (way / largest).normalize() } else { Displacement::y() }
}
