//! Separating axes of two polytopes: the widest face of each and the widest crossing of two edges.

use super::polytope::Polytope;
use drystone_math::{Matrix3, Real, RelativePose, Vector3};

/// Most faces of a polytope that this test takes: bounds its buffers and its quadratic edge loop.
pub(super) const MAX_FACES: usize = 64;
/// Most edges of a polytope with that many faces (Euler, three edges or more at every vertex).
const MAX_EDGES: usize = 3 * MAX_FACES - 6;
/// Edges whose angle has a smaller squared sine than this span no axis; see `box_box`.
const PARALLEL_SINE_SQUARED: Real = 1.0e-5;

/// B's frame seen from A, with the rotation as a matrix.
pub(super) struct Placement {
    pub rotation: Matrix3,
    pub translation: Vector3,
}

impl Placement {
    pub(super) fn new(pose: &RelativePose) -> Self {
        Self { rotation: pose.rotation.to_rotation_matrix().into_inner(), translation: pose.translation }
    }

    /// A point of B (m) in A's frame.
    #[inline]
    pub(super) fn place(&self, point: &Vector3) -> Vector3 {
        self.rotation * point + self.translation
    }
}

/// A face axis: its index and the signed gap along its normal, m.
#[derive(Clone, Copy, Debug)]
pub(super) struct FaceAxis {
    pub face: usize,
    pub separation: Real,
}

/// A crossing of two edges: their indices, the unit axis from A to B in A's frame, the signed gap, m.
#[derive(Clone, Copy, Debug)]
pub(super) struct EdgeAxis {
    pub edges: [usize; 2],
    pub normal: Vector3,
    pub separation: Real,
}

/// Signed gap along face `face` of A, m.
#[inline]
pub(super) fn separation_of_a(a: &impl Polytope, b: &impl Polytope, place: &Placement, face: usize) -> Real {
    let (normal, offset) = a.plane(face);
    b.lowest(&place.rotation.tr_mul(&normal)).1 + normal.dot(&place.translation) - offset
}

/// Signed gap along face `face` of B, m.
#[inline]
pub(super) fn separation_of_b(a: &impl Polytope, b: &impl Polytope, place: &Placement, face: usize) -> Real {
    let (normal, offset) = b.plane(face);
    let turned = place.rotation * normal;
    a.lowest(&turned).1 - turned.dot(&place.translation) - offset
}

/// The face of largest separation, the first of equal ones; stops at the first one above `margin`.
#[inline]
pub(super) fn widest_face(count: usize, margin: Real, separation: impl Fn(usize) -> Real) -> FaceAxis {
    let mut best = FaceAxis { face: 0, separation: Real::NEG_INFINITY };
    for face in 0..count {
        let separation = separation(face);
        if separation > best.separation {
            best = FaceAxis { face, separation };
            if separation > margin {
                break;
            }
        }
    }
    best
}

