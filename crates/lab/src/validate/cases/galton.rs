//! D6: balls on a board of pegs go left as often as right.

use crate::shell::Outcome;
use crate::validate::lab::{G, Setup, ball};
use crate::validate::row::Row;
use drystone::math::{Pose, Rotation};
use drystone::{AxisLocks, BodySpec, ColliderSpec, Shape};
use drystone_scenes::Random;
use std::f32::consts::FRAC_PI_2;

/// Radii of balls and pegs, spacing of the pegs, m.
const BALL: f64 = 0.004;
const PEG: f64 = 0.003;
const SPACING: f64 = 0.016;
const ROWS: u32 = 10;
/// Distance of the rows, m: pegs of neighbouring rows are as far apart as those of a row. Height of the balls over the first row, m.
const STEP: f64 = SPACING * 0.866_025_403_784_438_6;
const START: f64 = 0.02;
/// Balls that fall at once, each in a plane of its own.
const AT_ONCE: u32 = 500;

/// D6: bins are as wide as the pegs' spacing.
pub(crate) fn galton(setup: &Setup) -> Outcome<Vec<Row>> {
    let batches = if setup.is_full { 4 } else { 1 };
    let mut ends = Vec::new();
    for batch in 0..batches {
        ends.extend(fallen(setup, batch)?);
    }
    // Pegs hold balls up: a free fall to below the last row takes this long, and a row at least doubles its own share of it.
    let free = (2.0 * (START + STEP * f64::from(ROWS)) / G).sqrt();
    let through = ends.iter().filter(|(_, time)| *time < 1.3 * free).count() as f64;
    let ends: Vec<f64> = ends.iter().map(|(x, _)| *x).collect();
    let count = ends.len() as f64;
    let mean = ends.iter().sum::<f64>() / count;
    let variance = ends.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / count;
    // Each side of the middle, by distance: equal numbers but for chance.
    let (mut difference, mut bins) = (0.0, 0.0);
    for k in 0..ROWS {
        let within = |x: f64| (f64::from(k)..f64::from(k + 1)).contains(&x);
        let [left, right] = [-1.0, 1.0].map(|side| ends.iter().filter(|x| within(side * **x)).count() as f64);
        if left + right >= 10.0 {
            difference += (left - right).powi(2) / (left + right);
            bins += 1.0;
        }
    }
    Ok(vec![
        Row::at_most("balls that fall as if there were no pegs", "", through, 0.0)
            .from("D6: nothing is passed through"),
        Row::at_most(
            format!("mean of {count} balls / its standard error"),
            "",
            mean.abs() / (variance / count).sqrt(),
            3.0,
        )
        .from("D6: no bias, three standard errors"),
        // Three standard errors of a chi-square with that many degrees of freedom.
        Row::at_most("chi-square of left against right", "", difference, bins + 3.0 * f64::sqrt(2.0 * bins))
            .from("D6: mean + 3 sd of chi-square"),
        Row::absolute(
            "variance of the bins / (rows/4)",
            "",
            1.0,
            variance / (0.25 * f64::from(ROWS)),
            f64::NAN,
        )
        .from("D6, told: above 1, balls keep their way")
        .only_told(),
    ])
}

/// Where balls of one batch end, in spacings, and when, s.
fn fallen(setup: &Setup, batch: u64) -> Outcome<Vec<(f64, f64)>> {
    /// Distance of the balls' planes, m.
    const APART: f64 = 0.01;
    const SIDE: i32 = 8;
    let mut lab = setup.lab(G, 0.4, 0.2)?;
    let length = APART * f64::from(AT_ONCE);
    let peg = Shape::capsule((0.5 * length) as f32, PEG as f32)?;
    let lying = Rotation::from_euler_angles(FRAC_PI_2, 0.0, 0.0);
    for row in 0..ROWS {
        let shift = if row % 2 == 0 { 0.0 } else { 0.5 };
        for k in -SIDE..=SIDE {
            let at = [SPACING * (f64::from(k) + shift), -STEP * f64::from(row), 0.0];
            // Both sides alike: a row between the others has one peg less.
            if k == SIDE && row % 2 == 1 {
                continue;
            }
            let spec = BodySpec::fixed().collider(ColliderSpec::new(peg.clone()));
            lab.add(spec.pose(Pose::new(at.into(), lying)))?;
        }
    }
    let mut random = Random::new(600 + batch);
    let mut balls = Vec::new();
    for k in 0..AT_ONCE {
        let z = APART * (f64::from(k) + 0.5) - 0.5 * length;
        let at = Pose::at(random.between(-5e-5, 5e-5), START, z);
        balls.push(lab.add(ball(BALL, 0.002)?.pose(at).locks(AxisLocks::PLANE_XY))?);
    }
    // Where each is as it leaves the last row.
    let mut ends = vec![(f64::NAN, f64::NAN); balls.len()];
    lab.run(3.0, |world, t| {
        for (end, &ball) in ends.iter_mut().zip(&balls) {
            let at = world.pose(ball)?.translation;
            if end.0.is_nan() && at.y < -STEP * f64::from(ROWS) {
                *end = (at.x / SPACING, t);
            }
        }
        Ok(())
    })?;
    Ok(ends)
}
