//! F1: real cubes, thrown on a board.
//!
//! Measurements: ContactNets (Pfrommer, Halm, Posa, CoRL 2020), 60 of 570 tosses. Lengths read 2 % short there (free flight gives 9.61 m/s²), so they
//! are scaled by 1.0198; angular velocities are in the body's frame; velocities are backward differences.

use crate::shell::{Failure, Outcome};
use crate::validate::data;
use crate::validate::lab::{G, Setup, cuboid, vector, wide};
use crate::validate::row::Row;
use drystone::math::inertia::MassProperties;
use drystone::math::{Displacement, Pose, Quaternion, Rotation, Vector3, narrow};

/// Folder of the measurements.
pub(crate) const FOLDER: &str = "cube_toss";

/// Edge, m; mass, kg; moment of inertia, kg m²; friction and restitution as identified by others on the same tosses.
const EDGE: f64 = 0.1048;
const MASS: f64 = 0.37;
const INERTIA: f64 = 0.00081;
const MU: f64 = 0.18;
const E: f64 = 0.15;
/// What lengths read short by; samples per second.
const SCALE: f64 = 1.0198;
const RATE: f64 = 148.0;

/// One sample: where the cube was.
struct Sample {
    at: Displacement,
    rotation: Rotation,
}

/// What a simulated toss is off by.
pub(crate) struct Toss {
    /// Mean distance over the samples, edges.
    pub(crate) position: f64,
    /// Mean angle over the samples, degrees.
    pub(crate) angle: f64,
    /// Whether the same face ends up.
    face: bool,
    /// Distance at the end, m.
    end: f64,
}

impl Toss {
    fn position(&self) -> f64 {
        self.position
    }

    fn angle(&self) -> f64 {
        self.angle
    }
}

/// F1: all tosses from their first sample to the last.
pub(crate) fn tosses(setup: &Setup) -> Outcome<Vec<Row>> {
    let all = all(setup)?;
    let count = all.len() as f64;
    let mean = |of: fn(&Toss) -> f64| all.iter().map(of).sum::<f64>() / count;
    let middle = |of: fn(&Toss) -> f64| data::median(all.iter().map(of).collect());
    let (position, angle) = (Toss::position as fn(&Toss) -> f64, Toss::angle as fn(&Toss) -> f64);
    let faces = mean(|t| f64::from(u8::from(t.face)));
    let mut sorted: Vec<f64> = all.iter().map(position).collect();
    sorted.sort_by(f64::total_cmp);
    let mut rows = vec![
        Row::no_worse("mean position error / edge", "", 0.130, mean(position), 0.05)
            .from("F1: rigid baseline + 5 %"),
        Row::no_worse("mean rotation error", "deg", 17.4, mean(angle), 0.05).from("F1: rigid baseline + 5 %"),
        Row::at_least("share with the right face up", "", 0.8 * 0.95, faces)
            .from("F1: rigid baseline 0.80 - 5 %"),
        Row::no_worse("median position error at the end", "m", 0.026, middle(|t| t.end), 0.05)
            .from("F1: rigid baseline + 5 %"),
        Row::told("median position error / edge", "", middle(position)).from("F1, told"),
        Row::told("median rotation error", "deg", middle(angle)).from("F1, told"),
    ];
    for percent in [10, 30, 50, 70, 90] {
        let error = sorted.get(percent * sorted.len() / 100).copied().unwrap_or(f64::NAN);
        let row = Row::told(format!("position error / edge that {percent} % stay below"), "", error);
        rows.push(row.from("F1, told").over("position error (edges) over percent of tosses", percent as f64));
    }
    Ok(rows)
}

/// Every toss, in the order of the files' names.
pub(crate) fn all(setup: &Setup) -> Outcome<Vec<Toss>> {
    let folder = data::folder(FOLDER).ok_or_else(|| Failure::new("the measurements are gone"))?;
    let mut files: Vec<_> =
        std::fs::read_dir(folder.join("tosses"))?.map(|entry| Ok(entry?.path())).collect::<Outcome<_>>()?;
    files.sort();
    files.iter().map(|file| toss(setup, &data::numbers(file)?)).collect()
}

/// A toss from its rows: t, position, quaternion (w first), velocity, angular velocity; z is up.
fn toss(setup: &Setup, rows: &[Vec<f64>]) -> Outcome<Toss> {
    const LEAST: usize = 6;
    if rows.len() < LEAST || rows.iter().any(|row| row.len() != 14) {
        return Err(Failure::new("a toss needs six samples of 14 numbers"));
    }
    let samples: Vec<Sample> = rows.iter().map(|row| sample(row)).collect();
    // The mean velocity of the first interval, at its middle: half a step earlier it rose faster by g dt/2.
    let first =
        Displacement::new(rows[1][8], rows[1][9], rows[1][10]) * SCALE + Displacement::z() * (0.5 * G / RATE);
    let own =
        (1..5).fold(Displacement::zeros(), |sum, k| sum + Displacement::from_row_slice(&rows[k][11..14]));
    let angular = samples[0].rotation * narrow(&(own / 4.0));
    // Steps that hit the samples, not longer than the preset's own.
    let per_sample = (setup.hz() / RATE).ceil().max(1.0);
    // The board is level: the plane's normal is z here, and so is gravity.
    let mut config = setup.config(0.0);
    config.gravity = vector([0.0, 0.0, -G]);
    let mut lab = crate::validate::lab::Lab::new(config, 1.0 / (RATE * per_sample), E, MU)?;
    lab.plane([0.0, 0.0, 1.0])?;
    let mass = MassProperties::aligned(MASS as f32, vector([INERTIA; 3]));
    let pose = Pose::new(samples[0].at.into(), samples[0].rotation);
    let body = lab.add(
        cuboid([EDGE; 3], MASS)?
            .mass(mass)
            .pose(pose)
            .linear_velocity(narrow(&first))
            .angular_velocity(angular),
    )?;
    let mut toss = Toss { position: 0.0, angle: 0.0, face: false, end: 0.0 };
    for sample in &samples[1..] {
        lab.steps(per_sample as u32)?;
        let now = lab.world.pose(body)?;
        let off = now.translation.coords - sample.at;
        toss.end = off.norm();
        toss.position += off.norm() / EDGE / samples.len() as f64;
        toss.angle += f64::from(now.rotation.angle_to(&sample.rotation)).to_degrees() / samples.len() as f64;
        toss.face = upper_face(&now.rotation) == upper_face(&sample.rotation);
    }
    Ok(toss)
}

fn sample(row: &[f64]) -> Sample {
    let [w, x, y, z] = [4, 5, 6, 7].map(|k| row[k] as f32);
    let rotation = Rotation::from_quaternion(Quaternion::new(w, x, y, z));
    Sample { at: Displacement::new(row[1], row[2], row[3]) * SCALE, rotation }
}

/// The body's axis that points up most, and which way.
fn upper_face(rotation: &Rotation) -> (usize, bool) {
    let up = wide(&(rotation.inverse() * Vector3::z()));
    let axis = up.iamax();
    (axis, up[axis] > 0.0)
}
