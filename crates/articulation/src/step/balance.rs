//! Keeps the balance of kinetic energy and momentum that a semi-implicit step loses, and takes energy out without momentum.
//!
//! A step `v₁ = v₀ + h H(q₀)⁻¹ (forces - C v₀)`, `q₁ = q₀ ⊕ h v₁` takes the forces of inertia `C v₀` where it starts: they then do work, and arms
//! that spin gain energy until they tear. They do none in truth, so
//! ```text
//! K(q₁, v) = K(q₀, v₁) + h C v₀ · (v₀ + v₁)/2              what all other forces gave, as impulses at q₀
//! P(q₁, v) = P(q₀, v₁) + h Ṗ(q₀, v₀)                       for a tree whose base is free, about the world's origin
//! v = r + s (v₁ - r)                                       r: the motion of the frozen tree with the momentum
//! ```
//! `C v₀` and `Ṗ` are inverse dynamics without gravity and acceleration. `r` and `v₁ - r` are orthogonal in the norm of kinetic energy, so `s` has
//! a closed form. Potential energy is left to the step, which keeps its balance to second order by itself. Where `r` alone has more than the energy that there is to be, links turned
//! so far that they came to where their momentum needs more: spin is lost then, and the momentum along ways stays.

use super::Articulation;
use crate::dynamics::{InverseDynamics, kinetic_energy, potential_energy};
use crate::kinematics::Kinematics;
use crate::model::{JointKind, Link, Model};
use crate::spatial::{ArticulatedInertia, SpatialForce, SpatialMotion};
use drystone_math::Carried;
use nalgebra::{Matrix6, Vector3, Vector6};

/// Most by which a step may have to raise velocities: beyond it is too long to know by how much.
const MOST_GAIN: f64 = 1.5;
/// Share of the kinetic energy that there is to be by which trees with a free base may have more, so that they keep their spin.
const MOST_SPIN_GAIN: f64 = 1e-3;

/// Working memory.
#[derive(Clone, Debug)]
pub(super) struct Balance {
    inverse: InverseDynamics,
    composite: Vec<ArticulatedInertia>,
    momenta: Vec<SpatialForce>,
    /// `r`: velocities of the frozen trees; zero for what stands on the world.
    rigid: Vec<f64>,
    /// The same with the momenta that there are.
    rigid_before: Vec<f64>,
    /// Velocities at the start.
    start: Vec<f64>,
    /// `C v₀`.
    inertial: Vec<f64>,
    /// `Ṗ` of each root, about the world's origin, at the start.
    rates: Vec<SpatialForce>,
    /// Momentum that each root is to have, about the world's origin.
    targets: Vec<SpatialForce>,
}

impl Balance {
    /// Memory that it holds, bytes.
    pub(super) fn heap_bytes(&self) -> usize {
        self.inverse.heap_bytes()
            + self.composite.heap_bytes()
            + self.momenta.heap_bytes()
            + self.rigid.heap_bytes()
            + self.rigid_before.heap_bytes()
            + self.start.heap_bytes()
            + self.inertial.heap_bytes()
            + self.rates.heap_bytes()
            + self.targets.heap_bytes()
    }

    pub(super) fn new(model: &Model) -> Self {
        let zeros = vec![0.0; model.dof_count()];
        let forces = vec![SpatialForce::default(); model.link_count()];
        Self {
            inverse: InverseDynamics::new(model),
            composite: vec![ArticulatedInertia::default(); model.link_count()],
            momenta: forces.clone(),
            rigid: zeros.clone(),
            rigid_before: zeros.clone(),
            start: zeros.clone(),
            inertial: zeros,
            rates: forces.clone(),
            targets: forces,
        }
    }

    /// Notes the forces of inertia of a state.
    pub(super) fn begin(&mut self, model: &Model, kinematics: &Kinematics, velocities: &[f64]) {
        self.start.copy_from_slice(velocities);
        self.rigid.fill(0.0);
        let Self { inverse, rigid, inertial, .. } = self;
        inverse.forces_in_field(model, kinematics, &Vector3::zeros(), rigid, &[], inertial);
        for (index, link) in model.links.iter().enumerate().filter(|(_, link)| link.parent.is_none()) {
            debug_assert!(link.parent.is_none(), "a root");
            self.rates[index] = inverse.joint_wrenches()[index].moved_back(&kinematics.links[index].origin);
        }
    }

