//! C3: how far blocks may hang over an edge.

use crate::shell::Outcome;
use crate::validate::lab::{G, Lab, Setup, bisect, cuboid, fixed_cuboid};
use crate::validate::row::Row;
use drystone::BodyHandle;
use drystone::math::{Pose, Vector3};

/// Length, height, depth of a block, m.
const LONG: f64 = 2.0;
const HIGH: f64 = 0.5;
const DEEP: f64 = 1.0;
/// Tilt at which a block has fallen, degrees.
const FALLEN: f64 = 3.0;

/// C3: one block; in a full run also four that hang over harmonically, and four shifted alike.
pub(crate) fn overhang(setup: &Setup) -> Outcome<Vec<Row>> {
    // Each block beyond the one below, from the lowest, as a share of the length.
    let limits: [(&str, &[f64]); 3] = [
        ("one block over an edge", &[1.0 / 2.0]),
        ("four blocks, harmonic", &[1.0 / 8.0, 1.0 / 6.0, 1.0 / 4.0, 1.0 / 2.0]),
        // With the fixed one they are five: L/5 each.
        ("four blocks shifted alike", &[0.2; 4]),
    ];
    let mut rows = Vec::new();
    for (name, shifts) in limits {
        // Four blocks take seconds of processor time with the joint methods.
        if shifts.len() > 1 && !setup.is_full {
            continue;
        }
        let found = bisect(0.96, 1.04, 0.005, |share| {
            let (mut lab, blocks) = over_edge(setup, shifts, share)?;
            lab.settle(2.0)?;
            Ok(tilt(&lab, &blocks)? > FALLEN)
        })?;
        rows.push(
            Row::relative(format!("{name}: overhang at the limit / theory"), "", 1.0, found, 5e-3)
                .from("C3: the centre of what is above stands over the edge below"),
        );
        let seconds = setup.seconds(2.0, 60.0);
        let (mut lab, blocks) = over_edge(setup, shifts, 0.99)?;
        lab.settle(seconds)?;
        rows.push(
            Row::at_most(format!("{name}: tilt after {seconds} s at 0.99"), "deg", tilt(&lab, &blocks)?, 0.1)
                .from("C3: stands; limit as the drift of what stands, 1 mm over half a block"),
        );
    }
    Ok(rows)
}

/// A fixed block that ends at x = 0 and blocks on it, each shifted by its share of the length times `factor`.
fn over_edge(setup: &Setup, shifts: &[f64], factor: f64) -> Outcome<(Lab, Vec<BodyHandle>)> {
    let mut lab = setup.lab(G, 0.0, 0.5)?;
    lab.add(fixed_cuboid([LONG, HIGH, DEEP])?.pose(Pose::at(-0.5 * LONG, -0.5 * HIGH, 0.0)))?;
    let (mut x, mut y, mut blocks) = (-0.5 * LONG, 0.5 * HIGH, Vec::new());
    for shift in shifts {
        x += shift * factor * LONG;
        blocks.push(lab.add(cuboid([LONG, HIGH, DEEP], 1.0)?.pose(Pose::at(x, y, 0.0)))?);
        y += HIGH;
    }
    Ok((lab, blocks))
}

/// Largest tilt, degrees.
fn tilt(lab: &Lab, blocks: &[BodyHandle]) -> Outcome<f64> {
    let mut most = 0.0_f64;
    for &block in blocks {
        let up = lab.world.pose(block)?.rotation * Vector3::y();
        most = most.max(f64::from(up.y.clamp(-1.0, 1.0)).acos().to_degrees());
    }
    Ok(most)
}
