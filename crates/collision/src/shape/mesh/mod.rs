//! Triangle meshes: surfaces that cannot move.
//!
//! In: vertices (m) and triangles of three indices, counter-clockwise seen from the front. Out: a [`TriangleMesh`] that
//! finds the triangles in a box. Start reading at [`TriangleMesh::new`].
//!
//! Invariants: every triangle kept has three corners within the limits, an area, and differs from all others; those
//! dropped are counted. Nothing is assumed of how triangles meet: they may be a soup, with T-junctions, holes and
//! crossings. Equal input gives equal bits.

mod mass;

pub use mass::closed_mesh_mass;

use super::{MAX_SIZE, round_up};
use crate::ShapeError;
use crate::broad::tree::{Bounds, FixedTree};
use drystone_math::{Real, Vector3, is_finite, widen};

/// Most triangles of a mesh: indices fit, and memory stays bounded (about 1.5 GB).
pub const MAX_MESH_TRIANGLES: usize = 1 << 24;
/// Most vertices of a mesh.
pub const MAX_MESH_VERTICES: usize = 1 << 25;

/// Height of a triangle above its longest edge, in roundings of its largest coordinate, below which it has no area to
/// speak of: its normal would be made of rounding.
const FLAT: f64 = 2.0 * f32::EPSILON as f64;

/// Triangles of the input that are not in the mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DroppedTriangles {
    /// Without area: two corners at one place, or all three on a line.
    pub degenerate: usize,
    /// With the same corners (by place, not by index) in the same sense as one before.
    pub duplicate: usize,
}

/// Triangles with a front and a back, found by place.
///
/// Memory: 12 bytes per vertex, 12 per triangle and about 55 for the tree, some 75 bytes per triangle of a closed mesh.
#[derive(Clone, Debug)]
pub struct TriangleMesh {
    vertices: Vec<Vector3>,
    triangles: Vec<[u32; 3]>,
    tree: FixedTree,
    bounds: Bounds,
    radius: Real,
    dropped: DroppedTriangles,
}

impl PartialEq for TriangleMesh {
    fn eq(&self, other: &Self) -> bool {
        // All else follows.
        self.vertices == other.vertices && self.triangles == other.triangles
    }
}

impl TriangleMesh {
    /// A mesh of triangles with corners at `vertices` (m), counter-clockwise seen from the front. O(n log n).
    ///
    /// # Errors
    /// A vertex that is not finite or beyond [`MAX_SIZE`] on an axis, an index without a vertex, more than
    /// [`MAX_MESH_TRIANGLES`] or [`MAX_MESH_VERTICES`], or no triangle with an area. The first bad one is named.
    pub fn new(vertices: &[Vector3], triangles: &[[u32; 3]]) -> Result<Self, ShapeError> {
        check(vertices, triangles)?;
        let place = places(vertices);
        let (kept, dropped) = sift(vertices, triangles, &place);
        if kept.is_empty() {
            return Err(ShapeError::NoTriangles { given: triangles.len() });
        }
        let count = kept.len() as u32;
        let tree = FixedTree::new(count, |i| bounds_of(&corners(vertices, &kept[i as usize])));
        let bounds = kept.iter().fold(Bounds::EMPTY, |all, t| all.merged(&bounds_of(&corners(vertices, t))));
        let square = |i: &u32| widen(&vertices[*i as usize]).norm_squared();
        let radius = round_up(kept.iter().flatten().map(square).fold(0.0, f64::max).sqrt());
        Ok(Self { vertices: vertices.to_vec(), triangles: kept, tree, bounds, radius, dropped })
    }

    /// The vertices given, m; some may belong to no triangle.
    #[inline]
    pub fn vertices(&self) -> &[Vector3] {
        &self.vertices
    }

    /// The triangles kept, in the order given.
    #[inline]
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// How many triangles of the input were left out, and why.
    #[inline]
    pub fn dropped(&self) -> DroppedTriangles {
        self.dropped
    }

    /// Corners of triangle `index`, m.
    ///
    /// # Panics
    /// There is no such triangle.
    #[inline]
    pub fn corners(&self, index: u32) -> [Vector3; 3] {
        corners(&self.vertices, &self.triangles[index as usize])
    }

    /// Lower and upper corner of the box around all triangles, m.
    pub fn extents(&self) -> [Vector3; 2] {
        [Vector3::from(self.bounds.min), Vector3::from(self.bounds.max)]
    }

    /// Largest distance of a corner from the origin, m, rounded up.
    #[inline]
    pub fn radius(&self) -> Real {
        self.radius
    }

    /// Calls `visit` with index and corners (m) of every triangle whose box overlaps the one from `min` to `max` (m) or
    /// touches it.
    #[inline]
    pub fn search(&self, min: &Vector3, max: &Vector3, mut visit: impl FnMut(u32, &[Vector3; 3])) {
        let bounds = Bounds { min: (*min).into(), max: (*max).into() };
        self.tree.search(&bounds, |index| visit(index, &self.corners(index)));
    }

