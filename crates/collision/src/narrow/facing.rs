//! More points for a contact of one point: where else the two surfaces lie opposite each other along its normal.
//!
//! Where two edges cross or a corner meets a face, two bodies touch in a point and turn about it; what comes round within
//! a step is met by no contact and overlaps. Along the normal the gap of two convex surfaces is a convex function of the
//! place, least at the point found. Sampled at the corners of the two faces that look at each other most, it gives further
//! points, farther apart than the first: constraints that do nothing until the pair has turned.

use super::box_box;
use super::frustum;
use super::polygon::facing_contact;
use super::polytope::{BoxPolytope, MAX_FACES, Polytope};
use super::round::capsule_segment;
use super::round_polytope::stretch_over;
use super::sat::Placement;
use super::{LocalManifold, LocalPoint, MAX_POINTS};
use crate::Shape;
use crate::shape::ConvexHull;
use drystone_math::{Real, RelativePose, Vector3};

/// Least cosine between the normal of the contact and that of a face that takes part: beyond 60 degrees a turn moves
/// the gap along the one far more than along the other.
const LEAST_COSINE: Real = 0.5;
/// Points nearer to the first than this part of the smaller shape's size are the same one.
const BESIDE: Real = 0.05;

/// Adds points to a manifold of one point, found by [`super::contact`] for the same shapes, pose and margin (m): up to three
/// places where the surfaces lie opposite each other along its normal within the margin, no deeper than the first up
/// to rounding. Only for two boxes or hulls, for a capsule and one of these, and for a cylinder or cone and any of
/// all these; hulls of more than 64 faces get none.
///
/// Every point is on both surfaces in the sense of [`LocalPoint`]: half its distance along and against the normal.
/// Costs about as much as clipping two faces.
pub fn add_facing_points(
    a: &Shape,
    b: &Shape,
    b_in_a: &RelativePose,
    margin: Real,
    manifold: &mut LocalManifold,
) {
    let has_corners = |shape: &Shape| {
        matches!(shape, Shape::Box { .. } | Shape::Hull(_) | Shape::Capsule { .. })
            || shape.frustum().is_some()
    };
    if manifold.count != 1 || !has_corners(a) || !has_corners(b) {
        return;
    }
    let mut found = LocalManifold::default();
    match (a, b) {
        _ if a.frustum().is_some() || b.frustum().is_some() => {
            frustum::add_facing((a, b), b_in_a, &manifold.normal, (LEAST_COSINE, margin), &mut found);
        }
        (Shape::Capsule { half_length, radius }, _) => {
            with_polytope(b, |b| {
                let normal = -b_in_a.rotation.inverse_transform_vector(&manifold.normal);
                above_face(b, (*half_length, *radius), &b_in_a.inverse(), &normal, margin, &mut found);
                found.flip(b_in_a);
            });
        }
        (_, Shape::Capsule { half_length, radius }) => {
            with_polytope(a, |a| {
                above_face(a, (*half_length, *radius), b_in_a, &manifold.normal, margin, &mut found)
            });
        }
        (Shape::Box { half_extents: half_a }, Shape::Box { half_extents: half_b }) => {
            let halves = [half_a, half_b];
            box_box::facing_points(halves, b_in_a, &manifold.normal, LEAST_COSINE, margin, &mut found);
        }
        (Shape::Hull(a), Shape::Hull(b)) if is_small(a) && is_small(b) => {
            between_faces(&**a, &**b, b_in_a, &manifold.normal, margin, &mut found);
        }
        (Shape::Box { half_extents }, Shape::Hull(b)) if is_small(b) => {
            let a = BoxPolytope { half_extents: *half_extents };
            between_faces(&a, &**b, b_in_a, &manifold.normal, margin, &mut found);
        }
        (Shape::Hull(a), Shape::Box { half_extents }) if is_small(a) => {
            let b = BoxPolytope { half_extents: *half_extents };
            between_faces(&**a, &b, b_in_a, &manifold.normal, margin, &mut found);
        }
        _ => return,
    }
    let size = size_of(a).min(size_of(b));
    merge(&found, size, manifold);
}

/// Hands the polytope of a box or a hull of few faces to `work`; other shapes are left out.
fn with_polytope(shape: &Shape, work: impl FnOnce(&dyn Polytope)) {
    match shape {
        Shape::Box { half_extents } => work(&BoxPolytope { half_extents: *half_extents }),
        Shape::Hull(hull) if is_small(hull) => work(&**hull),
        _ => {}
    }
}

/// Whether the faces of a hull are few enough.
fn is_small(hull: &ConvexHull) -> bool {
    hull.faces.len() <= MAX_FACES
}

/// Size of a shape, m; none of what has no end.
fn size_of(shape: &Shape) -> Real {
    if shape.is_half_space() { Real::INFINITY } else { shape.bounding_radius() }
}

/// The corners of the faces of A and B that look along `normal` (frame of A, out of A) most, clipped to each other.
fn between_faces(
    a: &impl Polytope,
    b: &impl Polytope,
    b_in_a: &RelativePose,
    normal: &Vector3,
    margin: Real,
    found: &mut LocalManifold,
) {
    let place = Placement::new(b_in_a);
    let against = place.rotation.tr_mul(&-normal);
    let faces = [a.most_aligned(normal), b.most_aligned(&against)];
    let cosines = [a.plane(faces[0]).0.dot(normal), b.plane(faces[1]).0.dot(&against)];
    if cosines[0].min(cosines[1]) > LEAST_COSINE {
        facing_contact((a, b), faces, &place, normal, margin, found);
    }
}

/// The ends of a capsule's stretch over the face of a polytope that looks along `normal` (frame of the polytope, out
/// of it) most.
fn above_face(
    polytope: &dyn Polytope,
    (half_length, radius): (Real, Real),
    capsule_in_polytope: &RelativePose,
    normal: &Vector3,
    margin: Real,
    found: &mut LocalManifold,
) {
    let core = capsule_segment(half_length, capsule_in_polytope);
    let face = polytope.most_aligned(normal);
    let (face_normal, offset) = polytope.plane(face);
    let cosine = face_normal.dot(normal);
    if cosine <= LEAST_COSINE {
        return;
    }
    let Some((low, high)) = stretch_over(polytope, face, normal, &core) else {
        return;
    };
    found.normal = *normal;
    for (end, along) in [low, high].into_iter().enumerate() {
        let lowest = core.at(along) - normal * radius;
        let distance = (face_normal.dot(&lowest) - offset) / cosine;
        let feature = 3 << 29 | (face as u32) << 2 | end as u32;
        found
            .push_within(margin, LocalPoint { point: lowest - normal * (0.5 * distance), distance, feature });
    }
}

/// Adds the points found that lie away from the first one; where all four do, not the nearest.
fn merge(found: &LocalManifold, size: Real, manifold: &mut LocalManifold) {
    let first = manifold.points[0].point;
    let squares = found.points.map(|point| (point.point - first).norm_squared());
    let count = found.count as usize;
    let nearest = squares[..count].iter().copied().fold(Real::INFINITY, Real::min);
    let least = (BESIDE * size) * (BESIDE * size);
    let mut room = MAX_POINTS - 1;
    for (point, square) in found.points().iter().zip(squares) {
        let is_left_out = count == MAX_POINTS && square == nearest;
        if square > least && !is_left_out && room > 0 {
            manifold.push(*point);
            room -= 1;
        }
    }
}
