//! Smooth motion: an explicit Runge-Kutta step of fifth order with an error estimate.
//!
//! Dormand and Prince, J. Comput. Appl. Math. 6 (1980), the pair 5(4). Seven evaluations per part, the last of which is the first of the
//! next. Quaternions are integrated as four numbers (`q̇ = ½ q ⊗ ω`), whose length only rounding and the error of the step change, and are
//! scaled back after each part.
//!
//! Why this one: an arm is a small system whose evaluation is cheap, and a motion that follows the equations to 1e-8 per part keeps
//! energy and momentum far below what anyone measures, at any speed, without equations to solve. A symplectic step keeps energy bounded
//! at low order only, and loses that property wherever a limit or a motor acts.

use super::drives::Drives;
use super::loops::LoopSet;
use crate::dynamics::{Factor, ForwardDynamics, Loads, Response};
use crate::error::ArticulationError;
use crate::kinematics::Kinematics;
use crate::model::{JointKind, Model};
use crate::spatial::SpatialForce;
use crate::state::{State, normalize, position_rates};
use drystone_math::Carried;

/// Rows of the method: what each stage takes of those before it.
const STAGES: [&[f64]; 6] = [
    &[1.0 / 5.0],
    &[3.0 / 40.0, 9.0 / 40.0],
    &[44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0],
    &[19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0],
    &[9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0],
    &[35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
];

/// The answer of fifth order less that of fourth.
const ERROR: [f64; 7] =
    [71.0 / 57600.0, 0.0, -71.0 / 16695.0, 71.0 / 1920.0, -17253.0 / 339_200.0, 22.0 / 525.0, -1.0 / 40.0];

/// Turn of a joint (rad) that the first part of a step is to cover at most: a guess, which the error estimate corrects.
const FIRST_TURN: f64 = 0.3;

/// Everything that an evaluation needs.
pub(crate) struct Field<'a> {
    pub(crate) model: &'a Model,
    pub(crate) kinematics: &'a mut Kinematics,
    pub(crate) factor: &'a mut Factor,
    pub(crate) forward: &'a mut ForwardDynamics,
    pub(crate) response: &'a mut Response,
    pub(crate) loops: &'a mut LoopSet,
    pub(crate) drives: &'a mut Drives,
    /// Forces along joints that are held over the step.
    pub(crate) held: &'a [f64],
    /// Working memory, an entry per degree of freedom.
    pub(crate) forces: &'a mut [f64],
    pub(crate) wrenches: &'a [SpatialForce],
}

impl Field<'_> {
    /// Accelerations of a state, with loop closures held.
    fn evaluate(&mut self, state: &State, out: &mut [f64]) -> Result<(), ArticulationError> {
        self.kinematics.update(self.model, state);
        self.factor.factorize(self.model, self.kinematics)?;
        self.forces.copy_from_slice(self.held);
        self.drives.add_soft(self.model, &state.positions, &state.velocities, self.forces);
        let loads = Loads { joint_forces: self.forces, wrenches: self.wrenches };
        self.forward.accelerate(self.model, self.kinematics, self.factor, &loads, out);
        if !self.loops.is_empty() {
            self.loops.prepare(self.model, self.kinematics, self.factor, self.response);
            self.loops.measure_acceleration(self.model, self.kinematics, self.forward.link_accelerations());
            self.loops.cancel(out);
            self.loops.forces.copy_from_slice(&self.loops.rows);
        }
        Ok(())
    }
}

/// Working memory.
#[derive(Clone, Debug)]
pub(crate) struct Flow {
    stage: State,
    rates: [Vec<f64>; 7],
    accelerations: [Vec<f64>; 7],
}

/// How a flow went.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Flowed {
    pub(crate) parts: u32,
    pub(crate) limit_hit: bool,
}

