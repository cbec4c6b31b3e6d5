//! Where a robot starts: where its file puts it, but for joints that would begin outside of their limits, or not where those are that they go with.
//!
//! A joint far outside of its limits is a blow in the first step. Such a joint starts at the limit that is nearest, with all that hangs on it; one that goes with another
//! one starts where that has it.

use super::assembly::Assembly;
use super::dof::{Dof, Motion};
use super::mimic::Mimic;
use crate::model::MotorSpec;
use drystone::math::{Pose, Position, Real, Rotation, Vector3, narrow};
use std::collections::BTreeMap;

/// Least difference, rad or m, by which a joint is moved to where the one has it that it goes with: less is rounding. Of values above 1 a share.
const APART: f64 = 1e-6;

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
                let Some(value) = outside(&self.chains[chain].dofs[k]) else { continue };
                moved.push(format!("{:?} at {value:.3}", self.chains[chain].dofs[k].name));
                self.begin(chain, k, value);
            }
        }
        if !moved.is_empty() {
            self.notes.push(format!(
                "joints that would start outside of their limits start at them, rad or m from where the file has them: {}",
                moved.join(", ")
            ));
        }
        self.start_together();
    }

    /// Starts a degree of freedom at a value, with all that hangs on it.
    fn begin(&mut self, chain: usize, k: usize, value: Real) {
        let dof = &mut self.chains[chain].dofs[k];
        let shift = Shift::of(dof, value);
        begin_at(dof, value);
        self.chains[chain].dofs[k + 1..].iter_mut().for_each(|later| shift.dof(later));
        self.move_below(self.chains[chain].ends[1], &shift);
    }

    /// Puts joints that go with others where these have them; where their limits do not let them, the others. What cannot be together is left out.
    fn start_together(&mut self) {
        let mut moved = BTreeMap::new();
        // Each round reaches those that are one farther from what the first one was moved for.
        for _ in 0..self.mimics.len() {
            let mut is_done = true;
            for k in 0..self.mimics.len() {
                let [Some(follower), Some(leader)] = self.mimics[k].dofs.map(|dof| self.place_of(dof)) else {
                    continue;
                };
                let starts = [follower, leader].map(|[chain, k]| f64::from(self.chains[chain].dofs[k].start));
                let values = [self.mimics[k].follow(starts[1]), self.mimics[k].lead(starts[0])];
                if are_same(values[0], starts[0]) {
                    continue;
                }
                for (which, [chain, at]) in [follower, leader].into_iter().enumerate() {
                    let way = (values[which] - starts[which]) as Real;
                    if may_begin_at(&self.chains[chain].dofs[at], way) {
                        moved.insert(self.mimics[k].names[which].clone(), values[which]);
                        self.begin(chain, at, way);
                        is_done = false;
                        break;
                    }
                }
            }
            if is_done {
                break;
            }
        }
        if !moved.is_empty() {
            let listed: Vec<String> =
                moved.iter().map(|(name, value)| format!("{name} at {value:.3}")).collect();
            self.notes.push(format!(
                "joints that go with others start where these have them, rad or m from where the file has them: {}",
                listed.join(", ")
            ));
        }
        self.part_what_cannot_meet();
    }

    /// Leaves out mimics whose joints do not start together.
    fn part_what_cannot_meet(&mut self) {
        let mimics = std::mem::take(&mut self.mimics);
        let start =
            |dof: usize| self.place_of(dof).map(|[chain, k]| f64::from(self.chains[chain].dofs[k].start));
        let (fine, apart) = mimics.into_iter().partition(|mimic: &Mimic| {
            let [Some(follower), Some(leader)] = mimic.dofs.map(start) else { return true };
            are_same(mimic.follow(leader), follower)
        });
        self.mimics = fine;
        for Mimic { names: [name, of], .. } in apart {
            self.notes.push(format!("left out: joint {name} goes with joint {of}, since their limits do not let them start together"));
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

fn are_same(a: f64, b: f64) -> bool {
    (a - b).abs() <= APART * a.abs().max(b.abs()).max(1.0)
}

/// Whether the limits of a degree of freedom let it start so far from where it is.
fn may_begin_at(dof: &Dof, way: Real) -> bool {
    dof.lower.is_none_or(|lower| way >= lower) && dof.upper.is_none_or(|upper| way <= upper)
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
    dof.start += value;
    let from = |limit: Option<Real>| limit.map(|limit| limit - value);
    (dof.lower, dof.upper) = (from(dof.lower), from(dof.upper));
    for motor in [&mut dof.motor, &mut dof.servo].into_iter().flatten() {
        if let MotorSpec::Spring { target, .. } = motor {
            *target -= value;
        }
    }
}
