//! Discs, polygons and lines that face each other along a normal: where their shadows overlap, and the gap there.
//!
//! Along a fixed normal the gap between two flat parts of surfaces is a linear function of the place. Its extremes over
//! the part of the plane that both cover are at corners of that part: corners of one above the other, and crossings of
//! rims. Which of the two is the reference does not matter then; every point is exactly on both. A disc gives sixteen
//! corners of its rim, the first of them its deepest point.

use super::super::polytope::Polytope;
use super::super::reduce::{Candidates, reduce};
use super::super::round::sideways_limit;
use super::super::sat::Placement;
use super::super::segment::{PARALLEL_SINE_SQUARED, unit};
use super::super::{LocalManifold, LocalPoint, MAX_POINTS};
use drystone_math::{Real, Vector3};

/// Corners taken of a rim. Four of them are kept of a disc that lies flat; the others matter where it lies half beside
/// what it rests on: between two of them the rim is 2 % of the radius away.
const RIM_CORNERS: usize = 16;
/// Most corners taken of a polygon; see `polygon.rs`.
const FACE_CORNERS: usize = 32;
/// Points of a disc and a polygon: the corners of both, and two crossings per side.
const MAX_CANDIDATES: usize = RIM_CORNERS + 3 * FACE_CORNERS;
/// Slope (tangent) up to which a disc counts as flat: its corners then stay at fixed places of the disc, so that the
/// noise of a resting body does not move them, and a deepest point between two of them is missed by at most 2 % of the
/// slope times the radius.
const FLAT_SLOPE: Real = 2.0e-3;
/// A place outside a rim by this part of the size counts as inside: several roundings.
const RIM_TOLERANCE: Real = 2.0e-6;
/// Least cosine between a normal and that of a flat part for the shadow to mean anything.
const LEAST_COSINE: Real = 0.1;
/// Part of a line that two points must be apart; shorter stretches are one point.
const SHORT_STRETCH: Real = 1.0e-3;
/// Cosines of the first quarter of the corners of a rim.
const RIM_COSINES: [Real; 5] = [1.0, 0.923_879_5, std::f32::consts::FRAC_1_SQRT_2, 0.382_683_43, 0.0];

/// A flat or straight part of a surface, in the frame of the contact.
#[expect(clippy::large_enum_variant, reason = "two per contact, on the stack; a box would allocate")]
pub(super) enum Patch {
    Disc(Disc),
    Face(Face),
    Line(Line),
}

/// A cap of a cylinder or the base of a cone.
pub(super) struct Disc {
    pub center: Vector3,
    /// Unit, out of the solid.
    pub normal: Vector3,
    pub radius: Real,
    /// Unit, in its plane: where the corners of a flat disc begin.
    pub zero: Vector3,
    /// First name of its corners.
    pub name: u32,
}

/// A face of a polytope.
pub(super) struct Face {
    corners: [Vector3; FACE_CORNERS],
    count: usize,
    normal: Vector3,
    name: u32,
}

/// A straight line on a surface, and the radius of the surface at its ends.
pub(super) struct Line {
    pub ends: [Vector3; 2],
    pub radii: [Real; 2],
    pub names: [u32; 2],
}

/// Names of points within a manifold: corners of a disc of A and of B (16 for either cap), of a polygon, crossings of
/// its sides, crossings of two rims.
const NAME_B: u32 = 32;
const NAME_FACE: u32 = 64;
const NAME_SIDES: u32 = 96;
const NAME_RIMS: u32 = 160;
/// Where the name of a face lies.
const FACE_SHIFT: u32 = 8;

impl Face {
    /// Face `face` of a polytope placed by `place`.
    pub(super) fn new(polytope: &(impl Polytope + ?Sized), face: usize, place: Option<&Placement>) -> Self {
        let total = polytope.corner_count(face);
        let count = total.min(FACE_CORNERS);
        let (normal, _) = polytope.plane(face);
        let put = |v: Vector3| place.map_or(v, |p| p.place(&v));
        let mut corners = [Vector3::zeros(); FACE_CORNERS];
        for (k, corner) in corners[..count].iter_mut().enumerate() {
            let spaced = if total <= FACE_CORNERS { k } else { k * total / FACE_CORNERS };
            *corner = put(polytope.vertex(polytope.corner(face, spaced)));
        }
        let normal = place.map_or(normal, |p| p.rotation * normal);
        Self { corners, count, normal, name: (face as u32 + 1) << FACE_SHIFT }
    }

