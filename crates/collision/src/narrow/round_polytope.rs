//! Balls and capsules against boxes and hulls, exactly: a point or segment against the faces and edges.

mod apart;

use super::polytope::Polytope;
use super::round::round_point;
use super::segment::{Segment, closest_segments, unit};
use super::{LocalManifold, LocalPoint};
use apart::separated;
pub(super) use apart::{Nearest, nearest_of_all, nearest_of_box};
use drystone_math::{Real, Vector3};

/// An edge axis must beat the best face by this part of the overlap ...
const EDGE_RELATIVE: Real = 0.02;
/// ... plus this part of the polytope's thinness.
const EDGE_ABSOLUTE: Real = 1.0e-3;
/// Clipped stretches shorter than this part of the segment count as one point.
const SHORT_STRETCH: Real = 1.0e-3;
/// A point this part of the size outside a face's rim still counts as inside.
const RIM_TOLERANCE: Real = 1.0e-6;

/// A separating direction between the polytope and the core, seen from the polytope.
#[derive(Clone, Copy)]
enum Axis {
    Face(usize),
    Edge(usize, Vector3),
}

/// A polytope and a ball (half length 0) or capsule, in the frame of the polytope as A.
///
/// The core (point or segment) outside the polytope: the closest points of the two, over all faces and
/// edges it can see. Inside: the axis of least depth among the faces and the crossings of the segment with
/// edges, faces preferred within [`EDGE_RELATIVE`] and [`EDGE_ABSOLUTE`] where the core lies over them. Along
/// a face normal a capsule gets the two ends of its stretch over that face, along a parallel edge two points
/// as well.
///
/// Cost: linear in faces and edges. Exact up to rounding.
pub(super) fn polytope_round(
    polytope: &impl Polytope,
    core: &Segment,
    radius: Real,
    margin: Real,
    manifold: &mut LocalManifold,
) {
    let (axis, separation) = widest_axis(polytope, core);
    if !separation.is_finite() {
        return;
    }
    if separation > radius + margin {
        // Beyond the margin it is a face that keeps them apart: edges are looked at where the core is inside.
        let Axis::Face(face) = axis else { return };
        (manifold.normal, manifold.gap) = (polytope.plane(face).0, separation - radius);
        return;
    }
    match axis {
        Axis::Face(face) => {
            face_points(polytope, face, core, radius, margin, manifold);
            // The separation of a face is the distance if some point of the core over it has just that height; inside, up to what faces are
            // preferred by.
            let slack = if separation > 0.0 {
                RIM_TOLERANCE * polytope.size()
            } else {
                preference(polytope, separation)
            };
            if manifold.deepest() > separation - radius + slack {
                manifold.count = 0;
            }
        }
        Axis::Edge(edge, normal) if separation <= 0.0 => {
            edge_point(polytope, edge, &normal, core, radius, margin, manifold);
        }
        Axis::Edge(..) => {}
    }
    if manifold.count == 0 {
        match axis {
            Axis::Face(face) if separation <= 0.0 => {
                beside_face(polytope, (face, separation), core, radius, margin, manifold);
            }
            Axis::Edge(..) if separation <= 0.0 => {}
            _ => separated(polytope, core, radius, margin, manifold),
        }
    }
    if manifold.count > 0 {
        let normal = manifold.normal;
        let reach = core.half_length * normal.dot(&core.direction).abs() + radius;
        manifold.gap = normal.dot(&core.center) - reach + polytope.lowest(&-normal).1;
    }
}

/// The axis of largest separation between polytope and core, m; minus infinity for a core that is not a number.
fn widest_axis(polytope: &impl Polytope, core: &Segment) -> (Axis, Real) {
    let mut face = (0, Real::NEG_INFINITY);
    for f in 0..polytope.face_count() {
        let (normal, offset) = polytope.plane(f);
        let reach = core.half_length * normal.dot(&core.direction).abs();
        let separation = normal.dot(&core.center) - offset - reach;
        if separation > face.1 {
            face = (f, separation);
        }
    }
    if core.half_length > 0.0 && face.1 <= 0.0 {
        let threshold = face.1 + preference(polytope, face.1);
        if let Some((edge, normal, separation)) = widest_crossing(polytope, core, threshold) {
            return (Axis::Edge(edge, normal), separation);
        }
    }
    (Axis::Face(face.0), face.1)
}

/// By how much (m) an edge must beat a face of this separation (m).
fn preference(polytope: &impl Polytope, separation: Real) -> Real {
    EDGE_RELATIVE * separation.abs() + EDGE_ABSOLUTE * polytope.thinness()
}

/// Of the crossings of the segment with edges the one of largest separation, if above `threshold` (m): the edge, the axis, the separation, m.
fn widest_crossing(
    polytope: &impl Polytope,
    core: &Segment,
    mut threshold: Real,
) -> Option<(usize, Vector3, Real)> {
    let mut best = None;
    for e in 0..polytope.edge_count() {
        if let Some((normal, separation)) = crossing_axis(polytope, e, core)
            && (separation > threshold)
        {
            best = Some((e, normal, separation));
            threshold = separation;
        }
    }
    best
}

