//! The corners of a polygon that is clipped to the sides of another, eight at a time.

use super::{MAX_FACE_CORNERS, spaced};
use crate::narrow::polytope::Polytope;
use crate::narrow::sat::Placement;
use drystone_math::wide::{LANES, Lanes, Mask, Wide};
use drystone_math::{Real, Vector3};

/// A face of a polytope clipped to sides, with room for `N` corners, a multiple of eight, made in all.
pub(super) struct Corners<const N: usize> {
    /// Coordinates, m: corners of the face as it was, then crossings as they were made.
    rows: [[Real; N]; 3],
    /// Above the reference face along the direction of the contact, m.
    heights: [Real; N],
    /// The corner of the face that each is or stands for.
    bases: [u8; N],
    /// How far beyond a side each may be to count as inside, m; infinite for what is no corner (any more).
    limits: [Real; N],
    /// That of the corners, m.
    tolerance: Real,
    /// Corners of the face.
    face_count: usize,
    /// Corners of the face and crossings.
    made: usize,
    /// Which of them are the polygon's, in their order around it.
    order: Order<N>,
}

/// Numbers of corners.
#[derive(Clone, Copy)]
struct Order<const N: usize> {
    list: [u8; N],
    count: usize,
}

impl<const N: usize> Order<N> {
    #[inline]
    fn push(&mut self, corner: usize) {
        if let Some(slot) = self.list.get_mut(self.count) {
            *slot = corner as u8;
            self.count += 1;
        }
    }

    #[inline]
    fn list(&self) -> &[u8] {
        &self.list[..self.count]
    }
}

impl<const N: usize> Corners<N> {
    /// The corners of a face in the frame of its polytope. What is at most `tolerance` (m) beyond a side is inside.
    #[inline]
    pub(super) fn new((polytope, face): (&impl Polytope, usize), tolerance: Real) -> Self {
        let count = polytope.corner_count(face);
        let face_count = count.min(MAX_FACE_CORNERS).min(N);
        let numbers = std::array::from_fn(|k| k as u8);
        let mut corners = Self {
            rows: [[0.0; N]; 3],
            heights: [0.0; N],
            bases: numbers,
            limits: [Real::INFINITY; N],
            tolerance,
            face_count,
            made: face_count,
            order: Order { list: numbers, count: face_count },
        };
        let [x, y, z] = &mut corners.rows;
        for k in 0..face_count {
            let vertex = polytope.vertex(polytope.corner(face, spaced(k, count)));
            (x[k], y[k], z[k]) = (vertex.x, vertex.y, vertex.z);
            corners.limits[k] = tolerance;
        }
        corners
    }

    /// Turns and moves the corners to where `place` says, and takes their heights: distances from the plane with the unit
    /// `normal` and the `offset` (m) times `stretch`.
    #[inline(always)]
    pub(super) fn place<L: Lanes>(
        &mut self,
        lanes: L,
        place: &Placement,
        (normal, offset): (&Vector3, Real),
        stretch: Real,
    ) {
        let (matrix, translation) = (&place.rotation, &place.translation);
        let [nx, ny, nz] = [lanes.splat(normal.x), lanes.splat(normal.y), lanes.splat(normal.z)];
        let [x, y, z] = &mut self.rows;
        let rows = x.as_chunks_mut::<LANES>().0.iter_mut().zip(y.as_chunks_mut().0).zip(z.as_chunks_mut().0);
        let blocks = rows.zip(self.heights.as_chunks_mut().0).take(self.made.div_ceil(LANES));
        for (((x, y), z), heights) in blocks {
            let [px, py, pz] = [lanes.load(x), lanes.load(y), lanes.load(z)];
            for (axis, out) in [&mut *x, &mut *y, &mut *z].into_iter().enumerate() {
                let turned = lanes.splat(matrix[(axis, 0)]) * px
                    + lanes.splat(matrix[(axis, 1)]) * py
                    + lanes.splat(matrix[(axis, 2)]) * pz;
                (turned + lanes.splat(translation[axis])).store(out);
            }
            let height = nx * lanes.load(x) + ny * lanes.load(y) + nz * lanes.load(z);
            ((height - lanes.splat(offset)) * lanes.splat(stretch)).store(heights);
        }
    }

