//! Two polytopes (hulls, or a box and a hull): separating axes, then clipped faces or crossing edges.

use super::box_box::{EDGE_ABSOLUTE, EDGE_RELATIVE, FACE_ABSOLUTE, FACE_RELATIVE, Outcome};
use super::closest::{SEED, push_separation};
use super::epa::Separation;
use super::polygon::face_contact_at;
use super::polytope::Polytope;
use super::sat::{
    EdgeAxis, FaceAxis, Placement, WidestFace, Witnesses, axis_of_a, axis_of_b, crossing, widest_crossing,
};
use super::segment::unit;
use super::{LocalManifold, LocalPoint, Margin, PairCache};
use drystone_math::wide::Isa;
use drystone_math::{Real, RelativePose};

/// The points of two crossing edges may miss the axis between them by this part of the polytopes' sizes: rounding, no
/// more, for by half of that the contact point lies off either surface. What lies beyond the end of an edge misses by as
/// much, however long the other edge is. Rounding grows with the inverse sine of their angle: below 0.01 rad one crossing
/// in a few hundred misses by more, and is left to the closest points.
const MISS: Real = 4.0e-6;
/// Words of a cache; see [`Memory`].
const FACE: usize = 0;
const EDGES: usize = 1;
const STARTS: usize = 2;
/// Marks a remembered face that kept the polytopes apart.
const SEPARATED: u32 = 1 << 31;
/// Marks a remembered face of B.
const OF_B: u32 = 1 << 30;

/// Contact of two polytopes of at most `sat::MAX_FACES` faces each, in the frame of A.
///
/// The same rules as for two boxes (see `box_box`), with the smaller [`Polytope::thinness`] in the place of
/// the smallest half extent. Where both overlap along all faces, edges are crossed; where a face keeps them apart by
/// less than the margin, its clipped points are the closest ones if they are as near as the face says; else the
/// caller must find the closest points, and [`at_closest`] makes a contact of them. What `cache` holds: see
/// [`Memory`].
pub(super) fn polytopes(
    a: &impl Polytope,
    b: &impl Polytope,
    b_in_a: &RelativePose,
    within: &Margin,
    cache: &mut PairCache,
    manifold: &mut LocalManifold,
) -> Outcome {
    let place = Placement::new(b_in_a);
    let margin = within.all;
    let memory = Memory::read(cache, a, b);
    let normal_of_a = |f: usize| a.plane(f).0;
    let normal_of_b = |f: usize| -(place.rotation * b.plane(f).0);
    if let Some((is_of_b, face)) = memory.separating() {
        let (gap, normal) = if is_of_b {
            (axis_of_b(a, b, &place, face).separation, normal_of_b(face))
        } else {
            (axis_of_a(a, b, &place, face).separation, normal_of_a(face))
        };
        if within.is_exceeded(gap, || normal) {
            (manifold.normal, manifold.gap) = (normal, gap);
            return Outcome::EXACT;
        }
    }
    let back = place.inverse();
    let isa = Isa::best();
    let mut beside_a = Witnesses::new();
    let (start, witnesses) = (memory.start_a, &mut beside_a);
    let best_a = isa.run(WidestFace { reference: a, other: b, place: &place, start, margin, witnesses });
    if within.is_exceeded(best_a.separation, || normal_of_a(best_a.face)) {
        cache.words[FACE] = (best_a.face as u32 + 1) | SEPARATED;
        (manifold.normal, manifold.gap) = (normal_of_a(best_a.face), best_a.separation);
        return Outcome::EXACT;
    }
    let mut beside_b = Witnesses::new();
    let (start, witnesses) = (memory.start_b, &mut beside_b);
    let best_b = isa.run(WidestFace { reference: b, other: a, place: &back, start, margin, witnesses });
    if within.is_exceeded(best_b.separation, || normal_of_b(best_b.face)) {
        cache.words[FACE] = (best_b.face as u32 + 1) | OF_B | SEPARATED;
        (manifold.normal, manifold.gap) = (normal_of_b(best_b.face), best_b.separation);
        return Outcome::EXACT;
    }
    cache.words[STARTS] = (best_a.face as u32 + 1) | (best_b.face as u32 + 1) << 16;
    let thinness = a.thinness().min(b.thinness());
    let uses_b = prefers_b(a, b, best_a, best_b, &memory, thinness);
    let (face, other) = if uses_b { (best_b, best_a) } else { (best_a, best_b) };
    let widest = best_a.separation.max(best_b.separation);
    let edge = if widest > 0.0 {
        // Closest points of two edges are where they were, or among the closest points of all.
        memory
            .edges
            .and_then(|edges| crossing(a, b, &place, edges))
            .filter(|e| e.separation > face.separation)
    } else {
        widest_crossing(a, b, &place, [&beside_a, &beside_b], face.separation, margin, isa)
    };
    if let Some(edge) = edge.filter(|e| within.is_exceeded(e.separation, || e.normal)) {
        (manifold.normal, manifold.gap) = (edge.normal, edge.separation);
        return Outcome::EXACT;
    }
    let edge_slack = EDGE_RELATIVE * face.separation.abs() + EDGE_ABSOLUTE * thinness;
    if let Some(edge) = &edge
        && edge.separation > face.separation + edge_slack
        && edge_contact(a, b, &place, edge, margin, manifold)
    {
        (cache.words[FACE], cache.words[EDGES]) = (0, name_of(edge));
        return Outcome::EXACT;
    }
    // See `box_box`.
    let widest = edge.map_or(widest, |e| e.separation.max(widest));
    for (is_of_b, axis) in [(uses_b, face), (!uses_b, other)] {
        if widest > 0.0 && is_of_b != uses_b && axis.separation < widest - edge_slack {
            continue;
        }
        let clipped = face_points((a, b), (&place, &back, b_in_a), is_of_b, axis, margin, manifold);
        if clipped && manifold.deepest() <= widest + edge_slack {
            cache.words[FACE] = (axis.face as u32 + 1) | if is_of_b { OF_B } else { 0 };
            return Outcome::EXACT;
        }
        manifold.count = 0;
        if let Some(edge) = &edge
            && edge_contact(a, b, &place, edge, margin, manifold)
        {
            cache.words[EDGES] = name_of(edge);
            return Outcome::EXACT;
        }
    }
    Outcome::NeedsClosestPoints
}