    fn size(&self) -> Real {
        let first = self.corners[0];
        self.corners[..self.count].iter().map(|c| (c - first).norm_squared()).fold(0.0, Real::max).sqrt()
    }

    /// A point and the outward unit normal, square to `n`, of every side; `n` leans out of the face.
    fn sides(&self, n: &Vector3) -> impl Iterator<Item = (usize, Vector3, Vector3)> {
        let last = self.count - 1;
        (0..self.count).filter_map(move |k| {
            let (p, q) = (self.corners[k], self.corners[if k == last { 0 } else { k + 1 }]);
            unit(&(q - p).cross(n)).map(|(side, _)| (k, p, side))
        })
    }
}

impl Disc {
    /// Corner `k` of the rim where the first one lies towards `towards`.
    pub(super) fn corner(&self, k: usize, towards: &Vector3) -> Vector3 {
        let (quarter, k) = (k / 4, k % 4);
        let (cosine, sine) = (RIM_COSINES[k], RIM_COSINES[4 - k]);
        let across = self.normal.cross(towards);
        let (c, s) = match quarter {
            0 => (cosine, sine),
            1 => (-sine, cosine),
            2 => (-cosine, -sine),
            _ => (sine, -cosine),
        };
        self.center + (towards * c + across * s) * self.radius
    }

    /// Where the corners begin: at the deepest point, or for a flat disc at its zero; and whether it is flat. `slope` is the
    /// way in which the gap shrinks, square to the normal of the contact.
    pub(super) fn start(&self, slope: &Vector3) -> (Vector3, bool) {
        let within = slope - self.normal * slope.dot(&self.normal);
        match unit(&within) {
            Some((towards, steepness)) if steepness > FLAT_SLOPE => (towards, false),
            _ => (self.zero, true),
        }
    }

    /// True when a point of its plane lies within the rim.
    fn holds(&self, point: &Vector3) -> bool {
        let limit = self.radius * (1.0 + RIM_TOLERANCE);
        (point - self.center).norm_squared() <= limit * limit
    }

    /// The part of the line from `p` to `q` (both in its plane) within the rim, as shares of the way; unbounded by the
    /// ends. `None` where it passes beside.
    fn stretch(&self, p: &Vector3, q: &Vector3) -> Option<(Real, Real)> {
        let (d, m) = (q - p, p - self.center);
        let (a, b) = (d.norm_squared(), m.dot(&d));
        if a <= 0.0 {
            return None;
        }
        // The foot of the centre first: the discriminant of a long line would lose its digits.
        let foot = m - d * (b / a);
        let room = self.radius * self.radius - foot.norm_squared();
        (room > 0.0).then(|| {
            let half = (room / a).sqrt();
            (-b / a - half, -b / a + half)
        })
    }
}

/// Moves `x` along `n` into the plane through `point` with `normal`.
#[inline]
fn lift(x: &Vector3, n: &Vector3, point: &Vector3, normal: &Vector3) -> Vector3 {
    x + n * ((point - x).dot(normal) / n.dot(normal))
}

/// Collects the points of a manifold along one normal.
struct Collector<'m> {
    normal: Vector3,
    margin: Real,
    points: &'m mut [LocalPoint; MAX_CANDIDATES],
    count: usize,
}

impl Collector<'_> {
    /// A point of A and one of B opposite each other; left out beyond the margin.
    #[inline]
    fn push(&mut self, on_a: Vector3, on_b: Vector3, feature: u32) {
        let distance = (on_b - on_a).dot(&self.normal);
        if distance <= self.margin
            && let Some(slot) = self.points.get_mut(self.count)
        {
            *slot = LocalPoint { point: (on_a + on_b) * 0.5, distance, feature };
            self.count += 1;
        }
    }

    /// The same where the first is of A only if `is_a`.
    #[inline]
    fn push_of(&mut self, is_a: bool, this: Vector3, other: Vector3, feature: u32) {
        if is_a { self.push(this, other, feature) } else { self.push(other, this, feature) }
    }
}

