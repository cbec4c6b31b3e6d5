//! What the search knows: the step's contacts, read only, and per body how far it was moved so far.
//!
//! The graph is not written while contacts are corrected. The distance of a contact after the corrections
//! so far follows from how far its two bodies were moved (S1-14, equation 2.3.7b in our signs):
//! ```text
//! distance = distance₀ + (d_B − d_A) · n        n from A to B
//! ```
//! so batches may be worked on side by side, and every contact is updated once, with one rounding.

use drystone_contact::{BodyHot, BodyIndex, ContactGraph, Manifold};
use drystone_math::{Real, Symmetric3, Vector3};

/// The step's data, shared by all batches.
pub(crate) struct Pile<'a> {
    pub(crate) graph: &'a ContactGraph,
    pub(crate) hot: &'a [BodyHot],
    pub(crate) last_move: &'a [Vector3],
    pub(crate) inverse_inertia: &'a [Symmetric3],
    /// Place of a body among the nodes of its batch; stale for bodies of other batches.
    pub(crate) local: &'a [u32],
    /// Depth above which a contact is corrected, m.
    pub(crate) threshold: Real,
    /// Depth that a correction leaves, m (`−f · threshold` of S1-24, S1-25).
    pub(crate) slack: Real,
}

/// A movable body of a batch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(crate) body: BodyIndex,
    /// The search that wrote `share`; stamps start anew in every step.
    pub(crate) stamp: u32,
    /// Part of the initial displacement that the search has associated with the body (S1-13).
    pub(crate) share: Real,
    /// Locked translation axes, bits x, y, z.
    locks: u8,
    can_move: bool,
    /// On the stack of the search.
    pub(crate) is_queued: bool,
    /// Among those loosened whose neighbours have yet to be looked at.
    pub(crate) is_loose: bool,
    pub(crate) is_moved: bool,
    pub(crate) is_turned: bool,
    /// Displacement by all corrections so far, m.
    pub(crate) moved: Vector3,
    /// Rotation vector of all corrections so far, rad (S1-97).
    pub(crate) turned: Vector3,
}

impl Node {
    pub(crate) fn new(body: BodyIndex, hot: &BodyHot) -> Self {
        let locks = hot.locks().translation;
        Self {
            body,
            stamp: 0,
            share: 0.0,
            locks: locks.iter().enumerate().fold(0, |bits, (i, &on)| bits | (u8::from(on) << i)),
            can_move: hot.is_dynamic() && !hot.is_quarantined() && hot.inverse_mass > 0.0,
            is_queued: false,
            is_loose: false,
            is_moved: false,
            is_turned: false,
            moved: Vector3::zeros(),
            turned: Vector3::zeros(),
        }
    }

    /// The part of `v` that the body's locked axes leave.
    #[inline]
    pub(crate) fn free_part(&self, v: &Vector3) -> Vector3 {
        let mut free = *v;
        for axis in 0..3 {
            if self.locks >> axis & 1 == 1 {
                free[axis] = 0.0;
            }
        }
        free
    }

    /// True when a translation axis is locked.
    #[inline]
    pub(crate) fn has_locks(&self) -> bool {
        self.locks != 0
    }

    /// True when the body can follow a displacement.
    #[inline]
    pub(crate) fn can_follow(&self, displacement: &Vector3) -> bool {
        self.locks == 0 || self.free_part(displacement) == *displacement
    }

    /// How far a point at `arm` of the body was moved, m (first order in the turn).
    #[inline]
    pub(crate) fn moved_at(&self, arm: &Vector3) -> Vector3 {
        if self.is_turned { self.moved + self.turned.cross(arm) } else { self.moved }
    }
}

impl Pile<'_> {
    /// Node of a body that correction may move. `None` for fixed, kinematic and quarantined bodies (S1-10).
    #[inline]
    pub(crate) fn node_of(&self, nodes: &[Node], body: BodyIndex) -> Option<usize> {
        let place = *self.local.get(body.get())? as usize;
        // The comparison also catches a stale place: bodies that cannot move belong to no batch.
        nodes.get(place).is_some_and(|n| n.body == body && n.can_move).then_some(place)
    }

    /// The smallest distance of a manifold after the corrections so far, m; infinite without points.
    #[inline]
    pub(crate) fn distance(&self, manifold: &Manifold, a: Option<&Node>, b: Option<&Node>) -> Real {
        let is_turned = |n: Option<&Node>| n.is_some_and(|n| n.is_turned);
        let n = &manifold.normal;
        let smallest = |least: Real, next: Real| if next < least { next } else { least };
        if is_turned(a) || is_turned(b) {
            let at = |n: Option<&Node>, arm| n.map_or_else(Vector3::zeros, |n| n.moved_at(arm));
            let now =
                manifold.points().iter().map(|p| p.distance + (at(b, &p.arm_b) - at(a, &p.arm_a)).dot(n));
            return now.fold(Real::INFINITY, smallest);
        }
        let moved = |n: Option<&Node>| n.map_or_else(Vector3::zeros, |n| n.moved);
        let least = manifold.points().iter().map(|p| p.distance).fold(Real::INFINITY, smallest);
        least + (moved(b) - moved(a)).dot(n)
    }
}
