//! Joints between a link and its parent, and what acts along their degrees of freedom.

use super::ball::{BallSpec, check_ball};
use crate::error::{ArticulationError, in_range};
use nalgebra::Vector3;

/// What a joint leaves free. The joint's frame is fixed in the parent ([`crate::LinkSpec::placement`]); the link's frame is the same
/// frame after the motion of the joint.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum JointKind {
    /// Nothing.
    Fixed,
    /// A turn about an axis through the origin (unit vector, the same in both frames). Position: the angle, rad, over any number of
    /// revolutions.
    Revolute {
        /// Axis, of unit length.
        axis: Vector3<f64>,
    },
    /// A way along an axis (unit vector). Position: the way, m.
    Prismatic {
        /// Axis, of unit length.
        axis: Vector3<f64>,
    },
    /// All turns about the origin. Position: a unit quaternion (x, y, z, w) from the link's frame to the joint's. Velocity: the
    /// angular velocity against the parent, in the **link's** axes, rad/s.
    Spherical,
    /// All motion against the world. Position: a unit quaternion as for [`JointKind::Spherical`], then the origin in the joint's
    /// frame, m. Velocity: angular in the link's axes, rad/s, then linear in the joint's axes, m/s.
    Free,
}

impl JointKind {
    /// How many velocities it has.
    pub fn dof_count(&self) -> usize {
        match self {
            Self::Fixed => 0,
            Self::Revolute { .. } | Self::Prismatic { .. } => 1,
            Self::Spherical => 3,
            Self::Free => 6,
        }
    }

    /// How many positions it has: one more than velocities where there is a quaternion.
    pub fn position_count(&self) -> usize {
        match self {
            Self::Spherical => 4,
            Self::Free => 7,
            _ => self.dof_count(),
        }
    }

    /// Its name in messages.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::Revolute { .. } => "revolute",
            Self::Prismatic { .. } => "prismatic",
            Self::Spherical => "spherical",
            Self::Free => "free",
        }
    }
}

/// A motor of a degree of freedom: everything at once, each part zero by default.
///
/// Its force is `feed_forward + stiffness (target_position - q) + damping (target_velocity - v)`, cut off at ±`max_force`. For a
/// quaternion the three target positions of a joint are the vector of the target rotation, and `target_position - q` is the vector
/// that turns the link to it, in the link's axes; its three springs are equally stiff.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motor {
    /// Where to, rad or m. Finite.
    pub target_position: f64,
    /// How fast, rad/s or m/s. Finite.
    pub target_velocity: f64,
    /// Force per error of position, N m/rad or N/m. At least 0; no stiffness makes a step unstable.
    pub stiffness: f64,
    /// Force per error of velocity, N m s/rad or N s/m. At least 0.
    pub damping: f64,
    /// Force that is added, N m or N. Finite.
    pub feed_forward: f64,
    /// Largest force of the motor altogether, N m or N. At least 0; infinite by default.
    pub max_force: f64,
}

impl Default for Motor {
    fn default() -> Self {
        Self {
            target_position: 0.0,
            target_velocity: 0.0,
            stiffness: 0.0,
            damping: 0.0,
            feed_forward: 0.0,
            max_force: f64::INFINITY,
        }
    }
}

impl Motor {
    /// Pulls to a position like a spring with a damper.
    pub fn position(target: f64, stiffness: f64, damping: f64) -> Self {
        Self { target_position: target, stiffness, damping, ..Self::default() }
    }

    /// Keeps a velocity as far as `max_force` goes. The damping is that force per 1/1000 of a unit of velocity.
    pub fn velocity(target: f64, max_force: f64) -> Self {
        Self { target_velocity: target, damping: max_force * 1e3, max_force, ..Self::default() }
    }

    /// The same with a largest force.
    #[must_use]
    pub fn at_most(self, max_force: f64) -> Self {
        Self { max_force, ..self }
    }

    pub(crate) fn validate(&self) -> Result<(), ArticulationError> {
        in_range("motor.target_position", "finite", self.target_position, |_| true)?;
        in_range("motor.target_velocity", "finite", self.target_velocity, |_| true)?;
        in_range("motor.stiffness", "finite and at least 0", self.stiffness, |x| x >= 0.0)?;
        in_range("motor.damping", "finite and at least 0", self.damping, |x| x >= 0.0)?;
        in_range("motor.feed_forward", "finite", self.feed_forward, |_| true)?;
        let (expected, max) = ("at least 0 (infinite where there is no limit)", self.max_force);
        if max >= 0.0 {
            return Ok(());
        }
        Err(ArticulationError::OutOfRange { field: "motor.max_force", expected, value: max })
    }
}

/// What acts along one degree of freedom. All zero by default.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DofSpec {
    /// Inertia of the rotor (times the square of the gear ratio), added to the diagonal of the mass matrix, kg m² or kg. At least 0.
    pub armature: f64,
    /// Force against the velocity, N m s/rad or N s/m. At least 0.
    pub damping: f64,
    /// Dry friction: force against any motion, N m or N. At least 0.
    pub friction: f64,
    /// Least and largest position, rad or m; for revolute and prismatic joints.
    pub limits: Option<[f64; 2]>,
    /// The motor.
    pub motor: Option<Motor>,
}

