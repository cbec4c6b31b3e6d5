//! A ball against balls, capsules and boxes, eight pairs side by side.
//!
//! In: radii, half extents and poses. Out: [`PointContact`], the bits that [`super::round`] finds for one pair. A ball, a capsule and a box
//! are one shape here, a box with a rounding, so that all these pairs go through the same lanes. Source: as there; rows of
//! `performance.md` on same-type pairs in lanes.

use super::batch::{PAIR_BATCH, PairBatch, PointContact, Rows, columns, kept};
use super::box_axes::{along, rotation};
use super::segment::NO_DIRECTION;
use crate::Shape;
use drystone_math::wide::{Isa, Kernel, Lanes, Wide};
use drystone_math::{Real, Rotation, Vector3};

/// Pairs of a ball and a ball, capsule or box.
#[derive(Clone, Copy, Debug)]
pub enum OfBalls {}

/// Up to [`PAIR_BATCH`] pairs of a ball and a ball, capsule or box.
///
/// Rows: rotation of the other shape (i, j, k, w), its centre seen from the ball's, the ball's radius; half extents and rounding of the other
/// shape, m.
///
/// ```
/// use drystone_collision::Shape;
/// use drystone_collision::narrow::{BallBatch, RoundedBox};
/// use drystone_math::wide::Isa;
/// use drystone_math::{Rotation, Vector3};
///
/// let ground = Shape::cuboid(Vector3::new(2.0, 0.5, 2.0)).expect("a box");
/// let ground = RoundedBox::of(&ground).expect("ball, capsule or box");
/// let mut batch = BallBatch::default();
/// // A ball of 0.5 m whose centre is 0.99 m above that of the box.
/// batch.push(0.5, &ground, &Vector3::new(0.0, -0.99, 0.0), &Rotation::identity());
/// let [contact, ..] = batch.take(Isa::best());
/// assert_eq!(contact.normal(), -Vector3::y());
/// assert!((contact.distance() + 0.01).abs() < 1e-6);
/// assert!((contact.point().y + 0.495).abs() < 1e-6);
/// ```
pub type BallBatch = PairBatch<OfBalls>;

/// All points within `rounding` of a box: a ball, a capsule along y, a box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RoundedBox {
    /// Half extents of the box, m.
    pub half_extents: Vector3,
    /// How far the surface is from the box, m.
    pub rounding: Real,
}

impl RoundedBox {
    /// A ball, a capsule or a box; `None` for other shapes.
    #[inline]
    pub fn of(shape: &Shape) -> Option<Self> {
        match *shape {
            Shape::Sphere { radius } => Some(Self { half_extents: Vector3::zeros(), rounding: radius }),
            Shape::Capsule { half_length, radius } => {
                Some(Self { half_extents: Vector3::new(0.0, half_length, 0.0), rounding: radius })
            }
            Shape::Box { half_extents } => Some(Self { half_extents, rounding: 0.0 }),
            _ => None,
        }
    }
}

impl BallBatch {
    /// Adds a ball of `radius` (m) and another shape, whose centre is at `way` (m) from the ball's and which is turned by `rotation` (a ball: not at
    /// all); both in the axes in which the answer is wanted.
    ///
    /// # Panics
    /// The batch is full.
    #[inline]
    pub fn push(&mut self, radius: Real, other: &RoundedBox, way: &Vector3, rotation: &Rotation) {
        let (q, h) = (&rotation.coords, &other.half_extents);
        self.add([
            [q.x, q.y, q.z, q.w, way.x, way.y, way.z, radius],
            [h.x, h.y, h.z, other.rounding, 0.0, 0.0, 0.0, 0.0],
        ]);
    }

    /// The contacts of the pairs in the order in which they were added (what lies beyond them means nothing), and an empty batch.
    /// A pair that is not made of numbers has a distance that is none.
    #[inline]
    pub fn take(&mut self, isa: Isa) -> [PointContact; PAIR_BATCH] {
        self.clear();
        isa.run(Nearest { rows: &self.rows })
    }
}

/// The work on one batch.
struct Nearest<'a> {
    rows: &'a [Rows; 2],
}

impl Kernel for Nearest<'_> {
    type Output = [PointContact; PAIR_BATCH];

    // As `super::round::ball`, and with its order of operations. Written out, since closures are not always inlined into the kernel.
    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> [PointContact; PAIR_BATCH] {
        let [i, j, k, w, tx, ty, tz, radius] = columns(&self.rows[0], lanes);
        let [hx, hy, hz, rounding, ..] = columns(&self.rows[1], lanes);
        let r = rotation::<L>([i, j, k, w], lanes);
        let t = [tx, ty, tz];
        let [x, y, z] = [-along::<L>(&r, &t, 0), -along::<L>(&r, &t, 1), -along::<L>(&r, &t, 2)];
        let (off_x, off_y, off_z) = (x - kept(x, hx), y - kept(y, hy), z - kept(z, hz));
        let square = off_x * off_x + off_y * off_y + off_z * off_z;
        let is_outside = square.greater(lanes.splat(NO_DIRECTION)) & square.less(lanes.splat(f32::INFINITY));
        let length = square.sqrt();

        // Inside: through the nearest face.
        let (deep_x, deep_y, deep_z) = (x.abs() - hx, y.abs() - hy, z.abs() - hz);
        let is_y = deep_y.greater_or_equal(deep_x) & deep_y.greater_or_equal(deep_z);
        let is_x = deep_x.greater_or_equal(deep_z);
        let deepest = L::F32::select(is_y, deep_y, L::F32::select(is_x, deep_x, deep_z));
        let zero = lanes.splat(0.0);
        let in_x = L::F32::select(!is_y & is_x, side::<L>(x, lanes), zero);
        let in_y = L::F32::select(is_y, side::<L>(y, lanes), zero);
        let in_z = L::F32::select(!is_y & !is_x, side::<L>(z, lanes), zero);

        let distance = L::F32::select(is_outside, length, deepest) - radius - rounding;
        let m = [
            -L::F32::select(is_outside, off_x / length, in_x),
            -L::F32::select(is_outside, off_y / length, in_y),
            -L::F32::select(is_outside, off_z / length, in_z),
        ];
        let n = [
            r[0][0] * m[0] + r[0][1] * m[1] + r[0][2] * m[2],
            r[1][0] * m[0] + r[1][1] * m[1] + r[1][2] * m[2],
            r[2][0] * m[0] + r[2][1] * m[1] + r[2][2] * m[2],
        ];
        let middle = lanes.splat(0.5) * (radius + (distance + radius));
        let point = [n[0] * middle, n[1] * middle, n[2] * middle];
        PointContact::all(n, distance, point, distance, lanes)
    }
}

