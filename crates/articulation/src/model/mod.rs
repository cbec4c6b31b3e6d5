//! A tree of links: what does not change while it moves.
//!
//! Featherstone (2008), chapter 4: links are numbered so that parents come before children; joint `i` is between link `i` and its
//! parent. A link's frame has its origin at its joint.

mod ball;
mod joint;

use ball::check_ball;
pub(crate) use ball::{Ball, error as ball_error};
pub use ball::{BallAxis, BallSpec, JointDirection};
use drystone_math::Carried;
pub use joint::{DofSpec, JointKind, JointSpec, Motor};

use joint::validate_dofs;

use crate::error::ArticulationError;
use nalgebra::{Matrix3, Vector3};
use std::ops::Range;

/// A position and a rotation in double precision: takes points of a frame to the frame that it stands in.
pub type Transform = nalgebra::Isometry3<f64>;

/// A link of a model. Ordered from the roots outwards: a parent's index is less than its children's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkIndex(pub(crate) u32);

impl LinkIndex {
    /// As an index of slices that have an entry per link.
    #[inline(always)]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A link with its joint, as a model keeps it.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    pub(crate) parent: Option<LinkIndex>,
    pub(crate) kind: JointKind,
    pub(crate) placement: Transform,
    pub(crate) placement_rotation: Matrix3<f64>,
    pub(crate) mass: f64,
    pub(crate) center: Vector3<f64>,
    pub(crate) inertia: Matrix3<f64>,
    pub(crate) first_dof: u32,
    pub(crate) dof_count: u32,
    pub(crate) first_position: u32,
}

impl Link {
    /// The link that it hangs on; none for the world.
    pub fn parent(&self) -> Option<LinkIndex> {
        self.parent
    }

    /// What its joint leaves free.
    pub fn kind(&self) -> &JointKind {
        &self.kind
    }

    /// The joint's frame in the parent's frame.
    pub fn placement(&self) -> &Transform {
        &self.placement
    }

    /// Mass, kg.
    pub fn mass(&self) -> f64 {
        self.mass
    }

    /// Centre of mass in the link's frame, m.
    pub fn center_of_mass(&self) -> &Vector3<f64> {
        &self.center
    }

    /// Its places in slices that have an entry per degree of freedom.
    #[inline(always)]
    pub fn dofs(&self) -> Range<usize> {
        let first = self.first_dof as usize;
        first..first + self.dof_count as usize
    }

    /// Its places in the positions of a state.
    #[inline(always)]
    pub fn positions(&self) -> Range<usize> {
        let first = self.first_position as usize;
        first..first + self.kind.position_count()
    }
}

/// A tree (or several) of links on a world that stands still. Made by [`crate::ModelBuilder`]; everything in it is valid.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    pub(crate) links: Vec<Link>,
    pub(crate) dofs: Vec<DofSpec>,
    pub(crate) dof_links: Vec<LinkIndex>,
    pub(crate) balls: Vec<Ball>,
    pub(crate) position_count: usize,
    pub(crate) gravity: Vector3<f64>,
}

impl Model {
    /// Memory that it holds, bytes.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.links.heap_bytes()
            + self.dofs.heap_bytes()
            + self.dof_links.heap_bytes()
            + self.balls.heap_bytes()
    }

    /// All links; a parent stands before its children.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// How many links there are.
    pub fn link_count(&self) -> usize {
        self.links.len()
    }

    /// How many velocities a state has.
    pub fn dof_count(&self) -> usize {
        self.dofs.len()
    }

    /// How many positions a state has.
    pub fn position_count(&self) -> usize {
        self.position_count
    }

    /// Acceleration by gravity, m/s².
    pub fn gravity(&self) -> &Vector3<f64> {
        &self.gravity
    }

    /// What acts along each degree of freedom.
    pub fn dofs(&self) -> &[DofSpec] {
        &self.dofs
    }

    /// Link `index`.
    ///
    /// # Errors
    /// When there is no such link.
    pub fn link(&self, link: LinkIndex) -> Result<&Link, ArticulationError> {
        let count = self.links.len();
        self.links.get(link.index()).ok_or(ArticulationError::UnknownLink { index: link.index(), count })
    }

    /// The link with this index.
    ///
    /// # Errors
    /// When there is no such link.
    pub fn link_index(&self, index: usize) -> Result<LinkIndex, ArticulationError> {
        let count = self.links.len();
        if index >= count {
            return Err(ArticulationError::UnknownLink { index, count });
        }
        Ok(LinkIndex(index as u32))
    }

    /// Replaces what acts along all degrees of freedom of a link's joint.
    ///
    /// # Errors
    /// When there is no such link, there are too few or too many, or a value is out of range; nothing is changed then.
    pub fn set_dofs(&mut self, link: LinkIndex, specs: &[DofSpec]) -> Result<(), ArticulationError> {
        let (kind, dofs) = (self.link(link)?.kind, self.link(link)?.dofs());
        if specs.len() != dofs.len() {
            let (field, expected) = ("degrees of freedom of the joint", dofs.len());
            return Err(ArticulationError::Length { field, expected, got: specs.len() });
        }
        validate_dofs(&kind, specs)?;
        if let Some(ball) = self.ball(link) {
            check_ball(&kind, ball, specs)?;
        }
        self.dofs[dofs].copy_from_slice(specs);
        Ok(())
    }

    /// Replaces what acts along a degree of freedom. The springs of a quaternion are set together, by [`Model::set_dofs`].
    ///
    /// # Errors
    /// When there is no such degree of freedom, or a value is out of range; nothing is changed then.
    pub fn set_dof(&mut self, dof: usize, spec: DofSpec) -> Result<(), ArticulationError> {
        let count = self.dofs.len();
        let link = *self.dof_links.get(dof).ok_or(ArticulationError::UnknownDof { index: dof, count })?;
        let (ball, link) = (self.ball(link).copied(), &self.links[link.index()]);
        let known = std::mem::replace(&mut self.dofs[dof], spec);
        let dofs = &self.dofs[link.dofs()];
        let outcome = validate_dofs(&link.kind, dofs)
            .and_then(|()| ball.map_or(Ok(()), |ball| check_ball(&link.kind, &ball, dofs)));
        if outcome.is_err() {
            self.dofs[dof] = known;
        }
        outcome
    }

    /// Replaces the motor of a degree of freedom.
    ///
    /// # Errors
    /// As [`Model::set_dof`].
    pub fn set_motor(&mut self, dof: usize, motor: Option<Motor>) -> Result<(), ArticulationError> {
        let count = self.dofs.len();
        let known = self.dofs.get(dof).ok_or(ArticulationError::UnknownDof { index: dof, count })?;
        self.set_dof(dof, DofSpec { motor, ..*known })
    }

    /// Sets the acceleration by gravity, m/s².
    ///
    /// # Errors
    /// When it is not finite.
    pub fn set_gravity(&mut self, gravity: Vector3<f64>) -> Result<(), ArticulationError> {
        crate::error::all_finite("gravity", gravity.as_slice())?;
        self.gravity = gravity;
        Ok(())
    }

    /// True when a base is free.
    pub(crate) fn floats(&self) -> bool {
        self.links.iter().any(|link| link.kind == JointKind::Free)
    }

    /// The links from `link` to its root.
    pub(crate) fn path(&self, link: LinkIndex) -> impl Iterator<Item = LinkIndex> {
        std::iter::successors(Some(link), |at| self.links[at.index()].parent)
    }
}
