//! Box against box: separating axes, then either clipped faces or crossing edges.
//!
//! Source: Gottschalk, Lin, Manocha, "OBBTree", SIGGRAPH 1996 (the 15 axes), in the layout of Ericson,
//! "Real-Time Collision Detection", section 4.4.1, with signed separations instead of a yes or no.
//! This is the hot pair of a pile: scalars on the stack only.

use super::box_face::{face_contact, facing_contact};
use super::{LocalManifold, LocalPoint, Margin, NarrowStatus, PairCache};
use drystone_math::{Real, RelativePose, Vector3, larger, smaller};

/// An edge axis must beat the best face by this part of the overlap or gap (no unit) ...
pub(super) const EDGE_RELATIVE: Real = 0.05;
/// ... plus this part of the smallest half extent: resting boxes keep their faces in contact.
pub(super) const EDGE_ABSOLUTE: Real = 5.0e-3;
/// A face must beat the preferred one by this part of the overlap or gap ...
pub(super) const FACE_RELATIVE: Real = 0.02;
/// ... plus this part of the smallest half extent.
pub(super) const FACE_ABSOLUTE: Real = 1.0e-3;
/// Edges whose angle has a smaller squared sine than this (0.003 rad) span no axis: rounding of the
/// separation grows with the inverse sine, and the face axes are as good there.
pub(super) const PARALLEL_SINE_SQUARED: Real = 1.0e-5;
/// An edge crossing may lie beyond an end of an edge by this part of its half length: rounding, no more,
/// for the point must lie on both surfaces.
const BEYOND_EDGE: Real = 4.0e-6;
/// No axis at all.
pub(super) const NO_AXIS: u32 = u32::MAX;
/// A sine may come out larger than 1 by this part.
const SINE_ROUNDING: Real = 1.0e-6;
/// Marks a remembered axis that kept the boxes apart.
const SEPARATED: u32 = 1 << 31;

/// What box-box needs of a pair, in the frame of A.
pub(super) struct BoxPair {
    /// Half extents of A and B, m.
    pub half_a: [Real; 3],
    pub half_b: [Real; 3],
    /// `rotation[i][j]`: axis `i` of A times axis `j` of B.
    pub rotation: [[Real; 3]; 3],
    /// Centre of B, m, in the frame of A and (from A's centre) along B's axes.
    pub offset_a: [Real; 3],
    pub offset_b: [Real; 3],
}

/// How box-box ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The manifold is complete.
    Done(NarrowStatus),
    /// No axis tells the boxes apart by more than the margin, yet no feature pair faces the other: the
    /// closest points (corner to corner or the like) must be found another way.
    NeedsClosestPoints,
}

impl Outcome {
    /// Complete, without an iterative method.
    pub(super) const EXACT: Self = Self::Done(NarrowStatus::Exact);
}

/// One of the 15 axes: 0..3 faces of A, 3..6 faces of B, 6..15 edge `(code - 6) / 3` of A times edge
/// `(code - 6) % 3` of B; with its separation, m.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    pub code: u32,
    pub separation: Real,
}

/// Who looks for the best edge axis of a pair: the pair itself, once it is needed, or lanes, which did it for eight pairs.
pub(super) trait EdgeSearch {
    /// The first of the best edge axes, where it is above `limit` (m); else [`NO_AXIS`] with the limit.
    fn best_above(self, pair: &BoxPair, limit: Real) -> Axis;
}

/// Looks at the nine axes one by one.
struct OneByOne;

impl EdgeSearch for OneByOne {
    #[inline(always)]
    fn best_above(self, pair: &BoxPair, limit: Real) -> Axis {
        let mut best = Axis { code: NO_AXIS, separation: limit };
        for i in 0..3 {
            for j in 0..3 {
                if let Some(separation) = pair.edge_above(i, j, best.separation) {
                    best = Axis { code: (6 + 3 * i + j) as u32, separation };
                }
            }
        }
        best
    }
}

