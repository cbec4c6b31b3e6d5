//! Separating axes of two polytopes: the widest face of each and the widest crossing of two edges.

use super::polytope::{MAX_MARKS, Polytope};
use drystone_math::wide::{Isa, Kernel, LANES, Lanes};
use drystone_math::{Matrix3, Real, RelativePose, Vector3};

pub(super) use super::polytope::MAX_FACES;
/// Most edges of a polytope with that many faces (Euler, three edges or more at every vertex).
const MAX_EDGES: usize = 3 * MAX_FACES - 6;
/// Edges of B turned into the frame of A at a time: more than take part in most pairs.
const EDGES_AT_ONCE: usize = 8;
/// The bits of a float that hold marks: its fraction.
const MARKS: u32 = (1 << MAX_MARKS) - 1;
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

    /// A's frame seen from B.
    pub(super) fn inverse(&self) -> Self {
        let rotation = self.rotation.transpose();
        Self { rotation, translation: -(rotation * self.translation) }
    }

    /// A point of B (m) in A's frame.
    #[inline]
    pub(super) fn place(&self, point: &Vector3) -> Vector3 {
        self.rotation * point + self.translation
    }
}

/// A face axis: its index, the vertex of the other polytope lowest along its normal and the signed gap, m.
#[derive(Clone, Copy, Debug)]
pub(super) struct FaceAxis {
    pub face: usize,
    pub lowest: usize,
    pub separation: Real,
}

/// A crossing of two edges: their indices, the unit axis from A to B in A's frame, the signed gap, m.
#[derive(Clone, Copy, Debug)]
pub(super) struct EdgeAxis {
    pub edges: [usize; 2],
    pub normal: Vector3,
    pub separation: Real,
}

/// The axis of face `face` of A.
#[inline]
pub(super) fn axis_of_a(a: &impl Polytope, b: &impl Polytope, place: &Placement, face: usize) -> FaceAxis {
    let (normal, offset) = a.plane(face);
    let (lowest, height) = b.lowest(&place.rotation.tr_mul(&normal));
    FaceAxis { face, lowest, separation: height + normal.dot(&place.translation) - offset }
}

/// The axis of face `face` of B.
#[inline]
pub(super) fn axis_of_b(a: &impl Polytope, b: &impl Polytope, place: &Placement, face: usize) -> FaceAxis {
    let (normal, offset) = b.plane(face);
    let turned = place.rotation * normal;
    let (lowest, height) = a.lowest(&turned);
    FaceAxis { face, lowest, separation: height - turned.dot(&place.translation) - offset }
}

/// Points of one polytope found lowest along faces of the other, in the other's frame, m.
pub(super) struct Witnesses {
    points: [Vector3; MAX_MARKS],
    count: usize,
}

impl Witnesses {
    /// None yet.
    pub(super) fn new() -> Self {
        Self { points: [Vector3::zeros(); MAX_MARKS], count: 0 }
    }
}

/// The face of `reference` along which `other` is farthest out, and in `witnesses`, empty at first, the points that show
/// it; stops at the first face above `margin` (m). `start` is the face to look at first: with that of the last step one
/// or two vertices of `other` are looked for. Of equal faces one is taken.
///
/// Method: cutting planes. The height of any point of `other` above a face is an upper bound of the separation there.
/// The face whose bound is largest gets its true separation, from its lowest vertex, and that vertex lowers the bounds
/// of all faces; it ends when no bound is above the best separation. At most as many rounds as there are faces.
pub(super) struct WidestFace<'a, A, B> {
    pub reference: &'a A,
    pub other: &'a B,
    /// Where `other` is in the frame of `reference`.
    pub place: &'a Placement,
    pub start: Option<usize>,
    pub margin: Real,
    pub witnesses: &'a mut Witnesses,
}

