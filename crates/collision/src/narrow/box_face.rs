//! Face of one box against the other box: which faces those are, and how they lie to each other.
//!
//! Vectors are told along the reference face's two edges and its normal's axis, in this order; entries of a pair are picked by index and
//! signs taken without a branch, for which of the faces it is cannot be foreseen.

use super::LocalManifold;
use super::box_box::{BoxPair, negated_if};
use super::box_clip::Parallelogram;
use super::box_corners::{Placing, corners};
use drystone_math::{Real, RelativePose, Vector3};

/// A reference face and the incident face opposite to it, in the frame of the reference box.
pub(super) struct FacePair {
    /// Axis of the reference face and its sign.
    pub(super) axis: usize,
    pub(super) sign: Real,
    /// Half edges of the reference face and its height above the box's centre, m.
    pub(super) sides: [Real; 2],
    pub(super) height: Real,
    /// The incident face seen from the reference face.
    pub(super) incident: Parallelogram,
    /// Names of the incident corners (+,+), (-,+), (-,-), (+,-).
    pub(super) bases: [u8; 4],
    /// The two faces, packed into the upper part of every feature.
    pub(super) faces: u32,
}

/// How the two boxes of a pair lie to each other, seen from either.
struct View<'a> {
    pair: &'a BoxPair,
    /// Seen from the second one.
    is_swapped: bool,
}

impl View<'_> {
    /// Half extents of the box it is seen from and of the other one, m.
    #[inline(always)]
    fn halves(&self) -> [&[Real; 3]; 2] {
        let BoxPair { half_a, half_b, .. } = self.pair;
        if self.is_swapped { [half_b, half_a] } else { [half_a, half_b] }
    }

    /// Centre of the other box along axis `i`, m.
    #[inline(always)]
    fn offset(&self, i: usize) -> Real {
        let offset = if self.is_swapped { &self.pair.offset_b } else { &self.pair.offset_a };
        negated_if(self.is_swapped, offset[i])
    }

    /// Axis `i` times axis `j` of the other box.
    #[inline(always)]
    fn cosine(&self, i: usize, j: usize) -> Real {
        let (i, j) = if self.is_swapped { (j, i) } else { (i, j) };
        self.pair.rotation[i][j]
    }
}

impl FacePair {
    /// The faces across axis `axis` of one of the boxes, the second one when `is_swapped`, on the side of the other.
    #[inline(always)]
    pub(super) fn new(pair: &BoxPair, axis: usize, is_swapped: bool) -> Self {
        let view = View { pair, is_swapped };
        let sign = (1.0 as Real).copysign(view.offset(axis));
        // The incident face looks against the reference normal most.
        let cosines = [0, 1, 2].map(|j| view.cosine(axis, j));
        let j = largest(&cosines.map(Real::abs));
        Self::of_axes(&view, (axis, sign), (j, -(1.0 as Real).copysign(sign * cosines[j])))
    }

    /// The faces that look along `normal` (out of the first box) and against it most; `None` where the cosine of either
    /// is below `least_cosine`.
    #[inline(always)]
    pub(super) fn along(pair: &BoxPair, normal: &Vector3, least_cosine: Real) -> Option<Self> {
        let n: [Real; 3] = (*normal).into();
        let r = &pair.rotation;
        let turned = [0, 1, 2].map(|j| n[0] * r[0][j] + n[1] * r[1][j] + n[2] * r[2][j]);
        let axis = largest(&n.map(Real::abs));
        let j = largest(&turned.map(Real::abs));
        let is_facing = n[axis].abs().min(turned[j].abs()) > least_cosine;
        let signs = ((1.0 as Real).copysign(n[axis]), -(1.0 as Real).copysign(turned[j]));
        let view = View { pair, is_swapped: false };
        is_facing.then(|| Self::of_axes(&view, (axis, signs.0), (j, signs.1)))
    }

