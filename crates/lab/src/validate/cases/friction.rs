//! B1, B4, B5: sliding, sticking, rolling on a plane.

use crate::shell::Outcome;
use crate::validate::lab::{G, Lab, Setup, ball, bisect, cuboid, turned, vector};
use crate::validate::row::Row;
use drystone::BodyHandle;
use drystone::math::{Displacement, Pose, Rotation, Vector3};

/// Friction of the slope.
const MU: f64 = 0.5;
/// Edge of the block, m.
const EDGE: f64 = 0.2;
/// Steepness at which it is to slide, and to stay, degrees.
const STEEP: f64 = 30.0;
const FLAT: f64 = 26.0;

/// B4: a block on a slope.
pub(crate) fn slope(setup: &Setup) -> Outcome<Vec<Row>> {
    let critical = bisect(1.0, 45.0, 0.01, |degrees| {
        let (mut lab, body) = on_slope(setup, degrees, [EDGE; 3], MU)?;
        let start = lab.position(body)?;
        lab.settle(3.0)?;
        Ok((lab.position(body)? - start).norm() > 1e-3)
    })?;
    let (sin, cos) = STEEP.to_radians().sin_cos();
    let exact = G * (sin - MU * cos);
    let [way, acceleration] = slide(setup)?;
    // Positions lag by half a step's gain of speed: a dt T / 2 of a T^2 / 2.
    let lag = setup.lag().abs() / 2.0;
    let seconds = setup.seconds(10.0, 60.0);
    let (mut lab, body) = on_slope(setup, FLAT, [EDGE; 3], MU)?;
    let start = lab.position(body)?;
    lab.settle(seconds)?;
    let creep = (lab.position(body)? - start).norm();
    let (critical_tilt, tolerance) = (0.4_f64.atan().to_degrees(), 0.005);
    let tipping = bisect(15.0, 30.0, 0.02, |degrees| {
        let (mut lab, body) = on_slope(setup, degrees, [EDGE, 2.5 * EDGE, EDGE], 1.0)?;
        lab.settle(6.0)?;
        let up = lab.world.pose(body)?.rotation * Vector3::y();
        Ok(f64::from(up.y).acos().to_degrees() > degrees + 5.0)
    })?;
    Ok(vec![
        Row::absolute("angle at which the block slides", "deg", MU.atan().to_degrees(), critical, 0.02)
            .from("B4: atan mu"),
        Row::relative("acceleration at 30 deg, after 1 s", "m/s2", exact, acceleration, 1e-3).from("B4"),
        Row::relative("way in 2 s from rest at 30 deg", "m", 2.0 * exact, way, lag + 1e-3)
            .from("B4; limit dt/T of the integrator + 1e-3"),
        Row::at_most(format!("creep at 26 deg in {seconds} s"), "m", creep, 1e-5).from("B4"),
        Row::relative("angle at which a block 1 : 2.5 tips", "deg", critical_tilt, tipping, tolerance)
            .from("B4: atan 0.4; limit as C3"),
    ])
}

/// Way in 2 s (m) and acceleration between 1 and 2 s (m/s²) of a block on the steep slope.
fn slide(setup: &Setup) -> Outcome<[f64; 2]> {
    let (mut lab, body) = on_slope(setup, STEEP, [EDGE; 3], MU)?;
    let start = lab.position(body)?;
    lab.settle(1.0)?;
    let early = lab.velocity(body)?.0.norm();
    lab.settle(1.0)?;
    Ok([(lab.position(body)? - start).norm(), lab.velocity(body)?.0.norm() - early])
}

/// A block at rest on a slope that falls towards x.
fn on_slope(setup: &Setup, degrees: f64, edges: [f64; 3], friction: f64) -> Outcome<(Lab, BodyHandle)> {
    let angle = degrees.to_radians();
    let (sin, cos) = angle.sin_cos();
    let mut lab = setup.lab(G, 0.0, friction)?;
    lab.plane([sin, cos, 0.0])?;
    let height = 0.5 * edges[1];
    let body = lab.add(cuboid(edges, 1.0)?.pose(turned([height * sin, height * cos, 0.0], -angle)))?;
    Ok((lab, body))
}

