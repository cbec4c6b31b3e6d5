//! Turning as well as moving a body that is corrected alone (S1-97, beyond the paper).
//!
//! S1 translates only (S1-06) and names rotation as future work for the case that no other body is
//! affected. Here the body takes the displacement that removes the depth `p` at the deepest point with the
//! least mass-weighted motion `m |d|² + θᵀ I θ`; to first order that is a pseudo-impulse `P` along the
//! normal at the point's arm `r`, with `n` pointing out of the body:
//! ```text
//! d = −m⁻¹ P n      θ = −P I⁻¹ (r × n)      P = p / (m⁻¹ + (r × n)ᵀ I⁻¹ (r × n))
//! ```
//! It is taken when all of this holds, and the translation is kept otherwise:
//! - its mass-weighted motion, `p P`, is less than that of the translation, `m |d₀|²`;
//! - all points of the contact come up to the slack, and no point of any other contact of the body becomes
//!   deeper than the slack, or deeper than it was;
//! - the turn stays below [`LARGEST_TURN`], so that first order is enough;
//! - no translation axis of the body is locked.
//!
//! A box that lies flat is not turned: lifting one corner would lower the opposite one.
//!
//! Measured (`tests/facts/rotate.rs`) on 10 000 boxes of 2 by 0.5 by 1 m that stand on a corner at random, up
//! to 15 mm deep: 93 % are turned, and lifted 0.36 times as far as by translation. But a corner that has no
//! contact point in this step is not seen (S1-20) and sinks by up to [`LARGEST_TURN`] times its distance: in
//! two cases to 10 mm, where 5 mm are the slack. Hence off by default.

use crate::approach::Approach;
use crate::pile::{Node, Pile};
use drystone_contact::EdgeIndex;
use drystone_math::{Real, Vector3, is_finite};

/// Largest turn of one correction, rad. What first order leaves out of a distance is at most half of turn
/// squared times arm: 5e-5 of the arm.
pub const LARGEST_TURN: Real = 0.01;

/// Rounding of a distance relative to the numbers it is the sum of; the deepest point ends at the slack.
const ROUNDING: Real = 1e-5;

/// A displacement with a turn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turn {
    /// m.
    pub(crate) linear: Vector3,
    /// Rotation vector, rad.
    pub(crate) angular: Vector3,
}

/// The turn that replaces the translation of `approach` for a contact that is `depth` (m) too deep; `None`
/// when the translation is to be kept. O(contacts of the body), no allocation.
pub(crate) fn turn(
    pile: &Pile<'_>,
    nodes: &[Node],
    edge: EdgeIndex,
    approach: &Approach,
    depth: Real,
) -> Option<Turn> {
    let node = &nodes[approach.node];
    let m = &pile.graph.edge(edge).manifold;
    let is_a = m.body_a == node.body;
    let outward = if is_a { m.normal } else { -m.normal };
    // The turns so far are small: which point is the deepest is read from the contact data.
    let deepest = m.points().iter().reduce(|least, p| if p.distance < least.distance { p } else { least })?;
    let lever = (if is_a { deepest.arm_a } else { deepest.arm_b }).cross(&outward);
    let inverse_mass = pile.hot[node.body.get()].inverse_mass;
    let spin = pile.inverse_inertia[node.body.get()] * lever;
    let impulse = depth / (inverse_mass + lever.dot(&spin));
    let turn = Turn { linear: outward * -(inverse_mass * impulse), angular: spin * -impulse };
    let is_less = depth * impulse * inverse_mass < approach.displacement.norm_squared();
    let is_small = is_finite(&turn.angular) && turn.angular.norm() <= LARGEST_TURN;
    let is_possible = is_less && is_small && !node.has_locks();
    (is_possible && is_harmless(pile, nodes, approach.node, edge, &turn)).then_some(turn)
}

/// True when no point of the body's contacts gets deeper than the slack, or deeper than it was, and those of
/// the corrected contact all come up to the slack.
fn is_harmless(pile: &Pile<'_>, nodes: &[Node], mover: usize, corrected: EdgeIndex, turn: &Turn) -> bool {
    let node = &nodes[mover];
    pile.graph.edges_of(node.body).all(|index| {
        let m = &pile.graph.edge(index).manifold;
        let is_a = m.body_a == node.body;
        let other = pile.node_of(nodes, if is_a { m.body_b } else { m.body_a }).map(|i| &nodes[i]);
        let outward = if is_a { m.normal } else { -m.normal };
        m.points().iter().all(|point| {
            let (own, far) = if is_a { (&point.arm_a, &point.arm_b) } else { (&point.arm_b, &point.arm_a) };
            let other_moved = other.map_or_else(Vector3::zeros, |n| n.moved_at(far));
            let before = point.distance + (other_moved - node.moved_at(own)).dot(&outward);
            let change = -(turn.linear + turn.angular.cross(own)).dot(&outward);
            let after = before + change + ROUNDING * (before.abs() + change.abs());
            after >= -pile.slack || (index != corrected && change >= 0.0)
        })
    })
}
