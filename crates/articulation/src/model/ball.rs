//! What acts along the coordinates of a ball joint: its twist about x, its swing about y and z, and the angle of its swing.
//!
//! Coordinates are those of [`SwingTwist`]: they are no degrees of freedom, whose velocities are those about the link's axes, so what acts along them acts
//! along directions among these ([`JointDirection`]), which change as the joint turns.

use super::joint::{DofSpec, JointKind, Motor};
use super::{LinkIndex, Model};
use crate::error::{ArticulationError, in_range};
use crate::spatial::SwingTwist;
use crate::state::quaternion;
use nalgebra::{UnitQuaternion, Vector3};
use std::f64::consts::{PI, TAU};

/// One coordinate of a ball joint.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BallAxis {
    /// Least and largest value, rad, in -π to π.
    pub limits: Option<[f64; 2]>,
    /// Pulls the coordinate to its target, rad. Always implicit: no stiffness makes a step unstable, and a spring loses a little of its energy in each step, where
    /// three equal [`crate::DofSpec::motor`]s on the joint keep it.
    pub motor: Option<Motor>,
}

/// What acts along the coordinates of a ball joint. Nothing by default.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BallSpec {
    /// Twist, swing about y, swing about z.
    pub axes: [BallAxis; 3],
    /// Largest angle between the x axes of the joint's frame and the link's, rad; above 0, infinite without.
    pub cone: f64,
    /// True for coordinates of the joint's frame seen from the link's, where the others are those of the link's frame seen from the joint's.
    pub is_reversed: bool,
}

impl Default for BallSpec {
    fn default() -> Self {
        Self { axes: [BallAxis::default(); 3], cone: f64::INFINITY, is_reversed: false }
    }
}

impl BallSpec {
    /// True with a limit or a cone.
    pub(crate) fn is_limited(&self) -> bool {
        self.cone < f64::INFINITY || self.axes.iter().any(|axis| axis.limits.is_some())
    }

    /// True with a motor.
    pub(crate) fn is_driven(&self) -> bool {
        self.axes.iter().any(|axis| axis.motor.is_some())
    }

    fn validate(&self) -> Result<(), ArticulationError> {
        for axis in &self.axes {
            if let Some([lower, upper]) = axis.limits {
                in_range("limits[0] of a ball", "in -pi to pi", lower, |x| (-PI..=PI).contains(&x))?;
                let expected = "in limits[0] to pi";
                in_range("limits[1] of a ball", expected, upper, |x| (lower..=PI).contains(&x))?;
            }
            axis.motor.as_ref().map_or(Ok(()), Motor::validate)?;
        }
        if self.cone > 0.0 {
            return Ok(());
        }
        let expected = "above 0 (infinite where there is no cone)";
        Err(ArticulationError::OutOfRange { field: "cone", expected, value: self.cone })
    }
}

/// A direction among the degrees of freedom of one joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JointDirection {
    /// Along this one.
    Dof(usize),
    /// Of the ball joint whose degrees of freedom begin here: what its angular velocity (link's axes) is multiplied with.
    Ball(usize, Vector3<f64>),
}

impl JointDirection {
    /// The rate along it, of these velocities.
    #[inline]
    pub fn rate(&self, velocities: &[f64]) -> f64 {
        match self {
            Self::Dof(dof) => velocities[*dof],
            Self::Ball(first, along) => {
                let v = &velocities[*first..first + 3];
                along.x * v[0] + along.y * v[1] + along.z * v[2]
            }
        }
    }

    /// Adds to forces, or impulses, along degrees of freedom what one of this size along it is.
    #[inline]
    pub fn add_to(&self, size: f64, forces: &mut [f64]) {
        match self {
            Self::Dof(dof) => forces[*dof] += size,
            Self::Ball(first, along) => (0..3).for_each(|k| forces[first + k] += along[k] * size),
        }
    }

    /// Whether its degrees of freedom exist, of so many.
    pub(crate) fn fits(&self, count: usize) -> bool {
        match self {
            Self::Dof(dof) => *dof < count,
            Self::Ball(first, _) => first + 3 <= count,
        }
    }
}

