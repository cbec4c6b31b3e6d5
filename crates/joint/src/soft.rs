//! Springs and dampers of kinds that have them: soft welds, and the suspension of wheels.

use crate::Softness;
use drystone_contact::{Bodies, BodyIndex, Tie, TieAxis, TieDrive};
use drystone_math::{Real, Vector3};

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
pub(crate) fn soften(tie: &mut Tie, part: SoftPart, softness: Softness, bodies: &Bodies) {
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
        let TieDrive { stiffness, damping, most, .. } =
            softness.drive(if inverse > 0.0 { 1.0 / inverse } else { 0.0 });
        own.drive = TieDrive { stiffness, damping, most, ..own.drive };
        if own.is_locked() {
            *own = TieAxis { drive: own.drive, ..TieAxis::FREE };
        }
    }
}

/// What a unit torque about an axis turns a body about it by, 1/(kg m²).
fn inverse_moment(bodies: &Bodies, body: BodyIndex, axis: &Vector3) -> Real {
    if bodies.hot(body).inverse_mass > 0.0 { bodies.inverse_inertia(body).quadratic(axis) } else { 0.0 }
}
