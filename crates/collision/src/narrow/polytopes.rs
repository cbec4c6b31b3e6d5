//! Two polytopes (hulls, or a box and a hull): separating axes, then clipped faces or crossing edges.

use super::box_box::{BEYOND_EDGE, EDGE_ABSOLUTE, EDGE_RELATIVE, FACE_ABSOLUTE, FACE_RELATIVE, Outcome};
use super::closest::push_separation;
use super::epa::Separation;
use super::polygon::face_contact;
use super::polytope::Polytope;
use super::sat::{
    EdgeAxis, FaceAxis, Placement, separation_of_a, separation_of_b, widest_crossing, widest_face,
};
use super::segment::{Segment, closest_segments, unit};
use super::{LocalManifold, LocalPoint, PairCache};
use drystone_math::{Real, RelativePose, Vector3};

/// Marks a remembered face that kept the polytopes apart.
const SEPARATED: u32 = 1 << 31;
/// Marks a remembered face of B.
const OF_B: u32 = 1 << 30;

/// Contact of two polytopes of at most `sat::MAX_FACES` faces each, in the frame of A.
///
/// The same rules as for two boxes (see `box_box`), with the smaller [`Polytope::thinness`] in the place of
/// the smallest half extent. Word 0 of `cache` holds the face used or separating last + 1.
pub(super) fn polytopes(
    a: &impl Polytope,
    b: &impl Polytope,
    b_in_a: &RelativePose,
    margin: Real,
    cache: &mut PairCache,
    manifold: &mut LocalManifold,
) -> Outcome {
    let place = Placement::new(b_in_a);
    let remembered = Remembered::new(cache, a, b);
    let of_a = |f: usize| separation_of_a(a, b, &place, f);
    let of_b = |f: usize| separation_of_b(a, b, &place, f);
    let normal_of_a = |f: usize| a.plane(f).0;
    let normal_of_b = |f: usize| -(place.rotation * b.plane(f).0);
    if remembered.is_separating {
        let face = remembered.face;
        let gap = if remembered.is_of_b { of_b(face) } else { of_a(face) };
        if gap > margin {
            let normal = if remembered.is_of_b { normal_of_b(face) } else { normal_of_a(face) };
            (manifold.normal, manifold.gap) = (normal, gap);
            return Outcome::EXACT;
        }
    }
    let best_a = widest_face(a.face_count(), margin, of_a);
    if best_a.separation > margin {
        cache.words[0] = (best_a.face as u32 + 1) | SEPARATED;
        (manifold.normal, manifold.gap) = (normal_of_a(best_a.face), best_a.separation);
        return Outcome::EXACT;
    }
    let best_b = widest_face(b.face_count(), margin, of_b);
    if best_b.separation > margin {
        cache.words[0] = (best_b.face as u32 + 1) | OF_B | SEPARATED;
        (manifold.normal, manifold.gap) = (normal_of_b(best_b.face), best_b.separation);
        return Outcome::EXACT;
    }
    let thinness = a.thinness().min(b.thinness());
    let uses_b = prefers_b(a, b, best_a, best_b, &remembered, thinness);
    let (face, other) = if uses_b { (best_b, best_a) } else { (best_a, best_b) };
    let edge = widest_crossing(a, b, &place, face.separation, margin);
    if let Some(edge) = edge.filter(|e| e.separation > margin) {
        (manifold.normal, manifold.gap) = (edge.normal, edge.separation);
        return Outcome::EXACT;
    }
    let edge_slack = EDGE_RELATIVE * face.separation.abs() + EDGE_ABSOLUTE * thinness;
    if let Some(edge) = &edge
        && edge.separation > face.separation + edge_slack
        && edge_contact(a, b, &place, edge, margin, manifold)
    {
        cache.words[0] = 0;
        return Outcome::EXACT;
    }
    let clip_face = |is_of_b: bool, axis: FaceAxis, manifold: &mut LocalManifold| {
        face_points((a, b), (&place, b_in_a), is_of_b, axis.face, margin, manifold)
    };
    // See `box_box`.
    let widest = edge.map_or(Real::NEG_INFINITY, |e| e.separation).max(face.separation).max(other.separation);
    for (is_of_b, axis) in [(uses_b, face), (!uses_b, other)] {
        let clipped = clip_face(is_of_b, axis, manifold);
        if clipped && manifold.deepest() <= widest + edge_slack {
            cache.words[0] = (axis.face as u32 + 1) | if is_of_b { OF_B } else { 0 };
            return Outcome::EXACT;
        }
        manifold.count = 0;
        if edge.is_some_and(|edge| edge_contact(a, b, &place, &edge, margin, manifold)) {
            return Outcome::EXACT;
        }
    }
    Outcome::NeedsClosestPoints
}