/// A ball joint of a model.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ball {
    pub(crate) link: LinkIndex,
    pub(crate) spec: BallSpec,
}

/// Where a ball joint is, by its coordinates, with their directions.
pub(crate) struct BallPlace {
    pub(crate) values: [f64; 3],
    pub(crate) directions: [JointDirection; 3],
    pub(crate) opening: f64,
    pub(crate) opens: JointDirection,
}

impl Ball {
    /// Where it is; `velocities` say in which direction it opens where nothing is swung.
    pub(crate) fn place(&self, model: &Model, positions: &[f64], velocities: &[f64]) -> BallPlace {
        let link = &model.links[self.link.index()];
        let first = link.first_dof as usize;
        let q = quaternion(link, positions);
        let turn = UnitQuaternion::new_unchecked(q * (1.0 / q.norm()));
        let found = SwingTwist::new(&if self.spec.is_reversed { turn.inverse() } else { turn });
        // From the axes that the coordinates are seen in to the link's; reversed, these are the link's, and the joint's frame turns the other way.
        let in_link = |rate: &Vector3<f64>| {
            let along = if self.spec.is_reversed { -rate } else { turn.inverse_transform_vector(rate) };
            JointDirection::Ball(first, along)
        };
        let opens = found.opening_rate.unwrap_or_else(|| {
            let v = &velocities[first..first + 3];
            let across = Vector3::new(0.0, v[1], v[2]);
            let fastest = if self.spec.is_reversed { -across } else { turn * across };
            fastest.try_normalize(f64::MIN_POSITIVE).unwrap_or_else(Vector3::y)
        });
        BallPlace {
            values: found.values,
            directions: [0, 1, 2].map(|k: usize| in_link(&found.rates[k])),
            opening: found.opening,
            opens: in_link(&opens),
        }
    }

    /// The first of its degrees of freedom.
    pub(crate) fn first_dof(&self, model: &Model) -> usize {
        model.links[self.link.index()].first_dof as usize
    }
}

/// How far a coordinate of a ball is from a target, rad; the twist, the shorter way around.
pub(crate) fn error(axis: usize, value: f64, target: f64) -> f64 {
    let off = value - target;
    if axis != 0 {
        off
    } else if off > PI {
        off - TAU
    } else if off < -PI {
        off + TAU
    } else {
        off
    }
}

impl Model {
    /// What acts along the coordinates of the ball joint of a link; none for another joint.
    pub fn ball(&self, link: LinkIndex) -> Option<&BallSpec> {
        self.balls.iter().find(|ball| ball.link == link).map(|ball| &ball.spec)
    }

    /// Replaces what acts along the coordinates of the ball joint of a link.
    ///
    /// # Errors
    /// When there is no such link, it has another joint, a value is out of range, or it has motors by degree of freedom besides; nothing is changed then.
    pub fn set_ball(&mut self, link: LinkIndex, spec: BallSpec) -> Result<(), ArticulationError> {
        let own = self.link(link)?;
        check_ball(&own.kind, &spec, &self.dofs[own.dofs()])?;
        if let Some(ball) = self.balls.iter_mut().find(|ball| ball.link == link) {
            ball.spec = spec;
        }
        Ok(())
    }
}

/// Checks a setting for a joint that has these degrees of freedom.
pub(crate) fn check_ball(
    kind: &JointKind,
    spec: &BallSpec,
    dofs: &[DofSpec],
) -> Result<(), ArticulationError> {
    if *kind != JointKind::Spherical {
        let (setting, expected) = ("what acts along coordinates of a ball", "a spherical joint");
        return Err(ArticulationError::WrongJoint { setting, expected, joint: kind.name() });
    }
    spec.validate()?;
    if spec.is_driven() && dofs.iter().any(|dof| dof.motor.is_some()) {
        return Err(ArticulationError::TwoMotors);
    }
    Ok(())
}
