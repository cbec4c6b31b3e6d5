//! The fifteen axes of pairs of boxes, eight pairs side by side.
//!
//! In: half extents and relative poses. Out: [`BoxAxes`], what [`super::box_box`] needs before it looks at features, with the
//! bits that it finds by itself for one pair. Source: as there; rows of `performance.md` on same-type pairs in lanes.

use super::batch::{PAIR_BATCH, PairBatch, Rows, columns};
use super::box_box::{Axis, BoxPair, EdgeSearch, NO_AXIS, PARALLEL_SINE_SQUARED};
use drystone_math::wide::{Isa, Kernel, LANES, Lanes, Wide};
use drystone_math::{Real, RelativePose, Vector3};

/// Pairs of boxes.
#[derive(Clone, Copy, Debug)]
pub enum OfBoxes {}

/// Up to [`PAIR_BATCH`] pairs of boxes.
///
/// Rows: rotation of B (i, j, k, w) and its centre in the frame of A; half extents of A and of B, m.
pub type BoxBatch = PairBatch<OfBoxes>;

/// What a pair of boxes tells before its features are looked at: separations along its face axes, and the best of its edge axes.
#[derive(Clone, Copy, Debug, Default)]
pub struct BoxAxes {
    /// See [`Row`].
    rows: [[f32; LANES]; 3],
}

/// Places in the rows of [`BoxAxes`].
///
/// Row 0: the rotation but its last entry. Row 1: that, the offset along B's axes, the separations of A's faces. Row 2: those of
/// B's faces, separation and code of the best edge axis.
struct Row;

impl Row {
    const LAST_ROTATION: usize = 0;
    const OFFSET_B: usize = 1;
    const FACES_A: usize = 4;
    const FACES_B: usize = 0;
    const EDGE: usize = 3;
    const EDGE_CODE: usize = 4;
}

impl BoxBatch {
    /// Adds a pair: half extents in m, the frame of B seen from that of A.
    ///
    /// # Panics
    /// The batch is full.
    #[inline]
    pub fn push(&mut self, half_a: &Vector3, half_b: &Vector3, b_in_a: &RelativePose) {
        let (q, t) = (&b_in_a.rotation.coords, &b_in_a.translation);
        self.add([
            [q.x, q.y, q.z, q.w, t.x, t.y, t.z, 0.0],
            [half_a.x, half_a.y, half_a.z, half_b.x, half_b.y, half_b.z, 0.0, 0.0],
        ]);
    }

    /// The axes of the pairs in the order in which they were added (what lies beyond them means nothing), and an empty batch.
    pub fn take(&mut self, isa: Isa) -> [BoxAxes; PAIR_BATCH] {
        self.clear();
        let mut out = [BoxAxes::default(); PAIR_BATCH];
        isa.run(Axes { rows: &self.rows, out: &mut out });
        out
    }
}

impl BoxAxes {
    /// The pair, for boxes with these half extents (m) and centre of B (m, frame of A).
    #[inline]
    pub(super) fn pair(&self, half_a: &Vector3, half_b: &Vector3, offset: &Vector3) -> BoxPair {
        let [r, s, _] = &self.rows;
        let b = Row::OFFSET_B;
        BoxPair {
            half_a: (*half_a).into(),
            half_b: (*half_b).into(),
            rotation: [[r[0], r[1], r[2]], [r[3], r[4], r[5]], [r[6], r[7], s[Row::LAST_ROTATION]]],
            offset_a: (*offset).into(),
            offset_b: [s[b], s[b + 1], s[b + 2]],
        }
    }

    /// Separations along the faces of A and of B, m.
    #[inline]
    pub(super) fn faces(&self) -> [[Real; 3]; 2] {
        let [_, s, t] = &self.rows;
        let (a, b) = (Row::FACES_A, Row::FACES_B);
        [[s[a], s[a + 1], s[a + 2]], [t[b], t[b + 1], t[b + 2]]]
    }
}

impl EdgeSearch for &BoxAxes {
    #[inline]
    fn best_above(self, _: &BoxPair, limit: Real) -> Axis {
        let [_, _, t] = &self.rows;
        if t[Row::EDGE] > limit {
            Axis { code: t[Row::EDGE_CODE] as u32, separation: t[Row::EDGE] }
        } else {
            Axis { code: NO_AXIS, separation: limit }
        }
    }
}

