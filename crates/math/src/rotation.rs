//! Turning an orientation by a rotation vector, with plain arithmetic only.

use crate::wide::{Isa, Kernel, LANES, Lanes, Mask, Wide};
use crate::{Displacement, Real, Rotation, Vector3, WideRotation};
use nalgebra::{Quaternion, UnitQuaternion};

/// Half angle (rad) up to which the series below are used; larger turns are halved first.
const SERIES_HALF_ANGLE: Real = 0.4;
/// Bound on the halvings: covers every finite turn whose angle has any meaning in `f32`.
const MAX_HALVINGS: u32 = 64;

/// The rotation by `|v|` radians about `v`, to `f32` rounding.
///
/// Sine and cosine of the half angle come from their Taylor series (to the 8th order: the remainder at
/// 0.4 rad is below 1e-9), so no platform's maths library takes part and equal input gives equal bits.
/// Larger angles are halved, and the quaternion squared as often. A vector that is not finite gives the
/// identity.
#[inline]
pub fn rotation_from_vector(v: &Vector3) -> Rotation {
    let mut half = v * 0.5;
    let mut square = half.norm_squared();
    if !square.is_finite() {
        return Rotation::identity();
    }
    let mut halvings = 0;
    while square > SERIES_HALF_ANGLE * SERIES_HALF_ANGLE && halvings < MAX_HALVINGS {
        half *= 0.5;
        square *= 0.25;
        halvings += 1;
    }
    let s = square;
    // By reciprocals: seven divisions would take longer than the rest.
    let part = |divisor: Real| s * (1.0 / divisor);
    let sinc = 1.0 - part(6.0) * (1.0 - part(20.0) * (1.0 - part(42.0) * (1.0 - part(72.0))));
    let cos = 1.0 - part(2.0) * (1.0 - part(12.0) * (1.0 - part(30.0) * (1.0 - part(56.0))));
    let mut q = Quaternion::new(cos, half.x * sinc, half.y * sinc, half.z * sinc);
    for _ in 0..halvings {
        q *= q;
        q *= 1.0 / q.norm();
    }
    unit(q)
}

/// `rotation` turned for `dt` seconds by the world angular velocity `angular` (rad/s), of unit length.
///
/// Exact for a constant angular velocity (the exponential map), where S1 adds `ω dt` to the angles.
///
/// ```
/// use drystone_math::{Rotation, Vector3, integrate_rotation};
/// let quarter = std::f32::consts::FRAC_PI_2;
/// let turned = integrate_rotation(&Rotation::identity(), &Vector3::new(0.0, 0.0, quarter), 1.0);
/// assert!((turned * Vector3::x() - Vector3::y()).norm() < 1e-6);
/// ```
#[inline]
pub fn integrate_rotation(rotation: &Rotation, angular: &Vector3, dt: Real) -> Rotation {
    unit((rotation_from_vector(&(angular * dt)) * rotation).into_inner())
}

/// A rotation on its way: its components, the real part last, then the rotation vector (rad) that turns it, and one entry for nothing.
pub type TurnRow = [Real; LANES];

/// [`integrate_rotation`] for many, each by the vector of its row: the first four entries become those of the turned rotation, the
/// others stay. To the bit what each alone would give; eight at a time, for each alone waits for its roots and divisions one after the other.
pub fn turn_rows(isa: Isa, rows: &mut [TurnRow]) {
    let (eights, others) = rows.as_chunks_mut();
    isa.run(Turns(eights));
    others.iter_mut().for_each(turn_row);
}

/// One row of [`turn_rows`].
fn turn_row(row: &mut TurnRow) {
    let [x, y, z, w, turn_x, turn_y, turn_z, _] = *row;
    let rotation = Rotation::new_unchecked(Quaternion::new(w, x, y, z));
    let turned = integrate_rotation(&rotation, &Vector3::new(turn_x, turn_y, turn_z), 1.0);
    row[..4].copy_from_slice(turned.coords.as_slice());
}

