//! Checks links and puts them in order.

use crate::dynamics::Factor;
use crate::error::{ArticulationError, all_finite, in_range};
use crate::kinematics::Kinematics;
use crate::model::{Ball, JointKind, JointSpec, Link, LinkIndex, Model, Transform};
use crate::state::State;
use nalgebra::{Matrix3, Vector3};

/// How far the inertia of a link may be from symmetric, and its principal moments from the triangle inequality, as a share of the
/// largest: rounding of files with five digits.
const INERTIA_TOLERANCE: f64 = 1e-4;

/// A link to be: everything but its parent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkSpec {
    /// Its joint.
    pub joint: JointSpec,
    /// The joint's frame in the parent's frame (in the world for a root). The identity by default.
    pub placement: Transform,
    /// Mass, kg. At least 0; 0 for a link that only carries others.
    pub mass: f64,
    /// Centre of mass in the link's frame, m.
    pub center_of_mass: Vector3<f64>,
    /// Inertia about the centre of mass in the link's axes, kg m². Symmetric, its principal moments at least 0 and none above the
    /// sum of the other two.
    pub inertia: Matrix3<f64>,
}

impl LinkSpec {
    /// A link without mass on this joint.
    pub fn new(joint: JointSpec) -> Self {
        let placement = Transform::identity();
        Self { joint, placement, mass: 0.0, center_of_mass: Vector3::zeros(), inertia: Matrix3::zeros() }
    }

    /// The same with the joint here in the parent's frame.
    #[must_use]
    pub fn placed(self, placement: Transform) -> Self {
        Self { placement, ..self }
    }

    /// The same with the joint's origin here in the parent's frame, m, unturned.
    #[must_use]
    pub fn at(self, x: f64, y: f64, z: f64) -> Self {
        self.placed(Transform::translation(x, y, z))
    }

    /// The same with this mass (kg), centre of mass (m) and inertia about it (kg m²).
    #[must_use]
    pub fn body(self, mass: f64, center_of_mass: Vector3<f64>, inertia: Matrix3<f64>) -> Self {
        Self { mass, center_of_mass, inertia, ..self }
    }

    /// The same as a solid box of this mass (kg) with these edges (m) about a centre in the link's frame (m).
    #[must_use]
    pub fn cuboid(self, mass: f64, center: Vector3<f64>, edges: Vector3<f64>) -> Self {
        let square = edges.component_mul(&edges);
        let moments = Vector3::new(square.y + square.z, square.x + square.z, square.x + square.y);
        self.body(mass, center, Matrix3::from_diagonal(&(moments * (mass / 12.0))))
    }

    /// The same as a point of this mass (kg) here in the link's frame (m).
    #[must_use]
    pub fn point_mass(self, mass: f64, center: Vector3<f64>) -> Self {
        self.body(mass, center, Matrix3::zeros())
    }

    fn validate(&self) -> Result<(), ArticulationError> {
        all_finite("placement.translation", self.placement.translation.vector.as_slice())?;
        let length = self.placement.rotation.norm();
        in_range("length of placement.rotation", "1 within 1e-6", length, |x| (x - 1.0).abs() < 1e-6)?;
        in_range("mass", "finite and at least 0", self.mass, |x| x >= 0.0)?;
        all_finite("center_of_mass", self.center_of_mass.as_slice())?;
        all_finite("inertia", self.inertia.as_slice())?;
        let size = self.inertia.abs().max();
        let skew = (self.inertia - self.inertia.transpose()).abs().max();
        in_range("asymmetry of inertia", "at most 1e-4 of its largest entry", skew, |x| {
            x <= INERTIA_TOLERANCE * size
        })?;
        let moments = self.inertia.symmetric_eigenvalues();
        in_range("least principal moment of inertia", "at least 0", moments.min(), |x| {
            x >= -INERTIA_TOLERANCE * size
        })?;
        let surplus = 2.0 * moments.max() - moments.sum();
        in_range("largest principal moment less the sum of the others", "at most 0", surplus, |x| {
            x <= INERTIA_TOLERANCE * size
        })?;
        Ok(())
    }
}

/// Makes a [`Model`] link by link, from the roots outwards.
#[derive(Clone, Debug)]
pub struct ModelBuilder {
    model: Model,
}

impl Default for ModelBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl ModelBuilder {
    /// No links, no gravity.
    pub fn new() -> Self {
        let gravity = Vector3::zeros();
        let (links, dofs, dof_links, balls) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { model: Model { links, dofs, dof_links, balls, position_count: 0, gravity } }
    }

    /// Sets the acceleration by gravity, m/s².
    ///
    /// # Errors
    /// When it is not finite.
    pub fn gravity(&mut self, gravity: Vector3<f64>) -> Result<&mut Self, ArticulationError> {
        self.model.set_gravity(gravity)?;
        Ok(self)
    }

    /// Adds a link whose joint is on the world: a root. `JointSpec::free()` makes a base that floats.
    ///
    /// # Errors
    /// When a value is out of range.
    pub fn root(&mut self, spec: LinkSpec) -> Result<LinkIndex, ArticulationError> {
        self.push(None, spec)
    }

    /// Adds a link whose joint is on `parent`.
    ///
    /// # Errors
    /// When there is no such parent, or a value is out of range.
    pub fn child(&mut self, parent: LinkIndex, spec: LinkSpec) -> Result<LinkIndex, ArticulationError> {
        self.model.link(parent)?;
        self.push(Some(parent), spec)
    }

    fn push(&mut self, parent: Option<LinkIndex>, spec: LinkSpec) -> Result<LinkIndex, ArticulationError> {
        let model = &mut self.model;
        let index = model.links.len();
        let wrong = |source| ArticulationError::Link { link: index, source: Box::new(source) };
        spec.validate().map_err(wrong)?;
        let joint = spec.joint.checked().map_err(wrong)?;
        if parent.is_some() && joint.kind == JointKind::Free {
            let (setting, expected) = ("a link on another link", "a joint other than free");
            return Err(wrong(ArticulationError::WrongJoint { setting, expected, joint: "free" }));
        }
        let dof_count = joint.kind.dof_count();
        let link = LinkIndex(index as u32);
        let mut placement = spec.placement;
        placement.rotation.renormalize();
        model.links.push(Link {
            parent,
            kind: joint.kind,
            placement,
            placement_rotation: placement.rotation.to_rotation_matrix().into_inner(),
            mass: spec.mass,
            center: spec.center_of_mass,
            inertia: (spec.inertia + spec.inertia.transpose()) * 0.5,
            first_dof: model.dofs.len() as u32,
            dof_count: dof_count as u32,
            first_position: model.position_count as u32,
        });
        model.position_count += joint.kind.position_count();
        if joint.kind == JointKind::Spherical {
            model.balls.push(Ball { link, spec: joint.ball });
        }
        model.dofs.extend_from_slice(&joint.dofs[..dof_count]);
        model.dof_links.extend(std::iter::repeat_n(link, dof_count));
        Ok(link)
    }

    /// The model.
    ///
    /// # Errors
    /// When it has no links, or a degree of freedom moves nothing that has inertia.
    pub fn build(&self) -> Result<Model, ArticulationError> {
        if self.model.links.is_empty() {
            return Err(ArticulationError::Empty);
        }
        let model = self.model.clone();
        let state = State::zero(&model);
        let mut kinematics = Kinematics::new(&model);
        kinematics.update(&model, &state);
        Factor::new(&model).factorize(&model, &kinematics)?;
        Ok(model)
    }
}
