//! Merges the nearly coplanar triangles of a hull into polygons, and lists its edges.
//!
//! Method: faces grow from the largest triangle not yet taken, one triangle at a time, as long as every
//! corner stays within the tolerance of the seed's plane. An outline that is not convex in the end grows
//! again under the stricter rule that it is convex at every step. A face is always a disc with one simple
//! outline, and its plane is that of a triangle of the exact hull, which supports the whole hull: merging
//! moves nothing and cannot break what `quickhull` promised.

use super::hull::{HullEdge, HullFace};
use super::quickhull::{TriangleHull, minus};
use drystone_math::{Displacement, Real, Vector3, narrow, widen};

/// Not yet part of a face.
const FREE: u32 = u32::MAX;

/// A polyhedron with polygons.
pub(super) struct Polygons {
    pub(super) vertices: Vec<Vector3>,
    pub(super) faces: Vec<HullFace>,
    pub(super) face_vertices: Vec<u32>,
    pub(super) edges: Vec<HullEdge>,
}

/// A face while it grows: the plane of its seed and its outline, counter-clockwise, as cloud indices.
struct Growing {
    normal: Displacement,
    /// A point of the plane, in steps: a corner of the seed, which need not stay one of the outline.
    anchor: Displacement,
    outline: Vec<u32>,
}

/// The faces, edges and corners of a triangulated hull of `points` (m), merged.
///
/// Cost: O(t log t) for t triangles, plus the square of the longest outline.
pub(super) fn merged_faces(points: &[Vector3], hull: &TriangleHull) -> Polygons {
    let merged = grow_all(hull, true);
    let mut loops = without_straight_corners(merged, points.len());
    if edges_of(&loops).is_none() {
        // The merged outlines do not close; the triangles do, by construction.
        debug_assert!(false, "merged faces form a closed surface");
        loops = grow_all(hull, false);
    }
    assemble(points, loops)
}

/// A point of the cloud on the grid, in steps.
#[inline]
fn at(hull: &TriangleHull, i: u32) -> Displacement {
    let [x, y, z] = hull.grid[i as usize].map(|c| c as f64);
    Displacement::new(x, y, z)
}

/// What a growing face keeps to while it grows; convex as a whole it must be in the end.
#[derive(Clone, Copy, PartialEq)]
enum Rule {
    /// Within the tolerance of its plane.
    Flat,
    /// That, and convex at every corner.
    FlatAndConvex,
}

/// All faces; triangles when `merge` is false.
fn grow_all(hull: &TriangleHull, merge: bool) -> Vec<Growing> {
    let neighbours = neighbours(&hull.triangles);
    let areas: Vec<Displacement> = hull.triangles.iter().map(|t| area_vector(hull, t)).collect();
    let mut order: Vec<u32> = (0..hull.triangles.len() as u32).collect();
    order.sort_by(|&i, &j| {
        let (a, b) = (areas[i as usize].norm_squared(), areas[j as usize].norm_squared());
        b.total_cmp(&a).then(i.cmp(&j))
    });
    let mut taken = vec![false; hull.triangles.len()];
    let mut faces = Vec::new();
    for seed in order {
        if taken[seed as usize] {
            continue;
        }
        let triangle = |t: u32| Growing {
            normal: areas[t as usize].normalize(),
            anchor: at(hull, hull.triangles[t as usize][0]),
            outline: hull.triangles[t as usize].to_vec(),
        };
        taken[seed as usize] = true;
        // Loose first: corners in the middle of a face vanish only through outlines that are not convex yet.
        let rules: &[Rule] = if merge { &[Rule::Flat, Rule::FlatAndConvex] } else { &[] };
        let grown = rules.iter().find_map(|rule| {
            let mut face = triangle(seed);
            let members = face.grow(hull, seed, &neighbours, &mut taken, *rule);
            if face.is_convex(hull) {
                return Some(face);
            }
            // Under the strict rule, small reflex turns added up.
            members.iter().skip(1).for_each(|&member| taken[member as usize] = false);
            None
        });
        faces.push(grown.unwrap_or_else(|| triangle(seed)));
    }
    faces
}

/// Twice the area of a triangle, as a vector along its normal, in steps squared.
fn area_vector(hull: &TriangleHull, triangle: &[u32; 3]) -> Displacement {
    let [a, b, c] = triangle.map(|i| &hull.grid[i as usize]);
    let wide = |v: [i64; 3]| Displacement::new(v[0] as f64, v[1] as f64, v[2] as f64);
    wide(minus(b, a)).cross(&wide(minus(c, a)))
}

