//! Where a model is and how it moves.
//!
//! Quaternions turn by the exponential map: `q ⊕ δ = q ⊗ exp(δ/2)` with `δ` in the link's axes; everything else adds up.

use crate::error::{ArticulationError, all_finite, in_range, length};
use crate::model::{JointKind, Link, Model};
use crate::spatial::rotation_vector;
use drystone_math::{Carried, wide_rotation_from_vector};
use nalgebra::{Quaternion, UnitQuaternion, Vector3};

/// Positions and velocities of all joints, by [`JointKind`].
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    pub(crate) positions: Vec<f64>,
    pub(crate) velocities: Vec<f64>,
}

impl State {
    /// Memory that it holds, bytes.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.positions.heap_bytes() + self.velocities.heap_bytes()
    }

    /// All joints at their zero, at rest.
    pub fn zero(model: &Model) -> Self {
        let mut positions = vec![0.0; model.position_count()];
        for link in model.links() {
            if has_quaternion(&link.kind) {
                positions[link.first_position as usize + 3] = 1.0;
            }
        }
        Self { positions, velocities: vec![0.0; model.dof_count()] }
    }

    /// Positions: [`Link::positions`] says whose is where.
    pub fn positions(&self) -> &[f64] {
        &self.positions
    }

    /// Velocities: [`Link::dofs`] says whose is where.
    pub fn velocities(&self) -> &[f64] {
        &self.velocities
    }

    /// Sets all positions. Quaternions are scaled to unit length.
    ///
    /// # Errors
    /// When there are too few or too many, one is not finite, or a quaternion is 0.
    pub fn set_positions(&mut self, model: &Model, positions: &[f64]) -> Result<(), ArticulationError> {
        length("positions", positions, model.position_count())?;
        all_finite("positions", positions)?;
        for link in model.links().iter().filter(|link| has_quaternion(&link.kind)) {
            let length = quaternion(link, positions).norm();
            in_range("length of a quaternion in positions", "above 1e-6", length, |x| x > 1e-6)?;
        }
        self.positions.copy_from_slice(positions);
        normalize(model, &mut self.positions);
        Ok(())
    }

    /// Sets all velocities.
    ///
    /// # Errors
    /// When there are too few or too many, or one is not finite.
    pub fn set_velocities(&mut self, model: &Model, velocities: &[f64]) -> Result<(), ArticulationError> {
        length("velocities", velocities, model.dof_count())?;
        all_finite("velocities", velocities)?;
        self.velocities.copy_from_slice(velocities);
        Ok(())
    }

    /// Moves positions for `dt` seconds at the velocities it has: quaternions by the exponential map, all others straight on.
    pub fn drift(&mut self, model: &Model, dt: f64) {
        advance(model, &mut self.positions, &self.velocities, dt);
    }

    /// True when this state has the sizes of a model.
    pub fn fits(&self, model: &Model) -> bool {
        self.positions.len() == model.position_count() && self.velocities.len() == model.dof_count()
    }

    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.positions.copy_from_slice(&other.positions);
        self.velocities.copy_from_slice(&other.velocities);
    }
}

/// True for joints whose positions begin with a quaternion.
pub(crate) fn has_quaternion(kind: &JointKind) -> bool {
    matches!(kind, JointKind::Spherical | JointKind::Free)
}

/// The quaternion of a link, as stored.
#[inline(always)]
pub(crate) fn quaternion(link: &Link, positions: &[f64]) -> Quaternion<f64> {
    let p = &positions[link.first_position as usize..];
    Quaternion::new(p[3], p[0], p[1], p[2])
}

/// Scales all quaternions to unit length.
pub(crate) fn normalize(model: &Model, positions: &mut [f64]) {
    for link in model.links().iter().filter(|link| has_quaternion(&link.kind)) {
        let unit = quaternion(link, positions);
        let unit = unit * (1.0 / unit.norm());
        positions[link.first_position as usize..][..4].copy_from_slice(unit.coords.as_slice());
    }
}