impl<A: Polytope, B: Polytope> Kernel for WidestFace<'_, A, B> {
    type Output = FaceAxis;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> Self::Output {
        let Self { reference, other, place, start, margin, witnesses } = self;
        let mut bounds = [Real::INFINITY; MAX_FACES];
        let mut face = match start {
            Some(face) => face,
            None => reference.lower_in(lanes, &place.place(&other.center()), &mut bounds).0,
        };
        let mut best = FaceAxis { face, lowest: 0, separation: Real::NEG_INFINITY };
        for _ in 0..reference.face_count() {
            let (normal, _) = reference.plane(face);
            let (lowest, _) = other.lowest_in(lanes, &place.rotation.tr_mul(&normal));
            let point = place.place(&other.vertex(lowest));
            if let Some(slot) = witnesses.points.get_mut(witnesses.count) {
                *slot = point;
                witnesses.count += 1;
            }
            let (highest, bound) = reference.lower_in(lanes, &point, &mut bounds);
            let separation = bounds[face % MAX_FACES];
            if separation > best.separation {
                best = FaceAxis { face, lowest, separation };
            }
            if separation > margin || bound <= best.separation {
                break;
            }
            face = highest;
        }
        best
    }
}

/// The crossing of an edge of A and an edge of B with the largest separation above `floor` (m); stops at
/// the first one above `margin`. `witnesses` are those of A's faces, in A's frame, and of B's, in B's.
///
/// Source: Gregorius, "The Separating Axis Test between Convex Polyhedra", GDC 2013. Two edges span a face
/// of the Minkowski difference exactly if the arcs between the normals of their faces cross on the Gauss
/// map, B's reflected. With left and right normals L and R and edge directions e that is
/// ```text
/// (L_b·e_a)(R_b·e_a) < 0    (L_a·e_b)(R_a·e_b) < 0    (L_b·e_a)(R_a·e_b) < 0
/// ```
/// Most edges cannot take part; see [`EdgesThatMayBeat`].
pub(super) fn widest_crossing(
    a: &impl Polytope,
    b: &impl Polytope,
    place: &Placement,
    witnesses: [&Witnesses; 2],
    floor: Real,
    margin: Real,
    isa: Isa,
) -> Option<EdgeAxis> {
    let of_a = isa.run(EdgesThatMayBeat { polytope: a, witnesses: witnesses[0], floor });
    if of_a.count == 0 {
        return None;
    }
    let of_b = isa.run(EdgesThatMayBeat { polytope: b, witnesses: witnesses[1], floor });
    let mut best: Option<EdgeAxis> = None;
    let mut threshold = floor;
    for chunk in of_b.list().chunks(EDGES_AT_ONCE) {
        let mut turned = [TurnedEdge::default(); EDGES_AT_ONCE];
        for (turned, &j) in turned.iter_mut().zip(chunk) {
            *turned = TurnedEdge::new(b, usize::from(j), place);
        }
        for i in of_a.list().iter().map(|i| usize::from(*i)) {
            let edge = a.edge(i);
            let normals_a = edge.faces.map(|f| a.plane(f as usize).0);
            let [from_a, to_a] = edge.vertices.map(|v| a.vertex(v as usize));
            let along_a = to_a - from_a;
            for (edge_b, &j) in turned.iter().zip(chunk) {
                let slopes = edge_b.normals.map(|normal| normal.dot(&along_a));
                if slopes[0] * slopes[1] >= 0.0 {
                    continue;
                }
                let Some(normal) = crossing_normal(&along_a, &edge_b.along, &normals_a, slopes[0]) else {
                    continue;
                };
                let separation = normal.dot(&(edge_b.from - from_a));
                if separation > threshold {
                    threshold = separation;
                    best = Some(EdgeAxis { edges: [i, usize::from(j)], normal, separation });
                    if separation > margin {
                        return best;
                    }
                }
            }
        }
    }
    best
}

