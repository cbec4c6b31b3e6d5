//! The growing polytope of EPA, in memory of fixed size.

use crate::narrow::gjk::{Difference, MinkowskiVertex, Simplex, nearest_on_triangle};
use crate::shape::Support;
use drystone_math::Displacement;

/// Most vertices. Two round hulls of 500 vertices take 24 on average and about 45 when four fifths deep;
/// only nearly concentric ones, where every direction is almost as good as the best, run out of room.
const MAX_VERTICES: usize = 128;
/// Most triangles of a closed surface with that many vertices (Euler: F = 2 V − 4).
const MAX_FACES: usize = 2 * MAX_VERTICES;
/// How thin A − B may be, as a part of the size of its coordinates, before it counts as flat: far below the
/// rounding of `f32` corners and far above that of `f64` planes.
const FLAT: f64 = 1.0e-9;
/// A vertex of the first tetrahedron less than this part of the size away from the others is replaced by a
/// farther one where there is one.
const THICK: f64 = 1.0e-2;
/// A vertex that is no more than this part of the size below a face counts as in its plane: above the
/// rounding of planes, below the convergence gap by two digits.
const IN_PLANE: f64 = 1.0e-10;

/// Most edges of a closed surface with that many vertices (Euler: E = 3 V − 6).
const MAX_EDGES: usize = 3 * MAX_VERTICES;

/// No face.
const NONE: u16 = u16::MAX;

/// A triangle of the polytope.
#[derive(Clone, Copy, Debug)]
pub(super) struct Face {
    /// Counter-clockwise from outside.
    pub(super) corners: [u16; 3],
    /// Across the edge from corner `i` to corner `i + 1`.
    neighbours: [u16; 3],
    /// Unit, outward.
    pub(super) normal: Displacement,
    /// Signed distance of its plane from the origin along the normal, m.
    pub(super) offset: f64,
    is_alive: bool,
}

/// An unused place.
const DEAD: Face = Face {
    corners: [0; 3],
    neighbours: [NONE; 3],
    normal: Displacement::new(0.0, 0.0, 0.0),
    offset: 0.0,
    is_alive: false,
};

/// Working memory of EPA, about 25 KB, to be kept and reused. Its content does not matter between calls.
#[derive(Clone, Debug)]
pub struct EpaScratch {
    pub(super) vertices: [MinkowskiVertex; MAX_VERTICES],
    vertex_count: usize,
    faces: [Face; MAX_FACES],
    /// Places in use or used before.
    face_count: usize,
    /// Per face: seen from the new vertex in this step.
    is_visible: [bool; MAX_FACES],
    /// Per vertex: the new face whose horizon edge starts there.
    starts: [u16; MAX_VERTICES],
}

impl Default for EpaScratch {
    fn default() -> Self {
        Self {
            vertices: [MinkowskiVertex::default(); MAX_VERTICES],
            vertex_count: 0,
            faces: [DEAD; MAX_FACES],
            face_count: 0,
            is_visible: [false; MAX_FACES],
            starts: [NONE; MAX_VERTICES],
        }
    }
}

/// A − B is flat: there is no tetrahedron.
pub(super) struct SeedError {
    /// Unit normal to it; from A to B as far as it has a side.
    pub(super) normal: Displacement,
    /// How thick it is at most, m.
    pub(super) thickness: f64,
}

/// What became of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Growth {
    /// The vertex is in.
    Grown,
    /// No memory or no digits are left; the polytope may be broken and must not grow further.
    Exhausted,
}

impl EpaScratch {
    /// Starts with a tetrahedron inside A − B, from `simplex` where that is thick enough. Returns the size
    /// of the coordinates, m.
    pub(super) fn begin<A: Support, B: Support>(
        &mut self,
        difference: &Difference<'_, A, B>,
        simplex: &Simplex,
    ) -> Result<f64, SeedError> {
        (self.vertex_count, self.face_count) = (0, 0);
        let mut size = simplex.vertices().iter().map(|v| difference.size_of(v)).fold(0.0, f64::max);
        let mut pool = Pool { difference, simplex, size: &mut size };
        let first = simplex.vertices[0];
        let axes = [Displacement::x(), Displacement::y(), Displacement::z()];
        let offset = difference.frame.origin;

        let second = pool.farthest(&axes, &first, |p| (p - first.point).norm());
        let edge = second.point - first.point;
        let length = edge.norm();
        if length <= FLAT * *pool.size {
            let normal = unit_or(&offset, &Displacement::y());
            return Err(SeedError { normal, thickness: length });
        }

        let along = edge / length;
        let side = unit_or(&along.cross(&axes[along.iamin()]), &axes[0]);
        let across = [side, along.cross(&side)];
        let third = pool.farthest(&across, &first, |p| (p - first.point).cross(&along).norm());
        let width = (third.point - first.point).cross(&along).norm();
        if width <= FLAT * *pool.size {
            let beside = offset - along * offset.dot(&along);
            let has_side = beside.norm() > FLAT * *pool.size;
            let normal = if has_side { unit_or(&beside, &side) } else { side };
            return Err(SeedError { normal, thickness: width });
        }

        let normal = unit_or(&edge.cross(&(third.point - first.point)), &side);
        let fourth = pool.farthest(&[normal], &first, |p| normal.dot(&(p - first.point)).abs());
        let height = normal.dot(&(fourth.point - first.point));
        if height.abs() <= FLAT * *pool.size {
            let normal = if normal.dot(&offset) < 0.0 { -normal } else { normal };
            return Err(SeedError { normal, thickness: height.abs() });
        }
        self.seed(if height < 0.0 { [first, second, third, fourth] } else { [first, third, second, fourth] });
        Ok(size)
    }

