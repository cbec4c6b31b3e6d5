//! A capsule against a capsule, eight pairs side by side.
//!
//! In: half lengths, radii and poses. Out: [`PointContact`], the bits that [`super::round`] finds for one pair, for pairs that touch in one
//! point; which of them are (nearly) parallel or cross, and have to be looked at alone, the batch says. Source: as there and in
//! [`super::segment`]; rows of `performance.md` on same-type pairs in lanes.

use super::batch::{PAIR_BATCH, PairBatch, PointContact, Rows, columns, kept};
use super::box_axes::rotation;
use super::segment::{NO_DIRECTION, PARALLEL_SINE_SQUARED};
use drystone_math::wide::{Isa, Kernel, Lanes, Mask, Wide};
use drystone_math::{Real, Rotation, Vector3};

/// Pairs of capsules.
#[derive(Clone, Copy, Debug)]
pub enum OfCapsules {}

/// Up to [`PAIR_BATCH`] pairs of capsules.
///
/// Rows: rotation of A (i, j, k, w), centre of B seen from A's, half length of A; rotation of B, its half length, radii of A and of B.
///
/// ```
/// use drystone_collision::narrow::CapsuleBatch;
/// use drystone_math::wide::Isa;
/// use drystone_math::{Rotation, Vector3};
///
/// let (upright, lying) = (Rotation::identity(), Rotation::from_scaled_axis(Vector3::new(0.0, 0.0, 1.5)));
/// let mut batch = CapsuleBatch::default();
/// // Half lengths and radii in m; B lies across A's upper end.
/// batch.push([(0.5, 0.2), (1.0, 0.3)], &Vector3::new(0.0, 1.0, 0.0), [&upright, &lying]);
/// let ([contact, ..], alone) = batch.take(Isa::best());
/// assert_eq!(alone, 0, "one point");
/// assert!(contact.distance().abs() < 0.01);
/// assert!(contact.normal().y > 0.99);
/// ```
pub type CapsuleBatch = PairBatch<OfCapsules>;

impl CapsuleBatch {
    /// Adds two capsules, (half length, radius) in m, along y of their frames: the centre of B is at `way` (m) from that of A, and both are
    /// turned by `rotations`; all in the axes in which the answer is wanted.
    ///
    /// # Panics
    /// The batch is full.
    #[inline]
    pub fn push(&mut self, [a, b]: [(Real, Real); 2], way: &Vector3, rotations: [&Rotation; 2]) {
        let [p, q] = rotations.map(|rotation| &rotation.coords);
        self.add([[p.x, p.y, p.z, p.w, way.x, way.y, way.z, a.0], [q.x, q.y, q.z, q.w, b.0, a.1, b.1, 0.0]]);
    }

    /// The contacts of the pairs in the order in which they were added, and an empty batch. Bit `i` is set where what stands for pair `i` means
    /// nothing: the two are parallel or cross, or are not made of numbers, and have to be looked at alone ([`super::contact`]).
    #[inline]
    pub fn take(&mut self, isa: Isa) -> ([PointContact; PAIR_BATCH], u8) {
        let count = self.clear();
        let (contacts, is_point) = isa.run(Nearest { rows: &self.rows });
        (contacts, !is_point & ((1_u32 << count) - 1) as u8)
    }
}

/// The work on one batch.
struct Nearest<'a> {
    rows: &'a [Rows; 2],
}

impl Kernel for Nearest<'_> {
    type Output = ([PointContact; PAIR_BATCH], u8);

    // As `super::round::round_segments`, and with its order of operations.
    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> Self::Output {
        let [i, j, k, w, tx, ty, tz, half_a] = columns(&self.rows[0], lanes);
        let a = rotation::<L>([i, j, k, w], lanes);
        let [i, j, k, w, half_b, radius_a, radius_b, _] = columns(&self.rows[1], lanes);
        let b = rotation::<L>([i, j, k, w], lanes);
        // Where y goes.
        let (along_a, along_b) = ([a[0][1], a[1][1], a[2][1]], [b[0][1], b[1][1], b[2][1]]);
        let way = [tx, ty, tz];
        let cross = [
            along_a[1] * along_b[2] - along_a[2] * along_b[1],
            along_a[2] * along_b[0] - along_a[0] * along_b[2],
            along_a[0] * along_b[1] - along_a[1] * along_b[0],
        ];
        let sine_squared = dot::<L>(&cross, &cross);

        let cosine = dot::<L>(&along_a, &along_b);
        let (on_a, on_b) = (dot::<L>(&way, &along_a), dot::<L>(&way, &along_b));
        let s = kept((on_a - cosine * on_b) / sine_squared, half_a);
        let t = kept(cosine * s - on_b, half_b);
        let s = kept(on_a + cosine * t, half_a);
        let core_a = [along_a[0] * s, along_a[1] * s, along_a[2] * s];
        let core_b = [tx + along_b[0] * t, ty + along_b[1] * t, tz + along_b[2] * t];
        let off = [core_b[0] - core_a[0], core_b[1] - core_a[1], core_b[2] - core_a[2]];
        let square = dot::<L>(&off, &off);
        let is_point = sine_squared.greater_or_equal(lanes.splat(PARALLEL_SINE_SQUARED))
            & square.greater(lanes.splat(NO_DIRECTION))
            & square.less(lanes.splat(f32::INFINITY));

        let length = square.sqrt();
        let distance = length - radius_a - radius_b;
        let n = [off[0] / length, off[1] / length, off[2] / length];
        let lead = radius_a - radius_b;
        let half = lanes.splat(0.5);
        let middle = [
            (core_a[0] + core_b[0] + n[0] * lead) * half,
            (core_a[1] + core_b[1] + n[1] * lead) * half,
            (core_a[2] + core_b[2] + n[2] * lead) * half,
        ];
        let reach = dot::<L>(&n, &along_a).abs() * half_a + dot::<L>(&n, &along_b).abs() * half_b;
        let gap = dot::<L>(&n, &way) - reach - radius_a - radius_b;
        (PointContact::all(n, distance, middle, gap, lanes), is_point.bits())
    }
}

