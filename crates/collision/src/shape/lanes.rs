//! A hull's vertices and planes eight at a time, and which faces meet at a vertex.
//!
//! What every contact of a hull asks for: the lowest vertex along a direction, and how far a point is above all
//! faces. Arithmetic is that of scalars, lane by lane; what pads the last eight never wins.

use super::{HullEdge, HullFace};
use drystone_math::wide::{Baseline, LANES, Lanes, Mask, Wide};
use drystone_math::{Real, Vector3};

/// The same hull in the layout of its queries.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct HullLanes {
    /// Coordinates of eight vertices, m; the first vertex fills up.
    vertices: Vec<[[Real; LANES]; 3]>,
    /// Normals and offsets (m) of eight planes; planes infinitely far out fill up.
    planes: Vec<[[Real; LANES]; 4]>,
    /// The faces at vertex `v` are `faces_at[first_at[v]..first_at[v + 1]]`, in rising order.
    first_at: Vec<u32>,
    faces_at: Vec<u32>,
    /// Least distance of a face from the centre of mass, m.
    pub(crate) thinness: Real,
}

impl HullLanes {
    /// The layout of a finished hull with its centre of mass at `center`.
    pub(crate) fn new(
        vertices: &[Vector3],
        faces: &[HullFace],
        edges: &[HullEdge],
        center: &Vector3,
    ) -> Self {
        let filler = vertices.first().copied().unwrap_or_default();
        let vertex_lanes = vertices.chunks(LANES).map(|chunk| {
            [0, 1, 2].map(|axis| std::array::from_fn(|lane| chunk.get(lane).unwrap_or(&filler)[axis]))
        });
        let plane_lanes = faces.chunks(LANES).map(|chunk| {
            let entry = |lane: usize, k: usize| match chunk.get(lane) {
                Some(face) if k < 3 => face.normal[k],
                Some(face) => face.offset,
                None if k < 3 => 0.0,
                None => Real::INFINITY,
            };
            [0, 1, 2, 3].map(|k| std::array::from_fn(|lane| entry(lane, k)))
        });
        let (first_at, faces_at) = faces_by_vertex(vertices.len(), edges);
        Self {
            vertices: vertex_lanes.collect(),
            planes: plane_lanes.collect(),
            first_at,
            faces_at,
            thinness: faces
                .iter()
                .fold(Real::INFINITY, |least, f| least.min(f.offset - f.normal.dot(center))),
        }
    }

    /// The vertex lowest along `direction`, the first of equal ones, and its height (m, for a unit vector). O(vertices).
    #[inline]
    pub(crate) fn lowest(&self, direction: &Vector3) -> (usize, Real) {
        self.lowest_in(Baseline::default(), direction)
    }

    /// The same with an instruction set.
    #[inline(always)]
    pub(crate) fn lowest_in<L: Lanes>(&self, lanes: L, direction: &Vector3) -> (usize, Real) {
        let [x, y, z] = [direction.x, direction.y, direction.z].map(|c| lanes.splat(c));
        let mut low = lanes.splat(Real::INFINITY);
        let mut low_block = lanes.splat(0.0);
        // Blocks are counted in floats, exact far beyond the number of vertices a hull may have.
        let (mut block, one) = (lanes.splat(0.0), lanes.splat(1.0));
        for [vx, vy, vz] in &self.vertices {
            let height = lanes.load(vx) * x + lanes.load(vy) * y + lanes.load(vz) * z;
            let is_lower = height.less(low);
            low_block = Wide::select(is_lower, block, low_block);
            low = height.min(low);
            block = block + one;
        }
        let lowest = -(-low).largest();
        let mut first = usize::MAX;
        let blocks = low_block.to_array();
        let mut ties = low.equal(lanes.splat(lowest)).bits();
        while ties != 0 {
            let lane = ties.trailing_zeros() as usize;
            first = first.min(blocks[lane] as usize * LANES + lane);
            ties &= ties - 1;
        }
        // A direction that is no number leaves no tie.
        if first == usize::MAX { (0, Real::INFINITY) } else { (first, lowest) }
    }

    /// Lowers `heights[f]` to the height of `point` above face `f`, m, where that is lower; the face then highest,
    /// the first of equal ones, and its height. Entries beyond the faces become minus infinity.
    ///
    /// `heights` holds a multiple of eight entries; faces beyond them are left out.
    #[inline]
    pub(crate) fn lower(&self, point: &Vector3, heights: &mut [Real]) -> (usize, Real) {
        self.lower_in(Baseline::default(), point, heights)
    }