    /// The tetrahedron whose fourth vertex lies below the other three, seen counter-clockwise.
    fn seed(&mut self, corners: [MinkowskiVertex; 4]) {
        self.vertices[..4].copy_from_slice(&corners);
        self.vertex_count = 4;
        self.face_count = 4;
        self.faces[0] = self.face([0, 1, 2], [3, 1, 2]);
        self.faces[1] = self.face([1, 3, 2], [3, 2, 0]);
        self.faces[2] = self.face([2, 3, 0], [1, 3, 0]);
        self.faces[3] = self.face([0, 3, 1], [2, 1, 0]);
    }

    fn face(&self, corners: [u16; 3], neighbours: [u16; 3]) -> Face {
        let [a, b, c] = corners.map(|i| self.vertices[usize::from(i)].point);
        let normal = unit_or(&(b - a).cross(&(c - a)), &Displacement::zeros());
        Face { corners, neighbours, normal, offset: normal.dot(&a), is_alive: true }
    }

    /// The face with the smallest signed distance from the origin.
    pub(super) fn nearest_face(&self) -> Face {
        let mut nearest = self.faces[0];
        for face in &self.faces[..self.face_count] {
            if face.is_alive && (!nearest.is_alive || face.offset < nearest.offset) {
                nearest = *face;
            }
        }
        nearest
    }

    /// The triangle whose point nearest to the origin is nearest to `foot` (m), with that point's weights,
    /// among the faces up to `limit` (m) from the origin.
    ///
    /// A flat side of A − B is several coplanar triangles, all at the same distance; only one of them holds
    /// the foot of the perpendicular.
    pub(super) fn simplex_nearest(&self, foot: &Displacement, limit: f64) -> Simplex {
        let mut best = (Simplex::default(), f64::INFINITY);
        for face in &self.faces[..self.face_count] {
            if !face.is_alive || face.offset > limit {
                continue;
            }
            let [a, b, c] = face.corners.map(|i| self.vertices[usize::from(i)]);
            let nearest = nearest_on_triangle(&[a.point, b.point, c.point, c.point], [0, 1, 2]);
            let miss = (nearest.point - foot).norm_squared();
            if miss < best.1 {
                best = (Simplex { vertices: [a, b, c, c], weights: nearest.weights, count: 3 }, miss);
            }
        }
        best.0
    }

    /// Replaces the faces that see `vertex` by a fan from their horizon to it. It lies above the face
    /// `nearest`. `size` is the size of the coordinates, m.
    pub(super) fn add(&mut self, vertex: MinkowskiVertex, nearest: &Face, size: f64) -> Growth {
        let is_known = self.vertices[..self.vertex_count].iter().any(|v| v.is_same(&vertex));
        if self.vertex_count == MAX_VERTICES || is_known {
            return Growth::Exhausted;
        }
        let apex = self.vertex_count as u16;
        self.vertices[usize::from(apex)] = vertex;
        self.vertex_count += 1;

        let mut visible = Stack::<MAX_FACES>::default();
        let mut horizon = Stack::<MAX_EDGES>::default();
        let start =
            self.faces[..self.face_count].iter().position(|f| f.is_alive && f.corners == nearest.corners);
        self.is_visible[..self.face_count].fill(false);
        visible.push(start.unwrap_or(0) as u16);
        self.is_visible[start.unwrap_or(0)] = true;
        let mut next = 0;
        while next < visible.count {
            let face = self.faces[usize::from(visible.items[next])];
            for neighbour in face.neighbours {
                let f = &self.faces[usize::from(neighbour)];
                let sees = f.normal.dot(&vertex.point) - f.offset >= -IN_PLANE * size;
                if sees && !self.is_visible[usize::from(neighbour)] {
                    self.is_visible[usize::from(neighbour)] = true;
                    visible.push(neighbour);
                }
            }
            next += 1;
        }
        // A horizon edge is named by the visible face and its side: 4 times the face plus the side.
        for &v in visible.items() {
            for side in 0..3 {
                let neighbour = self.faces[usize::from(v)].neighbours[side as usize];
                if !self.is_visible[usize::from(neighbour)] {
                    horizon.push(4 * v + side);
                }
            }
        }
        self.fan(apex, &visible, &horizon)
    }

