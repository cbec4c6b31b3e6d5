//! The core outside of the polytope: the closest points of the two.

use super::super::LocalManifold;
use super::super::polytope::Polytope;
use super::super::round::{round_point, side_by_side};
use super::super::segment::{PARALLEL_SINE_SQUARED, Segment, closest_segments, unit};
use super::{Axis, RIM_TOLERANCE, edge_segment, face_points};
use drystone_math::{Real, Vector3};

/// Cosine above which a direction counts as a face's normal: the angle of `PARALLEL_SINE_SQUARED`.
const FACE_COSINE: Real = 1.0 - 0.5 * PARALLEL_SINE_SQUARED;
/// Part of a distance by which measuring it along a face normal may change it, within [`FACE_COSINE`].
const FLATTENED: Real = 1.0e-4;
/// A capsule along an edge may turn against it by this part of its radius, sideways, and keep two points:
/// little, for a point off the edge sideways is off the surface.
const SIDEWAYS: Real = 2.0e-4;

/// Contact of a core that does not enter the polytope: along the shortest line between the two.
pub(super) fn separated(
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
