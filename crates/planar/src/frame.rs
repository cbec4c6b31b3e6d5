//! Numbers of the plane: vectors, turns, poses and boxes.

use drystone_math::Real;
use std::f64::consts::TAU;

/// Largest angle that is advanced by as it is, rad.
const LARGEST_ANGLE: Real = 64.0;
/// What the length of a cosine and a sine in single precision is unsure of: a few units in the last place of each.
const UNIT_ROUNDING: f64 = 5e-7;

/// A vector in the plane.
pub type Vector2 = nalgebra::Vector2<Real>;
/// A point of the plane, m, in double precision.
pub type Position2 = nalgebra::Point2<f64>;

/// The third component of the cross product of two vectors of the plane.
#[inline]
pub fn cross(a: &Vector2, b: &Vector2) -> Real {
    a.x * b.y - a.y * b.x
}

/// `v` turned by a quarter against the clock: what an angular velocity of 1 rad/s does to an arm.
#[inline]
pub fn perpendicular(v: &Vector2) -> Vector2 {
    Vector2::new(-v.y, v.x)
}

/// An orientation in the plane, as cosine and sine of its angle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turn {
    /// Cosine of the angle.
    pub cos: Real,
    /// Sine of the angle.
    pub sin: Real,
}

impl Default for Turn {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Turn {
    /// The world's own orientation.
    pub const IDENTITY: Self = Self { cos: 1.0, sin: 0.0 };

    /// By an angle, rad, against the clock. Not for use within a step: the platform's sine is not the same everywhere.
    pub fn new(angle: f64) -> Self {
        let (sin, cos) = angle.sin_cos();
        Self { cos: cos as Real, sin: sin as Real }
    }

    /// The angle in (−π, π], rad.
    pub fn angle(&self) -> f64 {
        f64::from(self.sin).atan2(f64::from(self.cos))
    }

    /// `v`, given in the turned frame, in the outer one.
    #[inline]
    pub fn apply(&self, v: &Vector2) -> Vector2 {
        Vector2::new(self.cos * v.x - self.sin * v.y, self.sin * v.x + self.cos * v.y)
    }

    /// `v`, given in the outer frame, in the turned one.
    #[inline]
    pub fn undo(&self, v: &Vector2) -> Vector2 {
        Vector2::new(self.cos * v.x + self.sin * v.y, self.cos * v.y - self.sin * v.x)
    }

    /// `other` seen from this one.
    #[inline]
    pub fn relative(&self, other: &Turn) -> Turn {
        Turn {
            cos: self.cos * other.cos + self.sin * other.sin,
            sin: self.cos * other.sin - self.sin * other.cos,
        }
    }

    /// This turn after `inner`.
    #[inline]
    pub fn compose(&self, inner: &Turn) -> Turn {
        Turn {
            cos: self.cos * inner.cos - self.sin * inner.sin,
            sin: self.sin * inner.cos + self.cos * inner.sin,
        }
    }

    /// This turn followed by a turn of `angle` rad.
    ///
    /// Exact for small angles up to the fifth order (Padé), of unit length for any; no transcendental of the platform.
    /// A turn of more than half a radian is cut into equal parts of less, at most 128 of them; whole turns of what is beyond
    /// that are left out.
    #[inline]
    pub fn advanced(&self, angle: Real) -> Turn {
        // A remainder is exact, on every machine.
        let angle = if angle.abs() <= LARGEST_ANGLE { angle } else { (f64::from(angle) % TAU) as Real };
        // The cast makes no parts of what is not finite.
        let parts = if angle.abs() <= 0.5 { 1 } else { ((2.0 * angle.abs()).ceil() as u32).max(1) };
        let mut turned = *self;
        for _ in 0..parts {
            // Tangent of half of the part: x (15 − x²) / (15 − 6 x²), with x half of it.
            let x = 0.5 * angle / parts as Real;
            let t = x * (15.0 - x * x) / (15.0 - 6.0 * x * x);
            let scale = 1.0 / (1.0 + t * t);
            let step = Turn { cos: (1.0 - t * t) * scale, sin: 2.0 * t * scale };
            turned = turned.compose(&step);
        }
        let length = (turned.cos * turned.cos + turned.sin * turned.sin).sqrt();
        Turn { cos: turned.cos / length, sin: turned.sin / length }
    }