/// The side of zero on which `x` is, 1 or −1.
#[inline(always)]
fn side<L: Lanes>(x: L::F32, lanes: L) -> L::F32 {
    L::F32::select(x.greater(lanes.splat(0.0)), lanes.splat(1.0), lanes.splat(-1.0))
}

#[cfg(test)]
mod tests {
    use super::super::{LocalManifold, PairCache, contact};
    use super::*;
    use drystone_math::{Quaternion, RelativePose};
    use proptest::prelude::*;

    fn other() -> impl Strategy<Value = Shape> {
        prop_oneof![
            (0.1f32..1.0).prop_map(|radius| Shape::Sphere { radius }),
            (0.0f32..1.0, 0.1f32..1.0)
                .prop_map(|(half_length, radius)| Shape::Capsule { half_length, radius }),
            prop::array::uniform3(0.1f32..1.0)
                .prop_map(|half| Shape::Box { half_extents: Vector3::from(half) }),
        ]
    }

    fn query() -> impl Strategy<Value = (f32, Shape, Vector3, Rotation)> {
        let vector = |range: std::ops::Range<f32>| prop::array::uniform3(range).prop_map(Vector3::from);
        // Also on planes of symmetry and in the very centre.
        let way = prop_oneof![vector(-1.5..1.5), vector(-1.5..1.5).prop_map(|v| v.map(f32::round))];
        let turn = prop_oneof![vector(-3.0..3.0), Just(Vector3::zeros())];
        (0.1f32..1.0, other(), way, turn).prop_map(|(radius, other, way, turn)| {
            let turn = if matches!(other, Shape::Sphere { .. }) { Vector3::zeros() } else { turn };
            (radius, other, way, Rotation::from_scaled_axis(turn))
        })
    }

    proptest! {
        /// The contact is the one that a pair finds by itself, to the bit, with every instruction set and in every lane.
        #[test]
        fn lanes_find_what_a_pair_finds_by_itself(
            queries in prop::collection::vec(query(), 1..=PAIR_BATCH),
            margin in 0.0f32..0.3,
        ) {
            for isa in Isa::all() {
                let mut batch = BallBatch::default();
                for (radius, other, way, rotation) in &queries {
                    batch.push(*radius, &RoundedBox::of(other).expect("a rounded box"), way, rotation);
                }
                prop_assert_eq!(batch.len(), queries.len());
                let contacts = batch.take(isa);
                prop_assert!(batch.is_empty());
                for ((radius, other, way, rotation), found) in queries.iter().zip(&contacts) {
                    let ball = Shape::Sphere { radius: *radius };
                    let pose = RelativePose::new(*way, *rotation);
                    let mut alone = LocalManifold::default();
                    contact(&ball, other, &pose, margin, &mut PairCache::default(), &mut alone);
                    prop_assert_eq!(alone.normal, found.normal(), "{}", isa.name());
                    prop_assert_eq!(alone.gap, found.distance());
                    prop_assert_eq!(alone.count == 1, found.distance() <= margin);
                    if let [point] = alone.points() {
                        prop_assert_eq!((point.distance, point.point), (found.distance(), found.point()));
                    }
                }
            }
        }
    }

    /// What is not made of numbers touches nothing, and spoils no other lane.
    #[test]
    fn what_is_no_number_has_no_distance() {
        let cube = RoundedBox { half_extents: Vector3::new(0.5, 0.5, 0.5), rounding: 0.0 };
        let (still, up) = (Rotation::identity(), Vector3::y());
        let broken = Rotation::new_unchecked(Quaternion::new(f32::NAN, 0.0, 0.0, 0.0));
        for isa in Isa::all() {
            let mut batch = BallBatch::default();
            batch.push(0.5, &cube, &Vector3::new(f32::NAN, 0.0, 0.0), &still);
            batch.push(0.5, &cube, &up, &still);
            batch.push(0.5, &cube, &up, &broken);
            batch.push(0.5, &cube, &Vector3::new(0.0, f32::INFINITY, 0.0), &still);
            let contacts = batch.take(isa);
            assert_eq!([0, 1, 2, 3].map(|k| contacts[k].distance().is_finite()), [false, true, false, false]);
            assert_eq!(contacts[1].distance(), 0.0);
        }
    }
}