/// The work on one batch.
struct Axes<'a> {
    rows: &'a [Rows; 2],
    out: &'a mut [BoxAxes; PAIR_BATCH],
}

impl Kernel for Axes<'_> {
    type Output = ();

    // Indices are written out: closures and iterators of arrays are not always inlined into the kernel.
    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let [i, j, k, w, tx, ty, tz, _] = columns(&self.rows[0], lanes);
        let [ax, ay, az, bx, by, bz, _, _] = columns(&self.rows[1], lanes);
        let (half_a, half_b, t) = ([ax, ay, az], [bx, by, bz], [tx, ty, tz]);
        let r = rotation::<L>([i, j, k, w], lanes);
        let offset_b = [along::<L>(&r, &t, 0), along::<L>(&r, &t, 1), along::<L>(&r, &t, 2)];
        let abs = [abs3::<L>(&r[0]), abs3::<L>(&r[1]), abs3::<L>(&r[2])];
        let columns = [
            [abs[0][0], abs[1][0], abs[2][0]],
            [abs[0][1], abs[1][1], abs[2][1]],
            [abs[0][2], abs[1][2], abs[2][2]],
        ];
        let a = [
            face::<L>(t[0], half_a[0], &abs[0], &half_b),
            face::<L>(t[1], half_a[1], &abs[1], &half_b),
            face::<L>(t[2], half_a[2], &abs[2], &half_b),
        ];
        let b = [
            face::<L>(offset_b[0], half_b[0], &columns[0], &half_a),
            face::<L>(offset_b[1], half_b[1], &columns[1], &half_a),
            face::<L>(offset_b[2], half_b[2], &columns[2], &half_a),
        ];
        let (edge, code) = best_edge::<L>(&r, &abs, &t, [&half_a, &half_b], lanes);
        let zero = lanes.splat(0.0);
        let rows = [
            lanes.transpose([r[0][0], r[0][1], r[0][2], r[1][0], r[1][1], r[1][2], r[2][0], r[2][1]]),
            lanes.transpose([r[2][2], offset_b[0], offset_b[1], offset_b[2], a[0], a[1], a[2], zero]),
            lanes.transpose([b[0], b[1], b[2], edge, code, zero, zero, zero]),
        ];
        let mut lane = 0;
        while lane < LANES {
            let out = &mut self.out[lane].rows;
            rows[0][lane].store(&mut out[0]);
            rows[1][lane].store(&mut out[1]);
            rows[2][lane].store(&mut out[2]);
            lane += 1;
        }
    }
}

/// Rows of the rotation by a unit quaternion, in the order of operations of [`drystone_math::Rotation::to_rotation_matrix`].
#[inline(always)]
pub(super) fn rotation<L: Lanes>([i, j, k, w]: [L::F32; 4], lanes: L) -> [[L::F32; 3]; 3] {
    let two = lanes.splat(2.0);
    let (ww, ii, jj, kk) = (w * w, i * i, j * j, k * k);
    let (ij, wk, wj) = (i * j * two, w * k * two, w * j * two);
    let (ik, jk, wi) = (i * k * two, j * k * two, w * i * two);
    [
        [ww + ii - jj - kk, ij - wk, wj + ik],
        [wk + ij, ww - ii + jj - kk, jk - wi],
        [ik - wj, wi + jk, ww - ii - jj + kk],
    ]
}

/// The offset along axis `j` of B.
#[inline(always)]
pub(super) fn along<L: Lanes>(r: &[[L::F32; 3]; 3], t: &[L::F32; 3], j: usize) -> L::F32 {
    t[0] * r[0][j] + t[1] * r[1][j] + t[2] * r[2][j]
}

#[inline(always)]
fn abs3<L: Lanes>(v: &[L::F32; 3]) -> [L::F32; 3] {
    [v[0].abs(), v[1].abs(), v[2].abs()]
}

/// Signed gap along a face axis, m.
#[inline(always)]
fn face<L: Lanes>(offset: L::F32, half: L::F32, cosines: &[L::F32; 3], other: &[L::F32; 3]) -> L::F32 {
    let reach = cosines[0] * other[0] + cosines[1] * other[1] + cosines[2] * other[2];
    offset.abs() - half - reach
}

