//! B2, B3, B7: balls, cylinders and hoops that roll.

use crate::shell::Outcome;
use crate::validate::lab::{G, Lab, Setup, ball, cuboid, cylinder, upright, vector};
use crate::validate::row::Row;
use drystone::math::inertia::MassProperties;
use drystone::math::{Displacement, Pose, Rotation};

/// B2: a cue ball with side spin: a parabola until it rolls, then straight on.
pub(crate) fn side_spin(setup: &Setup) -> Outcome<Vec<Row>> {
    const R: f64 = 0.0286;
    const MU: f64 = 0.2;
    let mut lab = setup.lab(G, 0.0, MU)?;
    lab.plane([0.0, 1.0, 0.0])?;
    let spec = ball(R, 0.17)?.pose(Pose::at(0.0, R, 0.0)).linear_velocity(vector([2.0, 0.0, 0.0]));
    let body = lab.add(spec.angular_velocity(vector(upright([-40.0, 0.0, 0.0]))))?;
    let mut rolls = f64::NAN;
    lab.run(1.0, |world, t| {
        let (linear, angular) = world.velocity(body)?;
        let slip = linear + angular.cross(&vector([0.0, -R, 0.0]));
        if rolls.is_nan() && f64::from(slip.x.hypot(slip.z)) < 1e-3 {
            rolls = t;
        }
        Ok(())
    })?;
    let v = lab.velocity(body)?.0;
    // Momentum about the point of contact is kept: v = 5/7 v0 - 2/7 w0 x r, with r from the centre to the contact.
    let (along, across) = (10.0 / 7.0, 2.0 / 7.0 * 40.0 * R);
    // The slip of sqrt(2² + (40 R)²) m/s ends at 7/2 mu g.
    let time = 2.0_f64.hypot(40.0 * R) / (3.5 * MU * G);
    Ok(vec![
        Row::relative(
            "direction at the end",
            "deg",
            across.atan2(along).to_degrees(),
            (-v.z).atan2(v.x).to_degrees(),
            1e-3,
        )
        .from("B2: 5/7 v0 - 2/7 w0 x r"),
        Row::relative("speed at the end", "m/s", along.hypot(across), v.x.hypot(v.z), 1e-3).from("B2"),
        Row::absolute("time until it rolls", "s", time, rolls, setup.dt()).from("B2: limit dt"),
    ])
}

/// What rolls down the slope, by its moment about the axis over m R².
const ROLLERS: [(&str, f64, f64); 4] =
    [("sphere", 0.4, 0.5), ("cylinder", 0.5, 0.5), ("hoop", 1.0, 0.5), ("sphere that slips", 0.4, 0.1)];

/// B3: down a slope of 30 degrees.
pub(crate) fn down_slope(setup: &Setup) -> Outcome<Vec<Row>> {
    const R: f64 = 0.1;
    let (sin, cos) = 30.0_f64.to_radians().sin_cos();
    let mut rows = Vec::new();
    for (name, share, mu) in ROLLERS {
        let mut lab = setup.lab(G, 0.0, mu)?;
        lab.plane([sin, cos, 0.0])?;
        let lying = Rotation::from_euler_angles(std::f32::consts::FRAC_PI_2, 0.0, 0.0);
        let spec = match name {
            "cylinder" => cylinder(0.2, R, 1.0)?,
            // About its axis a hoop has m R²; what it has across plays no part.
            "hoop" => cylinder(0.2, R, 1.0)?.mass(MassProperties::aligned(1.0, vector([R * R; 3]))),
            _ => ball(R, 1.0)?,
        };
        let body = lab.add(spec.pose(Pose::new([R * sin, R * cos, 0.0].into(), lying)))?;
        lab.settle(1.0)?;
        let (early, turn) = lab.velocity(body)?;
        lab.settle(1.0)?;
        let (late, turned) = lab.velocity(body)?;
        let downhill = Displacement::new(cos, -sin, 0.0);
        let along = (late - early).dot(&downhill);
        let rolls = mu >= sin / cos * share / (1.0 + share);
        let exact = if rolls { G * sin / (1.0 + share) } else { G * (sin - mu * cos) };
        let turning = if rolls { exact } else { mu * G * cos / share };
        let ours = -R * (turned.z - turn.z);
        rows.push(Row::relative(format!("{name}: acceleration"), "m/s2", exact, along, 1e-3).from("B3"));
        rows.push(Row::relative(format!("{name}: R dw/dt"), "m/s2", turning, ours, 1e-3).from("B3"));
    }
    Ok(rows)
}

