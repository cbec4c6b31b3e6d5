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

    /// The power of two at or below the largest entry, by size: dividing by it is exact and brings the entries near 1.
    /// Within 2^-126 and 2^126 whatever the entries are, so that its reciprocal is an ordinary number too.
    #[inline]
    pub fn scale(&self) -> Real {
        // Sizes are ordered as their bits are; above them stand the exponents.
        let size = |entry: Real| entry.abs().to_bits();
        let largest =
            [self.xx, self.yy, self.zz, self.xy, self.xz, self.yz].map(size).into_iter().fold(0, u32::max);
        Real::from_bits((largest >> 23).clamp(1, 253) << 23)
    }

    /// The inverse; `None` when the matrix is singular, or it or its inverse is not finite.
    ///
    /// Whether it is singular does not depend on its unit: beside [`Self::scale`] the determinant is zero or subnormal. (That of the
    /// matrix itself, of the third power of its entries, is so for every matrix of 1e-13.)
    #[inline]
    pub fn inverse(&self) -> Option<Self> {
        let scale = 1.0 / self.scale();
        let m = *self * scale;
        let c00 = m.yy * m.zz - m.yz * m.yz;
        let c01 = m.xz * m.yz - m.xy * m.zz;
        let c02 = m.xy * m.yz - m.xz * m.yy;
        let determinant = m.xx * c00 + m.xy * c01 + m.xz * c02;
        if !determinant.is_finite() || determinant.abs() < Real::MIN_POSITIVE {
            return None;
        }
        let s = 1.0 / determinant;
        let inverse = Self {
            xx: c00 * s,
            xy: c01 * s,
            xz: c02 * s,
            yy: (m.xx * m.zz - m.xz * m.xz) * s,
            yz: (m.xy * m.xz - m.xx * m.yz) * s,
            zz: (m.xx * m.yy - m.xy * m.xy) * s,
        };
        Some(inverse * scale).filter(Self::is_finite)
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

    /// The collision matrix at a corner of a cube, of condition 5.5, of masses from 1e-30 to 1e30 kg. Of 1.4e13 kg it had none.
    #[test]
    fn a_matrix_has_its_inverse_in_every_unit() {
        let corner = Symmetric3 { xx: 4.0, yy: 4.0, zz: 4.0, xy: 1.5, xz: -1.5, yz: 1.5 };
        let inverse = corner.inverse().expect("positive definite");
        for exponent in (27..=227).step_by(10) {
            let unit = Real::from_bits(exponent << 23);
            assert_eq!((corner * unit).inverse(), Some(inverse * (1.0 / unit)), "{unit}");
        }
    }

    #[test]
    fn a_singular_matrix_has_no_inverse_in_any_unit() {
        let plane = Symmetric3::from_diagonal(&Vector3::new(1.0, 1.0, 0.0));
        let line = Symmetric3 { xx: 1.0, yy: 4.0, zz: 9.0, xy: 2.0, xz: 3.0, yz: 6.0 };
        for exponent in [27, 84, 127, 170, 227] {
            let unit = Real::from_bits(exponent << 23);
            assert!((plane * unit).inverse().is_none() && (line * unit).inverse().is_none(), "{unit}");
        }
        for entry in [Real::NAN, Real::INFINITY] {
            assert!((plane + Symmetric3 { zz: entry, ..Symmetric3::ZERO }).inverse().is_none(), "{entry}");
        }
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
