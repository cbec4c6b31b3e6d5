//! Where a rigid frame is: translation in `f64`, rotation in `f32`.

use crate::{Displacement, Position, Real, Rotation, Vector3, narrow, widen};

/// A rigid frame in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Origin of the frame, m, world.
    pub translation: Position,
    /// Orientation: local to world.
    pub rotation: Rotation,
}

impl Default for Pose {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Pose {
    /// The world's own frame.
    pub const IDENTITY: Self = Self {
        translation: Position::new(0.0, 0.0, 0.0),
        rotation: Rotation::new_unchecked(nalgebra::Quaternion::new(1.0, 0.0, 0.0, 0.0)),
    };

    /// A frame at `translation` (m) with the orientation `rotation`.
    #[inline]
    pub fn new(translation: Position, rotation: Rotation) -> Self {
        Self { translation, rotation }
    }

    /// A frame at `(x, y, z)` (m) aligned with the world.
    ///
    /// ```
    /// use drystone_math::Pose;
    /// let pose = Pose::at(1.0, 2.0, 3.0);
    /// assert_eq!(pose.translation.y, 2.0);
    /// ```
    #[inline]
    pub fn at(x: f64, y: f64, z: f64) -> Self {
        Self { translation: Position::new(x, y, z), rotation: Rotation::identity() }
    }

    /// The frame of `other` seen from this one. The translations are subtracted in `f64`, so the result
    /// is as exact 10 000 km from the origin as at it.
    #[inline]
    pub fn relative(&self, other: &Pose) -> RelativePose {
        let offset = narrow(&(other.translation - self.translation));
        let inverse = self.rotation.inverse();
        RelativePose { translation: inverse * offset, rotation: inverse * other.rotation }
    }

    /// The world frame of `local`, a frame given in this one.
    #[inline]
    pub fn compose(&self, local: &RelativePose) -> Pose {
        Pose {
            translation: self.translation + widen(&(self.rotation * local.translation)),
            rotation: self.rotation * local.rotation,
        }
    }

    /// A point of this frame (m, local) in the world.
    #[inline]
    pub fn transform_point(&self, local: &Vector3) -> Position {
        self.translation + widen(&(self.rotation * local))
    }

    /// A world point in this frame, m.
    #[inline]
    pub fn inverse_transform_point(&self, world: &Position) -> Vector3 {
        self.rotation.inverse() * narrow(&(world - self.translation))
    }

    /// The same frame moved by `displacement` (m, world).
    #[inline]
    pub fn translated(&self, displacement: &Displacement) -> Pose {
        Pose { translation: self.translation + displacement, rotation: self.rotation }
    }

    /// True when every component is finite.
    #[inline]
    pub fn is_finite(&self) -> bool {
        // See `is_finite` for vectors.
        (self.translation.coords * 0.0).sum() == 0.0 && (self.rotation.coords * 0.0).sum() == 0.0
    }
}

/// A rigid frame seen from another one, in `f32`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RelativePose {
    /// Origin of the frame in the other one, m.
    pub translation: Vector3,
    /// Orientation: this frame to the other one.
    pub rotation: Rotation,
}

impl Default for RelativePose {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl RelativePose {
    /// The other frame itself.
    pub const IDENTITY: Self = Self {
        translation: Vector3::new(0.0, 0.0, 0.0),
        rotation: Rotation::new_unchecked(nalgebra::Quaternion::new(1.0, 0.0, 0.0, 0.0)),
    };

    /// A frame at `translation` (m) with the orientation `rotation`.
    #[inline]
    pub fn new(translation: Vector3, rotation: Rotation) -> Self {
        Self { translation, rotation }
    }

    /// The other frame seen from this one.
    #[inline]
    pub fn inverse(&self) -> Self {
        let rotation = self.rotation.inverse();
        Self { translation: rotation * -self.translation, rotation }
    }

    /// `inner`, given in this frame, seen from the outer one.
    #[inline]
    pub fn compose(&self, inner: &RelativePose) -> RelativePose {
        RelativePose {
            translation: self.translation + self.rotation * inner.translation,
            rotation: self.rotation * inner.rotation,
        }
    }

    /// A point of this frame (m) in the outer one.
    #[inline]
    pub fn transform_point(&self, local: &Vector3) -> Vector3 {
        self.translation + self.rotation * local
    }

    /// A point of the outer frame (m) in this one.
    #[inline]
    pub fn inverse_transform_point(&self, outer: &Vector3) -> Vector3 {
        self.rotation.inverse() * (outer - self.translation)
    }

    /// Upper bound of how far a point within `radius` (m) of the frame's origin moves between this pose
    /// and `other`, m: the translation plus the chord of the relative turn.
    #[inline]
    pub fn motion_bound(&self, other: &RelativePose, radius: Real) -> Real {
        let a = self.rotation.coords;
        let b = other.rotation.coords;
        // Chord of the turn on a unit sphere: |R_a p - R_b p| <= 2 |sin(angle / 2)|, and the quaternion
        // difference obeys |q_a -+ q_b| = 2 sin(angle / 4) >= sin(angle / 2) for the nearer sign.
        let distance = (a - b).norm().min((a + b).norm());
        (self.translation - other.translation).norm() + 2.0 * distance * radius
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_pose_is_exact_far_from_the_origin() {
        let far = 1.0e7;
        let a = Pose::new(Position::new(far, far, far), Rotation::from_euler_angles(0.1, 0.2, 0.3));
        let b =
            Pose::new(Position::new(far + 0.25, far, far - 0.5), Rotation::from_euler_angles(0.3, 0.1, 0.0));
        let near_a = Pose::new(Position::origin(), a.rotation);
        let near_b = Pose::new(Position::new(0.25, 0.0, -0.5), b.rotation);
        assert_eq!(a.relative(&b), near_a.relative(&near_b));
    }

    #[test]
    fn one_component_that_is_not_finite_is_enough() {
        let pose = Pose::at(-1.0e300, 0.0, f64::MIN_POSITIVE);
        assert!(pose.is_finite());
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for i in 0..3 {
                let mut broken = pose;
                broken.translation[i] = bad;
                let mut vector = Vector3::new(0.0, -1.0e38, 1.0e-45);
                assert!(!broken.is_finite() && crate::is_finite(&vector));
                vector[i] = bad as Real;
                assert!(!crate::is_finite(&vector));
            }
            for i in 0..4 {
                let mut broken = pose;
                broken.rotation.as_mut_unchecked().coords[i] = bad as Real;
                assert!(!broken.is_finite());
            }
        }
    }

    #[test]
    fn compose_undoes_relative() {
        let a = Pose::new(Position::new(1.0, 2.0, 3.0), Rotation::from_euler_angles(0.1, 1.2, 0.3));
        let b = Pose::new(Position::new(-1.0, 0.5, 2.0), Rotation::from_euler_angles(-0.4, 0.2, 2.0));
        let back = a.compose(&a.relative(&b));
        assert!((back.translation - b.translation).norm() < 1e-6);
        assert!(back.rotation.angle_to(&b.rotation) < 1e-3);
    }

    #[test]
    fn motion_bound_covers_a_turned_point() {
        let a = RelativePose::IDENTITY;
        let b = RelativePose::new(Vector3::new(0.01, 0.0, 0.0), Rotation::from_euler_angles(0.0, 0.3, 0.0));
        let p = Vector3::new(0.0, 0.0, 2.0);
        let moved = (a.transform_point(&p) - b.transform_point(&p)).norm();
        let bound = a.motion_bound(&b, 2.0);
        assert!(moved <= bound && bound < 2.0 * moved, "{moved} m moved, bound {bound} m");
    }
}
