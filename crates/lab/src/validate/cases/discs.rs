//! B6, B14: a disc that slides while it spins, and one that rolls on its rim.

use crate::shell::Outcome;
use crate::validate::lab::{G, Setup, cylinder, vector, wide};
use crate::validate::row::Row;
use drystone::math::inertia::MassProperties;
use drystone::math::{Displacement, Pose, RelativePose, Rotation, Vector3, narrow};
use drystone::{BodySpec, ColliderSpec, Shape};
use std::f64::consts::TAU;

const MU: f64 = 0.3;
/// What the sliding disc of 1 m stands on: rings of points, each with their number and radius, m. Three feet carry a third each by statics
/// alone; with more, rigid contact leaves the shares open. The two rings have as many points as their share of the area, at its root-mean-square
/// radius.
const LAYOUTS: [(&str, &[(u32, f64)]); 2] =
    [("three feet", &[(3, 0.6)]), ("24 points", &[(8, 0.408_248), (16, 0.816_497)])];

/// Faster of both speeds at the start, m/s. The ratio does not depend on the scale, and the last hundredth of this one
/// lasts four steps at 60 per second.
const START: f64 = 20.0;

/// B6: sliding and spinning end together; on 24 points in a full run only.
pub(crate) fn sliding_disc(setup: &Setup) -> Outcome<Vec<Row>> {
    let mut rows = Vec::new();
    for (name, rings) in LAYOUTS {
        if rings.len() > 1 && !setup.is_full {
            continue;
        }
        let points: Vec<[f64; 2]> = points(rings).collect();
        let mut uneven = 0.0_f64;
        for (sliding, spinning) in [(1.0, 1.0), (1.0, 0.3), (0.3, 1.0)] {
            let exact = ratio_of_layout(&points, sliding * START, spinning * START);
            let (ours, most) = ratio(setup, &points, sliding * START, spinning * START)?;
            uneven = uneven.max(most);
            rows.push(
                Row::relative(
                    format!("{name}: v/(R w) at 1 %, from {sliding} : {spinning}"),
                    "",
                    exact,
                    ours,
                    0.02,
                )
                .from("B6: the layout's own equation with even loads"),
            );
        }
        let (fine, _) = ratio(&setup.refined(), &points, START, 0.3 * START)?;
        rows.push(Row::told(format!("{name}: v/(R w) from 1 : 0.3 with dt/4"), "", fine).from("B6, told"));
        rows.push(
            Row::told(format!("{name}: largest load of a point / even load"), "", uneven).from("B6, told"),
        );
    }
    Ok(rows)
}

/// Places of the points in the disc's plane, m.
fn points(rings: &[(u32, f64)]) -> impl Iterator<Item = [f64; 2]> {
    rings.iter().flat_map(|&(count, radius)| {
        (0..count).map(move |i| {
            let (sin, cos) = (TAU * f64::from(i) / f64::from(count)).sin_cos();
            [radius * cos, radius * sin]
        })
    })
}

/// Velocity along and across, spin (positive from along to across), and how far the disc has turned.
type Gliding = [f64; 4];

/// v/(R w) when the disc has a hundredth of the start speed left, with equal load on all points, by Heun's method in steps of a
/// ten-thousandth of the stopping time.
fn ratio_of_layout(points: &[[f64; 2]], v: f64, w: f64) -> f64 {
    let slopes = |[along, across, w, turn]: Gliding| -> Gliding {
        let (sin, cos) = turn.sin_cos();
        let (mut force, mut torque) = ([0.0; 2], 0.0);
        for [px, py] in points {
            let (x, y) = (px * cos - py * sin, px * sin + py * cos);
            let slip = [along - w * y, across + w * x];
            let size = slip[0].hypot(slip[1]);
            (force[0], force[1]) = (force[0] - slip[0] / size, force[1] - slip[1] / size);
            torque -= (x * slip[1] - y * slip[0]) / size;
        }
        let share = MU * G / points.len() as f64;
        // Moment of inertia 1/2 for a mass and radius of 1.
        [share * force[0], share * force[1], 2.0 * share * torque, w]
    };
    let speed = |[along, across, ..]: &Gliding| along.hypot(*across);
    let mut state = [v, 0.0, w, 0.0];
    let step = START / (MU * G) * 1e-4;
    while speed(&state).max(state[2]) > 0.01 * START {
        let first = slopes(state);
        let ahead = [0, 1, 2, 3].map(|k| state[k] + step * first[k]);
        let second = slopes(ahead);
        state = [0, 1, 2, 3].map(|k| state[k] + 0.5 * step * (first[k] + second[k]));
    }
    speed(&state) / state[2]
}