/// Fills `manifold` with at most four points where patch `a` of A and patch `b` of B lie opposite each other along the
/// unit `normal` (from A to B) within `margin` (m). No points where neither is above the other, or where they
/// are turned away from the normal too far. Does not set the gap.
pub(super) fn facing(a: &Patch, b: &Patch, normal: &Vector3, margin: Real, manifold: &mut LocalManifold) {
    (manifold.normal, manifold.count) = (*normal, 0);
    let mut points = [LocalPoint::default(); MAX_CANDIDATES];
    let mut found = Collector { normal: *normal, margin, points: &mut points, count: 0 };
    let size = match (a, b) {
        (Patch::Disc(a), Patch::Disc(b)) => disc_disc(a, b, &mut found),
        (Patch::Disc(disc), Patch::Face(face)) => disc_face(disc, face, true, &mut found),
        (Patch::Face(face), Patch::Disc(disc)) => disc_face(disc, face, false, &mut found),
        (Patch::Line(line), Patch::Disc(disc)) => line_disc(line, disc, true, &mut found),
        (Patch::Disc(disc), Patch::Line(line)) => line_disc(line, disc, false, &mut found),
        (Patch::Line(line), Patch::Face(face)) => line_face(line, face, true, &mut found),
        (Patch::Face(face), Patch::Line(line)) => line_face(line, face, false, &mut found),
        (Patch::Line(a), Patch::Line(b)) => line_line(a, b, &mut found),
        // Two polygons are for `polygon.rs`.
        (Patch::Face(_), Patch::Face(_)) => 0.0,
    };
    let count = found.count;
    if count <= MAX_POINTS {
        for point in &points[..count] {
            manifold.push(*point);
        }
        return;
    }
    let candidates = Candidates { count, normal: *normal, margin, size };
    let (chosen, count) = reduce(&candidates, |i| (points[i].point, points[i].distance));
    for &i in &chosen[..count] {
        manifold.push(points[i]);
    }
}

/// How the gap shrinks along the plane square to `n`, between planes with the outward normals `a` and `b`.
fn slope(a: &Vector3, b: &Vector3, n: &Vector3) -> Vector3 {
    b / b.dot(n) - a / a.dot(n)
}

/// True when both normals lie along the line of `n`, A's with it and B's against it.
fn are_facing(a: &Vector3, b: &Vector3, n: &Vector3) -> bool {
    a.dot(n) > LEAST_COSINE && b.dot(n) < -LEAST_COSINE
}

/// Two discs: corners of either above the other, and the crossings of their rims.
fn disc_disc(a: &Disc, b: &Disc, found: &mut Collector<'_>) -> Real {
    let n = found.normal;
    if !are_facing(&a.normal, &b.normal, &n) {
        return 0.0;
    }
    let slope = slope(&a.normal, &b.normal, &n);
    // Of equally deep points the first are kept: where discs lie flat those that reach farthest, else the deepest.
    let (_, is_flat) = a.start(&slope);
    if is_flat {
        rim_crossings(a, b, found);
    }
    let first_is_a = a.radius <= b.radius;
    for is_a in [first_is_a, !first_is_a] {
        let (disc, other) = if is_a { (a, b) } else { (b, a) };
        let (towards, _) = disc.start(&slope);
        let name = disc.name + if is_a { 0 } else { NAME_B };
        for k in 0..RIM_CORNERS {
            let x = disc.corner(k, &towards);
            let y = lift(&x, &n, &other.center, &other.normal);
            if other.holds(&y) {
                found.push_of(is_a, x, y, name + k as u32);
            }
        }
    }
    if !is_flat {
        rim_crossings(a, b, found);
    }
    a.radius.min(b.radius)
}

