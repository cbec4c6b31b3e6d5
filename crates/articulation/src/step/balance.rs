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
//! a closed form. Potential energy is left to the step, which keeps its balance to second order by itself.

use super::Articulation;
use crate::dynamics::{InverseDynamics, kinetic_energy, potential_energy};
use crate::kinematics::Kinematics;
use crate::model::{JointKind, Model};
use crate::spatial::{ArticulatedInertia, SpatialForce, SpatialMotion};
use nalgebra::{Matrix6, Vector3, Vector6};

/// Most by which a step may have to raise velocities: beyond it is too long to know by how much.
const MOST_GAIN: f64 = 1.5;

/// Working memory.
#[derive(Clone, Debug)]
pub(super) struct Balance {
    inverse: InverseDynamics,
    composite: Vec<ArticulatedInertia>,
    momenta: Vec<SpatialForce>,
    /// `r`: velocities of the frozen trees; zero for what stands on the world.
    rigid: Vec<f64>,
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
    pub(super) fn new(model: &Model) -> Self {
        let zeros = vec![0.0; model.dof_count()];
        let forces = vec![SpatialForce::default(); model.link_count()];
        Self {
            inverse: InverseDynamics::new(model),
            composite: vec![ArticulatedInertia::default(); model.link_count()],
            momenta: forces.clone(),
            rigid: zeros.clone(),
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

    /// Finds `rigid` from the momenta at the roots' origins.
    fn find_rigid(&mut self, model: &Model, kinematics: &Kinematics) {
        self.rigid.fill(0.0);
        for (composite, pose) in self.composite.iter_mut().zip(&kinematics.links) {
            *composite = pose.inertia.articulated();
        }
        for (index, link) in model.links.iter().enumerate().rev() {
            let composite = self.composite[index];
            if let Some(parent) = link.parent {
                self.composite[parent.index()].add(&composite.moved_back(&kinematics.links[index].arm));
            } else if link.kind == JointKind::Free {
                let Some(motion) = rigid_motion(&composite, &self.momenta[index]) else { continue };
                for dof in link.dofs() {
                    let axis = &kinematics.axes[dof];
                    self.rigid[dof] = axis.angular.dot(&motion.angular) + axis.linear.dot(&motion.linear);
                }
            }
        }
    }
}

/// The motion of a rigid body with this momentum; none where it has no inertia.
fn rigid_motion(inertia: &ArticulatedInertia, momentum: &SpatialForce) -> Option<SpatialMotion> {
    let mut matrix = Matrix6::zeros();
    matrix.fixed_view_mut::<3, 3>(0, 0).copy_from(&inertia.angular);
    matrix.fixed_view_mut::<3, 3>(0, 3).copy_from(&inertia.coupling);
    matrix.fixed_view_mut::<3, 3>(3, 0).copy_from(&inertia.coupling.transpose());
    matrix.fixed_view_mut::<3, 3>(3, 3).copy_from(&inertia.linear);
    let right = Vector6::from_iterator(momentum.moment.iter().chain(momentum.force.iter()).copied());
    let motion = matrix.cholesky()?.solve(&right);
    Some(SpatialMotion::new(motion.fixed_rows::<3>(0).into_owned(), motion.fixed_rows::<3>(3).into_owned()))
}

impl Articulation {
    /// Moves positions on by the present velocities for `h` and restores the balance; [`Balance::begin`] came before the velocities were
    /// changed.
    pub(super) fn advance_in_balance(&mut self, h: f64) {
        let floats = self.model.floats();
        self.kinematics.update(&self.model, &self.state);
        let velocities = &self.state.velocities;
        let before = kinetic_energy(&self.model, &self.kinematics, velocities);
        let starts = self.balance.start.iter().zip(velocities);
        let work: f64 = self.balance.inertial.iter().zip(starts).map(|(c, (a, b))| c * 0.5 * (a + b)).sum();
        if floats {
            self.balance.gather_momenta(&self.model, &self.kinematics);
            for index in 0..self.model.link_count() {
                let about_world =
                    self.balance.momenta[index].moved_back(&self.kinematics.links[index].origin);
                self.balance.targets[index] = about_world + self.balance.rates[index] * h;
            }
        }
        self.state.drift(&self.model, h);
        self.kinematics.update(&self.model, &self.state);
        if floats {
            self.restore_momentum();
        }
        self.set_kinetic_energy(before + h * work, MOST_GAIN);
    }

    /// Gives each tree with a free base the momentum that it is to have, by a motion of the whole.
    fn restore_momentum(&mut self) {
        self.balance.gather_momenta(&self.model, &self.kinematics);
        for (index, pose) in self.kinematics.links.iter().enumerate() {
            let wanted = self.balance.targets[index].moved_back(&-pose.origin);
            self.balance.momenta[index] = wanted - self.balance.momenta[index];
        }
        self.balance.find_rigid(&self.model, &self.kinematics);
        self.state.velocities.iter_mut().zip(&self.balance.rigid).for_each(|(v, missing)| *v += missing);
        self.kinematics.update(&self.model, &self.state);
    }

    /// Scales the motion within trees (and of those that stand on the world) so that the kinetic energy is `target` (J), by at most `most`.
    fn set_kinetic_energy(&mut self, target: f64, most: f64) {
        if self.model.floats() {
            self.balance.gather_momenta(&self.model, &self.kinematics);
            self.balance.find_rigid(&self.model, &self.kinematics);
        } else {
            self.balance.rigid.fill(0.0);
        }
        let all = kinetic_energy(&self.model, &self.kinematics, &self.state.velocities);
        let own = std::mem::take(&mut self.state.velocities);
        self.state.velocities = std::mem::take(&mut self.balance.rigid);
        self.kinematics.update(&self.model, &self.state);
        let rigid = kinetic_energy(&self.model, &self.kinematics, &self.state.velocities);
        self.balance.rigid = std::mem::replace(&mut self.state.velocities, own);
        let within = all - rigid;
        // Where all moves as one there is nothing to scale but rounding.
        if within > all * 1e-12 {
            let scale = ((target - rigid).max(0.0) / within).sqrt().min(most);
            for (v, rigid) in self.state.velocities.iter_mut().zip(&self.balance.rigid) {
                *v = rigid + scale * (*v - rigid);
            }
        }
        self.kinematics.update(&self.model, &self.state);
    }

    /// Slows the motion within trees so that there is no more energy than `budget` (J), as far as it has any. Momentum stays.
    pub(super) fn take_out_energy(&mut self, budget: f64) {
        let kinetic = kinetic_energy(&self.model, &self.kinematics, &self.state.velocities);
        let left = budget - potential_energy(&self.model, &self.kinematics);
        if kinetic > left {
            self.set_kinetic_energy(left, 1.0);
        }
    }
}
