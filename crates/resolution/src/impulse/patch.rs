//! A manifold in the accumulated form: its points' impulses are totals that later resolutions may lower.
//!
//! The law of a point, with the total `j` (on B), its normal part `j_n` and tangential part `j_t`, and the
//! velocity `w` of B relative to A beyond the one it is asked for (separating positive along `n`):
//! ```text
//! j_n ≥ 0,  w_n ≥ 0,  j_n w_n = 0          |j_t| ≤ μ j_n,  and j_t = −μ j_n w_t / |w_t| where w_t ≠ 0
//! ```

use super::row::{LocalBody, Masses, Resolved};
use drystone_contact::PairMaterial;
use drystone_math::{Real, Symmetric3, Vector3};

/// The contact points of one edge, as far as they are the same for all of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patch {
    /// From A to B.
    pub(super) normal: Vector3,
    /// Local indices of A and B.
    pub(super) bodies: [u32; 2],
    /// Its points are `points[first..first + count]`, and likewise rows.
    pub(super) first: u32,
    pub(super) count: u32,
    /// The coefficient that limits friction now: the static one, or the kinetic one while it slides.
    pub(super) friction: Real,
    pub(super) material: PairMaterial,
    /// Which masses the matrices belong to; [`Masses::NONE`] before the first use.
    pub(super) masses: Masses,
    /// A guess at the tangential collision matrix, 1/kg: scales friction's residual.
    pub(super) mobility: Real,
}

/// What a change of a neighbour's velocity reads and writes: one line of memory.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct PatchPoint {
    /// Velocity of B relative to A beyond the one asked for, m/s.
    pub(super) w: Vector3,
    /// Total impulse on B, N·s.
    pub(super) j: Vector3,
    pub(super) arm_a: Vector3,
    pub(super) arm_b: Vector3,
    /// Closing speed beyond the one asked for that is no reason to resolve the contact, m/s.
    pub(super) idle: Real,
}

/// What a resolution needs besides.
#[derive(Clone, Copy, Debug)]
pub(super) struct PatchMatrix {
    /// Inverse collision matrix, kg; zero where it has none.
    inverse_k: Symmetric3,
    /// Collision matrix times the normal, 1/kg.
    k_normal: Vector3,
    /// Mean of the collision matrix along the tangents, 1/kg.
    k_tangent: Real,
}

impl PatchMatrix {
    pub(super) const NONE: Self =
        Self { inverse_k: Symmetric3::ZERO, k_normal: Vector3::new(0.0, 0.0, 0.0), k_tangent: 0.0 };

    /// For the matrices of a row.
    pub(super) fn new(k: &Symmetric3, inverse_k: Symmetric3, normal: &Vector3) -> Self {
        let k_normal = *k * *normal;
        let k_tangent = 0.5 * (k.xx + k.yy + k.zz - normal.dot(&k_normal));
        Self { inverse_k, k_normal, k_tangent }
    }
}

impl Patch {
    /// True when every point that pushes slips faster than the threshold.
    pub(super) fn slides(&self, points: &[PatchPoint], threshold: Real) -> bool {
        let n = &self.normal;
        let mut loaded = points.iter().filter(|p| n.dot(&p.j) > 0.0).peekable();
        loaded.peek().is_some()
            && loaded.all(|p| (p.w - n * n.dot(&p.w)).norm_squared() > threshold * threshold)
    }

    /// Makes totals of last step fit this step's normal: no pulls, friction shared out in proportion to the
    /// normal parts, with the same sum and the same torsion, and inside the cone. Points of a manifold can push
    /// against each other along the tangents without an effect outside; from step to step such stress would
    /// grow until it takes up the cone, and towers fall.
    pub(super) fn relieve(&self, points: &mut [PatchPoint]) {
        let n = &self.normal;
        let (mut load, mut along, mut middle) = (0.0, Vector3::zeros(), Vector3::zeros());
        for point in &mut *points {
            let pushes = n.dot(&point.j);
            if pushes <= 0.0 {
                point.j = Vector3::zeros();
                continue;
            }
            load += pushes;
            along += point.j - n * pushes;
            middle += point.arm_a * pushes;
        }
        if load <= 0.0 {
            return;
        }
        middle /= load;
        let (mut torsion, mut spread) = (0.0, 0.0);
        for point in &*points {
            let arm = point.arm_a - middle;
            torsion += n.dot(&arm.cross(&point.j));
            spread += n.dot(&point.j) * n.cross(&arm).norm_squared();
        }
        let turn = if spread > 0.0 { n * (torsion / spread) } else { Vector3::zeros() };
        for point in points {
            let pushes = n.dot(&point.j);
            let tangential = (along / load + turn.cross(&(point.arm_a - middle))) * pushes;
            let (length, limit) = (tangential.norm(), self.friction * pushes);
            let share = if length > limit { limit / length } else { 1.0 };
            point.j = n * pushes + tangential * share;
        }
    }
}

