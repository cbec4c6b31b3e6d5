//! Simplices of the Minkowski difference, and the point of one nearest to the origin.

use crate::shape::{Frame, Support};
use drystone_math::{Displacement, RelativePose};

/// A tetrahedron whose volume is below this part of its longest edge cubed counts as flat: a hundred times
/// the rounding of the determinant in `f64`.
const FLAT_VOLUME: f64 = 1.0e-14;
/// A triangle whose area is below this part of its longest edge squared counts as a segment: its normal
/// would have fewer than three digits left.
const FLAT_AREA: f64 = 1.0e-13;

/// A vertex of A − B, and the two vertices it comes from (S5-09).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MinkowskiVertex {
    /// Vertex `a` of A minus vertex `b` of B, m, frame of A.
    pub point: Displacement,
    /// Vertex of A.
    pub a: u32,
    /// Vertex of B.
    pub b: u32,
}

impl MinkowskiVertex {
    /// True when both come from the same two vertices.
    #[inline]
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.a == other.a && self.b == other.b
    }
}

/// The Minkowski difference A − B of two polytopes, in the frame of A.
pub(crate) struct Difference<'s, A, B> {
    pub(crate) a: &'s A,
    pub(crate) b: &'s B,
    /// The frame of B in that of A.
    pub(crate) frame: Frame,
}

impl<'s, A: Support, B: Support> Difference<'s, A, B> {
    pub(crate) fn new(a: &'s A, b: &'s B, b_in_a: &RelativePose) -> Self {
        Self { a, b, frame: Frame::new(b_in_a) }
    }

    /// The vertex of A − B from vertex `a` of A and vertex `b` of B.
    #[inline]
    pub(crate) fn vertex(&self, a: u32, b: u32) -> MinkowskiVertex {
        MinkowskiVertex { point: self.a.vertex(a) - self.point_of_b(b), a, b }
    }

    /// Vertex `b` of B, m, frame of A.
    #[inline]
    pub(crate) fn point_of_b(&self, b: u32) -> Displacement {
        self.frame.place(&self.b.vertex(b))
    }

    /// A vertex of A − B farthest along `direction`, looked for from the two vertices of `near`.
    #[inline]
    pub(crate) fn support(&self, direction: &Displacement, near: &MinkowskiVertex) -> MinkowskiVertex {
        let a = self.a.support(direction, near.a);
        let b = self.b.support(&-self.frame.turn_back(direction), near.b);
        self.vertex(a, b)
    }

    /// Size of the numbers that made `vertex`, m: the scale of its rounding.
    #[inline]
    pub(crate) fn size_of(&self, vertex: &MinkowskiVertex) -> f64 {
        // |a| and |b| are each at most |b| + |a - b|; either one and the difference bound both.
        self.a.vertex(vertex.a).amax() + vertex.point.amax()
    }
}

/// Up to four vertices of A − B and the weights that make the point nearest to the origin.
#[derive(Clone, Copy, Debug, Default)]
pub struct Simplex {
    /// The first `count` are meant.
    pub(crate) vertices: [MinkowskiVertex; 4],
    pub(crate) weights: [f64; 4],
    pub(crate) count: usize,
}

impl Simplex {
    /// The vertices.
    #[inline]
    pub fn vertices(&self) -> &[MinkowskiVertex] {
        &self.vertices[..self.count]
    }

    /// Adds a vertex; the caller keeps below four.
    #[inline]
    pub(crate) fn push(&mut self, vertex: MinkowskiVertex) {
        debug_assert!(self.count < 4, "a simplex has at most four vertices");
        self.vertices[self.count] = vertex;
        self.count += 1;
    }

    /// True when one of the vertices comes from the same two.
    #[inline]
    pub(crate) fn holds(&self, vertex: &MinkowskiVertex) -> bool {
        self.vertices().iter().any(|v| v.is_same(vertex))
    }

    /// Sum of `point(vertex)` over the vertices, by weight.
    #[inline]
    pub(crate) fn blend(&self, point: impl Fn(&MinkowskiVertex) -> Displacement) -> Displacement {
        let pairs = self.vertices().iter().zip(&self.weights);
        pairs.fold(Displacement::zeros(), |sum, (v, w)| sum + point(v) * *w)
    }

    /// Keeps the vertices that make the point nearest to the origin, and returns that point; `None` when
    /// the origin is inside a tetrahedron, which is then kept whole.
    pub(crate) fn reduce(&mut self) -> Option<Displacement> {
        let p: [Displacement; 4] = self.vertices.map(|v| v.point);
        let nearest = match self.count {
            1 => Nearest::vertex(&p, 0),
            2 => nearest_on_segment(&p, [0, 1]),
            3 => nearest_on_triangle(&p, [0, 1, 2]),
            _ => nearest_on_tetrahedron(&p)?,
        };
        let mut kept = 0;
        for i in 0..self.count {
            if nearest.weights[i] > 0.0 {
                self.vertices[kept] = self.vertices[i];
                self.weights[kept] = nearest.weights[i];
                kept += 1;
            }
        }
        self.count = kept;
        Some(nearest.point)
    }
}

/// The point of a simplex nearest to the origin.
#[derive(Clone, Copy)]
pub(crate) struct Nearest {
    pub(crate) point: Displacement,
    /// Of the four vertices; zero for those without a part, sum one.
    pub(crate) weights: [f64; 4],
}

impl Nearest {
    fn vertex(p: &[Displacement; 4], i: usize) -> Self {
        let mut weights = [0.0; 4];
        weights[i] = 1.0;
        Self { point: p[i], weights }
    }

    fn nearer(self, other: Self) -> Self {
        if other.point.norm_squared() < self.point.norm_squared() { other } else { self }
    }
}

