//! Face of one box against the other box: the incident face clipped to the reference face.

use super::box_box::BoxPair;
use super::reduce::{Candidates, reduce};
use super::{LocalManifold, LocalPoint, MAX_POINTS};
use drystone_math::{Real, Vector3, larger, smaller};

/// A corner that sticks out over a side by less than this part of the face's size counts as inside:
/// several roundings of `f32`, so that boxes aligned with each other keep their own corners.
const SIDE_TOLERANCE: Real = 2.0e-6;
/// A quadrilateral clipped by four sides has at most eight corners.
const MAX_CORNERS: usize = 8;

/// A corner of the clipped face in the frame of the reference face.
#[derive(Clone, Copy, Default)]
struct Corner {
    /// Along the two tangents of the reference face from its centre, m.
    x: Real,
    y: Real,
    /// Above the reference face along its normal, m.
    z: Real,
    /// The corner of the incident face this one is or stands for, 0..4.
    base: u32,
}

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

    /// The corners of the incident face, in order around it.
    #[inline]
    fn corners(&self) -> [Corner; 4] {
        let (u, v) = ((self.axis + 1) % 3, (self.axis + 2) % 3);
        let signs: [(Real, Real); 4] = [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)];
        let mut corners = [Corner::default(); 4];
        for k in 0..4 {
            let at = |i: usize| self.center[i] + signs[k].0 * self.edge_p[i] + signs[k].1 * self.edge_q[i];
            corners[k] = Corner {
                x: at(u),
                y: at(v),
                z: self.sign * at(self.axis) - self.half[self.axis],
                base: self.bases[k],
            };
        }
        corners
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
/// The corners of the incident face inside the reference face are taken as they are; the others are cut
/// by Sutherland and Hodgman's algorithm (CACM 17(1), 1974). A cut corner keeps the name of the corner it
/// replaces, so a small slide over the rim changes no feature.
pub(super) fn face_contact(faces: &FacePair, margin: Real, manifold: &mut LocalManifold) -> u32 {
    let incident = faces.corners();
    let (corners, count) = clip_to_face(faces, &incident);
    store(faces, &incident, &corners[..count], margin, manifold)
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
    let incident = faces.corners().map(|c| Corner {
        x: c.x - c.z * lean_x,
        y: c.y - c.z * lean_y,
        z: c.z / outward,
        base: c.base,
    });
    let (corners, count) = clip_to_face(faces, &incident);
    store(faces, &incident, &corners[..count], margin, manifold);
    let on_face = faces.sign * faces.half[axis];
    for point in manifold.points_mut() {
        point.point[axis] = on_face;
        point.point += normal * (0.5 * point.distance);
        point.feature |= 3 << 29;
    }
    manifold.normal = *normal;
    manifold.count
}

/// The incident face within the sides of the reference face.
#[inline]
fn clip_to_face(faces: &FacePair, incident: &[Corner; 4]) -> ([Corner; MAX_CORNERS], usize) {
    let (u, v) = ((faces.axis + 1) % 3, (faces.axis + 2) % 3);
    let (half_x, half_y) = (faces.half[u], faces.half[v]);
    let size = half_x + half_y;
    let tolerance = SIDE_TOLERANCE * size;

    let mut corners = [Corner::default(); MAX_CORNERS];
    corners[..4].copy_from_slice(incident);
    let mut count = 4;
    let beyond = |half: Real, get: fn(&Corner) -> Real| {
        let values = [get(&incident[0]), get(&incident[1]), get(&incident[2]), get(&incident[3])];
        let high = larger(larger(values[0], values[1]), larger(values[2], values[3]));
        let low = smaller(smaller(values[0], values[1]), smaller(values[2], values[3]));
        (high > half + tolerance, low < -half - tolerance)
    };
    let (right, left) = beyond(half_x, |c| c.x);
    let (top, bottom) = beyond(half_y, |c| c.y);
    if right {
        count = clip(&mut corners, count, half_x, tolerance, |c| c.x, |c| c.x = half_x);
    }
    if left {
        count = clip(&mut corners, count, half_x, tolerance, |c| -c.x, |c| c.x = -half_x);
    }
    if top {
        count = clip(&mut corners, count, half_y, tolerance, |c| c.y, |c| c.y = half_y);
    }
    if bottom {
        count = clip(&mut corners, count, half_y, tolerance, |c| -c.y, |c| c.y = -half_y);
    }
    (corners, count)
}