#[inline(always)]
fn dot<L: Lanes>(a: &[L::F32; 3], b: &[L::F32; 3]) -> L::F32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[cfg(test)]
mod tests {
    use super::super::LocalManifold;
    use super::super::round::round_segments;
    use super::super::segment::Segment;
    use super::*;
    use proptest::prelude::*;

    type Query = ([(f32, f32); 2], Vector3, [Rotation; 2]);

    fn query() -> impl Strategy<Value = Query> {
        let vector = |range: std::ops::Range<f32>| prop::array::uniform3(range).prop_map(Vector3::from);
        // Also through each other's middle, parallel, and nearly so.
        let way = prop_oneof![vector(-1.5..1.5), Just(Vector3::zeros())];
        let turn = prop_oneof![vector(-3.0..3.0), vector(-0.02..0.02), Just(Vector3::zeros())];
        let capsule = || (0.0f32..1.0, 0.05f32..0.5);
        (capsule(), capsule(), way, turn, vector(-3.0..3.0)).prop_map(|(a, b, way, turn, both)| {
            let a_turn = Rotation::from_scaled_axis(both);
            ([a, b], way, [a_turn, a_turn * Rotation::from_scaled_axis(turn)])
        })
    }

    proptest! {
        /// The contact is the one that a pair finds by itself, to the bit, with every instruction set and in every lane; what is left to
        /// that is parallel or crosses.
        #[test]
        fn lanes_find_what_a_pair_finds_by_itself(
            queries in prop::collection::vec(query(), 1..=PAIR_BATCH),
        ) {
            for isa in Isa::all() {
                let mut batch = CapsuleBatch::default();
                for (capsules, way, [a, b]) in &queries {
                    batch.push(*capsules, way, [a, b]);
                }
                prop_assert_eq!(batch.len(), queries.len());
                let (contacts, asks_alone) = batch.take(isa);
                prop_assert!(batch.is_empty() && u32::from(asks_alone) >> queries.len() == 0);
                for (lane, (capsules, way, turns)) in queries.iter().enumerate() {
                    let segment = |side: usize, center| Segment {
                        center,
                        direction: turns[side].to_rotation_matrix() * Vector3::y(),
                        half_length: capsules[side].0,
                    };
                    let (a, b) = (segment(0, Vector3::zeros()), segment(1, *way));
                    let sine_squared = a.direction.cross(&b.direction).norm_squared();
                    let found = &contacts[lane];
                    if asks_alone >> lane & 1 == 1 {
                        let is_crossing = way.norm() == 0.0;
                        prop_assert!(sine_squared < PARALLEL_SINE_SQUARED || is_crossing, "{}", isa.name());
                        continue;
                    }
                    let mut alone = LocalManifold::default();
                    round_segments((&a, capsules[0].1), (&b, capsules[1].1), 10.0, &mut alone);
                    prop_assert_eq!(alone.count, 1);
                    let point = &alone.points[0];
                    prop_assert_eq!((alone.normal, alone.gap), (found.normal(), found.gap()));
                    prop_assert_eq!((point.distance, point.point), (found.distance(), found.point()));
                }
            }
        }
    }

    /// What is not made of numbers is left to be looked at alone.
    #[test]
    fn what_is_no_number_is_no_point() {
        let (up, aside) = (Rotation::identity(), Rotation::from_scaled_axis(Vector3::x()));
        for isa in Isa::all() {
            let mut batch = CapsuleBatch::default();
            for way in [Vector3::new(f32::NAN, 0.0, 0.0), Vector3::x(), Vector3::new(0.0, f32::INFINITY, 0.0)]
            {
                batch.push([(0.5, 0.2); 2], &way, [&up, &aside]);
            }
            assert_eq!(batch.take(isa).1, 0b101);
        }
    }
}
