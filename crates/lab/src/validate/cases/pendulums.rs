//! J1: pendulums on joints: periods at all amplitudes, energy, and how well the joint holds.

use crate::shell::Outcome;
use crate::validate::lab::{G, Setup, ball};
use crate::validate::row::Row;
use drystone::math::{Pose, Position, Real, Vector3};
use drystone::{BodySpec, JointKind, JointSpec, SolverChoice};
use std::f64::consts::TAU;

/// Radius of the bob, m; it swings on a metre, and weighs a kilogram.
const RADIUS: f64 = 0.05;
const SWINGS: usize = 10;

/// Whether the method of these settings solves joints.
pub(super) fn knows_joints(setup: &Setup) -> bool {
    matches!(setup.config(G).solver, SolverChoice::SubStep { .. })
}

/// Ten swings of a ball on a hinge, on a rod and on a ball joint, from 10, 90 and 170 degrees. Nothing for methods that know no joints.
pub(crate) fn pendulums(setup: &Setup) -> Outcome<Vec<Row>> {
    let mut rows = Vec::new();
    if !knows_joints(setup) {
        return Ok(rows);
    }
    let angles: &[f64] = if setup.is_full { &[10.0, 90.0, 170.0] } else { &[90.0] };
    let kinds = [JointKind::Hinge, JointKind::Ball, JointKind::Distance];
    for &degrees in angles {
        let angle = degrees.to_radians();
        for kind in kinds.into_iter().take(if setup.is_full { 3 } else { 1 }) {
            // A rod lets the ball turn as it likes, and nothing turns it.
            let moment = if kind == JointKind::Distance { 1.0 } else { 1.0 + 0.4 * RADIUS * RADIUS };
            let exact = TAU * (moment / G).sqrt() / mean(1.0, (0.5 * angle).cos());
            let swing = swings(setup, kind, angle)?;
            let name = kind.name();
            rows.push(
                Row::relative(
                    format!("period on a {name} joint from {degrees} deg"),
                    "s",
                    exact,
                    swing.period,
                    1e-3,
                )
                .from("complete elliptic integral by the arithmetic-geometric mean"),
            );
            rows.push(
                Row::at_most(
                    format!("energy lost or won on a {name} joint from {degrees} deg"),
                    "",
                    swing.energy,
                    0.02,
                )
                .from("share of m g l; nothing dissipates"),
            );
            rows.push(
                Row::at_most(format!("apart on a {name} joint from {degrees} deg"), "m", swing.apart, 1e-4)
                    .from("promise of joints"),
            );
        }
    }
    Ok(rows)
}

/// What ten swings showed: the mean period, s; the change of energy, a share of m g l; the largest error of the joint, m.
struct Swing {
    period: f64,
    energy: f64,
    apart: f64,
}

fn swings(setup: &Setup, kind: JointKind, angle: f64) -> Outcome<Swing> {
    let mut lab = setup.lab(G, 0.0, 0.0)?;
    let post = lab.add(BodySpec::fixed())?;
    let start = Position::new(angle.sin(), -angle.cos(), 0.0);
    let bob = lab.add(ball(RADIUS, 1.0)?.pose(Pose::at(start.x, start.y, start.z)))?;
    let spec = JointSpec::new(kind, post, bob);
    let spec = match kind {
        JointKind::Distance => spec.between(Position::origin(), start),
        JointKind::Hinge => spec.at(Position::origin()).along(Vector3::z()),
        _ => spec.at(Position::origin()),
    };
    let joint = lab.world.add_joint(&spec)?;
    let longest = TAU * (1.01 / G).sqrt() / mean(1.0, (0.5 * angle).cos()) * (SWINGS as f64 + 1.0);
    let mut passes = Vec::new();
    let (mut last, mut apart, mut energy) = ((0.0, start.x), 0.0_f64, 0.0_f64);
    let begin = G * start.y;
    lab.run(longest, |world, time| {
        let state = world.body(bob)?;
        let x = state.center.x;
        // From right to left through the lowest point, found between two steps.
        if last.1 > 0.0 && x <= 0.0 && state.center.y < 0.0 {
            passes.push(time - (time - last.0) * x / (x - last.1));
        }
        last = (time, x);
        apart = apart.max(f64::from(world.joint(joint)?.error[0] as Real));
        energy = (world.kinetic_energy() + G * state.center.y - begin) / G;
        Ok(())
    })?;
    let count = passes.len().saturating_sub(1).min(SWINGS);
    let period = if count == 0 { f64::NAN } else { (passes[count] - passes[0]) / count as f64 };
    Ok(Swing { period, energy: energy.abs(), apart })
}

/// The arithmetic-geometric mean.
fn mean(mut a: f64, mut g: f64) -> f64 {
    for _ in 0..12 {
        (a, g) = (0.5 * (a + g), (a * g).sqrt());
    }
    a
}
