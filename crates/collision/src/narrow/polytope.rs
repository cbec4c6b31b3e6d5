//! One view of boxes and hulls, so that the same code serves both.

use super::round_polytope::{Nearest, nearest_of_all, nearest_of_box};
use super::segment::Segment;
use crate::shape::{ConvexHull, HullEdge};
use drystone_math::wide::Lanes;
use drystone_math::{Real, Vector3};

/// A convex polyhedron in its own frame. Loops run counter-clockwise seen from outside.
pub(super) trait Polytope {
    /// Number of faces, edges.
    fn face_count(&self) -> usize;
    fn edge_count(&self) -> usize;
    /// Vertex `index`, m.
    fn vertex(&self, index: usize) -> Vector3;
    /// Unit outward normal of a face, and its distance (m) from the origin along it.
    fn plane(&self, face: usize) -> (Vector3, Real);
    /// Number of corners of a face.
    fn corner_count(&self, face: usize) -> usize;
    /// Vertex index of the corner `k` of a face.
    fn corner(&self, face: usize, k: usize) -> usize;
    /// An edge: its two vertices and two faces.
    fn edge(&self, index: usize) -> HullEdge;
    /// Size, m: the scale of rounding.
    fn size(&self) -> Real;
    /// A point well inside, m.
    fn center(&self) -> Vector3;
    /// Least distance of a face from the centre, m: the scale of preferences.
    fn thinness(&self) -> Real;
    /// The vertex lowest along `direction`, the first of equal ones, and its height (m, for a unit vector).
    fn lowest(&self, direction: &Vector3) -> (usize, Real);
    /// Height of a point above a face, m.
    #[inline]
    fn height(&self, point: &Vector3, face: usize) -> Real {
        let (normal, offset) = self.plane(face);
        normal.dot(point) - offset
    }
    /// Lowers `heights[f]` to the height of `point` above face `f`, m; the face then highest and its height.
    #[inline]
    fn lower(&self, point: &Vector3, heights: &mut [Real; MAX_FACES]) -> (usize, Real) {
        let mut highest = (0, Real::NEG_INFINITY);
        for (face, height) in heights.iter_mut().enumerate().take(self.face_count()) {
            *height = height.min(self.height(point, face));
            if *height > highest.1 {
                highest = (face, *height);
            }
        }
        highest
    }
    /// The closest points of the polytope and a segment outside of it.
    fn nearest_to(&self, core: &Segment) -> Option<Nearest>;
    /// [`Polytope::lowest`] with an instruction set.
    #[inline(always)]
    fn lowest_in<L: Lanes>(&self, _: L, direction: &Vector3) -> (usize, Real)
    where
        Self: Sized,
    {
        self.lowest(direction)
    }
    /// [`Polytope::lower`] with an instruction set.
    #[inline(always)]
    fn lower_in<L: Lanes>(&self, _: L, point: &Vector3, heights: &mut [Real; MAX_FACES]) -> (usize, Real)
    where
        Self: Sized,
    {
        self.lower(point, heights)
    }
    /// Sets bit `bit` (below [`MAX_MARKS`]) of `sides[f]`, a whole number, for every face that `point` is at most
    /// `limit` (m) above.
    #[inline(always)]
    fn mark_below_in<L: Lanes>(
        &self,
        _: L,
        point: &Vector3,
        limit: Real,
        bit: u32,
        sides: &mut [Real; MAX_FACES],
    ) where
        Self: Sized,
    {
        for (face, side) in sides.iter_mut().enumerate().take(self.face_count()) {
            if self.height(point, face) <= limit {
                *side += (1_u32 << bit) as Real;
            }
        }
    }
    /// The face whose normal goes along `direction` most, the first of equal ones.
    fn most_aligned(&self, direction: &Vector3) -> usize;
    /// Of the faces at a vertex the one whose normal goes against `direction` most, the first of equal ones.
    fn facing_at(&self, vertex: usize, direction: &Vector3) -> usize;
}

/// Most faces of a polytope that separating axes are taken of: bounds buffers.
pub(super) const MAX_FACES: usize = 64;
/// Bits of a whole number that fit into the fraction of `f32`.
pub(super) const MAX_MARKS: usize = 23;

/// Of `faces` the one whose normal goes against `direction` most, the first of equal ones.
#[inline]
pub(super) fn most_facing(
    polytope: &impl Polytope,
    faces: impl Iterator<Item = usize>,
    direction: &Vector3,
) -> usize {
    let mut facing = (0, Real::INFINITY);
    for face in faces {
        let cosine = polytope.plane(face).0.dot(direction);
        if cosine < facing.1 {
            facing = (face, cosine);
        }
    }
    facing.0
}