/// The crossing of edge `i` of A and edge `j` of B, where it is one: see [`widest_crossing`].
pub(super) fn crossing(
    a: &impl Polytope,
    b: &impl Polytope,
    place: &Placement,
    [i, j]: [usize; 2],
) -> Option<EdgeAxis> {
    let (edge, edge_b) = (a.edge(i), TurnedEdge::new(b, j, place));
    let [from_a, to_a] = edge.vertices.map(|v| a.vertex(v as usize));
    let along_a = to_a - from_a;
    let slopes = edge_b.normals.map(|normal| normal.dot(&along_a));
    if slopes[0] * slopes[1] >= 0.0 {
        return None;
    }
    let normals_a = edge.faces.map(|f| a.plane(f as usize).0);
    let normal = crossing_normal(&along_a, &edge_b.along, &normals_a, slopes[0])?;
    Some(EdgeAxis { edges: [i, j], normal, separation: normal.dot(&(edge_b.from - from_a)) })
}

/// An edge of B in the frame of A.
#[derive(Clone, Copy, Default)]
struct TurnedEdge {
    /// Normals of its faces, left and right.
    normals: [Vector3; 2],
    /// Its first vertex, m, and the way to the second.
    from: Vector3,
    along: Vector3,
}

impl TurnedEdge {
    fn new(b: &impl Polytope, index: usize, place: &Placement) -> Self {
        let edge = b.edge(index);
        let [from, to] = edge.vertices.map(|v| b.vertex(v as usize));
        Self {
            normals: edge.faces.map(|f| place.rotation * b.plane(f as usize).0),
            from: place.place(&from),
            along: place.rotation * (to - from),
        }
    }
}

/// Edges of a polytope.
struct Edges {
    list: [u8; MAX_EDGES],
    count: usize,
}

impl Edges {
    fn list(&self) -> &[u8] {
        &self.list[..self.count]
    }
}

/// The edges of a polytope that may have a supporting direction along which the other polytope, which holds the points of
/// `witnesses`, is more than `floor` (m) out.
///
/// Such a direction n = α n₁ + β n₂ lies between the normals of the edge's faces, with α, β ≥ 0 and, as it is of unit
/// length, α + β ≥ 1. A point of the other polytope at heights h₁ and h₂ above the two faces is at the height
/// α h₁ + β h₂ above the edge along n. Where both are at most `limit` = min(`floor`, 0), that is at most
/// (α + β) `limit` ≤ `floor`. So one such point rules the edge out.
struct EdgesThatMayBeat<'a, P> {
    polytope: &'a P,
    witnesses: &'a Witnesses,
    floor: Real,
}

impl<P: Polytope> Kernel for EdgesThatMayBeat<'_, P> {
    type Output = Edges;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> Edges {
        let Self { polytope, witnesses, floor } = self;
        let limit = floor.min(0.0);
        // Whole numbers added to 2^23 stand in the last bits of the float.
        let mut sides = [8_388_608.0; MAX_FACES];
        let mut bit = 0;
        while bit < witnesses.count {
            polytope.mark_below_in(lanes, &witnesses.points[bit], limit, bit as u32, &mut sides);
            bit += 1;
        }
        let mut edges = Edges { list: [0; MAX_EDGES], count: 0 };
        if is_any_on_all(&sides, polytope.face_count()) {
            return edges;
        }
        for e in 0..polytope.edge_count().min(MAX_EDGES) {
            let [left, right] = polytope.edge(e).faces;
            let (left, right) = (sides[left as usize % MAX_FACES], sides[right as usize % MAX_FACES]);
            edges.list[edges.count] = e as u8;
            edges.count += usize::from(left.to_bits() & right.to_bits() & MARKS == 0);
        }
        edges
    }
}

/// Whether some mark is on all faces: then it rules out every edge. Blocks of eight are looked at: where the last one is
/// marked in part only, the answer is no.
#[inline(always)]
fn is_any_on_all(sides: &[Real; MAX_FACES], face_count: usize) -> bool {
    let mut on_all = [MARKS; LANES];
    for block in sides.as_chunks::<LANES>().0.iter().take(face_count.div_ceil(LANES)) {
        for (on_all, side) in on_all.iter_mut().zip(block) {
            *on_all &= side.to_bits();
        }
    }
    on_all.iter().fold(MARKS, |all, marks| all & marks) != 0
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
