//! Kinds of joints, and which coordinates they leave free.

use drystone_contact::{ConstraintAxis, SPAN, TIE_AXES};

/// What a joint is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum JointKind {
    /// Two points keep their distance (a rod), or keep it between limits (a rope), or are pulled to it (a spring).
    Distance,
    /// One point in common; all turns are free. Also: spherical, point to point.
    Ball,
    /// One axis in common, about which it turns.
    Hinge,
    /// One axis in common, along which it slides without turning.
    Slider,
    /// Everything is held.
    Fixed,
    /// One point in common; the x axes stay in a cone, and the turn about them between limits.
    ConeTwist,
    /// Six coordinates, each held, free or limited.
    Generic,
    /// One axis in common, about which it turns and along which it slides by a pitch per revolution.
    Screw,
    /// A wheel on its suspension: it turns about the x axis, and slides along the y axis, about which it is steered.
    Wheel,
    /// Everything is held, by springs and dampers.
    SoftWeld,
    /// Two turns in a ratio; couples two joints ([`crate::CouplingSpec`]).
    Gear,
    /// A turn and a way in a ratio; couples two joints.
    RackAndPinion,
    /// A rope over two fixed points: the sum of two distances has a greatest value; couples two joints.
    Pulley,
    /// Any two coordinates of two joints.
    Coupling,
}

/// A coordinate of a joint; see [`drystone_contact::JointConstraint`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(usize)]
pub enum JointAxis {
    /// Way along x of A's frame, m.
    X = 0,
    /// Along y.
    Y = 1,
    /// Along z.
    Z = 2,
    /// Turn about x, rad.
    Twist = 3,
    /// Turn of the x axis about y, rad.
    SwingY = 4,
    /// About z.
    SwingZ = 5,
    /// Distance of the two points, m.
    Distance = SPAN,
}

impl JointAxis {
    /// All coordinates, in the order of their numbers.
    pub const ALL: [Self; TIE_AXES] =
        [Self::X, Self::Y, Self::Z, Self::Twist, Self::SwingY, Self::SwingZ, Self::Distance];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::X => "x",
            Self::Y => "y",
            Self::Z => "z",
            Self::Twist => "twist",
            Self::SwingY => "swing y",
            Self::SwingZ => "swing z",
            Self::Distance => "distance",
        }
    }
}

impl JointKind {
    /// All kinds.
    pub const ALL: [Self; 14] = [
        Self::Distance,
        Self::Ball,
        Self::Hinge,
        Self::Slider,
        Self::Fixed,
        Self::ConeTwist,
        Self::Generic,
        Self::Screw,
        Self::Wheel,
        Self::SoftWeld,
        Self::Gear,
        Self::RackAndPinion,
        Self::Pulley,
        Self::Coupling,
    ];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Distance => "distance",
            Self::Ball => "ball",
            Self::Hinge => "hinge",
            Self::Slider => "slider",
            Self::Fixed => "fixed",
            Self::ConeTwist => "cone-twist",
            Self::Generic => "generic",
            Self::Screw => "screw",
            Self::Wheel => "wheel",
            Self::SoftWeld => "soft-weld",
            Self::Gear => "gear",
            Self::RackAndPinion => "rack-and-pinion",
            Self::Pulley => "pulley",
            Self::Coupling => "coupling",
        }
    }

    /// True for those that couple two joints: they are made by a [`crate::CouplingSpec`].
    pub const fn couples_joints(self) -> bool {
        matches!(self, Self::Gear | Self::RackAndPinion | Self::Pulley | Self::Coupling)
    }

    /// The coordinate that limits, motor and friction are about, where nothing else is said.
    pub const fn main_axis(self) -> Option<JointAxis> {
        match self {
            Self::Distance => Some(JointAxis::Distance),
            Self::Hinge | Self::ConeTwist | Self::Screw | Self::Wheel => Some(JointAxis::Twist),
            Self::Slider => Some(JointAxis::X),
            _ => None,
        }
    }

    /// What it leaves free at first.
    pub(crate) fn axes(self) -> [ConstraintAxis; TIE_AXES] {
        let held: &[usize] = match self {
            Self::Distance | Self::Gear | Self::RackAndPinion | Self::Pulley | Self::Coupling => &[],
            Self::Screw => &[1, 2, 4, 5],
            Self::Wheel => &[0, 2, 4, 5],
            Self::Ball | Self::ConeTwist => &[0, 1, 2],
            Self::Hinge => &[0, 1, 2, 4, 5],
            Self::Slider => &[1, 2, 3, 4, 5],
            Self::Fixed | Self::Generic | Self::SoftWeld => &[0, 1, 2, 3, 4, 5],
        };
        let mut axes = [ConstraintAxis::FREE; TIE_AXES];
        for &axis in held {
            axes[axis] = ConstraintAxis::LOCKED;
        }
        axes
    }

    /// Whether the user may set what a coordinate does.
    pub(crate) fn has(self, axis: JointAxis) -> bool {
        match self {
            Self::Generic => axis != JointAxis::Distance,
            Self::Ball => matches!(axis, JointAxis::Twist | JointAxis::SwingY | JointAxis::SwingZ),
            Self::ConeTwist => matches!(axis, JointAxis::Twist | JointAxis::SwingY | JointAxis::SwingZ),
            Self::Screw => matches!(axis, JointAxis::X | JointAxis::Twist),
            Self::Wheel => matches!(axis, JointAxis::Y | JointAxis::Twist),
            _ => self.main_axis() == Some(axis),
        }
    }
}
