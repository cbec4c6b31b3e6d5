//! A4: a heavy top in steady precession, free with the torque of its weight, and on a ball joint.

use crate::shell::Outcome;
use crate::validate::lab::{Setup, converges, vector, wide};
use crate::validate::row::Row;
use drystone::math::inertia::MassProperties;
use drystone::math::{Displacement, Pose, Position, Rotation, narrow};
use drystone::{BodySpec, JointSpec};
use std::f64::consts::TAU;

/// Moments about the axis and across it, kg m²; torque of the weight, N m; spin, rad/s.
const ALONG: f64 = 0.005;
const ACROSS: f64 = 0.0025;
const TORQUE: f64 = 0.981;
const SPIN: f64 = 200.0;

/// A4: the body is free and the torque of its weight is applied, so that it needs no joint.
pub(crate) fn heavy_top(setup: &Setup) -> Outcome<Vec<Row>> {
    let mut rows = Vec::new();
    for degrees in [30.0_f64, 60.0] {
        let tilt = degrees.to_radians();
        let exact = steady(tilt);
        let (rate, nutation) = precess(setup, tilt)?;
        let (fine, _) = precess(&setup.refined(), tilt)?;
        rows.push(
            Row::relative(format!("rate of precession at {degrees} deg"), "rad/s", exact, rate, 1e-4)
                .from("A4: slow root of the steady top"),
        );
        rows.push(Row::at_most(format!("nutation at {degrees} deg"), "rad", nutation, 1e-3).from("A4"));
        rows.push(
            converges(format!("order of the rate at {degrees} deg"), 1.0, rate - exact, fine - exact, 1e-5)
                .from("A4 at dt and dt/4"),
        );
    }
    Ok(rows)
}

/// Moment across the axis about a pivot, kg m²; distance of the centre from it, m; of a kilogram.
const ABOUT_PIVOT: f64 = 0.0125;
const ARM: f64 = 0.1;

/// A4 with the joint that it is about: the tip of the top is held by a ball joint, and gravity pulls. Nothing for methods that know no joints.
pub(crate) fn on_a_joint(setup: &Setup) -> Outcome<Vec<Row>> {
    let mut rows = Vec::new();
    if !super::pendulums::knows_joints(setup) {
        return Ok(rows);
    }
    for degrees in [30.0_f64, 60.0, 90.0] {
        let tilt = degrees.to_radians();
        // At 90 degrees the quadratic term is gone.
        let exact = if degrees == 90.0 { TORQUE / (ALONG * SPIN) } else { root(tilt, ABOUT_PIVOT) };
        let (rate, nutation, apart) = precess_on_a_joint(setup, tilt, exact)?;
        rows.push(
            Row::relative(format!("rate of precession at {degrees} deg"), "rad/s", exact, rate, 1e-4)
                .from("A4: slow root of the steady top about its tip"),
        );
        rows.push(Row::at_most(format!("nutation at {degrees} deg"), "rad", nutation, 1e-3).from("A4"));
        rows.push(
            Row::at_most(format!("tip off its place at {degrees} deg"), "m", apart, 1e-4)
                .from("promise of joints"),
        );
    }
    Ok(rows)
}

