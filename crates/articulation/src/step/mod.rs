//! The step: moves a model on by a time.
//!
//! [`Articulation::step`] reads as this list, for each split of the step:
//!
//! 1. **impacts**: stiff motors and damping stop what moves, and where a limit would be passed, velocities lose what would pass it, at once and
//!    without bounce;
//! 2. **held forces**: stiff motors, damping, dry friction and limits are found implicitly for the whole split, in joint space;
//! 3. **flow**: the equations of motion with these forces, gravity, soft motors and loop closures;
//! 4. **correction**: what loop closures and limits are off is taken back by displacement, without energy.
//!
//! Departure from one implicit step for everything: forces that are held come from a step of first order, the motion under them from one
//! of fifth. An arm that a motor holds against gravity stands still, and an arm that swings keeps its energy.

mod balance;
mod bounded;
mod config;
mod correction;
mod drives;
mod flow;
mod halves;
mod held;
mod loops;
mod memory;
mod rank;
mod rows;

pub use config::{Integrator, StepConfig, StepReport};
pub use halves::BoundedImpulse;
pub use loops::{LoopKind, LoopSpec};

use crate::dynamics::{
    Factor, ForwardDynamics, OperationalInertia, Response, RowResponse, kinetic_energy, potential_energy,
};
use crate::error::{ArticulationError, all_finite, in_range, length};
use crate::kinematics::Kinematics;
use crate::model::{BallSpec, DofSpec, LinkIndex, Model, Motor};
use crate::spatial::SpatialForce;
use crate::state::State;
use balance::Balance;
use drives::Drives;
use flow::{Field, Flow, fastest_turn};
use loops::LoopSet;
use nalgebra::Vector3;
use rows::RowSet;

/// A model in motion: its state, what acts on it, and the memory that a step needs. A step allocates nothing once all limits, frictions
/// and motors have acted.
#[derive(Clone, Debug)]
pub struct Articulation {
    model: Model,
    state: State,
    config: StepConfig,
    joint_forces: Vec<f64>,
    wrenches: Vec<SpatialForce>,
    loops: LoopSet,
    drives: Drives,
    rows: RowSet,
    flow: Flow,
    kinematics: Kinematics,
    factor: Factor,
    forward: ForwardDynamics,
    response: Response,
    row_response: RowResponse,
    operational: OperationalInertia,
    /// Whether `operational` is that of the present halves of a step.
    has_inverses: bool,
    balance: Balance,
    /// The time of a step that has been predicted and not finished, s.
    half: Option<f64>,
    before: State,
    split_start: State,
    predicted: Vec<f64>,
    base: Vec<f64>,
    held: Vec<f64>,
    /// What of `held` comes from damping, friction and limits.
    passive: Vec<f64>,
    forces: Vec<f64>,
    diagonal: Vec<f64>,
}