    /// Momentum of the tree of each root, at its origin.
    fn gather_momenta(&mut self, model: &Model, kinematics: &Kinematics) {
        for (momentum, pose) in self.momenta.iter_mut().zip(&kinematics.links) {
            *momentum = pose.inertia.apply(&pose.velocity);
        }
        for (index, link) in model.links.iter().enumerate().rev() {
            if let Some(parent) = link.parent {
                let moved = self.momenta[index].moved_back(&kinematics.links[index].arm);
                self.momenta[parent.index()] += moved;
            }
        }
    }

    /// The inertia of the frozen tree of each root, at its origin.
    fn gather_inertias(&mut self, model: &Model, kinematics: &Kinematics) {
        for (composite, pose) in self.composite.iter_mut().zip(&kinematics.links) {
            *composite = pose.inertia.articulated();
        }
        for (index, link) in model.links.iter().enumerate().rev() {
            if let Some(parent) = link.parent {
                let moved = self.composite[index].moved_back(&kinematics.links[index].arm);
                self.composite[parent.index()].add(&moved);
            }
        }
    }
}

/// Velocities of the joint of a free root at which its link moves so.
fn write_motion(link: &Link, axes: &[SpatialMotion], motion: &SpatialMotion, out: &mut [f64]) {
    for dof in link.dofs() {
        out[dof] = axes[dof].angular.dot(&motion.angular) + axes[dof].linear.dot(&motion.linear);
    }
}

/// The motions of a rigid body with these momenta; none where it has no inertia.
fn rigid_motions(inertia: &ArticulatedInertia, momenta: [&SpatialForce; 2]) -> Option<[SpatialMotion; 2]> {
    let mut matrix = Matrix6::zeros();
    matrix.fixed_view_mut::<3, 3>(0, 0).copy_from(&inertia.angular);
    matrix.fixed_view_mut::<3, 3>(0, 3).copy_from(&inertia.coupling);
    matrix.fixed_view_mut::<3, 3>(3, 0).copy_from(&inertia.coupling.transpose());
    matrix.fixed_view_mut::<3, 3>(3, 3).copy_from(&inertia.linear);
    let factor = matrix.cholesky()?;
    Some(momenta.map(|momentum| {
        let right = Vector6::from_iterator(momentum.moment.iter().chain(momentum.force.iter()).copied());
        let motion = factor.solve(&right);
        SpatialMotion::new(motion.fixed_rows::<3>(0).into_owned(), motion.fixed_rows::<3>(3).into_owned())
    }))
}

impl Articulation {
    /// Moves positions on by the present velocities for `h` and restores the balance; [`Balance::begin`] came before the velocities were
    /// changed, and links move by them already.
    pub(super) fn advance_in_balance(&mut self, h: f64) {
        let floats = self.model.floats();
        let velocities = &self.state.velocities;
        let before = kinetic_energy(&self.model, &self.kinematics, velocities);
        let starts = self.balance.start.iter().zip(velocities);
        let work: f64 = self.balance.inertial.iter().zip(starts).map(|(c, (a, b))| c * 0.5 * (a + b)).sum();
        self.note_momenta();
        if floats {
            let Balance { targets, rates, .. } = &mut self.balance;
            targets.iter_mut().zip(rates).for_each(|(target, rate)| *target += *rate * h);
        }
        self.state.drift(&self.model, h);
        self.kinematics.update(&self.model, &self.state);
        let target = before + h * work;
        self.set_motion(target, MOST_GAIN, floats);
        if floats {
            self.slow_spin(target);
        }
    }

