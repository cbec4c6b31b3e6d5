//! The one interface of all methods.

use crate::articulated::Articulations;
use crate::ties::{Damped, Left};
use drystone_contact::{Batches, Bodies, BodyIndex, ContactGraph, StepParams};
use drystone_exec::Exec;
use drystone_math::{AnyCarried, Real};

/// What a method did in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SolverReport {
    /// Single-contact resolutions.
    pub iterations: u64,
    /// Of these, in shock propagation.
    pub shock_iterations: u64,
    /// Stages of shock propagation that had something to resolve.
    pub shock_stages: u32,
    /// Times an iteration limit ended a phase with contacts still closing.
    pub limit_hits: u32,
    /// Contact points looked at.
    pub points: u32,
    /// Contact points whose closing speed was above the threshold before the method began.
    pub closing_points: u32,
    /// Points still closing faster than the threshold at the end.
    pub unsolved_points: u32,
    /// Largest closing speed left, m/s; 0 when none is left.
    pub worst_residual: Real,
    /// The bodies of that contact.
    pub worst_bodies: Option<[BodyIndex; 2]>,
    /// Kinetic energy of the bodies in contact before and after the impulses, J.
    pub energy_before: f64,
    /// See `energy_before`.
    pub energy_after: f64,
    /// Impulses scaled back because they would have added energy.
    pub energy_scaled: u32,
    /// Contacts resolved jointly because one of them would have added energy alone.
    pub energy_joint: u32,
    /// Sleepers woken by a closing contact (S1-39).
    pub woken: u32,
    /// Manifolds that ask for what the method does not have (a surface velocity, rolling friction): it was left out.
    pub surfaces_left_out: u32,
    /// Articulations that moved.
    pub articulations: u32,
    /// Joints that the method solved, and of its largest error left at one, m.
    pub ties: u32,
    /// Those of them that were solved as one system with the joints that they hang together with, and those that took few sub-steps as their bodies turn slowly.
    pub direct_ties: u32,
    /// See `direct_ties`.
    pub coarse_ties: u32,
    /// See `ties`.
    pub worst_stretch: Real,
    /// Joints that are apart by more than a hundredth of the lengths of their arms.
    pub unsolved_joints: u32,
    /// Joints that are turned by more than 0.01 rad where that is locked.
    pub turned_joints: u32,
    /// Bodies on joints that were slowed down because they gained energy from nothing, how much was taken, J, and one of the bodies that lost most: they move faster than
    /// the sub-steps can follow. Links of an articulation count where its contacts with itself would have given more than a hundredth of its kinetic energy, and than
    /// the threshold of the residual as a speed.
    pub joint_energy_limited: u32,
    /// See `joint_energy_limited`.
    pub joint_energy_taken: f64,
    /// See `joint_energy_limited`.
    pub joint_energy_body: Option<BodyIndex>,
    /// Islands that were solved again by a stronger method ([`crate::Escalation`]).
    pub escalated_islands: u32,
    /// Fastest closing speed in these before that, m/s, and after it.
    pub escalated_before: Real,
    /// See `escalated_before`.
    pub escalated_after: Real,
}

impl SolverReport {
    /// Takes in the report of another part of the same step.
    pub fn merge(&mut self, other: &SolverReport) {
        self.iterations += other.iterations;
        self.shock_iterations += other.shock_iterations;
        self.shock_stages += other.shock_stages;
        self.limit_hits += other.limit_hits;
        self.points += other.points;
        self.closing_points += other.closing_points;
        self.unsolved_points += other.unsolved_points;
        if other.worst_residual > self.worst_residual {
            self.worst_residual = other.worst_residual;
            self.worst_bodies = other.worst_bodies;
        }
        self.energy_before += other.energy_before;
        self.energy_after += other.energy_after;
        self.energy_scaled += other.energy_scaled;
        self.energy_joint += other.energy_joint;
        self.woken += other.woken;
        self.surfaces_left_out += other.surfaces_left_out;
        self.articulations += other.articulations;
        self.ties += other.ties;
        self.worst_stretch = self.worst_stretch.max(other.worst_stretch);
        self.unsolved_joints += other.unsolved_joints;
        self.turned_joints += other.turned_joints;
        self.joint_energy_limited += other.joint_energy_limited;
        if other.joint_energy_taken > self.joint_energy_taken {
            self.joint_energy_body = other.joint_energy_body;
        }
        self.joint_energy_taken += other.joint_energy_taken;
        self.escalated_islands += other.escalated_islands;
        self.escalated_before = self.escalated_before.max(other.escalated_before);
        self.escalated_after = self.escalated_after.max(other.escalated_after);
    }

