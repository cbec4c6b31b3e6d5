//! C5: pyramids of balls stand by friction alone; a wall of bricks pushes back with its weight.

use crate::shell::Outcome;
use crate::validate::lab::{G, Setup, ball, bisect, cuboid};
use crate::validate::row::Row;
use drystone::math::Pose;

/// Radius of the balls, m.
const R: f64 = 0.1;

/// C5: the friction below which pyramids of balls spread; in a full run three layers as well, and one step of a wall from rest.
pub(crate) fn piled(setup: &Setup) -> Outcome<Vec<Row>> {
    let mut rows = Vec::new();
    let two = (std::f64::consts::PI / 8.0).tan();
    for (layers, from, to, limit) in [(2, two, two, 0.01), (3, 0.522, 0.526, 0.03)] {
        if layers > 2 && !setup.is_full {
            continue;
        }
        let found = bisect(0.9 * from, 1.3 * to, 0.001, |mu| Ok(sinks(setup, layers, mu)? < 0.1 * R))?;
        rows.push(
            Row::relative(
                format!("{layers} layers of balls: least friction that holds"),
                "",
                found.clamp(from, to),
                found,
                limit,
            )
            .from("C5: tan 22.5 deg for 2; 0.522 to 0.526 for 3, linear programs"),
        );
    }
    if setup.is_full {
        rows.extend(wall(setup)?);
    }
    Ok(rows)
}

/// How far the top of a square pyramid of balls comes down in 5 s, m.
fn sinks(setup: &Setup, layers: u32, mu: f64) -> Outcome<f64> {
    let mut lab = setup.lab(G, 0.0, mu)?;
    lab.plane([0.0, 1.0, 0.0])?;
    let mut top = None;
    for layer in 0..layers {
        let side = layers - layer;
        let y = R + f64::from(layer) * R * std::f64::consts::SQRT_2;
        for i in 0..side * side {
            let [x, z] = [i % side, i / side].map(|k| R * (2.0 * f64::from(k) - f64::from(side - 1)));
            top = Some(lab.add(ball(R, 1.0)?.pose(Pose::at(x, y, z)))?);
        }
    }
    let Some(top) = top else { return Ok(0.0) };
    let before = lab.position(top)?.y;
    lab.settle(5.0)?;
    Ok(before - lab.position(top)?.y)
}

/// 20 bricks by 10 courses, exactly touching: one step from rest, for which the answer is that nothing moves.
fn wall(setup: &Setup) -> Outcome<Vec<Row>> {
    const BRICK: [f64; 3] = [0.4, 0.2, 0.2];
    let mut lab = setup.lab(G, 0.0, 0.6)?;
    lab.plane([0.0, 1.0, 0.0])?;
    let mut bricks = Vec::new();
    for course in 0..10_u32 {
        for k in 0..20_u32 {
            let x = BRICK[0] * (f64::from(k) + 0.5 * f64::from(course % 2));
            let y = BRICK[1] * (f64::from(course) + 0.5);
            bricks.push(lab.add(cuboid(BRICK, 1.0)?.pose(Pose::at(x, y, 0.0)))?);
        }
    }
    lab.steps(1)?;
    let unit = G * setup.dt();
    let mut fastest = 0.0_f64;
    for &brick in &bricks {
        fastest = fastest.max(lab.velocity(brick)?.0.norm());
    }
    let mut ground = 0.0;
    for contact in lab.world.contacts() {
        if lab.world.body(contact.bodies[0])?.mass == 0.0 {
            ground += f64::from(contact.impulse.y);
        } else if lab.world.body(contact.bodies[1])?.mass == 0.0 {
            ground -= f64::from(contact.impulse.y);
        }
    }
    let weight = bricks.len() as f64 * unit;
    Ok(vec![
        Row::relative("wall, first step: force of the ground / weight", "", 1.0, ground / weight, 1e-3)
            .from("C5"),
        Row::at_most("wall, first step: fastest brick / g dt", "", fastest / unit, 1e-3).from("C5: at rest"),
    ])
}
