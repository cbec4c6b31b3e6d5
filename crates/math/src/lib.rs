#![doc = include_str!("../README.md")]
//!
//! # In depth
//!
//! Numbers of the drystone physics engine: scalars, vectors, poses, boxes, inertia, contact bases,
//! rotation updates, state hashing, carried state and SIMD lanes.
//!
//! Conventions (`docs/architecture.md`): SI units, radians, right-handed axes. Velocities, arms, masses
//! and impulses are [`Real`] (`f32`); **positions are `f64`** ([`Position`]), so that a pile far from the
//! origin behaves like one at it. Relative poses are subtracted in `f64` and then narrowed.
//!
//! Invariants: no function here allocates (but those of [`Carried`], which keep state), contracts multiply-adds or calls a transcendental of the
//! platform's library, so equal input gives equal bits on every machine.

mod aabb;
mod angle;
mod basis;
mod bitset;
mod carried;
mod eigen;
mod hash;
pub mod inertia;
mod pose;
mod prefetch;
mod rotation;
mod symmetric;
pub mod wide;

pub use aabb::Aabb;
pub use angle::atan2;
pub use basis::ContactBasis;
pub use bitset::{BitSet, bits, indices};
pub use carried::{AnyCarried, Carried, copy_parts, parts_bytes};
pub use eigen::symmetric_eigen;
pub use hash::StateHasher;
pub use pose::{Pose, RelativePose};
pub use prefetch::prefetch;
pub use rotation::{
    TurnRow, integrate_rotation, narrow_rotation, rotation_from_vector, short_wide_turns, turn_rows,
    unit_rotation, wide_rotation_from_vector, widen_rotation,
};
pub use symmetric::Symmetric3;

/// The scalar of velocities, arms, masses and impulses.
pub type Real = f32;
/// A vector in three dimensions.
pub type Vector3 = nalgebra::Vector3<Real>;
/// A 3x3 matrix.
pub type Matrix3 = nalgebra::Matrix3<Real>;
/// A point of the world, m, in double precision.
pub type Position = nalgebra::Point3<f64>;
/// A displacement in double precision, m.
pub type Displacement = nalgebra::Vector3<f64>;
/// A quaternion, not necessarily of unit length.
pub type Quaternion = nalgebra::Quaternion<Real>;
/// An orientation.
pub type Rotation = nalgebra::UnitQuaternion<Real>;
/// An orientation in double precision, for updates that must not gather rounding.
pub type WideRotation = nalgebra::UnitQuaternion<f64>;

/// Widens a displacement to double precision.
#[inline]
pub fn widen(v: &Vector3) -> Displacement {
    Displacement::new(f64::from(v.x), f64::from(v.y), f64::from(v.z))
}

/// Narrows a displacement to the engine's scalar.
#[inline]
pub fn narrow(v: &Displacement) -> Vector3 {
    Vector3::new(v.x as Real, v.y as Real, v.z as Real)
}

/// The larger of `x` and `known`; `known` also where `x` is no number. As `x.max(known)` for a `known` that is one, in one instruction
/// in place of seven: it need not be asked whether `known` is no number.
#[inline(always)]
pub fn larger(x: Real, known: Real) -> Real {
    if x > known { x } else { known }
}

/// The smaller of `x` and `known`; see [`larger`].
#[inline(always)]
pub fn smaller(x: Real, known: Real) -> Real {
    if x < known { x } else { known }
}

/// True when all three components are finite.
#[inline]
pub fn is_finite(v: &Vector3) -> bool {
    // Zero times what is not finite is no number, and stays one in a sum: no branches, for three checks per body and
    // step.
    (v * 0.0).sum() == 0.0
}

/// `v` scaled to unit length, and its length; `None` when the length is zero or not finite, or its square is no normal number (below
/// 1.1e-19 or above 1.8e19): too few digits of it are left to divide by.
#[inline]
pub fn normalized(v: &Vector3) -> Option<(Vector3, Real)> {
    let squared = v.norm_squared();
    let length = squared.sqrt();
    squared.is_normal().then(|| (v / length, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Below 1e-19 m lengths were wrong by up to a quarter.
    #[test]
    fn what_is_normalized_has_unit_length() {
        let direction = Vector3::new(0.6, 0.0, 0.8);
        let mut count = 0;
        for exponent in -45_i8..=38 {
            let v = direction * (Real::from(exponent) * std::f32::consts::LN_10).exp();
            if let Some((unit, _)) = normalized(&v) {
                assert!((unit.norm() - 1.0).abs() < 1e-6, "1e{exponent}: {unit}");
                count += 1;
            }
        }
        assert!(count > 35, "{count} lengths have a direction");
    }
}