impl BoxPair {
    fn new(half_a: &Vector3, half_b: &Vector3, b_in_a: &RelativePose) -> Self {
        let m = b_in_a.rotation.to_rotation_matrix();
        let rotation = [0, 1, 2].map(|i| [m[(i, 0)], m[(i, 1)], m[(i, 2)]]);
        let t: [Real; 3] = b_in_a.translation.into();
        let offset_b =
            [0, 1, 2].map(|j| t[0] * rotation[0][j] + t[1] * rotation[1][j] + t[2] * rotation[2][j]);
        Self { half_a: (*half_a).into(), half_b: (*half_b).into(), rotation, offset_a: t, offset_b }
    }

    /// Signed gap along face axis `i` of A, m.
    #[inline(always)]
    fn face_a(&self, i: usize) -> Real {
        let (r, h) = (&self.rotation[i], &self.half_b);
        let reach = r[0].abs() * h[0] + r[1].abs() * h[1] + r[2].abs() * h[2];
        self.offset_a[i].abs() - self.half_a[i] - reach
    }

    /// Signed gap along face axis `j` of B, m.
    #[inline(always)]
    fn face_b(&self, j: usize) -> Real {
        let (r, h) = (&self.rotation, &self.half_a);
        let reach = r[0][j].abs() * h[0] + r[1][j].abs() * h[1] + r[2][j].abs() * h[2];
        self.offset_b[j].abs() - self.half_b[j] - reach
    }