/// The crossing of an edge of A and an edge of B with the largest separation above `floor` (m); stops at
/// the first one above `margin`. `B` has at most [`MAX_FACES`] faces.
///
/// Source: Gregorius, "The Separating Axis Test between Convex Polyhedra", GDC 2013. Two edges span a face
/// of the Minkowski difference exactly if the arcs between the normals of their faces cross on the Gauss
/// map, B's reflected. With left and right normals L and R and edge directions e that is
/// ```text
/// (L_b·e_a)(R_b·e_a) < 0    (L_a·e_b)(R_a·e_b) < 0    (L_b·e_a)(R_a·e_b) < 0
/// ```
/// Most edges cannot take part: along an axis of separation s the centre of B is at least s plus B's
/// inner radius beyond A's edge. Where `floor` leaves that positive, one of the edge's two faces must see
/// the centre of B; and the same with the roles exchanged.
pub(super) fn widest_crossing(
    a: &impl Polytope,
    b: &impl Polytope,
    place: &Placement,
    floor: Real,
    margin: Real,
) -> Option<EdgeAxis> {
    let mut facing = Facing::new(a, b, place, floor + a.thinness() < 0.0);
    let takes_all_of_a = floor + b.thinness() < 0.0;
    let center_b = place.place(&b.center());
    let mut best: Option<EdgeAxis> = None;
    let mut threshold = floor;
    for i in 0..a.edge_count() {
        let edge = a.edge(i);
        let planes = edge.faces.map(|f| a.plane(f as usize));
        if !takes_all_of_a && planes.iter().all(|(normal, offset)| normal.dot(&center_b) <= *offset) {
            continue;
        }
        let normals_a = planes.map(|(normal, _)| normal);
        let [from_a, to_a] = edge.vertices.map(|v| a.vertex(v as usize));
        let along_a = to_a - from_a;
        facing.measure(&along_a);
        for &j in &facing.edges[..facing.edge_count] {
            let edge_b = b.edge(usize::from(j));
            let slopes = edge_b.faces.map(|f| facing.slopes[(f as usize) % MAX_FACES]);
            if slopes[0] * slopes[1] >= 0.0 {
                continue;
            }
            let [from_b, to_b] = edge_b.vertices.map(|v| b.vertex(v as usize));
            let along_b = place.rotation * (to_b - from_b);
            let Some(normal) = crossing_normal(&along_a, &along_b, &normals_a, slopes[0]) else {
                continue;
            };
            let separation = normal.dot(&(place.place(&from_b) - from_a));
            if separation > threshold {
                threshold = separation;
                best = Some(EdgeAxis { edges: [i, usize::from(j)], normal, separation });
                if separation > margin {
                    return best;
                }
            }
        }
    }
    best
}

/// What is known of B's faces and edges in the frame of A.
struct Facing {
    normals: [Vector3; MAX_FACES],
    face_count: usize,
    /// Edges that can take part.
    edges: [u8; MAX_EDGES],
    edge_count: usize,
    /// Per face: its normal times the edge of A looked at.
    slopes: [Real; MAX_FACES],
}

impl Facing {
    /// Turns the normals of B and collects its edges: all, or those with a face that sees A's centre.
    fn new(a: &impl Polytope, b: &impl Polytope, place: &Placement, takes_all: bool) -> Self {
        debug_assert!(b.face_count() <= MAX_FACES, "the caller checks the number of faces");
        let mut facing = Self {
            normals: [Vector3::zeros(); MAX_FACES],
            face_count: b.face_count().min(MAX_FACES),
            edges: [0; MAX_EDGES],
            edge_count: 0,
            slopes: [0.0; MAX_FACES],
        };
        let mut sees = [takes_all; MAX_FACES];
        let center_a = a.center() - place.translation;
        for (face, sees) in sees.iter_mut().enumerate().take(facing.face_count) {
            let (normal, offset) = b.plane(face);
            let turned = place.rotation * normal;
            facing.normals[face] = turned;
            *sees |= turned.dot(&center_a) > offset;
        }
        for e in 0..b.edge_count().min(MAX_EDGES) {
            if b.edge(e).faces.iter().any(|f| sees[(*f as usize) % MAX_FACES]) {
                facing.edges[facing.edge_count] = e as u8;
                facing.edge_count += 1;
            }
        }
        facing
    }

    /// Sets the slopes for the edge of A along `along`.
    fn measure(&mut self, along: &Vector3) {
        for (slope, normal) in self.slopes.iter_mut().zip(&self.normals[..self.face_count]) {
            *slope = normal.dot(along);
        }
    }
}

/// The unit axis square to both edges, out of A, if it is a supporting direction of A's edge (whose faces
/// have the `normals`, left and right) and of B's; `left` is the slope L_b·e_a of [`widest_crossing`].
#[inline]
fn crossing_normal(
    along_a: &Vector3,
    along_b: &Vector3,
    normals: &[Vector3; 2],
    left: Real,
) -> Option<Vector3> {
    let (p, q) = (normals[0].dot(along_b), normals[1].dot(along_b));
    if p * q >= 0.0 || left * q >= 0.0 {
        return None;
    }
    let cross = along_a.cross(along_b);
    let square = cross.norm_squared();
    if square <= PARALLEL_SINE_SQUARED * along_a.norm_squared() * along_b.norm_squared() {
        return None;
    }
    let outward = if cross.dot(&(normals[0] + normals[1])) < 0.0 { -cross } else { cross };
    Some(outward / square.sqrt())
}
