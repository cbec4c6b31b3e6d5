//! D4: how fast a row of dominoes falls.

use crate::shell::Outcome;
use crate::validate::lab::{G, Setup, cuboid, vector};
use crate::validate::row::Row;
use drystone::math::{Pose, Vector3};

/// Height, thickness, width, m; 0.15 of the height is the thickness of the reference's table.
const HIGH: f64 = 0.048;
const THICK: f64 = 0.15 * HIGH;
const WIDE: f64 = 0.024;
const COUNT: usize = 60;

/// Gap over height, and speed over sqrt(g h) of the collective model: each piece leans on the next without friction, energy is kept
/// between inelastic blows, and feet do not slip.
const REFERENCE: [(f64, f64); 6] =
    [(0.1, 2.262), (0.2, 1.969), (0.3, 1.840), (0.4, 1.760), (0.5, 1.698), (0.6, 1.645)];

/// D4: speed over the pieces 30 to 50.
pub(crate) fn dominoes(setup: &Setup) -> Outcome<Vec<Row>> {
    let mut rows = Vec::new();
    for (gap, reference) in REFERENCE {
        // A quick run has the middle of the table.
        if !setup.is_full && gap != 0.3 {
            continue;
        }
        let smooth = speed(setup, gap, 0.0, 1.0)?;
        rows.push(
            Row::relative(
                format!("smooth pieces, gap {gap} h: speed / sqrt(g h)"),
                "",
                reference,
                smooth,
                0.05,
            )
            .from("D4: collective model, d/h 0.15"),
        );
        let rough = speed(setup, gap, 0.25, 1.0)?;
        rows.push(
            Row::absolute(
                format!("mu 0.25, gap {gap} h: speed / sqrt(g h)"),
                "",
                rough.clamp(1.2, 1.6),
                rough,
                0.0,
            )
            .from("D4: real ones 1.2 to 1.6"),
        );
        if gap == 0.3 {
            let pushed = speed(setup, gap, 0.0, 2.0)?;
            rows.push(
                Row::relative("smooth, gap 0.3 h: twice the push, speed", "", smooth, pushed, 0.02)
                    .from("D4: the push is forgotten after 20 pieces"),
            );
        }
    }
    Ok(rows)
}

/// Speed over sqrt(g h) with which a lean of 5 degrees runs from piece 30 to piece 50.
pub(crate) fn speed(setup: &Setup, gap: f64, mu: f64, push: f64) -> Outcome<f64> {
    const FROM: usize = 30;
    const TO: usize = 50;
    let pitch = THICK + gap * HIGH;
    let mut lab = setup.lab(G, 0.0, mu)?;
    lab.other_plane(Pose::IDENTITY, [0.0, 1.0, 0.0], 1.0)?;
    let mut pieces = Vec::new();
    for k in 0..COUNT {
        let mut spec = cuboid([THICK, HIGH, WIDE], 0.01)?.pose(Pose::at(k as f64 * pitch, 0.5 * HIGH, 0.0));
        if k == 0 {
            // About its foot, as fast as it would swing from a lean of twice its own angle.
            let rate = push * 2.0 * (G / HIGH).sqrt() * 0.3;
            spec = spec
                .linear_velocity(vector([0.5 * rate * HIGH, 0.0, 0.0]))
                .angular_velocity(vector([0.0, 0.0, -rate]));
        }
        pieces.push(lab.add(spec)?);
    }
    let mut passed = [f64::NAN; 2];
    let mut last = [0.0_f64; 2];
    lab.run(COUNT as f64 * pitch / (0.8 * (G * HIGH).sqrt()), |world, t| {
        for (k, piece) in [FROM, TO].into_iter().enumerate() {
            let up = world.pose(pieces[piece])?.rotation * Vector3::y();
            let lean = f64::from(up.x).atan2(f64::from(up.y)).to_degrees();
            if passed[k].is_nan() && lean > 5.0 {
                passed[k] = t - setup.dt() * (lean - 5.0) / (lean - last[k]);
            }
            last[k] = lean;
        }
        Ok(())
    })?;
    Ok((TO - FROM) as f64 * pitch / (passed[1] - passed[0]) / (G * HIGH).sqrt())
}