    /// The same turn with unit length; bits of one that has it to rounding stay.
    pub(crate) fn normalised(&self) -> Turn {
        let (cos, sin) = (f64::from(self.cos), f64::from(self.sin));
        let length = (cos * cos + sin * sin).sqrt();
        if (length - 1.0).abs() <= UNIT_ROUNDING {
            return *self;
        }
        Turn { cos: (cos / length) as Real, sin: (sin / length) as Real }
    }
}

/// Where a body is in the plane.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlanarPose {
    /// Origin of the frame, m, world.
    pub translation: Position2,
    /// Orientation: local to world.
    pub turn: Turn,
}

impl PlanarPose {
    /// A frame at `(x, y)` (m), turned by `angle` (rad).
    pub fn new(x: f64, y: f64, angle: f64) -> Self {
        Self { translation: Position2::new(x, y), turn: Turn::new(angle) }
    }

    /// A frame at `(x, y)` (m) aligned with the world.
    pub fn at(x: f64, y: f64) -> Self {
        Self { translation: Position2::new(x, y), turn: Turn::IDENTITY }
    }

    /// A point of this frame (m, local) in the world.
    #[inline]
    pub fn transform_point(&self, local: &Vector2) -> Position2 {
        self.translation + widen(&self.turn.apply(local))
    }

    /// True when every component is finite.
    #[inline]
    pub fn is_finite(&self) -> bool {
        let t = &self.translation;
        t.x.is_finite() && t.y.is_finite() && self.turn.cos.is_finite() && self.turn.sin.is_finite()
    }
}

/// Widens a displacement to double precision.
#[inline]
pub(crate) fn widen(v: &Vector2) -> nalgebra::Vector2<f64> {
    nalgebra::Vector2::new(f64::from(v.x), f64::from(v.y))
}

/// The way from `a` to `b`, m, subtracted in double precision and then narrowed.
#[inline]
pub(crate) fn offset(a: &Position2, b: &Position2) -> Vector2 {
    Vector2::new((b.x - a.x) as Real, (b.y - a.y) as Real)
}

/// An axis-aligned box of the plane, m, world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Box2 {
    /// Lower corner, m.
    pub min: Position2,
    /// Upper corner, m.
    pub max: Position2,
}

impl Box2 {
    /// The box that contains nothing and overlaps nothing.
    pub const EMPTY: Self = Self {
        min: Position2::new(f64::INFINITY, f64::INFINITY),
        max: Position2::new(f64::NEG_INFINITY, f64::NEG_INFINITY),
    };

    /// True when the two closed boxes share a point.
    #[inline]
    pub fn overlaps(&self, other: &Self) -> bool {
        // Without branches: which of the four fails is a matter of chance.
        (self.min.x <= other.max.x)
            & (other.min.x <= self.max.x)
            & (self.min.y <= other.max.y)
            & (other.min.y <= self.max.y)
    }

    /// True when `other` lies wholly inside (borders included).
    #[inline]
    pub fn contains(&self, other: &Self) -> bool {
        (self.min.x <= other.min.x)
            & (self.min.y <= other.min.y)
            & (other.max.x <= self.max.x)
            & (other.max.y <= self.max.y)
    }

    /// The box grown by `margin` (m) on every side.
    #[inline]
    pub fn grown(&self, margin: f64) -> Self {
        let m = nalgebra::Vector2::repeat(margin);
        Self { min: self.min - m, max: self.max + m }
    }

    /// The middle of the box.
    #[inline]
    pub fn center(&self) -> Position2 {
        nalgebra::center(&self.min, &self.max)
    }

    /// The longest edge, m.
    #[inline]
    pub fn longest_edge(&self) -> f64 {
        (self.max.x - self.min.x).max(self.max.y - self.min.y)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_and_large_turns_advance_by_their_angle() {
        for angle in [1e-6_f32, 0.01, -0.3, 0.99, 2.5, -7.0, 40.0, 64.1, 404.771_55, -1e4, 3e9] {
            let turn = Turn::new(0.4).advanced(angle);
            let wanted = Turn::new(0.4 + f64::from(angle));
            assert!(
                (turn.cos - wanted.cos).abs() + (turn.sin - wanted.sin).abs() < 2e-5,
                "{angle}: {turn:?}"
            );
            assert!((turn.cos.hypot(turn.sin) - 1.0).abs() < 1e-6);
        }
        assert!(!Turn::IDENTITY.advanced(Real::NAN).cos.is_finite());
    }

    #[test]
    fn relative_turns_undo_composed_ones() {
        let (a, b) = (Turn::new(0.3), Turn::new(-1.2));
        let back = a.compose(&a.relative(&b));
        assert!((back.cos - b.cos).abs() + (back.sin - b.sin).abs() < 1e-6);
        let v = Vector2::new(1.0, 2.0);
        assert!((a.undo(&a.apply(&v)) - v).norm() < 1e-6);
    }
}
