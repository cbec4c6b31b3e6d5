//! How good a run was, from poses alone: one judge for all engines.
//!
//! Overlap is measured by the narrow phase of `crates/collision` on all pairs whose boxes overlap, with the
//! shapes of the scene, whatever the engine itself calls a contact; rounded corners, slops and margins of the
//! engines do not enter. Residual motion comes from two poses, not from velocities, which some engines keep
//! although nothing moves. Energies use the scene's masses and the velocities that the engine states.

mod energy;
mod overlap;

use crate::engine::Motion;
use crate::joint::Stretch;
use crate::run::Sample;
use crate::task::{Task, TaskBody};
use overlap::{Judge, Overlap};
use serde_json::{Value, json};

/// How good a run was.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Quality {
    /// Simulated time of the last look, s.
    pub(crate) time: f64,
    /// At the end.
    pub(crate) end: Overlap,
    /// Deepest overlap at any look, m.
    pub(crate) run_max: f64,
    /// Mean over all looks of the mean overlap, m.
    pub(crate) run_mean: f64,
    /// Farthest that what a joint holds together is apart at the end, m.
    pub(crate) stretch_end: f64,
    /// The same at any look.
    pub(crate) stretch_run: f64,
    /// Farthest that a body which should stand is from where it started, m.
    pub(crate) drift_max: f64,
    /// The same, downwards alone.
    pub(crate) sink_max: f64,
    /// Fastest motion of a body between the last two looks, its surface included, m/s.
    pub(crate) residual_max: f64,
    /// Mean of it over all dynamic bodies, m/s.
    pub(crate) residual_mean: f64,
    /// Dynamic bodies outside of the scene's bounds or without a finite pose at the end.
    pub(crate) lost: usize,
    /// Kinetic energy at the end, J.
    pub(crate) kinetic_end: f64,
    /// Most that the mechanical energy grew between two looks with nothing from outside, J.
    pub(crate) energy_rise: f64,
    /// Mechanical energy at the end less that at the start or when bodies appeared, J.
    pub(crate) energy_change: f64,
}

/// How near surfaces touch, m.
const TOUCH: f32 = 1e-3;

/// Number of pairs of a state that touch.
pub(crate) fn touching_pairs(task: &Task, motions: &[Option<crate::engine::Motion>]) -> usize {
    Judge::new(task).touching(motions, TOUCH)
}

/// Judges a run by the states kept of it.
pub(crate) fn judge(task: &Task, samples: &[Sample]) -> Quality {
    let Some(last) = samples.last() else { return Quality::default() };
    let mut quality = Quality { time: last.time, ..Quality::default() };
    let mut judge = Judge::new(task);
    let stretch = Stretch::new(&task.joints, &task.bodies);
    let mut sum = 0.0;
    // The first state is the scene's own.
    for sample in &samples[1..] {
        quality.end = judge.overlap(&sample.motions);
        quality.run_max = quality.run_max.max(quality.end.max);
        sum += quality.end.mean;
        quality.stretch_end = stretch.worst(&sample.motions);
        quality.stretch_run = quality.stretch_run.max(quality.stretch_end);
    }
    quality.run_mean = sum / (samples.len() - 1).max(1) as f64;
    for (body, motion) in task.bodies.iter().zip(&last.motions) {
        let Some(motion) = motion else { continue };
        if body.is_fixed {
            continue;
        }
        // An origin may lie on the surface or outside of a hull, and so below the ground the body rests on.
        let center =
            body.mass.as_ref().map_or(motion.pose.translation, |m| motion.pose.transform_point(&m.center));
        let is_inside = task.bounds.is_none_or(|b| b.contains(&center.coords.into()));
        quality.lost += usize::from(!motion.pose.is_finite() || !is_inside);
        if body.stands {
            let way = motion.pose.translation - body.pose.translation;
            let finite = |v: f64| if v.is_nan() { f64::INFINITY } else { v };
            quality.drift_max = quality.drift_max.max(finite(way.norm()));
            quality.sink_max = quality.sink_max.max(finite(-way.y));
        }
    }
    if let [.., before, last] = samples {
        (quality.residual_max, quality.residual_mean) = residual(&task.bodies, before, last);
    }
    let energies: Vec<_> = samples.iter().map(|s| energy::of(&task.bodies, s)).collect();
    quality.kinetic_end = energies.last().map_or(0.0, |e| e.kinetic);
    for (pair, after) in energies.windows(2).zip(&samples[1..]) {
        if after.is_undisturbed {
            let rise = pair[1].total() - pair[0].total();
            quality.energy_rise = quality.energy_rise.max(rise);
            quality.energy_change += rise;
        }
    }
    quality
}

/// Largest and mean speed between two states, m/s: of the centre plus that of the farthest point about it.
fn residual(bodies: &[TaskBody], before: &Sample, after: &Sample) -> (f64, f64) {
    let time = after.time - before.time;
    let (mut max, mut sum, mut count) = (0.0_f64, 0.0, 0_u32);
    for (body, motions) in bodies.iter().zip(before.motions.iter().zip(&after.motions)) {
        let (false, (Some(a), Some(b))) = (body.is_fixed, motions) else { continue };
        let speed = way(body, a, b) / time;
        if speed.is_finite() {
            max = max.max(speed);
            sum += speed;
            count += 1;
        }
    }
    (max, sum / f64::from(count.max(1)))
}

