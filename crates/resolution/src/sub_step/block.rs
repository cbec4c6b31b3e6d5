//! Eight manifolds side by side: what the passes of a step read and write.

use crate::vector::F8;
use drystone_contact::StateSlot;

/// A gap, m, that nothing closes within a sub-step.
pub(super) const INACTIVE: f32 = 1e6;

/// Eight manifolds of up to `P` points, one per lane; `Q = P (P + 1) / 2`.
///
/// All geometry is frozen for the step. A manifold's relative motion is six numbers at the middle of its
/// points: the velocity `u` and the angular velocity `w` of B relative to A, in the frame `n, t1, t2`. With
/// a point at `x t1 + y t2` from the middle, the normal velocity there is `u·n + y (w·t1) − x (w·t2)`, and a
/// normal impulse there is the wrench `(1, y, −x)` in force along `n` and torque about `t1` and `t2`.
///
/// A single point is the middle, and bears a force alone: with `P = 1` nobody reads `response`, `twist_cross`, `twist_mass`, `radius` and
/// `rub[2]`, and of `cross` only what `f·n` does to `u·t1` and `u·t2`.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Block<const P: usize, const Q: usize> {
    /// Indices of A and B; 0 for an empty lane and for what cannot move.
    pub(super) ends: [[StateSlot; 8]; 2],
    /// `n`, from A to B.
    pub(super) normal: [F8; 3],
    /// `t1`; `t2 = n × t1`.
    pub(super) tangent: [F8; 3],
    /// From the centres of mass to the middle of the points, m.
    pub(super) arms: [[F8; 3]; 2],
    /// `x` and `y` of the points, m.
    pub(super) offsets: [[F8; P]; 2],
    /// Inverse masses, 1/kg.
    pub(super) inverse_mass: [F8; 2],
    /// Inverse inertias in the world frame.
    pub(super) inverse_inertia: [[F8; 6]; 2],
    /// Gaps at the start of the step beyond half of the rest band, m.
    pub(super) gap_0: [F8; P],
    /// Gaps at the last look, m.
    pub(super) gap: [F8; P],
    /// Normal impulses of a sub-step, N·s.
    pub(super) lambda: [F8; P],
    /// Pseudo-inverse of the matrix from normal impulses to normal velocities, kg: upper triangle by rows.
    pub(super) joint_mass: [F8; Q],
    /// Inverse of its diagonal, kg; 0 for a point that is not there.
    pub(super) point_mass: [F8; P],
    /// Response of `(u·n, w·t1, w·t2)` to the wrench `(f·n, τ·t1, τ·t2)`: xx, yy, zz, xy, xz, yz.
    pub(super) response: [F8; 6],
    /// Response of `(u·t1, u·t2, w·n)` to the same wrench, by rows.
    pub(super) cross: [[F8; 3]; 3],
    /// Response of `(u·t1, u·t2)` to the torque about `n`.
    pub(super) twist_cross: [F8; 2],
    /// Inverse of the response of `(u·t1, u·t2)` to forces along them, kg: 11, 22, 12.
    pub(super) slide_mass: [F8; 3],
    /// The least mass that this matrix has for a direction, kg.
    pub(super) least_slide_mass: F8,
    /// Inverse of the response of `w·n` to a torque about `n`, kg m².
    pub(super) twist_mass: F8,
    /// Static and kinetic coefficient of friction.
    pub(super) friction: [F8; 2],
    /// Velocity of the surface of B over the surface of A beside that of the bodies, along `t1` and `t2`, m/s: meant only
    /// in steps that have some.
    pub(super) surface_velocity: [F8; 2],
    /// Mean distance of the points from their middle, m.
    pub(super) radius: F8,
    /// Friction impulse of a sub-step along `t1`, `t2`, N·s, and its torque about `n`, N·m·s.
    pub(super) rub: [F8; 3],
    /// Sum of [`Block::lambda`] over the sub-steps.
    pub(super) total: [F8; P],
    /// Sum of [`Block::rub`] over the sub-steps.
    pub(super) total_rub: [F8; 3],
    /// Coefficient of restitution.
    pub(super) restitution: F8,
    /// Acceleration towards each other by what acts from far, m/s².
    pub(super) pull: F8,
    /// Of points that bounce in this round of blows: minus the way in a sub-step at the speed at which they part, m.
    /// Otherwise [`INACTIVE`].
    pub(super) bounce: [F8; P],
    /// Normal impulses of the round, N·s.
    pub(super) blow: [F8; P],
    /// Friction of the round, as [`Block::rub`].
    pub(super) blow_rub: [F8; 3],
    /// Sums of both over the rounds of the sub-step.
    pub(super) blow_total: [F8; P],
    pub(super) blow_total_rub: [F8; 3],
    /// Largest closing speed of a touching point that the last pass found, m/s.
    pub(super) residual: F8,
    /// Some point bounces in this round of blows; `bounce`, `blow` and `blow_rub` are meant only then.
    pub(super) is_struck: bool,
}

impl<const P: usize, const Q: usize> Block<P, Q> {
    /// Eight empty lanes: every pass leaves everything as it is.
    pub(super) const EMPTY: Self = Self {
        ends: [[StateSlot::DUMMY; 8]; 2],
        normal: [[0.0; 8], [0.0; 8], [1.0; 8]],
        tangent: [[1.0; 8], [0.0; 8], [0.0; 8]],
        arms: [[[0.0; 8]; 3]; 2],
        offsets: [[[0.0; 8]; P]; 2],
        inverse_mass: [[0.0; 8]; 2],
        inverse_inertia: [[[0.0; 8]; 6]; 2],
        gap_0: [[0.0; 8]; P],
        gap: [[0.0; 8]; P],
        lambda: [[0.0; 8]; P],
        joint_mass: [[0.0; 8]; Q],
        point_mass: [[0.0; 8]; P],
        response: [[0.0; 8]; 6],
        cross: [[[0.0; 8]; 3]; 3],
        twist_cross: [[0.0; 8]; 2],
        slide_mass: [[0.0; 8]; 3],
        least_slide_mass: [0.0; 8],
        twist_mass: [0.0; 8],
        friction: [[0.0; 8]; 2],
        surface_velocity: [[0.0; 8]; 2],
        radius: [0.0; 8],
        rub: [[0.0; 8]; 3],
        total: [[0.0; 8]; P],
        total_rub: [[0.0; 8]; 3],
        restitution: [0.0; 8],
        pull: [0.0; 8],
        bounce: [[INACTIVE; 8]; P],
        blow: [[0.0; 8]; P],
        blow_rub: [[0.0; 8]; 3],
        blow_total: [[0.0; 8]; P],
        blow_total_rub: [[0.0; 8]; 3],
        residual: [0.0; 8],
        is_struck: false,
    };
}

/// Place of entry `(i, j)`, `i <= j < p`, in an upper triangle stored by rows.
#[inline(always)]
pub(super) const fn triangle(p: usize, i: usize, j: usize) -> usize {
    i * p - i * (i + 1) / 2 + j
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triangles_are_numbered_by_rows() {
        let mut next = 0;
        for i in 0..4 {
            for j in i..4 {
                assert_eq!(triangle(4, i, j), next);
                next += 1;
            }
        }
        assert_eq!(next, 10);
    }
}
