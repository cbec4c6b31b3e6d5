//! Closest points of two shapes, and whether they overlap.

use super::side::{Apart, Pose2, Side, frame_beside, frame_in, gap, loosened};
use super::surface;
use crate::Shape;
use crate::narrow::NarrowStatus;
use crate::narrow::gjk::GjkSeed;
use drystone_math::{Pose, Position, Vector3};

/// How far two shapes are apart, or how deep they overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosestPoints {
    /// Signed distance, m; negative when overlapping: then B moved by that much along the normal only touches. A mesh or height field is
    /// as far as its nearest triangle, or overlaps as deep as the one that is cut deepest, and it is this one that would only be touched.
    pub distance: f64,
    /// Unit normal from A to B, world.
    pub normal: Vector3,
    /// The closest points of A and of B, or the deepest ones, m, world.
    pub points: [Position; 2],
    /// How the answer was reached.
    pub status: NarrowStatus,
}

impl ClosestPoints {
    /// With A and B exchanged.
    fn flipped(self) -> Self {
        let [a, b] = self.points;
        Self { normal: -self.normal, points: [b, a], ..self }
    }
}

/// The closest points of two shapes; of overlapping ones the deepest. `None` when they are farther apart than `max_distance` (m, may be
/// infinite; below 0 only overlaps as deep as that are told), for two half-spaces or surfaces of triangles and one of either, and for
/// poses that are not made of numbers. The limit changes nothing of an answer that it allows.
///
/// Costs GJK between the cores, and EPA where these overlap (S5-08, S5-09); with a surface for each triangle near by.
///
/// ```
/// use drystone_collision::{Shape, query::closest_points};
/// use drystone_math::{Pose, Vector3};
/// let cube = Shape::cuboid(Vector3::repeat(0.5))?;
/// let ball = Shape::sphere(0.25)?;
/// let far = 1.0e7;
/// let found = closest_points(&cube, &Pose::at(far, 0.0, 0.0), &ball, &Pose::at(far + 2.0, 0.0, 0.0), f64::INFINITY);
/// let found = found.expect("both are bounded");
/// assert!((found.distance - 1.25).abs() < 1e-9 && found.normal.x == 1.0);
/// assert!((found.points[1].x - (far + 1.75)).abs() < 1e-6);
/// # Ok::<(), drystone_collision::ShapeError>(())
/// ```
pub fn closest_points(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    max_distance: f64,
) -> Option<ClosestPoints> {
    if a.surface().is_some() {
        // Of two surfaces neither can take the other's place.
        let flipped = b.surface().is_none().then(|| closest_points(b, pose_b, a, pose_a, max_distance));
        return flipped.flatten().map(ClosestPoints::flipped);
    }
    if let Some(surface) = b.surface() {
        let frames = [pose_a, pose_b].map(|pose| frame_beside(pose, &pose_a.translation));
        let side = Side::convex(a)?;
        return surface::apart((a, &side), &surface, [&frames[0], &frames[1]], max_distance)
            .map(|found| found.placed(&frames[0], &pose_a.translation));
    }
    let (side_a, side_b) = (Side::of(a)?, Side::of(b)?);
    let origin = origin_beside(a, pose_a, pose_b);
    let frame = frame_beside(pose_a, &origin);
    let b_in_a = frame_in(&frame, &frame_beside(pose_b, &origin));
    let poses = Pose2(pose_a, pose_b);
    let limit = loosened(max_distance, &b_in_a, [a, b].map(Shape::bounding_radius));
    match gap(&side_a, &side_b, &b_in_a, limit, Some(&poses), &mut GjkSeed::default())? {
        Apart::Near(found) => (found.distance <= max_distance).then(|| found.placed(&frame, &origin)),
        Apart::Beyond | Apart::Inside => None,
    }
}

/// True when two shapes share a point, up to rounding (1e-10 of their size). False for two half-spaces.
///
/// ```
/// use drystone_collision::{Shape, query::overlaps};
/// use drystone_math::{Pose, Vector3};
/// let cube = Shape::cuboid(Vector3::repeat(0.5))?;
/// assert!(overlaps(&cube, &Pose::IDENTITY, &cube, &Pose::at(0.9, 0.9, 0.0)));
/// assert!(!overlaps(&cube, &Pose::IDENTITY, &cube, &Pose::at(1.1, 0.9, 0.0)));
/// # Ok::<(), drystone_collision::ShapeError>(())
/// ```
pub fn overlaps(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> bool {
    if a.surface().is_some() {
        return b.surface().is_none() && overlaps(b, pose_b, a, pose_a);
    }
    if let Some(surface) = b.surface() {
        let frames = [pose_a, pose_b].map(|pose| frame_beside(pose, &pose_a.translation));
        let side = Side::convex(a);
        return side.is_some_and(|side| surface::touches((a, &side), &surface, [&frames[0], &frames[1]]));
    }
    let (Some(side_a), Some(side_b)) = (Side::of(a), Side::of(b)) else { return false };
    let origin = origin_beside(a, pose_a, pose_b);
    let b_in_a = frame_in(&frame_beside(pose_a, &origin), &frame_beside(pose_b, &origin));
    match gap(&side_a, &side_b, &b_in_a, 0.0, None, &mut GjkSeed::default()) {
        Some(Apart::Near(found)) => found.distance <= 0.0,
        Some(Apart::Inside) => true,
        Some(Apart::Beyond) | None => false,
    }
}

/// A point near both shapes: half-spaces may have their origin anywhere.
fn origin_beside(a: &Shape, pose_a: &Pose, pose_b: &Pose) -> Position {
    if a.is_half_space() { pose_b.translation } else { pose_a.translation }
}