    /// The same with an instruction set.
    #[inline(always)]
    pub(crate) fn lower_in<L: Lanes>(
        &self,
        lanes: L,
        point: &Vector3,
        heights: &mut [Real],
    ) -> (usize, Real) {
        let [x, y, z] = [point.x, point.y, point.z].map(|c| lanes.splat(c));
        let mut high = lanes.splat(Real::NEG_INFINITY);
        let (heights, _) = heights.as_chunks_mut::<LANES>();
        for ([nx, ny, nz, offset], heights) in self.planes.iter().zip(&mut *heights) {
            let height = lanes.load(nx) * x + lanes.load(ny) * y + lanes.load(nz) * z - lanes.load(offset);
            let height = height.min(lanes.load(heights));
            height.store(heights);
            high = height.max(high);
        }
        let highest = high.largest();
        let high = lanes.splat(highest);
        for (block, heights) in heights.iter().take(self.planes.len()).enumerate() {
            let ties = lanes.load(heights).equal(high).bits();
            if ties != 0 {
                return (block * LANES + ties.trailing_zeros() as usize, highest);
            }
        }
        (0, Real::NEG_INFINITY)
    }

    /// The face whose normal goes along `direction` most, the first of equal ones. O(faces).
    pub(crate) fn most_aligned(&self, direction: &Vector3) -> usize {
        let lanes = Baseline::default();
        let [x, y, z] = [direction.x, direction.y, direction.z].map(|c| lanes.splat(c));
        let (mut best, mut highest) = (0, Real::NEG_INFINITY);
        for (block, [nx, ny, nz, offset]) in self.planes.iter().enumerate() {
            let cosine = lanes.load(nx) * x + lanes.load(ny) * y + lanes.load(nz) * z;
            // What fills up has no normal.
            let is_face = lanes.load(offset).less(lanes.splat(Real::INFINITY));
            let cosine = Wide::select(is_face, cosine, lanes.splat(Real::NEG_INFINITY));
            if cosine.greater(lanes.splat(highest)).any() {
                highest = cosine.largest();
                let ties = cosine.equal(lanes.splat(highest)).bits();
                best = block * LANES + ties.trailing_zeros() as usize % LANES;
            }
        }
        best
    }

    /// Sets bit `bit` (below 23) of `sides[f]` for every face that `point` is at most `limit` (m) above. The bits
    /// are those of a whole number in a float, so that they stay in lanes.
    #[inline(always)]
    pub(crate) fn mark_below_in<L: Lanes>(
        &self,
        lanes: L,
        point: &Vector3,
        limit: Real,
        bit: u32,
        sides: &mut [Real],
    ) {
        let [x, y, z] = [lanes.splat(point.x), lanes.splat(point.y), lanes.splat(point.z)];
        let (limit, zero) = (lanes.splat(limit), lanes.splat(0.0));
        let mark = lanes.splat((1_u32 << bit) as Real);
        let (sides, _) = sides.as_chunks_mut::<LANES>();
        for ([nx, ny, nz, offset], sides) in self.planes.iter().zip(sides) {
            let height = lanes.load(nx) * x + lanes.load(ny) * y + lanes.load(nz) * z - lanes.load(offset);
            let marks = Wide::select(height.less_or_equal(limit), mark, zero);
            (lanes.load(sides) + marks).store(sides);
        }
    }

    /// The faces that meet at a vertex, in rising order.
    #[inline]
    pub(crate) fn faces_at(&self, vertex: usize) -> &[u32] {
        &self.faces_at[self.first_at[vertex] as usize..self.first_at[vertex + 1] as usize]
    }
}

/// The faces at each vertex, from the two of every edge there: where each begins, and all of them.
fn faces_by_vertex(vertex_count: usize, edges: &[HullEdge]) -> (Vec<u32>, Vec<u32>) {
    let mut at = vec![Vec::new(); vertex_count];
    for edge in edges {
        for vertex in edge.vertices {
            at[vertex as usize].extend(edge.faces);
        }
    }
    let (mut first_at, mut faces_at) = (vec![0], Vec::new());
    for mut faces in at {
        faces.sort_unstable();
        faces.dedup();
        faces_at.extend(faces);
        first_at.push(faces_at.len() as u32);
    }
    (first_at, faces_at)
}
