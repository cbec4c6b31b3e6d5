//! Face of one polytope against a face of another: the incident polygon clipped to the reference polygon.

use super::polytope::Polytope;
use super::reduce::{Candidates, reduce};
use super::sat::Placement;
use super::segment::unit;
use super::{LocalManifold, LocalPoint, MAX_POINTS};
use drystone_math::{Real, Vector3};

/// Most corners taken of a face. A face with more is replaced by a polygon through evenly spaced ones of
/// its corners: its rim moves inwards by at most a few hundredths of the face's radius.
pub(super) const MAX_FACE_CORNERS: usize = 32;
/// Sharp corners ([`SHARP`]) that a convex polygon has at most: each turns the way around it by more than 143 of 360 degrees.
const MAX_SHARP: usize = 2;
/// Each of the reference's sides, and the end of each of its sharp corners, adds at most one corner.
const MAX_CORNERS: usize = 2 * MAX_FACE_CORNERS + MAX_SHARP;
/// Corners that most faces of most hulls get along with: smaller buffers are sooner cleared.
const FEW_CORNERS: usize = 16 + MAX_SHARP;
/// Corners of two triangles, or two quadrilaterals, clipped.
const FEWEST_CORNERS: usize = 8 + MAX_SHARP;
/// A corner that sticks out by less than this part of the size counts as inside (several roundings).
const SIDE_TOLERANCE: Real = 2.0e-6;
/// Cosine between the outward directions of two sides below which they meet in a sharp corner, of less than 37 degrees. What counts as inside of
/// both sides reaches three times the tolerance beyond such a corner, and a thousand times as far beyond a sliver's; the polygon ends at the corner.
const SHARP: Real = -0.8;

/// A corner of the clipped polygon, in the frame of the reference.
#[derive(Clone, Copy, Default)]
struct Corner {
    position: Vector3,
    /// Above the reference face along the direction of the contact, m.
    height: Real,
    /// The corner of the incident face it is or stands for.
    base: u32,
}

/// The corners of a polygon.
struct Buffer<const N: usize> {
    corners: [Corner; N],
    count: usize,
}

impl<const N: usize> Buffer<N> {
    fn new() -> Self {
        Self { corners: [Corner::default(); N], count: 0 }
    }

    #[inline]
    fn push(&mut self, corner: Corner) {
        if let Some(slot) = self.corners.get_mut(self.count) {
            *slot = corner;
            self.count += 1;
        }
    }

    #[inline]
    fn corners(&self) -> &[Corner] {
        &self.corners[..self.count]
    }
}

/// Index of corner `k` of the at most [`MAX_FACE_CORNERS`] taken of a face with `count` corners.
#[inline]
fn spaced(k: usize, count: usize) -> usize {
    if count <= MAX_FACE_CORNERS { k } else { k * count / MAX_FACE_CORNERS }
}

/// Fills `manifold` (frame of `reference`, its normal the face's) with the corners of the face of
/// `incident` opposite to it, clipped to the sides of `face`, within `margin`, reduced to
/// four. Returns the number of points; 0 also when the incident face lies beside.
///
/// Distances are heights above the reference face. A cut corner keeps the name of the corner it replaces.
/// Features hold `tag` (1 bit), both faces (9 bits each, wrapping above 512), a number, the corner.
pub(super) fn face_contact(
    reference: &impl Polytope,
    face: usize,
    incident: &impl Polytope,
    place: &Placement,
    tag: u32,
    margin: Real,
    manifold: &mut LocalManifold,
) -> u32 {
    let (normal, _) = reference.plane(face);
    // Of the faces at the lowest vertex the one that looks against the normal most: so the deepest point takes
    // part, which the face most opposed of all may not hold.
    let against = place.rotation.tr_mul(&normal);
    let incident_face = incident.facing_at(incident.lowest(&against).0, &against);
    let features = tag << 29 | (face as u32 & 0x1ff) << 20 | (incident_face as u32 & 0x1ff) << 11;
    let faces = ((reference, face), (incident, incident_face));
    clip_with_room(faces, place, (&normal, features), margin, manifold)
}