/// Contact of two polytopes none of whose faces holds the closest points, which `separation` tells: of two edges, by
/// their names, or of something else.
pub(super) fn at_closest(
    a: &impl Polytope,
    b: &impl Polytope,
    b_in_a: &RelativePose,
    separation: &Separation,
    margin: Real,
    cache: &mut PairCache,
    manifold: &mut LocalManifold,
) {
    if let Some(edges) = closest_edges(a, b, cache) {
        let place = Placement::new(b_in_a);
        let slack = separation.error_bound + EDGE_ABSOLUTE * separation.distance.abs();
        if let Some(edge) = crossing(a, b, &place, edges)
            && (edge.separation - separation.distance).abs() <= slack
            && edge_contact(a, b, &place, &edge, margin, manifold)
        {
            cache.words[EDGES] = name_of(&edge);
            return;
        }
    }
    push_separation(separation, 0.0, 0.0, margin, manifold);
}

/// The two edges that GJK ended at, if it did.
fn closest_edges(a: &impl Polytope, b: &impl Polytope, cache: &PairCache) -> Option<[usize; 2]> {
    let of = |polytope: &dyn Fn(usize) -> [u32; 2], count: usize, shift: u32| {
        // Pairs of vertices, inverted; none is zero.
        let mut found =
            cache.words[SEED].iter().filter(|word| **word != 0).map(|word| !word >> shift & 0xFFFF);
        let first = found.next()?;
        let second = found.clone().find(|v| *v != first)?;
        if found.any(|v| v != first && v != second) {
            return None;
        }
        (0..count).find(|&e| {
            let vertices = polytope(e);
            vertices == [first, second] || vertices == [second, first]
        })
    };
    let edge_a = of(&|e| a.edge(e).vertices, a.edge_count(), 16)?;
    let edge_b = of(&|e| b.edge(e).vertices, b.edge_count(), 0)?;
    Some([edge_a, edge_b])
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
    let facing_a = a.most_aligned(&separation.normal);
    let facing_b = b.most_aligned(&place.rotation.tr_mul(&-separation.normal));
    let best_a = axis_of_a(a, b, &place, facing_a);
    let best_b = axis_of_b(a, b, &place, facing_b);
    let uses_b = prefers_b(a, b, best_a, best_b, &Memory::NOTHING, thinness);
    let back = place.inverse();
    let slack = EDGE_RELATIVE * separation.distance.abs() + EDGE_ABSOLUTE * thinness;
    for is_of_b in [uses_b, !uses_b] {
        let axis = if is_of_b { best_b } else { best_a };
        if separation.distance <= axis.separation + slack
            && face_points((a, b), (&place, &back, b_in_a), is_of_b, axis, margin, manifold)
            && manifold.deepest() <= separation.distance + slack
        {
            return;
        }
        manifold.count = 0;
    }
    push_separation(separation, 0.0, 0.0, margin, manifold);
}

