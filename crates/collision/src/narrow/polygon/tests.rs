//! Clipping eight corners at a time against clipping them one by one, which is trusted, and against exact areas.

use super::*;
use crate::shape::ConvexHull;
use drystone_math::{Displacement, Rotation, widen};
use proptest::prelude::*;

/// A corner as the plain code keeps it: position and height (m), and the corner of the face that it stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Corner {
    position: Vector3,
    height: Real,
    base: usize,
}

/// Two hulls, a face of each that clips and is clipped, and the direction.
#[derive(Debug)]
struct Pair {
    reference: ConvexHull,
    incident: ConvexHull,
    faces: [usize; 2],
    place: Placement,
    along: Vector3,
}

impl std::fmt::Debug for Placement {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} {:?}", self.rotation, self.translation)
    }
}

/// The corners of face `face`, of which every one takes part up to 32.
fn corners_of(hull: &ConvexHull, face: usize) -> Vec<Vector3> {
    let count = hull.corner_count(face);
    (0..count.min(MAX_FACE_CORNERS)).map(|k| hull.vertex(hull.corner(face, spaced(k, count)))).collect()
}

/// The planes that `pair` is clipped to: outward unit vectors and points, one by one.
fn planes(pair: &Pair) -> Vec<(Vector3, Vector3)> {
    let rim = corners_of(&pair.reference, pair.faces[0]);
    let next = |k: usize| rim[(k + 1) % rim.len()];
    let side = |k: usize| unit(&(next(k) - rim[k]).cross(&pair.along)).map(|(side, _)| side);
    let mut last = side(rim.len() - 1);
    let mut planes = Vec::new();
    for (k, origin) in rim.iter().enumerate() {
        let Some(side) = side(k) else {
            continue;
        };
        planes.push((side, *origin));
        let end = last.and_then(|last| end_of_sharp_corner(&last, &side, &pair.along));
        planes.extend(end.map(|end| (end, *origin)));
        last = Some(side);
    }
    planes
}

/// Sutherland and Hodgman's algorithm with the rules of [`Corners`], one corner after the other.
fn plain(pair: &Pair) -> Vec<Corner> {
    let (normal, offset) = pair.reference.plane(pair.faces[0]);
    let stretch = if normal == pair.along { 1.0 } else { 1.0 / normal.dot(&pair.along) };
    let placed = |(base, vertex): (usize, &Vector3)| {
        let position = pair.place.place(vertex);
        Corner { position, height: (normal.dot(&position) - offset) * stretch, base }
    };
    let mut polygon: Vec<_> =
        corners_of(&pair.incident, pair.faces[1]).iter().enumerate().map(placed).collect();
    let tolerance = SIDE_TOLERANCE * pair.reference.size();
    for (side, origin) in planes(pair) {
        let beyond = |c: &Corner| side.dot(&(c.position - origin));
        let mut kept = Vec::new();
        for (k, next) in polygon.iter().enumerate() {
            let this = &polygon[(k + polygon.len() - 1) % polygon.len()];
            let [inside, outside] = if beyond(this) <= tolerance { [this, next] } else { [next, this] };
            if beyond(inside) < -tolerance && beyond(outside) > tolerance {
                let share = -beyond(inside) / (beyond(outside) - beyond(inside));
                kept.push(Corner {
                    position: inside.position + (outside.position - inside.position) * share,
                    height: inside.height + (outside.height - inside.height) * share,
                    base: outside.base,
                });
            }
            if beyond(next) <= tolerance {
                kept.push(*next);
            }
        }
        polygon = kept;
    }
    polygon
}

/// The same eight at a time.
fn in_lanes<const N: usize, const R: usize>(pair: &Pair, isa: Isa) -> Vec<Corner> {
    let [face, incident_face] = pair.faces;
    let mut corners =
        Corners::<N>::new((&pair.incident, incident_face), SIDE_TOLERANCE * pair.reference.size());
    isa.run(Clipping {
        corners: &mut corners,
        rim: &Rim::<R>::new((&pair.reference, face)),
        plane: pair.reference.plane(face),
        place: &pair.place,
        along: &pair.along,
    });
    let corner =
        |c: usize| Corner { position: corners.position(c), height: corners.height(c), base: corners.base(c) };
    corners.order().map(corner).collect()
}

/// Area of a polygon seen along a vector, m².
fn area(polygon: &[Displacement], along: &Displacement) -> f64 {
    let next = |k: usize| &polygon[(k + 1) % polygon.len()];
    polygon.iter().enumerate().map(|(k, p)| 0.5 * p.cross(next(k)).dot(along)).sum()
}