/// The same of the engine, and the largest load of a point over the even one, mean over the run. The centre of mass lies in the plane of the
/// points, so friction does not change their loads.
fn ratio(setup: &Setup, points: &[[f64; 2]], v: f64, w: f64) -> Outcome<(f64, f64)> {
    const FOOT: f64 = 0.01;
    let mut lab = setup.lab(G, 0.0, MU)?;
    lab.plane([0.0, 1.0, 0.0])?;
    let mut spec = BodySpec::dynamic().mass(MassProperties::aligned(1.0, vector([0.25, 0.5, 0.25])));
    for &[x, z] in points {
        let foot = ColliderSpec::new(Shape::sphere(FOOT as f32)?);
        spec = spec.collider(foot.local(RelativePose::new(vector([x, FOOT, z]), Rotation::identity())));
    }
    let spec =
        spec.linear_velocity(vector([v, 0.0, 0.0])).angular_velocity(vector([0.0, w, 0.0])).can_sleep(false);
    let body = lab.add(spec)?;
    let mut last = [v, w];
    let (mut found, mut loads, mut steps) = (f64::NAN, 0.0, 0.0);
    let even = G * setup.dt() / points.len() as f64;
    lab.run(1.5 * START / (MU * G), |world, _| {
        let (linear, angular) = world.velocity(body)?;
        let now = [f64::from(linear.x.hypot(linear.z)), f64::from(angular.y)];
        let (before, after) = (last[0].max(last[1]), now[0].max(now[1]));
        if found.is_nan() {
            let load = world.contacts().map(|contact| f64::from(contact.impulse.y).abs()).fold(0.0, f64::max);
            (loads, steps) = (loads + load / even, steps + 1.0);
            if after <= 0.01 * START {
                // At the very speed, between two steps.
                let share = (before - 0.01 * START) / (before - after);
                let at = |k: usize| last[k] + share * (now[k] - last[k]);
                found = at(0) / at(1);
            }
        }
        last = now;
        Ok(())
    })?;
    Ok((found, loads / steps))
}

/// Radius and thickness of the rolling disc, m.
const RADIUS: f64 = 0.0375;
const THICKNESS: f64 = 0.001;

/// B14: Euler's disc: its centre at rest, its rim rolling round.
pub(crate) fn euler(setup: &Setup) -> Outcome<Vec<Row>> {
    let mut rows = Vec::new();
    for degrees in [10.0_f64, 5.0] {
        let exact = (4.0 * G / (RADIUS * degrees.to_radians().sin())).sqrt();
        let [rate, lost] = rolled(setup, degrees.to_radians(), exact)?;
        let [fine, _] = rolled(&setup.refined(), degrees.to_radians(), exact)?;
        rows.push(
            Row::relative(format!("rate of precession at {degrees} deg"), "rad/s", exact, rate, 0.02)
                .from("B14: sqrt(4 g/(R sin a))"),
        );
        rows.push(
            Row::at_most(format!("tilt lost per turn at {degrees} deg / tilt"), "", lost.abs(), 0.01)
                .from("B14: no loss in rigid rolling"),
        );
        rows.push(
            Row::told(format!("rate of precession at {degrees} deg with dt/4"), "rad/s", fine)
                .from("B14, told"),
        );
    }
    Ok(rows)
}

/// Mean rate of the first turns (rad/s), and the share of the tilt that a turn takes.
fn rolled(setup: &Setup, tilt: f64, rate: f64) -> Outcome<[f64; 2]> {
    const TURNS: f64 = 5.0;
    let mut lab = setup.lab(G, 0.0, 1.0)?;
    lab.plane([0.0, 1.0, 0.0])?;
    let rotation = Rotation::from_euler_angles(0.0, 0.0, -tilt as f32);
    let axis = wide(&(rotation * Vector3::y()));
    let height = RADIUS * tilt.sin() + 0.5 * THICKNESS * tilt.cos();
    // Along the steepest diameter and, for the thickness, a little about the axis: through the point of contact, which so is at rest.
    let ahead = (Displacement::y() - axis * tilt.cos()) * rate;
    let angular = ahead + axis * (ahead.norm() * 0.5 * THICKNESS / RADIUS);
    let spec = cylinder(THICKNESS, RADIUS, 0.4)?.pose(Pose::new([0.0, height, 0.0].into(), rotation));
    let body = lab.add(spec.angular_velocity(narrow(&angular)))?;
    let (mut whole, mut last, mut time, mut end) = (0.0_f64, 0.0_f64, 0.0, tilt);
    lab.run(TURNS * TAU / rate, |world, t| {
        let axis = wide(&(world.pose(body)?.rotation * Vector3::y()));
        let azimuth = (-axis.z).atan2(axis.x);
        // A step turns by less than half a turn: 1.8 rad at most, at 5 degrees and 60 steps per second.
        whole += (azimuth - last) - TAU * ((azimuth - last) / TAU).round();
        (last, time, end) = (azimuth, t, axis.y.clamp(-1.0, 1.0).acos());
        Ok(())
    })?;
    Ok([whole / time, (1.0 - end / tilt) / TURNS])
}