impl Flow {
    /// Memory that it holds, bytes.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.stage.heap_bytes() + self.rates.heap_bytes() + self.accelerations.heap_bytes()
    }

    pub(crate) fn new(model: &Model) -> Self {
        let (positions, velocities) = (vec![0.0; model.position_count()], vec![0.0; model.dof_count()]);
        Self {
            stage: State::zero(model),
            rates: std::array::from_fn(|_| positions.clone()),
            accelerations: std::array::from_fn(|_| velocities.clone()),
        }
    }

    /// Moves `state` on by `time` seconds, in as many parts as `tolerance` needs, `max_parts` at most. For the rest of the time joints then
    /// drift with the velocities they have, which is wrong and bounded.
    pub(crate) fn run(
        &mut self,
        field: &mut Field<'_>,
        state: &mut State,
        time: f64,
        tolerance: f64,
        max_parts: u32,
    ) -> Result<Flowed, ArticulationError> {
        let mut flowed = Flowed::default();
        let mut left = time;
        let mut wanted =
            time / (time * fastest_turn(field.model, &state.velocities) / FIRST_TURN).ceil().max(1.0);
        self.begin(field, state)?;
        while left > 0.0 {
            if flowed.parts == max_parts {
                flowed.limit_hit = true;
                state.drift(field.model, left);
                return Ok(flowed);
            }
            let part = left / (left / wanted * (1.0 - 1e-9)).ceil().max(1.0);
            flowed.parts += 1;
            let error = self.try_part(field, state, part)? / tolerance;
            // (1/error)^(1/4): a little more careful than the order asks for, and exact roots only.
            let growth = if error > 0.0 { 0.9 / error.sqrt().sqrt() } else { 4.0 };
            wanted = part * growth.clamp(0.1, 4.0);
            if error <= 1.0 {
                left = if part >= left { 0.0 } else { left - part };
                state.copy_from(&self.stage);
                normalize(field.model, &mut state.positions);
                let (first, last) = self.rates.split_at_mut(6);
                first[0].copy_from_slice(&last[0]);
                let (first, last) = self.accelerations.split_at_mut(6);
                first[0].copy_from_slice(&last[0]);
            }
        }
        Ok(flowed)
    }

    /// The first evaluation.
    fn begin(&mut self, field: &mut Field<'_>, state: &State) -> Result<(), ArticulationError> {
        position_rates(field.model, &state.positions, &state.velocities, &mut self.rates[0]);
        field.evaluate(state, &mut self.accelerations[0])
    }

    /// A part from `state` to `self.stage`; returns its error. Not a number counts as infinite.
    fn try_part(&mut self, field: &mut Field<'_>, state: &State, h: f64) -> Result<f64, ArticulationError> {
        for (row, weights) in STAGES.iter().enumerate() {
            combine(&mut self.stage.positions, &state.positions, &self.rates, weights, h);
            combine(&mut self.stage.velocities, &state.velocities, &self.accelerations, weights, h);
            let (stage, next) = (&self.stage, row + 1);
            position_rates(field.model, &stage.positions, &stage.velocities, &mut self.rates[next]);
            match field.evaluate(stage, &mut self.accelerations[next]) {
                // So far off that there are no numbers: the part is too long.
                Err(ArticulationError::NoInertia { value, .. }) if value.is_nan() => {
                    return Ok(f64::INFINITY);
                }
                outcome => outcome?,
            }
        }
        let fastest = self.stage.velocities.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
        let of_velocities = largest_error(&self.accelerations, h) / (1.0 + fastest);
        let error = of_velocities.max(largest_error(&self.rates, h));
        Ok(if error.is_finite() && fastest.is_finite() { error } else { f64::INFINITY })
    }
}

/// `out = from + h Σ weight stage`.
fn combine(out: &mut [f64], from: &[f64], stages: &[Vec<f64>; 7], weights: &[f64], h: f64) {
    out.copy_from_slice(from);
    for (stage, weight) in stages.iter().zip(weights).filter(|(_, weight)| **weight != 0.0) {
        let factor = h * weight;
        out.iter_mut().zip(stage).for_each(|(out, rate)| *out += factor * rate);
    }
}

/// The largest difference between both orders; not a number where one is.
fn largest_error(stages: &[Vec<f64>; 7], h: f64) -> f64 {
    let mut most = 0.0_f64;
    for k in 0..stages[0].len() {
        let error: f64 = ERROR.iter().zip(stages).map(|(weight, stage)| weight * stage[k]).sum();
        if error.is_nan() {
            return f64::NAN;
        }
        most = most.max((h * error).abs());
    }
    most
}

/// The fastest turn of a joint, rad/s.
pub(crate) fn fastest_turn(model: &Model, velocities: &[f64]) -> f64 {
    let mut most = 0.0_f64;
    for link in model.links() {
        let dofs = link.dofs();
        let speed = match link.kind {
            JointKind::Revolute { .. } => velocities[dofs.start].abs(),
            JointKind::Spherical | JointKind::Free => {
                let v = &velocities[dofs];
                (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt()
            }
            _ => 0.0,
        };
        most = most.max(speed);
    }
    most
}