fn way(body: &TaskBody, a: &Motion, b: &Motion) -> f64 {
    let turn = f64::from(a.pose.rotation.angle_to(&b.pose.rotation));
    // The angle of two equal `f32` rotations comes out as up to 7e-4 by rounding.
    let turn = if turn < 1e-3 { chord(a, b) } else { turn };
    (b.pose.translation - a.pose.translation).norm() + turn * f64::from(body.shape.bounding_radius())
}

/// The angle between two rotations that are nearly equal, from the difference of their components, rad.
fn chord(a: &Motion, b: &Motion) -> f64 {
    let (a, b) = (a.pose.rotation.coords, b.pose.rotation.coords);
    let difference = |sign: f32| {
        (0..4).map(|i| f64::from(a[i]) - f64::from(sign * b[i])).map(|d| d * d).sum::<f64>().sqrt()
    };
    2.0 * difference(1.0).min(difference(-1.0))
}

impl Quality {
    /// As JSON; lengths in m, speeds in m/s, energies in J.
    pub(crate) fn json(&self) -> Value {
        json!({
            "time": self.time,
            "overlap_end_max": self.end.max,
            "overlap_end_mean": self.end.mean,
            "overlap_run_max": self.run_max,
            "overlap_run_mean": self.run_mean,
            "overlapping_pairs_end": self.end.pairs,
            "stretch_end": self.stretch_end,
            "stretch_run": self.stretch_run,
            "drift_max": self.drift_max,
            "sink_max": self.sink_max,
            "residual_max": self.residual_max,
            "residual_mean": self.residual_mean,
            "lost": self.lost,
            "kinetic_end": self.kinetic_end,
            "energy_rise": self.energy_rise,
            "energy_change": self.energy_change,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_math::{Rotation, Vector3};

    fn tower() -> Task {
        Task::of_test("tower:3")
    }

    fn at_rest(task: &Task, time: f64) -> Sample {
        let motion = |body: &TaskBody| {
            Some(Motion { pose: body.pose, linear: Vector3::zeros(), angular: Vector3::zeros() })
        };
        let motions = task.bodies.iter().map(motion).collect();
        Sample { time, gravity: task.gravity, is_undisturbed: true, motions }
    }

    #[test]
    fn what_stays_has_no_fault() {
        let task = tower();
        let quality = judge(&task, &[at_rest(&task, 0.0), at_rest(&task, 1.0)]);
        assert!(quality.end.max < 1e-6 && quality.run_max < 1e-6, "{quality:?}");
        assert_eq!((quality.drift_max, quality.residual_max, quality.lost), (0.0, 0.0, 0));
        assert_eq!((quality.energy_rise, quality.kinetic_end), (0.0, 0.0));
    }

    #[test]
    fn a_box_that_sinks_shows_as_drift_overlap_motion_and_energy() {
        let task = tower();
        let mut sunk = at_rest(&task, 0.5);
        // The uppermost of three boxes of 10 cm and 0.8 kg, 1 cm down in half a second.
        let top = sunk.motions[3].as_mut().expect("there");
        top.pose.translation.y -= 0.01;
        let quality = judge(&task, &[at_rest(&task, 0.0), sunk]);
        for (value, expected) in [
            (quality.end.max, 0.01),
            (quality.drift_max, 0.01),
            (quality.sink_max, 0.01),
            (quality.residual_max, 0.02),
            (quality.energy_change, -0.08),
        ] {
            assert!((value - expected).abs() < 1e-5, "{value} is not {expected}: {quality:?}");
        }
        assert_eq!(quality.energy_rise, 0.0);
    }

    #[test]
    fn a_turn_shows_as_motion_of_the_surface() {
        let task = tower();
        let mut turned = at_rest(&task, 1.0);
        let top = turned.motions[3].as_mut().expect("there");
        top.pose.rotation = Rotation::from_axis_angle(&Vector3::y_axis(), 0.1);
        let quality = judge(&task, &[at_rest(&task, 0.0), turned]);
        // Half of the diagonal of the box times the angle.
        assert!((quality.residual_max - 0.1 * 0.05 * 3.0_f64.sqrt()).abs() < 1e-5, "{quality:?}");
    }

    #[test]
    fn what_leaves_or_is_not_a_number_is_lost() {
        let task = tower();
        let mut gone = at_rest(&task, 1.0);
        gone.motions[1].as_mut().expect("there").pose.translation.y = -1.0;
        gone.motions[2].as_mut().expect("there").pose.translation.x = f64::NAN;
        let quality = judge(&task, &[at_rest(&task, 0.0), gone]);
        assert_eq!(quality.lost, 2);
        assert_eq!(quality.drift_max, f64::INFINITY);
    }
}
