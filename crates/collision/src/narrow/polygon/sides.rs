//! The planes through the edges of a face along a direction, eight at a time.

use super::{MAX_FACE_CORNERS, spaced};
use crate::narrow::polytope::Polytope;
use crate::narrow::segment::NO_DIRECTION;
use drystone_math::wide::{LANES, Lanes, Mask, Wide};
use drystone_math::{Real, Vector3};

/// The corners at which the sides of a face begin, with room for `R` - 8 sides, a multiple of eight.
pub(super) struct Rim<const R: usize> {
    /// Coordinates, m; the first corner follows the last.
    rows: [[Real; R]; 3],
    /// Number of sides.
    pub(super) count: usize,
}

impl<const R: usize> Rim<R> {
    /// Of a face of `polytope`.
    #[inline]
    pub(super) fn new((polytope, face): (&impl Polytope, usize)) -> Self {
        let corner_count = polytope.corner_count(face);
        let count = corner_count.min(MAX_FACE_CORNERS).min(R - LANES);
        let mut rim = Self { rows: [[0.0; R]; 3], count };
        let [x, y, z] = &mut rim.rows;
        for k in 0..count {
            let vertex = polytope.vertex(polytope.corner(face, spaced(k, corner_count)));
            (x[k], y[k], z[k]) = (vertex.x, vertex.y, vertex.z);
        }
        (x[count], y[count], z[count]) = (x[0], y[0], z[0]);
        rim
    }

    /// The corner at which side `k` begins, m.
    #[inline]
    pub(super) fn corner(&self, k: usize) -> Vector3 {
        let [x, y, z] = &self.rows;
        Vector3::new(x[k], y[k], z[k])
    }
}

/// Outward unit vectors of the planes through the sides of a face.
pub(super) struct Sides<const R: usize> {
    rows: [[Real; R]; 3],
    /// Bit `k` is set where side `k` is long enough to have a direction.
    usable: u64,
}

impl<const R: usize> Sides<R> {
    /// Those of the planes along `along`, which goes out of the face.
    #[inline(always)]
    pub(super) fn new<L: Lanes>(lanes: L, rim: &Rim<R>, along: &Vector3) -> Self {
        let mut sides = Self { rows: [[0.0; R]; 3], usable: 0 };
        let [ax, ay, az] = [lanes.splat(along.x), lanes.splat(along.y), lanes.splat(along.z)];
        let ([x, y, z], [out_x, out_y, out_z]) = (&rim.rows, &mut sides.rows);
        for first in (0..rim.count.min(R - LANES)).step_by(LANES) {
            let dx = lanes.load_slice(&x[first + 1..]) - lanes.load_slice(&x[first..]);
            let dy = lanes.load_slice(&y[first + 1..]) - lanes.load_slice(&y[first..]);
            let dz = lanes.load_slice(&z[first + 1..]) - lanes.load_slice(&z[first..]);
            let [nx, ny, nz] = [dy * az - dz * ay, dz * ax - dx * az, dx * ay - dy * ax];
            let square = nx * nx + ny * ny + nz * nz;
            let is_usable =
                square.greater(lanes.splat(NO_DIRECTION)) & square.less(lanes.splat(Real::INFINITY));
            sides.usable |= u64::from(is_usable.bits()) << first;
            let length = square.sqrt();
            (nx / length).store_slice(&mut out_x[first..]);
            (ny / length).store_slice(&mut out_y[first..]);
            (nz / length).store_slice(&mut out_z[first..]);
        }
        sides
    }

    /// That of side `k`; none where the side is too short to tell.
    #[inline]
    pub(super) fn normal(&self, k: usize) -> Option<Vector3> {
        let [x, y, z] = &self.rows;
        (self.usable >> k & 1 == 1).then(|| Vector3::new(x[k], y[k], z[k]))
    }
}