impl PatchPoint {
    /// How far the point is from its law, m/s: the closing speed, the separating speed of a point that still
    /// pushes, or the slip that friction could stop or is not against; at most 0 when it is obeyed within
    /// `threshold`.
    #[inline]
    pub(super) fn violation(&self, patch: &Patch, threshold: Real) -> Real {
        let n = &patch.normal;
        let (away, pushes) = (n.dot(&self.w), n.dot(&self.j));
        let closing = -away - self.idle;
        if pushes <= 0.0 {
            return closing;
        }
        let along = self.w - n * away;
        let slip = along.norm_squared();
        let worst = if closing > away { closing } else { away };
        if slip <= threshold * threshold || slip <= worst * worst {
            return worst;
        }
        let step = self.j - n * pushes - along / patch.mobility;
        let (length, limit) = (step.norm_squared(), patch.friction * pushes);
        let left = if length <= limit * limit {
            slip.sqrt()
        } else {
            let change = step * (limit / length.sqrt()) - (self.j - n * pushes);
            (change.norm_squared().sqrt() * patch.mobility).min(slip.sqrt())
        };
        if left > worst { left } else { worst }
    }

    /// The total impulse that obeys the law when nothing else changes.
    ///
    /// Sticking when the static trial (S1-55) of the total lies inside the cone; otherwise the friction points
    /// where the trial along the tangents does, and the normal part is the one of S1-56 for the total.
    #[inline]
    pub(super) fn solution(&self, patch: &Patch, matrix: &PatchMatrix) -> Vector3 {
        let (n, friction) = (&patch.normal, patch.friction);
        let k_nn = n.dot(&matrix.k_normal);
        if k_nn <= 0.0 {
            return self.j;
        }
        let has_inverse = matrix.inverse_k != Symmetric3::ZERO;
        if has_inverse {
            let trial = self.j - matrix.inverse_k * self.w;
            let normal = n.dot(&trial);
            let tangential = trial - n * normal;
            let limit = friction * normal;
            if normal > 0.0 && tangential.norm_squared() <= limit * limit {
                return trial;
            }
        }
        let (away, pushes) = (n.dot(&self.w), n.dot(&self.j));
        let closing_alone = matrix.k_normal.dot(&self.j) - away;
        let mut direction = Vector3::zeros();
        if has_inverse && friction > 0.0 {
            let tangential = (self.j - n * pushes) - (self.w - n * away) / matrix.k_tangent;
            let length = tangential.norm();
            if length > 0.0 {
                direction = tangential * (friction / length);
            }
        }
        let mut effective = k_nn + matrix.k_normal.dot(&direction);
        // Strong friction against a coupled matrix can make it vanish (Painlevé): push along the normal only.
        if effective < super::row::MIN_EFFECTIVE_SHARE * k_nn {
            (direction, effective) = (Vector3::zeros(), k_nn);
        }
        (n + direction) * (closing_alone / effective).max(0.0)
    }
}

/// Velocity changes of both bodies by an impulse on B at a point (S1-50).
#[inline]
pub(super) fn push(
    a: &mut LocalBody,
    b: &mut LocalBody,
    point: &PatchPoint,
    j: &Vector3,
    masses: Masses,
    sum: &mut Resolved,
) {
    if masses.a() {
        let linear = j.component_mul(&a.free) * -a.inverse_mass;
        let angular = a.inverse_inertia * -point.arm_a.cross(j);
        a.linear += linear;
        a.angular += angular;
        sum.linear_a += linear;
        sum.angular_a += angular;
    }
    if masses.b() {
        let linear = j.component_mul(&b.free) * b.inverse_mass;
        let angular = b.inverse_inertia * point.arm_b.cross(j);
        b.linear += linear;
        b.angular += angular;
        sum.linear_b += linear;
        sum.angular_b += angular;
    }
}