/// The area of the clipped face, without tolerances and in `f64`, m².
fn exact_area(pair: &Pair) -> f64 {
    let rim = corners_of(&pair.reference, pair.faces[0]);
    let along = widen(&pair.along);
    let mut polygon: Vec<_> =
        corners_of(&pair.incident, pair.faces[1]).iter().map(|v| widen(&pair.place.place(v))).collect();
    for (k, p) in rim.iter().enumerate() {
        let side = (widen(&rim[(k + 1) % rim.len()]) - widen(p)).cross(&along);
        let beyond = |c: &Displacement| side.dot(&(c - widen(p)));
        let mut kept = Vec::new();
        for (i, next) in polygon.iter().enumerate() {
            let this = &polygon[(i + polygon.len() - 1) % polygon.len()];
            let (from, to) = (beyond(this), beyond(next));
            if (from <= 0.0) != (to <= 0.0) {
                kept.push(this + (next - this) * (from / (from - to)));
            }
            if to <= 0.0 {
                kept.push(*next);
            }
        }
        polygon = kept;
    }
    area(&polygon, &along)
}

/// A prism between two polygons of equally many corners, which lie on ellipses.
fn prism() -> impl Strategy<Value = ConvexHull> {
    let shape = (3_usize..=40, 0.1_f32..2.0, 0.1_f32..2.0, 0.1_f32..1.0, -1.0_f32..1.0);
    shape.prop_filter_map("a hull", |(count, width, depth, half, turn)| {
        let ring = |k: usize| {
            let angle = turn + std::f32::consts::TAU * k as Real / count as Real;
            [half, -half].map(|z| Vector3::new(width * angle.cos(), depth * angle.sin(), z))
        };
        ConvexHull::new(&(0..count).flat_map(ring).collect::<Vec<_>>()).ok()
    })
}

/// Faces that may overlap, a part of them the same face all but in its own place, where tolerances decide. The direction is
/// the normal of the first or tilted.
fn pair() -> impl Strategy<Value = Pair> {
    let vector = || prop::array::uniform3(-1.0_f32..1.0).prop_map(|[x, y, z]| Vector3::new(x, y, z));
    let hulls = (prism(), prop_oneof![2 => prism().prop_map(Some), 1 => Just(None)]);
    let faces = (any::<prop::sample::Index>(), any::<prop::sample::Index>());
    let place = (vector(), vector(), prop_oneof![Just(0.0_f32), 0.0_f32..0.5]);
    (hulls, faces, place, vector()).prop_map(
        |((reference, other), (face, other_face), (way, turn, tilt), lean)| {
            let face = face.index(reference.face_count());
            let (incident, other_face, scale) = match other {
                Some(hull) => {
                    let face = other_face.index(hull.face_count());
                    (hull, face, 1.0)
                }
                None => (reference.clone(), face, 1.0e-5),
            };
            let rotation = Rotation::from_scaled_axis(turn * (3.0 * scale));
            let place =
                Placement { rotation: rotation.to_rotation_matrix().into_inner(), translation: way * scale };
            let (normal, _) = reference.plane(face);
            let along = if tilt > 0.0 { (normal + lean * tilt).normalize() } else { normal };
            Pair { reference, incident, faces: [face, other_face], place, along }
        },
    )
}

proptest! {
    /// Every instruction set and both sizes of buffers give the bits of the plain code.
    #[test]
    fn lanes_clip_as_plain_code_does(pair in pair()) {
        let expected = plain(&pair);
        let counts = [pair.reference.corner_count(pair.faces[0]), pair.incident.corner_count(pair.faces[1])];
        for isa in Isa::all() {
            let found = in_lanes::<MAX_CORNERS, MAX_SIDES>(&pair, isa);
            prop_assert_eq!(&found, &expected, "{}", isa.name());
            if has_few(counts) {
                let found = in_lanes::<FEW_CORNERS, FEW_SIDES>(&pair, isa);
                prop_assert_eq!(&found, &expected, "{}, few", isa.name());
            }
        }
    }

    /// What is kept has the area that exact clipping leaves, up to strips as wide as ten times the tolerance.
    #[test]
    fn what_is_kept_has_the_exact_area(pair in pair()) {
        let kept: Vec<_> = in_lanes::<MAX_CORNERS, MAX_SIDES>(&pair, Isa::best())
            .iter()
            .map(|corner| widen(&corner.position))
            .collect();
        let [found, expected] = [area(&kept, &widen(&pair.along)), exact_area(&pair)];
        let [size, other] = [pair.reference.size(), pair.incident.size()].map(f64::from);
        let slack = 10.0 * f64::from(SIDE_TOLERANCE) * size * (size + other);
        prop_assert!((found - expected).abs() <= slack, "{found} instead of {expected}");
    }
}
