//! Spatial vectors: six numbers for the motion of a rigid link, six for what acts on it.
//!
//! Featherstone, Rigid Body Dynamics Algorithms (2008), chapter 2. Symbols of the book beside ours:
//! ```text
//! v̂ = (ω; v)    SpatialMotion    angular velocity, and velocity of the link's point at the reference point
//! f̂ = (n; f)    SpatialForce     moment about the reference point, and force
//! v̂ · f̂ = ω·n + v·f              power
//! v̂ × m̂ = (ω×m_ω ; ω×m_v + v×m_ω)          (2.31), `cross_motion`
//! v̂ ×* f̂ = (ω×n + v×f ; ω×f)               (2.32), `cross_force`
//! ```
//! Departure: all vectors have **world axes**; the reference point of what belongs to a link is the link's origin. A change of
//! frame is a change of the reference point alone (`moved`), which costs one cross product where the book's Plücker transforms
//! cost two rotations. Rotations are applied once per link, to its inertia and axes.

mod inertia;
pub(crate) mod small;
mod swing_twist;
mod trigonometry;

pub use inertia::{ArticulatedInertia, SpatialInertia};
pub use swing_twist::SwingTwist;
pub use trigonometry::{rotation_vector, sine_cosine};

use nalgebra::{Matrix3, Vector3};

/// Motion of a rigid body, or a direction of motion: world axes, at a reference point.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SpatialMotion {
    /// Angular part: rad/s for a velocity, rad/s² for an acceleration.
    pub angular: Vector3<f64>,
    /// Linear part, of the body's point at the reference point: m/s, m/s².
    pub linear: Vector3<f64>,
}

/// What acts on a rigid body: world axes, at a reference point. A force (N m, N), an impulse (N m s, N s) or a momentum.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SpatialForce {
    /// Moment about the reference point.
    pub moment: Vector3<f64>,
    /// Force.
    pub force: Vector3<f64>,
}

impl SpatialMotion {
    /// From its two parts.
    #[inline]
    pub fn new(angular: Vector3<f64>, linear: Vector3<f64>) -> Self {
        Self { angular, linear }
    }

    /// The same motion seen from the reference point that lies `arm` (m) away.
    #[inline(always)]
    pub fn moved(&self, arm: &Vector3<f64>) -> Self {
        Self { angular: self.angular, linear: self.linear + self.angular.cross(arm) }
    }

    /// Power (or the component of a force along this direction): `ω·n + v·f`.
    #[inline(always)]
    pub fn dot(&self, force: &SpatialForce) -> f64 {
        self.angular.dot(&force.moment) + self.linear.dot(&force.force)
    }

    /// How `other`, fixed in what moves with `self`, changes: `v̂ × m̂`.
    #[inline(always)]
    pub fn cross_motion(&self, other: &Self) -> Self {
        Self {
            angular: self.angular.cross(&other.angular),
            linear: self.angular.cross(&other.linear) + self.linear.cross(&other.angular),
        }
    }

    /// How a force or momentum that is fixed in what moves with `self` changes: `v̂ ×* f̂`.
    #[inline(always)]
    pub fn cross_force(&self, force: &SpatialForce) -> SpatialForce {
        SpatialForce {
            moment: self.angular.cross(&force.moment) + self.linear.cross(&force.force),
            force: self.angular.cross(&force.force),
        }
    }
}

impl SpatialForce {
    /// From its two parts.
    #[inline]
    pub fn new(moment: Vector3<f64>, force: Vector3<f64>) -> Self {
        Self { moment, force }
    }

    /// A force through a point that lies `arm` (m) from the reference point.
    #[inline]
    pub fn at(arm: &Vector3<f64>, force: Vector3<f64>) -> Self {
        Self { moment: arm.cross(&force), force }
    }

    /// The same force with its moment about the point that lies `arm` (m) away **against** the direction: a force known at a
    /// link's origin, seen from the parent's origin, where `arm` leads from the parent's origin to the link's.
    #[inline(always)]
    pub fn moved_back(&self, arm: &Vector3<f64>) -> Self {
        Self { moment: self.moment + arm.cross(&self.force), force: self.force }
    }
}

/// Component-wise sums and multiples.
macro_rules! linear_space {
    ($type:ident, $a:ident, $b:ident) => {
        impl std::ops::Add for $type {
            type Output = Self;
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                Self { $a: self.$a + other.$a, $b: self.$b + other.$b }
            }
        }
        impl std::ops::Sub for $type {
            type Output = Self;
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                Self { $a: self.$a - other.$a, $b: self.$b - other.$b }
            }
        }
        impl std::ops::Mul<f64> for $type {
            type Output = Self;
            #[inline(always)]
            fn mul(self, factor: f64) -> Self {
                Self { $a: self.$a * factor, $b: self.$b * factor }
            }
        }
        impl std::ops::Neg for $type {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                Self { $a: -self.$a, $b: -self.$b }
            }
        }
        impl std::ops::AddAssign for $type {
            #[inline(always)]
            fn add_assign(&mut self, other: Self) {
                self.$a += other.$a;
                self.$b += other.$b;
            }
        }
        impl std::ops::SubAssign for $type {
            #[inline(always)]
            fn sub_assign(&mut self, other: Self) {
                self.$a -= other.$a;
                self.$b -= other.$b;
            }
        }
    };
}

linear_space!(SpatialMotion, angular, linear);
linear_space!(SpatialForce, moment, force);

/// The matrix of the cross product: `cross_matrix(a) b = a × b`.
#[inline(always)]
pub(crate) fn cross_matrix(a: &Vector3<f64>) -> Matrix3<f64> {
    Matrix3::new(0.0, -a.z, a.y, a.z, 0.0, -a.x, -a.y, a.x, 0.0)
}