    /// Memory of the mesh, bytes.
    pub fn size_in_bytes(&self) -> usize {
        size_of_val(self.vertices.as_slice())
            + size_of_val(self.triangles.as_slice())
            + self.tree.size_in_bytes()
    }
}

#[inline]
fn corners(vertices: &[Vector3], triangle: &[u32; 3]) -> [Vector3; 3] {
    triangle.map(|i| vertices[i as usize])
}

fn bounds_of([a, b, c]: &[Vector3; 3]) -> Bounds {
    Bounds { min: a.inf(b).inf(c).into(), max: a.sup(b).sup(c).into() }
}

/// Refuses what no mesh can be made of.
pub(super) fn check(vertices: &[Vector3], triangles: &[[u32; 3]]) -> Result<(), ShapeError> {
    let counts =
        [("vertices", vertices.len(), MAX_MESH_VERTICES), ("triangles", triangles.len(), MAX_MESH_TRIANGLES)];
    if let Some((field, count, limit)) = counts.into_iter().find(|(_, count, limit)| count > limit) {
        return Err(ShapeError::TooMany { field, count, limit });
    }
    for (index, vertex) in vertices.iter().enumerate() {
        let value = (*vertex).into();
        if !is_finite(vertex) {
            return Err(ShapeError::NotFinite { field: "vertices", index, value });
        }
        if vertex.amax() > MAX_SIZE {
            return Err(ShapeError::TooFar { field: "vertices", index, limit: MAX_SIZE, value });
        }
    }
    let count = vertices.len();
    for (triangle, corners) in triangles.iter().enumerate() {
        if let Some(&index) = corners.iter().find(|&&i| i as usize >= count) {
            return Err(ShapeError::NoSuchVertex { triangle, index, vertex_count: count });
        }
    }
    Ok(())
}

/// For every vertex the first one at the same place.
pub(super) fn places(vertices: &[Vector3]) -> Vec<u32> {
    // Zeros of either sign are one place.
    let key = |i: u32| -> [u32; 3] { vertices[i as usize].map(|x| (x + 0.0).to_bits()).into() };
    let mut order: Vec<u32> = (0..vertices.len() as u32).collect();
    order.sort_unstable_by_key(|&i| (key(i), i));
    let mut place = vec![0; vertices.len()];
    for same in order.chunk_by(|&i, &j| key(i) == key(j)) {
        same.iter().for_each(|&i| place[i as usize] = same[0]);
    }
    place
}

/// The triangles that have an area and are the first of their kind.
fn sift(vertices: &[Vector3], triangles: &[[u32; 3]], place: &[u32]) -> (Vec<[u32; 3]>, DroppedTriangles) {
    let is_solid = |i: &u32| !is_flat(&corners(vertices, &triangles[*i as usize]));
    let solid: Vec<u32> = (0..triangles.len() as u32).filter(is_solid).collect();
    let kept = firsts_of_kind(triangles, solid.iter().copied(), place);
    let dropped =
        DroppedTriangles { degenerate: triangles.len() - solid.len(), duplicate: solid.len() - kept.len() };
    (kept.into_iter().map(|i| triangles[i as usize]).collect(), dropped)
}

/// Of the triangles `among` those without one before that has the same corners (by place) in the same sense, in rising order.
pub(super) fn firsts_of_kind(
    triangles: &[[u32; 3]],
    among: impl Iterator<Item = u32>,
    place: &[u32],
) -> Vec<u32> {
    let kind = |index: u32| {
        let mut corners = triangles[index as usize].map(|i| place[i as usize]);
        // The same sense, the smallest in front.
        let smallest = (0..3).min_by_key(|&k| corners[k]).unwrap_or(0);
        corners.rotate_left(smallest);
        (corners, index)
    };
    let mut by_kind: Vec<([u32; 3], u32)> = among.map(kind).collect();
    by_kind.sort_unstable();
    by_kind.dedup_by_key(|(corners, _)| *corners);
    let mut firsts: Vec<u32> = by_kind.into_iter().map(|(_, index)| index).collect();
    firsts.sort_unstable();
    firsts
}

/// True for a triangle without area, up to the rounding of its corners.
fn is_flat(corners: &[Vector3; 3]) -> bool {
    let [a, b, c] = corners.map(|v| widen(&v));
    let sides = [b - a, c - b, a - c];
    let longest = sides.iter().map(|s| s.norm_squared()).fold(0.0, f64::max).sqrt();
    let reach = corners.iter().map(Vector3::amax).fold(0.0, Real::max);
    // Twice the area over the longest edge is the height above it.
    sides[0].cross(&sides[1]).norm() <= longest * FLAT * f64::from(reach)
}
