//! B10, B17: blows through a lever and through a chain of two.

use crate::shell::Outcome;
use crate::validate::lab::{G, Setup, ball, cuboid, vector, wide};
use crate::validate::row::Row;
use drystone::BodySpec;
use drystone::math::{Displacement, Matrix3, Pose, Rotation};

/// Edge of the cube, m; its moment of inertia for 1 kg, kg m²; how fast it comes, m/s; restitution.
const EDGE: f64 = 0.2;
const INERTIA: f64 = 1.0 / 150.0;
const SPEED: f64 = 2.0;
const E: f64 = 0.5;

/// B10: a cube comes down on an edge, and on a corner; no gravity, so that the velocities after the blow stay.
pub(crate) fn off_centre(setup: &Setup) -> Outcome<Vec<Row>> {
    let mut rows = Vec::new();
    for (name, turn, friction) in [
        ("edge, no friction", [0.0, 0.0, 30.0], 0.0),
        ("edge, mu 0.5", [0.0, 0.0, 30.0], 0.5),
        ("corner, no friction", [20.0, 0.0, 30.0], 0.0),
        ("corner, mu 1", [20.0, 0.0, 30.0], 1.0),
    ] {
        let [about_x, about_y, about_z] = turn.map(|d: f64| d.to_radians() as f32);
        let rotation = Rotation::from_euler_angles(about_x, about_y, about_z);
        let arm = lowest(&rotation);
        let (linear, angular) = after(&arm, friction > 0.0);
        let mut lab = setup.lab(0.0, E, friction)?;
        lab.plane([0.0, 1.0, 0.0])?;
        let pose = Pose::new([0.0, -arm.y, 0.0].into(), rotation);
        let body = lab.add(setup.arriving(cuboid([EDGE; 3], 1.0)?, pose, [0.0, -SPEED, 0.0], [0.0; 3]))?;
        lab.steps(3)?;
        let (v, w) = lab.velocity(body)?;
        rows.push(
            Row::at_most(format!("{name}: error of velocity / 2 m/s"), "", (v - linear).norm() / SPEED, 1e-5)
                .from("B10: J = -(1+e) K^-1 v"),
        );
        rows.push(
            Row::at_most(
                format!("{name}: error of R w / 2 m/s"),
                "",
                0.5 * EDGE * (w - angular).norm() / SPEED,
                1e-5,
            )
            .from("B10"),
        );
    }
    Ok(rows)
}

/// From the centre to the middle of the lowest corners, m.
fn lowest(rotation: &Rotation) -> Displacement {
    let corners = (0..8_u32).map(|i| {
        let sign = |bit: u32| if i >> bit & 1 == 0 { -0.5 * EDGE } else { 0.5 * EDGE };
        wide(&(rotation * vector([sign(0), sign(1), sign(2)])))
    });
    let corners: Vec<_> = corners.collect();
    let least = corners.iter().fold(f64::INFINITY, |least, c| least.min(c.y));
    let low: Vec<_> = corners.iter().filter(|c| c.y < least + 1e-6).collect();
    low.iter().copied().sum::<Displacement>() / low.len() as f64
}

/// Velocities after the blow: along the normal only, or such that the point of contact leaves upwards without slip.
fn after(arm: &Displacement, sticks: bool) -> (Displacement, Displacement) {
    let before = Displacement::new(0.0, -SPEED, 0.0);
    let cross = arm.cross_matrix();
    let identity = Matrix3::identity().cast::<f64>();
    let response = identity - cross * cross / INERTIA;
    let wanted = Displacement::new(0.0, E * SPEED, 0.0) - before;
    let impulse = if sticks {
        response.try_inverse().map_or(Displacement::zeros(), |inverse| inverse * wanted)
    } else {
        Displacement::y() * (wanted.y / response.m22)
    };
    (before + impulse, arm.cross(&impulse) / INERTIA)
}

/// B17: a small ball on a large one.
pub(crate) fn superball(setup: &Setup) -> Outcome<Vec<Row>> {
    let ratio = (3.0 * HEAVY - LIGHT) / (HEAVY + LIGHT);
    // Without gravity the speed of the blow is known exactly.
    let plain = launched(setup, 0.0, 0.01, 4.0)?;
    let fallen = launched(setup, G, 1.0, 0.0)?;
    let speed = (2.0 * G).sqrt();
    Ok(vec![
        Row::relative("upper ball's speed / v, no gravity", "", ratio, plain / 4.0, 1e-3)
            .from("B17: (3 m1 - m2)/(m1 + m2)"),
        // Positions lag, so a fall ends g lag slower or faster than that.
        Row::relative(
            "upper ball's speed / v after a fall of 1 m",
            "",
            ratio,
            fallen / speed,
            1e-3 + G * setup.dt() / speed,
        )
        .from("B17; 0.1 % + g dt/v of the integrator"),
    ])
}

/// Masses, kg.
const HEAVY: f64 = 1.0;
const LIGHT: f64 = 0.1;

/// Fastest speed upwards of the upper ball, 1 mm above a lower one that comes down from `height` at `speed`.
fn launched(setup: &Setup, gravity: f64, height: f64, speed: f64) -> Outcome<f64> {
    let mut lab = setup.lab(gravity, 1.0, 0.0)?;
    lab.plane([0.0, 1.0, 0.0])?;
    let falling =
        |spec: BodySpec, y: f64| spec.pose(Pose::at(0.0, y, 0.0)).linear_velocity(vector([0.0, -speed, 0.0]));
    lab.add(falling(ball(0.1, HEAVY)?, height + 0.1))?;
    let upper = lab.add(falling(ball(0.05, LIGHT)?, height + 0.2 + 0.001 + 0.05))?;
    let mut fastest = 0.0_f64;
    lab.run(0.7, |world, _| {
        fastest = fastest.max(f64::from(world.velocity(upper)?.0.y));
        Ok(())
    })?;
    Ok(fastest)
}
