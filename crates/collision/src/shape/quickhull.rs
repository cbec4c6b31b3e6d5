//! Convex hull of a point cloud as triangles, with exact predicates.
//!
//! Method: quickhull (Barber, Dobkin, Huhdanpaa 1996) on a grid of integers. The cloud is rounded to
//! coordinates of [`GRID_BITS`] bits, and every question "is this point above that triangle" is answered
//! exactly in 128-bit integers. The horizon of a new vertex is then always one simple loop and no triangle
//! is ever degenerate, so the triangles form a closed convex surface for every input: what rounding does to
//! the usual floating-point version (holes, flipped triangles, endless loops) cannot happen here. A grid
//! step is 2⁻²⁸ of the cloud's half extent, an eighth of the spacing of `f32` numbers of that size or less.
//!
//! Only points farther than the tolerance above some triangle become vertices.

use super::hull::{MAX_HULL_VERTICES, flat_cloud};
use super::{MIN_SIZE, ShapeError};
use drystone_math::{Displacement, Real, Vector3, widen};

/// Bits of a grid coordinate. Differences have one bit more, products of two 59 bits at most (they fit
/// `i64` as sums of two), products of three 91 bits (`i128`).
const GRID_BITS: i32 = 28;

/// Vertices that may be added before the work is given up. Some are swallowed again by later ones, so this
/// is above [`MAX_HULL_VERTICES`]; it bounds the work on any cloud.
const MAX_ADDED: usize = 4 * MAX_HULL_VERTICES;

/// "No entry" in index tables.
const NONE: u32 = u32::MAX;

/// A point of the grid.
pub(super) type GridPoint = [i64; 3];

/// A closed convex triangle mesh over a cloud on the integer grid.
pub(super) struct TriangleHull {
    /// The whole cloud on the grid.
    pub(super) grid: Vec<GridPoint>,
    /// Corners of each triangle, counter-clockwise from outside, as indices into the cloud.
    pub(super) triangles: Vec<[u32; 3]>,
    /// Length of a grid step, m.
    pub(super) step: f64,
    /// Farthest a point of the cloud may lie above a triangle, m.
    pub(super) tolerance: f64,
}

/// The hull of finite `points` (m), as triangles.
///
/// Every point lies at most `tolerance` above the plane of every triangle; the triangles are convex
/// without any tolerance on the grid. O(n log n) typically, at most O(n) per vertex added.
pub(super) fn triangle_hull(points: &[Vector3]) -> Result<TriangleHull, ShapeError> {
    let (grid, step) = to_grid(points);
    let tolerance = cloud_tolerance(points);
    let thinnest = (8.0 * tolerance).max(f64::from(MIN_SIZE));
    let corners = first_tetrahedron(&grid, thinnest / step)
        .map_err(|(dimensions, extent)| flat_cloud(points.len(), dimensions, extent * step))?;
    let mut builder = Builder::new(&grid, tolerance / step, corners);
    let too_many = |count| {
        Err(ShapeError::TooManyVertices { point_count: points.len(), count, limit: MAX_HULL_VERTICES })
    };
    if let Err(added) = builder.run() {
        return too_many(added);
    }
    let triangles: Vec<[u32; 3]> = builder.faces.iter().filter(|f| f.alive).map(|f| f.corners).collect();
    // Euler: a closed triangle mesh has F = 2 V − 4.
    let corner_count = triangles.len() / 2 + 2;
    if corner_count > MAX_HULL_VERTICES {
        return too_many(corner_count);
    }
    Ok(TriangleHull { grid, triangles, step, tolerance })
}

/// How far from a plane a point still counts as on it, m: three units in the last place of the largest
/// coordinates, summed over the axes. That is what rounding the corners of a flat polygon to `f32` can do,
/// plus a turn of it computed in `f32`.
fn cloud_tolerance(points: &[Vector3]) -> f64 {
    let largest = points.iter().fold(Vector3::zeros(), |m, p| m.sup(&p.abs()));
    3.0 * f64::from(Real::EPSILON) * widen(&largest).sum()
}

/// The cloud in integers around the middle of its box, and the length of a step, m.
fn to_grid(points: &[Vector3]) -> (Vec<GridPoint>, f64) {
    let wide = || points.iter().map(widen);
    let low = wide().fold(Displacement::repeat(f64::INFINITY), |m, p| m.inf(&p));
    let high = wide().fold(Displacement::repeat(f64::NEG_INFINITY), |m, p| m.sup(&p));
    let center = (low + high) * 0.5;
    let half = (high - low).max() * 0.5;
    // A cloud without extent keeps a step of one metre: all its points fall on the grid's origin.
    let step = if half > 0.0 { half / f64::from(1 << GRID_BITS) } else { 1.0 };
    let grid = wide()
        .map(|p| {
            let q = (p - center) / step;
            [q.x.round() as i64, q.y.round() as i64, q.z.round() as i64]
        })
        .collect();
    (grid, step)
}

