//! Face of one polytope against a face of another: the incident polygon clipped to the reference polygon.

mod corners;
mod sides;
#[cfg(test)]
mod tests;

use super::polytope::Polytope;
use super::reduce::{Candidates, reduce};
use super::sat::Placement;
use super::segment::unit;
use super::{LocalManifold, LocalPoint, MAX_POINTS};
use corners::Corners;
use drystone_math::wide::{Isa, Kernel, LANES, Lanes};
use drystone_math::{Real, Vector3};
use sides::{Rim, Sides};

/// Most corners taken of a face. A face with more is replaced by a polygon through evenly spaced ones of
/// its corners: its rim moves inwards by at most a few hundredths of the face's radius.
pub(super) const MAX_FACE_CORNERS: usize = 32;
/// Sharp corners ([`SHARP`]) that a convex polygon has at most: each turns the way around it by more than 143 of 360 degrees.
const MAX_SHARP: usize = 2;
/// Corners and crossings that most faces of most hulls get along with, and sides with eight more: smaller buffers are
/// sooner cleared.
const FEW_CORNERS: usize = 24;
const FEW_SIDES: usize = 8 + LANES;
/// The most there can be; see [`most_made`].
const MAX_CORNERS: usize = most_made([MAX_FACE_CORNERS; 2]).next_multiple_of(LANES);
const MAX_SIDES: usize = MAX_FACE_CORNERS + LANES;
/// A corner that sticks out by less than this part of the size counts as inside (several roundings).
const SIDE_TOLERANCE: Real = 2.0e-6;
/// Cosine between the outward directions of two sides below which they meet in a sharp corner, of less than 37 degrees. What counts as inside of
/// both sides reaches three times the tolerance beyond such a corner, and a thousand times as far beyond a sliver's; the polygon ends at the corner.
const SHARP: Real = -0.8;

/// Corners that clipping to a polygon of `sides` makes at most, with those at the start: each side, and the end of each sharp
/// corner, crosses a convex polygon twice.
const fn most_made([sides, corners]: [usize; 2]) -> usize {
    corners + 2 * (sides + MAX_SHARP)
}

/// Whether the smaller buffers hold what so many sides and corners make.
fn has_few([sides, corners]: [usize; 2]) -> bool {
    sides <= FEW_SIDES - LANES && most_made([sides, corners]) <= FEW_CORNERS
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
    let (lowest, _) = incident.lowest(&place.rotation.tr_mul(&reference.plane(face).0));
    face_contact_at(reference, [face, lowest], incident, place, tag, margin, manifold)
}

/// [`face_contact`] with the vertex of `incident` that is lowest along the normal of the face.
pub(super) fn face_contact_at(
    reference: &impl Polytope,
    [face, lowest]: [usize; 2],
    incident: &impl Polytope,
    place: &Placement,
    tag: u32,
    margin: Real,
    manifold: &mut LocalManifold,
) -> u32 {
    let (normal, _) = reference.plane(face);
    // Of the faces at the lowest vertex the one that looks against the normal most: so the deepest point takes
    // part, which the face most opposed of all may not hold.
    let incident_face = incident.facing_at(lowest, &place.rotation.tr_mul(&normal));
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
    let counts = [reference.0.corner_count(reference.1), incident.0.corner_count(incident.1)];
    if has_few(counts) {
        clip_faces::<FEW_CORNERS, FEW_SIDES>(reference, incident, place, direction, margin, manifold)
    } else {
        clip_faces::<MAX_CORNERS, MAX_SIDES>(reference, incident, place, direction, margin, manifold)
    }
}

/// A face of the incident polytope clipped to one of the reference along a direction, with the first bits of the
/// features, and room for `N` corners and for `R` - 8 sides.
fn clip_faces<const N: usize, const R: usize>(
    reference: (&impl Polytope, usize),
    incident: (&impl Polytope, usize),
    place: &Placement,
    (along, features): (&Vector3, u32),
    margin: Real,
    manifold: &mut LocalManifold,
) -> u32 {
    let size = reference.0.size();
    let mut corners = Corners::<N>::new(incident, SIDE_TOLERANCE * size);
    let rim = Rim::<R>::new(reference);
    let plane = reference.0.plane(reference.1);
    Isa::best().run(Clipping { corners: &mut corners, rim: &rim, plane, place, along });
    store(&corners, (along, features), margin, size, manifold)
}

