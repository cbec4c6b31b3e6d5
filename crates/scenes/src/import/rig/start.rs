//! Where a robot starts: where its file puts it, but for joints that would begin outside of their limits.
//!
//! A joint far outside of its limits is a blow in the first step. Such a joint starts at the limit that is nearest, with all that hangs on it.

use super::assembly::Assembly;
use super::dof::{Dof, Motion};
use crate::model::MotorSpec;
use drystone::math::{Pose, Position, Real, Rotation, Vector3, narrow};
use std::f32::consts::PI;

/// A motion of what hangs on a degree of freedom.
struct Shift {
    about: Position,
    turn: Rotation,
    way: Vector3,
}

impl Shift {
    fn of(dof: &Dof, value: Real) -> Self {
        let about = dof.at;
        match dof.motion {
            Motion::Slide => Self { about, turn: Rotation::identity(), way: dof.axis * value },
            _ => Self { about, turn: Rotation::from_scaled_axis(dof.axis * value), way: Vector3::zeros() },
        }
    }

    fn point(&self, point: &Position) -> Position {
        let arm = self.turn * narrow(&(point - self.about));
        self.about + (arm + self.way).cast::<f64>()
    }

    fn pose(&self, pose: &Pose) -> Pose {
        Pose::new(self.point(&pose.translation), self.turn * pose.rotation)
    }

    fn dof(&self, dof: &mut Dof) {
        dof.at = self.point(&dof.at);
        dof.axis = self.turn * dof.axis;
    }
}

impl Assembly {
    /// Puts joints that begin outside of their limits onto them. What closes a loop holds its bodies where they are: then all stays.
    pub(super) fn start_within_limits(&mut self) {
        if !self.closings.is_empty() {
            return;
        }
        let mut moved = Vec::new();
        for chain in 0..self.chains.len() {
            for k in 0..self.chains[chain].dofs.len() {
                let dof = &mut self.chains[chain].dofs[k];
                let Some(value) = outside(dof) else { continue };
                let shift = Shift::of(dof, value);
                begin_at(dof, value);
                moved.push(format!("{:?} at {value:.3}", dof.name));
                self.chains[chain].dofs[k + 1..].iter_mut().for_each(|later| shift.dof(later));
                self.move_below(self.chains[chain].ends[1], &shift);
            }
        }
        if !moved.is_empty() {
            self.notes.push(format!(
                "joints that would start outside of their limits start at them, rad or m from where the file has them: {}",
                moved.join(", ")
            ));
        }
    }

    /// Moves a cluster, and all that hangs on it.
    fn move_below(&mut self, cluster: usize, shift: &Shift) {
        let mut open = vec![cluster];
        while let Some(next) = open.pop() {
            self.clusters[next].pose = shift.pose(&self.clusters[next].pose);
            for chain in self.chains.iter_mut().filter(|chain| chain.ends[0] == next) {
                chain.dofs.iter_mut().for_each(|dof| shift.dof(dof));
            }
            open.extend(self.below(next));
        }
    }
}

/// The limit that is nearest to where a degree of freedom starts, outside of them; `None` for one within.
fn outside(dof: &Dof) -> Option<Real> {
    let (lower, upper) = (dof.lower?, dof.upper?);
    // What is held at one value is taken there as any lock is, and a ball has no such limits.
    let is_outside = dof.motion != Motion::Ball && lower < upper && (lower > 0.0 || upper < 0.0);
    is_outside.then_some(if lower > 0.0 { lower } else { upper })
}

/// Counts what a degree of freedom says from another value on.
fn begin_at(dof: &mut Dof, value: Real) {
    let from = |limit: Option<Real>| limit.map(|limit| limit - value);
    (dof.lower, dof.upper) = (from(dof.lower), from(dof.upper));
    for motor in [&mut dof.motor, &mut dof.servo].into_iter().flatten() {
        if let MotorSpec::Spring { target, .. } = motor {
            *target -= value;
            if dof.motion == Motion::Turn {
                *target = target.clamp(-PI, PI);
            }
        }
    }
    if dof.motion == Motion::Turn {
        let within = |limit: Option<Real>| limit.map(|limit| limit.clamp(-PI, PI));
        (dof.lower, dof.upper) = (within(dof.lower), within(dof.upper));
    }
}