struct Turns<'a>(&'a mut [[TurnRow; LANES]]);

impl Kernel for Turns<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let half = lanes.splat(0.5);
        let widest = lanes.splat(SERIES_HALF_ANGLE * SERIES_HALF_ANGLE);
        for rows in self.0 {
            let [r0, r1, r2, r3, r4, r5, r6, r7] = &*rows;
            let [x, y, z, w, turn_x, turn_y, turn_z, rest] = lanes.gather([r0, r1, r2, r3, r4, r5, r6, r7]);
            let [i, j, k] = [turn_x * half, turn_y * half, turn_z * half];
            let square = i * i + j * j + k * k;
            // Large turns, and what is no number.
            if !square.less_or_equal(widest).all() {
                rows.iter_mut().for_each(turn_row);
                continue;
            }
            let sinc = even_series(lanes, square, [6.0, 20.0, 42.0, 72.0]);
            let r = even_series(lanes, square, [2.0, 12.0, 30.0, 56.0]);
            let [i, j, k, r] = lanes.unit([i * sinc, j * sinc, k * sinc, r]);
            let [x, y, z, w] = lanes.unit([
                r * x + i * w + j * z - k * y,
                r * y - i * z + j * w + k * x,
                r * z + i * y - j * x + k * w,
                r * w - i * x - j * y - k * z,
            ]);
            let [v0, v1, v2, v3, v4, v5, v6, v7] =
                lanes.transpose([x, y, z, w, turn_x, turn_y, turn_z, rest]);
            let [r0, r1, r2, r3, r4, r5, r6, r7] = rows;
            v0.store(r0);
            v1.store(r1);
            v2.store(r2);
            v3.store(r3);
            v4.store(r4);
            v5.store(r5);
            v6.store(r6);
            v7.store(r7);
        }
    }
}

/// The series of [`rotation_from_vector`] with these divisors, of eight.
#[inline(always)]
fn even_series<L: Lanes>(lanes: L, square: L::F32, divisors: [Real; 4]) -> L::F32 {
    let one = lanes.splat(1.0);
    let [a, b, c, d] = divisors;
    let last = one - square * lanes.splat(1.0 / d);
    one - square
        * lanes.splat(1.0 / a)
        * (one - square * lanes.splat(1.0 / b) * (one - square * lanes.splat(1.0 / c) * last))
}

/// How far the square of a rotation's length may be from 1 and still come from rounding.
const ROUNDING: Real = 1e-6;

/// A rotation given from outside, of unit length: as it is where it differs by rounding alone, scaled where it differs by more.
///
/// ```
/// use drystone_math::{Quaternion, Rotation, unit_rotation};
/// let short = Rotation::new_unchecked(Quaternion::new(0.999, 0.01, 0.0, 0.0));
/// assert!((unit_rotation(&short).norm() - 1.0).abs() < 1e-6);
/// let fine = Rotation::from_euler_angles(0.1, 0.2, 0.3);
/// assert_eq!(unit_rotation(&fine), fine);
/// ```
#[inline]
pub fn unit_rotation(rotation: &Rotation) -> Rotation {
    if (rotation.norm_squared() - 1.0).abs() <= ROUNDING {
        return *rotation;
    }
    unit(rotation.into_inner())
}

/// Half angle (rad) beyond which a turn in `f64` has no digits left within one revolution.
const MEANINGLESS_HALF_ANGLE: f64 = 4_503_599_627_370_496.0;

/// Square of the half angle up to which the series of [`wide_rotation_from_vector`] to the 9th order leave nothing of a double.
const SHORT_SQUARE: f64 = 1e-3;

