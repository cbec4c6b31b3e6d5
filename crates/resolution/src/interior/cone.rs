//! The Lorentz cone `x_0 ≥ |(x_1, x_2)|`: scaling of a pair of interior points, products, step lengths.
//!
//! Source: Nesterov and Todd's scaling, in the form of Vandenberghe, "The CVXOPT linear and quadratic cone program
//! solvers" (2010), section 4: a symmetric `P` with `P z = P⁻¹ x = λ`.

use crate::problem::{Block, Local, tangential_norm};

/// `x_0 − |x_1|`: positive inside.
pub(super) fn depth(x: &Local) -> f64 {
    x.x - tangential_norm(x)
}

/// `sqrt(x_0² − |x_1|²)` of an interior point.
fn norm(x: &Local) -> f64 {
    // As a product, which keeps digits near the boundary.
    (depth(x) * (x.x + tangential_norm(x))).sqrt()
}

/// `P` and `λ` of two interior points.
pub(super) fn scaling(x: &Local, z: &Local) -> (Block, Local) {
    let (x_norm, z_norm) = (norm(x), norm(z));
    let (unit_x, unit_z) = (x / x_norm, z / z_norm);
    let gamma = (0.5 * (1.0 + unit_x.dot(&unit_z))).sqrt();
    let w = (unit_x + Local::new(unit_z.x, -unit_z.y, -unit_z.z)) / (2.0 * gamma);
    let share = 1.0 / (1.0 + w.x);
    let p = Block::new(
        w.x,
        w.y,
        w.z,
        w.y,
        1.0 + w.y * w.y * share,
        w.y * w.z * share,
        w.z,
        w.y * w.z * share,
        1.0 + w.z * w.z * share,
    ) * (x_norm / z_norm).sqrt();
    (p, p * z)
}

/// `x ∘ y`.
pub(super) fn product(x: &Local, y: &Local) -> Local {
    Local::new(x.dot(y), x.x * y.y + y.x * x.y, x.x * y.z + y.x * x.z)
}

/// `v` with `λ ∘ v = c`.
pub(super) fn divide(lambda: &Local, c: &Local) -> Local {
    let determinant = norm(lambda).powi(2);
    let first = (lambda.x * c.x - lambda.y * c.y - lambda.z * c.z) / determinant;
    Local::new(first, (c.y - first * lambda.y) / lambda.x, (c.z - first * lambda.z) / lambda.x)
}

/// Largest step from an interior point along `d` that stays in the cone; infinite when all do.
pub(super) fn longest_step(x: &Local, d: &Local) -> f64 {
    // (x_0 + a d_0)² = |x_1 + a d_1|², the smallest positive root; and x_0 + a d_0 stays positive up to there.
    let dot = |u: &Local, v: &Local| u.x * v.x - u.y * v.y - u.z * v.z;
    let (a, b, c) = (dot(d, d), dot(x, d), norm(x).powi(2));
    let discriminant = b * b - a * c;
    if b < 0.0 && (a >= 0.0 || discriminant >= 0.0) || a < 0.0 {
        if discriminant < 0.0 {
            return f64::INFINITY;
        }
        // The root without cancellation.
        let root = discriminant.sqrt();
        let step = if b <= 0.0 { c / (root - b) } else { -(b + root) / a };
        return if step > 0.0 { step } else { f64::INFINITY };
    }
    f64::INFINITY
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn inside() -> impl Strategy<Value = Local> {
        (prop::array::uniform2(-2.0f64..2.0), 1e-3f64..2.0)
            .prop_map(|([y, z], depth)| Local::new(y.hypot(z) + depth, y, z))
    }

    proptest! {
        #[test]
        fn scaling_maps_both_points_to_the_same(x in inside(), z in inside()) {
            let (p, lambda) = scaling(&x, &z);
            let other = p.try_inverse().expect("positive definite") * x;
            prop_assert!((other - lambda).norm() < 1e-8 * (1.0 + lambda.norm()), "{lambda:?} {other:?}");
            let c = Local::new(0.3, -1.0, 2.0);
            prop_assert!((product(&lambda, &divide(&lambda, &c)) - c).norm() < 1e-7);
        }

        #[test]
        fn the_longest_step_ends_at_the_boundary(x in inside(), d in prop::array::uniform3(-2.0f64..2.0)) {
            let d = Local::from(d);
            let step = longest_step(&x, &d);
            if step.is_finite() {
                prop_assert!(depth(&(x + d * step)).abs() < 1e-9 * (1.0 + step * d.norm()), "{step}");
                prop_assert!(depth(&(x + d * (0.999 * step))) > 0.0);
            } else {
                prop_assert!(depth(&(x + d * 1e6)) > -1e-6);
            }
        }
    }
}