impl Polytope for ConvexHull {
    #[inline]
    fn face_count(&self) -> usize {
        self.faces.len()
    }
    #[inline]
    fn edge_count(&self) -> usize {
        self.edges.len()
    }
    #[inline]
    fn vertex(&self, index: usize) -> Vector3 {
        self.vertices[index]
    }
    #[inline]
    fn plane(&self, face: usize) -> (Vector3, Real) {
        let face = &self.faces[face];
        (face.normal, face.offset)
    }
    #[inline]
    fn corner_count(&self, face: usize) -> usize {
        self.faces[face].count as usize
    }
    #[inline]
    fn corner(&self, face: usize, k: usize) -> usize {
        self.face_vertices[self.faces[face].first as usize + k] as usize
    }
    #[inline]
    fn edge(&self, index: usize) -> HullEdge {
        self.edges[index]
    }
    #[inline]
    fn size(&self) -> Real {
        self.radius
    }
    #[inline]
    fn center(&self) -> Vector3 {
        self.unit_mass.center
    }
    #[inline]
    fn thinness(&self) -> Real {
        self.lanes.thinness
    }
    #[inline]
    fn lowest(&self, direction: &Vector3) -> (usize, Real) {
        self.lanes.lowest(direction)
    }
    fn nearest_to(&self, core: &Segment) -> Option<Nearest> {
        nearest_of_all(self, core)
    }
    #[inline]
    fn lower(&self, point: &Vector3, heights: &mut [Real; MAX_FACES]) -> (usize, Real) {
        self.lanes.lower(point, heights)
    }
    #[inline(always)]
    fn lowest_in<L: Lanes>(&self, lanes: L, direction: &Vector3) -> (usize, Real) {
        self.lanes.lowest_in(lanes, direction)
    }
    #[inline(always)]
    fn lower_in<L: Lanes>(
        &self,
        lanes: L,
        point: &Vector3,
        heights: &mut [Real; MAX_FACES],
    ) -> (usize, Real) {
        self.lanes.lower_in(lanes, point, heights)
    }
    #[inline(always)]
    fn mark_below_in<L: Lanes>(
        &self,
        lanes: L,
        point: &Vector3,
        limit: Real,
        bit: u32,
        sides: &mut [Real; MAX_FACES],
    ) {
        self.lanes.mark_below_in(lanes, point, limit, bit, sides);
    }
    #[inline]
    fn most_aligned(&self, direction: &Vector3) -> usize {
        self.lanes.most_aligned(direction)
    }
    #[inline]
    fn facing_at(&self, vertex: usize, direction: &Vector3) -> usize {
        most_facing(self, self.lanes.faces_at(vertex).iter().map(|f| *f as usize), direction)
    }
}

/// A box as a polytope. Bits 0, 1 and 2 of a vertex are set where its x, y and z are negative; face
/// `2 i` looks along axis `i` and face `2 i + 1` against it.
#[derive(Clone, Copy, Debug)]
pub(super) struct BoxPolytope {
    /// Half the edge lengths, m.
    pub half_extents: Vector3,
}

/// Corners of the faces of a box.
const BOX_CORNERS: [[u8; 4]; 6] =
    [[0, 2, 6, 4], [1, 5, 7, 3], [0, 4, 5, 1], [2, 3, 7, 6], [0, 1, 3, 2], [4, 6, 7, 5]];

/// Edges of a box: two vertices, face on the left, face on the right.
const BOX_EDGES: [[u8; 4]; 12] = [
    [0, 1, 4, 2],
    [2, 3, 3, 4],
    [4, 5, 2, 5],
    [6, 7, 5, 3],
    [0, 2, 0, 4],
    [1, 3, 4, 1],
    [4, 6, 5, 0],
    [5, 7, 1, 5],
    [0, 4, 2, 0],
    [1, 5, 1, 2],
    [2, 6, 0, 3],
    [3, 7, 3, 1],
];