/// The point of a segment nearest to the origin.
fn nearest_on_segment(p: &[Displacement; 4], [i, j]: [usize; 2]) -> Nearest {
    let edge = p[j] - p[i];
    let length_squared = edge.norm_squared();
    let t = -p[i].dot(&edge);
    // Also right for a segment of length zero, and for products that underflowed.
    if t <= 0.0 {
        return Nearest::vertex(p, i);
    }
    if t >= length_squared {
        return Nearest::vertex(p, j);
    }
    let t = t / length_squared;
    let mut weights = [0.0; 4];
    (weights[i], weights[j]) = (1.0 - t, t);
    Nearest { point: p[i] + edge * t, weights }
}

/// The point of a triangle nearest to the origin.
///
/// The origin is first projected onto the plane; where the projection falls outside some edges, the nearest
/// point lies on one of those. Areas are taken around the projection, which keeps their digits when the
/// triangle is small and far away. A triangle without area is its three edges.
pub(crate) fn nearest_on_triangle(p: &[Displacement; 4], [i, j, k]: [usize; 3]) -> Nearest {
    let (u, v) = (p[j] - p[i], p[k] - p[i]);
    let normal = u.cross(&v);
    let square = normal.norm_squared();
    let longest = u.norm_squared().max(v.norm_squared()).max((v - u).norm_squared());
    if square <= (FLAT_AREA * longest) * (FLAT_AREA * longest) {
        let edges = nearest_on_segment(p, [i, j]).nearer(nearest_on_segment(p, [j, k]));
        return edges.nearer(nearest_on_segment(p, [k, i]));
    }
    let foot = normal * (normal.dot(&p[i]) / square);
    let (a, b, c) = (p[i] - foot, p[j] - foot, p[k] - foot);
    let areas = [b.cross(&c), c.cross(&a), a.cross(&b)].map(|area| normal.dot(&area));
    let mut outside: Option<Nearest> = None;
    for (area, edge) in areas.into_iter().zip([[j, k], [k, i], [i, j]]) {
        if area <= 0.0 {
            let on_edge = nearest_on_segment(p, edge);
            outside = Some(outside.map_or(on_edge, |best| best.nearer(on_edge)));
        }
    }
    outside.unwrap_or_else(|| {
        let sum = areas[0] + areas[1] + areas[2];
        let mut weights = [0.0; 4];
        (weights[i], weights[j], weights[k]) = (areas[0] / sum, areas[1] / sum, areas[2] / sum);
        Nearest { point: foot, weights }
    })
}

/// The point of a tetrahedron nearest to the origin; `None` when the origin is inside. A flat tetrahedron
/// is its four triangles and has no inside.
fn nearest_on_tetrahedron(p: &[Displacement; 4]) -> Option<Nearest> {
    let edges = [p[1] - p[0], p[2] - p[0], p[3] - p[0]];
    let volume = edges[0].dot(&edges[1].cross(&edges[2]));
    let longest = edges.iter().map(Displacement::norm).fold(0.0, f64::max);
    let is_flat = volume.abs() <= FLAT_VOLUME * longest * longest * longest;
    let mut best: Option<Nearest> = None;
    // Each face counter-clockwise from outside where the volume is positive.
    for face in [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]] {
        let [a, b, c] = face.map(|i: usize| p[i]);
        let outward = (b - a).cross(&(c - a)) * volume.signum();
        if is_flat || outward.dot(&a) < 0.0 {
            let on_face = nearest_on_triangle(p, face);
            best = Some(best.map_or(on_face, |n| n.nearer(on_face)));
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    fn simplex(points: &[[f64; 3]]) -> Simplex {
        let mut simplex = Simplex::default();
        for (i, p) in points.iter().enumerate() {
            simplex.push(MinkowskiVertex { point: Displacement::from(*p), a: i as u32, b: 0 });
        }
        simplex
    }

    #[test]
    fn every_region_of_a_triangle_is_found() {
        let expected = [
            ([[1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [1.0, 1.0, 0.0]], [1.0, 0.0, 0.0], 1),
            ([[-1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 3.0, 0.0]], [0.0, 1.0, 0.0], 2),
            ([[-1.0, -1.0, 2.0], [1.0, -1.0, 2.0], [0.0, 1.0, 2.0]], [0.0, 0.0, 2.0], 3),
            ([[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]], [1.0, 0.0, 0.0], 1),
            ([[-1.0, 1.0, 0.0], [0.5, 1.0, 0.0], [1.0, 1.0, 0.0]], [0.0, 1.0, 0.0], 2),
        ];
        for (points, nearest, count) in expected {
            let mut s = simplex(&points);
            let found = s.reduce().expect("a triangle has no inside");
            assert!((found - Displacement::from(nearest)).norm() < 1e-15, "{points:?}: {found:?}");
            assert_eq!(s.count, count, "{points:?}");
        }
    }

    #[test]
    fn the_inside_of_a_tetrahedron_is_found() {
        let corners = [[1.0, 1.0, 1.0], [-1.0, -1.0, 1.0], [-1.0, 1.0, -1.0], [1.0, -1.0, -1.0]];
        assert!(simplex(&corners).reduce().is_none());
        let mirrored = corners.map(|[x, y, z]| [-x, y, z]);
        assert!(simplex(&mirrored).reduce().is_none());
        let moved = corners.map(|[x, y, z]| [x + 4.0, y, z]);
        assert!(simplex(&moved).reduce().is_some());
        let flat = [[1.0, 0.0, 1.0], [-1.0, 0.0, 1.0], [0.0, 0.0, -1.0], [0.0, 0.0, 0.0]];
        assert_eq!(simplex(&flat).reduce(), Some(Displacement::zeros()));
    }
}