    /// True when no contact closes faster than the threshold, no joint is apart by more than a hundredth of its arms or turned by more than a hundredth of a radian where that is locked, and nothing on joints gained energy from
    /// nothing.
    pub fn is_solved(&self) -> bool {
        let joints = [self.unsolved_joints, self.turned_joints, self.joint_energy_limited];
        self.unsolved_points == 0 && joints == [0; 3]
    }

    /// Takes in what joints are left with.
    pub(crate) fn take_ties(&mut self, left: &Left) {
        (self.ties, self.worst_stretch) = (left.ties, left.worst);
        (self.unsolved_joints, self.turned_joints) = (left.unsolved, left.turned);
    }

    /// Takes in what was taken from joints.
    pub(crate) fn take_damped(&mut self, damped: &Damped) {
        (self.joint_energy_limited, self.joint_energy_taken) = (damped.bodies, damped.energy);
        self.joint_energy_body = damped.worst.map(|(body, _)| body);
    }
}

/// Solves contacts and joints of a step: velocities, impulses, and poses where it integrates them.
pub trait Solver: Send + Sync {
    /// Whether [`Solver::begin`] moves bodies, so that they are looked after there. Default: true, which is always safe.
    fn integrates_before_detection(&self) -> bool {
        true
    }
    /// Whether [`Solver::solve`] puts bodies to sleep by itself (S2-18), so that they are looked for after it, among all that are awake. Default: true, which
    /// is always safe.
    fn decides_sleep(&self) -> bool {
        true
    }
    /// Whether it solves joints ([`drystone_contact::ContactGraph::add_tie`]). Default: false; it leaves them out, then.
    fn supports_joints(&self) -> bool {
        false
    }

    /// Whether it solves articulations ([`Solver::solve_articulated`]). Default: false.
    fn supports_articulations(&self) -> bool {
        false
    }

    /// Before detection: pipelines that move bodies first do it here. `graph` has the joints of this step, and the contacts of the step before. Default: nothing.
    fn begin(&mut self, _bodies: &mut Bodies, _graph: &ContactGraph, _step: &StepParams, _exec: &Exec) {}

    /// After detection, before correction: methods that take errors of joints back by displacement do it here, so that correction has the last word on
    /// overlap. `batches` are those of this graph. Default: nothing.
    fn correct_joints(
        &mut self,
        _bodies: &mut Bodies,
        _graph: &mut ContactGraph,
        _batches: &Batches,
        _step: &StepParams,
        _exec: &Exec,
    ) {
    }

    /// After detection, correction and waking: velocities, impulses, and positions if this method integrates
    /// them itself. `batches` are those of this graph, built in this step.
    fn solve(
        &mut self,
        bodies: &mut Bodies,
        graph: &mut ContactGraph,
        batches: &Batches,
        step: &StepParams,
        exec: &Exec,
    ) -> SolverReport;

    /// The same with articulations, whose joint constraints it leaves out of what it solves. Default: [`Solver::solve`], for methods that
    /// [take none](Solver::supports_articulations).
    fn solve_articulated(
        &mut self,
        articulations: &mut Articulations,
        bodies: &mut Bodies,
        graph: &mut ContactGraph,
        batches: &Batches,
        step: &StepParams,
        exec: &Exec,
    ) -> SolverReport {
        debug_assert!(
            articulations.count() == 0,
            "worlds refuse articulations that the method does not take"
        );
        self.solve(bodies, graph, batches, step, exec)
    }

    /// Which method it is: states of one are no states of another. Default: the name of its type.
    fn method(&self) -> &'static str {
        std::any::type_name::<Self>()
    }

    /// Keeps in `state` what later steps depend on beyond bodies, graph and batches: counters, averages, guesses. Default: nothing, for
    /// methods that carry nothing from step to step. Settings are not state.
    fn save_state(&self, state: &mut AnyCarried) {
        state.clear();
    }

    /// Goes on from what [`Solver::save_state`] kept; false, and nothing changed, when that is of another method.
    fn restore_state(&mut self, state: &AnyCarried) -> bool {
        state.is_nothing()
    }
}