    /// The faces across `axis` of the box it is seen from and axis `j` of the other one, each on its side.
    #[inline(always)]
    fn of_axes(view: &View<'_>, (axis, sign): (usize, Real), (j, side): (usize, Real)) -> Self {
        let [half, other] = view.halves();
        let (u, v, p, q) = ((axis + 1) % 3, (axis + 2) % 3, (j + 1) % 3, (j + 2) % 3);
        let reach = side * other[j];
        let center = [u, v, axis].map(|i| view.offset(i) + view.cosine(i, j) * reach);
        let on_p = [u, v, axis].map(|i| view.cosine(i, p));
        let on_q = [u, v, axis].map(|i| view.cosine(i, q));
        let upward = |[x, y, z]: [Real; 3]| [x, y, sign * z];
        let [x, y, z] = upward(center);
        let incident = Parallelogram {
            center: [x, y, z - half[axis]],
            p: upward(on_p.map(|r| r * other[p])),
            q: upward(on_q.map(|r| r * other[q])),
        };

        // Corners are named after the face of B on either side: with B as the reference, a corner of A's
        // face is named after the corner of B's that lies in the same direction.
        const OWN: [[Real; 3]; 2] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let [on_p, on_q] = if view.is_swapped { [&on_p, &on_q] } else { [&OWN[0], &OWN[1]] };
        let name = |sp: Real, sq: Real| {
            let du = sp * on_p[0] + sq * on_q[0];
            let dv = sp * on_p[1] + sq * on_q[1];
            u8::from(du < 0.0) | u8::from(dv < 0.0) << 1
        };
        let bases = [name(1.0, 1.0), name(-1.0, 1.0), name(-1.0, -1.0), name(1.0, -1.0)];
        let reference_face = 2 * axis as u32 + u32::from(sign < 0.0);
        let incident_face = 2 * j as u32 + u32::from(side < 0.0);
        let upper = 3 * u32::from(!view.is_swapped);
        let faces = reference_face << upper | incident_face << (3 - upper);
        Self { axis, sign, sides: [half[u], half[v]], height: half[axis], incident, bases, faces }
    }
}

/// Index of the largest, the first of equal ones.
#[inline(always)]
fn largest(values: &[Real; 3]) -> usize {
    let is_first = (values[0] >= values[1]) & (values[0] >= values[2]);
    let of_others = 2 - usize::from(values[1] >= values[2]);
    if is_first { 0 } else { of_others }
}

/// Fills `manifold` with the face contact across axis `axis` of one of the boxes, the second one when `is_swapped` (frame of the first box,
/// normal from it to the second), and returns the number of points within `margin`: 0 also when the incident face lies beside the
/// reference face.
///
/// Corners that stand for a corner of the incident face that is cut off keep its name, the nearest of them, so that a small slide over
/// the rim changes no feature.
pub(super) fn face_contact(
    pair: &BoxPair,
    (axis, is_swapped): (usize, bool),
    b_in_a: &RelativePose,
    margin: Real,
    manifold: &mut LocalManifold,
) -> u32 {
    let faces = FacePair::new(pair, axis, is_swapped);
    let placing = if is_swapped { Placing::Turned(b_in_a) } else { Placing::Between };
    corners(&faces, placing, margin, manifold);
    manifold.count
}

/// As [`face_contact`] between the faces that look along the unit vector `normal` (frame of the first box, out of it) most, with normal and
/// distances along it in place of the face's normal; nothing where the cosine to either is below `least_cosine`.
pub(super) fn facing_contact(
    pair: &BoxPair,
    normal: &Vector3,
    least_cosine: Real,
    margin: Real,
    manifold: &mut LocalManifold,
) {
    let Some(mut faces) = FacePair::along(pair, normal, least_cosine) else { return };
    let axis = faces.axis;
    let [n_u, n_v, n_axis] = [normal[(axis + 1) % 3], normal[(axis + 2) % 3], normal[axis]];
    let outward = faces.sign * n_axis;
    let (lean_x, lean_y) = (n_u / outward, n_v / outward);
    // Corners go along the normal down to the reference face: there they are clipped, and lie on it.
    let down = |[x, y, z]: [Real; 3]| [x - z * lean_x, y - z * lean_y, z / outward];
    let Parallelogram { center, p, q } = faces.incident;
    faces.incident = Parallelogram { center: down(center), p: down(p), q: down(q) };
    corners(&faces, Placing::Along(normal), margin, manifold);
    manifold.normal = *normal;
}