/// Where the rims of two discs cross in the view along the normal.
fn rim_crossings(a: &Disc, b: &Disc, found: &mut Collector<'_>) {
    let n = found.normal;
    // B's rim seen along n is an ellipse; the circle of its smaller half axis lies within.
    let center = lift(&b.center, &n, &a.center, &a.normal);
    let radius = b.radius * b.normal.dot(&n).abs() * a.normal.dot(&b.normal).abs();
    let Some((towards, distance)) = unit(&(center - a.center)) else { return };
    let along = 0.5 * (distance + (a.radius - radius) * (a.radius + radius) / distance);
    let room = (a.radius - along) * (a.radius + along);
    if room <= 0.0 {
        return;
    }
    let across = a.normal.cross(&towards) * room.sqrt();
    for (k, side) in [across, -across].into_iter().enumerate() {
        let x = a.center + towards * along + side;
        let y = lift(&x, &n, &b.center, &b.normal);
        if b.holds(&y) {
            found.push(x, y, NAME_RIMS + k as u32);
        }
    }
}

/// A disc and a polygon: corners of either above the other, and crossings of the rim with the sides.
fn disc_face(disc: &Disc, face: &Face, disc_is_a: bool, found: &mut Collector<'_>) -> Real {
    let n = found.normal;
    let (normal_a, normal_b) =
        if disc_is_a { (disc.normal, face.normal) } else { (face.normal, disc.normal) };
    if !are_facing(&normal_a, &normal_b, &n) {
        return 0.0;
    }
    let size = disc.radius.min(face.size());
    let (towards, is_flat) = disc.start(&slope(&normal_a, &normal_b, &n));
    let out_of_face = if disc_is_a { -n } else { n };
    let tolerance = RIM_TOLERANCE * size;
    let mut is_inside = [true; RIM_CORNERS];
    let corners: [Vector3; RIM_CORNERS] = std::array::from_fn(|k| disc.corner(k, &towards));
    for (_, p, side) in face.sides(&out_of_face) {
        for (corner, inside) in corners.iter().zip(&mut is_inside) {
            *inside &= side.dot(&(corner - p)) <= tolerance;
        }
    }
    let is_whole = is_inside == [true; RIM_CORNERS];
    // As with two discs: those that reach farthest first where the disc lies flat.
    if is_flat && !is_whole {
        face_above_disc(disc, face, disc_is_a, found);
    }
    for (k, x) in corners.iter().enumerate().filter(|(k, _)| is_inside[*k]) {
        let y = lift(x, &n, &face.corners[0], &face.normal);
        found.push_of(disc_is_a, *x, y, face.name | (disc.name + k as u32));
    }
    if !is_flat && !is_whole {
        face_above_disc(disc, face, disc_is_a, found);
    }
    size
}

/// Corners of a polygon above a disc, and crossings of its sides with the rim.
fn face_above_disc(disc: &Disc, face: &Face, disc_is_a: bool, found: &mut Collector<'_>) {
    let n = found.normal;
    for k in 0..face.count {
        let next = if k + 1 == face.count { 0 } else { k + 1 };
        let [p, q] = [k, next].map(|i| lift(&face.corners[i], &n, &disc.center, &disc.normal));
        if disc.holds(&p) {
            found.push_of(disc_is_a, p, face.corners[k], face.name | (NAME_FACE + k as u32));
        }
        let Some((low, high)) = disc.stretch(&p, &q) else { continue };
        for (end, share) in [low, high].into_iter().enumerate() {
            if 0.0 < share && share < 1.0 {
                let x = p + (q - p) * share;
                let y = face.corners[k] + (face.corners[next] - face.corners[k]) * share;
                found.push_of(disc_is_a, x, y, face.name | (NAME_SIDES + 2 * k as u32 + end as u32));
            }
        }
    }
}

/// The two ends of a line's stretch over a flat part, or their middle where it is short.
fn push_stretch(
    line: &Line,
    (low, high): (Real, Real),
    (point, normal): (&Vector3, &Vector3),
    line_is_a: bool,
    name: u32,
    found: &mut Collector<'_>,
) -> Real {
    let way = line.ends[1] - line.ends[0];
    let n = found.normal;
    let mut push = |share: Real, name_of_end: u32| {
        let x = line.ends[0] + way * share;
        let y = lift(&x, &n, point, normal);
        found.push_of(line_is_a, x, y, name | name_of_end);
    };
    if high - low > SHORT_STRETCH {
        push(low, line.names[0]);
        push(high, line.names[1]);
    } else if high >= low {
        push(0.5 * (low + high), line.names[0]);
    }
    way.norm()
}