    /// Cuts off what lies beyond the plane through `origin` with the outward unit `side`, by Sutherland and Hodgman's
    /// algorithm (CACM 17(1), 1974). Leaves in `beyond` how far the corners are beyond it, m.
    #[inline(always)]
    pub(super) fn keep_inside<L: Lanes>(
        &mut self,
        lanes: L,
        side: &Vector3,
        origin: &Vector3,
        beyond: &mut [Real; N],
    ) {
        let [sx, sy, sz] = [lanes.splat(side.x), lanes.splat(side.y), lanes.splat(side.z)];
        let [ox, oy, oz] = [lanes.splat(origin.x), lanes.splat(origin.y), lanes.splat(origin.z)];
        let [x, y, z] = &self.rows;
        let rows = x.as_chunks::<LANES>().0.iter().zip(y.as_chunks().0).zip(z.as_chunks().0);
        let blocks = rows.zip(self.limits.as_chunks().0).zip(beyond.as_chunks_mut().0);
        let mut is_cut = false;
        for ((((x, y), z), limits), beyond) in blocks.take(self.made.div_ceil(LANES)) {
            let distance = sx * (lanes.load(x) - ox) + sy * (lanes.load(y) - oy) + sz * (lanes.load(z) - oz);
            distance.store(beyond);
            is_cut |= distance.greater(lanes.load(limits)).any();
        }
        if is_cut {
            self.clip(beyond);
        }
    }

    /// Cuts off the corners that are more than the tolerance `beyond` a side, m.
    fn clip(&mut self, beyond: &[Real; N]) {
        let tolerance = self.tolerance;
        let before = self.order;
        self.order.count = 0;
        let Some(mut this) = before.list().last().map(|c| usize::from(*c)) else {
            return;
        };
        let mut this_beyond = beyond[this];
        for next in before.list().iter().map(|c| usize::from(*c)) {
            let next_beyond = beyond[next];
            let (is_inside, is_next_inside) = (this_beyond <= tolerance, next_beyond <= tolerance);
            // A corner on the side itself stands for the crossing of its edge.
            if is_inside && !is_next_inside && this_beyond < -tolerance {
                self.cut([this, next], [this_beyond, next_beyond]);
            } else if !is_inside && is_next_inside && next_beyond < -tolerance {
                self.cut([next, this], [next_beyond, this_beyond]);
            }
            if is_next_inside {
                self.order.push(next);
            } else {
                self.limits[next] = Real::INFINITY;
            }
            (this, this_beyond) = (next, next_beyond);
        }
    }

    /// Adds the corner where the edge from a corner inside to one outside crosses, given how far both are beyond the side, m;
    /// nothing without room, which convex polygons have.
    #[inline]
    fn cut(&mut self, [inside, outside]: [usize; 2], [inside_beyond, outside_beyond]: [Real; 2]) {
        let new = self.made;
        if new.max(inside).max(outside) >= N {
            return;
        }
        let share = -inside_beyond / (outside_beyond - inside_beyond);
        let [x, y, z] = &mut self.rows;
        for row in [x, y, z, &mut self.heights] {
            row[new] = row[inside] + (row[outside] - row[inside]) * share;
        }
        self.bases[new] = self.bases[outside];
        self.limits[new] = self.tolerance;
        self.made += 1;
        self.order.push(new);
    }

    /// Which corners are the polygon's, in their order around it.
    #[inline]
    pub(super) fn order(&self) -> impl Iterator<Item = usize> + Clone {
        self.order.list().iter().map(|c| usize::from(*c))
    }

    /// Whether a corner is none of the face as it was.
    #[inline]
    pub(super) fn is_crossing(&self, corner: usize) -> bool {
        corner >= self.face_count
    }

    /// Where a corner is, m.
    #[inline]
    pub(super) fn position(&self, corner: usize) -> Vector3 {
        let [x, y, z] = &self.rows;
        Vector3::new(x[corner], y[corner], z[corner])
    }

    /// The height of a corner, m.
    #[inline]
    pub(super) fn height(&self, corner: usize) -> Real {
        self.heights[corner]
    }

    /// The corner of the face that a corner is or stands for.
    #[inline]
    pub(super) fn base(&self, corner: usize) -> usize {
        usize::from(self.bases[corner])
    }
}
