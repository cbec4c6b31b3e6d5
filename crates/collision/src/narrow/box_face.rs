//! Face of one box against the other box: the incident face clipped to the reference face.

use super::box_box::BoxPair;
use super::box_clip::{CANDIDATES, Parallelogram, Shared, around, clip};
use super::reduce::{Candidates, reduce};
use super::{LocalManifold, LocalPoint, MAX_POINTS};
use drystone_math::wide::Isa;
use drystone_math::{Real, Vector3, bits};

/// A reference face and the incident face opposite to it, in the frame of the reference box.
pub(super) struct FacePair {
    /// Axis of the reference face, its sign, and the half extents of the reference box.
    axis: usize,
    sign: Real,
    half: [Real; 3],
    /// Centre of the incident face and its two half edges, m.
    center: [Real; 3],
    edge_p: [Real; 3],
    edge_q: [Real; 3],
    /// Names of the incident corners (+,+), (-,+), (-,-), (+,-).
    bases: [u32; 4],
    /// The two faces, packed into the upper part of every feature.
    faces: u32,
}

impl FacePair {
    /// The faces across axis `axis` of the first box of `pair`, on the side of the second, which is the
    /// pair's true box A when `is_swapped`.
    #[inline]
    pub(super) fn new(pair: &BoxPair, axis: usize, is_swapped: bool) -> Self {
        let r = &pair.rotation;
        let sign = (1.0 as Real).copysign(pair.offset_a[axis]);
        // The incident face looks against the reference normal most.
        let j = largest(&[r[axis][0].abs(), r[axis][1].abs(), r[axis][2].abs()]);
        Self::of_axes(pair, (axis, sign), (j, -(1.0 as Real).copysign(sign * r[axis][j])), is_swapped)
    }

    /// The faces that look along `normal` (out of the first box) and against it most; `None` where the cosine of either
    /// is below `least_cosine`.
    pub(super) fn along(pair: &BoxPair, normal: &Vector3, least_cosine: Real) -> Option<Self> {
        let n: [Real; 3] = (*normal).into();
        let r = &pair.rotation;
        let turned = [0, 1, 2].map(|j| n[0] * r[0][j] + n[1] * r[1][j] + n[2] * r[2][j]);
        let axis = largest(&n.map(Real::abs));
        let j = largest(&turned.map(Real::abs));
        let is_facing = n[axis].abs().min(turned[j].abs()) > least_cosine;
        let signs = ((1.0 as Real).copysign(n[axis]), -(1.0 as Real).copysign(turned[j]));
        is_facing.then(|| Self::of_axes(pair, (axis, signs.0), (j, signs.1), false))
    }

    /// The faces across `axis` of the first box and axis `j` of the second, each on its side.
    #[inline]
    fn of_axes(
        pair: &BoxPair,
        (axis, sign): (usize, Real),
        (j, side): (usize, Real),
        is_swapped: bool,
    ) -> Self {
        let r = &pair.rotation;
        let (p, q) = ((j + 1) % 3, (j + 2) % 3);
        let reach = side * pair.half_b[j];
        let center = [0, 1, 2].map(|i| pair.offset_a[i] + r[i][j] * reach);
        let edge_p = [0, 1, 2].map(|i| r[i][p] * pair.half_b[p]);
        let edge_q = [0, 1, 2].map(|i| r[i][q] * pair.half_b[q]);

        let reference_face = 2 * axis as u32 + u32::from(sign < 0.0);
        let incident_face = 2 * j as u32 + u32::from(side < 0.0);
        // Corners are named after the face of B on either side: with B as the reference, a corner of A's
        // face is named after the corner of B's that lies in the same direction.
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let name = |sp: Real, sq: Real| {
            if is_swapped {
                let du = sp * r[u][p] + sq * r[u][q];
                let dv = sp * r[v][p] + sq * r[v][q];
                u32::from(du < 0.0) | u32::from(dv < 0.0) << 1
            } else {
                u32::from(sp < 0.0) | u32::from(sq < 0.0) << 1
            }
        };
        let bases = [name(1.0, 1.0), name(-1.0, 1.0), name(-1.0, -1.0), name(1.0, -1.0)];
        let faces = if is_swapped {
            incident_face << 3 | reference_face
        } else {
            reference_face << 3 | incident_face
        };
        Self { axis, sign, half: pair.half_a, center, edge_p, edge_q, bases, faces }
    }

    /// The incident face seen from the reference face.
    #[inline]
    fn incident(&self) -> Parallelogram {
        let axis = self.axis;
        let seen = |v: &[Real; 3]| [v[(axis + 1) % 3], v[(axis + 2) % 3], self.sign * v[axis]];
        let [x, y, z] = seen(&self.center);
        Parallelogram { center: [x, y, z - self.half[axis]], p: seen(&self.edge_p), q: seen(&self.edge_q) }
    }

