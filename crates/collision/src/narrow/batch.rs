//! Pairs of one kind that are looked at side by side, and the contact in one point that lanes find.

use drystone_math::wide::{LANES, Lanes, Wide};
use drystone_math::{Real, Vector3};
use std::marker::PhantomData;

/// Pairs that are looked at together.
pub const PAIR_BATCH: usize = LANES;

/// A row of eight numbers per pair.
pub(super) type Rows = [[f32; LANES]; PAIR_BATCH];

/// Up to [`PAIR_BATCH`] pairs of the kind `K`: [`BoxBatch`](super::BoxBatch), [`BallBatch`](super::BallBatch),
/// [`CapsuleBatch`](super::CapsuleBatch).
#[derive(Clone, Debug)]
pub struct PairBatch<K> {
    /// Two rows per pair, of which the kind knows what stands in them.
    pub(super) rows: [Rows; 2],
    len: usize,
    kind: PhantomData<K>,
}

impl<K> Default for PairBatch<K> {
    fn default() -> Self {
        Self { rows: [[[0.0; LANES]; PAIR_BATCH]; 2], len: 0, kind: PhantomData }
    }
}

impl<K> PairBatch<K> {
    /// Adds a pair.
    #[inline]
    pub(super) fn add(&mut self, rows: [[f32; LANES]; 2]) {
        (self.rows[0][self.len], self.rows[1][self.len]) = (rows[0], rows[1]);
        self.len += 1;
    }

    /// Empties the batch; returns how many pairs were in it. Their rows stay.
    #[inline]
    pub(super) fn clear(&mut self) -> usize {
        std::mem::take(&mut self.len)
    }

    /// Pairs in the batch.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// True without pairs.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// True when no more pairs fit in.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.len == PAIR_BATCH
    }
}

/// Where two shapes that touch in one point are nearest to each other.
#[derive(Clone, Copy, Debug, Default)]
pub struct PointContact {
    /// Normal, distance, point, gap.
    row: [f32; LANES],
}

impl PointContact {
    /// Unit vector from the first shape to the second.
    #[inline]
    pub fn normal(&self) -> Vector3 {
        let [x, y, z, ..] = self.row;
        Vector3::new(x, y, z)
    }

    /// Signed gap at the point, m: negative when they overlap.
    #[inline]
    pub fn distance(&self) -> Real {
        self.row[3]
    }

    /// Middle between the two surfaces, m, seen from the centre of the first shape.
    #[inline]
    pub fn point(&self) -> Vector3 {
        let [_, _, _, _, x, y, z, _] = self.row;
        Vector3::new(x, y, z)
    }

    /// How far all of one is from all of the other along the normal, m: the distance up to rounding.
    #[inline]
    pub fn gap(&self) -> Real {
        self.row[7]
    }

    /// Those that stand in lanes.
    #[inline(always)]
    pub(super) fn all<L: Lanes>(
        normal: [L::F32; 3],
        distance: L::F32,
        point: [L::F32; 3],
        gap: L::F32,
        lanes: L,
    ) -> [Self; PAIR_BATCH] {
        let ([nx, ny, nz], [x, y, z]) = (normal, point);
        let rows = lanes.transpose([nx, ny, nz, distance, x, y, z, gap]);
        let mut out = [Self { row: [0.0; LANES] }; PAIR_BATCH];
        let mut lane = 0;
        while lane < PAIR_BATCH {
            rows[lane].store(&mut out[lane].row);
            lane += 1;
        }
        out
    }
}

/// The rows of all pairs as columns.
#[inline(always)]
pub(super) fn columns<L: Lanes>(r: &Rows, lanes: L) -> [L::F32; LANES] {
    lanes.gather([&r[0], &r[1], &r[2], &r[3], &r[4], &r[5], &r[6], &r[7]])
}

/// `x` kept within `half` on both sides of zero.
#[inline(always)]
pub(super) fn kept<F: Wide>(x: F, half: F) -> F {
    x.max(-half).min(half)
}
