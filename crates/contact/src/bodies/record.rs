//! The records behind [`crate::Bodies`]: hot (one cache line), local inertia, cold.

use super::desc::{AxisLocks, BodyDesc, BodyKind};
use drystone_math::{Real, Rotation, Symmetric3, Vector3};

/// Bits of [`BodyHot::flags`].
pub(crate) mod flag {
    pub(crate) const IN_USE: u32 = 1;
    pub(crate) const DYNAMIC: u32 = 1 << 1;
    pub(crate) const KINEMATIC: u32 = 1 << 2;
    pub(crate) const CAN_SLEEP: u32 = 1 << 3;
    pub(crate) const QUARANTINED: u32 = 1 << 4;
    pub(crate) const PASSIVE: u32 = 1 << 5;
    pub(crate) const LINK: u32 = 1 << 6;
    /// First of three bits for locked translations, then three for locked rotations.
    pub(crate) const LOCK_SHIFT: u32 = 8;
}

/// What every stage reads of a body: one 64-byte line. Velocity half, then pose-delta half.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub struct BodyHot {
    /// Velocity of the centre of mass, m/s.
    pub linear: Vector3,
    /// Inverse mass, 1/kg; 0 cannot be pushed.
    pub inverse_mass: Real,
    /// Angular velocity, rad/s, world.
    pub angular: Vector3,
    pub(crate) flags: u32,
    /// Translation since the start of the step, m, for methods that sub-step.
    pub delta_translation: Vector3,
    /// Inertia about every axis that the body has beside its own for what its ties do, kg m², in methods that sub-step: what turns faster than a sub-step can follow.
    pub extra_inertia: Real,
    /// Rotation vector since the start of the step, rad, for methods that sub-step.
    pub delta_rotation: Vector3,
    pub(crate) pad_1: u32,
}

impl BodyHot {
    /// A slot without a body.
    pub(crate) const VACANT: Self = Self {
        linear: Vector3::new(0.0, 0.0, 0.0),
        inverse_mass: 0.0,
        angular: Vector3::new(0.0, 0.0, 0.0),
        flags: 0,
        delta_translation: Vector3::new(0.0, 0.0, 0.0),
        extra_inertia: 0.0,
        delta_rotation: Vector3::new(0.0, 0.0, 0.0),
        pad_1: 0,
    };

    pub(crate) fn new(desc: &BodyDesc) -> Self {
        let (kind, inverse_mass) = match desc.kind {
            BodyKind::Dynamic => (flag::DYNAMIC, 1.0 / desc.mass.mass),
            BodyKind::Kinematic => (flag::KINEMATIC, 0.0),
            BodyKind::Fixed => (0, 0.0),
        };
        let locks = [desc.locks.translation, desc.locks.rotation].concat();
        let lock_bits = locks.iter().enumerate().fold(0, |bits, (i, &on)| bits | (u32::from(on) << i));
        let sleep = if desc.can_sleep { flag::CAN_SLEEP } else { 0 };
        let mut hot = Self {
            linear: desc.linear,
            inverse_mass,
            angular: desc.angular,
            flags: flag::IN_USE | kind | sleep | (lock_bits << flag::LOCK_SHIFT),
            ..Self::VACANT
        };
        if desc.kind == BodyKind::Fixed {
            (hot.linear, hot.angular) = (Vector3::zeros(), Vector3::zeros());
        }
        hot.apply_locks();
        hot
    }

    /// True for a slot that holds a body.
    #[inline]
    pub fn is_in_use(&self) -> bool {
        self.flags & flag::IN_USE != 0
    }

    /// True for a body that forces and impulses move.
    #[inline]
    pub fn is_dynamic(&self) -> bool {
        self.flags & flag::DYNAMIC != 0
    }

    /// True for a body that moves as its user says.
    #[inline]
    pub fn is_kinematic(&self) -> bool {
        self.flags & flag::KINEMATIC != 0
    }

    /// True when the body may be put to sleep.
    #[inline]
    pub fn can_sleep(&self) -> bool {
        self.flags & flag::CAN_SLEEP != 0
    }

    /// True when the body was taken out because its state turned non-finite.
    #[inline]
    pub fn is_quarantined(&self) -> bool {
        self.flags & flag::QUARANTINED != 0
    }

    /// True when the body was taken out of the simulation ([`crate::Bodies::set_passive`]).
    #[inline]
    pub fn is_passive(&self) -> bool {
        self.flags & flag::PASSIVE != 0
    }

    /// True for a link of a multibody ([`crate::Bodies::set_link`]).
    #[inline]
    pub fn is_link(&self) -> bool {
        self.flags & flag::LINK != 0
    }

