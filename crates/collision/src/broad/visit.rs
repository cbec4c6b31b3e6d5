//! What boxes are visited by: a ray, or a box that moves straight.

use drystone_math::{Aabb, Displacement, Position};

use super::{BroadError, is_absent};

/// A ray, or a box that moves straight without turning.
///
/// ```
/// use drystone_collision::broad::BoxCast;
/// use drystone_math::{Aabb, Displacement, Position};
/// let ray = BoxCast::ray(Position::origin(), Displacement::x(), f64::INFINITY)?;
/// let wall = Aabb::from_center(Position::new(5.0, 0.0, 0.0), Displacement::repeat(1.0));
/// assert_eq!(ray.entry(&wall), Some(4.0));
/// # Ok::<(), drystone_collision::broad::BroadError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoxCast {
    pub(super) origin: Position,
    pub(super) direction: Displacement,
    pub(super) half_extents: Displacement,
    pub(super) end: f64,
}

impl BoxCast {
    /// From `origin` (m, world) along `direction` as far as `end` times that; `end` may be infinite.
    ///
    /// # Errors
    /// What is not finite, a direction of zeros, and an end that is no number or negative.
    pub fn ray(origin: Position, direction: Displacement, end: f64) -> Result<Self, BroadError> {
        if direction == Displacement::zeros() {
            return Err(BroadError::OutOfRange { field: "direction", expected: "not zero", value: 0.0 });
        }
        check(origin.coords.iter().chain(direction.iter()), "ray")?;
        let is_valid = end >= 0.0;
        let expected = "at least 0";
        if !is_valid {
            return Err(BroadError::OutOfRange { field: "end", expected, value: end });
        }
        Ok(Self { origin, direction, half_extents: Displacement::zeros(), end })
    }

    /// The box `aabb` moved by `way`, m, world; a way of zeros is the box where it is.
    ///
    /// # Errors
    /// A box that is empty or unbounded, and what is not finite.
    pub fn swept(aabb: &Aabb, way: Displacement) -> Result<Self, BroadError> {
        if aabb.is_empty() || !aabb.is_bounded() {
            let (expected, value) = ("a box with bounds", aabb.longest_edge());
            return Err(BroadError::OutOfRange { field: "aabb", expected, value });
        }
        check(way.iter(), "way")?;
        let center = aabb.center();
        // From the rounded middle to the farther side.
        let half_extents = (aabb.max - center).sup(&(center - aabb.min));
        Ok(Self { origin: center, direction: way, half_extents, end: 1.0 })
    }

    /// How far it goes, in units of the direction.
    pub fn end(&self) -> f64 {
        self.end
    }

    /// Lets it end sooner; later is ignored.
    pub fn shorten(&mut self, end: f64) {
        self.end = self.end.min(end);
    }

    /// When a box is met first, in units of the direction (for [`BoxCast::swept`] as a fraction of the way); 0 when it is met at the
    /// start, `None` when it is not met or empty.
    #[inline]
    pub fn entry(&self, aabb: &Aabb) -> Option<f64> {
        if is_absent(aabb) {
            return None;
        }
        let (mut enter, mut leave) = (0.0_f64, self.end);
        for axis in 0..3 {
            let (origin, direction) = (self.origin[axis], self.direction[axis]);
            let low = aabb.min[axis] - self.half_extents[axis] - origin;
            let high = aabb.max[axis] + self.half_extents[axis] - origin;
            if direction == 0.0 {
                if low > 0.0 || high < 0.0 {
                    return None;
                }
                continue;
            }
            let (near, far) = if direction > 0.0 { (low, high) } else { (high, low) };
            let (near, far) = (near / direction, far / direction);
            (enter, leave) = (enter.max(near), leave.min(far));
        }
        (enter <= leave).then_some(enter)
    }
}

/// Refuses what is not finite.
fn check<'a>(mut values: impl Iterator<Item = &'a f64>, field: &'static str) -> Result<(), BroadError> {
    match values.find(|value| !value.is_finite()) {
        Some(&value) => Err(BroadError::OutOfRange { field, expected: "finite", value }),
        None => Ok(()),
    }
}