/// Per triangle, the triangles across its three edges.
fn neighbours(triangles: &[[u32; 3]]) -> Vec<[u32; 3]> {
    let mut sides = Vec::with_capacity(3 * triangles.len());
    for (t, corners) in triangles.iter().enumerate() {
        for side in 0..3 {
            let (u, v) = (corners[side], corners[(side + 1) % 3]);
            sides.push((u.min(v), u.max(v), t as u32, side));
        }
    }
    sides.sort_unstable();
    let mut table = vec![[FREE; 3]; triangles.len()];
    for pair in sides.chunks_exact(2) {
        let [(.., t, side), (.., u, other_side)] = [pair[0], pair[1]];
        table[t as usize][side] = u;
        table[u as usize][other_side] = t;
    }
    table
}

impl Growing {
    /// Takes in triangles until none fits; returns those taken, the seed first.
    fn grow(
        &mut self,
        hull: &TriangleHull,
        seed: u32,
        neighbours: &[[u32; 3]],
        taken: &mut [bool],
        rule: Rule,
    ) -> Vec<u32> {
        let mut members = vec![seed];
        // A triangle refused once may fit after others came in, so passes repeat until one changes nothing.
        loop {
            let before = members.len();
            let mut next = 0;
            while next < members.len() {
                for candidate in neighbours[members[next] as usize] {
                    if candidate != FREE
                        && !taken[candidate as usize]
                        && self.take(hull, &hull.triangles[candidate as usize], rule)
                    {
                        taken[candidate as usize] = true;
                        members.push(candidate);
                    }
                }
                next += 1;
            }
            if members.len() == before {
                return members;
            }
        }
    }

    /// Takes in one triangle if the rule allows it within the tolerance; true when it did.
    fn take(&mut self, hull: &TriangleHull, triangle: &[u32; 3], rule: Rule) -> bool {
        let tolerance = hull.tolerance / hull.step;
        if triangle.iter().any(|&i| self.normal.dot(&(at(hull, i) - self.anchor)).abs() > tolerance) {
            return false;
        }
        let n = self.outline.len();
        // Sides of the triangle that lie on the outline, which runs along them the other way.
        let mut shared = (0..n).filter_map(|i| {
            let (u, v) = (self.outline[i], self.outline[(i + 1) % n]);
            (0..3).find(|&side| triangle[side] == v && triangle[(side + 1) % 3] == u).map(|side| (i, side))
        });
        let (Some((first, side)), second, third) = (shared.next(), shared.next(), shared.next()) else {
            return false;
        };
        let outline = match (second, third) {
            (None, _) => self.with_corner(first, triangle[(side + 2) % 3]),
            (Some((second, _)), None) => self.without_corner(first, second),
            _ => None,
        };
        let Some((outline, changed)) = outline else {
            return false;
        };
        let k = outline.len();
        let allowed = rule == Rule::Flat
            || (changed + k - 1..=changed + k + 2).all(|i| {
                let [a, b, c] = [outline[(i + k - 1) % k], outline[i % k], outline[(i + 1) % k]];
                self.turn(hull, a, b, c) >= -tolerance
            });
        if allowed {
            self.outline = outline;
        }
        allowed
    }

    /// The outline with a corner added on its edge `edge`; `None` when it is there already, because the
    /// outline would touch itself. Also the place of the change.
    fn with_corner(&self, edge: usize, corner: u32) -> Option<(Vec<u32>, usize)> {
        if self.outline.contains(&corner) {
            return None;
        }
        let mut outline = self.outline.clone();
        outline.insert(edge + 1, corner);
        Some((outline, edge + 1))
    }

    /// The outline without the corner between two consecutive edges; `None` when they are not, or nothing
    /// would be left.
    fn without_corner(&self, first: usize, second: usize) -> Option<(Vec<u32>, usize)> {
        let n = self.outline.len();
        let corner = if second == first + 1 {
            second
        } else if first == 0 && second == n - 1 {
            0
        } else {
            return None;
        };
        let mut outline = self.outline.clone();
        outline.remove(corner);
        // The corner before the gap; the caller looks at one before it and two behind.
        (outline.len() >= 3).then(|| (outline, (corner + n - 1) % n % (n - 1)))
    }

    /// How far `b` lies outside the line from `a` to `c` in the face's plane, in steps; negative where the
    /// outline is reflex.
    fn turn(&self, hull: &TriangleHull, a: u32, b: u32, c: u32) -> f64 {
        let [a, b, c] = [at(hull, a), at(hull, b), at(hull, c)];
        let chord = c - a;
        let length = chord.norm();
        if length > 0.0 { self.normal.dot(&chord.cross(&(a - b))) / length } else { 0.0 }
    }