/// Moves positions along `step` (an entry per degree of freedom, rad or m) times `factor`.
pub(crate) fn advance(model: &Model, positions: &mut [f64], step: &[f64], factor: f64) {
    for link in model.links() {
        let (dofs, first) = (link.dofs(), link.first_position as usize);
        if !has_quaternion(&link.kind) {
            for (k, dof) in dofs.enumerate() {
                positions[first + k] += step[dof] * factor;
            }
            continue;
        }
        let turn = Vector3::from_column_slice(&step[dofs.start..dofs.start + 3]) * factor;
        let turned = quaternion(link, positions) * wide_rotation_from_vector(&turn).into_inner();
        let turned = turned * (1.0 / turned.norm());
        positions[first..first + 4].copy_from_slice(turned.coords.as_slice());
        for (k, dof) in dofs.skip(3).enumerate() {
            positions[first + 4 + k] += step[dof] * factor;
        }
    }
}

/// How fast the stored positions change: `q̇ = ½ q ⊗ (ω, 0)` for quaternions, the velocities for all others.
pub(crate) fn position_rates(model: &Model, positions: &[f64], velocities: &[f64], rates: &mut [f64]) {
    for link in model.links() {
        let (dofs, first) = (link.dofs(), link.first_position as usize);
        if !has_quaternion(&link.kind) {
            let count = dofs.len();
            rates[first..first + count].copy_from_slice(&velocities[dofs]);
            continue;
        }
        let v = &velocities[dofs];
        let rate = quaternion(link, positions) * Quaternion::new(0.0, v[0], v[1], v[2]) * 0.5;
        rates[first..first + 4].copy_from_slice(rate.coords.as_slice());
        rates[first + 4..first + 1 + v.len()].copy_from_slice(&v[3..]);
    }
}

/// Where the joints are seen from `targets` (an entry per degree of freedom: a value, or the vector of a rotation), rad or m.
pub(crate) fn errors_of_position(model: &Model, positions: &[f64], targets: &[f64], errors: &mut [f64]) {
    for link in model.links() {
        let (dofs, first) = (link.dofs(), link.first_position as usize);
        if !has_quaternion(&link.kind) {
            for (k, dof) in dofs.enumerate() {
                errors[dof] = positions[first + k] - targets[dof];
            }
            continue;
        }
        let target =
            wide_rotation_from_vector(&Vector3::from_column_slice(&targets[dofs.start..dofs.start + 3]));
        let q = quaternion(link, positions);
        let now = UnitQuaternion::new_unchecked(q * (1.0 / q.norm()));
        let error = rotation_vector(&(target.inverse() * now));
        errors[dofs.start..dofs.start + 3].copy_from_slice(error.as_slice());
        for (k, dof) in dofs.skip(3).enumerate() {
            errors[dof] = positions[first + 4 + k] - targets[dof];
        }
    }
}

/// The way from positions to others, an entry per degree of freedom (rad or m), such that [`advance`] by it leads there: quaternions by the shorter turn.
pub(crate) fn way_between(model: &Model, from: &[f64], to: &[f64], way: &mut [f64]) {
    for link in model.links() {
        let (dofs, first) = (link.dofs(), link.first_position as usize);
        if !has_quaternion(&link.kind) {
            for (k, dof) in dofs.enumerate() {
                way[dof] = to[first + k] - from[first + k];
            }
            continue;
        }
        let [start, end] = [from, to].map(|positions| {
            let q = quaternion(link, positions);
            UnitQuaternion::new_unchecked(q * (1.0 / q.norm()))
        });
        let turn = rotation_vector(&(start.inverse() * end));
        way[dofs.start..dofs.start + 3].copy_from_slice(turn.as_slice());
        for (k, dof) in dofs.skip(3).enumerate() {
            way[dof] = to[first + 4 + k] - from[first + 4 + k];
        }
    }
}