impl Articulation {
    /// A model at its zero, at rest.
    ///
    /// # Errors
    /// When a setting is out of range.
    pub fn new(model: Model, config: StepConfig) -> Result<Self, ArticulationError> {
        config.validate()?;
        let (n, state) = (model.dof_count(), State::zero(&model));
        let zeros = vec![0.0; n];
        let mut kinematics = Kinematics::new(&model);
        kinematics.update(&model, &state);
        Ok(Self {
            before: state.clone(),
            split_start: state.clone(),
            joint_forces: zeros.clone(),
            wrenches: vec![SpatialForce::default(); model.link_count()],
            loops: LoopSet::new(&model),
            drives: Drives::new(&model),
            rows: RowSet::new(&model),
            flow: Flow::new(&model),
            factor: Factor::new(&model),
            forward: ForwardDynamics::new(&model),
            response: Response::new(&model),
            row_response: RowResponse::new(&model),
            operational: OperationalInertia::new(&model),
            has_inverses: false,
            balance: Balance::new(&model),
            half: None,
            predicted: zeros.clone(),
            base: zeros.clone(),
            held: zeros.clone(),
            passive: zeros.clone(),
            forces: zeros.clone(),
            diagonal: zeros,
            kinematics,
            state,
            config,
            model,
        })
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Where it is and how it moves.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Its links, for the present state.
    pub fn kinematics(&self) -> &Kinematics {
        &self.kinematics
    }

    /// Settings.
    pub fn config(&self) -> &StepConfig {
        &self.config
    }

    /// Replaces the settings.
    ///
    /// # Errors
    /// When one is out of range.
    pub fn set_config(&mut self, config: StepConfig) -> Result<(), ArticulationError> {
        config.validate()?;
        self.config = config;
        Ok(())
    }

    /// Replaces the state.
    ///
    /// # Errors
    /// When it is that of another model, or not finite.
    pub fn set_state(&mut self, state: &State) -> Result<(), ArticulationError> {
        let mut next = self.state.clone();
        next.set_positions(&self.model, state.positions())?;
        next.set_velocities(&self.model, state.velocities())?;
        self.state = next;
        self.half = None;
        self.kinematics.update(&self.model, &self.state);
        Ok(())
    }

    /// Replaces what acts along a degree of freedom.
    ///
    /// # Errors
    /// As [`Model::set_dof`].
    pub fn set_dof(&mut self, dof: usize, spec: DofSpec) -> Result<(), ArticulationError> {
        self.model.set_dof(dof, spec)
    }

    /// Replaces what acts along all degrees of freedom of a link's joint.
    ///
    /// # Errors
    /// As [`Model::set_dofs`].
    pub fn set_dofs(&mut self, link: LinkIndex, specs: &[DofSpec]) -> Result<(), ArticulationError> {
        self.model.set_dofs(link, specs)
    }

    /// Replaces what acts along the coordinates of the ball joint of a link.
    ///
    /// # Errors
    /// As [`Model::set_ball`].
    pub fn set_ball(&mut self, link: LinkIndex, spec: BallSpec) -> Result<(), ArticulationError> {
        self.model.set_ball(link, spec)
    }

    /// Replaces a motor.
    ///
    /// # Errors
    /// As [`Model::set_motor`].
    pub fn set_motor(&mut self, dof: usize, motor: Option<Motor>) -> Result<(), ArticulationError> {
        self.model.set_motor(dof, motor)
    }

    /// Sets gravity, m/s².
    ///
    /// # Errors
    /// As [`Model::set_gravity`].
    pub fn set_gravity(&mut self, gravity: Vector3<f64>) -> Result<(), ArticulationError> {
        self.model.set_gravity(gravity)
    }

    /// Adds a loop closure, and returns its index. Links that are apart are brought together by [`StepConfig::max_correction`] per step.
    ///
    /// # Errors
    /// When a link does not exist, both are the same, or a frame is not valid.
    pub fn add_loop(&mut self, spec: LoopSpec) -> Result<usize, ArticulationError> {
        spec.validate(&self.model)?;
        self.loops.push(spec);
        Ok(self.loops.specs().len() - 1)
    }

    /// What a loop closure gave to its link B at its point, and took from A: of the end of the last step (N m and N, world axes), with
    /// [`Integrator::SemiImplicit`] its mean.
    ///
    /// # Errors
    /// When there is no such closure.
    pub fn loop_force(&self, index: usize) -> Result<SpatialForce, ArticulationError> {
        let last = self.loops.specs().len() as f64 - 1.0;
        in_range("index of a loop closure", "that of one that was added", index as f64, |x| x <= last)?;
        Ok(self.loops.force(index, &self.kinematics))
    }

    /// Adds forces along all degrees of freedom (N m or N) for the next step.
    ///
    /// # Errors
    /// When there are too few or too many, or one is not finite.
    pub fn add_joint_forces(&mut self, forces: &[f64]) -> Result<(), ArticulationError> {
        length("joint forces", forces, self.model.dof_count())?;
        all_finite("joint forces", forces)?;
        self.joint_forces.iter_mut().zip(forces).for_each(|(sum, force)| *sum += force);
        Ok(())
    }

    /// Adds a force (N) through a point of the world (m) on a link for the next step. It keeps its direction and its arm from the
    /// link's origin while the link moves within the step.
    ///
    /// # Errors
    /// When there is no such link, or a number is not finite.
    pub fn add_force(
        &mut self,
        link: LinkIndex,
        point: &Vector3<f64>,
        force: Vector3<f64>,
    ) -> Result<(), ArticulationError> {
        let wrench = self.checked_force_at(link, point, "force", force)?;
        self.wrenches[link.index()] += wrench;
        Ok(())
    }

    /// A force, or an impulse, through a point of the world as one at the link's origin; `name` is what it is called when it is refused.
    fn checked_force_at(
        &self,
        link: LinkIndex,
        point: &Vector3<f64>,
        name: &'static str,
        force: Vector3<f64>,
    ) -> Result<SpatialForce, ArticulationError> {
        self.model.link(link)?;
        all_finite("point", point.as_slice())?;
        all_finite(name, force.as_slice())?;
        Ok(self.kinematics.force_at(link, point, force))
    }

    /// Adds a moment (N m, world axes) on a link for the next step.
    ///
    /// # Errors
    /// As [`Articulation::add_force`].
    pub fn add_moment(&mut self, link: LinkIndex, moment: Vector3<f64>) -> Result<(), ArticulationError> {
        self.model.link(link)?;
        all_finite("moment", moment.as_slice())?;
        self.wrenches[link.index()] += SpatialForce::new(moment, Vector3::zeros());
        Ok(())
    }

    /// Changes all velocities by an impulse (N s) through a point of the world (m) on a link, with loop closures held. O(n). Ends a step
    /// that was begun with [`Articulation::predict`].
    ///
    /// # Errors
    /// As [`Articulation::add_force`], or when a degree of freedom has no inertia here.
    pub fn apply_impulse(
        &mut self,
        link: LinkIndex,
        point: &Vector3<f64>,
        impulse: Vector3<f64>,
    ) -> Result<(), ArticulationError> {
        let wrench = self.checked_force_at(link, point, "impulse", impulse)?;
        self.half = None;
        self.factor.factorize(&self.model, &self.kinematics)?;
        let kinematics = &self.kinematics;
        self.response.to_impulse(&self.model, kinematics, &self.factor, link, &wrench, &mut self.predicted);
        if !self.loops.is_empty() {
            self.loops.prepare(&self.model, kinematics, &self.factor, &mut self.response);
            self.loops.measure_velocity(&self.predicted);
            self.loops.cancel(&mut self.predicted);
        }
        self.state.velocities.iter_mut().zip(&self.predicted).for_each(|(v, change)| *v += change);
        self.kinematics.update(&self.model, &self.state);
        Ok(())
    }

    /// Kinetic and potential energy, J.
    pub fn energy(&self) -> f64 {
        kinetic_energy(&self.model, &self.kinematics, &self.state.velocities)
            + potential_energy(&self.model, &self.kinematics)
    }

    /// What the motors gave along each degree of freedom, N m or N: soft ones at the end of the last step, stiff ones over its last
    /// split.
    pub fn motor_forces(&self) -> &[f64] {
        &self.drives.motor_forces
    }

    /// Moves on by `dt` seconds (above 0). Forces that were added are forgotten afterwards.
    ///
    /// # Errors
    /// When `dt` is not above 0, a degree of freedom has no inertia, or the motion leaves the range of numbers; the state is then that
    /// before.
    pub fn step(&mut self, dt: f64) -> Result<StepReport, ArticulationError> {
        in_range("dt", "finite and above 0", dt, |x| x > 0.0)?;
        self.before.copy_from(&self.state);
        self.half = None;
        let mut report = StepReport::default();
        self.drives.begin(&self.model);
        self.drives.motor_forces.fill(0.0);
        let outcome = self.splits(dt, &mut report);
        self.joint_forces.fill(0.0);
        self.wrenches.fill(SpatialForce::default());
        let outcome = outcome.map_err(|error| self.without_numbers(dt, error)).and_then(|()| self.check(dt));
        if outcome.is_err() {
            self.state.copy_from(&self.before);
            self.kinematics.update(&self.model, &self.state);
        }
        outcome.map(|()| report)
    }

    fn splits(&mut self, dt: f64, report: &mut StepReport) -> Result<(), ArticulationError> {
        let turn = dt * fastest_turn(&self.model, &self.state.velocities);
        let wanted = if self.is_smooth() { 1.0 } else { (turn / self.config.max_turn).ceil().max(1.0) };
        let most = f64::from(self.config.max_splits);
        report.split_limit_hit = wanted > most;
        report.splits = wanted.min(most) as u32;
        let h = dt / f64::from(report.splits);
        for _ in 0..report.splits {
            self.split(h, report)?;
        }
        Ok(())
    }

    /// True when nothing acts but smooth forces, whose error the flow sees by itself.
    fn is_smooth(&self) -> bool {
        let acts = |dof: &DofSpec| dof.friction > 0.0 || dof.limits.is_some();
        self.config.integrator == Integrator::RungeKutta
            && self.loops.is_empty()
            && !self.drives.any
            && !self.model.dofs.iter().any(acts)
            && !self.model.balls.iter().any(|ball| ball.spec.is_limited() || ball.spec.is_driven())
    }

    /// Links are where the state says at the begin of a split, and at its end.
    fn split(&mut self, h: f64, report: &mut StepReport) -> Result<(), ArticulationError> {
        if self.config.integrator == Integrator::SemiImplicit {
            self.drives.linearize(&self.model, &self.state.positions, h, None);
            self.balance.begin(&self.model, &self.kinematics, &self.state.velocities);
            self.find_held_forces(h, report)?;
            self.state.velocities.copy_from_slice(&self.predicted);
            self.kinematics.update_velocities(&self.model, &self.state.velocities);
            self.advance_in_balance(h);
        } else {
            self.choose_treatment(h)?;
            self.stop(h, report)?;
            if self.needs_held_forces() {
                self.find_held_forces(h, report)?;
            } else {
                self.held.copy_from_slice(&self.joint_forces);
                self.passive.fill(0.0);
            }
            self.follow(h, report)?;
        }
        self.correct(report)
    }

    /// The flow. What must not be in its energy is taken out: all that is new, when it ran out of parts; what damping, friction and
    /// limits gave, whose forces are held while velocities change (a share of second order in `h`).
    fn follow(&mut self, h: f64, report: &mut StepReport) -> Result<(), ArticulationError> {
        let budget = self.energy();
        self.split_start.copy_from(&self.state);
        let mut field = Field {
            model: &self.model,
            kinematics: &mut self.kinematics,
            factor: &mut self.factor,
            forward: &mut self.forward,
            response: &mut self.response,
            loops: &mut self.loops,
            drives: &mut self.drives,
            held: &self.held,
            forces: &mut self.forces,
            wrenches: &self.wrenches,
        };
        let (tolerance, most) = (self.config.tolerance, self.config.max_flow_steps);
        let flowed = self.flow.run(&mut field, &mut self.state, h, tolerance, most)?;
        report.flow_steps += flowed.parts;
        self.kinematics.update(&self.model, &self.state);
        if flowed.limit_hit {
            report.flow_limit_hit = true;
            self.take_out_energy(budget);
        }
        let gained = self.work_of_passive_forces(h);
        if gained > 0.0 {
            self.take_out_energy(self.energy() - gained);
        }
        Ok(())
    }

    /// Work of damping, friction and limits over a split, J; not above 0 but for what holding them does.
    fn work_of_passive_forces(&self, h: f64) -> f64 {
        let (from, to) = (&self.split_start, &self.state);
        let mean = |dof: usize| 0.5 * (from.velocities[dof] + to.velocities[dof]);
        self.passive.iter().enumerate().map(|(dof, force)| force * mean(dof) * h).sum()
    }

    /// An inertia that is no number comes from a motion that is none.
    fn without_numbers(&self, dt: f64, error: ArticulationError) -> ArticulationError {
        match error {
            ArticulationError::NoInertia { dof, value, .. } if !value.is_finite() => {
                self.check(dt).err().unwrap_or(ArticulationError::NotFinite { dt, dof, value })
            }
            other => other,
        }
    }

    fn check(&self, dt: f64) -> Result<(), ArticulationError> {
        if let Some((dof, &value)) =
            self.state.velocities.iter().enumerate().find(|(_, value)| !value.is_finite())
        {
            return Err(ArticulationError::NotFinite { dt, dof, value });
        }
        for link in self.model.links() {
            let positions = &self.state.positions[link.positions()];
            if let Some(&value) = positions.iter().find(|value| !value.is_finite()) {
                return Err(ArticulationError::NotFinite { dt, dof: link.dofs().start, value });
            }
        }
        Ok(())
    }
}
