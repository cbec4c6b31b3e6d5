//! Inertia of a rigid link, and of a link with all that hangs on it.
//!
//! Featherstone (2008), (2.63) and chapter 7. At the link's origin, in world axes, with the centre of mass at `c` and the inertia
//! `I_c` about it:
//! ```text
//! I  = [ I_c + m [c]ₓ[c]ₓᵀ   m [c]ₓ ]      Iᴬ = [ A   B ]      n = A α + B a
//!      [ m [c]ₓᵀ             m 1    ]           [ Bᵀ  M ]      f = Bᵀ α + M a
//! ```

use super::small::{crossed, difference, outer, sum, times, transposed, transposed_times};
use super::{SpatialForce, SpatialMotion, cross_matrix};
use nalgebra::{Matrix3, Vector3};

/// Inertia of a rigid link: ten numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpatialInertia {
    /// Mass, kg.
    pub mass: f64,
    /// Centre of mass from the reference point, m.
    pub center: Vector3<f64>,
    /// Inertia about the centre of mass, kg m².
    pub rotational: Matrix3<f64>,
}

/// Inertia of a link with all that hangs on it by free joints: 21 numbers (kg m², kg m, kg), kept as three matrices.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ArticulatedInertia {
    /// A: moment by angular acceleration; symmetric.
    pub angular: Matrix3<f64>,
    /// B: moment by linear acceleration.
    pub coupling: Matrix3<f64>,
    /// M: force by linear acceleration; symmetric.
    pub linear: Matrix3<f64>,
}

impl SpatialInertia {
    /// Momentum (or force) that belongs to a velocity (or acceleration): `I v̂`.
    #[inline(always)]
    pub fn apply(&self, motion: &SpatialMotion) -> SpatialForce {
        let force = (motion.linear + motion.angular.cross(&self.center)) * self.mass;
        SpatialForce { moment: times(&self.rotational, &motion.angular) + self.center.cross(&force), force }
    }

    /// As the inertia of a link on which nothing hangs.
    #[inline(always)]
    pub fn articulated(&self) -> ArticulatedInertia {
        let Self { mass, center, rotational } = self;
        let first = center * *mass;
        let mut angular = difference(rotational, &outer(&first, center));
        let square = first.dot(center);
        for k in 0..3 {
            angular[(k, k)] += square;
        }
        ArticulatedInertia {
            angular,
            coupling: cross_matrix(&first),
            linear: Matrix3::from_diagonal_element(*mass),
        }
    }
}

impl ArticulatedInertia {
    /// The force that belongs to an acceleration: `Iᴬ â`.
    #[inline(always)]
    pub fn apply(&self, motion: &SpatialMotion) -> SpatialForce {
        SpatialForce {
            moment: times(&self.angular, &motion.angular) + times(&self.coupling, &motion.linear),
            force: transposed_times(&self.coupling, &motion.angular) + times(&self.linear, &motion.linear),
        }
    }

    /// Takes away what a free direction leaves: `Iᴬ - U Uᵀ / D`.
    #[inline(always)]
    pub fn subtract_outer(&mut self, u: &SpatialForce, inverse: f64) {
        let (moment, force) = (u.moment * inverse, u.force * inverse);
        self.angular = difference(&self.angular, &outer(&moment, &u.moment));
        self.coupling = difference(&self.coupling, &outer(&moment, &u.force));
        self.linear = difference(&self.linear, &outer(&force, &u.force));
    }

    /// The same inertia at the reference point that lies `arm` (m) back, where `arm` leads from there to here.
    ///
    /// With R the cross matrix of `arm`: `A' = A - B R + R (B + R M)ᵀ`, `B' = B + R M`, `M' = M`.
    #[inline(always)]
    pub fn moved_back(&self, arm: &Vector3<f64>) -> Self {
        let coupling = sum(&self.coupling, &crossed(arm, &self.linear));
        // B R = -(R Bᵀ)ᵀ for the antisymmetric R.
        let left = crossed(arm, &transposed(&self.coupling));
        let right = crossed(arm, &transposed(&coupling));
        Self { angular: sum(&sum(&self.angular, &transposed(&left)), &right), coupling, linear: self.linear }
    }

    /// Component-wise sum.
    #[inline(always)]
    pub fn add(&mut self, other: &Self) {
        self.angular = sum(&self.angular, &other.angular);
        self.coupling = sum(&self.coupling, &other.coupling);
        self.linear = sum(&self.linear, &other.linear);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link() -> SpatialInertia {
        let rotational = Matrix3::new(2.0, 0.1, -0.2, 0.1, 3.0, 0.3, -0.2, 0.3, 1.5);
        SpatialInertia { mass: 1.7, center: Vector3::new(0.3, -0.4, 0.2), rotational }
    }

    fn motion() -> SpatialMotion {
        SpatialMotion::new(Vector3::new(0.3, -1.2, 0.8), Vector3::new(2.0, 0.4, -0.6))
    }

    #[test]
    fn both_forms_give_the_same_momentum() {
        let (a, b) = (link().apply(&motion()), link().articulated().apply(&motion()));
        assert!((a.moment - b.moment).norm() < 1e-14 && (a.force - b.force).norm() < 1e-14);
    }

    #[test]
    fn moving_the_reference_point_changes_no_energy_and_no_force() {
        let arm = Vector3::new(0.7, 0.2, -1.1);
        let here = motion().moved(&arm);
        let (near, far) = (link().articulated(), link().articulated().moved_back(&arm));
        let (a, b) = (near.apply(&here).moved_back(&arm), far.apply(&motion()));
        assert!((a.moment - b.moment).norm() < 1e-13 && (a.force - b.force).norm() < 1e-13);
        assert!((here.dot(&near.apply(&here)) - motion().dot(&b)).abs() < 1e-12);
    }

    #[test]
    fn cross_products_keep_the_power() {
        let (v, m) =
            (motion(), SpatialMotion::new(Vector3::new(0.5, 0.1, 0.9), Vector3::new(-0.3, 1.0, 0.2)));
        let f = link().apply(&m);
        // d/dt (m·f) = 0 for what is carried along.
        let change = v.cross_motion(&m).dot(&f) + m.dot(&v.cross_force(&f));
        assert!(change.abs() < 1e-14);
    }
}