/// `a - b`.
#[inline]
pub(super) fn minus(a: &GridPoint, b: &GridPoint) -> GridPoint {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// `a x b`, exact for differences of grid points.
#[inline]
fn cross(a: &GridPoint, b: &GridPoint) -> GridPoint {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// `a · b`, exact.
#[inline]
fn dot(a: &GridPoint, b: &GridPoint) -> i128 {
    i128::from(a[0]) * i128::from(b[0])
        + i128::from(a[1]) * i128::from(b[1])
        + i128::from(a[2]) * i128::from(b[2])
}

/// Length, for thresholds only.
#[inline]
fn length(v: &GridPoint) -> f64 {
    let [x, y, z] = v.map(|c| c as f64);
    (x * x + y * y + z * z).sqrt()
}

/// The index with the largest key; the lexicographically smallest grid point, then the first, among equals.
/// Maximisers of a convex function that are smallest in this order are corners of the hull.
fn farthest(grid: &[GridPoint], key: impl Fn(&GridPoint) -> i128) -> usize {
    let mut best = (0, key(&grid[0]));
    for (i, p) in grid.iter().enumerate().skip(1) {
        let k = key(p);
        if k > best.1 || (k == best.1 && *p < grid[best.0]) {
            best = (i, k);
        }
    }
    best.0
}

/// Four corners that span a tetrahedron, positively oriented; or the dimensions the cloud spans and its
/// thickness across the next one, in steps. A thickness up to `thinnest` (steps) counts as none.
fn first_tetrahedron(grid: &[GridPoint], thinnest: f64) -> Result<[u32; 4], (u32, f64)> {
    let a = farthest(grid, |p| i128::from(-p[0]));
    let b = farthest(grid, |p| dot(&minus(p, &grid[a]), &minus(p, &grid[a])));
    let ab = minus(&grid[b], &grid[a]);
    if length(&ab) <= thinnest {
        return Err((0, length(&ab)));
    }
    let area = |p: &GridPoint| cross(&ab, &minus(p, &grid[a]));
    let c = farthest(grid, |p| dot(&area(p), &area(p)));
    let normal = area(&grid[c]);
    let height = length(&normal) / length(&ab);
    if height <= thinnest {
        return Err((1, height));
    }
    let above = |p: &GridPoint| dot(&normal, &minus(p, &grid[a]));
    let (top, bottom) = (farthest(grid, above), farthest(grid, |p| -above(p)));
    let (up, down) = (above(&grid[top]), -above(&grid[bottom]));
    let thickness = (up + down) as f64 / length(&normal);
    if thickness <= thinnest {
        return Err((2, thickness));
    }
    let [a, b, c, top, bottom] = [a, b, c, top, bottom].map(|i| i as u32);
    Ok(if up >= down { [a, c, b, top] } else { [a, b, c, bottom] })
}

/// A triangle of the growing hull.
struct Face {
    corners: [u32; 3],
    /// Across the edge from corner `i` to corner `i + 1`.
    neighbours: [u32; 3],
    /// Outward, not unit.
    normal: GridPoint,
    /// Its length.
    length: f64,
    /// Cloud points strictly above, each listed in one face only.
    above: Vec<u32>,
    /// The farthest of them, and how far (times `length`).
    farthest: (u32, i128),
    alive: bool,
}

/// The hull while it grows.
struct Builder<'a> {
    grid: &'a [GridPoint],
    /// In steps.
    tolerance: f64,
    faces: Vec<Face>,
    /// Faces that may have a point above the tolerance; visited last in, first out.
    pending: Vec<u32>,
    /// Per cloud point: the new face whose horizon edge starts there. Valid only inside one `add`.
    starts: Vec<u32>,
    /// Per face: the round in which it was last found visible.
    seen: Vec<u32>,
    round: u32,
}

impl<'a> Builder<'a> {
    /// A tetrahedron, with all points distributed over its faces. The fourth of `corners` lies below the
    /// other three seen counter-clockwise.
    fn new(grid: &'a [GridPoint], tolerance: f64, corners: [u32; 4]) -> Self {
        let starts = vec![NONE; grid.len()];
        let (faces, pending, seen) = (Vec::new(), Vec::new(), Vec::new());
        let mut builder = Self { grid, tolerance, faces, pending, starts, seen, round: 0 };
        let [a, b, c, d] = corners;
        builder.push_face([a, b, c], [3, 1, 2]);
        builder.push_face([b, d, c], [3, 2, 0]);
        builder.push_face([c, d, a], [1, 3, 0]);
        builder.push_face([a, d, b], [2, 1, 0]);
        let everyone: Vec<u32> = (0..grid.len() as u32).collect();
        builder.distribute(&everyone, 0);
        builder
    }

    fn push_face(&mut self, corners: [u32; 3], neighbours: [u32; 3]) {
        let [a, b, c] = corners.map(|i| &self.grid[i as usize]);
        let normal = cross(&minus(b, a), &minus(c, a));
        debug_assert!(normal != [0; 3], "exact predicates give no degenerate triangle");
        let length = length(&normal);
        self.faces.push(Face {
            corners,
            neighbours,
            normal,
            length,
            above: Vec::new(),
            farthest: (NONE, 0),
            alive: true,
        });
        self.seen.push(0);
    }

    /// Signed distance of a cloud point above a face, times the length of its normal; exact.
    #[inline]
    fn height(&self, face: u32, point: u32) -> i128 {
        let f = &self.faces[face as usize];
        dot(&f.normal, &minus(&self.grid[point as usize], &self.grid[f.corners[0] as usize]))
    }

    /// True when `height` above `face` is more than the tolerance.
    #[inline]
    fn is_far(&self, face: u32, height: i128) -> bool {
        height as f64 > self.tolerance * self.faces[face as usize].length
    }

    /// Lists each point in the first of the faces from `first` on that it is strictly above, and drops the
    /// points above none: they are inside.
    fn distribute(&mut self, points: &[u32], first: u32) {
        let end = self.faces.len() as u32;
        for &point in points {
            for face in first..end {
                let height = self.height(face, point);
                if height > 0 {
                    self.list(face, point, height);
                    break;
                }
            }
        }
        self.pending.extend(first..end);
    }

    /// Lists a point above a face.
    fn list(&mut self, face: u32, point: u32, height: i128) {
        let grid = self.grid;
        let f = &mut self.faces[face as usize];
        f.above.push(point);
        let (best, best_height) = f.farthest;
        let is_first = || grid[point as usize] < grid[best as usize];
        if best == NONE || height > best_height || (height == best_height && is_first()) {
            f.farthest = (point, height);
        }
    }

    /// Adds vertices until no point is farther than the tolerance above a face. `Err` holds the number of
    /// vertices when there were too many.
    fn run(&mut self) -> Result<(), usize> {
        let mut added = 4;
        loop {
            while let Some(face) = self.pending.pop() {
                let f = &self.faces[face as usize];
                if !f.alive || f.farthest.0 == NONE || !self.is_far(face, f.farthest.1) {
                    continue;
                }
                added += 1;
                if added > MAX_ADDED {
                    return Err(added);
                }
                self.add(f.farthest.0, face);
            }
            if !self.relist_stragglers() {
                return Ok(());
            }
        }
    }

    /// Replaces the faces that see `apex` by a fan from their horizon to it. `face` is one of them.
    fn add(&mut self, apex: u32, face: u32) {
        let visible = self.visible(apex, face);
        let first = self.faces.len() as u32;
        let mut horizon = Vec::new();
        for &v in &visible {
            let Face { corners, neighbours, .. } = self.faces[v as usize];
            for i in 0..3 {
                if self.seen[neighbours[i] as usize] != self.round {
                    horizon.push((corners[i], corners[(i + 1) % 3], neighbours[i]));
                }
            }
        }
        for (i, &(start, ..)) in horizon.iter().enumerate() {
            self.starts[start as usize] = first + i as u32;
        }
        for (i, &(start, end, outer)) in horizon.iter().enumerate() {
            let next = self.starts[end as usize];
            debug_assert!(next != NONE, "the horizon is one simple loop");
            self.push_face([start, end, apex], [outer, next, NONE]);
            let sides = &mut self.faces[outer as usize];
            for side in 0..3 {
                if sides.corners[side] == end {
                    sides.neighbours[side] = first + i as u32;
                }
            }
        }
        for i in 0..horizon.len() as u32 {
            let next = self.faces[(first + i) as usize].neighbours[1];
            self.faces[next as usize].neighbours[2] = first + i;
        }
        let mut orphans = Vec::new();
        for &v in &visible {
            let f = &mut self.faces[v as usize];
            f.alive = false;
            orphans.append(&mut f.above);
        }
        self.distribute(&orphans, first);
    }

    /// The faces that `point` is strictly above; they are connected, and `start` is one of them. Marks them
    /// with the new round.
    fn visible(&mut self, point: u32, start: u32) -> Vec<u32> {
        self.round += 1;
        self.seen[start as usize] = self.round;
        let mut visible = vec![start];
        let mut next = 0;
        while next < visible.len() {
            for neighbour in self.faces[visible[next] as usize].neighbours {
                if self.seen[neighbour as usize] != self.round && self.height(neighbour, point) > 0 {
                    self.seen[neighbour as usize] = self.round;
                    visible.push(neighbour);
                }
            }
            next += 1;
        }
        visible
    }

    /// A point is listed above one face only and may be farther above another one. Lists such points where
    /// they are far; true when there were any.
    fn relist_stragglers(&mut self) -> bool {
        let mut found = false;
        for face in 0..self.faces.len() as u32 {
            if !self.faces[face as usize].alive {
                continue;
            }
            let listed = std::mem::take(&mut self.faces[face as usize].above);
            self.faces[face as usize].farthest = (NONE, 0);
            for point in listed {
                let sees = self.visible(point, face);
                let far = sees.into_iter().find(|&f| self.is_far(f, self.height(f, point)));
                let target = far.unwrap_or(face);
                let height = self.height(target, point);
                self.list(target, point, height);
                if far.is_some() {
                    found = true;
                    self.pending.push(target);
                }
            }
        }
        found
    }
}
