//! F2: real impacts of an ellipse on a flat surface, one at a time.
//!
//! Measurements: Fazeli, Donlon, Drumwright, Rodriguez (ICRA 2017), as published with ImpactModeling (DAIR Lab), 500 of 1,715.

use crate::shell::{Failure, Outcome};
use crate::validate::data;
use crate::validate::lab::{Setup, vector};
use crate::validate::row::Row;
use drystone::math::inertia::MassProperties;
use drystone::math::{Displacement, Pose, RelativePose, Rotation};
use drystone::{AxisLocks, BodySpec, ColliderSpec, Shape};

/// Folder of the measurements.
pub(crate) const FOLDER: &str = "ellipse_impact";

/// Half axes, m; mass, kg; one restitution and friction for all impacts, as identified by others.
const AXES: [f64; 2] = [0.035, 0.025];
const MASS: f64 = 0.0364;
const E: f64 = 0.54;
const MU: f64 = 0.19;
/// Square of the radius of gyration, m².
const GYRATION: f64 = (AXES[0] * AXES[0] + AXES[1] * AXES[1]) / 5.0;

/// F2: each impact alone, without gravity.
pub(crate) fn impacts(setup: &Setup) -> Outcome<Vec<Row>> {
    let folder = data::folder(FOLDER).ok_or_else(|| Failure::new("the measurements are gone"))?;
    let rows = data::numbers(&folder.join("impacts.csv"))?;
    let (mut errors, mut gain) = (Vec::new(), 0.0_f64);
    for row in &rows {
        let [_, _, y, theta, vx, vy, w, _, _, _, vx1, vy1, w1, rx, h] = row[..] else {
            return Err(Failure::new("an impact needs 15 numbers"));
        };
        debug_assert!(y.is_finite() && h > 0.0, "an ellipse above the surface");
        let after = impact(setup, theta, [vx, vy, w], [rx, h])?;
        let size = |[x, y, w]: [f64; 3]| x * x + y * y + GYRATION * w * w;
        let before = size([vx, vy, w]);
        errors.push((size([after[0] - vx1, after[1] - vy1, after[2] - w1]) / before).sqrt());
        gain = gain.max(size(after) / before - 1.0);
    }
    let count = errors.len() as f64;
    let below = errors.iter().filter(|&&e| e < 0.1).count() as f64 / count;
    Ok(vec![
        Row::no_worse("mean relative error of velocity", "", 0.098, errors.iter().sum::<f64>() / count, 0.05)
            .from("F2: baseline of Newton's and Coulomb's laws + 5 %"),
        Row::no_worse("median relative error of velocity", "", 0.090, data::median(errors), 0.05)
            .from("F2: baseline + 5 %"),
        Row::told("share with an error below 0.1", "", below).from("F2, told"),
        Row::at_most("largest gain of energy / E", "", gain, 1e-5).from("F2: never; limit f32 rounding"),
    ])
}

/// Velocities after the impact of an ellipse turned by `theta`, touching at `(rx, -h)` from its centre.
///
/// There is no ellipsoid, and the corners of a polygon close their gaps beside the one that touches. What touches is
/// the outline at one point: so the body has a ball there, as round as the sharpest end, that fits into the ellipse everywhere.
fn impact(setup: &Setup, theta: f64, before: [f64; 3], [rx, h]: [f64; 2]) -> Outcome<[f64; 3]> {
    const ROUND: f64 = AXES[1] * AXES[1] / AXES[0];
    let mut lab = setup.lab(0.0, E, MU)?;
    lab.plane([0.0, 1.0, 0.0])?;
    let [vx, vy, w] = before;
    let rotation = Rotation::from_euler_angles(0.0, 0.0, theta as f32);
    let pose = Pose::new(Displacement::new(0.0, h, 0.0).into(), rotation);
    let centre = rotation.inverse() * vector([rx, ROUND - h, 0.0]);
    let collider = ColliderSpec::new(Shape::sphere(ROUND as f32)?);
    let spec = BodySpec::dynamic()
        .collider(collider.local(RelativePose::new(centre, Rotation::identity())))
        .mass(MassProperties::aligned(MASS as f32, vector([MASS * GYRATION; 3])))
        .locks(AxisLocks::PLANE_XY)
        .can_sleep(false);
    let body = lab.add(setup.arriving(spec, pose, [vx, vy, 0.0], [0.0, 0.0, w]))?;
    lab.steps(3)?;
    let (linear, angular) = lab.velocity(body)?;
    Ok([linear.x, linear.y, angular.z])
}