/// The same as [`rotation_from_vector`] in double precision: the series go to the 14th order, which leaves
/// less than 1e-17 at 0.4 rad (for small turns to the 8th, which leaves 1e-21 at 0.06 rad). A turn beyond 2^53 rad, where neighbouring numbers are whole radians apart,
/// and one that is not finite give the identity.
#[inline]
pub fn wide_rotation_from_vector(v: &Displacement) -> WideRotation {
    let mut half = v * 0.5;
    if let Some([x, y, z, w]) = short_wide_turns(&[half.x, half.y, half.z].map(|x| [x])) {
        return UnitQuaternion::new_unchecked(Quaternion::new(w[0], x[0], y[0], z[0]));
    }
    let mut square = half.norm_squared();
    let is_meant = square <= MEANINGLESS_HALF_ANGLE * MEANINGLESS_HALF_ANGLE;
    if !is_meant {
        return WideRotation::identity();
    }
    let mut halvings = 0;
    while square > f64::from(SERIES_HALF_ANGLE * SERIES_HALF_ANGLE) && halvings < MAX_HALVINGS {
        half *= 0.5;
        square *= 0.25;
        halvings += 1;
    }
    let (sinc, cos) = (series(square, 15), series(square, 14));
    let mut q = Quaternion::new(cos, half.x * sinc, half.y * sinc, half.z * sinc);
    for _ in 0..halvings {
        q *= q;
        q *= 1.0 / q.norm();
    }
    UnitQuaternion::new_unchecked(q * (1.0 / q.norm()))
}

/// A series from its last term backwards, `1 - s / (k (k - 1)) (1 - ...)`, by reciprocals, which are constants: that of the cosine for an even `last`, that of the
/// sine over the angle for an odd one.
#[inline(always)]
fn series(square: f64, last: u32) -> f64 {
    let (mut sum, mut k) = (1.0, last);
    // Iterators that step are not unrolled, and the reciprocals would be divisions.
    while k >= 2 {
        sum = 1.0 - square * (1.0 / f64::from(k * (k - 1))) * sum;
        k -= 2;
    }
    sum
}

/// [`wide_rotation_from_vector`] of `N` small turns side by side: `half` has the components of half their vectors, rad, the answer those of unit quaternions, the
/// real part last. `None` where one of them is more than 0.03 rad or no number. To the bit what each alone would give.
#[inline(always)]
pub fn short_wide_turns<const N: usize>(half: &[[f64; N]; 3]) -> Option<[[f64; N]; 4]> {
    // Loops, for the closures of arrays may stay calls where the instruction set is another one.
    let mut square = [0.0; N];
    for k in 0..N {
        square[k] = half[0][k] * half[0][k] + half[1][k] * half[1][k] + half[2][k] * half[2][k];
    }
    if !square.iter().all(|&square| square <= SHORT_SQUARE) {
        return None;
    }
    let mut turns = [[0.0; N]; 4];
    for k in 0..N {
        let (sinc, cos) = (series(square[k], 9), series(square[k], 8));
        let [i, j, l] = [half[0][k] * sinc, half[1][k] * sinc, half[2][k] * sinc];
        let scale = 1.0 / ((i * i + l * l) + (j * j + cos * cos)).sqrt();
        [turns[0][k], turns[1][k], turns[2][k], turns[3][k]] = [i * scale, j * scale, l * scale, cos * scale];
    }
    Some(turns)
}

/// A rotation in double precision, of unit length to its rounding (a rotation in `f32` is so only to the
/// rounding of `f32`).
#[inline]
pub fn widen_rotation(rotation: &Rotation) -> WideRotation {
    let wide = rotation.coords.map(f64::from);
    UnitQuaternion::new_unchecked(Quaternion::from(wide * (1.0 / wide.norm())))
}

/// Narrows a rotation to the engine's scalar.
#[inline]
pub fn narrow_rotation(rotation: &WideRotation) -> Rotation {
    Rotation::new_unchecked(Quaternion::from(rotation.coords.map(|c| c as Real)))
}