/// Points of a face of A or B, clipped, in the frame of A, with the gap along it; false when none is left.
fn face_points(
    (a, b): (&impl Polytope, &impl Polytope),
    (place, back, b_in_a): (&Placement, &Placement, &RelativePose),
    is_of_b: bool,
    axis: FaceAxis,
    margin: Real,
    manifold: &mut LocalManifold,
) -> bool {
    let count = if is_of_b {
        let count = face_contact_at(b, [axis.face, axis.lowest], a, back, 1, margin, manifold);
        manifold.flip(b_in_a);
        count
    } else {
        face_contact_at(a, [axis.face, axis.lowest], b, place, 0, margin, manifold)
    };
    manifold.gap = axis.separation;
    count > 0
}

/// What a cache says, as far as it fits the polytopes.
///
/// Word 0 holds the face used or separating last + 1, and whose it is; word 1 the edges that touched last, word 2 the
/// widest faces of A and of B, each + 1, A's in word 1 and B's in word 2 in the upper half.
struct Memory {
    face: Option<(bool, usize)>,
    is_separating: bool,
    edges: Option<[usize; 2]>,
    start_a: Option<usize>,
    start_b: Option<usize>,
}

impl Memory {
    /// A pair never seen.
    const NOTHING: Self =
        Self { face: None, is_separating: false, edges: None, start_a: None, start_b: None };

    fn read(cache: &PairCache, a: &impl Polytope, b: &impl Polytope) -> Self {
        let below = |value: u32, count: usize| {
            let index = value.wrapping_sub(1) as usize;
            (index < count).then_some(index)
        };
        let word = cache.words[FACE];
        let is_of_b = word & OF_B != 0;
        let face = below(word & !(SEPARATED | OF_B), if is_of_b { b.face_count() } else { a.face_count() });
        let (edges, starts) = (cache.words[EDGES], cache.words[STARTS]);
        let (edge_a, edge_b) = (below(edges >> 16, a.edge_count()), below(edges & 0xFFFF, b.edge_count()));
        Self {
            face: face.map(|face| (is_of_b, face)),
            is_separating: word & SEPARATED != 0,
            edges: edge_a.zip(edge_b).map(|(i, j)| [i, j]),
            start_a: below(starts & 0xFFFF, a.face_count()),
            start_b: below(starts >> 16, b.face_count()),
        }
    }

    /// The face that kept them apart last, and whether it is B's.
    fn separating(&self) -> Option<(bool, usize)> {
        self.face.filter(|_| self.is_separating)
    }
}

/// How [`Memory`] writes two edges.
fn name_of(edge: &EdgeAxis) -> u32 {
    (edge.edges[0] as u32 + 1) << 16 | (edge.edges[1] as u32 + 1)
}

/// True when B's face is the reference: the side used last, else the larger face, unless the other one is
/// clearly farther out.
fn prefers_b(
    a: &impl Polytope,
    b: &impl Polytope,
    best_a: FaceAxis,
    best_b: FaceAxis,
    memory: &Memory,
    thinness: Real,
) -> bool {
    let slack =
        FACE_RELATIVE * best_a.separation.abs().min(best_b.separation.abs()) + FACE_ABSOLUTE * thinness;
    let gain = best_b.separation - best_a.separation;
    if gain.abs() > slack {
        return gain > 0.0;
    }
    if let Some((is_of_b, _)) = memory.face.filter(|_| !memory.is_separating) {
        return is_of_b;
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
    let [from_a, to_a] = a.edge(axis.edges[0]).vertices.map(|v| a.vertex(v as usize));
    let [from_b, to_b] = b.edge(axis.edges[1]).vertices.map(|v| b.vertex(v as usize));
    let way_b = place.rotation * (to_b - from_b);
    let (Some((along_a, length_a)), Some((along_b, length_b))) = (unit(&(to_a - from_a)), unit(&way_b))
    else {
        return false;
    };
    let from_b = place.place(&from_b);
    // Where B's edge passes through the plane of A's edge and the axis, and what of A's edge is nearest to that place:
    // the closest points of two lines divide by the sine of their angle twice, this once.
    let across = axis.normal.cross(&along_a);
    let beyond = across.dot(&(from_a - from_b)) / across.dot(&along_b);
    let on_b = from_b + along_b * beyond.clamp(0.0, length_b);
    let on_a = from_a + along_a * along_a.dot(&(on_b - from_a)).clamp(0.0, length_a);
    // Lines that cross within both edges are joined by the axis itself.
    let miss = on_b - on_a - axis.normal * axis.separation;
    let is_joined = miss.norm() <= MISS * (a.size() + b.size());
    if !is_joined {
        return false;
    }
    manifold.normal = axis.normal;
    let feature = 1 << 31 | (axis.edges[0] as u32 & 0x7fff) << 15 | (axis.edges[1] as u32 & 0x7fff);
    let point = (on_a + on_b) * 0.5;
    manifold.push_within(margin, LocalPoint { point, distance: axis.separation, feature });
    manifold.gap = axis.separation;
    manifold.count > 0
}
