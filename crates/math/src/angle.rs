//! Angles from their tangents, with plain arithmetic only.

use crate::Real;

/// tan(π/8): beyond it the half-angle step below brings the argument nearer to 0.
const EIGHTH: Real = 0.414_213_57;

/// The angle of the direction (x, y), rad, in -π ..= π; 0 for (0, 0).
///
/// The series of the arc tangent to the 17th order: an error below 1e-7 beside rounding. No platform's maths library takes part, so equal
/// input gives equal bits. What is no number gives what is no number.
///
/// ```
/// use drystone_math::atan2;
/// assert!((atan2(1.0, -1.0) - 0.75 * std::f32::consts::PI).abs() < 1e-6);
/// ```
pub fn atan2(y: Real, x: Real) -> Real {
    let (a, b) = (y.abs(), x.abs());
    if a == 0.0 && b == 0.0 {
        return 0.0;
    }
    let is_steep = a > b;
    // Equal sizes: also where both are infinite.
    let ratio = if a == b {
        1.0
    } else if is_steep {
        b / a
    } else {
        a / b
    };
    let is_wide = ratio > EIGHTH;
    let t = if is_wide { (ratio - 1.0) / (ratio + 1.0) } else { ratio };
    let s = t * t;
    // 1 - s/3 + s²/5 - ..., from its last term backwards.
    let series = (0..9).rev().fold(0.0, |sum, k| 1.0 / (2 * k + 1) as Real - s * sum);
    let quarter = std::f32::consts::FRAC_PI_4;
    let mut angle = t * series + if is_wide { quarter } else { 0.0 };
    if is_steep {
        angle = 2.0 * quarter - angle;
    }
    if x < 0.0 {
        angle = 4.0 * quarter - angle;
    }
    if y < 0.0 { -angle } else { angle }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angles_are_those_of_the_library_in_double_precision() {
        for k in -2000..=2000 {
            let angle = f64::from(k) * std::f64::consts::PI / 2000.0;
            for size in [1e-20, 1.0, 3e15] {
                let (y, x) = ((size * angle.sin()) as Real, (size * angle.cos()) as Real);
                let exact = f64::from(y).atan2(f64::from(x));
                assert!((f64::from(atan2(y, x)) - exact).abs() < 6e-7, "{angle}: {}", atan2(y, x));
            }
        }
        assert_eq!(atan2(0.0, 0.0), 0.0);
        let library = f64::from(Real::INFINITY).atan2(f64::from(Real::NEG_INFINITY));
        assert!((f64::from(atan2(Real::INFINITY, Real::NEG_INFINITY)) - library).abs() < 6e-7);
    }

    /// Beside a zero it was 0.
    #[test]
    fn what_is_no_number_gives_what_is_no_number() {
        for x in [0.0, -0.0, 1.0, Real::INFINITY, Real::NAN] {
            assert!(atan2(Real::NAN, x).is_nan() && atan2(x, Real::NAN).is_nan(), "{x}");
        }
    }
}
