//! Rows of an articulated unit: how the velocities of articulations make the velocity along a direction, and what an impulse along it makes of them.

use super::{Member, Room};
use drystone_articulation::spatial::SpatialForce;
use drystone_articulation::{BoundedImpulse, LinkIndex};

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

    /// Adds to rows of an articulation what they have of a link: for impulses on it at its origin, each with the place of its row.
    pub(super) fn add(
        &mut self,
        member: &mut Member,
        link: LinkIndex,
        impulses: &[SpatialForce],
        places: &[usize],
    ) {
        let Self { jacobian, response, .. } = self;
        let articulation = &mut member.reduced.articulation;
        if articulation.add_impulse_rows(link, impulses, places, jacobian, response).is_err() {
            debug_assert!(member.reduced.is_broken, "predicted");
        }
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

/// Sum of products, in four sums: one alone waits for each addition.
#[inline]
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    let rest = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum::<f64>();
    for (a, b) in a.iter().zip(b) {
        (0..4).for_each(|k| sums[k] += a[k] * b[k]);
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

/// Adds a multiple.
#[inline]
pub(super) fn add_scaled(sum: &mut [f64], factor: f64, part: &[f64]) {
    sum.iter_mut().zip(part).for_each(|(sum, part)| *sum += factor * part);
}

impl Member {
    /// Lists the bounded forces that the prediction found, and limits that contacts may push joints onto.
    pub(super) fn prepare_bounds(&mut self, rows: &mut Rows) {
        self.room.bounds.clear();
        if self.reduced.is_broken {
            return;
        }
        let articulation = &mut self.reduced.articulation;
        let Room { bounds, velocities, .. } = &mut self.room;
        bounds.extend(articulation.bounded_impulses().map(BoundRow::new));
        let near = articulation.visit_near_limits(velocities, REACH, |own| bounds.push(BoundRow::new(own)));
        debug_assert!(near.is_ok(), "velocities are those of its degrees of freedom");
        let (n, articulation) = (self.room.velocities.len(), &mut self.reduced.articulation);
        for row in &mut self.room.bounds {
            row.first = rows.bounds.len();
            rows.bounds.resize(row.first + n, 0.0);
            let response = &mut rows.bounds[row.first..];
            if articulation.joint_impulse_response(&row.own.at, 1.0, response).is_err() {
                debug_assert!(false, "predicted, and a degree of freedom of it");
            }
            let own = row.own.at.rate(response);
            let felt = own * (1.0 + COMPLIANCE) + row.own.compliance;
            row.mass = if own > 0.0 { 1.0 / felt } else { 0.0 };
        }
    }

    /// One sweep over the bounded forces.
    pub(super) fn sweep_bounds(&mut self, rows: &Rows) {
        let n = self.room.velocities.len();
        for row in &mut self.room.bounds {
            let own = &mut row.own;
            let wrong = own.at.rate(&self.room.velocities) + own.compliance * own.impulse + own.offset;
            let impulse = (own.impulse - wrong * row.mass).clamp(own.bounds.0, own.bounds.1);
            let change = impulse - own.impulse;
            own.impulse = impulse;
            if change != 0.0 {
                add_scaled(&mut self.room.velocities, change, &rows.bounds[row.first..row.first + n]);
            }
        }
    }
}
