//! Rows of an island: how the velocities of articulations make the velocity along a direction, and what an impulse along it makes of them.

use super::Member;
use drystone_articulation::dynamics::add_jacobian;
use drystone_articulation::spatial::SpatialForce;
use drystone_articulation::{BoundedImpulse, LinkIndex};
use nalgebra::Vector3;

/// What is added to the response of a bounded force, as a share: a limit and dry friction of one joint share the impulse.
const COMPLIANCE: f64 = 1e-10;
/// Share of a sub-step's way by which a limit that was not met is looked at: contacts may push a joint onto it.
const REACH: f64 = 4.0;

/// Numbers of all rows, each with an entry per degree of freedom of its articulation.
#[derive(Debug, Default)]
pub(super) struct Rows {
    jacobian: Vec<f64>,
    response: Vec<f64>,
    /// Of bounded forces, which come and go.
    bounds: Vec<f64>,
    scratch: Vec<f64>,
}

/// A bounded force along a degree of freedom in the sweeps.
#[derive(Clone, Copy, Debug)]
pub(super) struct BoundRow {
    own: BoundedImpulse,
    /// `1 / (eᵀ Ĥ⁻¹ e + compliance)`.
    mass: f64,
    first: usize,
}

impl BoundRow {
    /// Before its response is known.
    fn new(own: BoundedImpulse) -> Self {
        Self { own, mass: 0.0, first: 0 }
    }
}

impl Rows {
    /// Makes room; keeps nothing.
    pub(super) fn resize(&mut self, len: usize) {
        self.jacobian.clear();
        self.jacobian.resize(len, 0.0);
        self.response.clear();
        self.response.resize(len, 0.0);
    }

    /// Adds to the row from `first` on what it has of a link: for an impulse along a direction (a turn, a way) at a point of the world (m).
    pub(super) fn add(
        &mut self,
        member: &mut Member,
        (link, point): (LinkIndex, &Vector3<f64>),
        direction: (Vector3<f64>, Vector3<f64>),
        first: usize,
    ) {
        let n = member.room.velocities.len();
        let articulation = &mut member.reduced.articulation;
        let (model, kinematics) = (articulation.model(), articulation.kinematics());
        add_jacobian(model, kinematics, link, point, &[direction], 1.0, &mut self.jacobian[first..first + n]);
        self.scratch.resize(n, 0.0);
        let impulse = SpatialForce::new(direction.0, direction.1);
        if articulation.impulse_response(link, point, &impulse, &mut self.scratch).is_err() {
            debug_assert!(member.reduced.is_broken, "predicted");
            return;
        }
        add_scaled(&mut self.response[first..first + n], 1.0, &self.scratch);
    }

    /// Forgets the bounded forces of the sub-step before.
    pub(super) fn forget_bounds(&mut self) {
        self.bounds.clear();
    }

    /// Empties rows.
    pub(super) fn clear(&mut self, first: usize, len: usize) {
        self.jacobian[first..first + len].fill(0.0);
        self.response[first..first + len].fill(0.0);
    }

    #[inline]
    pub(super) fn jacobian(&self, first: usize, n: usize) -> &[f64] {
        &self.jacobian[first..first + n]
    }

    #[inline]
    pub(super) fn response(&self, first: usize, n: usize) -> &[f64] {
        &self.response[first..first + n]
    }
}

/// Sum of products.
#[inline]
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Adds a multiple.
#[inline]
pub(super) fn add_scaled(sum: &mut [f64], factor: f64, part: &[f64]) {
    sum.iter_mut().zip(part).for_each(|(sum, part)| *sum += factor * part);
}

impl Member {
    /// Lists the bounded forces that the prediction found, and limits that contacts may push joints onto.
    pub(super) fn prepare_bounds(&mut self, rows: &mut Rows, h: f64) {
        self.room.bounds.clear();
        if self.reduced.is_broken {
            return;
        }
        let articulation = &mut self.reduced.articulation;
        self.room.bounds.extend(articulation.bounded_impulses().map(BoundRow::new));
        self.add_near_limits(h);
        let (n, articulation) = (self.room.velocities.len(), &mut self.reduced.articulation);
        for row in &mut self.room.bounds {
            row.first = rows.bounds.len();
            rows.bounds.resize(row.first + n, 0.0);
            let response = &mut rows.bounds[row.first..];
            if articulation.joint_impulse_response(row.own.dof, 1.0, response).is_err() {
                debug_assert!(false, "predicted, and a degree of freedom of it");
            }
            let own = response[row.own.dof];
            let felt = own * (1.0 + COMPLIANCE) + row.own.compliance;
            row.mass = if own > 0.0 { 1.0 / felt } else { 0.0 };
        }
    }

    fn add_near_limits(&mut self, h: f64) {
        let articulation = &self.reduced.articulation;
        for link in articulation.model().links() {
            for (dof, place) in link.dofs().zip(link.positions()) {
                let Some([lower, upper]) = articulation.model().dofs()[dof].limits else { continue };
                let position = articulation.state().positions()[place];
                let sides = [
                    (position - lower, 1.0, (0.0, f64::INFINITY)),
                    (upper - position, -1.0, (f64::NEG_INFINITY, 0.0)),
                ];
                for (gap, sign, bounds) in sides {
                    let room = gap.max(0.0) / h;
                    let is_near = room < REACH * (1.0 + self.room.velocities[dof].abs());
                    let is_known =
                        self.room.bounds.iter().any(|row| row.own.dof == dof && row.own.bounds == bounds);
                    if is_near && !is_known {
                        let (offset, compliance, impulse) = (sign * room, 0.0, 0.0);
                        let own = BoundedImpulse { dof, bounds, offset, compliance, impulse };
                        self.room.bounds.push(BoundRow::new(own));
                    }
                }
            }
        }
    }

    /// One sweep over the bounded forces.
    pub(super) fn sweep_bounds(&mut self, rows: &Rows) {
        let n = self.room.velocities.len();
        for row in &mut self.room.bounds {
            let own = &mut row.own;
            let wrong = self.room.velocities[own.dof] + own.compliance * own.impulse + own.offset;
            let impulse = (own.impulse - wrong * row.mass).clamp(own.bounds.0, own.bounds.1);
            let change = impulse - own.impulse;
            own.impulse = impulse;
            if change != 0.0 {
                add_scaled(&mut self.room.velocities, change, &rows.bounds[row.first..row.first + n]);
            }
        }
    }
}