/// Cuts off what lies beyond `limit` in the direction that `along` measures; `snap` puts a cut corner
/// exactly onto the limit. Returns the number of corners left.
#[inline(always)]
fn clip(
    corners: &mut [Corner; MAX_CORNERS],
    count: usize,
    limit: Real,
    tolerance: Real,
    along: impl Fn(&Corner) -> Real,
    snap: impl Fn(&mut Corner),
) -> usize {
    let source = *corners;
    let mut kept = 0;
    let mut push = |corner: Corner| {
        // Never full: each of the four sides adds at most one corner to the first four.
        if kept < MAX_CORNERS {
            corners[kept] = corner;
            kept += 1;
        }
    };
    // Where the edge from a corner inside to one outside crosses; nothing where the inner one is on the
    // limit itself, for then it stands for the crossing.
    let crossing = |inside: &Corner, outside: &Corner| {
        let room = limit - along(inside);
        (room > tolerance).then(|| {
            let share = room / (along(outside) - along(inside));
            let mut cut = Corner {
                x: inside.x + (outside.x - inside.x) * share,
                y: inside.y + (outside.y - inside.y) * share,
                z: inside.z + (outside.z - inside.z) * share,
                base: outside.base,
            };
            snap(&mut cut);
            cut
        })
    };
    for k in 0..count {
        let (this, next) = (source[k], source[if k + 1 == count { 0 } else { k + 1 }]);
        let (is_inside, is_next_inside) =
            (along(&this) <= limit + tolerance, along(&next) <= limit + tolerance);
        if is_inside {
            push(this);
        }
        if is_inside != is_next_inside {
            let cut = if is_inside { crossing(&this, &next) } else { crossing(&next, &this) };
            if let Some(cut) = cut {
                push(cut);
            }
        }
    }
    kept
}

/// Writes the corners within `margin` into the manifold, reduced to four.
#[inline]
fn store(
    faces: &FacePair,
    incident: &[Corner; 4],
    corners: &[Corner],
    margin: Real,
    manifold: &mut LocalManifold,
) -> u32 {
    let axis = faces.axis;
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
    manifold.normal = Vector3::zeros();
    manifold.normal[axis] = faces.sign;
    let (mut names, mut has_twins) = (0_u32, false);
    for corner in corners {
        has_twins |= names >> corner.base & 1 == 1;
        names |= 1 << corner.base;
    }
    // Without twins each is the first of its name.
    let firsts = has_twins.then(|| first_of_each(incident, corners, &faces.bases));
    let within = corners.iter().filter(|corner| corner.z <= margin).count();
    let mut many = [LocalPoint::default(); MAX_CORNERS];
    let points = if within <= MAX_POINTS { &mut manifold.points[..] } else { &mut many[..] };
    let (mut count, mut seen) = (0, [0_u32; 4]);
    for (k, corner) in corners.iter().enumerate() {
        let base = corner.base as usize;
        // The first one of a name is number 0, the others follow in their order around the face.
        let mut ordinal = 0;
        if let Some(firsts) = &firsts
            && firsts[base] != k
        {
            seen[base] += 1;
            ordinal = seen[base];
        }
        if corner.z <= margin {
            let mut point = Vector3::zeros();
            point[axis] = faces.sign * (faces.half[axis] + 0.5 * corner.z);
            point[u] = corner.x;
            point[v] = corner.y;
            let feature = faces.faces << 5 | ordinal << 2 | corner.base;
            points[count] = LocalPoint { point, distance: corner.z, feature };
            count += 1;
        }
    }
    if within <= MAX_POINTS {
        manifold.count = count as u32;
        return manifold.count;
    }
    let points = &mut many[..count];
    points.sort_unstable_by_key(|p| p.feature);
    let size = faces.half[u] + faces.half[v];
    let candidates = Candidates { count, normal: manifold.normal, margin, size };
    let (chosen, count) = reduce(&candidates, |i| (points[i].point, points[i].distance));
    for &i in &chosen[..count] {
        manifold.push(points[i]);
    }
    manifold.count
}

/// For each name the corner that bears it and is nearest to the incident corner it stands for: where sides
/// and edges are nearly parallel, a second cut may lie anywhere along the edge.
#[inline]
fn first_of_each(incident: &[Corner; 4], corners: &[Corner], bases: &[u32; 4]) -> [usize; 4] {
    let mut firsts = [usize::MAX; 4];
    let mut nearest = [Real::INFINITY; 4];
    let mut of_base = [Corner::default(); 4];
    for (corner, base) in incident.iter().zip(bases) {
        of_base[*base as usize] = *corner;
    }
    for (k, corner) in corners.iter().enumerate() {
        let base = corner.base as usize;
        let (dx, dy) = (corner.x - of_base[base].x, corner.y - of_base[base].y);
        let square = dx * dx + dy * dy;
        if square < nearest[base] {
            (firsts[base], nearest[base]) = (k, square);
        }
    }
    firsts
}