/// Separation and code of the first of the best edge axes; minus infinity where all edges are nearly parallel.
#[inline(always)]
fn best_edge<L: Lanes>(
    r: &[[L::F32; 3]; 3],
    abs: &[[L::F32; 3]; 3],
    t: &[L::F32; 3],
    [half_a, half_b]: [&[L::F32; 3]; 2],
    lanes: L,
) -> (L::F32, L::F32) {
    let least = lanes.splat(PARALLEL_SINE_SQUARED);
    let (mut best, mut code) = (lanes.splat(f32::NEG_INFINITY), lanes.splat(0.0));
    let mut i = 0;
    while i < 3 {
        let mut j = 0;
        while j < 3 {
            let (i1, i2, j1, j2) = ((i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3);
            let (p, q) = (r[i1][j], r[i2][j]);
            let sine_squared = p * p + q * q;
            let reach_a = half_a[i1] * abs[i2][j] + half_a[i2] * abs[i1][j];
            let reach_b = half_b[j1] * abs[i][j2] + half_b[j2] * abs[i][j1];
            let gap = (t[i2] * p - t[i1] * q).abs() - reach_a - reach_b;
            let separation = gap / sine_squared.sqrt();
            let is_better = sine_squared.greater(least) & separation.greater(best);
            best = L::F32::select(is_better, separation, best);
            code = L::F32::select(is_better, lanes.splat((6 + 3 * i + j) as f32), code);
            j += 1;
        }
        i += 1;
    }
    (best, code)
}

#[cfg(test)]
mod tests {
    use super::super::{BoxBatch, LocalManifold, Margin, PairCache, box_contact};
    use super::*;
    use drystone_math::Rotation;
    use proptest::prelude::*;

    fn query() -> impl Strategy<Value = (Vector3, Vector3, RelativePose)> {
        let vector = |range: std::ops::Range<f32>| {
            prop::array::uniform3(range).prop_map(|[x, y, z]| Vector3::new(x, y, z))
        };
        // Also aligned, turned a little and by right angles: ties and nearly parallel edges.
        let turn = prop_oneof![
            vector(-3.0..3.0),
            vector(-0.01..0.01),
            prop::sample::select(vec![0.0, 1.0, 2.0])
                .prop_map(|n| Vector3::y() * (n * std::f32::consts::FRAC_PI_2)),
        ];
        let offset = prop_oneof![vector(-1.5..1.5), vector(-1.5..1.5).prop_map(|v| v.map(f32::round))];
        (vector(0.1..1.0), vector(0.1..1.0), turn, offset).prop_map(|(a, b, turn, offset)| {
            (a, b, RelativePose::new(offset, Rotation::from_scaled_axis(turn)))
        })
    }

    proptest! {
        /// The manifold and what is remembered are those that a pair finds by itself, to the bit, with every instruction set
        /// and in every lane, at first and with memory.
        #[test]
        fn lanes_find_what_a_pair_finds_by_itself(
            queries in prop::collection::vec(query(), 1..=PAIR_BATCH),
            margin in 0.0f32..0.3,
            along in -0.3f32..0.3,
        ) {
            let uniform = Margin::uniform(margin);
            let within = Margin { least: 0.3 * margin, ways: [Vector3::x() * along, Vector3::z() * along], ..uniform };
            for isa in Isa::all() {
                let mut batch = BoxBatch::default();
                let mut caches = vec![PairCache::default(); queries.len()];
                let mut lane_caches = caches.clone();
                for _ in 0..2 {
                    queries.iter().for_each(|(a, b, pose)| batch.push(a, b, pose));
                    prop_assert_eq!(batch.len(), queries.len());
                    let axes = batch.take(isa);
                    prop_assert!(batch.is_empty());
                    for (lane, (a, b, pose)) in queries.iter().enumerate() {
                        let mut alone = LocalManifold::default();
                        let (shape_a, shape_b) = (crate::Shape::Box { half_extents: *a }, crate::Shape::Box { half_extents: *b });
                        let one = super::super::contact_within(
                            &shape_a, &shape_b, pose, &within, &mut caches[lane], &mut alone,
                        );
                        let mut found = LocalManifold::default();
                        let other = box_contact(
                            &axes[lane], [a, b], pose, &within, &mut lane_caches[lane], &mut found,
                        );
                        prop_assert_eq!(one, other);
                        prop_assert_eq!(alone.points(), found.points());
                        prop_assert_eq!((alone.normal, alone.gap), (found.normal, found.gap));
                        prop_assert_eq!(caches[lane], lane_caches[lane], "{}", isa.name());
                    }
                }
            }
        }
    }
}
