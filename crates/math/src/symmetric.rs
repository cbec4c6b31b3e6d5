//! Symmetric 3x3 matrices: six numbers instead of nine.

use crate::{Matrix3, Real, Rotation, Vector3};
use std::ops::{Add, AddAssign, Mul, Sub};

/// A symmetric 3x3 matrix.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Symmetric3 {
    /// Row x, column x.
    pub xx: Real,
    /// Row y, column y.
    pub yy: Real,
    /// Row z, column z.
    pub zz: Real,
    /// Row x, column y.
    pub xy: Real,
    /// Row x, column z.
    pub xz: Real,
    /// Row y, column z.
    pub yz: Real,
}

impl Symmetric3 {
    /// All zeros.
    pub const ZERO: Self = Self { xx: 0.0, yy: 0.0, zz: 0.0, xy: 0.0, xz: 0.0, yz: 0.0 };

    /// A diagonal matrix.
    #[inline]
    pub fn from_diagonal(d: &Vector3) -> Self {
        Self { xx: d.x, yy: d.y, zz: d.z, ..Self::ZERO }
    }

    /// The symmetric part of a full matrix.
    #[inline]
    pub fn from_matrix(m: &Matrix3) -> Self {
        Self {
            xx: m.m11,
            yy: m.m22,
            zz: m.m33,
            xy: 0.5 * (m.m12 + m.m21),
            xz: 0.5 * (m.m13 + m.m31),
            yz: 0.5 * (m.m23 + m.m32),
        }
    }

    /// `R diag(d) Rᵀ`: a diagonal matrix given in a turned frame, in the outer one.
    #[inline]
    pub fn rotated_diagonal(rotation: &Rotation, d: &Vector3) -> Self {
        let r = rotation.to_rotation_matrix();
        let m = r.matrix();
        let entry = |i: usize, j: usize| {
            m[(i, 0)] * d.x * m[(j, 0)] + m[(i, 1)] * d.y * m[(j, 1)] + m[(i, 2)] * d.z * m[(j, 2)]
        };
        Self {
            xx: entry(0, 0),
            yy: entry(1, 1),
            zz: entry(2, 2),
            xy: entry(0, 1),
            xz: entry(0, 2),
            yz: entry(1, 2),
        }
    }

    /// The full matrix.
    #[inline]
    pub fn to_matrix(&self) -> Matrix3 {
        Matrix3::new(self.xx, self.xy, self.xz, self.xy, self.yy, self.yz, self.xz, self.yz, self.zz)
    }

    /// The inverse; `None` when the determinant is zero, subnormal or not finite.
    #[inline]
    pub fn inverse(&self) -> Option<Self> {
        let c00 = self.yy * self.zz - self.yz * self.yz;
        let c01 = self.xz * self.yz - self.xy * self.zz;
        let c02 = self.xy * self.yz - self.xz * self.yy;
        let determinant = self.xx * c00 + self.xy * c01 + self.xz * c02;
        if !determinant.is_finite() || determinant.abs() < Real::MIN_POSITIVE {
            return None;
        }
        let s = 1.0 / determinant;
        Some(Self {
            xx: c00 * s,
            xy: c01 * s,
            xz: c02 * s,
            yy: (self.xx * self.zz - self.xz * self.xz) * s,
            yz: (self.xy * self.xz - self.xx * self.yz) * s,
            zz: (self.xx * self.yy - self.xy * self.xy) * s,
        })
    }

    /// `vᵀ M v`.
    #[inline]
    pub fn quadratic(&self, v: &Vector3) -> Real {
        v.dot(&(*self * *v))
    }

    /// The collision matrix of one body, `m⁻¹ 1 − [r]ₓ I⁻¹ [r]ₓ`, 1/kg: the velocity change (m/s) at the
    /// arm `r` (m) per unit impulse (N·s) there. `self` is the inverse world inertia, 1/(kg m²).
    /// Source: S1 equation 3.4.11 (row S1-52).
    #[inline]
    pub fn collision_matrix(&self, inverse_mass: Real, r: &Vector3) -> Symmetric3 {
        // Columns of I⁻¹ [r]ₓ, then −[r]ₓ times them, written out.
        let m = self.to_matrix();
        let c = r.cross_matrix();
        let k = -(c * m * c);
        let mut k = Symmetric3::from_matrix(&k);
        k.xx += inverse_mass;
        k.yy += inverse_mass;
        k.zz += inverse_mass;
        k
    }

    /// True when every entry is finite.
    #[inline]
    pub fn is_finite(&self) -> bool {
        [self.xx, self.yy, self.zz, self.xy, self.xz, self.yz].iter().all(|v| v.is_finite())
    }
}

impl Mul<Vector3> for Symmetric3 {
    type Output = Vector3;
    #[inline]
    fn mul(self, v: Vector3) -> Vector3 {
        Vector3::new(
            self.xx * v.x + self.xy * v.y + self.xz * v.z,
            self.xy * v.x + self.yy * v.y + self.yz * v.z,
            self.xz * v.x + self.yz * v.y + self.zz * v.z,
        )
    }
}

impl Mul<Real> for Symmetric3 {
    type Output = Self;
    #[inline]
    fn mul(self, s: Real) -> Self {
        Self {
            xx: self.xx * s,
            yy: self.yy * s,
            zz: self.zz * s,
            xy: self.xy * s,
            xz: self.xz * s,
            yz: self.yz * s,
        }
    }
}

impl Add for Symmetric3 {
    type Output = Self;
    #[inline]
    fn add(self, o: Self) -> Self {
        Self {
            xx: self.xx + o.xx,
            yy: self.yy + o.yy,
            zz: self.zz + o.zz,
            xy: self.xy + o.xy,
            xz: self.xz + o.xz,
            yz: self.yz + o.yz,
        }
    }
}

impl AddAssign for Symmetric3 {
    #[inline]
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}

impl Sub for Symmetric3 {
    type Output = Self;
    #[inline]
    fn sub(self, o: Self) -> Self {
        self + o * -1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    #[test]
    fn inverse_times_matrix_is_the_identity() {
        let s = Symmetric3 { xx: 4.0, yy: 3.0, zz: 5.0, xy: 0.5, xz: -0.25, yz: 1.0 };
        let product = s.inverse().expect("positive definite").to_matrix() * s.to_matrix();
        assert_relative_eq!(product, Matrix3::identity(), epsilon = 1e-5);
        assert!(Symmetric3::ZERO.inverse().is_none());
    }

    #[test]
    fn collision_matrix_gives_the_velocity_change_at_the_arm() {
        let inertia = Symmetric3 { xx: 0.4, yy: 0.3, zz: 0.5, xy: 0.05, xz: -0.02, yz: 0.1 };
        let (inverse_mass, r) = (0.5, Vector3::new(0.3, -0.2, 0.7));
        let j = Vector3::new(1.0, 2.0, -0.5);
        let expected = j * inverse_mass + (inertia * r.cross(&j)).cross(&r);
        assert_relative_eq!(inertia.collision_matrix(inverse_mass, &r) * j, expected, epsilon = 1e-5);
    }

    #[test]
    fn rotated_diagonal_is_the_full_product() {
        let q = Rotation::from_euler_angles(0.3, -0.8, 1.9);
        let d = Vector3::new(1.0, 2.0, 3.0);
        let r = q.to_rotation_matrix().into_inner();
        let full = r * Matrix3::from_diagonal(&d) * r.transpose();
        assert_relative_eq!(Symmetric3::rotated_diagonal(&q, &d).to_matrix(), full, epsilon = 1e-5);
    }
}
