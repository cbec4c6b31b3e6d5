//! Kinds with settings of their own: screws, wheels and soft welds.

use crate::{JointAxis, JointError, JointKind, JointSpec, Softness};
use drystone_contact::{
    AxisDrive, Bodies, BodyHandle, BodyIndex, ConstraintAxis, JointConstraint, TieCoupling,
};
use drystone_math::{Real, Rotation, Vector3};

impl JointSpec {
    /// One axis in common, along which it slides by a `pitch` per revolution, m: positive for a right-handed thread, which goes on as it turns about the axis.
    pub fn screw(a: BodyHandle, b: BodyHandle, pitch: Real) -> Self {
        Self::new(JointKind::Screw, a, b).pitch(pitch)
    }

    /// A wheel (B) on a suspension of a chassis (A): its axle is the x axis ([`JointSpec::along`]), and it slides along the y axis, which points up as a rule
    /// ([`JointSpec::across`]), and about which it is steered ([`JointSpec::steering`]). Its spring is [`JointSpec::suspension`], its ways have limits by
    /// [`JointSpec::axis_limits`], and what spins it is [`JointSpec::motor`].
    pub fn wheel(chassis: BodyHandle, wheel: BodyHandle) -> Self {
        Self::new(JointKind::Wheel, chassis, wheel)
    }

    /// All held as it is, by springs and dampers as far as [`JointSpec::linear_spring`] and [`JointSpec::angular_spring`] say; what is not said to be soft is
    /// locked.
    pub fn soft_weld(a: BodyHandle, b: BodyHandle) -> Self {
        Self::new(JointKind::SoftWeld, a, b)
    }

    /// How far a screw goes per revolution, m (see [`JointSpec::screw`]).
    #[must_use]
    pub fn pitch(mut self, pitch: Real) -> Self {
        if self.kind != JointKind::Screw {
            let kind = self.kind;
            return self.refuse(JointError::HasNo { kind, what: "pitch" });
        }
        self.pitch = pitch;
        self
    }

    /// Angle by which the axle of a wheel is turned about the y axis, rad, in -π ..= π. It holds whatever the wheel meets.
    #[must_use]
    pub fn steering(mut self, angle: Real) -> Self {
        if self.kind != JointKind::Wheel {
            let kind = self.kind;
            return self.refuse(JointError::HasNo { kind, what: "steering" });
        }
        self.steering = angle;
        self
    }

    /// Spring and damper of the suspension of a wheel; it pulls to where the wheel is when the joint is made.
    #[must_use]
    pub fn suspension(self, softness: Softness) -> Self {
        self.soft(JointKind::Wheel, "suspension", SoftPart::Suspension, softness)
    }

    /// Spring and damper of a soft weld along all ways.
    #[must_use]
    pub fn linear_spring(self, softness: Softness) -> Self {
        self.soft(JointKind::SoftWeld, "linear spring", SoftPart::Ways, softness)
    }

    /// Spring and damper of a soft weld about all axes. It knows turns of less than half a revolution.
    #[must_use]
    pub fn angular_spring(self, softness: Softness) -> Self {
        self.soft(JointKind::SoftWeld, "angular spring", SoftPart::Turns, softness)
    }

    /// A screw: `x − pitch / 2π twist` stays what it is.
    pub(crate) fn couple_screw(&self, tie: &mut JointConstraint, bodies: &Bodies) -> Result<(), JointError> {
        if !self.pitch.is_finite() || self.pitch == 0.0 {
            let (field, expected) = ("pitch of a screw", "finite and not 0");
            return Err(JointError::OutOfRange { field, expected, value: f64::from(self.pitch) });
        }
        let axes = [JointAxis::X as usize, JointAxis::Twist as usize];
        let factors = [1.0, -self.pitch / std::f32::consts::TAU];
        let sum = (0..2).map(|k| f64::from(factors[k]) * tie.value(bodies, axes[k])).sum();
        tie.coupled = 1 << axes[0] | 1 << axes[1];
        tie.coupling = Some(TieCoupling { edges: None, axes, factors, least: sum, greatest: sum });
        Ok(())
    }

    fn soft(mut self, kind: JointKind, what: &'static str, part: SoftPart, softness: Softness) -> Self {
        if self.kind != kind {
            let kind = self.kind;
            return self.refuse(JointError::HasNo { kind, what });
        }
        self.soft.retain(|(own, _)| *own != part);
        self.soft.push((part, softness));
        self
    }
}

/// The frame of a wheel on its chassis, turned about its y axis by an angle, rad.
pub(crate) fn steered(frame: Rotation, angle: Real) -> Result<Rotation, JointError> {
    if angle.is_nan() || angle.abs() > std::f32::consts::PI {
        let (field, expected) = ("steering of a wheel", "in -pi ..= pi");
        return Err(JointError::OutOfRange { field, expected, value: f64::from(angle) });
    }
    Ok(frame * drystone_math::rotation_from_vector(&Vector3::new(0.0, angle, 0.0)))
}

/// Which coordinates are soft: ways, turns, or the way along y.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SoftPart {
    Ways,
    Turns,
    Suspension,
}

impl SoftPart {
    fn axes(self) -> std::ops::Range<usize> {
        match self {
            Self::Ways => 0..3,
            Self::Turns => 3..6,
            Self::Suspension => 1..2,
        }
    }
}

/// Lets go what is soft, and pulls it to 0; limits stay, where there are any.
pub(crate) fn soften(tie: &mut JointConstraint, part: SoftPart, softness: Softness, bodies: &Bodies) {
    let frame = tie.place(bodies).0[0];
    for axis in part.axes() {
        let inverse: Real = tie
            .bodies
            .iter()
            .map(|&body| match axis {
                0..3 => bodies.hot(body).inverse_mass,
                _ => inverse_moment(bodies, body, &(frame * Vector3::ith(axis - 3, 1.0))),
            })
            .sum();
        let own = &mut tie.axes[axis];
        let AxisDrive { stiffness, damping, most, .. } =
            softness.drive(if inverse > 0.0 { 1.0 / inverse } else { 0.0 });
        own.drive = AxisDrive { stiffness, damping, most, ..own.drive };
        if own.is_locked() {
            *own = ConstraintAxis { drive: own.drive, ..ConstraintAxis::FREE };
        }
    }
}

/// What a unit torque about an axis turns a body about it by, 1/(kg m²).
fn inverse_moment(bodies: &Bodies, body: BodyIndex, axis: &Vector3) -> Real {
    if bodies.hot(body).inverse_mass > 0.0 { bodies.inverse_inertia(body).quadratic(axis) } else { 0.0 }
}
