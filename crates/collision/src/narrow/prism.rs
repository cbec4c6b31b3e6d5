//! A triangle of a surface, and the wedge of solid behind it.

use super::polytope::{Polytope, most_facing};
use super::round_polytope::{Nearest, nearest_of_all};
use super::segment::{Segment, unit};
use crate::shape::HullEdge;
use drystone_math::{Real, Vector3, narrow, widen};

/// A triangle of a surface seen from the origin of the other shape: axes of the surface.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facet {
    /// Corners, m, counter-clockwise seen from the front.
    pub corners: [Vector3; 3],
    /// Unit normal, out of the front.
    pub normal: Vector3,
}

impl Facet {
    /// The triangle with `corners` (m, frame of the surface) seen from `origin` (m, there). The normal does not depend on it.
    #[inline]
    pub(super) fn new(corners: &[Vector3; 3], origin: &drystone_math::Displacement) -> Self {
        let [a, b, c] = corners.map(|v| widen(&v));
        let normal = (b - a).cross(&(c - a));
        // Surfaces hold no triangle without area, so there is a direction.
        let normal = narrow(&(normal / normal.norm().max(f64::MIN_POSITIVE)));
        Self { corners: [a, b, c].map(|v| narrow(&(v - origin))), normal }
    }

    /// Height of `point` above the plane, m.
    #[inline]
    pub(super) fn height(&self, point: &Vector3) -> Real {
        self.normal.dot(&(point - self.corners[0]))
    }

    /// The point of the triangle nearest to `p`, m, and whether it lies inside of all edges.
    ///
    /// Source: Ericson, "Real-Time Collision Detection", section 5.1.5, regions of Voronoi.
    pub(super) fn closest(&self, p: &Vector3) -> (Vector3, bool) {
        let [a, b, c] = &self.corners;
        let (ab, ac, ap) = (b - a, c - a, p - a);
        let (d1, d2) = (ab.dot(&ap), ac.dot(&ap));
        if d1 <= 0.0 && d2 <= 0.0 {
            return (*a, false);
        }
        let bp = p - b;
        let (d3, d4) = (ab.dot(&bp), ac.dot(&bp));
        if d3 >= 0.0 && d4 <= d3 {
            return (*b, false);
        }
        let vc = d1 * d4 - d3 * d2;
        if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
            return (a + ab * (d1 / (d1 - d3)), false);
        }
        let cp = p - c;
        let (d5, d6) = (ab.dot(&cp), ac.dot(&cp));
        if d6 >= 0.0 && d5 <= d6 {
            return (*c, false);
        }
        let vb = d5 * d2 - d1 * d6;
        if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
            return (a + ac * (d2 / (d2 - d6)), false);
        }
        let va = d3 * d6 - d5 * d4;
        if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
            return (b + (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6))), false);
        }
        // From the plane, not from the areas: the height is then exact.
        (p - self.normal * self.height(p), true)
    }
}

/// The wedge behind a triangle: the triangle swept against its normal. Vertices 0 to 2 are the corners, 3 to 5 lie
/// behind them; face 0 is the front, 1 the back, 2 to 4 the sides from corner `k` to `k + 1`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prism {
    vertices: [Vector3; 6],
    planes: [(Vector3, Real); 5],
    center: Vector3,
    size: Real,
    thinness: Real,
}

/// Corners of the faces, counter-clockwise seen from outside.
const CORNERS: [&[u8]; 5] = [&[0, 1, 2], &[3, 5, 4], &[0, 3, 4, 1], &[1, 4, 5, 2], &[2, 5, 3, 0]];

/// Edges: two vertices, face on the left, face on the right.
const EDGES: [[u8; 4]; 9] = [
    [0, 1, 0, 2],
    [1, 2, 0, 3],
    [2, 0, 0, 4],
    [3, 4, 2, 1],
    [4, 5, 3, 1],
    [5, 3, 4, 1],
    [0, 3, 2, 4],
    [1, 4, 3, 2],
    [2, 5, 4, 3],
];

impl Prism {
    /// The wedge behind `facet`, `depth` (m) deep, for contacts with something of `size` (m): the scale of all tolerances, however
    /// large the triangle is.
    pub(super) fn new(facet: &Facet, depth: Real, size: Real) -> Self {
        let (n, [a, b, c]) = (facet.normal, facet.corners);
        let down = n * depth;
        let vertices = [a, b, c, a - down, b - down, c - down];
        let center = (a + b + c) / 3.0 - down * 0.5;
        let mut planes = [(n, n.dot(&a)), (-n, depth - n.dot(&a)), (n, 0.0), (n, 0.0), (n, 0.0)];
        let mut thinness = 0.5 * depth;
        for (k, (from, to)) in [(a, b), (b, c), (c, a)].into_iter().enumerate() {
            // An edge has a length, as the triangle has an area.
            let side = unit(&(to - from).cross(&n)).map_or(n, |(side, _)| side);
            planes[2 + k] = (side, side.dot(&from));
            thinness = thinness.min(side.dot(&(from - center)));
        }
        Self { vertices, planes, center, size, thinness }
    }
}