    /// Half edges of the reference face.
    #[inline]
    fn sides(&self) -> [Real; 2] {
        [self.half[(self.axis + 1) % 3], self.half[(self.axis + 2) % 3]]
    }
}

/// Index of the largest, the first of equal ones.
#[inline]
fn largest(values: &[Real; 3]) -> usize {
    if values[0] >= values[1] && values[0] >= values[2] {
        0
    } else if values[1] >= values[2] {
        1
    } else {
        2
    }
}

/// Fills `manifold` (frame of the reference box, normal out of the reference face) and returns the number
/// of points within `margin`: 0 also when the incident face lies beside the reference face.
///
/// Corners that stand for a corner of the incident face that is cut off keep its name, the nearest of them, so that a small slide over
/// the rim changes no feature.
pub(super) fn face_contact(faces: &FacePair, margin: Real, manifold: &mut LocalManifold) -> u32 {
    store(faces, &clip(&faces.incident(), faces.sides(), Isa::best()), margin, manifold)
}

/// As [`face_contact`], with normal and distances along the unit vector `normal` (frame of the reference box, out of
/// the reference face) in place of the face's normal.
pub(super) fn facing_contact(
    faces: &FacePair,
    normal: &Vector3,
    margin: Real,
    manifold: &mut LocalManifold,
) -> u32 {
    let axis = faces.axis;
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
    let outward = faces.sign * normal[axis];
    let (lean_x, lean_y) = (normal[u] / outward, normal[v] / outward);
    // Corners go along the normal down to the reference face: there they are clipped, and lie on it.
    let down = |[x, y, z]: [Real; 3]| [x - z * lean_x, y - z * lean_y, z / outward];
    let Parallelogram { center, p, q } = faces.incident();
    let shared =
        clip(&Parallelogram { center: down(center), p: down(p), q: down(q) }, faces.sides(), Isa::best());
    store(faces, &shared, margin, manifold);
    let on_face = faces.sign * faces.half[axis];
    for point in manifold.points_mut() {
        point.point[axis] = on_face;
        point.point += normal * (0.5 * point.distance);
        point.feature |= 3 << 29;
    }
    manifold.normal = *normal;
    manifold.count
}

/// Writes the corners within `margin` into the manifold, reduced to four.
#[inline]
fn store(faces: &FacePair, shared: &Shared, margin: Real, manifold: &mut LocalManifold) -> u32 {
    let axis = faces.axis;
    manifold.normal = Vector3::zeros();
    manifold.normal[axis] = faces.sign;
    let names = Names::new(faces, shared);
    let within = shared.within(margin);
    let point = |k: usize| {
        let distance = shared.z[k];
        let (x, y) = (shared.x[k], shared.y[k]);
        let z = faces.sign * (faces.half[axis] + 0.5 * distance);
        let point = match axis {
            0 => Vector3::new(z, x, y),
            1 => Vector3::new(y, z, x),
            _ => Vector3::new(x, y, z),
        };
        LocalPoint { point, distance, feature: faces.faces << 5 | names.0[k] }
    };
    manifold.count = within.count_ones();
    if manifold.count as usize <= MAX_POINTS {
        for (place, k) in manifold.points.iter_mut().zip(around(within)) {
            *place = point(k);
        }
        return manifold.count;
    }
    let mut many = [LocalPoint::default(); CANDIDATES];
    let count = manifold.count as usize;
    for (place, k) in many.iter_mut().zip(around(within)) {
        *place = point(k);
    }
    manifold.count = 0;
    let points = &mut many[..count];
    points.sort_unstable_by_key(|p| p.feature);
    let [half_x, half_y] = faces.sides();
    let size = half_x + half_y;
    let candidates = Candidates { count, normal: manifold.normal, margin, size };
    let (chosen, count) = reduce(&candidates, |i| (points[i].point, points[i].distance));
    for &i in &chosen[..count] {
        manifold.push(points[i]);
    }
    manifold.count
}

/// Names of the corners of the shared polygon, below 32.
struct Names([u32; CANDIDATES]);

impl Names {
    /// A corner is named after the corner of the incident face that it is or stands for and is nearest to, or after its place among the candidates.
    #[inline]
    fn new(faces: &FacePair, shared: &Shared) -> Self {
        let mut names = std::array::from_fn(|k| 4 + k as u32);
        let mut nearest = [usize::MAX; 4];
        let mut least = [Real::INFINITY; 4];
        for candidate in bits(u64::from(shared.corners)) {
            let (base, k) = (shared.base(candidate), candidate as usize);
            if shared.from_corner[k] < least[base] {
                (nearest[base], least[base]) = (k, shared.from_corner[k]);
            }
        }
        let mut given = 0;
        for (&k, name) in nearest.iter().zip(faces.bases) {
            // Seen at a slant two corners may lie in the same direction: the later one goes without that name.
            if k < CANDIDATES && given >> name & 1 == 0 {
                names[k] = name;
                given |= 1 << name;
            }
        }
        Self(names)
    }
}