    /// Signed gap along the cross product of edge `i` of A and edge `j` of B, m, where it is above `limit`; none
    /// for (nearly) parallel edges.
    #[inline(always)]
    fn edge_above(&self, i: usize, j: usize, limit: Real) -> Option<Real> {
        let (i1, i2, j1, j2) = ((i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3);
        let (r, t) = (&self.rotation, &self.offset_a);
        // The axis e_i x b_j has the components 0, -r[i2][j], r[i1][j] on i, i1, i2.
        let (p, q) = (r[i1][j], r[i2][j]);
        let sine_squared = p * p + q * q;
        let reach_a = self.half_a[i1] * q.abs() + self.half_a[i2] * p.abs();
        let reach_b = self.half_b[j1] * r[i][j2].abs() + self.half_b[j2] * r[i][j1].abs();
        let gap = (t[i2] * p - t[i1] * q).abs() - reach_a - reach_b;
        // The gap is in units of the sine, which is at most 1 up to rounding: an overlap is larger still. Most edges are
        // left here.
        if gap <= 0.0 && gap * (1.0 - SINE_ROUNDING) < limit || sine_squared <= PARALLEL_SINE_SQUARED {
            return None;
        }
        let separation = gap / sine_squared.sqrt();
        (separation > limit).then_some(separation)
    }

    /// Signed gap along the edge axis `code`, m.
    fn edge_separation(&self, code: u32) -> Option<Real> {
        let code = code as usize;
        match code {
            6..15 => self.edge_above((code - 6) / 3, (code - 6) % 3, Real::NEG_INFINITY),
            _ => None,
        }
    }

    /// Unit normal along the axis `code`, from A to B, frame of A.
    fn normal(&self, code: u32) -> Vector3 {
        let code = code as usize;
        let column = |j: usize| Vector3::from([0, 1, 2].map(|i| self.rotation[i][j]));
        let axis = match code {
            0..3 => Vector3::ith(code, 1.0),
            3..6 => column(code - 3),
            _ => Vector3::ith((code - 6) / 3, 1.0).cross(&column((code - 6) % 3)).normalize(),
        };
        if axis.dot(&Vector3::from(self.offset_a)) < 0.0 { -axis } else { axis }
    }

    /// The largest separation of the three axes that start at `code`; an earlier one wins a tie, and the
    /// one remembered wins within `slack`.
    #[inline(always)]
    fn best_of_three(separations: [Real; 3], code: u32, remembered: u32, slack: Real) -> Axis {
        // Which one it is cannot be foreseen: no branches.
        let [first, second, third] = separations;
        let of_two = u32::from(second > first);
        let widest = larger(second, first);
        let k = if third > widest { 2 } else { of_two };
        let mut best = Axis { code: code + k, separation: larger(third, widest) };
        let kept = remembered.wrapping_sub(code);
        if kept < 3 && separations[kept as usize] >= best.separation - slack {
            best = Axis { code: remembered, separation: separations[kept as usize] };
        }
        best
    }
}

/// Half the area of the face across `axis`, m².
fn face_area(half: &[Real; 3], axis: usize) -> Real {
    half[(axis + 1) % 3] * half[(axis + 2) % 3]
}

/// Contact of two boxes (half extents in m) in the frame of the first.
///
/// The axis of largest separation wins, faces preferred: see [`EDGE_RELATIVE`] and [`FACE_RELATIVE`].
/// So the depth reported is the smallest over the 15 axes up to these tolerances. Of the two boxes the
/// one with the larger face is the reference, unless the other's face is clearly farther out; the axis
/// used last stays within the same tolerances. `cache` word 0 holds the axis code + 1.
pub(super) fn box_box(
    half_a: &Vector3,
    half_b: &Vector3,
    b_in_a: &RelativePose,
    within: &Margin,
    cache: &mut PairCache,
    manifold: &mut LocalManifold,
) -> Outcome {
    let pair = BoxPair::new(half_a, half_b, b_in_a);
    let faces =
        [[pair.face_a(0), pair.face_a(1), pair.face_a(2)], [pair.face_b(0), pair.face_b(1), pair.face_b(2)]];
    box_box_along(&pair, faces, OneByOne, b_in_a, within, cache, manifold)
}

/// [`box_box`] for a pair whose separations along face axes (m) are known.
#[inline(always)]
pub(super) fn box_box_along(
    pair: &BoxPair,
    [faces_a, faces_b]: [[Real; 3]; 2],
    edges: impl EdgeSearch,
    b_in_a: &RelativePose,
    within: &Margin,
    cache: &mut PairCache,
    manifold: &mut LocalManifold,
) -> Outcome {
    let margin = within.all;
    let remembered = (cache.words[0] & !SEPARATED).wrapping_sub(1);
    let least = |half: &[Real; 3]| smaller(smaller(half[0], half[1]), half[2]);
    let smallest = smaller(least(&pair.half_a), least(&pair.half_b));
    let face_slack = FACE_ABSOLUTE * smallest;
    let best_a = BoxPair::best_of_three(faces_a, 0, remembered, face_slack);
    let best_b = BoxPair::best_of_three(faces_b, 3, remembered, face_slack);
    let widest_code = if best_b.separation > best_a.separation { best_b.code } else { best_a.code };
    let mut widest = Axis { code: widest_code, separation: larger(best_b.separation, best_a.separation) };
    // An edge axis that kept them apart spares the search for another one.
    if cache.words[0] & SEPARATED != 0
        && widest.separation <= margin
        && let Some(separation) = pair.edge_separation(remembered)
        && separation > margin
    {
        widest = Axis { code: remembered, separation };
    }
    if within.is_exceeded(widest.separation, || pair.normal(widest.code)) {
        return apart(pair, widest, cache, manifold);
    }
    let face = pick_face(pair, best_a, best_b, remembered, smallest);
    let edge_slack = EDGE_RELATIVE * face.separation.abs() + EDGE_ABSOLUTE * smallest;
    // Edge axes farther in than this play no part below.
    let best_edge = edges.best_above(pair, widest.separation - edge_slack);
    if best_edge.code != NO_AXIS && within.is_exceeded(best_edge.separation, || pair.normal(best_edge.code)) {
        return apart(pair, best_edge, cache, manifold);
    }
    let keeps_edge = remembered == best_edge.code;
    let edge_lead = if keeps_edge { 0.5 } else { 1.0 } * edge_slack;
    let has_edge = best_edge.code != NO_AXIS;
    let edge_wins = has_edge && best_edge.separation > face.separation + edge_lead;
    if edge_wins && edge_contact(pair, best_edge, margin, manifold) {
        cache.words[0] = best_edge.code + 1;
        manifold.gap = best_edge.separation;
        return Outcome::EXACT;
    }
    // A face that looks past the deepest point of the other box loses depth; then try what the preferences
    // passed over.
    let other = if face.code == best_a.code { best_b } else { best_a };
    let widest = larger(best_edge.separation, widest.separation);
    for axis in [face, other] {
        // Boxes that are apart are not nearer to each other along an axis that does not tell so.
        if widest > 0.0 && axis.code != face.code && axis.separation < widest - edge_slack {
            continue;
        }
        let clipped = face_contact(pair, face_of(axis), b_in_a, margin, manifold) > 0;
        if clipped && manifold.deepest() <= widest + edge_slack {
            cache.words[0] = axis.code + 1;
            manifold.gap = axis.separation;
            return Outcome::EXACT;
        }
        manifold.count = 0;
        if !edge_wins
            && has_edge
            && best_edge.separation >= widest - edge_slack
            && edge_contact(pair, best_edge, margin, manifold)
        {
            manifold.gap = best_edge.separation;
            return Outcome::EXACT;
        }
    }
    Outcome::NeedsClosestPoints
}

/// The corners of the faces of two boxes that look along `normal` (frame of A, from A to B) most, clipped to each
/// other along it; none where the angle between it and a face's normal has a cosine below `least_cosine`.
pub(super) fn facing_points(
    [half_a, half_b]: [&Vector3; 2],
    b_in_a: &RelativePose,
    normal: &Vector3,
    least_cosine: Real,
    margin: Real,
    manifold: &mut LocalManifold,
) {
    let pair = BoxPair::new(half_a, half_b, b_in_a);
    facing_contact(&pair, normal, least_cosine, margin, manifold);
}

/// The boxes are farther apart than the margin along `axis`.
fn apart(pair: &BoxPair, axis: Axis, cache: &mut PairCache, manifold: &mut LocalManifold) -> Outcome {
    cache.words[0] = (axis.code + 1) | SEPARATED;
    (manifold.normal, manifold.gap) = (pair.normal(axis.code), axis.separation);
    Outcome::EXACT
}

/// The reference face: the larger one (A's when equal), unless the other is clearly farther out.
fn pick_face(pair: &BoxPair, a: Axis, b: Axis, remembered: u32, smallest: Real) -> Axis {
    let area_a = face_area(&pair.half_a, a.code as usize);
    let area_b = face_area(&pair.half_b, b.code as usize - 3);
    let prefers_b = if remembered == a.code {
        false
    } else if remembered == b.code {
        true
    } else {
        area_b > area_a
    };
    let (preferred, other) = if prefers_b { (b, a) } else { (a, b) };
    let slack = FACE_RELATIVE * preferred.separation.abs() + FACE_ABSOLUTE * smallest;
    if other.separation > preferred.separation + slack { other } else { preferred }
}

/// The axis of a face of a box, and whether that is the second one.
fn face_of(face: Axis) -> (usize, bool) {
    let of_b = face.code >= 3;
    (face.code as usize - if of_b { 3 } else { 0 }, of_b)
}

/// The one point where two edges cross; false, and nothing done, where they pass beyond their ends.
///
/// Vectors are told along `i` and the two axes after it, and every sign that may be either is taken without a branch: none could be
/// foreseen, and what is written entry by entry is not read as a whole.
fn edge_contact(pair: &BoxPair, axis: Axis, margin: Real, manifold: &mut LocalManifold) -> bool {
    let (i, j) = (((axis.code - 6) / 3) as usize, ((axis.code - 6) % 3) as usize);
    let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
    let r = &pair.rotation;
    let column = |k: usize| [r[i][k], r[i1][k], r[i2][k]];
    let offset = [pair.offset_a[i], pair.offset_a[i1], pair.offset_a[i2]];
    let edge_b = column(j);
    // The cross product has nothing along `i`.
    let cross = [-edge_b[2], edge_b[1]];
    let sine = (cross[0] * cross[0] + cross[1] * cross[1]).sqrt();
    let is_against = cross[0] * offset[1] + cross[1] * offset[2] < 0.0;
    let [zero, n1, n2] = [0.0, cross[0] / sine, cross[1] / sine].map(|x| negated_if(is_against, x));

    // The edges that reach farthest along the normal: of A towards B, of B towards A.
    let mut feature = 1 << 31 | (i as u32) << 6 | (j as u32) << 4;
    let mut side_of_a = |k: usize, along: Real, bit: u32| {
        let towards_b = along >= 0.0;
        feature |= u32::from(towards_b) << bit;
        negated_if(!towards_b, pair.half_a[k])
    };
    let on_a = [side_of_a(i1, n1, 0), side_of_a(i2, n2, 1)];
    let mut side_of_b = |l: usize, bit: u32| {
        let direction = column(l);
        let towards_a = direction[1] * n1 + direction[2] * n2 <= 0.0;
        feature |= u32::from(towards_a) << bit;
        let reach = negated_if(!towards_a, pair.half_b[l]);
        direction.map(|x| x * reach)
    };
    let (first, second) = (side_of_b((j + 1) % 3, 2), side_of_b((j + 2) % 3, 3));
    let on_b = [0, 1, 2].map(|k| offset[k] + first[k] + second[k]);
    // `s` and `t` are measured from the middle of each edge: where B's edge passes through the plane of A's edge and the
    // axis, and the foot of that place on A's edge. The closest points of two lines would divide by the sine twice.
    let between = [on_b[1] - on_a[0], on_b[2] - on_a[1]];
    let across = |[v1, v2]: [Real; 2]| v1 * n2 - v2 * n1;
    let t = -across(between) / across([edge_b[1], edge_b[2]]);
    let s = on_b[0] + edge_b[0] * t;
    let within = |x: Real, half: Real| x.abs() <= half * (1.0 + BEYOND_EDGE);
    if !(within(s, pair.half_a[i]) && within(t, pair.half_b[j])) {
        return false;
    }
    let [at_a, at_b] = [[0.0 + s, on_a[0], on_a[1]], [0, 1, 2].map(|k| on_b[k] + edge_b[k] * t)];
    let distance = axis.separation;
    manifold.normal = from_axis(i, [zero, n1, n2]);
    let point = from_axis(i, [0, 1, 2].map(|k| (at_a[k] + at_b[k]) * 0.5));
    manifold.push_within(margin, LocalPoint { point, distance, feature });
    manifold.count > 0
}

/// `x`, or `-x` where that is so; without a branch.
#[inline(always)]
pub(super) fn negated_if(is_negative: bool, x: Real) -> Real {
    Real::from_bits(x.to_bits() ^ u32::from(is_negative) << 31)
}

/// The vector with these components along `axis` and the two axes after it; without a branch or entries written one by one.
#[inline(always)]
pub(super) fn from_axis(axis: usize, [a, b, c]: [Real; 3]) -> Vector3 {
    let is = [0, 1, 2].map(|k| u32::from(axis == k).wrapping_neg());
    let pick = |values: [Real; 3]| {
        Real::from_bits(
            values[0].to_bits() & is[0] | values[1].to_bits() & is[1] | values[2].to_bits() & is[2],
        )
    };
    Vector3::new(pick([a, c, b]), pick([b, a, c]), pick([c, b, a]))
}
