//! One second-order cone of three dimensions in an interior-point method: `{ x₀ ≥ |x₁| }` with `x₁` in the plane.
//!
//! Source: Nesterov and Todd's scaling as in Vandenberghe, "The CVXOPT linear and quadratic cone program solvers" (2010),
//! sections 4 and 5. With `J = diag(1, −1, −1)`:
//! ```text
//! s̄ = s/√(s·Js)   z̄ = z/√(z·Jz)   γ = √((1 + s̄·z̄)/2)   w = (s̄ + J z̄)/(2γ)   η = (s·Js / z·Jz)^¼
//! W = η [ w₀  w₁ᵀ ; w₁  1 + w₁w₁ᵀ/(1 + w₀) ]    W z = W⁻¹ s = λ    W⁻² = η⁻² (2 (Jw)(Jw)ᵀ − J)
//! ```

use nalgebra::{Matrix3, Vector3};

/// A point of the cone's space.
pub(super) type Point = Vector3<f64>;

/// The unit of the cone's product.
pub(super) const UNIT: Point = Point::new(1.0, 0.0, 0.0);

/// `x·Jx`, positive inside of the cone; as a product, which keeps its digits near the border.
#[inline]
pub(super) fn determinant(x: &Point) -> f64 {
    let tangential = (x.y * x.y + x.z * x.z).sqrt();
    (x.x - tangential) * (x.x + tangential)
}

/// How far inside of the cone a point is: its smaller eigenvalue, negative outside.
fn depth(x: &Point) -> f64 {
    x.x - (x.y * x.y + x.z * x.z).sqrt()
}

/// How far a point is outside of the cone, 0 inside.
pub(super) fn distance_outside(x: &Point) -> f64 {
    (-depth(x)).max(0.0)
}

/// A point that rounding may have left outside, drawn back to the axis as far as need be.
#[inline]
pub(super) fn drawn_in(x: &Point) -> Point {
    let tangential = (x.y * x.y + x.z * x.z).sqrt();
    if tangential <= x.x {
        return *x;
    }
    let normal = x.x.max(0.0);
    Point::new(normal, x.y * (normal / tangential), x.z * (normal / tangential))
}

/// `x ∘ y`.
#[inline]
pub(super) fn product(x: &Point, y: &Point) -> Point {
    Point::new(x.dot(y), x.x * y.y + y.x * x.y, x.x * y.z + y.x * x.z)
}

/// `t` with `l ∘ t = d`, for `l` inside.
#[inline]
pub(super) fn quotient(l: &Point, d: &Point) -> Point {
    let t = (l.x * d.x - l.y * d.y - l.z * d.z) / determinant(l);
    Point::new(t, (d.y - t * l.y) / l.x, (d.z - t * l.z) / l.x)
}

/// Largest step in [0, `limit`] with which `x + step d` stays inside or on the border, for `x` inside.
#[inline]
pub(super) fn step_inside(x: &Point, d: &Point, limit: f64) -> f64 {
    // Through the apex the determinant has a double root, which rounding may hide.
    let limit = if x.x + limit * d.x < 0.0 { x.x / -d.x } else { limit };
    let c = determinant(x);
    let b = x.x * d.x - x.y * d.y - x.z * d.z;
    let a = d.x * d.x - d.y * d.y - d.z * d.z;
    let root = b * b - a * c;
    if root < 0.0 {
        return limit;
    }
    let below = root.sqrt() - b;
    if below * limit <= c { limit } else { (c / below).max(0.0) }
}

/// Nesterov and Todd's scaling of a pair inside of the cone.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Scaling {
    w: Point,
    eta: f64,
}

