//! The core outside of the polytope: the closest points of the two.

use super::super::LocalManifold;
use super::super::polytope::{BoxPolytope, Polytope};
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
    let Some(Nearest { axis, on_polytope, on_core }) = polytope.nearest_to(core) else {
        return;
    };
    let half = core.direction * core.half_length;
    let best = (on_core - on_polytope).norm();
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

/// The closest points of a polytope and a core outside of it.
#[derive(Clone, Copy)]
pub(in super::super) struct Nearest {
    /// The face or edge on which the point of the polytope lies.
    axis: Axis,
    on_polytope: Vector3,
    on_core: Vector3,
}

/// The closest pair of all: of a face and an end of the segment, or of an edge and the segment.
pub(in super::super) fn nearest_of_all(polytope: &impl Polytope, core: &Segment) -> Option<Nearest> {
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
                let on_polytope = end - normal * height;
                closest = Some(Nearest { axis: Axis::Face(f), on_polytope, on_core: *end });
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
        let (on_polytope, on_core) = (edge.at(s), core.at(t));
        let distance = (on_core - on_polytope).norm();
        if distance < best {
            best = distance;
            closest = Some(Nearest { axis: Axis::Edge(e, Vector3::zeros()), on_polytope, on_core });
        }
    }
    closest
}

/// The closest pair of a box, in its own frame and m, and a core outside of it.
///
/// The squared distance along the core is convex, and a parabola between the places where the core enters and leaves the slabs of the box:
/// the last of these places at which it falls and the first at which it rises have its minimum between them.
pub(in super::super) fn nearest_of_box(cuboid: &BoxPolytope, core: &Segment) -> Option<Nearest> {
    let h = &cuboid.half_extents;
    let on_box = |p: &Vector3| p.sup(&-h).inf(h);
    // Half of the slope of the squared distance.
    let slope = |t: Real| {
        let p = core.at(t);
        (p - on_box(&p)).dot(&core.direction)
    };
    let (mut falling, mut rising) = (-core.half_length, core.half_length);
    let (mut fall, mut rise) = (slope(falling), slope(rising));
    let t = if fall >= 0.0 {
        falling
    } else if rise <= 0.0 {
        rising
    } else {
        for axis in 0..3 {
            for side in [-h[axis], h[axis]] {
                let t = (side - core.center[axis]) / core.direction[axis];
                // Where the core runs along a slab there is no such place.
                if t > falling && t < rising {
                    let slope = slope(t);
                    if slope < 0.0 {
                        (falling, fall) = (t, slope);
                    } else {
                        (rising, rise) = (t, slope);
                    }
                }
            }
        }
        falling + (rising - falling) * (fall / (fall - rise))
    };
    let on_core = core.at(t);
    let on_polytope = on_box(&on_core);
    let off = on_core - on_polytope;
    let beyond = [0, 1, 2].map(|axis| off[axis] != 0.0);
    let axis = match beyond.iter().filter(|is_beyond| **is_beyond).count() {
        0 => return nearest_of_all(cuboid, core),
        1 => {
            let axis = beyond.iter().position(|is_beyond| *is_beyond)?;
            Axis::Face(2 * axis + usize::from(off[axis] < 0.0))
        }
        count => {
            // At a corner the edge that goes along with the core most.
            let along = if count == 3 {
                core.direction.iamax()
            } else {
                beyond.iter().position(|is_beyond| !is_beyond)?
            };
            let vertex = [0, 1, 2].map(|axis| usize::from(off[axis] < 0.0) << axis).iter().sum();
            Axis::Edge(BoxPolytope::edge_at(vertex, along), Vector3::zeros())
        }
    };
    Some(Nearest { axis, on_polytope, on_core })
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2048, ..ProptestConfig::default() })]

        /// A box finds the pair that a look at all of its faces and edges finds, as near up to rounding, and on a face or edge that holds
        /// the point.
        #[test]
        fn a_box_finds_what_all_faces_and_edges_find(
            half in prop::array::uniform3(0.1f32..1.0),
            center in prop::array::uniform3(prop_oneof![4 => -3.0f32..3.0, 1 => Just(0.0)]),
            direction in prop::array::uniform3(prop_oneof![4 => -1.0f32..1.0, 1 => Just(0.0), 1 => -1e-4f32..1e-4]),
            half_length in prop_oneof![4 => 0.0f32..2.0, 1 => Just(0.0)],
        ) {
            let cuboid = BoxPolytope { half_extents: Vector3::from(half) };
            let Some((direction, _)) = unit(&Vector3::from(direction)) else { return Ok(()) };
            let core = Segment { center: Vector3::from(center), direction, half_length };
            let all = nearest_of_all(&cuboid, &core);
            let distance = |n: &Nearest| (n.on_core - n.on_polytope).norm();
            let Some(expected) = all.filter(|n| distance(n) > 1e-4) else { return Ok(()) };
            let is_crossing = {
                let inside = |t: f32| (0..3).all(|k| core.at(t)[k].abs() < half[k]);
                (0..=64).any(|k| inside(half_length * (k as f32 / 32.0 - 1.0)))
            };
            // What crosses the box is no matter for this.
            if is_crossing { return Ok(()) }
            let found = nearest_of_box(&cuboid, &core).expect("a pair");
            prop_assert!((distance(&found) - distance(&expected)).abs() < 2e-6 * (1.0 + core.center.norm() + half_length),
                "{} {}", distance(&found), distance(&expected));
            match found.axis {
                Axis::Face(f) => {
                    let (normal, offset) = cuboid.plane(f);
                    prop_assert!((normal.dot(&found.on_polytope) - offset).abs() < 1e-6);
                    prop_assert!(normal.dot(&(found.on_core - found.on_polytope)) > 0.0);
                }
                Axis::Edge(e, _) => {
                    let edge = edge_segment(&cuboid, e).expect("an edge");
                    let foot = edge.at(edge.closest_along(&found.on_polytope));
                    prop_assert!((foot - found.on_polytope).norm() < 1e-6);
                }
            }
        }
    }
}
