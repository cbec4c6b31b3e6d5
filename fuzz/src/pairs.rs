//! Pairs of shapes: distance, depth, manifolds.

use crate::input::Input;
use drystone_collision::Shape;
use drystone_collision::narrow::epa::{EpaScratch, Separation, penetration};
use drystone_collision::narrow::gjk::GjkSeed;
use drystone_collision::narrow::{LocalManifold, MAX_POINTS, NarrowStatus, PairCache, contact};
use drystone_collision::query::{closest_points, overlaps};
use drystone_collision::shape::{Core, Frame, Support};
use drystone_math::{Displacement, Pose, Position, Real, RelativePose, Rotation, widen};

/// Two shapes of any kinds at any pose: distances that are proven by the corners of both, and manifolds that keep their promises.
///
/// # Panics
/// When GJK, EPA, a manifold or a query is wrong.
pub fn gjk_epa(data: &[u8]) {
    let mut input = Input::new(data);
    let (Some(a), Some(b)) = (input.shape(), input.shape()) else { return };
    let pose = input.relative_pose();
    if let (Some((core_a, _)), Some((core_b, _))) = (a.core(), b.core()) {
        check_cores(&core_a, &core_b, &pose);
    }
    let margin = [0.0, 0.01, 0.1, 1.0e3][input.below(4)];
    let mut cache = PairCache::default();
    check_manifold(&a, &b, &pose, margin, &mut cache);
    // The same pair a little later, with what was remembered.
    let nudge = RelativePose::new(input.vector() * 1e-3, Rotation::from_scaled_axis(input.vector() * 1e-3));
    check_manifold(&a, &b, &pose.compose(&nudge), margin, &mut cache);
    check_queries(&a, &b, &pose);
    // What is not a number touches nothing.
    let nowhere = RelativePose::new(input.wild_vector(), pose.rotation);
    let mut manifold = LocalManifold::default();
    contact(&a, &b, &nowhere, input.wild(), &mut cache, &mut manifold);
    assert!(manifold.points().iter().all(|point| point.point.iter().all(|c| c.is_finite())), "{manifold:?}");
}

/// How far a placed core reaches along a direction.
fn reach(core: &Core<'_>, frame: &Frame, direction: &Displacement) -> f64 {
    let local = frame.turn_back(direction);
    let farthest = match core {
        Core::Frustum(_) => core.vertex(core.support(&local, 0)).dot(&local),
        _ => (0..core.vertex_count()).map(|i| core.vertex(i).dot(&local)).fold(f64::NEG_INFINITY, f64::max),
    };
    farthest + frame.origin.dot(direction)
}

/// Largest coordinate, m, which rounding is a part of.
fn extent(core: &Core<'_>, frame: &Frame) -> f64 {
    let axes = [Displacement::x(), Displacement::y(), Displacement::z()];
    axes.iter().flat_map(|n| [*n, -n]).map(|n| reach(core, frame, &n).abs()).sum()
}

fn check_cores(a: &Core<'_>, b: &Core<'_>, pose: &RelativePose) {
    let found = penetration(a, b, pose, &mut GjkSeed::default(), &mut EpaScratch::default());
    let frames = [Frame::new(&RelativePose::IDENTITY), Frame::new(pose)];
    let size = extent(a, &frames[0]) + extent(b, &frames[1]);
    let rounding = 4.0 * f64::from(Real::EPSILON) * size;
    check_separation(&found, a, b, &frames, rounding);
    let back = penetration(b, a, &pose.inverse(), &mut GjkSeed::default(), &mut EpaScratch::default());
    let slack = f64::from(found.error_bound) + f64::from(back.error_bound) + 8.0 * rounding;
    let difference = f64::from(found.distance) - f64::from(back.distance);
    assert!(
        difference.abs() <= slack,
        "{difference} m between A to B and B to A, allowed {slack}: {found:?} {back:?}"
    );
}

/// The gap between the planes along the normal, over all corners, is the distance: so it is no larger than the true one. The two
/// points are that far apart: so it is no smaller where they are apart.
fn check_separation(found: &Separation, a: &Core<'_>, b: &Core<'_>, frames: &[Frame; 2], rounding: f64) {
    assert!((found.normal.norm() - 1.0).abs() < 1e-6, "{found:?}");
    assert!(found.distance.is_finite() && found.error_bound >= 0.0, "{found:?}");
    assert!(found.point_a.iter().chain(found.point_b.iter()).all(|c| c.is_finite()), "{found:?}");
    let normal = widen(&found.normal).normalize();
    let gap = -reach(b, &frames[1], &-normal) - reach(a, &frames[0], &normal);
    let tolerance = f64::from(found.error_bound) + rounding;
    let distance = f64::from(found.distance);
    assert!(
        (gap - distance).abs() <= tolerance,
        "gap {gap} m, allowed {tolerance}: {found:?} {a:?} {b:?} {frames:?}"
    );
    if distance > 0.0 || found.status == NarrowStatus::Converged {
        let between = widen(&(found.point_b - found.point_a)) - normal * distance;
        let slack = tolerance + (2.0 * tolerance * distance.abs()).sqrt();
        assert!(between.norm() <= slack, "points {} m off: {found:?} {a:?} {b:?} {frames:?}", between.norm());
    }
}

fn check_manifold(a: &Shape, b: &Shape, pose: &RelativePose, margin: Real, cache: &mut PairCache) {
    let mut manifold = LocalManifold::default();
    // That points lie on both surfaces is asserted in there.
    contact(a, b, pose, margin, cache, &mut manifold);
    let context = || format!("{a:?}\n{b:?}\n{pose:?} margin {margin}\n{manifold:?}");
    assert!(manifold.points().len() <= MAX_POINTS && !manifold.gap.is_nan(), "{}", context());
    if manifold.count > 0 {
        assert!((manifold.normal.norm() - 1.0).abs() < 1e-5, "{}", context());
    }
    for (i, point) in manifold.points().iter().enumerate() {
        assert!(point.distance <= margin && point.distance.is_finite(), "{}", context());
        assert!(point.point.iter().all(|c| c.is_finite()), "{}", context());
        let is_new = manifold.points()[..i].iter().all(|other| other.feature != point.feature);
        assert!(is_new, "features are distinct\n{}", context());
    }
}

fn check_queries(a: &Shape, b: &Shape, pose: &RelativePose) {
    let at = pose.translation.map(f64::from);
    let (pose_a, pose_b) = (Pose::IDENTITY, Pose::new(Position::from(at), pose.rotation));
    let Some(found) = closest_points(a, &pose_a, b, &pose_b, f64::INFINITY) else { return };
    let unit = found.normal;
    assert!(found.distance.is_finite() && (unit.norm() - 1.0).abs() < 1e-5, "{found:?}");
    let size = |shape: &Shape| if shape.is_half_space() { 0.0 } else { f64::from(shape.bounding_radius()) };
    let rounding = 1e-4 * (size(a) + size(b) + at.norm());
    let between = found.points[1] - found.points[0] - widen(&found.normal) * found.distance;
    if a.surface().is_none() && b.surface().is_none() && found.status != NarrowStatus::RoundLimit {
        assert!(
            between.norm() <= rounding + 1e-3 * found.distance.abs(),
            "{} m off: {a:?} {b:?} {pose:?} {found:?}",
            between.norm()
        );
    }
    if found.distance.abs() > rounding {
        assert_eq!(overlaps(a, &pose_a, b, &pose_b), found.distance <= 0.0, "{a:?} {b:?} {pose:?} {found:?}");
    }
}
