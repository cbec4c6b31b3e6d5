//! What motors, damping and dry friction give along joints.
//!
//! ```text
//! motor     f = clamp(s - k e - d v, ±max)        s = feed-forward + d v_target,   e = q - q_target
//! implicit  at the end of a step h, q = q₀ + h v:  f = (s - k e₀) - (d + h k) v,   H gains h (d + h k) on its diagonal
//! ```
//! Two treatments, by degree of freedom. Where the drive is **soft**, `h (d + h k)` at most [`SOFT`] of the inertia that the joint feels,
//! it is a force like any other and the Runge-Kutta step follows it with its own order. Where it is **stiff**, its force is found
//! implicitly and held over the step: first order, and stable for any stiffness. The share of it that stops what moves at the start of
//! the split, `-(d + h k) v`, acts there as an impulse (`held`): held over the split, it would let a stopped arm coast half a split further,
//! uphill too, and strain a stiff spring by a multiple of the energy that the arm had.

use crate::dynamics::Factor;
use crate::model::{JointDirection, Model, ball_error};
use crate::state::{State, errors_of_position};
use drystone_math::Carried;

/// Share of the felt inertia up to which a drive is soft: far inside what an explicit step of fifth order bears.
const SOFT: f64 = 0.1;

/// A drive of one degree of freedom, for a step.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Drive {
    /// True when the Runge-Kutta step evaluates it.
    pub(crate) is_soft: bool,
    /// True when the motor's largest force counts, and it is a row of its own.
    pub(crate) is_row: bool,
    /// Motor: force at the start but for the velocity, `s - k e₀`.
    pub(crate) pull: f64,
    /// Motor: `d + h k`.
    pub(crate) slope: f64,
    /// Damping of the joint.
    pub(crate) damping: f64,
    /// Largest force of the motor.
    pub(crate) max_force: f64,
    /// Motor: what of `slope` stops at the start of a split, and the force that the velocity it aims at adds.
    pub(crate) brake: f64,
    pub(crate) kick: f64,
    /// What damping and the motor gave at the start of the split already, as a force over all of it.
    pub(crate) given: [f64; 2],
}

/// A motor along a coordinate of a ball joint, for a split.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BallDrive {
    /// The first degree of freedom of its joint and the number of the coordinate.
    pub(crate) dof: usize,
    pub(crate) at: JointDirection,
    /// As those of [`Drive`].
    pub(crate) pull: f64,
    pub(crate) slope: f64,
    pub(crate) max_force: f64,
}

impl BallDrive {
    /// What it gives where it has neither spring nor damper, N m; else its row finds that.
    pub(crate) fn force(&self) -> f64 {
        if self.slope > 0.0 { 0.0 } else { self.pull.clamp(-self.max_force, self.max_force) }
    }

    /// The first degree of freedom of its joint.
    pub(crate) fn first_dof(&self) -> usize {
        match self.at {
            JointDirection::Dof(first) | JointDirection::Ball(first, _) => first,
        }
    }
}

/// All drives, and their targets.
#[derive(Clone, Debug)]
pub(crate) struct Drives {
    pub(crate) each: Vec<Drive>,
    /// Motors along coordinates of ball joints.
    pub(crate) balls: Vec<BallDrive>,
    targets: Vec<f64>,
    errors: Vec<f64>,
    has_springs: bool,
    /// True when a degree of freedom has a motor or damping.
    pub(crate) any: bool,
    /// Force of the motor of each degree of freedom, N m or N.
    pub(crate) motor_forces: Vec<f64>,
}

