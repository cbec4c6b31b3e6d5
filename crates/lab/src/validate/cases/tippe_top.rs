//! B15: a top that turns itself over.

use crate::shell::Outcome;
use crate::validate::lab::{G, Setup, ball, vector, wide};
use crate::validate::row::Row;
use drystone::BodyHandle;
use drystone::World;
use drystone::math::inertia::MassProperties;
use drystone::math::{Displacement, Pose, Rotation, Vector3, narrow};

/// Radius, m; mass, kg; how far the centre of mass lies below the centre, m; spin, rad/s; tilt at the start, rad.
const R: f64 = 0.02;
const MASS: f64 = 0.015;
const OFFSET: f64 = 0.2 * R;
const SPIN: f64 = 150.0;
const TILT: f64 = 0.1;
/// All moments about the centre of mass, kg m².
const INERTIA: f64 = 0.4 * MASS * R * R;

/// B15: it inverts, and keeps Jellett's number, the angular momentum along the arm to the point of contact.
pub(crate) fn tippe_top(setup: &Setup) -> Outcome<Vec<Row>> {
    let [most, drift, end] = turned_over(setup)?;
    let [_, fine, _] = turned_over(&setup.refined())?;
    Ok(vec![
        Row::at_least("farthest tilt in 6 s", "deg", 150.0, most).from("B15: it turns over"),
        Row::at_most("drift of Jellett's number until 150 deg", "", drift, 5e-3)
            .from("B15: constant under sliding friction"),
        Row::told("drift of Jellett's number in 6 s", "", end).from("B15, told"),
        Row::told("drift until 150 deg with dt/4", "", fine).from("B15, told"),
    ])
}

/// Farthest tilt (deg), and the drift of Jellett's number until it has turned over and at the end.
fn turned_over(setup: &Setup) -> Outcome<[f64; 3]> {
    let mut lab = setup.lab(G, 0.0, 0.3)?;
    lab.plane([0.0, 1.0, 0.0])?;
    let rotation = Rotation::from_euler_angles(0.0, 0.0, TILT as f32);
    let mass = MassProperties {
        center: vector([0.0, -OFFSET, 0.0]),
        ..MassProperties::aligned(MASS as f32, vector([INERTIA; 3]))
    };
    let axis = wide(&(rotation * Vector3::y()));
    let spec = ball(R, MASS)?.mass(mass).pose(Pose::new([0.0, R, 0.0].into(), rotation));
    let body = lab.add(spec.angular_velocity(narrow(&(axis * SPIN))))?;
    let [_, first] = state(&lab.world, body)?;
    let (mut most, mut end, mut before) = (0.0_f64, 0.0_f64, 0.0_f64);
    lab.run(6.0, |world, _| {
        let [tilt, jellett] = state(world, body)?;
        most = most.max(tilt);
        end = (jellett / first - 1.0).abs();
        // Over the inversion: what slides no more has no law for it.
        if most < 150.0 {
            before = before.max(end);
        }
        Ok(())
    })?;
    Ok([most, before, end])
}

/// Tilt (deg) and Jellett's number (kg m³/s).
fn state(world: &World, body: BodyHandle) -> Outcome<[f64; 2]> {
    let axis = wide(&(world.pose(body)?.rotation * Vector3::y()));
    let angular = wide(&world.velocity(body)?.1);
    // From the centre of mass to the point of contact below the centre of the sphere.
    let arm = axis * OFFSET - Displacement::y() * R;
    Ok([axis.y.clamp(-1.0, 1.0).acos().to_degrees(), INERTIA * angular.dot(&arm)])
}
