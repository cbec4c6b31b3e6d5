//! Balls and capsules against boxes and hulls, exactly: a point or segment against the faces and edges.

use super::polytope::Polytope;
use super::round::{round_point, side_by_side};
use super::segment::{PARALLEL_SINE_SQUARED, Segment, closest_segments, unit};
use super::{LocalManifold, LocalPoint};
use drystone_math::{Real, Vector3};

/// Cosine above which a direction counts as a face's normal: the angle of `PARALLEL_SINE_SQUARED`.
const FACE_COSINE: Real = 1.0 - 0.5 * PARALLEL_SINE_SQUARED;
/// An edge axis must beat the best face by this part of the overlap ...
const EDGE_RELATIVE: Real = 0.02;
/// ... plus this part of the polytope's thinness.
const EDGE_ABSOLUTE: Real = 1.0e-3;
/// Part of a distance by which measuring it along a face normal may change it, within [`FACE_COSINE`].
const FLATTENED: Real = 1.0e-4;
/// A capsule along an edge may turn against it by this part of its radius, sideways, and keep two points:
/// little, for a point off the edge sideways is off the surface.
const SIDEWAYS: Real = 2.0e-4;
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
/// edges, faces preferred within [`EDGE_RELATIVE`] and [`EDGE_ABSOLUTE`]. Along a face normal a capsule
/// gets the two ends of its stretch over that face, along a parallel edge two points as well.
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
            // Above a face, its separation is the distance if some point of the core has just that height.
            let limit = separation - radius + RIM_TOLERANCE * polytope.size();
            if separation > 0.0 && manifold.deepest() > limit {
                manifold.count = 0;
            }
        }
        Axis::Edge(edge, normal) if separation <= 0.0 => {
            edge_point(polytope, edge, &normal, core, radius, margin, manifold);
        }
        Axis::Edge(..) => {}
    }
    if manifold.count == 0 {
        separated(polytope, core, radius, margin, manifold);
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
    let mut best = (Axis::Face(face.0), face.1);
    if core.half_length > 0.0 && face.1 <= 0.0 {
        let slack = EDGE_RELATIVE * face.1.abs() + EDGE_ABSOLUTE * polytope.thinness();
        let mut threshold = face.1 + slack;
        for e in 0..polytope.edge_count() {
            if let Some((normal, separation)) = crossing_axis(polytope, e, core)
                && (separation > threshold)
            {
                best = (Axis::Edge(e, normal), separation);
                threshold = separation;
            }
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

/// Contact of a core that does not enter the polytope: along the shortest line between the two.
fn separated(
    polytope: &impl Polytope,
    core: &Segment,
    radius: Real,
    margin: Real,
    manifold: &mut LocalManifold,
) {
    // The closest pair: of a face and an end of the segment, or of an edge and the segment.
    let mut best = Real::INFINITY;
    let mut closest = None;
    let half = core.direction * core.half_length;
    let ends = [core.center - half, core.center + half];
    let end_count = if core.half_length > 0.0 { 2 } else { 1 };
    for f in 0..polytope.face_count() {
        let (normal, offset) = polytope.plane(f);
        for end in &ends[..end_count] {
            let height = normal.dot(end) - offset;
            if height >= 0.0 && height < best && is_over(polytope, f, &normal, end) {
                best = height;
                closest = Some((Axis::Face(f), end - normal * height, *end));
            }
        }
    }
    let sees = |f: u32| {
        let (normal, offset) = polytope.plane(f as usize);
        normal.dot(&core.center) + normal.dot(&half).abs() > offset
    };
    for e in 0..polytope.edge_count() {
        // The line to a closest point on an edge points out of one of its faces.
        let [left, right] = polytope.edge(e).faces;
        if !(sees(left) || sees(right)) {
            continue;
        }
        let Some(edge) = edge_segment(polytope, e) else {
            continue;
        };
        let (s, t) = closest_segments(&edge, core);
        let (on_edge, on_core) = (edge.at(s), core.at(t));
        let distance = (on_core - on_edge).norm();
        if distance < best {
            best = distance;
            closest = Some((Axis::Edge(e, Vector3::zeros()), on_edge, on_core));
        }
    }
    let Some((axis, on_polytope, on_core)) = closest else {
        return;
    };
    if best > radius + margin {
        if let Some((normal, _)) = unit(&(on_core - on_polytope)) {
            let lowest = normal.dot(&core.center) - normal.dot(&half).abs() - radius;
            (manifold.normal, manifold.gap) = (normal, lowest + polytope.lowest(&-normal).1);
        }
        return;
    }
    let face = match axis {
        Axis::Face(f) => Some(f),
        // Nearly along a normal of one of the edge's faces: the face decides.
        Axis::Edge(e, _) => polytope
            .edge(e)
            .faces
            .map(|f| f as usize)
            .into_iter()
            .find(|f| polytope.plane(*f).0.dot(&(on_core - on_polytope)) >= FACE_COSINE * best),
    };
    if let Some(face) = face {
        let tolerance = FLATTENED * best + RIM_TOLERANCE * polytope.size();
        face_points(polytope, face, core, radius, margin, manifold);
        if manifold.deepest() <= best - radius + tolerance {
            return;
        }
        // The closest point is just beside the face.
        manifold.count = 0;
    }
    if let Axis::Edge(e, _) = axis
        && let Some(edge) = edge_segment(polytope, e)
        && edge.direction.cross(&core.direction).norm_squared() < PARALLEL_SINE_SQUARED
        && side_by_side((&edge, 0.0), (core, radius), SIDEWAYS * radius, margin, manifold)
    {
        return;
    }
    if let Some((normal, _)) = unit(&(on_core - on_polytope)) {
        manifold.normal = normal;
        manifold.push_within(margin, round_point(&on_polytope, 0.0, &on_core, radius, &normal, 2));
    }
}

/// True when `point` lies over the polygon of `face`.
fn is_over(polytope: &impl Polytope, face: usize, normal: &Vector3, point: &Vector3) -> bool {
    let count = polytope.corner_count(face);
    (0..count).all(|k| {
        let next = if k + 1 == count { 0 } else { k + 1 };
        let (p, q) =
            (polytope.vertex(polytope.corner(face, k)), polytope.vertex(polytope.corner(face, next)));
        (q - p).cross(&(point - p)).dot(normal) >= 0.0
    })
}
