//! The up to four ways to begin the correction of a contact (S1-06..10), in the order of trial (S1-23).
//!
//! S1's equations in our signs. `n` points out of the body X that is moved, towards the other body Z (so
//! `n` is the contact normal for X = A and its opposite for X = B), and `p > 0` is the depth to be removed,
//! `p = −(distance + f · threshold)` with a positive threshold (S1-24, equation 2.5.4):
//! ```text
//! along the normal   d = −p n                                   (2.3.1a, b)
//! backward           possible when u · n ≥ p                    (2.3.2a, b)
//!                    d = −(p / (u · n)) u                       (2.3.3a, b)
//! closing speed      (v + ω × r) · n                            (2.5.1 to 2.5.3)
//! ```
//! with `u` the body's last translation. A body with locked translation axes keeps to its free ones: it is
//! moved along the free part of the normal, far enough to remove `p`, when that part is long enough.

use crate::pile::{Node, Pile};
use drystone_contact::{BodyIndex, Edge};
use drystone_math::{Real, Vector3, is_finite};

/// One way to begin: which body is moved, how far.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Approach {
    /// Place of the body among the nodes of its batch.
    pub(crate) node: usize,
    /// The other body of the contact, which must not be pushed (S1-15).
    pub(crate) other: BodyIndex,
    /// Displacement of the body, m.
    pub(crate) displacement: Vector3,
    /// Along the last translation rather than the normal.
    pub(crate) is_backward: bool,
}

/// Squared length of the free part of a unit normal below which a body with locked axes counts as
/// immovable along it: at most √10 times the depth is walked.
const LEAST_FREE_PART: Real = 0.1;

/// The approaches for a contact that is `depth` (m, positive) too deep, in the order of trial: the body
/// with the larger closing speed first (A only when strictly larger), each backward before along the normal.
pub(crate) fn approaches(
    pile: &Pile<'_>,
    nodes: &[Node],
    edge: &Edge,
    depth: Real,
    use_backward: bool,
) -> [Option<Approach>; 4] {
    let m = &edge.manifold;
    let deepest = m.points().iter().reduce(|least, p| if p.distance < least.distance { p } else { least });
    let Some(point) = deepest else { return [None; 4] };
    let speed_a = pile.hot[m.body_a.get()].velocity_at(&point.arm_a).dot(&m.normal);
    let speed_b = -pile.hot[m.body_b.get()].velocity_at(&point.arm_b).dot(&m.normal);
    let a = (m.body_a, m.body_b, m.normal);
    let b = (m.body_b, m.body_a, -m.normal);
    let order = if speed_a > speed_b { [a, b] } else { [b, a] };
    let mut found = [None; 4];
    for (turn, (body, other, outward)) in order.into_iter().enumerate() {
        let Some(node) = pile.node_of(nodes, body) else { continue };
        let with = |displacement: Vector3, is_backward| {
            is_finite(&displacement).then_some(Approach { node, other, displacement, is_backward })
        };
        if use_backward {
            found[2 * turn] = backward(&nodes[node], &pile.last_move[body.get()], &outward, depth)
                .and_then(|d| with(d, true));
        }
        found[2 * turn + 1] = along_normal(&nodes[node], &outward, depth).and_then(|d| with(d, false));
    }
    found
}

/// Back along the last translation (m), when that came far enough (S1-08, S1-09).
fn backward(node: &Node, last_move: &Vector3, outward: &Vector3, depth: Real) -> Option<Vector3> {
    let came = last_move.dot(outward);
    (came >= depth && node.can_follow(last_move)).then(|| last_move * -(depth / came))
}

/// Out along the normal (S1-07), or its free part.
fn along_normal(node: &Node, outward: &Vector3, depth: Real) -> Option<Vector3> {
    free_share(node, outward).map(|share| node.free_part(outward) * -(depth / share))
}

/// How far along a unit vector its free part goes, no unit; `None` where that is too little to move the body along it.
pub(crate) fn free_share(node: &Node, direction: &Vector3) -> Option<Real> {
    if !node.has_locks() {
        return Some(1.0);
    }
    let share = node.free_part(direction).norm_squared();
    (share >= LEAST_FREE_PART).then_some(share)
}