/// Rate over one turn (rad/s), half of the range of the tilt (rad), and how far the tip was from its place at most (m).
fn precess_on_a_joint(setup: &Setup, tilt: f64, rate: f64) -> Outcome<(f64, f64, f64)> {
    let up = Displacement::y();
    let axis = Displacement::new(tilt.sin(), tilt.cos(), 0.0);
    let angular = axis * SPIN + (up - axis * tilt.cos()) * rate;
    let mut lab = setup.lab(9.81, 0.0, 0.0)?;
    let ground = lab.add(BodySpec::fixed())?;
    let moments = vector([ACROSS, ALONG, ACROSS]);
    let pose = Pose::new((axis * ARM).into(), Rotation::from_euler_angles(0.0, 0.0, -tilt as f32));
    let spec = BodySpec::dynamic().mass(MassProperties::aligned(1.0, moments)).pose(pose);
    let linear = narrow(&angular.cross(&(axis * ARM)));
    let top = lab.add(spec.linear_velocity(linear).angular_velocity(narrow(&angular)).can_sleep(false))?;
    let tip = lab.world.add_joint(&JointSpec::ball(ground, top).at(Position::origin()))?;
    let (mut whole, mut last, mut time) = (0.0_f64, 0.0_f64, 0.0);
    let (mut least, mut most, mut apart) = (f64::INFINITY, 0.0_f64, 0.0_f64);
    lab.run(TAU / rate, |world, t| {
        let axis = wide(&(world.pose(top)?.rotation * vector([0.0, 1.0, 0.0])));
        let azimuth = (-axis.z).atan2(axis.x);
        whole += (azimuth - last) - TAU * ((azimuth - last) / TAU).round();
        (last, time) = (azimuth, t);
        let now = axis.dot(&up).clamp(-1.0, 1.0).acos();
        (least, most) = (least.min(now), most.max(now));
        apart = apart.max(f64::from(world.joint(tip)?.error[0]));
        Ok(())
    })?;
    Ok((whole / time, 0.5 * (most - least), apart))
}

/// Rate of steady precession of the free body, rad/s.
fn steady(tilt: f64) -> f64 {
    root(tilt, ACROSS)
}

/// The slow root of I1 W² cos - I3 w3 W + m g l = 0, rad/s.
fn root(tilt: f64, across: f64) -> f64 {
    let (momentum, cos) = (ALONG * SPIN, tilt.cos());
    (momentum - (momentum * momentum - 4.0 * across * TORQUE * cos).sqrt()) / (2.0 * across * cos)
}

/// Rate over one turn (rad/s), and half of the range of the tilt (rad).
fn precess(setup: &Setup, tilt: f64) -> Outcome<(f64, f64)> {
    let up = Displacement::y();
    let rate = steady(tilt);
    let axis = Displacement::new(tilt.sin(), tilt.cos(), 0.0);
    let angular = axis * SPIN + (up - axis * tilt.cos()) * rate;
    // Velocities belong to another time than poses, half of the lag away, and so do torques: the motion between both is that of
    // the precession, which is the same for every scheme.
    let shifted = about_vertical(rate * 0.5 * setup.turning_lag(), &angular);
    let lead = 0.5 * (setup.dt() + setup.turning_lag());
    let mut lab = setup.lab(0.0, 0.0, 0.0)?;
    let moments = vector([ACROSS, ALONG, ACROSS]);
    let pose = Pose::new([0.0; 3].into(), Rotation::from_euler_angles(0.0, 0.0, -tilt as f32));
    let spec = BodySpec::dynamic().mass(MassProperties::aligned(1.0, moments)).pose(pose);
    let body = lab.add(spec.angular_velocity(narrow(&shifted)).can_sleep(false))?;
    let (mut whole, mut last, mut time) = (0.0_f64, 0.0_f64, 0.0);
    let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
    lab.drive(TAU / rate, |world, t| {
        let axis = wide(&(world.pose(body)?.rotation * vector([0.0, 1.0, 0.0])));
        let azimuth = (-axis.z).atan2(axis.x);
        whole += (azimuth - last) - TAU * ((azimuth - last) / TAU).round();
        (last, time) = (azimuth, t);
        let now = axis.dot(&up).clamp(-1.0, 1.0).acos();
        (least, most) = (least.min(now), most.max(now));
        let turn = wide(&world.velocity(body)?.1);
        let ahead = (axis + turn.cross(&axis) * lead).normalize();
        Ok(world.add_force(body, vector([0.0; 3]), narrow(&(up.cross(&ahead) * TORQUE)))?)
    })?;
    Ok((whole / time, 0.5 * (most - least)))
}

/// A vector turned about the vertical.
fn about_vertical(angle: f64, v: &Displacement) -> Displacement {
    let (sin, cos) = angle.sin_cos();
    Displacement::new(v.x * cos + v.z * sin, v.y, v.z * cos - v.x * sin)
}
