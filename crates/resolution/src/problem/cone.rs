//! Coulomb's cone and the projection on it.

use super::Local;

/// The point of the cone `|x_T| ≤ mu x_N` that is nearest to `x`. With `mu = 0` the cone is the ray along the normal.
///
/// ```text
/// x                                          where |x_T| ≤ mu x_N
/// 0                                          where mu |x_T| ≤ −x_N
/// (n, mu n x_T / |x_T|)                      else, with n = (x_N + mu |x_T|) / (1 + mu²)
/// ```
#[inline]
pub fn project_on_cone(x: &Local, mu: f64) -> Local {
    let tangential = tangential_norm(x);
    if tangential <= mu * x.x {
        return *x;
    }
    if mu * tangential <= -x.x {
        return Local::zeros();
    }
    let normal = (x.x + mu * tangential) / (1.0 + mu * mu);
    // Not inside: the tangential part is positive, or the normal one negative and that was the case before.
    let share = if tangential > 0.0 { mu * normal / tangential } else { 0.0 };
    Local::new(normal, share * x.y, share * x.z)
}

/// Length of the tangential part. `hypot` is a function of the platform, whose last bit differs between machines.
#[inline]
pub(crate) fn tangential_norm(x: &Local) -> f64 {
    (x.y * x.y + x.z * x.z).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn vector() -> impl Strategy<Value = Local> {
        prop::array::uniform3(-2.0f64..2.0).prop_map(Local::from)
    }

    proptest! {
        /// What characterises a projection on a closed convex cone: it lies in it, what is left over lies in its
        /// polar, and both are orthogonal (Moreau).
        #[test]
        fn projection_splits_into_cone_and_polar(x in vector(), mu in 0.0f64..2.0) {
            let p = project_on_cone(&x, mu);
            let rest = x - p;
            prop_assert!(p.y.hypot(p.z) <= mu * p.x + 1e-12);
            prop_assert!(mu * rest.y.hypot(rest.z) <= -rest.x + 1e-12, "{rest:?} not in the polar cone");
            prop_assert!(p.dot(&rest).abs() < 1e-12);
        }
    }

    #[test]
    fn without_friction_it_is_the_ray() {
        assert_eq!(project_on_cone(&Local::new(1.5, 0.7, -0.1), 0.0), Local::new(1.5, 0.0, 0.0));
        assert_eq!(project_on_cone(&Local::new(-1.5, 0.7, -0.1), 0.0), Local::zeros());
        assert_eq!(project_on_cone(&Local::zeros(), 0.0), Local::zeros());
    }
}