fn line_disc(line: &Line, disc: &Disc, line_is_a: bool, found: &mut Collector<'_>) -> Real {
    let n = found.normal;
    if disc.normal.dot(&n).abs() <= LEAST_COSINE {
        return 0.0;
    }
    let [p, q] = line.ends.map(|end| lift(&end, &n, &disc.center, &disc.normal));
    let Some((low, high)) = disc.stretch(&p, &q) else { return 0.0 };
    let stretch = (low.max(0.0), high.min(1.0));
    push_stretch(line, stretch, (&disc.center, &disc.normal), line_is_a, 0, found)
}

fn line_face(line: &Line, face: &Face, line_is_a: bool, found: &mut Collector<'_>) -> Real {
    let n = found.normal;
    if face.normal.dot(&n).abs() <= LEAST_COSINE {
        return 0.0;
    }
    let out_of_face = if line_is_a { -n } else { n };
    let way = line.ends[1] - line.ends[0];
    let tolerance = RIM_TOLERANCE * (face.size() + way.norm());
    let (mut low, mut high) = (0.0_f32, 1.0_f32);
    for (_, p, side) in face.sides(&out_of_face) {
        let (height, rise) = (side.dot(&(line.ends[0] - p)), side.dot(&way));
        if rise.abs() <= tolerance {
            if height > tolerance {
                return 0.0;
            }
            continue;
        }
        // Inside where height + share · rise <= 0.
        let limit = -height / rise;
        if rise > 0.0 { high = high.min(limit) } else { low = low.max(limit) }
    }
    push_stretch(line, (low, high), (&face.corners[0], &face.normal), line_is_a, face.name, found)
}

/// Two nearly parallel lines side by side: the ends of the stretch that they share.
fn line_line(a: &Line, b: &Line, found: &mut Collector<'_>) -> Real {
    let n = found.normal;
    let [Some((along, length)), Some((along_b, length_b))] =
        [a, b].map(|line| unit(&(line.ends[1] - line.ends[0])))
    else {
        return 0.0;
    };
    if along.cross(&along_b).norm_squared() >= PARALLEL_SINE_SQUARED {
        return 0.0;
    }
    // Places are counted along the lines in the view along the normal, so that what is opposite is opposite along it.
    let Some((level, _)) = unit(&(along - n * along.dot(&n))) else { return 0.0 };
    let [on_a, on_b] = [a, b].map(|line| line.ends.map(|end| (end - a.ends[0]).dot(&level)));
    let (low, high) = (on_b[0].min(on_b[1]).max(0.0), on_b[0].max(on_b[1]).min(on_a[1]));
    if high - low <= SHORT_STRETCH * length.min(length_b) {
        return 0.0;
    }
    let share = |span: &[Real; 2], s: Real| ((s - span[0]) / (span[1] - span[0])).clamp(0.0, 1.0);
    let at = |line: &Line, share: Real| {
        let radius = line.radii[0] + (line.radii[1] - line.radii[0]) * share;
        (line.ends[0] + (line.ends[1] - line.ends[0]) * share, radius)
    };
    let places = [low, high].map(|s| (at(a, share(&on_a, s)), at(b, share(&on_b, s))));
    let across = level.cross(&n);
    // Towards the apex of a cone, what the line is wide elsewhere.
    let widest = a.radii[0].max(a.radii[1]) + b.radii[0].max(b.radii[1]);
    let passes = |((x, radius_a), (y, radius_b)): &((Vector3, Real), (Vector3, Real))| {
        across.dot(&(y - x)).abs() > sideways_limit(*radius_a, *radius_b, widest)
    };
    if places.iter().any(passes) {
        return 0.0;
    }
    let pairs = places.map(|((x, _), (y, _))| (x, y));
    for ((x, y), name) in pairs.into_iter().zip(a.names) {
        let middle = (x + y) * 0.5;
        let half = n * (0.5 * (y - x).dot(&n));
        found.push(middle - half, middle + half, name);
    }
    length
}
