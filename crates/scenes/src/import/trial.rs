//! Whether what was imported can be run: a file of another program on the ground for a while, and what became of it.

use super::rate::{is_moving, size_of};
use super::{ImportOptions, Imported, import, names_a_model};
use crate::error::SceneError;
use crate::model::{JointEntry, MotorSpec};
use crate::run::{RunOptions, Runner};
use drystone::math::Vector3;
use std::path::Path;

/// Joints farther apart than this share of the model's size are torn.
const TORN: f64 = 0.1;
/// Kinetic energy above what there is by this factor is from nowhere.
const FROM_NOWHERE: f64 = 100.0;
/// Speed of the model's size in so many seconds: motion that slow is never called an explosion.
const SLOW: f64 = 10.0;

/// What became of a file.
#[derive(Clone, Debug, PartialEq)]
pub enum ImportTrial {
    /// It is no model by itself: another file includes it, or it has no body.
    Fragment,
    /// A file that it needs is not there or cannot be read: a mesh that has the mass of a body.
    Incomplete(String),
    /// It was refused, for this reason.
    Refused(String),
    /// It was imported and run.
    Ran(TrialRun),
}

/// A run of what was imported.
#[derive(Clone, Debug, PartialEq)]
pub struct TrialRun {
    /// Bodies that move.
    pub bodies: usize,
    /// Joints.
    pub joints: usize,
    /// Notes of the importer.
    pub notes: usize,
    /// Size of the model at the start, m: the diagonal of the box around what moves.
    pub size: f64,
    /// Mass of what moves, kg.
    pub mass: f64,
    /// Largest speed of a centre of mass in the run, m/s.
    pub largest_speed: f64,
    /// Largest kinetic energy in the run, J.
    pub largest_energy: f64,
    /// What there was to become kinetic energy when it came nearest to that, J: see [`import_trial`].
    pub given_energy: f64,
    /// Farthest that what a joint holds together is apart at the end, m.
    pub joint_distance: f64,
    /// Farthest that it was after any step, m.
    pub largest_joint_distance: f64,
    /// Why it counts as exploded; `None` where all is well.
    pub exploded: Option<String>,
}

/// Imports a file with a ground (where it has none) and runs it for a while with the preset `fast` at its own rate.
///
/// It counts as exploded when a body is lost (not finite, or given up by the engine), when what a joint holds together is apart by more than a tenth of the model's size after any
/// step, or when the kinetic energy is more than 100 times what there is to become it: what gravity gave as far as centres of mass have sunk since the start, the
/// weight times the model's size besides, what springs held at the start, and the energy of the model moving by its size in ten seconds.
///
/// ```
/// use drystone_scenes::{ImportTrial, import_trial};
/// let file = std::env::temp_dir().join(format!("drystone-trial-{}.urdf", std::process::id()));
/// std::fs::write(&file, "<robot name='r'><link name='a'><collision><geometry><sphere radius='0.1'/></geometry></collision></link></robot>")?;
/// let ImportTrial::Ran(run) = import_trial(&file, 1.0) else { panic!("it is a model") };
/// assert_eq!((run.bodies, run.exploded), (1, None));
/// std::fs::remove_file(&file)?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn import_trial(path: impl AsRef<Path>, seconds: f64) -> ImportTrial {
    let path = path.as_ref();
    if !names_a_model(path) {
        return ImportTrial::Fragment;
    }
    let imported = match import(path, &ImportOptions { ground: true, ..ImportOptions::default() }) {
        Ok(imported) => imported,
        Err(error @ SceneError::Read { .. }) => return ImportTrial::Incomplete(error.to_string()),
        Err(error) => return ImportTrial::Refused(error.to_string()),
    };
    match measure(&imported, seconds) {
        Ok(run) => ImportTrial::Ran(run),
        Err(error) => ImportTrial::Refused(error.to_string()),
    }
}

fn measure(imported: &Imported, seconds: f64) -> Result<TrialRun, SceneError> {
    let options = RunOptions { seconds: Some(seconds), ..RunOptions::default() };
    let scene = &imported.scene;
    let mut runner = Runner::new(scene, &options)?;
    let moving: Vec<usize> = (0..scene.bodies.len()).filter(|&k| is_moving(scene, k)).collect();
    let size = size_of(scene, &moving);
    let gravity = Vector3::from(scene.gravity).cast::<f64>();
    let place = |runner: &Runner, body: usize| {
        let handle = runner.body(body)?;
        let body = runner.world().body(handle).ok()?;
        Some((body.center, body.linear_velocity, f64::from(body.mass)))
    };
    let start: Vec<_> = moving.iter().map(|&body| place(&runner, body)).collect();
    let mass: f64 = start.iter().flatten().map(|(_, _, mass)| mass).sum();
    let held: f64 = scene.joints.iter().map(held_by).sum();
    let always = mass * (gravity.norm() * size + (size / SLOW).powi(2)) + held;
    let mut run = TrialRun {
        bodies: moving.len(),
        joints: scene.joints.len(),
        notes: imported.notes.len(),
        size,
        mass,
        largest_speed: 0.0,
        largest_energy: 0.0,
        given_energy: always,
        joint_distance: 0.0,
        largest_joint_distance: 0.0,
        exploded: None,
    };
    let mut excess = 0.0_f64;
    while runner.step()? {
        let mut sunk = 0.0;
        for (&body, start) in moving.iter().zip(&start) {
            let (Some((now, velocity, mass)), Some((before, ..))) = (place(&runner, body), start) else {
                continue;
            };
            sunk += mass * gravity.dot(&(now - before)).max(0.0);
            run.largest_speed = run.largest_speed.max(f64::from(velocity.norm()));
        }
        let (energy, given) = (runner.kinetic_energy(), always + sunk);
        run.largest_energy = run.largest_energy.max(energy);
        if energy / given > excess {
            (excess, run.given_energy) = (energy / given, given);
        }
    }
    let outcome = runner.finish();
    run.joint_distance = outcome.joints.stretch_end_max_m;
    run.largest_joint_distance = outcome.joints.stretch_run_max_m;
    run.exploded = verdict(&run, outcome.quality.lost, excess);
    Ok(run)
}

fn verdict(run: &TrialRun, lost: usize, excess: f64) -> Option<String> {
    if lost > 0 {
        return Some(format!("{lost} bodies lost"));
    }
    if run.largest_joint_distance > TORN * run.size {
        return Some(format!("a joint apart by {:.3e} m", run.largest_joint_distance));
    }
    (excess > FROM_NOWHERE || !run.largest_energy.is_finite())
        .then(|| format!("{excess:.0} times the energy that there is"))
}

/// What springs of a joint hold when it is made, J.
fn held_by(joint: &JointEntry) -> f64 {
    let motors = joint.motor.iter().chain(joint.axes.iter().filter_map(|own| own.motor.as_ref()));
    let energy = |motor: &MotorSpec| match motor {
        MotorSpec::Spring { target, stiffness, .. } | MotorSpec::Servo { target, stiffness, .. } => {
            0.5 * f64::from(stiffness * target * target)
        }
        MotorSpec::Speed { .. } => 0.0,
    };
    motors.map(energy).sum()
}
