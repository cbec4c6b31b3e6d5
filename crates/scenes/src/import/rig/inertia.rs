//! Masses that a body can have: what is shared with links in between, what rotors add, and what is mended.

use drystone::math::inertia::MassProperties;
use drystone::math::{Matrix3, Real, Symmetric3, Vector3};

/// Share of the least moment of a body's own shape (of a ball as heavy as water, without shape) below which a moment is mended.
const LEAST: Real = 0.1;
/// By how much a moment may be above the sum of the others, as a share of it: files are rounded.
const TRIANGLE: Real = 5e-3;
/// Halvings by which the largest rotor is found that a body can have.
const HALVINGS: u32 = 24;

/// A share of a mass, spread as the whole is; the rest stays.
pub(super) fn split_off(whole: &mut MassProperties, share: Real) -> MassProperties {
    let taken = MassProperties { mass: whole.mass * share, principal: whole.principal * share, ..*whole };
    whole.mass *= 1.0 - share;
    whole.principal *= 1.0 - share;
    taken
}

/// A ball of this mass, kg, as heavy as water, about a centre.
pub(super) fn water_ball(mass: Real, center: Vector3) -> MassProperties {
    let radius = (mass / super::DENSITY * 0.75 / std::f32::consts::PI).cbrt();
    MassProperties { center, ..MassProperties::aligned(mass, Vector3::repeat(0.4 * mass * radius * radius)) }
}

/// Moments that a body can have, in place of what is none: each at least [`LEAST`] of the least one of `like` at the same mass, and none above the sum of the others.
/// `None` where nothing is wrong. Moments of 0 altogether become those of `like`.
pub(super) fn mended(of: &MassProperties, like: &MassProperties) -> Option<MassProperties> {
    let scale = of.mass / like.mass;
    if of.principal.max() <= 0.0 {
        let principal = like.principal * scale;
        return Some(MassProperties { principal, frame: like.frame, ..*of });
    }
    let least = LEAST * like.principal.min() * scale;
    let mut principal = of.principal.map(|moment| moment.max(least));
    let largest = principal.imax();
    let others = principal.sum() - principal[largest];
    if principal[largest] > others * (1.0 + TRIANGLE) {
        // Both others by the same: what is known best is the largest one.
        let more = 0.5 * (principal[largest] - others);
        principal = principal.map(|moment| moment + more);
        principal[largest] -= more;
    }
    (principal != of.principal).then_some(MassProperties { principal, ..*of })
}

/// Adds the inertia of a rotor, kg m², about an axis (unit, frame of the body), as far as a body can have it; returns how much that was.
///
/// No moment may be above the sum of the others (the triangle inequality of rigid bodies), and a rotor adds to one alone. Where that leaves too little, as much as `room` is added all the
/// same, and what the inequality asks for about the axes across, at most half of it.
pub(super) fn add_rotor(to: &mut MassProperties, axis: &Vector3, armature: Real, room: Real) -> Real {
    let about = axis * axis.transpose();
    let with = |more: Real, across: Real| {
        let tensor = to.tensor().to_matrix() + about * more + (Matrix3::identity() - about) * across;
        MassProperties::from_tensor(to.mass, to.center, &Symmetric3::from_matrix(&tensor))
    };
    let is_body = |mass: &MassProperties| {
        let p = &mass.principal;
        mass.is_valid() && p.max() <= (p.sum() - p.max()) * (1.0 + TRIANGLE)
    };
    let alone = largest(armature, |more| is_body(&with(more, 0.0)));
    if alone >= armature.min(room) {
        if alone > 0.0 {
            *to = with(alone, 0.0);
        }
        return alone;
    }
    let more = armature.min(room);
    let across = 0.5 * more - largest(0.5 * more, |less| is_body(&with(more, 0.5 * more - less)));
    *to = with(more, across);
    more
}

/// The largest number of 0 to `most` for which something holds that holds for all smaller ones.
fn largest(most: Real, holds: impl Fn(Real) -> bool) -> Real {
    if holds(most) {
        return most;
    }
    let (mut fine, mut bad) = (0.0, most);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (fine + bad);
        if holds(middle) {
            fine = middle;
        } else {
            bad = middle;
        }
    }
    fine
}