/// The points of two faces that lie opposite each other along the unit vector `along` (frame of `reference`, out of its
/// face), with their distances along it. As [`face_contact`] otherwise.
pub(super) fn facing_contact(
    (reference, incident): (&impl Polytope, &impl Polytope),
    [face, incident_face]: [usize; 2],
    place: &Placement,
    along: &Vector3,
    margin: Real,
    manifold: &mut LocalManifold,
) -> u32 {
    let features = 3 << 29 | (face as u32 & 0x1ff) << 20 | (incident_face as u32 & 0x1ff) << 11;
    let faces = ((reference, face), (incident, incident_face));
    clip_with_room(faces, place, (along, features), margin, manifold)
}

/// [`clip_faces`] with buffers that are large enough.
fn clip_with_room(
    (reference, incident): ((&impl Polytope, usize), (&impl Polytope, usize)),
    place: &Placement,
    direction: (&Vector3, u32),
    margin: Real,
    manifold: &mut LocalManifold,
) -> u32 {
    let corner_count = reference.0.corner_count(reference.1) + incident.0.corner_count(incident.1);
    if corner_count <= FEWEST_CORNERS - MAX_SHARP {
        clip_faces::<FEWEST_CORNERS>(reference, incident, place, direction, margin, manifold)
    } else if corner_count <= FEW_CORNERS - MAX_SHARP {
        clip_faces::<FEW_CORNERS>(reference, incident, place, direction, margin, manifold)
    } else {
        clip_faces::<MAX_CORNERS>(reference, incident, place, direction, margin, manifold)
    }
}

/// A face of the incident polytope clipped to one of the reference along a direction, with the first bits of the
/// features, and room for `N` corners.
fn clip_faces<const N: usize>(
    (reference, face): (&impl Polytope, usize),
    (incident, incident_face): (&impl Polytope, usize),
    place: &Placement,
    (along, features): (&Vector3, u32),
    margin: Real,
    manifold: &mut LocalManifold,
) -> u32 {
    let (normal, offset) = reference.plane(face);
    // Along its own normal a height is a distance as it is.
    let stretch = if normal == *along { 1.0 } else { 1.0 / normal.dot(along) };
    let size = reference.size();
    let tolerance = SIDE_TOLERANCE * size;
    let mut polygon = Buffer::<N>::new();
    let corner_count = incident.corner_count(incident_face);
    for k in 0..corner_count.min(MAX_FACE_CORNERS) {
        let corner = incident.corner(incident_face, spaced(k, corner_count));
        let position = place.place(&incident.vertex(corner));
        polygon.push(Corner { position, height: (normal.dot(&position) - offset) * stretch, base: k as u32 });
    }
    let incident_corners = polygon.corners;
    let mut other = Buffer::<N>::new();
    let side_count = reference.corner_count(face);
    let taken = side_count.min(MAX_FACE_CORNERS);
    let rim = |k: usize| reference.vertex(reference.corner(face, spaced(k, side_count)));
    let mut keep_inside = |side: &Vector3, origin: &Vector3| {
        if polygon.corners().iter().any(|c| side.dot(&(c.position - origin)) > tolerance) {
            clip(&polygon, &mut other, side, origin, tolerance);
            std::mem::swap(&mut polygon, &mut other);
        }
    };
    let mut last = unit(&(rim(0) - rim(taken - 1)).cross(along)).map(|(side, _)| side);
    for k in 0..taken {
        let [p, q] = [rim(k), rim(if k + 1 == taken { 0 } else { k + 1 })];
        if let Some((side, _)) = unit(&(q - p).cross(along)) {
            keep_inside(&side, &p);
            if let Some(end) = last.and_then(|last| end_of_sharp_corner(&last, &side, along)) {
                keep_inside(&end, &p);
            }
            last = Some(side);
        }
    }
    let points = named_points(&polygon, &incident_corners, along, features, margin);
    store(points, along, margin, size, manifold)
}

