//! Sine, cosine and the vector of a rotation, in `f64` and with plain arithmetic only: equal bits on every machine.
//!
//! Sine and cosine: the angle less the nearest multiple of π/2, then the Taylor series, to the 19th and 18th order: the remainder at
//! π/4 is below 1e-19. π/2 is taken off in three parts, the first two of 33 bits each, so that their multiples are exact for up to
//! 2^20 quarter turns (Cody and Waite 1980). Beyond that the error grows to the rounding of the angle itself.

use nalgebra::{UnitQuaternion, Vector3};

/// π/2 to 33 bits.
const HALF_PI_HIGH: f64 = 1.570_796_326_734_125_6;
/// The next 33 bits of π/2.
const HALF_PI_MIDDLE: f64 = 6.077_100_506_303_966e-11;
/// The rest of π/2.
const HALF_PI_LOW: f64 = 2.022_266_248_795_950_6e-21;

/// Added and taken away again it rounds what is below 2^51 to a whole number, without a call: the sum has no digits behind the point.
const WHOLE: f64 = 6_755_399_441_055_744.0;

/// Angle (2^45 rad) beyond which neighbouring numbers are 8 mrad apart or more.
const MEANINGLESS: f64 = 35_184_372_088_832.0;

/// Sine and cosine of an angle, rad; an absolute error below 3e-16 up to 1e6 rad. Those of 0 for an angle beyond 2^45 rad, finite or not, which
/// has two digits left within one turn; not a number for what is none.
#[inline]
pub fn sine_cosine(angle: f64) -> (f64, f64) {
    if angle.abs() > MEANINGLESS {
        return (0.0, 1.0);
    }
    let shifted = angle * std::f64::consts::FRAC_2_PI + WHOLE;
    let quarters = shifted - WHOLE;
    let x = ((angle - quarters * HALF_PI_HIGH) - quarters * HALF_PI_MIDDLE) - quarters * HALF_PI_LOW;
    let s = x * x;
    let (sin, cos) = (x * series(s, &ODD), series(s, &EVEN));
    // The last bits of the sum are those of the whole number.
    match shifted.to_bits() & 3 {
        0 => (sin, cos),
        1 => (cos, -sin),
        2 => (-sin, -cos),
        _ => (-cos, sin),
    }
}

/// `1 / (k (k - 1))` for the terms of the sine, first to last.
const ODD: [f64; 9] = reciprocals(3);
/// The same for the cosine.
const EVEN: [f64; 9] = reciprocals(2);

const fn reciprocals(first: u32) -> [f64; 9] {
    let mut parts = [0.0; 9];
    let mut index = 0;
    while index < 9 {
        let k = (first + 2 * index as u32) as f64;
        parts[index] = 1.0 / (k * (k - 1.0));
        index += 1;
    }
    parts
}

/// `1 - s p₀ (1 - s p₁ (...))`, from the last term backwards.
#[inline(always)]
fn series(square: f64, parts: &[f64; 9]) -> f64 {
    let [a, b, c, d, e, f, g, h, i] = parts;
    let s = square;
    let high = 1.0 - s * e * (1.0 - s * f * (1.0 - s * g * (1.0 - s * h * (1.0 - s * i))));
    1.0 - s * a * (1.0 - s * b * (1.0 - s * c * (1.0 - s * d * high)))
}

/// The arc tangent of `y/x` for `y ≥ 0`: 0 to π; 0 for (0, 0). An error below 1e-15.
pub(super) fn angle_of(y: f64, x: f64) -> f64 {
    if y == 0.0 && x == 0.0 {
        return 0.0;
    }
    // Four halvings bring the tangent below 0.1; tan(a/2) = y / (x + √(x² + y²)), also where x is negative.
    let (mut y, mut x) = (y, x);
    for _ in 0..4 {
        let length = (x * x + y * y).sqrt();
        if x >= 0.0 {
            x += length;
        } else {
            // The same ratio without cancellation.
            (y, x) = (length - x, y);
        }
    }
    let t = y / x;
    let s = t * t;
    let sum = (0..10_u32).rev().fold(0.0, |sum, k| 1.0 / f64::from(2 * k + 1) - s * sum);
    16.0 * t * sum
}

/// The vector of a rotation: its axis times its angle, rad, at most π long. The inverse of
/// `drystone_math::wide_rotation_from_vector`.
pub fn rotation_vector(rotation: &UnitQuaternion<f64>) -> Vector3<f64> {
    let (mut v, mut w) = (rotation.imag(), rotation.w);
    if w < 0.0 {
        (v, w) = (-v, -w);
    }
    let sine = v.norm();
    if sine < 1e-9 {
        // sin(a/2) = a/2 to the last digit.
        return v * (2.0 / w);
    }
    v * (2.0 * angle_of(sine, w) / sine)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The library's functions are the reference.
    #[test]
    fn sines_and_cosines_are_those_of_the_library() {
        for k in -20_000..20_000_i32 {
            let angle = f64::from(k) * 0.013_7 * (1.0 + f64::from(k.unsigned_abs() % 97));
            let (sin, cos) = sine_cosine(angle);
            assert!((sin - angle.sin()).abs() < 3e-16, "{angle}: {sin} {}", angle.sin());
            assert!((cos - angle.cos()).abs() < 3e-16, "{angle}: {cos} {}", angle.cos());
        }
        for huge in [1e16, -1e300, f64::INFINITY] {
            assert_eq!(sine_cosine(huge), (0.0, 1.0));
        }
        for k in 0..100 {
            let (sin, cos) = sine_cosine(3.5e13 * f64::from(k) / 100.0);
            assert!((sin * sin + cos * cos - 1.0).abs() < 1e-14);
        }
        assert!(sine_cosine(f64::NAN).0.is_nan() && sine_cosine(f64::NAN).1.is_nan());
    }

    #[test]
    fn vectors_of_rotations_are_found_again() {
        for k in 0..2000 {
            let angle = 1e-12 * (f64::from(k) * 0.014_38).exp();
            let v = Vector3::new(0.36, -0.48, 0.8) * angle.min(3.1);
            let found = rotation_vector(&UnitQuaternion::from_scaled_axis(v));
            assert!((found - v).norm() < 3e-15 * (1.0 + v.norm()), "{v} {found}");
        }
        assert_eq!(rotation_vector(&UnitQuaternion::identity()), Vector3::zeros());
    }
}