impl Drives {
    /// Memory that it holds, bytes.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.each.heap_bytes()
            + self.balls.heap_bytes()
            + self.targets.heap_bytes()
            + self.errors.heap_bytes()
            + self.motor_forces.heap_bytes()
    }

    pub(crate) fn new(model: &Model) -> Self {
        let n = model.dof_count();
        let (zeros, each) = (vec![0.0; n], vec![Drive::default(); n]);
        Self {
            each,
            balls: Vec::with_capacity(3 * model.balls.len()),
            targets: zeros.clone(),
            errors: zeros.clone(),
            has_springs: false,
            any: false,
            motor_forces: zeros,
        }
    }

    /// Reads the settings of a model.
    pub(crate) fn begin(&mut self, model: &Model) {
        (self.has_springs, self.any) = (false, false);
        for (spec, target) in model.dofs.iter().zip(&mut self.targets) {
            let motor = spec.motor.unwrap_or_default();
            *target = motor.target_position;
            self.has_springs |= motor.stiffness > 0.0;
            self.any |= spec.motor.is_some() || spec.damping > 0.0;
        }
    }

    /// Linearises all drives at a place for a step `h`, and tells soft from stiff by what each joint feels in `factor`; without one all
    /// are stiff.
    pub(crate) fn linearize(&mut self, model: &Model, positions: &[f64], h: f64, factor: Option<&Factor>) {
        if self.has_springs {
            errors_of_position(model, positions, &self.targets, &mut self.errors);
        }
        for (dof, (spec, drive)) in model.dofs.iter().zip(&mut self.each).enumerate() {
            let motor = spec.motor.unwrap_or_default();
            let slope = motor.damping + h * motor.stiffness;
            let pull = motor.feed_forward + motor.damping * motor.target_velocity
                - motor.stiffness * self.errors[dof];
            // Without a spring or damper the force is what it is.
            let pull = if slope > 0.0 { pull } else { pull.clamp(-motor.max_force, motor.max_force) };
            let load = h * (slope + spec.damping);
            *drive = Drive {
                is_soft: factor.is_some_and(|factor| load <= SOFT * factor.felt_inertia(dof)),
                is_row: false,
                pull,
                slope,
                damping: spec.damping,
                max_force: motor.max_force,
                // A motor with a largest force gives it over the whole split.
                brake: if motor.max_force < f64::INFINITY { 0.0 } else { slope },
                kick: if motor.max_force < f64::INFINITY {
                    0.0
                } else {
                    motor.damping * motor.target_velocity
                },
                given: [0.0; 2],
            };
        }
    }

    /// Linearises the motors of ball joints for a split of `h` seconds.
    pub(crate) fn find_ball_drives(&mut self, model: &Model, state: &State, h: f64) {
        self.balls.clear();
        for ball in model.balls.iter().filter(|ball| ball.spec.is_driven()) {
            let place = ball.place(model, &state.positions, &state.velocities);
            for (k, axis) in ball.spec.axes.iter().enumerate() {
                let Some(motor) = axis.motor else { continue };
                let error = ball_error(k, place.values[k], motor.target_position);
                self.balls.push(BallDrive {
                    dof: ball.first_dof(model) + k,
                    at: place.directions[k],
                    pull: motor.feed_forward + motor.damping * motor.target_velocity
                        - motor.stiffness * error,
                    slope: motor.damping + h * motor.stiffness,
                    max_force: motor.max_force,
                });
            }
        }
    }

    /// True when there is something that stops at the start of a split.
    pub(crate) fn any_brake(&self) -> bool {
        self.any && self.each.iter().any(|drive| !drive.is_soft && drive.brake + drive.damping > 0.0)
    }

    /// True when there is a drive that must be taken implicitly.
    pub(crate) fn any_stiff(&self) -> bool {
        self.any && self.each.iter().any(|drive| !drive.is_soft)
    }

    /// Adds the forces of soft drives at a place and velocity.
    pub(crate) fn add_soft(
        &mut self,
        model: &Model,
        positions: &[f64],
        velocities: &[f64],
        forces: &mut [f64],
    ) {
        if !self.any {
            return;
        }
        if self.has_springs {
            errors_of_position(model, positions, &self.targets, &mut self.errors);
        }
        for (dof, (spec, drive)) in model.dofs.iter().zip(&self.each).enumerate() {
            if !drive.is_soft {
                continue;
            }
            if let Some(motor) = &spec.motor {
                let pull = motor.feed_forward - motor.stiffness * self.errors[dof];
                let force = pull + motor.damping * (motor.target_velocity - velocities[dof]);
                let force = force.clamp(-motor.max_force, motor.max_force);
                self.motor_forces[dof] = force;
                forces[dof] += force;
            }
            forces[dof] -= spec.damping * velocities[dof];
        }
    }
}

impl Drive {
    /// Force of the motor at the end of the step, taken implicitly without its largest force.
    pub(crate) fn motor_force(&self, velocity: f64) -> f64 {
        self.pull - self.slope * velocity
    }
}
