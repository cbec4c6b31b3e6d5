//! Several bodies as one: mass, and the motion that keeps their momentum.

use crate::error::ContactError;
use crate::{AxisLocks, Bodies, BodyDesc, BodyIndex};
use drystone_math::inertia::MassProperties;
use drystone_math::{Displacement, Pose, Real, Vector3, narrow, widen, widen_rotation};

/// The body that bodies make when they are fastened where they are: with their mass, the centre of it as its origin, axes along the
/// world's, and the velocities that keep linear and angular momentum,
/// ```text
/// v = Σ mᵢ vᵢ / m      ω = I⁻¹ Σ (Iᵢ ωᵢ + mᵢ rᵢ × (vᵢ − v))      I = Σ (Iᵢ + mᵢ (rᵢ·rᵢ 1 − rᵢ rᵢᵀ))
/// ```
/// with arms `rᵢ` from the common centre. Of all motions with that momentum it has the least energy, so that energy is only lost (as in
/// an impact without restitution). Sums are taken in f64.
///
/// Axes that one of the bodies may not move along or turn about are locked; the momentum along them is the lock's. Damping and factor on
/// gravity are means by mass; it may sleep when all may. O(bodies).
///
/// # Errors
/// Masses or arms whose sum is not finite.
pub fn joined(bodies: &Bodies, members: &[BodyIndex]) -> Result<BodyDesc, ContactError> {
    let first = members.first().map_or(BodyIndex::IMMOVABLE, |&first| first);
    let anchor = *bodies.center_pose(first);
    let parts: Vec<MassProperties> = members.iter().map(|&body| part(bodies, body, &anchor)).collect();
    let refused = |value| ContactError::OutOfRange {
        field: "mass of bodies to be fastened",
        expected: "finite and positive, with finite arms",
        value,
    };
    let mass = MassProperties::combined(&parts).ok_or_else(|| refused(f64::from(sum_of_masses(&parts))))?;
    if !mass.is_valid() {
        return Err(refused(f64::from(mass.mass)));
    }
    let center = anchor.translation + widen(&mass.center);
    let mass = MassProperties { center: Vector3::zeros(), ..mass };
    let [linear, angular] = velocities(bodies, members, &center, &mass);
    let [linear_damping, angular_damping, gravity_scale] = means(bodies, members);
    let reach = |&body: &BodyIndex| {
        narrow(&(bodies.center_pose(body).translation - center)).norm() + bodies.radius(body)
    };
    Ok(BodyDesc {
        linear,
        angular,
        locks: members.iter().fold(AxisLocks::default(), |locks, &body| locks.with(bodies.hot(body).locks())),
        linear_damping,
        angular_damping,
        gravity_scale,
        can_sleep: members.iter().all(|&body| bodies.hot(body).can_sleep()),
        ..BodyDesc::dynamic(mass, members.iter().map(reach).fold(0.0, Real::max))
    }
    .at(Pose::at(center.x, center.y, center.z)))
}

/// Means by mass of linear and angular damping (1/s) and of the factor on gravity.
pub(super) fn means(bodies: &Bodies, members: &[BodyIndex]) -> [Real; 3] {
    let (mut sums, mut total) = ([0.0; 3], 0.0);
    for &body in members {
        let (mass, (linear, angular)) = (f64::from(bodies.mass(body)), bodies.damping(body));
        for (sum, value) in sums.iter_mut().zip([linear, angular, bodies.gravity_scale(body)]) {
            *sum += mass * f64::from(value);
        }
        total += mass;
    }
    sums.map(|sum| (sum / total) as Real)
}

/// Mass properties of a body along the world's axes, seen from `anchor`.
fn part(bodies: &Bodies, body: BodyIndex, anchor: &Pose) -> MassProperties {
    let (own, pose) = (bodies.mass_properties(body), bodies.center_pose(body));
    let at_center = MassProperties { center: Vector3::zeros(), ..own };
    at_center.transformed(&narrow(&(pose.translation - anchor.translation)), &pose.rotation)
}

fn sum_of_masses(parts: &[MassProperties]) -> Real {
    parts.iter().map(|part| part.mass).sum()
}

fn velocities(
    bodies: &Bodies,
    members: &[BodyIndex],
    center: &drystone_math::Position,
    mass: &MassProperties,
) -> [Vector3; 2] {
    let (mut momentum, mut total) = (Displacement::zeros(), 0.0);
    for &body in members {
        let m = f64::from(bodies.mass(body));
        momentum += widen(&bodies.hot(body).linear) * m;
        total += m;
    }
    let linear = momentum / total;
    let mut spin = Displacement::zeros();
    for &body in members {
        let (hot, pose) = (bodies.hot(body), bodies.center_pose(body));
        let own = bodies.mass_properties(body);
        let frame = widen_rotation(&pose.rotation) * widen_rotation(&own.frame);
        let local = frame.inverse_transform_vector(&widen(&hot.angular));
        spin += frame * widen(&own.principal).component_mul(&local);
        let arm = pose.translation - center;
        spin += arm.cross(&(widen(&hot.linear) - linear)) * f64::from(own.mass);
    }
    let frame = widen_rotation(&mass.frame);
    let local = frame.inverse_transform_vector(&spin).component_div(&widen(&mass.principal));
    [narrow(&linear), narrow(&(frame * local))]
}