    /// True when every corner lies inside every edge, within the tolerance. O(corners²).
    fn is_convex(&self, hull: &TriangleHull) -> bool {
        let tolerance = hull.tolerance / hull.step;
        let corners: Vec<Displacement> = self.outline.iter().map(|&i| at(hull, i)).collect();
        let n = corners.len();
        (0..n).all(|i| {
            let (a, b) = (corners[i], corners[(i + 1) % n]);
            let outward = (b - a).cross(&self.normal);
            let limit = tolerance * outward.norm();
            corners.iter().all(|c| outward.dot(&(c - a)) <= limit)
        })
    }
}

/// Drops corners that border only two faces: they lie on a straight edge. A face left with two corners is
/// flat between its neighbours and goes with them.
fn without_straight_corners(mut faces: Vec<Growing>, point_count: usize) -> Vec<Growing> {
    loop {
        let mut degree = vec![0_u32; point_count];
        for &corner in faces.iter().flat_map(|f| &f.outline) {
            degree[corner as usize] += 1;
        }
        let before: usize = faces.iter().map(|f| f.outline.len()).sum();
        for face in &mut faces {
            face.outline.retain(|&corner| degree[corner as usize] > 2);
        }
        faces.retain(|face| face.outline.len() > 2);
        if faces.iter().map(|f| f.outline.len()).sum::<usize>() == before {
            return faces;
        }
    }
}

/// The edges of a closed surface, sorted; `None` when some edge does not border exactly two faces, once in
/// each direction, or Euler's V − E + F = 2 fails.
fn edges_of(faces: &[Growing]) -> Option<Vec<HullEdge>> {
    let mut sides = Vec::new();
    let mut corners = Vec::new();
    for (f, face) in faces.iter().enumerate() {
        let n = face.outline.len();
        for i in 0..n {
            let (u, v) = (face.outline[i], face.outline[(i + 1) % n]);
            sides.push((u.min(v), u.max(v), u > v, f as u32));
            corners.push(u);
        }
    }
    sides.sort_unstable();
    corners.sort_unstable();
    corners.dedup();
    let mut edges = Vec::with_capacity(sides.len() / 2);
    for pair in sides.chunks(2) {
        let [(u, v, false, left), (u2, v2, true, right)] = *pair else {
            return None;
        };
        if (u, v) != (u2, v2) || edges.last().is_some_and(|e: &HullEdge| e.vertices == [u, v]) {
            return None;
        }
        edges.push(HullEdge { vertices: [u, v], faces: [left, right] });
    }
    (corners.len() + faces.len() == edges.len() + 2).then_some(edges)
}

/// Numbers corners and faces: corners in the order of the cloud, loops from their smallest corner, faces in
/// the order of their loops.
fn assemble(points: &[Vector3], mut loops: Vec<Growing>) -> Polygons {
    let mut used: Vec<u32> = loops.iter().flat_map(|f| f.outline.iter().copied()).collect();
    used.sort_unstable();
    used.dedup();
    let mut number = vec![FREE; points.len()];
    for (i, &corner) in used.iter().enumerate() {
        number[corner as usize] = i as u32;
    }
    for face in &mut loops {
        face.outline.iter_mut().for_each(|corner| *corner = number[*corner as usize]);
        let smallest = (0..face.outline.len()).min_by_key(|&i| face.outline[i]).unwrap_or(0);
        face.outline.rotate_left(smallest);
    }
    loops.sort_by(|a, b| a.outline.cmp(&b.outline));
    let edges = edges_of(&loops).unwrap_or_default();
    debug_assert!(!edges.is_empty(), "a hull is a closed surface");
    let vertices: Vec<Vector3> = used.iter().map(|&i| points[i as usize]).collect();
    let mut faces = Vec::with_capacity(loops.len());
    let mut face_vertices = Vec::new();
    for face in &loops {
        let normal = narrow(&face.normal);
        let reach = |&i: &u32| widen(&vertices[i as usize]).dot(&widen(&normal));
        let offset = face.outline.iter().map(reach).fold(f64::NEG_INFINITY, f64::max);
        faces.push(HullFace {
            normal,
            offset: offset as Real,
            first: face_vertices.len() as u32,
            count: face.outline.len() as u32,
        });
        face_vertices.extend_from_slice(&face.outline);
    }
    Polygons { vertices, faces, face_vertices, edges }
}