/// B7: 25 balls on a box that is pushed over the ground; in a quick run obliquely only.
pub(crate) fn pushed_box(setup: &Setup) -> Outcome<Vec<Row>> {
    let mut rows = Vec::new();
    for (name, along) in
        [("along an edge", [0.0, 0.0, -1.0]), ("oblique", upright([0.5, 0.75_f64.sqrt(), 0.0]))]
    {
        // The oblique direction is the harder one; both take seconds with the joint methods.
        if name != "oblique" && !setup.is_full {
            continue;
        }
        let [error, of_box, of_ball] = push(setup, along.into())?;
        rows.push(
            Row::at_most(format!("{name}: mean square error of speeds"), "m2/s2", error, 1e-6)
                .from("B7: f2 = (F - f1)/(3.5 M/m + n)"),
        );
        rows.push(Row::relative(format!("{name}: box after 4 s"), "m/s", 4.0 * BOX, of_box, 1e-3).from("B7"));
        rows.push(
            Row::relative(format!("{name}: balls after 4 s"), "m/s", 4.0 * BALL, of_ball, 1e-3).from("B7"),
        );
    }
    Ok(rows)
}

/// Force on the box, N, and what follows from it: accelerations of the balls and of the box, m/s², while
/// friction 0.4 with the ground slides, and friction 0.8 with the balls rolls.
const FORCE: f64 = 150.0;
const BALL: f64 = (FORCE - 0.4 * 35.0 * G) / (3.5 * 10.0 + 25.0);
const BOX: f64 = 3.5 * BALL;

/// Mean over the steps of the squared errors of the box's and of the balls' velocities, and their speeds along the force at the end.
fn push(setup: &Setup, along: Displacement) -> Outcome<[f64; 3]> {
    let mut lab = setup.lab(G, 0.0, 0.8)?;
    lab.other_plane(Pose::IDENTITY, [0.0, 1.0, 0.0], 0.4)?;
    let platform = lab.add(cuboid([20.0, 1.0, 20.0], 10.0)?.pose(Pose::at(0.0, 0.5, 0.0)))?;
    let mut balls = Vec::new();
    for i in 0..25_u32 {
        let [x, z] = [i % 5, i / 5].map(|k| 2.0 * (f64::from(k) - 2.0));
        balls.push(lab.add(ball(0.5, 1.0)?.pose(Pose::at(x, 1.5, z)))?);
    }
    let (mut sum, mut count) = (0.0, 0.0);
    let force = vector([0, 1, 2].map(|k| FORCE * along[k]));
    let mut measure = |lab: &Lab, t: f64| -> Outcome {
        let mut error = (lab.velocity(platform)?.0 - along * (BOX * t)).norm_squared();
        for &ball in &balls {
            error += (lab.velocity(ball)?.0 - along * (BALL * t)).norm_squared() / 25.0;
        }
        (sum, count) = (sum + error, count + 1.0);
        Ok(())
    };
    for step in 1..=(4.0 * setup.hz()).round() as u64 {
        lab.world.add_force(platform, force, vector([0.0; 3]))?;
        lab.steps(1)?;
        measure(&lab, step as f64 * setup.dt())?;
    }
    let of_balls = balls.iter().map(|&b| Ok(lab.velocity(b)?.0.dot(&along) / 25.0)).sum::<Outcome<f64>>()?;
    Ok([sum / count, lab.velocity(platform)?.0.dot(&along), of_balls])
}
