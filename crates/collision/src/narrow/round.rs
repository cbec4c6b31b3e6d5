//! Balls and capsules against each other: closed forms.

use super::segment::{PARALLEL_SINE_SQUARED, Segment, closest_segments, unit, unit_or_square_to};
use super::{LocalManifold, LocalPoint, RoundedBox};
use drystone_math::{Real, RelativePose, Rotation, Vector3};

/// Part of the smaller radius by which nearly parallel lines may pass each other sideways: the points, in the middle between the two,
/// are then off the surfaces by less than 5e-4 of that radius.
const SIDEWAYS: Real = 0.06;
/// The least, for what is nearly a sharp edge, as a part of both radii: a point aside of an edge is off the surface.
const SIDEWAYS_OF_EDGE: Real = 2.0e-4;
/// Part of the shorter segment that two parallel segments must share for a second point.
const SHARED_STRETCH: Real = 1.0e-3;

/// The contact point of two balls of radius `radius_a` and `radius_b` (m) around `core_a` and `core_b`,
/// measured along `normal`.
#[inline]
pub(super) fn round_point(
    core_a: &Vector3,
    radius_a: Real,
    core_b: &Vector3,
    radius_b: Real,
    normal: &Vector3,
    feature: u32,
) -> LocalPoint {
    LocalPoint {
        point: (core_a + core_b + normal * (radius_a - radius_b)) * 0.5,
        distance: (core_b - core_a).dot(normal) - radius_a - radius_b,
        feature,
    }
}

/// Two balls around `core_a` and `core_b`. Where the centres coincide the normal is square to `axis`.
#[inline]
fn balls(
    core_a: &Vector3,
    radius_a: Real,
    core_b: &Vector3,
    radius_b: Real,
    axis: &Vector3,
    margin: Real,
    manifold: &mut LocalManifold,
) {
    let offset = core_b - core_a;
    let distance = offset.norm() - radius_a - radius_b;
    manifold.normal = unit_or_square_to(&offset, axis);
    if distance <= margin {
        let point = round_point(core_a, radius_a, core_b, radius_b, &manifold.normal, 0);
        manifold.push(LocalPoint { distance, ..point });
    }
}

/// Two spheres. Concentric ones get the normal +y.
pub(super) fn sphere_sphere(
    radius_a: Real,
    radius_b: Real,
    b_in_a: &RelativePose,
    margin: Real,
    manifold: &mut LocalManifold,
) {
    let unturned = RelativePose::new(b_in_a.translation, Rotation::identity());
    ball(
        radius_a,
        &RoundedBox { half_extents: Vector3::zeros(), rounding: radius_b },
        &unturned,
        margin,
        manifold,
    );
}

/// A ball and all points near a box: a ball, a capsule or a box ([`BallBatch`](super::BallBatch) looks at eight such pairs).
///
/// Outside the box its closest point decides; a centre inside is pushed out through the nearest face (of equally near ones the first
/// across y, x, z), so that one on the segment of a capsule goes sideways.
pub(super) fn ball(
    radius: Real,
    other: &RoundedBox,
    b_in_a: &RelativePose,
    margin: Real,
    manifold: &mut LocalManifold,
) {
    let half_extents = &other.half_extents;
    let turn = b_in_a.rotation.to_rotation_matrix();
    // From here on in the frame of the box; `outward` points from the box to the ball.
    let center = -(turn.inverse() * b_in_a.translation);
    let offset = center - center.sup(&-half_extents).inf(half_extents);
    let (outward, core_distance) = unit(&offset).unwrap_or_else(|| {
        let depth = center.abs() - half_extents;
        let axis = if depth.y >= depth.x && depth.y >= depth.z {
            1
        } else if depth.x >= depth.z {
            0
        } else {
            2
        };
        (Vector3::ith(axis, if center[axis] > 0.0 { 1.0 } else { -1.0 }), depth[axis])
    });
    let distance = core_distance - radius - other.rounding;
    (manifold.normal, manifold.gap) = (turn * -outward, distance);
    if distance <= margin {
        let middle = 0.5 * (radius + (distance + radius));
        manifold.push(LocalPoint { point: manifold.normal * middle, distance, feature: 0 });
    }
}

/// The segment of a capsule whose frame is `pose`.
#[inline]
pub(super) fn capsule_segment(half_length: Real, pose: &RelativePose) -> Segment {
    Segment { center: pose.translation, direction: pose.rotation * Vector3::y(), half_length }
}

