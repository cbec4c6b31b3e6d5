//! How a body is described when it is added.

use crate::error::{ContactError, check, check_finite};
use drystone_math::inertia::MassProperties;
use drystone_math::{Pose, Real, Vector3, unit_rotation, widen};
use std::ops::RangeInclusive;

/// How a body moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyKind {
    /// Moves by forces and impulses.
    Dynamic,
    /// Never moves.
    Fixed,
    /// Moves as its user says (velocity or target pose); nothing pushes it.
    Kinematic,
}

/// World axes along and about which a dynamic body cannot move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AxisLocks {
    /// Translation along x, y, z.
    pub translation: [bool; 3],
    /// Rotation about x, y, z.
    pub rotation: [bool; 3],
}

impl AxisLocks {
    /// Planar motion: along x and y, about z.
    pub const PLANE_XY: Self = Self::plane([false, false, true]);
    /// Planar motion: along y and z, about x.
    pub const PLANE_YZ: Self = Self::plane([true, false, false]);
    /// Planar motion: along x and z, about y.
    pub const PLANE_XZ: Self = Self::plane([false, true, false]);

    const fn plane(normal: [bool; 3]) -> Self {
        Self { translation: normal, rotation: [!normal[0], !normal[1], !normal[2]] }
    }

    /// What is locked by one of the two.
    pub fn with(self, other: Self) -> Self {
        let either = |a: [bool; 3], b: [bool; 3]| [a[0] || b[0], a[1] || b[1], a[2] || b[2]];
        Self {
            translation: either(self.translation, other.translation),
            rotation: either(self.rotation, other.rotation),
        }
    }

    /// True when nothing is locked.
    pub fn is_free(&self) -> bool {
        *self == Self::default()
    }
}

/// Description of a body to be added.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyDesc {
    /// How it moves.
    pub kind: BodyKind,
    /// Pose of the body's own origin, world.
    pub pose: Pose,
    /// Velocity of the centre of mass, m/s.
    pub linear: Vector3,
    /// Angular velocity, rad/s, world.
    pub angular: Vector3,
    /// Mass, centre and inertia in the body's frame; ignored unless dynamic.
    pub mass: MassProperties,
    /// Largest distance of the surface from the centre of mass, m; at least 0, infinite for half-spaces.
    pub radius: Real,
    /// Locked world axes.
    pub locks: AxisLocks,
    /// Linear damping, 1/s; at least 0. Default 0.
    pub linear_damping: Real,
    /// Angular damping, 1/s; at least 0. Default 0.
    pub angular_damping: Real,
    /// Factor on the global accelerations; finite. Default 1.
    pub gravity_scale: Real,
    /// Whether the body may be put to sleep. Default true.
    pub can_sleep: bool,
    /// Whether it starts asleep; only for dynamic bodies without velocity that may sleep. What nothing carries
    /// wakes in the first step (S1-42). Default false.
    pub is_asleep: bool,
    /// Anything the user wants to find again.
    pub user_data: u64,
}

impl BodyDesc {
    /// A dynamic body with these mass properties, at rest at the origin.
    pub fn dynamic(mass: MassProperties, radius: Real) -> Self {
        Self {
            kind: BodyKind::Dynamic,
            pose: Pose::IDENTITY,
            linear: Vector3::zeros(),
            angular: Vector3::zeros(),
            mass,
            radius,
            locks: AxisLocks::default(),
            linear_damping: 0.0,
            angular_damping: 0.0,
            gravity_scale: 1.0,
            can_sleep: true,
            is_asleep: false,
            user_data: 0,
        }
    }

    /// A body that never moves.
    pub fn fixed() -> Self {
        let mass = MassProperties::aligned(0.0, Vector3::zeros());
        Self { kind: BodyKind::Fixed, ..Self::dynamic(mass, Real::INFINITY) }
    }

    /// The same description at another pose.
    pub fn at(self, pose: Pose) -> Self {
        Self { pose, ..self }
    }

    /// Pose of the centre of mass.
    pub fn center_pose(&self) -> Pose {
        if self.kind != BodyKind::Dynamic {
            return self.pose;
        }
        self.pose.translated(&widen(&(self.pose.rotation * self.mass.center)))
    }

    /// `Ok` when every value is in range.
    ///
    /// # Errors
    /// The first value out of range, with its name.
    pub fn validate(&self) -> Result<(), ContactError> {
        check_pose(&self.pose)?;
        check_finite("linear", &self.linear)?;
        check_finite("angular", &self.angular)?;
        if self.kind == BodyKind::Dynamic {
            check("mass.mass", "in [1e-30, 1e30] kg", self.mass.mass, |v| MASSES.contains(&v))?;
            check_finite("mass.center", &self.mass.center)?;
            for moment in self.mass.principal.iter() {
                check("mass.principal", "in [1e-36, 1e36] kg m²", *moment, |v| MOMENTS.contains(&v))?;
            }
            let length = self.mass.frame.norm();
            check("mass.frame", "of unit length", length, |v| (v - 1.0).abs() <= UNIT_TOLERANCE)?;
            check("radius", "at least 0", self.radius, |v| v >= 0.0)?;
        }
        if self.is_asleep {
            let may = self.kind == BodyKind::Dynamic && self.can_sleep;
            check("is_asleep", "0 for bodies that cannot sleep", 1.0, |_| may)?;
            let speed = self.linear.abs().max().max(self.angular.abs().max());
            check("velocity of a body that starts asleep", "0", speed, |v| v == 0.0)?;
        }
        check("linear_damping", "at least 0", self.linear_damping, |v| v >= 0.0)?;
        check("angular_damping", "at least 0", self.angular_damping, |v| v >= 0.0)?;
        check("gravity_scale", "finite", self.gravity_scale, |_| true)
    }
}

/// Masses (kg) whose inverse, and whose momentum at any speed, are ordinary numbers of `f32`.
pub const MASSES: RangeInclusive<Real> = 1.0e-30..=1.0e30;
/// The same for moments of inertia, kg m².
pub const MOMENTS: RangeInclusive<Real> = 1.0e-36..=1.0e36;
/// How far from unit length a given rotation may be; more is taken for a mistake.
const UNIT_TOLERANCE: Real = 1e-3;

/// The pose with a rotation of unit length to the last digits: what is given may be off by some.
pub(crate) fn unit_pose(pose: &Pose) -> Pose {
    Pose { rotation: unit_rotation(&pose.rotation), ..*pose }
}

/// `Ok` when the pose is finite and its rotation of unit length.
pub(crate) fn check_pose(pose: &Pose) -> Result<(), ContactError> {
    let t = &pose.translation;
    if !t.coords.iter().all(|c| c.is_finite()) {
        return Err(ContactError::NotFinite { field: "pose.translation", value: [t.x, t.y, t.z] });
    }
    check("pose.rotation norm", "1 within 1e-3", pose.rotation.norm(), |n| (n - 1.0).abs() < UNIT_TOLERANCE)
}