    /// Builds the fan from the horizon to `apex`, checking that the horizon is one simple loop.
    fn fan(&mut self, apex: u16, visible: &Stack<MAX_FACES>, horizon: &Stack<MAX_EDGES>) -> Growth {
        let edge_count = horizon.count;
        if edge_count < 3 {
            return Growth::Exhausted;
        }
        // The corners, and the face beyond, of each horizon edge, before its visible face is overwritten.
        let mut edges = [(0_u16, 0_u16, 0_u16); MAX_VERTICES];
        self.starts[..self.vertex_count].fill(NONE);
        for (i, &edge) in horizon.items().iter().enumerate() {
            let (face, side) = (&self.faces[usize::from(edge / 4)], usize::from(edge % 4));
            let (from, to) = (face.corners[side], face.corners[(side + 1) % 3]);
            // Each vertex starts one edge at most, so `i` stays below the number of vertices.
            if self.starts[usize::from(from)] != NONE {
                return Growth::Exhausted;
            }
            edges[i] = (from, to, face.neighbours[side]);
            self.starts[usize::from(from)] = i as u16;
        }
        // Walk the loop: it must close after all edges and not before.
        let mut at = edges[0].1;
        for walked in 1..=edge_count {
            let i = self.starts[usize::from(at)];
            if i == NONE || (i == 0) != (walked == edge_count) {
                return Growth::Exhausted;
            }
            at = edges[usize::from(i)].1;
        }
        for &v in visible.items() {
            self.faces[usize::from(v)].is_alive = false;
        }
        // Places for the new faces: dead ones, then fresh ones. A closed surface always finds enough.
        let mut places = [0_u16; MAX_VERTICES];
        let dead = (0..MAX_FACES).filter(|&f| f >= self.face_count || !self.faces[f].is_alive);
        let found = places[..edge_count].iter_mut().zip(dead).map(|(place, f)| *place = f as u16).count();
        if found < edge_count {
            return Growth::Exhausted;
        }
        self.face_count = self.face_count.max(usize::from(places[edge_count - 1]) + 1);
        for (i, &(from, to, beyond)) in edges[..edge_count].iter().enumerate() {
            let next = places[usize::from(self.starts[usize::from(to)])];
            let face = self.face([from, to, apex], [beyond, next, NONE]);
            if face.normal == Displacement::zeros() {
                return Growth::Exhausted;
            }
            self.faces[usize::from(places[i])] = face;
            let outer = &mut self.faces[usize::from(beyond)];
            if let Some(side) = outer.corners.iter().position(|&c| c == to) {
                outer.neighbours[side] = places[i];
            }
        }
        for &place in &places[..edge_count] {
            let next = self.faces[usize::from(place)].neighbours[1];
            self.faces[usize::from(next)].neighbours[2] = place;
        }
        Growth::Grown
    }
}

/// Where the corners of the first tetrahedron are taken from.
struct Pool<'p, 's, A, B> {
    difference: &'p Difference<'s, A, B>,
    simplex: &'p Simplex,
    /// Size of the coordinates seen, m.
    size: &'p mut f64,
}

impl<A: Support, B: Support> Pool<'_, '_, A, B> {
    /// The vertex with the largest `measure` (m): of the simplex, or, where that is not thick enough, also
    /// among those of A − B farthest along and against `directions`.
    fn farthest(
        &mut self,
        directions: &[Displacement],
        near: &MinkowskiVertex,
        measure: impl Fn(&Displacement) -> f64,
    ) -> MinkowskiVertex {
        let mut best = (*near, measure(&near.point));
        for v in self.simplex.vertices() {
            let m = measure(&v.point);
            if m > best.1 {
                best = (*v, m);
            }
        }
        if best.1 > THICK * *self.size {
            return best.0;
        }
        for direction in directions {
            for v in [self.difference.support(direction, near), self.difference.support(&-direction, near)] {
                *self.size = self.size.max(self.difference.size_of(&v));
                let m = measure(&v.point);
                if m > best.1 {
                    best = (v, m);
                }
            }
        }
        best.0
    }
}

/// `v` at unit length, or `otherwise` when it has none that is a normal number.
fn unit_or(v: &Displacement, otherwise: &Displacement) -> Displacement {
    let length = v.norm();
    if length.is_finite() && length > f64::MIN_POSITIVE { v / length } else { *otherwise }
}

/// A list of face numbers without allocation. A face enters it at most once, or once per side.
struct Stack<const N: usize> {
    items: [u16; N],
    count: usize,
}

impl<const N: usize> Default for Stack<N> {
    fn default() -> Self {
        Self { items: [0; N], count: 0 }
    }
}

impl<const N: usize> Stack<N> {
    fn push(&mut self, item: u16) {
        debug_assert!(self.count < N, "a list holds at most {N} items");
        if let Some(place) = self.items.get_mut(self.count) {
            *place = item;
            self.count += 1;
        }
    }

    fn items(&self) -> &[u16] {
        &self.items[..self.count]
    }
}
