//! What contacts do to bodies: rows of `Hᵀ`, two ends per contact.

use crate::problem::{Block, Local};
use drystone_contact::{Bodies, BodyIndex, StepParams};
use drystone_math::{Symmetric3, Vector3, widen};

/// A body that impulses move, in double precision.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mover {
    pub(super) body: BodyIndex,
    /// Velocity of the centre of mass, m/s: after forces, then after contacts.
    pub(super) linear: Local,
    /// Angular velocity, rad/s, world; likewise.
    pub(super) angular: Local,
    /// Velocity that forces gave in this step, m/s.
    pub(super) gained: Local,
    /// Inverse mass along each world axis, 1/kg; 0 where locked.
    pub(super) inverse_mass: Local,
    /// World, 1/(kg m²).
    pub(super) inverse_inertia: Block,
}

impl Mover {
    /// Of a body that forces have already acted on; `None` when impulses do not move it.
    pub(super) fn of(bodies: &Bodies, body: BodyIndex, step: &StepParams) -> Option<Self> {
        let hot = bodies.hot(body);
        let moves = bodies.is_awake(body) && hot.is_dynamic() && hot.inverse_mass > 0.0;
        moves.then(|| Self::new(bodies, body, step))
    }

    fn new(bodies: &Bodies, body: BodyIndex, step: &StepParams) -> Self {
        let hot = bodies.hot(body);
        let locks = hot.locks();
        let push = bodies.force(body).0 * hot.inverse_mass;
        let pull = step.global_acceleration_of(bodies, body);
        let free = |axis: usize, value: f64| if locks.translation[axis] { 0.0 } else { value };
        let gained = widen(&((pull + push) * step.dt));
        Self {
            body,
            linear: widen(&hot.linear),
            angular: widen(&hot.angular),
            gained: Local::from_fn(|axis, _| free(axis, gained[axis])),
            inverse_mass: Local::from_fn(|axis, _| free(axis, f64::from(hot.inverse_mass))),
            inverse_inertia: widen_symmetric(bodies.inverse_inertia(body)),
        }
    }

    /// Adds an impulse of a contact, given in its frame.
    #[inline]
    pub(super) fn push(&mut self, end: &End, impulse: &Local) {
        self.linear += end.linear.tr_mul(impulse).component_mul(&self.inverse_mass);
        self.angular += self.inverse_inertia * end.angular.tr_mul(impulse);
    }

    /// Momentum (kg m/s) and angular momentum (kg m²/s) of what can move; locked axes have mass 1 and no velocity.
    pub(super) fn inertia(&self) -> (Local, Block) {
        let mass = self.inverse_mass.map(|inverse| if inverse > 0.0 { 1.0 / inverse } else { 1.0 });
        let mut inverse = self.inverse_inertia;
        for axis in 0..3 {
            if inverse[(axis, axis)] == 0.0 {
                inverse[(axis, axis)] = 1.0;
            }
        }
        (mass, inverse.try_inverse().unwrap_or_else(Block::identity))
    }

    /// Mass, kg; 0 where it cannot move along any axis.
    pub(super) fn mass(&self) -> f64 {
        let inverse = self.inverse_mass.amax();
        if inverse > 0.0 { 1.0 / inverse } else { 0.0 }
    }

    /// Kinetic energy, J.
    pub(super) fn energy(&self) -> f64 {
        let (mass, inertia) = self.inertia();
        0.5 * (self.linear.dot(&self.linear.component_mul(&mass))
            + self.angular.dot(&(inertia * self.angular)))
    }
}

/// A contact's side on a body: velocity at the contact, in its frame, per velocity of the body. Negative on body A.
#[derive(Clone, Copy, Debug)]
pub(super) struct End {
    /// Rows: normal, two tangents.
    pub(super) linear: Block,
    /// Arm times each of them.
    pub(super) angular: Block,
}

impl End {
    /// Of a contact with this frame (rows), `arm` (m) from the centre of mass, on side A (0) or B (1).
    pub(super) fn new(frame: &Block, arm: &Vector3, side: usize) -> Self {
        let sign = if side == 0 { -1.0 } else { 1.0 };
        let linear = frame * sign;
        let arm = widen(arm);
        let row = |k: usize| arm.cross(&linear.row(k).transpose()).transpose();
        Self { linear, angular: Block::from_rows(&[row(0), row(1), row(2)]) }
    }

    /// Velocity at the contact, m/s.
    #[inline]
    pub(super) fn velocity(&self, linear: &Local, angular: &Local) -> Local {
        self.linear * linear + self.angular * angular
    }
}

/// Rows: the unit normal, and two tangents at right angles to it (the frame of [`drystone_math::ContactBasis`], in
/// double precision: rounded axes would make a symmetric problem unsymmetric by 1e-7).
pub(super) fn contact_frame(normal: &Vector3) -> Block {
    let n = widen(normal);
    let length = n.norm();
    // A normal of no length cannot come from detection; a problem must stay finite all the same.
    let n = if length > 0.0 { n / length } else { Local::x() };
    let sign = 1.0_f64.copysign(n.z);
    let a = -1.0 / (sign + n.z);
    let b = n.x * n.y * a;
    Block::from_rows(&[
        n.transpose(),
        Local::new(1.0 + sign * n.x * n.x * a, sign * b, -sign * n.x).transpose(),
        Local::new(b, sign + n.y * n.y * a, -n.y).transpose(),
    ])
}

pub(super) fn widen_symmetric(m: &Symmetric3) -> Block {
    let [xx, yy, zz, xy, xz, yz] = [m.xx, m.yy, m.zz, m.xy, m.xz, m.yz].map(f64::from);
    Block::new(xx, xy, xz, xy, yy, yz, xz, yz, zz)
}
