//! D3: overlap of 216 balls poured on the ground (the scene "666" of SimBenchmark).

use crate::shell::Outcome;
use crate::validate::lab::{G, Setup, ball};
use crate::validate::row::Row;
use drystone::math::{Displacement, Pose};
use drystone_scenes::Random;

/// Radius, m; spacing of the lattice, m; balls along an edge.
const R: f64 = 0.1;
const SPACING: f64 = 0.21;
const EDGE: u32 = 6;

/// D3: no restitution, no friction, 10 s.
pub(crate) fn pour(setup: &Setup) -> Outcome<Vec<Row>> {
    let mut lab = setup.lab(G, 0.0, 0.0)?;
    lab.plane([0.0, 1.0, 0.0])?;
    let mut random = Random::new(666);
    let mut balls = Vec::new();
    for i in 0..EDGE.pow(3) {
        let cell = [i % EDGE, i / EDGE.pow(2), i / EDGE % EDGE].map(f64::from);
        let [dx, dy, dz] = random.vector(1e-3);
        let at = Pose::at(SPACING * cell[0] + dx, R + 2e-3 + SPACING * cell[1] + dy, SPACING * cell[2] + dz);
        balls.push(lab.add(ball(R, 10.0)?.pose(at))?);
    }
    let (mut sum, mut steps, mut deepest) = (0.0, 0.0, 0.0_f64);
    let mut at = vec![Displacement::zeros(); balls.len()];
    lab.run(10.0, |world, _| {
        for (at, &ball) in at.iter_mut().zip(&balls) {
            *at = world.pose(ball)?.translation.coords;
        }
        for (k, a) in at.iter().enumerate() {
            let ground = (R - a.y).max(0.0);
            let pairs = at[..k].iter().map(|b| (a - b).norm_squared()).filter(|&d| d < 4.0 * R * R);
            for overlap in pairs.map(|d| 2.0 * R - d.sqrt()).chain([ground]) {
                sum += overlap * overlap;
                deepest = deepest.max(overlap);
            }
        }
        steps += 1.0;
        Ok(())
    })?;
    Ok(vec![
        Row::no_worse("mean over steps of the sum of squared overlaps", "m2", 1.35e-4, sum / steps, 0.0)
            .from("D3: RaiSim's, published, at 1000 steps per second"),
        Row::told("deepest overlap of all steps", "m", deepest).from("D3, told"),
    ])
}