    /// How the body moves.
    pub fn kind(&self) -> BodyKind {
        match (self.is_dynamic(), self.is_kinematic()) {
            (true, _) => BodyKind::Dynamic,
            (_, true) => BodyKind::Kinematic,
            _ => BodyKind::Fixed,
        }
    }

    /// Locked world axes.
    pub fn locks(&self) -> AxisLocks {
        let on = |i: u32| self.flags >> (flag::LOCK_SHIFT + i) & 1 == 1;
        AxisLocks { translation: [on(0), on(1), on(2)], rotation: [on(3), on(4), on(5)] }
    }

    /// 1 for axes along and about which the body may move, 0 for locked ones.
    pub fn free_axes(&self) -> [Vector3; 2] {
        let locks = self.flags >> flag::LOCK_SHIFT & 0x3F;
        let free = |axis: usize| if locks >> axis & 1 == 1 { 0.0 } else { 1.0 };
        [Vector3::new(free(0), free(1), free(2)), Vector3::new(free(3), free(4), free(5))]
    }

    /// Whether some axis is locked.
    #[inline]
    pub fn has_locks(&self) -> bool {
        self.flags >> flag::LOCK_SHIFT & 0x3F != 0
    }

    /// Removes the velocity along and about locked axes.
    #[inline]
    pub fn apply_locks(&mut self) {
        let locks = self.flags >> flag::LOCK_SHIFT & 0x3F;
        if locks == 0 {
            return;
        }
        for axis in 0..3 {
            if locks >> axis & 1 == 1 {
                self.linear[axis] = 0.0;
            }
            if locks >> (axis + 3) & 1 == 1 {
                self.angular[axis] = 0.0;
            }
        }
    }

    /// Velocity of the point at `arm` (m) from the centre of mass, m/s.
    #[inline]
    pub fn velocity_at(&self, arm: &Vector3) -> Vector3 {
        self.linear + self.angular.cross(arm)
    }

    /// Upper bound of the squared speed of any surface point, (m/s)²: `2 (v·v + ω·ω r²)`, without a square root
    /// (S1-31, from S1-30). `radius` is the largest distance of the surface from the centre of mass, m.
    #[inline]
    pub fn motion_bound_squared(&self, radius: Real) -> Real {
        2.0 * (self.linear.norm_squared() + self.angular.norm_squared() * (radius * radius))
    }

    /// True when both velocities are finite.
    #[inline]
    pub fn is_finite(&self) -> bool {
        drystone_math::is_finite(&self.linear) && drystone_math::is_finite(&self.angular)
    }
}

/// What rounding to `f32` left out of orientation and angular velocity, for methods that hand it on from step
/// to step. Sub-rounding: nothing but free turning needs it, and out of date it does no harm.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TurnRemainder {
    /// Rotation vector from the stored orientation to the one that was meant, rad, world.
    pub rotation: Vector3,
    /// rad/s, world. Belongs to the velocity it was found with: what is more than that one's rounding is out
    /// of date.
    pub angular: Vector3,
    /// Of a body on joints that turns: its angular velocity after the last impulses, which is what joints leave of it, turned along with the body since, less the one that
    /// it has now, rad/s, world.
    pub held: Vector3,
}

/// Inertia in the body's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LocalInertia {
    /// Moments along the principal axes, kg m²; 0 cannot turn.
    pub principal: Vector3,
    /// Their inverses, 1/(kg m²).
    pub inverse_principal: Vector3,
    /// Principal frame to the body's frame.
    pub frame: Rotation,
    /// True when all moments are equal (spheres, cubes): no gyroscopic term, inertia does not turn.
    pub is_isotropic: bool,
    /// Rotation locks, bits x, y, z: those axes have no inverse inertia.
    rotation_locks: u8,
}

/// Relative difference of the moments below which a body counts as isotropic: the rounding of the mass
/// properties.
const ISOTROPY_TOLERANCE: Real = 1e-5;

impl LocalInertia {
    /// A body that cannot turn.
    pub(crate) const IMMOVABLE: Self = Self {
        principal: Vector3::new(0.0, 0.0, 0.0),
        inverse_principal: Vector3::new(0.0, 0.0, 0.0),
        frame: Rotation::new_unchecked(drystone_math::Quaternion::new(1.0, 0.0, 0.0, 0.0)),
        is_isotropic: true,
        rotation_locks: 0,
    };

    pub(crate) fn new(desc: &BodyDesc) -> Self {
        if desc.kind != BodyKind::Dynamic {
            return Self::IMMOVABLE;
        }
        let p = desc.mass.principal;
        let rotation_locks = (0..3).fold(0, |bits, i| bits | (u8::from(desc.locks.rotation[i]) << i));
        Self {
            principal: p,
            inverse_principal: Vector3::new(1.0 / p.x, 1.0 / p.y, 1.0 / p.z),
            frame: desc.mass.frame,
            is_isotropic: p.max() - p.min() <= ISOTROPY_TOLERANCE * p.max(),
            rotation_locks,
        }
    }