/// Contact of two polytopes whose `separation` is known: the face of either that looks along its normal
/// most, where that face keeps them apart (nearly) as well; else the one point of the separation.
pub(super) fn along_separation(
    a: &impl Polytope,
    b: &impl Polytope,
    b_in_a: &RelativePose,
    separation: &Separation,
    margin: Real,
    manifold: &mut LocalManifold,
) {
    let place = Placement::new(b_in_a);
    let thinness = a.thinness().min(b.thinness());
    let facing_a = most_aligned(a, &separation.normal);
    let facing_b = most_aligned(b, &place.rotation.tr_mul(&-separation.normal));
    let best_a = FaceAxis { face: facing_a, separation: separation_of_a(a, b, &place, facing_a) };
    let best_b = FaceAxis { face: facing_b, separation: separation_of_b(a, b, &place, facing_b) };
    let uses_b = prefers_b(a, b, best_a, best_b, &Remembered::NOTHING, thinness);
    let slack = EDGE_RELATIVE * separation.distance.abs() + EDGE_ABSOLUTE * thinness;
    for is_of_b in [uses_b, !uses_b] {
        let axis = if is_of_b { best_b } else { best_a };
        if separation.distance <= axis.separation + slack
            && face_points((a, b), (&place, b_in_a), is_of_b, axis.face, margin, manifold)
            && manifold.deepest() <= separation.distance + slack
        {
            return;
        }
        manifold.count = 0;
    }
    push_separation(separation, 0.0, 0.0, margin, manifold);
}

/// The face whose normal is closest to `direction`, the first of equal ones.
fn most_aligned(polytope: &impl Polytope, direction: &Vector3) -> usize {
    let mut best = (0, Real::NEG_INFINITY);
    for face in 0..polytope.face_count() {
        let cosine = polytope.plane(face).0.dot(direction);
        if cosine > best.1 {
            best = (face, cosine);
        }
    }
    best.0
}

/// Points of a face of A or B, clipped, in the frame of A; false when none is left.
fn face_points(
    (a, b): (&impl Polytope, &impl Polytope),
    (place, b_in_a): (&Placement, &RelativePose),
    is_of_b: bool,
    face: usize,
    margin: Real,
    manifold: &mut LocalManifold,
) -> bool {
    if !is_of_b {
        return face_contact(a, face, b, place, 0, margin, manifold) > 0;
    }
    let back = Placement::new(&b_in_a.inverse());
    let count = face_contact(b, face, a, &back, 1, margin, manifold);
    manifold.flip(b_in_a);
    count > 0
}

/// What the cache says, checked against the shapes.
struct Remembered {
    is_known: bool,
    is_separating: bool,
    is_of_b: bool,
    face: usize,
}

impl Remembered {
    /// A pair never seen.
    const NOTHING: Self = Self { is_known: false, is_separating: false, is_of_b: false, face: 0 };

    fn new(cache: &PairCache, a: &impl Polytope, b: &impl Polytope) -> Self {
        let word = cache.words[0];
        let is_of_b = word & OF_B != 0;
        let face = (word & !(SEPARATED | OF_B)).wrapping_sub(1) as usize;
        let is_known = face < if is_of_b { b.face_count() } else { a.face_count() };
        Self { is_known, is_separating: is_known && word & SEPARATED != 0, is_of_b, face }
    }
}

/// True when B's face is the reference: the side used last, else the larger face, unless the other one is
/// clearly farther out.
fn prefers_b(
    a: &impl Polytope,
    b: &impl Polytope,
    best_a: FaceAxis,
    best_b: FaceAxis,
    remembered: &Remembered,
    thinness: Real,
) -> bool {
    let slack =
        FACE_RELATIVE * best_a.separation.abs().min(best_b.separation.abs()) + FACE_ABSOLUTE * thinness;
    let gain = best_b.separation - best_a.separation;
    if gain.abs() > slack {
        return gain > 0.0;
    }
    if remembered.is_known && !remembered.is_separating {
        return remembered.is_of_b;
    }
    double_area(b, best_b.face) > double_area(a, best_a.face)
}

/// Twice the area of a face, m².
fn double_area(polytope: &impl Polytope, face: usize) -> Real {
    let corner = |k: usize| polytope.vertex(polytope.corner(face, k));
    let first = corner(0);
    let normal = polytope.plane(face).0;
    (1..polytope.corner_count(face).saturating_sub(1))
        .map(|k| (corner(k) - first).cross(&(corner(k + 1) - first)).dot(&normal))
        .sum()
}

/// The one point where two edges cross; false, and nothing done, where they pass beyond their ends.
fn edge_contact(
    a: &impl Polytope,
    b: &impl Polytope,
    place: &Placement,
    axis: &EdgeAxis,
    margin: Real,
    manifold: &mut LocalManifold,
) -> bool {
    let [p, q] = a.edge(axis.edges[0]).vertices.map(|v| a.vertex(v as usize));
    let [r, s] = b.edge(axis.edges[1]).vertices.map(|v| place.place(&b.vertex(v as usize)));
    let (Some((along_a, length_a)), Some((along_b, length_b))) = (unit(&(q - p)), unit(&(s - r))) else {
        return false;
    };
    let edge_a = Segment { center: (p + q) * 0.5, direction: along_a, half_length: 0.5 * length_a };
    let edge_b = Segment { center: (r + s) * 0.5, direction: along_b, half_length: 0.5 * length_b };
    let (t, u) = closest_segments(&edge_a, &edge_b);
    let (on_a, on_b) = (edge_a.at(t), edge_b.at(u));
    // Lines that cross within both edges are joined by the axis itself.
    let sideways = on_b - on_a - axis.normal * axis.separation;
    if sideways.norm() > BEYOND_EDGE * (length_a + length_b) {
        return false;
    }
    manifold.normal = axis.normal;
    let feature = 1 << 31 | (axis.edges[0] as u32 & 0x7fff) << 15 | (axis.edges[1] as u32 & 0x7fff);
    let point = (on_a + on_b) * 0.5;
    manifold.push_within(margin, LocalPoint { point, distance: axis.separation, feature });
    manifold.count > 0
}
