//! The frame of a contact: its normal and two tangents (S1-47).

use crate::{Real, Vector3};

/// A right-handed orthonormal frame whose first axis is the contact normal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactBasis {
    /// Unit normal, from body A to body B.
    pub normal: Vector3,
    /// First unit tangent.
    pub tangent_1: Vector3,
    /// Second unit tangent: `normal × tangent_1`.
    pub tangent_2: Vector3,
}

impl ContactBasis {
    /// The frame of a unit normal, without a branch and without a square root.
    ///
    /// Source: Duff et al., "Building an Orthonormal Basis, Revisited", JCGT 6(1), 2017. S1 builds its
    /// frame from a cross product with a fixed axis (equations 3.3.1 to 3.3.4, row S1-47); ours has the
    /// same properties, is continuous but for the sign of `n.z`, and never divides by a small number.
    ///
    /// ```
    /// use drystone_math::{ContactBasis, Vector3};
    /// let basis = ContactBasis::new(&Vector3::new(0.0, 1.0, 0.0));
    /// assert!(basis.tangent_1.dot(&basis.normal).abs() < 1e-6);
    /// ```
    #[inline]
    pub fn new(normal: &Vector3) -> Self {
        let n = *normal;
        let sign = (1.0 as Real).copysign(n.z);
        let a = -1.0 / (sign + n.z);
        let b = n.x * n.y * a;
        Self {
            normal: n,
            tangent_1: Vector3::new(1.0 + sign * n.x * n.x * a, sign * b, -sign * n.x),
            tangent_2: Vector3::new(b, sign + n.y * n.y * a, -n.y),
        }
    }

    /// A world vector in contact coordinates: along the normal, then along the two tangents.
    #[inline]
    pub fn to_local(&self, v: &Vector3) -> Vector3 {
        Vector3::new(self.normal.dot(v), self.tangent_1.dot(v), self.tangent_2.dot(v))
    }

    /// Contact coordinates in the world.
    #[inline]
    pub fn to_world(&self, v: &Vector3) -> Vector3 {
        self.normal * v.x + self.tangent_1 * v.y + self.tangent_2 * v.z
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Unit axes, right angles, right-handed, for any direction.
        #[test]
        fn basis_is_right_handed_and_orthonormal(x in -1.0f32..1.0, y in -1.0f32..1.0, z in -1.0f32..1.0) {
            let v = Vector3::new(x, y, z);
            prop_assume!(v.norm() > 1e-3);
            let b = ContactBasis::new(&v.normalize());
            for (p, q) in [(b.normal, b.tangent_1), (b.normal, b.tangent_2), (b.tangent_1, b.tangent_2)] {
                prop_assert!(p.dot(&q).abs() < 1e-6 && (q.norm() - 1.0).abs() < 1e-6);
            }
            prop_assert!((b.normal.cross(&b.tangent_1) - b.tangent_2).norm() < 1e-6);
            let w = Vector3::new(0.3, -2.0, 0.7);
            prop_assert!((b.to_world(&b.to_local(&w)) - w).norm() < 1e-5);
        }
    }
}