impl Scaling {
    /// Of `s` and `z`. `None` when one is not inside of the cone to rounding.
    #[inline]
    pub(super) fn new(s: &Point, z: &Point) -> Option<Self> {
        let (s2, z2) = (determinant(s), determinant(z));
        // Written so that what is no number is refused.
        if !(s2 > 0.0 && z2 > 0.0 && s.x > 0.0 && z.x > 0.0 && s2 < f64::INFINITY && z2 < f64::INFINITY) {
            return None;
        }
        let (s1, z1) = (s / s2.sqrt(), z / z2.sqrt());
        let gamma = (0.5 * (1.0 + s1.dot(&z1))).sqrt();
        let w = Point::new(s1.x + z1.x, s1.y - z1.y, s1.z - z1.z) / (2.0 * gamma);
        Some(Self { w, eta: (s2 / z2).sqrt().sqrt() })
    }

    /// `W x`.
    #[inline]
    pub(super) fn apply(&self, x: &Point) -> Point {
        scaled(&self.w, x) * self.eta
    }

    /// `W⁻¹ x`.
    #[inline]
    pub(super) fn unapply(&self, x: &Point) -> Point {
        scaled(&mirrored(&self.w), x) / self.eta
    }

    /// `W⁻²`.
    #[inline]
    pub(super) fn inverse_square(&self) -> Matrix3<f64> {
        let w = mirrored(&self.w);
        (w * w.transpose() * 2.0 - Matrix3::from_diagonal(&Point::new(1.0, -1.0, -1.0)))
            / (self.eta * self.eta)
    }
}

fn mirrored(w: &Point) -> Point {
    Point::new(w.x, -w.y, -w.z)
}

/// `[ w₀  w₁ᵀ ; w₁  1 + w₁w₁ᵀ/(1 + w₀) ] x`.
#[inline]
fn scaled(w: &Point, x: &Point) -> Point {
    let along = w.y * x.y + w.z * x.z;
    let share = x.x + along / (1.0 + w.x);
    Point::new(w.x * x.x + along, x.y + share * w.y, x.z + share * w.z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn inside() -> impl Strategy<Value = Point> {
        (0.01f64..3.0, -2.0f64..2.0, -2.0f64..2.0).prop_map(|(d, y, z)| Point::new(y.hypot(z) + d, y, z))
    }

    proptest! {
        #[test]
        fn scaling_maps_both_to_the_same_point(s in inside(), z in inside(), x in prop::array::uniform3(-1.0f64..1.0)) {
            let scaling = Scaling::new(&s, &z).expect("both are inside");
            let size = s.norm() + z.norm();
            prop_assert!((scaling.apply(&z) - scaling.unapply(&s)).norm() < 1e-9 * size);
            let x = Point::from(x);
            prop_assert!((scaling.unapply(&scaling.apply(&x)) - x).norm() < 1e-9 * size * size);
            let twice = scaling.unapply(&scaling.unapply(&x));
            prop_assert!((scaling.inverse_square() * x - twice).norm() < 1e-8 * (1.0 + twice.norm()));
        }

        #[test]
        fn quotient_undoes_the_product(l in inside(), t in prop::array::uniform3(-1.0f64..1.0)) {
            let t = Point::from(t);
            let scale = l.norm() / depth(&l);
            prop_assert!((quotient(&l, &product(&l, &t)) - t).norm() < 1e-12 * scale * scale);
        }

        /// Through the apex, to the other half of the cone, no step goes.
        #[test]
        fn no_step_goes_through_the_apex(x in inside(), share in 0.1f64..0.9) {
            let step = step_inside(&x, &(-x / share), 1.0);
            prop_assert!((step - share).abs() < 1e-6, "{step}");
        }

        /// One step further is outside, the step itself is not.
        #[test]
        fn a_step_ends_on_the_border(x in inside(), d in prop::array::uniform3(-5.0f64..5.0)) {
            let d = Point::from(d);
            let step = step_inside(&x, &d, 1.0);
            prop_assert!(depth(&(x + d * step)) > -1e-9);
            if step < 1.0 {
                prop_assert!(depth(&(x + d * (step + 1e-3))) < 1e-9);
            }
        }
    }
}