    /// True when the body can turn about every axis.
    #[inline]
    pub fn turns_freely(&self) -> bool {
        self.rotation_locks == 0
    }

    /// Inverse inertia in world axes for an orientation of the body, 1/(kg m²). Locked axes have rows and
    /// columns of zeros.
    #[inline]
    pub fn inverse_world(&self, rotation: &Rotation) -> Symmetric3 {
        let mut inverse = if self.is_isotropic {
            Symmetric3::from_diagonal(&Vector3::repeat(self.inverse_principal.x))
        } else {
            Symmetric3::rotated_diagonal(&(rotation * self.frame), &self.inverse_principal)
        };
        if self.rotation_locks != 0 {
            self.lock(&mut inverse);
        }
        inverse
    }

    /// Inertia in world axes, kg m²; locked axes are not considered.
    #[inline]
    pub fn world(&self, rotation: &Rotation) -> Symmetric3 {
        if self.is_isotropic {
            return Symmetric3::from_diagonal(&Vector3::repeat(self.principal.x));
        }
        Symmetric3::rotated_diagonal(&(rotation * self.frame), &self.principal)
    }

    /// Kinetic energy of the turning alone, J.
    #[inline]
    pub fn spin_energy(&self, rotation: &Rotation, angular: &Vector3) -> Real {
        if self.is_isotropic {
            return 0.5 * self.principal.x * angular.norm_squared();
        }
        let w = (rotation * self.frame).inverse() * angular;
        0.5 * (self.principal.x * w.x * w.x + self.principal.y * w.y * w.y + self.principal.z * w.z * w.z)
    }

    fn lock(&self, m: &mut Symmetric3) {
        let locked = |i: u8| self.rotation_locks >> i & 1 == 1;
        if locked(0) {
            (m.xx, m.xy, m.xz) = (0.0, 0.0, 0.0);
        }
        if locked(1) {
            (m.yy, m.xy, m.yz) = (0.0, 0.0, 0.0);
        }
        if locked(2) {
            (m.zz, m.xz, m.yz) = (0.0, 0.0, 0.0);
        }
    }
}

/// What a step rarely reads.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Cold {
    pub(crate) center_local: Vector3,
    pub(crate) mass: Real,
    pub(crate) radius: Real,
    pub(crate) linear_damping: Real,
    pub(crate) angular_damping: Real,
    pub(crate) gravity_scale: Real,
    pub(crate) force: Vector3,
    pub(crate) torque: Vector3,
    pub(crate) user_data: u64,
}

impl Default for Cold {
    fn default() -> Self {
        Self::new(&BodyDesc::fixed())
    }
}

impl Cold {
    pub(crate) fn new(desc: &BodyDesc) -> Self {
        let is_dynamic = desc.kind == BodyKind::Dynamic;
        Self {
            center_local: if is_dynamic { desc.mass.center } else { Vector3::zeros() },
            mass: if is_dynamic { desc.mass.mass } else { 0.0 },
            radius: desc.radius,
            linear_damping: desc.linear_damping,
            angular_damping: desc.angular_damping,
            gravity_scale: desc.gravity_scale,
            force: Vector3::zeros(),
            torque: Vector3::zeros(),
            user_data: desc.user_data,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_math::inertia::MassProperties;

    #[test]
    fn hot_record_is_one_line() {
        assert_eq!((size_of::<BodyHot>(), align_of::<BodyHot>()), (64, 64));
    }

    #[test]
    fn locked_axes_take_no_velocity_and_no_torque() {
        let mass = MassProperties::cuboid(&Vector3::new(0.5, 0.4, 0.3), 800.0);
        let mut desc = BodyDesc::dynamic(mass, 1.0);
        desc.locks = AxisLocks { translation: [false, true, false], rotation: [true, false, true] };
        (desc.linear, desc.angular) = (Vector3::repeat(1.0), Vector3::repeat(2.0));
        let hot = BodyHot::new(&desc);
        assert_eq!((hot.linear, hot.angular), (Vector3::new(1.0, 0.0, 1.0), Vector3::new(0.0, 2.0, 0.0)));
        assert_eq!(hot.locks(), desc.locks);
        let inverse = LocalInertia::new(&desc).inverse_world(&Rotation::from_euler_angles(0.3, 0.5, 0.1));
        let spin = inverse * Vector3::repeat(1.0);
        assert!(spin.x == 0.0 && spin.z == 0.0 && spin.y > 0.0);
    }
}