/// Two capsules, each given as (half length, radius). Parallel ones that lie side by side get two points,
/// at the ends of the stretch they share; others get one.
pub(super) fn capsule_capsule(
    capsule_a: (Real, Real),
    capsule_b: (Real, Real),
    b_in_a: &RelativePose,
    margin: Real,
    manifold: &mut LocalManifold,
) {
    let a = capsule_segment(capsule_a.0, &RelativePose::IDENTITY);
    let b = capsule_segment(capsule_b.0, b_in_a);
    round_segments((&a, capsule_a.1), (&b, capsule_b.1), margin, manifold);
}

/// Two segments, each with the radius (m) around it ([`CapsuleBatch`](super::CapsuleBatch) looks at eight such pairs).
pub(super) fn round_segments(
    (a, radius_a): (&Segment, Real),
    (b, radius_b): (&Segment, Real),
    margin: Real,
    manifold: &mut LocalManifold,
) {
    let cross = a.direction.cross(&b.direction);
    if cross.norm_squared() < PARALLEL_SINE_SQUARED
        && side_by_side(
            (a, radius_a),
            (b, radius_b),
            sideways_limit(radius_a, radius_b, radius_a + radius_b),
            margin,
            manifold,
        )
    {
        return;
    }
    let (s, t) = closest_segments(a, b);
    let (core_a, core_b) = (a.at(s), b.at(t));
    if unit(&(core_b - core_a)).is_some() {
        balls(&core_a, radius_a, &core_b, radius_b, &a.direction, margin, manifold);
        let n = &manifold.normal;
        let reach = n.dot(&a.direction).abs() * a.half_length + n.dot(&b.direction).abs() * b.half_length;
        manifold.gap = n.dot(&(b.center - a.center)) - reach - radius_a - radius_b;
    } else if -radius_a - radius_b <= margin {
        // The segments cross: apart is shortest along the common perpendicular.
        manifold.normal = unit_or_square_to(&cross, &a.direction);
        manifold.push(round_point(&core_a, radius_a, &core_b, radius_b, &manifold.normal, 0));
    }
}

/// How far (m) nearly parallel lines, rounded here by these radii (m), may pass each other sideways and still share two points;
/// `widest`: the sum of both radii (m) where they are largest.
pub(super) fn sideways_limit(radius_a: Real, radius_b: Real, widest: Real) -> Real {
    (SIDEWAYS * radius_a.min(radius_b)).max(SIDEWAYS_OF_EDGE * widest)
}

/// Two points for parallel capsules; false, and nothing done, where they do not lie side by side, or pass
/// each other sideways by more than `limit` (m) at an end.
pub(super) fn side_by_side(
    (a, radius_a): (&Segment, Real),
    (b, radius_b): (&Segment, Real),
    limit: Real,
    margin: Real,
    manifold: &mut LocalManifold,
) -> bool {
    let cosine = a.direction.dot(&b.direction);
    let offset = b.center - a.center;
    let center = offset.dot(&a.direction);
    let half = b.half_length * cosine.abs();
    let (low, high) = ((center - half).max(-a.half_length), (center + half).min(a.half_length));
    let shared = high - low;
    let shorter = a.half_length.min(b.half_length);
    if !(shared > SHARED_STRETCH * shorter && shorter > 0.0) {
        return false;
    }
    // Square to A's direction, so that the points of A stay on it.
    let pair = |along: Real| {
        let on_b = (along - center) / cosine;
        (a.at(along), b.at(on_b.clamp(-b.half_length, b.half_length)))
    };
    let ((low_a, low_b), (high_a, high_b)) = (pair(low), pair(high));
    let middle = (low_b - low_a + high_b - high_a) * 0.5;
    let sideways = middle - a.direction * middle.dot(&a.direction);
    let normal = unit_or_square_to(&sideways, &a.direction);
    // Lines that cross in the view along the normal touch where they cross.
    let across = a.direction.cross(&normal);
    let passing = across.dot(&(low_b - low_a)).abs().max(across.dot(&(high_b - high_a)).abs());
    if passing > limit {
        return false;
    }
    manifold.normal = normal;
    manifold.push_within(margin, round_point(&low_a, radius_a, &low_b, radius_b, &normal, 0));
    manifold.push_within(margin, round_point(&high_a, radius_a, &high_b, radius_b, &normal, 1));
    true
}