/// Puts the corners of a face where they are, and clips them to the sides of another.
struct Clipping<'a, const N: usize, const R: usize> {
    corners: &'a mut Corners<N>,
    /// The other face, the reference, its normal and its offset, m.
    rim: &'a Rim<R>,
    plane: (Vector3, Real),
    /// Where the polytope with the corners is in the frame of the reference.
    place: &'a Placement,
    /// The direction of the sides, and of heights.
    along: &'a Vector3,
}

impl<const N: usize, const R: usize> Kernel for Clipping<'_, N, R> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let Self { corners, rim, plane: (normal, offset), place, along } = self;
        // Along its own normal a height is a distance as it is.
        let stretch = if normal == *along { 1.0 } else { 1.0 / normal.dot(along) };
        corners.place(lanes, place, (&normal, offset), stretch);
        let sides = Sides::new(lanes, rim, along);
        let mut beyond = [0.0; N];
        let mut last = sides.normal(rim.count.saturating_sub(1));
        for k in 0..rim.count {
            if let Some(side) = sides.normal(k) {
                let origin = rim.corner(k);
                corners.keep_inside(lanes, &side, &origin, &mut beyond);
                if let Some(end) = last.and_then(|last| end_of_sharp_corner(&last, &side, along)) {
                    corners.keep_inside(lanes, &end, &origin, &mut beyond);
                }
                last = Some(side);
            }
        }
    }
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

/// The corners within `margin` by their names, with the first bits `features`; each corner of the incident face they stand
/// for gives its name to several at most, which are numbered. Returns how many there are.
#[inline]
fn name<const N: usize>(
    corners: &Corners<N>,
    features: u32,
    margin: Real,
    named: &mut [(u32, u32); N],
) -> usize {
    // Number 0 of a name is the corner nearest to the incident corner it stands for; see `box_face`. Where that one is left
    // itself, none stands for it.
    let (mut firsts, mut squares) = ([u8::MAX; MAX_FACE_CORNERS], [Real::INFINITY; MAX_FACE_CORNERS]);
    for corner in corners.order().filter(|c| corners.is_crossing(*c)) {
        let base = corners.base(corner) % MAX_FACE_CORNERS;
        let square = (corners.position(corner) - corners.position(base)).norm_squared();
        if square < squares[base] {
            (firsts[base], squares[base]) = (corner as u8, square);
        }
    }
    let mut count = 0;
    let mut seen = [0u8; MAX_FACE_CORNERS];
    for corner in corners.order() {
        let base = corners.base(corner) % MAX_FACE_CORNERS;
        let mut ordinal = 0;
        if corners.is_crossing(corner) && usize::from(firsts[base]) != corner {
            seen[base] += 1;
            ordinal = u32::from(seen[base]);
        }
        if corners.height(corner) <= margin && count < N {
            named[count] = (features | ordinal << 5 | base as u32, corner as u32);
            count += 1;
        }
    }
    count
}

/// Writes the corners within `margin` as contact points into the manifold, reduced to four.
fn store<const N: usize>(
    corners: &Corners<N>,
    (normal, features): (&Vector3, u32),
    margin: Real,
    size: Real,
    manifold: &mut LocalManifold,
) -> u32 {
    manifold.normal = *normal;
    let mut found = [(0, 0); N];
    let count = name(corners, features, margin, &mut found);
    let found = &mut found[..count];
    let point = |&(feature, corner): &(u32, u32)| {
        let (position, height) = (corners.position(corner as usize), corners.height(corner as usize));
        LocalPoint { point: position - normal * (0.5 * height), distance: height, feature }
    };
    if count <= MAX_POINTS {
        for named in &*found {
            manifold.push(point(named));
        }
        return manifold.count;
    }
    found.sort_unstable_by_key(|named| named.0);
    let mut points = [LocalPoint::default(); N];
    for (point_at, named) in points.iter_mut().zip(&*found) {
        *point_at = point(named);
    }
    let candidates = Candidates { count, normal: *normal, margin, size };
    let (chosen, count) = reduce(&candidates, |i| (points[i].point, points[i].distance));
    for &i in &chosen[..count] {
        manifold.push(points[i]);
    }
    manifold.count
}