/// The outward unit vector of the plane that ends a polygon at a sharp corner between two sides, seen against `along`; none at other corners.
#[inline]
fn end_of_sharp_corner(last: &Vector3, side: &Vector3, along: &Vector3) -> Option<Vector3> {
    if last.dot(side) > SHARP {
        return None;
    }
    // Their sum is the end's direction, but nothing is left of it at slivers. Their difference lies across: along the end's plane.
    unit(&(side - last).cross(along)).map(|(end, _)| end)
}

/// Copies what of `source` lies inside the plane through `origin` with the outward unit `side`.
fn clip<const N: usize>(
    source: &Buffer<N>,
    kept: &mut Buffer<N>,
    side: &Vector3,
    origin: &Vector3,
    tolerance: Real,
) {
    kept.count = 0;
    let corners = source.corners();
    let Some(mut this) = corners.last() else {
        return;
    };
    let outside = |c: &Corner| side.dot(&(c.position - origin));
    let mut beyond = outside(this);
    for next in corners {
        let next_beyond = outside(next);
        let (is_inside, is_next_inside) = (beyond <= tolerance, next_beyond <= tolerance);
        // A corner on the side itself stands for the crossing of its edge.
        if is_inside && !is_next_inside && beyond < -tolerance {
            kept.push(cut(this, next, beyond, next_beyond));
        } else if !is_inside && is_next_inside && next_beyond < -tolerance {
            kept.push(cut(next, this, next_beyond, beyond));
        }
        if is_next_inside {
            kept.push(*next);
        }
        (this, beyond) = (next, next_beyond);
    }
}

/// Where the edge from `inside` to `outside` crosses, given how far both are beyond the side, m.
fn cut(inside: &Corner, outside: &Corner, inside_beyond: Real, outside_beyond: Real) -> Corner {
    let share = -inside_beyond / (outside_beyond - inside_beyond);
    Corner {
        position: inside.position + (outside.position - inside.position) * share,
        height: inside.height + (outside.height - inside.height) * share,
        base: outside.base,
    }
}

/// The corners within `margin` as contact points; each corner of the incident face they stand for gives its
/// name to several at most, which are numbered.
fn named_points<const N: usize>(
    polygon: &Buffer<N>,
    incident: &[Corner; N],
    normal: &Vector3,
    features: u32,
    margin: Real,
) -> ([LocalPoint; N], usize) {
    // Number 0 of a name is the corner nearest to the incident corner it stands for; see `box_face`.
    let mut firsts = [(usize::MAX, Real::INFINITY); N];
    for (k, corner) in polygon.corners().iter().enumerate() {
        let base = corner.base as usize;
        let square = (corner.position - incident[base].position).norm_squared();
        if square < firsts[base].1 {
            firsts[base] = (k, square);
        }
    }
    let mut points = [LocalPoint::default(); N];
    let mut count = 0;
    let mut seen = [0u32; N];
    for (k, corner) in polygon.corners().iter().enumerate() {
        let base = corner.base as usize;
        let ordinal = if k == firsts[base].0 {
            0
        } else {
            seen[base] += 1;
            seen[base]
        };
        if corner.height <= margin {
            let point = corner.position - normal * (0.5 * corner.height);
            let feature = features | ordinal << 5 | corner.base;
            points[count] = LocalPoint { point, distance: corner.height, feature };
            count += 1;
        }
    }
    (points, count)
}

/// Writes the points into the manifold, reduced to four.
fn store<const N: usize>(
    (mut points, count): ([LocalPoint; N], usize),
    normal: &Vector3,
    margin: Real,
    size: Real,
    manifold: &mut LocalManifold,
) -> u32 {
    manifold.normal = *normal;
    let points = &mut points[..count];
    if count <= MAX_POINTS {
        for point in &*points {
            manifold.push(*point);
        }
        return manifold.count;
    }
    points.sort_unstable_by_key(|p| p.feature);
    let candidates = Candidates { count, normal: *normal, margin, size };
    let (chosen, count) = reduce(&candidates, |i| (points[i].point, points[i].distance));
    for &i in &chosen[..count] {
        manifold.push(points[i]);
    }
    manifold.count
}