impl Polytope for BoxPolytope {
    #[inline]
    fn face_count(&self) -> usize {
        6
    }
    #[inline]
    fn edge_count(&self) -> usize {
        12
    }
    #[inline]
    fn vertex(&self, index: usize) -> Vector3 {
        let h = &self.half_extents;
        let signed = |bit: usize, value: Real| if index >> bit & 1 == 1 { -value } else { value };
        Vector3::new(signed(0, h.x), signed(1, h.y), signed(2, h.z))
    }
    #[inline]
    fn plane(&self, face: usize) -> (Vector3, Real) {
        let mut normal = Vector3::zeros();
        normal[face / 2] = if face.is_multiple_of(2) { 1.0 } else { -1.0 };
        (normal, self.half_extents[face / 2])
    }
    #[inline]
    fn corner_count(&self, _face: usize) -> usize {
        4
    }
    #[inline]
    fn corner(&self, face: usize, k: usize) -> usize {
        usize::from(BOX_CORNERS[face][k])
    }
    #[inline]
    fn edge(&self, index: usize) -> HullEdge {
        let [v0, v1, left, right] = BOX_EDGES[index].map(u32::from);
        HullEdge { vertices: [v0, v1], faces: [left, right] }
    }
    #[inline]
    fn size(&self) -> Real {
        self.half_extents.norm()
    }
    #[inline]
    fn center(&self) -> Vector3 {
        Vector3::zeros()
    }
    #[inline]
    fn thinness(&self) -> Real {
        self.half_extents.min()
    }
    #[inline]
    fn lowest(&self, direction: &Vector3) -> (usize, Real) {
        let bit = |axis: usize| usize::from(direction[axis] > 0.0) << axis;
        (bit(0) | bit(1) | bit(2), -self.half_extents.dot(&direction.abs()))
    }
    fn nearest_to(&self, core: &Segment) -> Option<Nearest> {
        nearest_of_box(self, core)
    }
    #[inline]
    fn height(&self, point: &Vector3, face: usize) -> Real {
        let along = point[face / 2];
        if face.is_multiple_of(2) {
            along - self.half_extents[face / 2]
        } else {
            -along - self.half_extents[face / 2]
        }
    }
    #[inline]
    fn most_aligned(&self, direction: &Vector3) -> usize {
        most_facing(self, 0..6, &-direction)
    }
    #[inline]
    fn facing_at(&self, vertex: usize, direction: &Vector3) -> usize {
        most_facing(self, [0, 1, 2].map(|axis| 2 * axis + (vertex >> axis & 1)).into_iter(), direction)
    }
}

impl BoxPolytope {
    /// The edge at a vertex that runs along an axis.
    #[inline]
    pub(super) fn edge_at(vertex: usize, axis: usize) -> usize {
        let [x, y, z] = [vertex & 1, vertex >> 1 & 1, vertex >> 2 & 1];
        match axis {
            0 => y | z << 1,
            1 => 4 + (x | z << 1),
            _ => 8 + (x | y << 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tables agree with the geometry: corners on their planes in the right sense, edges between the
    /// faces that hold both ends, each on its side.
    #[test]
    fn box_tables_describe_a_box() {
        let cuboid = BoxPolytope { half_extents: Vector3::new(1.0, 2.0, 3.0) };
        for face in 0..6 {
            let (normal, offset) = cuboid.plane(face);
            let corner = |k: usize| cuboid.vertex(cuboid.corner(face, k % 4));
            for k in 0..4 {
                assert_eq!(normal.dot(&corner(k)), offset);
                let turn = (corner(k + 1) - corner(k)).cross(&(corner(k + 2) - corner(k + 1)));
                assert!(turn.dot(&normal) > 0.0, "face {face} corner {k}");
            }
        }
        for e in 0..12 {
            let edge = cuboid.edge(e);
            let [v0, v1] = edge.vertices.map(|v| cuboid.vertex(v as usize));
            assert_eq!((v1 - v0).iter().filter(|x| **x != 0.0).count(), 1);
            for vertex in edge.vertices {
                assert_eq!(BoxPolytope::edge_at(vertex as usize, (v1 - v0).iamax()), e);
            }
            for (side, face) in edge.faces.into_iter().enumerate() {
                let (normal, offset) = cuboid.plane(face as usize);
                assert!(normal.dot(&v0) == offset && normal.dot(&v1) == offset, "edge {e} face {face}");
                // The left face's loop runs along the edge, the right one's against it.
                let corners: Vec<_> = (0..4).map(|k| cuboid.corner(face as usize, k) as u32).collect();
                let at = corners.iter().position(|v| *v == edge.vertices[side]).expect("corner of its face");
                assert_eq!(corners[(at + 1) % 4], edge.vertices[1 - side], "edge {e} side {side}");
            }
        }
    }
}