/// A quaternion scaled to unit length. In `f64`, so that what is left is the rounding of the result: a scale
/// in `f32` leaves lengths above one on average, which a spinning body gathers as energy.
#[inline]
fn unit(q: Quaternion<Real>) -> Rotation {
    let wide = q.coords.map(f64::from);
    let scaled = wide * (1.0 / wide.norm());
    Rotation::new_unchecked(Quaternion::from(scaled.map(|c| c as Real)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_million_small_turns_stay_unit_length() {
        let mut q = Rotation::from_euler_angles(0.1, 0.2, 0.3);
        for _ in 0..1_000_000 {
            q = integrate_rotation(&q, &Vector3::new(1.0, -20.0, 3.0), 1.0 / 240.0);
        }
        assert!((q.norm() - 1.0).abs() < 1e-6);
    }

    #[test]
    fn non_finite_turns_are_ignored() {
        assert_eq!(rotation_from_vector(&Vector3::new(Real::NAN, 0.0, 0.0)), Rotation::identity());
        assert_eq!(rotation_from_vector(&Vector3::new(Real::MAX, Real::MAX, 0.0)), Rotation::identity());
    }

    #[test]
    fn turns_without_meaning_are_ignored_in_double_precision() {
        for huge in [1e17, 1e200, f64::MAX, f64::INFINITY, f64::NAN] {
            let turned = wide_rotation_from_vector(&Displacement::new(0.0, huge, 1.0));
            assert_eq!(turned, WideRotation::identity(), "{huge}");
        }
        let large = wide_rotation_from_vector(&Displacement::new(1e9, -1e12, 3e15));
        assert!((large.norm() - 1.0).abs() < 1e-15);
    }

    proptest! {
        /// The library's exponential map is the reference here too.
        #[test]
        fn matches_the_exponential_map_in_double_precision(
            x in -9.0f64..9.0, y in -9.0f64..9.0, z in -9.0f64..9.0, shrink in 0..4i32,
        ) {
            let v = Displacement::new(x, y, z) * 0.01f64.powi(shrink);
            let (ours, exact) = (wide_rotation_from_vector(&v), nalgebra::UnitQuaternion::from_scaled_axis(v));
            let off = (ours.coords - exact.coords).norm().min((ours.coords + exact.coords).norm());
            prop_assert!(off < 1e-14, "{ours} against {exact}: {off}");
        }

        /// Eight at a time, and what is left over, are what each alone is; some turns are large, and some are no numbers.
        #[test]
        fn rows_are_turned_as_each_alone(
            rows in prop::collection::vec(prop::array::uniform8(-1.0f32..1.0), 0..20),
            odd in 0..40usize, size in prop::sample::select(vec![1e-6f32, 0.01, 0.3, 5.0]), is_number: bool,
        ) {
            let mut rows = rows;
            for (k, row) in rows.iter_mut().enumerate() {
                let q = unit(Quaternion::new(row[3], row[0], row[1], row[2]));
                row[..4].copy_from_slice(q.coords.as_slice());
                row[4..7].iter_mut().for_each(|turn| *turn *= size);
                if k == odd {
                    row[5] = if is_number { 30.0 } else { Real::NAN };
                }
            }
            let mut alone = rows.clone();
            alone.iter_mut().for_each(turn_row);
            for isa in Isa::all() {
                let mut turned = rows.clone();
                turn_rows(isa, &mut turned);
                for (a, b) in turned.iter().zip(&alone) {
                    prop_assert_eq!(a.map(Real::to_bits), b.map(Real::to_bits));
                }
            }
        }

        /// The library's exponential map in f64 is the reference.
        #[test]
        fn matches_the_exponential_map(x in -9.0f32..9.0, y in -9.0f32..9.0, z in -9.0f32..9.0) {
            let ours = rotation_from_vector(&Vector3::new(x, y, z));
            let exact = nalgebra::UnitQuaternion::from_scaled_axis(nalgebra::Vector3::<f64>::new(x.into(), y.into(), z.into()));
            let dot = (0..4).map(|i| f64::from(ours.coords[i]) * exact.coords[i]).sum::<f64>().abs();
            prop_assert!(dot > 1.0 - 1e-6, "{ours} against {exact}");
        }
    }
}