/// B5: a block slides to a stop, whatever its direction.
pub(crate) fn isotropy(setup: &Setup) -> Outcome<Vec<Row>> {
    const SPEED: f64 = 2.0;
    let exact = SPEED * SPEED / (2.0 * MU * G) + 0.5 * SPEED * setup.lag();
    let (mut ways, mut bend, mut yaw) = (Vec::new(), 0.0_f64, 0.0_f64);
    for tens in 0..10_u32 {
        for is_turned in [false, true] {
            let angle = f64::from(10 * tens).to_radians();
            let along = Displacement::new(angle.cos(), 0.0, -angle.sin());
            let facing = if is_turned { angle } else { 0.0 };
            let mut lab = setup.lab(G, 0.0, MU)?;
            lab.plane([0.0, 1.0, 0.0])?;
            let rotation = Rotation::from_euler_angles(0.0, facing as f32, 0.0);
            let pose = Pose::new([0.0, 0.5 * EDGE, 0.0].into(), rotation);
            let velocity = vector([SPEED * along.x, 0.0, SPEED * along.z]);
            let body = lab.add(cuboid([EDGE; 3], 1.0)?.pose(pose).linear_velocity(velocity))?;
            lab.settle(1.0)?;
            let way = lab.position(body)?;
            let sideways = way.cross(&along).y.atan2(way.dot(&along));
            ways.push(way.x.hypot(way.z));
            bend = bend.max(sideways.abs().to_degrees());
            yaw = yaw.max(f64::from(lab.world.pose(body)?.rotation.angle_to(&rotation)).to_degrees());
        }
    }
    let mean = ways.iter().sum::<f64>() / ways.len() as f64;
    let (least, most) = ways.iter().fold((f64::INFINITY, 0.0_f64), |(l, m), &w| (l.min(w), m.max(w)));
    Ok(vec![
        Row::relative("mean way to the stop", "m", exact, mean, 2e-3)
            .from("B5: v^2/(2 mu g) + v dt/2; 0.1 % + dt/T"),
        Row::at_most("spread of the way / way", "", (most - least) / mean, 1e-3).from("B5"),
        Row::at_most("bend of the path", "deg", bend, 0.05).from("B5"),
        Row::at_most("turn of the block", "deg", yaw, 0.05).from("B5"),
    ])
}

/// B1: a sliding ball comes to roll, and keeps rolling.
pub(crate) fn rolling(setup: &Setup) -> Outcome<Vec<Row>> {
    const SPEED: f64 = 5.0;
    const FRICTION: f64 = 0.2;
    let mut lab = setup.lab(G, 0.0, FRICTION)?;
    lab.plane([0.0, 1.0, 0.0])?;
    let body =
        lab.add(ball(0.1, 1.0)?.pose(Pose::at(0.0, 0.1, 0.0)).linear_velocity(vector([SPEED, 0.0, 0.0])))?;
    let mut rolls = f64::NAN;
    lab.run(1.0, |world, t| {
        let (linear, angular) = world.velocity(body)?;
        let slip = f64::from(linear.x) + 0.1 * f64::from(angular.z);
        if rolls.is_nan() && slip < 1e-3 {
            rolls = t;
        }
        Ok(())
    })?;
    let final_speed = 5.0 / 7.0 * SPEED;
    let speed = lab.velocity(body)?.0.x;
    lab.settle(10.0)?;
    let (linear, angular) = lab.velocity(body)?;
    let time = 2.0 * SPEED / (7.0 * FRICTION * G);
    Ok(vec![
        Row::absolute("time until it rolls", "s", time, rolls, setup.dt()).from("B1: 2 v/(7 mu g), limit dt"),
        Row::relative("speed when rolling", "m/s", final_speed, speed, 1e-4).from("B1: 5/7 v"),
        Row::relative("speed 10 s later", "m/s", final_speed, linear.x, 1e-4).from("B1, no rolling loss"),
        Row::relative("R w 10 s later", "m/s", final_speed, -0.1 * angular.z, 1e-4).from("B1, no spin creep"),
    ])
}
