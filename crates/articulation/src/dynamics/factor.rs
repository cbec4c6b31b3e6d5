//! The mass matrix, factored: articulated-body inertias.
//!
//! Featherstone (2008), section 7.3. From the leaves to the roots, for each degree of freedom of a joint, the last first:
//! ```text
//! U = Iᴬ S     D = Sᵀ U + a     Iᴬ ← Iᴬ - U Uᵀ / D          and then  Iᴬ_parent += Iᴬ
//! ```
//! `a` is what is added to the diagonal of the mass matrix: the armature, and for implicit steps `h D + h² K` besides.
//! Departure: a joint with several degrees of freedom is eliminated one direction after the other, where the book inverts a small
//! matrix. It is the same elimination, as for a chain of joints with massless links between them at one place.

use crate::error::ArticulationError;
use crate::kinematics::Kinematics;
use crate::model::Model;
use crate::spatial::{ArticulatedInertia, SpatialForce};
use drystone_math::Carried;

/// The least inertia (kg m² or kg) that a degree of freedom may feel: far below any link, far above rounding of links of 1 kg.
pub const LEAST_INERTIA: f64 = 1e-12;

/// One degree of freedom, eliminated.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct DofFactor {
    /// `U`.
    pub(crate) u: SpatialForce,
    /// `1 / D`.
    pub(crate) inverse: f64,
}

/// The factored mass matrix of a model at a place, with what was added to its diagonal.
#[derive(Clone, Debug, PartialEq)]
pub struct Factor {
    pub(crate) dofs: Vec<DofFactor>,
    /// `Iᴬ` of each link before its own joint is eliminated.
    pub(crate) inertias: Vec<ArticulatedInertia>,
}

impl Factor {
    /// Memory that it holds, bytes.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.dofs.heap_bytes() + self.inertias.heap_bytes()
    }

    /// Room for a model; [`Factor::factorize`] fills it.
    pub fn new(model: &Model) -> Self {
        Self {
            dofs: vec![DofFactor::default(); model.dof_count()],
            inertias: vec![ArticulatedInertia::default(); model.link_count()],
        }
    }

    /// Factors the mass matrix with armatures. O(n), no allocation.
    ///
    /// # Errors
    /// When a degree of freedom moves nothing that has inertia.
    pub fn factorize(&mut self, model: &Model, kinematics: &Kinematics) -> Result<(), ArticulationError> {
        self.eliminate(model, kinematics, |_| 0.0)
    }

    /// Factors the mass matrix with armatures and `diagonal` (an entry per degree of freedom) besides.
    ///
    /// # Errors
    /// As [`Factor::factorize`].
    pub fn factorize_with(
        &mut self,
        model: &Model,
        kinematics: &Kinematics,
        diagonal: &[f64],
    ) -> Result<(), ArticulationError> {
        debug_assert!(diagonal.len() == self.dofs.len(), "an entry per degree of freedom");
        self.eliminate(model, kinematics, |dof| diagonal[dof])
    }

    fn eliminate(
        &mut self,
        model: &Model,
        kinematics: &Kinematics,
        added: impl Fn(usize) -> f64,
    ) -> Result<(), ArticulationError> {
        for (inertia, pose) in self.inertias.iter_mut().zip(&kinematics.links) {
            *inertia = pose.inertia.articulated();
        }
        for (index, link) in model.links.iter().enumerate().rev() {
            let mut inertia = self.inertias[index];
            for dof in link.dofs().rev() {
                let axis = &kinematics.axes[dof];
                let u = inertia.apply(axis);
                let d = axis.dot(&u) + model.dofs[dof].armature + added(dof);
                if d.is_nan() || d <= LEAST_INERTIA {
                    return Err(ArticulationError::NoInertia { dof, value: d, threshold: LEAST_INERTIA });
                }
                let inverse = 1.0 / d;
                inertia.subtract_outer(&u, inverse);
                self.dofs[dof] = DofFactor { u, inverse };
            }
            if let Some(parent) = link.parent {
                self.inertias[parent.index()].add(&inertia.moved_back(&kinematics.links[index].arm));
            }
        }
        Ok(())
    }

    /// The inertia that each degree of freedom feels when all that follow it are free, kg m² or kg.
    pub fn felt_inertia(&self, dof: usize) -> f64 {
        1.0 / self.dofs[dof].inverse
    }
}
