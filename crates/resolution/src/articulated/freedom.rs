//! A joint constraint as a joint of a tree.
//!
//! The frame of a joint constraint has its axis along x. As a joint of a tree, the frame is fixed in the parent, and the link's frame is the one that
//! the constraint has on the child. Where the child is body A, the constraint's coordinate is that of the other way round: the axis is turned, so that
//! positions, limits and motors keep their signs.

use drystone_articulation::{BallAxis, BallSpec, DofSpec, JointKind, Motor, Transform};
use drystone_contact::{ConstraintAxis, JointConstraint, SPAN, TIE_AXES, TWIST};
use drystone_math::Real;
use nalgebra::Vector3;
use std::f64::consts::{PI, TAU};

/// Damping (N s/m, N m s/rad) of a motor that keeps its speed without a largest force.
const UNBOUNDED: f64 = 1e7;
/// Damping of one that has a largest force: that force per this much of a unit of velocity.
const PER_SPEED: f64 = 1e3;
/// A limit (m, rad) where there is none on one side.
const FAR: f64 = 1e6;

/// What a joint constraint leaves free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Freedom {
    Fixed,
    Revolute,
    Prismatic,
    Spherical,
}

impl Freedom {
    /// Of a joint constraint; what is in the way where a tree cannot have it.
    pub(super) fn of(tie: &JointConstraint) -> Result<Self, &'static str> {
        let axes = &tie.axes;
        if tie.coupling.is_some() {
            return Err("it couples coordinates");
        }
        if tie.coupled != 0 {
            return Err("it is coupled to another joint");
        }
        let distance = &axes[SPAN];
        if distance.is_locked() || distance.is_limited() || distance.is_driven() {
            return Err("it keeps a distance");
        }
        let locked: [bool; 6] = std::array::from_fn(|k| axes[k].is_locked());
        if (0..6).any(|k| locked[k] && axes[k].lower != 0.0) {
            return Err("a coordinate is held away from zero");
        }
        match locked {
            [true, true, true, true, true, true] => Ok(Self::Fixed),
            [true, true, true, false, true, true] => Ok(Self::Revolute),
            [false, true, true, true, true, true] => Ok(Self::Prismatic),
            [true, true, true, false, false, false] => Ok(Self::Spherical),
            _ => Err("it leaves other coordinates free"),
        }
    }

    /// As a joint of a tree; `is_turned`: the child is body A.
    pub(super) fn kind(self, is_turned: bool) -> JointKind {
        let axis = Vector3::x() * sign(is_turned);
        match self {
            Self::Fixed => JointKind::Fixed,
            Self::Revolute => JointKind::Revolute { axis },
            Self::Prismatic => JointKind::Prismatic { axis },
            Self::Spherical => JointKind::Spherical,
        }
    }

    /// Which coordinate of the constraint is that of the joint.
    fn axis(self) -> Option<usize> {
        match self {
            Self::Fixed => None,
            Self::Prismatic => Some(0),
            Self::Revolute | Self::Spherical => Some(TWIST),
        }
    }

    /// Positions of the joint where the child's frame is `relative` to the parent's, and what the frames are off, m or rad.
    pub(super) fn positions(self, relative: &Transform, is_turned: bool) -> (Vec<f64>, f64) {
        let sign = sign(is_turned);
        let (way, turn) = (relative.translation.vector, relative.rotation);
        match self {
            Self::Fixed => (Vec::new(), way.norm().max(turn.angle())),
            Self::Revolute => {
                let angle = 2.0 * turn.i.atan2(turn.w);
                let angle =
                    if angle > PI { angle - TAU } else { angle + if angle < -PI { TAU } else { 0.0 } };
                let swing = 2.0 * turn.j.hypot(turn.k).min(1.0).asin();
                (vec![angle * sign], way.norm().max(swing))
            }
            Self::Prismatic => (vec![way.x * sign], way.y.hypot(way.z).max(turn.angle())),
            Self::Spherical => (turn.coords.as_slice().to_vec(), way.norm()),
        }
    }

    /// What acts along its degrees of freedom, and how many there are.
    pub(super) fn dofs(
        self,
        axes: &[ConstraintAxis; TIE_AXES],
        [armature, damping]: [f64; 2],
    ) -> ([DofSpec; 3], usize) {
        let spec = |axis: &ConstraintAxis| {
            let friction = f64::from(axis.drive.friction);
            DofSpec { armature, damping, friction, limits: None, motor: None }
        };
        let Some(main) = self.axis() else { return ([DofSpec::default(); 3], 0) };
        if self == Self::Spherical {
            return ([0, 1, 2].map(|k: usize| spec(&axes[TWIST + k])), 3);
        }
        let axis = &axes[main];
        let both = [f64::from(axis.lower).max(-FAR), f64::from(axis.upper).min(FAR)];
        let limits = axis.is_limited().then_some(both);
        let own = DofSpec { limits, motor: motor(axis), ..spec(axis) };
        ([own, DofSpec::default(), DofSpec::default()], 1)
    }

    /// What acts along the coordinates of a ball; none for other joints. `is_turned`: the child is body A.
    pub(super) fn ball(
        self,
        axes: &[ConstraintAxis; TIE_AXES],
        cone: Real,
        is_turned: bool,
    ) -> Option<BallSpec> {
        let axis = |k: usize| {
            let own = &axes[TWIST + k];
            let both = [f64::from(own.lower).max(-PI), f64::from(own.upper).min(PI)];
            BallAxis { limits: own.is_limited().then_some(both), motor: motor(own) }
        };
        let spec = BallSpec { axes: [0, 1, 2].map(axis), cone: f64::from(cone), is_reversed: is_turned };
        (self == Self::Spherical).then_some(spec)
    }

    /// Whether its position is a twist that counts revolutions ([`JointConstraint::counts_turns`]).
    pub(super) fn counts_turns(self) -> bool {
        self == Self::Revolute
    }
}

fn sign(is_turned: bool) -> f64 {
    if is_turned { -1.0 } else { 1.0 }
}

/// The motor of a coordinate.
fn motor(axis: &ConstraintAxis) -> Option<Motor> {
    let drive = &axis.drive;
    if drive.most <= 0.0 {
        return None;
    }
    let most = f64::from(drive.most);
    let damping = match (drive.damping.is_infinite(), most.is_infinite()) {
        (false, _) => f64::from(drive.damping),
        (true, false) => most * PER_SPEED,
        (true, true) => UNBOUNDED,
    };
    Some(Motor {
        target_position: f64::from(drive.target),
        target_velocity: f64::from(drive.speed),
        stiffness: f64::from(drive.stiffness),
        damping,
        feed_forward: f64::from(drive.force),
        max_force: most,
    })
}