impl Polytope for Prism {
    #[inline]
    fn face_count(&self) -> usize {
        5
    }
    #[inline]
    fn edge_count(&self) -> usize {
        9
    }
    #[inline]
    fn vertex(&self, index: usize) -> Vector3 {
        self.vertices[index]
    }
    #[inline]
    fn plane(&self, face: usize) -> (Vector3, Real) {
        self.planes[face]
    }
    #[inline]
    fn corner_count(&self, face: usize) -> usize {
        CORNERS[face].len()
    }
    #[inline]
    fn corner(&self, face: usize, k: usize) -> usize {
        usize::from(CORNERS[face][k])
    }
    #[inline]
    fn edge(&self, index: usize) -> HullEdge {
        let [v0, v1, left, right] = EDGES[index].map(u32::from);
        HullEdge { vertices: [v0, v1], faces: [left, right] }
    }
    #[inline]
    fn size(&self) -> Real {
        self.size
    }
    #[inline]
    fn center(&self) -> Vector3 {
        self.center
    }
    #[inline]
    fn thinness(&self) -> Real {
        self.thinness
    }
    #[inline]
    fn lowest(&self, direction: &Vector3) -> (usize, Real) {
        let mut lowest = (0, Real::INFINITY);
        for (i, vertex) in self.vertices.iter().enumerate() {
            let height = vertex.dot(direction);
            if height < lowest.1 {
                lowest = (i, height);
            }
        }
        lowest
    }
    fn nearest_to(&self, core: &Segment) -> Option<Nearest> {
        nearest_of_all(self, core)
    }
    #[inline]
    fn most_aligned(&self, direction: &Vector3) -> usize {
        most_facing(self, 0..5, &-direction)
    }
    #[inline]
    fn facing_at(&self, vertex: usize, direction: &Vector3) -> usize {
        let (flat, k) = (usize::from(vertex > 2), vertex % 3);
        most_facing(self, [flat, 2 + k, 2 + (k + 2) % 3].into_iter(), direction)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_math::Displacement;

    fn facet() -> Facet {
        let corners = [[1.0, 2.0, 3.0], [2.5, 2.25, 3.5], [1.5, 4.0, 2.0]].map(Vector3::from);
        Facet::new(&corners, &Displacement::new(0.5, 0.25, -1.0))
    }

    /// The tables agree with the geometry, as those of the box do.
    #[test]
    fn prism_tables_describe_a_closed_wedge() {
        let prism = Prism::new(&facet(), 0.75, 1.0);
        for face in 0..5 {
            let (normal, offset) = prism.plane(face);
            let count = prism.corner_count(face);
            let corner = |k: usize| prism.vertex(prism.corner(face, k % count));
            for k in 0..count {
                assert!((normal.dot(&corner(k)) - offset).abs() < 1e-5, "face {face} corner {k}");
                let turn = (corner(k + 1) - corner(k)).cross(&(corner(k + 2) - corner(k + 1)));
                assert!(turn.dot(&normal) > 0.0, "face {face} corner {k}");
            }
            assert!(prism.height(&prism.center(), face) <= -prism.thinness() + 1e-6);
        }
        for e in 0..9 {
            let edge = prism.edge(e);
            for (side, face) in edge.faces.into_iter().enumerate() {
                let face = face as usize;
                let corners: Vec<_> =
                    (0..prism.corner_count(face)).map(|k| prism.corner(face, k) as u32).collect();
                let at = corners.iter().position(|v| *v == edge.vertices[side]).expect("corner of its face");
                assert_eq!(
                    corners[(at + 1) % corners.len()],
                    edge.vertices[1 - side],
                    "edge {e} side {side}"
                );
            }
        }
    }

    /// The nearest point of all regions against a search over the triangle.
    #[test]
    fn the_nearest_point_is_nearest() {
        let facet = facet();
        let [a, b, c] = facet.corners;
        for i in 0..200 {
            let p = Vector3::new((i * 7 % 13) as Real - 5.0, (i * 5 % 11) as Real - 4.0, (i % 9) as Real);
            let (closest, is_inside) = facet.closest(&p);
            let distance = (p - closest).norm();
            let steps = 60;
            for j in 0..=steps {
                for k in 0..=steps - j {
                    let (u, v) = (j as Real / steps as Real, k as Real / steps as Real);
                    let q = a + (b - a) * u + (c - a) * v;
                    assert!(distance <= (p - q).norm() + 1e-4, "{p:?}");
                }
            }
            assert!(facet.height(&closest).abs() < 1e-4);
            assert!(!is_inside || (facet.height(&p).abs() - distance).abs() < 1e-4);
        }
    }
}