impl DofSpec {
    fn validate(&self, kind: &JointKind) -> Result<(), ArticulationError> {
        in_range("armature", "finite and at least 0", self.armature, |x| x >= 0.0)?;
        in_range("damping", "finite and at least 0", self.damping, |x| x >= 0.0)?;
        in_range("friction", "finite and at least 0", self.friction, |x| x >= 0.0)?;
        if let Some([lower, upper]) = self.limits {
            if !matches!(kind, JointKind::Revolute { .. } | JointKind::Prismatic { .. }) {
                let expected = "a revolute or prismatic joint";
                return Err(ArticulationError::WrongJoint {
                    setting: "limits",
                    expected,
                    joint: kind.name(),
                });
            }
            in_range("limits[0]", "finite", lower, |_| true)?;
            in_range("limits[1]", "finite and at least limits[0]", upper, |x| x >= lower)?;
        }
        self.motor.as_ref().map_or(Ok(()), Motor::validate)
    }
}

/// A joint with what acts along its degrees of freedom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointSpec {
    /// What it leaves free.
    pub kind: JointKind,
    /// One entry per degree of freedom, from the front; the rest is not read.
    pub dofs: [DofSpec; 6],
    /// What acts along the coordinates of a spherical joint.
    pub ball: BallSpec,
}

impl JointSpec {
    /// A joint of this kind on which nothing acts.
    pub fn new(kind: JointKind) -> Self {
        Self { kind, dofs: [DofSpec::default(); 6], ball: BallSpec::default() }
    }

    /// A turn about `axis`, of any length but 0.
    pub fn revolute(axis: Vector3<f64>) -> Self {
        Self::new(JointKind::Revolute { axis })
    }

    /// A way along `axis`, of any length but 0.
    pub fn prismatic(axis: Vector3<f64>) -> Self {
        Self::new(JointKind::Prismatic { axis })
    }

    /// All turns about a point.
    pub fn spherical() -> Self {
        Self::new(JointKind::Spherical)
    }

    /// All motion against the world.
    pub fn free() -> Self {
        Self::new(JointKind::Free)
    }

    /// No motion.
    pub fn fixed() -> Self {
        Self::new(JointKind::Fixed)
    }

    /// The same with this inertia of the rotor, for all degrees of freedom ([`DofSpec::armature`]).
    #[must_use]
    pub fn armature(self, armature: f64) -> Self {
        self.each(|dof| dof.armature = armature)
    }

    /// The same with this damping, for all degrees of freedom ([`DofSpec::damping`]).
    #[must_use]
    pub fn damping(self, damping: f64) -> Self {
        self.each(|dof| dof.damping = damping)
    }

    /// The same with this dry friction, for all degrees of freedom ([`DofSpec::friction`]).
    #[must_use]
    pub fn friction(self, friction: f64) -> Self {
        self.each(|dof| dof.friction = friction)
    }

    /// The same with these limits ([`DofSpec::limits`]).
    #[must_use]
    pub fn limits(self, lower: f64, upper: f64) -> Self {
        self.each(|dof| dof.limits = Some([lower, upper]))
    }

    /// The same with this motor, for all degrees of freedom.
    #[must_use]
    pub fn motor(self, motor: Motor) -> Self {
        self.each(|dof| dof.motor = Some(motor))
    }

    /// The same with this along the coordinates of a spherical joint.
    #[must_use]
    pub fn ball(self, ball: BallSpec) -> Self {
        Self { ball, ..self }
    }

    fn each(mut self, set: impl Fn(&mut DofSpec)) -> Self {
        self.dofs.iter_mut().for_each(set);
        self
    }

    /// The same with axes of unit length.
    pub(crate) fn checked(mut self) -> Result<Self, ArticulationError> {
        if let JointKind::Revolute { axis } | JointKind::Prismatic { axis } = &mut self.kind {
            let length = axis.norm();
            in_range("length of the joint's axis", "finite and above 1e-12", length, |x| x > 1e-12)?;
            *axis /= length;
        }
        let dofs = &self.dofs[..self.kind.dof_count()];
        validate_dofs(&self.kind, dofs)?;
        if self.ball != BallSpec::default() {
            check_ball(&self.kind, &self.ball, dofs)?;
        }
        Ok(self)
    }
}

/// Checks what acts along all degrees of freedom of a joint.
pub(crate) fn validate_dofs(kind: &JointKind, dofs: &[DofSpec]) -> Result<(), ArticulationError> {
    dofs.iter().try_for_each(|dof| dof.validate(kind))?;
    if matches!(kind, JointKind::Spherical | JointKind::Free) {
        let stiffness = |dof: &DofSpec| dof.motor.map_or(0.0, |motor| motor.stiffness);
        let first = stiffness(&dofs[0]);
        if let Some(other) = dofs[1..3].iter().map(stiffness).find(|other| *other != first) {
            return Err(ArticulationError::UnequalStiffness { joint: kind.name(), first, other });
        }
    }
    Ok(())
}