/// The axis square to edge `e` and the segment, pointing out of the polytope, with its separation; `None`
/// when it is no supporting direction of that edge.
///
/// Source: Gregorius, "The Separating Axis Test between Convex Polyhedra", GDC 2013: on the Gauss map the
/// segment is a great circle and the edge an arc between its two normals; they must cross.
#[inline]
fn crossing_axis(polytope: &impl Polytope, e: usize, core: &Segment) -> Option<(Vector3, Real)> {
    let edge = polytope.edge(e);
    let [left, right] = edge.faces.map(|f| polytope.plane(f as usize).0);
    let (k, l) = (left.dot(&core.direction), right.dot(&core.direction));
    if k * l >= 0.0 {
        return None;
    }
    // The point of the arc that is square to the segment.
    let (axis, _) = unit(&(left * l.abs() + right * k.abs()))?;
    Some((axis, axis.dot(&(core.center - polytope.vertex(edge.vertices[0] as usize)))))
}

/// Contact along the normal of `face`: the ends of the segment's stretch above it. False when the segment
/// lies beside the face.
fn face_points(
    polytope: &impl Polytope,
    face: usize,
    core: &Segment,
    radius: Real,
    margin: Real,
    manifold: &mut LocalManifold,
) -> bool {
    let (normal, offset) = polytope.plane(face);
    let Some((low, high)) = stretch_over(polytope, face, &normal, core) else {
        return false;
    };
    manifold.normal = normal;
    let mut push = |along: Real, end: u32| {
        let center = core.at(along);
        let distance = normal.dot(&center) - offset - radius;
        let point = center - normal * (radius + 0.5 * distance);
        manifold.push_within(margin, LocalPoint { point, distance, feature: (face as u32) << 2 | end });
    };
    if high - low > SHORT_STRETCH * core.half_length {
        push(low, 0);
        push(high, 1);
    } else {
        push(0.5 * (low + high), 0);
    }
    true
}

/// The part of the segment between the planes through the sides of `face` along `normal`, m along it; `None` when it
/// lies beside.
pub(super) fn stretch_over(
    polytope: &(impl Polytope + ?Sized),
    face: usize,
    normal: &Vector3,
    core: &Segment,
) -> Option<(Real, Real)> {
    let (mut low, mut high) = (-core.half_length, core.half_length);
    let count = polytope.corner_count(face);
    let tolerance = RIM_TOLERANCE * polytope.size();
    for k in 0..count {
        let next = if k + 1 == count { 0 } else { k + 1 };
        let (p, q) =
            (polytope.vertex(polytope.corner(face, k)), polytope.vertex(polytope.corner(face, next)));
        // Outward within the face's plane.
        let Some((side, _)) = unit(&(q - p).cross(normal)) else {
            continue;
        };
        let (height, slope) = (side.dot(&(core.center - p)), side.dot(&core.direction));
        if slope.abs() * core.half_length <= tolerance {
            if height > tolerance {
                return None;
            }
            continue;
        }
        // Inside where height + slope along <= 0.
        let limit = -height / slope;
        if slope > 0.0 {
            high = high.min(limit);
        } else {
            low = low.max(limit);
        }
    }
    if core.half_length == 0.0 {
        return Some((0.0, 0.0));
    }
    (low <= high + tolerance).then(|| (low.min(high), high))
}

/// Contact of a core that no face keeps out and that lies beside `face`, the one of largest separation (m): a crossing with an edge beats that
/// face by less than faces are preferred by, as where many faces are nearly coplanar. Where none does, rounding put the core beside it, and
/// its deepest end is at the rim.
///
/// The point is told from the core: rounded normals of nearly coplanar faces tell the height of an edge well, and its place along the core badly.
fn beside_face(
    polytope: &impl Polytope,
    (face, separation): (usize, Real),
    core: &Segment,
    radius: Real,
    margin: Real,
    manifold: &mut LocalManifold,
) {
    let crossing = widest_crossing(polytope, core, separation);
    let (normal, separation, along, feature) = match crossing {
        // Apart after all.
        Some((_, _, separation)) if separation > 0.0 => {
            return separated(polytope, core, radius, margin, manifold);
        }
        Some((edge, normal, separation)) => {
            let along = edge_segment(polytope, edge).map_or(0.0, |edge| closest_segments(&edge, core).1);
            (normal, separation, along, (edge as u32) << 2 | 2)
        }
        None => {
            let normal = polytope.plane(face).0;
            let deepest = -core.half_length.copysign(normal.dot(&core.direction));
            (normal, separation, deepest, (face as u32) << 2)
        }
    };
    let distance = separation - radius;
    let point = core.at(along) - normal * (radius + 0.5 * distance);
    manifold.normal = normal;
    manifold.push_within(margin, LocalPoint { point, distance, feature });
}

/// One point where the segment has gone deepest past edge `e`, measured along `normal`.
fn edge_point(
    polytope: &impl Polytope,
    e: usize,
    normal: &Vector3,
    core: &Segment,
    radius: Real,
    margin: Real,
    manifold: &mut LocalManifold,
) {
    let Some(edge) = edge_segment(polytope, e) else {
        return;
    };
    let (s, t) = closest_segments(&edge, core);
    manifold.normal = *normal;
    let feature = (e as u32) << 2 | 2;
    manifold.push_within(margin, round_point(&edge.at(s), 0.0, &core.at(t), radius, normal, feature));
}

/// Edge `e` as a segment; `None` when it has no length.
fn edge_segment(polytope: &impl Polytope, e: usize) -> Option<Segment> {
    let [p, q] = polytope.edge(e).vertices.map(|v| polytope.vertex(v as usize));
    let (direction, length) = unit(&(q - p))?;
    Some(Segment { center: (p + q) * 0.5, direction, half_length: 0.5 * length })
}