    /// Slows the turning of trees with a free base that alone has more kinetic energy than there is to be (J), by more than a share: links that turn far in a step come to where their
    /// momentum needs more than they have, and would gain without end.
    fn slow_spin(&mut self, target: f64) {
        let Self { model, kinematics, state, balance, .. } = self;
        let all = kinetic_energy(model, kinematics, &state.velocities);
        if all <= (1.0 + MOST_SPIN_GAIN) * target || !all.is_finite() {
            return;
        }
        // The links move as one with it: nothing is left within.
        let mut translation = 0.0;
        let roots = || model.links.iter().enumerate().filter(|(_, link)| link.kind == JointKind::Free);
        let speed = |balance: &Balance, index: usize| {
            let momentum = balance.targets[index].force;
            (momentum / balance.composite[index].linear.m11, momentum)
        };
        for (index, _) in roots() {
            let (velocity, momentum) = speed(balance, index);
            translation += 0.5 * velocity.dot(&momentum);
        }
        let share = ((target - translation).max(0.0) / (all - translation)).sqrt().min(1.0);
        for (index, link) in roots() {
            let (velocity, _) = speed(balance, index);
            for dof in link.dofs() {
                let along = kinematics.axes[dof].linear.dot(&velocity);
                state.velocities[dof] = along + share * (state.velocities[dof] - along);
            }
        }
        kinematics.update_velocities(model, &state.velocities);
    }

    /// Scales the motion within trees (and of those that stand on the world) so that the kinetic energy is `target` (J), by at most `most`;
    /// with `has_targets` trees with a free base get the momenta of [`Balance::targets`], without they keep theirs.
    fn set_motion(&mut self, target: f64, most: f64, has_targets: bool) {
        let Self { model, kinematics, state, balance, .. } = self;
        let all = kinetic_energy(model, kinematics, &state.velocities);
        let (mut rigid_before, mut rigid_after) = (0.0, 0.0);
        balance.rigid.fill(0.0);
        balance.rigid_before.fill(0.0);
        if model.floats() {
            balance.gather_momenta(model, kinematics);
            balance.gather_inertias(model, kinematics);
            for (index, link) in
                model.links.iter().enumerate().filter(|(_, link)| link.kind == JointKind::Free)
            {
                let (inertia, momentum) = (&balance.composite[index], balance.momenta[index]);
                let wanted = if has_targets {
                    balance.targets[index].moved_back(&-kinematics.links[index].origin)
                } else {
                    momentum
                };
                let Some([motion, next]) = rigid_motions(inertia, [&momentum, &wanted]) else { continue };
                write_motion(link, &kinematics.axes, &motion, &mut balance.rigid_before);
                write_motion(link, &kinematics.axes, &next, &mut balance.rigid);
                rigid_before += 0.5 * motion.dot(&momentum);
                rigid_after += 0.5 * next.dot(&wanted);
            }
        }
        let within = all - rigid_before;
        // Where all moves as one there is nothing to scale but rounding.
        let scale = if within > all * 1e-12 {
            ((target - rigid_after).max(0.0) / within).sqrt().min(most)
        } else {
            1.0
        };
        let rigid = balance.rigid_before.iter().zip(&balance.rigid);
        for (v, (before, after)) in state.velocities.iter_mut().zip(rigid) {
            *v = after + scale * (*v - before);
        }
        kinematics.update_velocities(model, &state.velocities);
    }

    /// Notes the momenta of trees with a free base.
    pub(super) fn note_momenta(&mut self) {
        if self.model.floats() {
            self.balance.gather_momenta(&self.model, &self.kinematics);
            for (index, pose) in self.kinematics.links.iter().enumerate() {
                self.balance.targets[index] = self.balance.momenta[index].moved_back(&pose.origin);
            }
        }
    }

    /// After links were moved: gives trees with a free base the momenta that were noted, and slows the motion within trees so that there is no more kinetic and potential energy than
    /// `budget` (J), as far as it has any.
    pub(super) fn keep_momenta(&mut self, budget: f64) {
        self.set_motion(budget - potential_energy(&self.model, &self.kinematics), 1.0, self.model.floats());
    }

    /// Slows the motion within trees so that there is no more energy than `budget` (J), as far as it has any. Momentum stays.
    pub(super) fn take_out_energy(&mut self, budget: f64) {
        let kinetic = kinetic_energy(&self.model, &self.kinematics, &self.state.velocities);
        let left = budget - potential_energy(&self.model, &self.kinematics);
        if kinetic > left {
            self.set_motion(left, 1.0, false);
        }
    }
}
