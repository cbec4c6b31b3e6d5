//! Closest points of segments, and directions square to them.

use drystone_math::{ContactBasis, Real, Vector3};

/// Squared sine of the angle below which two directions count as parallel: 0.01 rad.
///
/// A point then leaves the common line by at most a hundredth of the length, and replacing the true
/// closest direction by the common perpendicular changes a distance by less than 1e-4 of itself.
pub(super) const PARALLEL_SINE_SQUARED: Real = 1.0e-4;

/// Squared sine below which the parameters of closest points are noise rather than a solution.
const DEGENERATE_SINE_SQUARED: Real = 1.0e-10;

/// A segment: centre (m), unit direction, half length (m, may be 0).
#[derive(Clone, Copy, Debug)]
pub(super) struct Segment {
    pub center: Vector3,
    pub direction: Vector3,
    pub half_length: Real,
}

impl Segment {
    /// The point at the signed distance `along` (m) from the centre.
    #[inline]
    pub(super) fn at(&self, along: Real) -> Vector3 {
        self.center + self.direction * along
    }

    /// Where the foot of `point` lies along the segment, m from the centre, kept within its ends.
    #[inline]
    pub(super) fn closest_along(&self, point: &Vector3) -> Real {
        (point - self.center).dot(&self.direction).clamp(-self.half_length, self.half_length)
    }
}

/// Where two segments are closest, as signed distances (m) from their centres along their directions.
///
/// Source: Ericson, "Real-Time Collision Detection", section 5.1.9, for centred segments with unit
/// directions. Parallel segments give one of their closest pairs.
pub(super) fn closest_segments(a: &Segment, b: &Segment) -> (Real, Real) {
    let offset = b.center - a.center;
    let cosine = a.direction.dot(&b.direction);
    let (on_a, on_b) = (offset.dot(&a.direction), offset.dot(&b.direction));
    let sine_squared = a.direction.cross(&b.direction).norm_squared();
    let mut s = 0.0;
    if sine_squared > DEGENERATE_SINE_SQUARED {
        s = ((on_a - cosine * on_b) / sine_squared).clamp(-a.half_length, a.half_length);
    } else {
        // The middle of the stretch that B covers on A.
        let half = b.half_length * cosine.abs();
        let (low, high) = ((on_a - half).max(-a.half_length), (on_a + half).min(a.half_length));
        s = (s + 0.5 * (low + high)).clamp(-a.half_length, a.half_length);
    }
    let t = (cosine * s - on_b).clamp(-b.half_length, b.half_length);
    let s = (on_a + cosine * t).clamp(-a.half_length, a.half_length);
    (s, t)
}

/// Squared length, m², below which a vector has no direction: its square is then near the smallest numbers
/// of `f32` and too coarse. The length, 1e-15 m, is far below any size of a shape.
pub(super) const NO_DIRECTION: Real = 1.0e-30;

/// Unit vector along `v` and its length, m; `None` where that is too short to tell, or not a number.
#[inline]
pub(super) fn unit(v: &Vector3) -> Option<(Vector3, Real)> {
    let square = v.norm_squared();
    (square > NO_DIRECTION && square < Real::INFINITY).then(|| {
        let length = square.sqrt();
        (v / length, length)
    })
}

/// Unit vector along `v`, or, where that is too short to tell, some unit vector square to `axis`.
#[inline]
pub(super) fn unit_or_square_to(v: &Vector3, axis: &Vector3) -> Vector3 {
    match unit(v) {
        Some((unit, _)) => unit,
        None => ContactBasis::new(axis).tangent_1,
    }
}
